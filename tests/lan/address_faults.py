#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which hosts have the addresses of the leader, under a seeded nemesis.

address_faults.py [--seed N] [--seconds S] [--hosts H] [--faults N] [--kinds KIND,...]: the storms of
blackbox.py, with an electd-address on each host, which also is killed and frozen, alone or together
with all processes of its host, and whose addresses another program removes. In every second storm
on average only CALM kinds happen, after which no two hosts can lead. After a stall two may, for a
moment and without a quorum: that is not judged here.

- A host has no address later than LEASE_MOST + 0.5 s after it led last, in a calm storm 0.3 s. A
  frozen host does not lead.
- In a calm storm no two hosts have an address at one time.
- When all hosts agree after a storm, the leader has all addresses, and nobody else has one."""
import collections
import signal

import addressed
import blackbox
import judge
import lan
import nemesis
import report
import served
from addressed import ADDRESSES, CONFIG
from report import Failed

LEASE_MOST = 2.1    # the kernel's removal after the last refresh
LATE = LEASE_MOST + 0.5
CALM_LATE = 0.3     # a removal that waits for nothing, on a busy machine
# electd-address may add an address before the event of its electd has arrived here.
EARLY = 0.05
EVER = float("inf")
CALM = ("kill", "restart", "stop", "resign", "blackout", "address_kill", "flush")


class Nemesis(nemesis.Nemesis):
    """Also notes when a host, whatever its last event says, cannot lead."""

    KINDS = (*(kind for kind in nemesis.Nemesis.KINDS if kind != "reload"), "address_kill",
             "address_stall", "all_kill", "all_stall", "flush")

    def __init__(self, net, chance, kinds=()):
        super().__init__(net, chance, kinds)
        self.every = self.kinds
        self.programs = {host: addressed.Addressed(host) for host in net.hosts}
        self.still = set()    # hosts whose electd-address is frozen
        self.marks = []       # (time, host, whether its electd runs)
        self.calm = False

    def storm(self, faults):
        self.calm = self.chance.random() < 0.5
        calm = tuple(kind for kind in self.every if kind in CALM)
        self.kinds = calm if self.calm and calm else self.every
        self.calm = self.kinds is calm
        return super().storm(faults)

    def mark(self, host, runs):
        self.marks.append((lan.now(), host, runs))

    def gone(self, host, kind, sig, seconds):
        super().gone(host, kind, sig, seconds)
        if host:
            self.mark(host, False)

    def stall(self, host=None, seconds=None):
        before = set(self.stalled)
        super().stall(host, seconds)
        for one in self.stalled - before:
            self.mark(one, False)

    def go_on(self, host):
        super().go_on(host)
        self.mark(host, True)

    # ---- faults of electd-address ----

    def whole(self):
        """Draws a host that runs, as its electd-address does; the leader more often."""
        host = self.one()
        if not host or not self.programs[host].process or host in self.still:
            return None, None
        return host, self.programs[host]

    def address_kill(self):
        _, program = self.whole()
        if program:
            self.noted("address_kill")
            program.end(signal.SIGKILL)
            self.later(self.chance.uniform(0.1, 2), program.start)

    def address_stall(self):
        host, program = self.whole()
        if program:
            self.noted("address_stall")
            self.still.add(host)
            program.send(signal.SIGSTOP)
            self.later(self.chance.choice((0.3, 1.0, 3.0)), self.address_goes_on, host)

    def address_goes_on(self, host):
        self.programs[host].send(signal.SIGCONT)
        self.still.discard(host)

    def freeze(self, host):
        """Freezes all processes of the host; returns them."""
        pids = lan.processes(host.process.pid) + lan.processes(self.programs[host].process.pid)
        lan.send(pids, signal.SIGSTOP)
        self.mark(host, False)
        return pids

    def all_kill(self):
        host, program = self.whole()
        if host:
            self.noted("all_kill")
            lan.send(self.freeze(host), signal.SIGKILL)
            host.end(signal.SIGKILL)
            program.end(signal.SIGKILL)
            seconds = self.chance.uniform(0.5, 4)
            self.later(seconds, host.start)
            self.later(seconds, program.start)

    def all_stall(self):
        host, _ = self.whole()
        if host:
            self.noted("all_stall")
            self.stalled.add(host)
            self.still.add(host)
            self.later(self.chance.choice((0.7, 2.0, 4.0)), self.all_go_on, host, self.freeze(host))

    def all_go_on(self, host, pids):
        self.still.discard(host)
        lan.send(pids, signal.SIGCONT)
        self.go_on(host)

    def flush(self):
        host = self.one()
        if host:
            self.noted("flush")
            addressed.anew(host)


# ---- the judge -----------------------------------------------------------------------------------


def led_spans(steps, end):
    """[(begin, end)] from [(time, leads)], in order of time."""
    spans, begin = [], None
    for at, leads in steps:
        if leads and begin is None:
            begin = at
        elif not leads and begin is not None:
            spans.append((begin, at))
            begin = None
    return spans + ([(begin, end)] if begin is not None else [])


def longest(led, held):
    """The longest time after its host led last at which an address was still held, or was added.
    Both are spans (begin, end) in order."""
    most = 0.0
    bounds = [(-EVER, -EVER), *led, (EVER, EVER)]
    for (_, last), (following, _) in zip(bounds, bounds[1:]):
        for begin, end in held:
            first, until = max(begin, last), min(end, following - EARLY)
            if until > first:
                most = max(most, until - last)
    return most


class Judge(judge.Judge):
    """Also remembers when each host led."""

    def __init__(self):
        super().__init__()
        self.steps = collections.defaultdict(list)    # host: [(time, leads)]

    def take(self, events):
        super().take(events)
        for at, host, event in events:
            self.steps[host].append((at, event["status"]["role"] == "leader"))


class Run(blackbox.Run):
    def __init__(self, net, chosen):
        super().__init__(net, chosen)
        self.nemesis = Nemesis(net, self.chance, chosen.kinds)
        self.judge = Judge()
        self.holders = served.Holders(net.hosts, ADDRESSES)
        self.since = lan.now()
        self.worst = collections.Counter()    # {words: seconds}
        self.calm = 0
        for program in self.nemesis.programs.values():
            program.start()

    def owners(self):
        return [self.holders.having(address) for address in ADDRESSES]

    def agree(self, after):
        super().agree(after)
        leader, at = self.net.leader(), lan.now()
        lan.until("only %s has the addresses after %s" % (leader.name, after),
                  lambda: self.owners() == [{leader}] * len(ADDRESSES), pause=0.01)
        self.most("until the leader has all", lan.now() - at, LATE, after)
        self.judge_storm(after)

    def most(self, words, seconds, bound, after):
        self.worst[words] = max(self.worst[words], seconds)
        if seconds > bound:
            raise Failed("%s: %s: %.3f s, at most %.1f" % (after, words, seconds, bound))

    def judge_storm(self, after):
        end, calm, marks = lan.now(), self.nemesis.calm, self.nemesis.marks
        name = "a calm storm" if calm else "another storm"
        self.calm += calm
        for host in self.net.hosts:
            steps = sorted(self.judge.steps[host] + [(at, False) for at, one, runs in marks
                                                     if one is host and not runs])
            # A host that goes on leads, if it led before, until its next event.
            for at, one, runs in marks:
                before = [leads for t, leads in self.judge.steps[host] if t < at]
                if one is host and runs and before[-1:] == [True]:
                    steps = sorted(steps + [(at, True)])
            led = led_spans(steps, end)
            for address in ADDRESSES:
                held = self.held(host, address)
                self.most("after the role, in " + name, longest(led, held),
                          CALM_LATE if calm else LATE, "%s, %s, %s" % (after, host.name, address))
            self.judge.steps[host] = steps[-1:]
        both = max(self.holders.both(self.since, address) for address in ADDRESSES)
        self.most("on two hosts, in " + name, both, 0 if calm else EVER, after)
        self.nemesis.marks, self.since = [], end

    def held(self, host, address):
        """[(begin, end)] in which the host had it, in this storm."""
        return [(begin, end) for begin, end, hosts in self.holders.spans(address, self.since)
                if host in hosts]

    def attack(self):
        words = super().attack()
        if not self.calm:
            raise Failed("no storm was calm: nothing was judged strictly")
        return "%s, %d storms calm; longest: %s" % (words, self.calm, ", ".join(
            "%s %.0f ms" % (words, seconds * 1000) for words, seconds in self.worst.items()))

    def close(self):
        for host, program in self.nemesis.programs.items():
            if program.process:
                lan.send(lan.processes(program.process.pid), signal.SIGCONT)
                program.end(signal.SIGKILL)
            if host.process:
                lan.send(lan.processes(host.process.pid), signal.SIGCONT)
        self.holders.close()


def planted():
    """The judge finds what it should, in made-up spans."""
    for wanted, led, held in (
            (0, [(1, 5)], [(1.1, 4.9)]), (0, [(1, 5)], [(1 - EARLY / 2, 5)]),
            (2, [(1, 5)], [(1.1, 7)]), (2, [(1, 5)], [(6, 7)]), (3, [(1, 5), (8, 9)], [(2, 12)]),
            (1, [(1, 5), (6 + EARLY, 9)], [(2, 8)]), (EVER, [], [(1, 2)]),
            (EVER, [(3, 5)], [(1, 4)])):
        found = longest(led, held)
        if abs(found - wanted) > 1e-9 and found != wanted:
            raise Failed("led %s, held %s: %s, wanted %s" % (led, held, found, wanted))
    steps = [(1, True), (2, True), (3, False), (4, False), (5, True)]
    if led_spans(steps, 9) != [(1, 3), (5, 9)]:
        raise Failed("%s" % led_spans(steps, 9))


def main():
    chosen = blackbox.options(Nemesis.KINDS, hosts=5)
    result = report.Report()
    lan.setup()
    result.attempt("planted violations", planted)
    with lan.Lan(chosen.hosts, CONFIG) as net:
        run = Run(net, chosen)
        try:
            blackbox.report_on(run, chosen, result)
        finally:
            run.close()
    result.exit()


if __name__ == "__main__":
    main()
