/* pack.c - the codec of blocks in temporary files, and whether they are packed. */
/* SPDX-License-Identifier: MIT */
#include "external/pack.h"

#include <string.h>

#include "core/frame.h"

enum {
    HASH_BITS = 12,
    MATCH_LEAST = 4,
    FAR = 65535,     /* the greatest distance of a match */
    LAST = 5,        /* bytes at the end that no match has, */
    LAST_BEGIN = 12, /* and in which none begins */
    LITERALS = 4000, /* a block with more that match nothing is not packed, so that the lengths that
                        come before its first bytes are short */
    PATIENCE = 6,    /* 2^6 places without a match make steps longer by one */
    STEP = 16        /* bytes that are copied at once */
};

static inline uint64_t word_at(const unsigned char *p)
{
    uint64_t word;
    memcpy(&word, p, 8);
    return word;
}

/* Differs where a bit does, and where words are exchanged. */
static uint32_t checksum(const unsigned char *p, size_t bytes)
{
    uint64_t sum = bytes;
    for (; bytes >= 8; p += 8, bytes -= 8) {
        sum = (sum ^ word_at(p)) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
    }
    for (; bytes > 0; p++, bytes--) {
        sum = (sum ^ *p) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
    }
    return (uint32_t)(sum >> 32);
}

/* ---- packing ---- */

/* Of five bytes, so that what is found is mostly longer than four. */
static inline uint32_t hash_at(const unsigned char *p)
{
    uint64_t word = word_at(p);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return (uint32_t)((word << 24) * UINT64_C(889523592379) >> (64 - HASH_BITS));
}

/* How many bytes at p and q are equal, p being behind q, before `end`. */
static inline size_t equal_bytes(const unsigned char *p, const unsigned char *q,
                                 const unsigned char *end)
{
    const unsigned char *begin = p;
    for (; end - p >= 8; p += 8, q += 8) {
        uint64_t difference = word_at(p) ^ word_at(q);
        if (difference != 0) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
            return (size_t)(p - begin) + (size_t)__builtin_clzll(difference) / 8;
#else
            return (size_t)(p - begin) + (size_t)__builtin_ctzll(difference) / 8;
#endif
        }
    }
    while (p < end && *p == *q) {
        p++;
        q++;
    }
    return (size_t)(p - begin);
}

static unsigned char *put_length(unsigned char *to, size_t rest)
{
    for (; rest >= 255; rest -= 255) {
        *to++ = 255;
    }
    *to++ = (unsigned char)rest;
    return to;
}

/* `count` bytes as they are, and then a match, or none (length 0) at the end. NULL: no room. */
static unsigned char *put_sequence(unsigned char *to, const unsigned char *end,
                                   const unsigned char *literals, size_t count, size_t length,
                                   size_t distance)
{
    size_t most = 1 + count + count / 255 + 1 + 2 + length / 255 + 1;
    if ((size_t)(end - to) < most || count > LITERALS) {
        return NULL;
    }
    unsigned char *token = to++;
    size_t rest = length - (length > 0 ? MATCH_LEAST : 0);
    *token = (unsigned char)((count < 15 ? count : 15) << 4 | (rest < 15 ? rest : 15));
    to = count < 15 ? to : put_length(to, count - 15);
    if (count <= STEP && end - to >= STEP) {
        memcpy(to, literals, STEP);
    } else {
        memcpy(to, literals, count);
    }
    to += count;
    if (length > 0) {
        *to++ = (unsigned char)distance;
        *to++ = (unsigned char)(distance >> 8);
        to = rest < 15 ? to : put_length(to, rest - 15);
    }
    return to;
}

size_t usw_pack(const unsigned char *from, size_t bytes, unsigned char *to, size_t room)
{
    uint32_t places[1 << HASH_BITS] = {0};
    const unsigned char *p = from, *put = from, *end = from + bytes, *limit = p;
    limit += bytes > LAST_BEGIN ? bytes - LAST_BEGIN : 0;
    if (room <= USW_PACK_SUM) {
        return 0;
    }
    unsigned char *out = to + USW_PACK_SUM, *out_end = to + room;
    for (size_t tried = (1 << PATIENCE) + 1; p < limit && out != NULL;) {
        uint32_t h = hash_at(p);
        const unsigned char *q = from + places[h];
        places[h] = (uint32_t)(p - from);
        if (q == p || p - q > FAR || memcmp(q, p, MATCH_LEAST) != 0) {
            p += tried++ >> PATIENCE;
            continue;
        }
        while (p > put && q > from && p[-1] == q[-1]) {
            p--;
            q--;
        }
        size_t length = MATCH_LEAST + equal_bytes(p + MATCH_LEAST, q + MATCH_LEAST, end - LAST);
        out = put_sequence(out, out_end, put, (size_t)(p - put), length, (size_t)(p - q));
        p += length;
        put = p;
        places[hash_at(p - 2)] = (uint32_t)(p - 2 - from);
        tried = 1 << PATIENCE;
    }
    out = out == NULL ? NULL : put_sequence(out, out_end, put, (size_t)(end - put), 0, 0);
    if (out == NULL) {
        return 0;
    }
    uint32_t sum = checksum(to + USW_PACK_SUM, (size_t)(out - to) - USW_PACK_SUM);
    memcpy(to, &sum, USW_PACK_SUM);
    return (size_t)(out - to);
}

/* ---- unpacking ---- */

/* Adds what follows a length of 15; where it is more than `most` it may not be all. */
static inline bool take_length(const unsigned char **p, const unsigned char *end, size_t *length,
                               size_t most)
{
    unsigned more;
    do {
        if (*p == end) {
            return false;
        }
        more = *(*p)++;
        *length += more;
    } while (more == 255 && *length <= most);
    return true;
}

/* Copies within what has been unpacked, where both may overlap. Whole steps may be written up to
 * `end`. */
static inline void copy_match(unsigned char *to, size_t distance, size_t length,
                              const unsigned char *end)
{
    const unsigned char *from = to - distance;
    if (distance >= STEP && (size_t)(end - to) >= length + STEP) {
        for (size_t i = 0; i < length; i += STEP) {
            memcpy(to + i, from + i, STEP);
        }
    } else if (distance >= length) {
        memcpy(to, from, length);
    } else {
        for (size_t i = 0; i < length; i++) {
            to[i] = from[i];
        }
    }
}

/* Unpacks until there are `bytes` bytes or an end of the input; *from is behind what was read then.
 * Literals may lie in front of where they go, in the same memory. Returns how many there are. */
static size_t unpack(const unsigned char **from, const unsigned char *end, unsigned char *to,
                     size_t bytes)
{
    const unsigned char *p = *from;
    unsigned char *q = to, *stop = to + bytes;
    while (q < stop && p < end) {
        unsigned token = *p++;
        size_t count = token >> 4, length = token & 15;
        if (count == 15 && !take_length(&p, end, &count, LITERALS)) {
            break;
        }
        if (count <= STEP && end - p >= STEP && stop - q >= STEP) {
            memmove(q, p, STEP);
        } else {
            count = usw_min(count, (size_t)(stop - q));
            if (count > (size_t)(end - p)) {
                break;
            }
            memmove(q, p, count);
        }
        q += count;
        p += count;
        if (q == stop || end - p < 2) {
            break;
        }
        size_t distance = p[0] | (size_t)p[1] << 8;
        p += 2;
        if ((length == 15 && !take_length(&p, end, &length, (size_t)(stop - q))) || distance == 0 ||
            distance > (size_t)(q - to)) {
            break;
        }
        length = usw_min(length + MATCH_LEAST, (size_t)(stop - q));
        copy_match(q, distance, length, stop);
        q += length;
    }
    *from = p;
    return (size_t)(q - to);
}

bool usw_unpack(const unsigned char *from, size_t stored, unsigned char *to, size_t bytes)
{
    uint32_t sum;
    if (stored <= USW_PACK_SUM) {
        return false;
    }
    memcpy(&sum, from, USW_PACK_SUM);
    const unsigned char *p = from + USW_PACK_SUM, *end = from + stored;
    return checksum(p, stored - USW_PACK_SUM) == sum && unpack(&p, end, to, bytes) == bytes &&
           p == end;
}

bool usw_unpack_begin(const unsigned char *from, size_t stored, unsigned char *to, size_t bytes)
{
    const unsigned char *p = from + USW_PACK_SUM;
    return stored > USW_PACK_SUM && unpack(&p, from + stored, to, bytes) == bytes;
}

/* ---- whether it pays ---- */

enum {
    WRITTEN_LEAST = 2 << 20, /* bytes, before which a disk is not known; */
    WRITTEN_MOST = 32 << 20, /* after so many, what was before counts half, */
    FROM_MOST = 4 << 20      /* and after so many that were packed */
};

void usw_packing_note_write(usw_ext_packing *p, size_t bytes, double seconds)
{
    p->written += (double)bytes;
    p->write_seconds += seconds;
    while (p->written > WRITTEN_MOST) {
        p->written /= 2;
        p->write_seconds /= 2;
    }
}

void usw_packing_note_pack(usw_ext_packing *p, size_t from, size_t to, double seconds)
{
    p->from += (double)from;
    p->to += (double)to;
    p->pack_seconds += seconds;
    while (p->from > FROM_MOST) {
        p->from /= 2;
        p->to /= 2;
        p->pack_seconds /= 2;
    }
}

/* Packing must save half as much again as the time that it takes: it is work for a processor that
 * others may wait for, and unpacking takes a third as long. What reading saves is not known yet. */
bool usw_packing_pays(const usw_ext_packing *p)
{
    if (p->wish != USW_PACK_WHERE_FASTER || p->written < WRITTEN_LEAST || p->from <= 0) {
        return p->wish == USW_PACK_ALWAYS;
    }
    double saved = p->write_seconds / p->written * (p->from - p->to);
    return saved > 1.5 * p->pack_seconds;
}
