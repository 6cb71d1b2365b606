/* explain.h - placeholder, see the explained forms. */
#ifndef USW_EXPLAIN_H
#define USW_EXPLAIN_H
#include "registry.h"
#endif
