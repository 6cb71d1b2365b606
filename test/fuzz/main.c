/* main.c - fuzz_calls: runs cases, side by side in processes of their own, until time or number is
 * up, or one is wrong. That one is made shorter and printed as a line that runs it again.
 *
 *     fuzz_calls [--seconds S] [--cases N] [--seed X] [--calls REGEX] [--workers W]
 *                [--device cpu|cuda] [--small] [--case X [--most N]] [--header DIR]
 * --header DIR only asks whether every call of DIR/include/upsweep.h is made by some case. Ends
 * with 1 if something is wrong, 2 if it is not understood, 77 if the device cannot be used. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/fuzz.h"

#include <malloc.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test/shared/device.h"

enum { WORKERS_MAX = 256, CASE_SECONDS = 120, SKIPPED = 77, ALL_AFTER = 40000 };

typedef struct plan {
    double seconds;
    uint64_t cases, seed, number;
    bool one, seeded, device, small;
    size_t most;
    unsigned workers;
    const char *pattern, *header;
    regex_t regex;
} plan;

/* What a worker tells the others, in shared memory. */
typedef struct worker {
    uint64_t cases, calls, failed; /* failed: the number of the case */
    bool has_failed, told;         /* told: the case was described */
    uint64_t good[128];
    fuzz now; /* the case under way */
} worker;

static worker *here; /* this process's, for the handler of signals */
static bool quiet;   /* while a case is made shorter */

static double seconds_since(const struct timespec *from)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)(t.tv_sec - from->tv_sec) + (double)(t.tv_nsec - from->tv_nsec) * 1e-9;
}

static void print_case(worker *w)
{
    char text[1200];
    fuzz_describe(&w->now, text, sizeof text);
    if (!quiet && !w->told) {
        fprintf(stderr, "%s\n", text);
    }
    w->told = true;
}

/* The case that crashes, or does not end, is told before the process is gone. */
static void on_signal(int number)
{
    snprintf(here->now.wrong, sizeof here->now.wrong, "%s",
             number == SIGALRM ? "it does not end" : strsignal(number));
    print_case(here);
    _exit(1);
}

#if defined(__SANITIZE_ADDRESS__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif
#ifdef HAS_SANITIZER
void __sanitizer_set_death_callback(void (*callback)(void));
static void on_death(void)
{
    snprintf(here->now.wrong, sizeof here->now.wrong, "the sanitizer has ended it");
    print_case(here);
}
#endif

static void catch_signals(void)
{
#ifdef HAS_SANITIZER
    __sanitizer_set_death_callback(on_death);
    const int numbers[] = {SIGALRM};
#else
    const int numbers[] = {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
#endif
    static char stack[64 * 1024];
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigaltstack(&other, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        sigaction(numbers[i], &action, NULL);
    }
}

static size_t device_bytes(const plan *p) /* for the arrays of a case */
{
    return (size_t)1 << (p->small ? 26 : 29);
}

/* False: it is wrong, which is printed. */
static bool run_one(const plan *p, uint64_t number, size_t most)
{
    here->now.most = most;
    here->now.device = p->device;
    here->now.small = p->small;
    alarm(CASE_SECONDS);
    if (!fuzz_run(&here->now, number)) {
        fprintf(stderr, "fuzz_calls: no device: %s\n", here->now.wrong);
        _exit(SKIPPED);
    }
    alarm(0);
    if (here->now.wrong[0] != '\0') {
        print_case(here);
    }
    return here->now.wrong[0] == '\0';
}

static bool matches(const plan *p, uint64_t number)
{
    return p->pattern == NULL || regexec(&p->regex, fuzz_first_call(number)->name, 0, NULL, 0) == 0;
}

/* Every so manyth case, until time or number is up. */
static void work(const plan *p, worker *all, unsigned which)
{
    struct timespec start;
    worker *w = &all[which];
    clock_gettime(CLOCK_MONOTONIC, &start);
    here = w;
    w->now.good = w->good;
    const char *why = "";
    if (p->device && !device_start(device_bytes(p), &why)) {
        fprintf(stderr, "fuzz_calls: skipped: %s\n", why);
        _exit(SKIPPED);
    }
    uint64_t share = p->cases / p->workers + (which < p->cases % p->workers);
    for (uint64_t i = which; p->cases == 0 || w->cases < share; i += p->workers) {
        uint64_t number = fuzz_mix(p->seed, i);
        if (!matches(p, number)) {
            continue;
        }
        if (p->seconds > 0 && seconds_since(&start) >= p->seconds) {
            break;
        }
        w->failed = number;
        w->has_failed = true; /* unless it ends */
        if (!run_one(p, number, p->most)) {
            _exit(1);
        }
        w->has_failed = false;
        w->cases++;
        w->calls = w->now.calls;
    }
    if (p->device) {
        device_end();
    }
    fflush(stdout);
    exit(0); /* not _exit: a leak checker looks now */
}

/* Whether the case is wrong with no length above `most`. */
static bool fails_within(const plan *p, uint64_t number, size_t most)
{
    static worker alone;
    here = &alone;
    here->now.good = here->good;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        const char *why;
        quiet = true;
        if (freopen("/dev/null", "w", stderr) == NULL ||
            (p->device && !device_start(device_bytes(p), &why))) {
            _exit(0);
        }
        _exit(run_one(p, number, most) ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Looks for a shorter case that is wrong, halving, for half a minute at most. */
static void make_shorter(const plan *p, uint64_t number)
{
    struct timespec start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    size_t most = 1 << 20, step = most / 2, least = most;
    if (!fails_within(p, number, most)) {
        fprintf(stderr, "fuzz_calls: by itself that case is right: it needs others before it\n");
        return;
    }
    for (; step > 0 && seconds_since(&start) < 30; step /= 2) {
        if (least > step && fails_within(p, number, least - step)) {
            least -= step;
        }
    }
    fprintf(stderr,
            "fuzz_calls: shortest seen to be wrong: fuzz_calls%s%s --case 0x%016llx --most %zu\n",
            p->device ? " --device cuda" : "", p->small ? " --small" : "",
            (unsigned long long)number, least);
}

/* ---- all workers ---- */

static pid_t children[WORKERS_MAX]; /* 0: gone; -1: ended by this process */

/* Waits for all; ends the others when one failed. Returns the worst of their statuses. */
static int wait_for_all(const plan *p)
{
    int worst = 0;
    for (unsigned left = p->workers; left > 0; left--) {
        int status;
        pid_t child = wait(&status);
        int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
        for (unsigned k = 0; k < p->workers; k++) {
            if (children[k] == child) {
                children[k] = 0;
            } else if (code != 0 && worst == 0 && children[k] > 0) {
                kill(children[k], SIGKILL);
                children[k] = -1;
            }
        }
        worst = worst != 0 ? worst : code;
    }
    return worst;
}

static int sum_up(const plan *p, const worker *all, double seconds)
{
    uint64_t cases = 0, calls = 0;
    int status = 0;
    for (unsigned k = 0; k < p->workers; k++) {
        cases += all[k].cases;
        calls += all[k].calls;
    }
    for (size_t i = 0; i < fuzz_call_count() && cases >= ALL_AFTER && p->pattern == NULL; i++) {
        uint64_t good = 0;
        for (unsigned k = 0; k < p->workers; k++) {
            good += all[k].good[i];
        }
        if (good == 0 && !(p->device && fuzz_call_at(i)->host_only)) {
            fprintf(stderr, "fuzz_calls: %s never succeeded\n", fuzz_call_at(i)->name);
            status = 1;
        }
    }
    printf("fuzz_calls: %llu cases, %llu calls, in %.1f s (%.0f cases a second), seed 0x%llx: none "
           "differs\n",
           (unsigned long long)cases, (unsigned long long)calls, seconds, (double)cases / seconds,
           (unsigned long long)p->seed);
    return status;
}

static int run_all(const plan *p)
{
    struct timespec start;
    worker *all = mmap(NULL, sizeof *all * p->workers, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) {
        perror("fuzz_calls");
        return 2;
    }
    clock_gettime(CLOCK_MONOTONIC, &start);
    printf("fuzz_calls: seed 0x%llx, %u workers\n", (unsigned long long)p->seed, p->workers);
    fflush(stdout);
    for (unsigned k = 0; k < p->workers; k++) {
        children[k] = fork();
        if (children[k] == 0) {
            work(p, all, k);
        }
    }
    int worst = wait_for_all(p);
    if (worst == 0) {
        worst = sum_up(p, all, seconds_since(&start));
    }
    for (unsigned k = 0; worst == 1 && k < p->workers; k++) {
        if (children[k] == 0 && all[k].has_failed) {
            if (!all[k].told) { /* something ended the process without a signal that is caught */
                snprintf(all[k].now.wrong, sizeof all[k].now.wrong, "the process has ended");
                print_case(&all[k]);
            }
            fprintf(stderr, "fuzz_calls: after %.1f s and %llu cases of this worker: 0x%016llx\n",
                    seconds_since(&start), (unsigned long long)all[k].cases,
                    (unsigned long long)all[k].failed);
        }
    }
    for (unsigned k = 0; worst == 1 && k < p->workers; k++) {
        if (children[k] == 0 && all[k].has_failed) {
            make_shorter(p, all[k].failed);
            break;
        }
    }
    return worst;
}

/* ---- the command line ---- */

static int usage(const char *what)
{
    fprintf(stderr,
            "fuzz_calls: %s\nfuzz_calls [--seconds S] [--cases N] [--seed X] [--calls REGEX] "
            "[--workers W] [--device cpu|cuda] [--small] [--case X [--most N]] [--header DIR]\n",
            what);
    return 2;
}

/* False: the option is not known. */
static bool take(plan *p, const char *name, const char *value)
{
    if (strcmp(name, "--seconds") == 0) {
        p->seconds = strtod(value, NULL);
    } else if (strcmp(name, "--cases") == 0) {
        p->cases = strtoull(value, NULL, 0);
    } else if (strcmp(name, "--seed") == 0) {
        p->seed = strtoull(value, NULL, 0);
        p->seeded = true;
    } else if (strcmp(name, "--calls") == 0) {
        p->pattern = value;
        return regcomp(&p->regex, value, REG_EXTENDED | REG_NOSUB) == 0;
    } else if (strcmp(name, "--workers") == 0) {
        p->workers = (unsigned)strtoul(value, NULL, 0);
        return p->workers >= 1 && p->workers <= WORKERS_MAX;
    } else if (strcmp(name, "--device") == 0) {
        p->device = strcmp(value, "cuda") == 0;
        return p->device || strcmp(value, "cpu") == 0;
    } else if (strcmp(name, "--case") == 0) {
        p->number = strtoull(value, NULL, 0);
        p->one = true;
    } else if (strcmp(name, "--most") == 0) {
        p->most = strtoull(value, NULL, 0);
    } else if (strcmp(name, "--header") == 0) {
        p->header = value;
    } else {
        return false;
    }
    return true;
}

static int run_case(const plan *p)
{
    static worker alone;
    const char *why;
    here = &alone;
    here->now.good = here->good;
    if (p->device && !device_start(device_bytes(p), &why)) {
        fprintf(stderr, "fuzz_calls: skipped: %s\n", why);
        return SKIPPED;
    }
    bool right = run_one(p, p->number, p->most);
    if (right) {
        printf("fuzz_calls: case 0x%016llx (%s) is right\n", (unsigned long long)p->number,
               fuzz_first_call(p->number)->name);
    }
    return right ? 0 : 1;
}

int main(int count, char **words)
{
    plan p = {.workers = 1, .most = SIZE_MAX};
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--small") == 0) {
            p.small = true;
        } else if (i + 1 >= count || !take(&p, words[i], words[i + 1])) {
            return usage(words[i]);
        } else {
            i++;
        }
    }
    const char *wrong = p.header != NULL ? fuzz_missing(p.header) : fuzz_rank_check();
    if (wrong != NULL || p.header != NULL) {
        fprintf(wrong != NULL ? stderr : stdout, "fuzz_calls: %s\n",
                wrong != NULL ? wrong : "every call of the header is made by some case");
        return wrong != NULL ? 1 : 0;
    }
    /* Memory is used again and again: it need not go back to the system. */
    mallopt(M_MMAP_THRESHOLD, 64 << 20);
    mallopt(M_TRIM_THRESHOLD, 512 << 20);
    catch_signals();
    if (p.one) {
        return run_case(&p);
    }
    if (!p.seeded) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        p.seed = fuzz_mix((uint64_t)t.tv_sec, (uint64_t)t.tv_nsec ^ (uint64_t)getpid());
    }
    p.seconds = p.cases == 0 && p.seconds <= 0 ? 60 : p.seconds;
    return run_all(&p);
}
