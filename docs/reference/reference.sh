#!/bin/sh
# reference.sh OUT_DIR - writes the reference to OUT_DIR/html. Ends with 1 if a public name is not
# documented, or doxygen warns of anything else, and with 77 where doxygen is not installed.
# SPDX-License-Identifier: MIT
set -eu
cd "$(dirname "$0")/../.."
out=$1
command -v doxygen >/dev/null || { echo "doxygen is not installed (Debian: doxygen)"; exit 77; }
mkdir -p "$out"
version=$(sed -n 's/^#define UPSWEEP_VERSION_TEXT "\(.*\)"/\1/p' include/upsweep.h)
{
    cat docs/reference/Doxyfile
    echo "PROJECT_NUMBER = $version"
    echo "OUTPUT_DIRECTORY = $out"
    echo "WARN_LOGFILE = $out/warnings.txt"
} >"$out/Doxyfile"
doxygen "$out/Doxyfile"
if [ -s "$out/warnings.txt" ]; then
    cat "$out/warnings.txt"
    exit 1
fi
# What a filter that documents nothing would lose.
grep -q 'Sorts keys in place' "$out"/html/*.html || { echo "upsweep_sort has no text"; exit 1; }
[ -e "$out/html/index.html" ] && echo "$out/html/index.html"
