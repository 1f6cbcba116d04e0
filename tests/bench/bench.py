#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares electd with keepalived, corosync, etcd and ucarp: five hosts, the same faults and
observer.

run.sh calls this program; it installs the peers, builds electd, and documents the arguments."""
import argparse
import datetime
import os
import platform
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lan"))

import kinds                          # noqa: E402
import lan                            # noqa: E402
from faults import Bench, NEVER       # noqa: E402
from report import Failed             # noqa: E402
import table                          # noqa: E402

# {advertised interval in ms: seconds for one setup, unless repetitions are given}
SHARES = {10: 60, 50: 45, 100: 60, 200: 60, 1000: 70}
# At these intervals, false changes are counted, too.
DISTURBED = 10, 100
MOST = 30
# A measurement must begin before the first of these, and is cut off at the second.
LAST_BEGIN, LAST_END = 25 * 60, 27 * 60

NOTES = """\
Median / worst, and the median as a multiple of the first column's. A time begins just before the
cause and ends when all concerned agree, and go on to: one leads and the others follow, and who
names the leader names the same.
process killed   the process that elects, by SIGKILL; keepalived's parent starts its child anew.
all processes    all of that host's, at once; the same where there is only one.
silent           onto a switch of its own, with its carrier; no carrier: its cable is pulled.
stands still     SIGSTOP of all its processes, until another leads; then they run on.
"no end"         had not ended when the fault had: what keeps no quorum leads on each side.
MiB resident     pages of files once a host. Frames and bytes: all that the hosts send.
No keys are used but by ucarp, which needs one. What they write to disk they write to memory here.
"""


def arguments():
    parser = argparse.ArgumentParser(prog="run.sh", description=__doc__.split("\n")[0])
    parser.add_argument("runs", nargs="?", type=int, help="repetitions of each fault; without it "
                        "as many as fit into half an hour, at least one")
    parser.add_argument("--only", default="", help="of electd,keepalived,corosync,etcd,ucarp")
    parser.add_argument("--beats", default=",".join(map(str, SHARES)),
                        help="advertised intervals in ms (%(default)s)")
    parser.add_argument("--seconds", type=float, default=10, help="how long the steady state, loss "
                        "and load are watched (%(default)s)")
    parser.add_argument("--out", default=".", help="folder for table.txt, figures.tsv and "
                        "bench.svg (a new one in $TMPDIR)")
    args = parser.parse_args()
    args.began = lan.now()
    args.beats = [int(beat) for beat in args.beats.split(",")]
    args.only = [word for word in args.only.split(",") if word]
    unknown = set(args.only) - {kind.title for kind in kinds.KINDS}
    if unknown:
        parser.error("not known: " + ", ".join(sorted(unknown)))
    return args


class Told:
    """Prints, and keeps the text for table.txt."""

    def __init__(self, folder):
        self.file = open(os.path.join(folder, "table.txt"), "w")

    def __call__(self, text=""):
        print(text, flush=True)
        self.file.write(text + "\n")
        self.file.flush()


def machine():
    with open("/proc/cpuinfo") as f:
        models = [line.split(":", 1)[1].strip() for line in f if line.startswith("model name")]
    return "%d cores (%s), Linux %s" % (os.cpu_count(), models[0] if models else
                                        platform.machine(), platform.release().split("-")[0])


def warn_if_busy(say):
    load = os.getloadavg()[0]
    if load > os.cpu_count() / 4:
        say("This machine is not quiet (load %.1f): the figures are of that, too." % load)


class Repeated:
    """The rounds of one setup: a given number, or as many as its share of the time allows."""

    def __init__(self, setup, results, args, say):
        self.setup, self.results, self.args, self.say = setup, results, args, say
        self.began = lan.now()
        self.share = SHARES.get(round(setup.beat * 1000), 100)

    def functions(self):
        if not self.setup.faults:
            return Bench.ROUND
        return [f for f in Bench.ROUND + Bench.FURTHER if f.__name__ in self.setup.faults]

    def measure(self, bench, function, *more):
        name = function.__name__
        try:
            measured = function(bench, *more)
        except (Failed, OSError, subprocess.SubprocessError) as error:
            self.say("  %s, %s: %s" % (self.setup.name, name, error))
            measured = {name: NEVER} if name in table.TIMES else {}
        self.results.add(self.setup, measured)
        bench.recover()

    def described(self, bench):
        return bench.net.hosts[0].described().replace("\n", "\n    ")

    def lasting(self, bench):
        if self.setup.faults:
            return
        self.measure(bench, Bench.steady, self.args.seconds)
        if round(self.setup.beat * 1000) in DISTURBED:
            self.measure(bench, Bench.loss, self.args.seconds)
            self.measure(bench, Bench.load, self.args.seconds)

    def more(self, rounds, took):
        if self.args.runs:
            return rounds < self.args.runs
        return rounds < MOST and lan.now() + took < self.began + self.share

    def late(self):
        return not self.args.runs and lan.now() > self.args.began + LAST_END

    def run(self):
        bench = Bench(self.setup)
        try:
            self.say("  " + self.described(bench))
            bench.recover()
            self.lasting(bench)
            rounds, took = 0, 0
            while not rounds or self.more(rounds, took):
                begin = lan.now()
                for function in self.functions():
                    if not self.late():
                        self.measure(bench, function)
                rounds, took = rounds + 1, lan.now() - begin
        except Failed as error:
            self.say("  %s is given up: %s" % (self.setup.name, error))
            bench.net.print_logs()
        finally:
            bench.close()


def one_beat(beat_ms, there, args, say):
    results = table.Results(beat_ms)
    for kind in there:
        setups = kinds.SETUPS[kind](beat_ms)
        if not setups:
            say("%s: no configuration for an interval of %d ms: left out" % (kind.title, beat_ms))
        for setup in setups:
            if not args.runs and lan.now() > args.began + LAST_BEGIN:
                say("%s, %d ms: no time was left for it" % (setup.name, beat_ms))
                continue
            say("%s, advertised every %d ms; on the first host:" % (setup.name, beat_ms))
            Repeated(setup, results, args, say).run()
    say()
    return results


def main():
    args = arguments()
    lan.setup()
    # A killed corosync leaves files there, which are gone with this mount.
    lan.run("mount", "-t", "tmpfs", "bench", "/dev/shm")
    say = Told(args.out)
    there, missing = kinds.present()
    if args.only:
        there = [kind for kind in there if kind.title in args.only]
    say("%s, %s" % (datetime.date.today(), machine()))
    warn_if_busy(say)
    for kind in there:
        say("%s: %s. Observed: %s" % (kind.title, kind.version(), kind.told))
    for kind in missing:
        say("%s is not here: left out" % kind.title)
    say()
    everything = [one_beat(beat, there, args, say) for beat in args.beats]
    everything = [results for results in everything if results.setups]
    say(NOTES.rstrip())
    for results in everything:
        say()
        say(results.table())
    with open(os.path.join(args.out, "figures.tsv"), "w") as f:
        for results in everything:
            f.writelines(line + "\n" for line in results.lines())
    say()
    say(table.draw(everything, args.out, "%s, %s" % (datetime.date.today(), machine())))


if __name__ == "__main__":
    main()
