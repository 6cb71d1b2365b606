/* bars.c - a panel as bars: the array that holds the elements above, those that the round works on
 * below it; what acts is lit, pairs are joined, and elements fly to where they go. */
/* SPDX-License-Identifier: MIT */
#include "view/palette.h"
#include "view/show.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BARS = 1024, MOST_FLYING = 600, MOST_JOINS = 700, NUMBER_SLOT = 22 };
static const float fly_from = 0.3F, change_at = 0.5F;

/* Where the bars of an array stand. */
typedef struct area {
    view_rect at; /* of the bars */
    float slot, gap;
    bool numbers;
    float below; /* of the strip for joins */
} area;

static area area_of(const view_panel *p, uint8_t array, view_rect at, float scale)
{
    const view_array *a = &p->tape.arrays[array];
    float n = (float)(a->length > 0 ? a->length : 1);
    float gaps = a->vector > 0 ? ceilf(n / (float)a->vector) - 1 : 0;
    float slot = fminf(at.w / (n + 0.5F * gaps), 64 * scale);
    area r = {at, slot, 0.5F * slot, slot >= NUMBER_SLOT * scale, 0};
    float label = 20 * scale, numbers = r.numbers ? 20 * scale : 4 * scale;
    r.below = fminf(0.2F * at.h, 64 * scale);
    r.at.y += label;
    r.at.h -= label + numbers + r.below;
    r.at.x += (at.w - slot * (n + 0.5F * gaps)) / 2;
    return r;
}

static float place_of(const view_panel *p, uint8_t array, const area *r, size_t i)
{
    size_t vector = p->tape.arrays[array].vector;
    size_t gaps = vector > 0 ? i / vector : 0;
    return r->at.x + (float)i * r->slot + (float)gaps * r->gap;
}

static view_rect bar_in(const view_panel *p, uint8_t array, const area *r, size_t i, uint32_t value)
{
    float share = value == UINT32_MAX ? 1 : (float)value / (float)p->top[array];
    float high = fmaxf(share * r->at.h, fminf(3, r->at.h));
    float wide = r->slot * (r->slot > 6 ? 0.8F : r->slot > 3 ? 0.9F : 1.0F);
    float x = place_of(p, array, r, i) + (r->slot - wide) / 2;
    return (view_rect){x, r->at.y + r->at.h - high, wide, high};
}

/* What matters most of what a round does with an element. */
static const uint8_t ranks[VIEW_KINDS] = {
    [VIEW_COMPARE] = 1, [VIEW_SET] = 2, [VIEW_COMBINE] = 3, [VIEW_MOVE] = 4, [VIEW_SWAP] = 5};

static void mark(view_panel *p, uint8_t array, size_t i, view_kind kind)
{
    uint8_t *m = &p->marks[p->tape.arrays[array].first + i];
    *m = ranks[kind] > *m ? ranks[kind] : *m;
}

static void mark_round(view_panel *p, size_t moment)
{
    if (p->marked == moment + 1) {
        return;
    }
    memset(p->marks, 0, p->tape.elements);
    p->marked = moment + 1;
    const view_round *round = &p->tape.rounds[moment];
    for (size_t k = round->begin; k < round->end; k++) {
        const view_step *s = &p->tape.steps[k];
        if (s->kind == VIEW_STATE) {
            continue;
        }
        mark(p, s->array, s->i, (view_kind)s->kind);
        if (s->kind != VIEW_SET) {
            mark(p, s->other, s->j, s->kind == VIEW_COMBINE ? VIEW_COMPARE : (view_kind)s->kind);
        }
    }
}

static uint32_t plain_colour(const view_panel *p, uint8_t array, uint32_t value, uint32_t tag)
{
    if (!p->elements[array]) {
        return VIEW_QUIET;
    }
    if (tag > 0) {
        return view_hues[(tag - 1) % VIEW_HUES];
    }
    return view_ramp_colour((float)value / (float)p->top[array]);
}

/* What is compared keeps its colour and gets a cap, what goes elsewhere is orange throughout. */
static void draw_cap(view_ink *ink, view_rect bar, uint32_t colour)
{
    float high = fminf(fmaxf(0.34F * bar.w, 3 * ink->scale), 7 * ink->scale);
    view_box(ink, (view_rect){bar.x, bar.y - high - 2 * ink->scale, bar.w, high},
             fminf(0.4F * high, 2.5F * ink->scale), colour);
}

static void draw_bar(view_ink *ink, view_rect bar, uint32_t value, uint32_t colour)
{
    float radius = fminf(bar.w * 0.22F, 4 * ink->scale);
    if (value == UINT32_MAX) {
        view_frame_box(ink, bar, radius, fmaxf(1, ink->scale), view_mix(VIEW_CARD, colour, 0.6F));
    } else {
        view_box(ink, bar, radius, colour);
    }
}

/* A frame of the play: which part of the round is over, and how far the sweep has come. */
typedef struct pass {
    view_panel *p;
    view_ink *ink;
    view_now now;
    const view_round *round;
    bool flying, acting;
    size_t swept;
} pass;

/* A swap begins as the compare that it follows from. */
static bool waits(const pass *f, uint8_t rank)
{
    return rank == 5 && f->flying && f->now.part < fly_from;
}

static uint32_t bar_colour(const pass *f, uint8_t array, size_t i, uint32_t value, uint32_t tag)
{
    uint8_t rank = f->p->marks[f->p->tape.arrays[array].first + i];
    if (f->now.swept >= 0 && f->p->sorts && array == f->round->main) {
        bool wrong = i >= f->p->in_order;
        uint32_t done = wrong ? VIEW_WRONG : VIEW_DONE;
        return i + 1 == f->swept && f->now.swept < 1 ? VIEW_WHITE
               : i < f->swept                        ? done
                                                     : plain_colour(f->p, array, value, tag);
    }
    uint32_t colour = plain_colour(f->p, array, value, tag);
    if (rank >= 4 && !waits(f, rank)) {
        return VIEW_ORANGE;
    }
    return f->acting && rank == 0 ? view_mix(VIEW_CARD, colour, 0.5F) : colour;
}

/* Elements that are on their way are drawn by fly(). */
static bool is_away(const pass *f, uint8_t rank)
{
    return f->flying && ((rank == 5 && f->now.part >= fly_from) ||
                         ((rank == 2 || rank == 3) && f->now.part >= change_at));
}

static void write_number(const pass *f, const area *r, float middle, uint32_t value,
                         uint32_t colour)
{
    char text[16];
    snprintf(text, sizeof text, "%u", value);
    if (value == UINT32_MAX) {
        snprintf(text, sizeof text, "∞");
    }
    view_face face = VIEW_FACE_SMALL;
    if (view_glyphs_width(f->ink->glyphs, face, text) > r->slot * 0.95F) {
        face = VIEW_FACE_TINY;
    }
    if (view_glyphs_width(f->ink->glyphs, face, text) <= r->slot * 1.1F) {
        view_words(f->ink, middle, r->at.y + r->at.h + 15 * f->ink->scale, face, VIEW_MIDDLE,
                   colour, text);
    }
}

static void draw_field(const pass *f, uint8_t array, const area *r)
{
    const view_array *a = &f->p->tape.arrays[array];
    view_field field = {.at = r->at,
                        .values = view_values(&f->p->state, array),
                        .marks = f->now.swept < 0 ? f->p->marks + a->first : NULL,
                        .lit_from = ranks[VIEW_SET],
                        .lit = VIEW_ORANGE,
                        .count = a->length,
                        .top = f->p->top[array],
                        .size = fmaxf(2.4F, 3.2F - (float)a->length / 20000) * f->ink->scale,
                        .swept = f->p->sorts && array == f->round->main ? f->swept : 0};
    view_add_field(f->ink, &field);
}

static void draw_array(const pass *f, uint8_t array, view_rect at)
{
    const view_array *a = &f->p->tape.arrays[array];
    const uint32_t *values = view_values(&f->p->state, array),
                   *tags = view_tags(&f->p->state, array);
    area r = area_of(f->p, array, at, f->ink->scale);
    if (f->p->works || array != f->round->main) {
        view_words(f->ink, at.x, at.y + 12 * f->ink->scale, VIEW_FACE_SMALL, VIEW_LEFT, VIEW_FAINT,
                   a->name);
    }
    if (a->length > MOST_BARS || f->p->style == VIEW_STYLE_POINTS) {
        draw_field(f, array, &r);
        return;
    }
    for (size_t i = 0; i < a->length; i++) {
        uint8_t rank = f->p->marks[a->first + i];
        view_rect bar = bar_in(f->p, array, &r, i, values[i]);
        bool away = is_away(f, rank);
        if (!away) {
            draw_bar(f->ink, bar, values[i], bar_colour(f, array, i, values[i], tags[i]));
        }
        if (!away && rank > 0) {
            draw_cap(f->ink, bar, rank >= 4 && !waits(f, rank) ? VIEW_ORANGE : VIEW_GOLD);
        }
        if (r.numbers && !away) {
            write_number(f, &r, bar.x + bar.w / 2, values[i], rank > 0 ? VIEW_INK : VIEW_FAINT);
        }
    }
}

/* ---- what flies, and what is joined ---- */

typedef struct stage {
    uint8_t array;
    view_rect at;
} stage;

static const stage *stage_of(const stage *stages, size_t count, uint8_t array)
{
    for (size_t k = 0; k < count; k++) {
        if (stages[k].array == array) {
            return &stages[k];
        }
    }
    return NULL;
}

static view_rect between(view_rect a, view_rect b, float part)
{
    return (view_rect){a.x + (b.x - a.x) * part, a.y + (b.y - a.y) * part, a.w + (b.w - a.w) * part,
                       a.h + (b.h - a.h) * part};
}

/* The higher one behind, and both apart from what they pass. */
static void fly_swap(const pass *f, const view_step *s, const area *a, float part)
{
    const uint32_t *values = view_values(&f->p->state, s->array);
    size_t tall = values[s->i] >= values[s->j] ? s->i : s->j, low = s->i + s->j - tall;
    const size_t ways[2][2] = {{tall, low}, {low, tall}};
    for (size_t k = 0; k < 2; k++) {
        uint32_t value = values[ways[k][0]];
        view_rect bar = between(bar_in(f->p, s->array, a, ways[k][0], value),
                                bar_in(f->p, s->array, a, ways[k][1], value), part);
        float rim = fminf(1.5F * f->ink->scale, bar.w * 0.2F);
        view_box(f->ink, (view_rect){bar.x - rim, bar.y - rim, bar.w + 2 * rim, bar.h + rim},
                 4 * f->ink->scale, VIEW_CARD);
        draw_bar(f->ink, bar, value, VIEW_ORANGE);
        draw_cap(f->ink, bar, VIEW_ORANGE);
        if (a->numbers && fabsf(part - 0.5F) > 0.3F) {
            write_number(f, a, bar.x + bar.w / 2, value, VIEW_INK);
        }
    }
}

static void fly_one(const pass *f, const view_step *s, const stage *from, const stage *to)
{
    float t = fminf(fmaxf((f->now.part - fly_from) / (0.95F - fly_from), 0), 1);
    float part = t * t * (3 - 2 * t);
    area a = area_of(f->p, s->array, from->at, f->ink->scale);
    area b = area_of(f->p, s->other, to->at, f->ink->scale);
    if (s->kind == VIEW_SWAP) {
        fly_swap(f, s, &a, part);
    } else if (s->kind == VIEW_MOVE) {
        draw_bar(f->ink,
                 between(bar_in(f->p, s->array, &a, s->i, s->a),
                         bar_in(f->p, s->other, &b, s->j, s->a), part),
                 s->a, VIEW_ORANGE);
    } else if (f->now.part >= change_at) {
        view_rect bar = bar_in(f->p, s->array, &a, s->i, s->a);
        draw_bar(f->ink, bar, s->a, bar_colour(f, s->array, s->i, s->a, 0));
        draw_cap(f->ink, bar, VIEW_GOLD);
        if (a.numbers) {
            write_number(f, &a, bar.x + bar.w / 2, s->a, VIEW_INK);
        }
    }
}

/* Within an array an arc below the bars, between two a line from one to the other. */
static void join(const pass *f, const view_step *s, const stage *from, const stage *to, float width)
{
    uint32_t lit = s->kind == VIEW_SWAP || s->kind == VIEW_MOVE ? VIEW_ORANGE : VIEW_GOLD;
    float fade = f->now.part < 0.7F ? 0.85F : fmaxf(0, 0.85F * (1 - f->now.part) / 0.3F);
    uint32_t colour = view_mix(VIEW_CARD, lit, fade);
    area a = area_of(f->p, s->array, from->at, f->ink->scale);
    area b = area_of(f->p, s->other, to->at, f->ink->scale);
    float x0 = place_of(f->p, s->array, &a, s->i) + a.slot / 2;
    float x1 = place_of(f->p, s->other, &b, s->j) + b.slot / 2;
    float strip = (a.numbers ? 20 : 4) * f->ink->scale, y0 = a.at.y + a.at.h + strip;
    if (s->array == s->other) {
        float depth = a.below * (0.35F + 0.65F * fminf(1, fabsf(x1 - x0) / a.at.w * 1.6F));
        view_curve(f->ink, (float[]){x0, y0}, (float[]){(x0 + x1) / 2, y0 + 1.7F * depth},
                   (float[]){x1, y0}, width, colour);
        return;
    }
    float y1 = b.at.y + b.at.h + (b.numbers ? 20 : 4) * f->ink->scale;
    bool down = b.at.y > a.at.y;
    view_stroke(f->ink, x0, down ? y0 : a.at.y, x1, down ? b.at.y : y1, width, colour);
}

static void draw_steps(const pass *f, const stage *stages, size_t count)
{
    const view_step *steps = f->p->tape.steps;
    size_t steps_here = f->round->end - f->round->begin;
    float width = (steps_here < 100 ? 2.0F : 1.2F) * f->ink->scale;
    for (size_t k = f->round->begin; k < f->round->end && steps_here <= MOST_JOINS; k++) {
        const stage *from = stage_of(stages, count, steps[k].array);
        const stage *to = stage_of(stages, count, steps[k].other);
        bool pair = steps[k].kind <= VIEW_COMBINE;
        if (from != NULL && to != NULL && pair) {
            join(f, &steps[k], from, to, width);
        }
    }
    for (size_t k = f->round->begin; f->flying && k < f->round->end; k++) {
        const stage *from = stage_of(stages, count, steps[k].array);
        const stage *to = stage_of(stages, count, steps[k].other);
        if (from != NULL && to != NULL && steps[k].kind != VIEW_COMPARE &&
            f->now.part >= fly_from) {
            fly_one(f, &steps[k], from, to);
        }
    }
}

/* The arrays of this round, or of the last one of its phase that worked on others. */
static const view_round *working_round(const view_panel *p, size_t moment)
{
    const view_round *rounds = p->tape.rounds;
    size_t k = moment;
    while (k > 0 && rounds[k].work[0] == VIEW_NONE && rounds[k - 1].phase == rounds[moment].phase &&
           rounds[k - 1].main == rounds[moment].main) {
        k--;
    }
    return &rounds[k];
}

static size_t set_stages(const view_panel *p, view_rect at, view_now now, stage stages[3])
{
    const view_round *round = &p->tape.rounds[now.moment];
    const view_round *working = working_round(p, now.moment);
    bool ended = now.moment == p->tape.round_count;
    size_t count = 0, works = 0;
    while (!ended && works < VIEW_WORK_ARRAYS && working->work[works] != VIEW_NONE) {
        works++;
    }
    float share = works == 0 || ended ? 1 : 0.56F, high = at.h * (1 - share) / VIEW_WORK_ARRAYS;
    stages[count++] = (stage){round->main, {at.x, at.y, at.w, at.h * share}};
    for (size_t k = 0; k < works; k++) {
        float tall = works == 1 ? 2 * high : high;
        stages[count++] =
            (stage){working->work[k], {at.x, at.y + at.h * share + (float)k * high, at.w, tall}};
    }
    return count;
}

void view_draw_bars(view_panel *p, view_ink *ink, view_rect at, view_now now)
{
    const view_round *round = &p->tape.rounds[now.moment];
    if (round->main == VIEW_NONE) {
        return;
    }
    size_t steps = round->end - round->begin, length = p->tape.arrays[round->main].length;
    pass f = {.p = p, .ink = ink, .now = now, .round = round, .acting = steps > 0};
    f.flying = steps <= MOST_FLYING && length <= MOST_BARS && p->style == VIEW_STYLE_BARS;
    f.swept = now.swept < 0 ? 0 : (size_t)(now.swept * (float)p->in_order);
    mark_round(p, now.moment);
    if (!f.flying && now.part >= change_at) {
        view_state_seek(&p->state, now.moment + 1);
    }
    stage stages[3];
    size_t count = set_stages(p, at, now, stages);
    p->stage = stages[0].at;
    p->stage_scale = ink->scale;
    for (size_t k = 0; k < count; k++) {
        draw_array(&f, stages[k].array, stages[k].at);
    }
    draw_steps(&f, stages, count);
}

view_rect view_bar_at(const view_panel *p, uint8_t main, size_t i, uint32_t value)
{
    area r = area_of(p, main, p->stage, p->stage_scale);
    return bar_in(p, main, &r, i, value);
}
