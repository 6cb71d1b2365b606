/* runtime.h - streams and graphs for tests, by functions of CUDA's runtime: that of the toolkit, or
 * the emulator's. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_SHARED_RUNTIME_H
#define USW_TEST_SHARED_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>

typedef void *runtime_handle;
typedef struct cuda_runtime {
    int (*stream_create)(runtime_handle *);
    int (*stream_destroy)(runtime_handle);
    int (*synchronize)(runtime_handle);
    int (*begin_capture)(runtime_handle, int);
    int (*end_capture)(runtime_handle, runtime_handle *);
    int (*instantiate)(runtime_handle *, runtime_handle, unsigned long long);
    int (*launch)(runtime_handle, runtime_handle);
    int (*exec_destroy)(runtime_handle);
    int (*graph_destroy)(runtime_handle);
} cuda_runtime;
extern cuda_runtime cuda;

/* Modes of a capture. While one is under way in the first, allocations and waits anywhere in the
 * process are errors, and end it. */
enum { CAPTURE_GLOBAL = 0, CAPTURE_RELAXED = 2 };

/* Fills the table. False, with a sentence printed, where there is no such library. */
bool runtime_find(void);

#endif
