/* gpu.cuh - the plugin's side of a handle, scratch, launches, loads and stores between blocks, the
 * key map and faults, for every .cu file.
 *
 * A .cu file is CUDA C++17 behind the C boundary of plugin.h. So that it also runs on a machine
 * without a GPU, under the emulator of test/emulate, it launches by USW_LAUNCH only, declares
 * shared memory by USW_SHARED_ARRAY and USW_DYNAMIC_SHARED, spins by usw_load_acquire, and keeps
 * inline PTX behind `#ifndef USW_EMULATE` with a plain alternative. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_GPU_CUH
#define USW_GPU_GPU_CUH

#ifdef USW_EMULATE
#include "test/emulate/cuda_emulated.h"
#else
#include <cuda_runtime.h>
#define USW_SHARED(type, name) __shared__ type name
#define USW_SHARED_ARRAY(type, name, dims) __shared__ type name dims
#define USW_DYNAMIC_SHARED(type, name)                                                             \
    extern __shared__ __align__(128) unsigned char usw_dynamic_shared[];                           \
    type *name = reinterpret_cast<type *>(usw_dynamic_shared)
__device__ __forceinline__ void usw_yield()
{
}
#endif

#include <cstddef>
#include <cstdint>

extern "C" {
#include "core/plugin.h"
}

/* Defines a form or a step with C linkage: USW_GPU_FORM(usw_gpu_sort_form, usw_sort_radix_cuda) =
 * {...}; */
#define USW_GPU_FORM(type, name)                                                                   \
    extern "C" const type name;                                                                    \
    const type name

/* ---- the handle (gpu/plugin/handle.cu) ---- */

struct usw_gpu_block;            /* a piece of the arena */
enum { USW_GPU_OPTED_IN = 512 }; /* places, so many that a call's kernels seldom share one */

struct usw_gpu {
    int device;    /* -1: a plan, which launches nothing */
    bool planning; /* this call only adds up its scratch */
    cudaStream_t stream;
    unsigned sms;        /* multiprocessors; a plan counts as many as any device has */
    size_t shared_bytes; /* a block may have, opted in */
    size_t l2_bytes;
    unsigned long long *fault; /* device: 0, or a fault's code and place (usw_gpu_fault) */
    unsigned *barrier;         /* device: words for usw_grid_barrier, 0 between kernels */
    void *nodes;               /* device: USW_GPU_NODE_BYTES, 0 at first, kept from call to call */
    upsweep_status status;     /* the first failure of this call */
    const usw_gpu_said *sorted_by; /* the first choice of this call (gpu/sort_choice.cu), or NULL */
    char error[256];
    /* The other members are for the room gpu/plugin alone. */
    usw_gpu_block *blocks;
    size_t scratch_used, scratch_peak, scratch_held, scratch_limit;
    bool capturing; /* the stream is being captured, during this call */
    bool captured;  /* a graph may hold addresses of the scratch, so no block is given back */
    int device_before;
    cudaStream_t own_stream;
    cudaEvent_t moved_on;
    void *mailbox;    /* pinned: USW_GPU_MAILBOX bytes for scalars */
    unsigned fetches; /* copies under way into the mailbox, delivered by usw_gpu_wait */
    struct {
        void *host;
        size_t bytes;
    } fetched[USW_GPU_FETCHES];
    void *staging[2];
    cudaEvent_t staged[2];
    void (*move)(void *context, void *to, const void *from, size_t bytes);
    void *move_context;
    usw_gpu_film *film; /* of gpu/film/film.cu; NULL: no pictures are taken */
    void (*take)(usw_gpu *g, const char *kernel);
    mutable const void *opted_in[USW_GPU_OPTED_IN]; /* kernels, each at a place by its address */
};
enum { USW_GPU_MAILBOX = 4096 };
/* The word behind the barrier's two words, 0 between kernels as these are: how many blocks have
 * finished. */
enum { USW_GPU_FINISHED = 2 };
/* 16,384 nodes of 16 bytes (gpu/carry/tagged_value.cuh), and one more. */
enum { USW_GPU_NODE_BYTES = 16 * (16384 + 1) };

/* Whether launches are to be left out: forms need not ask, USW_LAUNCH does. */
static inline bool usw_gpu_plans(const usw_gpu *g)
{
    return g->device < 0 || g->planning;
}

/* Functions that gpu/plugin/handle.cu and gpu/plugin/scratch.cu share. */
void usw_gpu_make_current(usw_gpu *g); /* until usw_gpu_end */
bool usw_gpu_is_capturing(cudaStream_t stream);
void usw_gpu_scratch_begin(usw_gpu *g);
void usw_gpu_scratch_free(usw_gpu *g);
/* Lets a kernel's launches ask for all the shared memory that a block may have. */
cudaError_t usw_gpu_opt_in(const usw_gpu *g, const void *kernel);

/* The functions of usw_gpu_plugin (plugin.h) that concern the handle. A program that runs a form by
 * itself links the room gpu/plugin without plugin.cu and calls open, begin, the form, end, wait. */
unsigned usw_gpu_devices(char *text, size_t bytes);
bool usw_gpu_usable(int device, char *why,
                    size_t bytes); /* `why` gets the device's name, or why it cannot be used */
upsweep_status usw_gpu_open(usw_gpu **g, int device, size_t scratch_limit, char *error,
                            size_t error_bytes);
void usw_gpu_close(usw_gpu *g);
void usw_gpu_set_stream(usw_gpu *g, void *stream);
void usw_gpu_begin(usw_gpu *g, bool planning);
void usw_gpu_end(usw_gpu *g);
upsweep_status usw_gpu_reserve(usw_gpu *g, size_t bytes);
void usw_gpu_trim(usw_gpu *g);
upsweep_status usw_gpu_wait(usw_gpu *g, usw_gpu_fault_found *fault);
upsweep_status usw_gpu_keep(usw_gpu *g, size_t bytes, void **at);
void usw_gpu_drop(int device, void *at);
usw_gpu_place usw_gpu_place_of(const usw_gpu *g,
                               const void *pointer); /* from here gpu/plugin/host_copies.cu */
void usw_gpu_set_move(usw_gpu *g, void (*move)(void *, void *, const void *, size_t),
                      void *context);
upsweep_status usw_gpu_fetch(usw_gpu *g, void *host, const void *device, size_t bytes);
void usw_gpu_fetched(usw_gpu *g, bool deliver); /* the stream has been waited for */
upsweep_status usw_gpu_upload(usw_gpu *g, void *device, const void *host,
                              size_t bytes); /* gpu/plugin/host_copies.cu */
upsweep_status usw_gpu_download(usw_gpu *g, void *host, const void *device, size_t bytes);

/* Scratch on the device, aligned to 256 bytes, with undefined contents, until the call ends; NULL,
 * after usw_gpu_fail, where there is no memory. A form takes all its scratch before its first
 * launch. */
void *usw_gpu_scratch(usw_gpu *g, size_t bytes);
/* Notes the first failure of a call and its text; returns status. */
upsweep_status usw_gpu_fail(usw_gpu *g, upsweep_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The CUDA error of the call just made, if any, becomes g's failure. */
upsweep_status usw_gpu_check(usw_gpu *g, cudaError_t error, const char *what);
/* Stream-ordered fill and copy; nothing in a plan. */
upsweep_status usw_gpu_fill(usw_gpu *g, void *to, int byte, size_t bytes);
upsweep_status usw_gpu_copy(usw_gpu *g, void *to, const void *from, size_t bytes);

/* After a kernel was queued: a film takes its picture. */
static inline upsweep_status usw_gpu_launched(usw_gpu *g, upsweep_status status, const char *name)
{
    if (g->film != nullptr && status == UPSWEEP_OK) {
        g->take(g, name);
    }
    return status;
}

/* USW_LAUNCH(g, (kernel<K, 4>), blocks, threads, shared_bytes, arguments...): queues a kernel on
 * g's stream, raises its limit of dynamic shared memory where it needs more than 48 KB, and notes a
 * failure in g->status. The status is returned. */
template <typename... P, typename... A>
upsweep_status usw_gpu_launch(usw_gpu *g, const char *name, bool cooperative, void (*kernel)(P...),
                              dim3 blocks, dim3 threads, size_t shared, A... arguments)
{
    if (usw_gpu_plans(g)) {
        return UPSWEEP_OK;
    }
#ifdef USW_EMULATE
    emulated_count(reinterpret_cast<emulated_function>(kernel));
    emulated_launch(
        blocks, threads, shared, g->stream, [=] { kernel(static_cast<P>(arguments)...); }, name,
        cooperative);
    return usw_gpu_launched(g, usw_gpu_check(g, cudaGetLastError(), name), name);
#else
    if (shared >
        32 * 1024) { /* together with the kernel's static shared memory it may be more than 48 KB */
        cudaError_t e = usw_gpu_opt_in(g, reinterpret_cast<const void *>(kernel));
        if (e != cudaSuccess) {
            return usw_gpu_check(g, e, name);
        }
    }
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeCooperative;
    attribute[0].val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.dynamicSmemBytes = shared;
    config.stream = g->stream;
    config.attrs = attribute;
    config.numAttrs = cooperative ? 1 : 0;
    cudaError_t error = cudaLaunchKernelEx(&config, kernel, static_cast<P>(arguments)...);
    return usw_gpu_launched(g, usw_gpu_check(g, error, name), name);
#endif
}
/* How many blocks of a kernel with `shared` bytes of dynamic shared memory run at once. */
template <typename... P>
unsigned usw_gpu_blocks_at_once(const usw_gpu *g, void (*kernel)(P...), unsigned threads,
                                size_t shared)
{
    int each = 0;
#ifndef USW_EMULATE
    if (usw_gpu_opt_in(g, reinterpret_cast<const void *>(kernel)) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
#endif
    const bool known = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                           &each, kernel, static_cast<int>(threads), shared) == cudaSuccess;
    return known ? static_cast<unsigned>(each) * g->sms : 0;
}
#define USW_LAUNCH(g, kernel, blocks, threads, shared, ...)                                        \
    usw_gpu_launch(g, #kernel, false, kernel, blocks, threads, shared, __VA_ARGS__)
#define USW_LAUNCH_COOPERATIVE(g, kernel, blocks, threads, shared, ...)                            \
    usw_gpu_launch(g, #kernel, true, kernel, blocks, threads, shared, __VA_ARGS__)

/* ---- memory that blocks exchange ---- */

/* usw_load_relaxed(p), usw_load_acquire(p), usw_store_relaxed(p, v), usw_store_release(p, v) of 32-
 * or 64-bit unsigned integers. A loop that waits calls usw_yield() between tries: so the emulator
 * knows that it waits, and gives the turn to others. */
#ifdef USW_EMULATE
#define USW_LOAD(order)                                                                            \
    template <typename T> __device__ __forceinline__ T usw_load_##order(const T *p)                \
    {                                                                                              \
        emulated_touch();                                                                          \
        return *static_cast<const volatile T *>(p);                                                \
    }
#define USW_STORE(order)                                                                           \
    template <typename T> __device__ __forceinline__ void usw_store_##order(T *p, T v)             \
    {                                                                                              \
        *static_cast<volatile T *>(p) = v;                                                         \
    }
#else
#define USW_LOAD(order)                                                                            \
    template <typename T> __device__ __forceinline__ T usw_load_##order(const T *p)                \
    {                                                                                              \
        T v;                                                                                       \
        if constexpr (sizeof(T) == 4) {                                                            \
            asm volatile("ld." #order ".gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");  \
        } else {                                                                                   \
            asm volatile("ld." #order ".gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");  \
        }                                                                                          \
        return v;                                                                                  \
    }
#define USW_STORE(order)                                                                           \
    template <typename T> __device__ __forceinline__ void usw_store_##order(T *p, T v)             \
    {                                                                                              \
        if constexpr (sizeof(T) == 4) {                                                            \
            asm volatile("st." #order ".gpu.global.u32 [%0], %1;" : : "l"(p), "r"(v) : "memory");  \
        } else {                                                                                   \
            asm volatile("st." #order ".gpu.global.u64 [%0], %1;" : : "l"(p), "l"(v) : "memory");  \
        }                                                                                          \
    }
#endif
USW_LOAD(relaxed)
USW_LOAD(acquire)
USW_STORE(relaxed)
USW_STORE(release)
#undef USW_LOAD
#undef USW_STORE

/* A bit for each of 4 bytes that is not 0. */
__device__ __forceinline__ unsigned usw_bytes_set(uint32_t bytes)
{
    bytes = ((bytes & 0x7f7f7f7f) + 0x7f7f7f7f) | bytes;
    return (((bytes >> 7) & 0x01010101) * 0x10204080u) >> 28;
}

/* A barrier for all blocks of a cooperative launch, at g->barrier. round: how many barriers of the
 * launch this is, from 1; end: it is the last one, after which the words become 0 again. All
 * threads call. What any block wrote before it is seen by all blocks after it. */
__device__ __forceinline__ void usw_grid_barrier(unsigned *barrier, unsigned round, bool end)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        /* Step grid_barrier/arrive of proofs/models. */
        __threadfence();
        atomicAdd(&barrier[0], 1u);
        /* Step grid_barrier/wait of proofs/models. */
        while (usw_load_acquire(&barrier[0]) < round * gridDim.x) {
            usw_yield();
        }
        /* Step grid_barrier/clear of proofs/models. */
        if (end && atomicAdd(&barrier[1], 1u) == gridDim.x - 1) {
            barrier[0] = 0;
            barrier[1] = 0;
        }
    }
    __syncthreads();
}

/* ---- keys ---- */

/* The unsigned integer of 1 << width bytes. */
template <unsigned width> struct usw_key_of;
template <> struct usw_key_of<0> {
    using type = uint8_t;
};
template <> struct usw_key_of<1> {
    using type = uint16_t;
};
template <> struct usw_key_of<2> {
    using type = uint32_t;
};
template <> struct usw_key_of<3> {
    using type = uint64_t;
};

/* core/keymap.h's map for keys of type K, to be passed to kernels by value. */
template <typename K> struct usw_gpu_keymap {
    K neg, pos, add;
    __device__ __forceinline__ K map(K raw) const
    {
        const unsigned top = sizeof(K) * 8 - 1;
        K below = static_cast<K>(K(0) - static_cast<K>(raw >> top));
        return static_cast<K>(static_cast<K>((raw ^ (below & neg)) ^ pos) + add);
    }
    __device__ __forceinline__ K unmap(K key) const
    {
        const unsigned top = sizeof(K) * 8 - 1;
        K y = static_cast<K>(static_cast<K>(key - add) ^ pos);
        K below = static_cast<K>(K(0) - static_cast<K>(y >> top));
        return static_cast<K>(y ^ (below & neg));
    }
    /* Whether it changes no key. */
    __host__ __device__ __forceinline__ bool identity() const
    {
        return neg == 0 && pos == 0 && add == 0;
    }
    /* Maps all of them; where nothing changes, by no instruction. */
    template <size_t N> __device__ __forceinline__ void map_all(K (&keys)[N]) const
    {
        if (!identity()) {
#pragma unroll
            for (size_t i = 0; i < N; i++) {
                keys[i] = map(keys[i]);
            }
        }
    }
    /* Calls f(back), where back(key) is unmap(key). f is compiled once more for the map that
     * changes nothing, so that its keys cost no instruction. */
    template <typename F> __device__ __forceinline__ void unmapping(F f) const
    {
        if (identity()) {
            f([](K key) { return key; });
        } else {
            f([this](K key) { return unmap(key); });
        }
    }
};
template <typename K> static inline usw_gpu_keymap<K> usw_gpu_keymap_of(const usw_keymap &m)
{
    return {static_cast<K>(m.neg), static_cast<K>(m.pos), static_cast<K>(m.add)};
}

/* The same pointer, which points to global memory. The compiler must be told where it was read from
 * memory: a store through it might go to shared memory, too, and loads of that would not be moved
 * before it. */
template <typename T> __device__ __forceinline__ T *usw_global(T *p)
{
#ifndef USW_EMULATE
    __builtin_assume(__isGlobal(p));
#endif
    return p;
}

/* Calls f(K()) with the key type of that width, and returns what it returns. */
template <typename F> static inline auto usw_gpu_by_width(unsigned width, F f)
{
    switch (width) {
    case 0: return f(uint8_t());
    case 1: return f(uint16_t());
    case 2: return f(uint32_t());
    default: return f(uint64_t());
    }
}

/* ---- faults: errors that only the device can see ---- */

/* Notes a fault (USW_FAULT_... of core/plugin.h). Of several faults the one of the greatest code
 * counts, and of these the one at the least position. */
__device__ __forceinline__ void usw_gpu_fault(unsigned long long *fault, unsigned code,
                                              unsigned long long position)
{
    atomicMax(fault,
              (static_cast<unsigned long long>(code) << 56) | ((~position) & ((1ull << 56) - 1)));
}

#endif
