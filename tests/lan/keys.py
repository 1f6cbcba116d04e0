#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keys brought in and changed while the LAN runs, host by host, as electd-security(7) has it.

keys.py [ROTATIONS [EVERY]] (default 1, 5): a first key over 5 running hosts and so many rotations,
while hosts leave, come and lose 5 % of what is sent to them; a host that is missed in each round; electd
killed on a member, and on the leader, after each EVERY-th line of the recipe, from the third on: with 5
in the middle of each round; an electd that names another file than root has configured; and somebody
without the key who spoils the windows of everybody while they may still be spoilt.
"""
import hashlib
import os
import random
import shutil
import signal
import struct
import sys
import time

import frames
import lan
import report
from lan import BEACON, DEAD_AFTER
from report import Failed

HOSTS = 5
NAME = "electd.keys"
STORE = "/run/credstore"
# The key file of another domain, which root alone may read.
OTHER = "/run/electd-other"
DEGRADED, TIMED_OUT, BAD_CONFIG = 6, 5, 7
# What one who shares a key never loses a datagram by.
REFUSED = ("key", "tag", "session", "replayed", "deaf")
# A killed leader whose process leaves word; and the scheduler's share.
FAILOVER = DEAD_AFTER + 0.5


def check(condition, words, *values):
    if not condition:
        raise Failed(words % values if values else words)


class Host(lan.Host):
    """Its key file is in a store of its own, of which systemd makes a copy when electd starts."""

    def __init__(self, *args):
        super().__init__(*args)
        self.store = os.path.join(self.dir, "credstore")
        self.credentials = os.path.join(self.dir, "credentials")
        self.drop_in = self.config + ".d/auth.conf"
        self.refused = 0     # of processes that are gone
        for folder in (self.store, self.credentials, self.config + ".d"):
            os.makedirs(folder, 0o700, exist_ok=True)

    def command(self, *more, wrapper=()):
        return super().command(*more, wrapper=[
            "env", "CREDENTIALS_DIRECTORY=" + self.credentials, *wrapper])

    def start(self, *more, **how):
        shutil.rmtree(self.credentials)
        shutil.copytree(self.store, self.credentials)
        super().start(*more, **how)

    def end(self, sig):
        if sig != signal.SIGKILL:
            self.refused += self.refuses()
        return super().end(sig)

    def refuses(self):
        return sum(self.dropped().get(reason, 0) for reason in REFUSED)

    def root(self, *words):
        """electctl as root types it on that host, whose configuration has no unit."""
        return lan.run("unshare", "--mount", "sh", "-c",
                       'mount --bind "$0" ' + STORE + ' && exec "$@"', self.store, lan.ELECTCTL,
                       "--socket", self.socket_path, *words, "--config", self.config, check=False)

    def types(self, *words):
        """The same, and it must be done."""
        done = self.root(*words)
        check(not done.returncode, "%s: electctl %s: %d %s", self.name, " ".join(words),
              done.returncode, (done.stdout + done.stderr).strip())
        return done.stdout

    # ---- lines of the recipe ----

    def set_mode(self, word):
        with open(self.drop_in, "w") as f:
            f.write('auth: { mode = "%s"; };\n' % word)

    def put_keys(self, text):
        path = os.path.join(self.store, NAME)
        with open(os.open(path + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as f:
            f.write(text)
        os.rename(path + ".new", path)

    def keys(self):
        with open(os.path.join(self.store, NAME)) as f:
            return f.read()


# ---- the recipe ----------------------------------------------------------------------------------

def new_key(net, number):
    return net.hosts[0].types("keys", "new", str(number))


def mode(word):
    def line(host):
        host.set_mode(word)
        host.types("reload")
    line.words = word
    return line


def file_with(text):
    def line(host):
        host.put_keys(host.keys() + text if os.path.exists(host.store + "/" + NAME) else text)
        host.types("reload")
    line.words = "file"
    return line


def verb(word, number):
    def line(host):
        host.types("keys", word, str(number))
    line.words = "%s %d" % (word, number)
    return line


def first_key(net):
    """[(what is waited for before, what each host does)]"""
    text = new_key(net, 1)
    return [(None, mode("receive-only")), (None, file_with(text)),
            (("accepted", 1), mode("permissive")), (("sent", 1), mode("enforce"))]


def rotation(net, old):
    text = new_key(net, old + 1)
    return [(None, file_with(text)), (("accepted", old + 1), verb("use", old + 1)),
            (("sent", old + 1), verb("remove", old))]


def wait_for(host, wanted):
    if wanted:
        host.types("keys", "status", "--wait", wanted[0], str(wanted[1]))


def roll(net, rounds, after=lambda host: None):
    for wanted, line in rounds:
        wait_for(net.hosts[0], wanted)
        for host in net.hosts:
            line(host)
            after(host)


# ---- judging -------------------------------------------------------------------------------------

def one_leader(net, mark, leader):
    """Nobody else has led since then, nor has it led anew."""
    led = set(net.leaders_since(mark))
    check(led <= {(leader.name, str(leader.token()))}, "who led: %s", sorted(led))


def none_refused(net):
    counts = {h.name: h.refused + h.refuses() for h in net.hosts}
    check(not any(counts.values()), "refused: %s; now %s", counts,
          {h.name: h.dropped() for h in net.hosts if h.refuses()})


def all_authenticated(net, number):
    for host in net.hosts:
        auth = host.call("io.electd.GetStatus")["auth"]
        check(auth["authenticated"] and auth["active_key"] == number and
              auth["accepts"] == [number], "%s: %s", host.name, auth)


def fresh(net):
    """Nobody has a key, everybody is in one group."""
    for host in net.running():
        host.stop()
    for host in net.hosts:
        host.refused = 0
        host.set_mode("auto")
        if os.path.exists(os.path.join(host.store, NAME)):
            os.unlink(os.path.join(host.store, NAME))
    net.start()
    net.settle()
    time.sleep(2 * BEACON)


# ---- host by host --------------------------------------------------------------------------------

def lossy(net, percent):
    rule = "table ip lossy { chain in { type filter hook input priority 0; "
    rule += "udp dport 7543-7575 numgen random mod 100 < %d drop; }; }" % percent
    for host in net.hosts:
        lan.run("nsenter", "--net=/run/netns/" + host.name, "nft", rule)


def not_lossy(net):
    for host in net.hosts:
        lan.run("nsenter", "--net=/run/netns/" + host.name, "nft", "delete table ip lossy")


def rolled_out(net, rotations):
    """While hosts leave and come; who leads stays, so that a change of it would be the keys'."""
    fresh(net)
    leader, chance, lines = net.leader(), random.Random(1), 0
    mark = net.mark()

    def leave_and_come(host):
        nonlocal lines
        lines += 1
        if host is not leader and chance.random() < 0.4:
            host.stop()
            time.sleep(2 * BEACON)
            host.start()
            net.settle()

    lossy(net, 5)
    try:
        roll(net, first_key(net), leave_and_come)
        for old in range(1, rotations + 1):
            roll(net, rotation(net, old), leave_and_come)
    finally:
        not_lossy(net)
    net.settle()
    one_leader(net, mark, leader)
    none_refused(net)
    all_authenticated(net, rotations + 1)
    return "%d rotations, %d lines: 0 leader changes, 0 ms of two leaders, 0 refused" % (
        rotations, lines)


def missed(net):
    """One host is not reached in each round: the recipe stops there, and nothing is split."""
    fresh(net)
    leader = net.leader()
    away = next(h for h in net.hosts if h is not leader)
    asked = next(h for h in net.hosts if h not in (leader, away))
    mark, stopped = net.mark(), 0
    rounds = first_key(net) + rotation(net, 1)
    for index, (_, line) in enumerate(rounds):
        for host in net.hosts:
            if host is not away:
                line(host)
        wanted, following = rounds[index + 1] if index + 1 < len(rounds) else (None, None)
        if wanted:
            time.sleep(2 * BEACON)
            waited = asked.root("keys", "status", "--wait", wanted[0], str(wanted[1]),
                                "--timeout", "1")
            check(waited.returncode == TIMED_OUT and away.name in waited.stderr,
                  "after %s: --wait %s: %d %s", line.words, wanted, waited.returncode,
                  waited.stderr)
            refused_without_it(asked, following, away)
            stopped += 1
        line(away)
        wait_for(asked, wanted)
    net.settle()
    one_leader(net, mark, leader)
    none_refused(net)
    return "%d rounds, stopped in %d" % (len(rounds), stopped)


def refused_without_it(host, line, away):
    """The next step, taken all the same, is refused, names who is missing, and changes nothing."""
    before = host.call("io.electd.GetKeys")
    drop_in = open(host.drop_in).read()
    try:
        line(host)
    except Failed as error:
        check(": %d " % DEGRADED in str(error) and away.name in str(error), "%s: %s", line.words,
              error)
    else:
        raise Failed("%s is done without %s" % (line.words, away.name))
    with open(host.drop_in, "w") as f:
        f.write(drop_in)
    after = host.call("io.electd.GetKeys")
    check([before[k] for k in ("mode", "keys")] == [after[k] for k in ("mode", "keys")],
          "a step that is refused changed %s into %s", before, after)


def at_each(every, function):
    """For roll(): after each so many lines."""
    lines = 0

    def after(host):
        nonlocal lines
        if lines % every == 2 % every:
            function()
        lines += 1
    return after


def killed(net, every):
    """electd killed and started between any two lines: its host comes back into the group."""
    fresh(net)
    leader = net.leader()
    victim, mark, kills = next(h for h in net.hosts if h is not leader), net.mark(), 0

    def anew():
        nonlocal kills
        victim.kill()
        victim.start()
        net.settle()
        kills += 1

    roll(net, first_key(net) + rotation(net, 1), at_each(every, anew))
    one_leader(net, mark, leader)
    none_refused(net)
    all_authenticated(net, 2)
    return "%d kills, 0 leader changes" % kills


def leader_killed(net, every):
    """The next one leads as soon as ever, and the other is back under it."""
    fresh(net)
    times = []

    def anew():
        leader = net.leader()
        rest = [h for h in net.hosts if h is not leader]
        at = leader.kill()
        times.append(net.wait("another leads", lambda: net.led(rest)) - at)
        leader.start()
        net.settle()

    roll(net, first_key(net) + rotation(net, 1), at_each(every, anew))
    all_authenticated(net, 2)
    return report.within(times, FAILOVER)


# ---- a false electd ------------------------------------------------------------------------------

def left_alone(net):
    """An electd names a file that root has not configured: neither that one nor root's is touched."""
    if os.stat("/").st_uid:
        print("SKIP a file that electd names: no folder here is root's alone")
        return "left out"
    fresh(net)
    host = net.hosts[0]
    host.put_keys(new_key(net, 1))
    other = os.path.join(OTHER, NAME)
    os.mkdir(OTHER, 0o700)
    with open(os.open(other, os.O_WRONLY | os.O_CREAT, 0o600), "w") as f:
        f.write(new_key(net, 2) + new_key(net, 3))
    host.stop()
    with open(host.drop_in, "w") as f:
        f.write('auth: { keys = "%s"; };\n' % other)
    host.start()
    net.wait("it is alone by other keys", lambda: net.agreed([host]))
    host.set_mode("auto")
    before = host.keys(), open(other).read(), os.stat(other).st_ino
    accepts = host.call("io.electd.GetStatus")["auth"]["accepts"]
    for status, words in ((0, ["reload"]), (BAD_CONFIG, ["keys", "use", "3", "--force"]),
                          (BAD_CONFIG, ["keys", "remove", "2", "--force"])):
        done = host.root(*words)
        check(done.returncode == status and 'this electd names "%s"' % other in done.stderr,
              "electctl %s: %d %s", " ".join(words), done.returncode, done.stderr)
    check(before == (host.keys(), open(other).read(), os.stat(other).st_ino), "a file was changed")
    check(accepts == host.call("io.electd.GetStatus")["auth"]["accepts"], "keys were handed over")
    return "3 verbs"


# ---- poison --------------------------------------------------------------------------------------

def built_in_key():
    return hashlib.blake2b(b"electd key" + b"\0" + b"default", digest_size=32,
                           key=b"electd built-in key, not secret\0").digest()


def sealed(frame, payload):
    """The payload under the built-in key, as it comes from where the frame came from."""
    at = 14 + (frame[14] & 15) * 4
    source = b"\4" + frame[26:30] + frame[at:at + 2]
    body = payload[:-16]
    tag = hashlib.blake2b(source + body, digest_size=16, key=built_in_key()).digest()
    return body + tag


def poison(net, sniffer):
    """Each host gets a datagram of each other one with a sequence number behind which nothing
    comes: anybody can make one who has heard them, while the built-in key is accepted."""
    sniffer.drain()
    time.sleep(4 * BEACON)
    last, count = {}, 0
    for host, to_all, name, frame in sniffer.drain():
        last[host, to_all] = frame
    for victim in net.hosts:
        injector = frames.Injector(victim.port)
        to = victim.mac(), victim.address, victim.unicast_port()
        for (host, to_all), frame in last.items():
            if host is victim:
                continue
            payload = frames.payload_of(frame)
            check(payload[8] == 0, "%s does not send the built-in key", host.name)
            payload = payload[:48] + struct.pack("!Q", 1 << 63) + payload[56:]
            injector.send(frames.frame_with(frame, sealed(frame, payload),
                                            to=frames.EVERYBODY if to_all else to))
            count += 1
    return count


def poisoned(net):
    """What is done to the windows of a key is over when the key is: one group, and none refused."""
    fresh(net)
    sniffer = frames.Sniffer(net)
    rounds, count = first_key(net), 0
    for wanted, line in rounds:
        wait_for(net.hosts[0], wanted)
        for host in net.hosts:
            line(host)
        if line.words == "file":
            count = poison(net, sniffer)
            check(net.hosts[0].refuses() > 0 or net.wait("they are refused", lambda: any(
                h.refuses() for h in net.hosts)), "nothing was spoilt")
    sniffer.close()
    net.settle()
    time.sleep(4 * BEACON)
    before = {h.name: h.dropped() for h in net.hosts}
    time.sleep(10 * BEACON)
    after = {h.name: h.dropped() for h in net.hosts}
    check(before == after, "still refused: %s, then %s", before, after)
    check(net.agreed(), "not one group")
    all_authenticated(net, 1)
    return "%d datagrams; then 0 refused, one group" % count


def main():
    rotations = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    every = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    result = report.Report()
    lan.setup()
    os.mkdir(STORE, 0o700)
    if os.path.isdir("/etc/credstore"):
        lan.run("mount", "-t", "tmpfs", "electd-lan", "/etc/credstore")
    with lan.Lan(HOSTS, kind=Host, family="ipv4") as net:
        result.attempt("rolled out host by host", rolled_out, net, rotations)
        result.attempt("a host is missed", missed, net)
        result.attempt("electd killed between lines", killed, net, every)
        result.attempt("the leader killed between lines", leader_killed, net, every)
        result.attempt("a file that electd names", left_alone, net)
        result.attempt("poisoned windows", poisoned, net)
        if result.failed:
            net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
