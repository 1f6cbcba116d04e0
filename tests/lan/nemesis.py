# SPDX-License-Identifier: Apache-2.0
"""What goes wrong on a Lan, from a seed, and what is true while it does.

A Nemesis breaks things and notes each fault: of what kind, about which hosts, from when to when.
Truth keeps what is so at each moment: who runs, who stands still, who can talk to whom. Neither
asks a daemon anything: judge.py holds what the daemons say against these notes.
"""
import heapq
import itertools
import os
import signal
import subprocess
import threading
import time

import lan
from report import Failed

# A daemon that waited for the processor so long out of 100 ms is noted: it was a stall of its own.
STARVED = 0.060
WATCH = 0.100

# What a reload may change without anybody losing his role, and what it must refuse.
VALID = [
    lambda chance: "priority = %d;" % chance.randint(50, 150),
    lambda chance: "timing = { lone_hold_ms = %d; };" % chance.randint(1000, 1400),
    lambda chance: "timing = { dead_after_ms = %d; };" % chance.randint(600, 650),
    lambda chance: "quorum = %d;" % chance.randint(0, 1),
    lambda chance: "hooks = { timeout_ms = %d; };" % chance.randint(5000, 15000),
    lambda chance: "# nothing at all",
]
BROKEN = [
    "priority = 256;",
    "priority = ",
    "prioritee = 3;",
    'domain = "a b";',
    "timing = { dead_after_ms = 100; };",
    "quorum = -1;",
    "}",
]


class Fault:
    """`pairs`: (sender, receiver) that are cut off; None: `hosts` themselves are troubled."""

    def __init__(self, kind, hosts, begin, pairs=None):
        self.kind = kind
        self.hosts = frozenset(hosts)
        self.begin = begin
        self.end = None
        self.pairs = pairs

    def touches(self, host):
        if self.pairs is None:
            return host in self.hosts
        return any(host in pair for pair in self.pairs)

    def active(self, begin, end):
        """At any moment between these two."""
        return self.begin <= end and (self.end is None or self.end >= begin)

    def __str__(self):
        who = ["%s>%s" % (a.name, b.name) for a, b in sorted(
            self.pairs, key=lambda p: (p[0].number, p[1].number))][:6] if self.pairs else sorted(
                h.name for h in self.hosts)
        return "%.3f-%s %s %s" % (self.begin, "%.3f" % self.end if self.end else "", self.kind,
                                  " ".join(who))


class Moment:
    """How things are from `at` on, until the next one."""

    def __init__(self, at, truth):
        self.at = at
        self.up = frozenset(truth.running - truth.stalled)
        self.clean = frozenset(truth.running - truth.stalled - truth.lossy)
        self.part = dict(truth.part)
        self.cut = frozenset(truth.cuts)
        self.changing = truth.changing

    def talk(self, a, b):
        """Undisturbed, both ways."""
        return (not self.changing and a in self.clean and b in self.clean and
                self.part[a] == self.part[b] and (a, b) not in self.cut and
                (b, a) not in self.cut)

    def largest(self):
        """The hosts of the largest part that runs and is undisturbed; none if none is."""
        best = []
        for number in set(self.part.values()):
            hosts = [h for h in self.clean if self.part[h] == number]
            if all(self.talk(a, b) for a, b in itertools.combinations(hosts, 2)):
                best = max(best, hosts, key=len)
        return best


class Truth:
    def __init__(self, hosts):
        self.running, self.stalled, self.lossy, self.cuts = set(), set(), set(), set()
        self.part = {h: 0 for h in hosts}
        self.changing = False
        self.moments = []
        self.faults = []
        self.lock = threading.Lock()

    def note(self, at=None):
        self.moments.append(Moment(lan.now() if at is None else at, self))

    def fault(self, kind, hosts, pairs=None, at=None):
        fault = Fault(kind, hosts, lan.now() if at is None else at, pairs)
        with self.lock:
            self.faults.append(fault)
        return fault

    def take(self):
        """Moments and faults so far; the last moment and what still lasts begin the next list."""
        moments, self.moments = self.moments, self.moments[-1:]
        with self.lock:
            faults, self.faults = self.faults, [f for f in self.faults if f.end is None]
        return moments, faults


class Starvation(threading.Thread):
    """A busy machine is a fault too, of kind "starved": the kernel tells how long each daemon
    waited for a processor."""

    def __init__(self, net, truth):
        super().__init__(daemon=True)
        self.net, self.truth, self.ended = net, truth, threading.Event()
        self.count = 0

    @staticmethod
    def waited(pid):
        try:
            with open("/proc/%d/schedstat" % pid) as f:
                return int(f.read().split()[1]) / 1e9
        except (OSError, IndexError):
            return None

    def run(self):
        last = {}
        before = lan.now()
        while not self.ended.wait(WATCH):
            at = lan.now()
            late = at - before - WATCH > 2 * STARVED
            for host in self.net.hosts:
                pid = host.process.pid if host.process else None
                waited = self.waited(pid) if pid else None
                then = last.get(host)
                last[host] = pid, waited
                if late or (waited is not None and then and then[0] == pid and
                            then[1] is not None and waited - then[1] > STARVED):
                    self.count += 1
                    self.truth.fault("starved", [host], at=before).end = at
            before = at

    def stop(self):
        self.ended.set()
        self.join()


class Nemesis:
    """Breaks things one by one; what lasts is ended by `mend` when its time has come."""

    def __init__(self, net, chance, kinds=()):
        self.net, self.chance = net, chance
        self.kinds = tuple(kinds) or self.KINDS
        self.truth = Truth(net.hosts)
        self.ends = []        # heap of (time, number, function)
        self.number = itertools.count()
        self.count = {}
        self.rules = {h: {} for h in net.hosts}
        self.split_fault = None
        self.barred = 0.0

    def noted(self, kind, hosts, pairs=None, at=None):
        self.count[kind] = self.count.get(kind, 0) + 1
        return self.truth.fault(kind, hosts, pairs, at)

    def later(self, seconds, function, *args):
        heapq.heappush(self.ends, (lan.now() + seconds, next(self.number), function, args))

    def mend(self, everything=False):
        while self.ends and (everything or self.ends[0][0] <= lan.now()):
            _, _, function, args = heapq.heappop(self.ends)
            function(*args)

    def rest(self, seconds):
        """Lets time pass, and ends in it what is to end."""
        until = lan.now() + seconds
        while True:
            self.mend()
            left = until - lan.now()
            if left <= 0:
                return
            if self.ends:
                left = min(left, max(0.0, self.ends[0][0] - lan.now()))
            time.sleep(left)

    # ---- hosts ----

    def fit(self, least):
        """Running and not stalled; none if fewer than so many would be left."""
        hosts = sorted(self.truth.running - self.truth.stalled, key=lambda h: h.number)
        return hosts if len(hosts) > least else []

    def one(self, least=2):
        """A leader more often than by chance: it is what matters."""
        hosts = self.fit(least)
        leaders = [h for h in hosts if h.view and h.view["role"] == "leader"]
        if leaders and self.chance.random() < 0.5:
            return self.chance.choice(leaders)
        return self.chance.choice(hosts) if hosts else None

    def start(self, host, *ended):
        for fault in ended:
            fault.end = lan.now()
        if host.process:
            return
        self.truth.fault("start", [host]).end = lan.now()
        host.start()
        self.truth.running.add(host)
        self.truth.note()

    def gone(self, host, kind, sig, seconds):
        at = lan.now()
        fault = self.noted(kind, [host], at=at)
        self.truth.running.discard(host)
        self.truth.note(at)
        host.end(sig)
        self.later(seconds, self.start, host, fault)

    def kill(self):
        host = self.one()
        if host:
            self.gone(host, "kill", signal.SIGKILL, self.chance.uniform(0.5, 4))

    def restart(self):
        host = self.one()
        if host:
            self.gone(host, "kill", signal.SIGKILL, self.chance.uniform(0, 0.3))

    def stop(self):
        host = self.one()
        if host:
            self.gone(host, "stop", signal.SIGTERM, self.chance.uniform(0.2, 4))

    def resign(self):
        """Asks the leader to hand over, whoever it is."""
        host = next((h for h in self.fit(2) if h.view and h.view["role"] == "leader"), None)
        if not host:
            return
        at = lan.now()
        error, _ = host.ask("io.electd.Resign", **{"for": 1})
        if not error:
            # It may lead again after that, and says so.
            self.noted("resign", [host], at=at).end = self.barred = lan.now() + 1.0
        elif error != "io.electd.NotLeader":
            raise Failed("resign: %s" % error)

    def stalled(self, host, seconds):
        fault = self.noted("stall", [host])
        self.truth.stalled.add(host)
        self.truth.note()
        host.process.send_signal(signal.SIGSTOP)
        self.later(seconds, self.go_on, host, fault)

    def go_on(self, host, fault):
        fault.end = lan.now()
        self.truth.stalled.discard(host)
        self.truth.note()
        host.process.send_signal(signal.SIGCONT)

    def stall(self):
        host = self.one()
        if host:
            self.stalled(host, self.chance.choice((0.3, 0.5, 0.7, 1.0, 2.0, 4.0)))

    def half(self):
        """Half of all hosts at once: killed, stopped or stalled, and all back at one moment."""
        hosts = self.fit(len(self.net.hosts) - 2)
        if not hosts:
            return
        what, seconds = self.chance.randrange(3), self.chance.uniform(0.5, 3)
        for host in self.chance.sample(hosts, len(self.net.hosts) // 2):
            if what == 2:
                self.stalled(host, seconds)
            else:
                self.gone(host, *(("kill", signal.SIGKILL), ("stop", signal.SIGTERM))[what],
                          seconds)

    def blackout(self):
        """All at once: what they come back with is what their disks have kept."""
        hosts = self.fit(len(self.net.hosts) - 1)
        for host in hosts:
            self.gone(host, "kill", signal.SIGKILL, 0.3)

    # ---- the network ----

    def plug(self, parts):
        """All ports at once, as near as can be."""
        self.truth.changing = True
        self.truth.note()
        words = []
        for number, part in enumerate(parts):
            bridge = self.net.bridge(number)
            for host in part:
                words.append("link set %s master %s" % (host.port, bridge))
                self.truth.part[host] = number
        subprocess.run(["ip", "-batch", "-"], input="\n".join(words), text=True, check=True)
        self.truth.changing = False
        self.truth.note()

    def split(self):
        if self.split_fault:
            return
        hosts = list(self.net.hosts)
        self.chance.shuffle(hosts)
        at = self.chance.randint(1, len(hosts) // 2)
        parts = [hosts[:at], hosts[at:]]
        if len(parts[1]) > 4 and self.chance.random() < 0.3:
            parts = [parts[0], parts[1][:2], parts[1][2:]]
        of = {h: n for n, part in enumerate(parts) for h in part}
        self.split_fault = self.noted("split", hosts, {
            (a, b) for a in hosts for b in hosts if of[a] != of[b]})
        self.plug(parts)
        self.later(self.chance.choice((0.4, 1.0, 2.5, 7.0)), self.heal)

    def heal(self):
        self.plug([self.net.hosts])
        self.split_fault.end = lan.now()
        self.split_fault = None

    def rule(self, host, name, text):
        """Sets one of the host's rules, or takes it away."""
        if text:
            self.rules[host][name] = text
        else:
            self.rules[host].pop(name, None)
        host.let_in(*self.rules[host].values())

    def cut(self):
        """One host hears another no more, or one hears nobody; they are heard as before."""
        deaf, *others = self.chance.sample(self.net.hosts, len(self.net.hosts))
        others = others[:self.chance.choice((1, 1, 3, len(others)))]
        pairs = {(other, deaf) for other in others}
        if pairs & self.truth.cuts:
            return
        fault = self.noted("cut", [deaf], pairs)
        self.truth.cuts |= pairs
        self.truth.note()
        for other in others:
            self.rule(deaf, other.name, "ether saddr %s drop" % other.mac().hex(":"))
        self.later(self.chance.choice((0.5, 1.5, 4.0)), self.uncut, deaf, others, fault)

    def uncut(self, deaf, others, fault):
        for other in others:
            self.rule(deaf, other.name, None)
        self.truth.cuts -= fault.pairs
        self.truth.note()
        fault.end = lan.now()

    def loss(self):
        """Hosts that do not receive a share of what is sent to them."""
        hosts = [h for h in self.net.hosts if h not in self.truth.lossy]
        if not hosts:
            return
        hosts = self.chance.sample(hosts, self.chance.randint(1, len(hosts)))
        percent = self.chance.choice(self.LOSSES)
        fault = self.noted("loss", hosts)
        self.truth.lossy |= set(hosts)
        self.truth.note()
        for host in hosts:
            self.rule(host, "loss",
                      "udp dport 7543-7575 numgen random mod 100 < %d drop" % percent)
        self.later(self.chance.choice((1.0, 3.0, 6.0)), self.no_loss, hosts, fault)

    def no_loss(self, hosts, fault):
        for host in hosts:
            self.rule(host, "loss", None)
        self.truth.lossy -= set(hosts)
        self.truth.note()
        fault.end = lan.now()

    # ---- configuration ----

    def reload(self):
        host = self.one(0)
        if not host or not host.view:   # it has only just been started
            return
        self.noted("reload", [host]).end = lan.now()
        broken = self.chance.random() < 0.4
        text = self.chance.choice(BROKEN) if broken else self.chance.choice(VALID)(self.chance)
        host.write_config(text)
        error, reply = host.ask("io.electd.Reload")
        if (error == "io.electd.ConfigInvalid") != broken or (error and not broken):
            raise Failed("reload of %r: %s %s" % (text, error, reply))
        host.write_config()   # a restart must find a good file

    # ---- the plan ----

    KINDS = ("kill", "restart", "stop", "resign", "stall", "half", "blackout", "split", "cut",
             "loss", "reload")
    LOSSES = 2, 10, 20, 30      # percent

    def storm(self, faults):
        """So many faults, of a few kinds: then what must not follow from those is seen."""
        kinds = self.chance.sample(self.kinds, min(len(self.kinds),
                                                   self.chance.choice((1, 2, 2, 3))))
        before = sum(self.count.values())
        for _ in range(faults):
            getattr(self, self.chance.choice(kinds))()
            self.rest(self.chance.choice((0.05, 0.3, 1.0, 2.0)))
        return kinds, sum(self.count.values()) - before

    def end_all(self):
        """Waits for no end any longer: everything works and runs when this returns."""
        self.mend(everything=True)
        for host in sorted(self.truth.running, key=lambda h: h.number):
            if host.process.poll() is not None:
                raise Failed("%s ended by itself: %s" % (host.name, host.process.returncode))
        return lan.now()

    def over(self):
        """Until nothing that was done has consequences still to come."""
        time.sleep(max(0.0, self.barred + 3 * lan.BEACON - lan.now()))


def can_filter(host):
    """Whether this kernel has what loss needs."""
    try:
        host.let_in("udp dport 7543 numgen random mod 100 < 1 drop")
        host.let_in()
    except (Failed, OSError):
        return False
    return os.path.exists("/run/netns/" + host.name)
