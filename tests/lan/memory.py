#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keys lie only in guarded memory (doc/keys.md): the memory of a leader's electd, of its copy
electd-will and of electd-hookd is searched for every present and former key.

memory.py [ROUNDS]: how often keys are handed over under a slow trace (default 1).

The search looks for each half of a secret, of its digits, of the base64 of its line and of the
working key that is derived from it. A hit may lie only in a mapping that the kernel leaves out of
dumps (dd in VmFlags of /proc/PID/smaps), between two inaccessible ones, and, except in the copy,
locked (lo): the copy shares the page with the process that has locked it, until it has sealed its
words. A removed key, or one that the process has no use for, must lie nowhere."""
import base64
import collections
import contextlib
import hashlib
import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

import lan
import report
from hooked import HOOKD
from report import Failed, Skipped

DOMAIN = "default"
NAME = "electd.keys"
STORE = "/run/credstore"
SLOW_US = 20000     # added to each system call under the slow trace
LINE = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) (\S{4}) \S+ \S+ \S+ *(.*)$")

Mapping = collections.namedtuple("Mapping", "begin end rights name flags")
Hit = collections.namedtuple("Hit", "what guarded where")


def check(condition, words, *values):
    if not condition:
        raise Failed(words % values if values else words)


class Key:
    """A secret in all forms in which it may lie in memory."""

    def __init__(self, number):
        self.number, self.secret = number, secrets.token_bytes(32)
        self.line = "%d %s\n" % (number, self.secret.hex())

    def working(self):
        return hashlib.blake2b(b"electd key" + bytes([self.number]) + DOMAIN.encode(),
                               key=self.secret, digest_size=32).digest()

    def forms(self):
        whole = {"secret": self.secret, "working key": self.working(),
                 "digits": self.secret.hex().encode(), "DIGITS": self.secret.hex().upper().encode()}
        forms = {}
        for name, value in whole.items():
            half = len(value) // 2
            forms["first half of the %s %d" % (name, self.number)] = value[:half]
            forms["second half of the %s %d" % (name, self.number)] = value[half:]
        for shift in range(3):    # wherever its line begins in a file
            text = base64.b64encode(b" " * shift + self.secret.hex().encode())
            forms["base64 of the digits %d" % self.number] = text[4:-4]
            yield from forms.items()
            forms = {}


def mappings(pid):
    found, place = [], None
    with open("/proc/%d/smaps" % pid) as f:
        for line in f:
            begin = LINE.match(line)
            if begin:
                place = int(begin[1], 16), int(begin[2], 16), begin[3], begin[4]
            elif line.startswith("VmFlags:"):
                found.append(Mapping(*place, frozenset(line.split()[1:])))
    return found


def is_guarded(around, copy):
    """Judges the middle one of three adjacent mappings."""
    before, at, after = around
    fenced = before and after and before.end == at.begin and at.end == after.begin and \
        before.rights[:3] == "---" and after.rights[:3] == "---"
    return bool(fenced and "dd" in at.flags and (copy or "lo" in at.flags))


def places(bytes_, form):
    at = bytes_.find(form)
    while at >= 0:
        yield at
        at = bytes_.find(form, at + 1)


def content_of(pid):
    """[(mapping, its bytes)] of writable memory, read while the mappings do not change"""
    while True:
        found = mappings(pid)
        contents = []
        with open("/proc/%d/mem" % pid, "rb", 0) as memory:
            for at in found:
                content = b""
                if at.rights[0] == "r" and ("w" in at.rights or not at.name):
                    with contextlib.suppress(OSError):    # gone since
                        memory.seek(at.begin)
                        content = memory.read(at.end - at.begin)
                contents.append((at, content))
        if [(at.begin, at.flags) for at in mappings(pid)] == [(at.begin, at.flags) for at in found]:
            return contents


def search(pid, all_keys, copy=False):
    """Returns all hits; none in a process that ends during the search."""
    hits = []
    forms = [form for key in all_keys for form in key.forms()]
    try:
        contents = content_of(pid)
    except (FileNotFoundError, ProcessLookupError):
        return hits
    around = [None, *(at for at, _ in contents), None]
    for i, (at, content) in enumerate(contents):
        guarded = is_guarded(around[i:i + 3], copy)
        hits += [Hit(what, guarded, "%x %s %s %s" % (
            at.begin + place, at.rights, at.name or "anonymous", " ".join(sorted(at.flags))))
                 for what, form in forms for place in places(content, form)]
    return hits


def hits_told(hits):
    return "%d hits, %d of them guarded" % (len(hits), sum(hit.guarded for hit in hits))


def refuse_open_ones(hits, who):
    lying_open = sorted({"%s at %s" % (hit.what, hit.where) for hit in hits if not hit.guarded})
    check(not lying_open, "%s: %s; %s", who, hits_told(hits), "; ".join(lying_open[:6]))


class Host(lan.Host):
    """A host with a store for its key file, which is copied when electd starts, as by systemd."""

    def __init__(self, *args):
        super().__init__(*args)
        self.store = os.path.join(self.dir, "credstore")
        self.credentials = os.path.join(self.dir, "credentials")
        for folder in self.store, self.credentials:
            os.makedirs(folder, 0o700, exist_ok=True)

    def command(self, *more, wrapper=()):
        return super().command(*more, wrapper=[
            "env", "CREDENTIALS_DIRECTORY=" + self.credentials, *wrapper])

    def start(self, *more, **how):
        shutil.rmtree(self.credentials)
        shutil.copytree(self.store, self.credentials)
        super().start(*more, **how)

    def types(self, *words):
        """Runs electctl as root on that host, whose configuration has no unit."""
        done = lan.run("unshare", "--mount", "sh", "-c",
                       'mount --bind "$0" ' + STORE + ' && exec "$@"', self.store, lan.ELECTCTL,
                       "--socket", self.socket_path, *words, "--config", self.config, check=False)
        check(not done.returncode, "%s: electctl %s: %d %s", self.name, " ".join(words),
              done.returncode, (done.stdout + done.stderr).strip())

    def put_keys(self, text):
        path = os.path.join(self.store, NAME)
        with open(os.open(path + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as f:
            f.write(text)
        os.rename(path + ".new", path)


class World:
    """A leader with its copy and electd-hookd, and a follower."""

    def __init__(self, net):
        self.net = net
        self.one, self.two, self.three = (Key(number) for number in (1, 2, 3))
        self.all = self.one, self.two, self.three
        for host in net.hosts:
            host.put_keys(self.one.line)
            host.start()
        net.settle()
        self.leader = net.leader()
        self.hookd = self.start_hookd()

    def start_hookd(self):
        folder = os.path.join(self.leader.dir, "hooks")
        os.mkdir(folder)
        with open(self.leader.dir + "/hookd.log", "w") as log:
            return subprocess.Popen(
                [HOOKD, "--runtime-dir", self.leader.runtime_dir, "--state-dir", folder + ".state",
                 "--target", "", "--online-target", "", "--hook-dir", folder],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**os.environ, "RUNTIME_DIRECTORY": self.leader.dir + "/hookd"})

    def pid(self):
        return self.leader.process.pid

    def copy(self):
        lan.until("the leader has one copy", lambda: len(self.leader.copies()) == 1)
        return self.leader.copies()[0]

    def look(self, here, gone=()):
        """The keys in `here` lie guarded in electd, and no key lies anywhere else."""
        self.settle()
        hits = search(self.pid(), here)
        refuse_open_ones(hits, "electd")
        for key in here:
            for name in "secret", "working key":
                check(any(hit.what == "first half of the %s %d" % (name, key.number)
                          for hit in hits), "the %s %d is not found at all", name, key.number)
        for pid, who, none in ((self.pid(), "electd", gone), (self.copy(), "electd-will", self.all),
                               (self.hookd.pid, "electd-hookd", self.all)):
            found = search(pid, none, who == "electd-will")
            check(not found, "%s: %s: %s", who, hits_told(found), "; ".join(
                sorted({"%s at %s" % (hit.what, hit.where) for hit in found})[:6]))
        return "electd: %s; electd-will, electd-hookd: none" % hits_told(hits)

    def settle(self):
        self.net.settle()
        self.copy()

    def types(self, *words):
        """Types it on each host, the leader last, as the recipe of electd-security(7) does."""
        for host in sorted(self.net.hosts, key=lambda host: host is self.leader):
            host.types(*words)

    def put(self, text):
        for host in self.net.hosts:
            host.put_keys(text)


def started(world):
    return world.look([world.one])


def reloaded(world):
    world.put(world.one.line + world.two.line)
    world.types("reload")
    return world.look([world.one, world.two])


def used(world):
    world.types("keys", "use", "2")
    return world.look([world.one, world.two])


def removed(world):
    world.types("keys", "remove", "1")
    return world.look([world.two], gone=[world.one])


def request(text):
    return json.dumps({"method": "io.electd.SetKeys", "parameters": {
        "keys": base64.b64encode(text.encode()).decode()}}).encode()


def half_request(world):
    """A request that does not end: its text waits in electd, in a buffer that had to grow."""
    world.settle()
    with socket.socket(socket.AF_UNIX) as stream:
        stream.connect(world.leader.socket_path)
        stream.sendall(request("#" * 6000 + "\n" + world.two.line + world.three.line))
        lan.until("it is read", lambda: any(
            "base64" in hit.what for hit in search(world.pid(), [world.three])))
        hits = search(world.pid(), world.all)
        refuse_open_ones(hits, "electd")
    lan.until("it is forgotten", lambda: not search(world.pid(), [world.three]))
    return hits_told(hits)


class Slowly:
    """Makes each system call of electd, and of the copies that it makes, take longer."""

    def __init__(self, pid):
        self.process = subprocess.Popen(
            ["strace", "-f", "-o", "/dev/null", "-e", "trace=all",
             "-e", "inject=all:delay_enter=%d" % SLOW_US, "-p", str(pid)],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        if "attached" not in line:
            self.process.wait()
            raise Skipped("strace: %s" % line.strip())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(lan.PATIENCE)


def all_processes(world):
    """(pid, is it a copy?); each child of electd is one, even before it renames itself"""
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    children = [pid for pid in pids if (lan.running(pid) or ("", 0))[1] == world.pid()]
    return [(world.pid(), False), *((pid, True) for pid in children)]


def at_work(world, rounds):
    """Searches between any system calls of a reload, of a refused one and of a new copy."""
    if not shutil.which("strace"):
        raise Skipped("no strace")
    host, looks, hits, copies = world.leader, 0, [], set()
    texts = [world.two.line + world.three.line, world.two.line + "3 zz\n", world.two.line]
    with Slowly(world.pid()):
        for text in texts * rounds:
            with socket.socket(socket.AF_UNIX) as stream:
                stream.connect(host.socket_path)
                stream.sendall(request(text) + b"\0")
                stream.setblocking(False)
                answer = b""
                end = lan.now() + lan.PATIENCE
                while not answer.endswith(b"\0") or lan.now() < end - lan.PATIENCE + 2:
                    check(lan.now() < end, "no answer")
                    for pid, copy in all_processes(world):
                        found = search(pid, world.all, copy)
                        refuse_open_ones(found, "electd-will" if copy else "electd")
                        hits += found
                        copies |= {pid} if copy else set()
                        looks += 1
                    with contextlib.suppress(BlockingIOError):
                        answer += stream.recv(65536)
            refused = b"ConfigInvalid" in answer
            check(refused == ("zz" in text), "%s", answer)
    forms = {re.sub(r"^(first|second) half of the | \d+$", "", hit.what) for hit in hits}
    check({"secret", "working key", "digits", "base64 of the digits"} <= forms,
          "only seen: %s", sorted(forms))
    return "%s in %d looks, %d copies" % (hits_told(hits), looks, len(copies))


def dumped(world):
    """Searches the dump of gcore(1), which has the same memory as a dump of the kernel."""
    if not shutil.which("gcore"):
        raise Skipped("no gcore")
    with tempfile.TemporaryDirectory(dir=world.net.dir) as folder:
        done = lan.run("gcore", "-o", folder + "/core", str(world.pid()), check=False)
        files = os.listdir(folder)
        check(files, "gcore: %s", done.stderr.strip())
        with open(os.path.join(folder, files[0]), "rb") as f:
            content = f.read()
    found = [what for key in world.all for what, form in key.forms() if form in content]
    check(not found, "%s", "; ".join(found))
    return "nothing in %d KiB" % (len(content) // 1024)


def crashed(world):
    """The kernel writes no dump of electd at all."""
    with open("/proc/sys/kernel/core_pattern") as f:
        pattern = f.read().strip()
    if pattern.startswith("|") or "/" in pattern:
        raise Skipped("dumps go to %s" % pattern)
    host = next(host for host in world.net.hosts if host is not world.leader)
    host.stop()
    folder = os.path.join(host.dir, "cwd")
    os.mkdir(folder)
    host.start(wrapper=["env", "-C", folder, "prlimit", "--core=unlimited:unlimited"])
    world.net.settle()
    host.end(signal.SIGABRT)
    check(not os.listdir(folder), "it has left %s", os.listdir(folder))
    host.start()
    world.net.settle()


def unlocked(world):
    """If no page can be locked, electd reports that, and keys are still in no dump."""
    if not shutil.which("setpriv"):
        raise Skipped("no setpriv")
    host = world.leader
    host.stop()
    host.start(wrapper=["prlimit", "--memlock=0:0", "setpriv", "--bounding-set=-ipc_lock"])
    world.net.settle()
    check("the keys cannot be locked in memory" in host.log(), "the log does not report it")
    hits = search(host.process.pid, world.all)
    check(hits and all("dd" in hit.where.split() for hit in hits), "%s", hits)
    check(not any("lo" in hit.where.split() for hit in hits), "they are locked")
    return "%d hits, all left out of dumps" % len(hits)


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    result = report.Report()
    lan.setup()
    os.mkdir(STORE, 0o700)
    if os.path.isdir("/etc/credstore"):
        lan.run("mount", "-t", "tmpfs", "electd-lan", "/etc/credstore")
    with lan.Lan(2, kind=Host, family="ipv4") as net:
        world = World(net)
        result.attempt("a start", started, world)
        result.attempt("a reload", reloaded, world)
        result.attempt("another key is sent", used, world)
        result.attempt("a key is removed", removed, world)
        result.attempt("half a request", half_request, world)
        result.attempt("at work", at_work, world, rounds)
        result.attempt("gcore", dumped, world)
        result.attempt("a crash", crashed, world)
        result.attempt("no page may be locked", unlocked, world)
        world.hookd.kill()
        world.hookd.wait()
        if result.failed:
            net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
