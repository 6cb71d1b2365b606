/* fail_calls.c - a library to be preloaded that makes the k-th call of a kind fail; fail_calls.h
 * says how it is told. Here are the plan, allocations, threads and processes, by functions of the
 * same name that come before those of the C library; system calls are in fail_system.c. */
/* SPDX-License-Identifier: MIT */
#include "test/failures/fail_calls.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

fail_plan fail_now = {.call = -1};

static const char *const names[FAIL_CALLS] = {
    "malloc", "loader", "thread", "fork",   "open", "read",  "pread", "write", "ftruncate",
    "fsync",  "rename", "link",   "unlink", "mmap", "close", "pipe",  "stat",  "any"};

static const struct {
    const char *name;
    int how;
} hows[] = {{"ENOSPC", ENOSPC},
            {"EIO", EIO},
            {"EINTR", EINTR},
            {"EMFILE", EMFILE},
            {"ENOMEM", ENOMEM},
            {"EAGAIN", EAGAIN},
            {"EACCES", EACCES},
            {"short", FAIL_SHORT},
            {"SIGKILL", FAIL_SIGNAL - SIGKILL},
            {"SIGTERM", FAIL_SIGNAL - SIGTERM},
            {"SIGINT", FAIL_SIGNAL - SIGINT},
            {"SIGHUP", FAIL_SIGNAL - SIGHUP}};

/* ---- the plan ---- */

static const char *word(const char *name)
{
    const char *text = getenv(name);
    return text == NULL ? "" : text;
}

static void read_plan(void)
{
    fail_plan *p = &fail_now;
    int fd = open(word("FAIL_COUNTS"), O_RDWR | O_CLOEXEC);
    void *at = fd < 0 ? MAP_FAILED
                      : mmap(NULL, sizeof *p->counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0) {
        close(fd);
    }
    if (at == MAP_FAILED) {
        return;
    }
    p->counts = at;
    p->at = strtoul(word("FAIL_AT"), NULL, 10);
    p->after = *word("FAIL_AFTER") == '1';
    p->in = *word("FAIL_IN") == '1';
    p->no_tmpfile = *word("FAIL_NO_TMPFILE") == '1';
    p->to_self = *word("FAIL_KILL") != 'o';
    p->to_other = *word("FAIL_KILL") == 'o' || *word("FAIL_KILL") == 'b';
    p->how = EIO;
    for (size_t i = 0; i < sizeof hows / sizeof *hows; i++) {
        p->how = strcmp(word("FAIL_HOW"), hows[i].name) == 0 ? hows[i].how : p->how;
    }
    for (int i = 0; i < FAIL_CALLS; i++) {
        p->call = strcmp(word("FAIL_CALL"), names[i]) == 0 ? i : p->call;
    }
    atomic_store(&p->counts->pid[0], getpid());
    p->armed = *word("FAIL_WATCHED") != '1';
}

static void send_signal(int signal_number)
{
    fail_counts *c = fail_now.counts;
    int self = getpid();
    int other = atomic_load(&c->pid[atomic_load(&c->pid[0]) == self]);
    if (fail_now.to_other && other > 0) {
        kill(other, signal_number);
    }
    if (fail_now.to_self) {
        kill(self, signal_number);
    }
}

int fail_counted(void)
{
    fail_counts *c = fail_now.counts;
    if (c == NULL || fail_now.armed != 1) {
        return 0;
    }
    int in = atomic_load(&c->pid[0]) != getpid();
    unsigned long k = atomic_fetch_add(&c->calls[in], 1) + 1;
    if (fail_now.at == 0 || in != fail_now.in ||
        !(k == fail_now.at || (fail_now.after && k > fail_now.at))) {
        return 0;
    }
    atomic_fetch_add(&c->failed, 1);
    if (fail_now.how <= FAIL_SIGNAL) {
        send_signal(FAIL_SIGNAL - fail_now.how);
        return 0;
    }
    return 1;
}

void fail_calls_watch(int on)
{
    fail_now.armed = on;
}

/* ---- allocations: as the C library's functions, under the names that they have besides ---- */

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *block);

static void count_live(const void *block, long by)
{
    if (block != NULL && fail_now.counts != NULL && fail_now.armed) {
        atomic_fetch_add(&fail_now.counts->live, by);
    }
}

long fail_calls_live(void)
{
    int known = fail_now.counts != NULL && atomic_load(&fail_now.counts->threads) == 0;
    return known ? atomic_load(&fail_now.counts->live) : 0;
}

static _Thread_local int loading; /* within dlopen */

static int no_memory(void)
{
    int error = errno;
    int fails = fail_now.call == (loading ? FAIL_LOADER : FAIL_MALLOC) && fail_counted();
    errno = fails ? ENOMEM : error;
    return fails;
}

void *malloc(size_t bytes)
{
    void *block = no_memory() ? NULL : __libc_malloc(bytes);
    count_live(block, 1);
    return block;
}

void *calloc(size_t count, size_t bytes)
{
    void *block = no_memory() ? NULL : __libc_calloc(count, bytes);
    count_live(block, 1);
    return block;
}

void *realloc(void *old, size_t bytes)
{
    if (no_memory()) {
        return NULL;
    }
    void *block = __libc_realloc(old, bytes);
    count_live(block, old == NULL);
    return block;
}

void *memalign(size_t alignment, size_t bytes)
{
    void *block = no_memory() ? NULL : __libc_memalign(alignment, bytes);
    count_live(block, 1);
    return block;
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return memalign(alignment, bytes);
}

/* The classes of C++. Only what asks for NULL (std::nothrow) fails: that is how the plugin
 * allocates. The others belong to the emulator, which stands for a device and its driver. */
void *_Znwm(size_t bytes);
void *_Znam(size_t bytes);
void *_ZnwmRKSt9nothrow_t(size_t bytes, const void *nothrow);
void *_ZnamRKSt9nothrow_t(size_t bytes, const void *nothrow);

void *_Znwm(size_t bytes)
{
    void *block = __libc_malloc(bytes);
    count_live(block, 1);
    return block;
}

void *_Znam(size_t bytes)
{
    return _Znwm(bytes);
}

void *_ZnwmRKSt9nothrow_t(size_t bytes, const void *nothrow)
{
    (void)nothrow;
    return malloc(bytes);
}

void *_ZnamRKSt9nothrow_t(size_t bytes, const void *nothrow)
{
    (void)nothrow;
    return malloc(bytes);
}

int posix_memalign(void **to, size_t alignment, size_t bytes)
{
    int error = errno;
    void *block = memalign(alignment, bytes);
    errno = error;
    if (block == NULL) {
        return ENOMEM;
    }
    *to = block;
    return 0;
}

void free(void *block)
{
    int error = errno;
    count_live(block, -1);
    __libc_free(block);
    errno = error;
}

/* ---- what the program itself maps counts as an allocation; threads; processes ---- */

static struct {
    void *(*mmap)(void *, size_t, int, int, int, off_t);
    void *(*mremap)(void *, size_t, size_t, int, ...);
    int (*thread)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    pid_t (*fork)(void);
    void *(*open_library)(const char *, int);
} real;

static void find(void *function, const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    memcpy(function, &symbol, sizeof symbol);
}

static void find_all(void)
{
    find(&real.mmap, "mmap");
    find(&real.mremap, "mremap");
    find(&real.thread, "pthread_create");
    find(&real.fork, "fork");
    find(&real.open_library, "dlopen");
}

void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    if (real.mmap == NULL) {
        find_all();
    }
    return (flags & MAP_STACK) == 0 && no_memory() /* stacks are the emulator's */
               ? MAP_FAILED
               : real.mmap(address, bytes, protection, flags, fd, offset);
}

void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
    return no_memory() ? MAP_FAILED : real.mremap(old, old_bytes, bytes, flags);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument)
{
    if (real.thread == NULL) {
        find_all();
    }
    if (fail_now.counts != NULL && fail_now.armed) {
        atomic_fetch_add(&fail_now.counts->threads, 1);
    }
    return fail_now.call == FAIL_THREAD && fail_counted()
               ? EAGAIN
               : real.thread(thread, attributes, run, argument);
}

pid_t fork(void)
{
    if (real.fork == NULL) {
        find_all();
    }
    if (fail_now.call == FAIL_FORK && fail_counted()) {
        errno = fail_now.how;
        return -1;
    }
    pid_t child = real.fork();
    if (child >= 0 && fail_now.counts != NULL) {
        atomic_store(&fail_now.counts->pid[1], child == 0 ? getpid() : child);
    }
    return child;
}

void *dlopen(const char *name, int flags)
{
    if (real.open_library == NULL) {
        find_all();
    }
    loading++;
    void *library = real.open_library(name, flags);
    loading--;
    return library;
}

/* ---- the begin ---- */

typedef int (*main_function)(int, char **, char **);
static main_function program_main;

/* After all of the program's own handlers: what the C library and gcov do then is not its. */
static void end_of_allocations(void)
{
    if (fail_now.call < FAIL_OPEN) {
        fail_now.armed = 0;
    }
}

/* Nothing counts before main: the loader and the libraries are not what is tested. */
static int watched_main(int argc, char **argv, char **environment)
{
    find_all(); /* while nothing fails */
    read_plan();
    if (atexit(end_of_allocations) != 0) {
        return 125;
    }
    if (fail_now.call >= FAIL_OPEN || fail_now.no_tmpfile) {
        fail_system_start();
    }
    return program_main(argc, argv, environment);
}

int __libc_start_main(main_function main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end);

int __libc_start_main(main_function main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*loader_fini)(void), void *stack_end)
{
    typedef int (*start)(main_function, int, char **, void (*)(void), void (*)(void),
                         void (*)(void), void *);
    start begin;
    find(&begin, "__libc_start_main");
    program_main = main;
    return begin(watched_main, argc, argv, init, fini, loader_fini, stack_end);
}
