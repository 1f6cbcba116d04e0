#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A leader whose host falls silent is found early, and one whose process stands still is not.

silent.py [RUNS [SECONDS]]: the leader's host is cut off RUNS times (default 5; from 30 on also with
5 % of all frames lost, and with a short patience alone); then its process is stopped for 50 to
300 ms once a second for so many seconds (default 8), without a firewall and with two that keep its
kernel from answering: no group is formed, and the latter is told.
"""
import collections
import contextlib
import random
import signal
import sys
import time

import lan
import report
from report import Failed
import strain

HOSTS = 5
MANY = 30
# What is promised of the mean and the worst time (None: nothing); the figures of algorithm.md 4.10:
# half a beacon, 10 ms, silence_ms and the election; all of a beacon.
Set = collections.namedtuple("Set", "name config beacon lost mean worst")
SETS = [
    Set("", "", lan.BEACON, 0, 0.330, 0.480),
    Set(", fast", "timing = { profile = \"fast\"; };", 0.050, 0, 0.125, 0.170),
]
SETS_MANY = [
    Set(", 5 % lost", "", lan.BEACON, 5, 0.370, None),
    Set(", silence_ms 75", "timing = { silence_ms = 75; };", lan.BEACON, 0, 0.220, 0.345),
]
MARGIN, MARGIN_FEW = 0.060, 0.100  # of this machine; of a few runs, on any
PORTS = "7544-7575"
ASKED = 4.5  # three questions, a second apart, and a view

FIREWALLS = {
    "drop": "tcp dport %s drop" % PORTS,
    "reject": "tcp dport %s reject with icmpx type admin-prohibited" % PORTS,
}


def cut_off(net, beacon):
    """From the cut to the moment at which all others agree and have a leader."""
    net.restart()  # between coordinators that lost each other a moment ago merges wait
    time.sleep(random.uniform(0.5, 0.5 + beacon))
    leader, rest = net.leader_and_others()
    group = leader.group()
    at = net.split(rest, [leader])
    took = net.wait("agreement without the silent host", lambda: net.led(rest) and
                    rest[0].group() != group) - at
    net.heal()
    return took


def judge(times, one):
    """Of a few runs the mean is chance: how far it is from a beacon is even."""
    mean = sum(times) / len(times)
    margin = MARGIN if len(times) >= MANY else MARGIN_FEW
    words = "mean %.0f ms of %.0f, %s" % (mean * 1000, one.mean * 1000, report.statistics(times))
    if one.worst:
        words += " of %.0f" % (one.worst * 1000)
    if mean > one.mean + margin + one.beacon / (2 * len(times)) or (
            one.worst and max(times) > one.worst + margin):
        raise Failed(words)
    return words


def host_silent(net, runs, one):
    for host in net.hosts:
        host.write_config(one.config)
    with strain.loss(one.lost) if one.lost else contextlib.nullcontext(str) as lost:
        times = [cut_off(net, one.beacon) for _ in range(runs)]
        words = lost()
    return "%s; %s" % (judge(times, one), words) if words else judge(times, one)


def stops(net, seconds):
    """The leader's process, for 50 to 300 ms, once a second; how often."""
    mark, count, end = net.mark(), 0, lan.now() + seconds
    leader = net.leader()
    while lan.now() < end:
        leader.process.send_signal(signal.SIGSTOP)
        time.sleep(random.uniform(0.050, 0.300))
        leader.process.send_signal(signal.SIGCONT)
        count += 1
        time.sleep(random.uniform(0.5, 0.9))
    formed = [g for g in net.groups_since(mark) if g != leader.group()]
    led = [pair for pair in net.leaders_since(mark) if pair[0] != leader.name]
    if formed or led:
        raise Failed("%d stops of %s formed %s, led by %s" % (count, leader.name, formed, led))
    return count


def process_stops(net, seconds):
    net.restart()
    time.sleep(1)
    return "%d stops, no change" % stops(net, seconds)


def health(host):
    return host.view["health"]


def told(net, leader, rest, journals):
    """By each of them, to people and to programs; nobody is called to get up for it."""
    words = "early doubt: off for %s: its kernel does not answer" % leader.name
    net.wait("all tell: " + words, lambda: all(words in health(h)["problems"] for h in rest), ASKED)
    for host in rest:
        for verb in ("status", "members", "check"):
            answer = host.electctl(verb)
            if answer.returncode or words not in answer.stdout:
                raise Failed("%s, %s: exit %d: %s" % (host.name, verb, answer.returncode,
                                                      answer.stdout))
        lines = host.log()[journals[host]:].count("problem: early doubt: off")
        if lines != 1:
            raise Failed("%s has %d lines of it in its journal" % (host.name, lines))
    if health(leader)["problems"]:
        raise Failed("%s tells of itself: %s" % (leader.name, health(leader)))


def behind_a_firewall(net, rule, seconds):
    for host in net.hosts:
        host.let_in(rule)
    journals = {host: len(host.log()) for host in net.hosts}
    net.restart()
    leader, rest = net.leader_and_others()
    told(net, leader, rest, journals)
    words = "told by %d hosts, %d stops, no change" % (len(rest), stops(net, seconds))
    for host in net.hosts:
        host.let_in()
    return words


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 8
    result = report.Report()
    lan.setup()
    with lan.Lan(HOSTS) as net:
        net.start()
        net.settle()
        for one in SETS:
            result.attempt("host silent" + one.name, host_silent, net, runs, one)
            result.attempt("process stands still" + one.name, process_stops, net, seconds)
        for one in SETS_MANY if runs >= MANY else []:
            result.attempt("host silent" + one.name, host_silent, net, runs, one)
        for host in net.hosts:
            host.write_config()
        for name, rule in FIREWALLS.items():
            result.attempt("kernel behind " + name, behind_a_firewall, net, rule, seconds)
        if result.failed:
            net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
