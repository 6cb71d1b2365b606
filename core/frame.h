/* frame.h - what every room of the library sees: the handle, scratch, threads, and how a public
 * call begins, fails and ends. */
#ifndef USW_FRAME_H
#define USW_FRAME_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "routes.h"
#include "upsweep.h"

/* Instruction sets, best last. An object is compiled for one of them (cmake/cpu_forms.cmake); which
 * one runs is decided once, when a handle is opened. */
typedef enum usw_isa { USW_PORTABLE = 0, USW_AVX2 = 1, USW_AVX512 = 2, USW_ISA_COUNT = 3 } usw_isa;

#if defined(__x86_64__)
#define USW_HAVE_X86 1
#else
#define USW_HAVE_X86 0
#endif

/* Picks the object that was compiled for `isa`: USW_PICK(u->isa, usw_part_moves) is a pointer to
 * usw_part_moves_portable, _avx2 or _avx512. Declare the three with USW_DECLARE_PER_ISA. */
#if USW_HAVE_X86
#define USW_DECLARE_PER_ISA(type, stem)                                                            \
    extern const type stem##_portable, stem##_avx2, stem##_avx512
#define USW_PICK(isa, stem)                                                                        \
    ((isa) == USW_AVX512 ? &stem##_avx512 : (isa) == USW_AVX2 ? &stem##_avx2 : &stem##_portable)
#define USW_ALL_ISAS(stem)                                                                         \
    {                                                                                              \
        &stem##_portable, &stem##_avx2, &stem##_avx512                                             \
    }
#else
#define USW_DECLARE_PER_ISA(type, stem) extern const type stem##_portable
#define USW_PICK(isa, stem) ((void)(isa), &stem##_portable)
#define USW_ALL_ISAS(stem)                                                                         \
    {                                                                                              \
        &stem##_portable, &stem##_portable, &stem##_portable                                       \
    }
#endif

/* Functions that a short call runs through: linkers put them together, where a call made once in a
 * while needs few pages. The rest of such a call is what they must not grow by. */
#define USW_HOT __attribute__((hot))
#define USW_APART __attribute__((noinline))

typedef void (*usw_reason)(char *text, size_t bytes, const uint64_t *fact); /* usw_report_later */
typedef struct usw_pool usw_pool;
typedef struct usw_block usw_block;
struct usw_gpu;        /* plugin.h */
struct usw_gpu_plugin; /* plugin.h */

/* What a handle was opened on. AUTO opens a GPU when there is reason to (gpu_call.c). */
typedef enum usw_device { USW_CPU, USW_AUTO, USW_CUDA } usw_device;
enum { USW_DEFERRED = 8 }; /* kinds of errors that only a GPU sees: USW_FAULTS of plugin.h */

struct upsweep {
    /* What a short call reads and writes comes first, together (api_sort.c): a line that was not in
     * a cache costs as much as a hundred keys. */
    usw_isa isa;
    usw_device device;
    const struct usw_gpu_plugin *plugin; /* NULL: not loaded */
    /* Not 0: the last call was a short one, which takes no lock, and this is what it has to say.
     * Read and written by atomic built-ins. */
    uint64_t brief;
    unsigned threads;
    pthread_mutex_t lock; /* one call at a time; taken by usw_enter */
    upsweep_tuning tuning;
    size_t scratch_limit; /* 0: none */
    void *(*allocate)(void *context, size_t bytes, size_t alignment);
    void (*release)(void *context, void *pointer, size_t bytes);
    void *context;
    usw_block *blocks; /* scratch, newest first (arena.c) */
    size_t scratch_held, scratch_used, scratch_peak;
    size_t scratch_most; /* that was held at once during this call */
    usw_pool *pool;      /* NULL until the first call that uses threads (threads.c) */
    struct usw_gpu *gpu; /* NULL: none open */
    bool gpu_refused;    /* AUTO: it was tried */
    bool on_gpu;         /* this call ran there */
    size_t gpu_scratch;  /* of this call */
    char device_name[16];
    char note[96]; /* AUTO: why not the other device; added to the reason */
    struct {
        uint64_t limit, calls; /* of the last call that may fail so, and how many are under way */
    } deferred[USW_DEFERRED];
    upsweep_report report;
    usw_reason tell; /* not NULL: it writes the reason */
    uint64_t fact[2];
    char reason[256];
    char error[256];
};

/* ---- a public call: enter, work, leave (handle.c) ---- */

/* Options as a call uses them: checked, with defaults filled in. */
typedef struct usw_options {
    const char *algorithm;
    unsigned flags;
    unsigned bit_begin, bit_end; /* 0, 0: all bits */
} usw_options;

/* Takes the handle's lock, empties its scratch and checks the options; flags outside `allowed` are
 * an error. On failure the lock is not held. Every path after success ends with usw_leave. */
upsweep_status usw_enter_handle(upsweep *u, const upsweep_options *options, unsigned allowed,
                                usw_options *checked);
static inline upsweep_status usw_enter(upsweep *u, const upsweep_options *options, unsigned allowed,
                                       usw_options *checked)
{
    return u == NULL ? UPSWEEP_ERROR_ARGUMENT : usw_enter_handle(u, options, allowed, checked);
}
upsweep_status usw_leave(upsweep *u, upsweep_status status);
/* For calls that compute nothing and leave the report as it is. */
void usw_lock(upsweep *u);
void usw_unlock(upsweep *u);
/* Sets upsweep_error() and returns status, so that `return usw_fail(...)` reads well. A macro, so
 * that compilers and analysers see which status comes back. */
#define usw_fail(u, status, ...) (usw_say(u, __VA_ARGS__), usw_just(status))
void usw_say(upsweep *u, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline upsweep_status usw_just(upsweep_status status)
{
    return status;
}
/* What upsweep_last_report will say. algorithm must be static; reason is formatted and copied. */
void usw_report(upsweep *u, const char *algorithm, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for calls so short that putting it into words would take as long as they do: `tell`
 * writes the reason from the facts when upsweep_last_report asks for it. */
void usw_report_later(upsweep *u, const char *algorithm, usw_reason tell, uint64_t fact0,
                      uint64_t fact1);
/* The same for n elements that go by tiles (order.h). */
void usw_report_tiles(upsweep *u, const char *algorithm, size_t n);

/* Puts u->brief into the report of the handle, whose lock is held (api_sort.c). */
void usw_report_brief(upsweep *u);

/* ---- scratch (arena.c) ---- */

/* Returns bytes of scratch aligned to 64 (to 4096 from 64 KB on), or NULL when there is no memory
 * or the limit is reached; the contents are undefined. It lasts until the call ends or the mark is
 * taken back. Call from the calling thread only, never from a task. */
void *usw_scratch(upsweep *u, size_t bytes);
/* How many more bytes the scratch limit lets this call take (SIZE_MAX: no limit). */
size_t usw_scratch_room(const upsweep *u);
typedef struct usw_mark {
    usw_block *block;
    size_t used, total;
} usw_mark;
usw_mark usw_scratch_mark(const upsweep *u);
void usw_scratch_reset(upsweep *u, usw_mark mark);
void usw_scratch_begin(upsweep *u);
/* From the caller's allocator or the system's; not counted as scratch. NULL: no memory. */
void *usw_allocate(upsweep *u, size_t bytes, size_t alignment);
void usw_release(upsweep *u, void *p, size_t bytes);
void usw_scratch_free(upsweep *u);

/* ---- threads (threads.c) ---- */

/* Runs task(context, i, lane) for i = 0 .. tasks - 1, on up to u->threads threads, the caller's
 * among them, and returns when all are done. Tasks are handed out in order of i, one at a time, so
 * put big ones first. lane < u->threads is the same for all tasks that one thread runs: an index
 * for per-thread scratch. A call from within a task runs serially. With one thread, or one task, no
 * thread is woken. Threads that cannot be started are done without. */
typedef void (*usw_task)(void *context, size_t i, unsigned lane);
void usw_parallel(upsweep *u, size_t tasks, usw_task task, void *context);
/* How many tasks usw_parallel would run side by side, now: tasks that wait for one another may be
 * no more. */
unsigned usw_parallel_threads(upsweep *u);
/* For a task that waits for another: a moment at first, then the processor is given to others. turn
 * counts from 0. */
void usw_wait_a_little(unsigned turn);
void usw_pool_free(upsweep *u);

/* ---- the machine (isa.c) ---- */
usw_isa usw_best_isa(void);
/* Whether this processor works on vectors of 512 bits in halves; after usw_best_isa. */
bool usw_halves_vectors(void);
const char *usw_isa_name(usw_isa isa);
unsigned usw_core_count(void);

/* What the file of `upsweep tune` says, or the defaults for the instruction set (tuning.c). */
upsweep_tuning usw_tuning_of(usw_isa isa);

/* ---- small helpers ---- */
static inline size_t usw_min(size_t a, size_t b)
{
    return a < b ? a : b;
}
static inline size_t usw_max(size_t a, size_t b)
{
    return a > b ? a : b;
}
static inline size_t usw_div_up(size_t a, size_t b)
{
    return a / b + (a % b != 0);
}
/* ceil(log2 n), 0 for n < 2. */
static inline unsigned usw_log2_up(size_t n)
{
    return n < 2 ? 0 : 64u - (unsigned)__builtin_clzll((unsigned long long)(n - 1));
}
/* True if a * b does not fit size_t; else *product = a * b. */
static inline bool usw_mul_overflows(size_t a, size_t b, size_t *product)
{
    return __builtin_mul_overflow(a, b, product);
}

#endif
