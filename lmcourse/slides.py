"""Make the decks alone: ``python -m lmcourse.slides``, or ``make slides``."""

from lmcourse.files.places import ROOT
from lmcourse.site.decks import build_all

if __name__ == "__main__":
    for deck in build_all():
        print(deck.relative_to(ROOT))
