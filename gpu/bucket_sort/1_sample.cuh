/* 1_sample.cuh - step 1 of the bucket sort: a sample of the keys says which bits vary, and whether
 * the keys are even, have few values, or are left to the radix sort. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_1_SAMPLE_CUH
#define USW_GPU_BUCKET_SORT_1_SAMPLE_CUH

#include "gpu/block/even_keys.cuh"
#include "gpu/bucket_sort/1_sample_looks.cuh"

/* Blocks of the cluster that takes the sample, and of the launch. */
#ifdef USW_EMULATE
enum { SAMPLE_RANKS = 2, SAMPLE_BLOCKS = 4 };
#else
enum { SAMPLE_RANKS = 4, SAMPLE_BLOCKS = 32 };
#endif

/* The first scatter that counts (4_scatter_uncounted.cuh), of keys that the sample finds even. */
struct hybrid_even {
    unsigned bits1;             /* bits of the first scatter; 0: keys are always counted first */
    unsigned long long *cursor; /* where the regions begin is written there */
    unsigned long long room;    /* keys of all regions, at most */
};

/* Shared memory of hybrid_sample. */
template <typename K> constexpr size_t hybrid_sample_shared(unsigned bits)
{
    if constexpr (sizeof(K) < 4) {
        return hybrid_count_shared(bits);
    } else {
        constexpr size_t tables = hybrid_tables_bytes<K>();
        constexpr size_t most = tables > hybrid_grow_shared ? tables : hybrid_grow_shared;
        return most > hybrid_count_shared(bits) ? most : hybrid_count_shared(bits);
    }
}

/* Loads the sample, 512 stretches of 32 keys that are evenly spread over the array, as mapped keys;
 * bit i of `here` says that k[i] lies in the array. seen: the OR and AND of all. A block calls. */
template <typename K, int I>
__device__ __forceinline__ void hybrid_take_sample(const K *keys, unsigned long long n,
                                                   const usw_gpu_keymap<K> &map, K (&k)[I],
                                                   unsigned &here, unsigned long long *seen)
{
    if (threadIdx.x == 0) {
        seen[0] = 0;
        seen[1] = ~0ull;
    }
    __syncthreads();
    unsigned long long any = 0, all = ~0ull;
    here = 0;
#pragma unroll
    for (int i = 0; i < I; i++) {
        const unsigned long long p = hybrid_sample_place(static_cast<unsigned>(i), n);
        here |= static_cast<unsigned>(p < n) << i;
        k[i] = p < n ? keys[p] : K(0);
    }
#pragma unroll
    for (int i = 0; i < I; i++) {
        k[i] = map.map(k[i]);
        any |= (here >> i & 1) != 0 ? k[i] : 0;
        all &= (here >> i & 1) != 0 ? k[i] : ~0ull;
    }
    hybrid_note_seen(any, all, seen);
}

/* The regions of a first scatter that counts: so many of `stride` keys, which begin with that of
 * the least key. stride 0: there is not room for the mean and five deviations. */
struct hybrid_regions {
    unsigned long long stride;
    unsigned number, first;
};
/* They share all the room, since keys that are a little uneven look even to a sample. */
template <typename K>
__device__ __forceinline__ hybrid_regions hybrid_choose_regions(const hybrid_leading<K> &l,
                                                                unsigned long long n,
                                                                const hybrid_even &level)
{
    const unsigned bits1 = level.bits1, width = l.top > bits1 ? l.top - bits1 : 0;
    const unsigned long long key = l.least; /* so wide, since it is shifted by all its bits */
    const unsigned long long base = l.base != 0 ? l.base : l.top < 64 ? key >> l.top << l.top : 0;
    const unsigned long long last = ~0ull >> (64 - l.top), beside = l.range >> 12;
    const unsigned long long least = key - base, greatest = least + l.range;
    const unsigned long long from = least < beside ? 0 : least - beside;
    const unsigned long long to = last - greatest < beside ? last : greatest + beside;
    const unsigned number = static_cast<unsigned>((to >> width) - (from >> width)) + 1;
    const float mean = static_cast<float>(n) / (l.filled * static_cast<float>(1u << bits1));
    const unsigned long long stride = level.room / number / 32 * 32;
    return {static_cast<float>(stride) < mean + 5 * sqrtf(mean) ? 0 : stride, number,
            static_cast<unsigned>((base + from) >> width) & ((1u << bits1) - 1)};
}

/* Whether the sample is even enough for that. A block calls. */
template <typename K, int I>
__device__ __forceinline__ bool hybrid_may_go_uncounted(const K (&k)[I], unsigned long long n,
                                                        const hybrid_leading<K> &l,
                                                        const hybrid_even &level, unsigned *counts)
{
    if (level.bits1 == 0 || !l.serves || l.shift == 0 ||
        hybrid_choose_regions(l, n, level).stride == 0) {
        return false;
    }
    return usw_is_even<K, I>(k, {l.shift, l.bits, level.bits1, l.filled, HYBRID_UNCOUNTED_DOUBT},
                             counts);
}
/* Notes what a count would, and where the regions begin. seen: of all keys of the sample. A block
 * calls. */
template <typename K>
__device__ __forceinline__ void
hybrid_note_regions(unsigned long long n, const hybrid_leading<K> &l, const hybrid_even &level,
                    const unsigned long long *seen, hybrid_plan *plan)
{
    const hybrid_regions r = hybrid_choose_regions(l, n, level);
    const unsigned mask = (1u << level.bits1) - 1;
    if (threadIdx.x == 0) {
        plan->any = l.base != 0 ? ~0ull >> (64 - l.top) : seen[0];
        plan->all = l.base != 0 ? 0 : seen[1];
        plan->rises = plan->falls = 1;
        plan->stride = r.stride;
        plan->region = r.first;
        plan->regions = r.number;
    }
    if (threadIdx.x <= mask) {
        level.cursor[threadIdx.x] = ((threadIdx.x - r.first) & mask) * r.stride;
    }
}

/* What the sample shows. many: too many buckets are crowded; crowds: some is; few_values: by few
 * values. alike: too many keys are equal, so many copies of each. falls: neighbours that do;
 * one_run: the array is one run but for a few; weaves: gpu/runs looks at it. looks: by leading
 * bits. even: enough for a scatter that counts. */
struct hybrid_shown {
    bool many, crowds, few_values, alike, one_run, weaves, even;
    float copies;
    unsigned falls;
    hybrid_looks looks;
};

/* The sample's questions: each is answered by a block of a cluster of `ranks`, as if the answers to
 * the others were all no; or one after the other by one block, that leaves out what it need not
 * know. */
template <typename K, int I, unsigned ranks> struct hybrid_questions {
    const K (&k)[I];
    unsigned here;
    unsigned long long n;
    const usw_gpu_keymap<K> &map;
    const hybrid_leading<K> &l;
    const hybrid_crowded &crowded;
    unsigned bits;  /* that the host has foreseen */
    bool few_bytes; /* keys differ in few */
    unsigned *counts;

    __device__ __forceinline__ static bool answers(unsigned question)
    {
        return ranks == 1 || usw_cluster<ranks>::rank() == question % ranks;
    }
    __device__ __forceinline__ void ask_for_crowds(hybrid_shown &s, hybrid_few<K> *table,
                                                   bool tree) const
    {
        if (crowded.keys != 0) {
            s.many = hybrid_is_crowded<K, I>(k, here, l.shift, l.bits, crowded, counts) ||
                     (sizeof(K) == 4 && tree && !l.fits && l.bits == bits);
            s.crowds = (counts[0] & 0xffff) != 0;
            s.few_values =
                s.crowds && hybrid_may_have_few_values<K, I>(k, here, map, table, counts);
        }
    }
    __device__ __forceinline__ void ask_for_equal(hybrid_shown &s) const
    {
        if (crowded.keys != 0 && !few_bytes && !s.many && !s.crowds) {
            s.alike = hybrid_repeats<K, I>(k, n, l, crowded, counts, s.copies);
        }
    }
    __device__ __forceinline__ void ask_for_order(hybrid_shown &s) const
    {
        if (crowded.falls != 0 && !s.few_values) {
            s.falls = hybrid_falls<K, I>(k, counts);
            s.one_run = (rises(s) || turned(s)) && hybrid_is_one_run<K, I>(k, turned(s));
            s.weaves = rises(s) && !hybrid_turns<K, I>(k);
            EVEN_WAY("an array that turns is not woven", rises(s) && !s.weaves && threadIdx.x == 0)
        }
    }
    __device__ __forceinline__ void ask_for_looks(hybrid_shown &s) const
    {
        if (!few_bytes && !s.few_values) {
            s.looks = hybrid_look<K, I>(k, l, false, crowded.near, counts);
        }
    }
    __device__ __forceinline__ bool rises(const hybrid_shown &s) const
    {
        return s.falls <= crowded.falls;
    }
    __device__ __forceinline__ bool turned(const hybrid_shown &s) const
    {
        return s.falls + crowded.falls >= 512 * 31;
    }
    /* Has all questions answered, to `shown`, shared by a block's threads, which call. The answers
     * of the others are taken to that of the first block. */
    __device__ __forceinline__ void ask(hybrid_shown &shown, const hybrid_even &level,
                                        hybrid_few<K> *table, bool tree) const
    {
        using cluster = usw_cluster<ranks>;
        hybrid_shown s = {};
        if (answers(0)) {
            ask_for_crowds(s, table, tree);
        }
        if (answers(1)) {
            ask_for_equal(s);
            ask_for_order(s);
        }
        if (answers(2) && tree) {
            ask_for_looks(s);
        }
        if (ranks > 1 && answers(3)) {
            s.even = hybrid_may_go_uncounted<K, I>(k, n, l, level, counts);
        }
        if (threadIdx.x == 0) {
            shown = s;
        }
        cluster::barrier();
        if (ranks > 1 && cluster::rank() == 0) {
            const hybrid_shown &equal = *cluster::at(&shown, 1 % ranks);
            const hybrid_shown &looks = *cluster::at(&shown, 2 % ranks);
            const hybrid_shown &even = *cluster::at(&shown, 3 % ranks);
            const bool clear = !few_bytes && !s.many && !s.crowds;
            s.alike = equal.alike && clear;
            s.copies = clear ? equal.copies : 0;
            s.falls = equal.falls;
            s.one_run = equal.one_run;
            s.weaves = equal.weaves;
            s.looks = looks.looks;
            s.even = even.even;
            __syncthreads();
            if (threadIdx.x == 0) {
                shown = s;
            }
        }
        cluster::barrier();
    }
};

__device__ __forceinline__ void hybrid_begin_plan(hybrid_plan *plan, unsigned bits)
{
    *plan = hybrid_plan();
    plan->all = ~0ull;
    plan->bits = bits;
}
/* Notes the leading bits, or that keys go by a tree. bits: that the host has foreseen. One thread
 * calls. */
template <typename K>
__device__ __forceinline__ void hybrid_note_leading(hybrid_plan *plan, const hybrid_leading<K> &l,
                                                    unsigned bits, unsigned by_tree)
{
    plan->shift = l.shift;
    plan->bits = by_tree ? bits : l.bits;
    plan->twice = plan->bits != bits;
    plan->base = by_tree ? 0 : l.base;
    plan->first = static_cast<unsigned>(plan->base >> l.shift) & ((1u << l.bits) - 1);
    plan->by_tree = by_tree;
}

/* Clears what the count adds to, and chooses the leading bits by a sample of the keys. A cluster of
 * `ranks` blocks takes it, if that is not 1. table: where keys of few values are counted, or NULL.
 * tree: for keys that are not even, or NULL. early: the launch before grows it, and may yet. */
template <typename K, unsigned ranks>
__global__ __launch_bounds__(1024) void hybrid_sample(const K *keys, unsigned long long n,
                                                      usw_gpu_keymap<K> map, unsigned bits,
                                                      hybrid_plan *plan, unsigned *zero,
                                                      size_t words, hybrid_crowded crowded,
                                                      hybrid_even level, hybrid_few<K> *table,
                                                      hybrid_tree *tree, bool early)
{
    constexpr int I = HYBRID_SAMPLE_ROWS;
    usw_chained_early();
    if (!early) {
        usw_chained_late();
    }
    hybrid_clear_words(zero, words);
    if (blockIdx.x >= ranks) {
        return;
    }
    USW_DYNAMIC_SHARED(unsigned, counts);
    USW_SHARED_ARRAY(unsigned long long, seen, [4]);
    USW_SHARED(hybrid_shown, shown);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        hybrid_begin_plan(plan, bits);
    }
    if (sizeof(K) < 4) {
        return; /* such keys are counted by all their bits */
    }
    unsigned here;
    K k[I];
    hybrid_take_sample<K, I>(keys, n, map, k, here, seen);
    const unsigned long long differ = seen[0] ^ seen[1];
    const bool few_bytes =
        hybrid_bytes(hybrid_differ<K, I>(k, here, map, differ, seen + 2)) <= HYBRID_FEW_BYTES;
    const unsigned varying = hybrid_bits_of(differ);
    const hybrid_leading<K> l = hybrid_choose_leading<K, I>(k, here, n, bits, varying, crowded);
    const hybrid_questions<K, I, ranks> questions = {k,       here, n,         map,   l,
                                                     crowded, bits, few_bytes, counts};
    questions.ask(shown, level, table, tree != nullptr);
    if (blockIdx.x != 0) {
        return;
    }
    const hybrid_shown &s = shown;
    const bool many = s.many, counted = s.few_values;
    unsigned by_tree = 0, near = 0;
    if constexpr (sizeof(K) >= 4) {
        bool alone;
        near = crowded.near != 0 && !s.one_run ? TREE_IF_NEAR : 0;
        if (tree != nullptr && !few_bytes && !counted &&
            hybrid_wants_tree<K>(s.looks, many, sizeof(K) == 8 && s.alike, near, alone)) {
            by_tree =
                hybrid_take_tree<K>(keys, n, map, static_cast<K>(seen[1]), varying, bits, alone,
                                    crowded.repeats, early, early && alone, tree, counts);
        }
    }
    if (early && by_tree != 1) {
        hybrid_leave_early(tree);
    }
    const bool radix = (many || few_bytes || s.alike) && !counted && !by_tree;
    const bool uncounted =
        !radix && !counted && !by_tree && s.copies == 0 &&
        (ranks > 1 ? s.even : hybrid_may_go_uncounted<K, I>(k, n, l, level, counts));
    if (uncounted) {
        hybrid_note_regions<K>(n, l, level, seen, plan);
    }
    if (threadIdx.x == 0) {
        hybrid_note_leading<K>(plan, l, bits, by_tree);
        plan->radix = radix;
        plan->skip = radix || uncounted || counted;
        plan->few_values = counted;
        plan->ordered = s.weaves && !counted;
        plan->uncounted = uncounted ? HYBRID_UNCOUNTED_BITS : 0;
        plan->near = near;
    }
    if (early) {
        usw_chained_late(); /* the end of this launch means that of the one before */
    }
}

#endif
