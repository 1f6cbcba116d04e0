#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""electd's UDP ports on a booted host, and another user who wants them.

While electd is started anew, or was killed, its sockets stay with systemd: nobody can take a port,
and what has arrived meanwhile is thrown away. If a stranger has the port before electd comes, both
are named. Two instances share the port of the group and have one each of their own.
"""
import ctypes
import errno
import os
import signal
import socket
import threading
import time

import hosts
from hosts import Failed, until
import report

GROUP, OWN = 7543, 7544
NOBODY = 65534
CLONE_NEWNET = 0x40000000


class Stranger:
    """A process of user nobody in the network of a host."""

    def __init__(self, host, work, *args):
        self.read, write = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                with open("/proc/%d/ns/net" % host.leader) as there:
                    if ctypes.CDLL(None).setns(there.fileno(), CLONE_NEWNET):
                        os._exit(1)
                os.setgroups([])
                os.setresgid(NOBODY, NOBODY, NOBODY)
                os.setresuid(NOBODY, NOBODY, NOBODY)
                work(write, *args)
            finally:
                os._exit(1)
        os.close(write)

    def says(self):
        return os.read(self.read, 100).decode()

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.read)


def take(port):
    """None, or why not."""
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        s.bind(("", port))
    except OSError as error:
        s.close()
        return error.errno
    return s


def hold(write, port):
    got = take(port)
    os.write(write, b"no" if isinstance(got, int) else b"ok")
    signal.pause()


def grab(write):
    """Tries all the time, and says when it has got one."""
    os.write(write, b"ok")
    while True:
        for port in GROUP, OWN:
            got = take(port)
            if got != errno.EADDRINUSE:
                os.write(write, b"%d" % port)
                signal.pause()


def inodes(host, unit="electd"):
    """Of the UDP sockets of its electd, by address and port."""
    pid = until("%s runs" % unit, lambda: host.main_pid(unit))
    mine = set()
    for name in os.listdir("/proc/%d/fd" % pid):
        try:
            mine.add(os.readlink("/proc/%d/fd/%s" % (pid, name)))
        except OSError:
            pass
    found = {}
    with open("/proc/%d/net/udp" % pid) as f:
        for line in list(f)[1:]:
            words = line.split()
            if "socket:[%s]" % words[9] in mine:
                address, port = words[1].split(":")
                found[int(port, 16)] = words[9]
    return found


def restarted(lan, how):
    host = lan.hosts[0]
    until("it answers", host.ask)
    before = inodes(host)
    if sorted(before) != [GROUP, OWN]:
        raise Failed("it has the ports %s" % sorted(before))
    stranger = Stranger(host, grab)
    got = []
    try:
        assert stranger.says() == "ok"
        reader = threading.Thread(target=lambda: got.append(stranger.says()), daemon=True)
        reader.start()
        old = host.main_pid("electd")
        how(host)
        until("another electd answers",
              lambda: host.main_pid("electd") not in (None, old) and host.ask())
        after = inodes(host)
    finally:
        stranger.end()
    if got and got[0]:
        raise Failed("somebody else got port %s" % got[0])
    if after != before:
        raise Failed("sockets %s, and then %s" % (before, after))
    until("it leads", host.leads)


def taken(lan, port):
    """Named; and as soon as it is free, electd runs."""
    host = lan.hosts[0]
    host.systemctl("stop", "electd")
    stranger = Stranger(host, hold, port)
    begin = time.time()
    try:
        if stranger.says() != "ok":
            raise Failed("port %d is not free though electd has stopped" % port)
        host.systemctl("--no-block", "start", "electd")
        words = "%d is taken by a process of user nobody" % port

        def said():
            return any(words in entry.get("MESSAGE", "") for entry in host.journal(
                "-u", "electd", "--since", "@%d" % begin))
        until("it says: %s" % words, said)
    finally:
        stranger.end()
    until("it runs", host.ask)


def instances(lan):
    """Two elections on one host; each keeps its own sockets."""
    host = lan.hosts[0]
    host.write("/etc/electd/other.conf", "")
    host.systemctl("start", "electd@other")
    until("the other one answers", lambda: host.ask(domain="other"))
    both = [inodes(host), inodes(host, "electd@other")]
    if GROUP not in both[0] or GROUP not in both[1] or both[0][GROUP] == both[1][GROUP]:
        raise Failed("not a socket each for the group: %s" % both)
    for unit in "electd", "electd@other":
        old = host.main_pid(unit)
        host.systemctl("restart", unit)
        until("%s is another process" % unit, lambda unit=unit, old=old:
              host.main_pid(unit) not in (None, old))
    until("both answer", lambda: host.ask() and host.ask(domain="other"))
    again = [inodes(host), inodes(host, "electd@other")]
    if again != both:
        raise Failed("sockets %s, and then %s" % (both, again))
    host.systemctl("stop", "electd@other")


def main():
    result = report.Report()
    hosts.setup()
    with hosts.Lan(1) as lan:
        host = lan.hosts[0].boot().booted()
        host.run("systemd-sysusers")
        # Every port is wanted by the stranger: one is enough.
        host.write("/etc/electd/electd.conf", 'network = { unicast_ports = "%d-%d"; };' % (
            OWN, OWN + 1))
        host.systemctl("-q", "enable", "--now", "electd")
        result.attempt("restart", restarted, lan, lambda h: h.systemctl("restart", "electd"))
        result.attempt("kill", restarted, lan, lambda h: h.kill("electd"))
        result.attempt("two instances", instances, lan)
        result.attempt("group's port taken", taken, lan, GROUP)
        host.write("/etc/electd/electd.conf", 'network = { unicast_ports = "%d-%d"; };' % (
            OWN, OWN))
        host.systemctl("restart", "electd")
        result.attempt("own port taken", taken, lan, OWN)
    result.exit()


if __name__ == "__main__":
    main()
