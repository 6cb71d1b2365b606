/* reduce_butterfly.cu - butterfly reduction, CUDA form.
 *
 * Same as the explained form: in the round with distance b lane i combines with lane i XOR b, all
 * lanes hearing their partner before any adds, and in the end every lane has the total.
 * Differs: the butterfly has the 128 lanes of a block, each of which first combines 32 elements of
 * a tile on its own; partners of the same warp hear one another by a shuffle, others through shared
 * memory. The tiles' totals are joined 64 at a time, level by level, in a carry tree. So the order
 * of additions is that of core/order.h, since adding is commutative: i + (i XOR b) is (i XOR b) +
 * i.
 *
 * Shape    tile_totals: grid up to 16 a multiprocessor, block 128, shared 2 KB; a block a tile of
 *          4096 elements.
 *          add_level: grid ceil(totals / 64 / 128), block 128; a lane adds 64 totals.
 *          finish: one lane.
 * Traffic  each element read once.
 * Source   R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective communication
 *          operations in MPICH, 2005. */
/* SPDX-License-Identifier: MIT */
#include "gpu/folds/elements.cuh"

namespace
{

struct tuning {
    static constexpr unsigned lanes = 128, tile = 4096, fanout = 64; /* core/order.h */
    static constexpr unsigned blocks = 16;                           /* a multiprocessor */
    static constexpr unsigned levels = 9;                            /* of totals of 64 */
};

/* ---- operators: how an element is widened, and how a total becomes the result ---- */

/* Totals of an operator say how two values are joined, whatever the type of the elements. */

struct output {
    void *result;
    uint64_t *key, *index;
    bool rounded; /* the result has the type of the elements */
};

template <typename Elements> struct float_operator {
    typedef typename Elements::Raw Raw;
    typedef usw_float_elements<usw_f64_number, Elements::is_product> Totals;
    Elements elements;
    Totals totals;
    __device__ __forceinline__ double widen(Raw raw, uint64_t) const
    {
        return elements.widen(raw);
    }
    __device__ __forceinline__ void store(double total, const output &to) const
    {
        usw_sums{to.result, to.rounded}.store<typename Elements::Number>(0, total);
    }
};

/* Sums and products of 64 bits, of elements that keep their sign; bits as they are. */
template <typename K, typename T> struct integer_operator {
    typedef K Raw;
    typedef T Totals;
    K sign; /* the top bit of a signed type */
    Totals totals;
    __device__ __forceinline__ uint64_t widen(Raw raw, uint64_t) const
    {
        return static_cast<uint64_t>(static_cast<K>(raw ^ sign)) - sign;
    }
    __device__ __forceinline__ void store(uint64_t total, const output &to) const
    {
        if (Totals::bitwise) {
            *static_cast<K *>(to.result) = static_cast<K>(total);
        } else {
            *static_cast<uint64_t *>(to.result) = total;
        }
    }
};

struct place {
    unsigned long long key, index;
};

struct least_totals {
    typedef place Acc;
    __device__ __forceinline__ place neutral() const
    {
        return {~0ull, ~0ull};
    }
    __device__ __forceinline__ place join(place a, place b) const
    {
        return b.key < a.key || (b.key == a.key && b.index < a.index) ? b : a;
    }
};

/* The least mapped key, and of equal ones the first. */
template <typename K> struct least_operator {
    typedef K Raw;
    typedef least_totals Totals;
    usw_gpu_keymap<K> map;
    Totals totals;
    __device__ __forceinline__ place widen(Raw raw, uint64_t i) const
    {
        return {map.map(raw), i};
    }
    __device__ __forceinline__ void store(place total, const output &to) const
    {
        if (to.result != nullptr) {
            *static_cast<K *>(to.result) = map.unmap(static_cast<K>(total.key));
        } else {
            *to.key = total.key;
            *to.index = total.index;
        }
    }
};

/* ---- the butterfly ---- */

template <typename A> __device__ __forceinline__ A hear(A mine, unsigned b)
{
    return __shfl_xor_sync(~0u, mine, static_cast<int>(b));
}
__device__ __forceinline__ place hear(place mine, unsigned b)
{
    return {hear(mine.key, b), hear(mine.index, b)};
}

/* All lanes of the block; every one of them gets the total. */
template <typename Totals>
__device__ __forceinline__ typename Totals::Acc
butterfly(const Totals &totals, typename Totals::Acc mine, typename Totals::Acc *said)
{
    for (unsigned b = tuning::lanes / 2; b >= 32; b /= 2) {
        said[threadIdx.x] = mine;
        __syncthreads();
        const typename Totals::Acc heard = said[threadIdx.x ^ b];
        __syncthreads();
        mine = totals.join(mine, heard);
    }
    for (unsigned b = 16; b > 0; b /= 2) {
        mine = totals.join(mine, hear(mine, b));
    }
    return mine;
}

template <typename Op>
__global__ void __launch_bounds__(tuning::lanes)
    tile_totals(const typename Op::Raw *data, size_t n, Op op, typename Op::Totals::Acc *sums)
{
    typedef typename Op::Totals::Acc A;
    USW_SHARED_ARRAY(A, said, [tuning::lanes]);
    const size_t tiles = (n + tuning::tile - 1) / tuning::tile;
    for (size_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        A mine = op.totals.neutral();
        for (unsigned r = 0; r < tuning::tile / tuning::lanes; r++) {
            const size_t i = t * tuning::tile + r * tuning::lanes + threadIdx.x;
            if (i < n) {
                mine = op.totals.join(mine, op.widen(data[i], i));
            }
        }
        mine = butterfly(op.totals, mine, said);
        if (threadIdx.x == 0) {
            sums[t] = mine;
        }
    }
}

/* ---- totals of totals: a carry tree of fan-out 64 ---- */

/* Totals of level l, which has count[l] of them. */
template <typename A> struct carry_levels {
    A *totals[tuning::levels];
    size_t count[tuning::levels];
    unsigned levels;
};

template <typename Totals>
__device__ __forceinline__ typename Totals::Acc add_up(const Totals &totals,
                                                       const typename Totals::Acc *x, size_t count)
{
    typename Totals::Acc sum = totals.neutral();
    for (size_t i = 0; i < count; i++) {
        sum = totals.join(sum, x[i]);
    }
    return sum;
}

/* From a level to the one above it. */
template <typename Totals>
__global__ void __launch_bounds__(tuning::lanes)
    add_level(Totals totals, carry_levels<typename Totals::Acc> tree, unsigned level)
{
    const size_t i = static_cast<size_t>(blockIdx.x) * tuning::lanes + threadIdx.x;
    if (i < tree.count[level + 1]) {
        tree.totals[level + 1][i] =
            add_up(totals, tree.totals[level] + i * tuning::fanout, tuning::fanout);
    }
}

/* The totals that are in no group of 64, from the top level down. */
template <typename Op>
__global__ void finish(Op op, carry_levels<typename Op::Totals::Acc> tree, output to)
{
    typename Op::Totals::Acc total = op.totals.neutral();
    for (unsigned level = tree.levels; level-- > 0;) {
        const size_t grouped = tree.count[level] / tuning::fanout * tuning::fanout;
        total = op.totals.join(
            total, add_up(op.totals, tree.totals[level] + grouped, tree.count[level] - grouped));
    }
    op.store(total, to);
}

/* ---- the whole ---- */

template <typename Op>
upsweep_status reduce_by(usw_gpu *g, const void *data, size_t n, const Op &op, const output &to)
{
    typedef typename Op::Totals Totals;
    typedef typename Totals::Acc A;
    carry_levels<A> tree = {};
    for (size_t m = (n + tuning::tile - 1) / tuning::tile; m > 0; m /= tuning::fanout) {
        tree.count[tree.levels] = m;
        tree.totals[tree.levels] = static_cast<A *>(usw_gpu_scratch(g, m * sizeof(A)));
        if (tree.totals[tree.levels++] == nullptr) {
            return g->status;
        }
    }
    const size_t most = static_cast<size_t>(g->sms) * tuning::blocks;
    const size_t blocks = tree.count[0] < most ? tree.count[0] : most;
    USW_LAUNCH(g, tile_totals<Op>, static_cast<unsigned>(blocks), tuning::lanes, 0,
               static_cast<const typename Op::Raw *>(data), n, op, tree.totals[0]);
    for (unsigned level = 0; level + 1 < tree.levels; level++) {
        const size_t turns = (tree.count[level + 1] + tuning::lanes - 1) / tuning::lanes;
        USW_LAUNCH(g, add_level<Totals>, static_cast<unsigned>(turns), tuning::lanes, 0, op.totals,
                   tree, level);
    }
    return USW_LAUNCH(g, finish<Op>, 1, 1, 0, op, tree, to);
}

upsweep_status least_by(usw_gpu *g, const void *data, size_t n, const usw_keymap &map,
                        const output &to)
{
    const unsigned width = map.bits == 8 ? 0 : map.bits == 16 ? 1 : map.bits == 32 ? 2 : 3;
    return usw_gpu_by_width(width, [&](auto key) {
        typedef decltype(key) K;
        return reduce_by(g, data, n, least_operator<K>{usw_gpu_keymap_of<K>(map), {}}, to);
    });
}

upsweep_status reduce(usw_gpu *g, const void *data, size_t n, upsweep_type type, upsweep_op op,
                      upsweep_type to, bool unordered, void *result)
{
    (void)unordered; /* any order is allowed, and so is this one */
    const output at = {result, nullptr, nullptr, to == type};
    if (op == UPSWEEP_LEAST || op == UPSWEEP_GREATEST) {
        const unsigned flags = op == UPSWEEP_GREATEST ? UPSWEEP_DESCENDING : 0;
        return least_by(g, data, n, usw_keymap_of(type, flags), at);
    }
    if (usw_type_is_float(type)) {
        const auto with = [&](auto e) {
            return reduce_by(g, data, n, float_operator<decltype(e)>{e, {}}, at);
        };
        return op == UPSWEEP_PRODUCT ? usw_gpu_float_elements<true>(type, with)
                                     : usw_gpu_float_elements<false>(type, with);
    }
    return usw_gpu_by_width(usw_gpu_width_of(type), [&](auto key) {
        typedef decltype(key) K;
        const K top = static_cast<K>(static_cast<K>(1) << (8 * sizeof(K) - 1));
        const K sign = usw_type_is_signed(type) ? top : K(0);
        return usw_gpu_integer_elements<uint64_t>(op, [&](auto totals) {
            typedef integer_operator<K, decltype(totals)> Op;
            return reduce_by(g, data, n, Op{totals.bitwise ? K(0) : sign, totals}, at);
        });
    });
}

upsweep_status least(usw_gpu *g, const void *data, size_t n, const usw_keymap *maps,
                     size_t map_count, uint64_t *keys, uint64_t *index)
{
    upsweep_status status = UPSWEEP_OK;
    for (size_t m = 0; m < map_count && status == UPSWEEP_OK; m++) {
        status = least_by(g, data, n, maps[m], {nullptr, keys + m, index + m, false});
    }
    return status;
}

} // namespace

USW_GPU_FORM(usw_gpu_reduce_form, usw_reduce_butterfly_cuda) = {reduce, least};
