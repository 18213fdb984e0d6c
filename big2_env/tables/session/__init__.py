"""A person playing against agents: the parts shared by the prompt, the terminal table and the browser."""

from big2_env.tables.session.table_session import TableSession

__all__ = ["TableSession"]
