/* sort_external_stats.c - what --stats says of a sort beyond memory. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_external.h"

void sort_external_stats(const sort_job *job, upsweep_external *x)
{
    upsweep_external_report r = UPSWEEP_EXTERNAL_REPORT_INIT;
    if (upsweep_external_last_report(x, &r) != UPSWEEP_OK) {
        return;
    }
    fprintf(
        stderr,
        "memory     a limit of %zu MB, since the input does not fit\n"
        "input      %llu records, %llu MB\n"
        "runs       %llu, %llu of them merged before; %llu MB written, at most %llu MB at once\n"
        "merge      %llu ranges by %llu threads\n"
        "threads    sorted %.3f s, wrote runs %.3f s, all of them together\n"
        "time      ",
        job->limit >> 20, (unsigned long long)r.records, (unsigned long long)(r.bytes >> 20),
        (unsigned long long)r.runs, (unsigned long long)r.merges,
        (unsigned long long)(r.written >> 20), (unsigned long long)(r.temporary >> 20),
        (unsigned long long)r.ranges, (unsigned long long)r.threads, r.sort_seconds,
        r.write_seconds);
    for (size_t i = 0; i < job->phases; i++) {
        fprintf(stderr, "%s %s %.3f s", i == 0 ? "" : ",", job->phase[i], job->seconds[i]);
    }
    fputc('\n', stderr);
}
