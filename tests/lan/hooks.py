#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""electd-hookd and real scripts, without systemd.

Only a kernel shows this: the environment and the input of a program, processes that are killed or
hang, files that are busy or gone when they should run, and the order of writes, syncs and starts,
in a trace by strace. Unit tests and stories judge the order of promotions and demotions.
"""
import contextlib
import json
import os
import queue
import re
import signal
import socket
import subprocess
import sys
import threading

import hooked
import lan
import report
from hooked import DEMOTIONS, FIRST, QUICK, SECOND, World, check

VARIABLES = {
    "PATH", "LANG", "ELECTD_EVENT", "ELECTD_DOMAIN", "ELECTD_ROLE", "ELECTD_OLD_ROLE",
    "ELECTD_TOKEN", "ELECTD_GROUP", "ELECTD_LEADER_ID", "ELECTD_LEADER_NAME",
    "ELECTD_LEADER_ADDRESS", "ELECTD_NODE_ID", "ELECTD_NODE_NAME", "ELECTD_MEMBERS",
    "ELECTD_MEMBER_COUNT", "ELECTD_REASON", "ELECTD_SEQ", "ELECTD_REPLAY", "ELECTD_DEFINITION"}
FOR_EVER_US = 600 * 1000000
SLOW_SYNC_US = 300000     # longer than the start of a script
LOOKS = 5         # looks at a script that hangs, until it is certain that electd-hookd waits for it


# ---- the environment of scripts -----------------------------------------------------------------


def same(run, host):
    """The environment and the JSON agree with each other and with electd."""
    env, told, status = run.env, run.json, host.view
    leader = status["leader"]
    wanted = {
        "ELECTD_DOMAIN": "default", "ELECTD_ROLE": status["role"],
        "ELECTD_GROUP": status["group"]["id"], "ELECTD_TOKEN": status["token"],
        "ELECTD_LEADER_ID": leader["id"], "ELECTD_LEADER_NAME": leader["name"],
        "ELECTD_NODE_ID": host.id, "ELECTD_NODE_NAME": host.name, "LANG": "C.UTF-8",
        "ELECTD_LEADER_ADDRESS": leader["address"] or "",
        "ELECTD_DEFINITION": "/run/own-%s/definition" % host.name,
        "ELECTD_SEQ": str(told["seq"]), "ELECTD_REPLAY": str(int(told["replay"])),
        "ELECTD_MEMBERS": " ".join(m["name"] for m in told["members"]),
        "ELECTD_MEMBER_COUNT": str(len(told["members"]))}
    check(set(env) == VARIABLES, "variables: %s", sorted(set(env) ^ VARIABLES))
    for key, value in wanted.items():
        check(env[key] == value, "%s is %r, wanted %r", key, env[key], value)
    for key in "event", "domain", "role", "old_role", "token", "group", "reason":
        name = "ELECTD_" + key.upper()
        check(told[key] == env[name], "%s is %r, %s %r", key, told[key], name, env[name])
    check(told["leader"]["self"] == (host.id == leader["id"]), "leader.self")
    check(told["schema"] == 1 and told["node"]["id"] == host.id, "schema or node")


def steps(host):
    return {step["step"] for step in host.call("io.electd.GetTimes")["steps"]}


def told():
    """Each host's first role, with the group's definition, and the end of each electd-hookd."""
    with World(2, hookds=False) as w:
        leader = w.net.leader()
        lan.until("health is judged", lambda: leader.call("io.electd.GetHealth")["leading"])
        check("promoted" not in steps(leader), "promoted without an electd-hookd")
        w.net.leader().call("io.electd.Define", definition="eA==")
        w.net.wait("all have it", lambda: all(h.view["definition"] for h in w.net.hosts))
        for host, one in w.hooked.items():
            one.start()
            run = one.wait_event(host.view["role"], name=FIRST)
            same(run, host)
            with open(run.env["ELECTD_DEFINITION"]) as f:
                check(f.read() == "x", "another definition")
            one.wait_event(run.event)
            if host is leader:
                lan.until("the steps of the promotion", lambda: {
                    "hook-begins", "hook-ends", "promoted"} <= steps(leader))
            check(one.end() == 0, "electd-hookd does not end well: %s", one.log())
            last = one.events()[-1]
            got = [last.event, *(last.env["ELECTD_" + key] for key in (
                "ROLE", "OLD_ROLE", "REASON"))]
            check(got == ["stop", "none", run.event, "hookd-stopping"] and not last.json["leader"],
                  "at its end: %s", last.env)
        hooked.judge(w.hooked)


# ---- signals ------------------------------------------------------------------------------------


def killed():
    """KILL in the middle of the leader script: the script ends with electd-hookd, and its
    successor, or --owed, demotes first."""
    with World(2) as w:
        host, _ = w.leader()
        one = w.others(host)[0]
        one.do("leader", 600000)
        run = w.begun("leader", host.resign(), [one])
        one.end(signal.SIGKILL)
        one.do("leader")
        one.start()
        again = one.wait("leader again", lambda r: r.event == "leader" and r.begin > run.begin)
        check(not lan.running(run.pid), "the script has outlived electd-hookd")
        between = [r for r in one.runs() if run.begin < r.begin < again.begin]
        check(again.token == run.token and [r.name for r in between] == [FIRST, SECOND], "runs: %s",
              one.runs())
        for r in between:
            check(r.event in DEMOTIONS and r.replay and r.token == run.token and
                  r.env["ELECTD_OLD_ROLE"] == "leader", "the demotion: %s", r.env)
        at = one.wait_event("leader", run.begin).end
        one.end(signal.SIGKILL)
        for _ in range(2):
            one.start("--owed")
            check(one.process.wait(lan.PATIENCE) == 0, "its end: %s", one.log())
            one.process = None
        owed = [(r.event, r.replay) for r in one.events() if r.begin > at]
        check(owed == [("stop", True)], "owed: %s", owed)
        hooked.judge(w.hooked)


# ---- an electd played by the test ---------------------------------------------------------------

STATUS = {
    "domain": "default", "role": "leader", "token": "7", "reason": "alone", "definition": None,
    "node": {"id": "0" * 31 + "1", "name": "a"}, "group": {"id": "a.7"},
    "leader": {"id": "0" * 31 + "1", "name": "a", "address": None, "self": True},
    "members": [{"id": "0" * 31 + "1", "name": "a", "address": "192.0.2.1", "rank": 0,
                 "priority": 100, "state": "alive"}]}


class Electd:
    """An electd of the test: it answers each call, sends events, and is never silent."""

    def __init__(self, folder):
        self.socket = socket.socket(socket.AF_UNIX)
        os.makedirs(folder)
        self.socket.bind(folder + "/io.electd")
        self.socket.listen()
        self.streams, self.released, self.seq = queue.Queue(), queue.Queue(), 0
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            stream, _ = self.socket.accept()
            asked = json.loads(stream.recv(65536)[:-1])
            if asked["method"] == "io.electd.Subscribe":
                self.streams.put(stream)
                continue
            if asked["method"] == "io.electd.Release":
                self.released.put(asked["parameters"]["seq"])
            with contextlib.suppress(OSError):
                stream.sendall(b'{"parameters":{}}\0')
            stream.close()

    def event(self, event, more=None, **status):
        self.seq += event != "release"
        return json.dumps({"continues": True, "parameters": {
            "seq": self.seq, "event": event, "boot_ms": int(lan.now() * 1000), "reason": "alone",
            "holder": "1" * 16, "dead_after_ms": 100000, "token": "7",
            "hooks": {"timeout_ms": 1000, "on_failure": "ignore"},
            "status": {**STATUS, **status}, **(more or {})}}).encode() + b"\0"

    def say(self, event, **status):
        if event == "snapshot":
            self.stream = self.streams.get(timeout=lan.PATIENCE)
        self.stream.sendall(self.event(event, **status))

    def release(self):
        """Sends another event before the demotion can begin."""
        self.stream.sendall(self.event("release", {"release": 5, "purpose": "yield"}) +
                            self.event("state", reason="other-news"))

    def wait_released(self):
        self.released.get(timeout=lan.PATIENCE)


class Played:
    """An electd-hookd that leads with token 7, according to the electd of the test."""
    count = 0

    def __init__(self, *more, wrapper=()):
        Played.count += 1
        self.runtime = "/run/played-%d" % Played.count
        self.net = lan.Lan(1)
        self.hooks = hooked.Hooked(self.net.hosts[0], (FIRST, SECOND, *more))
        self.electd, self.wrapper = Electd(self.runtime), wrapper

    def __enter__(self):
        self.hooks.start(runtime_dir=self.runtime, wrapper=self.wrapper)
        self.electd.say("snapshot")
        self.hooks.wait_log("leader done")
        return self

    def __exit__(self, kind, value, trace):
        self.hooks.end(signal.SIGKILL)
        if kind:
            print("".join("    %s\n" % line for line in self.hooks.log().splitlines()[-20:]))
        self.hooks.forget()
        self.net.__exit__(kind, value, trace)

    def again(self, token):
        self.electd.say("none", role="none", token="0", leader=None)
        self.electd.say("leader", token=str(token))
        self.hooks.wait("it leads", lambda r: r.token == token and r.name == SECOND and r.end)

    def demoted(self):
        """Begins a demotion and returns the names of its scripts, in order."""
        before = len(self.hooks.runs())
        self.electd.release()
        self.electd.wait_released()
        runs = [run for run in self.hooks.runs()[before:] if run.event in DEMOTIONS]
        check({run.env["ELECTD_REASON"] for run in runs} == {"yield"}, "not for yield: %s", runs)
        return [run.name for run in runs]


# ---- files --------------------------------------------------------------------------------------


def gone():
    """The file that ran on `leader` is demoted, even if its name or its folder is gone. A list of
    scripts that cannot be read prevents only a promotion."""
    with Played("30-masked") as p:
        os.rename(p.hooks.path(FIRST), p.hooks.path(FIRST + ".dpkg-new"))
        p.electd.say("leader", token="9")
        run = p.hooks.wait("the confirmation", lambda r: r.token == 9 and r.name == "30-masked" and
                           r.end)
        check(run.confirmed, "it is no confirmation: %s", run)
        os.unlink(p.hooks.path("30-masked"))
        os.symlink("/dev/null", p.hooks.path("30-masked"))
        p.hooks.install("loose", "#!/bin/sh\n", mode=0o777)
        os.rename(p.hooks.path("loose"), p.hooks.path(SECOND))
        got = p.demoted()
        check(got == [FIRST, SECOND], "demoted: %s", got)
        p.hooks.install(SECOND)
        p.again(11)
        os.rename(p.hooks.dir, p.hooks.dir + ".away")
        with open(p.hooks.dir, "w"):
            pass
        got = p.demoted()
        check(got == [SECOND], "after the next leadership: %s", got)
        os.unlink(p.hooks.dir)
        os.rename(p.hooks.dir + ".away", p.hooks.dir)
        for number in range(64):
            p.hooks.install("50-%d" % number, "#!/bin/sh\n")
        p.electd.say("none", role="none", token="0", leader=None)
        p.electd.say("leader", token="13")
        p.hooks.wait_log("hooks.d: leader could not be started", after="leader begins")
        p.hooks.wait_log("leader done", after="leader begins")
        check("hook 50-" not in p.hooks.log(), "too many scripts, and some have run")


def hanging_folder():
    """The folder of the scripts does not answer: the scripts that ran on `leader` are demoted."""
    with Played() as p, Delayed(p.hooks.process.pid, "openat", "-P", p.hooks.dir):
        got = p.demoted()
        check(got == [FIRST, SECOND], "demoted: %s", got)


def busy():
    """A script that is open for writing starts when it can; the others are demoted anyway."""
    trace = "/run/busy.trace"
    with Played(wrapper=["strace", "-D", "-f", "-o", trace, "-e", "trace=execveat"]) as p:
        with open(p.hooks.path(FIRST), "r+b"):
            p.electd.release()
            lan.until("it was tried", lambda: any(
                "ETXTBSY" in line for line in report.whole_lines(trace)))
        p.electd.wait_released()
        got = [run.name for run in p.hooks.runs() if run.event in DEMOTIONS]
        check(got == [FIRST, SECOND], "demoted: %s", got)
        p.again(9)
        check("Text file busy" not in p.hooks.log(), "reported: %s", p.hooks.log())
        with open(p.hooks.path(FIRST), "r+b"):
            got = p.demoted()
        check(got == [SECOND] and "could not be started: Text file busy" in p.hooks.log(),
              "demoted: %s", got)


# ---- scripts that do not end --------------------------------------------------------------------

def time_is_over():
    """A slow leader script is ended, and the other ones are left out; demotions never are."""
    with Played() as p:
        p.demoted()
        for event in "leader", "none":
            p.hooks.do(event, 600000)
        p.electd.say("none", role="none", token="0", leader=None)
        p.electd.say("leader", token="9")
        p.hooks.wait_log("left out of leader")
        got = p.demoted()
        check(got == [FIRST, SECOND], "demoted: %s", got)
        got = [run.name for run in p.hooks.runs() if run.token == 9 and run.event == "leader"]
        check(got == [FIRST], "leader scripts: %s", got)


class Delayed:
    """These calls of a process hang in the block, but not the first `after` ones of a thread."""

    def __init__(self, pid, calls, *more, after=0):
        self.tracer = subprocess.Popen(
            ["strace", "-f", "-o", "/dev/null", *more, "-e", "trace=" + calls, "-e",
             "inject=%s:delay_enter=%d:when=%d+" % (calls, FOR_EVER_US, after + 1), "-p", str(pid)],
            stderr=subprocess.PIPE, text=True)
        line = self.tracer.stderr.readline()
        check("attached" in line, "strace: %s", line)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.tracer.kill()
        self.tracer.wait()
        self.tracer.stderr.close()


def looks(pid):
    with open("/proc/%d/status" % pid) as f:
        return int(re.search(r"^voluntary_ctxt_switches:\s(\d+)$", f.read(), re.M)[1])


def hanging_script():
    """A script that hangs in the kernel survives KILL: leadership is released at its end."""
    with Played() as p:
        p.hooks.do("none", 600000, deaf=True)
        p.electd.release()
        run = p.hooks.wait("its demotion", lambda r: r.event == "none")
        with Delayed(run.pid, "all"):
            p.hooks.do("none")
            p.hooks.wait_event("none")
            before = looks(p.hooks.process.pid)
            lan.until("electd-hookd looks at the script", lambda: looks(
                p.hooks.process.pid) >= before + LOOKS)
            check(lan.running(run.pid), "%s has ended", run)
            check(p.electd.released.empty(), "released while %s hangs", run)
        p.electd.wait_released()
        check(not lan.running(run.pid), "%s still runs", run)


# ---- the disk -----------------------------------------------------------------------------------


def system_calls(trace):
    """Returns the steps of electd-hookd in order: the record written, synced, and scripts begun."""
    with open(trace) as f:
        for line in f:
            if "pwrite64" in line and "electd-hookd 1 started" in line:
                yield "written"
            elif "fdatasync" in line and " = 0" in line:
                yield "synced"
            elif "execveat(" in line and '"leader"' in line:
                yield "begun"


def recorded():
    """At the first byte of `leader`, the record of the promotion is on the disk."""
    trace = "/run/recorded.trace"
    with World(1, hookds=False) as w:
        host, one = w.leader()
        one.start(wrapper=["strace", "-D", "-f", "-o", trace, "-s", "64", "-e",
                           "trace=pwrite64,fdatasync,execveat", "-e",
                           "inject=fdatasync:delay_enter=%d" % SLOW_SYNC_US])
        run = one.wait_event("leader")
        host.resign()
        one.wait_event("leader", run.end)
        one.end()
    wanted = ["written", "synced", "begun", "begun"]
    calls, begun = list(system_calls(trace)), 0
    while "begun" in calls:
        at = calls.index("begun")
        check(calls[at - 2:at + 2] == wanted, "calls: %s", calls)
        begun, calls = begun + 1, calls[at + 2:]
    check(begun == 2, "%d promotions", begun)


def hanging_disk():
    """No sync of electd returns, and none of electd-hookd after the record of its promotion. electd
    is killed, but the thread that waits for the disk keeps the process and its sockets, so electd
    is silent. The demotion ends before another host leads."""
    with World(2, QUICK) as w:
        old, _ = w.leader()
        one = w.others(old)[0]
        with Delayed(one.host.process.pid, "fdatasync,fsync"), \
                Delayed(one.process.pid, "fdatasync,fsync", after=1):
            one.wait_event("leader", old.resign())
            at = lan.now()
            one.host.process.kill()
            demotion = one.wait("its demotion", lambda r: r.event in DEMOTIONS and r.begin > at and
                                r.name == SECOND and r.end)
            begun = w.begun("leader", at, w.others(one.host))
            check(demotion.end <= begun.begin, "%s before the end of %s", begun, demotion)
        one.host.kill()
        hooked.judge(w.hooked)


def main():
    result = report.Report()
    lan.setup()
    hooked.setup()
    attempts = [told, killed, gone, hanging_folder, busy, time_is_over, hanging_script, recorded,
                hanging_disk]
    for attempt in attempts:
        if attempt.__name__ in sys.argv[1:] or not sys.argv[1:]:
            result.attempt(attempt.__name__.replace("_", " "), attempt)
    result.exit()


if __name__ == "__main__":
    main()
