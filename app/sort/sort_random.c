/* sort_random.c - the order of -R: lines by the MD5 (RFC 1321) of 16 random bytes and the key, so
 * that equal keys stay together. It is the order of GNU sort, byte for byte, where both take the
 * random bytes from the same file. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_kinds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "app/app.h"
#include "app/quote.h"

enum { BLOCK = 64, DIGEST = 16 };

typedef struct md5 {
    uint32_t state[4];
    uint64_t bytes;
    unsigned char block[BLOCK];
} md5;

static uint32_t rotate(uint32_t x, int by)
{
    return x << by | x >> (32 - by);
}

/* floor(2^32 * |sin(i + 1)|) */
static const uint32_t sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};
static const int turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

static void take_block(md5 *m, const unsigned char *p)
{
    uint32_t x[16], a = m->state[0], b = m->state[1], c = m->state[2], d = m->state[3];
    for (int i = 0; i < 16; i++, p += 4) {
        x[i] = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    }
    for (int i = 0; i < 64; i++) {
        int round = i / 16;
        uint32_t f = round == 0   ? (b & c) | (~b & d)
                     : round == 1 ? (d & b) | (~d & c)
                     : round == 2 ? b ^ c ^ d
                                  : c ^ (b | ~d);
        static const int step[4] = {1, 5, 3, 7}, start[4] = {0, 1, 5, 0};
        f += a + sines[i] + x[(start[round] + step[round] * i) & 15];
        a = d;
        d = c;
        c = b;
        b += rotate(f, turns[round][i & 3]);
    }
    m->state[0] += a;
    m->state[1] += b;
    m->state[2] += c;
    m->state[3] += d;
}

static void add(md5 *m, const void *bytes, size_t count)
{
    const unsigned char *p = bytes;
    while (count > 0) {
        size_t at = m->bytes % BLOCK, take = count < BLOCK - at ? count : BLOCK - at;
        memcpy(m->block + at, p, take);
        m->bytes += take;
        p += take;
        count -= take;
        if (at + take == BLOCK) {
            take_block(m, m->block);
        }
    }
}

static void finish(md5 *m, unsigned char digest[DIGEST])
{
    static const unsigned char end[BLOCK] = {0x80};
    unsigned char length[8];
    for (int i = 0; i < 8; i++) {
        length[i] = (unsigned char)(m->bytes << 3 >> (8 * i));
    }
    add(m, end, 1 + (BLOCK - 1 + 56 - m->bytes % BLOCK) % BLOCK);
    add(m, length, sizeof length);
    for (int i = 0; i < DIGEST; i++) {
        digest[i] = (unsigned char)(m->state[i / 4] >> (8 * (i % 4)));
    }
}

/* Where the locale orders text, texts that it holds for equal have one hash: each part up to a NUL
 * is transformed. */
static void add_transformed(md5 *m, const sort_locale *l, sort_text text)
{
    while (text.p < text.end) {
        const char *part = (const char *)text.p;
        size_t bytes = strxfrm_l(NULL, part, 0, l->handle) + 1;
        sort_room room;
        unsigned char *made = sort_room_take(&room, bytes);
        strxfrm_l((char *)made, part, bytes, l->handle);
        add(m, made, bytes);
        sort_room_give(&room);
        text.p += strlen(part) + 1;
    }
}

/* sort(1) transforms text in all locales but these, and each part gets an end. Where the order is
 * that of bytes, as in C.UTF-8, what it transforms stays as it is. */
static bool has_ends(const sort_locale *l)
{
    return strcmp(l->name, "C") != 0 && strcmp(l->name, "POSIX") != 0;
}

static void hash(const sort_order *order, sort_text text, unsigned char digest[DIGEST])
{
    md5 m = {.state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}};
    add(&m, order->random, sizeof order->random);
    if (order->locale->collate) {
        add_transformed(&m, order->locale, text);
    } else {
        add(&m, text.p, (size_t)(text.end - text.p));
        add(&m, "", has_ends(order->locale) && text.p < text.end && text.end[-1] != '\0');
    }
    finish(&m, digest);
}

/* Of two texts with one hash, which nobody has seen by chance, the order is that of their bytes. In
 * a locale one hash is that of equal texts, which may differ by a NUL at the end. */
int sort_random_compare(const sort_order *order, sort_text a, sort_text b)
{
    unsigned char x[DIGEST], y[DIGEST];
    hash(order, a, x);
    hash(order, b, y);
    int difference = memcmp(x, y, DIGEST);
    if (difference != 0) {
        return difference;
    }
    if (has_ends(order->locale)) {
        return 0;
    }
    size_t a_bytes = (size_t)(a.end - a.p), b_bytes = (size_t)(b.end - b.p);
    difference = memcmp(a.p, b.p, a_bytes < b_bytes ? a_bytes : b_bytes);
    return difference != 0 ? difference : (a_bytes > b_bytes) - (a_bytes < b_bytes);
}

uint64_t sort_random_key(const sort_order *order, sort_text text)
{
    unsigned char digest[DIGEST];
    uint64_t key = 0;
    hash(order, text, digest);
    for (int i = 0; i < 8; i++) {
        key = key << 8 | digest[i];
    }
    return key;
}

int sort_random_begin(sort_order *order, const char *source)
{
    if (source == NULL) {
        ssize_t got = getrandom(order->random, sizeof order->random, 0);
        return got == (ssize_t)sizeof order->random
                   ? APP_OK
                   : app_fail("getrandom: %s", strerror(got < 0 ? errno : EIO));
    }
    FILE *f = fopen(source, "rb");
    if (f == NULL) {
        return app_fail("open failed: %s: %s", app_quote(source), strerror(errno));
    }
    errno = 0;
    size_t got = fread(order->random, 1, sizeof order->random, f);
    int error = errno;
    fclose(f);
    if (got == sizeof order->random) {
        return APP_OK;
    }
    return error != 0 ? app_fail("%s: read error: %s", app_quote_always(source), strerror(error))
                      : app_fail("%s: end of file", app_quote_always(source));
}
