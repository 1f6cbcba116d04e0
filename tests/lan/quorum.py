#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A quorum of more than half: one leader in a split; and a list that never arrives at one host.

quorum.py [RUNS [SECONDS [PROFILE...]]]: RUNS clean splits (default 2) of 3, 5 and 12 hosts, the
leader on the smaller side, with the timings of each profile (default lan). When a role began and
ended is what each daemon says itself (`since`, all of them by this machine's one boot clock), not
when somebody looked. Then the list is dropped by its length on the way to one host of 4 (from 60
SECONDS on also of 12): after SECONDS (default 15) it is counted for as long what that costs, all
hosts' datagrams together but for what two healthy groups say; after a minute at most 2 a second,
sooner at most 8.
"""
import collections
import datetime
import itertools
import sys
import time

import frames
import lan
import report
from report import Failed

SIZES = (3, 5, 12)
# Shorter than the list of so many hosts and of one less; all else is shorter still.
LIST_LENGTHS = {4: 320, 12: 600}
# Datagrams a second by which two counts of the same differ: every period has ±20 %.
NOISE = 0.3


def moment(status):
    """Seconds; the daemons say milliseconds."""
    text = status["since"].replace("Z", "+00:00")
    return datetime.datetime.fromisoformat(text).timestamp()


def first(net, mark, hosts, leads):
    """When the first of them began to lead, or ceased to."""
    return min(moment(event["status"]) for _, host, event in net.since(mark)
               if host in hosts and (event["status"]["role"] == "leader") == leads)


def split(net, size, turn):
    """The gap between the two leaders, and how long nobody led, from the split on."""
    net.restart()
    old = net.leader()
    others = [h for h in net.hosts if h is not old]
    alone = turn % ((size - 1) // 2)
    smaller, larger = [old] + others[:alone], others[alone:]
    mark = net.mark()
    at = net.split(larger, smaller)
    net.wait("a leader on the larger side", lambda: net.led(larger))
    net.wait("none on the smaller", lambda: all(h.view["role"] != "leader" for h in smaller))
    gap = first(net, mark, larger, True) - first(net, mark, [old], False)
    took = lan.now() - at
    net.heal()
    if gap < 0:
        raise Failed("%d of %d: two leaders for %.0f ms" % (turn, size, -gap * 1000))
    return gap, took


def splits(size, runs, profile):
    config = "quorum = %d; timing = { profile = \"%s\"; };" % (size // 2 + 1, profile)
    with lan.Lan(size, config) as net:
        gaps, times = zip(*(split(net, size, turn) for turn in range(runs)))
    return ("two leaders for 0 ms in %d of %d, %.0f ms between them at least; led again: %s" %
            (runs, runs, min(gaps) * 1000, report.statistics(times)))


def drop_long(host, length):
    """What is longer than so many bytes, headers included, does not get in."""
    host.let_in("udp dport 7543-7575 meta length > %d drop" % length)


def counted(net, seconds):
    """Datagrams a second of all hosts, by type."""
    sniffer = frames.Sniffer(net)
    sniffer.drain()
    seen, begin = collections.Counter(), lan.now()
    while lan.now() < begin + seconds:
        time.sleep(0.1)
        seen.update(name for _, _, name, _ in sniffer.drain())
    sniffer.close()
    return {name: n / (lan.now() - begin) for name, n in seen.items()}


def healthy(net, seconds):
    """What a coordinator, and what a member, says in a second when nothing is wrong."""
    net.start()
    net.settle()
    rates = counted(net, seconds)
    rates.pop("AYThere_answer", None)  # where a beacon is late, its sender is asked
    if set(rates) != {"AYCoord", "AYThere"}:
        raise Failed("a healthy group says %s" % rates)
    return rates["AYCoord"], rates["AYThere"] / (len(net.hosts) - 1)


def named(net, deaf):
    """How the leader of the others names the host."""
    leader = next(h for h in net.hosts if h is not deaf and h.view["role"] == "leader")
    problems = leader.call("io.electd.GetStatus")["health"]["problems"]
    said = [p for p in problems if p.startswith(deaf.name + " does not take the list")]
    if not said or deaf.name + " does not take the list" not in leader.log():
        raise Failed("%s does not name it: %s" % (leader.name, problems))
    shown = leader.call("io.electd.GetMembers")["list_untaken"]
    if shown != {"id": deaf.id, "name": deaf.name}:
        raise Failed("%s shows as one without the list: %s" % (leader.name, shown))
    return said[0]


def untaken(size, seconds):
    """The others go on without it, and it makes a group of its own: two coordinators."""
    with lan.Lan(size, family="ipv4") as net:     # one way to each: nobody asks for others
        deaf, others = net.hosts[-1], net.hosts[:-1]
        coordinator, member = healthy(net, min(seconds, 20))
        deaf.stop()
        net.wait("the others", lambda: net.agreed(others))
        drop_long(deaf, LIST_LENGTHS[size])
        deaf.start()
        time.sleep(seconds)
        rates = counted(net, seconds)
        words = "; \"%s\"" % named(net, deaf)
        more = sum(rates.values()) - 2 * coordinator - (size - 2) * member
        words = "%.1f datagrams a second: %s%s" % (more, ", ".join(
            "%s %.1f" % rate for rate in sorted(rates.items())), words)
        if more > (2 if seconds >= 60 else 8) + NOISE:
            raise Failed(words)
        return words


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 15
    result = report.Report()
    lan.setup()
    for profile, size in itertools.product(sys.argv[3:] or ["lan"], SIZES):
        result.attempt("clean splits of %d hosts, %s" % (size, profile), splits, size, runs, profile)
    for size in LIST_LENGTHS if seconds >= 60 else [min(LIST_LENGTHS)]:
        result.attempt("a list that never arrives at one of %d" % size, untaken, size, seconds)
    result.exit()


if __name__ == "__main__":
    main()
