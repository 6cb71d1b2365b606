#!/bin/sh
# run.sh PROGRAM DIR - sorts real data sets and shows what was done: input, algorithm and why, time,
# throughput, first and last elements, and a check of every output against sort(1).
#
# The data is nobody's invention: Debian's largest word list, and the package index that apt keeps
# (its numbers, and the relations between packages as the arcs of a graph). Where they are missing,
# the machine's own files serve: their names and sizes.
# SPDX-License-Identifier: MIT
set -eu
program=$1
data=$2
mkdir -p "$data"
tab=$(printf '\t')
failed=0

bold() { if [ -t 1 ] && [ -z "${NO_COLOR-}" ]; then printf '\033[1m%s\033[0m\n' "$*"; else printf '%s\n' "$*"; fi; }

# ---- the data, made once ----

words() {
    for list in polish american-english-insane words; do
        if [ -s "/usr/share/dict/$list" ]; then
            cp "/usr/share/dict/$list" "$1"
            echo "Debian's word list '$list', shuffled by a fixed seed" >"$1.title"
            return
        fi
    done
    find / -xdev -type f -print 2>/dev/null >"$1" || true
    echo "the names of all files of this machine" >"$1.title"
}

index=$data/index
package_index() {
    [ -s "$index" ] || { command -v apt-cache >/dev/null 2>&1 && apt-cache dumpavail >"$index" 2>/dev/null; } || true
    [ -s "$index" ]
}

numbers() {
    if package_index; then
        grep -oE '[0-9]+' "$index" >"$1"
        echo "every integer in the Debian package index: sizes, versions, digits of checksums" >"$1.title"
    else
        find / -xdev -type f -printf '%s\n' 2>/dev/null >"$1" || true
        echo "the sizes of all files of this machine, in bytes" >"$1.title"
    fi
}

# One arc a line: package, kind of relation, the other package or tag.
arcs() {
    package_index || return 1
    awk -v OFS='\t' '
        /^[A-Za-z]/ { field = $1; sub(/:$/, "", field) }
        field == "Package" { from = $2; next }
        field ~ /^(Depends|Pre-Depends|Recommends|Suggests|Enhances|Breaks|Conflicts|Replaces|Provides|Tag)$/ {
            line = $0
            sub(/^[A-Za-z-]+:/, "", line)
            count = split(line, part, /[,|]/)
            for (i = 1; i <= count; i++) {
                split(part[i], word, " ")
                if (word[1] != "") print from, tolower(field), word[1]
            }
        }' "$index" >"$1"
    echo "the relations between Debian's packages, sorted by the package that is pointed at" >"$1.title"
}

# A word list comes sorted; shuffle it the same way each time (a key from a small generator a line).
shuffle() {
    awk 'BEGIN { s = 12345 } { s = (s * 16807) % 2147483647; printf "%d\t%s\n", s, $0 }' "$1" |
        LC_ALL=C sort -n | cut -f 2- >"$1.shuffled"
    mv "$1.shuffled" "$1"
}

make_data() {
    [ -s "$data/$1" ] && return 0
    printf 'preparing %s ...\n' "$data/$1"
    "$1" "$data/$1.part" || return 1
    [ "$1" = words ] && shuffle "$data/words.part"
    mv "$data/$1.part.title" "$data/$1.title"
    mv "$data/$1.part" "$data/$1"
}

# ---- one data set: sort, show, check ----

seconds() { date +%s.%N; }
ratio() { awk -v a="$1" -v b="$2" -v c="$3" 'BEGIN { printf "%.2f s, %.1f times", c - b, (c - b) / a }'; }

show() { # name, options...
    name=$1
    shift
    make_data "$name" || return 0
    in=$data/$name out=$data/$name.sorted
    echo
    bold "$(cat "$in.title")"
    printf '  command    upsweep sort %s-o %s %s\n' "$(options_text "$@")" "$out" "$in"
    t0=$(seconds)
    "$program" sort --stats "$@" -o "$out" "$in" 2>&1 | sed 's/^/  /'
    t1=$(seconds)
    printf '  first      %s\n' "$(head -n 3 "$out" | paste -s -d '|' - | sed 's/|/ | /g')"
    printf '  last       %s\n' "$(tail -n 3 "$out" | paste -s -d '|' - | sed 's/|/ | /g')"
    LC_ALL=C sort "$@" -o "$out.expected" "$in"
    t2=$(seconds)
    if cmp -s "$out" "$out.expected"; then
        took=$(awk -v a="$t0" -v b="$t1" 'BEGIN { printf "%.2f", b - a }')
        printf '  check      passed: the same bytes as LC_ALL=C sort, which took %s as long\n' \
            "$(ratio "$took" "$t1" "$t2")"
    else
        printf '  check      FAILED: %s differs from %s\n' "$out" "$out.expected"
        failed=1
    fi
    rm -f "$out.expected"
}

options_text() {
    for o in "$@"; do
        [ "$o" = "$tab" ] && o="'\\t'"
        printf '%s ' "$o"
    done
}

bold "upsweep $("$program" --version | cut -d ' ' -f 2) on real data"
"$program" info | sed 's/^/  /'
show words
show numbers -n
show arcs -t "$tab" -k3,3 -k1,1
echo
bold "shortest paths: how packages need each other"
sh "$(dirname "$0")/packages.sh" "$program" "$data" || failed=1
echo
bold "one round of a sort, as a picture: upsweep trace --watch sort/bitonic"
"$program" trace --watch=plain sort/bitonic 11 4 15 2 9 16 1 6 13 8 3 12 5 14 7 10 |
    awk '/^ *━/ { frame++; next } frame == 7 && NF'
echo
echo "Next: $program list | $program explain sort/bitonic | $program trace sort/oddeven 3 1 2 | $program --help"
mkdir -p "$data"
"$program" page sort/bitonic 11 4 15 2 9 16 1 6 13 8 3 12 5 14 7 10 -o "$data/page.html" &&
    echo "The sort, to play in a browser: file://$(cd "$data" && pwd)/page.html"
exit $failed
