#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""State folders that are damaged or read-only: how often systemd would start the daemons, and what
`check` says meanwhile.

restarts.py [SECONDS] (default 24: for so long starts are counted). What systemd does is done here, as
the units say: Restart=, RestartSec=, RestartPreventExitStatus= and ExecStopPost=. UNITS names another
folder with units.
"""
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import hooked
import lan
import report
from hooked import DEMOTIONS, FIRST, SECOND, check

YIELD = 3.0
CONFIG = hooked.QUICK.replace("};", "yield_timeout_ms = %d; };" % (YIELD * 1000))
UNITS = os.environ.get("UNITS", os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                             "../../systemd"))
# electd rests for 10 s and systemd for 1 s between two starts; a loaded machine adds to it.
ELECTD_PAUSE = 11.0
# electd-hookd tries every 2 s.
HOOKD_PAUSE = 2.0
SLOW = 5.0


class Manager:
    """Starts a service again and again, as its unit says, and counts the starts."""

    def __init__(self, unit, begin, after=None):
        """begin(notify) gives a process; after(notify, environment) does what ExecStopPost= says."""
        with open(os.path.join(UNITS, unit + ".service.in")) as f:
            text = f.read()
        pause = re.search(r"^RestartSec=(\d+)(ms)?$", text, re.M)
        prevent = re.search(r"^RestartPreventExitStatus=(.*)$", text, re.M)
        self.pause = int(pause[1]) / (1000 if pause[2] else 1)
        self.prevent = {int(word) for word in prevent[1].split()} if prevent else set()
        self.always = "\nRestart=always\n" in text
        self.begin, self.after, self.stopping, self.starts = begin, after, False, 0
        self.process, self.words = None, []
        self.path = "/run/notify-%s-%d" % (unit, id(self))
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def read(self):
        while True:
            self.words += self.socket.recv(65536).decode().splitlines()

    def run(self):
        while not self.stopping:
            self.starts += 1
            self.process = self.begin(self.path)
            status = self.process.wait()
            if self.after and not self.stopping:
                self.after(self.path, ended(status))
            if status in self.prevent or not (status or self.always):
                return
            time.sleep(self.pause)

    def told(self, words):
        return any(words in line for line in self.words)

    def stop(self):
        """Its exit status, and how long its end took."""
        self.stopping = True
        at = lan.now()
        self.process.terminate()
        status = self.process.wait(lan.PATIENCE)
        self.thread.join(lan.PATIENCE)
        return status, lan.now() - at


def ended(status):
    """What systemd says of a process that has ended."""
    if status < 0:
        return {"SERVICE_RESULT": "signal", "EXIT_STATUS": signal.Signals(-status).name[3:]}
    return {"SERVICE_RESULT": "exit-code" if status else "success", "EXIT_STATUS": str(status)}


def disk(folder, how):
    """A disk of its own in that place; or the one there is made "ro" or "rw"."""
    if how in ("ro", "rw"):
        lan.run("mount", "-o", "remount," + how, folder)
        return
    os.makedirs(folder, exist_ok=True)
    lan.run("mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "none", folder)


def a_minute(starts, seconds):
    if starts == 1:
        return "1 start in %.0f s" % seconds
    return "%d starts in %.0f s, %.0f a minute" % (starts, seconds, starts * 60 / seconds)


# ---- electd --------------------------------------------------------------------------------------


def electd_on_a_read_only_disk(seconds):
    """It is started a few times a minute, and runs when the folder can be written."""
    with lan.Lan(1, CONFIG) as net:
        host = net.hosts[0]
        disk(host.state_dir, "new")
        disk(host.state_dir, "ro")

        def begin(notify):
            with open(os.path.join(host.dir, "log"), "a") as log:
                return subprocess.Popen(host.command(), stdin=subprocess.DEVNULL, stdout=log,
                                        stderr=log, env={**os.environ, "NOTIFY_SOCKET": notify})

        def runs():
            try:
                return host.ask("io.electd.GetStatus")[0] is None
            except OSError:
                return False

        manager = Manager("electd", begin)
        time.sleep(seconds)
        words = a_minute(manager.starts, seconds)
        print("electd, read-only:", words, flush=True)
        check(manager.starts <= 1 + seconds / ELECTD_PAUSE, "%s", words)
        check(not runs(), "it runs without its state")
        at = lan.now()
        disk(host.state_dir, "rw")
        lan.until("electd runs", runs, ELECTD_PAUSE + SLOW)
        took = lan.now() - at
        check(manager.told("STATUS=the state folder cannot be used"), "systemd is not told why: %s",
              manager.words)
        manager.stop()
        return "%s; it runs %.1f s after the folder can be written" % (words, took)


# ---- electd-hookd --------------------------------------------------------------------------------


class Leader:
    """A host that leads alone, and its electd-hookd as systemd runs it."""

    def __init__(self, *options):
        self.net = lan.Lan(1, CONFIG)
        self.net.start()
        self.net.settle()
        self.host = self.net.hosts[0]
        self.hooks = hooked.Hooked(self.host)
        self.options, self.manager = options, None

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind:
            print(self.hooks.log()[-2000:])
        if self.manager and self.manager.process.poll() is None:
            self.manager.stop()
        lan.run("umount", "-l", self.hooks.state_dir, check=False)
        self.net.__exit__(kind, value, trace)
        self.hooks.forget()

    def begin(self, notify, *more, **environment):
        self.hooks.process = None
        self.hooks.start(*more, NOTIFY_SOCKET=notify, **environment)
        return self.hooks.process

    def supervise(self):
        def after(notify, environment):
            self.begin(notify, "--owed", **environment).wait(lan.PATIENCE)

        self.manager = Manager("electd-hookd", lambda notify: self.begin(notify, *self.options),
                               after)

    def checked(self, words):
        """What `check` says has these words, and its exit status is 6."""
        done = self.host.electctl("check")
        text = " ".join((done.stdout + done.stderr).split())
        return done.returncode == 6 and words in text

    def well(self):
        return self.host.electctl("check").returncode == 0


def hookd_aside(seconds, damage, mend, why):
    """Started once; one line a minute; `check` says why; taken part when the folder is mended."""
    with Leader() as one:
        disk(one.hooks.state_dir, "new")
        damage(one.hooks.state_dir)
        one.supervise()
        time.sleep(seconds)
        words = a_minute(one.manager.starts, seconds)
        print("electd-hookd, %s: %s" % (why, words), flush=True)
        check(one.manager.starts == 1, "%s", words)
        lines = one.hooks.log().count("no part is taken")
        check(1 <= lines <= 1 + seconds / 60, "%d lines", lines)
        check(one.manager.told("READY=1") and one.manager.told("STATUS=takes no part: "),
              "systemd is told %s", one.manager.words)
        check(not [r for r in one.hooks.runs() if r.event == "leader"], "scripts run: %s",
              one.hooks.runs())
        lan.until("check says why", lambda: one.checked("hookd-missing: ") and one.checked(why))
        doctor = one.host.electctl("doctor").stdout
        check("systemctl status electd-hookd" in doctor, "doctor: %s", doctor)
        at = lan.now()
        mend(one.hooks.state_dir)
        run = one.hooks.wait_event("leader", at, timeout=HOOKD_PAUSE + SLOW)
        lan.until("check finds nothing", one.well)
        status, _ = one.manager.stop()
        check(status == 0, "its end: %s", status)
        return "%s; leader %.1f s after the folder can be used" % (words, run.begin - at)


def folder_in_its_place(folder):
    os.mkdir(os.path.join(folder, "phase"))


def no_folder_in_its_place(folder):
    os.rmdir(os.path.join(folder, "phase"))


def hookd_ends_at_once():
    """Told to end while it takes no part."""
    with Leader() as one:
        disk(one.hooks.state_dir, "new")
        folder_in_its_place(one.hooks.state_dir)
        one.supervise()
        lan.until("it takes no part", lambda: one.manager.told("STATUS=takes no part: "))
        status, took = one.manager.stop()
        check(status == 0 and took < 1, "status %s after %.1f s", status, took)
        return "after %.0f ms" % (took * 1000)


def owed_on_a_read_only_disk():
    """Killed as leader on a disk that is read-only then: the demotion is played all the same."""
    with Leader() as one:
        disk(one.hooks.state_dir, "new")
        one.supervise()
        led = one.hooks.wait_event("leader")
        lan.until("the promotion is over", lambda: one.host.call("io.electd.GetHealth")["leading"])
        after = one.manager.after

        def after_the_disk(notify, environment):
            disk(one.hooks.state_dir, "ro")  # which is refused while its file is open
            after(notify, environment)

        one.manager.after = after_the_disk
        at = lan.now()
        one.manager.process.kill()
        run = one.hooks.wait("its demotion", lambda r: r.event in DEMOTIONS and r.begin > at and
                             r.name == SECOND and r.end)
        check(run.token == led.token, "demoted is %s, not %s", run, led)
        lan.until("check says why", lambda: one.checked("Read-only file system"))
        check(not [r for r in one.hooks.events(FIRST) if r.begin > at and r.event == "leader"],
              "it is promoted without a record")
        disk(one.hooks.state_dir, "rw")
        one.hooks.wait_event("leader", at)
        return "after %.0f ms" % ((run.begin - at) * 1000)


def wrong_options(seconds):
    """Not started again, and `check` says so."""
    with Leader("--wrong") as one:
        one.supervise()
        time.sleep(seconds)
        words = a_minute(one.manager.starts, seconds)
        print("electd-hookd, wrong options:", words, flush=True)
        check(one.manager.starts == 1, "%s", words)
        lan.until("check says why", lambda: one.checked("it has ended: exit-code, 78"))
        return words


def killed_again_and_again(seconds):
    """systemd starts it after 100 ms as before, and no `check` in between says that it is missing."""
    with Leader() as one:
        one.supervise()
        one.hooks.wait_event("leader")
        end = lan.now() + seconds
        while lan.now() < end:
            at = lan.now()
            one.manager.process.kill()
            one.hooks.wait_event("leader", at)
            check(not one.checked("hookd-missing"), "one that is restarted is missing")
        return "%d kills" % (one.manager.starts - 1)


def none_is_none_missing():
    """Masked or not installed: electd has never seen one."""
    with Leader() as one:
        time.sleep(YIELD + 1)
        check(one.well(), "check: %s", one.host.electctl("check").stdout)


def second_waits():
    """Of two with one folder the second one waits for the end of the first."""
    with Leader() as one:
        one.supervise()
        one.hooks.wait_event("leader")
        first, one.manager.after = one.manager, None
        one.supervise()
        lan.until("the second one waits", lambda: one.manager.told("another electd-hookd has it"))
        at = lan.now()
        first.stop()
        one.hooks.wait_event("leader", at, timeout=HOOKD_PAUSE + SLOW)
        check(one.manager.starts == 1, "%d starts", one.manager.starts)


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 24
    lan.setup()
    hooked.setup()
    r = report.Report()
    r.attempt("electd on a read-only disk", electd_on_a_read_only_disk, seconds)
    r.attempt("electd-hookd on a read-only disk", hookd_aside, seconds,
              lambda folder: disk(folder, "ro"), lambda folder: disk(folder, "rw"),
              "Read-only file system")
    r.attempt("electd-hookd with a damaged folder", hookd_aside, seconds, folder_in_its_place,
              no_folder_in_its_place, "Is a directory")
    r.attempt("electd-hookd ends at once", hookd_ends_at_once)
    r.attempt("a demotion that is owed on a read-only disk", owed_on_a_read_only_disk)
    r.attempt("wrong options", wrong_options, seconds / 4)
    r.attempt("killed again and again", killed_again_and_again, seconds / 4)
    r.attempt("none is none missing", none_is_none_missing)
    r.attempt("a second one waits", second_waits)
    r.exit()


main()
