#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cables, addresses and interfaces that go while electd runs.

links.py [N]: three hosts; each case N times (1). Whoever loses its last carrier, its last address
or its named interface leads no more 20 ms (NET_SETTLE) later, says so once, and is back in the
group when that is back. A floating address never becomes the host's own, and a bridge of containers
never stands in for the LAN.
"""
import re
import subprocess
import sys
import time

import lan
import report
from lan import Failed, now, run

# The settling of links, and what this machine takes to tell, from when the command that does it has
# ended: for an interface that is deleted the kernel itself takes tens of milliseconds.
LIMIT = 0.020 + 0.030
FLOATING = "10.77.0.100"
OTHER = "10.77.0.50"


def ip(host, *words):
    run("ip", "-n", host.name, *words)


# ---- what goes, and comes back: each (away, back) ----------------------------------------------

def cable_out(host):
    run("ip", "link", "set", host.port, "down")


def cable_in(host):
    run("ip", "link", "set", host.port, "up")


def address_off(host):
    ip(host, "addr", "del", host.address + "/24", "dev", "eth0")


def address_on(host):
    ip(host, "addr", "add", host.address + "/24", "dev", "eth0")


def switched_off(host):
    ip(host, "link", "set", "eth0", "down")


def switched_on(host):
    ip(host, "link", "set", "eth0", "up")


def taken_out(host):
    ip(host, "link", "del", "eth0")


def put_in(host):
    run("ip", "link", "add", host.port, "type", "veth", "peer", "name", "eth0", "netns", host.name)
    address_on(host)
    switched_on(host)
    run("ip", "link", "set", host.port, "master", "lan0", "up")


CASES = [("cable", cable_out, cable_in), ("address", address_off, address_on),
         ("interface down", switched_off, switched_on), ("interface gone", taken_out, put_in)]


def no_carrier(host):
    return host.view and any("carrier" in word or "interface" in word
                             for word in host.view["health"]["problems"])


def lines(host, words):
    return sum(words in line for line in host.log().splitlines())


def losses(net, away, back, runs):
    times = []
    for _ in range(runs):
        old, others = net.leader_and_others()
        told = lines(old, "no network interface can be used"), lines(old, "no carrier")
        mark = net.mark()
        away(old)
        at = now()
        net.wait("%s does not lead" % old.name, lambda: old.view["role"] != "leader")
        times.append(max(0, next(e[0] for e in net.since(mark) if e[1] is old and
                                 e[2]["status"]["role"] != "leader") - at))
        if not no_carrier(old):
            raise Failed("%s says only %s" % (old.name, old.view["health"]["problems"]))
        net.wait("the others have a leader", lambda: net.agreed(others))
        if old.view["role"] == "leader":
            raise Failed("%s leads with nobody" % old.name)
        for before, words in zip(told, ("no network interface can be used", "no carrier")):
            if lines(old, words) > before + 1:
                raise Failed("%s says twice: %s" % (old.name, words))
        back(old)
        net.settle()
    return report.within(times, LIMIT)


def uses(host):
    """The address that electd said last that it uses."""
    return re.findall(r" uses eth0, address ([0-9.]+)[,:] ", host.log())[-1]


def promote(host):
    """As systemd sets it: else a floating address goes with the first one of its subnet."""
    run("nsenter", "--net=/run/netns/" + host.name, "sh", "-c",
        "echo 1 >/proc/sys/net/ipv4/conf/eth0/promote_secondaries")


def floating(net):
    """As hooks and a network manager do it, and the hook fails to take the address away."""
    old, others = net.leader_and_others()
    promote(old)
    ip(old, "addr", "add", FLOATING + "/24", "dev", "eth0")
    cable_out(old)
    address_off(old)
    net.wait("the others have a leader", lambda: net.agreed(others))
    new = net.leader()
    ip(new, "addr", "add", FLOATING + "/24", "dev", "eth0")
    cable_in(old)
    # Time to adopt it.
    time.sleep(1)
    address_on(old)
    at = now()
    net.settle()
    took = now() - at
    for host in old, new:
        if uses(host) != host.address:
            raise Failed("%s uses %s" % (host.name, uses(host)))
        ip(host, "addr", "del", FLOATING + "/24", "dev", "eth0")
    return "one group %.1f s later" % took


def moved(net):
    """Who leads alone goes on without a carrier, and may get another address with the next one."""
    for host in net.hosts:
        host.stop()
    lone = net.hosts[0]
    lone.start()
    net.wait("it leads alone", lambda: lone.view and lone.view["role"] == "leader")
    promote(lone)
    ip(lone, "addr", "add", FLOATING + "/24", "dev", "eth0")
    cable_out(lone)
    address_off(lone)
    net.wait("it has no carrier", lambda: no_carrier(lone))
    cable_in(lone)
    ip(lone, "addr", "add", OTHER + "/24", "dev", "eth0")
    for host in net.hosts[1:]:
        host.start()
    net.settle()
    if uses(lone) != OTHER:
        raise Failed("it uses %s" % uses(lone))
    net.quiet(3)
    address_on(lone)
    ip(lone, "addr", "del", FLOATING + "/24", "dev", "eth0")
    ip(lone, "addr", "del", OTHER + "/24", "dev", "eth0")
    net.wait("it uses its own again", lambda: uses(lone) == lone.address and net.agreed())


def bridge_of_containers(net):
    """The LAN is found by its default route, which goes with the cable; another bridge stays."""
    for host in net.hosts:
        host.stop()
        host.write_config("")
        ip(host, "route", "add", "default", "via", "10.77.0.254")
        ip(host, "link", "add", "docker0", "type", "bridge")
        ip(host, "addr", "add", "172.17.0.1/16", "dev", "docker0")
        ip(host, "link", "add", "inner", "type", "veth", "peer", "name", "outer")
        ip(host, "link", "set", "inner", "up")
        ip(host, "link", "set", "outer", "master", "docker0", "up")
        ip(host, "link", "set", "docker0", "up")
        host.start()
    net.settle()
    old = net.leader()
    cable_out(old)
    ip(old, "route", "del", "default")
    address_off(old)
    net.wait("%s does not lead" % old.name, lambda: old.view["role"] != "leader")
    net.wait("the others have a leader",
             lambda: net.agreed([h for h in net.hosts if h is not old]))
    if not no_carrier(old):
        raise Failed("%s goes on by docker0" % old.name)
    cable_in(old)
    address_on(old)
    ip(old, "route", "add", "default", "via", "10.77.0.254")
    net.settle()


def two_networks(net):
    """On one wire: each host took its own address from another one than the next host did."""
    for host in net.hosts:
        host.stop()
    for turn, host in enumerate(net.hosts):
        addresses = [host.address, host.address.replace(".77.", ".78.")]
        address_off(host)
        for address in addresses[::1 if turn % 2 else -1]:
            ip(host, "addr", "add", address + "/24", "dev", "eth0")
        host.write_config('network = { interfaces = [ "eth0" ]; family = "ipv4"; };')
        host.start()
    net.settle()
    used = {uses(host).rsplit(".", 1)[0] for host in net.hosts}
    if len(used) != 2:
        raise Failed("all use %s" % used)


def taken_ports(net):
    """Who has the port is named, with the port."""
    host = net.hosts[0]
    host.stop()
    holder = subprocess.Popen(
        ["nsenter", "--net=/run/netns/" + host.name, sys.executable, "-c",
         "import socket, sys\n"
         "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
         "s.bind(('', 7543))\nprint('x', flush=True)\nsys.stdin.read()"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        holder.stdout.read(1)
        done = run(*host.command(), check=False)
    finally:
        holder.stdin.close()
        holder.wait(5)
        host.start()
    net.settle()
    wanted = "UDP port 7543 is taken by process %d (" % holder.pid
    if done.returncode != 71 or wanted not in done.stderr:
        raise Failed("exit %d: %s" % (done.returncode, done.stderr.strip()[-300:]))
    return done.stderr.strip().splitlines()[-1][-120:]


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    lan.setup()
    result = report.Report()
    with lan.Lan(3, 'network = { interfaces = [ "eth0" ]; family = "ipv4"; };') as net:
        net.start()
        for name, away, back in CASES:
            result.attempt(name, losses, net, away, back, runs)
        result.attempt("floating address", floating, net)
        result.attempt("another address", moved, net)
        result.attempt("bridge of containers", bridge_of_containers, net)
        result.attempt("two networks on one wire", two_networks, net)
        result.attempt("taken ports", taken_ports, net)
    result.exit()


if __name__ == "__main__":
    main()
