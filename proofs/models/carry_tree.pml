/* carry_tree.pml - a tile learns its carry from the nodes of a tree, without a chain:
 * usw_carry_tree_publish, _sum, _turn and _read of gpu/carry/carry_tree.cuh, as algo/scan_sweep.cu
 * calls them, with blocks numbered by usw_call_draw and usw_call_of in nodes that stay from call to
 * call.
 *
 * The fan-out is 2, not 64, so that 4 tiles have 3 levels: 4 nodes, 2, 1. Tile t holds 2^t, 16
 * times that in the second call. Two calls follow one another (a stream keeps them in order);
 * nothing is cleared between them, and a node of the first call has another tag. Value and tag are
 * 16 bytes that are written and read whole, one step here. */
/* SPDX-License-Identifier: MIT */
#define TILES 4
#ifndef RESIDENT
#define RESIDENT 2
#endif
#define LEVELS 3
#define NODES 7
#define CALLS 2
#define HOLDS(t) (1 << ((t) + TILES * number))
#define BEGIN(l) (l == 0 -> 0 : (l == 1 -> TILES : TILES + TILES / 2)) /* a level's first node */
#define CLOSES(t, l) ((t + 1) % (2 << (l)) == 0 && l + 1 < LEVELS)

byte tag[NODES], value[NODES]; /* tag: of the call that wrote the node; 0: nothing yet */
byte drawn, calls;             /* halves of *calls: blocks that drew, calls that are over */
byte running, ended;
byte order[CALLS];

/* The blocks of call `number`; the next call's begin when all of these have ended. */
proctype block(byte number)
{
    byte tile, mine, l, at, sum, carry = 0, level_sum[LEVELS];
    bool publishes;

    /* The stream starts the next call's kernel when all blocks of this one have ended. */
    atomic { ended >= number * TILES && running < RESIDENT -> running++ }
    /* step draw */
    atomic { tile = drawn; drawn++; mine = calls }
    /* step turn_call: the last block turns the number of calls */
    if
    :: tile == TILES - 1 -> atomic { drawn = drawn - TILES; calls++ }
    :: else
    fi;
    assert(mine == number);
    /* step publish */
    atomic { value[tile] = HOLDS(tile); tag[tile] = mine + 1 }
    /* step turn: level by level here, a warp a level there */
    l = 0;
    do
    :: l < LEVELS ->
        at = tile >> l;
        sum = 0;
        if
        :: at % 2 == 1 -> /* step wait: a node of another call is none */
            atomic {
                tag[BEGIN(l) + at - 1] == mine + 1;
                sum = value[BEGIN(l) + at - 1]
            }
        :: else
        fi;
        level_sum[l] = sum;
        /* step close_first: a sum of level 1 goes out before anything else is waited for */
        if
        :: l == 0 && CLOSES(tile, 0) ->
            atomic {
                value[BEGIN(1) + (tile >> 1)] = sum + HOLDS(tile);
                tag[BEGIN(1) + (tile >> 1)] = mine + 1
            }
        :: else
        fi;
        l++
    :: else -> break
    od;
    /* step close: thread 0, after the barrier */
    l = 0;
    sum = HOLDS(tile);
    do
    :: CLOSES(tile, l) ->
        sum = sum + level_sum[l];
        if
        :: l > 0 -> atomic {
                value[BEGIN(l + 1) + (tile >> (l + 1))] = sum;
                tag[BEGIN(l + 1) + (tile >> (l + 1))] = mine + 1
            }
        :: else
        fi;
        l++
    :: else -> break
    od;
    /* step read */
    carry = level_sum[0] + level_sum[1] + level_sum[2];
    assert(carry == HOLDS(tile) - HOLDS(0));
    atomic { running--; ended++ }
}

init
{
    byte i = 0;
    atomic {
        do
        :: i < CALLS * TILES -> run block(i / TILES); i++
        :: else -> break
        od
    }
}
