"""The companion library of *Measuring Language Models*."""
