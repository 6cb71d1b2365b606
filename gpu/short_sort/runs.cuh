/* runs.cuh - sorts up to 16,384 keys by blocks that each sort a run of them, and wait for one
 * another once.
 *
 * Idea     Each block sorts a run of 32 to 128 neighbouring keys, by counting in votes, and
 *          publishes it to all others. Every block reads all runs, and finds by halving how many
 *          keys of each come before each of its own: these counts add up to the key's place. Keys
 *          of earlier runs come first where they are equal, so the sort is stable; and no step
 *          depends on the keys. A run is published in nodes that bear the number of this sort, one
 *          more than the number of the sort before, so blocks wait for what they read, and nothing
 *          is counted or cleared between sorts. A block writes when it has all runs; then all
 *          blocks have read their keys and values, since a run is made of loaded keys and published
 *          behind a barrier. So the result may overwrite both. The code is short loops that are not
 *          unrolled: a kernel that runs for 3 us waits mostly for instructions that are not in its
 *          cache yet.
 *
 * Shape    up to 128 blocks of 512 or 1024 threads, launched together; shared memory for all keys.
 *
 * Traffic  every block reads all keys, from the L2 cache. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_SHORT_SORT_RUNS_CUH
#define USW_GPU_SHORT_SORT_RUNS_CUH

#include "gpu/carry/tagged_value.cuh"
#include "gpu/short_sort/key_and_place.cuh"

#include <type_traits>

struct runs_tuning {
#ifdef USW_EMULATE /* so that tests of few keys reach the other sorts, too */
    static constexpr unsigned run_few = 32, threads = 64, run_max = 64, threads_max = 128;
#else
    /* Runs of up to run_few keys take blocks of `threads`, longer ones of threads_max. */
    static constexpr unsigned run_few = 64, threads = 512, run_max = 128, threads_max = 1024;
#endif
    static constexpr unsigned searches = 4; /* of a lane at a time */
};

template <typename K> struct runs_args {
    const K *keys;
    K *out_keys;
    const void *values;
    void *out_values;
    unsigned value_bytes, n, run, begin;
    usw_gpu_keymap<K> map;
    K mask; /* of the bits that count, from `begin` on */
    usw_node *nodes;
    uint64_t *last; /* number of the last sort */
};

/* A block's own keys: key, raw and value by position; sorted, origin and place by rank. */
template <typename K> struct runs_own {
    union {
        K sorted[runs_tuning::run_max];
        uint64_t words[runs_tuning::run_max * sizeof(K) / 8];
    };
    K key[runs_tuning::run_max], raw[runs_tuning::run_max];
    uint64_t value[runs_tuning::run_max];
    unsigned origin[runs_tuning::run_max], place[runs_tuning::run_max];
};

template <typename K, unsigned T> struct runs_sort {
    static constexpr unsigned warps = T / 32;
    static constexpr unsigned each = 8 / sizeof(K); /* keys of a node */
    static constexpr unsigned looks =
        sizeof(K) < 4 ? 2 : 4; /* nodes that a lane waits for at a time */
    /* In shared memory lines of 32 keys stand 8 bytes apart, so that lanes at the same places of
     * different lines meet different banks. */
    static constexpr unsigned gap = each, line = 32 + gap;
    using W = std::conditional_t<sizeof(K) == 8, uint64_t, uint32_t>;

    const runs_args<K> &a;
    runs_own<K> &own;
    K *all;

    __host__ __device__ static constexpr size_t shared_bytes(size_t keys)
    {
        return keys / 32 * line * sizeof(K);
    }

    __device__ __forceinline__ void load() const
    {
        const unsigned t = threadIdx.x, at = blockIdx.x * a.run + t;
        if (t < a.run) {
            K raw = 0, key = static_cast<K>(~K(0));
            uint64_t value = at;
            if (at < a.n) {
                raw = a.keys[at];
                key = static_cast<K>(static_cast<K>(a.map.map(raw) >> a.begin) & a.mask);
                if (a.values != nullptr) {
                    value = load_element(a.values, a.value_bytes, at);
                }
            }
            own.raw[t] = raw;
            own.key[t] = key;
            own.value[t] = value;
            own.place[t] = t;
        }
        __syncthreads();
    }

    /* Sorts the run, a warp a key: a key's rank is how many others of the run come before it. */
    __device__ __forceinline__ void sort_run() const
    {
        const unsigned lane = threadIdx.x % 32;
#pragma unroll 1
        for (unsigned c = threadIdx.x / 32; c < a.run; c += warps) {
            const K y = own.key[c];
            unsigned rank = 0;
#pragma unroll 1
            for (unsigned h = lane; h < a.run; h += 32) {
                const K x = own.key[h];
                rank += __popc(__ballot_sync(~0u, x < y || (x == y && h < c)));
            }
            if (lane == 0) {
                own.sorted[rank] = y;
                own.origin[rank] = c;
            }
        }
        __syncthreads();
    }

    /* Publishes this block's run, and waits for the runs of all blocks. */
    __device__ __forceinline__ void exchange(uint64_t number) const
    {
        constexpr unsigned L = looks;
        const unsigned t = threadIdx.x, mine = a.run / each, total = gridDim.x * mine;
        if (t < mine) {
            usw_node_publish(&a.nodes[blockIdx.x * mine + t], own.words[t], number);
        }
#pragma unroll 1
        for (unsigned j = t; j < total; j += L * T) {
            usw_node x[L];
            bool there;
            do {
                usw_yield();
                there = true;
#pragma unroll
                for (unsigned l = 0; l < L; l++) {
                    x[l] = usw_tagged_look_back(&a.nodes[j + l * T < total ? j + l * T : j]);
                }
#pragma unroll
                for (unsigned l = 0; l < L; l++) {
                    there = there && x[l].state == number;
                }
            } while (!there);
#pragma unroll
            for (unsigned l = 0; l < L; l++) {
                const unsigned first = (j + l * T) * each;
                if (j + l * T < total) {
                    *reinterpret_cast<uint64_t *>(&all[first + first / 32 * gap]) = x[l].value;
                }
            }
        }
        __syncthreads();
    }

    /* The key at an offset in bytes: a search moves by bytes, which saves an instruction a step. */
    __device__ __forceinline__ K key_at(unsigned bytes) const
    {
        return *reinterpret_cast<const K *>(reinterpret_cast<const unsigned char *>(all) + bytes);
    }

    /* How many keys of runs r, r + warps, ... come before x. Keys of earlier runs come before an
     * equal x: these are the keys less than x + 1, or all keys if x is the greatest. */
    __device__ __forceinline__ unsigned count_before(K x, unsigned r) const
    {
        constexpr unsigned U = runs_tuning::searches, B = sizeof(K);
        const unsigned run_bytes = a.run / 32 * line * B;
        unsigned at[U], sum = 0, moved = 0;
        W limit[U];
#pragma unroll
        for (unsigned u = 0; u < U; u++) {
            const unsigned q = r + u * warps;
            const bool earlier = q < blockIdx.x, other = q < gridDim.x && q != blockIdx.x;
            limit[u] = other ? static_cast<W>(x) + (earlier ? 1 : 0) : W(0);
            at[u] = other ? q * run_bytes : 0;
            sum += earlier && B >= 4 && limit[u] == 0 ? a.run : 0;
            moved -= at[u];
        }
#pragma unroll 1
        for (unsigned lines = a.run / 64; lines > 0; lines /= 2) {
#pragma unroll
            for (unsigned u = 0; u < U; u++) {
                const bool less = key_at(at[u] + (lines * line - gap - 1) * B) < limit[u];
                at[u] += less ? lines * line * B : 0;
                moved -= less ? lines * gap * B : 0;
            }
        }
#pragma unroll
        for (unsigned by = 16; by > 0; by /= 2) {
#pragma unroll
            for (unsigned u = 0; u < U; u++) {
                at[u] += key_at(at[u] + (by - 1) * B) < limit[u] ? by * B : 0;
            }
        }
#pragma unroll
        for (unsigned u = 0; u < U; u++) {
            sum += key_at(at[u]) < limit[u] ? 1 : 0;
            moved += at[u];
        }
        return sum + moved / B;
    }

    __device__ __forceinline__ void find_places() const
    {
#pragma unroll 1
        for (unsigned g = threadIdx.x % 32; g < a.run; g += 32) {
            const K x = own.sorted[g];
            unsigned sum = 0;
#pragma unroll 1
            for (unsigned r = threadIdx.x / 32; r < gridDim.x; r += runs_tuning::searches * warps) {
                sum += count_before(x, r);
            }
            atomicAdd(&own.place[g], sum);
        }
        __syncthreads();
    }

    __device__ __forceinline__ void write() const
    {
        const unsigned t = threadIdx.x;
        if (t < a.run && own.place[t] < a.n) {
            const unsigned to = own.place[t], from = own.origin[t];
            if (a.out_keys != nullptr) {
                a.out_keys[to] = own.raw[from];
            }
            if (a.value_bytes != 0) {
                store_element(a.out_values, a.value_bytes, to, own.value[from]);
            }
        }
    }
};

template <typename K, unsigned T>
__global__ void __launch_bounds__(T) usw_small_runs(const runs_args<K> a)
{
    USW_DYNAMIC_SHARED(K, all);
    USW_SHARED(runs_own<K>, own);
    const uint64_t number = usw_load_relaxed(a.last) + 1;
    const runs_sort<K, T> s{a, own, all};
    s.load();
    s.sort_run();
    s.exchange(number);
    if (blockIdx.x == 0 && threadIdx.x == 0) { /* all blocks have read the last number */
        usw_store_relaxed(a.last, number);
    }
    s.find_places();
    s.write();
}

#endif
