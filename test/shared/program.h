/* program.h - runs a program and keeps what it printed, for tests of the command line. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_TEST_SHARED_PROGRAM_H
#define USW_TEST_SHARED_PROGRAM_H

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct program_result {
    int status; /* exit status, or 128 + signal */
    char *out, *err;
    size_t out_bytes, err_bytes;
} program_result;

static inline char *program_load(const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        return NULL;
    }
    fseek(f, 0, SEEK_END);
    *bytes = (size_t)ftell(f);
    rewind(f);
    char *text = malloc(*bytes + 1);
    if (text != NULL && fread(text, 1, *bytes, f) == *bytes) {
        text[*bytes] = '\0';
    }
    fclose(f);
    return text;
}

/* Whether the file holds just these bytes. */
static inline int program_holds(const char *path, const void *want, size_t size)
{
    size_t bytes = 0;
    char *text = program_load(path, &bytes);
    int same = text != NULL && bytes == size && memcmp(text, want, size) == 0;
    free(text);
    return same;
}

static inline int program_store(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    if (f == NULL) {
        return -1;
    }
    size_t written = fwrite(bytes, 1, size, f);
    return fclose(f) == 0 && written == size ? 0 : -1;
}

/* In the child: standard streams from and to files, the C locale, and the program. */
static inline void program_become(const char *const *argv, const char *in, const char *out,
                                  const char *err)
{
    int fds[3] = {open(in, O_RDONLY), open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600),
                  open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600)};
    for (int i = 0; i < 3; i++) {
        if (fds[i] < 0 || dup2(fds[i], i) < 0) {
            _exit(126);
        }
    }
    setenv("LC_ALL", "C", 1);
    execvp(argv[0], (char *const *)(const void *)argv);
    _exit(127);
}

/* argv ends with NULL; input NULL is /dev/null; folder is for the files of its output. */
static inline program_result program_run(const char *folder, const char *const *argv,
                                         const char *input)
{
    program_result r = {-1, NULL, NULL, 0, 0};
    char out[300], err[300];
    snprintf(out, sizeof out, "%s/.stdout", folder);
    snprintf(err, sizeof err, "%s/.stderr", folder);
    pid_t child = fork();
    if (child == 0) {
        program_become(argv, input != NULL ? input : "/dev/null", out, err);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        return r;
    }
    r.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    r.out = program_load(out, &r.out_bytes);
    r.err = program_load(err, &r.err_bytes);
    return r;
}

/* Whether it refused as it should: exit status 2, nothing written, one line with `says` in it. */
static inline int program_refused(const program_result *r, const char *says)
{
    return r->status == 2 && r->out_bytes == 0 && strstr(r->err, says) != NULL &&
           strchr(r->err, '\n') == r->err + r->err_bytes - 1;
}

/* Removes a folder of the test and all in it; 0 if that went well. */
static inline int program_remove(const char *folder)
{
    const char *const argv[] = {"rm", "-rf", folder, NULL};
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[0], (char *const *)(const void *)argv);
        _exit(127);
    }
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && status == 0 ? 0 : -1;
}

/* Names in the folder of program_run, beside its streams; -1 if it cannot be read. */
static inline int program_names(const char *folder)
{
    DIR *d = opendir(folder);
    int count = d == NULL ? -1 : 0;
    for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
        count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
                 strncmp(e->d_name, ".std", 4) != 0;
    }
    if (d != NULL) {
        closedir(d);
    }
    return count;
}

static inline void program_free(program_result *r)
{
    free(r->out);
    free(r->err);
    r->out = r->err = NULL;
}

#endif
