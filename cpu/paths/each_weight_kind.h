/* each_weight_kind.h - includes the file that PATH_BODY names once for each kind of weights
 * (cpu/paths/weight_kind.h): five, and two more of signed integers if PATH_SIGNED is defined. */
/* SPDX-License-Identifier: MIT */
#define PATH_KIND 0
#include "cpu/paths/weight_kind.h"
#include PATH_BODY
#undef PATH_KIND
#define PATH_KIND 1
#include "cpu/paths/weight_kind.h"
#include PATH_BODY
#undef PATH_KIND
#define PATH_KIND 2
#include "cpu/paths/weight_kind.h"
#include PATH_BODY
#undef PATH_KIND
#define PATH_KIND 3
#include "cpu/paths/weight_kind.h"
#include PATH_BODY
#undef PATH_KIND
#define PATH_KIND 4
#include "cpu/paths/weight_kind.h"
#include PATH_BODY
#undef PATH_KIND
#ifdef PATH_SIGNED
#define PATH_KIND 5
#include "cpu/paths/weight_kind.h"
#include PATH_BODY
#undef PATH_KIND
#define PATH_KIND 6
#include "cpu/paths/weight_kind.h"
#include PATH_BODY
#undef PATH_KIND
#endif
#undef PATH_BODY
#undef PATH_SIGNED
