/* symbols.cpp - the emulated runtime's functions by name, for a test that has only the plugin. */
/* SPDX-License-Identifier: MIT */
#include "test/emulate/cuda_emulated.h"

#include <cstring>

extern "C" __attribute__((visibility("default"))) void *emulated_symbol(const char *name);
extern "C" void *emulated_symbol(const char *name)
{
#define EMULATED_SYMBOL(f)                                                                         \
    if (strcmp(name, #f) == 0) {                                                                   \
        return reinterpret_cast<void *>(f);                                                        \
    }
    EMULATED_SYMBOL(cudaStreamCreate)
    EMULATED_SYMBOL(cudaStreamDestroy)
    EMULATED_SYMBOL(cudaStreamSynchronize)
    EMULATED_SYMBOL(cudaStreamBeginCapture)
    EMULATED_SYMBOL(cudaStreamEndCapture)
    EMULATED_SYMBOL(cudaGraphInstantiate)
    EMULATED_SYMBOL(cudaGraphLaunch)
    EMULATED_SYMBOL(cudaGraphExecDestroy)
    EMULATED_SYMBOL(cudaGraphDestroy)
    EMULATED_SYMBOL(cudaMemGetInfo)
    EMULATED_SYMBOL(cudaDeviceGetAttribute)
#undef EMULATED_SYMBOL
    return nullptr;
}
