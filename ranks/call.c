/* call.c - memory, errors and counts of one collective call. */
/* SPDX-License-Identifier: MIT */
#include "ranks/call.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local char last_error[USW_SENTENCE];

const char *usw_ranks_error(void)
{
    return last_error;
}

void usw_set_ranks_error(const char *sentence)
{
    snprintf(last_error, sizeof last_error, "%s", sentence);
}

void usw_begin(usw_call *c, usw_transport *t, upsweep *u, unsigned name)
{
    memset(c, 0, sizeof *c);
    c->t = t;
    c->u = u;
    c->said[USW_SAID_VERSION] = UPSWEEP_VERSION;
    c->said[USW_SAID_CALL] = name;
    upsweep_report report = UPSWEEP_REPORT_INIT;
    if (u == NULL) {
        usw_wrong(c, UPSWEEP_ERROR_ARGUMENT, "the handle is NULL");
    } else if (upsweep_version_number() / 100 != UPSWEEP_VERSION / 100) {
        usw_wrong(c, UPSWEEP_ERROR_UNSUPPORTED,
                  "libupsweep_mpi is of version " UPSWEEP_VERSION_TEXT ", libupsweep of %s",
                  upsweep_version());
    } else {
        /* Where a call on one byte of the host's memory computes, others do. */
        uint8_t one = 1, out;
        size_t kept;
        if (usw_done(c, upsweep_compact(u, &one, &one, &out, 1, 1, &kept, NULL)) &&
            usw_done(c, upsweep_last_report(u, &report))) {
            c->host = strcmp(report.device, "cpu") == 0;
        }
    }
}

upsweep_status usw_end(usw_call *c)
{
    for (unsigned i = 0; i < c->piece_count; i++) {
        free(c->pieces[i]);
    }
    if (c->status != UPSWEEP_OK) {
        usw_set_ranks_error(c->why);
    }
    return c->status;
}

bool usw_wrong(usw_call *c, upsweep_status status, const char *format, ...)
{
    if (c->status == UPSWEEP_OK) {
        va_list list;
        va_start(list, format);
        vsnprintf(c->why, sizeof c->why, format, list);
        va_end(list);
        c->status = status;
    }
    return false;
}

bool usw_done(usw_call *c, upsweep_status status)
{
    if (status != UPSWEEP_OK) {
        char sentence[USW_SENTENCE];
        upsweep_last_error(c->u, sentence, sizeof sentence);
        usw_wrong(c, status, "%s", sentence);
    }
    return status == UPSWEEP_OK;
}

bool usw_sent(usw_call *c, int failed)
{
    if (failed != 0) {
        char sentence[USW_SENTENCE - 64];
        c->t->say(c->t, sentence, sizeof sentence);
        usw_wrong(c, UPSWEEP_ERROR_DEVICE, "the ranks' exchange failed: %s", sentence);
        c->agreed = true; /* nothing more can be asked */
    }
    return failed == 0;
}

/* The sentence of the lowest rank that failed worst goes to all. */
static bool share_failure(usw_call *c, uint64_t worst)
{
    enum { WORDS = (USW_SENTENCE - 32) / 8 };
    uint64_t words[WORDS] = {0};
    uint64_t whose = (uint64_t)c->t->size - (worst & UINT32_MAX);
    if (whose == (uint64_t)c->t->rank) {
        memcpy(words, c->why, sizeof words - 1);
    }
    c->status = UPSWEEP_OK;
    if (!usw_sent(c, c->t->allreduce(c->t, words, WORDS, USW_BITS))) {
        return false;
    }
    c->agreed = true;
    char sentence[sizeof words];
    memcpy(sentence, words, sizeof sentence);
    return usw_wrong(c, (upsweep_status)(worst >> 32), "rank %llu: %s", (unsigned long long)whose,
                     sentence);
}

bool usw_agree(usw_call *c)
{
    if (c->agreed) {
        return false;
    }
    uint64_t worst = c->status == UPSWEEP_OK
                         ? 0
                         : (uint64_t)c->status << 32 | (uint64_t)(c->t->size - c->t->rank);
    if (!usw_sent(c, c->t->allreduce(c->t, &worst, 1, USW_MOST))) {
        return false;
    }
    if (worst == 0) {
        return true;
    }
    USW_RANKS_ROUTE(c, "a rank has failed: all say so", USW_NO_TYPES);
    return share_failure(c, worst);
}

bool usw_agree_on_said(usw_call *c)
{
    static const char *const names[USW_TOPICS] = {"version of the library",
                                                  "call",
                                                  "type",
                                                  "flags",
                                                  "bits",
                                                  "algorithm",
                                                  "layout",
                                                  "splitters",
                                                  "size or count",
                                                  "operator, fields or buckets"};
    uint64_t most[2 * USW_TOPICS];
    for (int i = 0; i < USW_TOPICS; i++) {
        most[i] = c->said[i];
        most[USW_TOPICS + i] = ~c->said[i];
    }
    if (!usw_sent(c, c->t->allreduce(c->t, most, 2 * USW_TOPICS, USW_MOST))) {
        return false;
    }
    for (int i = 0; i < USW_TOPICS; i++) {
        if (most[i] != ~most[USW_TOPICS + i]) {
            c->status = UPSWEEP_OK; /* what all see goes before what one has seen */
            c->agreed = true;
            return usw_wrong(c, UPSWEEP_ERROR_ARGUMENT, "the ranks disagree on the %s", names[i]);
        }
    }
    return usw_agree(c);
}

uint64_t usw_hash(uint64_t seed, const void *bytes, size_t count)
{
    uint64_t hash = seed ^ UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    const unsigned char *p = bytes;
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static void *take(usw_call *c, size_t count, size_t bytes, bool zeros)
{
    size_t size;
    bool fails = ++c->t->allocations == c->t->fail_allocation || c->piece_count == USW_PIECES ||
                 __builtin_mul_overflow(count, bytes, &size);
    void *piece = fails ? NULL : zeros ? calloc(size + 1, 1) : malloc(size + 1);
    if (piece == NULL) {
        usw_wrong(c, UPSWEEP_ERROR_MEMORY, "no memory for %zu elements of %zu bytes", count, bytes);
        return NULL;
    }
    return c->pieces[c->piece_count++] = piece;
}

void *usw_take(usw_call *c, size_t count, size_t bytes)
{
    return take(c, count, bytes, false);
}

void *usw_take_zeros(usw_call *c, size_t count, size_t bytes)
{
    return take(c, count, bytes, true);
}

void usw_give(usw_call *c, void *piece)
{
    for (unsigned i = 0; i < c->piece_count; i++) {
        if (c->pieces[i] == piece) {
            free(piece);
            c->pieces[i] = c->pieces[--c->piece_count];
            return;
        }
    }
}

bool usw_count_ranks(usw_call *c, uint64_t n)
{
    c->first = usw_take_zeros(c, (size_t)c->t->size + 1, sizeof *c->first);
    if (c->first != NULL) {
        c->first[c->t->rank + 1] = n;
    }
    if (!usw_agree(c) ||
        !usw_sent(c, c->t->allreduce(c->t, c->first + 1, (size_t)c->t->size, USW_SUM))) {
        return false;
    }
    for (int r = 0; r < c->t->size; r++) {
        c->first[r + 1] += c->first[r];
    }
    return true;
}

bool usw_copy(usw_call *c, void *to, const void *from, size_t n, size_t bytes)
{
    if (n == 0 || to == from) {
        return true;
    }
    if (c->host) {
        memmove(to, from, n * bytes);
        return true;
    }
    /* Only the library knows where they are: it keeps all elements and drops none. */
    uint8_t *all = usw_take(c, n, 1);
    if (all == NULL) {
        return false;
    }
    memset(all, 1, n);
    size_t kept;
    bool good = usw_done(c, upsweep_compact(c->u, from, all, to, n, bytes, &kept, NULL)) &&
                usw_done(c, upsweep_wait(c->u));
    usw_give(c, all);
    return good;
}

const void *usw_on_host(usw_call *c, const void *array, size_t n, size_t bytes)
{
    if (c->host || n == 0) {
        return array;
    }
    void *copy = usw_take(c, n, bytes);
    return copy != NULL && usw_copy(c, copy, array, n, bytes) ? copy : NULL;
}

bool usw_take_options(usw_call *c, const upsweep_options *options, unsigned allowed,
                      upsweep_options *taken)
{
    *taken = (upsweep_options)UPSWEEP_OPTIONS_INIT;
    if (options == NULL) {
        return true;
    }
    size_t size = options->size == 0 ? sizeof *taken : options->size;
    if (size != sizeof *taken) {
        return usw_wrong(c, UPSWEEP_ERROR_ARGUMENT, "options have a size of %zu bytes, not %zu",
                         options->size, sizeof *taken);
    }
    *taken = *options;
    taken->size = sizeof *taken;
    c->said[USW_SAID_FLAGS] = taken->flags;
    c->said[USW_SAID_BITS] = (uint64_t)taken->bit_begin << 32 | taken->bit_end;
    c->said[USW_SAID_ALGORITHM] =
        taken->algorithm == NULL ? 0 : usw_hash(1, taken->algorithm, strlen(taken->algorithm));
    if ((taken->flags & ~allowed) != 0) {
        return usw_wrong(c, UPSWEEP_ERROR_ARGUMENT, "flags %#x are not for this call",
                         taken->flags & ~allowed);
    }
    return true;
}
