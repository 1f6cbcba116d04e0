#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recorded and forged datagrams on a real LAN, with the sources and ports of kernels (sessions.md).

windows.py: a sender without a key replays frames of current sessions to a host that was started
later. An insider with the key sends datagrams in the name of all hosts, with unused sequences of
their sessions, and recordings of those are replayed when all hosts were restarted. No recording is
accepted, and the hosts are one group again when the insider is gone. `electsim promise` shows the
effect of each part of a message, and when it is over."""
import contextlib
import random
import struct

import frames
import lan
import report
from insider import Insider
from report import Failed
import will

HOSTS = 4
TOPS = 0x8015
# How far an insider advances a sequence; the last one is just below that of a will.
LEAPS = 1, 2, 3, 40, 1000, 60000, 1 << 32
ENDS = 1 << 61, will.WILL_FROM - 1
RECORDED = 12      # beacons
ROUNDS = 3         # of forgeries; hosts challenge the insider in between
BEACON, SAID_OFTEN = "AYCoord", ("AYCoord", "AYThere")


class Forger:
    """Composes datagrams in the name of running hosts, from what they have sent."""

    def __init__(self, net, insider):
        self.net, self.insider, self.sniffer = net, insider, frames.Sniffer(net)
        self.sniffer.ports[insider.port] = insider
        self.tops, self.newest, self.asked, self.heard, self.beacons = {}, {}, [], {}, []

    def close(self):
        self.sniffer.close()

    def listen(self):
        for host, _, name, frame in self.sniffer.drain():
            if name == BEACON:
                self.beacons.append((host, frame))
            if host is self.insider:
                continue
            to_all, sequence = frames.number_of(frame)
            if sequence < will.WILL_FROM:
                self.tops[frames.session_of(frame), to_all] = sequence
                if name in SAID_OFTEN:
                    self.newest[host], self.heard[host] = frame, host.process
            if name == "Challenge" and frame[30:34] == frames.address_bytes(self.insider.address):
                self.asked.append((host, frames.payload_of(frame)[56:72]))

    def listen_to_all(self):
        def heard():
            self.listen()
            return all(self.heard.get(h) is h.process for h in self.net.running())
        lan.until("all hosts send", heard)

    def forged(self, sender, to_all, sequence):
        """A Challenge: any host may send one at any time, to any host."""
        return frames.composed(frames.payload_of(self.newest[sender]), sequence, to_all,
                               "Challenge", random.randbytes(16), b"")

    def later_beacons(self, leader):
        """Beacons of the leader that its session has not sent yet, to each other host alone."""
        beacon = frames.payload_of(self.newest[leader])
        for host in self.net.running():
            for n in range(RECORDED if host is not leader else 0):
                yield where(host), frames.composed(beacon, frames.number_of(
                    self.newest[leader])[1] + 160 - n, False)

    def lies(self):
        """For each Challenge to the insider, an answer in the name of every other host."""
        asked, self.asked = self.asked, []
        for asker, transaction in asked:
            for host in self.net.running():
                if host is not asker:
                    sequence = random.randrange(1 << 60, 1 << 61)
                    yield where(asker), frames.composed(
                        frames.payload_of(self.newest[host]), sequence, False, "Challenge_answer",
                        transaction, frames.field(TOPS, struct.pack("!QQB", sequence, ENDS[-1], 0)))


def where(host):
    return "%s:%d" % (host.address, host.unicast_port())


def all_pairs(net):
    return [(a, b) for a in net.running() for b in net.running() if a is not b]


def damage(forger, pairs):
    """For each sender and receiver, in both spaces: sequences above the top, and at the end."""
    for sender, receiver in pairs:
        to = where(receiver)
        for to_all in (False, True):
            top = forger.tops.get((frames.session_of(forger.newest[sender]), to_all), 0)
            for sequence in [top + leap for leap in LEAPS] + list(ENDS):
                yield to, forger.forged(sender, to_all, sequence)


def wills(forger, pairs):
    """Last wills that name their receiver as successor; and their sequences in other messages."""
    for number, (sender, receiver) in enumerate(pairs):
        to = where(receiver)
        for loss in will.KINDS.values():
            yield to, will.will_of(forger.newest[sender], loss, will.WILL_FROM +
                                          2 * number + loss[0], bytes.fromhex(receiver.id))
        for sequence in (1 << 62, 1 << 63, (1 << 64) - 1):
            yield to, forger.forged(sender, sequence > 1 << 62, sequence)


def attacked(net, insider, forger, words, datagrams):
    """Sends all `datagrams`; then each host must send something, and all must agree."""
    forger.listen_to_all()
    insider.forge(datagrams(forger))
    forger.listen()
    forger.heard.clear()
    forger.listen_to_all()
    net.wait("%s: all agree" % words, net.agreed)


def played(net, host, recording):
    """Replays frames to the host by its cable, to all and to its own port. Each must be dropped,
    and nothing may change by then."""
    net.settle()
    mark, before = net.mark(), sum(host.dropped().values())
    alone = host.mac(), host.address, host.unicast_port()
    with contextlib.closing(frames.Injector(host.port).socket) as cable:
        for frame in recording:
            for to in (frames.EVERYBODY, alone):
                cable.send(frames.frame_with(frame, frames.payload_of(frame), to=to))
    lan.until("%s drops all of %d recordings" % (host.name, 2 * len(recording)),
              lambda: sum(host.dropped().values()) >= before + 2 * len(recording))
    changes = [(one.name, change) for one, change in net.differences(mark) if change]
    if changes or not net.agreed():
        raise Failed("changes: %s" % changes[:3])


def recordings(net, _, forger):
    """Frames of a current session, replayed to a follower that was started later."""
    leader, (host, *_) = net.leader_and_others()

    def recorded():
        forger.listen()
        return [frame for sender, frame in forger.beacons if sender is leader]
    lan.until("%d beacons are recorded" % RECORDED, lambda: len(recorded()) >= RECORDED)
    recording = recorded()
    host.kill()
    net.wait("it is dropped", net.agreed)
    host.start()
    net.settle()
    played(net, host, recording)


def forgeries(net, insider, forger):
    for _ in range(ROUNDS):
        attacked(net, insider, forger, "forged sequences",
                 lambda forger: [*damage(forger, all_pairs(net)), *forger.lies()])
    attacked(net, insider, forger, "forged wills", lambda forger: wills(forger, all_pairs(net)))
    leader, others = net.leader_and_others()
    attacked(net, insider, forger, "later beacons", lambda forger: forger.later_beacons(leader))
    group = leader.group()
    leader.kill()
    net.wait("another leads", lambda: net.led(others) and others[0].group() != group)
    leader.start()
    net.restart()
    forger.listen()
    recording = [frame for sender, frame in forger.beacons if sender is insider]
    if not recording:
        raise Failed("no beacon of the insider was recorded")
    for host in others:
        played(net, host, recording)
    return "0 of %d believed" % len(recording)


def main():
    result = report.Report()
    lan.setup()
    for words, key, test in (("recordings of a session that lives", False, recordings),
                             ("forgeries with the key, and recordings of them", True, forgeries)):
        with (lan.Lan(HOSTS, family="ipv4") as net,
              contextlib.closing(Insider(net, key)) as insider,
              contextlib.closing(Forger(net, insider)) as forger):
            net.start()
            net.settle()
            result.attempt(words, test, net, insider, forger)
            if result.failed:
                net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
