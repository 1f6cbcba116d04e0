#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Routing tables point elsewhere: datagrams still leave by the link of the LAN.

ways.py [PART...] (routes, cards, cloud; all): a leader and a follower have routes into a tunnel or
nowhere, or two cards in one subnet. What either sends must arrive at the other. In a cloud, hosts
have an address without a subnet, and find each other by network.peers. tests/unit/net/test_ways
shows which path follows from which routes."""
import contextlib
import json
import os
import sys

import lan
import report
from lan import run, until
from report import Failed

ARRIVE = 3
TABLE = "52"
KEY = "1 " + "5a" * 32
GATEWAY = "169.254.1.1"


def ip(host, *lines, check=True):
    for line in lines:
        run("ip", "-n", host.name, *line.split(), check=check)


# ---- routes ------------------------------------------------------------------------------------------

def routes(*lines):
    """Runs these commands of ip(8) and undoes them. The far end of the tunnel is in the same
    namespace, and accepts all packets."""
    @contextlib.contextmanager
    def scene(host):
        ip(host, "link add tunnel type veth peer name far", "link set far up", "link set tunnel up",
           "addr add 100.64.0.2/32 dev tunnel", *lines)
        yield
        for family in "-4", "-6":
            ip(host, "%s rule flush" % family)
            ip(host, *("%s rule add pref %s lookup %s" % (family, pref, table) for pref, table in
                       (("0", "local"), ("32766", "main"))), check=False)
            ip(host, "%s route flush table %s" % (family, TABLE), check=False)
        ip(host, "link del tunnel")
    return scene


@contextlib.contextmanager
def no_route(host):
    """As if the address was set without a route to its subnet."""
    ip(host, "route del 10.77.0.0/24 dev eth0")
    yield
    ip(host, "route add 10.77.0.0/24 dev eth0 scope link src " + host.address)


IN_TABLE = "rule add pref 5270 lookup " + TABLE
ROUTES = [
    ("a tunnel in another table", routes("route add 10.77.0.0/24 dev tunnel table " + TABLE, IN_TABLE)),
    ("a tunnel for everything", routes("route add 10.77.0.0/25 dev tunnel", "route add 0.0.0.0/1 dev tunnel",
                                       "route add default dev tunnel table " + TABLE, IN_TABLE)),
    ("a blackhole", routes("route add blackhole 10.77.0.0/24 table " + TABLE, IN_TABLE)),
    ("an unreachable subnet", routes("rule add pref 5270 to 10.77.0.0/24 unreachable")),
    ("no route", no_route),
]
ROUTES6 = [
    ("a tunnel in the main table", routes("-6 route add fe80::/65 dev tunnel",
                                          "-6 route add fe80:0:0:0:8000::/65 dev tunnel")),
    ("a blackhole", routes("-6 route add blackhole fe80::/64 table " + TABLE, "-6 " + IN_TABLE)),
]


# ---- two cards in one subnet -------------------------------------------------------------------------

class TwoCards(lan.Host):
    """eth1 is on the same bridge, in the same subnet."""

    def __init__(self, *args):
        super().__init__(*args)
        self.second = "second%d" % self.number
        self.more_ports.append(self.second)
        run("ip", "link", "add", self.second, "type", "veth", "peer", "name", "eth1", "netns", self.name)
        run("ip", "link", "set", self.second, "master", self.lan.bridge(0), "up")
        ip(self, "addr add 10.77.0.10%d/24 dev eth1" % self.number, "link set eth1 up")


def sysctl(host, **values):
    """Sets net.ipv4.conf.NAME: the kernel uses the greater of `all` and the interface's own."""
    for name, value in values.items():
        for interface in "all", "default", "eth0", "eth1":
            run("nsenter", "--net=/run/netns/" + host.name, "sysctl", "-qw",
                "net.ipv4.conf.%s.%s=%s" % (interface, name, value))


def cards(rp_filter, arp_ignore, ignore_linkdown, lost=None):
    """`lost`: the card whose cable is unplugged."""
    @contextlib.contextmanager
    def scene(host):
        port = {"eth0": host.port, "eth1": host.second, None: None}[lost]
        sysctl(host, rp_filter=rp_filter, arp_ignore=arp_ignore, arp_announce=2 * arp_ignore,
               ignore_routes_with_linkdown=ignore_linkdown)
        for other in host.lan.hosts:    # neighbours keep the other card's address once they have learned it
            ip(other, "neigh flush all")
        if port:
            run("ip", "link", "set", port, "down")
        yield
        if port:
            run("ip", "link", "set", port, "up")
        sysctl(host, rp_filter=0, arp_ignore=0, arp_announce=0, ignore_routes_with_linkdown=0)
    return scene


# rp_filter 1 drops packets that arrive by a card other than that of the route to the subnet. If
# that card has no carrier, nothing arrives, unless its route is ignored.
CARDS = [("rp_filter %d, arp_ignore %d, linkdown routes %s, %s" % (
    rp_filter, arp_ignore, "ignored" if linkdown else "used", lost + " lost" if lost else "both"),
    cards(rp_filter, arp_ignore, linkdown, lost)) for rp_filter, arp_ignore, linkdown, lost in (
        (0, 0, 0, None), (0, 1, 0, "eth0"), (1, 1, 1, "eth0"), (1, 1, 0, "eth1"))]


# ---- arrival of datagrams ----------------------------------------------------------------------------

def received(host, kind):
    return host.counts("electd_packets_received_total")[kind]


def arrives(net, leader, follower):
    before = received(follower, "AYCoord"), received(leader, "AYThere")
    until("the datagrams of both arrive", lambda: received(follower, "AYCoord") >= before[0] + ARRIVE and
          received(leader, "AYThere") >= before[1] + ARRIVE)


def under(net, scene):
    """First on the follower, whose answers go to one host, then also on the leader."""
    leader, (follower,) = net.leader_and_others()
    mark = net.mark()
    with scene(follower):
        arrives(net, leader, follower)
        with scene(leader):
            arrives(net, leader, follower)
    net.settle()
    led = {name for name, _ in net.leaders_since(mark)} | {net.leader().name}
    if led != {leader.name}:
        raise Failed("leaders: %s, not %s" % (sorted(led), leader.name))


def on_lan(out, title, scenes, config="", **kind):
    with lan.Lan(2, config, **kind) as net:
        net.start()
        net.settle()
        for name, scene in scenes:
            out.attempt("%s: %s" % (title, name), under, net, scene)


# ---- a cloud -----------------------------------------------------------------------------------------

class Cloud(lan.Host):
    """A host whose address has no subnet; every other host is behind the gateway."""

    def __init__(self, *args):
        super().__init__(*args)
        self.address = "10.0.%d.2" % self.number
        run("ip", "link", "set", self.port, "nomaster")
        run("ip", "link", "set", self.port, "netns", "fabric")
        run("ip", "-n", "fabric", "addr", "add", GATEWAY + "/32", "dev", self.port)
        run("ip", "-n", "fabric", "link", "set", self.port, "up")
        run("ip", "-n", "fabric", "route", "add", self.address, "dev", self.port)
        ip(self, "addr flush dev eth0", "addr add %s/32 dev eth0" % self.address,
           "route add %s dev eth0 scope link" % GATEWAY, "route add default via %s dev eth0" % GATEWAY)
        with open(os.open(self.dir + "/electd.keys", os.O_WRONLY | os.O_CREAT, 0o600), "w") as f:
            f.write(KEY + "\n")

    def set_mode(self, mode, hops):
        self.write_config('auth = { mode = "%s"; keys = "%s"; };\nnetwork = { family = "ipv4"; interfaces = '
                          '[ "eth0" ]; hops = %d; };' % (mode, self.dir + "/electd.keys", hops))


# A fabric that forwards datagrams without changing the TTL, as most clouds do.
TTL_KEPT = "add table ip fabric; " + "".join(
    "add chain ip fabric {0} {{ type filter hook {0} priority 0; }}; "
    "add rule ip fabric {0} ip ttl set 255; ".format(hook) for hook in ("prerouting", "postrouting"))
MASQUERADE = ("add table ip nat; add chain ip nat out { type nat hook postrouting priority 100; }; "
              "add rule ip nat out udp dport 7543-7575 masquerade")


@contextlib.contextmanager
def fabric(rules, mode, hops):
    """Three hosts, two of which are configured as peers."""
    run("ip", "netns", "add", "fabric")
    run("ip", "netns", "exec", "fabric", "sysctl", "-qw", "net.ipv4.ip_forward=1")
    if rules:
        run("ip", "netns", "exec", "fabric", "nft", rules)
    try:
        with lan.Lan(3, kind=Cloud) as net:
            for host in net.hosts:
                host.set_mode(mode, hops)
                host.know([h.address for h in net.hosts[:2]])
            yield net
    finally:
        run("ip", "netns", "del", "fabric")


def peer_state(host, address):
    return {p["address"]: p["state"] for p in host.call("io.electd.GetStatus")["peers"]}[address]


def late_route():
    """The fabric does not change the TTL. The lease of one host sets its default route late."""
    with fabric(TTL_KEPT, "auto", 0) as net:
        late, named = net.hosts[2], net.hosts[0].address
        ip(late, "route del default")
        net.start()
        net.wait("it answers", lambda: late.view)
        until("%s is unreachable" % named, lambda: peer_state(late, named) == "unreachable")
        if "unreachable" not in late.electctl("status").stdout:
            raise Failed("electctl status does not show that")
        ip(late, "route add default via %s dev eth0" % GATEWAY)
        net.settle()


def router():
    """With network.hops all datagrams cross the router; without, they are refused."""
    with fabric("", "enforce", 1) as net:
        net.start()
        net.settle()
        leader, others = net.leader_and_others()
        leader.kill()
        net.wait("another host leads", lambda: net.led(others))
        leader.start()
        net.settle()
        for host in net.hosts:
            if host.view["health"]["problems"]:
                raise Failed("%s: %s" % (host.name, host.view["health"]["problems"]))
        leader, (host, *_) = net.leader_and_others()
        host.set_mode("enforce", 0)
        host.call("io.electd.Reload")
        net.wait("it leaves the group", lambda: host.group() != leader.group())
        host.set_mode("auto", 1)
        error, reply = host.ask("io.electd.Reload")
        if not error or "auth.mode" not in json.dumps(reply):
            raise Failed("hops without enforce: %s %s" % (error, reply))
        host.set_mode("enforce", 1)
        host.call("io.electd.Reload")
        net.settle()


def masqueraded():
    """The router translates addresses: nothing is accepted, and configured peers report that."""
    with fabric(MASQUERADE, "enforce", 1) as net:
        named = net.hosts[0]
        for host in net.hosts:
            host.know([named.address])
        net.start()
        for words, verb in (("%s sends is not authentic: address translation" % GATEWAY, "check"),
                            ("a wrong tag (not authentic): a NAT", "doctor")):
            until("electctl %s shows it" % verb, lambda words=words, verb=verb: words in " ".join(
                named.electctl(verb).stdout.split()))


def main():
    out, parts = report.Report(), sys.argv[1:] or ["routes", "cards", "cloud"]
    lan.setup()
    if "routes" in parts:
        on_lan(out, "IPv4", ROUTES, 'network = { family = "ipv4"; interfaces = [ "eth0" ]; };')
        on_lan(out, "IPv6", ROUTES6, family="ipv6")
    if "cards" in parts:
        on_lan(out, "two cards", CARDS, 'network = { family = "ipv4"; interfaces = [ "eth0", "eth1" ]; };',
               kind=TwoCards)
    if "cloud" in parts:
        out.attempt("cloud: a late default route", late_route)
        out.attempt("cloud: a router between", router)
        out.attempt("cloud: a router that masquerades", masqueraded)
    out.exit()


if __name__ == "__main__":
    main()
