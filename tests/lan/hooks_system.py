# SPDX-License-Identifier: Apache-2.0
"""What electd-hookd does with the system around it: the targets, by a systemctl that only writes
down how it is called; what the service manager is told; a disk that does not write. For hooks.py.
"""
import os
import signal
import socket
import time

import hooked
import lan
from hooked import DEMOTIONS, FIRST, QUICK, SECOND, World, check

# Writes into the log of the host whose unit it is, as a hook does; "replay" is whether the file
# `leader` is there. HOST-leader.target, HOST-online.target. refuse-leader.target-VERB in the folder
# of that file says how many calls fail. HOST-web.service is bound to HOST-leader.target; with a
# file `failed` there it has failed, with `former` before this host led, with `slow` nobody is told
# how it is; `asked` says that somebody wanted to know. While the target is being stopped, so is it.
# With a file `stopped` somebody has stopped the target, until it is started again.
SYSTEMCTL = """#!/bin/bash
unit=${*: -1}
host=${unit%%%%-*}
own=/run/own-$host
case "$*" in
*" show --value -p BoundBy -- "*)
	: >"$own/asked"
	[ ! -e "$own/slow" ] || sleep 60
	echo "$host-web.service"
	exit ;;
*" show -p Id,ActiveState,Result,Job,StateChangeTimestampMonotonic -- "*)
	target=active state=active result=success
	[ ! -e "$own/stopped" ] || target=inactive
	printf 'Id=%%s-leader.target\\nActiveState=%%s\\nStateChangeTimestampMonotonic=1\\n\\n' "$host" "$target"
	[ ! -e "$own/failed" ] || state=failed result=exit-code
	printf 'Id=%%s\\nActiveState=%%s\\nResult=%%s\\n' "$unit" "$state" "$result"
	[ ! -e "$own/former" ] || echo StateChangeTimestampMonotonic=1
	exit ;;
*" show -p Id,ActiveState -- "*)
	printf 'Id=%%s\nActiveState=deactivating\n' "$unit"
	exit ;;
esac
verb=${*: -2:1}
there=0
[ ! -e "/run/own-$host/leader" ] || there=1
export ELECTD_EVENT="$*" ELECTD_TOKEN=0 ELECTD_REPLAY=$there
call()
{
	exec -a "/run/hooks/$host/systemctl" %s "$verb" x < <(printf '{"confirmed":false}')
}
refuse=/run/own-$host/refuse-${unit#*-}-$verb
left=$(cat "$refuse" 2>/dev/null || echo 0)
[ "$left" != 0 ] || { [ "$verb" != start ] || rm -f "/run/own-$host/stopped"; call; }
[ ! -e "$refuse" ] || echo $((left - 1)) >"$refuse"
(call)
exit 1
"""


def fake_systemd():
    """As if systemd ran; only the mounts of this program see it."""
    with open("/run/systemctl", "w") as f:
        f.write(SYSTEMCTL % os.path.abspath(hooked.hook_program()))
    os.chmod("/run/systemctl", 0o755)
    lan.run("mount", "--bind", "/run/systemctl", "/usr/bin/systemctl")
    os.makedirs("/run/systemd/system")


def no_systemd():
    lan.run("umount", "/usr/bin/systemctl")
    lan.run("rm", "-r", "/run/systemd", "/run/systemctl")


def start_with_units(one):
    name = one.host.name
    one.start("--target", name + "-leader.target", "--online-target", name + "-online.target")


def words_of(run, unit):
    """How systemctl was called for HOST-`unit`.target, or None."""
    name = "%s-%s.target" % (run.host.name, unit)
    if run.name != "systemctl" or not run.event.endswith(" " + name):
        return None
    return run.event.replace("--no-ask-password ", "").replace(name, "UNIT")


def calls(one, unit):
    return [run for run in one.runs() if words_of(run, unit)]


def wait_call(one, unit, words, after=0):
    return one.wait("systemctl %s" % words, lambda run: run.end and run.begin > after and
                    words_of(run, unit) == words)


def wait_report(host, script, result):
    end = lan.now() + lan.PATIENCE
    while True:
        reports = host.call("io.electd.GetHooks")["reports"]
        if any(r["script"] == script and r["result"] == result for r in reports):
            return
        check(lan.now() < end, "%s is not %s: %s", script, result, reports)
        time.sleep(0.01)


def demoted_in_order(one, at):
    """The target first, its job awaited and the file gone; then the scripts."""
    stop = wait_call(one, "leader", "stop UNIT", at)
    first = one.wait_event("none", at, name=FIRST)
    check(not stop.replay, "the file was there when the target was stopped")
    check(stop.end <= first.begin, "%s before the end of %s", first, stop)
    check(stop.end - stop.begin >= 0.3, "the stop was not awaited")


def promoted_in_order(one, at):
    """The scripts, then the target, with the file there."""
    start = wait_call(one, "leader", "--job-mode=fail start UNIT", at)
    last = one.wait_event("leader", at, name=SECOND)
    check(start.replay, "the file was not there when the target was started")
    check(last.end <= start.begin, "%s before the end of %s", start, last)


def with_units(w):
    net = w.net
    net.settle()
    host, hooks = w.leader()
    other = w.others(host)[0]
    promoted_in_order(hooks, 0)
    for one in (hooks, other):
        wait_call(one, "online", "--no-block --job-mode=fail start UNIT")
    check(not calls(other, "leader"), "a follower's target: %s", calls(other, "leader"))
    hooks.do("stop", 300)
    at = host.resign()
    demoted_in_order(hooks, at)
    promoted_in_order(other, at)
    check(not os.path.exists("/run/own-%s/leader" % host.name), "the file is left")
    check(os.path.exists("/run/own-%s/leader" % other.host.name), "the new leader's file")
    net.settle()
    # electd-hookd reports a start that fails, and waits for a stop that takes long.
    hooks.do("start", 0, 5)
    at = lan.now()
    other.end()
    other.host.stop()
    wait_report(host, host.name + "-leader.target", "failed")
    hooks.do("start", 60000)
    at = lan.now()
    hooks.do("stop", 3000)
    hooks.end()
    stop = leader_calls(hooks, "stop", at)[-1]
    check(stop.end and stop.end - stop.begin >= 3, "it ended while the target stops: %s", stop)
    last = calls(hooks, "online")[-1]
    check(words_of(last, "online") == "--no-block stop UNIT", "at its end: %s", last)
    check(not os.path.exists("/run/own-%s/leader" % host.name), "the file is left")


def targets():
    """electd-leader.target and electd-online.target, in their order."""
    fake_systemd()
    try:
        with World(2, QUICK + " hooks = { timeout_ms = 500; };", start=start_with_units) as w:
            with_units(w)
    finally:
        no_systemd()


def refuse(one, verb, times):
    """So often that call fails for its leader target."""
    with open("/run/own-%s/refuse-leader.target-%s" % (one.host.name, verb), "w") as f:
        f.write("%d\n" % times)


def leader_calls(one, verb, after):
    return [run for run in calls(one, "leader") if run.begin > after and
            words_of(run, "leader").endswith(verb + " UNIT")]


def asked_again(w):
    host, hooks = w.leader()
    unit = host.name + "-leader.target"
    promoted_in_order(hooks, 0)
    refuse(hooks, "stop", 2)
    refuse(hooks, "start", 1000)
    at = host.resign()
    first = hooks.wait_event("none", at, name=FIRST)
    stops = leader_calls(hooks, "stop", at)
    check(len(stops) == 3 and stops[-1].end <= first.begin, "stops: %s, then %s", stops, first)
    check(stops[-1].end - stops[0].begin < 1, "they took long: %s", stops)
    wait_report(host, unit, "failed")
    refused = leader_calls(hooks, "start", at)[0]
    time.sleep(3)
    refuse(hooks, "start", 0)
    wait_report(host, unit, "ok")
    starts = leader_calls(hooks, "start", at)
    check(4 <= len(starts) <= 6, "starts: %s", starts)
    check(starts[-1].begin - refused.begin < 4.5 and starts[-1].replay, "the last: %s", starts)
    log = hooks.log()
    check(log.count("start failed") == 1 and "stop failed" not in log, "told: %s", log)
    # Of a unit that is not installed nothing is up: its stop is asked for once.
    hooks.do("stop", 0, 5)
    at = host.resign()
    hooks.wait_event("none", at, name=FIRST)
    stops = leader_calls(hooks, "stop", at)
    check(len(stops) == 1, "stops of a unit that is not there: %s", stops)
    promoted_in_order(hooks, at)
    hooks.do("stop", 0)
    # While it is refused again, leadership is lost: nothing is started any more.
    refuse(hooks, "start", 1000)
    host.resign()
    wait_report(host, unit, "failed")
    at = host.kill()
    hooks.wait_event("none", at)
    stopped = leader_calls(hooks, "stop", at)[-1]
    time.sleep(1.5)
    check(not leader_calls(hooks, "start", stopped.begin), "started: %s", calls(hooks, "leader"))
    return "up after %.1f s" % (starts[-1].end - refused.begin)


def targets_again():
    """A stop that is refused is asked again at once; a start for as long as this host leads."""
    fake_systemd()
    try:
        with World(1, QUICK + " hooks = { timeout_ms = 2000; };", start=start_with_units) as w:
            return asked_again(w)
    finally:
        no_systemd()


# ---- the service manager -------------------------------------------------------------------------


class Manager:
    """What is said to NOTIFY_SOCKET."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind("/run/notify")
        self.lines = []

    def wait(self, words, times=1):
        self.socket.settimeout(lan.PATIENCE)
        while sum(line.startswith(words) for line in self.lines) < times:
            try:
                self.lines += self.socket.recv(65536).decode().splitlines()
            except TimeoutError:
                check(False, "the manager was not told %s; but %s", words, self.lines)

    def close(self):
        self.socket.close()
        os.unlink("/run/notify")


def notified():
    """Ready before electd is heard; what it does; its watchdog; more time while it demotes."""
    manager = Manager()
    with lan.Lan(1, QUICK) as net:
        one = hooked.Hooked(net.hosts[0])
        one.start(NOTIFY_SOCKET="/run/notify", WATCHDOG_USEC="200000")
        manager.wait("READY=1")
        manager.wait("WATCHDOG=1", 3)
        net.start()
        manager.wait("STATUS=leader, 2 scripts ran")
        one.do("stop", 1500)
        one.send(signal.SIGTERM)
        manager.wait("STOPPING=1")
        manager.wait("EXTEND_TIMEOUT_USEC=", 3)
        check(one.end() == 0, "its end: %s", one.log())
        one.forget()
    manager.close()


# ---- the disk ------------------------------------------------------------------------------------


def no_disk():
    """What cannot be recorded is not begun; it is tried again and told; a demotion does not wait."""
    with World(1, hookds=False) as w:
        host = w.net.hosts[0]
        one = w.hooked[host]
        at = lan.now()
        one.make_phase()
        one.start(wrapper=["strace", "-D", "-f", "-o", "/dev/null", "-e", "trace=fdatasync", "-e",
                           "inject=fdatasync:error=EIO:when=1..3"])
        wait_report(host, "phase", "unrecorded")
        check(not one.events(), "run without a record: %s", one.events())
        run = one.wait_event("leader", at)
        wait_report(host, "phase", "ok")
        host.kill()
        one.wait("its demotion", lambda r: r.event in DEMOTIONS and r.begin > run.begin)
        return "leader after %.1f s" % (run.begin - at)


def system_calls(trace):
    """Of one hookd, in order: the record written, synced, and scripts begun."""
    with open(trace) as f:
        for line in f:
            if "pwrite64" in line and "electd-hookd 1 started" in line:
                yield "written"
            elif "fdatasync" in line and line.rstrip().endswith("= 0"):
                yield "synced"
            elif "execveat(" in line and '"leader"' in line:
                yield "begun"


def recorded(times):
    """A power cut at the first byte of `leader`: what owes its demotion is on the disk by then."""
    traces, begun = {}, 0
    with World(2, hookds=False) as w:
        for one in w.hooked.values():
            traces[one] = os.path.join(one.host.dir, "hookd.trace")
            one.start(wrapper=["strace", "-D", "-f", "-o", traces[one], "-s", "64", "-e",
                               "trace=pwrite64,fdatasync,execveat"])
        for host, one in w.hooked.items():
            one.wait_event("leader" if host is w.net.leader() else "follower")
        for _ in range(int(times)):
            host, at = w.net.leader(), lan.now()
            host.call("io.electd.Resign", **{"for": 1})
            w.begun("leader", at, w.others(host))
            w.hooked[host].wait_event("follower", at)
            w.net.wait("the leader knows that it may lead again", lambda: all(
                m["may_lead"] for m in w.net.leader().call("io.electd.GetMembers")["members"]))
        for one in w.hooked.values():
            one.end()
            owed = False
            for call in system_calls(traces[one]):
                if call == "begun":
                    check(owed in ("synced", "begun"), "%s: begun, and only %s",
                          one.host.name, owed)
                    begun += owed == "synced"
                owed = call if call != "synced" or owed == "written" else owed
    check(begun > int(times), "%d promotions seen, %s made", begun, times)
    return "0 of %d promotions begun before they were on the disk" % begun
