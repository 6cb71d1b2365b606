/* load_here.cuh - a load from device memory that leaves where it stands in the code. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_LOAD_HERE_CUH
#define USW_GPU_LOAD_HERE_CUH

#include "gpu/gpu.cuh"

/* A load of 1, 4, 8 or 16 bytes that leaves where it stands in the code: several in a row are under
 * way at once, where a compiler would put each behind the branch that asks for it. */
template <typename T> __device__ __forceinline__ T usw_load_here(const T *p)
{
#ifdef USW_EMULATE
    return *p;
#else
    T v;
    if constexpr (sizeof(T) == 16) {
        asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(p));
    } else if constexpr (sizeof(T) == 8) {
        asm volatile("ld.global.u64 %0, [%1];" : "=l"(v) : "l"(p));
    } else if constexpr (sizeof(T) == 4) {
        asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(p));
    } else {
        unsigned short byte;
        asm volatile("ld.global.u8 %0, [%1];" : "=h"(byte) : "l"(p));
        v = static_cast<T>(byte);
    }
    return v;
#endif
}

#endif
