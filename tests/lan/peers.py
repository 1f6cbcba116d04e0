#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Networks without multicast, where hosts are found by addresses that are named.

peers.py [HOSTS] (default 5): so many hosts, three addresses named by all: they find each other, a
leader that is killed or falls silent is followed, a split heals, whatever restarts finds the others;
one address of a member is enough, beside one where nobody answers; half of the hosts by multicast; and
hosts behind routers, with a key.
"""
import json
import os
import signal
import sys

import lan
import report
from lan import DEAD_AFTER, Failed, run

# Finding takes some beacons more than multicast does, and machines may be slow.
PATIENCE = 20
FAILOVER = DEAD_AFTER + 2.0
KEY = "1 " + "5a" * 32


def peers_of(host):
    return {p["address"]: p for p in host.call("io.electd.GetStatus")["peers"]}


def without(net, host):
    return [h for h in net.running() if h is not host]


def cold_start(net):
    net.start()
    net.wait("all in one group", net.agreed, PATIENCE)
    net.quiet(3)
    states = sorted(p["state"] for p in peers_of(net.hosts[0]).values())
    if states != ["member", "member", "self"]:
        raise Failed("its peers are " + ", ".join(states))
    if "3 named, 0 missed" not in net.hosts[0].electctl("status").stdout:
        raise Failed("electctl status does not tell of peers")


def leader_killed(net):
    leader = net.leader()
    leader.kill()
    net.wait("another one leads", net.led, FAILOVER + 3)
    leader.start()
    net.wait("all in one group", net.agreed, PATIENCE)


def leader_silent(net):
    leader = net.leader()
    rest = without(net, leader)
    leader.process.send_signal(signal.SIGSTOP)
    net.wait("another one leads", lambda: net.led(rest), FAILOVER + 3)
    leader.process.send_signal(signal.SIGCONT)
    net.wait("all in one group", net.agreed, PATIENCE)


def split_and_heal(net):
    """All that are named are on one side."""
    named, others = net.hosts[:3], net.hosts[3:]
    net.split(named, others)
    net.wait("each side is one group", lambda: net.agreed(named) and net.agreed(others), PATIENCE)
    net.heal()
    net.wait("all in one group", net.agreed, PATIENCE)


def restarts(net):
    """The power is cut, and comes back; then one after the other."""
    for host in net.running():
        host.kill()
    net.start()
    net.wait("all in one group", net.agreed, PATIENCE)
    for host in net.hosts:
        host.stop()
        host.start()
        net.wait("all in one group", net.agreed, PATIENCE)


def reloaded(net):
    """Other peers, and nothing else happens."""
    mark = net.mark()
    host = net.hosts[-1]
    host.know([net.hosts[0].address, "10.77.0.99"])
    changed = host.call("io.electd.Reload")["changed"]
    if changed != ["network.peers"]:
        raise Failed("changed: %s" % changed)
    if sorted(peers_of(host)) != ["10.77.0.1", "10.77.0.99"]:
        raise Failed("its peers are %s" % sorted(peers_of(host)))
    net.quiet(2)
    if net.groups_since(mark):
        raise Failed("the group changed")


def one_address(net):
    """Of a member that does not coordinate, beside one where nobody answers."""
    leader, others = net.leader_and_others()
    host = next(h for h in others if h is not others[0])
    host.stop()
    host.know([others[0].address, "10.77.0.99"])
    host.start()
    net.wait("it is in the group again", net.agreed, PATIENCE)
    if net.leader() is not leader:
        raise Failed("the leader changed")


def no_multicast(hosts):
    with lan.Lan(hosts) as net:
        for host in net.hosts:
            host.without_multicast()
            host.know([h.address for h in net.hosts[:3]])
        for name, test in (("found", cold_start), ("killed", leader_killed),
                           ("silent", leader_silent), ("split", split_and_heal),
                           ("restarts", restarts), ("reload", reloaded),
                           ("one address", one_address)):
            out.attempt("without multicast: " + name, test, net)


def mixed():
    """Three hear each other by multicast and know nobody, two know one of them."""
    with lan.Lan(5) as net:
        for host in net.hosts[3:]:
            host.without_multicast()
            host.know([net.hosts[1].address])
        net.start()
        net.wait("all in one group", net.agreed, PATIENCE)
        leader_killed(net)


class Routed(lan.Host):
    """The second half of them is on another bridge, behind a router."""

    def __init__(self, net, number, config=""):
        super().__init__(net, number, config)
        side = number % 2
        self.address = "10.78.%d.%d" % (side, number)
        run("ip", "link", "set", self.port, "master", net.bridge(side))
        for words in ("addr flush dev eth0", "addr add %s/24 dev eth0" % self.address,
                      "route add default via 10.78.%d.254" % side):
            run("ip", "-n", self.name, *words.split())
        with open(os.path.join(self.dir, "electd.keys"), "w") as f:
            os.fchmod(f.fileno(), 0o600)
            f.write(KEY + "\n")

    def set_mode(self, mode, hops):
        self.write_config('auth: { mode = "%s"; keys = "%s"; };\nnetwork: { hops = %d; };' %
                          (mode, os.path.join(self.dir, "electd.keys"), hops))


def add_router(net):
    run("ip", "netns", "add", "router")
    run("ip", "netns", "exec", "router", "sysctl", "-qw", "net.ipv4.ip_forward=1")
    for side in (0, 1):
        run("ip", "link", "add", "router%d" % side, "type", "veth", "peer", "name",
            "eth%d" % side, "netns", "router")
        run("ip", "link", "set", "router%d" % side, "master", net.bridge(side), "up")
        run("ip", "-n", "router", "addr", "add", "10.78.%d.254/24" % side, "dev", "eth%d" % side)
        run("ip", "-n", "router", "link", "set", "eth%d" % side, "up")


def routed():
    """Two on each side; those of one side know one of the other, and one router is on the way."""
    with lan.Lan(4, kind=Routed) as net:
        add_router(net)
        try:
            for host in net.hosts:
                host.set_mode("enforce", 1)
                host.know([net.hosts[0].address])
            net.start()
            net.wait("all in one group", net.agreed, PATIENCE)
            net.quiet(2)
            leader_killed(net)
            kernels_answer(net)
            too_far(net)
        finally:
            run("ip", "netns", "del", "router")


def kernels_answer(net):
    """Over the router, too, or early doubt would be off."""
    for host in net.hosts:
        if any("kernel" in problem for problem in host.view["health"]["problems"]):
            raise Failed("%s: %s" % (host.name, host.view["health"]["problems"]))


def too_far(net):
    """Without hops what comes over the router is not heard; and hops without the key is refused."""
    leader = net.leader()
    host = next(h for h in net.hosts if h.number % 2 != leader.number % 2)
    rest = without(net, host)
    host.set_mode("enforce", 0)
    host.call("io.electd.Reload")
    net.wait("it is in the group no more", lambda: host.group() != leader.group(), PATIENCE)
    host.set_mode("auto", 1)
    error, reply = host.ask("io.electd.Reload")
    if not error or "auth.mode" not in json.dumps(reply):
        raise Failed("hops without enforce: %s %s" % (error, reply))
    host.set_mode("auto", 0)
    host.call("io.electd.Reload")
    host.set_mode("enforce", 1)
    changed = host.call("io.electd.Reload")["changed"]
    if sorted(changed) != ["auth.mode", "network.hops"]:
        raise Failed("changed: %s" % changed)
    net.wait("all in one group", lambda: net.agreed(rest + [host]), PATIENCE)


def replayed(net):
    return sum(h.counts("electd_packets_dropped_total").get("replayed", 0) for h in net.hosts)


def ipv6():
    """IPv6 alone: each is named by an address beside the link-local one that it sends from."""
    with lan.Lan(3, family="ipv6") as net:
        names = ["fd77::%d" % host.number for host in net.hosts]
        for host, name in zip(net.hosts, names):
            run("ip", "-n", host.name, "addr", "add", name + "/64", "dev", "eth0", "nodad")
            host.without_multicast()
            host.know(names)
        net.start()
        net.wait("all in one group", net.agreed, PATIENCE)
        for host, name in zip(net.hosts, names):
            peers = peers_of(host)
            if peers[name]["state"] != "self":
                raise Failed("to %s itself is %s" % (host.name, peers[name]["state"]))
        net.quiet(2)
        before = replayed(net)
        net.quiet(3)
        if replayed(net) != before:
            raise Failed("what goes to all goes twice to peers")
        leader_killed(net)


def main():
    lan.setup()
    no_multicast(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
    out.attempt("mixed: half of them by multicast", mixed)
    out.attempt("IPv6", ipv6)
    out.attempt("behind a router", routed)
    out.exit()


out = report.Report()
if __name__ == "__main__":
    main()
