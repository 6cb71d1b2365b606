/* 7_write_counts.cuh - step 7 of the bucket sort: keys written by the counts of values. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_BUCKET_SORT_7_WRITE_COUNTS_CUH
#define USW_GPU_BUCKET_SORT_7_WRITE_COUNTS_CUH

#include "gpu/bucket_sort/2_count.cuh"

/* Keys written by counts: value b, from position begins[b] on, is the key base | b << lo. */
template <typename K> struct hybrid_filling {
    K *keys;
    const unsigned long long *begins;
    unsigned values, lo;
    K base;
    __device__ __forceinline__ K key(unsigned b) const
    {
        return static_cast<K>(base + static_cast<K>(K(b) << lo));
    }
};

/* Finds for each of V positions at + p[j] the last of the rising begins[lo .. hi] that is not
 * above. The loads of all V searches overlap. */
template <unsigned V>
__device__ __forceinline__ void hybrid_buckets_at(const unsigned long long *begins, unsigned lo,
                                                  unsigned hi, unsigned long long at,
                                                  const unsigned (&p)[V], unsigned (&b)[V])
{
#pragma unroll
    for (unsigned j = 0; j < V; j++) {
        b[j] = lo;
    }
    if (lo == hi) {
        return;
    }
    for (unsigned step = 1u << (31 - __clz(static_cast<int>(hi - lo))); step > 0; step /= 2) {
#pragma unroll
        for (unsigned j = 0; j < V; j++) {
            const unsigned next = b[j] + step;
            b[j] = next <= hi && begins[next] <= at + p[j] ? next : b[j];
        }
    }
}

/* The last of the rising begins, `values` in number, that is p or less. A warp calls. */
__device__ __forceinline__ unsigned hybrid_bucket_of(const unsigned long long *begins,
                                                     unsigned values, unsigned long long p)
{
    const unsigned lane = threadIdx.x % 32;
    unsigned at = 0;
    while (values > 1) {
        const unsigned step = (values + 31) / 32, off = lane * step;
        const unsigned k = __popc(__ballot_sync(~0u, off < values && begins[at + off] <= p)) - 1;
        at += k * step;
        values = values - k * step < step ? values - k * step : step;
    }
    return at;
}

/* The number of the first `count` lanes, fewer than 32, whose `rising` is p or less, by a warp. */
__device__ __forceinline__ unsigned hybrid_lanes_at(unsigned rising, unsigned count, unsigned p)
{
    unsigned k = 0;
#pragma unroll
    for (unsigned step = 16; step > 0; step /= 2) {
        const unsigned v = __shfl_sync(~0u, rising, static_cast<int>(k + step - 1));
        k += k + step <= count && v <= p ? step : 0;
    }
    return k;
}

/* Writes the keys [from, to) of a vector, as a whole vector if these are all. */
template <typename K>
__device__ __forceinline__ void hybrid_fill_vector(K *keys, const hybrid_vector<K> &v,
                                                   unsigned from, unsigned to)
{
    if (from == 0 && to == hybrid_vector<K>::keys) {
        *reinterpret_cast<uint4 *>(keys) = v.v;
        return;
    }
#pragma unroll
    for (unsigned j = 0; j < hybrid_vector<K>::keys; j++) {
        if (j >= from && j < to) {
            keys[j] = v.k[j];
        }
    }
}

/* A warp's marks, for `keys` keys that it writes at a time: where a value begins, how far it is
 * behind the first key's value; elsewhere 0. */
template <typename K> struct hybrid_fill_marks {
    static constexpr unsigned keys = 1024 / sizeof(K), most = 4096;
    uint4 words[keys / 8];
    __device__ __forceinline__ unsigned at(unsigned p) const
    {
        return reinterpret_cast<const uint16_t *>(words)[p];
    }
    /* Marks values lo + 1 to hi, fewer than `most`, that begin at positions from `at` on. The last
     * may begin behind `length` keys, `keys` at most. Of values that begin at one place only the
     * last has keys. A warp calls. */
    __device__ __forceinline__ void set(const unsigned long long *begins, unsigned long long at,
                                        unsigned length, unsigned lo, unsigned hi)
    {
        __syncwarp();
        for (unsigned w = threadIdx.x % 32; w < keys / 8; w += 32) {
            words[w] = make_uint4(0, 0, 0, 0);
        }
        __syncwarp();
#pragma unroll 4
        for (unsigned i = 1 + threadIdx.x % 32; i <= hi - lo; i += 32) {
            const unsigned b = lo + i;
            const unsigned long long begin = begins[b];
            if ((b == hi || begins[b + 1] != begin) && begin - at < length) {
                reinterpret_cast<uint16_t *>(words)[begin - at] = static_cast<uint16_t>(i);
            }
        }
        __syncwarp();
    }
};

/* Finds the values of a warp's keys from the marks: b[j] is that of position p[j], V positions a
 * lane in order. before: the value before the first position, then that of the last. A lane's first
 * positions may be equal, and its last may lie behind the end. */
template <typename K, unsigned V>
__device__ __forceinline__ void hybrid_spread_marks(const hybrid_fill_marks<K> &marks, unsigned lo,
                                                    unsigned length, const unsigned (&p)[V],
                                                    unsigned (&b)[V], unsigned &before)
{
    unsigned top = 0;
#pragma unroll
    for (unsigned j = 0; j < V; j++) {
        const unsigned mark = p[j] < length ? marks.at(p[j]) : 0;
        top = mark > top ? mark : top;
        b[j] = top;
    }
    for (unsigned o = 1; o < 32; o <<= 1) {
        const unsigned up = __shfl_up_sync(~0u, top, o);
        top = threadIdx.x % 32 >= o && up > top ? up : top;
    }
    const unsigned left = __shfl_up_sync(~0u, top, 1);
    const unsigned least = threadIdx.x % 32 != 0 && left > before ? left : before;
#pragma unroll
    for (unsigned j = 0; j < V; j++) {
        b[j] = lo + (b[j] > least ? b[j] : least);
    }
    const unsigned last = __shfl_sync(~0u, top, 31);
    before = last > before ? last : before;
}

/* Finds the values of positions p by a search for each. */
template <unsigned V>
__device__ __forceinline__ void hybrid_search_values(const unsigned long long *begins, unsigned lo,
                                                     unsigned hi, unsigned long long at,
                                                     const unsigned (&p)[V], unsigned (&b)[V])
{
    const unsigned ends[2] = {p[0], p[V - 1]};
    unsigned found[2];
    hybrid_buckets_at<2>(begins, lo, hi, at, ends, found);
    hybrid_buckets_at<V>(begins, found[0], found[1], at, p, b);
}

/* Where the vectors of 16 bytes of a stretch of keys lie; the first and last may be partial. */
template <typename K> struct hybrid_fill_vectors {
    static constexpr unsigned V = 16 / sizeof(K);
    K *keys; /* first key */
    unsigned length, skew;
    __device__ __forceinline__ hybrid_fill_vectors(K *from, unsigned number)
        : keys(from), length(number),
          skew(static_cast<unsigned>(reinterpret_cast<uintptr_t>(from) / sizeof(K)) % V)
    {
    }
    __device__ __forceinline__ unsigned place(unsigned q) const
    {
        return q > skew ? q - skew : 0;
    }
    __device__ __forceinline__ void write(unsigned q, const hybrid_vector<K> &v) const
    {
        if (q < length + skew) {
            const unsigned left = length + skew - q;
            hybrid_fill_vector(keys + q - skew, v, q < skew ? skew : 0, left < V ? left : V);
        }
    }
    /* Writes the keys of values b. */
    template <typename F>
    __device__ __forceinline__ void write(unsigned q, const F &f, const usw_gpu_keymap<K> &map,
                                          const unsigned (&b)[V]) const
    {
        hybrid_vector<K> v;
#pragma unroll
        for (unsigned j = 0; j < V; j++) {
            v.k[j] = map.unmap(f.key(b[j]));
        }
        write(q, v);
    }
};

/* Writes `length` keys from position `at` on, no more than the marks hold. lo: the value of the
 * first key, hi: of the last. F: as hybrid_filling. */
template <typename K, typename F>
__device__ __noinline__ void hybrid_fill_dense(const F &f, usw_gpu_keymap<K> map,
                                               hybrid_fill_marks<K> &marks, unsigned long long at,
                                               unsigned length, unsigned lo, unsigned hi)
{
    constexpr unsigned V = 16 / sizeof(K);
    const hybrid_fill_vectors<K> to(f.keys + at, length);
    const bool marked = hi - lo < marks.most;
    unsigned before = 0;
    if (marked) {
        marks.set(f.begins, at, length, lo, hi);
    }
    for (unsigned q0 = 0; q0 < length + to.skew; q0 += 32 * V) {
        const unsigned q = q0 + threadIdx.x % 32 * V;
        unsigned p[V], b[V];
#pragma unroll
        for (unsigned j = 0; j < V; j++) {
            p[j] = to.place(q + j);
        }
        if (marked) {
            hybrid_spread_marks<K, V>(marks, lo, length, p, b, before);
        } else {
            hybrid_search_values<V>(f.begins, lo, hi, at, p, b);
        }
        to.write(q, f, map, b);
    }
}

/* Writes the keys where fewer than 32 values begin behind lo. upcoming: their number; next: their
 * begins. */
template <typename K, typename F>
__device__ __forceinline__ void hybrid_fill_some(const F &f, const usw_gpu_keymap<K> &map,
                                                 unsigned long long at, unsigned length,
                                                 unsigned lo, unsigned upcoming, unsigned next)
{
    constexpr unsigned V = 16 / sizeof(K);
    const hybrid_fill_vectors<K> to(f.keys + at, length);
    for (unsigned q0 = 0; q0 < length + to.skew; q0 += 32 * V) {
        const unsigned q = q0 + threadIdx.x % 32 * V;
        unsigned b = lo, behind = lo;
        if (upcoming != 0) {
            b += hybrid_lanes_at(next, upcoming, to.place(q));
            behind += hybrid_lanes_at(next, upcoming, to.place(q + V - 1));
        }
        const bool some = __any_sync(~0u, b != behind);
        K key = map.unmap(f.key(b));
        hybrid_vector<K> v;
#pragma unroll
        for (unsigned j = 0; j < V; j++) {
            if (j > 0 && some) {
                key = map.unmap(f.key(lo + hybrid_lanes_at(next, upcoming, to.place(q + j))));
            }
            v.k[j] = key;
        }
        to.write(q, v);
    }
}

/* Writes the keys at positions [at, end), some at a time. A warp calls, or none if at == end. */
template <typename K, typename F>
__device__ __forceinline__ void hybrid_fill_stretch(const F &f, const usw_gpu_keymap<K> &map,
                                                    hybrid_fill_marks<K> &marks,
                                                    unsigned long long at, unsigned long long end)
{
    constexpr unsigned some = hybrid_fill_marks<K>::keys;
    const unsigned lane = threadIdx.x % 32;
    unsigned lo = hybrid_bucket_of(f.begins, f.values, at);
    while (at < end) {
        const unsigned length = end - at < some ? static_cast<unsigned>(end - at) : some;
        /* Where the next values begin: most often no others matter. */
        unsigned next = ~0u;
        if (lo + 1 + lane < f.values && f.begins[lo + 1 + lane] - at < length) {
            next = static_cast<unsigned>(f.begins[lo + 1 + lane] - at);
        }
        const unsigned upcoming = __popc(__ballot_sync(~0u, next != ~0u));
        const unsigned hi =
            upcoming < 32 ? lo + upcoming : hybrid_bucket_of(f.begins, f.values, at + length - 1);
        if (upcoming < 32) {
            hybrid_fill_some(f, map, at, length, lo, upcoming, next);
        } else {
            hybrid_fill_dense(f, map, marks, at, length, lo, hi);
        }
        at += length;
        /* A value that begins at the new `at` is the last of the values found here. */
        lo = hi;
    }
}

/* Writes the keys [at, end), a stretch for each warp of a block of NT threads. */
template <int NT, typename K, typename F>
__device__ __forceinline__ void hybrid_fill_block(const F &f, const usw_gpu_keymap<K> &map,
                                                  unsigned long long at, unsigned long long end)
{
    USW_SHARED_ARRAY(hybrid_fill_marks<K>, marks, [NT / 32]);
    const unsigned long long share = ((end - at) / (NT / 32) / 128 + 1) * 128;
    const unsigned long long from = at + threadIdx.x / 32 * share;
    if (from < end) {
        hybrid_fill_stretch(f, map, marks[threadIdx.x / 32], from,
                            end - from < share ? end : from + share);
    }
}

/* ---- keys of 16 bits, not very many ---- */

/* A warp writes this many keys and beginnings of values, in the order of positions and, at one
 * position, beginnings before keys. So no warp has more work than others, neither where nearly all
 * values have no keys nor where one value has nearly all. With the gaps of a first and a last
 * vector these are two vectors for each lane. */
static constexpr unsigned HYBRID_FILL_SHARE = 504;

/* The number of beginnings among the first `mine` keys and beginnings. A warp calls, with one
 * `mine` for its lower half and one for its upper half, and each half gets its result. */
static __device__ __forceinline__ unsigned
hybrid_beginnings(const unsigned long long *begins, unsigned values, unsigned long long mine)
{
    const unsigned lane = threadIdx.x % 16;
    unsigned at = 0;
    for (unsigned step = values / 16; step > 0; step /= 16) {
        const unsigned b = at + lane * step + step - 1;
        const unsigned found = __ballot_sync(~0u, b < values && begins[b] + b < mine);
        at += step * static_cast<unsigned>(__popc(found >> (threadIdx.x & 16) & 0xffff));
    }
    return at;
}

/* Writes keys of 16 bits by warps with equal shares. f.values: a power of 16. copies: keys in order
 * are written, too, since those that were read are in another array. */
template <typename K>
__global__ __launch_bounds__(256, 8) void hybrid_fill_shares(hybrid_filling<K> f,
                                                             unsigned long long n,
                                                             usw_gpu_keymap<K> map,
                                                             const hybrid_plan *plan, bool copies)
{
    USW_SHARED_ARRAY(hybrid_fill_marks<K>, marks, [8]);
    constexpr unsigned V = 16 / sizeof(K), share = HYBRID_FILL_SHARE;
    usw_chained();
    const unsigned warp = threadIdx.x / 32;
    const unsigned long long all = n + f.values, from = (blockIdx.x * 8ull + warp) * share;
    if ((plan->falls == 0 && !copies) || from >= all) {
        return;
    }
    const unsigned long long end = all - from < share ? all : from + share;
    const unsigned found =
        hybrid_beginnings(f.begins, f.values, threadIdx.x % 32 < 16 ? from : end);
    const unsigned first = __shfl_sync(~0u, found, 0), next = __shfl_sync(~0u, found, 16);
    const unsigned length = static_cast<unsigned>(end - from) - (next - first);
    const unsigned lo = first - 1; /* the value of the keys before the first beginning */
    const unsigned long long at = from - first;
    const hybrid_fill_vectors<K> to(f.keys + at, length);
    unsigned before = 0;
    if (first != next) {
        marks[warp].set(f.begins, at, length, lo, next - 1);
    }
    for (unsigned q0 = 0; q0 < length + to.skew; q0 += 32 * V) {
        const unsigned q = q0 + threadIdx.x % 32 * V;
        unsigned p[V], b[V];
#pragma unroll
        for (unsigned j = 0; j < V; j++) {
            p[j] = to.place(q + j);
            b[j] = lo;
        }
        if (first != next) {
            hybrid_spread_marks<K, V>(marks[warp], lo, length, p, b, before);
        }
        to.write(q, f, map, b);
    }
}

/* ---- the kernel ---- */

/* Keys of 8 and 16 bits: a block of 256 threads writes a stretch. */
template <typename K>
__global__ __launch_bounds__(256) void hybrid_fill(hybrid_filling<K> f, unsigned long long n,
                                                   unsigned stretch, usw_gpu_keymap<K> map,
                                                   const hybrid_plan *plan, bool copies)
{
    usw_chained();
    if (plan->falls != 0 || copies) {
        unsigned long long at = static_cast<unsigned long long>(blockIdx.x) * stretch;
        hybrid_fill_block<256>(f, map, at, n - at < stretch ? n : at + stretch);
    }
}

#endif
