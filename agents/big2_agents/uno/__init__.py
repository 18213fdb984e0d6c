"""Players of UNO: one that learned from play-outs, and the ones it is measured against."""
