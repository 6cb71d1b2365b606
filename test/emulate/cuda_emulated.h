/* cuda_emulated.h - CUDA on the CPU, for tests without a GPU: a .cu file that includes this instead
 * of cuda_runtime.h is compiled as C++ and runs with CUDA's meaning, each thread a fiber, in an
 * order that UPSWEEP_EMULATE_SEED shuffles. What CUDA leaves undefined (a missing barrier, memory
 * that was never written, a lane that never comes) shows as a wrong result that differs by seed, or
 * ends the program with a sentence. UPSWEEP_EMULATE_MEMORY sets the bytes of device memory (4 GiB).
 */
/* SPDX-License-Identifier: MIT */
#ifndef CUDA_EMULATED_H
#define CUDA_EMULATED_H

#include "test/emulate/emulated_math.h"
#include "test/emulate/emulated_runtime.h"
#include "test/emulate/emulated_threads.h"
#include "test/emulate/emulated_types.h"

#endif
