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
	.help = "Name of the election. Domains on one LAN never mix.")
KEY("node.name", CONF_NAME, node_name, .fallback = "(host name)",
	.help = "Name of this host in all output. Without it: the host name.")
KEY("node.id", CONF_ID, node_id, .fallback = "(from the machine id)", .effect = CONF_RESTART,
	.help = "Identifier of this host. No two hosts may have the same one.")
KEY("node.address", CONF_ADDRESS, node_address, .fallback = "(one that it has)",
	.help = "Address of this host that users and scripts are given.")
KEY("algorithm", CONF_CHOICE, algorithm, .words = "invitation", .fallback = "\"invitation\"",
	.obsolete = true,
	.instead = "stop electd on all hosts of the domain, remove this line there, and start "
		   "them again",
	.help = "electd has one election algorithm: remove this key.")
KEY("priority", CONF_INTEGER, priority, 0, 255, .fallback = "100",
	.help = "Hosts with a higher one are preferred as leader. 0 never leads.")
KEY("preempt", CONF_BOOLEAN, preempt, .fallback = "false",
	.help = "A host of higher priority takes over from a working leader.")
KEY("preempt_delay_ms", CONF_INTEGER, preempt_delay_ms, 0, 86400000, .fallback = "0",
	.help = "With preempt: how long a host that comes back waits before.")
KEY("network.interfaces", CONF_INTERFACES, interfaces, .fallback = "[ ]", .effect = CONF_SOCKETS,
	.help = "Interfaces to use. Empty: electd chooses, see INTERFACES.")
KEY("network.family", CONF_CHOICE, family, .words = "both ipv4 ipv6", .fallback = "\"both\"",
	.effect = CONF_RESTART, .help = "Internet protocols to use.")
KEY("network.group4", CONF_GROUP4, group4_text, .fallback = "\"224.0.0.254\"",
	.effect = CONF_SOCKETS, .help = "IPv4 multicast group of all hosts.")
KEY("network.group6", CONF_GROUP6, group6_text, .fallback = "\"ff02::114\"", .effect = CONF_SOCKETS,
	.help = "IPv6 multicast group of all hosts.")
KEY("network.port", CONF_INTEGER, port, 1, 65535, .fallback = "7543", .effect = CONF_SOCKETS,
	.help = "UDP port of the multicast groups, the same on all hosts.")
KEY("network.unicast_ports", CONF_PORTS, unicast_ports, .fallback = "\"7544-7575\"",
	.effect = CONF_SOCKETS, .help = "Own UDP port of this host: the first free one of these.")
KEY("network.hops", CONF_INTEGER, hops, 0, 16, .fallback = "0", .effect = CONF_SOCKETS,
	.help = "Routers allowed between hosts. Needs auth.mode = \"enforce\".")
KEY("network.peers", CONF_PEERS, peers, .fallback = "[ ]", .effect = CONF_SOCKETS,
	.help = "Addresses of some hosts, for networks without multicast.")
KEY("network.without_carrier", CONF_CHOICE, without_carrier, .words = "follow lead",
	.fallback = "\"follow\"", .help = "Role of a host that lost its last carrier or address.")
KEY("network.carrier_hold_ms", CONF_INTEGER, carrier_hold_ms, 0, 600000, .fallback = "30000",
	.help = "Longest wait for another host after the carrier came back.")
KEY("timing.profile", CONF_CHOICE, profile, .words = "lan fast fastest", .fallback = "\"lan\"",
	.help = "How fast a silent leader is noticed: sets the next three keys.")
KEY("timing.beacon_interval_ms", CONF_INTEGER, beacon_interval_ms, 10, 10000,
	.fallback = "(by profile: 200, 50, 10)",
	.help = "Time between two beacons of the coordinator.")
KEY("timing.dead_after_ms", CONF_INTEGER, dead_after_ms, 20, 100000,
	.fallback = "(by profile: 600, 600, 27)",
	.help = "Silence after which a coordinator counts as dead.")
KEY("timing.silence_ms", CONF_INTEGER, silence_ms, 0, 10000, .fallback = "(by profile: 200, 65, 0)",
	.help = "Early suspicion: how long a silent leader is asked. 0: off.")
KEY("timing.start_hold_ms", CONF_INTEGER, start_hold_ms, 10, 600000, .fallback = "(3 beacons)",
	.help = "How long a starting host listens before it acts.")
KEY("timing.lone_hold_ms", CONF_INTEGER, lone_hold_ms, 10, 600000,
	.fallback = "(2 times dead_after_ms)",
	.help = "How long a host that is alone, and may be cut off, waits to lead.")
KEY("timing.yield_timeout_ms", CONF_INTEGER, yield_timeout_ms, 100, 3600000,
	.fallback = "(hooks.timeout_ms + 6000)",
	.help = "Longest time for a leader to stop its work at a hand-over.")
KEY("timing.crash_wait_ms", CONF_INTEGER, crash_wait_ms, 0, 3600000,
	.fallback = "(yield_timeout_ms)",
	.help = "Longest wait for the work of a crashed leader. 0: none.")
KEY("quorum", CONF_INTEGER, quorum, 0, ELECT_HOSTS_MAX, .fallback = "0",
	.help = "No host leads in a group of fewer hosts. 0: off.")
KEY("health.required", CONF_NAMES, health_required, .fallback = "[ ]",
	.help = "Names that must be reported well before this host leads.")
KEY("health.nobody_well", CONF_CHOICE, nobody_well, .words = "none stay", .fallback = "\"none\"",
	.help = "If no host is well: no host leads, or the leader stays.")
KEY("auth.mode", CONF_CHOICE, auth_mode, .words = "auto enforce permissive receive-only",
	.fallback = "\"auto\"", .help = "Which messages are sent and accepted.")
KEY("auth.keys", CONF_PATH, auth_keys, .fallback = "\"electd.keys\"", .effect = CONF_RESTART,
	.help = "File with the secrets that all hosts of the domain share.")
KEY("definition.file", CONF_FILE, definition_file, .fallback = "(none)",
	.help = "Data that this host hands out while it coordinates.")
KEY("addresses", CONF_OWNED, addresses, .fallback = "[ ]", .effect = CONF_RELOAD,
	.help = "Addresses that the leader has. Needs electd-address.")
KEY("address.interface", CONF_INTERFACE, address_interface, .fallback = "(by the subnet)",
	.effect = CONF_RELOAD, .help = "Interface of all addresses that name none.")
KEY("address.lease_ms", CONF_INTEGER, address_lease_ms, 1000, 60000, .fallback = "1000",
	.effect = CONF_RELOAD,
	.help = "How long the kernel keeps an address that nobody refreshes.")
KEY("address.announce_s", CONF_INTEGER, address_announce_s, 1, 86400, .fallback = "60",
	.effect = CONF_RELOAD, .help = "Time between two announcements of an address.")
KEY("address.conflict", CONF_CHOICE, address_conflict, .words = "report resign",
	.fallback = "\"report\"", .effect = CONF_RELOAD,
	.help = "What follows if another machine claims an address.")
KEY("hooks.timeout_ms", CONF_INTEGER, hooks_timeout_ms, 100, 3600000, .fallback = "10000",
	.help = "Time for all scripts of one event together.")
KEY("hooks.on_failure", CONF_CHOICE, hooks_on_failure, .words = "ignore resign",
	.fallback = "\"ignore\"", .help = "Whether a leader whose script or unit fails hands over.")

#undef KEY
