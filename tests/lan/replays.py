#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recorded datagrams of former sessions can do to a host, without the key: nothing.

replays.py [RUNS [SECONDS]] (default 1, 3; with more than one run each kind of message is sent alone,
too). First a LAN lives through enough to say nearly every kind of message, twice, and is recorded.
Then hosts are started anew while what was said before is sent to one of them again, from the
addresses it came from: five times a second, and as many as 50 000 a second, to itself and by
multicast in turn. It must lead, join, merge and follow as without, and nobody may be told anything
but in a counter.
"""
import multiprocessing
import os
import sys
import time

import frames
import lan
from lan import BEACON, DEAD_AFTER, LONE_HOLD
import report
from report import Failed

SLOW, FLOOD = 5, 50000
# A loaded machine may wake anybody late by so much.
SLACK = 0.100
# What a flood may cost whoever is to decode it.
FLOOD_SLACK = 1.000


# ---- recording ------------------------------------------------------------------------------------

def deaf(net, host, leader):
    """Does not hear the leader for a while: it asks, wants to succeed, and is declined."""
    host.let_in("ip saddr %s drop" % leader.address)
    net.wait("it gives the leader up", lambda: host.view["group"] != leader.view["group"])
    host.let_in()
    net.settle()


def life(net):
    """What makes hosts say all kinds of things: starts, ends, a split, a merge, a resignation."""
    net.start()
    net.settle()
    net.leader().electctl("resign", "--for", "1")
    net.settle()
    deaf(net, next(h for h in net.hosts if h is not net.leader()), net.leader())
    net.split(net.hosts[:2], net.hosts[2:])
    for part in (net.hosts[:2], net.hosts[2:]):
        net.wait("a leader in each part", lambda part=part: net.agreed(part))
    net.heal()
    net.settle()
    for end in ("kill", "stop"):
        victim = net.leader()
        getattr(victim, end)()
        net.wait("another leads", lambda: net.agreed(net.running()))
        victim.start()
        net.settle()
    for host in net.hosts:
        host.kill()


def record(net, sniffer):
    """Two lives of everybody: the frames of each kind, {name: [frame]}."""
    said = {}
    for _ in range(2):
        sniffer.drain()
        life(net)
        for _, _, name, frame in sniffer.drain():
            said.setdefault(name, []).append(frame)
    unsaid = set(frames.MESSAGES) - set(said) - {"none", "Accept_answer"}
    if unsaid:
        raise Failed("never said, so not recorded: %s" % sorted(unsaid))
    return said


def leaders_beacons(said):
    """The last beacon of each session that led: two from most hosts."""
    newest = {}
    for frame in said["AYCoord"]:
        if frames.says_leader(frame):
            newest[frames.payload_of(frame)[16:40]] = frame
    if len(newest) < 4:
        raise Failed("only %d sessions led" % len(newest))
    return {"AYCoord": list(newest.values())}


def to_host(said, host, most=400):
    """The newest of each kind from others, made to arrive at this host alone, the kinds mixed: by
    multicast, and to a running one in turn by unicast."""
    turned, unicast = [], (host.mac(), host.address, host.unicast_port()) if host.process else None
    for name in sorted(said):
        others = [f for f in said[name] if f[26:30] != frames.address_bytes(host.address)]
        for n, frame in enumerate(others[-most:]):
            to = unicast if unicast and n % 2 else frames.EVERYBODY
            turned.append((n, name, frames.frame_with(frame, frames.payload_of(frame), to=to)))
    turned.sort(key=lambda item: item[:2])
    return [frame for _, _, frame in turned]


# ---- replaying ------------------------------------------------------------------------------------

def inject(port, replay, rate, count):
    """Runs in a process of its own until it is ended. A few datagrams come `rate` times a second
    each, many so many a second together."""
    rate = rate * min(len(replay), 8) if rate == SLOW else rate
    injector = frames.Injector(port)
    begin, n = time.monotonic(), 0
    while True:
        due = int((time.monotonic() - begin) * rate) + 1
        for _ in range(min(due - n, 500)):
            injector.send(replay[n % len(replay)])
            n += 1
        count.value = n
        time.sleep(min(1 / rate, 0.1) if rate < 1000 else 0.0005)


class Replay:
    """Sends to the host at that port, or to all at a bridge, while the block runs."""

    def __init__(self, port, replay, rate):
        self.count = multiprocessing.Value("L", 0)
        self.process = multiprocessing.Process(
            target=inject, args=(port, replay, rate, self.count), daemon=True)

    def __enter__(self):
        self.begin = lan.now()
        self.process.start()
        return self

    def __exit__(self, kind, value, trace):
        self.process.kill()
        self.process.join()
        self.rate = self.count.value / (lan.now() - self.begin)


# ---- what may come of it ----------------------------------------------------------------------------

def arrived(host):
    """Datagrams that electd has read so far."""
    return sum(host.dropped().values()) + sum(
        host.counts("electd_packets_received_total").values())


def told(host, offset):
    """What the log says besides sums of dropped datagrams."""
    return [line for line in host.log()[offset:].splitlines() if "dropped:" not in line]


def quiet(net, hosts, seconds, expected):
    """No change, no word, `status` and `check` as before."""
    mark, offsets = net.mark(), [len(h.log()) for h in hosts]
    time.sleep(seconds)
    changes = [e for e in net.since(mark) if e[1] in hosts]
    if changes:
        raise Failed("a change: %s" % lan.describe(changes[0]))
    for host, offset in zip(hosts, offsets):
        if told(host, offset):
            raise Failed("%s says: %s" % (host.name, told(host, offset)[0]))
    said = [words(h) for h in hosts]
    if said != expected:
        raise Failed("status or check says otherwise: %s, was %s" % (said, expected))


def words(host):
    """What a person and a monitor see of its health."""
    status = host.call("io.electd.GetStatus")
    check = host.electctl("check")
    return status["health"], check.returncode, check.stdout.split(",")[0]


def lead(net, host):
    at = lan.now()
    host.start()
    took = net.wait("it leads", lambda: host.view and host.view["role"] == "leader") - at
    host.kill()
    return took


def join(net, host):
    """Comes back into a group of others: the time from its start."""
    host.kill()
    time.sleep(2 * BEACON)
    at = lan.now()
    host.start()
    took = net.wait("it joins", lambda: host.view and host.view["role"] == "follower") - at
    net.settle()
    return took


def merge(net, host):
    """Alone behind a split, and then healed: the time until all agree. Everybody begins anew, for
    those that lost each other a moment ago wait before they merge again."""
    others = [h for h in net.running() if h is not host]
    for h in net.running():
        h.kill()
    net.split([host], others)
    for h in [host, *others]:
        h.start()
    net.wait("two leaders", lambda: net.agreed([host]) and net.agreed(others))
    at = net.heal()
    return net.wait("one group", lambda: net.agreed([host, *others])) - at


def compared(name, without, under, slack):
    """Medians: under a replay and without."""
    middle = [sorted(v)[len(v) // 2] for v in (without, under)]
    words = "%s %.0f ms (without: %.0f)" % (name, middle[1] * 1000, middle[0] * 1000)
    if middle[1] > middle[0] + slack:
        raise Failed(words)
    return words


def times(net, said, rate, runs):
    """To lead alone, to join, to merge: with former sessions about, and without."""
    for h in net.running():
        h.kill()
    net_hosts, slack = net.hosts[:3], (BEACON + SLACK if rate == SLOW else FLOOD_SLACK)
    host, results = net_hosts[0], []
    for name, act in (("lead", lead), ("join", join), ("merge", merge)):
        measured = ([], [])
        for _ in range(runs):
            for which in (0, 1):
                if name != "lead" and not host.process:
                    for h in net_hosts:
                        h.start()
                    net.settle()
                if which == 0:
                    measured[0].append(act(net, host))
                else:
                    with Replay(host.port, to_host(said, host), rate):
                        time.sleep(0.1)
                        measured[1].append(act(net, host))
        results.append(compared(name, *measured, slack))
    return ", ".join(results)


def standing(net, said, rate, seconds):
    """A follower, a leader, and a leader alone are sent it while nothing else happens."""
    hosts, results = net.hosts[:3], []
    for h in net.running():
        h.kill()
    for h in hosts:
        h.start()
    net.settle()
    leader = net.leader()
    for victim in (next(h for h in hosts if h is not leader), leader):
        before, expected = arrived(victim), [words(h) for h in hosts]
        with Replay(victim.port, to_host(said, victim), rate) as replay:
            quiet(net, hosts, seconds, expected)
        # What electd cannot read in time its kernel drops.
        read = arrived(victim) - before
        if read < min(replay.count.value, 1000 * seconds) or replay.count.value < SLOW * seconds:
            raise Failed("%d datagrams were sent, %d arrived" % (replay.count.value, read))
        results.append("%s %.0f/s, %.0f read" % (victim.view["role"], replay.rate,
                                                 read / seconds))
    for h in hosts:
        if h is not leader:
            h.kill()
    net.wait("the leader is alone", lambda: net.agreed([leader]))
    time.sleep(2 * DEAD_AFTER)
    expected = [words(leader)]
    with Replay(leader.port, to_host(said, leader), rate) as replay:
        quiet(net, [leader], seconds, expected)
    leader.kill()
    return ", ".join(results + ["alone %.0f/s" % replay.rate])


def reflected(net, sniffer, said):
    """What a leader alone says for what seems to come from a host that is off, each kind of every
    former session once: never more, and to nobody else. It may ask who that is, and say who it is
    itself, both in the smallest of datagrams. Its own beacons are not counted."""
    victim, away = net.hosts[0], net.hosts[4]
    victim.start()
    net.wait("it leads", lambda: victim.view and victim.view["role"] == "leader")
    source = frames.address_bytes(away.address)
    replay = [f for f in to_host(said, victim, 50) if f[26:30] == source]
    sniffer.drain()
    injector = frames.Injector(victim.port)
    for frame in replay:
        injector.send(frame)
        time.sleep(0.01)
    time.sleep(2 * BEACON)
    said_ = [(name, f) for h, _, name, f in sniffer.drain() if h is victim and name != "AYCoord"]
    back = [f for _, f in said_]
    sent, returned = (sum(len(frames.payload_of(f)) for f in list_) for list_ in (replay, back))
    victim.kill()
    words_ = "%d bytes out for %d bytes in, %d datagrams for %d" % (
        returned, sent, len(back), len(replay))
    others = {name for name, f in said_
              if name not in ("Challenge", "Challenge_answer") or f[30:34] != source}
    if not replay or returned > sent or len(back) > len(replay) or others:
        raise Failed("%s; what it must not say: %s" % (words_, others or "nothing"))
    return words_


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 3
    result = report.Report()
    lan.setup()
    with lan.Lan(5, family="ipv4") as net:
        sniffer = frames.Sniffer(net)
        said = record(net, sniffer)
        for name, some in (("all kinds", said), ("leaders' beacons", leaders_beacons(said))):
            for rate in (SLOW, FLOOD):
                words_ = "%s, %d a second" % (name, rate)
                # Long enough for a coordinator to be taken for one that cannot be merged with.
                least = 40 * BEACON if rate == SLOW and some is not said else 0
                result.attempt("times: " + words_, times, net, some, rate, runs)
                result.attempt("standing: " + words_, standing, net, some, rate,
                               max(seconds, least))
        for name in sorted(said) if runs > 1 else ():
            some = {name: said[name][-20:]}
            result.attempt("times: %s, slowly" % name, times, net, some, SLOW, 1)
            result.attempt("standing: %s, in a flood" % name, standing, net, some, FLOOD, 2)
        for h in net.running():
            h.kill()
        result.attempt("reflected", reflected, net, sniffer, said)
        sniffer.close()
        if result.failed:
            net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
