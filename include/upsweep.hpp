// upsweep.hpp - the calls of upsweep.h for C++17 and C++20, named as in std and in Thrust:
//
//     usw::handle u;                                      // closed with its scope
//     std::vector<float> x = ...;
//     usw::sort(u, x);                                    // or x.begin(), x.end()
//     usw::sort(u, x, std::greater<>());                  // or usw::descending | usw::nan_first
//     double sum = usw::reduce(u, x);
//     std::vector<uint32_t> order = usw::argsort(u, x);   // stable
//
// Arrays are std::vector, std::array, std::span, C arrays, or two pointers (iterators of
// std::vector; in C++20 every contiguous iterator). What the compiler can know it checks: types of
// keys, results that hold sums, arrays that are const. Sizes are checked by the call. Every failure
// is thrown as usw::error; then arrays are as upsweep.h says. All that is said there holds here:
// NaN comes last, -0 before +0, and the bits of results do not depend on the number of threads.
//
// The namespace is usw, since `upsweep` is the type of the C handle, and that is what all functions
// take first: a usw::handle, or a upsweep * of your own. upsweep_graph.hpp has shortest paths.
// SPDX-License-Identifier: MIT
#ifndef UPSWEEP_HPP
#define UPSWEEP_HPP

#include "upsweep_basics.hpp"
#include "upsweep_functions.hpp"

namespace usw
{

// ---- sorting ----

// By std::less or std::greater keys are sorted as upsweep_sort does it. By any other order,
// elements of any trivially copyable type are sorted as by std::stable_sort, in parallel: compare
// is called from several threads at once. What it throws is thrown here; elements are then in some
// order.
template <class R, std::enable_if_t<detail::is_sortable_v<R>, int> = 0>
void sort(upsweep *u, R &&keys, const options &o = {})
{
    using T = detail::value_of<R>;
    detail::check(u, upsweep_sort(u, std::data(keys), std::size(keys), type_v<T>, o.get()));
}
template <class R, class F, std::enable_if_t<detail::is_order_v<R, F>, int> = 0>
void sort(upsweep *u, R &&elements, F compare)
{
    using T = detail::value_of<R>;
    if constexpr (is_key_v<T> && detail::is_less_v<F, T>) {
        sort(u, elements, options());
    } else if constexpr (is_key_v<T> && detail::is_greater_v<F, T>) {
        sort(u, elements, options(descending));
    } else {
        detail::guarded<F> guard{compare};
        upsweep_status status =
            upsweep_sort_by(u, std::data(elements), std::size(elements), sizeof(T),
                            &detail::guarded<F>::template compare<T>, &guard, nullptr);
        guard.rethrow();
        detail::check(u, status);
    }
}
template <class I, std::enable_if_t<detail::is_pointer_like<I>::value, int> = 0>
void sort(upsweep *u, I first, I last, const options &o = {})
{
    sort(u, detail::span_of(first, last), o);
}
template <class I, class F,
          std::enable_if_t<detail::is_order_v<span<detail::pointed_by<I>>, F>, int> = 0>
void sort(upsweep *u, I first, I last, F compare)
{
    sort(u, detail::span_of(first, last), std::move(compare));
}
// Keys that are equal have equal bits, so that every sort of keys is stable.
template <class... A> void stable_sort(upsweep *u, A &&...arguments)
{
    sort(u, std::forward<A>(arguments)...);
}

// Moves values[i] with keys[i]; stable.
template <class K, class V,
          std::enable_if_t<detail::is_sortable_v<K> && detail::is_movable_v<V>, int> = 0>
void sort_by_key(upsweep *u, K &&keys, V &&values, const options &o = {})
{
    detail::require(std::size(keys) == std::size(values), "sort_by_key: as many values as keys");
    detail::check(u, upsweep_sort_pairs(u, std::data(keys), std::data(values), std::size(keys),
                                        type_v<detail::value_of<K>>, sizeof(detail::value_of<V>),
                                        o.get()));
}
template <class I, class J,
          std::enable_if_t<detail::is_pointer_like<I>::value && detail::is_pointer_like<J>::value,
                           int> = 0>
void sort_by_key(upsweep *u, I first, I last, J values, const options &o = {})
{
    sort_by_key(u, detail::span_of(first, last), detail::span_of(values, values + (last - first)),
                o);
}
template <class... A> void stable_sort_by_key(upsweep *u, A &&...arguments)
{
    sort_by_key(u, std::forward<A>(arguments)...);
}

// The stable order of keys: keys[index[0]] <= keys[index[1]] ... Positions are 32 or 64 bits wide.
template <class R, class X,
          std::enable_if_t<detail::is_keys_v<R> && detail::is_index_out_v<X>, int> = 0>
void argsort(upsweep *u, const R &keys, X &&index, const options &o = {})
{
    detail::require(std::size(keys) == std::size(index), "argsort: as many positions as keys");
    detail::check(u,
                  upsweep_argsort(u, std::data(keys), std::size(keys), type_v<detail::value_of<R>>,
                                  std::data(index), 8 * sizeof(detail::value_of<X>), o.get()));
}
template <class Index = std::uint32_t, class R, std::enable_if_t<detail::is_keys_v<R>, int> = 0>
std::vector<Index> argsort(upsweep *u, const R &keys, const options &o = {})
{
    std::vector<Index> index(std::size(keys));
    argsort(u, keys, index, o);
    return index;
}

// Sorted keys in out, which has as many; keys stay as they are. index, if given, gets the position
// that each key had, of 32 or 64 bits, and equal keys keep their order.
template <
    class R, class W,
    std::enable_if_t<
        detail::is_keys_v<R> && std::is_same_v<detail::value_of<R>, detail::value_of<W>>, int> = 0>
void sort_copy(upsweep *u, const R &keys, W &&out, const options &o = {})
{
    detail::require(std::size(keys) == std::size(out), "sort_copy: out has as many keys as keys");
    detail::check(u, upsweep_sort_copy(u, std::data(keys), std::size(keys),
                                       type_v<detail::value_of<R>>, std::data(out), nullptr, 0,
                                       o.get()));
}
template <class R, class W, class X,
          std::enable_if_t<detail::is_keys_v<R> && detail::is_index_out_v<X> &&
                               std::is_same_v<detail::value_of<R>, detail::value_of<W>>,
                           int> = 0>
void sort_copy(upsweep *u, const R &keys, W &&out, X &&index, const options &o = {})
{
    detail::require(std::size(keys) == std::size(out) && std::size(keys) == std::size(index),
                    "sort_copy: as many keys and positions in the results as there are keys");
    detail::check(u, upsweep_sort_copy(u, std::data(keys), std::size(keys),
                                       type_v<detail::value_of<R>>, std::data(out),
                                       std::data(index), 8 * sizeof(detail::value_of<X>), o.get()));
}

// The stable order of strings in Arrow's layout: string i is bytes[offsets[i]] to
// bytes[offsets[i + 1] - 1]; offsets are integers of 32 or 64 bits, one more than strings.
template <class Index = std::uint32_t, class B, class O>
std::vector<Index> argsort_strings(upsweep *u, const B &bytes, const O &offsets,
                                   const options &o = {})
{
    using T = detail::value_of<O>;
    static_assert(sizeof(detail::value_of<B>) == 1, "argsort_strings: bytes are of one byte each");
    static_assert(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8),
                  "argsort_strings: offsets have 32 or 64 bits");
    detail::require(std::size(offsets) > 0,
                    "argsort_strings: offsets has one element more than there are strings");
    const std::size_t n = std::size(offsets) - 1;
    detail::require(n == 0 || static_cast<std::uint64_t>(std::data(offsets)[n]) <= std::size(bytes),
                    "argsort_strings: the last offset lies beyond the bytes");
    std::vector<Index> index(n);
    detail::check(u, upsweep_argsort_strings(u, std::data(bytes), std::data(offsets), 8 * sizeof(T),
                                             n, index.data(), 8 * sizeof(Index), o.get()));
    return index;
}

// The sorted strings, in the same layout: out_bytes has room for all of their bytes, out_offsets
// for one offset more than there are strings; the first becomes 0.
template <class B, class O, class W, class X>
void sort_strings(upsweep *u, const B &bytes, const O &offsets, W &&out_bytes, X &&out_offsets,
                  const options &o = {})
{
    using T = detail::value_of<O>;
    static_assert(sizeof(detail::value_of<B>) == 1 && sizeof(detail::value_of<W>) == 1,
                  "sort_strings: bytes are of one byte each");
    static_assert(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8) &&
                      std::is_same_v<T, detail::value_of<X>>,
                  "sort_strings: offsets have 32 or 64 bits, in and out");
    detail::require(std::size(offsets) > 0 && std::size(out_offsets) == std::size(offsets),
                    "sort_strings: offsets have one element more than there are strings");
    const std::size_t n = std::size(offsets) - 1;
    const auto first = static_cast<std::uint64_t>(std::data(offsets)[0]);
    const auto last = static_cast<std::uint64_t>(std::data(offsets)[n]);
    detail::require(first <= last && last <= std::size(bytes) &&
                        last - first <= std::size(out_bytes),
                    "sort_strings: the last offset lies beyond the bytes, or of the result");
    detail::check(u, upsweep_sort_strings(u, std::data(bytes), std::data(offsets), 8 * sizeof(T), n,
                                          std::data(out_bytes), std::data(out_offsets), o.get()));
}

// Sorts rows on their own: row r is keys[begin[r]] to keys[begin[r + 1] - 1].
template <
    class R, class B,
    std::enable_if_t<detail::is_sortable_v<R> && std::is_same_v<detail::value_of<B>, std::uint64_t>,
                     int> = 0>
void sort_rows(upsweep *u, R &&keys, const B &begin, const options &o = {})
{
    detail::require(std::size(begin) > 0,
                    "sort_rows: begin has one element more than there are rows");
    detail::check(u, upsweep_sort_rows(u, std::data(keys), std::size(keys),
                                       type_v<detail::value_of<R>>, std::data(begin),
                                       std::size(begin) - 1, nullptr, 0, o.get()));
}

// Sorts structures by members, the first the most important; stable. A member is &record::age, or
// usw::key(&record::age, usw::descending); arrays of char are compared as by memcmp.
template <class R, class... M, std::enable_if_t<detail::is_movable_v<R>, int> = 0>
void sort_records(upsweep *u, R &&records, M... members)
{
    using T = detail::value_of<R>;
    static_assert(sizeof...(M) > 0, "sort_records: name at least one member");
    if (std::size(records) > 0) {
        const T &example = *std::data(records);
        const upsweep_field fields[] = {detail::field_of(example, members)...};
        detail::check(u, upsweep_sort_records(u, std::data(records), std::size(records), sizeof(T),
                                              fields, sizeof...(M), nullptr));
    }
}

// ---- orders: merge, select, unique ----

// Merges sorted keys of a and b; of equal ones a's come first.
template <class A, class B, class C,
          std::enable_if_t<detail::is_keys_v<A> && detail::is_sortable_v<C> &&
                               detail::is_same_value_v<A, B> && detail::is_same_value_v<A, C>,
                           int> = 0>
void merge(upsweep *u, const A &a, const B &b, C &&out, const options &o = {})
{
    detail::require(std::size(out) == std::size(a) + std::size(b), "merge: out has room for both");
    detail::check(u, upsweep_merge(u, std::data(a), std::size(a), std::data(b), std::size(b),
                                   std::data(out), type_v<detail::value_of<A>>, o.get()));
}
// The position of the first key that is out of order, or their number.
template <class R, std::enable_if_t<detail::is_keys_v<R>, int> = 0>
std::size_t is_sorted_until(upsweep *u, const R &keys, const options &o = {})
{
    std::size_t first = 0;
    detail::check(u, upsweep_is_sorted(u, std::data(keys), std::size(keys),
                                       type_v<detail::value_of<R>>, &first, o.get()));
    return first;
}
template <class R, std::enable_if_t<detail::is_keys_v<R>, int> = 0>
bool is_sorted(upsweep *u, const R &keys, const options &o = {})
{
    return is_sorted_until(u, keys, o) == std::size(keys);
}
// Where each wanted key would go among sorted ones: before those that are equal to it (with
// usw::upper: behind them), as std::lower_bound and std::upper_bound say of one.
template <class R, class W, class P,
          std::enable_if_t<detail::is_keys_v<R> && detail::is_same_value_v<R, W> &&
                               detail::is_index_out_v<P>,
                           int> = 0>
void search_sorted(upsweep *u, const R &keys, const W &wanted, P &&places, const options &o = {})
{
    detail::require(std::size(places) == std::size(wanted),
                    "search_sorted: places has one element a wanted key");
    detail::check(u, upsweep_search_sorted(u, std::data(keys), std::size(keys), std::data(wanted),
                                           std::size(wanted), type_v<detail::value_of<R>>,
                                           std::data(places), 8 * sizeof(detail::value_of<P>),
                                           o.get()));
}
template <class R, std::enable_if_t<detail::is_sortable_v<R>, int> = 0>
void nth_element(upsweep *u, R &&keys, std::size_t k, const options &o = {})
{
    detail::check(u, upsweep_nth_element(u, std::data(keys), std::size(keys), k,
                                         type_v<detail::value_of<R>>, o.get()));
}
template <class I, std::enable_if_t<detail::is_pointer_like<I>::value, int> = 0>
void nth_element(upsweep *u, I first, I nth, I last, const options &o = {})
{
    if (nth != last) { // as std has it
        nth_element(u, detail::span_of(first, last), static_cast<std::size_t>(nth - first), o);
    }
}
// The k least keys (with usw::largest the greatest), best first, and where they stand.
template <class T> struct top {
    std::vector<T> keys;              // best first
    std::vector<std::uint64_t> index; // where they stand
};
template <class R, std::enable_if_t<detail::is_keys_v<R>, int> = 0>
top<detail::value_of<R>> top_k(upsweep *u, const R &keys, std::size_t k, const options &o = {})
{
    using T = detail::value_of<R>;
    detail::require(k <= std::size(keys), "top_k: k is at most the number of keys");
    top<T> best{std::vector<T>(k), std::vector<std::uint64_t>(k)};
    detail::check(u, upsweep_top_k(u, std::data(keys), std::size(keys), k, type_v<T>,
                                   best.keys.data(), best.index.data(), o.get()));
    return best;
}
// The same of every row: row r is keys[begin[r]] to keys[begin[r + 1] - 1], and its best keys and
// their positions in the row begin at r k; where it has fewer, zeros and positions of ones follow.
template <class R, class B,
          std::enable_if_t<
              detail::is_keys_v<R> && std::is_same_v<detail::value_of<B>, std::uint64_t>, int> = 0>
top<detail::value_of<R>> top_k_rows(upsweep *u, const R &keys, const B &begin, std::size_t k,
                                    const options &o = {})
{
    using T = detail::value_of<R>;
    detail::require(std::size(begin) > 0,
                    "top_k_rows: begin has one element more than there are rows");
    std::size_t rows = std::size(begin) - 1;
    top<T> best{std::vector<T>(rows * k), std::vector<std::uint64_t>(rows * k)};
    detail::check(u, upsweep_top_k_rows(u, std::data(keys), std::size(keys), type_v<T>,
                                        std::data(begin), rows, k, best.keys.data(),
                                        best.index.data(), 64, o.get()));
    return best;
}
// Drops every key whose bits equal those of the key before it; returns what is kept, or its end.
template <class R, std::enable_if_t<detail::is_sortable_v<R>, int> = 0>
span<detail::value_of<R>> unique(upsweep *u, R &&keys, const options &o = {})
{
    std::size_t kept = 0;
    detail::check(u, upsweep_unique(u, std::data(keys), std::size(keys),
                                    type_v<detail::value_of<R>>, &kept, o.get()));
    return {std::data(keys), kept};
}
template <class I, std::enable_if_t<detail::is_pointer_like<I>::value, int> = 0>
I unique(upsweep *u, I first, I last, const options &o = {})
{
    return first + static_cast<std::ptrdiff_t>(unique(u, detail::span_of(first, last), o).size());
}
// Runs of keys of equal bits: what stands in each, and how many keys.
template <class T> struct runs {
    std::vector<T> keys;               // one a run
    std::vector<std::uint64_t> counts; // and how many of it
};
template <class R, std::enable_if_t<detail::is_keys_v<R>, int> = 0>
runs<detail::value_of<R>> run_lengths(upsweep *u, const R &keys, const options &o = {})
{
    using T = detail::value_of<R>;
    std::size_t n = std::size(keys), count = 0;
    runs<T> r{std::vector<T>(n), std::vector<std::uint64_t>(n)};
    detail::check(u, upsweep_run_lengths(u, std::data(keys), n, type_v<T>, r.keys.data(),
                                         r.counts.data(), &count, o.get()));
    r.keys.resize(count);
    r.counts.resize(count);
    return r;
}

} // namespace usw

#include "upsweep_folds.hpp"
#include "upsweep_graph.hpp"
#endif
