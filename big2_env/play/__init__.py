"""A person playing against agents: the parts shared by the prompt, the terminal table and the browser."""

from big2_env.play.sitting import Sitting

__all__ = ["Sitting"]
