/* folds_keys.cuh - the part of folds.cu that concerns keys: histograms, merges, runs of equals. */
/* SPDX-License-Identifier: MIT */
#ifndef BENCH_FOLDS_KEYS_CUH
#define BENCH_FOLDS_KEYS_CUH

#include "bench/race.cuh"

#include <cub/cub.cuh>
#include <thrust/iterator/transform_iterator.h>

extern "C" {
extern const usw_gpu_scan_form usw_scan_sweep_cuda;
extern const usw_gpu_reduce_form usw_reduce_tree_cuda;
extern const usw_gpu_split_form usw_split_flags_cuda;
extern const usw_gpu_select_step usw_select_cuda;
extern const usw_gpu_bucket_step usw_histogram_cuda;
extern const usw_gpu_merge_step usw_merge_cuda;
}

/* ---- inputs, made by kernels ---- */

/* Floats without a pattern in [1, 2) and (-2, -1], as words; nothing is zero or repeats. */
static __global__ void fill(uint32_t *words, uint8_t *flags, size_t n)
{
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
         i += size_t(gridDim.x) * blockDim.x) {
        const uint64_t z = mixed(i);
        words[i] = 0x3f800000u | (static_cast<uint32_t>(z >> 31) & 0x807fffffu);
        flags[i] = z >> 63;
    }
}

/* Two sorted runs of n / 2 keys, uniform over all of K. */
template <typename K> __global__ void fill_two_runs(K *keys, size_t n)
{
    const K step = static_cast<K>(~K(0) / static_cast<K>(n / 2));
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
         i += size_t(gridDim.x) * blockDim.x) {
        keys[i] = static_cast<K>(i % (n / 2) * step + mixed(i) % step);
    }
}

/* Runs of `length` equal keys. */
static __global__ void fill_runs(uint32_t *keys, size_t n, unsigned length)
{
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
         i += size_t(gridDim.x) * blockDim.x) {
        keys[i] = static_cast<uint32_t>(i / length);
    }
}

/* What the bytes of an array say, spread over all of a key. */
static __global__ void spread(uint32_t *keys, size_t n)
{
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
         i += size_t(gridDim.x) * blockDim.x) {
        keys[i] = static_cast<uint32_t>(mixed(i));
    }
}

/* ---- histograms ---- */

struct top_byte {
    __host__ __device__ uint8_t operator()(uint32_t key) const
    {
        return static_cast<uint8_t>(key >> 24);
    }
};

static inline usw_buckets digit_buckets(upsweep_type type, unsigned bits)
{
    usw_buckets b = {};
    b.kind = UPSWEEP_BUCKET_DIGIT;
    b.type = type;
    b.key_bytes = usw_type_bytes(type);
    b.map = usw_keymap_of(type, 0);
    b.count = 1u << bits;
    b.mask = b.count - 1;
    b.shift = b.map.bits - bits;
    return b;
}

static inline usw_buckets width_buckets(uint32_t count, double low, double high)
{
    usw_buckets b = digit_buckets(UPSWEEP_F32, 1);
    b.kind = UPSWEEP_BUCKET_WIDTH;
    b.count = count;
    b.low = low;
    b.high = high;
    b.step = (high - low) / count;
    b.scale = count / (high - low);
    return b;
}

static inline std::function<void()> histogram_of(arrays *a, const usw_buckets &b, const void *keys,
                                                 size_t n)
{
    return ours(a, [=] { return usw_histogram_cuda.histogram(a->g, &b, keys, n, a->result); });
}

/* Over a->work, which holds uniform keys then, and over the floats in a->in. */
static inline void add_histograms(race *r, size_t words)
{
    arrays *a = r->a;
    uint32_t *keys = reinterpret_cast<uint32_t *>(a->work);
    const uint8_t *bytes = a->work;
    const float *floats = reinterpret_cast<const float *>(a->in);
    unsigned *counts = reinterpret_cast<unsigned *>(a->result);
    const double read = 4.0 * words;
    r->prepare([=] { spread<<<FILL_BLOCKS, FILL_THREADS, 0, a->g->stream>>>(keys, words); });
    r->add("histogram u32, 256 bins", read,
           histogram_of(a, digit_buckets(UPSWEEP_U32, 8), keys, words),
           [=](void *room, size_t &size) {
               return cub::DeviceHistogram::HistogramEven(
                   room, size, thrust::make_transform_iterator(keys, top_byte()), counts, 257, 0,
                   256, static_cast<int>(words), a->g->stream);
           });
    r->add("histogram u8, 256 bins", read,
           histogram_of(a, digit_buckets(UPSWEEP_U8, 8), bytes, 4 * words),
           [=](void *room, size_t &size) {
               return cub::DeviceHistogram::HistogramEven(room, size, bytes, counts, 257, 0, 256,
                                                          static_cast<int>(4 * words),
                                                          a->g->stream);
           });
    r->add(
        "histogram f32, 256 widths", read,
        histogram_of(a, width_buckets(256, -2, 2), floats, words), [=](void *room, size_t &size) {
            return cub::DeviceHistogram::HistogramEven(room, size, floats, counts, 257, -2.0f, 2.0f,
                                                       static_cast<int>(words), a->g->stream);
        });
}

/* ---- merges ---- */

template <typename K>
void add_merges(arrays *a, const std::vector<std::string> &wanted, const char *name, size_t words)
{
    race r = {a, wanted, words, {}};
    const size_t n = words * 4 / sizeof(K), half = n / 2;
    K *in = reinterpret_cast<K *>(a->in), *out = reinterpret_cast<K *>(a->out);
    const usw_keymap map = usw_keymap_of(sizeof(K) == 8 ? UPSWEEP_U64 : UPSWEEP_U32, 0);
    r.prepare([=] { fill_two_runs<<<FILL_BLOCKS, FILL_THREADS, 0, a->g->stream>>>(in, n); });
    r.add_copy();
    r.add(std::string("merge ") + name, 8.0 * words,
          ours(a,
               [=] {
                   return usw_merge_cuda.merge(a->g, in, half, in + half, half, out,
                                               sizeof(K) == 8 ? 3 : 2, &map);
               }),
          [=](void *room, size_t &size) {
              return cub::DeviceMerge::MergeKeys(room, size, in, static_cast<int64_t>(half),
                                                 in + half, static_cast<int64_t>(half), out,
                                                 cuda::std::less<K>{}, a->g->stream);
          });
    r.run();
}

/* ---- runs of equal keys ---- */

static inline void add_runs(arrays *a, const std::vector<std::string> &wanted, unsigned length,
                            size_t words)
{
    race r = {a, wanted, words, {}};
    const std::string of = " u32, runs of " + std::to_string(length);
    uint32_t *in = reinterpret_cast<uint32_t *>(a->in), *out = reinterpret_cast<uint32_t *>(a->out);
    uint32_t *counts = reinterpret_cast<uint32_t *>(a->work);
    const double read = 4.0 * words, kept = read / length;
    r.prepare(
        [=] { fill_runs<<<FILL_BLOCKS, FILL_THREADS, 0, a->g->stream>>>(in, words, length); });
    r.add_copy();
    r.add(
        "unique" + of, read + kept,
        ours(a, [=] { return usw_select_cuda.unique(a->g, a->work, words, 2, a->result); }),
        [=](void *room, size_t &size) {
            return cub::DeviceSelect::Unique(room, size, in, out, a->result, words, a->g->stream);
        },
        [=] { /* ours is in place */
              check(a,
                    cudaMemcpyAsync(a->work, in, words * 4, cudaMemcpyDeviceToDevice, a->g->stream),
                    "copy");
        });
    if (words <= WORDS_MOST / 2 || length > 1) { /* counts are 8 bytes each */
        r.add("run lengths" + of, read + 3 * kept,
              ours(a,
                   [=] {
                       return usw_select_cuda.runs(a->g, in, words, 2, out,
                                                   reinterpret_cast<uint64_t *>(a->work),
                                                   a->result);
                   }),
              [=](void *room, size_t &size) {
                  return cub::DeviceRunLengthEncode::Encode(room, size, in, out, counts, a->result,
                                                            static_cast<int>(words), a->g->stream);
              });
    }
    r.run();
}

#endif
