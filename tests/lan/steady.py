#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What five hosts send and use while nothing happens: what the algorithm says, and nothing else.

steady.py [SECONDS] (default 10). Every period has ±20 %: the bounds on counts come from that. On a
busy machine a late beacon may be asked for: of three windows one must be without.
"""
import collections
import sys
import time

import frames
import lan
from lan import BEACON
import report
from report import Failed

HOSTS = 5
RESIDENT_KIB = 6 * 1024
ANONYMOUS_KIB = 3 * 1024
CPU_SHARE = 0.003
# A window cuts one message off at either end.
ENDS = 1
WINDOWS = 3


def count(net, seconds):
    """Datagrams of each kind that each host sends in so many seconds, and how long it was."""
    sniffer = frames.Sniffer(net)
    sniffer.drain()
    begin, seen = lan.now(), collections.Counter()
    while lan.now() < begin + seconds:
        time.sleep(0.1)
        for host, multicast, name, _ in sniffer.drain():
            seen[host.name, multicast, name] += 1
    took = lan.now() - begin
    sniffer.close()
    return seen, took


def periods(seconds, period):
    """The least and the most messages of a period ±20 % in so long."""
    return seconds / (period * 1.2) - ENDS, seconds / (period * 0.8) + ENDS


def judge(net, seen, seconds):
    leader = net.leader()
    beacons = seen.pop((leader.name, True, "AYCoord"), 0)
    least, most = periods(seconds, BEACON)
    if not least <= beacons <= most:
        raise Failed("%d beacons in %.0f s" % (beacons, seconds))
    answers = []
    for host in net.hosts:
        if host is not leader:
            answers.append(seen.pop((host.name, False, "AYThere"), 0))
    least, most = periods(seconds, 2 * BEACON)
    for n in answers:
        if not least <= n <= most:
            raise Failed("%d AYThere of a member in %.0f s: %s" % (n, seconds, answers))
    if +seen:
        raise Failed("more than the algorithm sends: %s" % dict(+seen))
    return "%d AYCoord in %.1f s (one every %.0f ms), AYThere a member %s, nothing else" % (
        beacons, seconds, seconds / beacons * 1000, answers)


def datagrams(net, seconds, shares):
    """Counts until a window holds; `shares` gets what each host used of a core in the last one."""
    for left in reversed(range(WINDOWS)):
        before = [report.cpu_seconds(h.process.pid) for h in net.hosts]
        seen, took = count(net, seconds)
        shares[:] = [(report.cpu_seconds(h.process.pid) - b) / took
                     for h, b in zip(net.hosts, before)]
        try:
            return judge(net, seen, took)
        except Failed:
            if not left:
                raise


def memory(net):
    figures = [report.memory_kib(h.process.pid) for h in net.hosts]
    resident, anonymous = (max(f[i] for f in figures) for i in (0, 1))
    words = "resident %d KiB of %d, anonymous %d KiB of %d" % (resident, RESIDENT_KIB, anonymous,
                                                               ANONYMOUS_KIB)
    if resident > RESIDENT_KIB or anonymous > ANONYMOUS_KIB:
        raise Failed(words)
    return words


def processor(shares):
    words = "%.3f %% of a core at most, %.3f %% on average" % (
        max(shares) * 100, sum(shares) / len(shares) * 100)
    if max(shares) > CPU_SHARE:
        raise Failed(words)
    return words


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10
    result = report.Report()
    lan.setup()
    with lan.Lan(HOSTS) as net:
        net.start()
        net.settle()
        time.sleep(10 * BEACON)
        mark = net.mark()
        shares = []
        result.attempt("datagrams", datagrams, net, seconds, shares)
        result.result("changes", not net.since(mark), "%d" % len(net.since(mark)))
        result.attempt("memory", memory, net)
        result.attempt("processor", processor, shares)
    result.exit()


if __name__ == "__main__":
    main()
