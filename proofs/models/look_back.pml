/* look_back.pml - a tile learns the sum of all tiles before it by looking back at their words:
 * usw_chain_tile, usw_chain_before and usw_chain_window of gpu/carry/look_back_sum.cuh.
 *
 * Tile t holds 2^t, so that a sum tells which tiles are in it, each once. RESIDENT blocks run at a
 * time; another one begins when one has ended, as on a device that is smaller than its grid. A word
 * is one atomic store or load of 64 bits there and one step here. The window is 2 tiles, not 128. */
/* SPDX-License-Identifier: MIT */
#define TILES 4
#ifndef RESIDENT
#define RESIDENT 3
#endif
#define WINDOW 2

#define NONE 0
#define ALONE 1
#define SUM 2

byte state[TILES], value[TILES]; /* the words; NONE: not published */
byte ticket, running;

active [TILES] proctype block()
{
    byte tile, before = 0, r, sum;
    short last;
    byte seen[WINDOW], held[WINDOW];
    bool found, missing;

    atomic { running < RESIDENT -> running++ }
    /* step draw */
    atomic { tile = ticket; ticket++ }
    /* step publish */
    atomic {
        assert(state[tile] == NONE);
        value[tile] = 1 << tile;
        state[tile] = (tile == 0 -> SUM : ALONE)
    }
    last = tile - 1;
    do
    :: last < 0 -> break
    :: else ->
        r = 0;
        do
        :: r < WINDOW -> seen[r] = (last - r >= 0 -> NONE : SUM); held[r] = 0; r++
        :: else -> break
        od;
        /* step look: words that are not there yet are read again */
look:   r = 0;
        do
        :: r < WINDOW ->
            if
            :: seen[r] == NONE ->
                atomic { seen[r] = state[last - r]; held[r] = value[last - r] }
            :: else
            fi;
            r++
        :: else -> break
        od;
        /* step add: up to the nearest word that has a whole sum */
        skip;
        d_step {
            r = 0; sum = 0; found = false; missing = false;
            do
            :: r < WINDOW && !found ->
                if
                :: seen[r] == NONE -> missing = true
                :: else -> sum = sum + held[r]
                fi;
                found = seen[r] == SUM;
                r++
            :: else -> break
            od;
            skip
        }
        if
        :: missing -> /* asked again and again there; here the block sleeps until there is news */
            (seen[0] == NONE && state[last] != NONE ||
             seen[1] == NONE && last > 0 && state[last - 1] != NONE);
            goto look
        :: else
        fi;
        before = before + sum;
        if
        :: found -> break
        :: else -> last = last - WINDOW
        fi
    od;
    assert(before == (1 << tile) - 1);
    /* step publish_sum */
    if
    :: tile != 0 -> atomic {
            assert(state[tile] == ALONE);
            value[tile] = before + (1 << tile);
            state[tile] = SUM
        }
    :: else
    fi;
    atomic { running-- }
}
