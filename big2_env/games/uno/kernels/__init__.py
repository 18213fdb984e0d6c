"""UNO compiled: the games of `big2_env.games.uno.game`, act for act."""
