/* view_print.h - what --stats of `upsweep view` tells, on stderr. */
#ifndef APP_VIEW_PRINT_H
#define APP_VIEW_PRINT_H

#include "view.h"

void app_view_print(const view_show *show, const view_done *done);

#endif
