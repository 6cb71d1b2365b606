/* window.c - plays a show in a window. */
#include "view.h"

bool view_window(view_show *show, const view_wish *wish, view_done *done, io_error *error)
{
    (void)show;
    (void)wish;
    (void)done;
    return io_because(error, "no window yet");
}
