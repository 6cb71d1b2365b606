/* number_text.c - a number's text from its key, which is the way back of number.c for numbers that
 * are written in the one usual way. Eight digits are made at a time, as one word: halves, quarters
 * and eighths are parted by multiplications (after D. Lemire, "Converting integers to fixed-digit
 * representations quickly", 2021). */
/* SPDX-License-Identifier: MIT */
#include "io/number.h"

#include <string.h>

#define ZERO_KEY (UINT64_C(1) << 63)
#define ZEROS UINT64_C(0x3030303030303030)
enum { EIGHT = 100000000, DIGITS_MOST = 24 };

/* The digits of a number below 10^8, the first one in the lowest byte. */
static inline uint64_t eight_digits(uint64_t value)
{
    uint64_t fours = value / 10000 | value % 10000 << 32;
    uint64_t upper = (fours * 10486) >> 20 & UINT64_C(0x0000007f0000007f);
    uint64_t twos = upper | (fours - 100 * upper) << 16;
    uint64_t tens = (twos * 103) >> 10 & UINT64_C(0x000f000f000f000f);
    return tens | (twos - 10 * tens) << 8;
}

static inline void store_word(unsigned char *to, uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(to, &word, 8);
}

/* The digits of a number below 10^8 without zeros in front; at least one. */
static inline unsigned char *put_first(unsigned char *to, uint64_t value)
{
    uint64_t word = eight_digits(value);
    unsigned zeros = (unsigned)__builtin_ctzll(word | UINT64_C(1) << 56) / 8;
    store_word(to, (word | ZEROS) >> 8 * zeros);
    return to + 8 - zeros;
}

static inline unsigned char *put_digits(unsigned char *to, uint64_t value)
{
    if (value < EIGHT) {
        return put_first(to, value);
    }
    uint64_t upper = value / EIGHT;
    if (upper < EIGHT) {
        to = put_first(to, upper);
    } else {
        to = put_first(to, upper / EIGHT);
        store_word(to, eight_digits(upper % EIGHT) | ZEROS);
        to += 8;
    }
    store_word(to, eight_digits(value % EIGHT) | ZEROS);
    return to + 8;
}

unsigned char *io_number_text(const io_number_plan *plan, uint64_t key, unsigned char *to)
{
    uint64_t code = key < ZERO_KEY ? ZERO_KEY - key : key - ZERO_KEY;
    *to = '-';
    to += key < ZERO_KEY;
    if (plan->scale == 0) {
        return put_digits(to, code);
    }
    unsigned char digits[2 * DIGITS_MOST];
    memset(digits, '0', DIGITS_MOST);
    const unsigned char *end = put_digits(digits + DIGITS_MOST, code);
    size_t behind = (size_t)plan->scale, count = (size_t)(end - digits) - DIGITS_MOST;
    size_t whole = count > behind ? count - behind : 1;
    memcpy(to, end - behind - whole, whole);
    to[whole] = '.';
    memcpy(to + whole + 1, end - behind, behind);
    return to + whole + 1 + behind;
}
