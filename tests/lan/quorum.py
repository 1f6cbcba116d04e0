#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A quorum of more than half: one leader in a split; and a list that never arrives at one host.

quorum.py [RUNS [SECONDS]]: RUNS clean splits (default 2) of 3, 5 and 12 hosts, the leader on the
smaller side. When a role began and ended is what each daemon says itself (`since`, all of them by
this machine's one boot clock), not when somebody looked. Then the list is dropped by its length on
the way to one host: after SECONDS (default 15) it is counted for as long what that costs; after a
minute at most 2 datagrams a second, sooner at most 8.
"""
import collections
import datetime
import sys
import time

import frames
import lan
import report
from report import Failed

SIZES = (3, 5, 12)
# What hosts say in any case; and, every two seconds, of two coordinators that do not merge.
ROUTINE = ("AYCoord", "AYThere", "AYCoord_answer")


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


def splits(size, runs):
    with lan.Lan(size, "quorum = %d;" % (size // 2 + 1)) as net:
        gaps, times = zip(*(split(net, size, turn) for turn in range(runs)))
    return ("two leaders for 0 ms in %d of %d, %.0f ms between them at least; led again: %s" %
            (runs, runs, min(gaps) * 1000, report.statistics(times)))


def drop_long(host, length):
    """What is longer than so many bytes, headers included, does not get in."""
    rule = "table ip long { chain in { type filter hook input priority 0; "
    rule += "udp dport 7543-7575 meta length > %d drop; }; }" % length
    lan.run("nsenter", "--net=/run/netns/" + host.name, "nft", rule)


def untaken(seconds):
    """The list of four hosts is the only thing as long as that."""
    with lan.Lan(4) as net:
        deaf = net.hosts[3]
        for host in net.hosts[:3]:
            host.start()
        net.wait("three hosts", lambda: net.agreed(net.hosts[:3]))
        drop_long(deaf, 350)
        deaf.start()
        time.sleep(seconds)
        sniffer = frames.Sniffer(net)
        sniffer.drain()
        seen, begin = collections.Counter(), lan.now()
        while lan.now() < begin + seconds:
            time.sleep(0.1)
            seen.update((host is deaf, name) for host, _, name, _ in sniffer.drain())
        sniffer.close()
        leader = next(h for h in net.hosts[:3] if h.view["role"] == "leader")
        problems = leader.call("io.electd.GetStatus")["health"]["problems"]
        said = [p for p in problems if p.startswith(deaf.name + " does not take the list")]
        if not said or deaf.name + " does not take the list" not in leader.log():
            raise Failed("%s does not name it: %s" % (leader.name, problems))
        count = sum(n for (own, name), n in seen.items() if not own and name not in ROUTINE)
        words = "%.1f datagrams a second: %s; \"%s\"" % (count / seconds, dict(
            (name, n) for (own, name), n in seen.items() if not own), said[0])
        if count > (2 if seconds >= 60 else 8) * seconds:
            raise Failed(words)
        return words


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 15
    result = report.Report()
    lan.setup()
    for size in SIZES:
        result.attempt("clean splits of %d hosts" % size, splits, size, runs)
    result.attempt("a list that never arrives", untaken, seconds)
    result.exit()


if __name__ == "__main__":
    main()
