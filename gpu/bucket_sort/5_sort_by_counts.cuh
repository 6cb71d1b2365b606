/* 5_sort_by_counts.cuh - step 5 of the bucket sort where 16 bits of a key are undecided and buckets
 * are large: each bucket is sorted by how often it has each value.
 *
 * A block takes bucket after bucket. Counters of 4 bits, eight to a word, count its keys' values. A
 * scan of the words gives where the keys of each begin, and the thread that has scanned a word
 * writes its values, as often as they were counted, to shared memory, from where they are written
 * in whole lines. No key is kept or ranked: one random addition a key, and about as many random
 * stores of halves. A bucket in which some value comes too often is left to
 * gpu/bucket_sort/5_sort.cuh; an overflow shows, since the counters' sum is then less than the
 * keys. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_5_SORT_BY_COUNTS_CUH
#define USW_GPU_BUCKET_SORT_5_SORT_BY_COUNTS_CUH

#include "gpu/bucket_sort/job.cuh"
#include "gpu/bucket_sort/5_sort.cuh"

struct hybrid_values_args {
    uint32_t *keys;
    const unsigned long long *ends; /* of the buckets */
    usw_gpu_keymap<uint32_t> map;
    hybrid_plan *plan;
    unsigned bits;  /* 1 << bits buckets */
    unsigned *left; /* the plan->left buckets that are left to another sort */
};

/* Whether buckets are sorted by the counts of their values. */
__device__ __forceinline__ bool hybrid_by_values(const hybrid_plan *p)
{
    return p->buckets && !p->crowded && p->shift + p->group == 16;
}

enum { HYBRID_VALUES_WORDS = 8192, HYBRID_VALUES_ALIKE = 8 };

/* Shared memory: sums, the counters, halves of keys. */
constexpr size_t hybrid_values_shared(int threads, int keys)
{
    return 256 + HYBRID_VALUES_WORDS * 4 + size_t(threads) * keys * 2;
}

/* The keys that a word counts. */
__device__ __forceinline__ unsigned hybrid_values_keys(unsigned word)
{
    unsigned two = (word & 0x0f0f0f0f) + (word >> 4 & 0x0f0f0f0f);
    return two * 0x01010101u >> 24;
}

/* A block of NT threads, for buckets of NT * I - 32 keys or fewer, U loaded a thread at a time. */
template <int NT, int I, int U> struct hybrid_values_block {
    static constexpr int vectors = HYBRID_VALUES_WORDS / NT / 4;
    static constexpr unsigned capacity = NT * I - 32;
    const hybrid_values_args &a;
    unsigned *sums, *bins;
    uint16_t *tile;

    __device__ __forceinline__ hybrid_values_block(const hybrid_values_args &args,
                                                   unsigned char *buffer)
        : a(args), sums(reinterpret_cast<unsigned *>(buffer)), bins(sums + 64),
          tile(reinterpret_cast<uint16_t *>(bins + HYBRID_VALUES_WORDS))
    {
    }
    __device__ __forceinline__ void clear()
    {
#pragma unroll
        for (int w = 0; w < vectors; w++) {
            reinterpret_cast<uint4 *>(bins)[threadIdx.x + w * NT] = make_uint4(0, 0, 0, 0);
        }
    }
    /* Counts m keys. Warps read whole lines: positions own + i * NT, which begin up to 31 keys
     * early. Returns false, to some warp, if many keys are the same. */
    __device__ __forceinline__ bool count(const uint32_t *from, unsigned own, unsigned m)
    {
        unsigned most = ~0u;
        bool fine = true;
#pragma unroll
        for (int i0 = 0; i0 < I; i0 += U) {
            unsigned k[U];
#pragma unroll
            for (int i = 0; i < U; i++) {
                const unsigned p = own + (i0 + i) * NT;
                k[i] = p < m ? from[static_cast<int>(p)] & 0xffff : 0x10000 + threadIdx.x;
            }
            if (i0 == 0) {
                fine = hybrid_crowd(k[0], most) < HYBRID_VALUES_ALIKE;
            }
            if (fine) {
#pragma unroll
                for (int i = 0; i < U; i++) {
                    /* No branch: a place without a key adds 0. */
                    const unsigned by = k[i] < 0x10000 ? 1u : 0u;
                    atomicAdd(hybrid_byte<unsigned>(bins, k[i] >> 1 & 0x7ffc),
                              __funnelshift_l(0u, by, k[i] * 4));
                }
            }
        }
        return fine;
    }
    /* Writes the values that a word counts, from tile[at] on. */
    __device__ __forceinline__ void write(unsigned word, unsigned first, unsigned at)
    {
        while (word != 0) {
            const unsigned bit = static_cast<unsigned>(__ffs(static_cast<int>(word))) - 1;
            tile[at++] = static_cast<uint16_t>(first + bit / 4);
            word -= 1u << (bit & 28);
        }
    }
    /* Writes all values in order to tile. Returns false if they are not m: a counter overflowed. */
    __device__ __forceinline__ bool write_all(unsigned m)
    {
        const uint4 *v = reinterpret_cast<const uint4 *>(bins) + threadIdx.x;
        unsigned keys[vectors], begin[vectors];
#pragma unroll
        for (int w = 0; w < vectors; w++) {
            const uint4 c = v[w * NT];
            keys[w] = hybrid_values_keys(c.x) + hybrid_values_keys(c.y) + hybrid_values_keys(c.z) +
                      hybrid_values_keys(c.w);
        }
        if (hybrid_scan_counts<NT>(keys, begin, sums) != m) {
            return false;
        }
#pragma unroll
        for (int w = 0; w < vectors; w++) {
            const uint4 c = v[w * NT];
            const unsigned first = (threadIdx.x + w * NT) * 32;
            unsigned at = begin[w];
            write(c.x, first, at);
            write(c.y, first + 8, at += hybrid_values_keys(c.x));
            write(c.z, first + 16, at += hybrid_values_keys(c.y));
            write(c.w, first + 24, at + hybrid_values_keys(c.z));
        }
        return true;
    }
    /* Sorts a bucket. Returns false if it is left as it was. high: the bits above the last 16. */
    __device__ __forceinline__ bool sort(unsigned bucket, unsigned high)
    {
        const unsigned group = a.plan->group;
        const size_t last = ((bucket + size_t(1)) << group) - 1, before = size_t(1) << group;
        const unsigned long long begin = bucket > 0 ? a.ends[last - before] : 0;
        const unsigned long long size = a.ends[last] - begin;
        const unsigned m = size <= capacity ? static_cast<unsigned>(size) : 0;
        const unsigned own = threadIdx.x - static_cast<unsigned>(begin) % 32;
        uint32_t *keys = a.keys + begin;
        const bool done = __syncthreads_and(count(keys, own, m)) && write_all(m);
        __syncthreads();
        clear();
        if (done) {
            a.map.unmapping([&](auto back) {
#pragma unroll
                for (int i = 0; i < I; i++) {
                    if (own + i * NT < m) {
                        const int p = static_cast<int>(own) + i * NT;
                        keys[p] = back(high | tile[p]);
                    }
                }
            });
        }
        __syncthreads();
        return done;
    }
    __device__ __forceinline__ void leave(unsigned bucket)
    {
        a.left[atomicAdd(&a.plan->left, 1u)] = bucket;
    }
    /* Sorts every gridDim.x-th bucket. A block that refuses two in a row leaves the others, too. */
    __device__ __forceinline__ void sort_all()
    {
        const unsigned buckets = 1u << a.bits;
        unsigned refused = 0, i = blockIdx.x;
        clear();
        __syncthreads();
#pragma unroll 1
        for (; i < buckets && refused < 2; i += gridDim.x) {
            const bool done = sort(i, static_cast<unsigned>(hybrid_bucket_least(a.plan, i)));
            refused = done ? 0 : refused + 1;
            if (!done && threadIdx.x == 0) {
                leave(i);
            }
        }
        for (i += threadIdx.x * gridDim.x; i < buckets; i += NT * gridDim.x) {
            leave(i);
        }
    }
};

/* MB blocks run on a multiprocessor. */
template <int NT, int I, int U, int MB>
__global__ __launch_bounds__(NT, MB) void hybrid_values(hybrid_values_args a)
{
    USW_DYNAMIC_SHARED(unsigned char, buffer);
    usw_chained();
    if (!hybrid_by_values(a.plan)) {
        return;
    }
    hybrid_values_block<NT, I, U> b(a, buffer);
    b.sort_all();
}

/* Sorts what hybrid_values has left, or all buckets if it did nothing, as hybrid_local does. A
 * block takes many buckets, so that a launch that finds nothing to do is short. */
template <int NT, int I, int B, int R, int MB>
__global__ __launch_bounds__(NT, MB) void hybrid_local_left(hybrid_local_args<uint32_t> a,
                                                            const unsigned *left, unsigned buckets)
{
    USW_DYNAMIC_SHARED(unsigned char, buffer);
    usw_chained();
    if (!a.plan->buckets) {
        return;
    }
    const bool some = hybrid_by_values(a.plan);
    const unsigned many = some ? a.plan->left : buckets;
    for (unsigned i = blockIdx.x; i < many; i += gridDim.x) {
        hybrid_sort_one<uint32_t, NT, I, B, R>(a, a.bucket(some ? left[i] : i, 0, 0), buffer);
        __syncthreads();
    }
}

/* ---- the launches ---- */

/* Tuning, for buckets that have a quarter of a key or less for each of 2^16 values; local: the
 * shape in which the buckets that are left are sorted. */
struct hybrid_values_shape {
    static constexpr int threads = 512, keys = 34, batch = 17, blocks = 3;
};

template <typename local, int rounds, int blocks>
static void hybrid_sort_by_values(usw_gpu *g, const hybrid_job<uint32_t> &j,
                                  const hybrid_local_args<uint32_t> &a)
{
    using shape = hybrid_values_shape;
    static_assert(shape::threads * shape::keys - 32 >= local::capacity, "the same buckets");
    /* The counts of buckets have been used: their memory is free for the list. */
    hybrid_values_args v = {j.keys, j.ends, j.map, j.plan, j.bits, j.handed};
    USW_LAUNCH_CHAINED(g, (hybrid_values<shape::threads, shape::keys, shape::batch, shape::blocks>),
                       g->sms * shape::blocks, shape::threads,
                       hybrid_values_shared(shape::threads, shape::keys), v);
    USW_LAUNCH_CHAINED(
        g, (hybrid_local_left<local::threads, local::keys, local::bits, rounds, blocks>),
        g->sms * blocks, local::threads,
        hybrid_local_shared<uint32_t>(local::threads, local::keys, local::bits), a, j.handed,
        1u << j.bits);
}

#endif
