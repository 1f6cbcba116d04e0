#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The last will of a host that lives is forged over IPv6, whose kernels accept datagrams from their
own address: by anybody while there is no key, and by a member that has the key (algorithm.md 4.11).

forged_will.py [WILLS]: one of each kind, then so many (2000) at 1000 a second. No electd ends, each
tells of the forgery in its metrics and in one line, and afterwards there is one group of all.
"""
import hashlib
import re
import struct
import sys
import time

import frames
import lan
import report
import will
from report import Failed

HOSTS = 3
GROUP, OTHER, LOSS, LOSS_EXACT = 1, 8, 12, 32772
WILL_FROM = 1 << 62
# The fields of each kind: the value of LOSS, which hosts of 0.1 read, and of LOSS_EXACT.
KINDS = {"crash": (1, 5), "crashing": (0, 7)}
RATE = 1000
BUILT_IN = b"electd built-in key, not secret\0"


def working_key(number, secret):
    return hashlib.blake2b(b"electd key" + bytes([number]) + b"default", digest_size=32,
                           key=secret).digest()


def will_of(beacon, loss, sequence, successor=bytes(16)):
    """The will of its sender, without a tag."""
    body = b"".join(frames.field(number, value) for number, value in (
        (GROUP, frames.fields(beacon)[GROUP]), (OTHER, successor), (LOSS, bytes([loss[0]])),
        (LOSS_EXACT, bytes([loss[1]]))))
    return frames.composed(frames.payload_of(beacon), sequence, True, "Goodbye", bytes(16), body)


class Forger:
    """Sends last wills of a host as frames that seem to come from it."""

    def __init__(self, net, key):
        self.net, self.sniffer = net, frames.Sniffer(net)
        number, secret = (7, will.SECRET) if key else (0, BUILT_IN)
        self.key = working_key(number, secret)
        self.injectors = [frames.Injector(host.port) for host in net.hosts]

    def beacon(self, host):
        end = lan.now() + lan.PATIENCE
        while lan.now() < end:
            for sender, multicast, name, frame in self.sniffer.drain():
                if (sender is host and multicast and name == "AYCoord" and
                        frame[12:14] == frames.IPV6):
                    return frame
            time.sleep(0.01)
        raise Failed("no beacon of %s over IPv6" % host.name)

    def will(self, beacon, loss, sequence):
        """The frame of a Goodbye of its sender; the tag covers source address and port."""
        signed = will_of(beacon, loss, sequence)[:-frames.TAG_SIZE]
        source = b"\x06" + beacon[22:38] + beacon[54:56]
        payload = signed + hashlib.blake2b(source + signed, digest_size=16, key=self.key).digest()
        size = struct.pack("!H", 8 + len(payload))
        udp = beacon[54:58] + size + b"\0\0" + payload
        pseudo = beacon[22:54] + struct.pack("!IHBB", 8 + len(payload), 0, 0, 17)
        udp = udp[:6] + struct.pack("!H", frames.checksum(pseudo + udp) or 0xffff) + payload
        return beacon[:18] + size + beacon[20:54] + udp

    def send(self, beacon, loss, sequence):
        frame = self.will(beacon, loss, sequence)
        for injector in self.injectors:
            injector.send(frame)


def forged(host):
    """How many it has counted."""
    found = re.search(r'electd_packets_dropped_total\{[^}]*"own-will"[^}]*\} (\d+)',
                      host.electctl("metrics").stdout)
    return int(found[1]) if found else 0


def unharmed(net, processes, what):
    for host in net.hosts:
        if host.process.pid != processes[host] or host.process.poll() is not None:
            raise Failed("%s: electd of %s has ended: %s" % (
                what, host.name, host.log().splitlines()[-1:]))


def lines(host):
    return host.log().count("another process has forged it")


def one_of_each(net, forger, processes):
    for number, (name, loss) in enumerate(KINDS.items()):
        leader = net.leader()
        before = forged(leader)
        forger.send(forger.beacon(leader), loss, WILL_FROM + number)
        end = lan.now() + lan.PATIENCE
        while forged(leader) == before:
            unharmed(net, processes, name)
            if lan.now() > end:
                raise Failed("%s: the leader has counted no forgery" % name)
            time.sleep(0.01)
        net.settle()
        unharmed(net, processes, name)
        if lines(leader) != 1:
            raise Failed("%s: told %d times" % (name, lines(leader)))


def many(net, forger, processes, wills):
    """Of the leader at their begin, whoever leads later."""
    leader = net.leader()
    before, beacon, began = forged(leader), forger.beacon(leader), lan.now()
    for number in range(wills):
        forger.send(beacon, KINDS["crash"], WILL_FROM + 1000 + number)
        time.sleep(max(0.0, began + number / RATE - lan.now()))
    net.settle()
    unharmed(net, processes, "%d wills" % wills)
    counted = forged(leader) - before
    if not counted:
        raise Failed("none of %d is counted" % wills)
    told = max(lines(host) for host in net.hosts)
    if told > 1 + int((lan.now() - began) / 60) + 1:
        raise Failed("told %d times" % told)
    return "%d sent, %d counted, told %d times" % (wills, counted, told)


def main():
    result = report.Report()
    wills = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    lan.setup()
    for key in False, True:
        words = "by a member with the key" if key else "no key"
        with lan.Lan(HOSTS) as net:
            if key:
                will.make_key()
            net.start()
            net.settle()
            net.use_ipv6()
            net.settle()
            forger = Forger(net, key)
            processes = {host: host.process.pid for host in net.hosts}
            result.attempt("one of each kind, " + words, one_of_each, net, forger, processes)
            if not result.failed:
                result.attempt("many, " + words, many, net, forger, processes, wills)
            if result.failed:
                net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
