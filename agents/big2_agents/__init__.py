"""Agents for the climbing games of `big2_env`, with tools to train, compare and question them."""
