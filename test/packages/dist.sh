#!/bin/sh
# dist.sh WORK_DIR - the release archive has the same bytes from another clone at another time, and all
# that a build needs: it is configured from there. Ends with 77 outside a git checkout.
# SPDX-License-Identifier: MIT
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$1
rm -rf "$work"
mkdir -p "$work"
here=$(sh "$source/packaging/dist.sh" "$work/here")
git clone -q --shared "$source" "$work/clone"
sleep 1
there=$(cd / && umask 077 && TZ=Asia/Tokyo sh "$work/clone/packaging/dist.sh" "$work/there")
cmp "$here" "$there"
(cd "$work/here" && sha256sum -c --quiet ./*.sha256)
mkdir "$work/unpacked"
tar -xzf "$here" -C "$work/unpacked" --strip-components=1
cmake -S "$work/unpacked" -B "$work/build" -G Ninja -DUPSWEEP_CUDA=OFF >"$work/log.txt" 2>&1 || { tail -20 "$work/log.txt"; exit 1; }
for file in LICENSE README.md CHANGELOG.md include/upsweep.h include/upsweep.hpp; do
    [ -e "$work/unpacked/$file" ] || { echo "the archive lacks $file"; exit 1; }
done
echo "$(basename "$here"): $(wc -c <"$here") bytes, twice the same"
