/* machine.c - what this machine has, in words and numbers for people. */
/* SPDX-License-Identifier: MIT */
#include "core/device.h"
#include "core/structs.h"

#include <ctype.h>
#include <stdio.h>
#include <unistd.h>

/* Linux and x86 keep the name on the line "model name : ..."; other processors show none there. */
static void cpu_name(char *name, size_t bytes)
{
    snprintf(name, bytes, "unknown processor");
    FILE *f = fopen("/proc/cpuinfo", "re");
    char line[256];
    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            line[strcspn(line, "\n")] = '\0';
            colon++;
            snprintf(name, bytes, "%s", colon + strspn(colon, " "));
            break;
        }
    }
    if (f != NULL) {
        fclose(f);
    }
}

static size_t from_sysconf(int name)
{
    long value = sysconf(name);
    return value > 0 ? (size_t)value : 0;
}

upsweep_status upsweep_describe_machine(upsweep_machine *machine)
{
    if (machine == NULL) {
        return UPSWEEP_ERROR_ARGUMENT;
    }
    upsweep_machine m = UPSWEEP_MACHINE_INIT;
    cpu_name(m.cpu, sizeof m.cpu);
    m.cores = usw_core_count();
    m.isa = usw_isa_name(usw_best_isa());
#ifdef _SC_LEVEL1_DCACHE_SIZE
    m.cache_bytes[0] = from_sysconf(_SC_LEVEL1_DCACHE_SIZE);
    m.cache_bytes[1] = from_sysconf(_SC_LEVEL2_CACHE_SIZE);
    m.cache_bytes[2] = from_sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
    m.memory_bytes = from_sysconf(_SC_PHYS_PAGES) * from_sysconf(_SC_PAGESIZE);
    m.gpus = usw_describe_gpus(m.gpu, sizeof m.gpu, m.gpu_plugin, sizeof m.gpu_plugin);
    return usw_give_struct(machine, &m, sizeof m, USW_MACHINE_FIRST) == NULL
               ? UPSWEEP_OK
               : UPSWEEP_ERROR_ARGUMENT;
}
