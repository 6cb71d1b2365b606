/* pairs_place.cuh - the bucket sort of pairs: what is to be done, and where buckets begin.
 *
 * Keys are counted by gpu/bucket_sort/2_count.cuh: the size of each bucket, and whether there is
 * anything to sort. So all that follows is decided before the first pair is scattered. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_PAIR_BUCKETS_PAIRS_PLACE_CUH
#define USW_GPU_PAIR_BUCKETS_PAIRS_PLACE_CUH

#include "gpu/bucket_sort/1_sample.cuh"
#include "gpu/prefix_tree/extents.cuh"

enum { PAIRS_DIGITS = 256 };

struct pairs_plan {
    hybrid_plan keys;
    unsigned split, radix;   /* 1: all is sorted by buckets; all is left to the radix sort */
    unsigned middle;         /* 1: some bucket may be for the larger sort of buckets */
    unsigned alike;          /* buckets of a tree that have equal keys, and too many to be sorted */
    unsigned tiles_taken[2]; /* of each scatter */
    unsigned tiles[2];
};

/* The digits of both scatters: the first makes segments, which the second splits. */
struct pairs_digits {
    unsigned bits1, bits2;
    __host__ __device__ unsigned bits() const
    {
        return bits1 + bits2;
    }
};

/* Whether uneven keys of this width go by a prefix tree. Those of 32 bits take fewer passes of the
 * radix sort, and a kernel that does both sorts all others of them 3% slower. */
template <typename K> static constexpr bool PAIRS_BY_TREE = sizeof(K) == 8;

/* ---- sample ---- */

enum { PAIRS_CELLS = 4096 };

/* A thread's keys of the sample: of 512 stretches of 32 keys, evenly spread over the array, every
 * 32nd, in order. */
template <typename K> struct pairs_taken {
    K key[16];
    unsigned fresh; /* a bit a key: it was not taken before, as keys of short arrays are */
    unsigned rises, falls;
    unsigned long long any, all;

    __device__ __forceinline__ pairs_taken(const K *keys, unsigned long long n,
                                           const usw_gpu_keymap<K> &map)
        : fresh(0), rises(0), falls(0), any(0), all(~0ull)
    {
        const unsigned long long lines = n / 32;
#pragma unroll
        for (unsigned j = 0; j < 16; j++) {
            const unsigned i = threadIdx.x / 32 + 32 * j;
            const unsigned long long line = i * lines / 512, p = line * 32 + threadIdx.x % 32;
            fresh |= (i == 0 || line != (i - 1) * lines / 512 ? 1u : 0u) << j;
            key[j] = map.map(keys[p < n ? p : n - 1]);
        }
#pragma unroll
        for (unsigned j = 0; j < 16; j++) {
            any |= key[j];
            all &= key[j];
            if (j > 0) {
                rises |= key[j - 1] < key[j] ? 1 : 0;
                falls |= key[j - 1] > key[j] ? 1 : 0;
            }
        }
        for (int o = 16; o > 0; o >>= 1) {
            any |= __shfl_xor_sync(~0u, any, o);
            all &= __shfl_xor_sync(~0u, all, o);
        }
    }
};

/* Whether many keys of the sample are in one bucket. Buckets share cells, a few keys to each if
 * keys are even. cells: PAIRS_CELLS zeros. All threads call. */
template <typename K>
__device__ __forceinline__ bool pairs_heavy(const pairs_taken<K> &taken, unsigned shift,
                                            unsigned bits, unsigned most, unsigned *cells)
{
    unsigned found = 0;
#pragma unroll
    for (unsigned j = 0; j < 16; j++) {
        if ((taken.fresh >> j & 1) != 0) {
            const unsigned bucket =
                static_cast<unsigned>(taken.key[j] >> shift) & ((1u << bits) - 1);
            const unsigned at = atomicAdd(&cells[bucket * 2654435761u >> 20], 1u);
            found = found > at ? found : at;
        }
    }
    return __syncthreads_or(found >= most);
}

/* The number of cells that are not 0. All 1024 threads call. */
static __device__ __forceinline__ unsigned pairs_cells_used(const unsigned *cells)
{
    unsigned used = 0;
    for (unsigned i = threadIdx.x; i < PAIRS_CELLS; i += 1024) {
        used += static_cast<unsigned>(__syncthreads_count(cells[i] != 0));
    }
    return used;
}

/* Keys of up to so many values are sorted in one pass of the radix sort. */
enum { PAIRS_FEW = hybrid_few_size::values < 256 ? hybrid_few_size::values : 256 };

/* With more keys of a value on average the radix sort is faster. */
template <typename K> __device__ __forceinline__ float pairs_most_copies(unsigned long long n)
{
    return sizeof(K) == 4 ? 10 : static_cast<float>(n >> 16) * 2 / 3;
}

/* Whether keys that are not even by their leading bits go by a prefix tree, which is then made.
 * many: some bucket has many of the sample. */
template <typename K>
__device__ __forceinline__ bool pairs_make_tree(const pairs_taken<K> &taken, const K *keys,
                                                unsigned long long n, const usw_gpu_keymap<K> &map,
                                                unsigned long long all, unsigned varying,
                                                unsigned bits, unsigned shift, K base, bool many,
                                                hybrid_tree *tree, unsigned char *memory)
{
    bool near = false;
    const hybrid_leading<K> l = {bits, bits + shift, shift, base, 0, true, 1};
    auto *words = reinterpret_cast<unsigned *>(memory);
    return hybrid_wants_tree<K, 16>(taken.key, l, many, false, near, words) == TREE_WANTED &&
           hybrid_grow_tree<K>(keys, n, map, static_cast<K>(all), varying, bits, false, ~0u, tree,
                               memory);
}

/* Clears `words` words. Block 0 chooses the leading bits by a sample of the keys. Keys that look
 * sorted, differ in few bytes, or have more than `most` of the sample in one cell are left to the
 * radix sort, unless they go by a tree; if they have few values, after these have been counted.
 * spare: bits that a sort of buckets needs beside the undecided ones. table: where keys of few
 * values are counted, or NULL. tree: for keys that are not even, or NULL. Shared memory:
 * hybrid_tables_bytes; with a tree hybrid_sample_shared. */
template <typename K>
__global__ __launch_bounds__(1024) void pairs_sample(const K *keys, unsigned long long n,
                                                     usw_gpu_keymap<K> map, pairs_digits digits,
                                                     unsigned spare, unsigned most,
                                                     pairs_plan *plan, unsigned *zero, size_t words,
                                                     hybrid_few<K> *table, hybrid_tree *tree)
{
    USW_DYNAMIC_SHARED(unsigned char, memory);
    USW_SHARED_ARRAY(unsigned long long, seen, [4]);
    USW_SHARED_ARRAY(unsigned, cells, [PAIRS_CELLS]);
    const unsigned t = threadIdx.x, bits = digits.bits();
    usw_chained();
    for (size_t i = blockIdx.x * 1024ull + t; i < words; i += gridDim.x * 1024ull) {
        zero[i] = 0;
    }
    if (blockIdx.x != 0) {
        return;
    }
    for (unsigned i = t; i < PAIRS_CELLS; i += 1024) {
        cells[i] = 0;
    }
    if (t == 0) {
        seen[0] = 0;
        seen[1] = ~0ull;
    }
    __syncthreads();
    const pairs_taken<K> taken(keys, n, map);
    if (t % 32 == 0) {
        atomicOr(&seen[0], taken.any);
        atomicAnd(&seen[1], taken.all);
    }
    const bool rises = __syncthreads_or(taken.rises), falls = __syncthreads_or(taken.falls);
    const unsigned long long differ = seen[0] ^ seen[1];
    const unsigned varying = 64 - static_cast<unsigned>(__clzll(static_cast<long long>(differ)));
    USW_SHARED_ARRAY(K, ends, [64]);
    const usw_window window =
        usw_least_window<K, 16>(taken.key, ~0u, bits, digits.bits1, ends, ends + 32);
    const bool in_window = window.bits < varying;
    const K base = static_cast<K>(in_window ? window.base : 0);
    const unsigned top = in_window ? window.bits : varying;
    const unsigned shift = top > bits ? top - bits : 0;
    const bool ordered = !rises || !falls;
    const bool few_bytes = hybrid_bytes(hybrid_differ<K, 16>(taken.key, ~0u, map, differ,
                                                             seen + 2)) <= HYBRID_FEW_BYTES;
    const bool heavy = !ordered && !few_bytes && pairs_heavy(taken, shift, bits, most, cells);
    const bool counted =
        heavy && table != nullptr && pairs_cells_used(cells) <= PAIRS_FEW &&
        hybrid_have_few_values<K, 16>(taken.key, taken.fresh, map, PAIRS_FEW, table, memory);
    const float copies =
        ordered || few_bytes || counted ? 1 : usw_copies<K, 16>(taken.key, n, memory);
    const bool alike = !heavy && copies > pairs_most_copies<K>(n);
    bool by_tree = false;
    if constexpr (PAIRS_BY_TREE<K>) {
        by_tree = tree != nullptr && !ordered && !few_bytes && !counted && !alike &&
                  (n >= TREE_REPEATS_FROM || copies <= static_cast<float>(n >> 18)) &&
                  pairs_make_tree(taken, keys, n, map, seen[1], varying, bits, shift, base, heavy,
                                  tree, memory);
    }
    if (t == 0) {
        if (table != nullptr) {
            table->values = 0;
        }
        pairs_plan p = {};
        p.keys.all = ~0ull;
        p.keys.shift = shift;
        p.keys.bits = bits;
        p.keys.base = by_tree ? 0 : base;
        p.keys.first = static_cast<unsigned>(p.keys.base >> shift) & ((1u << bits) - 1);
        p.radix =
            !by_tree && (ordered || few_bytes || heavy || alike || shift + spare > sizeof(K) * 8);
        p.keys.skip = p.radix;
        p.keys.few_values = counted;
        p.keys.by_tree = by_tree;
        *plan = p;
    }
}

/* ---- place ---- */

/* Of each bucket of a tree: its least key; as hybrid_extent, the bits left; how much of these its
 * range fills, in 1/256, less one. alike: numbers of buckets, see pairs_plan. */
struct pairs_extents {
    unsigned long long *least;
    unsigned char *left, *fill;
    unsigned *alike;
};
constexpr size_t pairs_extents_bytes(size_t buckets)
{
    return buckets * 14;
}

struct pairs_place_args {
    pairs_plan *plan;
    const unsigned *counts, *handed; /* of each digit: counts + 2^15 handed */
    pairs_digits digits;
    unsigned long long n;
    unsigned tile, tree_tile;   /* pairs of a tile of a scatter, and of one by a tree */
    unsigned capacity, middle;  /* pairs that a bucket may have for the sort, for the larger one */
    unsigned spare;             /* bits that the larger sort needs beside the undecided ones */
    unsigned long long *starts; /* buckets + 1 */
    unsigned *tile_begin;       /* segments + 1: first tiles of the second scatter */
    const hybrid_tree *tree;    /* where keys may go by one, or NULL */
    pairs_extents extents;      /* of its buckets */
    unsigned key_bits;
};

/* The sum of `own` over the threads before this one. sums: 32 words. A block calls. */
__device__ __forceinline__ unsigned pairs_sum_before(unsigned own, unsigned *sums)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned sum = own;
    for (unsigned o = 1; o < 32; o <<= 1) {
        unsigned up = __shfl_up_sync(~0u, sum, o);
        sum += lane >= o ? up : 0;
    }
    __syncthreads();
    if (lane == 31) {
        sums[warp] = sum;
    }
    __syncthreads();
    for (unsigned w = 0; w < warp; w++) {
        sum += sums[w];
    }
    return sum - own;
}

/* Notes of which keys the buckets of a tree are that have any: all blocks but the first, which
 * places. */
static __device__ void pairs_note_extents(const pairs_place_args &a)
{
    const unsigned buckets = 1u << a.digits.bits(), step = (gridDim.x - 1) * 1024;
    for (unsigned b = (blockIdx.x - 1) * 1024 + threadIdx.x; b < buckets; b += step) {
        if (a.counts[b] == 0 && a.handed[b] == 0) {
            continue; /* perhaps no leaf's */
        }
        const hybrid_extent e(a.tree, b);
        a.extents.least[b] = e.least;
        a.extents.left[b] = static_cast<unsigned char>(e.left);
        a.extents.fill[b] = static_cast<unsigned char>(
            e.left >= 8 ? e.most >> (e.left - 8) : ((e.most + 1) << (8 - e.left)) - 1);
    }
}

/* The pairs of a bucket as far as they decide what is to be done: none for equal keys of a tree's
 * bucket that no sort holds, which are in order already and are put on a list. */
static __device__ __forceinline__ unsigned pairs_to_sort(const pairs_place_args &a, unsigned b,
                                                         unsigned c)
{
    if (!a.plan->keys.by_tree || c <= a.middle || hybrid_extent(a.tree, b).left != 0) {
        return c;
    }
    a.extents.alike[atomicAdd(&a.plan->alike, 1u)] = b;
    return 0;
}

/* Decides what is to be done. most: pairs in the largest bucket. */
static __device__ void pairs_decide(const pairs_place_args &a, unsigned most)
{
    pairs_plan *p = a.plan;
    const bool by_tree = p->keys.by_tree != 0;
    const unsigned long long differ = p->keys.any ^ p->keys.all;
    const bool ordered = p->keys.falls == 0 || p->keys.rises == 0;
    p->middle = by_tree || (most > a.capacity && p->keys.shift + a.spare <= a.key_bits);
    p->split = most <= (p->middle ? a.middle : a.capacity) && !ordered &&
               (by_tree || differ >> p->keys.shift >> a.digits.bits() == 0);
    p->radix = !p->split;
}

/* Writes where the buckets begin, in the order of their keys: digits go round from the plan's
 * first one. Returns the pairs in the largest bucket of this warp's stretch.
 * sums: 32 words. */
static __device__ __forceinline__ unsigned pairs_start_buckets(const pairs_place_args &a,
                                                               unsigned *sums)
{
    const unsigned lane = threadIdx.x % 32;
    const unsigned buckets = 1u << a.digits.bits(), each = buckets / 32;
    const unsigned from = threadIdx.x / 32 * each;
    const unsigned turn = a.plan->keys.first;
    const auto counted = [&](unsigned b) {
        const unsigned d = (b + turn) & (buckets - 1);
        return a.counts[d] + (a.handed[d] << 15);
    };
    unsigned sum = 0, most = 0;
#pragma unroll 8
    for (unsigned b = from + lane; b < from + each; b += 32) {
        const unsigned c = counted(b);
        sum += c;
        most = most > c ? most : c;
    }
    if (__reduce_max_sync(~0u, most) > a.middle) {
        most = 0;
        for (unsigned b = from + lane; b < from + each; b += 32) {
            const unsigned c = pairs_to_sort(a, b, counted(b));
            most = most > c ? most : c;
        }
    }
    unsigned at = __shfl_sync(~0u, pairs_sum_before(sum, sums), 0);
#pragma unroll 8
    for (unsigned b = from + lane; b < from + each; b += 32) {
        const unsigned c = counted(b);
        unsigned in = c;
        for (unsigned o = 1; o < 32; o <<= 1) {
            unsigned up = __shfl_up_sync(~0u, in, o);
            in += lane >= o ? up : 0;
        }
        a.starts[b] = at + in - c;
        at += __shfl_sync(~0u, in, 31);
    }
    if (threadIdx.x == 0) {
        a.starts[buckets] = a.n;
    }
    return __reduce_max_sync(~0u, most);
}

/* Places all buckets: one block of 1024 threads; n < 2^32. A warp takes a stretch of the buckets.
 * Where keys may go by a tree there are more blocks, which note its extents. */
__global__ __launch_bounds__(1024) static void pairs_place(pairs_place_args a)
{
    USW_SHARED_ARRAY(unsigned, sums, [33]);
    usw_chained();
    if (blockIdx.x != 0) {
        if (a.plan->keys.by_tree) {
            pairs_note_extents(a);
        }
        return;
    }
    const unsigned t = threadIdx.x;
    if (a.plan->radix || a.plan->keys.few_values || a.plan->keys.radix) {
        if (t == 0 && a.plan->keys.radix) { /* there was no tree after all */
            a.plan->radix = 1;
        }
        return;
    }
    const unsigned most = pairs_start_buckets(a, sums);
    if (t == 0) {
        sums[32] = 0;
    }
    __syncthreads();
    if (t % 32 == 0) {
        atomicMax(&sums[32], most);
    }
    __syncthreads();
    const unsigned segments = 1u << a.digits.bits1;
    const unsigned tile = a.plan->keys.by_tree ? a.tree_tile : a.tile;
    unsigned tiles = 0;
    if (t < segments) {
        const unsigned long long size = a.starts[static_cast<size_t>(t + 1) << a.digits.bits2] -
                                        a.starts[static_cast<size_t>(t) << a.digits.bits2];
        tiles = static_cast<unsigned>((size + tile - 1) / tile);
    }
    const unsigned before = pairs_sum_before(tiles, sums);
    if (t < segments) {
        a.tile_begin[t] = before;
        if (t + 1 == segments) {
            a.tile_begin[t + 1] = a.plan->tiles[1] = before + tiles;
        }
    }
    if (t == 0) {
        a.plan->tiles[0] = static_cast<unsigned>((a.n + tile - 1) / tile);
        pairs_decide(a, sums[32]);
    }
}

#endif
