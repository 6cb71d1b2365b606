# manual.cmake - the man pages, one a verb, and the shells' completions. The program prints them itself, from the
# same tables that parse its command line, so they are made whenever it is built. When it is built for
# another machine and cannot run here, they are left out.
# SPDX-License-Identifier: MIT
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    message(STATUS "upsweep cannot run here: no man pages and no completions")
    return()
endif()

set(manual ${PROJECT_BINARY_DIR}/manual)
file(MAKE_DIRECTORY ${manual})
set(manual_files ${manual}/upsweep.bash ${manual}/_upsweep ${manual}/upsweep.fish)
# A page for each verb of app/verbs.def.
file(STRINGS ${PROJECT_SOURCE_DIR}/app/verbs.def verb_lines REGEX "^VERB")
set(pages ${manual}/upsweep.1)
set(page_commands)
foreach(line ${verb_lines})
    string(REGEX REPLACE "^VERB\\(([a-z]+),.*" "\\1" verb "${line}")
    list(APPEND pages ${manual}/upsweep-${verb}.1)
    list(APPEND page_commands COMMAND upsweep --dump man ${verb} > ${manual}/upsweep-${verb}.1)
endforeach()
list(APPEND manual_files ${pages})
add_custom_command(OUTPUT ${manual_files}
    COMMAND upsweep --dump man > ${manual}/upsweep.1
    ${page_commands}
    COMMAND upsweep --dump bash > ${manual}/upsweep.bash
    COMMAND upsweep --dump zsh > ${manual}/_upsweep
    COMMAND upsweep --dump fish > ${manual}/upsweep.fish
    DEPENDS upsweep VERBATIM COMMENT "man pages and completions")
add_custom_target(manual ALL DEPENDS ${manual_files})

if(UPSWEEP_INSTALL)
    install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
    install(FILES ${manual}/upsweep.bash RENAME upsweep
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
    install(FILES ${manual}/_upsweep DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT program)
    install(FILES ${manual}/upsweep.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
        COMPONENT program)
endif()
