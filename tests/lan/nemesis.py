# SPDX-License-Identifier: Apache-2.0
"""Faults of a Lan, drawn from a seed: hosts end and stall; the network is split, one-way and lossy.

A Nemesis decides which fault happens, and when. It sends a request to a daemon only if that is the
fault."""
import heapq
import itertools
import signal
import time

import lan
from report import Failed

# Configurations that a reload takes without a change of role, and those that it must refuse.
VALID = ("priority = 77;", "timing = { lone_hold_ms = 1300; };", "quorum = 1;", "# nothing at all")
BROKEN = ("priority = 256;", "priority = ", "prioritee = 3;", 'domain = "a b";',
          "timing = { dead_after_ms = 100; };", "}")


class Nemesis:
    """Makes faults one by one; a lasting one is ended when its time has come."""

    KINDS = ("kill", "restart", "stop", "resign", "stall", "half", "blackout", "split", "cut", "loss",
             "reload")

    def __init__(self, net, chance, kinds=()):
        self.net, self.chance = net, chance
        self.kinds = tuple(kinds) or self.KINDS
        self.ends = []        # heap of (time, number, function, arguments)
        self.number = itertools.count()
        self.count = {}       # how often each fault happened
        self.stalled = set()
        self.apart = False
        self.rules = {host: {} for host in net.hosts}

    def noted(self, kind):
        self.count[kind] = self.count.get(kind, 0) + 1

    def later(self, seconds, function, *args):
        heapq.heappush(self.ends, (lan.now() + seconds, next(self.number), function, args))

    def mend(self, everything=False):
        while self.ends and (everything or self.ends[0][0] <= lan.now()):
            _, _, function, args = heapq.heappop(self.ends)
            function(*args)

    def rest(self, seconds):
        """Lets time pass, and ends the faults whose time comes."""
        until = lan.now() + seconds
        while (left := until - lan.now()) > 0:
            self.mend()
            next_end = self.ends[0][0] if self.ends else until
            time.sleep(max(0.0, min(left, next_end - lan.now())))
        self.mend()

    # ---- hosts ----

    def fit(self, least):
        """The hosts that run and are not stalled; none if fewer than `least` would be left."""
        hosts = [host for host in self.net.running() if host not in self.stalled]
        return hosts if len(hosts) > least else []

    def one(self, least=2):
        """Draws a host, the leader more often than by chance."""
        hosts = self.fit(least)
        leaders = [host for host in hosts if host.view and host.view["role"] == "leader"]
        if leaders and self.chance.random() < 0.5:
            return self.chance.choice(leaders)
        return self.chance.choice(hosts) if hosts else None

    def gone(self, host, kind, sig, seconds):
        if host:
            self.noted(kind)
            host.end(sig)
            self.later(seconds, host.start)

    def kill(self):
        self.gone(self.one(), "kill", signal.SIGKILL, self.chance.uniform(0.5, 4))

    def restart(self):
        self.gone(self.one(), "restart", signal.SIGKILL, self.chance.uniform(0, 0.3))

    def stop(self):
        self.gone(self.one(), "stop", signal.SIGTERM, self.chance.uniform(0.2, 4))

    def resign(self):
        for host in self.fit(2):
            if host.view and host.view["role"] == "leader":
                error, _ = host.ask("io.electd.Resign", **{"for": 1})
                if error not in (None, "io.electd.NotLeader"):
                    raise Failed("resign: %s" % error)
                self.noted("resign")

    def stall(self, host=None, seconds=None):
        host = host or self.one()
        if host:
            self.noted("stall")
            self.stalled.add(host)
            host.process.send_signal(signal.SIGSTOP)
            self.later(seconds or self.chance.choice((0.3, 0.7, 2.0, 4.0)), self.go_on, host)

    def go_on(self, host):
        host.process.send_signal(signal.SIGCONT)
        self.stalled.discard(host)

    def half(self):
        """Half of all hosts are killed, stopped or stalled at once, and return at one moment."""
        hosts, count = self.fit(0), len(self.net.hosts) // 2
        kind, seconds = self.chance.choice(("kill", "stop", "stall")), self.chance.uniform(0.5, 3)
        for host in self.chance.sample(hosts, count) if len(hosts) > count else ():
            if kind == "stall":
                self.stall(host, seconds)
            else:
                self.gone(host, kind, {"kill": signal.SIGKILL, "stop": signal.SIGTERM}[kind], seconds)

    def blackout(self):
        """All hosts are killed at once, and return with what their disks have kept."""
        for host in self.fit(len(self.net.hosts) - 1):
            self.gone(host, "blackout", signal.SIGKILL, 0.3)

    # ---- the network ----

    def split(self):
        if self.apart:
            return
        hosts = self.chance.sample(self.net.hosts, len(self.net.hosts))
        at = self.chance.randint(1, len(hosts) // 2)
        parts = [hosts[:at], hosts[at:]]
        if len(parts[1]) > 4 and self.chance.random() < 0.3:
            parts = [parts[0], parts[1][:2], parts[1][2:]]
        self.noted("split")
        self.apart = True
        self.net.split(*parts)
        self.later(self.chance.choice((0.4, 1.0, 2.5, 7.0)), self.heal)

    def heal(self):
        self.net.heal()
        self.apart = False

    def rule(self, host, name, text):
        self.rules[host][name] = text
        host.let_in(*filter(None, self.rules[host].values()))

    def cut(self):
        """One host does not hear some or all others; they still hear it."""
        deaf, *others = self.chance.sample(self.net.hosts, len(self.net.hosts))
        others = others[:self.chance.choice((1, 3, len(others)))]
        self.noted("cut")
        self.rule(deaf, "cut", "\n".join("ether saddr %s drop" % other.mac().hex(":")
                                         for other in others))
        self.later(self.chance.choice((0.5, 1.5, 4.0)), self.rule, deaf, "cut", None)

    def loss(self):
        """Hosts lose a share of what is sent to them."""
        percent = self.chance.choice((2, 10, 20, 30))
        seconds = self.chance.choice((1.0, 3.0, 6.0))
        self.noted("loss")
        for host in self.chance.sample(self.net.hosts, self.chance.randint(1, len(self.net.hosts))):
            self.rule(host, "loss", "udp dport 7543-7575 numgen random mod 100 < %d drop" % percent)
            self.later(seconds, self.rule, host, "loss", None)

    # ---- configuration ----

    def reload(self):
        host = self.one(0)
        if not host or not host.view:   # it has only just been started
            return
        self.noted("reload")
        broken = self.chance.random() < 0.4
        text = self.chance.choice(BROKEN if broken else VALID)
        host.write_config(text)
        error, reply = host.ask("io.electd.Reload")
        if error != ("io.electd.ConfigInvalid" if broken else None):
            raise Failed("reload of %r: %s %s" % (text, error, reply))
        host.write_config()   # a restart must find a valid file

    def storm(self, faults):
        """Makes that many faults of a few kinds, so that all other changes are errors."""
        kinds = self.chance.sample(self.kinds, min(len(self.kinds), self.chance.randint(1, 3)))
        for _ in range(faults):
            getattr(self, self.chance.choice(kinds))()
            self.rest(self.chance.choice((0.05, 0.3, 1.0, 2.0)))
        return kinds

    def end_all(self):
        """Ends all faults now: everything works and runs when this returns."""
        self.mend(everything=True)
        for host in self.net.hosts:
            if host.process.poll() is not None:
                raise Failed("%s ended by itself: %s" % (host.name, host.process.returncode))
