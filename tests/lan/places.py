#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Root's places on the control socket are all taken: electd-hookd and administrators get on with it.

Each scene is one with a real electd-hookd beside each electd, and is judged by order and counts; the
times that it prints are measured and not judged.
"""
import contextlib
import json
import signal
import socket
import sys

import hooked
import lan
import report
from hooked import World, check, demotion_of

PLACES, KEPT = 64, 16
# A Release that is lost is seen by this, and not by the clock.
NOT_LET_GO = "not let go of by"
CONFIG = hooked.QUICK.replace("};", "yield_timeout_ms = 4000; };")


class Watcher:
    """A connection of root's that watches for as long as electd lets it."""

    def __init__(self, host):
        self.stream = socket.socket(socket.AF_UNIX)
        self.stream.settimeout(lan.PATIENCE)
        self.stream.connect(host.socket_path)
        try:
            self.stream.sendall(b'{"method":"io.electd.Subscribe","parameters":{},"more":true}\0')
        except BrokenPipeError:     # why is there to be read
            pass
        self.heard = self.stream.recv(1 << 16)
        self.stream.setblocking(False)

    def has_place(self):
        try:
            while self.heard:
                self.heard = self.stream.recv(1 << 16)
        except BlockingIOError:
            pass
        return b"TooManyClients" not in self.heard and self.heard != b""


@contextlib.contextmanager
def all_taken(host):
    """As many watch as may, and more."""
    watchers = [Watcher(host) for _ in range(PLACES + 2 * KEPT)]
    try:
        yield watchers
    finally:
        for watcher in watchers:
            watcher.stream.close()


def hand_over(w, taken=False):
    """From Resign to the hook of the next leader; it has waited for the demotion, no longer. Resign
    is called from a place that was there before."""
    host, hooks = w.leader()
    told = host.log().count(NOT_LET_GO)
    with socket.socket(socket.AF_UNIX) as asker:
        asker.connect(host.socket_path)
        with all_taken(host) if taken else contextlib.nullcontext():
            at = lan.now()
            asker.sendall(b'{"method":"io.electd.Resign","parameters":{"for":1}}\0')
            begun = w.begun("leader", at)
            w.wait_roles()
    demotion = demotion_of(hooks.runs(), at)
    check(begun.host is not host and demotion.end and demotion.end <= begun.begin,
          "%s beside %s", begun, demotion)
    check(host.log().count(NOT_LET_GO) == told, "Release was lost, it took %.3f s",
          begun.begin - at)
    return begun.begin - at


def hands_over():
    with World(5, CONFIG) as w:     # who has led does not lead again soon
        free = [hand_over(w) for _ in range(2)]
        taken = [hand_over(w, True) for _ in range(2)]
        hooked.judge(w.hooked)
    return "with places free: %s; with all taken: %s" % (
        report.statistics(free), report.statistics(taken))


def takes_part(host):
    return host.call("io.electd.GetHooks")["hookd"]


def comes_back():
    """It is restarted, on the leader, and is told and tells everything as ever."""
    with World(2, CONFIG) as w:
        host, hooks = w.leader()
        with all_taken(host):
            check(takes_part(host), "electd-hookd is not there at all")
            at = lan.now()
            hooks.end(signal.SIGKILL)
            hooks.start()
            replayed = hooks.wait_event("leader", at)
            check(demotion_of(hooks.runs(), at).end <= replayed.begin, "no demotion before it")
            lan.until("it takes part", lambda: takes_part(host))
            lan.until("its reports are there", lambda: any(
                r["event"] == "leader" and r["token"] == str(replayed.token)
                for r in host.call("io.electd.GetHooks")["reports"]))
            hand_over(w)


def people_get_an_answer():
    """And hardly anybody who watches loses a place by it."""
    with World(2, CONFIG) as w:
        host, _ = w.leader()
        with all_taken(host) as watchers:
            before = sum(watcher.has_place() for watcher in watchers)
            check(PLACES - 2 <= before <= PLACES + KEPT, "%d watch", before)
            for words in ("status",), ("check",), ("why",), ("metrics",), ("resign",):
                done = host.electctl(*words)
                check(done.returncode == 0, "%s: exit %d %s", words, done.returncode, done.stderr)
            after = sum(watcher.has_place() for watcher in watchers)
        w.wait_roles()
        check(w.leader()[0] is not host, "it leads on")
        check(after + KEPT >= before, "%d of %d watch on", after, before)
    return "%d watched, %d watch on" % (before, after)


def main():
    result = report.Report()
    lan.setup()
    hooked.setup()
    scenes = {f.__name__: f for f in (hands_over, comes_back, people_get_an_answer)}
    for name in sys.argv[1:] or scenes:
        result.attempt(name.replace("_", " "), scenes[name])
    result.exit()


if __name__ == "__main__":
    main()
