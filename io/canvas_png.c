/* canvas_png.c - pictures as PNG, drawn by cairo, www.cairographics.org, where it was found when
 * the program was built. */
/* SPDX-License-Identifier: MIT */
#include "io/canvas.h"

#ifdef UPSWEEP_CAIRO

#include <cairo.h>

const char *const io_canvas_png_why = NULL;

static bool begin(io_canvas *c, int32_t background)
{
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)c->width, (int)c->height);
    cairo_t *cairo = cairo_create(surface);
    cairo_surface_destroy(surface); /* cairo holds it now */
    if (cairo_status(cairo) != CAIRO_STATUS_SUCCESS) {
        cairo_destroy(cairo);
        return false;
    }
    c->inside = cairo;
    cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    io_canvas_box(c, (io_point){0, 0}, c->width, c->height, background);
    return true;
}

static void set_colour(cairo_t *cairo, int32_t colour)
{
    cairo_set_source_rgb(cairo, (colour >> 16 & 255) / 255.0, (colour >> 8 & 255) / 255.0,
                         (colour & 255) / 255.0);
}

static void stroke(cairo_t *cairo, int32_t colour, float width)
{
    set_colour(cairo, colour);
    cairo_set_line_width(cairo, (double)width);
    cairo_stroke(cairo);
}

/* Few lines at a time: cairo's strokes of very many take much longer than their share. */
static void lines(io_canvas *c, const io_point *points, size_t count, int32_t colour, float width)
{
    enum { FEW = 64 };
    cairo_t *cairo = c->inside;
    for (size_t i = 0; i < count; i++) {
        cairo_move_to(cairo, (double)points[2 * i].x, (double)points[2 * i].y);
        cairo_line_to(cairo, (double)points[2 * i + 1].x, (double)points[2 * i + 1].y);
        if (i % FEW == FEW - 1 || i == count - 1) {
            stroke(cairo, colour, width);
        }
    }
}

static void polyline(io_canvas *c, const io_point *points, size_t count, int32_t colour,
                     float width)
{
    cairo_t *cairo = c->inside;
    for (size_t i = 0; i < count; i++) {
        cairo_line_to(cairo, (double)points[i].x, (double)points[i].y);
    }
    stroke(cairo, colour, width);
}

static void disc(io_canvas *c, io_point centre, float radius, int32_t fill, int32_t edge,
                 float edge_width)
{
    static const double turn = 6.283185307179586;
    cairo_t *cairo = c->inside;
    cairo_arc(cairo, (double)centre.x, (double)centre.y, (double)radius, 0, turn);
    set_colour(cairo, fill);
    cairo_fill_preserve(cairo);
    stroke(cairo, edge, edge_width);
}

static void box(io_canvas *c, io_point corner, float width, float height, int32_t fill)
{
    cairo_t *cairo = c->inside;
    cairo_rectangle(cairo, (double)corner.x, (double)corner.y, (double)width, (double)height);
    set_colour(cairo, fill);
    cairo_fill(cairo);
}

static void words(io_canvas *c, const io_words *w)
{
    cairo_t *cairo = c->inside;
    cairo_text_extents_t extents;
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           w->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, (double)w->size);
    cairo_text_extents(cairo, w->text, &extents);
    double back = w->anchor == IO_ANCHOR_LEFT ? 0 : extents.x_advance;
    back = w->anchor == IO_ANCHOR_MIDDLE ? back / 2 : back;
    cairo_move_to(cairo, (double)w->at.x - back, (double)w->at.y);
    if (w->halo != IO_NO_COLOUR) {
        cairo_text_path(cairo, w->text);
        stroke(cairo, w->halo, w->size / 4);
        cairo_move_to(cairo, (double)w->at.x - back, (double)w->at.y);
    }
    set_colour(cairo, w->colour);
    cairo_show_text(cairo, w->text);
    cairo_new_path(cairo);
}

static cairo_status_t put(void *context, const unsigned char *bytes, unsigned size)
{
    const io_canvas *c = context;
    return io_output_write(c->out, bytes, size, c->error) == 0 ? CAIRO_STATUS_SUCCESS
                                                               : CAIRO_STATUS_WRITE_ERROR;
}

static bool end(io_canvas *c)
{
    cairo_t *cairo = c->inside;
    c->error->text[0] = '\0';
    cairo_status_t status = cairo_status(cairo);
    if (status == CAIRO_STATUS_SUCCESS) {
        status = cairo_surface_write_to_png_stream(cairo_get_target(cairo), put, c);
    }
    if (status != CAIRO_STATUS_SUCCESS && c->error->text[0] == '\0') {
        io_because(c->error, "%s: cannot be drawn: %s", c->out->name,
                   cairo_status_to_string(status));
    }
    cairo_destroy(cairo);
    return status == CAIRO_STATUS_SUCCESS;
}

const io_canvas_kind io_canvas_png = {begin, lines, polyline, disc, box, words, end};

#else

const char *const io_canvas_png_why =
    "drawing PNG needs cairo, without which this program was built; .svg can be drawn";
const io_canvas_kind io_canvas_png = {0};

#endif
