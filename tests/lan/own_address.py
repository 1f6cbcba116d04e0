#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The address of a running host changes, and its group does not.

A host gives itself 169.254.x.x before its DHCP server answers, leases end and come back, another
subnet is leased: each time the group keeps its leader and token, and all hosts report the present
address. A floating address that comes while the host leads is not reported.
"""
import time

import lan
import report
from report import Failed

HOSTS = 3
PATIENCE = 20
# Ten times NET_SETTLE_MS, s: electd has looked at an address that it must not use. On a machine that is
# slower than that the test proves less, and does not fail.
LOOKED = 0.2


def ip(host, *words):
    lan.run("ip", "-n", host.name, *words)


def address(host, verb, text, *more):
    ip(host, "address", verb, text, "dev", host.interface, *more)


def zeroconf(host):
    return "169.254.7.%d" % host.number


def second(host):
    return "10.99.0.%d" % host.number


def told(on, host):
    members = on.call("io.electd.GetStatus")["members"]
    return next((m["address"] for m in members if m["id"] == host.id), None)


def all_told(net, host, wanted):
    """By all hosts for the leader. For a member by itself: a leader that had nothing to send to it for a
    minute does not ask at the new address, and shows the former one until it has."""
    leads = host.view["role"] == "leader"
    hosts = net.running() if leads else [host]
    lan.until("%s is at %s" % (host.name, wanted), lambda: all(
        told(on, host) == wanted for on in hosts), PATIENCE)


def unchanged(net, mark):
    changed = [lan.describe(e) for e in net.since(mark) if e[2]["event"] != "state"]
    if changed:
        raise Failed("the group changed: %s" % changed)


def start(net, family):
    """The first host runs and leads with a link-local address alone, the others have leases too.
    Each host reaches all subnets by its link, whichever address it has."""
    for host in net.running():
        host.stop()
    for host in net.hosts:
        host.write_config('network: { family = "%s"; };' % family)
        ip(host, "address", "flush", "dev", host.interface, "scope", "global")
        address(host, "add", zeroconf(host) + "/16")
        for subnet in "10.77.0.0/24", "10.99.0.0/24":
            ip(host, "route", "add", subnet, "dev", host.interface, "metric", "9")
    for host in net.hosts[1:]:
        lease(host, host.address)
    net.hosts[0].start()
    net.settle()
    return net.hosts[0]


def lease(host, text):
    """As systemd-networkd sets it; dhclient sets a permanent one."""
    address(host, "add", text + "/24", "valid_lft", "600", "preferred_lft", "600")


def comes_late(net, family):
    first = start(net, family)
    mark = net.mark()
    address(first, "add", "10.88.0.9/24")
    address(first, "add", "10.77.0.99/32")
    time.sleep(LOOKED)
    all_told(net, first, zeroconf(first))
    address(first, "add", first.address + "/24")
    ip(first, "route", "add", "default", "via", "10.77.0.254")
    all_told(net, first, first.address)
    unchanged(net, mark)
    for host in net.hosts[1:]:
        host.start()
    net.settle()
    if net.leader() is not first:
        raise Failed("%s leads" % net.leader().name)
    for host in net.hosts:
        all_told(net, host, host.address)


def changes(net, host):
    """A permanent address first; then leases end, come, and are of another subnet."""
    mark, token = net.mark(), net.leader().token()
    address(host, "del", host.address + "/24")
    all_told(net, host, zeroconf(host))
    lease(host, host.address)
    all_told(net, host, host.address)
    lease(host, second(host))
    address(host, "del", host.address + "/24")
    all_told(net, host, second(host))
    address(host, "del", second(host) + "/24")
    all_told(net, host, zeroconf(host))
    lease(host, host.address)
    all_told(net, host, host.address)
    unchanged(net, mark)
    if net.leader().token() != token:
        raise Failed("the token changed")


def swap(net):
    """Each of two hosts gets the address that the other one had."""
    one, other = net.hosts[:2]
    mark = net.mark()
    for host in one, other:
        lease(host, second(host))
        address(host, "del", host.address + "/24")
    for host in one, other:
        all_told(net, host, second(host))
    lease(one, other.address)
    address(one, "del", second(one) + "/24")
    lease(other, one.address)
    address(other, "del", second(other) + "/24")
    all_told(net, one, other.address)
    all_told(net, other, one.address)
    unchanged(net, mark)


def main():
    result = report.Report()
    lan.setup()
    for family in "both", "ipv4":
        with lan.Lan(HOSTS) as net:
            result.attempt("%s: a lease that comes late" % family, comes_late, net, family)
            result.attempt("%s: the leader's address changes" % family, lambda n: changes(
                n, n.leader()), net)
            result.attempt("%s: a member's address changes" % family, lambda n: changes(
                n, n.hosts[1]), net)
            result.attempt("%s: two hosts swap addresses" % family, swap, net)
            if result.failed:
                net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
