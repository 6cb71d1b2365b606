/* keymap_all.c - every key of 8 and 16 bits and all 2^32 f32 through the compiled key maps. With
 * UPSWEEP_TEST_LONG all f32 by every flag, as `make proofs` and the long check have it; else by no
 * flag and the best instruction set, and of the others one chunk of 62 and a million at each end.
 *
 * The keys are made in the promised order, which is stated here by runs of bit patterns, and not by
 * the map: so key number i must map to i, and i must map back to the key. That is a bijection and
 * the order in one. Of f32 the runs are checked by the processor's own comparison, too. Maps of
 * single keys (core/keymap.h) and of arrays, for every instruction set that this machine has. */
/* SPDX-License-Identifier: MIT */
#include "core/keymap.h"
#include "cpu/cpu.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CHUNK = 2048, THREADS_MAX = 8, RUNS_MAX = 4 };

/* Patterns start, start + step, .. : so many. */
typedef struct run {
    uint64_t start, count;
    bool falls, nan;
} run;

typedef struct walk {
    const char *name;
    upsweep_type type;
    unsigned flags, width, runs;
    bool some; /* of the keys; else all */
    usw_isa isa;
    usw_keymap map;
    run run[RUNS_MAX];
} walk;

typedef struct share {
    const walk *walk;
    uint64_t begin, end, wrong; /* wrong: the first number whose key fails, or UINT64_MAX */
    pthread_t thread;
} share;

/* ---- the promised order ---- */

static run reversed(run r)
{
    r.start = r.falls ? r.start - (r.count - 1) : r.start + (r.count - 1);
    r.falls = !r.falls;
    return r;
}

static void reverse_all(run *r, unsigned runs)
{
    for (unsigned i = 0; i < runs / 2; i++) {
        run x = r[i];
        r[i] = r[runs - 1 - i];
        r[runs - 1 - i] = x;
    }
    for (unsigned i = 0; i < runs; i++) {
        r[i] = reversed(r[i]);
    }
}

/* Patterns of infinity: exponents of all ones. */
static uint64_t infinity(upsweep_type type)
{
    return type == UPSWEEP_F16 ? 0x7c00 : type == UPSWEEP_BF16 ? 0x7f80 : 0x7f800000;
}

static void promise(walk *w)
{
    unsigned bits = 8u << w->width;
    uint64_t sign = UINT64_C(1) << (bits - 1), all = 2 * sign - 1, inf = infinity(w->type);
    bool descending = (w->flags & UPSWEEP_DESCENDING) != 0;
    if (!usw_type_is_float(w->type)) {
        run below = {sign, sign, false, false}, from_0 = {0, sign, false, false};
        w->run[0] = usw_type_is_signed(w->type) ? below : from_0;
        w->run[1] = usw_type_is_signed(w->type) ? from_0 : below;
        w->runs = 2;
        if (descending) {
            reverse_all(w->run, 2);
        }
        return;
    }
    run numbers[2] = {{sign + inf, inf + 1, true, false}, {0, inf + 1, false, false}};
    run nans[2] = {{inf + 1, sign - 1 - inf, false, true}, {all, sign - 1 - inf, true, true}};
    w->runs = 4;
    if (w->flags & UPSWEEP_NAN_RAW) { /* by sign and bits */
        const run total[4] = {nans[1], numbers[0], numbers[1], nans[0]};
        memcpy(w->run, total, sizeof total);
        if (descending) {
            reverse_all(w->run, 4);
        }
        return;
    }
    if (descending) {
        reverse_all(numbers, 2);
        reverse_all(nans, 2);
    }
    bool first = (w->flags & UPSWEEP_NAN_FIRST) != 0;
    memcpy(w->run, first ? nans : numbers, sizeof numbers);
    memcpy(w->run + 2, first ? numbers : nans, sizeof numbers);
}

/* Keys from number `at` on, at most CHUNK and all of one run: patterns first, first + step, .. */
typedef struct span {
    uint64_t first, step, at;
    size_t n;
    const run *of;
} span;

static span keys_from(const walk *w, uint64_t at, uint64_t end)
{
    const run *r = w->run;
    uint64_t within = at;
    for (; within >= r->count; r++) {
        within -= r->count;
        end -= r->count;
    }
    return (span){.first = r->falls ? r->start - within : r->start + within,
                  .step = r->falls ? UINT64_MAX : 1,
                  .at = at,
                  .n = (size_t)usw_min(usw_min(r->count, end) - within, CHUNK),
                  .of = r};
}

/* ---- one chunk ---- */

typedef union keys {
    uint8_t b[CHUNK];
    uint16_t h[CHUNK];
    uint32_t w[CHUNK];
} keys;

/* The patterns as keys of a width. */
static void make_keys(keys *to, const span *s, unsigned width)
{
    uint32_t first = (uint32_t)s->first, step = (uint32_t)s->step;
    for (uint32_t i = 0; i < s->n && width == 0; i++) {
        to->b[i] = (uint8_t)(first + i * step);
    }
    for (uint32_t i = 0; i < s->n && width == 1; i++) {
        to->h[i] = (uint16_t)(first + i * step);
    }
    for (uint32_t i = 0; i < s->n && width == 2; i++) {
        to->w[i] = first + i * step;
    }
}

/* Whether key i is at + i. */
static bool rises_from(const keys *k, size_t n, uint64_t at, unsigned width)
{
    uint32_t differ = 0;
    for (size_t i = 0; i < n && width == 0; i++) {
        differ |= k->b[i] ^ (uint8_t)(at + i);
    }
    for (size_t i = 0; i < n && width == 1; i++) {
        differ |= k->h[i] ^ (uint16_t)(at + i);
    }
    for (size_t i = 0; i < n && width == 2; i++) {
        differ |= k->w[i] ^ ((uint32_t)at + (uint32_t)i);
    }
    return differ == 0;
}

static bool floats_rise(const keys *k, size_t n, bool nan, bool falls)
{
    unsigned wrong = 0;
    float x[CHUNK];
    memcpy(x, k->w, n * sizeof *x);
    for (size_t i = 0; i < n && nan; i++) {
        wrong |= x[i] == x[i];
    }
    for (size_t i = 0; i + 1 < n && !nan; i++) {
        wrong |= !(falls ? x[i + 1] < x[i] : x[i] < x[i + 1]);
    }
    return wrong == 0;
}

static bool single_keys_hold(const walk *w, const span *s)
{
    const usw_keymap map = w->map;
    uint64_t differ = 0;
    for (size_t i = 0; i < s->n; i++) {
        uint64_t raw = s->first + i * s->step;
        differ |= usw_map_key(&map, raw) ^ (s->at + i);
        differ |= usw_unmap_key(&map, s->at + i) ^ raw;
    }
    return differ == 0;
}

static bool span_holds(const walk *w, const span *s)
{
    const usw_keymap_steps *part = USW_PICK(w->isa, usw_keymap_steps);
    bool descending = (w->flags & UPSWEEP_DESCENDING) != 0;
    keys k, mapped, back;
    make_keys(&k, s, w->width);
    part->map[w->width](&mapped, &k, s->n, &w->map);
    part->unmap[w->width](&back, &mapped, s->n, &w->map);
    bool good =
        rises_from(&mapped, s->n, s->at, w->width) && memcmp(&k, &back, s->n << w->width) == 0;
    if (w->isa == USW_PORTABLE && (w->width < 2 || w->flags == 0)) {
        good = good && single_keys_hold(w, s);
    }
    if (w->isa == USW_PORTABLE && w->type == UPSWEEP_F32) {
        good = good && floats_rise(&k, s->n, s->of->nan, descending);
    }
    return good;
}

/* The number of the first key of a span that fails. */
static uint64_t first_wrong(const walk *w, const span *s)
{
    span one = *s;
    one.n = 1;
    for (size_t i = 0; i + 1 < s->n && span_holds(w, &one); i++) {
        one.at++;
        one.first += one.step;
    }
    return one.at;
}

static void *walk_share(void *context)
{
    share *s = context;
    s->wrong = UINT64_MAX;
    for (uint64_t at = s->begin; at < s->end && s->wrong == UINT64_MAX;) {
        span here = keys_from(s->walk, at, s->end);
        if (!span_holds(s->walk, &here)) {
            s->wrong = first_wrong(s->walk, &here);
        }
        at += here.n;
        /* Most f32 are left out where another walk takes them all. */
        bool far = at > s->begin + (1u << 20) && at + (1u << 20) < s->end;
        at += s->walk->some && far ? (uint64_t)CHUNK * 61 : 0;
    }
    return NULL;
}

/* ---- the whole ---- */

static bool holds(walk *w, unsigned threads)
{
    share s[THREADS_MAX];
    uint64_t count = UINT64_C(1) << (8u << w->width), wrong = UINT64_MAX;
    w->map = usw_keymap_of(w->type, w->flags);
    promise(w);
    for (unsigned t = 0; t < threads; t++) {
        s[t] = (share){.walk = w, .begin = count / threads * t, .end = count / threads * (t + 1)};
        s[t].end = t + 1 == threads ? count : s[t].end;
        if (pthread_create(&s[t].thread, NULL, walk_share, &s[t]) != 0) {
            puts("  no thread could be started");
            exit(2);
        }
    }
    for (unsigned t = 0; t < threads; t++) {
        pthread_join(s[t].thread, NULL);
        wrong = usw_min(wrong, s[t].wrong);
    }
    if (wrong != UINT64_MAX) {
        uint64_t raw = keys_from(w, wrong, count).first;
        printf(
            "  %s flags %u %s: FAILS: key %#llx should map to %#llx and back, key by key %#llx\n",
            w->name, w->flags, usw_isa_name(w->isa), (unsigned long long)raw,
            (unsigned long long)wrong, (unsigned long long)usw_map_key(&w->map, raw));
    }
    return wrong == UINT64_MAX;
}

int main(void)
{
    static const walk walks[] = {
        {.name = "u8", .type = UPSWEEP_U8, .width = 0},
        {.name = "i8", .type = UPSWEEP_I8, .width = 0},
        {.name = "u16", .type = UPSWEEP_U16, .width = 1},
        {.name = "i16", .type = UPSWEEP_I16, .width = 1},
        {.name = "f16", .type = UPSWEEP_F16, .width = 1},
        {.name = "bf16", .type = UPSWEEP_BF16, .width = 1},
        {.name = "f32", .type = UPSWEEP_F32, .width = 2},
    };
    bool every = getenv("UPSWEEP_TEST_LONG") != NULL;
    unsigned threads = usw_min(usw_core_count(), THREADS_MAX), cases = 0, failed = 0;
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (size_t i = 0; i < sizeof walks / sizeof *walks; i++) {
        for (unsigned flags = 0; flags < 8; flags++) {
            /* Integers take no heed of what is said of NaN; nor does NAN_RAW of NAN_FIRST. */
            bool same = walks[i].type == UPSWEEP_F32 && flags >= 6;
            for (int isa = 0; isa <= (int)usw_best_isa() && !same; isa++) {
                walk w = walks[i];
                w.flags = flags;
                w.isa = (usw_isa)isa;
                bool best = isa == (int)usw_best_isa();
                w.some = w.type == UPSWEEP_F32 && (every ? flags > 0 && !best : flags > 0 || !best);
                cases++;
                failed += holds(&w, threads) ? 0 : 1;
            }
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds =
        (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    printf("proof: keymap_all: %s (%u cases, %.1f s)\n", failed == 0 ? "holds" : "FAILED", cases,
           seconds);
    return failed == 0 ? 0 : 1;
}
