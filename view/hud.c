/* hud.c - the words around the panels: what runs, where it is, what it has cost; the play and its
 * keys. */
/* SPDX-License-Identifier: MIT */
#include "view/palette.h"
#include "view/show.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* 12 345 678 is read more easily as 12.3 M. */
static void short_number(char *text, size_t room, uint64_t value)
{
    static const char units[] = {'k', 'M', 'G', 'T'};
    if (value < 10000) {
        snprintf(text, room, "%" PRIu64, value);
        return;
    }
    double scaled = (double)value / 1000;
    size_t unit = 0;
    while (scaled >= 1000 && unit + 1 < sizeof units) {
        scaled /= 1000;
        unit++;
    }
    snprintf(text, room, scaled < 100 ? "%.1f %c" : "%.0f %c", scaled, units[unit]);
}

/* Of 4 bytes each: a compare reads two values, a swap writes two, a move and a combine read and
 * write, a set writes one. */
static uint64_t bytes_of(const uint64_t *counts)
{
    return 8 * counts[VIEW_COMPARE] + 8 * counts[VIEW_SWAP] + 8 * counts[VIEW_MOVE] +
           12 * counts[VIEW_COMBINE] + 4 * counts[VIEW_SET];
}

static float counter(view_ink *ink, float x, float y, const char *name, uint64_t value)
{
    char text[32];
    short_number(text, sizeof text, value);
    x = view_words(ink, x, y, VIEW_FACE_STRONG, VIEW_LEFT, VIEW_INK, text);
    return view_words(ink, x + 5 * ink->scale, y, VIEW_FACE_SMALL, VIEW_LEFT, VIEW_FAINT, name) +
           16 * ink->scale;
}

/* Returns where the counters end. */
static float draw_counters(const view_panel *p, view_ink *ink, view_rect at)
{
    static const struct {
        view_kind kind;
        const char *name;
    } shown[] = {{VIEW_COMPARE, "compares"},
                 {VIEW_SWAP, "swaps"},
                 {VIEW_MOVE, "moves"},
                 {VIEW_COMBINE, "combines"}};
    const uint64_t *counts = p->state.counts;
    float x = at.x, y = at.y + 46 * ink->scale, last = at.x + at.w - 100 * ink->scale;
    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++) {
        if (p->tape.totals[shown[k].kind] > 0 && x < last) {
            x = counter(ink, x, y, shown[k].name, counts[shown[k].kind]);
        }
    }
    return x < last ? counter(ink, x, y, "bytes", bytes_of(counts)) : x;
}

const char *view_fitting(const view_ink *ink, float room, view_face face, const char *const *texts,
                         size_t count)
{
    for (size_t k = 0; k < count; k++) {
        if (view_glyphs_width(ink->glyphs, face, texts[k]) <= room) {
            return texts[k];
        }
    }
    return "";
}

const char *view_fitting_title(const view_ink *ink, float room, const upsweep_algorithm *a)
{
    static char brief[80]; /* lasts until the next call */
    static const char *const ends[] = {", ", ": ", " (", " with "};
    size_t length = strlen(a->title);
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        const char *end = strstr(a->title, ends[k]);
        length =
            end != NULL && (size_t)(end - a->title) < length ? (size_t)(end - a->title) : length;
    }
    snprintf(brief, sizeof brief, "%.*s", (int)length, a->title);
    const char *bare = strchr(a->name, '/') != NULL ? strchr(a->name, '/') + 1 : a->name;
    const char *titles[] = {a->title, brief, a->name, bare};
    return view_fitting(ink, room, VIEW_FACE_TITLE, titles, 4);
}

/* What happens now, on the right of the counters. */
static void draw_place(const view_panel *p, view_ink *ink, view_rect at, view_now now, float room)
{
    const view_tape *t = &p->tape;
    const view_round *round = &t->rounds[now.moment];
    const char *phase = view_text(t, round->phase), *label = view_text(t, round->label);
    char all[160] = "", two[128] = "";
    if (now.moment < t->round_count) {
        snprintf(two, sizeof two, "%.60s%s%.60s", phase,
                 *phase != '\0' && *label != '\0' ? " · " : "", label);
        snprintf(all, sizeof all, "%s · %zu lane%s", two, round->lanes,
                 round->lanes == 1 ? "" : "s");
    } else if (p->sorts && p->in_order < t->n) {
        snprintf(all, sizeof all, "not in order at %zu", p->in_order);
    } else {
        snprintf(all, sizeof all, "%s", p->sorts ? "sorted" : "done");
    }
    const char *texts[] = {all, two, *label != '\0' ? label : phase};
    view_words(ink, at.x + at.w, at.y + 46 * ink->scale, VIEW_FACE_SMALL, VIEW_RIGHT,
               now.moment == t->round_count ? VIEW_DONE : VIEW_FAINT,
               view_fitting(ink, room, VIEW_FACE_SMALL, texts, 3));
}

void view_draw_title(const view_panel *p, view_ink *ink, view_rect at, view_now now)
{
    const view_tape *t = &p->tape;
    const char *name = t->algorithm;
    float y = at.y + 22 * ink->scale, gap = 14 * ink->scale;
    char text[160];
    snprintf(text, sizeof text, "round %zu / %zu", now.moment + (now.moment < t->round_count),
             t->round_count);
    view_words(ink, at.x + at.w, y, VIEW_FACE_STRONG, VIEW_RIGHT, VIEW_INK, text);
    float room = at.w - view_glyphs_width(ink->glyphs, VIEW_FACE_STRONG, text) - gap;
    const char *title = p->algorithm != NULL ? view_fitting_title(ink, room, p->algorithm) : name;
    float x = view_words(ink, at.x, y, VIEW_FACE_TITLE, VIEW_LEFT, VIEW_INK, title) + gap;
    bool named = strcmp(title, name) == 0;
    const char *before = named ? "" : name, *gap_between = named ? "" : "   ";
    if (p->graph != NULL) {
        snprintf(text, sizeof text, "%s%s%zu vertices, %zu arcs", before, gap_between,
                 p->graph->vertices, p->graph->arcs);
    } else {
        snprintf(text, sizeof text, "%s%sn = %zu", before, gap_between, t->n);
    }
    const char *names[] = {text, before};
    view_words(ink, x, y, VIEW_FACE_SMALL, VIEW_LEFT, VIEW_FAINT,
               view_fitting(ink, at.x + room - x, VIEW_FACE_SMALL, names, 2));
    float end = draw_counters(p, ink, at);
    draw_place(p, ink, at, now, at.x + at.w - end);
}

view_rect view_foot_line(view_rect at, float scale)
{
    float y = at.y + at.h / 2 - 2 * scale;
    return (view_rect){at.x + 180 * scale, y - 2 * scale, at.w - 250 * scale, 4 * scale};
}

void view_draw_foot(const view_show *s, view_ink *ink, view_rect at)
{
    float scale = ink->scale, y = at.y + at.h / 2 - 2 * scale;
    char text[64];
    const char *unit = s->count > 0 && s->panels[0].run != NULL ? "pictures" : "rounds";
    snprintf(text, sizeof text, "%s   %.3g %s/s", s->playing ? "playing" : "paused", s->speed,
             unit);
    view_words(ink, at.x, y + 5 * scale, VIEW_FACE_SMALL, VIEW_LEFT, VIEW_FAINT, text);
    view_words(ink, at.x + at.w, y + 5 * scale, VIEW_FACE_SMALL, VIEW_RIGHT, VIEW_FAINT, "H: keys");
    view_rect line = view_foot_line(at, scale);
    float part = (float)(s->place / (s->longest + s->tail));
    view_box(ink, line, 2 * scale, VIEW_EDGE);
    view_box(ink, (view_rect){line.x, line.y, line.w * part, line.h}, 2 * scale, 0x4f8fe0ffu);
    view_disc(ink, line.x + line.w * part, y, 6 * scale, VIEW_INK);
}

void view_draw_help(view_ink *ink, float width, float height)
{
    static const char *const keys[][2] = {{"Space", "play or pause"},
                                          {"→   ←", "a round forward, back"},
                                          {"↑   ↓", "faster, slower"},
                                          {"Home   End", "the beginning, the end"},
                                          {"0 .. 9", "jump to 0 .. 90 %"},
                                          {"Page ↑ ↓", "a tenth back, forward"},
                                          {"V", "bars, points, network, density"},
                                          {"S", "save this picture"},
                                          {"F", "full screen"},
                                          {"H", "these keys"},
                                          {"Q   Esc", "quit"}};
    enum { KEYS = sizeof keys / sizeof *keys };
    float scale = ink->scale, line = 27 * scale, w = 400 * scale, h = (KEYS + 1.6F) * line;
    view_rect at = {(width - w) / 2, (height - h) / 2, w, h};
    view_box(ink, at, 12 * scale, 0x0b0f14ffu);
    view_frame_box(ink, at, 12 * scale, 1.4F * scale, VIEW_FAINT);
    for (size_t k = 0; k < KEYS; k++) {
        float y = at.y + 1.5F * line + (float)k * line;
        view_words(ink, at.x + 150 * scale, y, VIEW_FACE_STRONG, VIEW_RIGHT, VIEW_GOLD, keys[k][0]);
        view_words(ink, at.x + 176 * scale, y, VIEW_FACE_PLAIN, VIEW_LEFT, VIEW_INK, keys[k][1]);
    }
}
