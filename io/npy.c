/* npy.c - reads and writes the header of .npy files. The dictionary is read by a small parser that
 * knows no more of Python than NumPy itself writes, and never reads past the text. */
/* SPDX-License-Identifier: MIT */
#include "io/npy.h"

#include "io/file_kind.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const unsigned char magic[IO_NPY_MAGIC_BYTES] = IO_NPY_MARK;

bool io_npy_is(const void *bytes, size_t count)
{
    return io_file_kind_of(bytes, count) == IO_KIND_NPY;
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

enum { DESCR = 1, FORTRAN = 2, SHAPE = 4 };

typedef struct header {
    char descr[32];
    bool fortran;
    io_npy npy;
    unsigned seen;
} header;

/* (), (3,), (3, 4): the extents and their product. */
static bool take_shape(reader *r, io_npy *npy)
{
    npy->n = 1;
    npy->axes = 0;
    if (!take(r, '(')) {
        return malformed(r, "the shape is no tuple");
    }
    while (!take(r, ')')) {
        size_t extent;
        if (!take_extent(r, &extent)) {
            return false;
        }
        if (npy->axes == IO_NPY_AXES_MAX) {
            return io_because(r->error, "%s: the array has more than %d axes", r->name,
                              IO_NPY_AXES_MAX);
        }
        if (__builtin_mul_overflow(npy->n, extent, &npy->n)) {
            return io_because(r->error, "%s: the shape in the .npy header is too large", r->name);
        }
        npy->shape[npy->axes++] = extent;
        if (!take(r, ',')) {
            if (!take(r, ')') || npy->axes < 2) {
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
} known[] = {{"|u1", UPSWEEP_U8},  {"<u2", UPSWEEP_U16}, {"<u4", UPSWEEP_U32}, {"<u8", UPSWEEP_U64},
             {"|i1", UPSWEEP_I8},  {"<i2", UPSWEEP_I16}, {"<i4", UPSWEEP_I32}, {"<i8", UPSWEEP_I64},
             {"<f2", UPSWEEP_F16}, {"<f4", UPSWEEP_F32}, {"<f8", UPSWEEP_F64}};
static const char truth_values[] = "|b1";

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

static bool type_of(const reader *r, const char *descr, io_npy *npy)
{
    npy->boolean = strcmp(descr, truth_values) == 0;
    npy->type = npy->boolean ? UPSWEEP_U8 : 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        npy->type = strcmp(known[i].descr, descr) == 0 ? known[i].type : npy->type;
    }
    if (npy->type != 0) {
        return true;
    }
    if (descr[0] == '>') {
        return io_because(r->error,
                          "%s: big-endian elements ('%s') are not supported; in Python, a.astype("
                          "'<%s') has others",
                          r->name, printable(descr), printable(descr + 1));
    }
    if (descr[0] == 'O' || (descr[0] != '\0' && descr[1] == 'O')) {
        return io_because(r->error, "%s: holds Python objects, not numbers", r->name);
    }
    return io_because(r->error, "%s: elements of NumPy type '%s' are not supported", r->name,
                      printable(descr));
}

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
        return take_shape(r, &h->npy);
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
    if (!take_dictionary(&r, &h) || !type_of(&r, h.descr, &h.npy)) {
        return false;
    }
    if (h.fortran && h.npy.axes > 1) {
        return io_because(error,
                          "%s: arrays in Fortran order are not supported; in Python, "
                          "numpy.ascontiguousarray(a) is in the other",
                          name);
    }
    *npy = h.npy;
    npy->header_bytes = from + length;
    size_t total;
    if (__builtin_mul_overflow(npy->n, upsweep_type_bytes(npy->type), &total) ||
        __builtin_add_overflow(total, npy->header_bytes, &total)) {
        return io_because(error, "%s: the shape in the .npy header is too large", name);
    }
    return true;
}

const char *io_npy_shape(const io_npy *npy, char text[IO_NPY_SHAPE_MAX])
{
    size_t used = 1;
    text[0] = '(';
    for (size_t i = 0; i < npy->axes && used < IO_NPY_SHAPE_MAX - 28; i++) {
        bool last = i + 1 == npy->axes;
        used += (size_t)snprintf(text + used, IO_NPY_SHAPE_MAX - used, "%zu%s", npy->shape[i],
                                 !last            ? ", "
                                 : npy->axes == 1 ? ","
                                                  : "");
        if (!last && used >= IO_NPY_SHAPE_MAX - 28) {
            used += (size_t)snprintf(text + used, IO_NPY_SHAPE_MAX - used, "...");
        }
    }
    snprintf(text + used, IO_NPY_SHAPE_MAX - used, ")");
    return text;
}

/* The dictionary. NumPy leaves room for the first extent to grow to 21 digits in place. */
static size_t format_dictionary(char *text, size_t room, const char *descr, const io_npy *npy)
{
    enum { GROWTH = 21 };
    int used = snprintf(text, room, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    int grow = 0;
    for (size_t i = 0; i < npy->axes; i++) {
        int digits = snprintf(text + used, room - (size_t)used, "%zu", npy->shape[i]);
        grow = i == 0 ? GROWTH - digits : grow;
        used += digits;
        if (i + 1 < npy->axes || npy->axes == 1) {
            used += snprintf(text + used, room - (size_t)used, npy->axes == 1 ? "," : ", ");
        }
    }
    used += snprintf(text + used, room - (size_t)used, "), }%*s", grow, "");
    return (size_t)used;
}

size_t io_npy_format(char out[IO_NPY_FORMAT_MAX], const io_npy *npy)
{
    enum { ALIGN = 64, FRONT = 10 };
    const char *descr = npy->boolean ? truth_values : NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        descr = known[i].type == npy->type && descr == NULL ? known[i].descr : descr;
    }
    if (descr == NULL) {
        return 0;
    }
    char text[IO_NPY_FORMAT_MAX];
    size_t length = format_dictionary(text, sizeof text, descr, npy);
    size_t bytes = (FRONT + length + 1) / ALIGN * ALIGN + ALIGN;
    memset(out, ' ', bytes);
    memcpy(out, magic, IO_NPY_MAGIC_BYTES);
    out[6] = 1;
    out[7] = 0;
    out[8] = (char)((bytes - FRONT) & 0xff);
    out[9] = (char)((bytes - FRONT) >> 8);
    memcpy(out + FRONT, text, length);
    out[bytes - 1] = '\n';
    return bytes;
}

bool io_npy_write_header(char out[IO_NPY_WRITTEN_BYTES], upsweep_type type, size_t n)
{
    return io_npy_write_table(out, type, n, 0);
}

bool io_npy_write_table(char out[IO_NPY_WRITTEN_BYTES], upsweep_type type, size_t rows,
                        size_t columns)
{
    char longest[IO_NPY_FORMAT_MAX];
    io_npy npy = {.type = type, .axes = columns > 0 ? 2 : 1, .shape = {rows, columns}};
    size_t bytes = io_npy_format(longest, &npy); /* one or two axes fit the 128 bytes */
    memcpy(out, longest, bytes != 0 ? IO_NPY_WRITTEN_BYTES : 0);
    return bytes == IO_NPY_WRITTEN_BYTES;
}
