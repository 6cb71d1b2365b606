/* view_print.h - what --stats of `upsweep view` tells, on stderr. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_APP_VIEW_VIEW_PRINT_H
#define USW_APP_VIEW_VIEW_PRINT_H

#include "view/view.h"

void app_view_print(const view_show *show, const view_done *done);

#endif
