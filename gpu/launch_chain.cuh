/* launch_chain.cuh - launches in a chain: a kernel's blocks start as soon as all blocks of the
 * kernel before have started, and wait in the kernel for that one's end, so that the start of a
 * launch overlaps with the kernel before.
 *
 * A chain pays where many launches find nothing to do. Every kernel of a chain calls usw_chained()
 * before it touches memory, even if it then does nothing: so the end of one kernel means that all
 * kernels before have ended. A kernel may also run beside the one before, of few blocks that take
 * long, if they share nothing: that one calls usw_chained_before, and it usw_chained_beside. Chains
 * are for devices of compute capability 9.0, for which the wait is compiled; on others, in captures
 * and under a film the launches are plain ones. Source: CUDA C++ programming guide, programmatic
 * dependent launch. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_LAUNCH_CHAIN_CUH
#define USW_GPU_LAUNCH_CHAIN_CUH

#include "gpu/gpu.cuh"

/* Launches of more blocks are not chained: the wait would cost their blocks more time than the
 * overlap saves. */
enum { USW_CHAIN_BLOCKS = 4096 };

/* Lets the blocks of the next launch start, and waits until the launches before have ended; what
 * they wrote is seen. */
__device__ __forceinline__ void usw_chained()
{
#if !defined(USW_EMULATE) && __CUDA_ARCH__ >= 900
    if (gridDim.x <= USW_CHAIN_BLOCKS) {
        asm volatile("griddepcontrol.launch_dependents;" : : : "memory");
        asm volatile("griddepcontrol.wait;" : : : "memory");
    }
#endif
}

/* The two halves of it, for a kernel that has something to do before it needs what the launches
 * before write: its blocks let the next ones start, and one of them waits before it ends. */
__device__ __forceinline__ void usw_chained_early()
{
#if !defined(USW_EMULATE) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" : : : "memory");
#endif
}
__device__ __forceinline__ void usw_chained_late()
{
#if !defined(USW_EMULATE) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" : : : "memory");
#endif
}

/* The same, but the blocks of the next launch, which runs beside this one, start when all of these
 * have come here. begun: 0; it is set to 1. */
__device__ __forceinline__ void usw_chained_before(unsigned *begun)
{
#if !defined(USW_EMULATE) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" : : : "memory");
#endif
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        usw_store_release(begun, 1u);
    }
#if !defined(USW_EMULATE) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" : : : "memory");
#endif
}

/* The same for a launch that runs beside the one before, and beside those before that back to the
 * one that sets *begun. Its blocks start when that is set; the first of them, `asking`, as many as
 * a device runs at once, or more, load it, so that they see what was written before that launch.
 * Later blocks start where one of these has ended, whose load has emptied the multiprocessor's own
 * cache: they find all of it in the second one, and need not wait for such a load. The last block
 * waits for the end of the launch before, so that the end of this one means that, too. begun NULL:
 * as usw_chained. A block calls. */
__device__ __forceinline__ void usw_chained_beside(const unsigned *begun, unsigned asking)
{
    if (begun == nullptr) {
        usw_chained();
        return;
    }
    if (blockIdx.x < asking) {
#if !defined(USW_EMULATE) && __CUDA_ARCH__ >= 900
        asm volatile("griddepcontrol.launch_dependents;" : : : "memory");
#endif
        if (threadIdx.x == 0) {
            while (usw_load_acquire(begun) == 0) {
            }
        }
        __syncthreads();
    }
#if !defined(USW_EMULATE) && __CUDA_ARCH__ >= 900
    if (blockIdx.x + 1 == gridDim.x) {
        asm volatile("griddepcontrol.wait;" : : : "memory");
    }
#endif
}

#ifdef USW_EMULATE
static inline bool usw_gpu_chains(const usw_gpu *)
{
    return false;
}
#else
/* Whether machine code for capability 9.0 was built; a device may also run code that was built for
 * another one, which does not wait. */
static constexpr bool usw_chains_built()
{
    for (int arch : {__CUDA_ARCH_LIST__}) {
        if (arch == 900) {
            return true;
        }
    }
    return false;
}
static inline bool usw_gpu_chains(const usw_gpu *g)
{
    int major = 0;
    return usw_chains_built() && !usw_gpu_plans(g) && !g->capturing && g->film == nullptr &&
           cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, g->device) ==
               cudaSuccess &&
           major == 9;
}
#endif

/* How many blocks of so many threads a device may run at once, at most. */
static inline unsigned usw_gpu_asking(const usw_gpu *g, unsigned threads)
{
    return g->sms * (2048 / threads);
}

/* usw_gpu_launch for a kernel that calls usw_chained, or beside: usw_chained_beside. The operation
 * before in the call's stream is a launch of another such kernel, or is not chained. */
template <typename... P, typename... A>
upsweep_status usw_gpu_launch_chained(usw_gpu *g, const char *name, bool beside,
                                      void (*kernel)(P...), dim3 blocks, dim3 threads,
                                      size_t shared, A... arguments)
{
    if ((blocks.x > USW_CHAIN_BLOCKS && !beside) || !usw_gpu_chains(g)) {
        return usw_gpu_launch(g, name, false, kernel, blocks, threads, shared, arguments...);
    }
#ifndef USW_EMULATE
    cudaLaunchAttribute chained = {};
    chained.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    chained.val.programmaticStreamSerializationAllowed = 1;
    const cudaLaunchConfig_t config = {blocks, threads, shared, g->stream, &chained, 1};
    cudaError_t error = cudaSuccess;
    if (shared > 32 * 1024) { /* as usw_gpu_launch does */
        error = usw_gpu_opt_in(g, reinterpret_cast<const void *>(kernel));
    }
    if (error == cudaSuccess) {
        error = cudaLaunchKernelEx(&config, kernel, static_cast<P>(arguments)...);
    }
    usw_gpu_check(g, error, name);
#endif
    return g->status;
}
#define USW_LAUNCH_CHAINED(g, kernel, blocks, threads, shared, ...)                                \
    usw_gpu_launch_chained(g, #kernel, false, kernel, blocks, threads, shared, __VA_ARGS__)
/* begun: that of usw_chained_beside. */
#define USW_LAUNCH_BESIDE(g, begun, kernel, blocks, threads, shared, ...)                          \
    usw_gpu_launch_chained(g, #kernel, (begun) != nullptr, kernel, blocks, threads, shared,        \
                           __VA_ARGS__)

#endif
