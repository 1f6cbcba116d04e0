#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No role changes without a reason while 5 % of all frames are lost, or all processors are busy.

changes.py loss|load|load-as-unit [SECONDS [PROFILE]]: five hosts with these timings (default lan)
for so long (default 10). No group is formed and no role changes; a membership list may change,
because of a member that was not heard. With load-as-unit the daemons have the nice value of
electd.service; with load they have that of the load. The program prints how long a daemon waits for
a processor."""
import os
import re
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lan"))

import lan                            # noqa: E402
import report                         # noqa: E402
from report import Failed             # noqa: E402
import strain                         # noqa: E402

HOSTS = 5
STRAINS = {"loss": (strain.loss, 5), "load": (strain.load, 2), "load-as-unit": (strain.load, 2)}
UNIT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../systemd/electd.service.in")
ROLES = ("leader", "follower", "none")


def as_unit():
    """The prefix of a command that gets the nice value of the unit."""
    with open(UNIT, encoding="utf-8") as f:
        return ["nice", "-n", re.search(r"^Nice=(-?\d+)$", f.read(), re.M)[1]]


def waits(net):
    """Returns (seconds, times) of all daemons together."""
    each = [report.processor_waits(host.process.pid) for host in net.hosts]
    return [sum(values) for values in zip(*each)]


def watched(net, what, seconds):
    """Watches hosts that started without the load."""
    for host in net.hosts:
        host.start(wrapper=as_unit() if what == "load-as-unit" else ())
    net.settle()
    mark, group = net.mark(), net.leader().group()
    make, how = STRAINS[what]
    with make(how) as told:
        before = waits(net)
        time.sleep(seconds)
        waited, times = (now - then for now, then in zip(waits(net), before))
        words = "%.0f s, %s, %.2f ms until a processor was free" % (
            seconds, told(), waited * 1000 / times)
    roles = [item for item in net.since(mark) if item[2]["event"] in ROLES]
    formed = [g for g in net.groups_since(mark) if g != group]
    if roles or formed:
        raise Failed("%s: %d changes of roles, groups %s; the first: %s" % (
            words, len(roles), formed, lan.describe((roles or net.since(mark))[0])))
    return "%s: no role, no group; %d other changes" % (words, len(net.since(mark)))


def main():
    what = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 10
    profile = sys.argv[3] if len(sys.argv) > 3 else "lan"
    result = report.Report()
    lan.setup()
    with lan.Lan(HOSTS, "timing = { profile = \"%s\"; };" % profile) as net:
        result.attempt(what + ", " + profile, watched, net, what, seconds)
        if result.failed:
            net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
