// upsweep_folds.hpp - the part of upsweep.hpp that folds and moves: reduce, scans, histograms,
// splits, gather and scatter.
// SPDX-License-Identifier: MIT
#ifndef UPSWEEP_FOLDS_HPP
#define UPSWEEP_FOLDS_HPP

#include "upsweep_basics.hpp"
#include "upsweep_functions.hpp"

namespace usw
{

// ---- reduce ----

// The combination of all elements by std::plus, multiplies, bit_and, bit_or, bit_xor, usw::minimum
// or usw::maximum. Sums and products are std::uint64_t, std::int64_t or double, whatever the
// elements.
template <class R, class Op = std::plus<>, std::enable_if_t<detail::is_op_v<Op, R>, int> = 0>
auto reduce(upsweep *u, const R &data, Op = {}, const options &o = {})
{
    using T = detail::value_of<R>;
    detail::fold_t<T, Op> result{};
    detail::check(u, upsweep_reduce(u, std::data(data), std::size(data), type_v<T>,
                                    detail::op_v<Op, T>, &result, o.get()));
    return result;
}
// By a function of the caller's, called from several threads at once; identity is neutral for it.
template <class R, class F, std::enable_if_t<detail::is_combination_v<R, F>, int> = 0>
detail::value_of<R> reduce(upsweep *u, const R &data, detail::value_of<R> identity, F combine)
{
    using T = detail::value_of<R>;
    detail::guarded<F> guard{combine};
    upsweep_status status =
        upsweep_reduce_by(u, std::data(data), std::size(data), sizeof(T),
                          &detail::guarded<F>::template combine<T>, &guard, &identity, nullptr);
    guard.rethrow();
    detail::check(u, status);
    return identity;
}
template <class I, class Op = std::plus<>,
          std::enable_if_t<detail::is_op_v<Op, span<detail::pointed_by<I>>>, int> = 0>
auto reduce(upsweep *u, I first, I last, Op op = {})
{
    return reduce(u, detail::span_of(first, last), op);
}

// The same of every row: row r is data[begin[r]] to data[begin[r + 1] - 1].
template <
    class R, class B, class Op = std::plus<>,
    std::enable_if_t<detail::is_op_v<Op, R> && std::is_same_v<detail::value_of<B>, std::uint64_t>,
                     int> = 0>
auto reduce_rows(upsweep *u, const R &data, const B &begin, Op = {}, const options &o = {})
{
    using T = detail::value_of<R>;
    detail::require(std::size(begin) > 0,
                    "reduce_rows: begin has one element more than there are rows");
    std::vector<detail::fold_t<T, Op>> results(std::size(begin) - 1);
    detail::check(u, upsweep_reduce_rows(u, std::data(data), std::size(data), type_v<T>,
                                         std::data(begin), results.size(), detail::op_v<Op, T>,
                                         results.data(), o.get()));
    return results;
}

// The same of every column of an array of outer x length x inner elements, along its middle axis.
template <class R, class Op = std::plus<>, std::enable_if_t<detail::is_op_v<Op, R>, int> = 0>
auto reduce_axis(upsweep *u, const R &data, std::size_t outer, std::size_t length,
                 std::size_t inner, Op = {}, const options &o = {})
{
    using T = detail::value_of<R>;
    const std::size_t columns = outer * inner;
    detail::require(columns == 0 ? std::size(data) == 0
                                 : columns / inner == outer && std::size(data) % columns == 0 &&
                                       std::size(data) / columns == length,
                    "reduce_axis: data has outer * length * inner elements");
    std::vector<detail::fold_t<T, Op>> results(columns);
    detail::check(u, upsweep_reduce_axis(u, std::data(data), outer, length, inner, type_v<T>,
                                         detail::op_v<Op, T>, results.data(), o.get()));
    return results;
}

// The position of the least and of the greatest element, the first of equals; of none it is an
// error.
template <class R, std::enable_if_t<detail::is_keys_v<R>, int> = 0>
std::size_t min_element(upsweep *u, const R &data)
{
    std::size_t at = 0;
    detail::check(u, upsweep_argmin(u, std::data(data), std::size(data),
                                    type_v<detail::value_of<R>>, &at, nullptr));
    return at;
}
template <class R, std::enable_if_t<detail::is_keys_v<R>, int> = 0>
std::size_t max_element(upsweep *u, const R &data)
{
    std::size_t at = 0;
    detail::check(u, upsweep_argmax(u, std::data(data), std::size(data),
                                    type_v<detail::value_of<R>>, &at, nullptr));
    return at;
}
template <class R, std::enable_if_t<detail::is_keys_v<R>, int> = 0>
std::pair<detail::value_of<R>, detail::value_of<R>> minmax(upsweep *u, const R &data)
{
    std::pair<detail::value_of<R>, detail::value_of<R>> ends{};
    detail::check(u,
                  upsweep_minmax(u, std::data(data), std::size(data), type_v<detail::value_of<R>>,
                                 &ends.first, &ends.second, nullptr));
    return ends;
}

// ---- scans: out may be in ----

namespace detail
{
template <class R, class S>
inline constexpr bool is_out_of_v = is_writable<S>::value &&is_same_value_v<R, S>;

template <class R, class S, class Op> void scan(upsweep *u, const R &in, S &out, const options &o)
{
    using T = value_of<R>;
    require(std::size(out) >= std::size(in), "scan: out has room for all of in");
    check(u, upsweep_scan(u, std::data(in), std::data(out), std::size(in), type_v<T>, op_v<Op, T>,
                          o.get()));
}
template <class R, class S, class F>
void scan_by(upsweep *u, const R &in, S &out, const value_of<R> &identity, F &f, const options &o)
{
    using T = value_of<R>;
    require(std::size(out) >= std::size(in), "scan: out has room for all of in");
    guarded<F> guard{f};
    upsweep_status status =
        upsweep_scan_by(u, std::data(in), std::data(out), std::size(in), sizeof(T),
                        &guarded<F>::template combine<T>, &guard, &identity, o.get());
    guard.rethrow();
    check(u, status);
}
constexpr options exclusive()
{
    return options().with(UPSWEEP_EXCLUSIVE);
}
} // namespace detail

// Sums have the type of the elements: integers wrap, floats are added up in double and rounded
// once.
template <class R, class S, class Op = std::plus<>,
          std::enable_if_t<detail::is_op_v<Op, R> && detail::is_out_of_v<R, S>, int> = 0>
void inclusive_scan(upsweep *u, const R &in, S &&out, Op = {}, const options &o = {})
{
    detail::scan<R, S, Op>(u, in, out, o);
}
template <class R, class S, class Op = std::plus<>,
          std::enable_if_t<detail::is_op_v<Op, R> && detail::is_out_of_v<R, S>, int> = 0>
void exclusive_scan(upsweep *u, const R &in, S &&out, Op = {}, const options &o = {})
{
    detail::scan<R, S, Op>(u, in, out, o.with(UPSWEEP_EXCLUSIVE));
}
template <class R, class S, class F,
          std::enable_if_t<detail::is_combination_v<R, F> && detail::is_out_of_v<R, S>, int> = 0>
void inclusive_scan(upsweep *u, const R &in, S &&out, detail::value_of<R> identity, F combine)
{
    detail::scan_by(u, in, out, identity, combine, options());
}
template <class R, class S, class F,
          std::enable_if_t<detail::is_combination_v<R, F> && detail::is_out_of_v<R, S>, int> = 0>
void exclusive_scan(upsweep *u, const R &in, S &&out, detail::value_of<R> identity, F combine)
{
    detail::scan_by(u, in, out, identity, combine, detail::exclusive());
}
// From first to last, written from out on; returns the end of what was written.
template <class I, class J, class Op = std::plus<>,
          std::enable_if_t<detail::is_pointer_like<I>::value && detail::is_pointer_like<J>::value,
                           int> = 0>
J inclusive_scan(upsweep *u, I first, I last, J out, Op op = {})
{
    inclusive_scan(u, detail::span_of(first, last), detail::span_of(out, out + (last - first)), op);
    return out + (last - first);
}
template <class I, class J, class Op = std::plus<>,
          std::enable_if_t<detail::is_pointer_like<I>::value && detail::is_pointer_like<J>::value,
                           int> = 0>
J exclusive_scan(upsweep *u, I first, I last, J out, Op op = {})
{
    exclusive_scan(u, detail::span_of(first, last), detail::span_of(out, out + (last - first)), op);
    return out + (last - first);
}
// Starts anew wherever a key has other bits than the one before it.
template <class K, class R, class S, class Op = std::plus<>,
          std::enable_if_t<
              detail::is_keys_v<K> && detail::is_op_v<Op, R> && detail::is_out_of_v<R, S>, int> = 0>
void inclusive_scan_by_key(upsweep *u, const K &keys, const R &in, S &&out, Op = {},
                           const options &o = {})
{
    using T = detail::value_of<R>;
    detail::require(std::size(keys) == std::size(in) && std::size(out) >= std::size(in),
                    "inclusive_scan_by_key: as many keys, and as much room, as elements");
    detail::check(u, upsweep_scan_by_key(u, std::data(keys), type_v<detail::value_of<K>>,
                                         std::data(in), std::data(out), std::size(in), type_v<T>,
                                         detail::op_v<Op, T>, o.get()));
}
template <class K, class R, class S, class Op = std::plus<>,
          std::enable_if_t<
              detail::is_keys_v<K> && detail::is_op_v<Op, R> && detail::is_out_of_v<R, S>, int> = 0>
void exclusive_scan_by_key(upsweep *u, const K &keys, const R &in, S &&out, Op op = {},
                           const options &o = {})
{
    inclusive_scan_by_key(u, keys, in, out, op, o.with(UPSWEEP_EXCLUSIVE));
}

// ---- histograms ----

// How many keys fall into each of `count` buckets of equal width from low to high, high included.
template <class R, std::enable_if_t<detail::is_keys_v<R>, int> = 0>
std::vector<std::uint64_t> histogram(upsweep *u, const R &keys, std::size_t count,
                                     detail::value_of<R> low, detail::value_of<R> high)
{
    upsweep_bucketing b = {};
    b.size = sizeof b;
    b.kind = UPSWEEP_BUCKET_WIDTH;
    b.count = count;
    b.low = &low;
    b.high = &high;
    std::vector<std::uint64_t> counts(count);
    detail::check(u, upsweep_histogram(u, std::data(keys), std::size(keys),
                                       type_v<detail::value_of<R>>, &b, counts.data(), nullptr));
    return counts;
}
// Bucket i is from edges[i] to below edges[i + 1], the last one closed; edges ascend.
template <class R, class E,
          std::enable_if_t<detail::is_keys_v<R> && detail::is_same_value_v<R, E>, int> = 0>
std::vector<std::uint64_t> histogram(upsweep *u, const R &keys, const E &edges)
{
    detail::require(std::size(edges) > 1, "histogram: at least two edges");
    upsweep_bucketing b = {};
    b.size = sizeof b;
    b.kind = UPSWEEP_BUCKET_EDGES;
    b.count = std::size(edges) - 1;
    b.edges = std::data(edges);
    std::vector<std::uint64_t> counts(b.count);
    detail::check(u, upsweep_histogram(u, std::data(keys), std::size(keys),
                                       type_v<detail::value_of<R>>, &b, counts.data(), nullptr));
    return counts;
}

// ---- splits and moves: of any trivially copyable elements ----

// Elements whose flag is 0 first, then the others, each in order; returns how many the former are.
template <class R, class F, class S,
          std::enable_if_t<detail::is_movable_v<S> && detail::is_same_value_v<R, S> &&
                               std::is_same_v<detail::value_of<F>, std::uint8_t>,
                           int> = 0>
std::size_t partition_copy(upsweep *u, const R &in, const F &flags, S &&out)
{
    std::size_t zeros = 0;
    detail::require(std::size(flags) == std::size(in) && std::size(out) >= std::size(in),
                    "partition_copy: as many flags, and as much room, as elements");
    detail::check(u, upsweep_split(u, std::data(in), std::data(flags), std::data(out),
                                   std::size(in), sizeof(detail::value_of<R>), &zeros, nullptr));
    return zeros;
}
// The elements whose flag is not 0, in order.
template <class R, class F,
          std::enable_if_t<std::is_same_v<detail::value_of<F>, std::uint8_t>, int> = 0>
std::vector<detail::value_of<R>> copy_flagged(upsweep *u, const R &in, const F &flags)
{
    using T = detail::value_of<R>;
    static_assert(std::is_trivially_copyable_v<T>, "elements are moved as bytes");
    detail::require(std::size(flags) == std::size(in), "copy_flagged: as many flags as elements");
    std::vector<T> out(std::size(in));
    std::size_t kept = 0;
    detail::check(u, upsweep_compact(u, std::data(in), std::data(flags), out.data(), std::size(in),
                                     sizeof(T), &kept, nullptr));
    out.resize(kept);
    return out;
}
// out[i] = in[index[i]]
template <
    class R, class X, class S,
    std::enable_if_t<
        detail::is_index_v<X> && detail::is_movable_v<S> && detail::is_same_value_v<R, S>, int> = 0>
void gather(upsweep *u, const X &index, const R &in, S &&out)
{
    detail::require(std::size(out) >= std::size(index), "gather: out has room for all positions");
    detail::check(u, upsweep_gather(u, std::data(in), std::size(in), std::data(index),
                                    8 * sizeof(detail::value_of<X>), std::data(out),
                                    std::size(index), sizeof(detail::value_of<R>), nullptr));
}
// out[index[i]] = in[i]
template <
    class R, class X, class S,
    std::enable_if_t<
        detail::is_index_v<X> && detail::is_movable_v<S> && detail::is_same_value_v<R, S>, int> = 0>
void scatter(upsweep *u, const R &in, const X &index, S &&out)
{
    detail::require(std::size(in) == std::size(index), "scatter: as many positions as elements");
    detail::check(u,
                  upsweep_scatter(u, std::data(in), std::data(index),
                                  8 * sizeof(detail::value_of<X>), std::data(out), std::size(out),
                                  std::size(in), sizeof(detail::value_of<R>), nullptr));
}
template <class R, std::enable_if_t<detail::is_movable_v<R>, int> = 0>
void reverse(upsweep *u, R &&data)
{
    detail::check(u, upsweep_reverse(u, std::data(data), std::size(data),
                                     sizeof(detail::value_of<R>), nullptr));
}
// As std::reverse_copy; out is as long as in.
template <class R, class S,
          std::enable_if_t<detail::is_movable_v<R> && detail::is_movable_v<S> &&
                               detail::is_same_value_v<R, S>,
                           int> = 0>
void reverse_copy(upsweep *u, const R &in, S &&out)
{
    detail::require(std::size(in) == std::size(out), "reverse_copy: as many results as elements");
    detail::check(u, upsweep_reverse_copy(u, std::data(in), std::data(out), std::size(in),
                                          sizeof(detail::value_of<R>), nullptr));
}
// The last two axes of an array of outer x length x inner elements change places.
template <class R, class S,
          std::enable_if_t<detail::is_movable_v<S> && detail::is_same_value_v<R, S>, int> = 0>
void transpose(upsweep *u, const R &in, std::size_t outer, std::size_t length, std::size_t inner,
               S &&out)
{
    const std::size_t columns = outer * inner, n = columns * length;
    detail::require(std::size(out) == n && std::size(in) == n &&
                        (n == 0 || (columns / inner == outer && n / length == columns)),
                    "transpose: in and out have outer * length * inner elements");
    detail::check(u, upsweep_transpose(u, std::data(in), outer, length, inner, std::data(out),
                                       sizeof(detail::value_of<R>), nullptr));
}

} // namespace usw
#endif
