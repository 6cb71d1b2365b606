/* fold_columns.cu - reductions of an array of outer x length x inner elements along its middle
 * axis, where they lie.
 *
 * A block takes tiles of up to 4096 rows of some columns, as many as fill its shared memory with
 * one accumulator for each lane of each column: 32 columns of long ones, more of short ones, those
 * of several outer ones where they are few. Threads so read rows as they lie. Sums and products of
 * floats follow core/order.h: lane j of a tile has rows j, j + 128, .., and lanes meet at halving
 * distance; exact operators do the same, for which any order will do. Where columns have several
 * tiles, the tiles' results meet in the carry tree, one launch a level.
 *
 * Traffic: each element is read once, and 8 bytes are written and read for each tile of a column.
 */
/* SPDX-License-Identifier: MIT */
#include "gpu/folds/column_carries.cuh"
#include "gpu/folds/row_folds.cuh"

namespace
{

struct tuning {
    static constexpr unsigned threads = 256;
    static constexpr unsigned ahead = 4;    /* rows of a lane that are on their way at once */
    static constexpr unsigned lanes = 4096; /* accumulators of a block: 32 KB of 64 bits */
};
enum : unsigned { TILE = USW_REDUCE_TILE, LANES = USW_REDUCE_LANES };

/* ---- operators: what elements become, how two of them are one, and the result ---- */

/* Everything but sums and products of floats, by the operators of rows. */
template <typename F> struct exact {
    typedef typename F::Raw Raw;
    typedef typename F::Value Value;
    F f;

    __device__ __forceinline__ Value neutral() const
    {
        return f.neutral();
    }
    __device__ __forceinline__ Value of(Raw raw) const
    {
        return f.of(raw, 0);
    }
    __device__ __forceinline__ Value join(Value a, Value b) const
    {
        return f.join(a, b);
    }
    __device__ __forceinline__ void store(uint64_t column, Value v) const
    {
        f.store(column, v, false);
    }
};

/* ---- tiles ---- */

struct shape {
    uint64_t length, inner, columns; /* columns: outer * inner */
    uint64_t tiles, parts;           /* of a column; of `inner` columns, or of all */
    unsigned rows, width;            /* of a tile and of a part, at most */
    bool across;                     /* a part has columns of several outer ones */
};

/* The columns of a unit of work, counted over all outer ones, and their rows. */
struct unit {
    uint64_t column, tile;
    unsigned columns, rows;
};

__device__ __forceinline__ unit unit_of(const shape &s, uint64_t i)
{
    unit u;
    const uint64_t part = i % s.parts, rest = i / s.parts, first = part * s.width;
    const uint64_t end = s.across ? s.columns : s.inner;
    u.tile = rest % s.tiles;
    u.column = s.across ? first : rest / s.tiles * s.inner + first;
    u.columns = static_cast<unsigned>(end - first < s.width ? end - first : s.width);
    const uint64_t left = s.length - u.tile * TILE;
    u.rows = static_cast<unsigned>(left < TILE ? left : +TILE);
    return u;
}

/* Where the first element of a column lies. */
__device__ __forceinline__ uint64_t top_of(const shape &s, uint64_t column)
{
    const uint64_t outer = column / s.inner;
    return outer * s.length * s.inner + (column - outer * s.inner);
}

/* One lane of a column: rows lane, lane + 128, .. of those from `at` on. */
template <typename O>
__device__ __forceinline__ typename O::Value lane_of(const O &o, const typename O::Raw *at,
                                                     uint64_t inner, unsigned lane, unsigned rows)
{
    typedef typename O::Raw R;
    typename O::Value v = o.neutral();
    unsigned r = lane;
    for (; r + (tuning::ahead - 1) * LANES < rows; r += tuning::ahead * LANES) {
        R x[tuning::ahead];
#pragma unroll
        for (unsigned k = 0; k < tuning::ahead; k++) {
            x[k] = __ldcs(at + (r + k * LANES) * inner);
        }
#pragma unroll
        for (unsigned k = 0; k < tuning::ahead; k++) {
            v = o.join(v, o.of(x[k]));
        }
    }
    for (; r < rows; r += LANES) {
        v = o.join(v, o.of(at[r * inner]));
    }
    return v;
}

/* partial: of tiles of several, tile by tile; NULL: results are stored. */
template <typename O>
__global__ void __launch_bounds__(tuning::threads)
    column_tiles(shape s, const typename O::Raw *data, typename O::Value *partial, O o)
{
    typedef typename O::Value V;
    USW_SHARED_ARRAY(V, acc, [tuning::lanes]);
    const uint64_t units = s.parts * s.tiles * (s.across ? 1 : s.columns / s.inner);
    for (uint64_t i = blockIdx.x; i < units; i += gridDim.x) {
        const unit u = unit_of(s, i);
        unsigned lanes = u.rows < LANES ? u.rows : +LANES;
        for (unsigned a = threadIdx.x; a < lanes * u.columns; a += tuning::threads) {
            const unsigned lane = a / u.columns, column = a - lane * u.columns;
            const uint64_t top = top_of(s, u.column + column) + u.tile * TILE * s.inner;
            acc[a] = lane_of(o, data + top, s.inner, lane, u.rows);
        }
        __syncthreads();
        for (unsigned d = LANES / 2; d > 0; d /= 2) {
            if (d < lanes) {
                for (unsigned a = threadIdx.x; a < (lanes - d) * u.columns; a += tuning::threads) {
                    acc[a] = o.join(acc[a], acc[a + d * u.columns]);
                }
                lanes = d;
                __syncthreads();
            }
        }
        for (unsigned c = threadIdx.x; c < u.columns; c += tuning::threads) {
            if (partial == nullptr) {
                o.store(u.column + c, o.join(o.neutral(), acc[c]));
            } else {
                partial[u.tile * s.columns + u.column + c] = acc[c];
            }
        }
        __syncthreads();
    }
}

/* ---- launches ---- */

unsigned grid_of(const usw_gpu *g, uint64_t blocks)
{
    const uint64_t most = uint64_t(g->sms) * (2048 / tuning::threads);
    return static_cast<unsigned>(blocks == 0 ? 1 : blocks < most ? blocks : most);
}

shape shape_of(const usw_reduce_columns *c)
{
    shape s;
    s.length = c->length;
    s.inner = c->inner;
    s.columns = c->outer * c->inner;
    s.tiles = (c->length + TILE - 1) / TILE;
    s.rows = static_cast<unsigned>(c->length < TILE ? c->length : +TILE);
    const unsigned lanes = s.rows < LANES ? s.rows : +LANES, most = tuning::lanes / lanes;
    s.across = s.tiles == 1 && s.inner < most;
    const uint64_t side = s.across ? s.columns : s.inner;
    s.width = static_cast<unsigned>(side < most ? side : most);
    s.parts = (side + s.width - 1) / s.width;
    return s;
}

template <typename O>
upsweep_status reduce_with(usw_gpu *g, const usw_reduce_columns *c, const O &o)
{
    typedef typename O::Value V;
    const shape s = shape_of(c);
    const uint64_t units = s.parts * s.tiles * (s.across ? 1 : c->outer);
    const typename O::Raw *data =
        static_cast<const typename O::Raw *>(static_cast<const void *>(c->data));
    usw_column_carries<V> carries = {};
    if (s.tiles > 1 && !usw_column_carries_take(g, s.columns, s.tiles, &carries)) {
        return g->status;
    }
    const upsweep_status status = USW_LAUNCH(g, column_tiles<O>, grid_of(g, units), tuning::threads,
                                             0, s, data, carries.sums[0], o);
    return s.tiles == 1 || status != UPSWEEP_OK ? status : usw_column_carries_join(g, carries, o);
}

template <typename K, int op> upsweep_status integers(usw_gpu *g, const usw_reduce_columns *c)
{
    typedef usw_row_integers<K, op> F;
    const K flip = usw_type_is_signed(c->type) ? static_cast<K>(K(1) << (8 * sizeof(K) - 1)) : K(0);
    return reduce_with(g, c, exact<F>{{c->results, flip}});
}

upsweep_status reduce(usw_gpu *g, const usw_reduce_columns *c)
{
    const upsweep_op op = c->op;
    void *results = c->results;
    const usw_sums sums = {results, c->to == c->type};
    if (usw_type_is_float(c->type) && op <= UPSWEEP_PRODUCT) {
        const auto with = [&](const auto &e) {
            typedef typename std::decay<decltype(e)>::type E;
            return reduce_with(g, c, usw_ordered_sums<E>{e, sums});
        };
        return op == UPSWEEP_PRODUCT ? usw_gpu_float_elements<true>(c->type, with)
                                     : usw_gpu_float_elements<false>(c->type, with);
    }
    return usw_gpu_by_width(usw_gpu_width_of(c->type), [&](auto key) {
        typedef decltype(key) K;
        if (op == UPSWEEP_LEAST || op == UPSWEEP_GREATEST) {
            typedef usw_row_least<K> F;
            const usw_keymap map =
                usw_keymap_of(c->type, op == UPSWEEP_GREATEST ? UPSWEEP_DESCENDING : 0);
            return reduce_with(
                g, c, exact<F>{{static_cast<K *>(results), usw_gpu_keymap_of<K>(map), K(0)}});
        }
        return op == UPSWEEP_SUM       ? integers<K, UPSWEEP_SUM>(g, c)
               : op == UPSWEEP_PRODUCT ? integers<K, UPSWEEP_PRODUCT>(g, c)
               : op == UPSWEEP_AND     ? integers<K, UPSWEEP_AND>(g, c)
               : op == UPSWEEP_OR      ? integers<K, UPSWEEP_OR>(g, c)
                                       : integers<K, UPSWEEP_XOR>(g, c);
    });
}

} // namespace

USW_GPU_FORM(usw_gpu_fold_columns_step, usw_fold_columns_cuda) = {reduce};
