"""Tensors of torch on the CPU, where torch is installed: what a view has yet to do, layouts, gradients."""
# SPDX-License-Identifier: MIT
import numpy as np
import pytest

import upsweep

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("n", [1, 2, 5])
def test_negated_views(n):
    """torch negates the imaginary part of a conjugate when it is read; one element was taken as it lies there."""
    z = torch.complex(torch.zeros(n), torch.arange(1.0, n + 1))
    x = z.conj().imag
    assert x.is_neg()
    plain = x.clone()
    for call in (upsweep.sort, upsweep.argsort, upsweep.cumsum, upsweep.unique, upsweep.sum, upsweep.min,
                 upsweep.argmin, upsweep.reverse, lambda a: upsweep.take(a, torch.zeros(1, dtype=torch.int64)),
                 lambda a: upsweep.top_k(a, 1)[0], lambda a: upsweep.sort_pairs(a, a)[1],
                 lambda a: upsweep.lexsort((a, a)), lambda a: upsweep.searchsorted(torch.tensor([0.0]), a)):
        assert np.array_equal(np.asarray(call(x)), np.asarray(call(plain)))
    assert upsweep.sum(x) == -n * (n + 1) / 2
    out = torch.complex(torch.zeros(n), torch.zeros(n)).conj().imag
    assert upsweep.sort(plain, out=out) is out and torch.equal(out, torch.sort(plain)[0])


def test_layouts_and_gradients():
    for call in (upsweep.sort, upsweep.sum, upsweep.cumsum, upsweep.unique):
        with pytest.raises(TypeError, match="to_dense"):
            call(torch.tensor([3.0, 1.0]).to_sparse())
        with pytest.raises(TypeError, match="detach"):
            call(torch.tensor([3.0, 1.0], requires_grad=True))


def test_several_axes():
    x = torch.arange(24).reshape(2, 3, 4)
    for axes in ((0,), (0, 1), (0, 2), (-1, -2), (0, 1, 2), ()):
        for keep in (False, True):
            got = upsweep.max(x.transpose(0, 2), axis=axes, keepdims=keep)
            assert np.array_equal(got, np.max(x.numpy().T, axis=axes, keepdims=keep)) and \
                tuple(got.shape) == np.max(x.numpy().T, axis=axes, keepdims=keep).shape
