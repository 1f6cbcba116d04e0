#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The services of electd as systemd runs them: priorities, kept sockets, folders that cannot be used.

service.py: two booted hosts; the second is a container that may set neither a nice value nor an OOM
score below 0. While electd is started anew, or was killed, its sockets stay with systemd, and another
user who tries all the time gets no port of it; if that user has the port before electd comes, both are
named. Daemons whose folder is read-only say why, and work once it is not.
"""
import contextlib
import ctypes
import errno
import functools
import os
import signal
import socket
import subprocess

import hosts
from hosts import APP, check, until
import report
import story

NICE, OOM_SCORE, COPY_MORE = -10, -900, 100     # electd.service; OOM_SCORE_MORE in node/copy.c
CPU_WEIGHT, MEMORY_MIN = 1000, 16 << 20
WITHOUT = "--drop-capability=CAP_SYS_NICE,CAP_SYS_RESOURCE"
GROUP, OWN = 7543, 7544
# Every port of its own is wanted by the stranger: one is enough.
CONFIG = 'timing = { yield_timeout_ms = 3000; };\nnetwork = { unicast_ports = "%d-%d"; };\n' % (OWN, OWN)
NOBODY = 65534
CLONE_NEWNET = 0x40000000


def expect(what, has, wanted):
    check(has == wanted, "%s: %s, not %s", what, has, wanted)


# ---- priorities ----------------------------------------------------------------------------------

def nice_and_oom_score(pid):
    with open("/proc/%d/oom_score_adj" % pid, encoding="utf-8") as f:
        return os.getpriority(os.PRIO_PROCESS, pid), int(f.read())


def copy_of(host):
    """The leader's copy, None while there is none."""
    group = host.systemctl("show", "-P", "ControlGroup", "electd").stdout.strip()
    with open("%s/payload%s/cgroup.procs" % (host.group, group), encoding="utf-8") as f:
        return next((int(pid) for pid in f.read().split() if hosts.name_of(pid) == "electd-will"), None)


def priorities(able, unable):
    """electd and its copy have what the unit says, and electd-hookd, whose scripts inherit all that it
    has, has nothing of it. This machine may let no service lower its OOM score."""
    lowers = not subprocess.run(["sh", "-c", "echo %d >/proc/self/oom_score_adj" % OOM_SCORE],
                                stderr=subprocess.DEVNULL, check=False).returncode
    score = OOM_SCORE if lowers else 0
    expect("electd", nice_and_oom_score(able.main_pid("electd")), (NICE, score))
    expect("electd-hookd", nice_and_oom_score(able.main_pid("electd-hookd")), (0, 0))
    show = able.systemctl("show", "-P", "CPUWeight", "-P", "MemoryMin", "electd").stdout.split()
    expect("CPUWeight= and MemoryMin=", sorted(map(int, show)), [CPU_WEIGHT, MEMORY_MIN])
    expect("electd without the capabilities", nice_and_oom_score(unable.main_pid("electd")), (0, 0))
    unable.electctl("hold", "on")
    until("%s leads" % able.name, able.leads)
    unable.electctl("hold", "off")
    expect("electd-will", nice_and_oom_score(until("a copy", lambda: copy_of(able))),
           (NICE, score + COPY_MORE))
    return "OOM score %d" % score


# ---- ports ---------------------------------------------------------------------------------------

class Stranger:
    """A process of user nobody in the network of a host, which tries all the time to get one of these
    ports, and says which it has got."""

    def __init__(self, host, *ports):
        self.read, write = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                with open("/proc/%d/ns/net" % host.leader) as there:
                    if ctypes.CDLL(None).setns(there.fileno(), CLONE_NEWNET):
                        os._exit(1)
                os.setgroups([])
                os.setresgid(NOBODY, NOBODY, NOBODY)
                os.setresuid(NOBODY, NOBODY, NOBODY)
                os.write(write, b"tries\n")
                while True:
                    for port in ports:
                        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                        if self.bound(s, port):
                            os.write(write, b"%d\n" % port)
                            signal.pause()
                        s.close()
            finally:
                os._exit(1)
        os.close(write)
        expect("the stranger", os.read(self.read, len(b"tries\n")), b"tries\n")

    @staticmethod
    def bound(s, port):
        try:
            s.bind(("", port))
        except OSError as error:
            return error.errno != errno.EADDRINUSE
        return True

    def end(self):
        """Which port it had, or ""."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        with os.fdopen(self.read) as f:
            return f.read()


def inodes(host, unit="electd"):
    """Of the UDP sockets of its electd: {port: inode}."""
    pid = until("%s runs" % unit, lambda: host.main_pid(unit))
    mine = set()
    for name in os.listdir("/proc/%d/fd" % pid):
        with contextlib.suppress(FileNotFoundError):    # closed since
            mine.add(os.readlink("/proc/%d/fd/%s" % (pid, name)))
    with open("/proc/%d/net/udp" % pid) as f:
        rows = [line.split() for line in list(f)[1:]]
    return {int(words[1].split(":")[1], 16): words[9] for words in rows
            if "socket:[%s]" % words[9] in mine}


def kept(host, how):
    """The same sockets, and nobody else gets a port, while electd becomes another process."""
    before, old = inodes(host), host.main_pid("electd")
    expect("ports", sorted(before), [GROUP, OWN])
    stranger = Stranger(host, GROUP, OWN)
    try:
        how(host)
        until("another electd answers",
              lambda: host.main_pid("electd") not in (None, old) and host.ask())
        after = inodes(host)
    finally:
        got = stranger.end()
    expect("what somebody else got", got, "")
    expect("sockets", after, before)


def instances(host):
    """Two elections on one host: each keeps a socket of its own for the port of the group."""
    host.write("/etc/electd/other.conf",
               'network = { unicast_ports = "%d-%d"; };\n' % ((OWN + 1,) * 2))
    host.systemctl("start", "electd@other")
    until("the other one answers", lambda: host.ask(domain="other"))
    before = inodes(host), inodes(host, "electd@other")
    check(before[0][GROUP] != before[1][GROUP], "not a socket each for the group: %s", before)
    for unit in "electd", "electd@other":
        host.systemctl("restart", unit)
    expect("sockets", (inodes(host), inodes(host, "electd@other")), before)
    host.systemctl("stop", "electd@other")


def taken(host, port):
    """By a stranger who is named; and as soon as it is free, electd runs."""
    host.systemctl("stop", "electd")
    cursor = host.journal("-n", "1")[-1]["__CURSOR"]
    stranger = Stranger(host, port)
    try:
        expect("the stranger", os.read(stranger.read, 100), b"%d\n" % port)
        host.systemctl("--no-block", "start", "electd")
        words = "%d is taken by a process of user nobody" % port
        until("it says: %s" % words, lambda: any(
            words in str(e.get("MESSAGE")) for e in host.journal("--after-cursor", cursor)))
    finally:
        stranger.end()
    until("it runs", host.ask)


# ---- folders -------------------------------------------------------------------------------------

def is_told(host, words):
    done = host.electctl("check", check=False)
    return done.returncode == 6 and "hookd-missing" in done.stdout and \
        words in " ".join(done.stdout.split())


def on_a_disk(host, service, path, user):
    """An own disk, read-only, in the place of a state folder; the service is started there."""
    host.systemctl("stop", service)
    host.run("mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "none", path)
    host.run("chown", user + ":", path)
    host.run("mount", "-o", "remount,ro", path)
    host.systemctl("start", "--no-block", service)


def starts(host, service):
    return int(host.systemctl("show", "-P", "NRestarts", service).stdout)


def hookd_read_only(host):
    """It runs, says why it does nothing, and is not started again and again."""
    path = "/var/lib/electd-hookd"
    on_a_disk(host, "electd-hookd", path, "root")
    until("check says why", lambda: is_told(host, "Read-only file system"))
    check("takes no part: " in host.systemctl("show", "-P", "StatusText", "electd-hookd").stdout,
          "systemctl status does not say why")
    check(host.leads() and host.state(APP) != "active", "%s runs", APP)
    host.run("mount", "-o", "remount,rw", path)
    until("%s runs" % APP, lambda: host.state(APP) == "active")
    until("check finds nothing", lambda: not host.electctl("check", check=False).returncode)
    expect("restarts", starts(host, "electd-hookd"), 0)


def hookd_wrong_options(host):
    """systemd gives it up at once, and check says why."""
    drop_in = "/etc/systemd/system/electd-hookd.service.d"
    host.write(drop_in + "/wrong.conf",
               "[Service]\nExecStart=\nExecStart=/usr/local/sbin/electd-hookd --wrong\n")
    host.systemctl("daemon-reload")
    host.systemctl("restart", "electd-hookd", check=False)
    until("check says why", lambda: is_told(host, "it has ended: exit-code, 78"))
    expect("restarts", starts(host, "electd-hookd"), 0)
    host.run("rm", "-r", drop_in)
    host.systemctl("daemon-reload")
    host.systemctl("start", "electd-hookd")
    until("check finds nothing", lambda: not host.electctl("check", check=False).returncode)


def electd_read_only(host):
    """systemd starts it again until it works."""
    on_a_disk(host, "electd", "/var/lib/electd", "electd")
    until("it was started again", lambda: starts(host, "electd"))
    host.run("mount", "-o", "remount,rw", "/var/lib/electd")
    until("it leads or follows", lambda: (host.ask() or {}).get("leader"))


def hookd_masked(host):
    """On purpose, and electd restarted, as electctl(1) says: then check is content."""
    host.systemctl("mask", "--now", "electd-hookd")
    host.systemctl("restart", "electd")
    until("it answers", host.ask)
    until("check finds nothing", lambda: not host.electctl("check", check=False).returncode)


def main():
    result = report.Report()
    hosts.setup()
    with hosts.Lan(2) as lan:
        able, unable = lan.hosts
        unable.boot = functools.partial(unable.boot, WITHOUT)
        story.Story(lan).start(CONFIG)
        result.attempt("priorities", priorities, able, unable)
        unable.systemctl("stop", "electd")
        result.attempt("restarted", kept, able, lambda h: h.systemctl("restart", "electd"))
        result.attempt("killed", kept, able, lambda h: h.kill("electd"))
        result.attempt("two instances", instances, able)
        for port in GROUP, OWN:
            result.attempt("port %d taken" % port, taken, able, port)
        until("it leads", able.leads)
        result.attempt("electd-hookd on a read-only disk", hookd_read_only, able)
        result.attempt("electd-hookd with wrong options", hookd_wrong_options, able)
        result.attempt("electd on a read-only disk", electd_read_only, able)
        result.attempt("electd-hookd masked", hookd_masked, able)
    result.exit()


if __name__ == "__main__":
    main()
