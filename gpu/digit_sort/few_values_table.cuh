/* few_values_table.cuh - a table of the few values that keys have, searched by a hash: made by
 * gpu/bucket_sort/7_write_few_values.cuh, and read by the one pass of a radix sort of such keys
 * with values. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_DIGIT_SORT_FEW_VALUES_TABLE_CUH
#define USW_GPU_DIGIT_SORT_FEW_VALUES_TABLE_CUH

#include "gpu/gpu.cuh"

/* values: of the sample at most; once: how many of them the sample may show once only. more: values
 * that the sample missed, of a block at most; others: of all blocks. probes: how many slots a value
 * may lie behind the slot of its hash. */
struct hybrid_few_size {
#ifdef USW_EMULATE
    static constexpr unsigned slots_log2 = 6, copies = 2, values = 32, more = 8, others = 32;
#else
    static constexpr unsigned slots_log2 = 11, copies = 16, values = 768, more = 64;
    static constexpr unsigned others = 3072;
#endif
    static constexpr unsigned slots = 1u << slots_log2, all = values + others;
    static constexpr unsigned once = 4, probes = 24;
};

/* The table in global memory. Keys are the caller's, and mapped where a comment says so. */
template <typename K> struct hybrid_few {
    using size = hybrid_few_size;
    unsigned long long counts[size::slots];
    unsigned long long begins[size::all]; /* of the sorted ones */
    K none; /* fills slots without a value, and has a slot of its own */
    K value[size::slots];
    K other[size::others];
    K sorted[size::all]; /* mapped */
    struct {
        K key, number; /* of a slot: its value, which is sorted[number] */
    } cells[size::slots];
    unsigned other_counts[size::others];
    unsigned number, done, failed; /* others found; blocks done; 1: left to the radix sort */
    unsigned values;               /* how many values have cells; 0: there are no cells */

    /* The number of key's value, which has a cell. */
    __device__ __forceinline__ K number_of(K key) const;
};

/* A hash of so many bits. */
template <typename K> __device__ __forceinline__ unsigned hybrid_few_hash(K k, unsigned bits)
{
    const unsigned lo = static_cast<unsigned>(k);
    const unsigned hi = static_cast<unsigned>(static_cast<unsigned long long>(k) >> 32);
    return (lo * 0x9e3779b1u + hi * 0x85ebca6bu) >> (32 - bits);
}

/* The slot of k's hash, where k is if no other value came first. */
template <typename K> __device__ __forceinline__ unsigned hybrid_few_home(K k)
{
    return hybrid_few_hash(k, hybrid_few_size::slots_log2);
}

/* The slot of k, or the number of slots if it is not there. */
template <typename K>
__device__ __forceinline__ unsigned hybrid_few_slot(const K *value, K none, K k)
{
    const unsigned own = hybrid_few_home(none);
    unsigned s = hybrid_few_home(k);
    while (value[s] != k) {
        if (value[s] == none && s != own) {
            return hybrid_few_size::slots;
        }
        s = (s + 1) % hybrid_few_size::slots;
    }
    return s;
}

__device__ __forceinline__ uint32_t hybrid_few_swap(uint32_t *at, uint32_t was, uint32_t is)
{
    return atomicCAS(at, was, is);
}
__device__ __forceinline__ uint64_t hybrid_few_swap(uint64_t *at, uint64_t was, uint64_t is)
{
    return atomicCAS(reinterpret_cast<unsigned long long *>(at),
                     static_cast<unsigned long long>(was), static_cast<unsigned long long>(is));
}

/* The slot of k in a table of `slots` slots, which no other function changes meanwhile. k is
 * entered if it is not in the table, and `added` is set. The slot `own` is kept for the key `none`.
 * Returns `slots` if all slots that k may have are taken. */
template <typename K>
__device__ __forceinline__ unsigned hybrid_few_enter(K *value, unsigned slots, unsigned own, K none,
                                                     K k, bool *added)
{
    unsigned s = hybrid_few_home(k) % slots;
    *added = false;
    if (k == none) {
        return own;
    }
    for (unsigned p = 0; p < hybrid_few_size::probes; p++, s = (s + 1) % slots) {
        if (s == own) {
            continue;
        }
        const K was = hybrid_few_swap(&value[s], none, k);
        *added = was == none;
        if (was == none || was == k) {
            return s;
        }
    }
    return slots;
}

template <typename K> __device__ __forceinline__ K hybrid_few<K>::number_of(K key) const
{
    unsigned s = hybrid_few_home(key);
    auto cell = cells[s];
    while (cell.key != key) {
        s = (s + 1) % size::slots;
        cell = cells[s];
    }
    return cell.number;
}

#endif
