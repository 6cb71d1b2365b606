/* say.c - how the program speaks: one sentence on an error, a paragraph of statistics, JSON texts.
 */
/* SPDX-License-Identifier: MIT */
#include "app/app.h"

#include "io/memory.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

static const char *verb_now = "";
static char command_now[64] = "upsweep";
static bool tool_now;

void app_set_verb(const char *name)
{
    verb_now = name;
    snprintf(command_now, sizeof command_now, "upsweep %s", name);
}
void app_set_tool(const char *name)
{
    verb_now = name;
    tool_now = true;
    snprintf(command_now, sizeof command_now, "%s", name);
}
bool app_is_tool(void)
{
    return tool_now;
}
const char *app_command(void)
{
    return command_now;
}
const char *app_verb_name(void)
{
    return verb_now;
}

int app_fail(const char *format, ...)
{
    fflush(stdout);
    fprintf(stderr, "%s: ", command_now);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return APP_ERROR;
}

int app_open(const app_common *common, upsweep **u)
{
    upsweep_config config = {0};
    config.size = sizeof config;
    config.threads = common->threads > 4096 ? 4096 : (unsigned)common->threads;
    /* Of a GPU the limit would be on its own memory, which no control group knows. */
    size_t room = common->device == NULL || strncmp(common->device, "cuda", 4) != 0
                      ? io_memory_room()
                      : SIZE_MAX;
    config.scratch_limit = room == SIZE_MAX ? 0 : room > 0 ? room : 1;
    const char *why = NULL;
    upsweep_status status = upsweep_open_why(u, common->device, &config, &why);
    if (status != UPSWEEP_OK) {
        return app_fail("%s", why != NULL ? why : upsweep_status_name(status));
    }
    return APP_OK;
}

int app_fail_call(const upsweep *u)
{
    return app_fail("%s", upsweep_error(u));
}

double app_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void app_print_report(const upsweep *u, size_t n, const char *what, size_t bytes, double seconds)
{
    upsweep_report report = UPSWEEP_REPORT_INIT;
    upsweep_last_report(u, &report);
    fprintf(stderr, "%zu %s", n, what);
    if (bytes != 0) {
        fprintf(stderr, ", %.1f MB", 1e-6 * (double)bytes);
    }
    fprintf(stderr, ", in %.3f s", seconds);
    if (seconds > 0) {
        fprintf(stderr, " = %.1f million a second", 1e-6 * (double)n / seconds);
    }
    if (report.algorithm != NULL && *report.algorithm != '\0') {
        fprintf(stderr, "\nalgorithm  %s", report.algorithm);
        if (report.reason[0] != '\0') {
            fprintf(stderr, ", because %s", report.reason);
        }
    }
    fprintf(stderr, "\nmachine    %s, %s, threads offered: %u, scratch %.1f MB\n", report.device,
            report.isa, report.threads, 1e-6 * (double)report.scratch_bytes);
}

int app_finish_stdout(void)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        int error = errno;
        return app_fail("%s: %s", tool_now ? "write error" : "standard output",
                        error != 0 ? strerror(error) : "write failed");
    }
    return APP_OK;
}

void app_print_json_text(FILE *f, const char *text)
{
    fputc('"', f);
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0'; p++) {
        if (*p == '"' || *p == '\\') {
            fprintf(f, "\\%c", *p);
        } else if (*p == '\n') {
            fputs("\\n", f);
        } else if (*p < 0x20) {
            fprintf(f, "\\u%04x", *p);
        } else {
            fputc(*p, f);
        }
    }
    fputc('"', f);
}
