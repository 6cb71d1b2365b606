#!/bin/sh
# room.sh BUILD_DIR JOBS ROOM - builds what the tests of one room need, and runs these and the checks of
# the house. A change that passes here still has to pass `make check`, which takes every test.
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/.." || exit 2
build=$1
jobs=$2
room=$3

# The tests that go the room's ways most directly, of some seconds each.
case $room in
algo) tests='claims explained textsorts' ;;
core) tests='arena memory scratch threads tuning api arguments trace' ;;
calls) tests='api arguments calls promises typed sort pairs' ;;
external) tests='external external_calls external_direct external_source' ;;
cpu/cache_sort) tests='sort_small sort adversary' ;;
cpu/patterns) tests='patterns pattern_steps' ;;
cpu/buckets) tests='sort sort_bits sort_doubles histogram ways_sorts' ;;
cpu/selection) tests='select ways_select unique split move' ;;
cpu/folds) tests='scan reduce' ;;
cpu/merging) tests='merge sort_by records' ;;
cpu/pair_sort) tests='pairs ways_pairs' ;;
cpu/strings) tests='strings' ;;
cpu/paths) tests='paths paths_dense paths_many paths_roads' ;;
gpu/plugin) tests='gpu_handle gpu_again gpu_refused' ;;
gpu/runs) tests='gpu_runs gpu_sorts' ;;
gpu/prefix_tree | gpu/pair_buckets | gpu/tree_buckets) tests='gpu_sorts gpu_few' ;;
gpu/block | gpu/digit_sort | gpu/short_sort | gpu/bucket_sort) tests='gpu_choice gpu_lengths gpu_few gpu_buckets' ;;
gpu/carry | gpu/folds) tests='gpu_folds gpu_ring gpu_row_folds' ;;
gpu/selection) tests='gpu_select gpu_buckets' ;;
gpu/merging) tests='gpu_merge' ;;
gpu/strings) tests='gpu_strings strings' ;;
gpu/paths) tests='gpu_paths gpu_graph' ;;
gpu/film) tests='film' ;;
gpu/textbook) tests='gpu_claims' ;;
io) tests='file_kind graph_files graph_numbers graph_tables graph_ways io npy number numbers output' ;;
app) tests='cli cli_arrays cli_device cli_negative cli_sort cli_tables compare watch' ;;
ranks) tests='ranks' ;;
site) tests='trace_program' ;;
*)
    echo "check-$room: there is no such room; the rooms are: $(sed -n 's/^\([a-z_/ |]*\)) tests=.*/\1/p' "$0" | tr -d '|' | tr -s '\n ' '  ')" >&2
    exit 2
    ;;
esac
targets= names=
for test in $tests; do
    targets="$targets test_$test"
    names="${names:+$names|}test_$test"
done
plugin=
case $room in gpu/*) plugin=upsweep_cuda_emulated ;; esac
checks='tree|rooms'
case $room in
algo | site) checks="$checks|site_replay|site_pages|site_learn|site_course" ;; # pages show what is in algo/
app) checks="$checks|site_learn" ;;
esac
# shellcheck disable=SC2086
sh cmake/progress.sh "building for $room" cmake --build "$build" -j "$jobs" --target upsweep $plugin $targets || exit 1
sh cmake/progress.sh "testing $room" ctest --test-dir "$build" --output-on-failure -j "$jobs" \
    -R "^($names|$checks)\$"
