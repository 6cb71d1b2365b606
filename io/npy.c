/* npy.c - reads and writes the header of .npy files. The dictionary is read by a small parser that
 * knows no more of Python than NumPy itself writes, and never reads past the text. */
#include "npy.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char magic[IO_NPY_MAGIC_BYTES + 1] = "\x93NUMPY";

bool io_npy_is(const void *bytes, size_t count)
{
    return count >= IO_NPY_MAGIC_BYTES && memcmp(bytes, magic, IO_NPY_MAGIC_BYTES) == 0;
}

typedef struct reader {
    const char *at, *end;
    const char *name;
    io_error *error;
} reader;

static bool malformed(const reader *r, const char *what)
{
    return io_because(r->error, "%s: the .npy header is malformed: %s", r->name, what);
}

static void skip_space(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\t')) {
        r->at++;
    }
}

/* Takes the character c, with space before it, if it is next. */
static bool take(reader *r, char c)
{
    skip_space(r);
    if (r->at < r->end && *r->at == c) {
        r->at++;
        return true;
    }
    return false;
}

static bool take_word(reader *r, const char *word)
{
    size_t length = strlen(word);
    skip_space(r);
    if ((size_t)(r->end - r->at) >= length && memcmp(r->at, word, length) == 0) {
        r->at += length;
        return true;
    }
    return false;
}

static bool take_string(reader *r, char *text, size_t room)
{
    skip_space(r);
    char quote = r->at < r->end ? *r->at : '\0';
    if (quote != '\'' && quote != '"') {
        return malformed(r, "a quoted word is missing");
    }
    const char *from = ++r->at;
    while (r->at < r->end && *r->at != quote && *r->at != '\\') {
        r->at++;
    }
    size_t length = (size_t)(r->at - from);
    if (r->at == r->end || *r->at != quote || length >= room) {
        return malformed(r, "a quoted word has no end or is too long");
    }
    r->at++;
    memcpy(text, from, length);
    text[length] = '\0';
    return true;
}

static bool take_extent(reader *r, size_t *extent)
{
    skip_space(r);
    const char *from = r->at;
    *extent = 0;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9') {
        if (__builtin_mul_overflow(*extent, (size_t)10, extent) ||
            __builtin_add_overflow(*extent, (size_t)(*r->at - '0'), extent)) {
            return io_because(r->error, "%s: the shape in the .npy header is too large", r->name);
        }
        r->at++;
    }
    if (r->at == from) {
        return malformed(r, "the shape is no tuple of whole numbers");
    }
    take(r, 'L'); /* Python 2 wrote its long integers so */
    return true;
}

/* (), (3,), (3, 4): the product of the extents. */
static bool take_shape(reader *r, size_t *n, size_t *dimensions)
{
    *n = 1;
    *dimensions = 0;
    if (!take(r, '(')) {
        return malformed(r, "the shape is no tuple");
    }
    while (!take(r, ')')) {
        size_t extent;
        if (!take_extent(r, &extent)) {
            return false;
        }
        if (__builtin_mul_overflow(*n, extent, n)) {
            return io_because(r->error, "%s: the shape in the .npy header is too large", r->name);
        }
        *dimensions += 1;
        if (!take(r, ',')) {
            if (!take(r, ')') || *dimensions < 2) {
                return malformed(r, "the shape is no tuple");
            }
            break;
        }
    }
    return true;
}

static const struct {
    const char *descr;
    upsweep_type type;
} known[] = {
    {"|u1", UPSWEEP_U8},  {"<u2", UPSWEEP_U16},
    {"<u4", UPSWEEP_U32}, {"<u8", UPSWEEP_U64},
    {"|i1", UPSWEEP_I8},  {"<i2", UPSWEEP_I16},
    {"<i4", UPSWEEP_I32}, {"<i8", UPSWEEP_I64},
    {"<f2", UPSWEEP_F16}, {"<f4", UPSWEEP_F32},
    {"<f8", UPSWEEP_F64}, {"|b1", UPSWEEP_U8} /* truth values are read as bytes, not written */};

/* Words of the file go into a sentence only if they are plain. */
static const char *printable(const char *text)
{
    for (const char *p = text; *p != '\0'; p++) {
        if (*p < 0x20 || *p > 0x7e) {
            return "?";
        }
    }
    return text;
}

static bool type_of(const reader *r, const char *descr, upsweep_type *type)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i].descr, descr) == 0) {
            *type = known[i].type;
            return true;
        }
    }
    if (descr[0] == '>') {
        return io_because(r->error, "%s: big-endian elements ('%s') are not supported", r->name,
                          printable(descr));
    }
    if (descr[0] == 'O' || descr[1] == 'O') {
        return io_because(r->error, "%s: holds Python objects, not numbers", r->name);
    }
    return io_because(r->error, "%s: elements of NumPy type '%s' are not supported", r->name,
                      printable(descr));
}

enum { DESCR = 1, FORTRAN = 2, SHAPE = 4 };

typedef struct header {
    char descr[32];
    bool fortran;
    size_t n, dimensions;
    unsigned seen;
} header;

static bool take_entry(reader *r, header *h)
{
    char key[32];
    if (!take_string(r, key, sizeof key)) {
        return false;
    }
    if (!take(r, ':')) {
        return malformed(r, "a key without a value");
    }
    unsigned bit = strcmp(key, "descr") == 0           ? DESCR
                   : strcmp(key, "fortran_order") == 0 ? FORTRAN
                   : strcmp(key, "shape") == 0         ? SHAPE
                                                       : 0;
    if (bit == 0 || (h->seen & bit) != 0) {
        return malformed(r, bit == 0 ? "an unknown key" : "a key comes twice");
    }
    h->seen |= bit;
    if (bit == SHAPE) {
        return take_shape(r, &h->n, &h->dimensions);
    }
    if (bit == FORTRAN) {
        h->fortran = take_word(r, "True");
        return h->fortran || take_word(r, "False") ||
               malformed(r, "fortran_order is neither True nor False");
    }
    skip_space(r);
    if (r->at < r->end && *r->at == '[') {
        return io_because(r->error, "%s: holds records of several fields, not numbers", r->name);
    }
    return take_string(r, h->descr, sizeof h->descr);
}

static bool take_dictionary(reader *r, header *h)
{
    if (!take(r, '{')) {
        return malformed(r, "it is no dictionary");
    }
    while (!take(r, '}')) {
        if (!take_entry(r, h)) {
            return false;
        }
        if (!take(r, ',')) {
            if (!take(r, '}')) {
                return malformed(r, "the dictionary has no end");
            }
            break;
        }
    }
    skip_space(r);
    if (r->at != r->end) {
        return malformed(r, "something follows the dictionary");
    }
    if (h->seen != (DESCR | FORTRAN | SHAPE)) {
        return malformed(r, (h->seen & DESCR) == 0     ? "'descr' is missing"
                            : (h->seen & FORTRAN) == 0 ? "'fortran_order' is missing"
                                                       : "'shape' is missing");
    }
    return true;
}

/* The bytes of the text and where it begins. */
static bool find_text(const char *name, const uint8_t *bytes, size_t available, size_t *from,
                      size_t *length, io_error *error)
{
    if (!io_npy_is(bytes, available)) {
        return io_because(error, "%s: is no .npy file", name);
    }
    if (available < 8) {
        return io_because(error, "%s: the .npy header is truncated", name);
    }
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0) {
        return io_because(error, "%s: .npy version %u.%u is not known", name, bytes[6], bytes[7]);
    }
    *from = bytes[6] == 1 ? 10 : 12;
    if (available < *from) {
        return io_because(error, "%s: the .npy header is truncated", name);
    }
    *length = bytes[8] | (size_t)bytes[9] << 8;
    if (bytes[6] > 1) {
        *length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    }
    if (*length > IO_NPY_TEXT_MAX) {
        return io_because(error, "%s: the .npy header claims %zu bytes, more than %d", name,
                          *length, IO_NPY_TEXT_MAX);
    }
    if (available - *from < *length) {
        return io_because(error, "%s: the .npy header is truncated", name);
    }
    return true;
}

bool io_npy_read_header(const char *name, const void *bytes, size_t available, io_npy *npy,
                        io_error *error)
{
    size_t from = 0, length = 0;
    if (!find_text(name, bytes, available, &from, &length, error)) {
        return false;
    }
    const char *text = (const char *)bytes + from;
    reader r = {text, text + length, name, error};
    header h = {.seen = 0};
    if (!take_dictionary(&r, &h) || !type_of(&r, h.descr, &npy->type)) {
        return false;
    }
    if (h.fortran && h.dimensions > 1) {
        return io_because(error, "%s: arrays in Fortran order are not supported", name);
    }
    npy->n = h.n;
    npy->header_bytes = from + length;
    size_t total;
    if (__builtin_mul_overflow(h.n, upsweep_type_bytes(npy->type), &total) ||
        __builtin_add_overflow(total, npy->header_bytes, &total)) {
        return io_because(error, "%s: the shape in the .npy header is too large", name);
    }
    return true;
}

bool io_npy_write_header(char out[IO_NPY_WRITTEN_BYTES], upsweep_type type, size_t n)
{
    return io_npy_write_table(out, type, n, 0);
}

bool io_npy_write_table(char out[IO_NPY_WRITTEN_BYTES], upsweep_type type, size_t rows,
                        size_t columns)
{
    const char *descr = NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].type == type && descr == NULL) {
            descr = known[i].descr;
        }
    }
    if (descr == NULL) {
        return false;
    }
    char text[IO_NPY_WRITTEN_BYTES];
    char shape[48];
    snprintf(shape, sizeof shape, columns > 0 ? "%zu, %zu" : "%zu,", rows, columns);
    int length = snprintf(text, sizeof text,
                          "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape);
    memset(out, ' ', IO_NPY_WRITTEN_BYTES);
    memcpy(out, magic, IO_NPY_MAGIC_BYTES);
    out[6] = 1;
    out[7] = 0;
    out[8] = IO_NPY_WRITTEN_BYTES - 10;
    out[9] = 0;
    memcpy(out + 10, text, (size_t)length);
    out[IO_NPY_WRITTEN_BYTES - 1] = '\n';
    return true;
}
