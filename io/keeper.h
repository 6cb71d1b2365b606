/* keeper.h - the child process that puts an output in place, or removes it; see output.h. */
/* SPDX-License-Identifier: MIT */
#ifndef IO_KEEPER_H
#define IO_KEEPER_H

#include "io/output.h"

/* Starts the keeper of an open file; without one (no process to be had) its work is done here. */
void io_keeper_start(io_output *out);
/* Puts the file in place. Returns 0, or -1 and errno. */
int io_keeper_commit(io_output *out);
/* Ends the keeper; a file that was not committed vanishes. */
void io_keeper_end(io_output *out);

#endif
