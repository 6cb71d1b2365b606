/* part_hybrid_pairs_move.cuh - the hybrid sort of pairs: every pair to its digit's next place.
 *
 * Ranking, reordering, the check of the order and the look-back are those of the radix sort's pass
 * (part_scatter.cuh). The first move is over the whole array and leaves a key beside its value,
 * where both are as wide, since longer runs are written faster; the second is within the segments
 * that the first one made, so a look-back ends where the tile's segment begins. */
#ifndef USW_PART_HYBRID_PAIRS_MOVE_CUH
#define USW_PART_HYBRID_PAIRS_MOVE_CUH

#include "part_hybrid_pairs_plan.cuh"
#include "part_scatter.cuh"

template <typename K> struct pairs_move_args {
    const void *keys_in;   /* of the second move: pairs, where they are joined */
    const void *values_in; /* NULL: value i is i */
    void *keys_out, *values_out;
    unsigned long long n;
    usw_gpu_keymap<K> map; /* of the first move */
    pairs_plan *plan;
    pairs_digits digits;
    const unsigned long long *starts;
    const unsigned *tile_begin;
    uint32_t *ring;
    unsigned ring_tiles, wait_tiles; /* a power of two; the blocks of a move */
};

template <typename K> struct alignas(2 * sizeof(K)) pairs_joined {
    K key, value;
};

template <typename K, unsigned value_bytes, typename Shape>
struct pairs_block : scatter_block<K, value_bytes, Shape> {
    static constexpr bool joins = sizeof(K) == value_bytes;
    using base = scatter_block<K, value_bytes, Shape>;
    using joined = pairs_joined<K>;

    __device__ __forceinline__ void load_joined(const joined *in, K (&k)[Shape::items])
    {
        const unsigned at = base::my_place();
        const joined *from = in + this->begin + at;
#pragma unroll
        for (unsigned i = 0; i < Shape::items; i++) {
            joined x = {static_cast<K>(~K(0)), 0};
            if (at + 32 * i < this->count) {
                x = from[32 * i];
            }
            k[i] = x.key;
            this->key[at + 32 * i] = x.key;
            this->value[at + 32 * i] = x.value;
        }
    }
    /* As write, to pairs. */
    __device__ __forceinline__ bool write_joined(joined *out)
    {
        unsigned wrong = 0;
#pragma unroll 4
        for (unsigned i = 0; i < Shape::items; i++) {
            const unsigned j = i * Shape::threads + threadIdx.x, p = this->order[j];
            const joined x = {this->key[p], static_cast<K>(this->value[p])};
            const unsigned digit = this->digit_of(x.key), sign = digit << 16 | p;
            wrong |= __shfl_down_sync(~0u, sign, 1) < sign;
            if (j < this->count) {
                out[this->go[digit] + j] = x;
            }
        }
        return this->wrong_across_warps() || wrong != 0;
    }
};

/* The segment of a tile of the second move. All threads call it; it has a barrier. */
__device__ __forceinline__ unsigned pairs_segment_of(unsigned tile, const unsigned *tile_begin,
                                                     unsigned segments, unsigned *found)
{
    const unsigned t = threadIdx.x;
    if (t < segments && tile_begin[t] <= tile && tile < tile_begin[t + 1]) {
        *found = t;
    }
    __syncthreads();
    return *found;
}

template <typename K, unsigned value_bytes, typename Shape, bool first>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    pairs_move(const pairs_move_args<K> a)
{
    using block = pairs_block<K, value_bytes, Shape>;
    using V = typename usw_value_of<value_bytes>::type;
    using joined = pairs_joined<K>;
    USW_DYNAMIC_SHARED(unsigned char, shared);
    USW_SHARED_ARRAY(unsigned, note, [2]);
    const unsigned t = threadIdx.x;
    if (!a.plan->split) {
        return;
    }
    block b;
    b.carve(shared);
    b.first = first;
    b.last = false;
    b.keys_in = static_cast<const K *>(a.keys_in);
    b.keys_out = static_cast<K *>(a.keys_out);
    b.values_in = static_cast<const V *>(a.values_in);
    b.values_out = static_cast<V *>(a.values_out);
    b.values_base = 0;
    b.map = a.map;
    b.shift = a.plan->keys.shift + (first ? a.digits.bits2 : 0);
    b.mask = (1u << (first ? a.digits.bits1 : a.digits.bits2)) - 1;
    const unsigned tiles = a.plan->tiles[first ? 0 : 1];
    const unsigned laps = (a.plan->tiles[0] + a.ring_tiles - 1) / a.ring_tiles;
    const look_ring<uint32_t> ring = {a.ring, a.ring_tiles, first ? 1 : 1 + laps};
    for (;;) {
        if (t == 0) {
            note[0] = atomicAdd(&a.plan->tiles_taken[first ? 0 : 1], 1u);
        }
        for (unsigned i = t; i < Shape::warps * 128; i += Shape::threads) {
            b.counters[i] = 0;
        }
        __syncthreads();
        const unsigned tile = note[0];
        if (tile >= tiles) {
            return;
        }
        unsigned segment = 0, stop = 0;
        unsigned long long end = a.n;
        b.begin = 0;
        if (!first) {
            segment = pairs_segment_of(tile, a.tile_begin, 1u << a.digits.bits1, &note[1]);
            stop = a.tile_begin[segment];
            b.begin = a.starts[segment << a.digits.bits2];
            end = a.starts[(segment + 1) << a.digits.bits2];
        }
        b.begin += static_cast<unsigned long long>(tile - stop) * Shape::tile;
        b.count = static_cast<unsigned>(end - b.begin < Shape::tile ? end - b.begin : Shape::tile);
        const unsigned padding = Shape::tile - b.count;
        unsigned ranks[b.ranks] = {};
        K keys[Shape::items];
        if (!first && block::joins) {
            b.load_joined(static_cast<const joined *>(a.keys_in), keys);
        } else {
            b.load(keys);
        }
        uint32_t early[2] = {0, 0};
        if (t < 128) { /* read now, looked at when the counts are known */
            early[0] = ring.before(tile, a.wait_tiles, 2 * t);
            early[1] = ring.before(tile, a.wait_tiles, 2 * t + 1);
        }
        __syncwarp();
        b.rank(keys, ranks);
        __syncthreads();
        start_digits<Shape::warps>(
            b.counters, b.digit_start, b.warp_sums, [&](unsigned d, unsigned count) {
                ring.wait(tile, a.wait_tiles, d, early[d & 1]);
                ring.tell(tile, d, false, count - (d == b.mask ? padding : 0));
            });
        b.place(keys, ranks);
        if (t < PAIRS_DIGITS) {
            const unsigned count = b.digit_start[t + 1] - b.digit_start[t];
            const uint32_t sum =
                ring.template look_back<Shape::window, Shape::backoff>(tile, t, stop);
            ring.tell(tile, t, true, sum + count - (t == b.mask ? padding : 0));
            if (t <= b.mask) {
                const size_t bucket =
                    first ? size_t(t) << a.digits.bits2 : (size_t(segment) << a.digits.bits2) + t;
                b.go[t] = static_cast<long long>(a.starts[bucket] + sum) - b.digit_start[t];
            }
        }
        copy_async_wait();
        __syncthreads();
        auto write = [&] {
            return first && block::joins ? b.write_joined(static_cast<joined *>(a.keys_out))
                                         : b.write();
        };
        if (__syncthreads_or(write())) {
            b.place_by_votes();
            __syncthreads();
            write();
            __syncthreads();
        }
    }
}

#endif
