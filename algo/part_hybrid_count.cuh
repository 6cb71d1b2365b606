/* part_hybrid_count.cuh - the hybrid sort's histogram: how the keys are spread over the leading
 * bits, and whether there is anything to sort at all. */
#ifndef USW_PART_HYBRID_COUNT_CUH
#define USW_PART_HYBRID_COUNT_CUH

#include "gpu.cuh"

struct hybrid_plan {
    unsigned long long any, all; /* OR and AND of the mapped keys */
    unsigned long long over;     /* keys in buckets that a local sort cannot hold */
    unsigned rises, falls;       /* some key is above (below) its left neighbour */
    unsigned shift;              /* the leading bits are key >> shift */
    unsigned ticket, done;
    unsigned msd, lsd, reverse; /* what is to be done */
};

template <typename K> struct hybrid_vector {
    static constexpr int keys = 16 / sizeof(K);
    union {
        uint4 v;
        K k[keys];
    };
};

/* Four times a digit: the byte offset of its counter. */
struct hybrid_digit {
    unsigned mask4, turn;
    bool high;
    __device__ __forceinline__ hybrid_digit(unsigned shift, unsigned digits, unsigned key_bits)
        : mask4((digits - 1) * 4), turn((shift + key_bits - 2) % key_bits % 32),
          high((shift + key_bits - 2) % key_bits >= 32)
    {
    }
    __device__ __forceinline__ unsigned operator()(uint32_t k) const
    {
        return __funnelshift_r(k, k, turn) & mask4;
    }
    __device__ __forceinline__ unsigned operator()(uint64_t k) const
    {
        unsigned lo = static_cast<unsigned>(k), hi = static_cast<unsigned>(k >> 32);
        return __funnelshift_r(high ? hi : lo, high ? lo : hi, turn) & mask4;
    }
};

template <typename T> __device__ __forceinline__ T *hybrid_byte(void *p, unsigned offset)
{
    return reinterpret_cast<T *>(static_cast<unsigned char *>(p) + offset);
}

/* Counter d is a half of a word. A counter that reaches 2^15 hands them on to counts. */
__device__ __forceinline__ void hybrid_add(unsigned *bins, unsigned *handed, unsigned d, unsigned c)
{
    unsigned sh = (d & 1) * 16;
    unsigned old = atomicAdd(&bins[d >> 1], c << sh) >> sh & 0xffff;
    if (((old ^ (old + c)) & 0x8000) != 0) {
        atomicSub(&bins[d >> 1], 0x8000u << sh);
        atomicAdd(&handed[d], 1u);
    }
}

/* Hands 2^15 on if the counter has reached them: once, whoever sees it first. */
static __device__ __noinline__ void hybrid_hand_on(unsigned *bins, unsigned *handed, unsigned d)
{
    unsigned top = 0x8000u << (d & 1) * 16, was = atomicAdd(&bins[d >> 1], 0);
    while ((was & top) != 0) {
        unsigned now = atomicCAS(&bins[d >> 1], was, was - top);
        if (now == was) {
            atomicAdd(&handed[d], 1u);
            return;
        }
        was = now;
    }
}

template <typename K> struct hybrid_seen {
    K any, all;
    unsigned rises, falls;
};

template <typename K> __device__ void hybrid_note(hybrid_plan *plan, const hybrid_seen<K> &s)
{
    unsigned long long any = s.any, all = s.all;
    for (int o = 16; o > 0; o >>= 1) {
        any |= __shfl_xor_sync(~0u, any, o);
        all &= __shfl_xor_sync(~0u, all, o);
    }
    bool rises = __any_sync(~0u, s.rises), falls = __any_sync(~0u, s.falls);
    if (threadIdx.x % 32 == 0) {
        atomicOr(&plan->any, any);
        atomicAnd(&plan->all, all);
        if (rises) {
            plan->rises = 1;
        }
        if (falls) {
            plan->falls = 1;
        }
    }
}

/* One block of 1024 threads a multiprocessor; 2 << bits bytes of shared memory. */
template <typename K, bool identity>
__device__ __forceinline__ void
hybrid_count_keys(const K *keys, unsigned long long n, usw_gpu_keymap<K> map, unsigned bits,
                  unsigned shift, unsigned *bins, unsigned *handed, hybrid_seen<K> &seen)
{
    constexpr int V = hybrid_vector<K>::keys, U = sizeof(K) == 1 ? 2 : 4, T = 1024 * V * U;
    const unsigned tid = threadIdx.x, mask = (1u << bits) - 1;
    auto mapped = [&](K raw) { return identity ? raw : map.map(raw); };
    unsigned long long head = (16 - (reinterpret_cast<uintptr_t>(keys) & 15)) % 16 / sizeof(K);
    head = head < n ? head : n;
    const unsigned long long tiles = (n - head) / T;
    hybrid_vector<K> next[U];
    unsigned long long t = blockIdx.x;
    auto fetch = [&](unsigned long long tile) {
#pragma unroll
        for (int u = 0; u < U; u++) {
            next[u].v = reinterpret_cast<const uint4 *>(keys + head + tile * T)[u * 1024 + tid];
        }
    };
    if (t < tiles) {
        fetch(t);
    }
    unsigned since = 0;
    while (t < tiles) {
        hybrid_vector<K> now[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            now[u] = next[u];
        }
        unsigned long long at = head + t * T;
        t += gridDim.x;
        if (t < tiles) {
            fetch(t);
        }
        bool ordered = !__all_sync(~0u, seen.rises & seen.falls);
        unsigned crossed = 0, d0 = 0;
        bool same = true;
        {
            d0 = __shfl_sync(~0u, static_cast<unsigned>(mapped(now[0].k[0]) >> shift) & mask, 0);
            same = __all_sync(
                ~0u, d0 == (static_cast<unsigned>(mapped(now[U - 1].k[V - 1]) >> shift) & mask));
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
#pragma unroll
            for (int v = 0; v < V; v += 2) {
                now[u].k[v] = mapped(now[u].k[v]);
                now[u].k[v + 1] = mapped(now[u].k[v + 1]);
                seen.any |= now[u].k[v] | now[u].k[v + 1];
                seen.all &= now[u].k[v] & now[u].k[v + 1];
            }
            if (ordered) {
                unsigned long long i = at + (u * 1024ull + tid) * V;
                K left = i > 0 ? mapped(keys[i - 1]) : now[u].k[0];
                seen.rises |= left < now[u].k[0];
                seen.falls |= left > now[u].k[0];
#pragma unroll
                for (int v = 1; v < V; v++) {
                    seen.rises |= now[u].k[v - 1] < now[u].k[v];
                    seen.falls |= now[u].k[v - 1] > now[u].k[v];
                }
            }
        }
        if (same) {
#pragma unroll
            for (int u = 0; u < U; u++) {
#pragma unroll
                for (int v = 0; v < V; v++) {
                    same = same && (static_cast<unsigned>(now[u].k[v] >> shift) & mask) == d0;
                }
            }
            same = __all_sync(~0u, same);
        }
        if (same) {
            /* One addition for the warp where its digits are the same. */
            if (tid % 32 == 0) {
                hybrid_add(bins, handed, d0, 32 * V * U);
            }
        } else {
#pragma unroll
            for (int u = 0; u < U; u++) {
#pragma unroll
                for (int v = 0; v < V; v++) {
                    unsigned d = static_cast<unsigned>(now[u].k[v] >> shift) & mask;
                    unsigned inc = 1u << (d * 16 & 16);
                    unsigned old = atomicAdd(&bins[d >> 1], inc);
                    crossed |= old ^ (old + inc);
                }
            }
            if ((crossed & 0x80008000u) != 0) {
#pragma unroll
                for (int u = 0; u < U; u++) {
#pragma unroll
                    for (int v = 0; v < V; v++) {
                        hybrid_hand_on(bins, handed,
                                       static_cast<unsigned>(now[u].k[v] >> shift) & mask);
                    }
                }
            }
        }
        /* Between two barriers no counter can grow by more than 2^15. */
        since += T;
        if (since + T > 0x8000) {
            since = 0;
            __syncthreads();
        }
    }
    __syncthreads();
    /* What is left over before and after the tiles, by the last block. */
    if (blockIdx.x == gridDim.x - 1) {
        unsigned long long rest = head + tiles * T, some = head + (n - rest);
        for (unsigned long long j = tid; j < some; j += 1024) {
            unsigned long long i = j < head ? j : rest + (j - head);
            K k = mapped(keys[i]);
            seen.any |= k;
            seen.all &= k;
            if (i > 0) {
                K left = mapped(keys[i - 1]);
                seen.rises |= left < k;
                seen.falls |= left > k;
            }
            hybrid_add(bins, handed, static_cast<unsigned>(k >> shift) & mask, 1);
        }
        __syncthreads();
    }
}

template <typename K, bool identity>
__global__ __launch_bounds__(1024, 1) void hybrid_count(const K *keys, unsigned long long n,
                                                        usw_gpu_keymap<K> map, unsigned bits,
                                                        hybrid_plan *plan,
                                                        unsigned long long *counts,
                                                        unsigned *handed)
{
    USW_DYNAMIC_SHARED(unsigned, bins);
    const unsigned words = 1u << (bits - 1), tid = threadIdx.x;
    for (unsigned w = tid; w < words; w += 1024) {
        bins[w] = 0;
    }
    hybrid_seen<K> seen = {0, static_cast<K>(~K(0)), 0, 0};
    __syncthreads();
    hybrid_count_keys<K, identity>(keys, n, map, bits, plan->shift, bins, handed, seen);
    hybrid_note(plan, seen);
    /* Blocks begin at different words, so that they do not add to the same ones. */
    for (unsigned i = tid; i < words; i += 1024) {
        unsigned w = (i + blockIdx.x * 1024) & (words - 1);
        unsigned c = bins[w];
        if (c != 0) { /* two counters of 32 bits, neither of which can overflow */
            atomicAdd(&counts[w], (static_cast<unsigned long long>(c >> 16) << 32) | (c & 0xffff));
        }
    }
}

/* By what the count has seen. */
static __device__ void hybrid_decide(hybrid_plan *plan, unsigned bits)
{
    unsigned long long differ = plan->any ^ plan->all;
    if (plan->falls == 0) {
        return; /* sorted, or all equal */
    }
    if (plan->rises == 0) {
        plan->reverse = 1;
    } else if (usw_load_relaxed(&plan->over) == 0 && differ >> plan->shift >> bits == 0) {
        plan->msd = 1;
    } else {
        plan->lsd = 1;
    }
}

/* A block of 256 threads for each bucket of the first scatter: counts become the places where the
 * buckets begin; begin and tile_begin (of 2^bits1 + 1) are those of the first scatter's buckets.
 * Each block says its sum, then reads those of all before it. */
__global__ __launch_bounds__(256) static void hybrid_place(
    hybrid_plan *plan, const unsigned *counts, const unsigned *handed, unsigned long long *ends,
    unsigned bits, unsigned bits1, unsigned long long capacity, unsigned tile,
    unsigned long long *said, unsigned long long *begin, unsigned long long *cursor,
    unsigned *tile_begin)
{
    USW_SHARED_ARRAY(unsigned long long, sums, [8]);
    USW_SHARED_ARRAY(unsigned long long, before, [8]);
    USW_SHARED_ARRAY(unsigned, tiles, [8]);
    USW_SHARED(unsigned, ticket);
    const unsigned tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    const unsigned digits = 1u << (bits - bits1);
    if (tid == 0) {
        ticket = atomicAdd(&plan->ticket, 1u);
    }
    __syncthreads();
    const unsigned b = ticket;
    unsigned long long c = 0;
    if (tid < digits) {
        unsigned d = b * digits + tid;
        c = counts[d] + (static_cast<unsigned long long>(handed[d]) << 15);
    }
    unsigned long long in = c;
    for (int o = 1; o < 32; o <<= 1) {
        unsigned long long up = __shfl_up_sync(~0u, in, o);
        in += lane >= static_cast<unsigned>(o) ? up : 0;
    }
    if (c > capacity) {
        atomicAdd(&plan->over, c);
    }
    if (lane == 31) {
        sums[warp] = in;
    }
    __syncthreads();
    unsigned long long total = 0, mine = in - c;
    for (unsigned w = 0; w < 8; w++) {
        mine += w < warp ? sums[w] : 0;
        total += sums[w];
    }
    if (tid == 0) {
        usw_store_relaxed(&said[b], total + 1);
    }
    /* The blocks with lower tickets have begun. */
    unsigned long long other = 0;
    if (tid < b) {
        do {
            other = usw_load_relaxed(&said[tid]);
        } while (other == 0);
        other--;
    }
    unsigned t = static_cast<unsigned>((other + tile - 1) / tile);
    for (int o = 16; o > 0; o >>= 1) {
        other += __shfl_xor_sync(~0u, other, o);
        t += __shfl_xor_sync(~0u, t, o);
    }
    if (lane == 0) {
        before[warp] = other;
        tiles[warp] = t;
    }
    __syncthreads();
    unsigned long long at = 0;
    t = 0;
    for (unsigned w = 0; w < 8; w++) {
        at += before[w];
        t += tiles[w];
    }
    if (tid < digits) {
        ends[b * digits + tid] = at + mine;
    }
    if (tid == 0) {
        begin[b] = at;
        cursor[b] = at;
        tile_begin[b] = t;
        __threadfence();
        if (atomicAdd(&plan->done, 1u) + 1 == gridDim.x) {
            hybrid_decide(plan, bits);
        }
        if (b + 1 == gridDim.x) {
            begin[b + 1] = at + total;
            tile_begin[b + 1] = t + static_cast<unsigned>((total + tile - 1) / tile);
        }
    }
}

#endif
