/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration texts that are allowed, the errors of others, and the resulting values. */
#include "text.h"

#include <errno.h>

/* Replaces gethostname(3) of libc, and like it returns no truncated name. */
static const char *host_name = "web";

int gethostname(char *name, size_t size)
{
	if (strlen(host_name) >= size) {
		errno = ENAMETOOLONG;
		return -1;
	}
	snprintf(name, size, "%s", host_name);
	return 0;
}

/* ---- defaults --------------------------------------------------------------------------- */

static void an_empty_text_gives_the_defaults_of_the_manual(void **state)
{
	struct conf c = parsed("");

	(void)state;
	assert_string_equal(c.domain, "default");
	assert_int_equal(c.elect.priority, 100);
	assert_false(c.elect.preempt);
	assert_int_equal(c.elect.preempt_delay_us, 0);
	assert_int_equal(c.interfaces.count, 0);
	assert_int_equal(c.address.family, 0);
	assert_string_equal(c.family, "both");
	assert_true(c.ipv4 && c.ipv6);
	assert_memory_equal(c.group6.bytes, "\xff\x02\0\0\0\0\0\0\0\0\0\0\0\0\x01\x14", 16);
	assert_int_equal(c.group6.port, 7543);
	assert_memory_equal(c.group4.bytes, "\xe0\x00\x00\xfe", 4);
	assert_int_equal(c.group4.family, 4);
	assert_int_equal(c.group4.port, 7543);
	assert_int_equal(c.port, 7543);
	assert_int_equal(c.unicast_ports.first, 7544);
	assert_int_equal(c.unicast_ports.last, 7575);
	assert_int_equal(c.elect.timings.beacon_us, 200000);
	assert_int_equal(c.elect.timings.dead_after_us, 600000);
	assert_int_equal(c.elect.start_hold_us, 600000);
	assert_int_equal(c.elect.lone_hold_us, 1200000);
	assert_int_equal(c.elect.yield_timeout_us, 16000000);
	assert_int_equal(c.elect.carrier_hold_us, 30000000);
	assert_int_equal(c.elect.sick_bar_us, 30000000);
	assert_int_equal(c.elect.silence_us, 200000);
	assert_false(c.elect.leads_without_carrier);
	assert_int_equal(c.elect.quorum, 0);
	assert_string_equal(c.auth_mode, "auto");
	assert_string_equal(c.auth_keys, "electd.keys");
	assert_false(c.id_set || c.keys_named);
	assert_true(elect_id_is_zero(&c.elect.id));
	assert_true(elect_name_valid(c.elect.name));
}

static void computed_defaults_follow_the_values_that_are_set(void **state)
{
	struct conf c = parsed("timing: { beacon_interval_ms = 1000; dead_after_ms = 2500; };");

	(void)state;
	assert_int_equal(c.elect.start_hold_us, 3000000);
	assert_int_equal(c.elect.lone_hold_us, 5000000);
	c = parsed("timing: { start_hold_ms = 50; lone_hold_ms = 60; yield_timeout_ms = 700; };");
	assert_int_equal(c.elect.start_hold_us, 50000);
	assert_int_equal(c.elect.lone_hold_us, 60000);
	assert_int_equal(c.elect.yield_timeout_us, 700000);
	assert_int_equal(c.elect.crash_wait_us, 700000);
}

/* 0 is a value: no host is waited for. */
static void a_crashed_host_is_waited_for_as_long_as_configured(void **state)
{
	struct conf c = parsed("timing: { crash_wait_ms = 0; };");

	(void)state;
	assert_int_equal(c.elect.crash_wait_us, 0);
	c = parsed("timing: { yield_timeout_ms = 700; crash_wait_ms = 900; };");
	assert_int_equal(c.elect.crash_wait_us, 900000);
	c = parsed("hooks: { timeout_ms = 4000; };");
	assert_int_equal(c.elect.crash_wait_us, 10000000);
}

/* 1.2 beacon intervals, 10 ms, and it must be less than dead_after_ms. */
static void early_suspicion_is_on_if_it_can_act(void **state)
{
	(void)state;
	assert_int_equal(parsed("timing: { silence_ms = 75; };").elect.silence_us, 75000);
	assert_int_equal(parsed("timing: { silence_ms = 0; };").elect.silence_us, 0);
	assert_int_equal(parsed("timing: { dead_after_ms = 451; };").elect.silence_us, 200000);
	assert_int_equal(parsed("timing: { dead_after_ms = 450; };").elect.silence_us, 0);
	assert_int_equal(parsed("timing: { silence_ms = 349; };").elect.silence_us, 349000);
	assert_has(refused("timing: {\n silence_ms = 350; };"),
		"test.conf:2: timing.silence_ms: 350 is not allowed with "
		"timing.beacon_interval_ms = 200 and timing.dead_after_ms = 600: it would never "
		"take effect; allowed: an integer, 0 to 349");
	assert_has(refused("timing: { beacon_interval_ms = 20; dead_after_ms = 40;\n"
			   " silence_ms = 20; };"),
		"allowed: an integer, 0 to 5");
	assert_has(refused("timing: { beacon_interval_ms = 10; dead_after_ms = 20;\n"
			   " silence_ms = 1; };"),
		"allowed: 0");
}

static void a_profile_gives_the_defaults_of_three_timings(void **state)
{
	struct conf c = parsed("timing: { profile = \"lan\"; };");

	(void)state;
	assert_int_equal(c.elect.timings.beacon_us, 200000);
	assert_int_equal(c.elect.timings.dead_after_us, 600000);
	assert_int_equal(c.elect.silence_us, 200000);
	c = parsed("timing: { profile = \"fast\"; };");
	assert_int_equal(c.elect.timings.beacon_us, 50000);
	assert_int_equal(c.elect.timings.dead_after_us, 600000);
	assert_int_equal(c.elect.silence_us, 65000);
	assert_int_equal(c.elect.start_hold_us, 150000);
	assert_int_equal(c.elect.lone_hold_us, 1200000);
	c = parsed("timing: { profile = \"fastest\"; };");
	assert_int_equal(c.elect.timings.beacon_us, 10000);
	assert_int_equal(c.elect.timings.dead_after_us, 27000);
	assert_int_equal(c.elect.silence_us, 0);
	assert_int_equal(c.elect.lone_hold_us, 54000);
	assert_has(refused("timing: { profile = \"slow\"; };"),
		"allowed: \"lan\" or \"fast\" or \"fastest\"");
}

static void a_value_that_is_set_wins_over_the_profile(void **state)
{
	struct conf c = parsed("timing: { dead_after_ms = 450; profile = \"fast\"; };");

	(void)state;
	assert_int_equal(c.elect.timings.beacon_us, 50000);
	assert_int_equal(c.elect.timings.dead_after_us, 450000);
	assert_int_equal(c.elect.silence_us, 65000);
	c = parsed("timing: { profile = \"fast\"; silence_ms = 200; };");
	assert_int_equal(c.elect.silence_us, 200000);
	c = parsed("timing: { profile = \"fast\"; silence_ms = 0; };");
	assert_int_equal(c.elect.silence_us, 0);
	assert_has(refused("timing: { profile = \"fastest\"; beacon_interval_ms = 20; };"),
		"timing.dead_after_ms: 27 is not allowed with timing.beacon_interval_ms = 20");
}

static void every_key_arrives_where_it_is_used(void **state)
{
	struct conf c =
		parsed("domain = \"blue\"; priority = 7; preempt = true; quorum = 3;\n"
		       "preempt_delay_ms = 86400000;\n"
		       "node: { name = \"web1\"; id = \"00112233445566778899AABBCCDDEEFF\"; };\n"
		       "network: { interfaces = ( \"eth0\", \"en*\" ); family = \"ipv4\";\n"
		       " group4 = \"239.1.2.3\"; port = 5000;\n"
		       " unicast_ports = \"6000-6000\";\n"
		       " without_carrier = \"lead\"; carrier_hold_ms = 50; };\n"
		       "auth: { mode = \"auto\"; keys = \"/etc/k\"; };\n");

	(void)state;
	assert_string_equal(c.domain, "blue");
	assert_int_equal(c.elect.priority, 7);
	assert_true(c.elect.preempt);
	assert_int_equal(c.elect.preempt_delay_us, UINT64_C(86400000000));
	assert_int_equal(c.elect.quorum, 3);
	assert_string_equal(c.elect.name, "web1");
	assert_true(c.id_set);
	assert_memory_equal(c.elect.id.bytes,
		"\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff", 16);
	assert_int_equal(c.interfaces.count, 2);
	assert_string_equal(c.interfaces.names[0], "eth0");
	assert_string_equal(c.interfaces.names[1], "en*");
	assert_memory_equal(c.group4.bytes, "\xef\x01\x02\x03", 4);
	assert_int_equal(c.group4.port, 5000);
	assert_int_equal(c.unicast_ports.first, 6000);
	assert_int_equal(c.unicast_ports.last, 6000);
	assert_true(c.elect.leads_without_carrier);
	assert_int_equal(c.elect.carrier_hold_us, 50000);
	assert_string_equal(c.auth_keys, "/etc/k");
	assert_true(c.keys_named);
	assert_false(c.defaults_only);
}

static void the_host_name_is_the_default_name(void **state)
{
	struct conf c;

	(void)state;
	host_name = "web-1.example";
	c = parsed("");
	assert_string_equal(c.elect.name, "web-1.example");
	assert_false(c.name_replaced);
	assert_string_equal(parsed("node: { name = \"a_b\"; };").node_name, "a_b");
	host_name = "web";
}

static void an_invalid_host_name_is_made_a_valid_name(void **state)
{
	static const char *const rows[][2] = {
		{ "a b:c", "a-b-c" },
		{ "-rf", "rf" },
		{ "..", "host" },
		{ "--", "host" },
		{ "", "host" },
		{ ".\xc3\xa4.a-", "a-" },
		{ "_.a", "_.a" },
		{ "(none)", "none-" }, /* the kernel's default host name */
		{ "Web.Example.", "Web.Example." },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct conf c;

		host_name = rows[i][0];
		c = parsed("");
		assert_string_equal(c.elect.name, rows[i][1]);
		assert_string_equal(c.node_name, rows[i][1]);
		assert_int_equal(c.name_replaced, strcmp(rows[i][0], rows[i][1]) != 0);
	}
	host_name = "web";
}

/* Linux allows 64 bytes, one more than node.name; host names in clouds use all of them. */
static void a_host_name_of_64_bytes_is_cut_by_one(void **state)
{
	static const char tail[] = ".0123456789012345678901234567890123456789012345678901234.eu";
	char first[65], second[65];

	(void)state;
	snprintf(first, sizeof(first), "web-1%s", tail);
	snprintf(second, sizeof(second), "web-2%s", tail);
	assert_int_equal(strlen(first), 64);
	host_name = first;
	assert_memory_equal(parsed("").node_name, first, 63);
	assert_int_equal(strlen(parsed("").node_name), 63);
	assert_true(parsed("").name_replaced);
	host_name = second;
	assert_memory_equal(parsed("").elect.name, second, 63);
	host_name = "web";
}

/* ---- refusals --------------------------------------------------------------------------- */

static void an_unknown_key_is_named_with_its_line_and_the_known_keys(void **state)
{
	const char *words = refused("domain = \"a\";\nnetwork: {\n\n\tprot = 1;\n};\n");

	(void)state;
	assert_has(words, "test.conf:4: unknown key \"network.prot\"");
	assert_has(words, "allowed in network: interfaces, family, group4, group6, port,");
	assert_has(refused("prioritaet = 1;"),
		"test.conf:1: unknown key \"prioritaet\"; allowed: domain, ");
	assert_has(refused("node: { a: { b = 1; }; };"), "unknown key \"node.a\"");
	assert_has(refused("node: { id: { b = 1; }; };"), "node.id: a group is not allowed");
	assert_has(refused("domai = \"a\";"), "unknown key \"domai\"");
	assert_has(refused("node.nam = 1;"), "test.conf:1: syntax error");
}

static void a_value_in_place_of_a_group_is_refused(void **state)
{
	(void)state;
	assert_has(refused("\nnetwork = 5;"),
		"test.conf:2: network: a value is not allowed; allowed: a group, network: { ... }");
}

static void a_syntax_error_has_its_line(void **state)
{
	(void)state;
	assert_has(refused("domain = \"a\";\npriority = ;\n"), "test.conf:2: syntax error");
	assert_has(refused("domain = \"a\"; domain = \"b\";"), "test.conf:1: duplicate");
	assert_has(refused("{"), "test.conf:1: ");
}

/* electd's texts write keys with a dot, but libconfig has no such syntax. */
static void the_error_of_a_key_with_a_dot_shows_how_to_write_it(void **state)
{
	(void)state;
	assert_has(refused("priority = 1;\n\n network.interfaces = [ \"eth0\" ];\n"),
		"test.conf:3: syntax error; allowed: network = { interfaces = ...; };");
	assert_has(refused("network.group4 = \"x\";"), "allowed: network = { group4 = ...; };");
	assert_has(refused("timing.dead_after_ms: 3;"), "allowed: timing = { dead_after_ms = ...");
	assert_null(strstr(refused("network.nothing = 1;"), "allowed"));
	assert_null(strstr(refused("network. = 1;"), "allowed"));
	assert_null(strstr(refused(".interfaces = 1;"), "allowed"));
	assert_null(strstr(refused("priority = ;"), "allowed"));
}

/* The number of integer keys in keys.h, counted independently of the table. */
#define KEY(path, type, ...) +(type == CONF_INTEGER)
static const unsigned integer_keys = 0
#include "conf/keys.h"
	;

static void integers_are_allowed_exactly_within_their_range(void **state)
{
	size_t count;
	const struct conf_key *keys = conf_keys(&count);
	unsigned seen = 0;

	(void)state;
	for (size_t i = 0; i < count; i++) {
		const struct conf_key *key = &keys[i];
		int64_t outside[] = { key->min - 1, key->max + 1, -1, INT64_MAX, INT64_MIN + 1,
			(INT64_C(1) << 32) + key->min };
		char value[32], words[128];

		if (key->type != CONF_INTEGER)
			continue;
		seen++;
		for (size_t j = 0; j < sizeof(outside) / sizeof(outside[0]); j++) {
			snprintf(value, sizeof(value), "%lldL", (long long)outside[j]);
			snprintf(words, sizeof(words),
				"test.conf:1: %s: %lld is not allowed; allowed: an integer, %lld "
				"to %lld",
				key->path, (long long)outside[j], (long long)key->min,
				(long long)key->max);
			assert_has(refused(setting(key->path, value)), words);
		}
		refused(setting(key->path, "1.5"));
		refused(setting(key->path, "\"100\""));
		refused(setting(key->path, "true"));
		refused(setting(key->path, "[ 100 ]"));
		refused(setting(key->path, "0x100000064L"));
		refused(setting(key->path, "0x64"));
	}
	assert_int_equal(seen, integer_keys);
}

static void the_ends_of_a_range_are_allowed(void **state)
{
	(void)state;
	assert_int_equal(parsed("priority = 0;").elect.priority, 0);
	assert_int_equal(parsed("priority = 255;").elect.priority, 255);
	assert_int_equal(parsed("quorum = 1024;").elect.quorum, 1024);
	assert_int_equal(parsed("network: { port = 1; };").port, 1);
	assert_int_equal(parsed("network: { port = 65535; };").port, 65535);
	assert_int_equal(
		parsed("timing: { beacon_interval_ms = 10; };").elect.timings.beacon_us, 10000);
	assert_int_equal(parsed("timing: { beacon_interval_ms = 10000; dead_after_ms = 100000; };")
				 .elect.timings.dead_after_us,
		100000000);
}

static void the_error_of_a_wrong_type_names_the_allowed_type(void **state)
{
	(void)state;
	assert_has(refused("preempt = 1;"), "preempt: 1 is not allowed; allowed: true or false");
	assert_has(
		refused("domain = 5;"), "domain: 5 is not allowed; allowed: a string of 1 to 63");
	assert_has(refused("domain: { };"), "domain: a group is not allowed");
	assert_has(refused("network: { interfaces = \"eth0\"; };"),
		"network.interfaces: \"eth0\" is not allowed; allowed: a list");
}

/* A domain that ran "bully" must not be changed half way by an upgrade. */
static void another_algorithm_is_refused_with_advice(void **state)
{
	(void)state;
	parsed("algorithm = \"invitation\";");
	assert_string_equal(refused("\nalgorithm = \"bully\";"),
		"test.conf:2: algorithm: \"bully\" is not allowed; allowed: \"invitation\"; "
		"stop electd on all hosts of the domain, remove this line there, and start "
		"them again");
	assert_string_equal(error.allowed, "\"invitation\"");
	assert_has(refused("algorithm = 1;"), "algorithm: 1 is not allowed");
}

static void an_address_is_one_that_others_can_reach(void **state)
{
	static const char *const others[] = { "\"0.0.0.0\"", "\"127.0.0.1\"", "\"224.0.0.1\"",
		"\"255.255.255.255\"", "\"::\"", "\"::1\"", "\"::ffff:192.0.2.1\"", "\"ff02::1\"",
		"\"fe80::1\"", "\"fe80::1%eth0\"", "\"192.0.2.1:80\"", "\"192.0.2\"", "\"web1\"",
		"\"\"", "7", "[ \"192.0.2.1\" ]" };
	struct conf c = parsed("node: { address = \"192.0.2.7\"; };");

	(void)state;
	assert_int_equal(c.address.family, 4);
	assert_memory_equal(c.address.bytes, "\xc0\x00\x02\x07", 4);
	assert_int_equal(c.address.port, 0);
	c = parsed("node: { address = \"2001:db8::7\"; };");
	assert_int_equal(c.address.family, 6);
	assert_memory_equal(c.address.bytes, "\x20\x01\x0d\xb8", 4);
	assert_int_equal(c.elect.address.family, 0); /* the node finds its own address */
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_has(refused(setting("node.address", others[i])),
			"allowed: a string with an IPv4 or IPv6 address of one host");
}

static void refused_all(const char *path, const char *const *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		refused(setting(path, values[i]));
}

#define REFUSED_ALL(path, ...)                                                                     \
	do {                                                                                       \
		const char *const values[] = { __VA_ARGS__ };                                      \
		refused_all(path, values, sizeof(values) / sizeof(values[0]));                     \
	} while (0)

static void texts_are_held_to_their_form(void **state)
{
	(void)state;
	REFUSED_ALL("domain", "\"\"", "\"a b\"", "\"\xc3\xa4\"", "\"a/b\"", "\"a\\nb\"",
		"\"0123456789012345678901234567890123456789012345678901234567890123\"");
	REFUSED_ALL("node.name", "\"\"", "\"a b\"");
	REFUSED_ALL("node.id", "\"\"", "\"00000000000000000000000000000000\"",
		"\"0011223344556677889900112233445\"", "\"001122334455667788990011223344556\"",
		"\"0011223344556677889900112233445g\"", "1");
	REFUSED_ALL("network.group4", "\"\"", "\"192.168.1.1\"", "\"224.0.0\"", "\"ff02::114\"",
		"\"240.0.0.0\"", "\"223.255.255.255\"", "\" 224.0.0.1\"");
	REFUSED_ALL("network.unicast_ports", "\"\"", "\"7544\"", "\"7544-\"", "\"-7575\"",
		"\"0-10\"", "\"9000-8000\"", "\"60000-65536\"", "\"7600-7700 \"", "\"1-5000\"",
		"\"+100-200\"", "\"100000-100001\"", "\"65530-65540\"", "\"4294974840-4294974841\"",
		"[ 7544, 7575 ]");
	REFUSED_ALL("network.interfaces", "[ \"\" ]", "[ \"a b\" ]", "[ \"a/b\" ]", "[ 1 ]",
		"( \"a\", 1 )", "( ( \"a\" ) )");
	REFUSED_ALL("network.hops", "-1", "17", "\"1\"");
	REFUSED_ALL("network.peers", "\"192.0.2.7\"", "[ 1 ]", "[ \"web1\" ]", "[ \"\" ]",
		"[ \"192.0.2\" ]", "[ \"192.0.2.7:\" ]", "[ \"192.0.2.7:0\" ]",
		"[ \"192.0.2.7:65536\" ]", "[ \"192.0.2.7:+1\" ]", "[ \"[192.0.2.7]:1\" ]",
		"[ \"2001:db8::7:7544:\" ]", "[ \"[2001:db8::7\" ]", "[ \"[2001:db8::7]7544\" ]",
		"[ \"[2001:db8::7]:\" ]", "[ \"0.0.0.0\" ]", "[ \"127.0.0.1\" ]",
		"[ \"224.0.0.254\" ]", "[ \"255.255.255.255\" ]", "[ \"::\" ]", "[ \"::1\" ]",
		"[ \"ff02::114\" ]", "[ \"fe80::1\" ]", "[ \"fe80::1%eth0\" ]",
		"[ \"::ffff:192.0.2.7\" ]", "( ( \"192.0.2.7\" ) )");
	REFUSED_ALL("addresses", "\"192.0.2.7\"", "[ 1 ]", "[ \"\" ]", "[ \"web1\" ]",
		"[ \"192.0.2\" ]", "[ \"0.0.0.0\" ]", "[ \"127.0.0.1\" ]", "[ \"224.0.0.1\" ]",
		"[ \"255.255.255.255\" ]", "[ \"::\" ]", "[ \"::1\" ]", "[ \"ff02::1\" ]",
		"[ \"::ffff:192.0.2.7\" ]", "[ \"fe80::1%eth0\" ]", "[ \"192.0.2.7/\" ]",
		"[ \"192.0.2.7/0\" ]", "[ \"192.0.2.7/33\" ]", "[ \"2001:db8::7/129\" ]",
		"[ \"192.0.2.7/+24\" ]", "[ \"192.0.2.7/280\" ]", "[ \"192.0.2.255/24\" ]",
		"[ \"192.0.2.7:80\" ]", "[ \" 192.0.2.7\" ]", "[ \"192.0.2.7 \" ]",
		"[ \"192.0.2.7 eth0\" ]", "[ \"192.0.2.7 dev\" ]", "[ \"192.0.2.7 dev \" ]",
		"[ \"192.0.2.7 dev a b\" ]", "[ \"192.0.2.7 dev a/b\" ]", "( ( \"192.0.2.7\" ) )",
		"[ \"192.0.2.7\", \"192.0.2.7/24 dev eth0\" ]",
		"[ \"2001:db8::7\", \"2001:DB8:0::7\" ]");
	REFUSED_ALL("address.interface", "\"\"", "\"a b\"", "\"a/b\"", "[ \"eth0\" ]");
	REFUSED_ALL("address.conflict", "\"tell\"", "true");
	REFUSED_ALL("health.required", "[ \"\" ]", "[ \"a b\" ]", "[ 1 ]", "\"pg\"",
		"[ \"pg\", \"pg\" ]", "( ( \"pg\" ) )");
	REFUSED_ALL("health.nobody_well", "\"all\"", "true");
	REFUSED_ALL("auth.keys", "\"\"", "\"a\\x01\"", "5");
}

static void the_required_names_reach_the_election(void **state)
{
	struct conf c =
		parsed("health: { required = [ \"pg\", \"disk\" ]; nobody_well = \"stay\"; };");

	(void)state;
	assert_int_equal(c.elect.required_count, 2);
	assert_string_equal(c.elect.required[1], "disk");
	assert_true(c.elect.sick_stays);
	c = parsed("");
	assert_int_equal(c.elect.required_count, 0);
	assert_false(c.elect.sick_stays);
}

static void a_list_that_is_too_long_is_refused(void **state)
{
	char text[1024] = "network: { interfaces = [ \"e\"";

	(void)state;
	for (int i = 1; i < CONF_INTERFACES_MAX; i++)
		strcat(text, ", \"e\"");
	strcat(text, " ]; };");
	assert_int_equal(parsed(text).interfaces.count, CONF_INTERFACES_MAX);
	memcpy(strchr(text, ']'), ", \"e\" ]; };", sizeof(", \"e\" ]; };"));
	assert_has(refused(text), "at most 32");
}

/* An altname (ip-link(8)) may be so long, and may contain nearly all bytes. */
static void an_interface_may_have_a_name_of_127_bytes(void **state)
{
	static const char *const odd[] = { "Ethernet#1", "lan@home", "-eth0", "b\xc3\xbcro", "%d",
		"\xff\xfe", "a:b" };
	char name[129], text[200];

	(void)state;
	memset(name, 'x', sizeof(name));
	name[127] = '\0';
	snprintf(text, sizeof(text), "network: { interfaces = [ \"%s\" ]; };", name);
	assert_string_equal(parsed(text).interfaces.names[0], name);
	name[127] = 'x';
	name[128] = '\0';
	snprintf(text, sizeof(text), "network: { interfaces = [ \"%s\" ]; };", name);
	assert_has(refused(text), "1 to 127 bytes without spaces and '/'");
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		snprintf(text, sizeof(text), "network: { interfaces = [ \"%s\" ]; };", odd[i]);
		assert_string_equal(parsed(text).interfaces.names[0], odd[i]);
	}
}

static void peers_are_addresses_with_or_without_a_port(void **state)
{
	struct conf c = parsed("network: { peers = [ \"192.0.2.7\", \"192.0.2.8:7545\", "
			       "\"2001:db8::7\", \"[2001:db8::8]:7545\", \"[2001:db8::9]\" ]; };");

	(void)state;
	assert_int_equal(c.peers.count, 5);
	assert_int_equal(c.peers.list[0].family, 4);
	assert_memory_equal(c.peers.list[0].bytes, "\xc0\x00\x02\x07", 4);
	assert_int_equal(c.peers.list[0].port, 0);
	assert_int_equal(c.peers.list[1].port, 7545);
	assert_int_equal(c.peers.list[2].family, 6);
	assert_int_equal(c.peers.list[2].port, 0);
	assert_int_equal(c.peers.list[3].bytes[15], 8);
	assert_int_equal(c.peers.list[3].port, 7545);
	assert_int_equal(c.peers.list[4].port, 0);
}

static void more_than_32_peers_are_refused(void **state)
{
	char text[1024] = "network: { peers = [ \"10.0.0.1\"";

	(void)state;
	for (int i = 1; i < ELECT_PEERS_MAX; i++)
		strcat(text, ", \"10.0.0.1\"");
	strcat(text, " ]; };");
	assert_int_equal(parsed(text).peers.count, ELECT_PEERS_MAX);
	memcpy(strchr(text, ']'), ", \"10.0.0.1\" ]; };", sizeof(", \"10.0.0.1\" ]; };"));
	assert_has(refused(text), "a list of 33 is not allowed; allowed: a list of at most 32");
}

/* The error names the address, its line and the allowed forms. */
static void an_invalid_peer_is_named(void **state)
{
	const char *words = refused("network: {\n peers = [ \"192.0.2.7\", \"web1\" ]; };");

	(void)state;
	assert_has(words, "test.conf:2: network.peers: \"web1\" is not allowed; allowed: a list");
	assert_has(words, "\"[2001:db8::7]:7544\"");
}

static void the_leader_has_addresses_with_or_without_an_interface(void **state)
{
	struct conf c =
		parsed("addresses = [ \"192.0.2.100\", \"2001:db8::100/64\", "
		       "\"192.0.2.255/31\", \"fe80::7 dev br0\", \"192.0.2.9/24 dev a:b\" ];");
	static const struct conf_owned_address first = { .address = { .bytes = { 192, 0, 2, 100 },
								 .family = 4 } };

	(void)state;
	assert_int_equal(c.addresses.count, 5);
	assert_memory_equal(&c.addresses.list[0], &first, sizeof(first));
	assert_int_equal(c.addresses.list[1].address.family, 6);
	assert_int_equal(c.addresses.list[1].address.bytes[14], 1);
	assert_int_equal(c.addresses.list[1].prefix, 64);
	assert_string_equal(c.addresses.list[1].interface, "");
	assert_int_equal(c.addresses.list[2].prefix, 31);
	assert_string_equal(c.addresses.list[3].interface, "br0");
	assert_int_equal(c.addresses.list[4].prefix, 24);
	assert_string_equal(c.addresses.list[4].interface, "a:b");
	c = parsed("");
	assert_int_equal(c.addresses.count, 0);
	assert_string_equal(c.address_interface, "");
	assert_int_equal(c.address_lease_ms, 1000);
	assert_int_equal(c.address_announce_s, 60);
	assert_string_equal(c.address_conflict, "report");
}

/* The error names the entry, its line and the allowed forms. */
static void an_invalid_address_of_the_leader_is_named(void **state)
{
	const char *words = refused("addresses = [ \"192.0.2.7\",\n \"192.0.2.7/24\" ];");

	(void)state;
	assert_has(
		words, "test.conf:1: addresses: \"192.0.2.7/24\" is not allowed; allowed: a list");
	assert_has(words, "each with another address of a host as \"192.0.2.7\", ");
}

static void more_than_32_addresses_of_the_leader_are_refused(void **state)
{
	char text[1024] = "addresses = [ \"10.0.0.1\"";
	size_t at = strlen(text);

	(void)state;
	for (int i = 1; i < CONF_OWNED_MAX; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, ", \"10.0.1.%d\"", i);
	snprintf(text + at, sizeof(text) - at, " ];");
	assert_int_equal(parsed(text).addresses.count, CONF_OWNED_MAX);
	snprintf(text + at, sizeof(text) - at, ", \"10.0.2.1\" ];");
	assert_has(refused(text), "a list of 33 is not allowed; allowed: a list of at most 32");
}

static void a_link_local_address_of_the_leader_needs_an_interface(void **state)
{
	(void)state;
	assert_has(refused("\naddresses = [ \"192.0.2.7\", \"fe80::7/64\" ];"),
		"test.conf:2: addresses: an IPv6 link-local address is not allowed without an "
		"interface; allowed: \"ADDRESS dev INTERFACE\", or with address.interface");
	assert_string_equal(parsed("addresses = [ \"fe80::7/64\" ]; address: { interface = "
				   "\"br0\"; };")
				    .address_interface,
		"br0");
}

static void hops_are_allowed_with_listed_keys_only(void **state)
{
	(void)state;
	assert_int_equal(parsed("network: { hops = 4; }; auth: { mode = \"enforce\"; };").hops, 4);
	assert_int_equal(parsed("network: { hops = 0; };").hops, 0);
	assert_has(refused("\nnetwork: { hops = 1; };"),
		"test.conf:2: network.hops: 1 is not allowed with auth.mode = \"auto\"; allowed: "
		"0, "
		"or with auth.mode = \"enforce\"");
	assert_has(refused("network: { hops = 1; }; auth: { mode = \"permissive\"; };"),
		"with auth.mode = \"permissive\"");
}

static void a_choice_is_one_of_its_words(void **state)
{
	(void)state;
	assert_has(refused(setting("network.family", "\"ipx\"")), "is not allowed");
	assert_has(refused(setting("network.family", "\"ipv6 both\"")), "is not allowed");
	assert_has(refused(setting("network.family", "\"\"")), "is not allowed");
	assert_int_equal(parsed(setting("auth.mode", "\"permissive\"")).mode, RING_PERMISSIVE);
	assert_int_equal(parsed(setting("auth.mode", "\"receive-only\"")).mode, RING_RECEIVE_ONLY);
	assert_int_equal(parsed(setting("auth.mode", "\"enforce\"")).mode, RING_ENFORCE);
	assert_int_equal(parsed("").mode, RING_AUTO);
}

/* The fields for programs: the same facts as the text. */
static void an_error_names_file_line_key_and_what_is_allowed(void **state)
{
	(void)state;
	refused("\npriority = 300;");
	assert_string_equal(error.file, "test.conf");
	assert_int_equal(error.line, 2);
	assert_string_equal(error.key, "priority");
	assert_string_equal(error.allowed, "an integer, 0 to 255");
	refused("\n\nprioritee = 3;");
	assert_int_equal(error.line, 3);
	assert_string_equal(error.key, "prioritee");
	assert_has(error.allowed, "domain, node.name, node.id, node.address, priority, ");
	refused("timing: {\n beacon_interval_ms = 301;\n};");
	assert_int_equal(error.line, 2);
	assert_string_equal(error.key, "timing.dead_after_ms");
	assert_string_equal(error.allowed, "at least two beacons");
	refused("priority = ");
	assert_int_equal(error.line, 1);
	assert_string_equal(error.key, "");
	refused("\n@include \"x\"");
	assert_int_equal(error.line, 2);
	parsed("priority = 3;");
	assert_string_equal(error.file, "");
	assert_int_equal(error.line, 0);
}

static void combinations_of_two_keys_are_checked(void **state)
{
	(void)state;
	assert_has(refused("timing: {\n beacon_interval_ms = 301;\n};"),
		"test.conf:2: timing.dead_after_ms: 600 is not allowed with "
		"timing.beacon_interval_ms = 301; allowed: at least two beacons, 602");
	assert_has(refused("timing: {\n beacon_interval_ms = 200;\n dead_after_ms = 399; };"),
		"test.conf:3: timing.dead_after_ms: 399");
	parsed("timing: { beacon_interval_ms = 200; dead_after_ms = 400; };");
	assert_has(refused("network: { port = 7550; };"),
		"test.conf:1: network.unicast_ports: \"7544-7575\" is not allowed with "
		"network.port "
		"= 7550");
	refused("network: { port = 7544; };");
	refused("network: { port = 7575; };");
	parsed("network: { port = 7576; };");
}

static void an_include_is_refused(void **state)
{
	(void)state;
	assert_has(refused("domain = \"a\";\n  @include \"/etc/passwd\"\n"),
		"test.conf:2: @include is not allowed");
	assert_has(refused("@include \"x\""), "test.conf:1: @include");
	assert_has(refused("\n\r @include \"x\""), "test.conf:2: @include");
	parsed("domain = \"a\"; # @include \"x\"\n");
}

static void a_text_with_a_nul_or_too_long_is_refused(void **state)
{
	static char text[CONF_FILE_MAX + 2] = "domain = \"a\";\0priority = 900;";
	struct conf conf;

	(void)state;
	assert_int_equal(conf_parse("t", text, 30, &conf, &error), -EINVAL);
	assert_string_equal(error.text, "t: not a text file");
	memset(text + 13, ' ', sizeof(text) - 13);
	assert_int_equal(conf_parse("t", text, CONF_FILE_MAX, &conf, &error), 0);
	assert_int_equal(conf_parse("t", text, CONF_FILE_MAX + 1, &conf, &error), -EFBIG);
}

static void errors_carry_no_control_characters(void **state)
{
	const char *words = refused("domain = \"\x1b[2J\\n\x7f\";");

	(void)state;
	assert_has(words, "\"?[2J??\"");
	for (const char *c = words; *c; c++)
		assert_true((unsigned char)*c >= 0x20 && *c != 0x7f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_text_gives_the_defaults_of_the_manual),
		cmocka_unit_test(computed_defaults_follow_the_values_that_are_set),
		cmocka_unit_test(early_suspicion_is_on_if_it_can_act),
		cmocka_unit_test(a_profile_gives_the_defaults_of_three_timings),
		cmocka_unit_test(a_value_that_is_set_wins_over_the_profile),
		cmocka_unit_test(a_crashed_host_is_waited_for_as_long_as_configured),
		cmocka_unit_test(every_key_arrives_where_it_is_used),
		cmocka_unit_test(the_host_name_is_the_default_name),
		cmocka_unit_test(an_invalid_host_name_is_made_a_valid_name),
		cmocka_unit_test(a_host_name_of_64_bytes_is_cut_by_one),
		cmocka_unit_test(an_unknown_key_is_named_with_its_line_and_the_known_keys),
		cmocka_unit_test(a_value_in_place_of_a_group_is_refused),
		cmocka_unit_test(the_error_of_a_key_with_a_dot_shows_how_to_write_it),
		cmocka_unit_test(a_syntax_error_has_its_line),
		cmocka_unit_test(integers_are_allowed_exactly_within_their_range),
		cmocka_unit_test(the_ends_of_a_range_are_allowed),
		cmocka_unit_test(another_algorithm_is_refused_with_advice),
		cmocka_unit_test(an_address_is_one_that_others_can_reach),
		cmocka_unit_test(the_error_of_a_wrong_type_names_the_allowed_type),
		cmocka_unit_test(texts_are_held_to_their_form),
		cmocka_unit_test(the_required_names_reach_the_election),
		cmocka_unit_test(a_list_that_is_too_long_is_refused),
		cmocka_unit_test(an_interface_may_have_a_name_of_127_bytes),
		cmocka_unit_test(peers_are_addresses_with_or_without_a_port),
		cmocka_unit_test(more_than_32_peers_are_refused),
		cmocka_unit_test(an_invalid_peer_is_named),
		cmocka_unit_test(the_leader_has_addresses_with_or_without_an_interface),
		cmocka_unit_test(an_invalid_address_of_the_leader_is_named),
		cmocka_unit_test(more_than_32_addresses_of_the_leader_are_refused),
		cmocka_unit_test(a_link_local_address_of_the_leader_needs_an_interface),
		cmocka_unit_test(hops_are_allowed_with_listed_keys_only),
		cmocka_unit_test(a_choice_is_one_of_its_words),
		cmocka_unit_test(an_error_names_file_line_key_and_what_is_allowed),
		cmocka_unit_test(combinations_of_two_keys_are_checked),
		cmocka_unit_test(an_include_is_refused),
		cmocka_unit_test(a_text_with_a_nul_or_too_long_is_refused),
		cmocka_unit_test(errors_carry_no_control_characters),
	};

	return cmocka_run_group_tests_name("conf", tests, NULL, NULL);
}
