/* bucketing.h - a caller's bucketing, checked and made ready for the calls of histogram.c. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CALLS_BUCKETING_H
#define USW_CALLS_BUCKETING_H

#include "core/check.h"
#include "cpu/cpu.h"

/* Least and greatest key are looked for where WIDTH leaves its range open; keys, n and type have
 * been checked. Takes scratch for edges. */
upsweep_status usw_buckets_make(upsweep *u, const void *keys, size_t n, upsweep_type type,
                                const upsweep_bucketing *wish, usw_buckets *b);

#endif
