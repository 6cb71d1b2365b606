#!/bin/sh
# abi.sh run LIBRARY WORK_DIR - builds a program against the header of 0.1.0 and runs it with today's
# shared library. It is linked with a library made of that header's names, without symbol versions,
# as 0.1.0's was: so the dynamic linker binds it as it binds a program of that time.
# abi.sh diff LIBRARY WORK_DIR - compares the library, built with all debug information, with that of
# 0.1.0 by abidiff; test/abi/allowed.suppr lists what has changed on purpose. Ends with 77 without
# abidiff. upsweep_0_1_0.abi was written by `describe` below. Its names bear the version UPSWEEP_0.1,
# which 0.1.0's did not, since abidiff compares nothing of a name that has got a version; calls that
# have an older version are not compared but run, as above.
# SPDX-License-Identifier: MIT
set -eu
source=$(cd "$(dirname "$0")" && pwd)
library=$2
work=$3
: "${CC:=cc}"
mkdir -p "$work"

describe() { # HEADERS LIBRARY: its names, and the types of its header
    abidw --exported-interfaces-only --drop-private-types --headers-dir "$1" --no-corpus-path \
        --no-comp-dir-path --no-show-locs --no-elf-needed --no-parameter-names "$2"
}

if [ "$1" = diff ]; then
    command -v abidiff >/dev/null || { echo "abidiff is not installed (Debian: abigail-tools)"; exit 77; }
    describe "$source/../../include" "$library" >"$work/now.abi"
    grep -q "struct='yes'" "$work/now.abi" && grep -q "'upsweep_options'" "$work/now.abi" ||
        { echo "$library has no debug information on types"; exit 1; }
    abidiff --harmless --no-added-syms --suppressions "$source/allowed.suppr" \
        "$source/upsweep_0_1_0.abi" "$work/now.abi"
    echo "nothing has changed but what test/abi/allowed.suppr lists"
    exit 0
fi

rm -rf "$work/old"
mkdir -p "$work/old"
sed -n '/UPSWEEP_API/s/.*[ *]\(upsweep_[a-z_]*\)(.*/void \1(void); void \1(void) {}/p' \
    "$source/upsweep_0_1_0.h" >"$work/old.c"
[ "$(wc -l <"$work/old.c")" = 79 ] || { echo "the header of 0.1.0 was not understood"; exit 1; }
$CC -shared -fPIC -Wl,-soname,libupsweep.so.0 "$work/old.c" -o "$work/old/libupsweep.so"

$CC -std=c11 -Wall -Wextra -Wpedantic -Werror -O1 -D_GNU_SOURCE -I "$source" \
    "$source/program_0_1_0.c" "$source/program_0_1_0_calls.c" -o "$work/program" \
    -L "$work/old" -lupsweep
if readelf -V "$work/program" | grep UPSWEEP; then
    echo "the program asks for symbol versions, which no program of 0.1.0 does"
    exit 1
fi
LD_LIBRARY_PATH=$(dirname "$library") "$work/program"
