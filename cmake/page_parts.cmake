# page_parts.cmake - what app/page puts into a page, as C: page, style, script, glossary, the sources of
# the explained forms, and these compiled to WebAssembly; and what app/learn gives to the reader.
# Run as: cmake -DOUT=parts.c "-DSOURCES=a.c;b.c" -DWASM=forms.wasm -DSITE=site -P page_parts.cmake
# SPDX-License-Identifier: MIT
function(put_bytes name) # files, one behind the other, as hex bytes that end with a 0
    set(all "")
    foreach(file ${ARGN})
        file(READ ${file} bytes HEX)
        string(APPEND all "${bytes}")
    endforeach()
    string(REGEX REPLACE "(..)" "0x\\1," all "${all}")
    file(APPEND ${OUT} "const unsigned char ${name}[] = {${all}0};\n"
                       "const size_t ${name}_size = sizeof ${name} - 1;\n")
endfunction()

file(WRITE ${OUT} "/* made by cmake/page_parts.cmake */\n#include \"app/page/page_parts.h\"\n")
put_bytes(page_part_html ${SITE}/page.html)
put_bytes(page_part_style ${SITE}/page.css)
put_bytes(page_part_script ${SCRIPTS})
put_bytes(page_part_glossary ${SITE}/glossary.txt)
put_bytes(page_part_tasks ${SITE}/tasks/tasks.txt)
put_bytes(page_part_lanes_h ${SITE}/tasks/lanes.h)
put_bytes(page_part_lanes_c ${SITE}/tasks/lanes.c)
put_bytes(page_part_lanes_py ${SITE}/../python/upsweep/lanes.py)
if(WASM)
    put_bytes(page_part_wasm ${WASM})
else()
    put_bytes(page_part_wasm)
endif()
set(table "")
foreach(source ${SOURCES})
    get_filename_component(stem ${source} NAME_WE)
    put_bytes(page_source_${stem} ${source})
    string(APPEND table "    {\"${stem}.c\", page_source_${stem}},\n")
endforeach()
file(APPEND ${OUT} "const page_source page_sources[] = {\n${table}};\n"
                   "const size_t page_source_count = sizeof page_sources / sizeof *page_sources;\n")
