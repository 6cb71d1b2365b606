/* parallel.h - a loop whose turns run side by side. The library's threads belong to its handle, so
 * reading, parsing and writing bring their own. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_PARALLEL_H
#define IO_PARALLEL_H

#include <stddef.h>

/* lane < threads tells which thread runs the task, for scratch that threads do not share. */
typedef void (*io_task)(void *context, size_t task, unsigned lane);

enum { IO_LANES_MAX = 256 };

/* Runs task(context, 0 .. tasks - 1, lane) on at most `threads` threads, the caller's included, and
 * returns when all are done. Tasks start in order of their number. Threads that cannot be started
 * are done without. */
void io_parallel(unsigned threads, size_t tasks, io_task task, void *context);

/* Calls tick(context) four times a second from a thread of its own, until it is ended, for what is
 * told beside a call that does not return for long. NULL where no thread can be started. */
typedef struct io_ticker io_ticker;
io_ticker *io_ticker_start(void (*tick)(void *context), void *context);
/* NULL is allowed. */
void io_ticker_end(io_ticker *ticker);

/* The processors that this process may use. */
unsigned io_processors(void);

#endif
