/* fold_rows.c - reductions and scans of many rows, each on its own: upsweep_reduce_rows,
 * upsweep_argmin_rows, upsweep_argmax_rows, upsweep_scan_rows; and upsweep_reduce_axis, whose
 * columns are rows that do not lie together.
 *
 * A row gives the bits that the call on one array gives for it, since it goes through the same
 * form: short rows within tasks, one thread a row, and long ones one after another by all
 * threads. */
/* SPDX-License-Identifier: MIT */
#include "calls/on_gpu/on_gpu.h"
#include "calls/row_set.h"
#include "core/order.h"

typedef struct fold_job {
    upsweep *u;
    usw_row_set set;
    upsweep_type type, result_type;
    upsweep_op op;
    size_t bytes;
    const unsigned char *in;
    unsigned char *out; /* results, positions, or scanned elements */
    size_t out_bytes;
    usw_keymap map; /* of positions */
    uint64_t last;
    const usw_reduce_form *reduce;
    const usw_scan_form *scan;
    usw_scan plan; /* what all scans have in common */
    usw_shares rooms;
    usw_row_task row;
    usw_reduce_rows short_rows; /* what all reductions have in common */
    size_t longest;
    upsweep_status status; /* of a long row */
} fold_job;

/* ---- rows to threads ---- */

/* Rows of up to `most` elements in tasks, by `stretch` or, where that is NULL, each by j->row; the
 * others before, by all threads together. */
static upsweep_status run_rows(fold_job *j, size_t most, usw_row_stretch stretch)
{
    size_t longest_short;
    upsweep_status status = usw_rows_measure(j->u, &j->set, most, &j->longest, &longest_short);
    if (status != UPSWEEP_OK) {
        return status;
    }
    for (size_t r = 0; j->longest > most && r < j->set.rows && status == UPSWEEP_OK; r++) {
        size_t at = usw_row_begin(&j->set, r), n = usw_row_begin(&j->set, r + 1) - at;
        if (n > most) {
            USW_ROUTE("a long row is folded");
            usw_mark mark = usw_scratch_mark(j->u);
            j->row(j, r, at, n, UINT32_MAX);
            status = j->status;
            usw_scratch_reset(j->u, mark);
        }
    }
    if (status == UPSWEEP_OK && stretch != NULL) {
        usw_rows_stretches(j->u, &j->set, stretch, j);
    } else if (status == UPSWEEP_OK) {
        usw_rows_each(j->u, &j->set, most, j->row, j);
    }
    usw_report(j->u, "", "of %zu rows the longest has %zu elements", j->set.rows, j->longest);
    return status;
}

/* A row in a task cannot fail, and must not write where others do. */
static void note(fold_job *j, unsigned lane, upsweep_status status)
{
    if (lane == UINT32_MAX) {
        j->status = status;
    }
}

static upsweep_status check(fold_job *j, const char *what, const usw_options *o)
{
    upsweep_status status = usw_check_type(j->u, j->type);
    if (status == UPSWEEP_OK) {
        status = usw_check_array(j->u, j->in, j->set.n, j->bytes, what);
    }
    if (status == UPSWEEP_OK) {
        status = usw_rows_check(j->u, &j->set);
    }
    return status == UPSWEEP_OK ? usw_no_choice(j->u, o) : status;
}

/* flags: of a reduction. */
static upsweep_status check_op(fold_job *j, unsigned flags)
{
    j->op = usw_op_of(j->op);
    if (j->op < UPSWEEP_SUM || j->op > UPSWEEP_XOR) {
        return usw_fail(j->u, UPSWEEP_ERROR_ARGUMENT, "op is no operator");
    }
    j->result_type = usw_result_type(j->type, j->op, flags);
    return j->result_type == 0
               ? usw_fail(j->u, UPSWEEP_ERROR_UNSUPPORTED,
                          "bitwise operators are for integers, not %s", upsweep_type_name(j->type))
               : UPSWEEP_OK;
}

/* ---- reductions ---- */

static void reduce_row(void *context, size_t r, size_t at, size_t n, unsigned lane)
{
    fold_job *j = context;
    unsigned char *result = j->out + r * j->out_bytes;
    const unsigned char *in = j->in + at * j->bytes;
    if (j->op == UPSWEEP_LEAST || j->op == UPSWEEP_GREATEST) {
        USW_ROUTE("the least or greatest of a row");
        uint64_t key;
        usw_keymap map = usw_keymap_of(j->type, j->op == UPSWEEP_GREATEST ? UPSWEEP_DESCENDING : 0);
        upsweep_status status = j->reduce->least(j->u, in, n, &map, 1, &key, NULL);
        usw_store_raw(result, j->bytes, status == UPSWEEP_OK ? usw_unmap_key(&map, key) : 0);
        note(j, lane, status);
    } else {
        USW_ROUTE("a row is reduced");
        note(j, lane, j->reduce->reduce(j->u, in, n, j->type, j->op, j->result_type, result));
    }
}

/* Most rows are of one tile or none, whose cost would otherwise be that of calls. */
static void reduce_stretch(void *context, size_t first, size_t end, unsigned lane)
{
    fold_job *j = context;
    j->reduce->rows(&j->short_rows, first, end);
    for (size_t r = first; j->longest > USW_TILE && r < end; r++) {
        size_t at = usw_row_begin(&j->set, r), n = usw_row_begin(&j->set, r + 1) - at;
        if (n > USW_TILE && n <= USW_REDUCE_TASK) {
            reduce_row(j, r, at, n, lane);
        }
    }
}

/* Of a reduction with so many results. */
static upsweep_status check_reduction(fold_job *j, const usw_options *o, size_t results)
{
    upsweep_status status = check(j, "data", o);
    if (status == UPSWEEP_OK) {
        status = check_op(j, o->flags);
    }
    if (status == UPSWEEP_OK) {
        j->out_bytes = upsweep_type_bytes(j->result_type);
        status = usw_check_array(j->u, j->out, results, j->out_bytes, "results");
    }
    return status;
}

static upsweep_status reduce_rows(fold_job *j, const usw_options *o)
{
    upsweep_status status = check_reduction(j, o, j->set.rows);
    if (status != UPSWEEP_OK || j->set.rows == 0) {
        return status;
    }
    usw_gpu_fold_rows g = {j->in, j->set.n, j->type, j->set.begin, j->set.rows};
    if (usw_may_leave(j->u) &&
        usw_gpu_reduce_rows(j->u, &g, j->op, j->result_type, j->out, &status)) {
        return status;
    }
    j->reduce = usw_form_for(j->u, USW_REDUCES, NULL, &status);
    j->row = reduce_row;
    j->short_rows = (usw_reduce_rows){
        .data = j->in, .begin = j->set.begin, .length = j->set.row_length, .bytes = j->bytes};
    j->short_rows.result_bytes = j->out_bytes;
    j->short_rows.type = j->type;
    j->short_rows.to = j->result_type;
    j->short_rows.op = j->op;
    j->short_rows.identity = usw_identity_bits(j->result_type, j->op);
    j->short_rows.results = j->out;
    USW_SHARE_CALL(j->u, j->set.n * j->bytes, USW_LIKE_READING, j->type);
    return run_rows(j, USW_REDUCE_TASK, reduce_stretch);
}

upsweep_status upsweep_reduce_rows(upsweep *u, const void *data, size_t n, upsweep_type type,
                                   const uint64_t *begin, size_t rows, upsweep_op op, void *results,
                                   const upsweep_options *options)
{
    usw_options o;
    fold_job j = {.u = u, .set = {begin, rows, 0, n}, .type = type, .op = op};
    j.bytes = upsweep_type_bytes(type);
    j.in = data;
    j.out = results;
    upsweep_status status = usw_enter(u, options, UPSWEEP_UNORDERED | UPSWEEP_ROUNDED, &o);
    if (status != UPSWEEP_OK) {
        return status;
    }
    USW_CALL_TYPE(type);
    return usw_leave(u, reduce_rows(&j, &o));
}

/* ---- columns ---- */

static upsweep_status reduce_columns(fold_job *j, const usw_options *o, const size_t *extent)
{
    size_t columns = extent[0] * extent[2];
    upsweep_status status = check_reduction(j, o, columns);
    if (status != UPSWEEP_OK || columns == 0) {
        return status;
    }
    usw_reduce_columns c = {j->in,        extent[0], extent[1],      extent[2], j->bytes,
                            j->out_bytes, j->type,   j->result_type, j->op,     j->out};
    if (usw_may_leave(j->u) && usw_gpu_reduce_axis(j->u, &c, &status)) {
        return status;
    }
    j->reduce = usw_form_for(j->u, USW_REDUCES, NULL, &status);
    USW_SHARE_CALL(j->u, columns * extent[1] * j->bytes, USW_LIKE_READING, j->type);
    usw_report(j->u, "", "%zu columns of %zu elements", columns, extent[1]);
    return j->reduce->columns(j->u, &c);
}

upsweep_status upsweep_reduce_axis(upsweep *u, const void *data, size_t outer, size_t length,
                                   size_t inner, upsweep_type type, upsweep_op op, void *results,
                                   const upsweep_options *options)
{
    usw_options o;
    fold_job j = {.u = u, .type = type, .op = op, .in = data, .out = results};
    size_t extent[] = {outer, length, inner}, columns, n;
    j.bytes = upsweep_type_bytes(type);
    upsweep_status status = usw_enter(u, options, UPSWEEP_UNORDERED | UPSWEEP_ROUNDED, &o);
    if (status != UPSWEEP_OK) {
        return status;
    }
    USW_CALL_TYPE(type);
    if (usw_mul_overflows(outer, inner, &columns) || usw_mul_overflows(columns, length, &n)) {
        status = usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "%zu x %zu x %zu elements overflow size_t",
                          outer, length, inner);
    } else if (inner == 1 || length == 0) { /* rows, each of which lies together */
        j.set = (usw_row_set){NULL, columns, 0, n};
        status = reduce_rows(&j, &o);
    } else {
        j.set = (usw_row_set){NULL, n == 0 ? 0 : 1, 0, n};
        status = reduce_columns(&j, &o, extent);
    }
    return usw_leave(u, status);
}

/* ---- positions ---- */

static void position_row(void *context, size_t r, size_t at, size_t n, unsigned lane)
{
    fold_job *j = context;
    uint64_t key = 0, position = UINT64_MAX;
    size_t index = 0;
    if (n > 0) {
        USW_ROUTE("the place of a row's least or greatest");
        note(j, lane, j->reduce->least(j->u, j->in + at * j->bytes, n, &j->map, 1, &key, &index));
        position = key > j->last ? 0 : index;
    }
    usw_store_raw(j->out + r * j->out_bytes, j->out_bytes, position);
}

static upsweep_status position_rows(fold_job *j, const usw_options *o, bool greatest,
                                    unsigned index_bits)
{
    upsweep_status status = check(j, "data", o);
    if (status == UPSWEEP_OK && j->out == NULL && j->set.rows > 0) {
        status = usw_fail(j->u, UPSWEEP_ERROR_ARGUMENT, "index is NULL");
    }
    if (status == UPSWEEP_OK) {
        status = usw_rows_check_index(j->u, &j->set, j->out, j->set.rows, index_bits);
    }
    if (status == UPSWEEP_OK && j->set.begin == NULL && j->set.rows > 0 && j->set.n == 0) {
        status = usw_fail(j->u, UPSWEEP_ERROR_ARGUMENT, "no element of a row of 0 has a position");
    }
    if (status != UPSWEEP_OK || j->set.rows == 0) {
        return status;
    }
    j->out_bytes = index_bits / 8;
    j->map = usw_keymap_of(j->type, greatest ? UPSWEEP_DESCENDING : 0);
    j->last = usw_last_number(j->type, &j->map, greatest);
    usw_gpu_fold_rows g = {j->in, j->set.n, j->type, j->set.begin, j->set.rows};
    if (usw_may_leave(j->u) &&
        usw_gpu_position_rows(j->u, &g, &j->map, j->last, j->out, index_bits, &status)) {
        return status;
    }
    size_t longest, longest_short;
    status = usw_rows_measure(j->u, &j->set, 0, &longest, &longest_short);
    if (status == UPSWEEP_OK) {
        status = usw_rows_check_length(j->u, longest, index_bits);
    }
    if (status == UPSWEEP_OK) {
        j->reduce = usw_form_for(j->u, USW_REDUCES, NULL, &status);
        j->row = position_row;
        USW_SHARE_CALL(j->u, j->set.n * j->bytes, USW_LIKE_SCANNING, j->type);
        status = run_rows(j, USW_REDUCE_TASK, NULL);
    }
    return status;
}

static upsweep_status position_call(upsweep *u, fold_job *j, bool greatest, unsigned index_bits,
                                    const upsweep_options *options)
{
    usw_options o;
    j->u = u;
    j->bytes = upsweep_type_bytes(j->type);
    upsweep_status status = usw_enter(u, options, 0, &o);
    if (status != UPSWEEP_OK) {
        return status;
    }
    USW_CALL_TYPE(j->type);
    return usw_leave(u, position_rows(j, &o, greatest, index_bits));
}

upsweep_status upsweep_argmin_rows(upsweep *u, const void *data, size_t n, upsweep_type type,
                                   const uint64_t *begin, size_t rows, void *index,
                                   unsigned index_bits, const upsweep_options *options)
{
    fold_job j = {.set = {begin, rows, 0, n}, .type = type, .in = data, .out = index};
    return position_call(u, &j, false, index_bits, options);
}

upsweep_status upsweep_argmax_rows(upsweep *u, const void *data, size_t n, upsweep_type type,
                                   const uint64_t *begin, size_t rows, void *index,
                                   unsigned index_bits, const upsweep_options *options)
{
    fold_job j = {.set = {begin, rows, 0, n}, .type = type, .in = data, .out = index};
    return position_call(u, &j, true, index_bits, options);
}

/* ---- scans ---- */

static void scan_row(void *context, size_t r, size_t at, size_t n, unsigned lane)
{
    fold_job *j = context;
    usw_scan s = j->plan;
    (void)r;
    if (n > 0) {
        USW_ROUTE("a row is scanned");
        s.in = j->in + at * j->bytes;
        s.out = j->out + at * j->bytes;
        s.n = n;
        s.room = lane == UINT32_MAX ? NULL : usw_share(&j->rooms, lane);
        note(j, lane, j->scan->scan(j->u, &s));
    }
}

/* Most rows are of one tile or none, as in reduce_stretch. */
static void scan_stretch(void *context, size_t first, size_t end, unsigned lane)
{
    fold_job *j = context;
    usw_scan s = j->plan;
    s.room = usw_share(&j->rooms, lane);
    j->scan->rows(&s, j->set.begin, j->set.row_length, first, end);
    for (size_t r = first; j->longest > USW_TILE && r < end; r++) {
        size_t at = usw_row_begin(&j->set, r), n = usw_row_begin(&j->set, r + 1) - at;
        if (n > USW_TILE && n <= USW_SCAN_TASK) {
            scan_row(j, r, at, n, lane);
        }
    }
}

static upsweep_status scan_rows(fold_job *j, const usw_options *o)
{
    upsweep_status status = check(j, "in", o);
    if (status == UPSWEEP_OK) {
        status = usw_check_array(j->u, j->out, j->set.n, j->bytes, "out");
    }
    if (status == UPSWEEP_OK) {
        status = check_op(j, 0);
    }
    if (status != UPSWEEP_OK || j->set.rows == 0) {
        return status;
    }
    j->plan = (usw_scan){.in = j->in, .out = j->out, .n = j->set.n, .type = j->type, .op = j->op};
    j->plan.exclusive = (o->flags & UPSWEEP_EXCLUSIVE) != 0;
    j->plan.identity = usw_identity_bits(j->type, j->op);
    if (usw_may_leave(j->u) &&
        usw_gpu_scan_rows(j->u, &j->plan, j->set.begin, j->set.rows, &status)) {
        return status;
    }
    j->scan = usw_form_for(j->u, USW_SCANS, NULL, &status);
    USW_SHARE_CALL(j->u, j->set.n * j->bytes, USW_LIKE_SCANNING, j->type);
    j->rooms = usw_scratch_shares(j->u, j->u->threads, USW_SCAN_ROOM);
    if (j->rooms.at == NULL) {
        return usw_fail(j->u, UPSWEEP_ERROR_MEMORY, "no scratch for a tile a thread");
    }
    j->row = scan_row;
    return run_rows(j, USW_SCAN_TASK, scan_stretch);
}

upsweep_status upsweep_scan_rows(upsweep *u, const void *in, void *out, size_t n, upsweep_type type,
                                 const uint64_t *begin, size_t rows, upsweep_op op,
                                 const upsweep_options *options)
{
    usw_options o;
    fold_job j = {.u = u, .set = {begin, rows, 0, n}, .type = type, .op = op};
    j.bytes = upsweep_type_bytes(type);
    j.in = in;
    j.out = out;
    upsweep_status status = usw_enter(u, options, UPSWEEP_EXCLUSIVE | UPSWEEP_UNORDERED, &o);
    if (status != UPSWEEP_OK) {
        return status;
    }
    USW_CALL_TYPE(type);
    return usw_leave(u, scan_rows(&j, &o));
}
