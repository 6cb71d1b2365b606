# vcpkg.cmake - runs the port as vcpkg would, as far as that can be done without vcpkg: its functions are
# here in the least form that keeps their contract, so that calls and folders of the port are tried.
# Run as: cmake -DSOURCE=dir -DWORK=dir -DLAUNCHER=ccache [-DOBJECT=upsweep_whole.o] -P vcpkg.cmake
# OBJECT is the library, built: then its sources are not compiled once more (the test `nested` does that).
# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.20)
set(PORT upsweep)
set(port ${SOURCE}/packaging/vcpkg/upsweep)
set(CURRENT_PACKAGES_DIR ${WORK}/packages)
set(FEATURES core)
file(REMOVE_RECURSE ${WORK})

function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if(failed)
        message(FATAL_ERROR "${said}")
    endif()
endfunction()

function(vcpkg_check_features) # one feature
    cmake_parse_arguments(arg "" OUT_FEATURE_OPTIONS FEATURES ${ARGN})
    list(GET arg_FEATURES 0 feature)
    list(GET arg_FEATURES 1 option)
    if(feature IN_LIST FEATURES)
        set(${arg_OUT_FEATURE_OPTIONS} -D${option}=ON PARENT_SCOPE)
    else()
        set(${arg_OUT_FEATURE_OPTIONS} -D${option}=OFF PARENT_SCOPE)
    endif()
endfunction()

# Debug alone, without vector instructions, so that it takes seconds.
function(vcpkg_cmake_configure)
    cmake_parse_arguments(arg "" SOURCE_PATH "OPTIONS;OPTIONS_DEBUG;OPTIONS_RELEASE" ${ARGN})
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "vcpkg_cmake_configure does not take ${arg_UNPARSED_ARGUMENTS}")
    endif()
    run(${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${WORK}/build -G Ninja -DCMAKE_BUILD_TYPE=Debug
        -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF
        -DUPSWEEP_LIBRARY_OBJECT=${OBJECT} -DCMAKE_C_COMPILER_LAUNCHER=${LAUNCHER} -DUPSWEEP_PORTABLE=ON
        ${arg_OPTIONS} ${arg_OPTIONS_DEBUG})
endfunction()
function(vcpkg_cmake_install)
    run(${CMAKE_COMMAND} --build ${WORK}/build -j 2)
    run(${CMAKE_COMMAND} --install ${WORK}/build)
endfunction()
function(vcpkg_cmake_config_fixup)
    cmake_parse_arguments(arg "" CONFIG_PATH "" ${ARGN})
    if(NOT EXISTS ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/${PORT}-config.cmake)
        message(FATAL_ERROR "no package in ${arg_CONFIG_PATH}")
    endif()
    file(COPY ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/ DESTINATION ${CURRENT_PACKAGES_DIR}/share/${PORT})
    file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/lib/cmake)
    # The prefix is one folder nearer than it was.
    foreach(file upsweep-targets upsweep-config)
        file(READ ${CURRENT_PACKAGES_DIR}/share/${PORT}/${file}.cmake text)
        string(REPLACE "get_filename_component(_IMPORT_PREFIX \"\${CMAKE_CURRENT_LIST_FILE}\" PATH)"
               "get_filename_component(_IMPORT_PREFIX \"\${CMAKE_CURRENT_LIST_DIR}/x\" PATH)" text "${text}")
        string(REPLACE "get_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\nget_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\nget_filename_component"
               "get_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\nget_filename_component" text "${text}")
        string(REPLACE "/../../../" "/../../" text "${text}")
        file(WRITE ${CURRENT_PACKAGES_DIR}/share/${PORT}/${file}.cmake "${text}")
    endforeach()
endfunction()
function(vcpkg_fixup_pkgconfig)
    if(NOT EXISTS ${CURRENT_PACKAGES_DIR}/lib/pkgconfig/upsweep.pc)
        message(FATAL_ERROR "no upsweep.pc")
    endif()
endfunction()
function(vcpkg_copy_tools)
    message(FATAL_ERROR "tools were not asked for")
endfunction()
function(vcpkg_install_copyright)
    cmake_parse_arguments(arg "" "" FILE_LIST ${ARGN})
    file(MAKE_DIRECTORY ${CURRENT_PACKAGES_DIR}/share/${PORT})
    configure_file(${arg_FILE_LIST} ${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright COPYONLY)
endfunction()

include(${port}/portfile.cmake) # CMAKE_CURRENT_LIST_DIR is the port's

file(READ ${port}/vcpkg.json manifest)
string(JSON version GET "${manifest}" version)
file(STRINGS ${CURRENT_PACKAGES_DIR}/include/upsweep.h text REGEX "UPSWEEP_VERSION_TEXT")
if(NOT text MATCHES "\"${version}\"")
    message(FATAL_ERROR "vcpkg.json says ${version}, upsweep.h ${text}")
endif()
foreach(file include/upsweep.h lib/libupsweep.a share/upsweep/copyright share/upsweep/usage)
    if(NOT EXISTS ${CURRENT_PACKAGES_DIR}/${file})
        message(FATAL_ERROR "the port lacks ${file}")
    endif()
endforeach()
file(GLOB tools ${CURRENT_PACKAGES_DIR}/bin/* ${CURRENT_PACKAGES_DIR}/lib/*.so*)
if(tools)
    message(FATAL_ERROR "a static port of the library alone has ${tools}")
endif()
file(MAKE_DIRECTORY ${WORK}/user)
file(WRITE ${WORK}/user/CMakeLists.txt "cmake_minimum_required(VERSION 3.20)
project(main C)\nfind_package(upsweep CONFIG REQUIRED)\nadd_executable(main ${SOURCE}/test/install/use.c)
set_property(TARGET main PROPERTY C_STANDARD 11)
target_link_libraries(main PRIVATE upsweep::upsweep)\n")
run(${CMAKE_COMMAND} -S ${WORK}/user -B ${WORK}/user/build -G Ninja
    -Dupsweep_DIR=${CURRENT_PACKAGES_DIR}/share/upsweep)
run(${CMAKE_COMMAND} --build ${WORK}/user/build)
run(${WORK}/user/build/main)
message(STATUS "the port ${version} is built, laid down and used")
