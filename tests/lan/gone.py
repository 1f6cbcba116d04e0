#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A holder that reads nothing, or is gone without Release: leadership passes on when yield_timeout is
over and not before; and one that has ended, or whose successor answers for it, delays nothing.

Real electds, electd-hookds and `electctl run`. Judged by order, by what the journal names and by the
least time that a hand-over takes; the times that are printed are measured and not judged.
"""
import contextlib
import json
import re
import signal
import socket
import subprocess
import sys

import hooked
import lan
import report
from hooked import FIRST, World, check, demotion_of

YIELD = 1.5
CONFIG = hooked.QUICK.replace("};", "yield_timeout_ms = %d; };" % (YIELD * 1000))
OVERRUN = re.compile("yield-overrun: (.*) had not let go of leadership when ")
HOLD = b'{"method":"io.electd.Subscribe","parameters":{"hold":true,"name":"deaf"},"more":true}\0'


class Handover:
    """One hand-over of the leader: from Resign to the first hook of the next leader."""

    def __init__(self, w):
        self.w, (self.host, self.hooks) = w, w.leader()
        self.told = len(self.host.log())
        self.at = self.host.resign()

    def demotion(self):
        """The first script of it has begun."""
        return self.hooks.wait("its demotion", lambda r: r.event in hooked.DEMOTIONS and
                               r.begin > self.at)

    def ends(self):
        """Whom the journal names as not waited for any longer; "" if it was waited for nobody."""
        self.begun = self.w.begun("leader", self.at)
        check(self.begun.host is not self.host, "it leads again")
        self.took = self.begun.begin - self.at
        self.w.net.settle()
        log = self.host.log()[self.told:]
        found = OVERRUN.search(log)
        return found.group(1) if found else ""

    def takes_until_the_end(self, name):
        got = self.ends()
        check(got == name, "waited for %r, not %r", got, name)
        check(self.took >= YIELD, "only %.3f s", self.took)
        return "%.0f ms" % (self.took * 1000)

    def waits_for_nobody(self):
        got = self.ends()
        check(not got, "it waited for %s", got)
        return "%.0f ms" % (self.took * 1000)


def waits_for(host):
    return (host.call("io.electd.GetStatus")["yielding"] or {}).get("waits_for")


def hookd_killed_when_asked():
    """And nobody starts it again."""
    with World(2, CONFIG) as w:
        host, hooks = w.leader()
        hooks.do("follower", 60000)
        hooks.do("none", 60000)
        h = Handover(w)
        h.demotion()
        hooks.end(signal.SIGKILL)
        lan.until("it is named", lambda: waits_for(host) == "electd-hookd (gone)")
        took = h.takes_until_the_end("electd-hookd (gone)")
    return "the next leader begins after " + took


def hookd_killed_before():
    """A moment before it would have been asked; what it had started may run."""
    with World(2, CONFIG) as w:
        w.leader()[1].end(signal.SIGKILL)
        return "the next leader begins after " + Handover(w).takes_until_the_end(
            "electd-hookd (gone)")


def hookd_restarted():
    """The next one demotes what that one had started, and releases."""
    with World(2, CONFIG.replace("1500", "60000")) as w:
        host, hooks = w.leader()
        hooks.do("follower", 60000)
        hooks.do("none", 60000)
        h = Handover(w)
        h.demotion()
        hooks.end(signal.SIGKILL)
        lan.until("it is named", lambda: waits_for(host) == "electd-hookd (gone)")
        hooks.do("follower")
        hooks.do("none")
        at = lan.now()
        hooks.start()
        took = h.waits_for_nobody()
        demotion = demotion_of(hooks.runs(), at, FIRST)
        check(demotion.end and demotion.end <= h.begun.begin, "%s beside %s", h.begun, demotion)
    return "the next leader begins after " + took


def hookd_stopped():
    """It has demoted and taken its leave."""
    with World(2, CONFIG) as w:
        check(w.leader()[1].end() == 0, "electd-hookd does not end well")
        return "the next leader begins after " + Handover(w).waits_for_nobody()


def deaf():
    """It has not read for so long that electd keeps no more for it, and is cut off nowhere."""
    with World(3, CONFIG) as w, socket.socket(socket.AF_UNIX) as stream:
        host, _ = w.leader()
        other = next(h for h in w.net.hosts if h is not host)
        stream.settimeout(lan.PATIENCE)
        stream.connect(host.socket_path)
        stream.sendall(HOLD)
        for i in range(600):      # each is a change, and a status of more than 2 KiB
            other.call("io.electd.Report", name="n", well=i % 2 == 0)
            host.call("io.electd.Report", name="n", well=True)
            host.call("io.electd.Forget", name="n")
        took = Handover(w).takes_until_the_end("deaf")
        data, snapshots = b"", []
        while not snapshots:
            data += stream.recv(1 << 20)
            *whole, data = data.split(b"\0")
            check(len(whole) < 5000, "no end")
            events = [json.loads(text)["parameters"] for text in whole]
            whole_seq = [e["seq"] for e in events]
            snapshots = [e for e in events if e["event"] == "snapshot" and e["seq"] > 600]
        check(whole_seq == sorted(whole_seq), "seq goes back")
        check("release" not in snapshots[0], "what is over is asked for: %s", snapshots[0])
    return "the next leader begins after %s; then a snapshot of change %d" % (
        took, snapshots[0]["seq"])


@contextlib.contextmanager
def run_on(host, *words):
    with subprocess.Popen([lan.ELECTCTL, "--socket", host.socket_path, "run", "--", *words],
                          stdout=subprocess.PIPE, stdin=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


def command_ends():
    """`electctl run` whose command ends by itself delays no hand-over."""
    with World(2, CONFIG) as w:
        host, _ = w.leader()
        with run_on(host, "true") as process:
            check(process.wait(lan.PATIENCE) == 0, "exit %d", process.returncode)
        with run_on(host, "sh", "-c", "echo up; exec sleep 600") as process:
            process.stdout.readline()
            process.send_signal(signal.SIGTERM)
            process.wait(lan.PATIENCE)
        return "the next leader begins after " + Handover(w).waits_for_nobody()


def command_killed():
    """The processes that the command has started may live."""
    with World(2, CONFIG) as w:
        host, _ = w.leader()
        with run_on(host, "sh", "-c", "echo up; exec sleep 600") as process:
            process.stdout.readline()
            process.kill()
            process.wait()
        return "the next leader begins after " + Handover(w).takes_until_the_end(
            "electctl run (gone)")


def main():
    result = report.Report()
    lan.setup()
    hooked.setup()
    scenes = {f.__name__: f for f in (
        hookd_killed_when_asked, hookd_killed_before, hookd_restarted, hookd_stopped,
        deaf, command_ends, command_killed)}
    for name in sys.argv[1:] or scenes:
        result.attempt(name.replace("_", " "), scenes[name])
    result.exit()


if __name__ == "__main__":
    main()
