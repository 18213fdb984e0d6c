"""Training scripts, one file a method; they need the extra `sb3` (torch)."""
