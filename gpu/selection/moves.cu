/* moves.cu - gather, scatter, permute, reverse and transpose for elements of any size, at any
 * address.
 *
 * Idea     An element is so many words of the widest kind (1 to 16 bytes) that divides its size and
 *          every address. Threads next to each other take words next to each other: of one element,
 *          or of neighbours.
 * Scatter  Of equal indices the highest i wins: first every i leaves its number at its place by an
 *          atomic maximum, then only the winner moves. The same pass checks the indices, so that a
 *          bad one stops the second before anything is written.
 * Permute  One pass checks, by a bit a place, that all places are different; then a copy is
 *          scattered, unless the check failed.
 * Shape    One-dimensional grids of 256 threads; a block takes tiles in turn, 1024 words at once.
 * Traffic  gather: index + in + out; scatter: 2 index + in + out + 12 bytes a place of out;
 *          permute: 2 index + 4 data; reverse, in place or to another array, and transpose: 2 data.
 *          Reading or writing single elements moves whole sectors of 32 bytes. */
/* SPDX-License-Identifier: MIT */
#include "gpu/selection/transpose.cuh"

#include <type_traits>

namespace
{

struct tuning {
    static constexpr unsigned THREADS = 256;
    static constexpr unsigned PER_THREAD = 4; /* words of a thread that are on their way at once */
    static constexpr unsigned TILE = THREADS * PER_THREAD;
    static constexpr unsigned BLOCKS_PER_SM = 16;
};

constexpr size_t NOWHERE = ~size_t(0);

unsigned blocks_for(const usw_gpu *g, size_t tiles)
{
    size_t most = size_t(g->sms) * tuning::BLOCKS_PER_SM;
    return static_cast<unsigned>(tiles < most ? tiles : most);
}

size_t div_up(size_t a, size_t b)
{
    return a / b + (a % b != 0);
}

/* ---- the places from which and to which element i moves; from NOWHERE: it does not move ---- */

template <typename I> struct gather_places {
    const I *index;
    size_t limit;
    unsigned long long *fault;
    __device__ __forceinline__ bool stopped() const
    {
        return false;
    }
    __device__ __forceinline__ void places(size_t i, size_t *from, size_t *to) const
    {
        size_t at = index[i];
        if (at >= limit) {
            usw_gpu_fault(fault, USW_FAULT_INDEX, i);
            at = NOWHERE;
        }
        *from = at;
        *to = i;
    }
};

/* W: the type of a winner's number, i + 1. winners is NULL where all indices differ. */
template <typename I, typename W> struct scatter_places {
    const I *index;
    const W *winners;
    const unsigned *stop;
    __device__ __forceinline__ bool stopped() const
    {
        return *stop != 0;
    }
    __device__ __forceinline__ void places(size_t i, size_t *from, size_t *to) const
    {
        size_t at = index[i];
        *from = winners == nullptr || winners[at] == static_cast<W>(i + 1) ? i : NOWHERE;
        *to = at;
    }
};

struct reverse_places {
    size_t last;
    __device__ __forceinline__ bool stopped() const
    {
        return false;
    }
    __device__ __forceinline__ void places(size_t i, size_t *from, size_t *to) const
    {
        *from = last - i;
        *to = i;
    }
};

/* Element i of a transposed array. */
struct transposed_places {
    size_t length, inner;
    __device__ __forceinline__ bool stopped() const
    {
        return false;
    }
    __device__ __forceinline__ void places(size_t i, size_t *from, size_t *to) const
    {
        const size_t row = i / length, l = i - row * length, o = row / inner, k = row - o * inner;
        *from = (o * length + l) * inner + k;
        *to = i;
    }
};

/* ---- the move ---- */

/* An element is `words` words of type E; a tile is per_tile elements. */
template <typename E, typename P>
__global__ void __launch_bounds__(tuning::THREADS)
    move_words(P p, const E *in, E *out, size_t n, size_t words, unsigned per_tile, size_t tiles)
{
    if (p.stopped()) {
        return;
    }
    for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        size_t first = tile * per_tile;
        unsigned count = static_cast<unsigned>(n - first < per_tile ? n - first : per_tile);
        if (words == 1) {
            size_t from[tuning::PER_THREAD], to[tuning::PER_THREAD];
            E value[tuning::PER_THREAD];
#pragma unroll
            for (unsigned k = 0; k < tuning::PER_THREAD; k++) {
                unsigned x = threadIdx.x + k * tuning::THREADS;
                from[k] = NOWHERE;
                to[k] = 0;
                if (x < count) {
                    p.places(first + x, &from[k], &to[k]);
                }
            }
#pragma unroll
            for (unsigned k = 0; k < tuning::PER_THREAD; k++) {
                value[k] = from[k] == NOWHERE ? E() : in[from[k]];
            }
#pragma unroll
            for (unsigned k = 0; k < tuning::PER_THREAD; k++) {
                if (from[k] != NOWHERE) {
                    out[to[k]] = value[k];
                }
            }
            continue;
        }
        /* A tile of several elements has so few words that 32 bits count them. */
        size_t all = count * words;
        for (size_t x = threadIdx.x; x < all; x += tuning::THREADS) {
            size_t from, to;
            unsigned e =
                per_tile == 1 ? 0 : static_cast<unsigned>(x) / static_cast<unsigned>(words);
            p.places(first + e, &from, &to);
            if (from != NOWHERE) {
                size_t w = x - e * words;
                out[to * words + w] = in[from * words + w];
            }
        }
    }
}

struct __align__(16) word16
{
    unsigned long long low, high;
};

/* Calls f with the widest word type that fits. */
template <typename F> upsweep_status by_word(size_t bytes, const void *a, const void *b, F f)
{
    size_t all = bytes | reinterpret_cast<uintptr_t>(a) | reinterpret_cast<uintptr_t>(b);
    return all % 16 == 0  ? f(word16())
           : all % 8 == 0 ? f(static_cast<unsigned long long>(0))
           : all % 4 == 0 ? f(0u)
           : all % 2 == 0 ? f(static_cast<unsigned short>(0))
                          : f(static_cast<unsigned char>(0));
}

template <typename P>
upsweep_status move(usw_gpu *g, const P &p, const void *in, void *out, size_t n, size_t bytes)
{
    return by_word(bytes, in, out, [&](auto kind) {
        using E = decltype(kind);
        size_t words = bytes / sizeof(E);
        unsigned per_tile = words >= tuning::TILE ? 1 : static_cast<unsigned>(tuning::TILE / words);
        size_t tiles = div_up(n, per_tile);
        return USW_LAUNCH(g, (move_words<E, P>), blocks_for(g, tiles), tuning::THREADS, 0, p,
                          static_cast<const E *>(in), static_cast<E *>(out), n, words, per_tile,
                          tiles);
    });
}

template <typename F> upsweep_status by_index(const void *index, unsigned bits, F f)
{
    return bits == 32 ? f(static_cast<const uint32_t *>(index))
                      : f(static_cast<const uint64_t *>(index));
}

/* ---- checks ---- */

__device__ __forceinline__ void win(unsigned *winner, size_t i)
{
    atomicMax(winner, static_cast<unsigned>(i + 1));
}
__device__ __forceinline__ void win(unsigned long long *winner, size_t i)
{
    atomicMax(winner, static_cast<unsigned long long>(i + 1));
}

template <typename I, typename W>
__global__ void __launch_bounds__(tuning::THREADS)
    check_scatter(const I *index, size_t n, size_t limit, W *winners, unsigned *stop,
                  unsigned long long *fault)
{
    size_t step = size_t(gridDim.x) * tuning::THREADS;
    for (size_t i = size_t(blockIdx.x) * tuning::THREADS + threadIdx.x; i < n; i += step) {
        size_t at = index[i];
        if (at < limit) {
            win(&winners[at], i);
        } else {
            usw_gpu_fault(fault, USW_FAULT_INDEX, i);
            atomicOr(stop, 1u);
        }
    }
}

template <typename I>
__global__ void __launch_bounds__(tuning::THREADS)
    check_permutation(const I *index, size_t n, unsigned *seen, unsigned *stop,
                      unsigned long long *fault)
{
    size_t step = size_t(gridDim.x) * tuning::THREADS;
    for (size_t i = size_t(blockIdx.x) * tuning::THREADS + threadIdx.x; i < n; i += step) {
        size_t at = index[i];
        unsigned bit = 1u << (at % 32);
        bool outside = at >= n;
        if (outside || (atomicOr(&seen[at / 32], bit) & bit) != 0) {
            usw_gpu_fault(fault, outside ? USW_FAULT_INDEX : USW_FAULT_PERMUTATION, i);
            atomicOr(stop, 1u);
        }
    }
}

/* ---- the calls ---- */

upsweep_status gather(usw_gpu *g, const void *in, size_t in_count, const void *index,
                      unsigned index_bits, void *out, size_t n, size_t bytes)
{
    return by_index(index, index_bits, [&](auto *indices) {
        using I = std::remove_const_t<std::remove_pointer_t<decltype(indices)>>;
        return move(g, gather_places<I>{indices, in_count, g->fault}, in, out, n, bytes);
    });
}

template <typename I, typename W>
upsweep_status scatter_by(usw_gpu *g, const void *in, const I *index, void *out, size_t out_count,
                          size_t n, size_t bytes)
{
    W *winners = static_cast<W *>(usw_gpu_scratch(g, out_count * sizeof(W)));
    unsigned *stop = static_cast<unsigned *>(usw_gpu_scratch(g, sizeof *stop));
    if (winners == nullptr || stop == nullptr) {
        return UPSWEEP_ERROR_MEMORY;
    }
    upsweep_status status = usw_gpu_fill(g, winners, 0, out_count * sizeof(W));
    if (status == UPSWEEP_OK) {
        status = usw_gpu_fill(g, stop, 0, sizeof *stop);
    }
    if (status == UPSWEEP_OK) {
        status = USW_LAUNCH(g, (check_scatter<I, W>), blocks_for(g, div_up(n, tuning::THREADS)),
                            tuning::THREADS, 0, index, n, out_count, winners, stop, g->fault);
    }
    return status == UPSWEEP_OK
               ? move(g, scatter_places<I, W>{index, winners, stop}, in, out, n, bytes)
               : status;
}

upsweep_status scatter(usw_gpu *g, const void *in, const void *index, unsigned index_bits,
                       void *out, size_t out_count, size_t n, size_t bytes)
{
    return by_index(index, index_bits, [&](auto *indices) {
        using I = std::remove_const_t<std::remove_pointer_t<decltype(indices)>>;
        return n < UINT32_MAX
                   ? scatter_by<I, unsigned>(g, in, indices, out, out_count, n, bytes)
                   : scatter_by<I, unsigned long long>(g, in, indices, out, out_count, n, bytes);
    });
}

upsweep_status permute(usw_gpu *g, void *data, const void *index, unsigned index_bits, size_t n,
                       size_t bytes)
{
    size_t seen_bytes = div_up(n, 32) * sizeof(unsigned);
    unsigned *seen = static_cast<unsigned *>(usw_gpu_scratch(g, seen_bytes));
    unsigned *stop = static_cast<unsigned *>(usw_gpu_scratch(g, sizeof *stop));
    void *copy = usw_gpu_scratch(g, n * bytes);
    if (seen == nullptr || stop == nullptr || copy == nullptr) {
        return UPSWEEP_ERROR_MEMORY;
    }
    upsweep_status status = usw_gpu_fill(g, seen, 0, seen_bytes);
    if (status == UPSWEEP_OK) {
        status = usw_gpu_fill(g, stop, 0, sizeof *stop);
    }
    if (status == UPSWEEP_OK) {
        status = usw_gpu_copy(g, copy, data, n * bytes);
    }
    return status != UPSWEEP_OK ? status : by_index(index, index_bits, [&](auto *indices) {
        using I = std::remove_const_t<std::remove_pointer_t<decltype(indices)>>;
        upsweep_status checked =
            USW_LAUNCH(g, check_permutation<I>, blocks_for(g, div_up(n, tuning::THREADS)),
                       tuning::THREADS, 0, indices, n, seen, stop, g->fault);
        return checked == UPSWEEP_OK ? move(g, scatter_places<I, unsigned>{indices, nullptr, stop},
                                            copy, data, n, bytes)
                                     : checked;
    });
}

/* ---- reverse ---- */

template <typename E>
__global__ void __launch_bounds__(tuning::THREADS)
    reverse_words(E *data, size_t n, size_t words, size_t all)
{
    size_t step = size_t(gridDim.x) * tuning::THREADS * tuning::PER_THREAD;
    size_t begin = size_t(blockIdx.x) * tuning::THREADS * tuning::PER_THREAD + threadIdx.x;
    for (; begin < all; begin += step) {
#pragma unroll
        for (unsigned k = 0; k < tuning::PER_THREAD; k++) {
            size_t x = begin + k * tuning::THREADS;
            if (x < all) {
                size_t i = words == 1 ? x : x / words, w = x - i * words;
                size_t y = (n - 1 - i) * words + w;
                E low = data[x], high = data[y];
                data[x] = high;
                data[y] = low;
            }
        }
    }
}

upsweep_status reverse(usw_gpu *g, const void *in, void *out, size_t n, size_t bytes)
{
    if (in != out) {
        return move(g, reverse_places{n - 1}, in, out, n, bytes);
    }
    return n < 2 ? UPSWEEP_OK : by_word(bytes, out, out, [&](auto kind) {
        using E = decltype(kind);
        size_t words = bytes / sizeof(E), all = n / 2 * words;
        return USW_LAUNCH(g, reverse_words<E>, blocks_for(g, div_up(all, tuning::TILE)),
                          tuning::THREADS, 0, static_cast<E *>(out), n, words, all);
    });
}

/* ---- transpose ---- */

upsweep_status transpose(usw_gpu *g, const void *in, const size_t *extents, void *out, size_t bytes)
{
    const size_t outer = extents[0], length = extents[1], inner = extents[2];
    const size_t n = outer * length * inner;
    if (length == 1 || inner == 1) {
        return usw_gpu_copy(g, out, in, n * bytes);
    }
    return n == 0 ? UPSWEEP_OK : by_word(bytes, in, out, [&](auto kind) {
        using E = decltype(kind);
        using shape = usw_transpose_shape<E>;
        if (bytes != sizeof(E) || length * inner < shape::square / 2) {
            return move(g, transposed_places{length, inner}, in, out, n, bytes);
        }
        const usw_transpose_plan plan(outer, length, inner, shape::side, shape::square);
        const bool square = plan.high == shape::side && plan.wide == shape::side;
        const unsigned blocks = blocks_for(g, outer * plan.down * plan.across);
        const E *from = static_cast<const E *>(in);
        E *to = static_cast<E *>(out);
        return square ? USW_LAUNCH(g, (usw_transpose_tiles<E, true>), blocks, shape::threads, 0,
                                   from, to, plan)
                      : USW_LAUNCH(g, (usw_transpose_tiles<E, false>), blocks, shape::threads, 0,
                                   from, to, plan);
    });
}

} // namespace

USW_GPU_FORM(usw_gpu_move_step, usw_moves_cuda) = {gather, scatter, permute, reverse, transpose};
