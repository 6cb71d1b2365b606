# static.cmake - the static library. Its objects are linked into one whose names are local but for those
# that upsweep.h makes visible: a program may have functions of any other name, and two versions of the
# library in two parts of it do not meet. Sections of the objects stay apart (--unique), so that
# -Wl,--gc-sections leaves out of a program what it does not call. Where objcopy is not, or objects are
# no machine code (-flto), the archive has the objects as they are.
#
# UPSWEEP_LIBRARY_OBJECT names that one object of another build of these sources: it is taken as it is.
# SPDX-License-Identifier: MIT
if(UPSWEEP_LIBRARY_OBJECT)
    add_library(upsweep_static STATIC ${UPSWEEP_LIBRARY_OBJECT})
    set_source_files_properties(${UPSWEEP_LIBRARY_OBJECT} PROPERTIES EXTERNAL_OBJECT ON)
    set_target_properties(upsweep_static PROPERTIES LINKER_LANGUAGE C)
    set_target_properties(upsweep_objects PROPERTIES EXCLUDE_FROM_ALL ON) # for a shared library alone
    return()
endif()
set(one_object OFF)
if(CMAKE_OBJCOPY AND CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT UPSWEEP_SANITIZE AND NOT UPSWEEP_COVERAGE AND CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
    set(one_object ON)
    if("${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_RELEASE}" MATCHES "-flto")
        target_compile_options(upsweep_objects PRIVATE -fno-lto)
    endif()
endif()
if(one_object)
    set(library_object ${PROJECT_BINARY_DIR}/upsweep_whole.o)
    separate_arguments(link_flags UNIX_COMMAND "${CMAKE_C_FLAGS}")
    list(FILTER link_flags INCLUDE REGEX "^(-m|--target|--sysroot)")
    add_custom_command(OUTPUT ${library_object}
        COMMAND ${CMAKE_C_COMPILER} ${link_flags} -r -nostdlib -Wl,--unique=.text* -Wl,--unique=.rodata* -Wl,--unique=.data* -o ${library_object}
                $<TARGET_OBJECTS:upsweep_objects>
        COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${library_object}
        DEPENDS upsweep_objects $<TARGET_OBJECTS:upsweep_objects>
        COMMENT "linking the objects of libupsweep.a into one" COMMAND_EXPAND_LISTS VERBATIM)
    add_library(upsweep_static STATIC ${library_object})
    set_source_files_properties(${library_object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    set_target_properties(upsweep_static PROPERTIES LINKER_LANGUAGE C)
else()
    add_library(upsweep_static STATIC $<TARGET_OBJECTS:upsweep_objects>)
endif()
