# cpu_forms.cmake - compiles every algo/STEM_cpu.h and cpu/ROOM/*_cpu.h once per instruction set.
#
# For each stem and set one small .c file is written that sets USW_ISA and USW_LEVEL and includes the
# body: five times with KEY_BITS 8 .. 128 if the body mentions KEY_BITS, else once. Only these objects
# get -m flags. The sets must match core/isa.c. A body that ends with USW_FOR_ALL_SETS is compiled for
# the portable set only.
# SPDX-License-Identifier: MIT

set(isas portable)
set(flags_portable "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT UPSWEEP_PORTABLE)
    list(APPEND isas avx2 avx512)
    set(flags_avx2 -mavx2 -mfma -mbmi -mbmi2 -mlzcnt -mpopcnt)
    set(flags_avx512 ${flags_avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd
                     -mavx512vbmi -mavx512vbmi2 -mprefer-vector-width=512)
endif()

function(upsweep_cpu_forms out_sources)
    file(GLOB bodies CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/algo/*_cpu.h
         ${PROJECT_SOURCE_DIR}/cpu/*/*_cpu.h)
    set(sources)
    foreach(body ${bodies})
        get_filename_component(name ${body} NAME_WE)
        file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${body})
        file(READ ${body} text)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${body})
        set(level 0)
        set(sets ${isas})
        if(text MATCHES "USW_FOR_ALL_SETS")
            set(sets portable)
        endif()
        foreach(isa ${sets})
            set(code "/* made by cmake/cpu_forms.cmake */\n#define USW_ISA ${isa}\n#define USW_LEVEL ${level}\n")
            if(text MATCHES "KEY_BITS")
                foreach(bits 8 16 32 64 128)
                    string(APPEND code "#define KEY_BITS ${bits}\n#include \"${path}\"\n#undef KEY_BITS\n")
                endforeach()
            else()
                string(APPEND code "#include \"${path}\"\n")
            endif()
            set(file ${PROJECT_BINARY_DIR}/forms/${name}_${isa}.c)
            file(GENERATE OUTPUT ${file} CONTENT "${code}")
            set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${flags_${isa}}")
            list(APPEND sources ${file})
            math(EXPR level "${level} + 1")
        endforeach()
    endforeach()
    set(${out_sources} ${sources} PARENT_SCOPE)
endfunction()
