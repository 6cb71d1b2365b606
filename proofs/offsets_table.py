"""offsets_table.py - the expressions that offsets.py proves: where they are, of which types and bounds.

LIMIT is 2^48 - 1 elements on the CPU, and as many bytes as calls/on_gpu/call.c lets through on a GPU. A grid has
at most 2^31 - 1 blocks. Where fewer elements are all that an expression may see, the check that stands
before it is among the GUARDS.
"""
# SPDX-License-Identifier: MIT

GRID = "2^31 - 1"
N = ("u64", 1, "LIMIT")


def div_up(b):
    return {"file": "core/frame.h", "find": r"usw_div_up\(size_t a, size_t b\) \{ return (.*?); \}",
            "of": {"a": ("u64", 0, "2^64 - 1"), "b": ("u64", b, b)}}


def packed(file, pattern, of, kind, words=None, given=()):
    return {"file": file, "find": pattern, "of": of, "type": kind, "words": words or {}, "given": given}


CPU = [div_up(b) for b in (1, 2, 3, 7, 16, 4096, 4097, 1 << 17, 1 << 30)] + [
    # The power of two that holds n keys, and its half.
    {"file": "algo/sort_bitonic_cpu.h", "find": r"size < (2 \* n) && chunks", "of": {"n": ("u64", 1, "2^62 - 1")}},
    {"file": "algo/sort_bitonic_cpu.h", "find": r"here = usw_min\(job->size, (job->n - start)\)",
     "of": {"job_n": N, "start": N}, "given": ["start <= job_n"]},
    # A stretch of whole tiles for each thread, and where it begins.
    *({"file": "calls/histogram.c", "find": r"j->stretch = (usw_div_up\(usw_div_up\(j->n, j->stretches\), "
       r"USW_TILE\) \* USW_TILE);", "words": {"USW_TILE": "4096"}, "of": {"j_n": N, "j_stretches": ("u64", k, k)}}
      for k in (1, 2, 8, 64)),
    # A key above its position in one word, and each back.
    packed("cpu/merging/sort_records.c", r"\[i\] = (\(key >> 32\) << 32 \| i);",
           {"key": ("u64", 0, "2^64 - 1"), "i": ("u64", 0, "2^32 - 1")}, "uint64_t"),
    packed("cpu/cpu.h", r"uint32_t position = \(uint32_t\)(\(begin \+ i\));",
           {"begin": ("u64", 0, "2^32 - 1"), "i": ("u64", 0, "2^32 - 1")}, "uint32_t",
           given=["begin + i <= 4294967295ul"]),
    packed("cpu/pair_sort/narrow_split.h", r"<< 32 \| \(uint32_t\)(\(i \+ j\));",
           {"i": ("u64", 0, "2^32 - 1"), "j": ("u64", 0, "2^32 - 1")}, "uint32_t",
           given=["i + j <= 4294967295ul"]),
    # Where 32 bits count: never more than what they were told to count at a time.
    packed("cpu/buckets/count_short_keys.h", r"c\.end = n - c\.begin < range \? n : (c\.begin \+ range);",
           {"c_begin": ("u64", 0, "2^48 - 1"), "range": ("u64", 1 << 31, 1 << 31)}, "size_t"),
    packed("cpu/pair_sort/sort_by_tags.h", r"uint32_t count = (ends\[g\] \+ odd\[g\]);",
           {"ends": ("u32", 0, "2^32 - 1"), "odd": ("u32", 0, "2^32 - 1")}, "uint32_t",
           {"[g]": ""}, ["(uint64_t)ends + odd <= 4294967295ul"]),
    packed("cpu/buckets/histogram_cpu.h", r"uint32_t sum = (tables\[0\].*?);",
           {f"t{i}": ("u32", 0, "2^30") for i in range(4)}, "uint32_t",
           {f"tables[{i}][digit]": f"t{i}" for i in range(4)}, ["(uint64_t)t0 + t1 + t2 + t3 <= 1073741824ul"]),
]

# One-dimensional grids and tile numbers of 32 bits. cast: what is within static_cast<unsigned>(..).
GPU = [
    *({"file": "gpu/textbook/packed_pairs.cuh", "find": r"return (static_cast<unsigned>\(\(n \+ each - 1\) / each\));",
       "cast": "(n + each - 1) / each", "type": "unsigned", "most": GRID,
       "of": {"n": N, "each": ("u64", each, each)}} for each in (256, 512, 1024, 2048, 4096)),
    *({"file": "gpu/bucket_sort/launches.cuh", "type": "unsigned", "most": GRID,
       "find": r"tiles = (static_cast<unsigned>\(\(j\.n \+ tile - 1\) / tile\)) \+", "cast": "(j.n + tile - 1) / tile",
       "of": {"j_n": N, "tile": ("i32", t, t)}} for t in (4096, 8192, 16384)),
    *({"file": "gpu/bucket_sort/4_scatter_slots.cuh", "type": "unsigned", "most": GRID, "cast": "(a.n + NT * I - 1) / (NT * I)",
       "find": r"tiles = (static_cast<unsigned>\(\(a\.n \+ NT \* I - 1\) / \(NT \* I\)\));",
       "of": {"a_n": N, "NT": ("i32", nt, nt), "I": ("i32", 16, 16)}} for nt in (256, 512, 1024)),
    *({"file": "gpu/pair_buckets/pairs_place.cuh", "type": "unsigned", "most": GRID,
       "find": r"tiles\[0\] = (static_cast<unsigned>\(\(a\.n \+ tile - 1\) / tile\));",
       "cast": "(a.n + tile - 1) / tile", "of": {"a_n": N, "tile": ("u32", t, t)}} for t in (1024, 4096, 8192)),
    {"file": "gpu/pair_buckets/pairs_place.cuh", "type": "unsigned", "most": GRID, "cast": "(size + a.tile - 1) / a.tile",
     "find": r"tiles = (static_cast<unsigned>\(\(size \+ a\.tile - 1\) / a\.tile\));",
     "of": {"size": ("u64", 0, "LIMIT"), "a_tile": ("u32", 1024, 1024)}},
    *({"file": "algo/split_flags.cu", "type": "unsigned", "most": GRID, "cast": "(a.n + a.tile - 1) / a.tile",
       "find": r"unsigned tiles = (static_cast<unsigned>\(\(a\.n \+ a\.tile - 1\) / a\.tile\));",
       "of": {"a_n": N, "a_tile": ("u64", t, t)}} for t in (1024, 2048, 4096)),
    *({"file": "algo/split_flags.cu", "type": "unsigned", "most": GRID, "cast": "tiles",
       "find": r"\(move_tile<W, keep>\), dim3\((static_cast<unsigned>\(tiles\))\)",
       "words": {"(tiles)": "((a_n + a_tile - 1) / a_tile)"},
       "of": {"a_n": N, "a_tile": ("u64", t, t)}} for t in (1024, 4096)),
    # Elements of up to LIMIT bytes, by columns of up to 64 bytes; more blocks than a grid has are refused.
    *({"file": "algo/split_flags.cu", "type": "unsigned", "most": GRID, "cast": "tiles * columns",
       "find": r"dim3\((static_cast<unsigned>\(tiles \* columns\))\)", "words": {"(tiles": "(tiles"},
       "of": {"tiles": ("u64", tiles, tiles), "columns": ("u64", 1, "LIMIT")},
       "given": [f"columns <= 2147483647 / {tiles}"]}
      for tiles in (1, 3, 1 << 10, 1 << 21, (1 << 30) - 1)),
    {"file": "algo/scan_sweep.cu", "type": "unsigned", "most": GRID, "cast": "tiles",
     "find": r"blocks\((static_cast<unsigned>\(tiles\))\), threads\(USW_SWEEP_THREADS\)",
     "words": {"(tiles)": "((n + tile - 1) / tile)"}, "of": {"n": N, "tile": ("u64", 4096, 4096)}},
    {"file": "algo/sort_hybrid.cu", "type": "unsigned", "most": GRID, "cast": "(j.n + stretch - 1) / stretch",
     "find": r"(static_cast<unsigned>\(\(j\.n \+ stretch - 1\) / stretch\))",
     "of": {"j_n": ("u64", 1, "LIMIT"), "stretch": ("u32", 8192, 8192)}},
    {"file": "algo/sort_hybrid.cu", "type": "unsigned", "most": GRID, "cast": "(shares + 7) / 8",
     "find": r"(static_cast<unsigned>\(\(shares \+ 7\) / 8\))", "of": {"shares": ("u64", 1, "2^33")}},
    {"file": "gpu/digit_sort/pass.cuh", "type": "unsigned", "cast": "(tiles + a.ring_tiles - 1) / a.ring_tiles",
     "find": r"laps = (static_cast<unsigned>\(\(tiles \+ a\.ring_tiles - 1\) / a\.ring_tiles\));",
     "of": {"tiles": ("u64", 1, "2^31"), "a_ring_tiles": ("u32", 1, 1)}},
    {"file": "gpu/digit_sort/pass.cuh", "type": "unsigned", "cast": "tiles",
     "find": r"base\[digit\], (static_cast<unsigned>\(tiles\))\);",
     "words": {"(tiles)": "((n + tile - 1) / tile)"}, "of": {"n": N, "tile": ("u64", 1024, 1024)}},
    {"file": "gpu/folds/scan_one_launch.cuh", "type": "unsigned", "cast": "(tree.tiles + count - 1) / count",
     "find": r"blocks\((static_cast<unsigned>\(\(tree\.tiles \+ count - 1\) / count\))\)",
     "of": {"tree_tiles": ("u64", 1, "2^31 - 1"), "count": ("u32", 1, 1)}},
    *({"file": "gpu/merging/merge.cuh", "type": "unsigned", "most": GRID, "cast": cast, "find": find,
       "words": {"(tiles)": "((n + 255) / 256)"}, "of": {"n": N}} for cast, find in (
           ("tiles", r"\(usw_merge_tiles<O, L>\), (static_cast<unsigned>\(tiles\)),"),)),
    {"file": "gpu/merging/merge.cuh", "type": "unsigned", "most": GRID, "cast": "(all + each - 1) / each",
     "find": r"blocks = (static_cast<unsigned>\(\(all \+ each - 1\) / each\));",
     "of": {"all": ("u64", 1, "2^32"), "each": ("u64", 255, 255)}},
    {"file": "gpu/merging/item_merge.cuh", "type": "unsigned", "most": GRID, "cast": "tiles",
     "find": r"\(usw_sort_item_tiles<O, S>\), (static_cast<unsigned>\(tiles\)),",
     "words": {"(tiles)": "((n + 255) / 256)"}, "of": {"n": N}},
]

# What is 32 bits wide for another reason.
BOUNDED = {
    ("gpu/bucket_sort/4_scatter_uncounted.cuh", "a.n - tiles * tile_keys"): "less than a tile",
    ("gpu/pair_buckets/pairs_scatter.cuh", "end - b.begin < Shape::tile ? end - b.begin : Shape::tile"): "a tile at most",
    ("gpu/bucket_sort/3_place.cuh", "hybrid_block_sum(tiles(other), sums, none)"): "a tile more a bucket than of all keys",
    ("gpu/bucket_sort/3_place.cuh", "tiles(moves)"): "of one bucket",
    ("gpu/runs/5_weave.cuh", "(begin + a.lead) / weave_shape<K>::tile"): "one of the tiles, which the launch has proved",
    ("gpu/runs/5_weave.cuh", "(end - 1 + a.lead) / weave_shape<K>::tile"): "likewise",
    ("gpu/runs/runs.cu", "(j.n + a.lead + shape::tile - 1) / shape::tile"): "n / 2^13 or fewer: 2^45 keys fit no device",
    ("gpu/runs/runs.cu", "static_cast<size_t>(end - at) / sizeof(K) / shape::tile"): "tiles of scratch, fewer than of keys",
    ("gpu/carry/look_back_digits.cuh", "tile >> (31 - __clz(static_cast<int>(tiles)))"): "a lap of a ring of tiles",
    ("gpu/folds/scan_one_launch.cuh", "left - k * tile < tile ? left - k * tile : tile"): "a tile at most",
    ("gpu/folds/scan_ring.cuh", "a.n - t * tile"): "the last tile, not a whole one",
    ("algo/reduce_butterfly.cu", "blocks"): "as many as the multiprocessors take: among the GUARDS",
    ("algo/reduce_butterfly.cu", "turns"): "one for 4096 x 64 x 128 elements",
    ("algo/reduce_tree.cu", "a.tiles"): "FEW_TILES at most: among the GUARDS",
    ("algo/split_flags.cu", "last ? a.n - begin : a.tile"): "a tile at most",
    ("algo/split_flags.cu", "a.tile"): "a constant",
    ("algo/split_flags.cu", "a->tile"): "a constant",
    ("gpu/folds/fold_rows.cu", "blocks == 0 ? 1 : blocks < most ? blocks : most"): "as many as the multiprocessors take",
    ("gpu/folds/fold_columns.cu", "blocks == 0 ? 1 : blocks < most ? blocks : most"):
        "as many as the multiprocessors take",
    ("gpu/selection/split_index.cu", "blocks == 0 ? 1 : blocks < most ? blocks : most"):
        "as many as the multiprocessors take",
    ("gpu/selection/search.cu", "tiles < most ? tiles : most"): "as many as the multiprocessors take",
    ("gpu/selection/search.cu", "few ? s->n : s->m >= tuning::sampled_from ? tuning::sample : 0"): "4096 at most",
    ("gpu/selection/search.cu", "at[j]"): "32 bits are asked for of fewer than 2^32 keys",
    ("gpu/merging/merge.cu", "tiles"): "as many as the multiprocessors take: among the GUARDS",
}

# The checks that stand before an expression that takes fewer.
GUARDS = [
    ("calls/graph.c", r"s->vertices > UINT32_MAX - 1"),
    ("calls/paths_dense.c", r"d->n > UINT32_MAX - 1"),
    ("calls/graph.c", r"g->sorted = .*g->degree_max < UINT32_MAX"),
    ("calls/bucketing.c", r"wish->count > BUCKETS_MAX"),
    ("calls/histogram.c", r"count >= UINT32_MAX\)"),
    ("algo/sort_bitonic_cpu.h", r"if \(n > \(SIZE_MAX >> 2\)\)"),
    ("cpu/merging/sort_records.c", r"key_bytes <= 4 && j->n - 1 <= UINT32_MAX \? 8 : 16"),
    ("cpu/merging/sort_records.c", r"position_bytes = j->n - 1 <= UINT32_MAX \? 4 : 8"),
    ("calls/pairs.c", r"record_bytes = j->key_bits <= 32 && j->n - 1 <= UINT32_MAX \? 8 : 16"),
    ("calls/pairs.c", r"payload_bytes = j->n - 1 <= UINT32_MAX \? 4 : 8"),
    ("calls/pairs.c", r"index_bits == 32 && n != 0 && n - 1 > UINT32_MAX"),
    ("calls/top_k.h", r"key_bytes <= 4 && n <= \(size_t\)UINT32_MAX \+ 1 \? 8"),
    ("cpu/patterns/few_values.c", r"return f->n <= UINT32_MAX;"),
    ("calls/row_set.c", r"index_bits == 32 && longest > \(size_t\)UINT32_MAX \+ 1"),
    ("cpu/pair_sort/narrow_split.h", r"p->n - 1 <= UINT32_MAX"),
    ("gpu/textbook/packed_pairs.cuh", r"sizeof\(K\) <= 4 && p->n <= UINT32_MAX"),
    ("gpu/selection/moves.cu", r"return n < UINT32_MAX \?"),
    ("gpu/carry/spine_digits.cuh", r"return n >> 31 == 0;"),
    ("algo/reduce_butterfly.cu", r"blocks = tree\.count\[0\] < most \? tree\.count\[0\] : most;"),
    ("algo/reduce_tree.cu", r"if \(a\.tiles <= FEW_TILES\) \{"),
    ("gpu/merging/merge.cu", r"if \(tiles <= g->sms \* each\) \{"),
    ("algo/split_flags.cu", r"if \(columns > INT32_MAX / tiles\) \{"),
    ("calls/on_gpu/call.c", r"a->bytes > USW_GPU_BYTES_MAX"),
]

# Constants on which counters of 32 bits and positions depend: least and most.
NUMBERS = [
    ("cpu/buckets/count_short_keys.h", r"range = \(size_t\)(1 << 31);", 1, (1 << 32) - 1),
    ("calls/histogram.c", r"DIGIT_KEYS = (1 << 30)", 1, 1 << 30),
    ("calls/sort_choice.c", r"ROW_BYTES = (256 \* 1024),", 1, 262144),
    ("core/order.h", r"USW_TILE = (4096),", 4096, 4096),
    ("algo/sort_radix_cpu.h", r"FN\(LEAF\) = \(USW_LEVEL == 2 \? 256 : (512)\) \* 1024", 1, 4 << 20),
    ("gpu/merging/merge.cuh", r"USW_MERGE_THREADS = (256)", 256, 1024),
]
