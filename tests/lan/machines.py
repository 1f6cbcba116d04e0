#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole machines: three hosts on a LAN, one of which is special: a hypervisor, a router, a laptop,
a host of containers ... All have the links, addresses and routes of real machines.

machines.py [SCENE... | --list]: no interface is configured. The special host leads whenever its LAN
is cut off. The property is the same everywhere: each part of the LAN has one leader, check is not
OK on a host without its LAN, and all are one group when the LAN is whole again. Changes of a host
outside its LAN change nothing in the group. kinds.py tests which links of a host are used. Scenes
run at the same time, each in a process and namespaces of its own. uml.py runs the scenes whose
links this kernel lacks."""
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
from report import Failed
from wires import Skip, ip

# Longer timings than the defaults, so that a busy processor is not taken for a dead host.
BEACON_MS = 600
CONFIG = "timing = { beacon_interval_ms = %d; dead_after_ms = %d; silence_ms = %d; };" % (
    BEACON_MS, 3 * BEACON_MS, BEACON_MS)
LONE_HOLD = 2 * 3 * BEACON_MS / 1000
SCENES_AT_ONCE = 1 if "ELECTD_SLOW" in os.environ else 4
GATEWAY = "10.77.0.254"
VPN = "tun tun0; give tun0 10.8.0.2/24"

SCENES = {}


def scene(function):
    SCENES[function.__name__.replace("_", "-")] = function
    return function


class Machine(lan.Host, wires.Wires):
    """A host whose eth0 is a card, with a default route."""

    def __init__(self, net, number, config=""):
        lan.Host.__init__(self, net, number, config)
        wires.Wires.__init__(self, self.name, "m%d" % number, self.join)
        ip("link del " + self.port)
        self.sysctl("net.ipv6.conf.default.accept_dad", 0)
        self.card_comes()
        self.port = self.outlet("eth0")

    def join(self, port):
        """Wires a new cable to the LAN; scenes move the port elsewhere."""
        ip("link set %s master lan0" % port)

    def apart(self, name):
        """Takes the cable away from the LAN."""
        ip("link set %s nomaster" % self.outlet(name))

    def move_to(self, name):
        """Moves the address and the default route of the LAN to that link."""
        self.do("addr flush dev eth0; give %s %s/24; route replace default via %s" % (
            name, self.address, GATEWAY))

    def checked(self):
        return self.electctl("check").returncode

    def uses(self):
        return {path["interface"] for path in self.call("io.electd.Doctor")["paths"]}

    def role(self):
        return self.view and self.view["role"]

    def beacons(self):
        return self.counts("electd_packets_received_total").get("AYCoord", 0)

    def card_comes(self):
        self.do("card eth0; give eth0 %s/24; route add default via %s" % (self.address, GATEWAY))

    def docker(self, containers):
        self.bridge("docker0")
        for number in range(int(containers)):
            self.container(number)
        self.give("docker0", "172.17.0.1/16")

    def container(self, number):
        self.do("veth c{0}; apart c{0}; link set c{0} master docker0".format(number))


class Net(lan.Lan):
    """Three machines; the first one is the special one."""

    def __init__(self):
        super().__init__(3, CONFIG, kind=Machine)
        self.special, self.rest = self.hosts[0], self.hosts[1:]

    def together(self):
        """Waits for one group, led by the special host, which was there first."""
        self.special.start()
        self.wait("it leads alone", lambda: self.special.role() == "leader")
        for host in self.rest:
            host.start()
        self.settle()
        for host in self.hosts:
            self.well(host)

    def lead(self):
        while (before := self.leader()) is not self.special:
            before.resign()
            self.wait("another host leads", lambda: before.role() == "follower" and self.agreed())

    def well(self, host):
        lan.until("check is OK on %s" % host.name, lambda: host.checked() == 0)

    def all_use_the_card(self):
        if any(host.uses() != {"eth0"} for host in self.hosts):
            raise Failed("uses %s" % [host.uses() for host in self.hosts])

    def cut(self, why, cut, heal):
        """The special host, as the leader, loses its LAN by the steps `cut`."""
        host = self.special
        self.lead()
        mark = self.mark()
        host.do(cut)
        self.wait("%s: it does not lead" % why, lambda: host.role() == "none")
        self.wait("%s: the others have one leader" % why, lambda: self.agreed(self.rest))
        time.sleep(LONE_HOLD)   # a lonely host would lead by now
        if host.checked() == 0:
            raise Failed("%s: check is OK without the LAN" % why)
        if [h for h, _ in self.leaders_since(mark)].count(host.name) or host.role() != "none":
            raise Failed("%s: it leads without its LAN" % why)
        for other in self.rest:
            self.well(other)
        host.do(heal)
        self.settle()
        self.well(host)

    def cable(self, *names):
        names = " ".join(names or ["eth0"])
        self.cut("cable of %s pulled" % names, "pull " + names, "plug " + names)

    def beacons(self, count):
        """Waits until each follower has accepted that many more beacons of the leader."""
        heard = {host: host.beacons() for host in self.hosts if host.role() == "follower"}
        lan.until("%d beacons" % count, lambda: all(
            host.beacons() >= before + count for host, before in heard.items()))

    def unmoved(self, why, *changes, host=None):
        """Steps of one host, by default the special one, that change no group and no leader."""
        self.settle()
        leader, mark = self.leader(), self.mark()
        group = leader.group()
        for change in changes:
            (host or self.special).do(change)
            self.beacons(4)
        others = [one for one in self.groups_since(mark) if one != group]
        if others or not self.agreed() or self.leader() is not leader:
            raise Failed("%s: groups %s after %s" % (why, others, group))
        for host in self.hosts:
            self.well(host)


# ---- hypervisor, router --------------------------------------------------------------------------

@scene
def hypervisor(net):
    """The bridge, which filters VLANs if the kernel can, is made while electd runs, and takes the
    card and its address. Guests keep its carrier, and start and stop; then the card leaves the
    bridge."""
    host = net.special
    net.together()
    host.do("tap vnet0; veths-here veth1 guest1; bridge br0 eth0 vnet0 veth1")
    host.ip("link set br0 type bridge vlan_filtering 1", check=False)
    host.move_to("br0")
    lan.until("it uses br0", lambda: host.uses() == {"br0"})
    net.settle()
    net.cut("eth0 taken out of the bridge", "link set eth0 nomaster", "link set eth0 master br0")
    net.unmoved("guests start and stop", "tap vnet1; link set vnet1 master br0", "quit vnet1",
                "quit vnet0")
    net.cable()


@scene
def router(net):
    """The default route comes after many others, as with BGP: 5 000 of IPv4 in a table, 5 000 of
    IPv6 in the main one. The router also has 20 more networks without any electd."""
    host = net.special
    for number in range(1, 21):
        host.do("card v{0}; apart v{0}; give v{0} 10.{0}.0.1/24".format(number))
    host.do("routes v1 5000; route add default dev v2 table 52")
    net.together()
    net.all_use_the_card()
    net.cable()
    net.unmoved("another network goes", "pull v1", "plug v1")


# ---- laptop --------------------------------------------------------------------------------------

@scene
def laptop_with_a_vpn(net):
    """All traffic goes by the tunnel, and Docker's bridge does not replace the LAN."""
    net.special.docker(2)
    net.together()
    net.unmoved("the VPN connects", VPN + "; route replace default dev tun0")
    net.cable()
    net.unmoved("the VPN disconnects", "quit tun0; route add default via " + GATEWAY)


@scene
def laptop_whose_vpn_takes_the_lan(net):
    """The tunnel has a route to the LAN, or a rule and table for all: datagrams take the card."""
    for host in net.hosts[:2]:
        host.do(VPN)
    net.together()
    net.unmoved("a follower's VPN has a route to the LAN", "route add 10.77.0.0/25 dev tun0",
                host=net.hosts[1])
    net.unmoved("the leader's VPN takes all", "route add default dev tun0 table 51820;"
                "rule add not fwmark 0xca6c table 51820")
    net.cable()


@scene
def laptop_with_wifi(net):
    """Cable and Wi-Fi on one LAN: the cable fails, and Wi-Fi remains."""
    host = net.special
    net.together()
    net.unmoved("Wi-Fi comes with a better metric", "card wlan0; give wlan0 10.77.0.101/24;"
                "route add default via %s dev wlan0 metric 50" % GATEWAY)
    host.do("pull eth0; route del default via %s dev eth0" % GATEWAY)
    lan.until("it uses wlan0 alone", lambda: host.uses() == {"wlan0"})
    net.settle()
    net.well(host)
    host.plug("eth0")
    net.settle()
    net.cable("eth0", "wlan0")


@scene
def card_renamed(net):
    """The card is renamed while it is up, as by udev or an administrator."""
    net.together()
    net.unmoved("renamed", "link set eth0 name lan0")
    # The cable keeps its first name.
    net.cable("eth0")


# ---- containers ----------------------------------------------------------------------------------

@scene
def container_host(net):
    """Containers are restarted; the card is unplugged, and docker0 does not replace it."""
    net.special.docker(50)
    net.together()
    net.unmoved("containers are restarted", ";".join(
        "gone c%d; container %d" % (number, number) for number in range(5)))
    net.cut("the card is gone", "gone eth0", "card-comes")


@scene
def container_host_whose_card_is_late(net):
    """The card is found after electd has started, like a USB card: docker0 is used until then."""
    host = net.special
    host.do("docker 3; gone eth0")
    host.start()
    net.wait("it leads alone", lambda: host.role() == "leader")
    for other in net.rest:
        other.start()
    net.wait("the others have one leader", lambda: net.agreed(net.rest))
    host.card_comes()
    net.settle()
    net.well(host)


@scene
def isolated_lan(net):
    """No router and no DHCP, and docker0 has the same address on each host."""
    for host in net.hosts:
        host.do("-4 addr flush dev eth0; docker 3")
    net.together()
    net.all_use_the_card()
    net.cable()


@scene
def kubernetes_node(net):
    """A bridge of pods, an overlay, services, links of pods, and no default route."""
    for host in net.hosts:
        host.ip("route del default")
    host = net.special
    host.do("docker 10; veth pod1 pod2; bridge cni0 pod1 pod2; apart pod1 pod2")
    host.do("give cni0 10.244.1.1/24; give lo 10.96.0.10/32")
    host.do("add flannel.1 vxlan id 1 dstport 8472 local %s dev eth0 nolearning" % host.address)
    host.do("give flannel.1 10.244.1.0/32")
    for number in range(5):
        host.do("veth cali{0}; apart cali{0}; route add 192.168.7.{0} dev cali{0}".format(number))
    net.together()
    net.all_use_the_card()
    net.cable()


@scene
def vrrp_with_a_link_of_its_own(net):
    """A floating address is on a macvlan of its own, which moves to another host, without a default
    route. The card is a veth, because the kernel puts a macvlan upon it."""
    for host in net.hosts:
        host.do("gone eth0; veth eth0; give eth0 %s/24" % host.address)
    take = "upon eth0 vrrp.51 macvlan mode private; give vrrp.51 10.77.0.100/32"
    net.special.do(take)
    net.together()
    net.unmoved("the floating address goes", "link del vrrp.51")
    net.unmoved("another host takes it", take, host=net.rest[0])
    net.cable()


# ---- others --------------------------------------------------------------------------------------

@scene
def bond(net):
    """The traffic moves to the other card; without cables the bond keeps its own carrier."""
    net.special.do("card eth1; bond bond0 50 eth0 eth1; move-to bond0")
    net.together()
    net.unmoved("one cable pulled", "pull eth1", "plug eth1")
    net.cable("eth0", "eth1")


@scene
def vrf(net):
    """The sysctl lets a socket outside the VRF receive from it."""
    net.special.do("add blue vrf table 10; link set eth0 master blue;"
                   "route replace default via %s table 10 dev eth0;"
                   "sysctl net.ipv4.udp_l3mdev_accept 1" % GATEWAY)
    net.together()
    net.cable()


@scene
def cloud(net):
    """32-bit addresses, a router for everything, no multicast; all addresses are configured."""
    for host in net.hosts:
        host.do("addr flush dev eth0; give eth0 {0}/32; route add {1} dev eth0;"
                "route replace default via {1} dev eth0".format(host.address, GATEWAY))
        for other in net.hosts:
            if other is not host:
                host.ip("route add %s dev eth0" % other.address)
        host.without_multicast()
        host.know([other.address for other in net.hosts])
    net.together()
    net.cable()


def play(name):
    net = None
    try:
        with Net() as net:
            SCENES[name](net)
    finally:
        for host in net.hosts if net else ():
            wires.Wires.close(host)


def alone(name):
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
