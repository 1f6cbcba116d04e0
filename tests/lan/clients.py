#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/clients, and larger workers by the library in C and Python, on three hosts.

clients.py [WORD...]: runs only the attempts with one of these words in their names. Each program
runs on all hosts, is started again when it has ended, as report.service does, and has electd's
socket at its usual path and the host's own name. Meanwhile leadership moves in several ways.

The judge knows only what the programs have written (token and times of CLOCK_BOOTTIME) and the
deadlines that electd has sent, which a holder of the test records on each host. It compares times
that one clock gave, so a slow machine changes no result: a worker writes when it asked and when it
acted, and a step is late only if the library was asked late."""
import bisect
import contextlib
import itertools
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import lan
import report
from report import Failed, Skipped

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "booted"))
import pages  # noqa: E402

TREE = pages.TREE
FOLDER = os.path.join(TREE, "examples/clients")
CONFIG = "timing = { yield_timeout_ms = 2000; };"
SOCKET_FOLDER = "/run/electd"
RESTART = 0.1    # seconds after the end of a program
COPY = 0.1       # after a change, until the copy that would report a crash knows it (will.md)
AGAIN = 0.2      # until a program connects again
LINE_MAX = 200
# A witness prints (time of the event, deadline) in milliseconds, and answers each release.
WITNESS = """
import json, signal, socket
signal.signal(signal.SIGINT, signal.SIG_DFL)
def ask(method, more, **parameters):
    electd = socket.socket(socket.AF_UNIX)
    electd.connect("%s/io.electd")
    electd.sendall(json.dumps({"method": "io.electd." + method, "parameters": parameters,
                               "more": more}).encode() + b"\\0")
    return electd
events, rest, holder = ask("Subscribe", True, hold=True, name="witness"), b"", None
while piece := events.recv(65536):
    *replies, rest = (rest + piece).split(b"\\0")
    for event in (json.loads(reply)["parameters"] for reply in replies):
        holder = event.get("holder", holder)
        print(event["boot_ms"], event["until_boot_ms"] or 0, flush=True)
        if event.get("release") and event["event"] != "release-over":
            ask("Release", False, holder=holder, seq=event["release"]).recv(65536)
""" % SOCKET_FOLDER


# ---- programs on a host --------------------------------------------------------------------------

class Program:
    """A program on one host, which is started again when it has ended. Its output is in a file."""

    def __init__(self, host, name, words, **environment):
        self.host, self.name, self.words = host, name, words
        self.environment = {**os.environ, **environment}
        self.output = os.path.join(host.dir, name)
        self.errors = self.output + ".errors"
        self.wanted, self.starts, self.process = True, 0, None
        self.thread = threading.Thread(target=self.keep, daemon=True)
        self.thread.start()

    def command(self):
        inside = 'mount --bind "$1" %s && hostname "$2" && shift 2 && exec "$@"' % SOCKET_FOLDER
        return ["nsenter", "--net=/run/netns/" + self.host.name, "unshare", "--mount", "--uts",
                "sh", "-c", inside, "sh", self.host.runtime_dir, self.host.name, *self.words]

    def keep(self):
        while self.wanted:
            self.starts += 1
            with open(self.output, "a") as output, open(self.errors, "a") as errors:
                self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL,
                                                stdout=output, stderr=errors, env=self.environment)
            self.process.wait()
            if self.wanted:
                time.sleep(RESTART)

    def send(self, number):
        self.process.send_signal(number)

    def end(self):
        """Ends the program for good, as report.service does; a stopped one continues first."""
        self.wanted = False
        with contextlib.suppress(ProcessLookupError):
            self.send(signal.SIGCONT)
            self.send(signal.SIGINT)
        self.thread.join(lan.PATIENCE)
        if self.thread.is_alive():
            self.send(signal.SIGKILL)
            raise Failed("%s does not end on SIGINT" % self.name)

    def lines(self):
        """(token, asked, acted) of each line, in seconds."""
        return [self.parse(line.split()) for line in report.whole_lines(self.output)]

    def last(self):
        """The last one; None: none yet."""
        with open(self.output, "rb") as f:
            f.seek(max(0, f.seek(0, os.SEEK_END) - LINE_MAX))
            whole = f.read().decode().split("\n")[:-1]
        return self.parse(whole[-1].split()) if whole else None

    @staticmethod
    def parse(words):
        """A line of an example: host, token, seconds since boot, with the digits that it has."""
        at, digits = float(words[2]), len(words[2].partition(".")[2])
        return int(words[1]), at, at + 10 ** -max(2, min(9, digits))

    def last_words(self):
        return report.whole_lines(self.errors)[-3:]


class Worker(Program):
    @staticmethod
    def parse(words):
        """A step of a worker: token, and nanoseconds at the question and at the act."""
        return int(words[0]), int(words[1]) / 1e9, int(words[2]) / 1e9


class Witness(Program):
    @staticmethod
    def parse(words):
        """The time of an event, and its deadline."""
        return int(words[0]) / 1e3, int(words[1]) / 1e3


class World:
    """Three hosts, each with one program and one witness."""

    def __init__(self, kind, name, *words, **environment):
        self.name, self.moves, self.asleep = name, [], 0
        self.net = lan.Lan(3, CONFIG)
        self.net.start()
        self.net.settle()
        hosts = self.net.hosts
        self.witnesses = {h: Witness(h, "witness", [sys.executable, "-c", WITNESS]) for h in hosts}
        for host in hosts:
            self.wait_witness(host, 0)
        self.programs = {h: kind(h, name, words, **environment) for h in hosts}

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        try:
            for program in [*self.programs.values(), *self.witnesses.values()]:
                with contextlib.suppress(Failed):
                    program.end()
                if kind and program.last_words():
                    print("--- %s on %s: %s" % (program.name, program.host.name,
                                                "; ".join(program.last_words())))
        finally:
            self.net.__exit__(kind, value, trace)

    def wait_witness(self, host, after):
        witness = self.witnesses[host]
        lan.until("the witness on %s has an event" % host.name,
                  lambda: (witness.last() or (0, 0))[0] > after)

    def wait_act(self, what, condition):
        """Waits until the last act of a program fulfils the condition on (host, token)."""
        def acted():
            return any(last and condition(host, last[0]) for host, last in
                       [(host, program.last()) for host, program in self.programs.items()])
        lan.until(what, acted)

    def leader(self):
        """The leader and its token, when its program acts under it and each host may lead."""
        lan.until("no host is barred", lambda: all(
            h.call("io.electd.GetStatus")["node"]["barred_ms"] is None for h in self.net.hosts))
        self.net.settle()
        host = self.net.leader()
        token = host.token()
        self.wait_act("%s acts" % host.name, lambda h, t: h is host and t == token)
        return host, token

    @contextlib.contextmanager
    def moving(self, kind):
        """What happens to the leader inside makes another host lead, and the program there act."""
        host, token = self.leader()
        self.moves.append((kind, token))
        yield host
        self.wait_act("another host acts after: %s" % kind,
                      lambda h, t: h is not host and t > token)

    def steps(self):
        """(acted, asked, token, host) of all programs, in the order of the acts."""
        return sorted(((acted, asked, token, host) for host, program in self.programs.items()
                       for token, asked, acted in program.lines()), key=lambda step: step[:3])


# ---- what happens to a leader --------------------------------------------------------------------

def resign(w):
    with w.moving("resign") as host:
        host.resign()


def electd_ends(w, kind, number):
    with w.moving(kind) as host:
        time.sleep(COPY)
        host.end(number)
    at = lan.now()
    host.start()
    w.wait_witness(host, at)
    time.sleep(AGAIN)


def electd_killed(w):
    electd_ends(w, "electd killed", signal.SIGKILL)


def electd_stopped(w):
    electd_ends(w, "electd stopped", signal.SIGTERM)


def electd_frozen(w):
    with w.moving("electd frozen") as host:
        host.process.send_signal(signal.SIGSTOP)
    host.process.send_signal(signal.SIGCONT)


def cable_pulled(w):
    with w.moving("cable pulled") as host:
        lan.run("ip", "link", "set", host.port, "down")
    lan.run("ip", "link", "set", host.port, "up")


def program_frozen(w):
    """Leadership passes on when yield_timeout is over."""
    with w.moving("program frozen") as host:
        w.programs[host].send(signal.SIGSTOP)
        host.resign()
    w.programs[host].send(signal.SIGCONT)


def program_killed(w):
    """The new process acts at once. A killed one has not said that its work has ended, so the next
    hand-over waits until yield_timeout is over."""
    host, token = w.leader()
    program = w.programs[host]
    at = lan.now()
    program.send(signal.SIGKILL)
    lan.until("it acts again", lambda: program.starts > 1 and program.last()[2] > at + RESTART)
    with w.moving("after a program was killed") as again:
        if again is not host or again.token() != token:
            raise Failed("%s led with %d, and now %s leads with %d" % (host.name, token, again.name,
                                                                      again.token()))
        host.resign()


# ---- judging -------------------------------------------------------------------------------------

class Deadlines:
    """The latest deadline that electd of a host had sent by a time."""

    def __init__(self, witness):
        events = sorted(witness.lines())
        self.times = [at for at, _ in events]
        self.latest = list(itertools.accumulate((until for _, until in events), max))

    def at(self, moment):
        number = bisect.bisect_right(self.times, moment)
        return self.latest[number - 1] if number else 0


def judge(w):
    """Returns a text about all steps. A step that was asked for in time and made too late is that
    of a stopped program, which no library can prevent."""
    steps = w.steps()
    begun, owner = {}, {}
    for acted, _, token, host in steps:
        begun.setdefault(token, acted)
        if owner.setdefault(token, host) is not host:
            raise Failed("two hosts act under token %d" % token)
    tokens = sorted(begun)
    replaced = {token: min((begun[t] for t in tokens if t > token), default=float("inf"))
                for token in tokens}
    deadlines = {host: Deadlines(witness) for host, witness in w.witnesses.items()}
    older, late, stopped = [], [], 0
    for acted, asked, token, host in steps:
        deadline = deadlines[host].at(acted)
        if asked >= replaced[token]:
            older.append((host.name, token, asked - replaced[token]))
        elif asked >= deadline:
            late.append((host.name, token, asked - deadline))
        elif acted >= min(replaced[token], deadline):
            stopped += 1
    gaps = {}
    for kind, token in w.moves:
        last = max(acted for acted, _, t, _ in steps if t == token and acted < replaced[token])
        gaps.setdefault(kind, []).append(replaced[token] - last)
    words = "%d steps under %d tokens, %d of a stopped program; from the last step to the next " \
        "leader's first, in ms: %s" % (len(steps), len(tokens), stopped, "; ".join(
            kind + " " + ", ".join("%.0f" % (gap * 1000) for gap in values)
            for kind, values in gaps.items()))
    if older or late:
        raise Failed("%d under an older token %s, %d late %s; %s" % (
            len(older), older[:3], len(late), late[:3], words))
    if len({host for host in owner.values()}) < 2:
        raise Failed("one host only acted; " + words)
    return words


# ---- the examples --------------------------------------------------------------------------------

# How the block of README.md begins that runs or compiles an example.
RUN = {"report.py": "python3 ", "report.sh": "./"}
COMPILED = {"report.c": "gcc ", "report.go": "go ", "report.rs": "rustc "}
NOT_TYPED = {
    "electctl resign": "the host would not lead for 30 s; the test asks for a second",
    "install ": "there is no systemd; see unit()",
    "electctl watch": "does not end; booted/printed.py types it",
}


class Examples:
    """A copy of the folder, in which the commands of its README.md are typed."""

    def __init__(self):
        self.dir = "/run/examples"
        shutil.copytree(FOLDER, self.dir)
        self.blocks = pages.indented(pages.text_of("examples/clients/README.md"))
        self.environment = {"HOME": self.dir}
        self.install()

    def install(self):
        """Installs into a folder, and names it to compilers, loader and Python."""
        root = "/run/installed"
        lan.run("make", "-s", "-C", lan.BUILDDIR, "install", "DESTDIR=" + root)
        folders = {}
        for folder, _, files in os.walk(root):
            folders.update((name, folder) for name in files)
        self.environment.update(
            PKG_CONFIG_SYSROOT_DIR=root, PKG_CONFIG_PATH=folders["electd.pc"],
            LD_LIBRARY_PATH=folders["libelectd.so.0"], PYTHONPATH=folders["electd.py"],
            # Compilers of Debian before others that a user may have installed.
            PATH=folders["electctl"] + ":/usr/bin:/bin:" + os.environ["PATH"])

    def block(self, begin):
        text, = (block for block in self.blocks if block.startswith(begin))
        return text

    def compile(self, begin):
        """Types the block that begins so, and returns the program."""
        text = self.block(begin)
        if not shutil.which(begin.strip()):
            raise Skipped("no %shere" % begin)
        done = subprocess.run(["sh", "-ec", text], cwd=self.dir, text=True, stderr=subprocess.PIPE,
                              env=self.environment, check=False)
        if done.returncode or done.stderr:
            raise Failed("%s: exit %d, %s" % (text, done.returncode, done.stderr))
        return shutil.move(self.dir + "/report", "/run/report-" + begin.strip())

    def words(self, name):
        """The command by which an example runs."""
        if name in RUN:
            return ["sh", "-ec", "cd %s; exec %s" % (self.dir, self.block(RUN[name]))]
        return [self.compile(COMPILED[name])]

    def known(self):
        for text in self.blocks:
            if not text.startswith((*RUN.values(), *COMPILED.values(), *NOT_TYPED)):
                raise Failed("this test does not know: " + text)


def example(examples, name):
    with World(Program, name, *examples.words(name), **examples.environment) as w:
        for change in (resign, resign, resign, electd_killed, electd_frozen, program_killed):
            change(w)
        w.leader()
        for program in w.programs.values():
            program.end()
        return judge(w)


def unit(_):
    """systemd reports nothing about it."""
    if not shutil.which("systemd-analyze"):
        raise Skipped("no systemd-analyze here")
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", FOLDER + "/report.service"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode or done.stdout:
        raise Failed(done.stdout)


def elsewhere(examples, name):
    """In another time namespace than electd's, where its deadlines mean nothing, none acts."""
    ahead = ["unshare", "-T", "--boottime", "1000000", "--"]
    if subprocess.run([*ahead, "true"], check=False, stderr=subprocess.DEVNULL).returncode:
        raise Skipped("no time namespace may be made here")
    with World(Program, name, *ahead, *examples.words(name), **examples.environment) as w:
        host = w.net.leader()
        host.resign()
        w.net.wait("another host leads", lambda: w.net.led() and w.net.leader() is not host)
        time.sleep(lan.LONE_HOLD)
        if w.steps():
            raise Failed("it acts: %s" % (w.steps()[0],))


# ---- workers -------------------------------------------------------------------------------------

FAULTS = (resign, electd_killed, electd_frozen, resign, program_frozen, electd_stopped, resign,
          cable_pulled, electd_killed, electd_frozen, resign, program_killed)


def worker(examples, *words):
    with World(Worker, "worker", *words, **examples.environment) as w:
        for fault in FAULTS:
            fault(w)
        w.leader()
        for program in w.programs.values():
            program.end()
        return judge(w)


def main():
    # A shell's background job ignores this signal, and so would the programs.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    lan.setup()
    os.makedirs(SOCKET_FOLDER)
    result = report.Report()
    examples = Examples()
    names = sorted([*RUN, *COMPILED])
    attempts = [("the blocks of README.md", Examples.known), ("report.service", unit)]
    attempts += [(name, example, name) for name in names]
    attempts += [(name + " in another time namespace", elsewhere, name) for name in names]
    attempts += [
        ("a worker in C", worker, os.path.join(lan.BUILDDIR, "tests/lan/client")),
        ("a worker in Python", worker, sys.executable, os.path.join(HERE, "client.py"))]
    for name, function, *words in attempts:
        if not sys.argv[1:] or any(word in name for word in sys.argv[1:]):
            result.attempt(name, function, examples, *words)
    result.exit()


if __name__ == "__main__":
    main()
