#!/bin/sh
# plugin.sh PLUGIN [LIBRARY [TARGETS]] - libupsweep_cuda.so exports one symbol, is small, needs neither
# CUDA's runtime nor the C++ library at run time, and holds machine code for all targets ("80 90 PTX",
# unless given). The library itself needs nothing of CUDA, nor either of them OpenGL.
# SPDX-License-Identifier: MIT
set -eu
plugin=$1
library=${2:-}
targets=${3:-80 90 PTX}
if [ -n "$library" ] && [ -e "$library" ]; then
    if readelf -d "$library" | grep NEEDED | grep -iE 'cuda|nvidia|gl|cairo|glfw'; then
        echo "it is the library that must not need these"
        exit 1
    fi
    if nm -D --undefined-only "$library" | grep -E ' cu[A-Z]| cuda[A-Z]'; then
        echo "it is the library that must not call these"
        exit 1
    fi
fi
[ -e "$plugin" ] || { echo "the GPU plugin was not built here"; exit 77; }

exported=$(nm -D --defined-only "$plugin" | awk '{ print $NF }')
[ "$exported" = upsweep_cuda_plugin ] || { echo "it exports: $exported"; exit 1; }
if readelf -d "$plugin" | grep NEEDED | grep -iE 'cuda|stdc\+\+|upsweep|gl'; then
    echo "it must not need these"
    exit 1
fi
bytes=$(wc -c <"$plugin")
echo "$bytes bytes"
[ "$bytes" -lt 30000000 ] || { echo "that is more than 30 MB"; exit 1; }
# What is there for a target shows only once there is a kernel.
if command -v cuobjdump >/dev/null &&
    { cuobjdump --list-elf "$plugin"; cuobjdump --list-ptx "$plugin"; } 2>/dev/null | grep -q sm_; then
    for target in $targets; do
        case $target in
        PTX) cuobjdump --list-ptx "$plugin" | grep -q sm_90 || { echo "no PTX"; exit 1; } ;;
        *) cuobjdump --list-elf "$plugin" | grep -q "sm_$target" || { echo "no code for sm_$target"; exit 1; } ;;
        esac
    done
fi
