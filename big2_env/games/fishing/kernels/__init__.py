"""The fishing game compiled: whole games, many in one call."""
