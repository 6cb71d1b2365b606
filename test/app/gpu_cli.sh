#!/bin/sh
# gpu_cli.sh PROGRAM WORK - every verb of the program that computes gives the same bytes and the same exit
# status with --device cuda as with --device cpu, on the plugin that UPSWEEP_CUDA_PLUGIN names. Ends with
# 77 where there is no GPU. A form that the plugin lacks is told and counted.
# SPDX-License-Identifier: MIT
set -u
program=$1
roads=$(cd "$(dirname "$0")/../../.." && pwd)/shared/data/liechtenstein-t.gr
work=$2
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 2
"$program" version >/dev/null || exit 1
seq 3 | "$program" reduce --device cuda >/dev/null 2>why || {
    if grep -qE 'driver|plugin|GPU that' why; then
        echo "no GPU to test with: $(cat why)"
        exit 77
    fi
}

compared=0
lacking=0
same() { # ARGUMENTS... : on the CPU and on the GPU
    "$program" "$@" --device cpu >cpu.out 2>cpu.err
    on_cpu=$?
    "$program" "$@" --device cuda >cuda.out 2>cuda.err
    on_cuda=$?
    if grep -q 'no form on the GPU' cuda.err; then
        echo "left out: $* ($(cat cuda.err))"
        lacking=$((lacking + 1))
        return
    fi
    if [ $on_cpu != $on_cuda ] || ! cmp cpu.out cuda.out || ! cmp cpu.err cuda.err; then
        echo "differs on the GPU: upsweep $*"
        cat cuda.err
        exit 1
    fi
    compared=$((compared + 1))
}

# One of each width and kind; all with UPSWEEP_TEST_LONG, since a command takes a process twice.
types="u8 u16 i32 f32 i64 f64"
[ -z "${UPSWEEP_TEST_LONG:-}" ] || types="u8 u16 u32 u64 i32 i64 f32 f64"
for type in $types; do
    "$program" gen uniform 5003 --type $type --seed 3 -o a.$type
    "$program" gen zipf 4001 --type $type --seed 4 -o z.$type
    for input in a.$type z.$type; do
        same sort --type $type $input
        same sort -r --type $type $input
        same reduce --type $type $input
        same reduce --op minmax --type $type $input
        same reduce --op argmax --type $type $input
        same scan --type $type $input
        same scan -x --op max --type $type $input
        same histogram --type $type $input
        same select --median --type $type $input
        same select --top 10 --type $type $input
        same select -u --type $type $input
        same check --type $type $input
    done
    same split --less-than 100 --type $type a.$type
    "$program" sort --type $type a.$type -o s.$type
    same check --type $type s.$type
done
for type in f16 bf16; do
    "$program" gen uniform 3001 --type u16 --seed 5 -o a.$type
    same sort --type $type a.$type
    same reduce --type $type a.$type
    same scan --type $type a.$type
    same select --least 7 --type $type a.$type
done
same split --bit 3 --type u32 a.u32
same histogram --bins 9 --range 10 1000 --type u32 z.u32
same histogram --bins 12 --type f32 a.f32
same select -u -c --type u32 z.u32
same select --nth 77 --type i64 a.i64
same reduce --type u32 nothing.u32
for name in $("$program" list | grep -oE '(sort|reduce|scan|split)/[a-z]+'); do
    case $name in
    reduce/butterfly) continue ;; # has no form on the CPU
    split/*) same split --bit 3 --algorithm "$name" --type u32 a.u32 ;;
    *) same "${name%%/*}" --algorithm "$name" --type i32 a.i32 ;;
    esac
done
same sort --type u32 --algorithm sort/nothing a.u32

# Shortest paths.
"$program" graph generate grid 20x30 -o grid.gr
"$program" graph generate kronecker 7 -o kron.gr
for graph in grid.gr kron.gr; do
    same paths $graph --source 5
    same paths $graph --source 5 --parents --format json
    same paths $graph --source 1 --source 9 --nearest --parents
    same paths $graph --source 1 --source 9 --source 77
    same paths $graph --source 3 --target 90 --path
    same paths $graph --source 3 --cutoff 300
    same paths $graph --source 3 --verify --summary
    same paths $graph --source 3 --weight f64
    same paths $graph --source 3 --algorithm path/dijkstra
    same paths $graph --source 4000
done
if [ -e "$roads" ]; then
    same paths "$roads" --source 27660 --summary
    grep -q '^27660,31606,24792,36671,306052496$' cuda.out || {
        echo "not the known answer of $roads: $(cat cuda.out)"
        exit 1
    }
    same paths "$roads" --source 5875 --parents
else
    echo "no road graph in ../shared/data, so its known answers are left out"
fi

# Lines of text.
seq 3000 | awk '{ print ($1 * 7919) % 1009, "x" $1 % 13 }' >lines
"$program" sort lines -o sorted
same sort lines
same sort -n lines
same sort -g -r lines
same sort -k2,2 -k1,1nr lines
same sort -s -k2,2 lines
same sort -u -k2,2 lines
same sort -m sorted sorted
same sort -c lines
same sort -C sorted
same scan --text lines

# Graphs.
"$program" graph generate grid 30x20 --places grid.co -o grid.gr
"$program" graph generate kronecker 9 --degree 4 --weights 0..9 -o kron.wel
"$program" graph generate uniform 8 --weights 1..100000 -o uniform.gr
printf '1\n7\n300\n' >vertices
for graph in grid.gr kron.wel uniform.gr; do
    for weight in none u32 u64 f32 f64; do
        same paths --source 1 --weight $weight $graph
        same paths --source 3 --parents --weight $weight $graph
    done
    same paths --source 2 --target 200 --path $graph
    same paths --sources vertices --targets vertices $graph
    same paths --sources vertices --nearest --parents --format json $graph
    same paths --sources vertices --summary --verify $graph
    same paths --source 5 --cutoff 40 --format npy $graph
    same paths --source 5 --format dimacs --parents $graph
    same graph info $graph
    same graph convert --to csv $graph
done
same paths --source 99999 grid.gr
same paths --source 1 --algorithm path/nothing grid.gr
for name in $("$program" list | grep -oE 'path/[a-z]+'); do
    same paths --source 1 --parents --algorithm "$name" grid.gr
done
same graph generate grid 7x9 --to gr
echo "$compared commands compared, $lacking left out for want of a form"
[ $compared -gt 250 ]
