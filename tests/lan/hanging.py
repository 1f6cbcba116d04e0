#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What hangs around a leader: a name service, the terminal that it was started in, a disk at a reload.

hanging.py [PAIRS]. Each hangs for longer than the others wait for a leader, while the leader has a
reason to use it. The first two change no role. The third does, for the loop waits for the disk: then
there are never two leaders, and the one that hung follows when the disk is back.

With PAIRS it also prints how long the leader's loop waits while the kernel deletes a namespace with so
many pairs of veths under RTNL, its lock of all links. Nothing is asserted of that.
"""
import os
import pty
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import lan
import report
from report import Failed

HOSTS = 3
HANGS = 3.0       # five times what others wait for a leader
LINES = 2000      # more than any terminal keeps


def make_leader(net, host):
    net.settle()
    if net.leader() is not host:
        net.leader().call("io.electd.Resign", **{"for": 1, "to": host.name})
    net.wait("it leads", lambda: net.led() and net.leader() is host)
    time.sleep(1.0)    # until the others may lead again


def unchanged(net, mark, leader):
    """No role has changed since then."""
    time.sleep(lan.DEAD_AFTER + 2 * lan.BEACON)
    roles = [e for e in net.since(mark) if e[2]["event"] in ("leader", "follower", "none")]
    if roles or net.leader() is not leader:
        raise Failed("a role changed: %s" % lan.describe(roles[0]))


class SilentNames:
    """In place of nscd(8), whose socket the C library asks first: takes questions, answers none."""

    PATH = "/run/nscd/socket"

    def __init__(self):
        os.makedirs(os.path.dirname(self.PATH), exist_ok=True)
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(self.PATH)
        self.socket.listen()
        self.clients = []
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                self.clients.append(self.socket.accept())
            except OSError:
                return

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        os.unlink(self.PATH)


def names(net):
    """A reload whose port is taken says whose it is."""
    leader, mark = net.leader(), net.mark()
    holder = subprocess.Popen(
        ["nsenter", "--net=/run/netns/" + leader.name, "python3", "-c",
         "import socket, time; s = socket.socket(2, 2); s.bind(('', 7600)); print(flush=True);"
         " time.sleep(600)"], stdout=subprocess.PIPE)
    holder.stdout.readline()
    silent = SilentNames()
    leader.write_config('network = { unicast_ports = "7600-7600"; };')
    error, reply = leader.ask("io.electd.Reload")
    leader.write_config()
    holder.kill()
    holder.wait()
    silent.close()
    words = reply.get("message", str(reply))
    if error != "io.electd.ConfigInvalid" or "of user root" not in words:
        raise Failed("%s %s" % (error, reply))
    if silent.clients:
        raise Failed("a name service was asked")
    unchanged(net, mark, leader)
    return "nobody was asked"


def terminal(net):
    """The session's connection hangs: the terminal's other end is open, and nobody reads there."""
    host = net.leader()
    host.stop()
    master, slave = pty.openpty()
    host.starts.append(lan.now())
    host.process = subprocess.Popen(host.command("--log-level", "debug"), stdin=slave,
                                    stdout=slave, stderr=slave)
    os.close(slave)
    net.wanted(host)
    make_leader(net, host)
    mark = net.mark()
    for _ in range(LINES // 10):
        host.ask("io.electd.Reload")
    unchanged(net, mark, host)
    host.stop()
    os.close(master)
    host.start()
    net.settle()
    return "%d reloads" % (LINES // 10)


def disk(net):
    """The configuration cannot be read for a while; a TERM meanwhile waits as long."""
    host = net.leader()
    host.stop()
    host.start(wrapper=["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-P", host.config, "-e",
                        "trace=openat", "-e", "inject=openat:delay_enter=%d:when=2+" % (HANGS * 1e6)])
    make_leader(net, host)
    mark, token = net.mark(), host.token()
    host.process.send_signal(signal.SIGHUP)
    others = [h for h in net.hosts if h is not host]
    net.wait("another one leads", lambda: any(
        h.view["role"] == "leader" and h.token() > token for h in others))
    net.settle()
    tokens = [t for _, t in net.leaders_since(mark)]
    if host.view["role"] == "leader" or len(set(tokens)) != len(tokens):
        raise Failed("%s leads, tokens %s" % (net.leader().name, tokens))
    host.process.send_signal(signal.SIGHUP)
    time.sleep(0.2)
    at = lan.now()
    host.stop()
    took = lan.now() - at
    host.start()
    net.settle()
    return "the role passed on once; TERM took %.1f s" % took


class Flaps(threading.Thread):
    """A link of that host changes, so that electd reads all links again and again."""

    def __init__(self, host):
        super().__init__(daemon=True)
        self.host, self.ended = host, threading.Event()

    def run(self):
        words = ["ip", "-n", self.host.name, "link", "set", "dev", "lo", "mtu"]
        size = 1400
        while not self.ended.wait(0.02):
            size = 2900 - size
            lan.run(*words, str(size))


def answers(host, seconds):
    """The longest one."""
    longest, end = 0.0, lan.now() + seconds
    while lan.now() < end:
        at = lan.now()
        host.call("io.electd.GetStatus")
        longest = max(longest, lan.now() - at)
        time.sleep(0.005)
    return longest


def links(net, pairs):
    """The kernel deletes a namespace in the background, and holds the lock once for all its links."""
    net.settle()
    host, mark = net.leader(), net.mark()
    flaps = Flaps(host)
    flaps.start()
    before = answers(host, 2)
    lan.run("ip", "netns", "add", "crowd")
    subprocess.run(["ip", "-n", "crowd", "-batch", "-"], text=True, check=True, input="".join(
        "link add a%d type veth peer name b%d\n" % (n, n) for n in range(pairs)))
    lan.run("ip", "netns", "del", "crowd")
    while_it_goes = answers(host, 5 + pairs / 300)
    flaps.ended.set()
    flaps.join()
    net.settle()
    changes = [e for e in net.since(mark) if e[2]["event"] == "leader"]
    print("    %d pairs: the longest answer %.0f ms, before %.0f ms; %d changes of the leader" % (
        pairs, while_it_goes * 1000, before * 1000, len(changes)))


def main():
    result = report.Report()
    lan.setup()
    with lan.Lan(HOSTS) as net:
        net.start()
        net.settle()
        result.attempt("name service", names, net)
        result.attempt("terminal", terminal, net)
        if shutil.which("strace"):
            result.attempt("configuration", disk, net)
        if len(sys.argv) > 1:
            links(net, int(sys.argv[1]))
    result.exit()


if __name__ == "__main__":
    main()
