/* sort_split.cu - split radix sort, CUDA form.
 *
 * Same as the explained form: one stable split per key bit, lowest first. F is the bit, I_down the
 * exclusive scan of not F, I_up = zeros + (i - I_down[i]), the index is one of the two by F, and
 * the keys are permuted. Differs: the scan has three levels: lanes of a warp count with a ballot,
 * warps of a tile through shared memory, tiles through a kernel of their own. Bits in which all
 * keys agree are left out. Which bits these are is known on the device only, so that every kernel
 * of a pass reads it there, and also in which of the two arrays the keys are.
 *
 * Shape    compare_bits: grid up to 8 a multiprocessor, block 256, shared 64 bytes.
 *          count_zeros, permute: grid ceil(n / 4096), block 256, shared 32 bytes; a warp owns 512
 *          keys in a row and takes 32 at a time.
 *          scan_zeros: one block of up to 1024, shared 256 bytes; a lane takes every 1024th tile.
 *          copy_back: grid ceil(n / 256), block 256.
 * Traffic  each key read once to compare; for every bit that counts read twice and written once.
 * Source   G. E. Blelloch, Prefix sums and their applications, CMU-CS-90-190; M. Harris et al. in
 *          GPU Gems 3, chapter 39, for the levels on a GPU. */
/* SPDX-License-Identifier: MIT */
#include "gpu/block/scan.cuh"
#include "gpu/textbook/packed_pairs.cuh"

namespace
{

struct tuning {
    static constexpr unsigned threads = 256, warps = threads / 32;
    static constexpr unsigned rounds = 16; /* of 32 keys, a warp's share */
    static constexpr unsigned warp_keys = 32 * rounds;
    static constexpr unsigned tile = warps * warp_keys;
    static constexpr unsigned scan_threads = 1024;
    static constexpr unsigned compare_blocks = 8; /* a multiprocessor */
};

/* The arguments of all kernels of a sort. */
template <typename E> struct job {
    E *keys, *other;
    size_t n;
    unsigned bit_begin, bit_end;
    unsigned long long *differ; /* [2] bits that are not the same in all keys */
    unsigned long long *zeros;  /* [tiles + 1] of each tile; then before each tile, and all */
};

/* ---- which bits count ---- */

/* Bits [0, end) of 128, in two words. */
__device__ __forceinline__ unsigned long long bits_below(unsigned end, unsigned word)
{
    return end <= 64 * word ? 0 : end >= 64 * word + 64 ? ~0ull : (1ull << (end - 64 * word)) - 1;
}

template <typename E> __device__ __forceinline__ bool bit_counts(const job<E> &j, unsigned bit)
{
    return (j.differ[bit / 64] >> bit % 64 & 1) != 0;
}

/* Where the keys are before the pass for this bit: each pass that counts moves them to the other
 * array. */
template <typename E> __device__ __forceinline__ bool in_other(const job<E> &j, unsigned bit)
{
    int passes = 0;
    for (unsigned word = 0; word < 2; word++) {
        const unsigned long long range = bits_below(bit, word) & ~bits_below(j.bit_begin, word);
        passes += __popcll(j.differ[word] & range);
    }
    return passes % 2 != 0;
}

template <typename E> __global__ void __launch_bounds__(tuning::threads) compare_bits(job<E> j)
{
    USW_SHARED_ARRAY(unsigned long long, all, [2]);
    if (threadIdx.x < 2) {
        all[threadIdx.x] = 0;
    }
    const E first = j.keys[0];
    E differ = 0;
    const size_t stride = static_cast<size_t>(gridDim.x) * tuning::threads;
    for (size_t i = usw_own_element(); i < j.n; i += stride) {
        differ |= j.keys[i] ^ first;
    }
    __syncthreads();
    const usw_u128 wide = differ;
    atomicOr(&all[0], static_cast<unsigned long long>(wide));
    atomicOr(&all[1], static_cast<unsigned long long>(wide >> 64));
    __syncthreads();
    if (threadIdx.x < 2 && all[threadIdx.x] != 0) {
        atomicOr(&j.differ[threadIdx.x], all[threadIdx.x]);
    }
}

/* ---- one pass ---- */

template <typename E> __device__ __forceinline__ unsigned F(E key, unsigned bit)
{
    return static_cast<unsigned>(key >> bit) & 1;
}

/* The first key of this warp's share. */
__device__ __forceinline__ size_t share_begin()
{
    return static_cast<size_t>(blockIdx.x) * tuning::tile + threadIdx.x / 32 * tuning::warp_keys;
}

/* Zeros in this warp's share; every lane gets the count, and masks[r] tells which lanes of round r
 * have one. */
template <typename E>
__device__ __forceinline__ unsigned find_zeros(const E *from, size_t n, unsigned bit,
                                               unsigned *masks)
{
    unsigned zeros = 0;
#pragma unroll
    for (unsigned r = 0; r < tuning::rounds; r++) {
        const size_t i = share_begin() + r * 32 + threadIdx.x % 32;
        masks[r] = __ballot_sync(~0u, i < n && F(from[i], bit) == 0);
        zeros += static_cast<unsigned>(__popc(masks[r]));
    }
    return zeros;
}

template <typename E>
__global__ void __launch_bounds__(tuning::threads) count_zeros(job<E> j, unsigned bit)
{
    USW_SHARED(unsigned, zeros);
    if (!bit_counts(j, bit)) {
        return;
    }
    if (threadIdx.x == 0) {
        zeros = 0;
    }
    __syncthreads();
    unsigned masks[tuning::rounds];
    const unsigned mine = find_zeros(in_other(j, bit) ? j.other : j.keys, j.n, bit, masks);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&zeros, mine);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        j.zeros[blockIdx.x] = zeros;
    }
}

/* Counts of the tiles become how many zeros are before each tile; the last is the count of all. */
template <typename E>
__global__ void __launch_bounds__(tuning::scan_threads)
    scan_zeros(job<E> j, unsigned bit, unsigned tiles)
{
    USW_SHARED_ARRAY(unsigned long long, sums, [tuning::scan_threads / 32]);
    if (!bit_counts(j, bit)) {
        return;
    }
    unsigned long long before = 0, all;
    for (unsigned first = 0; first < tiles; first += blockDim.x) {
        const unsigned t = first + threadIdx.x;
        const unsigned long long v = t < tiles ? j.zeros[t] : 0;
        const unsigned long long inside = usw_block_exclusive_scan(v, sums, &all);
        if (t < tiles) {
            j.zeros[t] = before + inside;
        }
        before += all;
    }
    if (threadIdx.x == 0) {
        j.zeros[tiles] = before;
    }
}

/* Keys with the bit 0 go to the bottom, with the bit 1 to the top, in order. */
template <typename E>
__global__ void __launch_bounds__(tuning::threads) permute(job<E> j, unsigned bit)
{
    USW_SHARED_ARRAY(unsigned, share_zeros, [tuning::warps]);
    if (!bit_counts(j, bit)) {
        return;
    }
    const bool swapped = in_other(j, bit);
    const E *from = swapped ? j.other : j.keys;
    E *to = swapped ? j.keys : j.other;
    unsigned masks[tuning::rounds];
    const unsigned mine = find_zeros(from, j.n, bit, masks);
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane == 0) {
        share_zeros[warp] = mine;
    }
    __syncthreads();
    unsigned long long zeros = j.zeros[blockIdx.x]; /* before the round */
    for (unsigned w = 0; w < warp; w++) {
        zeros += share_zeros[w];
    }
    const unsigned long long all_zeros = j.zeros[gridDim.x];
#pragma unroll
    for (unsigned r = 0; r < tuning::rounds; r++) {
        const size_t i = share_begin() + r * 32 + lane;
        const unsigned before = masks[r] & ((1u << lane) - 1);
        const size_t I_down = zeros + static_cast<unsigned>(__popc(before));
        const size_t I_up = all_zeros + (i - I_down);
        if (i < j.n) {
            const E key = from[i];
            to[F(key, bit) != 0 ? I_up : I_down] = key;
        }
        zeros += static_cast<unsigned>(__popc(masks[r]));
    }
}

template <typename E> __global__ void __launch_bounds__(tuning::threads) copy_back(job<E> j)
{
    const size_t i = usw_own_element();
    if (i < j.n && in_other(j, j.bit_end)) {
        j.keys[i] = j.other[i];
    }
}

/* ---- the whole ---- */

template <typename E>
upsweep_status sort_elements(usw_gpu *g, E *keys, size_t n, unsigned bit_begin, unsigned bit_end)
{
    const unsigned tiles = usw_blocks_for(n, tuning::tile);
    job<E> j = {
        keys,   static_cast<E *>(usw_gpu_scratch(g, n * sizeof(E))), n, bit_begin, bit_end, nullptr,
        nullptr};
    j.differ = static_cast<unsigned long long *>(usw_gpu_scratch(g, 2 * sizeof *j.differ));
    j.zeros = static_cast<unsigned long long *>(
        usw_gpu_scratch(g, (static_cast<size_t>(tiles) + 1) * sizeof *j.zeros));
    if (j.other == nullptr || j.differ == nullptr || j.zeros == nullptr) {
        return g->status;
    }
    const unsigned scan_threads =
        tiles < tuning::scan_threads ? (tiles + 31) / 32 * 32 : tuning::scan_threads;
    const unsigned compare = g->sms * tuning::compare_blocks;
    usw_gpu_fill(g, j.differ, 0, 2 * sizeof *j.differ);
    USW_LAUNCH(g, compare_bits<E>, tiles < compare ? tiles : compare, tuning::threads, 0, j);
    for (unsigned bit = bit_begin; bit < bit_end && g->status == UPSWEEP_OK; bit++) {
        USW_LAUNCH(g, count_zeros<E>, tiles, tuning::threads, 0, j, bit);
        USW_LAUNCH(g, scan_zeros<E>, 1, scan_threads, 0, j, bit, tiles);
        USW_LAUNCH(g, permute<E>, tiles, tuning::threads, 0, j, bit);
    }
    return USW_LAUNCH(g, copy_back<E>, usw_blocks_for(n, tuning::threads), tuning::threads, 0, j);
}

upsweep_status sort(usw_gpu *g, const usw_gpu_sort *s)
{
    return usw_gpu_by_width(s->width, [&](auto key) {
        typedef decltype(key) K;
        return usw_gpu_sort_mapped<K>(
            g, s, [&](K *keys) { return sort_elements(g, keys, s->n, s->bit_begin, s->bit_end); });
    });
}

upsweep_status pairs(usw_gpu *g, const usw_gpu_pairs *p)
{
    return usw_gpu_by_width(p->width, [&](auto key) {
        return usw_gpu_sort_packed<decltype(key)>(g, p, [&](auto *items) {
            const unsigned below = sizeof *items * 4; /* bits of the index */
            return sort_elements(g, items, p->n, below + p->bit_begin, below + p->bit_end);
        });
    });
}

} // namespace

USW_GPU_FORM(usw_gpu_sort_form, usw_sort_split_cuda) = {sort, pairs, 0, true, false};
