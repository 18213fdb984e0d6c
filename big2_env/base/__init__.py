"""What every package imports: cards, errors, random numbers, texts, bytes from outside, and shared contracts."""
