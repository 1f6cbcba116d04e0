#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of doc/links.md: each of its rows is a function here, of the same name.

kinds.py [ROW... | --list]: each row is one host with links of that kind, real ones of this kernel, and an
electd that is configured only where the row says so. The row says which links electd uses, each with
or without a carrier, and what it reports of them; the functions wait for that and then look whether
it stays. Rows whose links this kernel lacks are run by uml.py on another one. A row that is skipped there
too has its messages in tests/unit/net.
"""
import concurrent.futures
import os
import re
import sys
import tempfile
import time

import lan
import report
import uml
import wires
from report import Failed
from wires import Skip, ip

# Rows at a time: they wait more than they compute.
ROWS_AT_ONCE = 6
# A row that is wrong is wrong after this; the slowest part of a right one is the kernel's second
# between two reports of a carrier.
LIMIT = 8.0 * float(os.environ.get("ELECTD_SLOW", "1"))
STAYS = 0.3
UP, DOWN = True, False
MOST = 16    # NET_INTERFACES_MAX

ROWS = {}


def row(function):
    ROWS[function.__name__.replace("_", "-")] = function
    return function


class Nobody:
    """A LAN in the place of lan.Lan for a host that has none."""
    family = None

    def __init__(self, folder):
        self.dir = folder

    def wanted(self, host):
        pass

    def gone(self, host):
        pass


class Lone(lan.Host, wires.Wires):
    """A host that has the links that a row gives it."""

    def __init__(self, net, number):
        wires.Wires.__init__(self, "kind%d" % number, "k%d" % number)
        self.lan, self.number = net, number
        self.name = self.namespace
        self.identify()
        self.dir = os.path.join(net.dir, self.name)
        self.config = os.path.join(self.dir, "electd.conf")
        self.state_dir = os.path.join(self.dir, "state")
        self.runtime_dir = os.path.join(self.dir, "run")
        self.socket_path = os.path.join(self.runtime_dir, "io.electd")
        self.process, self.view, self.starts = None, None, []
        os.makedirs(self.dir)
        self.write_config()
        ip("netns add " + self.name)
        self.ip("link set lo up")
        # No host has the same address here: the kernel need not ask for a second.
        self.sysctl("net.ipv6.conf.default.accept_dad", 0)

    def cards(self, *names):
        for name in names:
            self.card(name)

    def mute_card(self, name):
        """It has no address, not even a link-local one."""
        self.sysctl("net.ipv6.conf.default.addr_gen_mode", 1)
        self.card(name)

    def configure(self, network):
        """Of network; a running electd reads it."""
        self.write_config("network = { %s };" % network)
        if self.process:
            done = self.electctl("reload")
            if done.returncode:
                raise Failed("reload: %s" % done.stderr)

    def paths(self):
        """{interface: whether it has a carrier} of what electd uses, and its addresses."""
        try:
            answer = self.call("io.electd.Doctor")["paths"]
        except (OSError, ConnectionError):    # it does not listen yet
            return None, ()
        return ({p["interface"]: p["carrier"] for p in answer},
                {p["address"].split("%")[0] for p in answer})

    def expect(self, *, address=None, not_address=None, says=None, **links):
        """Exactly these links are used, with a carrier or without. `says` is a pattern of what status,
        check or doctor report."""
        if not self.process:
            self.start()
        end = lan.now() + LIMIT
        right_since = None
        while True:
            found, addresses = self.paths()
            right = found == links and (not address or address in addresses) and \
                not_address not in addresses
            if not right:
                right_since = None
            elif right_since is None:
                right_since = lan.now()
            if right and lan.now() - right_since > STAYS:
                break
            if lan.now() > end:
                raise Failed("uses %s %s instead of %s" % (
                    shown(found), " ".join(sorted(addresses)), shown(links)))
            time.sleep(0.05)
        if says:
            self.says(says)

    def follows(self, name, *cables):
        """That one link is used, and loses its carrier with these cables."""
        self.expect(**{name: UP})
        self.pull(*cables)
        self.expect(**{name: DOWN})

    def says(self, pattern):
        words = ""
        end = lan.now() + LIMIT
        while not re.search(pattern, words, re.S):
            if lan.now() > end:
                raise Failed("nothing like %r is reported: %s" % (pattern, words[-1500:]))
            words = "".join(self.electctl(*verb).stdout for verb in (("status",), ("check",)))
            words += self.doctor()

    def doctor(self):
        """In the network of the host, as its administrator types it."""
        return lan.run("nsenter", "--net=/run/netns/" + self.name, lan.ELECTCTL, "--socket",
                       self.socket_path, "doctor", check=False).stdout

    def check(self, status):
        done = self.electctl("check")
        if (done.returncode == 0) != (status == 0):
            raise Failed("check: exit %d: %s" % (done.returncode, done.stdout))

    def close(self):
        if self.process:
            self.kill()
        wires.Wires.close(self)
        ip("netns del " + self.name)


def shown(links):
    if links is None:
        return "nothing that listens"
    return "{%s}" % ", ".join("%s%s" % (name, "" if carrier else " without carrier")
                              for name, carrier in sorted(links.items()))


def lan_card(h, name="eth0", address="10.1.0.5/24", route=True):
    """The card of an ordinary host, with its address and default route."""
    h.card(name)
    h.give(name, address)
    if route:
        h.ip("route add default via %s.254 dev %s" % (address.rsplit(".", 1)[0], name))


def docker(h, *ports):
    h.bridge("docker0", *ports)
    h.give("docker0", "172.17.0.1/16")


# ---- Ethernet ---------------------------------------------------------------------------------------

@row
def ethernet(h):
    lan_card(h)
    h.follows("eth0", "eth0")
    h.plug("eth0")
    h.expect(eth0=UP)


@row
def ethernet_without_address(h):
    """It waits for its address and does not take docker0."""
    h.mute_card("eth0")
    docker(h)
    h.expect()
    h.give("eth0", "10.1.0.5/24")
    h.expect(eth0=UP)


@row
def ethernet_switched_off(h):
    lan_card(h)
    h.expect(eth0=UP)
    h.ip("link set eth0 down")
    h.expect(says="eth0.*(switched off|down)")


@row
def ethernet_not_authenticated(h):
    """802.1X: the cable has a carrier, and the switch lets nothing pass yet."""
    lan_card(h)
    h.expect(eth0=UP)
    h.pull("eth0")
    h.ip("link set eth0 mode dormant")
    h.plug("eth0")
    h.expect(eth0=DOWN)
    h.ip("link set eth0 state up")
    h.expect(eth0=UP)


@row
def ethernet_next_to_usb0(h):
    """The card of a management controller has a link-local address for this host alone."""
    lan_card(h, route=False)
    h.card("usb0")
    h.give("usb0", "169.254.3.1/24", "scope link")
    h.expect(eth0=UP)
    h.pull("eth0")
    h.ip("addr del 10.1.0.5/24 dev eth0")
    h.sysctl("net.ipv6.conf.eth0.disable_ipv6", 1)
    h.expect()


@row
def two_cards(h):
    """Without a default route each may be the LAN."""
    lan_card(h, route=False)
    lan_card(h, "eth1", "10.2.0.5/24", route=False)
    h.expect(eth0=UP, eth1=UP)
    h.pull("eth1")
    h.expect(eth0=UP, eth1=DOWN)


# ---- bond, team -------------------------------------------------------------------------------------

@row
def bond(h):
    h.cards("eth0", "eth1")
    h.bond("bond0", "mode active-backup miimon 100", "eth0", "eth1")
    h.give("bond0", "10.1.0.5/24")
    h.expect(bond0=UP)
    h.pull("eth0")
    h.follows("bond0", "eth1")


@row
def bond_without_miimon(h):
    """The bond keeps its own carrier for ever."""
    h.cards("eth0", "eth1")
    h.bond("bond0", "mode active-backup miimon 0", "eth0", "eth1")
    h.give("bond0", "10.1.0.5/24")
    h.follows("bond0", "eth0", "eth1")


@row
def bond_without_slaves(h):
    lan_card(h, route=False)
    h.add("bond0", "bond mode active-backup miimon 100")
    h.give("bond0", "10.9.0.5/24")
    h.expect(eth0=UP)


@row
def team(h):
    h.card("eth0", up=False)
    h.add("team0", "team", up=False)
    h.ip("link set eth0 master team0")
    h.ip("link set eth0 up")
    h.ip("link set team0 up")
    h.give("team0", "10.1.0.5/24")
    h.follows("team0", "eth0")


# ---- VLAN, macvlan, ipvlan, macvtap ------------------------------------------------------------------

@row
def vlan(h):
    h.mute_card("eth0")
    h.upon("eth0", "eth0.10", "vlan id 10")
    h.give("eth0.10", "10.1.0.5/24")
    h.follows("eth0.10", "eth0")


@row
def vlan_loose(h):
    """Its own carrier does not follow that of its parent."""
    h.mute_card("eth0")
    h.upon("eth0", "eth0.10", "vlan id 10 loose_binding on")
    h.give("eth0.10", "10.1.0.5/24")
    h.follows("eth0.10", "eth0")


@row
def vlan_of_bond(h):
    h.mute_card("eth0")
    h.bond("bond0", "mode active-backup miimon 0", "eth0")
    h.upon("bond0", "bond0.10", "vlan id 10")
    h.give("bond0.10", "10.1.0.5/24")
    h.follows("bond0.10", "eth0")


@row
def vlan_of_bridge(h):
    """On a hypervisor: the bridge keeps its carrier by the guest."""
    h.sysctl("net.ipv6.conf.default.addr_gen_mode", 1)
    h.bridge("br0", h.card("eth0"), h.tap("vnet0"))
    h.upon("br0", "br0.10", "vlan id 10")
    h.give("br0.10", "10.1.0.5/24")
    h.follows("br0.10", "eth0")


@row
def vlan_of_vlan(h):
    h.mute_card("eth0")
    h.upon("eth0", "eth0.10", "vlan id 10 loose_binding on")
    h.upon("eth0.10", "eth0.10.20", "vlan id 20 loose_binding on")
    h.give("eth0.10.20", "10.1.0.5/24")
    h.follows("eth0.10.20", "eth0")


@row
def macsec(h):
    h.mute_card("eth0")
    h.upon("eth0", "macsec0", "macsec")
    h.give("macsec0", "10.1.0.5/24")
    h.follows("macsec0", "eth0")


@row
def macvlan(h):
    """Its parent is a link of this host: a veth, for the kernel puts none upon a macvlan."""
    h.sysctl("net.ipv6.conf.default.addr_gen_mode", 1)
    h.veth("eth0")
    h.upon("eth0", "mac0", "macvlan mode bridge")
    h.give("mac0", "10.1.0.5/24")
    h.follows("mac0", "eth0")


@row
def macvlan_of_bridge(h):
    h.bridge("br0", h.card("eth0"), h.tap("vnet0"))
    h.upon("br0", "mac0", "macvlan mode bridge")
    h.give("mac0", "10.1.0.5/24")
    h.configure('interfaces = [ "mac0" ];')
    h.follows("mac0", "eth0")


@row
def macvlan_of_another_host(h):
    """As a container has it: its parent cannot be seen, and it is as good as a card."""
    h.card("eth0")
    h.give("eth0", "10.1.0.5/24")
    h.veth("eth1")
    h.give("eth1", "10.2.0.5/24")
    h.follows("eth0", "eth0")


@row
def ipvlan(h):
    h.mute_card("eth0")
    h.upon("eth0", "ipv0", "ipvlan mode l2")
    h.give("ipv0", "10.1.0.5/24")
    h.follows("ipv0", "eth0")


@row
def macvtap(h):
    """It is a guest's, so by name only where there is a card."""
    lan_card(h, route=False)
    h.veth("eth1")
    h.upon("eth1", "macvtap0", "macvtap mode bridge")
    h.give("macvtap0", "10.3.0.5/24")
    h.expect(eth0=UP)


# ---- bridges ----------------------------------------------------------------------------------------

@row
def bridge(h):
    """Case r01: a guest's port keeps the bridge's own carrier."""
    h.bridge("br0", h.card("eth0"), h.tap("vnet0"))
    h.give("br0", "10.1.0.5/24")
    h.ip("route add default via 10.1.0.254")
    h.expect(br0=UP)
    h.pull("eth0")
    h.expect(br0=DOWN, says="no carrier.*eth0|eth0.*no carrier")
    h.plug("eth0")
    h.expect(br0=UP)


@row
def bridge_with_two_cables(h):
    h.bridge("br0", h.card("eth0"), h.card("eth1"), h.tap("vnet0"))
    h.give("br0", "10.1.0.5/24")
    h.expect(br0=UP)
    h.pull("eth0")
    h.follows("br0", "eth1")


@row
def bridge_on_a_bond(h):
    h.card("eth0")
    h.bond("bond0", "mode active-backup miimon 0", "eth0")
    h.bridge("br0", "bond0", h.tap("vnet0"))
    h.give("br0", "10.1.0.5/24")
    h.follows("br0", "eth0")


@row
def bridge_on_a_vlan_of_a_bond(h):
    """As on many hypervisors: a bridge for each VLAN."""
    h.card("eth0")
    h.bond("bond0", "mode active-backup miimon 0", "eth0")
    h.upon("bond0", "bond0.10", "vlan id 10")
    h.bridge("br10", "bond0.10", h.tap("vnet0"))
    h.give("br10", "10.1.0.5/24")
    h.follows("br10", "eth0")


@row
def bridge_port_blocked(h):
    """Spanning tree listens for four seconds before the card forwards; the guest does already."""
    h.card("eth0")
    h.bridge("br0", h.tap("vnet0"))
    h.give("br0", "10.1.0.5/24")
    h.ip("link set br0 type bridge stp_state 1 forward_delay 200")
    h.ip("link set eth0 master br0")
    h.expect(br0=DOWN)
    h.expect(br0=UP)


@row
def bridge_without_its_card(h):
    """The card is taken out of the bridge, or is gone as a USB one."""
    h.bridge("br0", h.card("eth0"), h.tap("vnet0"))
    h.give("br0", "10.1.0.5/24")
    h.ip("route add default via 10.1.0.254")
    h.expect(br0=UP)
    h.gone("eth0")
    h.expect(br0=DOWN)


@row
def bridge_of_containers_as_lan(h):
    """Of a LAN within one machine, by name; each port is a container's."""
    h.bridge("br0", h.veth("veth1"), h.veth("veth2"))
    h.give("br0", "10.1.0.5/24")
    h.configure('interfaces = [ "br0" ];')
    h.expect(br0=UP)
    h.pull("veth1")
    h.follows("br0", "veth2")


@row
def docker0_idle(h):
    """Case s07: the LAN has link-local addresses only, and docker0 has a better one."""
    h.card("eth0")
    docker(h)
    h.expect(eth0=UP)


@row
def docker0_with_containers(h):
    h.card("eth0")
    docker(h, h.veth("veth1"), h.veth("veth2"))
    h.follows("eth0", "eth0")


@row
def docker0_alone(h):
    """Nothing else is there: this host has no LAN, and takes the only link it has."""
    docker(h, h.veth("veth1"))
    h.expect(docker0=UP)


@row
def virbr0(h):
    """Libvirt's, with guests that run, on a laptop whose card has not got its address yet."""
    h.card("eth0")
    h.bridge("virbr0", h.tap("vnet0"), h.tap("vnet1"))
    h.give("virbr0", "192.168.122.1/24")
    h.expect(eth0=UP)


# ---- containers -------------------------------------------------------------------------------------

@row
def veth_of_a_container(h):
    h.veth("eth0")
    h.give("eth0", "10.1.0.5/24")
    h.ip("route add default via 10.1.0.254")
    h.follows("eth0", "eth0")


@row
def docker_in_a_container(h):
    h.veth("eth0")
    h.give("eth0", "10.1.0.5/24")
    docker(h, h.add("veth1", "veth peer name veth2"))
    h.ip("link set veth2 up")
    h.expect(eth0=UP)


@row
def veth_within_the_host(h):
    lan_card(h, route=False)
    h.add("veth1", "veth peer name veth2")
    h.ip("link set veth2 up")
    h.give("veth1", "10.3.0.5/24")
    h.expect(eth0=UP)


@row
def calico(h):
    """Its links have no address, or the same 169.254.1.1 as their gateway."""
    lan_card(h, route=False)
    for number in range(3):
        h.veth("cali%d" % number)
        h.ip("route add 192.168.7.%d dev cali%d" % (number + 1, number))
    h.expect(eth0=UP)


# ---- tunnels, links between two points ---------------------------------------------------------------

def by_name_only(h, name):
    """A host whose LAN has no default route: the tunnel has one; the LAN is used."""
    h.give(name, "10.8.0.2/24")
    h.ip("route add default dev " + name)
    h.expect(eth0=UP)


@row
def tun(h):
    lan_card(h, route=False)
    by_name_only(h, h.tun("tun0"))
    h.configure('interfaces = [ "tun0" ];')
    h.expect(tun0=UP)


@row
def tap(h):
    lan_card(h, route=False)
    h.give(h.tap("tap0"), "10.8.0.2/24")
    h.expect(eth0=UP)
    h.configure('interfaces = [ "tap0" ];')
    h.expect(tap0=UP)
    h.ip("link set tap0 down")
    h.ip("link set tap0 up")
    h.quit("tap0")
    h.expect()


@row
def wireguard(h):
    """WireGuard cannot multicast by itself; with `multicast on` it is used by name, and peers are reached."""
    lan_card(h, route=False)
    by_name_only(h, h.add("wg0", "wireguard"))
    h.configure('interfaces = [ "eth0", "wg0" ];')
    h.expect(eth0=UP, says="wg0.*multicast")
    h.ip("link set wg0 multicast on")
    h.expect(eth0=UP, wg0=UP)


@row
def gre(h):
    lan_card(h, route=False)
    by_name_only(h, h.add("gre1", "gre remote 10.1.0.9 local 10.1.0.5"))
    h.configure('interfaces = [ "gre1" ];')
    h.ip("link set gre1 multicast on")
    h.expect(gre1=UP)


@row
def gretap(h):
    """It looks like Ethernet."""
    lan_card(h, route=False)
    by_name_only(h, h.add("gretap1", "gretap remote 10.1.0.9 local 10.1.0.5"))


@row
def ipip(h):
    lan_card(h, route=False)
    by_name_only(h, h.add("ipip1", "ipip remote 10.1.0.9 local 10.1.0.5"))


@row
def sit(h):
    lan_card(h, route=False)
    by_name_only(h, h.add("sit1", "sit remote 10.1.0.9 local 10.1.0.5"))


@row
def vxlan(h):
    """Flannel's or a VPN's: it looks like Ethernet."""
    lan_card(h, route=False)
    by_name_only(h, h.add("flannel1", "vxlan id 4 dstport 4789 local 10.1.0.5"))
    h.configure('interfaces = [ "flannel1" ];')
    h.expect(flannel1=UP)


@row
def geneve(h):
    lan_card(h, route=False)
    by_name_only(h, h.add("gnv1", "geneve id 4 remote 10.1.0.9"))


@row
def ppp(h):
    lan_card(h, route=False)
    name = h.ppp()
    h.ip("addr add 10.8.0.2 peer 10.8.0.1 dev " + name)
    h.ip("route add default dev " + name)
    h.expect(eth0=UP)


@row
def bridge_of_a_tunnel(h):
    """A VPN that joins LANs: the bridge has the card and a vxlan; the card counts."""
    h.card("eth0")
    h.add("vx1", "vxlan id 4 dstport 4789 remote 10.1.0.9 dev eth0")
    h.bridge("br0", "eth0", "vx1")
    h.give("br0", "10.1.0.5/24")
    h.follows("br0", "eth0")


# ---- others -----------------------------------------------------------------------------------------

@row
def vrf(h):
    """The member is used; the VRF has its own link, which is no LAN."""
    h.add("blue", "vrf table 10")
    h.card("eth0")
    h.ip("link set eth0 master blue")
    h.give("eth0", "10.1.0.5/24")
    h.ip("route add default via 10.1.0.254 table 10")
    h.expect(eth0=UP)


@row
def dummy(h):
    """Of a router, which has its address there."""
    lan_card(h, route=False)
    h.add("dummy0", "dummy")
    h.give("dummy0", "10.9.9.9/32")
    h.expect(eth0=UP)
    h.ip("link set dummy0 multicast on")
    h.expect(eth0=UP)
    h.configure('interfaces = [ "dummy0" ];')
    h.expect(dummy0=UP)


@row
def loopback(h):
    """An address on lo, as routers have: it is used by its very name only."""
    lan_card(h, route=False)
    h.ip("addr add 10.9.9.9/32 dev lo")
    h.expect(eth0=UP)
    h.configure('interfaces = [ "*" ];')
    h.expect(eth0=UP)
    h.configure('interfaces = [ "lo" ];')
    h.expect(lo=UP)


@row
def altname(h):
    lan_card(h)
    h.ip("link property add dev eth0 altname enp0s31f6")
    h.configure('interfaces = [ "enp0s31f6" ];')
    h.expect(eth0=UP)
    h.ip("link property add dev eth0 altname " + "x" * 120)
    h.configure('interfaces = [ "xxxx*" ];')
    h.expect(eth0=UP)


@row
def named_and_missing(h):
    """The other one is used, and the missing one is reported."""
    lan_card(h)
    h.configure('interfaces = [ "eth0", "eth7" ];')
    h.expect(eth0=UP, says="eth7")
    h.check(0)


@row
def named_and_switched_off(h):
    lan_card(h)
    h.card("eth1", up=False)
    h.configure('interfaces = [ "eth0", "eth1" ];')
    h.expect(eth0=UP, says="eth1")
    h.check(0)


@row
def more_than_16(h):
    """Case s05: what is left out is reported; one with a carrier goes before one without."""
    for number in range(1, MOST + 5):
        h.veth("v%d" % number)
        h.give("v%d" % number, "10.%d.0.1/24" % number)
    h.pull("v1", "v2", "v3", "v4")
    # One in use would stay in use.
    lan.until("four have no carrier", lambda: h.ip("link show up").count("NO-CARRIER") == 4)
    h.configure('interfaces = [ "v*" ]; family = "ipv4";')
    h.expect(**{"v%d" % number: UP for number in range(5, MOST + 5)})
    if h.electctl("check").returncode == 0:
        raise Failed("check is OK")
    h.says("16.*network.interfaces")


# ---- addresses --------------------------------------------------------------------------------------

@row
def address_permanent(h):
    lan_card(h)
    h.expect(eth0=UP, address="10.1.0.5")


@row
def address_leased(h):
    """A lease that is another one is followed at once."""
    h.card("eth0")
    h.give("eth0", "10.1.0.5/24", "valid_lft 60 preferred_lft 60")
    h.expect(eth0=UP, address="10.1.0.5")
    h.ip("addr del 10.1.0.5/24 dev eth0")
    h.give("eth0", "10.1.0.6/24", "valid_lft 60 preferred_lft 60")
    h.expect(eth0=UP, address="10.1.0.6")


@row
def address_169_254(h):
    """Nothing else is there; a lease that comes later takes its place (case r13)."""
    h.card("eth0")
    h.give("eth0", "169.254.7.7/16", "scope link")
    docker(h)
    h.expect(eth0=UP, address="169.254.7.7")
    h.give("eth0", "10.1.0.5/24", "valid_lft 60 preferred_lft 60")
    h.expect(eth0=UP, address="10.1.0.5")


@row
def address_ipv6_link_local(h):
    h.card("eth0")
    docker(h)
    h.expect(eth0=UP)
    if any(not a.startswith("fe80:") for a in h.paths()[1]):
        raise Failed("uses %s" % (h.paths()[1],))


@row
def address_floating(h):
    """A hook adds it while this host leads: it never becomes the host's own."""
    lan_card(h)
    h.expect(eth0=UP, address="10.1.0.5")
    lan.until("it leads", lambda: "leads" in h.electctl("status").stdout)
    h.give("eth0", "10.1.0.100/24")
    h.expect(eth0=UP, address="10.1.0.5", not_address="10.1.0.100")


@row
def address_of_32_bits(h):
    """As clouds give it: the router is in no subnet of the host."""
    h.card("eth0")
    h.give("eth0", "10.1.0.5/32")
    h.ip("route add 169.254.1.1 dev eth0")
    h.ip("route add default via 169.254.1.1 dev eth0")
    h.expect(eth0=UP, address="10.1.0.5")


@row
def address_with_a_peer(h):
    """The other end is what ip(8) prints first; this host's own address is used."""
    h.card("eth0")
    h.ip("addr add 10.1.0.5 peer 10.1.0.1/32 dev eth0")
    h.ip("route add default via 10.1.0.1")
    h.expect(eth0=UP, address="10.1.0.5", not_address="10.1.0.1")


# ---- the default route --------------------------------------------------------------------------------

def two_lans(h):
    """eth0 and eth1, either of which may be chosen."""
    lan_card(h, route=False)
    lan_card(h, "eth1", "10.2.0.5/24", route=False)


@row
def route_in_main(h):
    two_lans(h)
    h.ip("route add default via 10.2.0.254")
    h.expect(eth1=UP)


@row
def route_of_ipv6(h):
    """By a router advertisement, where IPv4 has no default route."""
    two_lans(h)
    h.ip("-6 route add default via fe80::1 dev eth1 proto ra")
    h.expect(eth1=UP)


@row
def route_of_a_source(h):
    """A default route of IPv6 for one prefix of senders is a default route."""
    two_lans(h)
    h.ip("-6 route add default from fd00:2::/64 via fe80::1 dev eth1")
    h.expect(eth1=UP)


@row
def route_in_another_table(h):
    """Case r06: another table chooses where the main one has no default route, and not otherwise."""
    two_lans(h)
    h.ip("route add default via 10.2.0.254 table 52")
    h.expect(eth1=UP)
    h.ip("route add default via 10.1.0.254")
    h.expect(eth0=UP)


@row
def route_by_a_nexthop_object(h):
    two_lans(h)
    h.sysctl("net.ipv4.nexthop_compat_mode", 0)
    h.ip("nexthop add id 7 via 10.1.0.254 dev eth0")
    h.ip("route add default nhid 7")
    h.expect(eth0=UP)
    h.ip("nexthop replace id 7 via 10.2.0.254 dev eth1")
    h.expect(eth1=UP)


@row
def route_by_a_nexthop_group(h):
    two_lans(h)
    lan_card(h, "eth2", "10.3.0.5/24", route=False)
    h.sysctl("net.ipv4.nexthop_compat_mode", 0)
    h.ip("nexthop add id 7 via 10.1.0.254 dev eth0")
    h.ip("nexthop add id 8 via 10.2.0.254 dev eth1")
    h.ip("nexthop add id 9 group 7/8")
    h.ip("route add default nhid 9")
    h.expect(eth0=UP, eth1=UP)


@row
def route_of_several_hops(h):
    two_lans(h)
    lan_card(h, "eth2", "10.3.0.5/24", route=False)
    h.ip("route add default nexthop via 10.1.0.254 dev eth0 nexthop via 10.2.0.254 dev eth1")
    h.expect(eth0=UP, eth1=UP)


@row
def route_by_several(h):
    """Wi-Fi and a cable: both are used whatever their metrics, so that either may go."""
    two_lans(h)
    h.ip("route add default via 10.1.0.254 metric 100")
    h.ip("route add default via 10.2.0.254 metric 600")
    h.expect(eth0=UP, eth1=UP)
    h.pull("eth0")
    h.expect(eth0=DOWN, eth1=UP)


@row
def route_by_a_tunnel(h):
    """A VPN that takes all: the LAN keeps its address, and is used as if there were no such route."""
    lan_card(h)
    docker(h, h.veth("veth1"))
    h.expect(eth0=UP)
    h.give(h.tun("tun0"), "10.8.0.2/24")
    h.ip("route del default")
    h.ip("route add default dev tun0")
    h.expect(eth0=UP)


@row
def route_by_a_tunnel_at_start(h):
    lan_card(h, route=False)
    docker(h, h.veth("veth1"))
    h.give(h.tun("tun0"), "10.8.0.2/24")
    h.ip("route add default dev tun0")
    h.expect(eth0=UP)


@row
def route_by_a_tunnel_and_a_card(h):
    """A VPN's has the better metric, and that of the card stays."""
    two_lans(h)
    h.ip("route add default via 10.1.0.254 metric 100")
    h.give(h.tun("tun0"), "10.8.0.2/24")
    h.ip("route add default dev tun0 metric 50")
    h.expect(eth0=UP)


@row
def route_by_two_halves(h):
    """A VPN adds 0.0.0.0/1 and 128.0.0.0/1; the default route stays."""
    lan_card(h)
    lan_card(h, "eth1", "10.2.0.5/24", route=False)
    h.give(h.tun("tun0"), "10.8.0.2/24")
    h.ip("route add 0.0.0.0/1 dev tun0")
    h.ip("route add 128.0.0.0/1 dev tun0")
    h.expect(eth0=UP)


@row
def route_lost(h):
    """Docker's bridge does not stand in for the LAN whose cable took the route away."""
    lan_card(h)
    docker(h, h.veth("veth1"))
    h.expect(eth0=UP)
    h.pull("eth0")
    h.ip("route del default")
    h.ip("addr del 10.1.0.5/24 dev eth0")
    h.sysctl("net.ipv6.conf.eth0.disable_ipv6", 1)
    h.expect()


@row
def route_moves(h):
    """From one card to another."""
    two_lans(h)
    h.ip("route add default via 10.1.0.254")
    h.expect(eth0=UP)
    h.ip("route replace default via 10.2.0.254")
    h.expect(eth1=UP)


@row
def route_unreachable(h):
    """A default route that refuses all is that of no link."""
    two_lans(h)
    h.ip("route add default via 10.2.0.254")
    h.ip("route add unreachable default metric 4000")
    h.ip("route add blackhole default table 7")
    h.ip("-6 route add unreachable default metric 4000")
    h.expect(eth1=UP)


@row
def route_of_a_proxy(h):
    """A transparent proxy has a local default route by lo in a table of its own."""
    two_lans(h)
    h.ip("route add local default dev lo table 100")
    h.expect(eth0=UP, eth1=UP)


@row
def route_none(h):
    lan_card(h, route=False)
    docker(h, h.veth("veth1"))
    h.expect(eth0=UP)


@row
def route_behind_5000(h):
    """Case r06: a router's routes, in a table of their own and in the main one."""
    two_lans(h)
    wires.batch(["route add 10.200.%d.%d/32 dev eth1 table 10" % divmod(n, 256)
                 for n in range(5000)], h.name)
    wires.batch(["route add fd77::%x/128 dev eth1" % n for n in range(1, 5001)], h.name)
    h.ip("route add default via 10.1.0.254")
    h.ip("-6 route add default via fe80::1 dev eth0")
    h.expect(eth0=UP)


# ---- the program --------------------------------------------------------------------------------------

def attempt(net, number, name):
    """(whether it is right, None if it was skipped, what to print, its log)"""
    host = None
    try:
        host = Lone(net, number)
        ROWS[name](host)
        return True, "", ""
    except Skip as error:
        return None, str(error), ""
    except Exception as error:  # pylint: disable=broad-except
        log = host.log() if host and host.starts else ""
        return False, "%s %s" % (type(error).__name__, error), log
    finally:
        if host:
            host.close()


def main():
    names = sys.argv[1:] or list(ROWS)
    if names == ["--list"]:
        print("\n".join(ROWS))
        return
    result = report.Report()
    lan.setup()
    # Modules of tunnels make a link of their own in each new namespace, unless this is set.
    try:
        with open("/proc/sys/net/core/fb_tunnels_only_for_init_net", "w") as f:
            f.write("2")
    except FileNotFoundError:
        pass
    with tempfile.TemporaryDirectory(prefix="electd-kinds.", dir="/run") as folder, \
            concurrent.futures.ThreadPoolExecutor(ROWS_AT_ONCE) as pool:
        os.environ["CREDENTIALS_DIRECTORY"] = folder
        net = Nobody(folder)
        done = {name: pool.submit(attempt, net, number, name) for number, name in enumerate(names, 1)}
        skipped = {}
        for name, future in done.items():
            good, words, log = future.result()
            if good is None:
                skipped[name] = words
            else:
                result.result(name, good, words)
            if log:
                print("".join("    %s\n" % line for line in log.splitlines()[-12:]), end="")
    result.failed += not uml.again("kinds.py", skipped)
    result.exit()


if __name__ == "__main__":
    main()
