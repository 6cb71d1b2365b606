# formats.cmake - libraries that the program uses where it finds them: zlib and libzstd to unpack
# files, cairo to draw PNG. It is whole without them and says so when it meets such a file.
#
# The memory sanitizer takes what these write for memory that was never written, since they are compiled
# without it: there the program does without them.
#
# A Python package may ask nothing of a machine but its C library: there the two are linked statically,
# and pictures are drawn as SVG.
# SPDX-License-Identifier: MIT
find_package(PkgConfig)
set(upsweep_suffixes ${CMAKE_FIND_LIBRARY_SUFFIXES})
if(UPSWEEP_PYTHON)
    set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
endif()
if(NOT UPSWEEP_SANITIZE MATCHES "memory")
    find_package(ZLIB)
endif()
if(UPSWEEP_PYTHON)
    find_library(UPSWEEP_ZSTD_ARCHIVE zstd)
    find_path(UPSWEEP_ZSTD_HEADERS zstd.h)
    if(UPSWEEP_ZSTD_ARCHIVE AND UPSWEEP_ZSTD_HEADERS)
        add_library(PkgConfig::ZSTD INTERFACE IMPORTED)
        target_link_libraries(PkgConfig::ZSTD INTERFACE ${UPSWEEP_ZSTD_ARCHIVE})
        set(ZSTD_FOUND TRUE)
    endif()
elseif(PkgConfig_FOUND AND NOT UPSWEEP_SANITIZE MATCHES "memory")
    pkg_check_modules(ZSTD IMPORTED_TARGET libzstd)
    pkg_check_modules(CAIRO IMPORTED_TARGET cairo)
endif()
set(CMAKE_FIND_LIBRARY_SUFFIXES ${upsweep_suffixes})
if(ZLIB_FOUND)
    target_compile_definitions(upsweep_io PUBLIC UPSWEEP_ZLIB)
    target_link_libraries(upsweep_io PUBLIC ZLIB::ZLIB)
else()
    message(STATUS "zlib was not found: files compressed by gzip cannot be read")
endif()
if(ZSTD_FOUND)
    target_compile_definitions(upsweep_io PUBLIC UPSWEEP_ZSTD)
    target_link_libraries(upsweep_io PUBLIC PkgConfig::ZSTD)
else()
    message(STATUS "libzstd was not found: files compressed by zstd cannot be read")
endif()
if(CAIRO_FOUND)
    target_compile_definitions(upsweep_io PUBLIC UPSWEEP_CAIRO)
    target_link_libraries(upsweep_io PUBLIC PkgConfig::CAIRO)
else()
    message(STATUS "cairo was not found: pictures are drawn as SVG only")
endif()
