#!/usr/bin/env python3
"""addresses.py [FILE.cu ...] - kernels whose arguments lie in local memory, or that load and store by addresses of no
known kind, by the PTX that nvcc makes of each file (all of gpu/ and algo/ if none is named; 3 minutes on 2 cores).

A kernel's arguments are constants to its multiprocessor until their address is taken, as by a function that is not
inlined and takes a reference: then each thread copies them to its local memory, and pointers among them may point to
any memory, so that no load of shared memory is moved before a store. The last step of the bucket sort took 18% more.
Cures: such a function takes its arguments by value, or the kernel's are `const __grid_constant__`; a pointer that was
read from memory goes through usw_global (gpu/gpu.cuh).
"""
# SPDX-License-Identifier: MIT
import concurrent.futures
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
GENERIC = re.compile(r"\b(?:ld|st)(?:\.volatile|\.relaxed\.\w+|\.acquire\.\w+|\.release\.\w+)?(?:\.v[24])?\.[busf]\d")


def ptx_of(source):
    nvcc = os.environ.get("NVCC", "nvcc")
    return subprocess.run([nvcc, "-std=c++17", "-fmad=false", "-arch=compute_90", "-DUSW_GPU_TARGETS=sm_90", "-I.",
                           "-Iinclude", "-ptx", source, "-o", "-"], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def kernels_of(ptx):
    """{mangled name: [bytes of local memory, generic accesses, all accesses of memory]}."""
    found, name = {}, None
    for line in ptx.split("\n"):
        entry = re.search(r"\.entry (\w+)\(", line)
        if entry:
            name = entry.group(1)
            found[name] = [0, 0, 0]
        elif re.match(r"(\.visible |\.weak )?\.func", line):
            name = None
        elif name:
            if ".local" in line and "__local_depot" in line:
                found[name][0] = int(re.search(r"\[(\d+)\]", line).group(1))
            found[name][1] += GENERIC.search(line) is not None
            found[name][2] += re.search(r"\b(ld|st)\.(?!param)", line) is not None
    return found


def main():
    os.chdir(ROOT)
    files = sys.argv[1:] or sorted(glob.glob("gpu/*.cu") + glob.glob("gpu/*/*.cu") + glob.glob("algo/*.cu"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for source, ptx in zip(files, pool.map(ptx_of, files)):
            kernels = kernels_of(ptx)
            bad = [(name, *counts) for name, counts in kernels.items() if counts[0] or counts[1]]
            print(f"{source}: {len(bad)} of {len(kernels)} kernels")
            names = subprocess.run(["c++filt"], input="\n".join(b[0] for b in bad), capture_output=True,
                                   text=True, check=True).stdout.split("\n")
            for (_, local, generic, accesses), name in zip(bad, names):
                print(f"  {local:4} bytes of local memory, {generic:3} of {accesses:3} accesses generic  {name[:90]}")


if __name__ == "__main__":
    main()
