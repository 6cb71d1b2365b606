/* few_values.h - the counting sort of pairs whose keys have up to 32 different values.
 *
 * Each key is looked up in a hash table without collisions, and the number of its value is noted.
 * So keys are counted by value; then only payloads move, stable, to the range of their value, and
 * the counts give the keys. If there are too many values the input is still whole, and sort_range
 * (pair_sort_cpu.h) goes on to its other methods. Included once per key width. */
/* SPDX-License-Identifier: MIT */

#ifndef USW_CPU_PAIR_SORT_FEW_VALUES_H
#define USW_CPU_PAIR_SORT_FEW_VALUES_H
#define VALUES_MULTIPLIER UINT64_C(0x9e3779b97f4a7c15)
enum {
    VALUES_FROM = 1024, /* keys */
    VALUES_MAX = 32,
    VALUES_SAMPLE = 32,      /* keys from all over the array */
    VALUES_SAMPLE_MOST = 20, /* values in the sample; with more this sort is not tried */
    VALUES_MORE = 4,         /* values beyond twice the sample's, at most: finding one costs time */
    VALUES_SLOTS = 256,
    VALUES_TRIES = 1024, /* multipliers; about one in seven gives 32 values slots of their own */
    VALUES_BLOCK = 1024, /* keys; so few that a counter of one byte does for one in 32 of them */
    VALUES_AT_ONCE = 8,
    SMALL_SLOTS = 32 /* of few_values_avx2.h */
};
#endif

/* The small hash table of up to 16 values: their halves and numbers by slot. */
typedef struct FN(small_hash) {
    uint32_t low[SMALL_SLOTS], high[SMALL_SLOTS], multiplier[2];
    uint8_t number[SMALL_SLOTS];
} FN(small_hash);

/* The values of a chunk, numbered in the order in which they were found, and their hash table. An
 * empty slot holds value[0], which hashes to another slot: no key that hashes to the empty slot
 * equals it. */
typedef struct FN(values) {
    KEY slot[VALUES_SLOTS];
    uint8_t number[VALUES_SLOTS];
    uint64_t multiplier;
    KEY value[VALUES_MAX];
    size_t place[VALUES_MAX]; /* how many keys have the value; then where its next payload goes */
    unsigned count, most;     /* values, and how many there may be */
    bool too_many;
    bool has_small; /* `small` holds all values, too */
    FN(small_hash) small;
} FN(values);

/* A value of any chunk, and where its keys end in the outputs. */
typedef struct FN(value_end) {
    KEY mapped, value;
    size_t end;
} FN(value_end);

typedef struct FN(values_job) {
    FN(job) * job;
    FN(values) * values; /* [chunk] */
    uint8_t *numbers;    /* [key] of its chunk's values */
    char *to;            /* payloads in order: where the keys were, if there is room */
    FN(value_end) all[VALUES_MAX];
    unsigned count;
} FN(values_job);

static inline unsigned FN(slot_of)(const FN(values) * v, KEY key)
{
    return (unsigned)((uint64_t)key * v->multiplier >> 56);
}

#include "cpu/pair_sort/few_values_avx2.h"

/* Finds a multiplier under which no two values share a slot, and fills the table; false if none of
 * VALUES_TRIES does. */
static bool FN(build_hash)(FN(values) * v)
{
    v->has_small = v->count <= 16 && FN(build_small_hash)(v);
    for (unsigned tries = 0; tries < VALUES_TRIES; tries++) {
        uint64_t taken[VALUES_SLOTS / 64] = {0};
        bool distinct = true;
        for (unsigned i = 0; i < v->count && distinct; i++) {
            unsigned at = FN(slot_of)(v, v->value[i]);
            distinct = (taken[at / 64] >> at % 64 & 1) == 0;
            taken[at / 64] |= UINT64_C(1) << at % 64;
        }
        if (distinct) {
            for (unsigned i = 0; i < VALUES_SLOTS; i++) {
                v->slot[i] = v->value[0];
            }
            for (unsigned i = 0; i < v->count; i++) {
                unsigned at = FN(slot_of)(v, v->value[i]);
                v->slot[at] = v->value[i];
                v->number[at] = (uint8_t)i;
            }
            return true;
        }
        v->multiplier = v->multiplier * UINT64_C(6364136223846793005) + 2; /* odd */
    }
    return false;
}

/* Key i of the sample. Its distances to the next ones differ, so that an array which mirrors or
 * repeats itself does not show the same keys again. */
static inline KEY FN(sampled_key)(const FN(job) * job, size_t i)
{
    size_t step = job->n / VALUES_SAMPLE;
    return job->from[step * i + step * (i * 5 % 16) / 16];
}

/* Whether the sample may have few values, by one bit of 64 for each key's hash: 32 different keys
 * set 25 bits on average. */
static bool FN(may_have_few_values)(const FN(job) * job)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < VALUES_SAMPLE; i++) {
        uint64_t key = FN(sampled_key)(job, i);
        seen |= UINT64_C(1) << (key * VALUES_MULTIPLIER >> 58);
    }
    return __builtin_popcountll(seen) <= VALUES_SAMPLE_MOST;
}

/* Builds the hash table of the sample's values; false if the sample has too many. */
static bool FN(sample_values)(const FN(job) * job, FN(values) * v)
{
    v->count = 0;
    for (size_t i = 0; i < VALUES_SAMPLE; i++) {
        KEY key = FN(sampled_key)(job, i);
        unsigned at = 0;
        while (at < v->count && v->value[at] != key) {
            at++;
        }
        v->value[at] = key;
        v->count += at == v->count;
    }
    if (v->count > VALUES_SAMPLE_MOST) {
        return false;
    }
    v->most = (unsigned)usw_min(2 * v->count + VALUES_MORE, VALUES_MAX);
    v->multiplier = VALUES_MULTIPLIER;
    v->small.multiplier[0] = (uint32_t)VALUES_MULTIPLIER;
    v->small.multiplier[1] = (uint32_t)(VALUES_MULTIPLIER >> 32);
    memset(v->small.number, 0, sizeof v->small.number);
    v->too_many = false;
    memset(v->number, 0, sizeof v->number);
    memset(v->place, 0, sizeof v->place);
    return FN(build_hash)(v);
}

/* Looks up the numbers of n keys; false if the table lacks the value of a key. */
static inline bool FN(number_keys)(const FN(values) * v, const KEY *keys, size_t n,
                                   uint8_t *restrict numbers)
{
    KEY other = 0;
    bool known = true;
    for (size_t i = FN(number_by_vectors)(v, keys, n, numbers, &known); i < n; i++) {
        unsigned at = FN(slot_of)(v, keys[i]);
        other |= keys[i] ^ v->slot[at];
        numbers[i] = v->number[at];
    }
    return known && other == 0;
}

/* Adds the values of n keys that the table lacks; false if the values become too many. */
static bool FN(add_values)(FN(values) * v, const KEY *keys, size_t n)
{
    USW_ROUTE("a value that the sample missed");
    for (size_t i = 0; i < n; i++) {
        if (v->slot[FN(slot_of)(v, keys[i])] == keys[i]) {
            continue;
        }
        if (v->count == v->most) {
            return false;
        }
        v->value[v->count++] = keys[i];
        if (!FN(build_hash)(v)) {
            return false;
        }
    }
    return true;
}

/* Counts the keys of a chunk by value, and notes their numbers. */
static void FN(count_values)(void *context, size_t c, unsigned lane)
{
    const FN(values_job) *s = context;
    FN(values) *v = s->values + c;
    size_t end = FN(chunk_end)(s->job, c);
    const KEY *keys = s->job->from;
    uint32_t odd[VALUES_MAX];
    (void)lane;
    for (size_t i = c * s->job->chunk; i < end && !v->too_many; i += VALUES_BLOCK) {
        size_t n = usw_min(end - i, VALUES_BLOCK);
        uint8_t *numbers = s->numbers + i;
        if (!FN(number_keys)(v, keys + i, n, numbers)) {
            v->too_many = !FN(add_values)(v, keys + i, n);
            FN(number_keys)(v, keys + i, n, numbers);
        }
        size_t k = FN(count_by_vectors)(v, numbers, n);
        memset(odd, 0, sizeof odd); /* neighbours do not wait for each other */
        for (; k + 2 <= n; k += 2) {
            v->place[numbers[k]]++;
            odd[numbers[k + 1]]++;
        }
        if (k < n) {
            v->place[numbers[k]]++;
        }
        for (unsigned d = 0; d < v->count; d++) {
            v->place[d] += odd[d];
        }
    }
}

/* Collects the values of all chunks in the order of the sort; false if they are too many. */
static bool FN(join_values)(FN(values_job) * s)
{
    FN(value_end) *all = s->all;
    s->count = 0;
    for (size_t c = 0; c < s->job->chunks; c++) {
        const FN(values) *v = s->values + c;
        for (unsigned i = 0; i < v->count && !v->too_many; i++) {
            KEY mapped = FN(mapped)(s->job->map, v->value[i]);
            unsigned at = 0;
            while (at < s->count && all[at].mapped < mapped) {
                at++;
            }
            if (at == s->count || all[at].mapped != mapped) {
                if (s->count == VALUES_MAX) {
                    return false;
                }
                memmove(all + at + 1, all + at, (s->count++ - at) * sizeof *all);
                all[at] = (FN(value_end)){.mapped = mapped, .value = v->value[i]};
            }
        }
        if (v->too_many) {
            return false;
        }
    }
    return true;
}

/* Turns the counts of each chunk into places. */
static void FN(scan_values)(FN(values_job) * s)
{
    size_t sum = 0;
    for (unsigned a = 0; a < s->count; a++) {
        for (size_t c = 0; c < s->job->chunks; c++) {
            FN(values) *v = s->values + c;
            for (unsigned i = 0; i < v->count; i++) {
                if (v->value[i] == s->all[a].value) {
                    size_t count = v->place[i];
                    v->place[i] = sum;
                    sum += count;
                }
            }
        }
        s->all[a].end = sum;
    }
}

/* Scatters the payloads of a chunk. Places are taken for VALUES_AT_ONCE payloads first, since a
 * processor does not load a counter while the address of an earlier store is unknown. */
ALWAYS void FN(move_payloads)(const FN(values_job) * s, size_t c, size_t bytes)
{
    size_t *place = s->values[c].place, i = c * s->job->chunk, end = FN(chunk_end)(s->job, c);
    const char *from = s->job->from_payloads;
    const uint8_t *numbers = s->numbers;
    char *to = s->to;
    for (; i + VALUES_AT_ONCE <= end; i += VALUES_AT_ONCE) {
        size_t at[VALUES_AT_ONCE];
        for (unsigned k = 0; k < VALUES_AT_ONCE; k++) {
            at[k] = place[numbers[i + k]]++;
        }
        for (unsigned k = 0; k < VALUES_AT_ONCE; k++) {
            put_payload(to, at[k], from, i + k, bytes);
        }
    }
    for (; i < end; i++) {
        put_payload(to, place[numbers[i]]++, from, i, bytes);
    }
}

static void FN(move_values)(void *context, size_t c, unsigned lane)
{
    const FN(values_job) *s = context;
    (void)lane;
#define MOVE(bytes) FN(move_payloads)(s, c, bytes)
    FOR_PAYLOAD(s->job->p->payload_bytes, MOVE)
#undef MOVE
}

/* Writes a chunk of the outputs: copies payloads that went to another array, and fills in keys. */
static void FN(put_values)(void *context, size_t c, unsigned lane)
{
    const FN(values_job) *s = context;
    const usw_pair_sort *p = s->job->p;
    size_t i = c * s->job->chunk, end = FN(chunk_end)(s->job, c), bytes = p->payload_bytes;
    KEY *out = p->out_keys;
    (void)lane;
    if (i < end && s->to != p->out_payloads) {
        memcpy((char *)p->out_payloads + i * bytes, s->to + i * bytes, (end - i) * bytes);
    }
    for (unsigned a = 0; out != NULL && a < s->count; a++) {
        size_t stop = usw_min(end, s->all[a].end);
        for (KEY value = s->all[a].value; i < stop; i++) {
            out[i] = value;
        }
    }
}

/* Sorts all pairs of the input; false, with nothing done, if keys are sorted by some of their bits
 * only, have too many values, or there is no scratch. */
static bool FN(sort_values)(upsweep *u, FN(job) * job)
{
    const usw_pair_sort *p = job->p;
    bool whole = p->bit_end - p->bit_begin == KEY_BITS;
    FN(values_job) s = {.job = job, .numbers = p->buffer_keys[1]};
    if (!whole || !FN(may_have_few_values)(job)) {
        return false;
    }
    s.values = usw_scratch(u, job->chunks * sizeof *s.values);
    if (s.values == NULL || !FN(sample_values)(job, s.values)) {
        return false;
    }
    for (size_t c = 1; c < job->chunks; c++) {
        s.values[c] = s.values[0];
    }
    usw_parallel(u, job->chunks, FN(count_values), &s);
    if (!FN(join_values)(&s)) {
        return false;
    }
    FN(scan_values)(&s);
    s.to = job->from_payloads == NULL                               ? p->out_payloads
           : p->out_keys != NULL && p->payload_bytes == sizeof(KEY) ? p->out_keys
                                                                    : p->buffer_payloads[1];
    usw_parallel(u, job->chunks, FN(move_values), &s);
    usw_parallel(u, job->chunks, FN(put_values), &s);
    return true;
}
