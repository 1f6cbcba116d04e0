#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A virtual machine is put back to a snapshot with memory (doc/sessions.md, Put back).

snapshots.py: a process plays the machine. Memory, state folder and clocks of one electd are saved,
and restored later, when all its threads wait in the same calls again; its sockets and the kernel's
queues are not restored. The process is a follower with a key file, a follower whose clock
continues, as when the hypervisor sets the guest's clock, or a leader. It becomes a member again; a
follower costs the others neither their leader nor their token. Stories put-back-* play other
moments, quorums and ages."""
import collections
import contextlib
import os
import re
import shutil
import signal
import struct
import subprocess
import time

import frames
import lan
import report
from report import Failed

LIBRARY = "/run/clock_back.so"
# A preloaded library that sets all clocks of a process back by the nanoseconds, a 64-bit number,
# that the file $CLOCK_BACK holds.
SOURCE = r"""
#define _GNU_SOURCE

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *back_ns;

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("CLOCK_BACK");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	void *at = mmap(NULL, sizeof(*back_ns), PROT_READ, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		abort();
	close(fd);
	back_ns = at;
}

static struct timespec shifted(const struct timespec *t, int64_t by_ns)
{
	int64_t ns = t->tv_sec * INT64_C(1000000000) + t->tv_nsec + by_ns;

	return (struct timespec){ .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
}

int clock_gettime(clockid_t clock, struct timespec *ret)
{
	int r = (int)syscall(SYS_clock_gettime, clock, ret);

	if (r == 0 && back_ns)
		*ret = shifted(ret, -*back_ns);
	return r;
}

int timerfd_settime(int fd, int flags, const struct itimerspec *new, struct itimerspec *ret_old)
{
	struct itimerspec at = *new;

	if (flags & TFD_TIMER_ABSTIME && (at.it_value.tv_sec || at.it_value.tv_nsec))
		at.it_value = shifted(&at.it_value, *back_ns);
	return (int)syscall(SYS_timerfd_settime, fd, flags, &at, ret_old);
}
"""
SAID = "was put back to an earlier state"
# A host whose clock continues notices a stall first, and joins again because of that.
STALLED = "was stalled for a while"
# Since its snapshot a member sends more than a window of sequences holds.
WINDOW, SENT = 64, ("AYThere", "AYCoord")
TRIES = 2000
SAMPLES = 20


class Machine:
    """A copy of the memory, state folder and clocks of one host's electd."""

    def __init__(self, host):
        self.host = host
        self.pid = host.process.pid
        self.places = self.stand(self.usual())
        self.taken = time.monotonic()
        self.copy = host.state_dir + ".snapshot"
        shutil.rmtree(self.copy, ignore_errors=True)
        shutil.copytree(host.state_dir, self.copy)
        self.image = []
        with open("/proc/%d/mem" % self.pid, "rb", 0) as memory:
            for first, behind in self.ranges():
                memory.seek(first)
                self.image.append((first, memory.read(behind - first)))
        os.kill(self.pid, signal.SIGCONT)

    def ranges(self):
        with open("/proc/%d/maps" % self.pid) as maps:
            found = re.findall(r"^([0-9a-f]+)-([0-9a-f]+) .w.p ", maps.read(), re.M)
        ranges = [(int(a, 16), int(b, 16)) for a, b in found]
        if any(b - a > 1 << 30 for a, b in ranges):
            raise report.Skipped("a sanitizer build is too large to be copied")
        return ranges

    def threads(self):
        return ["/proc/%d/task/%s" % (self.pid, task)
                for task in sorted(os.listdir("/proc/%d/task" % self.pid))]

    def usual(self):
        """The places where its threads mostly wait, and will wait again."""
        seen = collections.Counter()
        for _ in range(SAMPLES):
            seen[tuple(self.stand(None))] += 1
            os.kill(self.pid, signal.SIGCONT)
            time.sleep(0.003)
        return list(seen.most_common(1)[0][0])

    def stand(self, places):
        """Stops it when each thread waits in a system call, at those places if there are any."""
        for _ in range(TRIES):
            os.kill(self.pid, signal.SIGSTOP)
            while any(self.field(thread, 0) != "T" for thread in self.threads()):
                time.sleep(0.001)
            found = [self.call(thread) for thread in self.threads()]
            if found == places or not places and None not in found:
                return found
            os.kill(self.pid, signal.SIGCONT)
            time.sleep(0.003)
        raise report.Skipped("it does not stop where it stood before")

    @staticmethod
    def field(thread, at):
        with open(thread + "/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[at]

    @staticmethod
    def call(thread):
        """Returns (system call, stack pointer, program counter); None: the thread runs."""
        with open(thread + "/syscall") as line:
            words = line.read().split()
        return None if words[0] in ("running", "-1") else (words[0], *words[-2:])

    def put_back(self, clock=True):
        self.stand(self.places)
        with open("/proc/%d/mem" % self.pid, "r+b", 0) as memory:
            for first, data in self.image:
                memory.seek(first)
                memory.write(data)
        for name in os.listdir(self.copy):
            shutil.copyfile(os.path.join(self.copy, name),
                            os.path.join(self.host.state_dir, name))
        if clock:
            self.set_back(time.monotonic() - self.taken)
        os.kill(self.pid, signal.SIGCONT)

    def set_back(self, seconds):
        with open(clock_file(self.host), "r+b") as f:
            f.write(struct.pack("=q", int(seconds * 1e9)))


def clock_file(host):
    return os.path.join(host.dir, "clock_back")


def key_file():
    """The configuration: a key file, and short beacons, so that a window is soon used up."""
    path = "/run/snapshots.keys"
    with open(path, "w") as f:
        os.fchmod(f.fileno(), 0o600)
        f.write("1 %s\n" % ("5a" * 32))
    return 'auth = { mode = "enforce"; keys = "%s"; };\ntiming = { profile = "fast"; };' % path


def start(net, first, config):
    for host in net.running():
        host.stop()
    for host in [first] + [host for host in net.hosts if host is not first]:
        host.write_config(config)
        with open(clock_file(host), "wb") as f:
            f.write(bytes(8))
        host.start(wrapper=["env", "LD_PRELOAD=" + LIBRARY, "CLOCK_BACK=" + clock_file(host)])
        net.wait("%s leads" % first.name, lambda: first.view and first.view["role"] == "leader")
    net.settle()


def changes(net, mark, host):
    """Returns (id of the leader, token) as that host has shown them since."""
    shown = [((e["status"]["leader"] or {}).get("id"), e["status"]["token"]) for _, h, e in net.since(mark)
             if h is host]
    return [pair for n, pair in enumerate(shown) if n == 0 or pair != shown[n - 1]]


def put_back(net, host, clock=True):
    """Restores a snapshot that is older than a window, and returns the mark of that moment. No
    client may connect meanwhile, because its socket would not be restored."""
    machine, sent = Machine(host), 0
    with contextlib.closing(frames.Sniffer(net)) as sniffer:
        def used_up():
            nonlocal sent
            sent += sum(sender is host and name in SENT for sender, _, name, _ in sniffer.drain())
            return sent > WINDOW
        lan.until("%s sends more than a window holds" % host.name, used_up)
    said = SAID if clock else STALLED
    mark, before = net.mark(), host.log().count(said)
    machine.put_back(clock)
    lan.until("%s logs that it %s" % (host.name, said), lambda: host.log().count(said) > before)
    net.wait("it has reported since then, and all are one group", lambda: (
        any(h is host for _, h, _ in net.since(mark)) and net.agreed()))
    return mark


def follower(net, config, clock=True):
    leader, host, other = net.hosts
    start(net, leader, config)
    before = leader.token()
    mark = put_back(net, host, clock)
    for one in (leader, other):
        if len(changes(net, mark, one)) > 1 or leader.token() != before:
            raise Failed("%s saw %s" % (one.name, changes(net, mark, one)))
    history = host.electctl("history").stdout
    if clock and "put-back" not in history:
        raise Failed("history prints: %s" % history)


def leader(net, config):
    host, *others = net.hosts
    start(net, host, config)
    before = host.token()
    mark = put_back(net, host)
    tokens = {e["status"]["token"] for _, h, e in net.since(mark) if h is not host and e["status"]["leader"]}
    if any(int(token) < before for token in tokens):
        raise Failed("tokens %s after %d" % (tokens, before))
    for one in others:
        if len({pair[0] for pair in changes(net, mark, one) if pair[0]}) > 2:
            raise Failed("%s saw %s" % (one.name, changes(net, mark, one)))


def main():
    lan.setup()
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", LIBRARY, "-x", "c", "-"], check=True,
                   input=SOURCE, text=True)
    result, config = report.Report(), key_file()
    with lan.Lan(3, family="ipv4") as net:
        result.attempt("a follower is put back", follower, net, config)
        result.attempt("a follower is put back, and its clock continues", follower, net, config, False)
        result.attempt("the leader is put back", leader, net, config)
        if result.failed:
            net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
