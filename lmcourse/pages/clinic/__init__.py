"""The wrong-number clinic: its explanations, and their form."""
