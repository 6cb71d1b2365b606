/* runtime.c - see runtime.h. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/runtime.h"

#include <stdio.h>
#include <string.h>

#include "test/shared/device.h"

cuda_runtime cuda;

bool runtime_find(void)
{
    static const char *const names[] = {
        "cudaStreamCreate",       "cudaStreamDestroy",    "cudaStreamSynchronize",
        "cudaStreamBeginCapture", "cudaStreamEndCapture", "cudaGraphInstantiate",
        "cudaGraphLaunch",        "cudaGraphExecDestroy", "cudaGraphDestroy"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *symbol = device_symbol(names[i]);
        if (symbol == NULL) {
            printf("CUDA's runtime library is not here: no graph is captured\n");
            return false;
        }
        memcpy((char *)&cuda + i * sizeof symbol, &symbol, sizeof symbol);
    }
    return true;
}
