/* SPDX-License-Identifier: Apache-2.0 */
/* Leadership passes on only after every holder has released; what holders are sent. */
#include "bench.h"

#include "control/inside.h"

static struct holder new_holder(void)
{
	return holder_of("test", "hook");
}

/* The node must know of a holder before the holder can act. */
static void the_node_learns_of_a_holder_before_the_holder_hears_anything(void **state)
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

/* A copy of electd's end must not hide the end of the stream from a holder that is cut off. */
static void a_holder_that_is_cut_off_sees_the_end_of_its_stream(void **state)
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

static void a_release_without_a_holder_is_over_at_once(void **state)
{
	int fd = visit();

	(void)state;
	say(fd, SUBSCRIBE);
	last_heard(fd);
	assert_false(release(5, ELECT_PURPOSE_YIELD));
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
	assert_true(release(5, ELECT_PURPOSE_YIELD));
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

/* ---- electd-address ---------------------------------------------------------------------- */

static const char *reported_with(const char *holder)
{
	char text[200];

	snprintf(text, sizeof(text),
		"{\"method\":\"io.electd.ReportAddresses\",\"parameters\":{\"holder\":\"%s\","
		"\"addresses\":[{\"address\":\"192.0.2.100\",\"state\":\"held\"}]}}",
		holder);
	return asked(text);
}

static void only_the_holder_that_moves_addresses_reports_them(void **state)
{
	struct holder other = new_holder(), address;

	(void)state;
	assert_begins(reported_with(other.name), "{\"error\":\"io.electd.NoSuchHolder\"");
	address = holder_of("electd-address", "address");
	assert_begins(reported_with(other.name), "{\"error\":\"io.electd.NoSuchHolder\"");
	assert_int_equal(addresses_table.count, 0);
	assert_begins(reported_with(address.name), "{\"parameters\":{}");
	assert_int_equal(addresses_table.count, 1);
	assert_true(ctl_reports_addresses(ctl, address.name));
	assert_false(ctl_reports_addresses(ctl, other.name));
	close(address.fd);
	run(4);
	assert_false(ctl_reports_addresses(ctl, address.name));
	close(other.fd);
}

/* ---- holders whose connection ends ----------------------------------------------------------- */

static void assert_waits_for(const char *wanted)
{
	char words[64];

	run(2);
	assert_int_equal(released_count, 0);
	assert_true(ctl_holding(ctl, words, sizeof(words)) > 0);
	assert_string_equal(words, wanted);
}

/* electd cannot know whether the work of a lost holder has ended, so it waits for its release. */
static void a_lost_holder_has_not_released(void **state)
{
	struct holder a = new_holder(), b = new_holder();

	(void)state;
	becomes(ELECT_ROLE_LEADER);
	assert_true(release(5, ELECT_PURPOSE_YIELD));
	is_gone(&a);
	lets_go(&b);
	assert_waits_for("test (gone)");
	is_gone(&b); /* this holder has released */
	assert_waits_for("test (gone)");
	assert_int_equal(holders_lost(ctl), 1);
	assert_true(ctl_any_holder(ctl));
	ctl_release_over(ctl);
	becomes(ELECT_ROLE_NONE);
	assert_int_equal(ctl_holding(ctl, NULL, 0), 0);
	assert_false(ctl_any_holder(ctl));
	assert_false(release(6, ELECT_PURPOSE_YIELD));
	run(4);
	assert_int_equal(released_count, 0);
}

/* The holder was killed just before the release was requested. */
static void a_holder_that_was_lost_before_the_release_has_not_released(void **state)
{
	struct holder a = new_holder();
	uint64_t before;

	(void)state;
	becomes(ELECT_ROLE_LEADER);
	before = ctl_holders_changed(ctl);
	is_gone(&a);
	assert_true(ctl_holders_changed(ctl) > before);
	assert_int_equal(ctl_holding(ctl, NULL, 0), 0); /* no release runs yet */
	assert_true(release(5, ELECT_PURPOSE_YIELD));
	assert_waits_for("test (gone)");
	ctl_release_over(ctl); /* this host leads on; the next release waits too */
	assert_true(release(6, ELECT_PURPOSE_YIELD));
	assert_waits_for("test (gone)");
	ctl_release_over(ctl);
}

/* A holder on a host that does not lead has no work to end. */
static void a_holder_lost_by_a_follower_is_not_waited_for(void **state)
{
	struct holder a = new_holder(), b = new_holder();

	(void)state;
	becomes(ELECT_ROLE_FOLLOWER);
	is_gone(&a);
	becomes(ELECT_ROLE_LEADER);
	assert_int_equal(holders_lost(ctl), 0);
	is_gone(&b);
	assert_int_equal(holders_lost(ctl), 1);
	becomes(ELECT_ROLE_NONE);
	becomes(ELECT_ROLE_LEADER);
	assert_false(release(5, ELECT_PURPOSE_YIELD));
}

/* Release with seq 0: the command of the holder has ended, so it has nothing to release later. */
static void a_holder_that_said_it_ended_is_not_waited_for(void **state)
{
	struct holder a = new_holder(), b = new_holder();

	(void)state;
	becomes(ELECT_ROLE_LEADER);
	assert_begins(release_with(a.name, 0), "{\"parameters\":{}");
	assert_begins(release_with(a.name, 0), "{\"error\":\"io.electd.NoSuchHolder\"");
	assert_int_equal(holders_gone_count, 1);
	assert_true(release(5, ELECT_PURPOSE_YIELD));
	assert_waits_for("test");
	last_heard(a.fd);
	ctl_publish(ctl, "state", &view); /* it is an ordinary subscriber now */
	run(2);
	assert_null(strstr(last_heard(a.fd), "\"hooks\":{\"timeout_ms\""));
	is_gone(&a);
	assert_waits_for("test");
	assert_begins(release_with(b.name, 0), "{\"parameters\":{}"); /* valid in a release, too */
	run(2);
	assert_int_equal(released_count, 1);
	is_gone(&b);
}

/* The work may go on without the stream; Release uses another connection anyway. */
static void a_lost_holder_may_still_release(void **state)
{
	struct holder a = new_holder(), b = new_holder();

	(void)state;
	becomes(ELECT_ROLE_LEADER);
	is_gone(&b);
	assert_begins(release_with(b.name, 5), "{\"error\":\"io.electd.NotReleasing\"");
	assert_true(release(5, ELECT_PURPOSE_YIELD));
	is_gone(&a);
	assert_waits_for("test (gone), test (gone)");
	assert_begins(release_with(a.name, 7), "{\"error\":\"io.electd.NotReleasing\"");
	assert_begins(release_with("f00", 5), "{\"error\":\"io.electd.NoSuchHolder\"");
	lets_go(&a);
	assert_waits_for("test (gone)");
	assert_begins(release_with(b.name, 0), "{\"parameters\":{}");
	run(2);
	assert_int_equal(released_count, 1);
	assert_begins(release_with(a.name, 5), "{\"error\":\"io.electd.NoSuchHolder\"");
}

/* There are fewer rows than lost holders, but none is forgotten. */
static void any_number_of_lost_holders_is_waited_for(void **state)
{
	struct holder a, first = new_holder();

	(void)state;
	becomes(ELECT_ROLE_LEADER);
	assert_true(release(5, ELECT_PURPOSE_YIELD));
	for (unsigned i = 0; i <= CTL_GONE_MAX; i++) {
		a = new_holder();
		is_gone(&a);
	}
	lets_go(&first);
	run(2);
	assert_int_equal(released_count, 0);
	assert_int_equal(ctl_holding(ctl, NULL, 0), CTL_GONE_MAX + 1);
	is_gone(&first);
	becomes(ELECT_ROLE_NONE);
	assert_int_equal(holders_lost(ctl), 0);
}

static void a_holder_that_comes_during_a_release_is_asked_too(void **state)
{
	struct holder a, b;

	(void)state;
	a = new_holder();
	assert_true(release(5, ELECT_PURPOSE_YIELD));
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

static void no_holder_is_waited_for_after_the_release_is_over(void **state)
{
	struct holder a;

	(void)state;
	a = new_holder();
	assert_true(release(5, ELECT_PURPOSE_YIELD));
	ctl_release_over(ctl);
	run(2);
	assert_non_null(strstr(
		last_heard(a.fd), "\"on_failure\":\"ignore\"},\"release\":5},\"continues\""));
	assert_begins(release_with(a.name, 5), "{\"error\":\"io.electd.NotReleasing\"");
	ctl_release_over(ctl); /* sent once */
	run(2);
	assert_string_equal(heard(a.fd), "nothing");
	close(a.fd);
	run(4);
	assert_int_equal(released_count, 0);
}

/* The demotion continues with a stronger purpose; a holder that has released stays released. */
static void a_new_purpose_is_sent_to_the_remaining_holders(void **state)
{
	struct holder a, b;
	char words[64];

	(void)state;
	a = new_holder();
	b = new_holder();
	assert_int_equal(ctl_holding(ctl, words, sizeof(words)), 0);
	assert_true(release(5, ELECT_PURPOSE_YIELD));
	assert_int_equal(ctl_holding(ctl, words, sizeof(words)), 2);
	assert_string_equal(words, "test, test");
	run(2);
	last_heard(a.fd);
	last_heard(b.fd);
	lets_go(&a);
	assert_true(release(5, ELECT_PURPOSE_STOP));
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

/* The next electd-hookd takes back the problems of the one before, then gets its snapshot. */
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

static struct holder new_hookd(void)
{
	struct holder h = { visit(), "" };

	say(h.fd, HOOKD);
	snprintf(h.name, sizeof(h.name), "%s", strstr(heard(h.fd), "\"holder\":\"") + 10);
	return h;
}

/* The next electd-hookd first demotes what the one before may have left, and then releases. */
static void the_next_hookd_releases_for_a_lost_one(void **state)
{
	struct holder a, b, c, other;

	(void)state;
	if (geteuid() != 0)
		skip();
	a = new_hookd();
	other = new_holder();
	becomes(ELECT_ROLE_LEADER);
	is_gone(&a);
	is_gone(&other);
	b = new_hookd(); /* replaces only the first one */
	assert_int_equal(holders_lost(ctl), 1);
	assert_begins(release_with(other.name, 0), "{\"parameters\":{}");
	assert_true(release(5, ELECT_PURPOSE_YIELD));
	is_gone(&b);
	assert_waits_for("electd-hookd (gone)");
	b = new_hookd();
	assert_non_null(strstr(last_heard(b.fd), "\"event\":\"release\""));
	assert_waits_for("electd-hookd");
	c = new_hookd();
	is_gone(&b); /* its earlier connection, which it closes after the demotion */
	assert_waits_for("electd-hookd");
	lets_go(&c);
	run(2);
	assert_int_equal(released_count, 1);
	is_gone(&c);
}

/* Closing its connection at once does not release what it took over. */
static void the_next_hookd_is_waited_for_from_its_start(void **state)
{
	struct holder a;
	int fd;

	(void)state;
	if (geteuid() != 0)
		skip();
	a = new_hookd();
	becomes(ELECT_ROLE_LEADER);
	assert_true(release(5, ELECT_PURPOSE_YIELD));
	is_gone(&a);
	fd = visit();
	assert_int_equal(send(fd, HOOKD, sizeof(HOOKD), MSG_NOSIGNAL), sizeof(HOOKD));
	close(fd);
	run(8);
	assert_waits_for("electd-hookd (gone)");
}

/* ---- slow readers ---------------------------------------------------------------------------- */

/* Reads everything that arrives from now on and returns the last whole object. The loop has run. */
static const char *last_of_all(int fd, size_t *ret_size)
{
	static char all[16 << 20];
	size_t used = 0, begin = 0;
	ssize_t size;

	do {
		run(2);
		size = recv(fd, all + used, sizeof(all) - used, MSG_DONTWAIT);
		used += size > 0 ? (size_t)size : 0;
	} while (size > 0);
	assert_int_equal(size, -1); /* not closed */
	*ret_size = used;
	assert_true(used > 0 && !all[used - 1]);
	for (size_t i = 0; i + 1 < used; i++)
		if (!all[i])
			begin = i + 1;
	return all + begin;
}

static void much_happens(void)
{
	members_count = 1000;
	for (unsigned i = 0; i < 100; i++) {
		ctl_publish(ctl, "members", &view);
		run(2);
	}
	members_count = 0;
}

static void a_holder_that_reads_nothing_is_not_cut_off(void **state)
{
	struct holder a = new_holder();
	char wanted[80], name[64];
	const char *last;
	size_t size;

	(void)state;
	much_happens();
	assert_int_equal(holders_gone_count, 0);
	last = last_of_all(a.fd, &size);
	assert_true(size < (size_t)2 * CTL_BEHIND_MAX);
	snprintf(wanted, sizeof(wanted), "{\"parameters\":{\"seq\":%llu,\"event\":\"snapshot\",",
		(unsigned long long)ctl_sequence(ctl));
	assert_begins(last, wanted);
	snprintf(name, sizeof(name), "\"holder\":\"%s\"", a.name);
	assert_non_null(strstr(last, name));
	assert_non_null(strstr(last, "\"dead_after_ms\""));
	assert_null(strstr(last, "\"release\""));
	ctl_publish(ctl, "state", &view); /* later events come as usual */
	assert_non_null(strstr(last_of_all(a.fd, &size), "\"event\":\"state\""));
	is_gone(&a);
}

/* The release comes with the snapshot, so the holder never believes that it may go on. */
static void a_pending_release_comes_with_the_snapshot(void **state)
{
	struct holder a = new_holder();
	const char *last;
	size_t size;

	(void)state;
	much_happens();
	assert_true(release(5, ELECT_PURPOSE_RESIGN));
	last = last_of_all(a.fd, &size);
	assert_non_null(strstr(last, "\"event\":\"snapshot\""));
	assert_non_null(strstr(last, "\"release\":5,\"purpose\":\"resign\""));
	lets_go(&a);
	run(2);
	assert_int_equal(released_count, 1);
	is_gone(&a);
}

/* If only the snapshot of a leader came, the holder would take up its released work again. */
static void a_release_that_is_answered_comes_with_the_snapshot(void **state)
{
	struct holder a = new_holder(), b = new_holder();
	size_t size;

	(void)state;
	becomes(ELECT_ROLE_LEADER);
	assert_true(release(5, ELECT_PURPOSE_RESIGN));
	lets_go(&a);
	much_happens();
	assert_non_null(strstr(last_of_all(a.fd, &size), "\"release\":5,\"purpose\":\"resign\""));
	lets_go(&b);
	assert_waits_for("test");
	lets_go(&a);
	run(2);
	assert_int_equal(released_count, 1);
	is_gone(&a);
	is_gone(&b);
}

static void a_release_that_is_over_does_not_come_with_the_snapshot(void **state)
{
	struct holder a = new_holder();
	size_t size;

	(void)state;
	much_happens();
	assert_true(release(5, ELECT_PURPOSE_RESIGN));
	ctl_release_over(ctl);
	assert_null(strstr(last_of_all(a.fd, &size), "\"release\""));
	is_gone(&a);
}

/* Many holders read nothing while much happens, and other clients request much and do not read. */
static size_t left_by(unsigned count)
{
	struct holder holders[9];
	size_t size, all = 0;
	int fds[9];

	for (unsigned i = 0; i < count; i++)
		holders[i] = new_holder();
	much_happens();
	members_count = 7000; /* nearly a mebibyte */
	for (unsigned i = 0; i < 9; i++) {
		fds[i] = visit();
		say(fds[i], STATUS);
	}
	run(100);
	members_count = 0;
	assert_int_equal(holders_gone_count, 0);
	for (unsigned i = 0; i < count; i++) {
		assert_non_null(
			strstr(last_of_all(holders[i].fd, &size), "\"event\":\"snapshot\""));
		all += size;
		close(holders[i].fd);
	}
	for (unsigned i = 0; i < 9; i++)
		close(fds[i]);
	run(4);
	return all;
}

/* Each holder is further behind than any other client. */
static void no_holder_is_cut_off_for_memory(void **state)
{
	(void)state;
	left_by(4);
}

/* The sum includes the snapshots and the buffers of the kernel. */
static void all_holders_have_half_of_the_output_memory(void **state)
{
	(void)state;
	assert_true(left_by(9) < CTL_HELD_MAX + (size_t)9 * 600000);
}

/* In every event, because a holder judges by the latest values. */
static void only_holders_receive_the_fields_to_judge_by(void **state)
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
	assert_true(release(5, ELECT_PURPOSE_BAR));
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
 * A8: each event of a leader names the moment, rounded down, and a new one is sent at once. No
 * timer sends it in `alive`, which would be younger than the beacon that other hosts count from.
 */
static void a_holder_receives_the_end_of_the_role(void **state)
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
	assert_true(release(5, ELECT_PURPOSE_BAR));
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

/* A8: the moment moves in the same step, after the event was written. */
static void a_new_end_of_the_role_follows_an_unread_event(void **state)
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

/* Beacons are a millisecond apart here. */
static void only_holders_receive_alive(void **state)
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

/* The message is sent at once: each beacon causes one wake-up, not a second one to write. */
static void an_alive_message_takes_one_turn_of_the_loop(void **state)
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

/* For a slow reader one message is kept, which is not cut. */
static void an_alive_message_reaches_a_slow_reader_whole(void **state)
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

static void another_user_cannot_release_for_a_holder(void **state)
{
	struct ctl_peer other = { 1000, .admin = true };
	struct holder a;

	(void)state;
	a = new_holder();
	assert_true(release(5, ELECT_PURPOSE_YIELD));
	assert_int_equal(holders_release(ctl, &other, a.name, 5), CTL_NO_SUCH_HOLDER);
	close(a.fd);
	run(4);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_node_learns_of_a_holder_before_the_holder_hears_anything),
		TEST(a_holder_that_is_cut_off_sees_the_end_of_its_stream),
		TEST(a_release_without_a_holder_is_over_at_once),
		TEST(leadership_waits_for_every_holder),
		TEST(only_the_holder_that_moves_addresses_reports_them),
		TEST(a_lost_holder_has_not_released),
		TEST(a_holder_that_was_lost_before_the_release_has_not_released),
		TEST(a_holder_lost_by_a_follower_is_not_waited_for),
		TEST(a_holder_that_said_it_ended_is_not_waited_for),
		TEST(a_lost_holder_may_still_release),
		TEST(any_number_of_lost_holders_is_waited_for),
		TEST(a_holder_that_comes_during_a_release_is_asked_too),
		TEST(no_holder_is_waited_for_after_the_release_is_over),
		TEST(a_new_purpose_is_sent_to_the_remaining_holders),
		TEST(hookd_is_known_by_its_name),
		TEST(the_next_hookd_releases_for_a_lost_one),
		TEST(the_next_hookd_is_waited_for_from_its_start),
		TEST(a_holder_that_reads_nothing_is_not_cut_off),
		TEST(a_pending_release_comes_with_the_snapshot),
		TEST(a_release_that_is_answered_comes_with_the_snapshot),
		TEST(a_release_that_is_over_does_not_come_with_the_snapshot),
		TEST(no_holder_is_cut_off_for_memory),
		TEST(all_holders_have_half_of_the_output_memory),
		TEST(only_holders_receive_the_fields_to_judge_by),
		TEST(a_holder_receives_the_end_of_the_role),
		TEST(a_new_end_of_the_role_follows_an_unread_event),
		TEST(only_holders_receive_alive),
		TEST(an_alive_message_takes_one_turn_of_the_loop),
		TEST(an_alive_message_reaches_a_slow_reader_whole),
		TEST(another_user_cannot_release_for_a_holder),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
