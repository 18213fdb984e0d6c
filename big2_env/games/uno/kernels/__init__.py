"""UNO as kernels, compiled or interpreted: the games of `big2_env.games.uno.game`, act for act."""
