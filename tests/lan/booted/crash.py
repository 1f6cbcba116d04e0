#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A leader's electd crashes under systemd, and its copy, electd-will, reports it (will.md).

crash.py: on three booted hosts, whose demotion takes 1.5 s, the leading process is ended by KILL,
by SEGV and, if memory has control groups, by the kernel for lack of memory. The others know the
reason, no other `leader` begins before the demotion has ended, and systemd starts electd again only
after its copy has ended, even if the copy waits for a program other than hookd. Then systemd's
watchdog ends an electd that is stopped, and the whole control group is killed, which no process
reports."""
import os
import re
import select
import signal
import time

import hosts
from hosts import APP, check, now, until
import report
import story

WORK = '[ "$ELECTD_EVENT" = leader ] || [ "$ELECTD_OLD_ROLE" != leader ] || sleep 1.5\n'
# The program of another holder, unknown to systemd.
HOLDER = "trap 'sleep 4; : >/run/let-go; exit' TERM; : >/run/holds; while :; do sleep 0.02; done"
WATCHDOG = "[Service]\nWatchdogSec=3\n"
# Bytes: too little for anything that electd needs next.
MEMORY = 65536


def read(path):
    with open(path) as f:
        return f.read()


def write(path, value):
    with open(path, "w") as f:
        f.write(str(value))


def group_folder(host):
    group = host.systemctl("show", "-P", "ControlGroup", "electd").stdout.strip()
    return "%s/payload%s" % (host.group, group)


def processes(host):
    return [int(pid) for pid in read(group_folder(host) + "/cgroup.procs").split()]


def copies(host):
    return [pid for pid in processes(host) if hosts.name_of(pid) == "electd-will"]


class Process:
    """A process that the test waits for."""

    def __init__(self, pid):
        self.pid = pid
        self.fd = os.pidfd_open(pid)

    def has_ended(self, timeout=0.0):
        return bool(select.select([self.fd], [], [], timeout)[0])

    def end(self):
        check(self.has_ended(hosts.PATIENCE), "%d does not end", self.pid)
        return now()


def started_again(host, copy_ended):
    """systemd has waited for the copy."""
    until("systemd has started electd again", lambda: host.state("electd") == "active")
    text = host.systemctl("show", "-P", "ExecMainStartTimestampMonotonic", "electd").stdout
    at = int(text) / 1e6 + now() - time.clock_gettime(time.CLOCK_MONOTONIC)
    check(at > copy_ended, "electd started %.3f s before its copy's end", copy_ended - at)


def by(name):
    return lambda _, host: host.systemctl("kill", "--kill-whom=main", "-s", name, "electd")


def memory_top():
    """Returns the mount point of the memory controller's own hierarchy; None if there is none. A
    limit there affects none of systemd's groups, and processes move in without the memory that they
    already use."""
    mounts = [line.split() for line in read("/proc/self/mounts").splitlines()]
    return next((m[1] for m in mounts if m[2] == "cgroup" and "memory" in m[3].split(",")), None)


def by_want_of_memory(lan, host):
    """Leaves the service a page or so. electd cannot answer a request with that, and the kernel
    kills electd and not the copy, which is smaller."""
    electd = Process(host.main_pid("electd"))
    folder = "%s/%s/%s.%d" % (memory_top(), os.path.basename(lan.dir), host.name, electd.pid)
    os.makedirs(folder)
    write(folder + "/memory.limit_in_bytes", MEMORY)
    for pid in processes(host):
        write(folder + "/cgroup.procs", pid)
    until("electd needs memory", lambda: host.ask() and False or electd.has_ended(0.001))
    check("oom_kill 0" not in read(folder + "/memory.oom_control"), "it was not for want of memory")


def ready(lan):
    """Waits for a whole group and the leader's scripts; returns that host and its copy."""
    leader = lan.settle()
    until("%s on %s only" % (APP, leader.name), lambda: all(
        (h.state(APP) == "active") == (h is leader) for h in lan.hosts))
    until("one copy on %s" % leader.name, lambda: len(copies(leader)) == 1)
    check(not any(copies(h) for h in lan.others(leader)), "a follower has a copy too")
    return leader, Process(copies(leader)[0])


def crash(lan, told, end):
    old, copy = ready(lan)
    at = now()
    end(lan, old)
    copy_ended = copy.end()
    demoted = told.first(at, old, "hook", "end", event="none").at
    check(copy_ended > demoted, "the copy ended before the demotion")
    new = until("another leader", lambda: next((h for h in lan.others(old) if h.leads()), None))
    begun = told.first(at, new, "hook", "begin", event="leader")
    check(begun.told["reason"] == "coordinator-crashed", "%s: %s", begun, begun.told["reason"])
    check(begun.at > demoted, "begun %.3f s before the demotion's end", demoted - begun.at)
    started_again(old, copy_ended)
    lan.settle()


def another_holder(lan):
    """The copy lives on when hookd has let go, and systemd waits for the copy."""
    leader, before = ready(lan)
    leader.run("systemd-run", "-q", "--collect", "--unit=holder", "electctl", "run", "--", "sh", "-c",
               HOLDER)
    flag = leader.inside("/run/let-go")
    until("the program runs", lambda: os.path.exists(leader.inside("/run/holds")))
    copy = Process(until("another copy, which knows of it", lambda: next(
        (pid for pid in copies(leader) if pid != before.pid and before.has_ended()), None)))
    leader.kill("electd")
    started_again(leader, copy.end())
    check(os.path.exists(flag), "the copy did not wait for the program")
    leader.systemctl("stop", "holder", check=False)
    lan.settle()


def by_the_watchdog(lan, told):
    """electd is stopped: hookd demotes by itself, the others have another leader long before electd
    ends, and the will changes nothing."""
    old, copy = ready(lan)
    with told.apart():
        electd, at = Process(old.main_pid("electd")), now()
        os.kill(electd.pid, signal.SIGSTOP)
        told.first(at, old, "hook", "end", event="none")
        new = lan.settle(lan.others(old), whole=False)
        token = new.ask()["token"]
        electd.end()
        started_again(old, copy.end())
        lan.settle()
    check(new.leads() and new.ask()["token"] == token, "the will has changed who leads")
    check(any("atchdog" in str(e.get("MESSAGE")) for e in old.journal("-u", "electd")),
          "it was not the watchdog")


def whole_group(lan, told):
    """The copy is killed, too: the others wait for dead_after. `systemctl kill` kills one process
    after the other, and leaves the copy time for its first message."""
    old, copy = ready(lan)
    with told.apart():
        at = now()
        write(group_folder(old) + "/cgroup.kill", 1)
        copy_ended = copy.end()
        new = lan.settle(lan.others(old), whole=False)
        begun = told.first(at, new, "hook", "begin", event="leader")
        check(begun.told["reason"] == "coordinator-silent", "%s: %s", begun, begun.told["reason"])
        told.first(at, old, "hook", "end", event="none")
        started_again(old, copy_ended)
        lan.settle()


def journals(lan):
    """The sandbox of the unit lets electd make its copy and ask the kernels of the others. A crash
    leaves its sender, the last datagram and a backtrace in the journal at the level "critical"."""
    for host in lan.hosts:
        words = [str(e.get("MESSAGE")) for e in host.journal("-u", "electd")]
        bad = [w for w in words if "cannot be made" in w or "early suspicion" in w]
        check(not bad and "early suspicion" not in host.electctl().stdout, "%s: %s", host.name, bad)
    entries = [e for host in lan.hosts for e in host.journal("-u", "electd")
               if ": crash: " in str(e.get("MESSAGE"))]
    for pattern in (r"^electd \S+: crash: SIGSEGV sent by process 1, last datagram: [A-Z]",
                    r": crash: electd\+0x[0-9a-f]+ \(main\+0x"):
        check(any(re.search(pattern, e["MESSAGE"]) for e in entries), "not found: %s: %s", pattern,
              [e["MESSAGE"] for e in entries])
    check(all(e["PRIORITY"] == "2" for e in entries), "its level: %s", entries[:1])


def main():
    result = report.Report()
    hosts.setup()
    with hosts.Lan() as lan:
        for host in lan.hosts:
            host.write("/etc/systemd/system/electd.service.d/watchdog.conf", WATCHDOG)
        told = story.Story(lan)
        told.start(work=WORK)
        result.attempt("electd ends by KILL", crash, lan, told, by("KILL"))
        if memory_top():
            result.attempt("electd is killed for lack of memory", crash, lan, told, by_want_of_memory)
        result.attempt("electd ends by SEGV", crash, lan, told, by("SEGV"))
        result.attempt("the journals", journals, lan)
        result.attempt("another holder takes longer", another_holder, lan)
        result.attempt("the watchdog ends electd", by_the_watchdog, lan, told)
        result.attempt("the control group is killed", whole_group, lan, told)
        result.attempt("all journals", told.judge)
    result.exit()


if __name__ == "__main__":
    main()
