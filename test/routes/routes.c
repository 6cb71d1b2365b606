/* routes.c - at the end of a test program, writes the ways that its calls took (core/routes.h) to a
 * file of its own in the directory that UPSWEEP_ROUTES names; without it, nothing. UPSWEEP_ROUTES=-
 * writes all ways, taken or not, to standard output. It is linked with the library for tests, as
 * that has no other state that a program could read. */
/* SPDX-License-Identifier: MIT */
#include "core/frame.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

_Thread_local usw_route_call usw_call_now;

/* For the emulator of test/emulate, which finds it by name: kernels do not know the keys' type. */
__attribute__((visibility("default"))) unsigned usw_call_type(void);
unsigned usw_call_type(void)
{
    return usw_call_now.type;
}

/* The linker's names for the ends of the section, if the program has one. */
extern usw_route __start_usw_routes[] __attribute__((weak));
extern usw_route __stop_usw_routes[] __attribute__((weak));

static void write_route(FILE *to, const usw_route *r, bool all)
{
    bool taken = all;
    for (size_t i = 0; i < sizeof r->taken / sizeof(uint32_t) && !taken; i++) {
        taken = (&r->taken[0][0][0])[i] != 0;
    }
    if (!taken) {
        return;
    }
    fprintf(to, "%s\t%s\t%s\t%u\t%s\t%s\t%s\t%u\t%u\t%u\t", r->unit, r->function, r->file, r->line,
            r->name, r->bits, r->copy, r->types, r->carried, r->isas);
    for (unsigned isa = 0; isa < USW_ROUTE_ISAS; isa++) {
        for (unsigned type = 0; type < USW_ROUTE_TYPES; type++) {
            for (unsigned c = 0; c < USW_ROUTE_CARRIED; c++) {
                if (r->taken[isa][type][c] != 0) {
                    fprintf(to, " %u,%u,%u:%u", isa, type, c, r->taken[isa][type][c]);
                }
            }
        }
    }
    fputc('\n', to);
}

static void write_routes(FILE *to, bool all)
{
    for (const usw_route *r = __start_usw_routes; r < __stop_usw_routes; r++) {
        if (r->mark == USW_ROUTE_MARK) {
            write_route(to, r, all);
        }
    }
}

__attribute__((destructor)) static void at_exit(void)
{
    const char *place = getenv("UPSWEEP_ROUTES");
    if (place == NULL || place[0] == '\0') {
        return;
    }
    if (strcmp(place, "-") == 0) {
        write_routes(stdout, true);
        return;
    }
    char name[2][4096];
    for (unsigned i = 0; i < 2; i++) { /* made beside, and then renamed: whole or not there */
        snprintf(name[i], sizeof name[i], "%s/%s.%ld.%s", place, program_invocation_short_name,
                 (long)getpid(), i == 0 ? "part" : "routes");
    }
    FILE *to = fopen(name[0], "w");
    if (to == NULL) {
        return; /* the test `routes` misses the file */
    }
    write_routes(to, false);
    if (fclose(to) == 0) {
        (void)rename(name[0], name[1]);
    }
}
