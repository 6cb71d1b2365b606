/* view_print.c - what --stats of `upsweep view` tells. */
/* SPDX-License-Identifier: MIT */
#include "app/view/view_print.h"

#include "view/run.h"

#include <inttypes.h>

static void print_run(const view_run *r)
{
    fprintf(stderr,
            "run        %s on %s: %zu %s of %s in %.6f s, %zu pictures%s, %" PRIu64
            " bytes of them to the host\n",
            r->algorithm->name, r->device, r->n, r->graph != NULL ? "distances" : "elements",
            upsweep_type_name(r->type), r->seconds, r->count,
            r->mapped[0] + r->mapped[1] > 0 ? ", drawn from device memory" : "",
            upsweep_film_bytes_read(r->film));
    if (r->mapped[0] + r->mapped[1] > 0) {
        fprintf(
            stderr,
            "interop    pictures written by CUDA into OpenGL's buffers: %zu of vertices, %zu of "
            "pixels\n",
            r->mapped[0], r->mapped[1]);
    }
}

void app_view_print(const view_show *show, const view_done *done)
{
    fprintf(stderr, "drawn by   %s, %s\n", done->renderer, done->device);
    fprintf(stderr,
            "frames     %zu, the first after %.3f s, the median in %.3f ms = %.1f a second\n",
            done->frames, done->first_seconds, 1e3 * done->frame_seconds,
            done->frame_seconds > 0 ? 1 / done->frame_seconds : 0);
    fprintf(stderr, "traffic    %.3f MB to OpenGL, %.3f MB of pictures from it\n",
            1e-6 * (double)done->uploaded, 1e-6 * (double)done->pictures);
    for (size_t k = 0; k < show->count; k++) {
        const view_tape *t = &show->panels[k].tape;
        const view_run *r = show->panels[k].run;
        if (r != NULL) {
            print_run(r);
            continue;
        }
        fprintf(stderr, "trace      %s: %zu rounds, %zu steps\n", t->algorithm, t->round_count,
                t->step_count);
    }
}
