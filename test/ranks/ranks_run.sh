#!/bin/sh
# ranks_run.sh N PROGRAM... - `ranks` of mpirun.sh as a program, for timeout(1): mpi and preload are in the
# environment.
# SPDX-License-Identifier: MIT
count=$1
shift
[ -z "$preload" ] || export LD_PRELOAD="$preload"
exec "mpirun.$mpi" -n "$count" "$@"
