/* columns.h - columns of numbers as one number a row, for lexsort.c alone. */
/* SPDX-License-Identifier: MIT */
#ifndef USP_COLUMNS_H
#define USP_COLUMNS_H

#include "python/binding/binding.h"

enum { VALUE_BITS = 52 }; /* of a double's value, which it has exactly */

/* A column within the number that stands for a row: value - least, or greatest - value where the
 * order descends, without its lowest `cut` bits, from bit `shift` on; floats by all of their bits.
 * from NULL: it has no room at all. */
typedef struct column {
    const usp_view *from;
    uint64_t base;
    unsigned shift, cut;
    double zero, scale; /* scale not 0: f64 by their values, (value - zero) * scale */
} column;

#define PACK(TYPE)                                                                                 \
    static void pack_##TYPE(const column *c, size_t begin, size_t end, bool down, uint64_t *rows)  \
    {                                                                                              \
        const TYPE *x = (const void *)c->from->data;                                               \
        for (size_t i = begin; i < end; i++) {                                                     \
            const uint64_t value = (uint64_t)x[i];                                                 \
            rows[i] += (down ? c->base - value : value - c->base) >> c->cut << c->shift;           \
        }                                                                                          \
    }
PACK(uint8_t)
PACK(uint16_t)
PACK(uint32_t)
PACK(uint64_t)
PACK(int8_t)
PACK(int16_t)
PACK(int32_t)
PACK(int64_t)

/* Floats by an order of unsigned numbers that is the library's: NaNs last, by their bits. */
#define PACK_FLOAT(name, T, MANTISSA)                                                              \
    static void pack_##name(const column *c, size_t begin, size_t end, bool down, uint64_t *rows)  \
    {                                                                                              \
        const T *x = (const void *)c->from->data;                                                  \
        const T all = (T) ~(T)0, sign = (T)(all ^ (all >> 1)), nans = (T)(((T)1 << MANTISSA) - 1); \
        const T turned = (T)(down ? all ^ sign : sign);                                            \
        for (size_t i = begin; i < end; i++) {                                                     \
            const T positive = (T)((x[i] & sign) != 0 ? x[i] ^ (all ^ sign) : x[i]);               \
            rows[i] += (uint64_t)(T)((positive ^ turned) - nans) >> c->cut << c->shift;            \
        }                                                                                          \
    }
PACK_FLOAT(f16, uint16_t, 10)
PACK_FLOAT(bf16, uint16_t, 7)
PACK_FLOAT(f32, uint32_t, 23)
PACK_FLOAT(f64, uint64_t, 52)

/* Doubles by their values, which rise with them: of as many bits they have more that differ. A sum
 * with 2^52 has the value, rounded, in its lowest bits, and vectors of SSE2 have no other way. */
static void pack_values(const column *c, size_t begin, size_t end, uint64_t *rows)
{
    const double *x = (const void *)c->from->data;
    for (size_t i = begin; i < end; i++) {
        const double sum = (x[i] - c->zero) * c->scale + 0x1p52;
        uint64_t value;
        memcpy(&value, &sum, sizeof value);
        rows[i] += (value - UINT64_C(0x4330000000000000)) << c->shift;
    }
}

/* Finds how values become numbers of so many bits, two at least, rounded up, too; false where some
 * are infinite or no numbers. */
static bool scale_values(column *c, const usp_view *k, bool down, unsigned bits)
{
    const double *x = (const void *)k->data;
    enum { LANES = 4 }; /* which do not wait for one another */
    const size_t n = k->n, whole = n - n % LANES;
    double least[LANES], most[LANES], sum[LANES] = {0}; /* NaN where some are */
    for (size_t j = 0; j < LANES; j++) {
        least[j] = most[j] = x[0];
    }
    for (size_t i = 0; i < whole; i += LANES) {
        for (size_t j = 0; j < LANES; j++) {
            least[j] = x[i + j] < least[j] ? x[i + j] : least[j];
            most[j] = x[i + j] > most[j] ? x[i + j] : most[j];
            sum[j] += x[i + j];
        }
    }
    for (size_t i = whole; i < n; i++) {
        least[0] = x[i] < least[0] ? x[i] : least[0];
        most[0] = x[i] > most[0] ? x[i] : most[0];
        sum[0] += x[i];
    }
    for (size_t j = 1; j < LANES; j++) {
        least[0] = least[j] < least[0] ? least[j] : least[0];
        most[0] = most[j] > most[0] ? most[j] : most[0];
        sum[0] += sum[j];
    }
    const double far = most[0] - least[0], scale = (double)(((uint64_t)1 << bits) - 2) / far;
    c->zero = down ? most[0] : least[0];
    c->scale = down ? -scale : scale;
    return sum[0] == sum[0] && far < 1e300 && scale < 1e300; /* far is infinite where some are */
}

typedef void (*pack_function)(const column *, size_t, size_t, bool, uint64_t *);
static pack_function const packs[] = {pack_uint8_t, pack_uint16_t, pack_uint32_t, pack_uint64_t,
                                      pack_int8_t,  pack_int16_t,  pack_int32_t,  pack_int64_t,
                                      pack_f16,     pack_bf16,     pack_f32,      pack_f64};

static unsigned bits_of(uint64_t v)
{
    unsigned bits = 0;
    for (; v != 0; v >>= 1) {
        bits++;
    }
    return bits;
}

/* Finds the place of every column above the lowest `below` bits, which are for the row's position,
 * the last one's at the top; doubles go by their values where they have no room and below is 0.
 * Returns how many of the first have lost bits; -1: the call failed. */
static Py_ssize_t fit(usp_call *c, const usp_view *keys, Py_ssize_t given, bool down,
                      unsigned below, column *columns)
{
    unsigned left = 64 - below;
    Py_ssize_t lost = 0;
    for (Py_ssize_t i = given; i-- > 0;) {
        const usp_view *k = &keys[i];
        uint64_t ends[2] = {0, UINT64_MAX};
        const bool is_float = k->type >= UPSWEEP_F16;
        if (!is_float && left != 0 && !usp_ends(c, k, ends)) {
            return -1;
        }
        const unsigned bits = is_float ? 8 * (unsigned)k->bytes : bits_of(ends[1] - ends[0]);
        const unsigned cut = bits > left ? bits - left : 0;
        lost = cut != 0 && lost == 0 ? i + 1 : lost;
        columns[i] = (column){bits == cut ? NULL : k, ends[down], 0, cut, 0, 0};
        const unsigned room = left < VALUE_BITS ? left : VALUE_BITS;
        const bool values = room > 1 && below == 0 && cut != 0 && cut != bits &&
                            k->type == UPSWEEP_F64 && scale_values(&columns[i], k, down, room);
        columns[i].scale = values ? columns[i].scale : 0;
        left -= values ? room : bits - cut;
        columns[i].shift = left;
        left = cut != 0 ? 0 : left; /* nothing stands below what has lost bits */
    }
    for (Py_ssize_t i = 0; i < given; i++) { /* right above the positions */
        columns[i].shift += below;
    }
    return lost;
}

/* Adds the columns of rows [begin, end) to their numbers. */
static void pack_rows(const column *columns, Py_ssize_t given, size_t begin, size_t end, bool down,
                      uint64_t *rows)
{
    for (Py_ssize_t k = 0; k < given; k++) {
        if (columns[k].from != NULL && columns[k].scale != 0) {
            pack_values(&columns[k], begin, end, rows);
        } else if (columns[k].from != NULL) {
            packs[columns[k].from->type - UPSWEEP_U8](&columns[k], begin, end, down, rows);
        }
    }
}
#endif
