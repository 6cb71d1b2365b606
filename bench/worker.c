/* worker.c - the process around one rival. It reads cells, one a line,
 *     OP TYPE N PATTERN THREADS SEED            keys u32 1048576 uniform 2 7
 * runs each once on a fresh copy of the input, and answers with nanoseconds per element, "skip" for
 * what the rival does not offer, or "wrong". Copying and checking are outside the clock; the first
 * answer to a line is checked, not those to the same line again. For small
 * n a batch of different arrays is sorted in one timing. bench.py interleaves the workers. */
/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "bench/ops.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static const char *const type_names[BENCH_TYPES] = {"u32", "u64", "i32", "i64",
                                                    "f32", "f64", "f16"};
const size_t type_bytes[BENCH_TYPES] = {4, 8, 4, 8, 4, 8, 2};

static uint64_t state;
uint64_t random_u64(void) /* splitmix64, Steele, Lea and Flood 2014 */
{
    uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A rank in [0, 2^64) becomes a key of the type, order kept. */
static void store(enum bench_type type, void *at, size_t i, uint64_t rank)
{
    switch (type) {
    case BENCH_U32: ((uint32_t *)at)[i] = (uint32_t)(rank >> 32); break;
    case BENCH_U64: ((uint64_t *)at)[i] = rank; break;
    case BENCH_I32: ((int32_t *)at)[i] = (int32_t)((int64_t)(rank >> 32) - 2147483648LL); break;
    case BENCH_I64: ((int64_t *)at)[i] = (int64_t)(rank ^ UINT64_C(1) << 63); break;
    case BENCH_F32: ((float *)at)[i] = (float)((double)rank * 0x1p-63 - 1); break;
    case BENCH_F16: ((uint16_t *)at)[i] = (uint16_t)(0x3000 + (rank >> 54)); break;
    default: ((double *)at)[i] = (double)rank * 0x1p-63 - 1; break;
    }
}

/* A bell curve, 1/16 of the range its deviation, of twelve numbers added; or a power law: half of
 * the keys are below the root of the range, as ids are. */
static uint64_t shaped(enum bench_type type, int normal)
{
    uint64_t rank = UINT64_C(1) << 61;
    if (!normal) {
        double u = (double)(random_u64() >> 11) * 0x1p-53;
        return (uint64_t)exp2(type == BENCH_U64 || type == BENCH_I64 ? 64 * u : 32 + 32 * u);
    }
    for (int i = 0; i < 12; i++) {
        rank += random_u64() >> 4;
    }
    return rank;
}

/* Fills n keys; the patterns are those of docs/numbers.md. */
static int fill(const cell *c, void *at)
{
    size_t n = c->n;
    const char *p = c->pattern;
    uint64_t step = UINT64_MAX / (n ? n : 1);
    uint64_t few[16], last = 0;
    for (int i = 0; i < 16; i++) {
        few[i] = random_u64();
    }
    int known = 1;
    for (size_t i = 0; i < n; i++) {
        uint64_t rank;
        if (strcmp(p, "uniform") == 0) {
            rank = random_u64();
        } else if (strcmp(p, "tail1%") == 0 ||
                   strcmp(p, "tail10%") == 0) { /* new keys at its end */
            rank = i < n - n / (p[5] == '%' ? 100 : 10) ? i * step : random_u64();
        } else if (strcmp(p, "changed0.1%") == 0 || strcmp(p, "changed1%") == 0) {
            rank = random_u64() % (p[7] == '0' ? 1000 : 100) == 0 ? random_u64() : i * step;
        } else if (strcmp(p, "2files") == 0 || strcmp(p, "8files") == 0 ||
                   strcmp(p, "32files") == 0) { /* sorted ones, one behind the other */
            size_t file = n / (size_t)atoi(p) + 1;
            rank = (i % file * (size_t)atoi(p) + i / file) * step;
        } else if (strcmp(p, "sorted") == 0 || strcmp(p, "swapped") == 0) {
            rank = i * step;
        } else if (strcmp(p, "reversed") == 0) {
            rank = (n - i) * step;
        } else if (strcmp(p, "few") == 0) {
            rank = few[random_u64() % 16];
        } else if (strcmp(p, "zipf") == 0) { /* s = 1 over 10^6 values, hashed over the range */
            double u = (double)(random_u64() >> 11) * 0x1p-53;
            rank = (uint64_t)exp(u * log(1e6)) * UINT64_C(0x9e3779b97f4a7c15);
        } else if (strcmp(p, "normal") == 0 || strcmp(p, "power") == 0) {
            rank = shaped(c->type, p[0] == 'n');
        } else if (strcmp(p, "equal") == 0) {
            rank = few[0];
        } else if (strcmp(p, "halves") == 0) { /* each sorted: by steps at random */
            last =
                (i == n / 2 ? 0 : last) + random_u64() % (step < UINT64_MAX / 3 ? 3 * step : step);
            rank = last;
        } else if (strcmp(p, "runs") == 0) { /* of equal keys, two on average */
            last = i == 0 || (random_u64() & 1) ? random_u64() : last;
            rank = last;
        } else if (strcmp(p, "organ") == 0) {
            rank = (i < n / 2 ? i : n - i) * step;
        } else if (strcmp(p, "top24") == 0) { /* all keys share the top 24 bits */
            rank = (few[0] & ~UINT64_C(0xffffffffff)) | (random_u64() & UINT64_C(0xffffffffff));
        } else if (strcmp(p, "clusters") == 0) {
            rank = (random_u64() & 1 ? UINT64_C(0xf) << 60 : 0) + (random_u64() >> 16);
        } else if (strcmp(p, "bucket99") == 0) {
            rank = random_u64();
            rank = random_u64() % 100 ? (few[0] & ~(UINT64_MAX >> 12)) | (rank >> 12) : rank;
        } else {
            known = 0;
            rank = 0;
        }
        store(c->type, at, i, rank);
    }
    for (size_t s = 0; strcmp(p, "swapped") == 0 && s < n / 200; s++) {
        size_t b = type_bytes[c->type], i = random_u64() % n, j = random_u64() % n;
        char t[8];
        memcpy(t, (char *)at + i * b, b);
        memmove((char *)at + i * b, (char *)at + j * b, b);
        memcpy((char *)at + j * b, t, b);
    }
    return known;
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Where the pages of an array lie decides which of its lines share a place in the caches: with
 * pages of 2 MB all processes find the same. */
static void *take(void *old, size_t bytes)
{
    size_t page = (size_t)2 << 20, whole = (bytes + page - 1) & ~(page - 1);
    free(old);
    void *p = aligned_alloc(page, whole);
    if (p == NULL) {
        exit(2);
    }
    madvise(p, whole, MADV_HUGEPAGE);
    memset(p, 0, whole);
    return p;
}

/* Input, and what each run starts from. */
static int prepare(const cell *c, buffers *b)
{
    static cell have; /* the input that is there: made once per type, n, pattern and seed */
    size_t total = c->n * c->batch, bytes = total * type_bytes[c->type] + 64;
    if (bytes > b->bytes) {
        b->input = take(b->input, bytes);
        b->work = take(b->work, bytes);
        b->values = take(b->values, bytes);
        b->index = take(b->index, bytes);
        b->bytes = bytes;
        memset(&have, 0, sizeof have);
    }
    if (have.n != c->n || have.type != c->type || have.seed != c->seed ||
        strcmp(have.pattern, c->pattern) != 0) {
        state = c->seed;
        for (size_t k = 0; k < c->batch; k++) {
            if (!fill(c, (char *)b->input + k * c->n * type_bytes[c->type])) {
                return 0;
            }
        }
        have = *c;
    }
    memcpy(b->work, b->input, total * type_bytes[c->type]);
    if (strcmp(c->op, "keys") != 0) {
        memcpy(b->values, b->input, total * type_bytes[c->type]);
    }
    return prepare_more(c, b, total);
}

static int parse(const char *line, cell *c)
{
    if (sscanf(line, "%15s %7s %zu %15s %u %u", c->op, c->type_name, &c->n, c->pattern, &c->threads,
               &c->seed) != 6) {
        return 0;
    }
    for (int t = 0; t < BENCH_TYPES; t++) {
        if (strcmp(type_names[t], c->type_name) == 0) {
            c->type = (enum bench_type)t;
            c->batch = c->n > 0 && c->n < 1 << 17 ? (1 << 17) / c->n : 1;
            return c->n > 0;
        }
    }
    return 0;
}

int main(void)
{
    char line[128], checked[128] = "";
    buffers b = {0};
    unsigned opened = 0;
    while (fgets(line, sizeof line, stdin) != NULL) {
        cell c;
        if (!parse(line, &c) || !prepare(&c, &b)) {
            puts("bad");
            fflush(stdout);
            continue;
        }
        if (opened != c.threads && rival.open != NULL) {
            rival.open(c.threads);
        }
        opened = c.threads;
        int skip = 0;
        double start = now_ns();
        for (size_t k = 0; k < c.batch && !skip; k++) {
            skip = run_one(&c, &b, k);
        }
        double ns = now_ns() - start;
        if (skip) {
            puts("skip");
        } else if (strcmp(line, checked) != 0 && !right(&c, &b)) {
            puts("wrong");
        } else {
            memcpy(checked, line, sizeof checked);
            printf("%.6f\n", ns / (double)(c.n * c.batch));
        }
        fflush(stdout);
    }
    return 0;
}
