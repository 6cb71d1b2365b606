#!/bin/sh
# aarch64.sh BUILD_DIR [JOBS] - compiles library and program for 64-bit Arm, and runs a sort there if
# an emulator is installed. Without a cross compiler it says so and ends with 77, which ctest skips.
# SPDX-License-Identifier: MIT
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$1/aarch64
cross=aarch64-linux-gnu
command -v $cross-gcc >/dev/null || { echo "$cross-gcc is not installed: left out"; exit 77; }

cmake -S "$source" -B "$work" -G Ninja -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
    -DCMAKE_C_COMPILER=$cross-gcc -DCMAKE_CROSSCOMPILING_EMULATOR="qemu-aarch64;-L;/usr/$cross" \
    -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -Wno-dev --log-level=WARNING >/dev/null
cmake --build "$work" -j "${2:-2}" --target upsweep_shared upsweep_static >"$work/build.log" ||
    { tail -40 "$work/build.log"; exit 1; }
file=$work/libupsweep.a
$cross-objdump -f "$file" | grep -q aarch64
echo "the library compiles for aarch64"

$cross-gcc -std=c11 -I "$source/include" "$source/test/install/use.c" -o "$work/use" "$file" -lpthread -lm
if command -v qemu-aarch64 >/dev/null; then
    qemu-aarch64 -L /usr/$cross "$work/use"
else
    echo "qemu-aarch64 is not installed: nothing is run"
fi
