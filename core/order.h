/* order.h - the one order in which floating-point numbers are combined.
 *
 * Floating-point addition is not associative, so a sum has the same bits everywhere only if
 * everyone adds in the same order. The order here depends on n alone, never on threads, vectors or
 * device, and is made of shapes that both a vector unit and a GPU like. All arithmetic is in f64;
 * "add" below is "multiply" for products, and the identity 0 is then 1.
 *
 * Tiles.   Element i belongs to tile i / 4096. The last tile counts as filled up with the identity
 *          (adding +0 or multiplying by 1 changes nothing that is visible).
 * Reduce.  A tile has 128 lanes; lane j starts at the identity and adds the tile's elements j,
 *          j + 128, j + 256, ... in this order. Then lanes meet at halving distance: lane j adds
 *          lane j + 64 (j < 64), then j + 32, ... and lane 0 is the tile's sum.
 * Scan.    A tile is a tree of fan-out 8: 512 runs of 8 elements, 64 groups of 8 runs, and so on.
 *          Upward sweep: inside each run of 8, three rounds of distance 1, 2, 4:
 *          v[j] = v[j - d] + v[j] for all j >= d at once. A run's last value is its total; the
 *          totals of 8 runs are the run of the next level. Downward sweep, from the top:
 *          offset(child) = offset(parent) + (the prefix of the children before it, 0 for the
 *          first). The tile's offset is its carry (below); the result is out[i] = offset(run of i)
 *          + v[i], or + v[i - 1] (0 for a run's first) when exclusive. The tile's sum is the last
 *          total.
 * Carries. The tiles' sums are combined by a tree of fan-out 64, the carry tree. Level 0 adds tile
 *          sums one after the other; after 64 of them its sum is added to level 1, and level 0
 *          returns to the identity; and so on. A carry is read from the top level down:
 *          ((0 + s_k) + ... + s_1) + s_0. The carry before tile t depends on tiles 0 .. t - 1 only.
 *          A reduction's result is the carry after the last tile.
 * Heads.   Segmented scans use the same shapes with the operator on (head, value) pairs: where the
 *          right value's range contains a head, the left value is replaced by the identity.
 * NaN.     A result that is NaN is stored as the type's positive quiet NaN without payload.
 */
/* SPDX-License-Identifier: MIT */
#ifndef USW_ORDER_H
#define USW_ORDER_H

#include "core/frame.h"

enum {
    USW_TILE = 4096,            /* elements */
    USW_LANES = 128,            /* of a tile when it is reduced */
    USW_RUN = 8,                /* fan-out of a tile when it is scanned */
    USW_CARRY_TREE_FANOUT = 64, /* sums that a level adds before it passes its own on */
    USW_CARRY_TREE_LEVELS = 9   /* 64^9 tiles are more than there can be */
};

static inline double usw_join(bool product, double a, double b)
{
    return product ? a * b : a + b;
}

static inline double usw_neutral(bool product)
{
    return product ? 1.0 : 0.0;
}

typedef struct usw_carry_tree {
    bool product;
    unsigned added[USW_CARRY_TREE_LEVELS];
    bool head[USW_CARRY_TREE_LEVELS]; /* the level has a head, which cuts off what came before */
    double level_sum[USW_CARRY_TREE_LEVELS];
} usw_carry_tree;

static inline void usw_carry_tree_start(usw_carry_tree *o, bool product)
{
    *o = (usw_carry_tree){.product = product};
    for (int l = 0; l < USW_CARRY_TREE_LEVELS; l++) {
        o->level_sum[l] = usw_neutral(product);
    }
}

/* The next tile's sum; with `head`, of what follows the tile's last head. */
static inline void usw_carry_tree_add(usw_carry_tree *o, double sum, bool head)
{
    for (int l = 0; l < USW_CARRY_TREE_LEVELS; l++) {
        o->level_sum[l] =
            usw_join(o->product, head ? usw_neutral(o->product) : o->level_sum[l], sum);
        o->head[l] = o->head[l] || head;
        if (++o->added[l] < USW_CARRY_TREE_FANOUT) {
            return;
        }
        sum = o->level_sum[l];
        head = o->head[l];
        o->added[l] = 0;
        o->head[l] = false;
        o->level_sum[l] = usw_neutral(o->product);
    }
}

static inline double usw_carry_tree_carry(const usw_carry_tree *o)
{
    double carry = usw_neutral(o->product);
    for (int l = USW_CARRY_TREE_LEVELS - 1; l >= 0; l--) {
        carry = usw_join(o->product, o->head[l] ? usw_neutral(o->product) : carry, o->level_sum[l]);
    }
    return carry;
}

#endif
