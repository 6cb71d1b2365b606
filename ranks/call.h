/* call.h - one collective call: what it holds, how its ranks agree on errors, and the calls
 * themselves, over any transport. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_RANKS_CALL_H
#define USW_RANKS_CALL_H

#include <stdbool.h>
#include <string.h>

#include "core/routes.h"
#include "ranks/transport.h"
#include "upsweep.h"

enum { USW_PIECES = 32, USW_SENTENCE = 512 };

/* What ranks must agree on, each a number of usw_call.said. */
typedef enum usw_topic {
    USW_SAID_VERSION,
    USW_SAID_CALL,
    USW_SAID_TYPE,
    USW_SAID_FLAGS,
    USW_SAID_BITS,
    USW_SAID_ALGORITHM,
    USW_SAID_LAYOUT,
    USW_SAID_SPLITTERS,
    USW_SAID_SIZE, /* of a value, a record or an index; k; how many buckets */
    USW_SAID_MORE, /* the operator; the fields; the buckets */
    USW_TOPICS
} usw_topic;

typedef struct usw_call {
    usw_transport *t;
    upsweep *u;
    upsweep_status status; /* of this rank; after usw_agree of all */
    bool agreed;           /* a failure that all ranks know of */
    bool host;             /* the handle computes on the CPU: arrays are in the host's memory */
    uint64_t said[USW_TOPICS];
    void *pieces[USW_PIECES];
    unsigned piece_count;
    /* Elements of each rank, and before each; `first` has size + 1 numbers. By usw_count_ranks. */
    uint64_t *first;
    char why[USW_SENTENCE];
} usw_call;

/* A way that a call can take (core/routes.h), counted for the type of this call, since calls of
 * upsweep.h in between have said theirs. types: USW_NO_TYPES where the type makes no difference. */
#define USW_RANKS_ROUTE(c, name, types) USW_RANKS_ROUTE_IF(true, c, name, types)
#ifdef USW_CHECKED
enum { USW_RANKS_ISA = 0 }; /* ways are those of all instruction sets, and are counted under one */
#define USW_RANKS_ROUTE_IF(condition, c, name, types)                                              \
    do {                                                                                           \
        if (condition) {                                                                           \
            USW_CALL_BEGINS(USW_RANKS_ISA);                                                        \
            USW_CALL_TYPE((unsigned)(c)->said[USW_SAID_TYPE]);                                     \
            USW_ROUTE_ON(name, types, 1u << USW_RANKS_ISA);                                        \
        }                                                                                          \
    } while (0)
#else
#define USW_RANKS_ROUTE_IF(condition, c, name, types) ((void)0)
#endif

/* `name` tells calls apart: a number. */
void usw_begin(usw_call *c, usw_transport *t, upsweep *u, unsigned name);
/* Frees everything and leaves the sentence for upsweep_mpi_error. */
upsweep_status usw_end(usw_call *c);
const char *usw_ranks_error(void);
void usw_set_ranks_error(const char *sentence);

/* Notes a failure of this rank, unless there is one already; returns false. */
bool usw_wrong(usw_call *c, upsweep_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Notes what a call of upsweep.h returned; true if that is UPSWEEP_OK. */
bool usw_done(usw_call *c, upsweep_status status);
/* Notes the outcome of a call of the transport: 0 is good. */
bool usw_sent(usw_call *c, int failed);
/* Collective: true if no rank has failed. Else all have the status and the sentence of one that
 * has. */
bool usw_agree(usw_call *c);
/* Collective: whether all ranks said the same, on top of usw_agree. */
bool usw_agree_on_said(usw_call *c);
/* For a number of `said`: bytes as one number. */
uint64_t usw_hash(uint64_t seed, const void *bytes, size_t count);

/* count * bytes bytes that usw_end frees; NULL is noted. At least one byte. */
void *usw_take(usw_call *c, size_t count, size_t bytes);
void *usw_take_zeros(usw_call *c, size_t count, size_t bytes);
/* Frees one of them now. */
void usw_give(usw_call *c, void *piece);

/* Collective: fills c->first in. */
bool usw_count_ranks(usw_call *c, uint64_t n);
static inline uint64_t usw_total(const usw_call *c)
{
    return c->first[c->t->size];
}

/* The array itself where it is in the host's memory; else a copy there. n elements. */
const void *usw_on_host(usw_call *c, const void *array, size_t n, size_t bytes);
/* Copies n elements between any two memories. */
bool usw_copy(usw_call *c, void *to, const void *from, size_t n, size_t bytes);

/* Options as this library knows them: false and noted if there are others, or flags not allowed. */
bool usw_take_options(usw_call *c, const upsweep_options *options, unsigned allowed,
                      upsweep_options *taken);

#endif
