#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""electd must count exactly the datagrams that a kernel carries to and from it.

Forgeries are made from a captured beacon, so no key is needed, and put into the cable of a host
with their original addresses: a forger on the same LAN can do no more. Each must be counted by its
reason, except those that the filter of the socket drops in the kernel. No host may change or
answer."""
import collections
import contextlib
import struct

import frames
import lan
import report
from report import Failed

BURST = 20
# Long enough for a busy machine that is late by half a second.
TIMING = "timing = { beacon_interval_ms = 200; dead_after_ms = 4000; };"


def patched(payload, at, value):
    return payload[:at] + value + payload[at + len(value):]


def length_corrected(payload):
    return patched(payload, 6, struct.pack("!H", len(payload)))


# Name: (the reason by which it is counted; how it is made).
FORGERIES = {
    "truncated header": ("short", lambda p: p[:60]),
    "truncated": ("length", lambda p: p[:-20]),
    "truncated, length corrected": ("tag", lambda p: length_corrected(p[:-20])),
    "oversized": ("short", lambda p: length_corrected(p + bytes(1300 - len(p)))),
    "longer than it says": ("length", lambda p: p + b"x"),
    "no magic": (None, lambda p: b"X" + p[1:]),
    "wrong version": ("version", lambda p: patched(p, 4, b"\2")),
    "unknown type": ("type", lambda p: patched(p, 5, b"\xc8")),
    "reserved byte": ("length", lambda p: patched(p, 11, b"\1")),
    "unknown key": ("key", lambda p: patched(p, 8, b"\7")),
    "other domain": ("domain", lambda p: patched(p, 12, b"\1\2\3\4")),
    "other sender": ("tag", lambda p: patched(p, 16, b"\x55" * 16)),
    "changed counter": ("tag", lambda p: patched(p, 72, b"\0\0\0\1")),
    "wrong tag": ("tag", lambda p: p[:-1] + bytes([p[-1] ^ 1])),
    "a copy": ("replayed", lambda p: p),
}


def counted(net, sniffer, sent):
    """Waits until electd of each host has counted each message on the wire since its start, and no
    other, and the other hosts each beacon of the leader. `sent`: the messages on the wire before.
    """
    def is_counted():
        counters = {host: host.counts("electd_packets_sent_total") for host in net.hosts}
        sent.update((host, name) for host, _, name, _ in sniffer.drain())
        return all(sent[host, name] == number
                   for host, numbers in counters.items() for name, number in numbers.items())

    def is_received():
        counters = [host.counts("electd_packets_received_total")["AYCoord"]
                    for host in net.hosts if host is not leader]
        sent.update((host, name) for host, _, name, _ in sniffer.drain())
        return set(counters) == {sent[leader, "AYCoord"]}
    net.settle()
    leader = net.leader()
    lan.until("the messages sent are those on the wire", is_counted)
    lan.until("the beacons received are those on the wire", is_received)
    return "%d messages" % sum(sent.values())


def beacon(sniffer, sender):
    found = []

    def is_there():
        found.extend(frame for host, to_all, name, frame in sniffer.drain()
                     if host is sender and to_all and name == "AYCoord")
        return found
    lan.until("a beacon of %s" % sender.name, is_there)
    return found[0]


def forged(net, sniffer):
    leader, (victim, _) = net.leader_and_others()
    with contextlib.closing(frames.Injector(victim.port).socket) as cable:
        before, mark, frame = victim.dropped(), net.mark(), beacon(sniffer, leader)
        payload, expected = frames.payload_of(frame), collections.Counter(ttl=BURST)
        for reason, make in FORGERIES.values():
            for _ in range(BURST):
                cable.send(frames.frame_with(frame, make(payload)))
            expected[reason] += BURST
        for _ in range(BURST):
            cable.send(frames.frame_with(frame, payload, ttl=254))
    del expected[None]

    def count():
        return {reason: number - before[reason] for reason, number in victim.dropped().items()
                if number > before[reason]}
    lan.until("%s are counted" % dict(expected), lambda: sum(count().values()) >= expected.total())
    beacon(sniffer, leader)     # it comes after all of them
    beacon(sniffer, leader)
    if count() != expected:
        raise Failed("counted: %s, sent: %s" % (count(), dict(expected)))
    if net.since(mark):
        raise Failed(lan.describe(net.since(mark)[0]))
    if victim.log().count("dropped:") > 1:
        raise Failed("several lines about dropped datagrams within a minute")
    return str(count())


def answers(net, sniffer):
    """No host answers a forged message of the leader: a member sends it no beacon."""
    leader, (victim, _) = net.leader_and_others()
    with contextlib.closing(frames.Injector(victim.port).socket) as cable:
        frame = beacon(sniffer, leader)
        sniffer.drain()
        for _, make in FORGERIES.values():
            cable.send(frames.frame_with(frame, make(frames.payload_of(frame))))
    seen = set()

    def is_beyond():
        seen.update((name, leads) for host, leads, name, _ in sniffer.drain() if host is victim)
        return any(name == "AYThere" for name, _ in seen)
    lan.until("a later message of the host", is_beyond)
    others = {name for name, _ in seen} - {"AYThere"}
    if others:
        raise Failed("it was answered: %s" % others)


def main():
    result = report.Report()
    lan.setup()
    with (lan.Lan(3, TIMING, family="ipv4") as net,
          contextlib.closing(frames.Sniffer(net)) as sniffer):
        net.start()
        result.attempt("messages on the wire are counted", counted, net, sniffer,
                       collections.Counter())
        result.attempt("forgeries are counted", forged, net, sniffer)
        result.attempt("forgeries are not answered", answers, net, sniffer)
    result.exit()


if __name__ == "__main__":
    main()
