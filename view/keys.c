/* keys.c - what the keys do. */
/* SPDX-License-Identifier: MIT */
#include "view/keys.h"

#include <math.h>

/* Where a round stands still when it is stepped to: pairs are lit, nothing has moved yet. */
static const double still = 0.29;

static void step(view_show *s, double by)
{
    double round = floor(s->place) + by;
    s->playing = false;
    view_show_jump(s, round >= s->longest ? s->longest + s->tail : fmax(round, 0) + still);
}

static void next_style(view_show *s)
{
    for (size_t k = 0; k < s->count; k++) {
        view_panel *p = &s->panels[k];
        if (p->run != NULL) {
            bool points = p->style == VIEW_STYLE_POINTS && p->graph == NULL;
            p->style = points ? VIEW_STYLE_DENSITY : VIEW_STYLE_POINTS;
            continue;
        }
        view_style last = p->graph != NULL ? VIEW_STYLE_GRAPH : VIEW_STYLE_NETWORK;
        p->style = p->style >= last ? VIEW_STYLE_BARS : p->style + 1;
        if (p->style == VIEW_STYLE_NETWORK && (p->network == NULL && !view_network_open(p))) {
            p->style = last == VIEW_STYLE_GRAPH ? last : VIEW_STYLE_BARS;
        }
    }
}

void view_press(view_show *s, int key)
{
    double all = s->longest + s->tail;
    switch (key) {
    case VIEW_KEY_PLAY:
        if (view_show_ended(s)) {
            view_show_jump(s, 0);
        }
        s->playing = !s->playing;
        break;
    case VIEW_KEY_FORWARD: step(s, 1); break;
    case VIEW_KEY_BACK: step(s, view_show_ended(s) ? -s->tail - 1 : -1); break;
    case VIEW_KEY_FASTER: s->speed = fmin(s->speed * 1.25, 1e6); break;
    case VIEW_KEY_SLOWER: s->speed = fmax(s->speed / 1.25, 0.01); break;
    case VIEW_KEY_HOME: view_show_jump(s, 0); break;
    case VIEW_KEY_END: view_show_jump(s, all); break;
    case VIEW_KEY_PAGE_FORWARD: view_show_jump(s, s->place + all / 10); break;
    case VIEW_KEY_PAGE_BACK: view_show_jump(s, s->place - all / 10); break;
    case VIEW_KEY_STYLE: next_style(s); break;
    case VIEW_KEY_HELP: s->help = !s->help; break;
    default:
        if (key >= VIEW_KEY_TENTH && key <= VIEW_KEY_TENTH + 9) {
            view_show_jump(s, all * (key - VIEW_KEY_TENTH) / 10);
        }
        break;
    }
}
