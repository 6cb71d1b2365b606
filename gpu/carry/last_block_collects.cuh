/* last_block_collects.cuh - what blocks have found, gathered by one of them: one launch, no fence,
 * no fill.
 *
 * Each block draws a number when it begins, and leaves what it finds in nodes that stay
 * (gpu/carry/carry_tree.cuh) and bear the call's number. The block that has drawn last looks at
 * all of them. It waits only for blocks that have begun, so no more of them need be there at once
 * than happen to be. A fence and a counter instead would take two more trips to the second
 * cache. */
#ifndef USW_GPU_CARRY_LAST_BLOCK_COLLECTS_CUH
#define USW_GPU_CARRY_LAST_BLOCK_COLLECTS_CUH

#include "gpu/carry/carry_tree.cuh"

struct usw_gather {
    usw_node *nodes;           /* USW_GATHER_NODES of them */
    unsigned long long *calls; /* NULL: there is one block, which tells nobody */
};
enum : unsigned { USW_GATHER_NODES = 8192 };

/* Nodes of the handle's that stay; a plan has none, and launches nothing. */
static inline usw_gather usw_gather_of(const usw_gpu *g)
{
    static_assert((USW_GATHER_NODES + 1) * sizeof(usw_node) <= USW_GPU_NODE_BYTES, "room");
    usw_node *nodes = static_cast<usw_node *>(g->nodes); /* the first one's value is the sorts' */
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

/* A whole block, the last one: f(values) for each `words` neighbouring nodes of `count` such, when
 * they are there. A thread asks for `ahead` nodes at once. */
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
