# settings.cmake - the options of the build, and the flags that every target of this tree is compiled
# with. As a part of another project (add_subdirectory, FetchContent) the library alone is built unless
# options say more, by that project's own flags and build type; nothing of what is set here reaches it,
# since all of it is the property of this directory and of those below.
# SPDX-License-Identifier: MIT
set(upsweep_top OFF)
if(CMAKE_SOURCE_DIR STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    set(upsweep_top ON)
endif()
option(UPSWEEP_PROGRAM "Build the program upsweep" ${upsweep_top})
option(UPSWEEP_VIEW "Build `upsweep view` into the program, where its libraries are found" ON)
option(UPSWEEP_BOTH "Build the shared and the static library; OFF: the one that BUILD_SHARED_LIBS asks for"
       ${upsweep_top})
option(UPSWEEP_INSTALL "Install what is built" ${upsweep_top})
option(UPSWEEP_PORTABLE "The library without vector instructions: small and quickly built, and slow" OFF)
option(UPSWEEP_WERROR "Warnings are errors (make test and make lint say so; a newer compiler may have new ones)" OFF)
option(UPSWEEP_TESTS "Build the tests" OFF)
option(UPSWEEP_FUZZ "Build the fuzz targets (clang)" OFF)
option(UPSWEEP_COVERAGE "Count which lines and branches of the library its tests take (gcc, gcov)" OFF)
set(UPSWEEP_SANITIZE "" CACHE STRING "address,undefined or thread or memory")
if(upsweep_top)
    set(UPSWEEP_CUDA AUTO CACHE STRING "Build the GPU plugin: AUTO (where nvcc is found), ON, OFF")
else()
    set(UPSWEEP_CUDA OFF CACHE STRING "Build the GPU plugin: AUTO (where nvcc is found), ON, OFF")
endif()
set_property(CACHE UPSWEEP_CUDA PROPERTY STRINGS AUTO ON OFF)
if(UPSWEEP_TESTS OR UPSWEEP_FUZZ) # which run the program, and look at both libraries
    set(UPSWEEP_PROGRAM ON)
    set(UPSWEEP_BOTH ON)
endif()

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_UNITY_BUILD OFF) # names of one file are bare
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION OFF) # cmake/static.cmake
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

add_compile_definitions(_GNU_SOURCE) # POSIX and Linux calls; include/upsweep.h needs none of it
if(upsweep_top)
    if(NOT CMAKE_BUILD_TYPE)
        set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug, ..." FORCE)
    endif()
    set(CMAKE_C_FLAGS_RELEASE "-O3 -g1 -DNDEBUG")
    add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wpointer-arith
                        $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
                        -Wwrite-strings -Wno-overlength-strings)
else()
    # The parent's warnings are for its own sources. Its build type holds; where it has none, a library
    # that nobody optimised would take many times as long. Its -ffast-math would lose NaNs.
    add_compile_options(-w -fno-fast-math $<$<CONFIG:>:-O3> $<$<CONFIG:>:-DNDEBUG>)
endif()
# Contraction to fused multiply-add would make sums depend on the instruction set.
add_compile_options(-ffp-contract=off -fno-math-errno -fno-trapping-math)
if(UPSWEEP_WERROR)
    add_compile_options(-Werror)
endif()
if(UPSWEEP_SANITIZE)
    add_compile_options(-fsanitize=${UPSWEEP_SANITIZE} -fno-sanitize-recover=all
                        -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${UPSWEEP_SANITIZE})
    if(UPSWEEP_SANITIZE MATCHES "memory") # clang 14 loses sight of what its vectors scatter
        add_compile_options(-fno-vectorize -fno-slp-vectorize
                            -fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/test/unwatched.txt)
    endif()
endif()
if(UPSWEEP_COVERAGE)
    add_link_options(--coverage)
endif()
if(UPSWEEP_PORTABLE)
    add_compile_definitions(USW_PORTABLE_ONLY)
endif()
