/* ops.h - the names of the operators that reductions and scans share. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_APP_ARRAYS_OPS_H
#define USW_APP_ARRAYS_OPS_H

#include "app/app.h"

/* 0 for a name that is none. */
upsweep_op app_op_from_name(const char *name);
/* Fails with a sentence unless name is an operator or one of more (ended by NULL; may be NULL). */
int app_know_op(const char *name, const char *const *more);
/* Fails with a sentence if the operator is not defined for the type. */
int app_check_op(const char *name, upsweep_type type);

#endif
