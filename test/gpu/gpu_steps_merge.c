/* gpu_steps_merge.c - merges and the sort of records on the GPU give the CPU's bytes: all types and
 * orders, runs of any length, lists that are not sorted, fields of every kind, long and short
 * keys. */
/* SPDX-License-Identifier: MIT */
#include "test/gpu/gpu_steps.h"

#include "test/shared/oracle.h"

enum { N_MAX = 24000, RUNS_MAX = 40, RECORDS_MAX = 9000, RECORD_MAX = 64 };
static uint64_t keys[N_MAX], want[N_MAX], got[N_MAX];
static unsigned char records[RECORDS_MAX * RECORD_MAX], sorted[RECORDS_MAX * RECORD_MAX],
    out[RECORDS_MAX * RECORD_MAX];

static const usw_gpu_merge_step *step_of(const gpu_room *room)
{
    return gpu_step(room, "merge");
}

static unsigned width_of(upsweep_type type)
{
    size_t bytes = upsweep_type_bytes(type);
    return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
}

/* Cuts n keys into k runs, some empty, and merges them on both devices. */
static void check_runs(gpu_room *room, upsweep_type type, size_t n, size_t k, unsigned flags,
                       bool in_order, uint64_t seed)
{
    size_t bytes = upsweep_type_bytes(type), counts[RUNS_MAX], at = 0;
    const void *runs[RUNS_MAX], *device[RUNS_MAX];
    upsweep_options o = {.flags = flags};
    gpu_begin(room);
    unsigned char *all = gpu_put(room, keys, n * bytes, bytes);
    for (size_t r = 0; r < k; r++) {
        size_t left = n - at, share = left / (k - r) * 2 + 1;
        counts[r] = r + 1 == k ? left : (size_t)(input_random(&seed) % share);
        counts[r] = counts[r] < left ? counts[r] : left;
        runs[r] = (unsigned char *)keys + at * bytes;
        device[r] = all + at * bytes;
        if (in_order) {
            void *run = (unsigned char *)keys + at * bytes;
            assert_int_equal(upsweep_sort(room->cpu, run, counts[r], type, &o), UPSWEEP_OK);
        }
        at += counts[r];
    }
    assert_int_equal(room->plugin->upload(room->g, all, keys, n * bytes), UPSWEEP_OK);
    void *to = gpu_put(room, NULL, n * bytes, bytes * 3);
    usw_keymap map = usw_keymap_of(type, flags);
    if (k == 2) {
        assert_int_equal(step_of(room)->merge(room->g, device[0], counts[0], device[1], counts[1],
                                              to, width_of(type), &map),
                         UPSWEEP_OK);
    } else {
        assert_int_equal(
            step_of(room)->merge_runs(room->g, device, counts, k, to, width_of(type), &map),
            UPSWEEP_OK);
    }
    gpu_get(room, got, to, n * bytes);
    assert_int_equal(gpu_end(room), 0);
    if (in_order) {
        assert_int_equal(upsweep_merge_runs(room->cpu, runs, counts, k, want, type, &o),
                         UPSWEEP_OK);
        assert_memory_equal(got, want, n * bytes);
    } else {
        assert_null(oracle_same_keys(keys, got, n, bytes));
    }
}

static void merges(void **state)
{
    static const size_t sizes[] = {1, 100, 3840, 3841, 4864, 4865, 9000, 24000};
    for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        for (unsigned i = 0; i < 16; i++) {
            size_t n = sizes[i % 8], k[] = {2, 3, 2, 17, 5, 2, 40, 8};
            unsigned flags = i % 3 == 1 ? UPSWEEP_DESCENDING : i % 3 == 2 ? UPSWEEP_NAN_FIRST : 0;
            input_fill((i + type) % INPUT_PATTERNS, type, keys, n, i);
            check_runs(*state, type, n, k[(i / 2) % 8], flags, i % 5 != 4, i);
        }
    }
}

static void check_records(gpu_room *room, size_t n, size_t bytes, const upsweep_field *fields,
                          size_t count, bool down)
{
    upsweep_options o = {.flags = down ? UPSWEEP_DESCENDING : 0};
    memcpy(sorted, records, n * bytes);
    assert_int_equal(upsweep_sort_records(room->cpu, sorted, n, bytes, fields, count, &o),
                     UPSWEEP_OK);
    gpu_begin(room);
    void *at = gpu_put(room, records, n * bytes, n % 2 ? 1 : 0);
    assert_int_equal(step_of(room)->sort_records(room->g, at, n, bytes, fields, count, down),
                     UPSWEEP_OK);
    gpu_get(room, out, at, n * bytes);
    assert_int_equal(gpu_end(room), 0);
    assert_memory_equal(out, sorted, n * bytes);
}

/* Records of few values, so that later fields and stability decide. */
static void sort_records(void **state)
{
    static const size_t sizes[] = {1, 2, 7, 100, 1791, 1792, 1793, 5000, 9000};
    static const upsweep_field choice[] = {
        {.offset = 0, .type = UPSWEEP_U32},
        {.offset = 4, .type = UPSWEEP_F64, .flags = UPSWEEP_DESCENDING},
        {.offset = 13, .bytes = 3},
        {.offset = 16, .bytes = 30, .flags = UPSWEEP_DESCENDING},
        {.offset = 12, .type = UPSWEEP_I8, .flags = UPSWEEP_DESCENDING},
        {.offset = 17, .type = UPSWEEP_F32, .flags = UPSWEEP_NAN_FIRST},
        {.offset = 2, .bytes = 17},
        {.offset = 40, .type = UPSWEEP_I16},
        {.offset = 24, .bytes = 9},
    };
    enum { CHOICE = sizeof choice / sizeof choice[0] };
    uint64_t seed = 1;
    for (unsigned i = 0; i < 60; i++) {
        upsweep_field fields[6];
        size_t n = sizes[i % 9], bytes = i % 4 == 0 ? 48 : 46 + i % 19, count = 1 + i % 6;
        for (size_t f = 0; f < count; f++) {
            fields[f] = choice[input_random(&seed) % CHOICE];
        }
        input_fill_bytes(records, n * bytes, i);
        for (size_t at = 0; at < n * bytes && i % 5 != 0; at++) {
            records[at] = i % 3 ? records[at] % 2 : records[at] % 64 == 0;
        }
        check_records(*state, n, bytes, fields, count, i % 2 != 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(merges), cmocka_unit_test(sort_records)};
    return cmocka_run_group_tests(tests, gpu_room_open, gpu_room_close);
}
