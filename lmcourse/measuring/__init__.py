"""What `make bench` and `make reproduce` measure."""
