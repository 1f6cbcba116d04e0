#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""electd's links and addresses, as a real kernel reports them, and its datagrams there.

paths.py [PART...] (links, families, lans, peers; all): cables, addresses and interfaces that fail;
a floating address; duplicate address detection, a kernel without IPv6, a kernel behind a firewall,
a port that is taken; the loss of one of two LANs; networks without multicast. Stories show which
host leads then, and when."""
import contextlib
import fcntl
import re
import socket
import struct
import subprocess
import sys
import time

import lan
import report
from lan import run, until
from report import Failed

SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
FLOATING = "10.77.0.100"
WIDE, FLOATING6 = "2001:db8::7", "2001:db8::f"
# A silent member is dropped after eight beacons and three probes.
LONGER_THAN_SILENCE = 14
LINKS_ANSWER = {"eth0": "answers", "eth1": "answers"}
# electd looks at its links 20 ms after a change; it adopts a floating address after 2 s alone.
LOOKED = 0.200
# A member that receives the membership list of a group, or an Invitation, has lost its own list.
MADE = "Ready", "Invitation"

# Runs a program without IPv6: socket() fails as on a kernel without the module.
WITHOUT_IPV6 = """
import ctypes, os, platform, struct, sys
def op(code, jt, jf, k): return struct.pack("HBBI", code, jt, jf, k)
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
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
HOLD_PORT = """
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", 7543))
print("x", flush=True)
sys.stdin.read()
"""


def ip(host, words):
    run("ip", "-n", host.name, *words.split())


def inside(host, *words):
    return run("nsenter", "--net=/run/netns/" + host.name, *words).stdout


def sysctl(host, name, value):
    inside(host, "sysctl", "-qw", "net.%s=%s" % (name, value))


def cable(host, plugged):
    """Plugs or unplugs the host's cable by one system call; returns the time just before."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        name = host.port.encode()
        request = fcntl.ioctl(s, SIOCGIFFLAGS, struct.pack("16sH14x", name, 0))
        flags = struct.unpack("16sH14x", request)[1]
        request = struct.pack("16sH14x", name, flags | IFF_UP if plugged else flags & ~IFF_UP)
        at = lan.now()
        fcntl.ioctl(s, SIOCSIFFLAGS, request)
    return at


def log_lines(host, words):
    return sum(words in line for line in host.log().splitlines())


def problems(host):
    return host.call("io.electd.GetStatus")["health"]["problems"]


def started_anew(net, config="", hosts=None):
    for host in net.running():
        host.kill()
    for host in hosts or net.hosts:
        host.write_config(config)
        host.start()


def beacons_pass(net, copies=1):
    """Waits for so many beacons that a silent member would have been dropped."""
    leader = net.leader()

    def sent():
        return leader.counts("electd_packets_sent_total")["AYCoord"]
    enough = sent() + copies * LONGER_THAN_SILENCE
    until("the leader sends beacons", lambda: sent() >= enough)


def unchanged(net, mark, *fields):
    """Only these fields of a status changed. A leader that was late sends questions."""
    changes = [(host.name, change) for host, change in net.differences(mark)
               if set(change) - {"asking", *fields}]
    if changes:
        raise Failed("%d changes, the first: %s" % (len(changes), changes[0]))


# ---- the leader's link goes, and comes back ----------------------------------------------------------

def address(host, verb):
    ip(host, "addr %s %s/24 dev eth0" % (verb, host.address))


def put_in(host):
    run("ip", "link", "add", host.port, "type", "veth", "peer", "name", "eth0", "netns", host.name)
    address(host, "add")
    ip(host, "link set eth0 up")
    run("ip", "link", "set", host.port, "master", "lan0", "up")


LOSSES = [
    ("cable", lambda h: cable(h, False), lambda h: cable(h, True)),
    ("address", lambda h: address(h, "del"), lambda h: address(h, "add")),
    ("interface down", lambda h: ip(h, "link set eth0 down"), lambda h: ip(h, "link set eth0 up")),
    ("interface gone", lambda h: ip(h, "link del eth0"), put_in)]


def lost(net, away, back):
    """The leader stops leading at once, and reports the reason once."""
    old, others = net.leader_and_others()
    told = "no network interface can be used", "no carrier"
    before = [log_lines(old, words) for words in told]
    away(old)
    net.wait("%s does not lead" % old.name, lambda: old.view["role"] == "none")
    words = old.view["health"]["problems"]
    if old.view["reason"] != "carrier-lost" or not any("carrier" in w or "interface" in w for w in words):
        raise Failed("%s: %s, %s" % (old.name, old.view["reason"], words))
    net.wait("the others have a leader", lambda: net.agreed(others))
    if old.view["role"] == "leader":
        raise Failed("%s leads alone" % old.name)
    if any(log_lines(old, words) > n + 1 for n, words in zip(before, told)):
        raise Failed("%s reports it twice" % old.name)
    back(old)
    net.settle()


def uses(host):
    return re.findall(r" uses eth0, address ([0-9.]+)[,:] ", host.log())[-1]


def floating(net):
    """The old leader has lost its own address and still has a floating one."""
    old, others = net.leader_and_others()
    # As systemd sets it; otherwise a floating address goes with the first address of its subnet.
    sysctl(old, "ipv4.conf.eth0.promote_secondaries", 1)
    ip(old, "addr add %s/24 dev eth0" % FLOATING)
    cable(old, False)
    address(old, "del")
    net.wait("the others have a leader", lambda: net.agreed(others))
    new = net.leader()
    ip(new, "addr add %s/24 dev eth0" % FLOATING)
    cable(old, True)
    time.sleep(LOOKED)
    address(old, "add")
    net.settle()
    for host in old, new:
        if uses(host) != host.address:
            raise Failed("%s uses %s" % (host.name, uses(host)))
        ip(host, "addr del %s/24 dev eth0" % FLOATING)


def two_networks(net, config):
    """Two networks on one wire: each host uses an address of another network than the next host."""
    for turn, host in enumerate(net.hosts):
        host.stop()
        addresses = [host.address, host.address.replace(".77.", ".78.")]
        address(host, "del")
        for one in addresses[::1 if turn % 2 else -1]:
            ip(host, "addr add %s/24 dev eth0" % one)
    started_anew(net, config)
    net.settle()
    if len({uses(host).rsplit(".", 1)[0] for host in net.hosts}) != 2:
        raise Failed("all use %s" % [uses(host) for host in net.hosts])


def taken_port(net):
    host = net.hosts[0]
    host.stop()
    holder = subprocess.Popen(["nsenter", "--net=/run/netns/" + host.name, sys.executable, "-c",
                               HOLD_PORT], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        holder.stdout.read(1)
        done = run(*host.command(), check=False)
    finally:
        holder.stdin.close()
        holder.wait(lan.PATIENCE)
        host.start()
    net.settle()
    if done.returncode != 71 or "UDP port 7543 is taken by process %d (" % holder.pid not in done.stderr:
        raise Failed("exit %d: %s" % (done.returncode, done.stderr.strip()[-300:]))


def firewall(net):
    """The leader's kernel does not answer questions: all members report that, it does not."""
    rules = ["tcp dport 7544-7575 drop", "tcp dport 7544-7575 reject with icmpx type admin-prohibited"]
    for rule in rules:
        for host in net.hosts:
            host.let_in(rule)
        journals = {host: len(host.log()) for host in net.hosts}
        net.restart()
        leader, rest = net.leader_and_others()
        words = "early suspicion of %s is off: its kernel does not answer" % leader.name
        net.wait("all report: " + words,
                 lambda: all(words in h.view["health"]["problems"] for h in rest))
        for host in rest:
            for verb in "status", "members", "check":
                answer = host.electctl(verb)
                if answer.returncode or words not in answer.stdout:
                    raise Failed("%s: exit %d: %s" % (verb, answer.returncode, answer.stdout))
            if host.log()[journals[host]:].count("problem: early suspicion is off") != 1:
                raise Failed("%s has not one line of it in its log" % host.name)
        if leader.view["health"]["problems"]:
            raise Failed("%s reports of itself: %s" % (leader.name, leader.view["health"]))
    for host in net.hosts:
        host.let_in()


def links(out):
    config = 'network = { interfaces = [ "eth0" ]; family = "ipv4"; };'
    with lan.Lan(3, config) as net:
        net.start()
        for name, away, back in LOSSES:
            out.attempt("lost: " + name, lost, net, away, back)
        out.attempt("floating address", floating, net)
        out.attempt("taken port", taken_port, net)
        out.attempt("kernel behind a firewall", firewall, net)
        out.attempt("two networks on one wire", two_networks, net, config)


# ---- families ----------------------------------------------------------------------------------------

def link_local(host):
    text = run("ip", "-n", host.name, "-6", "-o", "addr", "show", "dev", "eth0", "scope", "link").stdout
    return text.split("inet6 ")[1].split("/")[0]


def told(on, host):
    """The address of a host, as another host shows it."""
    members = on.call("io.electd.GetStatus")["members"]
    return next((m["address"] for m in members if m["name"] == host.name), None)


def all_told(net, host, where):
    until("all know %s at %s" % (host.name, where),
          lambda: all(told(on, host) == where for on in net.hosts))


def replug(host):
    """The kernel looks for a duplicate of the address again."""
    ip(host, "link set eth0 down")
    ip(host, "link set eth0 up")


def ipv6_only(net):
    """A host whose address is tentative cannot send yet, and must not conclude that it is alone."""
    for host in net.hosts:
        host.write_config()
        ip(host, "addr flush dev eth0 scope global")
        replug(host)
    mark = net.mark()
    net.start()
    net.settle()
    if len(net.leaders_since(mark)) != 1:
        raise Failed("leaders: %s" % net.leaders_since(mark))
    for host in net.hosts:
        all_told(net, host, link_local(host) + "%eth0")
    shown = net.leader().electctl("--plain", "leader").stdout.split("\t")
    if shown[1] != link_local(net.leader()) + "%eth0":
        raise Failed("electctl leader prints %s" % shown)


def wider(net):
    """An address by a router has a lifetime, and a floating address has none."""
    leader, mark = net.leader(), net.mark()
    ip(leader, "addr add %s/64 dev eth0 nodad" % FLOATING6)
    ip(leader, "addr add %s/64 dev eth0 valid_lft 600 preferred_lft 600 nodad" % WIDE)
    all_told(net, leader, WIDE)
    ip(leader, "addr del %s/64 dev eth0" % WIDE)
    all_told(net, leader, link_local(leader) + "%eth0")
    ip(leader, "addr del %s/64 dev eth0" % FLOATING6)
    unchanged(net, mark, "leader")


def renumbered(net):
    host, mark, new = net.leader(), net.mark(), "fe80::77:1"
    old = link_local(host)
    ip(host, "addr add %s/64 dev eth0" % new)
    until("no other host has %s" % new, lambda: "tentative" not in inside(
        host, "ip", "-6", "addr", "show", "dev", "eth0"))
    ip(host, "addr del %s/64 dev eth0" % old)
    until("%s uses %s" % (host.name, new),
          lambda: host.log().rsplit(" uses eth0", 1)[-1].startswith(", address " + new))
    beacons_pass(net)
    all_told(net, host, new + "%eth0")
    unchanged(net, mark, "leader")


def taken_address(net):
    """Another host has the address: electd logs that, and sends nothing from it."""
    host, other = next(h for h in net.hosts if h is not net.leader()), net.leader()
    host.kill()
    ip(host, "addr flush dev eth0 scope link")
    taken = link_local(other)
    ip(host, "addr add %s/64 dev eth0" % taken)
    until("the kernel has found the duplicate", lambda: "dadfailed" in inside(
        host, "ip", "-6", "addr", "show", "dev", "eth0"))
    host.start()
    words = "eth0: another host has its address %s: not used" % taken
    until(words, lambda: words in host.log())
    net.wait("the others drop it", lambda: net.agreed([h for h in net.hosts if h is not host]))
    beacons_pass(net)
    if host.view and host.view["role"] == "leader":
        raise Failed("%s leads" % host.name)
    ip(host, "addr flush dev eth0 scope link")
    ip(host, "addr add fe80::77:2/64 dev eth0")
    net.settle()


def ipv4_only(net):
    """IPv6 is switched off on the interface, or missing in the kernel."""
    for host in net.running():
        host.kill()
    for host in net.hosts:
        ip(host, "addr add %s/24 dev eth0" % host.address)
        replug(host)
    sysctl(net.hosts[0], "ipv6.conf.eth0.disable_ipv6", 1)
    net.hosts[0].start()
    wrapper = [sys.executable, "-c", WITHOUT_IPV6]
    for host in net.hosts[1:]:
        host.start(wrapper=wrapper, log_mode="w")
    net.settle()
    for host in net.hosts:
        all_told(net, host, host.address)
    loud = [line for h in net.hosts[1:] for line in h.log().splitlines() if "IPv6" in line]
    if loud:
        raise Failed("what is no fault is logged: %s" % loud)
    host = net.hosts[1]
    host.kill()
    host.write_config('network = { family = "ipv6"; };')
    done = run(*host.command(wrapper=wrapper), check=False)
    if done.returncode != 71 or "this kernel does not have" not in done.stderr:
        raise Failed("exit %d: %s" % (done.returncode, done.stderr))


def families(out):
    with lan.Lan(3) as net:
        for name, test in (("IPv6 only", ipv6_only), ("a wider address", wider),
                           ("another link-local address", renumbered),
                           ("an address that is taken", taken_address), ("IPv4 only", ipv4_only)):
            out.attempt(name, test, net)


# ---- one of two LANs is lost -------------------------------------------------------------------------

class TwoLans(lan.Host):
    def __init__(self, *args):
        super().__init__(*args)
        self.ports = [self.port, "other%d" % self.number]
        self.more_ports.append(self.ports[1])
        run("ip", "link", "add", self.ports[1], "type", "veth", "peer", "name", "eth1", "netns", self.name)
        ip(self, "addr add 10.78.0.%d/24 dev eth1" % self.number)
        ip(self, "link set eth1 up")
        run("ip", "link", "set", self.ports[1], "master", self.lan.bridge(1), "up")


@contextlib.contextmanager
def switch(host, _):
    """A switch fails, so the carrier stays."""
    run("ip", "link", "set", host.ports[0], "nomaster")
    yield
    run("ip", "link", "set", host.ports[0], "master", host.lan.bridge(0))


@contextlib.contextmanager
def carrier(host, _):
    run("ip", "link", "set", host.ports[1], "down")
    until("that is reported", lambda: any(p.startswith("link-down: ") for p in problems(host)))
    yield
    run("ip", "link", "set", host.ports[1], "up")


@contextlib.contextmanager
def crossed(host, leader):
    """A member hears nothing by eth0, and is not heard by eth1. Its kernel reports no error."""
    host.let_in("iifname eth0 drop")
    rules = 'table netdev mute { chain in { type filter hook ingress device "%s" priority 0; drop; }; }'
    subprocess.run(["nft", "-f", "-"], input=rules % host.ports[1], text=True, check=True)
    until("eth1 does not answer", lambda: links_of(host, leader).get("eth1") == "unanswered")
    yield
    run("nft", "delete", "table", "netdev", "mute")
    host.let_in()


def links_of(host, other):
    """{interface: state} of the links by which electctl shows that a host hears another one"""
    done = host.electctl("--plain", "members", "--links")
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    return {row[1]: row[2] for row in rows if row[0] == other.name}


def lans_counts(net):
    """Counters of changes of the group, and one that copies from the other LAN must not raise."""
    return ([host.dropped().get("replayed", 0) for host in net.hosts],
            [host.counts("electd_packets_sent_total")[name] for host in net.hosts for name in MADE])


def one_lan_lost(net, fault, at_leader):
    """The group and its leader stay, and a member knows which of its links fails."""
    leader, (member, *_) = net.leader_and_others()
    until("both links answer", lambda: links_of(member, leader) == LINKS_ANSWER)
    mark, before = net.mark(), lans_counts(net)
    with fault(leader if at_leader else member, leader):
        beacons_pass(net, copies=2)
    until("both links answer again", lambda: links_of(member, leader) == LINKS_ANSWER)
    unchanged(net, mark, "health", "leader")
    if net.leader() is not leader or lans_counts(net) != before:
        raise Failed("%s leads; %s, before %s" % (net.leader().name, lans_counts(net), before))


def lans(out):
    with lan.Lan(3, kind=TwoLans, family="ipv4") as net:
        net.start()
        net.settle()
        for name, fault, at_leader in (("a switch at the leader", switch, True),
                                       ("a cable of the leader", carrier, True),
                                       ("one direction each at a member", crossed, False)):
            out.attempt("two LANs: " + name, one_lan_lost, net, fault, at_leader)


# ---- without multicast -------------------------------------------------------------------------------

def peers_of(host):
    return {p["address"]: p["state"] for p in host.call("io.electd.GetStatus")["peers"]}


def named(net):
    """All hosts have two of the four hosts as configured peers."""
    for host in net.hosts:
        host.without_multicast()
        host.know([h.address for h in net.hosts[:2]])
    net.start()
    net.settle()
    if sorted(peers_of(net.hosts[0]).values()) != ["member", "self"]:
        raise Failed("the peers of %s are %s" % (net.hosts[0].name, peers_of(net.hosts[0])))
    if "2 named, 0 missed" not in net.hosts[0].electctl("status").stdout:
        raise Failed("electctl status does not show the peers")
    leader, others = net.leader_and_others()
    leader.kill()
    net.wait("another host leads", lambda: net.led(others))
    leader.start()
    net.settle()
    host, mark, group = net.hosts[-1], net.mark(), net.hosts[-1].group()
    host.know([net.hosts[0].address, "10.77.0.99"])
    changed = host.call("io.electd.Reload")["changed"]
    if changed != ["network.peers"] or sorted(peers_of(host)) != ["10.77.0.1", "10.77.0.99"]:
        raise Failed("changed: %s; its peers are %s" % (changed, peers_of(host)))
    beacons_pass(net)
    if net.groups_since(mark) not in ([], [group]):
        raise Failed("the group changed: %s" % net.groups_since(mark))


def named_by_ipv6(net):
    """Each peer is configured by another address than the link-local one that it sends from."""
    names = {host: "fd77::%d" % host.number for host in net.hosts}
    for host, name in names.items():
        ip(host, "addr add %s/64 dev eth0 nodad" % name)
        host.without_multicast()
        host.know(names.values())
    net.start()
    net.settle()
    for host, name in names.items():
        until("%s finds itself among its peers" % host.name, lambda h=host, n=name: peers_of(h)[n] == "self")
    before = [host.dropped().get("replayed", 0) for host in net.hosts]
    beacons_pass(net)
    if [host.dropped().get("replayed", 0) for host in net.hosts] != before:
        raise Failed("what goes to all goes twice to peers")


def peers(out):
    for name, test, more in (("named peers", named, {"count": 4, "family": "ipv4"}),
                             ("named peers of IPv6", named_by_ipv6, {"count": 3, "family": "ipv6"})):
        with lan.Lan(**more) as net:
            out.attempt(name, test, net)


PARTS = {"links": links, "families": families, "lans": lans, "peers": peers}


def main():
    out = report.Report()
    lan.setup()
    for name in sys.argv[1:] or PARTS:
        PARTS[name](out)
    out.exit()


if __name__ == "__main__":
    main()
