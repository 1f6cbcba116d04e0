#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Five hosts send and use exactly what the algorithm needs while nothing happens.

steady.py [SECONDS] (default 10). Every period has ±20 %, which gives the bounds on counts. On a
busy machine a late beacon may cause a question, so only one of three windows must be without. The
processor time of a leader's host is measured for half a minute: electd, its copy, and hookd."""
import collections
import os
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lan"))

import frames                         # noqa: E402
import hooked                         # noqa: E402
import lan                            # noqa: E402
from lan import BEACON                # noqa: E402
import report                         # noqa: E402
from report import Failed             # noqa: E402
import will                           # noqa: E402

HOSTS = 5
GROUPS = "electd-admin", "electd-report"      # systemd/electd.sysusers
# The kernel maps a varying part of the libraries: the same electd had 5.0 and, later, 5.7 MiB.
RESIDENT_KIB = 6 * 1024
ANONYMOUS_KIB = 2 * 1024
COPY_KIB = 512
# Frames a second of all hosts with one family, and with both. With both, 14.2 are beacons and
# answers, one is for the paths that are asked again, half a one for kernels that are asked whether
# they would answer, and one is the kernels' own (ARP and neighbour discovery).
FRAMES = 16, 17
SPARED = 10             # while nothing happens, one beacon in so many goes by the second family, too
ASKED = "Challenge", "Challenge_answer"
ASKED_AGAIN = 40        # seconds: a host that is heard on two paths asks on each so often
BOTH = frames.IPV4, frames.IPV6
CPU_SHARE = 0.003
# In half a minute the leader's host used 36 to 55 ms if idle; slow and busy ones used 72 and 128.
CPU_OF = 30
CPU_MS = 3 * 36
CPU_HOOKED_MS = 3 * 55
# A window may cut one message off at either end.
ENDS = 1
WINDOWS = 3


def count(net, seconds):
    """Returns the datagrams of each host by kind, the real duration, and all frames a second."""
    sniffer = frames.Sniffer(net)
    sniffer.drain()
    sniffer.frames = 0
    begin, seen = lan.now(), collections.Counter()
    while lan.now() < begin + seconds:
        time.sleep(0.1)
        for host, multicast, name, frame in sniffer.drain():
            seen[host.name, multicast and frame[12:14], name] += 1
    took = lan.now() - begin
    sniffer.close()
    return seen, took, sniffer.frames / took


def periods(seconds, period):
    """The least and the most messages with a period ±20 % in that time."""
    return seconds / (period * 1.2) - ENDS, seconds / (period * 0.8) + ENDS


def judge(net, seen, seconds, families):
    leader = net.leader()
    beacons = [seen.pop((leader.name, family, "AYCoord"), 0) for family in families]
    least, most = periods(seconds, BEACON)
    if not least <= max(beacons) <= most:
        raise Failed("%s beacons in %.0f s" % (beacons, seconds))
    least, most = periods(seconds, SPARED * BEACON)
    if len(families) > 1 and not least <= min(beacons) <= most:
        raise Failed("%s beacons in %.0f s, both families" % (beacons, seconds))
    for key in [key for key in seen if key[2] in ASKED]:
        if seen.pop(key) > (len(families) - 1) * HOSTS * (seconds / ASKED_AGAIN + ENDS):
            raise Failed("asked again: %s" % dict(seen))
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
    return "%s AYCoord in %.1f s (one every %.0f ms), AYThere a member %s, nothing else" % (
        beacons, seconds, seconds / max(beacons) * 1000, answers)


def used(processes):
    return [sum(report.cpu_seconds(pid) for pid in pids) for pids in processes]


def datagrams(net, seconds, shares, families):
    """Counts until a window holds. `shares` gets the share of a core that each host used in the
    last window, the leader first."""
    leader, others = net.leader_and_others()
    processes = [[leader.process.pid, will.copy_of(leader)], *([h.process.pid] for h in others)]
    for left in reversed(range(WINDOWS)):
        before = used(processes)
        seen, took, rate = count(net, seconds)
        shares[:] = [(after - b) / took for after, b in zip(used(processes), before)]
        try:
            if rate > FRAMES[len(families) - 1] + HOSTS * ENDS / took:
                raise Failed("%.1f frames a second of all kinds" % rate)
            return "%s; %.1f frames a second of all kinds" % (
                judge(net, seen, took, families), rate)
        except Failed:
            if not left:
                raise


def memory(net):
    figures = [report.memory_kib(h.process.pid) for h in net.hosts]
    resident, anonymous = (max(f[i] for f in figures) for i in (0, 1))
    copy = will.own_kib(will.copy_of(net.leader()))
    words = "resident %d KiB of %d, anonymous %d KiB of %d; of the copy's own %d KiB of %d" % (
        resident, RESIDENT_KIB, anonymous, ANONYMOUS_KIB, copy, COPY_KIB)
    if resident > RESIDENT_KIB or anonymous > ANONYMOUS_KIB or copy > COPY_KIB:
        raise Failed(words)
    return words


def leaders_share(share, bound):
    words = "%.1f ms in %d s" % (share * CPU_OF * 1000, CPU_OF)
    if share * CPU_OF * 1000 > bound:
        raise Failed(words)
    return words


def processor(shares):
    words = "%.3f %% of a core at most, %.3f %% on average" % (
        max(shares) * 100, sum(shares) / len(shares) * 100)
    if max(shares) > CPU_SHARE:
        raise Failed(words)
    return "the leader %s; %s" % (leaders_share(shares[0], CPU_MS), words)


def with_hookd(w, seconds):
    for one in w.hooked.values():
        one.start()
    w.wait_roles()
    leader, hooks = w.leader()
    time.sleep(2)       # for the consequences of its start: another copy, reports
    processes = [[leader.process.pid, will.copy_of(leader), hooks.process.pid]]
    before, at = used(processes)[0], lan.now()
    time.sleep(seconds)
    share = (used(processes)[0] - before) / (lan.now() - at)
    return "the leader " + leaders_share(share, CPU_HOOKED_MS)


def as_installed():
    """The groups of the package exist. For one that does not, every name service is asked, and
    their libraries stay resident (libnss_systemd and libm: 0.6 MiB)."""
    with open("/etc/group") as old:
        groups = old.read()
    missing = [name for name in GROUPS if "\n%s:" % name not in groups]
    if missing:
        with open("/run/group", "w") as new:
            new.write(groups + "".join("%s:x:0:\n" % name for name in missing))
        lan.run("mount", "--bind", "/run/group", "/etc/group")


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10
    result = report.Report()
    lan.setup()
    hooked.setup()
    as_installed()
    with hooked.World(HOSTS, "", hookds=False) as w:
        net = w.net
        time.sleep(10 * BEACON)
        mark = net.mark()
        shares = []
        result.attempt("datagrams", datagrams, net, seconds, shares, BOTH)
        result.result("changes", not net.since(mark), "%d" % len(net.since(mark)))
        result.attempt("memory", memory, net)
        result.attempt("processor", processor, shares)
        result.attempt("processor with hookd", with_hookd, w, seconds)
    with lan.Lan(HOSTS, family="ipv4") as net:
        net.start()
        net.settle()
        time.sleep(10 * BEACON)
        result.attempt("datagrams of one family", datagrams, net, seconds, [], BOTH[:1])
    result.exit()


if __name__ == "__main__":
    main()
