#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The state file on a real file system: a kill at each system call of a save, and disks that fail,
hang or are full, or whose folder is gone. `strace -e inject` makes calls fail, wait or kill.

disk.py: three hosts; the disk of the leader, or of a host that starts, fails.

disk.py saves (the area `disk`): single saves by store_saver.c, without root and network. After a
kill at any system call the next start must find the image before the save or the new one, never an
older state than the confirmed one, and never start anew silently. A kill is no power cut, so strace
also shows that a state was synced before it was confirmed.
"""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

import lan
import report
from report import Failed, Skipped

SAVER = os.path.join(lan.BUILDDIR, "tests/lan/store_saver")
SYNC_US = 4000000       # duration of a sync on a slow disk
HANG_US = 3 * 2000000   # more than STORE_CLOSE_MS
KILLS_LEAST = 40        # system calls of a start and a save

# ---- single saves --------------------------------------------------------------------------------


class Folder:
    """A state folder, and the store_saver that runs on it under strace."""

    def __init__(self, path):
        self.path = os.path.join(path, "state")
        self.state = os.path.join(self.path, "state")
        self.trace = os.path.join(path, "trace")

    def saver(self, *words, strace=()):
        traced = ["strace", "-f", "-o", self.trace, *strace] if strace else []
        done = subprocess.run([*traced, SAVER, self.path, *words], check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return " ".join(done.stdout.split())

    def prepare(self, before):
        """Prepares the folder: empty, image 5, or image 5 with both slots damaged."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.mkdir(self.path)
        if before == "nothing":
            return
        for number in "4", "5":
            self.saver("save", number)
        if before == "damaged":
            with open(self.state, "r+b") as f:
                for place in 100, 5000:
                    f.seek(place)
                    f.write(b"x" * 9)

    def faulty(self, injection, *words):
        """Saves 6 over 5, with a fault at calls for the state file."""
        self.prepare("five")
        return self.saver(*(words or ("save", "6")), strace=(
            "-P", self.state, "-e", "trace=pwrite64,fdatasync", "-e", "inject=" + injection))

    def calls(self):
        """Returns (process, call with its result) from strace. The two parts of a call that another
        thread interrupted are joined, at the place of its end."""
        begun = {}
        with open(self.trace) as f:
            for line in f:
                process, text = line.rstrip("\n").split(None, 1)
                if text.endswith("<unfinished ...>"):
                    begun[process] = text[:-len(" <unfinished ...>")]
                else:
                    yield process, re.sub(r"<\.\.\. .* resumed>", lambda _, p=process: begun[p], text)

    def steps(self):
        found = []
        for _, text in self.calls():
            step = re.match(r"pwrite64\(\d+, .*, (4096|8192), (\d+)\) += (-?\d+)", text)
            if step:
                found.append("write %s @%s" % (step[1] if step[3] != "-1" else "fails", step[2]))
            step = re.match(r"(fdatasync|fsync)\(\d+\) += (-?\d+)", text)
            if step:
                found.append("sync" if step[2] == "0" else "sync fails")
            if text.startswith("renameat("):
                found.append("rename")
            if text.startswith('write(1, "confirmed'):
                found.append("said")
        return ", ".join(found)


def matches(what, text, pattern):
    if not re.fullmatch(pattern, text):
        raise Failed('%s: "%s" and not "%s"' % (what, text, pattern))


# The expected result, by the content of the folder and the last output before the kill.
FOUND = {
    "nothing": (("confirmed", "6 whole"), ("found", "[06] whole( first| slot_bad)?"),
                ("", "0 whole( first)?")),
    "five": (("confirmed", "6 whole"), ("found", "[56] whole( slot_bad)?"), ("", "5 whole")),
    "damaged": (("confirmed", "6 whole lost"), ("found", "[06] whole lost"), ("", "0 whole lost")),
}


def killed_everywhere(folder, before):
    folder.prepare(before)
    matches("undisturbed", folder.saver("save", "6", strace=("-qq",)),
            "found .* handed over confirmed 6 closed 0")
    # `when` counts the calls of each thread.
    most = collections.Counter()
    for (name, _), count in collections.Counter(
            (text.split("(", 1)[0], process) for process, text in folder.calls()
            if re.match(r"\w+\(", text)).items():
        most[name] = max(most[name], count)
    kills = 0
    for name, count in most.items():
        for number in range(1, count + 1) if name not in ("execve", "exit", "exit_group") else ():
            where = "killed at %s %d" % (name, number)
            folder.prepare(before)
            said = folder.saver("save", "6", strace=(
                "-e", "inject=%s:signal=KILL:when=%d" % (name, number)))
            if not any("killed by SIGKILL" in text for _, text in folder.calls()):
                continue
            kills += 1
            pattern = next(found for word, found in FOUND[before] if word in said)
            matches(where, folder.saver("load"), "found %s closed 0" % pattern)
            matches(where + ", then a save", folder.saver("save", "7"),
                    "found .* handed over confirmed 7 closed 0")
    if kills < KILLS_LEAST:
        raise Failed("only %d kills" % kills)
    return "%d system calls" % kills


def synced_before_confirmed(folder):
    """The first start writes both slots, then renames the file; saves alternate between them."""
    folder.prepare("nothing")
    trace = "-e", "trace=pwrite64,fdatasync,fsync,renameat,write"
    for number, steps in (("1", "write 8192 @0, sync, rename, sync, write 4096 @0, sync, said"),
                          ("2", "write 4096 @4096, sync, said"), ("3", "write 4096 @0, sync, said")):
        folder.saver("save", number, strace=trace)
        matches("save " + number, folder.steps(), steps)


def failing(folder):
    """A second try writes the slot again, because the kernel may have dropped the data of a failed
    sync. There is no third try."""
    write, fails = r"write 4096 @\d+", r"write fails @\d+"
    for injection, said, steps, found in (
            ("fdatasync:error=EIO:when=1", "confirmed 6 closed 0",
             "%s, sync fails, %s, sync" % (write, write), "6 whole"),
            ("fdatasync:error=EIO", "failed 6 5 syncing closed 5",
             "%s, sync fails, %s, sync fails" % (write, write), "[56] whole( slot_bad)?"),
            ("pwrite64:error=ENOSPC:when=1", "confirmed 6 closed 0",
             "%s, %s, sync" % (fails, write), "6 whole"),
            ("pwrite64:error=ENOSPC", "failed 6 28 writing closed 28",
             "%s, %s" % (fails, fails), "5 whole")):
        matches(injection, folder.faulty(injection), "found 5 whole handed over " + said)
        matches(injection, folder.steps(), steps)
        matches(injection, folder.saver("load"), "found %s closed 0" % found)


def hanging(folder):
    """The end of the process does not wait for the disk."""
    matches("its end", folder.faulty("fdatasync:delay_enter=%d" % HANG_US, "quit", "6"),
            "found 5 whole closed 110")
    matches("the next start", folder.saver("load"), r"found [56] whole closed 0")


def saves(result):
    with tempfile.TemporaryDirectory() as path:
        folder = Folder(path)
        for before in FOUND:
            result.attempt("killed, " + before, killed_everywhere, folder, before)
        for attempt in synced_before_confirmed, failing, hanging:
            result.attempt(attempt.__name__.replace("_", " "), attempt, folder)


# ---- daemons ---------------------------------------------------------------------------------------

NOT_SAVED = "state file cannot be written"
SILENT = "the disk with the state file does not answer"


def problem(host, words):
    return any(words in text for text in host.call("io.electd.GetStatus")["health"]["problems"])


def alone(net, host):
    """Kills the other hosts, so that no host reports to this one which numbers are used."""
    for other in net.hosts:
        if other is not host:
            other.kill()
    net.wait("it leads alone", lambda: host.view and host.view["role"] == "leader")


def beacons(host):
    return host.counts("electd_packets_sent_total")["AYCoord"]


def folder_removed(net):
    """The folder is made anew without an election, and the next life continues from its numbers."""
    host, mark = net.leader(), net.mark()
    before = host.call("io.electd.GetStatus")
    shutil.rmtree(host.state_dir)
    lan.until("made anew", lambda: "made anew" in host.log())
    sent = beacons(host) + 3
    lan.until("three beacons", lambda: beacons(host) >= sent)
    if any(event["event"] in ("leader", "follower", "none") for _, _, event in net.since(mark)):
        raise Failed("roles change")
    host.kill()
    host.start()
    net.settle()
    alone(net, host)
    after = host.call("io.electd.GetStatus")
    for name, old, new in (("incarnation", before["node"], after["node"]), ("token", before, after)):
        if int(new[name]) <= int(old[name]):
            raise Failed("%s %s after %s" % (name, new[name], old[name]))
    if problem(host, "without its state") or host.log().count("made anew") != 1:
        raise Failed(host.log())


def fill(path, piece):
    with open(path, "wb", buffering=0) as f:
        try:
            while True:
                f.write(b"x" * piece)
        except OSError:
            pass


def full(net):
    """No space to make the file anew: it gives the role up, and is well when there is space."""
    host = net.leader()
    host.kill()
    lan.run("mount", "-t", "tmpfs", "-o", "size=64k", "small", host.state_dir)
    host.start()
    net.settle()
    while net.leader() is not host:
        before = net.leader()
        before.resign(30)
        net.wait("another leads", lambda: net.led() and net.leader() is not before)
    fill(host.state_dir + "/ballast", 4096)
    os.unlink(host.state_dir + "/state")
    fill(host.state_dir + "/more", 512)
    net.wait("another host leads", lambda: net.led() and net.leader() is not host)
    lan.until("status reports it", lambda: problem(host, NOT_SAVED))
    os.unlink(host.state_dir + "/ballast")
    lan.until("well again", lambda: not problem(host, NOT_SAVED))
    for words in "No space left", "written again":
        if host.log().count(words) != 1:
            raise Failed("%s is reported %d times" % (words, host.log().count(words)))
    host.stop()
    lan.run("umount", host.state_dir)
    host.start()
    net.settle()


def slow(net):
    """Each sync takes long. Until then the host follows: it does not lead with numbers that are not
    saved, which takes two saves (counter.md)."""
    if not shutil.which("strace"):
        raise Skipped("strace is not installed")
    host = net.leader()
    trace = os.path.join(host.dir, "trace")
    host.stop()
    host.start(wrapper=["strace", "-f", "-qq", "-o", trace, "-P", host.state_dir + "/state", "-e",
                        "trace=fdatasync", "-e", "inject=fdatasync:delay_enter=%d" % SYNC_US])
    lan.until("it follows, and reports that the disk does not answer", lambda: (
        host.view and host.call("io.electd.GetStatus")["role"] == "follower" and
        problem(host, SILENT)))
    alone(net, host)
    if synced(trace) < 2:
        raise Failed("it leads after %d saves" % synced(trace))


def synced(trace):
    return sum("= 0" in line for line in report.whole_lines(trace))


def daemons(result):
    for attempt in folder_removed, full, slow:
        with lan.Lan(3) as net:
            net.start()
            net.settle()
            result.attempt(attempt.__name__.replace("_", " "), attempt, net)


def main():
    result = report.Report()
    if sys.argv[1:] == ["saves"]:
        if not shutil.which("strace"):
            print("strace is not installed")
            sys.exit(77)
        saves(result)
    else:
        lan.setup()
        daemons(result)
    result.exit()


if __name__ == "__main__":
    main()
