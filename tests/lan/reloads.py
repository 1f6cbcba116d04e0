#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random reloads of random hosts, valid and broken, on a LAN that must not notice.

reloads.py [RELOADS [SEED]]: the method, the command and SIGHUP by turns. A valid file takes effect
and names what changed; a broken one names file, line and key, changes nothing and leaves status
and --print-config as they were. No leader changes, no group is formed.
"""
import random
import signal
import sys
import time

import lan
from lan import BEACON
import report
from report import Failed

HOSTS = 4

# key: values that force nothing, also where a host is not heard for a moment. The first host never
# says preempt, so all treat it as off.
VALID = {
    "priority": lambda c: "%d" % c.randint(1, 255),
    "preempt": lambda c: c.choice(("true", "false")),
    "timing.beacon_interval_ms": lambda c: "%d" % c.randint(180, 220),
    "timing.dead_after_ms": lambda c: "%d" % c.randint(600, 900),
    "timing.silence_ms": lambda c: "%d" % c.choice((0, c.randint(75, 300))),
    "timing.lone_hold_ms": lambda c: "%d" % c.randint(1000, 2000),
    "timing.start_hold_ms": lambda c: "%d" % c.randint(500, 1000),
    "timing.yield_timeout_ms": lambda c: "%d" % c.randint(5000, 20000),
    "timing.crash_wait_ms": lambda c: "%d" % c.randint(0, 20000),
    "network.without_carrier": lambda c: c.choice(('"follow"', '"lead"')),
    "network.carrier_hold_ms": lambda c: "%d" % c.randint(0, 30000),
    "quorum": lambda c: "%d" % c.randint(0, HOSTS - 1),
    "health.nobody_well": lambda c: c.choice(('"none"', '"stay"')),
    "hooks.timeout_ms": lambda c: "%d" % c.randint(1000, 20000),
    "hooks.on_failure": lambda c: c.choice(('"ignore"', '"resign"')),
}

# What is wrong, and the key that must be named ("" where the file cannot be read at all).
BROKEN = [
    ("priority = 256;", "priority"),
    ("priority = 1.5;", "priority"),
    ('preempt = "yes";', "preempt"),
    ("quorum = 1025;", "quorum"),
    ('health = { required = [ "a b" ]; };', "health.required"),
    ("prioritee = 3;", "prioritee"),
    ("timing = { beacon_interval_ms = 9; };", "timing.beacon_interval_ms"),
    ("timing = { beacon_interval_ms = 400; };", "timing.dead_after_ms"),
    ("timing = { dead = 600; };", "timing.dead"),
    ('network = { family = "ipv5"; };', "network.family"),
    ('domain = "";', "domain"),
    ("priority = ", ""),
    ("};", ""),
]


def text_of(values):
    """A configuration file of these keys: groups are written as groups."""
    groups, lines = {}, []
    for key, value in values.items():
        group, _, name = key.rpartition(".")
        if group:
            groups.setdefault(group, []).append("%s = %s;" % (name, value))
        else:
            lines.append("%s = %s;" % (key, value))
    return "\n".join(lines + ["%s = { %s };" % (g, " ".join(v)) for g, v in groups.items()])


class Reloads:
    def __init__(self, net, chance):
        self.net, self.chance = net, chance
        self.values = {h: {} for h in net.hosts}
        self.counts = {"valid": 0, "broken": 0}

    def ask(self, host):
        """(refused?, what it says) by one of the three ways; None where the way says nothing."""
        way = self.chance.randrange(3)
        if way == 0:
            error, reply = host.ask("io.electd.Reload")
            return bool(error), reply
        if way == 1:
            done = host.electctl("reload")
            if done.returncode not in (0, 7):
                raise Failed("electctl reload: exit %d, %s" % (done.returncode, done.stderr))
            return done.returncode == 7, done.stdout + done.stderr
        log = host.dir + "/log"
        before = len(report.whole_lines(log))
        host.process.send_signal(signal.SIGHUP)
        end = lan.now() + 5
        while lan.now() < end:
            said = "\n".join(report.whole_lines(log)[before:])
            if "configuration read again" in said or "nothing was reloaded" in said:
                return "nothing was reloaded" in said, said
            time.sleep(0.002)
        raise Failed("%s says nothing about SIGHUP" % host.name)

    def valid(self, host):
        chance, values = self.chance, self.values[host]
        new = dict(values)
        for key in chance.sample(sorted(VALID), chance.randint(1, 4)):
            if key == "preempt" and host is self.net.hosts[0]:
                continue
            if key in new and chance.random() < 0.3:
                del new[key]
            else:
                new[key] = VALID[key](chance)
        host.write_config(text_of(new))
        refused, said = self.ask(host)
        if refused:
            raise Failed("a good file is refused: %s\n%s" % (said, text_of(new)))
        changed = {k for k in set(new) | set(values) if new.get(k) != values.get(k)}
        self.values[host] = new
        # A default written out is no change, so what is told may be less, never more. Defaults
        # that are computed from other keys change with these.
        computed = {"timing.silence_ms", "timing.start_hold_ms", "timing.lone_hold_ms",
                    "timing.yield_timeout_ms", "timing.crash_wait_ms"}
        if isinstance(said, dict) and set(said["changed"]) - changed - computed:
            raise Failed("changed %s, told %s" % (changed, said["changed"]))
        priority = int(new.get("priority", 100))
        if host.call("io.electd.GetStatus")["node"]["priority"] != priority:
            raise Failed("%s does not have priority %d" % (host.name, priority))
        self.counts["valid"] += 1

    def broken(self, host):
        text, key = self.chance.choice(BROKEN)
        before = self.state(host)
        host.write_config(text)
        refused, said = self.ask(host)
        if not refused:
            raise Failed("%r is accepted: %s" % (text, said))
        if isinstance(said, dict):
            if said["key"] != key or said["file"] != host.config or said["line"] < 2:
                raise Failed("%r: %s" % (text, said))
        elif host.config + ":" not in said or key not in said:
            raise Failed("%r: no file, line and key in %r" % (text, said))
        if self.state(host) != before:
            raise Failed("%r changed %s to %s" % (text, before, self.state(host)))
        host.write_config(text_of(self.values[host]))
        self.counts["broken"] += 1

    @staticmethod
    def state(host):
        status = host.call("io.electd.GetStatus")
        return [status[k] for k in ("role", "state", "node", "leader", "group", "token", "quorum",
                                    "domain")]


def reloads(net, count, chance):
    net.settle()
    time.sleep(3 * BEACON)
    work, mark, leader = Reloads(net, chance), net.mark(), net.leader()
    group, token = leader.group(), leader.token()
    for _ in range(count):
        host = chance.choice(net.hosts)
        (work.broken if chance.random() < 0.4 else work.valid)(host)
        time.sleep(chance.choice((0.0, 0.01, 0.1, 0.3)))
    time.sleep(6 * BEACON)
    for item in net.since(mark):
        status = item[2]["status"]
        if item[2]["event"] not in ("members", "state") or status["state"] != "normal" or \
                status["token"] != str(token) or status["group"]["id"] != group:
            raise Failed("a reload caused %s" % lan.describe(item))
    if net.leader() is not leader or not net.agreed():
        raise Failed("after all reloads %s leads" % net.leader().name)
    if not work.counts["valid"] or not work.counts["broken"]:
        raise Failed("not both were tried: %s" % work.counts)
    return "%(valid)d valid, %(broken)d broken, nobody lost his role" % work.counts


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 31)
    if len(sys.argv) <= 2:
        sys.argv = [sys.argv[0], str(count), str(seed)]
    result = report.Report()
    lan.setup()
    with lan.Lan(HOSTS) as net:
        net.start()
        result.attempt("reloads, seed %d" % seed, reloads, net, count, random.Random(seed))
        if result.failed:
            net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
