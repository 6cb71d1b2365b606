/* draw_cells.c - density: a cell's colour is that of its values, the more of them the brighter,
 * and lit by the share of those that changed. */
/* SPDX-License-Identifier: MIT */
#include "view/draw_cells.h"
#include "view/palette.h"

#include <epoxy/gl.h>
#include <math.h>

static const char cell_vertex[] =
    "#version 450 core\n"
    "uniform vec2 size;\n"
    "uniform vec4 at;\n"
    "out vec2 place;\n"
    "void main() {\n"
    "    place = vec2(gl_VertexID & 1, gl_VertexID >> 1);\n"
    "    vec2 p = at.xy + vec2(place.x, 1.0 - place.y) * at.zw;\n"
    "    gl_Position = vec4(p.x / size.x * 2.0 - 1.0, 1.0 - p.y / size.y * 2.0, 0.0, 1.0);\n"
    "}\n";

/* A column of the picture is a row of the texture. */
static const char cell_fragment[] =
    "#version 450 core\n"
    "in vec2 place;\n"
    "uniform vec4 ramp[6];\n"
    "uniform vec4 lit, done, ground;\n"
    "uniform float swept, lights;\n"
    "layout(binding = 1) uniform sampler2D cells;\n"
    "out vec4 colour;\n"
    "void main() {\n"
    "    ivec2 count = textureSize(cells, 0);\n"
    "    ivec2 cell = min(ivec2(place.yx * vec2(count)), count - 1);\n"
    "    vec2 held = texelFetch(cells, cell, 0).rg;\n"
    "    if (held.r == 0.0) discard;\n"
    "    float at = (float(cell.x) + 0.5) / float(count.x) * 5.0;\n"
    "    int k = min(int(at), 4);\n"
    "    vec4 own = place.x < swept ? done : mix(ramp[k], ramp[k + 1], at - float(k));\n"
    "    if (lights > 0.0 && held.g > 0.0) own = mix(own, lit, 0.4 + 0.6 * held.g);\n"
    "    colour = vec4(mix(ground.rgb, own.rgb, 0.3 + 0.7 * held.r), 1.0);\n"
    "}\n";

bool view_cell_draw_open(view_cell_draw *d, char why[VIEW_WHY])
{
    static const uint32_t done = VIEW_DONE, ground = VIEW_CARD;
    *d = (view_cell_draw){.program = view_make_program(cell_vertex, cell_fragment, why)};
    if (d->program == 0) {
        return false;
    }
    view_set_colours(d->program, "ramp", view_ramp, VIEW_RAMP);
    view_set_colours(d->program, "done", &done, 1);
    view_set_colours(d->program, "ground", &ground, 1);
    glCreateVertexArrays(1, &d->array);
    return true;
}

void view_cell_draw_close(view_cell_draw *d)
{
    glDeleteProgram(d->program);
    glDeleteVertexArrays(1, &d->array);
    glDeleteTextures(1, &d->texture);
}

static void fit(view_cell_draw *d, int columns, int rows)
{
    if (columns != d->columns || rows != d->rows) {
        glDeleteTextures(1, &d->texture);
        glCreateTextures(GL_TEXTURE_2D, 1, &d->texture);
        glTextureStorage2D(d->texture, 1, GL_RG8, rows, columns);
        glTextureParameteri(d->texture, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTextureParameteri(d->texture, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        d->columns = columns;
        d->rows = rows;
    }
}

size_t view_cell_draw_field(view_cell_draw *d, const view_field *f, int width, int height)
{
    unsigned p = d->program;
    if (f->cells == NULL && (f->fill == NULL || !f->fill(f->context, f))) {
        return 0;
    }
    fit(d, (int)f->columns, (int)f->rows);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, f->cells == NULL ? f->buffer : 0);
    glTextureSubImage2D(d->texture, 0, 0, 0, d->rows, d->columns, GL_RG, GL_UNSIGNED_BYTE,
                        f->cells);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    glProgramUniform2f(p, glGetUniformLocation(p, "size"), (float)width, (float)height);
    glProgramUniform4f(p, glGetUniformLocation(p, "at"), f->at.x, f->at.y, f->at.w, f->at.h);
    glProgramUniform1f(p, glGetUniformLocation(p, "swept"),
                       (float)((double)f->swept / (double)f->count));
    glProgramUniform1f(p, glGetUniformLocation(p, "lights"), f->unlit ? 0 : 1);
    view_set_colours(p, "lit", &f->lit, 1);
    glUseProgram(p);
    glBindVertexArray(d->array);
    glBindTextureUnit(1, d->texture);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
    return f->cells == NULL ? 0 : 2 * f->columns * f->rows;
}
