// typed.hpp - calls a function template with the C++ type of a bench type.
// SPDX-License-Identifier: MIT
#pragma once
#include "bench/rival.h"

template <class F> int with_type(enum bench_type type, F &&f)
{
    switch (type) {
    case BENCH_U32: return f(uint32_t{});
    case BENCH_U64: return f(uint64_t{});
    case BENCH_I32: return f(int32_t{});
    case BENCH_I64: return f(int64_t{});
    case BENCH_F32: return f(float{});
    case BENCH_F64: return f(double{});
    default: return 1;
    }
}

// Calls f with the arrays of a call as what they are: f(in, work, out).
template <class F> int with_arrays(bench_call *c, F &&f)
{
    return with_type(c->type, [&](auto zero) {
        using T = decltype(zero);
        return f(static_cast<const T *>(c->in), static_cast<T *>(c->work),
                 static_cast<T *>(c->out));
    });
}

struct by_key {
    bool operator()(const bench_record &a, const bench_record &b) const
    {
        return a.key < b.key;
    }
};

// The order of a call, behind a function pointer.
template <class T> struct by_call {
    int (*compare)(const void *, const void *);
    bool operator()(const T &a, const T &b) const
    {
        return compare(&a, &b) < 0;
    }
};

template <class T> struct pair_of {
    T key, value;
    friend bool operator<(const pair_of &a, const pair_of &b)
    {
        return a.key < b.key;
    }
};
