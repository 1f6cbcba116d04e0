#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Units that are bound to the leader target, and systemd's signals about them (electd-hooks(7),
UNITS).

units.py: on the leader of three booted hosts electd-hookd starts no process while nothing changes.
A bound unit that fails is reported by its name, also after systemd has re-executed itself, and if
it was bound just before. A target that another program stops is started again. With
hooks.on_failure "resign" a unit that fails on every host causes one hand-over on each: then no host
leads, and `electctl check` names the unit on each host."""
import os
import re
import signal
import subprocess
import time

import hosts
from hosts import APP, check, until
import report
import story

# The interval in which electd-hookd looks at its units without a signal.
LOOK = 5.0
TARGET = "electd-leader.target"
CONFIG = 'hooks = { on_failure = "%s"; };\n'
FAILS = "[Service]\nExecStart=\nExecStart=sh -c 'sleep 0.5; exit 3'\n"
NEW_UNIT = """[Unit]
BindsTo=electd-leader.target
After=electd-leader.target
[Service]
ExecStart=sh -c 'sleep 0.2; exit 3'
[Install]
WantedBy=electd-leader.target
"""


def is_told(host, how, unit=APP):
    """Whether `check` reports the unit's name, with exit status 6."""
    done = host.electctl("check", check=False)
    named = "unit %s, which follows the leader, has failed (%s)" % (unit, how) in done.stdout
    check(not named or done.returncode == 6, "%s exits %d", done.stdout, done.returncode)
    return named


def mended(host, unit=APP):
    host.systemctl("reset-failed", unit)
    host.systemctl("start", unit)
    until("the report is taken back", lambda: not host.electctl("check", check=False).returncode)


def processes(trace):
    """The starts of processes, not of threads, in the trace."""
    return [line for line in report.whole_lines(trace)
            if "CLONE_THREAD" not in line and re.search(r"\) = [1-9]\d*$", line)]


def quiet(net):
    """electd-hookd starts no process, but one when a unit fails, so strace does follow it."""
    host = net.settle()
    time.sleep(2 * LOOK)    # the start has caused some looks
    trace = os.path.join(host.dir, "processes")
    with subprocess.Popen(["strace", "-f", "-q", "-o", trace, "-e", "trace=clone,clone3,fork,vfork",
                           "-p", str(host.main_pid("electd-hookd"))],
                          stderr=subprocess.DEVNULL) as strace:
        until("strace follows it", lambda: os.path.exists(trace))
        time.sleep(2 * LOOK)
        before = processes(trace)
        host.kill(APP)
        until("a process is started", lambda: processes(trace))
        strace.send_signal(signal.SIGTERM)
    mended(host)
    check(not before, "it has started %s", before)


def fails(net):
    """Only the leader reports it, and still leads; again after systemd has re-executed itself."""
    leader = net.settle()
    token = leader.ask()["token"]
    for before in ("is-system-running", "daemon-reexec"):
        leader.systemctl(before, check=False)
        leader.kill(APP)
        until("check reports it", lambda: is_told(leader, "signal"))
        check(not any(is_told(h, "signal") for h in net.others(leader)), "others report it, too")
        mended(leader)
    check(leader.ask()["token"] == token, "its token is new")


def newly_bound(net):
    """A unit is bound by `enable`, which reloads the manager, or only by a start."""
    leader = net.settle()
    for unit, enabled in (("new.service", True), ("newer.service", False)):
        leader.write("/etc/systemd/system/" + unit, NEW_UNIT)
        if enabled:
            leader.systemctl("-q", "enable", unit)
        leader.systemctl("start", unit)
        until("check reports %s" % unit, lambda u=unit: is_told(leader, "exit-code", u))
        leader.systemctl("-q", "disable", unit)
        leader.systemctl("reset-failed", unit)
        until("the report is taken back", lambda: not leader.electctl("check", check=False).returncode)


def target_stopped(net):
    """`systemctl isolate` and a stop of the target are reported, and the unit runs again."""
    leader = net.settle()
    for words in (("isolate", "multi-user.target"), ("stop", TARGET)):
        cursor = leader.journal("-n", "1")[-1]["__CURSOR"]
        leader.systemctl(*words)
        until("it is reported", lambda c=cursor: any(
            TARGET + ": stopped by another program" in str(e["MESSAGE"])
            for e in leader.journal("--after-cursor", c)))
        until("the unit runs again", lambda: leader.state(APP) == "active")
        until("check finds nothing", lambda: not leader.electctl("check", check=False).returncode)


def goes_round(net, told):
    first = net.settle()
    for host in net.hosts:
        host.write("/etc/electd/electd.conf", CONFIG % "resign")
        host.write("/etc/systemd/system/%s.d/fails.conf" % APP, FAILS)
        host.systemctl("daemon-reload")
        host.systemctl("reload", "electd")
    at = first.kill(APP)
    until("no host leads, and each reports why", lambda: all(
        h.ask()["role"] == "none" and is_told(h, "signal" if h is first else "exit-code")
        for h in net.hosts))
    led = told.led(at)
    check(len(led) == 2 and {first, *led} == {*net.hosts}, "led: %s", [h.name for h in led])
    for host in net.hosts:
        check("Barred" in host.electctl("status").stdout, "%s does not show it", host.name)
    for host in net.hosts:
        host.run("rm", "-r", "/etc/systemd/system/%s.d" % APP)
        host.systemctl("daemon-reload")
        host.systemctl("reset-failed", APP)
    leader = net.settle()
    until("%s runs on %s" % (APP, leader.name), lambda: leader.state(APP) == "active")
    until("all is well", lambda: leader.electctl("check", check=False).returncode == 0)


def main():
    result = report.Report()
    hosts.setup()
    with hosts.Lan() as net:
        told = story.Story(net)
        told.start(CONFIG % "ignore")
        result.attempt("a quiet leader starts no process", quiet, net)
        result.attempt("a failed unit is reported", fails, net)
        result.attempt("a unit is newly bound", newly_bound, net)
        result.attempt("the target is stopped, and started again", target_stopped, net)
        result.attempt("each host hands over once", goes_round, net, told)
        result.attempt("all journals", told.judge)
    result.exit()


if __name__ == "__main__":
    main()
