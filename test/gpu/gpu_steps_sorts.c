/* gpu_steps_sorts.c - the hybrid sort on the GPU gives the CPU's bytes for keys that are uneven in
 * every way its steps decide by: large and middle buckets, equal keys, few values, leading bits
 * that a sample misses, floats that wrap round; at sizes around one and two scatters. */
/* SPDX-License-Identifier: MIT */
#include "core/frame.h"
#include "test/gpu/gpu_steps.h"

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
static size_t looked_at = 2; /* of so many stretches of 32 keys a sample sees one: 8 on a card */

enum uneven {
    FEW_VALUES,   /* 16 */
    FEW_AND_RARE, /* the same, and 16 others that a sample seldom sees */
    FEW_HIDING,   /* the same, and many others where a sample does not look */
    AND_OF_THREE, /* many levels of ever smaller parts */
    ZIPF,
    CLUSTERS,  /* two, far apart, of 256 values */
    TOP_EQUAL, /* all but the last 8 bits */
    CROWDED,   /* 99% in the lower half of the bits */
    SPARSE,    /* values of a few leading bits, 0 behind them */
    TIMES,     /* nearly sorted */
    LOGS,      /* every number of leading zeros is as likely */
    ONE_OFF,   /* a sample misses the leading bit */
    FLOATS,    /* in [0, 1) */
    MANY_EQUAL,
    HALF_SORTED,
    EVEN,       /* in all but the first 16 bits, or 4 */
    EVEN_TIES,  /* the same, but some bits in the middle are 0 */
    EVEN_RUNS,  /* the same, and of 16 neighbours only the last bits differ */
    FLAT,       /* even in all bits */
    FLAT_LUMPS, /* the same, and one in 64 is one of 16 values */
    FLAT_TILT,  /* one in 8 has not the highest bit: half of the regions are too small */
    FLAT_SKEW,  /* of each region, more in the first buckets: counters of 8 bits overflow */
    THIN,       /* only the first two bytes differ */
    THIN_OFF,   /* the same, but in one key the last one, too */
    PARTS,      /* 12 buckets of 16 bits have all */
    RANGE,      /* even in a fifth of all, around the middle */
    MIDDLE,     /* buckets a little too large for the local sort */
    EVEN_LESS,  /* as EVEN, but of half the range */
    EVEN_LEAN,  /* as EVEN, but most have 0 in the two bits above the last half */
    VALUES,     /* 5000, spread over all buckets */
    BELL,       /* reals around 0, or integers around an eighth of the range */
    BELL_FAR,   /* the same, and one in 16 anywhere: narrow leaves beside wide ones */
    POWER_LAW,  /* small values are many, each next one is rarer */
    TAIL,       /* a sorted bell, the last hundredth is not sorted */
    MISLEADING, /* a bell; narrower where a sample does not look, so that regions are too small */
    IDS,        /* of a power law, over 17 bits: of some so many that no block holds them */
    SMALL,      /* a third is less than a 2000th of the others */
    PATTERNS
};

static bool is_emulated(const gpu_room *room)
{
    return strstr(room->plugin->name, "emulated") != NULL;
}

static uint64_t uneven_key(unsigned pattern, unsigned bits, size_t i, size_t n, uint64_t *state)
{
    uint64_t r = input_random(state), full = UINT64_MAX >> (64 - bits), key = r & full;
    double unit = (double)(r >> 11) * 0x1p-53;
    switch (pattern) {
    case FEW_VALUES: return (r >> 60) * 0x1111111111111111;
    case FEW_AND_RARE: return i % 40000 == 33 ? 5 + i / 40000 % 16 : (r >> 60) * 0x1111111111111111;
    case FEW_HIDING: return i % 256 == 96 ? key : (r >> 60) * 0x1111111111111111;
    case AND_OF_THREE: return key & input_random(state) & input_random(state);
    case ZIPF: return (uint64_t)(1 / (1e-6 + unit));
    case CLUSTERS: return (r & 255) | (r >> 63 ? full << (bits - 2) : 0);
    case TOP_EQUAL: return full << 8 | (r & 255);
    case CROWDED: return input_random(state) % 100 != 0 ? key >> bits / 2 : key;
    case SPARSE: return key >> (bits - 5) << (bits - 5);
    case TIMES: return 1700000000000 + i * 3 + r % 1000;
    case LOGS: return key >> input_random(state) % bits;
    case ONE_OFF: return i == n / 3 + 1 ? full : r & 0xffff;
    case FLOATS: {
        float f = (float)(r >> 40) * 0x1p-24f;
        uint64_t raw = 0;
        memcpy(&raw, bits == 64 ? (void *)&unit : (void *)&f, bits == 64 ? 8 : 4);
        return raw;
    }
    case MANY_EQUAL: return r % 3 != 0 ? 7 : input_random(state);
    case FLAT: return key;
    case FLAT_LUMPS: return input_random(state) % 64 == 0 ? (r >> 60) * (full / 15) : key;
    case FLAT_TILT: return input_random(state) % 8 == 0 ? key >> 1 : key;
    case FLAT_SKEW: return input_random(state) % 4 == 0 ? key & ~(full >> 4 & ~(full >> 8)) : key;
    case HALF_SORTED: return i < n / 2 ? full / n * i : key;
    case EVEN: return key >> bits / 4;
    case THIN: return key & ~(full >> 16);
    case THIN_OFF: return (key & ~(full >> 16)) | (i == n / 3 + 1 ? 1 : 0);
    case PARTS: return ((r >> 32) % 12 << (bits - 4)) | (r & (full >> 16));
    case RANGE: return full / 10 * 4 + key % (full / 5 + 1);
    case EVEN_LESS: return key >> bits / 4 >> 1;
    case EVEN_LEAN: return key >> bits / 4 & ~(r >> 61 != 0 ? UINT64_C(3) << bits / 2 : 0);
    case VALUES: return (r % 5000 + 1) * 0x9e3779b97f4a7c15 >> (64 - bits);
    case EVEN_TIES: return key >> bits / 4 & ~(full >> bits * 5 / 8 << bits / 5);
    case EVEN_RUNS: return ((full >> bits / 4) / n * (i / 16) << 4) + (r >> 60) + (r >> 32 & 3);
    default: return key % (full / 16 * 11); /* 11 buckets of 16 */
    }
}

/* A number of mean 0 and deviation 1, with a bell curve: a sum of twelve. */
static double bell(uint64_t *state)
{
    double sum = -6;
    for (unsigned i = 0; i < 12; i++) {
        sum += (double)(input_random(state) >> 11) * 0x1p-53;
    }
    return sum;
}

/* The bits of a real or, where floats is not set, an integer that is as far from an eighth of the
 * range, in steps of a 2^-7 part of it. */
static uint64_t real_bits(double value, unsigned bits, bool floats)
{
    const float f = (float)value;
    uint64_t raw = 0;
    if (!floats) {
        return (uint64_t)((value + 16) * 0x1p-7 * (bits == 64 ? 0x1p64 : 0x1p32));
    }
    memcpy(&raw, bits == 64 ? (const void *)&value : (const void *)&f, bits / 8);
    return raw;
}

/* Keys as people have them. */
static uint64_t real_key(unsigned pattern, unsigned bits, size_t i, size_t n, uint64_t *state)
{
    const uint64_t any = input_random(state), full = UINT64_MAX >> (64 - bits);
    if (bits < 32) {
        return any & full;
    }
    switch (pattern) {
    case BELL_FAR: return any % 16 == 0 ? any & full : real_bits(bell(state), bits, n % 2 == 0);
    case POWER_LAW: return (any >> 32) % 3 == 0 ? any >> 59 : (any & full) >> any % (bits - 4);
    case IDS: {
        const double unit = (double)(any >> 11) * 0x1p-53;
        return (uint64_t)(1 / (unit * unit + 0x1p-17)) * 0x9e3b1 & 0x1ffff;
    }
    case SMALL: return (any & full) >> (input_random(state) % 3 == 0 ? 13 + any % 4 : 2);
    case TAIL: {
        const size_t sorted = n - n / 100;
        return i < sorted ? real_bits(3 * (2.0 * (double)i / (double)sorted - 1), bits, n % 2 == 0)
                          : real_bits(bell(state), bits, n % 2 == 0);
    }
    case MISLEADING:
        return real_bits(bell(state) * (i / 32 % looked_at == 0 ? 1 : 0.02), bits, n % 2 == 0);
    default: return real_bits(bell(state), bits, n % 2 == 0);
    }
}

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
    fill(room, pattern, type, n, n);
    for (size_t i = 0; i < n; i++) {
        memcpy(places + i * value_bytes, &(uint64_t){i}, value_bytes);
    }
    memcpy(want, keys, n * bytes);
    memcpy(want_places, places, n * value_bytes);
    upsweep_options o = {.flags = 0};
    assert_int_equal(upsweep_sort_pairs(room->cpu, want, want_places, n, type, value_bytes, &o),
                     UPSWEEP_OK);
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
    const size_t n = is_emulated(room) ? 20001 : ((size_t)1 << 24) + 77;
    for (unsigned i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        for (unsigned t = 0; t < 6; t++) {
            if (is_emulated(room) && i >= 5 && (i + t) % 3 != 0) {
                continue;
            }
            const size_t own = upsweep_type_bytes(wide[t]);
            check_carried(room, patterns[i], wide[t], n + i, (i + t) % 3,
                          (i * 6 + t) % 4 == 0 ? 12 - own : own);
        }
    }
}

/* Few values, all of which the sample has, or not. */
static void few_values(void **state)
{
    gpu_room *room = *state;
    const size_t n = is_emulated(room) ? 40001 : ((size_t)1 << 24) + 77;
    for (unsigned pattern = FEW_VALUES; pattern <= FEW_HIDING; pattern++) {
        check_pairs(room, pattern, UPSWEEP_F32, n, pattern == FEW_VALUES);
        check_pairs(room, pattern, UPSWEEP_U64, n, false);
    }
    check_pairs(room, VALUES, UPSWEEP_U32, is_emulated(room) ? 65535 : n, false);
    check_pairs(room, VALUES, UPSWEEP_F32, is_emulated(room) ? 65536 : n, true);
}

/* Pairs that are sorted by digits: by an even and by an odd number of them, in place or not. */
static void pairs_by_digits(void **state)
{
    static const unsigned patterns[] = {AND_OF_THREE, ZIPF, TOP_EQUAL, THIN, THIN_OFF, CROWDED};
    gpu_room *room = *state;
    const size_t n = is_emulated(room) ? 3001 : ((size_t)1 << 22) + 77;
    for (unsigned i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        check_pairs(room, patterns[i], UPSWEEP_U32, n, i % 2 != 0);
        check_pairs(room, patterns[i], UPSWEEP_F32, n + 1, i % 2 == 0);
        check_pairs(room, patterns[i], UPSWEEP_I64, n, false);
    }
}

/* Every pattern and type, each at some of the sizes, fewer with an emulator. */
static void uneven_keys(void **state)
{
    gpu_room *room = *state;
    unsigned turn = 0;
    for (unsigned pattern = 0; pattern < PATTERNS; pattern++) {
        for (unsigned t = 0; t < TYPES; t++) {
            if (is_emulated(room) && upsweep_type_bytes(types[t]) < 4 && (pattern + t) % 3 != 0) {
                continue; /* keys that are counted, whatever the pattern */
            }
            /* Keys of 32 bits have more kernels than others. */
            unsigned step = !is_emulated(room) ? 3 : test_thorough() ? 5 : t < 2 ? 7 : 11;
            for (unsigned i = (pattern + t) % step; i < SIZES; i += step) {
                check(room, pattern, types[t], sizes[i], turn++);
            }
        }
    }
    for (unsigned pattern = BELL; pattern < PATTERNS; pattern++) {
        check(room, pattern, UPSWEEP_I32, 70001 + pattern, turn++);
    }
    for (unsigned t = 0; t < 6; t++) { /* equal keys are written in pieces */
        check(room, IDS, wide[t], 90001 + t, turn++);
        check(room, IDS, wide[t], N_MAX - t, turn++);
        check(room, SMALL, wide[t], 40001 + t, 3 * t); /* a tree whose root is of leading ones */
        check(room, SMALL, wide[t], 20001 + t, 3 * t + 2);
    }
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
        for (unsigned t = 0; t < 3; t++) {
            check(room, pattern, t == 1 ? UPSWEEP_F32 : UPSWEEP_U32, N_MAX, turn + t);
        }
    }
}

/* Sizes that only a real card sorts in time. */
static void many_uneven_keys(void **state)
{
    gpu_room *room = *state;
    if (is_emulated(room)) {
        skip();
    }
    for (unsigned pattern = 0; pattern < PATTERNS; pattern++) {
        for (unsigned i = 0; i < SIZES_32; i++) {
            check(room, pattern, (pattern + i) % 2 != 0 ? UPSWEEP_F32 : UPSWEEP_U32, sizes_32[i],
                  i);
        }
        check(room, pattern, UPSWEEP_U64, sizes_64[0], pattern);
        check(room, pattern, UPSWEEP_F64, sizes_64[1], pattern);
        check(room, pattern, UPSWEEP_U64, sizes_64[2], pattern);
    }
}

static int open_room(void **state)
{
    int failed = gpu_room_open(state);
    if (failed == 0 && !is_emulated(*state)) {
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(uneven_keys), cmocka_unit_test(few_values),
                                       cmocka_unit_test(pairs_by_digits),
                                       cmocka_unit_test(uneven_pairs),
                                       cmocka_unit_test(many_uneven_keys)};
    return cmocka_run_group_tests(tests, open_room, close_room);
}
