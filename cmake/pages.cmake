# pages.cmake - turns the page comment of every explained file, without its comment marks, into a
# string for `upsweep explain`: usw_STEM_page. Pages are ASCII.
# Run as: cmake -DOUT=pages.c "-DSOURCES=a.c;b.c" -P pages.cmake
#
# The text is handled as hex bytes with a comma after each, since CMake's own strings lose
# semicolons and brackets: 0a is a new line, 20 a space, 2a a star, 2f a slash. Empty lines are looked
# for twice, because of two in a row the first match takes what the second needs.
# SPDX-License-Identifier: MIT
set(code "/* made by cmake/pages.cmake: the page comments of algo/ */\n")
foreach(source ${SOURCES})
    get_filename_component(stem ${source} NAME_WE)
    file(READ ${source} page HEX)
    string(REGEX REPLACE "(..)" "\\1," page "${page}")
    string(FIND "${page}" "2a,2f," end)
    string(SUBSTRING "${page}" 0 ${end} page)
    string(REGEX REPLACE "^2f,2a,20," "" page "${page}")
    string(REGEX REPLACE "0a,20,2a,20," "0a," page "${page}")
    string(REGEX REPLACE "0a,20,2a,0a," "0a,0a," page "${page}")
    string(REGEX REPLACE "0a,20,2a,0a," "0a,0a," page "${page}")
    string(REGEX REPLACE "(0a,|20,)+$" "0a," page "${page}")
    string(REGEX REPLACE "(..)," "0x\\1," page "${page}")
    string(APPEND code "extern const char usw_${stem}_page[];\n"
                       "const char usw_${stem}_page[] = {${page}0};\n")
endforeach()
file(WRITE ${OUT} "${code}")
