// upsweep_functions.hpp - how functions and operators of C++ reach the calls of upsweep.h: orders,
// operators by their std names, members of structures, and functions that may throw.
// SPDX-License-Identifier: MIT
#ifndef UPSWEEP_FUNCTIONS_HPP
#define UPSWEEP_FUNCTIONS_HPP

#include <atomic>
#include <exception>
#include <mutex>

#include "upsweep_basics.hpp"

namespace usw
{

// Operators without a name in std; the others are std::plus, multiplies, bit_and, bit_or, bit_xor.
// They name the library's operators and are not called.
struct minimum {
};
struct maximum {
};

namespace detail
{

// ---- arrays by what is done with them ----

template <class R, class = void> struct is_movable : std::false_type {
};
template <class R>
struct is_movable<R, std::enable_if_t<is_writable<R>::value>>
    : std::is_trivially_copyable<element_of<R>> {
};
template <class R> inline constexpr bool is_movable_v = is_movable<R>::value;

template <class R, class = void> struct is_index : std::false_type {
};
template <class R>
struct is_index<R, std::enable_if_t<is_array<R>::value>>
    : std::bool_constant<type_v<value_of<R>> == UPSWEEP_U32 || type_v<value_of<R>> == UPSWEEP_U64> {
};
template <class R> inline constexpr bool is_index_v = is_index<R>::value;
template <class R> inline constexpr bool is_index_out_v = is_index_v<R> &&is_writable<R>::value;

// ---- orders ----

template <class F, class T>
inline constexpr bool is_less_v = std::is_same_v<F, std::less<>> || std::is_same_v<F, std::less<T>>;
template <class F, class T>
inline constexpr bool is_greater_v =
    std::is_same_v<F, std::greater<>> || std::is_same_v<F, std::greater<T>>;

template <class R, class F, class = void> struct is_order : std::false_type {
};
template <class R, class F>
struct is_order<R, F, std::enable_if_t<is_movable_v<R>>>
    : std::is_invocable_r<bool, F &, const value_of<R> &, const value_of<R> &> {
};
template <class R, class F> inline constexpr bool is_order_v = is_order<R, F>::value;

// A caller's function within a call: no exception may leave it there, so the first one is kept
// until the call is over. After it the function is not called again.
template <class F> struct guarded {
    F &function;
    std::atomic<bool> failed{false};
    std::mutex lock{};
    std::exception_ptr first{};

    explicit guarded(F &f) : function(f)
    {
    }
    void keep() noexcept
    {
        std::lock_guard<std::mutex> held(lock);
        if (!failed.exchange(true)) {
            first = std::current_exception();
        }
    }
    void rethrow() const
    {
        if (first) {
            std::rethrow_exception(first);
        }
    }
    template <class T> static int compare(const void *a, const void *b, void *context) noexcept
    {
        auto *g = static_cast<guarded *>(context);
        const T &x = *static_cast<const T *>(a), &y = *static_cast<const T *>(b);
        try {
            return g->failed ? 0 : g->function(x, y) ? -1 : g->function(y, x) ? 1 : 0;
        } catch (...) {
            g->keep();
            return 0;
        }
    }
    template <class T>
    static void combine(void *accumulator, const void *element, void *context) noexcept
    {
        auto *g = static_cast<guarded *>(context);
        T &x = *static_cast<T *>(accumulator);
        try {
            if (!g->failed) {
                x = g->function(static_cast<const T &>(x), *static_cast<const T *>(element));
            }
        } catch (...) {
            g->keep();
        }
    }
};

// ---- operators ----

template <class Op, class T> constexpr int number_of_op()
{
    if constexpr (std::is_same_v<Op, std::plus<>> || std::is_same_v<Op, std::plus<T>>) {
        return UPSWEEP_SUM;
    } else if constexpr (std::is_same_v<Op, std::multiplies<>> ||
                         std::is_same_v<Op, std::multiplies<T>>) {
        return UPSWEEP_PRODUCT;
    } else if constexpr (std::is_same_v<Op, minimum>) {
        return UPSWEEP_LEAST;
    } else if constexpr (std::is_same_v<Op, maximum>) {
        return UPSWEEP_GREATEST;
    } else if constexpr (!std::is_integral_v<T>) {
        return 0;
    } else if constexpr (std::is_same_v<Op, std::bit_and<>> ||
                         std::is_same_v<Op, std::bit_and<T>>) {
        return UPSWEEP_AND;
    } else if constexpr (std::is_same_v<Op, std::bit_or<>> || std::is_same_v<Op, std::bit_or<T>>) {
        return UPSWEEP_OR;
    } else if constexpr (std::is_same_v<Op, std::bit_xor<>> ||
                         std::is_same_v<Op, std::bit_xor<T>>) {
        return UPSWEEP_XOR;
    } else {
        return 0;
    }
}
template <class Op, class T>
inline constexpr upsweep_op op_v = static_cast<upsweep_op>(number_of_op<Op, T>());
template <class Op, class R, class = void> struct is_op : std::false_type {
};
template <class Op, class R>
struct is_op<Op, R, std::enable_if_t<is_keys_v<R>>>
    : std::bool_constant<number_of_op<Op, value_of<R>>() != 0> {
};
template <class Op, class R> inline constexpr bool is_op_v = is_op<Op, R>::value;

// Sums and products have a type of their own.
template <class T, class Op>
using fold_t =
    std::conditional_t<op_v<Op, T> == UPSWEEP_SUM || op_v<Op, T> == UPSWEEP_PRODUCT, sum_t<T>, T>;

// A caller's operator on elements of any type.
template <class R, class F, class = void> struct is_combination : std::false_type {
};
template <class R, class F>
struct is_combination<
    R, F, std::enable_if_t<is_array<R>::value && std::is_trivially_copyable_v<value_of<R>>>>
    : std::is_invocable_r<value_of<R>, F &, const value_of<R> &, const value_of<R> &> {
};
template <class R, class F> inline constexpr bool is_combination_v = is_combination<R, F>::value;

// ---- members ----

template <class T, class M> struct member {
    M T::*where;
    unsigned flags;
};
template <class T, class M> upsweep_field field_of(const T &example, member<T, M> m)
{
    upsweep_field f = {};
    f.offset =
        static_cast<std::size_t>(reinterpret_cast<const char *>(std::addressof(example.*m.where)) -
                                 reinterpret_cast<const char *>(std::addressof(example)));
    f.flags = m.flags;
    if constexpr (is_key_v<M>) {
        f.type = type_v<M>;
    } else {
        using E = std::remove_all_extents_t<M>;
        static_assert(std::is_array_v<M> && sizeof(E) == 1 && std::is_integral_v<E>,
                      "a member is a number, or an array of char");
        f.bytes = sizeof(M);
    }
    return f;
}
template <class T, class M> upsweep_field field_of(const T &example, M T::*where)
{
    return field_of(example, member<T, M>{where, 0});
}
} // namespace detail

// A member of sort_records with flags of its own.
template <class T, class M> detail::member<T, M> key(M T::*where, const options &o)
{
    return {where, o.get()->flags};
}

} // namespace usw
#endif
