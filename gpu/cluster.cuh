/* cluster.cuh - clusters: several blocks of a launch, on neighbouring multiprocessors, that read
 * and write one another's shared memory and have a barrier of their own.
 *
 * What one block would do alone on one multiprocessor, while all others are idle, takes a cluster a
 * part of the time. Clusters are for devices of compute capability 9.0; where usw_gpu_clusters says
 * no, the caller has a kernel of one block. Source: CUDA C++ programming guide, thread block
 * clusters. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_CLUSTER_CUH
#define USW_GPU_CLUSTER_CUH

#include "gpu/launch_chain.cuh"

/* The blocks of a cluster of `ranks`, told apart by their ranks; with 1 a block for itself. */
template <unsigned ranks> struct usw_cluster {
    __device__ __forceinline__ static unsigned rank()
    {
        return ranks == 1 ? 0 : blockIdx.x % ranks;
    }
    /* All threads of all its blocks call. What any of them wrote to shared memory before it, they
     * all see after it. A block that others still read or write calls it before it ends. */
    __device__ __forceinline__ static void barrier()
    {
        arrive();
        wait();
    }
    /* The two halves of it. No block touches another's memory before the first one. */
    __device__ __forceinline__ static void arrive()
    {
#if !defined(USW_EMULATE) && __CUDA_ARCH__ >= 900
        if constexpr (ranks > 1) {
            asm volatile("barrier.cluster.arrive.aligned;" : : : "memory");
        }
#endif
    }
    __device__ __forceinline__ static void wait()
    {
        if constexpr (ranks == 1) {
            __syncthreads();
        } else {
#ifdef USW_EMULATE
            emulated_cluster_barrier();
#elif __CUDA_ARCH__ >= 900
            asm volatile("barrier.cluster.wait.aligned;" : : : "memory");
#endif
        }
    }
    /* What *own is to this block, an object in its shared memory, it is to the block `of`. */
    template <typename T> __device__ __forceinline__ static T *at(T *own, unsigned of)
    {
        if constexpr (ranks == 1) {
            return own;
        } else {
#ifdef USW_EMULATE
            return static_cast<T *>(emulated_cluster_shared(own, of));
#elif __CUDA_ARCH__ >= 900
            T *its;
            asm("mapa.u64 %0, %1, %2;" : "=l"(its) : "l"(own), "r"(of));
            return its;
#else
            return own;
#endif
        }
    }
    /* Each block brings a value, the same in all its threads, and after the barrier has those of
     * all in words[0 .. ranks - 1], in its shared memory, which are used once. All threads call. */
    template <typename T> __device__ __forceinline__ static void share(T value, T *words)
    {
        if (threadIdx.x < ranks) {
            *at(&words[rank()], threadIdx.x) = value;
        }
        barrier();
    }
};

/* Whether this device has clusters, of up to 8 blocks; the emulator's has, if it is asked by
 * UPSWEEP_EMULATE_CLUSTERS, since they take its time. */
static inline bool usw_gpu_clusters(const usw_gpu *g)
{
#ifdef USW_EMULATE
    (void)g;
    return emulated_setting("UPSWEEP_EMULATE_CLUSTERS", 0) != 0;
#else
    int major = 0;
    return usw_chains_built() && !usw_gpu_plans(g) &&
           cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, g->device) ==
               cudaSuccess &&
           major == 9;
#endif
}

/* Queues a kernel as usw_gpu_launch does, its blocks in clusters of `ranks`, or each for itself
 * where that is 1; chained to the launch before if that is set (launch_chain.cuh). */
template <typename... P, typename... A>
upsweep_status usw_gpu_launch_cluster(usw_gpu *g, const char *name, unsigned ranks, bool chained,
                                      void (*kernel)(P...), dim3 blocks, dim3 threads,
                                      size_t shared, A... arguments)
{
    if (usw_gpu_plans(g)) {
        return UPSWEEP_OK;
    }
#ifdef USW_EMULATE
    (void)chained;
    emulated_count(reinterpret_cast<emulated_function>(kernel));
    emulated_launch(
        blocks, threads, shared, g->stream, [=] { kernel(static_cast<P>(arguments)...); }, name,
        false, ranks);
    return usw_gpu_launched(g, usw_gpu_check(g, cudaGetLastError(), name), name);
#else
    cudaError_t error = usw_gpu_opt_in(g, reinterpret_cast<const void *>(kernel));
    cudaLaunchAttribute attributes[2] = {};
    unsigned number = 0;
    if (ranks > 1) {
        attributes[number].id = cudaLaunchAttributeClusterDimension;
        attributes[number++].val.clusterDim = {ranks, 1, 1};
    }
    if (chained && usw_gpu_chains(g)) {
        attributes[number].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attributes[number++].val.programmaticStreamSerializationAllowed = 1;
    }
    const cudaLaunchConfig_t config = {blocks, threads, shared, g->stream, attributes, number};
    if (error == cudaSuccess) {
        error = cudaLaunchKernelEx(&config, kernel, static_cast<P>(arguments)...);
    }
    return usw_gpu_launched(g, usw_gpu_check(g, error, name), name);
#endif
}
#define USW_LAUNCH_CLUSTER(g, ranks, chained, kernel, blocks, threads, shared, ...)                \
    usw_gpu_launch_cluster(g, #kernel, ranks, chained, kernel, blocks, threads, shared, __VA_ARGS__)

#endif
