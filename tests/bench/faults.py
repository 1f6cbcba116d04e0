# SPDX-License-Identifier: Apache-2.0
"""Faults of the leader or the LAN, and their measurement, the same for all daemons.

A time runs from just before the cause (one system call, or one signal) until all hosts concerned
agree: one leads, the others follow it, and this stays so for a while. The last change counts."""
import contextlib
import fcntl
import os
import random
import signal
import socket
import struct
import time

import kinds
import lan
from observe import Watch, role, said
from paths import cable
from report import Failed
import strain

NEVER = float("inf")
SIOCBRADDIF, SIOCBRDELIF = 0x89a2, 0x89a3


def bridge_port(request, bridge, host):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        fcntl.ioctl(s, request, struct.pack("16si20x", bridge.encode(),
                                            socket.if_nametoindex(host.port)))


def send(pids, number):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


class Bench:
    """A LAN of five hosts with one setup. Each fault of FAULTS happens once, by its method."""

    def __init__(self, setup):
        self.setup = setup
        self.beat = setup.beat
        self.hold = min(0.1 + 1.5 * self.beat, 1.0)
        self.net = lan.Lan(kinds.HOSTS, kind=setup.host, family="ipv4")     # as for the others
        self.net.bridge(1)
        self.on = {host: 0 for host in self.net.hosts}       # number of its bridge
        self.unplugged = set()
        self.stalled = None
        self.killed_pids = set()  # may still exist

    def move(self, hosts, number):
        """Moves the hosts to another switch, one right after the other, with their carrier."""
        at = lan.now()
        for host in hosts:
            if self.on[host] != number:
                bridge_port(SIOCBRDELIF, self.net.bridge(self.on[host]), host)
        for host in hosts:
            if self.on[host] != number:
                bridge_port(SIOCBRADDIF, self.net.bridge(number), host)
                self.on[host] = number
        return at

    def rest(self, *without):
        return [h for h in self.net.hosts if h not in without]

    def leader(self):
        leaders = [h for h in self.net.running() if role(h.view) == "leader"]
        if len(leaders) != 1:
            raise Failed("%d leaders" % len(leaders))
        return leaders[0]

    def settled(self, watch, *parts):
        """The time since which the hosts of one of these parts have agreed for a while."""
        patience = 15 + 10 * self.beat
        end = lan.now() + patience
        while lan.now() < end:
            times = [since for since in map(watch.agreed, parts) if since is not None]
            if times and lan.now() >= min(times) + self.hold:
                return min(times)
            with self.net.condition:
                self.net.condition.wait(0.02)
        raise Failed("no agreement within %.0f s: %s" % (patience, ", ".join(
            "%s %s" % (h.name, said(h.view)) for h in parts[0])))

    def kill_all(self, host):
        """Kills every process of a host; stops the first before, lest it restart others."""
        pids = kinds.processes(host.process.pid)
        at = lan.now()
        host.process.send_signal(signal.SIGSTOP)
        send(pids, signal.SIGKILL)
        self.net.gone(host)
        self.killed_pids.update(pids)
        return at

    def bury(self, host, more=()):
        """Kills a host, and waits until none of its processes, nor of `more`, is left."""
        if not host.process:
            return
        if host.process.poll() is None:
            self.kill_all(host)
        send(set(more) - self.killed_pids - {host.process.pid}, signal.SIGKILL)
        self.killed_pids.update(more)
        host.end(signal.SIGKILL)
        while self.killed_pids:
            self.reap()

    def reap(self):
        """Reaps orphans, which are children of this program because it is process 1 here."""
        known = {h.process.pid for h in self.net.running()}
        states = kinds.states()
        self.killed_pids -= {pid for pid in self.killed_pids - known if pid not in states}
        for pid, (state, parent) in states.items():
            if state == "Z" and parent == os.getpid() and pid not in known:
                os.waitpid(pid, os.WNOHANG)

    def restart(self):
        """Restarts all hosts, as after a power cut. Returns the time just before."""
        for host in self.net.hosts:
            self.bury(host)
        at = lan.now()
        self.net.start()
        return at

    def recover(self):
        """Restores the LAN: all hosts run, are plugged in and agree."""
        for host in self.unplugged:
            cable(host, True)
        self.unplugged.clear()
        self.move(self.net.hosts, 0)
        if self.stalled:
            send(kinds.processes(self.stalled.process.pid), signal.SIGCONT)
            self.stalled = None
        for host in self.net.hosts:
            if not host.process or host.process.poll() is not None:
                self.bury(host)
                host.start()
        try:
            self.settled(Watch(self.net), self.net.hosts)
        except Failed:
            self.restart()
            self.settled(Watch(self.net), self.net.hosts)
        time.sleep(random.uniform(1, 2) * self.beat)      # not always at the same phase of a beacon

    # ---- faults: each returns {row: seconds} ----

    def cold(self):
        at = self.restart()
        watch = Watch(self.net)
        return {"cold": self.settled(watch, self.net.hosts) - at}

    def split(self):
        """Cuts off the leader and another host. Whether both sides lead is watched for a while."""
        old = self.leader()
        smaller = [old, self.rest(old)[0]]
        larger = self.rest(*smaller)
        watch = Watch(self.net)
        at = self.move(smaller, 1)
        took = self.settled(watch, larger) - at
        time.sleep(4 * self.beat)
        two = watch.leaders(2, self.net.hosts)
        if role(old.view) == "leader":
            two = NEVER
        watch = Watch(self.net)
        at = self.move(smaller, 0)
        return {"split": took, "two": two, "heal": self.settled(watch, self.net.hosts) - at}

    def killed(self):
        """Kills the process that elects. Its parent may restart it, and it may take part again."""
        victim = self.leader()
        watch = Watch(self.net)
        everything, pid = kinds.processes(victim.process.pid), victim.worker()
        at = lan.now()
        send([pid], signal.SIGKILL)
        watch.forget(victim)
        self.net.gone(victim)
        took = self.settled(watch, self.rest(victim), self.net.hosts) - at
        self.bury(victim, everything)
        return {"killed": took}

    def group(self):
        victim = self.leader()
        watch = Watch(self.net)
        at = self.kill_all(victim)
        took = self.settled(watch, self.rest(victim)) - at
        self.bury(victim)
        return {"group": took}

    def stop(self):
        victim = self.leader()
        watch = Watch(self.net)
        at = lan.now()
        victim.process.terminate()
        took = self.settled(watch, self.rest(victim)) - at
        self.bury(victim)
        return {"stop": took}

    def carrier(self):
        victim = self.leader()
        watch = Watch(self.net)
        self.unplugged.add(victim)
        at = cable(victim, False)
        took = self.settled(watch, self.rest(victim)) - at
        stopped = self.stopped(watch, victim, at + 3 * took)
        return {"carrier": took, "demoted": NEVER if stopped is None else stopped - at}

    def stopped(self, watch, host, until):
        """The time since which the host does not lead any more; None if it leads until then."""
        while True:
            since = watch.since(lambda views: role(views[host]) != "leader")
            if since is not None or lan.now() > until:
                return since
            time.sleep(0.01)

    def silent(self):
        victim = self.leader()
        watch = Watch(self.net)
        at = self.move([victim], 1)
        return {"silent": self.settled(watch, self.rest(victim)) - at}

    def stall(self):
        """Stalls the leader until another host leads; for how long do two lead after that?"""
        victim = self.stalled = self.leader()
        watch = Watch(self.net)
        pids = kinds.processes(victim.process.pid)
        at = lan.now()
        send(pids, signal.SIGSTOP)
        took = self.settled(watch, self.rest(victim)) - at
        watch = Watch(self.net)
        send(pids, signal.SIGCONT)
        self.stalled = None
        self.settled(watch, self.net.hosts)
        return {"stall": took, "after": watch.leaders(2, self.net.hosts)}

    ROUND = cold, split, killed, group, stop, carrier, silent, stall

    def frames(self):
        """Returns (frames, bytes) of all kinds that came from the hosts so far."""
        total = [0, 0]
        for host in self.net.hosts:
            words = lan.run("ip", "-o", "-s", "link", "show", host.port).stdout
            numbers = words.split("RX:")[1].split("\\")[1].split()
            total[0] += int(numbers[1])
            total[1] += int(numbers[0])
        return total

    def steady(self, seconds):
        leader = self.leader()
        pids = {h: kinds.processes(h.process.pid) for h in self.net.hosts}
        before, frames, begin = {h: kinds.usage(p) for h, p in pids.items()}, self.frames(), lan.now()
        time.sleep(seconds)
        took, more = lan.now() - begin, self.frames()
        after = {h: kinds.usage(p) for h, p in pids.items()}
        share = {h: (after[h][0] - before[h][0]) / took * 100 for h in pids}
        return {"frames": (more[0] - frames[0]) / took,
                "bytes": (more[1] - frames[1]) / took / 1024,
                "cpu": share[leader], "cpu_other": max(share[h] for h in self.rest(leader)),
                "resident": max(after[h][1] for h in pids) / 1024,
                "own": max(after[h][2] for h in pids) / 1024}

    def _seen(self, prefix, seconds):
        """Changes a minute, and the percentages of the time in which two hosts led, or none."""
        watch = Watch(self.net)
        time.sleep(seconds)
        took = lan.now() - watch.began
        return {prefix + "_changes": watch.changes(self.net.hosts) / took * 60,
                prefix + "_two": watch.leaders(2, self.net.hosts) / took * 100,
                prefix + "_none": watch.leaders(0, self.net.hosts) / took * 100}

    def loss(self, seconds, percent=5):
        with strain.loss(percent) as lost:
            seen = self._seen("loss", seconds)
            lost()
        return seen

    def load(self, seconds):
        with strain.load(4) as busy:
            seen = self._seen("load", seconds)
            busy()
        return seen

    def close(self):
        for host in self.net.hosts:
            self.bury(host)
        self.net.__exit__(None, None, None)
