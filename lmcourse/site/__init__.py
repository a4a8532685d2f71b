"""How the book, the decks and the PDFs are built.

building, decks, pdf, handouts    programs; the commands of the same subject call them
extensions/                       what Sphinx loads while it builds the book, as listed in ``_config.yml``
glossary, evidence                what both read: terms, and where mistakes and objectives are treated
chromium                          where this machine has the browser
"""
