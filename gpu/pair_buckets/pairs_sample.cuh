/* pairs_sample.cuh - the bucket sort of pairs: a sample of the keys says which bits vary, and
 * whether the keys are even, go by a prefix tree, have few values, or are left to the radix sort.
 * */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_PAIR_BUCKETS_PAIRS_SAMPLE_CUH
#define USW_GPU_PAIR_BUCKETS_PAIRS_SAMPLE_CUH

#include "gpu/bucket_sort/1_sample.cuh"
#include "gpu/pair_buckets/pairs_place.cuh"

/* CELLS: of keys of the sample, to find buckets that have many. COARSE: bits by which a sample of
 * single keys is to be even. */
enum { PAIRS_CELLS = 4096, PAIRS_COARSE = 10 };

/* A thread's keys of the sample: of 512 stretches of 32 keys, evenly spread over the array, every
 * 32nd, in order; or, where neighbours are alike, since stretches then say little of the others, as
 * many single keys. */
template <typename K> struct pairs_taken {
    K key[16];
    unsigned fresh; /* a bit a key: it was not taken before, as keys of short arrays are */
    bool alone;     /* single keys */

    __device__ __forceinline__ void take(const K *keys, unsigned long long n,
                                         const usw_gpu_keymap<K> &map)
    {
        const unsigned long long lines = n / 32;
        fresh = 0;
#pragma unroll
        for (unsigned j = 0; j < 16; j++) {
            const unsigned i = threadIdx.x / 32 + 32 * j;
            const unsigned long long line = i * lines / 512, p = line * 32 + threadIdx.x % 32;
            const bool again = !alone && i != 0 && line == (i - 1) * lines / 512;
            fresh |= (again ? 0u : 1u) << j;
            key[j] = alone ? keys[hybrid_sample_alone(j, n)] : keys[p < n ? p : n - 1];
        }
#pragma unroll
        for (unsigned j = 0; j < 16; j++) {
            key[j] = map.map(key[j]);
        }
    }
    /* Whether some key is above, and below, one that it follows. A block calls. */
    __device__ __forceinline__ void compare(bool &rises, bool &falls) const
    {
        rises = falls = false;
#pragma unroll
        for (unsigned j = 1; j < 16; j++) {
            rises |= key[j - 1] < key[j];
            falls |= key[j - 1] > key[j];
        }
        rises = __syncthreads_or(rises);
        falls = __syncthreads_or(falls);
    }
    /* Whether most neighbours share a bucket, as in arrays that are nearly in order. A block
     * calls. */
    __device__ __forceinline__ bool neighbours_alike(unsigned shift) const
    {
        unsigned alike = 0;
#pragma unroll
        for (unsigned j = 0; j < 16; j++) {
            const K bucket = static_cast<K>(key[j] >> shift);
            alike += bucket == __shfl_up_sync(~0u, bucket, 1);
        }
        return __syncthreads_count(alike > 8) > 512;
    }
};

/* ORs and ANDs the keys of the sample to seen[0] and seen[1]. A block calls. */
template <typename K>
__device__ __forceinline__ void pairs_note_bits(const pairs_taken<K> &taken,
                                                unsigned long long *seen)
{
    unsigned long long any = 0, all = ~0ull;
#pragma unroll
    for (unsigned j = 0; j < 16; j++) {
        any |= taken.key[j];
        all &= taken.key[j];
    }
    hybrid_note_seen(any, all, seen);
}

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

/* With more keys of a value on average the radix sort is faster; by a tree, which fewer than
 * TREE_REPEATS_FROM pairs then don't go by. */
#ifdef USW_EMULATE
enum { PAIRS_COPIES = 11 };
#else
enum { PAIRS_COPIES = 16 };
#endif
template <typename K> __device__ __forceinline__ float pairs_most_copies(unsigned long long n)
{
    return sizeof(K) == 4 ? 10 : static_cast<float>(n >> PAIRS_COPIES) * 2 / 3;
}
/* Whether pairs may go by a tree that have so many keys of a value on average. Where a value of 32
 * bits has about as many as a bucket holds, buckets differ by whole values, and many are too large.
 * capacity: pairs of a bucket. */
template <typename K>
__device__ __forceinline__ bool pairs_may_repeat(unsigned long long n, float copies,
                                                 unsigned capacity)
{
    const float most = static_cast<float>(capacity);
    if (n < TREE_REPEATS_FROM) {
        return copies <= static_cast<float>(n >> PAIRS_COPIES) / 4;
    }
    return sizeof(K) == 8 || copies < most / 16 || copies > most * 2;
}

/* The leading bits for keys that vary in `varying` bits. capacity: pairs that a bucket may have. A
 * block calls. */
template <typename K>
__device__ __forceinline__ hybrid_leading<K> pairs_leading(const pairs_taken<K> &taken,
                                                           unsigned long long n, unsigned varying,
                                                           pairs_digits digits, unsigned capacity)
{
    USW_SHARED_ARRAY(K, ends, [64]);
    const unsigned bits = digits.bits();
    const usw_window window =
        usw_least_window<K, 16>(taken.key, ~0u, bits, digits.bits1, ends, ends + 32);
    const bool in_window = window.bits < varying;
    const unsigned top = in_window ? window.bits : varying;
    const K base = static_cast<K>(in_window ? window.base : 0);
    const bool fits = hybrid_fits(n, window.range, top, bits, capacity, 5.5f, 1);
    return {bits,
            top,
            top > bits ? top - bits : 0,
            base,
            static_cast<K>(window.least),
            window.range,
            fits,
            fits,
            fits ? hybrid_filled(window.range, top) : 1};
}

/* Whether keys fill a part of their window, so that few buckets are small enough, and there is no
 * tree: larger blocks then take longer than the radix sort, but for keys of 64 bits. */
template <typename K>
__device__ __forceinline__ bool pairs_overfill(unsigned long long n, const hybrid_leading<K> &l,
                                               unsigned capacity, bool tree)
{
    return sizeof(K) == 4 && !tree && !hybrid_fits(n, l.range, l.top, l.bits, capacity, 0, 1);
}

/* Takes the sample, and chooses the leading bits. rises, falls: whether some key does. seen: 0 and
 * ~0; the OR and AND of its keys. A block calls. */
template <typename K>
__device__ __forceinline__ hybrid_leading<K>
pairs_look(pairs_taken<K> &taken, const K *keys, unsigned long long n, const usw_gpu_keymap<K> &map,
           pairs_digits digits, unsigned capacity, bool &rises, bool &falls,
           unsigned long long *seen)
{
    hybrid_leading<K> l;
    for (unsigned turn = 0; turn < 2; turn++) {
        taken.alone = turn != 0;
        taken.take(keys, n, map);
        pairs_note_bits(taken, seen);
        l = pairs_leading(taken, n, hybrid_bits_of(seen[0] ^ seen[1]), digits, capacity);
        if (turn == 0) {
            taken.compare(rises, falls);
        }
        if (!rises || !taken.neighbours_alike(l.shift)) {
            break;
        }
    }
    return l;
}

/* Whether keys that are not even by their leading bits go by a prefix tree, which is then made. Of
 * single keys, which in arrays nearly in order are more even than at random, coarser cells tell.
 * many: some bucket has many of the sample. */
template <typename K>
__device__ __forceinline__ bool
pairs_make_tree(const pairs_taken<K> &taken, const K *keys, unsigned long long n,
                const usw_gpu_keymap<K> &map, const unsigned long long *seen, hybrid_leading<K> l,
                bool many, bool early, hybrid_tree *tree, unsigned char *memory)
{
    const unsigned bits = l.bits;
    if (taken.alone && bits > PAIRS_COARSE) {
        l.shift += bits - PAIRS_COARSE;
        l.bits = PAIRS_COARSE;
    }
    auto *words = reinterpret_cast<unsigned *>(memory);
    const bool even = hybrid_look<K, 16>(taken.key, l, taken.alone, 0, words).even;
    return (many || !even) &&
           0 != hybrid_take_tree<K>(keys, n, map, static_cast<K>(seen[1]),
                                    hybrid_bits_of(seen[0] ^ seen[1]), bits, taken.alone, ~0u,
                                    early, false, tree, memory);
}

/* Clears `words` words. Block 0 chooses the leading bits by a sample of the keys. Keys that look
 * reversed, differ in few bytes, or have more than `most` of the sample in one cell are left to the
 * radix sort, unless they go by a tree; if they have few values, after these have been counted.
 * Those that look sorted may be so but for a few. spare: bits that a sort of buckets needs beside
 * the undecided ones. capacity: its pairs. table: where keys of few values are counted, or NULL.
 * tree: for keys that are not even, or NULL. early: as for hybrid_sample. Shared memory:
 * hybrid_tables_bytes; with a tree hybrid_sample_shared. */
template <typename K>
__global__ __launch_bounds__(1024) void pairs_sample(
    const K *keys, unsigned long long n, usw_gpu_keymap<K> map, pairs_digits digits, unsigned spare,
    unsigned capacity, unsigned most, pairs_plan *plan, unsigned *zero, size_t words,
    hybrid_few<K> *table, hybrid_tree *tree, bool early)
{
    USW_DYNAMIC_SHARED(unsigned char, memory);
    USW_SHARED_ARRAY(unsigned long long, seen, [4]);
    USW_SHARED_ARRAY(unsigned, cells, [PAIRS_CELLS]);
    const unsigned t = threadIdx.x, bits = digits.bits(), wide = sizeof(K) * 8;
    usw_chained_early();
    if (!early) {
        usw_chained_late();
    }
    hybrid_clear_words(zero, words);
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
    pairs_taken<K> taken;
    bool rises = false, falls = false;
    const hybrid_leading<K> l =
        pairs_look(taken, keys, n, map, digits, capacity, rises, falls, seen);
    const unsigned long long differ = seen[0] ^ seen[1];
    const bool few_bytes = hybrid_bytes(hybrid_differ<K, 16>(taken.key, ~0u, map, differ,
                                                             seen + 2)) <= HYBRID_FEW_BYTES;
    const bool heavy = rises && !few_bytes && pairs_heavy(taken, l.shift, bits, most, cells);
    const bool counted =
        heavy && falls && table != nullptr && pairs_cells_used(cells) <= PAIRS_FEW &&
        hybrid_have_few_values<K, 16>(taken.key, taken.fresh, map, PAIRS_FEW, table, memory);
    const float copies =
        !rises || few_bytes || counted ? 1 : usw_copies<K, 16>(taken.key, n, memory);
    const bool alike = !heavy && copies > pairs_most_copies<K>(n);
    const bool by_tree = tree != nullptr && rises && !few_bytes && !counted && !alike &&
                         pairs_may_repeat<K>(n, copies, capacity) &&
                         pairs_make_tree(taken, keys, n, map, seen, l, heavy, early, tree, memory);
    if (early && !by_tree) {
        hybrid_leave_early(tree);
    }
    if (t == 0) {
        PAIRS_WAY("a sample of single keys", taken.alone && !by_tree);
        PAIRS_WAY("a tree of single keys", taken.alone && by_tree);
        PAIRS_WAY("they look in order", !falls);
        if (table != nullptr) {
            table->values = 0;
        }
        pairs_plan p = {};
        p.keys.all = ~0ull;
        p.keys.shift = by_tree ? hybrid_tree_low(sizeof(K), bits) : l.shift;
        p.keys.bits = bits;
        p.keys.base = by_tree ? 0 : l.base;
        p.keys.first = static_cast<unsigned>(p.keys.base >> l.shift) & ((1u << bits) - 1);
        p.radix = !by_tree && (!rises || few_bytes || heavy || alike || l.shift + spare > wide ||
                               pairs_overfill(n, l, capacity, tree != nullptr));
        p.keys.skip = p.radix;
        p.keys.few_values = counted;
        p.keys.by_tree = by_tree;
        *plan = p;
    }
    if (early) {
        usw_chained_late(); /* the end of this launch means that of the one before */
    }
}

#endif
