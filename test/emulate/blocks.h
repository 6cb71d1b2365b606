/* blocks.h - a resident block: its threads, its warps, its shared memory. */
/* SPDX-License-Identifier: MIT */
#ifndef BLOCKS_H
#define BLOCKS_H

#include "test/emulate/fiber.h"
#include "test/emulate/scheduler.h"

struct warp;
struct block;

struct thread {
    fiber run;
    uint3 index;
    block *of;
    warp *group;
    unsigned lane;
    bool done;
    const char *what, *file; // where it waits
    int line;
};

/* Lanes of a warp that wait for one another. Open until all of mask came; free once all left. */
struct meeting {
    bool open = false;
    uint32_t mask = 0, arrived = 0;
    const char *what = nullptr, *file = nullptr;
    int line = 0;
    emulated_brought brought = {};
};

struct warp {
    block *of;
    thread *lanes[32];
    uint32_t exists, ready, exited, at_barrier;
    bool queued;                   // among the runnable warps, or running
    bool spins;                    // a lane of it spun in its last turn
    std::vector<meeting> meetings; // room for 32: a lane is in one at most
};

struct shared_site {
    const void *site;
    size_t offset, bytes;
};

struct block {
    uint3 index;
    unsigned size, live, arrived, votes_true;
    emulated_votes votes;
    const char *barrier_file;
    int barrier_line;
    std::vector<thread *> threads;
    std::vector<warp> warps;
    // Static arrays from the start, each with a fence behind it; dynamic memory at the end, before
    // a page without access.
    unsigned char *shared;
    std::vector<shared_site> sites;
    size_t static_bytes;
    // Of its cluster's barrier, if it is the cluster's first: blocks that have come, and how often
    // all have.
    unsigned came, rounds;
};

/* A block of that shape whose fibers run `body`; given back it keeps its shape for the next. */
block *block_take(dim3 shape, void (*body)());
void block_give(block *b);
/* Poison before a block runs; the fences are checked after it ran. */
void block_clean(block *b, size_t dynamic_bytes);
void block_check(const block *b, size_t dynamic_bytes);
void *block_static(block *b, const void *site, size_t bytes, size_t align, size_t dynamic_bytes);
void *block_dynamic(const block *b, size_t dynamic_bytes);
/* What the object at p in the shared memory of b is in that of `other`, a block of the same
 * kernel. */
void *block_shared_of(const block *b, const void *p, block *other, size_t dynamic_bytes);
/* How far an address in the page behind the shared memory is behind it, or -1. */
long block_distance(const block *b, const void *address);

/* ---- scheduler.cpp and waits.cpp ---- */

const emulated_grid *emulated_now();       // the grid that runs
block *emulated_resident(unsigned number); // of a grid whose blocks are all resident
extern thread *emulated_self;              // the thread that runs, or none
extern uint64_t emulated_vain;             // how often threads waited since anything happened
/* The thread that runs gives way; it goes on once its warp has it among its ready lanes. */
void emulated_leave(const char *what, const char *file, int line);
void emulated_ready(warp *w, uint32_t lanes);
/* All who live have come to the barrier. */
void emulated_release(block *b);

#endif
