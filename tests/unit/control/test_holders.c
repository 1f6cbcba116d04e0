/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holders: leadership passes on when each has let go, and what they hear to judge by.
 */
#include "bench.h"

#include "control/inside.h"

#define HOLD                                                                                       \
	"{\"method\":\"io.electd.Subscribe\",\"parameters\":{\"hold\":true,\"name\":\"test\"},"    \
	"\"more\":true}"

struct holder {
	int fd;
	char name[CTL_HOLDER_SIZE];
};

/* Only an admin is one: without root these tests have nobody to play it. */
static struct holder new_holder(void)
{
	struct holder h;
	const char *text, *at;

	if (geteuid() != 0)
		skip();
	h.fd = visit();
	say(h.fd, HOLD);
	text = heard(h.fd);
	at = strstr(text, "\"holder\":\"");
	if (!at)
		fail_msg("no holder in %s", text);
	snprintf(h.name, sizeof(h.name), "%s", at + 10);
	return h;
}

static const char *release_with(const char *name, unsigned sequence)
{
	char text[200];
	const char *answer;
	int fd = visit();

	snprintf(text, sizeof(text),
		"{\"method\":\"io.electd.Release\",\"parameters\":{\"holder\":\"%s\",\"seq\":%u}}",
		name, sequence);
	say(fd, text);
	answer = heard(fd);
	close(fd);
	run(2);
	return answer;
}

static void lets_go(const struct holder *h)
{
	assert_begins(release_with(h->name, 5), "{\"parameters\":{}");
}

/* Whoever has to know of it does before it can act. */
static void who_holds_is_told_before_a_holder_hears_anything(void **state)
{
	uint64_t before = ctl_holders_changed(ctl);
	int fds[CTL_PLACES], fd = visit();
	struct holder h;

	(void)state;
	say(fd, SUBSCRIBE);
	last_heard(fd);
	assert_int_equal(holders_came_count, 0);
	assert_int_equal(ctl_holder_fds(ctl, fds), 0);
	h = new_holder();
	assert_int_equal(holders_came_count, 1);
	assert_int_equal(ctl_holder_fds(ctl, fds), 1);
	assert_true(ctl_holders_changed(ctl) > before);
	close(h.fd);
	run(4);
	assert_int_equal(holders_gone_count, 1);
	assert_int_equal(ctl_holder_fds(ctl, fds), 0);
	close(fd);
	run(4);
	assert_int_equal(holders_gone_count, 1);
}

/* A copy of electd's end does not keep a holder from seeing that it was cut off. */
static void a_holder_that_is_cut_off_sees_it_whoever_has_a_copy(void **state)
{
	struct holder h = new_holder();
	int fds[CTL_PLACES], copy;
	char rest;

	(void)state;
	assert_int_equal(ctl_holder_fds(ctl, fds), 1);
	copy = dup(fds[0]);
	assert_true(copy >= 0);
	shutdown(h.fd, SHUT_WR);
	run(4);
	assert_int_equal(holders_gone_count, 1);
	last_heard(h.fd);
	assert_int_equal(recv(h.fd, &rest, 1, MSG_DONTWAIT), 0);
	close(copy);
	close(h.fd);
}

static void without_a_holder_there_is_no_wait(void **state)
{
	int fd = visit();

	(void)state;
	say(fd, SUBSCRIBE);
	last_heard(fd);
	assert_false(ctl_release(ctl, 5, ELECT_PURPOSE_YIELD));
	run(2);
	assert_string_equal(heard(fd), "nothing");
	assert_int_equal(released_count, 0);
	close(fd);
	run(2);
}

static void leadership_waits_for_every_holder(void **state)
{
	struct holder a, b;

	(void)state;
	a = new_holder();
	b = new_holder();
	assert_string_not_equal(a.name, b.name);
	ctl_publish(ctl, "state", &view);
	assert_true(ctl_release(ctl, 5, ELECT_PURPOSE_YIELD));
	run(2);
	assert_non_null(strstr(last_heard(a.fd), "\"event\":\"release\""));
	assert_non_null(strstr(last_heard(b.fd), "\"release\":5,\"purpose\":\"yield\"}"));

	assert_begins(release_with(a.name, 7), "{\"error\":\"io.electd.NotReleasing\"");
	assert_begins(release_with("f00", 5), "{\"error\":\"io.electd.NoSuchHolder\"");
	lets_go(&a);
	assert_begins(release_with(a.name, 5), "{\"error\":\"io.electd.NotReleasing\"");
	assert_int_equal(released_count, 0);
	lets_go(&b);
	run(2);
	assert_int_equal(released_count, 1);
	assert_int_equal(released_number, 5);
	close(a.fd);
	close(b.fd);
	run(4);
	assert_int_equal(released_count, 1);
}

static void a_holder_that_is_gone_has_let_go(void **state)
{
	struct holder a, b;

	(void)state;
	a = new_holder();
	b = new_holder();
	assert_true(ctl_release(ctl, 5, ELECT_PURPOSE_YIELD));
	close(a.fd);
	run(4);
	assert_int_equal(released_count, 0);
	close(b.fd);
	run(4);
	assert_int_equal(released_count, 1);
}

static void who_comes_to_hold_during_a_release_is_asked_too(void **state)
{
	struct holder a, b;

	(void)state;
	a = new_holder();
	assert_true(ctl_release(ctl, 5, ELECT_PURPOSE_YIELD));
	b = new_holder();
	assert_non_null(strstr(last_heard(b.fd), "\"event\":\"release\""));
	lets_go(&a);
	run(2);
	assert_int_equal(released_count, 0);
	lets_go(&b);
	run(2);
	assert_int_equal(released_count, 1);
	close(a.fd);
	close(b.fd);
	run(4);
}

static void when_it_is_over_nobody_is_waited_for(void **state)
{
	struct holder a;

	(void)state;
	a = new_holder();
	assert_true(ctl_release(ctl, 5, ELECT_PURPOSE_YIELD));
	ctl_release_over(ctl);
	run(2);
	assert_non_null(strstr(
		last_heard(a.fd), "\"on_failure\":\"ignore\"},\"release\":5},\"continues\""));
	assert_begins(release_with(a.name, 5), "{\"error\":\"io.electd.NotReleasing\"");
	ctl_release_over(ctl); /* once */
	run(2);
	assert_string_equal(heard(a.fd), "nothing");
	close(a.fd);
	run(4);
	assert_int_equal(released_count, 0);
}

/* The same demotion, for a stronger purpose: who has let go has done so. */
static void another_purpose_is_told_to_those_who_still_hold(void **state)
{
	struct holder a, b;
	char words[64];

	(void)state;
	a = new_holder();
	b = new_holder();
	assert_int_equal(ctl_holding(ctl, words, sizeof(words)), 0);
	assert_true(ctl_release(ctl, 5, ELECT_PURPOSE_YIELD));
	assert_int_equal(ctl_holding(ctl, words, sizeof(words)), 2);
	assert_string_equal(words, "test, test");
	run(2);
	last_heard(a.fd);
	last_heard(b.fd);
	lets_go(&a);
	assert_true(ctl_release(ctl, 5, ELECT_PURPOSE_STOP));
	run(2);
	assert_string_equal(heard(a.fd), "nothing");
	assert_non_null(strstr(last_heard(b.fd), "\"release\":5,\"purpose\":\"stop\"}"));
	assert_int_equal(ctl_holding(ctl, words, 6), 1);
	assert_string_equal(words, "test");
	lets_go(&b);
	run(2);
	assert_int_equal(released_count, 1);
	close(a.fd);
	close(b.fd);
	run(4);
}

#define HOOKD                                                                                      \
	"{\"method\":\"io.electd.Subscribe\",\"parameters\":{\"hold\":true,"                       \
	"\"name\":\"electd-hookd\"},\"more\":true}"

/* Problems of the one before are taken back; its snapshot is of after that. */
static void hookd_is_known_by_its_name(void **state)
{
	uint64_t before = ctl_sequence(ctl);
	int fd;

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_false(holders_hookd(ctl, NULL));
	fd = visit();
	say(fd, HOOKD);
	assert_non_null(strstr(heard(fd), "{\"seq\":1,\"event\":\"snapshot\""));
	assert_int_equal(ctl_sequence(ctl), before + 1);
	assert_int_equal(renewed_count, 1);
	assert_true(holders_hookd(ctl, NULL));
	assert_false(holders_hookd(ctl, "0"));
	close(fd);
	run(4);
	assert_false(holders_hookd(ctl, NULL));
}

/* By every event: it has to judge by what electd says now. */
static void a_holder_hears_what_it_is_to_judge_by_others_do_not(void **state)
{
	static const char fields[] = "\"dead_after_ms\":600,\"until_boot_ms\":null,"
				     "\"ending_ms\":null,\"time_namespace\":4026531834,"
				     "\"hooks\":{\"timeout_ms\":10000,\"on_failure\":\"ignore\"}";
	int fd = visit();
	struct holder a;

	(void)state;
	config.timings.dead_after_us = 600000;
	say(fd, SUBSCRIBE);
	assert_null(strstr(heard(fd), "\"hooks\""));
	a = new_holder();
	ctl_publish(ctl, "state", &view);
	run(2);
	assert_non_null(strstr(last_heard(a.fd), fields));
	assert_null(strstr(last_heard(fd), "\"hooks\""));
	assert_true(ctl_release(ctl, 5, ELECT_PURPOSE_BAR));
	run(2);
	assert_non_null(strstr(last_heard(a.fd), fields));
	ctl_release_over(ctl);
	run(2);
	assert_non_null(strstr(last_heard(a.fd), fields));
	close(a.fd);
	close(fd);
	run(4);
}

/*
 * A8: of a host that leads each event says so, rounded down, and a new moment is said at once. Its
 * `alive` is never said by a timer: that would be younger than the beacon from which others count.
 */
static void a_holder_hears_until_when_the_role_lasts(void **state)
{
	static const char alive[] = "{\"parameters\":{\"seq\":0,\"event\":\"alive\",",
			  fields[] = "\"until_boot_ms\":10555,\"ending_ms\":45,";
	struct holder a;
	const char *text;

	(void)state;
	config.timings.beacon_us = 1000;
	view.role = ELECT_ROLE_LEADER;
	until_us = 10555999;
	a = new_holder();
	pass_ms(5);
	assert_string_equal(heard(a.fd), "nothing");
	ctl_until_changed(ctl);
	text = heard(a.fd);
	assert_begins(text, alive);
	assert_non_null(strstr(text, fields));
	assert_true(ctl_release(ctl, 5, ELECT_PURPOSE_BAR));
	run(2);
	assert_non_null(strstr(last_heard(a.fd), fields));
	ctl_release_over(ctl);
	run(2);
	assert_non_null(strstr(last_heard(a.fd), fields));
	close(a.fd);
	run(4);
	a = new_holder();
	ctl_publish(ctl, "state", &view);
	run(2);
	assert_non_null(strstr(last_heard(a.fd), fields));
	view.role = ELECT_ROLE_FOLLOWER;
	ctl_publish(ctl, "follower", &view);
	run(2);
	assert_non_null(strstr(last_heard(a.fd), "\"until_boot_ms\":null,\"ending_ms\":null,"));
	close(a.fd);
	run(4);
}

/* A8: the moment has moved in the same step, after the change was put into words. */
static void a_new_moment_follows_a_change_that_is_not_read_yet(void **state)
{
	struct holder a;

	(void)state;
	view.role = ELECT_ROLE_LEADER;
	until_us = 10000000;
	a = new_holder();
	ctl_publish(ctl, "state", &view);
	until_us = 10555000;
	ctl_until_changed(ctl);
	run(3);
	assert_non_null(strstr(heard(a.fd), "\"until_boot_ms\":10000,"));
	assert_non_null(strstr(heard(a.fd), "\"until_boot_ms\":10555,"));
	assert_string_equal(heard(a.fd), "nothing");
	close(a.fd);
	run(4);
}

/* Beacons are a millisecond apart here; the loop waits for them. */
static void a_holder_hears_that_electd_lives_others_do_not(void **state)
{
	int fd = visit();
	struct holder a;

	(void)state;
	config.timings.beacon_us = 1000;
	say(fd, SUBSCRIBE);
	last_heard(fd);
	a = new_holder();
	for (unsigned i = 0; i < 3; i++) {
		const char *text;

		assert_string_equal(heard(a.fd), "nothing");
		pass_ms(1);
		text = heard(a.fd);
		assert_begins(text, "{\"parameters\":{\"seq\":0,\"event\":\"alive\",");
	}
	assert_string_equal(heard(fd), "nothing");
	close(a.fd);
	close(fd);
	run(4);
}

static unsigned wakes;

static void count_wakes(void)
{
	wakes++;
}

/* It goes out at once: each beacon has one wake-up for it, not another to write. */
static void that_it_lives_takes_one_turn_of_the_loop(void **state)
{
	struct holder a = new_holder();

	(void)state;
	config.timings.beacon_us = 1000;
	close(a.fd);
	run(4);
	a = new_holder();
	run(4);
	last_heard(a.fd);
	overdue = count_wakes;
	wakes = 0;
	for (unsigned i = 1; i <= 3; i++) {
		assert_string_equal(heard(a.fd), "nothing");
		time_us += 1000;
		run(1);
		assert_begins(heard(a.fd), "{\"parameters\":{\"seq\":0,\"event\":\"alive\",");
		assert_int_equal(wakes, i);
	}
	close(a.fd);
	run(4);
}

/* Nor does it wait for who does not read: one is kept for it, cut off nowhere. */
static void that_it_lives_reaches_whole_who_reads_late(void **state)
{
	struct holder a = new_holder();
	int little = 1, fds[CTL_PLACES];
	unsigned count = 0;

	(void)state;
	config.timings.beacon_us = 1000;
	close(a.fd);
	run(4);
	a = new_holder();
	assert_int_equal(ctl_holder_fds(ctl, fds), 1);
	assert_int_equal(setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &little, sizeof(little)), 0);
	for (unsigned i = 0; i < 50; i++)
		pass_ms(1);
	for (; strcmp(heard(a.fd), "nothing") != 0; run(1))
		count++;
	assert_true(count > 0 && count < 50);
	close(a.fd);
	run(4);
}

static void somebody_else_cannot_let_go_for_a_holder(void **state)
{
	struct ctl_peer other = { 1000, .admin = true };
	struct holder a;

	(void)state;
	a = new_holder();
	assert_true(ctl_release(ctl, 5, ELECT_PURPOSE_YIELD));
	assert_int_equal(holders_release(ctl, &other, a.name, 5), CTL_NO_SUCH_HOLDER);
	close(a.fd);
	run(4);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(who_holds_is_told_before_a_holder_hears_anything),
		TEST(a_holder_that_is_cut_off_sees_it_whoever_has_a_copy),
		TEST(without_a_holder_there_is_no_wait),
		TEST(leadership_waits_for_every_holder),
		TEST(a_holder_that_is_gone_has_let_go),
		TEST(who_comes_to_hold_during_a_release_is_asked_too),
		TEST(when_it_is_over_nobody_is_waited_for),
		TEST(another_purpose_is_told_to_those_who_still_hold),
		TEST(hookd_is_known_by_its_name),
		TEST(a_holder_hears_what_it_is_to_judge_by_others_do_not),
		TEST(a_holder_hears_until_when_the_role_lasts),
		TEST(a_new_moment_follows_a_change_that_is_not_read_yet),
		TEST(a_holder_hears_that_electd_lives_others_do_not),
		TEST(that_it_lives_takes_one_turn_of_the_loop),
		TEST(that_it_lives_reaches_whole_who_reads_late),
		TEST(somebody_else_cannot_let_go_for_a_holder),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
