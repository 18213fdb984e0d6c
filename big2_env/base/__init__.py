"""Cards, errors, random numbers, texts, bytes from outside, and contracts: the ground of all other packages."""
