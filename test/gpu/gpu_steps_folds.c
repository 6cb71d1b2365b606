/* gpu_steps_folds.c - scan, reduce, along any axis too, split and compact on the GPU give the bits
 * that the CPU gives, for all types and operators, at sizes around runs, tiles and groups of 64
 * tiles, on huge and tiny numbers, NaN and infinity, misaligned and in place. The CPU's are checked
 * against plain loops in test_scan.c, test_reduce.c and test_split.c. */
/* SPDX-License-Identifier: MIT */
#include "test/gpu/gpu_steps.h"

#include "test/shared/reduce_common.h"

#include <math.h>

enum { TILE = 4096, N_MAX = 66 * TILE, SPACE = 8 * N_MAX };
static unsigned char in_space[SPACE], want_space[SPACE], got_space[SPACE];
static uint8_t heads[N_MAX];
static uint32_t keys[N_MAX];

static const size_t small_sizes[] = {1, 7, 9, 65, 513, TILE - 1, TILE, TILE + 1, 3 * TILE + 77};
enum { SMALL = sizeof small_sizes / sizeof small_sizes[0] };

/* Whether bitwise operators, which floats lack, are asked of floats. */
static bool is_absurd(upsweep_type type, upsweep_op op)
{
    return upsweep_reduce_type(type, op) == 0;
}

static uint64_t identity_of(const gpu_room *room, upsweep_type type, upsweep_op op)
{
    uint64_t bits = 0;
    if (op == UPSWEEP_LEAST || op == UPSWEEP_GREATEST) {
        assert_int_equal(upsweep_reduce(room->cpu, in_space, 0, type, op, &bits, NULL), UPSWEEP_OK);
    }
    return bits;
}

/* Every 2^sparse-th element or so is a head, and keys change there. */
static void make_heads(size_t n, unsigned sparse, uint64_t seed)
{
    uint32_t key = 5;
    for (size_t i = 0; i < n; i++) {
        uint64_t r = input_random(&seed);
        heads[i] = r % (UINT64_C(1) << sparse) == 0 ? (uint8_t)(1 + (r >> 56)) | 1 : 0;
        key += i > 0 && heads[i] != 0;
        keys[i] = key;
    }
}

enum { PLAIN, BY_HEADS, BY_KEYS, WAYS };

static void scan_by_cpu(const gpu_room *room, const usw_scan *s, int way)
{
    upsweep_options o = {.flags = s->exclusive ? UPSWEEP_EXCLUSIVE : 0};
    upsweep_status status =
        way == PLAIN      ? upsweep_scan(room->cpu, in_space, want_space, s->n, s->type, s->op, &o)
        : way == BY_HEADS ? upsweep_scan_segmented(room->cpu, in_space, heads, want_space, s->n,
                                                   s->type, s->op, &o)
                          : upsweep_scan_by_key(room->cpu, keys, UPSWEEP_U32, in_space, want_space,
                                                s->n, s->type, s->op, &o);
    assert_int_equal(status, UPSWEEP_OK);
}

static void check_scan(gpu_room *room, upsweep_type type, upsweep_op op, size_t n, int way,
                       uint64_t seed)
{
    const usw_gpu_scan_form *form = gpu_step(room, "scan_sweep");
    size_t bytes = upsweep_type_bytes(type);
    usw_scan s = {.n = n, .type = type, .op = op, .exclusive = seed % 2 == 0, .key_bytes = 4};
    s.identity = identity_of(room, type, op);
    fill(in_space, n, type, (int)(seed % FILL_KINDS), seed);
    make_heads(n, 1 + seed % 3 * 5, seed);
    scan_by_cpu(room, &s, way);
    gpu_begin(room);
    void *in = gpu_put(room, in_space, n * bytes, seed % 3 == 0 ? 0 : seed % 5 * bytes);
    s.in = in;
    s.out = seed % 4 == 0 ? in : gpu_put(room, NULL, n * bytes, seed % 3 == 1 ? 0 : bytes);
    s.heads = way == BY_HEADS ? gpu_put(room, heads, n, seed % 5) : NULL;
    s.keys = way == BY_KEYS ? gpu_put(room, keys, n * sizeof *keys, 0) : NULL;
    assert_int_equal(form->scan(room->g, &s, seed % 7 == 0), UPSWEEP_OK);
    gpu_get(room, got_space, s.out, n * bytes);
    assert_int_equal(gpu_end(room), 0);
    for (size_t i = 0; i < n; i++) {
        if (element(got_space, i, type) != element(want_space, i, type)) {
            fail_msg("scan %s op %d n %zu way %d seed %llu: [%zu] is %llx, not %llx",
                     upsweep_type_name(type), (int)op, n, way, (unsigned long long)seed, i,
                     (unsigned long long)element(got_space, i, type),
                     (unsigned long long)element(want_space, i, type));
        }
    }
}

static void scans(void **state)
{
    uint64_t seed = 1;
    for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        for (upsweep_op op = UPSWEEP_SUM; op <= UPSWEEP_XOR; op++) {
            for (unsigned i = 0; i < SMALL && !is_absurd(type, op); i++, seed++) {
                check_scan(*state, type, op, small_sizes[i], (int)(seed % WAYS), seed);
            }
        }
    }
}

/* Carries of two levels: more than 64 tiles. */
static void scans_of_groups(void **state)
{
    static const upsweep_type types[] = {UPSWEEP_F32, UPSWEEP_F64, UPSWEEP_BF16, UPSWEEP_U64};
    uint64_t seed = 1000;
    for (unsigned t = 0; t < 4; t++) {
        for (int way = PLAIN; way < WAYS; way++, seed++) {
            check_scan(*state, types[t], seed % 5 == 0 ? UPSWEEP_PRODUCT : UPSWEEP_SUM,
                       64 * TILE + seed % 3 * TILE - 1, way, seed);
        }
    }
}

/* A sum of floats in another order: apart by no more than its roundings. */
static bool is_near(gpu_room *room, upsweep_type type, size_t n, uint64_t got_bits,
                    uint64_t want_bits)
{
    size_t bytes = upsweep_type_bytes(type);
    double got, want, sizes;
    memcpy(want_space, in_space, n * bytes);
    for (size_t i = 0; i < n; i++) {
        want_space[(i + 1) * bytes - 1] &= 0x7f;
    }
    upsweep_reduce(room->cpu, want_space, n, type, UPSWEEP_SUM, &sizes, NULL);
    memcpy(&got, &got_bits, sizeof got);
    memcpy(&want, &want_bits, sizeof want);
    return isnan(want) ? isnan(got) : !isfinite(sizes) || fabs(got - want) <= 1e-12 * sizes;
}

static void check_reduce(gpu_room *room, upsweep_type type, upsweep_op op, size_t n, uint64_t seed)
{
    bool is_float = type >= UPSWEEP_F16,
         unordered = seed % 7 == 0 && (op != UPSWEEP_PRODUCT || !is_float);
    const usw_gpu_reduce_form *form =
        gpu_step(room, seed % 5 == 3 ? "reduce_butterfly" : "reduce_tree");
    upsweep_type to = upsweep_reduce_type(type, op);
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    if (to == UPSWEEP_F64 && seed % 2 == 0 && !unordered) {
        o.flags = UPSWEEP_ROUNDED;
        to = type;
    }
    size_t bytes = upsweep_type_bytes(type), result_bytes = upsweep_type_bytes(to);
    uint64_t want = 0, got = 0;
    fill(in_space, n, type, (int)(seed % FILL_KINDS), seed);
    assert_int_equal(upsweep_reduce(room->cpu, in_space, n, type, op, &want, &o), UPSWEEP_OK);
    gpu_begin(room);
    void *in = gpu_put(room, in_space, n * bytes, seed % 3 == 0 ? 0 : seed % 5 * bytes);
    void *result = gpu_put(room, NULL, result_bytes, 8);
    assert_int_equal(form->reduce(room->g, in, n, type, op, to, unordered, result), UPSWEEP_OK);
    gpu_get(room, &got, result, result_bytes);
    assert_int_equal(gpu_end(room), 0);
    bool near = unordered && is_float && op == UPSWEEP_SUM && is_near(room, type, n, got, want);
    if (got != want && !near) {
        fail_msg("reduce %s op %d n %zu seed %llu: %llx, not %llx", upsweep_type_name(type),
                 (int)op, n, (unsigned long long)seed, (unsigned long long)got,
                 (unsigned long long)want);
    }
}

/* Both maps at once, and one alone: the least key and its first place. */
static void check_least(gpu_room *room, upsweep_type type, size_t n, uint64_t seed)
{
    const usw_gpu_reduce_form *form = gpu_step(room, "reduce_tree");
    size_t bytes = upsweep_type_bytes(type), maps_count = 1 + seed % 2;
    usw_keymap maps[2] = {usw_keymap_of(type, 0), usw_keymap_of(type, UPSWEEP_DESCENDING)};
    uint64_t got_keys[2], got_index[2];
    fill(in_space, n, type, (int)(seed % FILL_KINDS), seed);
    gpu_begin(room);
    void *in = gpu_put(room, in_space, n * bytes, seed % 3 * bytes);
    uint64_t *least = gpu_put(room, NULL, maps_count * sizeof *least, 0);
    uint64_t *index = gpu_put(room, NULL, maps_count * sizeof *index, 0);
    assert_int_equal(form->least(room->g, in, n, maps, maps_count, least, index), UPSWEEP_OK);
    gpu_get(room, got_keys, least, maps_count * sizeof *least);
    gpu_get(room, got_index, index, maps_count * sizeof *index);
    assert_int_equal(gpu_end(room), 0);
    for (size_t m = 0; m < maps_count; m++) {
        size_t best = 0;
        for (size_t i = 1; i < n; i++) {
            uint64_t key = usw_map_key(&maps[m], element(in_space, i, type));
            best = key < usw_map_key(&maps[m], element(in_space, best, type)) ? i : best;
        }
        assert_int_equal(got_keys[m], usw_map_key(&maps[m], element(in_space, best, type)));
        assert_int_equal(got_index[m], best);
    }
}

static void reductions(void **state)
{
    uint64_t seed = 1;
    for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
        for (unsigned i = 0; i < SMALL; i++) {
            for (upsweep_op op = UPSWEEP_SUM; op <= UPSWEEP_XOR; op++, seed++) {
                if (!is_absurd(type, op)) {
                    check_reduce(*state, type, op, small_sizes[i], seed);
                }
            }
            check_least(*state, type, small_sizes[i], seed);
        }
        check_least(*state, type, 40 * TILE + 3, seed);
        check_reduce(*state, type, UPSWEEP_SUM, 64 * TILE, seed); /* a whole group */
        for (size_t n = 31 * TILE + 5; n <= N_MAX; n += 17 * TILE - 2, seed++) {
            check_reduce(*state, type, UPSWEEP_SUM, n, seed);
            check_reduce(*state, type, UPSWEEP_PRODUCT, n, seed);
        }
    }
}

/* In any order, and rounded: numbers whose sum is exact, and by 2^-24 more than the middle of two
 * f16, which an f32 would not tell from the middle itself. */
static void unordered_and_rounded(void **state)
{
    gpu_room *room = *state;
    const usw_gpu_reduce_form *form = gpu_step(room, "reduce_tree");
    for (upsweep_type type = UPSWEEP_F16; type <= UPSWEEP_F64; type++) {
        for (size_t n = 3; n < 40 * TILE; n = n * 5 + 1) {
            size_t bytes = upsweep_type_bytes(type);
            uint64_t got = 0;
            for (size_t i = 0; i < n; i++) {
                double v = i == 0 ? 4096.0 : i == n / 2 ? 2.0 : i == n - 1 ? 0x1p-24 : 0.0;
                usw_store_raw(in_space + i * bytes, bytes, float_bits(type, v));
            }
            gpu_begin(room);
            void *in = gpu_put(room, in_space, n * bytes, n % 3 * bytes);
            void *result = gpu_put(room, NULL, bytes, 8);
            assert_int_equal(form->reduce(room->g, in, n, type, UPSWEEP_SUM, type, true, result),
                             UPSWEEP_OK);
            gpu_get(room, &got, result, bytes);
            assert_int_equal(gpu_end(room), 0);
            assert_int_equal(got,
                             type == UPSWEEP_F16 ? 0x6c01 : float_bits(type, 4098.0 + 0x1p-24));
        }
    }
}

static void check_split(gpu_room *room, size_t n, size_t bytes, bool keep, bool in_place,
                        uint64_t seed)
{
    const usw_gpu_split_form *form = gpu_step(room, "split_flags");
    size_t want = 0, misaligned = seed % 3 == 0 ? seed % 7 : 0;
    uint64_t got = 0, state = seed;
    for (size_t i = 0; i < n * bytes; i++) {
        in_space[i] = (uint8_t)input_random(&state);
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t r = input_random(&state);
        heads[i] = seed % 5 == 0 ? 0 : seed % 5 == 1 ? 0x80 : r % 3 == 0 ? (uint8_t)(r >> 8) : 0;
    }
    upsweep_status status =
        keep ? upsweep_compact(room->cpu, in_space, heads, want_space, n, bytes, &want, NULL)
             : upsweep_split(room->cpu, in_space, heads, want_space, n, bytes, &want, NULL);
    assert_int_equal(status, UPSWEEP_OK);
    gpu_begin(room);
    void *in = gpu_put(room, in_space, n * bytes, misaligned);
    void *flags = gpu_put(room, heads, n, seed % 4);
    void *out = in_place ? in : gpu_put(room, NULL, (keep ? want : n) * bytes, misaligned);
    uint64_t *count = gpu_put(room, NULL, sizeof *count, 0);
    status = (keep ? form->compact : form->split)(room->g, in, flags, out, n, bytes, count);
    assert_int_equal(status, UPSWEEP_OK);
    gpu_get(room, &got, count, sizeof got);
    gpu_get(room, got_space, out, (keep ? want : n) * bytes);
    assert_int_equal(gpu_end(room), 0);
    assert_int_equal(got, want);
    assert_memory_equal(got_space, want_space, (keep ? want : n) * bytes);
}

static void splits(void **state)
{
    static const size_t widths[] = {1, 2, 3, 4, 8, 12, 16, 20, 32, 64, 65, 200};
    static const size_t counts[] = {1, 33, 1023, 1025, 4097, 9000};
    uint64_t seed = 1;
    for (unsigned w = 0; w < sizeof widths / sizeof widths[0]; w++) {
        for (unsigned c = 0; c < sizeof counts / sizeof counts[0]; c++, seed++) {
            check_split(*state, counts[c], widths[w], false, false, seed);
            check_split(*state, counts[c], widths[w], true, false, seed);
            check_split(*state, counts[c], widths[w], true, true, seed);
        }
        /* Beyond the size up to which blocks count by themselves. */
        check_split(*state, 65536 + 1000 * w, widths[w] > 16 ? 4 : widths[w], w % 2 == 0, false,
                    seed);
        check_split(*state, 65536 + 1000 * w, widths[w] > 16 ? 8 : widths[w], true, w % 2 == 0,
                    seed);
    }
    /* Aligned ones, which large arrays go through a ring of tiles by; all flags, none and some. */
    for (uint64_t aligned = 4; aligned <= 20; aligned += 4) {
        for (size_t bytes = 4; bytes <= 8 && aligned % 3 != 0; bytes += 4) {
            check_split(*state, 140000 + 511 * aligned, bytes, false, false, aligned);
            check_split(*state, 140000 + 511 * aligned, bytes, true, false, aligned);
            check_split(*state, 140000 + 511 * aligned, bytes, true, true, aligned);
        }
    }
}

/* ---- columns ---- */

/* At an address aligned to no more than an element. Which of several NaNs is the least is not said,
 * so that floats are tame there. */
static void check_columns(gpu_room *room, const size_t *extent, upsweep_type type, upsweep_op op)
{
    size_t bytes = upsweep_type_bytes(type), columns = extent[0] * extent[2];
    size_t n = columns * extent[1];
    upsweep_type to = upsweep_reduce_type(type, op);
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    if (to == UPSWEEP_F64 && (extent[1] + (size_t)type) % 2 == 0) {
        o.flags = UPSWEEP_ROUNDED;
        to = type;
    }
    size_t out = upsweep_type_bytes(to);
    bool tame = op == UPSWEEP_LEAST || op == UPSWEEP_GREATEST;
    fill(in_space, n, type, tame ? FILL_TAME : (int)(n % FILL_KINDS), n + (size_t)op);
    assert_int_equal(upsweep_reduce_axis(room->cpu, in_space, extent[0], extent[1], extent[2], type,
                                         op, want_space, &o),
                     UPSWEEP_OK);
    gpu_begin(room);
    usw_reduce_columns c = {.outer = extent[0], .length = extent[1], .inner = extent[2]};
    c.data = gpu_put(room, in_space, n * bytes, bytes * (n % 5));
    c.type = type;
    c.to = to;
    c.op = op;
    c.results = gpu_put(room, NULL, columns * out, out);
    const usw_gpu_fold_columns_step *step = gpu_step(room, "fold_columns");
    assert_int_equal(step->reduce(room->g, &c), UPSWEEP_OK);
    gpu_get(room, got_space, c.results, columns * out);
    assert_int_equal(gpu_end(room), 0);
    if (memcmp(got_space, want_space, columns * out) != 0) {
        fail_msg("%zu x %zu x %zu %s op %x", extent[0], extent[1], extent[2],
                 upsweep_type_name(type), (unsigned)op);
    }
}

static void columns(void **state)
{
    static const size_t extents[][3] = {
        {1, 1, 1},   {3, 2, 5},     {40, 3, 4},       {1, 127, 33}, {2, 129, 64},  {1, 4, 5000},
        {900, 4, 3}, {1, TILE, 31}, {2, TILE + 4, 3}, {3, 513, 40}, {1, 5000, 34}, {1300, 1, 2},
    };
    for (size_t e = 0; e < sizeof extents / sizeof *extents; e++) {
        for (upsweep_type type = UPSWEEP_U8; type <= UPSWEEP_F64; type++) {
            for (unsigned i = 0; i < 7; i++) {
                upsweep_op op = (upsweep_op)(UPSWEEP_SUM + (i + e) % 7);
                if (!is_absurd(type, op) &&
                    (i < 3 || extents[e][1] == TILE + 4 || (e + i + (size_t)type) % 4 == 0)) {
                    check_columns(*state, extents[e], type, op);
                }
            }
        }
    }
}

/* More tiles than a level of the carry tree takes. */
static void columns_of_many_tiles(void **state)
{
    static const size_t extents[][3] = {
        {1, 65 * TILE + 9, 1}, {1, 64 * TILE, 1}, {2, 33 * TILE, 1}};
    static const upsweep_type types[] = {UPSWEEP_F32, UPSWEEP_F64, UPSWEEP_BF16, UPSWEEP_I16};
    for (unsigned i = 0; i < 12; i++) {
        check_columns(*state, extents[i % 3], types[i % 4],
                      i % 5 == 0   ? UPSWEEP_PRODUCT
                      : i % 7 == 6 ? UPSWEEP_LEAST
                                   : UPSWEEP_SUM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(scans),
                                       cmocka_unit_test(scans_of_groups),
                                       cmocka_unit_test(reductions),
                                       cmocka_unit_test(unordered_and_rounded),
                                       cmocka_unit_test(splits),
                                       cmocka_unit_test(columns),
                                       cmocka_unit_test(columns_of_many_tiles)};
    return cmocka_run_group_tests(tests, gpu_room_open, gpu_room_close);
}
