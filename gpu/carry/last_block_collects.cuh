/* last_block_collects.cuh - the last block to begin collects what all blocks have found: in one
 * launch, without a fence or a fill before.
 *
 * Each block draws a number when it begins, and publishes what it finds in nodes that stay
 * (gpu/carry/carry_tree.cuh) and bear the call's number. The block that has drawn last reads the
 * nodes of all. It waits only for blocks that have begun, so any number of blocks may run at a
 * time. A fence and a counter instead would take two more trips to the second cache. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_CARRY_LAST_BLOCK_COLLECTS_CUH
#define USW_GPU_CARRY_LAST_BLOCK_COLLECTS_CUH

#include "gpu/carry/carry_tree.cuh"

struct usw_gather {
    usw_node *nodes;           /* USW_GATHER_NODES of them */
    unsigned long long *calls; /* NULL: there is one block, which publishes nothing */
};
enum : unsigned { USW_GATHER_NODES = 8192 };

/* The nodes that stay, of the handle; a plan has none, and launches nothing. */
static inline usw_gather usw_gather_of(const usw_gpu *g)
{
    static_assert((USW_GATHER_NODES + 1) * sizeof(usw_node) <= USW_GPU_NODE_BYTES, "room");
    usw_node *nodes = static_cast<usw_node *>(g->nodes); /* node 0 counts sorts and calls */
    if (nodes == nullptr) {
        return {nullptr, nullptr};
    }
    return {nodes + 1, reinterpret_cast<unsigned long long *>(&nodes->state)};
}

__device__ __forceinline__ void usw_gather_put(const usw_gather &a, uint64_t tag, uint64_t i,
                                               uint64_t value)
{
    /* Step last_block/put of proofs/models. */
    usw_node_publish(a.nodes + i, value, tag | USW_NODE_READY);
}

/* The last block calls f(i, values) for each of `count` groups of `words` neighbouring nodes, once
 * these are published. A thread reads `ahead` nodes at a time. */
template <unsigned words, unsigned ahead, typename F>
__device__ __forceinline__ void usw_gather_all(const usw_gather &a, uint64_t tag, unsigned count,
                                               F f)
{
    constexpr unsigned rows = ahead / words;
    for (unsigned first = threadIdx.x; first < count; first += rows * blockDim.x) {
        usw_node x[rows][words];
#pragma unroll
        for (unsigned r = 0; r < rows; r++) {
#pragma unroll
            for (unsigned w = 0; w < words; w++) {
                const unsigned i = first + r * blockDim.x;
                x[r][w] =
                    usw_tagged_look_back(a.nodes + uint64_t(i < count ? i : first) * words + w);
            }
        }
#pragma unroll
        for (unsigned r = 0; r < rows; r++) {
            const unsigned i = first + r * blockDim.x;
            if (i < count) {
                uint64_t v[words];
#pragma unroll
                for (unsigned w = 0; w < words; w++) {
                    /* Step last_block/gather of proofs/models. */
                    while (!usw_carry_tree_is_there(x[r][w], tag)) {
                        usw_yield();
                        x[r][w] = usw_tagged_look_back(a.nodes + uint64_t(i) * words + w);
                    }
                    v[w] = x[r][w].value;
                }
                f(i, v);
            }
        }
    }
}

#endif
