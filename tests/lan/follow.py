#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes of interfaces, addresses and routes: what the kernel reports, and which paths electd's
`net` makes of it.

follow.py [WORD...]: runs only the attempts with one of these words in their names.

Each attempt makes a namespace whose eth0 is wired to another namespace, and starts net_log in it,
which prints its paths when they change. There is no election and no other host. A change that
affects no path must print nothing until the fence, in which the cable is pulled and plugged in.
"""
import os
import signal
import subprocess
import sys
import threading

import lan
import report
from lan import run, until
from report import Failed, Skipped

NET_LOG = os.path.join(lan.BUILDDIR, "tests/lan/net_log")
IPV4, BOTH = "1", "3"
GATEWAY = "10.77.0.254"
PREFIX = "2001:db8:77::/64"
# The kernel derives the link-local address from the MAC address that eth0 is given.
MAC, LINK_LOCAL = "02:00:00:00:00:01", "fe80::ff:fe00:1"
FIRST = "eth0 10.77.0.1"
FIRST6 = "eth0 " + LINK_LOCAL


class Machine:
    """`with Machine() as m`: eth0 has an address, a default route and a carrier."""

    def __init__(self, families=IPV4, *before):
        self.families = families
        run("ip", "netns", "add", "wire")
        run("ip", "netns", "add", "host")
        self.sysctl("net/ipv4/conf/all/promote_secondaries", 1)
        self.sysctl("net/ipv6/conf/default/accept_dad", 0)
        self.ip("link set lo up")
        self.card()
        self.ip("link set eth0 up", *self.lease(), *before)
        self.process = subprocess.Popen(
            ["nsenter", "--net=/run/netns/host", NET_LOG, families], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.lines, self.shown, self.changed = [], 0, threading.Condition()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def __enter__(self):
        self.paths(FIRST, *([FIRST6] if self.families == BOTH else []))
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdin.close()
        self.process.stdout.close()
        for name in "host", "wire":
            run("ip", "netns", "del", name)

    def read(self):
        for line in self.process.stdout:
            with self.changed:
                self.lines.append(line.rstrip("\n"))
                self.changed.notify_all()

    def ip(self, *commands):
        """Runs all commands in one process, so that little time passes between them."""
        done = subprocess.run(["ip", "-n", "host", "-batch", "-"], check=False, text=True,
                              input="\n".join(commands) + "\n", stderr=subprocess.PIPE)
        if done.returncode:
            raise Failed("%s: %s" % ("; ".join(commands), done.stderr.strip()))

    def sysctl(self, name, value):
        run("nsenter", "--net=/run/netns/host", "sh", "-c", 'echo "$1" >"/proc/sys/$2"', "sh",
            str(value), name)

    def card(self, *index):
        """The kernel gives the peer of a veth the wanted index only if the veth has one, too."""
        run("ip", "-n", "wire", "link", "add", "card", *(("index", "100") if index else ()), "type",
            "veth", "peer", "name", "eth0", "address", MAC, *index, "netns", "host")
        run("ip", "-n", "wire", "link", "set", "card", "up")

    @staticmethod
    def lease(address="10.77.0.1", interface="eth0"):
        """Sets an address as a DHCP client does, also for a renewal."""
        return ("addr replace %s/24 dev %s valid_lft 60 preferred_lft 30" % (address, interface),
                "route replace default via %s dev %s" % (GATEWAY, interface))

    def cable(self, plugged):
        run("ip", "-n", "wire", "link", "set", "card", "up" if plugged else "down")

    def index(self):
        return run("ip", "-n", "host", "-o", "link", "show", "eth0").stdout.split(":")[0]

    def paths(self, *wanted):
        """Waits until these are the paths. Each printed line is examined once."""
        text = ", ".join(wanted)
        with self.changed:
            found = self.changed.wait_for(lambda: text in self.lines[self.shown:], lan.PATIENCE)
            if not found:
                raise Failed("no line \"%s\", but %s" % (text, self.lines[self.shown:]))
            self.shown = self.lines.index(text, self.shown) + 1

    def same(self, *commands):
        """These commands must print nothing."""
        before = self.lines[-1]
        self.ip(*commands)
        self.cable(False)
        down = ", ".join(path + " down" for path in before.split(", "))
        with self.changed:
            self.changed.wait_for(lambda: down in self.lines[self.shown:], lan.PATIENCE)
            if self.lines[self.shown:] != [down]:
                raise Failed("%s: %s" % ("; ".join(commands), self.lines[self.shown:]))
            self.shown += 1
        self.cable(True)
        self.paths(*before.split(", "))


# ---- changes that affect no path -----------------------------------------------------------------

def leases_renewed():
    with Machine() as m:
        for _ in range(3):
            m.same(*m.lease())


def routes_advertised():
    """Router advertisements renew the addresses and the default route of IPv6."""
    def valid_s():
        text = run("ip", "-n", "host", "-6", "-o", "addr", "show", "scope", "global").stdout
        words = text.split()
        return int(words[words.index("valid_lft") + 1].rstrip("sec")) if words else 0

    with Machine(BOTH) as m:
        m.sysctl("net/ipv6/conf/eth0/accept_ra", 2)
        router = subprocess.Popen(
            ["nsenter", "--net=/run/netns/wire", sys.executable, "-B",
             os.path.join(os.path.dirname(os.path.abspath(__file__)), "router.py"), "card", PREFIX,
             "3"], stdin=subprocess.PIPE)
        try:
            m.paths(FIRST, FIRST6 + " and 2001:db8:77::ff:fe00:1")
            until("it is older", lambda: valid_s() < 119)
            until("it is renewed", lambda: valid_s() >= 119)
            m.same()
        finally:
            router.stdin.close()
            router.wait(lan.PATIENCE)


def nothing_of_ours():
    with Machine() as m:
        m.same("link set eth0 mtu 1400", "link set eth0 promisc on")
        m.same("addr add 10.77.0.101/24 dev eth0", "addr add 10.77.0.111/32 dev eth0",
               "addr add 192.0.2.1/24 dev eth0")
        m.same("link add link eth0 name mv0 type macvlan mode bridge", "link set mv0 up",
               "addr add 198.51.100.1/24 dev mv0")
        m.same("link set eth0 mtu 1500", "link set eth0 promisc off", "link del mv0",
               "addr del 10.77.0.101/24 dev eth0", "addr del 192.0.2.1/24 dev eth0")


# ---- addresses -----------------------------------------------------------------------------------

def another_lease():
    """Either the new address comes first, or the old one goes first."""
    with Machine() as m:
        m.same(*m.lease("10.77.0.51"))
        m.ip("addr del 10.77.0.1/24 dev eth0")
        m.paths("eth0 10.77.0.51")
        m.ip("addr del 10.77.0.51/24 dev eth0", *m.lease())
        m.paths(FIRST)


def network_restarted():
    """As by `systemctl restart networking`: only the carrier stays."""
    with Machine(BOTH) as m:
        m.ip("addr flush dev eth0", "route flush dev eth0")
        m.paths()
        m.ip(*m.lease(), "addr add %s/64 dev eth0" % LINK_LOCAL)
        m.paths(FIRST, FIRST6)


def another_link_local():
    with Machine(BOTH) as m:
        m.same("addr add fe80::a:1/64 dev eth0 nodad")
        m.ip("addr del %s/64 dev eth0" % LINK_LOCAL)
        m.paths(FIRST, "eth0 fe80::a:1")


def ipv6_off_and_on():
    """The IPv6 addresses return after the kernel has looked for duplicates."""
    with Machine(BOTH) as m:
        m.sysctl("net/ipv6/conf/eth0/accept_dad", 1)
        m.sysctl("net/ipv6/conf/eth0/disable_ipv6", 1)
        m.paths(FIRST)
        m.sysctl("net/ipv6/conf/eth0/disable_ipv6", 0)
        m.paths(FIRST, FIRST6)


def mtu_too_small():
    """The MTU is too small for IPv6, so the kernel leaves the IPv6 groups."""
    with Machine(BOTH) as m:
        m.ip("link set eth0 mtu 1200")
        m.paths(FIRST)
        m.ip("link set eth0 mtu 1500")
        m.paths(FIRST, FIRST6)
        until("it hears the group", lambda: in_group("ff02::114"))


# ---- the interface -------------------------------------------------------------------------------

def down_and_up():
    with Machine(BOTH) as m:
        m.ip("link set eth0 down")
        m.paths()
        m.ip("link set eth0 up", *m.lease())
        m.paths(FIRST, FIRST6)


def renamed():
    """Renames eth0 while it is up, which Linux allows since 6.2, and while it is down."""
    with Machine() as m:
        m.ip("link set eth0 down", "link set eth0 name wan0", "link set wan0 up",
             *m.lease(interface="wan0"))
        m.paths("wan0 10.77.0.1")
        try:
            m.ip("link set wan0 name eth0")
        except Failed as error:
            if "busy" in str(error):
                raise Skipped("this kernel renames no link that is up") from error
            raise
        m.paths(FIRST)


def made_again(same):
    """The new interface has the same index, or the next one."""
    with Machine(BOTH) as m:
        index = m.index()
        m.ip("link del eth0")
        m.paths()
        m.card(*(("index", index) if same else ()))
        m.ip("link set eth0 up", *m.lease())
        m.paths(FIRST, FIRST6)
        if same != (m.index() == index):
            raise Failed("it had the number %s and has %s" % (index, m.index()))
        until("it hears the group", lambda: in_group("224.0.0.254"))


def made_again_at_once():
    """The interface is replaced before electd looks: the same paths, but a new join."""
    with Machine() as m:
        index = m.index()
        m.process.send_signal(signal.SIGSTOP)
        try:
            m.ip("link del eth0")
            m.card("index", index)
            m.ip("link set eth0 up", *m.lease())
        finally:
            m.process.send_signal(signal.SIGCONT)
        until("it hears the group", lambda: in_group("224.0.0.254"))


def in_group(group):
    return group in run("ip", "-n", "host", "maddr", "show", "dev", "eth0").stdout


def bridge_over_it():
    with Machine() as m:
        m.ip("link add br0 type bridge", "link set br0 up")
        m.ip("link set eth0 master br0", "addr flush dev eth0", *m.lease(interface="br0"))
        m.paths("br0 10.77.0.1")
        m.ip("link del br0", *m.lease())
        m.paths(FIRST)


def macvlan_over_it():
    with Machine() as m:
        m.same("link add link eth0 name mv0 type macvlan mode bridge", "link set mv0 up")
        m.ip("addr flush dev eth0", *m.lease(interface="mv0"))
        m.paths("mv0 10.77.0.1")
        m.ip("link del mv0", *m.lease())
        m.paths(FIRST)


# ---- changes that the kernel does not report -----------------------------------------------------

def flood():
    """Containers come and go; the loss of a carrier during that is noticed."""
    with Machine() as m:
        pairs = ["link add v%d group 7 type veth peer name c%d" % (i, i) for i in range(50)]
        for _ in range(3):
            m.same(*pairs, "link del group 7")


def overrun():
    """The kernel's queue overruns, and it drops reports: electd reads the state again."""
    with Machine() as m:
        m.process.send_signal(signal.SIGSTOP)
        try:
            m.ip(*("nexthop add id %d blackhole" % (i + 1) for i in range(1500)),
                 "addr del 10.77.0.1/24 dev eth0", *m.lease("10.77.0.61"))
        finally:
            m.process.send_signal(signal.SIGCONT)
        m.paths("eth0 10.77.0.61")


ATTEMPTS = (
    ("leases renewed", leases_renewed),
    ("routes advertised", routes_advertised),
    ("MTU, promiscuous, more addresses, a macvlan", nothing_of_ours),
    ("another lease", another_lease),
    ("network restarted", network_restarted),
    ("another link-local address", another_link_local),
    ("IPv6 off and on", ipv6_off_and_on),
    ("MTU too small", mtu_too_small),
    ("down and up", down_and_up),
    ("renamed", renamed),
    ("made again", made_again, False),
    ("made again with its number", made_again, True),
    ("made again at once", made_again_at_once),
    ("bridge over it", bridge_over_it),
    ("macvlan over it", macvlan_over_it),
    ("flood", flood),
    ("overrun", overrun))


def main():
    lan.setup()
    result = report.Report()
    for name, function, *arguments in ATTEMPTS:
        if not sys.argv[1:] or any(word in name for word in sys.argv[1:]):
            result.attempt(name, function, *arguments)
    result.exit()


if __name__ == "__main__":
    main()
