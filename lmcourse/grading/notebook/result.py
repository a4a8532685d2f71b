"""A graded notebook as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

STATUSES = ("full", "partial", "zero", "not answered", "could not run", "by hand")


@dataclass(frozen=True)
class TaskResult:
    """What one task got.

    Attributes
    ----------
    name, label, title : str
        As in ``"bigram"``, ``"Task 11a"``, ``"a bigram model in four lines"``.
    points : float or None
        A whole number if a machine gives them; None until a person does.
    maximum : int
    status : {"full", "partial", "zero", "not answered", "could not run", "by hand"}
    reason : str
        Why points are missing: a hint, an error, a limit; sometimes a remark on a full mark. It may contain
        text of the student: escape it.
    mistakes : tuple of str
        Ids of the catalogue, such as ``"M19"``.
    words : str
        An answer in words, for the person who grades it.
    """

    name: str
    label: str
    title: str
    points: float | None
    maximum: int
    status: str
    reason: str = ""
    mistakes: tuple[str, ...] = ()
    words: str = ""


@dataclass(frozen=True)
class Result:
    """What a notebook got.

    ``problem`` says why nothing could be graded; then the list of tasks is empty, or no task could run.
    ``protection`` says in one line what the answers were kept from. ``seed`` reproduces the grade.
    """

    set_name: str
    seed: int
    tasks: tuple[TaskResult, ...] = ()
    protection: str = ""
    problem: str = ""
    digest: str = ""
    remarks: tuple[str, ...] = field(default=())

    @property
    def points(self) -> float:
        """The points so far: those of the machine, and the marks by hand that were entered."""
        return sum(task.points or 0 for task in self.tasks)

    @property
    def maximum(self) -> int:
        """The most points that a machine can give."""
        return sum(task.maximum for task in self.tasks if task.status != "by hand")

    @property
    def by_hand(self) -> int:
        """The points that a person gives."""
        return sum(task.maximum for task in self.tasks if task.status == "by hand")

    def as_dict(self) -> dict:
        """Plain data for JSON."""
        totals = {"points": self.points, "maximum": self.maximum, "by_hand": self.by_hand}
        return {**asdict(self), **totals}
