/* short_sort.cu - sorts of few keys in one launch: by one block, by blocks that wait for one
 * another once (gpu/short_sort/runs.cuh), or by sampling with barriers of all blocks.
 *
 * Idea     A key and its position make one number, so all numbers differ and any sort is stable.
 *          One block sorts very few numbers (gpu/block/sort_network.cuh), and up to 4096 on a
 *          device without enough blocks or shared memory for runs, by bins if these are not crowded
 *          (gpu/block/sort_bins.cuh). More than runs are good for are sorted by regular sampling:
 *          each block sorts a chunk and takes samples; the samples' ranks, which the blocks find
 *          together, give splitters; each block then takes from all chunks what lies between two
 *          splitters and sorts it. With s samples of each of B chunks no block gets more than 1 + B
 *          / s chunks, whatever the keys are.
 *
 * Shape    one block of up to 1024 threads; or up to 128 blocks of 1024 threads, one a
 *          multiprocessor, launched together; shared memory for 8192 to 10,240 numbers.
 *
 * Traffic  all of it in the L2 cache: 2 reads and 2 writes of the numbers, and the samples.
 *
 * Source   H. Shi, J. Schaeffer, Parallel sorting by regular sampling, 1992.
 */
/* SPDX-License-Identifier: MIT */
#include "gpu/short_sort/short_sort.cuh"
#include "gpu/short_sort/runs.cuh"

/* ---- one block ---- */

template <typename E, unsigned I>
__global__ void __launch_bounds__(small_tuning::threads) usw_small_block(const small_args a)
{
    USW_DYNAMIC_SHARED(E, shared);
    USW_SHARED(usw_bins_shared<E>, bin_table);
    E number[I];
#pragma unroll
    for (unsigned i = 0; i < I; i++) {
        unsigned j = usw_block_sort<E, I>::first(i);
        number[i] = j < a.n ? number_of<E>(a, j) : static_cast<E>(~E(0));
    }
    usw_sort_spread<E, I>(number, shared, a.n, bin_table);
    write_sorted<E, I>(a, shared, 0, a.n, [] { __syncthreads(); });
}

/* ---- many blocks ---- */

/* The steps of regular sampling, each ended by a barrier of all blocks. */
template <typename E> struct sample_sort {
    const small_args &a;
    E *shared;
    usw_bins_shared<E> &bin_table;
    unsigned block, blocks, begin, count;

    __device__ __forceinline__ sample_sort(const small_args &args, E *numbers,
                                           usw_bins_shared<E> &bins)
        : a(args), shared(numbers), bin_table(bins), block(blockIdx.x), blocks(gridDim.x)
    {
        begin = block * a.chunk < a.n ? block * a.chunk : a.n;
        count = a.n - begin < a.chunk ? a.n - begin : a.chunk;
    }
    __device__ __forceinline__ unsigned sample_position(unsigned i) const
    {
        return static_cast<unsigned>(static_cast<uint64_t>(i + 1) * count / (a.samples + 1));
    }

    /* Sorts this block's chunk, leaves it in shared[0 .. count), and writes it and its samples. */
    template <unsigned I> __device__ __forceinline__ void sort_chunk()
    {
        E number[I];
#pragma unroll
        for (unsigned i = 0; i < I; i++) {
            unsigned j = usw_block_sort<E, I>::first(i);
            number[i] = j < count ? number_of<E>(a, begin + j) : static_cast<E>(~E(0));
        }
        usw_sort_spread<E, I>(number, shared, count, bin_table);
        for (unsigned j = threadIdx.x; j < count; j += blockDim.x) {
            static_cast<E *>(a.sorted)[begin + j] = shared[usw_block_sort<E, I>::at(j)];
        }
        if (threadIdx.x < a.samples) {
            unsigned p = sample_position(threadIdx.x);
            static_cast<E *>(a.sample)[block * a.samples + threadIdx.x] =
                count == 0 ? static_cast<E>(~E(0)) : shared[usw_block_sort<E, I>::at(p)];
        }
    }

    /* A warp finds the rank of one of the block's samples among all samples. A sample whose rank
     * a.samples divides is a splitter. */
    __device__ __forceinline__ void choose_splitters()
    {
        E *all = shared + usw_block_sort<E, 1>::padded(small_tuning::chunk_max);
        unsigned stride = a.samples + 1; /* so that a warp's searches meet different banks */
        for (unsigned j = threadIdx.x; j < blocks * a.samples; j += blockDim.x) {
            all[j + j / a.samples] = static_cast<const E *>(a.sample)[j];
        }
        __syncthreads();
        unsigned lane = threadIdx.x % 32;
        for (unsigned i = threadIdx.x / 32; i < a.samples; i += blockDim.x / 32) {
            E mine = all[block * stride + i];
            unsigned rank = 0;
            for (unsigned r = lane; r < blocks; r += 32) {
                rank += r == block ? i
                                   : usw_rank_in([&](unsigned p) { return all[r * stride + p]; },
                                                 a.samples, mine, r < block);
            }
            rank = __reduce_add_sync(~0u, rank);
            if (lane == 0 && rank % a.samples == 0) {
                unsigned k = rank / a.samples;
                static_cast<E *>(a.splitter)[k] = mine;
                a.splits[2 * k] = block;
                a.splits[2 * k + 1] = count == 0 ? 0 : sample_position(i);
            }
        }
    }

    /* Finds where the splitters cut this block's chunk. Equal numbers come in the order of block
     * and position. */
    __device__ __forceinline__ void cut_chunk()
    {
        unsigned k = threadIdx.x;
        if (k <= blocks) {
            unsigned cut = k == 0 ? 0 : count;
            if (k != 0 && k != blocks) {
                unsigned from = a.splits[2 * k];
                cut = from == block
                          ? a.splits[2 * k + 1]
                          : usw_rank_in(
                                [&](unsigned p) { return shared[usw_block_sort<E, 1>::at(p)]; },
                                count, static_cast<const E *>(a.splitter)[k], block < from);
            }
            a.cuts[block * (blocks + 1) + k] = cut;
        }
    }

    /* Brings this block's bucket to shared memory; returns where it goes in the output. */
    __device__ __forceinline__ unsigned collect(unsigned *table, unsigned &total)
    {
        unsigned t = threadIdx.x, low = 0, high = 0;
        if (t < blocks) {
            low = a.cuts[t * (blocks + 1) + block];
            high = a.cuts[t * (blocks + 1) + block + 1];
        }
        unsigned before = low, sum = high - low;
        if (t < small_tuning::blocks_max) {
            for (unsigned by = 1; by < 32; by *= 2) {
                unsigned other = __shfl_up_sync(~0u, sum, by);
                sum += t % 32 >= by ? other : 0;
            }
            before = __reduce_add_sync(~0u, before);
            if (t % 32 == 31) {
                table[2 * (t / 32)] = sum;
                table[2 * (t / 32) + 1] = before;
            }
            table[8 + 3 * t] = low;
            table[8 + 3 * t + 1] = high;
            table[8 + 3 * t + 2] = sum - (high - low);
        }
        __syncthreads();
        unsigned place = 0;
        total = 0;
        for (unsigned w = 0; w < small_tuning::blocks_max / 32; w++) {
            total += table[2 * w];
            place += table[2 * w + 1];
        }
        for (unsigned r = t / 32; r < blocks; r += blockDim.x / 32) {
            unsigned from = table[8 + 3 * r], to = table[8 + 3 * r + 1];
            unsigned at = table[8 + 3 * r + 2];
            for (unsigned w = 1; w <= r / 32; w++) {
                at += table[2 * (w - 1)];
            }
            const E *chunk = static_cast<const E *>(a.sorted) + r * a.chunk;
            for (unsigned j = from + t % 32; j < to; j += 32) {
                shared[at + (j - from)] = chunk[j];
            }
        }
        __syncthreads();
        return place;
    }

    template <unsigned I>
    __device__ __forceinline__ void sort_bucket(unsigned place, unsigned total)
    {
        E number[I];
#pragma unroll
        for (unsigned i = 0; i < I; i++) {
            unsigned j = usw_block_sort<E, I>::first(i);
            number[i] = j < total ? shared[j] : static_cast<E>(~E(0));
        }
        __syncthreads();
        usw_sort_spread<E, I>(number, shared, total, bin_table);
        write_sorted<E, I>(a, shared, place, total, [&] {
            if (a.overlaps) {
                usw_grid_barrier(a.barrier, 4, true);
            }
        });
    }
};

template <typename E>
__global__ void __launch_bounds__(small_tuning::threads) usw_small_blocks(const small_args a)
{
    USW_DYNAMIC_SHARED(E, shared);
    USW_SHARED_ARRAY(unsigned, table, [8 + 3 * small_tuning::blocks_max]);
    USW_SHARED(usw_bins_shared<E>, bin_table);
    sample_sort<E> s(a, shared, bin_table);
    if (a.chunk <= blockDim.x) {
        s.template sort_chunk<1>();
    } else {
        s.template sort_chunk<2>();
    }
    usw_grid_barrier(a.barrier, 1, false);
    s.choose_splitters();
    usw_grid_barrier(a.barrier, 2, false);
    s.cut_chunk();
    usw_grid_barrier(a.barrier, 3, !a.overlaps);
    unsigned total, place = s.collect(table, total);
    if (total <= blockDim.x) {
        s.template sort_bucket<1>(place, total);
    } else if (total <= 2 * blockDim.x) {
        s.template sort_bucket<2>(place, total);
    } else if (total <= 4 * blockDim.x) {
        s.template sort_bucket<4>(place, total);
    } else {
        s.template sort_bucket<8>(place, total);
    }
}

/* ---- the whole ---- */

static unsigned blocks_limit(const usw_gpu *g)
{
    return g->sms < small_tuning::blocks_max ? g->sms : small_tuning::blocks_max;
}

/* Dynamic shared memory of usw_small_blocks. */
template <typename E> static constexpr size_t blocks_shared()
{
    using sorter = usw_block_sort<E, 1>;
    constexpr unsigned first = sorter::padded(small_tuning::chunk_max) + small_tuning::samples_max;
    constexpr unsigned bucket = sorter::padded(small_tuning::bucket_max);
    return (first > bucket ? first : bucket) * sizeof(E);
}
/* Shared memory of usw_small_blocks, with what is not dynamic. */
template <typename E> static constexpr size_t blocks_bytes()
{
    return blocks_shared<E>() + sizeof(usw_bins_shared<E>) + 4096;
}

size_t usw_gpu_small_max(const usw_gpu *g, unsigned width, bool pairs)
{
    unsigned bytes = pairs ? (width == 3 ? 16 : 8) : width == 3 ? 8 : 4;
    size_t needs = bytes == 16  ? blocks_bytes<usw_u128>()
                   : bytes == 8 ? blocks_bytes<uint64_t>()
                                : blocks_bytes<uint32_t>();
    return needs > g->shared_bytes ? small_tuning::block_max
                                   : static_cast<size_t>(blocks_limit(g)) * small_tuning::chunk_max;
}

size_t usw_gpu_one_block_max(const usw_gpu *g, unsigned width, bool pairs)
{
    /* One block takes longer than many for pairs whose bins are crowded. */
    const bool many = usw_gpu_small_max(g, width, pairs) > small_tuning::block_max;
    return pairs && many ? small_tuning::block_max / 2 : small_tuning::block_max;
}

template <typename K> static unsigned run_for(const usw_gpu *g, size_t n)
{
    using tuning = runs_tuning;
    unsigned run = 32;
    while (static_cast<size_t>(run) * blocks_limit(g) < n) {
        run *= 2;
    }
    const size_t bytes = runs_sort<K, tuning::threads>::shared_bytes(n + run);
    return run <= tuning::run_max && bytes + sizeof(runs_own<K>) + 1024 <= g->shared_bytes ? run
                                                                                           : 0;
}

unsigned usw_gpu_run_keys(const usw_gpu *g, size_t n, unsigned width)
{
    return usw_gpu_by_width(width, [&](auto k) { return run_for<decltype(k)>(g, n); });
}

template <typename K> static upsweep_status sort_by_runs(usw_gpu *g, const usw_small_sort *s)
{
    using tuning = runs_tuning;
    const unsigned n = static_cast<unsigned>(s->n), run = run_for<K>(g, n),
                   blocks = (n + run - 1) / run;
    usw_node *nodes = static_cast<usw_node *>(g->nodes);
    const runs_args<K> a = {static_cast<const K *>(s->keys),
                            static_cast<K *>(s->out_keys),
                            s->value_bytes != 0 ? s->values : nullptr,
                            s->out_values,
                            s->value_bytes,
                            n,
                            run,
                            s->bit_begin,
                            usw_gpu_keymap_of<K>(s->map),
                            static_cast<K>(~0ull >> (64 - (s->bit_end - s->bit_begin))),
                            nodes + 1,
                            &nodes->value};
    const size_t bytes = runs_sort<K, tuning::threads>::shared_bytes(blocks * run);
    return run <= tuning::run_few
               ? USW_LAUNCH_COOPERATIVE(g, (usw_small_runs<K, tuning::threads>), blocks,
                                        tuning::threads, bytes, a)
               : USW_LAUNCH_COOPERATIVE(g, (usw_small_runs<K, tuning::threads_max>), blocks,
                                        tuning::threads_max, bytes, a);
}

template <typename E> static upsweep_status sort_small(usw_gpu *g, small_args &a, bool one_block)
{
    using tuning = small_tuning;
    if (one_block) {
        unsigned threads = 32;
        while (threads * tuning::block_items < a.n) {
            threads *= 2;
        }
        return USW_LAUNCH(
            g, (usw_small_block<E, tuning::block_items>), 1, threads,
            usw_block_sort<E, tuning::block_items>::padded(threads * tuning::block_items) *
                sizeof(E),
            a);
    }
    unsigned limit = blocks_limit(g), blocks = (a.n + tuning::chunk_keys - 1) / tuning::chunk_keys;
    blocks = blocks < limit ? blocks : limit;
    a.chunk = (a.n + blocks - 1) / blocks;
    a.samples = blocks <= 64 ? 32 : 64;
    a.sorted = usw_gpu_scratch(g, a.n * sizeof(E));
    a.sample = usw_gpu_scratch(g, blocks * a.samples * sizeof(E));
    a.splitter = usw_gpu_scratch(g, (blocks + 1) * sizeof(E));
    a.splits = static_cast<unsigned *>(usw_gpu_scratch(g, (blocks + 1) * 8));
    a.cuts = static_cast<unsigned *>(usw_gpu_scratch(g, (blocks + 1) * (blocks + 1) * 4));
    if (a.sorted == nullptr || a.sample == nullptr || a.splitter == nullptr ||
        a.splits == nullptr || a.cuts == nullptr) {
        return g->status;
    }
    return USW_LAUNCH_COOPERATIVE(g, (usw_small_blocks<E>), blocks, tuning::threads,
                                  blocks_shared<E>(), a);
}

static upsweep_status sort_without_runs(usw_gpu *g, const usw_small_sort *s, bool one_block)
{
    unsigned bits = 8u << s->width;
    bool whole = s->bit_begin == 0 && s->bit_end == bits;
    bool pairs = s->value_bytes != 0 || !whole;
    bool overlaps =
        (s->keys == s->out_keys && !whole) || (s->value_bytes != 0 && s->values == s->out_values);
    small_args a = {};
    a.keys = s->keys;
    a.out_keys = s->out_keys;
    a.values = s->values;
    a.out_values = s->out_values;
    a.value_bytes = s->value_bytes;
    a.n = static_cast<unsigned>(s->n);
    a.width = s->width;
    a.whole = whole;
    a.pairs = pairs;
    a.overlaps = overlaps;
    a.neg = s->map.neg;
    a.pos = s->map.pos;
    a.add = s->map.add;
    a.begin = s->bit_begin;
    a.end = s->bit_end;
    a.barrier = g->barrier;
    return pairs && s->width == 3   ? sort_small<usw_u128>(g, a, one_block)
           : pairs || s->width == 3 ? sort_small<uint64_t>(g, a, one_block)
                                    : sort_small<uint32_t>(g, a, one_block);
}

upsweep_status usw_gpu_small_sort(usw_gpu *g, const usw_small_sort *s, usw_gpu_method method)
{
    return method == USW_GPU_BY_RUNS
               ? usw_gpu_by_width(s->width, [&](auto k) { return sort_by_runs<decltype(k)>(g, s); })
               : sort_without_runs(g, s, method == USW_GPU_BY_ONE_BLOCK);
}
