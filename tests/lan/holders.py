#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Leadership and those for whom it waits: what a holder such as electd-hookd hears and says.

The holder is played here, byte by byte; electd-hookd itself has its own tests.
"""
import json
import os
import signal
import socket
import time

import lan
import report
from report import Failed

YIELD = 1.0
OVERRUN = "yield-overrun: a slow one had not let go of leadership when " \
    "timing.yield_timeout_ms was over, and leadership passed on"
CONFIG = "timing = { yield_timeout_ms = %d; };" % (YIELD * 1000)
NOBODY = 65534


class Holder:
    """A holder on a host: a stream of events, and calls on other connections."""

    def __init__(self, host, name="electd-hookd"):
        self.host = host
        self.rest = b""
        self.stream = socket.socket(socket.AF_UNIX)
        self.stream.settimeout(lan.PATIENCE)
        self.stream.connect(host.socket_path)
        self.stream.sendall(json.dumps({
            "method": "io.electd.Subscribe", "more": True,
            "parameters": {"hold": True, "name": name}}).encode() + b"\0")
        self.snapshot = self.event()
        self.holder = self.snapshot["holder"]

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if not kind and self.host.process and self.host.process.poll() is None:
            self.release(0)     # else it is waited for
        self.stream.close()

    def event(self):
        while b"\0" not in self.rest:
            piece = self.stream.recv(1 << 16)
            if not piece:
                raise Failed("electd closed the stream of its holder")
            self.rest += piece
        text, self.rest = self.rest.split(b"\0", 1)
        event = json.loads(text)["parameters"]
        if event["dead_after_ms"] != 600 or event["hooks"]["on_failure"] != "ignore":
            raise Failed("a holder cannot judge by %s" % event)
        return event

    def until(self, name):
        """The next event of that name; (the event, those before it)."""
        passed = []
        while True:
            event = self.event()
            if event["event"] == name:
                return event, passed
            passed.append(event)

    def release(self, number):
        return self.host.ask("io.electd.Release", holder=self.holder, seq=number)[0]

    def report(self, **changed):
        words = {"holder": self.holder, "script": "20-vip", "event": "leader",
                 "result": "failed", "status": 3, "runtime_ms": 7, "seq": 1, "token": "41",
                 "output": "no such address\n"}
        return self.host.ask("io.electd.HookReport", **{**words, **changed})[0]


def may_be(uid):
    """Is there such a user here? In a user namespace perhaps not."""
    with open("/proc/self/uid_map") as f:
        return any(int(line.split()[0]) <= uid < int(line.split()[0]) + int(line.split()[2])
                   for line in f)


def is_so(what, condition):
    if not condition:
        raise Failed(what)


def hears(net):
    """By every event it hears what it is to judge by; Holder looks at each."""
    net.settle()
    with Holder(net.leader()) as holder:
        holder.until("alive")
        holder.until("alive")
    return "alive and snapshot"


def waits(net):
    """Leadership passes on when the holder has let go, not before."""
    net.settle()
    old = net.leader()
    with Holder(old) as holder:
        old.resign()
        asked, _ = holder.until("release")
        is_so("released for %s" % asked["purpose"], asked["purpose"] == "resign")
        for _ in range(2):      # beacons go by
            holder.until("alive")
        is_so("another one leads already", net.leader() is old)
        is_so("not the number", holder.release(asked["release"] + 1) == "io.electd.NotReleasing")
        at = lan.now()
        is_so("not released", holder.release(asked["release"]) is None)
        net.wait("another leader", lambda: any(
            h.view["role"] == "leader" for h in net.hosts if h is not old))
        return "another leads %.0f ms after the release" % ((lan.now() - at) * 1000)


def is_not_waited_for(net):
    """One that does not let go is told that nobody waits any more, and named in the journal."""
    net.settle()
    old = net.leader()
    with Holder(old) as holder, Holder(old, "a slow one") as slow:
        at = lan.now()
        old.resign()
        asked, _ = holder.until("release")
        is_so("not released", holder.release(asked["release"]) is None)
        over, _ = slow.until("release-over")
        took = lan.now() - at
        is_so("over after %.2f s" % took, YIELD <= took <= YIELD + 0.3)
        is_so("another number", over["release"] == asked["release"])
        is_so("late, and taken", slow.release(asked["release"]) == "io.electd.NotReleasing")
        holder.until("none")
        is_so("not in the journal", "node: " + OVERRUN in old.log().splitlines())
        is_so("not a problem", OVERRUN in old.call("io.electd.GetStatus")["health"]["problems"])
        done = old.electctl("check")
        is_so("check: %s" % done.stdout, done.returncode == 6 and OVERRUN in done.stdout)
        net.wait("another leader", lambda: net.led() and net.leader() is not old)


def until_the_next(net):
    """The overrun is a problem until a hand-over in which all let go in time."""
    def told():
        return [h for h in net.hosts
                if OVERRUN in h.call("io.electd.GetStatus")["health"]["problems"]]
    net.settle()
    is_so("forgotten too early", len(told()) == 1)
    for host in set(net.hosts) - set(told()):
        host.call("io.electd.Hold", on=True)
    net.wait("it leads again", lambda: net.led() and net.leader() in told())
    for host in net.hosts:
        host.call("io.electd.Hold", on=False)
    net.settle()
    net.wait("others may lead", lambda: all(
        m["may_lead"] for m in net.leader().call("io.electd.GetMembers")["members"]))
    old = net.leader()
    old.resign()
    net.wait("another leader", lambda: net.led() and net.leader() is not old)
    is_so("still told", not told())


def late_answer(net):
    """No number twice: what answers the release before this one does not end this one."""
    for host in net.hosts[1:]:
        host.stop()
    alone = net.hosts[0]
    net.wait("the one left leads", lambda: alone.view and alone.view["role"] == "leader")
    with Holder(alone) as holder:
        alone.call("io.electd.Hold", on=True)
        first, _ = holder.until("release")
        alone.call("io.electd.Hold", on=False)
        holder.until("release-over")
        net.wait("it leads again", lambda: alone.view["role"] == "leader")
        alone.call("io.electd.Hold", on=True)
        second, _ = holder.until("release")
        is_so("a number twice", second["release"] > first["release"])
        is_so("bar, not %s" % second["purpose"], second["purpose"] == "bar")
        is_so("the old number counts", holder.release(first["release"]) ==
              "io.electd.NotReleasing")
        is_so("it ended", alone.view["role"] == "leader")
        is_so("not released", holder.release(second["release"]) is None)
        net.wait("nobody leads", lambda: alone.view["role"] == "none")
    alone.call("io.electd.Hold", on=False)
    for host in net.hosts[1:]:
        host.start()
    net.settle()


def reports(net):
    """How a hook ended is seen in status, by subscribers and in the metrics, until the next run."""
    net.settle()
    host = net.leader()
    other = next(h for h in net.hosts if h is not host)
    with Holder(host) as holder:
        is_so("hookd is not known", host.call("io.electd.GetHooks")["hookd"])
        is_so("elsewhere it is", not other.call("io.electd.GetHooks")["hookd"])
        is_so("not taken", holder.report() is None)
        state, _ = holder.until("state")
        words = state["status"]["health"]["problems"]
        is_so("not in health: %s" % words,
              "hook 20-vip: failed on leader (exit status 3)" in words)
        known = host.call("io.electd.GetHooks")["reports"]
        is_so("not kept: %s" % known, len(known) == 1 and not known[0]["ok"] and
              known[0]["output"] == "no such address\n")
        is_so("not counted", 'electd_hook_runs_total{domain="default",event="leader",'
              'result="failed"} 1\n' in host.call("io.electd.GetMetrics")["text"])
        is_so("taken from a stranger", holder.report(holder="0") == "io.electd.NoSuchHolder")
        is_so("taken as good", holder.report(result="fine") ==
              "org.varlink.service.InvalidParameter")
        if may_be(NOBODY):
            os.seteuid(NOBODY)
            try:
                is_so("not only root", holder.report() == "io.electd.NotAllowed")
            finally:
                os.seteuid(0)
        holder.report(result="ok", event="none", status=0, output="")
        state, _ = holder.until("state")
        is_so("still a problem", not [w for w in state["status"]["health"]["problems"]
                                      if "hook" in w])
    is_so("hookd is gone", not host.call("io.electd.GetHooks")["hookd"])


def definition(net):
    """The group's definition is a file on every host before anybody hears of it."""
    net.settle()
    leader = net.leader()
    for text in ("one", "two and more"):
        mark = net.mark()
        done = lan.subprocess.run([lan.ELECTCTL, "--socket", leader.socket_path, "define", "-"],
                                  input=text, text=True, check=False)
        is_so("define: exit %d" % done.returncode, done.returncode == 0)

        def told():
            return {h for _, h, e in net.since(mark) if e["event"] == "members"}
        net.wait("everybody hears of it", lambda: told() == set(net.hosts))
        for host in net.hosts:
            path = host.call("io.electd.GetStatus")["definition"]
            is_so("no definition on %s" % host.name, path == host.runtime_dir + "/definition")
            with open(path) as f:
                is_so("another definition on %s" % host.name, f.read() == text)
    victim = next(h for h in net.hosts if h is not leader)
    victim.stop()
    is_so("left behind", not os.path.exists(victim.runtime_dir + "/definition"))
    victim.start()
    net.settle()


def stops(net):
    """The manager is told to wait, the holder what for, and then it is quick."""
    for host in net.running():
        host.stop()
    host = net.hosts[0]
    path = os.path.join(net.dir, "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.settimeout(lan.PATIENCE)
        manager.bind(path)
        os.environ["NOTIFY_SOCKET"] = path
        host.start()
        del os.environ["NOTIFY_SOCKET"]
        net.wait("it leads alone", lambda: host.view and host.view["role"] == "leader")
        with Holder(host) as holder:
            host.process.send_signal(signal.SIGTERM)
            asked, _ = holder.until("release")
            is_so("stop, not %s" % asked["purpose"], asked["purpose"] == "stop")
            words = b""
            while not words.startswith(b"STOPPING=1"):
                words = manager.recv(4096)
            wanted = b"STOPPING=1\nEXTEND_TIMEOUT_USEC=%d" % ((YIELD + 6) * 1000000)
            is_so("the manager hears %s" % words, words == wanted)
            at = lan.now()
            is_so("not released", holder.release(asked["release"]) is None)
            host.process.wait(5)
            took = lan.now() - at
            net.gone(host)
            host.process = None
    net.start()
    net.settle()
    is_so("it took %.0f ms to end" % (took * 1000), took < 0.3)
    return "ended %.0f ms after the release" % (took * 1000)


def judged(host):
    return host.call("io.electd.GetHealth")["leading"]


def leader_only(net):
    """What runs on the leader only is judged once electd-hookd has promoted it. Where electd-hookd has
    ended, that waits as long as a demotion may take."""
    net.settle()
    old = net.leader()
    lan.until("it is judged without electd-hookd", lambda: judged(old))
    with Holder(old) as holder:
        is_so("it is judged before its promotion", not judged(old))
        old.call("io.electd.Promoted", holder=holder.holder,
                 token=holder.snapshot["status"]["token"])
        is_so("it is promoted, and not judged", judged(old))
        at = lan.now()
    error = old.ask("io.electd.Report", name="unit", well=False, leading=True)[0]
    is_so("what an electd-hookd has left behind is sick: %s" % error,
          error == "io.electd.NotLeader" and net.leader() is old)
    lan.until("it is judged again", lambda: judged(old))
    took = lan.now() - at
    is_so("%.2f s are left for the demotion" % took, took >= YIELD)
    old.call("io.electd.Report", name="unit", well=False, leading=True)
    net.wait("another leads", lambda: net.led() and net.leader() is not old)
    return "%.2f s after its electd-hookd" % took


def socket_of(process, folder):
    """The socket of an electd that was just started."""
    path = os.path.join(folder, "io.electd")
    end = lan.now() + 5
    while not os.path.exists(path):
        if process.poll() is not None or lan.now() > end:
            raise Failed("no %s" % path)
        time.sleep(0.01)
    return path


def instances(net):
    """NAME.conf makes domain NAME, in folders of its own, beside the first on one host."""
    host = net.hosts[0]
    path = os.path.join(host.dir, "web.conf")
    with open(path, "w") as f:
        f.write('node = { name = "web"; id = "%032x"; };\n' % 99)
    os.mkdir(path + ".d")
    with open(path + ".d/10.conf", "w") as f:
        f.write("priority = 7;\n")
    folders = {"STATE_DIRECTORY": host.dir + "/state-web", "RUNTIME_DIRECTORY":
               host.dir + "/run-web"}
    command = ["nsenter", "--net=/run/netns/" + host.name, lan.ELECTD, "--config", path]
    with open(host.dir + "/log-web", "w") as log, lan.subprocess.Popen(
            command, env={**os.environ, **folders}, stdout=log, stderr=log) as process:
        try:
            electctl = [lan.ELECTCTL, "--socket",
                        socket_of(process, folders["RUNTIME_DIRECTORY"])]
            done = lan.run(*electctl, "wait", "self", "--timeout", "10", check=False)
            status = lan.run(*electctl, "--json", "status").stdout
        finally:
            process.terminate()
    status = json.loads(status)
    is_so("it does not lead its domain alone", done.returncode == 0)
    is_so("domain %s" % status["domain"], status["domain"] == "web")
    is_so("no drop-in", status["node"]["priority"] == 7)
    is_so("the two hear each other", len(status["members"]) == 1 and net.agreed())


def main():
    result = report.Report()
    lan.setup()
    with lan.Lan(3, CONFIG) as net:
        os.chmod(net.dir, 0o755)    # others than root are played, too
        net.start()
        result.attempt("a holder hears what it is to judge by", hears, net)
        result.attempt("leadership waits for its holder", waits, net)
        result.attempt("but not for ever", is_not_waited_for, net)
        result.attempt("which is told until the next hand-over", until_the_next, net)
        result.attempt("a late answer counts for nothing", late_answer, net)
        result.attempt("reports of hooks", reports, net)
        result.attempt("the definition is a file", definition, net)
        result.attempt("a stop waits, and the manager with it", stops, net)
        result.attempt("what runs on the leader only", leader_only, net)
        result.attempt("further instances", instances, net)
        if result.failed:
            net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
