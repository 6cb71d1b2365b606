/* calls_keys.c - merges, and calls that look for keys: is-sorted, select, top-k, unique, runs. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/calls.h"

#include <stdlib.h>
#include <string.h>

static void fill_sorted(job *j, void *keys, size_t n, unsigned flags, uint64_t seed)
{
    size_t bytes = upsweep_type_bytes(j->type);
    char *any = malloc(n * bytes + 1);
    size_t *index = malloc((n + 1) * sizeof *index);
    input_fill(j->pattern, j->type, any, n, seed);
    oracle_argsort(j->type, flags, any, n, index);
    for (size_t i = 0; i < n; i++) {
        memcpy((char *)keys + i * bytes, any + index[i] * bytes, bytes);
    }
    free(index);
    free(any);
}

/* ---- merges: the outcome holds the inputs' keys, in order ---- */

static unsigned merge_flags(const job *j)
{
    return j->variant == 1 ? UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST : 0;
}

static bool prepare_merge(job *j)
{
    size_t bytes = upsweep_type_bytes(j->type), na = j->n / 3, nb = j->n - na;
    fill_sorted(j, job_add(j, na * bytes, false), na, merge_flags(j), j->seed);
    fill_sorted(j, job_add(j, nb * bytes, false), nb, merge_flags(j), j->seed + 1);
    job_add(j, j->n * bytes, true);
    return true;
}

static upsweep_status run_merge(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, merge_flags(j));
    size_t na = j->n / 3;
    return upsweep_merge(u, job_at(j, 0), na, job_at(j, 1), j->n - na, job_at(j, 2), j->type, &o);
}

static const char *wrong_merge(job *j)
{
    size_t bytes = upsweep_type_bytes(j->type), na = j->n / 3;
    char *both = malloc(j->n * bytes + 1);
    memcpy(both, job_at(j, 0), na * bytes);
    memcpy(both + na * bytes, job_at(j, 1), (j->n - na) * bytes);
    const char *wrong = oracle_sorted(j->type, merge_flags(j), both, job_at(j, 2), j->n);
    free(both);
    return wrong != NULL ? wrong : job_untouched(j) ? NULL : "merge changed an input";
}

/* Runs of all lengths, empty ones among them, side by side in one array. */
enum { RUNS = 7 };
static void cut_runs(const job *j, size_t counts[RUNS])
{
    const size_t shares[RUNS] = {3, 0, 1, 40, 1, 0, 0};
    size_t left = j->n;
    for (size_t i = 0; i + 1 < RUNS; i++) {
        counts[i] = j->n * shares[i] / 100;
        left -= counts[i];
    }
    counts[RUNS - 1] = left;
}

static bool prepare_runs(job *j)
{
    size_t counts[RUNS], bytes = upsweep_type_bytes(j->type);
    cut_runs(j, counts);
    char *at = job_add(j, j->n * bytes, false);
    for (size_t i = 0; i < RUNS; i++) {
        fill_sorted(j, at, counts[i], merge_flags(j), j->seed + i);
        at += counts[i] * bytes;
    }
    job_add(j, j->n * bytes, true);
    return true;
}

static upsweep_status run_runs(upsweep *u, job *j)
{
    size_t counts[RUNS];
    const void *runs[RUNS];
    cut_runs(j, counts);
    const char *at = job_at(j, 0);
    for (size_t i = 0; i < RUNS; i++) {
        runs[i] = at;
        at += counts[i] * upsweep_type_bytes(j->type);
    }
    upsweep_options o = job_options(j, merge_flags(j));
    return upsweep_merge_runs(u, runs, counts, RUNS, job_at(j, 1), j->type, &o);
}

static const char *wrong_runs(job *j)
{
    const char *wrong = oracle_sorted(j->type, merge_flags(j), job_at(j, 0), job_at(j, 1), j->n);
    return wrong != NULL ? wrong : job_untouched(j) ? NULL : "merge_runs changed an input";
}

/* ---- is-sorted: variant 0 sorted, 1 any order, 2 sorted but for one place ---- */

static bool prepare_is_sorted(job *j)
{
    size_t bytes = upsweep_type_bytes(j->type);
    char *keys = job_add(j, j->n * bytes, false);
    if (j->variant == 1) {
        input_fill(j->pattern, j->type, keys, j->n, j->seed);
    } else {
        fill_sorted(j, keys, j->n, 0, j->seed);
    }
    if (j->variant == 2 && j->n > 1) {
        uint64_t state = j->seed;
        memcpy(keys + input_random(&state) % j->n * bytes, keys, bytes);
    }
    return true;
}

static upsweep_status run_is_sorted(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, 0);
    return upsweep_is_sorted(u, job_at(j, 0), j->n, j->type, job_out(j), &o);
}

static const char *wrong_is_sorted(job *j)
{
    size_t bytes = upsweep_type_bytes(j->type), i = 1;
    const char *keys = job_at(j, 0);
    while (i < j->n && oracle_order(j->type, 0, keys + (i - 1) * bytes, keys + i * bytes) <= 0) {
        i++;
    }
    return j->out == (j->n == 0 ? 0 : i) ? NULL : "the first flaw lies elsewhere";
}

/* ---- nth element and top-k ---- */

static bool prepare_select(job *j)
{
    if (j->n == 0) {
        return false; /* k < n */
    }
    const size_t ranks[] = {0, j->n / 2, j->n - 1, j->n / 10};
    j->k = ranks[j->variant];
    j->kth_only = true;
    input_fill(j->pattern, j->type, job_add(j, j->n * upsweep_type_bytes(j->type), false), j->n,
               j->seed);
    return true;
}

static unsigned select_flags(const job *j)
{
    return j->variant == 3 ? UPSWEEP_DESCENDING : 0;
}

static upsweep_status run_nth(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, select_flags(j));
    return upsweep_nth_element(u, job_at(j, 0), j->n, j->k, j->type, &o);
}

static const char *wrong_nth(job *j)
{
    size_t bytes = upsweep_type_bytes(j->type);
    const char *keys = job_at(j, 0), *kth = keys + j->k * bytes;
    for (size_t i = 0; i < j->n; i++) {
        int order = oracle_order(j->type, select_flags(j), keys + i * bytes, kth);
        if (i < j->k ? order > 0 : order < 0) {
            return "a key stands on the wrong side of the k-th";
        }
    }
    return oracle_same_keys(job_before(j, 0), keys, j->n, bytes);
}

static bool prepare_top_k(job *j)
{
    size_t bytes = upsweep_type_bytes(j->type);
    const size_t counts[] = {j->n < 10 ? j->n : 10, j->n, j->n / 2, 0};
    j->k = counts[j->variant];
    input_fill(j->pattern, j->type, job_add(j, j->n * bytes, false), j->n, j->seed);
    job_add(j, j->k * bytes, true);
    job_add(j, j->k * sizeof(uint64_t), true);
    return true;
}

static unsigned top_k_flags(const job *j)
{
    return j->seed % 2 ? UPSWEEP_LARGEST : 0;
}

static upsweep_status run_top_k(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, top_k_flags(j));
    return upsweep_top_k(u, job_at(j, 0), j->n, j->k, j->type, job_at(j, 1), (void *)job_at(j, 2),
                         &o);
}

static const char *wrong_top_k(job *j)
{
    size_t *index = malloc((j->n + 1) * sizeof *index);
    oracle_argsort(j->type, top_k_flags(j) ? UPSWEEP_DESCENDING : 0, job_at(j, 0), j->n, index);
    const char *wrong =
        moved_by(job_at(j, 1), job_before(j, 0), index, j->k, upsweep_type_bytes(j->type));
    const uint64_t *got = (const void *)job_at(j, 2);
    for (size_t i = 0; wrong == NULL && i < j->k; i++) {
        wrong = got[i] == index[i] ? NULL : "a position is not that of the key";
    }
    free(index);
    return wrong != NULL ? wrong : job_untouched(j) ? NULL : "top_k changed the keys";
}

/* ---- unique and run lengths ---- */

static bool prepare_unique(job *j)
{
    fill_sorted(j, job_add(j, j->n * upsweep_type_bytes(j->type), false), j->n, 0, j->seed);
    return true;
}

static upsweep_status run_unique(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, 0);
    return upsweep_unique(u, job_at(j, 0), j->n, j->type, job_out(j), &o);
}

static const char *wrong_unique(job *j)
{
    size_t bytes = upsweep_type_bytes(j->type), kept = 0;
    const char *in = job_before(j, 0), *got = job_at(j, 0);
    for (size_t i = 0; i < j->n; i++) {
        if (i == 0 || memcmp(in + i * bytes, in + (i - 1) * bytes, bytes) != 0) {
            if (memcmp(got + kept++ * bytes, in + i * bytes, bytes) != 0) {
                return "a kept key is wrong";
            }
        }
    }
    return kept == j->out ? NULL : "the count of kept keys is wrong";
}

static bool prepare_lengths(job *j)
{
    size_t bytes = upsweep_type_bytes(j->type);
    input_fill(j->pattern, j->type, job_add(j, j->n * bytes, false), j->n, j->seed);
    job_add(j, j->n * bytes, true);
    job_add(j, j->n * sizeof(uint64_t), true);
    return true;
}

static upsweep_status run_lengths(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, 0);
    return upsweep_run_lengths(u, job_at(j, 0), j->n, j->type, job_at(j, 1), (void *)job_at(j, 2),
                               job_out(j), &o);
}

static const char *wrong_lengths(job *j)
{
    size_t bytes = upsweep_type_bytes(j->type), runs = 0;
    const char *in = job_before(j, 0), *keys = job_at(j, 1);
    const uint64_t *counts = (const void *)job_at(j, 2);
    for (size_t i = 0, end; i < j->n; i = end, runs++) {
        for (end = i + 1; end < j->n && memcmp(in + i * bytes, in + end * bytes, bytes) == 0;) {
            end++;
        }
        if (runs >= j->out || counts[runs] != end - i ||
            memcmp(keys + runs * bytes, in + i * bytes, bytes) != 0) {
            return "a run is wrong";
        }
    }
    return runs == j->out ? NULL : "the count of runs is wrong";
}

/* ---- searches: variant 1 for places behind equal keys, variant 2 for rising wanted keys ---- */

static bool prepare_search(job *j)
{
    size_t bytes = upsweep_type_bytes(j->type);
    fill_sorted(j, job_add(j, j->n * bytes, false), j->n, UPSWEEP_NAN_RAW, j->seed);
    char *wanted = job_add(j, j->n * bytes, false);
    if (j->variant == 2) {
        fill_sorted(j, wanted, j->n, UPSWEEP_NAN_RAW, j->seed + 1);
    } else {
        input_fill(j->pattern, j->type, wanted, j->n, j->seed + 1);
    }
    job_add(j, j->n * sizeof(uint64_t), true);
    return true;
}

static unsigned search_flags(const job *j)
{
    return UPSWEEP_NAN_RAW | (j->variant == 1 ? UPSWEEP_UPPER : 0);
}

static upsweep_status run_search(upsweep *u, job *j)
{
    upsweep_options o = job_options(j, search_flags(j));
    return upsweep_search_sorted(u, job_at(j, 0), j->n, job_at(j, 1), j->n, j->type, job_at(j, 2),
                                 64, &o);
}

static const char *wrong_search(job *j)
{
    size_t bytes = upsweep_type_bytes(j->type);
    const char *keys = job_at(j, 0), *wanted = job_at(j, 1);
    const uint64_t *places = (const void *)job_at(j, 2);
    int most = j->variant == 1 ? 0 : -1; /* how a key before the place compares at most */
    for (size_t i = 0; i < j->n; i++) {
        const char *at = keys + places[i] * bytes, *w = wanted + i * bytes;
        if (places[i] > j->n ||
            (places[i] > 0 && oracle_order(j->type, UPSWEEP_NAN_RAW, at - bytes, w) > most) ||
            (places[i] < j->n && oracle_order(j->type, UPSWEEP_NAN_RAW, at, w) <= most)) {
            return "a key would go elsewhere";
        }
    }
    return job_untouched(j) ? NULL : "search_sorted changed an input";
}

const call calls_of_keys[] = {
    {"upsweep_merge", 2, prepare_merge, run_merge, wrong_merge},
    {"upsweep_merge_runs", 2, prepare_runs, run_runs, wrong_runs},
    {"upsweep_is_sorted", 3, prepare_is_sorted, run_is_sorted, wrong_is_sorted},
    {"upsweep_search_sorted", 3, prepare_search, run_search, wrong_search},
    {"upsweep_nth_element", 4, prepare_select, run_nth, wrong_nth},
    {"upsweep_top_k", 4, prepare_top_k, run_top_k, wrong_top_k},
    {"upsweep_unique", 1, prepare_unique, run_unique, wrong_unique},
    {"upsweep_run_lengths", 1, prepare_lengths, run_lengths, wrong_lengths},
    {0},
};
