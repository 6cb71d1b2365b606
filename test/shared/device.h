/* device.h - device memory for tests, by the plugin's own table, so that one program tests the real
 * plugin and the emulated one (UPSWEEP_CUDA_PLUGIN says which). */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_SHARED_DEVICE_H
#define USW_TEST_SHARED_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "upsweep.h"

/* Opens a handle whose scratch is the memory to test with. False, with a sentence in *why, where
 * there is no GPU. */
bool device_start(size_t bytes, const char **why);
void device_end(void);
/* Whether the plugin is the emulated one. */
bool device_is_emulated(void);

/* Setup and teardown of a group of tests: a handle of the CPU beside one of the GPU. Where there is
 * no GPU the program ends with 77. */
extern upsweep *cpu, *gpu;
int device_group_start(size_t bytes);
int device_group_end(void **state);
/* The GPU splits n elements by flags, and compacts them, in place and not, as the CPU does. want,
 * got: room for the elements. */
void device_check_split(const void *in, const uint8_t *flags, void *want, void *got, size_t n,
                        size_t bytes);

/* Memory that begins `offset` bytes after an address aligned to 256, all of a pattern, with more of
 * it before and behind; until device_reset. */
void *device_take(size_t bytes, size_t offset);
/* False if something was written before or behind an array taken since the last reset (under a
 * sanitizer, which sees that itself, arrays have no such edges). */
bool device_intact(void);
void device_reset(void);
void device_trim(void); /* after a reset: the memory goes back to the device */
void device_put(void *to, const void *from, size_t bytes);
void device_get(void *to, const void *from, size_t bytes);
/* Between any two places. */
void device_copy(void *to, const void *from, size_t bytes);

/* A function of CUDA's runtime, from the emulated plugin or from libcudart; NULL: not to be had. */
void *device_symbol(const char *name);

#endif
