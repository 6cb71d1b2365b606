#!/bin/sh
# packages.sh PROGRAM DIR - shortest paths in a graph that lies on every Debian machine: which package
# depends on which. From apt's index of all packages where it is there, else from what dpkg has
# installed. Nothing is downloaded.
# SPDX-License-Identifier: MIT
set -eu
program=$1
data=$2
table=$data/depends.tsv
mkdir -p "$data"

index() {
    if command -v apt-cache >/dev/null 2>&1 && apt-cache dumpavail 2>/dev/null | grep -m 1 -q '^Package:'; then
        apt-cache dumpavail 2>/dev/null
    elif [ -r /var/lib/dpkg/status ]; then
        cat /var/lib/dpkg/status
    fi
}

# One arc a line: package, what it needs. Of alternatives (a | b) the first, as apt takes it.
if [ ! -s "$table" ]; then
    index | awk -v OFS='\t' '
        /^Package:/ { from = $2 }
        /^(Depends|Pre-Depends):/ {
            sub(/^[A-Za-z-]+: */, "")
            count = split($0, need, /, */)
            for (i = 1; i <= count; i++) {
                split(need[i], word, /[ :(|]/)
                if (word[1] != "") print from, word[1]
            }
        }' >"$table.part"
    mv "$table.part" "$table"
fi
[ -s "$table" ] || { echo "no package index on this machine: left out"; exit 0; }

# A large package of those that there are.
source=
for package in kde-full gnome libreoffice cmake clang gcc dpkg; do
    if grep -q -m 1 "^$package	" "$table"; then source=$package; break; fi
done
[ -n "$source" ] || source=$(head -n 1 "$table" | cut -f 1)

run() {
    printf '  command    upsweep'
    for word in "$@"; do printf ' %s' "$word"; done
    printf '\n'
    "$program" "$@" 2>&1 | sed 's/^/  /'
}
run graph info --names "$table"
echo
run paths --names "$table" -s "$source" --summary --verify
farthest=$("$program" paths --names "$table" -s "$source" --summary | tail -n 1 | cut -d , -f 3)
echo
run paths --names "$table" -s "$source" -t "$farthest" --path
