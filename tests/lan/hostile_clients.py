#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Local clients that do all they can to hold up the leader of a LAN: no beacon is late for it.

hostile_clients.py [SECONDS] (default 3, for each kind of them). The time of each beacon is the
kernel's. Meanwhile root is served, and afterwards nothing has changed in the election.
"""
import os
import random
import select
import socket
import struct
import sys
import time

import frames
import hooked
import lan
from lan import BEACON
import report
from report import Failed

HOSTS = 3
LATE = 1.2 * BEACON + 0.100
ROOT_SERVED = 2.0
RESIDENT_KIB = 6 * 1024 + 8 * 1024 + 4 * 1024  # at rest, all output, all input
USERS = (1000, 1001, 1002, 1003)
CONNECTIONS = 8  # of one user
SO_TIMESTAMPNS = 35

STATUS = b'{"method":"io.electd.GetStatus"}\0'
HISTORY = b'{"method":"io.electd.GetHistory"}\0'
SUBSCRIBE = b'{"method":"io.electd.Subscribe","more":true}\0'
DEEP = b'{"method":"x","parameters":' + b"[" * 65000 + b"\0"
WIDE = (b'{"method":"io.electd.GetStatus","parameters":{' +
        b",".join(b'"%d":[{},{},[]]' % n for n in range(3000)) + b"}}\0")
DEFINE = [b'{"method":"io.electd.Define","parameters":{"definition":"%s"}}\0' % text
          for text in (b"YWFh", b"YmJi")]
WAIT = b'{"method":"io.electd.Wait","parameters":{"for":"members","count":1000}}\0'


# ---- clients; each ends at a time -------------------------------------------------------------


def connected(path):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(0.2)
    s.connect(path)
    return s


def again_and_again(action):
    """action(path) until the end; being cut off is what is expected."""
    def attack(path, end):
        while lan.now() < end:
            try:
                action(path, end)
            except OSError:
                pass
    return attack


def come_and_go(path, end):
    """Thousands of connections."""
    for _ in range(200):
        s = connected(path)
        s.setblocking(False)
        try:
            s.send(STATUS)
        except OSError:
            pass
        s.close()


def come_and_stay(path, end):
    held = [connected(path) for _ in range(CONNECTIONS)]
    time.sleep(max(0, end - lan.now()))
    del held


def write_slowly(path, end):
    held = [connected(path) for _ in range(CONNECTIONS)]
    for byte in STATUS[:-1]:
        for s in held:
            s.send(bytes([byte]))
        time.sleep(0.02)


def never_read(path, end):
    """Subscribers and askers who leave everything unread."""
    held = [connected(path) for _ in range(CONNECTIONS)]
    for number, s in enumerate(held):
        s.setblocking(False)
        s.send(SUBSCRIBE if number % 2 else STATUS * 100)
    while lan.now() < end:
        for s in held:
            try:
                s.send(STATUS * 50)
            except BlockingIOError:
                pass
        time.sleep(0.01)


def half_closed(path, end):
    for request in (STATUS, SUBSCRIBE, WAIT, STATUS[:10]):
        s = connected(path)
        s.send(request)
        s.shutdown(socket.SHUT_WR)
        while s.recv(65536):
            pass


def huge(path, end):
    """A request of 1 GiB, as far as it gets."""
    s = connected(path)
    piece = b"a" * (1 << 20)
    for _ in range(1 << 10):
        s.sendall(piece)


def flood(request):
    """As many requests as it takes, on as many connections as there are, answers read."""
    def action(path, end):
        held = [connected(path) for _ in range(CONNECTIONS)]
        for s in held:
            s.setblocking(False)
        rest = {s: b"" for s in held}
        while lan.now() < end:
            readable, writable, _ = select.select(held, held, [], 0.1)
            for s in readable:
                if not s.recv(1 << 20):
                    raise OSError
            for s in writable:
                try:
                    rest[s] = rest[s] or request
                    rest[s] = rest[s][s.send(rest[s]):]
                except BlockingIOError:
                    pass
    return action


def noise(path, end):
    s = connected(path)
    for _ in range(50):
        s.send(random.randbytes(random.randrange(1, 5000)))


# ---- places -----------------------------------------------------------------------------------

ADMINS = 4242  # a group of this name is made for this test
SUBORDINATE = 200000  # of uid 1003


def as_user(uid, gid, action):
    """What action() returns, a number below 100, in a process of that user."""
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups([])
            os.setgid(gid)
            os.setuid(uid)
            os._exit(action())
        except BaseException as e:  # pylint: disable=broad-except
            print(e, flush=True)
            os._exit(100)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def hold_places(path, end):
    """As many Waits as it gets, taken again as soon as one is lost."""
    held = []
    while lan.now() < end:
        try:
            s = connected(path)
            s.sendall(WAIT)
            held.append(s)
        except OSError:
            pass
        time.sleep(0.001 if len(held) < 2 * CONNECTIONS else 0.01)
        readable, _, _ = select.select(held, [], [], 0)
        held = [s for s in held if s not in readable]


def is_leader(host, uid, gid=65534):
    return as_user(uid, gid, lambda: host.electctl("-q", "is-leader").returncode)


def check_code(what, code, wanted):
    if code != wanted:
        raise Failed("%s: electctl is-leader exits %d, not %d" % (what, code, wanted))


def give_names():
    """A group of administrators and subordinate uids, for whoever reads /etc from here on."""
    for name, line in (("group", "electd-admin:x:%d:" % ADMINS),
                       ("subuid", "1003:%d:65536" % SUBORDINATE)):
        path = "/run/" + name
        with open("/etc/" + name if os.path.exists("/etc/" + name) else os.devnull) as f:
            text = f.read()
        with open(path, "w") as f:
            f.write(text + line + "\n")
        if os.path.exists("/etc/" + name):
            lan.run("mount", "--bind", path, "/etc/" + name)
        elif name == "subuid":
            return False
    return True


def places(net, seconds, subordinate):
    """Four users hold all they can: everybody else is answered, and a no is never a 1."""
    leader = net.leader()
    end = lan.now() + seconds
    pids = fork_attackers(leader.socket_path, hold_places, end)
    asked = refused = 0
    try:
        time.sleep(0.3)  # the attack, not an event that could be waited for
        while lan.now() < end - 0.2:
            asked += 1
            check_code("another user", is_leader(leader, 2000 + asked), 0)
            check_code("root", is_leader(leader, 0, 0), 0)
            check_code("electd-admin", is_leader(leader, 3000, ADMINS), 0)
            # Who holds his share already; his subordinate uids count as he does.
            for uid in (1003, SUBORDINATE + asked) if subordinate else (1003,):
                code = is_leader(leader, uid)
                refused += code == 9
                if code not in (0, 9):
                    check_code("uid %d" % uid, code, 9)
    finally:
        for pid in pids:
            os.waitpid(pid, 0)
    if not refused:
        raise Failed("nobody was ever refused: this was no attack")
    return "%d others answered, %d times refused with 9" % (asked, refused)


# ---- hookd ------------------------------------------------------------------------------------

HOOKD_IN = 1.0


def hookd_comes(net, seconds):
    """electd-hookd finds its way in among thousands of connections: until its script begins."""
    leader = net.leader()
    hooks = hooked.Hooked(leader, hooks=(hooked.FIRST,))
    end = lan.now() + seconds
    pids = fork_attackers(leader.socket_path, come_and_go, end)
    took = []
    try:
        while lan.now() < end:
            begin = lan.now()
            hooks.start()
            run = hooks.wait("it leads", lambda r, at=begin: r.event == "leader" and r.begin > at)
            took.append(run.begin - begin)
            hooks.end()
    finally:
        for pid in pids:
            os.waitpid(pid, 0)
        if hooks.process:
            hooks.end()
        hooks.forget()
    words = "%s, %d times" % (report.statistics(took), len(took))
    if sorted(took)[len(took) // 2] > HOOKD_IN:
        raise Failed(words)
    return words


KINDS = [
    ("thousands of connections", come_and_go),
    ("all places taken", come_and_stay),
    ("slow writers", write_slowly),
    ("slow readers", never_read),
    ("half-closed", half_closed),
    ("a request of 1 GiB", huge),
    ("deep JSON", flood(DEEP)),
    ("wide JSON", flood(WIDE)),
    ("status without a pause", flood(STATUS * 100)),
    ("history without a pause", flood(HISTORY * 100)),
    ("waiting for ever", flood(WAIT)),
    ("noise", noise),
]


def fork_attackers(path, action, end):
    """A process a user; their pids."""
    pids = []
    for user in USERS:
        pid = os.fork()
        if pid == 0:
            try:
                os.setgroups([])
                os.setgid(user)
                os.setuid(user)
                again_and_again(action)(path, end)
            finally:
                os._exit(0)
        pids.append(pid)
    return pids


# ---- beacons ----------------------------------------------------------------------------------


class Beacons(frames.Sniffer):
    """When the leader's beacons went out, by the kernel's own time."""

    def __init__(self, net, leader):
        super().__init__(net)
        self.leader = leader
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)

    def drain_times(self):
        times = []
        while True:
            try:
                frame, control, _, where = self.socket.recvmsg(4096, 256)
            except BlockingIOError:
                return times
            at = 14 + (frame[14] & 15) * 4
            if (where[2] == socket.PACKET_OUTGOING or self.ports.get(where[0]) is not self.leader or
                    frame[12:14] != b"\x08\x00" or frame[at + 8:at + 12] != self.MAGIC or
                    frames.MESSAGES[frame[at + 8 + 5]] != "AYCoord"):
                continue
            seconds, nanoseconds = struct.unpack("qq", control[0][2][:16])
            times.append(seconds + nanoseconds / 1e9)


def as_root(host, request):
    """The answer's beginning, and how long it took; connect() waits where the queue is full."""
    begin = lan.now()
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(host.socket_path)
        s.settimeout(lan.PATIENCE)
        s.sendall(request)
        answer = s.recv(65536)
    if not answer.startswith(b'{"parameters":'):
        raise Failed("root is told %s" % answer[:80])
    return lan.now() - begin


def besiege(net, leader, action, seconds):
    """The longest pause between two beacons, and the longest wait of root."""
    beacons = Beacons(net, leader)
    end = lan.now() + seconds
    pids = fork_attackers(leader.socket_path, action, end)
    times, served, number = [], 0, 0
    try:
        while lan.now() < end:
            time.sleep(0.1)
            number += 1
            times += beacons.drain_times()
            served = max(served, as_root(leader, STATUS))
            # Something to tell the subscribers, an event each time.
            as_root(leader, DEFINE[number % 2])
    finally:
        for pid in pids:
            os.waitpid(pid, 0)
    times += beacons.drain_times()
    beacons.close()
    pauses = [b - a for a, b in zip(times, times[1:])]
    if len(pauses) < seconds / BEACON / 2:
        raise Failed("only %d beacons in %.0f s" % (len(times), seconds))
    return max(pauses), served


def siege(net, action, seconds):
    leader, mark = net.leader(), net.mark()
    before = leader.view["group"]
    pause, served = besiege(net, leader, action, seconds)
    resident, _ = report.memory_kib(leader.process.pid)
    words = "beacons at most %.0f ms apart, root waited %.0f ms at most, resident %d KiB" % (
        pause * 1000, served * 1000, resident)
    if pause > LATE:
        raise Failed("%s: allowed %.0f ms" % (words, LATE * 1000))
    if served > ROOT_SERVED or resident > RESIDENT_KIB:
        raise Failed(words)
    for _, host, event in net.since(mark):
        if event["event"] in ("leader", "follower", "none"):
            raise Failed("%s: %s on %s" % (words, event["event"], host.name))
    if leader.call("io.electd.GetStatus")["group"] != before:
        raise Failed("another group: " + words)
    return words


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 3
    result = report.Report()
    lan.setup()
    hooked.setup()
    subordinate = give_names()
    with lan.Lan(HOSTS) as net:
        os.chmod(net.dir, 0o755)
        for host in net.hosts:
            os.chmod(host.dir, 0o755)
        net.start()
        net.settle()
        for name, action in KINDS:
            result.attempt(name, siege, net, action, seconds)
        result.attempt("electd-hookd among them", hookd_comes, net, max(2, seconds))
        result.attempt("places are shared", places, net, max(2, seconds), subordinate)
    result.exit()


if __name__ == "__main__":
    main()
