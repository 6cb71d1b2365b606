/* scheduler.h - what the emulator's own files share. */
/* SPDX-License-Identifier: MIT */
#ifndef SCHEDULER_H
#define SCHEDULER_H

#include "test/emulate/cuda_emulated.h"

struct emulated_grid {
    dim3 grid, block;
    size_t shared_bytes;
    const char *name;
    bool cooperative;
    unsigned cluster;
    std::function<void()> body; // one thread of it
};

/* Runs a grid to its end on this system thread, one at a time. */
void emulated_run(const emulated_grid &g);
/* Blocks that stay resident together in a cooperative launch: as many as this device takes. */
unsigned emulated_blocks_per_sm(unsigned threads, size_t shared_bytes);

/* The seed of UPSWEEP_EMULATE_SEED, or 1, and a byte that differs by seed and is never 0. */
uint64_t emulated_seed();
unsigned char emulated_poison();
/* What lies at an address that was touched: "3 bytes behind a device array of 12 bytes". */
std::string emulated_describe(const void *address);
std::string emulated_describe_shared(const void *address);
/* Says which kernel, block and thread runs. */
std::string emulated_whereabouts();
/* Makes a fault of memory say all that before the program ends. */
void emulated_watch_faults();

enum { emulated_threads_per_sm = 2048 };
/* Multiprocessors, 4, and how many blocks one runs at most, 32; UPSWEEP_EMULATE_SMS and
 * UPSWEEP_EMULATE_BLOCKS say otherwise. */
unsigned emulated_sms();
unsigned emulated_blocks_most();
enum : size_t { emulated_shared_limit = 227 * 1024, emulated_shared_default = 48 * 1024 };

#endif
