/* part_hybrid_scatter.cuh - the hybrid sort's scatter: tiles of keys go to up to 256 buckets.
 *
 * A block takes a tile. rank: a returned atomic in shared memory gives a key its place among the
 * tile's keys of its digit; the order is any, for equal keys are the same bits. One atomic a digit
 * in global memory reserves their places in the bucket. The keys are reordered in shared memory, so
 * that they are written in runs. Two forms of that: in rooms, where every digit has a fixed room
 * and the rank is a place at once; and close together, where the digits' counts are scanned first,
 * for keys too wide for rooms. */
#ifndef USW_PART_HYBRID_SCATTER_CUH
#define USW_PART_HYBRID_SCATTER_CUH

#include "part_hybrid_crowd.cuh"

/* first: the whole array, keys are mapped on the way; else tile by tile within the buckets
 * begin[0 .. buckets] of the first scatter, each with cursors of its own. */
template <typename K> struct hybrid_scatter_args {
    const K *in;
    K *out;
    unsigned long long n;
    usw_gpu_keymap<K> map;
    const hybrid_plan *plan;
    const unsigned long long *begin;
    const unsigned *tile_begin;
    unsigned long long *cursor;
};

/* What the plan says of a scatter. */
template <bool first> struct hybrid_level {
    unsigned below;   /* bits between this digit and plan->shift */
    unsigned digits;  /* a power of two, 256 at most */
    unsigned buckets; /* of the first scatter */
    __device__ __forceinline__ explicit hybrid_level(const hybrid_plan *plan)
        : below(first ? plan->bits - plan->bits1 : 0),
          digits(1u << (first ? plan->bits1 : plan->bits - plan->bits1)), buckets(1u << plan->bits1)
    {
    }
};

/* A block's tile: m keys from in on, and the cursors of their digits. */
template <typename K> struct hybrid_tile {
    const K *in;
    unsigned m;
    unsigned long long *cursor;
};

/* False: there is no such tile. found: two shared words. All threads call it; it has a barrier. */
template <typename K, int T, bool first>
__device__ __forceinline__ bool hybrid_find_tile(const hybrid_scatter_args<K> &a,
                                                 const hybrid_level<first> &l, unsigned *found,
                                                 hybrid_tile<K> &t)
{
    unsigned long long at, end;
    t.cursor = a.cursor;
    if (first ? !a.plan->msd : !a.plan->even) {
        return false;
    }
    if (first) {
        at = static_cast<unsigned long long>(blockIdx.x) * T;
        end = a.n;
        __syncthreads();
    } else {
        if (blockIdx.x >= a.tile_begin[l.buckets]) {
            return false;
        }
        if (threadIdx.x < l.buckets) {
            unsigned b = a.tile_begin[threadIdx.x];
            if (b <= blockIdx.x && blockIdx.x < a.tile_begin[threadIdx.x + 1]) {
                found[0] = threadIdx.x;
                found[1] = b;
            }
        }
        __syncthreads();
        at = a.begin[found[0]] + static_cast<unsigned long long>(blockIdx.x - found[1]) * T;
        end = a.begin[found[0] + 1];
        t.cursor += found[0] * l.digits;
    }
    t.in = a.in + at;
    t.m = end - at < T ? static_cast<unsigned>(end - at) : T;
    return true;
}

/* ---- in rooms ---- */

/* Puts the thread's keys into their digits' rooms of C keys; the bits of those that found no room
 * are returned. U keys are on their way at a time. */
template <typename K, int NT, int I, int U, bool plain>
__device__ __forceinline__ unsigned
hybrid_fill_rooms(const hybrid_tile<K> &t, const usw_gpu_keymap<K> &map, const hybrid_digit &digit,
                  unsigned *cnt, K *tile, unsigned C, unsigned &one, unsigned &two)
{
    unsigned late = 0;
    bool crowd = false;
    if (t.m == NT * I) {
#pragma unroll
        for (int i0 = 0; i0 < I; i0 += U) {
            K k[U];
            unsigned r[U];
#pragma unroll
            for (int i = 0; i < U; i++) {
                k[i] = t.in[threadIdx.x + (i0 + i) * NT];
            }
#pragma unroll
            for (int i = 0; i < U; i++) {
                k[i] = plain ? k[i] : map.map(k[i]);
            }
            if (i0 == 0) {
                crowd = hybrid_commons(digit(k[0]), one, two);
            }
            if (crowd) {
                unsigned d[U];
#pragma unroll
                for (int i = 0; i < U; i++) {
                    d[i] = digit(k[i]);
                }
                hybrid_rank_common<U>(cnt, d, ~0u, one, two, r);
            } else {
#pragma unroll
                for (int i = 0; i < U; i++) {
                    r[i] = atomicAdd(hybrid_byte<unsigned>(cnt, digit(k[i])), 1);
                }
            }
#pragma unroll
            for (int i = 0; i < U; i++) {
                if (r[i] < C) {
                    tile[digit(k[i]) / 4 * C + r[i]] = k[i];
                } else {
                    late |= 1u << (i0 + i);
                }
            }
        }
        return late;
    }
#pragma unroll 1
    for (int i = 0; i < I; i++) {
        unsigned p = threadIdx.x + i * NT;
        if (p < t.m) {
            K key = plain ? t.in[p] : map.map(t.in[p]);
            unsigned d = digit(key) / 4, r = atomicAdd(&cnt[d], 1);
            if (r < C) {
                tile[d * C + r] = key;
            } else {
                late |= 1u << i;
            }
        }
    }
    return late;
}

/* The keys that found no room go to where their digits' rooms have gone, behind these. */
template <typename K, int NT, int I, int U, bool plain>
__device__ __forceinline__ void
hybrid_write_late(const hybrid_tile<K> &t, const usw_gpu_keymap<K> &map, const hybrid_digit &digit,
                  unsigned late, unsigned *more, K *const *to, unsigned C, unsigned one,
                  unsigned two)
{
    const unsigned some = __reduce_or_sync(~0u, late);
#pragma unroll 1
    for (int i0 = 0; i0 < I && some >> i0 != 0; i0 += U, late >>= U) {
        K k[U];
        unsigned d[U], r[U];
#pragma unroll
        for (int i = 0; i < U; i++) {
            k[i] = (late >> i & 1) != 0 ? t.in[threadIdx.x + (i0 + i) * NT] : K(0);
        }
#pragma unroll
        for (int i = 0; i < U; i++) {
            k[i] = plain ? k[i] : map.map(k[i]);
            d[i] = digit(k[i]);
        }
        hybrid_rank_common<U>(more, d, late, one, two, r);
#pragma unroll
        for (int i = 0; i < U; i++) {
            if ((late >> i & 1) != 0) {
                to[d[i] / 4][C + r[i]] = k[i];
            }
        }
    }
}

/* Shared memory: where each digit's keys go, its count, its count of keys without room, rooms. */
template <typename K> constexpr size_t hybrid_rooms_shared(int room)
{
    return 256 * 16 + 16 + room * sizeof(K);
}

/* room: keys, of all rooms together. */
template <typename K, int NT, int I, bool first, bool identity, int MB, int room, int U>
__global__ __launch_bounds__(NT, MB) void hybrid_scatter_rooms(hybrid_scatter_args<K> a)
{
    static_assert(I <= 32, "a bit a key");
    constexpr bool plain = !first || identity;
    USW_DYNAMIC_SHARED(unsigned char, memory);
    K **to = reinterpret_cast<K **>(memory);
    unsigned *cnt = reinterpret_cast<unsigned *>(to + 256), *more = cnt + 256, *found = more + 256;
    K *tile = reinterpret_cast<K *>(found + 4);
    const unsigned tid = threadIdx.x, lane = tid % 32;
    for (unsigned d = tid; d < 512; d += NT) {
        cnt[d] = 0;
    }
    hybrid_tile<K> t;
    const hybrid_level<first> l(a.plan);
    if (!hybrid_find_tile<K, NT * I, first>(a, l, found, t)) {
        return;
    }
    const hybrid_digit digit(a.plan->shift + l.below, l.digits, sizeof(K) * 8);
    const unsigned C = room / l.digits - 1 + (room / l.digits & 1); /* odd, for the banks */
    unsigned one = ~0u, two = ~0u;                                  /* common digits */
    const unsigned late =
        hybrid_fill_rooms<K, NT, I, U, plain>(t, a.map, digit, cnt, tile, C, one, two);
    __syncthreads();
    if (tid < l.digits && cnt[tid] != 0) {
        to[tid] = a.out + atomicAdd(&t.cursor[tid], static_cast<unsigned long long>(cnt[tid]));
    }
    __syncthreads();
    /* A warp a room; its accesses are to whole lines, from -31 on. */
    for (unsigned d = tid / 32; d < l.digits; d += NT / 32) {
        int c = static_cast<int>(cnt[d] < C ? cnt[d] : C);
        K *out = to[d];
        const K *from = tile + d * C;
        int skew = static_cast<int>(reinterpret_cast<uintptr_t>(out) / sizeof(K) % 32);
        for (int j = static_cast<int>(lane) - skew; j < c; j += 32) {
            if (j >= 0) {
                out[j] = from[j];
            }
        }
    }
    hybrid_write_late<K, NT, I, U, plain>(t, a.map, digit, late, more, to, C, one, two);
}

/* ---- close together ---- */

/* The counts of D digits become where they begin in the tile, and to where each digit's first
 * key of the tile would go were the tile written there from its beginning. sums: 16 words. All
 * threads call it; it begins and ends with a barrier. */
template <typename K, unsigned D>
__device__ __forceinline__ void hybrid_place_digits(unsigned *cnt, unsigned *sums, K **to, K *out,
                                                    unsigned long long *cursor)
{
    const unsigned tid = threadIdx.x, lane = tid % 32;
    unsigned c = 0, sum = 0;
    unsigned long long place = 0;
    __syncthreads();
    if (tid < D) {
        c = sum = cnt[tid];
        if (c != 0) {
            place = atomicAdd(&cursor[tid], static_cast<unsigned long long>(c));
        }
#pragma unroll
        for (int o = 1; o < 32; o <<= 1) {
            unsigned up = __shfl_up_sync(~0u, sum, o);
            sum += lane >= static_cast<unsigned>(o) ? up : 0;
        }
        if (lane == 31) {
            sums[tid / 32] = sum;
        }
    }
    __syncthreads();
    if (tid < D) {
        unsigned base = sum - c;
#pragma unroll
        for (unsigned w = 0; w < D / 32; w++) {
            base += w < tid / 32 ? sums[w] : 0;
        }
        cnt[tid] = base;
        to[tid] = out + (static_cast<long long>(place) - base);
    }
    __syncthreads();
}

/* For a tile of so many keys and 256 digits. */
template <typename K> constexpr size_t hybrid_close_shared(int tile, int digits = 256)
{
    return digits * 12 + 128 + tile * sizeof(K);
}

/* The block's tables in shared memory. */
template <typename K, unsigned D = 256> struct hybrid_close_room {
    K **to;
    unsigned *cnt, *sums;
    K *tile;
    __device__ __forceinline__ hybrid_close_room(unsigned char *memory)
        : to(reinterpret_cast<K **>(memory)), cnt(reinterpret_cast<unsigned *>(to + D)),
          sums(cnt + D), tile(reinterpret_cast<K *>(sums + 32))
    {
    }
};

/* A tile's keys to out, digit d from t.cursor[d] on. The D counts are 0 and all threads know. */
template <typename K, int NT, int I, bool plain, unsigned D, typename Digit>
__device__ __forceinline__ void
hybrid_scatter_tile(const hybrid_tile<K> &t, K *out, const usw_gpu_keymap<K> &map,
                    const Digit &digit, const hybrid_close_room<K, D> &s)
{
    const unsigned tid = threadIdx.x;
    const bool whole = t.m == NT * I;
    K k[I];
    unsigned r[I]; /* ranks, and the digits above them */
#pragma unroll
    for (int i = 0; i < I; i++) {
        k[i] = whole || tid + i * NT < t.m ? t.in[tid + i * NT] : K(0);
    }
#pragma unroll
    for (int i = 0; i < I; i++) {
        k[i] = plain ? k[i] : map.map(k[i]);
    }
    unsigned one, two;
    if (whole && hybrid_commons(digit(k[0]) * 4, one, two)) {
        constexpr int U = 4;
        static_assert(I % U == 0, "whole batches");
#pragma unroll
        for (int i0 = 0; i0 < I; i0 += U) {
            unsigned d[U], some[U];
#pragma unroll
            for (int i = 0; i < U; i++) {
                d[i] = digit(k[i0 + i]) * 4;
            }
            hybrid_rank_common<U>(s.cnt, d, ~0u, one, two, some);
#pragma unroll
            for (int i = 0; i < U; i++) {
                r[i0 + i] = some[i] | d[i] << 14;
            }
        }
    } else {
#pragma unroll
        for (int i = 0; i < I; i++) {
            if (whole || tid + i * NT < t.m) {
                unsigned d = digit(k[i]);
                r[i] = atomicAdd(&s.cnt[d], 1) | d << 16;
            }
        }
    }
    hybrid_place_digits<K, D>(s.cnt, s.sums, s.to, out, t.cursor);
#pragma unroll
    for (int i = 0; i < I; i++) {
        if (whole || tid + i * NT < t.m) {
            s.tile[s.cnt[r[i] >> 16] + (r[i] & 0xffff)] = k[i];
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < I; i++) {
        unsigned p = tid + i * NT;
        if (whole || p < t.m) {
            K key = s.tile[p];
            s.to[digit(key)][p] = key;
        }
    }
}

template <typename K, int NT, int I, bool first, bool identity, int MB>
__global__ __launch_bounds__(NT, MB) void hybrid_scatter_close(hybrid_scatter_args<K> a)
{
    USW_DYNAMIC_SHARED(unsigned char, memory);
    const hybrid_close_room<K> s(memory);
    for (unsigned d = threadIdx.x; d < 256; d += NT) {
        s.cnt[d] = 0;
    }
    hybrid_tile<K> t;
    const hybrid_level<first> l(a.plan);
    if (!hybrid_find_tile<K, NT * I, first>(a, l, s.sums + 16, t)) {
        return;
    }
    const hybrid_bits_digit<K> digit = {a.plan->shift + l.below, l.digits - 1};
    hybrid_scatter_tile<K, NT, I, !first || identity>(t, a.out, a.map, digit, s);
}

#endif
