/* part_scatter.cuh - one pass of a radix sort on a GPU: every key to its
 * digit's next place.
 *
 * Steps of a tile
 *   load     keys, and values if any, go to shared memory as they are; nothing
 * moves there again. rank     each warp counts its stretch of the tile by
 * atomic additions on counters of its own; what an addition returns is the
 * key's rank among its warp's keys of that digit. start    the counts, scanned
 * over warps and digits, say where in the tile each warp's keys of a digit
 * begin. The tile's counts are published. place    order[rank] = the key's
 * position in the tile (16 bits). look     back, for the sum of the counts of
 * all tiles before (part_look_back.cuh). write    keys and values leave in the
 * order of `order`, so in runs.
 *
 * Stable   needs that lanes of one warp that add to one counter at once are
 * served in the order of lanes. The hardware at hand does so, but nothing
 * promises it. So write checks that (digit, position) rises all along, and
 * where it does not, the tile is ranked again by votes (which takes five times
 * as long) and written again. A warp that finds many equal digits in its first
 * keys takes votes at once: equal addresses are served one by one.
 */
#ifndef USW_PART_SCATTER_CUH
#define USW_PART_SCATTER_CUH

#include "part_look_back.cuh"
#include "part_onesweep.cuh"
#include "part_rank.cuh"

/* ---- tuning ---- */

template <unsigned Items, unsigned Blocks, unsigned Threads = 512, unsigned Window = 2,
          unsigned Backoff = 40>
struct usw_radix_shape {
    static constexpr unsigned threads = Threads, warps = Threads / 32;
    static constexpr unsigned blocks = Blocks; /* a multiprocessor */
    static constexpr unsigned items = Items, tile = Threads * Items;
    static constexpr unsigned window = Window;   /* tiles that a look-back reads at a time */
    static constexpr unsigned backoff = Backoff; /* ns between looks at a word not there yet */
    static constexpr unsigned votes_from = 12;   /* equal digits among a warp's 32 */
};
template <typename K, unsigned value_bytes> struct usw_radix_tuning {
#ifdef USW_EMULATE /* so that tests of few keys have many tiles */
    using shape = usw_radix_shape<2, 1, 256>;
#else
    static constexpr bool wide = sizeof(K) + value_bytes > 8 && value_bytes != 0;
    static constexpr unsigned items = wide               ? (sizeof(K) + value_bytes > 12 ? 8 : 10)
                                      : value_bytes != 0 ? 16
                                      : sizeof(K) == 8   ? 14
                                                         : 24;
    using shape = usw_radix_shape<items, wide ? 1 : 2, wide ? 1024 : 512>;
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
    void *ring;
    unsigned ring_tiles, wait_tiles; /* a power of two; the blocks of a pass */
};

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
    size_t values_base; /* where value 0 is, if values are positions */
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

    static constexpr unsigned ranks = (Shape::items + 1) / 2;
    /* Where this thread's first item is; the next are 32 apart. */
    __device__ __forceinline__ static unsigned my_place()
    {
        return threadIdx.x / 32 * (32 * Shape::items) + threadIdx.x % 32;
    }
    __device__ __forceinline__ unsigned *my_counters() const
    {
        return counters + threadIdx.x / 32 * 128;
    }

    /* Keys beyond the end have the greatest digit, so they are last in the tile.
   */
    __device__ __forceinline__ void load(K (&k)[Shape::items])
    {
        unsigned at = my_place();
#pragma unroll
        for (unsigned i = 0; i < Shape::items; i++) {
            k[i] = at + 32 * i < count ? keys_in[begin + at + 32 * i] : 0;
        }
        if constexpr (value_bytes != 0) {
            if (values_in == nullptr) {
#pragma unroll
                for (unsigned i = 0; i < Shape::items; i++) {
                    value[at + 32 * i] = static_cast<V>(begin - values_base + at + 32 * i);
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
        if (first) {
#pragma unroll
            for (unsigned i = 0; i < Shape::items; i++) {
                k[i] = map.map(k[i]);
            }
        }
#pragma unroll
        for (unsigned i = 0; i < Shape::items; i++) {
            k[i] = at + 32 * i < count ? k[i] : static_cast<K>(~K(0));
            key[at + 32 * i] = k[i];
        }
    }
    /* The digit of all of the warp's keys, or 256. */
    __device__ __forceinline__ unsigned only_digit(const K (&k)[Shape::items]) const
    {
        K differ = 0;
#pragma unroll
        for (unsigned i = 1; i < Shape::items; i++) {
            differ |= k[i] ^ k[0];
        }
        unsigned digit = digit_of(k[0]), other = digit ^ __shfl_sync(~0u, digit, 0);
        return __any_sync(~0u, (other | digit_of(differ)) != 0) ? 256 : digit;
    }
    /* Two ranks to a word. All additions are on their way before the first is
   * waited for. */
    __device__ __forceinline__ void rank(const K (&k)[Shape::items], unsigned (&rank)[ranks])
    {
        unsigned *mine = my_counters(), lane = threadIdx.x % 32, only = only_digit(k);
        if (only != 256) {
            if (lane == 0) {
                mine[only / 2] = 32 * Shape::items << (only & 1) * 16;
            }
#pragma unroll
            for (unsigned i = 0; i < ranks; i++) {
                rank[i] = (lane + 64 * i) | (lane + 64 * i + 32) << 16;
            }
            return;
        }
        if (warp_takes_votes(digit_of(k[0]), Shape::votes_from)) {
#pragma unroll
            for (unsigned i = 0; i < Shape::items; i++) {
                unsigned r =
                    count_digit_by_votes(reinterpret_cast<uint16_t *>(mine), digit_of(k[i]));
                rank[i / 2] = i % 2 == 0 ? r : rank[i / 2] | r << 16;
            }
            return;
        }
        unsigned before[Shape::items];
#pragma unroll
        for (unsigned i = 0; i < Shape::items; i++) {
            before[i] = add_digit(mine, digit_of(k[i]));
        }
#pragma unroll
        for (unsigned i = 0; i < Shape::items; i++) {
            unsigned r = counted(before[i], digit_of(k[i]));
            rank[i / 2] = i % 2 == 0 ? r : rank[i / 2] | r << 16;
        }
    }
    __device__ __forceinline__ void place(const K (&k)[Shape::items], const unsigned (&rank)[ranks])
    {
        const uint16_t *mine = reinterpret_cast<const uint16_t *>(my_counters());
        unsigned at = my_place();
#pragma unroll
        for (unsigned i = 0; i < Shape::items; i++) {
            order[mine[digit_of(k[i])] + (rank[i / 2] >> (i % 2 * 16) & 0xffff)] =
                static_cast<uint16_t>(at + 32 * i);
        }
    }
    /* place, by votes, which turn the counters from begins into ends. */
    __device__ __forceinline__ void place_by_votes()
    {
        uint16_t *mine = reinterpret_cast<uint16_t *>(my_counters());
        unsigned at = my_place();
        for (unsigned i = 0; i < Shape::items; i++) {
            order[count_digit_by_votes(mine, digit_of(key[at + 32 * i]))] =
                static_cast<uint16_t>(at + 32 * i);
        }
    }
    /* What must rise along the tile. */
    __device__ __forceinline__ unsigned sign_of(unsigned j) const
    {
        unsigned p = order[j];
        return digit_of(key[p]) << 16 | p;
    }
    /* The pairs of neighbours that write does not see. */
    __device__ __forceinline__ bool wrong_across_warps() const
    {
        bool wrong = false;
        for (unsigned j = 32 * threadIdx.x + 31; j + 1 < Shape::tile; j += 32 * Shape::threads) {
            wrong |= sign_of(j + 1) < sign_of(j);
        }
        return wrong;
    }
    /* Whether some key is out of order. */
    template <bool unmap> __device__ __forceinline__ bool write()
    {
        unsigned wrong = 0;
        bool keys_wanted = keys_out != nullptr;
#pragma unroll 4
        for (unsigned i = 0; i < Shape::items; i++) {
            unsigned j = i * Shape::threads + threadIdx.x;
            unsigned p = order[j];
            K k = key[p];
            unsigned digit = digit_of(k), sign = digit << 16 | p;
            unsigned next = __shfl_down_sync(~0u, sign, 1);
            wrong |= next < sign; /* of lane 31 it is its own */
            size_t to = static_cast<size_t>(go[digit] + j);
            if (j < count && keys_wanted) {
                keys_out[to] = unmap ? map.unmap(k) : k;
            }
            if constexpr (value_bytes != 0) {
                if (j < count) {
                    values_out[to] = value[p];
                }
            }
        }
        return wrong != 0 || wrong_across_warps();
    }
    __device__ __forceinline__ bool write()
    {
        return last ? write<true>() : write<false>();
    }
};

/* Fills in what is the same for all tiles of this pass; the number of the
 * pass's digit. */
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
    b.values_base = 0;
    b.map = a.map;
    b.shift = a.bits.shift(digit);
    b.mask = a.bits.mask(digit);
    return digit;
}

/* W: of the look-back words. */
template <typename K, unsigned value_bytes, typename Shape, typename W>
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
    unsigned long long base = t < 256 ? a.control->base[digit][t] : 0;
    size_t tiles = (a.n + Shape::tile - 1) / Shape::tile;
    unsigned laps = static_cast<unsigned>((tiles + a.ring_tiles - 1) / a.ring_tiles);
    look_ring<W> ring = {static_cast<W *>(a.ring), a.ring_tiles, 1 + pass * laps};
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
        unsigned padding = Shape::tile - b.count, ranks[b.ranks] = {};
        K keys[Shape::items];
        b.load(keys);
        W early[2] = {0, 0};
        if (t < 128) { /* read now, looked at when the counts are known */
            early[0] = ring.before(tile, a.wait_tiles, 2 * t);
            early[1] = ring.before(tile, a.wait_tiles, 2 * t + 1);
        }
        __syncwarp();
        b.rank(keys, ranks);
        __syncthreads();
        auto publish = [&](unsigned d, unsigned count) {
            ring.wait(tile, a.wait_tiles, d, early[d & 1]);
            ring.tell(tile, d, false, count - (d == b.mask ? padding : 0));
        };
        start_digits<Shape::warps>(b.counters, b.digit_start, b.warp_sums, publish);
        b.place(keys, ranks);
        if (t < 256) {
            unsigned count = b.digit_start[t + 1] - b.digit_start[t];
            W sum = ring.template look_back<Shape::window, Shape::backoff>(tile, t);
            ring.tell(tile, t, true, sum + count - (t == b.mask ? padding : 0));
            b.go[t] = static_cast<long long>(base + sum) - b.digit_start[t];
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
