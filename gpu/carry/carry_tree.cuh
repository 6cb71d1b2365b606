/* carry_tree.cuh - the carry before a tile, by a tree of the tiles' sums, in the order of addition
 * of core/order.h and without a chain of waiting tiles.
 *
 * The tiles' sums are the leaves of a tree of fan-out 64. Every node whose children are all there
 * has a sum, its children added from left to right; the tile that closes a node (its number ends in
 * 63, in digits of 64) makes it and publishes it. The carry before tile t is made of at most 63
 * nodes a level: those left of t's path to the root. Nobody waits for a carry, only for sums, so a
 * tile is never further than one node a level from all tiles before it, and the latency does not
 * grow with n. One warp reads 64 nodes of a level at once; the levels are added up side by side,
 * one lane each. For exact operators the same order does no harm.
 */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_CARRY_CARRY_TREE_CUH
#define USW_GPU_CARRY_CARRY_TREE_CUH

#include "gpu/carry/tagged_value.cuh"

enum : unsigned {
    USW_CARRY_FANOUT = 64,    /* USW_CARRY_TREE_FANOUT of core/order.h */
    USW_CARRY_LEVELS = 6,     /* 64^6 tiles are more than an address space has */
    USW_CARRY_TREE_WARPS = 4, /* of a block that reads carries */
    USW_NODE_READY = 1,
    USW_NODE_HEAD = 2, /* its tiles contain a head: what lies before the head is left out */
};

/* The tag of trees whose nodes are always zeroed before the kernel starts: it takes no register. */
struct usw_no_tag {
    __host__ __device__ constexpr operator uint64_t() const
    {
        return 0;
    }
};

/* All nodes, level by level. Level l has tiles / 64^l nodes. A node that this call has published
 * bears the tree's tag, whatever an earlier call left there; the tag is 0 if nodes are zeroed
 * before the kernel starts. */
template <typename Tag> struct usw_carry_levels_of {
    usw_node *nodes;
    uint64_t tiles;
    Tag tag;
    unsigned levels; /* 0: there is one tile, and no node is read */

    __device__ __forceinline__ usw_node *at(unsigned l, uint64_t i) const
    {
        usw_node *level = nodes;
        for (unsigned below = 0; below < l; below++) {
            level += tiles >> (6 * below);
        }
        return level + i;
    }
};

typedef usw_carry_levels_of<uint64_t> usw_carry_levels;
typedef usw_carry_levels_of<usw_no_tag> usw_cleared_tree;

/* How many nodes a tree over `tiles` tiles has. */
static inline uint64_t usw_carry_tree_nodes(uint64_t tiles)
{
    uint64_t nodes = 0;
    for (uint64_t here = tiles; here > 0; here /= USW_CARRY_FANOUT) {
        nodes += here;
    }
    return nodes;
}

template <typename Tag>
static inline usw_carry_levels_of<Tag> usw_carry_tree_place(usw_node *nodes, uint64_t tiles)
{
    usw_carry_levels_of<Tag> tree = {nodes, tiles, {}, 0};
    for (uint64_t here = tiles; here > 0; here /= USW_CARRY_FANOUT) {
        tree.levels++;
    }
    return tree;
}

/* ---- nodes that stay ---- */

/* Up to USW_KEPT_TILES tiles use nodes of the handle's, which stay from call to call; the sort of
 * gpu/short_sort/runs.cuh uses the same nodes. They bear the call's number, so that no fill, which
 * takes a microsecond or more, has to clear them before the kernel. USW_KEPT_TAG is a bit above
 * that number, which no number of a sort has. */
#ifdef USW_EMULATE /* so that tests reach cleared nodes, too */
enum : uint64_t { USW_KEPT_TILES = 16 };
#else
enum : uint64_t { USW_KEPT_TILES = 8192 };
#endif
enum : uint64_t { USW_KEPT_TAG = uint64_t(1) << 63 };
enum : unsigned { USW_KEPT_NUMBER = 16 }; /* bits of a block's number in a call */

struct usw_call {
    unsigned number; /* of the block */
    uint64_t tag;
};

/* Thread 0 of each block of a call draws from *calls, whose low bits count blocks and whose others
 * count calls; usw_call_of then takes the result apart. The last block adds 1 to the number of
 * calls, so that a graph can be played again. The result comes as late as one from memory: a block
 * can work between both calls. */
__device__ __forceinline__ unsigned long long usw_call_draw(unsigned long long *calls)
{
    unsigned long long one = 1;
#ifndef USW_EMULATE
    /* The compiler must not know that all threads add the same: it would let one add for all, and
     * wait for the result at once, to hand it to the others. */
    unsigned lane; /* 0 */
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    one += lane;
#endif
    /* Step carry_tree/draw and last_block/draw of proofs/models. */
    return atomicAdd(calls, one);
}
__device__ __forceinline__ usw_call usw_call_of(unsigned long long drawn, unsigned long long *calls,
                                                unsigned blocks)
{
    const unsigned long long one = 1ull << USW_KEPT_NUMBER;
    const unsigned number = static_cast<unsigned>(drawn % one);
    /* Step carry_tree/turn_call and last_block/turn_call of proofs/models. */
    if (number == blocks - 1) {
        atomicAdd(calls, one - blocks);
    }
    return {number, USW_KEPT_TAG | drawn / one * (2 * USW_NODE_HEAD)};
}

/* ---- sums as 64 bits ---- */

template <typename A> __device__ __forceinline__ uint64_t usw_bits_of(A v)
{
    return v;
}
template <> __device__ __forceinline__ uint64_t usw_bits_of<double>(double v)
{
    return static_cast<uint64_t>(__double_as_longlong(v));
}
template <typename A> __device__ __forceinline__ A usw_value_of(uint64_t bits)
{
    return static_cast<A>(bits);
}
template <> __device__ __forceinline__ double usw_value_of<double>(uint64_t bits)
{
    return __longlong_as_double(static_cast<long long>(bits));
}

/* ---- levels ---- */

/* Shared memory of a block that asks for carries. */
template <typename A, bool exact> struct usw_carry_tree_shared {
    A children[exact ? 1 : +USW_CARRY_TREE_WARPS]
              [exact ? 1 : +USW_CARRY_FANOUT]; /* of a warp's level */
    A level_sum[USW_CARRY_LEVELS];
    bool cut[USW_CARRY_LEVELS]; /* the level's nodes have a head */
};

/* Adds nodes [from, to) of a group to the level's sum, one after the other. heads: a bit for each
 * node that has a head. */
template <typename E, typename A>
__device__ __forceinline__ A usw_carry_tree_chain(const E &e, A level_sum, const A *children,
                                                  unsigned from, unsigned to, uint64_t heads)
{
    unsigned i = from;
    for (; i + 8 <= to && heads == 0; i += 8) {
        A v[8];
#pragma unroll
        for (unsigned j = 0; j < 8; j++) {
            v[j] = children[i + j];
        }
#pragma unroll
        for (unsigned j = 0; j < 8; j++) {
            level_sum = e.join(level_sum, v[j]);
        }
    }
    for (; i < to; i++) {
        level_sum = e.join((heads >> i) & 1 ? e.neutral() : level_sum, children[i]);
    }
    return level_sum;
}

/* Adds up a group of 64 nodes, two to a lane, where the order does not matter. Nodes before the
 * last head are left out. */
template <typename E, typename A>
__device__ __forceinline__ A usw_carry_tree_join(const E &e, A low, A high, uint64_t heads)
{
    const unsigned lane = threadIdx.x % 32;
    const unsigned from = heads == 0 ? 0 : 63 - __clzll(static_cast<long long>(heads));
    A level_sum = e.join(lane >= from ? low : e.neutral(), lane + 32 >= from ? high : e.neutral());
#pragma unroll
    for (unsigned distance = 16; distance > 0; distance /= 2) {
        level_sum = e.join(level_sum, __shfl_xor_sync(~0u, level_sum, distance));
    }
    return level_sum;
}

__device__ __forceinline__ bool usw_carry_tree_is_there(const usw_node &node, uint64_t tag)
{
    return (node.state | USW_NODE_HEAD) == (tag | USW_NODE_READY | USW_NODE_HEAD);
}
__device__ __forceinline__ bool usw_carry_tree_is_there(const usw_node &node, usw_no_tag)
{
    return node.state != 0;
}

/* A bit for each of 64 nodes, two to a lane. */
__device__ __forceinline__ uint64_t usw_carry_tree_vote(bool low, bool high)
{
    const unsigned a = __ballot_sync(~0u, low), b = __ballot_sync(~0u, high);
    return static_cast<uint64_t>(b) << 32 | a;
}

/* A warp adds up `children` neighbouring nodes from left to right. Lane 0 gets the sum, and the
 * other lanes, too, if the operator is exact; if it is not, `mine` is shared memory of the warp for
 * USW_CARRY_FANOUT sums. *heads gets a bit for each node that has a head. The warp waits for nodes
 * that other tiles, all of them begun, have yet to publish.
 *
 * Of the missing nodes one lane reads only the last again and again until it is published: to read
 * all of them would slow the tiles that write them. The nodes before the first missing one are
 * added up in the meantime. */
template <typename E, typename Tag>
__device__ __forceinline__ typename E::Acc
usw_carry_tree_sum(const E &e, const usw_node *nodes, Tag tag, unsigned children,
                   typename E::Acc *mine, uint64_t *heads)
{
    typedef typename E::Acc A;
    const unsigned lane = threadIdx.x % 32;
    const usw_node there = {usw_bits_of(e.neutral()), tag | USW_NODE_READY};
    usw_node low = there, high = there;
    bool wait_low = lane < children, wait_high = lane + 32 < children;
    uint64_t missing = 1;
    A level_sum = e.neutral();
    /* Step carry_tree/wait of proofs/models. */
    for (unsigned done = 0; missing != 0;) {
        low = wait_low ? usw_tagged_look_back(nodes + lane) : low;
        high = wait_high ? usw_tagged_look_back(nodes + lane + 32) : high;
        wait_low = !usw_carry_tree_is_there(low, tag);
        wait_high = !usw_carry_tree_is_there(high, tag);
        missing = usw_carry_tree_vote(wait_low, wait_high);
        *heads = usw_carry_tree_vote((low.state & USW_NODE_HEAD) != 0,
                                     (high.state & USW_NODE_HEAD) != 0);
        if constexpr (!E::exact) {
            mine[lane] = usw_value_of<A>(low.value);
            mine[lane + 32] = usw_value_of<A>(high.value);
            __syncwarp();
            const unsigned first =
                missing == 0 ? children : __ffsll(static_cast<long long>(missing)) - 1;
            if (lane == 0) {
                level_sum = usw_carry_tree_chain(e, level_sum, mine, done, first, *heads);
            }
            done = first;
        }
        if (missing != 0) {
            const unsigned last = 63 - __clzll(static_cast<long long>(missing));
            if (lane == 0) {
                while (!usw_carry_tree_is_there(usw_tagged_look_back(nodes + last), tag)) {
                    usw_yield();
                }
            }
        }
        __syncwarp();
    }
    if constexpr (E::exact) {
        level_sum =
            usw_carry_tree_join(e, usw_value_of<A>(low.value), usw_value_of<A>(high.value), *heads);
    }
    return level_sum;
}

/* A warp finds what level l adds to the carry before tile t; writes it to `shared`, and returns it
 * to lane 0. */
template <typename E, typename Tag>
__device__ __forceinline__ typename E::Acc
usw_carry_tree_level_sum(const E &e, const usw_carry_levels_of<Tag> &tree, uint64_t t, unsigned l,
                         usw_carry_tree_shared<typename E::Acc, E::exact> &shared)
{
    const uint64_t at = t >> (6 * l);
    const unsigned children = at & 63;
    uint64_t heads = 0;
    const typename E::Acc level_sum =
        usw_carry_tree_sum(e, tree.at(l, at - children), tree.tag, children,
                           shared.children[E::exact ? 0 : threadIdx.x / 32], &heads);
    if (threadIdx.x % 32 == 0) {
        shared.level_sum[l] = level_sum;
        shared.cut[l] = heads != 0;
    }
    return level_sum;
}

template <typename Tag>
__device__ __forceinline__ bool usw_carry_tree_closes(const usw_carry_levels_of<Tag> &tree,
                                                      uint64_t t, unsigned l)
{
    return (~t & ((uint64_t(1) << (6 * (l + 1))) - 1)) == 0 && l + 1 < tree.levels;
}

/* One thread publishes tile t's sum (with `head`: the sum of what follows the tile's last head). */
template <typename A, typename Tag>
__device__ __forceinline__ void usw_carry_tree_publish(const usw_carry_levels_of<Tag> &tree,
                                                       unsigned l, uint64_t t, A sum, bool head)
{
    /* Step carry_tree/publish of proofs/models. */
    usw_node_publish(tree.at(l, t >> (6 * l)), usw_bits_of(sum),
                     tree.tag | USW_NODE_READY | (head ? +USW_NODE_HEAD : 0u));
}

/* A block, whose thread 0 has published tile t's sum, fills in `shared` what each level adds to the
 * carry, a warp a level. A barrier must follow before usw_carry_tree_read. A tree of one tile has
 * no levels, and there is nothing to do. */
template <typename E, typename Tag>
__device__ __forceinline__ void
usw_carry_tree_turn(const E &e, const usw_carry_levels_of<Tag> &tree, uint64_t t,
                    typename E::Acc sum, bool head,
                    usw_carry_tree_shared<typename E::Acc, E::exact> &shared)
{
    /* Step carry_tree/turn of proofs/models. */
    for (unsigned l = threadIdx.x / 32; l < tree.levels; l += USW_CARRY_TREE_WARPS) {
        const typename E::Acc level_sum = usw_carry_tree_level_sum(e, tree, t, l, shared);
        /* Step carry_tree/close_first of proofs/models: a tile that closes a node publishes the
         * node's sum before it waits for anything else. */
        if (l == 0 && threadIdx.x == 0 && usw_carry_tree_closes(tree, t, 0)) {
            usw_carry_tree_publish(tree, 1, t, e.join(head ? e.neutral() : level_sum, sum),
                                   head || shared.cut[0]);
        }
    }
}

/* Returns the carry before tile t to any thread, after the barrier. Thread 0 also closes nodes
 * above the first level, which one tile of 4096 does. */
template <typename E, typename Tag>
__device__ __forceinline__ typename E::Acc
usw_carry_tree_read(const E &e, const usw_carry_levels_of<Tag> &tree, uint64_t t,
                    typename E::Acc sum, bool head,
                    const usw_carry_tree_shared<typename E::Acc, E::exact> &shared)
{
    /* Step carry_tree/close of proofs/models. */
    if (threadIdx.x == 0) {
        for (unsigned l = 0; usw_carry_tree_closes(tree, t, l); l++) {
            sum = e.join(head ? e.neutral() : shared.level_sum[l], sum);
            head = head || shared.cut[l];
            if (l > 0) {
                usw_carry_tree_publish(tree, l + 1, t, sum, head);
            }
        }
    }
    typename E::Acc carry = e.neutral();
    /* Step carry_tree/read of proofs/models. */
    for (unsigned l = tree.levels; l-- > 0;) {
        carry = e.join(shared.cut[l] ? e.neutral() : carry, shared.level_sum[l]);
    }
    return carry;
}

/* ---- host ---- */

/* Takes scratch for the tree over `tiles` tiles and for a ticket to draw tiles by; zeroes both if
 * `clear` is set. */
template <typename Tag>
static inline upsweep_status usw_carry_tree_make(usw_gpu *g, uint64_t tiles, bool clear,
                                                 usw_carry_levels_of<Tag> *tree, uint32_t **ticket)
{
    const uint64_t nodes = usw_carry_tree_nodes(tiles);
    const size_t bytes = (nodes + 1) * sizeof(usw_node);
    usw_node *scratch = static_cast<usw_node *>(usw_gpu_scratch(g, bytes));
    if (scratch == nullptr) {
        return g->status;
    }
    *tree = usw_carry_tree_place<Tag>(scratch, tiles);
    *ticket = reinterpret_cast<uint32_t *>(scratch + nodes);
    return clear ? usw_gpu_fill(g, scratch, 0, bytes) : UPSWEEP_OK;
}

/* Makes the tree of nodes that stay. Returns false if there are too few of them, or in a plan,
 * which must count the scratch that a device without such nodes takes. */
static inline bool usw_carry_tree_keeps(const usw_gpu *g, uint64_t tiles, usw_carry_levels *tree,
                                        unsigned long long **calls)
{
    static_assert((USW_KEPT_TILES * 65 / 64 + 2) * sizeof(usw_node) < USW_GPU_NODE_BYTES, "room");
    if (g->device < 0 || tiles > USW_KEPT_TILES) {
        return false;
    }
    usw_node *nodes = static_cast<usw_node *>(g->nodes); /* node 0 counts sorts and calls */
    *tree = usw_carry_tree_place<uint64_t>(nodes + 1, tiles);
    *calls = reinterpret_cast<unsigned long long *>(&nodes->state);
    return true;
}

#endif
