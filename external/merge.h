/* merge.h - the last merge, as its threads share it: who merges which range, and whose turn it
 * is. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_EXTERNAL_MERGE_H
#define USW_EXTERNAL_MERGE_H

#include "external/ranges.h"

enum { USW_MERGE_IN_FLIGHT = 256 /* ranges whose end may wait for that of an earlier one */ };

/* What a merging thread does with its ranges. */
typedef enum usw_merge_way { USW_TO_PLACES, USW_IN_ORDER, USW_TO_PULLER } usw_merge_way;

struct usw_ext_merge {
    upsweep_external *x;
    usw_merge_way way;
    int fd;
    int direct;    /* the same file past the page cache, for whole pages; -1: not so */
    int64_t begin; /* of the output in fd; -1: it is no file */
    usw_ext_plan plan;
    unsigned threads, started;
    pthread_t ids[USW_EXT_WORKERS + 1];
    unsigned char *rooms;
    size_t room_bytes, output_bytes;
    double since;

    pthread_mutex_t lock; /* all below, and the plan */
    pthread_cond_t turned;
    unsigned next_room, running;
    uint64_t turn;      /* the range whose bytes may go */
    uint64_t out_bytes; /* that have gone, in order */
    bool ended[USW_MERGE_IN_FLIGHT];
    uint64_t low;              /* all ranges below it have ended */
    const unsigned char *held; /* for the puller, until it comes again */
    size_t held_bytes;
    bool has, lent; /* it is there; and the puller has it */
    bool stopped;
    int number; /* errno of the output */
};

/* ---- merge_output.c ---- */

/* Merges a range and hands it on. Of elements s sorts it; there is room behind r up to `end`. */
upsweep_status usw_merge_one(usw_ext_merge *m, usw_ext_range *r, usw_ext_sorting *s,
                             unsigned char *buffer, unsigned char *end);
/* For an output that goes past the page cache: another descriptor of the file, which m->fd is then;
 * -1: there is none, and the output goes through the cache. */
int usw_merge_open_again(usw_ext_merge *m);

#endif
