#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the system calls of both event loops, under storms, with the list in blocking.txt.

blocking.py [SECONDS [SEED]] (default 60). Five hosts run electd and electd-hookd; their
systemctl(1) only writes down its calls. strace(1) follows one electd and one electd-hookd from
their start, so the program knows of each descriptor whether it can block. A call is wrong if
blocking.txt does not list it, if it reads, writes or connects with a descriptor that can block, or
if it opens a file that may be on a disk. No rule depends on time, so the speed of the machine does
not matter. The times in the tables are for information.

blocking.py --judge DAEMON FILE judges a file that `strace -T` has written, and runs nothing.
"""
import base64
import collections
import json
import os
import random
import re
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

import frames
import hooked
import lan
import report
from report import Failed

HOSTS, WATCHERS, ASKERS = 5, 40, 20
RULES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "blocking.txt")
SHOWN = 3    # reasons that are printed for one wrong call


# ---- the trace -----------------------------------------------------------------------------------


class Call:
    LINE = re.compile(r"^(\w+)\((.*)\) += (-?\w+)([^<]*)(?:<([0-9.]+)>)?$")

    def __init__(self, found):
        self.name, self.text, result, _, seconds = found.groups()
        self.result = int(result, 0) if re.match(r"-?\d|0x", result) else None
        self.seconds = float(seconds or 0)

    @classmethod
    def of(cls, line):
        """None: a signal or the end. A call that never returned has no result."""
        found = cls.LINE.match(line)
        return cls(found) if found else None

    def number(self, index=0):
        """An argument that is a number, mostly a descriptor; None: not a number."""
        words = self.text.split(", ")
        found = re.match(r"(-?\d+)", words[index]) if index < len(words) else None
        return int(found[1]) if found else None

    def has_paths(self):
        """In other calls, text in quotes is data."""
        return self.name not in ("read", "write", "pread64", "pwrite64", "getdents64")

    def paths(self):
        return re.findall(r'"((?:[^"\\]|\\.)*)"', self.text)

    def __str__(self):
        return "%s(%s) = %s" % (self.name, self.text[:150], self.result)


class Descriptors:
    """The descriptors of one process since its start: can a call with one of them block?"""

    MAKERS = {"socket", "accept4", "eventfd2", "timerfd_create", "signalfd4", "epoll_create1",
              "inotify_init1"}
    PAIRS = {"pipe2": 0, "socketpair": 3}

    def __init__(self):
        self.known = {0: "stdin", 1: "stdout", 2: "stderr"}    # descriptor: what it is
        self.blocking = {0, 1, 2}

    def put(self, fd, what, blocking):
        self.known[fd] = what
        (self.blocking.add if blocking else self.blocking.discard)(fd)

    def copy(self, old, new):
        self.put(new, self.known.get(old, "unknown"), old in self.blocking)

    def follow(self, call):
        name, result = call.name, call.result
        if name == "close":
            self.known.pop(call.number(), None)
        if result is None or result < 0:
            return
        if name in self.MAKERS:
            self.put(result, "%s(%s)" % (name, call.text), "NONBLOCK" not in call.text)
        elif name in self.PAIRS:
            for fd in map(int, re.findall(r"\d+", re.search(r"\[([^\]]*)\]", call.text)[1])):
                self.put(fd, name, "NONBLOCK" not in call.text)
        elif name == "memfd_create":
            self.put(result, "memory", False)
        elif name == "pidfd_open":
            self.put(result, "pidfd", True)
        elif name == "openat":
            path = self.paths(call)[0]
            # A pipe or a terminal that is opened again; O_NONBLOCK has no effect on a regular file.
            self.put(result, "file " + path, not (
                path.startswith("/proc/self/fd/") and "O_NONBLOCK" in call.text))
        elif name in ("dup2", "dup3"):
            self.copy(call.number(), result)
        elif name == "dup" or (name == "fcntl" and "F_DUPFD" in call.text):
            self.copy(call.number(), result)
        elif name == "fcntl" and "F_SETFL" in call.text:
            self.put(call.number(), self.known.get(call.number(), "unknown"),
                     "O_NONBLOCK" not in call.text)

    def what(self, fd):
        return self.known.get(fd, "a descriptor that the trace has not seen")

    def paths(self, call):
        folder = self.what(call.number()).removeprefix("file ")
        return [path if path.startswith("/") else folder + "/" * bool(path) + path
                for path in call.paths() if call.has_paths()]


# ---- the rules -----------------------------------------------------------------------------------


class Rules:
    def __init__(self, daemon):
        self.calls = collections.defaultdict(list)    # name: [(kind, pattern, reason)]
        with open(RULES) as f:
            for line in f:
                if not line.strip() or line.startswith("#"):
                    continue
                who, names, kind, pattern, reason = line.rstrip("\n").split(None, 4)
                if who in (daemon, "both"):
                    for name in names.split(","):
                        self.calls[name].append((kind, re.compile("" if pattern == "-" else pattern),
                                                 reason))

    def judge(self, call, descriptors):
        """(kind of the rule that allows the call, None) or (None, why the call is wrong)"""
        why = "not in blocking.txt"
        for kind, pattern, _ in self.calls.get(call.name, ()):
            fits, because = getattr(self, kind)(call, pattern, descriptors)
            if fits:
                return kind, None
            why = because
        return None, why

    @staticmethod
    def waits(call, pattern, descriptors):
        return pattern.search(call.text), "its arguments are not those that may wait"

    @staticmethod
    def never(call, pattern, descriptors):
        return pattern.search(call.text), "not with these arguments"

    kernel = lock = never

    @staticmethod
    def descriptor(call, pattern, descriptors):
        fd = call.number()
        what = descriptors.what(fd)
        if pattern.search(what) and (fd not in descriptors.blocking or
                                     "MSG_DONTWAIT" in call.text):
            return True, None
        return False, "%s can block" % what

    @staticmethod
    def memory(call, pattern, descriptors):
        """Judges the paths that the call names, or the file of its descriptor."""
        where = descriptors.paths(call) or [descriptors.what(call.number())]
        return all(pattern.search(path) for path in where), "%s may be on a disk" % where

    disk = memory


class Trace:
    """The calls of one daemon's event loop thread, from its first wait on."""

    def __init__(self, daemon, path):
        self.rules, self.descriptors = Rules(daemon), Descriptors()
        self.calls = collections.defaultdict(list)    # (name, kind): seconds
        self.wrong = collections.defaultdict(list)    # (name, why): calls
        looping = False
        with open(path, errors="replace") as f:
            for line in f:
                call = Call.of(line.rstrip("\n"))
                if not call:
                    continue
                looping = looping or call.name == "epoll_wait"
                if looping:
                    self.take(call)
                self.descriptors.follow(call)
        if not looping:
            raise Failed("%s: the loop has not begun" % path)

    def take(self, call):
        kind, why = self.rules.judge(call, self.descriptors)
        self.calls[call.name, kind or "wrong"].append(call.seconds)
        if why:
            self.wrong[call.name, why].append(call)

    def print(self, daemon):
        print("    %s: call, rule, calls, all together, the longest" % daemon)
        order = sorted(self.calls.items(), key=lambda item: (item[0][1] != "waits", -max(item[1])))
        for (name, kind), seconds in order:
            print("      %-18s %-10s %8d %9.3f s %8.3f ms" % (
                name, kind, len(seconds), sum(seconds), max(seconds) * 1000))

    def judge(self):
        names = sorted({name for name, _ in self.wrong})
        for name in names:
            for why, calls in [(w, c) for (n, w), c in self.wrong.items() if n == name][:SHOWN]:
                print("    %s, %d times: %s" % (name, len(calls), why))
                print("      for example %s" % calls[0])
        if names:
            raise Failed("these calls can block, or are not in blocking.txt: %s" % (
                ", ".join(names)))
        return "%d calls, of %d kinds" % (sum(map(len, self.calls.values())),
                                          len({name for name, _ in self.calls}))


# ---- the daemons ---------------------------------------------------------------------------------


def traced(path):
    """The tracer is a grandchild, so that the process that a test starts is the daemon."""
    return ["strace", "-D", "-ff", "-qq", "-T", "-s", "48", "-o", path]


def fill(stream):
    os.set_blocking(stream, False)
    try:
        while True:
            os.write(stream, b"x" * 4096)
    except BlockingIOError:
        os.set_blocking(stream, True)


class Manager(threading.Thread):
    """Reads the notifications, so that a wait for the manager ends, and shows in the trace."""

    PATH = "/run/manager"

    def __init__(self):
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.PATH)
        self.start()

    def run(self):
        while True:
            self.socket.recvmsg(4096, socket.CMSG_SPACE(4 * 8))


class DeafJournal:
    """A journal that reads nothing: both of its sockets are full and stay full."""

    PATH = "/run/systemd/journal/socket"

    def __init__(self):
        os.makedirs(os.path.dirname(self.PATH), exist_ok=True)
        self.entries = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.entries.bind(self.PATH)
        self.stderr, self.unread = socket.socketpair()
        fill(self.stderr.fileno())
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as writer:
            writer.connect(self.PATH)
            fill(writer.fileno())

    def environment(self):
        st = os.fstat(self.stderr.fileno())
        return {"JOURNAL_STREAM": "%d:%d" % (st.st_dev, st.st_ino)}


class Storm:
    """Does one thing after another to a LAN that includes the traced host."""

    def __init__(self, world, chance):
        self.world, self.net, self.chance = world, world.net, chance
        self.count = collections.Counter()
        self.traced = self.net.hosts[0]
        self.sniffer = frames.Sniffer(self.net)
        self.injector = frames.Injector(self.traced.port)
        self.frame = None

    def leads(self):
        return next((h for h in self.net.running() if h.view and h.view["role"] == "leader"), None)

    def kill(self):
        host = self.leads()
        if not host or host is self.traced:
            host = self.chance.choice(self.net.hosts[1:])
        host.kill()
        time.sleep(self.chance.uniform(0, 1.5))
        host.start()

    def resign(self):
        host = self.leads()
        if host:
            host.ask("io.electd.Resign", **{"for": 1})

    def prefer(self):
        """Makes the traced host lead, so that its hooks run and its copy is made."""
        for host in self.net.hosts[1:]:
            host.ask("io.electd.Resign", **{"for": 2})

    def split(self):
        hosts = self.chance.sample(self.net.hosts, HOSTS)
        at = self.chance.randint(1, HOSTS - 1)
        self.net.split(hosts[:at], hosts[at:])
        time.sleep(self.chance.uniform(0.1, 2))
        self.net.heal()

    def reload(self):
        host = self.chance.choice([self.traced, self.traced, *self.net.hosts])
        host.write_config(self.chance.choice((
            hooked.QUICK, "priority = %d;" % self.chance.randint(1, 255), "no such key;",
            'network = { unicast_ports = "76%02d-7699"; };' % self.chance.randint(0, 50),
            "timing = { beacon_interval_ms = 150; };")))
        host.ask("io.electd.Reload")
        host.write_config(hooked.QUICK)

    def hang_up(self):
        self.traced.process.send_signal(1)
        self.world.hooked[self.traced].send(1)

    def flap(self):
        host = self.chance.choice(self.net.hosts[:2])
        lan.run("ip", "-n", host.name, "link", "set", "dev", "eth0", "down")
        time.sleep(self.chance.uniform(0, 0.5))
        lan.run("ip", "-n", host.name, "link", "set", "dev", "eth0", "up")
        host.route()

    def addresses(self):
        more = "10.77.%d.1/24" % self.chance.randint(1, 200)
        for verb in "add", "del":
            lan.run("ip", "-n", self.traced.name, "addr", verb, more, "dev", "eth0", check=False)
            time.sleep(self.chance.uniform(0, 0.1))

    def links(self):
        words = ["link add x%d type veth peer name y%d" % (n, n) for n in range(20)]
        words += ["link del x%d" % n for n in range(20)]
        subprocess.run(["ip", "-n", self.traced.name, "-batch", "-"], input="\n".join(words),
                       text=True, check=True)

    def rubbish(self):
        for host, to_all, _, frame in self.sniffer.drain():
            if host is not self.traced and to_all and frame[12:14] == frames.IPV4:
                self.frame = frame
        if not self.frame:
            return
        payload = frames.payload_of(self.frame)
        for _ in range(300):
            at = self.chance.randrange(4, len(payload))
            bad = payload[:at] + self.chance.randbytes(1) + payload[at + 1:]
            self.injector.send(frames.frame_with(
                self.frame, bad[:self.chance.choice((len(bad), at))],
                ttl=self.chance.choice((255, 254))))

    def define(self):
        host = self.leads()
        if host:
            host.ask("io.electd.Define", definition=base64.b64encode(
                self.chance.randbytes(self.chance.choice((0, 100, 4096)))).decode())

    def hooks(self):
        one = self.chance.choice(list(self.world.hooked.values()))
        one.do(self.chance.choice(("leader", "follower")), self.chance.choice((0, 50, 400)),
               self.chance.choice((0, 0, 1)))

    def disk(self):
        """Removes the files that the writers maintain."""
        shutil.rmtree(self.traced.state_dir, ignore_errors=True)

    KINDS = ("kill", "resign", "prefer", "split", "reload", "hang_up", "flap", "addresses", "links",
             "rubbish", "define", "hooks", "disk")

    def run(self, seconds):
        end = lan.now() + seconds
        while lan.now() < end:
            kind = self.chance.choice(self.KINDS)
            self.count[kind] += 1
            try:
                getattr(self, kind)()
            except OSError:    # the host that was asked has just ended
                pass
            time.sleep(self.chance.uniform(0, 0.6))


class Clients(threading.Thread):
    """Clients of the traced electd: some watch, a fourth of them without reading; others ask."""

    QUESTIONS = [json.dumps({"method": "io.electd." + method, "parameters": given}).encode() + b"\0"
                 for method, given in (
                     ("GetStatus", {}), ("GetMetrics", {}), ("GetHistory", {}), ("GetTimes", {}), ("Doctor", {}),
                     ("GetKeys", {}), ("GetHooks", {}), ("GetHealth", {}), ("GetMembers", {}),
                     ("Wait", {"for": "leader", "timeout_ms": 50}), ("NoSuchMethod", {}),
                     ("Report", {"name": "x", "well": True}), ("Forget", {"name": "x"}),
                     ("SetPriority", {"priority": 100}), ("GetStatus", {"x": 1}))]

    def __init__(self, path, chance):
        super().__init__(daemon=True)
        self.path, self.chance, self.ended = path, chance, threading.Event()
        self.clients = {}
        self.answers = 0

    def connect(self, watches):
        client = socket.socket(socket.AF_UNIX)
        client.connect(self.path)
        if watches:
            client.send(b'{"method":"io.electd.Subscribe","more":true}\0')
        client.setblocking(False)
        self.clients[client] = watches

    def end(self, client):
        self.clients.pop(client)
        client.close()

    def ask(self):
        for client in [c for c, watches in self.clients.items() if not watches]:
            if self.chance.random() < 0.2:
                self.end(client)
                continue
            try:
                client.send(self.chance.choice(self.QUESTIONS))
            except OSError:
                self.end(client)

    def read(self):
        deaf = list(self.clients)[::4]
        ready, _, _ = select.select([c for c in self.clients if c not in deaf], [], [], 0.2)
        for client in ready:
            try:
                data = client.recv(1 << 20)
            except OSError:
                data = b""
            self.answers += data.count(b"\0")
            if not data:
                self.end(client)

    def run(self):
        while not self.ended.is_set():
            watchers = sum(self.clients.values())
            try:
                for _ in range(WATCHERS - watchers):
                    self.connect(True)
                for _ in range(ASKERS - (len(self.clients) - watchers)):
                    self.connect(False)
            except OSError:
                time.sleep(0.1)
            self.ask()
            self.read()
            time.sleep(0.05)

    def stop(self):
        self.ended.set()
        self.join()


class Host(lan.Host):
    """The first host is traced, and its journal reads nothing. It has no node.name, so electd looks
    at the host name."""

    traces = None    # folder

    def __init__(self, *given):
        super().__init__(*given)
        self.route()

    def route(self):
        """A gateway, which does not exist, but is asked when a coordinator is silent."""
        lan.run("ip", "-n", self.name, "route", "add", "default", "via", "10.77.0.254")

    def identify(self):
        super().identify()
        if self.number == 1:
            self.node_name = None

    def start(self, *more, wrapper=(), log_mode="a"):
        if self.number != 1:
            super().start(*more, wrapper=wrapper, log_mode=log_mode)
            return
        self.journal, self.manager = DeafJournal(), Manager()
        self.starts.append(lan.now())
        self.process = subprocess.Popen(
            self.command(*more, wrapper=traced(self.traces + "/electd")), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=self.journal.stderr,
            env={**os.environ, **self.journal.environment(), "NOTIFY_SOCKET": Manager.PATH,
                 "WATCHDOG_USEC": "1000000"})
        self.lan.wanted(self)

    def log(self):
        return ""


def start_hookd(one):
    """Starts electd-hookd with targets. On the traced host it writes its lines into a pipe."""
    name = one.host.name
    more = ["--target", name + "-leader.target", "--online-target", name + "-online.target"]
    if one.host.number != 1:
        one.start(*more)
        return
    pipe = os.path.join(one.host.dir, "stderr")
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDWR)
    threading.Thread(target=lambda: [0 for _ in iter(lambda: os.read(reader, 65536), b"")],
                     daemon=True).start()
    one.start(*more, wrapper=["sh", "-c", 'exec 2>"$0" "$@"', pipe,
                              *traced(one.host.traces + "/electd-hookd")],
              NOTIFY_SOCKET=Manager.PATH)


def storms(world, storm, seconds):
    traced_host = world.net.hosts[0]
    clients = Clients(traced_host.socket_path, random.Random(storm.chance.random()))
    clients.start()
    storm.run(seconds)
    clients.stop()
    world.net.settle()
    pids = traced_host.process.pid, world.hooked[traced_host].process.pid
    world.hooked[traced_host].end()
    traced_host.stop()
    print("    %s; %d answers" % (
        ", ".join("%s %d" % item for item in sorted(storm.count.items())), clients.answers))
    return dict(zip(("electd", "electd-hookd"), pids))


def judge(name, path):
    trace = Trace(name, path)
    trace.print(name)
    return trace.judge()


def main():
    result = report.Report()
    if sys.argv[1:2] == ["--judge"]:
        result.attempt(sys.argv[2], judge, sys.argv[2], sys.argv[3])
        result.exit()
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 31)
    if len(sys.argv) == 2:
        sys.argv.append(str(seed))    # setup() starts this program again inside its namespaces
    if not shutil.which("strace"):
        print("no strace here")
        sys.exit(77)
    lan.setup()
    hooked.setup()
    hooked.fake_systemd()
    print("    seed %d" % seed)
    with tempfile.TemporaryDirectory() as folder:
        Host.traces = os.environ.get("ELECTD_LOGS", folder)
        with hooked.World(HOSTS, start=start_hookd, kind=lambda count, config: lan.Lan(
                count, config, kind=Host)) as world:
            pids = storms(world, Storm(world, random.Random(seed)), seconds)
        for name, pid in pids.items():
            result.attempt(name, judge, name, "%s/%s.%d" % (Host.traces, name, pid))
    result.exit()


if __name__ == "__main__":
    main()
