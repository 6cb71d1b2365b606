/* gpu_steps_strings.c - sorts of strings on the GPU as on the CPU: texts of many kinds, more and
 * fewer than a tile of the merge sort, both widths of offsets and indices, both directions, parts
 * of an array; and offsets that fall. */
/* SPDX-License-Identifier: MIT */
#include "test/gpu/gpu_steps.h"

enum { N_MAX = 20000, LONGEST = 90 };
enum { KINDS = 9, SPARED = KINDS, DEEP };
static unsigned char bytes[N_MAX * LONGEST + 64], want_bytes[sizeof bytes], got_bytes[sizeof bytes];
static uint64_t offsets[N_MAX + 1], stored[N_MAX + 1], want[N_MAX + 1], got[N_MAX + 1];

static uint64_t seed = 3;
static uint64_t draw(uint64_t below)
{
    return input_random(&seed) % below;
}

/* A string of the kind, and its length. */
static size_t write_string(unsigned char *to, unsigned kind, size_t i)
{
    size_t length = kind == 0   ? draw(20)
                    : kind == 1 ? draw(30)                  /* NULs and ones */
                    : kind == 2 ? draw(LONGEST)             /* of two letters */
                    : kind == 3 ? i % LONGEST               /* each the beginning of the next */
                    : kind == 4 ? 40 + draw(30)             /* with 37 bytes in common */
                    : kind == 5 ? 3 * draw(2)               /* equal ones and empty ones */
                    : kind == 6 ? LONGEST - 1               /* equal but for the last byte */
                    : kind == 8 ? (i == 0 ? 1 : 108)        /* all but one alike in 96 bytes */
                                : (draw(100) == 0 ? 9 : 0); /* few that are not empty */
    for (size_t k = 0; k < length; k++) {
        to[k] = (unsigned char)(kind == 0   ? draw(256)
                                : kind == 1 ? draw(2)
                                : kind == 2 ? 'a' + draw(2) * (k % 7 == 6)
                                : kind == 3 ? 'x'
                                : kind == 4 ? (k < 37 ? 'u' : 'a' + draw(3))
                                : kind == 5 ? 'e'
                                : kind == 6 ? (k + 2 < LONGEST ? 's' : draw(256))
                                : kind == 8 ? 'a' + (k < 96 && i > 0 ? 9 : draw(3))
                                            : 'a' + draw(2));
    }
    return length;
}

/* Whether the string is one of the sample that others are placed in (string_order.cuh). */
static bool in_sample(size_t i)
{
    return i % USW_GPU_STRING_SAMPLE ==
           ((uint32_t)(i / USW_GPU_STRING_SAMPLE) * 2654435769u >> 8) % USW_GPU_STRING_SAMPLE;
}

/* Strings that a sample does not tell apart: SPARED: all others, alike in 40 bytes; DEEP: one in
 * 512, alike in 310 bytes. */
static size_t write_spared(unsigned char *to, unsigned kind, size_t i)
{
    if (in_sample(i) || (kind == DEEP && i % 512 != 7)) {
        *to = i % 3 == 0 ? 'A' : 'z';
        return 1;
    }
    size_t alike = kind == DEEP ? 310 : 40, tail = draw(4);
    memset(to, 'x', alike);
    for (size_t k = 0; k < tail; k++) {
        to[alike + k] = (unsigned char)draw(3);
    }
    return alike + tail;
}

/* n strings that begin `skipped` bytes behind the beginning of the array. */
static void make_strings(unsigned kind, size_t n, size_t skipped, unsigned offset_bytes)
{
    uint64_t at = skipped;
    for (size_t i = 0; i <= n; i++) {
        offsets[i] = at;
        at += i == n          ? 0
              : kind >= KINDS ? write_spared(bytes + at, kind, i)
                              : write_string(bytes + at, kind, i);
    }
    for (size_t i = 0; i <= n; i++) {
        memcpy((char *)stored + i * offset_bytes, &offsets[i], offset_bytes);
    }
}

typedef struct way {
    unsigned offset_bytes, index_bytes;
    bool descending, with_first; /* with_first: bytes are given from the first string's on */
} way;

static usw_gpu_strings put_strings(gpu_room *room, size_t n, const way *w)
{
    uint64_t first = w->with_first ? offsets[0] : 0;
    usw_gpu_strings s = {.n = n, .stride = 1, .first = first, .descending = w->descending};
    s.bytes = gpu_put(room, bytes + first, (size_t)(offsets[n] - first), n % 9);
    s.offsets = gpu_put(room, stored, (n + 1) * w->offset_bytes, w->offset_bytes);
    s.offset_bytes = w->offset_bytes;
    return s;
}

static size_t many; /* strings from which on they are sorted by a sample */

/* The index of one string of s.stride, as calls/on_gpu/strings.c has it made. */
static void sort_index(gpu_room *room, usw_gpu_strings s)
{
    const usw_gpu_strings_step *step = gpu_step(room, "strings");
    const usw_gpu_sort_form *form = gpu_step(room, "sort_choice");
    if (s.n / s.stride < many) {
        assert_int_equal(step->few(room->g, &s), UPSWEEP_OK);
        return;
    }
    usw_gpu_strings sample = s;
    sample.stride *= USW_GPU_STRING_SAMPLE;
    s.sample = sample.index = gpu_put(room, NULL, s.n / sample.stride * s.index_bytes, 0);
    sort_index(room, sample);
    assert_int_equal(step->keys(room->g, &s), UPSWEEP_OK);
    usw_gpu_pairs pairs = {.keys = s.keys,
                           .out_keys = s.keys,
                           .out_values = s.index,
                           .value_bytes = s.index_bytes,
                           .n = s.n / s.stride,
                           .width = 3,
                           .map = usw_keymap_of(UPSWEEP_U64, 0),
                           .bit_end = 64,
                           .stable = true};
    assert_int_equal(form->pairs(room->g, &pairs), UPSWEEP_OK);
    assert_int_equal(step->tied(room->g, &s), UPSWEEP_OK);
}

static void sort_on_gpu(gpu_room *room, usw_gpu_strings *s)
{
    const usw_gpu_strings_step *step = gpu_step(room, "strings");
    assert_int_equal(step->begin(room->g, s), UPSWEEP_OK);
    sort_index(room, *s);
}

static void check_index(gpu_room *room, size_t n, const way *w)
{
    upsweep_options o = {.flags = w->descending ? UPSWEEP_DESCENDING : 0};
    assert_int_equal(upsweep_argsort_strings(room->cpu, bytes, stored, w->offset_bytes * 8, n, want,
                                             w->index_bytes * 8, &o),
                     UPSWEEP_OK);
    gpu_begin(room);
    usw_gpu_strings s = put_strings(room, n, w);
    s.index = gpu_put(room, NULL, n * w->index_bytes, w->index_bytes);
    s.index_bytes = w->index_bytes;
    sort_on_gpu(room, &s);
    gpu_get(room, got, s.index, n * w->index_bytes);
    assert_int_equal(gpu_end(room), 0);
    assert_memory_equal(got, want, n * w->index_bytes);
}

/* lengths and copy by the index of the CPU; the scan between them is ours. */
static void check_sorted(gpu_room *room, size_t n, const way *w)
{
    upsweep_options o = {.flags = w->descending ? UPSWEEP_DESCENDING : 0};
    size_t all = (size_t)(offsets[n] - offsets[0]);
    assert_int_equal(upsweep_sort_strings(room->cpu, bytes, stored, w->offset_bytes * 8, n,
                                          want_bytes, want, &o),
                     UPSWEEP_OK);
    const usw_gpu_strings_step *step = gpu_step(room, "strings");
    for (unsigned copies = 0; copies < 2; copies++) {
        gpu_begin(room);
        usw_gpu_strings s = put_strings(room, n, w);
        s.index = gpu_put(room, NULL, n * w->index_bytes, w->index_bytes);
        s.index_bytes = w->index_bytes;
        s.out_bytes = gpu_put(room, NULL, all, 3);
        s.out_offsets =
            gpu_put(room, copies ? want : NULL, (n + 1) * w->offset_bytes, w->offset_bytes);
        sort_on_gpu(room, &s);
        assert_int_equal(copies ? step->copy(room->g, &s) : step->lengths(room->g, &s), UPSWEEP_OK);
        gpu_get(room, got, s.out_offsets, (n + 1) * w->offset_bytes);
        gpu_get(room, got_bytes, s.out_bytes, all);
        assert_int_equal(gpu_end(room), 0);
        if (copies) {
            assert_memory_equal(got_bytes, want_bytes, all);
            continue;
        }
        for (size_t i = 0; i <= n; i++) {
            uint64_t length = 0, begin = 0, end = 0;
            memcpy(&length, (char *)got + i * w->offset_bytes, w->offset_bytes);
            memcpy(&begin, (char *)want + i * w->offset_bytes, w->offset_bytes);
            memcpy(&end, (char *)want + (i < n ? i + 1 : i) * w->offset_bytes, w->offset_bytes);
            assert_int_equal(length, end - begin);
        }
    }
}

static void strings_of_all_kinds(void **state)
{
    static const size_t lengths[] = {1, 2, 7, 300, 1791, 1792, 1793, 5000};
    for (unsigned kind = 0; kind < KINDS; kind++) {
        many = kind % 2 ? 256 : USW_GPU_MANY_STRINGS;
        for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            unsigned turn = kind + i;
            way w = {turn % 2 ? 8 : 4, turn / 2 % 2 ? 8 : 4, turn % 3 == 0, turn % 5 < 2};
            make_strings(kind, lengths[i], turn % 4 * 5, w.offset_bytes);
            check_index(*state, lengths[i], &w);
            check_sorted(*state, lengths[i], &w);
        }
    }
}

/* So many that they are told apart by where they lie in a sorted sample first. */
static void strings_among_splitters(void **state)
{
    many = 256;
    for (unsigned kind = 0; kind <= DEEP; kind++) {
        for (unsigned i = 0; i < 2; i++) {
            size_t n = i == 0 ? 1000 : kind == 0 ? N_MAX : 3000;
            way w = {kind % 2 ? 8 : 4, (kind / 2 + i) % 2 ? 8 : 4, (kind + i) % 2 == 0, i == 1};
            make_strings(kind, n, kind % 4 * 5, w.offset_bytes);
            check_index(*state, n, &w);
        }
    }
}

/* An offset that falls is a fault. */
static void offsets_that_fall(void **state)
{
    gpu_room *room = *state;
    many = USW_GPU_MANY_STRINGS;
    for (size_t n = 2; n <= 20000; n *= 100) {
        way w = {4, 4, false, false};
        make_strings(0, n, 0, 4);
        ((uint32_t *)stored)[n / 2] = ((uint32_t *)stored)[n / 2 + 1] + 1;
        gpu_begin(room);
        usw_gpu_strings s = put_strings(room, n, &w);
        s.index = gpu_put(room, NULL, n * 4, 4);
        s.index_bytes = 4;
        sort_on_gpu(room, &s);
        assert_int_equal(gpu_end(room), USW_FAULT_STRINGS);
    }
}

/* Strings that have bytes, and no array of them to read or to write. */
static void bytes_that_are_nowhere(void **state)
{
    gpu_room *room = *state;
    for (unsigned i = 0; i < 3; i++) {
        way w = {4, 4, false, false};
        make_strings(6, 1, 0, 4);
        memset(stored, 0, i == 2 ? 8 : 0); /* the third time it has none */
        gpu_begin(room);
        usw_gpu_strings s = put_strings(room, 1, &w);
        s.index = gpu_put(room, NULL, 4, 4);
        s.index_bytes = 4;
        s.bytes = i == 1 ? s.bytes : NULL;
        s.out_offsets = i == 0 ? NULL : gpu_put(room, NULL, 8, 4);
        sort_on_gpu(room, &s);
        assert_int_equal(gpu_end(room), i == 2 ? 0 : USW_FAULT_STRINGS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_of_all_kinds), cmocka_unit_test(strings_among_splitters),
        cmocka_unit_test(offsets_that_fall), cmocka_unit_test(bytes_that_are_nowhere)};
    return cmocka_run_group_tests(tests, gpu_room_open, gpu_room_close);
}
