#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""State folders that cannot be used, on a booted host: how often systemd starts the daemons.

restarts.py [SECONDS] (default 30: for so long starts are counted). The folders are on a disk of their
own, which is read-only, or where a folder has the place of a file. ../restarts.py has the rest.
"""
import sys
import time

import hosts
from hosts import APP, Failed, now, until
import report
import story

CONFIG = "timing = { yield_timeout_ms = 3000; };\n"
# Between two starts of electd: its rest of 10 s, and RestartSec=.
ELECTD_PAUSE = 11.0
# Between two attempts of electd-hookd, and the time in which it promotes.
HOOKD_SLOW = 2.0 + 5.0


def check(condition, words, *values):
    if not condition:
        raise Failed(words % values if values else words)


class Folder:
    """A disk in the place of a state folder, while the service is stopped."""

    def __init__(self, host, service, path, user="root"):
        self.host, self.service, self.path = host, service, path
        host.systemctl("stop", service)
        host.run("mkdir", "-p", path)
        host.run("mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "none", path)
        host.run("chown", user + ":", path)

    def becomes(self, how):
        self.host.run("mount", "-o", "remount," + how, self.path)

    def starts(self, seconds):
        """Starts in that time, and lines in the journal about the unit."""
        time.sleep(1)  # journalctl --since takes whole seconds
        at = int(time.time())
        self.host.systemctl("start", "--no-block", self.service)
        time.sleep(seconds)
        lines = self.host.run("journalctl", "-q", "-u", self.service, "--since",
                              "@%d" % at, "-o", "cat").stdout.splitlines()
        starts = sum(line.startswith("Starting ") for line in lines)
        words = "%d start%s and %d lines in %.0f s" % (
            starts, "s" * (starts != 1), len(lines), seconds)
        print("%s: %s" % (self.service, words), flush=True)
        return starts, words

    def says(self, words):
        """In `systemctl status`."""
        return words in self.host.systemctl("show", "-P", "StatusText", self.service).stdout

    def removed(self):
        self.host.systemctl("stop", self.service)
        self.host.run("umount", "-l", self.path)
        self.host.systemctl("start", self.service)


def is_told(host, words):
    done = host.electctl("check", check=False)
    return done.returncode == 6 and "hookd-missing" in done.stdout and \
        words in " ".join(done.stdout.split())


def hookd(host, seconds, damage, mend, why):
    folder = Folder(host, "electd-hookd", "/var/lib/electd-hookd")
    damage(folder)
    starts, words = folder.starts(seconds)
    check(starts == 1, "%s", words)
    check(folder.says("takes no part: "), "systemctl status does not say why")
    check(host.state("electd-hookd") == "active", "it is %s", host.state("electd-hookd"))
    check(host.leads() and host.state(APP) != "active", "it leads, and %s runs", APP)
    until("check says why", lambda: is_told(host, why))
    at = now()
    mend(folder)
    until("%s runs" % APP, lambda: host.state(APP) == "active", HOOKD_SLOW)
    took = now() - at
    until("check finds nothing", lambda: not host.electctl("check", check=False).returncode)
    folder.removed()
    return "%s; %s runs %.1f s after the folder can be used" % (words, APP, took)


def electd(host, seconds):
    folder = Folder(host, "electd", "/var/lib/electd", user="electd")
    folder.becomes("ro")
    starts, words = folder.starts(seconds)
    check(starts <= 1 + seconds / ELECTD_PAUSE, "%s", words)
    at = now()
    folder.becomes("rw")
    until("it leads", host.leads, ELECTD_PAUSE + hosts.PATIENCE)
    took = now() - at
    folder.removed()
    return "%s; it leads %.1f s after the folder can be written" % (words, took)


def wrong_options(host, seconds):
    host.write("/etc/systemd/system/electd-hookd.service.d/wrong.conf",
               "[Service]\nExecStart=\nExecStart=/usr/local/sbin/electd-hookd --wrong\n")
    host.systemctl("daemon-reload")
    folder = Folder(host, "electd-hookd", "/var/lib/electd-hookd")
    starts, words = folder.starts(seconds)
    check(starts == 1, "%s", words)
    until("check says why", lambda: is_told(host, "it has ended: exit-code, 78"))
    host.run("rm", "-r", "/etc/systemd/system/electd-hookd.service.d")
    host.systemctl("daemon-reload")
    folder.removed()
    until("check finds nothing", lambda: not host.electctl("check", check=False).returncode)
    return words


def masked(host):
    """On purpose, and electd restarted, as electctl(1) says."""
    host.systemctl("mask", "--now", "electd-hookd")
    host.systemctl("restart", "electd")
    until("it leads", host.leads)
    time.sleep(4)
    done = host.electctl("check", check=False)
    check(done.returncode == 0, "check: %s", done.stdout)


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 30
    result = report.Report()
    hosts.setup()
    with hosts.Lan(1) as lan:
        host = lan.hosts[0]
        story.Story(lan).start(CONFIG)
        result.attempt("electd-hookd on a read-only disk", hookd, host, seconds,
                       lambda folder: folder.becomes("ro"), lambda folder: folder.becomes("rw"),
                       "Read-only file system")
        result.attempt("electd-hookd with a damaged folder", hookd, host, seconds,
                       lambda folder: host.run("mkdir", folder.path + "/phase"),
                       lambda folder: host.run("rmdir", folder.path + "/phase"),
                       "Is a directory")
        result.attempt("electd-hookd with wrong options", wrong_options, host, seconds / 3)
        result.attempt("electd on a read-only disk", electd, host, seconds)
        result.attempt("electd-hookd masked", masked, host)
    result.exit()


if __name__ == "__main__":
    main()
