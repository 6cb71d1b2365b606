/* sort_text_stats.c - what --stats tells, and the progress that a person at a terminal sees. */
/* SPDX-License-Identifier: MIT */
#include "app/sort/sort_text.h"

#include <string.h>

static const double PATIENCE = 1.0; /* seconds before progress is shown */

void sort_phase(sort_job *job, const char *name)
{
    double now = app_seconds() - job->begin;
    if (job->phases > 0) {
        job->seconds[job->phases - 1] += now;
    }
    if (job->show && now > PATIENCE) {
        fprintf(stderr, name != NULL ? "\r\033[Kupsweep sort: %s" : "\r\033[K", name);
    }
    if (name != NULL && job->phases < SORT_PHASES) {
        job->phase[job->phases] = name;
        job->seconds[job->phases++] = -now;
    }
}

void sort_progress(sort_job *job, unsigned lane, size_t done, size_t all)
{
    if (!job->show || lane != 0 || done % 16 != 0) {
        return;
    }
    if (app_seconds() - job->begin > PATIENCE) {
        fprintf(stderr, "\r\033[Kupsweep sort: %s %.0f%%", job->phase[job->phases - 1],
                100.0 * (double)done / (double)all);
    }
}

void sort_progress_bytes(sort_job *job, uint64_t done, uint64_t all)
{
    static const double EVERY = 0.2;
    double now = app_seconds() - job->begin;
    if (!job->show || now < PATIENCE || now - job->shown < EVERY || job->phases == 0) {
        return;
    }
    double spent = now + job->seconds[job->phases - 1]; /* which has the begin, negative */
    job->shown = now;
    fprintf(stderr, "\r\033[Kupsweep sort: %s, %.0f", job->phase[job->phases - 1],
            1e-6 * (double)done);
    if (all >= done && done > 0) {
        fprintf(stderr, " of %.0f MB, %.0f s left", 1e-6 * (double)all,
                spent * (double)(all - done) / (double)done);
    } else {
        fputs(" MB", stderr);
    }
}

void sort_note_report(sort_job *job)
{
    upsweep_report report = UPSWEEP_REPORT_INIT;
    upsweep_last_report(job->u, &report);
    snprintf(job->algorithm, sizeof job->algorithm, "%s", report.algorithm);
    snprintf(job->reason, sizeof job->reason, "%s", report.reason);
}

static void describe_key(const sort_job *job)
{
    static const char *const forms[] = {"the whole number", "sign, exponent and first digits",
                                        "the nearest double"};
    const sort_key *key = &job->order->keys[0];
    const io_number_plan *plan = &job->plans[0];
    static const char *const kinds[] = {
        [SORT_BYTES] = "bytes, seven at a time",
        [SORT_HUMAN] = "sign, unit and number as 64 bits",
        [SORT_MONTH] = "the month",
        [SORT_VERSION] = "bytes made in the order of versions, seven at a time",
        [SORT_RANDOM] = "64 bits of an MD5",
        [SORT_COLLATE] = "the locale's first weights, seven bytes at a time",
    };
    if (job->whole) {
        fprintf(stderr, "key        the line, by its bytes\n");
        return;
    }
    if (job->numbers) {
        fputs(SORT_NUMBER_KEY, stderr);
        return;
    }
    if (job->fields) {
        fprintf(stderr, "key        the field, by its bytes");
    } else if (kinds[key->kind] != NULL) {
        fprintf(stderr, "key        %s", kinds[key->kind]);
    } else {
        fprintf(stderr, "key        %s number as 64 bits: %s",
                key->kind == SORT_PLAIN ? "decimal" : "general", forms[plan->form]);
    }
    fprintf(stderr, "; %zu lines had a key that others had too\n", job->ties);
}

void sort_print_phases(FILE *f, const sort_job *job, bool json)
{
    for (size_t i = 0; i < job->phases; i++) {
        if (json) {
            fprintf(f, "%s\"%s\": %.6f", i == 0 ? "" : ", ", job->phase[i], job->seconds[i]);
        } else {
            fprintf(f, "%s %s %.3f s", i == 0 ? "" : ",", job->phase[i], job->seconds[i]);
        }
    }
}

int sort_check_json(const sort_task *task)
{
    const app_common *common = &task->common;
    bool to_stdout = common->output == NULL || strcmp(common->output, "-") == 0;
    return task->mode != SORT_SORT && common->json
               ? app_fail("--json tells of a sort, not of a check")
           : task->debug && common->json
               ? app_fail("--json and --debug both print to standard output")
           : common->json && to_stdout ? app_fail("--json needs -o FILE for what is sorted")
                                       : APP_OK;
}

static void print_json(const sort_job *job, double all)
{
    printf("{\"lines\": %zu, \"bytes\": %zu, \"written\": %zu, \"beyond_memory\": false, "
           "\"algorithm\": ",
           job->lines.count, job->in.size, job->n);
    app_print_json_text(stdout, job->algorithm);
    printf(", \"reason\": ");
    app_print_json_text(stdout, job->reason);
    printf(", \"threads\": %u, \"seconds\": %.6f, \"phases\": {", job->threads, all);
    sort_print_phases(stdout, job, true);
    puts("}}");
}

void sort_print_stats(sort_job *job)
{
    double all = app_seconds() - job->begin;
    double megabytes = 1e-6 * (double)job->in.size;
    if (job->task->common.json) {
        print_json(job, all);
        return;
    }
    fprintf(stderr, "input      %zu lines, %.1f MB\n", job->lines.count, megabytes);
    if (job->algorithm[0] != '\0') {
        fprintf(stderr, "algorithm  %s, because %s\n", job->algorithm, job->reason);
    }
    describe_key(job);
    fprintf(stderr, "time      ");
    for (size_t i = 0; i < job->phases; i++) {
        fprintf(stderr, " %s %.3f", job->phase[i], job->seconds[i]);
    }
    fprintf(stderr, ", in all %.3f s on %u thread%s\n", all, job->threads,
            job->threads == 1 ? "" : "s");
    if (all > 0) {
        fprintf(stderr, "speed      %.1f MB/s, %.2f million lines a second\n", megabytes / all,
                1e-6 * (double)job->lines.count / all);
    }
}
