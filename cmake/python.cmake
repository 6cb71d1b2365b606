# python.cmake - the Python package: the extension module upsweep._core, which has the library within, and
# the program beside it. pyproject.toml configures with UPSWEEP_PYTHON=ON; `make wheel` calls it.
#
# The module is compiled against the limited API of CPython 3.9, so that one binary serves all later
# versions; a free-threaded Python, which has no such thing, gets a module of its own.
# SPDX-License-Identifier: MIT
option(UPSWEEP_PYTHON "Build the Python package (pip and make wheel say so)" OFF)
# A machine's linker takes the newest versions of its C library's names, which older systems lack. zig,
# from PyPI, links against a named version: UPSWEEP_PYTHON_LINKER="zig cc -target x86_64-linux-gnu.2.28".
set(UPSWEEP_PYTHON_LINKER "" CACHE STRING "The command that links the package in the place of the compiler")
if(NOT UPSWEEP_PYTHON)
    return()
endif()
find_package(Python 3.9 REQUIRED COMPONENTS Interpreter Development.Module NumPy)
execute_process(COMMAND ${Python_EXECUTABLE} -c "import sysconfig; print(sysconfig.get_config_var('Py_GIL_DISABLED') or 0)"
    OUTPUT_VARIABLE python_has_no_gil OUTPUT_STRIP_TRAILING_WHITESPACE)

file(GLOB binding CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/python/binding/*.c)
set(library_objects $<TARGET_OBJECTS:upsweep_objects>)
if(UPSWEEP_LIBRARY_OBJECT) # cmake/static.cmake
    set(library_objects ${UPSWEEP_LIBRARY_OBJECT})
    set_source_files_properties(${UPSWEEP_LIBRARY_OBJECT} PROPERTIES EXTERNAL_OBJECT ON)
endif()
add_library(upsweep_core MODULE ${binding} ${library_objects})
target_include_directories(upsweep_core PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/include)
target_include_directories(upsweep_core SYSTEM PRIVATE ${Python_INCLUDE_DIRS} ${Python_NumPy_INCLUDE_DIRS})
target_link_libraries(upsweep_core PRIVATE Threads::Threads ${CMAKE_DL_LIBS} m)
set_target_properties(upsweep_core PROPERTIES PREFIX "" OUTPUT_NAME _core SUFFIX .abi3.so)
if(python_has_no_gil)
    set_target_properties(upsweep_core PROPERTIES SUFFIX .so)
else()
    target_compile_definitions(upsweep_core PRIVATE Py_LIMITED_API=0x03090000)
endif()
if(UPSWEEP_PYTHON_LINKER)
    string(REPLACE ";" " " linker "${UPSWEEP_PYTHON_LINKER}")
    set(CMAKE_C_CREATE_SHARED_MODULE
        "${linker} -shared <LINK_FLAGS> -o <TARGET> <OBJECTS> <LINK_LIBRARIES>")
    set(CMAKE_C_LINK_EXECUTABLE "${linker} <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")
    # What the compiler's built-ins call must be the compiler's own: zig's table of the processor's
    # features has another layout, by which every processor is a portable one (test/python/run.sh).
    execute_process(COMMAND ${CMAKE_C_COMPILER} -print-libgcc-file-name OUTPUT_VARIABLE upsweep_runtime
        OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    target_link_libraries(upsweep_core PRIVATE ${upsweep_runtime})
    target_link_libraries(upsweep PRIVATE ${upsweep_runtime})
endif()
# Only the module's own start is seen from outside: another libupsweep in the process stays apart.
target_link_options(upsweep_core PRIVATE
    -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/python/binding/exports.map -Wl,--gc-sections)

# UPSWEEP_BUILT_PROGRAM names the program of another build of these sources: it is taken as it is.
add_custom_target(upsweep_python DEPENDS upsweep_core)
install(TARGETS upsweep_core LIBRARY DESTINATION upsweep COMPONENT python)
if(UPSWEEP_BUILT_PROGRAM)
    install(PROGRAMS ${UPSWEEP_BUILT_PROGRAM} DESTINATION upsweep COMPONENT python)
else()
    add_dependencies(upsweep_python upsweep)
    install(TARGETS upsweep RUNTIME DESTINATION upsweep COMPONENT python)
endif()
if(TARGET upsweep_cuda AND UPSWEEP_PYTHON_LINKER)
    # The plugin once more, from the same objects: nvcc links this machine's libstdc++, which asks for the
    # newest C library. zig brings a C++ run-time of its own, which lacks one name of libstdc++'s.
    set(plugin ${CMAKE_BINARY_DIR}/plugin/libupsweep_cuda.so)
    get_filename_component(cuda_bin ${UPSWEEP_NVCC} REALPATH)
    get_filename_component(cuda_bin ${cuda_bin} DIRECTORY)
    find_library(UPSWEEP_CUDART cudart_static NO_DEFAULT_PATH REQUIRED
        PATHS ${cuda_bin}/../lib64 ${cuda_bin}/../targets/x86_64-linux/lib)
    string(REPLACE "ziglang cc" "ziglang c++" linker "${UPSWEEP_PYTHON_LINKER}")
    separate_arguments(linker)
    add_library(upsweep_length_error OBJECT ${CMAKE_CURRENT_SOURCE_DIR}/python/plugin/length_error.c)
    add_custom_command(OUTPUT ${plugin}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/plugin
        COMMAND ${linker} -shared gpu/*.o $<TARGET_OBJECTS:upsweep_length_error> -o ${plugin} ${UPSWEEP_CUDART}
                ${upsweep_runtime} -lpthread -ldl -lrt -lm -Wl,-z,defs -Wl,-s
                -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/gpu/plugin/exports.map
        DEPENDS upsweep_cuda $<TARGET_OBJECTS:upsweep_length_error>
        WORKING_DIRECTORY ${CMAKE_BINARY_DIR} COMMENT "linking the plugin of the package")
    add_custom_target(upsweep_python_plugin DEPENDS ${plugin})
    add_dependencies(upsweep_python upsweep_python_plugin)
    install(FILES ${plugin} DESTINATION upsweep COMPONENT python)
elseif(TARGET upsweep_cuda)
    add_dependencies(upsweep_python upsweep_cuda)
    install(FILES ${CMAKE_BINARY_DIR}/libupsweep_cuda.so DESTINATION upsweep COMPONENT python)
endif()
