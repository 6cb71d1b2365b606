/* handles.c - calls about the handle, the machine and names, and films of what a GPU does. */
/* SPDX-License-Identifier: MIT */
#include "test/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "test/shared/handles.h"

/* One of several small things, all of which must hold. */
static void expect(fuzz *f, bool holds, const char *what)
{
    f->calls++;
    if (!holds) {
        fuzz_wrong(f, "%s", what);
    }
    f->succeeded = f->wrong[0] == '\0';
}

/* ---- names ---- */

static void run_names(fuzz *f)
{
    static const unsigned char sizes[] = {0, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8};
    int type = (int)fuzz_draw(f, 20) - 3;
    size_t bytes = type >= 1 && type <= 12 ? sizes[type] : 0;
    const char *name = upsweep_type_name((upsweep_type)type);
    expect(f, upsweep_type_bytes((upsweep_type)type) == bytes, "a type has other bytes");
    expect(f, (name != NULL) == (bytes != 0), "a type has no name, or none has one");
    expect(f, name == NULL || (int)upsweep_type_from_name(name) == type,
           "a name is another type's");
    expect(f, upsweep_type_from_name("u31") == 0 && upsweep_type_from_name(NULL) == 0,
           "u31 is a type");
    const char *status = upsweep_status_name((upsweep_status)(fuzz_draw(f, 20) - 4));
    expect(f, status != NULL && strlen(status) > 1, "a status has no name");
    expect(f, strcmp(upsweep_version(), UPSWEEP_VERSION_TEXT) == 0, "the version is another");
    expect(f, upsweep_version_number() == UPSWEEP_VERSION, "the version has another number");
    int number = (int)fuzz_draw(f, 10) - 1; /* SUM is 0, and in version 0.1 it was 1 */
    upsweep_op op = (upsweep_op)(number + (fuzz_chance(f, 2) ? (int)UPSWEEP_SUM : 1));
    upsweep_type out = upsweep_reduce_type((upsweep_type)type, op);
    bool bits = number >= UPSWEEP_AND - UPSWEEP_SUM;
    bool defined = bytes != 0 && number >= 0 && number <= UPSWEEP_XOR - UPSWEEP_SUM &&
                   !(bits && fuzz_is_float((upsweep_type)type));
    expect(f, (out != 0) == defined, "an operator is defined, or not, for a type");
}

static void run_algorithms(fuzz *f)
{
    size_t count = upsweep_algorithm_count(), i = (size_t)fuzz_draw(f, count + 4);
    const upsweep_algorithm *a = upsweep_algorithm_at(i);
    expect(f, (a != NULL) == (i < count), "there are more or fewer algorithms");
    expect(f, upsweep_find("sort/none") == NULL && upsweep_find("") == NULL, "none is found");
    if (a != NULL) {
        size_t n = fuzz_length(f, 1) % 2000;
        expect(f, upsweep_find(a->name) == a, "another algorithm is found");
        expect(f, (upsweep_forms(a) & UPSWEEP_FORM_EXPLAINED) != 0, "it has no explained form");
        expect(f, upsweep_work(a, n) <= upsweep_work(a, n + 1), "more elements are less work");
        expect(f, upsweep_rounds(a, n) <= upsweep_rounds(a, n + 1), "more elements, fewer rounds");
        expect(f, strchr(a->name, '/') != NULL && strlen(a->text) > 100, "it is not described");
    }
}

/* ---- the handle ---- */

static void run_open(fuzz *f)
{
    upsweep *u = f->u;
    const char *why = NULL;
    upsweep_config config = {.threads = 1 + (unsigned)fuzz_draw(f, 3)};
    config.allocate = fuzz_chance(f, 3) ? fuzz_allocate : NULL; /* without its other half */
    const char *device = fuzz_chance(f, 3) ? "gpu" : "cpu";
    upsweep_status want =
        config.allocate != NULL || device[0] == 'g' ? UPSWEEP_ERROR_ARGUMENT : UPSWEEP_OK;
    upsweep_status got = upsweep_open_why(&u, device, &config, &why);
    expect(f, got == UPSWEEP_OK || strlen(why) > 8, "it is not said why a handle cannot be opened");
    expect(f, (u != NULL) == (got == UPSWEEP_OK), "there is a handle, or none");
    expect(f, (got == UPSWEEP_OK) == (want == UPSWEEP_OK), "a handle can be opened, or not");
    upsweep_close(u);
    expect(f, upsweep_open(NULL, NULL, NULL) == UPSWEEP_ERROR_ARGUMENT, "no handle was opened");
    expect(f, upsweep_open(&u, "cpu", NULL) == UPSWEEP_OK && u != NULL, "no handle on the CPU");
    upsweep_close(u);
    upsweep_close(NULL);
}

static void run_reserve(fuzz *f)
{
    size_t bytes = (size_t)fuzz_magnitude(f, 0, 1 << 22);
    fuzz_detail(f, ", %zu bytes", bytes);
    if (fuzz_settle(f, upsweep_reserve(f->u, bytes)) && f->limit != 0 && bytes > f->limit) {
        fuzz_wrong(f, "more is reserved than the limit allows");
    }
    upsweep_trim(f->u);
    upsweep_trim(NULL);
}

/* The sentence on a call that fails, whole and as much of it as fits. */
static void run_error(fuzz *f)
{
    char text[512], part[64];
    size_t room = (size_t)fuzz_draw(f, sizeof part);
    expect(f, upsweep_sort(f->u, text, 1, (upsweep_type)99, NULL) == UPSWEEP_ERROR_ARGUMENT,
           "there is a type 99");
    memset(part, 'x', sizeof part);
    size_t length = upsweep_last_error(f->u, text, sizeof text);
    expect(f, strcmp(text, upsweep_error(f->u)) == 0 && strlen(text) == length && length > 8,
           "the thread's failure is another than the handle's");
    expect(f, upsweep_last_error(f->u, part, room) == length, "the sentence has another length");
    size_t fits = room == 0 ? 0 : length < room ? length : room - 1;
    expect(f,
           memcmp(part, text, fits) == 0 && (room == 0 || part[fits] == '\0') && part[room] == 'x',
           "of the sentence not as much is given as fits");
}

static void run_wait(fuzz *f)
{
    int any = 0;
    expect(f, upsweep_wait(f->u) == UPSWEEP_OK, "waiting failed");
    expect(f, upsweep_wait(NULL) == UPSWEEP_ERROR_ARGUMENT, "no handle was waited for");
    expect(f, upsweep_set_stream(f->u, NULL) == UPSWEEP_OK, "the handle has no stream of its own");
    if (!f->device) {
        expect(f, upsweep_set_stream(f->u, &any) == UPSWEEP_ERROR_UNSUPPORTED,
               "a CPU has a stream");
        expect(f, strlen(upsweep_error(f->u)) > 8, "it is not said why a CPU has no stream");
    }
}

static void run_tuning(fuzz *f)
{
    char path[64], whole[4096];
    upsweep_tuning before = {0}, after = {0};
    expect(f, upsweep_get_tuning(f->u, &before) == UPSWEEP_OK, "there is no tuning");
    upsweep_tuning set = before;
    set.thread_bytes = (size_t)fuzz_random(f);
    set.digit_keys[fuzz_draw(f, 2)] = (size_t)fuzz_random(f);
    expect(f, upsweep_set_tuning(f->u, &set) == UPSWEEP_OK, "the tuning cannot be set");
    expect(f, upsweep_get_tuning(f->u, &after) == UPSWEEP_OK, "there is no tuning");
    expect(f,
           after.thread_bytes == set.thread_bytes && after.digit_keys[0] == set.digit_keys[0] &&
               after.digit_keys[1] == set.digit_keys[1],
           "the tuning is another");
    expect(f, upsweep_set_tuning(f->u, NULL) == UPSWEEP_ERROR_ARGUMENT, "no tuning was set");
    upsweep_set_tuning(f->u, &before);
    size_t length = upsweep_tuning_path(whole, sizeof whole), room = fuzz_draw(f, sizeof path);
    memset(path, 'x', sizeof path);
    expect(f, upsweep_tuning_path(path, room) == length, "the path has another length");
    expect(f, length >= sizeof whole || strlen(whole) == length, "the path is not so long");
    size_t fits = room == 0 ? 0 : length < room ? length : room - 1;
    expect(f,
           memcmp(path, whole, fits) == 0 && (room == 0 || path[fits] == '\0') &&
               (room == sizeof path || path[room] == 'x'),
           "of the path not as much is given as fits");
}

static void run_machine(fuzz *f)
{
    static bool seen; /* looking for GPUs takes long: once a process */
    upsweep_report r = UPSWEEP_REPORT_INIT;
    upsweep_last_report(NULL, &r);
    expect(f, r.algorithm[0] == '\0' && r.threads == 0, "no handle has a report");
    upsweep_last_report(f->u, NULL);
    if (!seen) {
        upsweep_machine m = UPSWEEP_MACHINE_INIT;
        seen = true;
        upsweep_describe_machine(&m);
        expect(f, m.cpu[0] != '\0' && m.cores > 0 && m.memory_bytes > 0 && m.gpu[0] != '\0',
               "the machine is not described");
    }
    expect(f, strlen(upsweep_error(NULL)) > 8, "there is no sentence on no handle");
}

/* ---- films ---- */

static void watch_film(fuzz *f, upsweep_film *film, size_t bytes)
{
    size_t n = f->n, count = 0;
    unsigned char *pictures = malloc(n * bytes + 1), cells[4 * 5 * 2];
    upsweep_picture picture = UPSWEEP_PICTURE_INIT;
    upsweep_sort(f->u, upsweep_film_array(film), n, f->type, NULL);
    expect(f, upsweep_film_count(film, &count) == UPSWEEP_OK && count >= 1, "there is no picture");
    expect(f, upsweep_film_at(film, count - 1, &picture) == UPSWEEP_OK, "the last is not there");
    expect(f,
           upsweep_film_read(film, 0, pictures) == UPSWEEP_OK &&
               memcmp(pictures, f->array[0].at, n * bytes) == 0,
           "the first picture is not the array as it was");
    expect(f, upsweep_film_read(film, count - 1, pictures) == UPSWEEP_OK, "it cannot be read");
    fuzz_sort_plainly(f->type, 0, f->array[0].at, n);
    expect(f, memcmp(pictures, f->array[0].at, n * bytes) == 0, "the last picture is not sorted");
    memcpy(f->array[0].at, f->array[0].before, n * bytes);
    expect(f, upsweep_film_cells(film, 0, 0, 1, 4, 5, cells) == UPSWEEP_OK, "there are no cells");
    expect(f, upsweep_film_bytes_read(film) >= 2 * n * bytes, "fewer bytes were read");
    free(pictures);
}

static void run_film(fuzz *f)
{
    upsweep_film *film = NULL;
    size_t n = 1 + fuzz_length(f, 1) % 3000;
    f->n = n < f->most ? n : f->most;
    f->type = (upsweep_type)(1 + fuzz_draw(f, 12));
    if (f->type == UPSWEEP_F16 || f->type == UPSWEEP_BF16) { /* there are no films of them */
        f->type = UPSWEEP_F32;
    }
    size_t bytes = upsweep_type_bytes(f->type);
    fuzz_fill(f, f->type, fuzz_array_new(f, FUZZ_INPUT, f->n, bytes, bytes), f->n);
    fuzz_arrays_ready(f);
    upsweep_film_close(NULL);
    expect(f, upsweep_film_array(NULL) == NULL, "no film has an array");
    upsweep_status status =
        upsweep_film_open(f->u, f->array[0].at, f->n, f->type, (size_t)1 << 20, &film);
    if (!f->device) {
        expect(f, status != UPSWEEP_OK && film == NULL, "there is a film of a CPU");
        return;
    }
    expect(f, status == UPSWEEP_OK && film != NULL, upsweep_error(f->u));
    if (film != NULL) {
        watch_film(f, film, bytes);
        upsweep_film_close(film);
    }
}

const fuzz_call fuzz_handles[] = {
    {"upsweep_type_name", 1, run_names, true},   {"upsweep_algorithm_at", 1, run_algorithms, true},
    {"upsweep_open", 1, run_open, true},         {"upsweep_reserve", 2, run_reserve, true},
    {"upsweep_last_error", 1, run_error, true},  {"upsweep_wait", 1, run_wait, true},
    {"upsweep_set_tuning", 1, run_tuning, true}, {"upsweep_last_report", 1, run_machine, true},
    {"upsweep_film_open", 1, run_film, true},    {0},
};
