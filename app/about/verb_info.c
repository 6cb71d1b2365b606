/* verb_info.c - `upsweep info`: what this machine has, and what a handle opened on it would use. */
/* SPDX-License-Identifier: MIT */
#include "app/app.h"

#include <stdlib.h>
#include <string.h>

#ifndef UPSWEEP_MPI_WORDS /* cmake/ranks.cmake */
#define UPSWEEP_MPI_WORDS "none: this build of the program does not look for it"
#endif

const app_usage usage_info = {
    "",
    "Shows the processor, the instruction set that will be used (the environment variable\n"
    "UPSWEEP_ISA=portable|avx2|avx512 caps it), the caches as one core sees them, the memory, and\n"
    "the GPUs or why none can be used, and the GPU plugin (UPSWEEP_CUDA_PLUGIN=PATH names "
    "another); and for which MPI upsweep-mpi was built, or why not.",
    APP_JSON, NULL, "upsweep info\nUPSWEEP_ISA=avx2 upsweep info --json"};

/* 49152 -> "48 KB". */
static const char *size_text(char text[32], size_t bytes)
{
    static const char *const units[] = {"bytes", "KB", "MB", "GB", "TB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1024 && unit < 4) {
        value /= 1024;
        unit++;
    }
    if (bytes == 0) {
        return "unknown";
    }
    snprintf(text, 32, value == (double)(long)value ? "%.0f %s" : "%.1f %s", value, units[unit]);
    return text;
}

static void print_json(const upsweep_machine *m)
{
    fputs("{\"version\": ", stdout);
    app_print_json_text(stdout, upsweep_version());
    fputs(",\n \"cpu\": ", stdout);
    app_print_json_text(stdout, m->cpu);
    printf(",\n \"cores\": %u,\n \"isa\": ", m->cores);
    app_print_json_text(stdout, m->isa);
    printf(",\n \"cache_bytes\": [%zu, %zu, %zu],\n \"memory_bytes\": %zu,\n \"gpus\": %u,\n"
           " \"gpu\": ",
           m->cache_bytes[0], m->cache_bytes[1], m->cache_bytes[2], m->memory_bytes, m->gpus);
    app_print_json_text(stdout, m->gpu);
    fputs(",\n \"gpu_plugin\": ", stdout);
    app_print_json_text(stdout, m->gpu_plugin);
    fputs(",\n \"mpi\": ", stdout);
    app_print_json_text(stdout, UPSWEEP_MPI_WORDS);
    fputs("}\n", stdout);
}

static void print_plain(const upsweep_machine *m)
{
    char text[3][32], memory[32];
    printf("version          %s\n", upsweep_version());
    printf("processor        %s\n", m->cpu);
    printf("cores            %u that this process may use\n", m->cores);
    printf("instruction set  %s\n", m->isa);
    printf("caches           L1 data %s, L2 %s, L3 %s\n", size_text(text[0], m->cache_bytes[0]),
           size_text(text[1], m->cache_bytes[1]), size_text(text[2], m->cache_bytes[2]));
    printf("memory           %s\n", size_text(memory, m->memory_bytes));
    printf("GPUs             %s\n", m->gpu);
    printf("GPU plugin       %s\n", m->gpu_plugin);
    printf("MPI              %s\n", UPSWEEP_MPI_WORDS);
}

/* A word that is none lowers nothing, which nobody would see otherwise. */
static void warn_of_isa(void)
{
    const char *wish = getenv("UPSWEEP_ISA");
    if (wish != NULL && strcmp(wish, "portable") != 0 && strcmp(wish, "avx2") != 0 &&
        strcmp(wish, "avx512") != 0) {
        app_fail("UPSWEEP_ISA is '%s', which is none of portable, avx2 and avx512, and has no "
                 "effect",
                 wish);
    }
}

int verb_info(int argc, char **argv)
{
    app_common settings = {0};
    int status = app_parse(&usage_info, argc, argv, &settings);
    if (status >= 0) {
        return status;
    }
    upsweep_machine machine = UPSWEEP_MACHINE_INIT;
    upsweep_describe_machine(&machine);
    warn_of_isa();
    (settings.json ? print_json : print_plain)(&machine);
    return app_finish_stdout();
}
