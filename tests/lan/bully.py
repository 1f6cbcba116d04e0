#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Five real hosts that elect by bully, alone, and on one LAN with hosts that elect by invitation.

bully.py [RUNS]: each fault RUNS times (default 3). Alone: the best of the living leads, whoever came,
went or was cut off. With others: the hosts with invitation lead, the others do not and both say so;
a domain is changed from one to the other host by host, under rising tokens, and two never lead for
longer than a hand-over takes.
"""
import sys
import time

import lan
from lan import BEACON, DEAD_AFTER, LONE_HOLD
import report
from report import Failed

HOSTS = 5
# Bounds: `electsim bounds --algorithm bully`, and as much again for a busy machine.
KILLED, STOPPED, SILENT = 2 * BEACON, 2 * BEACON, DEAD_AFTER + 3 * BEACON
RETURNED = 15 * BEACON  # it listens for three, and asks who lives
# Two algorithms: a beacon, two round trips and the demotion, which takes no time here.
BOTH_LEAD = BEACON + 0.1
# Nobody leads while the last host with invitation is changed, and nobody of the others may yet.
CHANGED_OVER = 3 * BEACON + LONE_HOLD + 5 * BEACON


def elects_by(host, algorithm):
    host.write_config('algorithm = "%s";' % algorithm)
    host.algorithm = algorithm


def best(hosts):
    return max(hosts, key=lambda h: h.number)


def led_by_best(net, hosts):
    """The best of them leads all of them."""
    return net.agreed(hosts) and best(hosts).view["role"] == "leader"


def both_lead(net, mark):
    """For how long two hosts led at once since then."""
    leading, began, total = set(), None, 0.0
    for number, (at, host, event) in enumerate(net.since(0)):
        if began is not None and number > mark:
            total += at - began
        (leading.add if event["status"]["role"] == "leader" else leading.discard)(host)
        began = at if len(leading) > 1 else None
    return total


def cold_start(net):
    at = lan.now()
    net.start()
    took = net.wait("the best leads", lambda: led_by_best(net, net.hosts)) - at
    return "%.0f ms" % (took * 1000)


def best_killed(net, runs):
    agree, back = [], []
    for _ in range(runs):
        victim = best(net.hosts)
        rest = [h for h in net.hosts if h is not victim]
        token = victim.token()
        at = victim.kill()
        agree.append(net.wait("the next best leads", lambda: net.led(rest) and
                              best(rest).view["role"] == "leader") - at)
        if best(rest).token() <= token:
            raise Failed("the token did not grow")
        at = lan.now()
        victim.start()
        back.append(net.wait("it leads again", lambda: led_by_best(net, net.hosts)) - at)
    return "%s; it leads again: %s" % (report.within(agree, KILLED), report.within(back, RETURNED))


def best_stopped(net, runs):
    times = []
    for _ in range(runs):
        victim = best(net.hosts)
        rest = [h for h in net.hosts if h is not victim]
        at = lan.now()
        victim.process.terminate()
        times.append(net.wait("the next best leads", lambda: net.led(rest) and
                              best(rest).view["role"] == "leader") - at)
        victim.end(0)
        victim.start()
        net.wait("it leads again", lambda: led_by_best(net, net.hosts))
    return report.within(times, STOPPED)


def best_cut_off(net, runs):
    """One leader in each part; together again, the best, and no two of one group ever."""
    times = []
    for _ in range(runs):
        alone, rest = [best(net.hosts)], [h for h in net.hosts if h is not best(net.hosts)]
        at = net.split(alone, rest)
        times.append(net.wait("the others' best leads", lambda: net.led(rest) and
                              best(rest).view["role"] == "leader") - at)
        net.wait("the one alone leads", lambda: net.agreed(alone))
        net.heal()
        net.wait("the best leads all", lambda: led_by_best(net, net.hosts))
    return report.within(times, SILENT)


def member_restarted(net, runs):
    for _ in range(runs):
        member = net.hosts[0]
        member.kill()
        member.start()
        net.wait("it is back", lambda: member.view and led_by_best(net, net.hosts))
    net.quiet(10 * BEACON)
    return "and quiet for 10 beacons"


def said(host, *wanted):
    """What status, check and metrics say of the other algorithm."""
    check = host.electctl("check")
    status = " ".join(host.electctl("status").stdout.split())  # long lines are broken
    missing = [w for w in wanted if w not in status]
    if missing:
        raise Failed("%s: status does not say %s: %s" % (host.name, missing, status))
    return check.returncode, check.stdout + check.stderr


def told_of_others(net):
    """Both say so, who may not lead and who goes on."""
    for host in net.running():
        if host.algorithm == "bully":
            code, words = said(host, "Algorithm", "runs another algorithm, invitation",
                               "does not lead meanwhile")
        else:
            code, words = said(host, "10.77.0.5 (id 00000000) runs another algorithm, bully",
                               "this host goes on")
        if code != 6 or "runs another algorithm" not in words:
            raise Failed("%s: check says %d %s" % (host.name, code, words))


def mixed(net):
    """Two better hosts that lead by bully, and three with invitation come."""
    weak, strong = net.hosts[3:], net.hosts[:3]
    for host in weak:
        elects_by(host, "bully")
        host.start()
    net.wait("the best leads", lambda: led_by_best(net, weak))
    token, mark = best(weak).token(), net.mark()
    for host in strong:
        elects_by(host, "invitation")
        host.start()
    net.wait("invitation leads", lambda: net.agreed(strong) and
             all(h.view["role"] != "leader" for h in weak))
    if net.leader().token() <= token:
        raise Failed("the token did not grow")
    lan.until("all have heard of the others", lambda: all(
        "runs another algorithm" in h.electctl("status").stdout for h in net.hosts))
    told_of_others(net)
    time.sleep(2 * LONE_HOLD)
    if net.leader() not in strong:
        raise Failed("%s leads" % net.leader().name)
    both = both_lead(net, mark)
    if both > BOTH_LEAD:
        raise Failed("two led for %.0f ms" % (both * 1000))
    return "two led for %.0f ms" % (both * 1000)


def changed_over(net):
    """From the mixed LAN on, host by host, the leader last."""
    leader, mark, token = net.leader(), net.mark(), net.leader().token()
    for host in [h for h in net.hosts[:3] if h is not leader] + [leader]:
        host.stop()
        elects_by(host, "bully")
        at = lan.now()
        host.start()
        if host is not leader:
            lan.until("%s has heard of invitation" % host.name, lambda host=host:
                      "runs another algorithm" in host.electctl("status").stdout)
            if net.leader() is not leader:
                raise Failed("%s leads" % net.leader().name)
    gap = net.wait("the best leads", lambda: led_by_best(net, net.hosts)) - at
    if net.leader().token() <= token:
        raise Failed("the token did not grow")
    both = both_lead(net, mark)
    if both > 0:
        raise Failed("two led for %.0f ms" % (both * 1000))
    return report.within([gap], CHANGED_OVER, 0)


def changed_back(net):
    """And back, all at once but one host: the one with invitation leads."""
    first = net.hosts[0]
    first.stop()
    elects_by(first, "invitation")
    first.start()
    net.wait("the one with invitation leads alone", lambda: first.view and
             first.view["role"] == "leader" and
             all(h.view["role"] != "leader" for h in net.hosts[1:]))
    for host in net.hosts[1:]:
        host.stop()
        elects_by(host, "invitation")
        host.start()
    net.settle()
    if net.leader() is not first:
        raise Failed("%s leads: invitation's leader stays" % net.leader().name)


def refused(net):
    """A reload that changes it says that it waits for a restart, and nothing else happens."""
    host, mark = net.hosts[0], net.mark()
    elects_by(host, "bully")
    done = host.electctl("reload")
    if "restart" not in done.stdout + done.stderr or "algorithm" not in done.stdout + done.stderr:
        raise Failed("reload says %s" % (done.stdout + done.stderr))
    time.sleep(5 * BEACON)
    if net.groups_since(mark) not in ([], [host.group()]):
        raise Failed("a reload formed %s" % net.groups_since(mark))


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    result = report.Report()
    lan.setup()
    with lan.Lan(HOSTS) as net:
        for host in net.hosts:
            elects_by(host, "bully")
        result.attempt("cold start", cold_start, net)
        result.attempt("the best is killed", best_killed, net, runs)
        result.attempt("the best is stopped", best_stopped, net, runs)
        result.attempt("the best is cut off", best_cut_off, net, runs)
        result.attempt("a member restarts", member_restarted, net, runs)
        if result.failed:
            net.print_logs()
    with lan.Lan(HOSTS) as net:
        result.attempt("beside invitation", mixed, net)
        result.attempt("changed over", changed_over, net)
        result.attempt("changed back", changed_back, net)
        result.attempt("a reload", refused, net)
        if result.failed:
            net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
