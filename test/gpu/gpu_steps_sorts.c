/* gpu_steps_sorts.c - the hybrid sort on the GPU gives the CPU's bytes for keys that are uneven in
 * every way its steps decide by: large and middle buckets, equal keys, few values, leading bits
 * that a sample misses, floats that wrap round; at sizes around one and two scatters. */
/* SPDX-License-Identifier: MIT */
#include "core/frame.h"
#include "test/gpu/uneven_keys.h"

enum { N_MAX = 131073 };
static const size_t sizes[] = {101,   8193,  15329, 20001,  32768, 32769,
                               65536, 70001, 90001, 110001, N_MAX};
enum { SIZES = sizeof sizes / sizeof sizes[0] };
/* Where a card leaves uneven keys to the radix sort, and where no more. */
static const size_t sizes_32[] = {((size_t)7 << 22) + 77, ((size_t)37 << 20) + 77,
                                  ((size_t)1 << 26) + 77, ((size_t)1 << 28) + 77};
static const size_t sizes_64[] = {((size_t)1 << 22) + 77, ((size_t)1 << 24) + 77,
                                  ((size_t)1 << 25) + 77};
enum { SIZES_32 = sizeof sizes_32 / sizeof sizes_32[0] };
static const upsweep_type types[] = {UPSWEEP_U32, UPSWEEP_F32, UPSWEEP_U64, UPSWEEP_F64,
                                     UPSWEEP_I64, UPSWEEP_U16, UPSWEEP_U8,  UPSWEEP_I16};
enum { TYPES = sizeof types / sizeof types[0] };
static const upsweep_type wide[] = {UPSWEEP_U32, UPSWEEP_F32, UPSWEEP_I32,
                                    UPSWEEP_U64, UPSWEEP_F64, UPSWEEP_I64};
static unsigned char *keys, *want, *got; /* most_bytes each */
static size_t most_bytes = N_MAX * sizeof(uint64_t);

typedef struct filling {
    unsigned pattern;
    size_t bytes, n;
    uint64_t seed;
} filling;

enum { FILL_KEYS = 1 << 16 };

static void fill_chunk(void *context, size_t c, unsigned lane)
{
    const filling *f = context;
    const size_t end = usw_min(f->n, (c + 1) * FILL_KEYS);
    uint64_t from = f->seed << 32 | c, state = input_random(&from);
    (void)lane;
    for (size_t i = c * FILL_KEYS; i < end; i++) {
        const unsigned bits = (unsigned)f->bytes * 8;
        uint64_t key = f->pattern < BELL ? uneven_key(f->pattern, bits, i, f->n, &state)
                                         : real_key(f->pattern, bits, i, f->n, &state);
        memcpy(keys + i * f->bytes, &key, f->bytes);
    }
}

/* By all threads: one alone takes longer for 2^28 keys than all that is done with them. */
static void fill(gpu_room *room, unsigned pattern, upsweep_type type, size_t n, uint64_t seed)
{
    filling f = {pattern, upsweep_type_bytes(type), n, seed};
    usw_parallel(room->cpu, usw_div_up(n, FILL_KEYS), fill_chunk, &f);
}

static void check(gpu_room *room, unsigned pattern, upsweep_type type, size_t n, unsigned turn)
{
    gpu_take_turns(room);
    const usw_gpu_sort_form *form = gpu_step(room, "sort_hybrid");
    static const unsigned all_flags[] = {0, UPSWEEP_DESCENDING, UPSWEEP_NAN_RAW};
    unsigned flags = all_flags[turn % 3];
    size_t bytes = upsweep_type_bytes(type);
    upsweep_options o = {.flags = flags};
    fill(room, pattern, type, n, turn + 1);
    memcpy(want, keys, n * bytes);
    assert_int_equal(upsweep_sort(room->cpu, want, n, type, &o), UPSWEEP_OK);
    gpu_begin(room);
    void *at = gpu_put(room, keys, n * bytes, bytes * (turn % 5));
    usw_gpu_sort s = {.keys = at, .n = n, .map = usw_keymap_of(type, flags)};
    s.width = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
    s.bit_end = s.map.bits;
    assert_int_equal(form->sort(room->g, &s), UPSWEEP_OK);
    gpu_get(room, got, at, n * bytes);
    assert_int_equal(gpu_end(room), 0);
    if (memcmp(got, want, n * bytes) != 0) {
        fail_msg("pattern %u, %s, n = %zu, flags %u", pattern, upsweep_type_name(type), n, flags);
    }
}

/* Whose values are what. */
enum carried { VALUES_MOVED, ARGSORT, ARGSORT_ALONE }; /* ALONE: no keys come back */

/* The same with values: positions, or (argsort) made up by the sort. */
static void check_carried(gpu_room *room, unsigned pattern, upsweep_type type, size_t n,
                          enum carried carried, size_t value_bytes)
{
    const usw_gpu_sort_form *form = gpu_step(room, "sort_hybrid");
    const size_t bytes = upsweep_type_bytes(type), half = most_bytes / 2;
    unsigned char *places = keys + half, *want_places = want + half, *got_places = got + half;
    assert_true(n * bytes <= half && n * value_bytes <= half);
    gpu_take_turns(room);
    fill(room, pattern, type, n, n);
    for (size_t i = 0; i < n; i++) {
        memcpy(places + i * value_bytes, &(uint64_t){i}, value_bytes);
    }
    memcpy(want, keys, n * bytes);
    memcpy(want_places, places, n * value_bytes);
    upsweep_options o = {.flags = 0};
    assert_int_equal(upsweep_sort_pairs(room->cpu, want, want_places, n, type, value_bytes, &o),
                     UPSWEEP_OK);
    if (carried != VALUES_MOVED) { /* what is not written shows */
        memset(places, 0xa5, n * value_bytes);
    }
    gpu_begin(room);
    void *at = gpu_put(room, keys, n * bytes, 0);
    void *values = gpu_put(room, places, n * value_bytes, 0);
    usw_gpu_pairs p = {.keys = at, .out_values = values, .n = n, .stable = true};
    p.out_keys = carried == ARGSORT_ALONE ? NULL : at;
    p.values = carried == VALUES_MOVED ? values : NULL;
    p.value_bytes = value_bytes;
    p.map = usw_keymap_of(type, 0);
    p.width = bytes == 4 ? 2 : 3;
    p.bit_end = p.map.bits;
    assert_int_equal(form->pairs(room->g, &p), UPSWEEP_OK);
    gpu_get(room, got, at, n * bytes);
    gpu_get(room, got_places, values, n * value_bytes);
    assert_int_equal(gpu_end(room), 0);
    const void *expected = carried == ARGSORT_ALONE ? keys : want;
    if (memcmp(got, expected, n * bytes) != 0 ||
        memcmp(got_places, want_places, n * value_bytes) != 0) {
        fail_msg("pairs, pattern %u, %s and %zu bytes, n = %zu, %d", pattern,
                 upsweep_type_name(type), value_bytes, n, (int)carried);
    }
}

static void check_pairs(gpu_room *room, unsigned pattern, upsweep_type type, size_t n, bool argsort)
{
    check_carried(room, pattern, type, n, argsort ? ARGSORT : VALUES_MOVED,
                  upsweep_type_bytes(type));
}

/* Uneven keys with values, of all types and widths that go to buckets of a prefix tree: some of
 * them so wide that their pairs are sorted twice, some of equal keys that no block holds. */
static void uneven_pairs(void **state)
{
    static const unsigned patterns[] = {BELL,       BELL_FAR, POWER_LAW, TAIL,  ZIPF,
                                        MANY_EQUAL, LOGS,     CROWDED,   RANGE, FLAT_LUMPS};
    gpu_room *room = *state;
    const size_t n = gpu_is_emulated(room) ? 20001 : ((size_t)1 << 24) + 77;
    for (unsigned i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        for (unsigned t = 0; t < 6; t++) {
            if (gpu_is_emulated(room) && i >= 5 && (i + t) % 3 != 0) {
                continue;
            }
            const size_t own = upsweep_type_bytes(wide[t]);
            check_carried(room, patterns[i], wide[t], n + i, (i + t) % 3,
                          (i * 6 + t) % 4 == 0 ? 12 - own : own);
        }
    }
}

/* Pairs that a sample sees in part: some in order, some in buckets that a larger block sorts, or
 * none. */
static void misleading_pairs(void **state)
{
    static const unsigned patterns[] = {IN_ORDER, NEARLY, LUMP_LESS, HIDDEN, HIDDEN_LESS};
    gpu_room *room = *state;
    const size_t n = gpu_is_emulated(room) ? 32768 : (size_t)1 << 25;
    for (unsigned i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        for (unsigned t = 0; t < 6; t++) {
            const size_t own = upsweep_type_bytes(wide[t]),
                         each = (i + t) % 2 == 0 ? own : 12 - own;
            if (gpu_is_emulated(room) || (i + t) % 2 == 0) {
                check_carried(room, patterns[i], wide[t], n + (patterns[i] == HIDDEN),
                              patterns[i] == IN_ORDER ? VALUES_MOVED : (i + t) % 3, each);
            }
            if (patterns[i] == IN_ORDER) { /* these have values to write */
                check_carried(room, IN_ORDER, wide[t], n, t % 2 == 0 ? ARGSORT : ARGSORT_ALONE,
                              own);
            }
        }
    }
}

/* Few values, all of which the sample has, or not. */
static void few_values(void **state)
{
    gpu_room *room = *state;
    const size_t n = gpu_is_emulated(room) ? 40001 : ((size_t)1 << 24) + 77;
    for (unsigned pattern = FEW_VALUES; pattern <= FEW_HIDING; pattern++) {
        check_pairs(room, pattern, UPSWEEP_F32, n, pattern == FEW_VALUES);
        check_pairs(room, pattern, UPSWEEP_U64, n, false);
    }
    check_pairs(room, VALUES, UPSWEEP_U32, gpu_is_emulated(room) ? 65535 : n, false);
    check_pairs(room, VALUES, UPSWEEP_F32, gpu_is_emulated(room) ? 65536 : n, true);
}

/* Pairs that are sorted by digits: by an even and by an odd number of them, in place or not. */
static void pairs_by_digits(void **state)
{
    static const unsigned patterns[] = {AND_OF_THREE, ZIPF, TOP_EQUAL, THIN, THIN_OFF, CROWDED};
    gpu_room *room = *state;
    const size_t n = gpu_is_emulated(room) ? 3001 : ((size_t)1 << 22) + 77;
    for (unsigned i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        check_pairs(room, patterns[i], UPSWEEP_U32, n, i % 2 != 0);
        check_pairs(room, patterns[i], UPSWEEP_F32, n + 1, i % 2 == 0);
        check_pairs(room, patterns[i], UPSWEEP_I64, n, false);
    }
}

/* Buckets by leading bits that are too large, and full bins of halves. */
static void large_buckets(void **state)
{
    gpu_room *room = *state;
    unsigned turn = 0;
    for (unsigned t = 0; t < 3; t++) {
        for (unsigned pattern = LUMP; pattern <= LUMP_LOW; pattern++) {
            check(room, pattern, wide[t], 32768, turn++);
        }
        for (unsigned n = 13000; n < 13002; n++) { /* 18 bits are undecided, and 16 */
            check(room, COPIES_LOW, wide[t], n, turn++);
            check(room, COPIES_LOW, wide[t], 19766 + n, turn++);
        }
    }
}

/* Every pattern and type, each at some of the sizes, fewer with an emulator. */
static void uneven_keys(void **state)
{
    gpu_room *room = *state;
    const bool all = !gpu_is_emulated(room) || test_thorough();
    unsigned turn = 0;
    for (unsigned pattern = 0; pattern < PATTERNS; pattern++) {
        for (unsigned t = 0; t < TYPES; t++) {
            if (gpu_is_emulated(room) && upsweep_type_bytes(types[t]) < 4 &&
                (pattern + t) % 3 != 0) {
                continue; /* keys that are counted, whatever the pattern */
            }
            /* Keys of 32 bits have more kernels than others. */
            unsigned step = !gpu_is_emulated(room) ? 3 : test_thorough() ? 5 : t < 2 ? 23 : 41;
            const unsigned first = all ? pattern + t : 5 * pattern + 3 * t;
            for (unsigned i = first % step; i < SIZES; i += step) {
                check(room, pattern, types[t], sizes[i], turn++);
            }
        }
    }
    for (unsigned pattern = BELL; pattern < PATTERNS; pattern++) {
        check(room, pattern, UPSWEEP_I32, 70001 + pattern, turn++);
    }
    for (unsigned t = 0; t < 6; t++) { /* equal keys are written in pieces */
        check(room, IDS, wide[t], 90001 + t, turn++);
        if (all || t % 3 == 0) {
            check(room, IDS, wide[t], N_MAX - t, turn++);
            check(room, GRID, wide[t], 70001 + t, turn++);
        }
        check(room, SMALL, wide[t], 40001 + t, 3 * t); /* a tree whose root is of leading ones */
        check(room, SMALL, wide[t], 20001 + t, 3 * t + 2);
        check(room, HIDDEN, wide[t], 65536 + 2 * t, turn++);
        if (all || t % 3 == 2) {
            check(room, HIDDEN, wide[t], 65537 + 2 * t, turn++);
        }
        if (all || t < 3) { /* keys of 32 bits are then left to the radix sort */
            check(room, ROUGH, wide[t], 65536 + 2 * t, t + 1);
        }
        check(room, COPIES, wide[t], 65536 + t, turn++); /* from here on a sample tells copies */
        check(room, COPIES_300, wide[t], 70001 + t, turn++); /* of many keys in another way */
        check(room, STRAYS, wide[t], 65536 + t, turn++);
        check(room, RANGE, wide[t], 65600 + t,
              turn++); /* even ones, which are not counted before */
        check(room, RANGE_WIDE, wide[t], 32769 + t, 3 * t);
        check(room, RANGE_WIDE, wide[t], (t < 3 ? 15329 : 28001) + t, t); /* in more buckets */
        check(room, RANGE_OUT, wide[t], 32769 + t, turn++);
        check(room, RANGE_OUT, wide[t], 32770 + t, turn++);
    }
    for (unsigned order = 0; order < 3; order++) {
        check(room, SMALL, UPSWEEP_F64, 110001, order);
        check(room, RARE, UPSWEEP_U64, 65552 + order, 3 * order); /* wide leaves of one bucket */
    }
    check(room, FEW_HIDING, UPSWEEP_U32, 110001, turn++);
    check(room, EVEN_RUNS, UPSWEEP_U64, 90001, turn++); /* for which one scatter is enough */
    check(room, FLAT, UPSWEEP_U64, 401, 0);             /* one scatter, and whole keys after it */
    /* Buckets of which 17 or 18 bits are undecided. */
    static const size_t sizes_parts[] = {6144, 6145, 8193, 12001, 15329};
    static const unsigned even[] = {EVEN, EVEN_TIES, EVEN_RUNS, EVEN_LESS, EVEN_LEAN};
    for (unsigned i = 0; i < sizeof sizes_parts / sizeof sizes_parts[0]; i++) {
        for (unsigned p = 0; p < sizeof even / sizeof even[0]; p++) {
            check(room, even[p], (i + p) % 2 != 0 ? UPSWEEP_F32 : UPSWEEP_U32, sizes_parts[i],
                  turn++);
        }
    }
    /* The largest buckets of 32 bits, with 16 of them undecided. */
    for (unsigned pattern = EVEN; pattern <= EVEN_RUNS; pattern++) {
        for (unsigned t = 0; t < (all ? 3u : 1u); t++) {
            check(room, pattern, t == 1 ? UPSWEEP_F32 : UPSWEEP_U32, N_MAX, turn + t);
        }
    }
}

/* Sizes that only a real card sorts in time. */
static void many_uneven_keys(void **state)
{
    gpu_room *room = *state;
    if (gpu_is_emulated(room)) {
        skip();
    }
    for (unsigned pattern = 0; pattern < PATTERNS; pattern++) {
        /* One size each, since they take long; all in the long run. */
        const unsigned step_32 = test_thorough() ? 1 : SIZES_32, step_64 = test_thorough() ? 1 : 3;
        for (unsigned i = pattern % step_32; i < SIZES_32; i += step_32) {
            check(room, pattern, pattern / 4 % 2 != 0 ? UPSWEEP_F32 : UPSWEEP_U32, sizes_32[i], i);
        }
        for (unsigned i = pattern % step_64; i < 3; i += step_64) {
            check(room, pattern, pattern % 2 != 0 ? UPSWEEP_F64 : UPSWEEP_U64, sizes_64[i],
                  pattern);
        }
    }
    for (unsigned t = 0; t < 6; t++) {
        check(room, HIDDEN, wide[t], ((size_t)1 << 26) + t, t);
    }
}

static int open_room(void **state)
{
    int failed = gpu_room_open(state);
    if (failed == 0 && !gpu_is_emulated(*state)) {
        most_bytes = sizes_32[SIZES_32 - 1] * 4;
        looked_at = 8;
    }
    keys = malloc(most_bytes);
    want = malloc(most_bytes);
    got = malloc(most_bytes);
    return failed != 0 || keys == NULL || want == NULL || got == NULL;
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uneven_keys),     cmocka_unit_test(large_buckets),
        cmocka_unit_test(few_values),      cmocka_unit_test(pairs_by_digits),
        cmocka_unit_test(uneven_pairs),    cmocka_unit_test(misleading_pairs),
        cmocka_unit_test(many_uneven_keys)};
    return cmocka_run_group_tests(tests, open_room, close_room);
}
