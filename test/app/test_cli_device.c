/* test_cli_device.c - with --device cpu, and in verbs that compute nothing on a GPU, the GPU plugin
 * is not loaded. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include <cmocka.h>

static char folder[] = "/tmp/upsweep-test-device-XXXXXX";
static const char *program;
static char seen[300];

/* Runs a command line in the folder, with $U as the program. Whether the plugin was loaded. */
static bool loads(const char *line, bool expect_success)
{
    char command[1200];
    unlink(seen);
    snprintf(command, sizeof command, "cd %s && U=%s && { %s ; } >out 2>err", folder, program,
             line);
    int status = system(command);
    if (expect_success && status != 0) {
        size_t bytes;
        char err[300];
        snprintf(err, sizeof err, "%s/err", folder);
        fail_msg("%s: status %d, %s", line, status, program_load(err, &bytes));
    }
    return access(seen, F_OK) == 0;
}

static void no_plugin_without_a_gpu(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "printf '0,1,5\\n1,2,7\\n' >g.csv; seq 9 -1 1 >n; $U sort --version >/dev/null; $U version",
        "$U sort --device cpu n",
        "$U sort --device cpu -c -n n || true",
        "$U sort --device cpu --type u8 n | wc -c",
        "$U scan --device cpu n",
        "$U reduce --device cpu n",
        "$U split --device cpu --bit 0 n",
        "$U select --device cpu --median n",
        "$U histogram --device cpu n",
        "$U check --device cpu n || true",
        "$U paths --device cpu g.csv -s 0",
        "$U paths --device cpu g.csv -s 0 -t 2 --verify",
        "$U paths --device cpu g.csv -s 0 --negative",
        "$U compare sort/radix --device cpu --n 1000 --repeat 1 --csv x.csv",
        "$U compare sort/radix --n 1000 --repeat 1 --csv x.csv",
        "$U graph info g.csv",
        "$U graph convert g.csv -o g.usg",
        "$U graph generate grid 100 -o r.gr || true",
        "$U gen uniform 100",
        "$U trace sort/oddeven 3 1 2",
        "$U explain sort/oddeven",
        "$U list",
        "$U version",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        if (loads(lines[i], i > 0)) {
            fail_msg("%s: loads the GPU plugin", lines[i]);
        }
    }
}

/* The file of the plugin does show that it is loaded. */
static void a_plugin_that_is_asked_for_is_seen(void **state)
{
    (void)state;
    assert_true(loads("$U info", true));
    assert_true(loads("seq 9 | $U reduce --device cuda", false));
    assert_true(
        loads("$U compare sort/radix --device cpu,cuda --n 1000 --repeat 1 --csv x.csv", false));
}

int main(void)
{
    const char *plugin = getenv("UPSWEEP_SEEN_PLUGIN");
    program = getenv("UPSWEEP_PROGRAM");
    if (program == NULL || plugin == NULL || mkdtemp(folder) == NULL) {
        fprintf(stderr, "UPSWEEP_PROGRAM and UPSWEEP_SEEN_PLUGIN must name the program and the "
                        "plugin of this test\n");
        return 1;
    }
    snprintf(seen, sizeof seen, "%s/seen", folder);
    setenv("UPSWEEP_CUDA_PLUGIN", plugin, 1);
    setenv("UPSWEEP_SEEN", seen, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_plugin_without_a_gpu),
        cmocka_unit_test(a_plugin_that_is_asked_for_is_seen),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    program_remove(folder);
    return failed;
}
