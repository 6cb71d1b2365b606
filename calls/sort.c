/* sort.c - upsweep_sort: checks the call, and runs the method that was asked for or that
 * sort_choice.c names. */
/* SPDX-License-Identifier: MIT */
#include "core/check.h"
#include "core/forms.h"
#include "core/keymap.h"
#include "cpu/cpu.h"
#include "cpu/patterns/patterns.h"
#include "calls/on_gpu/on_gpu.h"
#include "calls/sort_choice.h"
#include "core/registry.h"
#include "cpu/merging/merging.h"

enum {
    FLAGS = UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW | UPSWEEP_UNSTABLE |
            UPSWEEP_IN_PLACE,
    DIGITS_IN_PLACE = 512 * 1024 /* bytes of keys: their copy and tables are within 1 MB */
};

#define ASKED "it was asked for by name"

/* One sort, as all steps here see it. */
typedef struct job {
    upsweep *u;
    unsigned char *keys;
    size_t n, bytes; /* bytes of a key */
    unsigned width;  /* index of the key's width: 0 .. 3 */
    usw_keymap map;
    unsigned bit_begin, bit_end;
    bool all_bits;
    usw_options options;
} job;

/* A name must be that of a sort, wherever the sort is going to run: a GPU finds forms by their
 * names alone. A sort that has no form for this handle passes here, and fails when it is to run. */
upsweep_status usw_check_sort_name(upsweep *u, const char *name)
{
    const upsweep_algorithm *a = name == NULL ? NULL : upsweep_find(name);
    if (name == NULL || (a != NULL && strcmp(a->operation, "sort") == 0)) {
        return UPSWEEP_OK;
    }
    upsweep_status status = UPSWEEP_ERROR_ALGORITHM;
    (void)usw_form_find(u, USW_SORTS, name, &status); /* sets the error's sentence */
    return status;
}

static job job_of(upsweep *u, void *keys, size_t n, upsweep_type type, const usw_options *o)
{
    size_t bytes = upsweep_type_bytes(type);
    unsigned bits = (unsigned)bytes * 8;
    bool all = (o->bit_begin == 0 && o->bit_end == 0) || (o->bit_begin == 0 && o->bit_end == bits);
    return (job){.u = u,
                 .keys = keys,
                 .n = n,
                 .bytes = bytes,
                 .width = usw_log2_up(bytes),
                 .map = usw_keymap_of(type, o->flags),
                 .bit_begin = all ? 0 : o->bit_begin,
                 .bit_end = all ? bits : o->bit_end,
                 .all_bits = all,
                 .options = *o};
}

/* What sort_choice.c says; more: conditions that were found out on the way. */
static usw_sort_choice choose(const job *j, unsigned more)
{
    upsweep *u = j->u;
    bool in_place = (j->options.flags & UPSWEEP_IN_PLACE) != 0;
    bool no_copy = !j->all_bits && in_place &&
                   (j->n * j->bytes > DIGITS_IN_PLACE || usw_scratch_left(u) < 2 * DIGITS_IN_PLACE);
    bool crowded = j->map.neg != 0 && u->isa != USW_PORTABLE;
    usw_sort_case c = {u, USW_KEYS, j->n, j->width, more};
    c.facts |= (j->all_bits ? 0 : USW_IF_BITS) | (in_place ? USW_IF_IN_PLACE : 0) |
               (no_copy ? USW_IF_NO_COPY : 0) | (crowded ? USW_IF_CROWDED : 0);
    return usw_choose_sort(&c);
}

/* ---- a sort by a given form ---- */

static upsweep_status sort_by_form(const job *j, const usw_sort_form *form, const char *name)
{
    USW_ROUTE("a form");
    if (form->n_max != 0 && j->n > form->n_max) {
        return usw_fail(j->u, UPSWEEP_ERROR_UNSUPPORTED, "%.60s takes at most %zu keys, not %zu",
                        name, form->n_max, j->n);
    }
    if (j->n < 2) {
        return UPSWEEP_OK;
    }
    usw_map_keys(j->u, j->keys, j->n, j->width, &j->map, false);
    upsweep_status status = form->sort[j->width](j->u, j->keys, j->n, j->bit_begin, j->bit_end);
    usw_map_keys(j->u, j->keys, j->n, j->width, &j->map, true);
    return status;
}

/* Where the map only flips bits, as for all but floats, no pass over the keys is made for it. */
static upsweep_status sort_by_digits(const job *j, usw_sort_choice choice)
{
    if (choice.line->method == USW_BY_MERGES) {
        usw_sort_bits_in_place(j->u, j->keys, j->n, &j->map, j->bit_begin, j->bit_end);
        return UPSWEEP_OK;
    }
    if ((j->map.neg | j->map.add) == 0) {
        USW_ROUTE_OF("by digits, keys as they are", USW_INTEGERS);
        return USW_PICK(j->u->isa, usw_digit_steps)
            ->sort_flipped[j->width](j->u, j->keys, j->n, j->bit_begin, j->bit_end, j->map.pos);
    }
    upsweep_status status = UPSWEEP_OK;
    const usw_sort_form *form = usw_form_find(j->u, USW_SORTS, choice.line->name, &status);
    return form == NULL ? status : sort_by_form(j, form, choice.line->name);
}

static upsweep_status sort_named(const job *j)
{
    upsweep_status status = UPSWEEP_OK;
    const usw_sort_form *form = usw_form_find(j->u, USW_SORTS, j->options.algorithm, &status);
    if (form == NULL) {
        return status;
    }
    const char *name = usw_row_name(USW_SORTS, j->options.algorithm);
    bool in_place = (j->options.flags & UPSWEEP_IN_PLACE) != 0;
    if (!j->all_bits && !form->takes_bits) {
        USW_ROUTE("by name: digits in place of a form without bit ranges");
        usw_sort_choice choice = choose(j, 0);
        usw_report(j->u, choice.line->name, "%s does not sort by a range of bits", name);
        return sort_by_digits(j, choice);
    }
    usw_report(j->u, name, ASKED);
    if (form->sort_mapped[j->width] != NULL) {
        USW_ROUTE("by name: the key map is part of the form");
        return j->n == 0 ? UPSWEEP_OK
                         : form->sort_mapped[j->width](j->u, j->keys, j->n, &j->map, in_place);
    }
    if (in_place && !form->in_place) {
        return usw_fail(j->u, UPSWEEP_ERROR_UNSUPPORTED, "%.60s cannot sort in place", name);
    }
    return sort_by_form(j, form, name);
}

/* ---- the automatic choice ---- */

static void report_choice(const job *j, usw_sort_choice choice)
{
    uint64_t bits = usw_bits_fact(j->bit_begin, j->bit_end, j->bytes);
    usw_report_choice(j->u, choice, j->n, j->all_bits ? j->bytes : bits);
}

/* By digits, as the choice says: true, with *status, unless another method must do. Then the keys
 * are as they were, and *why is what kept digits from them. */
static bool tried_digits(const job *j, usw_sort_choice choice, upsweep_status *status,
                         unsigned *why)
{
    bool automatic = j->all_bits;
    if (automatic && usw_some_are_frequent(j->u, j->keys, j->n, j->width)) {
        USW_ROUTE_ON("digits are left for frequent keys", USW_TYPES_OF_64_BITS & USW_INTEGERS,
                     USW_ON_AVX2);
        *why = USW_IF_FREQUENT;
        return false;
    }
    *status = sort_by_digits(j, choice);
    if (automatic && *status != UPSWEEP_OK) {
        USW_ROUTE_ON("no scratch for digits", USW_WIDE_TYPES, USW_ON_PORTABLE);
        *why = USW_IF_NO_SCRATCH;
        return false;
    }
    report_choice(j, choice);
    USW_ROUTE_IF(!automatic, "by bits", USW_ALL_TYPES);
    USW_ROUTE_IF_ON(automatic, "by digits", USW_WIDE_TYPES, USW_ON_PORTABLE);
    return true;
}

static upsweep_status sort_automatic(const job *j)
{
    upsweep_status status = UPSWEEP_OK;
    usw_glance glance;
    usw_found found;
    unsigned why = 0;
    if (j->all_bits && usw_sort_ordered(j->u, j->keys, j->n, j->width, &j->map, &glance, &found)) {
        USW_ROUTE("in order, or turned round");
        usw_report_pattern(j->u, USW_KEYS, found, j->n);
        return UPSWEEP_OK;
    }
    usw_sort_choice choice = choose(j, 0);
    unsigned looks = choice.patterns & ~(1u << USW_IN_ORDER | 1u << USW_REVERSED);
    if (looks != 0 &&
        usw_sort_pattern(j->u, j->keys, j->n, j->width, &j->map, looks, &glance, &found)) {
        USW_ROUTE_OF("a pattern", USW_WIDE_TYPES);
        usw_report_pattern(j->u, USW_KEYS, found, j->n);
        return UPSWEEP_OK;
    }
    if (choice.line->method == USW_BY_DIGITS || choice.line->method == USW_BY_MERGES) {
        if (tried_digits(j, choice, &status, &why)) {
            return status;
        }
        choice = choose(j, why);
    }
    report_choice(j, choice);
    USW_ROUTE_IF(j->width < 2, "short keys", USW_SHORT_TYPES);
    USW_ROUTE_IF(choice.line->method == USW_BY_QUICKSORT, "cached", USW_WIDE_TYPES);
    USW_ROUTE_IF(choice.line->method == USW_BY_PARTITION, "partitioned in place", USW_WIDE_TYPES);
    USW_ROUTE_IF(choice.line->method == USW_BY_BUCKETS, "scattered", USW_WIDE_TYPES);
    const usw_hybrid_steps *hybrid = USW_PICK(j->u->isa, usw_hybrid_steps);
    return hybrid->sort[j->width](j->u, j->keys, j->n, &j->map,
                                  choice.line->method != USW_BY_BUCKETS);
}

upsweep_status usw_sort_keys(upsweep *u, void *keys, size_t n, upsweep_type type,
                             const usw_options *o)
{
    job j = job_of(u, keys, n, type, o);
    return sort_automatic(&j);
}

upsweep_status usw_sort_on_cpu(upsweep *u, void *keys, size_t n, upsweep_type type,
                               const usw_options *o)
{
    job j = job_of(u, keys, n, type, o);
    return o->algorithm != NULL ? sort_named(&j) : sort_automatic(&j);
}

/* ---- short calls: few keys, or all equal, on a CPU ----
 *
 * All that such a call needs of the handle is a place to say what it did, in one word: so it takes
 * no lock, which would be a fifth of the time of a hundred keys. */

enum {
    BRIEF_N_BITS = 48,
    EQUAL_WORDS = 8,              /* of 64 bits, that are compared at first */
    EQUAL_BYTES = 8 * 1024 * 1024 /* more are for all threads */
};

/* Whether there is nothing to decide: the checks of a call in one place, and nothing said of what
 * fails them. On "auto" few keys stay on the CPU, and are not asked for a CUDA loaded since. */
static bool is_plain(const upsweep *u, const void *keys, size_t n, upsweep_type type,
                     const upsweep_options *o)
{
    unsigned plain = FLAGS & ~(unsigned)UPSWEEP_NAN_FIRST;
    return u != NULL && keys != NULL && n < (size_t)1 << 32 && (unsigned)type - 1 < UPSWEEP_F64 &&
           (u->device == USW_CPU || (u->device == USW_AUTO && n <= USW_SMALL)) &&
           u->plugin == NULL &&
           (o == NULL || ((o->size == 0 || o->size == sizeof *o) && o->algorithm == NULL &&
                          (o->flags & ~plain) == 0 && (o->bit_begin | o->bit_end) == 0));
}

static void report_brief(upsweep *u, usw_shape shape, unsigned width, size_t n)
{
    uint64_t brief = (uint64_t)n | (uint64_t)(4 * width + shape + 1) << BRIEF_N_BITS;
    __atomic_store_n(&u->brief, brief, __ATOMIC_RELAXED);
}

void usw_report_brief(upsweep *u)
{
    uint64_t brief = __atomic_load_n(&u->brief, __ATOMIC_RELAXED);
    if (brief == 0) {
        return;
    }
    unsigned what = (unsigned)(brief >> BRIEF_N_BITS) - 1, width = what / 4;
    size_t n = (size_t)(brief & ((UINT64_C(1) << BRIEF_N_BITS) - 1));
    u->note[0] = '\0';
    u->report.scratch_bytes = 0;
    u->report.threads = u->threads_most;
    if (what % 4 == USW_MIXED) {
        usw_sort_case c = {u, USW_KEYS, n, width, 0};
        usw_report_choice(u, usw_choose_sort(&c), n, UINT64_C(1) << width);
    } else {
        usw_pattern pattern = what % 4 == USW_FALLING ? USW_REVERSED : USW_IN_ORDER;
        usw_report_pattern(u, USW_KEYS, (usw_found){pattern, 0}, n);
    }
    __atomic_store_n(&u->brief, 0, __ATOMIC_RELAXED);
}

/* Whether more than USW_SMALL keys are all equal. Nothing else is looked at before, and no function
 * called for a few keys: where this is what a program does once in a while, each line and page of
 * code and tables that it needs comes from memory. */
static bool all_equal(const upsweep *u, const void *keys, size_t n, unsigned width)
{
    const unsigned char *at = keys;
    uint64_t first, next, differ = 0;
    memcpy(&first, at, sizeof first);
    for (unsigned i = 1; i < EQUAL_WORDS; i++) {
        memcpy(&next, at + i * sizeof next, sizeof next);
        differ |= next ^ first;
    }
    return differ == 0 && (u->threads_most == 1 || n << width <= EQUAL_BYTES) &&
           USW_PICK(u->isa, usw_all_same)(keys, n << width, width);
}

/* What usw_keymap_of says of each type without flags, which takes 30 instructions to find out. */
#define SIGNED(bits)                                                                               \
    {                                                                                              \
        bits, 0, UINT64_C(1) << (bits - 1), 0                                                      \
    }
#define FLOAT(bits, mantissa)                                                                      \
    {                                                                                              \
        bits, UINT64_MAX >> (65 - bits), UINT64_C(1) << (bits - 1),                                \
            (UINT64_MAX >> (64 - bits)) - ((UINT64_C(1) << mantissa) - 1) + 1                      \
    }
static const usw_keymap plain_maps[] = {
    [UPSWEEP_U8] = {.bits = 8},    [UPSWEEP_U16] = {.bits = 16},  [UPSWEEP_U32] = {.bits = 32},
    [UPSWEEP_U64] = {.bits = 64},  [UPSWEEP_I8] = SIGNED(8),      [UPSWEEP_I16] = SIGNED(16),
    [UPSWEEP_I32] = SIGNED(32),    [UPSWEEP_I64] = SIGNED(64),    [UPSWEEP_F16] = FLOAT(16, 10),
    [UPSWEEP_BF16] = FLOAT(16, 7), [UPSWEEP_F32] = FLOAT(32, 23), [UPSWEEP_F64] = FLOAT(64, 52)};

USW_HOT USW_NOINLINE static upsweep_status sort_few(upsweep *u, void *keys, size_t n,
                                                    upsweep_type type, const usw_keymap *map)
{
    unsigned width = (unsigned)__builtin_ctz(plain_maps[type].bits) - 3;
    const usw_cache_sort_steps *steps = USW_PICK(u->isa, usw_cache_sort_steps);
    report_brief(u, n < 2 ? USW_RISING : steps->sort_small[width](keys, n, map), width, n);
    return UPSWEEP_OK;
}

USW_NOINLINE static upsweep_status sort_few_turned(upsweep *u, void *keys, size_t n,
                                                   upsweep_type type, unsigned flags)
{
    usw_keymap map = usw_keymap_of(type, flags);
    return sort_few(u, keys, n, type, usw_keymap_is_identity(&map) ? NULL : &map);
}

/* A call with a lock, and with all that may be asked for. */
USW_NOINLINE static upsweep_status sort_call(upsweep *u, void *keys, size_t n, upsweep_type type,
                                             const upsweep_options *options)
{
    usw_options o;
    upsweep_status status = usw_enter(u, options, FLAGS, &o);
    if (status != UPSWEEP_OK) {
        return status;
    }
    status = usw_check_keys(u, keys, n, type, &o);
    status = status == UPSWEEP_OK ? usw_check_sort_name(u, o.algorithm) : status;
    if (status == UPSWEEP_OK && !usw_gpu_sort_keys(u, keys, keys, n, type, &o, &status)) {
        if (o.algorithm == NULL) {
            USW_SHARE_CALL(u, n * upsweep_type_bytes(type), USW_LIKE_SORTING, type);
        }
        status = usw_sort_on_cpu(u, keys, n, type, &o);
    }
    return usw_leave(u, status);
}

USW_NOINLINE static upsweep_status sort_many(upsweep *u, void *keys, size_t n, upsweep_type type,
                                             const upsweep_options *options)
{
    unsigned width = usw_log2_up(usw_type_bytes(type));
    if (!all_equal(u, keys, n, width)) {
        return sort_call(u, keys, n, type, options);
    }
    USW_ROUTE("all equal, without the lock");
    report_brief(u, USW_RISING, width, n);
    return UPSWEEP_OK;
}

/* Each way out of here is a jump, so that nothing is saved for it. */
USW_HOT upsweep_status upsweep_sort(upsweep *u, void *keys, size_t n, upsweep_type type,
                                    const upsweep_options *options)
{
    if (!is_plain(u, keys, n, type, options)) {
        return sort_call(u, keys, n, type, options);
    }
    USW_CALL_BEGINS(u->isa);
    USW_CALL_TYPE(type);
    if (n > USW_SMALL) {
        return sort_many(u, keys, n, type, options);
    }
    USW_ROUTE("few keys, without the lock");
    if (options != NULL && options->flags != 0) {
        return sort_few_turned(u, keys, n, type, options->flags);
    }
    return sort_few(u, keys, n, type, type <= UPSWEEP_U64 ? NULL : &plain_maps[type]);
}

upsweep_status upsweep_explain_choice(upsweep *u, size_t n, upsweep_type type,
                                      const upsweep_options *options, upsweep_report *report)
{
    usw_options o;
    upsweep_status status = usw_enter(u, options, FLAGS, &o);
    if (status != UPSWEEP_OK) {
        return status;
    }
    unsigned char none;
    status = report == NULL ? usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "report is NULL")
                            : usw_check_keys(u, &none, n, type, &o);
    if (status == UPSWEEP_OK && o.algorithm != NULL) {
        status = usw_check_sort_name(u, o.algorithm);
        if (status == UPSWEEP_OK) {
            usw_report(u, usw_row_name(USW_SORTS, o.algorithm), ASKED);
        }
    } else if (status == UPSWEEP_OK) {
        job j = job_of(u, NULL, n, type, &o);
        usw_offer_threads(u, n * j.bytes);
        report_choice(&j, choose(&j, 0));
    }
    u->report.scratch_bytes = 0;
    const char *wrong = status == UPSWEEP_OK ? usw_give_report(u, report) : NULL;
    if (wrong != NULL) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "report: %s", wrong);
    }
    return usw_leave(u, status);
}
