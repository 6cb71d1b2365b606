/* rival.h - what one contestant of the bench offers. A rival is one source file in bench/rivals/
 * and one program (worker.c linked with it), so that rivals share no heap, threads or code. */
#ifndef BENCH_RIVAL_H
#define BENCH_RIVAL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum bench_type { BENCH_U32, BENCH_U64, BENCH_I32, BENCH_I64, BENCH_F32, BENCH_F64, BENCH_TYPES };

/* Every function returns 0 when done and 1 for what the rival does not offer; NULL: none of it.
 * threads: at most that many; a rival that knows only one thread runs with one. */
typedef struct bench_rival {
    const char *name;
    int (*open)(unsigned threads); /* called once a process; NULL: nothing to do */
    int (*keys)(enum bench_type type, void *keys, size_t n, unsigned threads);
    int (*stable)(enum bench_type type, void *keys, size_t n, unsigned threads);
    int (*pairs)(enum bench_type type, void *keys, void *values, size_t n, unsigned threads);
    int (*argsort)(enum bench_type type, const void *keys, uint32_t *index, size_t n,
                   unsigned threads);
    int (*reduce)(enum bench_type type, const void *keys, size_t n, unsigned threads);
    int (*scan)(enum bench_type type, const void *in, void *out, size_t n, unsigned threads);
} bench_rival;

extern const bench_rival rival;

#ifdef __cplusplus
}
#endif
#endif
