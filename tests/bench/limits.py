#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""electd's limits, in one run next to keepalived: two, three, five and many hosts.

Each fault happens 30 times, a heal 60 times: with electd's default timings, and with its profile
fast; half as often with keepalived that advertises every 100 and every 10 ms. The configurations,
the faults and the observer are those of the benchmark; but electd uses both families, and the LAN
has a default gateway, whose kernel answers. A limit that does not hold is a failure.

Times of a few milliseconds depend on the processors, which all hosts share here. If the machine has
other work, `chrt -f 10 limits.py ...` puts all of this before it."""
import argparse
import os
import shutil
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lan"))

import bench                          # noqa: E402
from faults import Bench, DEMOTION_MS, NEVER  # noqa: E402
import hooked                         # noqa: E402
import kinds                          # noqa: E402
import lan                            # noqa: E402
import report                         # noqa: E402
from report import Failed             # noqa: E402
import scale                          # noqa: E402
import steady                         # noqa: E402
import table                          # noqa: E402
from table import Limit               # noqa: E402

DEFAULT, FAST = "electd", "electd, fast"
PEERS = {"keepalived, 100 ms": 100, "keepalived, 10 ms": 10}
MANY = 100
MANY_SHARE = 2 / 3             # of the repetitions
PEER_SHARE = 1 / 2
QUIET, STEADY = 10, 30         # seconds: until a LAN is at rest after starts; then it is watched
CPU_MS = 30                    # of a leader while it is watched

NOTES = """\
Median and worst of n values of electd, and its limits; median / worst of keepalived, of half as
many, and its median as a multiple of electd's. A time begins just before the cause and ends when
all concerned agree.
silent        onto a switch of its own, with its carrier
with scripts  electd-hookd runs on each host and is not killed; a demotion after a crash takes %d ms
leader        %d ms of a processor in %d s are %.2f %% of a core""" % (
    DEMOTION_MS, CPU_MS, STEADY, CPU_MS / STEADY / 10)

# {scene: {setup: [limits]}}
LIMITS = {
    "two": {
        DEFAULT: [Limit("silent", 330), Limit("carrier", 330), Limit("demoted"),
                  Limit("cold", 650)],
        FAST: [Limit("silent", 110), Limit("carrier", 110)]},
    "three": {
        DEFAULT: [Limit("last", 330), Limit("last_carrier", 330),
                  Limit("gone", 330), Limit("gone_carrier", 330)],
        FAST: [Limit("last", 110), Limit("last_carrier", 110),
               Limit("gone", 110), Limit("gone_carrier", 110)]},
    "five": {
        DEFAULT: [Limit("killed", 4), Limit("stop", 3), Limit("script", 10),
                  Limit("heal", 60, 250, times=2), Limit("cold", 625),
                  Limit("scripted_group"), Limit("twice", worst=0),
                  Limit("frames", 15, times=0), Limit("bytes"),
                  Limit("cpu", CPU_MS / STEADY / 10, times=0), Limit("cpu_other"),
                  Limit("resident_leader", 6.0, times=0), Limit("resident_other", 5.1, times=0),
                  Limit("copy", 0.5, times=0)],
        FAST: [Limit("silent", 105)]},
    "many": {DEFAULT: [Limit("silent", 500, 800, times=MANY_SHARE)]},
}


def setups(hosts, faults, fast=(), peers=(), hooks=False):
    """electd's with the default timings and with the profile fast, and keepalived's."""
    more = {"hosts": hosts, "gateway": True, "hooks": hooks}
    found = [kinds.Setup(kinds.Electd, 0.2, DEFAULT, faults, family=None, config="", **more)]
    if fast:
        found.append(kinds.Setup(kinds.Electd, 0.05, FAST, fast, family=None,
                                 config='timing = { profile = "fast"; };', **more))
    for name, beat_ms in PEERS.items() if peers else ():
        found.append(kinds.Setup(kinds.Keepalived, beat_ms / 1000, name, peers, **more))
    return found


LAST = {"last", "last_carrier", "gone", "gone_carrier"}
# {scene: [(setups, how many times as often)]}
FAULTS = {
    "two": [(setups(2, {"silent", "carrier", "cold"}, {"silent", "carrier"},
                    {"silent", "carrier", "cold"}), 1)],
    "three": [(setups(3, LAST, LAST, LAST), 1)],
    "five": [(setups(5, {"killed", "stop", "cold"}, {"silent"},
                     {"killed", "stop", "cold", "silent", "split"}), 1),
             (setups(5, {"split"}), 2),
             (setups(5, {"script", "twice"}, hooks=True), 1)],
    "many": [],
}


class Repeated(bench.Repeated):
    def lasting(self, _):
        """Watches no steady state."""

    def described(self, _):
        return ", ".join(sorted(self.setup.faults))


def say(text):
    print(text, flush=True)


def at_rest(results):
    for setup in setups(5, {"steady"}, peers={"steady"}):
        one = Bench(setup)
        try:
            one.recover()
            time.sleep(QUIET)
            results.add(setup, one.steady(STEADY))
        finally:
            one.close()


def many(results, runs):
    setup = kinds.Setup(kinds.Electd, 0.2, DEFAULT)
    with lan.Lan(MANY, kind=scale.Host) as net:
        scale.know_each_other(net)
        say("  " + scale.cold_start(net))
        for _ in range(runs):
            try:
                took = scale.silent(net)
            except Failed as error:
                say("  %s" % error)
                took = NEVER
                net.heal()
                scale.settle(net)
            results.add(setup, {"silent": took})


def measured(scene, runs):
    results = table.Results(scene)
    for some, times in FAULTS[scene]:
        for setup in some:
            began = lan.now()
            say("%s hosts, %s:" % (scene, setup.name))
            share = times * (PEER_SHARE if setup.name in PEERS else 1)
            repetitions = argparse.Namespace(runs=max(1, int(runs * share)))
            Repeated(setup, results, repetitions, say).run()
            say("  %.0f s" % (lan.now() - began))
    if scene == "five":
        at_rest(results)
    if scene == "many":
        many(results, max(1, int(runs * MANY_SHARE)))
    return results


def rows(results, scene, runs):
    """Yields the cells of each line of the table, and what it judges; None: nothing."""
    for setup, limits in LIMITS[scene].items():
        hosts = str(MANY) if scene == "many" else scene
        yield [hosts + " hosts" + setup[len(DEFAULT):]] + [""] * (5 + len(PEERS)), None
        for cells, limit in zip(table.judged(results, setup, limits, PEERS, runs), limits):
            judges = scene + setup[len(DEFAULT):] + ", " + limit.row
            yield ["  " + cells[0], *cells[1:]], judges if cells[5] else None


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help="of " + ", ".join(LIMITS))
    parser.add_argument("--runs", type=int, default=30, help="repetitions (%(default)s)")
    parser.add_argument("--values", help="a file for all values")
    args = parser.parse_args()
    args.scenes = args.scenes or list(LIMITS)
    if set(args.scenes) - set(LIMITS):
        parser.error("not known: " + ", ".join(sorted(set(args.scenes) - set(LIMITS))))
    return args


def main():
    args = arguments()
    if not shutil.which(kinds.Keepalived.program):
        print("keepalived is not here")
        sys.exit(77)
    lan.setup()
    hooked.setup()
    steady.as_installed()
    say(bench.machine())
    bench.warn_if_busy(say)
    for kind in kinds.Electd, kinds.Keepalived:
        say("%s: %s" % (kind.title, kind.version()))
    results = {scene: measured(scene, args.runs) for scene in args.scenes}
    if args.values:
        with open(args.values, "w", encoding="utf-8") as f:
            f.writelines(line + "\n" for some in results.values() for line in some.lines())
    found = [row for scene in args.scenes for row in rows(results[scene], scene, args.runs)]
    head = ["", "n", "median", "worst", "limit", "", *PEERS]
    say("\n%s\n\n%s\n" % (NOTES, "\n".join(table.aligned([head, *(cells for cells, _ in found)]))))
    result = report.Report()
    for cells, judges in found:
        if judges:
            result.result(judges, cells[5] == "HELD", "%s: %s, worst %s of %s; limit %s" % (
                cells[5], cells[2], cells[3], cells[1], cells[4]))
    result.exit()


if __name__ == "__main__":
    main()
