/* SPDX-License-Identifier: Apache-2.0 */
/* Holders of rank address begin before the others and end after them. */
#include "bench.h"

#include "control/inside.h"

static struct holder hook, address;

static int setup_both(void **state)
{
	int r = setup(state);

	if (r)
		return r;
	hook = holder_of("test", "hook");
	address = holder_of("mover", "address");
	view.token = 7;
	return 0;
}

static int teardown_both(void **state)
{
	close(hook.fd);
	close(address.fd);
	return teardown(state);
}

static const char *promoted_with(const char *holder, const char *token)
{
	char text[200];

	snprintf(text, sizeof(text),
		"{\"method\":\"io.electd.Promoted\",\"parameters\":{\"holder\":\"%s\","
		"\"token\":\"%s\"}}",
		holder, token);
	return asked(text);
}

static bool hears(const struct holder *h, const char *words)
{
	return strstr(last_heard(h->fd), words) != NULL;
}

#define PROMOTING "\"promoting\":{\"rank\":\"address\",\"waits_for\":\"those\",\"since_ms\":0,"

/* ---- the promotion --------------------------------------------------------------------------- */

static void the_others_wait_until_it_has_begun(void **state)
{
	char words[64];

	(void)state;
	becomes(ELECT_ROLE_LEADER);
	assert_true(hears(&hook, PROMOTING "\"left_ms\":1000}"));
	ctl_beginning(ctl, words, sizeof(words));
	assert_string_equal(words, "mover");
	assert_begins(
		promoted_with(address.name, "6"), "{\"parameters\":{}"); /* of an older role */
	run(2);
	assert_string_equal(last_heard(hook.fd), "");
	assert_begins(promoted_with(address.name, "7"), "{\"parameters\":{}");
	run(2);
	assert_true(hears(&hook, "\"promoting\":null"));
	assert_true(hears(&address, "\"event\":\"state\""));
	assert_int_equal(promoted_token, 0); /* health is judged after the scripts */
}

static void they_wait_for_a_second(void **state)
{
	struct ctl_ranks ranks;

	(void)state;
	becomes(ELECT_ROLE_LEADER);
	last_heard(hook.fd);
	pass_ms(999);
	assert_string_equal(last_heard(hook.fd), "");
	pass_ms(2);
	assert_true(hears(&hook, "\"promoting\":null"));
	ctl_ranks(ctl, &ranks);
	assert_true(ranks.late);
	promoted_with(address.name, "7");
	run(2);
	ctl_ranks(ctl, &ranks);
	assert_false(ranks.late);
}

static void they_do_not_wait_for_one_that_is_gone(void **state)
{
	(void)state;
	becomes(ELECT_ROLE_LEADER);
	assert_true(hears(&hook, PROMOTING));
	is_gone(&address);
	assert_true(hears(&hook, "\"promoting\":null"));
}

static void they_do_not_wait_when_the_role_goes_on(void **state)
{
	(void)state;
	becomes(ELECT_ROLE_LEADER);
	promoted_with(address.name, "7");
	view.token = 8;
	becomes(ELECT_ROLE_LEADER);
	assert_true(hears(&hook, "\"promoting\":null"));
	becomes(ELECT_ROLE_NONE);
	view.token = 9;
	becomes(ELECT_ROLE_LEADER);
	assert_true(hears(&hook, PROMOTING));
}

static void only_its_own_user_may_say_that_it_has_begun(void **state)
{
	struct ctl_peer other = { .uid = 1000 };

	(void)state;
	assert_begins(promoted_with("f00", "7"), "{\"error\":\"io.electd.NoSuchHolder\"");
	assert_begins(promoted_with(hook.name, "7"), "{\"error\":\"io.electd.NoSuchHolder\"");
	assert_false(holders_promoted(ctl, &other, address.name, 7));
}

/* ---- the demotion ---------------------------------------------------------------------------- */

static void it_is_asked_when_the_others_have_released(void **state)
{
	char words[64];

	(void)state;
	becomes(ELECT_ROLE_LEADER);
	promoted_with(address.name, "7");
	run(2);
	last_heard(address.fd);
	assert_true(release(5, ELECT_PURPOSE_RESIGN));
	run(2);
	assert_true(hears(&hook, "\"event\":\"release\""));
	assert_string_equal(last_heard(address.fd), "");
	assert_int_equal(ctl_holding(ctl, words, sizeof(words)), 2);
	assert_string_equal(words, "test");
	assert_begins(release_with(address.name, 5), "{\"error\":\"io.electd.NotReleasing\"");
	lets_go(&hook);
	run(2);
	assert_true(hears(&address, "\"release\":5,\"purpose\":\"resign\""));
	ctl_holding(ctl, words, sizeof(words));
	assert_string_equal(words, "mover");
	assert_int_equal(released_count, 0);
	lets_go(&address);
	run(2);
	assert_int_equal(released_count, 1);
}

static void it_is_asked_before_the_time_is_over(void **state)
{
	(void)state;
	becomes(ELECT_ROLE_LEADER);
	promoted_with(address.name, "7");
	run(2);
	last_heard(address.fd);
	assert_true(release(5, ELECT_PURPOSE_RESIGN));
	pass_ms(59799);
	assert_string_equal(last_heard(address.fd), "");
	pass_ms(2);
	assert_true(hears(&address, "\"event\":\"release\""));
	lets_go(&address);
	run(2);
	assert_int_equal(released_count, 0); /* for the other holder */
	ctl_release_over(ctl);
	run(2);
	assert_true(hears(&hook, "\"event\":\"release-over\""));
	assert_string_equal(last_heard(address.fd), "");
}

/* Nothing that happens before the loop turns hides that rank address is to be asked. */
static void a_change_at_the_same_moment_hides_nothing(void **state)
{
	struct ctl_peer root = { .uid = 0 };

	(void)state;
	becomes(ELECT_ROLE_LEADER);
	promoted_with(address.name, "7");
	run(2);
	last_heard(address.fd);
	assert_true(release(5, ELECT_PURPOSE_RESIGN));
	run(2);
	assert_int_equal(holders_release(ctl, &root, hook.name, 5), CTL_OK);
	ctl_publish(ctl, "members", &view);
	run(4);
	assert_true(hears(&address, "\"event\":\"release\""));
	lets_go(&address);
	run(2);
	assert_int_equal(released_count, 1);
}

static void a_change_when_time_is_over_hides_nothing(void **state)
{
	struct ctl_ranks ranks;

	(void)state;
	becomes(ELECT_ROLE_LEADER);
	time_us += 1000001; /* no turn of the loop yet */
	assert_true(release(5, ELECT_PURPOSE_RESIGN));
	ctl_publish(ctl, "members", &view);
	assert_int_equal(ranked_count, 0);
	run(4);
	assert_int_equal(ranked_count, 1);
	ctl_ranks(ctl, &ranks);
	assert_true(ranks.late);
}

static void alone_it_is_asked_at_once(void **state)
{
	(void)state;
	assert_begins(release_with(hook.name, 0), "{\"parameters\":{}");
	becomes(ELECT_ROLE_LEADER);
	last_heard(address.fd);
	assert_true(release(5, ELECT_PURPOSE_YIELD));
	run(2);
	assert_true(hears(&address, "\"event\":\"release\""));
	lets_go(&address);
	run(2);
	assert_int_equal(released_count, 1);
}

static void it_is_not_asked_while_a_lost_holder_is_waited_for(void **state)
{
	(void)state;
	becomes(ELECT_ROLE_LEADER);
	promoted_with(address.name, "7");
	is_gone(&hook);
	last_heard(address.fd);
	assert_true(release(5, ELECT_PURPOSE_YIELD));
	run(2);
	assert_string_equal(last_heard(address.fd), "");
	pass_ms(59801);
	assert_true(hears(&address, "\"event\":\"release\""));
}

static void the_next_one_answers_for_a_lost_one(void **state)
{
	struct holder next;

	(void)state;
	assert_begins(release_with(hook.name, 0), "{\"parameters\":{}");
	becomes(ELECT_ROLE_LEADER);
	is_gone(&address);
	assert_int_equal(holders_lost(ctl), 1);
	next = holder_of("another", "address");
	assert_int_equal(holders_lost(ctl), 1);
	is_gone(&next);
	next = holder_of("mover", "address");
	assert_int_equal(holders_lost(ctl), 1); /* `another` */
	is_gone(&next);
}

static void a_snapshot_has_the_release_of_its_rank_only(void **state)
{
	struct holder late;

	(void)state;
	becomes(ELECT_ROLE_LEADER);
	assert_true(release(5, ELECT_PURPOSE_RESIGN));
	late = holder_of("late", "address");
	run(2);
	assert_string_equal(last_heard(late.fd), "");
	lets_go(&hook);
	run(2);
	assert_true(hears(&late, "\"event\":\"release\""));
	close(late.fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_both, teardown_both)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_others_wait_until_it_has_begun),
		TEST(they_wait_for_a_second),
		TEST(they_do_not_wait_for_one_that_is_gone),
		TEST(they_do_not_wait_when_the_role_goes_on),
		TEST(only_its_own_user_may_say_that_it_has_begun),
		TEST(it_is_asked_when_the_others_have_released),
		TEST(it_is_asked_before_the_time_is_over),
		TEST(a_change_at_the_same_moment_hides_nothing),
		TEST(a_change_when_time_is_over_hides_nothing),
		TEST(alone_it_is_asked_at_once),
		TEST(it_is_not_asked_while_a_lost_holder_is_waited_for),
		TEST(the_next_one_answers_for_a_lost_one),
		TEST(a_snapshot_has_the_release_of_its_rank_only),
	};

	if (geteuid() != 0) {
		puts("skipped: only root may be a holder");
		return 77;
	}
	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
