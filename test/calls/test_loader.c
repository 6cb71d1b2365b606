/* test_loader.c - a call on arrays of the host asks the loader for CUDA's driver only where the
 * process has loaded a library since: the loader takes longer to say no than the call takes. */
/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <string.h>

#include "upsweep.h"

#if defined(__has_feature)
#define SANITIZED                                                                                  \
    (__has_feature(address_sanitizer) || __has_feature(memory_sanitizer) ||                        \
     __has_feature(thread_sanitizer))
#else
#define SANITIZED 0
#endif

enum { N = 8192 };
static uint64_t in[N], out[N];

#if !SANITIZED /* these have a dlopen of their own */
static unsigned asked;

void *dlopen(const char *name, int flags)
{
    static void *(*real)(const char *, int);
    if (real == NULL) {
        void *found = dlsym(RTLD_NEXT, "dlopen");
        memcpy(&real, &found, sizeof real);
    }
    asked += name != NULL && strstr(name, "libcuda") != NULL;
    return real(name, flags);
}

static void scan(upsweep *u, unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        assert_int_equal(upsweep_scan(u, in, out, N, UPSWEEP_U64, UPSWEEP_SUM, NULL), UPSWEEP_OK);
    }
}

static void asks_once(void **state)
{
    upsweep *u, *other;
    (void)state;
    assert_int_equal(upsweep_open(&u, NULL, NULL), UPSWEEP_OK);
    scan(u, 20);
    const unsigned first = asked;
    assert_in_range(first, 1, 2);
    assert_int_equal(upsweep_open(&other, "auto", NULL), UPSWEEP_OK);
    scan(other, 20);
    assert_int_equal(asked, first + 2); /* as it was opened, and by its first call */
    void *library = dlopen("libresolv.so.2", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        skip();
    }
    scan(u, 20);
    assert_int_equal(asked, first + 3);
    dlclose(library);
    upsweep_close(other);
    upsweep_close(u);
}
#else
static void asks_once(void **state)
{
    (void)state;
    skip();
}
#endif

int main(void)
{
    for (size_t i = 0; i < N; i++) {
        in[i] = i;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(asks_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
