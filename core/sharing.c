/* sharing.c - whether threads share a call's work, by how long the last calls of that work took.
 *
 * Threads that share wait for one another, long where other programs use the cores. Of calls with
 * the same work on a handle one is shared and one made by a single thread, and then they go the way
 * that was faster of late, but for one in 32. What comes out is the same either way. */
/* SPDX-License-Identifier: MIT */
#include "core/frame.h"

#include <time.h>

enum { PROBE = 32 /* calls, of which one is made the way that was slower before */ };

bool usw_may_share(upsweep *u, usw_shared_work kind, size_t work)
{
    usw_sharing *s = &u->sharing[kind];
    bool known = s->work == work;
    if (kind != USW_SHARED_PATHS && (!known || s->ns[0] == 0)) {
        return false; /* a program that makes one such call starts no threads for it */
    }
    if (!known || s->ns[1] == 0) {
        return true;
    }
    bool faster = s->ns[0] != 0 && s->ns[1] <= s->ns[0];
    return ++s->turn % PROBE == 0 ? !faster : faster;
}

void usw_note_time(upsweep *u, usw_shared_work kind, size_t work, bool shared, uint64_t ns)
{
    usw_sharing *s = &u->sharing[kind];
    if (s->work != work) {
        *s = (usw_sharing){.work = work};
    }
    uint64_t *mean = &s->ns[shared]; /* one call that was held up is not what others will take */
    *mean = *mean == 0 ? ns + 1 : (*mean + usw_min(ns, 2 * *mean)) / 2 + 1;
}

uint64_t usw_now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
