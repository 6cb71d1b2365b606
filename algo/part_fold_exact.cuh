/* part_fold_exact.cuh - folds in any order. Most are exact, so that any gives the same bits: sums,
 * products and bitwise operators of integers, and the least mapped key with its first position.
 *
 * Every thread takes vectors of 16 bytes, several on their way at once, and combines them on its
 * own; then the lanes of a block meet at halving distance, as in the explained form, and the last
 * block to finish does the same with the blocks' results. A vector that reaches beyond the array's
 * ends is filled up with elements that change nothing. */
#ifndef USW_PART_FOLD_EXACT_CUH
#define USW_PART_FOLD_EXACT_CUH

#include "part_elements.cuh"

enum : unsigned { USW_FOLD_THREADS = 256, USW_FOLD_AHEAD = 8 };

struct usw_fold_part {
    uint64_t value, index;
};

struct usw_fold_args {
    const void *data; /* aligned down to 16 bytes */
    uint64_t lead, n; /* elements to leave out in front, and to take */
    usw_fold_part *parts;
    uint32_t *finished; /* blocks; 0 between kernels */
    uint64_t *keys, *index;
    void *result;
};

/* ---- what is done with a vector ---- */

template <typename K> union usw_fold_vector {
    uint4 q;
    uint32_t w[4];
    K v[16 / sizeof(K)];
};

/* Integers whose top bit is flipped when they are signed: less by `flip` is what they are. */
template <typename K> struct usw_fold_sum {
    typedef K Raw;
    static constexpr bool wide = true; /* the result is 64 bits, whatever K */
    K flip;
    __device__ __forceinline__ Raw neutral_raw() const
    {
        return flip;
    }
    __device__ __forceinline__ uint64_t neutral() const
    {
        return 0;
    }
    __device__ __forceinline__ uint64_t join(uint64_t a, uint64_t b) const
    {
        return a + b;
    }
    /* Of few vectors, so that 32 bits are enough for bytes and halves. */
    __device__ __forceinline__ uint64_t of(const usw_fold_vector<K> (&x)[USW_FOLD_AHEAD]) const
    {
        uint64_t sum = 0;
        uint32_t small = 0;
#pragma unroll
        for (unsigned i = 0; i < USW_FOLD_AHEAD; i++) {
            if constexpr (sizeof(K) >= 4) {
#pragma unroll
                for (unsigned j = 0; j < 16 / sizeof(K); j++) {
                    sum += static_cast<K>(x[i].v[j] ^ flip);
                }
            } else {
#pragma unroll
                for (unsigned j = 0; j < 4; j++) {
                    const uint32_t w =
                        x[i].w[j] ^ (flip * (sizeof(K) == 1 ? 0x01010101u : 0x10001u));
                    small = sum_fields(w, small);
                }
            }
        }
        return sum + small;
    }
    static __device__ __forceinline__ uint32_t sum_fields(uint32_t w, uint32_t to)
    {
        if constexpr (sizeof(K) == 2) {
            return to + (w & 0xffff) + (w >> 16);
        } else {
#ifdef USW_EMULATE
            return to + (w & 255) + (w >> 8 & 255) + (w >> 16 & 255) + (w >> 24);
#else
            return __dp4a(w, 0x01010101u, to);
#endif
        }
    }
    __device__ __forceinline__ uint64_t last(uint64_t v, uint64_t elements) const
    {
        return v - elements * flip;
    }
};

template <typename K> struct usw_fold_product {
    typedef K Raw;
    static constexpr bool wide = true; /* the result is 64 bits, whatever K */
    K flip;
    __device__ __forceinline__ Raw neutral_raw() const
    {
        return 1;
    }
    __device__ __forceinline__ uint64_t neutral() const
    {
        return 1;
    }
    __device__ __forceinline__ uint64_t join(uint64_t a, uint64_t b) const
    {
        return a * b;
    }
    __device__ __forceinline__ uint64_t of(const usw_fold_vector<K> (&x)[USW_FOLD_AHEAD]) const
    {
        uint64_t product = 1;
#pragma unroll
        for (unsigned i = 0; i < USW_FOLD_AHEAD; i++) {
#pragma unroll
            for (unsigned j = 0; j < 16 / sizeof(K); j++) {
                product *= static_cast<uint64_t>(static_cast<K>(x[i].v[j] ^ flip)) - flip;
            }
        }
        return product;
    }
    __device__ __forceinline__ uint64_t last(uint64_t v, uint64_t) const
    {
        return v;
    }
};

/* Bitwise operators take words, whatever the type; the words' parts meet at the end. */
template <typename K, int op> struct usw_fold_bits {
    typedef K Raw;
    static constexpr bool wide = false; /* the result is 64 bits, whatever K */
    __device__ __forceinline__ Raw neutral_raw() const
    {
        return static_cast<K>(neutral());
    }
    __device__ __forceinline__ uint64_t neutral() const
    {
        return op == UPSWEEP_AND ? ~uint64_t(0) : 0;
    }
    template <typename W> static __device__ __forceinline__ W both(W a, W b)
    {
        return op == UPSWEEP_AND ? a & b : op == UPSWEEP_OR ? a | b : a ^ b;
    }
    __device__ __forceinline__ uint64_t join(uint64_t a, uint64_t b) const
    {
        return both(a, b);
    }
    __device__ __forceinline__ uint64_t of(const usw_fold_vector<K> (&x)[USW_FOLD_AHEAD]) const
    {
        uint4 all = x[0].q;
#pragma unroll
        for (unsigned i = 1; i < USW_FOLD_AHEAD; i++) {
            all = {both(all.x, x[i].q.x), both(all.y, x[i].q.y), both(all.z, x[i].q.z),
                   both(all.w, x[i].q.w)};
        }
        return static_cast<uint64_t>(both(all.y, all.w)) << 32 | both(all.x, all.z);
    }
    __device__ __forceinline__ uint64_t last(uint64_t v, uint64_t) const
    {
        for (unsigned half = 32; half >= 8 * sizeof(K); half /= 2) {
            v = both(v, v >> half);
        }
        return v;
    }
};

/* The least key; fields of 8 and 16 bits are mapped one by one too. */
template <typename K> struct usw_fold_least {
    typedef K Raw;
    typedef typename usw_acc_of<sizeof(K) == 8>::type A;
    static constexpr bool wide = false;
    usw_gpu_keymap<K> map;
    __device__ __forceinline__ Raw neutral_raw() const
    {
        return map.unmap(static_cast<K>(~K(0)));
    }
    __device__ __forceinline__ uint64_t neutral() const
    {
        return static_cast<K>(~K(0));
    }
    __device__ __forceinline__ uint64_t join(uint64_t a, uint64_t b) const
    {
        return a < b ? a : b;
    }
    __device__ __forceinline__ uint64_t of(const usw_fold_vector<K> (&x)[USW_FOLD_AHEAD]) const
    {
        A least = static_cast<K>(~K(0));
#pragma unroll
        for (unsigned i = 0; i < USW_FOLD_AHEAD; i++) {
#pragma unroll
            for (unsigned j = 0; j < 16 / sizeof(K); j++) {
                const A key = map.map(x[i].v[j]);
                least = key < least ? key : least;
            }
        }
        return least;
    }
    __device__ __forceinline__ uint64_t last(uint64_t v, uint64_t) const
    {
        return map.unmap(static_cast<K>(v));
    }
};

/* Sums and products of floats that may go in any order, in f64, whose bits are the value. */
template <typename Number, bool product> struct usw_fold_floats {
    typedef typename Number::Raw Raw;
    static constexpr bool wide = true; /* the result is 64 bits, whatever Raw */
    static __device__ __forceinline__ double both(double a, double b)
    {
        return product ? a * b : a + b;
    }
    __device__ __forceinline__ Raw neutral_raw() const
    {
        return product ? Number::one : Raw(0);
    }
    __device__ __forceinline__ uint64_t neutral() const
    {
        return static_cast<uint64_t>(__double_as_longlong(product ? 1.0 : 0.0));
    }
    __device__ __forceinline__ uint64_t join(uint64_t a, uint64_t b) const
    {
        const double x = __longlong_as_double(static_cast<long long>(a));
        const double y = __longlong_as_double(static_cast<long long>(b));
        return static_cast<uint64_t>(__double_as_longlong(both(x, y)));
    }
    /* Four chains, so that none waits for itself. */
    __device__ __forceinline__ uint64_t of(const usw_fold_vector<Raw> (&x)[USW_FOLD_AHEAD]) const
    {
        constexpr unsigned per = 16 / sizeof(Raw), all = USW_FOLD_AHEAD * per;
        double chain[4];
#pragma unroll
        for (unsigned j = 0; j < all; j++) {
            const double here = Number::widen(x[j / per].v[j % per]);
            chain[j % 4] = j < 4 ? here : both(chain[j % 4], here);
        }
        const double sum = both(both(chain[0], chain[1]), both(chain[2], chain[3]));
        return static_cast<uint64_t>(__double_as_longlong(sum));
    }
    __device__ __forceinline__ uint64_t last(uint64_t v, uint64_t) const
    {
        return usw_f64_number::narrow(__longlong_as_double(static_cast<long long>(v)));
    }
};

/* ---- the kernels' common part ---- */

template <typename K>
__device__ __forceinline__ usw_fold_vector<K> usw_fold_load(const usw_fold_args &a, uint64_t vector,
                                                            K neutral)
{
    constexpr unsigned per = 16 / sizeof(K);
    usw_fold_vector<K> x;
    const uint64_t first = vector * per, end = a.lead + a.n;
    if (first >= a.lead && first + per <= end) {
        x.q = __ldcs(static_cast<const uint4 *>(a.data) + vector);
        return x;
    }
#pragma unroll
    for (unsigned j = 0; j < per; j++) {
        const uint64_t i = first + j;
        x.v[j] = i >= a.lead && i < end ? static_cast<const K *>(a.data)[i] : neutral;
    }
    return x;
}

template <typename K> __device__ __forceinline__ uint64_t usw_fold_vectors(const usw_fold_args &a)
{
    return (a.lead + a.n + 16 / sizeof(K) - 1) / (16 / sizeof(K));
}

/* Calls f(vectors, number of the first, distance) for this thread's share. */
template <typename K, typename F>
__device__ __forceinline__ void usw_fold_share(const usw_fold_args &a, K neutral, F f)
{
    const uint64_t vectors = usw_fold_vectors<K>(a), whole_end = (a.lead + a.n) / (16 / sizeof(K));
    const uint64_t step = uint64_t(USW_FOLD_THREADS) * gridDim.x;
    uint64_t at = uint64_t(USW_FOLD_THREADS) * blockIdx.x + threadIdx.x;
    usw_fold_vector<K> x[USW_FOLD_AHEAD];
    for (; at < vectors; at += USW_FOLD_AHEAD * step) {
        if (at > 0 && at + (USW_FOLD_AHEAD - 1) * step < whole_end) {
#pragma unroll
            for (unsigned i = 0; i < USW_FOLD_AHEAD; i++) {
                x[i].q = __ldcs(static_cast<const uint4 *>(a.data) + at + i * step);
            }
        } else {
#pragma unroll
            for (unsigned i = 0; i < USW_FOLD_AHEAD; i++) {
                x[i] = usw_fold_load<K>(a, at + i * step, neutral);
            }
        }
        f(x, at, step);
    }
}

/* The lanes of a block meet at halving distance; thread 0 gets the result. */
template <typename J>
__device__ __forceinline__ usw_fold_part usw_fold_block(usw_fold_part mine, J join)
{
    USW_SHARED_ARRAY(usw_fold_part, lanes, [USW_FOLD_THREADS / 32]);
    auto meet = [&](unsigned lanes_left) {
        for (unsigned distance = lanes_left / 2; distance > 0; distance /= 2) {
            const uint64_t value = __shfl_down_sync(~0u, mine.value, distance);
            const uint64_t index = __shfl_down_sync(~0u, mine.index, distance);
            mine = join(mine, usw_fold_part{value, index});
        }
    };
    meet(32);
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        lanes[threadIdx.x / 32] = mine;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        mine = lanes[threadIdx.x % (USW_FOLD_THREADS / 32)];
        meet(USW_FOLD_THREADS / 32);
    }
    return mine;
}

/* Block results to memory; true for the last block, which then sees those of all blocks. */
__device__ __forceinline__ bool usw_fold_is_last(uint32_t *finished)
{
    USW_SHARED(uint32_t, before);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        before = atomicAdd(finished, 1u);
        __threadfence();
    }
    __syncthreads();
    if (before + 1 < gridDim.x) {
        return false;
    }
    *finished = 0;
    return true;
}

/* From each thread's part to that of all, in thread 0 of one block, for which this returns true. m:
 * one of `maps` folds that go side by side. */
template <typename J>
__device__ __forceinline__ bool usw_fold_all(const usw_fold_args &a, usw_fold_part neutral,
                                             usw_fold_part *mine, unsigned maps, J join)
{
    for (unsigned m = 0; m < maps; m++) {
        mine[m] = usw_fold_block(mine[m], join);
    }
    if (gridDim.x == 1) {
        return threadIdx.x == 0;
    }
    if (threadIdx.x == 0) {
        for (unsigned m = 0; m < maps; m++) {
            a.parts[uint64_t(maps) * blockIdx.x + m] = mine[m];
        }
    }
    if (!usw_fold_is_last(a.finished)) {
        return false;
    }
    for (unsigned m = 0; m < maps; m++) {
        usw_fold_part all = neutral;
        for (unsigned b = threadIdx.x; b < gridDim.x; b += USW_FOLD_THREADS) {
            const usw_fold_part *p = &a.parts[uint64_t(maps) * b + m];
            all =
                join(all, usw_fold_part{usw_load_relaxed(&p->value), usw_load_relaxed(&p->index)});
        }
        mine[m] = usw_fold_block(all, join);
    }
    return threadIdx.x == 0;
}

#endif
