#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A peer program does not answer: the service manager, a terminal or a name service.

Only a kernel shows this: the full queue of a socket, the full buffer of a terminal, and a socket of
the C library that accepts and stays silent. electd answers all the same, and no role changes. The
notifications are judged when the service manager reads again."""
import contextlib
import os
import pty
import signal
import socket
import subprocess
import time

import hooked
import lan
import report
import unread
from hooked import SECOND, check

HOSTS = 3
RELOADS = 200     # with a debug log, longer than the buffer of any terminal
PIECE = 4096      # does not fit into a terminal's full buffer
# Short, so that its notifications come soon.
WATCHDOG_US = 200000


class Manager:
    """A NOTIFY_SOCKET that the test reads; before, its queue is full of meaningless words."""

    def __init__(self, name):
        self.path = "/run/" + name
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        self.socket.setblocking(False)

    def fill(self):
        unread.fill(self.path)

    def read(self):
        words = []
        with contextlib.suppress(BlockingIOError):
            while True:
                words.append(self.socket.recv(65536).decode())
        return [w for w in words if w != unread.WORDS.decode()]

    def until(self, first, times=1):
        """Reads until that many notifications begin so, and returns all of them."""
        words, end = [], lan.now() + lan.PATIENCE
        while sum(w.startswith(first) for w in words) < times:
            check(lan.now() < end, "the manager does not get %s, but %s", first, words)
            words += self.read()
            time.sleep(0.01)
        return words

    def start(self, host):
        os.environ["NOTIFY_SOCKET"] = self.path
        try:
            host.start()
        finally:
            del os.environ["NOTIFY_SOCKET"]


def states(words):
    return [w.split("\n")[0] for w in words if w.startswith(("RELOADING", "READY", "STOPPING"))]


def unchanged(net, mark, leader):
    """The leader still leads, and no role has changed since then."""
    net.settle()
    roles = [e for e in net.since(mark) if e[2]["event"] in ("leader", "follower", "none")]
    check(not roles and net.leader() is leader, "a role changed: %s",
          roles and lan.describe(roles[0]))


# ---- the service manager ------------------------------------------------------------------------


def reload(net, manager):
    """systemd waits for the answer of ExecReload= and for READY; electd waits for neither."""
    leader, mark = net.leader(), net.mark()
    manager.read()
    manager.fill()
    leader.write_config("priority = 101;")
    leader.call("io.electd.Reload")
    leader.call("io.electd.GetStatus")
    words = states(manager.until("READY=1"))
    check(words == ["RELOADING=1", "READY=1"], "the manager has %s", words)
    unchanged(net, mark, leader)


def stop(net, manager):
    """STOPPING is never read: electd ends all the same, and another host leads."""
    leader = net.leader()
    manager.fill()
    leader.stop()
    net.settle()
    words = states(manager.read())
    check(not words, "the manager has %s", words)


def start(net, manager):
    """electd is a member before the queue is read; READY comes afterwards, once."""
    host = next(h for h in net.hosts if not h.process)
    manager.fill()
    manager.start(host)
    net.settle()
    words = states(manager.until("READY=1"))
    check(words == ["READY=1"], "the manager has %s", words)


def hookd():
    """A promotion and a demotion do not wait for the manager. A manager that reads gets the
    watchdog's words, and requests for more time during a demotion."""
    manager = Manager("notify-hookd")
    with lan.Lan(1, hooked.QUICK) as net:
        host, one = net.hosts[0], hooked.Hooked(net.hosts[0])
        net.start()
        manager.fill()
        one.start(NOTIFY_SOCKET=manager.path, WATCHDOG_USEC="%d" % WATCHDOG_US)
        run = one.wait_event("leader")
        host.stop()
        one.wait("its demotion", lambda r: r.event in hooked.DEMOTIONS and r.begin > run.begin
                 and r.name == SECOND and r.end)
        words = manager.until("STATUS=stop, 2 scripts ran")
        check(words[0] == "READY=1" and sum(w.startswith("STATUS=") for w in words) <= 2,
              "the manager has %s", words)
        host.start()
        one.wait_event("leader", run.end)
        manager.until("WATCHDOG=1", 3)
        one.install(SECOND, "#!/bin/sh\nuntil [ -e /run/goes-on ]; do sleep 0.1; done\n")
        one.send(signal.SIGTERM)
        words = manager.until("EXTEND_TIMEOUT_USEC=", 3)
        check(states(words) == ["STOPPING=1"], "the manager has %s", words)
        with open("/run/goes-on", "w"):
            pass
        check(one.end() == 0, "it does not end well: %s", one.log())
        one.forget()


# ---- a terminal, a name service -----------------------------------------------------------------


def terminal():
    """The session's connection hangs: no process reads the other end of the terminal."""
    with lan.Lan(HOSTS) as net:
        host = net.hosts[0]
        master, slave = pty.openpty()
        host.process = subprocess.Popen(host.command("--log-level", "debug"), stdin=slave,
                                        stdout=slave, stderr=slave)
        other_end = os.open(os.ttyname(slave), os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
        os.close(slave)
        net.wanted(host)
        net.wait("it leads", lambda: net.agreed([host]))
        for other in net.hosts[1:]:
            other.start()
        net.settle()
        mark = net.mark()
        for _ in range(RELOADS):
            host.call("io.electd.Reload")
        with contextlib.suppress(BlockingIOError):
            check(os.write(other_end, bytes(PIECE)) < PIECE, "the terminal is not full")
        os.close(other_end)
        unchanged(net, mark, host)
        host.stop()
        net.settle()
        os.close(master)


def name_service(net):
    """A reload to a port that is taken names the port's user, without a name service such as
    nscd(8), whose socket the C library tries first."""
    path = "/run/nscd/socket"
    os.makedirs(os.path.dirname(path))
    leader, mark = net.leader(), net.mark()
    holder = subprocess.Popen(
        ["nsenter", "--net=/run/netns/" + leader.name, "python3", "-c",
         "import socket, sys; s = socket.socket(2, 2); s.bind(('', 7600)); print(flush=True);"
         " sys.stdin.read()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    holder.stdout.readline()
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(path)
        silent.listen()
        leader.write_config('network = { unicast_ports = "7600-7600"; };')
        error, reply = leader.ask("io.electd.Reload")
        leader.write_config()
        silent.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            silent.accept()
            check(False, "a name service was asked")
    holder.communicate()
    check(error == "io.electd.ConfigInvalid" and "of user root" in str(reply),
          "%s %s", error, reply)
    unchanged(net, mark, leader)


def main():
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
        for attempt in reload, stop, start:
            result.attempt("service manager, " + attempt.__name__, attempt, net, manager)
        result.attempt("name service", name_service, net)
    result.attempt("service manager, electd-hookd", hookd)
    result.attempt("terminal", terminal)
    result.exit()


if __name__ == "__main__":
    main()
