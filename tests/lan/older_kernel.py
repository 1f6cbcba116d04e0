#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A kernel, or the filter of a container, refuses system calls that electd would use: hooks still
run, a leader has its copy, and a copy that fails at once is not made again and again.

older_kernel.py behind CALLS ANSWER COMMAND...: runs the command; the kernel answers CALLS, a name
of the table below, with the error ANSWER, or with KILL."""
import ctypes
import errno
import os
import platform
import struct
import sys

import hooked
import lan
import report
from hooked import World, check

# ---- the filter ----------------------------------------------------------------------------------

PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 4, 38, 22, 2
LOAD, EQUAL, NOT_BELOW, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, FIRST, SECOND = 0, 16, 24      # offsets of the number and the arguments
ALLOW, REFUSE, KILL = 0x7fff0000, 0x00050000, 0x80000000
FIRST_OF_5_1, CLOSE_RANGE = 424, 436
MEMFD_CREATE, PRCTL = {"x86_64": (319, 157), "aarch64": (279, 167)}.get(
    platform.machine(), (None, None))
NOEXEC_SEAL = 8
# A filter refuses a call if all its rows (field, comparison, value, wanted result) hold.
CALLS = {
    "close_range": ((NUMBER, EQUAL, CLOSE_RANGE, True),),
    "since-5.1": ((NUMBER, NOT_BELOW, FIRST_OF_5_1, True),),
    # Linux 6.3 to 6.5 with vm.memfd_noexec=2; later kernels add the flag themselves.
    "executable-memory": ((NUMBER, EQUAL, MEMFD_CREATE, True),
                          (SECOND, ANY_BIT, NOEXEC_SEAL, False)),
    "sealed-memory": ((NUMBER, EQUAL, MEMFD_CREATE, True), (SECOND, ANY_BIT, NOEXEC_SEAL, True)),
    # Only the copy makes itself dumpable.
    "copy": ((NUMBER, EQUAL, PRCTL, True), (FIRST, EQUAL, PR_SET_DUMPABLE, True),
             (SECOND, EQUAL, 1, True)),
}


def instructions(calls, answer):
    """(code, steps if it holds, steps if not, value); allowed calls jump to the last one"""
    conditions = CALLS[calls]
    for number, (field, comparison, value, holds) in enumerate(conditions):
        allowed = 2 * (len(conditions) - number) - 1
        yield LOAD, 0, 0, field
        yield (comparison, 0, allowed, value) if holds else (comparison, allowed, 0, value)
    yield RETURN, 0, 0, KILL if answer == "KILL" else REFUSE | getattr(errno, answer)
    yield RETURN, 0, 0, ALLOW


def behind(calls, answer, command):
    code = b"".join(struct.pack("HBBI", *one) for one in instructions(calls, answer))
    memory = ctypes.create_string_buffer(code)
    program = struct.pack("HP", len(code) // 8, ctypes.addressof(memory))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or \
            libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program):
        sys.exit("no filter: %s" % os.strerror(ctypes.get_errno()))
    os.execvp(command[0], command)


def filtered(calls, answer):
    return sys.executable, "-B", os.path.abspath(__file__), "behind", calls, answer


class Behind(lan.Host):
    refused = None

    def command(self, *more, wrapper=()):
        return super().command(*more, wrapper=(*wrapper, *filtered(*self.refused)))


def behind_filter(*refused):
    kind = type("Refused", (Behind,), {"refused": refused})
    return lambda count, config="": lan.Lan(count, config, kind=kind)


# ---- hooks and copies ----------------------------------------------------------------------------

WITHOUT = "no process electd-will is made"
GIVEN_UP = "electd-will has ended at once 5 times in a row"


def crash(net, host, reason):
    """The other hosts agree, for that reason."""
    rest = [h for h in net.hosts if h is not host]
    mark, group = net.mark(), host.group()
    host.kill()
    net.wait("the next leader", lambda: net.led(rest) and rest[0].group() != group)
    reasons = {e["reason"] for _, h, e in net.since(mark) if h in rest and e["event"] == "leader"}
    check(reasons == {reason}, "reasons: %s", reasons)


def hooks_run(calls, answer, reason):
    """Hooks run, also after a crash; the log mentions copies only if there are none."""
    refused = calls, answer
    with World(3, hookds=False, kind=behind_filter(*refused)) as w:
        for one in w.hooked.values():
            one.start(wrapper=filtered(*refused))
        w.wait_roles()
        host, at = w.leader()[0], lan.now()
        told = WITHOUT in host.log()
        check(told == (reason == "coordinator-silent"), "its reports of copies: %s", host.log())
        lan.until("its copies", lambda: len(host.copies()) == (not told))
        check("electd-will has ended" not in host.log(), "its copies end: %s", host.log())
        others = w.others(host)
        crash(w.net, host, reason)
        w.begun("leader", at, others)
        hooked.judge(w.hooked)


def given_up():
    """Copies are killed at once: electd reports that once, and continues without a copy."""
    with behind_filter("copy", "KILL")(3) as net:
        net.start()
        net.settle()
        host = net.leader()
        lan.until("it gives up", lambda: GIVEN_UP in host.log())
        crash(net, host, "coordinator-silent")
        check(host.log().count(GIVEN_UP) == 1, "reported %d times", host.log().count(GIVEN_UP))


def main():
    if sys.argv[1:2] == ["behind"]:
        behind(sys.argv[2], sys.argv[3], sys.argv[4:])
    result = report.Report()
    lan.setup()
    hooked.setup()
    for calls, answer, reason in (("close_range", "EPERM", "coordinator-crashed"),
                                  ("since-5.1", "ENOSYS", "coordinator-silent"),
                                  ("executable-memory", "EACCES", "coordinator-crashed"),
                                  ("sealed-memory", "EINVAL", "coordinator-crashed")):
        if MEMFD_CREATE or not calls.endswith("memory"):
            result.attempt("%s: %s" % (calls, answer), hooks_run, calls, answer, reason)
    if PRCTL:
        result.attempt("copies that fail at once", given_up)
    result.exit()


if __name__ == "__main__":
    main()
