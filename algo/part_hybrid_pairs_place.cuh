/* part_hybrid_pairs_place.cuh - the hybrid sort of pairs: from the chunks' counts to where each
 * chunk's pairs of each digit go, and where the digits begin. */
#ifndef USW_PART_HYBRID_PAIRS_PLACE_CUH
#define USW_PART_HYBRID_PAIRS_PLACE_CUH

#include "part_hybrid_pairs_count.cuh"

/* Turns the counts of one digit, of a warp's part of the chunks, into sums; NULL sum: adds up. */
template <bool write>
__device__ __forceinline__ unsigned pairs_add_rows(unsigned *table, unsigned from, unsigned to,
                                                   unsigned sum)
{
#pragma unroll 8
    for (unsigned c = from; c < to; c++) {
        unsigned *at = &table[static_cast<size_t>(c) * PAIRS_DIGITS];
        unsigned count = *at;
        if (write) {
            *at = sum;
        }
        sum += count;
    }
    return sum;
}

/* Sums over a block of PAIRS_DIGITS or more threads of what its first PAIRS_DIGITS have: of those
 * before. sums: 8 words. All threads call it. */
template <typename T> __device__ __forceinline__ T pairs_sum_before(T own, T *sums)
{
    const unsigned t = threadIdx.x;
    T sum = own;
    for (unsigned o = 1; o < 32; o <<= 1) {
        T up = __shfl_up_sync(~0u, sum, o);
        sum += t % 32 >= o ? up : 0;
    }
    __syncthreads();
    if (t < PAIRS_DIGITS && t % 32 == 31) {
        sums[t / 32] = sum;
    }
    __syncthreads();
    for (unsigned w = 0; w < t / 32 && w < 8; w++) {
        sum += sums[w];
    }
    return sum - own;
}

/* By what the first count has seen. */
static __device__ void pairs_decide(pairs_plan *p, unsigned bits)
{
    const unsigned long long differ = usw_load_relaxed(&p->any) ^ usw_load_relaxed(&p->all);
    const bool in_order = p->ordered && !(p->rises && p->falls);
    p->split = !in_order && differ >> p->shift >> bits == 0;
    p->radix = !p->split;
}

/* The last block of a segment: where its digits begin. */
template <typename K>
__device__ __forceinline__ void pairs_start_digits(const pairs_level<K> &a, unsigned segment,
                                                   unsigned bits)
{
    USW_SHARED_ARRAY(unsigned long long, sums, [8]);
    const unsigned t = threadIdx.x, d = segment * a.digits + t;
    const unsigned long long count = t < a.digits ? usw_load_relaxed(&a.totals[d]) : 0;
    const unsigned long long before = pairs_sum_before(count, sums);
    if (t < a.digits) {
        a.starts[d] = a.begin[segment] + before;
        if (t + 1 == a.digits && segment + 1 == a.segments) {
            a.starts[d + 1] = a.n;
        }
    }
    if (a.next_chunks == nullptr) {
        if (__syncthreads_or(count > a.capacity) && t == 0) {
            a.plan->radix = 1;
        }
        return;
    }
    const unsigned long long chunks = (count + a.chunk_keys - 1) / a.chunk_keys;
    const unsigned long long first = pairs_sum_before(chunks, sums);
    if (t < a.digits) {
        a.next_chunks[t] = static_cast<unsigned>(first);
        if (t + 1 == a.digits) {
            a.next_chunks[t + 1] = static_cast<unsigned>(first + chunks);
        }
    }
    if (t == 0) {
        pairs_decide(a.plan, bits);
    }
}

/* A group's chunks, and this warp's among them. */
struct pairs_rows {
    unsigned from, to;
};

__device__ __forceinline__ pairs_rows pairs_part_of(pairs_rows all, unsigned i, unsigned parts)
{
    const unsigned rows = all.to - all.from, each = (rows + parts - 1) / parts;
    const unsigned lo = i * each < rows ? i * each : rows, hi = rows - lo < each ? rows : lo + each;
    return {all.from + lo, all.from + hi};
}

/* PAIRS_DIGITS / 32 blocks of 1024 threads for each group of a segment's chunks: a lane a digit, the
 * chunks spread over the warps. bits: of both levels. */
template <typename K>
__global__ __launch_bounds__(1024) void pairs_place(const pairs_level<K> a, bool first,
                                                    unsigned bits)
{
    constexpr unsigned blocks = PAIRS_DIGITS / 32;
    USW_SHARED_ARRAY(unsigned, parts, [2][32 * 33]);
    USW_SHARED_ARRAY(unsigned, note, [2]);
    if (first ? a.plan->radix : !a.plan->split) {
        return;
    }
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    if (threadIdx.x == 0) {
        note[0] = atomicAdd(&a.plan->tickets[first ? 0 : 1], 1u);
    }
    __syncthreads();
    const unsigned segment = note[0] / (blocks * a.groups), group = note[0] / blocks % a.groups;
    const unsigned d = note[0] % blocks * 32 + lane;
    const pairs_rows all = {a.chunk_begin[segment], a.chunk_begin[segment + 1]};
    const pairs_rows mine = pairs_part_of(pairs_part_of(all, group, a.groups), warp, warps);
    parts[0][lane * 33 + warp] = pairs_add_rows<false>(a.table + d, mine.from, mine.to, 0);
    __syncthreads();
    unsigned before = 0, total = 0, others = 0;
    for (unsigned w = 0; w < warps; w++) {
        before = w == warp ? total : before;
        total += parts[0][lane * 33 + w];
    }
    if (a.groups > 1) {
        if (warp == 0) {
            usw_store_relaxed(&a.said[group * PAIRS_DIGITS + d], total + 1);
        }
        /* The blocks with lower tickets have begun. */
        for (unsigned g = warp; g < group; g += warps) {
            unsigned said;
            do {
                said = usw_load_relaxed(&a.said[g * PAIRS_DIGITS + d]);
            } while (said == 0);
            others += said - 1;
        }
        parts[1][lane * 33 + warp] = others;
        __syncthreads();
        others = 0;
        for (unsigned w = 0; w < warps; w++) {
            others += parts[1][lane * 33 + w];
        }
    }
    pairs_add_rows<true>(a.table + d, mine.from, mine.to, others + before);
    if (group + 1 < a.groups) {
        return;
    }
    if (warp == 0 && d < a.digits) {
        usw_store_relaxed(&a.totals[segment * a.digits + d], others + total);
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        note[1] = atomicAdd(&a.plan->done[first ? 0 : 1 + segment], 1u) + 1 == blocks;
    }
    __syncthreads();
    if (note[1]) {
        __threadfence();
        pairs_start_digits(a, segment, bits);
    }
}

#endif
