# install.cmake - what `make install` lays down, in components that packages may take apart: runtime (the
# shared library), development (headers, static library, .pc file, CMake package), program (with man
# page and completions: manual.cmake), plugin (cuda.cmake) and doc.
# SPDX-License-Identifier: MIT
include(CMakePackageConfigHelpers)

list(TRANSFORM libraries PREPEND upsweep_ OUTPUT_VARIABLE library_targets)
install(TARGETS ${library_targets} EXPORT upsweep
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
if(TARGET upsweep)
    install(TARGETS upsweep RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endif()
install(FILES include/upsweep.h include/upsweep_typed.h include/upsweep.hpp include/upsweep_basics.hpp
              include/upsweep_folds.hpp include/upsweep_functions.hpp include/upsweep_graph.hpp
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc)
install(FILES docs/abi.md docs/order.md docs/trace.md docs/trust.md docs/numbers.md
    DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT doc)

# `cmake --install --strip` leaves archives as they are, since strip(1) alone would take their names.
if(TARGET upsweep_static AND CMAKE_STRIP)
    install(CODE "
        if(CMAKE_INSTALL_DO_STRIP)
            cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_PREFIX NORMALIZE OUTPUT_VARIABLE prefix)
            execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-debug --enable-deterministic-archives
                \"\$ENV{DESTDIR}\${prefix}/${CMAKE_INSTALL_LIBDIR}/$<TARGET_FILE_NAME:upsweep_static>\")
        endif()" COMPONENT development)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/upsweep)
install(EXPORT upsweep NAMESPACE upsweep:: FILE upsweep-targets.cmake DESTINATION ${package_dir}
    COMPONENT development)
configure_package_config_file(cmake/upsweep-config.cmake.in ${PROJECT_BINARY_DIR}/upsweep-config.cmake
    INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/upsweep-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/upsweep-config.cmake
              ${PROJECT_BINARY_DIR}/upsweep-config-version.cmake
    DESTINATION ${package_dir} COMPONENT development)

# The .pc file finds its own prefix, so that the installed tree may be moved. Where there is no shared
# library, what the static one needs is said to everybody.
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
set(pc_needed "-pthread -ldl -lm")
set(pc_public "")
if(NOT TARGET upsweep_shared)
    set(pc_public " ${pc_needed}")
endif()
configure_file(cmake/upsweep.pc.in ${PROJECT_BINARY_DIR}/upsweep.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/upsweep.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT development)
