#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a running electd is sent, and nobody should be moved by it.

Datagrams are made from captured ones, so no key is needed, and put into the victim's own cable
with the addresses they had: a forger on the same LAN can do no more. Every one must be counted by
its reason, and nothing else may happen: no change, no answer, no line for each. And what is told of
hosts that have another key.
"""
import os
import random
import re
import struct
import time

import frames
import lan
from lan import BEACON
import report
from report import Failed

BURST = 20


def patched(payload, at, value):
    return payload[:at] + value + payload[at + len(value):]


def length_corrected(payload):
    return patched(payload, 6, struct.pack("!H", len(payload)))


# name: (the reason it is counted by, None where the kernel drops it; how it is made)
FORGERIES = {
    "truncated header": ("short", lambda p: p[:60]),
    "truncated": ("length", lambda p: p[:-20]),
    "truncated, length corrected": ("tag", lambda p: length_corrected(p[:-20])),
    "oversized": ("short", lambda p: length_corrected(p + bytes(1300 - len(p)))),
    "longer than it says": ("length", lambda p: p + b"x"),
    "wrong version": ("version", lambda p: patched(p, 4, b"\2")),
    "unknown type": ("type", lambda p: patched(p, 5, b"\xc8")),
    "reserved byte": ("length", lambda p: patched(p, 11, b"\1")),
    "unknown key": ("key", lambda p: patched(p, 8, b"\7")),
    "wrong tag": ("tag", lambda p: p[:-1] + bytes([p[-1] ^ 1])),
    "changed counter": ("tag", lambda p: patched(p, 72, b"\0\0\0\1")),
    "other sender": ("tag", lambda p: patched(p, 16, b"\x55" * 16)),
    "other domain": ("domain", lambda p: patched(p, 12, b"\1\2\3\4")),
    "no magic": (None, lambda p: b"X" + p[1:]),
    "a copy": ("replayed", lambda p: p),
}


def captured(net, sniffer, sender, seconds=2.0):
    """A beacon of `sender`."""
    end = lan.now() + seconds
    while lan.now() < end:
        for host, multicast, name, frame in sniffer.drain():
            if host is sender and multicast and name == "AYCoord":
                return frame
        time.sleep(0.02)
    raise Failed("no beacon of %s was seen" % sender.name)


def told(host, offset):
    """The faults a host has told in its log since `offset` characters: {reason: count}."""
    counts = {}
    for line in re.findall(r"datagrams? dropped: ([^;\n]*)", host.log()[offset:]):
        for name, count in re.findall(r"([a-z]+) (\d+)", line):
            counts[name] = counts.get(name, 0) + int(count)
    return counts


def harmless(net, sniffer, mark, what):
    """Nothing has changed anywhere, and nobody has answered."""
    time.sleep(2 * BEACON)
    changes = net.since(mark)
    if changes:
        raise Failed("%s: %s" % (what, lan.describe(changes[0])))
    seen = sniffer.drain()
    # A beacon of a busy machine is late, and asked for: that is answered.
    asked = any(frames.wants_answer(name, frame) for _, _, name, frame in seen)
    usual = {"AYCoord", "AYThere"} | ({"AYThere_answer"} if asked else set())
    others = [(h.name, name) for h, _, name, _ in seen if name not in usual]
    if others:
        raise Failed("%s was answered: %s" % (what, others[:5]))


def forged(net, sniffer):
    """Each kind, BURST times; the victim tells the sums when it is stopped."""
    leader = net.leader()
    victim = next(h for h in net.hosts if h is not leader)
    injector, offset = frames.Injector(victim.port), len(victim.log())
    expected = {}
    for what, (reason, make) in FORGERIES.items():
        mark, frame = net.mark(), captured(net, sniffer, leader)
        forgery = make(frames.payload_of(frame))
        sniffer.drain()
        for _ in range(BURST):
            injector.send(frames.frame_with(frame, forgery))
        harmless(net, sniffer, mark, what)
        if reason:
            expected[reason] = expected.get(reason, 0) + BURST
    mark, frame = net.mark(), captured(net, sniffer, leader)
    for _ in range(BURST):
        injector.send(frames.frame_with(frame, frames.payload_of(frame), ttl=254))
    harmless(net, sniffer, mark, "TTL 254")
    expected["ttl"] = BURST
    lines = victim.log()[offset:].count("dropped:")
    if lines > 1:
        raise Failed("%d lines about dropped datagrams within a minute" % lines)
    victim.stop()
    counts = told(victim, offset)
    if not re.search(r"; the last wrong tag was from [0-9a-f.:]+, which is not authenticated",
                     victim.log()[offset:]):
        raise Failed("nobody is told from where wrong tags come")
    victim.start()
    net.settle()
    wrong = {r: (n, counts.get(r, 0)) for r, n in expected.items() if counts.get(r, 0) != n}
    if wrong:
        raise Failed("reason: (sent, counted): %s; told: %s" % (wrong, counts))
    return "%d kinds, %d each: %s" % (len(FORGERIES), BURST, counts)


def rubbish(net, sniffer):
    """Random bytes of every size, half of them behind a good magic."""
    victim = net.hosts[0]
    chance, injector = random.Random(2), frames.Injector(victim.port)
    mark, frame = net.mark(), captured(net, sniffer, net.leader())
    sniffer.drain()
    for n in range(2000):
        payload = chance.randbytes(chance.randrange(0, 1400))
        if n % 2:
            payload = b"ECLT\1" + payload
        injector.send(frames.frame_with(frame, payload))
        if n % 100 == 0:
            time.sleep(0.01)
    harmless(net, sniffer, mark, "random bytes")
    return "2000 datagrams"


def replayed(net, sniffer):
    """Everything said while the coordinator stopped and came back, once more, to everybody."""
    injectors, chance = {h: frames.Injector(h.port) for h in net.hosts}, random.Random(3)
    sniffer.drain()
    victim = net.leader()
    victim.stop()
    net.settle()
    victim.start()
    net.settle()
    net.leader().kill()
    net.settle()
    next(h for h in net.hosts if not h.process).start()
    net.settle()
    time.sleep(2 * BEACON)
    seen = [(host, frames.frame_with(frame, frames.payload_of(frame)))
            for host, _, _, frame in sniffer.drain()]
    before = [sum(h.dropped().values()) for h in net.hosts]
    view = [(h.group(), h.view["role"], h.view["token"]) for h in net.hosts]
    mark = net.mark()
    for order in ("as it was", "shuffled"):
        if order == "shuffled":
            chance.shuffle(seen)
        for n, (sender, frame) in enumerate(seen):
            for host, injector in injectors.items():
                if host is not sender:
                    injector.send(frame)
            if n % 20 == 0:
                time.sleep(0.005)
    time.sleep(4 * BEACON)
    changes = [e for e in net.since(mark) if e[2]["event"] != "snapshot"]
    if changes or view != [(h.group(), h.view["role"], h.view["token"]) for h in net.hosts]:
        raise Failed("after a replay: %s" % [lan.describe(c) for c in changes[:3]])
    counted = [sum(h.dropped().values()) - b for h, b in zip(net.hosts, before)]
    for host, count in zip(net.hosts, counted):
        to_it = sum(frame[30] >= 224 for sender, frame in seen if sender is not host)
        if count < to_it:
            raise Failed("%s was sent %d datagrams, twice, and saw %d" % (host.name, to_it, count))
    return "%d datagrams of two elections, twice; dropped by the hosts: %s" % (len(seen), counted)


def other_domain(net):
    """A further LAN's worth of hosts in another domain on the same cables: two leaders, no word."""
    mark, group = net.mark(), net.leader().group()
    guest = lan.Host(net, len(net.hosts) + 1, 'domain = "guest";')
    net.hosts.append(guest)
    guest.start()
    net.wait("the guest leads its own domain", lambda: guest.view and
             guest.view["role"] == "leader")
    time.sleep(2 * BEACON)
    moved = [e for e in net.since(mark) if e[1] is not guest]
    if moved or len(guest.view["members"]) != 1:
        raise Failed("two domains mixed: %s" % moved[:1])
    guest.stop()
    if net.hosts[0].group() != group:
        raise Failed("the group changed")
    return "two domains, two leaders"


def other_keys(host):
    return {(k["key"], k["name"], k["address"], k["missing"])
            for k in host.call("io.electd.GetStatus")["other_keys"]}


def pretended_key(net, sniffer):
    """Beacons of a living leader under a key that nobody has: told, and nothing is wrong."""
    leader = net.leader()
    victim = next(h for h in net.hosts if h is not leader)
    victim.stop()
    victim.start()
    net.settle()
    offset, mark, frame = len(victim.log()), net.mark(), captured(net, sniffer, leader)
    injector = frames.Injector(victim.port)
    sniffer.drain()
    for number in range(BURST):
        payload = patched(frames.payload_of(frame), 8, b"\7")
        if number % 2:
            payload = patched(payload, 16, b"\x55" * 16)
        injector.send(frames.frame_with(frame, payload))
    harmless(net, sniffer, mark, "another key")
    heard = other_keys(victim)
    if heard != {(7, leader.name, leader.address, False), (7, None, leader.address, False)}:
        raise Failed("told as %s" % heard)
    checked, shown = victim.electctl("check"), victim.electctl("status").stdout
    if checked.returncode or "key 7" in checked.stdout:
        raise Failed("check: %d %s" % (checked.returncode, checked.stdout))
    words = "key 7 from %s (id of %s, seen here before), %d a minute, not authentic" % (
        leader.address, leader.name, BURST // 2)
    if words not in " ".join(shown.split()):
        raise Failed("status does not say %r: %s" % (words, shown))
    lines = [line for line in victim.log()[offset:].splitlines() if "other keys" in line]
    if len(lines) != 1:
        raise Failed("%d lines of other keys: %s" % (len(lines), lines))
    return words


def another_key(net):
    """A member comes back with a key of its own: the others miss it, and it knows nobody."""
    changed = next(h for h in net.hosts if h is not net.leader())
    others = [h for h in net.hosts if h is not changed]
    changed.stop()
    keys = os.path.join(changed.dir, "keys")
    with open(os.open(keys, os.O_WRONLY | os.O_CREAT, 0o600), "w") as f:
        f.write("2 %s\n" % ("5a" * 32))
    changed.write_config('auth: { keys = "%s"; };' % keys)
    changed.start()
    net.wait("%s leads alone" % changed.name, lambda: changed.view and
             changed.view["role"] == "leader")
    time.sleep(4 * BEACON)
    for host in others:
        checked = host.electctl("check")
        if (2, changed.name, changed.address, True) not in other_keys(host):
            raise Failed("%s: %s" % (host.name, other_keys(host)))
        if checked.returncode != 6 or "key 2 from %s (id of %s" % (
                changed.address, changed.name) not in checked.stdout:
            raise Failed("check of %s: %d %s" % (host.name, checked.returncode, checked.stdout))
    said = checked.stdout.strip()
    # It was never in a group with them since it started.
    leads = next(h for h in others if h.view["role"] == "leader")
    checked = changed.electctl("check")
    if (0, None, leads.address, False) not in other_keys(changed) or checked.returncode:
        raise Failed("%s: %s, check: %d %s" % (
            changed.name, other_keys(changed), checked.returncode, checked.stdout))
    changed.stop()
    changed.write_config()
    changed.start()
    net.settle()
    for host in others:
        checked = host.electctl("check")
        if checked.returncode or (2, changed.name, changed.address, False) not in other_keys(host):
            raise Failed("%s, all back: %s, check: %s" % (
                host.name, other_keys(host), checked.stdout))
    return said


def main():
    result = report.Report()
    lan.setup()
    with lan.Lan(3, family="ipv4") as net:
        net.start()
        net.settle()
        sniffer = frames.Sniffer(net)
        result.attempt("forged datagrams", forged, net, sniffer)
        result.attempt("random datagrams", rubbish, net, sniffer)
        result.attempt("replayed datagrams", replayed, net, sniffer)
        result.attempt("pretended key", pretended_key, net, sniffer)
        sniffer.close()
        result.attempt("another key", another_key, net)
        result.attempt("other domain", other_domain, net)
        if result.failed:
            net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
