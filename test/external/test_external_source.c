/* test_external_source.c - records that stand in natural runs in a file are read from there again,
 * and nothing of them is written: rising, falling, few runs of each kind, beside qsort_r; and files
 * that change meanwhile. */
/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdbool.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "upsweep.h"
#include "test/external/external_steps.h"

enum { LIMIT = 4 << 20, BYTES = 5 << 20, RECORD = 24, HEAD = 77 };
enum { RISING, FALLING, RUNS, TAIL, ANY, PATTERNS };

typedef struct text {
    unsigned char *bytes;
    size_t size, record; /* 0: lines */
} text;

/* Of record i of n. */
static size_t number_of(int pattern, size_t i, size_t n)
{
    size_t part = n / 5;
    switch (pattern) {
    case RISING: return i;
    case FALLING: return 2 * n - i;
    case RUNS: return i / part % 2 == 0 ? i % part * 5 : (part - i % part) * 5; /* up and down */
    case TAIL: return i < n - n / 20 ? i : any(n);
    default: return any(n);
    }
}

/* Lines, long ones if each number comes often, or records of 24 bytes; it comes `times` times in a
 * row, with other bytes behind it if they differ. */
static text make(int pattern, size_t record, size_t times, bool differ)
{
    text t = {malloc(BYTES + 600), 0, record};
    size_t n = BYTES / (record != 0 ? RECORD : 16);
    for (size_t i = 0; t.size + RECORD <= BYTES; i++) {
        char one[64];
        int bytes = snprintf(one, sizeof one, "%09zu,%zu", number_of(pattern, i / times, n / times),
                             differ ? i * 7 % 1000 : 5);
        bytes = record != 0 ? RECORD : bytes + (int)(i / times % 9) + (times > 9) * 300;
        memset(t.bytes + t.size, 'x', (size_t)bytes + 1);
        memcpy(t.bytes + t.size, one, strlen(one));
        t.size += (size_t)bytes;
        t.bytes[t.size] = '\n';
        t.size += record == 0;
    }
    return t;
}

/* ---- orders, and the serial sort ---- */

typedef struct order {
    size_t compared; /* bytes of a record */
    bool down;
} order;

static int compare(const line *x, const line *y, const order *o)
{
    size_t a = x->bytes < o->compared ? x->bytes : o->compared;
    size_t b = y->bytes < o->compared ? y->bytes : o->compared;
    int difference = memcmp(x->p, y->p, a < b ? a : b);
    difference = difference != 0 ? difference : (a > b) - (a < b);
    return o->down ? -difference : difference;
}

static int stably(const void *a, const void *b, void *context)
{
    const line *x = a, *y = b;
    int difference = compare(x, y, context);
    return difference != 0 ? difference : (x->number > y->number) - (x->number < y->number);
}

static text expect(text in, order o, bool unique)
{
    line *lines = malloc((in.size / 8 + 1) * sizeof *lines);
    size_t n = 0;
    for (size_t at = 0; at < in.size; n++) {
        const unsigned char *p = in.bytes + at;
        const unsigned char *end = in.record != 0 ? p + in.record : memchr(p, '\n', in.size - at);
        lines[n] = (line){p, (size_t)(end - p), n};
        at += lines[n].bytes + (in.record == 0);
    }
    qsort_r(lines, n, sizeof *lines, stably, &o);
    text out = {malloc(in.size + 1), 0, in.record};
    for (size_t i = 0; i < n; i++) {
        if (!unique || i == 0 || compare(&lines[i - 1], &lines[i], &o) != 0) {
            size_t whole = lines[i].bytes + (in.record == 0);
            memcpy(out.bytes + out.size, lines[i].p, whole);
            out.size += whole;
        }
    }
    free(lines);
    return out;
}

/* An order of the caller's: nine digits, and lines that share them keep their order. */
static uint64_t key(void *context, uint64_t stage, const void *record, size_t bytes, uint64_t *next)
{
    (void)context, (void)stage, (void)bytes;
    uint64_t word;
    memcpy(&word, record, 8);
    *next = UPSWEEP_EXTERNAL_COMPARE;
    return __builtin_bswap64(word);
}

static int compare_keys(void *context, const void *a, size_t n, const void *b, size_t m)
{
    (void)context, (void)n, (void)m;
    return memcmp(a, b, 9);
}

/* ---- a sort of what a file has ---- */

static FILE *make_file(text in)
{
    FILE *f = tmpfile();
    assert_int_equal(pwrite(fileno(f), in.bytes, in.size, HEAD), in.size);
    return f;
}

static upsweep_external *open_sort(upsweep_external_config config, text in, FILE *f)
{
    upsweep_external *x;
    config.limit = LIMIT;
    assert_int_equal(upsweep_external_open(&x, &config), UPSWEEP_OK);
    assert_int_equal(upsweep_external_source(x, fileno(f), HEAD), UPSWEEP_OK);
    push_pieces(x, in.bytes, in.size);
    return x;
}

/* Written to a file and pulled, as expected; returns how many bytes went to temporary files, packed
 * ones as they were before. */
static uint64_t check(upsweep_external_config config, text in, text want)
{
    FILE *f = make_file(in), *out = tmpfile();
    upsweep_external *x = open_sort(config, in, f);
    assert_int_equal(upsweep_external_sort(x), UPSWEEP_OK);
    pull_all(x, want.bytes, want.size);
    upsweep_external_close(x);
    x = open_sort(config, in, f);
    assert_int_equal(upsweep_external_sort(x), UPSWEEP_OK);
    assert_int_equal(upsweep_external_write(x, fileno(out), NULL), UPSWEEP_OK);
    unsigned char *got = malloc(want.size + 1);
    assert_int_equal(pread(fileno(out), got, want.size + 1, 0), (ssize_t)want.size);
    assert_memory_equal(got, want.bytes, want.size);
    upsweep_external_report r = report_of(x);
    assert_true(r.runs > 1);
    upsweep_external_close(x);
    free(got);
    assert_int_equal(fclose(f) | fclose(out), 0);
    return r.written + r.packed_from - r.packed_to;
}

static upsweep_external_config config_of(size_t record, bool down, bool unique)
{
    upsweep_external_config config = UPSWEEP_EXTERNAL_CONFIG_INIT;
    config.end = '\n';
    config.record_bytes = record;
    config.flags = down ? UPSWEEP_DESCENDING : 0;
    config.unique = unique;
    config.threads = 1 + (unsigned)any(3);
    return config;
}

/* Of runs without repetition nothing is written; with -u what is repeated must go, so it is. */
static void check_pattern(int pattern, size_t record, size_t times, unsigned mode)
{
    bool down = mode & 1, unique = mode & 2;
    text in = make(pattern, record, times, false);
    text want = expect(in, (order){SIZE_MAX, down}, unique);
    uint64_t written = check(config_of(record, down, unique), in, want);
    uint64_t few = pattern == TAIL ? in.size / 2 : 0;
    assert_true(pattern == ANY || (unique && times > 1) ? written > in.size / 8 : written <= few);
    free(in.bytes);
    free(want.bytes);
}

static void test_patterns(void **s)
{
    (void)s;
    for (unsigned i = 0; i < 4 * PATTERNS; i++) {
        check_pattern((int)(i % PATTERNS), i % 2 == 0 ? 0 : RECORD, 1, i / PATTERNS);
    }
}

/* Equal records in a row, which rise and fall. */
static void test_equal(void **s)
{
    (void)s;
    for (unsigned mode = 0; mode < 4; mode++) {
        check_pattern(RISING, mode & 1 ? RECORD : 0, 3, mode);
        check_pattern(FALLING, mode & 1 ? 0 : RECORD, 3, mode);
        check_pattern(mode & 1 ? RISING : FALLING, 0, 200, mode & 1);
    }
}

/* Records that are equal by their keys keep their order: those that fall are no run. */
static void test_stable(void **s)
{
    (void)s;
    for (int pattern = RISING; pattern < PATTERNS; pattern++) {
        for (size_t times = 1; times < 4; times += 2) {
            upsweep_external_config config = config_of(0, false, false);
            text in = make(pattern, 0, times, true), want = expect(in, (order){9, false}, false);
            config.key = key;
            config.compare = compare_keys;
            uint64_t written = check(config, in, want);
            assert_true(pattern == RISING || (pattern == FALLING && times == 1) ? written == 0
                        : pattern == FALLING                                    ? written > 0
                                                                                : true);
            free(in.bytes);
            free(want.bytes);
        }
    }
}

/* Elements beside upsweep_sort; of floats with NaNs at either end. */
/* Falling lines so short that a single slot has no room for all their keys: some are turned round
 * where they are before that is known. */
static void test_short(void **s)
{
    (void)s;
    for (size_t n = 10000; n < 400000; n += n / 4) {
        text in = {malloc(4 * n), 4 * n, 0}, want = {malloc(4 * n), 4 * n, 0};
        for (size_t i = 0; i < n; i++) {
            unsigned char one[4] = {(unsigned char)('0' + i / 6400),
                                    (unsigned char)('0' + i / 80 % 80),
                                    (unsigned char)('0' + i % 80), '\n'};
            memcpy(want.bytes + 4 * i, one, 4);
            memcpy(in.bytes + 4 * (n - 1 - i), one, 4);
        }
        FILE *f = make_file(in);
        for (unsigned threads = 1; threads < 4; threads++) {
            upsweep_external_config config = config_of(0, false, false);
            config.threads = threads;
            upsweep_external *x = open_sort(config, in, f);
            assert_int_equal(upsweep_external_sort(x), UPSWEEP_OK);
            pull_all(x, want.bytes, want.size);
            upsweep_external_close(x);
        }
        assert_int_equal(fclose(f), 0);
        free(in.bytes);
        free(want.bytes);
    }
}

static void test_elements(void **s)
{
    (void)s;
    upsweep *u = NULL;
    (void)upsweep_open(&u, "cpu", NULL);
    for (int type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        for (unsigned mode = 0; mode < 8; mode++) {
            static const unsigned orders[] = {0, UPSWEEP_DESCENDING, UPSWEEP_NAN_FIRST,
                                              UPSWEEP_NAN_RAW | UPSWEEP_DESCENDING};
            size_t bytes = upsweep_type_bytes((upsweep_type)type), n = BYTES / bytes;
            if (bytes != 2 && mode / 2 != (unsigned)type % 4) { /* of 16 bits many are NaNs */
                continue;
            }
            upsweep_options o = UPSWEEP_OPTIONS_INIT;
            upsweep_external_config config = config_of(0, false, type % 4 == 3);
            text in = {malloc(BYTES), n * bytes, bytes}, want = {malloc(BYTES), n * bytes, bytes};
            for (size_t i = 0; i < BYTES; i += 8) {
                uint64_t word = any(UINT64_MAX);
                memcpy(in.bytes + i, &word, 8);
            }
            o.flags = config.flags = orders[mode / 2];
            config.type = (upsweep_type)type;
            assert_int_equal(upsweep_sort(u, in.bytes, n, config.type, &o), UPSWEEP_OK);
            memcpy(want.bytes, in.bytes, in.size);
            size_t kept = n;
            if (config.unique) {
                assert_int_equal(upsweep_unique(u, want.bytes, n, config.type, &kept, NULL),
                                 UPSWEEP_OK);
            }
            want.size = kept * bytes;
            if (mode % 2 == 1) {
                assert_int_equal(upsweep_reverse(u, in.bytes, n, bytes, NULL), UPSWEEP_OK);
            }
            uint64_t written = check(config, in, want);
            assert_true(config.unique && bytes < 8 ? written > 0 : written == 0);
            free(in.bytes);
            free(want.bytes);
        }
    }
    upsweep_close(u);
}

/* What comes from many files, from none, and from a pipe in turn. */
static void test_sources(void **s)
{
    (void)s;
    enum { FILES = 70 };
    upsweep_external_config config = config_of(0, false, false);
    text in = make(RISING, 0, 1, false), want = expect(in, (order){SIZE_MAX, false}, false);
    upsweep_external *x;
    int ends[2];
    size_t at = 0;
    config.limit = LIMIT;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(upsweep_external_open(&x, &config), UPSWEEP_OK);
    for (size_t i = 0; i < FILES; i++) {
        size_t step = (i < 3 ? in.size / 4 : in.size / 4 / (FILES - 3)), left = in.size - at;
        step = i + 1 == FILES ? left : step;
        FILE *f = tmpfile();
        size_t cut = i % 2 == 0 ? 0 : step / 2; /* what comes first is behind the rest */
        assert_int_equal(fwrite(in.bytes + at + cut, 1, step - cut, f), step - cut);
        assert_int_equal(fwrite(in.bytes + at, 1, cut, f), cut);
        assert_int_equal(fflush(f), 0);
        int fd = i % 8 == 7 ? ends[0] : i % 8 == 6 ? -1 : fileno(f);
        assert_int_equal(upsweep_external_source(x, fd, step - cut), UPSWEEP_OK);
        assert_int_equal(upsweep_external_push(x, in.bytes + at, cut), UPSWEEP_OK);
        assert_int_equal(upsweep_external_source(x, fd, 0), UPSWEEP_OK);
        assert_int_equal(upsweep_external_push(x, in.bytes + at + cut, step - cut), UPSWEEP_OK);
        fclose(f); /* the library has a descriptor of its own */
        at += step;
    }
    assert_int_equal(upsweep_external_sort(x), UPSWEEP_OK);
    assert_int_equal(upsweep_external_source(x, -1, 0), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_external_source(NULL, -1, 0), UPSWEEP_ERROR_ARGUMENT);
    assert_true(report_of(x).written > 0 && report_of(x).written < in.size * 2 / 3);
    pull_all(x, want.bytes, want.size);
    upsweep_external_close(x);
    close(ends[0]);
    close(ends[1]);
    free(in.bytes);
    free(want.bytes);
}

/* The file is another one before the merge: its text, its size, its time; it may grow. */
static void test_changed(void **s)
{
    (void)s;
    static const char *const says = " has changed while it was sorted";
    for (int way = 0; way < 12; way++) {
        text in = make(way % 2 == 0 ? RISING : FALLING, 0, 1, false);
        upsweep_external_config config = config_of(0, false, false);
        FILE *f = make_file(in), *out = tmpfile();
        upsweep_external *x = open_sort(config, in, f);
        struct timespec times[2] = {{1000, 0}, {1000, 0}};
        assert_int_equal(upsweep_external_sort(x), UPSWEEP_OK);
        switch (way / 2) {
        case 0: /* a line becomes two, and others shorter; the index knows other places then */
            memset(in.bytes, '\n', in.size / 2);
            break;
        case 1: assert_int_equal(ftruncate(fileno(f), (off_t)in.size / 2), 0); break;
        case 2: /* no line ends any more */ memset(in.bytes, 'a', in.size); break;
        case 3: /* letters that no key of a block has */
            for (size_t i = 0; i < 100000; i++) {
                in.bytes[in.size / 2 + i] = in.bytes[in.size / 2 + i] == '\n' ? '\n' : '!';
            }
            assert_int_equal(pwrite(fileno(f), "more", 4, (off_t)in.size + HEAD), 4);
            break;
        case 4: assert_int_equal(futimens(fileno(f), times), 0); break;
        default: assert_int_equal(pwrite(fileno(f), "more", 4, (off_t)in.size + HEAD), 4); break;
        }
        if (way / 2 != 1 && way / 2 < 4) {
            assert_int_equal(pwrite(fileno(f), in.bytes, in.size, HEAD), in.size);
        }
        upsweep_status status = upsweep_external_write(x, fileno(out), NULL);
        assert_int_equal(status, way / 2 == 5 ? UPSWEEP_OK : UPSWEEP_ERROR_FILE);
        const char *error = upsweep_external_error(x);
        assert_true(way / 2 == 5 ? error[0] == '\0'
                                 : (error[0] == '/' && strstr(error, says) != NULL) ||
                                       (way / 2 == 1 && strstr(error, "read again") != NULL));
        upsweep_external_close(x);
        fclose(f);
        fclose(out);
        free(in.bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns), cmocka_unit_test(test_equal),
        cmocka_unit_test(test_stable),   cmocka_unit_test(test_short),
        cmocka_unit_test(test_elements), cmocka_unit_test(test_sources),
        cmocka_unit_test(test_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
