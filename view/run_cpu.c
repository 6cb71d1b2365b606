/* run_cpu.c - pictures of an array while the CPU works on it, taken by a handler of page faults.
 *
 * A page that is locked stops the thread that writes to it. The handler unlocks it and counts;
 * after a sixteenth of the pages it copies the array and locks all of it again. Threads that write
 * to pages unlocked before go on meanwhile, so a picture is what memory holds while it is being
 * copied, as any look at a running machine is. When there is no room for more, every second picture
 * is let go. mmap, mprotect and memcpy are all that the handler calls. */
/* SPDX-License-Identifier: MIT */
#include "view/run.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* One film at a time: a handler of signals has no other way to its data. */
static struct {
    unsigned char *array;
    size_t bytes, page, pages, touched, epoch, epochs, stride;
    unsigned char *open; /* pages that are unlocked */
    unsigned char *pictures;
    size_t *order; /* slots, in the order of the pictures */
    size_t count, most;
    atomic_flag busy;
    struct sigaction before;
} film = {.busy = ATOMIC_FLAG_INIT};

/* The slots of every second picture go behind those that are kept. */
static void thin_out(void)
{
    size_t kept = 0;
    for (size_t i = 0; i < film.count; i += 2) {
        size_t slot = film.order[i];
        film.order[i] = film.order[kept];
        film.order[kept++] = slot;
    }
    film.count = kept;
    film.stride *= 2;
}

static void take_picture(void)
{
    film.epochs++;
    if (film.count == film.most) {
        thin_out();
    }
    if (film.epochs % film.stride == 0) {
        memcpy(film.pictures + film.order[film.count] * film.bytes, film.array, film.bytes);
        film.count++;
    }
    memset(film.open, 0, film.pages);
    film.touched = 0;
    mprotect(film.array, film.pages * film.page, PROT_READ);
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    size_t at = (size_t)((unsigned char *)info->si_addr - film.array), page = at / film.page;
    if ((unsigned char *)info->si_addr < film.array || page >= film.pages) {
        sigaction(number, &film.before,
                  NULL); /* a fault of another kind: as if we were not there */
        return;
    }
    (void)context;
    while (atomic_flag_test_and_set_explicit(&film.busy, memory_order_acquire)) {
    }
    if (!film.open[page]) {
        if (film.touched == film.epoch) {
            take_picture();
        }
        film.touched++;
        film.open[page] = 1;
        mprotect(film.array + page * film.page, film.page, PROT_READ | PROT_WRITE);
    }
    atomic_flag_clear_explicit(&film.busy, memory_order_release);
}

static bool take_memory(view_run *r)
{
    enum { MEMORY = 1 << 29, MOST = 240, LEAST = 8 };
    film.bytes = r->n * r->bytes;
    film.page = (size_t)sysconf(_SC_PAGESIZE);
    film.pages = (film.bytes + film.page - 1) / film.page;
    film.most = MEMORY / film.bytes < MOST ? MEMORY / film.bytes : MOST;
    film.most = film.most < LEAST ? LEAST : film.most;
    film.epoch = film.pages / 16 + 2; /* a store across two pages needs both open at once */
    film.touched = film.epochs = 0;
    film.stride = 1;
    film.count = 0;
    void *array = mmap(NULL, film.pages * film.page, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    film.array = array == MAP_FAILED ? NULL : array;
    film.open = calloc(film.pages, 1);
    r->pictures = malloc(film.most * film.bytes);
    r->order = malloc(film.most * sizeof *r->order);
    film.pictures = r->pictures;
    film.order = r->order;
    for (size_t k = 0; r->order != NULL && k < film.most; k++) {
        r->order[k] = k;
    }
    return film.array != NULL && film.open != NULL && r->pictures != NULL && r->order != NULL;
}

static void end_film(view_run *r)
{
    const unsigned char *last = film.pictures + film.order[film.count - 1] * film.bytes;
    if (memcmp(last, film.array, film.bytes) != 0) {
        if (film.count == film.most) {
            thin_out();
        }
        memcpy(film.pictures + film.order[film.count++] * film.bytes, film.array, film.bytes);
    }
    /* Pages were written to that hold what they held: no picture of its own. */
    for (size_t i = 0; i < film.count; i++) {
        const unsigned char *now = film.pictures + film.order[i] * film.bytes;
        if (r->count > 0 &&
            memcmp(now, film.pictures + film.order[r->count - 1] * film.bytes, film.bytes) == 0) {
            continue;
        }
        film.order[r->count++] = film.order[i];
    }
}

bool view_run_film_cpu(view_run *r, upsweep *u, io_error *error)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    bool ok = take_memory(r);
    if (ok) {
        memcpy(film.array, r->numbers, film.bytes);
        memcpy(film.pictures, film.array, film.bytes);
        film.count = 1;
        sigemptyset(&action.sa_mask);
        sigaction(SIGSEGV, &action, &film.before);
        mprotect(film.array, film.pages * film.page, PROT_READ);
        upsweep_status status = view_run_call(r, u, film.array);
        sigaction(SIGSEGV, &film.before, NULL);
        mprotect(film.array, film.pages * film.page, PROT_READ | PROT_WRITE);
        ok = status == UPSWEEP_OK || io_because(error, "%s", upsweep_error(u));
        end_film(r);
    } else {
        io_because(error, "no memory for pictures of %zu elements", r->n);
    }
    if (film.array != NULL) {
        munmap(film.array, film.pages * film.page);
    }
    free(film.open);
    return ok;
}
