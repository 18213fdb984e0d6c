"""Where a game was lost: each decision judged afterwards, each seat's prospects, and what that comes to by seat."""
