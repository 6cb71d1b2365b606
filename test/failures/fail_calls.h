/* fail_calls.h - what the preloaded library fail_calls.so and the programs that use it share: the
 * file of counts, and the environment variables that say which call fails, when and how.
 *
 *   FAIL_COUNTS=FILE    a file of sizeof(fail_counts) zero bytes, mapped by both sides
 *   FAIL_CALL=NAME      malloc (with calloc, realloc, mmap by the program, ...), loader (the same
 *                       within dlopen, which malloc leaves out), thread, fork, or a family of
 *                       system calls: open read pread write ftruncate fsync rename link unlink
 *                       mmap close pipe stat; or any: all of these families
 *   FAIL_AT=K           the K-th of them fails, from 1; 0, the default: they are only counted
 *   FAIL_HOW=WORD       ENOSPC, EIO, ..; short: it moves half of the bytes; SIGKILL, ..: a signal
 *   FAIL_AFTER=1        and all behind the K-th, too
 *   FAIL_IN=0|1         counted is what the program does, or what the process that it forks does
 *   FAIL_KILL=WORD      whom a signal hits: self, other (of program and forked process) or both
 *   FAIL_NO_TMPFILE=1   files without a name (O_TMPFILE) are not to be had
 *   FAIL_WATCHED=1      only what happens between fail_calls_watch(1) and fail_calls_watch(0)
 *
 * Not counted are the emulated GPU's own memory (new that throws; stacks, MAP_STACK) and
 * writes to standard error, which do not fail, so that a sentence can be said. */
/* SPDX-License-Identifier: MIT */

#ifndef TEST_FAIL_CALLS_H
#define TEST_FAIL_CALLS_H

#include <stdatomic.h>

typedef struct fail_counts {
    atomic_int pid[2];     /* of the program, of the process it forked */
    atomic_ulong calls[2]; /* of FAIL_CALL, by each of them */
    atomic_ulong failed;   /* how many were made to fail */
    atomic_int refused;    /* the system allows no filter of system calls */
    atomic_long live;      /* blocks taken and not given back while watched */
    atomic_int threads;    /* threads started while watched */
} fail_counts;

/* For programs that are watched in part; absent where fail_calls.so is not loaded. 1: calls
 * count and fail; 2: only what memory is taken and given back counts; 0: nothing. */
void fail_calls_watch(int on) __attribute__((weak));
/* Blocks taken while watched and not given back; 0 where threads were started, which keep some. */
long fail_calls_live(void) __attribute__((weak));

/* ---- between the files of fail_calls.so ---- */
enum { FAIL_SHORT = -1, FAIL_SIGNAL = -1000 }; /* FAIL_SIGNAL - 9 is SIGKILL */

typedef struct fail_plan {
    fail_counts *counts;
    int call; /* an index of fail_names, or -1 */
    unsigned long at;
    int how; /* an errno, FAIL_SHORT or FAIL_SIGNAL - signal */
    int after, in, to_self, to_other, no_tmpfile, armed;
} fail_plan;

enum fail_call {
    FAIL_MALLOC,
    FAIL_LOADER,
    FAIL_THREAD,
    FAIL_FORK,
    FAIL_OPEN, /* from here on by a filter of system calls */
    FAIL_READ,
    FAIL_PREAD,
    FAIL_WRITE,
    FAIL_FTRUNCATE,
    FAIL_FSYNC,
    FAIL_RENAME,
    FAIL_LINK,
    FAIL_UNLINK,
    FAIL_MMAP,
    FAIL_CLOSE,
    FAIL_PIPE,
    FAIL_STAT,
    FAIL_ANY,
    FAIL_CALLS
};
extern fail_plan fail_now;
/* Counts one call. Returns whether it is to fail; a signal has then been sent. */
int fail_counted(void);
/* Installs the filter of system calls. */
void fail_system_start(void);

#endif
