"""Element types: the library's numbers for them, dtypes of numpy, and the flags of calls."""
# SPDX-License-Identifier: MIT
import numpy as np

from . import _core

U8, U16, U32, U64, I8, I16, I32, I64, F16, BF16, F32, F64 = range(1, 13)
DESCENDING, NAN_FIRST, NAN_RAW, UNSTABLE, IN_PLACE, EXCLUSIVE, LARGEST, UNORDERED = (
    1 << i for i in range(8))
UPPER, NUMBERS, ROUNDED = 1 << 9, 1 << 10, 1 << 11
NAMES = dict(zip("u8 u16 u32 u64 i8 i16 i32 i64 f16 bf16 f32 f64".split(), range(1, 13)))
_NUMPY = {U8: "u1", U16: "u2", U32: "u4", U64: "u8", I8: "i1", I16: "i2", I32: "i4", I64: "i8",
          F16: "f2", F32: "f4", F64: "f8"}
DTYPES = {code: np.dtype(name) for code, name in _NUMPY.items()}
_CODES = {dtype.str[1:]: code for code, dtype in DTYPES.items()}
_CODES["b1"] = U8
FLOATS = (F16, BF16, F32, F64)


def code_of(dtype):
    """The library's number for a dtype of numpy, 0 if it takes none such."""
    return _CODES.get(dtype.str[1:]) or (0 if dtype.num < 256 else _code_of_bf16(dtype))


def _code_of_bf16(dtype):
    """The same for dtypes that other packages register with numpy: ml_dtypes has bfloat16."""
    if dtype.name != "bfloat16" or dtype.itemsize != 2 or DTYPES.get(BF16, dtype) != dtype:
        return 0
    if BF16 not in DTYPES:
        DTYPES[BF16] = dtype
        _core.register_bf16(dtype.num)
    return BF16


def refuse(what):
    raise TypeError(f"upsweep takes arrays of integers, bool and floats of 16 to 64 bits, not {what}")
