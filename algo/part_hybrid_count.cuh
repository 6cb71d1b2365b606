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

/* Counter d is a half of a word. Where it has reached 2^15 it hands them on: once, by whoever sees
 * it first. */
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

__device__ __forceinline__ void hybrid_add(unsigned *bins, unsigned *handed, unsigned d, unsigned c)
{
    unsigned old = atomicAdd(&bins[d >> 1], c << (d & 1) * 16) >> (d & 1) * 16;
    if (((old ^ (old + c)) & 0x8000) != 0) {
        hybrid_hand_on(bins, handed, d);
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

/* What one thread counts: vectors of keys, U of them in each tile of its block. */
template <typename K, bool identity> struct hybrid_counter {
    static constexpr int V = hybrid_vector<K>::keys, U = sizeof(K) == 1 ? 2 : 4;
    static constexpr unsigned T = 1024 * V * U;
    const K *keys;
    unsigned long long n, head, tiles; /* keys before the first vector; whole tiles */
    const usw_gpu_keymap<K> &map;
    unsigned shift, mask;
    unsigned *bins, *handed;
    hybrid_seen<K> seen;

    __device__ __forceinline__ K mapped(K raw) const
    {
        return identity ? raw : map.map(raw);
    }
    __device__ __forceinline__ unsigned digit(K k) const
    {
        return static_cast<unsigned>(k >> shift) & mask;
    }
    __device__ __forceinline__ void fetch(hybrid_vector<K> (&x)[U], unsigned long long tile) const
    {
        const uint4 *from = reinterpret_cast<const uint4 *>(keys + head + tile * T);
#pragma unroll
        for (int u = 0; u < U; u++) {
            x[u].v = from[u * 1024 + threadIdx.x];
        }
    }
    /* Maps them; at: the place of the tile. */
    __device__ __forceinline__ void look(hybrid_vector<K> (&x)[U], unsigned long long at)
    {
        const bool ordered = !__all_sync(~0u, seen.rises & seen.falls);
#pragma unroll
        for (int u = 0; u < U; u++) {
#pragma unroll
            for (int v = 0; v < V; v += 2) {
                x[u].k[v] = mapped(x[u].k[v]);
                x[u].k[v + 1] = mapped(x[u].k[v + 1]);
                seen.any |= x[u].k[v] | x[u].k[v + 1];
                seen.all &= x[u].k[v] & x[u].k[v + 1];
            }
            if (ordered) {
                unsigned long long i = at + (u * 1024ull + threadIdx.x) * V;
                compare(i > 0 ? mapped(keys[i - 1]) : x[u].k[0], x[u].k[0]);
#pragma unroll
                for (int v = 1; v < V; v++) {
                    compare(x[u].k[v - 1], x[u].k[v]);
                }
            }
        }
    }
    __device__ __forceinline__ void compare(K left, K right)
    {
        seen.rises |= left < right;
        seen.falls |= left > right;
    }
    /* One addition for the warp where all its digits are the same; else false. */
    __device__ __forceinline__ bool count_same(const hybrid_vector<K> (&x)[U])
    {
        unsigned d = __shfl_sync(~0u, digit(x[0].k[0]), 0);
        bool same = d == digit(x[U - 1].k[V - 1]);
        if (!__all_sync(~0u, same)) {
            return false;
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
#pragma unroll
            for (int v = 0; v < V; v++) {
                same = same && digit(x[u].k[v]) == d;
            }
        }
        same = __all_sync(~0u, same);
        if (same && threadIdx.x % 32 == 0) {
            hybrid_add(bins, handed, d, 32 * V * U);
        }
        return same;
    }
    __device__ __forceinline__ void count_each(const hybrid_vector<K> (&x)[U])
    {
        unsigned crossed = 0;
#pragma unroll
        for (int u = 0; u < U; u++) {
#pragma unroll
            for (int v = 0; v < V; v++) {
                unsigned d = digit(x[u].k[v]), inc = 1u << (d * 16 & 16);
                unsigned old = atomicAdd(&bins[d >> 1], inc);
                crossed |= old ^ (old + inc);
            }
        }
        if ((crossed & 0x80008000u) != 0) {
#pragma unroll
            for (int u = 0; u < U; u++) {
#pragma unroll
                for (int v = 0; v < V; v++) {
                    hybrid_hand_on(bins, handed, digit(x[u].k[v]));
                }
            }
        }
    }
    /* The keys before the first tile and after the last. */
    __device__ __forceinline__ void count_rest()
    {
        unsigned long long rest = head + tiles * T, some = head + (n - rest);
        for (unsigned long long j = threadIdx.x; j < some; j += 1024) {
            unsigned long long i = j < head ? j : rest + (j - head);
            K k = mapped(keys[i]);
            seen.any |= k;
            seen.all &= k;
            compare(i > 0 ? mapped(keys[i - 1]) : k, k);
            hybrid_add(bins, handed, digit(k), 1);
        }
        __syncthreads();
    }
    __device__ __forceinline__ void count_tiles()
    {
        hybrid_vector<K> now[U], next[U];
        unsigned long long t = blockIdx.x;
        unsigned since = 0;
        if (t < tiles) {
            fetch(next, t);
        }
        while (t < tiles) {
            unsigned long long at = head + t * T;
#pragma unroll
            for (int u = 0; u < U; u++) {
                now[u] = next[u];
            }
            t += gridDim.x;
            if (t < tiles) {
                fetch(next, t);
            }
            look(now, at);
            if (!count_same(now)) {
                count_each(now);
            }
            /* Between two barriers no counter can grow by more than 2^15. */
            since += T;
            if (since + T > 0x8000) {
                since = 0;
                __syncthreads();
            }
        }
        __syncthreads();
    }
};

/* One block of 1024 threads a multiprocessor; 2 << bits bytes of shared memory. */
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
    __syncthreads();
    unsigned long long head = (16 - (reinterpret_cast<uintptr_t>(keys) & 15)) % 16 / sizeof(K);
    head = head < n ? head : n;
    using counter = hybrid_counter<K, identity>;
    counter c = {keys,
                 n,
                 head,
                 (n - head) / counter::T,
                 map,
                 plan->shift,
                 (1u << bits) - 1,
                 bins,
                 handed,
                 {0, static_cast<K>(~K(0)), 0, 0}};
    c.count_tiles();
    if (blockIdx.x == gridDim.x - 1) {
        c.count_rest();
    }
    hybrid_note(plan, c.seen);
    /* Blocks begin at different words, so that they do not add to the same ones. */
    for (unsigned i = tid; i < words; i += 1024) {
        unsigned w = (i + blockIdx.x * 1024) & (words - 1);
        unsigned b = bins[w];
        if (b != 0) { /* two counters of 32 bits, neither of which can overflow */
            atomicAdd(&counts[w], (static_cast<unsigned long long>(b >> 16) << 32) | (b & 0xffff));
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

/* Sums over a block of 256 threads: of all, and of the threads before. sums: 8 words. */
__device__ __forceinline__ unsigned long long
hybrid_block_sum(unsigned long long c, unsigned long long *sums, unsigned long long &before)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned long long in = c, total = 0;
    for (int o = 1; o < 32; o <<= 1) {
        unsigned long long up = __shfl_up_sync(~0u, in, o);
        in += lane >= static_cast<unsigned>(o) ? up : 0;
    }
    if (lane == 31) {
        sums[warp] = in;
    }
    __syncthreads();
    before = in - c;
    for (unsigned w = 0; w < 8; w++) {
        before += w < warp ? sums[w] : 0;
        total += sums[w];
    }
    __syncthreads();
    return total;
}

struct hybrid_place_args {
    hybrid_plan *plan;
    const unsigned *counts, *handed; /* 2^bits */
    unsigned bits, bits1;            /* of all buckets, of the first scatter's */
    unsigned long long capacity;     /* keys of a bucket that a local sort can hold */
    unsigned tile;                   /* keys of a tile of the second scatter */
    unsigned long long *said;        /* 2^bits1 zeros */
    unsigned long long *starts;      /* 2^bits: where the buckets begin */
    unsigned long long *begin;       /* 2^bits1 + 1: where those of the first scatter begin */
    unsigned long long *cursor;      /* 2^bits1: the same */
    unsigned *tile_begin;            /* 2^bits1 + 1: their first tiles */
};

/* A block of 256 threads for each bucket of the first scatter. It says the bucket's size, and reads
 * those of all before it. */
[[maybe_unused]] __global__ __launch_bounds__(256) static void hybrid_place(hybrid_place_args a)
{
    USW_SHARED_ARRAY(unsigned long long, sums, [8]);
    USW_SHARED(unsigned, ticket);
    const unsigned tid = threadIdx.x, digits = 1u << (a.bits - a.bits1);
    if (tid == 0) {
        ticket = atomicAdd(&a.plan->ticket, 1u);
    }
    __syncthreads();
    const unsigned b = ticket, d = b * digits + tid;
    unsigned long long c = 0, within, none;
    if (tid < digits) {
        c = a.counts[d] + (static_cast<unsigned long long>(a.handed[d]) << 15);
    }
    if (c > a.capacity) {
        atomicAdd(&a.plan->over, c);
        __threadfence();
    }
    const unsigned long long size = hybrid_block_sum(c, sums, within);
    if (tid == 0) {
        usw_store_relaxed(&a.said[b], size + 1);
    }
    /* The blocks with lower tickets have begun. */
    unsigned long long other = 0;
    if (tid < b) {
        do {
            other = usw_load_relaxed(&a.said[tid]);
        } while (other == 0);
        other--;
    }
    const unsigned long long at = hybrid_block_sum(other, sums, none);
    const unsigned first =
        static_cast<unsigned>(hybrid_block_sum((other + a.tile - 1) / a.tile, sums, none));
    if (tid < digits) {
        a.starts[d] = at + within;
    }
    if (tid == 0) {
        a.begin[b] = a.cursor[b] = at;
        a.tile_begin[b] = first;
        if (b + 1 == gridDim.x) {
            a.begin[b + 1] = at + size;
            a.tile_begin[b + 1] = first + static_cast<unsigned>((size + a.tile - 1) / a.tile);
        }
        __threadfence();
        if (atomicAdd(&a.plan->done, 1u) + 1 == gridDim.x) {
            hybrid_decide(a.plan, a.bits);
        }
    }
}

#endif
