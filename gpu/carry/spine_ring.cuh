/* spine_ring.cuh - how tiles learn their carries from a spine, some warps of one block that add up
 * the sums of all tiles, instead of looking back at one another.
 *
 * Each tile has a node in memory: its owner writes the tile's sum there, a spine warp adds it up in
 * the order of core/order.h and writes the carry in place of the
 * sum, and the owner reads the carry. A spine warp takes a group of 64 tiles, whose sums it adds up
 * as they come, two to a lane; the groups' sums, and with them the turn to use the upper levels, go
 * from one spine warp to the next in shared memory. So a node is read by two warps of the device
 * only, and a carry is two trips to the second-level cache away from the last sum to come, however
 * many tiles lie between. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_CARRY_SPINE_RING_CUH
#define USW_GPU_CARRY_SPINE_RING_CUH

#include "gpu/block/bulk_copy.cuh"
#include "gpu/carry/carry_tree.cuh"

enum : unsigned { USW_RING_SPINE_WARPS = 4 };             /* spine warps of a block, at most */
enum : uint64_t { USW_RING_SUM = 1, USW_RING_CARRY = 2 }; /* a node's state: what it holds */

struct usw_ring_books {
    usw_node *nodes; /* of all tiles, zeroed */
    uint64_t tiles;
    unsigned spine_warps;
};

/* What spine warps hand on in shared memory: the sums of the upper levels, and whose turn it is. */
template <typename E> struct usw_ring_spine_state {
    typename E::Acc level_sum[USW_CARRY_LEVELS];
    uint64_t groups; /* groups whose sums are in the levels */
    /* The sums of a warp's group, if they are floats; then what lies before each. */
    alignas(16) typename E::Acc sums[E::exact ? 1 : +USW_RING_SPINE_WARPS][USW_CARRY_FANOUT];

    /* One thread calls; a barrier must follow. */
    __device__ __forceinline__ void open(const E &e)
    {
        for (unsigned l = 0; l < USW_CARRY_LEVELS; l++) {
            level_sum[l] = e.neutral();
        }
        groups = 0;
    }
    /* A warp waits for the turn of group g: by a plain word and fences, since a gate takes 250
     * clocks longer, a fifth of a group's time. */
    __device__ __forceinline__ void wait(uint64_t g) const
    {
        /* Step spine_ring/wait_turn of proofs/models. */
        while (*static_cast<const volatile uint64_t *>(&groups) != g) {
            usw_yield();
        }
        __threadfence_block();
        __syncwarp();
    }
    /* One thread adds the sum of group g, whose 64 tiles are complete, to the levels, and gives the
     * turn to group g + 1. */
    __device__ __forceinline__ void turn(const E &e, uint64_t g, typename E::Acc sum)
    {
        for (unsigned l = 1; l < USW_CARRY_LEVELS; l++) {
            sum = level_sum[l] = e.join(level_sum[l], sum);
            if (((g + 1) >> 6 * (l - 1)) % USW_CARRY_FANOUT != 0) {
                break;
            }
            level_sum[l] = e.neutral();
        }
        __threadfence_block();
        /* Step spine_ring/turn of proofs/models. */
        *static_cast<volatile uint64_t *>(&groups) = g + 1;
    }
};

/* A group's sums, two to a lane, 0 where a sum has not come. `add` finds what lies before each of
 * the first `there` sums in the group, and the sum of these. */
template <typename E> struct usw_ring_group {
    typename E::Acc low, high, before_low, before_high, sum;
    struct alignas(16) pair {
        typename E::Acc x, y;
    };

    /* One lane replaces each float by what lies before it, beginning with `sum`, and returns the
     * sum of all. This is most of a spine warp's time, so a whole group is added in fours of pairs,
     * the next four being loaded meanwhile. */
    static __device__ __forceinline__ typename E::Acc chain_all(const E &e, typename E::Acc *mine,
                                                                typename E::Acc sum)
    {
        constexpr unsigned fours = USW_CARRY_FANOUT / 8;
        pair *pairs = reinterpret_cast<pair *>(mine), next[4];
#pragma unroll
        for (unsigned j = 0; j < 4; j++) {
            next[j] = pairs[j];
        }
#pragma unroll
        for (unsigned f = 0; f < fours; f++) {
            pair here[4];
#pragma unroll
            for (unsigned j = 0; j < 4; j++) {
                here[j] = next[j];
                next[j] = pairs[(f + 1 < fours ? f + 1 : f) * 4 + j];
            }
#pragma unroll
            for (unsigned j = 0; j < 4; j++) {
                const pair before = {sum, e.join(sum, here[j].x)};
                sum = e.join(before.y, here[j].y);
                here[j] = before;
            }
#pragma unroll
            for (unsigned j = 0; j < 4; j++) {
                pairs[f * 4 + j] = here[j];
            }
        }
        return sum;
    }
    static __device__ __forceinline__ typename E::Acc chain_some(const E &e, typename E::Acc *mine,
                                                                 unsigned done, unsigned there,
                                                                 typename E::Acc sum)
    {
        for (unsigned i = done; i < there; i++) {
            const typename E::Acc next = mine[i];
            mine[i] = sum;
            sum = e.join(sum, next);
        }
        return sum;
    }
    __device__ __forceinline__ void add(const E &e, typename E::Acc *mine, unsigned done,
                                        unsigned there)
    {
        typedef typename E::Acc A;
        const unsigned lane = threadIdx.x % 32;
        if constexpr (E::exact) {
            A left = low, right = high;
#pragma unroll
            for (unsigned d = 1; d < 32; d *= 2) {
                const A l = __shfl_up_sync(~0u, left, d), r = __shfl_up_sync(~0u, right, d);
                left = lane >= d ? e.join(l, left) : left;
                right = lane >= d ? e.join(r, right) : right;
            }
            const A half = __shfl_sync(~0u, left, 31);
            sum = e.join(half, __shfl_sync(~0u, right, 31));
            left = __shfl_up_sync(~0u, left, 1);
            right = __shfl_up_sync(~0u, right, 1);
            before_low = lane == 0 ? e.neutral() : left;
            before_high = lane == 0 ? half : e.join(half, right);
        } else {
            mine[lane] = low;
            mine[lane + 32] = high;
            __syncwarp();
            if (lane == 0) {
                sum = done == 0 && there == USW_CARRY_FANOUT
                          ? chain_all(e, mine, sum)
                          : chain_some(e, mine, done, there, sum);
            }
            __syncwarp();
            before_low = lane >= done ? mine[lane] : before_low;
            before_high = lane + 32 >= done ? mine[lane + 32] : before_high;
            __syncwarp();
        }
    }
};

/* Spine warp `spine_warp` writes the carries of group g, as its sums come. */
template <typename E>
__device__ __forceinline__ void usw_ring_carries(const E &e, const usw_ring_books &a, uint64_t g,
                                                 usw_ring_spine_state<E> &spine,
                                                 unsigned spine_warp)
{
    typedef typename E::Acc A;
    const unsigned lane = threadIdx.x % 32;
    const uint64_t left = a.tiles - g * USW_CARRY_FANOUT;
    const unsigned children = left < USW_CARRY_FANOUT ? static_cast<unsigned>(left) : 64;
    usw_node *nodes = a.nodes + g * USW_CARRY_FANOUT;
    usw_ring_group<E> group = {e.neutral(), e.neutral(), e.neutral(), e.neutral(), e.neutral()};
    bool wait_low = lane < children, wait_high = lane + 32 < children;
    A upper = e.neutral();
    for (unsigned done = 0, first = 0; done < children; done = first) {
        /* Step spine_ring/look of proofs/models. */
        const usw_node none = {0, 0};
        const usw_node low = wait_low ? usw_tagged_look_back(nodes + lane) : none;
        const usw_node high = wait_high ? usw_tagged_look_back(nodes + lane + 32) : none;
        group.low = low.state != 0 ? usw_value_of<A>(low.value) : group.low;
        group.high = high.state != 0 ? usw_value_of<A>(high.value) : group.high;
        wait_low = wait_low && low.state == 0;
        wait_high = wait_high && high.state == 0;
        const uint64_t missing = usw_carry_tree_vote(wait_low, wait_high);
        first = missing == 0 ? children : __ffsll(static_cast<long long>(missing)) - 1;
        if (first == done) {
            usw_yield();
            continue;
        }
        group.add(e, spine.sums[E::exact ? 0 : spine_warp], done, first);
        if (done == 0) {
            spine.wait(g);
            for (unsigned l = USW_CARRY_LEVELS - 1; l >= 1; l--) {
                upper = e.join(upper, spine.level_sum[l]);
            }
            __syncwarp();
        }
        if (first == 64 && lane == 0) {
            spine.turn(e, g, group.sum);
        }
        /* Step spine_ring/publish_carry of proofs/models. */
        if (lane >= done && lane < first) {
            const A carry = e.join(upper, group.before_low);
            usw_node_publish(nodes + lane, usw_bits_of(carry), USW_RING_CARRY);
        }
        if (lane + 32 >= done && lane + 32 < first) {
            const A carry = e.join(upper, group.before_high);
            usw_node_publish(nodes + lane + 32, usw_bits_of(carry), USW_RING_CARRY);
        }
    }
}

template <typename E>
__device__ __forceinline__ void usw_ring_spine(const E &e, const usw_ring_books &a,
                                               usw_ring_spine_state<E> &spine, unsigned spine_warp)
{
    for (uint64_t g = spine_warp; g * USW_CARRY_FANOUT < a.tiles; g += a.spine_warps) {
        usw_ring_carries(e, a, g, spine, spine_warp);
    }
}

/* How far a step has come: its tile t, the tile's buffer, and in `phase` whether the buffer was
 * used an odd number of times before. Tile t belongs to block t mod blocks. */
template <typename R> struct usw_ring_place {
    R *buffers, *buffer;
    unsigned count;
    uint32_t phase;
    uint64_t t;

    __device__ __forceinline__ usw_ring_place(R *all, unsigned many)
        : buffers(all), buffer(all), count(many), phase(0), t(blockIdx.x)
    {
    }
    __device__ __forceinline__ void next()
    {
        t += gridDim.x;
        if (++buffer == buffers + count) {
            buffer = buffers;
            phase ^= 1;
        }
    }
};

/* Waits for a tile's carry. One thread of the tile's owner calls, which has published the sum. */
__device__ __forceinline__ uint64_t usw_ring_wait(const usw_node *node)
{
    usw_node found = {0, 0};
    /* Step spine_ring/read_carry of proofs/models. */
    while ((found = usw_tagged_look_back(node)).state != USW_RING_CARRY) {
        usw_yield();
    }
    return found.value;
}

/* ---- what a scan and a selection by a ring have in common ---- */

/* The gates of a tile's buffer, at which the steps of a ring wait. */
struct usw_ring_gates {
    usw_gate came, upward, carried, swept;
};

/* Which warps of a block take which step of a ring; up_warps share a tile in the upward step,
 * down_warps in the downward one. */
template <unsigned up_warps, unsigned down_warps> struct usw_ring_warps {
    static constexpr unsigned mover = 0, tops = 1, asker = 2, spine = 3,
                              up = spine + USW_RING_SPINE_WARPS, down = up + up_warps,
                              threads = 32 * (down + down_warps);

    /* A block makes the gates of its buffers and opens its spine. A barrier must follow. */
    template <typename R, typename E>
    static __device__ __forceinline__ void open(R *buffers, unsigned count, const E &e,
                                                usw_ring_spine_state<E> &state)
    {
        if (threadIdx.x < count) {
            usw_ring_gates &gates = buffers[threadIdx.x].gates;
            usw_gate_make(&gates.came, USW_GATE_WARP);
            usw_gate_make(&gates.upward, USW_GATE_WARP * up_warps);
            usw_gate_make(&gates.carried, USW_GATE_WARP + 1); /* tops, and one lane of asker */
            usw_gate_make(&gates.swept, USW_GATE_WARP * down_warps);
        }
        if (threadIdx.x == 0) {
            state.open(e);
        }
        usw_gates_ready();
    }
};

/* The warp that brings the carries of its block's own tiles. It waits until the tile has come, too,
 * since then the carry of the earlier tile in the same buffer has been read. */
template <typename R>
__device__ __forceinline__ void usw_ring_ask(const usw_ring_books &a, usw_ring_place<R> p)
{
    for (; p.t < a.tiles; p.next()) {
        usw_gate_wait(&p.buffer->gates.came, p.phase);
        if (threadIdx.x % 32 == 0) {
            p.buffer->carry = usw_value_of<decltype(p.buffer->carry)>(usw_ring_wait(a.nodes + p.t));
            usw_gate_arrive(&p.buffer->gates.carried);
        }
        __syncwarp();
    }
}

/* How many buffers fit in a block's shared memory beside the spine. */
template <typename E, typename R> static inline unsigned usw_ring_fit(const usw_gpu *g)
{
    const size_t others = sizeof(usw_ring_spine_state<E>) + 256;
    return static_cast<unsigned>((g->shared_bytes - others) / sizeof(R));
}

#endif
