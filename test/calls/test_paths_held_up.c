/* test_paths_held_up.c - a search by two threads one of which gets no processor: the other gives up
 * sharing soon, finds the same distances alone, and so do the next searches. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above first. */
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/paths.h"

enum { SIDE = 600, N = SIDE * SIDE };

/* The thread that gets the signal stops until it is let go. */
static sem_t stopped, go;
static void stop(int number)
{
    int kept = errno;
    (void)number;
    (void)sem_post(&stopped);
    while (sem_wait(&go) != 0) {
    }
    errno = kept;
}

static upsweep_graph *grid(upsweep *u)
{
    upsweep_graph *g;
    uint32_t *tail = malloc(4 * N * sizeof *tail), *head = tail + 2 * N, *weight = malloc(8 * N);
    size_t m = 0;
    for (uint32_t v = 0; v < N; v++) {
        for (uint32_t k = 0; k < 2; k++) {
            if (k == 0 ? v % SIDE + 1 < SIDE : v + SIDE < N) {
                tail[m] = v;
                head[m] = v + (k == 0 ? 1 : SIDE);
                weight[m++] = 1 + (v * 2654435761u >> 20);
            }
        }
    }
    assert_int_equal(upsweep_graph_from_arcs(u, N, m, tail, head, weight, UPSWEEP_U32,
                                             UPSWEEP_GRAPH_UNDIRECTED, &g),
                     UPSWEEP_OK);
    free(tail);
    free(weight);
    return g;
}

/* Another thread of this process, or 0. */
static pid_t another_thread(void)
{
    pid_t found = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    for (struct dirent *e = readdir(tasks); e != NULL; e = readdir(tasks)) {
        pid_t id = (pid_t)atoi(e->d_name);
        found = id > 0 && id != getpid() ? id : found;
    }
    closedir(tasks);
    return found;
}

static const char *search(upsweep *u, const upsweep_graph *g, uint32_t *distance, upsweep_report *r)
{
    uint32_t source = 0;
    assert_int_equal(upsweep_paths(u, g, &source, 1, distance, NULL, NULL), UPSWEEP_OK);
    upsweep_last_report(u, r);
    return r->reason;
}

static void one_gets_no_processor(void **unused)
{
    (void)unused;
    uint32_t *want = malloc(N * 4), *have = malloc(N * 4);
    upsweep *u, *alone;
    upsweep_report r = UPSWEEP_REPORT_INIT;
    struct sigaction action = {.sa_handler = stop};
    upsweep_config one = {.threads = 1}, two = {.threads = 2};
    assert_int_equal(upsweep_open(&alone, "cpu", &one), UPSWEEP_OK);
    assert_int_equal(upsweep_open(&u, "cpu", &two), UPSWEEP_OK);
    upsweep_graph *g = grid(alone);
    (void)search(alone, g, want, &r);
    for (size_t n = 1; another_thread() == 0; n *= 2) { /* until the handle has its thread */
        uint32_t *many = calloc(n << 16, 4);
        many[0] = 1;
        assert_int_equal(upsweep_sort(u, many, n << 16, UPSWEEP_U32, NULL), UPSWEEP_OK);
        free(many);
    }
    sem_init(&stopped, 0, 0);
    sem_init(&go, 0, 0);
    sigaction(SIGUSR1, &action, NULL);
    assert_int_equal(syscall(SYS_tgkill, getpid(), another_thread(), SIGUSR1), 0);
    while (sem_wait(&stopped) != 0) {
    }
    for (unsigned turn = 0; turn < 5; turn++) { /* one that is held up, and four after it */
        memset(have, 0xa5, N * 4);
        const char *reason = search(u, g, have, &r);
        if (strstr(reason, "held") == NULL) {
            fail_msg("turn %u: %s", turn, reason);
        }
        assert_memory_equal(have, want, N * 4);
    }
    assert_int_equal(sem_post(&go), 0);
    memset(have, 0xa5, N * 4);
    (void)search(u, g, have, &r); /* shared, unless the machine is busy */
    assert_memory_equal(have, want, N * 4);
    upsweep_graph_free(g);
    upsweep_close(u);
    upsweep_close(alone);
    free(want);
    free(have);
}

/* A search that takes longer shared than it took one thread is given up, though all get on. */
static void sharing_takes_too_long(void **unused)
{
    (void)unused;
    uint32_t *want = malloc(N * 4), *have = malloc(N * 4);
    upsweep *u, *alone;
    upsweep_report r = UPSWEEP_REPORT_INIT;
    upsweep_config one = {.threads = 1}, two = {.threads = 2};
    assert_int_equal(upsweep_open(&alone, "cpu", &one), UPSWEEP_OK);
    assert_int_equal(upsweep_open(&u, "cpu", &two), UPSWEEP_OK);
    upsweep_graph *g = grid(alone);
    (void)search(alone, g, want, &r);
    u->sharing[USW_SHARED_PATHS] = (usw_sharing){.work = g->vertices + g->arcs, .ns = {1, 0}};
    const char *reason = search(u, g, have, &r);
    if (strstr(reason, "held its threads up") == NULL) {
        fail_msg("%s", reason);
    }
    assert_memory_equal(have, want, N * 4);
    upsweep_graph_free(g);
    upsweep_close(u);
    upsweep_close(alone);
    free(want);
    free(have);
}

/* Shared, then by one, then whichever was faster, but for one in 32; from the start again for
 * other work. */
static void the_faster_way(void **unused)
{
    (void)unused;
    upsweep *u;
    upsweep_config two = {.threads = 2};
    assert_int_equal(upsweep_open(&u, "cpu", &two), UPSWEEP_OK);
    assert_true(usw_parallel_threads(u) == 2); /* and the handle has its threads */
    for (size_t work = 1; work < 3; work++) {
        for (unsigned slower = 0; slower < 2; slower++) {
            size_t part = 2 * work + slower, shared = 0;
            for (unsigned turn = 0; turn < 66; turn++) {
                bool share = usw_may_share(u, USW_SHARED_PATHS, part);
                assert_true(turn > 1 || share == (turn == 0));
                usw_note_time(u, USW_SHARED_PATHS, part, share, share == slower ? 3000 : 1000);
                shared += share;
            }
            assert_int_equal(shared, slower ? 3 : 63);
        }
    }
    upsweep_close(u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_gets_no_processor),
                                       cmocka_unit_test(sharing_takes_too_long),
                                       cmocka_unit_test(the_faster_way)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
