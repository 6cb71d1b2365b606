/* watch.h - `upsweep trace --watch`: a trace as pictures made of characters, one for each round.
 *
 * watch_state.c follows a trace and knows the arrays and what the lanes of the round did;
 * watch_draw.c makes a picture of that; watch_screen.c holds the terminal; watch_play.c shows one
 * picture after another and heeds the keys. Pictures are numbered: 0 is the start, r + 1 what
 * round r did, and the last one the end. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_APP_WATCH_WATCH_H
#define USW_APP_WATCH_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "upsweep.h"

enum { WATCH_ARRAYS = 32, WATCH_SLOTS = 8, WATCH_NAME = 32, WATCH_TEXT = 96 };

/* What happened to an element in the round; the greater one wins. */
enum { WATCH_READ = 1, WATCH_WRITTEN = 2 };

typedef struct watch_array {
    char name[WATCH_NAME];
    uint32_t *values;
    unsigned char *marks; /* WATCH_... of each element */
    size_t count, room;   /* room: of values and marks */
    size_t longest;       /* the greatest count so far */
    uint32_t greatest;    /* the greatest value so far but for UINT32_MAX, which means none */
    uint64_t used;        /* the picture for which it was last used; 0: not yet */
    size_t vector;        /* elements of a vector; 0: comes in none */
} watch_array;

/* Two elements of one array that a lane brought together. */
typedef struct watch_pair {
    size_t array, i, j; /* i < j */
    bool written;
} watch_pair;

typedef struct watch_state {
    watch_array arrays[WATCH_ARRAYS];
    size_t array_count;
    size_t slots[WATCH_SLOTS]; /* the arrays that are drawn; WATCH_ARRAYS: none yet */
    size_t slot_count;         /* set by the caller */
    watch_pair *pairs;
    size_t pair_count, pair_room;
    uint64_t counts[UPSWEEP_EVENT_END + 1];
    uint64_t picture, lanes, lane; /* lanes: that acted in the round; lane: the one seen last */
    size_t n;
    char phase[WATCH_TEXT], label[WATCH_TEXT], note[WATCH_TEXT];
    bool ended, failed; /* failed: out of memory */
} watch_state;

void watch_begin(watch_state *s, size_t slot_count);
/* Follows an event. Returns whether a picture is complete now. */
bool watch_take(watch_state *s, const upsweep_event *e);
void watch_free(watch_state *s);

/* How the characters of a picture look on a screen. */
typedef enum watch_style {
    WATCH_PLAIN,
    WATCH_DIM,
    WATCH_BOLD,
    WATCH_BAR,
    WATCH_LIT_READ,
    WATCH_LIT_WRITTEN,
    WATCH_STYLES
} watch_style;

typedef struct watch_cell {
    uint16_t glyph; /* of Unicode's first plane */
    unsigned char style;
} watch_cell;

typedef struct watch_grid {
    int rows, columns;
    watch_cell *cells;
    bool unicode; /* else ASCII alone */
    bool starved; /* a part was not drawn for want of memory */
} watch_grid;

/* Makes the grid this large and blank; false: out of memory. */
bool watch_grid_clear(watch_grid *g, int rows, int columns);
/* The character of a place as UTF-8; returns its length, at most 3. */
int watch_glyph(const watch_grid *g, int row, int column, char text[4]);

/* What stays the same from picture to picture. */
typedef struct watch_film {
    const upsweep_algorithm *algorithm;
    const uint32_t *values;
    size_t n;
    const watch_state *whole; /* after all of the trace: how many, how long, how great */
    double speed;             /* pictures a second */
    bool paused, has_keys;    /* has_keys: the last line tells them */
} watch_film;

/* As many arrays as there is room for. */
size_t watch_slots(const watch_film *film, int rows);
/* Draws into a cleared grid. */
void watch_draw(watch_grid *g, const watch_film *film, const watch_state *s);

/* The terminal. Between open and close it is in raw mode and shows its second screen, so that what
 * was on it comes back; signals that end or stop the program wait for watch_wait. */
typedef struct watch_screen {
    int keys; /* read from here; -1: there are none */
    bool colours;
} watch_screen;

/* Keys besides plain characters. */
enum {
    WATCH_KEY_NONE = 0,
    WATCH_KEY_LEFT = 256,
    WATCH_KEY_RIGHT,
    WATCH_KEY_UP,
    WATCH_KEY_DOWN,
    WATCH_KEY_HOME,
    WATCH_KEY_END,
    WATCH_KEY_RESIZE, /* the terminal has another size now, or was away */
    WATCH_KEY_LEAVE   /* a signal, or the terminal is gone */
};

/* Whether this can be done, else one sentence is out and the result is APP_ERROR. */
int watch_screen_open(watch_screen *screen);
/* If a signal asked the program to end, it ends here, by that signal. */
void watch_screen_close(watch_screen *screen);
void watch_screen_size(int *rows, int *columns);
/* Shows the grid; false: the terminal is gone. */
bool watch_screen_show(const watch_screen *screen, const watch_grid *g);
/* Waits for a key; seconds < 0: for ever. */
int watch_wait(watch_screen *screen, double seconds);
/* Whether a signal waits to be heeded. */
bool watch_signalled(void);
/* Whether the locale's characters are UTF-8. */
bool watch_unicode(void);

/* Plays the film on the terminal, or prints its pictures to f. Both return an exit status. speed 0:
 * one that fits the number of rounds. */
int watch_play(const upsweep_algorithm *a, const uint32_t *values, size_t n, double speed);
int watch_print(const upsweep_algorithm *a, const uint32_t *values, size_t n, FILE *f);

#endif
