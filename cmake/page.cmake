# page.cmake - the parts of `upsweep page`. The explained forms are compiled to WebAssembly where clang
# and its linker are found; without them pages play their traces but take no numbers of the reader's.
# SPDX-License-Identifier: MIT
set(site ${PROJECT_SOURCE_DIR}/site)
set(page_scripts ${site}/replay.js ${site}/forms.js ${site}/stage.js ${site}/graph.js ${site}/text.js
    ${site}/quiz.js ${site}/player.js)
set(page_wasm "")
find_program(UPSWEEP_WASM_CLANG NAMES clang clang-14 clang-15 clang-16 clang-17 clang-18 clang-19)
find_program(UPSWEEP_WASM_LD NAMES wasm-ld wasm-ld-14 wasm-ld-15 wasm-ld-16 wasm-ld-17 wasm-ld-18 wasm-ld-19)
set(wasm_flags --target=wasm32 -std=c11 -Oz -ffreestanding -fvisibility=hidden -I site/wasm -I . -I include)
if(UPSWEEP_WASM_CLANG AND UPSWEEP_WASM_LD) # a clang may be there without that target
    execute_process(COMMAND ${UPSWEEP_WASM_CLANG} ${wasm_flags} -c core/explain.c
                            -o ${PROJECT_BINARY_DIR}/wasm_try.o
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} RESULT_VARIABLE wasm_failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT wasm_failed)
        set(page_wasm ${PROJECT_BINARY_DIR}/forms.wasm)
    endif()
endif()
if(page_wasm)
    # From the root, so that events name their lines as the library's do (core/explain.h).
    set(wasm_objects "")
    foreach(source ${explained} ${PROJECT_SOURCE_DIR}/core/explain.c ${PROJECT_SOURCE_DIR}/app/page/page_events.c
            ${site}/wasm/wasm.c)
        file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
        string(REPLACE "/" "_" object ${name})
        set(object ${PROJECT_BINARY_DIR}/wasm/${object}.o)
        add_custom_command(OUTPUT ${object}
            COMMAND ${UPSWEEP_WASM_CLANG} ${wasm_flags} -MD -MF ${object}.d -c ${name} -o ${object}
            DEPENDS ${source} ${PROJECT_SOURCE_DIR}/core/explain.h ${PROJECT_SOURCE_DIR}/core/explain_steps.h
                    ${PROJECT_SOURCE_DIR}/app/page/page_events.h ${PROJECT_SOURCE_DIR}/include/upsweep.h
            WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
        list(APPEND wasm_objects ${object})
    endforeach()
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/wasm)
    add_custom_command(OUTPUT ${page_wasm}
        COMMAND ${UPSWEEP_WASM_LD} --no-entry --strip-all --gc-sections ${wasm_objects} -o ${page_wasm}
        DEPENDS ${wasm_objects} VERBATIM)
else()
    message(STATUS "no clang for WebAssembly: pages will not take the reader's own numbers")
endif()
set(page_parts ${PROJECT_BINARY_DIR}/page_parts.c)
add_custom_command(OUTPUT ${page_parts}
    COMMAND ${CMAKE_COMMAND} -DOUT=${page_parts} "-DSOURCES=${explained}" -DWASM=${page_wasm} -DSITE=${site}
            "-DSCRIPTS=${page_scripts}" -P ${PROJECT_SOURCE_DIR}/cmake/page_parts.cmake
    DEPENDS ${explained} ${page_wasm} ${page_scripts} ${site}/page.html ${site}/page.css
            ${site}/glossary.txt ${site}/tasks/tasks.txt ${site}/tasks/lanes.h ${site}/tasks/lanes.c
            ${PROJECT_SOURCE_DIR}/python/upsweep/lanes.py
            cmake/page_parts.cmake VERBATIM)
# Our solutions of the tasks of `upsweep learn`, each under a name of its own, and what runs them.
file(GLOB solutions CONFIGURE_DEPENDS ${site}/tasks/solutions/*.c)
foreach(source ${solutions})
    get_filename_component(stem ${source} NAME_WE)
    set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS "solve=usw_task_${stem}")
endforeach()
set_source_files_properties(${site}/tasks/lanes.c PROPERTIES COMPILE_DEFINITIONS LANES_NO_MAIN)
add_library(upsweep_page STATIC ${page_parts} ${solutions} ${site}/tasks/lanes.c)
target_include_directories(upsweep_page PRIVATE ${PROJECT_SOURCE_DIR} ${site}/tasks)
