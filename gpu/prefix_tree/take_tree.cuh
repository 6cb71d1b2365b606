/* take_tree.cuh - whether the keys of a sample go by a prefix tree, which one block then makes, or
 * takes from the cluster that has grown it early. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_PREFIX_TREE_TAKE_TREE_CUH
#define USW_GPU_PREFIX_TREE_TAKE_TREE_CUH

#include "gpu/prefix_tree/grow_early.cuh"
#include "gpu/prefix_tree/sample_looks.cuh"

/* How many of half the sample may be equal keys. Of 64 bits so many that no bucket of some values
 * has more than `capacity`: six deviations above the average. */
template <typename K>
static inline unsigned hybrid_most_repeats(unsigned long long n, unsigned bits, unsigned capacity)
{
    if (sizeof(K) == 4) {
        return TREE_REPEATS;
    }
    const float size = static_cast<float>(n >> bits),
                above = (static_cast<float>(capacity) - size) / 6;
    const float copies = above * above / size, keys = 8192;
    return TREE_REPEATS_BY_CHANCE +
           static_cast<unsigned>(copies * keys * keys / 2 / static_cast<float>(n));
}

/* Whether keys are to go by a tree: those that are not even, or lie near their places. Where most
 * neighbours share a bucket, the tiles of keys of 32 bits have few digits, and a tree is slower but
 * for keys that lie near their places. looks: by the leading bits that else come, in which keys are
 * to be even. many: some bucket has many. alike: many keys are equal. near: in, whether keys that
 * lie near their places are to be seen; out, TREE_IF_NEAR if they go by a tree only then. alone:
 * whether the tree is to be of single keys. */
template <typename K>
__device__ __forceinline__ bool hybrid_wants_tree(const hybrid_looks &looks, bool many, bool alike,
                                                  unsigned &near, bool &alone)
{
    const bool may_near = near != 0, looks_near = looks.near && may_near && !many;
    const bool unwanted = !many && looks.even && !alike && !looks_near;
    near = !unwanted && sizeof(K) == 4 && !looks.apart ? TREE_IF_NEAR : 0;
    alone = looks_near || near != 0;
    return !unwanted && (near == 0 || may_near);
}

/* The cluster that grows the tree early may end. */
__device__ __forceinline__ void hybrid_leave_early(hybrid_tree *tree)
{
    if (threadIdx.x == 0) {
        usw_store_relaxed(&tree->unwanted, 1u);
    }
}
/* Makes the tree, or takes the one that a cluster has grown early, which is waited for. Returns 1
 * if it serves, 0 if it does not, and TREE_UNGROWN if that is left to a later launch, `late`.
 * agree: what the sample's keys, which vary in `varying` bits, have in common above these. A block
 * calls. */
template <typename K>
__device__ __forceinline__ unsigned
hybrid_take_tree(const K *keys, unsigned long long n, const usw_gpu_keymap<K> &map, K agree,
                 unsigned varying, unsigned bits, bool alone, unsigned repeats, bool early,
                 bool late, hybrid_tree *tree, void *memory)
{
    if (late) {
        return TREE_UNGROWN;
    }
    if (early) {
        if (alone) {
            hybrid_leave_early(tree);
        }
        usw_chained_late();
        if (!alone) {
            return tree->enough;
        }
    }
    return hybrid_grow_tree<K>(keys, n, map, agree, varying, bits, alone, repeats, tree, memory);
}

#endif
