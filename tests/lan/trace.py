#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A crash leaves a trace, and takes no longer for it.

trace.py [RUNS]: a leader of three is ended RUNS times (6) each by KILL and by SEGV. Its stderr has
the signal, the type of the last datagram and a backtrace that leads into electd, and it ends by that
signal. The others agree as soon as after KILL: the ratio is printed. Then with a datagram that cannot
be read, with a stderr without a reader, with a signal to the copy, and electd-hookd.
"""
import contextlib
import fcntl
import os
import re
import signal
import statistics
import subprocess
import sys
import time

import hooked
import lan
from lan import DEAD_AFTER
import report
from report import Failed

HOSTS = 3
# An announced crash takes a few milliseconds. One that is not takes dead_after.
ANNOUNCED = DEAD_AFTER / 3
TRACE = r"%s \S+: crash: SIGSEGV sent by process \d+(.*)\n"
FRAME = r"%s \S+: crash: %s\+0x[0-9a-f]+"


def check(condition, words, *values):
    if not condition:
        raise Failed(words % values if values else words)


def trace_of(text, program):
    """The part of the first line about the last input; the backtrace leads into the program."""
    first = re.search(TRACE % program, text)
    check(first, "no trace of %s: %s", program, text[-500:])
    frames = re.findall(FRAME % (program, program), text[first.end():])
    check(len(frames) >= 2, "no backtrace of %s: %s", program, text[first.start():])
    check(re.search(r"\((node_run|main|_start)\+0x", text[first.end():]), "no name: %s",
          text[first.start():])
    return first[1]


def ended_by(net, host, sig):
    """How long until the others agree."""
    rest = [h for h in net.hosts if h is not host]
    group, process = host.group(), host.process
    at = host.end(sig)
    check(process.returncode == -sig, "exit status %s", process.returncode)
    took = net.wait("the others agree", lambda: net.one_group(rest) and
                    rest[0].group() != group) - at
    net.wait("it is dropped", lambda: net.agreed(rest))
    return took


def leader_with_copy(net):
    net.settle()
    leader = net.leader()
    lan.until("a copy", leader.copies)
    return leader


def crashes(net, runs):
    times = {signal.SIGKILL: [], signal.SIGSEGV: []}
    for _ in range(runs):
        for sig, took in times.items():
            leader = leader_with_copy(net)
            before = len(leader.log())
            took.append(ended_by(net, leader, sig))
            if sig == signal.SIGSEGV:
                told = trace_of(leader.log()[before:], "electd")
                check(re.match(r", last datagram: [A-Z]\w+", told), "it names%s", told)
            else:
                check("crash:" not in leader.log()[before:], "a trace of KILL")
            leader.start()
    killed, crashed = (statistics.median(took) for took in times.values())
    check(crashed < ANNOUNCED, "agreed after %.0f ms", crashed * 1000)
    return "agreed after KILL: %s; after SEGV: %s; ratio of medians %.1f; %s" % (
        *map(report.statistics, times.values()), crashed / killed, told.strip(", "))


@contextlib.contextmanager
def full_pipe():
    """The end to write to of a pipe that has no room and no reader that reads."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    size = fcntl.fcntl(write, fcntl.F_GETPIPE_SZ)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(write, bytes(size))
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(write, b"\0")
    os.set_blocking(write, True)
    try:
        yield write
    finally:
        os.close(read)
        os.close(write)


def unread(net):
    """The process ends all the same, and its copy says so."""
    leader = leader_with_copy(net)
    leader.stop()
    with full_pipe() as pipe:
        leader.starts.append(lan.now())
        leader.process = subprocess.Popen(leader.command(), stdin=subprocess.DEVNULL, stdout=pipe,
                                          stderr=pipe)
        net.wanted(leader)
        net.settle()
        while net.leader() is not leader:
            net.leader().resign()
            net.settle()
            time.sleep(1.2)  # until that one may lead again
        leader_with_copy(net)
        took = ended_by(net, leader, signal.SIGSEGV)
    leader.start()
    check(took < ANNOUNCED, "agreed after %.0f ms", took * 1000)
    return "agreed after %.0f ms" % (took * 1000)


def unreadable(net):
    """The last datagram is none of electd's: it is named so. Sent again and again until it was the
    last one when the signal came."""
    leader = leader_with_copy(net)
    before = len(leader.log())
    port = leader.unicast_port()
    sender = subprocess.Popen(
        ["nsenter", "--net=/run/netns/" + net.hosts[-1].name, sys.executable, "-c", """
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, 255)
while True:
    for _ in range(20):
        s.sendto(b"ECLT" + bytes(100), ("%s", %d))
    time.sleep(0.001)
""" % (leader.address, port)])
    try:
        lan.until("they are dropped", lambda: leader.dropped().get("version", 0) > 100)
        ended_by(net, leader, signal.SIGSEGV)
    finally:
        sender.kill()
        sender.wait()
    told = trace_of(leader.log()[before:], "electd")
    check(told.startswith(", last datagram: unreadable"), "it names%s", told)
    leader.start()
    return told.strip(", ")


def copy_lives(net):
    """SEGV to the copy from elsewhere changes nothing; it still says what happened."""
    leader = leader_with_copy(net)
    copy = leader.copies()[0]
    os.kill(copy, signal.SIGSEGV)
    took = ended_by(net, leader, signal.SIGKILL)
    leader.start()
    check(took < ANNOUNCED, "agreed after %.0f ms", took * 1000)
    return "agreed after %.0f ms" % (took * 1000)


def hookd():
    """The last event is named."""
    with lan.Lan(1, hooked.QUICK) as net:
        one = hooked.Hooked(net.hosts[0])
        net.start()
        one.start()
        one.wait_event("leader")
        process = one.process
        one.end(signal.SIGSEGV)
        check(process.returncode == -signal.SIGSEGV, "exit status %s", process.returncode)
        told = trace_of(one.log(), "electd-hookd")
        check(re.match(r", last event: (leader|members|state)$", told), "it names%s", told)
        one.forget()
    return told.strip(", ")


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    result = report.Report()
    lan.setup()
    hooked.setup()
    with lan.Lan(HOSTS) as net:
        net.start()
        result.attempt("crashes", crashes, net, runs)
        result.attempt("a datagram that cannot be read", unreadable, net)
        result.attempt("a signal to the copy", copy_lives, net)
        result.attempt("stderr without a reader", unread, net)
        if result.failed:
            net.print_logs()
    result.attempt("electd-hookd", hookd)
    result.exit()


if __name__ == "__main__":
    main()
