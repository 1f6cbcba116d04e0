/* SPDX-License-Identifier: Apache-2.0 */
/* The clients that get changes from the control socket: subscribers and waiting clients. */
#include "bench.h"

#include "control/inside.h"

#include <poll.h>

/* ---- subscribers ------------------------------------------------------------------------- */

static void a_subscriber_misses_nothing(void **state)
{
	char wanted[64];
	int fd;

	(void)state;
	ctl_publish(ctl, "state", &view);
	fd = visit();
	say(fd, SUBSCRIBE);
	assert_begins(heard(fd), "{\"parameters\":{\"seq\":1,\"event\":\"snapshot\",");
	for (unsigned i = 2; i < 10; i++) {
		ctl_publish(ctl, "members", &view);
		run(2);
		snprintf(wanted, sizeof(wanted),
			"{\"parameters\":{\"seq\":%u,\"event\":\"members\",", i);
		assert_begins(heard(fd), wanted);
	}
	close(fd);
	run(2);
	ctl_publish(ctl, "members", &view);
}

static void a_subscriber_that_never_reads_is_cut_off(void **state)
{
	static char drop[1 << 16];
	size_t kept = 0;
	ssize_t size;
	int lazy = visit(), good = visit();

	(void)state;
	say(lazy, SUBSCRIBE);
	say(good, SUBSCRIBE);
	while (recv(good, drop, sizeof(drop), MSG_DONTWAIT) > 0)
		;
	members_count = 1000;
	for (unsigned i = 0; i < 100; i++) {
		ctl_publish(ctl, "members", &view);
		do {
			run(2);
			size = recv(good, drop, sizeof(drop), MSG_DONTWAIT);
		} while (size > 0);
		assert_int_equal(size, -1);
	}
	while ((size = recv(lazy, drop, sizeof(drop), MSG_DONTWAIT)) > 0)
		kept += (size_t)size;
	assert_int_equal(size, 0);
	assert_true(kept < 2 * CTL_BEHIND_MAX);
	close(lazy);
	close(good);
	run(2);
}

static void all_clients_together_leave_at_most_eight_mebibytes(void **state)
{
	static char drop[1 << 16];
	int fds[16], clients = geteuid() == 0 ? 16 : 8; /* one ordinary user gets no more */
	size_t left = 0;
	ssize_t size;

	(void)state;
	members_count = 7000; /* nearly a mebibyte */
	for (int i = 0; i < clients; i++) {
		fds[i] = visit();
		say(fds[i], STATUS);
	}
	run(100);
	members_count = 0;
	for (int i = 0; i < clients; i++) {
		shutdown(fds[i], SHUT_WR);
		do {
			run(2);
			size = recv(fds[i], drop, sizeof(drop), MSG_DONTWAIT);
			left += size > 0 ? (size_t)size : 0;
		} while (size > 0);
		close(fds[i]);
	}
	run(4);
	/* The kernel holds some more for each client. */
	assert_true(left < CTL_OUTPUT_MAX + (size_t)clients * 600000);
	if (clients == 16)
		assert_true(left < (size_t)clients * 900000);
}

/* ---- waiting clients ------------------------------------------------------------------------- */

#define WAIT(words) "{\"method\":\"io.electd.Wait\",\"parameters\":{" words "}}"

static void a_condition_that_holds_is_answered_at_once(void **state)
{
	int fd = visit();

	(void)state;
	view.role = ELECT_ROLE_LEADER;
	say(fd, WAIT("\"for\":\"self\""));
	assert_begins(heard(fd), "{\"parameters\":{\"role\":\"leader\"");
	say(fd, WAIT("\"for\":\"leader\",\"timeout_ms\":1"));
	assert_begins(heard(fd), "{\"parameters\":{\"role\":\"leader\"");
	close(fd);
	run(2);
}

static void a_condition_that_becomes_true_is_answered_once(void **state)
{
	int fd = visit();

	(void)state;
	say(fd, WAIT("\"for\":\"members\",\"count\":3"));
	assert_string_equal(heard(fd), "nothing");
	view.members_count = 2;
	ctl_publish(ctl, "members", &view);
	run(4);
	assert_string_equal(heard(fd), "nothing");
	view.members_count = 4;
	ctl_publish(ctl, "members", &view);
	ctl_publish(ctl, "members", &view);
	run(4);
	assert_begins(heard(fd), "{\"parameters\":{\"role\":\"none\"");
	assert_string_equal(heard(fd), "nothing");
	say(fd, STATUS); /* the next request is served */
	assert_begins(heard(fd), "{\"parameters\":{\"schema\":1,");
	close(fd);
	run(2);
}

static void a_condition_that_stays_false_is_an_error_after_the_timeout(void **state)
{
	int fd = visit();

	(void)state;
	say(fd, WAIT("\"for\":\"follower\",\"timeout_ms\":50"));
	pass_ms(49);
	assert_string_equal(heard(fd), "nothing");
	pass_ms(1);
	assert_begins(heard(fd), "{\"error\":\"io.electd.TimedOut\"");
	say(fd, STATUS);
	assert_begins(heard(fd), "{\"parameters\":{\"schema\":1,");
	close(fd);
	run(2);
}

static void a_client_that_leaves_while_waiting_frees_its_place(void **state)
{
	int fd;

	(void)state;
	for (unsigned i = 0; i < 2 * CTL_PLACES_OTHERS; i++) {
		fd = visit();
		say(fd, WAIT("\"for\":\"self\""));
		assert_string_equal(heard(fd), "nothing");
		close(fd);
		run(2);
	}
}

static void fill(int fd)
{
	static char junk[1 << 14];

	memset(junk, 'a', sizeof(junk));
	for (unsigned i = 0; i < 32 && send(fd, junk, sizeof(junk), MSG_NOSIGNAL) > 0; i++)
		run(4);
}

static unsigned places_taken(void)
{
	unsigned count = 0;

	for (unsigned i = 0; i < CTL_PLACES; i++)
		count += ctl->clients[i].ctl != NULL;
	return count;
}

/* Nothing would report that they have gone. */
static void a_client_whose_end_cannot_be_noticed_is_closed(void **state)
{
	static const char *const lasting[] = { SUBSCRIBE, WAIT("\"for\":\"self\"") };
	char both[200];
	int fd, size;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		fd = visit();
		say(fd, lasting[i]);
		fill(fd);
		assert_int_equal(places_taken(), 0);
		close(fd);

		/* Behind a reply that is not taken yet, from a client that has ended its side. */
		fd = visit();
		members_count = 10000;
		size = snprintf(both, sizeof(both), "%s%c%s", STATUS, 0, lasting[i]) + 1;
		assert_int_equal(send(fd, both, (size_t)size, 0), size);
		shutdown(fd, SHUT_WR);
		run(4);
		members_count = 0;
		while (strcmp(heard(fd), "closed"))
			run(2);
		assert_int_equal(places_taken(), 0);
		close(fd);
	}
}

/* ---- overdue changes ------------------------------------------------------------------------- */

static void the_core_steps_down(void)
{
	overdue = NULL;
	view.role = ELECT_ROLE_NONE;
	ctl_publish(ctl, "none", &view);
}

/* As after SIGCONT: the request waited for longer than the role lasts. */
static void no_client_gets_the_state_of_before_a_stall(void **state)
{
	int asker = visit(), waiter = visit(), subscriber = visit();

	(void)state;
	say(subscriber, SUBSCRIBE);
	last_heard(subscriber);
	say(waiter, WAIT("\"for\":\"members\",\"count\":9"));
	view.role = ELECT_ROLE_LEADER;
	overdue = the_core_steps_down;
	say(asker, STATUS);
	assert_non_null(strstr(heard(asker), "\"role\":\"none\""));
	assert_non_null(strstr(heard(subscriber), "\"event\":\"none\""));
	close(asker);
	close(waiter);
	close(subscriber);
	run(4);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_subscriber_misses_nothing),
		TEST(a_subscriber_that_never_reads_is_cut_off),
		TEST(all_clients_together_leave_at_most_eight_mebibytes),
		TEST(a_condition_that_holds_is_answered_at_once),
		TEST(a_condition_that_becomes_true_is_answered_once),
		TEST(a_condition_that_stays_false_is_an_error_after_the_timeout),
		TEST(a_client_that_leaves_while_waiting_frees_its_place),
		TEST(a_client_whose_end_cannot_be_noticed_is_closed),
		TEST(no_client_gets_the_state_of_before_a_stall),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
