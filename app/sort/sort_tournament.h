/* sort_tournament.h - which of many sequences of lines has the least next line, of equal ones the
 * earlier sequence. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_APP_SORT_SORT_TOURNAMENT_H
#define USW_APP_SORT_SORT_TOURNAMENT_H

#include "app/sort/sort_text.h"

/* The next line of a sequence. */
typedef struct sort_head {
    uint64_t key; /* of the first stage */
    sort_text line;
    bool ended; /* there is none */
} sort_head;

typedef struct sort_tournament {
    const sort_order *order;
    sort_head *heads; /* one for each sequence */
    size_t *losers;   /* as many; the tree */
    size_t count;     /* one or more */
    size_t winner;    /* the sequence that has the least line; ended: none has any */
    size_t second;
    bool again; /* the winner has won twice, and the second is known */
} sort_tournament;

/* Finds the first winner. */
void sort_tournament_begin(sort_tournament *t);
/* Finds the next one, when the winner's head has become its next line. */
void sort_tournament_next(sort_tournament *t);

#endif
