"""What `make bench` measures: the seconds and the memory of the counted models, and of their shards."""
