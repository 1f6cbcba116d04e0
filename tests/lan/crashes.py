#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A leader's electd is ended, without systemd: how soon the others agree, and that nobody acts
beside the demotion of the one that is gone (algorithm.md 4.11).

crashes.py [RUNS]: of five hosts, RUNS times (5) by each of KILL, SEGV and ABRT, without hookd and
with it; then with a demotion of 1.5 s. Bounds on single milliseconds stand for 30 runs and more.
crashes.py faults [KILLS [SEED]]: so many kills (40) under random faults, newcomers and heals among
them, in groups of five hosts side by side, each on a LAN of its own.
"""
import random
import signal
import statistics
import subprocess
import sys
import time

import hooked
import lan
import nemesis
import report
from hooked import DEMOTIONS, FIRST, SECOND, World, check

HOSTS = 5
ENDS = signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT
DEMOTION = 1.5
MEDIAN, MEDIAN_HOOKED, MEDIAN_HOOK, WORST = 0.005, 0.012, 0.015, 0.025  # of 30 runs; of a few, on
FEW = 0.100                                                             # any machine
# The next leader's hook, after the end of a demotion.
LATE = 0.100
# A copy has said all.
COPY_ENDS = 0.1
# For which who reads what hooks have written leaves the processor to the hooks.
REST = 0.050

GROUPS = 4
# Who was cut off has heard of a crash by then: the beacons of those who wait for its end say so.
TOLD = 3 * lan.BEACON


def bounded(values, median):
    """The median, and the worst but for one in 30."""
    many = len(values) >= 30
    words = report.within(values, WORST if many else FEW)
    check(statistics.median(values) <= (median if many else FEW), "at most %.0f: %s",
          median * 1000, words)
    return words


def end(net, number):
    """At a random moment: who it was, the others, when, and how long until they agreed."""
    victim, rest = net.leader_and_others()
    time.sleep(random.uniform(0.25, 1.25) * lan.BEACON)
    group = victim.group()
    at = victim.end(number)
    took = net.wait("agreement", lambda: net.one_group(rest) and rest[0].group() != group) - at
    return victim, rest, at, took


def without_hookd(net, number, runs):
    times = []
    for _ in range(runs):
        victim, rest, _, took = end(net, number)
        times.append(took)
        net.wait("the dead one is dropped", lambda rest=rest: net.agreed(rest))
        victim.start()
    return "agreed: " + bounded(times, MEDIAN)


def with_hookd(w, number, runs):
    """With hooks that end at once."""
    times, begun = [], []
    for _ in range(runs):
        w.wait_roles()
        victim, _, at, took = end(w.net, number)
        times.append(took)
        time.sleep(REST)
        begun.append(w.begun("leader", at, w.others(victim)).begin - at)
        victim.start()
    w.wait_roles()
    hooked.judge(w.hooked)
    return "agreed: %s; the next leader's hook: %s" % (
        bounded(times, MEDIAN_HOOKED), bounded(begun, MEDIAN_HOOK))


# ---- nobody acts beside it -----------------------------------------------------------------------


def slow(hooks):
    """Its next demotion takes so long, both scripts together."""
    hooks.do("none", int(DEMOTION * 1000 / 2))


def demoted(hooks, at):
    """The end of the demotion of who led at that time."""
    run = hooks.wait("its demotion", lambda r: r.event in DEMOTIONS and r.begin > at and
                     r.name == SECOND and r.end)
    hooks.do("none")
    check(run.end - at >= DEMOTION, "a demotion of %.3f s", run.end - at)
    return run.end


def beside(w, victim, at, ended):
    """What other hosts have begun to lead between these times."""
    return [run for one in w.others(victim) for run in one.events(FIRST)
            if run.event == "leader" and at < run.begin < ended]


def with_a_demotion(w, runs):
    after = []
    for n in range(runs):
        w.wait_roles()
        victim, hooks = w.leader()
        slow(hooks)
        at = end(w.net, ENDS[n % len(ENDS)])[2]
        ended = demoted(hooks, at)
        run = w.begun("leader", at, w.others(victim))
        check(not beside(w, victim, at, ended), "%.3f s before the demotion's end: %s",
              ended - run.begin, run)
        after.append(run.begin - ended)
        victim.start()
    w.wait_roles()
    hooked.judge(w.hooked)
    return "0 of %d beside it; after its end: %s" % (runs, report.within(after, LATE))


# ---- under faults --------------------------------------------------------------------------------


class Faults(nemesis.Nemesis):
    """Of the hosts that do not lead, and of the network. What is lost is little: who has heard
    nothing of a crash cannot wait for its end."""

    KINDS = ("kill", "restart", "stall", "split", "cut", "loss", "successor")
    LOSSES = 2, 5

    def one(self, least=2):
        hosts = [h for h in self.fit(least) if not (h.view and h.view["role"] == "leader")]
        return self.chance.choice(hosts) if hosts else None

    def successor(self):
        """Who coordinates, and waits for the end of the crash perhaps, is killed too."""
        names = {h.group().split(".")[0] for h in self.fit(2) if h.group()}
        hosts = [h for h in self.fit(2) if h.name in names and h.view["role"] != "leader"]
        if hosts:
            self.gone(self.chance.choice(hosts), "successor", signal.SIGKILL,
                      self.chance.uniform(0.05, 1.0))

    def crash(self, host):
        """Not to be started again before its copy has ended, which is what systemd waits for."""
        fault = self.noted("crash", [host])
        self.truth.running.discard(host)
        self.truth.note(fault.begin)
        host.kill()
        return fault

    def some(self, most):
        for kind in self.chance.sample(self.kinds, self.chance.randint(0, most)):
            getattr(self, kind)()
            self.rest(self.chance.uniform(0, 0.4))

    def was_cut_off(self, host, victim, at):
        """From the LAN of the other, or it heard somebody not, shortly before."""
        moments = self.truth.moments
        before = max((m.at for m in moments if m.at <= at - TOLD), default=0)
        return any(m.part[host] != m.part[victim] or any(deaf is host for _, deaf in m.cut)
                   for m in moments if before <= m.at <= at)


def acting(w):
    """The hosts whose hooks have led, and have not been demoted since."""
    found = []
    for host, one in w.hooked.items():
        roles = [r for r in one.events() if r.event == "leader" or r.event in DEMOTIONS]
        if host.process and host.view and host.view["role"] == "leader" and roles and \
                roles[-1].event == "leader" and roles[-1].end:
            found.append(host)
    return found


def scene(w, faults):
    """One kill, faults before it and after it, all well again. False if nobody acted."""
    w.wait_roles()
    faults.some(2)
    leaders = acting(w)
    if leaders:
        victim = faults.chance.choice(leaders)
        hooks = w.hooked[victim]
        slow(hooks)
        crash = faults.crash(victim)
        faults.some(3)
        faults.rest(max(0.0, crash.begin + DEMOTION - lan.now()))
        ended = demoted(hooks, crash.begin)
        faults.rest(faults.chance.uniform(COPY_ENDS, 1.0))
        faults.start(victim, crash)
    faults.end_all()
    if leaders:
        bad = [run for run in beside(w, victim, crash.begin, ended)
               if not faults.was_cut_off(run.host, victim, run.begin)]
        check(not bad, "%s was killed at %.3f, its demotion ended at %.3f: %s; %s", victim.name,
              crash.begin, ended, bad, [str(f) for f in faults.truth.faults])
    faults.truth.take()
    return bool(leaders)


def kills(wanted, seed):
    chance = random.Random(seed)
    with World(HOSTS, "") as w:
        faults = Faults(w.net, chance)
        if not nemesis.can_filter(w.net.hosts[0]):
            faults.kinds = tuple(set(faults.kinds) - {"cut", "loss"})
        for host in w.net.hosts:
            faults.truth.running.add(host)
        faults.truth.note()
        done = 0
        while done < wanted:
            done += scene(w, faults)
        w.wait_roles()
        hooked.judge(w.hooked, split=True)
        return "0 beside a demotion; %s" % ", ".join(
            "%s %d" % item for item in sorted(faults.count.items()))


def side_by_side(wanted, seed):
    """Programs of their own, for each has namespaces of its own. Their statuses."""
    each = [wanted // GROUPS + (n < wanted % GROUPS) for n in range(GROUPS)]
    programs = [subprocess.Popen([sys.executable, "-B", sys.argv[0], "group", str(number),
                                  str(seed + n)], stdout=subprocess.PIPE, text=True)
                for n, number in enumerate(each) if number]
    for program in programs:
        print(program.communicate()[0], end="", flush=True)
    return max(program.returncode for program in programs)


def figures(result, runs):
    with lan.Lan(HOSTS) as net:
        net.start()
        for number in ENDS:
            result.attempt("%s, no hookd" % number.name, without_hookd, net, number, runs)
    with World(HOSTS, "") as w:
        for number in ENDS:
            result.attempt("%s, hookd" % number.name, with_hookd, w, number, runs)
        result.attempt("a demotion of %.1f s" % DEMOTION, with_a_demotion, w, runs)


def main():
    words = sys.argv[1:] or ["5"]
    if words[0] == "faults":
        seed = int(words[2]) if len(words) > 2 else random.SystemRandom().randrange(1 << 31)
        sys.exit(side_by_side(int(words[1]) if len(words) > 1 else 40, seed))
    result = report.Report()
    lan.setup()
    hooked.setup()
    if words[0] == "group":
        result.attempt("%s kills, seed %s" % (words[1], words[2]), kills, int(words[1]),
                       int(words[2]))
    else:
        figures(result, int(words[0]))
    result.exit()


if __name__ == "__main__":
    main()
