/* queries.h - what a query for paths asks for, beside its graph. */
/* SPDX-License-Identifier: MIT */
#ifndef FUZZ_QUERIES_H
#define FUZZ_QUERIES_H

#include "test/fuzz/nets.h"

enum { FUZZ_SOURCES = 12, FUZZ_TARGETS = 24 };

typedef struct fuzz_query {
    uint32_t sources[FUZZ_SOURCES], targets[FUZZ_TARGETS];
    size_t source_count, target_count;
    bool has_cutoff, has_targets;
    long double cutoff;
    uint64_t cutoff_element;
    double delta;
    const char *algorithm;
} fuzz_query;

void fuzz_draw_ids(fuzz *f, uint32_t *ids, size_t count, size_t n);
/* 1 to `sources` sources, or none. No cutoff yet. */
void fuzz_query_draw(fuzz *f, fuzz_query *q, size_t n, size_t sources);
/* A distance near one of these. */
long double fuzz_draw_cutoff(fuzz *f, upsweep_type type, const long double *distance, size_t n);
/* A cutoff, sometimes. */
void fuzz_query_cutoff(fuzz *f, fuzz_query *q, upsweep_type type, const long double *distance,
                       size_t n);
/* Something wrong with it, if the case wants that. */
void fuzz_query_twist(fuzz *f, fuzz_query *q, size_t n);
/* What it says, for the reader. */
void fuzz_query_tell(fuzz *f, const fuzz_query *q);
/* What lies farther than that counts as not reached. */
long double fuzz_query_limit(const fuzz_query *q, const long double *distance);
/* A distance that does not fit is an error, unless a limit keeps the search from it: then either
 * will do. */
void fuzz_query_expect(fuzz *f, bool lost, bool limited);
/* Nothing beyond sources. */
bool fuzz_query_is_plain(const fuzz_query *q);

#endif
