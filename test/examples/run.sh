#!/bin/sh
# run.sh SOURCE COMMAND... - runs an example and compares what it prints with the lines under "Prints:" at
# the top of its source. Ends with 77, which ctest skips, if the example does, or can't be built here.
# The commands `rust LIBRARY_DIR WORK_DIR` and `svg PROGRAM` build it first, or look at what it draws.
# SPDX-License-Identifier: MIT
set -u
source=$1
shift
case $1 in
rust)
    command -v rustc >/dev/null || { echo "rustc is not installed: left out"; exit 77; }
    mkdir -p "$3"
    rustc --edition 2021 -D warnings "$source" -L "native=$2" -l static=upsweep -l m -o "$3/sort_rs" || exit 1
    set -- "$3/sort_rs"
    ;;
svg)
    picture=$("$2") || exit 1
    rounds=$(echo "$picture" | grep -c '^<rect x="0"')
    echo "$rounds rows of bars"
    # 10 rounds of 16 elements, and the array before them.
    echo "$picture" | sed -n '1p;$p' | tr '\n' ' ' | grep -q '^<svg .*> </svg> $' && [ "$rounds" -eq 11 ]
    exit
    ;;
esac
[ -e "$1" ] || command -v "$1" >/dev/null || { echo "$1 was not built here: left out"; exit 77; }
said=$("$@")
status=$?
[ $status = 77 ] && { echo "$said"; exit 77; }
[ $status = 0 ] || { echo "$said"; echo "it ended with $status"; exit 1; }
expected=$(awk '
    /Prints:$/ { inside = 1; next }
    inside && match($0, /^( \*|\/\/|)     ?/) { print substr($0, RLENGTH + 1); next }
    inside { exit }' "$source")
[ -n "$expected" ] || { echo "$source does not say what it prints"; exit 1; }
[ "$said" = "$expected" ] && exit 0
echo "it printed:"
echo "$said"
echo "and says that it prints:"
echo "$expected"
exit 1
