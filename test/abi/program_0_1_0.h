/* program_0_1_0.h - what the two files of the program of 0.1.0 share. */
/* SPDX-License-Identifier: MIT */
#ifndef PROGRAM_0_1_0_H
#define PROGRAM_0_1_0_H

#include "upsweep_0_1_0.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int failures;

#define CHECK(condition)                                                                           \
    ((condition) ? (void)0 : (void)(printf("line %d: %s\n", __LINE__, #condition), failures++))
#define OK(call) CHECK((call) == UPSWEEP_OK)

enum { GUARD = 512, RUBBISH = 0xA5 };

#define GUARDED(type)                                                                              \
    struct {                                                                                       \
        unsigned char before[GUARD];                                                               \
        type it;                                                                                   \
        unsigned char after[GUARD];                                                                \
    }
#define SPOIL(guarded) memset(&(guarded), RUBBISH, sizeof(guarded))
#define CHECK_GUARDS(guarded)                                                                      \
    CHECK(is_rubbish((guarded).before, GUARD) && is_rubbish((guarded).after, GUARD))

static inline int is_rubbish(const unsigned char *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (at[i] != RUBBISH) {
            return 0;
        }
    }
    return 1;
}

static inline int rises(const uint32_t *keys, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (keys[i - 1] > keys[i]) {
            return 0;
        }
    }
    return 1;
}

static inline void fill(uint32_t *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        keys[i] = (uint32_t)i * 2654435761u;
    }
}

void call_sorts(upsweep *u);
void call_records(upsweep *u);
void call_folds(upsweep *u);
void call_moves(upsweep *u);
void call_graphs(upsweep *u);

#endif
