/* part_hybrid_pairs_count.cuh - the hybrid sort of pairs: a sample, and counts for stable splits.
 *
 * A level splits every segment (of the first level: the whole array) by one digit, keeping the
 * order of pairs whose digits are equal. A segment is cut into chunks, each one block's work:
 * count writes a chunk's digits' counts as a row of a table, place turns them into the sums over
 * the segment's chunks before, and says where the digits begin. So move (part_hybrid_pairs_move.cuh)
 * goes from tile to tile of its chunk knowing where each digit's next pair goes: no block waits for
 * another. */
#ifndef USW_PART_HYBRID_PAIRS_COUNT_CUH
#define USW_PART_HYBRID_PAIRS_COUNT_CUH

#include "gpu.cuh"

enum { PAIRS_DIGITS = 256, PAIRS_COPIES = 8 };

struct pairs_plan {
    unsigned long long any, all;     /* OR and AND of the mapped keys, of a sample at first */
    unsigned shift;                  /* bits below both digits */
    unsigned ordered;                /* the sample is, so count looks at all neighbours */
    unsigned rises, falls;           /* some key is above (below) the one before it */
    unsigned split, radix;           /* to be done: the first move; all by the radix sort */
    unsigned tickets[2];             /* of place's blocks, a level */
    unsigned done[PAIRS_DIGITS + 1]; /* blocks of place that know a total, a segment */
};

template <typename K> struct pairs_level {
    const K *in;
    unsigned long long n;
    usw_gpu_keymap<K> map; /* for the first level; it moves mapped keys */
    pairs_plan *plan;
    unsigned below, digits; /* the digit: key >> (shift + below), a power of two of values */
    unsigned segments;      /* PAIRS_DIGITS at most */
    const unsigned long long *begin; /* segments + 1 */
    const unsigned *chunk_begin;     /* segments + 1: numbers of their first chunks */
    unsigned chunk_keys;
    unsigned *table;            /* PAIRS_DIGITS a chunk */
    unsigned groups;            /* of a segment's chunks, for place */
    unsigned *said;             /* PAIRS_DIGITS a group, 0; NULL: there is one group */
    unsigned *totals;           /* segments * digits */
    unsigned long long *starts; /* segments * digits + 1: where the next level's segments begin */
    unsigned *next_chunks;      /* of those, as chunk_begin; NULL: there is none */
    unsigned capacity;          /* of a local sort, where there is no next level */
};

template <typename K> union pairs_vector {
    uint4 v;
    K k[16 / sizeof(K)];
};

/* A chunk: pairs [begin, end) of segment. */
struct pairs_chunk {
    unsigned segment;
    unsigned long long begin, end;
};

/* False: there is no such chunk. found: a shared word. PAIRS_DIGITS threads or more; all of them
 * call it; it has a barrier. */
template <typename K>
__device__ __forceinline__ bool pairs_find_chunk(const pairs_level<K> &a, unsigned *found,
                                                 pairs_chunk &c)
{
    const unsigned t = threadIdx.x, b = blockIdx.x;
    if (b >= a.chunk_begin[a.segments]) {
        return false;
    }
    if (t < a.segments && a.chunk_begin[t] <= b && b < a.chunk_begin[t + 1]) {
        *found = t;
    }
    __syncthreads();
    c.segment = *found;
    c.begin = a.begin[c.segment] +
              static_cast<unsigned long long>(b - a.chunk_begin[c.segment]) * a.chunk_keys;
    c.end = a.begin[c.segment + 1];
    c.end = c.end - c.begin < a.chunk_keys ? c.end : c.begin + a.chunk_keys;
    return true;
}

/* ---- sample ---- */

/* One block. bits: of both digits; spare: bits that a local sort needs beside the undecided ones.
 * begin, chunk_begin: of the first level. */
template <typename K>
__global__ __launch_bounds__(1024) void pairs_sample(const pairs_level<K> a, unsigned bits,
                                                     unsigned spare, unsigned long long *begin,
                                                     unsigned *chunk_begin)
{
    USW_SHARED_ARRAY(unsigned long long, seen, [2]);
    const unsigned t = threadIdx.x;
    if (t == 0) {
        seen[0] = 0;
        seen[1] = ~0ull;
        begin[0] = 0;
        begin[1] = a.n;
        chunk_begin[0] = 0;
        chunk_begin[1] = static_cast<unsigned>((a.n + a.chunk_keys - 1) / a.chunk_keys);
    }
    for (unsigned i = t; i <= PAIRS_DIGITS; i += 1024) {
        a.plan->done[i] = 0;
    }
    for (unsigned i = t; i < a.groups * PAIRS_DIGITS; i += 1024) {
        a.said[i] = 0;
    }
    unsigned long long any = 0, all = ~0ull;
    unsigned order = 0;
    K last = 0;
    __syncthreads();
#pragma unroll 8
    for (unsigned i = 0; i < 16; i++) {
        /* Stretches of 32 keys, evenly spread; a thread's keys are in the order of the array. */
        unsigned long long line = (t / 32 * 16ull + i) * (a.n / 32) / 512;
        unsigned long long p = line * 32 + t % 32;
        K k = a.map.map(a.in[p < a.n ? p : a.n - 1]);
        any |= k;
        all &= k;
        order |= i == 0 ? 0 : last < k ? 1u : last > k ? 2u : 0u;
        last = k;
    }
    for (int o = 16; o > 0; o >>= 1) {
        any |= __shfl_xor_sync(~0u, any, o);
        all &= __shfl_xor_sync(~0u, all, o);
    }
    if (t % 32 == 0) {
        atomicOr(&seen[0], any);
        atomicAnd(&seen[1], all);
    }
    const bool rises = __syncthreads_or((order & 1) != 0), falls = __syncthreads_or(order > 1);
    if (t == 0) {
        unsigned varying =
            64 - static_cast<unsigned>(__clzll(static_cast<long long>(seen[0] ^ seen[1])));
        pairs_plan *p = a.plan;
        p->any = seen[0];
        p->all = seen[1];
        p->shift = varying > bits ? varying - bits : 0;
        p->ordered = !(rises && falls);
        p->rises = p->falls = p->split = p->tickets[0] = p->tickets[1] = 0;
        p->radix = p->shift + spare > sizeof(K) * 8;
    }
}

/* ---- count ---- */

/* What a thread sees of its chunk's keys. */
template <typename K, bool first> struct pairs_counter {
    static constexpr unsigned V = 16 / sizeof(K), U = 4;
    const pairs_level<K> &a;
    unsigned *mine; /* the warp's counters */
    unsigned shift, mask;
    bool ordered;
    K any, all;
    unsigned order;

    __device__ __forceinline__ K mapped(K k) const
    {
        return first ? a.map.map(k) : k;
    }
    __device__ __forceinline__ unsigned digit(K k) const
    {
        return static_cast<unsigned>(k >> shift) & mask;
    }
    __device__ __forceinline__ void note(K k)
    {
        if (first) {
            any |= k;
            all &= k;
        }
    }
    __device__ __forceinline__ void compare(K k, K next)
    {
        order |= k < next ? 1u : k > next ? 2u : 0u;
    }
    /* One key; at: its index. */
    __device__ __forceinline__ void count_one(unsigned long long at)
    {
        K k = mapped(a.in[at]);
        note(k);
        atomicAdd(&mine[digit(k)], 1u);
        if (first && ordered && at + 1 < a.n) {
            compare(k, mapped(a.in[at + 1]));
        }
    }
    /* The warp's vectors, all of which are there; at: the index of the thread's first key. */
    __device__ __forceinline__ void count_vectors(pairs_vector<K> (&x)[U], unsigned long long at,
                                                  unsigned step)
    {
        K differ = 0;
#pragma unroll
        for (unsigned u = 0; u < U; u++) {
#pragma unroll
            for (unsigned v = 0; v < V; v++) {
                x[u].k[v] = mapped(x[u].k[v]);
                note(x[u].k[v]);
                differ |= x[u].k[v] ^ x[0].k[0];
            }
            if (first && ordered) {
                for (unsigned v = 0; v + 1 < V; v++) {
                    compare(x[u].k[v], x[u].k[v + 1]);
                }
                unsigned long long next = at + u * step + V;
                if (next < a.n) {
                    compare(x[u].k[V - 1], mapped(a.in[next]));
                }
            }
        }
        const unsigned d = digit(x[0].k[0]);
        if (!__any_sync(~0u, (digit(differ) | (d ^ __shfl_sync(~0u, d, 0))) != 0)) {
            if (threadIdx.x % 32 == 0) {
                atomicAdd(&mine[d], 32 * U * V);
            }
            return;
        }
#pragma unroll
        for (unsigned u = 0; u < U; u++) {
#pragma unroll
            for (unsigned v = 0; v < V; v++) {
                atomicAdd(&mine[digit(x[u].k[v])], 1u);
            }
        }
    }
    __device__ __forceinline__ void count_chunk(const pairs_chunk &c)
    {
        const unsigned t = threadIdx.x, stretch = blockDim.x * U;
        const K *keys = a.in + c.begin;
        const unsigned m = static_cast<unsigned>(c.end - c.begin);
        unsigned head =
            static_cast<unsigned>((16 - reinterpret_cast<uintptr_t>(keys) % 16) % 16 / sizeof(K));
        head = head < m ? head : m;
        const unsigned whole = (m - head) / V / stretch * stretch;
        const uint4 *from = reinterpret_cast<const uint4 *>(keys + head);
        for (unsigned i = t; i < whole; i += stretch) {
            pairs_vector<K> x[U];
#pragma unroll
            for (unsigned u = 0; u < U; u++) {
                x[u].v = from[i + u * blockDim.x];
            }
            count_vectors(x, c.begin + head + i * V, blockDim.x * V);
        }
        for (unsigned i = t; i < m - whole * V; i += blockDim.x) {
            count_one(c.begin + (i < head ? i : i + whole * V));
        }
    }
    /* To the plan, by the whole warp. */
    __device__ __forceinline__ void tell() const
    {
        unsigned long long some = any, every = all;
        for (int o = 16; o > 0; o >>= 1) {
            some |= __shfl_xor_sync(~0u, some, o);
            every &= __shfl_xor_sync(~0u, every, o);
        }
        const unsigned found = __reduce_or_sync(~0u, order);
        if (threadIdx.x % 32 == 0) {
            /* The sample has seen nearly all of it. */
            if ((some & ~usw_load_relaxed(&a.plan->any)) != 0) {
                atomicOr(&a.plan->any, some);
            }
            if ((~every & usw_load_relaxed(&a.plan->all)) != 0) {
                atomicAnd(&a.plan->all, every);
            }
            if ((found & 1) != 0) {
                a.plan->rises = 1;
            }
            if ((found & 2) != 0) {
                a.plan->falls = 1;
            }
        }
    }
};

/* A block of 512 threads a chunk. */
template <typename K, bool first>
__global__ __launch_bounds__(512, 4) void pairs_count(const pairs_level<K> a)
{
    USW_SHARED_ARRAY(unsigned, counts, [PAIRS_COPIES * PAIRS_DIGITS]);
    USW_SHARED(unsigned, found);
    const unsigned t = threadIdx.x;
    if (first ? a.plan->radix : !a.plan->split) {
        return;
    }
    for (unsigned i = t; i < PAIRS_COPIES * PAIRS_DIGITS; i += 512) {
        counts[i] = 0;
    }
    pairs_chunk c;
    if (!pairs_find_chunk(a, &found, c)) {
        return;
    }
    pairs_counter<K, first> counter = {a,
                                       counts + t / 32 % PAIRS_COPIES * PAIRS_DIGITS,
                                       a.plan->shift + a.below,
                                       a.digits - 1,
                                       a.plan->ordered != 0,
                                       0,
                                       static_cast<K>(~K(0)),
                                       0};
    counter.count_chunk(c);
    if (first) {
        counter.tell();
    }
    __syncthreads();
    if (t < PAIRS_DIGITS) {
        unsigned sum = 0;
        for (unsigned w = 0; w < PAIRS_COPIES; w++) {
            sum += counts[w * PAIRS_DIGITS + t];
        }
        a.table[static_cast<size_t>(blockIdx.x) * PAIRS_DIGITS + t] = sum;
    }
}

#endif
