/* queries.c - see queries.h. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/queries.h"

#include <math.h>

void fuzz_draw_ids(fuzz *f, uint32_t *ids, size_t count, size_t n)
{
    for (size_t i = 0; i < count; i++) {
        ids[i] = (uint32_t)fuzz_draw(f, n);
    }
}

long double fuzz_draw_cutoff(fuzz *f, upsweep_type type, const long double *distance, size_t n)
{
    uint64_t one = fuzz_draw(f, n); /* it is just reached, or just not */
    long double of_one = fuzz_distance_within(type, distance[one], INFINITY);
    long double cutoff =
        isinf(of_one) || fuzz_chance(f, 4) ? (long double)fuzz_draw(f, 50) : of_one;
    bool real = type == UPSWEEP_F32 || type == UPSWEEP_F64;
    return fuzz_chance(f, 3) && cutoff >= 1 ? cutoff - (real ? 0.5L : 1) : cutoff;
}

void fuzz_query_draw(fuzz *f, fuzz_query *q, size_t n, size_t sources)
{
    *q = (fuzz_query){.source_count = 1 + (size_t)fuzz_draw(f, sources)};
    q->source_count = fuzz_chance(f, 30) ? 0 : q->source_count;
    fuzz_draw_ids(f, q->sources, q->source_count, n);
    double width = (double)(1 + fuzz_draw(f, 100));
    q->delta = fuzz_chance(f, 3) ? ldexp(width, (int)fuzz_draw(f, 24) - 9) : 0;
    q->has_targets = fuzz_chance(f, 3);
    if (q->has_targets) {
        q->target_count = 1 + (size_t)fuzz_draw(f, fuzz_chance(f, 2) ? 2 : FUZZ_TARGETS);
        fuzz_draw_ids(f, q->targets, q->target_count, n);
    }
    q->algorithm = fuzz_chance(f, 4) ? (fuzz_chance(f, 2) ? "path/dijkstra" : "path/bucket") : NULL;
}

/* What the fuzz_query says, for the reader. */
void fuzz_query_tell(fuzz *f, const fuzz_query *q)
{
    fuzz_detail(f, ", %zu sources, %zu targets%s, delta %g, %s", q->source_count, q->target_count,
                q->has_cutoff ? ", a cutoff" : "", q->delta,
                q->algorithm == NULL ? "any method" : q->algorithm);
}

void fuzz_query_twist(fuzz *f, fuzz_query *q, size_t n)
{
    if (f->expect != UPSWEEP_OK) {
        return;
    }
    if (f->twist == TWIST_ALGORITHM) {
        q->algorithm = f->twist_at % 2 == 0 ? "sort/radix" : "path/none";
        f->expect = UPSWEEP_ERROR_ALGORITHM;
    } else if (f->twist == TWIST_RANGE && f->twist_at % 3 == 0 && q->source_count > 0) {
        q->sources[0] = (uint32_t)n + f->twist_at;
        f->expect = UPSWEEP_ERROR_RANGE;
    } else if (f->twist == TWIST_RANGE && f->twist_at % 3 == 1 && q->target_count > 0) {
        q->targets[0] = (uint32_t)n;
        f->expect = UPSWEEP_ERROR_RANGE;
    } else if (f->twist == TWIST_RANGE) {
        q->delta = f->twist_at % 2 == 0 ? -1 : (double)NAN;
        f->expect = UPSWEEP_ERROR_ARGUMENT;
    }
}

/* What lies farther than that counts as not reached. */
long double fuzz_query_limit(const fuzz_query *q, const long double *distance)
{
    long double farthest = q->has_targets ? 0 : INFINITY;
    for (size_t t = 0; t < q->target_count; t++) {
        long double d = distance[q->targets[t]];
        farthest = d > farthest ? d : farthest;
    }
    return q->has_cutoff && q->cutoff < farthest ? q->cutoff : farthest;
}

void fuzz_query_expect(fuzz *f, bool lost, bool limited)
{
    if (lost && limited) {
        f->may_be_far = true;
    } else if (lost && f->expect == UPSWEEP_OK) {
        f->expect = UPSWEEP_ERROR_RANGE;
    }
}

void fuzz_query_cutoff(fuzz *f, fuzz_query *q, upsweep_type type, const long double *distance,
                       size_t n)
{
    q->has_cutoff = fuzz_chance(f, 4);
    q->cutoff = fuzz_draw_cutoff(f, type, distance, n);
    fuzz_put_distance(type, &q->cutoff_element, 0, q->cutoff);
    q->cutoff = q->has_cutoff ? fuzz_distance(type, &q->cutoff_element, 0) : 0;
}

bool fuzz_query_is_plain(const fuzz_query *q)
{
    return q->algorithm == NULL && !q->has_targets && !q->has_cutoff && q->delta == 0;
}
