/* histogram.cu - histograms, and stable splits into many buckets.
 *
 * Histogram: the blocks of one grid go over the keys, 16 bytes a load, and count them by
 * gpu/selection/bucket_counters.cuh. Shape: 4 blocks of 512 threads a multiprocessor, or fewer of
 * 1024 where tables are large. Traffic: each key is read once.
 *
 * Split: the same kernel also writes the bucket numbers (8, 16 or 32 bits each); they are sorted
 * with the elements as values by sort_radix's stable form, by as many bits as there are. The counts
 * become offsets by an exclusive scan. A key of no bucket is a fault. */
/* SPDX-License-Identifier: MIT */
#include "gpu/selection/bucket_of_key.cuh"
#include "gpu/carry/look_back_sum.cuh"
#include "gpu/selection/bucket_counters.cuh"
#include "gpu/sort_choice.cuh"
#include "gpu/vector_span.cuh"

namespace
{

constexpr struct {
    unsigned threads_max; /* of a block; half as many where four blocks fit a multiprocessor */
    unsigned byte_threads, byte_vectors, byte_blocks; /* where keys have 8 bits */
} tuning = {1024, 512, 2, 4};
enum : unsigned { SCAN_THREADS = 256, BYTE_TABLE = 256 * 32 * sizeof(uint32_t) };

/* Vectors that a thread loads before it uses the first: as many as its registers hold. */
template <typename K> constexpr unsigned VECTORS = sizeof(K) >= 4 ? 2 : 1;

/* ---- the kernel ---- */

/* Of splits: `ids` gets bucket numbers of id_bytes each, that of key base[0] first (NULL: not
 * wanted), and `fault` gets faults. Of histograms both are NULL. */
struct outputs {
    void *ids;
    unsigned id_bytes;
    unsigned long long *fault;
};

template <unsigned per>
__device__ __forceinline__ void write_ids(const outputs &o, uint64_t v, const uint32_t (&id)[per])
{
#pragma unroll
    for (unsigned e = 0; e < per; e++) {
        const uint64_t at = v * per + e;
        if (o.id_bytes == 1) {
            static_cast<uint8_t *>(o.ids)[at] = static_cast<uint8_t>(id[e]);
        } else if (o.id_bytes == 2) {
            static_cast<uint16_t *>(o.ids)[at] = static_cast<uint16_t>(id[e]);
        } else {
            static_cast<uint32_t *>(o.ids)[at] = id[e];
        }
    }
}

/* Notes a fault where the key at `position` has no bucket. */
template <typename B>
__device__ __forceinline__ void check_id(const outputs &o, const B &, uint32_t id, uint32_t count,
                                         uint64_t position)
{
    if (!B::TOTAL && o.fault != nullptr && id >= count) {
        usw_gpu_fault(o.fault, USW_FAULT_BUCKET, position);
    }
}

template <usw_counters_mode mode, typename B, unsigned per>
__device__ __forceinline__ void count_vector(const typename B::key_type (&key)[per],
                                             const B &buckets, usw_counters<mode> &counters,
                                             const outputs &o, uint64_t v, uint64_t lead)
{
    if constexpr (B::ESTIMATES && mode == USW_COPIES) {
        const bool only_counts = !counters.together() && o.fault == nullptr;
        if constexpr (B::CLOSE) {
            if (only_counts && buckets.shared_edges != nullptr) {
                uint32_t id[per];
#pragma unroll
                for (unsigned e = 0; e < per; e++) {
                    id[e] = buckets.id_close(key[e]);
                }
#pragma unroll
                for (unsigned e = 0; e < per; e++) {
                    if (id[e] < counters.count) {
                        counters.add(id[e], 1);
                    }
                }
                return;
            }
        }
        if (only_counts) {
            usw_count_estimated(key, buckets, counters);
            return;
        }
    }
    uint32_t id[per];
#pragma unroll
    for (unsigned e = 0; e < per; e++) {
        id[e] = buckets.id(key[e]);
    }
    if (mode == USW_COPIES && !counters.together()) {
#pragma unroll
        for (unsigned e = 0; e < per; e++) {
            if (B::TOTAL || id[e] < counters.count) {
                counters.add(id[e], 1);
            }
        }
    } else {
#pragma unroll
        for (unsigned e = 0; e < per; e++) {
            counters.add_warp(id[e], B::TOTAL || id[e] < counters.count);
        }
    }
    if (o.fault != nullptr) {
#pragma unroll
        for (unsigned e = 0; e < per; e++) {
            check_id(o, buckets, id[e], counters.count, v * per + e - lead);
        }
        if (o.ids != nullptr) {
            write_ids<per>(o, v, id);
        }
    }
}

template <usw_counters_mode mode, typename B>
__global__ void __launch_bounds__(tuning.threads_max, B::CLOSE ? 2 : 0)
    count_buckets(usw_span<typename B::key_type> keys, B buckets, usw_counters_shape shape,
                  unsigned long long *counts, outputs o)
{
    using K = typename B::key_type;
    constexpr unsigned per = 16 / sizeof(K);
    static_assert(tuning.threads_max * VECTORS<K> * per <= 1u << 14, "16-bit counters");
    USW_DYNAMIC_SHARED(unsigned char, shared);
    usw_counters<mode> counters = {reinterpret_cast<uint32_t *>(shared), shape.copies_log2,
                                   shape.count, counts};
    buckets.prepare(shared + shape.bytes);
    counters.clear();
    __syncthreads();
    usw_span_tiles<VECTORS<K>>(
        keys,
        [&](uint64_t v, const K(&key)[per]) {
            count_vector<mode, B, per>(key, buckets, counters, o, v, keys.lead);
        },
        [&](uint64_t i, K key, bool there) {
            uint32_t id[1] = {buckets.id(key)};
            counters.add_warp(id[0], there && (B::TOTAL || id[0] < counters.count));
            if (o.fault != nullptr && there) {
                check_id(o, buckets, id[0], counters.count, i - keys.lead);
                if (o.ids != nullptr) {
                    write_ids<1>(o, i, id);
                }
            }
        },
        [&](uint64_t) {
            if (mode == USW_HALVES) {
                __syncthreads();
            }
            return true;
        });
    __syncthreads();
    counters.flush();
}

/* Keys of 8 bits are counted by value; at the end the counts go to the buckets. */
template <typename B>
__global__ void __launch_bounds__(tuning.byte_threads)
    count_bytes(usw_span<uint8_t> keys, B buckets, uint32_t count, unsigned long long *counts)
{
    constexpr unsigned copies_log2 = 5;
    USW_DYNAMIC_SHARED(unsigned char, shared);
    uint32_t *words = reinterpret_cast<uint32_t *>(shared), *mine = words + threadIdx.x % 32;
    buckets.prepare(shared + BYTE_TABLE);
    for (unsigned i = threadIdx.x; i < BYTE_TABLE / sizeof *words; i += tuning.byte_threads) {
        words[i] = 0;
    }
    __syncthreads();
    usw_span_tiles<tuning.byte_vectors>(
        keys,
        [&](uint64_t, const uint8_t(&key)[16]) {
#pragma unroll
            for (unsigned e = 0; e < 16; e++) {
                atomicAdd(&mine[key[e] << copies_log2], 1u);
            }
        },
        [&](uint64_t, uint8_t key, bool there) {
            if (there) {
                atomicAdd(&mine[key << copies_log2], 1u);
            }
        },
        [](uint64_t) { return true; });
    __syncthreads();
    if (threadIdx.x < 256) {
        unsigned long long sum = 0;
        for (unsigned c = 0; c < 1u << copies_log2; c++) {
            sum += words[(threadIdx.x << copies_log2) + (c + threadIdx.x) % 32];
        }
        const uint32_t id = buckets.id(static_cast<uint8_t>(threadIdx.x));
        /* Neighbouring values of one bucket are added up before the sum goes to memory. */
        unsigned long long all = 0;
        const unsigned alike = __match_any_sync(~0u, id);
        for (unsigned lane = 0; lane < 32; lane++) {
            const unsigned long long other = __shfl_sync(~0u, sum, static_cast<int>(lane));
            all += alike >> lane & 1 ? other : 0;
        }
        const bool first = __ffs(static_cast<int>(alike)) - 1 == static_cast<int>(threadIdx.x % 32);
        if (first && all != 0 && id < count) {
            atomicAdd(&counts[id], all);
        }
    }
}

/* ---- the whole ---- */

template <typename B>
upsweep_status count_all_bytes(usw_gpu *g, const B &buckets, uint32_t count, const void *keys,
                               size_t n, unsigned long long *counts)
{
    const usw_span<uint8_t> span = usw_span_of<uint8_t>(keys, n);
    const uint64_t tile = uint64_t(tuning.byte_threads) * tuning.byte_vectors;
    const uint64_t tiles = (span.vectors() + tile - 1) / tile;
    const uint64_t most = uint64_t(tuning.byte_blocks) * g->sms;
    return USW_LAUNCH(g, count_bytes<B>, static_cast<unsigned>(tiles < most ? tiles : most),
                      tuning.byte_threads, BYTE_TABLE + buckets.shared_bytes(), span, buckets,
                      count, counts);
}

template <typename B>
upsweep_status count_keys(usw_gpu *g, const B &buckets, uint32_t count, const void *keys, size_t n,
                          unsigned long long *counts, const outputs &o)
{
    using K = typename B::key_type;
    const usw_span<K> span = usw_span_of<K>(keys, n);
    if constexpr (sizeof(K) == 1 && !B::GIVEN) {
        if (o.fault == nullptr) {
            return count_all_bytes(g, buckets, count, keys, n, counts);
        }
    }
    const usw_counters_shape shape = usw_counters_shape_for(g, count, buckets.shared_bytes());
    const size_t shared = shape.bytes + buckets.shared_bytes();
    unsigned threads = tuning.threads_max / 2, fit = 4; /* blocks on a multiprocessor */
    if (fit * (shared + 1024) > g->shared_bytes) {
        threads = tuning.threads_max;
        fit = 2 * (shared + 1024) > g->shared_bytes ? 1 : 2;
    }
    const uint64_t tile = uint64_t(threads) * VECTORS<K>, most = uint64_t(fit) * g->sms;
    const uint64_t tiles = (span.vectors() + tile - 1) / tile;
    const unsigned blocks = static_cast<unsigned>(tiles < most ? tiles : most);
    if constexpr (!B::FEW) {
        if (shape.mode == USW_HALVES) {
            return USW_LAUNCH(g, (count_buckets<USW_HALVES, B>), blocks, threads, shared, span,
                              buckets, shape, counts, o);
        }
        if (shape.mode == USW_MEMORY) {
            return USW_LAUNCH(g, (count_buckets<USW_MEMORY, B>), blocks, threads, shared, span,
                              buckets, shape, counts, o);
        }
    }
    return USW_LAUNCH(g, (count_buckets<USW_COPIES, B>), blocks, threads, shared, span, buckets,
                      shape, counts, o);
}

unsigned log2_of_bytes(size_t bytes)
{
    return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
}

upsweep_status histogram(usw_gpu *g, const usw_buckets *b, const void *keys, size_t n,
                         uint64_t *counts)
{
    upsweep_status status = usw_gpu_fill(g, counts, 0, b->count * sizeof *counts);
    if (status != UPSWEEP_OK) {
        return status;
    }
    return usw_gpu_by_bucketing(*b, log2_of_bytes(b->key_bytes), [&](auto buckets) {
        return count_keys(g, buckets, b->count, keys, n,
                          reinterpret_cast<unsigned long long *>(counts), {nullptr, 0, nullptr});
    });
}

/* Exclusive sums in place. */
__global__ void __launch_bounds__(SCAN_THREADS)
    scan_counts(uint64_t *counts, uint32_t n, usw_chain_word *words, unsigned *ticket)
{
    USW_SHARED_ARRAY(uint64_t, sums, [SCAN_THREADS]);
    USW_SHARED(uint64_t, before);
    const unsigned tile = usw_chain_tile(ticket);
    const uint64_t at = static_cast<uint64_t>(tile) * SCAN_THREADS + threadIdx.x;
    const uint64_t mine = at < n ? counts[at] : 0;
    sums[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned step = 1; step < SCAN_THREADS; step *= 2) {
        const uint64_t other = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
        __syncthreads();
        sums[threadIdx.x] += other;
        __syncthreads();
    }
    if (threadIdx.x < 32) {
        const uint64_t sum = usw_chain_before(words, tile, sums[SCAN_THREADS - 1]);
        if (threadIdx.x == 0) {
            before = sum;
        }
    }
    __syncthreads();
    if (at < n) {
        counts[at] = before + sums[threadIdx.x] - mine;
    }
}

upsweep_status move_elements(usw_gpu *g, const void *ids, unsigned id_width, uint32_t count,
                             const void *in, void *out, size_t n, size_t bytes)
{
    usw_gpu_pairs pairs = {};
    pairs.keys = ids;
    pairs.values = in;
    pairs.out_values = out;
    pairs.value_bytes = bytes;
    pairs.n = n;
    pairs.width = id_width;
    pairs.map.bits = 8u << id_width;
    pairs.stable = true;
    while (pairs.bit_end < pairs.map.bits && (uint64_t(count) - 1) >> pairs.bit_end != 0) {
        pairs.bit_end++;
    }
    return usw_gpu_sort_pairs_by_digits(g, &pairs);
}

struct split_scratch {
    uint64_t *counts; /* the caller's offsets, or scratch */
    char *ids;        /* bucket numbers of the keys, behind `lead` places that are not used */
    uint64_t lead;
    unsigned id_width;
    usw_chain_word *chain; /* words of the scan of the counts, and its ticket behind */
    unsigned tiles;
};

upsweep_status take_scratch(usw_gpu *g, uint32_t count, const void *keys, unsigned key_width,
                            size_t n, uint64_t *offsets, split_scratch *s)
{
    s->id_width = count <= 1u << 8 ? 0 : count <= 1u << 16 ? 1 : 2;
    s->counts = offsets;
    if (offsets == nullptr) {
        s->counts =
            static_cast<uint64_t *>(usw_gpu_scratch(g, (count + size_t(1)) * sizeof(uint64_t)));
    }
    if (keys != nullptr && count > 1) {
        s->lead = reinterpret_cast<uintptr_t>(keys) % 16 >> key_width;
        s->ids = static_cast<char *>(usw_gpu_scratch(g, (n + 32) << s->id_width));
        if (s->ids == nullptr) {
            return UPSWEEP_ERROR_MEMORY;
        }
    }
    s->tiles = count / SCAN_THREADS + 1;
    s->chain = static_cast<usw_chain_word *>(
        usw_gpu_scratch(g, (s->tiles + size_t(1)) * sizeof(usw_chain_word)));
    return s->counts != nullptr && s->chain != nullptr ? UPSWEEP_OK : UPSWEEP_ERROR_MEMORY;
}

upsweep_status scan_offsets(usw_gpu *g, const split_scratch &s, uint32_t count)
{
    const upsweep_status status =
        usw_gpu_fill(g, s.chain, 0, (s.tiles + size_t(1)) * sizeof(usw_chain_word));
    return status != UPSWEEP_OK
               ? status
               : USW_LAUNCH(g, scan_counts, s.tiles, SCAN_THREADS, 0, s.counts, count + 1, s.chain,
                            reinterpret_cast<unsigned *>(s.chain + s.tiles));
}

/* Splits by the keys in `in` where `ids` is NULL, else by the bucket numbers in `ids`. */
upsweep_status split(usw_gpu *g, const usw_buckets *b, const void *in, const void *ids,
                     unsigned id_width, size_t count, void *out, size_t n, size_t bytes,
                     uint64_t *offsets)
{
    usw_buckets given = {};
    given.count = static_cast<uint32_t>(count);
    const bool by_keys = ids == nullptr;
    const usw_buckets &by = by_keys ? *b : given;
    const unsigned width = by_keys ? log2_of_bytes(b->key_bytes) : id_width;
    split_scratch s = {};
    upsweep_status status =
        take_scratch(g, by.count, by_keys ? in : nullptr, width, n, offsets, &s);
    const outputs o = {s.ids, 1u << s.id_width, g->fault};
    if (status == UPSWEEP_OK) {
        status = usw_gpu_fill(g, s.counts, 0, (by.count + size_t(1)) * sizeof *s.counts);
    }
    if (status == UPSWEEP_OK) {
        status = usw_gpu_by_bucketing(by, width, [&](auto buckets) {
            return count_keys(g, buckets, by.count, by_keys ? in : ids, n,
                              reinterpret_cast<unsigned long long *>(s.counts), o);
        });
    }
    if (status == UPSWEEP_OK && by.count <= 1) {
        status = usw_gpu_copy(g, out, in, n * bytes);
    } else if (status == UPSWEEP_OK) {
        status = move_elements(g, by_keys ? s.ids + (s.lead << s.id_width) : ids,
                               by_keys ? s.id_width : id_width, by.count, in, out, n, bytes);
    }
    return status == UPSWEEP_OK && offsets != nullptr ? scan_offsets(g, s, by.count) : status;
}

} // namespace

USW_GPU_FORM(usw_gpu_bucket_step, usw_histogram_cuda) = {histogram, split};
