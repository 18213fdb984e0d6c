"""Reviews of finished or running games: every decision judged, each seat's prospects, and a summary per seat."""
