/* SPDX-License-Identifier: Apache-2.0 */
/* A printed configuration reads back as the same; the texts of errors are plain ASCII. */
#include "text.h"

static const char *printed(const struct conf *conf)
{
	static char text[16384];
	FILE *out = fmemopen(text, sizeof(text), "w");

	assert_non_null(out);
	conf_print(out, conf);
	fclose(out);
	return text;
}

static void a_printed_configuration_reads_back_the_same(void **state)
{
	char first[16384];
	struct conf c = parsed("domain = \"blue\"; preempt = true; node: { name = \"n\"; id = "
			       "\"000000000000000000000000000000ab\"; };\n"
			       "network: { peers = [ \"192.0.2.7\", \"[2001:db8::8]:7545\" ]; "
			       "interfaces = [ \"e\\\"0\\\\\", \"en*\" ]; };\n"
			       "auth: { keys = \"/a\\\\b\\\"c\"; };"
			       "addresses = ( \"192.0.2.100/24\", \"2001:DB8:0::1  dev  b\\\"r\" );"
			       "address: { interface = \"e\\\"0\"; conflict = \"resign\"; };");

	(void)state;
	snprintf(first, sizeof(first), "%s", printed(&c));
	assert_has(first, "\tpeers = [ \"192.0.2.7\", \"[2001:db8::8]:7545\" ];\n");
	assert_has(first, "\tinterfaces = [ \"e\\\"0\\\\\", \"en*\" ];\n");
	assert_has(first, "addresses = [ \"192.0.2.100/24\", \"2001:db8::1 dev b\\\"r\" ];\n");
	assert_has(first, "address: {\n\tinterface = \"e\\\"0\";\n\t# lease_ms = 1000;\n");
	assert_has(first, "\t# start_hold_ms = 600;\n");
	assert_has(first, "\t# silence_ms = 200;\n");
	assert_null(strstr(first, "early suspicion"));
	assert_has(first, "\n# priority = 100;\n");
	c = parsed(first);
	assert_string_equal(printed(&c), first);
	assert_true(c.keys_named);

	c = parsed("");
	snprintf(first, sizeof(first), "%s", printed(&c));
	c = parsed(first);
	assert_false(c.keys_named); /* otherwise the key file would have to exist */
}

/* Each byte of the names is escaped. */
static void the_longest_list_of_interfaces_reads_back_the_same(void **state)
{
	char text[16384] = "network: { interfaces = [ ", first[16384];
	size_t at = strlen(text);
	struct conf c;

	(void)state;
	for (unsigned i = 0; i < CONF_INTERFACES_MAX; i++) {
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s\"", i ? ", " : "");
		for (unsigned j = 0; j < CONF_INTERFACE_MAX; j++)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "\\\\");
		at += (size_t)snprintf(text + at, sizeof(text) - at, "\"");
	}
	snprintf(text + at, sizeof(text) - at, " ]; };");
	c = parsed(text);
	assert_int_equal(c.interfaces.count, CONF_INTERFACES_MAX);
	snprintf(first, sizeof(first), "%s", printed(&c));
	c = parsed(first);
	assert_int_equal(strlen(c.interfaces.names[CONF_INTERFACES_MAX - 1]), CONF_INTERFACE_MAX);
	assert_string_equal(printed(&c), first);
}

/* Each byte of the interfaces is escaped. */
static void the_longest_list_of_addresses_reads_back_the_same(void **state)
{
	char name[2 * CONF_INTERFACE_MAX + 1] = "", text[32768] = "addresses = [ ";
	size_t at = strlen(text);
	struct conf c;

	(void)state;
	for (unsigned i = 0; i < CONF_INTERFACE_MAX; i++)
		strcat(name, "\\\\");
	for (unsigned i = 0; i < CONF_OWNED_MAX; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at,
			"%s\"2001:db8:1111:2222:3333:4444:5555:66%02x/128 dev %s\"", i ? ", " : "",
			i, name);
	snprintf(text + at, sizeof(text) - at, " ];\n");
	c = parsed(text);
	assert_int_equal(
		strlen(c.addresses.list[CONF_OWNED_MAX - 1].interface), CONF_INTERFACE_MAX);
	assert_has(printed(&c), text);
}

static void a_profile_is_printed_with_its_values(void **state)
{
	struct conf c = parsed("timing: { profile = \"fastest\"; dead_after_ms = 40; };");
	char first[16384];

	(void)state;
	snprintf(first, sizeof(first), "%s", printed(&c));
	assert_has(first,
		"\tprofile = \"fastest\";\n\t# beacon_interval_ms = 10;\n\tdead_after_ms = 40;\n"
		"\t# silence_ms = 0;\n\t# start_hold_ms = 30;\n");
	c = parsed(first);
	assert_string_equal(printed(&c), first);
}

static void early_suspicion_that_cannot_act_is_printed_with_a_remark(void **state)
{
	struct conf c = parsed("timing: { beacon_interval_ms = 20; dead_after_ms = 60; };");
	char first[16384];

	(void)state;
	assert_int_equal(c.elect.silence_us, 0);
	snprintf(first, sizeof(first), "%s", printed(&c));
	assert_has(first, "\t# silence_ms = 0;\n\t# early suspicion is off");
	c = parsed(first);
	assert_string_equal(printed(&c), first);
}

static void early_suspicion_that_is_turned_off_is_printed_without_a_remark(void **state)
{
	struct conf c =
		parsed("timing: { beacon_interval_ms = 20; dead_after_ms = 60; silence_ms = 0; };");

	(void)state;
	assert_has(printed(&c), "\n\tsilence_ms = 0;\n\t# start_hold_ms");
}

/* An error may quote any bytes of the file, and is sent to clients. */
static void errors_are_plain_ascii_without_control_characters(void **state)
{
	static const char *const texts[] = { "domain = \"\xe4\xf6\";", "domain = \"\xc2\x9b[31m\";",
		"\xe4 = 1;", "domain = \"a\nb\";", "family = \"\x1b[31m\";" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		refused(texts[i]);
		for (const char *c = error.text; *c; c++)
			assert_in_range(*c, 0x20, 0x7e);
		for (const char *c = error.key; *c; c++)
			assert_in_range(*c, 0x20, 0x7e);
	}
}

static void a_string_with_a_nul_is_refused(void **state)
{
	(void)state;
	assert_has(refused("domain = \"a\\x00b\";"), "\\x00 is not allowed");
	assert_string_equal(parsed("auth: { keys = \"a\\\\x00b\"; };").auth_keys, "a\\x00b");
}

/* Is there a line "name = ...", commented out or not? */
static bool has_line(const char *text, const char *name)
{
	while (text && *text) {
		const char *start = text + strspn(text, "\t# ");

		if (strncmp(start, name, strlen(name)) == 0 && start[strlen(name)] == ' ')
			return true;
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return false;
}

static void every_key_that_is_not_obsolete_is_printed(void **state)
{
	size_t count;
	const struct conf_key *keys = conf_keys(&count);
	struct conf c = parsed("");
	const char *text = printed(&c);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		const char *dot = strchr(keys[i].path, '.');

		assert_int_equal(has_line(text, dot ? dot + 1 : keys[i].path), !keys[i].obsolete);
	}
	assert_has(text, "\t# id = (from the machine id);\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_printed_configuration_reads_back_the_same),
		cmocka_unit_test(the_longest_list_of_interfaces_reads_back_the_same),
		cmocka_unit_test(the_longest_list_of_addresses_reads_back_the_same),
		cmocka_unit_test(a_profile_is_printed_with_its_values),
		cmocka_unit_test(early_suspicion_that_cannot_act_is_printed_with_a_remark),
		cmocka_unit_test(early_suspicion_that_is_turned_off_is_printed_without_a_remark),
		cmocka_unit_test(errors_are_plain_ascii_without_control_characters),
		cmocka_unit_test(a_string_with_a_nul_is_refused),
		cmocka_unit_test(every_key_that_is_not_obsolete_is_printed),
	};

	return cmocka_run_group_tests_name("conf_print", tests, NULL, NULL);
}
