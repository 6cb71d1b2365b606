#!/bin/sh
# long.sh [JOBS] - what takes too long for every change: the tests under AddressSanitizer and
# UndefinedBehaviorSanitizer, under ThreadSanitizer and under valgrind, and the fuzz targets for
# FUZZ_SECONDS each (60); and every failing allocation, system call and moment of a kill, of which
# the other check takes a sample. Ends with 1 if anything failed. STEPS="asan tsan valgrind fuzz
# failures" picks.
set -u
cd "$(dirname "$0")/.." || exit 2
jobs=${1:-2}
steps=${STEPS:-asan tsan valgrind fuzz failures}
failed=

have() {
    command -v "$1" >/dev/null 2>&1 && return 0
    echo "check-long: $1 is not installed, so its part is left out"
    return 1
}
build() { # DIR SANITIZERS FLAGS...; builds what $targets names, or all
    dir=$1
    sanitizers=$2
    shift 2
    cmake -S . -B "$dir" -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ \
        -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DUPSWEEP_SANITIZE=$sanitizers" "$@" --log-level=WARNING -Wno-dev >/dev/null &&
        cmake --build "$dir" -j "$jobs" ${targets:+--target $targets}
}
verdict() {
    if [ "$2" = 0 ]; then echo "check-long: $1: passed"; else
        echo "check-long: $1: FAILED"
        failed="$failed $1"
    fi
}

for step in $steps; do
    targets=
    case $step in
    asan)
        have clang || continue
        build build-asan address,undefined -DUPSWEEP_TESTS=ON &&
            ASAN_OPTIONS=detect_stack_use_after_return=1:allocator_may_return_null=1 \
                LSAN_OPTIONS=suppressions="$PWD/test/leaks.txt":print_suppressions=0 \
                UBSAN_OPTIONS=print_stacktrace=1 \
                ctest --test-dir build-asan --output-on-failure -j "$jobs" -E 'consumer|aarch64|tree' --timeout 3000
        verdict "address and undefined behaviour" $?
        ;;
    tsan)
        have clang || continue
        build build-tsan thread -DUPSWEEP_TESTS=ON &&
            UPSWEEP_TEST_SMALL=1 ctest --test-dir build-tsan --output-on-failure -j "$jobs" \
                -R 'test_(threads|calls|memory|sort_by)' --timeout 3000
        verdict "threads" $?
        ;;
    valgrind)
        have valgrind || continue
        cmake -S . -B build-valgrind -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DUPSWEEP_TESTS=ON \
            --log-level=WARNING -Wno-dev >/dev/null && cmake --build build-valgrind -j "$jobs" &&
            for test in calls threads; do
                UPSWEEP_TEST_SMALL=1 valgrind --quiet --error-exitcode=9 --leak-check=full \
                    --errors-for-leak-kinds=definite "build-valgrind/test/test_$test" || exit 1
            done
        verdict valgrind $?
        ;;
    fuzz)
        have clang || continue
        targets="fuzz_npy fuzz_number fuzz_keys fuzz_graph"
        build build-fuzz address,undefined -DUPSWEEP_FUZZ=ON -DCMAKE_C_FLAGS=-fsanitize=fuzzer-no-link || {
            verdict "fuzz targets" 1
            continue
        }
        for target in npy number keys graph; do
            corpus=build-fuzz/corpus/$target
            mkdir -p "$corpus"
            echo "check-long: fuzz_$target for ${FUZZ_SECONDS:-60} s"
            build-fuzz/test/fuzz_$target -max_total_time="${FUZZ_SECONDS:-60}" -timeout=20 -verbosity=0 \
                -close_fd_mask=1 -dict=test/fuzz_$target.dict -artifact_prefix=build-fuzz/$target- "$corpus" \
                2>build-fuzz/$target.log
            status=$?
            [ $status = 0 ] || tail -40 build-fuzz/$target.log
            verdict "fuzz_$target" $status
        done
        ;;
    failures)
        cmake -S . -B build-failures -G Ninja -DCMAKE_BUILD_TYPE=Release -DUPSWEEP_TESTS=ON -DUPSWEEP_CUDA=OFF \
            --log-level=WARNING -Wno-dev >/dev/null &&
            cmake --build build-failures -j "$jobs" --target failures &&
            FAILURES=all ctest --test-dir build-failures --output-on-failure --verbose -j "$jobs" -R '^failures_'
        verdict failures $?
        ;;
    esac
done
[ -z "$failed" ] || { echo "check-long: failed:$failed"; exit 1; }
echo "check-long: all passed"
