/* lanes.h - lanes and rounds: what the solutions of `upsweep learn` are written with.
 *
 *     ROUND("distance 4") {             rounds follow one another
 *         LANES(t, 4) {                 lanes 0 .. 3 act at once
 *             set(a, t, get(a, t) + get(a, t + 4));
 *         }
 *     }
 *
 * What a lane writes in a round, no other lane may read or write in that round: on a real machine
 * nobody knows who comes first; a lane's own steps come one after another. A lane takes at most
 * LANE_STEPS steps (get, set) in a round. Rounds are counted, and so is work: every set and every
 * compare_exchange counts 1; reads and idle lanes are free. */
/* SPDX-License-Identifier: MIT */
#ifndef LANES_H
#define LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct array array;

/* Yours to write. The result stands in a. */
void solve(array *a);

enum { LANE_STEPS = 16 };

/* These have other names for the linker, so that yours may be any. */
#define length lanes_length
#define get lanes_get
#define set lanes_set
#define compare_exchange lanes_compare_exchange
#define new_array lanes_new_array
#define scan lanes_scan
#define log2_up lanes_log2_up

size_t length(const array *a);
/* Inside LANES only. */
uint32_t get(array *a, size_t i);
void set(array *a, size_t i, uint32_t value);
/* The smaller of a[i] and a[j] goes to a[i]: one piece of work. */
void compare_exchange(array *a, size_t i, size_t j);

/* Between rounds: another array of n zeros; */
array *new_array(size_t n);
/* every element becomes the sum of those before it, in 2 log2_up(n) + 1 rounds; */
void scan(array *a);
/* and the least L such that 2^L >= n. */
size_t log2_up(size_t n);

#define ROUND(label) for (bool lanes_go = lanes_begin(label); lanes_go; lanes_go = lanes_end())
#define LANES(t, count) for (size_t t = 0, lanes_count = (count); lanes_lane(t, lanes_count); t++)

bool lanes_begin(const char *label);
bool lanes_end(void);
bool lanes_lane(size_t lane, size_t count);

#endif
