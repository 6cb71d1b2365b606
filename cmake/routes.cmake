# routes.cmake - the test `routes` (test/routes/routes.py): every way that a call can take is taken by a test
# (core/routes.h). All tests of this directory write what they took to build/routes, which a first test
# empties; this one comes last and reads it. Included after all tests are known.
# SPDX-License-Identifier: MIT
if(NOT PYTHON OR UPSWEEP_SANITIZE) # sanitizers keep code that is never reached
    return()
endif()
add_executable(routes_list ${PROJECT_SOURCE_DIR}/test/routes/routes_list.c)
target_include_directories(routes_list PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
target_sources(routes_list PRIVATE $<TARGET_OBJECTS:upsweep_ranks_checked> ${PROJECT_SOURCE_DIR}/io/parallel.c)
target_link_libraries(routes_list PRIVATE -Wl,--whole-archive upsweep_checked -Wl,--no-whole-archive)

set(routes ${PROJECT_BINARY_DIR}/routes)
get_property(route_tests DIRECTORY PROPERTY TESTS)
set(route_programs)
foreach(name ${route_tests})
    # Fuzz tests take another way each time; what runs over MPI is not counted, and need not wait.
    if(name MATCHES "fuzz|^ranks_(calls|files)_")
        continue()
    endif()
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "UPSWEEP_ROUTES=${routes}")
    set_property(TEST ${name} APPEND PROPERTY FIXTURES_REQUIRED routes_empty)
    if(TARGET ${name})
        get_target_property(linked ${name} LINK_LIBRARIES)
        if("upsweep_checked" IN_LIST linked)
            list(APPEND route_programs ${name})
        endif()
    endif()
endforeach()
list(JOIN route_programs "\n" route_programs)
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/routes_programs.txt CONTENT "${route_programs}\n")
set(route_plugins)
foreach(target upsweep_cuda_emulated test_textbook)
    if(TARGET ${target})
        list(APPEND route_plugins $<TARGET_FILE:${target}>)
    endif()
endforeach()

add_test(NAME routes_begin COMMAND ${CMAKE_COMMAND} -DDIR=${routes} -P ${PROJECT_SOURCE_DIR}/cmake/empty.cmake)
set_tests_properties(routes_begin PROPERTIES FIXTURES_SETUP routes_empty)
add_test(NAME routes COMMAND ${PYTHON} ${PROJECT_SOURCE_DIR}/test/routes/routes.py ${routes} $<TARGET_FILE:routes_list>
         ${PROJECT_BINARY_DIR}/routes.txt ${PROJECT_BINARY_DIR}/routes_programs.txt ${route_plugins})
set_tests_properties(routes PROPERTIES DEPENDS "${route_tests}" SKIP_RETURN_CODE 77)
