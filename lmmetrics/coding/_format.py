"""The file: a header with all that a decoder must know, the words of the range coder, and a checksum."""


class CodingError(ValueError):
    """The file cannot be decoded to the text that was coded: it says what differs."""
