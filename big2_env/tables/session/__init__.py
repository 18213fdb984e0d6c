"""A person playing against agents: the parts shared by the prompt, the terminal table and the browser."""

from big2_env.tables.session.sitting import Sitting

__all__ = ["Sitting"]
