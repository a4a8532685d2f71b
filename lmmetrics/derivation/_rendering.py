"""A chain as text, as one aligned LaTeX block, and as HTML."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from sympy import Expr
from sympy.logic.boolalg import Boolean

from lmmetrics.derivation._proof.latex import latex, reason, small_text
from lmmetrics.derivation._steps import Step


@dataclass(frozen=True)
class Given:
    """A fact that the chain uses, its LaTeX as the author wrote it, and the indices for which it holds."""

    fact: Boolean
    tex: str
    indices: Sequence[Expr]

    @property
    def full_tex(self) -> str:
        every = ", ".join(map(latex, self.indices))
        return rf"{self.tex} \text{{ for every }} {every}" if self.indices else self.tex

    def __str__(self) -> str:
        words = f" for every {', '.join(map(str, self.indices))}" if self.indices else ""
        return f"{self.fact.lhs} {self.fact.rel_op.replace('==', '=')} {self.fact.rhs}{words}"


def as_text(start: Expr, steps: Sequence[Step], given: Sequence[Given], note: str) -> str:
    lines = [str(start)]
    for step in steps:
        lines += [f"  = {step.expression}", f"      {step.because} ({step.verdict})"]
    return "\n".join([*lines, *(f"  given {fact}" for fact in given), *([f"  {note}"] if note else [])])


def as_latex(start: str, steps: Sequence[Step], given: Sequence[Given], note: str) -> str:
    """One ``aligned`` environment: the given facts and the note, then each step above its reason."""
    rows = [rf"& {{\small \text{{given }} {fact.full_tex}}}" for fact in given]
    rows += [f"& {row}" for row in small_text(note)]
    rows.append(f"& {start}")
    for step in steps:
        rows += [f"& = {step.tex}", *(rf"& \quad {row}" for row in reason(step.because, step.verdict))]
    return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"


def as_html(start: str, steps: Sequence[Step], given: Sequence[Given], note: str) -> str:
    """A list of steps with the reasons beside them; a single proved step is one equation.

    The book reads ``data-verdict``: "proved", or "checked" if any step was checked only in numbers. MathJax
    reads the elements of the class ``tex2jax_process``.
    """
    verdict = "proved" if all(step.proved for step in steps) else "checked"
    stated = ", ".join(f"\\({html.escape(fact.full_tex)}\\)" for fact in given)
    shown = f'<p class="given">Given {stated}.</p>' if given else ""
    shown += f'<p class="given">{note[0].upper()}{note[1:]}.</p>' if note else ""
    if len(steps) == 1 and verdict == "proved":
        why = _reason_html(steps[0].because)
        shown += f'<p>{_displayed(f"{start} = {steps[0].tex}")} <span class="why">{why}</span></p>'
    else:
        rows = [f'<li><span class="side">{_displayed(start)}</span></li>', *map(_row, steps)]
        shown += f"<ol>{''.join(rows)}</ol>"
    return f'<div class="derivation tex2jax_process" data-verdict="{verdict}">{shown}</div>'


def _row(step: Step) -> str:
    words = _reason_html(step.because if step.proved else f"{step.because} ({step.verdict})")
    side = f'<span class="side">{_displayed(step.tex)}</span>'
    return f'<li><span class="rel">\\(=\\)</span>{side}<span class="why">{words}</span></li>'


def _displayed(tex: str) -> str:
    return f"\\(\\displaystyle {html.escape(tex)}\\)"


def _reason_html(words: str) -> str:
    """A reason as HTML: ``$...$`` becomes mathematics."""
    parts = re.split(r"\$([^$]+)\$", words)
    return "".join(rf"\({html.escape(p)}\)" if k % 2 else html.escape(p) for k, p in enumerate(parts))
