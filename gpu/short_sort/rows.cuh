/* rows.cuh - many rows of keys: what the kernels of rows.cu and gpu/short_sort/long_rows.cuh
 * share. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_SHORT_SORT_ROWS_CUH
#define USW_GPU_SHORT_SORT_ROWS_CUH

#include "gpu/block/sort_network.cuh"

#include <type_traits>

struct rows_tuning {
#ifdef USW_EMULATE /* so that tests of few keys reach all of it */
    static constexpr unsigned most = 2;
#else
    static constexpr unsigned most = 16; /* numbers a thread */
#endif
    static constexpr unsigned warp_threads = 128; /* of a block whose warps take rows */
    static constexpr unsigned block_warps = 2;    /* of the smallest block that takes a row */
    static constexpr unsigned classes = 4;        /* of such blocks, each twice the one before */
    static constexpr unsigned long_threads = 32 * (block_warps << (classes - 1));
};

/* What the device finds out about rows by offsets. Zero at first. */
struct rows_control {
    unsigned bad; /* the offsets do not ascend */
    unsigned listed[rows_tuning::classes];
    unsigned long long long_rows; /* the tiles of long rows, above 32 bits with their number */
    unsigned long long longest;   /* the most tiles of a row */
};

/* A row of more keys than a block takes. Its first tile is number tile_begin of all. */
struct rows_long_row {
    uint64_t at, count, tile_begin;
};

template <typename K> struct rows_args {
    K *keys, *keys_tmp;
    const uint64_t *begin; /* NULL: row_keys each */
    size_t rows, row_keys;
    usw_gpu_keymap<K> map;
    void *index, *index_tmp;
    unsigned index_bytes; /* 0: none */
    unsigned chunk;       /* rows that a warp looks at together, 32 at most */
    rows_control *control;
    uint64_t *list[rows_tuning::classes]; /* of rows for blocks, by their lengths */
    rows_long_row *long_list;
    unsigned *barrier;

    __device__ __forceinline__ size_t row(size_t r, size_t &count) const
    {
        size_t at = begin == nullptr ? r * row_keys : begin[r];
        count = begin == nullptr ? row_keys : begin[r + 1] - at;
        return at;
    }
};

/* The numbers that stand for keys: mapped, above their positions if these are wanted. */
template <typename K, bool indexed> struct rows_number {
    using type = std::conditional_t<indexed, std::conditional_t<sizeof(K) == 8, usw_u128, uint64_t>,
                                    std::conditional_t<sizeof(K) == 8, uint64_t, uint32_t>>;
    static constexpr unsigned items =
        sizeof(type) == 16 ? (rows_tuning::most + 1) / 2 : rows_tuning::most;
    using sorter = usw_block_sort<type, items>;
    static constexpr unsigned warp_max = 32 * items;
    static constexpr unsigned tile = rows_tuning::long_threads * items;

    __device__ __forceinline__ static type make(K mapped, unsigned position)
    {
        type number = mapped;
        if constexpr (indexed) {
            number = number << 32 | position;
        }
        return number;
    }
    __device__ __forceinline__ static K key(type number)
    {
        if constexpr (indexed) {
            return static_cast<K>(number >> 32);
        } else {
            return static_cast<K>(number);
        }
    }
};

__device__ __forceinline__ void rows_store_index(void *index, unsigned bytes, size_t at,
                                                 uint64_t position)
{
    if (bytes == 4) {
        static_cast<uint32_t *>(index)[at] = static_cast<uint32_t>(position);
    } else {
        static_cast<uint64_t *>(index)[at] = position;
    }
}

template <typename K, bool indexed, typename E>
__device__ __forceinline__ void rows_store(const rows_args<K> &a, size_t at, E number)
{
    a.keys[at] = a.map.unmap(rows_number<K, indexed>::key(number));
    if constexpr (indexed) {
        rows_store_index(a.index, a.index_bytes, at, static_cast<uint32_t>(number));
    }
}

#endif
