/* machine.c - what verbs ask of the machine where no GPU matters. upsweep_describe_machine looks
 * for GPUs, which loads the plugin and the driver; with --device cpu neither is to be touched. */
/* SPDX-License-Identifier: MIT */
#include "app/app.h"

#include "io/parallel.h"

#include <string.h>
#include <unistd.h>

size_t app_memory_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 ? (size_t)pages * (size_t)bytes : 0;
}

void app_describe_cpu(upsweep_machine *machine)
{
    char line[256];
    snprintf(machine->cpu, sizeof machine->cpu, "unknown processor");
    machine->cores = io_processors();
    FILE *f = fopen("/proc/cpuinfo", "re");
    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            line[strcspn(line, "\n")] = '\0';
            colon++;
            snprintf(machine->cpu, sizeof machine->cpu, "%.120s", colon + strspn(colon, " "));
            break;
        }
    }
    if (f != NULL) {
        fclose(f);
    }
}
