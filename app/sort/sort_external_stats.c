/* sort_external_stats.c - what --stats says of a sort beyond memory. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_external.h"

static void print_json(const sort_job *job, const upsweep_external_report *r)
{
    printf("{\"records\": %llu, \"bytes\": %llu, \"beyond_memory\": true, \"limit\": %zu, "
           "\"runs\": %llu, \"merges_before\": %llu, \"temporary_written\": %llu, "
           "\"temporary_most\": %llu, \"packed_from\": %llu, \"packed_to\": %llu, "
           "\"ranges\": %llu, \"threads\": %llu, "
           "\"sort_seconds\": %.6f, \"run_write_seconds\": %.6f, \"seconds\": %.6f, "
           "\"phases\": {",
           (unsigned long long)r->records, (unsigned long long)r->bytes, job->limit,
           (unsigned long long)r->runs, (unsigned long long)r->merges,
           (unsigned long long)r->written, (unsigned long long)r->temporary,
           (unsigned long long)r->packed_from, (unsigned long long)r->packed_to,
           (unsigned long long)r->ranges, (unsigned long long)r->threads, r->sort_seconds,
           r->write_seconds, app_seconds() - job->begin);
    sort_print_phases(stdout, job, true);
    puts("}}");
}

void sort_external_stats(const sort_job *job, upsweep_external *x)
{
    upsweep_external_report r = UPSWEEP_EXTERNAL_REPORT_INIT;
    if (upsweep_external_last_report(x, &r) != UPSWEEP_OK) {
        return;
    }
    r.bytes = job->read_bytes != 0 ? job->read_bytes : r.bytes;
    if (job->task->common.json) {
        print_json(job, &r);
        return;
    }
    fprintf(
        stderr,
        "memory     a limit of %zu MB, since the input does not fit\n"
        "input      %llu records, %llu MB\n"
        "runs       %llu, %llu of them merged before; %llu MB written, at most %llu MB at once\n"
        "merge      %llu ranges by %llu threads\n"
        "threads    sorted %.3f s, wrote runs %.3f s, all of them together\n",
        job->limit >> 20, (unsigned long long)r.records, (unsigned long long)(r.bytes >> 20),
        (unsigned long long)r.runs, (unsigned long long)r.merges,
        (unsigned long long)(r.written >> 20), (unsigned long long)(r.temporary >> 20),
        (unsigned long long)r.ranges, (unsigned long long)r.threads, r.sort_seconds,
        r.write_seconds);
    if (r.packed_from > 0) {
        fprintf(stderr, "packed     %llu MB of the runs to %llu MB\n",
                (unsigned long long)(r.packed_from >> 20), (unsigned long long)(r.packed_to >> 20));
    }
    fputs("time      ", stderr);
    sort_print_phases(stderr, job, false);
    fputc('\n', stderr);
}

void sort_external_copy_stats(const sort_job *job)
{
    unsigned long long bytes = sort_external_bytes(job);
    if (job->task->common.json) {
        printf("{\"bytes\": %llu, \"beyond_memory\": true, \"in_order\": true, \"limit\": %zu, "
               "\"runs\": 0, \"temporary_written\": 0, \"seconds\": %.6f, \"phases\": {",
               bytes, job->limit, app_seconds() - job->begin);
        sort_print_phases(stdout, job, true);
        puts("}}");
        return;
    }
    fprintf(stderr,
            "memory     a limit of %zu MB, since the input does not fit\n"
            "order      the lines stand in order: they were written as they were read\n"
            "time      ",
            job->limit >> 20);
    sort_print_phases(stderr, job, false);
    fputc('\n', stderr);
}
