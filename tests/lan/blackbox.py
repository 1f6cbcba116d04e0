#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real hosts, kernels and disks under a seeded nemesis, judged from outside.

blackbox.py [--seed N] [--seconds S] [--hosts H] [--faults N] [--kinds KIND,...]: storms of a few
faults each (nemesis.py). After each storm all hosts must agree (L1), and the events of the daemons
must satisfy S1 to S5 (judge.py). A seed fixes the faults and their times, but not how the machine
runs meanwhile: the attack can be repeated, the run cannot. Fewer faults than --faults are a
failure.
"""
import argparse
import random
import sys

import judge
import lan
import nemesis
import report
from report import Failed

SHOWN = 200     # records of a storm that are printed if something is wrong with it


class Run:
    def __init__(self, net, chosen):
        self.net, self.seconds = net, chosen.seconds
        self.chance = random.Random(chosen.seed)
        self.nemesis = nemesis.Nemesis(net, self.chance, chosen.kinds)
        self.judge = judge.Judge()

    def answers_agree(self):
        """Judges by replies, because the last event of a stalled host may be outdated."""
        return lan.agree({host: host.call("io.electd.GetStatus") for host in self.net.hosts})

    def agree(self, after):
        """Waits until all hosts agree, and judges all events until then."""
        known = len(self.judge.broken)
        self.net.wait("all report after " + after, lambda: all(h.view for h in self.net.hosts))
        lan.until("L1 after " + after, self.answers_agree)
        self.net.settle()
        events = self.net.take_events()
        self.judge.take(events)
        for rule, text in self.judge.broken[known:]:
            print("    %s: %s %s" % (after, rule, text))
        if len(self.judge.broken) > known:
            for item in events[-SHOWN:]:
                print("        " + lan.describe(item), flush=True)

    def attack(self):
        end, storms = lan.now() + self.seconds, 0
        self.net.start()
        self.agree("cold start")
        while lan.now() < end:
            kinds = self.nemesis.storm(self.chance.randint(2, 6))
            self.nemesis.end_all()
            storms += 1
            self.agree("storm %d (%s)" % (storms, ", ".join(kinds)))
        if storms and not self.judge.leaders:
            raise Failed("no host has led: nothing was judged")
        return "%d storms; %s; %d records, %d promotions" % (
            storms, ", ".join("%s %d" % item for item in sorted(self.nemesis.count.items())),
            self.judge.records, self.judge.leaders)

    def kept(self, rule):
        broken = [text for name, text in self.judge.broken if name == rule]
        if broken:
            raise Failed("%d times, the first: %s" % (len(broken), broken[0]))


def options(kinds=nemesis.Nemesis.KINDS, hosts=8):
    """The arguments of the program. setup() starts it again inside its namespaces, with the seed
    that is printed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--hosts", type=int, default=hosts)
    parser.add_argument("--faults", type=int, default=0)
    parser.add_argument("--kinds", type=lambda text: text.split(","), default=[])
    chosen = parser.parse_args()
    unknown = set(chosen.kinds) - set(kinds)
    if unknown:
        parser.error("no such faults: %s; there are %s" % (" ".join(unknown), " ".join(kinds)))
    if not any(word.startswith("--seed") for word in sys.argv):
        sys.argv += ["--seed", str(chosen.seed)]
    return chosen


def report_on(run, chosen, result):
    """Attacks, and reports on the run, on each rule and on the number of faults."""
    result.attempt("seed %d" % chosen.seed, run.attack)
    for rule in judge.NAMES:
        result.attempt(rule, run.kept, rule)
    done = sum(run.nemesis.count.values())
    result.result("faults", done >= chosen.faults, "%d" % done)


def main():
    chosen = options()
    result = report.Report()
    lan.setup()
    result.attempt("planted violations", judge.planted)
    with lan.Lan(chosen.hosts) as net:
        report_on(Run(net, chosen), chosen, result)
    result.exit()


if __name__ == "__main__":
    main()
