#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A leader whose host falls silent is found early, and one whose process stands still is not.

silent.py [RUNS [SECONDS]]: the leader's host is cut off RUNS times (default 5); then its process is
stopped for 50 to 300 ms once a second for so many seconds (default 8), without a firewall and with
two that keep its kernel from answering: no group is formed, and the latter is told.
"""
import random
import signal
import subprocess
import sys
import time

import lan
import report
from report import Failed

HOSTS = 5
# Figures of algorithm.md 4.10: half a beacon, 10 ms, silence_ms and the election; all of a beacon.
# The process that stops must be patient in both.
SETS = {
    "": (lan.BEACON, "", 0.330, 0.480),
    ", fast": (0.050, "timing = { beacon_interval_ms = 50; dead_after_ms = 600; silence_ms = 75; };",
              0.125, 0.170),
}
MARGIN, MARGIN_FEW = 0.060, 0.100  # of this machine; of a few runs, on any
PORTS = "7544-7575"
ASKED_S = 4.5  # three questions, a second apart, and a view

FIREWALLS = {
    "drop": "tcp dport %s drop" % PORTS,
    "reject": "tcp dport %s reject with icmp type host-prohibited" % PORTS,
}


def firewall(host, rule):
    text = "flush ruleset\ntable inet t { chain c { type filter hook input priority 0; %s; }; }\n"
    done = subprocess.run(["nsenter", "--net=/run/netns/" + host.name, "nft", "-f", "-"],
                          input=text % rule if rule else "flush ruleset\n", text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise Failed("nft: %s" % done.stderr)


def host_silent(net, runs, beacon, most_mean, worst):
    """From the cut to the moment at which all others agree and have a leader."""
    times = []
    for _ in range(runs):
        net.restart()  # between coordinators that lost each other a moment ago merges wait
        time.sleep(random.uniform(0.5, 0.5 + beacon))
        leader, rest = net.leader_and_others()
        group = leader.group()
        at = net.split(rest, [leader])
        times.append(net.wait("agreement without the silent host", lambda: net.led(rest) and
                              rest[0].group() != group) - at)
        net.heal()
    mean = sum(times) / len(times)
    words = "mean %.0f ms, %s" % (mean * 1000, report.statistics(times))
    # of a few runs the mean is chance: how far it is from a beacon is even
    margin = MARGIN if runs >= 30 else MARGIN_FEW
    if mean > most_mean + margin + beacon / (2 * len(times)) or max(times) > worst + margin:
        raise Failed(words)
    return words


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


def told(host, name):
    words = "early doubt: off for %s: its kernel does not answer" % name
    return words in host.call("io.electd.GetStatus")["health"]["problems"]


def behind_a_firewall(net, rule, seconds):
    for host in net.hosts:
        firewall(host, rule)
    net.restart()
    time.sleep(ASKED_S)
    leader, rest = net.leader_and_others()
    silent = [host.name for host in rest if not told(host, leader.name)]
    if silent:
        raise Failed("%s do not tell that the kernel of %s is silent" % (silent, leader.name))
    words = "told by %d hosts, %d stops, no change" % (len(rest), stops(net, seconds))
    for host in net.hosts:
        firewall(host, None)
    return words


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 8
    result = report.Report()
    lan.setup()
    with lan.Lan(HOSTS) as net:
        net.start()
        net.settle()
        for name, (beacon, config, mean, worst) in SETS.items():
            for host in net.hosts:
                host.write_config(config)
            result.attempt("host silent" + name, host_silent, net, runs, beacon, mean, worst)
            result.attempt("process stands still" + name, process_stops, net, seconds)
        for host in net.hosts:
            host.write_config()
        for name, rule in FIREWALLS.items():
            result.attempt("kernel behind " + name, behind_a_firewall, net, rule, seconds)
        if result.failed:
            net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
