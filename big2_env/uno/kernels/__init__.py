"""UNO compiled: the games of `big2_env.uno.game`, act for act.

Each card taken from the pile has an age, 0 for the first of the game. A hand is a set of ages, 128 bits in two words, and so
are the ages of each face and of each colour: the oldest card of a colour in a hand is the lowest bit of an intersection. The
pile is shuffled no further than cards are taken, which changes nothing: the shuffle goes from its top down.
"""
