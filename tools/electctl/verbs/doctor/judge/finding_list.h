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
 * only for information. found_problem() finds a row by its name, if the name is a problem of
 * electctl(1).
 */
#ifndef FINDING /* for editors that parse this file alone */
#define FINDING(id, name, weight, words, remedy)
#define UNLOOKED(id, what, why)
#endif

/* ---- not running ---- */
FINDING(NOT_RUNNING, "not-running", FAULT, "electd does not run here", "sudo systemctl start {0}")
FINDING(CONFIGURATION, "configuration", FAULT,
	"{0} does not start: its configuration is wrong, or names what is not there",
	"journalctl -u {0} -n 20 has file, line and key; sudo electd --check-config after that")
FINDING(STATE_FILE, "state-file", FAULT, "{0} does not start: its state file cannot be used",
	"journalctl -u {0} -n 20 says why: /var/lib is full, read-only, or not its own")
FINDING(UNIT_BROKEN, "service-failed", FAULT, "{0} has failed: {1}, exit status {2}",
	"journalctl -u {0} -n 20 says why; then sudo systemctl restart {0}")
FINDING(PORT_TAKEN, "port-taken", FAULT, "UDP port {0} is taken by {1}",
	"sudo ss -lunp 'sport = :{0}' shows it: end that program, or set network.port on all hosts")
FINDING(PORTS_TAKEN, "port-taken", FAULT, "no UDP port of {0} to {2} is free: {0} is taken by {1}",
	"sudo ss -lunp 'sport >= :{0} and sport <= :{2}' shows all: end those programs, or set "
	"network.unicast_ports")

/* ---- interfaces ---- */
FINDING(NO_INTERFACE, "no-interface", FAULT, "electd uses no network interface",
	"ip -br -4 address shows what there is: name one in network.interfaces, then sudo electctl "
	"reload")
FINDING(INTERFACE_OFF, "interface-off", FAULT, "{0} {1} is switched off",
	"sudo ip link set dev {0} up")
FINDING(LINK_DOWN, "link-down", FAULT, "{0} has no carrier",
	"ip link show dev {0}; then its cable, and the port of the switch")
FINDING(LINK_BELOW_DOWN, "link-down", FAULT, "{0} has no carrier: {1} below it has none",
	"ip link show dev {1}; then its cable, and the port of the switch")
FINDING(PORT_BLOCKED, "link-down", FAULT, "{0} has no carrier: spanning tree blocks its port {1}",
	"sudo bridge -d link show dev {1}; after a change it forwards in half a minute, else "
	"there is a loop of switches")
FINDING(PORT_LOST, "link-down", FAULT, "{0} has lost the port that led to the LAN",
	"ip -br link shows the card if it is there: sudo ip link set CARD master {0}; if {0} is to "
	"be without one, sudo systemctl stop electd, then start")
FINDING(BRIDGE_EMPTY, "bridge-empty", HINT,
	"{0}, which electd uses, is a bridge that nothing is attached to",
	"if the LAN is elsewhere, name it in network.interfaces, without {0}, then sudo electctl "
	"reload")
FINDING(INTERFACE_MISSING, "interface-missing", FAULT, "{2}",
	"ip -br link shows those of this host: correct network.interfaces in electd.conf, then "
	"sudo electctl reload")
FINDING(INTERFACE_NAMED_OFF, "interface-off", FAULT, "{2}", "sudo ip link set {0} up")
FINDING(NO_MULTICAST, "no-multicast", FAULT, "{2}",
	"sudo ip link set {0} multicast on; if it carries no multicast, as WireGuard, name the "
	"hosts behind it in network.peers as well")
FINDING(NO_ADDRESS, "no-address", FAULT, "{2}",
	"ip -br address show dev {0}; sudo ip address add ADDRESS/BITS dev {0}, or look for the "
	"reason why DHCP gives it none")
FINDING(INTERFACE_PORT, "interface-port", FAULT, "{2}",
	"set network.interfaces = [ \"{1}\" ] in electd.conf, then sudo electctl reload")
FINDING(INTERFACE_UNMATCHED, "interface-unmatched", HINT, "{2}",
	"ip -br link shows those of this host: if one is meant, correct network.interfaces in "
	"electd.conf, then sudo electctl reload")
FINDING(ROUTE_BY_TUNNEL, "default-route-tunnel", HINT, "{2}",
	"if the LAN is elsewhere, name its interface in network.interfaces, then sudo electctl "
	"reload")
FINDING(GUESTS_ONLY, "guests-only", HINT, "{2}",
	"if the LAN is elsewhere, name its interface in network.interfaces, then sudo electctl "
	"reload")
FINDING(LEFT_OUT, "interfaces-left-out", FAULT, "{2}",
	"ip -br link shows all: name those of the LANs of electd in network.interfaces, then sudo "
	"electctl reload")
FINDING(LINKS_CUT, "links-cut", FAULT, "{2}",
	"ip -o link | wc -l; ip -o address | wc -l; ip route show default table all | wc -l; "
	"remove what is not needed, or run electd in a network namespace that has fewer")
FINDING(LINKS_UNREADABLE, "links-unreadable", FAULT, "{2}",
	"sudo systemctl restart electd; if it stays, free -m")
FINDING(VRF, "vrf-unheard", FAULT, "{0} belongs to the VRF {1}, and electd hears nothing by it",
	"sudo sysctl -w net.ipv4.udp_l3mdev_accept=1; after a boot too: echo "
	"net.ipv4.udp_l3mdev_accept=1 | sudo tee /etc/sysctl.d/90-electd.conf")
FINDING(CANNOT_JOIN, "cannot-join", FAULT, "{0} cannot join the multicast group {1}",
	"ip maddress show dev {0}; sudo sysctl net.ipv4.igmp_max_memberships=64")
FINDING(CANNOT_JOIN6, "cannot-join", FAULT, "{0} cannot join the multicast group {1}",
	"ip maddress show dev {0}; sudo sysctl net.core.optmem_max=131072")
FINDING(UNUSED_INTERFACE, "interface-unused", FAULT,
	"{1} of this domain is heard by {0}, which electd does not use; it uses {2}",
	"set network.interfaces = [ {3} ] in electd.conf, then sudo electctl reload")
FINDING(OTHER_INTERFACE, "interface-other", FAULT,
	"what {1} sends arrives by {0}, which electd does not use",
	"set network.interfaces = [ {2} ] in electd.conf, then sudo electctl reload")
FINDING(ADDRESS_TAKEN, "address-taken", FAULT,
	"another machine, {2}, has the address {0} of this host on {1}",
	"ip -br address on both, the other one is where the switch has learned {2}: give one of "
	"the "
	"two another address")
FINDING(ADDRESS_DUPLICATE, "address-taken", FAULT,
	"another machine has the address {0} of this host on {1}: the kernel does not use it",
	"ip -6 address show dev {1} dadfailed: give one of the two another address, then sudo ip "
	"link set dev {1} down && sudo ip link set dev {1} up")
FINDING(REVERSE_FILTER, "reverse-filter", FAULT,
	"what {1} sends is dropped as it arrives by {0}: rp_filter is 1 there, and the route to "
	"{1} "
	"is by {2}",
	"sudo sysctl net.ipv4.conf.{0}.rp_filter=2, and the same in /etc/sysctl.d")
FINDING(REVERSE_NOWHERE, "reverse-filter", FAULT,
	"what {1} sends is dropped as it arrives by {0}: rp_filter is set there, and no route "
	"leads "
	"to {1}",
	"sudo ip rule add pref 100 to {2} lookup main, if a rule of ip rule forbids that subnet; "
	"ip route get {1} must show {0}")
FINDING(ROUTE_ELSEWHERE, "route-elsewhere", HINT,
	"the routes of this host to {1}, on the LAN of {0}, lead {2}: electd sends by {0} all the "
	"same, other programs do not",
	"sudo ip rule add pref 100 to {3} lookup main, if the route is of another table; ip route "
	"get {1} shows it")
FINDING(EITHER_CARD, "either-card", HINT,
	"{0} and {1} are in one subnet, and each answers for the addresses of both: what is sent "
	"to "
	"one is lost with the cable of the other, for some seconds",
	"sudo sysctl net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2, and the same "
	"in /etc/sysctl.d")
FINDING(ADDRESS_TWICE, "address-twice", FAULT, "{1} and {2} both send from {0} port {3}",
	"ip -br address on both: give one of them another address")

/* ---- firewalls ---- */
FINDING(FIREWALL_NFT, "firewall", FAULT, "{0} of this host drops {1}",
	"sudo nft insert rule {2} udp dport {3} accept, and the same in /etc/nftables.conf")
FINDING(FIREWALL_IPTABLES, "firewall", FAULT, "{0} of this host drops {1}",
	"sudo iptables -I {4} -p udp -m multiport --dports {5} -j ACCEPT, and save that")
FINDING(FIREWALL_IP6TABLES, "firewall", FAULT, "{0} of this host drops {1}",
	"sudo ip6tables -I {4} -p udp -m multiport --dports {5} -j ACCEPT, and save that")
FINDING(FIREWALL_UFW, "firewall", FAULT, "{0} of this host, which is ufw's, drops {1}",
	"sudo ufw allow electd; for what this host sends: sudo ufw allow out electd")
FINDING(FIREWALLD, "firewall", FAULT, "{0} of this host, which is firewalld's, drops {1}",
	"sudo firewall-cmd --add-service=electd && sudo firewall-cmd --runtime-to-permanent; with "
	"--zone=ZONE where firewall-cmd --get-active-zones has the interface in another one than "
	"the default")
FINDING(NOT_BACK, "multicast-not-back", FAULT,
	"what this host sends to all by {0} does not come back to it, as it should past every "
	"firewall: one here drops it, as it leaves or as it comes in",
	"sudo electctl doctor looks for the rule; sudo nft list ruleset shows all")

/* ---- reception between hosts ---- */
FINDING(ONE_WAY, "one-way", FAULT, "{0} ({1}) is heard here, and does not hear this host",
	"on {0}: sudo electctl doctor looks for what drops UDP {2} there")
FINDING(MULTICAST_OUT, "multicast-unheard", FAULT,
	"{0} ({1}) hears what is sent to it alone, but not what this host sends to all: multicast "
	"to {2} is lost on the way",
	"on {0}: sudo electctl doctor; then look at snooping (IGMP, MLD) of the switches between")
FINDING(MULTICAST_IN, "multicast-lost", FAULT,
	"nothing that others send to all reaches this host, though {0} ({1}) answers: multicast to "
	"{2} is lost on the way",
	"ip maddress show has {2} if this host joined it; then look at snooping (IGMP, MLD) of "
	"the switches between")
FINDING(MULTICAST_STOPS, "multicast-stops", FAULT,
	"multicast to {2} stopped reaching this host {3} s ago, after {4} s in which it did; {0} "
	"({1}) answers what is sent to it alone",
	"ip maddress show has {2} if this host is a member; then look at the switches between: "
	"snooping (IGMP, MLD) forgets members that no querier asks, but none of 224.0.0.254 or "
	"ff02::1")
FINDING(ONE_LINK, "one-link", FAULT, "{0} answers by {1} only, no longer by {2}, where others do",
	"on {0}: ip -br link; then look at its cable to the LAN of {2} and its port of the switch")
FINDING(LINK_SILENT, "link-silent", FAULT,
	"nobody answers by {0} any more, as others do by {1}: the cable has a carrier, and what is "
	"behind it carries nothing",
	"ip neigh show dev {0}; then look at the switch behind it, and the port there")
FINDING(ONE_FAMILY, "one-family", FAULT, "only {2} works with {0} by {1}; {3} did",
	"on {0}: sudo electctl doctor and ip -br address; then look at what the switches between "
	"do to {3}: filters, and snooping of its multicast")
FINDING(FAMILY_SILENT, "family-silent", FAULT,
	"by {0} only {1} works; {2} did, and nobody answers by it any more",
	"ip -br address show dev {0}; then look at what the switch behind it does to {2}: filters, "
	"and snooping of its multicast")
FINDING(FEWER_LINKS, "fewer-links", HINT,
	"{0} answers by {1} only, and never did by {2}, where others do",
	"on {0}: electctl status shows its links; if it has one on that LAN, look at its cable")
FINDING(LINK_NEVER, "link-never", HINT, "nobody has ever answered by {0}, as others do by {1}",
	"if no other host is on that LAN, leave {0} out of network.interfaces; else look at the "
	"switch")
FINDING(ROUTED, "routed", FAULT,
	"datagrams from {0} come with TTL {1} instead of 255: over a router, or something "
	"between changes it",
	"ip route get {0} shows the way; take the router, tunnel or rule that sets a TTL away: nft "
	"list ruleset, iptables -t mangle -L")
FINDING(PEER_SILENT, "peer-silent", FAULT, "the peer {0} does not answer",
	"ping -c 3 {0}; then there: sudo electctl doctor, and whether UDP {1} reaches it")
FINDING(PEER_ELSEWHERE, "peer-silent", FAULT,
	"the peer {0} does not answer: the route to it is by {1}, which electd does not use",
	"ip route get {0} shows it: name {1} in network.interfaces, then sudo electctl reload")
FINDING(PEER_UNREACHABLE, "peer-unreachable", FAULT,
	"no interface that electd uses leads to the peer {0}",
	"ip route get {0} shows one: name it in network.interfaces, then sudo electctl reload")
FINDING(NAT, "nat", FAULT,
	"what {0} sends under a key of this host is not authentic, nor is that address: a NAT "
	"between changes it, which is under the tag, or another secret has the same number",
	"ip route get {0} shows the way: no NAT may stand between hosts, a tunnel may")
FINDING(NAT_HERE, "nat", FAULT, "{0}",
	"sudo nft 'add table ip electd; add chain ip electd out { type filter hook output priority "
	"raw; }; add chain ip electd in { type filter hook prerouting priority raw; }; add rule ip "
	"electd out udp dport {1} notrack; add rule ip electd in udp dport {1} notrack', and the "
	"same in /etc/nftables.conf; sudo nft list ruleset shows the rule of masquerade or snat")
FINDING(NOBODY, "nobody-heard-ever", HINT,
	"no other host of the domain \"{0}\" is heard; this one uses {1}{2}",
	"on another host: electctl status, for its domain, and electctl doctor")
FINDING(OTHER_DOMAIN, "other-domain", FAULT,
	"no other host of the domain \"{0}\" is heard, but one of another domain: {1}",
	"on {1}: electctl status shows its domain; set domain in electd.conf the same on both")
FINDING(OTHER_VERSION, "other-protocol", FAULT,
	"{0} sends datagrams of an electd that this one does not understand: {1}",
	"on {0}: electctl --version; install the same package on both")
FINDING(FOREIGN, "apart", FAULT, "{0} coordinates another group, heard by {1}",
	"on {0}: sudo electctl doctor")

/* ---- differences between hosts ---- */
FINDING(OTHER_TIMINGS, "timings-differ", FAULT,
	"{0} beacons every {1} ms and counts as dead after {2}; here these are {3} and {4}",
	"on {0}: sudo electd --print-config | sed -n '/timing/,/}/p'; make the same everywhere, "
	"then "
	"sudo electctl reload")
FINDING(OTHER_PACKAGE, "versions-differ", HINT,
	"{0} has {1} of electd, this host {2}: they elect together, and each has its own faults",
	"on {0}: electctl --version; apt list --installed 'electd*' on both")
FINDING(OTHER_KEY, "other-key", FAULT,
	"{0} sends under key {1}, which this host does not have (not authentic)",
	"sudo electctl keys list here and on {0}: put the same key file on all hosts, then sudo "
	"systemctl restart electd; electd-security(7) has the steps that nobody notices")
FINDING(NO_KEY, "no-key", FAULT,
	"{0} sends without a key file, and this host has one (not authentic)",
	"put the key file of this host on {0}, then sudo systemctl restart electd there")
FINDING(OTHER_SECRET, "other-secret", FAULT,
	"what {0} sends under a key of this host is not authentic, nor is that address: another "
	"secret under the same number, or {0} is a router that changes the source of what it "
	"forwards",
	"electctl keys list here and on {0}: the four bytes behind the number must be the same; on "
	"a router: sudo nft list ruleset shows the rule of masquerade or snat, which must leave "
	"UDP "
	"{1} alone")
FINDING(NO_AUTH, "not-authenticated", HINT, "whoever is on the LAN can take part: no key file",
	"man electd-security")

/* ---- this host ---- */
FINDING(LATE, "late", FAULT,
	"electd of this host was woken up to {0} ms late within the last two minutes; a beacon is "
	"sent every {1} ms",
	"unless this host was suspended: top shows what takes the processor; systemctl show -p "
	"CPUQuotaPerSecUSec {2}")
FINDING(STOOD_STILL, "stood-still", HINT,
	"this host stood still for longer than timing.dead_after_ms {0} times since electd was "
	"started",
	"journalctl -t electd | grep still says when")
FINDING(UNREPORTED, "required-unreported", FAULT,
	"{0} is required, and nobody has reported it: this host does not lead",
	"sudo systemctl enable --now electd-probe@{0}; or sudo electctl well {0}")
FINDING(SICK, "sick", FAULT, "{0} is sick{1}: this host does not lead",
	"electctl health; when it is mended: sudo electctl well {0}")
FINDING(HOOK_FAILED, "hook-failed", FAULT, "the script {0} on {1}: {2}",
	"sudo electctl hooks list has its last lines")
FINDING(UNIT_FAILED, "unit-failed", FAULT, "the unit {0}, which follows the leader, has failed",
	"systemctl status {0}; then sudo systemctl reset-failed {0}")
FINDING(SLOW_STOP, "stop-too-slow", HINT, "{0}",
	"sudo systemctl edit {1}: TimeoutStopSec= below that; or raise timing.yield_timeout_ms "
	"on all hosts")

/* ---- problems that electd reports: {0} is its text ---- */
FINDING(NOT_PERSISTED, "not-persisted", FAULT, "{0}", "df -h /var/lib/electd; mount | grep var")
FINDING(STATE_LOST, "state-lost", FAULT, "{0}",
	"journalctl -t electd -b; nothing else if the disk is good")
FINDING(STATE_OLD, "state-old", FAULT, "{0}",
	"leave /var/lib/electd out of backups; if this host has no older copy, look at the host "
	"that "
	"says so")
FINDING(DUPLICATE_ID, "duplicate-id", FAULT, "{0}",
	"on one of them: sudo rm /etc/machine-id && sudo systemd-machine-id-setup && sudo "
	"systemctl "
	"restart electd")
FINDING(SAME_DOMAIN, "same-domain", FAULT, "{0}",
	"grep domain /etc/electd/*.conf; leave it out of NAME.conf, where it is NAME, or sudo "
	"systemctl disable --now electd@NAME")
FINDING(TIMINGS, "timings-differ", FAULT, "{0}",
	"sudo electd --print-config | sed -n '/timing/,/}/p' on each host; make the same "
	"everywhere")
FINDING(PREEMPT, "preempt-differs", FAULT, "{0}",
	"sudo electd --print-config | grep preempt on each host; make the same everywhere")
FINDING(QUORUM_DIFFERS, "quorum-differs", FAULT, "{0}",
	"sudo electd --print-config | grep quorum on each host; make the same everywhere")
FINDING(NO_QUORUM, "no-quorum", FAULT, "{0}",
	"electctl members shows who is here: bring hosts back, or lower quorum on all of them")
FINDING(NO_CARRIER, "no-carrier", FAULT, "{0}", "ip -br link; plug the cable in")
FINDING(UNHEARD, "nobody-heard", FAULT, "{0}",
	"electctl status in half a minute; if it stays, look at the port of the switch")
FINDING(BROKEN_LINKS, "broken-links", FAULT, "{0}",
	"sudo electctl doctor on each host that electctl status names behind Apart")
FINDING(UNTAKEN, "list-untaken", FAULT, "{0}",
	"electctl members names it; there: ip link, for its MTU, and sudo electctl doctor")
FINDING(TAG_CLASH, "tag-clash", FAULT, "{0}", "set another node.id on one of the two")
FINDING(NAME_CLASH, "name-clash", FAULT, "{0}",
	"electctl members has their addresses; on one: sudo hostnamectl set-hostname ANOTHER, "
	"or where electd.conf sets node.name, another one there and sudo systemctl reload electd")
FINDING(GROUP_FULL, "group-full", FAULT, "{0}", "use another domain for some of the hosts")
FINDING(REFUSED, "counter-refused", FAULT, "{0}", "electctl status; find who sends it")
FINDING(PUSHED, "counter-pushed", FAULT, "{0}", "electctl status names the host: look there")
FINDING(HALF, "counter-half", FAULT, "{0}", "man electd, BEGINNING ANEW")
FINDING(CANNOT_FORM, "cannot-form", FAULT, "{0}", "journalctl -t electd -n 20")
FINDING(KERNEL_SILENT, "kernel-silent", HINT, "{0}",
	"on the coordinator: let TCP to ports 7544 to 7575 through, to where nothing listens")
FINDING(FAMILY_UNUSED, "family-unused", FAULT, "{0}",
	"set network.family = \"both\" in electd.conf, then sudo systemctl restart electd; here, "
	"or "
	"where only the other family is used")
FINDING(OVERRUN, "yield-overrun", FAULT, "{0}",
	"journalctl -t electd-hookd -n 50; let it stop sooner, or raise timing.yield_timeout_ms on "
	"all hosts")
FINDING(HOOKD_MISSING, "hookd-missing", FAULT, "{0}",
	"systemctl status electd-hookd; journalctl -t electd-hookd -n 20; if it is masked on "
	"purpose: "
	"sudo systemctl restart electd")
FINDING(PROBLEM, "problem", FAULT, "{0}", "man electd-troubleshooting")

/* ---- not checked ---- */
UNLOOKED(OTHERS, "firewalls, interfaces and load of other hosts", "run electctl doctor there")
UNLOOKED(WIRES, "switches and cables", "only by what arrives here")
UNLOOKED(CLOCKS, "wall clocks of other hosts", "electd does not need them")
UNLOOKED(IPV4, "IPv4", "electd does not use it here")
UNLOOKED(IPV6, "IPv6", "electd does not use it here")
UNLOOKED(EAR6, "what arrives by IPv6 at interfaces that electd does not use", "only IPv4 is heard")
UNLOOKED(RULES, "rules of firewalls", "only root sees them: sudo electctl doctor")
UNLOOKED(NO_NFT, "rules of firewalls", "there is no nft here; old ones: sudo iptables-legacy -L -v")
UNLOOKED(RULES_UNREAD, "rules of firewalls", "nft -j list ruleset failed")
UNLOOKED(ARP, "machines with the address of this host", "only root may ask: sudo electctl doctor")
UNLOOKED(UNITS, "systemd's units", "this host does not run it, or it did not answer")
UNLOOKED(INSTANCE, "systemd's units", "--socket does not say whose they are")
UNLOOKED(SCRIPTS, "scripts and units that follow the leader",
	"electd-hookd is not there: systemctl status electd-hookd")
UNLOOKED(EAR, "what arrives by interfaces that electd does not use", "the group cannot be joined")
UNLOOKED(LAN, "the LAN", "electd does not run here")
UNLOOKED(OWN_CONFIG, "other ports than the usual ones", "the configuration is not read")

#undef FINDING
#undef UNLOOKED
