/* rows.h - tests that walk the registry: a test for each row, and the calls that run it. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_SHARED_ROWS_H
#define USW_TEST_SHARED_ROWS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "test/shared/calls.h"
#include "core/registry.h"

/* Whether the call runs the algorithms of that operation. */
bool row_call_runs(const call *c, const char *operation);

/* Fills tests with one for every row with a form on the CPU (or on a GPU) that takes arrays, and is
 * in this run's share; their state is the usw_entry. Returns how many. */
size_t row_tests(struct CMUnitTest *tests, size_t most, bool on_gpu, CMUnitTestFunction test);

#endif
