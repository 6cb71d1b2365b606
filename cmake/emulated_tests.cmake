# emulated_tests.cmake - the tests of the library on a GPU get the emulated plugin.
# SPDX-License-Identifier: MIT
add_dependencies(test_ranks upsweep_cuda_emulated)
foreach(name ${gpu_tests})
    add_dependencies(${name} upsweep_cuda_emulated)
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT
        "UPSWEEP_CUDA_PLUGIN=$<TARGET_FILE:upsweep_cuda_emulated>")
endforeach()
foreach(name gpu_cli view_runs test_ranks)
    if(TEST ${name})
        set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT
            "UPSWEEP_CUDA_PLUGIN=$<TARGET_FILE:upsweep_cuda_emulated>")
    endif()
endforeach()
