"""A shell in which `big2` runs in a fork of one process that has imported what commands need, and so starts at once.

A command has its own folder, environment, arguments and streams. `python forking_shell.py SOCKET` is the process that forks.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from importlib import import_module
from pathlib import Path
from typing import Final, NoReturn

IMPORTED: Final = ("matplotlib.figure", "openai", "sb3_contrib", "torch._dynamo")
"""Modules that commands import as they run, which takes seconds. Every optimizer imports the last."""
READY: Final = b"ready"
"""What the process prints before it forks."""
CLIENT: Final = """\
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({path!r})
    socket.send_fds(server, [b"0"], [0, 1, 2])
    server.sendall(json.dumps([os.getcwd(), dict(os.environ), sys.argv[1:]]).encode() + b"\\n")
    status = server.recv(8)
sys.exit(int(status or 255))
"""
"""The command `big2`: it hands over its streams, and waits for the status."""
THREAD_SECONDS: Final = 60.0
"""Longest wait for threads that end by themselves."""


@contextmanager
def forking_shell() -> Iterator[Mapping[str, str]]:
    """Provide an environment in which `big2` is such a command."""
    with tempfile.TemporaryDirectory() as folder:
        path, command = f"{folder}/socket", Path(folder, "big2")
        command.write_text(f"#!{sys.executable} -IS\n{CLIENT.format(path=path)}", encoding="utf-8")
        command.chmod(command.stat().st_mode | stat.S_IXUSR)
        one_thread = os.environ | {"OMP_NUM_THREADS": "1"}
        with subprocess.Popen([sys.executable, __file__, path], stdout=subprocess.PIPE, env=one_thread) as server:
            try:
                assert server.stdout is not None
                assert server.stdout.read(len(READY)) == READY
                yield os.environ | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
            finally:
                server.terminate()


def serve(path: str) -> None:
    """Import what commands need, and fork for each that comes."""
    from big2_env.cli import available_verbs, load_verb, main

    for verb in available_verbs():
        load_verb(verb)
    for module in IMPORTED:
        import_module(module)

    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), suppress(SystemExit):
        main(["warm", "--game", "big2"])
    gc.freeze()
    _wait_for_other_threads()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        os.write(1, READY)
        os.dup2(2, 1)
        while True:
            client, _ = listening.accept()
            if not os.fork():
                break
            client.close()
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
    if command := os.fork():
        status = os.waitstatus_to_exitcode(os.waitpid(command, 0)[1])
        client.sendall(str(status if status >= 0 else 128 - status).encode())
        os._exit(0)
    _run(client)


def _wait_for_other_threads() -> None:
    """Wait until this thread is alone: a fork leaves out all others. One that was joined leaves the process a little later."""
    end = time.monotonic() + THREAD_SECONDS
    while len(os.listdir("/proc/self/task")) > 1:
        assert time.monotonic() < end, f"other threads are not forked: {threading.enumerate()}"
        time.sleep(0.01)


def _run(client: socket.socket) -> NoReturn:
    """Run the command that a client hands over, and end this process as it ends."""
    with client:
        _, streams, _, _ = socket.recv_fds(client, 1, 3)
        folder, environment, arguments = json.loads(client.makefile().readline())
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin, sys.stdout = open(0), open(1, "w")  # noqa: SIM115  # as long as the process
    sys.stderr = open(2, "w", errors="backslashreplace", buffering=1)  # noqa: SIM115
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["big2", *arguments]
    try:
        runpy.run_module("big2_env", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    else:
        status = 0
    atexit._run_exitfuncs()
    for output in (sys.stdout, sys.stderr):
        output.flush()
    os._exit(status)  # to take apart what was imported takes seconds


if __name__ == "__main__":
    serve(sys.argv[1])
