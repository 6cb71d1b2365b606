/* record_line.c - takes one line apart. Text is followed by IO_SLACK zero bytes and every line ends
 * with a newline, so that no byte needs a test for the end. */
#include "record_line.h"

#include "numbers.h"

#include <math.h>
#include <stdlib.h>

typedef const unsigned char *text;

static inline text skip_blanks(text p)
{
    while (*p == ' ' || *p == '\t') {
        p++;
    }
    return p;
}

/* Around the cells of a table, whose delimiter is no blank. */
static inline text skip_pad(const io_record_rules *rules, text p)
{
    while (*p == ' ' || (*p == '\t' && rules->delimiter != '\t')) {
        p++;
    }
    return p;
}

static inline bool is_line_end(text p)
{
    return *p == '\n' || (*p == '\r' && p[1] == '\n');
}

/* A number ends where its column does. */
static inline bool ends(const io_record_rules *rules, text p)
{
    return *p == ' ' || *p == '\t' || is_line_end(p) ||
           (rules->delimiter != 0 && *p == (unsigned char)rules->delimiter) || *p == '"';
}

/* Digits at *p, at most 19 of them, which always fit; false if there are none or more. */
static inline bool take_digits(text *p, uint64_t *value)
{
    text q = *p;
    uint64_t v = 0;
    while ((unsigned)*q - '0' < 10) {
        v = v * 10 + (*q++ - '0');
    }
    bool good = q > *p && q - *p <= 19;
    *p = q;
    *value = v;
    return good;
}

static inline io_verdict take_id(io_line_reader *r, text *p, size_t i, unsigned field)
{
    const io_record_rules *rules = r->rules;
    text from = *p;
    uint64_t id;
    if (!take_digits(p, &id)) {
        return *p > from ? IO_LINE_ID_HIGH : IO_LINE_NO_ID;
    }
    if (!ends(rules, *p)) {
        return IO_LINE_NO_ID;
    }
    if (id < rules->base) {
        return IO_LINE_ID_LOW;
    }
    id -= rules->base;
    if (id >= rules->vertices) {
        return IO_LINE_ID_HIGH;
    }
    r->ids = id >= r->ids ? id + 1 : r->ids;
    ((uint32_t *)r->column[field])[i] = (uint32_t)id;
    return IO_LINE_GOOD;
}

static io_verdict take_real(io_line_reader *r, text *p, size_t i, unsigned field)
{
    bool is_weight = r->rules->field[field].kind == IO_FIELD_WEIGHT;
    const char *end;
    double value;
    if (skip_blanks(*p) != *p || is_line_end(*p) ||
        !io_decimal_scan((const char *)*p, &value, &end) || !ends(r->rules, (text)end) ||
        isnan(value)) {
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
    if (r->type[field] == UPSWEEP_F32) {
        ((float *)r->column[field])[i] = single;
    } else {
        ((double *)r->column[field])[i] = value;
    }
    *p = (text)end;
    return IO_LINE_GOOD;
}

/* What a weight is that is no row of at most 19 digits: the slow way. */
static io_verdict odd_weight(const io_line_reader *r, text *at, unsigned field, uint64_t *value)
{
    text p = *at;
    const char *end;
    double real;
    errno = 0;
    if (!io_decimal_scan((const char *)p, &real, &end) || !ends(r->rules, (text)end) ||
        isnan(real) || skip_blanks(p) != p || is_line_end(p)) {
        return IO_LINE_NO_NUMBER;
    }
    if (real < 0) {
        return IO_LINE_NEGATIVE;
    }
    bool may_be_real = r->widen && !r->rules->whole;
    text q = p + (*p == '+');
    while ((unsigned)*q - '0' < 10) {
        q++;
    }
    if ((const char *)q != end) {
        return isinf(real) ? IO_LINE_RANGE : may_be_real ? IO_LINE_REAL : IO_LINE_FRACTION;
    }
    errno = 0;
    *value = strtoull((const char *)p, NULL, 10);
    if (errno == ERANGE) {
        return may_be_real ? IO_LINE_REAL : IO_LINE_RANGE;
    }
    if (r->type[field] == UPSWEEP_U32 && *value > UINT32_MAX) {
        return r->widen ? IO_LINE_WIDER : IO_LINE_RANGE;
    }
    *at = (text)end;
    return IO_LINE_GOOD;
}

/* A weight where they may be negative. */
static io_verdict take_signed(io_line_reader *r, text *at, size_t i, unsigned field)
{
    text p = *at;
    bool below = *p == '-', may_be_real = r->widen && !r->rules->whole;
    const char *end;
    double real;
    uint64_t size;
    p += below || *p == '+';
    if (take_digits(&p, &size) && ends(r->rules, p) && size <= INT64_MAX) {
        ((int64_t *)r->column[field])[i] = below ? -(int64_t)size : (int64_t)size;
        *at = p;
        return IO_LINE_GOOD;
    }
    if (!io_decimal_scan((const char *)*at, &real, &end) || !ends(r->rules, (text)end) ||
        isnan(real) || skip_blanks(*at) != *at || is_line_end(*at)) {
        return IO_LINE_NO_NUMBER;
    }
    bool whole = (const char *)p == end; /* of too many digits */
    return isinf(real)   ? IO_LINE_RANGE
           : may_be_real ? IO_LINE_REAL
           : whole       ? IO_LINE_RANGE
                         : IO_LINE_FRACTION;
}

static inline io_verdict take_weight(io_line_reader *r, text *p, size_t i, unsigned field)
{
    upsweep_type type = r->type[field];
    if (type == UPSWEEP_F32 || type == UPSWEEP_F64) {
        return take_real(r, p, i, field);
    }
    if (type == UPSWEEP_I64) {
        return take_signed(r, p, i, field);
    }
    uint64_t value;
    text from = *p;
    if (!take_digits(p, &value) || !ends(r->rules, *p) ||
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

static inline io_verdict take_field(io_line_reader *r, text *p, size_t i, unsigned field)
{
    switch (r->rules->field[field].kind) {
    case IO_FIELD_ID: return take_id(r, p, i, field);
    case IO_FIELD_WEIGHT: return take_weight(r, p, i, field);
    default: return take_real(r, p, i, field);
    }
}

/* Moves behind a column and its delimiter; false if the line ends first. A column in quotes may
 * hold delimiters, and quotes written twice. */
static bool skip_column(const io_record_rules *rules, text *p)
{
    text q = *p;
    if (rules->delimiter == 0) {
        q = skip_blanks(q);
        if (is_line_end(q)) {
            return false;
        }
        while (*q != ' ' && *q != '\t' && !is_line_end(q)) {
            q++;
        }
        *p = q;
        return true;
    }
    bool quoted = false;
    for (; *q != '\n' && (quoted || *q != (unsigned char)rules->delimiter); q++) {
        quoted ^= *q == '"';
    }
    *p = q + (*q != '\n');
    return *q != '\n';
}

/* The field itself, in quotes or not, with blanks around it. */
static io_verdict take_cell(io_line_reader *r, text *p, size_t i, unsigned field)
{
    text q = skip_pad(r->rules, *p);
    bool quoted = r->rules->delimiter != 0 && *q == '"';
    q += quoted;
    *p = q;
    if (is_line_end(q)) {
        return IO_LINE_SHORT;
    }
    io_verdict verdict = take_field(r, p, i, field);
    if (verdict == IO_LINE_GOOD && quoted) {
        if (**p != '"') {
            return IO_LINE_LONG;
        }
        ++*p;
    }
    return verdict;
}

/* Any columns, in ascending order. */
static io_verdict take_columns(io_line_reader *r, text *p, size_t i, unsigned *field)
{
    const io_record_rules *rules = r->rules;
    unsigned column = 0;
    for (*field = 0; *field < rules->fields; ++*field) {
        for (; column < rules->field[*field].column; column++) {
            if (!skip_column(rules, p)) {
                return IO_LINE_SHORT;
            }
        }
        io_verdict verdict = take_cell(r, p, i, *field);
        if (verdict != IO_LINE_GOOD) {
            return verdict;
        }
        *p = skip_pad(rules, *p);
        column++;
        if (rules->delimiter != 0 && !is_line_end(*p)) {
            if (**p != (unsigned char)rules->delimiter) {
                return IO_LINE_LONG;
            }
            ++*p;
        }
    }
    return IO_LINE_GOOD;
}

/* Columns 0, 1, 2 parted by blanks, as all formats but tables have them. */
static inline io_verdict take_plain(io_line_reader *r, text *p, size_t i, unsigned *field)
{
    for (*field = 0; *field < r->rules->fields; ++*field) {
        *p = skip_blanks(*p);
        if (is_line_end(*p)) {
            return IO_LINE_SHORT;
        }
        io_verdict verdict = take_field(r, p, i, *field);
        if (verdict != IO_LINE_GOOD) {
            return verdict;
        }
    }
    return IO_LINE_GOOD;
}

static bool is_comment(const io_record_rules *rules, text p)
{
    return *p != '\0' && strchr(rules->comments, *p) != NULL;
}

static io_verdict read_line(io_line_reader *r, text *p, size_t i, unsigned *field)
{
    const io_record_rules *rules = r->rules;
    *field = 0;
    if (rules->mark != 0) {
        if (**p != (unsigned char)rules->mark || (p[0][1] != ' ' && p[0][1] != '\t')) {
            return IO_LINE_ODD;
        }
        ++*p;
    }
    io_verdict verdict =
        io_record_is_plain(rules) ? take_plain(r, p, i, field) : take_columns(r, p, i, field);
    if (verdict == IO_LINE_GOOD && !rules->loose) {
        *p = skip_blanks(*p);
        verdict = is_line_end(*p) ? IO_LINE_GOOD : IO_LINE_LONG;
    }
    return verdict;
}

io_verdict io_record_line(io_line_reader *reader, const unsigned char **p, size_t i,
                          io_fault *fault)
{
    const io_record_rules *rules = reader->rules;
    text line = *p, at = rules->delimiter == '\t' ? line : skip_blanks(line);
    io_verdict verdict = IO_LINE_SKIP;
    unsigned field = 0;
    if (!is_line_end(at) && !is_comment(rules, at)) {
        verdict = read_line(reader, &at, i, &field);
    }
    if (verdict > IO_LINE_SKIP) {
        *fault = (io_fault){verdict, field, line, at};
    }
    while (*at != '\n') { /* one or two bytes, but for comments and further columns */
        at++;
    }
    *p = at + 1;
    return verdict;
}
