/* gpu_steps.h - calls the plugin's steps directly: arrays on the device for the length of a call,
 * misaligned on purpose and poisoned, with guards behind them. Works with the plugin that runs
 * under the emulator and with the real one alike. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_GPU_GPU_STEPS_H
#define USW_TEST_GPU_GPU_STEPS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "test/shared/handles.h"
#include "test/shared/inputs.h"
#include "core/plugin.h"

enum { GPU_ARRAYS = 8, GPU_GUARD = 64 };

typedef struct gpu_array {
    unsigned char *at; /* device */
    size_t bytes;
} gpu_array;

typedef struct gpu_room {
    const usw_gpu_plugin *plugin;
    usw_gpu *g;
    upsweep *cpu;
    gpu_array arrays[GPU_ARRAYS]; /* of this call */
    unsigned count;
} gpu_room;

/* Opens device 0 and a handle of the CPU; setup and teardown of a group. */
int gpu_room_open(void **state);
int gpu_room_close(void **state);
/* Of turns that are alike the emulator leaves out every other one, but not in the long check. */
bool gpu_left_out(const gpu_room *room, unsigned turn);
bool gpu_is_emulated(const gpu_room *room);
/* Under the emulator every other sort, in no order, has clusters: else one block takes a sample and
 * grows a tree. */
void gpu_take_turns(const gpu_room *room);
const void *gpu_step(const gpu_room *room, const char *name);

void gpu_begin(gpu_room *room);
/* An array of the call that begins `off` bytes behind an aligned place; host NULL: poisoned. */
void *gpu_put(gpu_room *room, const void *host, size_t bytes, size_t off);
/* Waits, copies out what the call left, looks at all guards; ends with the fault's code. */
void gpu_get(gpu_room *room, void *host, const void *device, size_t bytes);
unsigned gpu_end(gpu_room *room);

#endif
