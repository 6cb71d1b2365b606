/* show.h - what is played: panels side by side, and the place all of them are at. Pure data; the
 * scene is drawn into ink. */
/* SPDX-License-Identifier: MIT */
#ifndef VIEW_SHOW_H
#define VIEW_SHOW_H

#include "view/ink.h"
#include "view/state.h"

typedef enum view_style {
    VIEW_STYLE_NONE = 0, /* what suits the trace */
    VIEW_STYLE_BARS,
    VIEW_STYLE_POINTS,
    VIEW_STYLE_NETWORK, /* rounds from top to bottom, joined by what they do */
    VIEW_STYLE_GRAPH,
    VIEW_STYLE_DENSITY /* how many elements lie where; of real runs */
} view_style;

/* A graph to look at: arc k goes from tail[k] to head[k]. Places are within 0 .. 1, y downwards. */
typedef struct view_graph {
    size_t vertices, arcs;
    uint32_t *tail, *head, *weight;
    float *x, *y;
    float aspect; /* width over height */
} view_graph;

typedef struct view_network view_network; /* network.c */

typedef struct view_panel {
    const upsweep_algorithm *algorithm;
    view_tape tape;
    view_state state;
    view_style style;
    const view_graph *graph;
    struct view_run *run; /* a real run (run.h) instead of a tape; NULL: none */
    view_network *network;
    uint32_t top[VIEW_ARRAYS];  /* the greatest value of an array, or of those it exchanges with */
    bool elements[VIEW_ARRAYS]; /* it holds elements, as the main array does */
    bool works;                 /* some round works on other arrays */
    uint8_t *marks;             /* of all elements of a state: VIEW_KINDS - kind, or 0 */
    size_t marked;              /* the moment that marks are of, + 1; 0: of none */
    size_t in_order;            /* elements of the outcome that ascend from the first on */
    bool sorts;
    view_rect stage; /* where bars of the main array were drawn last, and at which scale */
    float stage_scale;
} view_panel;

enum { VIEW_PANELS = 9 };

typedef struct view_show {
    view_panel panels[VIEW_PANELS];
    size_t count;
    double longest; /* rounds */
    double tail;    /* what follows them, for the final sweep, in rounds */
    double place;   /* in rounds */
    double speed;   /* rounds a second */
    bool playing, help;
    float scale;
    bool upload; /* pictures on a GPU are drawn by way of the host, as where OpenGL is elsewhere */
    bool bare;   /* without the line of the play at the foot */
} view_show;

/* Prepares a panel whose tape is recorded; style, algorithm and graph are set. False: no memory. */
bool view_panel_open(view_panel *p);
void view_panel_free(view_panel *p);
/* After the last panel: the length of the show, and a speed at which it lasts `seconds` (0: what
 * suits it). */
void view_show_begin(view_show *s, double seconds);
/* Moves on by the time since the last frame. */
void view_show_advance(view_show *s, double seconds);
void view_show_jump(view_show *s, double place);
bool view_show_ended(const view_show *s);
void view_show_free(view_show *s);

/* Draws the frame, width x height pixels. */
void view_scene(view_show *s, view_ink *ink, float width, float height);

/* Where the panel is: after `moment` rounds and `part` (0 .. 1) of the next one. */
typedef struct view_now {
    size_t moment;
    float part;
    float swept; /* 0 .. 1: share of the final sweep; less than 0 before it */
} view_now;
view_now view_panel_now(const view_show *s, const view_panel *p);

/* The styles draw a panel within a rectangle; the state is at now.moment. */
void view_draw_bars(view_panel *p, view_ink *ink, view_rect at, view_now now);
void view_draw_network(view_panel *p, view_ink *ink, view_rect at, view_now now);
void view_draw_graph(view_panel *p, view_ink *ink, view_rect at, view_now now);
void view_draw_run(view_panel *p, view_ink *ink, view_rect title, view_rect at, view_now now);
bool view_network_open(view_panel *p);
void view_network_free(view_network *n);

/* The bar of element i of the main array, as it was drawn last, if it holds this value. */
view_rect view_bar_at(const view_panel *p, uint8_t main, size_t i, uint32_t value);
/* hud.c: what stands around the panels. */
/* The first of the texts that is no wider than room; "" if none is. */
const char *view_fitting(const view_ink *ink, float room, view_face face, const char *const *texts,
                         size_t count);
/* An algorithm's title, or as much of it as there is room for, or else its name. */
const char *view_fitting_title(const view_ink *ink, float room, const upsweep_algorithm *a);
void view_draw_title(const view_panel *p, view_ink *ink, view_rect at, view_now now);
/* The line of the foot that shows the place. */
view_rect view_foot_line(view_rect at, float scale);
void view_draw_foot(const view_show *s, view_ink *ink, view_rect at);
/* The share of the play that the foot shows at a point of the picture; less than 0 elsewhere. */
double view_foot_share(float x, float y, float width, float height, float scale);
void view_draw_help(view_ink *ink, float width, float height);

#endif
