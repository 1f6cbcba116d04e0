# SPDX-License-Identifier: Apache-2.0
"""Faults of one family beside the other, for doctor.py, on hosts that use both."""
from doctor_tools import (
    APART, await_call, await_said, command_of, healthy, heard, mended, named, nft, restart_with, told, wait_well)
from lan import Failed, run

INSERT = r"sudo nft insert rule .* accept"


def both_families(net):
    """Everybody answers everybody by each."""
    for host in net.hosts:
        restart_with(host, family="both")
    for host in net.hosts:
        others = [other for other in net.hosts if other is not host]
        await_said(host, "all answer by both", lambda answer, others=others: answer["over"] and all(
            sum(by["answered"] for by in heard(answer, other).get("by", [])) == 2
            for other in others))
    return net.leader_and_others()


def healthy_both(net, _):
    both_families(net)
    return healthy(net)


def firewall_one_family(net, runs):
    """The other one carries all: nothing is lost but what is behind it."""
    _, (host, _) = both_families(net)
    nft(host, "table ip6 test { chain in { type filter hook input priority 0; udp dport 7543 drop; }; }")
    found = named(host, runs, "firewall", "of ip6 test in of this host drops what others send to all")
    return told(runs, found) + "; " + mended(net, host, found, command_of(found, INSERT))


def one_family(net, runs):
    """One that a switch does not carry to one host: the others say of whom, it says which."""
    leader, (host, other) = both_families(net)
    nft(None, "table bridge test { chain way { type filter hook forward priority 0; "
        "oifname %s meta protocol ip6 udp dport 7543-7575 drop; "
        "iifname %s meta protocol ip6 udp dport 7543-7575 drop; }; }" % (host.port, host.port))
    for one in leader, other:
        there = named(one, runs, "one-family", "only IPv4 works with %s by eth0; IPv6 did" % host.name)
    here = named(host, runs, "family-silent", "by eth0 only IPv4 works; IPv6 did")
    return told(runs, there, here)


def ipv6_only(net, runs):
    """Where there is no other, multicast that is lost is told with its group."""
    for host in net.hosts:
        restart_with(host, family="ipv6")
    net.settle()
    healthy(net)
    _, (host, _) = net.leader_and_others()
    nft(None, "table bridge test { chain way { type filter hook forward priority 0; "
        "oifname %s ip6 daddr ff02::114 drop; }; }" % host.port)
    await_said(host, "multicast is lost", lambda answer: answer["to_all_ms"] > 3000)
    found = named(host, runs, "multicast-stops", "multicast to ff02::114 stopped reaching this host",
                  "apart", "broken-links", "nobody-heard")
    if "fe80::" not in found["words"]:
        raise Failed(found["words"])
    return told(runs, found)


def own_address(host, *address):
    """In place of the link-local one that the kernel makes; or that one again."""
    run("ip", "-n", host.name, "link", "set", "eth0", "down", "addrgenmode",
        "none" if address else "eui64")
    run("ip", "-6", "-n", host.name, "addr", "flush", "dev", "eth0")
    run("ip", "-n", host.name, "link", "set", "eth0", "up")
    for one in address:
        run("ip", "-6", "-n", host.name, "addr", "add", one, "dev", "eth0")


def ipv6_address_taken(net, runs):
    """Found by the kernel, which uses such an address not at all; by IPv4 it goes on."""
    host, other = net.hosts[0], net.hosts[1]
    try:
        for one in other, host:
            own_address(one, "fe80::77/64")
            restart_with(one, family="both")
            await_said(one, "the address is there", lambda answer: any(
                path["address"].startswith("fe80::77") for path in answer["paths"]))
        return told(runs, named(host, runs, "address-taken", "another machine has the address fe80::77"))
    finally:
        for one in other, host:
            own_address(one)


def family_unused(net, runs):
    """One by IPv4, one by IPv6: each says it of the other, and what it says mends it."""
    first, second, third = net.hosts
    third.stop()
    restart_with(first, family="ipv4")
    restart_with(second, family="ipv6")
    found = []
    for one, other, family in (first, second, "IPv6"), (second, first, "IPv4"):
        words = "%s is heard by %s only, which this host does not use" % (other.name, family)
        await_call(one, "GetStatus",
                   lambda status, words=words: words in status["health"]["problems"])
        found.append(named(one, runs, "family-unused", words, *APART))
    command_of(found[0], 'network.family = "both"')
    restart_with(first, family="both")
    wait_well(net, second)
    return told(runs, *found)


FAULTS = [
    healthy_both, firewall_one_family, one_family, ipv6_only, ipv6_address_taken, family_unused,
]
