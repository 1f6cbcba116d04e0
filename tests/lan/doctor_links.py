# SPDX-License-Identifier: Apache-2.0
"""Faults of links, for doctor.py: two of them, interfaces, addresses, ports."""
import contextlib
import json
import socket
import subprocess
import sys

import lan
from doctor_tools import (
    APART, DEGRADED, GROUP, NOBODY, NOT_RUNNING, Said, await_said, command_of, configure, heard, inside, mended,
    named,
    restart_with, second_address, second_link, second_port, told, typed, wait_well)
from lan import Failed, run

# ---- two links ---------------------------------------------------------------------------------------

def all_by(answer, hosts, count):
    return answer["over"] and all(
        sum(by["answered"] for by in heard(answer, host).get("by", [])) == count for host in hosts)


def two_links(net, hosts):
    """Each of these, which use what they find at their start, answers the others by both."""
    for host in net.hosts:
        host.stop()
    second_link(net, hosts)
    net.start()
    for host in hosts:
        net.wait("%s answers" % host.name, lambda host=host: host.view)
        others = [other for other in hosts if other is not host]
        await_said(host, "all answer by both", lambda answer, others=others: all_by(answer, others, 2))
    net.settle()


def dead_link(net, runs):
    """At the switch, so that nobody loses a carrier: the others say of whom, it says which."""
    two_links(net, net.hosts)
    leader, (host, other) = net.leader_and_others()
    run("ip", "link", "set", second_port(host), "nomaster")
    for one in leader, other:
        there = named(one, runs, "one-link", "%s answers by eth0 only, no longer by eth1" % host.name)
    here = named(host, runs, "link-silent", "nobody answers by eth1 any more, as others do by eth0")
    run("ip", "link", "set", second_port(host), "master", net.bridge(1))
    wait_well(net, host)
    return told(runs, there, here)


def fewer_links(net, runs):
    """A host that never had the second one is no fault."""
    first, second, host = net.hosts
    two_links(net, [first, second])
    return told(runs, named(first, runs, "fewer-links", "%s answers by eth0 only" % host.name, code=0))


def lone_link(net, runs):
    """Nor is one where nobody else ever was."""
    host = net.hosts[0]
    two_links(net, [host])
    await_said(host, "others answer", lambda answer: all_by(answer, net.hosts[1:], 1))
    return told(runs, named(host, runs, "link-never", "nobody has ever answered by eth1", code=0))


# ---- interfaces and addresses ------------------------------------------------------------------------

def address_taken(net, runs):
    host, other = net.hosts[0], net.hosts[2]
    other.kill()
    run("ip", "-n", other.name, "addr", "add", host.address + "/24", "dev", "eth0")
    mac = other.mac().hex(":")
    return told(runs, named(host, runs, "address-taken", "another machine, %s, has the address %s" % (
        mac, host.address), *APART))


def address_twice(net, runs):
    """As a third host sees it."""
    first, second, third = net.hosts
    second.stop()    # with a copy of it there would be another port
    third.stop()
    run("ip", "-4", "-n", third.name, "addr", "flush", "dev", "eth0")
    run("ip", "-n", third.name, "addr", "add", second.address + "/24", "dev", "eth0")
    second.start()
    third.start()
    await_said(first, "both are heard", lambda answer: all(
        (heard(answer, host).get("address") == second.address and
         0 <= (heard(answer, host)["to_all_ms"] or heard(answer, host)["to_one_ms"] or -1) < 5000)
        for host in (second, third)))
    return told(runs, named(first, runs, "address-twice", "both send from %s port" % second.address,
                            "one-way", "multicast-unheard", *APART))


def wrong_guess(net, runs):
    """The others are behind a second cable, and electd takes the one with the default route."""
    host, other, third = net.hosts
    for one in net.hosts:
        one.stop()
    net.split([host], [other], [third])
    run("ip", "-4", "-n", other.name, "addr", "flush", "dev", "eth0")
    run("ip", "-n", other.name, "addr", "add", second_address(other) + "/24", "dev", "eth0")
    other.start()
    second_link(net, [host])
    run("ip", "-n", host.name, "route", "add", "default", "via", "10.77.0.254")
    host.start()
    net.wait("both are alone", lambda: all(h.view and len(h.view["members"]) == 1
                                           for h in (host, other)))
    found = named(host, runs, "interface-unused", "%s of this domain is heard by eth1, which electd "
                  "does not use; it uses eth0 %s" % (second_address(other), host.address), *APART)
    configure(host, network=command_of(found, r"interfaces = \[ \"eth1\" \]") + ";")
    typed(host, found, "sudo electctl reload")
    net.wait("they are together", lambda: net.one_group([host, other]))
    return told(runs, found)


def no_interface(net, runs):
    """The one that there is, is told with the host that it is heard by."""
    host = net.hosts[0]
    restart_with(host, network='interfaces = [ "nope*" ];')
    found = named(host, runs, "no-interface", "electd uses no network interface", "interface-unused",
                  *APART)
    configure(host, network='interfaces = [ "eth0" ];')
    return told(runs, found) + "; " + mended(net, host, found, "sudo electctl reload")


def missing_interface(net, runs):
    host = net.hosts[0]
    restart_with(host, network='interfaces = [ "nope" ];')
    found = named(host, runs, "interface-missing", "network.interfaces names nope, and this host has no "
                  "such interface", "interface-unused", *APART)
    degraded(host, "interface-missing: network.interfaces names nope")
    if "eth0" not in typed(host, found, "ip -br link"):
        raise Failed("ip -br link does not show eth0")
    configure(host, network='interfaces = [ "eth0" ];')
    return told(runs, found) + "; " + mended(net, host, found, "sudo electctl reload")


# ---- an interface that is named and cannot be used, next to one that is used ---------------------------

def checked(host):
    """The exit code of check, and what it says."""
    done = inside(host, lan.ELECTCTL, "--socket", host.socket_path, "--json", "check")
    return done.returncode, json.loads(done.stdout)["problems"]


def degraded(host, words):
    code, problems = checked(host)
    if code != DEGRADED or not any(words in problem for problem in problems):
        raise Failed("check of %s: exit %d: %s" % (host.name, code, problems))


def told_only(net, host, words):
    """Status has a line, and check is OK."""
    def said():
        code, problems = checked(host)
        return code == 0 and any(words in problem for problem in problems)
    net.wait("check of %s is OK, with %s" % (host.name, words), said)


def mended_quietly(net, host, found, words, command):
    result = mended(net, host, found, command)
    net.wait("%s is over" % words, lambda: not any(words in line for line in checked(host)[1]))
    return result


def both_named(net, host):
    second_link(net, [host])
    restart_with(host, network='interfaces = [ "eth0", "eth1" ];')
    net.settle()


def named_off(net, runs):
    host = net.hosts[0]
    both_named(net, host)
    run("ip", "-n", host.name, "link", "set", "eth1", "down")
    told_only(net, host, "interface-off: eth1")
    found = named(host, runs, "interface-off", "eth1, which network.interfaces names, is switched off")
    return told(runs, found) + "; " + mended_quietly(
        net, host, found, "interface-off", "sudo ip link set eth1 up")


def no_multicast(net, runs):
    host = net.hosts[0]
    both_named(net, host)
    run("ip", "-n", host.name, "link", "set", "eth1", "multicast", "off")
    told_only(net, host, "no-multicast: eth1")
    found = named(host, runs, "no-multicast", "eth1, which network.interfaces names, cannot multicast")
    return told(runs, found) + "; " + mended_quietly(
        net, host, found, "no-multicast", "sudo ip link set eth1 multicast on")


def no_address(net, runs):
    host = net.hosts[0]
    both_named(net, host)
    run("ip", "-4", "-n", host.name, "addr", "flush", "dev", "eth1")
    told_only(net, host, "no-address: eth1")
    found = named(host, runs, "no-address", "eth1, which network.interfaces names, has no address")
    found["remedy"] = found["remedy"].replace("ADDRESS/BITS", second_address(host) + "/24")
    return told(runs, found) + "; " + mended_quietly(
        net, host, found, "no-address", "sudo ip address add %s/24 dev eth1" % second_address(host))


def dark_link(net, runs):
    """One of two cables: the election goes on."""
    host = net.hosts[0]
    both_named(net, host)
    run("ip", "link", "set", second_port(host), "down")
    told_only(net, host, "link-down: eth1: no carrier")
    found = named(host, runs, "link-down", "eth1 has no carrier")
    run("ip", "link", "set", second_port(host), "up")
    wait_well(net, host)
    return told(runs, found)


# ---- bridges -------------------------------------------------------------------------------------------

def bridged(net, host, interface):
    """Its card is a port of br0, which has the address, next to a guest."""
    host.stop()
    run("ip", "-4", "-n", host.name, "addr", "flush", "dev", "eth0")
    for words in (("add", "br0", "type", "bridge", "mcast_snooping", "0", "forward_delay", "0"),
                  ("set", "eth0", "master", "br0"), ("set", "br0", "up"),
                  ("add", "guest0", "type", "veth", "peer", "name", "inner"),
                  ("set", "guest0", "master", "br0", "up"), ("set", "inner", "up")):
        run("ip", "-n", host.name, "link", *words)
    run("ip", "-n", host.name, "addr", "add", host.address + "/24", "dev", "br0")
    restart_with(host, network='interfaces = [ "%s" ];' % interface)


def bridge_port(net, runs):
    host = net.hosts[0]
    bridged(net, host, "eth0")
    found = named(host, runs, "interface-port", "eth0, which network.interfaces names, hands all that it "
                  "receives to br0", "no-interface", "interface-unused", *APART)
    configure(host, network=command_of(found, r"interfaces = \[ \"br0\" \]") + ";")
    return told(runs, found) + "; " + mended(net, host, found, "sudo electctl reload")


def bridge_cable(net, runs):
    """The bridge keeps a carrier of its own by its guest."""
    host = net.hosts[0]
    bridged(net, host, "br0")
    net.settle()
    run("ip", "link", "set", host.port, "down")
    await_said(host, "it is seen", lambda answer: not answer["paths"][0]["carrier"])
    found = named(host, runs, "link-down", "br0 has no carrier: eth0 below it has none", *APART)
    degraded(host, "no network interface has a carrier: br0: no carrier at eth0")
    typed(host, found, "ip link show dev eth0")
    run("ip", "link", "set", host.port, "up")
    wait_well(net, host)
    return told(runs, found)


# ---- the default choice --------------------------------------------------------------------------------

def waits_for_address(net, runs):
    host = net.hosts[0]
    host.stop()
    run("ip", "-4", "-n", host.name, "addr", "flush", "dev", "eth0")
    restart_with(host)
    found = named(host, runs, "no-address", "nothing is used before eth0 has an address", *APART)
    degraded(host, "no network interface can be used: waiting for an address on eth0")
    found["remedy"] = found["remedy"].replace("ADDRESS/BITS", host.address + "/24")
    return told(runs, found) + "; " + mended(
        net, host, found, "sudo ip address add %s/24 dev eth0" % host.address)


def tunnel_route(net, runs):
    """As a VPN sets it."""
    host = net.hosts[0]
    run("ip", "-n", host.name, "tuntap", "add", "tun0", "mode", "tun")
    run("ip", "-n", host.name, "link", "set", "tun0", "up")
    run("ip", "-n", host.name, "route", "add", "default", "dev", "tun0")
    restart_with(host)
    net.settle()
    return told(runs, named(
        host, runs, "default-route-tunnel", "the default route leads by tun0, a tunnel, which is not used: "
        "uses eth0", code=0))


def left_out(net, runs):
    """More than electd uses: the LAN is one of those in use."""
    host = net.hosts[0]
    for number in range(18):
        run("ip", "-n", host.name, "link", "add", "v%d" % number, "type", "veth", "peer", "name",
            "w%d" % number)
        for name in "v%d" % number, "w%d" % number:
            run("ip", "-n", host.name, "link", "set", name, "up")
        run("ip", "-n", host.name, "addr", "add", "10.79.%d.1/24" % number, "dev", "v%d" % number)
    restart_with(host, network='interfaces = [ "eth0", "v*" ];')
    net.settle()
    degraded(host, "interfaces-left-out: electd uses at most 16 interfaces, and not v15 and 2 more")
    found = named(host, runs, "interfaces-left-out", "at most 16 interfaces, and not v15 and 2 more")
    configure(host, network='interfaces = [ "eth0" ];')
    return told(runs, found) + "; " + mended_quietly(
        net, host, found, "interfaces-left-out", "sudo electctl reload")


# ---- two cards in one subnet, and routes ---------------------------------------------------------------

def elsewhere(net, runs):
    """By the tunnel of a VPN, whose rule comes before the main table: electd is not harmed."""
    _, (host, _) = net.leader_and_others()
    for words in ("link add tunnel type veth peer name far", "link set far up", "link set tunnel up",
                  "route add 10.77.0.0/24 dev tunnel table 52", "rule add pref 5270 lookup 52"):
        run("ip", "-n", host.name, *words.split())
    found = named(host, runs, "route-elsewhere", "on the LAN of eth0, lead by tunnel", code=0)
    typed(host, found, "sudo ip rule add pref 100 to 10.77.0.0/24 lookup main")
    try:
        if Said(host).find("route-elsewhere", ""):
            raise Failed("it is not mended")
    finally:
        for words in "rule del pref 100", "rule del pref 5270", "link del tunnel":
            run("ip", "-n", host.name, *words.split(), check=False)
    return told(runs, found)


def reverse_filter(net, runs):
    """What comes by the second card in the subnet is dropped, for the route is by the first one."""
    host = same_subnet(net)
    inside(host, "sysctl", "-qw", "net.ipv4.conf.all.rp_filter=1")
    found = named(host, runs, "reverse-filter", "is dropped as it arrives by eth1: rp_filter is 1 there",
                  "link-silent", "one-link", "multicast-not-back")
    words = mended(net, host, found, "sudo sysctl net.ipv4.conf.eth1.rp_filter=2")
    inside(host, "sysctl", "-qw", "net.ipv4.conf.all.rp_filter=0")
    return told(runs, found) + "; " + words


def either_card(net, runs):
    host = same_subnet(net)
    found = named(host, runs, "either-card", "eth0 and eth1 are in one subnet", code=0)
    typed(host, found, "sudo sysctl net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2")
    if Said(host).find("either-card", ""):
        raise Failed("it is not mended")
    inside(host, "sysctl", "-qw", "net.ipv4.conf.all.arp_ignore=0", "net.ipv4.conf.all.arp_announce=0")
    return told(runs, found)


def same_subnet(net):
    """A member gets a second card on the LAN, and all are heard by it."""
    host = net.hosts[0]
    host.stop()
    second_link(net, [host])
    run("ip", "-n", host.name, "addr", "flush", "dev", "eth1")
    run("ip", "-n", host.name, "addr", "add", "10.77.0.101/24", "dev", "eth1")
    run("ip", "link", "set", second_port(host), "master", net.bridge(0))
    restart_with_cards(host)
    net.settle()
    await_said(host, "others are heard", lambda answer: all(heard(answer, h) for h in net.hosts[1:]))
    return host


def restart_with_cards(host):
    configure(host, network='interfaces = [ "eth0", "eth1" ];')
    host.start()
    lan.until("it answers", lambda: host.view)


def switched_off(net, runs):
    host = net.hosts[0]
    run("ip", "-n", host.name, "link", "set", "eth0", "down")
    await_said(host, "it is seen", lambda answer: not answer["paths"])
    found = named(host, runs, "interface-off", "eth0 %s is switched off" % host.address, *APART)
    return told(runs, found) + "; " + mended(net, host, found, "sudo ip link set dev eth0 up")


def cable_out(net, runs):
    host = net.hosts[0]
    run("ip", "link", "set", host.port, "down")
    await_said(host, "it is seen", lambda answer: not answer["paths"][0]["carrier"])
    return told(runs, named(host, runs, "link-down", "eth0 has no carrier", *APART))


def cannot_join(net, runs):
    host = net.hosts[0]
    host.kill()
    inside(host, "sh", "-c", "echo 0 >/proc/sys/net/ipv4/igmp_max_memberships")
    host.start()
    net.wait("it answers", lambda: host.view)
    found = named(host, runs, "cannot-join", "eth0 cannot join the multicast group %s" % GROUP, *APART)
    typed(host, found, "sudo sysctl net.ipv4.igmp_max_memberships=64")
    wait_well(net, host)
    return told(runs, found)


HOLDER = """import socket, sys
sockets = []
for port in range(int(sys.argv[2]), int(sys.argv[3]) + 1):
    sockets.append(socket.socket(int(sys.argv[1]), socket.SOCK_DGRAM))
    if int(sys.argv[1]) == socket.AF_INET6:
        sockets[-1].setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    sockets[-1].bind(("", port))
print("x", flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def held(host, family, first, last):
    """Somebody, user nobody, has these ports."""
    holder = subprocess.Popen(
        ["nsenter", "--net=/run/netns/" + host.name, *NOBODY, sys.executable, "-c", HOLDER,
         str(int(family)), str(first), str(last)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        if holder.stdout.read(1) != b"x":
            raise Failed("the ports were not free")
        yield holder.pid
    finally:
        holder.stdin.close()
        holder.wait(lan.PATIENCE)


def refused(host):
    """electd does not start."""
    host.start()
    code = host.process.wait(lan.PATIENCE)
    host.lan.gone(host)
    host.process = None
    if not code:
        raise Failed("electd has started")


def port_taken(net, runs):
    """By which user and process; the command that is named shows the same."""
    host, user = net.hosts[0], "user nobody (uid 65534)"
    host.kill()
    configure(host, family="both")
    rows = [(socket.AF_INET, 7543, 7543, "UDP port 7543 is taken by"),
            (socket.AF_INET6, 7543, 7543, "UDP port 7543 is taken by"),
            (socket.AF_INET, 7544, 7575, "no UDP port of 7544 to 7575 is free: 7544 is taken by"),
            (socket.AF_INET6, 7544, 7575, "no UDP port of 7544 to 7575 is free: 7544 is taken by")]
    for family, first, last, words in rows:
        with held(host, family, first, last) as pid:
            refused(host)
            found = named(host, runs, "port-taken", "%s process %d (python3) of %s" % (words, pid, user),
                          "not-running", code=NOT_RUNNING)
            shown = typed(host, found, "sudo ss -lunp 'sport = :7543'" if first == last else
                          "sudo ss -lunp 'sport >= :7544 and sport <= :7575'")
            if shown.count("pid=%d," % pid) != last - first + 1:
                raise Failed("ss does not name it: %s" % shown)
            named(host, 1, "port-taken", words, "not-running", code=NOT_RUNNING, user=NOBODY)
    with held(host, socket.AF_INET6, 7544, 7574):
        named(host, 1, "not-running", "electd does not run here", code=NOT_RUNNING)
    return told(runs, found)


def port_of_another_family(net, runs):
    """It keeps electd from nothing."""
    host = net.hosts[0]
    host.kill()
    with held(host, socket.AF_INET, 7543, 7543):
        restart_with(host, family="ipv6")
        net.wait("it answers", lambda: host.view)
        for _ in range(runs):
            names = [row["name"] for row in Said(host).findings]
            if "port-taken" in names or "not-running" in names:
                raise Failed(" ".join(names))
    return "%d of %d" % (runs, runs)


FAULTS = [
    dead_link, fewer_links, lone_link, address_taken, address_twice, wrong_guess, no_interface,
    missing_interface, named_off, no_multicast, no_address, dark_link, bridge_port, bridge_cable,
    waits_for_address, tunnel_route, left_out, elsewhere, reverse_filter, either_card, switched_off, cable_out,
    cannot_join, port_taken, port_of_another_family,
]
