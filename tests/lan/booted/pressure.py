#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The settings of electd.service against a lack of processors and memory (crashes, [pressure]).

pressure.py: two booted hosts. One is a container that may set neither a nice value nor an OOM score
below 0. electd starts on both; where it may, electd and its copy have what the unit says, and
electd-hookd, whose scripts inherit all that it has, has nothing of it. A machine on which this program may
not lower an OOM score either says so, and shows the rest.
"""
import functools
import os
import subprocess

import hosts
from hosts import Failed, until
import report
import story

NICE, OOM_SCORE, COPY_MORE = -10, -900, 100     # electd.service; OOM_SCORE_MORE in node/copy.c
CPU_WEIGHT, MEMORY_MIN = 1000, 16 << 20
WITHOUT = "--drop-capability=CAP_SYS_NICE,CAP_SYS_RESOURCE"


def lowest_oom_score():
    """What a service that asks for OOM_SCORE gets on this machine."""
    done = subprocess.run(["sh", "-c", "echo %d >/proc/self/oom_score_adj" % OOM_SCORE],
                          stderr=subprocess.DEVNULL, check=False)
    return 0 if done.returncode else OOM_SCORE


def nice_and_oom_score(pid):
    """None of a process that has ended."""
    try:
        nice = os.getpriority(os.PRIO_PROCESS, pid)
        with open("/proc/%d/oom_score_adj" % pid, encoding="utf-8") as f:
            return nice, int(f.read())
    except OSError:
        return None


def expect(what, has, wanted):
    if has != wanted:
        raise Failed("%s: %s, not %s" % (what, has, wanted))


def copy_of(host):
    """The nice value and OOM score of the leader's copy; None while there is none."""
    group = host.systemctl("show", "-P", "ControlGroup", "electd").stdout.strip()
    with open("%s/payload%s/cgroup.procs" % (host.group, group), encoding="utf-8") as f:
        copies = [int(pid) for pid in f.read().split() if hosts.name_of(pid) == "electd-will"]
    return nice_and_oom_score(copies[0]) if copies else None


def set_as_asked(host, score):
    expect("electd", nice_and_oom_score(host.main_pid("electd")), (NICE, score))
    expect("electd-hookd", nice_and_oom_score(host.main_pid("electd-hookd")), (0, 0))
    show = host.systemctl("show", "-P", "CPUWeight", "-P", "MemoryMin", "electd").stdout.split()
    expect("CPUWeight= and MemoryMin=", sorted(map(int, show)), [CPU_WEIGHT, MEMORY_MIN])
    return "electd %s, electd-hookd (0, 0)" % ((NICE, score),)


def copied(host, score):
    has = until("%s has a copy" % host.name, lambda: copy_of(host))
    expect("electd-will", has, (NICE, score + COPY_MORE))
    return "electd-will %s" % (has,)


def restricted(host):
    expect("electd.service", host.state("electd"), "active")
    has = nice_and_oom_score(host.main_pid("electd"))
    expect("electd", has, (0, 0))
    return "electd runs with %s" % (has,)


def main():
    result = report.Report()
    hosts.setup()
    score = lowest_oom_score()
    if score != OOM_SCORE:
        print("this machine lets no service lower its OOM score")
    with hosts.Lan(2) as lan:
        able, unable = lan.hosts
        unable.boot = functools.partial(unable.boot, WITHOUT)
        story.Story(lan).start()
        result.attempt("as asked", set_as_asked, able, score)
        result.attempt("restricted", restricted, unable)
        if lan.settle() is not able:
            unable.electctl("resign")
            until("%s leads" % able.name, able.leads)
        result.attempt("copy", copied, able, score)
    result.exit()


if __name__ == "__main__":
    main()
