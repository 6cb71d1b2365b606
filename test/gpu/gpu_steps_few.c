/* gpu_steps_few.c - the GPU's sorts of few keys, with and without values, by all of a key or some
 * of its bits, in place or not, beside a sort by comparisons: around every number of keys at which
 * another kernel or another shape of it takes over (gpu/short_sort/runs.cuh). */
/* SPDX-License-Identifier: MIT */
#include "test/gpu/gpu_steps.h"

#include "test/shared/handles.h"

enum { N_MAX = 17000 };
static const size_t sizes[] = {1,    2,    20,   21,   31,    32,    33,    64,    65,   66,   95,
                               127,  128,  129,  150,  151,   200,   201,   256,   257,  4095, 4096,
                               4097, 8191, 8192, 8193, 12288, 12289, 16383, 16384, 16385};
enum { SIZES = sizeof sizes / sizeof sizes[0], EMULATED_SIZES = 20 };
static const upsweep_type types[] = {UPSWEEP_U8,  UPSWEEP_U16, UPSWEEP_U32, UPSWEEP_U64,
                                     UPSWEEP_I16, UPSWEEP_F32, UPSWEEP_F64};
enum { TYPES = sizeof types / sizeof types[0] };

enum pattern { UNIFORM, FEW_VALUES, GREATEST, ASCENDING, DESCENDING, ALIKE, PATTERNS };

static unsigned char keys[N_MAX * 8], values[N_MAX * 8], got[N_MAX * 8];
static struct place {
    uint64_t key;
    size_t from;
} order[N_MAX];

static uint64_t key_of(unsigned pattern, size_t i, size_t n, uint64_t *state)
{
    uint64_t r = input_random(state);
    switch (pattern) {
    case FEW_VALUES: return r % 3;
    case GREATEST: return r % 4 == 0 ? r >> 32 : UINT64_MAX; /* as keys that fill up a run */
    case ASCENDING: return i * 3;
    case DESCENDING: return (n - i) * 5;
    case ALIKE: return 0;
    default: return r;
    }
}

static int compare(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : x->from < y->from ? -1 : 1;
}

/* Fills keys and values, and finds the order. */
static void prepare(const usw_gpu_pairs *p, unsigned pattern, uint64_t seed)
{
    size_t bytes = (size_t)1 << p->width;
    uint64_t mask = UINT64_MAX >> (64 - (p->bit_end - p->bit_begin));
    for (size_t i = 0; i < p->n; i++) {
        uint64_t raw = key_of(pattern, i, p->n, &seed) & (UINT64_MAX >> (64 - 8 * bytes));
        memcpy(keys + i * bytes, &raw, bytes);
        order[i] = (struct place){usw_map_key(&p->map, raw) >> p->bit_begin & mask, i};
        uint64_t value = input_random(&seed);
        memcpy(values + i * p->value_bytes, &value, p->value_bytes);
    }
    qsort(order, p->n, sizeof order[0], compare);
}

static void same(const void *all, size_t n, size_t bytes, const char *what, unsigned turn)
{
    for (size_t i = 0; i < n; i++) {
        if (memcmp(got + i * bytes, (const unsigned char *)all + order[i].from * bytes, bytes) !=
            0) {
            fail_msg("%s %zu of %zu are wrong, turn %u", what, i, n, turn);
        }
    }
}

/* turn: decides on values, bits, places. */
static void check(gpu_room *room, upsweep_type type, size_t n, unsigned turn)
{
    static const size_t value_bytes[] = {0, 4, 8, 2, 1};
    const usw_gpu_sort_form *form = gpu_step(room, "sort_radix");
    size_t bytes = upsweep_type_bytes(type), each = value_bytes[turn % 5];
    unsigned bits = (unsigned)bytes * 8;
    bool in_place = turn % 2 == 0, indexed = each == 4 && turn % 3 == 0, some = turn % 7 == 3;
    usw_gpu_pairs p = {.n = n, .value_bytes = each, .stable = true};
    p.width = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
    p.map = usw_keymap_of(type, turn % 3 == 1 ? UPSWEEP_DESCENDING : 0);
    p.bit_begin = some ? turn % (bits - 2) : 0;
    p.bit_end = some ? bits - turn % 2 : bits;
    prepare(&p, turn % PATTERNS, turn + 1);
    gpu_begin(room);
    void *in = gpu_put(room, keys, n * bytes, bytes * (turn % 5)), *out = in;
    if (each == 0) {
        usw_gpu_sort s = {in, n, p.width, p.map, p.bit_begin, p.bit_end, true, false, NULL};
        assert_int_equal(form->sort(room->g, &s), UPSWEEP_OK);
    } else {
        void *from = gpu_put(room, values, n * each, each * (turn % 3)), *to = from;
        if (!in_place) {
            out = gpu_put(room, NULL, n * bytes, bytes);
            to = gpu_put(room, NULL, n * each, each);
        }
        p.keys = in;
        p.out_keys = indexed && !in_place ? NULL : out;
        p.values = indexed ? NULL : from;
        p.out_values = to;
        assert_int_equal(form->pairs(room->g, &p), UPSWEEP_OK);
        gpu_get(room, got, to, n * each);
        for (uint32_t i = 0; indexed && i < n; i++) {
            memcpy(values + i * sizeof i, &i, sizeof i);
        }
        same(values, n, each, "values", turn);
    }
    if (each == 0 || p.out_keys != NULL) {
        gpu_get(room, got, out, n * bytes);
        same(keys, n, bytes, "keys", turn);
    }
    assert_int_equal(gpu_end(room), 0);
}

static void few_keys(void **state)
{
    gpu_room *room = *state;
    bool emulated = strstr(room->plugin->name, "emulated") != NULL;
    unsigned turn = 0;
    for (unsigned i = 0; i < (emulated ? EMULATED_SIZES : SIZES); i++) {
        for (unsigned t = 0; t < TYPES; t++) {
            for (unsigned times = 0; times < (test_small() ? 2 : 11); times++) {
                check(room, types[t], sizes[i], turn++);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(few_keys)};
    return cmocka_run_group_tests(tests, gpu_room_open, gpu_room_close);
}
