#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A host of which something is reported sick does not lead (algorithm.md 4.12), on three real hosts.

health.py [RUNS]: the leader falls sick RUNS times (default 3). Then its reporter falls silent, all
are sick, and a required name is not reported.
"""
import sys

import lan
import report
from report import Failed

HOSTS = 3
WORDS = "connection refused"


def say(host, well, **more):
    """The moment at which it was said."""
    at = lan.now()
    host.call("io.electd.Report", name="pg", well=well, words="" if well else WORDS, **more)
    return at


def all_well(net):
    """As after a start: no bar is left of what was before."""
    net.restart()
    for host in net.hosts:
        say(host, True)


def why_not(host, of):
    return next(m["why_not"] for m in host.call("io.electd.GetMembers")["members"]
                if m["id"] == of.id)


def sick_leader(net, runs):
    took = []
    for _ in range(runs):
        all_well(net)
        old, others = net.leader_and_others()
        at = say(old, False)
        took.append(net.wait("another leads", lambda: net.led() and net.leader() is not old) - at)
        net.wait("all are together", net.agreed)
        if old.view["health"]["ok"] or old.electctl("check").returncode == 0:
            raise Failed("%s says that all is well" % old.name)
        if "pg is sick: " + WORDS not in old.log():
            raise Failed("the journal does not say so")
        for host in others:
            if why_not(host, old) != "sick (pg): " + WORDS:
                raise Failed("%s knows: %s" % (host.name, why_not(host, old)))
        say(old, True)
        net.wait("it is barred", lambda: old.view["health"]["ok"])
        if not 0 < old.call("io.electd.GetStatus")["node"]["barred_ms"] <= 30000:
            raise Failed("it may lead at once")
    return report.within(took, 0.500)


def silent_reporter(net):
    all_well(net)
    old = net.leader()
    at = say(old, True, stale_ms=500)
    took = net.wait("another leads", lambda: net.led() and net.leader() is not old) - at
    if not 0.5 <= took < 0.7:
        raise Failed("%.0f ms" % (took * 1000))
    return "%.0f ms" % (took * 1000)


def all_sick(net):
    all_well(net)
    for host in net.hosts:
        say(host, False)
    net.wait("nobody leads", lambda: all(h.view["role"] == "none" for h in net.hosts))
    chosen = net.hosts[1]
    at = say(chosen, True)
    return "%.0f ms after one is well" % (
        1000 * (net.wait("it leads", lambda: net.led() and net.leader() is chosen) - at))


def required(net):
    for host in net.hosts:
        host.kill()
        host.write_config('health: { required = [ "pg" ]; };')
    net.start()
    net.wait("all are together", lambda: net.agreed(leader=False))
    chosen = net.hosts[2]
    if chosen.call("io.electd.GetHealth")["reports"][0]["health"] != "unknown":
        raise Failed("it is known")
    say(chosen, True)
    net.wait("it leads", lambda: net.led() and net.leader() is chosen)
    return "unknown does not lead"


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    result = report.Report()
    lan.setup()
    with lan.Lan(HOSTS) as net:
        net.start()
        result.attempt("a leader falls sick", sick_leader, net, runs)
        result.attempt("its reporter falls silent", silent_reporter, net)
        result.attempt("all are sick", all_sick, net)
        result.attempt("a required name", required, net)
        if result.failed:
            net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
