/* sort_hybrid.cu - hybrid sort on a GPU: buckets by leading bits, each sorted in shared memory.
 *
 * Idea     As the explained form: see how the keys are spread (count), choose pivots (place),
 *          scatter into buckets, sort each bucket in fast memory. The pivots are digits of the key:
 *          bucket b holds the keys whose leading varying bits are b. n / 4096 buckets, 65,536 at
 *          most, so that a bucket fits in shared memory. Where the explained form refines its
 *          pivots, keys spread so unevenly that a bucket does not fit are left to the radix sort,
 *          decided on the device.
 *
 * Steps    sample   65,536 keys: the highest bit in which keys differ.
 *          count    part_hybrid_count.cuh: keys of each bucket; sorted or reversed already?
 *          place    where the buckets begin; what is to be done.
 *          scatter  part_hybrid_scatter.cuh: by the first half of the bits, keys to tmp; again
 *                   within each bucket by the second half, back. Equal keys are the same bits, so
 *                   ranks need not be stable: one returned atomic in shared memory a key.
 *          sort     part_hybrid_local.cuh: each bucket by the bits still undecided.
 *          Keys of 8 and 16 bits are counted, then written by their counts (fill).
 *
 * Shape    count: 1 block of 1024 threads a multiprocessor, 128 KB of shared memory. scatter: tiles
 *          of 16,384 keys of 32 bits (1024 threads, 108 KB) or 8,192 of 64 (512 threads, 67 KB),
 *          2 blocks a multiprocessor. sort: a block of 256 threads a bucket, 35 or 54 KB.
 *
 * Traffic  u32 keys 4 + 8 + 8 + 8 = 28 bytes a key, u64 56; of n up to 2^20 one scatter: 20 and 40.
 *          Sorted keys 4 or 8; reversed ones 12 or 24. u16 and u8: read once, written once.
 *
 * Scratch  one copy of the keys, and 16 bytes a bucket.
 *
 * Source   E. Stehle, H.-A. Jacobsen, A memory bandwidth-efficient hybrid radix sort on GPUs, 2017;
 *          E. Sintorn, U. Assarsson, JPDC 2008. */
#include "part_hybrid_local.cuh"
#include "part_hybrid_pairs_queue.cuh"
#include "part_hybrid_scatter.cuh"
#include "part_radix_queue.cuh"
#include "small.cuh"

/* ---- tuning ---- */

#ifdef USW_EMULATE /* two scatters at sizes that the emulator can sort */
enum { BUCKET_KEYS = 4096, BITS_MAX = 4, SCATTER_BITS = 2 };
#define SMALL_KEYS(g, width) 100
#else
enum { BUCKET_KEYS = 4096, BITS_MAX = 16, SCATTER_BITS = 8 };
#define SMALL_KEYS(g, width) usw_gpu_small_max(g, width, false)
#endif

struct hybrid_shape_32 {
    static constexpr int threads = 1024, keys = 16, room = 27136, batch = 8;
    static constexpr int local_blocks = 4, rounds = 8;
};
struct hybrid_shape_64 {
    static constexpr int threads = 512, keys = 16;
    static constexpr int local_blocks = 3, rounds = 7;
};
template <typename K> struct hybrid_shape_of {
    using shape = hybrid_shape_32;
};
template <> struct hybrid_shape_of<uint64_t> {
    using shape = hybrid_shape_64;
};

/* The local sort, for buckets of 2^(12 + size) keys on average. */
template <int size> struct hybrid_local_shape {
    static constexpr int threads = 256 << size, keys = size < 2 ? 19 : 17, bits = 12 + size;
    static constexpr unsigned capacity = threads * keys - 32;
    static constexpr int blocks(int of_256)
    {
        return of_256 >> size > 0 ? of_256 >> size : 1;
    }
};

/* ---- sample ---- */

/* Clears what count adds to, and chooses the leading bits by a sample of the keys. */
template <typename K>
__global__ __launch_bounds__(1024) void hybrid_sample(const K *keys, unsigned long long n,
                                                      usw_gpu_keymap<K> map, unsigned bits,
                                                      hybrid_plan *plan, unsigned *zero,
                                                      size_t words)
{
    for (size_t i = blockIdx.x * 1024ull + threadIdx.x; i < words; i += gridDim.x * 1024ull) {
        zero[i] = 0;
    }
    if (blockIdx.x != 0) {
        return;
    }
    USW_SHARED_ARRAY(unsigned long long, seen, [2]);
    if (threadIdx.x == 0) {
        seen[0] = 0;
        seen[1] = ~0ull;
        *plan = hybrid_plan();
        plan->all = ~0ull;
    }
    __syncthreads();
    unsigned long long any = 0, all = ~0ull;
    for (unsigned i = 0; i < 16; i++) {
        /* Stretches of 32 keys, evenly spread. */
        unsigned long long line = (i * 32ull + threadIdx.x / 32) * (n / 32) / 512;
        unsigned long long p = line * 32 + threadIdx.x % 32;
        if (p < n) {
            K k = map.map(keys[p]);
            any |= k;
            all &= k;
        }
    }
    for (int o = 16; o > 0; o >>= 1) {
        any |= __shfl_xor_sync(~0u, any, o);
        all &= __shfl_xor_sync(~0u, all, o);
    }
    if (threadIdx.x % 32 == 0) {
        atomicOr(&seen[0], any);
        atomicAnd(&seen[1], all);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned varying =
            64 - static_cast<unsigned>(__clzll(static_cast<long long>(seen[0] ^ seen[1])));
        plan->shift = varying > bits ? varying - bits : 0;
    }
}

/* ---- reverse ---- */

template <typename K>
__global__ __launch_bounds__(512) void hybrid_reverse(K *keys, unsigned long long n,
                                                      const hybrid_plan *plan)
{
    if (!plan->reverse) {
        return;
    }
    unsigned long long step = gridDim.x * 512ull;
    for (unsigned long long i = blockIdx.x * 512ull + threadIdx.x; i < n / 2; i += step) {
        K a = keys[i], b = keys[n - 1 - i];
        keys[i] = b;
        keys[n - 1 - i] = a;
    }
}

/* ---- keys of 8 and 16 bits ---- */

/* The last of ends, which rise, whose bucket begins at or before p: the first end above p. */
__device__ __forceinline__ unsigned hybrid_bucket_at(const unsigned long long *begins, unsigned lo,
                                                     unsigned hi, unsigned long long p)
{
    while (lo < hi) {
        unsigned mid = (lo + hi + 1) / 2;
        if (begins[mid] <= p) {
            lo = mid;
        } else {
            hi = mid - 1;
        }
    }
    return lo;
}

/* begins: where the keys of each value begin. A block writes stretches of 8,192 keys. */
template <typename K>
__global__ __launch_bounds__(256) void hybrid_fill(K *keys, unsigned long long n,
                                                   usw_gpu_keymap<K> map, unsigned values,
                                                   const unsigned long long *begins,
                                                   const hybrid_plan *plan)
{
    constexpr unsigned stretch = 8192, V = 16 / sizeof(K);
    if (plan->falls == 0) {
        return;
    }
    USW_SHARED_ARRAY(unsigned, found, [2]);
    unsigned long long at = static_cast<unsigned long long>(blockIdx.x) * stretch;
    unsigned long long end = n - at < stretch ? n : at + stretch;
    if (threadIdx.x < 2) {
        found[threadIdx.x] =
            hybrid_bucket_at(begins, 0, values - 1, threadIdx.x == 0 ? at : end - 1);
    }
    __syncthreads();
    const unsigned lo = found[0], hi = found[1];
    for (unsigned long long p = at + threadIdx.x * V; p < end; p += 256 * V) {
        unsigned b = hybrid_bucket_at(begins, lo, hi, p);
        hybrid_vector<K> v;
#pragma unroll
        for (unsigned j = 0; j < V; j++) {
            while (b < hi && begins[b + 1] <= p + j) {
                b++;
            }
            v.k[j] = map.unmap(static_cast<K>(b));
        }
        if (p + V <= end && reinterpret_cast<uintptr_t>(keys + p) % 16 == 0) {
            *reinterpret_cast<uint4 *>(keys + p) = v.v;
        } else {
            for (unsigned j = 0; j < V && p + j < end; j++) {
                keys[p + j] = v.k[j];
            }
        }
    }
}

/* ---- the whole ---- */

template <typename K> struct hybrid_job {
    K *keys, *tmp;
    unsigned long long n;
    usw_gpu_keymap<K> map;
    unsigned bits, bits1; /* of the buckets, of the first scatter */
    hybrid_plan *plan;
    unsigned *counts, *handed;
    unsigned long long *ends, *said, *begin, *cursor;
    unsigned *tile_begin;
};

/* So many bits that a bucket has BUCKET_KEYS keys on average, or less. */
static unsigned bits_for(unsigned long long n)
{
    unsigned bits = 1;
    while (bits < BITS_MAX && ((n - 1) >> bits) >= BUCKET_KEYS) {
        bits++;
    }
    return bits;
}

template <typename K> static bool take_scratch(usw_gpu *g, hybrid_job<K> &j, bool copy)
{
    size_t buckets = size_t(1) << j.bits;
    j.plan = static_cast<hybrid_plan *>(usw_gpu_scratch(g, sizeof *j.plan));
    /* counts and handed and said, cleared together; then ends, begin, cursor, tile_begin */
    size_t words = buckets * 2 + 512;
    auto *clear = static_cast<unsigned *>(usw_gpu_scratch(g, words * 4));
    auto *rest =
        static_cast<unsigned long long *>(usw_gpu_scratch(g, (buckets + 257 + 256) * 8 + 257 * 4));
    j.tmp = copy ? static_cast<K *>(usw_gpu_scratch(g, j.n * sizeof(K))) : nullptr;
    if (j.plan == nullptr || clear == nullptr || rest == nullptr || (copy && j.tmp == nullptr)) {
        return false;
    }
    j.said = reinterpret_cast<unsigned long long *>(clear);
    j.counts = clear + 512;
    j.handed = j.counts + buckets;
    j.ends = rest;
    j.begin = j.ends + buckets;
    j.cursor = j.begin + 257;
    j.tile_begin = reinterpret_cast<unsigned *>(j.cursor + 256);
    return true;
}

/* sample, count and place. */
template <typename K, bool identity>
static void count_and_place(usw_gpu *g, const hybrid_job<K> &j, unsigned long long capacity,
                            unsigned tile)
{
    size_t clear = (size_t(2) << j.bits) + 512;
    USW_LAUNCH(g, (hybrid_sample<K>), 32, 1024, 0, j.keys, j.n, j.map, j.bits, j.plan,
               reinterpret_cast<unsigned *>(j.said), clear);
    unsigned long long tiles = (j.n + 16383) / 16384;
    unsigned blocks = static_cast<unsigned>(tiles < g->sms ? tiles : g->sms);
    USW_LAUNCH(g, (hybrid_count<K, identity>), blocks, 1024, size_t(2) << j.bits, j.keys, j.n,
               j.map, j.bits, j.plan, reinterpret_cast<unsigned long long *>(j.counts), j.handed);
    hybrid_place_args a = {j.plan, j.counts, j.handed, j.bits,  j.bits1,  capacity,
                           tile,   j.said,   j.ends,   j.begin, j.cursor, j.tile_begin};
    USW_LAUNCH(g, hybrid_place, 1u << j.bits1, 256, 0, a);
}

template <typename K, bool first, bool identity>
static void scatter(usw_gpu *g, const hybrid_job<K> &j)
{
    using shape = typename hybrid_shape_of<K>::shape;
    constexpr int tile = shape::threads * shape::keys;
    unsigned bits = first ? j.bits1 : j.bits - j.bits1;
    hybrid_scatter_args<K> a = {first ? j.keys : j.tmp,
                                first ? j.tmp : j.keys,
                                j.n,
                                j.map,
                                j.plan,
                                first ? j.bits - j.bits1 : 0,
                                1u << bits,
                                1u << j.bits1,
                                j.begin,
                                j.tile_begin,
                                first ? j.cursor : j.ends};
    unsigned blocks = static_cast<unsigned>((j.n + tile - 1) / tile) + (first ? 0 : 1u << j.bits1);
    if constexpr (sizeof(K) == 4) {
        USW_LAUNCH(g,
                   (hybrid_scatter_rooms<K, shape::threads, shape::keys, first, identity, 2,
                                         shape::room, shape::batch>),
                   blocks, shape::threads, hybrid_rooms_shared<K>(shape::room), a);
    } else {
        USW_LAUNCH(g, (hybrid_scatter_close<K, shape::threads, shape::keys, first, identity, 2>),
                   blocks, shape::threads, hybrid_close_shared<K>(tile), a);
    }
}

template <typename K, int size, bool identity>
static void sort_buckets(usw_gpu *g, const hybrid_local_args<K> &a, unsigned buckets)
{
    using local = hybrid_local_shape<size>;
    using shape = typename hybrid_shape_of<K>::shape;
    USW_LAUNCH(g,
               (hybrid_local<K, local::threads, local::keys, local::bits, shape::rounds,
                             local::blocks(shape::local_blocks), identity>),
               buckets, local::threads,
               hybrid_local_shared<K>(local::threads, local::keys, local::bits), a);
}

/* All of it, for buckets of that size. */
template <typename K, int size, bool identity>
static void sort_in_buckets(usw_gpu *g, const hybrid_job<K> &j)
{
    using shape = typename hybrid_shape_of<K>::shape;
    count_and_place<K, identity>(g, j, hybrid_local_shape<size>::capacity,
                                 shape::threads * shape::keys);
    scatter<K, true, identity>(g, j);
    bool two = j.bits1 < j.bits;
    if (two) {
        scatter<K, false, identity>(g, j);
    }
    /* A scatter leaves its cursors at the ends of the buckets. */
    hybrid_local_args<K> a = {two ? j.keys : j.tmp, j.keys, two ? j.ends : j.cursor, j.map, j.plan};
    sort_buckets<K, size, identity>(g, a, 1u << j.bits);
}

/* Whether the device's blocks may have the shared memory that the kernels take. */
template <typename K, int size> static bool room_for(const usw_gpu *g, unsigned bits)
{
    using shape = typename hybrid_shape_of<K>::shape;
    using local = hybrid_local_shape<size>;
    size_t count = size_t(2) << bits, scatter_bytes;
    if constexpr (sizeof(K) == 4) {
        scatter_bytes = hybrid_rooms_shared<K>(shape::room);
    } else {
        scatter_bytes = hybrid_close_shared<K>(shape::threads * shape::keys);
    }
    return count <= g->shared_bytes && scatter_bytes <= g->shared_bytes &&
           hybrid_local_shared<K>(local::threads, local::keys, local::bits) <= g->shared_bytes;
}

template <typename K, bool identity>
static upsweep_status sort_wide(usw_gpu *g, const usw_gpu_sort *s, hybrid_job<K> j)
{
    if (j.n <= SMALL_KEYS(g, s->width)) {
        return usw_radix_queue(g, s, nullptr, nullptr);
    }
    j.bits = bits_for(j.n);
    const unsigned long long keys = (j.n - 1) >> j.bits;
    j.bits1 = j.bits <= SCATTER_BITS ? j.bits : j.bits / 2;
    if (!(keys < BUCKET_KEYS       ? room_for<K, 0>(g, j.bits)
          : keys < 2 * BUCKET_KEYS ? room_for<K, 1>(g, j.bits)
                                   : room_for<K, 2>(g, j.bits))) {
        return usw_radix_queue(g, s, nullptr, nullptr);
    }
    if (!take_scratch(g, j, true)) {
        return g->status;
    }
    if (keys < BUCKET_KEYS) {
        sort_in_buckets<K, 0, identity>(g, j);
    } else if (keys < 2 * BUCKET_KEYS) {
        sort_in_buckets<K, 1, identity>(g, j);
    } else {
        sort_in_buckets<K, 2, identity>(g, j);
    }
    USW_LAUNCH(g, (hybrid_reverse<K>), g->sms * 4, 512, 0, j.keys, j.n, j.plan);
    return usw_radix_queue(g, s, j.tmp, &j.plan->lsd);
}

/* Keys of 8 and 16 bits: their counts say all. */
template <typename K>
static upsweep_status sort_narrow(usw_gpu *g, const usw_gpu_sort *s, hybrid_job<K> j)
{
    j.bits = sizeof(K) * 8;
    j.bits1 = j.bits - 8;
    if (j.n >> (j.bits + 3) == 0 || size_t(2) << j.bits > g->shared_bytes) {
        return usw_radix_queue(g, s, nullptr, nullptr);
    }
    if (!take_scratch(g, j, false)) {
        return g->status;
    }
    if (usw_keymap_is_identity(&s->map)) {
        count_and_place<K, true>(g, j, j.n, 1);
    } else {
        count_and_place<K, false>(g, j, j.n, 1);
    }
    return USW_LAUNCH(g, (hybrid_fill<K>), static_cast<unsigned>((j.n + 8191) / 8192), 256, 0,
                      j.keys, j.n, j.map, 1u << j.bits, j.ends, j.plan);
}

static upsweep_status sort_keys(usw_gpu *g, const usw_gpu_sort *s)
{
    return usw_gpu_by_width(s->width, [&](auto k) {
        using K = decltype(k);
        hybrid_job<K> j = {};
        j.keys = static_cast<K *>(s->keys);
        j.n = s->n;
        j.map = usw_gpu_keymap_of<K>(s->map);
        if constexpr (sizeof(K) < 4) {
            return sort_narrow<K>(g, s, j);
        } else {
            return usw_keymap_is_identity(&s->map) ? sort_wide<K, true>(g, s, j)
                                                   : sort_wide<K, false>(g, s, j);
        }
    });
}

USW_GPU_FORM(usw_gpu_sort_form, usw_sort_hybrid_cuda) = {sort_keys, usw_hybrid_pairs, 0, false,
                                                          false};
