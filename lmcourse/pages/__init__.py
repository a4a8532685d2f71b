"""What the book's pages import besides the library."""
