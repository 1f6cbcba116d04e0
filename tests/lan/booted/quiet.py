#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""electd-hookd on a booted host that leads: the processes it starts, and how soon it reports.

quiet.py [SECONDS [RUNS]]: while nothing changes for SECONDS (60), electd-hookd starts no process. A
bound unit that fails is reported, and a leader target that another program stops is started again,
RUNS times each (5): the program prints how long that took. The service manager may re-execute or
reload itself, and a new unit may be bound to the target; then the same holds. The last scene prints
what many units of other programs cost that start at the same time.
"""
import os
import random
import re
import signal
import subprocess
import sys
import time

import hosts
from hosts import APP, Failed, now, until
import report
import story

# electd-hookd waits 0.1 s after a change, and 1 s after the last look. A look takes two calls of
# systemctl; the rest is for a busy machine.
LIMIT = 3.0
# A target has to be down for so long before that is reported.
SETTLED = 1.0
# A unit that is new in the manager's memory is looked at within 5 s.
NEW_LIMIT = 5.0 + LIMIT
# In the long run electd-hookd looks at most every 5 s, however often units change, and a scene causes
# three looks: after so long they are no more than that.
REST = 10.0
TARGET = "electd-leader.target"
NEW = "new.service"
NEW_UNIT = """[Unit]
BindsTo=electd-leader.target
After=electd-leader.target
[Service]
ExecStart=sh -c 'sleep 0.2; exit 3'
[Install]
WantedBy=electd-leader.target
"""
OTHERS = 300
OTHER_UNIT = "[Service]\nType=oneshot\nExecStart=true\n"


def check(condition, words, *values):
    if not condition:
        raise Failed(words % values if values else words)


def failed(host, unit):
    """The result that electd-hookd has reported of a unit: "exit-code"; None: it has not failed."""
    return next((r["output"] for r in host.ask("GetHooks")["reports"]
                 if r["script"] == unit and r["result"] == "unit-failed"), None)


def took(words, what, at, limit):
    until(words, what, limit)
    return now() - at


def times(seconds):
    return "%.2f s at most, median %.2f s" % (max(seconds), sorted(seconds)[len(seconds) // 2])


def started(host, seconds):
    """The processes that electd-hookd starts meanwhile; a thread is none."""
    trace = os.path.join(host.dir, "processes")
    strace = subprocess.Popen(["strace", "-f", "-q", "-o", trace, "-e", "trace=clone,clone3,fork,vfork",
                               "-p", str(host.main_pid("electd-hookd"))], stderr=subprocess.DEVNULL)
    until("strace follows it", lambda: os.path.exists(trace))
    time.sleep(seconds)
    strace.send_signal(signal.SIGTERM)
    strace.wait()
    with open(trace) as f:
        return sum("CLONE_THREAD" not in line and bool(re.search(r"\) = [1-9]\d*$", line))
                   for line in f.read().splitlines())


def quiet(host, seconds):
    time.sleep(REST)
    count = started(host, seconds)
    words = "%d processes in %d s" % (count, seconds)
    check(count == 0, words)
    return words


def mends(host, unit):
    host.systemctl("reset-failed", unit)
    host.systemctl("start", unit)
    return took("the report of %s ends" % unit, lambda: not failed(host, unit), now(), LIMIT)


def one_failure(host):
    time.sleep(REST + random.uniform(0, 5))     # anywhere between two looks that a clock causes
    at = host.kill(APP)
    seconds = took("%s is reported" % APP, lambda: failed(host, APP) == "signal", at, LIMIT)
    check(host.leads(), "it leads no more")
    mends(host, APP)
    return seconds


def failures(host, runs):
    return times([one_failure(host) for _ in range(runs)])


def one_stop(host, *how):
    time.sleep(REST + random.uniform(0, 5))
    at = now()
    host.systemctl(*how)
    seconds = took("%s is started again" % TARGET, lambda: host.state(APP) == "active", at,
                   SETTLED + LIMIT)
    check(seconds > SETTLED, "%.2f s: a stop of electd-hookd would begin like this", seconds)
    until("the report ends", lambda: not failed(host, TARGET))
    return seconds


def target_stops(host, runs):
    return times([one_stop(host, "stop", TARGET) for _ in range(runs)] +
                 [one_stop(host, "isolate", "multi-user.target")])


def reexecuted(host):
    """Whatever the manager forgot of electd-hookd; a failure before it is heard again is found, too."""
    host.systemctl("daemon-reexec")
    at = host.kill(APP)
    took("%s is reported" % APP, lambda: failed(host, APP) == "signal", at, LIMIT)
    mends(host, APP)
    seconds = one_failure(host)
    return "%.2f s; then %s" % (seconds, quiet(host, 20))


def newly_bound(host):
    """With `enable`, which reloads the manager; and by a start alone."""
    host.write("/etc/systemd/system/" + NEW, NEW_UNIT)
    host.systemctl("-q", "enable", NEW)
    at = now()
    host.systemctl("start", NEW)
    enabled = took("%s is reported" % NEW, lambda: failed(host, NEW), at, LIMIT)
    host.write("/etc/systemd/system/2" + NEW, NEW_UNIT)
    at = now()
    host.systemctl("start", "2" + NEW)
    alone = took("2%s is reported" % NEW, lambda: failed(host, "2" + NEW), at, NEW_LIMIT)
    for unit in (NEW, "2" + NEW):
        host.systemctl("reset-failed", unit)
    until("the reports end", lambda: not failed(host, NEW) and not failed(host, "2" + NEW))
    return "after %.2f s; by a start alone after %.2f s" % (enabled, alone)


def manager_used(host):
    """Seconds of a processor that the service manager has used, alone."""
    with open("/proc/%d/stat" % host.leader) as f:
        ticks = f.read().rsplit(")", 1)[1].split()[11:13]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def others(host):
    """Units that are not bound to the target start and end: looks are not caused by each."""
    host.write("/etc/systemd/system/other@.service", OTHER_UNIT)
    host.systemctl("daemon-reload")
    time.sleep(REST)
    used, manager, at = host.used("electd-hookd.service"), manager_used(host), now()
    host.sh("systemctl start $(seq -f other@%%g.service %d)" % OTHERS)
    seconds = now() - at
    time.sleep(1)
    used = host.used("electd-hookd.service") - used
    return "%d units in %.1f s: %.2f ms of a processor a unit, and %.2f ms of the manager's" % (
        OTHERS, seconds, used * 1000 / OTHERS, (manager_used(host) - manager) * 1000 / OTHERS)


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    result = report.Report()
    hosts.setup()
    with hosts.Lan(1) as lan:
        host = story.Story(lan).start('hooks = { on_failure = "ignore"; };\n')
        result.attempt("a quiet leader starts no process", quiet, host, seconds)
        result.attempt("a unit fails, and is reported", failures, host, runs)
        result.attempt("the target is stopped, and started again", target_stops, host, runs)
        result.attempt("the manager re-executes itself", reexecuted, host)
        result.attempt("a unit is newly bound", newly_bound, host)
        result.attempt("units of other programs", others, host)
        if result.failed:
            print(host.sh("journalctl --no-pager -u electd-hookd | tail -n 60").stdout)
    result.exit()


if __name__ == "__main__":
    main()
