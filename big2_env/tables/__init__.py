"""People at tables. The prompt is here; sessions, screens and pages are still packages of their own."""
