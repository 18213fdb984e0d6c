"""Network inputs: flat arrays with named windows, filled from a seat's view or, for critics, from the whole game."""
