/* simulate.c - a sort over more ranks than there are machines: every rank a thread, nothing timed,
 * all counted. `ranks_simulate RANKS KEYS_A_RANK` prints for each pattern what a sort of u64 keys
 * costs: its collective calls, the bytes of a rank's reductions, and the bytes that ranks send
 * beside those of the keys that must leave their rank. Ends with 1 if a result is wrong or too
 * much was sent. */
/* SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranks/calls.h"
#include "test/ranks/transport_threads.h"
#include "test/shared/inputs.h"

typedef struct simulation {
    unsigned pattern;
    size_t each;
    const uint64_t *whole, *sorted;
    const uint32_t *home; /* of sorted place i: the rank that its key came from */
    atomic_ullong sent, leaving, calls, reduced;
    atomic_int faults;
} simulation;

static void run(usw_transport *t, void *context)
{
    simulation *s = context;
    upsweep *u;
    upsweep_config config = {.size = sizeof config, .threads = 1};
    size_t first = s->each * (size_t)t->rank, leaving = 0;
    uint64_t *keys = malloc(s->each * sizeof *keys + 1);
    memcpy(keys, s->whole + first, s->each * sizeof *keys);
    upsweep_open(&u, "cpu", &config);
    s->faults +=
        usw_ranks_sort(t, u, keys, s->each, UPSWEEP_U64, NULL, keys, NULL, NULL) != UPSWEEP_OK;
    s->faults += memcmp(keys, s->sorted + first, s->each * sizeof *keys) != 0;
    for (size_t i = 0; i < s->each; i++) {
        leaving += s->home[first + i] != (uint32_t)t->rank;
    }
    s->leaving += leaving * sizeof *keys;
    /* The counts of the exchange, a number for each other rank, are messages of alltoallv, too. */
    s->sent += t->sent_bytes;
    if (t->rank == 0) {
        s->calls = t->calls;
        s->reduced = t->reduced_bytes;
    }
    upsweep_close(u);
    free(keys);
}

int main(int argc, char **argv)
{
    static const unsigned patterns[] = {INPUT_UNIFORM, INPUT_ZIPF, INPUT_SORTED, INPUT_EQUAL,
                                        INPUT_ONE_FULL_BUCKET};
    int size = argc > 2 ? atoi(argv[1]) : 64, faults = 0;
    size_t each = argc > 2 ? strtoull(argv[2], NULL, 10) : 4000, n = each * (size_t)size;
    uint64_t *whole = malloc(n * 8), *sorted = malloc(n * 8), *place = malloc(n * 8);
    uint32_t *home = malloc(n * sizeof *home);
    upsweep *u;
    upsweep_open(&u, "cpu", NULL);
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
        simulation s = {.pattern = patterns[p], .each = each, .whole = whole, .sorted = sorted};
        input_fill(patterns[p], UPSWEEP_U64, whole, n, 3);
        memcpy(sorted, whole, n * 8);
        for (size_t i = 0; i < n; i++) {
            place[i] = i;
        }
        upsweep_sort_pairs(u, sorted, place, n, UPSWEEP_U64, 8, NULL);
        for (size_t i = 0; i < n; i++) {
            home[i] = (uint32_t)(place[i] / each);
        }
        s.home = home;
        run_ranks(size, run, &s);
        unsigned long long counts = 8ULL * (unsigned)size * ((unsigned)size - 1);
        double ratio = s.leaving > 0 ? (double)(s.sent - counts) / (double)s.leaving : 1;
        printf(
            "%-16s %d ranks, %zu keys each: %llu collective calls, %llu KB reduced by each; keys "
            "sent %.4f of those that must leave, counts %.4f of them\n",
            input_name(patterns[p]), size, each, s.calls, s.reduced / 1024, ratio,
            s.leaving > 0 ? (double)counts / (double)s.leaving : 0);
        faults += s.faults + (ratio > 1.0001);
    }
    upsweep_close(u);
    free(whole);
    free(sorted);
    free(place);
    free(home);
    return faults != 0;
}
