"""Environments: the rules in the forms that reinforcement learning libraries take."""
