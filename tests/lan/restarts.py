#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""State folders on a read-only disk, and a folder that two daemons use: what the daemons do, and
what `check` reports.

booted/service.py shows how often systemd starts them; tests/unit/hookd/test_aside.c and
test_phase.c show folders that are damaged otherwise."""
import contextlib
import os
import socket

import hooked
import lan
import report
from hooked import DEMOTIONS, FIRST, SECOND, check

# yield_timeout: `check` tolerates the absence of electd-hookd for so many milliseconds.
CONFIG = hooked.QUICK.replace("};", "yield_timeout_ms = 3000; };")
READ_ONLY = "Read-only file system"


class Manager:
    """Collects the reports of a daemon to its service manager."""

    def __init__(self, folder):
        self.path, self.words = folder + "/notify", ""
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.setblocking(False)
        self.socket.bind(self.path)

    def told(self, words):
        with contextlib.suppress(BlockingIOError):
            while True:
                self.words += self.socket.recv(65536).decode() + "\n"
        return words in self.words


def disk(folder, how):
    """Mounts a disk of its own there ("new"), or makes it read-only ("ro") or writable ("rw")."""
    if how in ("ro", "rw"):
        lan.run("mount", "-o", "remount," + how, folder)
        return
    os.makedirs(folder, exist_ok=True)
    lan.run("mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "none", folder)


def electd():
    """electd reports the reason to systemd, does not run without its state, and ends with a
    failure, so that systemd starts it again. Then it leads."""
    with lan.Lan(1, CONFIG) as net:
        host, manager = net.hosts[0], Manager(net.dir)
        disk(host.state_dir, "new")
        disk(host.state_dir, "ro")
        os.environ["NOTIFY_SOCKET"] = manager.path
        host.start()
        del os.environ["NOTIFY_SOCKET"]
        lan.until("systemd gets the reason", lambda: manager.told(
            "STATUS=the state folder cannot be used"))
        status = host.process.wait(lan.PATIENCE)
        check(status > 0 and READ_ONLY in host.log(), "its end: %s, %s", status, host.log())
        check(not host.view and not manager.told("READY=1"), "it runs without its state")
        net.gone(host)
        host.process = None
        disk(host.state_dir, "rw")
        host.start()
        net.settle()
        host.stop()
        lan.run("umount", host.state_dir)


@contextlib.contextmanager
def leader():
    """A lone leader, with an electd-hookd that is not started yet, on a disk of its own."""
    with lan.Lan(1, CONFIG) as net:
        net.start()
        net.settle()
        hooks = hooked.Hooked(net.hosts[0])
        disk(hooks.state_dir, "new")
        try:
            yield net.hosts[0], hooks
        except report.Failed:
            print(hooks.log()[-2000:])
            raise
        finally:
            if hooks.process:
                hooks.process.kill()
                hooks.process.wait()
            lan.run("umount", "-l", hooks.state_dir, check=False)
            hooks.forget()


def checked(host, words):
    """Whether `check` reports these words, with exit status 6."""
    done = host.electctl("check")
    return done.returncode == 6 and words in " ".join((done.stdout + done.stderr).split())


def well(host):
    return host.electctl("check").returncode == 0


def hookd_aside():
    """electd-hookd is ready and takes no part, as `check` and `doctor` report. When the disk can be
    written, it promotes."""
    with leader() as (host, hooks):
        manager = Manager(host.dir)
        disk(hooks.state_dir, "ro")
        hooks.start(NOTIFY_SOCKET=manager.path)
        for words in "READY=1", "STATUS=takes no part: ":
            lan.until("systemd gets " + words, lambda words=words: manager.told(words))
        lan.until("check says why", lambda: checked(host, "hookd-missing: ") and
                  checked(host, READ_ONLY))
        doctor = host.electctl("doctor").stdout
        check("systemctl status electd-hookd" in doctor, "doctor: %s", doctor)
        check(not hooks.runs() and hooks.process.poll() is None, "scripts: %s", hooks.runs())
        at = lan.now()
        disk(hooks.state_dir, "rw")
        hooks.wait_event("leader", at)
        lan.until("check finds nothing", lambda: well(host))
        check(hooks.end() == 0, "it does not end well")


def owed():
    """electd-hookd is killed as leader, and then its disk is read-only: the command that systemd
    runs after it plays the demotion all the same. The next electd-hookd promotes when it can write
    that down."""
    with leader() as (host, hooks):
        hooks.start()
        led = hooks.wait_event("leader")
        hooks.end(hooked.signal.SIGKILL)
        disk(hooks.state_dir, "ro")     # which is refused while its file is open
        at = lan.now()
        hooks.start("--owed", SERVICE_RESULT="signal", EXIT_STATUS="KILL")
        hooks.process.wait(lan.PATIENCE)
        hooks.process = None
        demotions = [r for r in hooks.events(SECOND) if r.begin > at and r.event in DEMOTIONS]
        check(demotions and demotions[0].token == led.token, "demoted is %s, not %s", demotions,
              led)
        hooks.start()
        lan.until("check says why", lambda: checked(host, READ_ONLY))
        check(not [r for r in hooks.events(FIRST) if r.begin > at and r.event == "leader"],
              "it is promoted without a record")
        disk(hooks.state_dir, "rw")
        hooks.wait_event("leader", at)


def second_waits():
    """Of two electd-hookds with one folder, the second waits for the end of the first."""
    with leader() as (host, hooks):
        hooks.start()
        hooks.wait_event("leader")
        first, hooks.process = hooks.process, None
        manager = Manager(host.dir)
        hooks.start(NOTIFY_SOCKET=manager.path)
        lan.until("the second one waits", lambda: manager.told("another electd-hookd has it"))
        at = lan.now()
        first.terminate()
        check(first.wait(lan.PATIENCE) == 0, "its end: %s", first.returncode)
        hooks.wait_event("leader", at)


def main():
    lan.setup()
    hooked.setup()
    result = report.Report()
    result.attempt("electd on a read-only disk", electd)
    result.attempt("electd-hookd on a read-only disk", hookd_aside)
    result.attempt("a demotion that is owed on a read-only disk", owed)
    result.attempt("a second electd-hookd", second_waits)
    result.exit()


if __name__ == "__main__":
    main()
