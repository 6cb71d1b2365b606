/* test_paths_verify.c - the certificate of `upsweep paths --verify`: it accepts right answers, of
 * ties either parent, and refuses every answer that differs from a right one in one distance or one
 * parent. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/paths/paths_verify.c"

/* ---- what paths_verify.c takes from the rest of the program ---- */

static char sentence[400];

int app_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return APP_ERROR;
}

void app_vertex_name(const io_graph *g, uint64_t v, char *text, size_t room)
{
    snprintf(text, room, "%llu", (unsigned long long)v + g->base);
}

unsigned app_io_threads(const app_common *common)
{
    return (unsigned)common->threads;
}

const void *app_paths_distance(const app_paths *p, size_t v)
{
    return (const char *)p->distance + v * upsweep_type_bytes(p->type);
}

bool app_paths_reached(const app_paths *p, size_t v)
{
    uint64_t d = 0;
    memcpy(&d, app_paths_distance(p, v), upsweep_type_bytes(p->type));
    switch (p->type) {
    case UPSWEEP_U32: return d != UINT32_MAX;
    case UPSWEEP_U64: return d != UINT64_MAX;
    case UPSWEEP_F32: return d != 0x7f800000u;
    default: return d != 0x7ff0000000000000u;
    }
}

/* ---- a graph with its answer from vertex 0 ---- */

/* 0 -> 1 (3), 0 -> 2 (3), 1 -> 3 (0), 2 -> 3 (0), 3 <-> 4 (0), 4 -> 5 (2), 0 -> 5 (9), 6 -> 0 (1)
 * */
enum { N = 7, M = 9 };
static uint32_t tails[M] = {0, 0, 1, 2, 3, 4, 4, 0, 6}, heads[M] = {1, 2, 3, 3, 4, 3, 5, 5, 0};
static const int weights[M] = {3, 3, 0, 0, 0, 0, 2, 9, 1};
static const int distances[N] = {0, 3, 3, 3, 3, 5, -1};
static const uint32_t parents[N] = {UPSWEEP_NO_VERTEX, 0, 0, 1, 3, 4, UPSWEEP_NO_VERTEX};

typedef struct stage {
    app_paths_settings settings;
    app_paths p;
    app_answer a;
    uint64_t distance[N], weight[M]; /* of any type */
    uint32_t parent[N], source, target;
} stage;

static void store(void *array, upsweep_type type, size_t i, int value)
{
    switch (type) {
    case UPSWEEP_U32: ((uint32_t *)array)[i] = (uint32_t)value; break;
    case UPSWEEP_U64: ((uint64_t *)array)[i] = (uint64_t)(int64_t)value; break;
    case UPSWEEP_F32: ((float *)array)[i] = value < 0 ? INFINITY : (float)value; break;
    default: ((double *)array)[i] = value < 0 ? INFINITY : (double)value; break;
    }
}

static void set(stage *s, upsweep_type type)
{
    *s = (stage){.settings = {.common = {.threads = 2}}, .source = 0};
    s->p = (app_paths){
        .settings = &s->settings, .type = type, .distance = s->distance, .parent = s->parent};
    s->p.g = (io_graph){.vertices = N,
                        .arcs = M,
                        .tail = tails,
                        .head = heads,
                        .weight = s->weight,
                        .weight_type = type};
    s->a = (app_answer){&s->source, NULL, 1, 0, false};
    memcpy(s->parent, parents, sizeof parents);
    for (size_t i = 0; i < M; i++) {
        store(s->weight, type, i, weights[i]);
    }
    for (size_t v = 0; v < N; v++) {
        store(s->distance, type, v, distances[v]);
    }
}

static const upsweep_type types[] = {UPSWEEP_U32, UPSWEEP_U64, UPSWEEP_F32, UPSWEEP_F64};

static void right_answers(void **state)
{
    (void)state;
    stage s;
    for (size_t t = 0; t < 4; t++) {
        set(&s, types[t]);
        assert_int_equal(app_paths_verify(&s.p, &s.a), APP_OK);
        s.parent[3] = 2; /* as short */
        assert_int_equal(app_paths_verify(&s.p, &s.a), APP_OK);
    }
}

/* Every distance changed to every other value, and every parent to every other vertex. */
static void wrong_answers(void **state)
{
    (void)state;
    stage s;
    for (size_t t = 0; t < 4; t++) {
        for (size_t v = 0; v < N; v++) {
            for (int d = -1; d < 12; d++) {
                set(&s, types[t]);
                store(s.distance, types[t], v, d);
                int wanted = d == distances[v] ? APP_OK : APP_NO;
                assert_int_equal(app_paths_verify(&s.p, &s.a), wanted);
            }
            for (uint32_t parent = 0; parent <= N; parent++) {
                set(&s, types[t]);
                s.parent[v] = parent == N ? UPSWEEP_NO_VERTEX : parent;
                bool as_short = v == 3 && parent == 2;
                int wanted = s.parent[v] == parents[v] || as_short ? APP_OK : APP_NO;
                assert_int_equal(app_paths_verify(&s.p, &s.a), wanted);
            }
        }
        set(&s, types[t]);
        s.parent[3] = 4; /* arcs of weight 0 both ways: right by the arcs, but round in a circle */
        assert_int_equal(app_paths_verify(&s.p, &s.a), APP_NO);
        assert_non_null(strstr(sentence, "run in a circle"));
    }
}

/* Where a cutoff or a target ends the search, what lies behind need not be reached, and what lies
 * before must. */
static void within_limits(void **state)
{
    (void)state;
    stage s;
    for (size_t t = 0; t < 4; t++) {
        for (int by_target = 0; by_target < 2; by_target++) {
            set(&s, types[t]);
            store(s.distance, types[t], 5, -1);
            s.parent[5] = UPSWEEP_NO_VERTEX;
            assert_int_equal(app_paths_verify(&s.p, &s.a), APP_NO);
            if (by_target) {
                s.target = 4;
                s.a.targets = &s.target;
                s.a.target_count = 1;
            } else {
                s.settings.cutoff = "4";
                store(&s.p.cutoff, types[t], 0, 4);
            }
            assert_int_equal(app_paths_verify(&s.p, &s.a), APP_OK);
            store(s.distance, types[t], 2, -1); /* at 3: within */
            s.parent[2] = UPSWEEP_NO_VERTEX;
            assert_int_equal(app_paths_verify(&s.p, &s.a), APP_NO);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_answers),
        cmocka_unit_test(wrong_answers),
        cmocka_unit_test(within_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
