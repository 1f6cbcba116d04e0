# SPDX-License-Identifier: Apache-2.0
"""Faults of the leader or the LAN, and their measurement, the same for all daemons.

A time runs from just before the cause (one system call, or one signal) until all hosts concerned
agree: one leads, the others follow it, and this stays so for a while. The last change counts."""
import fcntl
import os
import random
import signal
import socket
import struct
import time

import hooked
import kinds
import lan
from observe import Watch, role, said
from paths import cable
from report import Failed
import strain
import will

NEVER = float("inf")
SIOCBRADDIF, SIOCBRDELIF = 0x89a2, 0x89a3
# Shorter than dead_after minus a beacon: a leader whose electd and copy were killed has ended its
# work by then.
DEMOTION_MS = 200


def bridge_port(request, bridge, host):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        fcntl.ioctl(s, request, struct.pack("16si20x", bridge.encode(),
                                            socket.if_nametoindex(host.port)))


class Gateway:
    """A host of the LAN that has the address of the default gateway. Only its kernel answers."""

    ADDRESS = "10.77.0.254"

    def __init__(self, net):
        lan.run("ip", "netns", "add", "gateway")
        lan.run("ip", "link", "add", "port-gateway", "type", "veth", "peer", "name", "eth0",
                "netns", "gateway")
        for words in ("link set lo up", "addr add %s/24 dev eth0" % self.ADDRESS,
                      "link set eth0 up"):
            lan.run("ip", "-n", "gateway", *words.split())
        lan.run("ip", "link", "set", "port-gateway", "master", net.bridge(0), "up")
        for host in net.hosts:
            lan.run("ip", "-n", host.name, "route", "add", "default", "via", self.ADDRESS)

    @staticmethod
    def close():
        lan.run("ip", "link", "del", "port-gateway")
        lan.run("ip", "netns", "del", "gateway")


class Bench:
    """A LAN with one setup. Each fault of ROUND and of FURTHER happens once, by its method."""

    def __init__(self, setup):
        self.setup = setup
        self.beat = setup.beat
        self.hold = min(0.1 + 1.5 * self.beat, 1.0)
        self.net = lan.Lan(setup.hosts, kind=setup.host, family=setup.family)
        self.gateway = Gateway(self.net) if setup.gateway else None
        self.hooked = {host: hooked.Hooked(host, (hooked.FIRST,)) for host in self.net.hosts
                       if setup.hooks}
        self.on = {host: 0 for host in self.net.hosts}       # number of its bridge
        self.unplugged = set()
        self.stalled = None
        self.killed_pids = set()  # may still exist

    def place(self, numbers):
        """Moves {host: number of its switch}, one right after the other, with their carrier."""
        moves = [(host, self.net.bridge(self.on[host]), self.net.bridge(number))
                 for host, number in numbers.items() if self.on[host] != number]
        at = lan.now()
        for host, old, _ in moves:
            bridge_port(SIOCBRDELIF, old, host)
        for host, _, new in moves:
            bridge_port(SIOCBRADDIF, new, host)
        self.on.update(numbers)
        return at

    def move(self, hosts, number):
        """Moves the hosts to another switch."""
        return self.place(dict.fromkeys(hosts, number))

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
            time.sleep(0.02)     # a judgement of each event would take processors from the hosts
        raise Failed("no agreement within %.0f s: %s" % (patience, ", ".join(
            "%s %s" % (h.name, said(h.view)) for h in parts[0])))

    def kill_all(self, host):
        """Kills every process of a host; stops the first before, lest it restart others."""
        pids = lan.processes(host.process.pid)
        at = lan.now()
        host.process.send_signal(signal.SIGSTOP)
        lan.send(pids, signal.SIGKILL)
        self.net.gone(host)
        self.killed_pids.update(pids)
        return at

    def bury(self, host, more=()):
        """Kills a host, and waits until none of its processes, nor of `more`, is left."""
        if not host.process:
            return
        if host.process.poll() is None:
            self.kill_all(host)
        lan.send(set(more) - self.killed_pids - {host.process.pid}, signal.SIGKILL)
        self.killed_pids.update(more)
        host.end(signal.SIGKILL)
        while self.killed_pids:
            self.reap()

    def reap(self):
        """Reaps orphans, which are children of this program because it is process 1 here."""
        known = {h.process.pid for h in self.net.running()}
        states = lan.states()
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
            lan.send(lan.processes(self.stalled.process.pid), signal.SIGCONT)
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
        self.wait_hooks()
        time.sleep(random.uniform(1, 2) * self.beat)      # not always at the same phase of a beacon

    def wait_hooks(self):
        """Waits until the script of each host has run for its present role."""
        for host, one in self.hooked.items():
            if not one.process:
                one.start()
            one.wait("its role", lambda run, host=host: (
                run.end and run.event == host.view["role"] and
                run.token == self.leader().token()))

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
        everything, pid = lan.processes(victim.process.pid), victim.worker()
        at = lan.now()
        lan.send([pid], signal.SIGKILL)
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
        pids = lan.processes(victim.process.pid)
        at = lan.now()
        lan.send(pids, signal.SIGSTOP)
        took = self.settled(watch, self.rest(victim)) - at
        watch = Watch(self.net)
        lan.send(pids, signal.SIGCONT)
        self.stalled = None
        self.settled(watch, self.net.hosts)
        return {"stall": took, "after": watch.leaders(2, self.net.hosts)}

    ROUND = cold, split, killed, group, stop, carrier, silent, stall

    # ---- of three hosts, one is left ----

    def survivor(self):
        """Returns a follower, and all other hosts."""
        last = random.choice(self.rest(self.leader()))
        return last, self.rest(last)

    def last(self):
        """Makes all hosts but one silent at once, each on a switch of its own."""
        last, victims = self.survivor()
        watch = Watch(self.net)
        at = self.place({host: number for number, host in enumerate(victims, 1)})
        return {"last": self.settled(watch, [last]) - at}

    def last_carrier(self):
        last, victims = self.survivor()
        watch = Watch(self.net)
        self.unplugged.update(victims)
        at = lan.now()
        for host in victims:
            cable(host, False)
        return {"last_carrier": self.settled(watch, [last]) - at}

    def third_gone(self):
        """One follower becomes silent. For a while, its members still list it. Returns the leader
        and the follower that is left."""
        old = self.leader()
        third, last = random.sample(self.rest(old), 2)
        watch = Watch(self.net)
        self.move([third], 2)
        self.settled(watch, [old, last])
        time.sleep(random.uniform(0, 10) * self.beat)
        return old, last

    def gone(self):
        old, last = self.third_gone()
        watch = Watch(self.net)
        at = self.move([old], 1)
        return {"gone": self.settled(watch, [last]) - at}

    def gone_carrier(self):
        old, last = self.third_gone()
        watch = Watch(self.net)
        self.unplugged.add(old)
        at = cable(old, False)
        return {"gone_carrier": self.settled(watch, [last]) - at}

    # ---- with scripts ----

    def first_leads(self, old, at):
        """The first run of a script for the role `leader` on another host since then."""
        return min((run for host, one in self.hooked.items() if host is not old
                    for run in one.runs() if run.event == "leader" and run.begin > at),
                   key=lambda run: run.begin)

    def script(self):
        """Stops the leader; its successor's script begins after its own has ended."""
        old = self.leader()
        watch = Watch(self.net)
        at = lan.now()
        old.process.terminate()
        self.settled(watch, self.rest(old))
        self.bury(old)
        return {"script": self.first_leads(old, at).begin - at}

    def twice(self):
        """Kills electd and its copy at once. electd-hookd, another service, ends the work."""
        old = self.leader()
        self.hooked[old].do("none", DEMOTION_MS)
        watch = Watch(self.net)
        at = self.kill_all(old)
        took = self.settled(watch, self.rest(old)) - at
        ended = self.hooked[old].wait("its demotion", lambda run: (
            run.event in hooked.DEMOTIONS and run.begin > at and run.end)).end
        self.hooked[old].do("none")
        self.bury(old)
        return {"scripted_group": took, "twice": float(self.first_leads(old, at).begin < ended)}

    FURTHER = last, last_carrier, gone, gone_carrier, script, twice

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
        pids = {h: lan.processes(h.process.pid) for h in self.net.hosts}
        before, frames, begin = {h: kinds.usage(p) for h, p in pids.items()}, self.frames(), lan.now()
        time.sleep(seconds)
        took, more = lan.now() - begin, self.frames()
        after = {h: kinds.usage(p) for h, p in pids.items()}
        share = {h: (after[h][0] - before[h][0]) / took * 100 for h in pids}
        copies = {"copy": will.own_kib(pid) / 1024 for pid in leader.copies()}
        return {**copies, "resident_leader": after[leader][1] / 1024,
                "resident_other": max(after[h][1] for h in self.rest(leader)) / 1024,
                "frames": (more[0] - frames[0]) / took,
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
        for one in self.hooked.values():
            if one.process:
                one.end(signal.SIGKILL)
            one.forget()
        for host in self.net.hosts:
            self.bury(host)
        if self.gateway:
            self.gateway.close()
        self.net.__exit__(None, None, None)
