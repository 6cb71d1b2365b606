/* gpu_steps_runs.c - keys on the GPU that are in order but for a few, or seem so, come out as from
 * the CPU: new keys at an end, keys moved anywhere or near, stretches reversed or random, short and
 * long runs, all keys near their places; in place and to another array, for every type of 32 and
 * 64 bits. */
/* SPDX-License-Identifier: MIT */
#include "core/frame.h"
#include "test/gpu/gpu_steps.h"

#include <math.h>

enum { N_MAX = 131073, MANY = (1 << 25) + 33333 };
static const size_t sizes[] = {19999, 20000, 20481, 32768, 50001, 65537, 90001, N_MAX};
enum { SIZES = sizeof sizes / sizeof sizes[0] };
static const upsweep_type types[] = {UPSWEEP_U32, UPSWEEP_F32, UPSWEEP_U64,
                                     UPSWEEP_F64, UPSWEEP_I64, UPSWEEP_I32};
enum { TYPES = sizeof types / sizeof types[0] };
static unsigned char *keys, *want, *got; /* most_bytes each */
static size_t most_bytes = N_MAX * sizeof(uint64_t);

enum ordered {
    SORTED,
    TAIL,        /* the last hundredth is random */
    TAIL_NEW,    /* the same, and above all others */
    TAIL_RECENT, /* the same, and between the last hundredth of the others */
    TAIL_LEAST,  /* the same, and below all others */
    TAIL_EQUAL,  /* the same, and one value in the middle */
    TAIL_NARROW, /* the same, and between two neighbours or few more */
    TAIL_LONG,   /* the last 18th: nearly as many as may be loose */
    TAIL_LONGER, /* the last 12th: too many */
    HEAD,        /* the first hundredth is random */
    MOVED,       /* one in 100 is anything */
    MOVED_FEW,   /* one in 1000 */
    MOVED_NEAR,  /* one in 50 changes places with a neighbour not far away */
    BOTH_WAYS,   /* keys of the end are at the beginning, keys of the middle at the end */
    REVERSED,    /* a fortieth in the middle falls */
    BURST,       /* a fiftieth in the middle is random, and another one in the first half */
    TWO_FILES,   /* a long run and a short one */
    HALVES,      /* two runs of the same length: too many */
    SHORT_RUNS,  /* of 100 keys: too many */
    STEPS,       /* values of 700 keys each, one in 100 is anything */
    NEAR,        /* every key is a little above its place */
    NEAR_UNEVEN, /* the same, and most keys are small */
    NEAR_STRAY,  /* the same, and one in 100 is anything */
    NEAR_EQUAL,  /* the same, and a third is one value */
    NEAR_WAVES,  /* keys rise and fall */
    NEAR_BLOCKS, /* 64 neighbours are alike, but others are anywhere */
    PATTERNS
};

/* A number by which key i, whose place is `at`, is near it; r: random. */
static double near_key(unsigned pattern, size_t i, double at, double r, uint64_t *state)
{
    uint64_t block = i / 64;
    switch (pattern) {
    case NEAR_STRAY: return input_random(state) % 100 == 0 ? r : at * 0.98 + r * 0.02;
    case NEAR_EQUAL: return input_random(state) % 3 == 0 ? 0.37 : at * 0.98 + r * 0.02;
    case NEAR_WAVES: return 0.5 + 0.4 * sin(at * 20) + r * 0.02;
    case NEAR_BLOCKS: return (double)(input_random(&block) >> 11) * 0x1p-53 * 0.98 + r * 0.02;
    default: return at * 0.98 + r * 0.02;
    }
}

/* A number in [0, 1) by which key i is greater or less than others. */
static double ordered_key(unsigned pattern, size_t i, size_t n, uint64_t *state)
{
    const double at = (double)i / (double)n, r = (double)(input_random(state) >> 11) * 0x1p-53;
    const uint64_t any = input_random(state);
    switch (pattern) {
    case TAIL: return i < n - n / 100 ? at : r;
    case TAIL_NEW: return i < n - n / 100 ? at * 0.9 : 0.91 + r * 0.09;
    case TAIL_RECENT: return i < n - n / 100 ? at : 0.98 + r * 0.01;
    case TAIL_LEAST: return i < n - n / 100 ? 0.1 + at * 0.9 : r * 0.1;
    case TAIL_EQUAL: return i < n - n / 100 ? at : 0.5;
    case TAIL_NARROW: return i < n - n / 100 ? at : 0.5 + r * 0.0002;
    case TAIL_LONG: return i < n - n / 18 ? at : r;
    case TAIL_LONGER: return i < n - n / 12 ? at : r;
    case HEAD: return i > n / 100 ? at : r;
    case MOVED: return any % 100 == 0 ? r : at;
    case MOVED_FEW: return any % 1000 == 0 ? r : at;
    case MOVED_NEAR: return any % 50 == 0 ? at + (r - 0.5) * 0.002 + 0.001 : at * 0.99 + 0.001;
    case BOTH_WAYS: return i < n / 50 ? 0.6 + 0.4 * r : i > n - n / 50 ? 0.3 + 0.2 * r : at;
    case REVERSED: return at > 0.6 && at < 0.625 ? 1.225 - at : at;
    case BURST: return (at > 0.6 && at < 0.62) || (at > 0.2 && at < 0.22) ? r : at;
    case TWO_FILES: return at < 0.97 ? at : (at - 0.97) * 33;
    case HALVES: return at < 0.5 ? at * 2 : at * 2 - 1;
    case SHORT_RUNS: return (double)(i % 100) / 100 + at / 1000;
    case NEAR_UNEVEN: return pow(near_key(NEAR, i, at, r, state), 4);
    case STEPS: return any % 100 == 0 ? r : (double)(i / 700) * 700 / (double)n;
    default: return pattern >= NEAR ? near_key(pattern, i, at, r, state) : at;
    }
}

typedef struct filling {
    unsigned pattern;
    upsweep_type type;
    size_t bytes, n;
    uint64_t seed;
    bool falls;
} filling;

enum { FILL_KEYS = 1 << 16 };

/* Keys are of either sign where they may be. */
static void put_key(const filling *f, size_t i, double value)
{
    const double most = 1 - 0x1p-24;
    value = f->falls ? most - value : value;
    value = value < 0 ? 0 : value > most ? most : value;
    const float single = (float)(value * 2 - 1);
    const double wide = value * 2 - 1;
    const uint64_t sign = f->type == UPSWEEP_I32 || f->type == UPSWEEP_I64 ? 1 : 0;
    uint64_t whole = f->bytes == 8 ? (uint64_t)(value * 0x1p63) * 2 ^ sign << 63
                                   : (uint64_t)(value * 0x1p32) ^ sign << 31;
    const void *from = f->type == UPSWEEP_F32   ? (const void *)&single
                       : f->type == UPSWEEP_F64 ? (const void *)&wide
                                                : (const void *)&whole;
    memcpy(keys + i * f->bytes, from, f->bytes);
}

static void fill_chunk(void *context, size_t c, unsigned lane)
{
    const filling *f = context;
    const size_t end = usw_min(f->n, (c + 1) * FILL_KEYS);
    uint64_t from = f->seed << 32 | c, state = input_random(&from);
    (void)lane;
    for (size_t i = c * FILL_KEYS; i < end; i++) {
        put_key(f, i, ordered_key(f->pattern, i, f->n, &state));
    }
}

static void check(gpu_room *room, unsigned pattern, upsweep_type type, size_t n, unsigned turn)
{
    const usw_gpu_sort_form *form = gpu_step(room, "sort_hybrid");
    static const unsigned all_flags[] = {0, UPSWEEP_DESCENDING, UPSWEEP_NAN_RAW};
    const unsigned flags = all_flags[turn % 3];
    const size_t bytes = upsweep_type_bytes(type);
    const bool copies = (turn + n) % 3 == 1;
    upsweep_options o = {.flags = flags};
    filling f = {pattern, type, bytes, n, turn + 1, flags == UPSWEEP_DESCENDING};
    usw_parallel(room->cpu, usw_div_up(n, FILL_KEYS), fill_chunk, &f);
    memcpy(want, keys, n * bytes);
    assert_int_equal(upsweep_sort(room->cpu, want, n, type, &o), UPSWEEP_OK);
    gpu_take_turns(room);
    gpu_begin(room);
    void *at = gpu_put(room, keys, n * bytes, bytes * (turn % 5));
    void *to = copies ? gpu_put(room, NULL, n * bytes, bytes * (turn % 3)) : at;
    usw_gpu_sort s = {.keys = to, .n = n, .map = usw_keymap_of(type, flags)};
    s.from = copies ? at : NULL;
    s.width = bytes == 4 ? 2 : 3;
    s.bit_end = s.map.bits;
    assert_int_equal(form->sort(room->g, &s), UPSWEEP_OK);
    gpu_get(room, got, to, n * bytes);
    if (memcmp(got, want, n * bytes) != 0) {
        fail_msg("pattern %u, %s, n = %zu, flags %u", pattern, upsweep_type_name(type), n, flags);
    }
    if (copies) {
        gpu_get(room, got, at, n * bytes);
        assert_memory_equal(got, keys, n * bytes);
    }
    assert_int_equal(gpu_end(room), 0);
}

/* Every pattern and type, each at some of the sizes. */
static void ordered_keys(void **state)
{
    gpu_room *room = *state;
    unsigned turn = 0;
    for (unsigned pattern = 0; pattern < PATTERNS; pattern++) {
        for (unsigned t = 0; t < TYPES; t++) {
            const unsigned step = !gpu_is_emulated(room) || test_thorough() ? 2 : 11;
            for (unsigned i = (5 * pattern + t) % step; i < SIZES; i += step) {
                check(room, pattern, types[t], sizes[i], turn++);
            }
        }
    }
    for (unsigned t = 0; t < TYPES; t++) { /* what every type must meet */
        static const unsigned patterns[] = {SORTED, TAIL_LONGER, TAIL};
        for (unsigned p = 0; p < 3; p++, turn++) {
            check(room, patterns[p], types[t], 20001 + (4 - turn % 3), turn); /* into a copy */
        }
    }
    check(room, REVERSED, UPSWEEP_U32, 90001, 1); /* a body of several runs of edges */
    check(room, REVERSED, UPSWEEP_I64, 90001, 0);
    for (unsigned t = 0; t < TYPES; t++) {           /* a sample sees that these are two runs */
        check(room, HALVES, types[t], 65537 + t, 1); /* some are far from those of their tile */
    }
    for (unsigned pattern = NEAR; pattern < PATTERNS; pattern++) {
        if (!gpu_is_emulated(room) || test_thorough()) {
            check(room, pattern, types[pattern % TYPES], N_MAX - pattern, turn++);
        }
        check(room, pattern, types[(pattern + 3) % TYPES], 65000 + pattern, turn++);
    }
    for (unsigned t = 0; t < TYPES; t++) { /* so long that the body is several runs of edges */
        check(room, BURST, types[t], N_MAX - t, turn++);
    }
}

/* On a card, at sizes from which the keys are looked at there, and larger ones. */
static void many_ordered_keys(void **state)
{
    gpu_room *room = *state;
    unsigned turn = 0;
    if (gpu_is_emulated(room)) {
        return;
    }
    for (unsigned pattern = 0; pattern < PATTERNS; pattern++) {
        for (unsigned t = pattern % 2; t < TYPES; t += 2) {
            const bool wide = upsweep_type_bytes(types[t]) == 8;
            const size_t times = pattern >= NEAR && !wide ? 2 : 1;
            check(room, pattern, types[t], MANY * times - turn % 3 * 12345, turn);
            check(room, pattern, types[t], ((size_t)1 << (wide ? 21 : 23)) + turn % 4 * 54321,
                  turn);
            turn++;
        }
    }
}

static int open_room(void **state)
{
    int status = gpu_room_open(state);
    if (status == 0 && !gpu_is_emulated(*state)) {
        most_bytes = (size_t)MANY * sizeof(uint64_t);
    }
    keys = malloc(most_bytes);
    want = malloc(most_bytes);
    got = malloc(most_bytes);
    return status != 0 || keys == NULL || want == NULL || got == NULL ? -1 : 0;
}

static int close_room(void **state)
{
    free(keys);
    free(want);
    free(got);
    return gpu_room_close(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ordered_keys),
                                       cmocka_unit_test(many_ordered_keys)};
    return cmocka_run_group_tests(tests, open_room, close_room);
}
