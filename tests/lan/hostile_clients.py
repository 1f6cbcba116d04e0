#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Local clients try to hold up the leader of a LAN. The leader still serves root and keeps the
role.

Only a kernel shows this: the queue of the socket, buffers that no process reads, the uids and
groups of the clients. Each siege lasts until the leader has sent 15 beacons and served root 10
times; then the election must be unchanged. Late beacons are not judged.
"""
import contextlib
import os
import select
import signal
import socket
import struct

import frames
import hooked
import lan
import report
from report import Failed

HOSTS = 3
# Long timings, because four busy users on two processors may keep a daemon from running for some
# time.
TIMING = "timing = { beacon_interval_ms = 200; dead_after_ms = 2000; };"
BEACONS, SERVED = 15, 10
USERS = 1000, 1001, 1002, 1003
CONNECTIONS = 8     # of each user
ADMINS = 4242       # id of the group electd-admin, which this test makes

STATUS = b'{"method":"io.electd.GetStatus"}\0'
HISTORY = b'{"method":"io.electd.GetHistory"}\0'
SUBSCRIBE = b'{"method":"io.electd.Subscribe","more":true}\0'
DEEP = b'{"method":"x","parameters":' + b"[" * 65000 + b"\0"
WIDE = (b'{"method":"io.electd.GetStatus","parameters":{' +
        b",".join(b'"%d":[{},{},[]]' % n for n in range(3000)) + b"}}\0")
DEFINE = [b'{"method":"io.electd.Define","parameters":{"definition":"%s"}}\0' % text
          for text in (b"YWFh", b"YmJi")]
WAIT = b'{"method":"io.electd.Wait","parameters":{"for":"members","count":1000}}\0'


# ---- clients: each is called again and again, and expects to be cut off --------------------------

def connected(path):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(0.2)
    s.connect(path)
    return s


def come_and_go(path):
    with connected(path) as s:
        s.setblocking(False)
        s.send(STATUS)


def write_slowly(path):
    """Occupies all places, and sends a byte each 20 ms until it is cut off."""
    held = [connected(path) for _ in range(CONNECTIONS)]
    for byte in STATUS[:-1]:
        for s in held:
            s.send(bytes([byte]))
        select.select(held, [], [], 0.02)


def never_read(path):
    held = [connected(path) for _ in range(CONNECTIONS)]
    for number, s in enumerate(held):
        s.setblocking(False)
        s.send(SUBSCRIBE if number % 2 else STATUS * 100)
    while True:
        _, writable, _ = select.select([], held, [], 1)
        for s in writable:
            with contextlib.suppress(BlockingIOError):
                s.send(STATUS * 50)


def half_closed(path):
    for request in (STATUS, SUBSCRIBE, WAIT, STATUS[:10]):
        with connected(path) as s:
            s.send(request)
            s.shutdown(socket.SHUT_WR)
            while s.recv(65536):
                pass


def huge(path):
    with connected(path) as s:
        piece = b"a" * (1 << 20)
        for _ in range(1 << 10):
            s.sendall(piece)


def flood(path):
    """Sends requests until it is cut off, of another kind on each connection."""
    requests = STATUS * 100, HISTORY * 100, DEEP, WIDE
    rest = {connected(path): b"" for _ in range(CONNECTIONS)}
    kind = {s: requests[number % len(requests)] for number, s in enumerate(rest)}
    for s in rest:
        s.setblocking(False)
    while rest:
        readable, writable, _ = select.select(rest, rest, [], 1)
        for s in {*readable, *writable}:
            try:
                if s in readable and not s.recv(1 << 20):
                    raise ConnectionResetError
                if s in writable:
                    rest[s] = rest[s] or kind[s]
                    rest[s] = rest[s][s.send(rest[s]):]
            except BlockingIOError:
                pass
            except OSError:
                del rest[s]


def hold_places(path):
    held = []
    while True:
        with contextlib.suppress(OSError):
            s = connected(path)
            s.sendall(WAIT)
            held.append(s)
        readable, _, _ = select.select(held, [], [], 0.001 if len(held) < 2 * CONNECTIONS else 0.01)
        held = [s for s in held if s not in readable]


KINDS = come_and_go, write_slowly, never_read, half_closed, huge, flood


def as_user(uid, gid, action):
    """Runs action() in a process of that user, which exits with its result, a number below 100."""
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        try:
            os.setgroups([])
            os.setgid(gid)
            os.setuid(uid)
            os._exit(action())
        except BaseException as e:  # pylint: disable=broad-except
            print(e, flush=True)
            os._exit(100)
    return pid


@contextlib.contextmanager
def attackers(path, action):
    """Runs the action as each user; all may connect, so a failure is a refusal by electd."""
    def attack():
        if not os.access(path, os.R_OK | os.W_OK):
            raise Failed("%s is closed to user %d" % (path, os.getuid()))
        while True:
            with contextlib.suppress(OSError):
                action(path)
    pids = [as_user(user, user, attack) for user in USERS]
    try:
        yield
        ended = [pid for pid in pids if os.waitpid(pid, os.WNOHANG)[0]]
        if ended:
            raise Failed("%d attackers have ended" % len(ended))
    finally:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def as_root(host, request):
    """Sends a request as root; connect() may wait in a full queue as long as a send may."""
    with socket.socket(socket.AF_UNIX) as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", int(lan.PATIENCE), 0))
        s.connect(host.socket_path)
        s.settimeout(lan.PATIENCE)
        s.sendall(request)
        answer = s.recv(65536)
    if not answer.startswith(b'{"parameters":'):
        raise Failed("root gets %s" % answer[:80])


def siege(net, action):
    leader, mark = net.leader(), net.mark()
    before = leader.view["group"]
    served = beacons = 0

    def is_over():
        nonlocal served, beacons
        as_root(leader, STATUS)
        as_root(leader, DEFINE[served % 2])     # sends an event to each subscriber
        served += 1
        beacons += sum(host is leader and name == "AYCoord"
                       for host, _, name, _ in sniffer.drain())
        return served >= SERVED and beacons >= BEACONS
    with contextlib.closing(frames.Sniffer(net)) as sniffer, attackers(leader.socket_path, action):
        lan.until("%d beacons in the siege" % BEACONS, is_over)
    for _, host, event in net.since(mark):
        if event["event"] in ("leader", "follower", "none"):
            raise Failed("%s on %s" % (event["event"], host.name))
    if leader.call("io.electd.GetStatus")["group"] != before:
        raise Failed("another group")


def hookd_comes(net):
    """electd-hookd connects among thousands of connections: its script begins."""
    leader = net.leader()
    hooks = hooked.Hooked(leader, hooks=(hooked.FIRST,))
    try:
        with attackers(leader.socket_path, come_and_go):
            hooks.start()
            hooks.wait("it leads", lambda run: run.event == "leader")
    finally:
        if hooks.process:
            hooks.end()
        hooks.forget()


def give_name():
    """Makes a group of administrators for programs that read /etc from now on."""
    with open("/etc/group") as f, open("/run/group", "w") as copy:
        copy.write(f.read() + "electd-admin:x:%d:\n" % ADMINS)
    lan.run("mount", "--bind", "/run/group", "/etc/group")


def places(net):
    """Four users hold all they can: others are answered, and a refusal never exits with 1."""
    leader = net.leader()

    def is_leader(uid, gid=65534):
        pid = as_user(uid, gid, lambda: leader.electctl("-q", "is-leader").returncode)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with attackers(leader.socket_path, hold_places):
        lan.until("a user that holds its share is refused", lambda: is_leader(USERS[-1]) == 9)
        for number in range(10):
            for who, code in (("another user", is_leader(2000 + number)), ("root", is_leader(0, 0)),
                              ("electd-admin", is_leader(3000, ADMINS))):
                if code:
                    raise Failed("%s: electctl is-leader exits %d" % (who, code))
            code = is_leader(USERS[-1])
            if code not in (0, 9):
                raise Failed("the user that holds its share: electctl is-leader exits %d" % code)


def main():
    result = report.Report()
    lan.setup()
    hooked.setup()
    give_name()
    with lan.Lan(HOSTS, TIMING) as net:
        os.chmod(net.dir, 0o755)
        for host in net.hosts:
            os.chmod(host.dir, 0o755)
        net.start()
        net.settle()
        for action in KINDS:
            result.attempt(action.__name__, siege, net, action)
        result.attempt("electd-hookd among the clients", hookd_comes, net)
        result.attempt("places are shared", places, net)
    result.exit()


if __name__ == "__main__":
    main()
