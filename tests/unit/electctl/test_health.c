/* SPDX-License-Identifier: Apache-2.0 */
/* The calls, output and exit codes of sick, well, forget and health. */
#include "server.h"

#define HEALTH                                                                                     \
	"{\"parameters\":{\"sick\":true,\"may_lead\":false,\"leading\":false,\"reports\":["        \
	"{\"name\":\"pg\",\"health\":\"sick\",\"words\":\"connection refused\","                   \
	"\"required\":true,\"leading\":false,\"in_a_row\":3,\"since_ms\":12000,"                   \
	"\"heard_ms\":400},"                                                                       \
	"{\"name\":\"disk\",\"health\":\"well\",\"words\":\"\",\"required\":false,"                \
	"\"leading\":true,\"in_a_row\":1,\"since_ms\":60000,\"heard_ms\":90},"                     \
	"{\"name\":\"gateway\",\"health\":\"unknown\",\"words\":\"\",\"required\":true,"           \
	"\"leading\":false,\"in_a_row\":0,\"since_ms\":900,\"heard_ms\":null}]}}"
#define NONE "{\"parameters\":{\"sick\":false,\"may_lead\":true,\"leading\":true,\"reports\":[]}}"

static char name[] = "pg", words[] = "stopped:", more[] = "exit-\x1b", bad[] = "a/b";

static void reports(struct run *r, verb_fn *verb, bool leader, char *const *args)
{
	r->replies = "{\"parameters\":{}}";
	r->replies_size = strlen(r->replies) + 1;
	r->args = args;
	run(r, verb, (struct options){ .leader = leader, .stale_ms = leader ? 7000 : -1 }, 1);
}

static void one_report_takes_effect_at_once_and_does_not_expire(void **state)
{
	char *const args[] = { name, words, more, NULL };
	struct run r = { 0 };

	(void)state;
	reports(&r, sick_verb, false, args);
	assert_int_equal(r.code, ELECTCTL_OK);
	assert_string_equal(r.out, "");
	assert_string_equal(r.asked,
		"{\"method\":\"io.electd.Report\",\"parameters\":{\"name\":\"pg\",\"well\":false,"
		"\"words\":\"stopped: exit-?\",\"fall\":1,\"rise\":1,\"stale_ms\":0}}");
	free(r.out);
}

static void a_report_may_expire(void **state)
{
	char *const args[] = { name, NULL };
	struct run r = { 0 };

	(void)state;
	reports(&r, well_verb, true, args);
	assert_string_equal(r.asked,
		"{\"method\":\"io.electd.Report\",\"parameters\":{\"name\":\"pg\",\"well\":true,"
		"\"words\":\"\",\"fall\":1,\"rise\":1,\"stale_ms\":7000,\"leading\":true}}");
	free(r.out);
}

static void a_name_is_forgotten(void **state)
{
	char *const args[] = { name, NULL };
	struct run r = { 0 };

	(void)state;
	reports(&r, forget_verb, false, args);
	assert_int_equal(r.code, ELECTCTL_OK);
	assert_string_equal(
		r.asked, "{\"method\":\"io.electd.Forget\",\"parameters\":{\"name\":\"pg\"}}");
	free(r.out);
}

static void an_invalid_name_makes_no_call(void **state)
{
	char *const args[] = { bad, NULL };
	struct options o = { .out = stdout, .quiet = true, .socket = "/nonexistent/io.electd" };

	(void)state;
	assert_int_equal(sick_verb(&o, args), ELECTCTL_USAGE);
	assert_int_equal(well_verb(&o, args), ELECTCTL_USAGE);
	assert_int_equal(forget_verb(&o, args), ELECTCTL_USAGE);
}

static void health_shows_each_name(void **state)
{
	RUN(r, HEALTH, health_verb, 1, .json = false);
	RUN(plain, HEALTH, health_verb, 1, .plain = true);
	RUN(none, NONE, health_verb, 1, .json = false);

	(void)state;
	assert_int_equal(r.code, ELECTCTL_FALSE);
	assert_string_equal(r.out,
		"pg       sick     for 12 s, 3 in a row, required: connection refused\n"
		"disk     well     for 1 min 0 s, 1 in a row, judged while this host leads\n"
		"gateway  unknown  for 900 ms, required\n");
	assert_string_equal(plain.out,
		"pg\tsick\trequired\t-\t3\t12000\t400\tconnection refused\n"
		"disk\twell\t-\tleader\t1\t60000\t90\t\n"
		"gateway\tunknown\trequired\t-\t0\t900\t-\t\n");
	assert_int_equal(none.code, ELECTCTL_OK);
	assert_string_equal(none.out, "nothing was reported, and nothing is required\n");
	free(r.out);
	free(plain.out);
	free(none.out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_report_takes_effect_at_once_and_does_not_expire),
		cmocka_unit_test(a_report_may_expire),
		cmocka_unit_test(a_name_is_forgotten),
		cmocka_unit_test(an_invalid_name_makes_no_call),
		cmocka_unit_test(health_shows_each_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
