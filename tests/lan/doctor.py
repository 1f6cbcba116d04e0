#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""electctl doctor on LANs that are broken in one way each: what it names, and what else it names.

doctor.py [RUNS [network | links | hosts | families | FAULT...]]: each fault is looked at RUNS times
(default 1), and must be named each time, with its words and a command; of other faults it may name only what comes
of this one. The command that it names is typed where it can be, and mends it. Before and after all
of them, on the LAN as it should be, each host says that nothing is wrong, and exits 0.
"""
import os
import sys

import doctor_families
import doctor_hosts
import doctor_links
import doctor_network
import lan
import report
from doctor_tools import broken, configuration, healthy
from lan import now

HOSTS = 3
ROOMS = {"network": doctor_network.FAULTS, "links": doctor_links.FAULTS,
         "hosts": doctor_hosts.FAULTS, "families": doctor_families.FAULTS}


def chosen(words):
    """All, a room, or some by name."""
    every = [fault for faults in ROOMS.values() for fault in faults]
    if not words:
        return every
    names = {name for word in words
             for name in ([f.__name__ for f in ROOMS[word]] if word in ROOMS else [word])}
    unknown = names - {fault.__name__ for fault in every}
    if unknown:
        sys.exit("no such fault: %s" % ", ".join(sorted(unknown)))
    return [fault for fault in every if fault.__name__ in names]


def attempt(net, fault, runs):
    begun = now()
    with broken(net):
        net.settle()
        words = fault(net, runs)
    return "%s (%.1f s)" % (words, now() - begun)


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    faults = chosen(sys.argv[2:])
    lan.setup()
    result, begun = report.Report(), now()
    with lan.Lan(HOSTS, configuration()) as net:
        os.chmod(net.dir, 0o755)    # others than root ask, too
        for host in net.hosts:
            os.chmod(host.dir, 0o755)
        net.start()
        result.attempt("healthy", healthy, net)
        for fault in faults:
            result.attempt(fault.__name__, attempt, net, fault, runs)
        result.attempt("healthy again", healthy, net)
    print("%d faults, %.0f s" % (len(faults), now() - begun))
    result.exit()


if __name__ == "__main__":
    main()
