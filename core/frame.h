/* frame.h - what every room of the library sees: the handle, scratch, threads, and how a public
 * call begins, fails and ends. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_FRAME_H
#define USW_FRAME_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/routes.h"
#include "upsweep.h"

/* Instruction sets, best last. An object is compiled for one of them (cmake/cpu_forms.cmake); which
 * one runs is decided once, when a handle is opened. */
typedef enum usw_isa { USW_PORTABLE = 0, USW_AVX2 = 1, USW_AVX512 = 2, USW_ISA_COUNT = 3 } usw_isa;

#if defined(__x86_64__) && !defined(USW_PORTABLE_ONLY)
#define USW_HAVE_X86 1
#else
#define USW_HAVE_X86 0
#endif

/* Picks the object that was compiled for `isa`: USW_PICK(u->isa, usw_move_steps) is a pointer to
 * usw_move_steps_portable, _avx2 or _avx512. Declare the three with USW_DECLARE_PER_ISA. */
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

/* USW_HOT marks the functions that a short call runs through: linkers put them together, so that a
 * program that makes such a call once in a while touches few pages of code. What only longer calls
 * need stands in functions that are USW_NOINLINE, so that the hot ones stay small. */
#define USW_HOT __attribute__((hot))
#define USW_NOINLINE __attribute__((noinline))

typedef void (*usw_reason)(char *text, size_t bytes, const uint64_t *fact); /* usw_report_later */
typedef struct usw_pool usw_pool;
typedef struct usw_block usw_block;
struct usw_gpu;        /* plugin.h */
struct usw_gpu_plugin; /* plugin.h */

/* What a handle was opened on. AUTO opens a GPU when there is reason to (calls/on_gpu/call.c). */
typedef enum usw_device { USW_CPU, USW_AUTO, USW_CUDA } usw_device;
enum { USW_DEFERRED = 9 }; /* kinds of errors that only a GPU sees: USW_FAULTS of plugin.h */

/* What the last call did, as upsweep_report says it. */
typedef struct usw_report_state {
    const char *algorithm, *reason, *isa, *device;
    unsigned threads;
    size_t scratch_bytes;
} usw_report_state;

/* The last choice of a method for keys of a width, which holds where from <= n < below and for the
 * same facts (calls/sort_choice.c). All 0: none. */
typedef struct usw_kept_choice {
    size_t from, below;
    uint32_t facts, id, patterns;
} usw_kept_choice;

/* What a byte of an array costs a call, in steps of two from SCANNING on. */
typedef enum usw_cost {
    USW_LIKE_READING,    /* sums, extremes, order: as much, since threads part it well */
    USW_LIKE_SCANNING,   /* scans, splits, copies: an eighth of a sort */
    USW_LIKE_MERGING,    /* merges, histograms */
    USW_LIKE_GATHERING,  /* moves by an index or to buckets */
    USW_LIKE_SORTING,    /* 0.7 ns */
    USW_LIKE_CALLING = 7 /* a function of the caller's, often */
} usw_cost;
/* How long work of an amount took, by one thread and shared: of paths, and of calls of each kind
 * with the work of a sort of 256 to 511 KB, up to 1 MB and up to 2 MB (calls/sharing.c). */
enum { USW_EARLY_BYTES = 256 << 10, USW_SURE_BYTES = 2 << 20, USW_BANDS = 3, USW_KINDS = 64 };
enum { USW_SHARED_PATHS, USW_SHARED_WORKS = 1 + USW_KINDS * USW_BANDS };
typedef struct usw_sharing {
    size_t work;
    uint64_t ns[2];
    unsigned turn;
} usw_sharing;
typedef struct usw_offer { /* to this call */
    unsigned kind;         /* 0: its time is not noted */
    bool shared;
    uint64_t kilobytes, began;
} usw_offer;

struct upsweep {
    /* What a short call reads and writes comes first, together (calls/sort.c): a line that was not
     * in a cache costs as much as a hundred keys. */
    usw_isa isa;
    usw_device device;
    const struct usw_gpu_plugin *plugin;   /* NULL: not loaded */
    unsigned long long loads_without_cuda; /* libraries loaded when CUDA was not (usw_gpu_notice) */
    /* Not 0: the last call was a short one, which takes no lock, and this is what it has to say.
     * Read and written by atomic built-ins. */
    uint64_t brief;
    unsigned threads;       /* of this call */
    unsigned threads_most;  /* of the handle */
    unsigned threads_least; /* of any call: 1; in builds for tests as many as of the handle */
    pthread_mutex_t lock;   /* one call at a time; taken by usw_enter */
    upsweep_tuning tuning;
    usw_kept_choice chosen[2][4]; /* for keys, for pairs; by index of the width; of this tuning */
    size_t scratch_limit;         /* 0: none */
    void *(*allocate)(void *context, size_t bytes, size_t alignment);
    void (*release)(void *context, void *pointer, size_t bytes);
    void *context;
    usw_block *blocks; /* scratch, newest first (arena.c) */
    size_t scratch_held, scratch_used, scratch_peak;
    size_t scratch_most; /* that was held at once during this call */
    bool shares_early;   /* the tuning is the default one for many cores (tuning.c) */
    usw_sharing sharing[USW_SHARED_WORKS];
    usw_offer offered;
    usw_pool *pool;         /* NULL until the first call that uses threads (threads.c) */
    struct usw_gpu *gpu;    /* NULL: none open */
    bool gpu_refused;       /* AUTO: it was tried */
    bool on_gpu;            /* this call ran there */
    size_t gpu_scratch;     /* of this call */
    unsigned threads_asked; /* when it was opened */
    char device_name[16];
    char note[128]; /* AUTO: why not the other device; added to the reason */
    struct {
        uint64_t limit, calls; /* of the last call that may fail so, and how many are under way */
    } deferred[USW_DEFERRED];
    usw_report_state report;
    usw_reason write_reason; /* not NULL: it writes the reason */
    uint64_t fact[2];
    char reason[256];
    char error[256];
    uint64_t opened_ns; /* tells it from an earlier handle at the same address */
#ifdef USW_CHECKED
    struct usw_piece *pieces; /* of scratch, newest first (scratch_guard.c) */
    uint64_t guard_calls;
    size_t guard_every;
#endif
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
/* The same for calls so short that putting it into words would take as long as they do: `write`
 * writes the reason from the facts when upsweep_last_report asks for it. */
void usw_report_later(upsweep *u, const char *algorithm, usw_reason write, uint64_t fact0,
                      uint64_t fact1);
/* The same for n elements that go by tiles (order.h). */
void usw_report_tiles(upsweep *u, const char *algorithm, size_t n);

/* Puts u->brief into the report of the handle, whose lock is held (calls/sort.c). */
void usw_report_brief(upsweep *u);
/* Puts into words what the last call left as facts; and gives the caller's report all of it, or
 * returns what is wrong with the report. The lock is held. */
void usw_settle_report(upsweep *u);
const char *usw_give_report(upsweep *u, upsweep_report *report);

/* ---- scratch (arena.c) ---- */

/* Returns bytes of scratch aligned to 64 (to 4096 from 64 KB on), or NULL when there is no memory
 * or the limit is reached; the contents are undefined. It lasts until the call ends or the mark is
 * taken back. Call from the calling thread only, never from a task. */
void *usw_scratch(upsweep *u, size_t bytes);
/* Room for each of several lanes, chunks or the like: usw_share(&s, i) is that of the i-th. at is
 * NULL where there is no memory. In a release the shares lie side by side, in builds for tests with
 * guards between them: so take them, and do not cut up a piece by hand. */
typedef struct usw_shares {
    unsigned char *at;
    size_t stride; /* bytes */
} usw_shares;
usw_shares usw_scratch_shares(upsweep *u, size_t count, size_t bytes);
static inline void *usw_share(const usw_shares *s, size_t i)
{
    return s->at + i * s->stride;
}
/* How many more bytes the scratch limit lets this call take (SIZE_MAX: no limit). */
size_t usw_scratch_left(const upsweep *u);
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

#ifdef USW_CHECKED
/* Builds for tests: pieces stand alone between guards (scratch_guard.c). */
typedef struct usw_piece usw_piece;
void *usw_scratch_at(upsweep *u, size_t bytes, const char *file, int line);
usw_shares usw_scratch_shares_at(upsweep *u, size_t count, size_t bytes, const char *file,
                                 int line);
#define usw_scratch(u, bytes) usw_scratch_at(u, bytes, __FILE__, __LINE__)
#define usw_scratch_shares(u, count, bytes)                                                        \
    usw_scratch_shares_at(u, count, bytes, __FILE__, __LINE__)
/* Guarded shares for a request that the arena has just granted; at NULL: no memory. */
usw_shares usw_guard_new(upsweep *u, size_t count, size_t bytes, size_t alignment, const char *file,
                         int line);
/* Looks at the guards; `when` says what the calling thread did. A broken one ends the program. */
void usw_guard_check(const upsweep *u, const char *when);
/* Looks at them and takes back the pieces that were taken since scratch_used was `used`. */
void usw_guard_drop(upsweep *u, size_t used, const char *when);
#endif

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
/* How many threads a new handle gets that was asked for so many (0: as many as pay). */
void usw_count_threads(upsweep *u, unsigned wanted);
/* Lets the rest of this call, whose work is that of a sort of so many bytes, have no more threads
 * than pay for it. Before the first usw_parallel and all scratch of lanes. */
void usw_offer_threads(upsweep *u, size_t bytes);

/* ---- whether threads share a call's work (calls/sharing.c) ---- */

/* The same, and if in doubt by what was faster of late of this function on this type (or size). */
#define USW_SHARE_CALL(u, bytes, cost, type) usw_share_of(u, bytes, cost, __func__, type)
void usw_share_work(upsweep *u, size_t work, const char *call, size_t type);
static inline void usw_share_of(upsweep *u, size_t bytes, usw_cost cost, const char *f, size_t type)
{
    usw_cost weight = cost == USW_LIKE_READING ? USW_LIKE_SCANNING : cost;
    size_t work = cost < USW_LIKE_SORTING ? bytes >> (USW_LIKE_SORTING - weight)
                                          : bytes << (cost - USW_LIKE_SORTING);
    u->threads = u->threads_least; /* for little work no function is called */
    if (work >= u->tuning.thread_bytes) {
        usw_share_work(u, work, f, type);
    }
}
void usw_note_call(upsweep *u); /* by usw_leave */
uint64_t usw_now_ns(void);
/* Whether to, by what was noted of this kind and amount of work; paths are shared until something
 * is known, others are not. */
bool usw_may_share(upsweep *u, unsigned kind, size_t work);
void usw_note_time(upsweep *u, unsigned kind, size_t work, bool shared, uint64_t ns);

/* ---- the machine (isa.c) ---- */
usw_isa usw_best_isa(void);
/* Whether this processor works on vectors of 512 bits in halves; after usw_best_isa. */
bool usw_halves_vectors(void);
const char *usw_isa_name(usw_isa isa);
unsigned usw_core_count(void);

/* What the file of `upsweep tune` says, or the defaults for the instruction set and a handle of so
 * many threads (tuning.c). */
upsweep_tuning usw_tuning_of(usw_isa isa, unsigned threads);

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
