/* cgroup.c - /proc/self/cgroup names the group of this process, /proc/self/mountinfo the folder
 * where such groups lie; the group's own folder and those above it hold limits and usages as
 * numbers. */
/* SPDX-License-Identifier: MIT */
#include "io/cgroup.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limits above this are none: version 1 writes 2^63 less a page. */
static const size_t none_from = SIZE_MAX / 4;

/* What the files of a version are called. */
typedef struct group_kind {
    const char *type, *limit, *usage, *swap_limit, *swap_usage, *stat[2];
    bool swap_has_all; /* its swap limit counts memory, too */
} group_kind;

static const group_kind kinds[2] = {{"cgroup2",
                                     "memory.max",
                                     "memory.current",
                                     "memory.swap.max",
                                     "memory.swap.current",
                                     {"inactive_file ", "active_file "},
                                     false},
                                    {"cgroup",
                                     "memory.limit_in_bytes",
                                     "memory.usage_in_bytes",
                                     "memory.memsw.limit_in_bytes",
                                     "memory.memsw.usage_in_bytes",
                                     {"total_inactive_file ", "total_active_file "},
                                     true}};

static FILE *open_in(const char *folder, const char *name)
{
    char path[2 * PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return fopen(path, "re");
}

/* The number in a file; SIZE_MAX for "max", for what is no limit, and where there is none. */
static size_t number_in(const char *folder, const char *name)
{
    FILE *f = open_in(folder, name);
    unsigned long long number;
    size_t value = SIZE_MAX;
    if (f != NULL && fscanf(f, "%llu", &number) == 1 && number < none_from) {
        value = (size_t)number;
    }
    if (f != NULL) {
        fclose(f);
    }
    return value;
}

/* The sum of the lines of a file that begin with one of the two words. */
static size_t sum_in(FILE *f, const char *const words[2], size_t unit)
{
    char line[256];
    size_t sum = 0;
    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        for (int w = 0; w < 2; w++) {
            size_t length = words[w] == NULL ? 0 : strlen(words[w]);
            if (length > 0 && strncmp(line, words[w], length) == 0) {
                sum += strtoull(line + length, NULL, 10) * unit;
            }
        }
    }
    if (f != NULL) {
        fclose(f);
    }
    return sum;
}

static size_t less(size_t a, size_t b)
{
    return a > b ? a - b : 0;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* What one group leaves. */
static size_t room_of(const group_kind *kind, const char *folder)
{
    size_t limit = number_in(folder, kind->limit), usage = number_in(folder, kind->usage);
    if (limit == SIZE_MAX || usage == SIZE_MAX) {
        return SIZE_MAX;
    }
    static const char *const free_swap[2] = {"SwapFree:", NULL};
    size_t cached = least(sum_in(open_in(folder, "memory.stat"), kind->stat, 1), usage);
    size_t room = less(limit, usage - cached);
    size_t swap = sum_in(fopen("/proc/meminfo", "re"), free_swap, 1024);
    size_t swap_limit = number_in(folder, kind->swap_limit);
    size_t swap_usage = number_in(folder, kind->swap_usage);
    if (swap_usage == SIZE_MAX) { /* this group's swap is not counted */
        return room + swap;
    }
    return kind->swap_has_all ? least(room + swap, less(swap_limit, less(swap_usage, cached)))
                              : room + least(swap, less(swap_limit, swap_usage));
}

/* The group's path in the hierarchy of the kind: from "4:memory:/path" or "0::/path". */
static bool find_group(bool first_version, char path[PATH_MAX])
{
    char line[PATH_MAX + 256];
    FILE *f = fopen("/proc/self/cgroup", "re");
    bool found = false;
    while (f != NULL && !found && fgets(line, sizeof line, f) != NULL) {
        char *controllers = strchr(line, ':');
        char *at = controllers == NULL ? NULL : strchr(controllers + 1, ':');
        if (at == NULL) {
            continue;
        }
        *at = '\0';
        at[1 + strcspn(at + 1, "\n")] = '\0';
        char listed[300];
        snprintf(listed, sizeof listed, ",%s,", controllers + 1);
        found = first_version ? strstr(listed, ",memory,") != NULL : controllers[1] == '\0';
        if (found) {
            snprintf(path, PATH_MAX, "%s", at + 1);
        }
    }
    if (f != NULL) {
        fclose(f);
    }
    return found;
}

/* Where the hierarchy is mounted, and which of its groups is at the top there. */
static bool find_mount(const group_kind *kind, bool first_version, char root[PATH_MAX],
                       char folder[PATH_MAX])
{
    char line[3 * PATH_MAX], type[64], source[256], options[512];
    FILE *f = fopen("/proc/self/mountinfo", "re");
    bool found = false;
    while (f != NULL && !found && fgets(line, sizeof line, f) != NULL) {
        const char *rest = strstr(line, " - ");
        found = rest != NULL && sscanf(rest, " - %63s %255s %511s", type, source, options) == 3 &&
                strcmp(type, kind->type) == 0 &&
                (!first_version || strstr(options, "memory") != NULL) &&
                sscanf(line, "%*s %*s %*s %4095s %4095s", root, folder) == 2;
    }
    if (f != NULL) {
        fclose(f);
    }
    return found;
}

/* The least of the group's room and of those above it. */
static size_t room_in(const group_kind *kind)
{
    bool first_version = kind->swap_has_all;
    char path[PATH_MAX], root[PATH_MAX], top[PATH_MAX], folder[2 * PATH_MAX];
    if (!find_group(first_version, path) || !find_mount(kind, first_version, root, top)) {
        return SIZE_MAX;
    }
    size_t skipped = strcmp(root, "/") == 0 ? 0 : strlen(root);
    const char *below = strncmp(path, root, skipped) == 0 ? path + skipped : "";
    snprintf(folder, sizeof folder, "%s%s", top, strcmp(below, "/") == 0 ? "" : below);
    for (size_t room = SIZE_MAX;;) {
        room = least(room, room_of(kind, folder));
        char *slash = strrchr(folder + strlen(top), '/');
        if (slash == NULL) {
            return room;
        }
        *slash = '\0';
    }
}

size_t io_cgroup_room(void)
{
    return least(room_in(&kinds[0]), room_in(&kinds[1]));
}
