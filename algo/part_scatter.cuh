/* part_scatter.cuh - one pass of a radix sort on a GPU: every key to its digit's next place.
 *
 * Steps of a tile
 *   load     keys, and values if any, go to shared memory as they are; nothing moves there again.
 *   rank     each warp counts its stretch of the tile by atomic additions on counters of its own;
 *            what an addition returns is the key's rank among its warp's keys of that digit.
 *   start    the counts, scanned over warps and digits, say where in the tile each warp's keys of a
 *            digit begin. The tile's counts are published.
 *   place    order[rank] = the key's position in the tile (16 bits).
 *   look     back, for the sum of the counts of all tiles before (part_onesweep.cuh).
 *   write    keys and values leave in the order of `order`, so in runs.
 *
 * Stable   needs that lanes of one warp that add to one counter at once are served in the order of
 *          lanes. The hardware at hand does so, but nothing promises it. So write checks that
 *          (digit, position) rises all along, and where it does not, the tile is ranked again by
 *          votes (which takes five times as long) and written again. A warp that finds many equal
 *          digits in its first keys takes votes at once: equal addresses are served one by one.
 */
#ifndef USW_PART_SCATTER_CUH
#define USW_PART_SCATTER_CUH

#include "part_onesweep.cuh"
#include "part_rank.cuh"

/* ---- tuning ---- */

template <unsigned Items, unsigned Blocks, unsigned Threads = 512> struct usw_radix_shape {
    static constexpr unsigned threads = Threads, warps = Threads / 32;
    static constexpr unsigned blocks = Blocks; /* a multiprocessor */
    static constexpr unsigned items = Items, tile = Threads * Items;
    static constexpr unsigned window = 4;      /* tiles that a look-back reads at a time */
    static constexpr unsigned votes_from = 12; /* equal digits among a warp's 32 */
};
template <typename K, unsigned value_bytes> struct usw_radix_tuning {
#ifdef USW_RADIX_SMALL /* the tests' tiles */
    using shape = usw_radix_shape<2, 1, 256>;
#else
    using shape = usw_radix_shape<sizeof(K) + value_bytes <= 4    ? 20
                                  : sizeof(K) + value_bytes <= 8  ? 14
                                  : sizeof(K) + value_bytes <= 12 ? 10
                                                                  : 8,
                                  2>;
#endif
};

template <typename K> struct usw_radix_pass_args {
    /* Pass 0 reads in; the last writes out; between them out and tmp take turns. */
    const K *keys_in;
    K *keys_out, *keys_tmp;
    const void *values_in; /* NULL: value i is i */
    void *values_out, *values_tmp;
    size_t n;
    bool last_in_tmp; /* an odd number of passes ends in tmp: out is in */
    bool drop_keys;   /* the last pass writes values only */
    usw_gpu_keymap<K> map;
    usw_radix_bits bits;
    usw_radix_control *control;
    unsigned long long *ring;
    unsigned ring_tiles, wait_tiles; /* a power of two; the blocks of a pass */
};

/* ---- look-back words ---- */

enum { LOOK_COUNT = 1, LOOK_SUM = 2 };
__device__ __forceinline__ unsigned long long look_word(unsigned flag, unsigned epoch,
                                                        unsigned long long number)
{
    return static_cast<unsigned long long>(flag) << 62 |
           static_cast<unsigned long long>(epoch & 0x3fffff) << 40 | number;
}
/* The word's flag if it is of this epoch, else 0. */
__device__ __forceinline__ unsigned look_flag(unsigned long long word, unsigned epoch)
{
    return (static_cast<unsigned>(word >> 40) & 0x3fffff) == (epoch & 0x3fffff)
               ? static_cast<unsigned>(word >> 62)
               : 0;
}
__device__ __forceinline__ unsigned long long look_number(unsigned long long word)
{
    return word & ((1ull << 40) - 1);
}

/* Where a tile's words are. base: the pass's first epoch. */
struct look_ring {
    unsigned long long *words;
    unsigned tiles, base;
    __device__ __forceinline__ unsigned long long *at(size_t tile, unsigned digit) const
    {
        return words + (tile & (tiles - 1)) * 256 + digit;
    }
    __device__ __forceinline__ unsigned epoch(size_t tile) const
    {
        return base + static_cast<unsigned>(tile / tiles);
    }
    __device__ __forceinline__ void tell(size_t tile, unsigned digit, unsigned flag,
                                         unsigned long long number) const
    {
        usw_store_relaxed(at(tile, digit), look_word(flag, epoch(tile), number));
    }
    /* Until the words that tile overwrites are wanted by nobody (part_onesweep.cuh). */
    __device__ __forceinline__ void wait(size_t tile, unsigned distance, unsigned digit) const
    {
        if (tile >= distance) {
            size_t before = tile - distance;
            while (look_flag(usw_load_relaxed(at(before, digit)), epoch(before)) != LOOK_SUM) {
                usw_yield();
            }
        }
    }
};

/* The sum of a digit's counts over all tiles before `tile`. */
template <unsigned window>
__device__ __forceinline__ unsigned long long look_back(const look_ring &ring, size_t tile,
                                                        unsigned digit)
{
    unsigned long long sum = 0, word[window];
    size_t from = tile; /* tiles from here on are in sum */
    while (from != 0) {
#pragma unroll
        for (unsigned i = 0; i < window; i++) {
            word[i] = from > i ? usw_load_relaxed(ring.at(from - 1 - i, digit)) : 0;
        }
#pragma unroll
        for (unsigned i = 0; i < window; i++) {
            if (from == 0) {
                break;
            }
            unsigned flag = look_flag(word[i], ring.epoch(from - 1));
            if (flag == 0) {
                break;
            }
            sum += look_number(word[i]);
            from = flag == LOOK_SUM ? 0 : from - 1;
        }
    }
    return sum;
}

/* ---- global to shared without registers ---- */

template <typename T> __device__ __forceinline__ void copy_async(T *to, const T *from)
{
#ifdef USW_EMULATE
    *to = *from;
#else
    if constexpr (sizeof(T) >= 4) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;"
                     :
                     : "r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), "l"(from),
                       "n"(sizeof(T))
                     : "memory");
    } else {
        *to = *from;
    }
#endif
}
__device__ __forceinline__ void copy_async_wait()
{
#ifndef USW_EMULATE
    asm volatile("cp.async.wait_all;" : : : "memory");
#endif
}

/* ---- the pass ---- */

template <typename K, unsigned value_bytes, typename Shape> struct scatter_block {
    using V = typename usw_value_of<value_bytes>::type;
    /* Shared memory. */
    K *key;
    V *value;
    uint16_t *order;
    unsigned *counters;
    long long *go; /* of a digit: global index minus index in the tile */
    uint16_t *digit_start;
    unsigned *warp_sums;
    /* This pass. */
    const K *keys_in;
    K *keys_out;
    const V *values_in;
    V *values_out;
    usw_gpu_keymap<K> map;
    bool first, last;
    unsigned shift, mask;
    /* This tile. */
    size_t begin;
    unsigned count;

    static constexpr size_t shared_bytes()
    {
        return Shape::tile * (sizeof(K) + value_bytes + 2) + Shape::warps * 512 + 256 * 8 + 520 +
               64;
    }
    __device__ __forceinline__ void carve(unsigned char *at)
    {
        go = reinterpret_cast<long long *>(at);
        at += 256 * 8;
        key = reinterpret_cast<K *>(at);
        if constexpr (sizeof(K) < 8 && value_bytes == 8) { /* the wider first */
            value = reinterpret_cast<V *>(at);
            key = reinterpret_cast<K *>(at + Shape::tile * 8);
        } else {
            value = reinterpret_cast<V *>(at + Shape::tile * sizeof(K));
        }
        at += Shape::tile * (sizeof(K) + value_bytes);
        counters = reinterpret_cast<unsigned *>(at);
        at += Shape::warps * 512;
        warp_sums = reinterpret_cast<unsigned *>(at);
        at += 64;
        order = reinterpret_cast<uint16_t *>(at);
        digit_start = order + Shape::tile;
    }
    __device__ __forceinline__ unsigned digit_of(K k) const
    {
        return static_cast<unsigned>(k >> shift) & mask;
    }

    /* Keys beyond the end have the greatest digit, so they are last in the tile. */
    __device__ __forceinline__ void load()
    {
        unsigned at = threadIdx.x / 32 * (32 * Shape::items) + threadIdx.x % 32;
        if constexpr (value_bytes != 0) {
            if (values_in == nullptr) {
#pragma unroll
                for (unsigned i = 0; i < Shape::items; i++) {
                    value[at + 32 * i] = static_cast<V>(begin + at + 32 * i);
                }
            } else {
#pragma unroll
                for (unsigned i = 0; i < Shape::items; i++) {
                    if (at + 32 * i < count) {
                        copy_async(&value[at + 32 * i], &values_in[begin + at + 32 * i]);
                    }
                }
            }
        }
        K k[Shape::items];
#pragma unroll
        for (unsigned i = 0; i < Shape::items; i++) {
            k[i] = at + 32 * i < count ? keys_in[begin + at + 32 * i] : 0;
        }
#pragma unroll
        for (unsigned i = 0; i < Shape::items; i++) {
            K mapped = first ? map.map(k[i]) : k[i];
            key[at + 32 * i] = at + 32 * i < count ? mapped : static_cast<K>(~K(0));
        }
    }
    __device__ __forceinline__ void rank(unsigned (&ranks)[(Shape::items + 1) / 2])
    {
        unsigned warp = threadIdx.x / 32, at = warp * (32 * Shape::items) + threadIdx.x % 32;
        unsigned *mine = counters + warp * 128;
        bool votes = warp_takes_votes(digit_of(key[at]), Shape::votes_from);
#pragma unroll
        for (unsigned i = 0; i < Shape::items; i++) {
            unsigned digit = digit_of(key[at + 32 * i]), r;
            if (votes) {
                r = count_digit_by_votes(reinterpret_cast<uint16_t *>(mine), digit);
            } else {
                r = count_digit(mine, digit);
                __syncwarp();
            }
            ranks[i / 2] = i % 2 == 0 ? r : ranks[i / 2] | r << 16;
        }
    }
    __device__ __forceinline__ void place(const unsigned (&ranks)[(Shape::items + 1) / 2])
    {
        unsigned warp = threadIdx.x / 32, at = warp * (32 * Shape::items) + threadIdx.x % 32;
        const uint16_t *mine = reinterpret_cast<const uint16_t *>(counters) + warp * 256;
#pragma unroll
        for (unsigned i = 0; i < Shape::items; i++) {
            unsigned digit = digit_of(key[at + 32 * i]);
            order[mine[digit] + (ranks[i / 2] >> (i % 2 * 16) & 0xffff)] =
                static_cast<uint16_t>(at + 32 * i);
        }
    }
    /* place, by votes, which turn the counters from begins into ends. */
    __device__ __forceinline__ void place_by_votes()
    {
        unsigned warp = threadIdx.x / 32, at = warp * (32 * Shape::items) + threadIdx.x % 32;
        uint16_t *mine = reinterpret_cast<uint16_t *>(counters) + warp * 256;
        for (unsigned i = 0; i < Shape::items; i++) {
            order[count_digit_by_votes(mine, digit_of(key[at + 32 * i]))] =
                static_cast<uint16_t>(at + 32 * i);
        }
    }
    /* Whether some key is out of order. */
    __device__ __forceinline__ bool write()
    {
        unsigned lane = threadIdx.x % 32, wrong = 0;
#pragma unroll 4
        for (unsigned i = 0; i < Shape::items; i++) {
            unsigned j = i * Shape::threads + threadIdx.x;
            unsigned p = order[j];
            K k = key[p];
            unsigned digit = digit_of(k), seen = digit << 16 | p;
            unsigned next = __shfl_down_sync(~0u, seen, 1);
            wrong |= lane != 31 && next <= seen;
            if (lane == 31 && j + 1 < Shape::tile) { /* the pair across warps */
                unsigned q = order[j + 1];
                wrong |= (digit_of(key[q]) << 16 | q) <= seen;
            }
            if (j < count) {
                size_t to = static_cast<size_t>(go[digit] + j);
                if (keys_out != nullptr) {
                    keys_out[to] = last ? map.unmap(k) : k;
                }
                if constexpr (value_bytes != 0) {
                    values_out[to] = value[p];
                }
            }
        }
        return wrong != 0;
    }
};

/* Fills in what is the same for all tiles of this pass; the number of the pass's digit. */
template <typename K, unsigned value_bytes, typename Shape>
__device__ __forceinline__ unsigned begin_pass(scatter_block<K, value_bytes, Shape> &b,
                                               const usw_radix_pass_args<K> &a, unsigned pass,
                                               unsigned passes)
{
    using V = typename usw_value_of<value_bytes>::type;
    unsigned digit = a.control->digit[pass];
    bool to_tmp = a.last_in_tmp ? pass % 2 == 0 : (passes - 1 - pass) % 2 != 0;
    b.first = pass == 0;
    b.last = pass + 1 == passes;
    b.keys_in = b.first ? a.keys_in : to_tmp ? a.keys_out : a.keys_tmp;
    b.keys_out = b.last && a.drop_keys ? nullptr : to_tmp ? a.keys_tmp : a.keys_out;
    b.values_in = static_cast<const V *>(b.first  ? a.values_in
                                         : to_tmp ? a.values_out
                                                  : a.values_tmp);
    b.values_out = static_cast<V *>(to_tmp ? a.values_tmp : a.values_out);
    b.map = a.map;
    b.shift = a.bits.shift(digit);
    b.mask = a.bits.mask(digit);
    return digit;
}

template <typename K, unsigned value_bytes, typename Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    usw_radix_scatter(const usw_radix_pass_args<K> a, unsigned pass)
{
    USW_DYNAMIC_SHARED(unsigned char, shared);
    USW_SHARED(unsigned, taken);
    unsigned passes = a.control->passes, t = threadIdx.x;
    if (pass >= passes) {
        return;
    }
    scatter_block<K, value_bytes, Shape> b;
    b.carve(shared);
    unsigned digit = begin_pass(b, a, pass, passes);
    size_t tiles = (a.n + Shape::tile - 1) / Shape::tile;
    unsigned laps = static_cast<unsigned>((tiles + a.ring_tiles - 1) / a.ring_tiles);
    look_ring ring = {a.ring, a.ring_tiles, 1 + pass * laps};
    for (;;) {
        if (t == 0) {
            taken = atomicAdd(&a.control->tiles_taken[pass], 1u);
        }
        for (unsigned i = t; i < Shape::warps * 128; i += Shape::threads) {
            b.counters[i] = 0;
        }
        __syncthreads();
        size_t tile = taken;
        if (tile >= tiles) {
            return;
        }
        b.begin = tile * Shape::tile;
        b.count = static_cast<unsigned>(a.n - b.begin < Shape::tile ? a.n - b.begin : Shape::tile);
        unsigned padding = Shape::tile - b.count, ranks[(Shape::items + 1) / 2];
        b.load();
        __syncwarp();
        b.rank(ranks);
        __syncthreads();
        auto publish = [&](unsigned d, unsigned count) {
            ring.wait(tile, a.wait_tiles, d);
            ring.tell(tile, d, LOOK_COUNT, count - (d == b.mask ? padding : 0));
        };
        start_digits<Shape::warps>(b.counters, b.digit_start, b.warp_sums, publish);
        b.place(ranks);
        if (t < 256) {
            unsigned count = b.digit_start[t + 1] - b.digit_start[t];
            unsigned long long sum = look_back<Shape::window>(ring, tile, t);
            ring.tell(tile, t, LOOK_SUM, sum + count - (t == b.mask ? padding : 0));
            b.go[t] = static_cast<long long>(a.control->base[digit][t] + sum) - b.digit_start[t];
        }
        copy_async_wait();
        __syncthreads();
        if (__syncthreads_or(b.write())) {
            b.place_by_votes();
            __syncthreads();
            b.write();
            __syncthreads();
        }
    }
}

#endif
