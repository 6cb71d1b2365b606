/* tuning.c - the numbers by which a sort chooses its method: defaults, and the file in which
 * `upsweep tune` leaves what it measured. Lines of a name and a number, or "never":
 *     isa avx512
 *     thread_bytes 2097152
 * A file is taken as a whole or not at all. */
/* SPDX-License-Identifier: MIT */
#include "core/structs.h"

#include <stdio.h>
#include <stdlib.h>

enum { PATH_BYTES = 4096, EARLY_CORES = 2 };

/* Where cores are free two threads sort an array of EARLY_BYTES in 0.6 of the time of one; where
 * other programs use them the times of the last sorts show it (calls/sharing.c). */
static upsweep_tuning defaults(usw_isa isa, unsigned threads)
{
    bool early = usw_min(threads, usw_core_count()) >= EARLY_CORES;
    upsweep_tuning t = {.size = sizeof t,
                        .thread_bytes = early ? USW_EARLY_BYTES : USW_SURE_BYTES,
                        .scatter_bytes = {SIZE_MAX, SIZE_MAX},
                        .digit_keys = {SIZE_MAX, SIZE_MAX}};
    if (isa == USW_PORTABLE) { /* digits take fewer steps than comparisons, and so do buckets */
        t.scatter_bytes[0] = t.scatter_bytes[1] = 0;
        t.digit_keys[0] = t.digit_keys[1] = 512;
    } else if (isa == USW_AVX2) {
        t.digit_keys[1] = 1024;
    }
    return t;
}

size_t upsweep_tuning_path(char *path, size_t bytes)
{
    const char *file = secure_getenv("UPSWEEP_TUNING");
    const char *config = secure_getenv("XDG_CONFIG_HOME"), *home = secure_getenv("HOME");
    int length = 0;
    bytes = path == NULL ? 0 : bytes;
    if (bytes > 0) {
        path[0] = '\0';
    }
    if (file != NULL) {
        length = snprintf(path, bytes, "%s", file);
    } else if (config != NULL && config[0] == '/') {
        length = snprintf(path, bytes, "%s/upsweep/tuning", config);
    } else if (home != NULL && home[0] == '/') {
        length = snprintf(path, bytes, "%s/.config/upsweep/tuning", home);
    }
    return length > 0 ? (size_t)length : 0;
}

static size_t *number_of(upsweep_tuning *t, const char *name)
{
    struct {
        const char *name;
        size_t *number;
    } const numbers[] = {{"thread_bytes", &t->thread_bytes},
                         {"scatter_bytes_32", &t->scatter_bytes[0]},
                         {"scatter_bytes_64", &t->scatter_bytes[1]},
                         {"digit_keys_32", &t->digit_keys[0]},
                         {"digit_keys_64", &t->digit_keys[1]}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (strcmp(numbers[i].name, name) == 0) {
            return numbers[i].number;
        }
    }
    return NULL;
}

/* True if all lines are understood and the file is of this instruction set. */
static bool read_file(FILE *f, usw_isa isa, upsweep_tuning *t)
{
    char line[128], name[64], value[32];
    bool same = false;
    while (fgets(line, sizeof line, f) != NULL) {
        if (line[0] == '#') {
            continue;
        }
        if (sscanf(line, "%63s %31s", name, value) != 2) {
            return false;
        }
        size_t *number = number_of(t, name);
        if (strcmp(name, "isa") == 0) {
            same = strcmp(value, usw_isa_name(isa)) == 0;
        } else if (number == NULL) {
            return false;
        } else if (strcmp(value, "never") == 0) {
            *number = SIZE_MAX;
        } else {
            char *end;
            *number = strtoull(value, &end, 10);
            if (*end != '\0' || value[0] < '0' || value[0] > '9') {
                return false;
            }
        }
    }
    return same && ferror(f) == 0;
}

upsweep_tuning usw_tuning_of(usw_isa isa, unsigned threads)
{
    char path[PATH_BYTES];
    upsweep_tuning found = defaults(isa, threads);
    size_t length = upsweep_tuning_path(path, sizeof path);
    FILE *f = length > 0 && length < sizeof path ? fopen(path, "re") : NULL;
    found.measured = f != NULL && read_file(f, isa, &found);
    if (f != NULL) {
        (void)fclose(f);
    }
    return found.measured ? found : defaults(isa, threads);
}

upsweep_status upsweep_get_tuning(upsweep *u, upsweep_tuning *tuning)
{
    if (u == NULL || tuning == NULL) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    usw_lock(u);
    const char *wrong = usw_give_struct(tuning, &u->tuning, sizeof u->tuning, USW_TUNING_FIRST);
    upsweep_status status =
        wrong == NULL ? UPSWEEP_OK : usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "tuning: %s", wrong);
    usw_unlock(u);
    return status;
}

upsweep_status upsweep_set_tuning(upsweep *u, const upsweep_tuning *tuning)
{
    if (u == NULL) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    upsweep_tuning t;
    usw_lock(u);
    upsweep_status status =
        tuning == NULL ? usw_fail(u, UPSWEEP_ERROR_ARGUMENT, "tuning is NULL")
                       : usw_take_struct_for(u, "tuning", &t, sizeof t, tuning, USW_TUNING_FIRST);
    if (status == UPSWEEP_OK) {
        u->tuning = t;
        u->tuning.size = sizeof t;
        u->tuning.measured = 0;
        u->shares_early = false;
        memset(u->chosen, 0, sizeof u->chosen);
    }
    usw_unlock(u);
    return status;
}
