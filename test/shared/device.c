/* device.c - see device.h. */
/* SPDX-License-Identifier: MIT */
#include "test/shared/device.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/frame.h"
#include "test/shared/handles.h"
#include "core/plugin.h"

enum { EDGE = 256, TAKEN_MAX = 64, FILL = 0x5b };

static upsweep *handle;
static struct taken {
    unsigned char *at;
    size_t bytes, offset, edge;
} taken[TAKEN_MAX];
static unsigned taken_count;
/* Under a sanitizer arrays are allocations of their own, so that it sees a step outside. */
static int (*allocate)(void **, size_t);
static int (*release)(void *);

static void must(upsweep_status status, const char *what)
{
    if (status != UPSWEEP_OK) {
        fprintf(stderr, "device memory for tests: %s: %s\n", what,
                handle->plugin->error(handle->gpu));
        exit(1);
    }
}

static void settle(void)
{
    usw_gpu_fault_found fault;
    must(handle->plugin->wait(handle->gpu, &fault), "wait");
}

bool device_start(size_t bytes, const char **why)
{
    if (upsweep_open_why(&handle, "cuda", NULL, why) != UPSWEEP_OK) {
        return false;
    }
    if (test_small() && !device_is_emulated()) {
        void *malloc_symbol = device_symbol("cudaMalloc"), *free_symbol = device_symbol("cudaFree");
        memcpy(&allocate, &malloc_symbol, sizeof allocate);
        memcpy(&release, &free_symbol, sizeof release);
    }
    must(handle->plugin->reserve(handle->gpu, bytes), "reserve");
    handle->plugin->begin(handle->gpu, false);
    return true;
}

void device_end(void)
{
    device_reset();
    upsweep_close(handle);
    handle = NULL;
}

upsweep *cpu, *gpu;

int device_group_start(size_t bytes)
{
    enum { SKIPPED = 77 };
    const char *why;
    if (!device_start(bytes, &why)) {
        printf("no GPU to test with: %s\n", why);
        exit(SKIPPED);
    }
    bool open = upsweep_open(&cpu, "cpu", NULL) == UPSWEEP_OK &&
                upsweep_open(&gpu, "cuda", NULL) == UPSWEEP_OK;
    return open ? 0 : 1;
}

int device_group_end(void **state)
{
    (void)state;
    upsweep_close(cpu);
    upsweep_close(gpu);
    device_end();
    return 0;
}

bool device_is_emulated(void)
{
    return strstr(handle->plugin->name, "emulated") != NULL;
}

void *device_take(size_t bytes, size_t offset)
{
    bool alone = allocate != NULL && release != NULL;
    size_t edge = alone ? 0 : EDGE, all = 2 * edge + offset + bytes;
    void *at = NULL;
    if (!alone) {
        at = handle->plugin->scratch(handle->gpu, all);
    } else if (allocate(&at, all + (bytes == 0)) != 0) {
        at = NULL;
    }
    if (at == NULL || taken_count == TAKEN_MAX) {
        must(UPSWEEP_ERROR_MEMORY, "memory for an array");
    }
    must(handle->plugin->fill(handle->gpu, at, FILL, all), "fill");
    taken[taken_count++] = (struct taken){at, bytes, offset, edge};
    settle();
    return (unsigned char *)at + edge + offset;
}

static bool filled(const unsigned char *at, size_t bytes)
{
    unsigned char here[2 * EDGE];
    device_get(here, at, bytes);
    for (size_t i = 0; i < bytes; i++) {
        if (here[i] != FILL) {
            return false;
        }
    }
    return true;
}

bool device_intact(void)
{
    for (unsigned i = 0; i < taken_count; i++) {
        const struct taken *t = &taken[i];
        if (t->edge != 0 &&
            (!filled(t->at, EDGE) || !filled(t->at + EDGE + t->offset + t->bytes, EDGE))) {
            return false;
        }
    }
    return true;
}

void device_reset(void)
{
    for (unsigned i = 0; i < taken_count; i++) {
        if (taken[i].edge == 0) {
            (void)release(taken[i].at);
        }
    }
    taken_count = 0;
    handle->plugin->end(handle->gpu);
    handle->plugin->begin(handle->gpu, false);
}

void device_trim(void)
{
    handle->plugin->end(handle->gpu);
    upsweep_trim(handle);
    handle->plugin->begin(handle->gpu, false);
}

void device_put(void *to, const void *from, size_t bytes)
{
    must(handle->plugin->upload(handle->gpu, to, from, bytes), "upload");
    settle();
}

void device_get(void *to, const void *from, size_t bytes)
{
    must(handle->plugin->download(handle->gpu, to, from, bytes), "download");
}

void device_copy(void *to, const void *from, size_t bytes)
{
    must(handle->plugin->copy(handle->gpu, to, from, bytes), "copy");
    settle();
}

void device_check_split(const void *in, const uint8_t *by, void *want, void *got, size_t n,
                        size_t bytes)
{
    size_t zeros = 0, kept = 0, found = 0;
    assert_int_equal(upsweep_split(cpu, in, by, want, n, bytes, &zeros, NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_split(gpu, in, by, got, n, bytes, &found, NULL), UPSWEEP_OK);
    assert_int_equal(found, zeros);
    assert_memory_equal(got, want, n * bytes);
    assert_int_equal(upsweep_compact(cpu, in, by, want, n, bytes, &kept, NULL), UPSWEEP_OK);
    assert_int_equal(upsweep_compact(gpu, in, by, got, n, bytes, &found, NULL), UPSWEEP_OK);
    assert_int_equal(found, kept);
    assert_memory_equal(got, want, kept * bytes);
    memcpy(got, in, n * bytes);
    assert_int_equal(upsweep_compact(gpu, got, by, got, n, bytes, &found, NULL), UPSWEEP_OK);
    assert_int_equal(found, kept);
    assert_memory_equal(got, want, kept * bytes);
}

void *device_symbol(const char *name)
{
    static const char *const names[] = {"libcudart.so", "libcudart.so.13", "libcudart.so.12",
                                        "/usr/local/cuda/lib64/libcudart.so"};
    if (device_is_emulated()) {
        void *plugin = dlopen(getenv("UPSWEEP_CUDA_PLUGIN"), RTLD_NOW | RTLD_LOCAL);
        void *find = plugin == NULL ? NULL : dlsym(plugin, "emulated_symbol");
        void *(*symbol)(const char *) = NULL;
        memcpy(&symbol, &find, sizeof find);
        return symbol == NULL ? NULL : symbol(name);
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        void *symbol = library == NULL ? NULL : dlsym(library, name);
        if (symbol != NULL) {
            return symbol;
        }
    }
    return NULL;
}
