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
 * keys counts the two commonest by votes: equal addresses are served one by one.
 */
#ifndef USW_PART_SCATTER_CUH
#define USW_PART_SCATTER_CUH

#include "part_look_back.cuh"
#include "part_scatter_block.cuh"

template <typename K> struct usw_radix_pass_args {
    /* Pass 0 reads in; the last writes out; between them out and tmp take turns. */
    const K *keys_in;
    K *keys_out, *keys_tmp; /* tmp holds joined pairs where keys and values are as wide */
    const void *values_in;  /* NULL: value i is i */
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
    auto *joined = reinterpret_cast<usw_joined<K> *>(a.keys_tmp);
    b.joined_in = b.joins && !b.first && !to_tmp ? joined : nullptr;
    b.joined_out = b.joins && to_tmp ? joined : nullptr;
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
        b.finish();
    }
}

#endif
