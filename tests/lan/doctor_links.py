# SPDX-License-Identifier: Apache-2.0
"""Faults of links, for doctor.py: two of them, interfaces, addresses, ports."""
import subprocess
import sys

import lan
from doctor_tools import (
    APART, GROUP, NOBODY, NOT_RUNNING, await_said, command_of, configure, heard, inside, mended, named,
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
    restart_with(host, network='interfaces = [ "nope" ];')
    found = named(host, runs, "no-interface", "electd uses no network interface", "interface-unused",
                  *APART)
    configure(host, network='interfaces = [ "eth0" ];')
    return told(runs, found) + "; " + mended(net, host, found, "sudo electctl reload")


def switched_off(net, runs):
    host = net.hosts[0]
    run("ip", "-n", host.name, "link", "set", "eth0", "down")
    await_said(host, "it is seen", lambda answer: not answer["paths"])
    found = named(host, runs, "interface-off", "eth0 %s is switched off" % host.address, *APART)
    return told(runs, found) + "; " + mended(net, host, found, "sudo ip link set eth0 up")


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


def port_taken(net, runs):
    """By whom; and the command that is named shows the same."""
    host = net.hosts[0]
    host.kill()
    holder = subprocess.Popen(
        ["nsenter", "--net=/run/netns/" + host.name, sys.executable, "-c",
         "import socket, sys\n"
         "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
         "s.bind(('', 7543))\nprint('x', flush=True)\nsys.stdin.read()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        holder.stdout.read(1)
        found = named(host, runs, "port-taken", "UDP port 7543 is taken by process %d (python3) of user "
                      "root" % holder.pid, "not-running", code=NOT_RUNNING)
        if "pid=%d," % holder.pid not in typed(host, found, "sudo ss -lunp 'sport = :7543'"):
            raise Failed("ss does not name it")
        named(host, 1, "port-taken", "UDP port 7543 is taken by", "not-running", code=NOT_RUNNING,
              user=NOBODY)
        return told(runs, found)
    finally:
        holder.stdin.close()
        holder.wait(lan.PATIENCE)


FAULTS = [
    dead_link, fewer_links, lone_link, address_taken, address_twice, wrong_guess, no_interface,
    switched_off, cable_out, cannot_join, port_taken,
]
