# SPDX-License-Identifier: Apache-2.0
"""Units that are bound to the leader target, and fail, and a target that somebody stops: they are told, and with hooks.on_failure
"resign" leadership goes on to who has not failed. Units that take long to stop: leadership waits
for them. For hooks.py; systemctl is hooks_system.py's.
"""
import os
import time

import hooked
import lan
from hooked import DEMOTIONS, FIRST, QUICK, World, check
from hooks_system import (fake_systemd, leader_calls, no_systemd, refuse, start_with_units,
                          wait_report)

# No service manager is heard here, so units are looked at every 5 s, for 2 s at most.
TOLD = 7.0
BAR = 30.0


def own_file(host, name):
    return "/run/own-%s/%s" % (host.name, name)


def touch(host, name):
    with open(own_file(host, name), "w"):
        pass


def fails(host):
    """Its unit, from now on."""
    touch(host, "failed")


def is_well(host):
    os.unlink(own_file(host, "failed"))


def wait(what, limit, condition):
    """Until it is so, and how long that took."""
    at = lan.now()
    while not condition():
        check(lan.now() - at < limit, "not within %.1f s: %s", limit, what)
        time.sleep(0.02)
    return lan.now() - at


def status(host):
    return host.call("io.electd.GetStatus")


def asked(host):
    """Somebody asks for the state of its units, once more."""
    try:
        os.unlink(own_file(host, "asked"))
    except FileNotFoundError:
        pass
    wait("systemctl is asked", TOLD, lambda: os.path.exists(own_file(host, "asked")))


def words(host):
    return "unit %s-web.service, which follows the leader, has failed (exit-code)" % host.name


def is_told(host):
    """By `check`, with the unit's name."""
    done = host.electctl("check")
    named = words(host) in done.stdout
    check(not named or done.returncode == 6, "%s exits %d", done.stdout, done.returncode)
    return named


def stopped(host):
    """Somebody stops its target, and the units with it: `systemctl isolate`."""
    touch(host, "stopped")
    return lan.now()


def started_again(w):
    """With "ignore": the target that was stopped is started again."""
    host, hooks = w.leader()
    asked(host)
    at = stopped(host)
    wait("it is started again", TOLD, lambda: leader_calls(hooks, "start", at))
    wait_report(host, host.name + "-leader.target", "ok")
    check(host.electctl("check").returncode == 0, "it is not taken back")
    check(status(host)["role"] == "leader", "it leads no more")
    check("-leader.target: stopped by another program" in hooks.log(), "the journal does not tell")
    # The target does not start, and the reason is reported.
    refuse(hooks, "start", 1000)
    stopped(host)
    wait("it is told", TOLD, lambda: "hook %s-leader.target: failed on leader (exit status 1)" %
         host.name in host.electctl("check").stdout)
    check(host.electctl("check").returncode == 6, "check does not mind")
    refuse(hooks, "start", 0)
    wait_report(host, host.name + "-leader.target", "ok")


def stopped_hands_over(w):
    """With "resign": another host leads."""
    host, hooks = w.leader()
    asked(host)
    at = stopped(host)
    wait("it hands over", TOLD, lambda: status(host)["role"] == "follower")
    w.begun("leader", at, w.others(host))
    check(not leader_calls(hooks, "start", at), "it is started again")
    check(status(host)["node"]["barred_ms"], "it is not barred")


def promotions(w, after):
    return {host: [r for r in one.runs() if r.event == "leader" and r.name == FIRST and
                   r.begin > after] for host, one in w.hooked.items()}


def told_only(w):
    """With "ignore": told, led on, and taken back."""
    host, hooks = w.leader()
    asked(host)
    fails(host)
    took = wait("it is told", TOLD, lambda: is_told(host))
    rows = host.electctl("--plain", "hooks", "list").stdout
    check("%s-web.service\tunit\tleader\tunit-failed" % host.name in rows, "the list: %s", rows)
    check(status(host)["role"] == "leader", "it leads no more")
    is_well(host)
    wait("it is taken back", TOLD, lambda: not is_told(host))
    # Nobody answers: the demotion does not wait for that.
    touch(host, "slow")
    asked(host)
    at = host.resign()
    demotion = hooks.wait("its demotion", lambda r: r.event in DEMOTIONS and r.begin > at)
    check(demotion.begin - at < 0.5, "it began after %.2f s", demotion.begin - at)
    wait("it hands over", TOLD, lambda: status(host)["role"] != "leader")
    return "after %.1f s" % took


def handed_on(w):
    """With "resign": each host in turn hands over once, and then nobody leads."""
    hosts, at = w.net.hosts, lan.now()
    first = w.net.leader()
    # What had failed before it led is told, and no reason to hand over.
    touch(first, "former")
    fails(first)
    wait("it is told", TOLD, lambda: is_told(first))
    asked(first)
    asked(first)
    check(status(first)["role"] == "leader", "it hands over what is not of its time")
    is_well(first)
    wait("it is taken back", TOLD, lambda: not is_told(first))
    os.unlink(own_file(first, "former"))
    asked(first)
    for host in hosts:
        fails(host)
    took = wait("the first hands over", TOLD, lambda: status(first)["role"] != "leader")
    wait("nobody leads", 2 * TOLD, lambda: all(status(h)["role"] == "none" and is_told(h)
                                               for h in hosts))
    for host, runs in promotions(w, at).items():
        check(len(runs) == (host is not first), "%s led: %s", host.name, runs)
    for host in hosts:
        left = status(host)["node"]["barred_ms"]
        check(left and left <= BAR * 1000, "%s is barred for %s ms", host.name, left)
        is_well(host)
    wait("taken back while nobody leads", TOLD, lambda: not any(is_told(h) for h in hosts))
    # The bar is over. It fails again, and is barred for twice as long.
    wait("somebody leads", BAR + lan.PATIENCE, lambda: any(status(h)["role"] == "leader"
                                                           for h in hosts))
    w.wait_roles()
    again = w.net.leader()
    fails(again)
    wait("it hands over again", TOLD, lambda: status(again)["role"] == "follower")
    left = status(again)["node"]["barred_ms"]
    check(left and left > BAR * 1000, "%s is barred for %s ms", again.name, left)
    return "the first after %.1f s" % took


def units_fail():
    """Told, taken back, handed on."""
    fake_systemd()
    try:
        with World(2, QUICK, start=start_with_units) as w:
            one = told_only(w)
            w.wait_roles()
            started_again(w)
        with World(3, QUICK + ' hooks = { on_failure = "resign"; };', start=start_with_units) as w:
            other = handed_on(w)
            hooked.judge(w.hooked)
        with World(2, QUICK + ' hooks = { on_failure = "resign"; };', start=start_with_units) as w:
            stopped_hands_over(w)
    finally:
        no_systemd()
    return "told %s; handed on, %s" % (one, other)


# ---- units that take long to stop (crashes A4b) ------------------------------------------------------


def stop_of(hooks, at):
    """The stop of its target, once it has ended."""
    return wait_for(lambda: next((run for run in leader_calls(hooks, "stop", at) if run.end), None))


def wait_for(what):
    end = lan.now() + lan.PATIENCE
    while not (found := what()):
        check(lan.now() < end, "the stop has not ended")
        time.sleep(0.02)
    return found


def overruns(host):
    return [p for p in status(host)["health"]["problems"] if p.startswith("yield-overrun: ")]


def released_at_its_end():
    """A unit takes 14 s to stop, with the default times: the next leader begins when it has ended."""
    with World(2, QUICK, start=start_with_units) as w:
        host, hooks = w.leader()
        other = w.others(host)[0]
        hooks.do("stop", 14000)
        at = host.resign(30)
        run = w.begun("leader", at, [other])
        stop = stop_of(hooks, at)
        check(stop.end - stop.begin >= 14, "the stop took %.1f s", stop.end - stop.begin)
        check(0 <= run.begin - stop.end < 0.5, "%.2f s after its end", run.begin - stop.end)
        check(not overruns(host), "an overrun: %s", overruns(host))
        return "the next leader begins %.0f ms after its end" % ((run.begin - stop.end) * 1000)


def overrun():
    """It takes longer than yield_timeout: leadership passes on then, and its name is told."""
    config = QUICK + " hooks = { timeout_ms = 500; };"
    config = config.replace("timing = {", "timing = { yield_timeout_ms = 2000;")
    with World(2, config, start=start_with_units) as w:
        host, hooks = w.leader()
        other = w.others(host)[0]
        asked(host)     # its units are known
        asked(host)
        hooks.do("stop", 5000)
        at = host.resign(3)
        run = w.begun("leader", at, [other])
        check(2 <= run.begin - at < 2.5, "the next leader begins after %.2f s", run.begin - at)
        wait("it is told", TOLD, lambda: overruns(host) == [
            "yield-overrun: %s-web.service had not ended when timing.yield_timeout_ms was over, "
            "and leadership passed on" % host.name])
        check(host.electctl("check").returncode == 6, "check does not mind")
        # The host is no leader: the end of its stop changes nothing.
        stop_of(hooks, at)
        w.wait_roles()
        check(w.net.leader() is other.host, "another leader")
        # A hand-over that ends in time ends the problem.
        hooks.do("stop")
        for old, new in ((other.host, host), (host, other.host)):
            wait("all may lead", TOLD, lambda old=old: all(
                m["may_lead"] for m in old.call("io.electd.GetMembers")["members"]))
            old.resign(2)
            wait("it leads", TOLD, lambda new=new: status(new)["role"] == "leader")
            w.wait_roles()
        check(not overruns(host), "still told: %s", overruns(host))
        return "after %.2f s" % (run.begin - at)


def units_stop():
    """In time, and not."""
    fake_systemd()
    try:
        return "%s; passed on %s" % (released_at_its_end(), overrun())
    finally:
        no_systemd()
