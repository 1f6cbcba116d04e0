#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cables that are pulled: who had company stops leading at once and does not begin to.

carrier.py [RUNS [UNFORWARDED]]: the leader's cable pulled RUNS times (default 3); once it is put
back into a port that forwards nothing for UNFORWARDED seconds (default 4, below the 30 that a host
waits). The interface loses its carrier, as with a real cable: its peer is taken down.
"""
import fcntl
import socket
import struct
import sys
import time

import lan
from lan import DEAD_AFTER, LONE_HOLD
import report
from report import Failed

HOSTS = 4
STOPPED = 0.050
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1


def cable(host, plugged):
    """The other end of the host's cable; the time just before. One system call, no program."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        name = host.port.encode()
        request = fcntl.ioctl(s, SIOCGIFFLAGS, struct.pack("16sH14x", name, 0))
        flags = struct.unpack("16sH14x", request)[1]
        request = struct.pack("16sH14x", name, flags | IFF_UP if plugged else flags & ~IFF_UP)
        at = lan.now()
        fcntl.ioctl(s, SIOCSIFFLAGS, request)
    return at


def role(host):
    return host.view and host.view["role"]


def led(net, host, mark):
    return any(h is host and e["status"]["role"] == "leader" for _, h, e in net.since(mark))


def not_leader_for(net, host, mark, seconds):
    """What it said last before the mark may arrive after it."""
    time.sleep(seconds)
    if led(net, host, mark):
        raise Failed("%s led without a carrier, or before it heard anybody" % host.name)


def leader_pulled(net, runs):
    """Stopped is the moment at which a subscriber hears of it; demotions begin with that."""
    stopped, led_again = [], []
    for _ in range(runs):
        old, rest = net.leader_and_others()
        at = cable(old, False)
        stopped.append(net.wait("the old leader stops", lambda: role(old) == "none") - at)
        if old.view["reason"] != "carrier-lost":
            raise Failed("the reason is %s" % old.view["reason"])
        mark = net.mark()
        led_again.append(net.wait("another leads", lambda: net.led(rest)) - at)
        not_leader_for(net, old, mark, 2 * LONE_HOLD)
        cable(old, True)
        net.wait("all in one group", net.agreed)
        if net.leader() is old:
            raise Failed("the returning host took over")
    return "stopped: %s; another leads: %s" % (report.within(stopped, STOPPED),
                                               report.statistics(led_again))


def follower_pulled(net):
    """It loses its coordinator behind the dead cable, and does not follow itself."""
    net.settle()
    leader = net.leader()
    host = next(h for h in net.hosts if h is not leader)
    mark = net.mark()
    cable(host, False)
    net.wait("it is alone", lambda: host.view and len(host.view["members"]) == 1)
    not_leader_for(net, host, mark, 3 * LONE_HOLD)
    if net.leader() is not leader:
        raise Failed("the leader changed")
    cable(host, True)
    net.wait("all in one group", net.agreed)
    return "does not lead behind its cable"


def address_removed(net):
    """As good as a cable: without an address nobody is heard."""
    old, rest = net.leader_and_others()
    words = old.address + "/24", "dev", "eth0"
    at = lan.now()
    lan.run("ip", "-n", old.name, "addr", "del", *words)
    took = net.wait("the old leader stops", lambda: role(old) == "none") - at
    mark = net.mark()
    net.wait("another leads", lambda: net.led(rest))
    not_leader_for(net, old, mark, 2 * LONE_HOLD)
    lan.run("ip", "-n", old.name, "addr", "add", *words)
    net.wait("all in one group", net.agreed)
    return "stopped after %.0f ms" % (took * 1000)


def short_interruption(net):
    """Back before anybody else leads: one leader, if a while later."""
    net.settle()
    old = net.leader()
    cable(old, False)
    net.wait("the leader stops", lambda: role(old) == "none")
    cable(old, True)
    at = lan.now()
    return "led again after %.0f ms" % ((net.settle() - at) * 1000)


def unforwarded(net, seconds):
    old, rest = net.leader_and_others()
    cable(old, False)
    net.wait("the old leader stops", lambda: role(old) == "none")
    net.wait("another leads", lambda: net.led(rest))
    mark = net.mark()
    lan.run("ip", "link", "set", old.port, "nomaster")
    cable(old, True)
    net.wait("it has a carrier", lambda: not any("no network interface" in p for p in
                                                 old.view["health"]["problems"]))
    not_leader_for(net, old, mark, seconds)
    if not any("no other host was heard since" in p for p in old.view["health"]["problems"]):
        raise Failed("status does not say why it waits: %s" % old.view["health"])
    net.heal()
    at = lan.now()
    return "%d s, then one group after %.0f ms" % (
        seconds, (net.wait("all in one group", net.agreed) - at) * 1000)


def all_pulled(net):
    """The switch starts anew: one demotion, no two leaders, one leader afterwards."""
    net.settle()
    for host in net.hosts:
        cable(host, False)
    net.wait("nobody leads", lambda: not any(role(h) == "leader" for h in net.hosts))
    mark = net.mark()
    time.sleep(2 * LONE_HOLD)
    if net.leaders_since(mark):
        raise Failed("led without a carrier: %s" % net.leaders_since(mark))
    for host in net.hosts:
        cable(host, True)
    at = lan.now()
    return "one leader %.0f ms after the cables are back" % ((net.settle() - at) * 1000)


def alone(net):
    """A machine without a network leads itself."""
    for host in net.running():
        host.kill()
    host = net.hosts[0]
    host.start()
    net.wait("it leads alone", lambda: role(host) == "leader")
    cable(host, False)
    net.wait("it says so", lambda: not host.view["health"]["ok"])
    time.sleep(2 * DEAD_AFTER)
    if role(host) != "leader":
        raise Failed("stopped leading")
    cable(host, True)
    return "leads on"


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 4
    result = report.Report()
    lan.setup()
    with lan.Lan(HOSTS, family="ipv4") as net:    # whose address is taken away
        net.start()
        result.attempt("leader's cable pulled", leader_pulled, net, runs)
        result.attempt("follower's cable pulled", follower_pulled, net)
        result.attempt("leader's address removed", address_removed, net)
        result.attempt("short interruption", short_interruption, net)
        result.attempt("a port that forwards nothing yet", unforwarded, net, seconds)
        result.attempt("all cables pulled", all_pulled, net)
        result.attempt("alone", alone, net)
        if result.failed:
            net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
