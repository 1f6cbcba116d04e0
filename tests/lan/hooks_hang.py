# SPDX-License-Identifier: Apache-2.0
"""A disk that hangs below electd-hookd, and below electd: no demotion and no release waits for it
(crashes A3). A promotion does. strace delays each sync for longer than any test lasts. For hooks.py.
"""
import os
import signal
import subprocess
import time

import hooked
import lan
import report
from hooked import DEMOTIONS, FIRST, QUICK, SECOND, World, check
from hooks_rough import Rough

FOR_EVER = 600 * 1000000   # microseconds
SYNCS = "fdatasync,fsync"
LATE = 0.100               # seconds; of the bound dead_after + 100 ms
SILENT_AFTER = 1.0         # seconds; dead_after, as the electd of these tests states it
QUICK_DEAD_AFTER = 0.3     # of QUICK


def hangs_after(records):
    """The first records are synced, no later one is. strace counts the calls of each thread."""
    return ["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync", "-e",
            "inject=fdatasync:delay_enter=%d:when=%d+" % (FOR_EVER, records + 1)]


class Hanging(Rough):
    """electd-hookd on such a disk; electd says at once that this host leads, with token 7."""

    def __init__(self, records):
        super().__init__(leads=False, wrapper=hangs_after(records))
        self.token = "7"

    def __enter__(self):
        self.hooks.make_phase()
        return super().__enter__()

    def __exit__(self, kind, value, trace):
        if self.hooks.process:
            self.disk_answers()
        super().__exit__(kind, value, trace)

    def disk_answers(self):
        """A process in a delayed call ends by no signal before strace ends."""
        with open("/proc/%d/status" % self.hooks.process.pid) as f:
            tracer = next(int(line.split()[1]) for line in f if line.startswith("TracerPid:"))
        if tracer:
            os.kill(tracer, signal.SIGKILL)


class Delayed:
    """Until the end of the block these calls of a process hang; the first ones of a thread may not."""

    def __init__(self, pid, calls, *more, after=0):
        self.tracer = subprocess.Popen(
            ["strace", "-f", "-o", "/dev/null", *more, "-e", "trace=" + calls, "-e",
             "inject=%s:delay_enter=%d:when=%d+" % (calls, FOR_EVER, after + 1), "-p", str(pid)],
            stderr=subprocess.PIPE, text=True)
        line = self.tracer.stderr.readline()
        check("attached" in line, "strace: %s", line)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.tracer.kill()
        self.tracer.wait()
        self.tracer.stderr.close()


def on_disk(r, words):
    """Until the file has that record, synced or not."""
    def has():
        with open(os.path.join(r.hooks.state_dir, "phase")) as f:
            return f.read().startswith("electd-hookd 1 " + words)
    lan.until("the record is %s" % words, has)


# ---- causes of a demotion; each returns within how many seconds the demotion begins --------------------


def released(r):
    r.electd.release()
    return LATE


def gone(r):
    r.electd.stream.close()
    return LATE


def silent(r):
    r.electd.say("state", {"dead_after_ms": int(SILENT_AFTER * 1000)}, token=r.token)
    return SILENT_AFTER + LATE


def follows(r):
    r.electd.say("follower", role="follower", token="20",
          leader={"id": "0" * 31 + "2", "name": "b", "address": None, "self": False})
    return LATE


def demoted(r, cause):
    """How long after its cause the demotion begins; each of its scripts ends."""
    at = lan.now()
    bound = cause(r)
    first = r.hooks.wait("its demotion", lambda run: run.event in DEMOTIONS and run.begin > at and
                         run.name == FIRST)
    r.hooks.wait("its end", lambda run: run.event in DEMOTIONS and run.begin > at and
                 run.name == SECOND and run.end)
    took = first.begin - at
    check(took <= bound, "%s: the demotion begins after %.3f s, not %.3f", cause.__name__, took,
          bound)
    return took - bound + LATE


# ---- phases of the promotion -----------------------------------------------------------------------


def in_force():
    """All records after STARTED hang: at a confirmation, and without one."""
    took = []
    for confirmed in (False, True):
        for cause in (released, gone, silent, follows):
            with Hanging(1) as r:
                r.hooks.wait_event("leader")
                if confirmed:
                    r.token = "9"
                    r.electd.say("leader", token="9")
                    on_disk(r, "started 9 ")
                took.append(demoted(r, cause))
                if cause is released:
                    r.electd.wait_released()
                check(len([run for run in r.hooks.runs() if run.event == "leader"]) == 2,
                      "a leader without its record: %s", r.hooks.runs())
    return "beyond the cause, or dead_after: " + report.statistics(took)


def not_begun():
    """STARTED hangs: no script of the promotion has run; a release is answered at once."""
    for cause in (released, gone, follows):
        with Hanging(0) as r:
            on_disk(r, "started 7 ")
            at = lan.now()
            cause(r)
            if cause is released:
                r.electd.wait_released()
                took = lan.now() - at
                check(took < LATE, "released after %.3f s", took)
            if cause is follows:
                r.hooks.wait_event("follower")
            if cause is gone:
                r.hooks.wait_event("none")
            check(not [run for run in r.hooks.runs() if run.event == "leader"],
                  "a leader without its record: %s", r.hooks.runs())
            r.disk_answers()
            on_disk(r, "idle ")


def ended():
    """IDLE hangs: further states are told, no promotion begins, and electd-hookd ends when told."""
    with Hanging(1) as r:
        r.hooks.wait_event("leader")
        follows(r)
        r.hooks.wait_event("follower")
        on_disk(r, "idle ")
        at = lan.now()
        r.electd.say("members", role="follower", token="20",
              leader={"id": "0" * 31 + "2", "name": "b", "address": None, "self": False})
        r.hooks.wait_event("members", at)
        r.electd.say("leader", token="21")
        released(r)
        r.electd.wait_released()
        check(not [run for run in r.hooks.runs() if run.token == 21 and run.event == "leader"],
              "a leader without its record: %s", r.hooks.runs())
        r.hooks.send(signal.SIGTERM)
        r.hooks.wait_event("stop")
        r.hooks.wait_log("cannot write the phase")
        r.disk_answers()
        check(r.hooks.end() == 0, "its end: %s", r.hooks.log()[-500:])


# ---- the folder of the hooks -------------------------------------------------------------------------


def folder():
    """The folder hangs: the scripts that ran on leader are demoted by the files that are open."""
    for cause in (released, gone, follows):
        with Rough() as r, Delayed(r.hooks.process.pid, "openat", "-P", r.hooks.dir):
            r.electd.say("members")
            at = lan.now()
            cause(r)
            r.hooks.wait("its demotion", lambda run: run.event in DEMOTIONS and run.begin > at and
                         run.name == SECOND and run.end)
            check({run.name for run in r.hooks.runs() if run.event in DEMOTIONS} ==
                  {FIRST, SECOND}, "demoted: %s", r.hooks.runs())


# ---- a script that KILL does not end (crashes A4b) ----------------------------------------------------


def script():
    """It hangs in the kernel when it is killed: leadership is released when it has ended."""
    with Rough() as r:
        r.hooks.do("none", 600000, deaf=True)
        r.electd.release()
        run = r.hooks.wait("its demotion", lambda run: run.event == "none" and run.name == FIRST)
        with Delayed(run.pid, "all"):
            r.hooks.do("none")
            r.hooks.wait_event("none")
            time.sleep(1)
            check(lan.running(run.pid), "%s has ended", run)
            check(r.electd.released.empty(), "released while %s hangs", run)
        r.electd.wait_released()
        check(not lan.running(run.pid), "%s still runs", run)


# ---- with the real electd ----------------------------------------------------------------------------


def freeze(host):
    host.process.send_signal(signal.SIGSTOP)
    return QUICK_DEAD_AFTER + LATE


def resign(host):
    host.resign(2)
    return LATE


def kill(host):
    """The thread that the disk holds up keeps the process, and its sockets: electd is silent."""
    host.process.kill()
    return QUICK_DEAD_AFTER + LATE


def pull(host):
    """The host's own end of its link loses the carrier."""
    lan.run("ip", "link", "set", host.port, "down")
    return QUICK_DEAD_AFTER + LATE


def both_disks():
    """The disk of electd hangs, and that of electd-hookd from STARTED on."""
    took = []
    for cause in (freeze, resign, kill, pull):
        with World(2, QUICK) as w:
            old, _ = w.leader()
            hooks = w.others(old)[0]
            with Delayed(hooks.host.process.pid, SYNCS), \
                    Delayed(hooks.process.pid, SYNCS, after=1):
                at = old.resign(1)
                hooks.wait_event("leader", at)
                at = lan.now()
                bound = cause(hooks.host)
                run = hooks.wait("its demotion", lambda r: r.event in DEMOTIONS and
                                 r.begin > at and r.name == FIRST)
                late = run.begin - at - bound
                check(late <= 0, "%s: the demotion begins %.3f s too late", cause.__name__, late)
                took.append(late + LATE)
                if cause is freeze:
                    hooks.host.process.send_signal(signal.SIGCONT)
                hooks.wait_event(run.event, at)
            if cause is kill:
                hooks.host.kill()
            hooked.judge(w.hooked)
    return "beyond the cause, or dead_after: " + report.statistics(took)


def hangs(result):
    """All of it."""
    result.attempt("a hanging disk: the promotion is in force", in_force)
    result.attempt("a hanging disk: the promotion is not on the disk", not_begun)
    result.attempt("a hanging disk: the demotion is over", ended)
    result.attempt("a hanging disk below electd, too", both_disks)
    result.attempt("a hanging folder of hooks", folder)
    result.attempt("a script that hangs", script)
