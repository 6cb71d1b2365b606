// typed.hpp - calls a function template with the C++ type of a bench type.
#pragma once
#include "../rival.h"

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

template <class T> struct pair_of {
    T key, value;
    friend bool operator<(const pair_of &a, const pair_of &b)
    {
        return a.key < b.key;
    }
};
