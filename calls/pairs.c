/* pairs.c - sort_pairs and argsort: sorts that carry something along.
 *
 * Unless a sort is asked for by name, usw_pair_sort_steps does it: keys and values are split
 * together into buckets that fit the cache. Values of unusual sizes wait until the positions are
 * sorted.
 *
 * For a sort by name key and payload are packed into one integer, the key above, and any sort of
 * integers does the rest. Where it is stable and takes a bit range, the payload may be the value
 * itself; else it is the position, which makes all records distinct: then every sort gives the one
 * stable order. */
/* SPDX-License-Identifier: MIT */
#include "core/check.h"
#include "calls/on_gpu/on_gpu.h"
#include "cpu/pair_sort/pair_sort.h"
#include "calls/sort_choice.h"

enum {
    FLAGS = UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW | UPSWEEP_UNSTABLE,
    CHUNK = 32 * 1024 /* elements of one task */
};

/* One call: what is sorted, how, and its scratch. */
typedef struct job {
    upsweep *u;
    usw_options options;
    const usw_sort_form *form;
    const char *algorithm;
    usw_pairs pairs; /* as pack sees it */
    size_t n;
    unsigned key_bits;
    bool whole; /* all bits of the key take part */
    void *keys, *values;
    size_t value_bytes;
    void *keys_copy, *values_copy; /* where elements are gathered from; NULL: not needed */
    usw_pattern found;             /* that the automatic sort met */
} job;

static void pack_task(void *context, size_t t, unsigned lane)
{
    const job *j = context;
    (void)lane;
    USW_PICK(j->u->isa, usw_pack_steps)->pack(&j->pairs, t * CHUNK, usw_min(j->n, (t + 1) * CHUNK));
}

static void unpack_task(void *context, size_t t, unsigned lane)
{
    const job *j = context;
    const usw_pack_steps *steps = USW_PICK(j->u->isa, usw_pack_steps);
    size_t begin = t * CHUNK, end = usw_min(j->n, (t + 1) * CHUNK);
    (void)lane;
    steps->unpack(&j->pairs, begin, end);
    size_t record_bytes = j->pairs.record_bytes, half = record_bytes / 2;
    const void *records = j->pairs.records;
    if (j->keys_copy != NULL) {
        steps->gather(records, record_bytes, half, j->keys_copy, j->keys, j->pairs.key_bytes, begin,
                      end);
    }
    if (j->values_copy != NULL) {
        steps->gather(records, record_bytes, half, j->values_copy, j->values, j->value_bytes, begin,
                      end);
    }
}

static void copy_task(void *context, size_t t, unsigned lane)
{
    const job *j = context;
    size_t begin = t * CHUNK, count = usw_min(j->n, (t + 1) * CHUNK) - begin;
    size_t kb = j->pairs.key_bytes, vb = j->value_bytes;
    (void)lane;
    if (j->keys_copy != NULL) {
        memcpy((char *)j->keys_copy + begin * kb, (char *)j->keys + begin * kb, count * kb);
    }
    if (j->values_copy != NULL) {
        memcpy((char *)j->values_copy + begin * vb, (char *)j->values + begin * vb, count * vb);
    }
}

/* ---- checks ---- */

static upsweep_status check_bits(job *j)
{
    usw_options *o = &j->options;
    if (o->bit_begin == 0 && o->bit_end == 0) {
        o->bit_end = j->key_bits;
    }
    if (o->bit_begin >= o->bit_end || o->bit_end > j->key_bits) {
        return usw_fail(j->u, UPSWEEP_ERROR_ARGUMENT, "no bits [%u, %u) in a key of %u bits",
                        o->bit_begin, o->bit_end, j->key_bits);
    }
    j->whole = o->bit_begin == 0 && o->bit_end == j->key_bits;
    return UPSWEEP_OK;
}

/* Checks keys, bit range and algorithm; fills in what does not depend on the payload. */
static upsweep_status prepare(job *j, const void *keys, upsweep_type type, const char *call)
{
    size_t bytes = upsweep_type_bytes(type), total;
    if (bytes == 0) {
        return usw_fail(j->u, UPSWEEP_ERROR_ARGUMENT, "%s: there is no type %d", call, (int)type);
    }
    if (keys == NULL && j->n != 0) {
        return usw_fail(j->u, UPSWEEP_ERROR_ARGUMENT, "%s: keys is NULL", call);
    }
    if (usw_mul_overflows(j->n, bytes, &total) || total > PTRDIFF_MAX) {
        return usw_fail(j->u, UPSWEEP_ERROR_ARGUMENT, "%s: %zu keys cannot be", call, j->n);
    }
    upsweep_status status = usw_check_place(j->u, keys, "keys");
    if (status != UPSWEEP_OK) {
        return status;
    }
    j->key_bits = (unsigned)bytes * 8;
    if ((j->options.flags & UPSWEEP_NAN_FIRST) && (j->options.flags & UPSWEEP_NAN_RAW)) {
        return usw_fail(j->u, UPSWEEP_ERROR_ARGUMENT, "NAN_FIRST and NAN_RAW exclude each other");
    }
    status = check_bits(j);
    if (status != UPSWEEP_OK) {
        return status;
    }
    j->algorithm = j->options.algorithm;
    if (j->algorithm != NULL) {
        j->form = usw_form_for(j->u, USW_SORTS, j->algorithm, &status);
        if (j->form == NULL) {
            return status;
        }
        j->algorithm = usw_row_name(USW_SORTS, j->algorithm);
        if (j->form->n_max != 0 && j->n > j->form->n_max) {
            return usw_fail(j->u, UPSWEEP_ERROR_UNSUPPORTED, "%s takes at most %zu keys",
                            j->algorithm, j->form->n_max);
        }
    }
    j->pairs.keys = (void *)(uintptr_t)keys;
    j->pairs.key_bytes = bytes;
    j->pairs.map = usw_keymap_of(type, j->options.flags);
    j->pairs.bit_end = j->key_bits;
    j->pairs.record_bytes = j->key_bits <= 32 && j->n - 1 <= UINT32_MAX ? 8 : 16;
    return UPSWEEP_OK;
}

/* Takes scratch for records and sorts them; all other scratch has been taken before. */
static upsweep_status sort_records(job *j)
{
    usw_pairs *p = &j->pairs;
    size_t bytes;
    if (usw_mul_overflows(j->n, p->record_bytes, &bytes) ||
        (p->records = usw_scratch(j->u, bytes)) == NULL) {
        return usw_fail(j->u, UPSWEEP_ERROR_MEMORY, "no scratch for %zu keys and positions", j->n);
    }
    usw_parallel(j->u, usw_div_up(j->n, CHUNK), pack_task, j);
    unsigned half = (unsigned)p->record_bytes * 4, lo = half, hi = half * 2;
    if (!j->form->takes_bits) {
        lo = 0;
    } else if (!j->whole && p->bit_begin == 0 && p->bit_end == j->key_bits) {
        lo = half + j->options.bit_begin;
        hi = half + j->options.bit_end;
    }
    return j->form->sort[p->record_bytes == 8 ? 3 : 4](j->u, p->records, j->n, lo, hi);
}

static void report_named(const job *j, bool direct)
{
    usw_report(j->u, j->algorithm, "it was asked for by name: key and %s make one word of %zu bits",
               direct ? "value" : "position", j->pairs.record_bytes * 8);
}

/* ---- the sort of choice ---- */

static void gather_task(void *context, size_t t, unsigned lane)
{
    const job *j = context;
    size_t begin = t * CHUNK, end = usw_min(j->n, (t + 1) * CHUNK), pb = j->pairs.record_bytes;
    (void)lane;
    USW_PICK(j->u->isa, usw_pack_steps)
        ->gather(j->pairs.records, pb, pb, j->values_copy, j->values, j->value_bytes, begin, end);
}

static upsweep_status sort_by_choice(job *j, usw_pair_sort *p)
{
    p->n = j->n;
    p->keys = j->pairs.keys;
    p->map = j->pairs.map;
    p->bit_begin = j->options.bit_begin;
    p->bit_end = j->options.bit_end;
    j->found = USW_NO_PATTERN;
    p->found = &j->found;
    upsweep_status status = usw_sort_carrying(j->u, p, j->pairs.key_bytes);
    if (j->found != USW_NO_PATTERN) {
        usw_report_pattern(j->u, USW_PAIRS, (usw_found){j->found, 0}, j->n);
    } else {
        usw_sort_case c = {j->u, USW_PAIRS, j->n, usw_log2_up(j->pairs.key_bytes), 0};
        usw_report_choice(j->u, usw_choose_sort(&c), j->n, j->pairs.key_bytes);
    }
    return status;
}

static upsweep_status pairs_by_choice(job *j)
{
    size_t vb = j->value_bytes, bytes;
    bool direct = vb <= 16 && (vb & (vb - 1)) == 0;
    usw_pair_sort p = {.out_keys = j->keys, .payload_bytes = vb};
    USW_CALL_CARRIES(USW_CARRY_VALUES);
    if (direct) {
        USW_ROUTE("values travel with their keys");
        p.payloads = p.out_payloads = j->values;
    } else {
        USW_ROUTE("values of an odd size wait for positions");
        p.payload_bytes = j->n - 1 <= UINT32_MAX ? 4 : 8;
        if (usw_mul_overflows(j->n, vb, &bytes) ||
            (j->values_copy = usw_scratch(j->u, bytes)) == NULL) {
            return usw_fail(j->u, UPSWEEP_ERROR_MEMORY, "no scratch for %zu values", j->n);
        }
    }
    upsweep_status status = sort_by_choice(j, &p);
    if (status == UPSWEEP_OK && !direct) {
        j->pairs.records = p.out_payloads;
        j->pairs.record_bytes = p.payload_bytes;
        usw_parallel(j->u, usw_div_up(j->n, CHUNK), copy_task, j);
        usw_parallel(j->u, usw_div_up(j->n, CHUNK), gather_task, j);
    }
    return status;
}

/* ---- pairs ---- */

/* Whether the payload of a record can be the value itself. */
static bool value_fits(const job *j)
{
    size_t vb = j->value_bytes;
    return j->form->takes_bits && (vb & (vb - 1)) == 0 && vb <= j->pairs.record_bytes / 2;
}

static upsweep_status run_pairs(job *j)
{
    usw_pairs *p = &j->pairs;
    bool direct = value_fits(j);
    USW_CALL_CARRIES(USW_CARRY_VALUES);
    if (direct) {
        USW_ROUTE("by name: key and value in one word");
        p->values = j->values;
        p->value_bytes = j->value_bytes;
    } else {
        size_t bytes;
        if (usw_mul_overflows(j->n, j->value_bytes, &bytes) ||
            (j->values_copy = usw_scratch(j->u, bytes)) == NULL) {
            return usw_fail(j->u, UPSWEEP_ERROR_MEMORY, "no scratch for %zu values", j->n);
        }
        if (!j->whole && !j->form->takes_bits) {
            /* The other bits of the key do not fit the record beside the position. */
            USW_ROUTE("by name: keys wait for positions, too");
            j->keys_copy = usw_scratch(j->u, j->n * p->key_bytes);
            if (j->keys_copy == NULL) {
                return usw_fail(j->u, UPSWEEP_ERROR_MEMORY, "no scratch for %zu keys", j->n);
            }
            p->bit_begin = j->options.bit_begin;
            p->bit_end = j->options.bit_end;
        }
    }
    upsweep_status status = sort_records(j);
    if (status != UPSWEEP_OK) {
        return status;
    }
    if (!direct) {
        USW_ROUTE("by name: values wait for positions");
        usw_parallel(j->u, usw_div_up(j->n, CHUNK), copy_task, j);
    }
    if (j->keys_copy != NULL) {
        p->keys = NULL;
    }
    usw_parallel(j->u, usw_div_up(j->n, CHUNK), unpack_task, j);
    report_named(j, direct);
    return UPSWEEP_OK;
}

upsweep_status upsweep_sort_pairs(upsweep *u, void *keys, void *values, size_t n, upsweep_type type,
                                  size_t value_bytes, const upsweep_options *options)
{
    job j = {.u = u, .n = n, .keys = keys, .values = values, .value_bytes = value_bytes};
    size_t total;
    upsweep_status status = usw_enter(u, options, FLAGS, &j.options);
    if (status != UPSWEEP_OK) {
        return status;
    }
    status = prepare(&j, keys, type, "sort_pairs");
    if (status == UPSWEEP_OK && value_bytes == 0) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "sort_pairs: value_bytes is 0");
    } else if (status == UPSWEEP_OK && values == NULL && n != 0) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "sort_pairs: values is NULL");
    } else if (status == UPSWEEP_OK &&
               (usw_mul_overflows(n, value_bytes, &total) || total > PTRDIFF_MAX)) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "sort_pairs: %zu values of %zu bytes", n,
                          value_bytes);
    }
    if (status == UPSWEEP_OK) {
        status = usw_check_place(u, values, "values");
    }
    if (status == UPSWEEP_OK && n > 0 &&
        !usw_gpu_sort_pairs(u, keys, values, value_bytes, n, type, &j.options, &status)) {
        if (j.form == NULL) {
            USW_SHARE_CALL(u, n * j.pairs.key_bytes, USW_LIKE_SORTING, type);
        }
        status = j.form == NULL ? pairs_by_choice(&j) : run_pairs(&j);
    }
    return usw_leave(u, status);
}

/* ---- argsort ---- */

/* j->keys: NULL, or where sorted keys go. */
static upsweep_status run_argsort(job *j, void *index, unsigned index_bits)
{
    usw_pairs *p = &j->pairs;
    const void *keys = p->keys;
    USW_CALL_CARRIES(USW_CARRY_INDEX);
    if (j->form == NULL) {
        USW_SHARE_CALL(j->u, j->n * p->key_bytes, USW_LIKE_SORTING, p->key_bytes);
        usw_pair_sort choice = {
            .out_keys = j->keys, .out_payloads = index, .payload_bytes = index_bits / 8};
        USW_ROUTE_IF(j->keys != NULL, "keys are sorted along with their positions", USW_ALL_TYPES);
        upsweep_status status = sort_by_choice(j, &choice);
        if (status == UPSWEEP_OK && j->found == USW_IN_ORDER && j->keys != NULL) {
            usw_copy_by_threads(j->u, j->keys, keys, j->n * p->key_bytes);
        }
        return status;
    }
    USW_ROUTE("by name: key and position in one word");
    void *copy = NULL;
    if (j->keys == keys) { /* what is gathered must stand elsewhere than where it goes */
        copy = usw_scratch(j->u, j->n * p->key_bytes);
        if (copy == NULL) {
            return usw_fail(j->u, UPSWEEP_ERROR_MEMORY, "no scratch for %zu keys", j->n);
        }
        usw_copy_by_threads(j->u, copy, keys, j->n * p->key_bytes);
    }
    p->bit_begin = j->options.bit_begin;
    p->bit_end = j->options.bit_end;
    upsweep_status status = sort_records(j);
    if (status != UPSWEEP_OK) {
        return status;
    }
    p->keys = NULL;
    p->values = index;
    p->value_bytes = index_bits / 8;
    usw_parallel(j->u, usw_div_up(j->n, CHUNK), unpack_task, j);
    report_named(j, false);
    if (j->keys != NULL) {
        USW_ROUTE("by name: keys are gathered by their positions");
        p->records = index;
        p->record_bytes = index_bits / 8;
        j->values_copy = copy != NULL ? copy : (void *)(uintptr_t)keys;
        j->values = j->keys;
        j->value_bytes = p->key_bytes;
        usw_parallel(j->u, usw_div_up(j->n, CHUNK), gather_task, j);
    }
    return UPSWEEP_OK;
}

upsweep_status usw_argsort_call(upsweep *u, const char *call, const void *keys, size_t n,
                                upsweep_type type, void *out, void *index, unsigned index_bits,
                                const upsweep_options *options)
{
    job j = {.u = u, .n = n, .keys = out};
    upsweep_status status = usw_enter(u, options, FLAGS, &j.options);
    if (status != UPSWEEP_OK) {
        return status;
    }
    status = prepare(&j, keys, type, call);
    if (status == UPSWEEP_OK && index_bits != 32 && index_bits != 64) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "%s: index_bits is %u, not 32 or 64", call,
                          index_bits);
    } else if (status == UPSWEEP_OK && index == NULL && n != 0) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "%s: index is NULL", call);
    } else if (status == UPSWEEP_OK && index_bits == 32 && n != 0 && n - 1 > UINT32_MAX) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "%s: %zu keys need 64-bit indices", call, n);
    }
    status = status == UPSWEEP_OK ? usw_check_place(u, index, "index") : status;
    status = status == UPSWEEP_OK ? usw_check_place(u, out, "out") : status;
    if (status == UPSWEEP_OK && n > 0 &&
        !usw_gpu_argsort(u, keys, n, type, out, index, index_bits, &j.options, &status)) {
        status = run_argsort(&j, index, index_bits);
    }
    return usw_leave(u, status);
}

upsweep_status upsweep_argsort(upsweep *u, const void *keys, size_t n, upsweep_type type,
                               void *index, unsigned index_bits, const upsweep_options *options)
{
    return usw_argsort_call(u, "argsort", keys, n, type, NULL, index, index_bits, options);
}
