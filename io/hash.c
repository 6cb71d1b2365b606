/* hash.c - XXH64 as its specification has it: four lanes of 8 bytes a step, then what is left.
 * Little-endian machines only, which are all that upsweep knows. */
/* SPDX-License-Identifier: MIT */
#include "io/hash.h"

#include "io/parallel.h"

#include <stdlib.h>
#include <string.h>

enum { STRIPE = 32, PIECE = 1 << 20 };

static const uint64_t prime1 = 0x9e3779b185ebca87u, prime2 = 0xc2b2ae3d27d4eb4fu,
                      prime3 = 0x165667b19e3779f9u, prime4 = 0x85ebca77c2b2ae63u,
                      prime5 = 0x27d4eb2f165667c5u;

static uint64_t rotate(uint64_t value, unsigned by)
{
    return value << by | value >> (64 - by);
}

static uint64_t load64(const unsigned char *p)
{
    uint64_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

static uint64_t mix(uint64_t lane, uint64_t input)
{
    return rotate(lane + input * prime2, 31) * prime1;
}

static uint64_t stripes(const unsigned char **at, size_t count)
{
    uint64_t lane[4] = {prime1 + prime2, prime2, 0, 0 - prime1};
    const unsigned char *p = *at;
    for (; count > 0; count--, p += STRIPE) {
        for (size_t i = 0; i < 4; i++) {
            lane[i] = mix(lane[i], load64(p + 8 * i));
        }
    }
    *at = p;
    uint64_t sum =
        rotate(lane[0], 1) + rotate(lane[1], 7) + rotate(lane[2], 12) + rotate(lane[3], 18);
    for (size_t i = 0; i < 4; i++) {
        sum = (sum ^ mix(0, lane[i])) * prime1 + prime4;
    }
    return sum;
}

uint64_t io_hash(const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    size_t left = size % STRIPE;
    uint64_t sum = (size < STRIPE ? prime5 : stripes(&p, size / STRIPE)) + size;
    for (; left >= 8; left -= 8, p += 8) {
        sum = rotate(sum ^ mix(0, load64(p)), 27) * prime1 + prime4;
    }
    if (left >= 4) {
        uint32_t word;
        memcpy(&word, p, sizeof word);
        sum = rotate(sum ^ word * prime1, 23) * prime2 + prime3;
        left -= 4;
        p += 4;
    }
    for (; left > 0; left--, p++) {
        sum = rotate(sum ^ *p * prime5, 11) * prime1;
    }
    sum = (sum ^ sum >> 33) * prime2;
    sum = (sum ^ sum >> 29) * prime3;
    return sum ^ sum >> 32;
}

typedef struct pieces {
    const unsigned char *bytes;
    size_t size;
    uint64_t *sums;
} pieces;

static void hash_piece(void *context, size_t task, unsigned lane)
{
    (void)lane;
    pieces *p = context;
    size_t from = task * PIECE, left = p->size - from;
    p->sums[task] = io_hash(p->bytes + from, left < PIECE ? left : PIECE);
}

uint64_t io_hash_pieces(const void *bytes, size_t size, unsigned threads)
{
    size_t count = size / PIECE + (size % PIECE != 0);
    uint64_t one[64], sum;
    pieces p = {bytes, size, count <= 64 ? one : malloc(count * sizeof *p.sums)};
    if (p.sums == NULL) { /* never equal to what was stored, so that no damage goes unseen */
        return 0;
    }
    io_parallel(threads, count, hash_piece, &p);
    sum = io_hash(p.sums, count * sizeof *p.sums);
    if (p.sums != one) {
        free(p.sums);
    }
    return sum;
}
