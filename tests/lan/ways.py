#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Routing tables that lead elsewhere: datagrams leave by the link of the LAN all the same.

ways.py [NAME...]: only those attempts whose names have one of these words. Each attempt changes the
routes or the cards of a follower, and then of the leader: no leader changes, and no member is
dropped. The hosts have one card, or two in one subnet, by IPv4 or by IPv6; or they have an address
without a subnet, as in a cloud, and find each other by network.peers.
"""
import contextlib
import os
import sys
import time

import lan
import report
from lan import Failed, run

# A member that is not heard is dropped within 2 s; it leads one hold later.
STAY_S = 4
PATIENCE = 20
TABLE = "52"
KEY = "1 " + "5a" * 32
GATEWAY = "169.254.1.1"


def inside(host, *words, check=True):
    return run("nsenter", "--net=/run/netns/" + host.name, *words, check=check)


def ip(host, *lines, check=True):
    for line in lines:
        run("ip", "-n", host.name, *line.split(), check=check)


def sysctl(host, **values):
    """net.ipv4.conf.NAME, of all interfaces: the kernel takes the greater of `all` and the own one."""
    for name, value in values.items():
        for interface in "all", "default", "eth0", "eth1":
            inside(host, "sysctl", "-qw", "net.ipv4.conf.%s.%s=%s" % (interface, name, value),
                   check=interface != "eth1")


# ---- routes ------------------------------------------------------------------------------------------

def add_tunnel(host):
    """Its far end is in the same namespace, and takes in what comes."""
    ip(host, "link add tunnel type veth peer name far", "link set far up", "link set tunnel up",
       "addr add 100.64.0.2/32 dev tunnel")


def routes(*lines):
    """These commands of ip(8), for a time. What they add goes with the tunnel or the table."""
    @contextlib.contextmanager
    def scene(host):
        add_tunnel(host)
        ip(host, *lines)
        try:
            yield
        finally:
            take_away(host)

    def take_away(host):
        for family in "-4", "-6":
            ip(host, "%s rule flush" % family)
            ip(host, *("%s rule add pref %s lookup %s" % (family, pref, table) for pref, table in
                       (("0", "local"), ("32766", "main"))), check=False)
            ip(host, "%s route flush table %s" % (family, TABLE), check=False)
        ip(host, "link del tunnel")
    return scene


@contextlib.contextmanager
def no_route(host):
    """As where the address was set without a route to its subnet."""
    ip(host, "route del 10.77.0.0/24 dev eth0")
    try:
        yield
    finally:
        ip(host, "route add 10.77.0.0/24 dev eth0 scope link src " + host.address)


@contextlib.contextmanager
def other_card(host):
    """A card on another LAN has the more specific route."""
    ip(host, "link add eth9 type veth peer name lan9", "link set lan9 up", "link set eth9 up",
       "addr add 10.79.0.1/24 dev eth9", "route add 10.77.0.0/25 via 10.79.0.254 dev eth9")
    try:
        yield
    finally:
        ip(host, "link del eth9")


IN_TABLE = ["rule add pref 5270 lookup " + TABLE]
ROUTES = [
    ("a tunnel in another table", routes("route add 10.77.0.0/24 dev tunnel table " + TABLE, *IN_TABLE)),
    ("a tunnel in the main table", routes("route add 10.77.0.0/25 dev tunnel")),
    ("a tunnel for everything", routes("route add 0.0.0.0/1 dev tunnel", "route add 128.0.0.0/1 dev tunnel",
                                       "route add default dev tunnel table " + TABLE, *IN_TABLE)),
    ("a blackhole", routes("route add blackhole 10.77.0.0/24 table " + TABLE, *IN_TABLE)),
    ("an unreachable subnet", routes("rule add pref 5270 to 10.77.0.0/24 unreachable")),
    ("a prohibited subnet", routes("rule add pref 5270 to 10.77.0.0/24 prohibit")),
    ("another card", other_card),
    ("no route", no_route),
]
ROUTES6 = [
    ("a tunnel in another table", routes("-6 route add fe80::/64 dev tunnel table " + TABLE,
                                         "-6 rule add pref 5270 lookup " + TABLE)),
    ("a tunnel in the main table", routes("-6 route add fe80::/65 dev tunnel",
                                          "-6 route add fe80:0:0:0:8000::/65 dev tunnel")),
    ("a blackhole", routes("-6 route add blackhole fe80::/64 table " + TABLE,
                           "-6 rule add pref 5270 lookup " + TABLE)),
]


# ---- two cards in one subnet -------------------------------------------------------------------------

BOTH_CARDS = 'network = { family = "ipv4"; interfaces = [ "eth0", "eth1" ]; };'


class TwoCards(lan.Host):
    """eth1 is on the same bridge, and of the same subnet."""

    def __init__(self, *args):
        super().__init__(*args)
        self.second = "second%d" % self.number
        self.more_ports.append(self.second)
        run("ip", "link", "add", self.second, "type", "veth", "peer", "name", "eth1", "netns", self.name)
        run("ip", "link", "set", self.second, "master", self.lan.bridge(0), "up")
        ip(self, "addr add 10.77.0.10%d/24 dev eth1" % self.number, "link set eth1 up")


def set_cards(rp_filter, arp_ignore, ignore_linkdown, lost=None):
    """`lost`: the card whose cable is pulled."""
    @contextlib.contextmanager
    def scene(host):
        port = {"eth0": host.port, "eth1": host.second, None: None}[lost]
        sysctl(host, rp_filter=rp_filter, arp_ignore=arp_ignore, arp_announce=2 * arp_ignore,
               ignore_routes_with_linkdown=ignore_linkdown)
        for other in host.lan.hosts:    # who has learned the other card's address would keep it
            ip(other, "neigh flush all")
        if port:
            run("ip", "link", "set", port, "down")
        try:
            yield
        finally:
            if port:
                run("ip", "link", "set", port, "up")
            sysctl(host, rp_filter=0, arp_ignore=0, arp_announce=0, ignore_routes_with_linkdown=0)
    return scene


# Without arp_ignore either card answers for both addresses, and what is sent to one may be lost with
# the cable of the other: such a host may be dropped, and comes back (FLUX).
FLUX = [set_cards(0, 0, linkdown, lost) for linkdown in (0, 1) for lost in ("eth0", "eth1")]
# rp_filter 1 drops what comes by the card that the route to the subnet does not name. While that
# is the card without a carrier nothing can be heard, unless its route is ignored.
CARDS = [
    ("rp_filter %d, arp_ignore %d, linkdown routes %s, %s" % (
        rp_filter, arp_ignore, "ignored" if linkdown else "used", lost + " lost" if lost else "both"),
     set_cards(rp_filter, arp_ignore, linkdown, lost))
    for rp_filter, arp_ignore, linkdown, lost in (
        (0, 0, 0, None), (0, 1, 0, "eth0"), (0, 1, 0, "eth1"), (0, 1, 1, "eth0"), (2, 0, 0, None),
        (2, 1, 0, "eth0"), (2, 1, 1, "eth1"),
        (1, 1, 0, None), (1, 1, 0, "eth1"), (1, 1, 1, "eth0"))]


# ---- a cloud -----------------------------------------------------------------------------------------

class Cloud(lan.Host):
    """Its address has no subnet, and every other host is behind the gateway."""

    def __init__(self, *args):
        super().__init__(*args)
        self.address = "10.0.%d.2" % self.number
        run("ip", "link", "set", self.port, "nomaster")
        run("ip", "link", "set", self.port, "netns", "fabric")
        run("ip", "-n", "fabric", "addr", "add", GATEWAY + "/32", "dev", self.port)
        run("ip", "-n", "fabric", "link", "set", self.port, "up")
        run("ip", "-n", "fabric", "route", "add", self.address, "dev", self.port)
        ip(self, "addr flush dev eth0", "addr add %s/32 dev eth0" % self.address)
        self.add_routes()
        with open(os.open(self.dir + "/electd.keys", os.O_WRONLY | os.O_CREAT, 0o600), "w") as f:
            f.write(KEY + "\n")

    def add_routes(self):
        ip(self, "route add %s dev eth0 scope link" % GATEWAY,
           "route add default via %s dev eth0" % GATEWAY)

    def set_hops(self, hops):
        self.write_config('auth = { mode = "%s"; keys = "%s"; };\nnetwork = { family = "ipv4"; '
                          'hops = %d; };' % ("enforce" if hops else "auto", self.dir + "/electd.keys", hops))


@contextlib.contextmanager
def fabric(rules=""):
    run("ip", "netns", "add", "fabric")
    run("ip", "netns", "exec", "fabric", "sysctl", "-qw", "net.ipv4.ip_forward=1")
    if rules:
        run("ip", "netns", "exec", "fabric", "nft", rules)
    try:
        yield
    finally:
        run("ip", "netns", "del", "fabric")


# A fabric that hands on what it gets, as that of most clouds does: it takes nothing off the TTL.
TTL_KEPT = "add table ip fabric; " + "".join(
    "add chain ip fabric {0} {{ type filter hook {0} priority 0; }}; "
    "add rule ip fabric {0} ip ttl set 255; ".format(hook) for hook in ("prerouting", "postrouting"))


def reaches_all(net):
    """A leader ends and is followed; no route by which it answers is of another interface."""
    net.start()
    net.wait("all in one group", net.agreed, PATIENCE)
    net.quiet(2)
    leader = net.leader()
    leader.kill()
    net.wait("another one leads", net.led, PATIENCE)
    leader.start()
    net.wait("all in one group", net.agreed, PATIENCE)
    for host in net.hosts:
        health = host.view["health"]
        if health["problems"]:
            raise Failed("%s: %s" % (host.name, health["problems"]))


def cloud(hops, rules=""):
    """Four hosts of which two are named."""
    with fabric(rules), lan.Lan(4, kind=Cloud) as net:
        for host in net.hosts:
            host.set_hops(hops)
            host.know([h.address for h in net.hosts[:2]])
        reaches_all(net)


MASQUERADE = ("add table ip nat; add chain ip nat out { type nat hook postrouting priority 100; }; "
              "add rule ip nat out udp dport 7543-7575 masquerade")


def masqueraded():
    """By the router: nobody can accept anything, and a named peer says so."""
    with fabric(MASQUERADE), lan.Lan(3, kind=Cloud) as net:
        named = net.hosts[0]
        for host in net.hosts:
            host.set_hops(1)
            host.know([named.address])
        net.start()
        for words, verb in (("%s sends is not authentic: address translation" % GATEWAY, "check"),
                            ("not authentic, nor is that address: a NAT", "doctor")):
            lan.until("electctl %s says so" % verb, lambda words=words, verb=verb: words in " ".join(
                named.electctl(verb).stdout.split()), PATIENCE)


def late_route():
    """The lease brings the default route when electd runs already."""
    with fabric(TTL_KEPT), lan.Lan(3, kind=Cloud) as net:
        late = net.hosts[2]
        for host in net.hosts:
            host.write_config('auth = { keys = "%s/electd.keys"; };\nnetwork = { family = "ipv4"; '
                              'interfaces = [ "eth0" ]; };' % host.dir)
            host.know([h.address for h in net.hosts[:2]])
        ip(late, "route del default")
        net.start()
        net.wait("it answers", lambda: late.view, PATIENCE)
        unreachable(late, net.hosts[0].address)
        ip(late, "route add default via %s dev eth0" % GATEWAY)
        net.wait("all in one group", net.agreed, PATIENCE)


def state_of(host, address):
    return {p["address"]: p["state"] for p in host.call("io.electd.GetStatus")["peers"]}[address]


def unreachable(host, address):
    lan.until("%s is unreachable" % address, lambda: state_of(host, address) == "unreachable", PATIENCE)
    if "unreachable" not in host.electctl("status").stdout:
        raise Failed("electctl status does not say so")


def unused_interface():
    """The route to the peer is by an interface that is not used: status reports that, and the LAN stays one group."""
    with lan.Lan(3, family="ipv4") as net:
        net.start()
        net.settle()
        host = net.hosts[2]
        add_tunnel(host)
        ip(host, "route add 10.99.0.9 dev tunnel")
        mark, leader = net.mark(), net.leader()
        host.write_config('network = { family = "ipv4"; interfaces = [ "eth0" ]; peers = [ "10.99.0.9" ]; };')
        host.call("io.electd.Reload")
        unreachable(host, "10.99.0.9")
        stay(net, mark, leader)


# ---- one leader, all members -------------------------------------------------------------------------

def stay(net, mark, leader):
    """For as long as it would take to drop a member, and longer."""
    time.sleep(STAY_S)
    led = {name for name, _ in net.leaders_since(mark)} | {net.leader().name}
    dropped = [fields["members"] for _, fields in net.differences(mark) if "members" in fields]
    groups = net.groups_since(mark)
    if led != {leader.name} or len(groups) > 1 or not net.agreed():
        raise Failed("leaders: %s, groups: %s, members: %s %s" % (
            sorted(led), groups, [len(h.view["members"]) for h in net.hosts], dropped))


def changed_at(net, host, leader, scene):
    mark = net.mark()
    with scene(host):
        stay(net, mark, leader)
    net.settle()


def under(net, scene):
    """Each time on a LAN where all is well."""
    leader, (follower, _) = net.leader_and_others()
    changed_at(net, follower, leader, scene)
    changed_at(net, leader, leader, scene)


def settles(net, scenes):
    """The same host leads, and all are members again while the cable is still out."""
    leader, others = net.leader_and_others()
    for scene in scenes:
        for host in others[0], leader:
            mark = net.mark()
            with scene(host):
                time.sleep(STAY_S)
                net.wait("all are members", net.agreed, PATIENCE)
                led = {name for name, _ in net.leaders_since(mark)} | {net.leader().name}
                if led != {leader.name}:
                    raise Failed("leaders: %s, not %s" % (sorted(led), leader.name))
            net.settle()


def flux():
    with lan.Lan(3, BOTH_CARDS, kind=TwoCards) as net:
        net.start()
        settles(net, FLUX)


def chosen(name):
    return len(sys.argv) < 2 or any(word in name for word in sys.argv[1:])


def attempt(out, name, action, *arguments):
    if chosen(name):
        out.attempt(name, action, *arguments)


def on_lan(out, title, scenes, config="", **kind):
    """Each scene on one LAN."""
    scenes = [(title + ": " + name, scene) for name, scene in scenes]
    if not any(chosen(name) for name, _ in scenes):
        return
    with lan.Lan(3, config, **kind) as net:
        net.start()
        net.settle()
        for name, scene in scenes:
            attempt(out, name, under, net, scene)


def main():
    out = report.Report()
    lan.setup()
    on_lan(out, "IPv4", ROUTES, 'network = { family = "ipv4"; interfaces = [ "eth0" ]; };')
    on_lan(out, "IPv6", ROUTES6, family="ipv6")
    on_lan(out, "two cards", CARDS, BOTH_CARDS, kind=TwoCards)
    attempt(out, "two cards: each answers for both addresses", flux)
    attempt(out, "cloud: no router is seen", cloud, 0, TTL_KEPT)
    attempt(out, "cloud: a router between", cloud, 1)
    attempt(out, "cloud: a late default route", late_route)
    attempt(out, "cloud: a router that masquerades", masqueraded)
    attempt(out, "an interface that is not used", unused_interface)
    out.exit()


if __name__ == "__main__":
    main()
