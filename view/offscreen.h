/* offscreen.h - OpenGL without a window: an EGL context without a surface, and a framebuffer. */
/* SPDX-License-Identifier: MIT */
#ifndef VIEW_OFFSCREEN_H
#define VIEW_OFFSCREEN_H

#include "view/draw.h"

typedef struct view_offscreen {
    void *display, *context;
    unsigned framebuffer, colour;
    int width, height;
    char device[128]; /* what draws, in words */
} view_offscreen;

/* Makes a context of OpenGL 4.5 core current. cuda_device: on the EGL device that is this CUDA
 * device, if there is one; -1: any, a real one before software. False: why says it in a sentence.
 */
bool view_offscreen_open(view_offscreen *o, int width, int height, int cuda_device,
                         char why[VIEW_WHY]);
void view_offscreen_close(view_offscreen *o);

#endif
