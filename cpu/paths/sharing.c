/* sharing.c - whether threads share a search, by how long the last ones of the same work took.
 *
 * Threads that share a search wait for one another's turn at every bucket. Where other programs use
 * the cores a turn is long, and one thread alone is faster. Of searches with the same work on a
 * handle the first is shared, the second made by one thread, and then they go the way that was
 * faster of late, but for one in 32. Distances are the same either way. */
/* SPDX-License-Identifier: MIT */
#include "core/paths.h"

enum { PROBE = 32 /* searches, of which one is made the way that was slower before */ };

bool usw_may_share(upsweep *u, size_t work)
{
    usw_sharing *s = usw_sharing_of(u);
    if (s == NULL || s->work != work || s->ns[1] == 0) {
        return true;
    }
    bool faster = s->ns[0] != 0 && s->ns[1] <= s->ns[0];
    return ++s->turn % PROBE == 0 ? !faster : faster;
}

void usw_note_time(upsweep *u, size_t work, bool shared, uint64_t ns)
{
    usw_sharing *s = usw_sharing_of(u);
    if (s == NULL) {
        return;
    }
    if (s->work != work) {
        *s = (usw_sharing){.work = work};
    }
    uint64_t *mean = &s->ns[shared];
    *mean = *mean == 0 ? ns + 1 : (*mean + ns) / 2 + 1;
}
