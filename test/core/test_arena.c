/* test_arena.c - the arena of a release, without the guards of builds for tests: over random
 * requests, marks and calls, pieces are aligned, apart from one another and last until their mark
 * is taken back, and no more is held than the limit. */
/* SPDX-License-Identifier: MIT */
#include "core/arena.c" /* compiled here as in a release */

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "test/shared/inputs.h"

enum { PIECES = 64, MARKS = 16 };

typedef struct taken {
    unsigned char *at, fill;
    size_t bytes;
} taken;

typedef struct scene {
    upsweep *u;
    taken piece[PIECES];
    size_t pieces;
    usw_mark mark[MARKS];
    size_t below[MARKS]; /* pieces when the mark was set */
    size_t marks;
} scene;

static void check_piece(const taken *t)
{
    assert_int_equal((uintptr_t)t->at % (t->bytes >= 65536 ? 4096 : 64), 0);
    for (size_t i = 0; i < t->bytes; i++) {
        if (t->at[i] != t->fill) {
            fail_msg("byte %zu of a piece of %zu bytes has changed", i, t->bytes);
        }
    }
}

static void take(scene *s, uint64_t random)
{
    size_t bytes = random % 8 == 0   ? random / 8 % 300000
                   : random % 8 == 1 ? random / 8 % 4 * 64
                                     : random / 8 % 5000;
    unsigned char *at = usw_scratch(s->u, bytes);
    if (at == NULL) {
        assert_true(s->u->scratch_limit != 0);
        return;
    }
    s->piece[s->pieces] = (taken){at, (unsigned char)random, bytes};
    memset(at, (unsigned char)random, bytes);
    s->pieces++;
}

static void take_back(scene *s)
{
    s->marks--;
    for (size_t i = 0; i < s->pieces; i++) {
        check_piece(&s->piece[i]);
    }
    usw_scratch_reset(s->u, s->mark[s->marks]);
    s->pieces = s->below[s->marks];
}

static void run(size_t limit, uint64_t seed)
{
    upsweep *u = calloc(1, sizeof *u);
    scene s = {.u = u};
    assert_non_null(u);
    u->scratch_limit = limit;
    for (int step = 0; step < 20000; step++) {
        uint64_t random = input_random(&seed);
        if (random % 16 == 0 && s.marks < MARKS) {
            s.mark[s.marks] = usw_scratch_mark(u);
            s.below[s.marks++] = s.pieces;
        } else if (random % 16 == 1 && s.marks > 0) {
            take_back(&s);
        } else if (random % 256 == 2 || s.pieces == PIECES) {
            for (size_t i = 0; i < s.pieces; i++) {
                check_piece(&s.piece[i]);
            }
            usw_scratch_begin(u);
            s.pieces = s.marks = 0;
        } else if (random % 16 > 2) {
            take(&s, random / 16);
        }
        assert_true(u->scratch_used <= u->scratch_held && u->scratch_peak >= u->scratch_used);
        assert_true(limit == 0 || u->scratch_held <= limit);
    }
    usw_scratch_free(u);
    assert_int_equal(u->scratch_held, 0);
    free(u);
}

static void test_pieces(void **state)
{
    (void)state;
    run(0, 1);
    run(1000000, 2);
    run(70000, 3);
    run(100, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pieces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
