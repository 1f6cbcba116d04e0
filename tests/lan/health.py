#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A host of which something is reported sick does not lead (algorithm.md 4.12), on three real hosts.

health.py [RUNS]: the leader falls sick RUNS times (default 3). Then its reporter falls silent, all
are sick, what runs on the leader only is reported while an electd-hookd comes and goes, a name is
forgotten, and a required one is not reported.
"""
import sys
import time

import lan
import report
from holders import Holder
from report import Failed

HOSTS = 3
YIELD = 1.0
CONFIG = "timing = { yield_timeout_ms = %d; };" % (YIELD * 1000)
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


def judged(host):
    return host.call("io.electd.GetHealth")["leading"]


def until_judged(host):
    end = lan.now() + 10
    while not judged(host):
        if lan.now() > end:
            raise Failed("%s is never judged" % host.name)
        time.sleep(0.02)
    return lan.now()


def leader_only(net):
    """electd-hookd promotes; where it has ended its demotion is waited for, and then nobody."""
    all_well(net)
    old = net.leader()
    until_judged(old)
    with Holder(old) as hookd:
        if judged(old):
            raise Failed("it is judged while it is promoted")
        old.call("io.electd.Promoted", holder=hookd.holder,
                 token=hookd.snapshot["status"]["token"])
        if not judged(old):
            raise Failed("it is promoted, and not judged")
        at = lan.now()
    error = old.ask("io.electd.Report", name="unit", well=False, leading=True)[0]
    if error != "io.electd.NotLeader" or net.leader() is not old:
        raise Failed("what an electd-hookd has left behind is sick: %s" % error)
    took = until_judged(old) - at
    if took < YIELD:
        raise Failed("%.2f s are left for the demotion" % took)
    old.call("io.electd.Report", name="unit", well=False, leading=True)
    net.wait("another leads", lambda: net.led() and net.leader() is not old)
    return "%.2f s after its electd-hookd" % took


def forgotten(net):
    all_well(net)
    old = net.leader()
    for n in range(15):
        old.call("io.electd.Report", name="once%d" % n, well=True)
    if old.ask("io.electd.Report", name="one-more", well=True)[0] != "io.electd.ReportRefused":
        raise Failed("a seventeenth name is taken")
    old.electctl("forget", "once7")
    old.call("io.electd.Report", name="one-more", well=True)
    if old.ask("io.electd.Report", name="a b", well=False)[0] is None:
        raise Failed("a name with a blank is taken")
    return "a place of 16"


def required(net):
    for host in net.hosts:
        host.kill()
        host.write_config(CONFIG + 'health: { required = [ "pg" ]; };')
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
    with lan.Lan(HOSTS, CONFIG) as net:
        net.start()
        result.attempt("a leader falls sick", sick_leader, net, runs)
        result.attempt("its reporter falls silent", silent_reporter, net)
        result.attempt("all are sick", all_sick, net)
        result.attempt("what runs on the leader only", leader_only, net)
        result.attempt("a name is forgotten", forgotten, net)
        result.attempt("a required name", required, net)
        if result.failed:
            net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
