#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One who holds the key, or needs none, and pushes the counter of groups: insider.py [SECONDS [RATE]].

It answers Challenges, so it is believed. While it pushes no group changes and no leader is lost; one
that is killed meanwhile is replaced as ever; the disks are written at most twice a second, but for
the first. After it all agree, those that were off meanwhile too, without a hand. Two Hellos to one
host split nothing. To an address that it only borrows each host sends no more than came from there.
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
# Until it is clear that somebody pushes the reserve is small (elect_counter.c).
FIRST_WRITES = 16


class Insider:
    """A namespace of its own on the LAN."""

    def __init__(self, net):
        self.name, self.port, self.address = "insider", "portx", "10.77.0.250"
        lan.run("ip", "netns", "add", self.name)
        lan.run("ip", "link", "add", self.port, "type", "veth", "peer", "name", "eth0", "netns",
                self.name)
        lan.run("ip", "-n", self.name, "link", "set", "lo", "up")
        lan.run("ip", "-n", self.name, "addr", "add", self.address + "/24", "dev", "eth0")
        lan.run("ip", "-n", self.name, "link", "set", "eth0", "up")
        lan.run("ip", "-n", self.name, "route", "add", "default", "dev", "eth0")
        lan.run("ip", "link", "set", self.port, "master", net.bridge(0), "up")

    def push(self, kind, counter, rate, seconds, *to, env=()):
        return subprocess.Popen(
            ["nsenter", "--net=/run/netns/" + self.name, INSIDER, self.address, kind, counter,
             str(rate), str(seconds), *to], stdout=subprocess.PIPE, text=True,
            env={**os.environ, **dict(env)})

    def close(self):
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
    net.wait("another leads", lambda: net.led([h for h in awake if h is not leader]))
    replaced = lan.now() - at
    sent = int(process.communicate(timeout=seconds + 60)[0])
    took = lan.now() - began
    for host in awake:
        if host is not leader and generation(host) - before[host] > FIRST_WRITES + 2 * took:
            raise Failed("%s saved %d times in %.0f s" % (
                host.name, generation(host) - before[host], took))
    text = "%d datagrams in %.0f s, leader replaced in %.2f s, counter %d" % (
        sent, took, replaced, counter(net.leader()))
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
        insider.push("Hello", "max", 2, 1, to).communicate(timeout=20)
    time.sleep(2)
    for host in net.hosts:
        if host.group() != group:
            raise Failed("%s left its group" % host.name)
    net.leader().kill()
    net.wait("another leads", lambda: net.led(net.running()))
    net.wait("one group", lambda: net.one_group(net.running()), timeout=10)


def spoofed(net, insider):
    """It answers nothing, as an address that it only borrows: what is sent there, and what else the
    hosts say because of it, is no more than what seemed to come from there."""
    hosts = net.hosts[:3]
    for host in hosts:
        host.start()
    net.settle()
    sniffer = frames.Sniffer(net)
    sniffer.ports[insider.port] = insider
    source, sent, back, others = frames.address_bytes(insider.address), 0, 0, {}
    for kind in ("Hello", "AYCoord", "Invitation", "AYThere", "Goodbye", "Challenge"):
        sniffer.drain()
        insider.push(kind, "1", 20, 2, env={"INSIDER_SILENT": "1"}).communicate(timeout=20)
        time.sleep(2 * lan.BEACON)
        for host, _, name, frame in sniffer.drain():
            size = len(frames.payload_of(frame))
            if host is insider:
                sent += size
            elif frame[30:34] == source:
                back += size
            elif name not in ("AYCoord", "AYThere"):
                others[name] = others.get(name, 0) + 1
    sniffer.close()
    words = "%d bytes in, %d out from three hosts" % (sent, back)
    if others or back > len(hosts) * sent or not sent:
        raise Failed("%s; to others: %s" % (words, others))
    return words


def main():
    result = report.Report()
    lan.setup()
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 6
    rate = int(sys.argv[2]) if len(sys.argv) > 2 else 5000
    for name, scene, more in (("pushed", pushed, (seconds, rate)),
                              ("two Hellos", two_hellos, ()),
                              ("spoofed", spoofed, ())):
        with lan.Lan(HOSTS) as net:
            insider = Insider(net)
            result.attempt(name, scene, net, insider, *more)
            insider.close()
            if result.failed:
                net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
