#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The copy of a leader's process, electd-will, where only a kernel shows it (will.md):
what a fork inherits, a process that is killed, a kernel that refuses to fork, a kill at the system
calls of a fork, and a forged last will from the address of the host.

will.py [CALLS]: electd or its copy is killed at that many of the calls (4; 0: all). Stories show
which host waits for which demotion (tests/sim/stories/will.story)."""
import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time

import frames
import hooked
import lan
import report
from hooked import DEMOTIONS, SECOND, World, check

HOSTS = 3
SECRET = hashlib.sha256(b"a secret").digest()
# A copy that lives longer than a second is good; electd gives up after five failures in a row.
LIVED, FAILED_MAX = 1.2, 5
# For each of two scripts; both last longer than a silence that the others notice.
DEMOTION_MS = 500


def read(path):
    with open(path, "rb") as f:
        return f.read()


def until(what, condition, timeout=lan.PATIENCE):
    """Returns the value of the condition; asks more often than lan.until() does."""
    end = lan.now() + timeout
    while True:
        value = condition()
        if value:
            return value
        check(lan.now() < end, "it never comes: %s", what)
        time.sleep(0.005)


def copy_of(host, wanted=1):
    """The copy of a host's electd, if it has exactly that many copies."""
    return until("%d copies of %s" % (wanted, host.name), lambda: (
        len(host.copies()) == wanted and [*host.copies(), None]))[0]


def another_copy(host, former):
    return until("another copy", lambda: [c for c in host.copies() if c != former])[0]


def left_behind(net):
    """Processes named electd or electd-will that belong to no running host."""
    own = {h.process.pid for h in net.running()}
    found = {int(pid): lan.running(int(pid)) for pid in os.listdir("/proc") if pid.isdigit()}
    return [pid for pid, known in found.items() if known and pid not in own and
            known[0] in ("electd", "electd-will") and known[1] not in own]


def reasons(net, mark, hosts):
    return {e["reason"] for _, h, e in net.since(mark) if h in hosts and e["event"] == "leader"}


def crash(net, host, reason, number=signal.SIGKILL):
    """Ends a host's electd by a signal; the others agree, for that reason. Then starts it again."""
    rest = [h for h in net.hosts if h is not host]
    mark, group = net.mark(), host.group()
    host.end(number)
    net.wait("the next leader", lambda: net.led(rest) and rest[0].group() != group)
    check(reasons(net, mark, rest) == {reason}, "reasons: %s", reasons(net, mark, rest))
    host.start()


# ---- a fork --------------------------------------------------------------------------------------


def own_kib(pid):
    return sum(int(kib) for kib in re.findall(
        r"Private_(?:Dirty|Clean):\s*(\d+)", read("/proc/%d/smaps_rollup" % pid).decode()))


def memory(pid):
    """All memory that the process can read, in one piece."""
    parts = []
    with open("/proc/%d/mem" % pid, "rb", 0) as mem:
        for line in read("/proc/%d/maps" % pid).decode().splitlines():
            first, last, mode = re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+)", line).groups()
            if mode[0] == "r" and "[v" not in line:
                mem.seek(int(first, 16))
                with contextlib.suppress(OSError):
                    parts.append(mem.read(int(last, 16) - int(first, 16)))
    return b"\0".join(parts)


def working_key():
    return hashlib.blake2b(b"electd key" + bytes([7]) + b"default", digest_size=32,
                           key=SECRET).digest()


def make_key():
    with open(os.path.join(os.environ["CREDENTIALS_DIRECTORY"], "electd.keys"), "w",
              opener=lambda path, flags: os.open(path, flags, 0o600)) as f:
        f.write("7 %s\n" % SECRET.hex())


@contextlib.contextmanager
def one_more(host):
    """Adds a holder that the copy does not know yet, so electd makes the copy anew."""
    with socket.socket(socket.AF_UNIX) as stream:
        stream.connect(host.socket_path)
        stream.sendall(json.dumps({"method": "io.electd.Subscribe", "more": True, "parameters": {
            "hold": True, "name": "one more"}}).encode() + b"\0")
        yield


def what_it_has(net):
    """A copy exists only where a coordinator has members. Checks its descriptors, name, signals and
    OOM score, and that it has no key."""
    leader, rest = net.leader_and_others()
    former, parent = copy_of(leader), leader.process.pid
    for host in rest:
        copy_of(host, 0)
    with one_more(leader):
        another_copy(leader, former)
        pid = copy_of(leader)
        # Descriptor 2 is stderr, for the trace of its own crash.
        fds = sorted(os.readlink("/proc/%d/fd/%s" % (pid, fd)).split(":")[0]
                     for fd in os.listdir("/proc/%d/fd" % pid) if fd != "2")
        check(fds == ["anon_inode", "socket", "socket", "socket"], "descriptors: %s", fds)
        title = read("/proc/%d/cmdline" % pid).rstrip(b"\0")
        check(title == b"electd-will", "cmdline: %s", title)
        blocked = int(re.search(r"SigBlk:\s*(\w+)", read("/proc/%d/status" % pid).decode())[1], 16)
        # SIGABRT has a handler, which returns if another process sent it.
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            check(blocked >> (number - 1) & 1, "%s is not blocked", number.name)
        scores = [int(read("/proc/%d/oom_score_adj" % p)) for p in (parent, pid)]
        check(scores[1] == min(1000, scores[0] + 100), "scores for the OOM killer: %s", scores)
        check(working_key() in memory(parent), "electd's own key is not where it is looked for")
        check(working_key() not in memory(pid) and SECRET not in memory(pid), "it has the key")


def copies_are_killed(net):
    """electd makes another copy each time; a copy that lived in between resets the count."""
    leader, _ = net.leader_and_others()

    def that_stays():
        pid = copy_of(leader)
        time.sleep(LIVED)       # the protocol's second
        return leader.copies() == [pid] and pid

    for _ in range(2):
        pid = until("a copy that stays", that_stays)
        for _ in range(FAILED_MAX):     # the first one counts as lived
            os.kill(pid, signal.SIGKILL)
            pid = another_copy(leader, pid)
    check("electd-will has ended" in leader.log(), "it is not reported")
    check("electd-will has ended at once" not in leader.log(), "it gives up")


def sent(host):
    return host.counts("electd_packets_sent_total").get("AYCoord", 0)


def a_fault(net):
    """electd ends by SIGSEGV: the others agree at once, and no host leads before the program of
    `electctl run` has ended, because the copy keeps its connection open."""
    leader, rest = net.leader_and_others()
    ready = net.dir + "/ready-to-end"
    script = "trap 'until [ -e %s ]; do sleep 0.05; done; exit 0' TERM; echo up; " \
        "while :; do sleep 0.05; done" % ready
    with subprocess.Popen([lan.ELECTCTL, "--socket", leader.socket_path, "run", "--", "sh", "-c",
                           script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as program:
        program.stdout.readline()
        mark, group = net.mark(), leader.group()
        leader.end(signal.SIGSEGV)
        net.wait("the next group", lambda: net.one_group(rest) and rest[0].group() != group)
        successor = next(h for h in rest if h.group().startswith(h.name + "."))
        before = sent(successor)
        until("two of its beacons", lambda: sent(successor) >= before + 2)
        led = net.leaders_since(mark)
        with open(ready, "w"):
            pass
        net.wait("the next leader", lambda: net.led(rest))
    os.unlink(ready)
    check(not led, "these led beside the program: %s", led)
    check(reasons(net, mark, rest) == {"coordinator-crashed"}, "reasons: %s", reasons(
        net, mark, rest))
    leader.start()


# ---- forged from the address of the host ---------------------------------------------------------

GROUP, OTHER, LOSS, LOSS_EXACT = 1, 8, 12, 32772
WILL_FROM = 1 << 62
# For each kind: the value of LOSS, which hosts of 0.1 read, and of LOSS_EXACT.
KINDS = {"crash": (1, 5), "crashing": (0, 7)}


def will_of(beacon, loss, sequence, successor=bytes(16)):
    """Returns the will of the beacon's sender, without a tag."""
    body = b"".join(frames.field(number, value) for number, value in (
        (GROUP, frames.fields(beacon)[GROUP]), (OTHER, successor), (LOSS, bytes([loss[0]])),
        (LOSS_EXACT, bytes([loss[1]]))))
    return frames.composed(frames.payload_of(beacon), sequence, True, "Goodbye", bytes(16), body)


def frame_of_will(beacon, loss, sequence):
    """A will by a member that has the key: the tag covers source address and port."""
    signed = will_of(beacon, loss, sequence)[:-frames.TAG_SIZE]
    source = b"\x06" + beacon[22:38] + beacon[54:56]
    payload = signed + hashlib.blake2b(source + signed, digest_size=16,
                                       key=working_key()).digest()
    size = struct.pack("!H", 8 + len(payload))
    pseudo = beacon[22:54] + struct.pack("!IHBB", 8 + len(payload), 0, 0, 17)
    udp = beacon[54:58] + size + b"\0\0" + payload
    udp = udp[:6] + struct.pack("!H", frames.checksum(pseudo + udp) or 0xffff) + payload
    return beacon[:18] + size + beacon[20:54] + udp


def forged(net):
    """Kernels accept IPv6 datagrams from their own address: the leader counts its own will, reports
    it once, and continues."""
    leader, _ = net.leader_and_others()
    processes = [h.process.pid for h in net.hosts]
    sniffer, injectors = frames.Sniffer(net), [frames.Injector(h.port) for h in net.hosts]

    def beacon():
        return [frame for host, to_all, name, frame in sniffer.drain() if host is leader and
                to_all and name == "AYCoord" and frame[12:14] == frames.IPV6]

    seen = until("a beacon of %s over IPv6" % leader.name, beacon)[0]
    for number, loss in enumerate(KINDS.values()):
        before = leader.dropped().get("own-will", 0)
        for injector in injectors:
            injector.send(frame_of_will(seen, loss, WILL_FROM + number))
        until("it is counted", lambda before=before: (
            leader.dropped().get("own-will", 0) > before))
        net.settle()
    told = leader.log().count("another process has forged it (the own electd-will: it runs)")
    check(told == 1, "reported %d times", told)
    check([h.process.pid for h in net.hosts if h.process.poll() is None] == processes,
          "an electd has ended")
    sniffer.close()


# ---- a fork that the kernel refuses --------------------------------------------------------------


class Traced:
    """A host's electd and its children, under strace from now on."""

    def __init__(self, host, *options):
        self.path = os.path.join(host.dir, "trace")
        self.process = subprocess.Popen(
            ["strace", "-f", "-o", self.path, *options, "-p", str(host.process.pid)],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        check("attached" in line, "strace: %s", line)

    def lines(self):
        return [line.split(None, 1) for line in report.whole_lines(self.path)]

    def killed(self):
        return {int(pid) for pid, text in self.lines() if "killed by SIGKILL" in text}

    def end(self):
        """strace ends when all its processes have ended; otherwise it detaches."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.process.wait(0)
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(lan.PATIENCE)


FORKS = "clone,?clone3,?fork,?vfork"
REFUSED = "electd-will cannot be made: Resource temporarily unavailable"


def refused(net):
    """The fork is refused: electd reports that once, and tries again, more rarely than it sends
    beacons. A crash is a silence meanwhile. When the kernel allows the fork, there is a copy."""
    old, rest = net.leader_and_others()
    traced = {h: Traced(h, "-e", "trace=" + FORKS, "-e", "inject=%s:error=EAGAIN" % FORKS)
              for h in rest}
    old.resign()
    net.wait("another leader", lambda: net.agreed() and net.leader() is not old)
    host = net.leader()

    def tries():
        return sum("EAGAIN" in text for _, text in traced[host].lines())

    until("it is tried", tries)
    first, begun = tries(), sent(host)
    until("it is tried again, and again", lambda: tries() >= first + 2)
    beacons, more = sent(host) - begun, tries() - first
    check(more <= beacons, "%d attempts in %d beacons", more, beacons)
    check(not host.copies(), "it has a copy")
    check(host.log().count(REFUSED) == 1, "reported %d times", host.log().count(REFUSED))
    crash(net, host, "coordinator-silent")
    traced.pop(host).end()
    net.settle()
    host = net.leader()
    if host in traced:
        traced[host].end()
    copy_of(host)
    crash(net, host, "coordinator-crashed")
    for one in traced.values():
        one.end()


# ---- killed at a call of the fork ----------------------------------------------------------------


def calls_of_a_fork(host):
    """[(name, index of that call by electd or by its copy, since a holder came)]"""
    before = copy_of(host)
    traced = Traced(host)
    with one_more(host):
        copy = another_copy(host, before)
        # A call that has not returned has no complete line.
        until("it sleeps", lambda: re.search(rb"(?m)^%d +ppoll\(" % copy, read(traced.path)))
        until("the former is gone", lambda: host.copies() == [copy])
    traced.end()
    seen, calls = {}, []
    for pid, text in traced.lines():
        name = re.match(r"(\w+)\(", text)
        if int(pid) in (host.process.pid, copy) and name and "resumed>" not in text:
            seen[pid, name[1]] = seen.get((pid, name[1]), 0) + 1
            calls.append((int(pid) == copy, name[1], seen[pid, name[1]]))
    fork = next(n for n, call in enumerate(calls)
                if call[:2] in ((False, "clone"), (False, "clone3")))
    first = max(n for n in range(fork) if calls[n][:2] == (False, "rt_sigprocmask"))
    ended = next(n for n, call in enumerate(calls) if n > fork and
                 call[:2] == (False, "epoll_wait"))
    return list(dict.fromkeys(call[1:] for n, call in enumerate(calls)
                              if call[0] or first <= n < ended))


def killed_at(w, name, number):
    """Returns the process that was killed, electd or its copy; None: the call was not reached."""
    w.wait_roles()
    host, hooks = w.leader()
    rest = [h for h in w.net.hosts if h is not host]
    copy_of(host)
    hooks.do("none", DEMOTION_MS)
    group, begin = host.group(), lan.now()
    threads = {int(thread) for thread in os.listdir("/proc/%d/task" % host.process.pid)}
    traced = Traced(host, "-e", "trace=%s,ppoll" % name,
                    "-e", "inject=%s:signal=KILL:when=%d" % (name, number))
    with one_more(host):
        until("a kill, or a copy that sleeps", lambda: traced.killed() or (
            name != "ppoll" and b"ppoll(" in read(traced.path)))
        killed = traced.killed()
        host.kill()
    w.net.wait("the others agree", lambda: w.net.led(rest) and rest[0].group() != group)
    ended = hooks.wait("its demotion", lambda r: r.begin > begin and r.end and
                       r.event in DEMOTIONS and r.name == SECOND).end
    begun = w.begun("leader", begin, w.others(host))
    until("nothing is left behind", lambda: not left_behind(w.net))
    until("nothing is traced any more", lambda: traced.process.poll() is not None)
    hooks.do("none")
    host.start()
    who = killed and ("copy" if traced.killed() - threads else "electd")
    check(begun.begin > ended or who == "copy", "%s begins beside the demotion", begun)
    return who


def killed_at_each_call(wanted):
    """No process is left behind. If electd was killed there is a copy, so no hook of the next
    leader begins before the end of the demotion."""
    with World(HOSTS, "") as w:
        w.wait_roles()
        every = calls_of_a_fork(w.net.leader())
        got = []
        for name, number in every[::max(1, len(every) // wanted) if wanted else 1]:
            try:
                got.append(killed_at(w, name, number))
            except report.Failed as error:
                raise report.Failed("at %s %d: %s" % (name, number, error)) from error
        w.wait_roles()
        hooked.judge(w.hooked)
        check("electd" in got and "copy" in got and got.count(None) <= len(got) // 3,
              "killed were: %s", got)
        return "electd at %d, its copy at %d of %d" % (
            got.count("electd"), got.count("copy"), len(every))


def main():
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    result = report.Report()
    lan.setup()
    hooked.setup()
    traces = shutil.which("strace") and not subprocess.run(
        ["strace", "-o", "/dev/null", "true"], check=False).returncode
    with lan.Lan(HOSTS) as net:
        make_key()
        net.start()
        net.settle()
        net.use_ipv6()      # a new path would make a new copy
        result.attempt("the content of a copy", what_it_has, net)
        result.attempt("copies are killed", copies_are_killed, net)
        result.attempt("a segmentation fault, and a program", a_fault, net)
        result.attempt("a last will is forged", forged, net)
        if traces:
            result.attempt("forks are refused", refused, net)
    if traces:
        result.attempt("killed at calls of the fork", killed_at_each_call, calls)
    else:
        print("SKIP strace may trace nothing here: no fork is refused, none is killed")
    result.exit()


if __name__ == "__main__":
    main()
