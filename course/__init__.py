"""The machinery of the course: release, feedback, slides, checks, and the book's build."""

REPOSITORY = "measuring-language-models/measuring-language-models"
"""``owner/name`` on GitHub, for launch buttons and Colab. A fork's workflow sets GITHUB_REPOSITORY."""
