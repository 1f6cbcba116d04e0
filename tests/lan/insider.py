#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One who holds the key, or needs none, and pushes the counter of groups.

insider.py [SECONDS [RATE [key | none]]]: both in turn unless one is named. It answers Challenges, so
it is believed. While it pushes no group changes and no leader is lost; one that is killed meanwhile
is replaced as ever; the disks are written at most twice a second, but for the first. After it all
agree, those that were off meanwhile too, without a hand. Two Hellos to one host split nothing. To an
address that it only borrows each host sends no more than came from there, and at most three times
that when it has proven itself before; to who lacks the key it sends nothing.
"""
import os
import subprocess
import sys
import time

import frames
import lan
import report
from report import Failed

INSIDER = os.path.join(lan.BUILDDIR, "tests/lan/insider")
HOSTS = 4
KEY_ID, SECRET = "7", "5e" * 32
KINDS = "Hello", "AYCoord", "Invitation", "AYThere", "Goodbye", "Challenge"
PORTS = 7900
# What hosts send each other all the time; one that stood still asks all, and is answered.
ANYHOW = "AYCoord", "AYThere", "AYThere_answer"
# What a host may send to a borrowed address for each byte from there, and how soon after it nothing.
STRANGERS_SHARE, INSIDERS_SHARE, AFTERWARDS = 1, 3, 2 * lan.BEACON
# Until it is clear that somebody pushes the reserve is small (core/frame/counter.c).
FIRST_WRITES = 16
# A leader that dies is replaced within; new hosts may be so far apart, and level so fast.
REPLACED, FIRST_NUMBERS, LIFT_PER_S = 3, 1 << 20, 1 << 16


class Insider:
    """A namespace of its own on the LAN. `key`: all hosts have one, and it has, too."""

    def __init__(self, net, key):
        self.name, self.port, self.address = "insider", "portx", "10.77.0.250"
        self.borrowed = "10.77.0.251"
        self.forger, self.forged = None, 0
        self.key = (KEY_ID, SECRET) if key else ()
        if key:
            path = os.path.join(os.environ["CREDENTIALS_DIRECTORY"], "electd.keys")
            with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as f:
                f.write(" ".join(self.key) + "\n")
        lan.run("ip", "netns", "add", self.name)
        lan.run("ip", "link", "add", self.port, "type", "veth", "peer", "name", "eth0", "netns",
                self.name)
        lan.run("ip", "-n", self.name, "link", "set", "lo", "up")
        for address in self.address, self.borrowed:
            lan.run("ip", "-n", self.name, "addr", "add", address + "/24", "dev", "eth0")
        lan.run("ip", "-n", self.name, "link", "set", "eth0", "up")
        lan.run("ip", "-n", self.name, "route", "add", "default", "dev", "eth0")
        lan.run("ip", "link", "set", self.port, "master", net.bridge(0), "up")

    def push(self, kind, counter, rate, seconds, to="-", key=True, env=()):
        return subprocess.Popen(
            ["nsenter", "--net=/run/netns/" + self.name, INSIDER, self.address, kind, counter,
             str(rate), str(seconds), to, *(self.key if key else ())], stdout=subprocess.PIPE, text=True,
            env={**os.environ, **dict(env)})

    def forge(self, datagrams):
        """Sends them in the name of their senders, from its own address: (TO:PORT or - for all,
        datagram without a tag). The time of the last one."""
        if not self.forger:
            self.forger = subprocess.Popen(
                ["nsenter", "--net=/run/netns/" + self.name, INSIDER, self.address, "forge", "-",
                 "0", "0", "-", *self.key], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        # At once: the first may be answered otherwise before the last is sent.
        self.forger.stdin.write("".join("%s %s\n" % (to, data.hex()) for to, data in datagrams) + "\n")
        self.forger.stdin.flush()
        self.forged = int(self.forger.stdout.readline())
        return lan.now()

    def close(self):
        if self.forger:
            self.forger.communicate(timeout=lan.PATIENCE)
        lan.run("ip", "link", "del", self.port, check=False)
        lan.run("ip", "netns", "del", self.name, check=False)


def counter(host):
    return int(host.view["group"]["counter"])


def generation(host):
    """How often its state was saved: the newest slot's generation."""
    with open(os.path.join(host.state_dir, "state"), "rb") as f:
        data = f.read()
    return max(int.from_bytes(data[at:at + 8], "big") for at in (16, 4096 + 16))


def pushed(net, insider, seconds, rate):
    *awake, off = net.hosts
    for host in awake:
        host.start()
    net.settle()
    group, before = net.leader().group(), {h: generation(h) for h in awake}
    began = lan.now()
    process = insider.push("Hello", "max", rate, seconds)
    time.sleep(seconds / 2)
    for host in awake:
        if host.group() != group:
            raise Failed("%s left %s for %s while somebody pushed" % (
                host.name, group, host.group()))
    health = net.leader().call("io.electd.GetStatus")["health"]
    if not any("lift the counter" in p for p in health["problems"]):
        raise Failed("pushing is not told: %s" % health)
    leader = net.leader()
    at = leader.kill()
    left = [h for h in awake if h is not leader]
    net.wait("another leads", lambda: any(h.view["role"] == "leader" for h in left), REPLACED)
    replaced = lan.now() - at
    net.wait("the others follow", lambda: net.led(left), REPLACED + FIRST_NUMBERS / LIFT_PER_S)
    followed = lan.now() - at
    sent = int(process.communicate(timeout=seconds + 60)[0])
    took = lan.now() - began
    for host in awake:
        if host is not leader and generation(host) - before[host] > FIRST_WRITES + 2 * took:
            raise Failed("%s saved %d times in %.0f s" % (
                host.name, generation(host) - before[host], took))
    text = "%d datagrams in %.0f s, leader replaced in %.2f s, followed in %.2f s, counter %d" % (
        sent, took, replaced, followed, counter(net.leader()))
    end = lan.now()
    leader.start()
    off.start()
    net.wait("all agree", lambda: net.one_group(net.hosts), timeout=seconds + 10)
    return "%s; all agree %.1f s after it" % (text, lan.now() - end)


def two_hellos(net, insider):
    """C2: to one host only."""
    for host in net.hosts:
        host.start()
    net.settle()
    group = net.leader().group()
    for _ in range(2):
        to = "%s:%d" % (net.leader().address, net.leader().unicast_port())
        insider.push("Hello", "max", 2, 1, to).communicate(timeout=lan.PATIENCE)
    time.sleep(2)
    for host in net.hosts:
        if host.group() != group:
            raise Failed("%s left its group" % host.name)
    net.leader().kill()
    net.wait("another leads", lambda: net.led(net.running()))
    net.wait("one group", lambda: net.one_group(net.running()))


def told_of_key(net, key):
    """That there is one, or none, is what the hosts say."""
    health = net.leader().electctl("check").stdout + net.leader().electctl("status").stdout
    if ("not authenticated" in health) == key:
        raise Failed("with%s a key: %s" % ("" if key else "out", health))


class Traffic:
    """What comes from a borrowed address, a port for each kind, and what goes there; and which other
    datagrams the hosts send, but for those that they send anyhow."""

    def __init__(self, net, insider, address):
        self.sniffer = frames.Sniffer(net)
        self.sniffer.ports[insider.port] = self.insider = insider
        self.address, self.others = frames.address_bytes(address), {}
        self.sent, self.back = ({PORTS + i: 0 for i in range(len(KINDS))} for _ in range(2))

    def count(self):
        for host, _, name, frame in self.sniffer.drain():
            source, to = (int.from_bytes(frame[at:at + 2], "big") for at in (34, 36))
            size = len(frames.payload_of(frame))
            if host is self.insider:
                if frame[26:30] == self.address:
                    self.sent[source] += size
            elif frame[30:34] == self.address:
                self.back[to] += size
            elif name not in ANYHOW:
                self.others[name] = self.others.get(name, 0) + 1
        return sum(self.back.values())


def borrowed(net, insider, seconds, address, share, **how):
    """All kinds at once, from one address: to it no host sends more bytes than its `share` of what
    came from there, and none once nothing does."""
    traffic = Traffic(net, insider, address)
    env = how.pop("env")
    pushing = [insider.push(kind, "1", 20, seconds, env={**env, "INSIDER_PORT": str(PORTS + i)}, **how)
               for i, kind in enumerate(KINDS)]
    for process in pushing:
        process.communicate(timeout=lan.PATIENCE)
    time.sleep(AFTERWARDS)
    back = traffic.count()
    time.sleep(AFTERWARDS)
    late = traffic.count() - back
    traffic.sniffer.close()
    hosts = len(net.running())
    words = []
    for i, kind in enumerate(KINDS):
        sent, got = traffic.sent[PORTS + i], traffic.back[PORTS + i]
        words.append("%s %d, %d" % (kind, sent, got))
        if not sent or got > hosts * share * sent:
            raise Failed("%s: %d bytes in, %d out" % (kind, sent, got))
    if late:
        raise Failed("%d bytes went there afterwards" % late)
    return ", ".join(words), traffic


def as_stranger(net, insider, seconds, key):
    """It answers nothing."""
    words, traffic = borrowed(net, insider, seconds, insider.address,
                              STRANGERS_SHARE if key == bool(insider.key) else 0, key=key,
                              env={"INSIDER_SILENT": "1"})
    if traffic.others:
        raise Failed("others are sent %s" % traffic.others)
    return words


def spoofed(net, insider, seconds):
    """As an address that it only borrows."""
    for host in net.hosts[:3]:
        host.start()
    net.settle()
    key = bool(insider.key)
    told_of_key(net, key)
    group = net.leader().group()
    words = ["by a stranger " + as_stranger(net, insider, seconds, key)]
    if key:
        as_stranger(net, insider, seconds, False)
    words.append("by itself " + borrowed(net, insider, seconds, insider.borrowed, INSIDERS_SHARE,
                                         env={"INSIDER_AS": insider.borrowed})[0])
    if any(host.group() != group for host in net.running()):
        raise Failed("a host left its group")
    return "bytes in and out of three hosts: " + "; ".join(words)


def main():
    result = report.Report()
    lan.setup()
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 6
    rate = int(sys.argv[2]) if len(sys.argv) > 2 else 5000
    for key in sys.argv[3:] or ("none", "key"):
        for name, scene, more in (("pushed", pushed, (seconds, rate)),
                                  ("two Hellos", two_hellos, ()),
                                  ("spoofed", spoofed, (min(seconds / 4, 5),))):
            with lan.Lan(HOSTS, family="ipv4") as net:
                insider = Insider(net, key == "key")
                result.attempt("%s, %s" % (name, "with a key" if key == "key" else "no key"), scene,
                               net, insider, *more)
                insider.close()
                if result.failed:
                    net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
