/* gather.cuh - writes strings in the order of an index, one behind the other.
 *
 * A block has a range of the output, of which it makes 4 KB at a time: it loads where the strings
 * there begin and where they come from, then each thread makes 16 bytes of them and stores these at
 * once. Where 4 KB have more than 1023 strings each thread searches by itself. */
/* SPDX-License-Identifier: MIT */
#ifndef USW_GPU_STRINGS_GATHER_CUH
#define USW_GPU_STRINGS_GATHER_CUH

#include "gpu/strings/string_order.cuh"

enum : unsigned {
    USW_GATHER_THREADS = 256,
    USW_GATHER_PIECE = 16, /* bytes of a thread */
    USW_GATHER_SPAN = USW_GATHER_THREADS * USW_GATHER_PIECE,
    USW_GATHER_STRINGS = 1024
};

/* Strings of the output: where they begin, and one place behind them, and where they come from. */
struct usw_gather_span {
    uint64_t begins[USW_GATHER_STRINGS];
    const unsigned char *from[USW_GATHER_STRINGS];
    uint64_t first; /* which string the first one is */
};

/* The last of strings low to n - 1 that begins at `place` or before: of some that begin there all
 * but the last are empty. */
template <typename I>
__device__ __forceinline__ uint64_t usw_string_at(const I *offsets, uint64_t low, uint64_t n,
                                                  uint64_t place)
{
    uint64_t high = n - 1;
    while (low < high) {
        const uint64_t middle = low + (high - low + 1) / 2;
        if (offsets[middle] <= place) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

/* 16 bytes, the first being the highest of `high`. */
struct usw_gather_piece {
    uint64_t high, low;

    /* Up to 16 - at bytes of a string, from byte `at` of the piece on. */
    __device__ __forceinline__ void put(const usw_string_list &strings, const unsigned char *from,
                                        unsigned count, unsigned at)
    {
        const uint64_t a = strings.word(from, count);
        const uint64_t b = count > 8 ? strings.word(from + 8, count - 8) : 0;
        if (at >= 8) {
            low |= a >> (8 * at - 64);
        } else {
            high |= a >> (8 * at);
            low |= b >> (8 * at) | (at > 0 ? a << (64 - 8 * at) : 0);
        }
    }
    /* Bytes begin to end - 1 of the piece, which is aligned, as memory has it. */
    __device__ __forceinline__ void store(unsigned char *to, unsigned begin, unsigned end) const
    {
        if (begin == 0 && end == USW_GATHER_PIECE) {
            *reinterpret_cast<uint4 *>(to) =
                make_uint4(__byte_perm(static_cast<unsigned>(high >> 32), 0, 0x0123),
                           __byte_perm(static_cast<unsigned>(high), 0, 0x0123),
                           __byte_perm(static_cast<unsigned>(low >> 32), 0, 0x0123),
                           __byte_perm(static_cast<unsigned>(low), 0, 0x0123));
            return;
        }
        for (unsigned i = begin; i < end; i++) {
            to[i] = static_cast<unsigned char>((i < 8 ? high : low) >> (56 - 8 * (i % 8)));
        }
    }
};

/* Loads the strings that begin before `end`, from span.first on; returns how many these are, or
 * USW_GATHER_STRINGS if there is no room for them. */
template <typename I, typename P>
__device__ __forceinline__ unsigned usw_gather_load(usw_gather_span &span,
                                                    const usw_string_list &strings, const P *index,
                                                    uint64_t n, const I *offsets, uint64_t end)
{
    unsigned count = 0;
    for (unsigned i = threadIdx.x; i - threadIdx.x < USW_GATHER_STRINGS; i += USW_GATHER_THREADS) {
        const uint64_t s = span.first + i;
        const uint64_t begin = offsets[s < n ? s : n];
        const bool some = s < n && begin < end;
        span.begins[i] = begin;
        if (some) {
            span.from[i] = strings.string(index[s]).at;
        }
        const unsigned more = static_cast<unsigned>(__syncthreads_count(some));
        count += more;
        if (more < USW_GATHER_THREADS) {
            break;
        }
    }
    return count;
}

template <typename I, typename P>
static __global__ void __launch_bounds__(USW_GATHER_THREADS)
    usw_gather_strings(usw_string_list strings, const P *index, uint64_t n, const I *offsets,
                       unsigned char *out)
{
    USW_SHARED(usw_gather_span, span);
    const uint64_t total = offsets[n], odd = reinterpret_cast<uintptr_t>(out) % USW_GATHER_PIECE;
    const uint64_t spans = (total + odd + USW_GATHER_SPAN - 1) / USW_GATHER_SPAN;
    const uint64_t each = (spans + gridDim.x - 1) / gridDim.x, own = blockIdx.x * each;
    const uint64_t stop = own + each < spans ? own + each : spans;
    for (uint64_t at = own; at < stop; at++) {
        /* Places count from the aligned address before out. */
        const uint64_t here = at * USW_GATHER_SPAN, past = here + USW_GATHER_SPAN;
        const uint64_t end = past < total + odd ? past - odd : total;
        if (threadIdx.x == 0 && at == own) {
            span.first = usw_string_at(offsets, 0, n, here < odd ? 0 : here - odd);
        }
        __syncthreads();
        const unsigned count = usw_gather_load(span, strings, index, n, offsets, end);
        const uint64_t piece = here + threadIdx.x * USW_GATHER_PIECE;
        const uint64_t begin = piece < odd ? 0 : piece - odd;
        const uint64_t limit = piece + USW_GATHER_PIECE - odd; /* of no use where it is negative */
        const uint64_t stop_at = piece + USW_GATHER_PIECE <= odd ? 0 : limit < end ? limit : end;
        usw_gather_piece made = {0, 0};
        const bool loaded = count < USW_GATHER_STRINGS;
        uint64_t s = begin >= stop_at ? 0
                     : loaded         ? usw_string_at(span.begins, 0, count, begin)
                                      : usw_string_at(offsets, span.first, n, begin);
        for (uint64_t place = begin; place < stop_at; s++) {
            const uint64_t first = loaded ? span.begins[s] : offsets[s];
            const uint64_t next = loaded ? span.begins[s + 1] : offsets[s + 1];
            const uint64_t last = next < stop_at ? next : stop_at;
            const unsigned char *const from = loaded ? span.from[s] : strings.string(index[s]).at;
            made.put(strings, from + (place - first), static_cast<unsigned>(last - place),
                     static_cast<unsigned>(place + odd - piece));
            place = last;
        }
        if (begin < stop_at) {
            made.store(out - odd + piece, static_cast<unsigned>(begin + odd - piece),
                       static_cast<unsigned>(stop_at + odd - piece));
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            span.first = loaded ? span.first + (count > 0 ? count - 1 : 0)
                                : usw_string_at(offsets, span.first, n, end);
        }
    }
}

#endif
