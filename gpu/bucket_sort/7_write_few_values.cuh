/* 7_write_few_values.cuh - the bucket sort of keys of few values: each value is counted, then
 * written that often. Keys that fall are reversed here, too.
 *
 * Where the sample has few values, and none of them is rare, they make a table that is searched by
 * a hash. A block of 1024 threads a multiprocessor has the table in shared memory, with 16 counters
 * for each value, so that the lanes of a warp seldom add to the same one. A value that the sample
 * has missed goes to a small table of the block, and from there to a list for all blocks. The last
 * block sorts the values and sums where each begins. Where a table or the list is full, keys are
 * left to the radix sort. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_7_WRITE_FEW_VALUES_CUH
#define USW_GPU_BUCKET_SORT_7_WRITE_FEW_VALUES_CUH

#include "gpu/block/bitonic.cuh"
#include "gpu/block/scan.cuh"
#include "gpu/digit_sort/few_values_table.cuh"
#include "gpu/bucket_sort/2_weigh_tree.cuh"
#include "gpu/bucket_sort/7_write_counts.cuh"

/* ---- the count ---- */

/* A value and its count; entries are sorted by the mapped key. */
template <typename K> struct hybrid_few_entry {
    K key;
    unsigned long long count;
    __device__ __forceinline__ bool operator<(const hybrid_few_entry &b) const
    {
        return key < b.key;
    }
};

/* A block that counts. */
template <typename K> struct hybrid_few_block {
    using size = hybrid_few_size;
    static constexpr int V = hybrid_vector<K>::keys, U = 4;
    static constexpr unsigned T = 1024 * V * U;
    static constexpr unsigned counters =
        (size::slots + 1) * size::copies; /* and counters of a slot without a value */
    const K *keys;
    unsigned long long n;
    hybrid_few<K> *table;
    unsigned *counts,
        *more_counts; /* in shared memory; more_counts ends with keys without a slot */
    K *value, *more, none;
    unsigned lane;

    static constexpr size_t shared_bytes()
    {
        constexpr size_t tables = (counters + size::more + 2) * 4 + (size::slots + size::more) * 8;
        constexpr size_t sorting = size::all * sizeof(hybrid_few_entry<K>);
        return tables > sorting ? tables : sorting;
    }
    __device__ __forceinline__ hybrid_few_block(const K *all_keys, unsigned long long number,
                                                hybrid_few<K> *f, void *memory)
        : keys(all_keys), n(number), table(f), counts(static_cast<unsigned *>(memory)),
          more_counts(counts + counters),
          value(reinterpret_cast<K *>(more_counts + size::more + 2)), more(value + size::slots),
          none(f->none), lane(threadIdx.x % size::copies)
    {
        for (unsigned w = threadIdx.x; w <= counters + size::more; w += 1024) {
            counts[w] = 0;
        }
        for (unsigned s = threadIdx.x; s < size::slots + size::more; s += 1024) {
            value[s] = s < size::slots ? table->value[s] : none;
        }
        __syncthreads();
    }
    /* Counts a key that is not in the table of the sample. Static: a function that is not inlined
     * and takes `this` would keep the whole object out of registers. */
    __device__ __noinline__ static void count_other(K key, K *more, unsigned *more_counts, K none,
                                                    hybrid_few<K> *table)
    {
        if (atomicAdd(&more_counts[size::more], 0u) != 0) {
            return; /* the tables are full: no count is of use */
        }
        bool added;
        const unsigned s = hybrid_few_enter(more, size::more, size::more, none, key, &added);
        if (s == size::more) {
            usw_store_relaxed(&table->failed, 1u);
        }
        atomicAdd(&more_counts[s], 1u);
    }
    __device__ __forceinline__ unsigned find(K key)
    {
        const unsigned s = hybrid_few_slot(value, none, key);
        if (s == size::slots) {
            count_other(key, more, more_counts, none, table);
        }
        return s;
    }
    __device__ __forceinline__ void count(const hybrid_vector<K> &x)
    {
        unsigned s[V];
        bool all = true;
#pragma unroll
        for (int v = 0; v < V; v++) {
            s[v] = hybrid_few_home(x.k[v]);
            all = all && value[s[v]] == x.k[v];
        }
        if (!all) {
#pragma unroll
            for (int v = 0; v < V; v++) {
                s[v] = find(x.k[v]);
            }
        }
#pragma unroll
        for (int v = 0; v < V; v++) {
            atomicAdd(&counts[s[v] * size::copies + lane], 1u);
        }
    }
    __device__ __forceinline__ void fetch(hybrid_vector<K> (&x)[U], const uint4 *from) const
    {
#pragma unroll
        for (int u = 0; u < U; u++) {
            x[u].v = from[u * 1024 + threadIdx.x];
        }
    }
    /* Counts this block's tiles, until some block has found its tables full. */
    __device__ __forceinline__ void count_tiles()
    {
        unsigned long long head = (16 - (reinterpret_cast<uintptr_t>(keys) & 15)) % 16 / sizeof(K);
        head = head < n ? head : n;
        const unsigned long long tiles = (n - head) / T, after = head + tiles * T;
        const uint4 *from = reinterpret_cast<const uint4 *>(keys + head) + blockIdx.x * (T / V);
        hybrid_vector<K> now[U], next[U];
        unsigned failed = 0;
        if (blockIdx.x < tiles) {
            fetch(next, from);
        }
        for (unsigned long long t = blockIdx.x; t < tiles && failed == 0; t += gridDim.x) {
#pragma unroll
            for (int u = 0; u < U; u++) {
                now[u] = next[u];
            }
            from += gridDim.x * (T / V);
            if (t + gridDim.x < tiles) {
                fetch(next, from);
            }
            failed = usw_load_relaxed(&table->failed);
#pragma unroll
            for (int u = 0; u < U; u++) {
                count(now[u]);
            }
        }
        if (blockIdx.x == gridDim.x - 1) { /* keys before the first tile and behind the last */
            for (unsigned long long j = threadIdx.x; j < n - tiles * T; j += 1024) {
                const unsigned s = find(keys[j < head ? j : after + (j - head)]);
                atomicAdd(&counts[s * size::copies + lane], 1u);
            }
        }
        __syncthreads();
    }
    __device__ __forceinline__ void flush()
    {
        if (more_counts[size::more] != 0) {
            return;
        }
        for (unsigned s = threadIdx.x; s < size::slots; s += 1024) {
            unsigned long long sum = 0;
            if (value[s] != none || s == hybrid_few_home(none)) {
#pragma unroll
                for (unsigned c = 0; c < size::copies; c++) {
                    sum += counts[s * size::copies + (c + s) % size::copies];
                }
            }
            if (sum != 0) {
                atomicAdd(&table->counts[s], sum);
            }
        }
        for (unsigned s = threadIdx.x; s < size::more; s += 1024) {
            if (more_counts[s] != 0) {
                const unsigned at = atomicAdd(&table->number, 1u);
                if (at < size::others) {
                    table->other[at] = more[s];
                    table->other_counts[at] = more_counts[s];
                } else {
                    usw_store_relaxed(&table->failed, 1u);
                }
            }
        }
    }
};

/* Sorts the values, and sums where each begins; returns their number. The last block calls. number:
 * a word in shared memory; sums: one for each warp. */
template <typename K>
__device__ __forceinline__ unsigned hybrid_few_place(hybrid_few<K> *table,
                                                     const usw_gpu_keymap<K> &map, void *memory,
                                                     unsigned *number, unsigned long long *sums)
{
    using size = hybrid_few_size;
    auto *e = static_cast<hybrid_few_entry<K> *>(memory);
    const unsigned others = usw_load_relaxed(&table->number);
    if (threadIdx.x == 0) {
        *number = 0;
    }
    __syncthreads();
    for (unsigned s = threadIdx.x; s < size::slots + others; s += 1024) {
        const bool slot = s < size::slots;
        const unsigned long long c = slot ? usw_load_relaxed(&table->counts[s])
                                          : usw_load_relaxed(&table->other_counts[s - size::slots]);
        if (c != 0) {
            const K key = slot ? table->value[s] : table->other[s - size::slots];
            e[atomicAdd(number, 1u)] = {map.map(key), c};
        }
    }
    __syncthreads();
    const unsigned entries = *number, own = (entries + 1023) / 1024, first = threadIdx.x * own;
    usw_bitonic_sort(e, entries);
    unsigned long long sum = 0, all;
    for (unsigned i = first; i < first + own && i < entries; i++) {
        sum += e[i].count;
    }
    sum = usw_block_exclusive_scan(sum, sums, &all);
    for (unsigned i = first; i < first + own && i < entries; i++) {
        table->begins[i] = sum;
        table->sorted[i] = e[i].key;
        sum += e[i].count;
    }
    return entries;
}

/* Makes the cells, from a slot to the number of its value. The last block calls. */
template <typename K>
__device__ __forceinline__ void hybrid_few_cells(hybrid_few<K> *table, const usw_gpu_keymap<K> &map,
                                                 unsigned entries)
{
    for (unsigned s = threadIdx.x; s < hybrid_few_size::slots; s += 1024) {
        table->cells[s].key = table->value[s];
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < entries; i += 1024) {
        const K key = map.unmap(table->sorted[i]);
        table->cells[hybrid_few_slot(table->value, table->none, key)].number = static_cast<K>(i);
    }
}

/* Counts keys of few values. The last block sets plan->few_values to the number of values that are
 * to be written, or leaves all to the radix sort (plan->radix). With radix, the sort of pairs, it
 * makes cells and sets *radix to 0 if the sample has missed no value. */
template <typename K>
__device__ __forceinline__ void
hybrid_count_few_values(const K *keys, unsigned long long n, const usw_gpu_keymap<K> &map,
                        hybrid_plan *plan, hybrid_few<K> *table, unsigned *radix, void *memory)
{
    USW_SHARED_ARRAY(unsigned long long, sums, [32]);
    USW_SHARED(unsigned, word);
    hybrid_few_block<K> b(keys, n, table, memory);
    b.count_tiles();
    b.flush();
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        word = atomicAdd(&table->done, 1u);
    }
    __syncthreads();
    const bool last = word + 1 == gridDim.x;
    __syncthreads();
    if (!last) {
        return;
    }
    __threadfence();
    const bool failed = usw_load_relaxed(&table->failed) != 0;
    const unsigned entries = failed ? 0 : hybrid_few_place(table, map, memory, &word, sums);
    if (radix != nullptr && !failed && usw_load_relaxed(&table->number) == 0) {
        hybrid_few_cells(table, map, entries);
        if (threadIdx.x == 0) {
            table->values = entries;
            *radix = 0;
        }
    }
    if (threadIdx.x == 0) {
        plan->few_values =
            entries > 1 ? entries : 0; /* a single value has all keys, and nothing is to be done */
        plan->in_order = entries == 1;
        plan->radix = failed;
    }
}

/* Counts keys of few values by value, those that go by a tree by its buckets,
 * others as hybrid_count does. tree: NULL if there is none. Shared memory: hybrid_few_shared(bits),
 * hybrid_tree_shared(bits). */
template <typename K>
__global__ __launch_bounds__(1024,
                             1) void hybrid_count_any(const K *keys, unsigned long long n,
                                                      usw_gpu_keymap<K> map, hybrid_plan *plan,
                                                      unsigned long long *counts, unsigned *handed,
                                                      hybrid_few<K> *table, unsigned *radix,
                                                      const hybrid_tree *tree)
{
    USW_DYNAMIC_SHARED(unsigned, memory);
    usw_chained();
    if (plan->few_values) {
        hybrid_count_few_values(keys, n, map, plan, table, radix, memory);
    } else if (!plan->skip && tree != nullptr && plan->by_tree) {
        hybrid_count_by_tree<K>(keys, n, map, plan, counts, handed, tree, memory);
    } else if (!plan->skip) {
        const hybrid_bits_digit<K> digit = {plan->shift, (1u << plan->bits) - 1, K(plan->base)};
        hybrid_count_block<K>(keys, n, map, plan, counts, handed, memory, digit);
    }
}
template <typename K> constexpr size_t hybrid_few_shared(unsigned bits)
{
    constexpr size_t table = hybrid_few_block<K>::shared_bytes();
    return table > hybrid_count_shared(bits) ? table : hybrid_count_shared(bits);
}

/* ---- the keys are written ---- */

template <typename K> struct hybrid_few_filling {
    K *keys;
    const unsigned long long *begins;
    unsigned values;
    const K *value;
    __device__ __forceinline__ K key(unsigned b) const
    {
        return value[b];
    }
};

/* Writes keys of few values; blocks of NT threads take a stretch each. */
template <typename K, int NT>
__device__ __forceinline__ void hybrid_write_few_values(K *keys, unsigned long long n,
                                                        const usw_gpu_keymap<K> &map,
                                                        unsigned values, const hybrid_few<K> *table)
{
    const unsigned long long share = (n / gridDim.x / 128 + 1) * 128, at = blockIdx.x * share;
    const hybrid_few_filling<K> f = {keys, table->begins, values, table->sorted};
    if (at < n) {
        hybrid_fill_block<NT>(f, map, at, n - at < share ? n : at + share);
    }
}

/* ---- the kernel of this step ---- */

/* keys[i] = from[i] or, reversed, from[n - 1 - i], U of a thread at once. */
template <typename K, unsigned U>
__device__ __forceinline__ void hybrid_copy(const K *from, K *keys, unsigned long long n,
                                            bool reverse)
{
    unsigned long long step = gridDim.x * 512ull, i = blockIdx.x * 512ull + threadIdx.x;
    for (; i + (U - 1) * step < n; i += U * step) {
        K a[U];
#pragma unroll
        for (unsigned u = 0; u < U; u++) {
            const unsigned long long at = i + u * step;
            a[u] = from[reverse ? n - 1 - at : at];
        }
#pragma unroll
        for (unsigned u = 0; u < U; u++) {
            keys[i + u * step] = a[u];
        }
    }
    for (; i < n; i += step) {
        keys[i] = from[reverse ? n - 1 - i : i];
    }
}

/* Writes keys of few values, or reverses keys that fall: both ends change places, U of a thread at
 * once. Ordered keys of another array are copied. */
template <typename K>
__global__ __launch_bounds__(512) void hybrid_reverse(const K *from, K *keys, unsigned long long n,
                                                      usw_gpu_keymap<K> map,
                                                      const hybrid_plan *plan,
                                                      const hybrid_few<K> *table)
{
    constexpr unsigned U = 8;
    if (plan->few_values) {
        hybrid_write_few_values<K, 512>(keys, n, map, plan->few_values, table);
        return;
    }
    if (from != keys && (plan->reverse || plan->in_order)) {
        hybrid_copy<K, U>(from, keys, n, plan->reverse);
        return;
    }
    if (!plan->reverse) {
        return;
    }
    unsigned long long step = gridDim.x * 512ull, i = blockIdx.x * 512ull + threadIdx.x;
    for (; i + (U - 1) * step < n / 2; i += U * step) {
        K a[U], b[U];
#pragma unroll
        for (unsigned u = 0; u < U; u++) {
            a[u] = keys[i + u * step];
            b[u] = keys[n - 1 - (i + u * step)];
        }
#pragma unroll
        for (unsigned u = 0; u < U; u++) {
            keys[i + u * step] = b[u];
            keys[n - 1 - (i + u * step)] = a[u];
        }
    }
    for (; i < n / 2; i += step) {
        K a = keys[i], b = keys[n - 1 - i];
        keys[i] = b;
        keys[n - 1 - i] = a;
    }
}

#endif
