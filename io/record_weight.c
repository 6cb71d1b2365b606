/* record_weight.c - the numbers of a line that are no ids. A whole number is never rounded unless
 * the caller has asked for a type that does so: where the type is left open, one that the type so
 * far lacks asks for a wider one, and one that none has is refused. */
/* SPDX-License-Identifier: MIT */
#include "io/record_line.h"

#include "io/numbers.h"

#include <math.h>
#include <stdlib.h>

typedef const unsigned char *text;

/* What strtod would take that begins with a blank or ends a line is no number of this cell. */
static bool scan(const io_record_rules *rules, text p, double *value, text *end)
{
    const char *stop;
    if (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r' ||
        !io_decimal_scan((const char *)p, value, &stop) || isnan(*value)) {
        return false;
    }
    *end = (text)stop;
    return io_record_ends(rules, *end);
}

/* Whether the number is written as a whole one, and if so whether 64 bits hold its size. */
static bool is_whole(text p, text end, bool *fits, uint64_t *size)
{
    *fits = true;
    *size = 0;
    for (p += *p == '-' || *p == '+'; p < end && (unsigned)*p - '0' < 10; p++) {
        *fits = *fits && !__builtin_mul_overflow(*size, 10u, size) &&
                !__builtin_add_overflow(*size, (uint64_t)(*p - '0'), size);
    }
    return p == end;
}

/* Whether f64, chosen since other weights ask for it, would round a whole number. */
static bool is_rounded(text p, text end, double value)
{
    bool fits;
    uint64_t size;
    if (fabs(value) < 0x1p53 || !is_whole(p, end, &fits, &size)) {
        return false;
    }
    return !fits || fabs(value) >= 0x1p64 || (uint64_t)fabs(value) != size;
}

io_verdict io_record_real(io_line_reader *r, text *p, size_t i, unsigned field)
{
    bool is_weight = r->rules->field[field].kind == IO_FIELD_WEIGHT;
    double value;
    text end;
    if (!scan(r->rules, *p, &value, &end)) {
        return IO_LINE_NO_NUMBER;
    }
    if (is_weight && value < 0 && !r->rules->negative) {
        return IO_LINE_NEGATIVE;
    }
    value += 0.0; /* -0 becomes 0, so that all equal weights are the same bits */
    float single = r->type[field] == UPSWEEP_F32 ? strtof((const char *)*p, NULL) + 0.0F : 0;
    if (isinf(value) || isinf(single)) {
        return IO_LINE_RANGE;
    }
    if (is_weight && r->widen && is_rounded(*p, end, value)) {
        return IO_LINE_ROUNDED;
    }
    if (r->type[field] == UPSWEEP_F32) {
        ((float *)r->column[field])[i] = single;
    } else {
        ((double *)r->column[field])[i] = value;
    }
    *p = end;
    return IO_LINE_GOOD;
}

/* What a weight is that is no row of at most 19 digits: the slow way. */
static io_verdict odd_weight(const io_line_reader *r, text *at, unsigned field, uint64_t *value)
{
    double real;
    text end;
    bool fits;
    if (!scan(r->rules, *at, &real, &end)) {
        return IO_LINE_NO_NUMBER;
    }
    if (real < 0) {
        return IO_LINE_NEGATIVE;
    }
    if (!is_whole(*at, end, &fits, value)) {
        bool may_be_real = r->widen && !r->rules->whole;
        return isinf(real) ? IO_LINE_RANGE : may_be_real ? IO_LINE_REAL : IO_LINE_FRACTION;
    }
    if (!fits) {
        return IO_LINE_RANGE;
    }
    if (r->type[field] == UPSWEEP_U32 && *value > UINT32_MAX) {
        return r->widen ? IO_LINE_WIDER : IO_LINE_RANGE;
    }
    *at = end;
    return IO_LINE_GOOD;
}

/* A weight where they may be negative. */
static io_verdict take_signed(io_line_reader *r, text *at, size_t i, unsigned field)
{
    text p = *at, end;
    bool below = *p == '-', fits = true;
    double real;
    uint64_t size;
    p += below || *p == '+';
    if (!io_record_digits(&p, &size) || !io_record_ends(r->rules, p)) {
        if (!scan(r->rules, *at, &real, &end)) {
            return IO_LINE_NO_NUMBER;
        }
        if (!is_whole(*at, end, &fits, &size)) {
            bool may_be_real = r->widen && !r->rules->whole;
            return isinf(real) ? IO_LINE_RANGE : may_be_real ? IO_LINE_REAL : IO_LINE_FRACTION;
        }
        p = end;
    }
    if (!fits || size > (uint64_t)INT64_MAX + below) {
        return IO_LINE_RANGE;
    }
    ((int64_t *)r->column[field])[i] = (int64_t)(below ? 0 - size : size);
    *at = p;
    return IO_LINE_GOOD;
}

io_verdict io_record_weight(io_line_reader *r, text *p, size_t i, unsigned field)
{
    upsweep_type type = r->type[field];
    if (type == UPSWEEP_F32 || type == UPSWEEP_F64) {
        return io_record_real(r, p, i, field);
    }
    if (type == UPSWEEP_I64) {
        return take_signed(r, p, i, field);
    }
    uint64_t value;
    text from = *p;
    if (!io_record_digits(p, &value) || !io_record_ends(r->rules, *p) ||
        (type == UPSWEEP_U32 && value > UINT32_MAX)) {
        *p = from;
        io_verdict verdict = odd_weight(r, p, field, &value);
        if (verdict != IO_LINE_GOOD) {
            return verdict;
        }
    }
    if (type == UPSWEEP_U32) {
        ((uint32_t *)r->column[field])[i] = (uint32_t)value;
    } else {
        ((uint64_t *)r->column[field])[i] = value;
    }
    return IO_LINE_GOOD;
}
