/* writer.h - writes a run, block after block: as they are, or packed where that pays. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_EXTERNAL_WRITER_H
#define USW_EXTERNAL_WRITER_H

#include "external/external.h"

/* A block that may be packed is gathered in the second half of the buffer, and packed or moved to
 * what the first half holds; others go behind that at once. */
typedef struct usw_ext_writer {
    upsweep_external *x;
    usw_ext_run run;
    unsigned char *buffer;
    size_t held, room;    /* of the buffer */
    uint64_t written;     /* bytes of the run's records, */
    uint64_t flushed;     /* and of what is stored of them, whole pages that are in the file */
    uint64_t reserved;    /* that were set aside there */
    uint64_t block_begin; /* where the block that is being written begins */
    size_t blocks_room, block_bytes;
    size_t gathered; /* of the block */
    bool gathers;
    uint64_t packed_from, packed_to; /* bytes that were packed, and what became of them */
    unsigned untried; /* blocks since the last one that was packed, if only to see what it saves */
} usw_ext_writer;

/* A run of at most so many bytes begins; the buffer is its own and whole pages. Whoever adds
 * records sets run.last_key before the run is closed. */
upsweep_status usw_ext_writer_open(usw_ext_writer *w, upsweep_external *x, uint64_t bytes,
                                   unsigned char *buffer, size_t room);
upsweep_status usw_ext_writer_add(usw_ext_writer *w, usw_ext_record r);
/* Records of one size, all that are in `bytes` bytes, and run.last_key. */
upsweep_status usw_ext_writer_add_all(usw_ext_writer *w, const unsigned char *p, size_t bytes);
/* Any bytes of the block under way. */
upsweep_status usw_ext_writer_add_bytes(usw_ext_writer *w, const unsigned char *p, size_t bytes);
/* Notes a block that begins at byte `at` of the run with record r, if one is due. */
void usw_ext_note_block(usw_ext_writer *w, uint64_t at, uint64_t stored, usw_ext_record r);
/* Whether it pays to pack a run, nothing of which has been added, after a trial in the middle of
 * its bytes. */
bool usw_ext_writer_try(usw_ext_writer *w, const unsigned char *p, size_t bytes);
upsweep_status usw_ext_writer_close(usw_ext_writer *w, uint64_t order);

#endif
