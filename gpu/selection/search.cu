/* search.cu - the step `search`: where wanted keys would go among keys that are sorted.
 *
 * A thread searches for four wanted keys at a time, by halves, so that four reads wait for memory
 * side by side. Each block keeps a sample of the sorted keys in shared memory, the last key of each
 * of 4096 equal stretches, which takes the first twelve halvings of every search; where the wanted
 * keys are too few to pay for that, all halvings read device memory. Where no more keys are sorted
 * than the sample holds, it is all of them.
 * Traffic: each wanted key is read once, each place is written once. Of the sorted keys a search
 * reads a sector a halving below the sample, but for the last three or four, which share one; what
 * the L2 cache holds of them is not read again. Wanted keys that rise read each sector once. */
/* SPDX-License-Identifier: MIT */
#include "gpu/gpu.cuh"

namespace
{

struct tuning {
    static constexpr unsigned threads = 512, blocks_a_sm = 3;
    static constexpr unsigned items = 4; /* searches of a thread that wait side by side */
#ifdef USW_EMULATE                       /* so that short arrays reach all of it */
    static constexpr unsigned sample = 64, sampled_from = 300;
#else
    static constexpr unsigned sample = 4096;          /* keys */
    static constexpr unsigned sampled_from = 1 << 17; /* wanted keys */
#endif
    static constexpr unsigned tile = threads * items;
};

template <typename K> struct search_args {
    const K *keys, *wanted;
    uint64_t n, m, stretch;
    unsigned samples; /* 0: none */
    usw_gpu_keymap<K> map;
    bool upper;
    K low[2], high[2]; /* ranges of mapped keys that are equal */
    void *places;
    bool wide; /* places of 8 bytes */
};

/* A wanted key, mapped; an equal one at the end of its range. */
template <typename K> __device__ __forceinline__ K wanted_at(const search_args<K> &a, uint64_t i)
{
    K w = i < a.m ? a.map.map(__ldcs(a.wanted + i)) : K(0);
#pragma unroll
    for (unsigned e = 0; e < 2; e++) {
        if (w >= a.low[e] && w <= a.high[e]) {
            w = a.upper ? a.high[e] : a.low[e];
        }
    }
    return w;
}

/* Moves at[j] behind those of the n > 0 keys from there on that go before w[j]. */
template <typename K, typename F>
__device__ __forceinline__ void halve(uint64_t n, const K (&w)[tuning::items],
                                      uint64_t (&at)[tuning::items], bool upper, F key_at)
{
    for (uint64_t half; n > 1; n -= half) {
        half = n / 2;
        K key[tuning::items];
#pragma unroll
        for (unsigned j = 0; j < tuning::items; j++) {
            key[j] = key_at(at[j] + half - 1);
        }
#pragma unroll
        for (unsigned j = 0; j < tuning::items; j++) {
            at[j] += key[j] < w[j] || (upper && key[j] == w[j]) ? half : 0;
        }
    }
#pragma unroll
    for (unsigned j = 0; j < tuning::items; j++) {
        const K key = key_at(at[j]);
        at[j] += key < w[j] || (upper && key == w[j]);
    }
}

template <typename K>
__global__ void __launch_bounds__(tuning::threads) search_keys(search_args<K> a)
{
    USW_SHARED_ARRAY(K, sample, [tuning::sample]);
    const auto far = [&](uint64_t i) -> K { return a.map.map(__ldg(a.keys + i)); };
    for (unsigned i = threadIdx.x; i < a.samples; i += tuning::threads) {
        const uint64_t end = (i + 1) * a.stretch;
        sample[i] = far((end < a.n ? end : a.n) - 1);
    }
    __syncthreads();
    for (uint64_t tile = uint64_t(blockIdx.x) * tuning::tile; tile < a.m;
         tile += uint64_t(gridDim.x) * tuning::tile) {
        K w[tuning::items];
        uint64_t at[tuning::items] = {};
#pragma unroll
        for (unsigned j = 0; j < tuning::items; j++) {
            w[j] = wanted_at(a, tile + j * tuning::threads + threadIdx.x);
        }
        if (a.samples != 0) {
            halve<K>(a.samples, w, at, a.upper, [&](uint64_t i) -> K { return sample[i]; });
#pragma unroll
            for (unsigned j = 0; j < tuning::items; j++) {
                at[j] = at[j] * a.stretch < a.n - a.stretch ? at[j] * a.stretch : a.n - a.stretch;
            }
        }
        halve<K>(a.stretch, w, at, a.upper, far);
#pragma unroll
        for (unsigned j = 0; j < tuning::items; j++) {
            const uint64_t i = tile + j * tuning::threads + threadIdx.x;
            if (i < a.m && a.wide) {
                static_cast<uint64_t *>(a.places)[i] = at[j];
            } else if (i < a.m) {
                static_cast<uint32_t *>(a.places)[i] = static_cast<uint32_t>(at[j]);
            }
        }
    }
}

template <typename K> upsweep_status search_as(usw_gpu *g, const usw_search *s)
{
    search_args<K> a = {};
    a.keys = static_cast<const K *>(s->keys);
    a.wanted = static_cast<const K *>(s->wanted);
    a.n = s->n;
    a.m = s->m;
    a.map = usw_gpu_keymap_of<K>(s->map);
    a.upper = s->upper;
    for (unsigned e = 0; e < 2; e++) {
        a.low[e] = static_cast<K>(s->equal[e][0]);
        a.high[e] = static_cast<K>(s->equal[e][1]);
    }
    a.places = s->places;
    a.wide = s->place_bytes == 8;
    const bool few = s->n <= tuning::sample;
    a.samples = static_cast<unsigned>(few                            ? s->n
                                      : s->m >= tuning::sampled_from ? tuning::sample
                                                                     : 0);
    a.stretch = a.samples == 0 ? s->n : usw_div_up(s->n, a.samples);
    const uint64_t tiles = usw_div_up(s->m, tuning::tile);
    const uint64_t most = uint64_t(g->sms) * tuning::blocks_a_sm;
    return USW_LAUNCH(g, search_keys<K>, static_cast<unsigned>(tiles < most ? tiles : most),
                      tuning::threads, 0, a);
}

upsweep_status search(usw_gpu *g, const usw_search *s)
{
    return s->n == 0 ? usw_gpu_fill(g, s->places, 0, s->m * s->place_bytes)
                     : usw_gpu_by_width(usw_log2_up(s->map.bits / 8),
                                        [&](auto k) { return search_as<decltype(k)>(g, s); });
}

} // namespace

USW_GPU_FORM(usw_gpu_search_step, usw_search_cuda) = {search};
