/* watch_play.c - shows the pictures of a trace one after another, and heeds the keys.
 *
 * The sink of the trace is the player: at each picture it waits until the next one is due. To step
 * back, the trace is run again from its start up to the picture wanted, since the same input gives
 * the same events. So no picture is kept, and a trace may be as long as it likes. */
/* SPDX-License-Identifier: MIT */
#include "app/app.h"
#include "app/trace/trace_input.h"
#include "app/watch/watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const double faster = 1.5, slowest = 0.1, fastest = 10000, blink = 1.0 / 60;

typedef struct player {
    watch_film film;
    watch_state now;
    watch_screen screen;
    watch_grid grid;
    uint64_t target, last;   /* the picture that is shown next, and the last of all */
    double due, drawn;       /* when it is to be shown; when one was shown */
    bool again, leave, lost; /* again: from the start; lost: out of memory, or without a screen */
    FILE *f;                 /* NULL: on the terminal */
} player;

static bool draw(player *p)
{
    int rows = 24, columns = 80;
    if (p->f == NULL) {
        watch_screen_size(&rows, &columns);
    }
    if (!watch_grid_clear(&p->grid, rows, columns)) {
        return false;
    }
    watch_draw(&p->grid, &p->film, &p->now);
    p->drawn = app_seconds();
    if (p->grid.starved) {
        return false;
    }
    return p->f != NULL || watch_screen_show(&p->screen, &p->grid);
}

/* Where the player goes on: the picture after this one, or from the start to another one. */
static int go(player *p, uint64_t target)
{
    target = target < p->last ? target : p->last;
    p->again = target <= p->now.picture;
    p->target = target;
    p->due = app_seconds();
    return p->again;
}

static int resize(player *p)
{
    int rows, columns;
    watch_screen_size(&rows, &columns);
    if (watch_slots(&p->film, rows) != p->now.slot_count) {
        return go(p, p->now.picture); /* other arrays are drawn */
    }
    p->lost = !draw(p);
    return p->lost ? 1 : -1;
}

/* Returns what the sink returns, or -1 to wait on. */
static int heed(player *p, int key)
{
    uint64_t picture = p->now.picture;
    switch (key) {
    case WATCH_KEY_LEAVE:
    case 'q':
    case 'Q':
    case 4: /* Ctrl-D */ p->leave = true; return 1;
    case WATCH_KEY_RESIZE: return resize(p);
    case ' ':
        if (p->now.ended) {
            p->film.paused = false;
            return go(p, 0);
        }
        p->film.paused = !p->film.paused;
        p->due = app_seconds() + 1 / p->film.speed;
        break;
    case WATCH_KEY_RIGHT: p->film.paused = true; return picture < p->last ? go(p, picture + 1) : -1;
    case WATCH_KEY_LEFT: p->film.paused = true; return picture > 0 ? go(p, picture - 1) : -1;
    case WATCH_KEY_HOME: p->film.paused = true; return go(p, 0);
    case WATCH_KEY_END: return picture < p->last ? go(p, p->last) : -1;
    case '+':
    case '=':
    case WATCH_KEY_UP:
        p->film.speed *= p->film.speed * faster < fastest ? faster : 1;
        p->due = app_seconds() + 1 / p->film.speed;
        break;
    case '-':
    case WATCH_KEY_DOWN:
        p->film.speed /= p->film.speed / faster > slowest ? faster : 1;
        p->due = app_seconds() + 1 / p->film.speed;
        break;
    default: return -1;
    }
    p->lost = !draw(p);
    return p->lost ? 1 : -1;
}

/* Shows this picture until the next one is due. */
static int show(player *p)
{
    double now = app_seconds();
    bool last = p->now.picture == p->last, hurries = !p->film.paused && !last;
    p->due += 1 / p->film.speed;
    if (hurries && p->due < p->drawn + blink) {
        return 0; /* faster than eyes */
    }
    if (p->due < now) {
        p->due = now;
    }
    if (!draw(p)) {
        p->lost = true;
        return 1;
    }
    int what = -1;
    do {
        bool waits = p->film.has_keys && (p->film.paused || p->now.ended);
        double left = p->due - app_seconds();
        int key = watch_wait(&p->screen, waits ? -1 : left > 0 ? left : 0);
        if (key != WATCH_KEY_NONE) {
            what = heed(p, key);
        } else if (!waits && app_seconds() >= p->due) {
            what = 0;
        }
    } while (what < 0);
    return what;
}

/* The grid without its margins, and a blank line. */
static int print(player *p)
{
    if (!draw(p)) {
        p->lost = true;
        return 1;
    }
    int rows = p->grid.rows;
    for (int row = 0; row < rows; row++) {
        int width = p->grid.columns;
        while (width > 0 && p->grid.cells[row * p->grid.columns + width - 1].glyph == ' ') {
            width--;
        }
        for (int column = 0; column < width; column++) {
            char glyph[4] = "";
            fwrite(glyph, 1, (size_t)watch_glyph(&p->grid, row, column, glyph), p->f);
        }
        fputc('\n', p->f);
    }
    return ferror(p->f);
}

static int picture(player *p)
{
    if (p->now.failed) {
        p->lost = true;
        return 1;
    }
    if (p->now.picture < p->target) {
        return 0;
    }
    return p->f != NULL ? print(p) : show(p);
}

static int sink(void *context, const upsweep_event *e)
{
    player *p = context;
    bool starts = e->round == 0 && (e->kind == UPSWEEP_EVENT_ROUND || e->kind == UPSWEEP_EVENT_END);
    if (p->f == NULL && watch_signalled() && p->now.picture < p->target) {
        int key = watch_wait(&p->screen, 0); /* on a long way to the picture wanted */
        p->leave = key == WATCH_KEY_LEAVE;
        if (p->leave) {
            return 1;
        }
    }
    if (starts) {
        int what = picture(p);
        if (what != 0) {
            return what;
        }
    }
    return watch_take(&p->now, e) ? picture(p) : 0;
}

static int gather(void *whole, const upsweep_event *e)
{
    watch_take(whole, e);
    return ((watch_state *)whole)->failed;
}

static void run(player *p)
{
    do {
        int rows = 24, columns = 80;
        if (p->f == NULL) {
            watch_screen_size(&rows, &columns);
        }
        p->again = false;
        watch_free(&p->now);
        watch_begin(&p->now, watch_slots(&p->film, rows));
        upsweep_status status =
            upsweep_trace(p->film.algorithm->name, p->film.values, p->film.n, NULL, sink, p);
        p->lost = p->lost || (status != UPSWEEP_OK && status != UPSWEEP_STOPPED);
    } while (p->again && !p->leave && !p->lost);
}

/* "sort/oddeven, n = 10: 10 rounds, 45 compares, 23 swaps" */
static void print_summary(const upsweep_algorithm *a, const watch_state *whole)
{
    static const char *const names[] = {"compares", "swaps", "moves", "combines", "sets"};
    printf("%s, n = %zu: %" PRIu64 " rounds", a->name, whole->n,
           whole->counts[UPSWEEP_EVENT_ROUND]);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        uint64_t count = whole->counts[UPSWEEP_EVENT_COMPARE + k];
        if (count > 0) {
            printf(", %" PRIu64 " %s", count, names[k]);
        }
    }
    putchar('\n');
}

static int play_on_screen(player *p, double speed)
{
    int status = watch_screen_open(&p->screen);
    if (status != APP_OK) {
        return status;
    }
    enum { SHOWN_SECONDS = 20 };
    double fitting = (double)p->last / SHOWN_SECONDS;
    fitting = fitting < 2 ? 2 : fitting > 30 ? 30 : fitting;
    p->film.speed = speed > 0 ? speed : fitting;
    p->film.has_keys = p->screen.keys >= 0;
    p->due = app_seconds();
    run(p);
    watch_screen_close(&p->screen);
    if (p->lost) {
        return app_fail(p->now.failed ? "out of memory" : "the terminal cannot be written");
    }
    print_summary(p->film.algorithm, p->film.whole);
    return app_finish_stdout();
}

static int play(const upsweep_algorithm *a, const uint32_t *values, size_t n, double speed, FILE *f)
{
    watch_state whole;
    watch_begin(&whole, 0);
    upsweep_status status = upsweep_trace(a->name, values, n, NULL, gather, &whole);
    player p = {.film = {.algorithm = a, .values = values, .n = n, .whole = &whole}, .f = f};
    int result = APP_OK;
    if (status == UPSWEEP_STOPPED) {
        result = app_fail("out of memory");
    } else if (status != UPSWEEP_OK) {
        result = app_trace_fail(a, status);
    } else {
        p.last = whole.counts[UPSWEEP_EVENT_ROUND] + 1;
        p.grid.unicode = watch_unicode();
        if (f == NULL) {
            result = play_on_screen(&p, speed);
        } else {
            run(&p);
            result = p.lost ? app_fail("out of memory") : APP_OK;
        }
    }
    free(p.grid.cells);
    watch_free(&p.now);
    watch_free(&whole);
    return result;
}

int watch_play(const upsweep_algorithm *a, const uint32_t *values, size_t n, double speed)
{
    return play(a, values, n, speed, NULL);
}

int watch_print(const upsweep_algorithm *a, const uint32_t *values, size_t n, FILE *f)
{
    return play(a, values, n, 0, f);
}
