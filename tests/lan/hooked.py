# SPDX-License-Identifier: Apache-2.0
"""A real electd-hookd next to each electd, with hooks that write down their calls.

The log is read as runs, in order, and judged: a host never has two runs at once, each `leader` has
its demotion before the next `leader`, and tokens only grow.
"""
import json
import os
import shutil
import signal
import subprocess
import time

import lan
import report
from report import Failed

# Short timings, so that waiting does not take minutes.
QUICK = "timing = { beacon_interval_ms = 100; dead_after_ms = 300; };"

HOOKD = os.environ.get("HOOKD", os.path.join(lan.BUILDDIR, "electd-hookd"))
HOOK = os.path.join(lan.BUILDDIR, "tests/lan/hook_log")
FIRST, SECOND = "10-first", "20-second"
HOOK_LATE = 1    # seconds from an event to the begin of its hook, at most, in these tests
DEMOTIONS = {"follower", "none", "stop"}


def check(condition, words, *values):
    if not condition:
        raise Failed(words % values if values else words)


class Run:
    def __init__(self, host, at, pid, name, fields):
        self.host, self.begin, self.pid, self.name = host, at, pid, name
        self.end = None     # None: it has not ended, or was killed
        self.env = dict(field.split("=", 1) for field in fields[:-1])
        self.json = json.loads(fields[-1])
        self.event, self.token = self.env["ELECTD_EVENT"], int(self.env["ELECTD_TOKEN"])
        self.replay = self.env["ELECTD_REPLAY"] == "1"
        self.confirmed = self.json["confirmed"]

    def __repr__(self):
        return "%.3f %s %s %s%s%s token %d%s" % (
            self.begin, self.host.name, self.name, self.event, " replay" * self.replay,
            " confirmed" * self.confirmed, self.token, "" if self.end else " (no end)")


class Hooked:
    def __init__(self, host, hooks=(FIRST, SECOND)):
        self.host, self.process = host, None
        self.dir = "/run/hooks/" + host.name
        self.state_dir = os.path.join(host.dir, "hookd")
        os.makedirs(self.dir)
        os.mkdir(self.dir + ".do")
        for name in hooks:
            self.install(name)

    def path(self, name):
        return os.path.join(self.dir, name)

    def install(self, name, text=None, mode=0o755):
        if text is None:
            shutil.copy(HOOK, self.path(name))
        else:
            with open(self.path(name), "w") as f:
                f.write(text)
        os.chmod(self.path(name), mode)

    def do(self, event, ms=0, status=0, deaf=False):
        path = os.path.join(self.dir + ".do", event)
        with open(path + ".new", "w") as f:
            f.write("%d %d%s\n" % (ms, status, " deaf" if deaf else ""))
        os.rename(path + ".new", path)

    def start(self, *more, runtime_dir=None, wrapper=(), **environment):
        assert self.process is None
        with open(os.path.join(self.host.dir, "hookd.log"), "a") as log:
            self.process = subprocess.Popen(
                [*wrapper, HOOKD, "--runtime-dir", runtime_dir or self.host.runtime_dir,
                 "--state-dir", self.state_dir, "--target", "", "--online-target", "",
                 "--hook-dir", self.dir, *more], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**os.environ, "RUNTIME_DIRECTORY": "/run/own-" + self.host.name,
                     **environment})

    def send(self, number):
        self.process.send_signal(number)
        return lan.now()

    def end(self, number=signal.SIGTERM):
        process, self.process = self.process, None
        process.send_signal(number)
        return process.wait(lan.PATIENCE)

    def forget(self):
        lan.run("rm", "-rf", self.dir, self.dir + ".do", self.dir + ".log",
                "/run/own-" + self.host.name, check=False)

    def runs(self):
        runs, open_runs = [], {}
        for line in report.whole_lines(self.dir + ".log"):
            head, *fields = line.split("\t")
            at, what, pid, name = head.split(" ")
            at = int(at) / 1e9
            if what == "begin":
                open_runs[pid] = Run(self.host, at, int(pid), name, fields)
                runs.append(open_runs[pid])
            else:
                open_runs.pop(pid).end = at
        return runs

    def events(self, name=SECOND):
        """The runs of the last script only: one for each event."""
        return [run for run in self.runs() if run.name == name]

    def log(self):
        path = os.path.join(self.host.dir, "hookd.log")
        if not os.path.exists(path):
            return ""
        with open(path) as f:
            return f.read()

    def wait_log(self, words, after=""):
        """Waits until these words are in its log, after the last `after`."""
        lan.until("%s logs: %s" % (self.host.name, words), lambda: words in (
            self.log().rsplit(after, 1)[-1] if after else self.log()))

    def wait(self, what, condition, timeout=lan.PATIENCE):
        """Waits until a run, of all so far, fulfils the condition, and returns it."""
        end = lan.now() + timeout
        while True:
            for run in self.runs():
                if condition(run):
                    return run
            check(lan.now() < end, "%s: %s has not come; runs: %s", self.host.name, what,
                  self.runs()[-6:])
            time.sleep(0.003)

    def wait_event(self, event, after=0, name=SECOND, ended=True, timeout=lan.PATIENCE):
        """Waits for a run of one script that began after that time."""
        return self.wait("%s of %s" % (name, event), timeout=timeout, condition=lambda run: (
            run.event == event and run.begin > after and run.name == name and
            (run.end or not ended)))


def setup():
    """Call after lan.setup(). Moves hooks below a folder that only root can change."""
    for program in HOOKD, HOOK:
        if not os.access(program, os.X_OK):
            raise SystemExit("%s is not there: build it, and name the folder in BUILDDIR" % program)
    os.chmod("/run", 0o755)
    os.mkdir("/run/hooks")


def fake_systemd():
    """Makes electd-hookd believe that systemd runs, with a systemctl that is done at once."""
    with open("/run/systemctl", "w") as f:
        f.write("#!/bin/sh\ncase $* in\n*BoundBy*) echo web.service ;;\n"
                "*' show '*) echo Id=web.service; echo ActiveState=active ;;\nesac\n")
    os.chmod("/run/systemctl", 0o755)
    lan.run("mount", "--bind", "/run/systemctl", "/usr/bin/systemctl")
    os.makedirs("/run/systemd/system")


class World:
    """A LAN with electd-hookd on each host, settled; the hooks have run for every present role."""

    def __init__(self, count=2, config=QUICK, hookds=True, start=Hooked.start, kind=lan.Lan):
        self.net = kind(count, config)
        self.hooked = {host: Hooked(host) for host in self.net.hosts}
        self.net.start()
        for one in self.hooked.values() if hookds else ():
            start(one)

    def __enter__(self):
        self.net.settle()
        for host, one in self.hooked.items():
            if one.process:
                one.wait_event("leader" if host is self.net.leader() else "follower")
        return self

    def __exit__(self, kind, value, trace):
        for host, one in self.hooked.items():
            if one.process:
                one.process.kill()
                one.process.wait()
            if kind:
                print("--- electd-hookd of %s" % host.name)
                print("".join("    %s\n" % line for line in one.log().splitlines()[-12:]), end="")
            one.forget()
        self.net.__exit__(kind, value, trace)

    def leader(self):
        host = self.net.leader()
        return host, self.hooked[host]

    def wait_roles(self):
        """Waits until all agree, and the hooks of each host have run for its present role."""
        self.net.settle()
        for one in self.hooked.values():
            one.wait("its role", lambda r, one=one: r.name == SECOND and r.end and
                     r.token == self.net.leader().token() and r.event == one.host.view["role"])

    def others(self, host):
        return [one for other, one in self.hooked.items() if other is not host]

    def begun(self, event, after=0, hosts=None):
        """Waits for the first run of the first script on that event after that time."""
        found = []

        def has_begun():
            found[:] = [run for one in hosts or self.hooked.values() for run in one.runs()
                        if run.event == event and run.begin > after and run.name == FIRST]
            return found
        lan.until("a %s hook has begun" % event, has_begun)
        return min(found, key=lambda run: run.begin)


def demotion_of(runs, after, name=SECOND):
    return next((r for r in runs if r.event in DEMOTIONS and r.begin > after and r.name == name),
                None)


def one_at_a_time(runs):
    """On one host. A killed run has ended at the latest when the next one begins."""
    for before, run in zip(runs, runs[1:]):
        check(not before.end or before.end <= run.begin, "two at once: %s and %s", before, run)


def demoted_in_between(runs):
    """For one script: a demotion, or a confirmation, comes before the next `leader`."""
    leads = None
    for run in runs:
        if run.event in DEMOTIONS:
            leads = None
        elif run.event == "leader":
            check(not leads or run.confirmed and run.token > leads.token,
                  "no demotion between %s and %s", leads, run)
            leads = run


def tokens_grow(runs):
    """On a LAN that was never split, a token belongs to one host. A lower token may follow only on
    a host that was started after the higher one was given, because no host may be left that knew
    it."""
    last = None
    for run in sorted((r for r in runs if r.event == "leader"), key=lambda r: r.begin):
        absent = last and any(last.begin - HOOK_LATE < at < run.begin for at in run.host.starts)
        check(not last or run.token > last.token or run.token < last.token and absent or
              run.token == last.token and run.host is last.host, "%s after %s", run, last)
        last = run


def judge(hooked, split=False):
    everything = []
    for one in hooked.values():
        runs = one.runs()
        one_at_a_time(runs)
        for name in {run.name for run in runs}:
            demoted_in_between([run for run in runs if run.name == name])
        everything += runs
    if not split:
        tokens_grow(everything)
