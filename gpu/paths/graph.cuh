/* graph.cuh - graphs and distances for the kernels of paths, and barriers of the blocks that search
 * together.
 *
 * W is the type of the weights: usw_no_weights, uint32_t, uint64_t, float or double. Distances are
 * kept as unsigned integers of their bits, also those of floats, which are never negative, so that
 * the integers compare as the distances do and the minimum is one atomic operation. A net, which is
 * a graph on the device, has
 *     span(v)         the arcs of v, as a begin and an end
 *     arc(v, a)       head and weight of one of them; the weight is `unreached` where there is none
 *     owner(a)        the vertex whose arc a is
 * and comes as rows (usw_rows_net) or as a matrix (usw_matrix_net). */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_PATHS_GRAPH_CUH
#define USW_GPU_PATHS_GRAPH_CUH

#include "gpu/gpu.cuh"

#include <type_traits>

struct usw_no_weights {
};

/* Distances of weights W: their bits, and the value of a vertex that is not reached. */
template <typename W> struct usw_distances {
    static constexpr bool is_float = std::is_floating_point<W>::value;
    static constexpr bool weighs = !std::is_same<W, usw_no_weights>::value;
    using bits =
        typename std::conditional<weighs && sizeof(W) == 8, unsigned long long, unsigned>::type;
    static constexpr bits unreached = !is_float           ? static_cast<bits>(~0ull)
                                      : sizeof(bits) == 4 ? static_cast<bits>(0x7f800000u)
                                                          : static_cast<bits>(0x7ffull << 52);
};
template <typename W> using usw_bits = typename usw_distances<W>::bits;

/* The distance over an arc; unreached where the sum does not fit. */
template <typename W>
__device__ __forceinline__ usw_bits<W> usw_distance_over(usw_bits<W> distance, usw_bits<W> weight)
{
    using D = usw_bits<W>;
    if constexpr (usw_distances<W>::is_float && sizeof(W) == 4) {
        return __float_as_uint(__fadd_rn(__uint_as_float(distance), __uint_as_float(weight)));
    } else if constexpr (usw_distances<W>::is_float) {
        const double sum = __dadd_rn(__longlong_as_double(static_cast<long long>(distance)),
                                     __longlong_as_double(static_cast<long long>(weight)));
        return static_cast<D>(__double_as_longlong(sum));
    } else {
        const D sum = static_cast<D>(distance + weight);
        return sum < distance ? usw_distances<W>::unreached : sum;
    }
}

struct usw_span {
    size_t begin, end;
};

template <typename W> struct usw_arc_of {
    unsigned head;
    usw_bits<W> weight;
};

/* ---- rows ---- */

template <typename W> struct usw_rows_net {
    using weight = W;
    using D = usw_bits<W>;
    static constexpr bool unchecked = false; /* weights may be negative or NaN */
    const uint64_t *row; /* begin << 24 | arcs; 2^24 - 1 arcs: up to the next begin */
    const void *arcs;
    const D *weights; /* of 64 bits */
    size_t vertices, arc_count;

    __device__ __forceinline__ usw_span span(unsigned v, uint64_t word) const
    {
        const size_t begin = word >> USW_GPU_ROW_BITS, count = word & USW_GPU_ROW_MOST;
        return {begin,
                count < USW_GPU_ROW_MOST ? begin + count : __ldg(&row[v + 1]) >> USW_GPU_ROW_BITS};
    }
    __device__ __forceinline__ uint64_t word(unsigned v) const
    {
        return __ldg(&row[v]);
    }
    __device__ __forceinline__ usw_span span(unsigned v) const
    {
        return span(v, word(v));
    }
    __device__ __forceinline__ usw_arc_of<W> arc(unsigned, size_t a) const
    {
        if constexpr (!usw_distances<W>::weighs) {
            return {__ldg(static_cast<const unsigned *>(arcs) + a), 1};
        } else if constexpr (sizeof(D) == 4) {
            const uint2 both = __ldg(static_cast<const uint2 *>(arcs) + a);
            return {both.x, both.y};
        } else {
            return {__ldg(static_cast<const unsigned *>(arcs) + a), __ldg(&weights[a])};
        }
    }
    /* The vertex of lo .. hi whose row has arc a. */
    __device__ __forceinline__ unsigned owner(size_t a, unsigned lo, unsigned hi) const
    {
        while (lo < hi) {
            const unsigned middle = lo + (hi - lo + 1) / 2;
            if (word(middle) >> USW_GPU_ROW_BITS <= a) {
                lo = middle;
            } else {
                hi = middle - 1;
            }
        }
        return lo;
    }
};

/* ---- a matrix ---- */

template <typename W> struct usw_matrix_net {
    using weight = W;
    using D = usw_bits<W>;
    static constexpr bool unchecked = true;
    const D *matrix;
    size_t vertices, arc_count;

    __device__ __forceinline__ usw_span span(unsigned v) const
    {
        return {v * vertices, (v + size_t(1)) * vertices};
    }
    __device__ __forceinline__ usw_arc_of<W> arc(unsigned v, size_t a) const
    {
        const unsigned head = static_cast<unsigned>(a - v * vertices);
        D w = __ldg(&matrix[a]);
        if (usw_distances<W>::is_float && w == static_cast<D>(D(1) << (8 * sizeof(D) - 1))) {
            w = 0; /* -0 */
        }
        return {head, head == v ? usw_distances<W>::unreached : w};
    }
    __device__ __forceinline__ unsigned owner(size_t a, unsigned, unsigned) const
    {
        return static_cast<unsigned>(a / vertices);
    }
};

template <typename W> static inline usw_rows_net<W> usw_rows_of(const usw_gpu_net &n)
{
    return {n.row, n.arc, static_cast<const usw_bits<W> *>(n.weight), n.vertices, n.arcs};
}
template <typename W> static inline usw_matrix_net<W> usw_matrix_of(const usw_gpu_net &n)
{
    return {static_cast<const usw_bits<W> *>(n.matrix), n.vertices, n.arcs};
}

/* Calls f(W()) with the type of the weights. */
template <typename F> static inline upsweep_status usw_by_weight(upsweep_type type, F f)
{
    switch (type) {
    case UPSWEEP_U32: return f(uint32_t());
    case UPSWEEP_U64: return f(uint64_t());
    case UPSWEEP_F32: return f(float());
    case UPSWEEP_F64: return f(double());
    default: return f(usw_no_weights());
    }
}

/* ---- blocks that search together ---- */

/* All blocks of a cooperative launch, or one block by itself. */
struct usw_team {
    unsigned blocks, block;
    unsigned long long *arrived; /* device memory, 0 before the launch; NULL for one block */
    unsigned long long round;

    /* A barrier: what any block wrote before it is seen by all blocks after it. All lanes call. */
    __device__ __forceinline__ void barrier()
    {
        if (blocks > 1) {
            round++;
            __syncthreads();
            if (threadIdx.x == 0) {
                __threadfence();
                atomicAdd(arrived, 1ull);
                while (usw_load_acquire(arrived) < round * blocks) {
                    usw_yield();
                }
            }
        }
        __syncthreads();
    }
    /* Lanes of all blocks, numbered through. */
    __device__ __forceinline__ size_t lane() const
    {
        return static_cast<size_t>(block) * blockDim.x + threadIdx.x;
    }
    __device__ __forceinline__ size_t lanes() const
    {
        return static_cast<size_t>(blocks) * blockDim.x;
    }
};

/* The team of all blocks of a cooperative launch. */
static __device__ __forceinline__ usw_team usw_team_of_grid(unsigned long long *arrived)
{
    return {gridDim.x, blockIdx.x, arrived, 0};
}
static __device__ __forceinline__ usw_team usw_team_of_block()
{
    return {1, 0, nullptr, 0};
}

#endif
