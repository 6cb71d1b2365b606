/* replace_file.pml - an output takes the place of an old file whole or not at all, whoever is killed
 * at whatever step: io/output.c, io/place.c, and io/keeper.c, a child process that puts the file in
 * place and cleans up after its parent.
 *
 * KILLED says who may be killed, at any step: 0 nobody, 1 the parent, 2 the keeper, 3 both. The
 * target exists before. The new file has no name (O_TMPFILE), or, with NAMED, the name for the moment
 * from the start, where the file system knows no files without. A loss of power is the end of all at
 * any step: the target is then what its name leads to, so the new file's data must be on the disk
 * before the target's name leads there. */
/* SPDX-License-Identifier: MIT */
#ifndef KILLED
#define KILLED 3
#endif
#ifndef NAMED
#define NAMED 0
#endif

mtype = { OLD, NEW };
mtype target = OLD;      /* what the target's name leads to */
bool moment;             /* the name for the moment is there; it leads to the new file */
bool synced;             /* the new file's data is on the disk */
bool parent_killed, keeper_killed, keeper_runs, parent_over, keeper_over;
bool done;               /* the parent told success */
bool asked, down_closed; /* the pipe to the keeper */
bool answered, up_closed; /* and the one from it */

inline put_in_place(named)
{
    /* step find: what has been done already, by a keeper that was killed */
    if
    :: target == NEW -> skip
    :: else ->
        /* step link */
        if
        :: !named && !moment -> moment = true
        :: else
        fi;
        /* step rename */
        assert(synced && moment);
        atomic { target = NEW; moment = false }
    fi
}

proctype parent()
{
    bool named = NAMED;
    {
        /* step open */
        moment = NAMED;
        /* step start_keeper */
        atomic { keeper_runs = true; run keeper() }
        if
        :: /* an error: the output is given up */
            skip
        :: /* step sync */
            synced = true;
            /* step ask */
            asked = true;
            /* step hear: an answer, or else the end of the keeper */
            if
            :: answered -> skip
            :: up_closed && !answered -> keeper_over; put_in_place(named)
            fi;
            named = false;
            done = true
        fi;
        /* step end_keeper */
        down_closed = true;
        keeper_over;
        /* step clean_up: where the keeper was killed */
        if
        :: named -> moment = false
        :: else
        fi
    } unless { parent_killed };
    down_closed = true;
    parent_over = true
}

proctype keeper()
{
    bool named = NAMED;
    {
        /* step wait_for_byte */
        if
        :: asked ->
            put_in_place(named);
            /* step answer */
            answered = true
        :: down_closed && !asked ->
            /* step remove */
            if
            :: named -> moment = false
            :: else
            fi
        fi
    } unless { keeper_killed };
    up_closed = true;
    keeper_over = true
}

proctype kill_parent()
{
    if
    :: KILLED & 1 -> parent_killed = true
    :: true
    fi
}

proctype kill_keeper()
{
    if
    :: KILLED & 2 -> keeper_killed = true
    :: true
    fi
}

init
{
    atomic { run parent(); run kill_parent(); run kill_keeper() };
    parent_over && (keeper_over || !keeper_runs);
    assert(!done || target == NEW);
    /* A name is left only where both were killed, or the one that there was. */
    assert(!moment || parent_killed && (keeper_killed || !keeper_runs));
    /* step clean: the next output to this target finds it, by the name and for want of a lock */
    moment = false
}
