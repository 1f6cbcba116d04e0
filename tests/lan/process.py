#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The daemons as processes: which clocks they use, and what happens to the work of a leader when a
process is stopped, killed, restarted or finds no place on the control socket.

Everything is judged by order: by the times that hooks and commands write down (CLOCK_BOOTTIME), and
by the reports of electd. tests/unit/control tests the messages to and from a holder."""
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time

import hooked
import lan
import report
from hooked import DEMOTIONS, FIRST, SECOND, World, check, demotion_of
from report import Skipped

# ---- clocks --------------------------------------------------------------------------------------

CALLS = "timerfd_create,timerfd_settime,timer_create,clock_nanosleep,clock_settime,settimeofday," \
    "clock_adjtime,adjtimex,setitimer,alarm,clock_gettime,gettimeofday,time"
STEPS_THE_CLOCK = "clock_settime", "settimeofday", "clock_adjtime", "adjtimex"
AHEAD = 1000000


def children(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
        return [int(word) for word in f.read().split()]


def timers():
    """No timer of a host that is elected, follows, leads alone and stops uses the wall clock, none
    asks for notice of its steps, and no call sets it. The test does not step the machine's clock.
    """
    if not shutil.which("strace") or os.environ.get("SANITIZED"):
        raise Skipped("no strace, or built with sanitizers")
    with lan.Lan(2) as net:
        watched, other = net.hosts
        trace = net.dir + "/trace"
        watched.start(wrapper=["strace", "-f", "-qq", "-e", "trace=" + CALLS, "-o", trace])
        other.start()
        net.settle()
        old = net.leader()
        old.resign()
        net.wait("another leader", lambda: net.agreed() and net.leader() is not old)
        other.kill()
        net.wait("it leads alone", lambda: watched.view["role"] == "leader")
        for pid in children(watched.process.pid):   # strace ends after its children
            os.kill(pid, signal.SIGTERM)
        watched.process.wait(lan.PATIENCE)
        net.gone(watched)
        watched.process = None
        lines = [line.split(None, 1)[1] for line in report.whole_lines(trace) if "(" in line]
    check(any(line.startswith("timerfd_create(CLOCK_BOOTTIME") for line in lines) and
          any(line.startswith("timerfd_settime(") for line in lines),
          "no timer on CLOCK_BOOTTIME in %d calls", len(lines))
    for line in lines:
        name = line.split("(")[0]
        reads = name in ("clock_gettime", "gettimeofday")
        check("CANCEL_ON_SET" not in line and name not in STEPS_THE_CLOCK and
              (reads or "CLOCK_REALTIME" not in line), "the wall clock: %s", line.strip())


def boot_clock():
    """A host in a time namespace whose boot clock is ahead uses that clock, also in its events."""
    ahead = ["unshare", "-T", "--boottime", str(AHEAD), "--"]
    if subprocess.run([*ahead, "true"], check=False, stderr=subprocess.DEVNULL).returncode:
        raise Skipped("no time namespace may be made here")
    with lan.Lan(2) as net:
        wall = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
        moved, other = net.hosts
        moved.start(wrapper=ahead)
        other.start()
        net.settle()
        event = next(e for _, host, e in reversed(net.since(0)) if host is moved)
        check(moved.starts[0] < event["boot_ms"] / 1000 - AHEAD < lan.now(), "its boot clock: %s",
              event["boot_ms"])
        check(wall <= event["at"][:19] <= time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime()),
              "its wall clock: %s", event["at"])


# ---- electd is stopped ---------------------------------------------------------------------------


def call(stream, method, **parameters):
    stream.sendall(json.dumps({"method": "io.electd." + method, "parameters": parameters,
                               "more": method == "Subscribe"}).encode() + b"\0")


def answers(stream):
    rest = b""
    while True:
        data = stream.recv(1 << 16)
        if not data:
            return
        *whole, rest = (rest + data).split(b"\0")
        yield from (json.loads(piece)["parameters"] for piece in whole)


def manager():
    """When electd is stopped, it asks the service manager to wait as long as a holder may take,
    asks the holder to let go, and ends when it has."""
    with lan.Lan(1, "timing = { yield_timeout_ms = 60000; };") as net, \
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notified, \
            socket.socket(socket.AF_UNIX) as holder, socket.socket(socket.AF_UNIX) as other:
        host, path = net.hosts[0], net.dir + "/notify"
        notified.settimeout(lan.PATIENCE)
        notified.bind(path)
        os.environ["NOTIFY_SOCKET"] = path
        host.start()
        del os.environ["NOTIFY_SOCKET"]
        net.settle()
        for stream in holder, other:
            stream.settimeout(lan.PATIENCE)
            stream.connect(host.socket_path)
        call(holder, "Subscribe", hold=True, name="a slow one")
        events = answers(holder)
        name = next(events)["holder"]
        host.process.send_signal(signal.SIGTERM)
        asked = next(e for e in events if e["event"] == "release")
        check(asked["purpose"] == "stop", "asked for: %s", asked["purpose"])
        words = next(w for w in iter(lambda: notified.recv(4096), None) if w.startswith(b"STOP"))
        check(words == b"STOPPING=1\nEXTEND_TIMEOUT_USEC=66000000", "the manager hears %s", words)
        check(next(e for e in events if e["event"] == "alive") and host.process.poll() is None,
              "it has ended before its holder let go")
        call(other, "Release", holder=name, seq=asked["release"])
        check(host.process.wait(lan.PATIENCE) == 0, "its end: %s", host.process.returncode)
        net.gone(host)
        host.process = None


def stalled():
    """SIGSTOP of the leader's electd alone: a command that ignores TERM is killed, and the scripts
    begin to demote, before the next leader's scripts begin."""
    with World(3, "timing = { dead_after_ms = 1200; };") as w:
        host, hooks = w.leader()
        work = os.path.join(host.dir, "work")
        with run_on(host, os.path.join(lan.BUILDDIR, "tests/lan/worker"), work, "deaf") as command:
            lan.until("it works", lambda: steps(host, "work"))
            at = lan.now()
            host.process.send_signal(signal.SIGSTOP)
            begun = w.begun("leader", at, w.others(host))
            demotion = demotion_of(hooks.runs(), at, FIRST)
            command.wait(lan.PATIENCE)
            host.process.send_signal(signal.SIGCONT)
        last = steps(host, "work")
        check(last < begun.begin, "a step of the command at %.3f, and %s", last, begun)
        check(demotion and demotion.begin < begun.begin, "%s, and %s", demotion, begun)
        w.wait_roles()
        hooked.judge(w.hooked)


def steps(host, name):
    """The time of the command's last step so far; None: none yet."""
    files = [os.path.join(host.dir, f) for f in os.listdir(host.dir) if f.startswith(name + ".")]
    words = open(files[0]).read().split() if files else []
    return int(words[2]) / 1e9 if len(words) == 3 else None


# ---- a holder is gone ----------------------------------------------------------------------------

CONFIG = hooked.QUICK.replace("};", "yield_timeout_ms = %d; };")
OVERRUN = re.compile("yield-overrun: (.*) had not let go of leadership when ")


@contextlib.contextmanager
def run_on(host, *words):
    with subprocess.Popen([lan.ELECTCTL, "--socket", host.socket_path, "run", "--", *words],
                          stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


class Handover:
    """One hand-over of the leader: from Resign to the first hook of the next leader."""

    def __init__(self, w, asker=None):
        self.w, (self.host, self.hooks) = w, w.leader()
        self.told, self.at = len(self.host.log()), lan.now()
        if asker:
            call(asker, "Resign", **{"for": 1})
        else:
            self.host.resign()

    def ends(self, names):
        """Checks which holders electd waited for until yield_timeout was over."""
        self.begun = self.w.begun("leader", self.at)
        check(self.begun.host is not self.host, "it leads again")
        self.w.wait_roles()
        found = OVERRUN.findall(self.host.log()[self.told:])
        check(found == names, "waited for %s, not %s", found, names)


def killed_hookd():
    """electd-hookd is killed in a demotion: leadership waits for the next electd-hookd, which
    repeats the demotion and then releases."""
    with World(2, CONFIG % 60000) as w:
        host, hooks = w.leader()
        for event in DEMOTIONS:
            hooks.do(event, 60000)
        handover = Handover(w)
        hooks.wait("its demotion", lambda r: r.event in DEMOTIONS and r.begin > handover.at)
        hooks.end(signal.SIGKILL)
        lan.until("electd names it", lambda: (host.call("io.electd.GetStatus")["yielding"] or {}
                                              ).get("waits_for") == "electd-hookd (gone)")
        for event in DEMOTIONS:
            hooks.do(event)
        at = lan.now()
        hooks.start()
        handover.ends([])
        demotion = demotion_of(hooks.runs(), at, SECOND)
        check(demotion.end and demotion.end <= handover.begun.begin, "%s beside %s",
              handover.begun, demotion)


def killed_command():
    """`electctl run` is killed: its command's children may live, so leadership waits for the whole
    yield_timeout. An `electctl run` whose command has ended delays nothing, nor does an
    electd-hookd that was stopped."""
    with World(2, CONFIG % 4000) as w:
        host, hooks = w.leader()
        with run_on(host, "true") as ended:
            check(ended.wait(lan.PATIENCE) == 0, "exit %d", ended.returncode)
        with run_on(host, "sh", "-c", "echo up; exec sleep 600") as killed:
            killed.stdout.readline()
            killed.kill()
            killed.wait()
        Handover(w).ends(["electctl run (gone)"])
        host, hooks = w.leader()
        check(hooks.end() == 0, "electd-hookd does not end well")
        handover = Handover(w)
        w.begun("leader", handover.at)
        check(not OVERRUN.search(host.log()[handover.told:]), "it is waited for")


# ---- no place on the control socket --------------------------------------------------------------

PLACES = 64 + 2 * 16        # more than root has


@contextlib.contextmanager
def all_taken(host):
    """Occupies all places, and tries more, with watchers that read nothing."""
    with contextlib.ExitStack() as stack:
        for _ in range(PLACES):
            stream = stack.enter_context(socket.socket(socket.AF_UNIX))
            stream.connect(host.socket_path)
            with contextlib.suppress(BrokenPipeError):
                call(stream, "Subscribe")
        yield


def places():
    """All places of root are taken: a restarted electd-hookd still takes part, its reports arrive,
    a hand-over waits only for its scripts, and an administrator is answered."""
    with World(2, CONFIG % 60000) as w, socket.socket(socket.AF_UNIX) as asker:
        host, hooks = w.leader()
        asker.connect(host.socket_path)
        with all_taken(host):
            at = lan.now()
            hooks.end(signal.SIGKILL)
            hooks.start()
            replayed = hooks.wait_event("leader", at)
            lan.until("its report is there", lambda: any(
                r["event"] == "leader" and r["token"] == str(replayed.token)
                for r in host.call("io.electd.GetHooks")["reports"]))
            done = host.electctl("why")
            check(done.returncode == 0, "why: exit %d %s", done.returncode, done.stderr)
            Handover(w, asker).ends([])
        hooked.judge(w.hooked)


def main():
    result = report.Report()
    lan.setup()
    hooked.setup()
    for scene in (timers, boot_clock, manager, stalled, killed_hookd, killed_command, places):
        result.attempt(scene.__name__.replace("_", " "), scene)
    result.exit()


if __name__ == "__main__":
    main()
