#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""electd-hookd and its hooks beside the real electd, without systemd: every promise about order.

hooks.py [default]: each rule once. hooks.py frozen [RUNS]: how long it takes from a leader's electd
standing still until its demotion has begun. hooks.py handovers [TIMES [SEED]]: electd and hookd of
three hosts are killed at random until leadership has changed hands so often; judged from what the
hooks of all hosts wrote down.
"""
import os
import random
import signal
import sys
import time

import hooked
import lan
import report
from hooked import DEMOTIONS, FIRST, QUICK, SECOND, World, check, demotion_of
from hooks_fake import no_electd
from hooks_hang import hangs
from hooks_kills import handovers
from hooks_rough import rough
from hooks_system import no_disk, notified, recorded, targets, targets_again, wait_report
from hooks_units import units_fail, units_stop

LATE = 0.100           # what a demotion may take to begin, when all is said
SLOW = 400             # ms of a slow demotion
CRASH_DEMOTION = 750   # ms of each of two scripts
HANDED_OVER = 200      # ms of the demotion of one that crashes while others hold their `none`
HELD = 0.060           # what the next leader may take to its hook, other scripts or not


# ---- what scripts are told -------------------------------------------------------------------------


def same(run, status, host):
    """Environment and JSON say the same, and what electd says."""
    env, told = run.env, run.json
    leader = status["leader"]
    wanted = {
        "ELECTD_DOMAIN": "default", "ELECTD_ROLE": status["role"],
        "ELECTD_GROUP": status["group"]["id"], "ELECTD_TOKEN": status["token"],
        "ELECTD_LEADER_ID": leader["id"], "ELECTD_LEADER_NAME": leader["name"],
        "ELECTD_NODE_ID": host.id, "ELECTD_NODE_NAME": host.name, "LANG": "C.UTF-8",
        "ELECTD_LEADER_ADDRESS": leader["address"] or "",
        "ELECTD_DEFINITION": status.get("definition") and "/run/own-%s/definition" % host.name or ""}
    check(set(env) == hooked.VARIABLES, "variables: %s", sorted(set(env) ^ hooked.VARIABLES))
    for key, value in wanted.items():
        check(env[key] == value, "%s is %r, wanted %r", key, env[key], value)
    names = {
        "event": "ELECTD_EVENT", "domain": "ELECTD_DOMAIN", "role": "ELECTD_ROLE",
        "old_role": "ELECTD_OLD_ROLE", "token": "ELECTD_TOKEN", "group": "ELECTD_GROUP",
        "reason": "ELECTD_REASON"}
    for key, name in names.items():
        check(told[key] == env[name], "%s is %r, %s %r", key, told[key], name, env[name])
    check(str(told["seq"]) == env["ELECTD_SEQ"], "seq %s, %s", told["seq"], env["ELECTD_SEQ"])
    check(str(int(told["replay"])) == env["ELECTD_REPLAY"], "replay")
    check(told["leader"]["self"] == (host.id == leader["id"]), "leader.self")
    check(" ".join(m["name"] for m in told["members"]) == env["ELECTD_MEMBERS"], "members")
    check(str(len(told["members"])) == env["ELECTD_MEMBER_COUNT"], "member count")
    check(told["schema"] == 1 and told["node"]["id"] == host.id, "schema or node")


def told():
    """Each host's first event; a third host comes and goes; an end."""
    with World(3) as w:
        net, (host, hooks) = w.net, w.leader()
        for one in w.hooked.values():
            event = "leader" if one is hooks else "follower"
            same(one.wait_event(event, name=FIRST), one.host.view, one.host)
        victim = next(h for h in net.hosts if h is not host)
        at = victim.kill()
        run = hooks.wait("members without it", lambda r: r.event == "members" and r.begin > at
                         and victim.name not in r.env["ELECTD_MEMBERS"])
        check(run.env["ELECTD_ROLE"] == "leader", "members tells the role: %s", run.env)
        victim.start()
        hooks.wait("members with it", lambda r: r.event == "members" and r.begin > run.begin
                   and victim.name in r.env["ELECTD_MEMBERS"])
        net.settle()
        check(hooks.end() == 0, "hookd does not end well: %s", hooks.log())
        last = hooks.events()[-1]
        check(last.event == "stop" and last.env["ELECTD_ROLE"] == "none" and not
              last.json["leader"] and last.env["ELECTD_OLD_ROLE"] == "leader" and
              last.env["ELECTD_REASON"] == "hookd-stopping", "at its end: %s", last.env)
        other = w.others(host)[0]
        check(other.end() == 0 and other.events()[-1].event == "stop", "a follower's end")
        hooked.judge(w.hooked)
        first, second = hooks.runs()[:2]
        check((first.name, second.name) == (FIRST, SECOND), "by name: %s", (first, second))


def wait_results(host, wanted, event=None):
    """Of each script that was run on that event, None: on any."""
    end = lan.now() + lan.PATIENCE
    while True:
        got = host.call("io.electd.GetHooks")
        results = {r["script"]: r["result"] for r in got["reports"] if event in (None, r["event"])}
        if results == wanted and got["hookd"]:
            return got["reports"]
        check(lan.now() < end, "reports: %s", got)
        time.sleep(0.01)


def reports():
    """electd and electctl are told how each script ended, and when it is gone."""
    with World(2) as w:
        host, hooks = w.leader()
        hooks.install("30-fails", "#!/bin/sh\necho it broke\nexit 3\n")
        hooks.install("40-loose", "#!/bin/sh\nexit 0\n")
        os.chmod(os.path.join(hooks.dir, "40-loose"), 0o777)
        at = host.resign()
        hooks.wait_event("follower", at)
        good = {FIRST: "ok", SECOND: "ok"}
        told = wait_results(host, {**good, "30-fails": "failed", "40-loose": "refused"})
        fails = next(r for r in told if r["script"] == "30-fails")
        check("it broke" in fails["output"] and fails["status"] == 3 and not fails["ok"],
              "report: %s", fails)
        words = host.call("io.electd.GetStatus")["health"]["problems"]
        check(len([word for word in words if "hook" in word]) == 2, "health: %s", words)
        hooks.remove("30-fails")
        hooks.remove("40-loose")
        w.others(host)[0].host.resign()
        wait_results(host, good)
        words = host.call("io.electd.GetStatus")["health"]["problems"]
        check(not [word for word in words if "hook" in word], "health: %s", words)


def too_many():
    """More than can be run: only a demotion is; told, and told again when it is over."""
    with World(1) as w:
        host, hooks = w.leader()
        for number in range(64):
            hooks.install("50-%d" % number, "#!/bin/sh\n")
        at = host.resign()
        wait_report(host, "hooks.d", "unstarted")
        demotion = hooks.wait_event("none", at)
        hooks.wait_log("leader done", after="none begins")
        check(hooks.runs()[-1].pid == demotion.pid, "run: %s", hooks.runs()[-3:])
        for number in range(64):
            hooks.remove("50-%d" % number)
        at = host.resign()
        hooks.wait_event("leader", at)
        wait_report(host, "hooks.d", "ok")


# ---- order -------------------------------------------------------------------------------------


def in_order(w, old, event, at):
    """The next leader's script begins after the old one's last demotion script ended."""
    new = w.begun("leader", at, [one for one in w.hooked.values() if one is not old])
    runs = old.runs()
    demotion = demotion_of(runs, at)
    check(demotion and demotion.end, "no demotion of the old one that ended: %s", runs[-4:])
    check(demotion.end <= new.begin, "%s: %s before the end of %s", event, new, demotion)
    check(demotion.event == event, "its demotion is %s", demotion)
    # electd is told at once: nothing waits for a time-out.
    check(new.begin - demotion.end < 0.5, "the next one after %.2f s", new.begin - demotion.end)
    return new.begin - demotion.end


def handing_over(how):
    with World(2) as w:
        host, hooks = w.leader()
        for event in DEMOTIONS:
            hooks.do(event, SLOW)
        at = lan.now()
        if how == "resign":
            host.resign(2)
        elif how == "hold":
            host.call("io.electd.Hold", on=True)
        elif how == "stop":
            host.stop()
        else:
            hooks.end()
            host.stop()
        gap = in_order(w, hooks, {"stop": "stop", "both": "stop"}.get(how, "none"), at)
        hooked.judge(w.hooked)
        return "the next one %.0f ms after the demotion" % (gap * 1000)


def merging():
    """Two groups with a leader each; the loser demotes, the winner is confirmed."""
    with World(4) as w:
        net = w.net
        first = net.leader()
        left = [first, next(h for h in net.hosts if h is not first)]
        right = [h for h in net.hosts if h not in left]
        net.split(left, right)
        net.wait("two leaders", lambda: net.led(left) and net.led(right))
        old = {h: w.hooked[h] for h in net.hosts if h.view["role"] == "leader"}
        for h, one in old.items():
            one.wait("leader with %d" % h.token(), lambda r, h=h: r.event == "leader" and r.end
                     and r.token == h.token() and r.name == SECOND)
            for event in DEMOTIONS:
                one.do(event, SLOW)
        at = net.heal()
        net.settle()
        winner = w.hooked[net.leader()]
        check(winner.host in old, "somebody else leads after the merge")
        loser = next(one for one in old.values() if one is not winner)
        run = winner.wait("a confirmation", lambda r: r.event == "leader" and r.begin > at and
                          r.name == FIRST)
        check(run.confirmed and run.token == net.leader().token(), "confirmed: %s", run)
        check(not demotion_of(winner.runs(), at), "the winner was demoted: %s", winner.runs())
        demotion = demotion_of(loser.runs(), at)
        check(demotion and demotion.end and demotion.end <= run.begin,
              "%s before the loser's %s", run, demotion)
        hooked.judge(w.hooked, split=True)
        return "confirmed %.0f ms after the loser's demotion" % ((run.begin - demotion.end) * 1000)


def skipped(w, rest, at, mark):
    """The next `leader` or `follower` has skipped each of those hosts' `none`: how long it took
    from leading to its hook."""
    run = w.begun("leader", at, rest)
    said = next(said for said, h, e in w.net.since(mark) if h is run.host and
                e["status"]["role"] == "leader")
    other = next(one for one in rest if one.host is not run.host)
    follows = other.wait_event("follower", at)
    passed = [r for r in other.runs() + w.hooked[run.host].runs() if r.event == "none" and
              at < r.begin < follows.begin]
    check(not passed, "not skipped: %s", passed)
    return run.begin - said


def overtaken(runs):
    """The leader falls silent; a follower's `none` would take a second: the next `leader` skips it."""
    took = []
    with World(3, "") as w:
        for _ in range(int(runs)):
            host, hooks = w.leader()
            rest = w.others(host)
            hooks.do("none")
            for one in rest:
                one.do("none", 1000)
            at, mark = lan.now(), w.net.mark()
            w.net.split([host], [one.host for one in rest])
            took.append(skipped(w, rest, at, mark))
            w.net.heal()
            w.net.settle()
            for one in w.hooked.values():
                one.wait("its role", lambda r, one=one: r.token == w.net.leader().token() and
                         r.event == one.host.view["role"] and r.end and r.name == SECOND)
        hooked.judge(w.hooked, split=True)
    return "from leading to its hook: " + report.within(took, HELD)


def overtaken_after_a_crash(runs):
    """The same where the leader is killed: its demotion takes longer than a `none` is held back."""
    took = []
    with World(3, "") as w:
        for _ in range(int(runs)):
            host, hooks = w.leader()
            rest = w.others(host)
            hooks.do("none", HANDED_OVER // 2)
            for one in rest:
                one.do("none", 1000)
            at, mark = lan.now(), w.net.mark()
            host.kill()
            took.append(skipped(w, rest, at, mark))
            host.start()
            w.wait_roles()
        hooked.judge(w.hooked)
    return "from leading to its hook: " + report.within(took, HELD)


def held_no_longer():
    """Nobody comes to lead: a follower's `none` is told, and soon."""
    with World(2) as w:
        host, hooks = w.leader()
        other = w.others(host)[0]
        other.host.call("io.electd.Hold", on=True)
        at, mark = lan.now(), w.net.mark()
        host.kill()
        hooks.wait_event("none", at)
        run = other.wait_event("none", at, name=FIRST)
        said = next(said for said, h, e in w.net.since(mark) if h is other.host and
                    e["status"]["role"] == "none")
        hooked.judge(w.hooked)
        check(run.begin - said < 0.050 + LATE, "after %.3f s", run.begin - said)
        return "%.0f ms" % ((run.begin - said) * 1000)


def nobody_waits():
    """Without hookd a hand-over is as quick as ever; with a dead one too."""
    with World(2, hookds=False) as w:
        host = w.net.leader()
        at = host.resign()
        took = w.net.wait("another leader", lambda: w.net.agreed() and
                          w.net.leader() is not host) - at
        check(took < 0.5, "it took %.2f s", took)
        return "%.0f ms" % (took * 1000)


# ---- ends that nobody asked for ----------------------------------------------------------------------


def alive(pid):
    """Who has ended, and is only not fetched yet, does not live."""
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def resigned(w, *does):
    """The leader's hooks, the other host's, and their first run as leader, which does that."""
    host, hooks = w.leader()
    other = w.others(host)[0]
    other.do("leader", *does)
    at = host.resign()
    return hooks, other, w.begun("leader", at, [other])


def hookd_killed():
    """In the middle of the leader script: its demotion is played first, then leader."""
    with World(2) as w:
        _, other, run = resigned(w, 5000)
        other.end(signal.SIGKILL)
        other.do("leader")
        other.start()
        demotion = other.wait("the demotion that is owed", lambda r: r.event in DEMOTIONS and
                              r.begin > run.begin)
        check(demotion.replay and demotion.token == run.token and
              demotion.env["ELECTD_OLD_ROLE"] == "leader" and
              demotion.env["ELECTD_DOMAIN"] == "default" and
              demotion.env["ELECTD_NODE_NAME"] == other.host.name, "replayed: %s", demotion.env)
        again = other.wait("leader again", lambda r: r.event == "leader" and
                           r.begin > demotion.begin)
        check(again.token == run.token, "it leads on: %s", again)
        between = [r.event for r in other.runs() if run.begin < r.begin < again.begin and
                   r.name == FIRST]
        check(between == [demotion.event], "in between: %s", between)
        check(not alive(run.pid), "the script outlived hookd")
        hooked.judge(w.hooked)


def owed():
    """Killed as leader and not started again: what it owes is played for it, once."""
    with World(2) as w:
        _, hooks = w.leader()
        hooks.end(signal.SIGKILL)
        at = lan.now()
        for _ in range(2):
            hooks.start("--owed")
            check(hooks.process.wait(lan.PATIENCE) == 0, "its end: %s", hooks.log())
            hooks.process = None
        events = [r for r in hooks.events() if r.begin > at]
        check([r.event for r in events] == ["stop"] and events[0].replay and
              events[0].env["ELECTD_OLD_ROLE"] == "leader", "played: %s", events)
        hooked.judge(w.hooked)


def stopped_in_the_middle():
    """hookd is told to stop while a leader script runs: that one is cut, `stop` is played."""
    with World(2) as w:
        _, other, run = resigned(w, 60000)
        at = lan.now()
        check(other.end() == 0, "its end: %s", other.log())
        took = lan.now() - at
        events = [r for r in other.runs() if r.begin > run.begin]
        check([r.event for r in events] == ["stop", "stop"] and events[-1].end, "runs: %s", events)
        check(took < 1, "it took %.2f s", took)
        hooked.judge(w.hooked)
        return "%.0f ms" % (took * 1000)


def electd_killed():
    """The end of its socket is the end of leadership."""
    with World(2) as w:
        took = []
        for _ in range(5):
            host, hooks = w.leader()
            at = host.kill()
            run = hooks.wait("a demotion", lambda r, at=at: r.event in DEMOTIONS and r.begin > at)
            took.append(run.begin - at)
            check(run.event == "none" and run.env["ELECTD_REASON"] == "electd-gone",
                  "demotion: %s", run.env)
            host.start()
            w.wait_roles()
        hooked.judge(w.hooked)
        return report.within(took, LATE)


def crash_hands_over(runs):
    """electd is killed: no other host's `leader` begins before the demotion has ended, and then it
    does (algorithm.md 4.11)."""
    with World(3) as w:
        took = []
        for _ in range(int(runs)):
            host, hooks = w.leader()
            for one in w.hooked.values():
                one.do("none", CRASH_DEMOTION if one is hooks else 0)
            at = host.kill()
            run = w.begun("leader", at, w.others(host))
            old = [r for r in hooks.runs() if r.begin > at and r.event in DEMOTIONS]
            check(len(old) == 2 and all(r.end and r.end <= run.begin for r in old),
                  "beside %s: %s", run, old)
            took.append(run.begin - max(r.end for r in old))
            host.start()
            w.wait_roles()
        hooked.judge(w.hooked)
        return "from its end to the next leader's hook: " + report.within(took, LATE)


def freeze(w, host, hooks):
    """From a moment between any two beacons to the demotion."""
    time.sleep(random.uniform(0, lan.BEACON))
    host.process.send_signal(signal.SIGSTOP)
    at = lan.now()
    try:
        run = hooks.wait("a demotion", lambda r: r.event in DEMOTIONS and r.begin > at and
                         r.name == FIRST)
        check(run.env["ELECTD_REASON"] == "electd-silent", "reason: %s", run.env)
    finally:
        host.process.send_signal(signal.SIGCONT)
    hooks.wait("its next role", lambda r: r.event in ("leader", "follower") and r.begin > run.begin)
    return run.begin - at


def frozen(runs):
    """SIGSTOP of a leader's electd, hookd alive; all but one in thirty within the bound."""
    took = []
    with World(3, "") as w:
        for _ in range(runs):
            host, hooks = w.leader()
            hooks.wait_event("leader", name=SECOND)
            took.append(freeze(w, host, hooks))
            w.wait_roles()
        hooked.judge(w.hooked)
    bound = lan.DEAD_AFTER + LATE
    return "demotion begun: " + report.within(took, bound, runs // 30)


def back_in_time():
    """electd stands still for long and goes on: what it said before is not believed again."""
    with World(1) as w:
        host, hooks = w.leader()
        freeze(w, host, hooks)
        run = [r for r in hooks.runs() if r.event == "leader"][-1]
        check(not run.confirmed, "a leader after a demotion is no confirmation: %s", run)
        hooked.judge(w.hooked)


def own_stall():
    """hookd stands still while its electd dies and comes again: no stale leader is played. Until it
    goes on the others wait for its demotion, but not for longer than crash_wait."""
    with World(2, "timing = { crash_wait_ms = 2000; };") as w:
        host, hooks = w.leader()
        hooks.send(signal.SIGSTOP)
        host.kill()
        host.start()
        w.net.settle()
        before = len(hooks.runs())
        at = hooks.send(signal.SIGCONT)
        run = hooks.wait("a demotion", lambda r: r.begin > at and r.event in DEMOTIONS)
        new = hooks.runs()[before:]
        check(new[0] is not None and new[0].event == run.event and run.begin - at < LATE,
              "first of all: %s", new)
        hooked.judge(w.hooked)
        return "%.0f ms" % ((run.begin - at) * 1000)


# ---- time and failure --------------------------------------------------------------------------------


def resigns():
    """hooks.on_failure = "resign": who cannot lead hands over, and is demoted."""
    with World(2, QUICK + ' hooks = { on_failure = "resign"; };') as w:
        hooks, other, failed = resigned(w, 0, 7)
        w.begun("leader", failed.begin, [hooks])
        demotion = demotion_of(other.runs(), failed.begin)
        check(demotion, "no demotion of the one that failed: %s", other.runs())
        check(not [r for r in other.runs() if r.event == "leader" and r.name == SECOND],
              "its second script was run")
        hooked.judge(w.hooked)


def time_out():
    """A leader script that takes too long is ended, the rest left out; a demotion is not."""
    with World(2, QUICK + " hooks = { timeout_ms = 500; };") as w:
        host, hooks = w.leader()
        other = w.others(host)[0]
        other.do("leader", 60000)
        hooks.do("none", 60000)
        at = host.resign(30)
        last = hooks.wait("both demotions", lambda r: r.event == "none" and r.name == SECOND and
                          r.begin > at)
        first = hooks.wait("the first", lambda r: r.event == "none" and r.begin > at)
        check(0.4 < last.begin - first.begin < 0.5 + LATE, "the first had %.2f s",
              last.begin - first.begin)
        new = w.begun("leader", last.begin, [other])
        check(0.4 < new.begin - last.begin < 0.5 + LATE, "the second had %.2f s",
              new.begin - last.begin)
        end = lan.now() + lan.PATIENCE
        while "left out of leader" not in other.log():
            check(lan.now() < end, "the new one: %s", other.log())
            time.sleep(0.01)
        check("leader took too long: ended after 50" in other.log(), "log: %s", other.log())
        check(not [r for r in other.runs() if r.event == "leader" and r.name == SECOND], "run")
        hooked.judge(w.hooked)


def cut():
    """A leader script of a lost leadership is ended at once, and its demotion follows."""
    with World(2) as w:
        hooks, other, run = resigned(w, 60000)
        at = lan.now()
        other.host.kill()
        demotion = other.wait("its demotion", lambda r: r.event in DEMOTIONS and r.begin > at)
        check(demotion.begin - at < LATE, "after %.2f s", demotion.begin - at)
        check(run.token == demotion.token, "%s, %s", run, demotion)
        w.begun("leader", at, [hooks])
        hooked.judge(w.hooked)
        return "%.0f ms" % ((demotion.begin - at) * 1000)


def released():
    """A clean stop with trivial hooks: from the signal to the next leader's hook."""
    with World(2) as w:
        took = []
        for _ in range(10):
            host, hooks = w.leader()
            at = lan.now()
            hooks.end()
            host.stop()
            in_order(w, hooks, "stop", at)
            took.append(w.begun("leader", at, w.others(host)).begin - at)
            host.start()
            hooks.start()
            w.wait_roles()
        hooked.judge(w.hooked)
        words = "from stop to the next leader: %s" % report.statistics(took)
        check(sorted(took)[-2] <= 0.200, words)
        return words


# ---- what failed is told --------------------------------------------------------------------------


def told_as_failed(host, when):
    """check names the scripts that failed on leader."""
    got = host.electctl("check")
    check(got.returncode == 6 and "%s: failed on leader" % SECOND in got.stdout,
          "%s, %s: check exits %d: %s", host.name, when, got.returncode, got.stdout)


def wait_check(host, wanted):
    end = lan.now() + lan.PATIENCE
    while True:
        got = host.electctl("check")
        if got.returncode == wanted:
            return
        check(lan.now() < end, "%s: check exits %d, not %d: %s", host.name, got.returncode,
              wanted, got.stdout)
        time.sleep(0.02)


def failed(times):
    """`leader` fails, `members` runs well after it: told until the next role event runs well."""
    with World(3) as w:
        for _ in range(int(times)):
            before, _ = w.leader()
            for one in w.hooked.values():
                one.do("leader", status=3)
            at = before.resign()
            host = w.begun("leader", at).host
            hooks = w.hooked[host]
            run = hooks.wait_event("leader", at)
            wait_check(host, 6)
            victim = next(h for h in w.net.hosts if h not in (host, before))
            victim.kill()
            without = hooks.wait_event("members", run.end)
            wait_results(host, {FIRST: "ok", SECOND: "ok"}, event="members")
            told_as_failed(host, "after members")
            victim.start()
            hooks.wait("members with it", lambda r: r.event == "members" and r.name == SECOND and
                       r.end and r.begin > without.end and victim.name in r.env["ELECTD_MEMBERS"])
            w.net.settle()
            told_as_failed(host, "after the next members")
            for one in w.hooked.values():
                one.do("leader")
            at = host.resign()
            hooks.wait_event("follower", at)
            wait_check(host, 0)
            w.net.settle()
        return "%s of %s" % (times, times)


# ---- all of it -----------------------------------------------------------------------------------------


def default(result, seed):
    result.attempt("told", told)
    result.attempt("reported", reports)
    result.attempt("a failed role event stays told", failed, 2)
    result.attempt("too many hooks", too_many)
    for how in ("resign", "hold", "stop", "both"):
        result.attempt("demotion first, %s" % how, handing_over, how)
    result.attempt("demotion first, merge", merging)
    result.attempt("a follower's none is overtaken", overtaken, 3)
    result.attempt("a follower's none is overtaken after a crash", overtaken_after_a_crash, 3)
    result.attempt("a follower's none is held no longer", held_no_longer)
    result.attempt("nobody waits without hookd", nobody_waits)
    result.attempt("hookd killed", hookd_killed)
    result.attempt("hookd killed for good", owed)
    result.attempt("hookd stopped in the middle", stopped_in_the_middle)
    result.attempt("electd killed", electd_killed)
    result.attempt("a crash hands over", crash_hands_over, 3)
    result.attempt("electd frozen", frozen, 3)
    result.attempt("electd stands still, and goes on", back_in_time)
    result.attempt("hookd stands still, and goes on", own_stall)
    result.attempt("on_failure", resigns)
    result.attempt("time-outs", time_out)
    result.attempt("cut", cut)
    result.attempt("released", released)
    result.attempt("targets", targets)
    result.attempt("targets that refuse", targets_again)
    result.attempt("units that fail", units_fail)
    result.attempt("units that take long to stop", units_stop)
    result.attempt("the service manager is told", notified)
    result.attempt("the disk does not write", no_disk)
    result.attempt("on the disk first", recorded, 3)
    result.attempt("hostile electd", no_electd)
    rough(result)
    hangs(result)
    result.attempt("hand-overs, seed %d" % seed, handovers, 20, seed)


def main():
    words = sys.argv[1:] or ["default"]
    seed = int(words[2]) if len(words) > 2 else random.SystemRandom().randrange(1 << 31)
    if words[0] == "handovers" and len(words) < 3:
        sys.argv = [sys.argv[0], "handovers", words[1] if len(words) > 1 else "20", str(seed)]
        words = sys.argv[1:]
    result = report.Report()
    lan.setup()
    hooked.setup()
    if words[0] == "default":
        default(result, seed)
    elif words[0] == "frozen":
        result.attempt("electd frozen", frozen, int(words[1]) if len(words) > 1 else 30)
    elif words[0] == "rough":
        rough(result)
    elif words[0] == "hang":
        hangs(result)
    elif words[0] == "handovers":
        result.attempt("hand-overs, seed %d" % seed, handovers, int(words[1]), seed)
    else:
        only = globals().get(words[0])
        result.attempt(" ".join(words), only, *words[1:])
    result.exit()


if __name__ == "__main__":
    main()
