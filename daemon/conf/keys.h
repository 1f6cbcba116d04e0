/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys: THE list of configuration keys, one row each, and nothing else. A file that includes it
 * defines what a row becomes: conf.h a member of struct conf, table.c a struct conf_key. So it has
 * no include guard.
 *
 *	KEY(path, type, member, ...)	a key; struct conf has its value as `member`
 *
 * The other arguments are members of struct conf_key by name; for a CONF_INTEGER, min and max come
 * first. A fallback in parentheses is no value: conf.c computes it, and main.c that of node.id.
 * The order is that of the manual page; the keys of a group stand together.
 */
#ifndef KEY /* an editor parses this file alone */
#define KEY(...)
#endif

KEY("domain", CONF_NAME, domain, .fallback = "\"default\"", .effect = CONF_RESTART,
	.help = "Name of the election; domains on one LAN never mix.")
KEY("node.name", CONF_NAME, node_name, .fallback = "(host name)",
	.help = "Name of this host, shown to users; without one it follows the host name.")
KEY("node.id", CONF_ID, node_id, .fallback = "(from the machine id)", .effect = CONF_RESTART,
	.help = "Number of this host, compared by the algorithm; no two hosts share one.")
KEY("node.address", CONF_ADDRESS, node_address, .fallback = "(one that it has)",
	.help = "Address of this host that is shown to users and given to scripts.")
KEY("algorithm", CONF_CHOICE, algorithm, .words = "invitation", .fallback = "\"invitation\"",
	.obsolete = true,
	.instead = "stop electd on all hosts of the domain, remove this line there, and start "
		   "them again",
	.help = "electd has one election algorithm: remove this key.")
KEY("priority", CONF_INTEGER, priority, 0, 255, .fallback = "100",
	.help = "Hosts with a higher one are preferred as leader; 0 never leads.")
KEY("preempt", CONF_BOOLEAN, preempt, .fallback = "false",
	.help = "A better priority takes over from a working leader.")
KEY("network.interfaces", CONF_INTERFACES, interfaces, .fallback = "[ ]", .effect = CONF_SOCKETS,
	.help = "Interfaces to use; empty: those with a default route, else the Ethernet "
		"interfaces that lead to real hardware.")
KEY("network.family", CONF_CHOICE, family, .words = "both ipv4 ipv6", .fallback = "\"both\"",
	.effect = CONF_RESTART, .help = "Internet protocols to use.")
KEY("network.group4", CONF_GROUP4, group4_text, .fallback = "\"224.0.0.254\"",
	.effect = CONF_SOCKETS, .help = "Multicast group of all hosts.")
KEY("network.group6", CONF_GROUP6, group6_text, .fallback = "\"ff02::114\"", .effect = CONF_SOCKETS,
	.help = "The same for IPv6.")
KEY("network.port", CONF_INTEGER, port, 1, 65535, .fallback = "7543", .effect = CONF_SOCKETS,
	.help = "UDP port of the multicast group, the same on all hosts.")
KEY("network.unicast_ports", CONF_PORTS, unicast_ports, .fallback = "\"7544-7575\"",
	.effect = CONF_SOCKETS,
	.help = "The first free one of these is this instance's own UDP port; the others "
		"learn it.")
KEY("network.hops", CONF_INTEGER, hops, 0, 16, .fallback = "0", .effect = CONF_SOCKETS,
	.help = "Routers allowed between hosts; only with auth.mode \"enforce\".")
KEY("network.peers", CONF_PEERS, peers, .fallback = "[ ]", .effect = CONF_SOCKETS,
	.help = "Addresses of some hosts, for networks without multicast.")
KEY("network.without_carrier", CONF_CHOICE, without_carrier, .words = "follow lead",
	.fallback = "\"follow\"",
	.help = "What a host does when it has lost its last carrier or address.")
KEY("network.carrier_hold_ms", CONF_INTEGER, carrier_hold_ms, 0, 600000, .fallback = "30000",
	.help = "How long a host whose carrier is back waits at most to hear another host "
		"before it leads.")
KEY("timing.profile", CONF_CHOICE, profile, .words = "lan fast fastest", .fallback = "\"lan\"",
	.help = "Defaults of the next three keys: for any LAN, or faster at a price.")
KEY("timing.beacon_interval_ms", CONF_INTEGER, beacon_interval_ms, 10, 10000,
	.fallback = "(by profile: 200, 50, 10)",
	.help = "Time between two beacons of the coordinator.")
KEY("timing.dead_after_ms", CONF_INTEGER, dead_after_ms, 20, 100000,
	.fallback = "(by profile: 600, 600, 27)",
	.help = "Silence after which a coordinator counts as dead; at least two beacons.")
KEY("timing.silence_ms", CONF_INTEGER, silence_ms, 0, 10000,
	.fallback = "(by profile: 200, 75, 0; 0 where dead_after_ms comes first)",
	.help = "How long a leader that misses a beacon, and its kernel, are asked before it "
		"counts "
		"as dead; 0: dead_after_ms alone decides.")
KEY("timing.start_hold_ms", CONF_INTEGER, start_hold_ms, 10, 600000, .fallback = "(3 beacons)",
	.help = "How long a starting host listens before it acts.")
KEY("timing.lone_hold_ms", CONF_INTEGER, lone_hold_ms, 10, 600000,
	.fallback = "(2 times dead_after_ms)",
	.help = "How long a host that is alone waits before it leads.")
KEY("timing.yield_timeout_ms", CONF_INTEGER, yield_timeout_ms, 100, 3600000,
	.fallback = "(hooks.timeout_ms + 6000)",
	.help = "How long a leader that gives way may take to stop its work.")
KEY("timing.crash_wait_ms", CONF_INTEGER, crash_wait_ms, 0, 3600000,
	.fallback = "(yield_timeout_ms)",
	.help = "How long other hosts wait for the work of a leader whose process has "
		"crashed; 0: not at all.")
KEY("quorum", CONF_INTEGER, quorum, 0, ELECT_HOSTS_MAX, .fallback = "0",
	.help = "Nobody leads in a group of fewer hosts; 0 turns it off.")
KEY("health.required", CONF_NAMES, health_required, .fallback = "[ ]",
	.help = "Names that must be reported well before this host leads.")
KEY("health.nobody_well", CONF_CHOICE, nobody_well, .words = "none stay", .fallback = "\"none\"",
	.help = "Leader while no host is well: none, or the present one stays.")
KEY("auth.mode", CONF_CHOICE, auth_mode, .words = "auto enforce permissive receive-only",
	.fallback = "\"auto\"", .help = "Which packets are sent and believed.")
KEY("auth.keys", CONF_PATH, auth_keys, .fallback = "\"electd.keys\"", .effect = CONF_RESTART,
	.help = "File with the secrets that all hosts of the domain share.")
KEY("definition.file", CONF_FILE, definition_file, .fallback = "(none)",
	.help = "File that this host distributes to the others when it coordinates.")
KEY("hooks.timeout_ms", CONF_INTEGER, hooks_timeout_ms, 100, 3600000, .fallback = "10000",
	.help = "Time for all scripts of one event together.")
KEY("hooks.on_failure", CONF_CHOICE, hooks_on_failure, .words = "ignore resign",
	.fallback = "\"ignore\"",
	.help = "Reaction when a script fails, or a unit that is bound to the target.")

#undef KEY
