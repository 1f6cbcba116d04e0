/* SPDX-License-Identifier: Apache-2.0 */
/* The events of electd that are taken, how long they count, and what ends the connection. */
#include "unit/lib/said.h"

#include "lib/call.h"
#include "lib/subscription.h"
#include "hookd/link/link.h"
#include "program/timens.h"
#include "server.h"

#include "words/log.h"

#include <poll.h>
#include <sys/wait.h>

enum { DEAD_AFTER_MS = 600, HEARD_MAX = 64 };

static struct heard {
	unsigned events, lost_gone, lost_silent, back, settled;
	enum event_type last;
	uint64_t lost_us;
	/* e event, g gone, s silent, b back, . settled */
	char order[HEARD_MAX];
} heard;

static struct link *l;

static void note(char letter)
{
	size_t used = strlen(heard.order);

	if (used + 1 < sizeof(heard.order))
		heard.order[used] = letter;
}

static void on_heard(void *user, const struct event *event)
{
	(void)user;
	note('e');
	heard.events++;
	heard.last = event->type;
}

static void on_lost(void *user, enum link_loss loss)
{
	(void)user;
	note(loss == LINK_GONE ? 'g' : 's');
	heard.lost_us = clock_boot_us();
	if (loss == LINK_GONE)
		heard.lost_gone++;
	else
		heard.lost_silent++;
}

static void on_back(void *user)
{
	(void)user;
	note('b');
	heard.back++;
}

static void on_settled(void *user)
{
	(void)user;
	note('.');
	heard.settled++;
}

static const struct link_ops ops = { on_heard, on_lost, on_back, on_settled };

/* ---- a connection ------------------------------------------------------------------------ */

static int setup(void **state)
{
	if (server_setup(state))
		return -1;
	heard = (struct heard){ 0 };
	int r = link_open(&l, server.event, server.path, &ops, NULL);

	if (!r)
		link_begin(l);
	return r;
}

static int teardown(void **state)
{
	link_close(l);
	said_forget();
	return server_teardown(state);
}

static uint64_t now_ms(void)
{
	return clock_boot_us() / 1000;
}

static const char *event_text(const char *event, uint64_t seq, uint64_t boot_ms, const char *more)
{
	static char text[8192];

	snprintf(text, sizeof(text),
		"{\"parameters\":{\"seq\":%llu,\"event\":\"%s\",\"boot_ms\":%llu,"
		"\"dead_after_ms\":%d%s},\"continues\":true}",
		(unsigned long long)seq, event, (unsigned long long)boot_ms, DEAD_AFTER_MS, more);
	return text;
}

#define STATUS ",\"holder\":\"00ff\",\"status\":" SAID_LEADS

static void say(const char *event, uint64_t seq, uint64_t boot_ms)
{
	bool short_one = !strcmp(event, "alive");

	server_say(event_text(event, seq, boot_ms, short_one ? "" : STATUS));
}

static void connected(void)
{
	char asked[512];

	assert_true(turn_until(server_accepted));
	server_read(asked, sizeof(asked));
	assert_string_equal(asked,
		"{\"method\":\"io.electd.Subscribe\",\"parameters\":"
		"{\"hold\":true,\"name\":\"electd-hookd\"},\"more\":true}");
}

static bool heard_one(void)
{
	return heard.events > 0;
}

static bool heard_four(void)
{
	return heard.events == 4;
}

/* Subscribes and returns boot_ms of the snapshot. */
static uint64_t subscribed(void)
{
	uint64_t said_ms;

	connected();
	said_ms = now_ms() + 1; /* not before the subscription */
	stand_still_until(said_ms * 1000);
	say("snapshot", 7, said_ms);
	assert_true(turn_until(heard_one));
	assert_true(link_stands(l));
	return said_ms;
}

/* Otherwise the next attempt would come only after SUBSCRIPTION_AGAIN_US. */
static void a_full_queue_is_tried_again_soon(void **state)
{
	int fds[32];
	unsigned count = server_fill(fds);
	uint64_t began_us;

	(void)state;
	turn();
	server_empty(fds, count);
	began_us = clock_boot_us();
	assert_true(turn_until(server_accepted));
	assert_int_equal(clock_boot_us() - began_us, CALL_FULL_US);
}

static bool is_silent(void)
{
	return heard.lost_silent > 0;
}

static bool is_gone(void)
{
	return heard.lost_gone > 0;
}

static bool is_back(void)
{
	return heard.back > 0;
}

/* ---- events ---------------------------------------------------------------------------------- */

static void hookd_subscribes_as_a_holder_and_gets_the_snapshot(void **state)
{
	(void)state;
	subscribed();
	assert_int_equal(heard.last, EVENT_SNAPSHOT);
	assert_string_equal(link_holder(l), "00ff");
	assert_int_equal(heard.settled, 1);
	say("members", 8, now_ms());
	say("alive", 8, now_ms());
	say("leader", 9, now_ms());
	turn();
	assert_int_equal(heard.events, 4);
	assert_int_equal(heard.lost_gone, 0);
}

static void an_event_in_pieces_is_taken_when_it_is_whole(void **state)
{
	const char *text;

	(void)state;
	connected();
	text = event_text("snapshot", 7, now_ms(), STATUS);
	for (size_t i = 0; i < strlen(text); i++) {
		server_say_bytes(text + i, 1);
		turn();
		assert_int_equal(heard.events, 0);
	}
	server_say_bytes("", 1);
	turn();
	assert_int_equal(heard.events, 1);
}

static void a_missing_electd_is_tried_again(void **state)
{
	(void)state;
	server_unlisten();
	turn();
	server_listen();
	subscribed();
	assert_int_equal(heard.lost_gone, 0); /* there was no connection to lose */
}

/* ---- how long an event counts ---------------------------------------------------------------- */

static void electd_is_lost_after_dead_after_of_silence(void **state)
{
	uint64_t said_us = subscribed() * 1000;

	(void)state;
	assert_true(turn_until(is_silent));
	assert_false(link_stands(l));
	assert_int_equal(heard.lost_us, said_us + DEAD_AFTER_MS * 1000 + 1);
	assert_int_equal(heard.lost_gone, 0);
}

/* A8. `namespace`: the time namespace; 0: not sent. */
static void say_until(const char *event, uint64_t seq, uint64_t until_ms, uint64_t namespace)
{
	bool short_one = !strcmp(event, "alive");
	char more[7168];

	snprintf(more, sizeof(more), ",\"until_boot_ms\":%llu,\"time_namespace\":%llu%s",
		(unsigned long long)until_ms, (unsigned long long)namespace,
		short_one ? "" : STATUS);
	server_say(event_text(event, seq, now_ms(), more));
}

/* A8: dead_after does not matter, because other hosts count from a beacon, not this event. */
static void a_role_counts_until_its_end(void **state)
{
	uint64_t until_ms = subscribed() + DEAD_AFTER_MS / 3;

	(void)state;
	say_until("leader", 8, until_ms, timens_own());
	assert_true(turn_until(is_silent));
	assert_int_equal(heard.lost_us, until_ms * 1000);
	assert_false(link_stands(l));
	/* The moment may also be later than dead_after. */
	until_ms = now_ms() + 3 * DEAD_AFTER_MS;
	say_until("alive", 8, until_ms, timens_own());
	assert_true(turn_until(is_back));
	heard.lost_silent = 0;
	assert_true(turn_until(is_silent));
	assert_int_equal(heard.lost_us, until_ms * 1000);
}

/* A8: after a reload with a shorter dead_after, or with a member that has one. */
static void an_earlier_end_of_the_role_replaces_a_later_one(void **state)
{
	uint64_t until_ms = subscribed() + DEAD_AFTER_MS / 3;

	(void)state;
	say_until("leader", 8, until_ms + DEAD_AFTER_MS, timens_own());
	say_until("alive", 8, until_ms, timens_own());
	assert_true(turn_until(is_silent));
	assert_int_equal(heard.lost_us, until_ms * 1000);
}

/* A8: this process stalled until after the moment, and must begin nothing then. */
static void a_role_that_has_ended_when_it_is_read_does_not_count(void **state)
{
	uint64_t until_ms = subscribed() + DEAD_AFTER_MS / 3;

	(void)state;
	say_until("leader", 8, until_ms, timens_own());
	stand_still_until(until_ms * 1000);
	link_catch_up(l);
	assert_int_equal(heard.last, EVENT_LEADER);
	assert_int_equal(heard.lost_silent, 1);
	assert_false(link_stands(l));
}

/* A8: such a role counts neither while electd is heard nor for dead_after. */
static void a_role_of_another_time_namespace_does_not_count(void **state)
{
	(void)state;
	subscribed();
	say_until("leader", 8, now_ms() + DEAD_AFTER_MS, timens_own() + 1);
	turn();
	assert_int_equal(heard.last, EVENT_LEADER);
	assert_int_equal(heard.lost_silent, 1);
	assert_false(link_stands(l));
	/* A host that does not lead has no such moment. */
	say("follower", 9, now_ms());
	assert_true(turn_until(is_back));
	assert_true(link_stands(l));
}

/* A8: if neither knows its time namespace, the snapshot shows that the clocks differ. */
static void a_role_of_another_clock_does_not_count(void **state)
{
	(void)state;
	connected();
	say("snapshot", 7, 5);
	assert_true(turn_until(heard_one));
	assert_true(link_stands(l));
	say_until("leader", 8, now_ms() + DEAD_AFTER_MS, 0);
	turn();
	assert_int_equal(heard.lost_silent, 1);
	assert_false(link_stands(l));
}

static void a_late_alive_restores_the_connection(void **state)
{
	(void)state;
	subscribed();
	assert_true(turn_until(is_silent));
	say("alive", 7, now_ms());
	assert_true(turn_until(is_back));
	assert_true(link_stands(l));
	assert_non_null(strstr(heard.order, "s.eb.")); /* handled before it counts */
}

/* A waiting event may be old, because this process or electd stalled. */
static void an_event_counts_from_its_sending(void **state)
{
	uint64_t said_ms = subscribed();

	(void)state;
	say("leader", 8, said_ms + 1);
	stand_still_until((said_ms + 1 + DEAD_AFTER_MS) * 1000);
	turn();
	assert_int_equal(heard.events, 2);
	assert_int_equal(heard.lost_silent, 1);
	assert_int_equal(heard.back, 0);
	/* Nothing begins between the event and its loss. */
	assert_non_null(strstr(heard.order, "es."));
	assert_null(strstr(heard.order + 2, "e.s"));
}

static void an_old_event_does_not_restore_the_connection(void **state)
{
	uint64_t said_ms = subscribed();

	(void)state;
	assert_true(turn_until(is_silent));
	say("leader", 8, said_ms);
	turn();
	assert_int_equal(heard.back, 0);
	assert_false(link_stands(l));
	/* The loss is reported again, because the engine has heard of a leader. */
	assert_int_equal(heard.lost_silent, 2);
}

static void waiting_events_are_read_before_silence_is_judged(void **state)
{
	uint64_t said_ms = subscribed();

	(void)state;
	stand_still_until((said_ms + 2 * DEAD_AFTER_MS) * 1000);
	say("alive", 7, now_ms());
	turn();
	assert_int_equal(heard.lost_silent, 0);
	assert_true(link_stands(l));
}

static void catching_up_reads_and_judges_but_begins_nothing(void **state)
{
	uint64_t said_ms = subscribed();
	unsigned settled = heard.settled;

	(void)state;
	say("none", 8, now_ms());
	link_catch_up(l);
	assert_int_equal(heard.last, EVENT_NONE);
	stand_still_until((said_ms + 2 * DEAD_AFTER_MS) * 1000);
	link_catch_up(l);
	assert_int_equal(heard.lost_silent, 1);
	assert_int_equal(heard.settled, settled);
}

/* In a time namespace electd's clock is different, so only the time of reading counts. */
static void another_clock_is_not_compared(void **state)
{
	(void)state;
	connected();
	say("snapshot", 7, 5);
	assert_true(turn_until(heard_one));
	assert_int_equal(heard.lost_silent, 0);
	assert_true(link_stands(l));
}

static void a_time_in_the_future_counts_as_now(void **state)
{
	uint64_t read_us;

	(void)state;
	subscribed();
	read_us = clock_boot_us();
	say("alive", 7, now_ms() + 3600000);
	assert_true(turn_until(is_silent));
	assert_int_equal(heard.lost_us, read_us + DEAD_AFTER_MS * 1000 + 1);
}

/* ---- the end of a connection ----------------------------------------------------------------- */

static void the_end_of_a_connection_is_reported_and_the_next_one_made(void **state)
{
	uint64_t ended_us;

	(void)state;
	subscribed();
	ended_us = clock_boot_us();
	server_hang_up();
	assert_true(turn_until(is_gone));
	assert_false(link_stands(l));
	assert_string_equal(link_holder(l), "");
	assert_int_equal(heard.lost_silent, 0);
	heard.events = 0;
	subscribed();
	/* The snapshot comes in the next millisecond. */
	assert_in_range(
		clock_boot_us() - ended_us, SUBSCRIPTION_AGAIN_US, SUBSCRIPTION_AGAIN_US + 2000);
	assert_int_equal(heard.lost_gone, 1);
}

static bool let_go_of(int fd)
{
	struct pollfd end = { .fd = fd };

	assert_true(poll(&end, 1, 0) >= 0);
	return end.revents & POLLHUP;
}

/* The copy of electd closes its end to say that it is over, and sees when all work has ended. */
static void an_ended_connection_is_kept_until_it_is_released(void **state)
{
	int first, second;

	(void)state;
	subscribed();
	first = server.client;
	server.client = -1;
	shutdown(first, SHUT_WR);
	assert_true(turn_until(is_gone));
	assert_false(let_go_of(first));
	heard.events = heard.lost_gone = 0;
	subscribed();
	second = server.client;
	server.client = -1;
	shutdown(second, SHUT_WR);
	assert_true(turn_until(is_gone));
	assert_false(let_go_of(first) || let_go_of(second));
	link_let_go(l);
	assert_true(let_go_of(first) && let_go_of(second));
	close(first);
	close(second);
}

/* A demotion may outlast many crashes of electd; a closed connection would mean its end. */
static void the_first_of_many_ended_connections_is_kept(void **state)
{
	int fds[12];

	(void)state;
	for (int i = 0; i < 12; i++) {
		heard.events = heard.lost_gone = 0;
		subscribed();
		fds[i] = server.client;
		server.client = -1;
		shutdown(fds[i], SHUT_WR);
		assert_true(turn_until(is_gone));
	}
	assert_false(let_go_of(fds[0]));
	link_let_go(l);
	for (int i = 0; i < 12; i++) {
		assert_true(let_go_of(fds[i]));
		close(fds[i]);
	}
}

static void turn_away(void)
{
	assert_true(turn_until(server_accepted));
	server_say("{\"error\":\"io.electd.TooManyClients\",\"parameters\":{}}");
	server_hang_up();
}

static void an_electd_without_a_place_is_tried_until_it_has_one(void **state)
{
	(void)state;
	for (int i = 0; i < 5; i++)
		turn_away();
	subscribed();
	assert_int_equal(heard.events, 1);
}

/* A child has all descriptors until exec: epoll would keep this one, with a freed source. */
static void a_closed_connection_that_a_child_still_has_gives_no_event(void **state)
{
	int ends[2];
	pid_t child;
	char byte;

	(void)state;
	assert_true(turn_until(server_accepted));
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	child = fork();
	if (child == 0) {
		close(ends[1]);
		_exit(read(ends[0], &byte, 1) < 0);
	}
	assert_true(child > 0);
	server_say("{\"error\":\"io.electd.TooManyClients\",\"parameters\":{}}");
	turn();
	send(server.client, "{}", 3, MSG_NOSIGNAL);
	turn();
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(heard.events + heard.lost_gone, 0);
}

/* electd never accepted it, so it belongs to no demotion and must not displace one that does. */
static void a_refused_connection_is_not_kept(void **state)
{
	int first;

	(void)state;
	subscribed();
	first = server.client;
	server.client = -1;
	shutdown(first, SHUT_WR);
	assert_true(turn_until(is_gone));
	for (int i = 0; i < SUBSCRIPTION_KEPT_MAX + 1; i++)
		turn_away();
	assert_true(turn_until(server_accepted));
	assert_false(let_go_of(first));
	link_let_go(l);
	assert_true(let_go_of(first));
	close(first);
}

/* The connection ends, and the next one works. */
static void assert_ends(void)
{
	unsigned events = heard.events;

	if (!turn_until(is_gone))
		fail_msg("it did not end: %s", heard.order);
	assert_int_equal(heard.events, events);
	heard = (struct heard){ 0 };
	subscribed();
}

static void a_malformed_message_ends_the_connection(void **state)
{
	static const char *const texts[] = { "", "{}", "x", "{\"error\":\"io.electd.NotAllowed\"}",
		"{\"parameters\":{\"event\":\"alive\"},\"continues\":true}" };

	(void)state;
	subscribed();
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		server_say(texts[i]);
		assert_ends();
	}
}

static void a_missing_or_repeated_event_ends_the_connection(void **state)
{
	(void)state;
	subscribed();
	say("members", 9, now_ms());
	assert_ends();
	say("members", 7, now_ms());
	assert_ends();
	say("alive", 8, now_ms());
	assert_ends();
	say("alive", 6, now_ms());
	assert_ends();
	say("snapshot", 6, now_ms());
	assert_ends();
	server_say(
		event_text("snapshot", 7, now_ms(), ",\"holder\":\"00fe\",\"status\":" SAID_LEADS));
	assert_ends();
}

/* electd dropped events that it could not keep, and continues with the snapshot. */
static void a_snapshot_for_the_same_holder_replaces_missing_events(void **state)
{
	(void)state;
	subscribed();
	say("snapshot", 7, now_ms());
	say("members", 8, now_ms());
	say("snapshot", 90, now_ms());
	say("members", 91, now_ms());
	heard.events = 0;
	assert_true(turn_until(heard_four));
	assert_int_equal(heard.lost_gone, 0);
	say("members", 93, now_ms());
	assert_ends();
}

static void a_missing_first_snapshot_ends_the_connection(void **state)
{
	(void)state;
	connected();
	say("leader", 1, now_ms());
	assert_ends();
}

/* Bytes that are sent while the other end closes need not be accepted. */
static void flood(size_t size)
{
	static char bytes[65536];

	memset(bytes, 'x', sizeof(bytes));
	fcntl(server.client, F_SETFL, O_NONBLOCK);
	while (size && !heard.lost_gone) {
		ssize_t n = send(server.client, bytes, sizeof(bytes), MSG_NOSIGNAL);

		if (n < 0 && errno != EAGAIN)
			break;
		if (n > 0)
			size -= size < (size_t)n ? size : (size_t)n;
		turn();
	}
}

static void an_event_without_end_ends_the_connection(void **state)
{
	(void)state;
	subscribed();
	flood(2 * SUBSCRIPTION_MESSAGE_MAX);
	assert_ends();
}

/* ---- the log --------------------------------------------------------------------------------- */

static unsigned lines_of(const char *path)
{
	unsigned lines = 0;
	FILE *f = fopen(path, "re");
	int c;

	assert_non_null(f);
	while ((c = fgetc(f)) != EOF)
		lines += c == '\n';
	fclose(f);
	return lines;
}

static void a_lasting_problem_is_logged_once(void **state)
{
	int kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0), fd;
	char path[128];
	unsigned lines;

	(void)state;
	snprintf(path, sizeof(path), "%s/lines", server.dir);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	assert_true(fd >= 0 && kept >= 0);
	dup2(fd, STDERR_FILENO);
	subscribed();
	for (int i = 0; i < 3; i++) {
		server_say("{}");
		assert_ends();
	}
	dup2(kept, STDERR_FILENO);
	close(kept);
	close(fd);
	lines = lines_of(path);
	unlink(path);
	assert_int_equal(lines, 1);
}

#define WITH_SERVER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SERVER(hookd_subscribes_as_a_holder_and_gets_the_snapshot),
		WITH_SERVER(a_full_queue_is_tried_again_soon),
		WITH_SERVER(an_event_in_pieces_is_taken_when_it_is_whole),
		WITH_SERVER(a_missing_electd_is_tried_again),
		WITH_SERVER(electd_is_lost_after_dead_after_of_silence),
		WITH_SERVER(a_role_counts_until_its_end),
		WITH_SERVER(an_earlier_end_of_the_role_replaces_a_later_one),
		WITH_SERVER(a_role_that_has_ended_when_it_is_read_does_not_count),
		WITH_SERVER(a_role_of_another_time_namespace_does_not_count),
		WITH_SERVER(a_role_of_another_clock_does_not_count),
		WITH_SERVER(a_late_alive_restores_the_connection),
		WITH_SERVER(an_event_counts_from_its_sending),
		WITH_SERVER(an_old_event_does_not_restore_the_connection),
		WITH_SERVER(waiting_events_are_read_before_silence_is_judged),
		WITH_SERVER(catching_up_reads_and_judges_but_begins_nothing),
		WITH_SERVER(another_clock_is_not_compared),
		WITH_SERVER(a_time_in_the_future_counts_as_now),
		WITH_SERVER(the_end_of_a_connection_is_reported_and_the_next_one_made),
		WITH_SERVER(an_ended_connection_is_kept_until_it_is_released),
		WITH_SERVER(the_first_of_many_ended_connections_is_kept),
		WITH_SERVER(an_electd_without_a_place_is_tried_until_it_has_one),
		WITH_SERVER(a_closed_connection_that_a_child_still_has_gives_no_event),
		WITH_SERVER(a_refused_connection_is_not_kept),
		WITH_SERVER(a_malformed_message_ends_the_connection),
		WITH_SERVER(a_missing_or_repeated_event_ends_the_connection),
		WITH_SERVER(a_snapshot_for_the_same_holder_replaces_missing_events),
		WITH_SERVER(a_missing_first_snapshot_ends_the_connection),
		WITH_SERVER(an_event_without_end_ends_the_connection),
		WITH_SERVER(a_lasting_problem_is_logged_once),
	};

	log_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
