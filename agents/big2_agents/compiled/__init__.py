"""Agents that act on arrays: policies and features compiled with numba over the records of `big2_env.kernels`."""
