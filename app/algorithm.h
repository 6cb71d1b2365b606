/* algorithm.h - algorithms by the names that people type. */
/* SPDX-License-Identifier: MIT */
#ifndef APP_ALGORITHM_H
#define APP_ALGORITHM_H

#include "upsweep.h"

/* The algorithm of this name or, after one sentence that lists names near it, NULL. */
const upsweep_algorithm *app_algorithm(const char *name);
/* -1 if there is one of exactly this name or name is NULL; else APP_ERROR after one sentence. */
int app_check_algorithm(const char *name);

#endif
