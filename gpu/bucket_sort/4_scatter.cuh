/* 4_scatter.cuh - step 4 of the bucket sort: tiles of keys are scattered to up to 256 buckets.
 *
 * A block takes a tile. rank: a returned atomic in shared memory gives a key its place among the
 * tile's keys of its digit; the order is any, for equal keys are the same bits. One atomic a digit
 * in global memory reserves the places in the bucket. The keys are reordered in shared memory, so
 * that they are written in runs. There are two forms of the reordering: in slots, where every digit
 * has a fixed number of them and the rank gives the place at once
 * (gpu/bucket_sort/4_scatter_slots.cuh); and close together, where the counts of the digits are
 * scanned first, for keys too wide for slots. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_4_SCATTER_CUH
#define USW_GPU_BUCKET_SORT_4_SCATTER_CUH

#include "gpu/bucket_sort/2_count.cuh"
#include "gpu/prefix_tree/prefix_tree.cuh"

/* The first scatter takes the whole array, and maps keys on the way. The second takes the buckets
 * of the first one, tile by tile from begin to stop, with cursors of their own; those that go by a
 * tree, too, since their digit is now in their leading bits. */
template <typename K> struct hybrid_scatter_args {
    const K *in;
    K *out;
    unsigned long long n;
    usw_gpu_keymap<K> map;
    const hybrid_plan *plan;
    const unsigned long long *begin, *stop;
    const unsigned *tile_begin;
    unsigned long long *cursor;
};

/* The digit of a scatter, from the plan. */
template <bool first> struct hybrid_level {
    unsigned digits;  /* a power of two, 256 at most */
    unsigned buckets; /* of the first scatter */
    unsigned shift;   /* where the digit begins */
    __device__ __forceinline__ explicit hybrid_level(const hybrid_plan_first &plan)
        : digits(1u << (first ? plan.bits1 : plan.bits - plan.bits1)), buckets(1u << plan.bits1),
          shift(plan.shift + (first ? plan.bits - plan.bits1 : 0))
    {
    }
};

/* A block's tile: m keys from in on, and the cursors of their digits. */
template <typename K> struct hybrid_tile {
    const K *in;
    unsigned m;
    unsigned long long *cursor;
};

/* What a block knows before it looks for its tile. Each of these loads is a trip to the second
 * cache, so they leave together, before it is known which are of use: a thread has a bucket's. */
template <typename K, bool first> struct hybrid_tile_look {
    hybrid_plan_first plan;
    unsigned begin = 0, next = 0, tiles = 0; /* tiles: of all buckets */
    unsigned long long from = 0, stop = 0;
    __device__ __forceinline__ explicit hybrid_tile_look(const hybrid_scatter_args<K> &a)
        : plan(hybrid_first_of(a.plan))
    {
        if (!first && threadIdx.x < 256) {
            begin = usw_load_here(a.tile_begin + threadIdx.x);
            next = usw_load_here(a.tile_begin + threadIdx.x + 1);
            from = usw_load_here(a.begin + threadIdx.x);
            stop = usw_load_here(a.stop + threadIdx.x);
        }
        if (!first) {
            tiles = usw_load_here(a.tile_begin + 256);
        }
    }
    /* Whether the plan has this scatter done, and by the kernel for crowded digits or by the
     * other. */
    __device__ __forceinline__ bool to_do(const hybrid_scatter_args<K> &a, bool crowded) const
    {
        const bool buckets = plan.buckets != 0 || plan.tree_buckets == TREE_IN_KEYS;
        return (first ? a.plan->scatter != 0 : buckets) && (plan.crowded != 0) == crowded;
    }
};

/* Finds tile `number`, of T keys. Returns false where there is no such tile. found: four shared
 * words, aligned to 8 bytes. All threads call; there is a barrier. */
template <typename K, int T, bool first>
__device__ __forceinline__ bool
hybrid_find_tile(const hybrid_scatter_args<K> &a, const hybrid_tile_look<K, first> &look,
                 const hybrid_level<first> &l, unsigned number, unsigned *found, hybrid_tile<K> &t)
{
    unsigned long long at;
    t.cursor = a.cursor;
    if (first) {
        at = static_cast<unsigned long long>(number) * T;
        t.m = a.n - at < T ? static_cast<unsigned>(a.n - at) : T;
        __syncthreads();
    } else {
        if (number >= look.tiles) {
            return false;
        }
        auto *place = reinterpret_cast<unsigned long long *>(found + 2);
        if (threadIdx.x < l.buckets && look.begin <= number && number < look.next) {
            at = look.from + static_cast<unsigned long long>(number - look.begin) * T;
            found[0] = threadIdx.x;
            found[1] = look.stop - at < T ? static_cast<unsigned>(look.stop - at) : T;
            *place = at;
        }
        __syncthreads();
        at = *place;
        t.m = found[1];
        t.cursor += found[0] * l.digits;
    }
    t.in = a.in + at;
    return true;
}

/* Returns what atomicAdd(counter, 1) would, for a warp of which many lanes have the digit `most`:
 * these add once together. here: this lane has a key. All lanes call; most may change. */
__device__ __forceinline__ unsigned hybrid_rank_crowd(unsigned *counter, unsigned digit, bool here,
                                                      unsigned &most)
{
    const unsigned lane = threadIdx.x % 32;
    unsigned alike = __ballot_sync(~0u, here && digit == most);
    if (__popc(alike) < 8) {
        unsigned some = __ballot_sync(~0u, here);
        most = __shfl_sync(~0u, digit, some != 0 ? __ffs(static_cast<int>(some)) - 1 : 0);
        alike = __ballot_sync(~0u, here && digit == most);
    }
    const unsigned first = alike != 0 ? __ffs(static_cast<int>(alike)) - 1 : 0;
    const bool mine = (alike >> lane & 1) != 0;
    unsigned rank = 0;
    if (here && (!mine || lane == first)) {
        rank = atomicAdd(counter, mine ? static_cast<unsigned>(__popc(alike)) : 1);
    }
    const unsigned base = __shfl_sync(~0u, rank, first);
    return mine ? base + __popc(alike & ((1u << lane) - 1)) : rank;
}

/* ---- close together ---- */

/* Turns the counts of D digits into the places where they begin in the tile. to[d] becomes the
 * address at which the tile would have to begin for its keys of digit d to lie where they go. sums:
 * 16 words. All threads call; it begins and ends with a barrier. */
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

/* Shared memory for a tile of so many keys. kept: and of their digits. */
template <typename K>
constexpr size_t hybrid_close_shared(int tile, int digits = 256, bool kept = false)
{
    return digits * 12 + 128 + tile * (sizeof(K) + (kept ? 1 : 0));
}

/* The block's tables in shared memory. */
template <typename K, unsigned D = 256> struct hybrid_close_buffer {
    K **to;
    unsigned *cnt, *sums;
    K *tile;
    __device__ __forceinline__ hybrid_close_buffer(unsigned char *memory)
        : to(reinterpret_cast<K **>(memory)), cnt(reinterpret_cast<unsigned *>(to + D)),
          sums(cnt + D), tile(reinterpret_cast<K *>(sums + 32))
    {
    }
};

/* Writes a tile's keys to out, those of digit d from t.cursor[d] on. The D counts are 0 for all
 * threads. maps: keys are not mapped yet. kept: digits are kept behind the tile, and not found
 * twice. */
template <typename K, int NT, int I, bool maps, bool kept = false, unsigned D, typename Digit>
__device__ __forceinline__ void
hybrid_scatter_tile(const hybrid_tile<K> &t, K *out, const usw_gpu_keymap<K> &map,
                    const Digit &digit, const hybrid_close_buffer<K, D> &s)
{
    const unsigned tid = threadIdx.x;
    const bool whole = t.m == NT * I;
    unsigned char *digits = reinterpret_cast<unsigned char *>(s.tile + NT * I);
    K k[I];
    unsigned most = ~0u, r[I]; /* ranks, and the digits above them */
#pragma unroll
    for (int i = 0; i < I; i++) {
        k[i] = whole || tid + i * NT < t.m ? t.in[tid + i * NT] : K(0);
    }
    if (maps) {
        map.map_all(k);
    }
    if constexpr (kept) {
#pragma unroll
        for (int i0 = 0; i0 < I; i0 += 4) {
            const K some[4] = {k[i0], k[i0 + 1], k[i0 + 2], k[i0 + 3]};
            unsigned d[4];
            digit.all(some, d);
#pragma unroll
            for (int i = 0; i < 4; i++) {
                r[i0 + i] = d[i];
            }
        }
    }
    const auto digit_again = [&](int i) {
        if constexpr (kept) {
            return r[i];
        } else {
            return digit(k[i]);
        }
    };
    if (hybrid_crowd(digit_again(0), most) >= 8) {
#pragma unroll
        for (int i = 0; i < I; i++) {
            unsigned d = digit_again(i);
            bool here = whole || tid + i * NT < t.m;
            r[i] = hybrid_rank_crowd(&s.cnt[d], d, here, most) | d << 16;
        }
    } else {
#pragma unroll
        for (int i = 0; i < I; i++) {
            if (whole || tid + i * NT < t.m) {
                unsigned d = digit_again(i);
                r[i] = atomicAdd(&s.cnt[d], 1) | d << 16;
            }
        }
    }
    hybrid_place_digits<K, D>(s.cnt, s.sums, s.to, out, t.cursor);
#pragma unroll
    for (int i = 0; i < I; i++) {
        if (whole || tid + i * NT < t.m) {
            const unsigned at = s.cnt[r[i] >> 16] + (r[i] & 0xffff);
            s.tile[at] = k[i];
            if (kept) {
                digits[at] = static_cast<unsigned char>(r[i] >> 16);
            }
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < I; i++) {
        unsigned p = tid + i * NT;
        if (whole || p < t.m) {
            K key = s.tile[p];
            usw_global(s.to[kept ? digits[p] : digit(key)])[p] = key;
        }
    }
}

template <typename K, int NT, int I, bool first, int MB>
__global__ __launch_bounds__(NT, MB) void hybrid_scatter_close(hybrid_scatter_args<K> a,
                                                               unsigned tiles)
{
    USW_DYNAMIC_SHARED(unsigned char, memory);
    const hybrid_close_buffer<K> s(memory);
    usw_chained();
    const hybrid_tile_look<K, first> look(a);
    if (!look.to_do(a, false)) {
        return;
    }
    const hybrid_level<first> l(look.plan);
    const hybrid_bits_digit<K> digit = {l.shift, l.digits - 1};
    for (unsigned i = blockIdx.x; i < tiles; i += gridDim.x) {
        for (unsigned d = threadIdx.x; d < 256; d += NT) {
            s.cnt[d] = 0;
        }
        hybrid_tile<K> t;
        if (!hybrid_find_tile<K, NT * I, first>(a, look, l, i, s.sums + 16, t)) {
            return;
        }
        hybrid_scatter_tile<K, NT, I, first>(t, a.out, a.map, digit, s);
        __syncthreads();
    }
}

/* Scatters keys of 32 bits of which so many have the same digits that slots would not hold them: a
 * block takes the tiles of hybrid_scatter_slots, of 2 * NT * I keys, by halves. */
template <typename K, int NT, int I, bool first, int MB>
__global__ __launch_bounds__(NT, MB) void hybrid_scatter_crowd(hybrid_scatter_args<K> a,
                                                               unsigned tiles)
{
    USW_DYNAMIC_SHARED(unsigned char, memory);
    constexpr unsigned half = NT * I;
    const hybrid_close_buffer<K> s(memory);
    usw_chained();
    const hybrid_tile_look<K, first> look(a);
    if (!look.to_do(a, true)) {
        return;
    }
    const hybrid_level<first> l(look.plan);
    const hybrid_bits_digit<K> digit = {l.shift, l.digits - 1};
    for (unsigned i = blockIdx.x; i < 2 * tiles; i += gridDim.x) {
        for (unsigned d = threadIdx.x; d < 256; d += NT) {
            s.cnt[d] = 0;
        }
        hybrid_tile<K> t;
        if (!hybrid_find_tile<K, 2 * half, first>(a, look, l, i / 2, s.sums + 16, t)) {
            return;
        }
        const unsigned from = i % 2 * half;
        if (t.m > from) { /* all threads know */
            t.in += from;
            t.m = t.m - from < half ? t.m - from : half;
            hybrid_scatter_tile<K, NT, I, first>(t, a.out, a.map, digit, s);
        }
        __syncthreads();
    }
}

#endif
