/* test_external_direct.c - sorts under limits large enough that temporary files and the output go
 * past the page cache: every kind of record, to outputs of every kind, from any position on. */
/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "upsweep.h"

enum { LIMIT = 41 << 20, BYTES = 56 << 20, RECORD = 28 };

static uint64_t state = 88172645463325252u;
static uint64_t any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Lines of RECORD bytes, or records or elements of any bytes; `in_order` are all the same but for a
 * number that grows. */
static unsigned char *make(bool lines, bool in_order)
{
    unsigned char *p = malloc(BYTES);
    for (size_t i = 0; i + 8 <= BYTES; i += 8) {
        uint64_t word = any();
        memcpy(p + i, &word, 8);
    }
    for (size_t i = 0; lines && i + RECORD <= BYTES; i += RECORD) {
        for (size_t k = 0; k + 1 < RECORD; k++) {
            p[i + k] = (unsigned char)('a' + p[i + k] % 4);
        }
        if (in_order) {
            char number[32];
            memcpy(p + i, number, (size_t)snprintf(number, sizeof number, "%010zu", i));
        }
        p[i + RECORD - 1] = '\n';
    }
    return p;
}

/* The sum of a hash of all records, which does not ask for their order. */
static uint64_t mark(const unsigned char *p, size_t bytes, size_t record)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < bytes; i += record) {
        uint64_t hash = 1469598103934665603u;
        for (size_t k = 0; k < record; k++) {
            hash = (hash ^ p[i + k]) * 1099511628211u;
        }
        sum += hash;
    }
    return sum;
}

static int compare(const unsigned char *a, const unsigned char *b, size_t record)
{
    if (record != sizeof(uint64_t)) {
        return memcmp(a, b, record);
    }
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* Sorts `in` to a file from byte `begin` on, by a descriptor that goes past the page cache or not,
 * and looks whether each record of it is there once, in order, and nothing before or behind. */
static void sort_to_file(upsweep_external_config config, unsigned char *in, size_t record,
                         size_t begin, bool direct)
{
    char name[] = "/tmp/upsweep-test-direct-XXXXXX";
    int fd = mkstemp(name), number = -1;
    assert_true(fd >= 0);
    assert_int_equal(unlink(name), 0);
    assert_int_equal(ftruncate(fd, (off_t)begin), 0);
    assert_int_equal(lseek(fd, 0, SEEK_END), begin);
    if (direct) { /* where the file system can do it */
        (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_DIRECT);
    }
    size_t bytes = BYTES / record * record;
    uint64_t want = mark(in, bytes, record);
    upsweep_external *x;
    config.limit = LIMIT;
    assert_int_equal(upsweep_external_open(&x, &config), UPSWEEP_OK);
    assert_int_equal(upsweep_external_push(x, in, bytes), UPSWEEP_OK);
    assert_int_equal(upsweep_external_sort(x), UPSWEEP_OK);
    assert_int_equal(upsweep_external_write(x, fd, &number), UPSWEEP_OK);
    upsweep_external_report r = UPSWEEP_EXTERNAL_REPORT_INIT;
    assert_int_equal(upsweep_external_last_report(x, &r), UPSWEEP_OK);
    assert_true(r.runs > 1);
    assert_int_equal(r.merged, bytes);
    upsweep_external_close(x);
    off_t end = lseek(fd, 0, SEEK_CUR);
    assert_int_equal(end, lseek(fd, 0, SEEK_END));
    assert_int_equal(end, begin + bytes);
    unsigned char *out = mmap(NULL, (size_t)end, PROT_READ, MAP_PRIVATE, fd, 0);
    assert_ptr_not_equal(out, MAP_FAILED);
    for (size_t i = 0; i < begin; i++) {
        assert_int_equal(out[i], 0);
    }
    for (size_t i = record; i < bytes; i += record) {
        assert_true(compare(out + begin + i - record, out + begin + i, record) <= 0);
    }
    assert_int_equal(mark(out + begin, bytes, record), want);
    munmap(out, (size_t)end);
    close(fd);
    free(in);
}

static void test_lines(void **s)
{
    (void)s;
    upsweep_external_config config = UPSWEEP_EXTERNAL_CONFIG_INIT;
    config.end = '\n';
    sort_to_file(config, make(true, false), RECORD, 5001, true);
    sort_to_file(config, make(true, true), RECORD, 4095, true);
}

static void test_records(void **s)
{
    (void)s;
    upsweep_external_config config = UPSWEEP_EXTERNAL_CONFIG_INIT;
    config.record_bytes = 1200000; /* as long as a write, and longer */
    sort_to_file(config, make(false, false), 1200000, 10, true);
}

static void test_elements(void **s)
{
    (void)s;
    upsweep_external_config config = UPSWEEP_EXTERNAL_CONFIG_INIT;
    config.type = UPSWEEP_U64;
    sort_to_file(config, make(false, false), 8, 128, true);
    sort_to_file(config, make(false, false), 8, 4099, true); /* elements lie askew in pages */
    sort_to_file(config, make(false, false), 8, 24, false);
}

/* -u, of which no place is known beforehand; and what is pulled. */
static void test_unique(void **s)
{
    (void)s;
    upsweep_external_config config = UPSWEEP_EXTERNAL_CONFIG_INIT;
    config.record_bytes = 8;
    config.unique = 1;
    config.limit = LIMIT;
    for (int elements = 0; elements < 2; elements++) {
        unsigned char *in = make(false, false);
        for (size_t i = 0; i < BYTES; i += 8) {
            memset(in + i + 2, 7, 6); /* 65,536 different ones */
        }
        upsweep_external *x;
        config.record_bytes = elements ? 0 : 8;
        config.type = elements ? UPSWEEP_U64 : (upsweep_type)0;
        assert_int_equal(upsweep_external_open(&x, &config), UPSWEEP_OK);
        assert_int_equal(upsweep_external_push(x, in, BYTES), UPSWEEP_OK);
        assert_int_equal(upsweep_external_sort(x), UPSWEEP_OK);
        uint64_t last = 0;
        size_t got = 0;
        const void *at;
        for (size_t bytes = 1; bytes > 0; got += bytes / 8) {
            assert_int_equal(upsweep_external_pull(x, &at, &bytes), UPSWEEP_OK);
            for (size_t i = 0; i < bytes; i += 8) {
                uint64_t word;
                memcpy(&word, (const unsigned char *)at + i, 8);
                word = elements ? word : __builtin_bswap64(word);
                assert_true(word > last);
                last = word;
            }
        }
        assert_int_equal(got, 65536);
        upsweep_external_close(x);
        free(in);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_elements),
        cmocka_unit_test(test_unique),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
