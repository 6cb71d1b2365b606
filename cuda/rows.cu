/* rows.cu - many rows of keys, each sorted on its own.
 *
 * Idea     A row of up to 128 keys is sorted by a warp, of up to 8192 by a
 * block (block_sort.cuh), a longer one by a block that walks it digit by digit
 * through memory, with the steps of sort/radix (part_scatter.cuh) but without
 * look-back, since one block does it all. Rows of fixed length that are few and
 * long are sorted one after another by the whole machine.
 *
 * Shape    rows of fixed length: one kernel. Rows by offsets: four kernels,
 * each of which takes the rows of its lengths and passes over the others, so
 * that nothing waits for the host.
 *
 * Traffic  rows of up to 8192 keys: read once, written once; longer ones 3
 * reads and writes a digit.
 *
 * Limit    one very long row among many, given by offsets, is the work of one
 * block.
 */
#include "block_sort.cuh"
#include "part_scatter.cuh"

#include <type_traits>

extern "C" const usw_gpu_sort_form usw_sort_radix_cuda;

struct rows_tuning {
#ifdef USW_EMULATE /* so that tests of few keys reach all of it */
    static constexpr unsigned block_small = 32, block_large = 64, items = 2;
#else
    static constexpr unsigned block_small = 256, block_large = 1024, items = 4;
#endif
    static constexpr unsigned warp_max = 32 * items;
    static constexpr unsigned small_max = block_small * items, large_max = block_large * 2 * items;
    static constexpr size_t machine_keys = size_t(1) << 20; /* rows that the whole machine takes */
};

template <typename K> struct rows_args {
    K *keys, *keys_tmp;
    const uint64_t *begin; /* NULL: row_keys each */
    size_t rows, row_keys;
    usw_gpu_keymap<K> map;
    void *index, *index_tmp;
    unsigned index_bytes; /* 0: none */
    size_t above, up_to;  /* the lengths that this kernel takes */

    __device__ __forceinline__ size_t row(size_t r, size_t &count) const
    {
        size_t at = begin == nullptr ? r * row_keys : begin[r];
        count = begin == nullptr ? row_keys : begin[r + 1] - at;
        return at;
    }
    __device__ __forceinline__ bool takes(size_t count) const
    {
        return count > above && count <= up_to;
    }
};

/* The numbers that stand for keys: mapped, above their positions if these are
 * wanted. */
template <typename K, bool indexed> struct row_number {
    using type = std::conditional_t<indexed, std::conditional_t<sizeof(K) == 8, usw_u128, uint64_t>,
                                    std::conditional_t<sizeof(K) == 8, uint64_t, uint32_t>>;
};
template <typename K, bool indexed, typename E>
__device__ __forceinline__ E load_number(const rows_args<K> &a, size_t at, unsigned i)
{
    E key = a.map.map(a.keys[at + i]);
    if constexpr (indexed) {
        key = key << 32 | i;
    }
    return key;
}
template <typename K, bool indexed, typename E>
__device__ __forceinline__ void store_number(const rows_args<K> &a, size_t at, E number)
{
    if constexpr (indexed) {
        a.keys[at] = a.map.unmap(static_cast<K>(number >> 32));
        uint32_t i = static_cast<uint32_t>(number);
        if (a.index_bytes == 4) {
            static_cast<uint32_t *>(a.index)[at] = i;
        } else {
            static_cast<uint64_t *>(a.index)[at] = i;
        }
    } else {
        a.keys[at] = a.map.unmap(static_cast<K>(number));
    }
}

/* ---- a warp a row ---- */

template <typename K, bool indexed>
__global__ void __launch_bounds__(256) usw_rows_warp(const rows_args<K> a)
{
    using E = typename row_number<K, indexed>::type;
    constexpr unsigned I = rows_tuning::items;
    unsigned lane = threadIdx.x % 32, warps = blockDim.x / 32;
    for (size_t r = blockIdx.x * static_cast<size_t>(warps) + threadIdx.x / 32; r < a.rows;
         r += static_cast<size_t>(gridDim.x) * warps) {
        size_t count, at = a.row(r, count);
        if (!a.takes(count)) {
            continue;
        }
        E number[I];
#pragma unroll
        for (unsigned i = 0; i < I; i++) {
            unsigned j = 32 * i + lane;
            number[i] = j < count ? load_number<K, indexed, E>(a, at, j) : static_cast<E>(~E(0));
        }
        __syncwarp();
        usw_block_sort<E, I>::sort_warp(number);
#pragma unroll
        for (unsigned i = 0; i < I; i++) {
            if (lane * I + i < count) {
                store_number<K, indexed>(a, at + lane * I + i, number[i]);
            }
        }
    }
}

/* ---- a block a row ---- */

template <typename K, bool indexed, unsigned threads, unsigned I>
__global__ void __launch_bounds__(threads) usw_rows_block(const rows_args<K> a)
{
    using E = typename row_number<K, indexed>::type;
    USW_DYNAMIC_SHARED(E, shared);
    for (size_t r = blockIdx.x; r < a.rows; r += gridDim.x) {
        size_t count, at = a.row(r, count);
        if (!a.takes(count)) {
            continue;
        }
        E number[I];
#pragma unroll
        for (unsigned i = 0; i < I; i++) {
            unsigned j = threads * i + threadIdx.x;
            number[i] = j < count ? load_number<K, indexed, E>(a, at, j) : static_cast<E>(~E(0));
        }
        usw_block_sort<E, I>::sort(number, shared);
        for (unsigned j = threadIdx.x; j < count; j += threads) {
            store_number<K, indexed>(a, at + j, shared[j]);
        }
        __syncthreads();
    }
}

/* ---- a block a long row ---- */

/* One digit of one row, from b.keys_in to b.keys_out; false: all keys agree on
 * it. */
template <typename K, unsigned value_bytes, typename Shape>
__device__ __forceinline__ bool sort_digit(scatter_block<K, value_bytes, Shape> &b, size_t at,
                                           size_t count, unsigned long long *next)
{
    unsigned t = threadIdx.x;
    for (unsigned i = t; i < 256; i += Shape::threads) {
        next[i] = 0;
    }
    __syncthreads();
    for (size_t i = t; i < count; i += Shape::threads) {
        K key = b.keys_in[at + i];
        atomicAdd(&next[b.digit_of(b.first ? b.map.map(key) : key)], 1ull);
    }
    __syncthreads();
    unsigned long long mine = t < 256 ? next[t] : 0, before = 0;
    if (__syncthreads_or(t < 256 && mine == count)) {
        return false;
    }
    for (unsigned i = 0; i < 256 && t < 256; i++) {
        before += i < t ? next[i] : 0;
    }
    __syncthreads();
    if (t < 256) {
        next[t] = at + before;
    }
    for (size_t done = 0; done < count; done += Shape::tile) {
        for (unsigned i = t; i < Shape::warps * 128; i += Shape::threads) {
            b.counters[i] = 0;
        }
        __syncthreads();
        b.begin = at + done;
        b.count = static_cast<unsigned>(count - done < Shape::tile ? count - done : Shape::tile);
        K keys[Shape::items];
        unsigned ranks[b.ranks] = {}, padding = Shape::tile - b.count;
        b.load(keys);
        __syncwarp();
        b.rank(keys, ranks);
        __syncthreads();
        start_digits<Shape::warps>(b.counters, b.digit_start, b.warp_sums,
                                   [](unsigned, unsigned) {});
        b.place(keys, ranks);
        if (t < 256) {
            unsigned digits = b.digit_start[t + 1] - b.digit_start[t];
            b.go[t] = static_cast<long long>(next[t]) - b.digit_start[t];
            next[t] += digits - (t == b.mask ? padding : 0);
        }
        b.finish();
    }
    return true;
}

template <typename K, unsigned value_bytes, typename Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks) usw_rows_long(const rows_args<K> a)
{
    using V = typename usw_value_of<value_bytes>::type;
    USW_DYNAMIC_SHARED(unsigned char, shared);
    USW_SHARED_ARRAY(unsigned long long, next, [256]);
    scatter_block<K, value_bytes, Shape> b;
    b.carve(shared);
    b.joined_in = nullptr;
    b.joined_out = nullptr;
    b.map = a.map;
    b.last = false;
    b.mask = 255;
    for (size_t r = blockIdx.x; r < a.rows; r += gridDim.x) {
        size_t count, at = a.row(r, count);
        if (!a.takes(count)) {
            continue;
        }
        bool in_tmp = false, mapped = false;
        b.values_base = at;
        for (unsigned d = 0; d < sizeof(K); d++) {
            b.first = !mapped;
            b.shift = 8 * d;
            b.keys_in = in_tmp ? a.keys_tmp : a.keys;
            b.keys_out = in_tmp ? a.keys : a.keys_tmp;
            b.values_in = mapped ? static_cast<const V *>(in_tmp ? a.index_tmp : a.index) : nullptr;
            b.values_out = static_cast<V *>(in_tmp ? a.index : a.index_tmp);
            if (sort_digit(b, at, count, next)) {
                in_tmp = !in_tmp;
                mapped = true;
            }
            __syncthreads();
        }
        const K *keys = in_tmp ? a.keys_tmp : a.keys;
        for (size_t i = at + threadIdx.x; i < at + count; i += Shape::threads) {
            if (mapped) {
                a.keys[i] = a.map.unmap(keys[i]);
            }
            if constexpr (value_bytes != 0) {
                V *index = static_cast<V *>(a.index);
                index[i] = !mapped  ? static_cast<V>(i - at)
                           : in_tmp ? static_cast<const V *>(a.index_tmp)[i]
                                    : index[i];
            }
        }
        __syncthreads();
    }
}

/* ---- the whole ---- */

template <typename K, unsigned index_bytes>
static upsweep_status launch_long(usw_gpu *g, const rows_args<K> &a)
{
    using shape = typename usw_radix_tuning<K, index_bytes>::shape;
    size_t most = static_cast<size_t>(g->sms) * shape::blocks;
    return USW_LAUNCH(g, (usw_rows_long<K, index_bytes, shape>),
                      static_cast<unsigned>(a.rows < most ? a.rows : most), shape::threads,
                      (scatter_block<K, index_bytes, shape>::shared_bytes()), a);
}

template <typename K, bool indexed>
static upsweep_status launch_rows(usw_gpu *g, rows_args<K> a, size_t longest)
{
    using tuning = rows_tuning;
    using E = typename row_number<K, indexed>::type;
    constexpr unsigned I = tuning::items;
    struct {
        size_t up_to;
    } const classes[] = {{tuning::warp_max}, {tuning::small_max}, {tuning::large_max}, {SIZE_MAX}};
    size_t above = 0;
    for (unsigned k = 0; k < 4; k++) {
        a.above = above;
        a.up_to = classes[k].up_to;
        above = a.up_to;
        if (a.begin == nullptr ? a.row_keys <= a.above || a.row_keys > a.up_to
                               : longest <= a.above) {
            continue;
        }
        size_t most = static_cast<size_t>(g->sms) * (k == 0 ? 8 : k == 1 ? 6 : 2);
        size_t blocks = k == 0 ? (a.rows + 7) / 8 : a.rows;
        unsigned grid = static_cast<unsigned>(blocks < most ? blocks : most);
        if (k == 0) {
            USW_LAUNCH(g, (usw_rows_warp<K, indexed>), grid, 256, 0, a);
        } else if (k == 1) {
            USW_LAUNCH(g, (usw_rows_block<K, indexed, tuning::block_small, I>), grid,
                       tuning::block_small, tuning::small_max * sizeof(E), a);
        } else if (k == 2) {
            USW_LAUNCH(g, (usw_rows_block<K, indexed, tuning::block_large, 2 * I>), grid,
                       tuning::block_large, tuning::large_max * sizeof(E), a);
        } else if (!indexed) {
            launch_long<K, 0>(g, a);
        } else if (a.index_bytes == 4) {
            launch_long<K, 4>(g, a);
        } else {
            launch_long<K, 8>(g, a);
        }
    }
    return g->status;
}

/* Rows of fixed length, one after another. */
static upsweep_status rows_by_machine(usw_gpu *g, const usw_gpu_rows *r)
{
    upsweep_status status = UPSWEEP_OK;
    size_t key_bytes = size_t(1) << r->width;
    for (size_t i = 0; i < r->rows && status == UPSWEEP_OK; i++) {
        void *keys = static_cast<char *>(r->keys) + i * r->row_keys * key_bytes;
        if (r->index == nullptr) {
            usw_gpu_sort s = {keys, r->row_keys, r->width, r->map, 0, 8u << r->width, false, false};
            status = usw_sort_radix_cuda.sort(g, &s);
        } else {
            void *index = static_cast<char *>(r->index) + i * r->row_keys * r->index_bytes;
            usw_gpu_pairs p = {keys,        keys,     nullptr, index, r->index_bytes,
                               r->row_keys, r->width, r->map,  0,     8u << r->width,
                               true};
            status = usw_sort_radix_cuda.pairs(g, &p);
        }
    }
    return status;
}

static upsweep_status sort_rows(usw_gpu *g, const usw_gpu_rows *r)
{
    bool few = r->rows <= 4 && r->row_keys > rows_tuning::large_max;
    if (r->begin == nullptr && (few || r->row_keys >= rows_tuning::machine_keys)) {
        return rows_by_machine(g, r);
    }
    size_t longest = r->begin == nullptr ? r->row_keys : r->n;
    return usw_gpu_by_width(r->width, [&](auto k) {
        using K = decltype(k);
        rows_args<K> a = {};
        a.keys = static_cast<K *>(r->keys);
        a.begin = r->begin;
        a.rows = r->rows;
        a.row_keys = r->row_keys;
        a.map = usw_gpu_keymap_of<K>(r->map);
        a.index = r->index;
        a.index_bytes = r->index == nullptr ? 0 : static_cast<unsigned>(r->index_bytes);
        if (longest > rows_tuning::large_max) {
            a.keys_tmp = static_cast<K *>(usw_gpu_scratch(g, r->n * sizeof(K)));
            a.index_tmp = a.index_bytes ? usw_gpu_scratch(g, r->n * a.index_bytes) : nullptr;
            if (a.keys_tmp == nullptr || (a.index_bytes != 0 && a.index_tmp == nullptr)) {
                return g->status;
            }
        }
        return r->index == nullptr ? launch_rows<K, false>(g, a, longest)
                                   : launch_rows<K, true>(g, a, longest);
    });
}

USW_GPU_FORM(usw_gpu_rows_step, usw_rows_cuda) = {sort_rows};
