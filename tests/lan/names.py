#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The host name, the addresses and the interface name of a host change in the kernel while electd
runs: the host name of a UTS namespace, addresses with and without a lease, names and an altname of
an interface.

All hosts report each change, and no role, group or session changes. tests/unit/conf/test_conf.c and
tests/unit/net/test_homes.c show which name or address is chosen."""
import subprocess

import lan
import report
from hooked import check

HOSTS = 3
# (name of an interface, its form in JSON): control and quoting characters, no UTF-8, the longest.
ODD = ((b"q\"'\\$(x)", "q\"'\\$(x)"), (b"a\x1b[31mred", "a\x1b[31mred"), (b"\xff\xfe0", "??0"),
       (b"0123456789abcde", "0123456789abcde"))
# The longest that the kernel accepts.
ALTNAME = "Ethernet#1_of_the_first_slot,_" + "x" * 97
SET = 'printf %s "$1" >/proc/sys/kernel/hostname'


class Host(lan.Host):
    def identify(self):
        super().identify()
        self.node_name = None

    def start(self, *more, wrapper=(), log_mode="a"):
        super().start(*more, wrapper=(*wrapper, "unshare", "--uts", "sh", "-c",
                                      SET + '; shift; exec "$@"', "sh", "localhost"),
                      log_mode=log_mode)

    def rename(self, name):
        subprocess.run(["nsenter", "-t", str(self.process.pid), "--uts", "sh", "-c", SET, "sh",
                        name], check=True)

    def member(self, other, key):
        """The report of this host about another; None if that is not on the membership list."""
        return next((m[key] for m in self.call("io.electd.GetStatus")["members"]
                     if m["id"] == other.id), None)

    def identity(self):
        status = self.call("io.electd.GetStatus")
        return (self.process.pid, status["role"], status["group"]["counter"], status["token"],
                status["node"]["incarnation"])


def reported(net, host, key, value):
    lan.until("%s of %s is %s" % (key, host.name, value), lambda: all(
        other.member(host, key) == value for other in net.hosts))


def identities(net):
    return [host.identity() for host in net.hosts]


def host_names(net):
    """All hosts begin as localhost; a member and the leader are renamed later. A configured name
    takes precedence from a reload on, until it is removed."""
    lan.until("equal names are a problem", lambda: all(
        "have the same name" in h.electctl("check").stdout for h in net.hosts))
    before = identities(net)
    leader, (first, second) = net.leader_and_others()
    for host, name, made in ((first, "web", "web"), (leader, "l\u00e4b/a b", "l--b-a-b"),
                             (second, "x" * 64, "x" * 63)):
        host.rename(name)
        reported(net, host, "name", made)
        lines = [h.log().count("localhost is called %s now" % made) for h in net.hosts]
        check(lines == [1] * HOSTS, "lines about %s: %s", made, lines)
    check(not any("have the same name" in h.electctl("check").stdout for h in net.hosts),
          "names that differ are a problem")
    first.node_name = "set"
    first.write_config()
    check("node.name" in first.electctl("reload").stdout, "the reload does not name it")
    reported(net, first, "name", "set")
    first.rename("later")
    second.rename("fence")      # each host looks at its own name at least once a second
    reported(net, second, "name", "fence")
    check(net.hosts[0].member(first, "name") == "set", "node.name counts no more")
    first.node_name = None
    first.write_config()
    first.process.send_signal(lan.signal.SIGHUP)
    reported(net, first, "name", "later")
    check(identities(net) == before, "more than names has changed: %s", identities(net))


def ip(host, *words):
    subprocess.run(["ip", "-n", host.name, *words], check=True)


def address(host, verb, text, *more):
    ip(host, "address", verb, text, "dev", host.interface, *more)


def lease(host, text):
    """Sets an address as systemd-networkd does."""
    address(host, "add", text + "/24", "valid_lft", "600", "preferred_lft", "600")


def addresses(net):
    """The leader's permanent address goes, a lease comes, another subnet is leased, the lease ends.
    Then the leader gets the address of a member, and that member the leader's."""
    before = identities(net)
    leader, (member, _) = net.leader_and_others()
    address(leader, "del", leader.address + "/24")
    reported(net, leader, "address", "169.254.7.%d" % leader.number)
    lease(leader, leader.address)
    reported(net, leader, "address", leader.address)
    address(leader, "add", "10.88.0.9/24")      # a floating one
    lease(leader, "10.99.0.7")
    address(leader, "del", leader.address + "/24")
    reported(net, leader, "address", "10.99.0.7")
    address(member, "del", member.address + "/24")
    lease(leader, member.address)
    address(leader, "del", "10.99.0.7/24")
    reported(net, leader, "address", member.address)
    lease(member, leader.address)
    lan.until("the member is there", lambda: member.member(member, "address") == leader.address)
    check(identities(net) == before, "more than addresses has changed: %s, before %s",
          identities(net), before)


def interfaces(net):
    """A cable whose interface is renamed is followed; answers are complete, and text shows no
    control character. An altname of 127 bytes selects the interface."""
    host = net.hosts[0]
    for name, shown in (*ODD, (b"eth0", "eth0")):
        ip(host, "link", "set", "dev", host.interface, "down")
        ip(host, "link", "set", "dev", host.interface, "name", name)
        ip(host, "link", "set", "dev", name, "up")
        host.interface = name
        lan.until("it has a path by %s" % ascii(shown), lambda shown=shown: any(
            path["carrier"] and path["interface"] == shown
            for path in host.call("io.electd.Doctor")["paths"]))
        net.settle()
        lan.until("a member is heard by %s" % ascii(shown), lambda shown=shown: any(
            by["interface"] == shown for member in host.call("io.electd.GetMembers")["members"]
            for by in member["links"]))
        for verb in "status", "members", "check":
            check("\x1b[31mred" not in host.electctl(verb).stdout, "electctl %s", verb)
    ip(host, "link", "property", "add", "dev", "eth0", "altname", ALTNAME)
    host.write_config('network: { interfaces = [ "%s" ]; };' % ALTNAME)
    check("network.interfaces" in host.electctl("reload").stdout, "the reload does not name it")
    net.settle()
    check({path["interface"] for path in host.call("io.electd.Doctor")["paths"]} == {"eth0"},
          "electd uses %s", host.call("io.electd.Doctor")["paths"])


def main():
    result = report.Report()
    lan.setup()
    with lan.Lan(HOSTS, kind=Host) as net:
        for host in net.hosts:      # as before an answer of DHCP; each reaches all by its link
            address(host, "add", "169.254.7.%d/16" % host.number)
            for subnet in "10.77.0.0/24", "10.99.0.0/24":
                ip(host, "route", "add", subnet, "dev", host.interface, "metric", "9")
        net.start()
        net.settle()
        result.attempt("host names", host_names, net)
        result.attempt("addresses", addresses, net)
        result.attempt("names of an interface", interfaces, net)
    result.exit()


if __name__ == "__main__":
    main()
