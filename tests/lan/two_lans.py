#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two LANs that are one: five hosts on both, and faults of one of them that nobody may notice.

two_lans.py [RUNS [key|open [NAME...]]] (default: one run of some faults; 10 in full, of all): only
those attempts whose names have one of these words. A LAN is lost at the coordinator or at a member:
at the switch, where the carrier stays, with the carrier, in one direction, one in each, and coming
and going each second. No list is made, no leader changes, nobody is silent. Both lost are as one
lost; hosts with one LAN each find the one between. With a key and without.
"""
import collections
import contextlib
import os
import re
import subprocess
import sys
import threading
import time

import frames
import lan
import report
from lan import BEACON, DEAD_AFTER, now, run
from report import Failed

HOSTS = 5
LANS = 2
# Whoever is silent for so long is dropped: eight beacons and three probes, and some more.
FAULT_S = 2.5
REST_S = 0.7
FLAPS = 5
# What settles by itself (algorithm.md 4.2, back-off and broken pairs), and is then left alone.
SETTLED_S = 20
LEFT_ALONE_S = 6
# What says that a list, or an election, was made.
MADE = "Ready", "Invitation"
KEY = "1 %s\n" % ("5a" * 32)
ATTACK_PER_S = 1000
ATTACK_S = 4
COPIES_KEPT = 200
# A window of a count cuts one message off at either end; periods have 20 %.
ENDS, JITTER = 2, 1.25


class Host(lan.Host):
    """eth0 is on the first LAN, eth1 on the second."""

    def __init__(self, *args):
        super().__init__(*args)
        self.ports = [self.port, "other%d" % self.number]
        self.addresses = [self.address, "10.78.0.%d" % self.number]
        run("ip", "link", "add", self.ports[1], "type", "veth", "peer", "name", "eth1", "netns",
            self.name)
        run("ip", "-n", self.name, "addr", "add", self.addresses[1] + "/24", "dev", "eth1")
        run("ip", "-n", self.name, "link", "set", "eth1", "up")
        run("ip", "link", "set", self.ports[1], "master", self.lan.bridge(1), "up")

    def key(self, text):
        path = os.path.join(self.dir, "keys")
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as f:
            f.write(text)
        self.write_config('auth = { keys = "%s"; };' % path)

    def sent(self):
        return collections.Counter(self.counts("electd_packets_sent_total"))


# ---- faults of one LAN at one host ----------------------------------------------------------------

@contextlib.contextmanager
def switch(host, number):
    """The carrier stays."""
    run("ip", "link", "set", host.ports[number], "nomaster")
    yield
    run("ip", "link", "set", host.ports[number], "master", host.lan.bridge(number))


@contextlib.contextmanager
def carrier(host, number):
    run("ip", "link", "set", host.ports[number], "down")
    yield
    run("ip", "link", "set", host.ports[number], "up")


@contextlib.contextmanager
def deaf(host, number):
    host.let_in("iifname eth%d drop" % number)
    yield
    host.let_in()


@contextlib.contextmanager
def mute(host, number):
    """On the cable: the host itself is told of no error."""
    rules = ["table netdev mute {", "chain in {",
             'type filter hook ingress device "%s" priority 0;' % host.ports[number], "drop", "}",
             "}"]
    subprocess.run(["nft", "-f", "-"], input="\n".join(rules), text=True, check=True)
    yield
    run("nft", "delete", "table", "netdev", "mute")


@contextlib.contextmanager
def crossed(host, number):
    """By neither LAN it can talk with anybody, but by both together."""
    with deaf(host, number), mute(host, 1 - number):
        yield


FAULTS = switch, carrier, deaf, mute, crossed


def flapping(fault, times):
    def flaps(host, number):
        for _ in range(times):
            with fault(host, number):
                time.sleep(1)
            time.sleep(1)
    return flaps


def lasting(fault):
    def lasts(host, number):
        with fault(host, number):
            time.sleep(FAULT_S)
        time.sleep(REST_S)
    return lasts


# ---- nobody notices -------------------------------------------------------------------------------

def made(net):
    total = collections.Counter()
    for host in net.hosts:
        total += host.sent()
    return {name: total[name] for name in MADE}


def members(net):
    """What the coordinator says of its members: (name, state, address)."""
    return [(m["name"], m["state"], m["address"])
            for m in net.leader().call("io.electd.GetMembers")["members"]]


def dropped(net):
    return sum(" dropped " in line and "datagram" not in line
               for host in net.hosts for line in host.log().splitlines())


def watched(net, action):
    """What was said of members while it went on."""
    said, over = set(), threading.Event()

    def watch():
        while not over.wait(BEACON / 2):
            said.update(members(net))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        action()
    finally:
        over.set()
        watcher.join()
    return said


def stood_still(changes):
    """A coordinator that was late itself asks who follows it, whatever the LANs do (algorithm.md 4.10):
    that says nothing of them."""
    return any(event["status"]["asking"] or event.get("reason") == "stalled"
               for _, _, event in changes)


def of_health(change):
    """A kernel answers by the LAN by which it was asked, and is asked now and then: a host that can
    talk to nobody by one LAN alone finds that it does not, and doubts later. That is reported, and true;
    so is a lost carrier, with which the address that people are shown may change."""
    problems = change.get("health", {}).get("problems", [])
    return set(change) - {"leader"} == {"health"} and all(
        "its kernel does not answer" in p or p.startswith("link-down: ") for p in problems)


def late(net):
    """By how much the loops were late, lately: to be told."""
    lags = {host.name: host.call("io.electd.GetMetrics")["text"] for host in net.hosts}
    return ", ".join("%s %s s" % (name, re.search(r"^electd_loop_lag_seconds\{.*\} (\S+)$", text,
                                                  re.M)[1]) for name, text in lags.items())


def unnoticed_once(net, number, fault, leads):
    """What is wrong with that run, and its changes."""
    leader, others = net.leader_and_others()
    victim = leader if leads else others[number % len(others)]
    mark, before, lines = net.mark(), made(net), dropped(net)
    said = watched(net, lambda: fault(victim, number % LANS))
    silent = sorted(name for name, state, _ in said if state == "silent")
    changes, wrong = net.since(mark), None
    if not all(of_health(change) for _, change in net.differences(mark)):
        wrong = "%d changes: %s" % (len(changes), [
            (host.name, change) for host, change in net.differences(mark)])
    elif made(net) != before:
        wrong = "%s sent, before %s" % (made(net), before)
    elif dropped(net) != lines or silent:
        wrong = "silent were %s" % silent
    return wrong and "run %d, %s: %s; late were: %s" % (
        number + 1, victim.name, wrong, late(net)), changes


def unnoticed(net, runs, fault, leads):
    """One run after the other, each on the other LAN. Once more where the machine stood still."""
    again = 0
    for number in range(runs):
        wrong, changes = unnoticed_once(net, number, fault, leads)
        while wrong and stood_still(changes) and again < runs:
            again += 1
            net.settle()
            wrong, changes = unnoticed_once(net, number, fault, leads)
        if wrong:
            raise Failed(wrong)
    return "%d runs%s" % (runs, again and ", the machine stood still in %d more" % again or "")


# ---- both lost --------------------------------------------------------------------------------------

def both_lost(net, runs):
    """As one LAN lost: the next leader leads, and who comes back joins."""
    times = []
    for _ in range(runs):
        old, others = net.leader_and_others()
        with switch(old, 0), switch(old, 1):
            at = now()
            net.wait("the others have a leader", lambda others=others: net.agreed(others))
            times.append(now() - at)
            if net.leader_of(others).name == old.name:
                raise Failed("%s leads them" % old.name)
        net.settle()
    return report.within(times, DEAD_AFTER + BEACON + 1)


# ---- hosts with one LAN each ----------------------------------------------------------------------

def one_between(net):
    """A on the first, B on both, C on the second: B is with one of them, the other alone."""
    first, between, second = net.hosts[:3]
    for host in net.hosts[3:]:
        host.stop()
    with switch(first, 1), switch(second, 0):
        for host in first, between, second:
            host.kill()
            host.start()
        took = -now()
        took += net.wait("two groups, and each is told of the other", lambda: all(
            h.view and h.view["leader"] and h.view["foreign"] for h in net.hosts[:3]) and
            sorted(len(h.view["members"]) for h in net.hosts[:3]) == [1, 2, 2], SETTLED_S)
        net.quiet(LEFT_ALONE_S)
    for host in net.hosts[3:]:
        host.start()
    net.settle()
    return "told after %.1f s" % took


# ---- what it costs, and what a recording does -------------------------------------------------------

class Wire(frames.Sniffer):
    """All cables of all hosts."""

    def __init__(self, net):
        super().__init__(net)
        self.ports = {port: host for host in net.hosts for port in host.ports}

    def counted(self, seconds):
        """{(host, address it is sent from, address it is sent to, kind): how many}."""
        seen, end = collections.Counter(), now() + seconds
        self.drain()
        while now() < end:
            time.sleep(0.05)
            for host, _, name, frame in self.drain():
                seen[host.name, address(frame, 26), address(frame, 30), name] += 1
        return seen


def links_of(host, other):
    """By which links electctl says that it hears it, {interface: state}."""
    done = host.electctl("--plain", "members", "--links")
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    return {row[1]: row[2] for row in rows if row[0] == other.name}


def until(what, condition):
    end = now() + lan.PATIENCE
    while not condition():
        if now() > end:
            raise Failed("not within %.0f s: %s" % (lan.PATIENCE, what))
        time.sleep(BEACON)


def told_links(net):
    """A member knows which link of the coordinator answers. What it says by the one that it hears by
    gets lost: the other one has fallen silent, so it asks, and tells."""
    leader, (member, *_) = net.leader_and_others()
    until("both links answer",
          lambda: links_of(member, leader) == {"eth0": "answers", "eth1": "answers"})
    mark = net.mark()
    with crossed(member, 0):
        until("one does not", lambda: links_of(member, leader).get("eth1") == "unanswered")
    until("both links answer",
          lambda: links_of(member, leader) == {"eth0": "answers", "eth1": "answers"})
    if not all(of_health(change) for _, change in net.differences(mark)):
        raise Failed("changes: %s" % lan.describe(net.since(mark)[0]))


def address(frame, at):
    return ".".join(str(byte) for byte in frame[at:at + 4])


def cost(net):
    """One unicast by one way, one multicast a beacon and link; a copy is no replay."""
    leader, others = net.leader_and_others()
    before = [host.dropped().get("replayed", 0) for host in net.hosts]
    mark = net.mark()
    seen = collections.Counter()
    with contextlib.closing(Wire(net)) as wire:
        said = watched(net, lambda: seen.update(wire.counted(FAULT_S * 2)))
    if len(said) > len(net.hosts):
        raise Failed("members are told by more than one address: %s" % sorted(said))
    beacons = FAULT_S * 2 / BEACON * JITTER + ENDS
    for source in leader.addresses:
        n = seen[leader.name, source, "224.0.0.254", "AYCoord"]
        if not beacons / 2 < n < beacons:
            raise Failed("%d beacons from %s" % (n, source))
    for host in others:
        by_link = [sum(n for (who, source, _, kind), n in seen.items()
                       if (who, source, kind) == (host.name, address_, "AYThere"))
                   for address_ in host.addresses]
        if sum(by_link) > beacons / 2 + ENDS or min(by_link) < max(by_link) / 2 - ENDS:
            raise Failed("%s: %s AYThere by its links" % (host.name, by_link))
    if [host.dropped().get("replayed", 0) for host in net.hosts] != before:
        raise Failed("copies of sound LANs are counted as replayed")
    if net.since(mark):
        raise Failed("changes: %s" % lan.describe(net.since(mark)[0]))
    return "%.1f frames a second of %d hosts" % (sum(seen.values()) / FAULT_S / 2, HOSTS)


def carried(frame, host):
    """The same on the other LAN, to that host: whoever has no key can do it."""
    if frame[30] >= 224:
        return frame
    mac = run("ip", "-n", host.name, "-o", "link", "show", "eth1").stdout
    mac = bytes.fromhex(mac.split("link/ether ")[1].split()[0].replace(":", ""))
    return mac + frame[6:]


def played(net, wire, host, source):
    """What the leader says on the first LAN, on the second one to that host, again and again: what
    the host sends meanwhile, {(its address, to, kind): how many}."""
    injector, kept, sent = frames.Injector(host.ports[1]), collections.deque(maxlen=COPIES_KEPT), 0
    seen, begin = collections.Counter(), now()
    wire.drain()
    while now() < begin + ATTACK_S:
        for who, multicast, name, frame in wire.drain():
            if who is host:
                seen[address(frame, 26), address(frame, 30), name] += 1
            elif address(frame, 26) == source and (multicast or
                                                   address(frame, 30) == host.address):
                kept.append(frames.frame_with(carried(frame, host), frames.payload_of(frame)))
        while kept and sent < (now() - begin) * ATTACK_PER_S:
            injector.send(kept[-1 - sent % len(kept)])
            sent += 1
        time.sleep(0.002)
    if sent < ATTACK_PER_S * ATTACK_S / 2:
        raise Failed("only %d copies were sent" % sent)
    return seen


def recorded_copies(net, prefix):
    """Unicast stays where it was, also where the second LAN could have that address."""
    leader, (host, *_) = net.leader_and_others()
    run("ip", "-n", host.name, "addr", "del", host.addresses[1] + "/24", "dev", "eth1")
    run("ip", "-n", host.name, "addr", "add", "%s/%d" % (host.addresses[1], prefix), "dev", "eth1")
    net.settle()
    mark = net.mark()
    with switch(leader, 1), contextlib.closing(Wire(net)) as wire:
        time.sleep(3 * BEACON)
        seen = played(net, wire, host, leader.address)
    moved = {key: n for key, n in seen.items() if key[0] != host.address and key[1] == leader.address}
    asked = sum(n for (_, _, name), n in moved.items() if name == "Challenge")
    told_there = sum(n for (_, to, name), n in seen.items()
                     if to == leader.address and name == "AYThere")
    if sum(moved.values()) > asked or asked > ATTACK_S / BEACON:
        raise Failed("sent by the other link: %s" % moved)
    if told_there < ATTACK_S / BEACON / 2 / JITTER - ENDS:
        raise Failed("%d AYThere in %d s" % (told_there, ATTACK_S))
    if net.since(mark):
        raise Failed("changes: %s" % lan.describe(net.since(mark)[0]))
    run("ip", "-n", host.name, "addr", "del", "%s/%d" % (host.addresses[1], prefix), "dev", "eth1")
    run("ip", "-n", host.name, "addr", "add", host.addresses[1] + "/24", "dev", "eth1")
    return "%d questions by the other link, %d AYThere where they were" % (asked, told_there)


# ---- all of it --------------------------------------------------------------------------------------

class Lans(lan.Lan):
    def leader_of(self, hosts):
        return next(h for h in hosts if h.view["role"] == "leader")


def lost(result, net, runs, faults):
    for fault, leads in faults:
        where = "the coordinator" if leads else "a member"
        result.attempt("%s at %s" % (fault.__name__, where), unnoticed, net, runs, lasting(fault),
                       leads)


def flaps(result, net, runs, faults, times):
    for fault, leads in faults:
        where = "the coordinator" if leads else "a member"
        result.attempt("%s comes and goes at %s" % (fault.__name__, where), unnoticed, net, runs,
                       flapping(fault, times), leads)


def begin(net, key):
    for host in net.hosts:
        if key:
            host.key(KEY)
        host.start()
    net.settle()
    time.sleep(5 * BEACON)      # all ways have answered


def counted(result, key, prefixes):
    """What is looked at frame by frame."""
    with Lans(HOSTS, kind=Host, family="ipv4") as net:
        begin(net, key)
        result.attempt("cost", cost, net)
        for prefix in prefixes:
            result.attempt("recorded copies, /%d" % prefix, recorded_copies, net, prefix)


def in_short(result):
    counted(result, True, [8])
    with Lans(HOSTS, kind=Host) as net:
        begin(net, True)
        lost(result, net, 1, [(switch, True), (carrier, True), (deaf, True), (mute, False)])
        flaps(result, net, 1, [(switch, True)], 2)
        result.attempt("links are told", told_links, net)
        result.attempt("both lost", both_lost, net, 1)


def in_full(result, runs, key):
    counted(result, key, [24, 8])
    with Lans(HOSTS, kind=Host) as net:
        begin(net, key)
        both = [(fault, leads) for fault in FAULTS for leads in (True, False)]
        lost(result, net, runs, both)
        flaps(result, net, runs, [(switch, True), (switch, False), (carrier, True), (mute, False)],
              FLAPS)
        result.attempt("links are told", told_links, net)
        result.attempt("both lost", both_lost, net, runs)
        result.attempt("one between", one_between, net)


class Chosen(report.Report):
    """Of all attempts those whose names have one of these words; all if there are none."""

    def __init__(self, words):
        super().__init__()
        self.words = words

    def attempt(self, name, function, *args):
        if not self.words or any(word in name for word in self.words):
            super().attempt(name, function, *args)


def main():
    lan.setup()
    result = Chosen(sys.argv[3:])
    if len(sys.argv) == 1:
        in_short(result)
    else:
        in_full(result, int(sys.argv[1]), sys.argv[2:3] != ["open"])
    result.exit()


if __name__ == "__main__":
    main()
