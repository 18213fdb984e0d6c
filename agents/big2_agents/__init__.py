"""Agents for the climbing games of `big2_env`."""
