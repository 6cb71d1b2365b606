/* headless.c - plays a show without a window: the same scene, read back into files. */
/* SPDX-License-Identifier: MIT */
#include "view/offscreen.h"
#include "view/record.h"
#include "view/view.h"

#include <epoxy/gl.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

double view_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

float view_scale(int width, int height)
{
    float scale = sqrtf((float)width * (float)height / (1280.0F * 720.0F));
    return fminf(fmaxf(scale, 0.9F), 4);
}

/* All that a headless play holds. */
typedef struct player {
    view_show *show;
    const view_wish *wish;
    view_done *done;
    io_error *error;
    view_offscreen offscreen;
    view_glyphs glyphs;
    view_draw draw;
    view_ink ink;
    unsigned char *pixels;
    double *times;
    size_t times_room;
    view_film films[2];
    size_t film_count;
    io_output png;
    bool png_open, drawable;
    double began;
} player;

static bool open_outputs(player *p)
{
    const view_wish *w = p->wish;
    const char *films[] = {w->mp4, w->gif};
    if (w->png != NULL) {
        if (io_output_open(&p->png, w->png, p->error) != 0) {
            return false;
        }
        p->png_open = true;
    }
    for (size_t k = 0; k < 2; k++) {
        if (films[k] != NULL) {
            if (!view_film_open(&p->films[p->film_count], films[k], w->width, w->height,
                                p->error)) {
                return false;
            }
            p->film_count++;
        }
    }
    for (size_t k = 0; k < p->film_count; k++) {
        bool gif = p->film_count == 2 ? k == 1 : w->gif != NULL;
        if (!view_film_start(&p->films[k], gif, w->fps, p->error)) {
            return false;
        }
    }
    return true;
}

static bool open_drawing(player *p)
{
    char why[VIEW_WHY] = "no memory";
    int width = p->wish->width, height = p->wish->height;
    if (!view_offscreen_open(&p->offscreen, width, height, p->wish->cuda_device, why)) {
        return io_because(p->error, "%s", why);
    }
    p->show->scale = view_scale(width, height);
    p->ink.scale = p->show->scale;
    p->ink.glyphs = &p->glyphs;
    p->pixels = malloc((size_t)width * (size_t)height * 4);
    if (p->pixels == NULL || !view_glyphs_make(&p->glyphs, p->show->scale) ||
        !view_draw_open(&p->draw, &p->glyphs, why)) {
        return io_because(p->error, "%s", why);
    }
    p->drawable = true;
    if (!p->draw.software) {
        view_attach_runs(p->show, (size_t)width * (size_t)height);
    }
    snprintf(p->done->renderer, sizeof p->done->renderer, "%s", p->draw.renderer);
    snprintf(p->done->device, sizeof p->done->device, "%s", p->offscreen.device);
    p->done->software = p->draw.software;
    return true;
}

/* Draws the frame of this place and waits until it is there. */
static bool draw(player *p)
{
    double began = view_seconds();
    view_scene(p->show, &p->ink, (float)p->wish->width, (float)p->wish->height);
    view_draw_frame(&p->draw, &p->ink, p->wish->width, p->wish->height);
    glFinish();
    double now = view_seconds();
    if (p->done->frames == p->times_room) {
        size_t room = p->times_room == 0 ? 256 : 2 * p->times_room;
        double *times = realloc(p->times, room * sizeof *times);
        if (times == NULL) {
            return io_because(p->error, "out of memory");
        }
        p->times = times;
        p->times_room = room;
    }
    if (p->done->frames == 0) {
        p->done->first_seconds = now - p->began;
    }
    p->times[p->done->frames++] = now - began;
    if (p->ink.failed) {
        return io_because(p->error, "out of memory");
    }
    if (glGetError() != GL_NO_ERROR) {
        return io_because(p->error, "OpenGL failed to draw a frame");
    }
    return true;
}

static void read_pixels(player *p)
{
    view_draw_read(p->wish->width, p->wish->height, p->pixels);
    p->done->pictures += (uint64_t)p->wish->width * (uint64_t)p->wish->height * 4;
}

/* Every frame from the beginning to the end, and a second more. */
static bool play(player *p)
{
    const view_wish *w = p->wish;
    double frames = (p->show->longest + p->show->tail) / p->show->speed * w->fps + 0.8 * w->fps;
    bool reads = w->frames != NULL || p->film_count > 0, ok = true;
    for (size_t k = 0; ok && (double)k <= frames; k++) {
        view_show_jump(p->show, (double)k * p->show->speed / w->fps);
        p->show->playing = !view_show_ended(p->show);
        ok = draw(p);
        if (ok && reads) {
            read_pixels(p);
        }
        if (ok && w->frames != NULL) {
            ok = view_write_frame(w->frames, k, p->pixels, w->width, w->height, p->error);
        }
        for (size_t film = 0; ok && film < p->film_count; film++) {
            ok = view_film_frame(&p->films[film], p->pixels, p->error);
        }
    }
    return ok;
}

/* A network is whole at the end; bars are most telling in the middle of a round. */
static double best_place(const view_show *s)
{
    bool whole = true;
    for (size_t k = 0; k < s->count; k++) {
        whole = whole && s->panels[k].style == VIEW_STYLE_NETWORK;
    }
    return whole ? s->longest + s->tail : floor(s->longest * 0.45) + 0.25;
}

static bool take_picture(player *p)
{
    const view_wish *w = p->wish;
    view_show_jump(p->show, w->at >= 0 ? w->at : best_place(p->show));
    p->show->playing = false;
    if (!draw(p)) {
        return false;
    }
    read_pixels(p);
    return view_write_png(&p->png, p->pixels, w->width, w->height, p->error);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool finish(player *p, bool ok)
{
    for (size_t k = 0; k < p->film_count; k++) {
        io_error error;
        bool kept = view_film_close(&p->films[k], ok, &error);
        if (ok && !kept) {
            *p->error = error;
        }
        ok = ok && kept;
    }
    if (p->png_open && ok) {
        ok = io_output_commit(&p->png, p->error) == 0;
    } else if (p->png_open) {
        io_output_discard(&p->png);
    }
    if (p->done->frames > 0) {
        qsort(p->times, p->done->frames, sizeof *p->times, ascending);
        p->done->frame_seconds = p->times[p->done->frames / 2];
    }
    p->done->uploaded = p->draw.uploaded;
    if (p->drawable) {
        view_detach_runs(p->show);
        view_draw_close(&p->draw);
    }
    view_offscreen_close(&p->offscreen);
    view_glyphs_free(&p->glyphs);
    view_ink_free(&p->ink);
    free(p->pixels);
    free(p->times);
    return ok;
}

bool view_headless(view_show *show, const view_wish *wish, view_done *done, io_error *error)
{
    player p = {.show = show, .wish = wish, .done = done, .error = error, .began = view_seconds()};
    *done = (view_done){0};
    bool plays =
        wish->frames != NULL || wish->mp4 != NULL || wish->gif != NULL || wish->png == NULL;
    view_show_begin(show, wish->seconds);
    show->bare =
        wish->png != NULL || wish->frames != NULL || wish->mp4 != NULL || wish->gif != NULL;
    bool ok = open_outputs(&p) && open_drawing(&p);
    ok = ok && (!plays || play(&p));
    ok = ok && (wish->png == NULL || take_picture(&p));
    return finish(&p, ok);
}
