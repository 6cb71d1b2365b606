/* watch_screen.c - the terminal: raw mode, the second screen, its size, keys and signals.
 *
 * A handler only notes its signal in a pipe, on which the wait for keys listens as well. So the
 * terminal is restored by ordinary code, and then the program ends or stops by the signal as if it
 * had never been caught. */
/* SPDX-License-Identifier: MIT */
#include "app/app.h"
#include "app/watch/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static const int heeded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH};
enum { HEEDED = sizeof heeded / sizeof *heeded };

/* Of the one terminal that a process has. */
static struct {
    struct sigaction before[HEEDED];
    struct termios modes;
    bool raw;
    int pipe[2];
    int last;       /* the signal that ends the program */
    char bytes[32]; /* keys that were read and not yet taken */
    size_t count;
} terminal;
static volatile sig_atomic_t noted;

static void note(int number)
{
    int error = errno;
    char byte = (char)number;
    noted = 1;
    if (write(terminal.pipe[1], &byte, 1) != 1) {
        noted = 1; /* the pipe is full of signals, which is enough */
    }
    errno = error;
}

bool watch_signalled(void)
{
    return noted != 0;
}

bool watch_unicode(void)
{
    locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (locale == (locale_t)0) {
        return false;
    }
    bool is = strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
    freelocale(locale);
    return is;
}

void watch_screen_size(int *rows, int *columns)
{
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) {
        size.ws_row = 24;
        size.ws_col = 80;
    }
    *rows = size.ws_row;
    *columns = size.ws_col;
}

static bool put_all(const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, size);
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        } else if (written == 0 || errno != EINTR) {
            return false;
        }
    }
    return true;
}

static bool put_text(const char *text)
{
    return put_all(text, strlen(text));
}

/* Keys without Enter and without an echo; Ctrl-C and Ctrl-Z stay signals. */
static void enter(const watch_screen *screen)
{
    terminal.raw = screen->keys >= 0 && tcgetattr(screen->keys, &terminal.modes) == 0;
    if (terminal.raw) {
        struct termios modes = terminal.modes;
        modes.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        modes.c_cc[VMIN] = 0;
        modes.c_cc[VTIME] = 0;
        tcsetattr(screen->keys, TCSADRAIN, &modes);
    }
    (void)put_text("\033[?1049h\033[?25l");
}

static void leave(const watch_screen *screen)
{
    (void)put_text("\033[0m\033[?25h\033[?1049l");
    if (terminal.raw) {
        tcsetattr(screen->keys, TCSADRAIN, &terminal.modes);
        terminal.raw = false;
    }
}

static void heed(void)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (size_t k = 0; k < HEEDED; k++) {
        sigaction(heeded[k], NULL, &terminal.before[k]);
        if (terminal.before[k].sa_handler != SIG_IGN) {
            sigaction(heeded[k], &action, NULL);
        }
    }
}

static void heed_no_more(void)
{
    for (size_t k = 0; k < HEEDED; k++) {
        sigaction(heeded[k], &terminal.before[k], NULL);
    }
}

int watch_screen_open(watch_screen *screen)
{
    const char *kind = getenv("TERM"), *colour = getenv("NO_COLOR");
    if (!isatty(STDOUT_FILENO)) {
        return app_fail("standard output is no terminal to watch on; --watch=plain prints the "
                        "pictures one below the other");
    }
    if (kind == NULL || *kind == '\0' || strcmp(kind, "dumb") == 0) {
        return app_fail("this terminal (TERM=%s) cannot move its cursor; --watch=plain prints the "
                        "pictures one below the other",
                        kind != NULL ? kind : "");
    }
    if (pipe2(terminal.pipe, O_NONBLOCK | O_CLOEXEC) != 0) {
        return app_fail("a pipe cannot be made: %s", strerror(errno));
    }
    screen->colours = colour == NULL || *colour == '\0';
    screen->keys = isatty(STDIN_FILENO) ? dup(STDIN_FILENO) : open("/dev/tty", O_RDWR | O_CLOEXEC);
    heed();
    enter(screen);
    return APP_OK;
}

void watch_screen_close(watch_screen *screen)
{
    leave(screen);
    heed_no_more();
    if (screen->keys >= 0) {
        close(screen->keys);
    }
    close(terminal.pipe[0]);
    close(terminal.pipe[1]);
    if (terminal.last != 0) {
        raise(terminal.last);
    }
}

/* ---- what is shown ---- */

/* Grey, sky blue and orange can be told apart by the colour-blind, on dark ground and light. */
static const char *const colours[WATCH_STYLES] = {
    [WATCH_PLAIN] = "0",        [WATCH_DIM] = "0;38;5;244",     [WATCH_BOLD] = "0;1",
    [WATCH_BAR] = "0;38;5;245", [WATCH_LIT_READ] = "0;38;5;32", [WATCH_LIT_WRITTEN] = "0;38;5;208"};
static const char *const no_colours[WATCH_STYLES] = {"0", "0", "0;1", "0", "0;1", "0;1"};

bool watch_screen_show(const watch_screen *screen, const watch_grid *g)
{
    char *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    if (f == NULL) {
        return false;
    }
    for (int row = 0; row < g->rows; row++) {
        int style = WATCH_STYLES, width = g->columns;
        const watch_cell *cells = &g->cells[(size_t)row * (size_t)g->columns];
        while (width > 0 && cells[width - 1].glyph == ' ') {
            width--;
        }
        fprintf(f, "\033[%d;1H", row + 1);
        for (int column = 0; column < width; column++) {
            if (cells[column].style != style && cells[column].glyph != ' ') {
                style = cells[column].style;
                fprintf(f, "\033[%sm", (screen->colours ? colours : no_colours)[style]);
            }
            char glyph[4] = "";
            fwrite(glyph, 1, (size_t)watch_glyph(g, row, column, glyph), f);
        }
        fputs(width < g->columns ? "\033[0m\033[K" : "\033[0m", f);
    }
    bool ok = fclose(f) == 0 && put_all(text, length);
    free(text);
    return ok;
}

/* ---- keys and signals ---- */

/* Takes the first key of the bytes that were read: a character, or the sequence of an arrow. */
static int take_key(void)
{
    static const struct {
        const char *sequence;
        int key;
    } all[] = {{"\033[C", WATCH_KEY_RIGHT}, {"\033OC", WATCH_KEY_RIGHT}, {"\033[D", WATCH_KEY_LEFT},
               {"\033OD", WATCH_KEY_LEFT},  {"\033[A", WATCH_KEY_UP},    {"\033OA", WATCH_KEY_UP},
               {"\033[B", WATCH_KEY_DOWN},  {"\033OB", WATCH_KEY_DOWN},  {"\033[H", WATCH_KEY_HOME},
               {"\033OH", WATCH_KEY_HOME},  {"\033[1~", WATCH_KEY_HOME}, {"\033[F", WATCH_KEY_END},
               {"\033OF", WATCH_KEY_END},   {"\033[4~", WATCH_KEY_END}};
    size_t taken = 1;
    int key = (unsigned char)terminal.bytes[0];
    if (key == '\033') { /* a sequence that is none of these is passed over */
        key = WATCH_KEY_NONE;
        taken = terminal.count;
    }
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        size_t length = strlen(all[k].sequence);
        if (terminal.count >= length && memcmp(terminal.bytes, all[k].sequence, length) == 0) {
            key = all[k].key;
            taken = length;
        }
    }
    terminal.count -= taken;
    memmove(terminal.bytes, terminal.bytes + taken, terminal.count);
    return key;
}

/* Away until the shell brings the program back. */
static void stop(const watch_screen *screen)
{
    leave(screen);
    heed_no_more();
    raise(SIGTSTP);
    heed();
    enter(screen);
}

static int heed_signals(const watch_screen *screen)
{
    unsigned char byte;
    int key = WATCH_KEY_NONE;
    noted = 0;
    while (read(terminal.pipe[0], &byte, 1) == 1) {
        switch (byte) {
        case SIGTSTP:
            stop(screen);
            key = WATCH_KEY_RESIZE;
            break;
        case SIGCONT:
        case SIGWINCH: key = WATCH_KEY_RESIZE; break;
        default: terminal.last = byte; return WATCH_KEY_LEAVE;
        }
    }
    return key;
}

int watch_wait(watch_screen *screen, double seconds)
{
    struct pollfd fds[2] = {{terminal.pipe[0], POLLIN, 0}, {screen->keys, POLLIN, 0}};
    int milliseconds = seconds < 0 ? -1 : seconds > 1000 ? 1000000 : (int)(seconds * 1000 + 0.999);
    if (terminal.count > 0 && noted == 0) {
        return take_key();
    }
    if (poll(fds, 2, milliseconds) <= 0) {
        return WATCH_KEY_NONE;
    }
    if (fds[0].revents != 0) {
        return heed_signals(screen);
    }
    ssize_t size = read(screen->keys, terminal.bytes, sizeof terminal.bytes);
    if (size <= 0 || (fds[1].revents & (POLLERR | POLLNVAL)) != 0) {
        return WATCH_KEY_LEAVE;
    }
    terminal.count = (size_t)size;
    return take_key();
}
