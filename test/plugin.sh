#!/bin/sh
# plugin.sh PLUGIN [LIBRARY] - libupsweep_cuda.so exports one symbol, is small, needs neither CUDA's
# runtime nor the C++ library at run time, and holds machine code for all targets. The library itself
# needs nothing of CUDA, nor either of them OpenGL.
set -eu
plugin=$1
library=${2:-}
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
if command -v cuobjdump >/dev/null && cuobjdump --list-elf "$plugin" 2>/dev/null | grep -q sm_; then
    for arch in sm_80 sm_90; do
        cuobjdump --list-elf "$plugin" | grep -q "$arch" || { echo "no code for $arch"; exit 1; }
    done
    cuobjdump --list-ptx "$plugin" | grep -q sm_90 || { echo "no PTX"; exit 1; }
fi
