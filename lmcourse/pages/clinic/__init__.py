"""The wrong-number clinic: explanations, and what an explanation is."""
