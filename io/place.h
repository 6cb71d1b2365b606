/* place.h - how a finished output takes its place; see output.h for what is promised. Each step can
 * be done again by another process that finds it half done: nothing here trusts what it remembers,
 * all is asked of the file system. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_PLACE_H
#define IO_PLACE_H

#include "io/output.h"

/* The name for the moment, number k: made of the target's name, so that the next output to the same
 * target knows what an earlier one that was killed may have left behind. */
enum { IO_PLACE_NAMES = 100 };
void io_place_name(io_output *out, unsigned k);
/* Holds the file, so that no other process takes it for one that was left behind. False if another
 * one holds it; where there are no locks, nothing is held and nothing ever cleaned. */
bool io_place_hold(int fd);
/* Removes the name for the moment, if nobody holds its file. */
bool io_place_clean(const io_output *out);
/* Sets blocks aside for an output of so many bytes that is about to be written: the file system
 * finds them at once, not page by page. Speed only: what cannot be set aside fails when it is
 * written, or does not. */
void io_place_set_aside(const io_output *out, size_t bytes);

/* Gives the file its target's name, or the target its bytes. Returns 0 or errno. */
int io_place_put(io_output *out);

#endif
