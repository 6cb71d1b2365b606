/* attach.c - joins real runs with OpenGL, for both hosts of the view. */
/* SPDX-License-Identifier: MIT */
#include "view/run.h"
#include "view/view.h"

#include <epoxy/gl.h>

static unsigned make_buffer(size_t bytes)
{
    unsigned buffer;
    glCreateBuffers(1, &buffer);
    glNamedBufferData(buffer, (GLsizeiptr)bytes, NULL, GL_DYNAMIC_DRAW);
    return buffer;
}

void view_attach_runs(view_show *show, size_t pixels)
{
    for (size_t k = 0; k < show->count; k++) {
        view_run *r = show->panels[k].run;
        if (r != NULL && r->film != NULL && !show->upload) {
            unsigned buffers[] = {make_buffer(r->n * 2 * sizeof(float)), make_buffer(2 * pixels)};
            view_run_attach(r, buffers[0], buffers[1]);
            if (!r->attached) {
                glDeleteBuffers(2, buffers);
            }
        }
    }
}

void view_detach_runs(view_show *show)
{
    for (size_t k = 0; k < show->count; k++) {
        view_run *r = show->panels[k].run;
        if (r != NULL && r->attached) {
            unsigned buffers[] = {r->buffer, r->pixels};
            view_run_detach(r);
            glDeleteBuffers(2, buffers);
        }
    }
}
