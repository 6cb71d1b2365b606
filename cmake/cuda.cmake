# cuda.cmake - the plugin libupsweep_cuda.so, which the library loads at run time. It is built where
# nvcc is found, from gpu/*.cu, gpu/*/*.cu and algo/*.cu, and needs nothing from the library, nor the library
# anything from it. UPSWEEP_CUDA=OFF leaves it out, ON makes it an error that nvcc is missing.
#
# nvcc is called by commands of our own: CMake's CUDA language would be looked for on every machine,
# and releases of CMake lag behind those of nvcc. All paths are relative to the build directory, so that
# ccache serves checkouts in different places.
# SPDX-License-Identifier: MIT
set(UPSWEEP_CUDA_ARCHS native CACHE STRING
    "native: machine code for the GPUs of this machine, for sm_90 where there are none; release: 80;90;PTX; or a list; with PTX, that of the last one too")
option(UPSWEEP_CUDA_QUICK "Where there is no GPU: compile the plugin to PTX alone, hardly optimised, in less than half the time, for tests" OFF)
set(cuda_oldest 12.3) # 16 bytes read and written whole

# Sets ${out} to why there will be no plugin, or to nothing.
function(upsweep_cuda_missing out)
    set(why "")
    if(CMAKE_CROSSCOMPILING)
        set(why "this build is for another machine")
    elseif(UPSWEEP_SANITIZE)
        set(why "this build is for a sanitizer")
    else()
        find_program(UPSWEEP_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATH_SUFFIXES bin
                     PATHS /usr/local/cuda /opt/cuda)
        if(NOT UPSWEEP_NVCC)
            set(why "nvcc was not found")
        else()
            execute_process(COMMAND ${UPSWEEP_NVCC} --version OUTPUT_VARIABLE text ERROR_QUIET)
            string(REGEX MATCH "release ([0-9.]+)" text "${text}")
            if(NOT text OR CMAKE_MATCH_1 VERSION_LESS cuda_oldest)
                set(why "${UPSWEEP_NVCC} is not of CUDA ${cuda_oldest} or later")
            endif()
        endif()
    endif()
    set(${out} "${why}" PARENT_SCOPE)
endfunction()

# Sets ${out} to the list of targets that UPSWEEP_CUDA_ARCHS asks for.
function(upsweep_cuda_targets out)
    set(list ${UPSWEEP_CUDA_ARCHS})
    set(cuda_optimise PARENT_SCOPE)
    set(cuda_host_optimise -O1 PARENT_SCOPE)
    if(list STREQUAL "release")
        set(list 80 90 PTX)
    elseif(list STREQUAL "native")
        execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
            OUTPUT_VARIABLE text ERROR_QUIET RESULT_VARIABLE failed)
        set(list 90)
        if(NOT failed AND text MATCHES "^[0-9]")
            string(REGEX MATCHALL "[0-9]+[.][0-9]+" list "${text}")
            list(TRANSFORM list REPLACE "[.]" "")
            list(REMOVE_DUPLICATES list)
        elseif(UPSWEEP_CUDA_QUICK) # nothing here runs it: that it is compiled, linked and loaded is all
            set(list PTX) # which nvcc assembles to see whether it can, without optimising it
            set(cuda_host_optimise -O0 PARENT_SCOPE)
            execute_process(COMMAND ${UPSWEEP_NVCC} --help OUTPUT_VARIABLE text ERROR_QUIET)
            if(text MATCHES "--Ofast-compile")
                set(cuda_optimise --Ofast-compile=max PARENT_SCOPE)
            else()
                set(cuda_optimise -Xcicc=-O1 PARENT_SCOPE)
            endif()
        endif()
    endif()
    set(${out} ${list} PARENT_SCOPE)
endfunction()

function(upsweep_cuda_plugin)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/gpu/*.cu ${PROJECT_SOURCE_DIR}/gpu/*/*.cu
         ${PROJECT_SOURCE_DIR}/algo/*.cu)
    file(RELATIVE_PATH up ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
    string(REGEX REPLACE "/$" "" up ${up}) # which is there only above a build within the source
    set(targets)
    foreach(arch ${cuda_targets})
        if(arch STREQUAL "PTX" AND NOT DEFINED last)
            list(APPEND archs -gencode arch=compute_90,code=compute_90)
            set(targets PTX)
        elseif(arch STREQUAL "PTX")
            list(REMOVE_AT archs -1)
            list(APPEND archs arch=compute_${last},code=[sm_${last},compute_${last}])
            string(APPEND targets "+PTX")
        else()
            list(APPEND archs -gencode arch=compute_${arch},code=sm_${arch})
            string(APPEND targets "${plus}sm_${arch}")
            set(last ${arch})
            set(plus "+")
        endif()
    endforeach()
    # Contraction to fused multiply-add would make sums differ from the CPU's.
    # Machine code is compressed as well: 40 MB become 10.
    # The targets of a file are compiled side by side. Kernels are optimised fully without an option; -O3 would
    # optimise the code of the host as well, which launches them, and took twice that code's time.
    set(flags -std=c++17 ${cuda_optimise} -fmad=false ${archs} --threads=0 -Xfatbin=-compress-all -DUSW_GPU_TARGETS=${targets}
        -Xcompiler=${cuda_host_optimise},-fPIC,-fvisibility=hidden,-Wall,-Wextra)
    if(UPSWEEP_WERROR)
        list(APPEND flags -Werror all-warnings)
    endif()
    list(APPEND flags -I${up}/. -I${up}/include)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/gpu)
    foreach(source ${sources})
        file(RELATIVE_PATH stem ${PROJECT_SOURCE_DIR} ${source})
        string(REGEX REPLACE "[.]cu$" "" stem ${stem})
        string(REPLACE "/" "_" stem ${stem})
        file(RELATIVE_PATH from ${PROJECT_BINARY_DIR} ${source})
        add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/gpu/${stem}.o
            COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${UPSWEEP_NVCC} ${flags}
                    -MD -MF gpu/${stem}.d -c ${from} -o gpu/${stem}.o
            DEPENDS ${source} DEPFILE ${PROJECT_BINARY_DIR}/gpu/${stem}.d
            WORKING_DIRECTORY ${PROJECT_BINARY_DIR} COMMENT "nvcc ${stem}.cu" VERBATIM)
        list(APPEND objects gpu/${stem}.o)
    endforeach()
    list(TRANSFORM objects PREPEND ${PROJECT_BINARY_DIR}/ OUTPUT_VARIABLE absolute)
    set(cuda_objects ${absolute} PARENT_SCOPE) # the benches of single forms link them
    set(script ${PROJECT_SOURCE_DIR}/gpu/plugin/exports.map)
    add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/libupsweep_cuda.so
        COMMAND ${UPSWEEP_NVCC} -shared -cudart static ${objects} -o libupsweep_cuda.so
                -Xcompiler=-static-libstdc++,-static-libgcc
                -Xlinker=--version-script=${script},--no-undefined,-s
        DEPENDS ${objects} ${script}
        WORKING_DIRECTORY ${PROJECT_BINARY_DIR} COMMENT "linking libupsweep_cuda.so" VERBATIM)
    add_custom_target(upsweep_cuda ALL DEPENDS ${PROJECT_BINARY_DIR}/libupsweep_cuda.so)
    if(UPSWEEP_INSTALL)
        install(FILES ${PROJECT_BINARY_DIR}/libupsweep_cuda.so DESTINATION ${CMAKE_INSTALL_LIBDIR}
            PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                        WORLD_READ WORLD_EXECUTE COMPONENT plugin)
    endif()
endfunction()

set(cuda_missing "it was switched off")
if(UPSWEEP_CUDA)
    upsweep_cuda_missing(cuda_missing)
endif()
if(NOT cuda_missing)
    upsweep_cuda_targets(cuda_targets)
    upsweep_cuda_plugin()
elseif(UPSWEEP_CUDA STREQUAL "ON")
    message(FATAL_ERROR "UPSWEEP_CUDA is ON, but ${cuda_missing}")
else()
    file(REMOVE ${PROJECT_BINARY_DIR}/libupsweep_cuda.so)
endif()
file(WRITE ${PROJECT_BINARY_DIR}/gpu.txt "${cuda_missing}")
