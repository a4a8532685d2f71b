"""How the book, the decks and the PDF are built: Sphinx extensions, and what runs them."""
