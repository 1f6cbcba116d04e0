#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where people and scripts are told that a host is, by which families it has.

Of IPv6 alone the link-local address, with the interface of whoever is told; as soon as there is one
that is of use beyond its link, that one, and it is told by beacons: nobody elects. Of both families
the one of IPv4.
"""
import lan
import report
from report import Failed

HOSTS = 3


def told(on, host):
    """By a host, of another one."""
    members = on.call("io.electd.GetStatus")["members"]
    return next((m["address"] for m in members if m["name"] == host.name), None)


def all_told(net, host, address):
    return all(told(on, host) == address for on in net.hosts)


def link_local(host):
    text = lan.run("ip", "-n", host.name, "-6", "-o", "address", "show", "dev", "eth0", "scope",
                   "link").stdout
    return text.split("inet6 ")[1].split("/")[0]


def address(host, verb, text):
    lan.run("ip", "-n", host.name, "address", verb, text, "dev", "eth0", "nodad")


def start(net, family):
    for host in net.running():
        host.stop()
    for host in net.hosts:
        host.write_config('network: { family = "%s"; };' % family)
    net.start()
    net.settle()


def link_local_alone(net):
    start(net, "ipv6")
    for host in net.hosts:
        lan.until("%s is there by an interface" % host.name, lambda h=host: all_told(
            net, h, link_local(h) + "%eth0"))
    said = net.leader().electctl("--plain", "leader").stdout.split("\t")
    if said[1] != link_local(net.leader()) + "%eth0":
        raise Failed("electctl leader says %s" % said)


def wider(net):
    """It comes while the host leads, of a router: a lifetime says so. A script's has none."""
    leader, mark = net.leader(), net.mark()
    address(leader, "add", "2001:db8::f/64")
    lan.run("ip", "-n", leader.name, "address", "add", "2001:db8::7/64", "dev", "eth0",
            "valid_lft", "600", "preferred_lft", "600", "nodad")
    lan.until("all are told the wide one", lambda: all_told(net, leader, "2001:db8::7"))
    member = next(h for h in net.hosts if h is not leader)
    address(member, "add", "fd00::8/64")
    lan.until("its leader knows a member's", lambda: told(leader, member) == "fd00::8" and
             told(member, member) == "fd00::8")
    address(leader, "del", "2001:db8::7/64")
    lan.until("the link-local one again", lambda: all_told(
        net, leader, link_local(leader) + "%eth0"))
    changed = [lan.describe(e) for e in net.since(mark) if e[2]["event"] != "state"]
    if changed:
        raise Failed("it changed more than that: %s" % changed)
    address(leader, "del", "2001:db8::f/64")


def both(net):
    start(net, "both")
    for host in net.hosts:
        lan.until("%s is at its address of IPv4" % host.name, lambda h=host: all_told(
            net, h, h.address))


def main():
    result = report.Report()
    lan.setup()
    with lan.Lan(HOSTS) as net:
        result.attempt("link-local addresses have an interface", link_local_alone, net)
        result.attempt("a wider one is told at once", wider, net)
        result.attempt("of both families IPv4", both, net)
        if result.failed:
            net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
