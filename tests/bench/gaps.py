#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a client of the leader's address sees of each fault: electd-address next to keepalived.

gaps.py [--runs N] [--out FOLDER]: three hosts, N of each fault (default 20). A client asks the
address every 2 ms, with electd by IPv4 and IPv6. Prints a table, judges electd's limits, and draws
gaps.svg in FOLDER, if one is named."""
import argparse
import os
import shutil
import signal
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lan"))

import addressed                      # noqa: E402
import bench                          # noqa: E402
from faults import Bench, NEVER  # noqa: E402
from observe import Watch             # noqa: E402
import kinds                          # noqa: E402
import lan                            # noqa: E402
import report                         # noqa: E402
from report import Failed             # noqa: E402
import served                         # noqa: E402
import table                          # noqa: E402
from table import Limit               # noqa: E402

HOSTS = 3
ELECTD, EQUAL, FAST, KEEPALIVED = (
    "electd", "electd, 100 ms", "electd, fast", "keepalived, 100 ms")
MOST = 4.0          # seconds after a fault for which two hosts with the address are watched

NOTES = """\
Median and worst of n values of electd, its limits, and keepalived's median / worst. A gap is the
longest time without an answer; with two families, that of the worse.
killed        the process that elects, by SIGKILL
all killed    all processes of that host, with electd-address; keepalived's address then stays
frozen        SIGSTOP of them all, until another leads and at most %d s more
silent        onto a switch of its own, with its carrier; healed: back to the others; then two hosts
              count from the moment on at which all agree
sick          a service of the leader reports that it is sick; the host is restarted then""" % MOST

# {setup: limits}
LIMITS = {
    ELECTD: [Limit("killed_gap", worst=100), Limit("killed_both", worst=0),
             Limit("stop_gap", worst=100), Limit("stop_both", worst=0),
             Limit("resign_gap", worst=100), Limit("resign_both", worst=0),
             Limit("sick_gap", worst=100), Limit("sick_both", worst=0),
             Limit("group_gap"), Limit("group_both"), Limit("group_held", 1500, 2100),
             Limit("stall_gap"), Limit("stall_both"), Limit("stall_held", 1500, 2100),
             Limit("silent_gap"), Limit("heal_gap"), Limit("heal_both", worst=0)],
    EQUAL: [Limit("killed_gap"), Limit("silent_gap"), Limit("stall_gap"), Limit("stall_both")],
    FAST: [Limit("killed_gap"), Limit("silent_gap"), Limit("stall_gap"), Limit("stall_both")],
}


class Served(Bench):
    """A LAN whose leader has an address that a client asks."""

    def __init__(self, setup):
        super().__init__(setup)
        self.addresses = [kinds.ADDRESS]
        self.addressed = {}
        if setup.kind is kinds.Electd:
            self.addresses = addressed.ADDRESSES
            self.addressed = {host: addressed.Addressed(host) for host in self.net.hosts}
        self.holders = served.Holders(self.net.hosts, self.addresses)
        self.client = served.Client(self.net.dir, self.net.bridge(0), self.addresses)

    def everything(self, host):
        """All processes of the host."""
        one = self.addressed.get(host)
        return lan.processes(host.process.pid) + (
            lan.processes(one.process.pid) if one else [])

    def recover(self):
        super().recover()
        for one in self.addressed.values():
            if not one.process:
                one.start()
        for address in self.addresses:
            lan.until("one host with " + address,
                      lambda address=address: self.holders.having(address) == {self.leader()})
            self.client.answered(address, lan.now())

    def is_double(self):
        return any(len(self.holders.having(address)) > 1 for address in self.addresses)

    def gap(self, at):
        """The longest one since then, until each address answers again."""
        for address in self.addresses:
            self.client.answered(address, lan.now())
        return max(self.client.gap(address, at) for address in self.addresses)

    def both(self, at):
        """For how long two hosts had an address since then; waits until one host has each."""
        end = lan.now() + MOST
        while self.is_double() and lan.now() < end:
            time.sleep(0.01)
        both = max(self.holders.both(at, address) for address in self.addresses)
        return NEVER if self.is_double() else both

    def seen(self, name, at, victim=None):
        """{row: seconds} of the fault at that time."""
        rows = {name + "_both": self.both(at), name + "_gap": self.gap(at)}
        gone = [self.holders.gone(victim, a, at) for a in self.addresses] if victim else [None]
        if None not in gone:
            rows[name + "_held"] = max(gone) - at
        return rows

    def forget(self, host):
        """Removes the addresses that a killed daemon has left."""
        for address in self.addresses:
            if host in self.holders.having(address):
                size = ("/128" if ":" in address else "/32" if self.addressed else "/24")
                lan.run("ip", "-n", host.name, "addr", "del", address + size, "dev",
                        host.interface, check=False)

    # ---- faults: each returns {row: seconds} ----

    def killed(self):
        at = lan.now()
        return self.buried("killed", at, super().killed)

    def stop(self):
        at = lan.now()
        return self.buried("stop", at, super().stop)

    def buried(self, name, at, fault):
        old = self.leader()
        fault()
        rows = self.seen(name, at)
        self.forget(old)
        return rows

    def resign(self):
        if not self.addressed:
            return {}
        watch = Watch(self.net)
        at = self.leader().resign()
        self.settled(watch, self.net.hosts)
        return self.seen("resign", at)

    def sick(self):
        if not self.addressed:
            return {}
        old, watch, at = self.leader(), Watch(self.net), lan.now()
        old.call("io.electd.Report", name="service", well=False, words="it has ended")
        self.settled(watch, self.net.hosts)
        if self.leader() is old:
            raise Failed("the sick host leads on")
        rows = self.seen("sick", at)
        self.bury(old)            # it would not lead for half a minute
        return rows

    def group(self):
        victim, watch = self.leader(), Watch(self.net)
        pids = self.everything(victim)
        at = lan.now()
        lan.send(pids, signal.SIGSTOP)
        lan.send(pids, signal.SIGKILL)
        watch.forget(victim)
        self.net.gone(victim)
        self.settled(watch, self.rest(victim))
        rows = self.seen("group", at, victim)
        if victim in self.addressed:
            self.addressed[victim].end(signal.SIGKILL)
        self.bury(victim, lan.processes(victim.process.pid))
        self.forget(victim)
        return rows

    def stall(self):
        victim, watch = self.leader(), Watch(self.net)
        pids = self.everything(victim)
        at = lan.now()
        lan.send(pids, signal.SIGSTOP)
        watch.forget(victim)
        self.settled(watch, self.rest(victim))
        rows = self.seen("stall", at, victim)
        watch = Watch(self.net)
        lan.send(pids, signal.SIGCONT)
        self.settled(watch, self.net.hosts)
        return rows

    def silent(self):
        """Two hosts have the address meanwhile, each on its side; the client is on one."""
        at = lan.now()
        super().silent()
        rows = {"silent_gap": self.gap(at)}
        watch, at = Watch(self.net), self.move(self.net.hosts, 0)
        agreed = self.settled(watch, self.net.hosts)
        return {**rows, "heal_both": self.both(agreed), "heal_gap": self.gap(at)}

    ROUND = killed, stop, resign, sick, group, stall, silent
    FURTHER = ()

    def close(self):
        self.client.close()
        self.holders.close()
        for one in self.addressed.values():
            if one.process:
                one.end(signal.SIGKILL)
        super().close()


def setups():
    """electd's with the default timings, with the interval of keepalived, and with its profile
    fast, and keepalived's."""
    def electd(beat, name, **timings):
        return kinds.Setup(kinds.Electd, beat, name, hosts=HOSTS, family=None,
                           config=addressed.CONFIG + kinds.timings(**timings))
    return [electd(0.2, ELECTD), electd(0.1, EQUAL, beacon_interval_ms=100, dead_after_ms=300),
            electd(0.05, FAST, profile='"fast"'),
            kinds.Setup(kinds.Keepalived, 0.1, KEEPALIVED, hosts=HOSTS)]


def measured(runs):
    results = table.Results("gaps", "three hosts", table.GAPS)
    for setup in setups():
        began, one = lan.now(), Served(setup)
        print("%s:" % setup.name, flush=True)
        try:
            for _ in range(runs):
                for fault in Served.ROUND:
                    try:
                        one.recover()
                        results.add(setup, fault(one))
                    except Failed as error:
                        print("  %s: %s" % (fault.__name__, error), flush=True)
        finally:
            one.close()
        print("  %.0f s" % (lan.now() - began), flush=True)
    return results


def rows(results, runs):
    """Yields the cells of each line of the table, and what it judges; None: nothing."""
    for setup, limits in LIMITS.items():
        yield [setup] + [""] * 6, None
        for cells, limit in zip(table.judged(results, setup, limits, [KEEPALIVED], runs), limits):
            yield ["  " + cells[0], *cells[1:]], "%s, %s" % (setup, limit.row) if cells[5] else None


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--runs", type=int, default=20, help="repetitions (%(default)s)")
    parser.add_argument("--out", help="folder for gaps.svg and gaps.tsv")
    return parser.parse_args()


def main():
    args = arguments()
    if not shutil.which(kinds.Keepalived.program):
        print("keepalived is not here")
        sys.exit(77)
    lan.setup()
    print(bench.machine())
    bench.warn_if_busy(print)
    for kind in kinds.Electd, kinds.Keepalived:
        print("%s: %s" % (kind.title, kind.version()))
    results = measured(args.runs)
    found = list(rows(results, args.runs))
    head = ["", "n", "median", "worst", "limit", "", KEEPALIVED]
    print("\n%s\n\n%s\n" % (NOTES, "\n".join(table.aligned([head, *(c for c, _ in found)]))))
    if args.out:
        with open(os.path.join(args.out, "gaps.tsv"), "w", encoding="utf-8") as f:
            f.writelines(line + "\n" for line in results.lines())
        print(table.draw([results], args.out, bench.machine(), "gaps",
                         "A client's longest gap, and how long two hosts have the address"))
    result = report.Report()
    for cells, judges in found:
        if judges:
            result.result(judges, cells[5] == "HELD", "%s: %s, worst %s of %s; limit %s" % (
                cells[5], cells[2], cells[3], cells[1], cells[4]))
    result.exit()


if __name__ == "__main__":
    main()
