#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A host with very many links and routes, measured next to an empty one.

crowded.py [VETHS [ROUTES [RUNS [CHANGES]]]]: one host with no link but its own, and one with so many
veths (default 1000), routes of IPv4 in a table and routes of IPv6 in the main one (5000 each).
Nothing is configured; a default route chooses, or none does. Printed for each: the time from the
start to a leader and the processor time of that (medians of RUNS, 5), the processor time for a
change of a veth, less what it takes when nothing changes (CHANGES, 200), the longest answer
meanwhile, and memory. Judged is that the crowded host leads after at most 1.5 times the time of the
empty one, and uses its one interface.
"""
import sys

import lan
import report
import veths
import wires
from links import put_in, taken_out
from report import Failed

MOST = 1.5


def start(net, host):
    """(seconds to the leader, processor seconds until then) of one start."""
    host.start()
    took = net.wait("it leads", lambda: host.view and host.view["role"] == "leader") - host.starts[-1]
    used = report.cpu_seconds(host.process.pid)
    return took, used


def starts(net, host, runs):
    times = []
    for _ in range(runs):
        if host.process:
            host.stop()
        times.append(start(net, host))
    return (sorted(t for t, _ in times)[runs // 2], sorted(used for _, used in times)[runs // 2])


def uses(host):
    return sorted({path["interface"] for path in host.call("io.electd.Doctor")["paths"]})


def default_route(host):
    lan.run("ip", "-n", host.name, "route", "add", "default", "via", "10.77.0.254")


def crowd(host, routes):
    """The interface of the LAN comes last in whatever the kernel lists by number."""
    lines = ["route add 10.200.%d.%d/32 dev veth0 table 10" % divmod(n, 256) for n in range(routes)]
    lines += ["route add fd77::%x/128 dev veth0" % n for n in range(1, routes + 1)]
    wires.batch(lines, host.name)
    taken_out(host)
    put_in(host)
    default_route(host)


def measured(net, host, runs):
    took, used = starts(net, host, runs)
    print("  start to leader %.0f ms, %.1f ms of the processor until then, %d KiB of memory" % (
        took * 1000, used * 1000, report.memory_kib(host.process.pid)[0]), flush=True)
    return took


def per_change(host, links, changes, where):
    print("  %s: %.2f ms of the processor for a change, longest answer %.0f ms" % (
        where, veths.processor(host, links, changes), veths.longest_answer(host, links, changes)),
        flush=True)


def main():
    count, routes, runs, changes = [
        int(sys.argv[n]) if len(sys.argv) > n else default
        for n, default in enumerate((1000, 5000, 5, 200), 1)]
    result = report.Report()
    lan.setup()
    with lan.Lan(1) as net:
        host = net.hosts[0]
        default_route(host)
        print("an empty host:")
        empty = measured(net, host, runs)
        host.stop()
        links = veths.Links(host, count)
        crowd(host, routes)
        lan.until("no address is tentative", lambda: not lan.run(
            "ip", "-n", host.name, "addr", "show", "tentative").stdout)
        print("a host with %d veths and %d routes of each family:" % (count, routes))
        crowded = measured(net, host, runs)
        per_change(host, links, changes, "with a default route")

        def in_time():
            words = "%.2f times the time of an empty host, at most %.1f" % (crowded / empty, MOST)
            if crowded > MOST * empty:
                raise Failed(words)
            return words

        def chosen():
            if uses(host) != ["eth0"]:
                raise Failed("uses %s" % uses(host))
        result.attempt("start to leader", in_time)
        result.attempt("the interface of the default route", chosen)
        lan.run("ip", "-n", host.name, "route", "del", "default")
        host.stop()
        host.start()
        net.settle()
        per_change(host, links, changes, "without a default route, when any link may be chosen")
        links.close()
    result.exit()


if __name__ == "__main__":
    main()
