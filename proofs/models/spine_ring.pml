/* spine_ring.pml - tiles learn their carries from a spine, warps of one block: gpu/carry/spine_ring.cuh
 * and the clearing of nodes in gpu/folds/scan_ring.cuh.
 *
 * A group is 2 tiles, not 64; SPINES warps take the groups in turn. Tile t belongs to block t mod
 * BLOCKS; all blocks run at once (the launch is a cooperative one). Tile t holds 2^t. Nodes hold
 * what an earlier kernel left there, until their owner clears them. A node is read and written
 * whole. The upper sum that groups hand on is one word here and a few there. */
/* SPDX-License-Identifier: MIT */
#ifndef TILES
#define TILES 5
#endif
#define BLOCKS 2
#define SPINES 2
#define GROUP 2

#define NONE 0
#define SUM 1
#define CARRY 2

byte state[TILES] = CARRY, value[TILES] = 255; /* what an earlier kernel left */
byte cleared, left;                            /* barrier[0], barrier[1] */
byte upper, groups;                            /* shared memory of the spine's block */

/* The tiles of a block: one warp publishes sums, another one waits for carries. */
proctype sums(byte mine)
{
    byte t = mine;
    /* step clear */
    do
    :: t < TILES -> atomic { state[t] = NONE; value[t] = 0 } t = t + BLOCKS
    :: else -> break
    od;
    /* step cleared */
    cleared++;
    run carries(mine);
    t = mine;
    do
    :: t < TILES ->
        /* step publish_sum */
        atomic { assert(state[t] == NONE); value[t] = 1 << t; state[t] = SUM }
        t = t + BLOCKS
    :: else -> break
    od
}

proctype carries(byte mine)
{
    byte t = mine;
    do
    :: t < TILES ->
        /* step read_carry */
        atomic { state[t] == CARRY; assert(value[t] == (1 << t) - 1) }
        t = t + BLOCKS
    :: else -> break
    od
}

proctype spine(byte mine)
{
    byte g = mine, done, first, count, before, base, i, found[GROUP];
    bool there[GROUP];

    /* step wait_cleared: the last of the warps makes the words 0 again */
    cleared == BLOCKS;
    if
    :: atomic { left == SPINES - 1 -> left++ } cleared = 0; left = 0
    :: atomic { left < SPINES - 1 -> left++ }
    fi;
    do
    :: g * GROUP < TILES ->
        count = (TILES - g * GROUP < GROUP -> TILES - g * GROUP : GROUP);
        there[0] = false;
        there[1] = false;
        done = 0;
        before = 0;
        do
        :: done < count ->
            /* step look: nodes that were not there are read again */
            i = 0;
            do
            :: i < count ->
                if
                :: !there[i] ->
                    atomic {
                        if
                        :: state[g * GROUP + i] != NONE ->
                            assert(state[g * GROUP + i] == SUM);
                            there[i] = true;
                            found[i] = value[g * GROUP + i]
                        :: else
                        fi
                    }
                :: else
                fi;
                i++
            :: else -> break
            od;
            first = done;
            do
            :: first < count -> if :: there[first] -> first++ :: else -> break fi
            :: else -> break
            od;
            if
            :: first == done ->
                state[g * GROUP + done] != NONE || done + 1 < count && !there[done + 1] &&
                    state[g * GROUP + done + 1] != NONE
            :: else ->
                /* step wait_turn */
                if
                :: done == 0 -> groups == g; base = upper
                :: else
                fi;
                i = done;
                /* step turn: a whole group's sum, before its carries */
                if
                :: first == GROUP ->
                    upper = base + before + found[done] + (done + 1 < GROUP -> found[done + 1] : 0);
                    groups = g + 1
                :: else
                fi;
                /* step publish_carry */
                do
                :: i < first ->
                    atomic { value[g * GROUP + i] = base + before; state[g * GROUP + i] = CARRY }
                    before = before + found[i];
                    i++
                :: else -> break
                od;
                done = first
            fi
        :: else -> break
        od;
        g = g + SPINES
    :: else -> break
    od
}

init
{
    atomic {
        byte i = 0;
        do
        :: i < TILES -> state[i] = CARRY; value[i] = 255; i++
        :: else -> break
        od;
        run sums(0);
        run sums(1);
        run spine(0);
        run spine(1)
    }
}
