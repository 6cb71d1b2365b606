/* top_k_rows.c - upsweep_top_k_rows: the k best keys of each of many rows.
 *
 * A row of up to 64 Ki keys is one thread's: a sample gives a key that a little more than k keys do
 * not exceed, one pass collects those (all, where the sample was wrong or most are wanted), and
 * they are sorted in the thread's own buffer. Longer rows go one after another through what
 * upsweep_top_k does, by all threads. */
/* SPDX-License-Identifier: MIT */
#include "calls/on_gpu/on_gpu.h"
#include "calls/row_set.h"
#include "calls/top_k.h"
#include "cpu/cpu.h"

enum {
    FLAGS = UPSWEEP_DESCENDING | UPSWEEP_NAN_FIRST | UPSWEEP_NAN_RAW | UPSWEEP_LARGEST |
            UPSWEEP_UNSTABLE,
    LONG_ROW = 1 << 16, /* keys, from which on all threads work on a row */
    FEW_KEYS = 128      /* of which no sample is taken */
};

typedef struct rows_job {
    upsweep *u;
    usw_row_set set;
    const usw_select_steps *steps;
    usw_keymap map;
    size_t bytes, k, index_bytes, record_bytes;
    const unsigned char *keys;
    unsigned char *out, *index;
    usw_shares buffers; /* records of a thread */
    size_t room;        /* bytes of each */
} rows_job;

/* What a row has fewer of than k: keys of zero bits, positions of ones. */
static void fill_rest(const rows_job *j, size_t r, size_t have)
{
    if (have < j->k) {
        USW_ROUTE("a row of fewer than k keys");
        memset(j->out + (r * j->k + have) * j->bytes, 0, (j->k - have) * j->bytes);
        if (j->index != NULL) {
            memset(j->index + (r * j->k + have) * j->index_bytes, 0xff,
                   (j->k - have) * j->index_bytes);
        }
    }
}

/* Collects the keys of a row up to limit, and returns how many; all are looked at, and none is left
 * out, since the buffer has room for the whole row. */
static size_t take(const rows_job *j, const unsigned char *row, size_t n, uint64_t limit,
                   unsigned char *records)
{
    size_t at = 0, all = 0;
    while (at < n) {
        size_t count = 0;
        at += j->steps->take[usw_log2_up(j->bytes)](
            row + at * j->bytes, n - at, &j->map, limit, at, records + all * j->record_bytes,
            j->record_bytes, j->room - all * j->record_bytes, &count);
        all += count;
    }
    return all;
}

static void short_row(void *context, size_t r, size_t at, size_t n, unsigned lane)
{
    const rows_job *j = context;
    const unsigned char *row = j->keys + at * j->bytes;
    unsigned char *records = usw_share(&j->buffers, lane);
    size_t wanted = usw_min(j->k, n), count = 0;
    uint64_t greatest = UINT64_MAX >> (64 - j->map.bits), limit = greatest;
    if (n > FEW_KEYS && wanted <= n / 4) {
        USW_ROUTE("a short row, by a sample");
        usw_top_limit(j->u, row, n, wanted, &j->map, &limit);
        count = take(j, row, n, limit, records);
    }
    if (count < wanted) {
        USW_ROUTE("a short row, all of it");
        count = take(j, row, n, greatest, records);
    }
    USW_PICK(j->u->isa, usw_cache_sort_steps)->sort[usw_log2_up(j->record_bytes)](records, count);
    usw_top_unpack(&j->map, records, j->record_bytes, wanted, j->u->isa,
                   j->out + r * j->k * j->bytes,
                   j->index == NULL ? NULL : j->index + r * j->k * j->index_bytes, j->index_bytes);
    fill_rest(j, r, wanted);
}

static upsweep_status long_rows(const rows_job *j)
{
    upsweep_status status = UPSWEEP_OK;
    for (size_t r = 0; r < j->set.rows && status == UPSWEEP_OK; r++) {
        size_t at = usw_row_begin(&j->set, r), n = usw_row_begin(&j->set, r + 1) - at;
        if (n > LONG_ROW) {
            USW_ROUTE("a long row");
            usw_mark mark = usw_scratch_mark(j->u);
            size_t wanted = usw_min(j->k, n);
            status = usw_top_k(j->u, j->keys + at * j->bytes, n, wanted, &j->map,
                               j->out + r * j->k * j->bytes,
                               j->index == NULL ? NULL : j->index + r * j->k * j->index_bytes,
                               8 * (unsigned)j->index_bytes);
            fill_rest(j, r, wanted);
            usw_scratch_reset(j->u, mark);
        }
    }
    return status;
}

static upsweep_status run_rows(rows_job *j)
{
    size_t longest, longest_short;
    upsweep_status status = usw_rows_measure(j->u, &j->set, LONG_ROW, &longest, &longest_short);
    if (status == UPSWEEP_OK && j->index != NULL) {
        status = usw_rows_check_length(j->u, longest, 8 * (unsigned)j->index_bytes);
    }
    if (status != UPSWEEP_OK) {
        return status;
    }
    USW_CALL_CARRIES(j->index == NULL ? USW_CARRY_NOTHING : USW_CARRY_INDEX);
    USW_ROUTE_CARRIED("top_k of rows", 1u << USW_CARRY_NOTHING | 1u << USW_CARRY_INDEX);
    j->record_bytes = usw_top_record_bytes(j->bytes, longest_short, j->index != NULL);
    j->room = longest_short * j->record_bytes + USW_TAKE_ROOM;
    j->buffers = usw_scratch_shares(j->u, j->u->threads, j->room);
    if (j->buffers.at == NULL) {
        return usw_fail(j->u, UPSWEEP_ERROR_MEMORY, "no scratch for rows of %zu keys",
                        longest_short);
    }
    if (longest > LONG_ROW) {
        status = long_rows(j);
    }
    if (status == UPSWEEP_OK) {
        usw_rows_each(j->u, &j->set, LONG_ROW, short_row, j);
    }
    return status;
}

static upsweep_status check(rows_job *j, upsweep_type type, const usw_options *o,
                            unsigned index_bits)
{
    upsweep *u = j->u;
    size_t places;
    upsweep_status status = usw_check_type(u, type);
    if (status == UPSWEEP_OK) {
        status = usw_check_array(u, j->keys, j->set.n, j->bytes, "keys");
    }
    if (status == UPSWEEP_OK) {
        status = usw_rows_check(u, &j->set);
    }
    if (status == UPSWEEP_OK && usw_mul_overflows(j->set.rows, j->k, &places)) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "%zu rows of %zu keys overflow size_t",
                          j->set.rows, j->k);
    }
    if (status == UPSWEEP_OK && j->set.begin == NULL && j->set.rows > 0 &&
        j->k > j->set.row_length) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "top_k_rows: k is %zu, but rows have %zu keys",
                          j->k, j->set.row_length);
    }
    if (status == UPSWEEP_OK) {
        status = usw_check_array(u, j->out, places, j->bytes, "out");
    }
    if (status == UPSWEEP_OK) {
        status = usw_rows_check_index(u, &j->set, j->index, places, index_bits);
    }
    return status == UPSWEEP_OK ? usw_no_choice(u, o) : status;
}

upsweep_status upsweep_top_k_rows(upsweep *u, const void *keys, size_t n, upsweep_type type,
                                  const uint64_t *begin, size_t rows, size_t k, void *out,
                                  void *index, unsigned index_bits, const upsweep_options *options)
{
    usw_options o;
    rows_job j = {.u = u, .set = {begin, rows, 0, n}, .k = k, .keys = keys, .out = out};
    upsweep_status status = usw_enter(u, options, FLAGS, &o);
    if (status != UPSWEEP_OK) {
        return status;
    }
    j.bytes = upsweep_type_bytes(type);
    j.index = index;
    j.index_bytes = index_bits / 8;
    status = check(&j, type, &o, index_bits);
    if (status == UPSWEEP_OK && rows > 0 && k > 0) {
        j.steps = USW_PICK(u->isa, usw_select_steps);
        j.map = usw_top_map(type, o.flags);
        usw_gpu_top_rows t = {keys, n, &j.map, begin, rows, k, out, index, index_bits};
        if (!usw_may_leave(u) || !usw_gpu_top_k_rows(u, &t, &status)) {
            USW_SHARE_CALL(u, n * j.bytes, USW_LIKE_GATHERING, type);
            status = run_rows(&j);
        }
    }
    return usw_leave(u, status);
}
