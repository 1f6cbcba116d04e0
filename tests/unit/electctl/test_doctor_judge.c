/* SPDX-License-Identifier: Apache-2.0 */
/* The findings of doctor: each fault changes facts of a healthy LAN and gives one finding. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/elect.h"
#include "electctl/field.h"
#include "electctl/verbs/doctor/judge/inside.h"
#include "facts.h"
#include "unit/page.h"

enum { CHANGES_MAX = 5 };

struct fault {
	const char *name, *words, *remedy; /* text that the finding contains */
	struct {
		const char *path, *text;
	} changes[CHANGES_MAX];
};

#define SECOND                                                                                     \
	"{'interface': 'eth1', 'address': '10.1.0.1', 'carrier': true, 'deaf': false, 'back': "    \
	"true}"
#define BY_ETH0(answered) "{'interface': 'eth0', 'address': '10.0.0.9', 'answered': " answered "}"
#define BY_ETH1(answered) "{'interface': 'eth1', 'address': '10.1.0.9', 'answered': " answered "}"
#define BY(eth0, eth1)	  "[" BY_ETH0(eth0) ", " BY_ETH1(eth1) "]"

/* A problem of an interface in the reply of electd. */
#define NOTE(name, interface, other, text)                                                         \
	"{'name': '" name "', 'interface': '" interface "', 'other': '" other "', 'text': '" text  \
	"'}"

#define SIXTH                                                                                      \
	"{'interface': 'eth0', 'address': 'fe80::1', 'carrier': true, 'deaf': false, 'back': "     \
	"true}"
#define FAMILIES(four, six)                                                                        \
	"[" BY_ETH0(four) ", {'interface': 'eth0', 'address': 'fe80::2', 'answered': " six "}]"

/* An address that another program removed. */
#define REMOVED(address, by, often)                                                                \
	"{'addresses': [{'address': '" address "', 'interface': 'eth0', 'restored': 3, "           \
	"'restored_by': " by ", 'often': " often "}]}"

static const struct fault faults[] = {
	{ "service-failed", "electd-hookd.service has failed: exit-code, exit status 1",
		"journalctl -u electd-hookd.service",
		{ { "units.0",
			"{'name': 'electd-hookd.service', 'active': 'failed', 'result': "
			"'exit-code', 'exit': '1'}" } } },
	{ "late", "up to 450 ms late", "top", { { "doctor.lag_ms", "450" } } },
	{ "required-unreported", "pg is required, but was never reported", "electd-probe@pg",
		{ { "health.reports.0.health", "'unknown'" },
			{ "status.health.problems",
				"['pg is required and was never reported']" } } },
	{ "sick", "pg is sick: connection refused", "electctl well pg",
		{ { "health.reports.0.health", "'sick'" },
			{ "health.reports.0.words", "'connection refused'" },
			{ "status.health.problems", "['pg is sick: connection refused']" } } },
	{ "hook-failed", "the script 10-vip for the event leader: timed-out", "electctl hooks list",
		{ { "hooks.reports.0.ok", "false" }, { "hooks.reports.0.result", "'timed-out'" },
			{ "status.health.problems", "['hook 10-vip: timed out on leader']" } } },
	{ "unit-failed", "the unit db.service, which", "reset-failed db.service",
		{ { "hooks.reports.0",
			"{'script': 'db.service', 'event': 'leader', 'result': "
			"'unit-failed', 'ok': false}" } } },
	{ "problem", "the disk with the state file does not answer", "troubleshooting",
		{ { "status.health.problems",
			"['the disk with the state file does not answer']" } } },
	{ "problem", "the disk with the state file does not answer", "troubleshooting",
		{ { "health.reports.0.name", "'disk'" },
			{ "status.health.problems",
				"['the disk with the state file does not answer']" } } },
	{ "problem", "hook 10-vip-more: timed out on leader", "troubleshooting",
		{ { "status.health.problems", "['hook 10-vip-more: timed out on leader']" } } },
	{ "family-unused", "web9 is heard by IPv6 only", "network.family = \"both\"",
		{ { "status.health.problems",
			"['web9 is heard by IPv6 only, which this host does not use']" } } },
	{ "preempt-differs", "they disagree", "grep preempt",
		{ { "doctor.problems", "[{'name': 'preempt-differs', 'text': 'they disagree'}]" },
			{ "status.health.problems", "['they disagree']" } } },
	{ "yield-overrun", "yield-overrun: db.service had not ended", "yield_timeout_ms",
		{ { "status.health.problems", "['yield-overrun: db.service had not ended']" } } },
	{ "hookd-missing", "hookd-missing: it has ended", "systemctl status electd-hookd",
		{ { "status.health.problems", "['hookd-missing: it has ended']" } } },
	{ "address-late", "address-late: mover had not begun", "systemctl status electd-address",
		{ { "status.health.problems", "['address-late: mover had not begun']" } } },
	{ "address-lost", "address-lost: this host leads", "electctl address",
		{ { "status.health.problems", "['address-lost: this host leads without']" } } },
	{ "address-foreign", "address-foreign: this host has", "ip -br address",
		{ { "status.health.problems", "['address-foreign: this host has it']" } } },
	{ "address-kept", "address-kept: still", "ip address del",
		{ { "status.health.problems", "['address-kept: still here']" } } },
	{ "address-conflict", "address-conflict: another machine", "electctl address",
		{ { "status.health.problems", "['address-conflict: another machine']" } } },
	{ "lease-short", "lease-short: less", "set address.lease_ms",
		{ { "status.health.problems", "['lease-short: less than']" } } },
	{ "problem", "of a later electd", "troubleshooting",
		{ { "doctor.problems", "[{'name': 'of-later', 'text': 'of a later electd'}]" } } },

	{ "no-interface", "uses no network interface", "network.interfaces",
		{ { "doctor.paths", "[]" }, { "doctor.port", "0" },
			{ "doctor.problems", "[{'name': 'no-carrier', 'text': 'none'}]" } } },
	{ "interface-off", "eth0 (10.0.0.1) is down", "sudo ip link set dev eth0 up",
		{ { "doctor.paths", "[]" }, { "interfaces.0.up", "false" },
			{ "doctor.problems", "[{'name': 'no-carrier', 'text': 'none'}]" } } },
	{ "link-down", "eth0 has no carrier", "ip link show dev eth0",
		{ { "doctor.paths.0.carrier", "false" },
			{ "doctor.problems", "[{'name': 'no-carrier', 'text': 'none'}]" } } },
	{ "link-down", "eth0 has no carrier, because eth7 below it has none", "dev eth7",
		{ { "doctor.paths.0.carrier", "false" }, { "doctor.paths.0.dark", "'carrier'" },
			{ "doctor.paths.0.dark_at", "'eth7'" },
			{ "doctor.problems", "[{'name': 'no-carrier', 'text': 'none'}]" } } },
	{ "link-down", "spanning tree blocks its port eth7", "dev eth7",
		{ { "doctor.paths.0.carrier", "false" }, { "doctor.paths.0.dark", "'blocked'" },
			{ "doctor.paths.0.dark_at", "'eth7'" } } },
	{ "link-down", "eth0 has lost the port", "master eth0",
		{ { "doctor.paths.0.carrier", "false" }, { "doctor.paths.0.dark", "'lost'" },
			{ "interfaces.0.empty", "true" },
			{ "doctor.problems", "[{'name': 'no-carrier', 'text': 'none'}]" } } },
	{ "interface-missing", "network.interfaces names eth9", "ip -br link lists",
		{ { "doctor.links",
			  "[" NOTE("interface-missing", "eth9", "",
				  "network.interfaces names eth9, and more") "]" },
			{ "status.health.problems",
				"['interface-missing: network.interfaces names eth9, and "
				"more']" } } },
	{ "interface-missing", "network.interfaces names eth9", "sudo electctl reload",
		{ { "doctor.links",
			  "[" NOTE("interface-missing", "eth9", "",
				  "network.interfaces names eth9, and more") "]" },
			{ "doctor.paths", "[]" }, { "doctor.port", "0" },
			{ "doctor.problems", "[{'name': 'no-carrier', 'text': 'none'}]" } } },
	{ "interface-off", "eth1 is switched off", "sudo ip link set eth1 up",
		{ { "doctor.links",
			  "[" NOTE("interface-off", "eth1", "", "eth1 is switched off") "]" },
			{ "interfaces.1.up", "false" }, { "doctor.paths", "[]" },
			{ "doctor.port", "0" } } },
	{ "no-multicast", "wg0 cannot multicast", "sudo ip link set wg0 multicast on",
		{ { "doctor.links",
			"[" NOTE("no-multicast", "wg0", "", "wg0 cannot multicast") "]" } } },
	{ "no-address", "nothing is used before eth0 has an address", "dev eth0",
		{ { "doctor.links",
			  "[" NOTE("no-address", "eth0", "",
				  "nothing is used before eth0 has an address") "]" },
			{ "doctor.paths", "[]" }, { "doctor.port", "0" },
			{ "doctor.problems", "[{'name': 'no-carrier', 'text': 'none'}]" } } },
	{ "interface-port", "eth1 hands all to br0", "network.interfaces = [ \"br0\" ]",
		{ { "doctor.links",
			"[" NOTE(
				"interface-port", "eth1", "br0", "eth1 hands all to br0") "]" } } },
	{ "interfaces-left-out", "and not v17", "sudo electctl reload",
		{ { "doctor.links",
			  "[" NOTE("interfaces-left-out", "v17", "",
				  "at most 16, and not v17") "]" },
			{ "status.health.problems",
				"['interfaces-left-out: at most 16, and not v17']" } } },
	{ "links-cut", "3 links", "ip -o link",
		{ { "doctor.links", "[" NOTE("links-cut", "", "", "3 links") "]" } } },
	{ "links-unreadable", "cannot be read", "sudo systemctl restart electd",
		{ { "doctor.links", "[" NOTE("links-unreadable", "", "", "cannot be read") "]" },
			{ "doctor.paths", "[]" }, { "doctor.port", "0" } } },
	{ "vrf-unheard", "eth0 belongs to the VRF blue",
		"sudo sysctl -w net.ipv4.udp_l3mdev_accept=1; to keep it after a boot: echo "
		"net.ipv4.udp_l3mdev_accept=1 | sudo tee /etc/sysctl.d/90-electd.conf",
		{ { "doctor.links", "[" NOTE("vrf-unheard", "eth0", "blue", "in a VRF") "]" },
			{ "doctor.paths.0.back", "false" }, { "doctor.paths.0.vrf", "'blue'" },
			{ "udp_l3mdev_accept", "0" },
			{ "status.health.problems", "['vrf-unheard: in a VRF']" } } },
	{ "vrf-unheard", "eth0 belongs to the VRF blue",
		"sudo sysctl -w", /* electd reports it only after a second */
		{ { "doctor.paths.0.vrf", "'blue'" }, { "udp_l3mdev_accept", "0" },
			{ "doctor.paths.0.back", "false" } } },
	{ "cannot-join", "cannot join the multicast group 224.0.0.254 on eth0",
		"igmp_max_memberships", { { "doctor.paths.0.deaf", "true" } } },
	{ "interface-unused",
		"10.1.0.9 of this domain is heard on eth1, which electd does not use; "
		"it uses eth0",
		"[ \"eth1\" ]",
		{ { "ear",
			"[{'interface': 'eth1', 'address': '10.1.0.9', 'id': '09', "
			"'domain_hash': 77}]" } } },
	{ "interface-unused", "10.1.0.9 of this domain is heard on eth1",
		"set network.interfaces = [ \"eth0\", \"eth1\" ] in electd.conf",
		{ { "doctor.hosts.0.by",
			  "[{'interface': 'eth0', 'address': '10.0.0.2', 'heard_ms': 90, "
			  "'answered': true}]" },
			{ "ear",
				"[{'interface': 'eth1', 'address': '10.1.0.9', 'id': '09', "
				"'domain_hash': 77}]" } } },
	{ "interface-other", "datagrams of 10.1.0.9 arrive on eth1", "[ \"eth1\" ]",
		{ { "doctor.refused.0",
			"{'reason': 'interface', 'count': 1, 'last_ms': 50, "
			"'address': '10.1.0.9', 'interface': 'eth1', 'ttl': 255}" } } },
	{ "address-taken", "another machine, 02:00:00:00:00:09, has the address 10.0.0.1",
		"ip -br address",
		{ { "twice",
			"[{'interface': 'eth0', 'address': '10.0.0.1', 'mac': "
			"'02:00:00:00:00:09'}]" } } },
	{ "address-taken", "has the address fe80::1 of this host on eth0, so the kernel",
		"dadfailed",
		{ { "doctor.paths.1",
			"{'interface': 'eth0', 'address': 'fe80::1', 'carrier': false, 'deaf': "
			"false, 'back': false, 'duplicate': true}" } } },
	{ "address-twice", "web2 and web3 both send from 10.0.0.2 port 7544", "ip -br address",
		{ { "doctor.hosts.1.address", "'10.0.0.2'" } } },
	{ "multicast-not-back", "multicast that this host sends on eth0 does not come back",
		"sudo electctl doctor", { { "doctor.paths.0.back", "false" } } },
	{ "firewall",
		"the rule with handle 7 in chain inet filter in on this host drops multicast from "
		"other hosts",
		"nft insert rule inet filter in udp dport '{ 7543, 7544-7575 }' accept",
		{ { "ruleset.nftables",
			  "[{'chain': {'family': 'inet', 'table': 'filter', 'name': 'in', 'type': "
			  "'filter', 'hook': 'input', 'policy': 'accept'}},"
			  "{'rule': {'family': 'inet', 'table': 'filter', 'chain': 'in', 'handle': "
			  "7,"
			  " 'expr': [{'match': {'op': '==', 'left': {'payload': {'protocol': "
			  "'udp', "
			  "'field': 'dport'}}, 'right': 7543}}, {'drop': null}]}}]" },
			{ "doctor.paths.0.back", "false" },
			{ "doctor.hosts.0.answered_all", "false" } } },
	{ "multicast-not-back", "sends on eth0", "sudo electctl doctor",
		{ { "doctor.paths.0.back", "false" }, { "doctor.hosts.0.answered_all", "false" },
			{ "doctor.hosts.0.answered_one", "true" } } },

	{ "one-way", "web2 (10.0.0.2) is heard here, but does not hear", "on web2",
		{ { "doctor.hosts.0.answered_all", "false" } } },
	{ "multicast-unheard", "web2 (10.0.0.2) receives unicast of this host",
		"IGMP and MLD snooping",
		{ { "doctor.hosts.0.answered_all", "false" },
			{ "doctor.hosts.0.answered_one", "true" } } },
	{ "multicast-lost", "although web2 (10.0.0.2) answers", "ip maddress",
		{ { "status.group.coordinator", "'" ID2 "'" } } },
	{ "multicast-lost", "although web2 (10.0.0.2) answers", "224.0.0.254",
		{ { "status.members", "[{'id': '" ID1 "'}]" } } },
	{ "multicast-stops",
		"224.0.0.254 stopped reaching this host 5 s ago, after 20 s of reception; web2 "
		"(10.0.0.2) still answers unicast",
		"snooping (IGMP, MLD)",
		{ { "status.group.coordinator", "'" ID2 "'" }, { "doctor.to_all_ms", "5100" },
			{ "doctor.to_all_since_ms", "25100" } } },
	{ "multicast-stops", "multicast to ff02::114 stopped", "forgets members",
		{ { "doctor.paths.0", SIXTH }, { "status.group.coordinator", "'" ID2 "'" },
			{ "doctor.to_all_ms", "5100" }, { "doctor.to_all_since_ms", "25100" } } },
	{ "one-link", "web3 answers only on eth0, no longer on eth1, where other hosts do",
		"on web3",
		{ { "doctor.paths.1", SECOND }, { "doctor.hosts.0.by", BY("true", "true") },
			{ "doctor.hosts.1.by", BY("true", "false") } } },
	{ "link-silent", "no host answers on eth1 any more, but hosts answer on eth0", "dev eth1",
		{ { "doctor.paths.1", SECOND }, { "doctor.hosts.0.by", BY("true", "false") },
			{ "doctor.hosts.1.by", BY("true", "false") } } },
	{ "family-silent", "on eth0 only IPv4 works; IPv6 worked", "filters IPv6",
		{ { "doctor.paths.1", SIXTH }, { "doctor.hosts.0.by", FAMILIES("true", "false") },
			{ "doctor.hosts.1.by", "[" BY_ETH0("true") "]" } } },
	{ "one-family", "only IPv4 works with web3 on eth0; IPv6 worked", "on web3",
		{ { "doctor.paths.1", SIXTH }, { "doctor.hosts.0.by", FAMILIES("true", "true") },
			{ "doctor.hosts.1.by", FAMILIES("true", "false") } } },
	{ "one-family", "only IPv6 works with web3 on eth0; IPv4 worked", "filter IPv4",
		{ { "doctor.paths.1", SIXTH }, { "doctor.hosts.0.by", FAMILIES("true", "true") },
			{ "doctor.hosts.1.by", FAMILIES("false", "true") } } },
	{ "peer-silent", "the peer 192.0.2.7 does not answer", "UDP 7544 to 7575 reaches it",
		{ { "status.peers",
			"[{'address': '192.0.2.7', 'port': null, 'state': 'silent'}, "
			"{'address': '192.0.2.8', 'port': null, 'state': 'member'}]" } } },
	{ "peer-silent", "the peer 192.0.2.7 does not answer", "ping",
		{ { "status.peers",
			"[{'address': '192.0.2.7', 'port': null, 'state': 'heard', 'heard_ms': "
			"12000}, {'address': '192.0.2.8', 'port': null, 'state': 'heard', "
			"'heard_ms': 400}]" } } },
	{ "peer-silent", "the peer 2001:db8::7 does", "UDP 7550 reaches",
		{ { "status.peers",
			"[{'address': '2001:db8::7', 'port': 7550, 'state': 'silent'}]" } } },
	{ "peer-silent", "the route to it is by tun0, which electd does not use",
		"name tun0 in network.interfaces",
		{ { "status.peers", "[{'address': '192.0.2.7', 'port': null, 'state': 'silent'}]" },
			{ "peer_routes", "[{'to': '192.0.2.7', 'by': 'tun0'}]" } } },
	{ "peer-silent", "the peer 192.0.2.7 does not answer", "ping",
		{ { "status.peers", "[{'address': '192.0.2.7', 'port': null, 'state': 'silent'}]" },
			{ "peer_routes", "[{'to': '192.0.2.7', 'by': 'eth0'}]" } } },
	{ "peer-unreachable", "leads to the peer 192.0.2.7", "ip route get 192.0.2.7",
		{ { "status.peers",
			"[{'address': '192.0.2.7', 'port': null, 'state': 'unreachable'}]" } } },
	{ "nat",
		"datagrams of 10.9.0.2 with a key number of this host have a wrong tag (not "
		"authentic): a NAT",
		"ip route get 10.9.0.2",
		{ { "doctor.refused.0.reason", "'tag'" },
			{ "doctor.refused.0.address", "'10.9.0.2'" } } },
	{ "cannot-join", "cannot join the multicast group ff02::114 on eth0", "optmem_max",
		{ { "doctor.paths.1",
			"{'interface': 'eth0', 'address': 'fe80::1', 'carrier': true, 'deaf': "
			"true, 'back': true}" } } },
	{ "routed", "from 10.0.0.3 arrive with TTL 254", "ip route get 10.0.0.3",
		{ { "doctor.refused.1.last_ms", "300" },
			{ "doctor.refused.1.address", "'10.0.0.3'" } } },
	{ "other-domain", "\"default\" is heard, but one of another domain: 10.0.0.5",
		"electctl status",
		{ { "doctor.hosts", "[]" }, { "doctor.refused.0.reason", "'domain'" },
			{ "doctor.refused.0.address", "'10.0.0.5'" } } },
	{ "other-protocol",
		"10.0.0.2 sends datagrams that this electd does not understand: version",
		"electctl --version", { { "doctor.refused.0.reason", "'version'" } } },
	{ "apart", "web9 coordinates another group, heard by web2", "on web9",
		{ { "status.foreign",
			  "[{'id': '09', 'name': 'web9', 'heard_by': {'name': 'web2'}}]" },
			{ "doctor.problems", "[{'name': 'broken-links', 'text': 'broken'}]" } } },
	{ "timings-differ",
		"web3 sends a beacon every 500 ms and has dead_after_ms 1500; this host has 200 "
		"and 600",
		"on web3",
		{ { "doctor.hosts.1.timings", "{'beacon_ms': 500, 'dead_after_ms': 1500}" },
			{ "doctor.hosts.1.timings_ms", "300" },
			{ "doctor.problems", "[{'name': 'timings-differ', 'text': 'differ'}]" } } },
	{ "timings-differ", "differ", "sed -n '/timing/,/}/p'",
		{ { "doctor.problems", "[{'name': 'timings-differ', 'text': 'differ'}]" } } },
	{ "other-key", "10.0.0.7 sends with key 2", "electctl keys list",
		{ { "status.other_keys",
			"[{'key': 2, 'address': '10.0.0.7', 'last_heard_ms': 90}]" } } },
	{ "no-key", "10.0.0.7 sends without a key file", "on 10.0.0.7",
		{ { "status.other_keys",
			"[{'key': 0, 'address': '10.0.0.7', 'last_heard_ms': 90}]" } } },
	{ "reverse-filter",
		"the kernel drops datagrams of 10.0.0.2 that arrive on eth0: rp_filter is 1 there, "
		"and the route to 10.0.0.2 is by eth1",
		"net.ipv4.conf.eth0.rp_filter=2", { { "routes.0.by", "'eth1'" } } },
	{ "reverse-filter", "rp_filter is set there, and no route leads",
		"ip rule add pref 100 to 10.0.0.0/24 lookup main",
		{ { "routes.0.by", "''" }, { "routes.0.rp_filter", "2" } } },
	{ "nat", "what this host sends comes back from 10.0.0.200: address",
		"udp dport { 7543, 7544-7575 } notrack",
		{ { "status.health.problems",
			  "['what this host sends comes back from 10.0.0.200: address "
			  "translation']" },
			{ "doctor.refused.0.reason", "'tag'" },
			{ "doctor.paths.0.back", "false" } } },
	{ "other-secret", "or 10.0.0.2 is a router", "must not change UDP { 7543, 7544-7575 }",
		{ { "doctor.refused.0.reason", "'tag'" },
			{ "status.health.problems",
				"['what 10.0.0.2 sends is not authentic: address "
				"translation']" } } },
	{ "other-secret", "datagrams of 10.0.0.2 with a key number of this host",
		"electctl keys list", { { "doctor.refused.0.reason", "'tag'" } } },
};

static json_t *judged(const struct fault *f)
{
	json_t *facts = healthy(), *findings = json_array();

	for (size_t i = 0; f && i < CHANGES_MAX && f->changes[i].path; i++)
		put(facts, f->changes[i].path, f->changes[i].text);
	judge(facts, findings);
	json_decref(facts);
	return findings;
}

static void a_healthy_lan_gives_no_finding(void **state)
{
	json_t *findings = judged(NULL);

	(void)state;
	assert_int_equal(json_array_size(findings), 0);
	json_decref(findings);
}

/* A fault must give one finding, because ten findings do not show which one is the cause. */
static void each_fault_gives_one_finding_with_its_remedy(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		json_t *findings = judged(&faults[i]), *first = json_array_get(findings, 0);

		if (json_array_size(findings) != 1 ||
			strcmp(field_text(first, "name", NULL), faults[i].name) != 0 ||
			strcmp(field_text(first, "weight", NULL), "fault") != 0 ||
			!strstr(field_text(first, "words", NULL), faults[i].words) ||
			!strstr(field_text(first, "remedy", NULL), faults[i].remedy) ||
			strchr(field_text(first, "words", NULL), '?') || /* a missing argument */
			strchr(field_text(first, "remedy", NULL), '?'))
			fail_msg("%s: %s", faults[i].name, json_dumps(findings, JSON_INDENT(1)));
		json_decref(findings);
	}
}

static void a_hint_is_no_fault(void **state)
{
	static const struct fault hints[] = {
		{ "not-authenticated", NULL, NULL, { { "status.auth.authenticated", "false" } } },
		{ "stood-still", NULL, NULL, { { "doctor.gaps", "2" } } },
		{ "address-restored",
			"another program removed the leader's address 2001:db8::1 from eth0",
			"KeepConfiguration=yes",
			{ { "addresses", REMOVED("2001:db8::1", "null", "true") } } },
		{ "address-restored", "systemd-network removed the leader's address 192.0.2.1",
			"KeepConfiguration=yes",
			{ { "addresses", REMOVED("192.0.2.1", "'systemd-network'", "true") } } },
		{ "address-restored", "NetworkManager removed the leader's address 192.0.2.1",
			"unmanaged-devices=interface-name:eth0",
			{ { "addresses", REMOVED("192.0.2.1", "'NetworkManager'", "true") } } },
		{ "stop-too-slow", NULL, NULL,
			{ { "slow_stops", "[{'name': 'db.service', 'words': 'too slow'}]" } } },
		{ "bridge-empty", NULL, NULL,
			{ { "doctor.paths.1",
				  "{'interface': 'docker0', 'address': '172.17.0.1', 'carrier': "
				  "false, 'deaf': false, 'back': false}" },
				{ "interfaces.1",
					"{'name': 'docker0', 'address': '172.17.0.1', 'up': true, "
					"'empty': true}" } } },
		{ "interface-unmatched", NULL, NULL,
			{ { "doctor.links",
				"[" NOTE("interface-unmatched", "v*", "", "none") "]" } } },
		{ "guests-only", NULL, NULL,
			{ { "doctor.links", "[" NOTE("guests-only", "br0", "", "guests") "]" } } },
		{ "default-route-tunnel", NULL, NULL,
			{ { "doctor.links",
				"[" NOTE("default-route-tunnel", "tun0", "", "a tunnel") "]" } } },
		{ "kernel-silent", NULL, NULL,
			{ { "doctor.problems",
				"[{'name': 'kernel-silent', 'text': 'silent'}]" } } },
		{ "versions-differ", NULL, NULL, { { "doctor.hosts.0.version", "'1.2.2'" } } },
		{ "versions-differ", NULL, NULL, { { "doctor.hosts.0.version", "null" } } },
		{ "fewer-links", NULL, NULL,
			{ { "doctor.paths.1", SECOND }, { "doctor.hosts.0.by", BY("true", "true") },
				{ "doctor.hosts.1.by", "[" BY_ETH0("true") "]" } } },
		{ "link-never", NULL, NULL,
			{ { "doctor.paths.1", SECOND },
				{ "doctor.hosts.0.by", "[" BY_ETH0("true") "]" },
				{ "doctor.hosts.1.by", "[" BY_ETH0("true") "]" } } },
		{ "nobody-heard-ever", NULL, NULL, { { "doctor.hosts", "[]" } } },
		{ "nobody-heard-ever", NULL, NULL, /* another instance on this host is heard */
			{ { "doctor.hosts", "[]" }, { "doctor.refused.0.reason", "'domain'" },
				{ "doctor.refused.0.address", "'10.0.0.1'" } } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(hints) / sizeof(*hints); i++) {
		json_t *findings = judged(&hints[i]), *first = json_array_get(findings, 0);

		assert_int_equal(json_array_size(findings), 1);
		assert_string_equal(field_text(first, "name", NULL), hints[i].name);
		if (hints[i].words)
			assert_non_null(strstr(field_text(first, "words", NULL), hints[i].words));
		if (hints[i].remedy)
			assert_non_null(strstr(field_text(first, "remedy", NULL), hints[i].remedy));
		assert_false(found_fault(findings));
		json_decref(findings);
	}
}

static void a_lonely_host_lists_its_unused_interfaces(void **state)
{
	static const struct fault alone = { .changes = { { "doctor.hosts", "[]" } } };
	json_t *findings = judged(&alone);

	(void)state;
	assert_string_equal(field_text(json_array_get(findings, 0), "words", NULL),
		"no other host of the domain \"default\" is heard; this host uses eth0 10.0.0.1; "
		"up, "
		"but not used: eth1 10.1.0.1");
	json_decref(findings);
}

/* Facts that look like a fault. */
static void harmless_facts_give_no_finding(void **state)
{
	static const struct fault none[] = {
		/* The kernel passes all datagrams of a VRF to electd. */
		{ .changes = { { "doctor.paths.0.vrf", "'blue'" }, { "udp_l3mdev_accept", "1" } } },
		/* The host left before it was asked. */
		{ .changes = { { "doctor.hosts.0.answered_all", "false" },
			  { "doctor.hosts.0.to_one_ms", "5000" } } },
		/* Members send each other no beacons. */
		{ .changes = { { "doctor.hosts.1.to_all_ms", "null" } } },
		/* The coordinator's beacons arrive. */
		{ .changes = { { "status.group.coordinator", "'" ID2 "'" },
			  { "doctor.hosts.0.to_all_ms", "150" } } },
		/* The host is heard by the interface in use, too: two cables to one LAN. */
		{ .changes = { { "ear",
				       "[{'interface': 'eth1', 'address': '10.1.0.2', 'id': '" ID2
				       "', 'domain_hash': 77}]" },
			  { "doctor.hosts.0.to_all_ms", "150" } } },
		/* The interface is in use by now, and electd refused the datagram. */
		{ .changes = { { "ear",
			  "[{'interface': 'eth0', 'address': '10.0.0.9', 'id': '09', "
			  "'domain_hash': 77}]" } } },
		/* This host itself, and another domain. */
		{ .changes = { { "ear",
			  "[{'interface': 'eth1', 'address': '10.0.0.1', 'id': '" ID1
			  "', 'domain_hash': 77}, {'interface': 'eth1', 'address': "
			  "'10.1.0.2', 'id': '09', 'domain_hash': 78}]" } } },
		/* Two instances may share one address. */
		{ .changes = { { "doctor.hosts.1.address", "'10.0.0.2'" },
			  { "doctor.hosts.1.port", "7545" } } },
		/* The host that had this address no longer sends. */
		{ .changes = { { "doctor.hosts.1.address", "'10.0.0.2'" },
			  { "doctor.hosts.1.to_one_ms", "60000" } } },
		/* No multicast is sent, so none is missing. */
		{ .changes = { { "doctor.multicasts", "false" }, { "doctor.paths.0.back", "false" },
			  { "status.group.coordinator", "'" ID2 "'" } } },
		/* Both links work. */
		{ .changes = { { "doctor.paths.1", SECOND },
			  { "doctor.hosts.0.by", BY("true", "true") },
			  { "doctor.hosts.1.by", BY("true", "true") } } },
		/* A host that has gone answers by no link. */
		{ .changes = { { "doctor.paths.1", SECOND },
			  { "doctor.hosts.0.by", BY("true", "true") },
			  { "doctor.hosts.1.by", BY("false", "false") },
			  { "doctor.hosts.1.to_one_ms", "null" },
			  { "doctor.hosts.1.answered_all", "false" } } },
		/* The question is still running. */
		{ .changes = { { "doctor.over", "false" }, { "doctor.paths.0.back", "false" } } },
		/* A LAN of several domains. */
		{ .changes = { { "doctor.refused.0.reason", "'domain'" } } },
		/* The timings of before a reload. */
		{ .changes = { { "doctor.hosts.1.timings",
			  "{'beacon_ms': 500, 'dead_after_ms': 1500}" } } },
		/* Coordinators that are about to merge. */
		{ .changes = { { "status.foreign", "[{'name': 'web9', 'heard_by': null}]" } } },
		{ .changes = { { "status.other_keys",
			  "[{'key': 2, 'address': '10.0.0.7', 'last_heard_ms': 200000}]" } } },
		{ .changes = { { "addresses", REMOVED("192.0.2.1", "null", "false") } } },
		{ .changes = { { "hooks.reports.0.result", "'gone'" },
			  { "hooks.reports.0.ok", "false" } } },
		{ .changes = { { "health.reports.0.required", "false" },
			  { "health.reports.0.health", "'unknown'" } } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
		json_t *findings = judged(&none[i]);

		if (json_array_size(findings))
			fail_msg("%zu: %s", i, json_dumps(findings, JSON_INDENT(1)));
		json_decref(findings);
	}
}

/* All facts from electd are missing; the unit names the cause. */
static void the_cause_of_a_stopped_electd_is_named_first(void **state)
{
	static const struct {
		const char *exit, *name;
	} causes[] = { { "78", "configuration" }, { "74", "state-file" },
		{ "71", "service-failed" } };
	char unit[160];

	(void)state;
	for (size_t i = 0; i < sizeof(causes) / sizeof(*causes); i++) {
		json_t *facts = healthy(), *findings = json_array();

		json_object_del(facts, "status");
		json_object_del(facts, "doctor");
		json_object_del(facts, "health");
		json_object_del(facts, "hooks");
		snprintf(unit, sizeof unit,
			"[{'name': 'electd.service', 'active': 'failed', 'result': 'exit-code', "
			"'exit': '%s'}]",
			causes[i].exit);
		put(facts, "units", unit);
		judge(facts, findings);
		assert_int_equal(json_array_size(findings), 2);
		assert_string_equal(
			field_text(json_array_get(findings, 0), "name", NULL), causes[i].name);
		assert_string_equal(
			field_text(json_array_get(findings, 1), "name", NULL), "not-running");
		json_decref(findings);
		json_decref(facts);
	}
}

static void the_owner_of_the_port_is_named(void **state)
{
	json_t *facts =
		read_json("{'unit': 'electd.service', 'taken': {'port': 7543, 'last': 7543, 'who': "
			  "'process 9 (nc) of user bob (uid 7)'}}");
	json_t *findings = json_array();

	(void)state;
	judge(facts, findings);
	assert_string_equal(field_text(json_array_get(findings, 0), "words", NULL),
		"UDP port 7543 is taken by process 9 (nc) of user bob (uid 7)");
	json_decref(findings);
	json_decref(facts);
}

static void the_owner_of_the_whole_port_range_is_named(void **state)
{
	json_t *facts =
		read_json("{'unit': 'electd.service', 'taken': {'port': 7544, 'last': 7575, 'who': "
			  "'process 9 (nc) of uid 7'}}");
	json_t *findings = json_array();

	(void)state;
	judge(facts, findings);
	assert_string_equal(field_text(json_array_get(findings, 0), "words", NULL),
		"no UDP port from 7544 to 7575 is free: 7544 is taken by process 9 (nc) of uid 7");
	json_decref(findings);
	json_decref(facts);
}

/* The output must fit on a screen. */
static void only_eight_of_many_hosts_are_named(void **state)
{
	json_t *facts = healthy(), *findings = json_array();
	char path[32], host[200];

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		snprintf(path, sizeof path, "doctor.hosts.%u", i);
		snprintf(host, sizeof host,
			"{'id': '%02u', 'name': 'w%u', 'address': '10.0.1.%u', 'port': 7544, "
			"'to_all_ms': 100, 'answered_all': false, 'answered_one': false}",
			i, i, i);
		json_array_append_new(
			json_object_get(json_object_get(facts, "doctor"), "hosts"), json_null());
		put(facts, path, host);
	}
	json_array_remove(json_object_get(json_object_get(facts, "doctor"), "hosts"), 21);
	json_array_remove(json_object_get(json_object_get(facts, "doctor"), "hosts"), 20);
	judge(facts, findings);
	assert_int_equal(json_array_size(findings), JUDGE_NAMED_MAX);
	json_decref(findings);
	json_decref(facts);
}

/* ---- the table ------------------------------------------------------------------------------- */

static void each_finding_has_a_name_words_and_a_remedy(void **state)
{
	(void)state;
	for (unsigned i = 0; i < FINDINGS; i++) {
		assert_true(strlen(finding_name((enum finding)i)) > 2);
		assert_true(strlen(finding_words((enum finding)i)) > 2);
		assert_true(strlen(finding_remedy((enum finding)i)) > 5);
	}
}

/* Is `name` listed: ".It Li one-link , link-silent", ".Li problem :"? */
static bool is_listed(const char *page, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = page; (at = strstr(at, name)); at += length) {
		const char *line = at;

		while (line > page && line[-1] != '\n')
			line--;
		if (at[-1] == ' ' && strchr(" \n", at[length]) &&
			(!strncmp(line, ".It Li ", 7) || !strncmp(line, ".Li ", 4)))
			return true;
	}
	return false;
}

static void each_finding_is_in_the_manual(void **state)
{
	const char *page = page_read("electctl.1");

	(void)state;
	for (unsigned i = 0; i < FINDINGS; i++)
		if (!is_listed(page, finding_name((enum finding)i)))
			fail_msg("the page has no %s", finding_name((enum finding)i));
}

static void each_problem_of_the_core_is_a_finding(void **state)
{
	json_t *findings = json_array();

	(void)state;
	for (unsigned i = 0; i < ELECT_PROBLEMS; i++) {
		found_problem(findings, elect_problem_row(i)->name, "its text");
		assert_string_equal(field_text(json_array_get(findings, i), "name", NULL),
			elect_problem_row(i)->name);
		assert_string_equal(
			field_text(json_array_get(findings, i), "words", NULL), "its text");
	}
	json_decref(findings);
}

static const char *remedy_of(const json_t *findings, size_t i)
{
	return field_text(json_array_get(findings, i), "remedy", NULL);
}

/* The remedy for the main instance does not help another one. */
static void remedies_name_the_instance(void **state)
{
	json_t *findings = json_array();

	(void)state;
	found(findings, FOUND_CONFIGURATION, "electd@red.service", NULL);
	found(findings, FOUND_UNIT_BROKEN, "electd@red.service", "signal", "9", NULL);
	found(findings, FOUND_UNUSED_INTERFACE, "eth1", "10.1.0.9", "eth0", "\"eth1\"", NULL);
	found(findings, FOUND_NO_KEY, "10.0.0.2", NULL);
	found(findings, FOUND_OTHER_VERSION, "10.0.0.2", "version", NULL);
	found_problem(findings, "not-persisted", "full");
	findings_for_instance(findings, "remedy", "");
	assert_string_equal(remedy_of(findings, 2),
		"set network.interfaces = [ \"eth1\" ] in electd.conf, then sudo electctl reload");
	findings_for_instance(findings, "remedy", "red");
	assert_non_null(strstr(remedy_of(findings, 0),
		": sudo electd --config /etc/electd/red.conf --check-config"));
	assert_non_null(strstr(remedy_of(findings, 1), "systemctl restart electd@red.service"));
	assert_string_equal(remedy_of(findings, 2),
		"set network.interfaces = [ \"eth1\" ] in red.conf, then sudo electctl --domain "
		"red "
		"reload");
	assert_non_null(strstr(remedy_of(findings, 3), "restart electd@red there"));
	assert_non_null(strstr(remedy_of(findings, 4), "electctl --version; install"));
	assert_non_null(strstr(remedy_of(findings, 5), "df -h /var/lib/electd-red;"));
	json_decref(findings);
}

static void a_repeated_finding_is_reported_once(void **state)
{
	json_t *findings = json_array();

	(void)state;
	found(findings, FOUND_LINK_DOWN, "eth0", NULL);
	found(findings, FOUND_LINK_DOWN, "eth0", NULL);
	found(findings, FOUND_LINK_DOWN, "eth1", NULL);
	assert_int_equal(json_array_size(findings), 2);
	assert_string_equal(field_text(json_array_get(findings, 1), "remedy", NULL),
		"ip link show dev eth1; then check its cable and the port of the switch");
	assert_true(found_any(findings, FOUND_LINK_DOWN));
	assert_false(found_any(findings, FOUND_ROUTED));
	json_decref(findings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_healthy_lan_gives_no_finding),
		cmocka_unit_test(each_fault_gives_one_finding_with_its_remedy),
		cmocka_unit_test(a_hint_is_no_fault),
		cmocka_unit_test(a_lonely_host_lists_its_unused_interfaces),
		cmocka_unit_test(harmless_facts_give_no_finding),
		cmocka_unit_test(the_cause_of_a_stopped_electd_is_named_first),
		cmocka_unit_test(the_owner_of_the_port_is_named),
		cmocka_unit_test(the_owner_of_the_whole_port_range_is_named),
		cmocka_unit_test(only_eight_of_many_hosts_are_named),
		cmocka_unit_test(each_finding_has_a_name_words_and_a_remedy),
		cmocka_unit_test(each_problem_of_the_core_is_a_finding),
		cmocka_unit_test(each_finding_is_in_the_manual),
		cmocka_unit_test(remedies_name_the_instance),
		cmocka_unit_test(a_repeated_finding_is_reported_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
