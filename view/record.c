/* record.c - PNG by cairo, films by ffmpeg, which gets the pixels through a pipe. */
/* SPDX-License-Identifier: MIT */
#include "view/record.h"
#include "view/palette.h"

#include <cairo.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- PNG ---- */

typedef struct sink {
    io_output *out;
    io_error *error;
} sink;

static cairo_status_t put(void *context, const unsigned char *bytes, unsigned size)
{
    const sink *s = context;
    return io_output_write(s->out, bytes, size, s->error) == 0 ? CAIRO_STATUS_SUCCESS
                                                               : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_status_t put_in_file(void *context, const unsigned char *bytes, unsigned size)
{
    return fwrite(bytes, 1, size, context) == size ? CAIRO_STATUS_SUCCESS
                                                   : CAIRO_STATUS_WRITE_ERROR;
}

/* cairo wants blue first on most machines: a number of 4 bytes, red above green above blue. */
static cairo_surface_t *surface_of(const unsigned char *pixels, int width, int height)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    unsigned char *to = cairo_image_surface_get_data(surface);
    size_t stride = (size_t)cairo_image_surface_get_stride(surface), wide = (size_t)width;
    for (size_t y = 0; to != NULL && y < (size_t)height; y++) {
        for (size_t x = 0; x < wide; x++) {
            const unsigned char *p = pixels + (y * wide + x) * 4;
            uint32_t colour = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
            memcpy(to + y * stride + x * 4, &colour, 4);
        }
    }
    cairo_surface_mark_dirty(surface);
    return surface;
}

bool view_write_png(io_output *out, const unsigned char *pixels, int width, int height,
                    io_error *error)
{
    sink s = {out, error};
    error->text[0] = '\0';
    cairo_surface_t *surface = surface_of(pixels, width, height);
    cairo_status_t status = cairo_surface_write_to_png_stream(surface, put, &s);
    cairo_surface_destroy(surface);
    if (status != CAIRO_STATUS_SUCCESS && error->text[0] == '\0') {
        io_because(error, "%s: cannot be drawn: %s", out->name, cairo_status_to_string(status));
    }
    return status == CAIRO_STATUS_SUCCESS;
}

bool view_write_picture(const char *name, const unsigned char *pixels, int width, int height,
                        io_error *error)
{
    char moment[4200];
    snprintf(moment, sizeof moment, "%.4100s.new", name);
    FILE *f = fopen(moment, "wb");
    if (f == NULL) {
        return io_fail(error, moment, "cannot be written") == 0;
    }
    cairo_surface_t *surface = surface_of(pixels, width, height);
    bool ok = cairo_surface_write_to_png_stream(surface, put_in_file, f) == CAIRO_STATUS_SUCCESS;
    cairo_surface_destroy(surface);
    ok = (fclose(f) == 0) && ok;
    ok = ok && rename(moment, name) == 0;
    if (!ok) {
        io_fail(error, name, "cannot be written");
        unlink(moment);
    }
    return ok;
}

bool view_write_frame(const char *directory, size_t number, const unsigned char *pixels, int width,
                      int height, io_error *error)
{
    char name[4096];
    snprintf(name, sizeof name, "%.4000s/frame-%05zu.png", directory, number);
    if (number == 0 && mkdir(directory, 0777) != 0 && errno != EEXIST) {
        return io_fail(error, directory, "cannot be made") == 0;
    }
    return view_write_picture(name, pixels, width, height, error);
}

/* ---- films ---- */

/* A gif has 256 colours: those that the view uses, mixed with what lies under them. */
static void make_palette(unsigned char palette[256][4])
{
    static const uint32_t lit[] = {VIEW_GOLD, VIEW_ORANGE, VIEW_DONE, VIEW_WRONG};
    size_t count = 0;
    for (size_t k = 0; k < 32; k++) {
        uint32_t grey = view_mix(VIEW_GROUND, VIEW_WHITE, (float)k / 31);
        uint32_t ramp = view_ramp_colour((float)k / 31);
        uint32_t colours[] = {grey, ramp, view_mix(VIEW_CARD, ramp, 0.62F),
                              view_mix(VIEW_CARD, ramp, 0.35F)};
        for (size_t c = 0; c < 4; c++) {
            memcpy(palette[count++], &colours[c], 4);
        }
    }
    for (size_t k = 0; k < VIEW_HUES * 8 + 4 * 14; k++) {
        uint32_t from = k < VIEW_HUES * 8 ? view_hues[k / 8] : lit[(k - VIEW_HUES * 8) / 14];
        float part =
            k < VIEW_HUES * 8 ? (float)(k % 8 + 1) / 8 : (float)((k - VIEW_HUES * 8) % 14 + 1) / 14;
        uint32_t colour = view_mix(VIEW_CARD, from, part);
        memcpy(palette[count++], &colour, 4);
    }
    uint32_t rest[] = {VIEW_CARD,   VIEW_EDGE,   VIEW_QUIET,  VIEW_FAINT,
                       0x4f8fe0ffu, 0x303843ffu, 0x252d38ffu, VIEW_GROUND};
    for (size_t k = 0; count < 256; k++) {
        memcpy(palette[count++], &rest[k % 8], 4);
    }
    for (size_t k = 0; k < 256; k++) { /* from numbers to red, green, blue, opaque */
        uint32_t colour;
        memcpy(&colour, palette[k], 4);
        palette[k][0] = (unsigned char)(colour >> 24);
        palette[k][1] = (unsigned char)(colour >> 16);
        palette[k][2] = (unsigned char)(colour >> 8);
        palette[k][3] = 255;
    }
}

/* ffmpeg with the film as its descriptor 3, the palette as its 4. */
static int start(view_film *f, bool gif, double fps, int from, int palette)
{
    enum { OUT = 10, PALETTE = 11 }; /* beyond what spawning may use */
    char size[32], rate[32];
    snprintf(size, sizeof size, "%dx%d", f->width, f->height);
    snprintf(rate, sizeof rate, "%.6g", fps);
    const char *mp4[] = {"ffmpeg",     "-v",         "error",    "-y",
                         "-f",         "rawvideo",   "-pix_fmt", "rgba",
                         "-s",         size,         "-r",       rate,
                         "-i",         "pipe:0",     "-vf",      "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                         "-c:v",       "libx264",    "-crf",     "18",
                         "-preset",    "medium",     "-pix_fmt", "yuv420p",
                         "-movflags",  "+faststart", "-f",       "mp4",
                         "/dev/fd/10", NULL};
    const char *animated[] = {"ffmpeg",
                              "-v",
                              "error",
                              "-y",
                              "-f",
                              "rawvideo",
                              "-pix_fmt",
                              "rgba",
                              "-s",
                              size,
                              "-r",
                              rate,
                              "-i",
                              "pipe:0",
                              "-f",
                              "rawvideo",
                              "-pix_fmt",
                              "rgba",
                              "-s",
                              "16x16",
                              "-r",
                              rate,
                              "-i",
                              "/dev/fd/11",
                              "-filter_complex",
                              "[0][1]paletteuse=dither=none:diff_mode=rectangle",
                              "-f",
                              "gif",
                              "/dev/fd/10",
                              NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, from, 0);
    posix_spawn_file_actions_adddup2(&actions, f->out.fd, OUT);
    posix_spawn_file_actions_adddup2(&actions, palette, PALETTE);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    int error = posix_spawnp(&f->ffmpeg, "ffmpeg", &actions, NULL,
                             (char **)(uintptr_t)(gif ? animated : mp4), environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static bool start_with_pipes(view_film *f, bool gif, double fps, io_error *error)
{
    int pixels[2], colours[2];
    unsigned char palette[256][4];
    if (pipe2(pixels, O_CLOEXEC) != 0) {
        return io_fail(error, f->out.name, "no pipe to ffmpeg") == 0;
    }
    if (pipe2(colours, O_CLOEXEC) != 0) {
        close(pixels[0]);
        close(pixels[1]);
        return io_fail(error, f->out.name, "no pipe to ffmpeg") == 0;
    }
    make_palette(palette);
    bool written = write(colours[1], palette, sizeof palette) == sizeof palette;
    close(colours[1]);
    int failed = written ? start(f, gif, fps, pixels[0], colours[0]) : EIO;
    close(pixels[0]);
    close(colours[0]);
    f->pipe = pixels[1];
    if (failed != 0) {
        close(pixels[1]);
        f->pipe = -1;
        f->ffmpeg = -1;
        return io_because(error, "%s: %s", f->out.name,
                          failed == ENOENT ? "a film is made by ffmpeg, which is not installed"
                                           : "ffmpeg cannot be started");
    }
    return true;
}

bool view_film_open(view_film *f, const char *file, int width, int height, io_error *error)
{
    *f = (view_film){.width = width, .height = height, .pipe = -1, .ffmpeg = -1};
    if (strcmp(file, "-") == 0) {
        return io_because(error, "a film cannot go to standard output");
    }
    return io_output_open(&f->out, file, error) == 0;
}

bool view_film_start(view_film *f, bool gif, double fps, io_error *error)
{
    return start_with_pipes(f, gif, fps, error);
}

bool view_film_frame(view_film *f, const unsigned char *pixels, io_error *error)
{
    size_t bytes = (size_t)f->width * (size_t)f->height * 4, done = 0;
    while (done < bytes) {
        ssize_t n = write(f->pipe, pixels + done, bytes - done);
        if (n < 0 && errno != EINTR) {
            return io_because(error, "%s: ffmpeg ended before the film did", f->out.name);
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

bool view_film_close(view_film *f, bool keep, io_error *error)
{
    int status = 0;
    if (f->pipe >= 0) {
        close(f->pipe);
    }
    while (f->ffmpeg > 0 && waitpid(f->ffmpeg, &status, 0) < 0 && errno == EINTR) {
    }
    if (!keep) {
        io_output_discard(&f->out);
        return true;
    }
    if (status != 0) {
        io_output_discard(&f->out);
        return io_because(error, "%s: ffmpeg could not make it", f->out.name);
    }
    return io_output_commit(&f->out, error) == 0;
}
