/* sharing.c - how many threads a call gets, by its work and by how long its likes took of late.
 *
 * Work is measured in bytes of a sort, which takes 0.7 ns for each. A call of little work is for
 * one thread, one of much for as many as pay. In between, threads pay where nothing else runs, but
 * where other programs use the cores they wait for one another longer than one thread would take.
 * There, of calls of the same kind (a function and a type) and size, one is made by a single thread
 * and one shared, and then they go the way that was faster of late, but for the 2nd, 4th, 8th ..
 * and one in 32, since one call that was held up is not to decide for those to come. What comes out
 * is the same. */
/* SPDX-License-Identifier: MIT */
#include "core/frame.h"

#include <time.h>

enum {
    PROBE = 32, /* calls, of which one is made the way that was slower before */
    EARLY = 16  /* first calls, of which the least time tells */
};

bool usw_may_share(upsweep *u, unsigned kind, size_t work)
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
    unsigned turn = ++s->turn;
    bool early = kind != USW_SHARED_PATHS && turn > 1 && (turn & (turn - 1)) == 0;
    return early || turn % PROBE == 0 ? !faster : faster;
}

void usw_note_time(upsweep *u, unsigned kind, size_t work, bool shared, uint64_t ns)
{
    usw_sharing *s = &u->sharing[kind];
    if (s->work != work) {
        *s = (usw_sharing){.work = work};
    }
    uint64_t *mean = &s->ns[shared]; /* one call that was held up is not what others will take */
    if (s->turn > 0 && s->turn <= EARLY && kind != USW_SHARED_PATHS) {
        *mean = usw_min(*mean, ns + 1);
        return;
    }
    *mean = *mean == 0 ? ns + 1 : (*mean + usw_min(ns, 2 * *mean)) / 2 + 1;
}

uint64_t usw_now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Calls of two kinds that come to the same number are taken for one. */
static unsigned number_of(const char *call, size_t type, unsigned band)
{
    const uint64_t prime = UINT64_C(0x100000001b3); /* of Fowler, Noll and Vo's hash */
    uint64_t hash = (type + 1) * prime;
    for (; *call != '\0'; call++) {
        hash = (hash ^ (unsigned char)*call) * prime;
    }
    return 1 + (unsigned)((hash ^ hash >> 32) % USW_KINDS) * USW_BANDS + band;
}

void usw_share_work(upsweep *u, size_t work, const char *call, size_t type)
{
    usw_offer_threads(u, work);
    if (!u->shares_early || work < USW_EARLY_BYTES || work >= USW_SURE_BYTES) {
        return;
    }
    unsigned band = work >= 4 * (size_t)USW_EARLY_BYTES ? 2 : work >= 2 * (size_t)USW_EARLY_BYTES;
    u->offered.kind = number_of(call, type, band);
    u->offered.shared = usw_may_share(u, u->offered.kind, 1);
    USW_ROUTE_IF(u->offered.shared, "a short call that threads share", USW_NO_TYPES);
    USW_ROUTE_IF(!u->offered.shared, "a short call that threads might share", USW_NO_TYPES);
    u->threads = u->offered.shared ? u->threads : 1;
    if (u->offered.shared && u->pool == NULL) {
        u->offered.kind = 0; /* to start threads takes longer than to wake them */
        return;
    }
    u->offered.kilobytes = work >> 10;
    u->offered.began = usw_now_ns();
}

void usw_note_call(upsweep *u)
{
    usw_note_time(u, u->offered.kind, 1, u->offered.shared,
                  (usw_now_ns() - u->offered.began) / u->offered.kilobytes);
}
