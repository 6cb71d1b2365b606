/* test_textsorts.c - the CPU forms of the textbook sorts, called as the library calls them: every
 * key width up to 128 bits, instruction set, thread count, lengths around every block of every
 * form, all
 * 0-1 inputs for the networks, bit ranges with a hidden second field, guard pages, and scratch that
 * runs out. The oracle is a serial merge sort. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/forms.h"
#include "test/shared/handles.h"
#include "test/shared/inputs.h"

USW_DECLARE_PER_ISA(usw_sort_form, usw_sort_oddeven_cpu);
USW_DECLARE_PER_ISA(usw_sort_form, usw_sort_bitonic_cpu);
USW_DECLARE_PER_ISA(usw_sort_form, usw_sort_vmerge_cpu);
USW_DECLARE_PER_ISA(usw_sort_form, usw_sort_split_cpu);
USW_DECLARE_PER_ISA(usw_sort_form, usw_sort_radix_cpu);

static const struct {
    const char *name;
    const usw_sort_form *form[USW_ISA_COUNT];
} sorts[] = {
    {"oddeven", USW_ALL_ISAS(usw_sort_oddeven_cpu)},
    {"bitonic", USW_ALL_ISAS(usw_sort_bitonic_cpu)},
    {"vmerge", USW_ALL_ISAS(usw_sort_vmerge_cpu)},
    {"split", USW_ALL_ISAS(usw_sort_split_cpu)},
    {"radix", USW_ALL_ISAS(usw_sort_radix_cpu)},
};
enum { SORTS = sizeof sorts / sizeof sorts[0] };

static uint64_t seed = 88172645463325252u;

static uint64_t next(void)
{
    return input_random(&seed);
}

/* By cases, since a copy of so many bytes as a variable says is a call. */
static inline void copy_key(void *to, const void *from, size_t bytes)
{
    switch (bytes) {
    case 1: memcpy(to, from, 1); break;
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    default: memcpy(to, from, 16); break;
    }
}

static usw_u128 key_at(const void *keys, size_t bytes, size_t i)
{
    usw_u128 k = 0;
    copy_key(&k, (const char *)keys + i * bytes, bytes);
    return k;
}

enum { UNIFORM, SORTED, REVERSED, ORGAN_PIPE, FEW, EQUAL, HIGH, SKEWED, CLOSE, PATTERNS };

static void fill(void *keys, size_t n, size_t bytes, unsigned pattern)
{
    for (size_t i = 0; i < n; i++) {
        usw_u128 r = (usw_u128)next() << 64 | next(), k = r;
        switch (pattern) {
        case SORTED: k = i; break;
        case REVERSED: k = n - i; break;
        case ORGAN_PIPE: k = i < n / 2 ? i : n - i; break;
        case FEW: k = (r >> 124) * UINT64_C(0x9E3779B97F4A7C15); break;
        case EQUAL: k = 7; break;
        case HIGH: k = r << (bytes * 8 - 5); break;
        case SKEWED: k = r >> (uint64_t)(r % (bytes * 8)); break;
        case CLOSE: k = ((usw_u128)1 << (bytes * 8 - 2)) + r % (n + 1); break;
        default: break;
        }
        memcpy((char *)keys + i * bytes, &k, bytes);
    }
}

/* Stable merge sort by the bits in mask. */
static void oracle(char *keys, char *tmp, size_t n, size_t bytes, usw_u128 mask)
{
    if (n < 2) {
        return;
    }
    size_t half = n / 2, i = 0, j = half;
    oracle(keys, tmp, half, bytes, mask);
    oracle(keys + half * bytes, tmp, n - half, bytes, mask);
    for (size_t k = 0; k < n; k++) {
        bool right = i == half ||
                     (j < n && (key_at(keys, bytes, j) & mask) < (key_at(keys, bytes, i) & mask));
        copy_key(tmp + k * bytes, keys + (right ? j++ : i++) * bytes, bytes);
    }
    memcpy(keys, tmp, n * bytes);
}

static upsweep *open_with(unsigned isa, unsigned threads, size_t limit)
{
    upsweep *u = NULL;
    upsweep_config c = {.threads = threads, .scratch_limit = limit};
    assert_int_equal(upsweep_open(&u, "cpu", &c), UPSWEEP_OK);
    u->isa = (usw_isa)isa;
    return u;
}

/* A form runs inside a call. */
static upsweep_status run(upsweep *u, size_t s, void *keys, size_t n, unsigned width, unsigned lo,
                          unsigned hi)
{
    usw_options o;
    assert_int_equal(usw_enter(u, NULL, 0, &o), UPSWEEP_OK);
    return usw_leave(u, sorts[s].form[u->isa]->sort[width](u, keys, n, lo, hi));
}

static void *aligned(size_t bytes)
{
    void *p = NULL;
    assert_int_equal(posix_memalign(&p, 64, bytes + 64), 0);
    return p;
}

static void check(upsweep *u, size_t s, size_t n, unsigned width, unsigned pattern, unsigned lo,
                  unsigned hi)
{
    size_t bytes = (size_t)1 << width, skip = width < 4 ? bytes : 0;
    char *block = aligned((n + 2) * bytes), *keys = block + skip;
    char *e = aligned(n * bytes), *tmp = aligned(n * bytes);
    fill(keys, n, bytes, pattern);
    memcpy(e, keys, n * bytes);
    keys[n * bytes] = 99;
    oracle(e, tmp, n, bytes, ((usw_u128) ~(usw_u128)0 >> (128 - (hi - lo))) << lo);
    assert_int_equal(run(u, s, keys, n, width, lo, hi), UPSWEEP_OK);
    if (memcmp(keys, e, n * bytes) != 0) {
        fail_msg("sort/%s: isa %s threads %u n %zu bytes %zu pattern %u bits %u-%u: wrong",
                 sorts[s].name, usw_isa_name(u->isa), u->threads, n, bytes, pattern, lo, hi);
    }
    assert_int_equal(keys[n * bytes], 99);
    free(block), free(e), free(tmp);
}

static void all_lengths(void **state)
{
    (void)state;
    for (unsigned isa = 0; isa <= (unsigned)usw_best_isa(); isa++) {
        upsweep *u = open_with(isa, 2, 0);
        for (size_t s = 0; s < SORTS; s++) {
            for (unsigned width = 0; width < USW_WIDTHS; width++) {
                unsigned bits = 8u << width;
                for (size_t n = 0; n < 300; n += n < 70 ? 1 : 13) {
                    check(u, s, n, width, (unsigned)(n + width) % PATTERNS, 0, bits);
                    check(u, s, n, width, UNIFORM, 0, bits);
                }
                for (size_t p = 512; p <= 8192; p *= 4) {
                    for (size_t n = p - 1; n <= p + 1; n++) {
                        check(u, s, n, width, (unsigned)(n + p / 128) % PATTERNS, 0, bits);
                    }
                }
            }
        }
        upsweep_close(u);
    }
}

static void long_arrays(void **state)
{
    (void)state;
    for (unsigned isa = 0; isa <= (unsigned)usw_best_isa(); isa++) {
        for (unsigned threads = 1; threads <= 5; threads += 2) {
            upsweep *u = open_with(isa, threads, 0);
            for (size_t s = 0; s < SORTS; s++) {
                for (unsigned width = 0; width < USW_WIDTHS; width++) {
                    if ((s + width + isa + threads / 2) % 3 != 0 && !test_thorough()) {
                        continue;
                    }
                    unsigned pattern = (width * 2 + threads + isa) % PATTERNS;
                    check(u, s, 80001, width, pattern, 0, 8u << width);
                }
            }
            upsweep_close(u);
        }
    }
}

/* Long enough for writes round the cache, for buckets that are split again, and for blocks of
 * blocks. */
static void longest_arrays(void **state)
{
    (void)state;
    upsweep *u = open_with((unsigned)usw_best_isa(), 3, 0);
    for (unsigned pattern = 0; pattern < PATTERNS; pattern++) {
        check(u, SORTS - 1, 150011, 4, pattern, 64, 128);
        if (pattern % 2 == 0 || test_thorough()) {
            check(u, SORTS - 1, 300011, 3, pattern, 0, 64);
            check(u, SORTS - 1, 530011, 2, pattern, 0, 32);
        }
    }
    for (size_t s = 0; s < SORTS; s++) {
        check(u, s, 1000003, 2, UNIFORM, 0, 32);
    }
    upsweep_close(u);
    for (unsigned isa = 0; isa < (unsigned)usw_best_isa(); isa++) {
        u = open_with(isa, 2, 0);
        check(u, SORTS - 1, 600011, 3, UNIFORM, 0, 64);
        check(u, SORTS - 1, 700011, 2, SKEWED, 0, 32);
        upsweep_close(u);
    }
}

/* Keys that compare equal in the bit range differ elsewhere: that field shows whether order is
 * kept. */
static void bit_ranges(void **state)
{
    (void)state;
    static const size_t lengths[] = {2, 23, 40, 700, 3001, 90001};
    for (unsigned isa = 0; isa <= (unsigned)usw_best_isa(); isa++) {
        upsweep *u = open_with(isa, 2, 0);
        for (size_t s = 0; s < SORTS; s++) {
            if (!sorts[s].form[isa]->takes_bits) {
                continue;
            }
            for (unsigned width = 0; width < USW_WIDTHS; width++) {
                unsigned bits = 8u << width;
                for (unsigned turn = 0; turn < 30; turn++) {
                    unsigned lo = (unsigned)(next() % bits);
                    unsigned hi = lo + 1 + (unsigned)(next() % (bits - lo));
                    check(u, s, lengths[turn % 6], width, turn % 3 ? UNIFORM : SKEWED, lo, hi);
                }
            }
        }
        upsweep_close(u);
    }
}

/* A network that sorts all inputs of zeros and ones sorts everything. */
static void zero_one_inputs(void **state)
{
    (void)state;
    upsweep *u = open_with((unsigned)usw_best_isa(), 1, 0);
    for (size_t s = 0; s < 3; s++) {
        for (unsigned n = 1; n <= 13; n++) {
            for (unsigned input = 0; input < 1u << n; input++) {
                uint32_t k[16];
                for (unsigned i = 0; i < n; i++) {
                    k[i] = input >> i & 1;
                }
                unsigned zeros = n - (unsigned)__builtin_popcount(input);
                assert_int_equal(run(u, s, k, n, 2, 0, 32), UPSWEEP_OK);
                for (unsigned i = 0; i < n; i++) {
                    assert_int_equal(k[i], i >= zeros);
                }
            }
        }
    }
    upsweep_close(u);
}

/* The keys end where memory ends, or begin where it begins. */
static void guard_pages(void **state)
{
    (void)state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), room = 40 * page;
    char *area = mmap(NULL, room + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(area != MAP_FAILED);
    assert_int_equal(mprotect(area + page, room, PROT_READ | PROT_WRITE), 0);
    for (unsigned isa = 0; isa <= (unsigned)usw_best_isa(); isa++) {
        upsweep *u = open_with(isa, 2, 0);
        for (size_t s = 0; s < SORTS; s++) {
            for (unsigned turn = 0; turn < 60; turn++) {
                unsigned width = turn % USW_WIDTHS;
                size_t bytes = (size_t)1 << width;
                size_t n = next() % (turn % 2 ? 300 : room / bytes);
                char *keys = turn % 4 < 2 ? area + page : area + page + room - n * bytes;
                fill(keys, n, bytes, UNIFORM);
                assert_int_equal(run(u, s, keys, n, width, 0, 8u << width), UPSWEEP_OK);
                for (size_t i = 1; i < n; i++) {
                    assert_true(key_at(keys, bytes, i - 1) <= key_at(keys, bytes, i));
                }
            }
        }
        upsweep_close(u);
    }
    munmap(area, room + 2 * page);
}

static void scratch_limits(void **state)
{
    (void)state;
    enum { N = 300000 };
    uint32_t *keys = aligned(N * 4), *was = aligned(N * 4);
    unsigned failed = 0, passed = 0;
    fill(was, N, 4, UNIFORM);
    for (size_t s = 0; s < SORTS; s++) {
        for (size_t limit = 100; limit < 8000000; limit *= 2) {
            upsweep *u = open_with((unsigned)usw_best_isa(), 2, limit);
            memcpy(keys, was, N * 4);
            upsweep_status status = run(u, s, keys, N, 2, 0, 32);
            if (status == UPSWEEP_OK) {
                passed++;
            } else {
                assert_int_equal(status, UPSWEEP_ERROR_MEMORY);
                assert_memory_equal(keys, was, N * 4);
                failed++;
            }
            if (sorts[s].form[u->isa]->in_place && limit >= (size_t)2 << 20) {
                assert_int_equal(status, UPSWEEP_OK);
            }
            upsweep_close(u);
        }
    }
    assert_true(failed > 20 && passed > 20);
    free(keys), free(was);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_lengths),     cmocka_unit_test(long_arrays),
        cmocka_unit_test(longest_arrays),  cmocka_unit_test(bit_ranges),
        cmocka_unit_test(zero_one_inputs), cmocka_unit_test(guard_pages),
        cmocka_unit_test(scratch_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
