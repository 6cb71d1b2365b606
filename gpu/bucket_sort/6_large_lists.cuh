/* 6_large_lists.cuh - lists in global memory of what the buckets leave to step 6 of the bucket
 * sort.
 *
 * A range has more keys than step 5 can hold: it is split again, or written by its counts
 * (gpu/bucket_sort/6_large.cuh). A bin is what step 5 can hold. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_6_LARGE_LISTS_CUH
#define USW_GPU_BUCKET_SORT_6_LARGE_LISTS_CUH

#include "gpu/bucket_sort/2_count.cuh"
#include "gpu/prefix_tree/prefix_tree.cuh"

/* A range has more than HYBRID_BIN_KEYS keys, and a cell for each HYBRID_CELL_KEYS of them. */
enum { HYBRID_BIN_KEYS = 512 * 19 - 32, HYBRID_CELL_KEYS = 1536 };

/* With more than HYBRID_LARGE_MAX large buckets the radix sort is faster. Where large buckets are
 * written by counts each costs 65,536 counters, so the radix sort is faster with more than one
 * large bucket for each HYBRID_RANGE_PAYS of all keys. */
static constexpr unsigned HYBRID_LARGE_MAX = 16;
#ifdef USW_EMULATE
static constexpr unsigned HYBRID_RANGE_PAYS = 12000;
#else
static constexpr unsigned HYBRID_RANGE_PAYS = 27000;
#endif

enum { HYBRID_RANGE_NONE, HYBRID_RANGE_SPLIT, HYBRID_RANGE_FILL, HYBRID_RANGE_ONE_BLOCK };

struct hybrid_range {
    unsigned long long begin, size;
    unsigned long long tile; /* the number of its first tile */
    unsigned in_tmp;         /* 1: its keys are in tmp, 0: in keys */
    unsigned raw;            /* 1: its keys are not mapped yet */
    unsigned left;           /* its keys agree in all but the last `left` bits */
    unsigned no_fill;        /* 1: it is not to be written by counts */
    /* The digit: see hybrid_range_digit. */
    unsigned long long base;
    unsigned lo, span;
    unsigned in_cells;           /* 1: its table is in cells, 0: in the array without its keys */
    unsigned kind;               /* HYBRID_RANGE_... */
    unsigned long long any, all; /* OR and AND of its keys that are not outside */
};

/* A bin, which the list holds as a word. left: its keys agree in all but the last `left` bits. */
struct hybrid_bin {
    unsigned long long begin;
    unsigned size, left, in_tmp;
    __device__ __forceinline__ hybrid_bin(unsigned long long at, unsigned n, unsigned bits,
                                          unsigned tmp)
        : begin(at), size(n), left(bits), in_tmp(tmp)
    {
    }
    __device__ __forceinline__ explicit hybrid_bin(unsigned long long word)
        : begin(word >> 22), size(word >> 8 & 0x3fff), left(word >> 1 & 127), in_tmp(word & 1)
    {
    }
    __device__ __forceinline__ unsigned long long word() const
    {
        return begin << 22 | size << 8 | left << 1 | in_tmp;
    }
};

struct hybrid_lists {
    hybrid_range *ranges[2];  /* used in turns: one is read while the other grows */
    unsigned long long *bins; /* small bins from the front, the others from the back */
    unsigned bins_max, small; /* of the list; keys of a small bin at most */
    uint4 *cells;
    unsigned tile; /* keys of a range's tile */
};

/* Ranges, cells and bins that n keys can make at most. */
static inline size_t hybrid_ranges_max(unsigned long long n)
{
    return n / HYBRID_BIN_KEYS + 1;
}
static inline size_t hybrid_cells_max(unsigned long long n)
{
    return n / HYBRID_CELL_KEYS + 1;
}
/* Bins of one level; the list holds those of two. */
static inline size_t hybrid_bins_max(unsigned long long n)
{
    return n / 2048 + 258;
}

__device__ __forceinline__ unsigned long long hybrid_ranges_number(unsigned long long ranges)
{
    return ranges >> 40;
}
__device__ __forceinline__ unsigned long long hybrid_ranges_tiles(unsigned long long ranges)
{
    return ranges & ((1ull << 40) - 1);
}

/* Adds a range to list `list`; one addition gives its place and its first tile. */
static __device__ __noinline__ void hybrid_push_range(hybrid_plan *plan, hybrid_lists l,
                                                      unsigned list, hybrid_range range)
{
    unsigned long long tiles = (range.size + l.tile - 1) / l.tile;
    unsigned long long at = atomicAdd(&plan->ranges[list], (1ull << 40) + tiles);
    range.tile = hybrid_ranges_tiles(at);
    l.ranges[list][hybrid_ranges_number(at)] = range;
}

/* Adds keys as a range or, if step 5 can hold them, as a bin. */
__device__ __forceinline__ void hybrid_push(hybrid_plan *plan, const hybrid_lists &l, unsigned list,
                                            unsigned long long begin, unsigned long long size,
                                            unsigned in_tmp, unsigned left)
{
    if (size > HYBRID_BIN_KEYS) {
        hybrid_range range = {};
        range.begin = begin;
        range.size = size;
        range.in_tmp = in_tmp;
        range.left = left;
        hybrid_push_range(plan, l, list, range);
    } else if (size != 0) {
        const hybrid_bin bin(begin, static_cast<unsigned>(size), left, in_tmp);
        const bool large = size > l.small;
        const unsigned at = atomicAdd(&plan->bins[large], 1u);
        l.bins[large ? l.bins_max - 1 - at : at] = bin.word();
    }
}

/* Puts bucket b of c keys on a list of gpu/tree_buckets/sort_rest.cuh, if that is to sort or write
 * it. by_tree: of a tree, else of leading bits. Smaller buckets of a tree of few values are written
 * where others are sorted. */
template <bool by_tree>
static __device__ void hybrid_push_rest(hybrid_plan *plan, const hybrid_rest_lists &lists,
                                        unsigned b, unsigned long long c, unsigned left,
                                        unsigned key_bits)
{
    const bool few =
        left <= TREE_COUNTED_LEFT &&
        (by_tree ? left != 0 && c > TREE_COUNTED_TIMES * 1ull * lists.small : c > lists.small);
    const bool sorts =
        left > TREE_COUNTED_LEFT && (c > lists.small || (by_tree && left > lists.most));
    const bool large = few || c > lists.wide;
    TREE_WAY(TREE_COUNTS_LARGE, few && by_tree)
#ifdef USW_EMULATE
    if (key_bits == 32) {
        emulated_choice("buckets by bits", "large ones of few values", 4, !by_tree && few);
        emulated_choice("buckets by bits", "larger ones by large blocks", 4,
                        !by_tree && sorts && large);
        emulated_choice("buckets by bits", "larger ones by small blocks", 4,
                        !by_tree && sorts && !large);
    }
#endif
    (void)key_bits;
    if (few || sorts) {
        const unsigned at = atomicAdd(&plan->rests[large], 1u);
        lists.buckets[large ? lists.room - 1 - at : at] = b;
    }
}

#endif
