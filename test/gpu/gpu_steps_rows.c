/* gpu_steps_rows.c - the best of each of many rows and of one long array, and positions by bucket,
 * on the GPU as on the CPU: around the lengths at which ways change, and where samples mislead. */
/* SPDX-License-Identifier: MIT */
#include "test/gpu/gpu_steps.h"

#include "test/shared/oracle.h"

enum { N_MAX = 300000 };
static uint64_t keys[N_MAX], want[N_MAX], got[N_MAX];
static uint64_t want_index[N_MAX], got_index[N_MAX];

static unsigned width_of(upsweep_type type)
{
    size_t bytes = upsweep_type_bytes(type);
    return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
}

/* ---- the best of rows ---- */

static void check_best(gpu_room *room, const uint64_t *begin, size_t rows, size_t n, size_t k,
                       upsweep_type type, unsigned flags, unsigned bits)
{
    size_t bytes = upsweep_type_bytes(type), places = rows * k;
    upsweep_options o = {.flags = flags};
    assert_true(places <= N_MAX && n <= N_MAX);
    assert_int_equal(upsweep_top_k_rows(room->cpu, keys, n, type, begin, rows, k, want,
                                        bits == 0 ? NULL : want_index, bits, &o),
                     UPSWEEP_OK);
    gpu_begin(room);
    unsigned down = flags & UPSWEEP_LARGEST ? flags | UPSWEEP_DESCENDING : flags;
    usw_gpu_top t = {.keys = gpu_put(room, keys, n * bytes, bytes * (k % 7)),
                     .begin = begin == NULL ? NULL : gpu_put(room, begin, (rows + 1) * 8, 8),
                     .rows = rows,
                     .row_keys = begin == NULL ? n / rows : 0,
                     .n = n,
                     .k = k,
                     .width = width_of(type),
                     .map = usw_keymap_of(type, down),
                     .out = gpu_put(room, NULL, places * bytes, bytes * (n % 3)),
                     .index_bytes = bits / 8};
    t.index = bits == 0 ? NULL : gpu_put(room, NULL, places * bits / 8, bits / 8);
    const usw_gpu_top_step *step = gpu_step(room, "top_rows");
    assert_int_equal(step->rows(room->g, &t), UPSWEEP_OK);
    gpu_get(room, got, t.out, places * bytes);
    if (bits != 0) {
        gpu_get(room, got_index, t.index, places * bits / 8);
    }
    assert_int_equal(gpu_end(room), 0);
    assert_memory_equal(got, want, places * bytes);
    assert_memory_equal(got_index, want_index, places * bits / 8);
}

static void best_of_equal_rows(void **state)
{
    static const struct {
        size_t rows, length, k;
    } shapes[] = {{40, 7, 3},     {9, 256, 8},   {9, 257, 32},   {5, 1024, 32}, {5, 1025, 32},
                  {3, 1000, 33},  {3, 700, 256}, {2, 3000, 100}, {7, 513, 64},  {3, 2500, 257},
                  {1, 4000, 200}, {2, 4100, 50}, {300, 40, 40}};
    gpu_room *room = *state;
    for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
            unsigned flags = s % 3 == 1 ? UPSWEEP_LARGEST : s % 3 == 2 ? UPSWEEP_NAN_FIRST : 0;
            size_t n = shapes[s].rows * shapes[s].length;
            input_fill((unsigned)(s + type) % INPUT_PATTERNS, type, keys, n, s);
            check_best(room, NULL, shapes[s].rows, n, shapes[s].k, type, flags,
                       (unsigned)((s + type) % 3) * 32);
            input_fill(INPUT_UNIFORM, type, keys, n, s);
            check_best(room, NULL, shapes[s].rows, n, shapes[s].k, type, flags, 32);
        }
    }
}

static void best_of_any_rows(void **state)
{
    static const size_t lengths[] = {0, 5, 1024, 1025, 0, 33, 600, 2000, 1, 128, 0};
    enum { ROWS = sizeof lengths / sizeof *lengths };
    uint64_t begin[ROWS + 1] = {3};
    gpu_room *room = *state;
    for (size_t r = 0; r < ROWS; r++) {
        begin[r + 1] = begin[r] + lengths[r];
    }
    for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        const size_t ks[] = {1, 32, 33, 256, 900};
        for (size_t i = 0; i < sizeof ks / sizeof *ks; i++) {
            size_t n = (size_t)begin[ROWS] + 2;
            input_fill((unsigned)(i + type) % INPUT_PATTERNS, type, keys, n, i);
            check_best(room, begin, ROWS, n, ks[i], type, i % 2 ? UPSWEEP_LARGEST : 0,
                       (unsigned)(i % 3) * 32);
        }
    }
    uint64_t bad[] = {0, 5, 4, 9};
    gpu_begin(room);
    usw_gpu_top t = {.keys = gpu_put(room, keys, 40, 0), .rows = 3, .n = 10, .k = 2, .width = 2};
    t.map = usw_keymap_of(UPSWEEP_U32, 0);
    t.begin = gpu_put(room, bad, sizeof bad, 0);
    t.out = gpu_put(room, NULL, 24, 0);
    const usw_gpu_top_step *step = gpu_step(room, "top_rows");
    assert_int_equal(step->rows(room->g, &t), UPSWEEP_OK);
    assert_int_equal(gpu_end(room), USW_FAULT_ROWS);
}

/* One lane of a warp, or all but one, have the best keys of a row; and keys that are all equal. */
static void best_in_one_lane(void **state)
{
    enum { ROWS = 4, LENGTH = 1024 };
    gpu_room *room = *state;
    uint32_t *k32 = (uint32_t *)keys;
    for (unsigned kind = 0; kind < 4; kind++) {
        uint64_t seed = kind;
        for (size_t i = 0; i < ROWS * LENGTH; i++) {
            uint32_t noise = (uint32_t)input_random(&seed) % 1000;
            bool one = i % 32 == 5;
            k32[i] = kind == 0   ? (one ? noise : 5000 + noise)
                     : kind == 1 ? (one ? 5000 + noise : noise)
                     : kind == 2 ? 7
                                 : (uint32_t)i;
        }
        for (size_t k = 1; k <= 32; k += k < 8 ? 7 : 12) {
            check_best(room, NULL, ROWS, ROWS * LENGTH, k, UPSWEEP_U32, 0, 32);
        }
    }
}

/* Where number i of a sample of `count` keys stands: gpu/selection/top_limit.cuh. */
static size_t sample_place(size_t n, size_t count, size_t i)
{
    uint64_t group = i / 8, part = n / (count / 8), x = (group + 1) * UINT64_C(0x9E3779B97F4A7C15);
    x ^= x >> 29;
    x *= UINT64_C(0xBF58476D1CE4E5B9);
    x ^= x >> 32;
    return group * part + (part == 8 ? 0 : x % (part - 7)) + i % 8;
}

/* Keys of which those that a sample of `count` of each row sees are the best, or the worst. */
static void mislead(upsweep_type type, size_t rows, size_t length, size_t count, bool best)
{
    size_t bytes = upsweep_type_bytes(type);
    uint64_t seed = count;
    unsigned char *at = (unsigned char *)keys;
    for (size_t r = 0; r < rows; r++, at += length * bytes) {
        for (size_t i = 0; i < length; i++) {
            uint64_t key = (input_random(&seed) & 0x3fffffff) | 0x40000000;
            memcpy(at + i * bytes, &key, bytes);
        }
        for (size_t i = 0; i < count; i++) {
            uint64_t key = (input_random(&seed) & 0xffff) | (best ? 0 : 0x7fff0000);
            memcpy(at + sample_place(length, count, i) * bytes, &key, bytes);
        }
    }
}

static void misled_by_samples(void **state)
{
    gpu_room *room = *state;
    const upsweep_type types[] = {UPSWEEP_U32, UPSWEEP_U64};
    for (unsigned t = 0; t < 2; t++) {
        for (size_t count = 512; count <= 4096; count *= 2) { /* of threads, emulated and real */
            for (unsigned best = 0; best < 2; best++) {
                mislead(types[t], 4, 5000, count, best);
                check_best(room, NULL, 4, 20000, 100, types[t], 0, 32);
                mislead(types[t], 1, 20000, count, best);
                check_best(room, NULL, 1, 20000, 1100, types[t], 0, 64); /* by all blocks */
            }
        }
    }
    for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        input_fill((unsigned)type % INPUT_PATTERNS, type, keys, 40000, type);
        check_best(room, NULL, 1, 40000, type % 2 ? 2500 : 300, type, UPSWEEP_LARGEST, 64);
        check_best(room, NULL, 2, 40000, 700, type, 0, type % 3 == 0 ? 0 : 32);
    }
}

/* ---- positions by bucket ---- */

static void check_split(gpu_room *room, size_t n, size_t count, size_t multiple, unsigned id_bytes,
                        unsigned bits, size_t ids_used)
{
    size_t room_for = n + (n < count ? n : count) * (multiple - 1) + n % 3;
    uint64_t seed = n + count;
    unsigned char *ids = (unsigned char *)keys;
    upsweep_type type = id_bytes == 1 ? UPSWEEP_U8 : id_bytes == 2 ? UPSWEEP_U16 : UPSWEEP_U32;
    for (size_t i = 0; i < n; i++) {
        uint64_t id = input_random(&seed) % ids_used;
        memcpy(ids + i * id_bytes, &id, id_bytes);
    }
    assert_int_equal(upsweep_split_ids_index(room->cpu, ids, type, count, n, multiple, want_index,
                                             bits, room_for, want, want + count + 1, NULL),
                     UPSWEEP_OK);
    gpu_begin(room);
    usw_gpu_split_index s = {.ids = gpu_put(room, ids, n * id_bytes, id_bytes),
                             .id_width = width_of(type),
                             .count = count,
                             .n = n,
                             .multiple = multiple,
                             .room = room_for,
                             .index = gpu_put(room, NULL, room_for * bits / 8, bits / 8),
                             .index_bytes = bits / 8,
                             .offsets = gpu_put(room, NULL, (count + 1) * 8, 8),
                             .counts = gpu_put(room, NULL, count * 8, 8)};
    const usw_gpu_index_step *step = gpu_step(room, "split_index");
    assert_int_equal(step->split(room->g, &s), UPSWEEP_OK);
    gpu_get(room, got_index, s.index, room_for * bits / 8);
    gpu_get(room, got, s.offsets, (count + 1) * 8);
    gpu_get(room, got + count + 1, s.counts, count * 8);
    assert_int_equal(gpu_end(room), 0);
    assert_memory_equal(got_index, want_index, room_for * bits / 8);
    assert_memory_equal(got, want, (2 * count + 1) * 8);
}

static void positions_by_bucket(void **state)
{
    gpu_room *room = *state;
    const size_t ns[] = {0, 1, 31, 255, 256, 257, 1000, 2048, 2049, 5000};
    for (unsigned i = 0; i < sizeof ns / sizeof *ns; i++) {
        check_split(room, ns[i], 64, 1, 1, 32, 64);
        check_split(room, ns[i], 40, 16, 2, 32, 7);
        check_split(room, ns[i], 65, 7, 4, 64, 65);
        check_split(room, ns[i], 3000, 4, 2, i % 2 ? 64 : 32, 3000);
        check_split(room, ns[i], 1, 128, 4, 32, 1);
    }
    check_split(room, 3, 4, 70000, 1, 32, 4);   /* beyond what 32 bits are sure to hold */
    for (unsigned many = 0; many < 2; many++) { /* an id out of range */
        size_t n = many ? 4000 : 300;
        memset(keys, 0, n);
        ((uint8_t *)keys)[n / 2] = 9;
        gpu_begin(room);
        usw_gpu_split_index s = {.ids = gpu_put(room, keys, n, 0), .count = 9, .n = n, .room = n};
        s.multiple = 1;
        s.index_bytes = 4;
        s.index = gpu_put(room, NULL, 4 * n, 0);
        const usw_gpu_index_step *step = gpu_step(room, "split_index");
        assert_int_equal(step->split(room->g, &s), UPSWEEP_OK);
        assert_int_equal(gpu_end(room), USW_FAULT_BUCKET);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(best_of_equal_rows), cmocka_unit_test(best_of_any_rows),
        cmocka_unit_test(best_in_one_lane), cmocka_unit_test(misled_by_samples),
        cmocka_unit_test(positions_by_bucket)};
    return cmocka_run_group_tests(tests, gpu_room_open, gpu_room_close);
}
