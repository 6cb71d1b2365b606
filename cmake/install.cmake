# install.cmake - what `make install` lays down: both libraries, the headers, a .pc file, CMake package
# files and the program. manual.cmake adds the man page and the completions.
include(CMakePackageConfigHelpers)

install(TARGETS upsweep_shared upsweep_static EXPORT upsweep
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS upsweep RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES include/upsweep.h include/upsweep_typed.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/upsweep)
install(EXPORT upsweep NAMESPACE upsweep:: FILE upsweep-targets.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/upsweep-config.cmake.in ${CMAKE_BINARY_DIR}/upsweep-config.cmake
    INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/upsweep-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/upsweep-config.cmake
              ${CMAKE_BINARY_DIR}/upsweep-config-version.cmake DESTINATION ${package_dir})

# The .pc file finds its own prefix, so that the installed tree may be moved.
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
configure_file(cmake/upsweep.pc.in ${CMAKE_BINARY_DIR}/upsweep.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/upsweep.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
