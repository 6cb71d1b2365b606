/* state.h - what all arrays hold at a moment of a tape: moment m is after m rounds. Going back
 * means to begin again from a state that was kept, so it costs little wherever the moment is. */
/* SPDX-License-Identifier: MIT */
#ifndef VIEW_STATE_H
#define VIEW_STATE_H

#include "view/tape.h"

enum { VIEW_KEPT = 32 };

typedef struct view_state {
    const view_tape *tape;
    size_t moment;
    uint32_t *values; /* of array k: values[arrays[k].first] on */
    /* What travels with the elements: 1 + the bucket that they belong to; of distances 1 + the
     * place in the other array that they came from, an arc; 0: nothing is known. */
    uint32_t *tags;
    uint64_t counts[VIEW_KINDS]; /* steps so far */
    struct {
        size_t moment;
        uint32_t *memory;
        uint64_t counts[VIEW_KINDS];
    } kept[VIEW_KEPT];
    size_t kept_count;
} view_state;

/* At moment 0. False: no memory. *s can be freed in any case; the tape must outlive it. */
bool view_state_open(view_state *s, const view_tape *tape);
/* Goes to a moment, at most tape->round_count. */
void view_state_seek(view_state *s, size_t moment);
void view_state_free(view_state *s);

static inline const uint32_t *view_values(const view_state *s, uint8_t array)
{
    return s->values + s->tape->arrays[array].first;
}
static inline const uint32_t *view_tags(const view_state *s, uint8_t array)
{
    return s->tags + s->tape->arrays[array].first;
}

#endif
