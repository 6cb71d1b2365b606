#!/bin/sh
# check_gpu.sh BUILD_DIR [tests|sanitizers] - the tests of the GPU forms on this machine's GPU, with the
# plugin that nvcc built, and a small run of them under each tool of compute-sanitizer; or one of the
# two. Where there is no plugin or no GPU it says so and does nothing.
# SPDX-License-Identifier: MIT
set -u
part=${2:-all}
here=$(dirname "$0")
build=$(cd "$1" && pwd)
plugin=$build/libupsweep_cuda.so
if [ ! -e "$plugin" ]; then
    echo "check-gpu: skipped: the GPU plugin was not built: $(cat "$build/gpu.txt")"
    exit 0
fi
UPSWEEP_CUDA_PLUGIN=$plugin
UPSWEEP_PROGRAM=$build/upsweep
export UPSWEEP_CUDA_PLUGIN UPSWEEP_PROGRAM
"$build/upsweep" info | grep -E '^GPU'
targets=$("$build/upsweep" info | grep '^GPU plugin' | grep -oE 'sm_[0-9]+|PTX' | sed 's/^sm_//' | tr '\n' ' ')
failed=0

# What cmocka counted.
counts() { # LOG
    sed -n 's/.*\[==========\] \([0-9]*\) test(s) run.*/\1 tests/p; s/^ *\([0-9]*\) SKIPPED TEST(S).*/, \1 left out/p' "$1" |
        tr -d '\n'
}

run() { # NAME: leaves its status beside its log, and says how it went at once
    case $1 in
    plugin) sh "$here/plugin.sh" "$plugin" "$build/libupsweep.so" "$targets" ;;
    gpu_cli) UPSWEEP_TEST_LONG=1 sh "$here/../app/gpu_cli.sh" "$build/upsweep" "$build/gpu_cli" ;;
    python) sh "$here/../python/gpu.sh" "$build" ;;
    fuzz_calls) "$build/test/fuzz_calls" --device cuda --seconds "${CALLS_SECONDS:-60}" ;;
    *) "$build/test/$1" ;;
    esac >"$build/$1.log" 2>&1
    echo $? >"$build/$1.status"
    log=$build/$1.log
    case $(cat "$build/$1.status") in
    0) echo "check-gpu: $1: passed ($(counts "$log")$(grep -E 'bytes$|compared' "$log" | tail -n 1))" ;;
    77) echo "check-gpu: $1: $(tail -n 1 "$log")" ;;
    *)
        echo "check-gpu: $1: FAILED: $log"
        grep -E 'ERROR|FAILED|differs|it ' "$log" | head -40
        ;;
    esac
}

# The first and the last want the device's memory for themselves.
run test_gpu_handle
if [ "$(cat "$build/test_gpu_handle.status")" = 77 ]; then
    echo "check-gpu: skipped: $("$build/upsweep" info | sed -n 's/^GPUs *//p')"
    exit 0
fi
together="plugin test_gpu_buckets test_gpu_few test_gpu_folds test_gpu_lengths test_gpu_merge test_gpu_ring test_gpu_rows
    test_gpu_row_folds test_gpu_runs test_gpu_select test_gpu_sorts test_gpu_strings test_gpu_graph test_gpu_again
    test_gpu_choice test_gpu_claims test_gpu_threads test_gpu_ways test_gpu_windows test_film test_gpu_forms test_gpu_refused test_gpu_paths
    test_gpu_paths_many test_gpu gpu_cli fuzz_calls python"
if [ -e "$build/test/view_gpu" ]; then
    together="$together view_gpu"
else
    echo "check-gpu: view_gpu: left out: the view was not built"
fi
if [ "$part" != sanitizers ]; then
    for name in $together; do
        run "$name" &
    done
    wait
    run test_gpu_huge
    for name in test_gpu_handle $together test_gpu_huge; do
        case $(cat "$build/$name.status") in
        0 | 77) ;;
        *) failed=1 ;;
        esac
    done
fi
[ "$part" = tests ] && exit $failed

# ---- under compute-sanitizer ----
PATH=$PATH:/usr/local/cuda/bin
if ! command -v compute-sanitizer >/dev/null; then
    echo "check-gpu: compute-sanitizer is not installed, so its checks are left out"
    exit $failed
fi
UPSWEEP_TEST_SMALL=1
export UPSWEEP_TEST_SMALL
sanitize() { # TOOL SHARE PROGRAM...: one after another; a line for each that is not clean
    tool=$1
    share=$2
    shift 2
    # initcheck does not see what a bulk copy writes, so it is not asked about copies to the host: that
    # outputs are whole is what the tests compare.
    # synccheck counts too few barriers for a block of the merge ring, unless told; told so, it has no
    # memory left for the forms of 64 bits.
    for program in "$@"; do
        case $tool.$program in
        initcheck.*) options='--check-api-memory-access no' ;;
        synccheck.test_gpu | synccheck.test_gpu_ring) options='--num-cuda-barriers 65536' ;;
        *) options= ;;
        esac
        log=$build/$tool.$program.${share%/*}.log
        # shellcheck disable=SC2086
        UPSWEEP_TEST_SHARE=$share compute-sanitizer --tool "$tool" --error-exitcode 3 $options \
            "$build/test/$program" >"$log" 2>&1
        status=$?
        if [ $status != 0 ] || ! grep -q 'SUMMARY: 0 ' "$log" || ! grep -q 'PASSED' "$log"; then
            echo "check-gpu: $tool of $program: FAILED: $log"
            grep -E 'ERROR|=========  *[A-Z]|hazard' "$log" | head -20
        fi
    done
}
# All at once: a process waits for the tool more than for the GPU. racecheck is the slowest.
{
    for part in 0 1 2 3; do
        sanitize racecheck $part/4 test_gpu test_gpu_forms &
    done
    sanitize racecheck 0/1 test_gpu_handle test_gpu_few &
    sanitize memcheck 0/1 test_gpu_few test_gpu_sorts test_gpu_merge test_gpu_buckets &
    # Not initcheck of runs: it names a prefix tree's slots, which are copied with the unused ones beyond the
    # last. Nor racecheck, which takes more than 400 s.
    for tool in memcheck synccheck; do
        sanitize $tool 0/1 test_gpu_runs &
    done
    for tool in memcheck racecheck synccheck initcheck; do
        sanitize $tool 0/1 test_gpu_row_folds test_gpu_strings &
    done
    for tool in memcheck racecheck initcheck synccheck; do
        sanitize $tool 0/1 test_gpu_paths test_gpu_paths_many &
    done
    # Not racecheck of the rings: it does not follow a plain word with fences, by which their spine
    # warps take turns (gpu/carry/spine_ring.cuh), and names them; nothing else there.
    for tool in memcheck initcheck synccheck; do
        sanitize $tool 0/1 test_gpu test_gpu_forms test_gpu_handle test_gpu_ring test_gpu_threads &
    done
    wait
} >"$build/sanitizers.log" 2>&1
if [ -s "$build/sanitizers.log" ]; then
    cat "$build/sanitizers.log"
    failed=1
else
    echo "check-gpu: memcheck, racecheck, initcheck, synccheck: clean"
fi
exit $failed
