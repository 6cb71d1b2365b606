/* isa.c - which instruction sets this processor has, and how many cores this process may use. */
/* SPDX-License-Identifier: MIT */
#include "core/frame.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const names[USW_ISA_COUNT] = {"portable", "avx2", "avx512"};

const char *usw_isa_name(usw_isa isa)
{
    return names[isa];
}

/* What the processor and the operating system allow. The sets must match the -m flags of
 * cmake/cpu_forms.cmake. AVX-512 means Ice Lake, Zen 4 and later: the sorts need VBMI2 to compress
 * bytes and words. The compiler's built-in also checks that the system saves the wide registers. */
static usw_isa detect(void)
{
#if USW_HAVE_X86
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512vbmi") &&
                  __builtin_cpu_supports("avx512vbmi2");
    return avx2 && avx512 ? USW_AVX512 : avx2 ? USW_AVX2 : USW_PORTABLE;
#else
    return USW_PORTABLE;
#endif
}

/* UPSWEEP_ISA lowers the choice; a name that is none, or a set not there, changes nothing. */
usw_isa usw_best_isa(void)
{
    usw_isa best = detect();
    const char *wish = getenv("UPSWEEP_ISA");
    for (int i = 0; wish != NULL && i < (int)best; i++) {
        if (strcmp(wish, names[i]) == 0) {
            return (usw_isa)i;
        }
    }
    return best;
}

/* Zen 4, the only one of its family with these vectors. */
bool usw_halves_vectors(void)
{
#if USW_HAVE_X86
    return __builtin_cpu_is("amdfam19h");
#else
    return false;
#endif
}

unsigned usw_core_count(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) {
        return (unsigned)CPU_COUNT(&set);
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}
