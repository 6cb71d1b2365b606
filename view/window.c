/* window.c - plays a show in a window of GLFW. */
/* SPDX-License-Identifier: MIT */
#include "view/draw.h"
#include "view/keys.h"
#include "view/record.h"
#include "view/view.h"

#ifndef UPSWEEP_GLFW

bool view_window(view_show *show, const view_wish *wish, view_done *done, io_error *error)
{
    (void)show;
    (void)wish;
    (void)done;
    return io_because(error, "a window needs GLFW, without which this program was built; --png, "
                             "--gif, --mp4 and --frames draw into files");
}

#else

#include <epoxy/gl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

typedef struct window {
    view_show *show;
    const view_wish *wish;
    view_done *done;
    io_error *error;
    GLFWwindow *handle;
    view_glyphs glyphs;
    view_draw draw;
    view_ink ink;
    int width, height; /* of the framebuffer */
    int kept[4];       /* place and size before full screen */
    bool full, drawable, stale, failed;
    char title[160];
} window;

static const struct {
    int glfw, key;
} keys[] = {{GLFW_KEY_SPACE, VIEW_KEY_PLAY},
            {GLFW_KEY_RIGHT, VIEW_KEY_FORWARD},
            {GLFW_KEY_LEFT, VIEW_KEY_BACK},
            {GLFW_KEY_UP, VIEW_KEY_FASTER},
            {GLFW_KEY_DOWN, VIEW_KEY_SLOWER},
            {GLFW_KEY_HOME, VIEW_KEY_HOME},
            {GLFW_KEY_END, VIEW_KEY_END},
            {GLFW_KEY_PAGE_DOWN, VIEW_KEY_PAGE_FORWARD},
            {GLFW_KEY_PAGE_UP, VIEW_KEY_PAGE_BACK},
            {GLFW_KEY_V, VIEW_KEY_STYLE},
            {GLFW_KEY_H, VIEW_KEY_HELP}};

static void full_screen(window *w)
{
    GLFWmonitor *monitor = glfwGetPrimaryMonitor();
    const GLFWvidmode *mode = monitor == NULL ? NULL : glfwGetVideoMode(monitor);
    if (mode == NULL) {
        return;
    }
    if (w->full) {
        glfwSetWindowMonitor(w->handle, NULL, w->kept[0], w->kept[1], w->kept[2], w->kept[3], 0);
    } else {
        glfwGetWindowPos(w->handle, &w->kept[0], &w->kept[1]);
        glfwGetWindowSize(w->handle, &w->kept[2], &w->kept[3]);
        glfwSetWindowMonitor(w->handle, monitor, 0, 0, mode->width, mode->height,
                             mode->refreshRate);
    }
    w->full = !w->full;
}

/* upsweep-1.png, or the first number that is free. */
static void save(window *w)
{
    char name[64];
    unsigned char *pixels = malloc((size_t)w->width * (size_t)w->height * 4);
    for (int k = 1; k < 10000 && pixels != NULL; k++) {
        snprintf(name, sizeof name, "upsweep-%d.png", k);
        if (access(name, F_OK) != 0) {
            break;
        }
    }
    if (pixels != NULL) {
        view_scene(w->show, &w->ink, (float)w->width, (float)w->height);
        view_draw_frame(&w->draw, &w->ink, w->width, w->height);
        view_draw_read(w->width, w->height, pixels);
        if (!view_write_picture(name, pixels, w->width, w->height, w->error)) {
            fprintf(stderr, "upsweep view: %s\n", w->error->text);
        }
    }
    free(pixels);
}

static void on_key(GLFWwindow *handle, int key, int code, int action, int mods)
{
    window *w = glfwGetWindowUserPointer(handle);
    (void)code;
    (void)mods;
    w->stale = true;
    if (action == GLFW_RELEASE) {
        return;
    }
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        if (keys[k].glfw == key) {
            view_press(w->show, keys[k].key);
        }
    }
    if (key >= GLFW_KEY_0 && key <= GLFW_KEY_9) {
        view_press(w->show, VIEW_KEY_TENTH + key - GLFW_KEY_0);
    } else if (key == GLFW_KEY_Q || key == GLFW_KEY_ESCAPE) {
        glfwSetWindowShouldClose(handle, GLFW_TRUE);
    } else if (key == GLFW_KEY_F && action == GLFW_PRESS) {
        full_screen(w);
    } else if (key == GLFW_KEY_S && action == GLFW_PRESS) {
        save(w);
    }
}

/* A click on the line at the foot goes there. */
static void on_button(GLFWwindow *handle, int button, int action, int mods)
{
    window *w = glfwGetWindowUserPointer(handle);
    double x, y;
    int width, height;
    (void)mods;
    glfwGetCursorPos(handle, &x, &y);
    glfwGetWindowSize(handle, &width, &height);
    if (button == GLFW_MOUSE_BUTTON_LEFT && action == GLFW_PRESS && width > 0 && height > 0) {
        double share =
            view_foot_share((float)(x * w->width / width), (float)(y * w->height / height),
                            (float)w->width, (float)w->height, w->ink.scale);
        if (share >= 0) {
            view_show_jump(w->show, share * (w->show->longest + w->show->tail));
            w->stale = true;
        }
    }
}

static void on_change(GLFWwindow *handle)
{
    window *w = glfwGetWindowUserPointer(handle);
    w->stale = true;
}

static char last_error[100]; /* what GLFW says lasts as long as its call */

static void on_error(int code, const char *text)
{
    (void)code;
    snprintf(last_error, sizeof last_error, "%.*s", (int)strcspn(text, "\n"), text);
}

/* The first line of what GLFW said, or what is known without it. */
static bool fail(window *w, const char *what)
{
    const char *why = last_error[0] != '\0' ? last_error : "GLFW does not say why";
    return io_because(w->error, "%s (%s); --png, --gif, --mp4 and --frames need none", what, why);
}

static bool open_window(window *w)
{
    glfwSetErrorCallback(on_error);
    if (!glfwInit()) {
        return fail(w, getenv("DISPLAY") == NULL && getenv("WAYLAND_DISPLAY") == NULL
                           ? "there is no display for a window"
                           : "a window cannot be opened on this display");
    }
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 5);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    w->handle = glfwCreateWindow(w->wish->width, w->wish->height, "upsweep", NULL, NULL);
    if (w->handle == NULL) {
        return fail(w, "this display gives no window with OpenGL 4.5");
    }
    glfwMakeContextCurrent(w->handle);
    glfwSwapInterval(1);
    glfwSetWindowUserPointer(w->handle, w);
    glfwSetKeyCallback(w->handle, on_key);
    glfwSetMouseButtonCallback(w->handle, on_button);
    glfwSetWindowRefreshCallback(w->handle, on_change);
    return true;
}

/* Anew for each size, which the pixel buffers follow. */
static void attach(window *w)
{
    view_detach_runs(w->show);
    if (!w->draw.software) {
        view_attach_runs(w->show, (size_t)w->width * (size_t)w->height);
    }
}

/* Letters are drawn anew where the window's size asks for others. */
static bool fit(window *w)
{
    int width, height;
    glfwGetFramebufferSize(w->handle, &width, &height);
    if (width == w->width && height == w->height) {
        return true;
    }
    w->width = width;
    w->height = height;
    w->stale = true;
    float scale = view_scale(width, height);
    if (width == 0 || height == 0) {
        return true;
    }
    if (fabsf(scale - w->ink.scale) < 0.02F) {
        attach(w);
        return true;
    }
    char why[VIEW_WHY] = "no memory";
    view_glyphs_free(&w->glyphs);
    if (w->drawable) {
        view_detach_runs(w->show);
        view_draw_close(&w->draw);
        w->drawable = false;
    }
    if (!view_glyphs_make(&w->glyphs, scale) || !view_draw_open(&w->draw, &w->glyphs, why)) {
        return io_because(w->error, "%s", why);
    }
    w->drawable = true;
    attach(w);
    w->ink.glyphs = &w->glyphs;
    w->ink.scale = scale;
    return true;
}

/* Where the play is, for those who see only the title. */
static void set_title(window *w)
{
    char title[sizeof w->title];
    const view_panel *p = &w->show->panels[0];
    view_now now = view_panel_now(w->show, p);
    snprintf(title, sizeof title, "upsweep - %s%s - %zu of %zu %s - %s", p->algorithm->name,
             w->show->count > 1 ? " and others" : "", now.moment, p->tape.round_count,
             p->run != NULL ? "pictures" : "rounds", w->show->playing ? "playing" : "paused");
    if (strcmp(title, w->title) != 0) {
        memcpy(w->title, title, sizeof title);
        glfwSetWindowTitle(w->handle, title);
    }
}

/* Frames follow the screen; where it does not slow us down, 120 a second are enough. */
static bool loop(window *w, double began)
{
    double last = view_seconds(), sum = 0;
    while (!glfwWindowShouldClose(w->handle)) {
        double now = view_seconds();
        view_show_advance(w->show, fmin(now - last, 0.25));
        last = now;
        if (!fit(w)) {
            return false;
        }
        bool visible = w->width > 0 && w->height > 0;
        if (visible && (w->show->playing || w->stale)) {
            w->stale = w->show->playing; /* one more frame when the play has ended */
            view_scene(w->show, &w->ink, (float)w->width, (float)w->height);
            view_draw_frame(&w->draw, &w->ink, w->width, w->height);
            glfwSwapBuffers(w->handle);
            double drawn = view_seconds();
            w->done->first_seconds = w->done->frames == 0 ? drawn - began : w->done->first_seconds;
            w->done->frames++;
            sum += drawn - now;
            set_title(w);
        }
        double rest = 1.0 / 120 - (view_seconds() - now);
        glfwWaitEventsTimeout(w->show->playing ? fmax(rest, 0.0005) : 0.25);
    }
    w->done->frame_seconds = w->done->frames > 0 ? sum / (double)w->done->frames : 0;
    return true;
}

bool view_window(view_show *show, const view_wish *wish, view_done *done, io_error *error)
{
    window w = {.show = show, .wish = wish, .done = done, .error = error, .stale = true};
    double began = view_seconds();
    *done = (view_done){0};
    view_show_begin(show, wish->seconds);
    bool ok = open_window(&w) && loop(&w, began);
    if (w.drawable) {
        snprintf(done->renderer, sizeof done->renderer, "%s", w.draw.renderer);
        snprintf(done->device, sizeof done->device, "in a window");
        done->uploaded = w.draw.uploaded;
        view_detach_runs(show);
        view_draw_close(&w.draw);
    }
    if (w.handle != NULL) {
        glfwDestroyWindow(w.handle);
    }
    glfwTerminate();
    view_glyphs_free(&w.glyphs);
    view_ink_free(&w.ink);
    return ok;
}

#endif
