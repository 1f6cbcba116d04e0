#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the control socket costs and how fast it is, on a LAN of eight that is busy.

control.py [RUNS]: GetStatus and `electctl status` while leadership changes hands, what fifty
subscribers cost, and hand-overs by Resign: how long nobody leads, and that two never do, as the
subscriptions of all hosts say it.
"""
import socket
import sys
import time

import lan
import report
from report import Failed

HOSTS = 8
ASKED = 300               # times GetStatus is asked
MEDIAN = 0.005
SUBSCRIBERS = 50
SHARE = 0.01
GAP = 0.150  # nobody leads for at most this, but once in 30


def median(values):
    return sorted(values)[len(values) // 2]


def busy(net):
    """Something to tell about: a member that comes and goes without end."""
    victim = next(h for h in net.hosts if h.view and h.view["role"] == "follower")
    victim.kill()
    victim.start()


def status(net):
    """On the leader, from connecting to the last byte of the answer; and as a command, beside one
    that asks nobody: to start a program takes as long as the machine likes."""
    net.settle()
    socket_times, command_times, bare_times = [], [], []
    leader = net.leader()
    for n in range(ASKED):
        if n % 20 == 0:
            busy(net)
        at = lan.now()
        leader.call("io.electd.GetStatus")
        socket_times.append(lan.now() - at)
        if n % 10 == 0:
            for times, word in (bare_times, "--version"), (command_times, "status"):
                at = lan.now()
                done = leader.electctl(word)
                times.append(lan.now() - at)
                if done.returncode:
                    raise Failed("electctl %s: %d %s" % (word, done.returncode, done.stderr))
        time.sleep(0.005)
    net.settle()
    asked, command, bare = (median(t) for t in (socket_times, command_times, bare_times))
    words = "socket median %.2f ms, worst %.1f; command median %.1f ms, %.1f of it to start; " \
        "at most %.0f" % (asked * 1000, max(socket_times) * 1000, command * 1000, bare * 1000,
                          MEDIAN * 1000)
    if max(asked, command - bare) > MEDIAN:
        raise Failed(words)
    return words


def subscribe(host):
    """A subscription that nobody reads any further."""
    stream = socket.socket(socket.AF_UNIX)
    stream.settimeout(lan.PATIENCE)
    stream.connect(host.socket_path)
    stream.sendall(b'{"method":"io.electd.Subscribe","parameters":{},"more":true}\0')
    answer = stream.recv(1 << 16)
    if b'"snapshot"' not in answer:
        raise Failed("no subscription: %s" % answer[:80])
    return stream


def used(host, seconds):
    before, at = report.cpu_seconds(host.process.pid), lan.now()
    time.sleep(seconds)
    return (report.cpu_seconds(host.process.pid) - before) / (lan.now() - at)


def subscribers(net, seconds):
    """Half of the time nothing happens, half of it a member comes and goes every second."""
    net.settle()
    leader = net.leader()
    time.sleep(1)
    quiet_before = used(leader, seconds)
    streams = [subscribe(leader) for _ in range(SUBSCRIBERS)]
    quiet = used(leader, seconds)
    before, at = report.cpu_seconds(leader.process.pid), lan.now()
    while lan.now() < at + seconds:
        busy(net)
        time.sleep(1)
    changing = (report.cpu_seconds(leader.process.pid) - before) / (lan.now() - at)
    for stream in streams:
        stream.close()
    net.settle()
    quiet, changing = (share - quiet_before for share in (quiet, changing))
    words = "%.3f %% of a core without, %d of them cost %.3f %%, %.3f %% with a change a second" % (
        quiet_before * 100, SUBSCRIBERS, quiet * 100, changing * 100)
    if max(quiet, changing) > SHARE:
        raise Failed(words)
    return words


def reign(events):
    """(longest time without a leader, longest with two) between the first and the last event."""
    leaders, gap_at, two_at, gap, two = set(), None, None, 0.0, 0.0
    for at, host, event in sorted(events, key=lambda e: e[2]["boot_ms"]):
        at = event["boot_ms"] / 1000
        (leaders.add if event["status"]["role"] == "leader" else leaders.discard)(host)
        if gap_at is not None and leaders:
            gap, gap_at = max(gap, at - gap_at), None
        if two_at is not None and len(leaders) < 2:
            two, two_at = max(two, at - two_at), None
        if not leaders and gap_at is None:
            gap_at = at
        if len(leaders) > 1 and two_at is None:
            two_at = at
    return gap, two, len(leaders)


def hand_over(net, runs):
    gaps = []
    for _ in range(runs):
        net.settle()
        time.sleep(0.2)
        old, mark = net.leader(), net.mark()
        snapshot = (lan.now(), old, {"boot_ms": 0, "status": {"role": "leader"}})
        old.resign()
        net.wait("another leader", lambda: net.agreed() and net.leader() is not old)
        gap, two, left = reign([snapshot, *net.since(mark)])
        if two or left != 1:
            raise Failed("two led for %.0f ms, %d lead in the end" % (two * 1000, left))
        gaps.append(gap)
        time.sleep(1.2)   # until it may lead again, else nobody may after eight
    return "nobody led: %s; two never" % report.within(gaps, GAP)


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    result = report.Report()
    lan.setup()
    with lan.Lan(HOSTS) as net:
        net.start()
        result.attempt("status", status, net)
        result.attempt("subscribers", subscribers, net, 3 if runs < 30 else 20)
        result.attempt("hand-over", hand_over, net, runs)
        if result.failed:
            net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
