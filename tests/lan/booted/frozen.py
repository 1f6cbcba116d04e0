#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How soon a leader's scripts are told when electd stands still and hookd does not.

frozen.py [N]: SIGSTOP for the electd that leads three booted hosts, N times (30): a demotion has
begun within dead_after + 100 ms in 29 of 30.
"""
import os
import signal

from hosts import DEAD_AFTER, now
import report
import story

LIMIT = DEAD_AFTER + 0.100


def freezes(lan, told, runs):
    times = []
    for _ in range(runs):
        old = lan.settle()
        told.first(0, old, "hook", "end", event="leader")
        pid = old.main_pid("electd")
        # The others take over as soon, by their own clocks.
        with told.apart():
            at = now()
            os.kill(pid, signal.SIGSTOP)
            times.append(told.first(at, old, "hook", "begin", event="none").at - at)
            lan.settle(lan.others(old), whole=False)
        os.kill(pid, signal.SIGCONT)
    return report.within(times, LIMIT)


if __name__ == "__main__":
    story.measured("frozen leaders", freezes)
