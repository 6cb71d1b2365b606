/* output.h - a file that appears whole or not at all.
 *
 * The bytes go to a file without a name (O_TMPFILE) in the target's directory; only when all of
 * them are on the disk does it get the target's name. Linux cannot link a file over another one, so
 * a target that exists is replaced in two steps: a link with a name for the moment, and rename. So
 * that no kill can fall between the two, they are done by a child process, the keeper, which was
 * made when the file was opened and outlives its parent. Where files without a name are not to be
 * had, the keeper removes the named one when its parent dies. Either way the target is the old file
 * or the new one. Only where the keeper is killed as well, between the two steps, or the machine
 * stops there, is a name left behind, .upsweep-...; the next output to the same target removes it.
 *
 * The new file gets mode and owner of the old one; a symbolic link stays and its target is
 * replaced. Some files must not be replaced: one with several names (hard links), whose other names
 * would keep the old contents; one whose owner we cannot give to another; one in a directory that
 * may not be written. They are written over, as sort(1) does: all bytes are first collected in a
 * file without a name, there or in $TMPDIR or /tmp, room for them is set aside in the target, and
 * then the keeper copies them. What is lost of the promise: if the keeper too is killed, the disk
 * fails or the machine stops while it copies, the target may have a part of the new contents.
 *
 * Standard output, and targets that are no regular files (/dev/null, a pipe), are just written to.
 */
/* SPDX-License-Identifier: MIT */
#ifndef IO_OUTPUT_H
#define IO_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "io/error.h"
#include "io/packer.h"

typedef struct io_output {
    const char *name; /* for messages */
    int fd;
    bool is_stdout, plain; /* plain: written to as it is, there is nothing to commit */
    int directory;
    int over; /* the target, if it is to be written over; else -1 */
    char target[NAME_MAX + 1], moment[NAME_MAX + 1]; /* within directory */
    bool named;                                      /* the file has its moment's name already */
    bool shared;                                     /* it has it from the start: see below */
    pid_t keeper;
    int to_keeper, from_keeper;
    size_t synced, written, tried; /* tried: bytes that were to be written */
    io_packer *packer;             /* what io_output_write takes goes through it; NULL: as it is */
} io_output;

/* name NULL or "-": standard output. To be called while the process has one thread. Returns 0, or
 * -1 after a failure, when *out needs no discarding. */
int io_output_open(io_output *out, const char *name, io_error *error);
/* The same for a file that other processes write to as well, on other machines too: it has a name
 * for the moment from the start, path, which goes when this process does. What cannot be replaced,
 * and what is no regular file, is refused. Whoever writes to path calls fsync before this process
 * commits.
 */
int io_output_open_shared(io_output *out, const char *name, char path[PATH_MAX], io_error *error);
/* A file without a name in the directory, only to be read back; -1, and errno says why. */
int io_scratch_file(const char *directory);
/* From now on, and before anything has been written, bytes are packed; level as io_packer_new has
 * it. Returns as io_output_open, but *out needs discarding. */
int io_output_pack(io_output *out, io_packing packing, int level, unsigned threads,
                   io_error *error);
/* Appends. error->number is EPIPE when nobody reads any more. */
int io_output_write(io_output *out, const void *bytes, size_t size, io_error *error);
/* Makes the file durable and gives it its name; out is closed in any case, and after a failure the
 * target is as it was. */
int io_output_commit(io_output *out, io_error *error);
/* Gives up: the target stays as it was. */
void io_output_discard(io_output *out);

#endif
