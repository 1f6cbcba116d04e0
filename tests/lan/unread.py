# SPDX-License-Identifier: Apache-2.0
"""Fills the queue of a datagram socket that is not read, such as that of a slow service manager."""
import contextlib
import socket

WORDS = b"X_FILLED=1"       # meaningless to systemd


def fill_by_one(path):
    """Returns how many notifications one sender could queue: its share of the queue is limited."""
    count = 0
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.setblocking(False)
        sender.connect(path)
        with contextlib.suppress(BlockingIOError):
            while True:
                sender.send(WORDS)
                count += 1
    return count


def fill(path):
    while fill_by_one(path):
        pass
