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
 *          Upward sweep: inside each run of 8, three rounds of distance 1, 2, 4: v[j] = v[j - d] +
 * v[j] for all j >= d at once. A run's last value is its total; the totals of 8 runs are the run of
 *          the next level. Downward sweep, from the top: offset(child) = offset(parent) + (the
 * prefix of the children before it, 0 for the first). The tile's offset is its carry (below); the
 *          result is out[i] = offset(run of i) + v[i], or + v[i - 1] (0 for a run's first) when
 *          exclusive. The tile's sum is the last total.
 * Carries. The tiles' sums are combined by an odometer with 64 teeth a wheel: wheel 0 adds tile
 * sums one after the other; after 64 of them its value is added to wheel 1 and it returns to the
 *          identity; and so on. A carry is read from the top wheel down: ((0 + w_k) + ... + w_1) +
 * w_0. The carry before tile t depends on tiles 0 .. t - 1 only. A reduction's result is the carry
 * after the last tile. Heads.   Segmented scans use the same shapes with the operator on (head,
 * value) pairs: where the right value's range contains a head, the left value is replaced by the
 * identity. NaN.     A result that is NaN is stored as the type's positive quiet NaN without
 * payload.
 */
#ifndef USW_ORDER_H
#define USW_ORDER_H

#include "core/frame.h"

enum {
    USW_TILE = 4096, /* elements */
    USW_LANES = 128, /* of a tile when it is reduced */
    USW_RUN = 8,     /* fan-out of a tile when it is scanned */
    USW_TEETH = 64,  /* of one wheel */
    USW_WHEELS = 9   /* 64^9 tiles are more than there can be */
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
    unsigned tooth[USW_WHEELS];
    bool head[USW_WHEELS]; /* the wheel's range contains a head: what came before it is cut off */
    double wheel[USW_WHEELS];
} usw_carry_tree;

static inline void usw_carry_tree_start(usw_carry_tree *o, bool product)
{
    *o = (usw_carry_tree){.product = product};
    for (int w = 0; w < USW_WHEELS; w++) {
        o->wheel[w] = usw_neutral(product);
    }
}

/* The next tile's sum; with `head`, of what follows the tile's last head. */
static inline void usw_carry_tree_add(usw_carry_tree *o, double sum, bool head)
{
    for (int w = 0; w < USW_WHEELS; w++) {
        o->wheel[w] = usw_join(o->product, head ? usw_neutral(o->product) : o->wheel[w], sum);
        o->head[w] = o->head[w] || head;
        if (++o->tooth[w] < USW_TEETH) {
            return;
        }
        sum = o->wheel[w];
        head = o->head[w];
        o->tooth[w] = 0;
        o->head[w] = false;
        o->wheel[w] = usw_neutral(o->product);
    }
}

static inline double usw_carry_tree_carry(const usw_carry_tree *o)
{
    double carry = usw_neutral(o->product);
    for (int w = USW_WHEELS - 1; w >= 0; w--) {
        carry = usw_join(o->product, o->head[w] ? usw_neutral(o->product) : carry, o->wheel[w]);
    }
    return carry;
}

#endif
