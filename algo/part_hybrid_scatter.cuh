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

#include "part_hybrid_count.cuh"

/* first: the whole array, keys are mapped on the way; else tile by tile within the buckets
 * begin[0 .. buckets] of the first scatter, each with cursors of its own. */
template <typename K> struct hybrid_scatter_args {
    const K *in;
    K *out;
    unsigned long long n;
    usw_gpu_keymap<K> map;
    const hybrid_plan *plan;
    unsigned below;   /* bits between this digit and plan->shift */
    unsigned digits;  /* a power of two, 256 at most */
    unsigned buckets; /* of the first scatter */
    const unsigned long long *begin;
    const unsigned *tile_begin;
    unsigned long long *cursor;
};

/* A block's tile: m keys from in on, and the cursors of their digits. */
template <typename K> struct hybrid_tile {
    const K *in;
    unsigned m;
    unsigned long long *cursor;
};

/* False: there is no such tile. found: two shared words. All threads call it; it has a barrier. */
template <typename K, int T, bool first>
__device__ __forceinline__ bool hybrid_find_tile(const hybrid_scatter_args<K> &a, unsigned *found,
                                                 hybrid_tile<K> &t)
{
    unsigned long long at, end;
    t.cursor = a.cursor;
    if (!a.plan->msd) {
        return false;
    }
    if (first) {
        at = static_cast<unsigned long long>(blockIdx.x) * T;
        end = a.n;
        __syncthreads();
    } else {
        if (blockIdx.x >= a.tile_begin[a.buckets]) {
            return false;
        }
        if (threadIdx.x < a.buckets) {
            unsigned b = a.tile_begin[threadIdx.x];
            if (b <= blockIdx.x && blockIdx.x < a.tile_begin[threadIdx.x + 1]) {
                found[0] = threadIdx.x;
                found[1] = b;
            }
        }
        __syncthreads();
        at = a.begin[found[0]] + static_cast<unsigned long long>(blockIdx.x - found[1]) * T;
        end = a.begin[found[0] + 1];
        t.cursor += found[0] * a.digits;
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
                  unsigned *cnt, K *tile, unsigned C)
{
    unsigned late = 0;
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
                r[i] = atomicAdd(hybrid_byte<unsigned>(cnt, digit(k[i])), 1);
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
    if (!hybrid_find_tile<K, NT * I, first>(a, found, t)) {
        return;
    }
    const hybrid_digit digit(a.plan->shift + a.below, a.digits, sizeof(K) * 8);
    const unsigned C = room / a.digits - 1 + (room / a.digits & 1); /* odd, for the banks */
    unsigned late = hybrid_fill_rooms<K, NT, I, U, plain>(t, a.map, digit, cnt, tile, C);
    __syncthreads();
    if (tid < a.digits && cnt[tid] != 0) {
        to[tid] = a.out + atomicAdd(&t.cursor[tid], static_cast<unsigned long long>(cnt[tid]));
    }
    __syncthreads();
    /* A warp a room; its accesses are to whole lines, from -31 on. */
    for (unsigned d = tid / 32; d < a.digits; d += NT / 32) {
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
    while (late != 0) {
        int i = __ffs(static_cast<int>(late)) - 1;
        late &= late - 1;
        K key = plain ? t.in[tid + i * NT] : a.map.map(t.in[tid + i * NT]);
        unsigned d = digit(key) / 4;
        to[d][C + atomicAdd(&more[d], 1)] = key;
    }
}

/* ---- close together ---- */

/* The counts of 256 digits become where they begin in the tile, and to where each digit's first
 * key of the tile would go were the tile written there from its beginning. sums: 8 words. All
 * threads call it; it begins and ends with a barrier. */
template <typename K>
__device__ __forceinline__ void hybrid_place_digits(unsigned *cnt, unsigned *sums, K **to, K *out,
                                                    unsigned long long *cursor)
{
    const unsigned tid = threadIdx.x, lane = tid % 32;
    unsigned c = 0, sum = 0;
    unsigned long long place = 0;
    __syncthreads();
    if (tid < 256) {
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
    if (tid < 256) {
        unsigned base = sum - c;
#pragma unroll
        for (unsigned w = 0; w < 8; w++) {
            base += w < tid / 32 ? sums[w] : 0;
        }
        cnt[tid] = base;
        to[tid] = out + (static_cast<long long>(place) - base);
    }
    __syncthreads();
}

template <typename K> constexpr size_t hybrid_close_shared(int tile)
{
    return 256 * 12 + 64 + tile * sizeof(K);
}

template <typename K, int NT, int I, bool first, bool identity, int MB>
__global__ __launch_bounds__(NT, MB) void hybrid_scatter_close(hybrid_scatter_args<K> a)
{
    constexpr bool plain = !first || identity;
    USW_DYNAMIC_SHARED(unsigned char, memory);
    K **to = reinterpret_cast<K **>(memory);
    unsigned *cnt = reinterpret_cast<unsigned *>(to + 256), *sums = cnt + 256;
    K *tile = reinterpret_cast<K *>(sums + 16);
    const unsigned tid = threadIdx.x;
    for (unsigned d = tid; d < 256; d += NT) {
        cnt[d] = 0;
    }
    hybrid_tile<K> t;
    if (!hybrid_find_tile<K, NT * I, first>(a, sums + 8, t)) {
        return;
    }
    const unsigned shift = a.plan->shift + a.below, mask = a.digits - 1;
    const bool whole = t.m == NT * I;
    K k[I];
    uint16_t r[I];
    if (whole) {
#pragma unroll
        for (int i = 0; i < I; i++) {
            k[i] = t.in[tid + i * NT];
        }
    } else {
#pragma unroll
        for (int i = 0; i < I; i++) {
            k[i] = tid + i * NT < t.m ? t.in[tid + i * NT] : K(0);
        }
    }
#pragma unroll
    for (int i = 0; i < I; i++) {
        k[i] = plain ? k[i] : a.map.map(k[i]);
        if (whole || tid + i * NT < t.m) {
            r[i] = static_cast<uint16_t>(
                atomicAdd(&cnt[static_cast<unsigned>(k[i] >> shift) & mask], 1));
        }
    }
    hybrid_place_digits(cnt, sums, to, a.out, t.cursor);
#pragma unroll
    for (int i = 0; i < I; i++) {
        if (whole || tid + i * NT < t.m) {
            tile[cnt[static_cast<unsigned>(k[i] >> shift) & mask] + r[i]] = k[i];
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < I; i++) {
        unsigned p = tid + i * NT;
        if (whole || p < t.m) {
            K key = tile[p];
            to[static_cast<unsigned>(key >> shift) & mask][p] = key;
        }
    }
}

#endif
