#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of doc/links.md: each of their rows is a row of TABLE with the same name.

kinds.py [ROW... | --list]: each row is one host with real links of that kind, and an electd with a
configuration only if the row gives one. Only a kernel shows what netlink reports of each kind of
link, and when. If this kernel lacks the links of a row, uml.py runs the row under another kernel.
tests/unit/net has the netlink messages of rows that are skipped there, too."""
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

# Rows mostly wait, so several run at once.
ROWS_AT_ONCE = 6
STAYS = 0.3

# Below the name of a row are its steps; `;` or the end of the line ends a step. A step that begins
# with an object of ip(8) is an ip command on the host. The other verbs are methods of Lone and of
# wires.Wires: `give LINK` gives 10.1.0.5/24, `bond LINK MIIMON CARD...` makes a bond. These judge:
#   uses LINK...         electd uses exactly these links, and keeps using them; `!LINK`: without a
#                        carrier. `ADDRESS`: this address is used, too; `!ADDRESS`: it is not. The
#                        first such step starts electd.
#   follows LINK CABLE...    Exactly that link is used, and loses its carrier with these cables.
#   says PATTERN         status, check or doctor reports this.
#   check ok|wrong       The exit status of `electctl check`.
TABLE = """
# ---- Ethernet ----

ethernet:
    lan-card eth0; route add default via 10.1.0.254; follows eth0 eth0; plug eth0; uses eth0
ethernet-without-address:
    # electd waits for the address of eth0. It never takes docker0, even if eth0 is switched off.
    silent; card eth0; docker; uses; give eth0; uses eth0; link set eth0 down; uses
ethernet-switched-off:
    lan-card eth0; route add default via 10.1.0.254; uses eth0
    link set eth0 down; uses; says eth0.*(switched off|down)
ethernet-not-authenticated:
    # 802.1X: the cable has a carrier, and the switch lets nothing pass yet.
    lan-card eth0; route add default via 10.1.0.254; uses eth0
    pull eth0; link set eth0 mode dormant; plug eth0; uses !eth0; link set eth0 state up; uses eth0
ethernet-next-to-usb0:
    # The card of a management controller has a link-local address for this host only.
    lan-card eth0; card usb0; give usb0 169.254.3.1/24 scope link; uses eth0
    pull eth0; addr del 10.1.0.5/24 dev eth0; sysctl net.ipv6.conf.eth0.disable_ipv6 1; uses
two-cards:
    # Without a default route, each link may be the LAN.
    lan-card eth0 eth1; uses eth0 eth1; pull eth1; uses eth0 !eth1

# ---- bond, team ----

bond:
    card eth0 eth1; bond bond0 100 eth0 eth1; give bond0; uses bond0; pull eth0; follows bond0 eth1
bond-without-miimon:
    # The bond never loses its own carrier.
    card eth0 eth1; bond bond0 0 eth0 eth1; give bond0; follows bond0 eth0 eth1
bond-without-slaves:
    lan-card eth0; bond bond0 100; give bond0 10.9.0.5/24; uses eth0
team:
    card eth0; link add team0 type team; link set eth0 down; link set eth0 master team0
    link set eth0 up; link set team0 up; give team0; follows team0 eth0

# ---- VLAN, macvlan, ipvlan, macvtap ----

vlan:
    silent; card eth0; upon eth0 eth0.10 vlan id 10; give eth0.10; follows eth0.10 eth0
vlan-loose:
    # The VLAN's own carrier does not follow that of its parent.
    silent; card eth0; upon eth0 eth0.10 vlan id 10 loose_binding on
    give eth0.10; follows eth0.10 eth0
vlan-of-bond:
    silent; card eth0; bond bond0 0 eth0; upon bond0 bond0.10 vlan id 10
    give bond0.10; follows bond0.10 eth0
vlan-of-bridge:
    # On a hypervisor, the port of the guest keeps the bridge's carrier.
    silent; card eth0; tap vnet0; bridge br0 eth0 vnet0; upon br0 br0.10 vlan id 10
    give br0.10; follows br0.10 eth0
vlan-of-vlan:
    silent; card eth0; upon eth0 eth0.10 vlan id 10 loose_binding on
    upon eth0.10 eth0.10.20 vlan id 20 loose_binding on; give eth0.10.20; follows eth0.10.20 eth0
macsec:
    silent; card eth0; upon eth0 macsec0 macsec; give macsec0; follows macsec0 eth0
macvlan:
    # The parent is a link of this host: a veth, because the kernel puts no macvlan upon another.
    silent; veth eth0; upon eth0 mac0 macvlan mode bridge; give mac0; follows mac0 eth0
macvlan-of-bridge:
    card eth0; tap vnet0; bridge br0 eth0 vnet0; upon br0 mac0 macvlan mode bridge; give mac0
    named mac0; follows mac0 eth0
macvlan-of-another-host:
    # As in a container: the parent is invisible, so the link is treated like a card.
    lan-card eth0; veth eth1; give eth1 10.2.0.5/24; follows eth0 eth0
ipvlan:
    silent; card eth0; upon eth0 ipv0 ipvlan mode l2; give ipv0; follows ipv0 eth0
macvtap:
    # The link belongs to a guest. If there is a card, electd uses the link only by name.
    lan-card eth0; veth eth1; upon eth1 macvtap0 macvtap mode bridge; give macvtap0 10.3.0.5/24
    uses eth0

# ---- bridges ----

bridge:
    # The port of a guest keeps the bridge's own carrier.
    card eth0; tap vnet0; bridge br0 eth0 vnet0; give br0; route add default via 10.1.0.254
    follows br0 eth0; says no carrier.*eth0|eth0.*no carrier; plug eth0; uses br0
bridge-with-two-cables:
    card eth0 eth1; tap vnet0; bridge br0 eth0 eth1 vnet0; give br0; uses br0
    pull eth0; follows br0 eth1
bridge-on-a-bond:
    card eth0; bond bond0 0 eth0; tap vnet0; bridge br0 bond0 vnet0; give br0; follows br0 eth0
bridge-on-a-vlan-of-a-bond:
    # A bridge for each VLAN, as on many hypervisors.
    card eth0; bond bond0 0 eth0; upon bond0 bond0.10 vlan id 10; tap vnet0
    bridge br10 bond0.10 vnet0; give br10; follows br10 eth0
bridge-port-blocked:
    # The card forwards after four seconds of spanning tree, the guest's port at once.
    card eth0; tap vnet0; bridge br0 vnet0; give br0
    link set br0 type bridge stp_state 1 forward_delay 200; link set eth0 master br0
    uses !br0; uses br0
bridge-without-its-card:
    # The card is taken out of the bridge, or is unplugged like a USB card.
    card eth0; tap vnet0; bridge br0 eth0 vnet0; give br0; route add default via 10.1.0.254
    uses br0; gone eth0; uses !br0
bridge-of-containers-as-lan:
    # The bridge is a LAN within one machine, and is configured by name; each port is a container's.
    veth veth1 veth2; bridge br0 veth1 veth2; give br0; named br0; uses br0
    pull veth1; follows br0 veth2
docker0-idle:
    # The LAN has only link-local addresses, and docker0 has a better address.
    card eth0; docker; uses eth0
docker0-with-containers:
    card eth0; veth veth1 veth2; docker veth1 veth2; follows eth0 eth0
docker0-alone:
    # This host has no LAN, and takes the only link that it has.
    veth veth1; docker veth1; uses docker0
virbr0:
    # virbr0 with running guests, on a laptop whose card has no address yet.
    card eth0; tap vnet0 vnet1; bridge virbr0 vnet0 vnet1; give virbr0 192.168.122.1/24; uses eth0

# ---- containers ----

veth-of-a-container:
    veth eth0; give eth0; route add default via 10.1.0.254; follows eth0 eth0
docker-in-a-container:
    veth eth0; give eth0; veths-here veth1 veth2; docker veth1; uses eth0
veth-within-the-host:
    lan-card eth0; veths-here veth1 veth2; give veth1 10.3.0.5/24; uses eth0
calico:
    # The links have no address, or the same 169.254.1.1 as their gateway.
    lan-card eth0; veth cali0 cali1 cali2; route add 192.168.7.1 dev cali0
    route add 192.168.7.2 dev cali1; route add 192.168.7.3 dev cali2; uses eth0

# ---- tunnels and point-to-point links with the default route of the host ----

tun:
    lan-card eth0; tun tun0; vpn tun0; uses eth0; named tun0; uses tun0
tap:
    lan-card eth0; tap tap0; give tap0 10.8.0.2/24; uses eth0; named tap0; uses tap0
    link set tap0 down; link set tap0 up; quit tap0; uses
wireguard:
    # WireGuard cannot multicast unless that is switched on.
    lan-card eth0; add wg0 wireguard; vpn wg0; uses eth0; named eth0 wg0; uses eth0
    says wg0.*multicast; link set wg0 multicast on; uses eth0 wg0
gre:
    lan-card eth0; add gre1 gre remote 10.1.0.9 local 10.1.0.5; vpn gre1; uses eth0
    named gre1; link set gre1 multicast on; uses gre1
gretap:
    lan-card eth0; add gretap1 gretap remote 10.1.0.9 local 10.1.0.5; vpn gretap1; uses eth0
ipip:
    lan-card eth0; add ipip1 ipip remote 10.1.0.9 local 10.1.0.5; vpn ipip1; uses eth0
sit:
    lan-card eth0; add sit1 sit remote 10.1.0.9 local 10.1.0.5; vpn sit1; uses eth0
vxlan:
    lan-card eth0; add flannel1 vxlan id 4 dstport 4789 local 10.1.0.5; vpn flannel1; uses eth0
    named flannel1; uses flannel1
geneve:
    lan-card eth0; add gnv1 geneve id 4 remote 10.1.0.9; vpn gnv1; uses eth0
ppp:
    lan-card eth0; ppp; addr add 10.8.0.2 peer 10.8.0.1 dev ppp0; route add default dev ppp0
    uses eth0
bridge-of-a-tunnel:
    # A VPN that joins LANs: the bridge has the card and a vxlan, and electd follows the card.
    card eth0; add vx1 vxlan id 4 dstport 4789 remote 10.1.0.9 dev eth0; bridge br0 eth0 vx1
    give br0; follows br0 eth0

# ---- others ----

vrf:
    # electd uses the member; the VRF has a link of its own, which is no LAN.
    add blue vrf table 10; card eth0; link set eth0 master blue; give eth0
    route add default via 10.1.0.254 table 10; uses eth0
dummy:
    lan-card eth0; add dummy0 dummy; give dummy0 10.9.9.9/32; uses eth0
    link set dummy0 multicast on; uses eth0; named dummy0; uses dummy0
loopback:
    # A router's address on lo: electd uses lo only if it is configured by its exact name.
    lan-card eth0; give lo 10.9.9.9/32; uses eth0; named *; uses eth0; named lo; uses lo
altname:
    lan-card eth0; route add default via 10.1.0.254; link property add dev eth0 altname enp0s31f6
    named enp0s31f6; uses eth0
    link property add dev eth0 altname LONGNAME; named xxxx*; uses eth0
named-and-missing:
    lan-card eth0; route add default via 10.1.0.254; named eth0 eth7
    uses eth0; says eth7; check ok
named-and-switched-off:
    lan-card eth0; route add default via 10.1.0.254; card eth1; link set eth1 down
    named eth0 eth1; uses eth0; says eth1; check ok
more-than-16:
    # electd reports the links that it leaves out, and prefers those with a carrier. Four links lose
    # their carrier before electd starts, because electd keeps a link that it uses.
    silent; veths 20; pull v1 v2 v3 v4; dark v1 v2 v3 v4; named v*
    uses v5 v6 v7 v8 v9 v10 v11 v12 v13 v14 v15 v16 v17 v18 v19 v20; check wrong
    says 16.*network.interfaces

# ---- addresses ----

address-permanent:
    lan-card eth0; route add default via 10.1.0.254; uses eth0 10.1.0.5
address-leased:
    card eth0; give eth0 10.1.0.5/24 valid_lft 60 preferred_lft 60; uses eth0 10.1.0.5
    addr del 10.1.0.5/24 dev eth0; give eth0 10.1.0.6/24 valid_lft 60 preferred_lft 60
    uses eth0 10.1.0.6
address-169-254:
    # eth0 has only a link-local address; a later lease takes its place.
    card eth0; give eth0 169.254.7.7/16 scope link; docker; uses eth0 169.254.7.7
    give eth0 10.1.0.5/24 valid_lft 60 preferred_lft 60; uses eth0 10.1.0.5
address-ipv6-link-local:
    card eth0; docker; uses eth0; only fe80:
address-floating:
    # A hook adds an address while this host leads: it never becomes the host's own address.
    lan-card eth0; route add default via 10.1.0.254; uses eth0 10.1.0.5; leads
    give eth0 10.1.0.100/24; uses eth0 10.1.0.5 !10.1.0.100
address-of-the-leader:
    # An address with a lifetime looks leased, but this one never becomes the host's own address.
    lan-card eth0; route add default via 10.1.0.254; floats 10.1.0.100; uses eth0 10.1.0.5
    give eth0 10.1.0.100/32 valid_lft 60 preferred_lft 0; addr del 10.1.0.5/24 dev eth0
    uses eth0 !10.1.0.100 !10.1.0.5; give eth0 10.1.0.5/24; uses eth0 10.1.0.5 !10.1.0.100
address-of-32-bits:
    # As in clouds: the router is in no subnet of the host.
    card eth0; give eth0 10.1.0.5/32; route add 169.254.1.1 dev eth0
    route add default via 169.254.1.1 dev eth0; uses eth0 10.1.0.5
address-with-a-peer:
    # ip(8) prints the peer's address first; electd uses this host's own address.
    card eth0; addr add 10.1.0.5 peer 10.1.0.1/32 dev eth0; route add default via 10.1.0.1
    uses eth0 10.1.0.5 !10.1.0.1

# ---- the default route; where there are eth0 and eth1, either may be chosen ----

route-in-main:
    lan-card eth0 eth1; route add default via 10.2.0.254; uses eth1
route-of-ipv6:
    # A router advertisement gives a default route of IPv6; IPv4 has none.
    lan-card eth0 eth1; -6 route add default via fe80::1 dev eth1 proto ra; uses eth1
route-of-a-source:
    lan-card eth0 eth1; -6 route add default from fd00:2::/64 via fe80::1 dev eth1; uses eth1
route-in-another-table:
    # Another table chooses the link only if the main table has no default route.
    lan-card eth0 eth1; route add default via 10.2.0.254 table 52; uses eth1
    route add default via 10.1.0.254; uses eth0
route-by-a-nexthop-object:
    lan-card eth0 eth1; sysctl net.ipv4.nexthop_compat_mode 0
    nexthop add id 7 via 10.1.0.254 dev eth0; route add default nhid 7; uses eth0
    nexthop replace id 7 via 10.2.0.254 dev eth1; uses eth1
route-by-a-nexthop-group:
    lan-card eth0 eth1 eth2; sysctl net.ipv4.nexthop_compat_mode 0
    nexthop add id 7 via 10.1.0.254 dev eth0; nexthop add id 8 via 10.2.0.254 dev eth1
    nexthop add id 9 group 7/8; route add default nhid 9; uses eth0 eth1
route-of-several-hops:
    lan-card eth0 eth1 eth2
    route add default nexthop via 10.1.0.254 dev eth0 nexthop via 10.2.0.254 dev eth1
    uses eth0 eth1
route-by-several:
    # Wi-Fi and a cable: both are used whatever their metrics are, so that either may fail.
    lan-card eth0 eth1; route add default via 10.1.0.254 metric 100
    route add default via 10.2.0.254 metric 600; uses eth0 eth1; pull eth0; uses !eth0 eth1
route-by-a-tunnel:
    # A VPN takes all traffic: the LAN keeps its address, and is used as without the VPN.
    lan-card eth0; route add default via 10.1.0.254; veth veth1; docker veth1; uses eth0
    tun tun0; route del default; vpn tun0; uses eth0
route-by-a-tunnel-at-start:
    lan-card eth0; veth veth1; docker veth1; tun tun0; vpn tun0; uses eth0
route-by-a-tunnel-and-a-card:
    lan-card eth0 eth1; route add default via 10.1.0.254 metric 100
    tun tun0; give tun0 10.8.0.2/24; route add default dev tun0 metric 50; uses eth0
route-by-two-halves:
    lan-card eth0 eth1; route add default via 10.1.0.254; tun tun0; give tun0 10.8.0.2/24
    route add 0.0.0.0/1 dev tun0; route add 128.0.0.0/1 dev tun0; uses eth0
route-lost:
    # Docker's bridge does not replace the LAN, whose default route is gone with its cable.
    lan-card eth0; route add default via 10.1.0.254; veth veth1; docker veth1; uses eth0
    pull eth0; route del default; addr del 10.1.0.5/24 dev eth0
    sysctl net.ipv6.conf.eth0.disable_ipv6 1; uses
route-moves:
    lan-card eth0 eth1; route add default via 10.1.0.254; uses eth0
    route replace default via 10.2.0.254; uses eth1
route-unreachable:
    # A default route that refuses all packets belongs to no link.
    lan-card eth0 eth1; route add default via 10.2.0.254
    route add unreachable default metric 4000; route add blackhole default table 7
    -6 route add unreachable default metric 4000; uses eth1
route-of-a-proxy:
    # A transparent proxy has a local default route by lo in a table of its own.
    lan-card eth0 eth1; route add local default dev lo table 100; uses eth0 eth1
route-none:
    lan-card eth0; veth veth1; docker veth1; uses eth0
route-behind-5000:
    lan-card eth0 eth1; routes eth1 5000; route add default via 10.1.0.254
    -6 route add default via fe80::1 dev eth0; uses eth0
"""
ROWS = {name: [step.strip() for line in lines.splitlines() if not line.strip().startswith("#")
               for step in line.split(";")] for name, lines in
        re.findall(r"^([a-z0-9-]+):\n((?: +.*\n)+)", TABLE.replace("LONGNAME", "x" * 120), re.M)}


class Nobody:
    """Replaces lan.Lan for a host that has no LAN."""
    family = None

    def __init__(self, folder):
        self.dir = folder

    def wanted(self, host):
        pass

    def gone(self, host):
        pass


class Lone(lan.Host, wires.Wires):
    """A host with the links that a row gives it."""

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
        # No address is in use twice here, so the kernel needs no duplicate address detection.
        self.sysctl("net.ipv6.conf.default.accept_dad", 0)

    def lan_card(self, name):
        """Cards with addresses: 10.1.0.5/24 for number 0, and so on."""
        self.card(name)
        self.give(name, "10.%d.0.5/24" % (int(name[-1]) + 1))

    def silent(self):
        """New links have no link-local address of IPv6 from now on."""
        self.sysctl("net.ipv6.conf.default.addr_gen_mode", 1)

    def docker(self, *ports):
        self.bridge("docker0", *ports)
        self.give("docker0", "172.17.0.1/16")

    def vpn(self, name):
        self.give(name, "10.8.0.2/24")
        self.ip("route add default dev " + name)

    def veths(self, count):
        for number in range(1, int(count) + 1):
            self.veth("v%d" % number)
            self.give("v%d" % number, "10.%d.0.1/24" % number)

    def dark(self, *names):
        for name in names:
            lan.until("%s has no carrier" % name,
                      lambda name=name: "NO-CARRIER" in self.ip("link show " + name))

    def named(self, *names):
        self.write_config("network = { interfaces = [ %s ]; };" %
                          ", ".join('"%s"' % name for name in names))
        if self.process:
            done = self.electctl("reload")
            if done.returncode:
                raise Failed("reload: %s" % done.stderr)

    def floats(self, address):
        self.write_config('addresses = [ "%s" ];' % address)

    def paths(self):
        """{interface: whether it has a carrier} of what electd uses, and the addresses"""
        try:
            answer = self.call("io.electd.Doctor")["paths"]
        except (OSError, ConnectionError):    # electd does not listen yet
            return None, set()
        return ({p["interface"]: p["carrier"] for p in answer},
                {p["address"].split("%")[0] for p in answer})

    def uses(self, *words):
        if not self.process:
            self.start()
        asked = {word.strip("!"): word[0] != "!" for word in words}
        links = {name: carrier for name, carrier in asked.items() if not name[0].isdigit()}
        used = {name: wanted for name, wanted in asked.items() if name[0].isdigit()}
        end = lan.now() + lan.PATIENCE
        right_since = None
        while True:
            found, addresses = self.paths()
            if found != links or any((name in addresses) != used[name] for name in used):
                right_since = None
            elif right_since is None:
                right_since = lan.now()
            elif lan.now() - right_since > STAYS:
                return
            if lan.now() > end:
                raise Failed("uses %s %s" % (found, sorted(addresses)))
            time.sleep(0.05)

    def follows(self, name, *cables):
        self.uses(name)
        self.pull(*cables)
        self.uses("!" + name)

    def only(self, beginning):
        if any(not address.startswith(beginning) for address in self.paths()[1]):
            raise Failed("uses %s" % (self.paths()[1],))

    def says(self, *pattern):
        pattern, words = " ".join(pattern), ""
        end = lan.now() + lan.PATIENCE
        while not re.search(pattern, words, re.S):
            if lan.now() > end:
                raise Failed("nothing like %r is reported: %s" % (pattern, words[-1500:]))
            words = "".join(lan.run("nsenter", "--net=/run/netns/" + self.name, lan.ELECTCTL,
                                    "--socket", self.socket_path, verb, check=False).stdout
                            for verb in ("status", "check", "doctor"))

    def check(self, word):
        done = self.electctl("check")
        if (done.returncode == 0) != (word == "ok"):
            raise Failed("check: exit %d: %s" % (done.returncode, done.stdout))

    def leads(self):
        lan.until("it leads", lambda: "leads" in self.electctl("status").stdout)

    def close(self):
        if self.process:
            self.kill()
        wires.Wires.close(self)
        ip("netns del " + self.name)


def attempt(net, number, name):
    """Returns (whether the row is right, None if it was skipped; what to print; its log)."""
    host = step = None
    try:
        host = Lone(net, number)
        for step in ROWS[name]:
            host.do(step)
        return True, "", ""
    except Skip as error:
        return None, str(error), ""
    except Exception as error:  # pylint: disable=broad-except
        log = host.log() if host and host.starts else ""
        return False, "%s: %s %s" % (step, type(error).__name__, error), log
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
    # Modules of tunnels make a link in each new namespace, unless this is set.
    try:
        with open("/proc/sys/net/core/fb_tunnels_only_for_init_net", "w") as f:
            f.write("2")
    except FileNotFoundError:
        pass
    with tempfile.TemporaryDirectory(prefix="electd-kinds.", dir="/run") as folder, \
            concurrent.futures.ThreadPoolExecutor(ROWS_AT_ONCE) as pool:
        os.environ["CREDENTIALS_DIRECTORY"] = folder
        net = Nobody(folder)
        done = {name: pool.submit(attempt, net, number, name)
                for number, name in enumerate(names, 1)}
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
