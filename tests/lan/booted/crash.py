#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A leader's electd crashes under systemd, and its copy, electd-will, says so (algorithm.md 4.11).

crash.py [N]: on three booted hosts, whose demotion takes 1.5 s, the process that leads is ended N
times (10) by each of KILL, SEGV, ABRT and the kernel for want of memory. The others agree at once
and know why, nobody's `leader` begins before the demotion has ended, and systemd starts electd
again only after its copy. Then, once each: a copy that waits for a program, longer than for hookd;
systemd's watchdog, which finds electd standing still when the others have done so before; and the
whole control group is killed, which nobody tells.
"""
import contextlib
import os
import re
import select
import signal
import sys
import time

import hosts
from hosts import APP, DEAD_AFTER, Failed, now, until
import report
import story

DEMOTION = 1.5
WORK = '[ "$ELECTD_EVENT" = leader ] || [ "$ELECTD_OLD_ROLE" != leader ] || sleep %.1f\n' % DEMOTION
# What another holder's program takes, which systemd knows nothing of.
PROGRAM = 4.0
HOLDER = ("trap 'sleep %.1f; exit 0' TERM; : >/run/holds; while :; do sleep 0.02; done" % PROGRAM)
# Until there is a copy that knows of it.
RENEWED = 0.3
# From the crash to one group of the others, in which nobody leads yet.
AGREED = 1.0
# dead_after, and as much again as booted hosts on two cores are late by.
SILENT = DEAD_AFTER + 0.4
UNHEARD = DEAD_AFTER / 2
# Shorter than as installed, so that the test is short.
WATCHDOG = "[Service]\nWatchdogSec=3\n"
# Bytes: whatever it needs next is too much.
MEMORY = 65536


def check(condition, words, *values):
    if not condition:
        raise Failed(words % values if values else words)


# ---- processes -----------------------------------------------------------------------------------

def read(path):
    try:
        with open(path) as f:
            return f.read()
    except OSError:
        return ""


def write(path, value):
    with open(path, "w") as f:
        f.write(str(value))


def group_folder(host):
    """The control group of electd.service."""
    group = host.systemctl("show", "-P", "ControlGroup", "electd").stdout.strip()
    return "%s/payload%s" % (host.group, group)


def processes(host):
    """Of electd.service, as they are numbered here."""
    return [int(pid) for pid in read(group_folder(host) + "/cgroup.procs").split()]


def copies(host):
    """Those whose name is the copy's where ps looks for it."""
    return [pid for pid in processes(host) if hosts.name_of(pid) == "electd-will"
            and read("/proc/%d/cmdline" % pid).rstrip("\0") == "electd-will"]


class Process:
    """One that is waited for."""

    def __init__(self, pid):
        self.pid = pid
        self.fd = os.pidfd_open(pid)

    def has_ended(self, timeout=0.0):
        return bool(select.select([self.fd], [], [], timeout)[0])

    def end(self, what):
        """The time at which it has ended."""
        check(self.has_ended(hosts.PATIENCE), "%s does not end", what)
        at = now()
        os.close(self.fd)
        return at


def started_at(host):
    """When systemd has started its electd."""
    text = host.systemctl("show", "-P", "ExecMainStartTimestampMonotonic", "electd").stdout
    return int(text) / 1e6 + now() - time.clock_gettime(time.CLOCK_MONOTONIC)


# ---- what ends it --------------------------------------------------------------------------------

def by(name):
    def send(_, host):
        at = now()
        host.systemctl("kill", "--kill-whom=main", "-s", name, "electd")
        return at
    return send


def memory_top():
    """Where memory has a hierarchy of control groups to itself, None where it has not. There a
    limit touches none of systemd's groups, and processes bring nothing that counts into a new one.
    """
    with open("/proc/self/mounts") as f:
        mounts = [line.split() for line in f]
    return next((m[1] for m in mounts if m[2] == "cgroup" and "memory" in m[3].split(",")), None)


def ooms(folder):
    return next(int(line.split()[1]) for line in read(folder + "/memory.oom_control").splitlines()
                if line.startswith("oom_kill "))


def by_want_of_memory(lan, host):
    """All of the service gets a page or so. What electd needs for whoever asks it is too much, and
    the kernel takes it, not the copy, which is smaller."""
    electd = Process(host.main_pid("electd"))
    folder = "%s/%s/%s.%d" % (memory_top(), os.path.basename(lan.dir), host.name, electd.pid)
    os.makedirs(folder)
    write(folder + "/memory.limit_in_bytes", MEMORY)
    for pid in processes(host):
        write(folder + "/cgroup.procs", pid)
    begin = at = now()
    while not electd.has_ended(0.001):
        at = now()
        host.ask()
        check(at < begin + hosts.PATIENCE, "electd needs no memory")
    check(ooms(folder), "it was not for want of memory")
    return at


# ---- what follows --------------------------------------------------------------------------------

def ready(lan):
    """All is whole, and the leader's scripts have run: that host and its copy."""
    leader = lan.settle()
    until("%s on %s only" % (APP, leader.name), lambda: all(
        (h.state(APP) == "active") == (h is leader) for h in lan.hosts))
    copy = until("one copy on %s" % leader.name,
                 lambda: len(copies(leader)) == 1 and copies(leader)[0])
    for host in lan.others(leader):
        check(not copies(host), "%s has a copy too", host.name)
    return leader, Process(copy)


def group_of(among):
    """The group in which all of them are, None while they do not agree."""
    seen = [h.ask() for h in among]
    groups = {s["group"]["id"] if s and s["state"] == "normal" and s["group"] else None
              for s in seen}
    return groups.pop() if len(groups) == 1 else None


def agreed(lan, old, group, at):
    """How long after `at` the others are in another group."""
    rest = lan.others(old)
    until("another group", lambda: group_of(rest) not in (None, group), pause=0.002)
    return now() - at


def started_again(old, copy_ended):
    """systemd has waited for the copy."""
    until("systemd has started electd again", lambda: old.state("electd") == "active")
    early = copy_ended - started_at(old)
    check(early < 0, "electd started %.0f ms before its copy's end", early * 1000)


def told_why(told, at, new, reason):
    begun = told.first(at, new, "hook", "begin", event="leader")
    check(begun.told["reason"] == reason, "%s: %s", begun, begun.told["reason"])
    return begun.at


def crash(lan, told, end):
    old, copy = ready(lan)
    group = group_of(lan.hosts)
    at = end(lan, old)
    took = agreed(lan, old, group, at)
    copy_ended = copy.end("the copy")
    demoted = told.first(at, old, "hook", "end", event="none").at
    check(copy_ended > demoted, "the copy ended %.0f ms before the demotion",
          (demoted - copy_ended) * 1000)
    new = until("another leader", lambda: next(
        (h for h in lan.others(old) if h.leads()), None))
    begun = told_why(told, at, new, "coordinator-crashed")
    check(demoted - at >= DEMOTION, "the demotion took %.0f ms", (demoted - at) * 1000)
    check(begun > demoted, "begun %.0f ms before the demotion's end", (demoted - begun) * 1000)
    started_again(old, copy_ended)
    lan.settle()
    check(took < AGREED, "agreed after %.0f ms", took * 1000)
    return took, copy_ended - at


def crashes(lan, told, end, runs):
    return "agreed: " + report.statistics([crash(lan, told, end)[0] for _ in range(runs)])


@contextlib.contextmanager
def program(host):
    """A program on that host that leads, which takes its time when the host leads no more."""
    flag = host.inside("/run/holds")
    with contextlib.suppress(FileNotFoundError):
        os.unlink(flag)
    host.run("systemd-run", "-q", "--collect", "--unit=holder", "electctl", "run", "--", "sh", "-c",
             HOLDER)
    until("the program runs", lambda: os.path.exists(flag))
    time.sleep(RENEWED)
    try:
        yield
    finally:
        host.systemctl("stop", "holder", check=False)


def another_holder(lan, told):
    """The copy lives on when hookd has let go, and it is the copy that systemd waits for."""
    leader, _ = ready(lan)
    with program(leader):
        lived = crash(lan, told, by("KILL"))[1]
    check(lived >= PROGRAM, "the copy lived for %.0f ms", lived * 1000)
    return "the copy lived for %.0f ms" % (lived * 1000)


def by_the_watchdog(lan, told):
    """electd is stopped, so the others have another leader long before, and the will changes
    nothing. `electctl run` has ended its program at until_boot_ms, so the copy waits for nothing."""
    old, _ = ready(lan)
    with program(old), told.apart():
        copy, electd = Process(copies(old)[0]), Process(old.main_pid("electd"))
        os.kill(electd.pid, signal.SIGSTOP)
        new = lan.settle(lan.others(old))
        token = new.ask()["token"]
        electd_ended = electd.end("electd")
        copy_ended = copy.end("the copy")
        started_again(old, copy_ended)
        lan.settle()
    check(new.leads() and new.ask()["token"] == token, "the will has changed who leads")
    check(any("atchdog" in str(e.get("MESSAGE")) for e in old.journal("-u", "electd")),
          "it was not the watchdog")
    return "the copy ended %.0f ms after electd" % ((copy_ended - electd_ended) * 1000)


def whole_group(lan, told):
    """The copy as well: the others wait for dead_after, and for nothing else. `systemctl kill`
    takes one process after the other, and leaves the copy the time for its first word."""
    old, copy = ready(lan)
    group, folder = group_of(lan.hosts), group_folder(old)
    with told.apart():
        at = now()
        write(folder + "/cgroup.kill", 1)
        took = agreed(lan, old, group, at)
        new = lan.settle(lan.others(old), whole=False)
        told_why(told, at, new, "coordinator-silent")
        told.first(at, old, "hook", "end", event="none")
        started_again(old, copy.end("the copy"))
        lan.settle()
    check(UNHEARD < took < SILENT, "agreed after %.0f ms", took * 1000)
    return "agreed after %.0f ms" % (took * 1000)


def journals(lan):
    """The sandbox of the unit lets electd make its copy and ask the others' kernels."""
    for host in lan.hosts:
        words = [str(e.get("MESSAGE")) for e in host.journal("-u", "electd")]
        bad = [w for w in words if "cannot be made" in w or "early doubt: off" in w]
        check(not bad, "%s: %s", host.name, bad[:1])
        text = host.electctl().stdout
        check("early doubt: off" not in text, "%s: %s", host.name, text)


def traces(lan):
    """The journal has for each signal its sender, the last datagram and a backtrace, at the level
    "critical"."""
    for name in ("SEGV", "ABRT"):
        entries = [e for host in lan.hosts for e in host.journal("-u", "electd")
                   if ": crash: " in str(e.get("MESSAGE"))]
        check(any(re.search(r"^electd \S+: crash: SIG%s sent by process 1, last datagram: [A-Z]" %
                            name, e["MESSAGE"]) for e in entries), "no trace of %s: %s", name,
              [e["MESSAGE"] for e in entries][:1])
        check(all(e["PRIORITY"] == "2" for e in entries), "its level: %s", entries[:1])
        check(any(re.search(r": crash: electd\+0x[0-9a-f]+ \(main\+0x", e["MESSAGE"])
                  for e in entries), "no backtrace: %s", [e["MESSAGE"] for e in entries])
    return "%d lines" % len(entries)


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    result = report.Report()
    hosts.setup()
    with hosts.Lan() as lan:
        for host in lan.hosts:
            host.write("/etc/systemd/system/electd.service.d/watchdog.conf", WATCHDOG)
        told = story.Story(lan)
        told.start(work=WORK)
        ends = [(name, by(name)) for name in ("KILL", "SEGV", "ABRT")]
        if memory_top():
            ends.append(("want of memory", by_want_of_memory))
        else:
            print("    crash: memory has no hierarchy of control groups to itself here")
        for words, end in ends:
            result.attempt("electd ends by " + words, crashes, lan, told, end, runs)
        result.attempt("another holder takes longer", another_holder, lan, told)
        result.attempt("the watchdog ends it", by_the_watchdog, lan, told)
        result.attempt("its control group is killed", whole_group, lan, told)
        result.attempt("nothing is refused", journals, lan)
        result.attempt("crashes leave a trace", traces, lan)
        result.attempt("all journals", told.judge)
    result.exit()


if __name__ == "__main__":
    main()
