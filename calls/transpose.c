/* transpose.c - upsweep_transpose: the columns of an array along its middle axis become rows, so
 * that what works on rows serves any axis.
 *
 * An array of outer x length x inner elements is cut into blocks of rows and columns: their lines
 * stay in the caches until all of them have been read and written, and their rows lie in few
 * enough pages. */
/* SPDX-License-Identifier: MIT */
#include "calls/on_gpu/on_gpu.h"
#include "core/check.h"
#include "core/order.h"

/* TALL rows of WIDE columns are a block, done by squares of SIDE; a task has so many blocks that it
 * moves TASK elements. */
enum { TALL = 512, WIDE = 64, SIDE = 16, TASK = 16 * USW_TILE };

typedef struct transpose {
    const unsigned char *in;
    unsigned char *out;
    size_t outer, length, inner, bytes;
    size_t bands, blocks; /* of rows; and blocks of rows and columns in all */
    size_t blocks_of_task;
} transpose;

/* Moves a square of high x wide elements; rows of `in` are `step` bytes apart, of `out` to_step. */
#define SQUARE(BYTES)                                                                              \
    static void square_##BYTES(const unsigned char *in, size_t step, unsigned char *out,           \
                               size_t to_step, size_t high, size_t wide)                           \
    {                                                                                              \
        for (size_t k = 0; k < wide; k++) {                                                        \
            for (size_t i = 0; i < high; i++) {                                                    \
                memcpy(out + k * to_step + i * (BYTES), in + i * step + k * (BYTES), BYTES);       \
            }                                                                                      \
        }                                                                                          \
    }
SQUARE(1)
SQUARE(2)
SQUARE(4)
SQUARE(8)
SQUARE(16)

static void square(const transpose *t, const unsigned char *in, unsigned char *out, size_t high,
                   size_t wide)
{
    size_t step = t->inner * t->bytes, to_step = t->length * t->bytes;
    switch (t->bytes) {
    case 1: square_1(in, step, out, to_step, high, wide); break;
    case 2: square_2(in, step, out, to_step, high, wide); break;
    case 4: square_4(in, step, out, to_step, high, wide); break;
    case 8: square_8(in, step, out, to_step, high, wide); break;
    case 16: square_16(in, step, out, to_step, high, wide); break;
    default:
        for (size_t k = 0; k < wide; k++) {
            for (size_t i = 0; i < high; i++) {
                memcpy(out + k * to_step + i * t->bytes, in + i * step + k * t->bytes, t->bytes);
            }
        }
    }
}

static void move_block(const transpose *t, size_t slab, size_t row, size_t column)
{
    size_t all = t->length * t->inner * t->bytes;
    size_t last = row + usw_min(TALL, t->length - row);
    size_t end = column + usw_min(WIDE, t->inner - column);
    const unsigned char *in = t->in + slab * all;
    unsigned char *out = t->out + slab * all;
    for (size_t l = row; l < last; l += SIDE) {
        for (size_t k = column; k < end; k += SIDE) {
            square(t, in + (l * t->inner + k) * t->bytes, out + (k * t->length + l) * t->bytes,
                   usw_min(SIDE, last - l), usw_min(SIDE, end - k));
        }
    }
}

/* Blocks are numbered column by column within a slab: neighbours write to the same rows. */
static void transpose_task(void *context, size_t c, unsigned thread)
{
    USW_ROUTE_OF("transpose", USW_NO_TYPES);
    const transpose *t = context;
    size_t end = usw_min((c + 1) * t->blocks_of_task, t->outer * t->blocks);
    (void)thread;
    for (size_t b = c * t->blocks_of_task; b < end; b++) {
        size_t in_slab = b % t->blocks;
        move_block(t, b / t->blocks, in_slab % t->bands * TALL, in_slab / t->bands * WIDE);
    }
}

static upsweep_status run(upsweep *u, const usw_options *o, transpose *t)
{
    size_t columns, n;
    if (usw_mul_overflows(t->outer, t->inner, &columns) ||
        usw_mul_overflows(columns, t->length, &n)) {
        return usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "%zu x %zu x %zu elements overflow size_t",
                        t->outer, t->length, t->inner);
    }
    upsweep_status status = usw_no_choice(u, o);
    if (status == UPSWEEP_OK) {
        status = usw_check_array(u, t->in, n, t->bytes, "in");
    }
    if (status == UPSWEEP_OK) {
        status = usw_check_array(u, t->out, n, t->bytes, "out");
    }
    if (status != UPSWEEP_OK || n == 0 ||
        usw_gpu_transpose(u, t->in, t->outer, t->length, t->inner, t->out, t->bytes, &status)) {
        return status;
    }
    USW_SHARE_CALL(u, n * t->bytes, USW_LIKE_SCANNING, t->bytes);
    t->bands = usw_div_up(t->length, TALL);
    t->blocks = t->bands * usw_div_up(t->inner, WIDE);
    size_t elements = usw_min(TALL, t->length) * usw_min(WIDE, t->inner);
    t->blocks_of_task = usw_div_up(TASK, elements);
    usw_parallel(u, usw_div_up(t->outer * t->blocks, t->blocks_of_task), transpose_task, t);
    return UPSWEEP_OK;
}

upsweep_status upsweep_transpose(upsweep *u, const void *in, size_t outer, size_t length,
                                 size_t inner, void *out, size_t bytes,
                                 const upsweep_options *options)
{
    usw_options o;
    transpose t = {
        .in = in, .out = out, .outer = outer, .length = length, .inner = inner, .bytes = bytes};
    upsweep_status status = usw_enter(u, options, 0, &o);
    return status != UPSWEEP_OK ? status : usw_leave(u, run(u, &o, &t));
}
