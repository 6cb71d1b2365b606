/* canvas_svg.c - pictures as SVG 1.1, www.w3.org/TR/SVG11: text, so that no library is needed.
 * Points have one digit behind the point, which is finer than a screen. */
/* SPDX-License-Identifier: MIT */
#include "io/canvas.h"

#include "io/printer.h"

#include <math.h>
#include <stdlib.h>

static bool begin(io_canvas *c, int32_t background)
{
    io_printer *p = io_printer_new(c->out, c->error);
    if (p == NULL) {
        return false;
    }
    c->inside = p;
    io_put_format(p,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                  "viewBox=\"0 0 %.0f %.0f\" font-family=\"DejaVu Sans, Helvetica, Arial, "
                  "sans-serif\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#%06x\"/>\n",
                  (double)c->width, (double)c->height, (double)c->width, (double)c->height,
                  (unsigned)background);
    return true;
}

/* A number in tenths, as short as it can be. */
static void put_tenths(io_printer *p, long tenths)
{
    if (tenths < 0) {
        io_put(p, "-", 1);
        tenths = -tenths;
    }
    io_put_count(p, (uint64_t)(tenths / 10));
    if (tenths % 10 != 0) {
        char digit[2] = {'.', (char)('0' + tenths % 10)};
        io_put(p, digit, 2);
    }
}

static void put_point(io_printer *p, const char *before, io_point point)
{
    io_put_text(p, before);
    put_tenths(p, lroundf(point.x * 10));
    io_put(p, " ", 1);
    put_tenths(p, lroundf(point.y * 10));
}

static void open_path(io_printer *p, int32_t colour, float width)
{
    io_put_format(p,
                  "<path fill=\"none\" stroke=\"#%06x\" stroke-width=\"%.2f\" "
                  "stroke-linecap=\"round\" stroke-linejoin=\"round\" d=\"",
                  (unsigned)colour, (double)width);
}

static bool same(io_point a, io_point b)
{
    return a.x == b.x && a.y == b.y;
}

/* A line that begins where the last one ended goes on from there. */
static void lines(io_canvas *c, const io_point *points, size_t count, int32_t colour, float width)
{
    io_printer *p = c->inside;
    open_path(p, colour, width);
    for (size_t i = 0; i < count && !p->failed; i++) {
        if (i == 0 || !same(points[2 * i], points[2 * i - 1])) {
            put_point(p, "M", points[2 * i]);
        }
        put_point(p, "L", points[2 * i + 1]);
    }
    io_put_text(p, "\"/>\n");
}

static void polyline(io_canvas *c, const io_point *points, size_t count, int32_t colour,
                     float width)
{
    io_printer *p = c->inside;
    open_path(p, colour, width);
    for (size_t i = 0; i < count; i++) {
        put_point(p, i == 0 ? "M" : "L", points[i]);
    }
    io_put_text(p, "\"/>\n");
}

static void disc(io_canvas *c, io_point centre, float radius, int32_t fill, int32_t edge,
                 float edge_width)
{
    io_put_format(c->inside,
                  "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"#%06x\" stroke=\"#%06x\" "
                  "stroke-width=\"%.1f\"/>\n",
                  (double)centre.x, (double)centre.y, (double)radius, (unsigned)fill,
                  (unsigned)edge, (double)edge_width);
}

static void box(io_canvas *c, io_point corner, float width, float height, int32_t fill)
{
    io_put_format(
        c->inside, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#%06x\"/>\n",
        (double)corner.x, (double)corner.y, (double)width, (double)height, (unsigned)fill);
}

static void put_escaped(io_printer *p, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<': io_put_text(p, "&lt;"); break;
        case '>': io_put_text(p, "&gt;"); break;
        case '&': io_put_text(p, "&amp;"); break;
        default: io_put(p, (unsigned char)*text < ' ' ? " " : text, 1); break;
        }
    }
}

static void words(io_canvas *c, const io_words *w)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    io_printer *p = c->inside;
    io_put_format(p,
                  "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\" text-anchor=\"%s\" "
                  "fill=\"#%06x\"%s",
                  (double)w->at.x, (double)w->at.y, (double)w->size, anchors[w->anchor],
                  (unsigned)w->colour, w->bold ? " font-weight=\"bold\"" : "");
    if (w->halo != IO_NO_COLOUR) {
        io_put_format(p,
                      " stroke=\"#%06x\" stroke-width=\"%.1f\" stroke-linejoin=\"round\" "
                      "paint-order=\"stroke\"",
                      (unsigned)w->halo, (double)w->size / 4);
    }
    io_put_text(p, ">");
    put_escaped(p, w->text);
    io_put_text(p, "</text>\n");
}

static bool end(io_canvas *c)
{
    io_printer *p = c->inside;
    io_put_text(p, "</svg>\n");
    bool ok = io_put_end(p);
    free(p);
    return ok;
}

const io_canvas_kind io_canvas_svg = {begin, lines, polyline, disc, box, words, end};
