#!/bin/sh
# gpu_cli.sh PROGRAM WORK - every verb of the program that computes gives the same bytes and the same exit
# status with --device cuda as with --device cpu, on the plugin that UPSWEEP_CUDA_PLUGIN names. Ends with
# 77 where there is no GPU. A form that the plugin lacks is told and counted.
set -u
program=$1
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

for type in u8 u16 u32 u64 i32 i64 f32 f64; do
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
same split --bit 3 --type u32 a.u32
same histogram --bins 9 --range 10 1000 --type u32 z.u32
same select -u -c --type u32 z.u32
same sort --type u32 --algorithm sort/radix a.u32
same sort --type u32 --algorithm sort/nothing a.u32
same reduce --type u32 nothing.u32

# Lines of text.
seq 3000 | awk '{ print ($1 * 7919) % 1009, "x" $1 % 13 }' >lines
same sort lines
same sort -n lines
same sort -k2,2 -k1,1nr lines
same sort -u -k2,2 lines
same scan --text lines
echo "$compared commands compared, $lacking left out for want of a form"
[ $compared -gt 20 ]
