/* search_sorted.c - upsweep_search_sorted: where wanted keys would go among keys that are sorted.
 *
 * Threads take blocks of the wanted keys. Where these are many, the first halvings of all searches
 * go to a sample of the sorted keys, which is made once. */
/* SPDX-License-Identifier: MIT */
#include "core/check.h"
#include "calls/on_gpu/on_gpu.h"
#include "cpu/cpu.h"

enum {
    FLAGS = UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW | UPSWEEP_UPPER |
            UPSWEEP_UNSTABLE | UPSWEEP_IN_PLACE,
    TASK_KEYS = 2048,       /* wanted keys of a task: fewer are searched for by one thread */
    SAMPLED_FROM = 1 << 18, /* sorted keys that a core's cache does not hold */
    WANTED_FROM = 1 << 13   /* searches that are worth a sample */
};

typedef struct job {
    const usw_search *s;
    const usw_search_steps *steps;
    unsigned width;
    void *sample;
} job;

static void search_task(void *context, size_t t, unsigned lane)
{
    const job *j = context;
    (void)lane;
    j->steps->search[j->width](j->s, j->sample, t * TASK_KEYS,
                               usw_min(j->s->m, (t + 1) * TASK_KEYS));
}

/* A sample that has no room is left out. */
static void run(upsweep *u, const usw_search *s)
{
    job j = {s, USW_PICK(u->isa, usw_search_steps), usw_log2_up(s->map.bits / 8), NULL};
    if (s->n == 0) {
        memset(s->places, 0, s->m * s->place_bytes);
        return;
    }
    if (s->n >= SAMPLED_FROM && s->m >= WANTED_FROM) {
        j.sample = usw_scratch(u, (size_t)USW_SEARCH_SAMPLE * s->map.bits / 8);
    }
    if (j.sample != NULL) {
        j.steps->sample[j.width](s, j.sample);
    }
    usw_parallel(u, usw_div_up(s->m, TASK_KEYS), search_task, &j);
}

/* The mapped keys that are equal as numbers: zeros, and NaNs. */
static void note_equal(usw_search *s, upsweep_type type, unsigned flags)
{
    uint64_t all = UINT64_MAX >> (64 - s->map.bits), sign = all ^ all >> 1;
    s->equal[0][0] = s->equal[1][0] = 1; /* nothing is from 1 to 0 */
    if (!usw_type_is_float(type) || (flags & UPSWEEP_NAN_RAW)) {
        return;
    }
    uint64_t plus = usw_map_key(&s->map, 0), minus = usw_map_key(&s->map, sign);
    uint64_t infinity = type == UPSWEEP_F16    ? UINT64_C(0x7c00)
                        : type == UPSWEEP_BF16 ? UINT64_C(0x7f80)
                        : s->map.bits == 32    ? UINT64_C(0x7f800000)
                                               : UINT64_C(0x7ff) << 52;
    uint64_t nans = 2 * (sign - 1 - infinity); /* of both signs */
    bool first = flags & UPSWEEP_NAN_FIRST;
    s->equal[0][0] = plus < minus ? plus : minus;
    s->equal[0][1] = plus < minus ? minus : plus;
    s->equal[1][0] = first ? 0 : all - nans + 1;
    s->equal[1][1] = first ? nans - 1 : all;
}

static upsweep_status check(upsweep *u, const usw_search *s, upsweep_type type, unsigned place_bits,
                            const usw_options *o)
{
    upsweep_status status = usw_check_keys(u, s->keys, s->n, type, o);
    if (status == UPSWEEP_OK) {
        status = usw_check_array(u, s->wanted, s->m, upsweep_type_bytes(type), "wanted");
    }
    if (status == UPSWEEP_OK && (o->bit_begin != 0 || o->bit_end != 0)) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "a search takes no bit range");
    }
    if (status == UPSWEEP_OK && place_bits != 32 && place_bits != 64) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "place_bits is 32 or 64, not %u", place_bits);
    }
    if (status == UPSWEEP_OK && place_bits == 32 && s->n > UINT32_MAX) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "%zu keys need 64-bit places", s->n);
    }
    if (status == UPSWEEP_OK) {
        status = usw_check_array(u, s->places, s->m, place_bits / 8, "places");
    }
    return status == UPSWEEP_OK ? usw_no_choice(u, o) : status;
}

upsweep_status upsweep_search_sorted(upsweep *u, const void *keys, size_t n, const void *wanted,
                                     size_t m, upsweep_type type, void *places, unsigned place_bits,
                                     const upsweep_options *options)
{
    usw_options o;
    upsweep_status status = usw_enter(u, options, FLAGS, &o);
    if (status != UPSWEEP_OK) {
        return status;
    }
    usw_search s = {.keys = keys, .wanted = wanted, .n = n, .m = m, .places = places};
    s.place_bytes = place_bits / 8;
    s.upper = o.flags & UPSWEEP_UPPER;
    status = check(u, &s, type, place_bits, &o);
    if (status == UPSWEEP_OK && m > 0) {
        s.map = usw_keymap_of(type, o.flags);
        note_equal(&s, type, o.flags);
        if (!usw_may_leave(u) || !usw_gpu_search_sorted(u, &s, &status)) {
            USW_SHARE_CALL(u, m, USW_LIKE_CALLING, type);
            run(u, &s);
        }
    }
    return usw_leave(u, status);
}
