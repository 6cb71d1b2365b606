/* write_combining.h - stores that go past the cache, for scatters to many places: such a scatter
 * collects the elements of each place in a line of its own and writes full lines at once. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_CPU_BUCKETS_WRITE_COMBINING_H
#define USW_CPU_BUCKETS_WRITE_COMBINING_H

#include <stddef.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Copies `bytes` bytes, a multiple of 64; both ends are aligned to 64. */
static inline void stream_line(void *to, const void *from, size_t bytes)
{
#if defined(__AVX512F__)
    for (size_t i = 0; i < bytes; i += 64) {
        _mm512_stream_si512((void *)((char *)to + i),
                            _mm512_load_si512((const void *)((const char *)from + i)));
    }
#elif defined(__x86_64__)
    for (size_t i = 0; i < bytes; i += 16) {
        _mm_stream_si128((__m128i *)(void *)((char *)to + i),
                         _mm_load_si128((const __m128i *)(const void *)((const char *)from + i)));
    }
#else
    memcpy(to, from, bytes);
#endif
}

/* After the last stream_line of a thread, before another thread reads. */
static inline void stream_end(void)
{
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

#endif
