/* part_hybrid_flat.cuh - the hybrid sort's steps for keys that get slots (part_hybrid_slots.cuh):
 * who may have them, where the buckets begin, and the way back. */
#ifndef USW_PART_HYBRID_FLAT_CUH
#define USW_PART_HYBRID_FLAT_CUH

#include "part_hybrid_place.cuh"
#include "part_hybrid_slots.cuh"

/* ---- sample ---- */

/* By so many counts of `all` keys, whether they may be even. Chi-squared is `counts` on average
 * then, with a deviation of the root of twice that; none is far above the mean. sums: a word. All
 * threads call it. */
__device__ __forceinline__ bool hybrid_is_flat(const unsigned *seen, unsigned counts, unsigned all,
                                               unsigned *sums)
{
    const float mean = static_cast<float>(all) / static_cast<float>(counts);
    const float most = mean + 8 * sqrtf(mean), of = static_cast<float>(counts);
    float sum = 0;
    bool above = false;
    for (unsigned i = threadIdx.x; i < counts; i += blockDim.x) {
        const float c = static_cast<float>(usw_load_relaxed(&seen[i]));
        sum += (c - mean) * (c - mean) / mean;
        above = above || c > most;
    }
    if (threadIdx.x == 0) {
        *sums = 0;
    }
    above = __syncthreads_or(above);
    atomicAdd(sums, static_cast<unsigned>(fminf(sum * 16, 1e5f)));
    __syncthreads();
    return !above && static_cast<float>(*sums) < 16 * (of + 6 * sqrtf(2 * of));
}

/* What a block sees of its keys, k[i] in stretches of 32, goes to the plan and to slots.seen.
 * counts: 256 zeros; bits_seen: 0 and ones. All threads call it, after a barrier. */
template <typename K, int I>
__device__ __forceinline__ void hybrid_see(const K (&k)[I], unsigned bits, unsigned bits1,
                                           hybrid_plan *plan, const hybrid_slots &slots,
                                           unsigned *counts, unsigned long long *bits_seen)
{
    const unsigned tid = threadIdx.x, shift = plan->shift;
    unsigned long long any = 0, all = ~0ull;
    bool rises = false, falls = false;
#pragma unroll
    for (int i = 0; i < I; i++) {
        any |= k[i];
        all &= k[i];
        const K left = __shfl_up_sync(~0u, k[i], 1);
        rises = rises || (tid % 32 != 0 && left < k[i]);
        falls = falls || (tid % 32 != 0 && left > k[i]);
        const unsigned b = static_cast<unsigned>(k[i] >> shift) & ((1u << bits) - 1);
        atomicAdd(&counts[b >> (bits - bits1)], 1u);
        atomicAdd(&slots.seen[256 + b], 1u);
    }
    hybrid_note_bits(any, all, &bits_seen[0], &bits_seen[1]);
    rises = __syncthreads_or(rises);
    falls = __syncthreads_or(falls);
    if (tid == 0) {
        atomicOr(&plan->any, bits_seen[0]);
        atomicAnd(&plan->all, bits_seen[1]);
        if (rises) {
            plan->rises = 1;
        }
        if (falls) {
            plan->falls = 1;
        }
    }
    if (tid < 1u << bits1 && counts[tid] != 0) {
        atomicAdd(&slots.seen[tid], counts[tid]);
    }
}

/* Blocks of 1024 threads, 16 keys each. The last one decides. */
template <typename K>
__global__ __launch_bounds__(1024) void hybrid_look_flat(const K *keys, unsigned long long n,
                                                         usw_gpu_keymap<K> map, unsigned bits,
                                                         unsigned bits1, hybrid_plan *plan,
                                                         hybrid_slots slots,
                                                         unsigned long long *cursor)
{
    constexpr unsigned I = 16;
    USW_SHARED_ARRAY(unsigned, counts, [256]);
    USW_SHARED_ARRAY(unsigned long long, bits_seen, [2]);
    USW_SHARED(unsigned, ticket);
    const unsigned tid = threadIdx.x, shift = plan->shift;
    if (plan->skip) {
        return;
    }
    if (tid < 256) {
        counts[tid] = 0;
    }
    if (tid < 2) {
        bits_seen[tid] = tid == 0 ? 0 : ~0ull;
    }
    K k[I];
    const unsigned long long lines = n / 32, of = gridDim.x * I * 32ull;
#pragma unroll
    for (unsigned i = 0; i < I; i++) {
        const unsigned long long number = (blockIdx.x * I + i) * 32ull + tid / 32;
        k[i] = map.map(keys[number * lines / of * 32 + tid % 32]);
    }
    __syncthreads();
    hybrid_see(k, bits, bits1, plan, slots, counts, bits_seen);
    __threadfence();
    __syncthreads();
    if (tid == 0) {
        ticket = atomicAdd(&plan->looked, 1u);
    }
    __syncthreads();
    if (ticket + 1 != gridDim.x) {
        return;
    }
    __threadfence();
    const unsigned keys_seen = gridDim.x * 1024 * I;
    const unsigned long long differ = usw_load_relaxed(&plan->any) ^ usw_load_relaxed(&plan->all);
    if (!hybrid_is_flat(slots.seen, 1u << bits1, keys_seen, counts) ||
        !hybrid_is_flat(slots.seen + 256, 1u << bits, keys_seen, counts + 1) ||
        differ >> shift >> bits != 0 || shift > HYBRID_SLOT_BITS ||
        shift + bits + slots.alike_most < sizeof(K) * 8 || usw_load_relaxed(&plan->rises) == 0 ||
        usw_load_relaxed(&plan->falls) == 0) {
        return;
    }
    if (tid < 1u << bits1) {
        cursor[tid] = tid * slots.room;
    }
    if (tid == 0) {
        plan->bits = bits;
        plan->bits1 = bits1;
        plan->skip = plan->slots = plan->msd = plan->even = 1;
    }
}

/* ---- between ---- */

/* After the first scatter: the second's tiles. One block of 256 threads. starts: where in the
 * sorted array the keys of each region go. */
__global__ __launch_bounds__(256) static void hybrid_slots_tiles(
    hybrid_plan *plan, hybrid_slots slots, unsigned tile, const unsigned long long *cursor,
    unsigned long long *begin, unsigned *tile_begin, unsigned long long *starts)
{
    USW_SHARED_ARRAY(unsigned long long, sums, [8]);
    if (!plan->slots) {
        return;
    }
    const unsigned tid = threadIdx.x, regions = 1u << plan->bits1;
    const bool here = tid < regions;
    const unsigned long long from = tid * slots.room, size = here ? cursor[tid] - from : 0;
    const unsigned long long tiles = (size + tile - 1) / tile;
    unsigned long long at, first;
    hybrid_block_sum(size, sums, at);
    hybrid_block_sum(tiles, sums, first);
    starts[tid] = at;
    if (here) {
        begin[tid] = from;
        tile_begin[tid] = static_cast<unsigned>(first);
        if (tid + 1 == regions) {
            tile_begin[regions] = static_cast<unsigned>(first + tiles);
        }
    }
    if (tid == 0 && *slots.lost) { /* the keys are where they were */
        plan->slots = plan->even = 0;
        plan->lsd = 1;
    }
}

/* After the second: where the buckets end in the sorted array. A block of 256 threads a region. A
 * bucket is not to be written over slots after its own. */
template <typename K>
__global__ __launch_bounds__(256) void hybrid_slots_ends(hybrid_plan *plan, hybrid_slots slots,
                                                         const K *keys,
                                                         const unsigned long long *starts,
                                                         unsigned long long *ends)
{
    USW_SHARED_ARRAY(unsigned long long, sums, [8]);
    if (!plan->slots) {
        return;
    }
    const unsigned digits = 1u << (plan->bits - plan->bits1);
    const bool here = threadIdx.x < digits;
    const unsigned b = blockIdx.x * digits + threadIdx.x;
    const unsigned c = here ? slots.sizes[b] : 0;
    unsigned long long before;
    hybrid_block_sum(c, sums, before);
    const unsigned long long end = starts[blockIdx.x] + before + c;
    if (here) {
        ends[b] = end;
        if (b + 1 < gridDim.x * digits &&
            reinterpret_cast<const unsigned char *>(keys + end) > hybrid_slot(slots, b + 1)) {
            *slots.lost = 1;
        }
    }
}

/* Where the sort is lost, all keys go from the regions back to the array. They are counted then, by
 * `fine` bits if that is not 0 and these are all that vary; else the radix sort takes them. */
template <typename K>
__global__ __launch_bounds__(512) void hybrid_slots_back(hybrid_plan *plan, const K *tmp, K *keys,
                                                         usw_gpu_keymap<K> map, hybrid_slots slots,
                                                         unsigned fine,
                                                         const unsigned long long *cursor,
                                                         const unsigned long long *starts)
{
    if (!plan->slots || !*slots.lost) {
        return;
    }
    const unsigned regions = 1u << plan->bits1, buckets = 1u << plan->bits;
    const unsigned me = blockIdx.x * 512 + threadIdx.x, all = gridDim.x * 512;
    for (unsigned r = 0; r < regions; r++) {
        const unsigned long long from = r * slots.room, size = cursor[r] - from, to = starts[r];
        for (unsigned long long i = me; i < size; i += all) {
            keys[to + i] = map.unmap(tmp[from + i]);
        }
    }
    for (unsigned b = me; b < buckets; b += all) {
        slots.sizes[b] = slots.loaded[b] = 0;
    }
    if (me == 0) {
        plan->lsd = fine == 0 || plan->lost[1];
        plan->again = !plan->lsd;
    }
}

/* The plan for keys that are to be counted after all. */
__global__ static void hybrid_slots_again(hybrid_plan *plan, unsigned fine)
{
    if (plan->again) {
        const unsigned top = plan->shift + plan->bits;
        plan->shift = top > fine ? top - fine : 0;
        plan->skip = plan->slots = plan->msd = plan->even = 0;
    }
}

#endif
