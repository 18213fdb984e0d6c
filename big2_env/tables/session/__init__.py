"""A person playing against agents: the parts shared by the prompt, the terminal table and the browser."""
