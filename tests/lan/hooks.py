#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""electd-hookd and its hooks beside the real electd, without systemd: every promise about order.

hooks.py [default]: each rule once. hooks.py frozen [RUNS]: how long it takes from a leader's electd
standing still until its demotion has begun. hooks.py handovers [TIMES [SEED]]: electd and hookd of
three hosts are killed at random until leadership has changed hands so often; judged from what the
hooks of all hosts wrote down.
"""
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time

import hooked
import lan
import report
from hooked import DEMOTIONS, FIRST, SECOND
from report import Failed

# So that waiting does not take minutes.
QUICK = "timing = { beacon_interval_ms = 100; dead_after_ms = 300; };"
DEAD = 0.300
LATE = 0.100           # what a demotion may take to begin, when all is said
SLOW = 400             # ms of a slow demotion


def check(condition, words, *values):
    if not condition:
        raise Failed(words % values if values else words)


class World:
    """A LAN with hookd on each host, settled, every present state played."""

    def __init__(self, count=2, config=QUICK, hookds=True):
        self.net = lan.Lan(count, config)
        self.hooked = {host: hooked.Hooked(host) for host in self.net.hosts}
        self.net.start()
        if hookds:
            for one in self.hooked.values():
                one.start()

    def __enter__(self):
        self.net.settle()
        for host, one in self.hooked.items():
            if one.process:
                one.wait_event("leader" if host is self.net.leader() else "follower")
        return self

    def __exit__(self, kind, value, trace):
        for host, one in self.hooked.items():
            if one.process:
                one.process.kill()
                one.process.wait()
            if kind:
                print("--- hookd of %s" % host.name)
                print("".join("    %s\n" % line for line in one.log().splitlines()[-12:]), end="")
            lan.run("rm", "-rf", one.dir, one.dir + ".do", one.dir + ".log", check=False)
        self.net.__exit__(kind, value, trace)

    def leader(self):
        """(host, its hooks)"""
        host = self.net.leader()
        return host, self.hooked[host]

    def others(self, host):
        return [one for other, one in self.hooked.items() if other is not host]

    def begun(self, event, after=0, hosts=None, timeout=lan.PATIENCE):
        """The first run of that event of the first script, on any of them, after that time."""
        end = lan.now() + timeout
        while True:
            found = sorted((run for one in hosts or self.hooked.values() for run in one.runs()
                            if run.event == event and run.begin > after and run.name == FIRST),
                           key=lambda run: run.begin)
            if found:
                return found[0]
            check(lan.now() < end, "no %s hook within %.1f s", event, timeout)
            time.sleep(0.003)


def demotion_of(runs, after, name=SECOND):
    return next((r for r in runs if r.event in DEMOTIONS and r.begin > after and r.name == name),
                None)


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
        "ELECTD_DEFINITION": status.get("definition") or ""}
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


def reports():
    """electd and electctl are told how each script ended."""
    with World(2) as w:
        host, hooks = w.leader()
        hooks.install("30-fails", "#!/bin/sh\necho it broke\nexit 3\n")
        hooks.install("40-loose", "#!/bin/sh\nexit 0\n")
        os.chmod(os.path.join(hooks.dir, "40-loose"), 0o777)
        at = lan.now()
        host.call("io.electd.Resign", **{"for": 1})
        hooks.wait_event("follower", at)
        wanted = {FIRST: "ok", SECOND: "ok", "30-fails": "failed", "40-loose": "refused"}
        end = lan.now() + lan.PATIENCE
        while True:
            got = host.call("io.electd.GetHooks")
            results = {r["script"]: r["result"] for r in got["reports"]}
            if results == wanted and got["hookd"]:
                break
            check(lan.now() < end, "reports: %s", got)
            time.sleep(0.01)
        fails = next(r for r in got["reports"] if r["script"] == "30-fails")
        check("it broke" in fails["output"] and fails["status"] == 3 and not fails["ok"],
              "report: %s", fails)


# ---- order -------------------------------------------------------------------------------------


def in_order(w, old, event, at):
    """The next leader's script begins after the old one's last demotion script ended."""
    new = w.begun("leader", at, [one for one in w.hooked.values() if one is not old])
    runs = old.runs()
    demotion = demotion_of(runs, at)
    check(demotion and demotion.end, "no demotion of the old one that ended: %s", runs[-4:])
    check(demotion.end <= new.begin, "%s: %s before the end of %s", event, new, demotion)
    check(demotion.event == event, "its demotion is %s", demotion)
    return new.begin - demotion.end


def handing_over(how):
    with World(2) as w:
        host, hooks = w.leader()
        for event in DEMOTIONS:
            hooks.do(event, SLOW)
        at = lan.now()
        if how == "resign":
            host.call("io.electd.Resign", timeout=20, **{"for": 2})
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


def nobody_waits():
    """Without hookd a hand-over is as quick as ever; with a dead one too."""
    with World(2, hookds=False) as w:
        host = w.net.leader()
        at = lan.now()
        host.call("io.electd.Resign", **{"for": 1})
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


def hookd_killed():
    """In the middle of the leader script: its demotion is played first, then leader."""
    with World(2) as w:
        host, hooks = w.leader()
        other = w.others(host)[0]
        other.do("leader", 5000)
        at = lan.now()
        host.call("io.electd.Resign", **{"for": 1})
        run = w.begun("leader", at, [other])
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
            w.net.settle()
            for one in w.hooked.values():
                one.wait("its role", lambda r, one=one: r.token == w.net.leader().token() and
                         r.event == one.host.view["role"])
        hooked.judge(w.hooked)
        words = report.statistics(took)
        check(max(took) <= LATE, words)
        return words


def freeze(w, host, hooks):
    """From the last moment at which electd can have said that it leads, to the demotion."""
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
            w.net.settle()
            for one in w.hooked.values():
                one.wait("its role", lambda r, one=one: r.name == SECOND and r.end and
                         r.token == w.net.leader().token() and r.event == one.host.view["role"])
        hooked.judge(w.hooked)
    bound = lan.DEAD_AFTER + LATE
    misses = sum(t > bound for t in took)
    words = "demotion begun: %s; within %.0f ms in %d of %d" % (
        report.statistics(took), bound * 1000, runs - misses, runs)
    check(misses <= runs // 30, words)
    return words


def back_in_time():
    """electd stands still for long and goes on: what it said before is not believed again."""
    with World(1) as w:
        host, hooks = w.leader()
        freeze(w, host, hooks)
        run = [r for r in hooks.runs() if r.event == "leader"][-1]
        check(not run.confirmed, "a leader after a demotion is no confirmation: %s", run)
        hooked.judge(w.hooked)


def own_stall():
    """hookd stands still while its electd dies and comes again: no stale leader is played."""
    with World(2) as w:
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
        host, hooks = w.leader()
        other = w.others(host)[0]
        other.do("leader", 0, 7)
        at = lan.now()
        host.call("io.electd.Resign", **{"for": 1})
        failed = w.begun("leader", at, [other])
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
        at = lan.now()
        host.call("io.electd.Resign", timeout=20, **{"for": 30})
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
        host, hooks = w.leader()
        other = w.others(host)[0]
        other.do("leader", 60000)
        at = lan.now()
        host.call("io.electd.Resign", **{"for": 1})
        run = w.begun("leader", at, [other])
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
            w.net.settle()
            for one in w.hooked.values():
                one.wait("its role", lambda r, one=one: r.token == w.net.leader().token() and
                         r.event == one.host.view["role"] and r.end and r.name == SECOND)
        hooked.judge(w.hooked)
        words = "from stop to the next leader: %s" % report.statistics(took)
        check(sorted(took)[-2] <= 0.200, words)
        return words


# ---- an electd that is not one -----------------------------------------------------------------------


STATUS = {
    "domain": "default", "role": "leader", "token": "7", "reason": "alone", "definition": None,
    "node": {"id": "0" * 31 + "1", "name": "fake"}, "group": {"id": "fake.7"},
    "leader": {"id": "0" * 31 + "1", "name": "fake", "address": None, "self": True},
    "members": [{"id": "0" * 31 + "1", "name": "fake", "address": "192.0.2.1", "rank": 0,
                 "priority": 100, "state": "alive"}]}


def message(change=None, status=None, **more):
    event = {"seq": 1, "event": "snapshot", "boot_ms": int(lan.now() * 1000), "reason": "alone",
             "holder": "1" * 16, "dead_after_ms": 60000, "token": "7",
             "hooks": {"timeout_ms": 1000, "on_failure": "ignore"},
             "status": {**STATUS, **(status or {})}}
    event.update(change or {})
    event = {key: value for key, value in event.items() if value is not KeyError}
    return json.dumps({"parameters": event, "continues": True, **more}).encode() + b"\0"


def hostile():
    """What nobody should say; none of it may make a script run."""
    member = STATUS["members"][0]
    yield b"\0"
    yield b"{}\0"
    yield b"[]\0"
    yield b"null\0"
    yield b"{\0"
    yield b"\xff\xfe{}\0"
    yield b"[" * 100000 + b"\0"
    yield b'{"parameters":' * 5000 + b"\0"
    yield b"x" * (2 << 20)
    yield b'{"parameters":{"event":"snapshot","event":"snapshot"},"continues":true}\0'
    yield b'{"error":"io.electd.NotAllowed","parameters":{}}\0'
    yield b'{"error":"%s"}\0' % (b"A" * 70000)
    yield message({"event": "alive"})
    yield message({"event": "dance"})
    yield message({"event": 5})
    yield message({"seq": -1})
    yield message({"seq": 1.5})
    yield message({"seq": 10 ** 30})
    yield message({"boot_ms": -5})
    yield message({"boot_ms": "5"})
    yield message({"dead_after_ms": 0})
    yield message({"dead_after_ms": 10 ** 12})
    yield message({"hooks": 5})
    yield message({"hooks": {"timeout_ms": -1, "on_failure": "ignore"}})
    yield message({"hooks": {"timeout_ms": 100, "on_failure": "; reboot"}})
    yield message({"holder": "../../x"})
    yield message({"status": None})
    yield message({"status": KeyError})
    for key, value in (
            ("domain", "$(reboot)"), ("domain", ""), ("domain", "x" * 64), ("domain", 5),
            ("domain", "a\nb"), ("role", "king"), ("role", None), ("token", "-1"),
            ("token", "0"), ("token", ""), ("token", 7), ("token", "99999999999999999999"),
            ("token", "7 "), ("reason", "Bad Reason"), ("reason", "a;b"), ("reason", ""),
            ("definition", "relative"), ("definition", "/a\nb"), ("definition", "/run/../etc"),
            ("definition", 5), ("definition", "/" + "x" * 5000), ("group", {"id": "a b"}),
            ("group", {"id": "x" * 200}), ("group", 5), ("leader", None), ("leader", {}),
            ("leader", {**STATUS["leader"], "address": "1.2.3.4; reboot"}),
            ("leader", {**STATUS["leader"], "name": "`x`"}),
            ("leader", {**STATUS["leader"], "id": "G" * 32}),
            ("leader", {**STATUS["leader"], "self": "yes"}), ("node", None),
            ("node", {"id": "1", "name": "a=b"}), ("members", None), ("members", {}),
            ("members", [5]), ("members", [{**member, "name": "x\0y"}]),
            ("members", [{**member, "rank": -1}]), ("members", [{**member, "priority": 256}]),
            ("members", [{**member, "state": "dead"}]), ("members", [member] * 1025)):
        yield message(status={key: value})
    for key in STATUS:
        if key != "definition":
            yield message({"status": {k: v for k, v in STATUS.items() if k != key}})


class Fake:
    """Answers a Subscribe with whatever it is told."""

    def __init__(self, folder):
        self.socket = socket.socket(socket.AF_UNIX)
        os.makedirs(folder)
        self.socket.bind(folder + "/io.electd")
        self.socket.listen(16)
        self.socket.settimeout(5)

    def subscriber(self):
        """The next connection that subscribes; others are closed."""
        while True:
            stream, _ = self.socket.accept()
            stream.settimeout(5)
            asked = b""
            while not asked.endswith(b"\0"):
                asked += stream.recv(65536)
            asked = json.loads(asked[:-1])
            if asked["method"] == "io.electd.Subscribe":
                check(asked["parameters"] == {"hold": True, "name": "electd-hookd"} and
                      asked["more"], "asked: %s", asked)
                return stream
            stream.close()


def say(stream, text):
    """All of it, or as much as is taken before the other end hangs up."""
    try:
        stream.sendall(text)
        while stream.recv(65536):
            pass
    except (ConnectionError, BrokenPipeError):
        pass
    stream.close()


def no_electd():
    """Hostile words: the connection ends, another follows, nothing runs; then good ones do."""
    with lan.Lan(1) as net:
        one = hooked.Hooked(net.hosts[0])
        fake = Fake("/run/fake")
        one.start("/run/fake")
        count = 0
        for text in hostile():
            say(fake.subscriber(), text)
            check(one.process.poll() is None, "hookd died of %r", text[:200])
            check(not one.runs(), "a script ran after %r: %s", text[:300], one.runs())
            count += 1
        stream = fake.subscriber()
        stream.sendall(message())
        run = one.wait_event("leader")
        check(run.token == 7 and run.env["ELECTD_LEADER_NAME"] == "fake", "%s", run.env)
        # Out of turn: a change is left out.
        stream.sendall(message({"seq": 3, "event": "members"}))
        one.wait("a demotion", lambda r: r.event == "none")
        told = one.log().count("link:")
        check(told <= 4, "%d lines about one and the same: %s", told, one.log()[-2000:])
        check(one.end() == 0, "its end: %s", one.log()[-500:])
        lan.run("rm", "-rf", one.dir, one.dir + ".log", one.dir + ".do")
        return "%d of them" % count


# ---- hand-overs under kills ----------------------------------------------------------------------------


class Killer:
    """Kills at random; what it killed comes again after a while."""

    def __init__(self, w, chance):
        self.w, self.chance = w, chance
        self.count = dict.fromkeys(
            ("electd killed", "hookd killed", "both killed", "resign", "stop"), 0)
        self.back = []     # (time, who)

    def strike(self):
        host = self.w.net.leader() if self.chance.random() < 0.7 else self.chance.choice(
            self.w.net.running())
        hooks = self.w.hooked[host]
        what = self.chance.choice(list(self.count))
        self.count[what] += 1
        if what in ("hookd killed", "both killed") and hooks.process:
            hooks.end(signal.SIGKILL)
            self.later(hooks)
        if what in ("electd killed", "both killed"):
            host.kill()
            self.later(host)
        if what == "stop":
            if hooks.process:
                hooks.end()
                self.later(hooks)
            host.stop()
            self.later(host)
        if what == "resign":
            host.ask("io.electd.Resign", timeout=20, **{"for": 1})

    def later(self, who):
        self.back.append((lan.now() + self.chance.uniform(0, 0.5), who))

    def bring_back(self, all_of_them=False):
        """Those whose time has come."""
        for at, who in list(self.back):
            if all_of_them or lan.now() >= at:
                self.back.remove((at, who))
                who.start()

    def soon(self):
        """Sometimes in the middle of things, sometimes when all is quiet."""
        until = lan.now() + self.chance.choice((0, 0.05, 0.3))
        while lan.now() < until or self.back and self.chance.random() < 0.9:
            self.bring_back()
            time.sleep(0.005)


def leaderships(w):
    """How often another host led than before, by the scripts of all of them."""
    leads = sorted((r for one in w.hooked.values() for r in one.runs()
                    if r.event == "leader" and r.name == FIRST), key=lambda r: r.begin)
    return sum(a.host is not b.host for a, b in zip(leads, leads[1:]))


def handovers(times, seed):
    chance = random.Random(seed)
    with World(3) as w:
        killer = Killer(w, chance)
        for one in w.hooked.values():
            for event in ("leader", *DEMOTIONS):
                one.do(event, chance.choice((0, 0, 20, 100)))
        end = lan.now() + 60 + 10 * times
        while leaderships(w) < times:
            check(lan.now() < end, "%d hand-overs only: %s", leaderships(w), killer.count)
            w.net.wait("a leader", lambda: w.net.led() or killer.bring_back())
            killer.strike()
            killer.soon()
        killer.bring_back(all_of_them=True)
        w.net.settle()
        for one in w.hooked.values():
            one.wait("its role", lambda r, one=one: r.token == w.net.leader().token() and
                     r.event == one.host.view["role"])
        leads, demotions = hooked.judge(w.hooked)
        runs = sum(len(one.runs()) for one in w.hooked.values())
        return "%d hand-overs, %d leader, %d demotions, %d runs; %s" % (
            leaderships(w), leads, demotions, runs,
            ", ".join("%s %d" % item for item in killer.count.items()))


# ---- all of it -----------------------------------------------------------------------------------------


def default(result, seed):
    result.attempt("told", told)
    result.attempt("reported", reports)
    for how in ("resign", "hold", "stop", "both"):
        result.attempt("demotion first, %s" % how, handing_over, how)
    result.attempt("demotion first, merge", merging)
    result.attempt("nobody waits without hookd", nobody_waits)
    result.attempt("hookd killed", hookd_killed)
    result.attempt("electd killed", electd_killed)
    result.attempt("electd frozen", frozen, 3)
    result.attempt("electd stands still, and goes on", back_in_time)
    result.attempt("hookd stands still, and goes on", own_stall)
    result.attempt("on_failure", resigns)
    result.attempt("time-outs", time_out)
    result.attempt("cut", cut)
    result.attempt("released", released)
    result.attempt("hostile electd", no_electd)
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
    elif words[0] == "handovers":
        result.attempt("hand-overs, seed %d" % seed, handovers, int(words[1]), seed)
    else:
        only = globals().get(words[0])
        result.attempt(" ".join(words), only, *words[1:])
    result.exit()


if __name__ == "__main__":
    main()
