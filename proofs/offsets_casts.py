"""offsets_casts.py - every cast to 32 bits in the CPU's part of the library, and why nothing is lost by it.

The compiler finds 64-bit numbers that become 32-bit ones without a cast (-Wshorten-64-to-32, in test/lint.sh:
there are none); so what is cast is all there is. A cast is in offsets_table.py (proved), or of a kind that
KINDS describes, or in BOUNDED by its text. Casts of vectors' lanes and of key bits lose what they are to lose.
"""
# SPDX-License-Identifier: MIT
import re

# By the operand's text. A position or a number of elements is none of these.
KINDS = [(re.compile(pattern), why) for pattern, why in (
    (r"^\(?(~?[A-Z][A-Z_0-9]+|(f->)?type|op|isa|t|v->small\.multiplier\[\d\]|few->multiplier)\)?$",
     "a constant or an enumerator"),
    (r"^(upsweep_type_bytes\(type\)|\(?(8 \* )?\(?(\w+->)?(\w+\.)?(key_|record_|index_)?bytes\b(?!\[).*)$",
     "bytes of an element or a key"),
    (r"^__builtin_(clz|ctz|popcount)|^_mm\d*_", "bits of a word, lanes of a vector"),
    (r">> (?!32\)?$)", "a digit or the leading bits of a key, masked or of that width"),
    (r"^\(?(\*?(words|from\.words|narrow|group)\b.*>> 32|key >> 32|differ >> 32|\(uint64_t\)value >> 32|VALUES_MULTIPLIER >> 32)\)?$"
     r"|^\(\(from\.words\[0\] \^ r->key\) >> 32\)$", "the upper half of a word, a key"),
    (r"^(words|narrow)\[.*\]$|^record$|^\(\(const uint64_t \*\)records\)\[i\]$|^out\[i\]$|^value$|^raw$",
     "the lower half of a word"),
    (r"^x$|^\(x\)$|^map->(neg|pos|add)$|^\(?h( & 0x[78][0f]+)?\)?$|^distance$|^\(bits >> 52\)$",
     "a key or constant of 32 bits for a vector, a half"),
    (r"^usw_m(in|ax)\(.*(log2_up|[Bb]its|BITS|DIGIT|\bhi\b|\bhigh\b|\ball\b)", "a number of bits"),
    (r"^usw_min\(.*(cores|threads|workers|INSIDE)", "a number of threads"),
    (r"^\([^()]* < \w+\)$", "a comparison"),
    (r"^(\w+->)?hash$", "bits of a hash"),
)]

# By file and operand.
BOUNDED = {
    "fewer than 2^32 - 1 vertices: among the GUARDS": {
        "calls/graph.c": ["v"], "calls/on_gpu/path_rows.c": ["v"], "cpu/paths/bucket_windows.h": ["v"],
        "cpu/paths/contract.c": ["v", "passed", "(c->passed + count)"],
        "cpu/paths/contract_body.h": ["v", "(rank[row[i].to] - passed)", "(r - k->passed)"],
        "cpu/paths/dense_matrix.h": ["i", "v"],
        "cpu/paths/many_sources.c": ["(w * 64 + (size_t)__builtin_ctzll(lane->marks[w]))", "k"],
        "cpu/paths/parents_body.h": ["k"]},
    "fewer than 2^32 - 1 arcs of a vertex: among the GUARDS": {"cpu/paths/bucket_windows.h": ["(a - begin)"]},
    "an arc's weight, 32 bits": {"cpu/paths/weight_kind.h": ["(g)->arc32[a].weight"]},
    "2^24 buckets at most, or fewer than 2^32 - 1: among the GUARDS": {
        "calls/bucketing.c": ["wish->count"], "calls/histogram.c": ["count"], "calls/split_index.c": ["j->count"],
        "cpu/buckets/histogram_cpu.h": ["x[i]", "b->count", "((inside - b->low) * b->scale)", "at"]},
    "n - 1 fits 32 bits where positions have 32: among the GUARDS": {
        "cpu/selection/pack_cpu.h": ["low"], "cpu/selection/select_cpu.h": ["position"],
        "cpu/pair_sort/wide_upper_words.h": ["(w->words[i] & w->mask)"],
        "cpu/pair_sort/narrow_few_bits.h": ["(i + k)"], "cpu/strings/strings.h": ["item"]},
    "fewer keys than a vector has": {"cpu/merging/merge_vectors.h": ["n"], "cpu/cache_sort/short_arrays.h": ["(n - PIECE)"],
                                     "cpu/cache_sort/vectors_avx2.h": ["count"]},
    "at most 22 bits of a float's value; a distance of at most 32 bits, since shift is 0": {
        "cpu/cache_sort/short_positions.h": ["(int32_t)((FN(value_of)(raw[i]) - m.from) * m.scale)",
                                             "((FN(value_of)(raw[i]) - m.from) * m.scale)",
                                             "(KEY)(s.keys[i] - s.least)"]},
    "places in a leaf, which fits a cache": {
        "cpu/cache_sort/short_positions.h": ["i"],
        "cpu/pair_sort/few_pairs.c": ["(words[i] & mask)"], "cpu/pair_sort/leaf.h": ["i"], "cpu/pair_sort/narrow_close_keys.h": ["i"],
        "cpu/pair_sort/narrow_leaf.h": ["(i + j)"], "cpu/pair_sort/sort_by_tags.h": ["i"],
        "cpu/pair_sort/wide_keys.h": ["i", "n", "(wide[i] & places)",
                                      "(i << place_bits | (wide[i] & places))"], "cpu/cache_sort/merge_blocks.h": ["usw_div_up(n, KEYS)"]},
    "fewer than 2^32 words: n - 1 fits 32 bits, among the GUARDS": {
        "cpu/pair_sort/sort_by_tags.h": ["n"], "cpu/pair_sort/narrow_large_bucket.h": ["n"]},
    "fewer than 2^32 keys: `wide` is set for more": {
        "cpu/buckets/digits_in_cache.h": ["(narrow[dy] + (dx == dy))", "to_x", "to_y"]},
    "a comparison": {"cpu/strings/heads_cpu.h": ["less", "is_less(load_head(heads[at + half - 1]), h)"]},
    "a digit, masked": {"cpu/buckets/digits_in_cache.h": ["k"], "calls/sort_choice.c": ["x"]},
    "buckets of a split, some thousands": {
        "cpu/pair_sort/narrow_even.h": ["buckets_wanted(job)"], "cpu/pair_sort/wide_keys_quantiles.h": ["usw_max(count, 1)"],
        "cpu/pair_sort/narrow_quantiles.h": ["usw_min(wanted, most)", "(usw_min(wanted, NARROW_BUCKETS_MAX) / SPLIT_GROUPS)"],
        "cpu/pair_sort/pair_sort_cpu.h": ["usw_min(wanted, most)"], "cpu/pair_sort/few_values.h":
            ["usw_min(2 * v->count + VALUES_MORE, VALUES_MAX)"], "algo/sort_hybrid_cpu.h": ["b"],
        "cpu/strings/splitters.c": ["count"], "cpu/strings/strings.c": ["b"]},
    "keys of 32 bits": {
        "cpu/pair_sort/narrow_leaf.h": ["(usw_div_up(d << s.bits, s.buckets) << s.shift)"],
        "cpu/pair_sort/narrow_quantiles.h": ["usw_min(mult, UINT16_MAX)", "usw_div_up((size_t)k << 16, mult)"],
        "cpu/pair_sort/narrow_close_keys.h": ["usw_min(dense.middle, most / 2)"]},
    "some neighbours, lanes or threads": {
        "cpu/pair_sort/few_values_avx2.h": ["(bits | bits >> 32)"],
        "cpu/patterns/patterns_cpu.h": ["falls", "rises"], "cpu/selection/select_cpu.h": ["(i + 1)"],
        "cpu/selection/split_avx2.h": ["sizeof(KEY)"], "core/isa.c": ["best", "CPU_COUNT(&set)", "online"],
        "core/threads.c": ["(wanted == 0 ? cores : usw_min(wanted, most))"],
        "cpu/cache_sort/cache_sort_cpu.h": ["v"],
        "cpu/folds/float_tile.h": ["(heads[RUN * r + (size_t)j] != 0)"]},
    "bytes of a record's key": {
        "core/record_keys.h": ["(8 * below)", "(end - begin)", "(8 * (f->bytes - end))"],
        "cpu/merging/sort_records.c": ["used"]},
    "the length of a path, a device's number, looked at before": {"core/device.c": ["(slash - file)", "number"]},
    "what a message names, of 32 bits": {"calls/on_gpu/place.c": ["below", "at"]},
}
