/* view_numbers.c - the elements of a real run: an array of any type from a file, or numbers that
 * were typed or made, as elements of that type. */
/* SPDX-License-Identifier: MIT */
#include "app/view/view_input.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 27 };

/* made: numbers 1 .. n, or 1 .. 9 for scans. Integers of one or two bytes get the whole of their
 * range where the numbers go beyond it; what is signed lies around 0, and floats within -1 .. 1. */
static double spread(upsweep_type type, double value, double most)
{
    double share = most > 1 ? (value - 1) / (most - 1) : 0;
    switch (type) {
    case UPSWEEP_U8: return most > 255 ? share * 255 : value;
    case UPSWEEP_I8: return most > 127 ? share * 255 - 128 : value - (most + 1) / 2;
    case UPSWEEP_U16: return most > 65535 ? share * 65535 : value;
    case UPSWEEP_I16: return most > 32767 ? share * 65535 - 32768 : value - (most + 1) / 2;
    case UPSWEEP_U64: return value * 0x1p32;
    case UPSWEEP_I32: return value - (most + 1) / 2;
    case UPSWEEP_I64: return (value - (most + 1) / 2) * 0x1p32;
    case UPSWEEP_F32:
    case UPSWEEP_F64: return 2 * share - 1;
    default: return value;
    }
}

static void put(void *to, size_t i, upsweep_type type, double value)
{
    switch (type) {
    case UPSWEEP_U8: ((uint8_t *)to)[i] = (uint8_t)value; break;
    case UPSWEEP_I8: ((int8_t *)to)[i] = (int8_t)value; break;
    case UPSWEEP_U16: ((uint16_t *)to)[i] = (uint16_t)value; break;
    case UPSWEEP_I16: ((int16_t *)to)[i] = (int16_t)value; break;
    case UPSWEEP_U32: ((uint32_t *)to)[i] = (uint32_t)value; break;
    case UPSWEEP_I32: ((int32_t *)to)[i] = (int32_t)value; break;
    case UPSWEEP_U64: ((uint64_t *)to)[i] = (uint64_t)value; break;
    case UPSWEEP_I64: ((int64_t *)to)[i] = (int64_t)value; break;
    case UPSWEEP_F32: ((float *)to)[i] = (float)value; break;
    default: ((double *)to)[i] = value; break;
    }
}

/* What each type holds at most, for numbers that were typed. */
static double most_of(upsweep_type type)
{
    static const double most[] = {[UPSWEEP_U8] = 255,
                                  [UPSWEEP_I8] = 127,
                                  [UPSWEEP_U16] = 65535,
                                  [UPSWEEP_I16] = 32767,
                                  [UPSWEEP_I32] = 2147483647};
    bool narrow = (size_t)type < sizeof most / sizeof *most && most[type] > 0;
    return narrow ? most[type] : 4294967295;
}

static int to_type(const app_trace_input *in, bool typed, app_view_numbers *to)
{
    double most = 1;
    to->n = in->count;
    to->data = to->made = malloc(in->count * upsweep_type_bytes(to->type) + 1);
    if (to->made == NULL) {
        return app_fail("out of memory");
    }
    for (size_t i = 0; i < in->count; i++) {
        most = in->values[i] > most ? in->values[i] : most;
    }
    if (typed && most > most_of(to->type)) {
        return app_fail("%.0f does not fit the type %s", most, upsweep_type_name(to->type));
    }
    for (size_t i = 0; i < in->count; i++) {
        double value = in->values[i];
        put(to->made, i, to->type, typed ? value : spread(to->type, value, most));
    }
    return APP_OK;
}

static int read_file(const app_common *common, const char *name, app_view_numbers *to)
{
    int status = app_read_beside(common, name, common->type, common->text, &to->file);
    to->data = to->file.data;
    to->n = to->file.n;
    to->type = to->file.type;
    return status;
}

static int check(const app_view_numbers *v)
{
    if (v->type == UPSWEEP_F16 || v->type == UPSWEEP_BF16) {
        return app_fail("real runs are not watched of %s; %s", upsweep_type_name(v->type),
                        "there are u8 to u64, i8 to i64, f32 and f64");
    }
    if (v->n > MOST) {
        return app_fail("%zu numbers are too many to watch; %d are the most", v->n, MOST);
    }
    return v->n < 2 ? app_fail("a real run needs two numbers or more") : APP_OK;
}

int app_view_numbers_input(const app_view_wish *w, const app_common *common,
                           app_view_numbers *numbers)
{
    bool piped = w->word_count == 1 && w->words[0][0] == '-' && w->words[0][1] == '\0';
    if (w->file != NULL || piped) {
        int status = read_file(common, piped ? "-" : w->file, numbers);
        return status == APP_OK ? check(numbers) : status;
    }
    app_trace_input in = {0};
    view_graph none = {0};
    app_view_wish wish = *w;
    bool split = strcmp(w->first->operation, "split") == 0;
    wish.pattern = split && w->pattern == NULL ? "shuffled" : w->pattern;
    int status = app_view_input(&wish, &in, &none);
    numbers->type = common->type != 0 ? common->type : UPSWEEP_U32;
    numbers->n = in.count;
    status = status == APP_OK ? check(numbers) : status;
    if (status == APP_OK) {
        status = to_type(&in, w->word_count > 0 || w->example, numbers);
    }
    app_trace_input_free(&in);
    app_view_graph_free(&none);
    return status;
}

void app_view_numbers_free(app_view_numbers *numbers)
{
    io_array_free(&numbers->file);
    free(numbers->made);
    *numbers = (app_view_numbers){0};
}
