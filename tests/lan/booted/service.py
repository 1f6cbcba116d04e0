#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The services of electd under systemd: priorities, kept sockets, folders that cannot be used.

service.py: two booted hosts; the second is a container that may set neither a nice value nor an OOM
score below 0. While electd restarts, or after it was killed, its sockets stay with systemd, so a
process of another user that constantly tries gets no port of it. If that process has the port
before electd starts, electd names the process and its user. Daemons whose folder is read-only
report the reason, and work once it is writable."""
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
# The other process wants every port of electd's own, so there is only one.
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
    group = host.systemctl("show", "-P", "ControlGroup", "electd").stdout.strip()
    with open("%s/payload%s/cgroup.procs" % (host.group, group), encoding="utf-8") as f:
        return next((int(pid) for pid in f.read().split() if hosts.name_of(pid) == "electd-will"), None)


def priorities(able, unable):
    """electd and its copy have the priorities of the unit. electd-hookd, whose scripts inherit its
    own, has the normal ones. This machine may let no service lower its OOM score."""
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
    """A process of user nobody in the network of a host, which constantly tries to bind one of
    these ports, and reports the one that it gets."""

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
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        with os.fdopen(self.read) as f:
            return f.read()


def inodes(host, unit="electd"):
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
    """While electd is replaced, the sockets stay, and no other user gets a port."""
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
    """The port is taken: electd names the process and user, and runs once it is free."""
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
    """Puts a read-only disk in the place of a state folder, and starts the service."""
    host.systemctl("stop", service)
    host.run("mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "none", path)
    host.run("chown", user + ":", path)
    host.run("mount", "-o", "remount,ro", path)
    host.systemctl("start", "--no-block", service)


def starts(host, service):
    return int(host.systemctl("show", "-P", "NRestarts", service).stdout)


def hookd_read_only(host):
    """electd-hookd runs, reports why it takes no part, and is not restarted again and again."""
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
    """systemd gives electd-hookd up at once, and check reports why."""
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
    """systemd restarts electd until it works."""
    on_a_disk(host, "electd", "/var/lib/electd", "electd")
    until("it was started again", lambda: starts(host, "electd"))
    host.run("mount", "-o", "remount,rw", "/var/lib/electd")
    until("it leads or follows", lambda: (host.ask() or {}).get("leader"))


def hookd_masked(host):
    """Masked, with electd restarted, as in electctl(1): then check reports nothing."""
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
