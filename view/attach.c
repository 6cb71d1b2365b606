/* attach.c - joins real runs with OpenGL, for both hosts of the view. */
#include "run.h"
#include "view.h"

#include <epoxy/gl.h>

enum { GPU_POINTS = 1 << 22 };

void view_attach_runs(view_show *show, bool software)
{
    show->most_points = software ? 0 : GPU_POINTS; /* in software all are drawn by splat.c */
    for (size_t k = 0; k < show->count; k++) {
        view_run *r = show->panels[k].run;
        if (r != NULL && r->film != NULL && !software) {
            unsigned buffer;
            glCreateBuffers(1, &buffer);
            glNamedBufferData(buffer, (GLsizeiptr)(r->n * 2 * sizeof(float)), NULL,
                              GL_DYNAMIC_DRAW);
            view_run_attach(r, buffer);
            if (!r->attached) {
                glDeleteBuffers(1, &buffer);
            }
        }
    }
}

void view_detach_runs(view_show *show)
{
    for (size_t k = 0; k < show->count; k++) {
        view_run *r = show->panels[k].run;
        if (r != NULL && r->attached) {
            view_run_detach(r);
            glDeleteBuffers(1, &r->buffer);
        }
    }
}
