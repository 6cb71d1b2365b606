#!/bin/sh
# install.sh BUILD_DIR MPICC - installs the components for MPI, and builds examples/sort_mpi.c with what is there.
# SPDX-License-Identifier: MIT
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$1
mpicc=$2
work=$build/ranks_install
rm -rf "$work"
for component in runtime development mpi; do
    cmake --install "$build" --prefix "$work" --component $component >/dev/null
done
lib=$(dirname "$(find "$work" -name libupsweep_mpi.so)")
command -v pkg-config >/dev/null || { echo "there is no pkg-config, so the example is not built"; exit 77; }
# shellcheck disable=SC2046
"$mpicc" -std=c11 -O1 -Wall -Wextra -Werror "$source/examples/sort_mpi.c" -o "$work/sort_mpi" \
    $(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs upsweep_mpi) "-Wl,-rpath,$lib"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 HYDRA_LAUNCHER=fork
mpirun=$(dirname "$mpicc")/$(basename "$mpicc" | sed s/mpicc/mpirun/)
"$mpirun" -n 2 "$work/sort_mpi" | tee "$work/said"
grep -q '^2 ranks: least 0' "$work/said"
"$mpirun" -n 1 "$work/bin/upsweep-mpi" --version
echo "what is installed serves a program over MPI"
