/* sort_small.h - what a run of lines with equal keys is parted by, and a serial sort of a few lines
 * by it. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_APP_SORT_SORT_SMALL_H
#define USW_APP_SORT_SORT_SMALL_H

#include "app/sort/sort_text.h"

enum { SORT_SMALL = 4096 };

/* What parts lines whose key at a stage is `key`: nothing (they count as equal), comparing from the
 * same sort key on, or the keys of *next. bits are those of all keys of the stage. */
sort_step sort_next_step(const sort_job *job, sort_stage stage, uint64_t key, unsigned bits,
                         sort_stage *next);

/* Whether the keys of a stage are plain bytes of the text, of which shared ones may be skipped. */
bool sort_is_plain(const sort_job *job, sort_stage stage);
/* How many of `shared` bytes of `first` behind stage.depth the line has, too. */
size_t sort_shared_with(const sort_job *job, sort_stage stage, sort_text first, uint64_t item,
                        size_t shared);

/* Sorts n <= SORT_SMALL items, stable: by the keys of the stage and all that follows, or, compare
 * being set, by comparing from sort key stage.key on. */
void sort_small(const sort_job *job, uint64_t *items, size_t n, sort_stage stage, bool compare);

#endif
