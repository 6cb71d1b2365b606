/* program_0_1_0.c - a program of the time of 0.1.0: it sees that version's header only, uses every
 * struct and nearly every call of it (program_0_1_0_calls.c), and is linked with a library of that
 * soname without symbol versions, as 0.1.0's was (test/abi/abi.sh). Run with today's library it
 * must find all as it was. Structs that the library fills lie between bytes that it must not
 * touch, and begin as rubbish. */
/* SPDX-License-Identifier: MIT */
#include "program_0_1_0.h"

int failures;

/* ---- structs that the library fills ---- */

static void reports(upsweep *u)
{
    enum { N = 5000 };
    static uint32_t keys[N];
    GUARDED(upsweep_report) report;
    fill(keys, N);
    OK(upsweep_sort(u, keys, N, UPSWEEP_U32, NULL));
    CHECK(rises(keys, N));
    SPOIL(report);
    upsweep_last_report(u, &report.it);
    CHECK(strncmp(report.it.algorithm, "sort/", 5) == 0 && strlen(report.it.reason) > 5);
    CHECK(strcmp(report.it.device, "cpu") == 0);
    CHECK(report.it.threads == 1 || report.it.threads == 2); /* 20 KB: one pays */
    CHECK(strcmp(report.it.isa, "portable") == 0 || strncmp(report.it.isa, "avx", 3) == 0);
    CHECK(report.it.scratch_bytes < (size_t)1 << 30);
    CHECK_GUARDS(report);

    keys[0] = 9; /* few: a call that leaves its report as facts */
    OK(upsweep_sort(u, keys, 100, UPSWEEP_U32, NULL));
    SPOIL(report);
    upsweep_last_report(u, &report.it);
    CHECK(strstr(report.it.reason, "100 keys") != NULL);
    CHECK_GUARDS(report);

    SPOIL(report);
    OK(upsweep_explain_choice(u, 1 << 20, UPSWEEP_U32, NULL, &report.it));
    CHECK(strstr(report.it.reason, "1048576 keys of 32 bits") != NULL);
    CHECK(report.it.scratch_bytes == 0);
    CHECK_GUARDS(report);
    CHECK(upsweep_explain_choice(u, 1, UPSWEEP_U32, NULL, NULL) == UPSWEEP_ERROR_ARGUMENT);

    SPOIL(report);
    upsweep_last_report(NULL, &report.it);
    CHECK(report.it.algorithm[0] == '\0' && report.it.reason[0] == '\0');
    CHECK_GUARDS(report);
    upsweep_last_report(u, NULL);
}

static void machine(void)
{
    GUARDED(upsweep_machine) machine;
    SPOIL(machine);
    upsweep_describe_machine(&machine.it);
    CHECK(machine.it.cores >= 1 && machine.it.memory_bytes > 1 << 20);
    CHECK(strlen(machine.it.cpu) > 0 && strlen(machine.it.gpu) > 0);
    CHECK(strlen(machine.it.gpu_plugin) > 0 && strlen(machine.it.isa) > 0);
    CHECK(machine.it.gpus < 1000);
    CHECK_GUARDS(machine);
    upsweep_describe_machine(NULL);
}

static void tuning(upsweep *u)
{
    GUARDED(upsweep_tuning) tuning;
    SPOIL(tuning); /* 0.1.0 did not read the size here */
    OK(upsweep_get_tuning(u, &tuning.it));
    CHECK(tuning.it.size == sizeof(upsweep_tuning) && tuning.it.thread_bytes > 0);
    CHECK_GUARDS(tuning);
    tuning.it.thread_bytes = 12345;
    OK(upsweep_set_tuning(u, &tuning.it));
    SPOIL(tuning);
    OK(upsweep_get_tuning(u, &tuning.it));
    CHECK(tuning.it.thread_bytes == 12345 && tuning.it.measured == 0);
    tuning.it.size = 0;
    OK(upsweep_set_tuning(u, &tuning.it));
    char path[64];
    (void)upsweep_tuning_path(path, sizeof path);
}

static void film(void)
{
    upsweep *gpu;
    upsweep_film *made;
    GUARDED(upsweep_picture) picture;
    SPOIL(picture);
    CHECK(upsweep_film_at(NULL, 0, &picture.it) == UPSWEEP_ERROR_ARGUMENT);
    CHECK(is_rubbish((unsigned char *)&picture, sizeof picture));
    if (upsweep_open(&gpu, "cuda", NULL) != UPSWEEP_OK) {
        printf("no GPU: the pictures of films are left out\n");
        return;
    }
    uint32_t values[200], sum = 0;
    size_t count = 0;
    fill(values, 200);
    OK(upsweep_film_open(gpu, values, 200, UPSWEEP_U32, 1 << 20, &made));
    OK(upsweep_sort(gpu, upsweep_film_array(made), 200, UPSWEEP_U32, NULL));
    OK(upsweep_film_count(made, &count));
    CHECK(count >= 2);
    OK(upsweep_film_at(made, 0, &picture.it));
    CHECK(strcmp(picture.it.kernel, "start") == 0 && picture.it.number == 0);
    SPOIL(picture);
    OK(upsweep_film_at(made, count - 1, &picture.it));
    CHECK(picture.it.number >= 1 && picture.it.changed > 0 && picture.it.changed <= 200);
    CHECK_GUARDS(picture);
    OK(upsweep_film_read(made, count - 1, values));
    CHECK(rises(values, 200));
    CHECK(upsweep_film_bytes_read(made) == sizeof values);
    OK(upsweep_reduce(gpu, values, 200, UPSWEEP_U32, UPSWEEP_LEAST, &sum, NULL));
    CHECK(sum == values[0]);
    upsweep_film_close(made);
    upsweep_close(gpu);
}

/* ---- the rest ---- */

static int count_events(void *context, const upsweep_event *event)
{
    *(uint64_t *)context += event->kind == UPSWEEP_EVENT_SWAP;
    return 0;
}

static void names(void)
{
    uint32_t values[] = {3, 2, 1}, result[3];
    uint64_t swaps = 0;
    const upsweep_algorithm *a = upsweep_find("sort/oddeven");
    CHECK(a != NULL && upsweep_algorithm_count() > 5 && upsweep_algorithm_at(0) != NULL);
    CHECK(a != NULL && strcmp(a->operation, "sort") == 0 && (a->claims & UPSWEEP_CLAIM_STABLE));
    CHECK(a != NULL && strlen(a->text) > 10 && (upsweep_forms(a) & UPSWEEP_FORM_EXPLAINED));
    CHECK(a != NULL && upsweep_rounds(a, 3) == 3 && upsweep_work(a, 3) > 0);
    OK(upsweep_trace("sort/oddeven", values, 3, result, count_events, &swaps));
    CHECK(swaps == 3 && result[0] == 1);
    CHECK(strcmp(upsweep_status_name(UPSWEEP_OK), "ok") == 0);
    CHECK(upsweep_type_bytes(UPSWEEP_F64) == 8 && upsweep_type_from_name("u8") == UPSWEEP_U8);
    CHECK(strcmp(upsweep_type_name(UPSWEEP_BF16), "bf16") == 0);
}

static void *allocate(void *context, size_t bytes, size_t alignment)
{
    *(size_t *)context += 1;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void release(void *context, void *pointer, size_t bytes)
{
    (void)bytes;
    *(size_t *)context -= 1;
    free(pointer);
}

int main(void)
{
    size_t held = 0;
    upsweep *u;
    const char *why = "";
    upsweep_config config = {sizeof config, 2, (size_t)64 << 20, allocate, release, &held};
    for (int i = 0; i < 2; i++) {
        if (upsweep_open_why(&u, "cpu", &config, &why) != UPSWEEP_OK) {
            printf("no handle: %s\n", why);
            return 1;
        }
        reports(u);
        tuning(u);
        call_sorts(u);
        call_records(u);
        call_folds(u);
        call_moves(u);
        call_graphs(u);
        OK(upsweep_reserve(u, 1 << 20));
        OK(upsweep_wait(u));
        OK(upsweep_set_stream(u, NULL));
        upsweep_trim(u);
        upsweep_close(u);
        CHECK(held == 0);
        config.size = 0;
    }
    machine();
    film();
    names();
    printf("a program of %s with the library of %s: %s\n", UPSWEEP_VERSION_TEXT, upsweep_version(),
           failures == 0 ? "all as it was" : "failures");
    return failures != 0;
}
