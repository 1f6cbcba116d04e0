#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A crash leaves a trace on stderr, and delays nothing.

Only a kernel shows this: a signal that ends a process, the backtrace of its stack, a stderr whose
reader has stopped, and a signal to the copy of electd. The reason of the next leader,
coordinator-crashed, shows that the other hosts got the report of the copy."""
import contextlib
import fcntl
import os
import re
import signal
import subprocess
import sys

import hooked
import lan
import report
from hooked import check

HOSTS = 3
# dead_after is so long that the copy reports the end long before a host misses the coordinator.
CONFIG = "timing = { dead_after_ms = 5000; silence_ms = 0; };"
TRACE = r"%s \S+: crash: SIGSEGV sent by process \d+(.*)\n"
FRAME = r"%s \S+: crash: %s\+0x[0-9a-f]+"
# A datagram that has only electd's first bytes.
UNREADABLE = """
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, 255)
s.sendto(b"ECLT" + bytes(100), ("%s", %d))
"""


def trace_of(text, program):
    """The first line's text about the last input; the backtrace must lead into the program."""
    first = re.search(TRACE % program, text)
    check(first, "no trace of %s: %s", program, text[-500:])
    frames = re.findall(FRAME % (program, program), text[first.end():])
    check(len(frames) >= 2, "no backtrace of %s: %s", program, text[first.start():])
    check(re.search(r"\((node_run|main|_start)\+0x", text[first.end():]),
          "no function is named: %s", text[first.start():])
    return first[1].strip(", ")


def leader_with_copy(net):
    net.settle()
    leader = net.leader()
    lan.until("the leader has a copy", leader.copies)
    return leader


def ended_by(net, host, sig):
    """The process ends by that signal, and its copy reports that to the other hosts."""
    rest = [h for h in net.hosts if h is not host]
    group, process, mark = host.group(), host.process, net.mark()
    host.end(sig)
    check(process.returncode == -sig, "exit status %s", process.returncode)
    net.wait("the others agree", lambda: net.agreed(rest) and rest[0].group() != group)
    reasons = {e["reason"] for _, h, e in net.since(mark) if h in rest and e["event"] == "leader"}
    check(reasons == {"coordinator-crashed"}, "the others elect for %s", reasons)


def crash(net):
    leader = leader_with_copy(net)
    ended_by(net, leader, signal.SIGSEGV)
    last = trace_of(leader.log(), "electd")
    check(re.match(r"last datagram: [A-Z]\w+", last), "the trace names %s", last)
    leader.start()
    return last


def signal_to_the_copy(net):
    """SEGV from another process does not end the copy: it still reports the end of its electd."""
    leader = leader_with_copy(net)
    os.kill(leader.copies()[0], signal.SIGSEGV)
    ended_by(net, leader, signal.SIGKILL)
    leader.start()


@contextlib.contextmanager
def full_pipe():
    """The write end of a full pipe that no process reads."""
    read, write = os.pipe()
    os.write(write, bytes(fcntl.fcntl(write, fcntl.F_GETPIPE_SZ)))
    try:
        yield write
    finally:
        os.close(read)
        os.close(write)


def unread():
    """The process ends although no process reads its trace."""
    with lan.Lan(HOSTS, CONFIG) as net, full_pipe() as pipe:
        first = net.hosts[0]
        first.process = subprocess.Popen(first.command(), stdin=subprocess.DEVNULL, stdout=pipe,
                                         stderr=pipe)
        net.wanted(first)
        net.wait("the first host leads", lambda: net.agreed([first]))
        for host in net.hosts[1:]:
            host.start()
        check(leader_with_copy(net) is first, "another host leads")
        ended_by(net, first, signal.SIGSEGV)


def unreadable():
    """The last datagram is not of electd, and the trace says so. No other electd sends anything."""
    with lan.Lan(2) as net:
        host, sender = net.hosts
        host.start()
        net.wait("it leads", lambda: net.agreed([host]))
        lan.run("nsenter", "--net=/run/netns/" + sender.name, sys.executable, "-c",
                UNREADABLE % (host.address, host.unicast_port()))
        lan.until("it is dropped", lambda: host.dropped().get("version"))
        host.end(signal.SIGSEGV)
        last = trace_of(host.log(), "electd")
        check(last.startswith("last datagram: unreadable"), "the trace names %s", last)
        return last


def hookd():
    with lan.Lan(1, hooked.QUICK) as net:
        one = hooked.Hooked(net.hosts[0])
        net.start()
        one.start()
        one.wait_event("leader")
        check(one.end(signal.SIGSEGV) == -signal.SIGSEGV, "it does not end by the signal")
        last = trace_of(one.log(), "electd-hookd")
        check(re.match(r"last event: (leader|members|state)$", last), "the trace names %s", last)
        one.forget()
        return last


def main():
    result = report.Report()
    lan.setup()
    hooked.setup()
    with lan.Lan(HOSTS, CONFIG) as net:
        net.start()
        result.attempt("crash", crash, net)
        result.attempt("a signal to the copy", signal_to_the_copy, net)
    result.attempt("stderr without a reader", unread)
    result.attempt("a datagram that cannot be read", unreadable)
    result.attempt("electd-hookd", hookd)
    result.exit()


if __name__ == "__main__":
    main()
