/* draw.c - two programs: one for shapes, whose edges are smoothed by their distance, and one for
 * fields of points. */
/* SPDX-License-Identifier: MIT */
#include "view/draw.h"
#include "view/palette.h"
#include "view/splat.h"

#include <epoxy/gl.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char shape_vertex[] =
    "#version 450 core\n"
    "layout(location = 0) in vec4 at;\n"
    "layout(location = 1) in vec4 extra;\n"
    "layout(location = 2) in uint colour;\n"
    "layout(location = 3) in uint kind;\n"
    "uniform vec2 size;\n"
    "out vec2 p;\n"
    "flat out vec4 f_at, f_extra, f_colour;\n"
    "flat out uint f_kind;\n"
    "void main() {\n"
    "    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
    "    if (kind == 1u) {\n"
    "        vec2 along = at.zw - at.xy;\n"
    "        float length = max(length(along), 0.001), reach = extra.x * 0.5 + 1.0;\n"
    "        vec2 u = along / length, v = vec2(-u.y, u.x);\n"
    "        p = at.xy + u * mix(-reach, length + reach, corner.x) + v * mix(-reach, reach, "
    "corner.y);\n"
    "    } else {\n"
    "        float out_by = kind == 0u ? 1.0 : 0.0;\n"
    "        p = mix(at.xy - out_by, at.xy + at.zw + out_by, corner);\n"
    "    }\n"
    "    gl_Position = vec4(p.x / size.x * 2.0 - 1.0, 1.0 - p.y / size.y * 2.0, 0.0, 1.0);\n"
    "    f_at = at; f_extra = extra; f_kind = kind;\n"
    "    f_colour = unpackUnorm4x8(colour).wzyx;\n"
    "}\n";

static const char shape_fragment[] =
    "#version 450 core\n"
    "in vec2 p;\n"
    "flat in vec4 f_at, f_extra, f_colour;\n"
    "flat in uint f_kind;\n"
    "layout(binding = 0) uniform sampler2D letters;\n"
    "out vec4 colour;\n"
    "void main() {\n"
    "    float cover;\n"
    "    if (f_kind == 2u) {\n"
    "        cover = texelFetch(letters, ivec2(f_extra.xy + p - f_at.xy), 0).r;\n"
    "    } else if (f_kind == 1u) {\n"
    "        vec2 along = f_at.zw - f_at.xy;\n"
    "        float t = clamp(dot(p - f_at.xy, along) / max(dot(along, along), 1e-6), 0.0, 1.0);\n"
    "        cover = clamp(f_extra.x * 0.5 - distance(p, f_at.xy + along * t) + 0.5, 0.0, 1.0);\n"
    "    } else {\n"
    "        vec2 half_size = f_at.zw * 0.5;\n"
    "        vec2 q = abs(p - f_at.xy - half_size) - half_size + f_extra.x;\n"
    "        float d = length(max(q, 0.0)) + min(max(q.x, q.y), 0.0) - f_extra.x;\n"
    "        d = f_extra.y > 0.0 ? abs(d + f_extra.y * 0.5) - f_extra.y * 0.5 : d;\n"
    "        cover = clamp(0.5 - d, 0.0, 1.0);\n"
    "    }\n"
    "    colour = vec4(f_colour.rgb, f_colour.a * cover);\n"
    "}\n";

static const char point_vertex[] =
    "#version 450 core\n"
    "layout(location = 0) in float value;\n"
    "layout(location = 1) in float mark;\n"
    "layout(location = 2) in vec2 own;\n"
    "uniform vec2 size;\n"
    "uniform vec4 at;\n"
    "uniform vec4 ramp[6];\n"
    "uniform vec4 lit, done;\n"
    "uniform float count, swept, point, fade, lights, placed;\n"
    "flat out vec4 f_colour;\n"
    "void main() {\n"
    "    vec2 there = vec2((gl_VertexID + 0.5) / count, 1.0 - value);\n"
    "    vec2 p = at.xy + (placed > 0.0 ? own : there) * at.zw;\n"
    "    gl_Position = vec4(p.x / size.x * 2.0 - 1.0, 1.0 - p.y / size.y * 2.0, 0.0, 1.0);\n"
    "    float height = placed < 2.0 ? value : value < 1.0 ? 1.0 - 0.75 * value : 0.0;\n"
    "    float place = clamp(height, 0.0, 1.0) * 5.0;\n"
    "    int k = min(int(place), 4);\n"
    "    f_colour = mix(ramp[k], ramp[k + 1], place - k);\n"
    "    f_colour.a = fade;\n"
    "    if (gl_VertexID < swept) f_colour = vec4(done.rgb, fade);\n"
    "    bool acts = mark * lights > 0.5;\n"
    "    if (acts) f_colour = lit;\n"
    "    gl_PointSize = acts ? point * 1.35 : point;\n"
    "}\n";

static const char point_fragment[] =
    "#version 450 core\n"
    "flat in vec4 f_colour;\n"
    "uniform float point;\n"
    "out vec4 colour;\n"
    "void main() {\n"
    "    float off = length(gl_PointCoord - 0.5) * 2.0 * point;\n"
    "    float cover = point < 2.0 ? 1.0 : clamp((point - off) * 0.5 + 0.5, 0.0, 1.0);\n"
    "    colour = vec4(f_colour.rgb, f_colour.a * cover);\n"
    "}\n";

enum { MOST_SOFTWARE_POINTS = 4096 };

static void make_arrays(view_draw *d)
{
    glCreateVertexArrays(1, &d->shape_array);
    glCreateBuffers(1, &d->shape_buffer);
    glVertexArrayVertexBuffer(d->shape_array, 0, d->shape_buffer, 0, sizeof(view_shape));
    glVertexArrayBindingDivisor(d->shape_array, 0, 1);
    glVertexArrayAttribFormat(d->shape_array, 0, 4, GL_FLOAT, GL_FALSE, 0);
    glVertexArrayAttribFormat(d->shape_array, 1, 4, GL_FLOAT, GL_FALSE,
                              offsetof(view_shape, extra));
    glVertexArrayAttribIFormat(d->shape_array, 2, 1, GL_UNSIGNED_INT, offsetof(view_shape, colour));
    glVertexArrayAttribIFormat(d->shape_array, 3, 1, GL_UNSIGNED_INT, offsetof(view_shape, kind));
    for (unsigned k = 0; k < 4; k++) {
        glVertexArrayAttribBinding(d->shape_array, k, 0);
        glEnableVertexArrayAttrib(d->shape_array, k);
    }
    glCreateVertexArrays(1, &d->point_array);
    glCreateBuffers(1, &d->point_buffer);
    glCreateBuffers(1, &d->place_buffer);
    glVertexArrayAttribFormat(d->point_array, 2, 2, GL_FLOAT, GL_FALSE, 0);
    glVertexArrayAttribBinding(d->point_array, 2, 1);
    glVertexArrayVertexBuffer(d->point_array, 1, d->place_buffer, 0, 2 * sizeof(float));
    for (unsigned k = 0; k < 2; k++) {
        glVertexArrayAttribFormat(d->point_array, k, 1, GL_FLOAT, GL_FALSE, k * sizeof(float));
        glVertexArrayAttribBinding(d->point_array, k, 0);
        glEnableVertexArrayAttrib(d->point_array, k);
    }
}

static void make_letters(view_draw *d, const view_glyphs *g)
{
    glCreateTextures(GL_TEXTURE_2D, 1, &d->letters);
    glTextureStorage2D(d->letters, 1, GL_R8, g->width, g->height);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTextureSubImage2D(d->letters, 0, 0, 0, g->width, g->height, GL_RED, GL_UNSIGNED_BYTE,
                        g->pixels);
    glTextureParameteri(d->letters, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTextureParameteri(d->letters, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

bool view_draw_open(view_draw *d, const view_glyphs *glyphs, char why[VIEW_WHY])
{
    static const uint32_t done = VIEW_DONE;
    *d = (view_draw){0};
    const char *renderer = (const char *)glGetString(GL_RENDERER);
    snprintf(d->renderer, sizeof d->renderer, "%s", renderer == NULL ? "unknown" : renderer);
    d->software =
        strstr(d->renderer, "llvmpipe") != NULL || strstr(d->renderer, "softpipe") != NULL;
    d->shapes = view_make_program(shape_vertex, shape_fragment, why);
    d->points = d->shapes == 0 ? 0 : view_make_program(point_vertex, point_fragment, why);
    if (d->points == 0 || !view_cell_draw_open(&d->cells, why)) {
        return false;
    }
    view_set_colours(d->points, "ramp", view_ramp, VIEW_RAMP);
    view_set_colours(d->points, "done", &done, 1);
    make_arrays(d);
    make_letters(d, glyphs);
    return true;
}

void view_draw_close(view_draw *d)
{
    glDeleteProgram(d->shapes);
    glDeleteProgram(d->points);
    glDeleteVertexArrays(1, &d->shape_array);
    glDeleteVertexArrays(1, &d->point_array);
    glDeleteBuffers(1, &d->shape_buffer);
    glDeleteBuffers(1, &d->point_buffer);
    glDeleteBuffers(1, &d->place_buffer);
    view_cell_draw_close(&d->cells);
    glDeleteTextures(1, &d->letters);
    glDeleteTextures(1, &d->image);
    glDeleteFramebuffers(1, &d->image_frame);
    free(d->vertices);
    free(d->pixels);
}

static void set_size(unsigned program, int width, int height)
{
    glProgramUniform2f(program, glGetUniformLocation(program, "size"), (float)width, (float)height);
}

/* Room for two floats a value. */
static float *take_vertices(view_draw *d, size_t count)
{
    if (count > d->vertex_room) {
        float *vertices = realloc(d->vertices, count * 2 * sizeof *vertices);
        if (vertices == NULL) {
            return NULL;
        }
        d->vertices = vertices;
        d->vertex_room = count;
    }
    return d->vertices;
}

static void upload(view_draw *d, unsigned buffer, const float *pairs, size_t count)
{
    glNamedBufferData(buffer, (GLsizeiptr)(count * 2 * sizeof *pairs), pairs, GL_STREAM_DRAW);
    d->uploaded += count * 2 * sizeof *pairs;
}

/* Where the points lie, if not side by side; once, as they stay there. False: no memory. */
static bool upload_places(view_draw *d, const view_field *f)
{
    if (f->x != NULL && f->x == d->placed && f->count == d->placed_count) {
        glEnableVertexArrayAttrib(d->point_array, 2);
        return true;
    }
    float *to = f->x == NULL ? NULL : take_vertices(d, f->count);
    if (to == NULL) {
        glDisableVertexArrayAttrib(d->point_array, 2);
        return f->x == NULL;
    }
    for (size_t k = 0; k < f->count; k++) {
        to[2 * k] = f->x[k];
        to[2 * k + 1] = f->y[k];
    }
    upload(d, d->place_buffer, to, f->count);
    d->placed = f->x;
    d->placed_count = f->count;
    glEnableVertexArrayAttrib(d->point_array, 2);
    return true;
}

/* Values on this side become vertices: value / top, mark. False: no memory. */
static bool upload_values(view_draw *d, const view_field *f)
{
    float share = 1 / (float)f->top, *to = take_vertices(d, f->count);
    if (to == NULL) {
        return false;
    }
    for (size_t k = 0; k < f->count; k++) {
        uint32_t value = f->values[k];
        to[2 * k] = value == UINT32_MAX ? 1 : (float)value * share;
        to[2 * k + 1] = f->marks == NULL ? 0 : f->marks[k] >= f->lit_from;
    }
    upload(d, d->point_buffer, to, f->count);
    return true;
}

/* A texture, and a framebuffer to copy from, for an image of this size. */
static bool fit_image(view_draw *d, int width, int height)
{
    if (width == d->image_width && height == d->image_height) {
        return true;
    }
    unsigned char *pixels = realloc(d->pixels, (size_t)width * (size_t)height * 4);
    if (pixels == NULL) {
        return false;
    }
    d->pixels = pixels;
    d->image_width = width;
    d->image_height = height;
    glDeleteTextures(1, &d->image);
    glDeleteFramebuffers(1, &d->image_frame);
    glCreateTextures(GL_TEXTURE_2D, 1, &d->image);
    glTextureStorage2D(d->image, 1, GL_RGBA8, width, height);
    glCreateFramebuffers(1, &d->image_frame);
    glNamedFramebufferTexture(d->image_frame, GL_COLOR_ATTACHMENT0, d->image, 0);
    return true;
}

/* The card is the ground of every field, so that its pixels can be copied as they are. */
static void copy_field(view_draw *d, const view_field *f, int height)
{
    int left = (int)floorf(f->at.x) - VIEW_SPLAT_EDGE, top = (int)floorf(f->at.y) - VIEW_SPLAT_EDGE;
    int wide = (int)ceilf(f->at.w) + 2 * VIEW_SPLAT_EDGE, frame = 0;
    int high = (int)ceilf(f->at.h) + 2 * VIEW_SPLAT_EDGE;
    if (!fit_image(d, wide, high)) {
        return;
    }
    view_splat(f, d->pixels, wide, high, VIEW_CARD);
    glTextureSubImage2D(d->image, 0, 0, 0, wide, high, GL_RGBA, GL_UNSIGNED_BYTE, d->pixels);
    d->uploaded += (uint64_t)wide * (uint64_t)high * 4;
    glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &frame);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, d->image_frame);
    glBlitFramebuffer(0, 0, wide, high, left, height - top, left + wide, height - top - high,
                      GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, (unsigned)frame);
}

static void draw_points(view_draw *d, const view_field *f)
{
    bool here = f->values != NULL;
    float placed = f->x == NULL ? 0 : here ? 1 : 2;
    unsigned buffer = here ? d->point_buffer : f->buffer, p = d->points;
    float density = (float)f->count / fmaxf(f->at.w * f->at.h, 1);
    if (!upload_places(d, f) || (here ? !upload_values(d, f) : !f->fill(f->context, f))) {
        return;
    }
    glVertexArrayVertexBuffer(d->point_array, 0, buffer, 0, 2 * sizeof(float));
    glProgramUniform4f(p, glGetUniformLocation(p, "at"), f->at.x, f->at.y, f->at.w, f->at.h);
    glProgramUniform1f(p, glGetUniformLocation(p, "count"), (float)f->count);
    glProgramUniform1f(p, glGetUniformLocation(p, "swept"), (float)f->swept);
    glProgramUniform1f(p, glGetUniformLocation(p, "point"), f->size);
    glProgramUniform1f(p, glGetUniformLocation(p, "fade"), density > 0.2F ? 0.55F : 0.92F);
    glProgramUniform1f(p, glGetUniformLocation(p, "lights"), f->unlit ? 0 : 1);
    glProgramUniform1f(p, glGetUniformLocation(p, "placed"), placed);
    view_set_colours(p, "lit", &f->lit, 1);
    glUseProgram(p);
    glBindVertexArray(d->point_array);
    glDrawArrays(GL_POINTS, 0, (int)f->count);
}

static void draw_field(view_draw *d, const view_field *f, int width, int height)
{
    if (f->columns > 0) {
        d->uploaded += view_cell_draw_field(&d->cells, f, width, height);
    } else if (d->software && f->values != NULL && f->count > MOST_SOFTWARE_POINTS) {
        copy_field(d, f, height);
    } else {
        draw_points(d, f);
    }
}

static void draw_shapes(view_draw *d, size_t begin, size_t end)
{
    if (begin < end) {
        glUseProgram(d->shapes);
        glBindVertexArray(d->shape_array);
        glBindTextureUnit(0, d->letters);
        glDrawArraysInstancedBaseInstance(GL_TRIANGLE_STRIP, 0, 4, (int)(end - begin),
                                          (unsigned)begin);
    }
}

void view_draw_frame(view_draw *d, const view_ink *ink, int width, int height)
{
    float ground[4];
    for (size_t k = 0; k < 4; k++) {
        ground[k] = (float)(VIEW_GROUND >> (24 - 8 * k) & 255) / 255;
    }
    glViewport(0, 0, width, height);
    glClearBufferfv(GL_COLOR, 0, ground);
    glEnable(GL_BLEND);
    glEnable(GL_PROGRAM_POINT_SIZE);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
    set_size(d->shapes, width, height);
    set_size(d->points, width, height);
    glNamedBufferData(d->shape_buffer, (GLsizeiptr)(ink->count * sizeof *ink->shapes), ink->shapes,
                      GL_STREAM_DRAW);
    d->uploaded += ink->count * sizeof *ink->shapes;
    size_t done = 0;
    for (size_t k = 0; k < ink->field_count; k++) {
        draw_shapes(d, done, ink->fields[k].shapes_at);
        draw_field(d, &ink->fields[k], width, height);
        done = ink->fields[k].shapes_at;
    }
    draw_shapes(d, done, ink->count);
}

void view_draw_read(int width, int height, unsigned char *pixels)
{
    size_t row = (size_t)width * 4, high = (size_t)height;
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    for (size_t y = 0; y < high / 2; y++) { /* OpenGL counts rows from below */
        unsigned char *a = pixels + y * row, *b = pixels + (high - 1 - y) * row;
        for (size_t x = 0; x < row; x++) {
            unsigned char was = a[x];
            a[x] = b[x];
            b[x] = was;
        }
    }
}
