#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hosts whose kernel, or whose container's filter, refuses system calls that electd would like to
have: hooks run, a leader has its copy, and a copy that fails at once is not made again and again.

older_kernel.py [SECONDS]: for how long nothing may happen after five failed copies (61: until the
sixth is made, too).
older_kernel.py behind CALLS ANSWER COMMAND...: that command, to which the kernel answers CALLS, a
name of the table below, by the error ANSWER, or by KILL.
"""
import ctypes
import errno
import os
import platform
import re
import shutil
import struct
import sys
import time

import hooked
import lan
import report
import will
from hooked import World, check

# ---- the filter ----------------------------------------------------------------------------------

PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 4, 38, 22, 2
LOAD, EQUAL, NOT_BELOW, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, FIRST, SECOND = 0, 16, 24      # where the number and the arguments are
ALLOW, REFUSE, KILL = 0x7fff0000, 0x00050000, 0x80000000
# Calls have one number on all architectures since Linux 5.1.
FIRST_OF_5_1, CLONE3, CLOSE_RANGE = 424, 435, 436
MEMFD_CREATE, PRCTL = {"x86_64": (319, 157), "aarch64": (279, 167)}.get(
    platform.machine(), (None, None))
NOEXEC_SEAL = 8
# A filter refuses a call if all its rows (field, comparison, value, wanted result) hold.
CALLS = {
    "close_range": ((NUMBER, EQUAL, CLOSE_RANGE, True),),
    "since-5.1": ((NUMBER, NOT_BELOW, FIRST_OF_5_1, True),),
    # glibc since 2.34 starts no thread where clone3() fails by another error than ENOSYS.
    "since-5.1-but-clone3": ((NUMBER, NOT_BELOW, FIRST_OF_5_1, True),
                             (NUMBER, EQUAL, CLONE3, False)),
    # Linux 6.3 to 6.5 with vm.memfd_noexec=2; later kernels add the flag themselves.
    "executable-memory": ((NUMBER, EQUAL, MEMFD_CREATE, True),
                          (SECOND, ANY_BIT, NOEXEC_SEAL, False)),
    "sealed-memory": ((NUMBER, EQUAL, MEMFD_CREATE, True), (SECOND, ANY_BIT, NOEXEC_SEAL, True)),
    # Only the copy makes itself dumpable.
    "copy": ((NUMBER, EQUAL, PRCTL, True), (FIRST, EQUAL, PR_SET_DUMPABLE, True),
             (SECOND, EQUAL, 1, True)),
}


def instructions(calls, answer):
    """(code, steps if it holds, steps if not, value); whatever is allowed goes to the last one."""
    conditions = CALLS[calls]
    for number, (field, comparison, value, holds) in enumerate(conditions):
        allowed = 2 * (len(conditions) - number) - 1
        yield LOAD, 0, 0, field
        yield (comparison, 0, allowed, value) if holds else (comparison, allowed, 0, value)
    yield RETURN, 0, 0, KILL if answer == "KILL" else REFUSE | getattr(errno, answer)
    yield RETURN, 0, 0, ALLOW


def behind(calls, answer, command):
    """Runs the command in place of this process."""
    code = b"".join(struct.pack("HBBI", *one) for one in instructions(calls, answer))
    memory = ctypes.create_string_buffer(code)
    program = struct.pack("HP", len(code) // 8, ctypes.addressof(memory))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or \
            libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program):
        sys.exit("no filter: %s" % os.strerror(ctypes.get_errno()))
    os.execvp(command[0], command)


def filtered(calls, answer):
    """What stands before a command."""
    return sys.executable, "-B", os.path.abspath(__file__), "behind", calls, answer


def lan_behind(*refused):
    """A LAN of hosts with that filter."""
    class Behind(lan.Host):
        def command(self, *more, wrapper=()):
            return super().command(*more, wrapper=(*wrapper, *filtered(*refused)))
    return lambda count, config="": lan.Lan(count, config, kind=Behind)


# ---- hooks and copies ----------------------------------------------------------------------------

WITHOUT = "no process electd-will is made"


def crash(net, host, reason):
    """The others agree, for that reason; how long it took."""
    rest = [h for h in net.hosts if h is not host]
    mark, group, at = net.mark(), host.group(), host.kill()
    took = net.wait("the next leader", lambda: net.led(rest) and rest[0].group() != group) - at
    reasons = {e["reason"] for _, h, e in net.since(mark) if h in rest and e["event"] == "leader"}
    check(reasons == {reason}, "reasons: %s", reasons)
    return "%s after %.0f ms" % (reason, took * 1000)


def hooks_run(calls, answer, reason):
    """On each host, after a crash too; its log has a word of copies only if there are none."""
    refused = calls, answer
    with World(3, hookds=False, kind=lan_behind(*refused)) as w:
        for one in w.hooked.values():
            one.start(wrapper=filtered(*refused))
        w.wait_roles()
        host = w.leader()[0]
        told = WITHOUT in host.log()
        check(told == (reason == "coordinator-silent"), "what it says of copies: %s", host.log())
        will.copy_of(host, 0 if told else 1)
        check("electd-will has ended" not in host.log(), "its copies end: %s", host.log())
        others, at = w.others(host), lan.now()
        words = crash(w.net, host, reason)
        w.begun("leader", at, others)
        host.start()
        w.wait_roles()
        hooked.judge(w.hooked)
        return words


# ---- a copy that fails at once -------------------------------------------------------------------

FAILED_MAX, REST = 5, 60
GIVEN_UP = "electd-will has ended at once %d times in a row" % FAILED_MAX


def killed(traced):
    """When each of its copies was, by strace."""
    return [float(re.match(r"[\d.]+", text)[0]) for _, text in traced.lines()
            if "killed by SIGSYS" in text]


def given_up(seconds):
    with lan_behind("copy", "KILL")(3) as net:
        net.start()
        traced = {h: will.Traced(h, "-ttt", "-e", "trace=none") for h in net.hosts}
        net.settle()
        host = net.leader()
        will.until("it gives up", lambda: GIVEN_UP in host.log())
        at = lan.now()
        check(len(killed(traced[host])) == FAILED_MAX, "copies: %s", killed(traced[host]))
        if seconds > REST:
            will.until("the next one", lambda: len(killed(traced[host])) > FAILED_MAX,
                            seconds + lan.PATIENCE)
        else:
            time.sleep(seconds)
        rested = lan.now() - at
        times = killed(traced[host])
        check(len(times) == FAILED_MAX + (seconds > REST), "copies: %s", times)
        check(seconds <= REST or times[-1] - times[-2] > REST - 1, "the next one: %s", times)
        check(host.log().count(GIVEN_UP) == 1, "told %d times", host.log().count(GIVEN_UP))
        words = crash(net, host, "coordinator-silent")
        for one in traced.values():
            one.end()
        return "%d copies in %.1f s, %d in the next %.0f s; %s" % (
            FAILED_MAX, times[FAILED_MAX - 1] - times[0], len(times) - FAILED_MAX, rested, words)


def main():
    if sys.argv[1:2] == ["behind"]:
        behind(sys.argv[2], sys.argv[3], sys.argv[4:])
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 61
    result = report.Report()
    lan.setup()
    hooked.setup()
    for calls, answer, reason in (("close_range", "ENOSYS", "coordinator-crashed"),
                                  ("close_range", "EPERM", "coordinator-crashed"),
                                  ("since-5.1", "ENOSYS", "coordinator-silent"),
                                  ("since-5.1-but-clone3", "EPERM", "coordinator-silent")):
        result.attempt("%s: %s" % (calls, answer), hooks_run, calls, answer, reason)
    if MEMFD_CREATE is None:
        result.exit()
    for calls, answer in (("executable-memory", "EACCES"), ("sealed-memory", "EINVAL")):
        result.attempt("%s: %s" % (calls, answer), hooks_run, calls, answer, "coordinator-crashed")
    if shutil.which("strace"):
        result.attempt("copies that fail at once", given_up, seconds)
    else:
        print("strace is missing: copies that fail at once are not tried")
    result.exit()


if __name__ == "__main__":
    main()
