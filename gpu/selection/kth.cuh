/* kth.cuh - finds the k-th least key by its digits, from the top down; the host reads nothing back.
 *
 * A pass counts one digit of the candidates, which are the keys that share the digits found so far.
 * The block that ends last finds the value of the digit that the k-th key has. Where candidates are
 * few, a pass also keeps them, and the next pass reads the kept ones alone: of uniform keys the
 * first two passes read n keys each and the others hardly any. Shape: 512 threads, a grid that
 * stays; a table of 2^11 counters (gpu/selection/bucket_counters.cuh). The order of kept keys
 * depends on chance; the key that is found does not. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_SELECTION_KTH_CUH
#define USW_GPU_SELECTION_KTH_CUH

#include "gpu/selection/bucket_counters.cuh"
#include "gpu/vector_span.cuh"

constexpr struct {
    unsigned threads, digit_bits;
} usw_kth_tuning = {512, 11};

/* What a pass leaves for the next one, in device memory; 0 at first but for rank and equal. */
struct usw_kth {
    unsigned long long prefix;      /* the digits found; at the end the mapped key */
    unsigned long long rank;        /* the k-th key's among the candidates */
    unsigned long long less, equal; /* keys less than all candidates; candidates */
    unsigned long long source_n;    /* candidates kept */
    unsigned long long kept;        /* so far in this pass */
    unsigned source;                /* 0: the keys themselves; 1, 2: kept candidates */
    unsigned blocks_done;
};

/* The arguments of one pass, over the digit of `bits` bits from bit `shift` on. */
template <typename K> struct usw_kth_pass {
    usw_gpu_keymap<K> map;
    K *keep_1, *keep_2;
    uint64_t capacity; /* of keep_1 and of keep_2, in keys */
    usw_kth *state;
    unsigned long long *counts; /* of this pass, zero */
    unsigned shift, bits;
    bool first;

    __device__ __forceinline__ bool candidate(K mapped, unsigned long long prefix) const
    {
        return first || static_cast<unsigned long long>(mapped >> shift >> bits) == prefix;
    }
};

/* A whole block appends the keys whose bit of `mine` is set to `to`. */
template <typename K, unsigned per>
__device__ __forceinline__ void usw_kth_keep(const K (&key)[per], unsigned mine, K *to,
                                             unsigned long long *kept)
{
    USW_SHARED(unsigned, total);
    USW_SHARED(unsigned long long, begin);
    if (threadIdx.x == 0) {
        total = 0;
    }
    if (__syncthreads_or(mine != 0) == 0) {
        return;
    }
    unsigned at = mine == 0 ? 0 : atomicAdd(&total, static_cast<unsigned>(__popc(mine)));
    __syncthreads();
    if (threadIdx.x == 0) {
        begin = atomicAdd(kept, static_cast<unsigned long long>(total));
    }
    __syncthreads();
#pragma unroll
    for (unsigned e = 0; e < per; e++) {
        if (mine >> e & 1) {
            to[begin + at] = key[e];
            at++;
        }
    }
    __syncthreads();
}

/* The last block finds the digit of the k-th key. */
template <typename K>
__device__ __forceinline__ void usw_kth_choose(const usw_kth_pass<K> &pass, bool keeps)
{
    USW_SHARED_ARRAY(unsigned long long, sums, [usw_kth_tuning.threads]);
    constexpr unsigned threads = usw_kth_tuning.threads;
    const unsigned bins = 1u << pass.bits, each = (bins + threads - 1) / threads;
    const unsigned begin = threadIdx.x * each;
    unsigned long long mine = 0;
    for (unsigned b = begin; b < begin + each && b < bins; b++) {
        mine += usw_load_relaxed(&pass.counts[b]);
    }
    sums[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned step = 1; step < threads; step *= 2) {
        const unsigned long long other = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
        __syncthreads();
        sums[threadIdx.x] += other;
        __syncthreads();
    }
    usw_kth *s = pass.state;
    const unsigned long long rank = s->rank;
    unsigned long long before = sums[threadIdx.x] - mine;
    const bool here = before <= rank && rank < sums[threadIdx.x];
    __syncthreads();
    if (here) {
        unsigned digit = begin;
        unsigned long long count = usw_load_relaxed(&pass.counts[digit]);
        while (before + count <= rank) {
            before += count;
            count = usw_load_relaxed(&pass.counts[++digit]);
        }
        if (keeps) {
            s->source = s->source == 1 ? 2 : 1;
            s->source_n = s->equal;
        }
        s->prefix = s->prefix << pass.bits | digit;
        s->rank = rank - before;
        s->less += before;
        s->equal = count;
        s->kept = 0;
        s->blocks_done = 0;
    }
}

template <typename K>
__global__ void __launch_bounds__(usw_kth_tuning.threads)
    usw_kth_count(usw_span<K> keys, usw_kth_pass<K> pass, usw_counters_shape shape)
{
    constexpr unsigned per = usw_span<K>::per;
    USW_DYNAMIC_SHARED(uint32_t, words);
    USW_SHARED(bool, last);
    usw_counters<USW_COPIES> counters = {words, shape.copies_log2, shape.count, pass.counts};
    usw_kth *s = pass.state;
    const unsigned long long prefix = s->prefix, candidates = s->equal;
    const unsigned source = s->source;
    const uint64_t have = source == 0 ? keys.end - keys.lead : s->source_n;
    const bool keeps = !pass.first && candidates <= pass.capacity && candidates <= have / 4;
    K *to = source == 1 ? pass.keep_2 : pass.keep_1;
    if (source != 0) {
        keys = {source == 1 ? pass.keep_1 : pass.keep_2, 0, have};
    }
    counters.clear();
    __syncthreads();
    const K mask = static_cast<K>((1u << pass.bits) - 1);
    usw_span_tiles<2>(
        keys,
        [&](uint64_t, const K(&key)[per]) {
            unsigned mine = 0;
#pragma unroll
            for (unsigned e = 0; e < per; e++) {
                const K mapped = pass.map.map(key[e]);
                const bool is = pass.candidate(mapped, prefix);
                mine |= static_cast<unsigned>(is) << e;
                if (is) {
                    counters.add(static_cast<uint32_t>(mapped >> pass.shift & mask), 1);
                }
            }
            if (keeps) {
                usw_kth_keep<K, per>(key, mine, to, &s->kept);
            }
        },
        [&](uint64_t, K key, bool there) {
            const K mapped = pass.map.map(key);
            const bool is = there && pass.candidate(mapped, prefix);
            counters.add_warp(static_cast<uint32_t>(mapped >> pass.shift & mask), is);
            if (keeps) {
                const K one[1] = {key};
                usw_kth_keep<K, 1>(one, is ? 1 : 0, to, &s->kept);
            }
        },
        [](uint64_t) { return true; });
    __syncthreads();
    counters.flush();
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(&s->blocks_done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        usw_kth_choose(pass, keeps);
    }
}

static __global__ void usw_kth_begin(usw_kth *state, uint64_t n, uint64_t k)
{
    *state = {0, k, 0, n, 0, 0, 0, 0};
}

/* The caller sets keep and capacity, which may be 0, and calls take() before the first launch, then
 * run(). */
template <typename K> struct usw_kth_search {
    usw_kth *state;
    unsigned long long *counts;
    K *keep[2]; /* aligned to 16 bytes */
    uint64_t capacity;

    static constexpr unsigned PASSES =
        (sizeof(K) * 8 + usw_kth_tuning.digit_bits - 1) / usw_kth_tuning.digit_bits;
    static constexpr size_t TABLE = sizeof(unsigned long long) << usw_kth_tuning.digit_bits;

    upsweep_status take(usw_gpu *g)
    {
        state = static_cast<usw_kth *>(usw_gpu_scratch(g, sizeof *state));
        counts = static_cast<unsigned long long *>(usw_gpu_scratch(g, PASSES * TABLE));
        return state == nullptr || counts == nullptr ? UPSWEEP_ERROR_MEMORY : UPSWEEP_OK;
    }
    upsweep_status run(usw_gpu *g, const K *keys, size_t n, const usw_gpu_keymap<K> &map,
                       uint64_t k)
    {
        const usw_span<K> span = usw_span_of<K>(keys, n);
        const uint64_t tiles = usw_div_up(span.vectors(), 2 * usw_kth_tuning.threads);
        upsweep_status status = usw_gpu_fill(g, counts, 0, PASSES * TABLE);
        if (status == UPSWEEP_OK) {
            status = USW_LAUNCH(g, usw_kth_begin, 1, 1, 0, state, n, k);
        }
        unsigned left = sizeof(K) * 8;
        for (unsigned p = 0; p < PASSES && status == UPSWEEP_OK; p++) {
            const unsigned bits =
                left < usw_kth_tuning.digit_bits ? left : usw_kth_tuning.digit_bits;
            left -= bits;
            const usw_counters_shape shape = usw_counters_shape_for(g, 1u << bits, 0);
            const uint64_t fit = g->shared_bytes / (shape.bytes + 5120);
            const uint64_t most = g->sms * (fit < 4 ? fit : 4);
            const usw_kth_pass<K> pass = {
                map,      keep[0], keep[1],
                capacity, state,   counts + (size_t(p) << usw_kth_tuning.digit_bits),
                left,     bits,    p == 0};
            status =
                USW_LAUNCH(g, usw_kth_count<K>, static_cast<unsigned>(tiles < most ? tiles : most),
                           usw_kth_tuning.threads, shape.bytes, span, pass, shape);
        }
        return status;
    }
};

#endif
