/* page.h - `upsweep page`: traces as a page that plays them in a browser. */
/* SPDX-License-Identifier: MIT */
#ifndef APP_PAGE_PAGE_H
#define APP_PAGE_PAGE_H

#include <stdio.h>

#include "upsweep.h"

enum { PAGE_NUMBERS = 256 };

/* A page that plays the algorithm, beside the other one unless that is NULL, on these numbers. A
 * sentence is out and the result APP_ERROR if they are too many or do not suit, or memory is
 * short; f's own errors are the caller's. */
int page_write(FILE *f, const upsweep_algorithm *a, const upsweep_algorithm *beside,
               const uint32_t *values, size_t n);

#endif
