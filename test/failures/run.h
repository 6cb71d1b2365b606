/* run.h - runs one program with one failure, in a folder of its own, and judges what came of it. */
/* SPDX-License-Identifier: MIT */
#ifndef TEST_FAILURES_RUN_H
#define TEST_FAILURES_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "test/failures/fail_calls.h"

typedef struct scenario {
    const char *name;
    const char *words;  /* of the command line, parted by blanks, the program left out */
    const char *input;  /* a file for standard input, or "|" and one to come by a pipe; or NULL */
    const char *output; /* the file it writes, old or new, or NULL */
    int status;         /* that it ends with where nothing fails */
    bool library;       /* a call by library_calls, which takes name, device and the words */
    const char *device; /* of a library call */
} scenario;

/* What is to fail; the fields are the environment variables of fail_calls.h. */
typedef struct failure {
    const char *call; /* NULL: none, and fail_calls.so is not loaded */
    unsigned long at;
    const char *how, *kill; /* kill: self, other, both */
    bool after, in_child, no_tmpfile;
} failure;

typedef struct bytes {
    char *at; /* NULL: there is no such file */
    size_t size;
} bytes;

typedef struct outcome {
    int status; /* exit status, 128 + signal, or -1: it did not end */
    bytes out, err, file;
    unsigned long calls[2], failed;
    bool forked;  /* there was a second process */
    bool refused; /* no filter of system calls is to be had */
} outcome;

/* Makes the folders, in the folder `base`, and the files; false and a sentence where that fails. */
bool run_start(const char *base);
void run_end(void);
/* Takes the files that are in the folder now for its input files. */
bool run_remember(void);
/* Each program that runs calls this function first, in its own process; NULL: none. */
void run_prepare_child(void (*function)(void));
/* The file as it is before a run. */
bytes run_old(const char *name);
/* Runs it, loads what it wrote, and puts the output back. */
outcome run_once(const scenario *s, const failure *f);
void outcome_free(outcome *o);
/* NULL, or what is wrong with an outcome, beside that of a run without failures. */
const char *outcome_wrong(const scenario *s, const failure *f, const outcome *right,
                          const outcome *o);
/* The number of files in the folder that nobody made; they are removed. name gets one of them. */
int run_strays(const scenario *s, char *name, size_t room);
/* Prints what happened, and how to see it again. */
void run_complain(const scenario *s, const failure *f, const outcome *o, const char *wrong);
bool bytes_equal(bytes a, bytes b);

/* ---- the tables, files.c and scenarios.c ---- */
extern const scenario program_scenarios[]; /* closed by a name of NULL */
/* The calls of the library; NULL past the end. */
const scenario *library_scenario(size_t i);
/* Makes the input files in the folder, by the program and by hand; 0 if all went well. */
int make_files(const char *program);

#endif
