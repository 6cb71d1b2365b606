/* 1_sample.cuh - step 1 of the bucket sort: a sample of the keys says which bits vary, and whether
 * the keys are even, have few values, or are left to the radix sort. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_1_SAMPLE_CUH
#define USW_GPU_BUCKET_SORT_1_SAMPLE_CUH

#include "gpu/block/even_keys.cuh"
#include "gpu/block/least_window.cuh"
#include "gpu/bucket_sort/1_sample_few.cuh"
#include "gpu/bucket_sort/1_sample_tree.cuh"
#include "gpu/bucket_sort/tuning.cuh"

/* The sample alone sends keys to the radix sort where more than `buckets` buckets have more than
 * `keys` of its keys (keys 0: never). With walks set it also does where most neighbours share a
 * bucket and rise and fall, as a random walk does, for such buckets hold few different digits: keys
 * of 32 bits only if no bucket is crowded, keys of 64 bits only if these neighbours are much closer
 * than a bucket is wide. */
struct hybrid_crowded {
    unsigned keys, buckets;
    bool walks;
    unsigned bits1;    /* of the first scatter, whose buckets a window begins with one of */
    unsigned capacity; /* keys of a bucket that step 5 can hold */
    bool more;         /* there may be twice as many buckets */
    unsigned falls;    /* with so many neighbours that fall, or fewer, gpu/runs looks at the keys */
    bool near;         /* keys near their places may go by a tree, which looks at them once more */
    bool spares;       /* larger buckets are sorted, too */
};

/* How many of the sample's neighbours fall. A block calls. word: shared. */
template <typename K, int I>
__device__ __forceinline__ unsigned hybrid_falls(const K (&k)[I], unsigned *word)
{
    unsigned falls = 0;
#pragma unroll
    for (int i = 0; i < I; i++) {
        const K before = __shfl_up_sync(~0u, k[i], 1);
        falls += threadIdx.x % 32 != 0 && k[i] < before;
    }
    falls = __reduce_add_sync(~0u, falls);
    __syncthreads();
    if (threadIdx.x == 0) {
        *word = 0;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        atomicAdd(word, falls);
    }
    __syncthreads();
    falls = *word;
    __syncthreads();
    return falls;
}

/* A block counts the sample's keys in each bucket. Of neighbours in one bucket only the first is
 * counted: nearly sorted keys have many such, and their buckets are not crowded. */
template <typename K, int I>
__device__ __forceinline__ bool hybrid_is_crowded(const K (&k)[I], unsigned here, unsigned shift,
                                                  unsigned bits, const hybrid_crowded &c,
                                                  unsigned *counts)
{
    const unsigned words = bits > 6 ? 1u << (bits - 1) : 32, mask = (1u << bits) - 1;
    for (unsigned w = threadIdx.x; w < words; w += 1024) {
        counts[w] = 0;
    }
    __syncthreads();
    const unsigned close = shift > 10 ? shift - 10 : 0;
    unsigned crowded = 0; /* above its 16 bits: how many neighbours in one bucket fall */
    for (int i = 0; i < I; i++) {
        const unsigned d = static_cast<unsigned>(k[i] >> shift) & mask;
        const unsigned left = __shfl_up_sync(~0u, d, 1);
        const K before = __shfl_up_sync(~0u, k[i], 1);
        if ((here >> i & 1) != 0 && (threadIdx.x % 32 == 0 || d != left)) {
            atomicAdd(&counts[d / 2], 1u << d % 2 * 16);
        } else if ((here >> i & 1) != 0 && k[i] < before &&
                   (sizeof(K) == 4 || (before - k[i]) >> close == 0)) {
            crowded += 1u << 16;
        }
    }
    __syncthreads();
    for (unsigned w = threadIdx.x; w < words; w += 1024) {
        crowded += (counts[w] & 0xffff) > c.keys;
        crowded += counts[w] >> 16 > c.keys;
    }
    crowded = __reduce_add_sync(~0u, crowded);
    __syncthreads();
    if (threadIdx.x == 0) {
        counts[0] = 0;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0 && crowded != 0) {
        atomicAdd(&counts[0], crowded);
    }
    __syncthreads();
    const unsigned keys = I * 1024, falls = counts[0] >> 16;
    return (counts[0] & 0xffff) > c.buckets ||
           (c.walks && (sizeof(K) == 8 || (counts[0] & 0xffff) == 0) && falls > keys / 4 &&
            falls < keys / 4 * 3);
}

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

/* Whether keys that crowd some bucket have few values. */
template <typename K, int I>
__device__ __forceinline__ bool hybrid_may_have_few_values(const K (&k)[I], unsigned here,
                                                           const usw_gpu_keymap<K> &map,
                                                           hybrid_few<K> *table, unsigned *counts)
{
    if constexpr (sizeof(K) >= 4) {
        if (table != nullptr) {
            return hybrid_have_few_values<K, I>(k, here, map, hybrid_few_size::values, table,
                                                counts);
        }
    }
    return false;
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

/* The part of 2^top values that are in that range: few ranges fill a power of two. */
__device__ __forceinline__ float hybrid_filled(unsigned long long range, unsigned top)
{
    return (static_cast<float>(range) + 1) * exp2f(-static_cast<float>(top));
}
/* Whether buckets of even keys in that range have no more than step 5 can hold, so many bits of
 * `top` being leading ones. above: deviations of a bucket that are allowed for; of 65,536 buckets
 * chance makes one too large in half of all arrays by 4.25, in few of 1000 by 5.5. equal: keys of a
 * value, whose buckets have more or fewer keys the more that are. */
__device__ __forceinline__ bool hybrid_fits(unsigned long long n, unsigned long long range,
                                            unsigned top, unsigned bits, unsigned capacity,
                                            float above, float equal)
{
    const float buckets = exp2f(static_cast<float>(bits)) * hybrid_filled(range, top);
    const float keys = static_cast<float>(n) / buckets;
    return top <= bits || keys + above * sqrtf(keys * equal) <= static_cast<float>(capacity);
}

/* With more copies of each value the radix sort is faster, where larger buckets are sorted, too. */
static constexpr float HYBRID_SPARED_COPIES = 32;

/* How many keys have the same value, on average, if they are so many that their values make some
 * buckets too large for step 5, though all bits vary evenly: values at random, not all of a grid;
 * else 0. A block calls. */
template <typename K, int I>
__device__ __forceinline__ float hybrid_alike(const K (&k)[I], unsigned long long n,
                                              const hybrid_leading<K> &l, unsigned capacity,
                                              unsigned *words)
{
    if (sizeof(K) == 8 && l.shift <= HYBRID_FEW_LEFT) {
        return 0;
    }
    const float copies = usw_copies<K, I>(k, n, words);
    if (hybrid_fits(n, l.range, l.top, l.bits, capacity, 4.25f, copies)) {
        return 0;
    }
    const unsigned long long grid = usw_grid_of<K, I>(k, reinterpret_cast<K *>(words));
    const auto range = static_cast<float>(l.range / (grid != 0 ? grid : 1));
    return static_cast<float>(n) / copies * 4 < range ? copies : 0;
}

/* Whether so many keys are equal that they do not go by leading bits. copies: see hybrid_alike.
 * Where larger buckets are sorted, too, a fourth of the keys may be in such. A block calls. */
template <typename K, int I>
__device__ __forceinline__ bool
hybrid_repeats(const K (&k)[I], unsigned long long n, const hybrid_leading<K> &l,
               const hybrid_crowded &crowded, unsigned *words, float &copies)
{
    copies = hybrid_alike<K, I>(k, n, l, crowded.capacity, words);
    const bool spared = crowded.spares && copies <= HYBRID_SPARED_COPIES &&
                        hybrid_fits(n, l.range, l.top, l.bits, crowded.capacity, 0.67f, copies);
    return copies > 0 && !spared;
}

/* The leading bits for keys that vary in `varying` bits. A block calls. */
template <typename K, int I>
__device__ __forceinline__ hybrid_leading<K>
hybrid_choose_leading(const K (&k)[I], unsigned here, unsigned long long n, unsigned bits,
                      unsigned varying, const hybrid_crowded &crowded)
{
    USW_SHARED_ARRAY(K, ends, [64]);
    const usw_window window = usw_least_window<K, I>(k, here, bits, crowded.bits1, ends, ends + 32);
    const bool in_window = crowded.bits1 < bits && window.bits < varying;
    hybrid_leading<K> l;
    l.base = static_cast<K>(in_window ? window.base : 0);
    l.top = in_window ? window.bits : varying;
    l.range = window.range;
    l.least = static_cast<K>(window.least);
    const float above = n >= LARGE_FROM(sizeof(K)) ? 1 : 5.5f; /* large buckets are sorted, too */
    l.fits = hybrid_fits(n, window.range, l.top, bits, crowded.capacity, above, 1);
    l.bits = bits + (!l.fits && crowded.more ? 1 : 0);
    l.filled = l.fits || l.bits != bits ? hybrid_filled(window.range, l.top) : 1;
    l.shift = l.top > l.bits ? l.top - l.bits : 0;
    return l;
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

/* Whether the first scatter may count keys: there is room for their regions, and the sample finds
 * them even. Then it notes what a count would, and where the regions begin. seen: of all keys of
 * the sample. A block calls. */
template <typename K, int I>
__device__ __forceinline__ bool
hybrid_goes_uncounted(const K (&k)[I], unsigned long long n, const hybrid_leading<K> &l,
                      const hybrid_even &level, const unsigned long long *seen, hybrid_plan *plan,
                      unsigned *counts)
{
    if (level.bits1 == 0 || !l.fits || l.shift == 0) {
        return false;
    }
    const hybrid_regions r = hybrid_choose_regions(l, n, level);
    const usw_evenness even = {l.shift, l.bits, level.bits1, l.filled, HYBRID_UNCOUNTED_DOUBT};
    if (r.stride == 0 || !usw_is_even<K, I>(k, even, counts)) {
        return false;
    }
    const unsigned mask = (1u << level.bits1) - 1;
    if (threadIdx.x == 0) {
        plan->any = l.base != 0 ? ~0ull >> (64 - l.top) : seen[0];
        plan->all = l.base != 0 ? 0 : seen[1];
        plan->rises = plan->falls = 1;
        plan->stride = r.stride;
        plan->region = r.first;
    }
    if (threadIdx.x <= mask) {
        level.cursor[threadIdx.x] = ((threadIdx.x - r.first) & mask) * r.stride;
    }
    return true;
}

/* Clears what the count adds to, and chooses the leading bits by a sample of the keys. table: where
 * keys of few values are counted, or NULL. tree: for keys that are not even, or NULL. early: the
 * launch before grows it, and may still do. */
template <typename K>
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
    for (size_t i = blockIdx.x * 1024ull + threadIdx.x; i < words; i += gridDim.x * 1024ull) {
        zero[i] = 0;
    }
    if (blockIdx.x != 0) {
        return;
    }
    USW_DYNAMIC_SHARED(unsigned, counts);
    USW_SHARED_ARRAY(unsigned long long, seen, [4]);
    if (threadIdx.x == 0) {
        *plan = hybrid_plan();
        plan->all = ~0ull;
        plan->bits = bits;
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
    const bool many =
        crowded.keys != 0 && (hybrid_is_crowded<K, I>(k, here, l.shift, l.bits, crowded, counts) ||
                              (sizeof(K) == 4 && tree != nullptr && !l.fits && l.bits == bits));
    const bool crowds = crowded.keys != 0 && (counts[0] & 0xffff) != 0;
    const bool counted = crowds && hybrid_may_have_few_values<K, I>(k, here, map, table, counts);
    float copies = 0;
    const bool alike = crowded.keys != 0 && !many && !few_bytes && !crowds &&
                       hybrid_repeats<K, I>(k, n, l, crowded, counts, copies);
    const bool looks = crowded.falls != 0 && !counted;
    const unsigned falls = looks ? hybrid_falls<K, I>(k, counts) : 0;
    const bool ordered = looks && falls <= crowded.falls;
    const bool turned = looks && falls + crowded.falls >= 512 * 31;
    unsigned by_tree = 0, near = 0;
    if constexpr (sizeof(K) >= 4) {
        if (tree != nullptr && !few_bytes && !counted) {
            const bool one_run = (ordered || turned) && hybrid_is_one_run<K, I>(k, turned);
            near = crowded.near && !one_run ? TREE_IF_NEAR : 0;
            bool alone;
            by_tree =
                hybrid_wants_tree<K, I>(k, l, many, sizeof(K) == 8 && alike, near, alone, counts) &&
                hybrid_take_tree<K>(keys, n, map, static_cast<K>(seen[1]), varying, bits, alone,
                                    hybrid_most_repeats<K>(n, bits), early, tree, counts);
        }
    }
    const bool radix = (many || few_bytes || alike) && !counted && !by_tree;
    const bool uncounted = !radix && !counted && !by_tree && copies == 0 &&
                           hybrid_goes_uncounted<K, I>(k, n, l, level, seen, plan, counts);
    if (threadIdx.x == 0) {
        plan->shift = l.shift;
        plan->bits = by_tree ? bits : l.bits;
        plan->twice = plan->bits != bits;
        plan->base = by_tree ? 0 : l.base;
        plan->first = static_cast<unsigned>(plan->base >> l.shift) & ((1u << l.bits) - 1);
        plan->radix = radix;
        plan->skip = radix || uncounted || counted;
        plan->few_values = counted;
        plan->ordered = ordered;
        plan->uncounted = uncounted ? HYBRID_UNCOUNTED_BITS : 0;
        plan->by_tree = by_tree;
        plan->near = near;
    }
    if (early) {
        usw_chained_late(); /* the end of this launch means that of the one before */
    }
}

#endif
