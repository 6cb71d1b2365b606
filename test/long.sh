#!/bin/sh
# long.sh [JOBS] - what takes too long for every change, some 90 minutes on 2 cores: clang's analyser at
# its full depth, all tests under the address, undefined-behaviour and memory sanitizers, those of threads
# under the thread sanitizer, valgrind, the fuzz targets for FUZZ_SECONDS each (30), every call beside its
# oracle for CALLS_SECONDS (150) and in CALLS_CASES (10^6), kernels under the emulator by gcc's sanitizers, the
# verbs beside their rivals, the Python package with more cases and from its archive of sources, sorts beyond
# memory, all failures, the ABI beside that of 0.1.0, and how much of the library the tests reach.
# STEPS="lint asan tsan msan valgrind fuzz calls verbs sizes failures abi coverage" picks. A line a step at
# the end; ends with 1 if anything failed.
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/.." || exit 2
jobs=${1:-2}
lines="-O2 -gline-tables-only -DNDEBUG" # enough to name a fault's line; with -g compiling takes 1.6 times as long
steps=${STEPS:-lint asan tsan msan valgrind fuzz calls verbs sizes failures abi coverage}
results=
failed=0
began=$(date +%s)

have() {
    for tool in "$@"; do
        command -v "$tool" >/dev/null 2>&1 || {
            result "$step" "left out: $tool is not installed"
            return 1
        }
    done
}
result() { # NAME SENTENCE
    now=$(date +%s)
    line="check-long: $1: $2 ($((now - began)) s)"
    began=$now
    echo "$line"
    results="$results$line
"
}
verdict() { # NAME STATUS [WORDS]
    if [ "$2" = 0 ]; then result "$1" "passed${3:+, $3}"; else
        result "$1" "FAILED"
        failed=1
    fi
}
configure() { # DIR FLAGS...
    dir=$1
    shift
    cmake -S . -B "$dir" -G Ninja "$@" --log-level=WARNING -Wno-dev >/dev/null
}
clang_build() { # DIR SANITIZERS FLAGS...; builds what $targets names, or all
    dir=$1
    sanitizers=$2
    shift 2
    configure "$dir" -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        "-DCMAKE_C_FLAGS_RELWITHDEBINFO=$lines" "-DUPSWEEP_SANITIZE=$sanitizers" "$@" &&
        cmake --build "$dir" -j "$jobs" ${targets:+--target $targets}
}
tests() { # DIR CTEST_ARGUMENTS...; the tests of a build, quiet but for what fails; says how many passed
    dir=$1
    shift
    ctest --test-dir "$dir" --output-on-failure -j "$jobs" "$@" >"$dir/tests.log" 2>&1
    status=$?
    grep -E 'Failed|Timeout|Not Run|Exception' "$dir/tests.log"
    passed="$(grep -c ' Passed ' "$dir/tests.log") programs"
    return $status
}

lint_step() {
    have clang-tidy || return
    configure build-lint -DUPSWEEP_TESTS=ON -DUPSWEEP_WERROR=ON -DUPSWEEP_CUDA=OFF \
        -DCMAKE_EXPORT_COMPILE_COMMANDS=ON && sh test/lint.sh build-lint "$jobs" 225000
    verdict "linters, the analyser at its full depth" $?
}

# Kernels are compiled once, without sanitizers, so that of the GPU's tests those are enough that make every call.
# The step `calls` runs fuzz_calls on the CPU under these sanitizers, too.
emulated=-DUPSWEEP_EMULATED=$PWD/build-long/test/libupsweep_cuda_emulated.so
asan() {
    have clang || return
    release_build upsweep_cuda_emulated &&
        clang_build build-asan address,undefined -DUPSWEEP_TESTS=ON "$emulated" &&
        ASAN_OPTIONS=detect_stack_use_after_return=1:allocator_may_return_null=1 \
            LSAN_OPTIONS=suppressions="$PWD/test/leaks.txt":print_suppressions=0 \
            UBSAN_OPTIONS=print_stacktrace=1 UPSWEEP_TEST_SMALL=1 UPSWEEP_TEST_SANITIZED=1 \
            tests build-asan -E 'consumer|nested|cpp|package|reference|example|aarch64|tree|routes|failures|site|rooms|^fuzz_calls(_fixed)?$|test_gpu_(sorts|runs|select|buckets|windows)' --timeout 3000
    verdict "address and undefined behaviour" $? "$passed"
}

tsan() {
    have clang || return
    targets="test_threads test_calls test_memory test_sort_by test_ranks"
    clang_build build-tsan thread -DUPSWEEP_TESTS=ON &&
        UPSWEEP_TEST_SMALL=1 tests build-tsan -R 'test_(threads|calls|memory|sort_by|ranks)' --timeout 3000
    status=$?
    targets=
    verdict "threads, shared handles" $status "$passed"
}

msan() {
    have clang || return
    fast=$lines
    lines="-O1 -gline-tables-only -DNDEBUG" # this sanitizer's code compiles in half the time so; the other's does not
    clang_build build-msan memory -DUPSWEEP_TESTS=ON &&
        UPSWEEP_TEST_SMALL=1 UPSWEEP_TEST_SANITIZED=1 tests build-msan \
            -E 'consumer|nested|cpp|package|reference|example|aarch64|tree|routes|failures|plugin|test_gpu|gpu_cli|view|test_film|test_compare|site|rooms|sort_external' \
            --timeout 3000
    status=$?
    lines=$fast
    verdict "memory that was never written" $status "$passed"
}

# Programs as a release is compiled, which several steps share.
release_build() { # TARGETS...
    configure build-long -DUPSWEEP_TESTS=ON -DUPSWEEP_CUDA=OFF -DUPSWEEP_EMULATED_WATCHED=ON && cmake --build build-long -j "$jobs" --target "$@"
}
# Starts functions beside each other, $jobs at a time, and then gives a line for each: the status with which
# it ended, and the last line that it wrote.
beside() { # FUNCTION...
    for function in "$@"; do
        rm -f "build-long/$function.status"
    done
    started=0
    for function in "$@"; do
        while [ $((started - $(count_ended "$@"))) -ge "$jobs" ]; do sleep 0.2; done
        { $function >"build-long/$function.log" 2>&1; echo $? >"build-long/$function.status"; } &
        started=$((started + 1))
    done
    wait
    for function in "$@"; do
        status=$(cat "build-long/$function.status")
        case $status in
        0) ;;
        77) result "$function" "left out: $(tail -n 1 "build-long/$function.log")"; continue ;;
        *) tail -n 40 "build-long/$function.log" ;;
        esac
        verdict "$function" "$status" "$(tail -n 1 "build-long/$function.log" | cut -c 1-120)"
    done
}
count_ended() { # FUNCTION...
    ended=0
    for one in "$@"; do
        [ ! -s "build-long/$one.status" ] || ended=$((ended + 1))
    done
    echo $ended
}

valgrind_calls() { run_valgrind test_calls; }
valgrind_threads() { run_valgrind test_threads; }
run_valgrind() { # PROGRAM
    UPSWEEP_TEST_SMALL=1 valgrind --quiet --error-exitcode=9 --leak-check=full \
        --errors-for-leak-kinds=definite "build-long/test/$1" && echo "$1: nothing found"
}
valgrind_step() {
    have valgrind || return
    release_build test_calls test_threads || { verdict valgrind 1; return; }
    beside valgrind_calls valgrind_threads
}

fuzz_one() { # NAME: a fuzz target
    mkdir -p "build-fuzz/corpus/$1"
    # A zstd stream of a few bytes may ask for a window of 2 GB, as zstd --long=31 makes them; it is not touched.
    build-fuzz/test/fuzz_"$1" -max_total_time="${FUZZ_SECONDS:-30}" -timeout=20 -verbosity=0 -rss_limit_mb=4096 \
        -print_final_stats=1 -close_fd_mask=1 -dict=test/fuzz/fuzz_"$1".dict \
        -artifact_prefix=build-fuzz/"$1"- "build-fuzz/corpus/$1" 2>build-fuzz/"$1".log
    echo $? >build-fuzz/"$1".status
}
fuzz() {
    have clang || return
    names="npy number numbers keys graph lists source tuning"
    targets=$(for name in $names; do printf 'fuzz_%s ' "$name"; done)
    # What is fuzzed here reads files and options: it needs no vector loops.
    clang_build build-fuzz address,undefined -DUPSWEEP_FUZZ=ON -DUPSWEEP_PORTABLE=ON \
        -DCMAKE_C_FLAGS=-fsanitize=fuzzer-no-link || {
        verdict "fuzz targets" 1
        targets=
        return
    }
    targets=
    running=0
    for name in $names; do
        fuzz_one "$name" &
        running=$((running + 1))
        [ $((running % jobs)) = 0 ] && wait
    done
    wait
    for name in $names; do
        status=$(cat build-fuzz/"$name".status)
        [ "$status" = 0 ] || tail -40 build-fuzz/"$name".log
        runs=$(sed -n 's/stat::number_of_executed_units: *//p' build-fuzz/"$name".log)
        verdict "fuzz_$name" "$status" "$runs inputs"
    done
}

# Every call beside its oracle: under sanitizers, and 10^6 cases, four of five of them as a release is compiled,
# the others with guards behind scratch. Sorts beyond memory.
calls() {
    have clang || return
    targets=fuzz_calls
    release_build upsweep_cuda_emulated &&
        clang_build build-asan address,undefined -DUPSWEEP_TESTS=ON "$emulated" &&
        ASAN_OPTIONS=allocator_may_return_null=1 build-asan/test/fuzz_calls --workers "$jobs" \
            --seconds "${CALLS_SECONDS:-150}" >build-asan/calls.log 2>&1
    status=$?
    targets=
    verdict "every call beside its oracle, under sanitizers" $status "$(tail -n 1 build-asan/calls.log)"
    cases=${CALLS_CASES:-1000000}
    release_build fuzz_calls fuzz_calls_release fuzz_external &&
        build-long/test/fuzz_calls --workers "$jobs" --cases $((cases / 5)) >build-long/calls_guarded.log 2>&1 &&
        build-long/test/fuzz_calls_release --workers "$jobs" --cases $((cases - cases / 5)) >build-long/calls.log 2>&1
    status=$?
    verdict "every call beside its oracle" $status "$(tail -n 1 build-long/calls.log)"
    build-long/test/fuzz_calls --seed 1 --cases 10000 >build-long/calls_fixed.log 2>&1
    verdict "the cases of the check, and more like them" $? "$(tail -n 1 build-long/calls_fixed.log)"
    UPSWEEP_CUDA_PLUGIN=$PWD/build-long/test/libupsweep_cuda_emulated.so build-long/test/fuzz_calls --device cuda \
        --small --seconds 60 >build-long/calls_emulated.log 2>&1
    verdict "every call beside its oracle, on the emulated GPU" $? "$(tail -n 1 build-long/calls_emulated.log)"
    build-long/test/fuzz_external --seconds "${EXTERNAL_SECONDS:-60}" >build-long/external.log 2>&1
    verdict "sorts beyond memory beside sorts in memory" $? "$(tail -n 1 build-long/external.log)"
}

# The verbs beside sort(1), scipy and numpy, where these are; every mistake in every task of `upsweep learn`.
verbs_beside_sort() {
    python3 test/app/fuzz_verbs.py build-long/upsweep --verbs sort --cases "${SORT_CASES:-25000}" \
        --seconds "${SORT_SECONDS:-7200}" --keep build-long/verbs
}
verbs_beside_scipy() { # by the Python of python_package, which has numpy and scipy
    while [ ! -s build-long/python_package.status ]; do sleep 1; done
    python=build-long/venv-python/bin/python
    [ -x $python ] || python=python3
    $python test/app/fuzz_verbs.py build-long/upsweep --verbs paths,arrays --seconds "${VERBS_SECONDS:-150}" \
        --keep build-long/verbs
}
wrong_solutions() { python3 test/site/learn_test.py build-long/upsweep . --all; }
# Larger than memory: more text, arrays and records, and limits up to 1 GB.
sorts_beyond_memory() {
    UPSWEEP_TEST_LONG=1 python3 test/app/sort_external.py build-long/upsweep --megabytes 120 --kills 60 &&
        UPSWEEP_TEMPORARIES=packed python3 test/app/sort_external.py build-long/upsweep --megabytes 30 --kills 20 &&
        UPSWEEP_TEMPORARIES=packed python3 test/app/sort_external_arrays.py build-long/upsweep &&
        UPSWEEP_TEMPORARIES=packed build-long/test/test_external_long &&
        UPSWEEP_TEST_LONG=1 python3 test/app/sort_merge.py build-long/upsweep &&
        UPSWEEP_TEST_LONG=1 python3 test/app/sort_messages.py build-long/upsweep &&
        python3 test/app/sort_external_arrays.py build-long/upsweep --megabytes 100 --limits 16,64 --kills 50 &&
        python3 test/app/sort_external_arrays.py build-long/upsweep --megabytes 400 --limits 256 --large &&
        python3 test/app/sort_external_arrays.py build-long/upsweep --megabytes 1600 --limits 1024 --large
}
python_package() { sh test/python/run.sh build-long long; }
verbs() {
    release_build upsweep test_external_long || { verdict "the verbs" 1; return; }
    # The longest first, and what another waits for, so that no processor is left without work.
    beside verbs_beside_sort python_package sorts_beyond_memory verbs_beside_scipy wrong_solutions
}

# Sizes, types and variants for which a check of every change has no time: all cases of its tests.
sizes() {
    programs="calls external forms memory pairs paths_threads sort sort_by strings textsorts ways_sorts
        gpu gpu_buckets gpu_forms gpu_graph gpu_runs gpu_select gpu_sorts gpu_ways gpu_windows"
    release_build upsweep_cuda_emulated $(printf 'test_%s ' $programs) &&
        UPSWEEP_TEST_LONG=1 tests build-long -R "^(test_($(echo $programs | tr ' ' '|'))|cpp)\$" \
            --timeout 3000
    verdict "long arrays, all versions of C++" $? "$passed"
    release_build proofs upsweep upsweep_cuda_emulated &&
        UPSWEEP_TEST_LONG=1 tests build-long -R '^(proof_(keymap|keymap_all|models|networks)|nested|gpu_cli|site_pages)$' \
            --timeout 3000
    verdict "all proofs, compilers, pages and types of the GPU's program" $? "$passed"
}

failures() {
    release_build failures &&
        FAILURES=all tests build-long --verbose -R '^failures_' --timeout 3000
    verdict "failing allocations and system calls, kills, limits of memory" $? "$passed"
}

abi() {
    have abidiff || return
    configure build-abi -DCMAKE_BUILD_TYPE=Debug -DUPSWEEP_CUDA=OFF &&
        cmake --build build-abi -j "$jobs" --target upsweep_shared &&
        sh test/abi/abi.sh diff build-abi/libupsweep.so build-abi
    verdict "the ABI beside that of 0.1.0" $?
}

# Lines and branches of the library that its tests take; programs that have no part of it are left out.
coverage() {
    have gcov || return
    release_build upsweep_cuda_emulated &&
        configure build-coverage "$emulated" -DCMAKE_C_COMPILER=gcc -DUPSWEEP_CUDA=OFF -DUPSWEEP_TESTS=ON -DUPSWEEP_COVERAGE=ON &&
        cmake --build build-coverage -j "$jobs" && find build-coverage -name '*.gcda' -delete &&
        tests build-coverage -R '^(test_|fuzz_calls|failures_memory)' -E 'test_(cli|compare|watch|output|file_kind|graph_|gpu_(sorts|runs|select|buckets|windows))' --timeout 3000
    status=$?
    python3 test/coverage.py . build-coverage build-coverage >build-coverage/sums.txt || status=1
    verdict coverage $status "$(cat build-coverage/sums.txt)"
}

for step in $steps; do
    targets=
    passed=
    case $step in
    lint) lint_step ;;
    valgrind) valgrind_step ;;
    asan | tsan | msan | fuzz | calls | verbs | sizes | failures | abi | coverage) $step ;;
    *)
        echo "check-long: there is no step '$step'" >&2
        exit 2
        ;;
    esac
done
printf '\n%s' "$results"
[ $failed = 0 ] || { echo "check-long: something failed"; exit 1; }
echo "check-long: all passed"
