#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What somebody without the key can do with recordings of sessions that live, or have just ended:
nothing (trust.md 3). Recordings of former sessions: stories former-* of recordings.story.

recorded.py [RUNS [PART...]] (1, all): each part so often.
lives: recordings of a former leader, of a member that has just died, and of a host that waited for a
crashed one are played to hosts that were started since. None is believed; no leader is lost or late.
crowd: 256 recorded sessions, 20 000 datagrams a second to all, while a host joins.
forgeries: an insider has sent beacons of the leader under sequences that its session had not used, and
has gone away. Their recordings are played when the leader is cut off, and again when all hosts have
started anew, with a key and in the default mode. None is believed, and another host leads as soon as
without.
"""
import contextlib
import multiprocessing
import os
import random
import signal
import struct
import subprocess
import sys
import time

import carrier
import frames
import lan
import report
from insider import Insider
from lan import BEACON, DEAD_AFTER
from report import Failed
from windows import AGREED, Forger

HOSTS = 4
# By so much a loaded machine may be late.
SLACK = 0.100
CRASHED = 0x8006
ROLES = "role", "leader", "group", "token"
# Beacons that are recorded, and of them those that are played one by one, to each of two hosts.
RECORDED, PLAYED = 45, 25
# Played so many a second, and for so long before a kill.
PACE, BEFORE = 6, 1.5
# Sessions, datagrams of each, of all together a second; joins, and what they may be late.
CROWD, LIFE, CROWD_RATE, JOINS, CROWD_DELAY = 256, 400, 20000, 5, 0.5
# (How far forged sequences lie above the top, how many the session uses before its leader is cut off if
# it does not pass them over). In the window: 63 that lie in the window of the first. Too far: they leap
# too far to be believed (trust.md 3, rule 1). Hidden: the first leaps too far, and 63 others leap too
# far above it within the beacon in which no further Challenge is sent.
LEAP = 1 << 16
IN_WINDOW = range(160, 97, -1), 60
TOO_FAR = (200000, (1 << 32) + 5), None
HIDDEN = (LEAP + 4000, *range(2 * LEAP + 4072, 2 * LEAP + 4009, -1)), LEAP + 4020
# The session has used them by then. After some seconds of silence a leap of 200 000 is believed.
NEAR_AFTER, SILENT = 60, 3
# So often a recording is played that no leader would be missed if it was believed; others follow fast.
ALIVE, FAST = 2 * BEACON, 0.02


# ---- playing -----------------------------------------------------------------------------------------

def to_host(recording, host, most=400):
    """The newest frames that others said, changed so that they arrive at this host: by multicast,
    and every second one by unicast if electd runs there."""
    unicast = (host.mac(), host.address, host.unicast_port()) if host.process else None
    others = [f for f in recording if f[26:30] != frames.address_bytes(host.address)]
    return [frames.frame_with(f, frames.payload_of(f),
                              to=unicast if unicast and n % 2 else frames.EVERYBODY)
            for n, f in enumerate(others[-most:])]


def inject(port, recording, rate, count):
    """Sends so many a second until its process is ended."""
    injector = frames.Injector(port)
    begin, n = time.monotonic(), 0
    while True:
        due = int((time.monotonic() - begin) * rate) + 1
        for _ in range(min(due - n, 500)):
            injector.send(recording[n % len(recording)])
            n += 1
        count.value = n
        time.sleep(min(1 / rate, 0.1) if rate < 1000 else 0.0005)


class Replay:
    """Sends to the host at that port, or to all at a bridge, while the block runs."""

    def __init__(self, port, recording, rate):
        self.count = multiprocessing.Value("L", 0)
        self.process = multiprocessing.Process(
            target=inject, args=(port, recording, rate, self.count), daemon=True)

    def __enter__(self):
        self.begin = lan.now()
        self.process.start()
        return self

    def __exit__(self, kind, value, trace):
        self.process.kill()
        self.process.join()
        self.rate = self.count.value / (lan.now() - self.begin)


def health(host):
    """What status and check say of the health of this host."""
    status = host.call("io.electd.GetStatus")
    check = host.electctl("check")
    return status["health"], check.returncode, check.stdout.split(",")[0]


def compared(name, without, under, slack):
    """The medians of both, if the second is not later by more than the slack."""
    middle = [sorted(v)[len(v) // 2] for v in (without, under)]
    words = "%s %.0f ms (without: %.0f)" % (name, middle[1] * 1000, middle[0] * 1000)
    if middle[1] > middle[0] + slack:
        raise Failed(words)
    return words


# ---- lives -----------------------------------------------------------------------------------------


class Ears:
    """All that hosts say, by the wire."""

    def __init__(self, net):
        self.net, self.sniffer, self.said = net, frames.Sniffer(net), []

    def listen(self):
        """What was said since the last call is kept until forget()."""
        said = self.sniffer.drain()
        self.said += [(host, name, frame) for host, _, name, frame in said]
        return said

    def forget(self):
        self.listen()
        self.said = []

    def beacons(self, host, crashed=False):
        return [frame for sender, name, frame in self.said if sender is host and name == "AYCoord" and
                (not crashed or CRASHED in frames.fields(frame))]

    def wait_beacons(self, host, count, crashed=False):
        end = lan.now() + lan.PATIENCE
        while len(self.beacons(host, crashed)) < count:
            if lan.now() > end:
                raise Failed("%s has not said %d beacons" % (host.name, count))
            time.sleep(BEACON / 4)
            self.listen()
        return self.beacons(host, crashed)[-count:]

    def count(self, host):
        """Until the next beacon: what others have sent to this host, {name: number}."""
        alone, counted, end = frames.address_bytes(host.address), {}, lan.now() + lan.PATIENCE
        said = []
        while "AYCoord" not in [name for _, _, name, _ in said]:
            if lan.now() > end:
                raise Failed("no beacon is said")
            time.sleep(0.01)
            said = self.listen()
            for sender, multicast, name, frame in said:
                if sender is not host and (multicast or frame[30:34] == alone):
                    counted[name] = counted.get(name, 0) + 1
        return counted


def received(host):
    return host.counts("electd_packets_received_total"), sum(host.dropped().values())


def believed(ears, recording, host):
    """Plays these to the host, in the order in which they were said: how many it believes. Those are
    what it does not drop, or what it receives besides that which other hosts have sent to it."""
    injector, counted = frames.Injector(host.port), {}
    recording = to_host(recording, host)
    ears.count(host)
    time.sleep(FAST)      # the host has counted that beacon, too
    heard, dropped = received(host)
    for frame in recording:
        injector.send(frame)
        time.sleep(0.02)
    for name, number in ears.count(host).items():
        counted[name] = counted.get(name, 0) + number
    time.sleep(FAST)
    heard_then, dropped_then = received(host)
    more = sum(max(0, heard_then[name] - heard[name] - counted.get(name, 0))
               for name in {frames.name_of(frames.payload_of(f)[5]) for f in recording})
    return max(more, len(recording) - (dropped_then - dropped))


def renew(net, keep):
    """All but one are started anew, the leader last. That one follows, for it is held."""
    if keep.view["role"] == "leader":
        keep.resign(300)
    net.wait("it follows", lambda: keep.view["role"] == "follower" and net.agreed())
    old = [h for h in net.running() if h is not keep]
    for host in sorted(old, key=lambda h: h.view["role"] == "leader"):
        host.kill()
        net.wait("the others are led", lambda: net.agreed(net.running()))
        host.start()
        net.settle()
    return old


def changed(net, mark, names):
    """What hosts have said since of these fields of a status."""
    return ["%s: %s" % (host.name, {k: v for k, v in new.items() if k in names})
            for host, new in net.differences(mark) if set(names) & set(new)]


def paced(recording, hosts):
    """Plays this to these hosts while the block runs, a little faster than it was said."""
    stack = contextlib.ExitStack()
    for host in hosts if recording else ():
        frames_ = to_host(recording, host)
        if frames_:
            stack.enter_context(Replay(host.port, frames_, PACE))
    return stack


def next_leads(net, recording):
    """The leader is killed while this is played to all others: the time until another leads them."""
    leader = net.leader()
    others = [h for h in net.running() if h is not leader]
    group = leader.group()
    with paced(recording, others):
        time.sleep(BEFORE)
        at = leader.kill()
        net.wait("another leads", lambda: net.led(others) and others[0].group() != group)
        took = lan.now() - at
        net.wait("all agree", lambda: net.agreed(others))
    leader.start()
    net.settle()
    return took


def lone(net, host, recording):
    """All others are killed while this is played to the host: the time until it leads alone."""
    net.settle()
    others = [h for h in net.running() if h is not host]
    with paced(recording, [host]):
        at = lan.now()
        for other in sorted(others, key=lambda h: h.view["role"] == "leader"):
            other.kill()
        net.wait("it leads alone", lambda: host.view["role"] == "leader" and net.agreed([host]))
    return lan.now() - at


def played(net, ears, recording, hosts, result, words, names):
    """Each of these is played once to two hosts that were started since."""
    mark, wrong = net.mark(), []
    before = [health(h) for h in hosts]
    count = [believed(ears, recording, host)
             for host in [h for h in hosts if h.view["role"] == "follower"][:2]]
    time.sleep(DEAD_AFTER)
    if sum(count):
        wrong.append("%d believed" % sum(count))
    wrong += changed(net, mark, names)[:1]
    after = [health(h) for h in hosts]
    if before != after:
        wrong.append("status or check: %s, was %s" % (after, before))
    result.result(words, not wrong, "; ".join(wrong) or "0 of %d believed" % (
        2 * len(recording)))


def delayed(result, words, name, without, under):
    result.attempt(words, compared, name, without, under, BEACON + SLACK)


def former(net, ears, result):
    keep = net.leader()
    recording = ears.wait_beacons(keep, RECORDED)
    hosts = renew(net, keep)
    delayed(result, "a former leader, a leader is killed", "another leads",
            [next_leads(net, None)], [next_leads(net, recording[:-PLAYED])])
    played(net, ears, recording[-PLAYED:], hosts, result, "a former leader", ROLES + ("members",))
    return keep, recording, renew(net, keep)


def dead(net, ears, result, keep, recording, hosts):
    """Of who has led once, and dies while it follows."""
    keep.kill()
    played(net, ears, recording[-PLAYED:], hosts, result, "a member that has just died", ROLES)
    keep.start()
    net.settle()


def dead_leaders(net, ears, result):
    """One host is left, which was started since."""
    times = []
    for under in (False, True):
        net.restart()
        ears.forget()
        keep = net.leader()
        recording = ears.wait_beacons(keep, RECORDED)
        host = renew(net, keep)[0]
        times.append(lone(net, host, recording if under else None))
    delayed(result, "all others have just died", "it leads alone", times[:1], times[1:])
    net.restart()


def work(net):
    """Of the leader, which is killed and has not ended it: who waits for that then."""
    leader, others = net.leader_and_others()
    holder = subprocess.Popen(
        [lan.ELECTCTL, "--socket", leader.socket_path, "run", "--kill-after", "60", "--", "sh", "-c",
         "trap '' TERM; sleep 60"], stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        time.sleep(0.5)
        group = leader.group()
        leader.kill()
        net.wait("another group", lambda: net.one_group(others) and others[0].group() != group)
        yield next(h for h in others if h.id == others[0].view["group"]["coordinator"])
    finally:
        os.killpg(holder.pid, signal.SIGKILL)
        holder.wait()
    net.wait("another leads", lambda: net.led(others))
    leader.start()
    net.settle()


def crash(net, ears, result):
    ears.forget()
    for keep in work(net):
        recording = ears.wait_beacons(keep, RECORDED, crashed=True)
    wills = [f for _, name, f in ears.said if name == "Goodbye"]
    hosts = renew(net, keep)
    delayed(result, "a crash, a leader is killed", "another leads", [next_leads(net, None)],
            [next_leads(net, recording[:-PLAYED])])
    # The last words end what those before began.
    played(net, ears, recording[3 - PLAYED:] + wills[-3:], hosts, result, "a crash",
           ROLES + ("members",))


def lives(result):
    with lan.Lan(HOSTS, family="ipv4") as net:
        insider = Insider(net, True)      # the others have a key then
        net.start()
        net.settle()
        ears = Ears(net)
        try:
            dead(net, ears, result, *former(net, ears, result))
            dead_leaders(net, ears, result)
            crash(net, ears, result)
        except Failed as error:
            result.result("lives", False, str(error))
            net.print_logs()
        insider.close()


# ---- crowd -----------------------------------------------------------------------------------------


def life(forger, leader, host_id):
    """What a session of that host says that leads as this one does: a Hello, and beacons."""
    session = random.randbytes(8) + struct.pack("!Q", 1)
    said = {}
    for name in "Hello", "AYCoord":
        data = frames.payload_of(forger.newest[leader, name])
        said[name] = (data[:32] + session + data[48:]).replace(data[16:32], host_id)
    for sequence in range(1, LIFE + 1):
        yield "-", frames.composed(said["Hello" if sequence == 1 else "AYCoord"], sequence, True)


def recorded_lives(net, insider, forger, ids):
    """The frames of these, as somebody without the key has captured them. No host runs meanwhile."""
    lives = [life(forger, net.leader(), host_id) for host_id in ids]
    for host in net.running():
        host.kill()
    sniffer, said = frames.Sniffer(net), []
    sniffer.ports[insider.port] = insider
    for at_once in zip(*lives):
        insider.forge(at_once)
        said += [frame for sender, _, _, frame in sniffer.drain() if sender is insider]
    sniffer.close()
    if len(said) != LIFE * len(ids):
        raise Failed("%d of %d were captured" % (len(said), LIFE * len(ids)))
    return [frames.frame_with(frame, frames.payload_of(frame)) for frame in said]


def newcomer(net, host, recording):
    """It was dropped, and is started while all hear this: the time until it follows. Everybody begins
    anew before, without a memory of what was played."""
    net.restart()
    host.kill()
    net.wait("it is dropped", lambda: net.agreed(net.running()))
    with contextlib.ExitStack() as stack:
        replay = recording and stack.enter_context(Replay(net.bridge(0), recording, CROWD_RATE))
        time.sleep(DEAD_AFTER)
        at = lan.now()
        host.start()
        net.wait("it joins", lambda: host.view and host.view["role"] == "follower")
        took = lan.now() - at
        time.sleep(BEACON)
    return took, replay and replay.rate


def joins(net, host, recording):
    """With it, and without, in turn."""
    without, under = [], []
    for _ in range(JOINS):
        without.append(newcomer(net, host, None)[0])
        under.append(newcomer(net, host, recording))
    times = [took for took, _ in under]
    words = "%s, without: %s, at %.0f a second and more" % (
        report.statistics(times), report.statistics(without), min(rate for _, rate in under))
    if max(times) > max(without) + CROWD_DELAY:
        raise Failed(words)
    return words


def crowd(result):
    with lan.Lan(HOSTS, family="ipv4") as net:
        insider = Insider(net, True)
        forger = Forger(net, insider)
        for _ in range(2):      # the recorded starts are former ones
            net.restart()
        host = net.hosts[0]     # others lead: of equal hosts the one of the largest id does
        others = [bytes.fromhex(h.id) for h in net.hosts if h is not host]
        for words, ids in (
                ("of as many hosts", [random.randbytes(16) for _ in range(CROWD)]),
                ("of the other hosts", [others[n % len(others)] for n in range(CROWD)])):
            forger.listen_to_all()
            recording = recorded_lives(net, insider, forger, ids)
            result.attempt("crowd, %d recorded sessions %s" % (CROWD, words), joins, net, host,
                           recording)
            net.restart()
        forger.close()
        insider.close()


# ---- forgeries -------------------------------------------------------------------------------------


def used(ears, host, to_all):
    """The highest sequence of this space that the host has said in its present session; 0: none."""
    ears.listen()
    said = [f for sender, _, f in ears.said if sender is host]
    return max((frames.number_of(f)[1] for f in said if frames.number_of(f)[0] == to_all and
                frames.session_of(f) == frames.session_of(said[-1])), default=0)


class Forgery:
    """Beacons of the leader under sequences so far above its top, to all or to each other host alone;
    `recording`: [(host, frame)], by rising sequences."""

    def __init__(self, net, ears, insider, to_all, above):
        self.ears, self.to_all = ears, to_all
        self.leader, others = net.leader_and_others()
        beacon = frames.payload_of(ears.wait_beacons(self.leader, 1)[-1])
        self.top = used(ears, self.leader, to_all)
        # The first datagram of the leader to each of them, or to all.
        self.old = [(h, next(f for sender, _, f in ears.said if sender is self.leader and
                             frames.session_of(f) == beacon[16:40] and (
                                 frames.number_of(f)[0] if to_all else
                                 f[30:34] == frames.address_bytes(h.address)))) for h in others]
        to = ["-"] if to_all else ["%s:%d" % (h.address, h.unicast_port()) for h in others]
        datagrams = [(where, frames.composed(beacon, self.top + n, to_all))
                     for n in above for where in to]
        self.last = insider.forge(datagrams)
        ears.listen()
        said = sorted((f for sender, _, f in ears.said if sender is insider), key=frames.number_of)
        if len(said) != len(datagrams):
            raise Failed("%d of %d were recorded" % (len(said), len(datagrams)))
        self.recording = [(h, f) for f in said for h in others
                          if to_all or f[30:34] == frames.address_bytes(h.address)]

    def wait_used(self, above, seconds):
        """Until the session has used as many, or for so long; how many it has used. Meanwhile
        recordings of old cause Challenges: it may be silent otherwise."""
        while True:
            now = used(self.ears, self.leader, self.to_all) - self.top
            if now > above or lan.now() > self.last + seconds:
                return now
            for host, frame in self.old:
                injector = frames.Injector(host.port)
                injector.send(frames.frame_with(frame, frames.payload_of(frame)))
                injector.socket.close()
            time.sleep(BEACON / 4)

    def above_used(self):
        """The recordings that its session has not passed over."""
        now = used(self.ears, self.leader, self.to_all)
        return [(h, f) for h, f in self.recording if frames.number_of(f)[1] > now]


class Player:
    """Plays these to the hosts for which they were, as they are now, from where they were said. Counts
    how many a host believes: those that it does not drop, or beacons besides those of other hosts."""

    def __init__(self, ears, recording):
        self.ears = ears
        to = {h: (h.mac(), h.address, h.unicast_port()) for h, _ in recording}
        self.injectors = {h: frames.Injector(h.port) for h in to}
        self.left = {h: [] for h in to}
        for h, frame in recording:
            self.left[h].append(frames.frame_with(frame, frames.payload_of(frame), to=(
                frames.EVERYBODY if frames.number_of(frame)[0] else to[h])))
        self.wait_beacon()
        ears.forget()
        self.before = {h: received(h) for h in to}
        self.played = {h: len(left) for h, left in self.left.items()}

    def wait_beacon(self):
        self.ears.count(next(iter(self.left)))
        time.sleep(FAST)

    def play(self):
        """One more to each."""
        for host, left in self.left.items():
            if left:
                self.injectors[host].send(left.pop(0))

    def play_all(self):
        while any(self.left.values()):
            self.play()
            time.sleep(FAST)

    def believed(self):
        self.wait_beacon()
        after, most = {h: received(h) for h in self.before}, 0
        self.ears.listen()      # thus the next beacon may be counted as said, and not as received
        for host, (heard, dropped) in self.before.items():
            said = sum(name == "AYCoord" and sender is not host for sender, name, _ in self.ears.said)
            heard_then, dropped_then = after[host]
            most = max(most, heard_then["AYCoord"] - heard["AYCoord"] - said,
                       self.played[host] - (dropped_then - dropped))
            self.injectors[host].socket.close()
        return most


def cut_off(net, player=None, silent=0):
    """The leader's cable is pulled while these are played, or so long after another host leads: the
    time until then. What is left is played when the others are led, and changes nothing."""
    leader, others = net.leader_and_others()
    group, words = leader.group(), []
    at = due = carrier.cable(leader, False)
    while not net.led(others) or others[0].group() == group:
        if player and not silent and lan.now() >= due:
            player.play()
            due += ALIVE
        if lan.now() > at + lan.PATIENCE:
            raise Failed("no other host leads")
        time.sleep(0.005)
    took, mark = lan.now() - at, net.mark()
    if player:
        time.sleep(silent)
        player.play_all()
        time.sleep(DEAD_AFTER)
        words = ["%s: %s" % (h.name, new) for h, new in net.differences(mark)
                 if h in others and set(ROLES) & set(new)]
    return took, words


def anew(net, ears):
    """Everybody, with all cables."""
    ears.forget()
    for host in net.hosts:
        carrier.cable(host, True)
    net.restart()


def forged(net, ears, insider, to_all, above, near, everything):
    """One round, from hosts that are new to each other; what was recorded is added to `everything`."""
    anew(net, ears)
    without = cut_off(net)[0]
    anew(net, ears)
    forgery = Forgery(net, ears, insider, to_all, above)
    everything += forgery.recording
    wrong = []
    passed = forgery.wait_used(max(above), AGREED + SLACK)
    if passed <= max(above):
        wrong.append("used +%d, forged +%d" % (passed, max(above)))
        forgery.wait_used(near or 0, NEAR_AFTER)
    net.settle()
    if net.leader() is not forgery.leader:
        raise Failed("; ".join(["another leads before it is cut off"] + wrong))
    player = Player(ears, forgery.above_used() or forgery.recording)
    took, changes = cut_off(net, player, 0 if near else SILENT)
    believed_ = player.believed()
    if believed_:
        wrong.append("%d believed" % believed_)
    if took > without + BEACON + SLACK:
        wrong.append("late")
    words = "another leads after %.0f ms (without: %.0f), %d of %d believed" % (
        took * 1000, without * 1000, believed_, len(above))
    if wrong or changes:
        raise Failed("; ".join([words] + wrong + changes[:1]))
    return words


def former_forgeries(net, ears, everything):
    """All of these, when everybody has begun anew."""
    anew(net, ears)
    player, mark = Player(ears, everything), net.mark()
    player.play_all()
    count = player.believed()
    changes = changed(net, mark, ROLES + ("members",))
    if count or changes:
        raise Failed("; ".join(["%d believed" % count] + changes[:1]))
    return "0 of %d believed" % len(everything)


def forgeries(result):
    for key in (False, True):
        with lan.Lan(HOSTS, family="ipv4") as net:
            insider, mode, everything = Insider(net, key), "with a key" if key else "no key", []
            ears = Ears(net)
            ears.sniffer.ports[insider.port] = insider
            for words, forgery in (("", IN_WINDOW), (", too far", TOO_FAR), (", hidden", HIDDEN)):
                for to_all in (True, False):
                    result.attempt("forgeries to %s%s, %s" % (
                        "all" if to_all else "one", words, mode), forged, net, ears, insider, to_all,
                                   *forgery, everything)
            result.attempt("forgeries, all anew, " + mode, former_forgeries, net, ears, everything)
            ears.sniffer.close()
            insider.close()


PARTS = {"lives": lives, "crowd": crowd, "forgeries": forgeries}


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    result = report.Report()
    lan.setup()
    for _ in range(runs):
        for part in sys.argv[2:] or PARTS:
            PARTS[part](result)
    result.exit()


if __name__ == "__main__":
    main()
