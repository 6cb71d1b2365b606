/* top_one.cuh - the k best keys of one long array, at the speed of one read.
 *
 *   sample    one block finds, in a sample, a number (gpu/selection/top_limit.cuh) that somewhat
 *             more than k of the array's numbers do not exceed.
 *   collect   one read of the array by all blocks writes those numbers to scratch, in any order.
 *   choose    all blocks together find the k-th number among them by its digits, a barrier a digit,
 *             and write the k numbers up to it. Where the sample was wrong, and too few or too many
 *             were collected, the digits are those of the array itself, which is read once for each
 *             of the first ones.
 * Then the caller sorts k numbers. The host reads nothing back, so that all can be captured.
 *
 * Traffic: one read of n keys, and what was collected some times, which is in the second cache. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_SELECTION_TOP_ONE_CUH
#define USW_GPU_SELECTION_TOP_ONE_CUH

#include "gpu/selection/top_limit.cuh"

struct usw_top_one_tuning {
#ifdef USW_EMULATE /* so that tests of few keys reach all of it */
    static constexpr unsigned threads = 64;
    static constexpr uint64_t from = 3000;
#else
    static constexpr unsigned threads = 512;
    static constexpr uint64_t from = 1 << 16; /* keys */
#endif
    static constexpr unsigned sample_threads = 2 * threads;
    static constexpr unsigned vectors = 4;     /* of a thread that are on their way at once */
    static constexpr unsigned buffer = 128;    /* numbers that a warp gathers before it writes */
    static constexpr unsigned share = 16;      /* k is at most n / share */
    static constexpr unsigned least_rank = 16; /* in the sample */
    static constexpr unsigned digits = 16;     /* most that a number has */
};

/* Keys of a thread's sample. */
template <typename E> constexpr unsigned USW_TOP_SAMPLE = sizeof(E) == 16 ? 8 : 16;

/* In device memory; all 0 at first. */
template <typename E> struct usw_top_control {
    E limit;
    unsigned long long collected; /* numbers, or that would have been */
    unsigned long long written;   /* of the k */
    unsigned long long digits[usw_top_one_tuning::digits][256];
};

template <typename K, typename E> struct usw_top_one_args {
    const K *keys;
    uint64_t n, k;
    unsigned rank; /* of the limit in the sample */
    usw_gpu_keymap<K> map;
    usw_top_control<E> *control;
    E *numbers;    /* collected ones */
    uint64_t room; /* for so many */
    E *best;       /* k */
    unsigned *barrier;
};

template <typename K, typename E>
__global__ void __launch_bounds__(usw_top_one_tuning::sample_threads)
    usw_top_sample(const usw_top_one_args<K, E> a)
{
    constexpr unsigned mine = USW_TOP_SAMPLE<E>;
    USW_SHARED(usw_top_shared<E>, s);
    const usw_top_numbers<K, E> by(a.map, a.n);
    E x[mine];
#pragma unroll
    for (unsigned i = 0; i < mine; i++) {
        const uint64_t at =
            usw_top_sample_place(a.n, blockDim.x * mine, i * blockDim.x + threadIdx.x);
        x[i] = by.make(by.map.map(a.keys[at]), at);
    }
    const E limit = usw_top_limit<E>(
        s,
        [&](auto f) {
#pragma unroll
            for (unsigned i = 0; i < mine; i++) {
                f(x[i], true);
            }
        },
        by.bits(), a.rank, a.rank + a.rank / 8);
    if (threadIdx.x == 0) {
        a.control->limit = limit;
    }
}

/* A warp's numbers on their way to memory. */
template <typename E> struct usw_top_gathered {
    static constexpr unsigned room = usw_top_one_tuning::buffer;
    E *shared; /* of this warp */
    unsigned count;

    /* Writes what is gathered. */
    __device__ __forceinline__ void write(E *to, uint64_t most, unsigned long long *used)
    {
        const unsigned lane = threadIdx.x % 32;
        unsigned long long place = 0;
        if (lane == 0 && count > 0) {
            place = atomicAdd(used, static_cast<unsigned long long>(count));
        }
        place = __shfl_sync(~0u, place, 0);
        __syncwarp();
        for (unsigned i = lane; i < count; i += 32) {
            if (place + i < most) {
                to[place + i] = shared[i];
            }
        }
        count = 0;
        __syncwarp();
    }
    /* One number of each lane that has one; all lanes call. */
    __device__ __forceinline__ void add(E number, bool there, E *to, uint64_t most,
                                        unsigned long long *used)
    {
        const unsigned all = __ballot_sync(~0u, there);
        if (all == 0) {
            return;
        }
        if (count + 32 > room) {
            write(to, most, used);
        }
        if (there) {
            const unsigned below = all & ((1u << threadIdx.x % 32) - 1);
            shared[count + static_cast<unsigned>(__popc(below))] = number;
        }
        count += static_cast<unsigned>(__popc(all));
    }
};

/* Whole warps look at a vector's keys together, and most find nothing. */
template <typename K, typename E>
__global__ void __launch_bounds__(usw_top_one_tuning::threads)
    usw_top_collect(const usw_top_one_args<K, E> a)
{
    constexpr unsigned per = usw_span<K>::per, vectors = usw_top_one_tuning::vectors;
    constexpr unsigned warps = usw_top_one_tuning::threads / 32;
    USW_SHARED_ARRAY(E, buffers, [warps][usw_top_one_tuning::buffer]);
    const usw_top_numbers<K, E> by(a.map, a.n);
    const E limit = a.control->limit;
    const E above = static_cast<E>(limit >> by.position_bits);
    const K most = above > static_cast<E>(static_cast<K>(~K(0))) ? static_cast<K>(~K(0))
                                                                 : static_cast<K>(above);
    usw_top_gathered<E> gathered = {buffers[threadIdx.x / 32], 0};
    const auto take = [&](K mapped, uint64_t position, bool there) {
        const E number = by.make(mapped, position);
        gathered.add(number, there && mapped <= most && number <= limit, a.numbers, a.room,
                     &a.control->collected);
    };
    const uint64_t lead = reinterpret_cast<uintptr_t>(a.keys) % 16 / sizeof(K);
    const usw_span<K> span = {a.keys - lead, lead, lead + a.n};
    usw_span_tiles<vectors>(
        span,
        [&](uint64_t v, const K(&key)[per]) {
            K mapped[per], least = static_cast<K>(~K(0));
#pragma unroll
            for (unsigned e = 0; e < per; e++) {
                mapped[e] = by.map.map(key[e]);
                least = mapped[e] < least ? mapped[e] : least;
            }
            if (__any_sync(~0u, least <= most)) {
#pragma unroll
                for (unsigned e = 0; e < per; e++) {
                    take(mapped[e], v * per + e - lead, true);
                }
            }
        },
        [&](uint64_t i, K key, bool there) { take(by.map.map(key), i - lead, there); },
        [&](uint64_t) { return true; });
    gathered.write(a.numbers, a.room, &a.control->collected);
}

/* The numbers among which the k-th is looked for: those collected or, where these are too few or
 * too many, all of the array. each: by whole warps of all blocks. */
template <typename K, typename E, typename F>
__device__ __forceinline__ void usw_top_each(const usw_top_one_args<K, E> &a,
                                             const usw_top_numbers<K, E> &by, uint64_t collected,
                                             F f)
{
    const uint64_t thread = blockIdx.x * uint64_t(blockDim.x) + threadIdx.x;
    const uint64_t threads = gridDim.x * uint64_t(blockDim.x);
    if (collected == 0) {
        usw_top_each_key<usw_top_one_tuning::vectors>(
            a.keys, a.n, thread, threads, [&](K key, uint64_t position, bool there) {
                f(by.make(by.map.map(key), position), there);
            });
        return;
    }
    for (uint64_t at = thread - thread % 32; at < collected; at += threads) {
        const uint64_t i = at + thread % 32;
        f(i < collected ? a.numbers[i] : E(0), i < collected);
    }
}

/* A block counts no more than 2^32 keys: an array has 2^38 at most. */
struct usw_top_choose_shared {
    unsigned long long all[256], before, here;
    unsigned digits[256], digit;
};

/* Finds the k-th number: blocks add their counts of a digit up in memory, and each finds the digit
 * by itself after a barrier. */
template <typename K, typename E>
__device__ __forceinline__ E usw_top_kth(const usw_top_one_args<K, E> &a,
                                         const usw_top_numbers<K, E> &by, uint64_t collected,
                                         unsigned bits, usw_top_choose_shared &s, unsigned &round)
{
    E prefix = 0;
    unsigned long long less = 0;
    for (unsigned shift = bits;; round++) {
        const unsigned step = shift < 8 ? shift : 8, digit_number = round - 1;
        const bool first = shift == bits;
        shift -= step;
        for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) {
            s.digits[i] = 0;
        }
        __syncthreads();
        usw_top_each(a, by, collected, [&](E number, bool there) {
            const E above = first ? E(0) : static_cast<E>(number >> (shift + step));
            usw_top_add(s.digits, static_cast<unsigned>(number >> shift) & ((1u << step) - 1),
                        there && above == prefix);
        });
        __syncthreads();
        unsigned long long *all = a.control->digits[digit_number];
        for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) {
            if (s.digits[i] != 0) {
                atomicAdd(&all[i], static_cast<unsigned long long>(s.digits[i]));
            }
        }
        usw_grid_barrier(a.barrier, round, false);
        for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) {
            s.all[i] = usw_load_relaxed(reinterpret_cast<const uint64_t *>(&all[i]));
        }
        __syncthreads();
        if (threadIdx.x < 32) {
            usw_top_find(s.all, static_cast<unsigned long long>(a.k - less),
                         [&](unsigned digit, unsigned long long before, unsigned long long here) {
                             s.digit = digit;
                             s.before = before;
                             s.here = here;
                         });
        }
        __syncthreads();
        prefix = static_cast<E>(prefix << step) | s.digit;
        less += s.before;
        if (less + s.here == a.k || shift == 0) {
            return static_cast<E>(static_cast<E>(prefix + 1) << shift) - 1;
        }
    }
}

template <typename K, typename E>
__global__ void __launch_bounds__(usw_top_one_tuning::threads)
    usw_top_choose(const usw_top_one_args<K, E> a)
{
    constexpr unsigned warps = usw_top_one_tuning::threads / 32;
    USW_SHARED_ARRAY(E, buffers, [warps][usw_top_one_tuning::buffer]);
    USW_SHARED(usw_top_choose_shared, s);
    const usw_top_numbers<K, E> by(a.map, a.n);
    uint64_t collected = a.control->collected;
    collected = collected < a.k || collected > a.room ? 0 : collected;
    unsigned bits = by.bits(), round = 1;
    for (; collected != 0 && bits > 1 && a.control->limit >> (bits - 1) == 0;) {
        bits--;
    }
    const E kth = usw_top_kth(a, by, collected, bits, s, round);
    usw_top_gathered<E> gathered = {buffers[threadIdx.x / 32], 0};
    usw_top_each(a, by, collected, [&](E number, bool there) {
        gathered.add(number, there && number <= kth, a.best, a.k, &a.control->written);
    });
    gathered.write(a.best, a.k, &a.control->written);
    usw_grid_barrier(a.barrier, round + 1, true);
}

/* Whether this way takes the k best of n keys. */
static inline bool usw_top_one_takes(uint64_t n, uint64_t k)
{
    return n >= usw_top_one_tuning::from && k <= n / usw_top_one_tuning::share;
}

/* Queues all of it: best gets the k numbers, in any order. */
template <typename K, typename E>
upsweep_status usw_top_one(usw_gpu *g, const K *keys, uint64_t n, uint64_t k, const usw_keymap &map,
                           E *best)
{
    usw_top_one_args<K, E> a = {};
    a.keys = keys;
    a.n = n;
    a.k = k;
    a.map = usw_gpu_keymap_of<K>(map);
    a.best = best;
    a.barrier = g->barrier;
    const double count = double(usw_top_one_tuning::sample_threads) * USW_TOP_SAMPLE<E>;
    const double share = double(n) / count, rank = double(k) / share;
    double r = rank + 5;
    while ((r - rank) * (r - rank) < 36 * r) { /* six deviations */
        r += 1;
    }
    a.rank = static_cast<unsigned>(
        r < usw_top_one_tuning::least_rank ? usw_top_one_tuning::least_rank : r);
    double more = 0;
    while (more * more < 64.0 * a.rank) { /* eight deviations, and what the limit is too high */
        more += 1;
    }
    a.room = static_cast<uint64_t>(1.125 * (a.rank + more) * share) + 4096;
    a.room = a.room < n ? a.room : n;
    a.control = static_cast<usw_top_control<E> *>(usw_gpu_scratch(g, sizeof *a.control));
    a.numbers = static_cast<E *>(usw_gpu_scratch(g, a.room * sizeof(E)));
    if (a.control == nullptr || a.numbers == nullptr) {
        return g->status;
    }
    constexpr unsigned threads = usw_top_one_tuning::threads;
    const uint64_t tile = uint64_t(threads) * usw_top_one_tuning::vectors * (16 / sizeof(K));
    const uint64_t tiles = (n + tile) / tile, full = uint64_t(g->sms) * (2048 / threads);
    usw_gpu_fill(g, a.control, 0, sizeof *a.control);
    USW_LAUNCH(g, (usw_top_sample<K, E>), 1, usw_top_one_tuning::sample_threads, 0, a);
    USW_LAUNCH(g, (usw_top_collect<K, E>), static_cast<unsigned>(tiles < full ? tiles : full),
               threads, 0, a);
    return USW_LAUNCH_COOPERATIVE(g, (usw_top_choose<K, E>), g->sms, threads, 0, a);
}

#endif
