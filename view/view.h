/* view.h - plays a show: into files without a window, or in one. */
/* SPDX-License-Identifier: MIT */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include "view/show.h"
#include "io/why.h"

typedef struct view_wish {
    const char *png;    /* one picture; NULL: none */
    const char *frames; /* a directory for all of them */
    const char *mp4, *gif;
    double at;      /* of the picture, in rounds; less than 0: where there is most to see */
    double fps;     /* of a film: pictures a second */
    double seconds; /* that the play lasts; 0: what suits it */
    int width, height;
    int cuda_device; /* the GPU that holds the data; -1: none does */
} view_wish;

/* What was done, for --stats. */
typedef struct view_done {
    char renderer[128], device[128];
    size_t frames;
    double first_seconds; /* from the call to the end of the first frame */
    double frame_seconds; /* the median frame, drawn */
    uint64_t uploaded;    /* bytes of shapes and values sent to OpenGL */
    uint64_t pictures;    /* bytes of pictures read back */
    bool software;
} view_done;

/* The panels of the show are open. False: the sentence is in error, and no file has appeared. */
bool view_headless(view_show *show, const view_wish *wish, view_done *done, io_error *error);
bool view_window(view_show *show, const view_wish *wish, view_done *done, io_error *error);

/* With a context of OpenGL and a picture of so many pixels: runs on a GPU are drawn from its memory
 * where they can be. */
void view_attach_runs(view_show *show, size_t pixels);
void view_detach_runs(view_show *show);

/* A scale that suits a picture of this size. */
float view_scale(int width, int height);
double view_seconds(void);

#endif
