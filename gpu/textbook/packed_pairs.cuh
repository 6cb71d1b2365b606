/* packed_pairs.cuh - the elements that the textbook sorts sort on a GPU: keys mapped to unsigned
 * order and back, and pairs packed into one wider element, the key above its index.
 *
 * Elements with different indices are never equal, so sorting them by any method is a stable sort
 * of the keys, and no comparison follows an index into another array. Keys of 8 to 32 bits with
 * fewer than 2^32 of them make elements of 64 bits, all others of 128.
 *
 * Shape    grid ceil(n / 256), block 256, no shared memory; one lane an element. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_TEXTBOOK_PACKED_PAIRS_CUH
#define USW_GPU_TEXTBOOK_PACKED_PAIRS_CUH

#include "gpu/gpu.cuh"

enum { USW_PACKED_THREADS = 256 };

/* Blocks for n elements, `each` to a block; grids have up to 2^31 - 1 blocks. */
static inline unsigned usw_blocks_for(size_t n, size_t each)
{
    return static_cast<unsigned>((n + each - 1) / each);
}
/* The element that this lane of a one-dimensional grid owns. */
__device__ __forceinline__ size_t usw_own_element()
{
    return static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
/* The greatest element. */
template <typename E> __host__ __device__ constexpr E usw_greatest_element()
{
    return static_cast<E>(~static_cast<E>(0));
}

/* ---- keys ---- */

template <typename K>
__global__ void __launch_bounds__(USW_PACKED_THREADS)
    usw_map_keys(K *keys, size_t n, usw_gpu_keymap<K> map, bool back)
{
    const size_t i = usw_own_element();
    if (i < n) {
        keys[i] = back ? map.unmap(keys[i]) : map.map(keys[i]);
    }
}

/* Sorts keys by sort(K *keys), which sees them mapped. */
template <typename K, typename Sort>
upsweep_status usw_gpu_sort_mapped(usw_gpu *g, const usw_gpu_sort *s, Sort sort)
{
    K *keys = static_cast<K *>(s->keys);
    const usw_gpu_keymap<K> map = usw_gpu_keymap_of<K>(s->map);
    const unsigned blocks = usw_blocks_for(s->n, USW_PACKED_THREADS);
    const bool maps = !usw_keymap_is_identity(&s->map);
    if (s->from != nullptr) {
        usw_gpu_copy(g, keys, s->from, s->n * sizeof(K));
    }
    if (maps) {
        USW_LAUNCH(g, usw_map_keys<K>, blocks, USW_PACKED_THREADS, 0, keys, s->n, map, false);
    }
    const upsweep_status status = sort(keys);
    if (maps) {
        USW_LAUNCH(g, usw_map_keys<K>, blocks, USW_PACKED_THREADS, 0, keys, s->n, map, true);
    }
    return status != UPSWEEP_OK ? status : g->status;
}

/* ---- pairs ---- */

template <typename E> struct usw_packing {
    static constexpr unsigned index_bits =
        sizeof(E) * 4; /* the key is in the bits above the index */
};

template <typename K, typename E>
__global__ void __launch_bounds__(USW_PACKED_THREADS)
    usw_pack(const K *keys, E *items, size_t n, usw_gpu_keymap<K> map)
{
    const size_t i = usw_own_element();
    if (i < n) {
        items[i] = static_cast<E>(map.map(keys[i])) << usw_packing<E>::index_bits | i;
    }
}

template <typename E> __device__ __forceinline__ size_t usw_packed_index(E item)
{
    const E mask = (static_cast<E>(1) << usw_packing<E>::index_bits) - 1;
    return static_cast<size_t>(item & mask);
}

template <typename K, typename E>
__global__ void __launch_bounds__(USW_PACKED_THREADS)
    usw_unpack_keys(const E *items, K *keys, size_t n, usw_gpu_keymap<K> map)
{
    const size_t i = usw_own_element();
    if (i < n) {
        keys[i] = map.unmap(static_cast<K>(items[i] >> usw_packing<E>::index_bits));
    }
}

template <typename E, typename I>
__global__ void __launch_bounds__(USW_PACKED_THREADS)
    usw_unpack_indices(const E *items, I *indices, size_t n)
{
    const size_t i = usw_own_element();
    if (i < n) {
        indices[i] = static_cast<I>(usw_packed_index(items[i]));
    }
}

/* Value i of the result is the value at the index in element i: `units` words of type U. */
template <typename E, typename U>
__global__ void __launch_bounds__(USW_PACKED_THREADS)
    usw_gather_values(const E *items, const U *values, U *out, size_t n, size_t units)
{
    const size_t i = usw_own_element();
    if (i < n) {
        const size_t from = usw_packed_index(items[i]);
        for (size_t u = 0; u < units; u++) {
            out[i * units + u] = values[from * units + u];
        }
    }
}

/* Values may have any size and any address: they are moved by the largest word that divides
 * both. */
template <typename E, typename U>
upsweep_status usw_gather_words(usw_gpu *g, const E *items, const void *values, void *out, size_t n,
                                size_t bytes)
{
    return USW_LAUNCH(g, (usw_gather_values<E, U>), usw_blocks_for(n, USW_PACKED_THREADS),
                      USW_PACKED_THREADS, 0, items, static_cast<const U *>(values),
                      static_cast<U *>(out), n, bytes / sizeof(U));
}

template <typename E>
upsweep_status usw_gather_any(usw_gpu *g, const E *items, const void *values, void *out, size_t n,
                              size_t bytes)
{
    const size_t all =
        bytes | reinterpret_cast<uintptr_t>(values) | reinterpret_cast<uintptr_t>(out);
    return all % 8 == 0   ? usw_gather_words<E, uint64_t>(g, items, values, out, n, bytes)
           : all % 4 == 0 ? usw_gather_words<E, uint32_t>(g, items, values, out, n, bytes)
           : all % 2 == 0 ? usw_gather_words<E, uint16_t>(g, items, values, out, n, bytes)
                          : usw_gather_words<E, uint8_t>(g, items, values, out, n, bytes);
}

template <typename E>
upsweep_status usw_unpack_values(usw_gpu *g, const usw_gpu_pairs *p, const E *items, void *copy)
{
    const unsigned blocks = usw_blocks_for(p->n, USW_PACKED_THREADS);
    if (p->out_values == nullptr) {
        return g->status;
    }
    if (p->values == nullptr && p->value_bytes == 4) {
        return USW_LAUNCH(g, (usw_unpack_indices<E, uint32_t>), blocks, USW_PACKED_THREADS, 0,
                          items, static_cast<uint32_t *>(p->out_values), p->n);
    }
    if (p->values == nullptr) {
        return USW_LAUNCH(g, (usw_unpack_indices<E, uint64_t>), blocks, USW_PACKED_THREADS, 0,
                          items, static_cast<uint64_t *>(p->out_values), p->n);
    }
    void *out = copy != nullptr ? copy : p->out_values;
    upsweep_status status = usw_gather_any(g, items, p->values, out, p->n, p->value_bytes);
    if (status == UPSWEEP_OK && copy != nullptr) {
        status = usw_gpu_copy(g, p->out_values, copy, p->n * p->value_bytes);
    }
    return status;
}

/* Packs, calls sort(E *items, index_bits), which must take its scratch before it launches, and
 * unpacks. */
template <typename K, typename E, typename Sort>
upsweep_status usw_gpu_sort_packed_as(usw_gpu *g, const usw_gpu_pairs *p, Sort sort)
{
    const usw_gpu_keymap<K> map = usw_gpu_keymap_of<K>(p->map);
    const unsigned blocks = usw_blocks_for(p->n, USW_PACKED_THREADS);
    E *items = static_cast<E *>(usw_gpu_scratch(g, p->n * sizeof(E)));
    /* Values that go to their own array are gathered into scratch first. */
    const bool in_place = p->values != nullptr && p->values == p->out_values;
    void *copy = in_place ? usw_gpu_scratch(g, p->n * p->value_bytes) : nullptr;
    if (items == nullptr || (in_place && copy == nullptr)) {
        return g->status;
    }
    USW_LAUNCH(g, (usw_pack<K, E>), blocks, USW_PACKED_THREADS, 0, static_cast<const K *>(p->keys),
               items, p->n, map);
    const upsweep_status status = sort(items);
    if (status != UPSWEEP_OK) {
        return status;
    }
    if (p->out_keys != nullptr) {
        USW_LAUNCH(g, (usw_unpack_keys<K, E>), blocks, USW_PACKED_THREADS, 0, items,
                   static_cast<K *>(p->out_keys), p->n, map);
    }
    return usw_unpack_values(g, p, items, copy);
}

template <typename K, typename Sort>
upsweep_status usw_gpu_sort_packed(usw_gpu *g, const usw_gpu_pairs *p, Sort sort)
{
    if (sizeof(K) <= 4 && p->n <= UINT32_MAX) {
        return usw_gpu_sort_packed_as<K, uint64_t>(g, p, sort);
    }
    return usw_gpu_sort_packed_as<K, usw_u128>(g, p, sort);
}

/* ---- a form that sorts elements of any width ---- */

/* Both functions of a form are made of one: Elements::sort(g, E *elements, n) sorts unsigned
 * integers of 8 to 128 bits, and takes its scratch before it launches. */
template <typename Elements> upsweep_status usw_gpu_sort_elements(usw_gpu *g, const usw_gpu_sort *s)
{
    return usw_gpu_by_width(s->width, [&](auto key) {
        typedef decltype(key) K;
        return usw_gpu_sort_mapped<K>(g, s, [&](K *keys) { return Elements::sort(g, keys, s->n); });
    });
}

template <typename Elements>
upsweep_status usw_gpu_pairs_elements(usw_gpu *g, const usw_gpu_pairs *p)
{
    return usw_gpu_by_width(p->width, [&](auto key) {
        return usw_gpu_sort_packed<decltype(key)>(
            g, p, [&](auto *items) { return Elements::sort(g, items, p->n); });
    });
}

#endif
