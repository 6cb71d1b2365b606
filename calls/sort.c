/* sort.c - upsweep_sort: checks the call, maps the keys to unsigned order, and chooses the
 * method. */
#include "core/check.h"
#include "core/forms.h"
#include "core/keymap.h"
#include "cpu/cpu.h"
#include "cpu/patterns/patterns.h"
#include "calls/on_gpu/on_gpu.h"
#include "core/registry.h"
#include "cpu/merging/merging.h"

#include <stdio.h>

enum {
    FLAGS = UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW | UPSWEEP_UNSTABLE |
            UPSWEEP_IN_PLACE,
    DIGITS_IN_PLACE = 512 * 1024 /* bytes of keys: their copy and tables are within 1 MB */
};

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

/* A name must be that of a sort, wherever it is going to run: a GPU finds forms by their names
 * alone. */
static upsweep_status check_name(upsweep *u, const char *name)
{
    const usw_entry *e = name == NULL ? NULL : usw_entry_find(name);
    if (name == NULL || (e != NULL && strcmp(e->row->info.operation, "sort") == 0)) {
        return UPSWEEP_OK;
    }
    (void)usw_sort_form_find(u, name); /* which says so */
    return UPSWEEP_ERROR_ALGORITHM;
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

/* Digits take a copy of the keys: where that is too much, a stable sort in place compares them. */
static bool merges_bits(const job *j)
{
    return (j->options.flags & UPSWEEP_IN_PLACE) != 0 &&
           (j->n * j->bytes > DIGITS_IN_PLACE || usw_scratch_left(j->u) < 2 * DIGITS_IN_PLACE);
}

/* Where the map only flips bits, as for all but floats, no pass over the keys is made for it. */
static upsweep_status sort_by_digits(const job *j)
{
    if (merges_bits(j)) {
        usw_sort_bits_in_place(j->u, j->keys, j->n, &j->map, j->bit_begin, j->bit_end);
        return UPSWEEP_OK;
    }
    if ((j->map.neg | j->map.add) == 0) {
        USW_ROUTE_OF("by digits, keys as they are", USW_INTEGERS);
        return USW_PICK(j->u->isa, usw_digit_steps)
            ->sort_flipped[j->width](j->u, j->keys, j->n, j->bit_begin, j->bit_end, j->map.pos);
    }
    return sort_by_form(j, USW_PICK(j->u->isa, usw_sort_radix_cpu), "sort/radix");
}

static upsweep_status sort_named(const job *j)
{
    const usw_sort_form *form = usw_sort_form_find(j->u, j->options.algorithm);
    const usw_entry *e = usw_entry_find(j->options.algorithm);
    if (form == NULL || e == NULL) {
        return UPSWEEP_ERROR_UNSUPPORTED;
    }
    const char *name = e->row->info.name; /* static, unlike the caller's string */
    if (!j->all_bits && !form->takes_bits) {
        USW_ROUTE("by name: digits in place of a form without bit ranges");
        usw_report(j->u, "sort/radix", "%s does not sort by a range of bits", name);
        return sort_by_digits(j);
    }
    usw_report(j->u, name, "asked for by name");
    if (strcmp(name, "sort/hybrid") == 0) {
        USW_ROUTE("by name: hybrid");
        const usw_hybrid_steps *hybrid = USW_PICK(j->u->isa, usw_hybrid_steps);
        bool in_place = (j->options.flags & UPSWEEP_IN_PLACE) != 0;
        return hybrid->sort[j->width](j->u, j->keys, j->n, &j->map, in_place);
    }
    if ((j->options.flags & UPSWEEP_IN_PLACE) && !form->in_place) {
        return usw_fail(j->u, UPSWEEP_ERROR_UNSUPPORTED, "%.60s cannot sort in place", name);
    }
    return sort_by_form(j, form, name);
}

/* ---- the automatic choice ---- */

typedef enum method { BY_BITS, BY_DIGITS, COUNTED, CACHED, PARTED, SCATTERED } method;

/* For keys without a pattern. Floats crowd about zero, so it takes a pass more to tell them apart:
 * digits pay only where there are no vectors. */
static method choose_method(const job *j)
{
    const upsweep_tuning *t = &j->u->tuning;
    bool in_place = (j->options.flags & UPSWEEP_IN_PLACE) != 0;
    bool crowded = j->map.neg != 0 && j->u->isa != USW_PORTABLE;
    size_t wide = j->bytes == 8, bytes = j->n * j->bytes;
    return !j->all_bits                                            ? BY_BITS
           : j->bytes <= 2                                         ? COUNTED
           : j->n <= USW_SMALL                                     ? CACHED
           : !(in_place || crowded) && j->n >= t->digit_keys[wide] ? BY_DIGITS
           : bytes < t->thread_bytes                               ? CACHED
           : in_place || bytes < t->scatter_bytes[wide]            ? PARTED
                                                                   : SCATTERED;
}

static void tell_keys(char *text, size_t bytes, const uint64_t *fact, const char *how)
{
    snprintf(text, bytes, "%zu keys of %u bits, %.1f MB: %s", (size_t)fact[0],
             (unsigned)fact[1] * 8, (double)(fact[0] * fact[1]) / 1e6, how);
}

static void tell_digits(char *text, size_t bytes, const uint64_t *fact)
{
    tell_keys(text, bytes, fact, "by digits, as vectors are narrow here");
}

static void tell_counted(char *text, size_t bytes, const uint64_t *fact)
{
    tell_keys(text, bytes, fact, "each value is counted, or few keys parted by vectors");
}

static void tell_cached(char *text, size_t bytes, const uint64_t *fact)
{
    tell_keys(text, bytes, fact, "they fit the cache, so the scatter is skipped");
}

static void tell_parted(char *text, size_t bytes, const uint64_t *fact)
{
    tell_keys(text, bytes, fact, "pivots part them in place, by vectors");
}

static void tell_scattered(char *text, size_t bytes, const uint64_t *fact)
{
    tell_keys(text, bytes, fact, "they do not fit the cache, so they scatter into buckets that do");
}

static void report_method(const job *j, method m)
{
    static const usw_reason tell[] = {NULL,        tell_digits, tell_counted,
                                      tell_cached, tell_parted, tell_scattered};
    if (m == BY_BITS) {
        bool merges = merges_bits(j);
        usw_report(j->u, merges ? "" : "sort/radix", "bits [%u, %u) of %zu: a stable %s",
                   j->bit_begin, j->bit_end, j->bytes * 8,
                   merges ? "merge sort in place" : "sort by digits");
    } else {
        usw_report_later(j->u, m == BY_DIGITS ? "sort/radix" : "sort/hybrid", tell[m], j->n,
                         j->bytes);
    }
}

static upsweep_status sort_automatic(const job *j)
{
    bool in_place = (j->options.flags & UPSWEEP_IN_PLACE) != 0;
    method m = choose_method(j);
    if (m != BY_BITS && usw_sort_pattern(j->u, j->keys, j->n, j->width, &j->map, in_place)) {
        USW_ROUTE("a pattern");
        return UPSWEEP_OK;
    }
    if (m == BY_DIGITS && usw_some_are_frequent(j->u, j->keys, j->n, j->width)) {
        USW_ROUTE_ON("digits are left for frequent keys", USW_TYPES_OF_64_BITS & USW_INTEGERS,
                     USW_ON_AVX2);
        m = PARTED;
    }
    if (m == BY_BITS || m == BY_DIGITS) {
        upsweep_status status = sort_by_digits(j);
        if (m == BY_BITS || status == UPSWEEP_OK) {
            USW_ROUTE_IF(m == BY_BITS, "by bits", USW_ALL_TYPES);
            report_method(j, m);
            USW_ROUTE_IF_ON(m == BY_DIGITS, "by digits", USW_WIDE_TYPES, USW_ON_PORTABLE);
            return status;
        }
        m = SCATTERED; /* which needs less, and goes on without scratch */
        USW_ROUTE_ON("no scratch for digits", USW_WIDE_TYPES, USW_ON_PORTABLE);
    }
    report_method(j, m);
    USW_ROUTE_IF(m == COUNTED, "counted", USW_SHORT_TYPES);
    USW_ROUTE_IF(m == CACHED, "cached", USW_WIDE_TYPES);
    USW_ROUTE_IF(m == PARTED, "parted in place", USW_WIDE_TYPES);
    USW_ROUTE_IF(m == SCATTERED, "scattered", USW_WIDE_TYPES);
    const usw_hybrid_steps *hybrid = USW_PICK(j->u->isa, usw_hybrid_steps);
    return hybrid->sort[j->width](j->u, j->keys, j->n, &j->map, m != SCATTERED);
}

upsweep_status usw_sort_keys(upsweep *u, void *keys, size_t n, upsweep_type type,
                             const usw_options *o)
{
    job j = job_of(u, keys, n, type, o);
    return sort_automatic(&j);
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
 * fails them. */
static bool is_plain(const upsweep *u, const void *keys, size_t n, upsweep_type type,
                     const upsweep_options *o)
{
    unsigned plain = FLAGS & ~(unsigned)UPSWEEP_NAN_FIRST;
    return u != NULL && keys != NULL && n < (size_t)1 << 32 && (unsigned)type - 1 < UPSWEEP_F64 &&
           u->device == USW_CPU && u->plugin == NULL &&
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
    usw_reason tell = what % 4 == USW_FALLING  ? usw_report_reversed
                      : what % 4 == USW_RISING ? usw_report_sorted
                      : width < 2              ? tell_counted
                                               : tell_cached;
    u->note[0] = '\0';
    u->report.scratch_bytes = 0;
    u->report.threads = u->threads_most;
    usw_report_later(u, "sort/hybrid", tell, brief & ((UINT64_C(1) << BRIEF_N_BITS) - 1),
                     UINT64_C(1) << width);
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

USW_NOINLINE static upsweep_status sort_few(upsweep *u, void *keys, size_t n, upsweep_type type,
                                            unsigned flags)
{
    usw_keymap map = usw_keymap_of(type, flags);
    unsigned width = usw_log2_up(map.bits / 8);
    const usw_cache_sort_steps *part = USW_PICK(u->isa, usw_cache_sort_steps);
    const usw_keymap *turn = usw_keymap_is_identity(&map) ? NULL : &map;
    report_brief(u, part->sort_small[width](keys, n, turn), width, n);
    return UPSWEEP_OK;
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
    status = status == UPSWEEP_OK ? check_name(u, o.algorithm) : status;
    if (status == UPSWEEP_OK && !usw_gpu_sort_keys(u, keys, n, type, &o, &status)) {
        job j = job_of(u, keys, n, type, &o);
        if (o.algorithm == NULL) {
            usw_offer_threads(u, n * j.bytes);
        }
        status = o.algorithm != NULL ? sort_named(&j) : sort_automatic(&j);
    }
    return usw_leave(u, status);
}

USW_HOT upsweep_status upsweep_sort(upsweep *u, void *keys, size_t n, upsweep_type type,
                                    const upsweep_options *options)
{
    if (!is_plain(u, keys, n, type, options)) {
        return sort_call(u, keys, n, type, options);
    }
    USW_CALL_BEGINS(u->isa);
    USW_CALL_TYPE(type);
    if (n <= USW_SMALL) {
        USW_ROUTE("few keys, without the lock");
        return sort_few(u, keys, n, type, options == NULL ? 0 : options->flags);
    }
    unsigned width = usw_log2_up(usw_type_bytes(type));
    if (!all_equal(u, keys, n, width)) {
        return sort_call(u, keys, n, type, options);
    }
    USW_ROUTE("all equal, without the lock");
    report_brief(u, USW_RISING, width, n);
    return UPSWEEP_OK;
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
        status = check_name(u, o.algorithm);
        if (status == UPSWEEP_OK) {
            usw_report(u, usw_entry_find(o.algorithm)->row->info.name, "asked for by name");
        }
    } else if (status == UPSWEEP_OK) {
        job j = job_of(u, NULL, n, type, &o);
        usw_offer_threads(u, n * j.bytes);
        report_method(&j, choose_method(&j));
    }
    u->report.scratch_bytes = 0;
    const char *wrong = status == UPSWEEP_OK ? usw_give_report(u, report) : NULL;
    if (wrong != NULL) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "report: %s", wrong);
    }
    return usw_leave(u, status);
}
