#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Forged sequences of sessions that live leave nothing behind (trust.md 3).

windows.py [RUNS [none | key]]: so often (1), in the default mode and with a key unless one is named.
An insider sends datagrams in the name of other hosts, in both spaces of their sessions and in that of
wills, to all hosts or to one. Three beacons after its last datagram there is one group of all hosts
with one leader, and it stays. Nor does a host begin a new session because of a few forged sequences
above a gap, whatever recording of it is played afterwards.
"""
import collections
import json
import random
import struct
import sys
import time

import forged_will
import frames
import lan
import report
from insider import Insider
from lan import BEACON, DEAD_AFTER, LONE_HOLD
from report import Failed

HOSTS = 4
TOPS = 0x8015
# Where an insider may lead a sequence from, or to; the last number before a will's.
LEAPS = 1, 1000, 60000, 1 << 32
ENDS = 1 << 61, forged_will.WILL_FROM - 1
# Small steps, without a gap and above one.
DENSE, SPARSE = range(1, 41), (40, 41, 42)
# The bound, and what a loaded machine may add to it.
AGREED, SLACK = 3 * BEACON, 0.100
# A host that has lost the others leads by then.
LATER = DEAD_AFTER + LONE_HOLD + 2 * BEACON
# Before and after the damage that a kill reveals; how long forgeries rain.
QUIET, RAIN = 10, 2


# ---- what an insider knows of others ---------------------------------------------------------------


class Forger:
    """Composes datagrams in the name of hosts that run, by what they have said."""

    def __init__(self, net, insider):
        self.net, self.insider, self.sniffer = net, insider, frames.Sniffer(net)
        self.tops, self.newest, self.asked, self.ports, self.heard = {}, {}, [], {}, {}
        self.oldest = {}      # what a session has said to all first of all

    def close(self):
        self.sniffer.close()

    def listen(self):
        for host, _, name, frame in self.sniffer.drain():
            to_all, sequence = frames.number_of(frame)
            if sequence < forged_will.WILL_FROM:
                self.tops[frames.session_of(frame), to_all] = sequence
                self.newest[host] = self.newest[host, name] = frame
                if to_all:
                    self.oldest.setdefault(frames.session_of(frame), frame)
                self.heard[host] = host.process
            if name == "Challenge" and frame[30:34] == frames.address_bytes(self.insider.address):
                self.asked.append((host, frames.payload_of(frame)[56:72]))

    def listen_to_all(self):
        def heard():
            self.listen()
            return all(self.heard.get(h) is h.process for h in self.net.running())
        lan.until("all hosts speak", heard)

    def to(self, host):
        """Where it is alone; that stays so while its process runs."""
        if self.ports.get(host, (None,))[0] is not host.process:
            self.ports[host] = host.process, "%s:%d" % (host.address, host.unicast_port())
        return self.ports[host][1]

    def session(self, host):
        return frames.session_of(self.newest[host])

    def numbers(self, sender, to_all, leaps=LEAPS, ends=ENDS):
        top = self.tops.get((self.session(sender), to_all), 0)
        return [top + leap for leap in leaps] + list(ends)

    def forged(self, sender, to_all, sequence):
        """A Challenge: the message that any host may say at any time, to whom it likes."""
        return frames.composed(frames.payload_of(self.newest[sender]), sequence, to_all,
                               "Challenge", random.randbytes(16), b"")

    def lies(self):
        """To each Challenge that was sent to the insider all others seem to answer."""
        asked, self.asked = self.asked, []
        for asker, transaction in asked:
            for host in self.net.running():
                if host is not asker:
                    sequence = random.randrange(1 << 60, 1 << 61)
                    yield self.to(asker), frames.composed(
                        frames.payload_of(self.newest[host]), sequence, False, "Challenge_answer",
                        transaction, frames.field(TOPS, struct.pack("!QQB", sequence, ENDS[-1], 0)))


def damage(forger, pairs, spaces=(False, True), numbers=None, steps=None):
    """For each pair of a sender and a receiver: in these spaces, one after the other. `numbers`: of
    those that Forger.numbers() names; `steps`: so far above the top instead."""
    for sender, receiver in pairs:
        for to_all in spaces:
            for sequence in (forger.numbers(sender, to_all, steps, ()) if steps else
                             forger.numbers(sender, to_all)[numbers or slice(None)]):
                yield forger.to(receiver), forger.forged(sender, to_all, sequence)


def all_pairs(net):
    return [(a, b) for a in net.running() for b in net.running() if a is not b]


def wills(forger, pairs, successor=None):
    """None named: each receiver hears that it is the successor."""
    for number, (sender, receiver) in enumerate(pairs):
        for loss in forged_will.KINDS.values():
            yield forger.to(receiver), forged_will.will_of(
                forger.newest[sender], loss, forged_will.WILL_FROM + 2 * number + loss[0],
                bytes.fromhex((successor or receiver).id))


def beyond(forger, pairs):
    """Numbers of wills, in what is none."""
    for sender, receiver in pairs:
        for to_all in (False, True):
            for sequence in (1 << 62, 1 << 63, (1 << 64) - 1):
                yield forger.to(receiver), forger.forged(sender, to_all, sequence)


# ---- what may come of it ---------------------------------------------------------------------------


def apart(net, mark, views, hosts, since, until):
    """How long after `since` these hosts agreed for good; 0 if they did so all the time."""
    last, good = since, lan.agree(views)
    for at, host, event in net.since(mark):
        if host not in hosts or at > until:
            continue
        was, views[host] = good, event["status"]
        good = lan.agree(views)
        last = at if good and not was else last
    return last - since if good else None


def leaders(hosts):
    """By `electctl status --json`: who leads whom."""
    said = [json.loads(h.electctl("--json", "status").stdout) for h in hosts]
    return {(s["group"] and s["group"]["id"], s["leader"] and s["leader"]["id"],
             tuple(sorted(m["id"] for m in s["members"]))) for s in said}


def judge(net, mark, views, last, words):
    """Of all that run: three beacons after the last datagram, and from there on."""
    hosts = list(views)
    time.sleep(max(0, last + AGREED + SLACK - lan.now()))
    said = leaders(hosts)
    time.sleep(max(0, last + AGREED + LATER - lan.now()))
    took = apart(net, mark, views, hosts, last, lan.now())
    if took is not None and took <= AGREED + SLACK and len(said) == 1:
        return max(0, took)
    for change in net.since(mark):
        print("        %+.3f: %s" % (change[0] - last, lan.describe(change)))
    if took is None:
        raise Failed("%s: they do not agree: %s" % (words, [
            (h.name, h.view["role"], h.electctl("check").returncode) for h in hosts]))
    raise Failed("%s: all agree after %.0f ms, %d views at %.0f ms" % (
        words, took * 1000, len(said), AGREED * 1000))


def attacked(net, insider, forger, words, datagrams, seconds=0.0):
    """All that `datagrams` yields, once or for some time."""
    forger.listen_to_all()
    mark, views = net.mark(), {h: h.view for h in net.running()}
    last = insider.forge(datagrams(forger))
    end = last + seconds
    while lan.now() < end:
        time.sleep(0.02)
        forger.listen()
        last = insider.forge(datagrams(forger))
    return judge(net, mark, views, last, words)


def succeeded(net, words):
    """The leader is killed: the time until the others are led by one, and agree from there on."""
    leader, others = net.leader(), [h for h in net.hosts if h is not net.leader()]
    mark, group, at = net.mark(), leader.group(), leader.kill()
    net.wait("another leads", lambda: net.led(others) and others[0].group() != group, LATER + 10)
    took = lan.now() - at
    time.sleep(LATER)
    if not net.agreed(others) or took > AGREED + SLACK:
        for change in net.since(mark):
            print("        %+.3f: %s" % (change[0] - at, lan.describe(change)))
        raise Failed("%s: led after %.0f ms, then %s" % (
            words, took * 1000, [(h.name, h.view["role"], h.group()) for h in others]))
    leader.start()
    net.settle()
    return took


def play_old(net, forger):
    """Somebody plays the first datagram of each follower to all. The hosts challenge the follower."""
    injector, followers = frames.Injector(net.bridge(0)), [
        h for h in net.running() if h is not net.leader()]
    for host in followers:
        frame = forger.oldest[forger.session(host)]
        injector.send(frames.frame_with(frame, frames.payload_of(frame)))
        time.sleep(2 * BEACON)
    injector.socket.close()
    return followers


def new_sessions(net, forger):
    """The same, some time later: the followers that have begun a new session because of it."""
    time.sleep(QUIET)
    before = {h: forger.session(h) for h in net.running()}
    followers = play_old(net, forger)
    time.sleep(LATER)
    net.wait("all agree", net.agreed, AGREED)
    forger.listen_to_all()
    return [h.name for h in followers if forger.session(h) != before[h]]


# ---- forged ----------------------------------------------------------------------------------------


def between_followers(net):
    leader = net.leader()
    return [(a, b) for a, b in all_pairs(net) if leader not in (a, b)]


def of_leader(net):
    return [(a, b) for a, b in all_pairs(net) if a is net.leader()]


def of_followers(net):
    return [(a, b) for a, b in all_pairs(net) if a is not net.leader()]


def at_one(net):
    one = random.choice(net.running())
    return [(a, b) for a, b in all_pairs(net) if b is one]


def of(pairs, **how):
    return lambda forger: damage(forger, pairs(forger.net), **how)


def killed(net, _, words):
    time.sleep(QUIET)
    return ", led after %.0f ms" % (succeeded(net, words) * 1000)


def recorded(begins):
    """After a while recordings are played; `begins`: a follower may begin a new session then."""
    def played(net, forger, words):
        began = new_sessions(net, forger)
        if began and not begins:
            raise Failed("%s: new sessions: %s" % (words, began))
        return ", %d new sessions" % len(began)
    return played


# The datagrams that are forged, for how many seconds, after a pause; a check afterwards, if any; whether
# all begin anew, and have challenged each other.
Round = collections.namedtuple("Round", "words datagrams seconds before after anew",
                               defaults=(0, 2 * BEACON, None, False))
ROUNDS = [
    *(Round("followers to all, %s, then a recording" % words,
            of(of_followers, spaces=(True,), steps=steps), 0, QUIET, recorded(begins), True)
      for words, steps, begins in (("+40 to +42", SPARSE, False), ("+1 to +40", DENSE, True))),
    *(Round("all sessions everywhere, " + words, of(all_pairs, steps=steps), anew=True)
      for words, steps in (("+40 to +42", SPARSE), ("+1 to +40", DENSE))),
    *(Round("all sessions everywhere, " + words, of(all_pairs, numbers=slice(n, n + 1)))
      for n, words in enumerate(["+%d" % leap for leap in LEAPS] + ["2^61", "2^62-1"])),
    Round("all sessions everywhere, all numbers", of(all_pairs)),
    Round("to one, everywhere", of(all_pairs, spaces=(False,))),
    Round("to all, everywhere", of(all_pairs, spaces=(True,))),
    Round("the leader's session, everywhere", of(of_leader)),
    Round("followers' sessions, everywhere", of(of_followers)),
    Round("all sessions at one host", of(at_one)),
    Round("the leader's session at one host", of(lambda net: of_leader(net)[:1])),
    Round("in a rain of two seconds", of(all_pairs), RAIN),
    Round("with answers to Challenges", lambda forger: [
        *damage(forger, all_pairs(forger.net), numbers=slice(-2, -1)), *forger.lies()], RAIN),
    Round("numbers of wills", lambda forger: beyond(forger, all_pairs(forger.net))),
    Round("wills of followers", lambda forger: wills(forger, of_followers(forger.net))),
    Round("the leader's will", lambda forger: wills(
        forger, of_leader(forger.net), of_leader(forger.net)[0][1])),
    Round("the leader's will, a successor each", lambda forger: wills(forger, of_leader(forger.net))),
    Round("between followers, then a kill", of(between_followers), 0, QUIET, killed)]


def one_round(net, insider, forger, round_):
    """How long until all agreed, in words, and that time."""
    if round_.anew:
        net.restart()
        forger.listen_to_all()
        play_old(net, forger)
    net.settle()
    time.sleep(round_.before)
    took = attacked(net, insider, forger, round_.words, round_.datagrams, round_.seconds)
    words = round_.after(net, forger, round_.words) if round_.after else ""
    return "after %.0f ms%s" % (took * 1000, words), took


def forged(net, key, result):
    insider = Insider(net, key)
    forger = Forger(net, insider)
    mode, times = "with a key" if key else "no key", []
    net.start()
    for round_ in ROUNDS:
        try:
            said, took = one_round(net, insider, forger, round_)
            times.append(took)
            print("    %s: %s: %s" % (mode, round_.words, said), flush=True)
        except Failed as error:
            print("    %s: %s" % (mode, error), flush=True)
            net.restart()
    forger.close()
    insider.close()
    result.result("forged, " + mode, len(times) == len(ROUNDS), "%d of %d agree within %.0f ms%s" % (
        len(times), len(ROUNDS), AGREED * 1000, ": " + report.statistics(times) if times else ""))


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    result = report.Report()
    lan.setup()
    for _ in range(runs):
        for key in sys.argv[2:] or ("none", "key"):
            with lan.Lan(HOSTS, family="ipv4") as net:
                forged(net, key == "key", result)
    result.exit()


if __name__ == "__main__":
    main()
