/* select_tile.cuh - one tile of gpu/selection/select_ring.cuh in its buffer in shared memory: its
 * elements are marked, ranked, packed and written. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_SELECTION_SELECT_TILE_CUH
#define USW_GPU_SELECTION_SELECT_TILE_CUH

#include "gpu/carry/spine_ring.cuh"
#include "gpu/selection/split_tile.cuh"

enum usw_select_kind {
    USW_SELECT_FLAGGED, /* elements whose flag is set */
    USW_SELECT_SPLIT,   /* elements whose bit is 0, then the others; sums are counted before */
    USW_SELECT_HEADS,   /* keys that differ from the key before */
    USW_SELECT_RUNS,    /* the same keys, and the distance from each to the next; n < 2^32 */
};

/* Every number that may be tuned. */
constexpr struct {
    unsigned up, down;               /* warps that share each tile, upward and downward */
    unsigned bytes, bytes_flagged;   /* of a tile's elements */
    unsigned spines, spines_flagged; /* spine warps, at most USW_RING_SPINE_WARPS */
    unsigned tiles_least;            /* of a block, at least */
} usw_select_tuning = {8, 16, 32768, 16384, 2, 4, 3};
#ifdef USW_EMULATE /* so that tests of few elements go through many tiles and buffers */
enum : unsigned { USW_SELECT_TILE = 1024, USW_SELECT_BUFFERS = 3 };
#else
enum : unsigned {
    USW_SELECT_TILE = 0,
    USW_SELECT_BUFFERS = 16
}; /* tile: 0, by bytes; buffers: at most */
#endif

/* Whether keys are not equal by their bits or, as floating-point numbers, by what these say. */
template <bool numbers, typename K>
__device__ __forceinline__ bool usw_keys_differ(K a, K b, K infinity)
{
    constexpr K size = static_cast<K>(static_cast<K>(~K(0)) >> 1); /* all bits but the sign */
    const K x = static_cast<K>(a & size), y = static_cast<K>(b & size);
    return numbers ? a != b && (x | y) != 0 && (x <= infinity || y <= infinity) : a != b;
}

/* numbers: keys are compared as floating-point numbers. */
template <typename K, usw_select_kind what, bool number_keys = false> struct usw_select_shape {
    typedef K Key;
    static constexpr usw_select_kind kind = what;
    static constexpr bool numbers = number_keys;
    static constexpr bool heads = what == USW_SELECT_HEADS || what == USW_SELECT_RUNS,
                          runs = what == USW_SELECT_RUNS, split = what == USW_SELECT_SPLIT,
                          flagged = what == USW_SELECT_FLAGGED;
    static constexpr unsigned per = 16 / sizeof(K),
                              tile = USW_SELECT_TILE != 0
                                         ? +USW_SELECT_TILE
                                         : (flagged ? usw_select_tuning.bytes_flagged
                                                    : usw_select_tuning.bytes) /
                                               sizeof(K),
                              words = tile / 32;
    static constexpr unsigned up_words = words / usw_select_tuning.up; /* of a warp */
    static constexpr unsigned rows = words / usw_select_tuning.down;   /* of a warp, of 32 */
    static constexpr unsigned lane_words = words / 32;
    static_assert(up_words >= 1 && up_words <= 32 && rows >= 1 && rows <= 32 && lane_words >= 1,
                  "a lane for each of a warp's words");
};

/* The sum of a tile: how many elements are picked; of runs the upper half has the place of the last
 * head, counted from 1. */
template <bool runs> struct usw_select_sums {
    typedef uint64_t Acc;
    static constexpr bool exact = true;
    __device__ __forceinline__ Acc neutral() const
    {
        return 0;
    }
    __device__ __forceinline__ Acc join(Acc a, Acc b) const
    {
        const uint64_t low = 0xffffffff, x = a & ~low, y = b & ~low;
        return runs ? ((a + b) & low) | (x > y ? x : y) : a + b;
    }
};

/* A tile's place, and the gates that its steps pass. */
template <typename S> struct alignas(128) usw_select_buffer {
    typename S::Key keys[S::per + S::tile]; /* behind a vector of keys before the tile */
    uint32_t words[S::words];
    uint4 flags[S::flagged ? S::tile / 16 : 1];
    uint16_t starts[S::words]; /* how many elements are picked before each word */
    uint16_t
        lasts[S::runs ? S::words : 1]; /* the last head before each word, counted from 1, or 0 */
    unsigned ones, last;               /* of the tile: picked elements, last head */
    uint64_t carry;
    usw_ring_gates gates;
};

struct usw_select_args {
    const void *in;
    void *out;
    uint64_t n;
    unsigned buffers;
    const uint8_t *flags;
    const uint32_t *bits; /* of a split; both are counted before */
    const uint64_t *all_ones;
    uint64_t *count;   /* of picked elements, in a split of zeros; NULL: not wanted */
    uint64_t *lengths; /* of runs */
    uint64_t infinity; /* the bits of the type's, where keys are numbers */
    usw_ring_books books;
};

template <typename S>
__device__ __forceinline__ unsigned usw_select_there(const usw_select_args &a, uint64_t t)
{
    const uint64_t left = a.n - t * S::tile;
    return left < S::tile ? static_cast<unsigned>(left) : S::tile;
}

/* ---- marked and ranked ---- */

/* The bits of a warp's rows, one word a lane. */
template <typename S>
__device__ __forceinline__ uint32_t usw_select_heads(const usw_select_args &a,
                                                     const usw_select_buffer<S> &buffer, uint64_t t,
                                                     unsigned row, unsigned count)
{
    const unsigned lane = threadIdx.x % 32;
    const typename S::Key *x = buffer.keys + S::per + row * 32 + lane;
    const auto infinity = static_cast<typename S::Key>(a.infinity);
    uint32_t mine = 0;
#pragma unroll 8
    for (unsigned r = 0; r < S::up_words; r++) {
        const bool head = usw_keys_differ<S::numbers>(x[32 * r], *(x + 32 * r - 1), infinity);
        const uint32_t word = __ballot_sync(~0u, head);
        mine = lane == r ? word : mine;
    }
    const unsigned at = (row + lane) * 32;
    mine |= t == 0 && at == 0 ? 1 : 0;
    return count >= at + 32 ? mine : count > at ? mine & ((1u << (count - at)) - 1) : 0;
}

/* From the words to the sums before each word; the last lane's sums are the tile's. */
template <typename S> __device__ __forceinline__ void usw_select_rank(usw_select_buffer<S> &buffer)
{
    const unsigned lane = threadIdx.x % 32, first = lane * S::lane_words;
    uint32_t word[S::lane_words];
    unsigned sum = 0, last = 0;
#pragma unroll
    for (unsigned j = 0; j < S::lane_words; j++) {
        word[j] = buffer.words[first + j];
        sum += static_cast<unsigned>(__popc(word[j]));
        last = word[j] != 0 ? (first + j) * 32 + 32 - __clz(static_cast<int>(word[j])) : last;
    }
    unsigned all = sum, all_last = last;
#pragma unroll
    for (unsigned d = 1; d < 32; d *= 2) {
        const unsigned left = __shfl_up_sync(~0u, all, d);
        all += lane >= d ? left : 0;
        if (S::runs) {
            const unsigned left_last = __shfl_up_sync(~0u, all_last, d);
            all_last = lane >= d && left_last > all_last ? left_last : all_last;
        }
    }
    unsigned before = all - sum, before_last = __shfl_up_sync(~0u, all_last, 1);
    before_last = lane == 0 ? 0 : before_last;
#pragma unroll
    for (unsigned j = 0; j < S::lane_words; j++) {
        buffer.starts[first + j] = static_cast<uint16_t>(before);
        before += static_cast<unsigned>(__popc(word[j]));
        if (S::runs) {
            buffer.lasts[first + j] = static_cast<uint16_t>(before_last);
            before_last = word[j] != 0 ? (first + j) * 32 + 32 - __clz(static_cast<int>(word[j]))
                                       : before_last;
        }
    }
    if (lane == 31) {
        buffer.ones = all;
        buffer.last = all_last;
    }
    __syncwarp();
}

/* ---- a warp's rows of a tile, downward ---- */

/* A warp writes value(i) to `to` for each i < count, by whole lines of memory where these are
 * whole. */
template <typename T, typename V>
__device__ __forceinline__ void usw_select_put(T *to, unsigned count, V value)
{
    const unsigned skew = static_cast<unsigned>(reinterpret_cast<uintptr_t>(to) / sizeof(T) % 32);
#pragma unroll 4
    for (unsigned i = threadIdx.x % 32; i < count + skew; i += 32) {
        if (i >= skew) {
            to[i - skew] = value(i - skew);
        }
    }
}

/* Neighbouring rows' bits and ranks, read together by all lanes. */
template <unsigned rows> struct alignas(4 * rows) usw_select_words {
    uint32_t v[rows];
};
template <unsigned rows> struct alignas(2 * rows) usw_select_starts {
    uint16_t v[rows];
};

/* A warp's rows of tile t, and the places where their elements go. */
template <typename S> struct usw_select_rows {
    typedef typename S::Key K;
    static constexpr unsigned together = S::rows % 4 == 0 ? 4 : S::rows % 2 == 0 ? 2 : 1;
    const usw_select_words<together> *words;
    const usw_select_starts<together> *starts;
    unsigned base;        /* how many are picked in the tile before the first row */
    unsigned ones, there; /* of the rows: elements picked, and all elements */
    uint64_t from, to;    /* the first element's position, and the rank of the first one picked */

    __device__ __forceinline__ usw_select_rows(const usw_select_args &a,
                                               const usw_select_buffer<S> &buffer, uint64_t t,
                                               unsigned warp)
    {
        const unsigned row = warp * S::rows, begin = row * 32;
        const unsigned count = usw_select_there<S>(a, t), most = 32 * S::rows;
        words = reinterpret_cast<const usw_select_words<together> *>(buffer.words + row);
        starts = reinterpret_cast<const usw_select_starts<together> *>(buffer.starts + row);
        base = buffer.starts[row];
        ones =
            (warp + 1 < usw_select_tuning.down ? buffer.starts[row + S::rows] : buffer.ones) - base;
        there = count < begin ? 0 : count - begin < most ? count - begin : most;
        from = t * S::tile + begin;
        to = (S::runs ? buffer.carry & 0xffffffff : buffer.carry) + base;
    }
    /* value(r) of the elements picked to `picked` side by side, and of the others to `rest`. */
    template <typename T, typename V>
    __device__ __forceinline__ void pack(T *picked, T *rest, V value) const
    {
        const unsigned lane = threadIdx.x % 32, below = (1u << lane) - 1;
#pragma unroll
        for (unsigned i = 0; i < S::rows / together; i++) {
            const usw_select_words<together> word = words[i];
            const usw_select_starts<together> start = starts[i];
#pragma unroll
            for (unsigned j = 0; j < together; j++) {
                const unsigned r = i * together + j, at = 32 * r + lane;
                const unsigned rank =
                    start.v[j] - base + static_cast<unsigned>(__popc(word.v[j] & below));
                const bool one = (word.v[j] >> lane & 1) != 0;
                if (one || (S::split && at < there)) {
                    *(one ? picked + rank : rest + (at - rank)) = value(r);
                }
            }
        }
        __syncwarp();
    }
    /* Writes the lengths of the runs that end before each head; x: the rows' part of the buffer,
     * which is free. */
    __device__ __forceinline__ void lengths(const usw_select_args &a,
                                            const usw_select_buffer<S> &buffer, uint64_t t,
                                            unsigned warp, K *x) const
    {
        const unsigned lane = threadIdx.x % 32, last = buffer.lasts[S::runs ? warp * S::rows : 0];
        const uint64_t before = last != 0 ? t * S::tile + last - 1 : (buffer.carry >> 32) - 1;
        uint16_t *places = reinterpret_cast<uint16_t *>(x);
        __syncwarp();
        pack(places, places, [&](unsigned r) { return static_cast<uint16_t>(32 * r + lane); });
        uint64_t *out = a.lengths + to;
        const unsigned first = to == 0 ? 1 : 0; /* no run ends before the first head */
        usw_select_put(out + first - 1, ones < first ? 0 : ones - first, [&](unsigned i) {
            const unsigned j = i + first;
            return j == 0 ? from + places[0] - before
                          : static_cast<uint64_t>(places[j] - places[j - 1]);
        });
    }
};

/* Writes a warp's rows. zeros: of the whole array, in a split. */
template <typename S>
__device__ __forceinline__ void usw_select_stretch(const usw_select_args &a,
                                                   usw_select_buffer<S> &buffer, uint64_t t,
                                                   unsigned warp, uint64_t zeros)
{
    typedef typename S::Key K;
    const unsigned lane = threadIdx.x % 32;
    const usw_select_rows<S> mine(a, buffer, t, warp);
    const bool stays = a.in == a.out && mine.to == mine.from && mine.ones == mine.there;
    if (!S::split && (mine.ones == 0 || (stays && !S::runs))) {
        return;
    }
    K *x = buffer.keys + S::per + warp * S::rows * 32, *out = static_cast<K *>(a.out);
    K v[S::rows];
#pragma unroll
    for (unsigned r = 0; r < S::rows; r++) {
        v[r] = x[32 * r + lane];
    }
    __syncwarp();
    const unsigned rest = S::split ? mine.there - mine.ones : 0;
    mine.pack(x + rest, x, [&](unsigned r) { return v[r]; });
    if (S::split) {
        usw_select_put(out + (mine.from - mine.to), rest, [&](unsigned i) { return x[i]; });
    }
    usw_select_put(out + zeros + mine.to, mine.ones, [&](unsigned i) { return x[rest + i]; });
    if constexpr (S::runs) {
        mine.lengths(a, buffer, t, warp, x);
    }
}

/* One thread, at the last tile, writes the results that are single numbers. */
template <typename S>
__device__ __forceinline__ void usw_select_finish(const usw_select_args &a,
                                                  const usw_select_buffer<S> &buffer, uint64_t t)
{
    const uint64_t carry = S::runs ? buffer.carry & 0xffffffff : buffer.carry,
                   all = carry + buffer.ones;
    if (a.count != nullptr) {
        *a.count = S::split ? a.n - all : all;
    }
    if (S::runs) {
        const uint64_t last = buffer.last != 0 ? t * S::tile + buffer.last : buffer.carry >> 32;
        a.lengths[all - 1] = a.n - (last - 1);
    }
}

#endif
