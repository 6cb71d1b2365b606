/* test_external_pack.c - packed blocks of temporary files: the codec, when it is used, and what is
 * damaged. The other tests of sorts beyond memory are run with all blocks packed as well. */
/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "external/pack.h"
#include "test/external/external_steps.h"

enum { MOST = 500000, KINDS = 6, SLACK = 64, LIMIT = 4 << 20 };

/* Random bytes, one byte, a period, lines that share much, numbers of 8 bytes in order, one byte
 * behind many random ones. */
static void fill(unsigned char *p, size_t bytes, int kind)
{
    size_t period = 1 + any(30);
    uint64_t number = 0;
    for (size_t i = 0; i < bytes; i++) {
        number += i % 8 == 0 ? any(1 << 20) : 0;
        p[i] = kind == 0   ? (unsigned char)any(256)
               : kind == 1 ? 'x'
               : kind == 5 ? (unsigned char)(i < bytes / 3 ? any(256) : 'x')
               : kind == 2 ? (unsigned char)(i % period)
               : kind == 3 ? (unsigned char)(any(10) == 0 ? 'a' + (int)any(26)
                                                          : "/usr/lib/share/\n"[i % 16])
                           : (unsigned char)(number >> i % 8 * 8);
    }
}

static void skip_without_lz4(void)
{
    if (!usw_pack_works()) {
        print_message("not tested: liblz4.so.1 from 1.9.3 on is not here\n");
        skip();
    }
}

/* At the end of its own memory, so that a look behind it is seen by a sanitizer, and as a merge has
 * it: the stored bytes lie behind their place in the same memory. */
static void check_round(const unsigned char *in, size_t bytes, const unsigned char *packed,
                        size_t stored)
{
    unsigned char *exact = malloc(bytes + 1), *from = malloc(stored);
    memcpy(from, packed, stored);
    exact[bytes] = 0xa5;
    assert_true(usw_unpack(from, stored, exact, bytes));
    assert_memory_equal(exact, in, bytes);
    assert_int_equal(exact[bytes], 0xa5);
    for (size_t want = 1; want < bytes; want += 1 + any(bytes)) {
        size_t there = usw_pack_begin_bytes(want);
        unsigned char *head = malloc(want);
        assert_true(usw_unpack_begin(from, there < stored ? there : stored, head, want));
        assert_memory_equal(head, in, want);
        free(head);
    }
    if (stored <= bytes) {
        unsigned char *place = malloc(bytes + USW_PACK_MARGIN),
                      *at = place + bytes - stored + USW_PACK_MARGIN;
        memcpy(at, packed, stored);
        assert_true(usw_unpack(at, stored, place, bytes));
        assert_memory_equal(place, in, bytes);
        free(place);
    }
    free(exact);
    free(from);
}

static void test_codec(void **s)
{
    (void)s;
    skip_without_lz4();
    unsigned char *in = malloc(MOST + SLACK), *out = malloc(2 * MOST + SLACK);
    for (int i = 0; i < 400; i++) {
        size_t bytes = 1 + (i < 200 ? (size_t)i / KINDS : any(i < 380 ? 20000 : MOST));
        fill(in, bytes + SLACK, i % KINDS);
        size_t stored = usw_pack(in, bytes, out, 2 * bytes + SLACK);
        assert_true(stored > USW_PACK_SUM && stored <= USW_PACK_SUM + bytes + bytes / 255 + 16);
        assert_true(i % KINDS == 0 || bytes < (i % KINDS == 5 ? 5000 : 3000) ||
                    stored < bytes * 7 / 8);
        check_round(in, bytes, out, stored);
        size_t room = any(stored);
        memset(out, 0x5a, stored);
        assert_int_equal(usw_pack(in, bytes, out, room), 0);
        assert_int_equal(out[room], 0x5a);
    }
    assert_int_equal(usw_pack(in, USW_PACK_MOST, out, MOST), 0);
    free(in);
    free(out);
}

/* Any bit of it, and any end. Without the checksum, too, nothing is written behind the block. */
static void test_damaged_block(void **s)
{
    (void)s;
    enum { BYTES = 3000 };
    skip_without_lz4();
    unsigned char in[BYTES + SLACK], out[2 * BYTES], got[BYTES + 1];
    for (int kind = 1; kind < KINDS; kind++) {
        fill(in, sizeof in, kind);
        size_t stored = usw_pack(in, BYTES, out, sizeof out);
        got[BYTES] = 0xa5;
        for (size_t bit = 0; bit < 8 * stored; bit++) {
            out[bit / 8] ^= (unsigned char)(1 << bit % 8);
            assert_false(usw_unpack(out, stored, got, BYTES));
            (void)usw_unpack_begin(out, stored, got, BYTES);
            assert_int_equal(got[BYTES], 0xa5);
            out[bit / 8] ^= (unsigned char)(1 << bit % 8);
        }
        for (size_t less = 0; less < stored; less++) {
            assert_false(usw_unpack(out, less, got, BYTES));
        }
        assert_false(usw_unpack(out, stored, got, BYTES - 1));
        assert_true(usw_unpack(out, stored, got, BYTES));
    }
}

/* Bytes of 1 GB a second, of which `to` in 1000 are left, beside a disk of so many MB a second. */
static bool pays(double disk, size_t to)
{
    usw_ext_packing p = {.wish = USW_PACK_WHERE_FASTER};
    for (int i = 0; i < 100; i++) {
        usw_packing_note_write(&p, 1 << 20, (1 << 20) / (disk * 1e6));
        usw_packing_note_pack(&p, 16000, 16 * to, 16000 / 1e9);
    }
    return usw_packing_pays(&p);
}

static void test_decision(void **s)
{
    (void)s;
    assert_true(pays(100, 330));
    assert_true(pays(300, 330));
    assert_false(pays(600, 330));
    assert_false(pays(2000, 100));
    assert_false(pays(10, 1000));
    assert_true(pays(100, 700));
    assert_false(pays(100, 900));
    usw_ext_packing p = {.wish = USW_PACK_WHERE_FASTER}; /* nothing is known yet */
    assert_false(usw_packing_pays(&p));
    usw_packing_note_pack(&p, 16000, 1000, 1e-6);
    assert_false(usw_packing_pays(&p));
    usw_packing_note_write(&p, 8 << 20, 1);
    assert_true(usw_packing_pays(&p));
    for (int i = 0; i < 20; i++) { /* the disk has become fast */
        usw_packing_note_write(&p, 32 << 20, 0.001);
    }
    assert_false(usw_packing_pays(&p));
}

/* Lines that share much, some of them too long to be gathered, or to begin a packed block. */
static unsigned char *make_lines(size_t bytes)
{
    unsigned char *p = malloc(bytes);
    for (size_t at = 0; at < bytes;) {
        size_t odd = any(2000), left = bytes - at;
        size_t length = odd == 0 ? 200000 : odd < 3 ? 20000 : odd < 40 ? 3000 : 30 + any(60);
        length = length < left ? length : left;
        memset(p + at, 'l', length);
        for (size_t i = 20; i < length && i < 40; i++) {
            p[at + i] = (unsigned char)('a' + any(26));
        }
        p[at + length - 1] = '\n';
        at += length;
    }
    return p;
}

static upsweep_external *sort_lines(const unsigned char *p, size_t bytes, const char *folder)
{
    upsweep_external *x;
    upsweep_external_config config = UPSWEEP_EXTERNAL_CONFIG_INIT;
    config.limit = LIMIT;
    config.end = '\n';
    config.directories = &folder;
    config.directory_count = 1;
    assert_int_equal(upsweep_external_open(&x, &config), UPSWEEP_OK);
    push_pieces(x, p, bytes);
    assert_int_equal(upsweep_external_sort(x), UPSWEEP_OK);
    return x;
}

static void test_both(void **s)
{
    (void)s;
    skip_without_lz4();
    size_t size = 24 << 20;
    unsigned char *in = make_lines(size), *want = malloc(size);
    size_t at = 0, bytes;
    const void *records;
    upsweep_external_report raw = UPSWEEP_EXTERNAL_REPORT_INIT;
    for (int packed = 0; packed < 2; packed++) {
        setenv("UPSWEEP_TEMPORARIES", packed ? "packed" : "raw", 1);
        upsweep_external *x = sort_lines(in, size, "/tmp");
        if (packed) {
            pull_all(x, want, size);
        }
        while (!packed && upsweep_external_pull(x, &records, &bytes) == UPSWEEP_OK && bytes > 0) {
            memcpy(want + at, records, bytes);
            at += bytes;
        }
        upsweep_external_report r = report_of(x);
        assert_int_equal(r.packed_from > 0, packed);
        assert_true(r.packed_to <= r.packed_from / 2);
        assert_true(!packed ||
                    (r.written < raw.written * 3 / 4 && r.temporary < raw.temporary * 3 / 4));
        raw = r;
        upsweep_external_close(x);
    }
    assert_int_equal(at, size);
    unsetenv("UPSWEEP_TEMPORARIES");
    free(in);
    free(want);
}

/* The temporary file, which has no name: among our descriptors. */
static int temporary_file(const char *folder)
{
    char link[64], name[256];
    for (int fd = 3; fd < 100; fd++) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t bytes = readlink(link, name, sizeof name - 1);
        name[bytes > 0 ? bytes : 0] = '\0';
        if (strncmp(name, folder, strlen(folder)) == 0 && strstr(name, "(deleted)") != NULL) {
            return fd;
        }
    }
    return -1;
}

static void test_damaged_file(void **s)
{
    (void)s;
    skip_without_lz4();
    size_t size = 12 << 20;
    char folder[] = "/tmp/upsweep_packed_XXXXXX", page[4096];
    assert_non_null(mkdtemp(folder));
    unsigned char *in = make_lines(size);
    setenv("UPSWEEP_TEMPORARIES", "packed", 1);
    upsweep_external *x = sort_lines(in, size, folder);
    int fd = temporary_file(folder);
    FILE *out = tmpfile();
    for (off_t at = 0; pread(fd, page, sizeof page, at) > 0; at += (off_t)sizeof page) {
        page[1234] ^= 4;
        assert_int_equal(pwrite(fd, page, sizeof page, at), sizeof page);
    }
    assert_int_equal(upsweep_external_write(x, fileno(out), NULL), UPSWEEP_ERROR_FILE);
    assert_non_null(strstr(upsweep_external_error(x),
                           ": a temporary file holds other bytes than were written to it"));
    upsweep_external_close(x);
    unsetenv("UPSWEEP_TEMPORARIES");
    assert_int_equal(rmdir(folder), 0);
    fclose(out);
    free(in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codec),        cmocka_unit_test(test_damaged_block),
        cmocka_unit_test(test_decision),     cmocka_unit_test(test_both),
        cmocka_unit_test(test_damaged_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
