/* test_external_callbacks.c - sorts beyond memory whose input and output are functions: lines,
 * records and elements in pieces of a byte, of none and of all, and functions that fail. */
/* SPDX-License-Identifier: MIT */
#include "test/external/external_steps.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LIMIT = 4 << 20, BYTES = 7 << 20, RECORD = 20 };

/* What is given, in pieces of `least` to `most` bytes, every third one empty if that is 0. */
typedef struct source {
    const unsigned char *bytes;
    size_t size, at, least, most, calls, fail_at;
    upsweep_status fail;
    bool after; /* it was called after its end, or after a failure */
    bool ended;
} source;

static upsweep_status give(void *context, const void **piece, size_t *bytes)
{
    source *s = context;
    assert_null(*piece);
    assert_int_equal(*bytes, 0);
    s->after |= s->ended;
    s->calls++;
    if (s->fail != UPSWEEP_OK && s->at >= s->fail_at) {
        s->ended = true;
        *piece = s->bytes;
        *bytes = s->size - s->at; /* what a failure gives does not count */
        return s->fail;
    }
    if (s->at == s->size) {
        s->ended = true;
        return UPSWEEP_OK;
    }
    size_t step = s->least + any(s->most - s->least + 1);
    step = s->least == 0 && s->calls % 3 == 0 ? 0 : step;
    step = step < s->size - s->at ? step : s->size - s->at;
    *piece = s->bytes + s->at;
    *bytes = step;
    s->at += step;
    return UPSWEEP_OK;
}

/* What is taken, beside what is expected. */
typedef struct sink {
    const unsigned char *want;
    size_t size, at, calls, fail_call;
    bool after;
} sink;

static upsweep_status take(void *context, const void *records, size_t bytes)
{
    sink *k = context;
    k->after |= k->calls == k->fail_call && k->fail_call != 0;
    assert_true(bytes > 0 && bytes <= k->size - k->at);
    assert_memory_equal(records, k->want + k->at, bytes);
    k->at += bytes;
    return ++k->calls == k->fail_call ? UPSWEEP_STOPPED : UPSWEEP_OK;
}

/* ---- inputs, and what a serial sort makes of them ---- */

typedef struct input {
    upsweep_external_config config;
    unsigned char *bytes, *want;
    size_t size;
} input;

static int compare_lines(const void *a, const void *b)
{
    const line *x = a, *y = b;
    int order = memcmp(x->p, y->p, x->bytes < y->bytes ? x->bytes : y->bytes);
    order = order != 0 ? order : (x->bytes > y->bytes) - (x->bytes < y->bytes);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

static int compare_records(const void *a, const void *b)
{
    const line *x = a, *y = b;
    int order = memcmp(x->p, y->p, 2);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, ((const line *)a)->p, 8);
    memcpy(&y, ((const line *)b)->p, 8);
    return (x > y) - (x < y);
}

/* Parts of `bytes` bytes, 0: lines, in the order of compare. */
static void sort_serially(input *in, size_t bytes, int (*compare)(const void *, const void *))
{
    line *parts = malloc(in->size * sizeof *parts / (bytes == 0 ? 1 : bytes) + sizeof *parts);
    size_t n = 0, at = 0;
    for (const unsigned char *p = in->bytes, *end = p + in->size; p < end; n++) {
        size_t step = bytes;
        if (step == 0) {
            step = (size_t)((const unsigned char *)memchr(p, '\n', (size_t)(end - p)) - p) + 1;
        }
        parts[n] = (line){p, bytes == 0 ? step - 1 : step, n};
        p += step;
    }
    qsort(parts, n, sizeof *parts, compare);
    for (size_t i = 0; i < n; i++) {
        size_t step = parts[i].bytes + (bytes == 0);
        memcpy(in->want + at, parts[i].p, step);
        at += step;
    }
    free(parts);
}

static const upsweep_field first_two = {.bytes = 2};

static input make(unsigned kind, size_t size)
{
    input in = {UPSWEEP_EXTERNAL_CONFIG_INIT, malloc(size), malloc(size), size};
    for (size_t i = 0; i < size; i++) {
        uint64_t value = any(1 << 20);
        in.bytes[i] = (unsigned char)(kind != 0 ? value : value % 30 == 0 ? '\n' : 'a' + value % 5);
    }
    in.config.limit = LIMIT;
    in.config.end = '\n';
    if (kind == 0) {
        in.bytes[size - 1] = '\n';
        sort_serially(&in, 0, compare_lines);
    } else if (kind == 1) {
        in.config.record_bytes = RECORD;
        in.config.fields = &first_two;
        in.config.field_count = 1;
        sort_serially(&in, RECORD, compare_records);
    } else {
        in.config.type = UPSWEEP_U64;
        in.config.record_bytes = 8;
        sort_serially(&in, 8, compare_numbers);
    }
    return in;
}

static void give_back(input in)
{
    free(in.bytes);
    free(in.want);
}

/* ---- tests ---- */

static const struct {
    size_t least, most;
} pieces[] = {{1, 1}, {0, 3}, {0, 100000}, {1, 7 << 20}, {64 << 20, 64 << 20}};

static void test_pieces(void **s)
{
    (void)s;
    for (unsigned kind = 0; kind < 3; kind++) {
        for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
            size_t size = (kind == 0 || p > 1 ? BYTES : 300000) / 40 * 40;
            input in = make(kind, size);
            source from = {
                .bytes = in.bytes, .size = size, .least = pieces[p].least, .most = pieces[p].most};
            sink to = {.want = in.want, .size = size};
            upsweep_external *x;
            assert_int_equal(upsweep_external_open(&x, &in.config), UPSWEEP_OK);
            assert_int_equal(upsweep_external_push_from(x, give, &from), UPSWEEP_OK);
            assert_true(from.ended && !from.after);
            assert_int_equal(upsweep_external_sort(x), UPSWEEP_OK);
            assert_int_equal(upsweep_external_pull_to(x, take, &to), UPSWEEP_OK);
            assert_int_equal(to.at, size);
            upsweep_external_report r = report_of(x);
            assert_true(r.bytes == size && (size < BYTES / 2 || r.runs > 1));
            upsweep_external_close(x);
            give_back(in);
        }
    }
}

/* Pieces of several functions, and of push and pull beside them. */
static void test_mixed(void **s)
{
    (void)s;
    input in = make(0, BYTES);
    source one = {.bytes = in.bytes, .size = BYTES / 3, .least = 1, .most = 50000};
    source two = {.bytes = in.bytes + BYTES / 2, .size = BYTES - BYTES / 2, .most = 50000};
    source none = {.size = 0};
    upsweep_external *x;
    const void *records;
    size_t bytes;
    assert_int_equal(upsweep_external_open(&x, &in.config), UPSWEEP_OK);
    assert_int_equal(upsweep_external_push_from(x, give, &none), UPSWEEP_OK);
    assert_int_equal(upsweep_external_push_from(x, give, &one), UPSWEEP_OK);
    push_pieces(x, in.bytes + BYTES / 3, BYTES / 2 - BYTES / 3);
    assert_int_equal(upsweep_external_push_from(x, give, &two), UPSWEEP_OK);
    assert_int_equal(upsweep_external_sort(x), UPSWEEP_OK);
    assert_int_equal(upsweep_external_pull(x, &records, &bytes), UPSWEEP_OK);
    assert_memory_equal(records, in.want, bytes);
    sink to = {.want = in.want, .size = BYTES, .at = bytes};
    assert_int_equal(upsweep_external_pull_to(x, take, &to), UPSWEEP_OK);
    assert_int_equal(to.at, BYTES);
    assert_int_equal(upsweep_external_pull_to(x, take, &to), UPSWEEP_OK); /* there is no more */
    assert_int_equal(to.at, BYTES);
    upsweep_external_close(x);
    give_back(in);
}

static size_t files_in(const char *folder)
{
    size_t count = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        count += e->d_name[0] != '.' || (e->d_name[1] != '\0' && e->d_name[1] != '.');
    }
    closedir(d);
    return count;
}

static size_t descriptors(void)
{
    return files_in("/proc/self/fd");
}

/* The status comes back, then again from every call; no file and no descriptor is left. */
static void test_failing_source(void **s)
{
    (void)s;
    static const upsweep_status statuses[] = {UPSWEEP_STOPPED, UPSWEEP_ERROR_FILE,
                                              UPSWEEP_ERROR_MEMORY, (upsweep_status)1000};
    char folder[] = "/tmp/test_external_callbacks.XXXXXX";
    assert_non_null(mkdtemp(folder));
    const char *const folders[] = {folder};
    size_t before = descriptors();
    input in = make(0, BYTES);
    in.config.directories = folders;
    in.config.directory_count = 1;
    for (size_t i = 0; i < 12; i++) {
        upsweep_status wanted = statuses[i % 4];
        source from = {.bytes = in.bytes,
                       .size = BYTES,
                       .least = 1,
                       .most = 100000,
                       .fail = wanted,
                       .fail_at = i < 4   ? 0
                                  : i < 8 ? BYTES / 2
                                          : BYTES};
        upsweep_external *x;
        assert_int_equal(upsweep_external_open(&x, &in.config), UPSWEEP_OK);
        assert_int_equal(upsweep_external_push_from(x, give, &from), wanted);
        assert_false(from.after);
        assert_non_null(strstr(upsweep_external_error(x), "what gives the records has failed: "));
        size_t calls = from.calls;
        assert_int_equal(upsweep_external_push(x, "a\n", 2), wanted);
        assert_int_equal(upsweep_external_push_from(x, give, &from), wanted);
        assert_int_equal(from.calls, calls); /* it was not asked again */
        assert_int_equal(upsweep_external_sort(x), wanted);
        upsweep_external_close(x);
        assert_int_equal(files_in(folder), 0);
        assert_int_equal(descriptors(), before);
    }
    give_back(in);
    assert_int_equal(rmdir(folder), 0);
}

static void test_failing_sink(void **s)
{
    (void)s;
    size_t before = descriptors();
    for (unsigned i = 0; i < 4; i++) {
        size_t size = i % 2 == 0 ? BYTES : 40000;
        input in = make(0, size);
        source from = {.bytes = in.bytes, .size = size, .least = 1, .most = 100000};
        sink to = {.want = in.want, .size = size, .fail_call = i < 2 || size < BYTES ? 1 : 5};
        upsweep_external *x;
        assert_int_equal(upsweep_external_open(&x, &in.config), UPSWEEP_OK);
        assert_int_equal(upsweep_external_push_from(x, give, &from), UPSWEEP_OK);
        assert_int_equal(upsweep_external_sort(x), UPSWEEP_OK);
        assert_int_equal(upsweep_external_pull_to(x, take, &to), UPSWEEP_STOPPED);
        assert_string_equal(upsweep_external_error(x),
                            "what takes the records has failed: stopped");
        assert_int_equal(upsweep_external_pull_to(x, take, &to), UPSWEEP_STOPPED);
        assert_false(to.after);
        upsweep_external_close(x);
        assert_int_equal(descriptors(), before);
        give_back(in);
    }
}

static upsweep_status give_nowhere(void *context, const void **piece, size_t *bytes)
{
    (void)context;
    *piece = NULL;
    *bytes = 5;
    return UPSWEEP_OK;
}

static void test_refused(void **s)
{
    (void)s;
    input in = make(0, 1000);
    source from = {.bytes = in.bytes, .size = in.size, .least = 1, .most = 100};
    sink to = {.want = in.want, .size = in.size};
    upsweep_external *x;
    assert_int_equal(upsweep_external_push_from(NULL, give, &from), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_external_pull_to(NULL, take, &to), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_external_open(&x, &in.config), UPSWEEP_OK);
    assert_int_equal(upsweep_external_push_from(x, NULL, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_external_pull_to(x, take, &to), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_external_push_from(x, give, &from), UPSWEEP_OK);
    assert_int_equal(upsweep_external_sort(x), UPSWEEP_OK);
    from.ended = false;
    size_t calls = from.calls;
    assert_int_equal(upsweep_external_push_from(x, give, &from), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(from.calls, calls);
    assert_int_equal(upsweep_external_pull_to(x, NULL, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_int_equal(upsweep_external_pull_to(x, take, &to), UPSWEEP_OK);
    assert_int_equal(to.at, in.size);
    upsweep_external_close(x);
    assert_int_equal(upsweep_external_open(&x, &in.config), UPSWEEP_OK);
    assert_int_equal(upsweep_external_push_from(x, give_nowhere, NULL), UPSWEEP_ERROR_ARGUMENT);
    assert_string_equal(upsweep_external_error(x), "what gives the records gave 5 bytes at NULL");
    upsweep_external_close(x);
    give_back(in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces),         cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_failing_source), cmocka_unit_test(test_failing_sink),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
