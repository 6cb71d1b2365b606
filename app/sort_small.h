/* sort_small.h - a serial sort of a few lines. */
#ifndef SORT_SMALL_H
#define SORT_SMALL_H

#include "sort_text.h"

enum { SORT_SMALL = 4096 };

/* Sorts n <= SORT_SMALL items, stable, by the sort keys from stage.key on. by_keys: keys of the
 * stage are compared before texts are. */
void sort_small(const sort_job *job, uint64_t *items, size_t n, sort_stage stage, bool by_keys);

#endif
