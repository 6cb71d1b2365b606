/* oracle.c - types, order and folds, by explicit rules. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/oracle.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Here and not by a call, as all that follows: most of the time of most tests is the oracle's. */
static inline unsigned bytes_of(upsweep_type type)
{
    switch (type) {
    case UPSWEEP_U8:
    case UPSWEEP_I8: return 1;
    case UPSWEEP_U16:
    case UPSWEEP_I16:
    case UPSWEEP_F16:
    case UPSWEEP_BF16: return 2;
    case UPSWEEP_U32:
    case UPSWEEP_I32:
    case UPSWEEP_F32: return 4;
    default: return 8;
    }
}

bool oracle_is_signed(upsweep_type type)
{
    return type == UPSWEEP_I8 || type == UPSWEEP_I16 || type == UPSWEEP_I32 || type == UPSWEEP_I64;
}

unsigned oracle_mantissa_bits(upsweep_type type)
{
    switch (type) {
    case UPSWEEP_F16: return 10;
    case UPSWEEP_BF16: return 7;
    case UPSWEEP_F32: return 23;
    case UPSWEEP_F64: return 52;
    default: return 0;
    }
}

/* By cases, since copies of so many bytes as a variable says are calls. */
static inline uint64_t raw_of(size_t bytes, const void *element)
{
    uint64_t raw = 0; /* little-endian: the low bytes come first */
    switch (bytes) {
    case 1: memcpy(&raw, element, 1); break;
    case 2: memcpy(&raw, element, 2); break;
    case 4: memcpy(&raw, element, 4); break;
    case 8: memcpy(&raw, element, 8); break;
    default: memcpy(&raw, element, bytes); break; /* fewer, of a record's key */
    }
    return raw;
}

uint64_t oracle_raw(upsweep_type type, const void *element)
{
    return raw_of(bytes_of(type), element);
}

/* Sign, exponent and mantissa of a floating-point element. */
static void take_apart(upsweep_type type, uint64_t raw, bool *negative, unsigned *exponent,
                       uint64_t *mantissa, unsigned *exponent_bits)
{
    unsigned bits = bytes_of(type) * 8, m = oracle_mantissa_bits(type);
    *exponent_bits = bits - 1 - m;
    *negative = raw >> (bits - 1) & 1;
    *exponent = (unsigned)(raw >> m & ((1u << *exponent_bits) - 1));
    *mantissa = raw & ((UINT64_C(1) << m) - 1);
}

bool oracle_is_nan(upsweep_type type, const void *element)
{
    if (oracle_mantissa_bits(type) == 0) {
        return false;
    }
    bool negative;
    unsigned exponent, exponent_bits;
    uint64_t mantissa;
    take_apart(type, oracle_raw(type, element), &negative, &exponent, &mantissa, &exponent_bits);
    return exponent == (1u << exponent_bits) - 1 && mantissa != 0;
}

/* Two to the power of e, which an f64 holds. */
static double power_of_two(int e)
{
    const int bias = 1023, mantissa_bits = 52;
    uint64_t raw = (uint64_t)(bias + e) << mantissa_bits;
    double value;
    memcpy(&value, &raw, sizeof value);
    return value;
}

/* An f64 holds the numbers of all types of floats. */
static inline double float_value(upsweep_type type, uint64_t raw)
{
    if (type == UPSWEEP_F64) {
        double value;
        memcpy(&value, &raw, sizeof value);
        return value;
    }
    if (type == UPSWEEP_F32 || type == UPSWEEP_BF16) {
        uint32_t word = (uint32_t)(type == UPSWEEP_F32 ? raw : raw << 16);
        float value;
        memcpy(&value, &word, sizeof value);
        return value;
    }
    bool negative;
    unsigned exponent, exponent_bits, m = oracle_mantissa_bits(type);
    uint64_t mantissa;
    take_apart(type, raw, &negative, &exponent, &mantissa, &exponent_bits);
    int bias = (1 << (exponent_bits - 1)) - 1;
    double value;
    if (exponent == (1u << exponent_bits) - 1) {
        value = mantissa != 0 ? (double)NAN : (double)INFINITY;
    } else if (exponent == 0) {
        value = (double)mantissa * power_of_two(1 - bias - (int)m);
    } else {
        value = (double)(mantissa | UINT64_C(1) << m) * power_of_two((int)exponent - bias - (int)m);
    }
    return negative ? -value : value;
}

long double oracle_value(upsweep_type type, const void *element)
{
    uint64_t raw = oracle_raw(type, element);
    if (oracle_mantissa_bits(type) != 0) {
        return float_value(type, raw);
    }
    if (oracle_is_signed(type)) {
        unsigned unused = 64 - bytes_of(type) * 8;
        return (long double)((int64_t)(raw << unused) >> unused);
    }
    return (long double)raw;
}

/* The bits of a number of the type that is next to a size, or next but one, by the processor's own
 * rounding to f64 or f32; is_exact where it is the size itself, as most values of tests are. */
static uint64_t bits_near(upsweep_type type, long double size, uint64_t infinity, bool *is_exact)
{
    enum { F32_MORE_BITS = 13, F32_MORE_BIAS = 112 }; /* than f16 has */
    uint64_t raw = 0;                                 /* little-endian */
    if (type == UPSWEEP_F64) {
        double wide = (double)size;
        memcpy(&raw, &wide, sizeof wide);
        *is_exact = wide == size;
        return raw;
    }
    float narrow = (float)size;
    memcpy(&raw, &narrow, sizeof narrow);
    *is_exact = type == UPSWEEP_F32 && narrow == size;
    if (type == UPSWEEP_BF16) {
        raw >>= 16;
    } else if (type == UPSWEEP_F16) {
        uint64_t bias = (uint64_t)F32_MORE_BIAS << 10;
        raw >>= F32_MORE_BITS;
        raw = raw > bias ? raw - bias : 0;
    }
    return raw < infinity ? raw : infinity;
}

uint64_t oracle_round(upsweep_type type, long double value)
{
    unsigned bits = bytes_of(type) * 8, m = oracle_mantissa_bits(type);
    uint64_t sign = UINT64_C(1) << (bits - 1);
    uint64_t infinity = (sign - 1) >> m << m;
    if (isnan(value)) {
        return infinity | UINT64_C(1) << (m - 1);
    }
    long double size = fabsl(value);
    bool is_exact;
    uint64_t near = bits_near(type, size, infinity, &is_exact);
    if (is_exact) {
        return near | (signbit(value) ? sign : 0);
    }
    uint64_t low = 0, high = infinity; /* the bits of the greatest number <= size lie between */
    if (near > UINT64_C(1) << m && near < infinity) {
        low = near - 1, high = near + 1;
    }
    while (low < high) {
        uint64_t middle = low + (high - low + 1) / 2;
        if (float_value(type, middle) <= size) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    if (low < infinity) {
        long double below = float_value(type, low);
        long double above = float_value(type, low + 1);
        if (low + 1 == infinity) { /* half a step above the greatest number rounds to infinity */
            above = below + (below - float_value(type, low - 1));
        }
        long double down = size - below, up = above - size;
        low += up < down || (up == down && (low & 1)) ? 1 : 0;
    }
    return low | (signbit(value) ? sign : 0);
}

static int order_of_nans(uint64_t a, uint64_t b, uint64_t sign)
{
    /* +NaN by growing bits, then -NaN by shrinking bits. */
    if ((a ^ b) & sign) {
        return a & sign ? 1 : -1;
    }
    int by_bits = a < b ? -1 : a > b;
    return a & sign ? -by_bits : by_bits;
}

static int order_of_floats(upsweep_type type, unsigned flags, const void *a, const void *b)
{
    unsigned bits = bytes_of(type) * 8;
    uint64_t sign = UINT64_C(1) << (bits - 1);
    uint64_t x = raw_of(bits / 8, a), y = raw_of(bits / 8, b);
    int turn = flags & UPSWEEP_DESCENDING ? -1 : 1;
    if (flags & UPSWEEP_NAN_RAW) { /* sign first, then the size of what stands below the sign */
        bool nx = x & sign, ny = y & sign;
        if (nx != ny) {
            return nx ? -turn : turn;
        }
        uint64_t sx = x & ~sign, sy = y & ~sign;
        int by_size = sx < sy ? -1 : sx > sy;
        return nx ? -by_size * turn : by_size * turn;
    }
    double va = float_value(type, x), vb = float_value(type, y);
    bool na = isnan(va), nb = isnan(vb);
    if (na != nb) {
        int nan_side = flags & UPSWEEP_NAN_FIRST ? -1 : 1;
        return na ? nan_side : -nan_side;
    }
    if (na) {
        return order_of_nans(x, y, sign) * turn;
    }
    if (va == vb) { /* zeros of two signs */
        return x == y ? 0 : x & sign ? -turn : turn;
    }
    return va < vb ? -turn : turn;
}

int oracle_order(upsweep_type type, unsigned flags, const void *a, const void *b)
{
    if (oracle_mantissa_bits(type) != 0) {
        return order_of_floats(type, flags, a, b);
    }
    int turn = flags & UPSWEEP_DESCENDING ? -1 : 1;
    if (oracle_is_signed(type)) {
        unsigned unused = 64 - bytes_of(type) * 8;
        int64_t x = (int64_t)(raw_of(bytes_of(type), a) << unused);
        int64_t y = (int64_t)(raw_of(bytes_of(type), b) << unused);
        return x < y ? -turn : x > y ? turn : 0;
    }
    uint64_t x = raw_of(bytes_of(type), a), y = raw_of(bytes_of(type), b);
    return x < y ? -turn : x > y ? turn : 0;
}

/* Bottom-up merge sort. */
void oracle_argsort_by(size_t n, size_t *index, oracle_compare order, const void *context)
{
    size_t *other = malloc((n + 1) * sizeof *other);
    for (size_t i = 0; i < n; i++) {
        index[i] = i;
    }
    for (size_t run = 1; run < n; run *= 2) {
        for (size_t from = 0; from < n; from += 2 * run) {
            size_t middle = from + run < n ? from + run : n;
            size_t to = from + 2 * run < n ? from + 2 * run : n;
            size_t a = from, b = middle;
            if (b == to || order(index[b - 1], index[b], context) <= 0) {
                memcpy(other + from, index + from, (to - from) * sizeof *index);
                continue;
            }
            for (size_t i = from; i < to; i++) {
                bool left = b == to || (a < middle && order(index[a], index[b], context) <= 0);
                other[i] = left ? index[a++] : index[b++];
            }
        }
        memcpy(index, other, n * sizeof *index);
    }
    free(other);
}

typedef struct keys_of {
    upsweep_type type;
    unsigned flags;
    const char *keys;
    size_t bytes;
} keys_of;

static int order_of_keys(size_t i, size_t j, const void *context)
{
    const keys_of *k = context;
    return oracle_order(k->type, k->flags, k->keys + i * k->bytes, k->keys + j * k->bytes);
}

/* The orders found last. A call that is to fail at each of its requests, or that runs on every
 * instruction set, is asked for the order of the same keys again and again. */
enum { REMEMBERED = 4 };
typedef struct remembered {
    keys_of of; /* keys: a copy of our own */
    size_t n, *index;
} remembered;
static remembered last[REMEMBERED];
static unsigned oldest;
static pthread_mutex_t last_lock = PTHREAD_MUTEX_INITIALIZER;

static const remembered *recall(const keys_of *k, size_t n)
{
    for (unsigned i = 0; i < REMEMBERED; i++) {
        const remembered *r = &last[i];
        if (r->index != NULL && r->n == n && r->of.type == k->type && r->of.flags == k->flags &&
            memcmp(r->of.keys, k->keys, n * k->bytes) == 0) {
            return r;
        }
    }
    return NULL;
}

static void remember(const keys_of *k, size_t n, const size_t *index)
{
    remembered *r = &last[oldest++ % REMEMBERED];
    free((void *)(uintptr_t)r->of.keys);
    free(r->index);
    char *keys = malloc(n * k->bytes);
    r->of = *k, r->of.keys = keys, r->n = n;
    r->index = malloc(n * sizeof *index);
    memcpy(keys, k->keys, n * k->bytes);
    memcpy(r->index, index, n * sizeof *index);
}

void oracle_argsort(upsweep_type type, unsigned flags, const void *keys, size_t n, size_t *index)
{
    enum { SHORT = 64 };
    keys_of k = {type, flags, keys, upsweep_type_bytes(type)};
    if (n <= SHORT) {
        oracle_argsort_by(n, index, order_of_keys, &k);
        return;
    }
    pthread_mutex_lock(&last_lock);
    const remembered *known = recall(&k, n);
    if (known != NULL) {
        memcpy(index, known->index, n * sizeof *index);
    } else {
        oracle_argsort_by(n, index, order_of_keys, &k);
        remember(&k, n, index);
    }
    pthread_mutex_unlock(&last_lock);
}

static inline uint64_t add_hashes(const char *keys, size_t n, size_t bytes)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t x = raw_of(bytes, keys + i * bytes);
        x = (x ^ (x >> 31)) * UINT64_C(0xd6e8feb86659fd93) + UINT64_C(0x5bf03635e4d1c9b7);
        x = (x ^ (x >> 32)) * UINT64_C(0xa0761d6478bd642f);
        sum += x ^ (x >> 29);
    }
    return sum;
}

/* By cases, so that each loop knows its number of bytes. */
static uint64_t sum_of_hashes(const void *keys, size_t n, size_t bytes)
{
    switch (bytes) {
    case 1: return add_hashes(keys, n, 1);
    case 2: return add_hashes(keys, n, 2);
    case 4: return add_hashes(keys, n, 4);
    case 8: return add_hashes(keys, n, 8);
    default: return add_hashes(keys, n, bytes);
    }
}

const char *oracle_same_keys(const void *before, const void *after, size_t n, size_t bytes)
{
    return sum_of_hashes(before, n, bytes) == sum_of_hashes(after, n, bytes)
               ? NULL
               : "the keys are not those of the input";
}

const char *oracle_sorted(upsweep_type type, unsigned flags, const void *before, const void *after,
                          size_t n)
{
    size_t bytes = bytes_of(type);
    const char *keys = after;
    for (size_t i = 1; i < n; i++) {
        if (oracle_order(type, flags, keys + (i - 1) * bytes, keys + i * bytes) > 0) {
            return "the keys are not in order";
        }
    }
    return oracle_same_keys(before, after, n, bytes);
}
