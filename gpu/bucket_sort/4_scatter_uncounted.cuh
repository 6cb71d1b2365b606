/* 4_scatter_uncounted.cuh - the bucket sort's first scatter of keys that a sample finds even: it
 * counts the buckets while it scatters, so that no count has to read the keys before.
 *
 * Each bucket of this scatter that lies in the keys' range has a region of tmp, a little larger
 * than the mean. A block of 1024 threads a multiprocessor takes tile after tile, and loads the next
 * tile while this one is written. Keys are ranked, places are reserved and keys reordered as in
 * gpu/bucket_sort/4_scatter.cuh, in slots or close together. The leading bits are counted in shared
 * memory by counters of 8 bits, four to a word. A counter that overflows makes the sum of all
 * counters less than the number of the keys, which is how it is noticed. Then, or where a region is
 * too small or a key is outside of the window that the sample has shown, plan->uncounted becomes 0:
 * the steps that follow take the keys from the caller's array, where they still are, and count
 * them. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_4_SCATTER_UNCOUNTED_CUH
#define USW_GPU_BUCKET_SORT_4_SCATTER_UNCOUNTED_CUH

#include "gpu/block/counters_8bit.cuh"
#include "gpu/bucket_sort/2_count.cuh"

template <typename K> struct hybrid_uncounted_args {
    const K *in;
    K *out;
    unsigned long long n;
    usw_gpu_keymap<K> map;
    hybrid_plan *plan;
    unsigned bits1;             /* bits of the scatter */
    unsigned long long *cursor; /* 2^bits1: where the regions begin */
    unsigned long long room;    /* keys of all regions */
    unsigned *counts;           /* zeros, of each bucket, aligned to pairs */
};

/* Shared memory: the counters, and the tile with its tables. slots: keys of all slots together, or
 * 0 where the keys of a tile are close together. */
template <typename K> constexpr size_t hybrid_uncounted_shared(unsigned bits, int tile, int slots)
{
    return (bits < 7 ? 128 : size_t(1) << bits) + 256 * 8 + 4 * 256 * 4 + 128 +
           (slots != 0 ? slots : tile) * sizeof(K);
}

/* A block of NT threads that take I keys of a tile each; U ranks are asked for at a time. */
template <typename K, int NT, int I, int slots, int U> struct hybrid_uncounted_block {
    static constexpr unsigned tile_keys = NT * I;
    const hybrid_uncounted_args<K> &a;
    unsigned *bins;         /* the counters */
    unsigned long long *to; /* 256: where each digit's keys of the tile go */
    unsigned *counts;       /* twice: 256 counts of the tile, 256 of unplaced keys or begins */
    unsigned *sums;         /* 32 of warps */
    K *tile;
    unsigned shift, bits, table; /* the counted bits: where they begin, and how many; bytes of the
                                  * counters */
    hybrid_digit digit;
    unsigned first;         /* the digit of the first region */
    unsigned from, slotted; /* digits that have slots: the first, and how many */
    unsigned C;             /* keys of a slot; odd, so that digits do not share banks */
    K *slot0;               /* where digit 0 would have its slots */
    unsigned long long stride;
    K base, outside = 0; /* where the keys' window begins; the OR of all less that, where partial */

    __device__ __forceinline__ hybrid_uncounted_block(const hybrid_uncounted_args<K> &args,
                                                      unsigned char *memory)
        : a(args), bins(reinterpret_cast<unsigned *>(memory)),
          to(reinterpret_cast<unsigned long long *>(
              memory + (args.plan->bits < 7 ? 128 : size_t(1) << args.plan->bits))),
          counts(reinterpret_cast<unsigned *>(to + 256)), sums(counts + 4 * 256),
          tile(reinterpret_cast<K *>(sums + 32)), shift(args.plan->shift), bits(args.plan->bits),
          table(1u << bits), digit(shift + bits - args.bits1, 1u << args.bits1, sizeof(K) * 8),
          first(args.plan->region), stride(args.plan->stride),
          base(static_cast<K>(hybrid_window_of(args.plan)))
    {
        static_assert(NT >= 256 && I <= 32, "a thread a digit, a bit a key");
        const unsigned all = 1u << a.bits1, regions = args.plan->regions;
        const bool turns = first + regions > all; /* from the last digit to the first one */
        from = turns ? 0 : first;
        slotted = turns ? all : regions;
        C = slots / slotted - 1 + (slots / slotted & 1);
        slot0 = tile - static_cast<size_t>(from) * C;
    }
    __device__ __forceinline__ void clear()
    {
        for (unsigned w = threadIdx.x; w < table / 4; w += NT) {
            bins[w] = 0;
        }
        for (unsigned w = threadIdx.x; w < 1024; w += NT) {
            counts[w] = (w & 256) == 0 ? before(w & 255) : 0;
        }
        __syncthreads();
    }
    /* What the count of digit d begins with: where it has no slots they are all full. */
    __device__ __forceinline__ unsigned before(unsigned d) const
    {
        return slots != 0 && d - from >= slotted ? C : 0;
    }
    __device__ __forceinline__ void fail()
    {
        usw_store_relaxed(&a.plan->uncounted, 0u);
        usw_store_relaxed(&a.plan->skip, 0u);
    }
    __device__ __forceinline__ void fetch(K (&k)[I], unsigned long long number) const
    {
        const K *in = a.in + number * tile_keys + threadIdx.x;
#pragma unroll
        for (int i = 0; i < I; i++) {
            k[i] = in[i * NT];
        }
    }
    /* Four counters share a word: the low two bits of x choose one, and 8 times x is its shift. */
    __device__ __forceinline__ void count(K key)
    {
        const unsigned x = static_cast<unsigned>(key >> shift);
        atomicAdd(hybrid_byte<unsigned>(bins, x & (table - 4)), __funnelshift_l(0u, 1u, x * 8));
    }
    /* Whether keys may lie outside of the window. */
    __device__ __forceinline__ bool partial() const
    {
        return shift + bits < sizeof(K) * 8;
    }
    __device__ __forceinline__ void count_all(const K (&k)[I])
    {
        if (partial()) {
#pragma unroll
            for (int i = 0; i < I; i++) {
                outside |= static_cast<K>(k[i] - base);
            }
        }
#pragma unroll
        for (int i = 0; i < I; i++) {
            count(k[i]);
        }
    }
    /* Reserves places for c keys of digit d. The result takes a while: `placed` uses it later. */
    __device__ __forceinline__ unsigned long long reserve(unsigned d, unsigned c)
    {
        return c != 0 ? atomicAdd(&a.cursor[d], static_cast<unsigned long long>(c)) : region(d);
    }
    /* Where the region of digit d begins. */
    __device__ __forceinline__ unsigned long long region(unsigned d) const
    {
        return ((d - first) & ((1u << a.bits1) - 1)) * stride;
    }
    /* The place for c keys of digit d that were reserved from `at` on. It fails if the region is
     * full, or is none of those that there are. */
    __device__ __forceinline__ unsigned long long placed(unsigned d, unsigned c,
                                                         unsigned long long at)
    {
        const unsigned long long begin = region(d);
        const bool none = begin + stride > a.room;
        EVEN_WAY("a key without a region", none && c != 0)
        if (c != 0 && (none || at + c > begin + stride)) {
            fail();
            at = none ? 0 : begin;
        }
        return at;
    }

    /* ---- in slots ---- */

    /* Puts keys into slots; returns a bit for each key that found its slots full. */
    __device__ __forceinline__ unsigned fill_slots(const K (&k)[I], unsigned *cnt)
    {
        unsigned unplaced = 0;
#pragma unroll
        for (int i0 = 0; i0 < I; i0 += U) {
            unsigned r[U];
#pragma unroll
            for (int i = 0; i < U; i++) {
                r[i] = atomicAdd(hybrid_byte<unsigned>(cnt, digit(k[i0 + i])), 1);
            }
#pragma unroll
            for (int i = 0; i < U; i++) {
                if (r[i] < C) {
                    *hybrid_slot(slot0, digit(k[i0 + i]), C, r[i]) = k[i0 + i];
                } else {
                    unplaced |= 1u << (i0 + i);
                }
            }
        }
        return unplaced;
    }
    /* A warp writes the slots of a digit, in whole lines, three at a time: it begins up to 31 keys
     * early. */
    __device__ __forceinline__ void empty_slots(const unsigned *cnt)
    {
#pragma unroll 4
        for (unsigned d = from + threadIdx.x / 32; d < from + slotted; d += NT / 32) {
            const int c = static_cast<int>(cnt[d] < C ? cnt[d] : C);
            K *out = a.out + to[d];
            const K *slot = slot0 + d * C;
            const int skew = static_cast<int>(reinterpret_cast<uintptr_t>(out) / sizeof(K) % 32);
            for (int j = static_cast<int>(threadIdx.x % 32) - skew; j < c; j += 96) {
                K v[3];
#pragma unroll
                for (int u = 0; u < 3; u++) {
                    v[u] = j + 32 * u >= 0 && j + 32 * u < c ? slot[j + 32 * u] : K(0);
                }
#pragma unroll
                for (int u = 0; u < 3; u++) {
                    if (j + 32 * u >= 0 && j + 32 * u < c) {
                        out[j + 32 * u] = v[u];
                    }
                }
            }
        }
    }
    /* Writes the keys that found no slot: they are loaded a second time. */
    __device__ __forceinline__ void write_unplaced(unsigned unplaced, unsigned long long number,
                                                   unsigned *more)
    {
        const K *in = a.in + number * tile_keys + threadIdx.x;
        for (; unplaced != 0; unplaced &= unplaced - 1) {
            const K key = a.map.map(in[(__ffs(static_cast<int>(unplaced)) - 1) * NT]);
            const unsigned d = digit(key) / 4, r = atomicAdd(&more[d], 1);
            a.out[to[d] + C + r] = key;
        }
    }
    __device__ __forceinline__ void scatter_slots(K (&k)[I], unsigned long long number,
                                                  unsigned long long next, unsigned *cnt)
    {
        const unsigned unplaced = fill_slots(k, cnt), d = threadIdx.x;
        unsigned long long at = 0;
        __syncthreads();
        if (d < 256) {
            at = reserve(d, cnt[d] - before(d));
        }
        /* The result of the reservation arrives while the keys are counted. */
        count_all(k);
        if (d < 256) {
            to[d] = placed(d, cnt[d] - before(d), at);
        }
        load_next(k, next);
        empty_slots(cnt);
        write_unplaced(unplaced, number, cnt + 256);
    }

    /* ---- close together ---- */

    /* Ranks the keys within their digits; four times the digit stands above the rank. */
    __device__ __forceinline__ void rank(const K (&k)[I], unsigned (&r)[I], unsigned *cnt)
    {
#pragma unroll
        for (int i = 0; i < I; i++) {
            const unsigned d = digit(k[i]);
            r[i] = atomicAdd(hybrid_byte<unsigned>(cnt, d), 1) | d << 16;
        }
    }
    /* Sets begins to where each digit begins in the tile, and c and at to the count and the
     * reserved place of this thread's digit. */
    __device__ __forceinline__ void place_digits(const unsigned *cnt, unsigned *begins, unsigned &c,
                                                 unsigned long long &at)
    {
        const unsigned d = threadIdx.x, lane = d % 32;
        unsigned sum = 0;
        __syncthreads();
        if (d < 256) {
            c = sum = cnt[d];
            at = reserve(d, c);
#pragma unroll
            for (int o = 1; o < 32; o <<= 1) {
                const unsigned up = __shfl_up_sync(~0u, sum, o);
                sum += lane >= static_cast<unsigned>(o) ? up : 0;
            }
            if (lane == 31) {
                sums[d / 32] = sum;
            }
        }
        __syncthreads();
        if (d < 256) {
            sum -= c;
#pragma unroll
            for (unsigned w = 0; w < 8; w++) {
                sum += w < d / 32 ? sums[w] : 0;
            }
            begins[d] = sum;
        }
        __syncthreads();
    }
    __device__ __forceinline__ void scatter_close(K (&k)[I], unsigned long long next, unsigned *cnt)
    {
        unsigned r[I], c = 0, *begins = cnt + 256;
        unsigned long long at = 0;
        rank(k, r, cnt);
        place_digits(cnt, begins, c, at);
#pragma unroll
        for (int i = 0; i < I; i++) {
            tile[*hybrid_byte<unsigned>(begins, r[i] >> 16) + (r[i] & 0xffff)] = k[i];
        }
        count_all(k);
        if (threadIdx.x < 256) {
            to[threadIdx.x] = placed(threadIdx.x, c, at) - begins[threadIdx.x];
        }
        load_next(k, next);
#pragma unroll
        for (int i = 0; i < I; i++) {
            const unsigned p = threadIdx.x + i * NT;
            const K key = tile[p];
            a.out[*hybrid_byte<unsigned long long>(to, digit(key) * 2) + p] = key;
        }
    }

    /* ---- all tiles ---- */

    /* The tile is in shared memory and placed: its registers are free for the next tile. */
    __device__ __forceinline__ void load_next(K (&k)[I], unsigned long long next)
    {
        __syncthreads();
        if (next < a.n / tile_keys) {
            fetch(k, next);
        }
    }
    /* Scatters this block's tiles and its share of the keys behind the last; returns how many. */
    __device__ __forceinline__ unsigned scatter()
    {
        const unsigned long long tiles = a.n / tile_keys;
        unsigned keys = 0, turn = 0;
        K k[I];
        if (blockIdx.x < tiles) {
            fetch(k, blockIdx.x);
        }
        for (unsigned long long t = blockIdx.x; t < tiles; t += gridDim.x) {
            unsigned *cnt = counts + turn;
            turn ^= 512;
            a.map.map_all(k);
            if constexpr (slots != 0) {
                scatter_slots(k, t, t + gridDim.x, cnt);
            } else {
                scatter_close(k, t + gridDim.x, cnt);
            }
            if (threadIdx.x < 256) {
                counts[turn + threadIdx.x] = before(threadIdx.x);
                counts[turn + 256 + threadIdx.x] = 0;
            }
            keys += tile_keys;
            __syncthreads();
        }
        const unsigned tail = static_cast<unsigned>(a.n - tiles * tile_keys);
        for (unsigned at = (gridDim.x - 1 - blockIdx.x) * NT; at < tail; at += gridDim.x * NT) {
            if (at + threadIdx.x < tail) {
                const K key = a.map.map(a.in[tiles * tile_keys + at + threadIdx.x]);
                const unsigned d = digit(key) / 4;
                a.out[placed(d, 1, reserve(d, 1))] = key;
                outside |= static_cast<K>(key - base);
                count(key);
            }
            keys += tail - at < NT ? tail - at : NT;
        }
        __syncthreads();
        return keys;
    }
    /* Fails, too, if keys are outside of the window that the sample has shown. */
    __device__ __forceinline__ void flush(unsigned keys)
    {
        const unsigned top = shift + bits;
        EVEN_WAY("twice as many buckets", a.plan->twice != 0)
        EVEN_WAY("slots for some digits", slots != 0 && slotted < 1u << a.bits1)
        EVEN_WAY("a window of any base", a.plan->base != 0)
        EVEN_WAY("regions from a later bucket on", first != 0)
        if (partial() && outside >> (top & (sizeof(K) * 8 - 1)) != 0) {
            EVEN_WAY("keys outside of the window", true)
            fail();
        }
        if (!hybrid_flush_bytes<NT>(bins, table, a.counts, sums, keys)) {
            fail();
        }
    }
};

/* A block a multiprocessor. It does nothing where the sample has not found the keys even. */
template <typename K, int NT, int I, int slots, int U>
__global__ __launch_bounds__(NT, 1) void hybrid_scatter_uncounted(hybrid_uncounted_args<K> a)
{
    USW_DYNAMIC_SHARED(unsigned char, memory);
    usw_chained();
    if (__syncthreads_or(threadIdx.x == 0 &&
                         usw_load_relaxed(&a.plan->uncounted) != HYBRID_UNCOUNTED_BITS)) {
        return;
    }
    hybrid_uncounted_block<K, NT, I, slots, U> b(a, memory);
    b.clear();
    b.flush(b.scatter());
}

#endif
