/* part_hybrid_pairs_move.cuh - the hybrid sort of pairs: every pair to its digit's next place.
 *
 * A block goes through a chunk, tile by tile; ranking, reordering and the check of the order are
 * those of the radix sort's pass (part_scatter.cuh), but where a tile's digits go is known without
 * a look at other blocks: the table says it of the chunk's beginning. */
#ifndef USW_PART_HYBRID_PAIRS_MOVE_CUH
#define USW_PART_HYBRID_PAIRS_MOVE_CUH

#include "part_hybrid_pairs_place.cuh"
#include "part_scatter.cuh"

struct pairs_moved {
    void *keys;
    const void *values_in; /* NULL: value i is i */
    void *values;
};

template <typename K, unsigned value_bytes, typename Shape, bool first>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    pairs_move(const pairs_level<K> a, const pairs_moved to)
{
    using block = scatter_block<K, value_bytes, Shape>;
    using V = typename usw_value_of<value_bytes>::type;
    USW_DYNAMIC_SHARED(unsigned char, shared);
    USW_SHARED(unsigned, found);
    const unsigned t = threadIdx.x;
    pairs_chunk c;
    if (!a.plan->split || (!first && a.plan->radix) || !pairs_find_chunk(a, &found, c)) {
        return;
    }
    block b;
    b.carve(shared);
    b.first = first;
    b.last = false;
    b.keys_in = a.in;
    b.keys_out = static_cast<K *>(to.keys);
    b.values_in = static_cast<const V *>(to.values_in);
    b.values_out = static_cast<V *>(to.values);
    b.values_base = 0;
    b.map = a.map;
    b.shift = a.plan->shift + a.below;
    b.mask = a.digits - 1;
    unsigned long long next = 0; /* where digit t's next pair goes */
    if (t < a.digits) {
        next = a.starts[c.segment * a.digits + t] +
               a.table[static_cast<size_t>(blockIdx.x) * PAIRS_DIGITS + t];
    }
    for (b.begin = c.begin; b.begin < c.end; b.begin += Shape::tile) {
        unsigned *mine = b.my_counters(), ranks[b.ranks] = {};
        K keys[Shape::items];
        b.count =
            static_cast<unsigned>(c.end - b.begin < Shape::tile ? c.end - b.begin : Shape::tile);
        for (unsigned i = t % 32; i < 128; i += 32) {
            mine[i] = 0;
        }
        b.load(keys);
        __syncwarp();
        b.rank(keys, ranks);
        __syncthreads();
        start_digits<Shape::warps>(b.counters, b.digit_start, b.warp_sums,
                                   [](unsigned, unsigned) {});
        b.place(keys, ranks);
        if (t < PAIRS_DIGITS) {
            b.go[t] = static_cast<long long>(next) - b.digit_start[t];
            next += b.digit_start[t + 1] - b.digit_start[t];
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
