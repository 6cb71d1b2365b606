/* write_past_cache.h - copying a finished tile past the caches.
 *
 * A result larger than the caches costs a read for every write, since a core fetches a line before
 * it changes it. Non-temporal stores of whole lines do without; so a tile is made in the first
 * cache and then copied out line by line. Included by CPU forms only. */
#ifndef USW_CPU_FOLDS_WRITE_PAST_CACHE_H
#define USW_CPU_FOLDS_WRITE_PAST_CACHE_H

#include "cpu/body.h"

/* Bytes of output from which streaming pays: the last-level cache's share of a core or two. */
#define USW_STREAM_FROM ((size_t)32 << 20)

static inline void stream_copy(void *to, const void *from, size_t bytes)
{
#if USW_HAVE_X86
    enum { LINE = 64 };
    unsigned char *out = to;
    const unsigned char *in = from;
    size_t head = usw_min(bytes, (LINE - (uintptr_t)out % LINE) % LINE);
    memcpy(out, in, head);
    size_t i = head;
    for (; i + LINE <= bytes; i += LINE) {
#if USW_LEVEL == 2
        _mm512_stream_si512((__m512i *)(void *)(out + i), _mm512_loadu_si512(in + i));
#elif USW_LEVEL == 1
        for (int k = 0; k < LINE; k += 32) {
            __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(in + i + k));
            _mm256_stream_si256((__m256i *)(void *)(out + i + k), v);
        }
#else
        for (int k = 0; k < LINE; k += 16) {
            __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(in + i + k));
            _mm_stream_si128((__m128i *)(void *)(out + i + k), v);
        }
#endif
    }
    memcpy(out + i, in + i, bytes - i);
#else
    memcpy(to, from, bytes);
#endif
}

/* Streamed lines are seen by other threads only after a fence. */
static inline void stream_end(void)
{
#if USW_HAVE_X86
    _mm_sfence();
#endif
}

#endif
