/* SPDX-License-Identifier: Apache-2.0 */
/* The output and the exit codes of the verb address. */
#include "server.h"

#define ROW(address, state, more)                                                                  \
	"{\"address\":\"" address "\",\"state\":\"" state "\",\"lease_ms\":1000" more "}"
#define ANSWER(leads, running, rows)                                                               \
	"{\"parameters\":{\"addresses\":[" rows "],\"configured\":[\"192.0.2.100\"],"              \
	"\"boot_ms\":100000,\"leads\":" leads ",\"running\":" running "}}"
#define HELD                                                                                       \
	ROW("192.0.2.100", "held",                                                                 \
		",\"interface\":\"eth0\",\"announced_boot_ms\":97000,\"claimed\":false")

static void an_address_is_a_row(void **state)
{
	RUN(r,
		ANSWER("true", "true",
			HELD "," ROW("2001:db8::100", "kept", ",\"words\":\"cannot be removed\"")),
		address_verb, 1, .json = false);

	(void)state;
	assert_string_equal(r.out,
		"ADDRESS        STATE    INTERFACE        LEASE  ANNOUNCED\n"
		"192.0.2.100    held     eth0             1 s    3.0 s ago\n"
		"2001:db8::100  kept     -                -      -\n"
		"  cannot be removed\n");
	assert_int_equal(r.code, ELECTCTL_FALSE);
	free(r.out);
}

static void details_follow_the_row(void **state)
{
	RUN(r,
		ANSWER("true", "true",
			ROW("192.0.2.100", "held",
				",\"restored\":2,\"restored_boot_ms\":90000,"
				"\"restored_by\":\"NetworkManager\",\"often\":true,"
				"\"conflict\":\"02:00:00:00:00:01\",\"conflict_boot_ms\":99000,"
				"\"claimed\":true")),
		address_verb, 1, .width = 100);
	RUN(once, ANSWER("true", "true", ROW("192.0.2.100", "held", ",\"restored\":1")),
		address_verb, 1, .json = false);

	(void)state;
	assert_non_null(strstr(r.out,
		"\n  restored 2 times, last 10 s ago: NetworkManager had removed it, twice within "
		"a "
		"minute\n"
		"  conflict: another machine, 02:00:00:00:00:01, claimed it 1.0 s ago\n"));
	assert_non_null(
		strstr(once.out, "  restored 1 time, last -: another program had removed it\n"));
	assert_int_equal(r.code, ELECTCTL_FALSE);
	assert_int_equal(once.code, ELECTCTL_OK);
	free(r.out);
	free(once.out);
}

static void the_exit_code_is_0_if_all_is_as_it_should_be(void **state)
{
	static const struct {
		const char *answer;
		enum electctl_exit code;
	} rows[] = {
		{ ANSWER("true", "true", HELD), ELECTCTL_OK },
		{ ANSWER("false", "true", ROW("192.0.2.100", "free", "")), ELECTCTL_OK },
		{ ANSWER("true", "true", HELD "," ROW("192.0.2.9", "free", "")), ELECTCTL_OK },
		{ ANSWER("false", "false", ""), ELECTCTL_OK },
		{ ANSWER("true", "true", ROW("192.0.2.100", "free", "")), ELECTCTL_FALSE },
		{ ANSWER("true", "true", ROW("192.0.2.100", "foreign", "")), ELECTCTL_FALSE },
		{ ANSWER("false", "true", HELD), ELECTCTL_FALSE },
		{ ANSWER("false", "true", ROW("192.0.2.100", "unknown", "")), ELECTCTL_FALSE },
		{ ANSWER("true", "false", HELD), ELECTCTL_FALSE },
		{ ANSWER("true", "true", HELD "," ROW("192.0.2.9", "held", "")), ELECTCTL_FALSE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct run r = { .replies = rows[i].answer,
			.replies_size = strlen(rows[i].answer) + 1 };

		run(&r, address_verb, (struct options){ 0 }, 1);
		if (r.code != rows[i].code)
			fail_msg("%zu: %d", i, r.code);
		free(r.out);
	}
}

static void without_addresses_the_key_is_named(void **state)
{
	RUN(r, ANSWER("true", "false", ""), address_verb, 1, .json = false);

	(void)state;
	assert_string_equal(r.out, "no address is configured: see addresses in electd.conf(5)\n");
	free(r.out);
}

static void plain_output_has_a_line_of_fields(void **state)
{
	RUN(r, ANSWER("true", "true", HELD "," ROW("192.0.2.9", "free", ",\"words\":\"why\"")),
		address_verb, 1, .plain = true);

	(void)state;
	assert_string_equal(r.out,
		"192.0.2.100\theld\teth0\t1000\t3000\t0\t-1\t-\t-\t-1\t\n"
		"192.0.2.9\tfree\t-\t0\t-1\t0\t-1\t-\t-\t-1\twhy\n");
	free(r.out);
}

static void an_older_electd_is_named(void **state)
{
	RUN(r, "{\"error\":\"org.varlink.service.MethodNotFound\",\"parameters\":{}}", address_verb,
		1, .json = false);

	(void)state;
	assert_int_equal(r.code, ELECTCTL_PROTOCOL);
	assert_string_equal(r.out, "");
	free(r.out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_is_a_row),
		cmocka_unit_test(details_follow_the_row),
		cmocka_unit_test(the_exit_code_is_0_if_all_is_as_it_should_be),
		cmocka_unit_test(without_addresses_the_key_is_named),
		cmocka_unit_test(plain_output_has_a_line_of_fields),
		cmocka_unit_test(an_older_electd_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
