/* keys.h - what the keys of the window do to a show; without a window, so that tests press them. */
/* SPDX-License-Identifier: MIT */
#ifndef VIEW_KEYS_H
#define VIEW_KEYS_H

#include "view/show.h"

typedef enum view_key {
    VIEW_KEY_PLAY = 1, /* or pause; at the end: again from the beginning */
    VIEW_KEY_FORWARD,  /* to the next round, and pause */
    VIEW_KEY_BACK,
    VIEW_KEY_FASTER,
    VIEW_KEY_SLOWER,
    VIEW_KEY_HOME,
    VIEW_KEY_END,
    VIEW_KEY_PAGE_FORWARD, /* a tenth of the play */
    VIEW_KEY_PAGE_BACK,
    VIEW_KEY_STYLE, /* the next style that suits */
    VIEW_KEY_HELP,
    VIEW_KEY_TENTH /* + 0 .. 9: to 0 .. 90 % */
} view_key;

void view_press(view_show *s, int key);

#endif
