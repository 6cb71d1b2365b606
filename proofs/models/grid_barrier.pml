/* grid_barrier.pml - blocks of one launch meet, and leave the barrier's two words as they found
 * them: usw_grid_barrier of gpu/gpu.cuh, ROUNDS meetings of which the last is the end, in two
 * kernels that follow one another.
 *
 * All blocks run at once (the launch is a cooperative one). Every block writes a word of its own
 * before a meeting and reads those of all others after it. */
/* SPDX-License-Identifier: MIT */
#define BLOCKS 3
#define ROUNDS 2
#define KERNELS 2

byte arrived, left;        /* barrier[0], barrier[1] */
byte said[BLOCKS];         /* what a block wrote last: meetings it has come to, over all kernels */
byte ended;

proctype block(byte mine; byte kernel)
{
    byte round = 1, i;

    ended >= kernel * BLOCKS; /* the stream */
    do
    :: round <= ROUNDS ->
        said[mine] = kernel * ROUNDS + round;
        /* step arrive */
        atomic { arrived++; assert(arrived <= round * BLOCKS) }
        /* step wait */
        arrived >= round * BLOCKS;
        i = 0;
        do
        :: i < BLOCKS -> assert(said[i] >= kernel * ROUNDS + round); i++
        :: else -> break
        od;
        /* step clear: whoever leaves last, at the last meeting */
        if
        :: round == ROUNDS ->
            if
            :: atomic { left == BLOCKS - 1 -> left++ }
                arrived = 0;
                left = 0
            :: atomic { left < BLOCKS - 1 -> left++ }
            fi
        :: else
        fi;
        round++
    :: else -> break
    od;
    ended++
}

init
{
    byte i = 0;
    atomic {
        do
        :: i < KERNELS * BLOCKS -> run block(i % BLOCKS, i / BLOCKS); i++
        :: else -> break
        od
    };
    ended == KERNELS * BLOCKS;
    assert(arrived == 0 && left == 0)
}
