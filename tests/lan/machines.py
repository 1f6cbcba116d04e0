#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole machines as people have them: three hosts on a LAN, one of which is a hypervisor, a router, a
laptop, a host of containers …, and all of which have real cards' links, addresses and routes.

machines.py [SCENE... | --list]: nothing is configured but where a scene says so. The special host leads
whenever its LAN is cut off, and the property is the same everywhere: each part of the LAN has one leader,
check is not OK on a host without its LAN, and all are one group when the LAN is whole again. What
changes on a host outside its LAN changes nothing for the group. Scenes run side by side, each in a
process and namespaces of its own; those whose links this kernel lacks are run by uml.py.
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import time

import lan
import report
import uml
import wires
from lan import LONE_HOLD
from report import Failed
from wires import Skip, ip

SCENES_AT_ONCE = 1 if "ELECTD_SLOW" in os.environ else 4
ROUTES = 5000
VETHS = 50
GATEWAY = "10.77.0.254"

SCENES = {}


def scene(function):
    SCENES[function.__name__.replace("_", "-")] = function
    return function


class Machine(lan.Host, wires.Wires):
    """A host whose eth0 is a card, and that has a default route."""

    def __init__(self, net, number, config=""):
        lan.Host.__init__(self, net, number, config)
        wires.Wires.__init__(self, self.name, "m%d" % number, self.join)
        ip("link del " + self.port)
        self.sysctl("net.ipv6.conf.default.accept_dad", 0)
        self.card("eth0")
        self.port = self.outlet("eth0")
        self.give("eth0", self.address + "/24")
        self.ip("route add default via " + GATEWAY)

    def join(self, port):
        """All cables lead to the one LAN; who wants another moves its port."""
        ip("link set %s master lan0" % port)

    def apart(self, name):
        """Its cable leads to no LAN of the others."""
        ip("link set %s nomaster" % self.outlet(name))

    def without_address(self, name="eth0"):
        self.ip("addr flush dev " + name)

    def move_to(self, name):
        """Address and default route of the LAN are there from now on."""
        self.without_address()
        self.give(name, self.address + "/24")
        self.ip("route replace default via " + GATEWAY)

    def checked(self):
        return self.electctl("check").returncode

    def uses(self):
        return {path["interface"] for path in self.call("io.electd.Doctor")["paths"]}

    def role(self):
        return self.view and self.view["role"]


class Net(lan.Lan):
    """Of three machines; the first one is the special one."""

    def __init__(self):
        super().__init__(3, "", kind=Machine)
        self.special, self.rest = self.hosts[0], self.hosts[1:]

    def together(self):
        """It leads, for it was there first."""
        self.special.start()
        self.wait("it leads alone", lambda: self.special.role() == "leader")
        for host in self.rest:
            host.start()
        self.settle()
        for host in self.hosts:
            self.well(host)

    def lead(self):
        """The special one leads: leadership is handed on until it does."""
        while (before := self.leader()) is not self.special:
            before.resign()
            self.wait("another one leads", lambda: before.role() == "follower" and self.agreed())

    def well(self, host):
        lan.until("check is OK on %s" % host.name, lambda: host.checked() == 0)

    def cut(self, why, cut, heal):
        """The special one loses its LAN, as the leader."""
        host = self.special
        self.settle()
        self.lead()
        cut()
        self.wait("%s: it does not lead" % why, lambda: host.role() == "none")
        self.wait("%s: the others have one leader" % why, lambda: self.agreed(self.rest))
        mark = self.mark()
        time.sleep(2 * LONE_HOLD)
        if any(h is host and e["status"]["role"] == "leader" for _, h, e in self.since(mark)):
            raise Failed("%s: it leads without its LAN" % why)
        if host.checked() == 0:
            raise Failed("%s: check is OK without the LAN" % why)
        for other in self.rest:
            self.well(other)
        heal()
        self.settle()
        self.well(host)

    def cable(self, *names):
        names = names or ("eth0",)
        self.cut("cable of %s pulled" % " and ".join(names), lambda: self.special.pull(*names),
                 lambda: self.special.plug(*names))

    def unmoved(self, why, *changes):
        """What is no matter of the LAN changes no group and no leader."""
        self.settle()
        mark = self.mark()
        for change in changes:
            change()
            time.sleep(0.5)
        time.sleep(lan.DEAD_AFTER + 2 * lan.BEACON)
        if len(self.groups_since(mark)) > 1 or not self.agreed():
            raise Failed("%s: groups %s" % (why, self.groups_since(mark)))
        for host in self.hosts:
            self.well(host)


# ---- hypervisor -------------------------------------------------------------------------------------

def guests(host):
    host.bridge("br0", "eth0", host.tap("vnet0"), host.add("veth1", "veth peer name guest1"))
    host.ip("link set guest1 up")
    return host


@scene
def hypervisor(net):
    """Case r01."""
    host = guests(net.special)
    host.move_to("br0")
    net.together()
    net.cable()
    net.cut("eth0 taken out of the bridge", lambda: host.ip("link set eth0 nomaster"),
            lambda: host.ip("link set eth0 master br0"))

    def starts():
        host.tap("vnet1")
        host.ip("link set vnet1 master br0")
    net.unmoved("guests start and stop", starts, lambda: host.quit("vnet1"),
                lambda: host.quit("vnet0"))
    net.cable()


@scene
def hypervisor_card_unplugged(net):
    """A USB card, or a virtual function that is given to a guest."""
    host = guests(net.special)
    host.move_to("br0")
    net.together()

    def back():
        host.card("eth0")
        host.ip("link set eth0 master br0")
    net.cut("the card is gone", lambda: host.gone("eth0"), back)


@scene
def hypervisor_that_is_made(net):
    """The bridge is made, and takes the card and its address, while electd runs."""
    host = net.special
    net.together()
    guests(host)
    host.move_to("br0")
    net.settle()
    net.well(host)
    net.cable()


@scene
def hypervisor_with_a_bridge_of_vlans(net):
    """One bridge for all VLANs, the untagged one of which is the LAN."""
    host = guests(net.special)
    host.ip("link set br0 type bridge vlan_filtering 1")
    host.move_to("br0")
    net.together()
    net.cable()


@scene
def hypervisor_with_vlans(net):
    """The LAN is VLAN 10 of the bridge."""
    for host in net.rest:
        host.upon("eth0", "eth0.10", "vlan id 10")
        host.move_to("eth0.10")
    host = guests(net.special)
    host.upon("br0", "br0.10", "vlan id 10")
    host.upon("br0", "br0.20", "vlan id 20")
    host.move_to("br0.10")
    net.together()
    net.cable()


# ---- router -----------------------------------------------------------------------------------------

def many_routes(host, dev):
    """As a router has them that speaks BGP: 5 000 of IPv4 in a table, 5 000 of IPv6 in the main one."""
    wires.batch(["route add 10.200.%d.%d/32 dev %s table 10" % (*divmod(n, 256), dev)
                 for n in range(ROUTES)] +
                ["route add fd77::%x/128 dev %s" % (n, dev) for n in range(1, ROUTES + 1)], host.name)


def networks(host, count):
    """Cards to networks of the router's, in which no electd is."""
    for number in range(1, count + 1):
        host.card("v%d" % number)
        host.apart("v%d" % number)
        host.give("v%d" % number, "10.%d.0.1/24" % number)


@scene
def router(net):
    """Case r06: the default route is behind many, and is found."""
    host = net.special
    networks(host, 20)
    many_routes(host, "v1")
    host.ip("route add default dev v2 table 52")
    net.together()
    if host.uses() != {"eth0"}:
        raise Failed("uses %s" % host.uses())
    net.cable()
    net.unmoved("another network goes", lambda: host.pull("v1"), lambda: host.plug("v1"))


@scene
def router_with_a_wan(net):
    """Its default route goes by PPP; its LAN is named, as the manual says for a host with many."""
    host = net.special
    networks(host, 20)
    host.ip("addr add 100.64.0.2 peer 100.64.0.1 dev " + host.tun("ppp0"))
    host.ip("route replace default dev ppp0")
    host.write_config('network = { interfaces = [ "eth0" ]; };')
    net.together()
    net.cable()
    net.unmoved("the WAN goes and comes", lambda: host.ip("link set ppp0 down"),
                lambda: host.ip("link set ppp0 up"),
                lambda: host.ip("route add default dev ppp0"))


@scene
def router_with_a_wan_and_twenty_networks(net):
    """Nothing is named: there are more networks than electd uses, and this is reported."""
    host = net.special
    networks(host, 20)
    host.ip("addr add 100.64.0.2 peer 100.64.0.1 dev " + host.tun("ppp0"))
    host.ip("route replace default dev ppp0")
    net.start()
    net.settle()
    lan.until("check is not OK", lambda: host.checked() != 0)


@scene
def router_with_twenty_lans(net):
    """Case s05: what is not used is reported where it matters."""
    host = net.special
    host.ip("link set eth0 down")
    networks(host, 20)
    ip("link set %s master lan0" % host.outlet("v20"))
    host.write_config('network = { interfaces = [ "v*" ]; };')
    for other in net.rest:
        other.without_address()
        other.give("eth0", "10.20.0.%d/24" % other.number)
    net.start()
    net.wait("the others are one group", lambda: net.one_group(net.rest) and host.role())
    lan.until("all are one group, or check is not OK", lambda: net.agreed() or host.checked())


# ---- laptop -----------------------------------------------------------------------------------------

def vpn(host):
    host.give(host.tun("tun0"), "10.8.0.2/24")


@scene
def laptop_with_a_full_tunnel(net):
    host = net.special
    docker(host, 2)
    net.together()

    def connect():
        vpn(host)
        host.ip("route replace default dev tun0")

    def disconnect():
        host.quit("tun0")
        host.ip("route add default via " + GATEWAY)
    net.unmoved("the VPN connects", connect)
    net.cable()
    net.unmoved("the VPN disconnects", disconnect)
    net.cable()


@scene
def laptop_that_starts_in_a_tunnel(net):
    host = net.special
    docker(host, 2)
    vpn(host)
    host.ip("route replace default dev tun0")
    net.together()
    net.cable()
    net.unmoved("the VPN disconnects", lambda: host.quit("tun0"),
                lambda: host.ip("route add default via " + GATEWAY))


@scene
def laptop_with_a_split_tunnel(net):
    host = net.special
    net.together()

    def connect():
        vpn(host)
        for words in "0.0.0.0/1", "128.0.0.0/1", "10.0.0.0/8":
            host.ip("route add %s dev tun0" % words)
    net.unmoved("the VPN connects", connect)
    net.cable()


@scene
def laptop_whose_vpn_takes_the_lan(net):
    """Case s01: a route to the LAN itself by the tunnel, or a rule and table for all."""
    for host in net.hosts[:2]:
        vpn(host)
    net.together()

    def lan_by_tunnel():
        net.hosts[1].ip("route add 10.77.0.0/25 dev tun0")

    def rule():
        net.special.ip("route add default dev tun0 table 51820")
        net.special.ip("rule add not fwmark 0xca6c table 51820")
    net.unmoved("a follower's VPN has a route to the LAN", lan_by_tunnel)
    net.unmoved("the leader's VPN takes all", rule)
    net.cable()


@scene
def laptop_with_wifi(net):
    """Cable and Wi-Fi on one LAN; then the cable goes, and Wi-Fi remains."""
    host = net.special
    net.together()

    def wifi():
        host.card("wlan0")
        host.give("wlan0", "10.77.0.101/24")
        host.ip("route add default via %s dev wlan0 metric 50" % GATEWAY)
    net.unmoved("Wi-Fi comes with a better metric", wifi)

    def cable_goes():
        host.pull("eth0")
        host.ip("route del default via %s dev eth0" % GATEWAY)
    cable_goes()
    time.sleep(2 * LONE_HOLD)
    net.settle()
    net.well(host)
    host.plug("eth0")
    net.settle()
    net.cable("eth0", "wlan0")


@scene
def laptop_that_goes_on_by_lte(net):
    """The cable is pulled, and the network manager routes by another card, where nobody else is: a part of
    its own. It is one group again as soon as the cable is back."""
    host = net.special
    host.card("lte0")
    host.apart("lte0")
    host.give("lte0", "192.168.8.100/24")
    net.together()
    host.pull("eth0")
    host.ip("route del default")
    host.ip("route add default via 192.168.8.1")
    lan.until("it uses lte0", lambda: "lte0" in host.uses())
    net.wait("the others have one leader", lambda: net.agreed(net.rest))
    host.ip("route del default")
    host.plug("eth0")
    host.ip("route add default via " + GATEWAY)
    net.settle()


@scene
def card_renamed(net):
    """As udev or an administrator does while the card is up."""
    host = net.special
    net.together()
    net.unmoved("renamed", lambda: host.ip("link set eth0 name lan0"))
    # Its cable has the name that it began with.
    net.cable("eth0")


# ---- containers -------------------------------------------------------------------------------------

def docker(host, containers):
    host.bridge("docker0")
    for number in range(containers):
        host.veth("c%d" % number)
        host.apart("c%d" % number)
        host.ip("link set c%d master docker0" % number)
    host.give("docker0", "172.17.0.1/16")


@scene
def container_host(net):
    host = net.special
    docker(host, VETHS)
    net.together()
    net.cable()

    def restart():
        for number in range(5):
            host.gone("c%d" % number)
            host.veth("c%d" % number)
            host.apart("c%d" % number)
            host.ip("link set c%d master docker0" % number)
    net.unmoved("containers are restarted", restart)


@scene
def container_host_card_unplugged(net):
    """The default route goes with it, and docker0 does not stand in."""
    host = net.special
    docker(host, 3)
    net.together()

    def back():
        host.card("eth0")
        host.give("eth0", host.address + "/24")
        host.ip("route add default via " + GATEWAY)
    net.cut("the card is gone", lambda: host.gone("eth0"), back)


@scene
def container_host_card_switched_off(net):
    host = net.special
    docker(host, 3)
    net.together()

    def back():
        host.ip("link set eth0 up")
        host.ip("route add default via " + GATEWAY)
    net.cut("the card is down", lambda: host.ip("link set eth0 down"), back)


@scene
def container_host_without_route(net):
    host = net.special
    for one in net.hosts:
        one.ip("route del default")
    docker(host, VETHS)
    net.together()
    if host.uses() != {"eth0"}:
        raise Failed("uses %s" % host.uses())
    net.cable()


def all_use_the_card(net):
    if any(host.uses() != {"eth0"} for host in net.hosts):
        raise Failed("uses %s" % [host.uses() for host in net.hosts])


def isolated(net, containers, address):
    """No router and no DHCP; docker0 has the same address on each host."""
    for host in net.hosts:
        host.ip("-4 addr flush dev eth0")
        if address:
            host.give("eth0", "169.254.7.%d/16" % host.number, "scope link")
        docker(host, containers)
    net.together()
    all_use_the_card(net)
    net.cable()


@scene
def isolated_lan_with_docker(net):
    """Case s07."""
    isolated(net, 0, False)


@scene
def isolated_lan_with_containers(net):
    isolated(net, 3, False)


@scene
def isolated_lan_with_169_254(net):
    isolated(net, 3, True)


def isolated_without(net, cut, heal):
    """Without a default route, and with containers that run: docker0 does not stand in."""
    for host in net.hosts:
        host.ip("route del default")
        docker(host, 3)
    net.together()
    net.cut("the card goes", lambda: cut(net.special), lambda: heal(net.special))


@scene
def isolated_lan_card_unplugged(net):
    def back(host):
        host.card("eth0")
        host.give("eth0", host.address + "/24")
    isolated_without(net, lambda host: host.gone("eth0"), back)


@scene
def isolated_lan_card_switched_off(net):
    isolated_without(net, lambda host: host.ip("link set eth0 down"),
                     lambda host: host.ip("link set eth0 up"))


@scene
def isolated_lan_address_lost(net):
    def lost(host):
        host.without_address()
        host.sysctl("net.ipv6.conf.eth0.disable_ipv6", 1)
    isolated_without(net, lost, lambda host: host.give("eth0", host.address + "/24"))


@scene
def container_host_whose_card_is_late(net):
    """A card that is found after electd has started, as USB ones are: docker0 is used until then."""
    host = net.special
    docker(host, 3)
    host.gone("eth0")
    host.start()
    net.wait("it leads alone", lambda: host.role() == "leader")
    for other in net.rest:
        other.start()
    net.wait("the others have one leader", lambda: net.agreed(net.rest))
    host.card("eth0")
    host.give("eth0", host.address + "/24")
    net.settle()
    net.well(host)
    net.cable()


@scene
def kubernetes_node(net):
    """A bridge of pods, an overlay, addresses of services, links of pods without a bridge; no default route."""
    for host in net.hosts:
        host.ip("route del default")
    host = net.special
    docker(host, 10)
    host.bridge("cni0", host.veth("pod1"), host.veth("pod2"))
    for name in "pod1", "pod2":
        host.apart(name)
        host.ip("link set %s master cni0" % name)
    host.give("cni0", "10.244.1.1/24")
    host.add("flannel.1", "vxlan id 1 dstport 8472 local %s dev eth0 nolearning" % host.address)
    host.give("flannel.1", "10.244.1.0/32")
    for number in range(5):
        host.veth("cali%d" % number)
        host.apart("cali%d" % number)
        host.ip("route add 192.168.7.%d dev cali%d" % (number + 1, number))
    host.ip("addr add 10.96.0.10/32 dev lo")
    net.together()
    if host.uses() != {"eth0"}:
        raise Failed("uses %s" % host.uses())
    net.cable()


@scene
def vrrp_with_a_link_of_its_own(net):
    """A floating address is on a macvlan of its own, which moves to another host, without a default route."""
    for host in net.hosts:
        host.ip("link del eth0")
        host.gone("eth0")
        host.veth("eth0")
        host.give("eth0", host.address + "/24")

    def take(host):
        host.upon("eth0", "vrrp.51", "macvlan mode private")
        host.give("vrrp.51", "10.77.0.100/32")
    take(net.special)
    net.together()

    def moves():
        net.special.ip("link del vrrp.51")
        take(net.rest[0])
    net.unmoved("the floating address moves", moves)
    net.cable()


@scene
def zerotier(net):
    """A VPN whose link is a tap, which has an address and a carrier; all hosts have one, for another network."""
    for host in net.hosts:
        host.ip("route del default")
        host.ip("-4 addr flush dev eth0")
        host.give(host.tap("zt0"), "10.147.17.%d/24" % host.number)
    net.together()
    all_use_the_card(net)
    net.cable()


@scene
def electd_in_a_container(net):
    """With a veth to a bridge of the machine, and Docker in Docker; the machine's cable is another."""
    host = net.special
    host.ip("link del eth0")
    host.gone("eth0")
    host.veth("eth0")
    host.give("eth0", host.address + "/24")
    host.ip("route replace default via " + GATEWAY)
    docker(host, 1)
    net.together()
    net.cable()


# ---- two cards --------------------------------------------------------------------------------------

def with_bond(net, options):
    host = net.special
    host.card("eth1")
    host.bond("bond0", "mode active-backup " + options, "eth0", "eth1")
    host.move_to("bond0")
    net.together()
    net.cable("eth0", "eth1")
    return host


@scene
def bond(net):
    host = with_bond(net, "miimon 50")
    net.unmoved("one cable pulled", lambda: host.pull("eth1"), lambda: host.plug("eth1"))


@scene
def bond_without_miimon(net):
    with_bond(net, "miimon 0")


@scene
def bond_under_a_bridge(net):
    host = net.special
    host.card("eth1")
    host.bond("bond0", "mode active-backup miimon 0", "eth0", "eth1")
    host.bridge("br0", "bond0", host.tap("vnet0"))
    host.move_to("br0")
    net.together()
    net.cable("eth0", "eth1")


@scene
def storage_network(net):
    """A second card, where no other electd is, keeps its carrier when the LAN's is gone: a part of its own.
    Its status says which card has none, and it is one group as soon as the cable is back."""
    host = net.special
    for one in net.hosts:
        one.ip("route del default")
    host.card("eth1")
    host.apart("eth1")
    host.give("eth1", "10.99.0.1/24")
    net.together()
    host.pull("eth0")
    net.wait("the others have one leader", lambda: net.agreed(net.rest))
    lan.until("status names eth0", lambda: "eth0" in host.electctl("check").stdout)
    host.plug("eth0")
    net.settle()


# ---- routes -----------------------------------------------------------------------------------------

@scene
def nexthop_object(net):
    """As FRR installs routes; then another card takes over, by the same route."""
    host = net.special
    host.card("eth1")
    host.apart("eth1")
    host.give("eth1", "10.78.0.1/24")
    host.sysctl("net.ipv4.nexthop_compat_mode", 0)
    host.ip("route del default")
    host.ip("nexthop add id 7 via %s dev eth0" % GATEWAY)
    host.ip("route add default nhid 7")
    net.together()
    if host.uses() != {"eth0"}:
        raise Failed("uses %s" % host.uses())
    net.cable()
    # Back: the kernel took the object away with the cable.
    host.ip("nexthop replace id 7 via %s dev eth0" % GATEWAY)
    host.ip("route replace default nhid 7")
    host.ip("nexthop replace id 7 via 10.78.0.254 dev eth1")
    lan.until("it uses eth1", lambda: host.uses() == {"eth1"})
    net.wait("the others have one leader", lambda: net.agreed(net.rest))
    host.ip("nexthop replace id 7 via %s dev eth0" % GATEWAY)
    net.settle()


@scene
def vrf(net):
    """Case r08: with the sysctl that lets a socket outside of the VRF hear it."""
    host = net.special
    host.add("blue", "vrf table 10")
    host.ip("link set eth0 master blue")
    host.ip("route replace default via %s table 10 dev eth0" % GATEWAY)
    host.sysctl("net.ipv4.udp_l3mdev_accept", 1)
    net.together()
    net.cable()


@scene
def cloud(net):
    """Addresses of 32 bits, a router for everything, no multicast; all addresses are named."""
    for host in net.hosts:
        host.without_address()
        host.give("eth0", host.address + "/32")
        host.ip("route add %s dev eth0" % GATEWAY)
        host.ip("route replace default via %s dev eth0" % GATEWAY)
        # A router passes on datagrams for others.
        for other in net.hosts:
            if other is not host:
                host.ip("route add %s dev eth0" % other.address)
        host.without_multicast()
        host.know([other.address for other in net.hosts])
    net.together()
    net.cable()


# ---- the program --------------------------------------------------------------------------------------

def play(name):
    net = None
    try:
        with Net() as net:
            SCENES[name](net)
    finally:
        for host in net.hosts if net else ():
            wires.Wires.close(host)


def alone(name):
    """One scene, in this process."""
    lan.setup()
    result = report.Report()
    try:
        play(name)
    except Skip as error:
        print("SKIP %s: %s" % (name, error))
        return
    except Exception as error:  # pylint: disable=broad-except
        result.result(name, False, "%s %s" % (type(error).__name__, error))
    else:
        result.result(name, True)
    result.exit()


def main():
    names = sys.argv[1:] or list(SCENES)
    if names == ["--list"]:
        print("\n".join(SCENES))
        return
    if len(names) == 1:
        alone(names[0])
        return

    def other(name):
        return subprocess.run([sys.executable, "-B", os.path.realpath(__file__), name], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    failed, skipped = 0, {}
    with concurrent.futures.ThreadPoolExecutor(SCENES_AT_ONCE) as pool:
        for name, done in zip(names, pool.map(other, names)):
            skip = re.search("^SKIP .*?: (.*)", done.stdout, re.M)
            if skip:
                skipped[name] = skip[1]
                continue
            print(done.stdout, end="", flush=True)
            failed += done.returncode == 1
            if done.returncode == 77:
                sys.exit(77)
    failed += not uml.again("machines.py", skipped)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
