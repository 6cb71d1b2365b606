/* spine_digits.pml - the tiles of a radix sort's pass learn where their digits go from one block, the
 * spine: gpu/carry/spine_digits.cuh, with the words of gpu/carry/look_back_digits.cuh and the tiles that
 * gpu/digit_sort/pass.cuh takes.
 *
 * One digit of the 256, since digits do not meet. A ring of RING words serves TILES tiles in PASSES
 * passes, one kernel each; nothing is cleared between them. A word is: top bit, epoch modulo 4 and
 * number, or top bit and answer, which may cover the epoch's bits (here it does: an answer is a
 * whole number, and its epoch is any, ANSWER). Tile t holds t + 1 keys. RESIDENT blocks run at a
 * time; the first to begin is the spine. It reads WINDOW words at a time, also beyond the ring. */
/* SPDX-License-Identifier: MIT */
#define TILES 5
#define RING 2
#define PASSES 2
#ifndef RESIDENT
#define RESIDENT 3
#endif
#define BLOCKS 3
#define WINDOW 2
#define LAPS 3                       /* ceil(TILES / RING) */
#define EPOCH(t) (1 + pass * LAPS + (t) / RING)
#define SLOT(t) ((t) % RING)

bool top[RING];
byte epoch[RING], number[RING]; /* of the words; epoch modulo 4 */
byte said[RING];                /* done[]: the epoch of the tile that has read its answer */
byte taken[PASSES], running, ended;

inline take_next()
{
    /* step take */
    atomic { next = taken[pass]; taken[pass]++ }
    /* step wait_slot: a tile may begin when the last user of its words has read them */
    if
    :: next > RING && next <= TILES -> said[SLOT(next - 1)] == EPOCH(next - 1) - 1
    :: else
    fi
}

proctype block(byte pass)
{
    byte next, tile, sum, at, i, ready, answer;

    atomic { ended >= pass * BLOCKS && running < RESIDENT -> running++ }
    atomic { next = taken[pass]; taken[pass]++ }
    if
    :: next == 0 -> /* the spine */
        sum = 0;
        at = 0;
        do
        :: at < TILES ->
            /* step read: the words that are counts of this epoch, in a row */
            ready = 0;
            do
            :: ready < WINDOW && at + ready < TILES && SLOT(at) + ready < RING ->
                if
                :: atomic {
                        !top[SLOT(at) + ready] && epoch[SLOT(at) + ready] == EPOCH(at) % 4 ->
                            /* a count of an older tile must never be taken for this one's */
                            assert(number[SLOT(at) + ready] == at + ready + 1)
                    }
                    ready++
                :: else -> break
                fi
            :: else -> break
            od;
            if
            :: ready == 0 -> !top[SLOT(at)] && epoch[SLOT(at)] == EPOCH(at) % 4
            :: else
            fi;
            /* step answer */
            i = 0;
            do
            :: i < ready ->
                atomic { top[SLOT(at + i)] = true; epoch[SLOT(at + i)] = sum % 4; answer = sum;
                    sum = sum + number[SLOT(at + i)]; number[SLOT(at + i)] = answer }
                i++
            :: else -> break
            od;
            at = at + ready
        :: else -> break
        od
    :: else ->
        do
        :: next <= TILES ->
            tile = next - 1;
            /* step tell: the count, over an answer that has been read */
            atomic { top[SLOT(tile)] = false; epoch[SLOT(tile)] = EPOCH(tile) % 4;
                number[SLOT(tile)] = tile + 1 }
            /* step hear */
            atomic { top[SLOT(tile)] -> answer = number[SLOT(tile)] }
            assert(answer == tile * (tile + 1) / 2);
            /* step done */
            said[SLOT(tile)] = EPOCH(tile);
            take_next()
        :: else -> break
        od
    fi;
    atomic { running--; ended++ }
}

init
{
    byte i = 0;
    atomic {
        do
        :: i < PASSES * BLOCKS -> run block(i / BLOCKS); i++
        :: else -> break
        od
    }
}
