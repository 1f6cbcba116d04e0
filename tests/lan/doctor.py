#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""electctl doctor on a LAN with one fault: the facts that it judges are those of the kernel.

doctor.py [FAULT...]: each fault is made with nft(8), ip(8) or sysctl(8). doctor must report it,
with its description and its remedy, and no other fault except its consequences. If the remedy is a
command, it is run as printed, and then doctor must find no fault. The conclusions that doctor draws
from facts, and facts that do not come from a kernel, are tested by
tests/unit/electctl/test_doctor_judge.c.
"""
import concurrent.futures
import contextlib
import json
import os
import re
import shlex
import subprocess
import sys

import lan
import report
from lan import Failed, run, until

HOSTS = 3
GROUP = "224.0.0.254"
DEGRADED, NOT_RUNNING = 6, 3
NOBODY = "setpriv", "--reuid", "65534", "--clear-groups"
# Further findings of a group that falls apart.
APART = "apart", "broken-links", "nobody-heard", "no-carrier", "problem"
BY_MULTICAST = "meta protocol ip udp dport 7543 ip daddr " + GROUP
INSERT = r"sudo nft insert rule .* accept"


# ---- the output of doctor -----------------------------------------------------------------------

def inside(host, *words):
    return run("nsenter", "--net=/run/netns/" + host.name, *words, check=False)


class Said:
    """One answer of doctor, without "late", which a busy machine can be in any of these tests."""

    def __init__(self, host, user=()):
        done = inside(host, *user, lan.ELECTCTL, "--socket", host.socket_path, "--json", "doctor")
        try:
            answer = json.loads(done.stdout)
        except ValueError:
            raise Failed("%s: exit %d: %s" % (host.name, done.returncode, done.stderr)) from None
        self.code = done.returncode
        self.findings = [f for f in answer["findings"] if f["name"] not in ("late", "stood-still")]
        self.faults = {f["name"] for f in self.findings if f["weight"] == "fault"}
        self.unlooked = {row["what"] for row in answer["unlooked"]}
        if answer["ok"] != (self.code == 0):
            raise Failed("%s contradicts itself: %d %s" % (host.name, self.code, answer))


def named(host, name, words, *also, code=DEGRADED, user=()):
    """Waits until doctor reports this finding, with these words, and no other fault except `also`.
    Returns the finding."""
    said, found = None, []

    def is_named():
        nonlocal said, found
        said = Said(host, user)
        found = [f for f in said.findings if f["name"] == name and words in f["words"]]
        return found and said.code == code and not said.faults - {name, *also}
    try:
        until("", is_named)
    except Failed:
        raise Failed("%s on %s with %r is not named alone: exit %d, %s" % (
            name, host.name, words, said.code, said.findings)) from None
    return found[0]


def well(host):
    """Waits until doctor finds no fault. electd reports refused datagrams for ten seconds more."""
    said = None

    def is_well():
        nonlocal said
        said = Said(host)
        return not said.faults
    try:
        until("", is_well)
    except Failed:
        raise Failed("%s is not well: %s" % (host.name, said.findings)) from None


def typed(host, finding, pattern):
    command = re.search(pattern, finding["remedy"])
    if not command:
        raise Failed("no command %r in %r" % (pattern, finding["remedy"]))
    words = shlex.split(command[0].replace("sudo ", ""))
    if words[0] == "electctl":
        words[:1] = [lan.ELECTCTL, "--socket", host.socket_path]
    done = inside(host, *words)
    if done.returncode:
        raise Failed("%s: exit %d: %s" % (command[0], done.returncode, done.stderr))
    return done.stdout


def mended(host, finding, pattern):
    typed(host, finding, pattern)
    well(host)
    return "%s; mended by %s" % (finding["words"], re.search(pattern, finding["remedy"])[0])


def healthy_host(host):
    """Checks doctor as root, and as a user who may not look at everything."""
    well(host)
    rooted = {"firewall rules", "machines with an address of this host"}
    for user, missed in ((), set()), (NOBODY, rooted):
        if rooted & Said(host, user).unlooked != missed:
            raise Failed("%s: to %s not looked at: %s" % (host.name, user[2:3], missed))


def healthy(net):
    net.settle()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        list(pool.map(healthy_host, net.hosts))


# ---- how a LAN is broken and mended -------------------------------------------------------------

def bridges(*drops):
    """Replaces the rules by which the switches drop frames."""
    rules = ("add table bridge test\ndelete table bridge test\n"
             "table bridge test { chain way { type filter hook forward priority 0; %s}; }\n" %
             "".join("%s drop; " % drop for drop in drops))
    done = subprocess.run(["nft", "-f", "-"], input=rules, text=True, check=False,
                          stderr=subprocess.PIPE)
    if done.returncode:
        raise Failed("nft: %s" % done.stderr)


def ip(host, *commands):
    for words in commands:
        run("ip", "-n", host.name, *words.split())


def configure(host, network="", family="ipv4"):
    """Most tests use only the family that they break, because the other would replace it."""
    host.write_config('network = { family = "%s"; %s };\n' % (family, network))


def restart_with(host, network="", family="ipv4"):
    if host.process:
        host.kill()
    configure(host, network, family)
    host.start()
    host.lan.wait("%s answers" % host.name, lambda: host.view)


def second(host):
    return "second%d" % host.number


def second_link(net, *hosts):
    for host in hosts:
        ip(host, "link add eth1 type veth peer name %s netns %d" % (second(host), os.getpid()),
           "addr add 10.78.0.%d/24 dev eth1" % host.number, "link set eth1 up")
        run("ip", "link", "set", second(host), "master", net.bridge(1), "up")


def remake(host):
    inside(host, "nft", "flush", "ruleset")
    inside(host, "sysctl", "-qw", "net.ipv4.igmp_max_memberships=20")
    for row in json.loads(inside(host, "ip", "-j", "link", "show").stdout):
        if row["ifname"] in ("eth1", "tunnel", "far"):
            run("ip", "-n", host.name, "link", "del", row["ifname"], check=False)
    run("ip", "-n", host.name, "rule", "del", "pref", "5270", check=False)
    run("ip", "-n", host.name, "rule", "del", "pref", "100", check=False)
    run("ip", "-n", host.name, "route", "flush", "default", check=False)
    ip(host, "-4 addr flush dev eth0", "addr add %s/24 dev eth0" % host.address, "link set eth0 up")
    run("ip", "link", "set", host.port, "up")
    configure(host)


@contextlib.contextmanager
def broken(net):
    try:
        yield
    finally:
        for host in net.hosts:
            if host.process:
                host.kill()
            remake(host)
        run("nft", "flush", "ruleset")
        net.heal()
        net.restart()


# ---- firewalls, translation, TTL ----------------------------------------------------------------

def firewall(net):
    """A member's firewall: doctor shows root the rule, and other users that there is one."""
    _, (host, _) = net.leader_and_others()
    host.let_in("udp dport 7543 drop")
    named(host, "multicast-not-back", "on eth0 does not come back", *APART, user=NOBODY)
    return mended(host, named(host, "firewall", "in chain inet test in on this host drops multicast "
                              "from other hosts", *APART), INSERT)


def one_way(net):
    leader, (host, _) = net.leader_and_others()
    host.let_in("ip saddr %s drop" % leader.address)
    return named(leader, "one-way", "%s (%s) is heard here, but does not hear" % (
        host.name, host.address), *APART)["words"]


def translated(net):
    """A rule of the host translates its address, which is then not the one that the tag covers."""
    leader, (host, _) = net.leader_and_others()
    ip(host, "addr add 10.77.0.200/24 dev eth0")
    host.rules("table ip nat { chain out { type nat hook postrouting priority 100; "
               "udp dport 7543-7575 snat to 10.77.0.200; }; }")
    host.stop()
    host.start()
    named(leader, "other-secret", "10.77.0.200 is a router that changes the source", *APART)
    return mended(host, named(host, "nat", "what this host sends comes back from 10.77.0.200",
                              "one-way", "multicast-unheard", *APART),
                  r"sudo nft 'add table.* notrack'")


def routed(net):
    leader, (host, _) = net.leader_and_others()
    leader.rules("table ip test { chain out { type filter hook output priority mangle; "
                 "udp dport 7543-7575 ip ttl set 254; }; }")
    return named(host, "routed", "from %s arrive with TTL 254" % leader.address, *APART)["words"]


# ---- multicast that a switch loses --------------------------------------------------------------

def multicast(net):
    """A switch drops the multicast from one host, then from all, then from the start on."""
    leader, (host, _) = net.leader_and_others()
    lost = "oifname %s %s" % (host.port, BY_MULTICAST)
    bridges("%s ip saddr %s" % (lost, leader.address))
    named(leader, "multicast-unheard", "%s (%s) receives unicast of this host" % (
        host.name, host.address), *APART)
    bridges(lost)
    found = named(host, "multicast-stops", "multicast to %s stopped reaching this host" % GROUP,
                  *APART)
    host.kill()
    host.start()
    net.wait("it answers", lambda: host.view)
    named(host, "multicast-lost", "multicast to %s is lost on the way" % GROUP, *APART)
    return found["words"]


# ---- one of two links, one of two families ------------------------------------------------------

def await_all_by(net, hosts, count):
    """Waits until each of these hosts answers the others by that many links."""
    def answers(host, other):
        rows = host.call("io.electd.Doctor")["hosts"]
        by = next((row.get("by", []) for row in rows if row["id"] == other.id), [])
        return sum(row["answered"] for row in by) == count
    for host in hosts:
        until("all answer %s by %d links" % (host.name, count), lambda host=host: all(
            answers(host, other) for other in hosts if other is not host))
    return net.leader_and_others()


def dead_link(net):
    """The cable fails at the switch, so that no host loses its carrier: doctor names the host on
    the other hosts, and the link on that host."""
    second_link(net, *net.hosts)
    for host in net.hosts:
        restart_with(host)
    leader, (host, _) = await_all_by(net, net.hosts, 2)
    run("ip", "link", "set", second(host), "nomaster")
    named(leader, "one-link", "%s answers only on eth0, no longer on eth1" % host.name)
    found = named(host, "link-silent", "no host answers on eth1 any more, but hosts answer on eth0")
    run("ip", "link", "set", second(host), "master", net.bridge(1))
    well(host)
    return found["words"]


def one_family(net):
    for host in net.hosts:
        restart_with(host, family="both")
    leader, (host, _) = await_all_by(net, net.hosts, 2)
    bridges(*("%s %s meta protocol ip6 udp dport 7543-7575" % (way, host.port)
              for way in ("oifname", "iifname")))
    named(leader, "one-family", "only IPv4 works with %s on eth0; IPv6 worked" % host.name)
    return named(host, "family-silent", "on eth0 only IPv4 works; IPv6 worked")["words"]


def family_unused(net):
    """One host uses only IPv4, another only IPv6: each reports the other."""
    one, other, third = net.hosts
    third.stop()
    restart_with(one, family="ipv4")
    restart_with(other, family="ipv6")
    found = [named(host, "family-unused", "%s is heard by %s only, which this host does not use" % (
        heard.name, family), *APART) for host, heard, family in (
            (one, other, "IPv6"), (other, one, "IPv4"))]
    if 'network.family = "both"' not in found[0]["remedy"]:
        raise Failed("its remedy is %r" % found[0]["remedy"])
    restart_with(one, family="both")
    well(other)
    return found[0]["words"]


# ---- interfaces ---------------------------------------------------------------------------------

def interfaces(net):
    """Faults of one of two configured interfaces, then of the only one."""
    host = net.hosts[0]
    second_link(net, host)
    restart_with(host, 'interfaces = [ "eth0", "eth1" ];')
    net.settle()
    for change, name, words, remedy in (
            ("eth1 down", "interface-off", "is switched off", "sudo ip link set eth1 up"),
            ("eth1 multicast off", "no-multicast", "cannot multicast",
             "sudo ip link set eth1 multicast on")):
        ip(host, "link set " + change)
        mended(host, named(host, name, "eth1, which network.interfaces names, " + words), remedy)
    ip(host, "-4 addr flush dev eth1")
    found = named(host, "no-address", "eth1, which network.interfaces names, has no address")
    found["remedy"] = found["remedy"].replace("ADDRESS/BITS", "10.78.0.1/24")
    mended(host, found, r"sudo ip address add \S+ dev eth1")
    run("ip", "link", "set", second(host), "down")
    named(host, "link-down", "eth1 has no carrier")
    run("ip", "link", "set", second(host), "up")
    well(host)
    ip(host, "link set eth0 down")
    return mended(host, named(host, "interface-off", "eth0, which network.interfaces names, is "
                              "switched off", *APART), "sudo ip link set eth0 up")


def unused(net):
    """The other host is behind a second cable; electd uses the one with the default route."""
    host, other, _ = net.hosts
    for one in net.hosts:
        one.stop()
    second_link(net, host, other)
    ip(host, "route add default via 10.77.0.254")
    restart_with(other, 'interfaces = [ "eth1" ];')
    restart_with(host)
    found = named(host, "interface-unused", "10.78.0.2 of this domain is heard on eth1, which "
                  "electd does not use; it uses eth0 %s" % host.address, *APART)
    configure(host, re.search(r"interfaces = \[.* \]", found["remedy"])[0] + ";")
    return mended(host, found, "sudo electctl reload")


def cannot_join(net):
    host = net.hosts[0]
    host.kill()
    inside(host, "sysctl", "-qw", "net.ipv4.igmp_max_memberships=0")
    host.start()
    found = named(host, "cannot-join", "cannot join the multicast group %s on eth0" % GROUP, *APART)
    return mended(host, found, r"sudo sysctl net.ipv4.igmp_max_memberships=\d+")


# ---- addresses and ports ------------------------------------------------------------------------

def address_taken(net):
    """Detected by ARP."""
    host, _, other = net.hosts
    other.kill()
    ip(other, "addr add %s/24 dev eth0" % host.address)
    return named(host, "address-taken", "another machine, %s, has the address %s" % (
        other.mac().hex(":"), host.address), *APART)["words"]


def address_taken_ipv6(net):
    """Detected by the kernel, which then does not use the address."""
    host, other, _ = net.hosts
    for one in other, host:
        ip(one, "-6 addr add fe80::77/64 dev eth0", "-6 addr del %s/64 dev eth0" % link_local(one))
        restart_with(one, family="both")
        until("the address is used", lambda one=one: [
            path for path in one.call("io.electd.Doctor")["paths"]
            if path["address"].startswith("fe80::77")])
    try:
        return named(host, "address-taken", "another machine has the address fe80::77")["words"]
    finally:
        for one in other, host:
            ip(one, "link set eth0 down", "-6 addr flush dev eth0", "link set eth0 up")


def link_local(host):
    rows = json.loads(inside(host, "ip", "-j", "-6", "address", "show", "dev", "eth0").stdout)
    return rows[0]["addr_info"][0]["local"]


HOLDER = """import socket, sys
holder = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
holder.bind(("", 7543))
print("x", flush=True)
sys.stdin.read()
"""


def port_taken(net):
    """electd does not start; ss(8) shows the same process."""
    host = net.hosts[0]
    host.kill()
    holder = subprocess.Popen(
        ["nsenter", "--net=/run/netns/" + host.name, *NOBODY, sys.executable, "-c", HOLDER],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        if holder.stdout.read(1) != b"x":
            raise Failed("the port was not free")
        found = named(host, "port-taken", "UDP port 7543 is taken by process %d (python3) of user "
                      "nobody" % holder.pid, "not-running", code=NOT_RUNNING)
        if "pid=%d," % holder.pid not in typed(host, found, r"sudo ss -lunp '.*'"):
            raise Failed("ss does not show it")
    finally:
        holder.stdin.close()
        holder.wait(lan.PATIENCE)
    named(host, "not-running", "electd is not running", code=NOT_RUNNING)
    return found["words"]


# ---- routes -------------------------------------------------------------------------------------

def peer_elsewhere(net):
    """A configured peer that does not exist; the route to it is by a tunnel."""
    host = net.hosts[0]
    tunnel(host, "route add 10.77.0.77 dev tunnel")
    restart_with(host, 'peers = [ "10.77.0.77" ];')
    found = named(host, "peer-silent", "the route to it is by tunnel, which electd does not use")
    typed(host, found, "ip route get 10.77.0.77")
    return found["words"]


def tunnel(host, *more):
    ip(host, "link add tunnel type veth peer name far", "link set far up", "link set tunnel up",
       *more)


def route_elsewhere(net):
    """A VPN has a rule before the main table, and a tunnel. electd still works."""
    _, (host, _) = net.leader_and_others()
    tunnel(host, "route add 10.77.0.0/24 dev tunnel table 52", "rule add pref 5270 lookup 52")
    found = named(host, "route-elsewhere", "on the LAN of eth0, but its route leads to tunnel", code=0)
    mended(host, found, r"sudo ip rule add pref 100 to \S+ lookup main")
    if "route-elsewhere" in [f["name"] for f in Said(host).findings]:
        raise Failed("it is not mended")
    return found["words"]


def same_subnet(net):
    """Two cards in one subnet. The kernel drops packets that arrive by the second, because the
    route is by the first, and answers for the addresses of both."""
    host = net.hosts[0]
    second_link(net, host)
    ip(host, "addr flush dev eth1", "addr add 10.77.0.101/24 dev eth1")
    run("ip", "link", "set", second(host), "master", net.bridge(0))
    restart_with(host, 'interfaces = [ "eth0", "eth1" ];')
    net.settle()
    named(host, "either-card", "eth0 and eth1 are in one subnet", code=0)
    inside(host, "sysctl", "-qw", "net.ipv4.conf.all.rp_filter=1")
    found = named(host, "reverse-filter", "that arrive on eth1: rp_filter is 1 there",
                  "link-silent", "one-link", "multicast-not-back")
    words = mended(host, found, r"sudo sysctl net.ipv4.conf.eth1.rp_filter=2")
    typed(host, named(host, "either-card", "", code=0),
          r"sudo sysctl net\S+arp_ignore=1 \S+announce=2")
    if "either-card" in [f["name"] for f in Said(host).findings]:
        raise Failed("it is not mended")
    inside(host, "sysctl", "-qw", *("net.ipv4.conf.all.%s=0" % name for name in (
        "rp_filter", "arp_ignore", "arp_announce")))
    return words


FAULTS = [
    firewall, one_way, translated, routed, multicast, dead_link, one_family, family_unused, interfaces,
    unused, cannot_join, address_taken, address_taken_ipv6, port_taken, peer_elsewhere,
    route_elsewhere, same_subnet,
]


def attempt(net, fault):
    with broken(net):
        net.settle()
        return fault(net)


def main():
    faults = [fault for fault in FAULTS if not sys.argv[1:] or fault.__name__ in sys.argv[1:]]
    lan.setup()
    result = report.Report()
    with lan.Lan(HOSTS, 'network = { family = "ipv4"; };\n') as net:
        os.chmod(net.dir, 0o755)    # other users run doctor, too
        for host in net.hosts:
            os.chmod(host.dir, 0o755)
        net.start()
        result.attempt("healthy", healthy, net)
        for fault in faults:
            result.attempt(fault.__name__, attempt, net, fault)
        result.attempt("healthy again", healthy, net)
    result.exit()


if __name__ == "__main__":
    main()
