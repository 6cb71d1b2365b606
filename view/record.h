/* record.h - pictures become files: one PNG, a directory of PNGs, or a film made by ffmpeg. */
/* SPDX-License-Identifier: MIT */
#ifndef VIEW_RECORD_H
#define VIEW_RECORD_H

#include <sys/types.h>

#include "io/output.h"
#include "io/why.h"

typedef struct view_film {
    io_output out;
    pid_t ffmpeg;
    int pipe; /* to it */
    int width, height;
} view_film;

/* Pixels are width * height times 4 bytes, red first, from the top. Each returns false and the
 * sentence on failure. */
bool view_write_png(io_output *out, const unsigned char *pixels, int width, int height,
                    io_error *error);
/* The same into a file that appears when it is whole, while other threads may run. */
bool view_write_picture(const char *name, const unsigned char *pixels, int width, int height,
                        io_error *error);
/* Writes DIRECTORY/frame-NUMBER.png, whole or not at all. */
bool view_write_frame(const char *directory, size_t number, const unsigned char *pixels, int width,
                      int height, io_error *error);

/* Opens the file of an mp4 or a gif; then starts ffmpeg, which writes it. All files are opened
 * before the first ffmpeg is started, and both while the process has one thread. */
bool view_film_open(view_film *f, const char *file, int width, int height, io_error *error);
bool view_film_start(view_film *f, bool gif, double fps, io_error *error);
bool view_film_frame(view_film *f, const unsigned char *pixels, io_error *error);
/* keep: the film is whole, and appears; else nothing does. */
bool view_film_close(view_film *f, bool keep, io_error *error);

#endif
