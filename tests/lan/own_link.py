#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two hosts, of which one is lost without a loss of carrier (suspicion.md, The own link).

own_link.py: the port of one host is moved to another bridge. The other one leads at once if its
gateway, a namespace of its own, answers; otherwise it waits first, and the bar `alone` shows that.
Ports of namespaces are veths, where frames prove nothing (links.md); tests/unit/net has those."""
import contextlib

import lan
import report
import wires
from report import Failed

GATEWAY = {"ipv4": "10.77.0.254", "ipv6": "fe80::fe"}
# So long that the gateway has answered within dead_after on any machine.
TIMING = """timing = { beacon_interval_ms = 500; silence_ms = 500; dead_after_ms = 5000;
lone_hold_ms = 1000; };"""
ANSWERED, NOTHING = "its gateway answered", "its own link shows no sign of life"


@contextlib.contextmanager
def gateway(net, family):
    """A router that runs no electd, on the first bridge; the hosts have a default route by it."""
    lan.run("ip", "netns", "add", "gateway")
    lan.run("ip", "link", "add", "gate", "type", "veth", "peer", "name", "eth0", "netns", "gateway")
    lan.run("ip", "link", "set", "gate", "master", net.bridge(0), "up")
    wires.batch(["addr add %s/64 dev eth0 nodad" % GATEWAY["ipv6"],
                 "addr add %s/24 dev eth0" % GATEWAY["ipv4"], "link set eth0 up"], "gateway")
    for host in net.hosts:
        wires.batch(["route add default via %s dev %s" % (GATEWAY[family], host.interface)],
                    host.name)
    try:
        yield
    finally:
        lan.run("ip", "link", "del", "gate")
        lan.run("ip", "netns", "del", "gateway")


def bars(net, host, mark):
    """The bars of the host since then, until it led."""
    found = []
    for _, one, event in net.since(mark):
        if one is not host:
            continue
        if event["status"]["role"] == "leader":
            return found
        bar = event["status"]["bar"]
        if bar and bar["name"] not in found:
            found.append(bar["name"])
    raise Failed("it never led")


def takes_over(net, survivor, parts, waits, words):
    """Splits the LAN. The survivor must lead, and must have had the bar `alone` or not."""
    mark = net.mark()
    net.split(*parts)
    net.wait("%s leads" % survivor.name,
             lambda: survivor.view and survivor.view["role"] == "leader")
    why = " ".join(survivor.electctl("why").stdout.split())
    found = bars(net, survivor, mark)
    if ("alone" in found) != waits or words not in why:
        raise Failed("its bars were %s; %r is not in: %s" % (found, words, why))
    return "its bars were: %s" % (", ".join(found) or "none")


def with_gateway(family):
    """The leader is lost, and the gateway is not."""
    with lan.Lan(2, TIMING, family=family) as net, gateway(net, family):
        net.start()
        leader, (survivor,) = net.leader_and_others()
        return takes_over(net, survivor, ([survivor], [leader]), False, ANSWERED)


def without_gateway():
    with lan.Lan(2, TIMING) as net:
        net.start()
        leader, (survivor,) = net.leader_and_others()
        return takes_over(net, survivor, ([survivor], [leader]), True, NOTHING)


def firewall():
    """The gateway answers nothing."""
    with lan.Lan(2, TIMING, family="ipv4") as net, gateway(net, "ipv4"):
        lan.run("ip", "netns", "exec", "gateway", "nft", "add table inet t; add chain inet t in"
                " { type filter hook input priority 0; policy drop; }")
        net.start()
        leader, (survivor,) = net.leader_and_others()
        return takes_over(net, survivor, ([survivor], [leader]), True, NOTHING)


def cut_off():
    """The follower is cut off, also from the gateway. The leader stays, until both merge again."""
    with lan.Lan(2, TIMING, family="ipv4") as net, gateway(net, "ipv4"):
        net.start()
        leader, (follower,) = net.leader_and_others()
        words = takes_over(net, follower, ([leader], [follower]), True, NOTHING)
        if leader.view["role"] != "leader":
            raise Failed("the leader, whose gateway answers, leads no more")
        net.heal()
        net.settle()
        return words


def main():
    result = report.Report()
    lan.setup()
    for words, test, *given in (
            ("a gateway answers", with_gateway, "ipv4"),
            ("a gateway of IPv6 answers", with_gateway, "ipv6"),
            ("there is no gateway", without_gateway),
            ("the gateway has a firewall", firewall),
            ("the follower is cut off", cut_off)):
        result.attempt(words, test, *given)
    result.exit()


if __name__ == "__main__":
    main()
