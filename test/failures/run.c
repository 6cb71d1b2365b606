/* run.c - two folders: one in which the program runs, with its input files, and one for its
 * streams. */
/* SPDX-License-Identifier: MIT */
#include "test/failures/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FILES = 64, WORDS = 32, PATIENCE_SECONDS = 60 };

static char top[100], folder[140], streams[140];
static fail_counts *counts;

/* A file of the folder before any run. */
static struct {
    char name[256];
    struct stat about;
    bytes holds;
} files[FILES];
static int file_count;

bool bytes_equal(bytes a, bytes b)
{
    return (a.at == NULL) == (b.at == NULL) && a.size == b.size &&
           (a.size == 0 || memcmp(a.at, b.at, a.size) == 0);
}

static bytes load(const char *in, const char *name)
{
    char path[300];
    bytes b = {NULL, 0};
    struct stat about;
    snprintf(path, sizeof path, "%s/%s", in, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &about) == 0 && (b.at = calloc(1, (size_t)about.st_size + 1))) {
        ssize_t n = read(fd, b.at, (size_t)about.st_size);
        b.size = n < 0 ? 0 : (size_t)n;
    }
    if (fd >= 0) {
        close(fd);
    }
    return b;
}

static int file_of(const char *name)
{
    for (int i = 0; i < file_count; i++) {
        if (strcmp(files[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* Puts a file back as it was. */
static void restore(int i)
{
    FILE *f = fopen(files[i].name, "wb");
    if (f == NULL || fwrite(files[i].holds.at, 1, files[i].holds.size, f) != files[i].holds.size ||
        fclose(f) != 0 || stat(files[i].name, &files[i].about) != 0) {
        perror(files[i].name);
        exit(1);
    }
}

bytes run_old(const char *name)
{
    int i = name == NULL ? -1 : file_of(name);
    return i < 0 ? (bytes){NULL, 0} : files[i].holds;
}

bool run_remember(void)
{
    DIR *d = opendir(folder);
    for (int i = 0; i < file_count; i++) {
        free(files[i].holds.at);
    }
    file_count = 0;
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        if (e->d_name[0] != '.' && file_count < FILES) {
            snprintf(files[file_count].name, sizeof files[0].name, "%s", e->d_name);
            files[file_count].holds = load(folder, e->d_name);
            fstatat(dirfd(d), e->d_name, &files[file_count++].about, 0);
        }
    }
    if (d != NULL) {
        closedir(d);
    }
    return file_count > 0;
}

static const char *setting(const char *name)
{
    const char *value = getenv(name);
    return value == NULL ? "" : value;
}

bool run_start(const char *base)
{
    char path[200];
    snprintf(top, sizeof top, "%s/upsweep-failures-XXXXXX", base);
    if (mkdtemp(top) == NULL) {
        perror(top);
        return false;
    }
    snprintf(folder, sizeof folder, "%s/run", top);
    snprintf(streams, sizeof streams, "%s/streams", top);
    snprintf(path, sizeof path, "%s/counts", streams);
    int fd = mkdir(folder, 0700) != 0 || mkdir(streams, 0700) != 0
                 ? -1
                 : open(path, O_RDWR | O_CREAT, 0600);
    counts = fd < 0 || ftruncate(fd, sizeof *counts) != 0
                 ? MAP_FAILED
                 : mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* processes that lost their parent are waited for here */
    setenv("LC_ALL", "C", 1);
    setenv("UPSWEEP_TUNING", "/nowhere", 1);
    if (counts == MAP_FAILED || chdir(folder) != 0 || make_files(setting("UPSWEEP_PROGRAM")) != 0 ||
        !run_remember()) {
        fprintf(stderr, "the files for the runs cannot be made in %s\n", folder);
        return false;
    }
    return true;
}

static void remove_all(const char *path)
{
    DIR *d = opendir(path);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        (void)unlinkat(dirfd(d), e->d_name, 0);
    }
    if (d != NULL) {
        closedir(d);
    }
    (void)rmdir(path);
}

void run_end(void)
{
    for (int i = 0; i < file_count; i++) {
        free(files[i].holds.at);
    }
    remove_all(folder);
    remove_all(streams);
    (void)rmdir(top);
}

/* ---- one run ---- */

static void set_failure(const scenario *s, const failure *f)
{
    char number[32], path[200];
    if (f->call == NULL) {
        return;
    }
    snprintf(number, sizeof number, "%lu", f->at);
    snprintf(path, sizeof path, "%s/counts", streams);
    setenv("FAIL_COUNTS", path, 1);
    setenv("FAIL_CALL", f->call, 1);
    setenv("FAIL_AT", number, 1);
    setenv("FAIL_HOW", f->how == NULL ? "ENOMEM" : f->how, 1);
    setenv("FAIL_KILL", f->kill == NULL ? "self" : f->kill, 1);
    setenv("FAIL_AFTER", f->after ? "1" : "0", 1);
    setenv("FAIL_IN", f->in_child ? "1" : "0", 1);
    setenv("FAIL_NO_TMPFILE", f->no_tmpfile ? "1" : "0", 1);
    setenv("FAIL_WATCHED", s->library ? "1" : "0", 1);
    setenv("LD_PRELOAD", setting("UPSWEEP_FAIL_CALLS"), 1);
}

/* The reading end of a pipe into which a process of its own writes the file. */
static int open_pipe(const char *name)
{
    int ends[2];
    if (pipe(ends) != 0) {
        return -1;
    }
    if (fork() != 0) {
        close(ends[1]);
        return ends[0];
    }
    bytes b = run_old(name);
    close(ends[0]);
    while (b.size > 0) {
        ssize_t n = write(ends[1], b.at, b.size);
        if (n <= 0) {
            break;
        }
        b.at += n;
        b.size -= (size_t)n;
    }
    _exit(0);
}

static void (*prepare_child)(void);

void run_prepare_child(void (*function)(void))
{
    prepare_child = function;
}

static void become(const scenario *s, const failure *f)
{
    char words[300], *argv[WORDS] = {0};
    int count = 0;
    const char *program = setting(s->library ? "UPSWEEP_LIBRARY_CALLS" : "UPSWEEP_PROGRAM");
    char out[200], err[200];
    snprintf(out, sizeof out, "%s/out", streams);
    snprintf(err, sizeof err, "%s/err", streams);
    argv[count++] = (char *)(size_t)program;
    if (s->library) {
        argv[count++] = (char *)(size_t)s->name;
        argv[count++] = (char *)(size_t)s->device;
    }
    snprintf(words, sizeof words, "%s", s->words);
    for (char *w = strtok(words, " "); w != NULL && count < WORDS - 1; w = strtok(NULL, " ")) {
        argv[count++] = w;
    }
    bool piped = s->input != NULL && s->input[0] == '|';
    int fds[3] = {piped ? open_pipe(s->input + 1)
                        : open(s->input != NULL ? s->input : "/dev/null", O_RDONLY),
                  open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600),
                  open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600)};
    setpgid(0, 0);
    for (int i = 0; i < 3; i++) {
        if (fds[i] < 0 || dup2(fds[i], i) < 0) {
            _exit(126);
        }
        close(fds[i]);
    }
    if (strstr(s->words, "cuda") == NULL && !(s->library && strstr(s->device, "cuda") != NULL)) {
        setenv("UPSWEEP_CUDA_PLUGIN", "/nowhere/plugin.so", 1);
    }
    set_failure(s, f);
    if (prepare_child != NULL) {
        prepare_child();
    }
    execv(program, argv);
    _exit(127);
}

static void on_alarm(int number)
{
    (void)number;
}

/* Waits for the program and for whatever it left behind. */
static int wait_for(pid_t child)
{
    int status = 0, result = -1;
    struct sigaction action = {.sa_handler = on_alarm}; /* without SA_RESTART: waitpid returns */
    sigaction(SIGALRM, &action, NULL);
    alarm(PATIENCE_SECONDS);
    for (;;) {
        pid_t pid = waitpid(-1, &status, 0);
        if (pid == child) {
            result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        } else if (pid < 0 && errno == EINTR) {
            result = -1;
            kill(-child, SIGKILL);
            int left = atomic_load(&counts->pid[1]);
            if (left > 0) {
                kill(left, SIGKILL);
            }
        } else if (pid < 0) {
            alarm(0);
            return result;
        }
    }
}

outcome run_once(const scenario *s, const failure *f)
{
    outcome o = {.status = -1};
    memset(counts, 0, sizeof *counts);
    pid_t child = fork();
    if (child == 0) {
        become(s, f);
    }
    o.status = child < 0 ? -1 : wait_for(child);
    o.calls[0] = atomic_load(&counts->calls[0]);
    o.calls[1] = atomic_load(&counts->calls[1]);
    o.failed = atomic_load(&counts->failed);
    o.forked = atomic_load(&counts->pid[1]) != 0;
    o.refused = atomic_load(&counts->refused) != 0;
    o.out = load(streams, "out");
    o.err = load(streams, "err");
    if (s->output != NULL) {
        bytes old = run_old(s->output);
        o.file = load(folder, s->output);
        if (old.at == NULL) {
            (void)unlink(s->output);
        } else if (!bytes_equal(old, o.file)) {
            restore(file_of(s->output));
        }
    }
    return o;
}

void outcome_free(outcome *o)
{
    free(o->out.at);
    free(o->err.at);
    free(o->file.at);
    *o = (outcome){0};
}

int run_strays(const scenario *s, char *name, size_t room)
{
    int strays = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) {
            continue;
        }
        struct stat now;
        int i = file_of(e->d_name);
        bool is_output = s->output != NULL && strcmp(e->d_name, s->output) == 0;
        if (i < 0) {
            (void)unlinkat(dirfd(d), e->d_name, 0);
        } else if (!is_output && fstatat(dirfd(d), e->d_name, &now, 0) == 0 &&
                   (now.st_size != files[i].about.st_size ||
                    now.st_mtim.tv_nsec != files[i].about.st_mtim.tv_nsec ||
                    now.st_ino != files[i].about.st_ino)) {
            restore(i); /* an input has changed */
        } else {
            continue;
        }
        strays++;
        snprintf(name, room, "%s", e->d_name);
    }
    closedir(d);
    return strays;
}
