/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finding_list: the only list of what doctor can find, and of what it cannot check, one row for
 * each, and nothing else. The including file defines what a row becomes: in findings.h an enum, in
 * findings.c a table. Therefore this file has no include guard.
 *
 *	FINDING(id, name, weight, words, remedy)
 *	UNLOOKED(id, what, why)
 *
 * {0} to {5} are replaced by the arguments of found(), in this order. The remedy begins with a
 * command that repairs the fault, or that shows what must be repaired by hand. FAULT: exit 6. HINT:
 * only for information. The rows below PROBLEM are problems of electctl(1): found_problem() finds
 * them by name, and takes PROBLEM for a name that has no row.
 */
#ifndef FINDING /* for editors that parse this file alone */
#define FINDING(id, name, weight, words, remedy)
#define UNLOOKED(id, what, why)
#endif

/* ---- not running ---- */
FINDING(NOT_RUNNING, "not-running", FAULT, "electd is not running on this host",
	"sudo systemctl start {0}")
FINDING(CONFIGURATION, "configuration", FAULT,
	"{0} does not start: its configuration is wrong, or names something that does not exist",
	"journalctl -u {0} -n 20 shows file, line and key; after the change: sudo electd "
	"--check-config")
FINDING(STATE_FILE, "state-file", FAULT, "{0} does not start: its state file cannot be used",
	"journalctl -u {0} -n 20 shows why: /var/lib is full, read-only, or has another owner")
FINDING(UNIT_BROKEN, "service-failed", FAULT, "{0} has failed: {1}, exit status {2}",
	"journalctl -u {0} -n 20 shows why; then sudo systemctl restart {0}")
FINDING(PORT_TAKEN, "port-taken", FAULT, "UDP port {0} is taken by {1}",
	"sudo ss -lunp 'sport = :{0}' shows it: end that program, or set network.port on all "
	"hosts")
FINDING(PORTS_TAKEN, "port-taken", FAULT,
	"no UDP port from {0} to {2} is free: {0} is taken by {1}",
	"sudo ss -lunp 'sport >= :{0} and sport <= :{2}' shows all: end those programs, or set "
	"network.unicast_ports")

/* ---- interfaces ---- */
FINDING(NO_INTERFACE, "no-interface", FAULT, "electd uses no network interface",
	"ip -br -4 address lists the interfaces: name one in network.interfaces, then sudo "
	"electctl reload")
FINDING(INTERFACE_OFF, "interface-off", FAULT, "{0} ({1}) is down", "sudo ip link set dev {0} up")
FINDING(LINK_DOWN, "link-down", FAULT, "{0} has no carrier",
	"ip link show dev {0}; then check its cable and the port of the switch")
FINDING(LINK_BELOW_DOWN, "link-down", FAULT, "{0} has no carrier, because {1} below it has none",
	"ip link show dev {1}; then check its cable and the port of the switch")
FINDING(PORT_BLOCKED, "link-down", FAULT, "{0} has no carrier: spanning tree blocks its port {1}",
	"sudo bridge -d link show dev {1}; after a change the port forwards within half a "
	"minute, unless the switches form a loop")
FINDING(PORT_LOST, "link-down", FAULT, "{0} has lost the port that led to the LAN",
	"ip -br link lists the cards: sudo ip link set CARD master {0}; if {0} should have no "
	"port, sudo systemctl stop electd, then start")
FINDING(BRIDGE_EMPTY, "bridge-empty", HINT, "electd uses {0}, a bridge without ports",
	"if the LAN is on another interface, name that one, not {0}, in network.interfaces, then "
	"sudo electctl reload")
FINDING(INTERFACE_MISSING, "interface-missing", FAULT, "{2}",
	"ip -br link lists the interfaces of this host: correct network.interfaces in "
	"electd.conf, then sudo electctl reload")
FINDING(INTERFACE_NAMED_OFF, "interface-off", FAULT, "{2}", "sudo ip link set {0} up")
FINDING(NO_MULTICAST, "no-multicast", FAULT, "{2}",
	"sudo ip link set {0} multicast on; if the link cannot carry multicast, like WireGuard, "
	"also name the hosts behind it in network.peers")
FINDING(NO_ADDRESS, "no-address", FAULT, "{2}",
	"ip -br address show dev {0}; sudo ip address add ADDRESS/BITS dev {0}, or find out why "
	"DHCP assigns none")
FINDING(INTERFACE_PORT, "interface-port", FAULT, "{2}",
	"set network.interfaces = [ \"{1}\" ] in electd.conf, then sudo electctl reload")
FINDING(INTERFACE_UNMATCHED, "interface-unmatched", HINT, "{2}",
	"ip -br link lists the interfaces of this host: if one is meant, correct "
	"network.interfaces in electd.conf, then sudo electctl reload")
FINDING(ROUTE_BY_TUNNEL, "default-route-tunnel", HINT, "{2}",
	"if the LAN is on another interface, name that one in network.interfaces, then sudo "
	"electctl reload")
FINDING(GUESTS_ONLY, "guests-only", HINT, "{2}",
	"if the LAN is on another interface, name that one in network.interfaces, then sudo "
	"electctl reload")
FINDING(LEFT_OUT, "interfaces-left-out", FAULT, "{2}",
	"ip -br link lists all: name those of electd's LANs in network.interfaces, then sudo "
	"electctl reload")
FINDING(LINKS_CUT, "links-cut", FAULT, "{2}",
	"ip -o link | wc -l; ip -o address | wc -l; ip route show default table all | wc -l; "
	"remove what is not needed, or run electd in a network namespace that has fewer")
FINDING(LINKS_UNREADABLE, "links-unreadable", FAULT, "{2}",
	"sudo systemctl restart electd; if the fault remains, free -m shows whether memory is "
	"short")
FINDING(VRF, "vrf-unheard", FAULT, "{0} belongs to the VRF {1}, and electd receives nothing on it",
	"sudo sysctl -w net.ipv4.udp_l3mdev_accept=1; to keep it after a boot: echo "
	"net.ipv4.udp_l3mdev_accept=1 | sudo tee /etc/sysctl.d/90-electd.conf")
FINDING(CANNOT_JOIN, "cannot-join", FAULT, "electd cannot join the multicast group {1} on {0}",
	"ip maddress show dev {0}; sudo sysctl net.ipv4.igmp_max_memberships=64")
FINDING(CANNOT_JOIN6, "cannot-join", FAULT, "electd cannot join the multicast group {1} on {0}",
	"ip maddress show dev {0}; sudo sysctl net.core.optmem_max=131072")
FINDING(UNUSED_INTERFACE, "interface-unused", FAULT,
	"{1} of this domain is heard on {0}, which electd does not use; it uses {2}",
	"set network.interfaces = [ {3} ] in electd.conf, then sudo electctl reload")
FINDING(OTHER_INTERFACE, "interface-other", FAULT,
	"datagrams of {1} arrive on {0}, which electd does not use",
	"set network.interfaces = [ {2} ] in electd.conf, then sudo electctl reload")
FINDING(ADDRESS_TAKEN, "address-taken", FAULT,
	"another machine, {2}, has the address {0} of this host on {1}",
	"ip -br address on both machines; the address table of the switch shows where {2} is: "
	"give one of the two another address")
FINDING(ADDRESS_DUPLICATE, "address-taken", FAULT,
	"another machine has the address {0} of this host on {1}, so the kernel does not use it",
	"ip -6 address show dev {1} dadfailed: give one of the two another address, then sudo ip "
	"link set dev {1} down && sudo ip link set dev {1} up")
FINDING(REVERSE_FILTER, "reverse-filter", FAULT,
	"the kernel drops datagrams of {1} that arrive on {0}: rp_filter is 1 there, and the "
	"route to {1} is by {2}",
	"sudo sysctl net.ipv4.conf.{0}.rp_filter=2, and the same in /etc/sysctl.d")
FINDING(REVERSE_NOWHERE, "reverse-filter", FAULT,
	"the kernel drops datagrams of {1} that arrive on {0}: rp_filter is set there, and no "
	"route leads to {1}",
	"sudo ip rule add pref 100 to {2} lookup main, if a rule in ip rule forbids that subnet; "
	"ip route get {1} must show {0}")
FINDING(ROUTE_ELSEWHERE, "route-elsewhere", HINT,
	"{1} is on the LAN of {0}, but its route leads {2}: electd still sends on {0}, other "
	"programs do not",
	"sudo ip rule add pref 100 to {3} lookup main, if the route is in another table; ip "
	"route get {1} shows it")
FINDING(EITHER_CARD, "either-card", HINT,
	"{0} and {1} are in one subnet, and each answers ARP for the addresses of both: when the "
	"cable of one fails, datagrams to the other are lost for some seconds",
	"sudo sysctl net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2, and the "
	"same in /etc/sysctl.d")
FINDING(ADDRESS_TWICE, "address-twice", FAULT, "{1} and {2} both send from {0} port {3}",
	"ip -br address on both: give one of them another address")

/* ---- firewalls ---- */
FINDING(FIREWALL_NFT, "firewall", FAULT, "{0} on this host drops {1}",
	"sudo nft insert rule {2} udp dport {3} accept, and the same in /etc/nftables.conf")
FINDING(FIREWALL_IPTABLES, "firewall", FAULT, "{0} on this host drops {1}",
	"sudo iptables -I {4} -p udp -m multiport --dports {5} -j ACCEPT, and save the rules")
FINDING(FIREWALL_IP6TABLES, "firewall", FAULT, "{0} on this host drops {1}",
	"sudo ip6tables -I {4} -p udp -m multiport --dports {5} -j ACCEPT, and save the rules")
FINDING(FIREWALL_UFW, "firewall", FAULT, "{0} on this host, made by ufw, drops {1}",
	"sudo ufw allow electd; for outgoing datagrams: sudo ufw allow out electd")
FINDING(FIREWALLD, "firewall", FAULT, "{0} on this host, made by firewalld, drops {1}",
	"sudo firewall-cmd --add-service=electd && sudo firewall-cmd --runtime-to-permanent; "
	"with --zone=ZONE if firewall-cmd --get-active-zones shows the interface in a zone other "
	"than the default")
FINDING(NOT_BACK, "multicast-not-back", FAULT,
	"multicast that this host sends on {0} does not come back to it: a firewall on this host "
	"drops it, outgoing or incoming",
	"sudo electctl doctor looks for the rule; sudo nft list ruleset lists all")

/* ---- reception between hosts ---- */
FINDING(ONE_WAY, "one-way", FAULT, "{0} ({1}) is heard here, but does not hear this host",
	"on {0}: sudo electctl doctor looks for what drops UDP {2} there")
FINDING(MULTICAST_OUT, "multicast-unheard", FAULT,
	"{0} ({1}) receives unicast of this host, but not its multicast: multicast to {2} is "
	"lost on the way",
	"on {0}: sudo electctl doctor; then check IGMP and MLD snooping on the switches between")
FINDING(MULTICAST_IN, "multicast-lost", FAULT,
	"no multicast of other hosts reaches this host, although {0} ({1}) answers: multicast to "
	"{2} is lost on the way",
	"ip maddress show lists {2} if this host joined the group; then check IGMP and MLD "
	"snooping on the switches between")
FINDING(MULTICAST_STOPS, "multicast-stops", FAULT,
	"multicast to {2} stopped reaching this host {3} s ago, after {4} s of "
	"reception; {0} ({1}) still answers unicast",
	"ip maddress show lists {2} if this host is a member; then check the switches between: "
	"without a querier, snooping (IGMP, MLD) forgets members, except those of 224.0.0.254 "
	"and ff02::1")
FINDING(ONE_LINK, "one-link", FAULT,
	"{0} answers only on {1}, no longer on {2}, where other hosts do",
	"on {0}: ip -br link; then check its cable to the LAN of {2} and its port of the switch")
FINDING(LINK_SILENT, "link-silent", FAULT,
	"no host answers on {0} any more, but hosts answer on {1}: {0} has a carrier, but "
	"carries no datagrams",
	"ip neigh show dev {0}; then check the switch behind it, and the port there")
FINDING(ONE_FAMILY, "one-family", FAULT, "only {2} works with {0} on {1}; {3} worked before",
	"on {0}: sudo electctl doctor and ip -br address; then check whether the switches "
	"between filter {3}, or snoop its multicast")
FINDING(FAMILY_SILENT, "family-silent", FAULT,
	"on {0} only {1} works; {2} worked before, and no host answers on it any more",
	"ip -br address show dev {0}; then check whether the switch behind it filters {2}, or "
	"snoops its multicast")
FINDING(FEWER_LINKS, "fewer-links", HINT,
	"{0} answers only on {1}, and never answered on {2}, where other hosts do",
	"on {0}: electctl doctor lists its interfaces; if one is on that LAN, check its cable")
FINDING(LINK_NEVER, "link-never", HINT, "no host has ever answered on {0}, but hosts answer on {1}",
	"if no other host is on that LAN, leave {0} out of network.interfaces; else check the "
	"switch")
FINDING(ROUTED, "routed", FAULT,
	"datagrams from {0} arrive with TTL {1} instead of 255: a router forwards them, or "
	"something changes the TTL",
	"ip route get {0} shows the route; remove the router, or the tunnel or rule that changes "
	"the TTL: nft list ruleset, iptables -t mangle -L")
FINDING(PEER_SILENT, "peer-silent", FAULT, "the peer {0} does not answer",
	"ping -c 3 {0}; then there: sudo electctl doctor, and check that UDP {1} reaches it")
FINDING(PEER_ELSEWHERE, "peer-silent", FAULT,
	"the peer {0} does not answer: the route to it is by {1}, which electd does not use",
	"ip route get {0} shows it: name {1} in network.interfaces, then sudo electctl reload")
FINDING(PEER_UNREACHABLE, "peer-unreachable", FAULT,
	"no interface that electd uses leads to the peer {0}",
	"ip route get {0} shows the interface: name it in network.interfaces, then sudo electctl "
	"reload")
FINDING(NAT, "nat", FAULT,
	"datagrams of {0} with a key number of this host have a wrong tag (not authentic): a NAT "
	"changes the address, or the key has another secret there",
	"ip route get {0} shows the route: there must be no NAT between hosts; a tunnel is "
	"allowed")
FINDING(NAT_HERE, "nat", FAULT, "{0}",
	"sudo nft 'add table ip electd; add chain ip electd out { type filter hook output "
	"priority raw; }; add chain ip electd in { type filter hook prerouting priority raw; }; "
	"add rule ip electd out udp dport {1} notrack; add rule ip electd in udp dport {1} "
	"notrack', and the same in /etc/nftables.conf; sudo nft list ruleset shows the "
	"masquerade or snat rule")
FINDING(NOBODY, "nobody-heard-ever", HINT,
	"no other host of the domain \"{0}\" is heard; this host uses {1}{2}",
	"on another host: electctl status shows its domain; then electctl doctor")
FINDING(OTHER_DOMAIN, "other-domain", FAULT,
	"no other host of the domain \"{0}\" is heard, but one of another domain: {1}",
	"on {1}: electctl status shows its domain; set the same domain in electd.conf on both")
FINDING(OTHER_VERSION, "other-protocol", FAULT,
	"{0} sends datagrams that this electd does not understand: {1}",
	"on {0}: electctl --version; install the same package on both")
FINDING(FOREIGN, "apart", FAULT, "{0} coordinates another group, heard by {1}",
	"on {0}: sudo electctl doctor")

/* ---- differences between hosts ---- */
FINDING(OTHER_TIMINGS, "timings-differ", FAULT,
	"{0} sends a beacon every {1} ms and has dead_after_ms {2}; this host has {3} and {4}",
	"on {0}: sudo electd --print-config | sed -n '/timing/,/}/p'; set the same values on all "
	"hosts, then sudo electctl reload")
FINDING(OTHER_PACKAGE, "versions-differ", HINT,
	"{0} has {1} of electd, this host has {2}: they elect together, but each has its own "
	"bugs",
	"on {0}: electctl --version; apt list --installed 'electd*' on both")
FINDING(OTHER_KEY, "other-key", FAULT,
	"{0} sends with key {1}, which this host does not have (not authentic)",
	"sudo electctl keys list here and on {0}: put the same key file on all hosts, then sudo "
	"systemctl restart electd; electd-security(7) shows how to change keys without a change "
	"of leader")
FINDING(NO_KEY, "no-key", FAULT,
	"{0} sends without a key file, but this host has one (not authentic)",
	"put the key file of this host on {0}, then sudo systemctl restart electd there")
FINDING(OTHER_SECRET, "other-secret", FAULT,
	"datagrams of {0} with a key number of this host have a wrong tag (not authentic): the "
	"key has another secret there, or {0} is a router that changes the source of what it "
	"forwards",
	"electctl keys list here and on {0}: the four bytes after the number must be the same; "
	"on a router: sudo nft list ruleset shows the masquerade or snat rule, which must not "
	"change UDP {1}")
FINDING(NO_AUTH, "not-authenticated", HINT,
	"there is no key file: every host on the LAN can take part", "man electd-security")

/* ---- this host ---- */
FINDING(LATE, "late", FAULT,
	"electd on this host ran up to {0} ms late within the last two minutes; it sends a "
	"beacon every {1} ms",
	"unless this host was suspended: top shows what uses the processor; systemctl show -p "
	"CPUQuotaPerSecUSec {2}")
FINDING(STOOD_STILL, "stood-still", HINT,
	"this host stalled for longer than timing.dead_after_ms {0} times since electd was "
	"started",
	"journalctl -t electd | grep stalled shows when")
FINDING(UNREPORTED, "required-unreported", FAULT,
	"{0} is required, but was never reported: this host does not lead",
	"sudo systemctl enable --now electd-probe@{0}; or sudo electctl well {0}")
FINDING(SICK, "sick", FAULT, "{0} is sick{1}: this host does not lead",
	"electctl health; after the repair: sudo electctl well {0}")
FINDING(HOOK_FAILED, "hook-failed", FAULT, "the script {0} for the event {1}: {2}",
	"sudo electctl hooks list shows its last lines")
FINDING(UNIT_FAILED, "unit-failed", FAULT, "the unit {0}, which follows the leader, has failed",
	"systemctl status {0}; then sudo systemctl reset-failed {0}")
FINDING(ADDRESS_RESTORED, "address-restored", HINT,
	"{0} removed the leader's address {1} from {2} twice within a minute; electd-address has "
	"restored it, {3} times in all",
	"networkctl status {2} names its file if systemd-networkd manages it: set "
	"KeepConfiguration=yes there, or critical: true in netplan; else find the program that "
	"runs ip addr flush")
FINDING(ADDRESS_RESTORED_NM, "address-restored", HINT,
	"{0} removed the leader's address {1} from {2} twice within a minute; electd-address has "
	"restored it, {3} times in all",
	"nmcli connection up, by a person or a script, removes it, and electd-address restores it "
	"within 0.5 s; if {2} carries only such addresses: unmanaged-devices=interface-name:{2} "
	"in NetworkManager.conf")
FINDING(SLOW_STOP, "stop-too-slow", HINT, "{0}",
	"sudo systemctl edit {1}: set a shorter TimeoutStopSec=; or raise "
	"timing.yield_timeout_ms on all hosts")

/* ---- problems that electd reports: {0} is its text ---- */
FINDING(PROBLEM, "problem", FAULT, "{0}", "man electd-troubleshooting")
#define PROBLEM(id, bit, name, weight, words, remedy) FINDING(id, name, weight, "{0}", remedy)
#include "core/problem_list.h"
FINDING(FAMILY_UNUSED, "family-unused", FAULT, "{0}",
	"set network.family = \"both\" in electd.conf, then sudo systemctl restart electd; on "
	"this host, or where only the other family is used")
FINDING(OVERRUN, "yield-overrun", FAULT, "{0}",
	"journalctl -t electd-hookd -n 50; make the work stop sooner, or raise "
	"timing.yield_timeout_ms on all hosts")
FINDING(ADDRESS_LATE, "address-late", FAULT, "{0}",
	"systemctl status electd-address; journalctl -t electd-address -n 20")
FINDING(HOOKD_MISSING, "hookd-missing", FAULT, "{0}",
	"systemctl status electd-hookd; journalctl -t electd-hookd -n 20; if it is masked on "
	"purpose: sudo systemctl restart electd")
FINDING(ADDRESS_LOST, "address-lost", FAULT, "{0}",
	"electctl address; journalctl -t electd-address -n 20; if no interface has the subnet of "
	"the address: \"ADDRESS dev INTERFACE\" in addresses, then sudo electctl reload")
FINDING(ADDRESS_FOREIGN, "address-foreign", FAULT, "{0}",
	"ip -br address shows it: remove it from the configuration of this host's network, and "
	"by sudo ip address del ADDRESS/BITS dev INTERFACE; electd adds it on the leader")
FINDING(ADDRESS_KEPT, "address-kept", FAULT, "{0}",
	"sudo ip address del ADDRESS/32 dev INTERFACE (IPv6: /128); journalctl -t electd-address "
	"-n 20")
FINDING(ADDRESS_CONFLICT, "address-conflict", FAULT, "{0}",
	"electctl address; the address table of the switch shows where that machine is: give it "
	"another address, or name another one in addresses on all hosts")
FINDING(LEASE_SHORT, "lease-short", FAULT, "{0}",
	"set address.lease_ms in electd.conf to at least timing.dead_after_ms on all hosts, then "
	"sudo electctl reload")

/* ---- not checked ---- */
UNLOOKED(OTHERS, "firewalls, interfaces and load of other hosts", "run electctl doctor there")
UNLOOKED(WIRES, "switches and cables", "judged only by the datagrams that arrive here")
UNLOOKED(CLOCKS, "wall clocks of other hosts", "electd does not need them")
UNLOOKED(IPV4, "IPv4", "electd does not use it here")
UNLOOKED(IPV6, "IPv6", "electd does not use it here")
UNLOOKED(EAR6, "IPv6 datagrams on interfaces that electd does not use", "only IPv4 is heard")
UNLOOKED(RULES, "firewall rules", "only root can read them: sudo electctl doctor")
UNLOOKED(NO_NFT, "firewall rules", "nft is not installed; older rules: sudo iptables-legacy -L -v")
UNLOOKED(RULES_UNREAD, "firewall rules", "nft -j list ruleset failed")
UNLOOKED(ARP, "machines with an address of this host", "only root may ask: sudo electctl doctor")
UNLOOKED(UNITS, "systemd's units", "systemd does not run here, or did not answer")
UNLOOKED(INSTANCE, "systemd's units", "--socket does not determine the instance")
UNLOOKED(SCRIPTS, "scripts and units that follow the leader",
	"electd-hookd is not running: systemctl status electd-hookd")
UNLOOKED(EAR, "datagrams on interfaces that electd does not use",
	"the multicast group cannot be joined")
UNLOOKED(LAN, "the LAN", "electd is not running")
UNLOOKED(OWN_CONFIG, "ports other than the defaults", "the configuration is not read")

#undef FINDING
#undef UNLOOKED
