#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The copy of a leader's process, electd-will: what it has, when there is one, and what becomes of
it (algorithm.md 4.11).

will.py
"""
import hashlib
import os
import re
import signal
import subprocess
import time

import lan
import report
from lan import DEAD_AFTER
from report import Failed

HOSTS = 3
SECRET = hashlib.sha256(b"a secret").digest()
OWN_KIB = 512
FAILED_MAX, LIVED = 5, 1.2      # copies that end within a second of their start, one after the other
SOON = 10          # until the next copy, a second; below the rest of a minute
RUN_MS = 700       # what a program of `electctl run` takes to end


def check(condition, words, *values):
    if not condition:
        raise Failed(words % values if values else words)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def copy_of(host, wanted=1):
    end = lan.now() + lan.PATIENCE
    while True:
        found = host.copies()
        if len(found) == wanted:
            return found[0] if found else None
        check(lan.now() < end, "%d copies, wanted %d", len(found), wanted)
        time.sleep(0.01)


def own_kib(pid):
    """Memory that it shares with nobody."""
    return sum(int(kib) for kib in re.findall(
        r"Private_(?:Dirty|Clean):\s*(\d+)", read("/proc/%d/smaps_rollup" % pid).decode()))


def memory(pid):
    """All that it can read itself, as one."""
    parts = []
    with open("/proc/%d/mem" % pid, "rb", 0) as mem:
        for line in read("/proc/%d/maps" % pid).decode().splitlines():
            first, last, mode = re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+)", line).groups()
            if mode[0] != "r" or "[v" in line:
                continue
            mem.seek(int(first, 16))
            try:
                parts.append(mem.read(int(last, 16) - int(first, 16)))
            except OSError:
                continue
    return b"\0".join(parts)


def working_key():
    return hashlib.blake2b(b"electd key" + bytes([7]) + b"default", digest_size=32,
                           key=SECRET).digest()


def only_of_a_coordinator(net):
    leader, rest = net.leader_and_others()
    copy_of(leader)
    for host in rest:
        copy_of(host, 0)
    for host in rest:
        host.stop()
    net.wait("it is alone", lambda: net.agreed([leader]))
    copy_of(leader, 0)
    for host in rest:
        host.start()
    net.settle()
    copy_of(leader)


def has_nothing_else(net):
    """Its descriptors, its name, its signals, its score, and no key."""
    leader = net.leader()
    holder = subprocess.Popen([lan.ELECTCTL, "--socket", leader.socket_path, "run", "--",
                               "sleep", "60"])
    try:
        time.sleep(0.5)
        pid, parent = copy_of(leader), leader.process.pid
        fds = sorted(os.readlink("/proc/%d/fd/%s" % (pid, fd)).split(":")[0]
                     for fd in os.listdir("/proc/%d/fd" % pid)
                     if fd != "2")  # stderr, for the trace of a crash of its own
        check(fds == ["anon_inode", "socket", "socket", "socket"], "descriptors: %s", fds)
        check(read("/proc/%d/cmdline" % pid).rstrip(b"\0") == b"electd-will", "cmdline: %s",
              read("/proc/%d/cmdline" % pid))
        status = read("/proc/%d/status" % pid).decode()
        blocked = int(re.search(r"SigBlk:\s*([0-9a-f]+)", status)[1], 16)
        for number in (signal.SIGTERM, signal.SIGABRT, signal.SIGINT, signal.SIGHUP):
            check(blocked >> (number - 1) & 1, "%s is not blocked", number.name)
        scores = [int(read("/proc/%d/oom_score_adj" % p)) for p in (parent, pid)]
        check(scores[1] == min(1000, scores[0] + 100), "scores: %s", scores)
        key = working_key()
        check(key in memory(parent), "electd's own key is not where it is looked for")
        check(key not in memory(pid) and SECRET not in memory(pid), "it has the key")
        own = own_kib(pid)
        check(own <= OWN_KIB, "%d KiB of its own", own)
        return "%d KiB of its own" % own
    finally:
        holder.terminate()
        holder.wait()


def made_anew(net):
    leader = net.leader()
    time.sleep(0.3)  # holders that have gone are no longer why it is made anew
    first = copy_of(leader)
    at = lan.now()
    os.kill(first, signal.SIGKILL)
    while leader.copies() in ([], [first]):
        check(lan.now() < at + lan.PATIENCE, "there is no other one")
        time.sleep(0.01)
    took = lan.now() - at
    check("electd-will has ended" in leader.log(), "it is not told")
    check(took > 0.9, "after %.0f ms", took * 1000)
    return "%.0f ms" % (took * 1000)


def one_that_lives_counts_anew(net):
    """Twice four copies are killed at once, and between them one that has lived: electd never rests
    for a minute, as it does after five in a row (older_kernel.py)."""
    leader, _ = net.leader_and_others()
    for _ in range(2):
        copy_of(leader)
        time.sleep(LIVED)
        for _ in range(FAILED_MAX):     # the first has lived
            pid = copy_of(leader)
            os.kill(pid, signal.SIGKILL)
            at = lan.now()
            while leader.copies() in ([], [pid]):
                check(lan.now() < at + SOON, "no copy within %.0f s", SOON)
                time.sleep(0.01)
    check("electd-will has ended at once" not in leader.log(), "it gives up: %s", leader.log())


def ended_by(net, number):
    """Whatever ends it: the others know at once, and why."""
    leader, rest = net.leader_and_others()
    copy_of(leader)
    group, mark = leader.group(), net.mark()
    at = leader.end(number)
    took = net.wait("the next leader", lambda: net.led(rest) and
                    rest[0].group() != group) - at
    reasons = {e["reason"] for _, h, e in net.since(mark) if h in rest and
               e["event"] == "leader"}
    check(reasons == {"coordinator-crashed"}, "reasons: %s", reasons)
    leader.start()
    net.settle()
    check(took < DEAD_AFTER / 3, "it took %.0f ms", took * 1000)
    return "%.0f ms" % (took * 1000)


def whole_group_killed(net):
    """The copy as well: then it is silent, as before."""
    leader, rest = net.leader_and_others()
    pid, group = copy_of(leader), leader.group()
    os.kill(leader.process.pid, signal.SIGSTOP)
    os.kill(pid, signal.SIGKILL)
    at = leader.kill()
    took = net.wait("the next leader", lambda: net.led(rest) and
                    rest[0].group() != group) - at
    leader.start()
    net.settle()
    check(took < DEAD_AFTER + 0.3, "it took %.0f ms", took * 1000)
    return "%.0f ms" % (took * 1000)


def stopped(net):
    """Who says goodbye leaves no will."""
    leader, rest = net.leader_and_others()
    mark = net.mark()
    leader.stop()
    net.wait("the next leader", lambda: net.led(rest))
    reasons = {e["reason"] for _, h, e in net.since(mark) if h in rest and
               e["event"] == "leader"}
    check(reasons == {"coordinator-stopped"}, "reasons: %s", reasons)
    leader.start()
    net.settle()


def waits_for_a_program(net):
    """`electctl run` lets go when its program has ended: nobody leads before."""
    leader, rest = net.leader_and_others()
    script = "trap 'sleep %.3f; exit 0' TERM; while :; do sleep 0.01; done" % (RUN_MS / 1000)
    with subprocess.Popen([lan.ELECTCTL, "--socket", leader.socket_path, "run", "--", "sh", "-c",
                           script]) as holder:
        time.sleep(0.5)
        group = leader.group()
        at = leader.kill()
        formed = net.wait("the next group", lambda: net.one_group(rest) and
                          rest[0].group() != group) - at
        led = net.wait("the next leader", lambda: net.led(rest)) - at
        holder.terminate()
    leader.start()
    net.settle()
    check(formed < DEAD_AFTER / 3, "the group is formed after %.0f ms", formed * 1000)
    check(RUN_MS / 1000 <= led < RUN_MS / 1000 + 0.3, "led after %.0f ms", led * 1000)
    return "group after %.0f ms, leader after %.0f ms" % (formed * 1000, led * 1000)


def make_key():
    with open(os.path.join(os.environ["CREDENTIALS_DIRECTORY"], "electd.keys"), "w",
              opener=lambda path, flags: os.open(path, flags, 0o600)) as f:
        f.write("7 %s\n" % SECRET.hex())


def main():
    result = report.Report()
    lan.setup()
    with lan.Lan(HOSTS) as net:
        make_key()
        net.start()
        net.settle()
        net.use_ipv6()      # another path makes another copy
        result.attempt("a copy of a coordinator of others alone", only_of_a_coordinator, net)
        result.attempt("what it has", has_nothing_else, net)
        result.attempt("it is killed", made_anew, net)
        for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT):
            result.attempt("electd ends by " + number.name, ended_by, net, number)
        result.attempt("both are killed", whole_group_killed, net)
        result.attempt("electd is stopped", stopped, net)
        result.attempt("a program is waited for", waits_for_a_program, net)
        result.attempt("copies are killed", one_that_lives_counts_anew, net)
        if result.failed:
            net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
