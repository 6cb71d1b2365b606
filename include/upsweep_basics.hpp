// upsweep_basics.hpp - what upsweep.hpp stands on: errors, the handle, which C++ types are keys,
// arrays as spans, and options that the compiler checks.
// SPDX-License-Identifier: MIT
#ifndef UPSWEEP_BASICS_HPP
#define UPSWEEP_BASICS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "upsweep.h"

#if __cplusplus >= 202002L && __has_include(<span>)
#include <span>
#define UPSWEEP_STD_SPAN 1
#endif

namespace usw
{

// ---- errors and the handle ----

// What every failed call throws: the library's sentence, and its status.
class error : public std::runtime_error
{
  public:
    // A status and the sentence on it.
    error(upsweep_status status, const std::string &text)
        : std::runtime_error(text), status_(status)
    {
    }
    // ERROR_ARGUMENT, ERROR_MEMORY, ...
    upsweep_status status() const noexcept
    {
        return status_;
    }

  private:
    upsweep_status status_;
};

namespace detail
{
inline void check(const upsweep *u, upsweep_status status)
{
    if (status != UPSWEEP_OK) {
        char text[512] = "";
        upsweep_last_error(u, text, sizeof text);
        throw error(status, text[0] != '\0' ? text : upsweep_status_name(status));
    }
}

inline void require(bool holds, const char *text)
{
    if (!holds) {
        throw error(UPSWEEP_ERROR_ARGUMENT, text);
    }
}
} // namespace detail

// An open handle, closed with its scope. It may be moved, not copied, and is taken where a upsweep
// * is.
class handle
{
  public:
    // device: nullptr, "cpu", "cuda", "cuda:1" ..., as upsweep_open takes it.
    explicit handle(const char *device = nullptr, const upsweep_config *config = nullptr)
    {
        const char *why = nullptr;
        upsweep_status status = upsweep_open_why(&u_, device, config, &why);
        if (status != UPSWEEP_OK) {
            throw error(status, why != nullptr ? why : upsweep_status_name(status));
        }
    }
    // The other one is then empty.
    handle(handle &&other) noexcept : u_(std::exchange(other.u_, nullptr))
    {
    }
    // They change places.
    handle &operator=(handle &&other) noexcept
    {
        std::swap(u_, other.u_);
        return *this;
    }
    ~handle()
    {
        upsweep_close(u_);
    }

    // For calls of upsweep.h.
    upsweep *get() const noexcept
    {
        return u_;
    }
    // The same, where a function takes a upsweep *.
    operator upsweep *() const noexcept
    {
        return u_;
    }

    // Gives the scratch that is kept back to the allocator.
    void trim() const
    {
        upsweep_trim(u_);
    }
    // Makes room for a call that takes so much scratch.
    void reserve(std::size_t bytes) const
    {
        detail::check(u_, upsweep_reserve(u_, bytes));
    }
    // For handles on a GPU: stream is a cudaStream_t.
    void set_stream(void *stream) const
    {
        detail::check(u_, upsweep_set_stream(u_, stream));
    }
    // Waits until all that was queued is done, and throws what failed in it.
    void wait() const
    {
        detail::check(u_, upsweep_wait(u_));
    }
    // Which method the last call took, and why.
    upsweep_report report() const
    {
        upsweep_report report = UPSWEEP_REPORT_INIT;
        detail::check(u_, upsweep_last_report(u_, &report));
        return report;
    }

  private:
    upsweep *u_ = nullptr;
};

// ---- types ----

// The short floating-point types, which C++17 has not, as their bits.
struct f16 {
    std::uint16_t bits;
};
struct bf16 {
    std::uint16_t bits;
};

namespace detail
{
constexpr upsweep_type no_type = static_cast<upsweep_type>(0);

template <class T> constexpr upsweep_type number_of_type()
{
    if constexpr (std::is_same_v<T, f16>) {
        return UPSWEEP_F16;
    } else if constexpr (std::is_same_v<T, bf16>) {
        return UPSWEEP_BF16;
    } else if constexpr (std::is_same_v<T, float>) {
        return UPSWEEP_F32;
    } else if constexpr (std::is_same_v<T, double>) {
        return UPSWEEP_F64;
    } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8) {
        constexpr upsweep_type of[2][4] = {
            {UPSWEEP_U8, UPSWEEP_U16, UPSWEEP_U32, UPSWEEP_U64},
            {UPSWEEP_I8, UPSWEEP_I16, UPSWEEP_I32, UPSWEEP_I64},
        };
        return of[std::is_signed_v<T>][sizeof(T) == 1   ? 0
                                       : sizeof(T) == 2 ? 1
                                       : sizeof(T) == 4 ? 2
                                                        : 3];
    } else {
        return no_type;
    }
}
} // namespace detail

// The library's number of a C++ type; is_key_v says whether there is one (not for bool, long
// double).
template <class T>
inline constexpr upsweep_type type_v = detail::number_of_type<std::remove_cv_t<T>>();
template <class T> inline constexpr bool is_key_v = type_v<T> != detail::no_type;

// What a sum of T is: a float never holds it.
template <class T>
using sum_t =
    std::conditional_t<std::is_integral_v<T>,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>,
                       double>;

// ---- arrays ----

#ifdef UPSWEEP_STD_SPAN
template <class T> using span = std::span<T>;
#else
// As much of C++20's std::span as is of use here.
template <class T> class span
{
  public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    constexpr span() noexcept = default;
    constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size)
    {
    }
    template <class R, class E = std::remove_pointer_t<decltype(std::data(std::declval<R &>()))>,
              class = std::enable_if_t<std::is_convertible_v<E (*)[], T (*)[]>>>
    constexpr span(R &&range) : data_(std::data(range)), size_(std::size(range))
    {
    }
    constexpr T *data() const noexcept
    {
        return data_;
    }
    constexpr std::size_t size() const noexcept
    {
        return size_;
    }
    constexpr bool empty() const noexcept
    {
        return size_ == 0;
    }
    constexpr T *begin() const noexcept
    {
        return data_;
    }
    constexpr T *end() const noexcept
    {
        return data_ + size_;
    }
    constexpr T &operator[](std::size_t i) const
    {
        return data_[i];
    }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};
#endif

namespace detail
{
// What std::vector, std::array, std::span, a C array ... hold; const if they are.
template <class R>
using element_of = std::remove_pointer_t<decltype(std::data(std::declval<R &>()))>;

template <class R, class = void> struct is_array : std::false_type {
};
template <class R>
struct is_array<R, std::void_t<element_of<R>, decltype(std::size(std::declval<R &>()))>>
    : std::true_type {
};
template <class R, class = void> struct is_writable : std::false_type {
};
template <class R>
struct is_writable<R, std::void_t<element_of<R>>>
    : std::bool_constant<is_array<R>::value && !std::is_const_v<element_of<R>>> {
};
template <class R, class = void> struct has_keys : std::false_type {
};
template <class R>
struct has_keys<R, std::void_t<element_of<R>>> : std::bool_constant<is_key_v<element_of<R>>> {
};
template <class R> inline constexpr bool is_keys_v = is_array<R>::value &&has_keys<R>::value;
template <class R> inline constexpr bool is_sortable_v = is_keys_v<R> &&is_writable<R>::value;
template <class R> using value_of = std::remove_cv_t<element_of<R>>;
template <class A, class B, class = void> struct is_same_value : std::false_type {
};
template <class A, class B>
struct is_same_value<A, B, std::void_t<element_of<A>, element_of<B>>>
    : std::is_same<value_of<A>, value_of<B>> {
};
template <class A, class B> inline constexpr bool is_same_value_v = is_same_value<A, B>::value;

// Iterators of arrays: pointers, those of std::vector and std::array, and in C++20 all that say so.
template <class I, class = void> struct is_pointer_like : std::is_pointer<I> {
};
#ifdef UPSWEEP_STD_SPAN
template <class I>
struct is_pointer_like<I, std::enable_if_t<std::contiguous_iterator<I>>> : std::true_type {
};
#else
template <class I>
struct is_pointer_like<
    I, std::enable_if_t<
           !std::is_pointer_v<I> &&
           !std::is_same_v<typename std::iterator_traits<I>::value_type, bool> &&
           (std::is_same_v<
                I, typename std::vector<typename std::iterator_traits<I>::value_type>::iterator> ||
            std::is_same_v<I, typename std::vector<
                                  typename std::iterator_traits<I>::value_type>::const_iterator>)>>
    : std::true_type {
};
#endif
template <class I> using pointed_by = std::remove_reference_t<decltype(*std::declval<const I &>())>;

template <class I> auto span_of(I first, I last) -> span<pointed_by<I>>
{
    auto n = static_cast<std::size_t>(last - first);
    return n == 0 ? span<pointed_by<I>>() : span<pointed_by<I>>(std::addressof(*first), n);
}
} // namespace detail

// ---- options ----

// As UPSWEEP_DESCENDING and so on, which are explained in upsweep.h. They are combined by |.
// UPSWEEP_ROUNDED is none of them: it would give results another type than they have here.
enum class flag : unsigned {
    descending = UPSWEEP_DESCENDING,
    nan_first = UPSWEEP_NAN_FIRST,
    nan_raw = UPSWEEP_NAN_RAW,
    unstable = UPSWEEP_UNSTABLE,
    in_place = UPSWEEP_IN_PLACE,
    largest = UPSWEEP_LARGEST,
    unordered = UPSWEEP_UNORDERED,
    upper = UPSWEEP_UPPER,
    numbers = UPSWEEP_NUMBERS
};
inline constexpr flag descending = flag::descending;
inline constexpr flag nan_first = flag::nan_first;
inline constexpr flag nan_raw = flag::nan_raw;
inline constexpr flag unstable = flag::unstable;
inline constexpr flag in_place = flag::in_place;
inline constexpr flag largest = flag::largest;
inline constexpr flag unordered = flag::unordered;
inline constexpr flag upper = flag::upper;
inline constexpr flag numbers = flag::numbers;

// Flags, an algorithm by name, and a range of bits: usw::options(usw::descending).by("sort/radix").
class options
{
  public:
    // All defaults.
    constexpr options() noexcept = default;
    // One flag; more by |.
    constexpr options(flag f) noexcept
    {
        c_.flags = static_cast<unsigned>(f);
    }
    // The algorithm by name, "sort/radix".
    constexpr options by(const char *algorithm) const noexcept
    {
        options o = *this;
        o.c_.algorithm = algorithm;
        return o;
    }
    // Only the bits [begin, end) of keys take part.
    constexpr options bits(unsigned begin, unsigned end) const noexcept
    {
        options o = *this;
        o.c_.bit_begin = begin;
        o.c_.bit_end = end;
        return o;
    }
    // Flags of upsweep.h, UPSWEEP_DESCENDING ..., besides those that are set.
    constexpr options with(unsigned flags) const noexcept
    {
        options o = *this;
        o.c_.flags |= flags;
        return o;
    }
    // For calls of upsweep.h.
    constexpr const upsweep_options *get() const noexcept
    {
        return &c_;
    }

  private:
    upsweep_options c_ = UPSWEEP_OPTIONS_INIT;
};
// One flag more.
constexpr options operator|(options o, flag f) noexcept
{
    return o.with(static_cast<unsigned>(f));
}
// Both flags.
constexpr options operator|(flag a, flag b) noexcept
{
    return options(a) | b;
}

} // namespace usw
#endif
