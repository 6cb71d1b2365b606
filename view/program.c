/* program.c - OpenGL programs from their two shaders, and colours for them. */
/* SPDX-License-Identifier: MIT */
#include "view/draw.h"
#include "view/palette.h"

#include <epoxy/gl.h>
#include <stdio.h>
#include <string.h>

static bool compile(unsigned program, unsigned kind, const char *text, char why[VIEW_WHY])
{
    unsigned shader = glCreateShader(kind);
    int ok = 0;
    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (!ok) {
        char log[VIEW_WHY / 2] = "";
        glGetShaderInfoLog(shader, sizeof log, NULL, log);
        log[strcspn(log, "\n")] = '\0';
        snprintf(why, VIEW_WHY, "OpenGL refused a shader: %s", log);
    }
    glAttachShader(program, shader);
    glDeleteShader(shader);
    return ok != 0;
}

unsigned view_make_program(const char *vertex, const char *fragment, char why[VIEW_WHY])
{
    unsigned program = glCreateProgram();
    int ok = 0;
    if (compile(program, GL_VERTEX_SHADER, vertex, why) &&
        compile(program, GL_FRAGMENT_SHADER, fragment, why)) {
        glLinkProgram(program);
        glGetProgramiv(program, GL_LINK_STATUS, &ok);
        if (!ok) {
            snprintf(why, VIEW_WHY, "OpenGL could not link a program");
        }
    }
    return ok ? program : 0;
}

void view_set_colours(unsigned program, const char *name, const uint32_t *colours, size_t count)
{
    float rgba[VIEW_RAMP * 4];
    for (size_t k = 0; k < count * 4; k++) {
        rgba[k] = (float)(colours[k / 4] >> (24 - 8 * (k % 4)) & 255) / 255;
    }
    glProgramUniform4fv(program, glGetUniformLocation(program, name), (int)count, rgba);
}
