# mpirun.sh - sourced: `ranks N PROGRAM...` runs it under the MPI of the directory that $1 is: the one that it
# was built for. More ranks than processors are allowed, and root may run them, as in a container.
# SPDX-License-Identifier: MIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1
# Open MPI would wait a second before it ends the other ranks of a program that failed.
export HYDRA_LAUNCHER=fork OMPI_MCA_odls_base_sigkill_timeout=0

mpi=$(basename "$1")
command -v "mpirun.$mpi" >/dev/null || { echo "there is no mpirun.$mpi here, so it is not tested"; exit 77; }
# Waiting ranks give way to others.
preload=
[ "$mpi" = mpich ] && [ -e "$1/libyield.so" ] && preload=$1/libyield.so

ranks() {
    count=$1
    shift
    if [ -n "$preload" ]; then
        LD_PRELOAD=$preload "mpirun.$mpi" -n "$count" "$@"
    else
        "mpirun.$mpi" -n "$count" "$@"
    fi
}
