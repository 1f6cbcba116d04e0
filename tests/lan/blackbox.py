#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real hosts under a seeded nemesis, judged from outside.

blackbox.py [--seed N] [--seconds S] [--hosts H] [--faults N] [--kinds KIND,...]: storms of a few
faults each, after each a calm in which all must agree and then stay as they are. What the daemons
say is merged on one clock and held against S1 to S5, L1 to L4 and what was done (judge.py,
nemesis.py). A seed decides what is done and when, not how the machine runs meanwhile: the same
seed is the same attack, not the same run. With --faults fewer faults than that are a failure.
"""
import argparse
import random
import sys
import time

import judge
import lan
import nemesis
from lan import BEACON, DEAD_AFTER
import report
from report import Failed

# L1: the longest back-off, a host that waits to be invited, what is left of a resign, and room.
AGREE = 5.0 + 8 * BEACON + 2.0 + 3.0
QUIET = 1.5


class Run:
    def __init__(self, net, chosen):
        self.net = net
        self.chance = random.Random(chosen.seed)
        self.nemesis = nemesis.Nemesis(net, self.chance, chosen.kinds)
        self.truth = self.nemesis.truth
        self.judge = judge.Judge(net.hosts)
        self.storms = self.calms = self.settled = 0
        self.longest_agree = 0.0
        self.leader = None

    def begin(self):
        for host in self.net.hosts:
            self.nemesis.start(host)
        self.agree("cold start")

    def agree(self, after):
        at = self.nemesis.end_all()
        try:
            took = self.stable(after, at + AGREE) - at
        except Failed as error:
            self.judge.wrong("L1", "%s", error)
            self.net.print_logs()
            self.settle_judge()
            raise
        self.longest_agree = max(self.longest_agree, took)
        self.nemesis.over()
        self.settle_judge()

    def stable(self, after, until):
        """When all agreed for good. Who stood still until now says so first, and what he said
        before it counts for nothing."""
        self.net.wait("all speak after %s" % after, lambda: all(
            h.view for h in self.net.hosts), max(0.1, until - lan.now()))
        for host in self.net.hosts:
            host.call("io.electd.GetStatus")
        while True:
            time.sleep(DEAD_AFTER + BEACON)
            self.net.wait("L1 after %s" % after, self.net.agreed, max(0.1, until - lan.now()))
            last = self.net.events[-1][0] if self.net.events else 0.0
            if lan.now() - last > DEAD_AFTER:
                return last

    def settle_judge(self):
        """What happened until now, in order, and why, in the words of every host."""
        histories = [(h, h.call("io.electd.GetHistory")) for h in self.net.running()]
        events = self.net.take_events()
        self.truth.note()
        moments, faults = self.truth.take()
        self.judge.take(events, moments, faults)
        for host, answer in histories:
            self.judge.history(host, answer)
        leader = next((h for h in self.net.running() if h.view and h.view["role"] == "leader"),
                      None)
        self.judge.unforced(self.leader, leader, faults)
        self.leader = leader
        self.judge.forget()
        self.past, self.past_faults = events, faults

    def calm(self):
        """Nothing is done: nothing happens."""
        time.sleep(QUIET)
        events = self.net.take_events()
        self.truth.note()
        moments, faults = self.truth.take()
        self.judge.take(events, moments, faults)
        self.calms += 1
        if not any(f.kind == "starved" for f in faults):
            self.settled += 1
            self.judge.quiet(events)

    def storm(self):
        known = len(self.judge.violations)
        kinds, faults = self.nemesis.storm(self.chance.randint(2, 6))
        self.storms += 1
        name = "storm %d (%s)" % (self.storms, ", ".join(kinds))
        self.agree(name)
        self.calm()
        for words in self.judge.violations[known:]:
            print("    %s: %s" % (name, words), flush=True)
        if len(self.judge.violations) > known:
            self.tell()

    def tell(self):
        """The storm that just ended, for whoever looks for what went wrong."""
        for fault in self.past_faults:
            print("        %s" % fault)
        for item in sorted(self.past, key=lambda i: i[2]["boot_ms"]):
            print("        %s, caused by %s" % (lan.describe(item), (item[2]["cause"] or {}).get(
                "name")), flush=True)


def figures(run, seed):
    counts = ", ".join("%s %d" % item for item in sorted(run.nemesis.count.items()))
    print("    seed %d: %d storms, %d faults: %s" % (
        seed, run.storms, sum(run.nemesis.count.values()), counts))
    print("    %d leader changes; reasons: %s" % (len(run.judge.changes), ", ".join(
        "%s %d" % item for item in sorted(run.judge.reasons.items()))))
    print("    longest: %.2f s until all agreed after a storm, %.2f s without a leader of a"
          " majority that could talk, %.2f s with two leaders that could" % (
              run.longest_agree, run.judge.longest_leaderless, run.judge.longest_dual))
    print("    %d of %d calms judged; starved %d times" % (
        run.settled, run.calms, run.starvation.count))


def violations(run, rule):
    found = [v for v in run.judge.violations if v.split(":")[0] in rule.split()]
    if found:
        raise Failed("%d violations, the first: %s" % (len(found), found[0]))
    return "none"


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--hosts", type=int, default=8)
    parser.add_argument("--faults", type=int, default=0)
    parser.add_argument("--kinds", type=lambda text: text.split(","), default=[])
    chosen = parser.parse_args()
    unknown = set(chosen.kinds) - set(nemesis.Nemesis.KINDS)
    if unknown:
        parser.error("no such faults: %s; there are %s" % (
            " ".join(unknown), " ".join(nemesis.Nemesis.KINDS)))
    return chosen


def attack(run, seconds):
    end = lan.now() + seconds
    run.begin()
    run.calm()
    while lan.now() < end:
        run.storm()
    return "%d storms" % run.storms


def main():
    chosen = options()
    # The program is run anew inside its namespaces: with the seed that is printed.
    if not any(word.startswith("--seed") for word in sys.argv):
        sys.argv += ["--seed", str(chosen.seed)]
    result = report.Report()
    lan.setup()
    with lan.Lan(chosen.hosts) as net:
        if not nemesis.can_filter(net.hosts[0]):
            print("no packet filter here")
            sys.exit(77)
        run = Run(net, chosen)
        run.starvation = nemesis.Starvation(net, run.truth)
        run.starvation.start()
        result.attempt("attack", attack, run, chosen.seconds)
        run.starvation.stop()
        figures(run, chosen.seed)
        for rule in ("S1", "S2", "S3", "S4", "S5", "leaders", "L1", "L2", "L3", "L4", "why",
                     "events"):
            result.attempt(rule, violations, run, rule)
        done = sum(run.nemesis.count.values())
        result.result("faults", done >= chosen.faults, "%d, at least %d wanted" % (
            done, chosen.faults))
    result.exit()


if __name__ == "__main__":
    main()
