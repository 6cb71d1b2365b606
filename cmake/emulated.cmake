# emulated.cmake - the CUDA forms compiled as C++ for the CPU, under the emulator of test/emulate, as a
# plugin with the same one symbol as the real one. Only tests use it; without a C++ compiler it is left out.
# SPDX-License-Identifier: MIT
include(CheckLanguage)
check_language(CXX)
if(NOT CMAKE_CXX_COMPILER)
    message(STATUS "no C++ compiler: the CUDA forms are not tested under the emulator")
    return()
endif()
if(UPSWEEP_SANITIZE MATCHES "thread|memory")
    return() # the thread sanitizer does not know fibers, the memory sanitizer no C++ library
endif()
enable_language(CXX)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_FLAGS_RELEASE "-Og -g1") # kernels are compiled for longer than they run
set(emulate_dir ${PROJECT_SOURCE_DIR}/test/emulate)

file(GLOB emulator CONFIGURE_DEPENDS ${emulate_dir}/*.cpp)
list(FILTER emulator EXCLUDE REGEX "/test_[^/]*$")
add_library(cuda_emulator OBJECT ${emulator})
# Memory of threads that is made with the plugin: made on first use it ends the process where there is none.
set_property(TARGET cuda_emulator APPEND PROPERTY COMPILE_OPTIONS -ftls-model=initial-exec)
target_include_directories(cuda_emulator PUBLIC ${PROJECT_SOURCE_DIR})
target_compile_options(cuda_emulator PRIVATE -O2 -Wno-pedantic) # __int128
target_link_libraries(cuda_emulator PUBLIC Threads::Threads)

add_executable(test_emulate ${emulate_dir}/test_emulate.cpp ${emulate_dir}/test_runtime.cpp)
target_compile_options(test_emulate PRIVATE -Wno-pedantic)
target_link_libraries(test_emulate PRIVATE cuda_emulator PkgConfig::CMOCKA)
add_test(NAME test_emulate COMMAND test_emulate)
set_tests_properties(test_emulate PROPERTIES TIMEOUT 300)

option(UPSWEEP_EMULATED_WATCHED "Kernels watched by gcc's sanitizers, as the long check has them; compiling takes 1.6 times as long" OFF)
set(UPSWEEP_EMULATED "" CACHE FILEPATH "An emulated plugin that another build has made, in place of compiling one")
file(GLOB cuda_forms CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/gpu/*.cu ${PROJECT_SOURCE_DIR}/gpu/*/*.cu
     ${PROJECT_SOURCE_DIR}/algo/*.cu)
if(UPSWEEP_EMULATED)
    if(NOT EXISTS ${UPSWEEP_EMULATED}) # tests would be skipped
        message(FATAL_ERROR "UPSWEEP_EMULATED: there is no ${UPSWEEP_EMULATED}")
    endif()
    add_library(upsweep_cuda_emulated SHARED IMPORTED GLOBAL)
    set_target_properties(upsweep_cuda_emulated PROPERTIES IMPORTED_LOCATION ${UPSWEEP_EMULATED})
elseif(cuda_forms)
    set_source_files_properties(${cuda_forms} PROPERTIES LANGUAGE CXX)
    add_library(upsweep_cuda_emulated SHARED ${cuda_forms})
    target_compile_definitions(upsweep_cuda_emulated PRIVATE USW_EMULATE)
    target_include_directories(upsweep_cuda_emulated PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
    target_compile_options(upsweep_cuda_emulated PRIVATE -UNDEBUG -Wno-pedantic -Wno-unknown-pragmas)
    target_link_libraries(upsweep_cuda_emulated PRIVATE cuda_emulator)
    if(NOT CMAKE_CXX_COMPILER_LAUNCHER) # a compiler's cache does not keep what was compiled with it
        target_precompile_headers(upsweep_cuda_emulated PRIVATE ${PROJECT_SOURCE_DIR}/gpu/gpu.cuh)
    endif()
    target_link_options(upsweep_cuda_emulated PRIVATE -Wl,--version-script=${emulate_dir}/plugin.map)
    if(UPSWEEP_SANITIZE) # its runtime is in the program, which is C and has none for C++ classes
        target_compile_options(cuda_emulator PRIVATE -fno-sanitize=vptr,function)
        # Sanitizers take minutes for a file of kernels. These are watched by the emulator's guards around every
        # array and piece of scratch, and in gcc's build as below.
        target_compile_options(upsweep_cuda_emulated PRIVATE -O1 -g1 -fno-sanitize=all)
    else()
        target_link_options(upsweep_cuda_emulated PRIVATE -Wl,--no-undefined)
    endif()
    # What a GPU punishes and this machine forgives: misaligned access, shifts by more than the width
    # (a GPU's answer is 0), indices outside of arrays.
    if(UPSWEEP_EMULATED_WATCHED AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
        set(watched -fsanitize=alignment,shift-exponent,bounds -fno-sanitize-recover=all)
        target_compile_options(upsweep_cuda_emulated PRIVATE ${watched})
        target_link_options(upsweep_cuda_emulated PRIVATE ${watched})
    endif()

    # Forms by themselves, for what no public call reaches: the plugin's objects, which it keeps to itself.
    string(JOIN "|" by_themselves algo/sort_vmerge algo/reduce_butterfly plugin/handle plugin/repeat_graph
           plugin/scratch plugin/devices plugin/host_copies plugin/results)
    add_executable(test_textbook ${emulate_dir}/test_textbook.cpp
        "$<FILTER:$<TARGET_OBJECTS:upsweep_cuda_emulated>,INCLUDE,/(${by_themselves})[.]cu>")
    foreach(property COMPILE_DEFINITIONS INCLUDE_DIRECTORIES COMPILE_OPTIONS)
        get_target_property(value upsweep_cuda_emulated ${property})
        set_target_properties(test_textbook PROPERTIES ${property} "${value}")
    endforeach()
    target_link_options(test_textbook PRIVATE ${watched})
    target_link_libraries(test_textbook PRIVATE cuda_emulator PkgConfig::CMOCKA)
    add_test(NAME test_textbook COMMAND test_textbook)
endif()

if(TARGET upsweep_cuda_emulated) # tests of the library on a GPU get this one
    add_dependencies(test_ranks upsweep_cuda_emulated)
    foreach(name ${gpu_tests})
        add_dependencies(${name} upsweep_cuda_emulated)
        set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT
            "UPSWEEP_CUDA_PLUGIN=$<TARGET_FILE:upsweep_cuda_emulated>")
    endforeach()
    foreach(name gpu_cli view_runs test_ranks)
        if(TEST ${name})
            set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT
                "UPSWEEP_CUDA_PLUGIN=$<TARGET_FILE:upsweep_cuda_emulated>")
        endif()
    endforeach()
endif()
