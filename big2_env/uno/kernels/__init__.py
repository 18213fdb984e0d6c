"""UNO compiled: the games of `big2_env.uno.game`, act for act."""
