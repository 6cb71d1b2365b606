/* bulk_copy.cuh - copies tiles between global and shared memory by the device's copy engine, and
 * has the barriers, gates, that say when a tile has come.
 *
 * From sm_90 on one thread asks for a whole tile (cp.async.bulk) and a barrier in shared memory
 * says when it has come; no register and no issue slot is spent on it. The copies want addresses
 * and sizes in multiples of 16 bytes. Elsewhere, and for other addresses, threads copy. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BLOCK_BULK_COPY_CUH
#define USW_GPU_BLOCK_BULK_COPY_CUH

#include "gpu/gpu.cuh"

#if !defined(USW_EMULATE) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define USW_BULK 1
#else
#define USW_BULK 0
#endif
#ifdef USW_EMULATE
#define USW_GATES 1
#else
#define USW_GATES USW_BULK
#endif

/* Whether the copy engine can be used for an array. */
static inline bool usw_bulk_takes(const void *p)
{
    return reinterpret_cast<uintptr_t>(p) % 16 == 0;
}

#if USW_BULK
__device__ __forceinline__ uint32_t usw_bulk_at(const void *shared)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(shared));
}
#endif

/* One thread makes the barrier, for one arrival, before any other thread can wait for it. */
__device__ __forceinline__ void usw_bulk_open(uint64_t *barrier)
{
#if USW_BULK
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"(usw_bulk_at(barrier)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
#else
    (void)barrier;
#endif
}

/* One thread announces that `bytes` will come, by one or more calls of usw_bulk_get. */
__device__ __forceinline__ void usw_bulk_expect(uint64_t *barrier, uint32_t bytes)
{
#if USW_BULK
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"(usw_bulk_at(barrier)), "r"(bytes)
                 : "memory");
#else
    (void)barrier;
    (void)bytes;
#endif
}

__device__ __forceinline__ void usw_bulk_get(void *to, const void *from, uint32_t bytes,
                                             uint64_t *barrier)
{
#if USW_BULK
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1], %2, [%3];"
                 :
                 : "r"(usw_bulk_at(to)), "l"(from), "r"(bytes), "r"(usw_bulk_at(barrier))
                 : "memory");
#else
    (void)to;
    (void)from;
    (void)bytes;
    (void)barrier;
#endif
}

/* Waits for the barrier's phase: 0, 1, 0, 1 .. in turn. All threads that read the tile call. */
__device__ __forceinline__ void usw_bulk_wait(uint64_t *barrier, uint32_t phase)
{
#if USW_BULK
    uint32_t done = 0;
    while (done == 0) {
        asm volatile("{\n"
                     ".reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p;\n"
                     "}"
                     : "=r"(done)
                     : "r"(usw_bulk_at(barrier)), "r"(phase)
                     : "memory");
    }
#else
    (void)barrier;
    (void)phase;
#endif
}

/* Each thread that wrote shared memory calls it, before the barrier after which one thread calls
 * usw_bulk_put. */
__device__ __forceinline__ void usw_bulk_written()
{
#if USW_BULK
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
#endif
}

__device__ __forceinline__ void usw_bulk_put(void *to, const void *from, uint32_t bytes)
{
#if USW_BULK
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
                 "cp.async.bulk.commit_group;"
                 :
                 : "l"(to), "r"(usw_bulk_at(from)), "r"(bytes)
                 : "memory");
#else
    (void)to;
    (void)from;
    (void)bytes;
#endif
}

/* Waits until the copies that this thread put have been read from shared memory, which may then be
 * written again. */
__device__ __forceinline__ void usw_bulk_put_done()
{
#if USW_BULK
    asm volatile("cp.async.bulk.wait_group.read 0;" : : : "memory");
#endif
}

/* ---- gates: barriers in shared memory, also under the emulator ---- */

/* A gate opens again and again, each time when `count` arrivals and the bytes announced are there.
 * A thread that waits for opening number k, from 0 on, gives phase k % 2. */
#ifdef USW_EMULATE
struct usw_gate {
    uint32_t count, left, opened;
};
#else
typedef uint64_t usw_gate;
#endif

/* One thread makes a gate; usw_gates_ready() and a barrier must follow before others use it. */
__device__ __forceinline__ void usw_gate_make(usw_gate *gate, uint32_t count)
{
#ifdef USW_EMULATE
    *gate = {count, count, 0};
#elif USW_BULK
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
                 :
                 : "r"(usw_bulk_at(gate)), "r"(count)
                 : "memory");
#endif
}
__device__ __forceinline__ void usw_gates_ready()
{
#if USW_BULK
    asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
#endif
}

/* One thread arrives. Threads that pass the gate see what it wrote before. */
__device__ __forceinline__ void usw_gate_arrive(usw_gate *gate)
{
#ifdef USW_EMULATE
    if (--gate->left == 0) {
        gate->left = gate->count;
        gate->opened++;
    }
#elif USW_BULK
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(usw_bulk_at(gate)) : "memory");
#endif
}
enum : uint32_t { USW_GATE_WARP = 32 }; /* how often a warp arrives */
/* A warp arrives, each lane for its own writes. One lane for all, behind __syncwarp, would be
 * enough; it is no faster, and racecheck does not follow it. */
__device__ __forceinline__ void usw_gate_arrive_warp(usw_gate *gate)
{
    usw_gate_arrive(gate);
}

__device__ __forceinline__ void usw_gate_wait(usw_gate *gate, uint32_t phase)
{
#ifdef USW_EMULATE
    while (gate->opened % 2 == phase) {
        usw_yield();
    }
#elif USW_BULK
    usw_bulk_wait(gate, phase);
#endif
}

/* A warp arrives, announces one copy or two, and starts them. */
__device__ __forceinline__ void usw_gate_get(usw_gate *gate, void *to, const void *from,
                                             uint32_t bytes, void *to2 = nullptr,
                                             const void *from2 = nullptr, uint32_t bytes2 = 0)
{
    if (threadIdx.x % 32 != 0) {
        usw_gate_arrive(gate);
        return;
    }
#ifdef USW_EMULATE
    memcpy(to, from, bytes);
    if (bytes2 != 0) {
        memcpy(to2, from2, bytes2);
    }
    usw_gate_arrive(gate);
#else
    usw_bulk_expect(gate, bytes + bytes2);
    usw_bulk_get(to, from, bytes, gate);
    if (bytes2 != 0) {
        usw_bulk_get(to2, from2, bytes2, gate);
    }
#endif
}

/* One thread copies shared memory out; when the call returns, that memory may be used again. */
__device__ __forceinline__ void usw_gate_put(void *to, const void *from, uint32_t bytes)
{
#ifdef USW_EMULATE
    memcpy(to, from, bytes);
#else
    usw_bulk_put(to, from, bytes);
    usw_bulk_put_done();
#endif
}

/* Whether the machine code of the kernel that the device will run has gates. */
template <typename... P> static inline bool usw_gate_works(void (*kernel)(P...))
{
#ifdef USW_EMULATE
    (void)kernel;
    return true;
#else
    cudaFuncAttributes a = {};
    return cudaFuncGetAttributes(&a, kernel) == cudaSuccess && a.ptxVersion >= 90;
#endif
}

#endif
