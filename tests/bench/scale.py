#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many real hosts on one bridge: what they send and use, and how soon they agree.

scale.py [HOSTS [RUNS]] (default 30 hosts, 2 runs): all start, AT_ONCE at a time as fast as this
machine can, so the first ones may find no other host; nothing happens for a while; then the
leader's host becomes silent RUNS times. Times are those that the hosts report, because a reader of
so many hosts is late. Only the first REPORTERS send each change, because on one machine the reports
of all hosts would cost more than the elections. With MANY hosts and more, the times after a silent
leader and the number of groups formed are judged, because nothing else runs here. With fewer hosts,
the agreement in the end and what is sent and used are judged."""
import collections
import os
import re
import subprocess
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lan"))

import lan                            # noqa: E402
from lan import BEACON                # noqa: E402
import report                         # noqa: E402
from report import Failed             # noqa: E402
import steady                         # noqa: E402

HOSTS, MANY = 30, 200
REPORTERS = 10
AT_ONCE = 50            # more handshakes at once are too much for two cores
QUIET = 10
AGREED = 0.750          # after a leader became silent
CPU_SHARE = 0.03        # of a core: the leader of MANY
RESIDENT_KIB = 6 * 1024
PATIENCE = 40


class Host(lan.Host):
    def __init__(self, net, number, config=""):
        super().__init__(net, number, config)
        self.reports = number <= REPORTERS
        self.agreed_at = None

    def look(self):
        """Asks the host for its status, and since when it knows its leader."""
        self.view = self.call("io.electd.GetStatus")
        self.agreed_at = lan.now() - self.view["since_ms"] / 1000

    def tokens(self):
        return re.findall(r"\(this host\) leads, token (\d+)", self.log())


def know_each_other(net):
    """Fills the table of neighbours: all namespaces of a kernel share one, of 1024 (gc_thresh3),
    which separate machines would not. Permanent entries do not count."""
    macs = {host: "02:00:00:00:00:%02x" % host.number for host in net.hosts}
    for host in net.hosts:
        lines = ["link set eth0 address %s\n" % macs[host]]
        lines += ["neigh replace %s lladdr %s dev eth0 nud permanent\n" % (h.address, macs[h])
                  for h in net.hosts if h is not host]
        subprocess.run(["ip", "-n", host.name, "-batch", "-"], input="".join(lines), text=True,
                       check=True)


def settle(net, hosts=None, other_than=None):
    """First the reporting hosts must be in one group with one leader, other than `other_than`. Then
    all hosts are asked, and must have all on their membership lists. With `hosts` only these are
    asked, and may still list the others."""
    agreed = net.led if hosts else net.agreed
    hosts = hosts or net.hosts
    end = lan.now() + PATIENCE
    reporters = [h for h in hosts if h.reports]
    net.wait("the reporting hosts agree", lambda: net.one_group(reporters) and
             reporters[0].group() != other_than and
             all(h.view["leader"] for h in reporters), PATIENCE)
    while True:
        for host in hosts:
            host.look()
        if agreed(hosts):
            return
        if lan.now() > end:
            raise Failed("not within %d s: all %d agree" % (PATIENCE, len(hosts)))


def agreed_at(hosts):
    return max(h.agreed_at for h in hosts)


def leads(net):
    return sum(len(h.tokens()) for h in net.hosts)


def cold_start(net):
    at, so_far = lan.now(), 0
    while so_far < len(net.hosts):
        begin, some = lan.now(), net.hosts[so_far:so_far + AT_ONCE]
        for host in some:
            host.start()
        so_far += len(some)
        settle(net, net.hosts[:so_far])
        took = agreed_at(net.hosts[:so_far]) - begin
    settle(net)
    return "the last %d of %d hosts agree with all %.0f ms after they began to start, %.0f ms after the " \
        "first; leaders ever: %d" % (len(some), so_far, took * 1000,
                                     (agreed_at(net.hosts) - at) * 1000, leads(net))


def counted(net, leader, seen, took):
    """One multicast for each beacon, by one family or both, one AYThere for each member every
    second beacon, and nothing else but questions on unused paths."""
    beacons = max(seen.pop((leader.name, family, "AYCoord"), 0) for family in steady.BOTH)
    asked = [seen.pop((h.name, False, "AYThere"), 0) for h in net.hosts if h is not leader]
    words = "%d AYCoord, %d to %d AYThere a member in %.1f s" % (
        beacons, min(asked), max(asked), took)
    for count, period in (beacons, BEACON), (min(asked), 2 * BEACON), (max(asked), 2 * BEACON):
        least, most = steady.periods(took, period)
        if not least <= count <= most:
            raise Failed(words)
    for key in [key for key in seen if key[2] in steady.ASKED]:
        if seen.pop(key) > len(net.hosts) * (took / steady.ASKED_AGAIN + steady.ENDS):
            raise Failed("asked again by %s: %s" % (key[0], key[2]))
    if +seen:
        kinds = collections.Counter()
        for (_, _, name), count in seen.items():
            kinds[name] += count
        raise Failed("%s, and more than the algorithm sends: %s" % (words, dict(kinds)))
    return words


def quiet(net, shares):
    """One of three windows must be without a late beacon, as with few hosts."""
    leader = net.leader()
    others = [h for h in net.hosts if h is not leader]
    for left in reversed(range(steady.WINDOWS)):
        before = [report.cpu_seconds(h.process.pid) for h in (leader, *others)]
        seen, took, rate = steady.count(net, QUIET)
        after = [report.cpu_seconds(h.process.pid) for h in (leader, *others)]
        shares[:] = [(b - a) / took for a, b in zip(before, after)]
        try:
            return "%s; %.0f frames a second of all kinds" % (
                counted(net, leader, seen, took), rate)
        except Failed:
            if not left:
                raise


def processor(shares):
    if not shares:
        raise Failed("nothing was counted")
    words = "the leader %.2f %% of a core, the others %.3f %% on average, %.3f %% at most" % (
        shares[0] * 100, sum(shares[1:]) / len(shares[1:]) * 100, max(shares[1:]) * 100)
    if shares[0] > CPU_SHARE:
        raise Failed(words)
    return words


def memory(net):
    figures = {h: report.memory_kib(h.process.pid) for h in net.hosts}
    most = max(resident for resident, _ in figures.values())
    words = "at most %d KiB resident, %d of its own; the leader's own %d" % (
        most, max(own for _, own in figures.values()), figures[net.leader()][1])
    if most > RESIDENT_KIB:
        raise Failed("%s: %d is too much" % (words, most))
    return words


def silent(net):
    """The time from the cut until the last of the other hosts reports that it agrees."""
    leader = net.leader()
    rest = [h for h in net.hosts if h is not leader]
    group, mark, led = leader.group(), net.mark(), leads(net)
    at = net.split([], [leader])
    settle(net, rest, group)
    took = agreed_at(rest) - at
    formed = {g for g in net.groups_since(mark) if g not in (group, leader.group())}
    if len(net.hosts) >= MANY and (len(formed) != 1 or leads(net) != led + 1):
        raise Failed("%d groups formed, and %d led" % (len(formed), leads(net) - led))
    net.heal()
    settle(net)
    time.sleep(5 * BEACON)
    waits = net.leader().call("io.electd.GetStatus")["patience"]
    if waits:
        raise Failed("who was cut off, and ran, is waited for: %s" % waits)
    return took


def leader_silent(net, runs):
    times = [silent(net) for _ in range(runs)]
    if len(net.hosts) < MANY:
        return report.statistics(times)
    return report.within(times, AGREED)


def main():
    hosts = int(sys.argv[1]) if len(sys.argv) > 1 else HOSTS
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    shares = []
    result = report.Report()
    lan.setup()
    with lan.Lan(hosts, kind=Host) as net:
        know_each_other(net)
        result.attempt("cold start", cold_start, net)
        time.sleep(10 * BEACON)
        result.attempt("datagrams", quiet, net, shares)
        result.attempt("processor", processor, shares)
        result.attempt("memory", memory, net)
        result.attempt("leader silent", leader_silent, net, runs)
    result.exit()


if __name__ == "__main__":
    main()
