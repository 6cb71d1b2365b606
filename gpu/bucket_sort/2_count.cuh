/* 2_count.cuh - step 2 of the bucket sort: a histogram of the leading bits, by counters of 16 bits
 * in shared memory, and whether there is anything to sort at all. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_2_COUNT_CUH
#define USW_GPU_BUCKET_SORT_2_COUNT_CUH

#include "gpu/block/counters_16bit.cuh"
#include "gpu/bucket_sort/plan.cuh"
#include "gpu/launch_chain.cuh"

template <typename K> struct hybrid_vector {
    static constexpr int keys = 16 / sizeof(K);
    union {
        uint4 v;
        K k[keys];
    };
};

/* Gives four times a digit of a key: the byte offset of its counter. */
struct hybrid_digit {
    unsigned mask4, turn;
    bool high;
    __device__ __forceinline__ hybrid_digit(unsigned shift, unsigned digits, unsigned key_bits)
        : mask4((digits - 1) * 4), turn((shift + key_bits - 2) % key_bits % 32),
          high((shift + key_bits - 2) % key_bits >= 32)
    {
    }
    __device__ __forceinline__ unsigned operator()(uint32_t k) const
    {
        return __funnelshift_r(k, k, turn) & mask4;
    }
    __device__ __forceinline__ unsigned operator()(uint64_t k) const
    {
        unsigned lo = static_cast<unsigned>(k), hi = static_cast<unsigned>(k >> 32);
        return __funnelshift_r(high ? hi : lo, high ? lo : hi, turn) & mask4;
    }
};

/* Place r in the slots of a digit, which are C keys each. digit4: four times the digit, so that
 * this is one multiplication in bytes. */
template <typename K>
__device__ __forceinline__ K *hybrid_slot(K *slots, unsigned digit4, unsigned C, unsigned r)
{
    static_assert(sizeof(K) == 4, "keys of four bytes");
    return hybrid_byte<K>(slots, digit4 * C + r * 4);
}

/* Counter d is a half of a word of bins. A counter that has reached 2^15 is reduced by that, and
 * handed[d] counts how often: the first thread that sees it does so. */
static __device__ __noinline__ void hybrid_hand_on(unsigned *bins, unsigned *handed, unsigned d)
{
    unsigned top = 0x8000u << (d & 1) * 16, was = atomicAdd(&bins[d >> 1], 0);
    while ((was & top) != 0) {
        unsigned now = atomicCAS(&bins[d >> 1], was, was - top);
        if (now == was) {
            atomicAdd(&handed[d], 1u);
            return;
        }
        was = now;
    }
}

__device__ __forceinline__ void hybrid_add(unsigned *bins, unsigned *handed, unsigned d, unsigned c)
{
    unsigned old = atomicAdd(&bins[d >> 1], c << (d & 1) * 16) >> (d & 1) * 16;
    if (((old ^ (old + c)) & 0x8000) != 0) {
        hybrid_hand_on(bins, handed, d);
    }
}

/* How many lanes have the most frequent digit of a warp, which becomes `most`. An estimate: the
 * digit `most` so far and that of lane 16 are tried. It matters because atomic additions to one
 * counter are served one by one. */
__device__ __forceinline__ int hybrid_crowd(unsigned digit, unsigned &most)
{
    const unsigned other = __shfl_sync(~0u, digit, 16);
    const int alike = __popc(__ballot_sync(~0u, digit == most));
    const int others = __popc(__ballot_sync(~0u, digit == other));
    most = others > alike ? other : most;
    return others > alike ? others : alike;
}

template <typename K> struct hybrid_seen {
    K any, all;
    unsigned rises, falls;
};

/* Adds to the OR and the AND of all keys. A warp calls. */
__device__ __forceinline__ void hybrid_note_bits(unsigned long long any, unsigned long long all,
                                                 unsigned long long *to_any,
                                                 unsigned long long *to_all)
{
    for (int o = 16; o > 0; o >>= 1) {
        any |= __shfl_xor_sync(~0u, any, o);
        all &= __shfl_xor_sync(~0u, all, o);
    }
    if (threadIdx.x % 32 == 0) {
        atomicOr(to_any, any);
        atomicAnd(to_all, all);
    }
}

template <typename K> __device__ void hybrid_note(hybrid_plan *plan, const hybrid_seen<K> &s)
{
    hybrid_note_bits(s.any, s.all, &plan->any, &plan->all);
    bool rises = __any_sync(~0u, s.rises), falls = __any_sync(~0u, s.falls);
    if (threadIdx.x % 32 == 0) {
        if (rises) {
            plan->rises = 1;
        }
        if (falls) {
            plan->falls = 1;
        }
    }
}

/* The digit by which a count goes, and what it notes of a key. */
template <typename K> struct hybrid_bits_digit {
    unsigned shift, mask;
    K base = 0;
    __device__ __forceinline__ unsigned operator()(K k) const
    {
        return static_cast<unsigned>(k >> shift) & mask;
    }
    template <int N> __device__ __forceinline__ void all(const K (&k)[N], unsigned (&d)[N]) const
    {
#pragma unroll
        for (int i = 0; i < N; i++) {
            d[i] = (*this)(k[i]);
        }
    }
    __device__ __forceinline__ K note(K k) const
    {
        return static_cast<K>(k - base);
    }
};

/* What one thread counts: U vectors of keys in each tile of its block. */
template <typename K, typename D = hybrid_bits_digit<K>> struct hybrid_counter {
    static constexpr int V = hybrid_vector<K>::keys, U = sizeof(K) == 1 ? 2 : 4;
    static constexpr unsigned T = 1024 * V * U;
    const K *keys;
    unsigned long long n, head,
        tiles;                      /* keys before the first whole vector; number of whole tiles */
    unsigned long long first, step; /* this block's tiles */
    const usw_gpu_keymap<K> &map;
    D digit;
    unsigned *bins, *handed;
    hybrid_seen<K> seen;

    __device__ __forceinline__ void fetch(hybrid_vector<K> (&x)[U], unsigned long long tile) const
    {
        const uint4 *from = reinterpret_cast<const uint4 *>(keys + head + tile * T);
#pragma unroll
        for (int u = 0; u < U; u++) {
            x[u].v = from[u * 1024 + threadIdx.x];
        }
    }
    /* Maps the keys x of the tile at `at`, and notes which bits vary and whether neighbours rise or
     * fall, as long as both has not been seen. */
    __device__ __forceinline__ void examine(hybrid_vector<K> (&x)[U], unsigned long long at)
    {
        const bool ordered = !__all_sync(~0u, seen.rises & seen.falls);
#pragma unroll
        for (int u = 0; u < U; u++) {
            map.map_all(x[u].k);
#pragma unroll
            for (int v = 0; v < V; v += 2) {
                K a = digit.note(x[u].k[v]), b = digit.note(x[u].k[v + 1]);
                seen.any |= a | b;
                seen.all &= a & b;
            }
            if (ordered) {
                unsigned long long i = at + (u * 1024ull + threadIdx.x) * V;
                compare(i > 0 ? map.map(keys[i - 1]) : x[u].k[0], x[u].k[0]);
#pragma unroll
                for (int v = 1; v < V; v++) {
                    compare(x[u].k[v - 1], x[u].k[v]);
                }
            }
        }
    }
    __device__ __forceinline__ void compare(K left, K right)
    {
        seen.rises |= left < right;
        seen.falls |= left > right;
    }
    /* Counts keys of which many have the digit `most`: those of a warp are added at once, the
     * others one by one. No branch: a lane with the digit `most` adds 0 to a counter of its own. */
    __device__ __forceinline__ void count_crowd(const hybrid_vector<K> (&x)[U], unsigned &most)
    {
        const unsigned lane = threadIdx.x % 32;
        unsigned crossed = 0;
#pragma unroll
        for (int u = 0; u < U; u++) {
            unsigned same = 0;
            unsigned d[V];
            digit.all(x[u].k, d);
            hybrid_crowd(d[0], most);
#pragma unroll
            for (int v = 0; v < V; v++) {
                const bool alike = d[v] == most;
                const unsigned inc = alike ? 0 : 1u << (d[v] * 16 & 16);
                const unsigned old = atomicAdd(&bins[alike ? lane : d[v] >> 1], inc);
                crossed |= old ^ (old + inc);
                same += alike;
            }
            same = __reduce_add_sync(~0u, same);
            if (lane == 0 && same != 0) {
                hybrid_add(bins, handed, most, same);
            }
        }
        hand_on_all(x, crossed);
    }
    __device__ __forceinline__ void count_each(const hybrid_vector<K> (&x)[U])
    {
        unsigned crossed = 0;
#pragma unroll
        for (int u = 0; u < U; u++) {
            unsigned d[V];
            digit.all(x[u].k, d);
#pragma unroll
            for (int v = 0; v < V; v++) {
                unsigned inc = 1u << (d[v] * 16 & 16);
                unsigned old = atomicAdd(&bins[d[v] >> 1], inc);
                crossed |= old ^ (old + inc);
            }
        }
        hand_on_all(x, crossed);
    }
    /* Reduces the counters that have reached 2^15, if any of this thread has. */
    __device__ __forceinline__ void hand_on_all(const hybrid_vector<K> (&x)[U], unsigned crossed)
    {
        if ((crossed & 0x80008000u) != 0) {
#pragma unroll
            for (int u = 0; u < U; u++) {
#pragma unroll
                for (int v = 0; v < V; v++) {
                    hybrid_hand_on(bins, handed, digit(x[u].k[v]));
                }
            }
        }
    }
    /* Counts the keys before the first tile and after the last. */
    __device__ __forceinline__ void count_ends()
    {
        unsigned long long after = head + tiles * T, some = head + (n - after);
        const unsigned lane = threadIdx.x % 32;
        unsigned most = ~0u;
        for (unsigned long long j = threadIdx.x; j - lane < some; j += 1024) {
            const bool here = j < some;
            unsigned long long i = !here ? 0 : j < head ? j : after + (j - head);
            K k = map.map(keys[i]);
            seen.any |= digit.note(k);
            seen.all &= digit.note(k);
            compare(i > 0 ? map.map(keys[i - 1]) : k, k);
            const unsigned d = digit(k);
            unsigned alike = __ballot_sync(~0u, here && d == most);
            if (__popc(alike) < 8) {
                most = __shfl_sync(~0u, d, 0);
                alike = __ballot_sync(~0u, here && d == most);
            }
            if (lane == 0) {
                hybrid_add(bins, handed, most, static_cast<unsigned>(__popc(alike)));
            }
            if (here && d != most) {
                hybrid_add(bins, handed, d, 1);
            }
        }
        __syncthreads();
    }
    __device__ __forceinline__ void count_tiles()
    {
        hybrid_vector<K> now[U], next[U];
        unsigned long long t = first;
        unsigned since = 0, most = ~0u;
        if (t < tiles) {
            fetch(next, t);
        }
        while (t < tiles) {
            unsigned long long at = head + t * T;
#pragma unroll
            for (int u = 0; u < U; u++) {
                now[u] = next[u];
            }
            t += step;
            if (t < tiles) {
                fetch(next, t);
            }
            examine(now, at);
            if (hybrid_crowd(digit(now[0].k[0]), most) >= 3) {
                count_crowd(now, most);
            } else {
                count_each(now);
            }
            /* No counter can grow by more than 2^15 between two barriers. */
            since += T;
            if (since + T > 0x8000) {
                since = 0;
                __syncthreads();
            }
        }
        __syncthreads();
    }
};

/* Adds a block's counters, two to a word, to those of all blocks. */
__device__ __forceinline__ void hybrid_flush(const unsigned *bins, unsigned words,
                                             unsigned long long *counts)
{
    /* Each block begins at another word, so that no two add to the same one at a time. */
    const unsigned turn = blockIdx.x * 1024 % words;
    for (unsigned i = threadIdx.x; i < words; i += 1024) {
        unsigned w = i + turn < words ? i + turn : i + turn - words;
        unsigned b = bins[w];
        if (b != 0) { /* two counters of 32 bits, neither of which can overflow */
            atomicAdd(&counts[w], (static_cast<unsigned long long>(b >> 16) << 32) | (b & 0xffff));
        }
    }
}

/* Shared memory: the counters, and one for each lane at least. */
static constexpr size_t hybrid_count_shared(unsigned bits)
{
    return bits < 6 ? 128 : size_t(2) << bits;
}

/* The count of one block of 1024 threads, which is alone on its multiprocessor. */
template <typename K, typename D>
__device__ __forceinline__ void hybrid_count_block(const K *keys, unsigned long long n,
                                                   const usw_gpu_keymap<K> &map, hybrid_plan *plan,
                                                   unsigned long long *counts, unsigned *handed,
                                                   unsigned *bins, const D &digit)
{
    const unsigned words = 1u << (plan->bits - 1), tid = threadIdx.x;
    for (unsigned w = tid; w < words; w += 1024) {
        bins[w] = 0;
    }
    __syncthreads();
    unsigned long long head = (16 - (reinterpret_cast<uintptr_t>(keys) & 15)) % 16 / sizeof(K);
    head = head < n ? head : n;
    using counter = hybrid_counter<K, D>;
    counter c = {keys,
                 n,
                 head,
                 (n - head) / counter::T,
                 blockIdx.x,
                 gridDim.x,
                 map,
                 digit,
                 bins,
                 handed,
                 {0, static_cast<K>(~K(0)), plan->rises, plan->falls}};
    c.count_tiles();
    if (blockIdx.x == gridDim.x - 1) {
        c.count_ends();
    }
    hybrid_note(plan, c.seen);
    hybrid_flush(bins, words, counts);
}

template <typename K>
__global__ __launch_bounds__(1024, 1) void hybrid_count(const K *keys, unsigned long long n,
                                                        usw_gpu_keymap<K> map, hybrid_plan *plan,
                                                        unsigned long long *counts,
                                                        unsigned *handed)
{
    USW_DYNAMIC_SHARED(unsigned, bins);
    usw_chained();
    if (!plan->skip) {
        const hybrid_bits_digit<K> digit = {plan->shift, (1u << plan->bits) - 1, K(plan->base)};
        hybrid_count_block<K>(keys, n, map, plan, counts, handed, bins, digit);
    }
}

#endif
