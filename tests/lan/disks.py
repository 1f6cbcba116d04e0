#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Disks that fail under a running electd: gone, restored, full, read-only, slow.

disks.py [SECONDS] (default 4: how long a slow disk takes for one sync). Whatever the disk does, the
host follows, the election does not wait, nothing is used twice, one line and `status` say what is
wrong, and it is over when the disk is well again. Single saves: diskfaults.sh.
"""
import os
import shutil
import sys
import time

import lan
import report
from report import Failed

HOSTS = 3
NOTICED = 6.0  # a look is made every two seconds; then something must be tried and told
NOT_SAVED = "state file cannot be written"
SILENT = "does not answer"
OLDER = "the state folder holds an older copy"
DEGRADED = 6    # electctl check


def status(host):
    return host.call("io.electd.GetStatus")


def problem(host, words):
    return any(words in text for text in status(host)["health"]["problems"])


def until(what, condition, timeout=NOTICED):
    end = lan.now() + timeout
    while not condition():
        if lan.now() > end:
            raise Failed("not within %.0f s: %s" % (timeout, what))
        time.sleep(0.05)


def said(host, words, mark):
    return sum(words in line for line in host.log().splitlines()[mark:])


def lines(host):
    return len(host.log().splitlines())


def restarted(net, host, before):
    """Killed and started again: what it remembers went on from there."""
    token = int(before["token"])
    others = [h for h in net.hosts if h is not host]
    host.kill()
    host.start()
    net.settle()
    after = status(host)
    if int(after["node"]["incarnation"]) <= int(before["node"]["incarnation"]):
        raise Failed("incarnation %s again" % after["node"]["incarnation"])
    # Alone, so that nobody tells it which numbers are used.
    for other in others:
        other.kill()
    net.wait("it leads alone", lambda: host.view and host.view["role"] == "leader")
    if int(status(host)["token"]) <= token:
        raise Failed("token %s after %d" % (status(host)["token"], token))
    if problem(host, "without its state"):
        raise Failed("the state was lost")
    for other in others:
        other.start()
    net.settle()


def anew(net, host, action):
    """What is done to the folder is noticed, mended, told once; nothing is elected for it."""
    mark, changes = lines(host), net.mark()
    before = status(host)
    action(host)
    until("made anew", lambda: said(host, "made anew", mark))
    time.sleep(0.5)
    led = [e for _, _, e in net.since(changes) if e["event"] in ("leader", "follower", "none")]
    if said(host, "made anew", mark) != 1 or led:
        raise Failed("told %d times, %d changes" % (said(host, "made anew", mark), len(led)))
    restarted(net, host, before)


def remove_folder(host):
    shutil.rmtree(host.state_dir)


def remove_file(host):
    os.unlink(host.state_dir + "/state")


def put_back(host):
    """A copy of long ago, as a backup brings it: another file of that name."""
    shutil.copy(host.dir + "/old", host.state_dir + "/restored")
    os.rename(host.state_dir + "/restored", host.state_dir + "/state")


def write_back(host):
    """The same, written over the file that is there."""
    shutil.copyfile(host.dir + "/old", host.state_dir + "/state")


def old_copy(net, host, action):
    shutil.copy(host.state_dir + "/state", host.dir + "/old")
    # Numbers are used that the copy does not know.
    for _ in range(2):
        host.kill()
        host.start()
        net.settle()
    anew(net, host, action)


def old_copy_while_stopped(net, host):
    """This host cannot notice it; the others know of its later starts, and tell it."""
    shutil.copy(host.state_dir + "/state", host.dir + "/old")
    for _ in range(3):
        host.kill()
        host.start()
        net.settle()
    if problem(host, OLDER):
        raise Failed("it is told of an older copy where there is none")
    host.stop()
    put_back(host)
    host.start()
    net.settle()
    until("it is told", lambda: problem(host, OLDER))
    check = host.electctl("check")
    if check.returncode != DEGRADED or OLDER not in " ".join(check.stdout.split()):
        raise Failed("check: %d %s" % (check.returncode, check.stdout))
    if any(problem(other, OLDER) for other in net.hosts if other is not host):
        raise Failed("another host is told so, too")


def fill(path, piece):
    with open(path, "wb", buffering=0) as f:
        try:
            while True:
                f.write(b"x" * piece)
        except OSError:
            pass


def full(net, host):
    """No room to make the file anew: follows until there is."""
    host.kill()
    lan.run("mount", "-t", "tmpfs", "-o", "size=64k", "small", host.state_dir)
    host.start()
    net.settle()
    mark = lines(host)
    fill(host.state_dir + "/ballast", 4096)
    os.unlink(host.state_dir + "/state")
    fill(host.state_dir + "/more", 512)
    until("told in status", lambda: problem(host, NOT_SAVED))
    net.wait("somebody else leads", lambda: net.led() and net.leader() is not host)
    time.sleep(3)
    if said(host, "No space left", mark) != 1:
        raise Failed("told %d times" % said(host, "No space left", mark))
    os.unlink(host.state_dir + "/ballast")
    until("well again", lambda: not problem(host, NOT_SAVED))
    if said(host, "written again", mark) != 1:
        raise Failed("its end is not told once")
    host.stop()
    lan.run("umount", host.state_dir)
    host.start()
    net.settle()


def read_only(net, host):
    """Every write is refused from the first one on: this host follows only."""
    host.stop()
    mark = lines(host)
    host.start(wrapper=["strace", "-f", "-qq", "-o", "/dev/null", "-P", host.state_dir + "/state",
                        "-e", "trace=pwrite64", "-e", "inject=pwrite64:error=EROFS"])
    net.settle()
    until("told in status", lambda: problem(host, NOT_SAVED))
    if said(host, "Read-only file system", mark) != 1:
        raise Failed("told %d times" % said(host, "Read-only file system", mark))
    others = [h for h in net.hosts if h is not host]
    seen = net.mark()
    for other in others:
        other.kill()
    time.sleep(5)
    if any(name == host.name for name, _ in net.leaders_since(seen)):
        raise Failed("it leads")
    for other in others:
        other.start()
    net.settle()
    stop_traced(host)
    host.start()
    net.settle()


def stop_traced(host):
    """strace passes a SIGTERM of its own on to nobody: the daemon itself is told."""
    for pid in lan.run("pgrep", "-P", str(host.process.pid)).stdout.split():
        os.kill(int(pid), 15)
    host.lan.gone(host)
    host.process.wait(20)
    host.process = None


def slow(net, host, seconds):
    """A sync takes so long. The host follows meanwhile and does not lead on what is not saved."""
    host.stop()
    mark, begin = lines(host), lan.now()
    host.start(wrapper=["strace", "-f", "-qq", "-o", "/dev/null", "-P", host.state_dir + "/state",
                        "-e", "trace=fdatasync", "-e",
                        "inject=fdatasync:delay_enter=%d" % (seconds * 1000000)])
    net.wait("it follows", lambda: net.led() and host.view["role"] == "follower")
    if lan.now() - begin > 3:
        raise Failed("it follows after %.1f s only" % (lan.now() - begin))
    until("told in status", lambda: problem(host, SILENT), seconds)
    if said(host, SILENT, mark) != 1:
        raise Failed("told %d times" % said(host, SILENT, mark))
    seen = net.mark()
    others = [h for h in net.hosts if h is not host]
    for other in others:
        other.kill()
    # What was reserved may be used when two saves are through (algorithm.md 4.7).
    while lan.now() < begin + 2 * seconds:
        if any(name == host.name for name, _ in net.leaders_since(seen)):
            raise Failed("it leads %.1f s after its start" % (lan.now() - begin))
        time.sleep(0.05)
    net.wait("it leads", lambda: host.view and host.view["role"] == "leader", 3 * seconds + 5)
    for other in others:
        other.start()
    net.settle()
    stop_traced(host)
    host.start()
    net.settle()


def forgotten(net, host):
    """The folder goes while electd is off: it cannot know that, but nothing is given twice."""
    others = [h for h in net.hosts if h is not host]
    for other in others:
        other.stop()
    tokens = []
    for _ in range(4):
        host.stop()
        shutil.rmtree(host.state_dir)
        host.start()
        net.wait("it leads alone", lambda: host.view and host.view["role"] == "leader")
        tokens.append(host.token())
    for other in others:
        other.start()
    net.settle()
    if len(set(tokens)) != len(tokens):
        raise Failed("a token twice: %s" % tokens)


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    result = report.Report()
    lan.setup()
    with lan.Lan(HOSTS) as net:
        net.start()
        net.settle()
        # First: no host has lost its state yet.
        result.attempt("old copy put back while it is stopped", old_copy_while_stopped, net,
                       net.leader())
        result.attempt("folder removed", anew, net, net.leader(), remove_folder)
        result.attempt("file removed", anew, net, net.leader(), remove_file)
        result.attempt("old copy put back", old_copy, net, net.leader(), put_back)
        result.attempt("old copy written over", old_copy, net, net.leader(), write_back)
        result.attempt("folder gone at the start", forgotten, net, net.leader())
        result.attempt("full", full, net, net.leader())
        if shutil.which("strace"):
            result.attempt("read-only", read_only, net, net.leader())
            result.attempt("slow", slow, net, net.leader(), seconds)
    result.exit()


if __name__ == "__main__":
    main()
