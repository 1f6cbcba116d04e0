#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The copy of a leader's process is made: electd, or the copy, is killed at every system call of
that, and the kernel refuses to make one (algorithm.md 4.11).

will_fork.py [CALLS [SECONDS]]: killed at so many of the calls (6; all: 0); how long forks are
refused (2).
"""
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

import hooked
import lan
import report
import will
from hooked import DEMOTIONS, SECOND, World, check
from lan import DEAD_AFTER

DEMOTION_MS = 100       # of each of two scripts
SILENT = DEAD_AFTER + 0.3
TOLD_EVERY = 60
AGAIN = 1.0             # after a fork that was refused
REACHED = 3.0           # until a call that is made at all is made


class Traced:
    """A host's electd, and whom it makes, under strace from now on."""

    def __init__(self, host, *options):
        self.path = os.path.join(host.dir, "trace")
        self.process = subprocess.Popen(
            ["strace", "-f", "-o", self.path, *options, "-p", str(host.process.pid)],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        check("attached" in line, "strace: %s", line)

    def lines(self):
        """(process, call and what came of it)"""
        return [line.split(None, 1) for line in report.whole_lines(self.path)]

    def killed(self):
        return {int(pid) for pid, text in self.lines() if "killed by SIGKILL" in text}

    def end(self):
        """By itself, when all that it traces have ended; else it lets go."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.process.wait(0)
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(lan.PATIENCE)


@contextlib.contextmanager
def one_more(host):
    """A holder that the copy does not know yet: it is made anew."""
    with socket.socket(socket.AF_UNIX) as stream:
        stream.connect(host.socket_path)
        stream.sendall(json.dumps({"method": "io.electd.Subscribe", "more": True, "parameters": {
            "hold": True, "name": "one more"}}).encode() + b"\0")
        yield


def until(what, condition, timeout=lan.PATIENCE):
    end = lan.now() + timeout
    while True:
        value = condition()
        if value:
            return value
        check(lan.now() < end, "not within %.1f s: %s", timeout, what)
        time.sleep(0.005)


# ---- killed at a call ----------------------------------------------------------------------------


def name_of(text):
    found = re.match(r"(\w+)\(", text)
    return found and found[1]


def calls_of_a_fork(host):
    """[(whether of the copy, name, the how manyth of that name since somebody came)], in order."""
    before = will.copy_of(host)
    traced = Traced(host)
    with one_more(host):
        copy = until("another copy", lambda: next(iter(set(host.copies()) - {before}), None))
        until("it sleeps", lambda: any(int(pid) == copy and "ppoll(" in text
                                       for pid, text in traced.lines() + last(traced.path)))
        until("the former is gone", lambda: host.copies() == [copy])
    traced.end()
    seen, calls = {}, []
    for pid, text in traced.lines():
        name = name_of(text)
        if int(pid) in (host.process.pid, copy) and name and "resumed>" not in text:
            seen[pid, name] = seen.get((pid, name), 0) + 1
            calls.append((int(pid) == copy, name, seen[pid, name]))
    fork = next(n for n, call in enumerate(calls)
                if call[:2] in ((False, "clone"), (False, "clone3")))
    first = max(n for n in range(fork) if calls[n][1] == "rt_sigprocmask" and not calls[n][0])
    ended = next(n for n, call in enumerate(calls) if n > fork and
                 call[:2] == (False, "epoll_wait"))
    return [call for n, call in enumerate(calls) if call[0] or first <= n < ended]


def last(path):
    """What is begun is no whole line yet."""
    with open(path) as f:
        return [line.split(None, 1) for line in f.read().split("\n")[-1:] if " " in line]


def left_behind(net):
    """Copies whose electd has ended, and any that a running one has too many."""
    own = {h.process.pid: h for h in net.running()}
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            name, rest = will.read("/proc/%s/stat" % pid).decode().split("(", 1)[1].rsplit(")", 1)
            state, parent = rest.split()[:2]
            if state != "Z" and name in ("electd", "electd-will") and int(pid) not in own and \
                    int(parent) not in own:
                found.append((int(pid), name))
    return found


def killed_at(w, name, number):
    """(whether electd was, not its copy; how long until the others agreed); None: not reached."""
    w.wait_roles()
    host, hooks = w.leader()
    rest = [h for h in w.net.hosts if h is not host]
    will.copy_of(host)
    hooks.do("none", DEMOTION_MS)
    group, electd, begin = host.group(), host.process.pid, lan.now()
    traced = Traced(host, "-e", "trace=%s" % name,
                    "-e", "inject=%s:signal=KILL:when=%d" % (name, number))
    with one_more(host):
        with contextlib.suppress(report.Failed):
            until("somebody is killed", traced.killed, REACHED)
        killed, at = traced.killed(), lan.now()
        host.kill()
    took = w.net.wait("the others agree", lambda: w.net.led(rest) and
                      rest[0].group() != group) - at
    ended = hooks.wait("its demotion", lambda r: r.begin > begin and r.end and
                       r.event in DEMOTIONS and r.name == SECOND).end
    begun = w.begun("leader", begin, w.others(host))
    until("nothing is left behind", lambda: not left_behind(w.net))
    until("nothing is traced any more", lambda: traced.process.poll() is not None)
    hooks.do("none")
    host.start()
    check(begun.begin > ended, "%.3f s beside the demotion: %s", ended - begun.begin, begun)
    check(took < SILENT, "the others agree after %.0f ms", took * 1000)
    return (electd in killed, took) if killed else None


def killed_at_each_call(wanted):
    with World(3, "") as w:
        w.wait_roles()
        calls = calls_of_a_fork(w.net.leader())
        every = sorted({(name, number) for _, name, number in calls},
                       key=lambda call: [c[1:] for c in calls].index(call))
        step = max(1, len(every) // wanted) if wanted else 1
        of_electd, of_the_copy, missed, times = 0, 0, [], []
        for name, number in every[::step]:
            try:
                got = killed_at(w, name, number)
            except report.Failed as error:
                raise report.Failed("at %s %d: %s" % (name, number, error)) from error
            if got:
                of_electd += got[0]
                of_the_copy += not got[0]
                times.append(got[1])
            else:
                missed.append("%s %d" % (name, number))
        w.wait_roles()
        hooked.judge(w.hooked)
        check((len(times) < 4 or (of_electd and of_the_copy)) and len(missed) <= len(times) // 4,
              "electd killed %d times, its copy %d; not reached: %s", of_electd, of_the_copy,
              missed)
        return "electd at %d, its copy at %d of %d; agreed: %s" % (
            of_electd, of_the_copy, len(every), report.statistics(times))


# ---- none can be made ----------------------------------------------------------------------------

FORKS = "clone,?clone3,?fork,?vfork"
REFUSED = "-e", "trace=" + FORKS, "-e", "inject=%s:error=EAGAIN" % FORKS


def refused_to_the_next(net):
    """Another leader, whom the kernel lets make no process, and what traces the hosts."""
    old, rest = net.leader_and_others()
    traced = {h: Traced(h, *REFUSED) for h in rest}
    old.resign()
    net.wait("another leader", lambda: net.agreed() and net.leader() is not old)
    return net.leader(), traced


def tries(traced):
    return sum("EAGAIN" in text for _, text in traced.lines())


def crash(net, host):
    rest = [h for h in net.hosts if h is not host]
    group, at = host.group(), host.kill()
    took = net.wait("the next leader", lambda: net.led(rest) and rest[0].group() != group) - at
    host.start()
    return took


def refused(net, seconds):
    """Told, tried again, and a crash is silence, as if there were no copies."""
    host, traced = refused_to_the_next(net)
    begin = lan.now()
    until("it is tried again", lambda: tries(traced[host]) >= max(2, seconds // (2 * AGAIN)),
          seconds + lan.PATIENCE)
    time.sleep(max(0.0, begin + seconds - lan.now()))
    told = host.log().count("electd-will cannot be made: Resource temporarily unavailable")
    most = 1 + int((lan.now() - begin) / TOLD_EVERY)
    tried = tries(traced[host])
    check(not host.copies(), "it has a copy")
    took = crash(net, host)
    for one in traced.values():
        one.end()
    check(told == most, "told %d times in %.0f s", told, lan.now() - begin)
    check(tried <= 2 + (lan.now() - begin) / AGAIN, "tried %d times", tried)
    check(DEAD_AFTER / 2 < took < SILENT, "the others agree after %.0f ms", took * 1000)
    return "told %d times, tried %d; the others agree after %.0f ms" % (told, tried, took * 1000)


def allowed_again(net):
    host, traced = refused_to_the_next(net)
    until("it is tried", lambda: tries(traced[host]))
    at = lan.now()
    for one in traced.values():
        one.end()
    will.copy_of(host)
    again = lan.now() - at
    took = crash(net, host)
    check(again < 2 * AGAIN, "a copy after %.0f ms", again * 1000)
    check(took < DEAD_AFTER / 3, "the others agree after %.0f ms", took * 1000)
    return "a copy after %.0f ms; the others agree after %.0f ms" % (again * 1000, took * 1000)


def main():
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 2
    result = report.Report()
    if not shutil.which("strace") or subprocess.run(
            ["strace", "-o", "/dev/null", "true"], check=False).returncode:
        print("strace may trace nothing here")
        sys.exit(77)
    lan.setup()
    hooked.setup()
    with lan.Lan(3) as net:
        net.start()
        result.attempt("forks are refused", refused, net, seconds)
        result.attempt("they work again", allowed_again, net)
    result.attempt("killed at each call of the fork", killed_at_each_call, calls)
    result.exit()


if __name__ == "__main__":
    main()
