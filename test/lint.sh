#!/bin/sh
# lint.sh BUILD_DIR [JOBS [NODES]] - clang-format, clang-tidy, cppcheck and the tree check. A tool that is
# not installed is left out with a sentence. Prints what failed and ends with 1 if anything did. NODES:
# how many states of a function clang's analyser goes through; its own 225,000 take ten times as long as
# 4,000, and are for the long check.
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/.." || exit 2
build=$1
jobs=${2:-2}
nodes=${3:-4000}
failed=0

have() {
    command -v "$1" >/dev/null 2>&1 && return 0
    echo "lint: $1 is not installed, so its checks are left out"
    return 1
}
verdict() { # NAME STATUS
    if [ "$2" = 0 ]; then echo "lint: $1: clean"; else echo "lint: $1: FAILED"; failed=1; fi
}

if have clang-format; then
    find include core calls algo cpu external gpu io app view python ranks site test proofs examples $(ls -d bench 2>/dev/null) -name '*.[ch]' -o -name '*.cpp' -o -name '*.hpp' -o -name '*.cu' -o -name '*.cuh' |
        xargs -n 60 -P "$jobs" clang-format --dry-run -Werror --ferror-limit=3
    verdict clang-format $?
fi
if have python3; then
    python3 test/rooms.py . &
    python3 test/tree.py .
    verdict "tree" $?
    wait $!
    verdict "rooms" $?
fi
if have cppcheck; then
    # The generated sources of the CPU forms are left to clang-tidy: macros set by the build rule them.
    cppcheck --quiet -j "$jobs" --std=c11 --language=c --enable=warning,performance,portability \
        --inline-suppr --error-exitcode=1 --suppress=missingIncludeSystem --suppress=unusedStructMember \
        --suppress=normalCheckLevelMaxBranches -D__x86_64__ -D__GNUC__=12 -I include -I . \
        core calls cpu external io app view python ranks
    verdict cppcheck $?
fi
if have clang-tidy; then
    # One set of CPU forms is enough: the bodies are the same text. The widest shows most of it. Eight files a process, since
    # starting one takes as long as a short file; but of the second va_list that it sees it makes errors of its own.
    { git ls-files "core/*.c" "calls/*.c" "cpu/*.c" "external/*.c" "algo/*.c" "io/*.c" "app/*.c" "view/*.c" "ranks/*.c"; ls "$build"/forms/*_avx2.c 2>/dev/null; } >"$build/lint.files"
    tidy() { # FILES_A_PROCESS
        xargs -n "$1" -P "$jobs" clang-tidy -p "$build" --quiet --extra-arg=-Wshorten-64-to-32 --extra-arg=-Xclang \
            --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes="$nodes" 2>>"$build/lint.err" >>"$build/lint.out"
    }
    rm -f "$build/lint.err" "$build/lint.out"
    status=0
    xargs grep -L va_list <"$build/lint.files" | tidy 8 || status=1
    xargs grep -l va_list <"$build/lint.files" | tidy 1 || status=1
    grep -v '^ *$' "$build/lint.out" | awk '!seen[$0]++'
    [ $status = 0 ] || grep -E '^(error|Error)' "$build/lint.err"
    verdict clang-tidy $status
fi
exit $failed
