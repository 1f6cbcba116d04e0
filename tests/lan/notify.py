#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The service manager does not read its notifications, and its queue is full.

notify.py [RELOADS]: the leader is reloaded so many times (5), and no role changes. When the manager
reads again, RELOADING and READY come, once each. Then electd stops and starts without a reader,
and electd-hookd starts and plays a promotion and a demotion. Prints how long a reload took.
"""
import contextlib
import os
import socket
import sys
import time

import hooked
import lan
from lan import BEACON, DEAD_AFTER
import report
from report import Failed
import unread

HOSTS = 3
# A loop that is blocked for so long is silent, and the others certainly elect anew.
PAUSE = 3 * DEAD_AFTER


class Manager:
    """A NOTIFY_SOCKET whose reader pauses. Its queue is filled with words that mean nothing."""

    def __init__(self, name):
        self.path = "/run/" + name
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)

    def fill(self):
        unread.fill(self.path)

    def read(self):
        """All that is in the queue, in order, without the filling."""
        words = []
        self.socket.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                words.append(self.socket.recv(65536).decode())
        return [w for w in words if w != unread.WORDS.decode()]

    def until(self, first, end=lan.PATIENCE):
        """Reads until a notification begins so; all that came."""
        words, end = [], lan.now() + end
        while not any(w.startswith(first) for w in words):
            if lan.now() > end:
                raise Failed("the manager does not get %s, but %s" % (first, words))
            words += self.read()
            time.sleep(0.01)
        return words

    def start(self, host):
        os.environ["NOTIFY_SOCKET"] = self.path
        try:
            host.start()
        finally:
            del os.environ["NOTIFY_SOCKET"]


def heard(words):
    """Notifications of a state, in order, without the time."""
    return [w.split("\n")[0] for w in words if w.startswith(("RELOADING", "READY", "STOPPING"))]


def reload(host, number):
    """As systemd does it (ExecReload=), with another value. How long it took."""
    host.write_config("priority = %d;" % (101 + number))
    at = lan.now()
    done = host.electctl("--timeout", "%d" % lan.PATIENCE, "reload")
    if done.returncode:
        raise Failed("electctl reload: %d %s" % (done.returncode, done.stderr))
    return lan.now() - at


def reloaded(net, manager, count):
    """The manager pauses for longer than dead_after, again and again."""
    leader, took = net.leader(), []
    time.sleep(3 * BEACON)
    mark, group, token = net.mark(), leader.group(), leader.token()
    for number in range(count):
        manager.read()
        manager.fill()
        resumes = lan.now() + PAUSE
        took.append(reload(leader, number))
        time.sleep(max(0.0, resumes - lan.now()))
        words = heard(manager.until("READY=1"))
        if words != ["RELOADING=1", "READY=1"]:
            raise Failed("reload %d: the manager has %s" % (number, words))
    time.sleep(3 * BEACON)
    for item in net.since(mark):
        status = item[2]["status"]
        if status["state"] != "normal" or status["group"]["id"] != group or \
                status["token"] != str(token):
            raise Failed("a reload caused %s" % lan.describe(item))
    if net.leader() is not leader or not net.agreed():
        raise Failed("after the reloads %s leads" % net.leader().name)
    return "%d pauses of %.1f s, no role changed; a reload: %s" % (
        count, PAUSE, report.statistics(took))


def stopped(net, manager):
    """STOPPING is never taken: it ends all the same, and nothing of it is read later."""
    leader = net.leader()
    rest = [h for h in net.hosts if h is not leader]
    manager.fill()
    at = leader.stop()
    took = lan.now() - at
    net.wait("another leader", lambda: net.led(rest))
    words = heard(manager.read())
    if words or took > DEAD_AFTER:
        raise Failed("it ended after %.0f ms, the manager has %s" % (took * 1000, words))
    return "ended after %.0f ms" % (took * 1000)


def started(net, manager):
    """electd is a member before the queue is read; READY comes afterwards, once."""
    host = next(h for h in net.hosts if not h.process)
    manager.fill()
    manager.start(host)
    net.settle()
    words = manager.until("READY=1")
    if heard(words) != ["READY=1"]:
        raise Failed("the manager has %s" % words)
    return "%d notifications later" % len(words)


def hookd():
    """Promotion and demotion by an electd-hookd whose notifications are not read."""
    manager = Manager("notify-hookd")
    with lan.Lan(1, hooked.QUICK) as net:
        one = hooked.Hooked(net.hosts[0])
        net.start()
        manager.fill()
        one.start(NOTIFY_SOCKET=manager.path, WATCHDOG_USEC="30000000")
        run = one.wait_event("leader")
        net.hosts[0].stop()
        one.wait("its demotion", lambda r: r.event in hooked.DEMOTIONS and r.begin > run.begin
                 and r.end)
        words = manager.until("STATUS=stop, 2 scripts ran")
        if words[0] != "READY=1" or sum(w.startswith("STATUS=") for w in words) > 2:
            raise Failed("the manager has %s" % words)
        net.hosts[0].start()
        one.end()
        one.forget()
    return ", ".join(words)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    result = report.Report()
    lan.setup()
    hooked.setup()
    manager = Manager("notify")
    with lan.Lan(HOSTS) as net:
        manager.start(net.hosts[0])
        net.wait("the host with the manager leads", lambda: net.agreed([net.hosts[0]]))
        for host in net.hosts[1:]:
            host.start()
        net.settle()
        result.attempt("reloads", reloaded, net, manager, count)
        result.attempt("stop", stopped, net, manager)
        result.attempt("start", started, net, manager)
        if result.failed:
            net.print_logs()
    result.attempt("electd-hookd", hookd)
    result.exit()


if __name__ == "__main__":
    main()
