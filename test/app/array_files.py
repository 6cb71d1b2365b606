"""array_files.py - files of arrays for sort_external_arrays.py, and programs run with the most memory that they held,
for sort_external.py too."""
# SPDX-License-Identifier: MIT
import os
import random
import subprocess

ENV = {**os.environ, "LC_ALL": "C"}
NUMPY = {"u8": "|u1", "u16": "<u2", "u32": "<u4", "u64": "<u8", "i8": "|i1", "i64": "<i8", "f32": "<f4", "f64": "<f8"}


SANITIZED = "UPSWEEP_TEST_SANITIZED" in os.environ  # whose memory is mostly the sanitizer's


def run(command, source=None, **more):
    """Status, standard error, and the most memory that the command has held: or this program, if that is more,
    since a child begins with its parent's. So it reads no file whole. 0 under a sanitizer."""
    begun = subprocess.Popen(command, stdin=source, stderr=subprocess.PIPE, env=ENV, **more)
    error = begun.stderr.read()
    _, status, usage = os.wait4(begun.pid, 0)
    begun.returncode = os.waitstatus_to_exitcode(status)
    return begun.returncode, error.decode("utf-8", "replace"), 0 if SANITIZED else usage.ru_maxrss * 1024


class Killed:
    """A program that begins, to be killed; it has ended when its keeper, which may have the output to put in place,
    has, too: both hold an end of a pipe."""

    def __init__(self, command, **more):
        self.ended, end = os.pipe()
        self.begun = subprocess.Popen(command, env=ENV, pass_fds=[end], **more)
        os.close(end)

    def kill(self):
        self.begun.kill()
        return self.wait()

    def wait(self):
        os.read(self.ended, 1)
        os.close(self.ended)
        return self.begun.wait()


def unpacks(program):
    """Whether the program was built with zlib, which builds for the memory sanitizer are not."""
    packed = subprocess.run(["gzip", "-c"], input=b"2\n1\n", stdout=subprocess.PIPE, check=True).stdout
    done = subprocess.run([program, "sort"], input=packed, capture_output=True, check=False)
    return b"was built without" not in done.stderr


def same(a, b):
    return subprocess.run(["cmp", "-s", a, b], check=False).returncode == 0


def make_bytes(path, size, seed, head=b"", few=False):
    """Random bytes; few: of each eight only one is, so that many elements are equal."""
    rng = random.Random(seed)
    with open(path, "wb") as f:
        f.write(head)
        while size > 0:
            step = min(size, 1 << 16)
            block = bytearray(rng.randbytes(step))
            if few:
                for i in range(8):
                    block[i::8] = bytes(len(block[i::8])) if i != 1 else bytes(b & 15 for b in block[i::8])
            f.write(block)
            size -= step


def npy_header(kind, shape):
    text = f"{{'descr': '{NUMPY[kind]}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text
