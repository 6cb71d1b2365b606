/* axes.c - reductions along one axis of an array of three, and two axes exchanged. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/folds.h"
#include "test/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

/* Extents whose product is about n, few of one and many of another; *n becomes their product. */
static void draw_extents(fuzz *f, size_t *extent)
{
    size_t n = fuzz_length(f, 1), which = fuzz_draw(f, 3);
    extent[which] = n == 0 ? (size_t)fuzz_draw(f, 2) : (size_t)fuzz_magnitude(f, 1, n);
    n = extent[which] == 0 ? (size_t)fuzz_draw(f, 3) : n / extent[which];
    extent[(which + 1) % 3] = n == 0 ? 0 : (size_t)fuzz_magnitude(f, 1, n);
    extent[(which + 2) % 3] = extent[(which + 1) % 3] == 0 ? 2 : n / extent[(which + 1) % 3];
    f->n = extent[0] * extent[1] * extent[2];
    fuzz_detail(f, ", %zu x %zu x %zu", extent[0], extent[1], extent[2]);
}

static void check_columns(fuzz *f, upsweep_op op, const size_t *extent, size_t result_bytes)
{
    size_t bytes = upsweep_type_bytes(f->type), length = extent[1], inner = extent[2];
    unsigned char *column = malloc((length + 1) * bytes);
    for (size_t c = 0; c < extent[0] * inner && f->wrong[0] == '\0'; c++) {
        const unsigned char *top = fuzz_before(f, 0);
        top += (c / inner * length * inner + c % inner) * bytes;
        for (size_t l = 0; l < length; l++) {
            memcpy(column + l * bytes, top + l * inner * bytes, bytes);
        }
        fuzz_check_reduced(f, op, column, length, fuzz_raw(f->array[1].at, c, result_bytes));
    }
    free(column);
}

static void run_reduce_axis(fuzz *f)
{
    size_t extent[3];
    upsweep_type type = fuzz_type(f);
    upsweep_op op = fuzz_draw_op(f), given = fuzz_op_given(f, op);
    draw_extents(f, extent);
    fuzz_options(f, UPSWEEP_UNORDERED | UPSWEEP_ROUNDED);
    fuzz_detail(f, ", operator %d", (int)op);
    size_t bytes = upsweep_type_bytes(f->type), columns = extent[0] * extent[2];
    size_t room = upsweep_type_bytes(fuzz_result_type(f, op));
    fuzz_fill_for(f, f->type, op, fuzz_array_new(f, FUZZ_INPUT, f->n, bytes, bytes), f->n);
    fuzz_array_new(f, FUZZ_OUTPUT, columns, room == 0 ? 8 : room, room == 0 ? 8 : room);
    fuzz_arrays_ready(f);
    fuzz_check_operator(f, &given, room);
    const void *in = fuzz_at(f, 0);
    void *results = fuzz_at(f, 1);
    size_t length = f->n == 0 ? extent[1] : fuzz_count(f, extent[1], bytes);
    upsweep_status status =
        upsweep_reduce_axis(f->u, in, extent[0], length, extent[2], type, given, results, f->o);
    if (fuzz_settle(f, status)) {
        check_columns(f, op, extent, room);
        size_t tiles = extent[1] > 4096 ? f->n / 4096 * 24 : 0;
        fuzz_report(f, (144 * 1024 + 4096) * (size_t)f->threads + tiles + 65536);
    }
}

static void run_transpose(fuzz *f)
{
    size_t extent[3], bytes = 1 + (size_t)fuzz_magnitude(f, 0, 40);
    bytes = fuzz_chance(f, 2) ? (size_t)1 << fuzz_draw(f, 5) : bytes;
    draw_extents(f, extent);
    fuzz_options(f, 0);
    fuzz_detail(f, ", elements of %zu bytes", bytes);
    if (f->o != NULL && f->twist == TWIST_ALGORITHM) {
        f->options.algorithm = "scan/sweep";
        f->expect = UPSWEEP_ERROR_ALGORITHM;
    }
    fuzz_fill_bytes(f, fuzz_array_new(f, FUZZ_INPUT, f->n, bytes, 1), f->n * bytes);
    fuzz_array_new(f, FUZZ_OUTPUT, f->n, bytes, 1);
    fuzz_arrays_ready(f);
    size_t length = f->n == 0 ? extent[1] : fuzz_count(f, extent[1], bytes);
    const void *in = fuzz_at(f, 0);
    void *out = fuzz_at(f, 1);
    if (fuzz_settle(f,
                    upsweep_transpose(f->u, in, extent[0], length, extent[2], out, bytes, f->o))) {
        for (size_t i = 0; i < f->n; i++) {
            size_t k = i % extent[2], l = i / extent[2] % extent[1], o = i / extent[2] / extent[1];
            size_t to = (o * extent[2] + k) * extent[1] + l;
            if (memcmp(f->array[1].at + to * bytes, fuzz_before(f, 0) + i * bytes, bytes) != 0) {
                fuzz_wrong(f, "element %zu is wrong", i);
                break;
            }
        }
        fuzz_report(f, 0);
    }
}

const fuzz_call fuzz_axes[] = {
    {"upsweep_reduce_axis", 3, run_reduce_axis, false},
    {"upsweep_transpose", 2, run_transpose, false},
    {0},
};
