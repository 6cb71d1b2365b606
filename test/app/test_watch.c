/* test_watch.c - `upsweep trace --watch` on a terminal whose other end the test holds: its keys,
 * its pictures, compared with the rows of the text format, and that it is left as it was. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <utmp.h>

#include <cmocka.h>

#include "test/shared/program.h"

enum { ROOM = 1 << 20, PATIENCE_SECONDS = 20 };

static const char enters[] = "\033[?1049h\033[?25l", leaves[] = "\033[?25h\033[?1049l";

typedef struct seat {
    int fd, held; /* the test's end; the program's, kept open so that its modes can be read */
    pid_t pid;
    struct termios before;
    char *text; /* all that was shown, and what of it was looked at */
    size_t length, seen;
} seat;

static const char *program(void)
{
    const char *name = getenv("UPSWEEP_PROGRAM");
    if (name == NULL) {
        skip();
    }
    return name != NULL ? name : ""; /* skip does not return, which not every tool knows */
}

static void child(int fd, const char *const *argv, const char *locale)
{
    login_tty(fd);
    signal(SIGINT, SIG_DFL), signal(SIGQUIT, SIG_DFL); /* jobs of the background ignore both */
    setenv("LC_ALL", locale, 1);
    setenv("TERM", "xterm", 1);
    execvp(argv[0], (char *const *)(const void *)argv);
    _exit(127);
}

static seat sit_down(const char *const *argv, const char *locale)
{
    seat s = {0};
    struct winsize size = {.ws_row = 24, .ws_col = 80};
    if (openpty(&s.fd, &s.held, NULL, NULL, &size) != 0) {
        print_message("this machine has no pseudo-terminals (/dev/pts)\n");
        skip();
    }
    s.text = calloc(1, ROOM);
    assert_non_null(s.text);
    assert_int_equal(tcgetattr(s.held, &s.before), 0);
    s.pid = fork();
    assert_true(s.pid >= 0);
    if (s.pid == 0) {
        child(s.held, argv, locale);
    }
    return s;
}

/* Reads on, until the text stands behind what was looked at; it is then looked at too. */
static void expect(seat *s, const char *text)
{
    time_t end = time(NULL) + PATIENCE_SECONDS;
    for (;;) {
        char *found = memmem(s->text + s->seen, s->length - s->seen, text, strlen(text));
        if (found != NULL) {
            s->seen = (size_t)(found - s->text) + strlen(text);
            return;
        }
        struct pollfd waits = {s->fd, POLLIN, 0};
        if (time(NULL) > end || s->length + 1 >= ROOM || poll(&waits, 1, 1000) < 0) {
            fail_msg("'%s' was not shown, but: %s", text, s->text + s->seen);
        }
        ssize_t size =
            waits.revents != 0 ? read(s->fd, s->text + s->length, ROOM - 1 - s->length) : 0;
        s->length += size > 0 ? (size_t)size : 0;
    }
}

static void press(seat *s, const char *keys)
{
    assert_int_equal(write(s->fd, keys, strlen(keys)), (ssize_t)strlen(keys));
}

/* Waits for the end of the program, whose status is returned, or 128 + its signal. */
static int leave(seat *s)
{
    int status;
    assert_int_equal(waitpid(s->pid, &status, 0), s->pid);
    struct termios after;
    assert_int_equal(tcgetattr(s->held, &after), 0);
    assert_true(after.c_lflag == s->before.c_lflag && after.c_iflag == s->before.c_iflag);
    assert_memory_equal(after.c_cc, s->before.c_cc, sizeof after.c_cc);
    close(s->fd);
    close(s->held);
    free(s->text);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void quit(seat *s)
{
    press(s, "q");
    expect(s, leaves);
    assert_int_equal(leave(s), 0);
}

static void test_plays_to_the_end(void **state)
{
    (void)state;
    const char *argv[] = {program(), "trace", "sort/oddeven", "--watch", "--speed", "500", NULL};
    seat s = sit_down(argv, "C.UTF-8");
    expect(&s, enters);
    expect(&s, "sort/oddeven");
    expect(&s, "█");
    expect(&s, "the end, after 10 rounds");
    press(&s, "q");
    expect(&s, leaves);
    expect(&s, "sort/oddeven, n = 10: 10 rounds, 45 compares, 23 swaps\r\n");
    assert_int_equal(leave(&s), 0);
}

static void test_keys(void **state)
{
    (void)state;
    const char *argv[] = {program(), "trace", "sort/oddeven", "--watch", "--speed", "0.1", NULL};
    seat s = sit_down(argv, "C.UTF-8");
    expect(&s, "the start, of 10 rounds");
    expect(&s, "0.1 a second");
    press(&s, " ");
    expect(&s, "paused");
    press(&s, "\033[C");
    expect(&s, "round 1 of 10");
    press(&s, "\033OC");
    expect(&s, "round 2 of 10");
    expect(&s, "9"); /* compares: 5 + 4 */
    press(&s, "\033[D");
    expect(&s, "round 1 of 10");
    press(&s, "\033[F");
    expect(&s, "the end, after 10 rounds");
    press(&s, "\033[D");
    expect(&s, "round 10 of 10");
    press(&s, "\033[H");
    expect(&s, "the start, of 10 rounds");
    press(&s, "+ ");
    expect(&s, "0.15 a second");
    press(&s, "\033[B");
    expect(&s, "0.1 a second");
    quit(&s);
}

static void test_signals(void **state)
{
    (void)state;
    static const int signals[] = {SIGTERM, SIGHUP, SIGQUIT, SIGINT};
    const char *argv[] = {program(), "trace", "scan/sweep", "--watch", "--speed", "0.1", NULL};
    for (size_t k = 0; k < sizeof signals / sizeof *signals; k++) {
        seat s = sit_down(argv, "C.UTF-8");
        expect(&s, "the start, of 7 rounds");
        kill(s.pid, signals[k]);
        expect(&s, leaves);
        assert_int_equal(leave(&s), 128 + signals[k]);
    }
    seat s = sit_down(argv, "C.UTF-8");
    expect(&s, "the start, of 7 rounds");
    press(&s, "\003");
    expect(&s, leaves);
    assert_int_equal(leave(&s), 128 + SIGINT);
}

static void test_resize(void **state)
{
    (void)state;
    const char *argv[] = {program(), "trace", "sort/split", "--watch", "--speed", "0.1", NULL};
    seat s = sit_down(argv, "C.UTF-8");
    expect(&s, "the start");
    press(&s, "\033[C");
    expect(&s, "round 1 of 55");
    static const unsigned short sizes[][2] = {{60, 200}, {10, 40}, {3, 8}, {1, 1}, {24, 80}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        char last[32];
        struct winsize size = {.ws_row = sizes[k][0], .ws_col = sizes[k][1]};
        assert_int_equal(ioctl(s.fd, TIOCSWINSZ, &size), 0);
        snprintf(last, sizeof last, "\033[%d;1H", sizes[k][0]);
        expect(&s, last);
    }
    expect(&s, "paused");
    quit(&s);
}

/* Stopped by Ctrl-Z and brought back by a shell with job control; numbers come through a pipe. */
static void test_stop_and_go_on(void **state)
{
    (void)state;
    char command[4096];
    snprintf(command, sizeof command,
             "printf '3 1 2\\n' | '%s' trace sort/oddeven --watch --speed 0.1 -\n", program());
    const char *argv[] = {"sh", "-i", NULL};
    seat s = sit_down(argv, "C.UTF-8");
    press(&s, command);
    expect(&s, enters);
    expect(&s, "the start, of 3 rounds");
    press(&s, "\032");
    expect(&s, leaves);
    press(&s, "echo now st''opped\n");
    expect(&s, "now stopped");
    press(&s, "fg\n");
    expect(&s, enters);
    expect(&s, "the start, of 3 rounds");
    press(&s, "q");
    expect(&s, leaves);
    expect(&s, "sort/oddeven, n = 3: 3 rounds");
    press(&s, "exit\n");
    assert_int_equal(leave(&s), 0);
}

static void test_ascii_and_colours(void **state)
{
    (void)state;
    const char *argv[] = {program(), "trace", "sort/bitonic", "--watch", "--speed", "20", NULL};
    seat s = sit_down(argv, "C");
    expect(&s, "#");
    expect(&s, "38;5;208");
    expect(&s, "the end");
    for (size_t k = 0; k < s.length; k++) {
        assert_true((unsigned char)s.text[k] < 0x80);
    }
    quit(&s);
    setenv("NO_COLOR", "1", 1);
    s = sit_down(argv, "C.UTF-8");
    expect(&s, "the end");
    assert_null(strstr(s.text, "38;5"));
    quit(&s);
    unsetenv("NO_COLOR");
}

static char *print(const char *arguments, int *status)
{
    char command[4096];
    snprintf(command, sizeof command, "LC_ALL=C '%s' 2>&1 %s", program(), arguments);
    FILE *f = popen(command, "r");
    char *text = calloc(1, ROOM);
    assert_non_null(f);
    assert_non_null(text);
    assert_true(fread(text, 1, ROOM - 1, f) < ROOM - 1);
    int code = pclose(f);
    *status = WIFEXITED(code) ? WEXITSTATUS(code) : -1;
    return text;
}

/* "0 even  3 7 10" becomes "3 7 10" after head words, with one blank between numbers. */
static void numbers_of(const char *line, size_t length, int head, char *to)
{
    const char *p = line, *end = line + length;
    char *start = to;
    for (int word = 0; p < end; word++) {
        while (p < end && *p == ' ') {
            p++;
        }
        const char *begins = p;
        while (p < end && *p != ' ') {
            p++;
        }
        if (word >= head && p > begins) {
            to += sprintf(to, "%s%.*s", to > start ? " " : "", (int)(p - begins), begins);
        }
    }
    *to = '\0';
}

/* Every picture of a sort has below its bars what the text format has in the row of the round. */
static void test_pictures_say_what_rows_say(void **state)
{
    (void)state;
    int status;
    char *rows = print("trace sort/oddeven 3 7 11 10 4 20 2 8 12 1", &status);
    assert_int_equal(status, 0);
    char *pictures = print("trace sort/oddeven 3 7 11 10 4 20 2 8 12 1 --watch=plain", &status);
    assert_int_equal(status, 0);
    const char *row = rows, *picture = pictures;
    for (int r = 0; r <= 10; r++) {
        char wanted[256], found[256], round[64];
        snprintf(round, sizeof round, r == 0 ? "the start, of 10" : "round %d of 10  %s", r,
                 r % 2 == 1 ? "even" : "odd");
        numbers_of(row, strcspn(row, "\n"), r == 0 ? 1 : 2, wanted);
        row += strcspn(row, "\n") + 1;
        picture = strstr(picture, round);
        assert_non_null(picture);
        const char *line = strstr(picture, "a[10]");
        do {
            assert_non_null(line);
            line = strchr(line, '\n') + 1;
            numbers_of(line, strcspn(line, "\n"), 0, found);
        } while (strchr(found, '1') == NULL);
        assert_string_equal(found, wanted);
    }
    free(rows);
    free(pictures);
}

/* The bar of an element is as high as its share of the greatest. */
static void test_heights(void **state)
{
    (void)state;
    int status;
    char *pictures = print("trace sort/oddeven 0 25 50 75 100 --watch=plain", &status);
    assert_int_equal(status, 0);
    int heights[5] = {0}, rows = 0;
    const char *line = strstr(pictures, "a[5]");
    for (line = strchr(line, '\n') + 1; strchr("# ", line[1]) != NULL && line[1] != '\n';
         line = strchr(line, '\n') + 1, rows++) {
        size_t length = strcspn(line, "\n");
        for (size_t k = 0; k < 5; k++) {
            heights[k] += 1 + 5 * k < length && line[1 + 5 * k] == '#';
        }
        if (strstr(line, "100") != NULL && strstr(line, "100") < line + length) {
            break;
        }
    }
    assert_true(rows >= 8);
    assert_int_equal(heights[0], 0);
    assert_int_equal(heights[4], rows);
    assert_in_range(heights[2], rows / 2, rows / 2 + 1);
    free(pictures);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *arguments, *says;
    } all[] = {
        {"trace sort/oddeven --watch", "upsweep trace: standard output is no terminal"},
        {"trace sort/oddeven --watch=fast", "--watch takes nothing or plain, not 'fast'"},
        {"trace sort/oddeven --speed 3", "--speed is of use with --watch only"},
        {"trace sort/oddeven --watch --speed 0", "--speed is from 0.1 to 10000"},
        {"trace sort/oddeven --watch --speed nan", "--speed is from 0.1 to 10000"},
        {"trace sort/oddeven --watch -o x", "--watch=plain does"},
        {"trace path/dijkstra 1 2 --watch=plain", "does not take these numbers"},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        int status;
        char *text = print(all[k].arguments, &status);
        assert_int_equal(status, 2);
        assert_non_null(strstr(text, all[k].says));
        assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1); /* one sentence */
        free(text);
    }
}

/* Every algorithm, of sizes that fit the columns and that do not. */
static void test_all_algorithms(void **state)
{
    (void)state;
    static const char *const names[] = {"sort/oddeven",     "sort/bitonic", "sort/vmerge",
                                        "sort/split",       "sort/radix",   "sort/sample",
                                        "sort/hybrid",      "sort/quick",   "reduce/tree",
                                        "reduce/butterfly", "scan/sweep",   "split/flags"};
    static const char *const inputs[] = {"</dev/null -", "5", "$(seq 1 3)", "$(seq 90 -1 1)",
                                         "4294967295 0 4294967294"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
            char arguments[256];
            int status;
            snprintf(arguments, sizeof arguments, "trace %s --watch=plain %s | tail -23", names[k],
                     inputs[i]);
            char *text = print(arguments, &status);
            assert_int_equal(status, 0);
            assert_non_null(strstr(text, "the end, after"));
            free(text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plays_to_the_end),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_resize),
        cmocka_unit_test(test_stop_and_go_on),
        cmocka_unit_test(test_ascii_and_colours),
        cmocka_unit_test(test_pictures_say_what_rows_say),
        cmocka_unit_test(test_heights),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_all_algorithms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
