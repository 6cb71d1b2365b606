/* 3_place.cuh - step 3 of the bucket sort: where buckets begin, and which steps have work. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_3_PLACE_CUH
#define USW_GPU_BUCKET_SORT_3_PLACE_CUH

#include "gpu/bucket_sort/6_large_lists.cuh"
#include "gpu/bucket_sort/tuning.cuh"
#include "gpu/prefix_tree/extents.cuh"

/* Sums over a block of 256 threads: returns the sum of all c, and sets before to that of the
 * threads below. sums: 8 words. */
__device__ __forceinline__ unsigned long long
hybrid_block_sum(unsigned long long c, unsigned long long *sums, unsigned long long &before)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned long long in = c, total = 0;
    for (int o = 1; o < 32; o <<= 1) {
        unsigned long long up = __shfl_up_sync(~0u, in, o);
        in += lane >= static_cast<unsigned>(o) ? up : 0;
    }
    if (lane == 31) {
        sums[warp] = in;
    }
    __syncthreads();
    before = in - c;
    for (unsigned w = 0; w < 8; w++) {
        before += w < warp ? sums[w] : 0;
        total += sums[w];
    }
    __syncthreads();
    return total;
}

struct hybrid_place_args {
    hybrid_plan *plan;
    unsigned long long n;
    unsigned *counts, *handed;      /* 2^bits */
    const unsigned *scatter_counts; /* 2^bits: the counts where the first scatter has counted */
    unsigned bits, bits1;           /* of all buckets, of the first scatter's */
    unsigned capacity;              /* keys of a bucket that the local sort can hold */
    unsigned tile;                  /* keys of a tile of the second scatter */
    /* The bits by which uneven keys are counted again, or 0. With 16 bits counted, at most 16 are
     * left of a key of 32, so that a large bucket of any size can be written by counts
     * (gpu/bucket_sort/6_large.cuh) and no keys are left to the radix sort. */
    unsigned fine;
    bool second;    /* keys have been counted again */
    unsigned group; /* a bucket of step 5 has 1 << group values, once keys are counted again */
    unsigned long long
        large_from;       /* large buckets of fewer keys than this are left to the radix sort */
    unsigned missed_left; /* and where the sample missed a bit, keys that vary in more low bits */
    unsigned long long *published; /* zeros: 2^bits1 sizes that blocks publish to each other, and
                                    * from 256 on how many of these keys move, by a tree */
    unsigned long long *starts;    /* 2^bits: where the buckets begin */
    unsigned long long *begin; /* 2^bits1: where the buckets of the first scatter begin, in order */
    unsigned long long *stop;  /* 2^bits1: where they end */
    unsigned long long *cursor; /* 2^bits1: begin again, as cursors, by number */
    unsigned *tile_begin;   /* 257: first tiles of the buckets of the first scatter; [256]: all */
    hybrid_lists lists;     /* for large_from keys or more; tile 0: keys are only counted */
    hybrid_tree *tree;      /* where keys may go by one, or NULL */
    hybrid_extents extents; /* of its buckets */
    unsigned key_bits;
    bool spares; /* larger buckets than `capacity` are sorted by gpu/tree_buckets/sort_rest.cuh */
    hybrid_rest_lists rest;
};

/* Notes bucket `number` of c keys at `at`, which step 5 cannot hold. */
static __device__ void hybrid_note_large(const hybrid_place_args &a, unsigned number,
                                         unsigned long long at, unsigned long long c)
{
    if (a.spares) {
        hybrid_push_rest<false>(a.plan, a.rest, number, c, a.plan->shift, 32);
    }
    if (a.spares || c > HYBRID_BIN_KEYS || a.n < a.large_from) {
        atomicAdd(&a.plan->over, c);
        atomicAdd(&a.plan->large, !a.spares || c > TREE_CAPACITY ? 1u : 0u);
    }
    if (a.n >= a.large_from) {
        hybrid_push(a.plan, a.lists, 0, at, c, a.bits1 == a.bits, a.plan->shift);
    }
}

/* Notes large buckets where keys were counted again: the values of a bucket that is too large are
 * joined with their neighbours to bins as large as step 5 can hold. sums: counts of the block
 * before each value, of keys from `at` on; in_tmp: the second scatter leaves the keys in tmp. */
static __device__ void hybrid_join_values(const hybrid_place_args &a,
                                          const unsigned long long *sums, unsigned long long at,
                                          bool in_tmp)
{
    const unsigned v = threadIdx.x;
    unsigned join = a.group;
    auto first = [&] { return v >> join << join; };
    auto size = [&] { return sums[first() + (1u << join)] - sums[first()]; };
    if (size() <= a.capacity) {
        return;
    }
    while (join > 0 && size() > HYBRID_BIN_KEYS) {
        join--;
    }
    if (v == first()) {
        if (size() > HYBRID_BIN_KEYS) {
            atomicAdd(&a.plan->large, 1u);
        }
        hybrid_push(a.plan, a.lists, 0, at + sums[v], size(), in_tmp, a.plan->shift + join);
    }
}

/* Decides what is to be done where keys may be counted again. Keys are counted again if some bucket
 * is too large or the sample has missed a bit. Buckets that are too large for step 5 and too small
 * to be worth 65,536 counters, as of keys in a narrow range, are left to the radix sort if there
 * are many. The last block calls. */
static __device__ void hybrid_decide_fine(const hybrid_place_args &a, bool ordered, bool missed,
                                          unsigned long long differ, unsigned long long all)
{
    hybrid_plan *plan = a.plan;
    const bool large = usw_load_relaxed(&plan->large) != 0;
    const bool recount = !ordered && !a.second && (missed || (large && a.bits < a.fine));
    const bool radix =
        !ordered && !recount && usw_load_relaxed(&plan->large) > a.n / HYBRID_RANGE_PAYS;
    __syncthreads();
    if (threadIdx.x == 0) {
        plan->reverse = ordered && plan->falls != 0;
        plan->in_order = ordered && plan->falls == 0;
        plan->radix = radix;
        plan->buckets = !ordered && !recount && !radix;
        plan->scatter = plan->buckets && !plan->uncounted;
        plan->crowded = large || a.second;
        if (ordered || recount || radix) { /* the lists made so far are not for use */
            plan->ranges[0] = 0;
            plan->bins[0] = plan->bins[1] = 0;
        }
        if (recount) {
            /* Not in the window that the sample has shown: then anything. */
            const bool outside = missed && plan->base != 0;
            const unsigned top =
                outside ? a.key_bits
                        : 64 - static_cast<unsigned>(__clzll(static_cast<long long>(differ)));
            plan->shift = top > a.fine ? top - a.fine : 0;
            plan->base = outside || plan->base == 0 ? 0 : plan->base + (all >> top << top);
            plan->first = static_cast<unsigned>(plan->base >> plan->shift) & ((1u << a.fine) - 1);
            plan->bits = a.fine;
            plan->skip = plan->uncounted = 0;
            plan->ticket = plan->done = plan->large = 0;
        }
    }
    if (recount && threadIdx.x < 1u << a.bits1) {
        a.published[threadIdx.x] = a.published[256 + threadIdx.x] = 0;
    }
}

/* Notes of which keys bucket d of a tree is, which has c of them. Returns whether these are not
 * moved, since all are equal. */
static __device__ bool hybrid_note_extent(const hybrid_place_args &a, unsigned d,
                                          unsigned long long c)
{
    if (c == 0) {
        return false;
    }
    const hybrid_extent e(a.tree, d);
    a.extents.note(d, e);
    hybrid_push_rest<true>(a.plan, a.rest, d, c, e.left, a.key_bits);
    const bool counted = e.left <= (c >> 32 == 0 ? TREE_COUNTED_LEFT : TREE_FEW_LEFT);
    if (c > TREE_CAPACITY && !counted) {
        usw_store_relaxed(&a.plan->large, 1u);
    } else if (c > a.capacity && e.left == 0) {
        usw_store_relaxed(&a.tree->alike, 1u);
    } else if (c > a.capacity && !counted) {
        atomicAdd(&a.plan->over, c);
    }
    return e.alike;
}

/* Decides what is to be done with keys that go by a tree. If a bucket is too large, and not of few
 * values, or a fourth of the keys of 32 bits is in buckets for blocks that have a multiprocessor
 * for themselves, all are left to the radix sort. The last block calls. */
static __device__ void hybrid_decide_tree(const hybrid_place_args &a)
{
    hybrid_plan *plan = a.plan;
    const bool ordered = plan->falls == 0 || plan->rises == 0;
    const bool many_large = a.key_bits == 32 && usw_load_relaxed(&plan->over) > a.n / 4;
    const bool radix = !ordered && (usw_load_relaxed(&plan->large) != 0 || many_large);
    TREE_WAY(TREE_LARGER, !ordered && many_large && threadIdx.x == 0)
    if (threadIdx.x == 0) {
        plan->bits1 = a.bits1;
        plan->shift = a.key_bits - (a.bits - a.bits1); /* of hybrid_coded keys */
        plan->skip = 1;
        plan->reverse = ordered && plan->falls != 0;
        plan->in_order = ordered && plan->falls == 0;
        plan->radix = radix;
        plan->tree_buckets = ordered || radix          ? 0
                             : plan->near == TREE_NEAR ? TREE_IN_TMP
                                                       : TREE_IN_KEYS;
    }
}

/* Decides what is to be done after a count. Where many keys are in large buckets, the buckets of
 * the first scatter become the ranges of gpu/bucket_sort/6_large.cuh. Where the sample has missed a
 * leading bit, all keys become one range. Many large buckets, or large buckets of few keys, are
 * faster sorted by the radix sort. The last block calls. */
static __device__ void hybrid_decide(const hybrid_place_args &a)
{
    hybrid_plan *plan = a.plan;
    const unsigned tid = threadIdx.x, large = usw_load_relaxed(&plan->large);
    const unsigned long long any = usw_load_relaxed(&plan->any), all = usw_load_relaxed(&plan->all);
    const bool uncounted = plan->uncounted != 0;
    const bool ordered = plan->falls == 0 || plan->rises == 0;
    const bool missed = (any ^ all) >> plan->shift >> a.bits != 0;
    if (tid == 0) {
        plan->bits1 = a.bits1;
        plan->group = a.group;
        plan->skip = 1;
    }
    if (a.fine != 0) {
        hybrid_decide_fine(a, ordered, missed, any ^ all, all);
        return;
    }
    const unsigned long long over = usw_load_relaxed(&plan->over);
    const bool uneven = a.bits1 < a.bits && over > a.n / (a.spares ? 4 : 8);
    const bool radix =
        !ordered && (missed || large != 0 || (a.spares && uneven)) &&
        (a.n < a.large_from || (missed ? plan->base != 0 || (any ^ all) >> (a.missed_left - 1) > 1
                                       : large > HYBRID_LARGE_MAX || (uneven && uncounted)));
    if (!ordered && !radix && !missed && !uneven) {
        if (tid == 0) {
            plan->scatter = !uncounted;
            plan->buckets = 1;
            plan->rest = a.spares && over != 0;
        }
        return;
    }
    if (tid == 0) { /* the lists made so far are not for use */
        plan->ranges[0] = 0;
        plan->bins[0] = plan->bins[1] = 0;
        plan->reverse = ordered && plan->falls != 0;
        plan->in_order = ordered && plan->falls == 0;
        plan->radix = radix;
        plan->scatter = !ordered && !radix && !missed;
        __threadfence();
    }
    __syncthreads();
    if (ordered || radix) {
        return;
    }
    if (!missed && tid < 1u << a.bits1) {
        unsigned long long at = usw_load_relaxed(&a.begin[tid]);
        hybrid_push(plan, a.lists, 0, at, usw_load_relaxed(&a.stop[tid]) - at, 1,
                    plan->shift + a.bits - a.bits1);
    } else if (missed && tid == 0) {
        hybrid_range whole = {};
        whole.size = a.n;
        whole.left = 64 - static_cast<unsigned>(__clzll(static_cast<long long>(any ^ all)));
        whole.raw = 1;
        hybrid_push_range(plan, a.lists, 0, whole);
    }
}

/* Takes the counts of the values in bucket b of the first scatter; c is that of this thread. whole:
 * one value has all keys of a bucket that is too large, so the second scatter need not move it.
 * Buckets that step 5 can hold are never whole, for step 5 looks for them where the second scatter
 * puts them. The counts become 0 for the next count. Returns the size of the bucket. */
static __device__ __forceinline__ unsigned long long
hybrid_take_count(const hybrid_place_args &a, unsigned b, unsigned long long *sums,
                  unsigned long long &c, unsigned long long &within, bool &whole)
{
    const unsigned digits = 1u << (a.bits - a.bits1), d = b * digits + threadIdx.x;
    c = 0;
    if (threadIdx.x < digits && a.plan->uncounted) {
        c = a.scatter_counts[d];
    } else if (threadIdx.x < digits) {
        c = a.counts[d] + (static_cast<unsigned long long>(a.handed[d]) << 15);
        a.counts[d] = a.handed[d] = 0;
    }
    const unsigned long long size = hybrid_block_sum(c, sums, within);
    whole = false;
    if (a.bits == a.fine && !a.plan->uncounted && !a.plan->by_tree && size > HYBRID_BIN_KEYS &&
        size > a.capacity) {
        whole = __syncthreads_or(c == size);
    }
    return size;
}

/* Where bucket b of the first scatter, whose keys go to `at` in the end, begins in tmp. */
static __device__ __forceinline__ unsigned long long hybrid_from(const hybrid_place_args &a,
                                                                 unsigned b, unsigned long long at)
{
    if (!a.plan->uncounted || a.plan->by_tree) {
        return a.plan->uncounted ? a.tree->regions[b] : at;
    }
    const unsigned number = (b - a.plan->region) & ((1u << a.bits1) - 1);
    EVEN_WAY("a bucket of a part of the range", a.plan->region != 0)
    return number * a.plan->stride;
}

/* What the block of this thread's number as a ticket has published from `word` on, if it is before
 * ticket b: blocks of lower tickets have begun, so it will come. */
static __device__ __forceinline__ unsigned long long hybrid_published(const hybrid_place_args &a,
                                                                      unsigned b, unsigned word)
{
    unsigned long long other = threadIdx.x < b ? 0 : 1;
    while (other == 0) {
        usw_yield();
        other = usw_load_relaxed(&a.published[word + threadIdx.x]);
    }
    return other - 1;
}

/* A block of 256 threads places each bucket of the first scatter: it publishes the size of the
 * bucket and sums those of all buckets before. The last block decides. */
__global__ __launch_bounds__(256) static void hybrid_place(hybrid_place_args a)
{
    USW_SHARED_ARRAY(unsigned long long, sums, [8]);
    USW_SHARED_ARRAY(unsigned long long, befores, [257]);
    USW_SHARED(unsigned, ticket);
    usw_chained();
    if (a.plan->skip && (!a.plan->uncounted || a.second)) {
        return;
    }
    a.bits = a.plan->bits;
    const bool by_tree = a.tree != nullptr && a.plan->by_tree != 0;
    const unsigned tid = threadIdx.x, digits = 1u << (a.bits - a.bits1);
    auto tiles = [&](unsigned long long keys) { return (keys + a.tile - 1) / a.tile; };
    if (tid == 0) {
        ticket = atomicAdd(&a.plan->ticket, 1u);
    }
    __syncthreads();
    /* Blocks take buckets in the order of their keys, and so come the second scatter's tiles. */
    const unsigned t = ticket, turn = a.plan->first / digits;
    const unsigned b = (t + turn) & ((1u << a.bits1) - 1), d = b * digits + tid;
    unsigned long long c, within, none;
    bool whole;
    const unsigned long long size = hybrid_take_count(a, b, sums, c, within, whole);
    const bool stays = by_tree && tid < digits && hybrid_note_extent(a, d, c);
    const unsigned long long moves = whole     ? 0
                                     : by_tree ? size - hybrid_block_sum(stays ? c : 0, sums, none)
                                               : size;
    if (tid < digits) {
        befores[tid] = within;
    }
    if (tid == 0) {
        befores[digits] = size;
        usw_store_relaxed(&a.published[t], size + 1);
        usw_store_relaxed(&a.published[256 + t], moves + 1);
    }
    const unsigned long long at = hybrid_block_sum(hybrid_published(a, t, 0), sums, none);
    const unsigned long long other = hybrid_published(a, t, 256);
    const unsigned first = static_cast<unsigned>(hybrid_block_sum(tiles(other), sums, none));
    if (tid < digits) {
        /* A bucket that is not scattered again has all keys in place, or they are counted and never
         * move: its cursor is at its end. */
        a.starts[t * digits + tid] = at + within + (whole || stays ? c : 0);
        if (by_tree) { /* no list has its large buckets */
        } else if (a.fine != 0) {
            hybrid_join_values(a, befores, at, whole);
        } else if (c > a.capacity && a.lists.tile != 0) {
            hybrid_note_large(a, t * digits + tid, at + within, c);
        }
    }
    if (tid == 0) {
        const unsigned long long from = hybrid_from(a, b, at);
        a.begin[t] = a.cursor[b] = from;
        a.stop[t] = from + (by_tree ? moves : size);
        a.tile_begin[t] = first;
        if (t + 1 == gridDim.x) {
            a.tile_begin[t + 1] = a.tile_begin[256] = first + static_cast<unsigned>(tiles(moves));
        }
    }
    __threadfence();
    __syncthreads();
    if (tid == 0) {
        ticket = atomicAdd(&a.plan->done, 1u);
    }
    __syncthreads();
    if (ticket + 1 == gridDim.x) {
        __threadfence();
        by_tree ? hybrid_decide_tree(a) : hybrid_decide(a);
    }
}
#endif
