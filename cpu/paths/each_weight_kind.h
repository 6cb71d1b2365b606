/* each_weight_kind.h - includes the body named by PATH_BODY once for each kind of weights
 * (cpu/paths/weight_kind.h): the five of ordinary queries, and with PATH_SIGNED the two that may
 * be negative only. */
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
