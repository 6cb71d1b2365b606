/* handles.c - opens handles for tests. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/handles.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const isa_names[ISAS] = {"portable", "avx2", "avx512"};

bool test_small(void)
{
    return getenv("UPSWEEP_TEST_SMALL") != NULL;
}

bool test_thorough(void)
{
    return getenv("UPSWEEP_TEST_LONG") != NULL;
}

bool test_in_share(size_t i)
{
    const char *share = getenv("UPSWEEP_TEST_SHARE");
    size_t number = 0, of = 1;
    return share == NULL || sscanf(share, "%zu/%zu", &number, &of) != 2 || of == 0 ||
           i % of == number;
}

void handle_share_early(upsweep *u)
{
    upsweep_tuning tuning = UPSWEEP_TUNING_INIT;
    if (upsweep_get_tuning(u, &tuning) != UPSWEEP_OK) {
        exit(1);
    }
    tuning.thread_bytes = 256 << 10;
    if (upsweep_set_tuning(u, &tuning) != UPSWEEP_OK) {
        exit(1);
    }
}

upsweep *handle_open(unsigned isa, unsigned threads)
{
    static bool told[ISAS];
    upsweep_config config = {.size = sizeof config, .threads = threads};
    upsweep *u = NULL;
    setenv("UPSWEEP_ISA", isa_names[isa], 1);
    upsweep_status status = upsweep_open(&u, "cpu", &config);
    unsetenv("UPSWEEP_ISA");
    if (status != UPSWEEP_OK) {
        fprintf(stderr, "upsweep_open failed: %s\n", upsweep_status_name(status));
        exit(1);
    }
    handle_share_early(u);
    upsweep_report report = UPSWEEP_REPORT_INIT;
    upsweep_last_report(u, &report);
    if (strcmp(report.isa, isa_names[isa]) == 0) {
        return u;
    }
    if (!told[isa]) {
        printf("this machine has no %s: its forms are not tested here\n", isa_names[isa]);
        told[isa] = true;
    }
    upsweep_close(u);
    return NULL;
}

/* In front of each block, in a page of its own, stands what it was asked for. */
typedef struct front {
    size_t bytes, before; /* of the block, and of what stands in front of it */
    pthread_t owner;
    uint64_t mark;
} front;
static const uint64_t mark = UINT64_C(0x7570737765657021);

static void *allocate(void *context, size_t bytes, size_t alignment)
{
    books *b = context;
    b->calls++;
    b->strangers += alignment == 0 || (alignment & (alignment - 1)) != 0;
    if (b->fail_at != 0 && (b->fail_after ? b->calls >= b->fail_at : b->calls == b->fail_at)) {
        return NULL;
    }
    size_t before = alignment < sizeof(front) ? 64 : alignment;
    void *at;
    if (posix_memalign(&at, before, bytes + before) != 0) {
        return NULL;
    }
    unsigned char *block = (unsigned char *)at + before;
    front f = {bytes, before, pthread_self(), mark};
    memcpy(block - sizeof f, &f, sizeof f);
    b->held += bytes;
    b->peak = b->held > b->peak ? b->held : b->peak;
    b->live++;
    memset(block, 0xdd, bytes < 4096 ? bytes : 4096); /* scratch is undefined: make it look so */
    return block;
}

static void release(void *context, void *pointer, size_t bytes)
{
    books *b = context;
    front f;
    memcpy(&f, (unsigned char *)pointer - sizeof f, sizeof f);
    b->strangers += f.mark != mark || f.bytes != bytes || !pthread_equal(f.owner, pthread_self());
    b->held -= f.bytes;
    b->live--;
    free((unsigned char *)pointer - f.before);
}

upsweep_status handle_open_with_books(upsweep **u, books *b, unsigned threads, size_t limit)
{
    upsweep_config config = {.size = sizeof config,
                             .threads = threads,
                             .scratch_limit = limit,
                             .allocate = allocate,
                             .release = release,
                             .context = b};
    return upsweep_open(u, "cpu", &config);
}
