#!/bin/sh
# files.sh MPI_DIR UPSWEEP WORK - upsweep-mpi on files of all kinds, beside one process; what it refuses; a rank
# that is killed. MPI_DIR is build/mpi/NAME. Ends with 77 where there is no such MPI.
# SPDX-License-Identifier: MIT
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/mpirun.sh"
program=$1/upsweep-mpi
upsweep=$2
work=$3
faults=0
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 2
fault() {
    echo "$mpi: $*"
    faults=$((faults + 1))
}
same() { # RANKS EXPECTED OPTION...
    n=$1 expected=$2
    shift 2
    rm -f out
    timeout 120 sh $runner "$n" "$program" sort "$@" -o out >log 2>&1 || fault "sort $* on $n ranks: $(head -n 3 log)"
    cmp -s "$expected" out || fault "sort $* on $n ranks: another output than one process makes"
}
refused() { # WORD RANKS ARGUMENT...
    word=$1 n=$2
    shift 2
    echo old >out
    timeout 60 sh $runner "$n" "$program" "$@" >log 2>&1
    status=$?
    [ "$status" != 0 ] && [ "$status" != 124 ] || fault "$*: status $status"
    [ "$(grep -c '^upsweep-mpi: ' log)" = 1 ] && grep -q "$word" log || fault "$*: says $(head -n 3 log)"
    [ "$(cat out)" = old ] || fault "$*: the output was touched"
}
runner=$here/ranks_run.sh
export preload mpi

awk 'BEGIN { srand(7); for (i = 0; i < 3000; i++) { r = rand()
    print r < 0.1 ? "" : r < 0.3 ? "the same line" : r < 0.6 ? substr("abababababababababababababababab", 1, 32 * rand()) : rand() }
    printf "the last one has no newline" }' >lines
awk 'BEGIN { for (i = 0; i < 2000; i++) print "x" }' >equal
awk 'BEGIN { for (i = 0; i < 50000; i++) printf "l"; print ""; print "short" }' >long
: >empty
LC_ALL=C sort lines >e.lines
LC_ALL=C sort -r lines equal empty long >e.reverse
"$upsweep" gen uniform 5003 --type u64 >raw 2>/dev/null || head -c 40024 /dev/urandom >raw
"$upsweep" sort --type u64 raw >e.u64
"$upsweep" sort -r --type f32 raw >e.f32
# Records of 8 bytes by their bytes: the order of big-endian numbers.
cp raw records
same 1 e.lines lines
same 3 e.lines lines
same 2 e.reverse -r lines equal empty long
same 1 e.u64 --type u64 raw
same 3 e.u64 --type u64 raw
same 2 e.f32 -r --type f32 raw
same 2 empty --type u64 empty
same 3 empty empty
"$upsweep" sort --type u64 raw empty raw >e.twice
same 3 e.twice --type u64 raw empty raw
# Records: by a number within, which is all of it here, so that the order is that of numbers.
same 2 e.u64 --record 8 --key 0:u64 raw
timeout 120 sh $runner 1 "$program" sort --record 8 raw -o e.records >log 2>&1 || fault "records: $(cat log)"
same 3 e.records --record 8 raw
same 2 e.records --record 8 --key 0,4 --key 4,4 raw
# .npy: the same header as of one process.
if python3 -c 'import numpy' 2>/dev/null; then
    python3 -c 'import numpy as n; r = n.random.default_rng(1); n.save("a.npy", r.normal(size=4001)); n.save("b.npy", n.zeros((3, 4)))'
    "$upsweep" sort a.npy >e.npy
    same 3 e.npy a.npy
    refused "one axis" 2 sort b.npy -o out
    refused "not sorted together" 2 sort lines a.npy -o out
fi
# The output is an input.
cp lines out.same
timeout 120 sh $runner 3 "$program" sort out.same -o out.same >log 2>&1 || fault "in place: $(cat log)"
cmp -s out.same e.lines || fault "in place: another output"

refused "no multiple" 2 sort --type u64 lines -o out
refused "No such file" 2 sort not-there -o out
refused "no such type" 2 sort --type u65 raw -o out
refused "no FILE" 2 sort -o out
refused "OUTPUT is wanted" 2 sort raw
refused "behind the record" 2 sort --record 8 --key 4:u64 raw -o out
refused "is no option" 2 sort --unknown raw -o out
refused "no regular file" 2 sort /dev/null -o out
mkdir no
chmod 555 no
if [ "$(id -u)" != 0 ]; then refused "cannot be made" 2 sort raw -o no/out; fi
echo old >two && ln two names
timeout 60 sh $runner 2 "$program" sort lines -o two >log 2>&1 && fault "a file with two names was replaced"
[ "$(cat names)" = old ] || fault "a file with two names was written to"

# One rank is killed, early or late: the old file stays, or all was done; no other name is left.
i=0
while [ $i -lt 4 ]; do
    "$upsweep" gen uniform 400000 --type u64 >big 2>/dev/null || head -c 3200000 /dev/urandom >big
    echo old >out
    timeout 120 sh $runner 2 "$program" sort --type u64 big -o out >log 2>&1 &
    job=$!
    sleep "0.$((i * 2 + 1))"
    victim=$(pgrep -n -f "^$program sort --type u64 big") && kill -9 "$victim" 2>/dev/null
    wait $job
    sleep 0.3
    [ "$(head -c 4 out)" = "old" ] || [ "$(wc -c <out)" = "$(wc -c <big)" ] || fault "killed: a part of the output is there"
    [ -z "$(ls -A | grep '^\.upsweep')" ] || fault "killed: $(ls -A | grep '^\.upsweep') is left"
    i=$((i + 1))
done
[ -z "$(ls -A | grep '^\.upsweep')" ] || fault "$(ls -A | grep '^\.upsweep') is left"
[ $faults = 0 ] && echo "$mpi: files of all kinds are sorted as by one process"
exit $((faults > 0))
