/* view_gpu.c - real runs on a GPU as the program draws them there: from device memory, with no byte
 * of a picture on the host, by vertices and by pixels; and the same pictures when they go by way of
 * the host, or are of a run on the CPU. Ends with 77 where there is no GPU, or no OpenGL on it. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "test/shared/pictures.h"
#include "test/shared/program.h"

enum { WIDTH = 800, HEIGHT = 500, WORDS = 76 }; /* rows of words, which tell times */

static char folder[] = "/tmp/upsweep-view-gpu-XXXXXX";

static program_result view(const char *line)
{
    const char *argv[40] = {getenv("UPSWEEP_PROGRAM"), "view"};
    static char words[1000];
    size_t count = 2;
    char *rest = NULL;
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok_r(words, " ", &rest); word != NULL;
         word = strtok_r(NULL, " ", &rest)) {
        argv[count++] = word;
    }
    argv[count] = NULL;
    return program_run(folder, argv, NULL);
}

/* One picture, and what --stats tells. */
static picture draw(const char *line, char *stats, size_t room)
{
    char all[900], path[300];
    snprintf(path, sizeof path, "%s/picture.png", folder);
    snprintf(all, sizeof all, "--run %s --size %dx%d --stats --png %s", line, WIDTH, HEIGHT, path);
    program_result r = view(all);
    snprintf(stats, room, "%s", r.err);
    if (r.status != 0) {
        fail_msg("view %s: status %d: %s", all, r.status, r.err);
    }
    program_free(&r);
    return load(path);
}

static void must_say(const char *line, const char *stats, const char *words, bool yes)
{
    if ((strstr(stats, words) != NULL) != yes) {
        fail_msg("view %s: %s '%s': %s", line, yes ? "does not say" : "says", words, stats);
    }
}

static void must_equal(const char *line, const picture *a, const picture *b)
{
    size_t far = far_apart(a, b, WORDS, HEIGHT, 40);
    if (far * 100 > WIDTH * HEIGHT) {
        fail_msg("view %s: %zu pixels differ", line, far);
    }
}

static void check(const char *line, bool pixels)
{
    char stats[2000], uploaded[2000], with[600];
    snprintf(with, sizeof with, "%s --device cuda", line);
    picture a = draw(with, stats, sizeof stats);
    must_say(with, stats, "drawn from device memory, 0 bytes of them to the host", true);
    must_say(with, stats, pixels ? ": 0 of vertices, 1 of pixels" : ": 1 of vertices, 0 of pixels",
             true);
    snprintf(with, sizeof with, "%s --device cuda --upload", line);
    picture b = draw(with, uploaded, sizeof uploaded);
    must_say(with, uploaded, "drawn from device memory", false);
    must_say(with, uploaded, " 0 bytes of them to the host", false);
    must_equal(line, &a, &b);
    cairo_surface_destroy(a.surface);
    cairo_surface_destroy(b.surface);
}

static void test_interop(void **state)
{
    (void)state;
    check("sort/bitonic -n 100000 --at 0", false);
    check("sort/bitonic -n 300000 --at 50%", false);
    check("sort/radix -n 100000 --type f32 --at 1", false);
    check("sort/hybrid -n 1000000 --type u64 --at 100%", false);
    check("scan/sweep -n 77777 --type i32 --at 100%", false);
    check("split/flags -n 50000 --type u8 --at 100%", false);
    check("sort/bitonic -n 3000000 --at 50%", true);
    check("sort/radix -n 2000000 --type f64 --at 2", true);
    check("sort/hybrid -n 5000000 --type i16 --at 100%", true);
    check("scan/sweep -n 99999 --type f32 --style density --at 100%", true);
}

/* Where a run ends does not depend on where it went. */
static void test_as_on_cpu(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "sort/bitonic -n 100000", "sort/radix -n 3000000 --type f32",
        "scan/sweep -n 100000 --type u32", "split/flags -n 100000 --type i64 --style density",
        "path/bucket -n 40000"};
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        char stats[2000], line[600];
        snprintf(line, sizeof line, "%s --at 100%% --device cuda", lines[k]);
        picture a = draw(line, stats, sizeof stats);
        must_say(line, stats, "drawn from device memory", true);
        snprintf(line, sizeof line, "%s --at 100%% --device cpu", lines[k]);
        picture b = draw(line, stats, sizeof stats);
        must_equal(line, &a, &b);
        cairo_surface_destroy(a.surface);
        cairo_surface_destroy(b.surface);
    }
}

/* A whole play, two runs side by side: every picture is written once, and nothing comes back. */
static void test_play(void **state)
{
    (void)state;
    program_result r = view("--run sort/bitonic sort/radix -n 2000000 --device cuda --seconds 2 "
                            "--headless --stats");
    assert_int_equal(r.status, 0);
    const char *second = strstr(r.err, "run        sort/radix");
    assert_non_null(second);
    must_say("a play", second, "drawn from device memory, 0 bytes of them to the host", true);
    must_say("a play", r.err, "0.000 MB of pictures from it", true);
    must_say("a play", r.err, ": 0 of vertices, 0 of pixels", false);
    program_free(&r);
}

/* 0: it can; 77, after a sentence, where there is nothing to draw with; 1: what is there fails. */
static int try_to_draw(void)
{
    static const char *const lacks[] = {"driver", "plugin", "GPU that", "EGL", NULL};
    program_result r = view("--run sort/radix -n 5000 --device cuda --headless --stats");
    bool software = strstr(r.err, "llvmpipe") != NULL || strstr(r.err, "softpipe") != NULL;
    int verdict = r.status == 0 ? 0 : 1;
    for (size_t k = 0; r.status != 0 && lacks[k] != NULL; k++) {
        verdict = strstr(r.err, lacks[k]) != NULL ? 77 : verdict;
    }
    if (r.status != 0) {
        print_message("%s: %s", verdict == 77 ? "skipped" : "FAILED", r.err);
    } else if (software) {
        print_message("skipped: no EGL device is the GPU, so OpenGL draws in software\n");
        verdict = 77;
    }
    program_free(&r);
    return verdict;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_interop),
                                       cmocka_unit_test(test_as_on_cpu),
                                       cmocka_unit_test(test_play)};
    if (getenv("UPSWEEP_PROGRAM") == NULL || mkdtemp(folder) == NULL) {
        return 1;
    }
    int failed = try_to_draw();
    failed = failed == 0 ? cmocka_run_group_tests(tests, NULL, NULL) : failed;
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 ? failed : 1;
}
