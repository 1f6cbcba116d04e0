#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nobody's role changes for nothing: 5 % of all frames lost, or all processors busy.

changes.py loss|load [SECONDS [PROFILE]]: five hosts with these timings (default lan) for so long
(default 10). No group is formed and no role changes; a list may, by a member that was not heard.
"""
import sys
import time

import lan
import report
from report import Failed
import strain

HOSTS = 5
STRAINS = {"loss": (strain.loss, 5), "load": (strain.load, 2)}
ROLES = ("leader", "follower", "none")


def watched(net, what, seconds):
    """Everybody began in peace."""
    net.start()
    net.settle()
    mark, group = net.mark(), net.leader().group()
    make, how = STRAINS[what]
    with make(how) as told:
        time.sleep(seconds)
        words = "%.0f s, %s" % (seconds, told())
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
