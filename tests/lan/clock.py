#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which clocks a running daemon uses: for its timers, the one that counts since boot.

A wall clock cannot be stepped for one process only: there are no namespaces for CLOCK_REALTIME,
and stepping the machine's own is nobody's business here. So two daemons are watched (strace)
while they elect, hand over and stop: no timer of theirs may be on the wall clock, none may ask to
be told of its steps, and nobody may set it. Reading a clock makes no system call; who may read
the wall clock is tests/tidy/clock.sh's business. The other half can be moved for one process: in a
time namespace with another boot clock a daemon must live by that one, and says so.
"""
import os
import re
import shutil
import subprocess
import sys
import time

import lan
import report
from report import Failed

CALLS = "timerfd_create,timerfd_settime,timer_create,clock_nanosleep,clock_settime,settimeofday," \
    "clock_adjtime,adjtimex,setitimer,alarm,clock_gettime,gettimeofday,time"
OFFSET = 1000000


def life(net, tracer):
    """Elected, a follower, resigned, stopped."""
    watched, other = net.hosts
    watched.start(wrapper=tracer)
    other.start()
    net.settle()
    net.leader().resign()
    time.sleep(1.5)
    net.settle()
    other.kill()
    net.wait("it leads alone", lambda: watched.view and watched.view["role"] == "leader")


def children(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
        return [int(word) for word in f.read().split()]


def timers(net, log):
    """strace writes on until its daemon is gone: that one is told to stop, not strace."""
    life(net, ["strace", "-f", "-qq", "-e", "trace=" + CALLS, "-o", log])
    watched = net.hosts[0]
    for pid in children(watched.process.pid):
        os.kill(pid, 15)
    watched.process.wait(20)
    net.gone(watched)
    watched.process = None
    with open(log) as f:
        lines = [line.split(None, 1)[1] for line in f if "(" in line]
    created = [line for line in lines if line.startswith("timerfd_create(CLOCK_BOOTTIME")]
    if not created or not any(line.startswith("timerfd_settime(") for line in lines):
        raise Failed("no timer on CLOCK_BOOTTIME was seen in %d calls" % len(lines))
    for line in lines:
        name = line.split("(")[0]
        if "CANCEL_ON_SET" in line or re.match(
                "clock_settime|settimeofday|clock_adjtime|adjtimex", name) or (
                    "CLOCK_REALTIME" in line and name not in ("clock_gettime", "gettimeofday")):
            raise Failed("the wall clock: %s" % line.strip())
    return "%d calls, %d timers, all on CLOCK_BOOTTIME or CLOCK_MONOTONIC" % (
        len(lines), len(created))


def boot_clock(net):
    """One host's boot clock is OFFSET seconds ahead: all works, and its events say so."""
    moved, other = net.hosts
    moved.start(wrapper=["unshare", "-T", "--boottime", str(OFFSET), "--"])
    other.start()
    net.settle()
    at, _, event = next(e for e in reversed(net.since(0)) if e[1] is moved)
    ahead = event["boot_ms"] / 1000 - at
    if abs(ahead - OFFSET) > 5:
        raise Failed("its clock is %.3f s ahead, wanted %d" % (ahead, OFFSET))
    wall = time.strftime("%Y-%m-%dT%H", time.gmtime())
    if not event["at"].startswith(wall) and time.gmtime().tm_min > 0:
        raise Failed("it says it is %s" % event["at"])
    return "%.0f s ahead, elected all the same" % ahead


def end(net):
    for host in net.hosts:
        if host.process:
            host.kill()


def main():
    result = report.Report()
    if not shutil.which("strace") or os.environ.get("SANITIZED"):
        print("no strace, or built with sanitizers")
        sys.exit(77)
    lan.setup()
    with lan.Lan(2) as net:
        result.attempt("timers", timers, net, net.dir + "/trace")
        end(net)
        if subprocess.run(["unshare", "-T", "--boottime", "1", "true"], check=False,
                          stderr=subprocess.DEVNULL).returncode:
            print("no time namespace may be made here: the boot clock was not moved")
        else:
            result.attempt("another boot clock", boot_clock, net)
        if result.failed:
            net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
