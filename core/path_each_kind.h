/* path_each_kind.h - includes the body named by PATH_BODY once for each kind of weights
 * (path_kind.h): the five of ordinary queries, and with PATH_SIGNED the two that may be negative
 * only. */
#define PATH_KIND 0
#include "core/path_kind.h"
#include PATH_BODY
#undef PATH_KIND
#define PATH_KIND 1
#include "core/path_kind.h"
#include PATH_BODY
#undef PATH_KIND
#define PATH_KIND 2
#include "core/path_kind.h"
#include PATH_BODY
#undef PATH_KIND
#define PATH_KIND 3
#include "core/path_kind.h"
#include PATH_BODY
#undef PATH_KIND
#define PATH_KIND 4
#include "core/path_kind.h"
#include PATH_BODY
#undef PATH_KIND
#ifdef PATH_SIGNED
#define PATH_KIND 5
#include "core/path_kind.h"
#include PATH_BODY
#undef PATH_KIND
#define PATH_KIND 6
#include "core/path_kind.h"
#include PATH_BODY
#undef PATH_KIND
#endif
#undef PATH_BODY
#undef PATH_SIGNED
