#!/bin/sh
# calls.sh MPI_DIR [MORE] - the calls of upsweep_mpi.h under mpirun, on 1 to 16 ranks; then with messages in
# chunks of 1000 bytes, as counts beyond 2^31 need them. The more ranks, the fewer cases: ranks that are
# threads have the others (test_ranks.c). MORE multiplies the cases.
# SPDX-License-Identifier: MIT
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/mpirun.sh"
program=$1/ranks
more=${2:-1}
faults=0
cases() { # RANKS FROM COUNT
    ranks "$1" "$program" "$2" $(($2 + $3 * more)) || {
        echo "$mpi: on $1 ranks, cases from $2: status $?"
        faults=1
    }
}
cases 1 0 12
cases 2 100 8
cases 3 200 4
cases 5 300 2
cases 16 400 1
UPSWEEP_MPI_CHUNK=1000 cases 3 504 3
[ $faults = 0 ] && echo "$mpi: the calls give the same on 1 to 16 ranks"
exit $faults
