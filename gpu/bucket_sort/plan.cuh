/* plan.cuh - the plan of a bucket sort: a struct in global memory by which each step says what the
 * next ones do.
 *
 * Buckets are told apart by leading bits. Keys that all lie in a window of 2^(shift + bits) values
 * need no more bits than that, wherever it begins: the digit of its base comes first, and the last
 * one is followed by 0. So numbers of either sign about 0, which differ in all bits, are scattered
 * by those that say something. Step 3 places digits in this order, and numbers buckets in it. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_PLAN_CUH
#define USW_GPU_BUCKET_SORT_PLAN_CUH

#include "gpu/load_here.cuh"

/* Ways of even keys, of 32 and 64 bits, for the test `routes`, under the emulator. */
#ifdef USW_EMULATE
#define EVEN_WAY(why, taken) emulated_choice("even keys", why, 12, taken);
#else
#define EVEN_WAY(why, taken)
#endif

enum { HYBRID_UNCOUNTED_BITS = 1, HYBRID_UNCOUNTED_TREE = 2 }; /* which first scatter counts */
/* What blocks of steps 4 and 5 must know before they load anything else: two loads of 16 bytes. */
struct alignas(16) hybrid_plan_first {
    unsigned buckets;      /* 1: all that goes by buckets, of leading bits */
    unsigned tree_buckets; /* TREE_.. of prefix_tree.cuh */
    unsigned twice;        /* 1: there are twice as many buckets as the host has foreseen */
    unsigned group;        /* a bucket of step 5 is 1 << group values of the leading bits */
    unsigned shift;        /* the leading bits are the last `bits` of key >> shift */
    unsigned bits, bits1;  /* number of the leading bits; bits of the first scatter */
    unsigned crowded;      /* 1: many keys have the same digits */
};
/* Loads them from a plan, where the call stands. */
__device__ __forceinline__ hybrid_plan_first hybrid_first_of(const hybrid_plan_first *plan)
{
    const auto *from = reinterpret_cast<const uint4 *>(plan);
    const uint4 a = usw_load_here(from), b = usw_load_here(from + 1);
    return {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
}
struct hybrid_plan : hybrid_plan_first {
    unsigned long long any, all;  /* OR and AND of the mapped keys, less base */
    unsigned long long over;      /* keys in buckets that no local sort can hold */
    unsigned long long ranges[2]; /* of 6_large_lists.cuh: length << 40 and tiles of each list */
    unsigned bins[2];             /* bins in the list: small ones, and others */
    unsigned rises, falls;        /* 1: some key is above (below) its left neighbour */
    unsigned long long base;      /* a window of 2^(shift + bits) values begins here; or 0 */
    unsigned first;               /* its leading bits: 0, or a digit of the first scatter */
    unsigned ticket, done, taken;
    unsigned large;            /* buckets whose keys are counted in `over` */
    unsigned scatter;          /* 1: the first scatter is to be done */
    unsigned reverse, radix;   /* 1: the order is to be reversed; all is left to the radix sort */
    unsigned skip;             /* 1: no keys are to be counted by the next count */
    unsigned uncounted;        /* not 0: the first scatter counts, that of HYBRID_UNCOUNTED_... */
    unsigned region, regions;  /* of that by bits: the bucket of the first region, how many there */
    unsigned long long stride; /* are, and keys of each */
    unsigned few_values;    /* keys have few values: 1, and when these are counted their number */
    unsigned left;          /* buckets that gpu/bucket_sort/5_sort_by_counts.cuh leaves */
    unsigned rest;          /* 1: gpu/tree_buckets/sort_rest.cuh sorts some that are too large */
    unsigned by_tree, near; /* TREE_.. of prefix_tree.cuh, by_tree may be 1 */
    unsigned in_order;      /* 1: nothing is to be done but to copy keys of another array */
    unsigned begun;         /* 1: the sorts of what is left of a tree's buckets have begun */
    unsigned rests[2], rests_taken[2]; /* buckets on the lists of hybrid_rest_lists, and how many
                                        * blocks have taken but their first */
    unsigned ordered;                  /* 1: most neighbours rise, and gpu/runs looks at all keys */
};

/* The buckets that gpu/tree_buckets/sort_rest.cuh sorts or writes: in `room` words, those for small
 * blocks from the first on, and those for large ones from the last on. Others are sorted by
 * 5_sort.cu, if they have `small` keys at most and `most` bits left; large blocks have buckets of
 * more than `wide` keys. */
struct hybrid_rest_lists {
    unsigned *buckets;
    unsigned room, small, most, wide;
};

/* Where the window of 2^(shift + bits) values begins that the keys are in, by the plan's base and
 * all. */
__device__ __forceinline__ unsigned long long
hybrid_window_from(const hybrid_plan_first &plan, unsigned long long base, unsigned long long all)
{
    const unsigned top = plan.shift + plan.bits;
    return base + (top < 64 ? all >> top << top : 0);
}
__device__ __forceinline__ unsigned long long hybrid_window_of(const hybrid_plan *plan)
{
    return hybrid_window_from(*plan, plan->base, plan->all);
}

/* The bits above the undecided ones of the keys of the bucket `number` of step 5. */
__device__ __forceinline__ unsigned long long hybrid_bucket_least(const hybrid_plan *plan,
                                                                  unsigned number)
{
    const unsigned left = plan->shift + plan->group;
    return hybrid_window_of(plan) + (static_cast<unsigned long long>(number) << left);
}

/* Buckets of keys of 64 bits with so few bits left are written by the counts of their values. */
enum { HYBRID_FEW_LEFT = 7 };

#endif
