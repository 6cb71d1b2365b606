/* gpu_steps_windows.c - the GPU's bucket sorts, of keys and with positions, of keys that lie in a
 * window of few values anywhere among all: about 0, across a power of two, at either end; even or
 * not, in order, reversed, and with some keys outside of the window that a sample does not show. */
/* SPDX-License-Identifier: MIT */
#include "test/gpu/gpu_steps.h"

/* A GPU sorts by buckets from some millions of keys on, the emulated one from some thousands. */
static const size_t emulated_sizes[] = {20000, 12000, 40960, 6000, 70001};
static const size_t sizes[] = {4000001, 1 << 22, 9000000, 1 << 24, 1 << 25, 36000001};
enum { EMULATED = 5, SIZES = 6 };
static const upsweep_type types[] = {UPSWEEP_I32, UPSWEEP_I64, UPSWEEP_U32, UPSWEEP_U64,
                                     UPSWEEP_F64};
enum { TYPES = sizeof types / sizeof types[0] };
static unsigned char *keys, *want, *got;
static uint64_t *mapped;
static uint32_t *want_index, *got_index;

enum outside { NONE, ABOVE, BELOW, FAR, BOTH, OUTSIDES };
enum order { ANY, RISING, FALLING, UNEVEN, ORDERS };

/* A key of a window of `range` values that begins at `base`. */
static uint64_t key_in(uint64_t base, uint64_t range, size_t i, size_t n, enum order order,
                       uint64_t r)
{
    double at = (double)(order == FALLING ? n - 1 - i : i) / (double)n;
    switch (order) {
    case ANY: return base + r % range;
    case UNEVEN: return base + (r >> 32) % range * ((r & 0xffff) + 1) / 65536;
    default: return base + (uint64_t)(at * (double)(range - 1));
    }
}

/* Keys that only some in 2^14 of an array are, between those that a sample takes or not. */
static void put_outside(size_t n, uint64_t base, uint64_t range, uint64_t most,
                        enum outside outside, uint64_t *seed)
{
    for (int k = 0; k < 3 && outside != NONE; k++) {
        size_t at = input_random(seed) % n;
        uint64_t by = 1 + input_random(seed) % (range / 2 + 1);
        uint64_t end = base + range - 1, above = most - end < by ? most : end + by;
        uint64_t below = base < by ? 0 : base - by;
        mapped[at] = outside == ABOVE   ? above
                     : outside == BELOW ? below
                     : outside == FAR   ? (k % 2 ? most : 0)
                     : k % 2            ? above
                                        : below;
    }
}

static void check(gpu_room *room, upsweep_type type, size_t n, uint64_t base, uint64_t range,
                  unsigned turn)
{
    size_t bytes = upsweep_type_bytes(type);
    uint64_t seed = turn, most = UINT64_MAX >> (64 - 8 * bytes);
    enum outside outside = (enum outside)(turn % OUTSIDES);
    enum order order = (enum order)(turn / OUTSIDES % ORDERS);
    usw_keymap map = usw_keymap_of(type, turn % 3 == 2 ? UPSWEEP_DESCENDING : 0);
    for (size_t i = 0; i < n; i++) {
        mapped[i] = key_in(base, range, i, n, order, input_random(&seed));
    }
    put_outside(n, base, range, most, outside, &seed);
    for (size_t i = 0; i < n; i++) {
        usw_store_raw(keys + i * bytes, bytes, usw_unmap_key(&map, mapped[i]));
    }
    upsweep_options o = {.flags = turn % 3 == 2 ? UPSWEEP_DESCENDING : 0};
    memcpy(want, keys, n * bytes);
    assert_int_equal(upsweep_sort(room->cpu, want, n, type, &o), UPSWEEP_OK);
    assert_int_equal(upsweep_argsort(room->cpu, keys, n, type, want_index, 32, &o), UPSWEEP_OK);
    bool with_index = turn / 7 % 2 == 1;
    gpu_begin(room);
    const usw_gpu_sort_form *form = gpu_step(room, "sort_hybrid");
    void *in = gpu_put(room, keys, n * bytes, bytes * (turn % 3));
    usw_gpu_sort s = {.keys = in, .n = n, .width = bytes == 4 ? 2 : 3, .map = map};
    s.bit_end = (unsigned)bytes * 8;
    usw_gpu_pairs p = {.keys = in, .out_keys = in, .value_bytes = 4, .n = n, .map = map};
    p.width = s.width;
    p.bit_end = s.bit_end;
    p.stable = true;
    p.out_values = with_index ? gpu_put(room, NULL, n * sizeof(uint32_t), 4) : NULL;
    assert_int_equal(with_index ? form->pairs(room->g, &p) : form->sort(room->g, &s), UPSWEEP_OK);
    gpu_get(room, got, in, n * bytes);
    if (with_index) {
        gpu_get(room, got_index, p.out_values, n * sizeof(uint32_t));
    }
    assert_int_equal(gpu_end(room), 0);
    if (memcmp(got, want, n * bytes) != 0 ||
        (with_index && memcmp(got_index, want_index, n * sizeof(uint32_t)) != 0)) {
        fail_msg("%s n %zu from %llx on %llx values, turn %u", upsweep_type_name(type), n,
                 (unsigned long long)base, (unsigned long long)range, turn);
    }
}

static void windows(void **state)
{
    static const unsigned bits[] = {9, 14, 17, 21, 26, 30, 31, 40, 62, 63};
    bool emulated = strstr(((gpu_room *)*state)->plugin->name, "emulated") != NULL;
    size_t n_max = emulated ? emulated_sizes[EMULATED - 1] : sizes[SIZES - 1];
    const unsigned one_in = !emulated ? 6 : test_thorough() ? 1 : 4;
    unsigned turn = 0;
    uint64_t seed = 5;
    keys = malloc(n_max * 8);
    want = malloc(n_max * 8);
    got = malloc(n_max * 8);
    mapped = malloc(n_max * 8);
    want_index = malloc(n_max * 4);
    got_index = malloc(n_max * 4);
    for (unsigned t = 0; t < TYPES; t++) {
        unsigned width = 8 * (unsigned)upsweep_type_bytes(types[t]);
        uint64_t most = UINT64_MAX >> (64 - width), middle = most / 2 + 1;
        for (unsigned b = 0; b < 10 && bits[b] < width; b++) {
            uint64_t half = UINT64_C(1) << (bits[b] - 1), range = half + input_random(&seed) % half;
            const uint64_t bases[] = {middle - range / 2,
                                      middle - range + 1,
                                      0,
                                      most - range + 1,
                                      (middle | middle / 2) - half / 3 - 1,
                                      input_random(&seed)};
            for (unsigned k = 0; k < 6; k++, turn++) {
                uint64_t base = bases[k] > most - range ? most - range : bases[k];
                size_t n =
                    emulated ? emulated_sizes[(turn + b) % EMULATED] : sizes[turn / 6 % SIZES];
                if ((turn + turn / 6 + t) % one_in == 0) {
                    check(*state, types[t], n, base, k == 0 ? 2 * half : range, turn * 7);
                }
            }
        }
    }
    free(keys);
    free(want);
    free(got);
    free(mapped);
    free(want_index);
    free(got_index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(windows)};
    return cmocka_run_group_tests(tests, gpu_room_open, gpu_room_close);
}
