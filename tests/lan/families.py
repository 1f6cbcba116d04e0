#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hosts by IPv6 alone, by IPv4 alone, by both, and some of each on one LAN.

families.py [RUNS]: what the failover of one family takes beside the other's, in RUNS kills and as
many cuts of each (2; from 20 on the medians must be within 10 % or 3 ms).
"""
import contextlib
import itertools
import statistics
import sys
import time

import frames
import lan
import report
from lan import Failed, now, run

MANY = 20
SHARE, LEAST = 0.10, 0.003      # by which one family may be slower than the other
SHARE_FEW, LEAST_FEW = 1.0, 0.250
DAD = 4.0                       # it waits for up to a second, and asks for another
TOLD = 10.0
LOCAL = "fe80::77:%d"

# A program without IPv6: what the kernel says where the module is disabled.
WITHOUT_IPV6 = """
import ctypes, os, struct, sys
def op(code, jt, jf, k): return struct.pack("HBBI", code, jt, jf, k)
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
import platform
SOCKET = {"x86_64": 41, "aarch64": 198}[platform.machine()]
code = b"".join([op(LOAD, 0, 0, 0), op(EQUAL, 0, 3, SOCKET), op(LOAD, 0, 0, 16),
                 op(EQUAL, 0, 1, 10), op(RETURN, 0, 0, 0x00050000 | 97),
                 op(RETURN, 0, 0, 0x7fff0000)])
held = ctypes.create_string_buffer(code)
program = struct.pack("HxxxxxxQ", len(code) // 8, ctypes.addressof(held))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.c_char_p(program), 0, 0):
    sys.exit("no filter: %d" % ctypes.get_errno())
os.execvp(sys.argv[1], sys.argv[1:])
"""


def family(name):
    return 'network = { family = "%s"; };' % name


def inside(host, *words, check=True):
    return run("nsenter", "--net=/run/netns/" + host.name, *words, check=check)


def set_ipv6(host, name, value):
    inside(host, "sysctl", "-qw", "net.ipv6.conf.eth0.%s=%s" % (name, value))


def stop_all(net):
    for host in net.running():
        host.kill()


def start_with(net, configs):
    stop_all(net)
    for host, config in zip(net.hosts, configs):
        host.write_config(config)
        host.start()


def problems(host):
    return host.call("io.electd.GetStatus")["health"]["problems"]


def wait_for(what, condition, seconds=TOLD, pause=0.05):
    """What no event tells."""
    end = now() + seconds
    while not condition():
        if now() > end:
            raise Failed("not within %.0f s: %s" % (seconds, what))
        time.sleep(pause)


def addresses(net):
    return {m["address"] for m in net.hosts[0].view["members"]}


# ---- one family alone ------------------------------------------------------------------------------

def replug(host):
    """Its interface anew: the kernel asks again whether somebody has its address."""
    run("ip", "-n", host.name, "link", "set", "eth0", "down")
    run("ip", "-n", host.name, "link", "set", "eth0", "up")


def ipv6_only(net, dad):
    """No host has an address of IPv4. Who cannot send yet does not take itself for alone."""
    stop_all(net)
    for host in net.hosts:
        host.write_config()
        set_ipv6(host, "accept_dad", int(dad))
        inside(host, "ip", "addr", "flush", "dev", "eth0", "scope", "global")
        replug(host)
    mark, at = net.mark(), now()
    net.start()
    net.wait("all hosts in one group", net.agreed, lan.PATIENCE)
    took = now() - at
    leaders = net.leaders_since(mark)
    if len(leaders) != 1:
        raise Failed("%d leaders: %s" % (len(leaders), leaders))
    if not all(a.startswith("fe80::") for a in addresses(net) if a):
        raise Failed("addresses %s" % addresses(net))
    return "%.0f ms, one leader ever" % (took * 1000)


def link_local(host):
    text = inside(host, "ip", "-6", "-o", "addr", "show", "dev", "eth0", "scope", "link").stdout
    return text.split("inet6 ")[1].split()[0]


def renumbered(net):
    """Its link-local address is another one: nobody is dropped, nobody else leads."""
    net.settle()
    time.sleep(1)
    mark = net.mark()
    for host in net.hosts:
        old = link_local(host)
        new = LOCAL % host.number
        run("ip", "-n", host.name, "addr", "add", new + "/64", "dev", "eth0")
        wait_for("%s has %s" % (host.name, new), lambda: "tentative" not in inside(
            host, "ip", "-6", "addr", "show", "dev", "eth0").stdout, DAD)
        run("ip", "-n", host.name, "addr", "del", old, "dev", "eth0")
        wait_for("%s uses %s" % (host.name, new),
                 lambda: host.log().rsplit(" uses eth0", 1)[-1].startswith(", address " + new))
        time.sleep(2 * lan.DEAD_AFTER)
    net.quiet(1)
    changes = net.since(mark)
    if changes:
        raise Failed("%d changes, the first: %s" % (len(changes), lan.describe(changes[0])))
    return "%d hosts one after the other, no change" % len(net.hosts)


def taken_address(net):
    """Another host has its address: that is told, and nobody speaks from there."""
    host, other = net.hosts[0], net.hosts[1]
    host.kill()
    run("ip", "-n", host.name, "addr", "flush", "dev", "eth0", "scope", "link")
    taken = link_local(other).split("/")[0]
    run("ip", "-n", host.name, "addr", "add", taken + "/64", "dev", "eth0")
    wait_for("the kernel has found out", lambda: "dadfailed" in inside(
        host, "ip", "-6", "addr", "show", "dev", "eth0").stdout, DAD)
    host.start()
    words = "eth0: another host has its address %s: not used" % taken
    wait_for(words, lambda: words in host.log())
    time.sleep(lan.LONE_HOLD + 2 * lan.DEAD_AFTER)
    if host.view["role"] == "leader":
        raise Failed("%s leads" % host.name)
    run("ip", "-n", host.name, "addr", "flush", "dev", "eth0", "scope", "link")
    run("ip", "-n", host.name, "addr", "add", LOCAL % host.number + "/64", "dev", "eth0")
    net.settle()
    return "told; with another address it is back"


def with_ipv4_again(net):
    stop_all(net)
    for host in net.hosts:
        set_ipv6(host, "accept_dad", 1)
        run("ip", "-n", host.name, "addr", "add", host.address + "/24", "dev", "eth0")
        replug(host)


def ipv4_only(net):
    """With IPv6 switched off on the interface, and with a kernel without it."""
    stop_all(net)
    for host in net.hosts:
        host.write_config()
    for host in net.hosts[:2]:
        set_ipv6(host, "disable_ipv6", 1)
        host.start()
    for host in net.hosts[2:]:
        host.start(wrapper=[sys.executable, "-c", WITHOUT_IPV6], log_mode="w")
    net.settle()
    if not all(a.startswith("10.77.0.") for a in addresses(net) if a):
        raise Failed("addresses %s" % addresses(net))
    loud = [line for h in net.hosts[2:] for line in h.log().splitlines() if "IPv6" in line]
    if loud:
        raise Failed("told of what is no fault: %s" % loud)
    host = net.hosts[2]
    host.kill()
    host.write_config(family("ipv6"))
    done = run(*host.command(wrapper=[sys.executable, "-c", WITHOUT_IPV6]), check=False)
    if done.returncode != 71 or "this kernel does not have" not in done.stderr:
        raise Failed("exit %d: %s" % (done.returncode, done.stderr))
    for host in net.hosts[:2]:
        set_ipv6(host, "disable_ipv6", 0)
    return done.stderr.strip().splitlines()[-1]


# ---- family against family -------------------------------------------------------------------------

def killed(net):
    victim, rest = net.leader_and_others()
    group, at = victim.group(), victim.kill()
    took = net.wait("a leader after a kill", lambda: net.led(rest) and
                    rest[0].group() != group) - at
    net.wait("the dead one is dropped", lambda: net.agreed(rest))
    victim.start()
    net.settle()
    return took


def beacon(net, leader):
    """Until it sends one."""
    with contextlib.closing(frames.Sniffer(net)) as sniffer:
        sniffer.drain()
        wait_for("a beacon", lambda: any(
            host is leader and name == "AYCoord" for host, _, name, _ in sniffer.drain()), pause=0.002)


def silent(net):
    """Cut off just behind a beacon, each time."""
    net.restart()
    time.sleep(1)
    leader, rest = net.leader_and_others()
    beacon(net, leader)
    group = leader.group()
    at = net.split(rest, [leader])
    took = net.wait("agreement without the silent host", lambda: net.led(rest) and
                    rest[0].group() != group) - at
    net.heal()
    net.settle()
    return took


def compared(net, fault, runs):
    """In one run, one after the other: what a machine does meanwhile, it does to both."""
    times = {"ipv4": [], "ipv6": [], "both": []}
    for _, (name, found) in itertools.product(range(runs), times.items()):
        start_with(net, [family(name)] * len(net.hosts))
        net.settle()
        time.sleep(0.5)
        found.append(fault(net))
    medians = {name: statistics.median(found) for name, found in times.items()}
    words = ", ".join("%s %s" % (name, report.statistics(found)) for name, found in times.items())
    share, least = (SHARE, LEAST) if runs >= MANY else (SHARE_FEW, LEAST_FEW)
    if max(medians.values()) - min(medians.values()) > max(share * min(medians.values()), least):
        raise Failed(words)
    return words


# ---- some of each ----------------------------------------------------------------------------------

def told(host, name, of):
    words = "%s is heard by %s only, which this host does not use" % (name, of)
    wait_for("%s: %s" % (host.name, words), lambda: words in problems(host))
    for verb, status in (("status", 0), ("check", 6)):
        done = host.electctl(verb)
        if done.returncode != status or words not in " ".join(done.stdout.split()):
            raise Failed("%s: exit %d: %s" % (verb, done.returncode, done.stdout))


def mixed(net):
    """Who speaks IPv4 alone and who IPv6 alone do not hear each other, and are told so."""
    old, new, both = net.hosts[:2], net.hosts[2:4], net.hosts[4:]
    start_with(net, [family("ipv4")] * 2 + [family("ipv6")] * 2 + [""])
    for host in both:
        host.kill()
    for part in old, new:
        net.wait("a leader in each part", lambda part=part: net.agreed(part))
    four, six = (next(h for h in part if h.view["role"] == "leader") for part in (old, new))
    for host in old:
        told(host, six.name, "IPv6")
    for host in new:
        told(host, four.name, "IPv4")
    for host in both:
        host.start()
    net.wait("who speaks both is in a group", lambda: all(
        h.view and h.view["state"] == "normal" and len(h.view["members"]) > 1 for h in both))
    start_with(net, [""] * len(net.hosts))
    net.settle()
    wait_for("nothing is told any more", lambda: not any(problems(h) for h in net.hosts))
    return "told by %d hosts; with both, one group" % (len(old) + len(new))


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    lan.setup()
    result = report.Report()
    with lan.Lan(5) as net:
        result.attempt("IPv6 only", ipv6_only, net, True)
        result.attempt("another link-local address", renumbered, net)
        result.attempt("an address that is taken", taken_address, net)
        result.attempt("IPv6 only, nobody asked for addresses", ipv6_only, net, False)
        with_ipv4_again(net)
        result.attempt("IPv4 only", ipv4_only, net)
        result.attempt("killed, by family", compared, net, killed, runs)
        result.attempt("silent, by family", compared, net, silent, runs)
        result.attempt("mixed", mixed, net)
        if result.failed:
            net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
