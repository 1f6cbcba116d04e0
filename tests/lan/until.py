#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A leader's electd stands still: the work of its host ends before another host's begins.

until.py [FREEZES [STALLS [LOST]]]: on each host run electd-hookd with two scripts and two commands of
`electctl run`: one ends at TERM, the other ignores TERM. Both work in steps of a millisecond.

Freezes: SIGSTOP stops electd alone, at a random moment between two beacons, until another host leads
and works there. No command and no promotion of the old host may be left when the first one of the new
host begins. Stalls of half of dead_after or less: nothing ends. LOST freezes happen while 5 % of all
frames are lost: what overlaps there is counted and printed, for a last beacon that is lost costs a beacon.

All moments are of CLOCK_BOOTTIME, written by the commands and scripts themselves.
"""
import os
import random
import signal
import subprocess
import sys
import time

import hooked
import lan
import report
import strain
from report import Failed

PROFILES = {"lan": 0.200, "fast": 0.050}    # its beacon
CONFIG = 'timing = { profile = "%s"; };'
STALLS = 0.1, 0.2, 0.3
LOSS_PERCENT = 5
KILL_AFTER = 5              # electctl run: from TERM to KILL where electd speaks
# electctl ends whenever its host loses leadership; the command itself never ends by itself.
AGAIN = 'until "$@"; do sleep 0.05; done'
KINDS = "listens", "deaf"


def ending(beacon):
    """The time in which work has to end, in seconds (daemon/core/frame/until.c)."""
    return min(beacon, (lan.DEAD_AFTER - 1.2 * beacon) / 8, 0.1)


class Worker:
    """`electctl run` on one host, again and again."""

    def __init__(self, host, kind):
        self.host, self.kind = host, kind
        self.file = os.path.join(host.dir, "worker-" + kind)
        self.process = subprocess.Popen(
            ["nsenter", "--net=/run/netns/" + host.name, "sh", "-c", AGAIN, "sh", lan.ELECTCTL,
             "--socket", host.socket_path, "run", "--",
             os.path.join(lan.BUILDDIR, "tests/lan/worker"), self.file, kind],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)

    def ran(self):
        """(first step, last step, host, token) of each command so far."""
        folder, prefix = os.path.split(self.file)
        found = []
        for name in os.listdir(folder):
            if not name.startswith(prefix + "."):
                continue
            with open(os.path.join(folder, name)) as f:
                words = f.read().split()
            if len(words) == 3:
                found.append((int(words[1]) / 1e9, int(words[2]) / 1e9, self.host, int(words[0])))
        return found

    def end(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class World(hooked.World):
    """With workers on all hosts."""

    def __init__(self, profile):
        super().__init__(3, CONFIG % profile)
        self.beacon = PROFILES[profile]
        self.ending = ending(self.beacon)
        self.workers = [Worker(host, kind) for host in self.net.hosts for kind in KINDS]

    def __exit__(self, kind, value, trace):
        for worker in self.workers:
            worker.end()
        super().__exit__(kind, value, trace)

    def ran(self, kind):
        return sorted((run for w in self.workers if w.kind == kind for run in w.ran()),
                      key=lambda run: run[0])

    def promotions(self):
        return sorted((run for one in self.hooked.values() for run in one.events(hooked.FIRST)
                       if run.event == "leader" and not run.confirmed), key=lambda run: run.begin)

    def begun(self):
        """How much of each kind of work has begun so far."""
        return [len(self.ran(kind)) for kind in KINDS] + [len(self.promotions())]

    def working(self, host):
        """Until its commands and its promotion have begun with the present token."""
        token = host.token()
        lan.until("%s works" % host.name, lambda: all(
            any(run[2] is host and run[3] == token for run in self.ran(kind)) for kind in KINDS) and
            any(run.host is host and run.token == token and run.end for run in
                self.hooked[host].events(hooked.SECOND) if run.event == "leader"))


def freeze(w, chance):
    """One change of leaders. The old leader's electd is another process afterwards: one that has
    stalled is given more time by the others (algorithm.md 4.13), and all deadlines come early then."""
    w.net.settle()
    old = w.net.leader()
    w.working(old)
    time.sleep(chance.uniform(1, 2.5) * lan.BEACON)
    old.process.send_signal(signal.SIGSTOP)
    try:
        w.net.wait("another host leads", lambda: any(
            h.view and h.view["role"] == "leader" for h in w.net.hosts if h is not old))
        new = next(h for h in w.net.hosts if h is not old and h.view and h.view["role"] == "leader")
        w.working(new)
    finally:
        old.kill()
        old.start()


def overlaps(runs):
    """How long each command worked beside the next one that began on another host, in seconds."""
    return [a[1] - b[0] for n, a in enumerate(runs) for b in runs[n + 1:]
            if a[2] is not b[2] and a[1] >= b[0]]


def late_demotions(w):
    """How long after the next leader's promotion began each demotion ended, in seconds; and the same
    of those that ended so late only because the machine took too long for the two scripts."""
    found, slow = [], []
    leads = w.promotions()
    for a, b in zip(leads, leads[1:]):
        if a.host is b.host:
            continue
        runs = w.hooked[a.host].runs()
        begin = hooked.demotion_of(runs, a.begin, hooked.FIRST)
        end = hooked.demotion_of(runs, a.begin)
        if end and end.end and end.end < b.begin:
            continue
        ended = end.end if end and end.end else lan.now()
        took_too_long = begin and begin.begin < b.begin and ended - begin.begin > w.ending
        (slow if took_too_long else found).append(ended - b.begin)
    return found, slow


def found_in(w):
    """(what overlapped, in words; how many did)"""
    words, count = [], 0
    late, slow = late_demotions(w)
    for what, found, all_of_it in [
            *(("commands (%s)" % kind, overlaps(w.ran(kind)), len(w.ran(kind))) for kind in KINDS),
            ("promotions", late, len(w.promotions()))]:
        words.append("%d of %d %s overlapped%s" % (
            len(found), all_of_it, what, ", for " + ", ".join(
                "%.0f" % (s * 1000) for s in found[:20]) + " ms" if found else ""))
        count += len(found)
    if slow:
        words.append("not judged: %d demotions that took longer than %.0f ms on this machine" % (
            len(slow), w.ending * 1000))
    return "; ".join(words), count


def spare(w):
    """From a host's last step to the first one of the next host."""
    runs = w.ran("listens")
    gaps = [b[0] - a[1] for a, b in zip(runs, runs[1:]) if a[2] is not b[2]]
    return "least time between two hosts %.0f ms" % (min(gaps) * 1000) if gaps else ""


def freezes(w, chance, times):
    for _ in range(times):
        freeze(w, chance)
    w.net.settle()
    words, count = found_in(w)
    words += "; " + spare(w)
    if count:
        raise Failed(words)
    return words


def freezes_with_loss(w, chance, times):
    with strain.loss(LOSS_PERCENT) as lost:
        for _ in range(times):
            freeze(w, chance)
        return "%s; not judged: %s" % (lost(), found_in(w)[0])


def stall(host, seconds):
    """electd stands still for so long. How long it took until it answered again."""
    began = lan.now()
    host.process.send_signal(signal.SIGSTOP)
    time.sleep(seconds)
    host.process.send_signal(signal.SIGCONT)
    host.call("io.electd.GetStatus")
    return lan.now() - began


def stalls(w, chance, times):
    """A stall that this machine made longer than what a leader must bear is not judged."""
    w.net.settle()
    leader = w.net.leader()
    w.working(leader)
    borne = lan.DEAD_AFTER - w.ending - 1.2 * w.beacon
    lost, longer, before = [], 0, w.begun()
    for n in range(times):
        time.sleep(chance.uniform(3, 5) * lan.BEACON)
        lasted = stall(leader, STALLS[n % len(STALLS)])
        longer += lasted > borne
        time.sleep(3 * lan.BEACON)
        if w.begun() == before:
            continue
        if lasted <= borne:
            lost.append(lasted)
        time.sleep(KILL_AFTER + 1)    # whatever was told to end has begun anew
        w.net.settle()
        leader, before = w.net.leader(), w.begun()
    words = "%d stalls, %d lasted longer than %.0f ms" % (times, longer, borne * 1000)
    if lost:
        raise Failed("%s; work ended in stalls of %s ms" % (words, ", ".join(
            "%.0f" % (s * 1000) for s in lost)))
    return words + ", nothing ended in the others"


def main():
    counts = [int(word) for word in sys.argv[1:]] + [6, 6, 2][len(sys.argv) - 1:]
    seed = int(os.environ.get("ELECTD_SEED", random.SystemRandom().randrange(1 << 31)))
    chance = random.Random(seed)
    result = report.Report()
    lan.setup()
    hooked.setup()
    for profile in PROFILES:
        with World(profile) as w:
            result.attempt("stalls, profile %s, seed %d" % (profile, seed), stalls, w, chance,
                           counts[1])
            result.attempt("freezes, profile " + profile, freezes, w, chance, counts[0])
        with World(profile) as w:
            result.attempt("freezes with loss, profile " + profile, freezes_with_loss, w, chance,
                           counts[2])
    result.exit()


if __name__ == "__main__":
    main()
