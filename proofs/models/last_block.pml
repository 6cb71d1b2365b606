/* last_block.pml - one block gathers what all blocks have found: usw_call_draw and usw_call_of of
 * gpu/carry/carry_tree.cuh, usw_gather_put and usw_gather_all of gpu/carry/last_block_collects.cuh.
 *
 * Block i leaves 2^i in its node; the block that has drawn last reads all nodes. Nodes stay from
 * call to call and bear the call's number. Two calls follow one another. RESIDENT blocks run at a
 * time. */
/* SPDX-License-Identifier: MIT */
#define BLOCKS 4
#ifndef RESIDENT
#define RESIDENT 2
#endif
#ifndef CALLS
#define CALLS 3
#endif

byte tag[BLOCKS], value[BLOCKS]; /* 0: never written */
byte drawn, calls;
byte running, ended;
byte gathered; /* calls whose result was told */

proctype block(byte number)
{
    byte mine, call, i, sum = 0;

    atomic { ended >= number * BLOCKS && running < RESIDENT -> running++ }
    /* step draw */
    atomic { mine = drawn; drawn++; call = calls }
    /* step turn_call: the block that drew last turns the number of calls */
    if
    :: mine == BLOCKS - 1 -> atomic { drawn = drawn - BLOCKS; calls++ }
    :: else
    fi;
    assert(call == number);
    /* step put: value and tag are written whole; the value is of this call */
    atomic { value[mine] = (1 << mine) + number; tag[mine] = call + 1 }
    /* step gather: the block that drew last waits for each node of this call */
    if
    :: mine == BLOCKS - 1 ->
        i = 0;
        do
        :: i < BLOCKS ->
            atomic { tag[i] == call + 1; sum = sum + value[i] };
            i++
        :: else -> break
        od;
        assert(sum == (1 << BLOCKS) - 1 + BLOCKS * number);
        atomic { assert(gathered == number); gathered++ }
    :: else
    fi;
    atomic { running--; ended++ }
}

init
{
    byte i = 0;
    atomic {
        do
        :: i < CALLS * BLOCKS -> run block(i / BLOCKS); i++
        :: else -> break
        od
    };
    ended == CALLS * BLOCKS;
    assert(gathered == CALLS && drawn == 0)
}
