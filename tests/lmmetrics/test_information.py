"""Entropy, cross-entropy, KL and mutual information: values, shapes, zeros, and errors that point."""

import math
import warnings

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from lmmetrics.information import cross_entropy, entropy, kl_divergence, mutual_information

RNG = np.random.default_rng(7)
UNITS = {2: math.log(2), 10: math.log(10), "e": 1.0, math.e: 1.0}


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def distributions(shape):
    weights = hnp.arrays(np.float64, shape, elements=st.floats(1e-6, 1.0))
    return weights.map(lambda w: w / w.sum(axis=-1, keepdims=True))


# -- values -------------------------------------------------------------------------------------------------


def test_known_values():
    assert entropy([0.25] * 4) == pytest.approx(math.log(4))
    assert entropy([0.5, 0.25, 0.25], base=2) == 1.5
    assert entropy([0.1] * 10, base=10) == pytest.approx(1)
    assert cross_entropy([1, 0], [0.5, 0.5], base=2) == 1
    assert kl_divergence([0.5, 0.5], [0.9, 0.1]) == pytest.approx(0.5 * math.log(0.25 / 0.09))


def test_they_agree_with_scipy():
    p, q = RNG.dirichlet(np.ones(6), size=5), RNG.dirichlet(np.ones(6), size=5)
    np.testing.assert_allclose(entropy(p), stats.entropy(p, axis=-1), rtol=1e-14)
    np.testing.assert_allclose(kl_divergence(p, q), stats.entropy(p, q, axis=-1), rtol=1e-13)


@pytest.mark.parametrize("base", UNITS)
def test_the_base_is_a_unit(base):
    p, q = [0.3, 0.7], [0.6, 0.4]
    assert entropy(p, base) * UNITS[base] == pytest.approx(entropy(p), rel=1e-15)
    assert cross_entropy(p, q, base) * UNITS[base] == pytest.approx(cross_entropy(p, q), rel=1e-15)
    assert kl_divergence(p, q, base) * UNITS[base] == pytest.approx(kl_divergence(p, q), rel=1e-15)
    joint = [[0.1, 0.2], [0.3, 0.4]]
    assert mutual_information(joint, base) * UNITS[base] == pytest.approx(
        mutual_information(joint), rel=1e-15
    )


@pytest.mark.parametrize("base", [3, 1, "2", "nats", True, None, 2.5, np.nan])
def test_another_base_is_an_error_that_names_it(base):
    with pytest.raises(ValueError, match=r"base is .*must be 2"):
        entropy([0.5, 0.5], base=base)


# -- properties ---------------------------------------------------------------------------------------------


@given(distributions((3, 5)), distributions((3, 5)))
def test_cross_entropy_is_entropy_plus_kl(p, q):
    np.testing.assert_allclose(cross_entropy(p, q), entropy(p) + kl_divergence(p, q), rtol=1e-12, atol=1e-12)


@given(distributions((5,)), distributions((5,)))
def test_gibbs(p, q):
    assert kl_divergence(p, q) >= -1e-15
    assert 0 <= entropy(p) <= math.log(5) + 1e-12
    assert kl_divergence(p, p) == 0


@given(distributions((12,)))
def test_mutual_information_is_what_entropies_say(flat):
    joint = flat.reshape(3, 4)
    x, y = joint.sum(1), joint.sum(0)
    parts = entropy(x / x.sum()) + entropy(y / y.sum()) - entropy(flat)
    assert mutual_information(joint) == pytest.approx(parts, abs=1e-12)
    assert mutual_information(joint) == pytest.approx(mutual_information(joint.T), abs=1e-14)


def test_independence_has_no_information_and_a_copy_has_all_of_it():
    p, q = RNG.dirichlet(np.ones(3)), RNG.dirichlet(np.ones(4))
    assert mutual_information(np.outer(p, q)) == pytest.approx(0, abs=1e-15)
    assert mutual_information(np.diag(p)) == pytest.approx(entropy(p))


# -- shapes -------------------------------------------------------------------------------------------------


def test_shapes_and_axes():
    p = RNG.dirichlet(np.ones(4), size=(2, 3))
    assert entropy(p).shape == (2, 3)
    np.testing.assert_array_equal(entropy(np.moveaxis(p, -1, 0), axis=0), entropy(p))
    np.testing.assert_array_equal(entropy(np.moveaxis(p, -1, 1), axis=-2), entropy(p))
    assert type(entropy(p[0, 0])) is float and entropy(p).dtype == np.float64
    assert mutual_information(np.full((5, 2, 2), 0.25)).shape == (5,)


def test_one_truth_against_many_models():
    p, q = RNG.dirichlet(np.ones(4)), RNG.dirichlet(np.ones(4), size=(3, 2))
    assert cross_entropy(p, q).shape == (3, 2)
    assert kl_divergence(p, q)[2, 1] == kl_divergence(p, q[2, 1])


def test_torch_tensors_on_the_cpu_work():
    p = torch.tensor([0.25, 0.75], dtype=torch.float64)
    assert entropy(p) == entropy(p.numpy())
    with pytest.raises(RuntimeError, match="detach"):
        entropy(p.requires_grad_())


@pytest.mark.parametrize(
    ("p", "q", "axis", "words"),
    [
        ([0.5, 0.5], [0.2, 0.3, 0.5], -1, "same outcomes"),
        ([0.5, 0.5], [1.0], -1, "same outcomes"),
        (np.full((2, 2), 0.5), np.full((3, 2), 0.5), -1, "broadcast"),
        ([0.5, 0.5], np.full((2, 2), 0.5), 0, "Count it from the end"),
        ([0.5, 0.5], [0.5, 0.5], 1, "no axis 1"),
    ],
)
def test_shapes_that_do_not_fit(p, q, axis, words):
    with pytest.raises(ValueError, match=words):
        cross_entropy(p, q, axis=axis)
    with pytest.raises(ValueError, match=words):
        kl_divergence(p, q, axis=axis)


# -- zeros --------------------------------------------------------------------------------------------------


def test_zero_times_log_zero_is_zero():
    assert entropy([1.0, 0.0]) == 0 and math.copysign(1, entropy([1.0, 0.0])) == 1
    assert cross_entropy([1.0, 0.0], [1.0, 0.0]) == kl_divergence([1.0, 0.0], [1.0, 0.0]) == 0
    assert mutual_information([[0.5, 0.0], [0.0, 0.5]], base=2) == 1


def test_what_happens_and_was_given_zero_costs_infinity_without_a_warning():
    assert cross_entropy([0.5, 0.5], [1.0, 0.0]) == kl_divergence([0.5, 0.5], [1.0, 0.0]) == math.inf
    assert kl_divergence([1.0, 0.0], [0.5, 0.5]) == pytest.approx(math.log(2))  # the other way is finite
    np.testing.assert_array_equal(kl_divergence([[0.5, 0.5]] * 2, [[1, 0], [0.5, 0.5]]), [np.inf, 0])


def test_small_numbers_do_not_overflow():
    assert kl_divergence([1.0, 0.0], [1e-310, 1.0]) == pytest.approx(310 * math.log(10))
    joint = np.array([[1.0, 0.0], [0.0, 1e-200]])
    assert mutual_information(joint) == pytest.approx(1e-200 * 200 * math.log(10))


# -- errors -------------------------------------------------------------------------------------------------


def test_a_row_that_does_not_sum_to_one_says_which_and_by_how_much():
    p = np.full((2, 3, 2), 0.5)
    p[1, 2, 0] = 0.47
    with pytest.raises(ValueError, match=r"row \[1, 2\] of p sums to 0.97, which is 0.03 less than 1"):
        entropy(p)
    with pytest.raises(ValueError, match=r"q sums to 1.2, which is 0.2 more than 1"):
        cross_entropy([0.5, 0.5], [0.6, 0.6])
    with pytest.raises(ValueError, match=r"joint sums to 2"):
        mutual_information([[0.5, 0.5], [0.5, 0.5]])
    with pytest.raises(ValueError, match=r"table \[1\] of joint"):
        mutual_information([[[0.5, 0.5]], [[0.5, 0.4]]])
    with pytest.raises(ValueError, match="sums to 0"):
        entropy([])


def test_the_tolerance_is_for_rounding_only():
    assert entropy([0.5, 0.5 + 1e-10]) > 0
    with pytest.raises(ValueError, match="looks rounded"):
        entropy([0.5, 0.5 + 1e-8])
    with pytest.raises(ValueError, match="looks rounded"):
        entropy(torch.softmax(torch.linspace(-3, 3, 1000), dim=0) * 1.0000002)


@pytest.mark.parametrize(
    ("p", "words"),
    [
        ([1.5, -0.5], r"p\[1\] is negative \(-0.5\)"),
        ([[0.5, 0.5], [math.nan, 0.5]], r"p\[1, 0\] is NaN"),
        ([0.5, math.inf], "sums to inf"),
        (["a", "b"], "real numbers"),
        ([0.5 + 0j, 0.5], "real numbers"),
        ([True, False], "real numbers"),
        (1.0, "p is one number; a list of probabilities is expected"),
    ],
)
def test_a_value_that_is_not_a_distribution_is_refused(p, words):
    with pytest.raises(ValueError, match=words):
        entropy(p)


def test_a_joint_needs_two_axes():
    with pytest.raises(ValueError, match="two axes"):
        mutual_information([0.5, 0.5])
