/* upsweep.h - data-parallel sort, scan, reduce and split of plain arrays, by one plain C call.
 *
 *     upsweep *u;
 *     if (upsweep_open(&u, NULL, NULL) == UPSWEEP_OK) {
 *         upsweep_sort(u, keys, n, UPSWEEP_U32, NULL);
 *         upsweep_close(u);
 *     }
 *
 * What holds for every call
 *   Arrays     belong to the caller, are contiguous, and need only the alignment of their element
 *              type. Every count n is a count of elements; what counts bytes says bytes. n = 0 is
 *              allowed everywhere and array pointers may then be NULL. Input and output must not
 *              overlap unless the call says that they may be the same array.
 *   Status     every call that can fail returns a upsweep_status; UPSWEEP_OK is 0. Nothing is ever
 *              printed and the process is never ended. upsweep_error() has one sentence on the last
 *              failure.
 *   After an   ERROR_ARGUMENT, ERROR_ALGORITHM, ERROR_UNSUPPORTED, ERROR_MEMORY: all arrays are as
 *   error      they were before the call, unless the call says more. Outputs are never half valid:
 *              they count only after UPSWEEP_OK.
 *   Threads    a handle may be shared: calls on one handle take turns. For calls that run side by
 *              side open one handle per thread. There is no global state. The report of a shared
 *              handle is that of whichever call ended last, by any thread; upsweep_last_error has
 *              the calling thread's own failure. A function of the caller's (compare, combine,
 *              sink, ...) must not use the handle of the call that it is called from.
 *   Scratch    is taken from the handle, grows on demand up to upsweep_config.scratch_limit, and is
 *              kept for the next call until upsweep_trim() or upsweep_close(). Each call says how
 *              much it takes. Where less is allowed, a slower method that needs less is used when
 *              there is one, else the call fails with UPSWEEP_ERROR_MEMORY.
 *   Options    NULL means all defaults. Zero-initialise, set size = sizeof(upsweep_options) (or use
 *              UPSWEEP_OPTIONS_INIT), then set the fields you want. Each call says which flags it
 *              takes; any other is UPSWEEP_ERROR_ARGUMENT.
 *   Structs    that a caller makes begin with `size`, which is sizeof the struct as the caller was
 *              compiled, so that they can grow (docs/abi.md). 0 counts as the size that the struct
 *              had when it first had a size. Given to the library: fields beyond a smaller size
 *              count as 0; a larger struct is taken if all that this library does not know of it is
 *              0. Filled by the library: it writes what it knows and the size has room for, and
 *              size then says how many bytes that were. What is refused, and any size that no
 *              struct can have (no multiple of that of size_t, or over 4096), is
 *              UPSWEEP_ERROR_ARGUMENT, and nothing is written.
 *              Structs that the library gives out by address (upsweep_algorithm, upsweep_event,
 *              upsweep_path_row) have no size and may grow at their end: read them where they are,
 *              and copy single fields.
 *   Same bits  results do not depend on the number of threads, on the instruction set or on the
 *              device, sums and scans of floating-point numbers included (docs/order.md gives the
 *              order of addition).
 *   Devices    a handle opened on "cuda" takes arrays in device memory as well as in the host's, in
 *              any mixture, counts and other single results among them. Host arrays are copied to
 *              the device and back, and the call waits. A call whose arrays and results are all in
 *              device memory (or NULL) is asynchronous: it queues its work on the handle's stream
 *              (upsweep_set_stream), neither waits nor allocates once there is scratch enough
 *              (upsweep_reserve), and can be captured in a CUDA graph. Arguments are checked at
 *              once; what only the device can see, an index out of range, is told by upsweep_wait.
 *              A sort that comes a third time with the same arrays and options is kept as a graph
 *              of the handle's own, up to eight of them; that one call takes the host longer, and
 *              the driver some memory.
 *              Calls with a function of the caller's compute on the CPU, and so do making a graph
 *              and upsweep_bellman_ford: they take host arrays only. Queries of paths take lists of
 *              sources and targets from the host, distances and parents from anywhere.
 *
 * Order of keys
 *   Integers by value. Floating-point keys by value, with -0 before +0, and NaN last whether
 *   ascending or descending. UPSWEEP_NAN_FIRST puts them first, UPSWEEP_NAN_RAW orders by sign and
 *   bits (IEEE 754 totalOrder: -NaN first, +NaN last; UPSWEEP_DESCENDING reverses it). NaNs among
 *   themselves, first or last: those without a sign bit by rising payload, then those with one by
 *   falling payload; with UPSWEEP_DESCENDING the reverse of that. Bits are never changed: NaN
 *   payloads and signs of zero survive.
 *
 * C11, and C++11 or later. A program that was linked with an earlier libupsweep.so.0 runs with this
 * one; docs/abi.md says what a caller may rely on, and what broke from 0.1.0 to 0.2.0.
 * upsweep_typed.h has the same calls by type, checked by the compiler.
 */
/* SPDX-License-Identifier: MIT */
#ifndef UPSWEEP_H
#define UPSWEEP_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define UPSWEEP_API
#else
#define UPSWEEP_API __attribute__((visibility("default")))
#endif

/* The version of this header. */
#define UPSWEEP_VERSION_MAJOR 0
#define UPSWEEP_VERSION_MINOR 2
#define UPSWEEP_VERSION_PATCH 0
#define UPSWEEP_VERSION_TEXT "0.2.0"
/* As one number, for #if: 10203 is 1.2.3. upsweep_version_number() has that of the library. */
#define UPSWEEP_VERSION                                                                            \
    (UPSWEEP_VERSION_MAJOR * 10000 + UPSWEEP_VERSION_MINOR * 100 + UPSWEEP_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

/* --------------------------------------------------------------------------------------------
 * Status, types, options
 * ------------------------------------------------------------------------------------------ */

/* What a call returns. */
typedef enum upsweep_status {
    UPSWEEP_OK = 0,
    UPSWEEP_ERROR_ARGUMENT = 1,    /* NULL where an array is needed, bad enum, size overflow, ... */
    UPSWEEP_ERROR_ALGORITHM = 2,   /* no algorithm of that name, or not for this operation */
    UPSWEEP_ERROR_UNSUPPORTED = 3, /* known, but not for this type, size or device */
    UPSWEEP_ERROR_MEMORY = 4,      /* allocation failed or scratch_limit is too small */
    UPSWEEP_ERROR_RANGE = 5,       /* an index, bucket id or key in the input is out of range */
    UPSWEEP_ERROR_DEVICE = 6,      /* the device cannot be used; upsweep_error() says why */
    UPSWEEP_STOPPED = 7,           /* a caller's sink asked to stop */
    UPSWEEP_ERROR_FILE = 8         /* a file cannot be made, read or written */
} upsweep_status;

/* The name of a status, "ok" or "argument" or ...; never NULL. Any thread. */
UPSWEEP_API const char *upsweep_status_name(upsweep_status status);

/* Types of elements. */
typedef enum upsweep_type {
    UPSWEEP_U8 = 1,
    UPSWEEP_U16,
    UPSWEEP_U32,
    UPSWEEP_U64,
    UPSWEEP_I8,
    UPSWEEP_I16,
    UPSWEEP_I32,
    UPSWEEP_I64,
    UPSWEEP_F16,  /* IEEE binary16, stored; sort, select, min and max; arithmetic widens to f32 */
    UPSWEEP_BF16, /* the upper half of an f32, likewise */
    UPSWEEP_F32,
    UPSWEEP_F64
} upsweep_type;

/* What names no type. */
#ifdef __cplusplus
#define UPSWEEP_NO_TYPE upsweep_type()
#else
#define UPSWEEP_NO_TYPE ((upsweep_type)0)
#endif

/* Bytes of one element, or 0 for a value that names no type. Any thread. */
UPSWEEP_API size_t upsweep_type_bytes(upsweep_type type);
/* "u8" ... "f64", or NULL. upsweep_type_from_name returns 0 for a name that is none. */
UPSWEEP_API const char *upsweep_type_name(upsweep_type type);
UPSWEEP_API upsweep_type upsweep_type_from_name(const char *name);

/* Bits of upsweep_options.flags (and, where said, of upsweep_field.flags). "Flags:" at each call
 * says which it takes, without UPSWEEP_; some of them change nothing there. */
enum {
    UPSWEEP_ASCENDING = 0,
    UPSWEEP_DESCENDING = 1 << 0,
    UPSWEEP_NAN_FIRST = 1 << 1,
    UPSWEEP_NAN_RAW = 1 << 2,
    /* Everything that carries values along (pairs, argsort, records, sort_by, split) is stable by
     * default; this allows an unstable method where one is faster. */
    UPSWEEP_UNSTABLE = 1 << 3,
    /* Use no scratch beyond 1 MB a thread, even where that is slower. */
    UPSWEEP_IN_PLACE = 1 << 4,
    UPSWEEP_EXCLUSIVE = 1 << 5, /* scans: out[i] combines in[0 .. i), not in[0 .. i] */
    UPSWEEP_LARGEST = 1 << 6,   /* select and top-k: the greatest instead of the least */
    /* Sums, products and scans of floating-point numbers may be added in any order, which is faster
     * on a GPU; the bits of results may then differ from one machine, and call, to another. */
    UPSWEEP_UNORDERED = 1 << 7,
    UPSWEEP_UPPER = 1 << 9, /* searches: the place behind equal keys, not before them */
    /* unique and run lengths: floating-point keys are equal as numbers, not by their bits: zeros of
     * both signs are, and all NaNs. */
    UPSWEEP_NUMBERS = 1 << 10,
    /* Reductions: sums and products of floating-point numbers have the type of the elements, to
     * which they are rounded once, to nearest even. Nothing changes for integers and other
     * operators. */
    UPSWEEP_ROUNDED = 1 << 11
    /* Bit 8 marks a upsweep_op, bits 16 to 23 are flags of graphs and batches of paths: numbers of
     * one family put where another belongs are refused. */
};

/* What a call does otherwise than by default. */
typedef struct upsweep_options {
    size_t size;           /* sizeof(upsweep_options) */
    const char *algorithm; /* "sort/radix", ... (upsweep list shows all); NULL: chosen for you */
    unsigned flags;        /* UPSWEEP_DESCENDING | ... */
    /* Sorts of keys and pairs, and is_sorted: only the bits [bit_begin, bit_end) of the key take
     * part, counted from the lowest, in the key's order-preserving unsigned form (for unsigned
     * types the key itself; signed types have the top bit flipped). 0, 0: all bits. With fewer bits
     * a sort of keys is stable, since keys that compare equal may differ. */
    unsigned bit_begin, bit_end;
} upsweep_options;

/* All defaults; set the fields you want after it. */
#define UPSWEEP_OPTIONS_INIT                                                                       \
    {                                                                                              \
        sizeof(upsweep_options), NULL, 0, 0, 0                                                     \
    }

/* --------------------------------------------------------------------------------------------
 * The handle
 * ------------------------------------------------------------------------------------------ */

/* An open handle: threads, scratch, and the device that its calls compute on. */
typedef struct upsweep upsweep;

/* How a handle is opened. */
typedef struct upsweep_config {
    size_t size; /* sizeof(upsweep_config) */
    /* 0: one per core this process may use; 1: no thread is started. More than there are cores are
     * not started, whatever is asked for: they would only wait for one another. Then upsweep_report
     * says how many the handle has, and why. A call uses as many of them as its work pays for. */
    unsigned threads;
    /* Bytes the handle may hold for scratch; 0: no limit. Each piece of it that is taken from the
     * allocator is 4 KB larger, which are not counted. */
    size_t scratch_limit;
    /* Both or neither. allocate returns at least `bytes` bytes aligned to `alignment` (a power of
     * two), or NULL. Both may be called from the thread that calls into the library only. */
    void *(*allocate)(void *context, size_t bytes, size_t alignment);
    void (*release)(void *context, void *pointer, size_t bytes);
    void *context;
} upsweep_config;

/* Opens a handle. device: "cpu"; "cuda" (the first GPU) or "cuda:N"; NULL or "auto": arrays in
 * device memory go to the GPU, host arrays to what is predicted to be faster, the copies to and
 * fro included, and the report says why. A process that calls CUDA itself does so before it
 * opens a handle on "auto", since that takes all pointers for the host's otherwise. "cuda:plan"
 * needs no GPU: its calls check their arguments, touch no array, and tell in
 * upsweep_report.scratch_bytes how much scratch such a call takes on any GPU for arrays in
 * device memory; a pointer that is not NULL may be anything there. GPU forms are in
 * libupsweep_cuda.so, which is loaded by the first handle that needs it, from beside the library
 * or the loader's path; the environment variable UPSWEEP_CUDA_PLUGIN=path names another. config:
 * NULL for defaults. On failure *handle is NULL and *why, if why is not NULL, points to one
 * static or thread-local sentence that says why (valid until the thread's next upsweep_open).
 * The environment variable UPSWEEP_ISA=portable|avx2|avx512 caps the instruction set. Threads
 * are started by the first call that can use them, not here. */
UPSWEEP_API upsweep_status upsweep_open_why(upsweep **handle, const char *device,
                                            const upsweep_config *config, const char **why);
UPSWEEP_API upsweep_status upsweep_open(upsweep **handle, const char *device,
                                        const upsweep_config *config);
/* Ends the handle's threads and frees its scratch. NULL is allowed. No call may be running. */
UPSWEEP_API void upsweep_close(upsweep *u);
/* Gives the scratch kept by the handle back to the allocator. */
UPSWEEP_API void upsweep_trim(upsweep *u);

/* The following three are for handles on a GPU. Elsewhere wait has nothing to wait for, and
 * set_stream fails with UPSWEEP_ERROR_UNSUPPORTED unless stream is NULL. Later calls queue their
 * work on stream, a cudaStream_t of the handle's GPU, after what the handle queued before. NULL:
 * the handle's own stream, which keeps order with the legacy default stream. The stream is the
 * caller's and must outlive its use here. */
UPSWEEP_API upsweep_status upsweep_set_stream(upsweep *u, void *stream);
/* Waits until all that was queued is done. Returns the first failure since the last wait that
 * could not be told by the call itself: an index or bucket id out of range
 * (UPSWEEP_ERROR_RANGE), a row that does not ascend, or an error of the device.
 * UPSWEEP_ERROR_UNSUPPORTED while the stream is being captured. */
UPSWEEP_API upsweep_status upsweep_wait(upsweep *u);
/* Makes room for a call that takes `bytes` of scratch (what upsweep_report.scratch_bytes said of
 * one like it, on this handle or on "cuda:plan"), so that it allocates nothing. A graph that was
 * captured keeps using the handle's scratch: replay it only while the handle is open and not
 * trimmed, and not at the same time as other calls on the handle. */
UPSWEEP_API upsweep_status upsweep_reserve(upsweep *u, size_t bytes);
/* One sentence on the handle's last failed call; "" if none failed. Valid until the next call, so
 * not where threads share the handle. */
UPSWEEP_API const char *upsweep_error(const upsweep *u);
/* The same for shared handles: copies to text, of `bytes` bytes, as much of the sentence as fits,
 * and a 0: the calling thread's own last failure, if it was on this handle, else the handle's.
 * Returns the length of the whole sentence. */
UPSWEEP_API size_t upsweep_last_error(const upsweep *u, char *text, size_t bytes);
UPSWEEP_API const char *upsweep_version(void);
/* The library's UPSWEEP_VERSION: 200 for 0.2.0. */
UPSWEEP_API unsigned upsweep_version_number(void);

/* What the last successful call on the handle did: which method ran, and why that one. algorithm
 * and isa are static, device lasts as long as the handle.
 *
 * algorithm names the method that ran. With a slash it is a row, which upsweep_find knows:
 * "sort/quick", "sort/radix", "scan/sweep". Without one it is words, for methods that are no rows:
 *     "in order"                the keys were already in order
 *     "reversed"                the keys stood in falling order, and were turned round
 *     "runs merged"             a few long runs, in order or in falling order
 *     "few values counted"      at most 32 values: each was counted and written again
 *     "narrow range counted"    so for each value of a range of at most 65536
 *     "nearly in order"         the few keys that stood wrong were sorted and merged in again
 *     "values counted"          keys of 8 and 16 bits: each possible value was counted
 *     "buckets and tags"        keys with values, positions or records: buckets that fit the cache,
 *                               sorted as words of what is left of a key and its place
 *     "string sample sort"      strings: buckets by splitters from a sample, then words of bytes
 *     "merge sort", "merge sort in place"    by a function, by fields, strings on a GPU, or by bits
 *                               in place
 *     "long rows one by one"    rows too long for one thread, each sorted by all threads
 * More words may come. It is "" where there is no choice. */
typedef struct upsweep_report {
    size_t size;           /* sizeof(upsweep_report); UPSWEEP_REPORT_INIT sets it */
    const char *algorithm; /* the method that ran: "sort/quick", "in order", ...; see above */
    const char *isa;       /* "avx512", "avx2", "portable" */
    const char *device;    /* "cpu", "cuda:0" */
    unsigned threads;      /* that were offered to the call: fewer where more do not pay */
    size_t scratch_bytes;  /* that the call used of the handle's scratch */
    char reason[256];      /* a clause after "because": "100 keys were already in order" */
} upsweep_report;
#define UPSWEEP_REPORT_INIT                                                                        \
    {                                                                                              \
        sizeof(upsweep_report), NULL, NULL, NULL, 0, 0,                                            \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
UPSWEEP_API upsweep_status upsweep_last_report(const upsweep *u, upsweep_report *report);

/* What this machine has, for people: the processor's name, its cores this process may use, the best
 * instruction set, and one sentence on GPUs (which there are, or why none can be used). */
typedef struct upsweep_machine {
    size_t size; /* sizeof(upsweep_machine) */
    char cpu[128];
    unsigned cores;
    const char *isa;
    size_t cache_bytes[3]; /* L1 data, L2, L3 as one core sees them; 0 where unknown */
    size_t memory_bytes;
    unsigned gpus;
    char gpu[256];        /* the GPUs by name, or why none can be used */
    char gpu_plugin[512]; /* what it is built for, its path and size, or that there is none */
} upsweep_machine;
#define UPSWEEP_MACHINE_INIT                                                                       \
    {                                                                                              \
        sizeof(upsweep_machine), {0}, 0, NULL, {0}, 0, 0, {0},                                     \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
UPSWEEP_API upsweep_status upsweep_describe_machine(upsweep_machine *machine);

/* Where upsweep_sort on the CPU changes from one method to another. These numbers change how long a
 * call takes, never what it gives. A handle starts with those that `upsweep tune` measured on this
 * machine, or with defaults; the report of a call and upsweep_explain_choice say what came of it.
 * SIZE_MAX: never. */
typedef struct upsweep_tuning {
    size_t size;         /* sizeof(upsweep_tuning) */
    size_t thread_bytes; /* arrays of fewer bytes are sorted by one thread; so is the like work of
                            other calls, a sum of 8 times as many bytes, done by one */
    /* Keys of up to 32 bits, and of 64: arrays of that many bytes and more scatter to buckets, out
     * of place; smaller ones are parted in place, by vectors. */
    size_t scatter_bytes[2];
    /* From that many keys on a sort goes by digits; likewise for the two widths. */
    size_t digit_keys[2];
    int measured; /* 1: from the file of `upsweep tune`; not read by upsweep_set_tuning */
} upsweep_tuning;
#define UPSWEEP_TUNING_INIT                                                                        \
    {                                                                                              \
        sizeof(upsweep_tuning), 0, {0}, {0}, 0                                                     \
    }
UPSWEEP_API upsweep_status upsweep_get_tuning(upsweep *u, upsweep_tuning *tuning);
UPSWEEP_API upsweep_status upsweep_set_tuning(upsweep *u, const upsweep_tuning *tuning);
/* Where upsweep_open looks for the file: the environment variable UPSWEEP_TUNING, else
 * upsweep/tuning in $XDG_CONFIG_HOME, else .config/upsweep/tuning in $HOME. A file that is missing,
 * is not understood, or was made for another instruction set is none. Returns the length of the
 * path, 0 if there is no place for it; path gets as much of it as fits, and a 0. */
UPSWEEP_API size_t upsweep_tuning_path(char *path, size_t bytes);

/* --------------------------------------------------------------------------------------------
 * Sorting
 * ------------------------------------------------------------------------------------------ */

/* Sorts keys in place. Scratch: at most n keys + 1 MB a thread; with UPSWEEP_IN_PLACE 1 MB a
 * thread. O(n log n) at worst for the automatic choice. UPSWEEP_IN_PLACE with a range of bits takes
 * every type, on the CPU; more than 512 KB of keys are then merged in place, which takes several
 * times as long as digits with a copy. On a GPU that is UPSWEEP_ERROR_UNSUPPORTED.
 * Flags: DESCENDING, NAN_FIRST, NAN_RAW, UNSTABLE, IN_PLACE. */
UPSWEEP_API upsweep_status upsweep_sort(upsweep *u, void *keys, size_t n, upsweep_type type,
                                        const upsweep_options *options);

/* Says which method upsweep_sort would use on the CPU, and why, for n keys in which it sees no
 * pattern (sorted, few values, ...): report is as upsweep_last_report would give it after the sort,
 * its scratch_bytes 0. Sorts nothing.
 * Flags: DESCENDING, NAN_FIRST, NAN_RAW, UNSTABLE, IN_PLACE. */
UPSWEEP_API upsweep_status upsweep_explain_choice(upsweep *u, size_t n, upsweep_type type,
                                                  const upsweep_options *options,
                                                  upsweep_report *report);

/* Sorts keys and moves values[i], of value_bytes bytes each (any size from 1), with keys[i].
 * Stable. Scratch: 2 n (8 or 16 bytes for the packed key and index) + n values +
 * 2 MB a thread.
 * Flags: DESCENDING, NAN_FIRST, NAN_RAW, UNSTABLE. */
UPSWEEP_API upsweep_status upsweep_sort_pairs(upsweep *u, void *keys, void *values, size_t n,
                                              upsweep_type type, size_t value_bytes,
                                              const upsweep_options *options);

/* Writes to index the permutation that sorts keys: keys[index[0]] <= keys[index[1]] ... Keys stay
 * as they are. Stable: equal keys keep their order. index has n elements of index_bits (32 or 64)
 * bits; 32 needs n <= 2^32. Scratch: 2 n (8 or 16 bytes) + 2 MB a thread.
 * Flags: DESCENDING, NAN_FIRST, NAN_RAW, UNSTABLE. */
UPSWEEP_API upsweep_status upsweep_argsort(upsweep *u, const void *keys, size_t n,
                                           upsweep_type type, void *index, unsigned index_bits,
                                           const upsweep_options *options);

/* Writes the sorted keys to out, and leaves keys as they are; index, if not NULL, gets the position
 * that each key had, as upsweep_argsort has it, in index_bits (32 or 64) bits. Either of out and
 * index may be NULL. out has n keys and overlaps keys in nothing, or is keys, which are then sorted
 * in place. With index stable: equal keys keep their order. On a GPU the keys are read where they
 * are by the first step of the sort, so that no copy is made before, and positions are not read at
 * all. Scratch: that of upsweep_sort, with index that of upsweep_argsort.
 * Flags: DESCENDING, NAN_FIRST, NAN_RAW, UNSTABLE. */
UPSWEEP_API upsweep_status upsweep_sort_copy(upsweep *u, const void *keys, size_t n,
                                             upsweep_type type, void *out, void *index,
                                             unsigned index_bits, const upsweep_options *options);

/* Sorts every row of keys on its own. begin has rows + 1 elements and row r is keys[begin[r]] to
 * keys[begin[r + 1] - 1]; they never decrease and end at n at most, else UPSWEEP_ERROR_RANGE,
 * and keys are as they were. Keys in no row stay as they are. begin NULL: all rows have n / rows
 * keys, and n must be a multiple of rows. index, if not NULL, gets for every place the position
 * that its key had in its row, from 0, in index_bits (32 or 64) bits: the stable argsort of each
 * row; n elements, of which those in no row keep their value. Rows go to the threads one by one;
 * one that does not fit a core's cache is sorted by all threads. Bit ranges are not taken.
 * Scratch: none that grows with n, at most 300 KB a thread, but for long rows, which take what
 * upsweep_sort or upsweep_argsort does; with index 16 bytes for each key of the longest row that
 * one thread sorts, a thread, and 10 more where that has 1024 keys, if they are to be had. After
 * UPSWEEP_ERROR_MEMORY some long rows may be sorted.
 * Flags: DESCENDING, NAN_FIRST, NAN_RAW, UNSTABLE. */
UPSWEEP_API upsweep_status upsweep_sort_rows(upsweep *u, void *keys, size_t n, upsweep_type type,
                                             const uint64_t *begin, size_t rows, void *index,
                                             unsigned index_bits, const upsweep_options *options);

/* Strings: n of them in one array of bytes, in Arrow's layout: string i is bytes[offsets[i]] to
 * bytes[offsets[i + 1] - 1], so offsets has n + 1 elements, unsigned, of offset_bits (32 or 64)
 * bits; they never decrease, else UPSWEEP_ERROR_RANGE. Arrow's int32 and int64 are taken as they
 * are; offsets[0] need not be 0, as in a part of an array; which strings are null is the caller's
 * affair. The order is that of unsigned bytes, as memcmp has it, and a string comes before those
 * that it begins; NUL bytes are like any other. Stable: equal strings keep their order. Where
 * offsets are in device memory, bytes or out_bytes in the host's make the call wait to read the
 * first and the last one; that these are NULL although there are bytes is UPSWEEP_ERROR_RANGE then.
 * Method: a string sample sort (Bingmann and Sanders, 2013), whose buckets are sorted by five bytes
 * at a time; on a GPU a sort of keys, a string's place in a sorted sample and its first bytes that
 * differ there, then of those that are alike by 8 bytes at a time.
 *
 * argsort_strings writes to index the permutation that sorts them, as upsweep_argsort does: n
 * elements of index_bits (32 or 64) bits; 32 needs n <= 2^32. Scratch: n (index_bits / 8 + 2)
 * bytes, 1.5 MB a thread and 1.5 MB; on a GPU 11 n, 0.6 MB and what upsweep_sort_pairs takes.
 * sort_strings writes the sorted strings in the same layout: out_bytes has room for
 * offsets[n] - offsets[0] bytes, out_offsets for n + 1 elements, of which the first becomes 0; they
 * overlap none of the others. n = 0 writes that 0, unless out_offsets is NULL. Scratch: the same
 * for an index of 32 bits (64 if n > 2^32), and the index. Where offsets in device memory decrease,
 * index, out_offsets and out_bytes are undefined.
 * Flags: DESCENDING, UNSTABLE. */
UPSWEEP_API upsweep_status upsweep_argsort_strings(upsweep *u, const void *bytes,
                                                   const void *offsets, unsigned offset_bits,
                                                   size_t n, void *index, unsigned index_bits,
                                                   const upsweep_options *options);
UPSWEEP_API upsweep_status upsweep_sort_strings(upsweep *u, const void *bytes, const void *offsets,
                                                unsigned offset_bits, size_t n, void *out_bytes,
                                                void *out_offsets, const upsweep_options *options);

/* Sorts strings that lie anywhere in bytes[0 .. size), lines of a file say, or parts of them, by
 * moving 8 bytes for each: slice i is the string of length slices[i] % 2^length_bits at byte
 * slices[i] / 2^length_bits. One that reaches beyond size is UPSWEEP_ERROR_RANGE. length_bits, 1 to
 * 63, is the caller's: 24 serve 1 TB with strings below 16 MB. Slices may overlap. Order and
 * stability as above. values, if not NULL, has n elements that move with the slices.
 * distinct, if not NULL: of equal strings only the first stays, and *distinct gets how many are
 * left; slices and values behind those are undefined. Scratch: 10 n bytes, 8 n more with values,
 * 1.5 MB a thread and 1.5 MB; with distinct 2 MB a thread more, if they are to be had. Host arrays
 * only.
 * Flags: DESCENDING, UNSTABLE. */
UPSWEEP_API upsweep_status upsweep_sort_slices(upsweep *u, const void *bytes, size_t size,
                                               uint64_t *slices, uint64_t *values, size_t n,
                                               unsigned length_bits, size_t *distinct,
                                               const upsweep_options *options);

/* One key field of a record: an element of `type` at byte `offset` (no alignment needed), or, with
 * bytes > 0, a string of that many bytes compared as by memcmp (type is then ignored).
 * flags: UPSWEEP_DESCENDING, UPSWEEP_NAN_FIRST, UPSWEEP_NAN_RAW. Fields come in arrays, so they
 * cannot grow; they have room instead: zero-initialise. */
typedef struct upsweep_field {
    size_t offset;
    upsweep_type type;
    size_t bytes;
    unsigned flags;
    unsigned reserved[5]; /* must be 0 */
} upsweep_field;

/* Sorts n records of record_bytes bytes each by field_count fields, the first the most important.
 * Stable. UPSWEEP_DESCENDING in options turns the direction of every field (still stable); NaNs
 * stay where the flags say, last by default. The flags for NaNs in options hold for all fields.
 * Scratch: n records + 32 n bytes + 2 MB a thread.
 * Flags: DESCENDING, NAN_FIRST, NAN_RAW, UNSTABLE, IN_PLACE. */
UPSWEEP_API upsweep_status upsweep_sort_records(upsweep *u, void *records, size_t n,
                                                size_t record_bytes, const upsweep_field *fields,
                                                size_t field_count, const upsweep_options *options);

/* qsort_r, parallel and stable: sorts n elements of `bytes` bytes by the caller's order. compare
 * returns <0, 0, >0 and is called from several threads at once (config.threads = 1 avoids that)
 * with pointers into the array or scratch. A comparator that lies (no consistent order) gives some
 * permutation of the input, never a read or write outside it. A comparator must return; leaving it
 * by longjmp or an exception is not allowed. Scratch: n elements; IN_PLACE: at most 1 MB a thread.
 * Flags: DESCENDING, UNSTABLE, IN_PLACE. */
typedef int (*upsweep_compare)(const void *a, const void *b, void *context);
UPSWEEP_API upsweep_status upsweep_sort_by(upsweep *u, void *base, size_t n, size_t bytes,
                                           upsweep_compare compare, void *context,
                                           const upsweep_options *options);

/* Merges sorted a and b into out (na + nb keys); equal keys: a's first. UPSWEEP_DESCENDING and the
 * NaN flags say by which order the inputs are sorted; unsorted input gives some permutation of it.
 * Scratch: O(threads).
 * Flags: DESCENDING, NAN_FIRST, NAN_RAW. */
UPSWEEP_API upsweep_status upsweep_merge(upsweep *u, const void *a, size_t na, const void *b,
                                         size_t nb, void *out, upsweep_type type,
                                         const upsweep_options *options);
/* Merges k sorted runs; runs[i] has counts[i] keys; out has the sum of all counts. Equal keys:
 * lower run first. Scratch: at most the size of out, and 64 bytes a run.
 * Flags: DESCENDING, NAN_FIRST, NAN_RAW. */
UPSWEEP_API upsweep_status upsweep_merge_runs(upsweep *u, const void *const *runs,
                                              const size_t *counts, size_t k, void *out,
                                              upsweep_type type, const upsweep_options *options);

/* *first gets the least i with keys[i] out of order after keys[i - 1], or n if the keys are sorted.
 * No scratch.
 * Flags: DESCENDING, NAN_FIRST, NAN_RAW, UNSTABLE, IN_PLACE. */
UPSWEEP_API upsweep_status upsweep_is_sorted(upsweep *u, const void *keys, size_t n,
                                             upsweep_type type, size_t *first,
                                             const upsweep_options *options);

/* Where each of m wanted keys would go among n sorted keys: places[i] gets how many keys go before
 * wanted[i] (0 to n), and with UPSWEEP_UPPER also those that are equal to it: what std::lower_bound
 * and std::upper_bound find. UPSWEEP_DESCENDING and the flags for NaNs say by which order the keys
 * are sorted; keys that are not give some number from 0 to n. Floating-point keys are equal as
 * numbers, so that zeros of both signs are, and NaNs are; with NAN_RAW by their bits. places: in
 * place_bits (32 or 64) bits. wanted may come in any order; where it rises, searches are faster.
 * places overlaps neither. Scratch: at most 32 KB.
 * Flags: DESCENDING, NAN_FIRST, NAN_RAW, UPPER, UNSTABLE, IN_PLACE. */
UPSWEEP_API upsweep_status upsweep_search_sorted(upsweep *u, const void *keys, size_t n,
                                                 const void *wanted, size_t m, upsweep_type type,
                                                 void *places, unsigned place_bits,
                                                 const upsweep_options *options);

/* Rearranges keys so that keys[k] is what a sort would put there, nothing before it is greater and
 * nothing after it is less; where those stand differs between devices and instruction sets, not
 * between numbers of threads. k < n. Scratch: on a GPU at most n keys, else none.
 * Flags: DESCENDING, NAN_FIRST, NAN_RAW, UNSTABLE, IN_PLACE, LARGEST. */
UPSWEEP_API upsweep_status upsweep_nth_element(upsweep *u, void *keys, size_t n, size_t k,
                                               upsweep_type type, const upsweep_options *options);

/* The k least keys (UPSWEEP_LARGEST: the k greatest), best first, into out; their positions into
 * index (u64, may be NULL). Of equal keys at the border those of the lowest positions are taken;
 * equal keys come in order of position. k <= n. NaN counts as worst for both directions by default.
 * Keys stay as they are. Scratch: O(k), at most 32 n bytes, and up to 1 MB a thread.
 * Flags: DESCENDING, NAN_FIRST, NAN_RAW, UNSTABLE, LARGEST. */
UPSWEEP_API upsweep_status upsweep_top_k(upsweep *u, const void *keys, size_t n, size_t k,
                                         upsweep_type type, void *out, uint64_t *index,
                                         const upsweep_options *options);

/* The same for every row of keys: the k best of row r, best first, at out[r * k] .. out[r * k + k -
 * 1], and their positions within the row, from 0, likewise at index, which may be NULL, in
 * index_bits (32 or 64) bits. Rows are given as to upsweep_sort_rows: begin has rows + 1 offsets,
 * or is NULL, and all rows have n / rows keys. Order, NaNs and equal keys are as upsweep_top_k has
 * them. Where all rows have one length, k is at most that; else a row of fewer than k keys gives
 * all that it has, and the places behind them get keys of zero bits and positions of ones. Keys
 * stay as they are. Offsets that decrease or go beyond n are UPSWEEP_ERROR_RANGE; the outputs are
 * then undefined. Rows of up to 65536 keys go to the threads one by one, longer ones are each
 * worked on by all threads. Scratch: 16 bytes for each key of the longest row that one thread
 * takes, a thread; for longer rows what upsweep_top_k takes. On a GPU a block of threads reads a
 * row once, whatever its length, and there is no scratch but 8 bytes a row with begin; where k is
 * above 2048 (1024 for keys of 64 bits) rows are sorted, in n keys and indices, and up to 16 very
 * long rows of one length are each worked on by all blocks as by upsweep_top_k. With begin, keys of
 * up to 32 bits are then fewer than 2^32 in all, else UPSWEEP_ERROR_UNSUPPORTED.
 * Flags: DESCENDING, NAN_FIRST, NAN_RAW, UNSTABLE, LARGEST. */
UPSWEEP_API upsweep_status upsweep_top_k_rows(upsweep *u, const void *keys, size_t n,
                                              upsweep_type type, const uint64_t *begin, size_t rows,
                                              size_t k, void *out, void *index, unsigned index_bits,
                                              const upsweep_options *options);

/* Removes every key whose bits equal those of the key before it (with NUMBERS, that is equal to it
 * as a number), in place; *kept gets the number left; what stands after those is as it was. Sort
 * first to remove all duplicates. Scratch: at most 1 MB a thread.
 * Flags: DESCENDING, NAN_FIRST, NAN_RAW, IN_PLACE, NUMBERS. */
UPSWEEP_API upsweep_status upsweep_unique(upsweep *u, void *keys, size_t n, upsweep_type type,
                                          size_t *kept, const upsweep_options *options);
/* Run lengths: out_keys[i] and out_counts[i] describe run i of equal bits, or with NUMBERS of equal
 * numbers, of which out_keys[i] is the first; *runs gets how many. Both outputs need room for n
 * elements.
 * Flags: DESCENDING, NAN_FIRST, NAN_RAW, NUMBERS. */
UPSWEEP_API upsweep_status upsweep_run_lengths(upsweep *u, const void *keys, size_t n,
                                               upsweep_type type, void *out_keys,
                                               uint64_t *out_counts, size_t *runs,
                                               const upsweep_options *options);

/* --------------------------------------------------------------------------------------------
 * Reduce and scan
 * ------------------------------------------------------------------------------------------ */

/* Operators of reductions and scans. */
typedef enum upsweep_op {
    UPSWEEP_SUM = 0x101, /* the numbers of 0.1, 1 to 7, are taken, too */
    UPSWEEP_PRODUCT,
    UPSWEEP_LEAST,    /* minimum; NaNs are skipped unless all are NaN; -0 is less than +0 */
    UPSWEEP_GREATEST, /* maximum, likewise */
    UPSWEEP_AND,      /* integers only */
    UPSWEEP_OR,
    UPSWEEP_XOR
} upsweep_op;

/* *result gets the combination of all elements. Its type: for SUM and PRODUCT u64 for unsigned, i64
 * for signed (both modulo 2^64), f64 for floating point, with UPSWEEP_ROUNDED the element type; for
 * the others the element type.
 * n = 0 gives the identity: 0, 1, the greatest and least value of the type (inf and -inf), all
 * ones, 0, 0. Floating-point sums are taken in f64 in a fixed order. So are products: one that
 * overflows on the way, and has a 0 elsewhere, is inf * 0 = NaN where the order lets the two meet.
 * NaN has the bits of the positive quiet NaN of the result's type. Scratch: O(n / 4096).
 * Flags: UNORDERED, ROUNDED. */
UPSWEEP_API upsweep_status upsweep_reduce(upsweep *u, const void *data, size_t n, upsweep_type type,
                                          upsweep_op op, void *result,
                                          const upsweep_options *options);
/* The type of *result of upsweep_reduce without UPSWEEP_ROUNDED; 0 where op is not defined for
 * type. */
UPSWEEP_API upsweep_type upsweep_reduce_type(upsweep_type type, upsweep_op op);

/* Position of the least / greatest element, the first of equals (NaN skipped; 0 if all are NaN).
 * n = 0 is UPSWEEP_ERROR_ARGUMENT.
 * Flags: none. */
UPSWEEP_API upsweep_status upsweep_argmin(upsweep *u, const void *data, size_t n, upsweep_type type,
                                          size_t *index, const upsweep_options *options);
UPSWEEP_API upsweep_status upsweep_argmax(upsweep *u, const void *data, size_t n, upsweep_type type,
                                          size_t *index, const upsweep_options *options);
/* Both extremes in one pass over the data; each result is one element. n = 0 as for reduce.
 * Flags: none. */
UPSWEEP_API upsweep_status upsweep_minmax(upsweep *u, const void *data, size_t n, upsweep_type type,
                                          void *least, void *greatest,
                                          const upsweep_options *options);

/* upsweep_reduce of every row: results, `rows` of them of that call's type, get the same bits as
 * that call gives for each row by itself; a row of no elements gives the identity. Rows are given
 * as to upsweep_sort_rows: row r is data[begin[r]] to data[begin[r + 1] - 1]; begin NULL: all rows
 * have n / rows elements, and n must be a multiple of rows. Offsets that decrease or go beyond n
 * are UPSWEEP_ERROR_RANGE; results are then undefined. Short rows go to the threads one by one.
 * Scratch: what upsweep_reduce takes for the longest row; on a GPU 8 bytes a row with begin, and
 * n / 250 and some KB where rows of one length are few and long.
 * Flags: UNORDERED, ROUNDED. */
UPSWEEP_API upsweep_status upsweep_reduce_rows(upsweep *u, const void *data, size_t n,
                                               upsweep_type type, const uint64_t *begin,
                                               size_t rows, upsweep_op op, void *results,
                                               const upsweep_options *options);
/* upsweep_reduce along one axis of an array of several, in C's order: data has outer x length x
 * inner elements, of which element (o, l, i) is data[(o * length + l) * inner + i], and
 * results[o * inner + i] gets the same bits as that call gives for the `length` elements (o, 0, i)
 * to (o, length - 1, i) by themselves; their identity where length is 0. Axis k of a shape: outer
 * is the product of the extents before it, inner of those behind it. Nothing is moved, and the
 * elements are read as they lie. A product of extents that overflows is UPSWEEP_ERROR_ARGUMENT.
 * Scratch: 144 KB a thread; where length is more than 4096, and 24 bytes for every 4096 elements.
 * Flags: UNORDERED, ROUNDED. */
UPSWEEP_API upsweep_status upsweep_reduce_axis(upsweep *u, const void *data, size_t outer,
                                               size_t length, size_t inner, upsweep_type type,
                                               upsweep_op op, void *results,
                                               const upsweep_options *options);
/* upsweep_argmin and upsweep_argmax of every row: index gets `rows` positions within the rows, from
 * 0, in index_bits (32 or 64) bits. NaN is skipped; 0 if all of a row is NaN. A row of no elements
 * gets a position of ones; where begin is NULL it is UPSWEEP_ERROR_ARGUMENT.
 * Flags: none. */
UPSWEEP_API upsweep_status upsweep_argmin_rows(upsweep *u, const void *data, size_t n,
                                               upsweep_type type, const uint64_t *begin,
                                               size_t rows, void *index, unsigned index_bits,
                                               const upsweep_options *options);
UPSWEEP_API upsweep_status upsweep_argmax_rows(upsweep *u, const void *data, size_t n,
                                               upsweep_type type, const uint64_t *begin,
                                               size_t rows, void *index, unsigned index_bits,
                                               const upsweep_options *options);

/* A caller's operator: accumulator = accumulator (op) element, both of `bytes` bytes. Must be
 * associative up to the differences the caller accepts; it is applied in a fixed order that depends
 * on n only, so results repeat bit by bit. Called from several threads at once. */
typedef void (*upsweep_combine)(void *accumulator, const void *element, void *context);
/* *result (bytes long) must hold the identity on entry.
 * Flags: none. */
UPSWEEP_API upsweep_status upsweep_reduce_by(upsweep *u, const void *data, size_t n, size_t bytes,
                                             upsweep_combine combine, void *context, void *result,
                                             const upsweep_options *options);

/* Prefix combinations. out may be in. Inclusive unless UPSWEEP_EXCLUSIVE. The result has the
 * element type: integers wrap, floats are accumulated in f64 in a fixed order and rounded once per
 * output. LEAST and GREATEST skip NaN. Scratch: O(n / 4096).
 * Flags: EXCLUSIVE, UNORDERED. */
UPSWEEP_API upsweep_status upsweep_scan(upsweep *u, const void *in, void *out, size_t n,
                                        upsweep_type type, upsweep_op op,
                                        const upsweep_options *options);
/* Starts anew at every i with heads[i] != 0 (and at 0).
 * Flags: EXCLUSIVE, UNORDERED. */
UPSWEEP_API upsweep_status upsweep_scan_segmented(upsweep *u, const void *in, const uint8_t *heads,
                                                  void *out, size_t n, upsweep_type type,
                                                  upsweep_op op, const upsweep_options *options);
/* Starts anew wherever keys[i] has other bits than keys[i - 1].
 * Flags: EXCLUSIVE, UNORDERED. */
UPSWEEP_API upsweep_status upsweep_scan_by_key(upsweep *u, const void *keys, upsweep_type key_type,
                                               const void *in, void *out, size_t n,
                                               upsweep_type type, upsweep_op op,
                                               const upsweep_options *options);
/* upsweep_scan of every row, with the same bits as that call gives for each row by itself. Rows are
 * given as to upsweep_reduce_rows; elements in no row keep their value in out, which may be in.
 * Scratch: 192 KB a thread, and what upsweep_scan takes for the longest row; on a GPU as for
 * upsweep_reduce_rows.
 * Flags: EXCLUSIVE, UNORDERED. */
UPSWEEP_API upsweep_status upsweep_scan_rows(upsweep *u, const void *in, void *out, size_t n,
                                             upsweep_type type, const uint64_t *begin, size_t rows,
                                             upsweep_op op, const upsweep_options *options);
/* A caller's operator; identity points to one element. out may be in.
 * Flags: EXCLUSIVE. */
UPSWEEP_API upsweep_status upsweep_scan_by(upsweep *u, const void *in, void *out, size_t n,
                                           size_t bytes, upsweep_combine combine, void *context,
                                           const void *identity, const upsweep_options *options);

/* --------------------------------------------------------------------------------------------
 * Split, buckets, moves. Elements are any `bytes` bytes long here.
 * ------------------------------------------------------------------------------------------ */

/* Stable partition: elements with flag 0 first, then the others; *zeros (may be NULL) gets the
 * number of the former. Scratch: O(n / 4096).
 * Flags: UNSTABLE. */
UPSWEEP_API upsweep_status upsweep_split(upsweep *u, const void *in, const uint8_t *flags,
                                         void *out, size_t n, size_t bytes, size_t *zeros,
                                         const upsweep_options *options);
/* Keeps the elements with flag not 0, in order; *kept gets their number. out needs room for those
 * only; it may be in.
 * Flags: UNSTABLE. */
UPSWEEP_API upsweep_status upsweep_compact(upsweep *u, const void *in, const uint8_t *flags,
                                           void *out, size_t n, size_t bytes, size_t *kept,
                                           const upsweep_options *options);

/* How keys fall into buckets 0 .. count-1. */
typedef enum upsweep_bucketing_kind {
    UPSWEEP_BUCKET_DIGIT = 1, /* bits [bit, bit + bits) of the order-preserving form, 1 to 16 of
                                 them; count must be 2^bits */
    /* count buckets of equal width over [low, high]; the last one takes high itself. Keys outside
     * and NaN: none; for integers that is decided exactly. Edge i is low + i * ((high - low) /
     * count) in f64, and a key, as the nearest f64, belongs to the last edge that is not above it
     * (where f64 tells the edges apart): numpy's rule for f64 and integers. Keys of f16, bf16 and
     * f32 are binned in f64, too, where numpy rounds the edges to the array's type, which moves
     * some keys beside an edge. high - low is a number of f64, and 0 or at least 2^-996, else
     * UPSWEEP_ERROR_ARGUMENT. Where it is 0 the buckets have a unit about it, from 2^49 on, where
     * units are soon nothing, a 2^19th of it. */
    UPSWEEP_BUCKET_WIDTH,
    UPSWEEP_BUCKET_EDGES /* edges: count + 1 ascending keys of the same type; bucket i is
                             [edges[i], edges[i + 1]), the last one closed */
} upsweep_bucketing_kind;
/* Buckets for upsweep_histogram and upsweep_split_keys. */
typedef struct upsweep_bucketing {
    size_t size; /* sizeof(upsweep_bucketing) */
    upsweep_bucketing_kind kind;
    unsigned bit, bits;
    size_t count;    /* at most 2^24 */
    const void *low; /* one element each, for WIDTH; both NULL: the least and greatest key */
    const void *high;
    const void *edges; /* for EDGES */
} upsweep_bucketing;

/* counts[b] is set to the number of keys in bucket b (count elements).
 * Keys in no bucket are not counted. Scratch: one table a thread. On a GPU the host reads edges,
 * and the range of the keys where low and high are NULL: such a call waits for the device and
 * cannot be captured.
 * Flags: none. */
UPSWEEP_API upsweep_status upsweep_histogram(upsweep *u, const void *keys, size_t n,
                                             upsweep_type type, const upsweep_bucketing *buckets,
                                             uint64_t *counts, const upsweep_options *options);
/* Stable multi-way split of keys: out has them bucket by bucket, offsets (count + 1 elements, may
 * be NULL) where each begins. A key in no bucket is UPSWEEP_ERROR_RANGE; out is then undefined.
 * Waits on a GPU where upsweep_histogram does.
 * Flags: UNSTABLE. */
UPSWEEP_API upsweep_status upsweep_split_keys(upsweep *u, const void *keys, void *out, size_t n,
                                              upsweep_type type, const upsweep_bucketing *buckets,
                                              uint64_t *offsets, const upsweep_options *options);
/* The same for any elements, by the caller's bucket ids: ids[i] < count, of type U8, U16 or U32.
 * Flags: UNSTABLE. */
UPSWEEP_API upsweep_status upsweep_split_ids(upsweep *u, const void *in, const void *ids,
                                             upsweep_type id_type, size_t count, void *out,
                                             size_t n, size_t bytes, uint64_t *offsets,
                                             const upsweep_options *options);

/* The same as a list of positions, with room between the buckets: what sends tokens to experts.
 * index[offsets[b]], index[offsets[b] + 1], .. get the positions i with ids[i] = b, ascending;
 * counts[b] says how many they are. Every bucket begins at a multiple of `multiple` (1: no gaps),
 * and one of no elements takes no place; offsets has count + 1 elements, the last where all ends.
 * offsets and counts (count elements) may be NULL. index has `room` elements of index_bits (32 or
 * 64) bits, at least n + min(n, count) * (multiple - 1), the most that can be needed, so that the
 * call need not wait for the counts; all of them are written, and those that are no position of an
 * element are n. An id that is not below count is UPSWEEP_ERROR_RANGE; the outputs are then
 * undefined. Scratch: count + 1 counters of 8 bytes a thread; on a GPU none for up to 65536 ids
 * below 512, which take one launch, else 8 bytes for each bucket and each 4096 ids.
 * Flags: UNSTABLE. */
UPSWEEP_API upsweep_status upsweep_split_ids_index(upsweep *u, const void *ids,
                                                   upsweep_type id_type, size_t count, size_t n,
                                                   size_t multiple, void *index,
                                                   unsigned index_bits, size_t room,
                                                   uint64_t *offsets, uint64_t *counts,
                                                   const upsweep_options *options);

/* out[i] = in[index[i]], i < n; in has in_count elements. index_bits 32 or 64. An index out of
 * range is UPSWEEP_ERROR_RANGE; out is then undefined.
 * Flags: none. */
UPSWEEP_API upsweep_status upsweep_gather(upsweep *u, const void *in, size_t in_count,
                                          const void *index, unsigned index_bits, void *out,
                                          size_t n, size_t bytes, const upsweep_options *options);
/* out[index[i]] = in[i], i < n; out has out_count elements; others keep their value. Of equal
 * indices the highest i wins. An index out of range is UPSWEEP_ERROR_RANGE and out is then as it
 * was.
 * Flags: none. */
UPSWEEP_API upsweep_status upsweep_scatter(upsweep *u, const void *in, const void *index,
                                           unsigned index_bits, void *out, size_t out_count,
                                           size_t n, size_t bytes, const upsweep_options *options);
/* data[index[i]] = old data[i], in place from the caller's view; index must be a permutation of
 * 0 .. n-1, else UPSWEEP_ERROR_RANGE and data is as it was. Scratch: n elements + n bits.
 * Flags: none. */
UPSWEEP_API upsweep_status upsweep_permute(upsweep *u, void *data, const void *index,
                                           unsigned index_bits, size_t n, size_t bytes,
                                           const upsweep_options *options);
/* data[i] changes places with data[n - 1 - i]. No scratch.
 * Flags: none. */
UPSWEEP_API upsweep_status upsweep_reverse(upsweep *u, void *data, size_t n, size_t bytes,
                                           const upsweep_options *options);
/* out[i] = in[n - 1 - i]. out is in, or overlaps it in nothing. No scratch.
 * Flags: none. */
UPSWEEP_API upsweep_status upsweep_reverse_copy(upsweep *u, const void *in, void *out, size_t n,
                                                size_t bytes, const upsweep_options *options);
/* The last two axes of an array of outer x length x inner elements, in C's order, change places:
 * out[(o * inner + i) * length + l] = in[(o * length + l) * inner + i]. So columns become rows,
 * which upsweep_sort_rows and upsweep_scan_rows take; with length and inner exchanged the call
 * goes back. out must not overlap in. A product of extents that overflows is
 * UPSWEEP_ERROR_ARGUMENT. No scratch.
 * Flags: none. */
UPSWEEP_API upsweep_status upsweep_transpose(upsweep *u, const void *in, size_t outer,
                                             size_t length, size_t inner, void *out, size_t bytes,
                                             const upsweep_options *options);

/* --------------------------------------------------------------------------------------------
 * Sorting more than fits into memory
 * ------------------------------------------------------------------------------------------ */

/* A sort under a limit of memory: push the records, in pieces of any size; then pull or write them
 * in order. What does not fit goes to temporary files as sorted runs, while more is pushed, packed
 * by liblz4 where that is there and faster than the disk, and is merged by several threads. Stable.
 * On the CPU. Input: at most some 1000 times the limit and 2^48 bytes. One thread at a time may
 * call; several sorts may run side by side.
 *
 * Sources: Knuth, The Art of Computer Programming 3, 5.4 (runs, merge patterns, forecasting);
 * Rahn, Sanders, Singler, "Scalable distributed-memory external sorting", 2010 (merges split by
 * ranges of keys). */
typedef struct upsweep_external upsweep_external;

/* What upsweep_external_config.key says of records with equal keys, besides the next stage. */
#define UPSWEEP_EXTERNAL_EQUAL UINT64_C(0)  /* they are equal */
#define UPSWEEP_EXTERNAL_COMPARE UINT64_MAX /* only compare can tell */

/* How a sort is opened. What a record is: record_bytes bytes, or all bytes up to one that is `end`.
 * Its order: key and compare, else fields, else type (a record is an element), else its bytes. */
typedef struct upsweep_external_config {
    size_t size;      /* sizeof(upsweep_external_config) */
    size_t limit;     /* bytes of memory, all in all; at least 4 MB, which is what 0 means, too */
    unsigned threads; /* 0: one per core this process may use */
    /* DESCENDING, for bytes, fields and type; NAN_FIRST, NAN_RAW, for fields and type. */
    unsigned flags;
    /* Where temporary files go, which have no names; a list of them is taken by turns, but for full
     * ones. They are copied. directory_count 0: $TMPDIR, or /tmp. Nothing is written before there
     * is need. */
    const char *const *directories;
    size_t directory_count;
    size_t record_bytes; /* 0: records end with the byte `end` */
    size_t end;          /* 0 to 255 */
    /* Of records that are equal only the first is kept: 1. */
    size_t unique;
    const upsweep_field *fields; /* field_count of them, as upsweep_sort_records has them; copied */
    size_t field_count;
    upsweep_type type;
    unsigned reserved; /* must be 0 */
    /* The caller's order. compare returns < 0, 0, > 0. key gives a number for the record whose
     * order agrees with compare as far as it goes: of two records with different keys the one with
     * the lesser key is less. stage is 0 for all records at first. *next says what to do with those
     * that have this key: UPSWEEP_EXTERNAL_EQUAL, UPSWEEP_EXTERNAL_COMPARE, or a stage, of the
     * caller's choice, that is asked next of just these, and is the same for all of them. Of what
     * several of them say, the greatest counts. Called from several threads at once. `bytes` are
     * those of the record without its end; 64 bytes behind them may be read. */
    uint64_t (*key)(void *context, uint64_t stage, const void *record, size_t bytes,
                    uint64_t *next);
    int (*compare)(void *context, const void *a, size_t a_bytes, const void *b, size_t b_bytes);
    void *context;
    /* Both or neither, as in upsweep_config: called once, for the one block of memory that a sort
     * takes besides its handle and the stacks of its threads. */
    void *(*allocate)(void *context, size_t bytes, size_t alignment);
    void (*release)(void *context, void *pointer, size_t bytes);
    void *allocate_context;
} upsweep_external_config;

/* All defaults; set limit, what a record is and its order after it. */
#define UPSWEEP_EXTERNAL_CONFIG_INIT                                                               \
    {                                                                                              \
        sizeof(upsweep_external_config), 0, 0, 0, NULL, 0, 0, 0, 0, NULL, 0, UPSWEEP_NO_TYPE, 0,   \
            NULL, NULL, NULL, NULL, NULL, NULL                                                     \
    }

/* What a sort has done so far. */
typedef struct upsweep_external_report {
    size_t size;             /* sizeof(upsweep_external_report) */
    uint64_t records, bytes; /* pushed; records are counted when they are sorted */
    uint64_t runs;           /* written, or found in sources, before the merge */
    uint64_t merges;         /* of runs to longer runs, before the last one */
    uint64_t written;        /* bytes to temporary files */
    uint64_t temporary;  /* the most bytes that these held at once, given back ones counted off */
    uint64_t ranges;     /* of the last merge */
    uint64_t threads;    /* that merged */
    uint64_t refused_at; /* the byte of all pushed where the record begins that is too long */
    double sort_seconds, write_seconds; /* of all threads: runs, and writing them */
    double merge_seconds;               /* by the clock: the merges */
    uint64_t merged;                    /* bytes that the last merge has written or given so far */
    /* Bytes that were packed on their way to temporary files, and how many they were then. */
    uint64_t packed_from, packed_to;
} upsweep_external_report;

/* An empty report, for a call to fill. */
#define UPSWEEP_EXTERNAL_REPORT_INIT                                                               \
    {                                                                                              \
        sizeof(upsweep_external_report), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0               \
    }

/* Begins a sort. On failure *x is NULL. ERROR_ARGUMENT, also for record_bytes above about a
 * twentieth of the limit; ERROR_MEMORY. */
UPSWEEP_API upsweep_status upsweep_external_open(upsweep_external **x,
                                                 const upsweep_external_config *config);
/* Takes bytes of records, wherever the piece ends. ERROR_RANGE: a record is longer than about a
 * tenth of the limit, or a gigabyte; ERROR_FILE: temporary files cannot be made or written;
 * ERROR_MEMORY. After a failure every call returns the same, and the sort can only be closed. */
UPSWEEP_API upsweep_status upsweep_external_push(upsweep_external *x, const void *bytes,
                                                 size_t count);
/* The same without a copy: *at gets room for up to *count bytes, at least one; then
 * upsweep_external_pushed says how many have been put there. */
UPSWEEP_API upsweep_status upsweep_external_room(upsweep_external *x, void **at, size_t *count);
UPSWEEP_API upsweep_status upsweep_external_pushed(upsweep_external *x, size_t count);
/* The same of all that `next` gives, until it gives no more; more may be pushed afterwards. next
 * sets *piece and *bytes to the next piece, of any size, of one byte or none, wherever it ends. It
 * is the caller's and must last until the next call of next, or the end of this one. *piece NULL,
 * as next finds it, with *bytes 0: there is no more. next is called by the calling thread, while
 * others sort what has come, and may not call anything on x. A status of it other than UPSWEEP_OK,
 * such as UPSWEEP_STOPPED, comes back as it is, and the sort can only be closed then, as after the
 * other failures, which are those of upsweep_external_push; next is not called after one. */
UPSWEEP_API upsweep_status upsweep_external_push_from(
    upsweep_external *x, upsweep_status (*next)(void *context, const void **piece, size_t *bytes),
    void *context);
/* Says that what is pushed from now on, until the next such call, are the bytes of the regular file
 * fd from byte `at` on, one after the other; fd -1: of no file. Records that stand in order there,
 * in rising or strictly falling runs, are then not written to temporary files, but read again from
 * that file while they are merged. So it must not change before the sort is closed, but that it may
 * grow, and the output must not be written over it: where its bytes are others by then the sort
 * ends with ERROR_FILE. The library keeps a descriptor of its own. It is advice: what is no regular
 * file, or the 65th one, is sorted as if nothing had been said. */
UPSWEEP_API upsweep_status upsweep_external_source(upsweep_external *x, int fd, uint64_t at);
/* There is no more to push. A last record that lacks its end byte gets one; a piece of a record of
 * fixed size is ERROR_ARGUMENT. */
UPSWEEP_API upsweep_status upsweep_external_sort(upsweep_external *x);
/* After upsweep_external_sort: the next sorted records, whole ones, as many as are at hand. They
 * may be read until the next call. *bytes is 0 when all have been given. */
UPSWEEP_API upsweep_status upsweep_external_pull(upsweep_external *x, const void **records,
                                                 size_t *bytes);
/* Or all of them, those that have not been pulled, to `take`, in order, in pieces of whole records,
 * one byte or more, which may be read until take returns. take is called by the calling thread,
 * while others merge, and may not call anything on x. A status of it other than UPSWEEP_OK comes
 * back as it is, and the sort can only be closed then. */
UPSWEEP_API upsweep_status upsweep_external_pull_to(
    upsweep_external *x, upsweep_status (*take)(void *context, const void *records, size_t bytes),
    void *context);
/* Or all of them to a file descriptor: to a regular file from its position on, by several threads,
 * with the position behind them afterwards; else one after the other. One that has O_DIRECT gets
 * whole pages past the page cache, and the rest by another descriptor of the file, made through
 * /proc; where there is none, it loses O_DIRECT. ERROR_FILE: it cannot be written; *number, if
 * number is not NULL, is errno then, and 0 else. */
UPSWEEP_API upsweep_status upsweep_external_write(upsweep_external *x, int fd, int *number);
/* One sentence on the first failure, "" if there was none. Valid until the sort is closed. */
UPSWEEP_API const char *upsweep_external_error(const upsweep_external *x);
UPSWEEP_API upsweep_status upsweep_external_last_report(upsweep_external *x,
                                                        upsweep_external_report *report);
/* Ends it, whatever has been done; NULL is allowed. Temporary files are gone. */
UPSWEEP_API void upsweep_external_close(upsweep_external *x);

/* --------------------------------------------------------------------------------------------
 * Graphs and shortest paths
 * ------------------------------------------------------------------------------------------ */

/* A graph: vertices 0 .. n-1, arcs with a tail, a head and a weight that is not negative. It is
 * made once, never changes, and may be used by several threads at once, each with a handle of its
 * own. The first query on a GPU copies it there (8 bytes a vertex, and an arc as below), beyond any
 * scratch limit; the copy serves all handles and threads and lasts as long as the graph. Queries
 * cannot be captured in a CUDA graph. */
typedef struct upsweep_graph upsweep_graph;

enum {
    UPSWEEP_GRAPH_UNDIRECTED = 1 << 16, /* every arc also goes from its head to its tail */
    /* The arcs as given hold every edge in both directions, which saves queries work on graphs of
     * many arcs a vertex. It is checked: UPSWEEP_ERROR_RANGE if it is not so. */
    UPSWEEP_GRAPH_SYMMETRIC = 1 << 17,
    /* Weights may be negative, and I32 and I64 are types for them; infinity may not. Such a graph
     * is for upsweep_bellman_ford; the other queries take it if no arc is negative. */
    UPSWEEP_GRAPH_NEGATIVE = 1 << 18
};

/* Makes a graph of arc_count arcs tail[i] -> head[i] of weight[i]. weight_type: U32, U64, F32, F64,
 * or
 * 0 with weight NULL: every arc counts 1. Several arcs between two vertices and arcs from a vertex
 * to itself are allowed. An id out of range, a negative weight or NaN is UPSWEEP_ERROR_RANGE, and
 * upsweep_error() names the arc (counted from 0). The arrays are copied: 8 bytes an arc (12 for
 * weights of 64 bits, 4 for none) and 8 bytes a vertex, from the handle's allocator; free the graph
 * while the handle is open. vertex_count <= 2^32 - 2. Where most vertices have two neighbours, as
 * on maps of roads, and weights are whole, a copy without them is kept, too: 24 to 32 bytes a
 * vertex (36 to 52 for weights of 64 bits), the more the more arcs have no opposite. */
UPSWEEP_API upsweep_status upsweep_graph_from_arcs(upsweep *u, size_t vertex_count,
                                                   size_t arc_count, const uint32_t *tail,
                                                   const uint32_t *head, const void *weight,
                                                   upsweep_type weight_type, unsigned flags,
                                                   upsweep_graph **graph);
/* The same from compressed rows: the arcs of vertex v are begin[v] .. begin[v + 1] - 1; begin has
 * vertex_count + 1 elements, begin[0] = 0, and never decreases. */
UPSWEEP_API upsweep_status upsweep_graph_from_rows(upsweep *u, size_t vertex_count,
                                                   const uint64_t *begin, const uint32_t *head,
                                                   const void *weight, upsweep_type weight_type,
                                                   unsigned flags, upsweep_graph **graph);
UPSWEEP_API void upsweep_graph_free(upsweep_graph *graph);

/* What a graph has. */
typedef struct upsweep_graph_info {
    size_t size;           /* sizeof(upsweep_graph_info) */
    size_t vertices, arcs; /* arcs as stored: undirected ones count twice */
    upsweep_type weight_type;
    upsweep_type distance_type; /* what upsweep_paths writes: U32 for none and U32, else the same */
    double weight_mean, weight_max;
    size_t degree_max; /* arcs that leave one vertex */
    size_t bytes;      /* of memory it takes */
} upsweep_graph_info;
/* For upsweep_graph_describe to fill. */
#define UPSWEEP_GRAPH_INFO_INIT                                                                    \
    {                                                                                              \
        sizeof(upsweep_graph_info), 0, 0, UPSWEEP_NO_TYPE, UPSWEEP_NO_TYPE, 0, 0, 0, 0             \
    }
/* Fills info. Any thread. */
UPSWEEP_API upsweep_status upsweep_graph_describe(const upsweep_graph *graph,
                                                  upsweep_graph_info *info);

#define UPSWEEP_NO_VERTEX UINT32_MAX /* the parent of a source and of what is not reached */

/* How far a search goes, and by which method. */
typedef struct upsweep_path_options {
    size_t size;             /* sizeof(upsweep_path_options) */
    const char *algorithm;   /* "path/bucket"; NULL: chosen for you */
    const uint32_t *targets; /* stop as soon as all these have their distance */
    size_t target_count;
    const void *cutoff; /* one distance: what lies farther counts as not reached; NULL: none */
    double delta;       /* width of a bucket; 0: chosen from the weights */
} upsweep_path_options;

/* distance[v] gets the length of the shortest path from the nearest of the sources to v
 * (vertex_count elements of distance_type); what is not reached gets the greatest value of the type
 * (infinity for floats). parent, if not NULL, gets the vertex before v on such a path: of several
 * the one with the least id, whatever the threads; UPSWEEP_NO_VERTEX for sources and what is not
 * reached. With targets, what lies farther than the farthest target counts as not reached. A
 * distance that does not fit its type is UPSWEEP_ERROR_RANGE, never a wrap. Scratch: the queue,
 * which is 1 MB, about 8 to 16 bytes an arc at worst, and where most arcs are never looked at 4
 * bytes a vertex; after that, with parents, 8 bytes a vertex. Threads that share a search begin
 * with 16 bytes a vertex (32 for distances of 64 bits) and 1.1 MB each, of which they touch little.
 * On a GPU 20 bytes a vertex (40 for distances of 64 bits), 8 more with parents, and 16 for each
 * 400 arcs.
 * The outputs are undefined after an error. On a handle on "auto", host arrays go to the GPU where
 * the search is predicted to be faster there: small graphs, and roads up to some 200,000 vertices,
 * stay on the CPU, and the report says so. */
UPSWEEP_API upsweep_status upsweep_paths(upsweep *u, const upsweep_graph *graph,
                                         const uint32_t *sources, size_t source_count,
                                         void *distance, uint32_t *parent,
                                         const upsweep_path_options *options);
/* The same in a graph given as a matrix: the arc from i to j weighs matrix[i * n + j], of `type`
 * U32, U64, F32 or F64; the greatest value of the type (infinity for floats) means that there is no
 * such arc, and the diagonal is not looked at. Dijkstra's algorithm with the minimum found by
 * vectors: n^2 steps whatever the arcs, so for graphs with a large share of all arcs
 * (docs/numbers.md); sparser ones are faster as a upsweep_graph. A negative or NaN weight that is
 * met is UPSWEEP_ERROR_RANGE. One thread, or a GPU (up to 2^22 vertices). Scratch: 16 bytes a
 * vertex. */
UPSWEEP_API upsweep_status upsweep_paths_dense(upsweep *u, const void *matrix, size_t n,
                                               upsweep_type type, const uint32_t *sources,
                                               size_t source_count, void *distance,
                                               uint32_t *parent,
                                               const upsweep_path_options *options);

/* ---- many sources, each a query of its own ---- */

enum {
    UPSWEEP_PATHS_PARENTS = 1 << 20, /* upsweep_paths_batch: rows have parents */
    UPSWEEP_PATHS_REACHED = 1 << 21  /* upsweep_paths_batch: rows have the vertices reached only */
};

/* The same for many searches, one for each source. */
typedef struct upsweep_batch_options {
    size_t size;           /* sizeof(upsweep_batch_options) */
    const char *algorithm; /* "path/bucket"; NULL: chosen for you */
    /* With targets a row has a column for each of them, in their order, and a query stops when all
     * are reached; without, a column for each vertex. target_begin NULL: every source has all
     * target_count targets. Else source s has targets[target_begin[s] .. target_begin[s + 1] - 1];
     * target_begin has source_count + 1 elements that never decrease, and target_count is not
     * looked at: one target a source makes a list of pairs. */
    const uint32_t *targets;
    size_t target_count;
    const uint64_t *target_begin;
    const void *cutoff;  /* one distance for all; NULL: none */
    const void *cutoffs; /* or source_count distances, one for each source; NULL: cutoff holds */
    double delta;        /* width of a bucket; 0: chosen from the weights */
    unsigned flags;      /* UPSWEEP_PATHS_... */
} upsweep_batch_options;

/* The outcome for one source. It lasts for the call of the sink. */
typedef struct upsweep_path_row {
    size_t number;          /* of the source in sources */
    uint32_t source;        /* its vertex */
    size_t count;           /* columns */
    const uint32_t *vertex; /* vertex[k] is that of column k; NULL: it is k itself */
    const void *distance;   /* count elements of the graph's distance_type */
    const uint32_t *parent; /* count parents, or NULL without UPSWEEP_PATHS_PARENTS */
} upsweep_path_row;

/* Returns 0 to go on; anything else ends the batch with UPSWEEP_STOPPED. It must not use the
 * handle. */
typedef int (*upsweep_path_sink)(void *context, const upsweep_path_row *row);

/* Finds the paths from each of the sources and gives sink one row a source, in the order of the
 * sources, one at a time (not always on the calling thread). Sources run side by side on the
 * handle's threads. What a row means is as for upsweep_paths; with UPSWEEP_PATHS_REACHED (and no
 * targets) it has only the vertices that are reached, in ascending order, and a query that reaches
 * few costs no look at the others. Scratch: for each thread 7 bytes a vertex (11 for distances of
 * 64 bits), 12 more with parents, the queue, and at least two rows. After an error, rows that were
 * given count. On a GPU ("path/bucket" only) a block of threads searches for each source, some
 * hundreds side by side: 28 bytes a vertex for each (48 for distances of 64 bits), in all up to
 * 2 GB, and a wave of rows of up to 1 GB. */
UPSWEEP_API upsweep_status upsweep_paths_batch(upsweep *u, const upsweep_graph *graph,
                                               const uint32_t *sources, size_t source_count,
                                               const upsweep_batch_options *options,
                                               upsweep_path_sink sink, void *context);
/* The same into the caller's arrays, row by row: distance[s * columns + k] for column k of source
 * s, or, with target_begin, distance[target_begin[s] + k]; parent, if not NULL, likewise. options
 * may be NULL; its flags must be 0. The outputs are undefined after an error. */
UPSWEEP_API upsweep_status upsweep_paths_matrix(upsweep *u, const upsweep_graph *graph,
                                                const uint32_t *sources, size_t source_count,
                                                const upsweep_batch_options *options,
                                                void *distance, uint32_t *parent);

/* ---- negative weights ---- */

/* Shortest paths where weights may be negative, by Bellman and Ford's method with a queue: O(n m)
 * at worst. distance and parent are as for upsweep_paths, in the graph's distance_type; of several
 * shortest paths parents follow one of the fewest arcs, and then the least id. If a cycle of
 * negative length can be reached, the call is UPSWEEP_ERROR_RANGE and cycle, if not NULL, gets the
 * vertices of one such cycle in the order of its arcs and *cycle_length their number; on entry it
 * says how many cycle has room for (vertex_count always suffices; what has no room is left out). In
 * all other cases *cycle_length becomes 0. A distance that does not fit is UPSWEEP_ERROR_RANGE too.
 * One thread. Scratch: 16 bytes a vertex. */
UPSWEEP_API upsweep_status upsweep_bellman_ford(upsweep *u, const upsweep_graph *graph,
                                                const uint32_t *sources, size_t source_count,
                                                void *distance, uint32_t *parent, uint32_t *cycle,
                                                size_t *cycle_length);

/* Writes the vertices of the path to `target` (source first) to path and their number to *length,
 * which on entry says how many path has room for (vertex_count always suffices). A target that is
 * not reached, or is the source itself, has a path of one vertex; parents that run in a circle are
 * UPSWEEP_ERROR_RANGE. No handle is needed. */
UPSWEEP_API upsweep_status upsweep_path_of(const uint32_t *parent, size_t vertex_count,
                                           uint32_t target, uint32_t *path, size_t *length);

/* --------------------------------------------------------------------------------------------
 * The algorithms, and watching them
 * ------------------------------------------------------------------------------------------ */

/* Bits of upsweep_algorithm.claims; each is tested. */
enum {
    UPSWEEP_CLAIM_STABLE = 1 << 0,
    UPSWEEP_CLAIM_IN_PLACE = 1 << 1,  /* the explained form uses no second array */
    UPSWEEP_CLAIM_OBLIVIOUS = 1 << 2, /* which elements meet depends on n only: a network */
    UPSWEEP_CLAIM_DETERMINISTIC = 1 << 3
};

/* An algorithm of `upsweep list`: a row of the table, in words. Static. */
typedef struct upsweep_algorithm {
    const char *name;      /* "sort/oddeven" */
    const char *operation; /* "sort", "reduce", "scan", "split", "path" */
    const char *title;     /* "Odd-even transposition sort" */
    const char *idea;      /* one line */
    const char *work;      /* operations in all; ends with what is counted: compares, moves, ... */
    const char *depth;     /* rounds: "n" */
    const char *source;    /* where the method comes from */
    const char *input;     /* what upsweep_trace takes for it, in words */
    const char *example;   /* numbers to try it with */
    const char *text;      /* the page comment of its explained form */
    unsigned claims;
} upsweep_algorithm;

/* Which forms of an algorithm there are: bits of UPSWEEP_FORM_... */
enum { UPSWEEP_FORM_EXPLAINED = 1, UPSWEEP_FORM_CPU = 2, UPSWEEP_FORM_CUDA = 4 };

/* How many algorithms there are, and number i of them (in reading order), NULL past the end.
 * Static. upsweep_find takes a name and returns NULL when there is none such. */
UPSWEEP_API size_t upsweep_algorithm_count(void);
UPSWEEP_API const upsweep_algorithm *upsweep_algorithm_at(size_t i);
UPSWEEP_API const upsweep_algorithm *upsweep_find(const char *name);
UPSWEEP_API unsigned upsweep_forms(const upsweep_algorithm *a);
/* Rounds the explained form takes for n elements by the formula of its row; 0 where they depend on
 * the data. Work likewise (its unit is in upsweep_algorithm.work). */
UPSWEEP_API uint64_t upsweep_rounds(const upsweep_algorithm *a, size_t n);
UPSWEEP_API uint64_t upsweep_work(const upsweep_algorithm *a, size_t n);

/* What an explained form tells as it runs. docs/trace.md describes every kind. */
typedef enum upsweep_event_kind {
    UPSWEEP_EVENT_BEGIN = 1, /* text = name of the algorithm; count = n */
    UPSWEEP_EVENT_PHASE,     /* text = name of the phase that starts */
    UPSWEEP_EVENT_ROUND,     /* a round starts: all lanes of it act at once; text = its label */
    UPSWEEP_EVENT_COMPARE,   /* lane compares array[i] = a with other[j] = b */
    UPSWEEP_EVENT_SWAP,      /* lane exchanged array[i] and array[j]; a and b are there now */
    UPSWEEP_EVENT_MOVE,      /* lane copies a from array[i] to other[j] */
    UPSWEEP_EVENT_COMBINE,   /* lane sets array[i] = a, which combines array[i] and other[j] = b */
    UPSWEEP_EVENT_SET,       /* lane sets array[i] = a */
    UPSWEEP_EVENT_ARRAY,     /* the state of an array now: values, count; i = elements of a vector
                                where they come in vectors; text = "result" for what a step made,
                                "distances" where 2^32 - 1 means not reached, "buckets" where they
                                say which bucket an element is in, "scan" where each is the sum of
                                those before it in the array as it was shown before, else NULL */
    UPSWEEP_EVENT_END_ROUND, /* the round is over */
    UPSWEEP_EVENT_NOTE,      /* text for the reader */
    UPSWEEP_EVENT_END        /* the last event */
} upsweep_event_kind;

/* One step, as a sink sees it. */
typedef struct upsweep_event {
    upsweep_event_kind kind;
    uint64_t round; /* from 0, over all phases; between rounds the number of those that are over */
    uint64_t lane;
    const char *array; /* "a", "flags", "I_down", "tree", ... */
    const char *other; /* second array of COMPARE, SWAP, MOVE and COMBINE, often the same */
    uint64_t i, j;
    uint32_t a, b;
    const char *text;
    const uint32_t *values; /* of ARRAY; valid during the call only */
    size_t count;
    const char *file; /* where the explained form tells this: "algo/sort_oddeven.c"; NULL for BEGIN,
                         END_ROUND and END */
    unsigned line;    /* in file, from 1; 0 where file is NULL */
} upsweep_event;

/* Returns 0 to go on; anything else ends the trace with UPSWEEP_STOPPED and is not called again. */
typedef int (*upsweep_sink)(void *context, const upsweep_event *event);

/* Runs the explained form of an algorithm on a copy of values (n of them; upsweep_algorithm.input
 * says what they mean) and tells sink, unless it is NULL, every step, on the calling thread.
 * result, if not NULL, gets the outcome and may be values: n values for sorts, scans, splits and
 * butterflies, one for trees, one distance a vertex (vertices are numbered from 0, below n) for
 * paths. Events and what they point to last for the call of sink only. No handle is needed. Memory:
 * O(n) by malloc. Any thread. */
UPSWEEP_API upsweep_status upsweep_trace(const char *name, const uint32_t *values, size_t n,
                                         uint32_t *result, upsweep_sink sink, void *context);

/* --------------------------------------------------------------------------------------------
 * Films: what a real run does to an array in device memory, drawn straight from there
 * ------------------------------------------------------------------------------------------ */

/* Pictures of an array in device memory, taken between the kernels of a real run. */
typedef struct upsweep_film upsweep_film;

/* A picture of the array. */
typedef struct upsweep_picture {
    size_t size; /* sizeof(upsweep_picture) */
    /* After which it was taken; "start" for the first; lasts as the film does. */
    const char *kernel;
    size_t number;  /* kernels that had run since the film was opened */
    size_t changed; /* elements that differ from the picture before */
} upsweep_picture;
#define UPSWEEP_PICTURE_INIT                                                                       \
    {                                                                                              \
        sizeof(upsweep_picture), NULL, 0, 0                                                        \
    }

/* Makes an array of n elements in the memory of the handle's GPU, a copy of values (of the host's
 * memory or the device's), for the caller to sort, scan, ... by calls on u. Until the film is
 * closed a copy of it is kept after each kernel that these calls queue, in device memory, and in at
 * most `limit` bytes (at least two pictures are made room for): when they are full every second
 * picture is let go, and from then on every second kernel has none. Calls on the host's memory
 * leave no pictures, nor do graphs that replay. One film a handle at a time; u must be on a GPU
 * and outlive the film. Memory: limit and the array, allocated here. The film is used from one
 * thread. */
UPSWEEP_API upsweep_status upsweep_film_open(upsweep *u, const void *values, size_t n,
                                             upsweep_type type, size_t limit, upsweep_film **film);
/* The array, in device memory; NULL for film NULL. */
UPSWEEP_API void *upsweep_film_array(const upsweep_film *film);
/* Waits, lets go of pictures that equal the one before, and tells how many there are. */
UPSWEEP_API upsweep_status upsweep_film_count(upsweep_film *film, size_t *count);
UPSWEEP_API upsweep_status upsweep_film_at(const upsweep_film *film, size_t i,
                                           upsweep_picture *picture);
/* Copies picture i to values, in the host's memory, and waits. */
UPSWEEP_API upsweep_status upsweep_film_read(upsweep_film *film, size_t i, void *values);
/* Registers an OpenGL buffer with CUDA, by its name in the context of OpenGL that is current on
 * this thread and belongs to the same GPU; it has room for 8 n bytes. 0: gives the one before back.
 * UPSWEEP_ERROR_DEVICE where OpenGL and CUDA do not share a device. */
UPSWEEP_API upsweep_status upsweep_film_attach(upsweep_film *film, unsigned gl_buffer);
/* Maps the buffer, has a kernel write n vertices of two floats into it, and unmaps it: the share
 * that the element has of the way from low to high, within 0 .. 1, and 1 if it differs from the
 * picture before, else 0. Nothing comes to the host. */
UPSWEEP_API upsweep_status upsweep_film_draw(upsweep_film *film, size_t i, double low, double high);
/* The same registration for a pixel buffer that upsweep_film_cells fills, of room for 2 bytes a
 * cell. */
UPSWEEP_API upsweep_status upsweep_film_attach_pixels(upsweep_film *film, unsigned gl_buffer);
/* How the elements of picture i lie, for arrays of far more elements than a screen has pixels.
 * Column c of `columns` holds the elements from c n / columns on, below the next one's; row r of
 * `rows` (at most 4096) those whose share of the way from low to high begins with r / rows, those
 * outside in the rows at the ends. A cell is two bytes, at 2 (c rows + r): 0 if it is empty, else
 * 1 to 255, by the logarithm of 1 + its elements against that of 1 + the column's; and how many of
 * them differ from the picture before, 0 if none does, else 1 to 255 for all. With cells NULL the
 * attached pixel buffer is mapped, a kernel writes the cells there, and it is unmapped: nothing
 * comes to the host. Else they are copied to cells, in the host's memory. */
UPSWEEP_API upsweep_status upsweep_film_cells(upsweep_film *film, size_t i, double low, double high,
                                              size_t columns, size_t rows, uint8_t *cells);
/* Bytes of pictures that were copied to the host: by upsweep_film_read, and by upsweep_film_cells
 * with an address there. */
UPSWEEP_API uint64_t upsweep_film_bytes_read(const upsweep_film *film);
/* NULL is allowed. */
UPSWEEP_API void upsweep_film_close(upsweep_film *film);

#ifdef __cplusplus
}
#endif
#endif
