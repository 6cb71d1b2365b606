/* verb_view.c - `upsweep view NAME...`: plays algorithms in a window, or into files. */
/* SPDX-License-Identifier: MIT */
#include "app/algorithm.h"
#include "app/app.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#ifdef UPSWEEP_VIEW
#include "view/run.h"
#include "view/view.h"
#include "app/view/view_input.h"
#include "app/view/view_print.h"
#endif

typedef struct settings {
    app_common common;
    const char *input, *graph, *places, *pattern, *style, *at, *size;
    const char *png, *frames, *mp4, *gif;
    size_t n;
    double fps, seconds;
    bool example, headless, run, upload;
} settings;

#define TEXT(name, argument, help, member)                                                         \
    {                                                                                              \
        0, name, argument, help, APP_TEXT, offsetof(settings, member), NULL                        \
    }
#define FLAG(name, help, member)                                                                   \
    {                                                                                              \
        0, name, NULL, help, APP_FLAG, offsetof(settings, member), NULL                            \
    }

static const app_option options[] = {
    TEXT("input", "FILE", "read the numbers from a file", input),
    {'n', "count", "N", "make so many numbers (64 keys) or vertices (96)", APP_COUNT,
     offsetof(settings, n), NULL},
    TEXT("pattern", "shuffled|uniform|reversed|sorted|few|almost-sorted|organ-pipe",
         "of numbers that are made; shuffled if not given", pattern),
    FLAG("run", "watch real runs, on the CPU or (--device cuda) a GPU: sorts, scans, splits, paths",
         run),
    FLAG("upload", "draw runs on a GPU by way of the host, to compare", upload),
    FLAG("example", "take the algorithm's own example", example),
    TEXT("graph", "FILE", "for paths: a graph in a file (see `upsweep graph --help`)", graph),
    TEXT("coordinates", "FILE", "where its vertices lie: DIMACS .co", places),
    TEXT("places", "FILE", NULL, places),
    TEXT("style", "bars|points|network|graph|density",
         "how it is drawn; of real runs points or density", style),
    TEXT("png", "FILE", "no window: write one picture", png),
    TEXT("frames", "DIR", "no window: write every picture of the play into a directory", frames),
    TEXT("mp4", "FILE", "no window: write a film (needs ffmpeg)", mp4),
    TEXT("gif", "FILE", "no window: write a moving picture (needs ffmpeg)", gif),
    FLAG("headless", "no window and no file: for --stats", headless),
    TEXT("at", "WHERE", "where the picture is taken: a round, 12 or 12.5, or a share, 50%", at),
    TEXT("size", "WxH", "of the window or picture, in pixels (1280x720)", size),
    {0, "fps", "N", "pictures a second of a film (30, of a gif 20)", APP_NUMBER,
     offsetof(settings, fps), NULL},
    {0, "seconds", "S", "how long the play takes (by the number of rounds)", APP_NUMBER,
     offsetof(settings, seconds), NULL},
    {0, NULL, NULL, NULL, APP_FLAG, 0, NULL},
};

const app_usage usage_view = {
    "NAME... [NUMBER...|-]",
    "Plays the explained forms of algorithms (see `upsweep list`) round by round: what acts in a\n"
    "round is lit, pairs are joined, elements go to where they are moved. Several algorithms run\n"
    "side by side on the same numbers. Sorts are shown as bars, reductions and scans as the "
    "network\n"
    "or tree of their rounds, paths on the graph.\n"
    "\n"
    "The numbers, each from 0 to 4294967295, stand behind the names or in a file; - reads them\n"
    "from standard input. Without any, some are made that suit the first algorithm. Keys in the\n"
    "window: space plays and pauses, the arrows step and change the speed, H shows all keys.\n"
    "\n"
    "A real run (--run) takes elements of any --type, and files as `upsweep sort` does: raw, .npy "
    "or\n"
    "text. More than a million are drawn as their density. On the CPU a picture is taken after "
    "every\n"
    "sixteenth of the array's pages, so that an array of a few thousand elements has few.\n"
    "\n"
    "With --png, --frames, --mp4 or --gif no window is opened; OpenGL without a display draws, on "
    "the\n"
    "GPU or in software.",
    APP_STATS | APP_DEVICE | APP_TYPED | APP_FROM_TEXT, options,
    "upsweep view sort/bitonic\n"
    "upsweep view sort/oddeven sort/bitonic sort/radix -n 100\n"
    "upsweep view scan/sweep 3 1 7 0 4 1 6 3 --png scan.png\n"
    "upsweep view path/dijkstra --gif paths.gif --size 800x500\n"
    "upsweep view --run sort/radix sort/hybrid --device cuda --type f32 -n 16000000"};

#ifndef UPSWEEP_VIEW

int verb_view(int argc, char **argv)
{
    settings s = {0};
    int status = app_parse(&usage_view, argc, argv, &s.common);
    return status >= 0 ? status
                       : app_fail("drawing needs epoxy and cairo, without which this program was "
                                  "built; `upsweep trace` prints every step");
}

#else

enum {
    MOST_STEPS = 1 << 25,
    RUN_KEYS = 1 << 18,
    RUN_VERTICES = 1 << 15,
    LEAST_SIDE = 160,
    MOST_SIDE = 8192
};

typedef struct viewer {
    settings s;
    view_wish wish;
    view_style style;
    const upsweep_algorithm *algorithms[VIEW_PANELS];
    size_t count; /* of them */
    app_trace_input in;
    view_graph graph;
    app_view_numbers numbers;
    view_run runs[VIEW_PANELS];
    view_show show;
} viewer;

static int read_size(const char *text, view_wish *wish)
{
    char *end = NULL;
    unsigned long width = 1280, height = 720;
    if (text != NULL) {
        width = strtoul(text, &end, 10);
        height = *end == 'x' ? strtoul(end + 1, &end, 10) : 0;
        if (*end != '\0' || width < LEAST_SIDE || height < LEAST_SIDE || width > MOST_SIDE ||
            height > MOST_SIDE) {
            return app_fail("'%s' is no size; it is WIDTHxHEIGHT, each from %d to %d", text,
                            LEAST_SIDE, MOST_SIDE);
        }
    }
    wish->width = (int)width;
    wish->height = (int)height;
    return APP_OK;
}

static int read_style(const char *text, view_style *style)
{
    static const char *const names[] = {"", "bars", "points", "network", "graph", "density"};
    for (size_t k = 1; text != NULL && k < sizeof names / sizeof *names; k++) {
        if (strcmp(text, names[k]) == 0) {
            *style = (view_style)k;
            return APP_OK;
        }
    }
    return text == NULL ? APP_OK
                        : app_fail("there is no style '%s'; there are bars, points, network, "
                                   "graph and density",
                                   text);
}

static int read_wish(viewer *v)
{
    const settings *s = &v->s;
    v->wish = (view_wish){.png = s->png,
                          .frames = s->frames,
                          .mp4 = s->mp4,
                          .gif = s->gif,
                          .at = -1,
                          .fps = s->fps > 0                         ? s->fps
                                 : s->gif != NULL && s->mp4 == NULL ? 20
                                                                    : 30,
                          .seconds = s->seconds,
                          .cuda_device = -1};
    if (s->fps < 0 || s->fps > 240 || s->seconds < 0 || s->seconds > 3600) {
        return app_fail("--fps goes to 240 and --seconds to 3600");
    }
    if (read_size(s->size, &v->wish) != APP_OK || read_style(s->style, &v->style) != APP_OK) {
        return APP_ERROR;
    }
    if (!s->run && (s->common.type != 0 || s->common.text)) {
        return app_fail("the explained forms take whole numbers below 2^32; --type and --text are "
                        "for real runs, with --run");
    }
    bool of_runs = v->style == VIEW_STYLE_NONE || v->style == VIEW_STYLE_POINTS;
    if (s->run ? !of_runs && v->style != VIEW_STYLE_DENSITY : v->style == VIEW_STYLE_DENSITY) {
        return s->run ? app_fail("real runs are drawn as points or density, not as %s", s->style)
                      : app_fail("density is a style of real runs, with --run");
    }
    return APP_OK;
}

/* Operands that begin with a letter are names, the others numbers. */
static int read_names(viewer *v)
{
    const app_common *c = &v->s.common;
    size_t k = 0;
    for (; k < c->operand_count; k++) {
        char first = c->operands[k][0];
        if (first == '-' || (first >= '0' && first <= '9')) {
            break;
        }
        if (v->count == VIEW_PANELS) {
            return app_fail("%d algorithms are the most to watch at once", VIEW_PANELS);
        }
        const upsweep_algorithm *a = app_algorithm(c->operands[k]);
        if (a == NULL) {
            return APP_ERROR;
        }
        const upsweep_algorithm *one = v->count == 0 ? a : v->algorithms[0];
        if ((strcmp(a->operation, "path") == 0) != (strcmp(one->operation, "path") == 0)) {
            return app_fail("%s and %s do not take the same input", one->name, a->name);
        }
        v->algorithms[v->count++] = a;
    }
    if (v->count == 0) {
        return app_fail("which algorithm? `upsweep list` shows all");
    }
    bool paths = strcmp(v->algorithms[0]->operation, "path") == 0;
    app_view_wish w = {.first = v->algorithms[0],
                       .words = c->operands + k,
                       .word_count = c->operand_count - k,
                       .file = v->s.input,
                       .graph = v->s.graph,
                       .places = v->s.places,
                       .pattern = v->s.pattern,
                       .count = v->s.n > 0 || !v->s.run ? v->s.n
                                : paths                 ? RUN_VERTICES
                                                        : RUN_KEYS,
                       .example = v->s.example};
    return v->s.run && !paths ? app_view_numbers_input(&w, c, &v->numbers)
                              : app_view_input(&w, &v->in, &v->graph);
}

static const char *device_of(const viewer *v)
{
    return v->s.common.device != NULL ? v->s.common.device : "cpu";
}

/* Before anything is read: what cannot be watched. */
static int check_runs(const viewer *v)
{
    for (size_t k = 0; k < v->s.common.operand_count && v->s.run; k++) {
        const upsweep_algorithm *a = upsweep_find(v->s.common.operands[k]);
        const char *why = a != NULL ? view_run_lacks(a, device_of(v)) : NULL;
        if (why != NULL) {
            return app_fail("%s: %s", a->name, why);
        }
    }
    return APP_OK;
}

static int open_run(viewer *v, const upsweep_algorithm *a)
{
    view_run *run = &v->runs[v->show.count];
    view_panel *p = &v->show.panels[v->show.count++];
    size_t threads = v->s.common.threads;
    view_run_wish wish = {.algorithm = a,
                          .device = device_of(v),
                          .threads = threads > 4096 ? 4096 : (unsigned)threads,
                          .type = v->numbers.type,
                          .numbers = v->numbers.data,
                          .n = v->numbers.n,
                          .graph = &v->graph};
    io_error error;
    *p = (view_panel){.algorithm = a, .run = run, .style = v->style};
    v->show.upload = v->s.upload;
    if (v->numbers.data == NULL && v->graph.vertices < 2) {
        return app_fail("a real run needs two vertices or more");
    }
    if (!view_run_make(run, &wish, &error)) {
        return app_fail("%s", error.text);
    }
    if (run->film != NULL) {
        bool numbered = strncmp(wish.device, "cuda:", 5) == 0;
        v->wish.cuda_device = numbered ? (int)strtol(wish.device + 5, NULL, 10) : 0;
    }
    return view_panel_open(p) ? APP_OK : app_fail("out of memory");
}

static int open_panel(viewer *v, const upsweep_algorithm *a)
{
    view_panel *p = &v->show.panels[v->show.count++];
    upsweep_status status;
    *p = (view_panel){
        .algorithm = a, .style = v->style, .graph = v->graph.vertices > 0 ? &v->graph : NULL};
    switch (view_tape_record(&p->tape, a->name, v->in.values, v->in.count, MOST_STEPS, &status)) {
    case VIEW_NO_MEMORY: return app_fail("out of memory");
    case VIEW_REFUSED: return app_trace_fail(a, status);
    case VIEW_TOO_LONG:
        return app_fail("%s takes more than %d steps for %zu numbers, too many to watch", a->name,
                        MOST_STEPS, v->in.count);
    case VIEW_OK: break;
    }
    return view_panel_open(p) ? APP_OK : app_fail("out of memory");
}

/* "12.5" rounds, or "50%" of the play. */
static int read_place(viewer *v)
{
    const char *text = v->s.at;
    if (text == NULL) {
        return APP_OK;
    }
    char *end;
    double at = strtod(text, &end);
    view_show_begin(&v->show, v->s.seconds);
    if (*end == '%') {
        at *= (v->show.longest + v->show.tail) / 100;
        end++;
    }
    if (end == text || *end != '\0' || !(at >= 0) || at > 1e15) {
        return app_fail("'%s' is no place in the play; it is a round, 12, or a share, 50%%", text);
    }
    v->wish.at = at;
    return APP_OK;
}

static int run(viewer *v)
{
    const settings *s = &v->s;
    int status = read_wish(v);
    status = status == APP_OK ? check_runs(v) : status;
    status = status == APP_OK ? read_names(v) : status;
    for (size_t k = 0; k < v->count && status == APP_OK; k++) {
        status = v->s.run ? open_run(v, v->algorithms[k]) : open_panel(v, v->algorithms[k]);
    }
    status = status == APP_OK ? read_place(v) : status;
    if (status != APP_OK) {
        return status;
    }
    io_error error;
    view_done done;
    bool headless =
        s->headless || s->png != NULL || s->frames != NULL || s->mp4 != NULL || s->gif != NULL;
    bool ok = headless ? view_headless(&v->show, &v->wish, &done, &error)
                       : view_window(&v->show, &v->wish, &done, &error);
    if (!ok) {
        return app_fail("%s", error.text);
    }
    if (s->common.stats) {
        app_view_print(&v->show, &done);
    }
    return APP_OK;
}

int verb_view(int argc, char **argv)
{
    viewer *v = calloc(1, sizeof *v);
    if (v == NULL) {
        return app_fail("out of memory");
    }
    signal(SIGPIPE, SIG_IGN); /* ffmpeg may end early, and a display be closed */
    int status = app_parse(&usage_view, argc, argv, &v->s.common);
    if (status < 0) {
        status = run(v);
        view_show_free(&v->show);
        for (size_t k = 0; k < VIEW_PANELS; k++) {
            view_run_free(&v->runs[k]);
        }
        app_view_graph_free(&v->graph);
        app_view_numbers_free(&v->numbers);
        app_trace_input_free(&v->in);
    }
    free(v);
    return status;
}

#endif
