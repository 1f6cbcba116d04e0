/* SPDX-License-Identifier: Apache-2.0 */
/* Places on the control socket: who gets one, who loses one to others, and which are kept. */
#include "bench.h"

#include "control/inside.h"

#include <grp.h>

#define WAIT "{\"method\":\"io.electd.Wait\",\"parameters\":{\"for\":\"members\",\"count\":100}}"

#define HOLD "{\"method\":\"io.electd.Subscribe\",\"parameters\":{\"hold\":true},\"more\":true}"
#define HOLD_AS(name)                                                                              \
	"{\"method\":\"io.electd.Subscribe\",\"parameters\":{\"hold\":true,\"name\":\"" name       \
	"\"},\"more\":true}"

enum { SHARE = CTL_PLACES_OTHERS / 4, ADMINS = 4242, REPORTERS };

/* Replaces getgrnam() of libc: these groups exist. */
struct group *getgrnam(const char *name)
{
	static struct group group;

	group.gr_gid = strcmp(name, CTL_ADMIN_GROUP) ? REPORTERS : ADMINS;
	return &group;
}

/* Connects as another user and group, which needs root. */
static int visit_as(uid_t uid, gid_t gid)
{
	int fd;

	assert_int_equal(setegid(gid), 0);
	assert_int_equal(seteuid(uid), 0);
	fd = visit();
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(setegid(0), 0);
	return fd;
}

static void assert_place(int fd)
{
	assert_string_equal(heard(fd), "nothing");
}

static void assert_no_place(int fd)
{
	assert_begins(heard(fd), "{\"error\":\"io.electd.TooManyClients\"");
	assert_string_equal(heard(fd), "closed");
	close(fd);
}

static void leave(const int *fds, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		close(fds[i]);
	run(4);
}

/* Fills all places of ordinary users with four users from uid 1000 on. */
static void fill(int fds[CTL_PLACES_OTHERS], gid_t gid)
{
	for (unsigned i = 0; i < CTL_PLACES_OTHERS; i++) {
		fds[i] = visit_as(1000 + i / SHARE, gid);
		say(fds[i], WAIT);
		assert_place(fds[i]);
	}
}

static void a_user_has_a_quarter_at_most(void **state)
{
	int fds[SHARE];

	(void)state;
	for (unsigned i = 0; i < SHARE; i++) {
		fds[i] = visit_as(1000, 100);
		assert_place(fds[i]);
	}
	assert_no_place(visit_as(1000, 100));
	leave(fds, SHARE);
	assert_place(fds[0] = visit_as(1000, 100));
	leave(fds, 1);
}

/* Four users fill all places; each newcomer displaces a client of the user with the most. */
static void the_user_with_the_most_places_loses_one_to_a_user_with_fewer(void **state)
{
	int fds[CTL_PLACES_OTHERS], late[SHARE];
	unsigned closed = 0;

	(void)state;
	fill(fds, 100);
	for (unsigned i = 0; i < SHARE; i++) {
		late[i] = visit_as(2000 + i, 100);
		say(late[i], STATUS);
		assert_begins(heard(late[i]), "{\"parameters\":");
	}
	for (unsigned i = 0; i < CTL_PLACES_OTHERS; i++)
		closed += strstr(heard(fds[i]), "io.electd.TooManyClients") != NULL;
	assert_int_equal(closed, SHARE);
	/* Each user has six now, so none has two more than another. */
	assert_no_place(visit_as(1000, 100));
	leave(late, SHARE);
	leave(fds, CTL_PLACES_OTHERS);
}

/* Otherwise two users could displace each other without end. */
static void users_with_equal_places_do_not_displace_each_other(void **state)
{
	int fds[CTL_PLACES_OTHERS];

	(void)state;
	for (unsigned i = 0; i < CTL_PLACES_OTHERS; i++) {
		fds[i] = visit_as(1000 + i, 100);
		assert_place(fds[i]);
	}
	assert_no_place(visit_as(2000, 100));
	assert_no_place(visit_as(1000, 100));
	for (unsigned i = 0; i < CTL_PLACES_OTHERS; i++)
		assert_place(fds[i]);
	leave(fds, CTL_PLACES_OTHERS);
}

static void root_and_administrators_have_places_of_their_own(void **state)
{
	int other_keys[CTL_PLACES_OTHERS], admins[CTL_PLACES_ADMINS], roots[CTL_PLACES_ROOT], fd;

	(void)state;
	for (unsigned i = 0; i < CTL_PLACES_ROOT; i++)
		assert_place(roots[i] = visit());
	fill(admins, ADMINS);
	fill(other_keys, 100);
	for (unsigned i = 0; i < CTL_PLACES_ROOT; i++)
		assert_place(roots[i]);
	for (unsigned i = 0; i < CTL_PLACES_ADMINS; i++)
		assert_place(admins[i]);
	fd = visit_as(3000, ADMINS); /* a fifth administrator */
	say(fd, STATUS);
	assert_begins(heard(fd), "{\"parameters\":");
	close(fd);
	leave(other_keys, CTL_PLACES_OTHERS);
	leave(admins, CTL_PLACES_ADMINS);
	leave(roots, CTL_PLACES_ROOT);
}

/* Each of the 16 names may have a user and a connection; one more reporter gets its error. */
static void reporters_have_one_place_more_than_names(void **state)
{
	int other_keys[CTL_PLACES_OTHERS], reporters[ELECT_REPORTS_MAX + 1];

	(void)state;
	fill(other_keys, 100);
	for (unsigned i = 0; i <= ELECT_REPORTS_MAX; i++)
		assert_place(reporters[i] = visit_as(1000 + i, REPORTERS));
	assert_place(other_keys[0]);
	leave(reporters, ELECT_REPORTS_MAX + 1);
	leave(other_keys, CTL_PLACES_OTHERS);
}

static void one_reporter_cannot_keep_the_others_out(void **state)
{
	int fds[CTL_PLACES_REPORTERS], late[ELECT_REPORTS_MAX];

	(void)state;
	for (unsigned i = 0; i < CTL_PLACES_REPORTERS; i++)
		assert_place(fds[i] = visit_as(1000, REPORTERS));
	assert_no_place(visit_as(1000, REPORTERS));
	for (unsigned i = 0; i < ELECT_REPORTS_MAX; i++)
		assert_place(late[i] = visit_as(2000 + i, REPORTERS));
	assert_place(late[0]);
	leave(late, ELECT_REPORTS_MAX);
	leave(fds, CTL_PLACES_REPORTERS);
}

/* Leadership waits for a holder, so it keeps its place. */
static void a_holder_is_not_displaced(void **state)
{
	int fds[CTL_PLACES_ADMINS], fd;

	(void)state;
	for (unsigned i = 0; i < CTL_PLACES_ADMINS; i++) {
		fds[i] = visit_as(1000 + i / SHARE, ADMINS);
		say(fds[i], HOLD);
		assert_begins(heard(fds[i]), "{\"parameters\":");
	}
	assert_place(fd = visit_as(3000, ADMINS)); /* on a kept place */
	for (unsigned i = 0; i < CTL_PLACES_ADMINS; i++)
		assert_place(fds[i]);
	close(fd);
	leave(fds, CTL_PLACES_ADMINS);
}

/* ---- kept places ----------------------------------------------------------------------------- */

static void assert_answered(int fd, const char *request)
{
	say(fd, request);
	assert_begins(heard(fd), "{\"parameters\":");
}

static void fill_roots(int fds[CTL_PLACES_ROOT])
{
	for (unsigned i = 0; i < CTL_PLACES_ROOT; i++) {
		say(fds[i] = visit(), WAIT);
		assert_place(fds[i]);
	}
}

static void answer_once(const char *format, const char *holder, const char *answer)
{
	char text[400];
	int fd = visit();

	snprintf(text, sizeof(text), format, holder);
	say(fd, text);
	assert_begins(heard(fd), answer);
	close(fd);
	run(4);
}

/* Leadership waits for electd-hookd and its calls, whatever else root runs. */
static void hookd_has_a_place_for_each_of_its_calls(void **state)
{
	int roots[CTL_PLACES_ROOT], holder;
	char name[CTL_HOLDER_SIZE];

	(void)state;
	fill_roots(roots);
	holder = visit();
	say(holder, HOLD_AS("electd-hookd"));
	snprintf(name, sizeof(name), "%s", strstr(heard(holder), "\"holder\":\"") + 10);
	answer_once("{\"method\":\"io.electd.Promoted\",\"parameters\":{\"holder\":\"%s\","
		    "\"token\":\"1\"}}",
		name, "{\"parameters\":{}");
	assert_int_equal(promoted_token, 1);
	answer_once("{\"method\":\"io.electd.HookReport\",\"parameters\":{\"holder\":\"%s\","
		    "\"script\":\"10-a\",\"event\":\"leader\",\"result\":\"ok\",\"status\":0,"
		    "\"runtime_ms\":1,\"seq\":0,\"token\":\"1\",\"output\":\"\"}}",
		name, "{\"parameters\":{}");
	assert_true(release(5, ELECT_PURPOSE_YIELD));
	answer_once(
		"{\"method\":\"io.electd.Release\",\"parameters\":{\"holder\":\"%s\",\"seq\":5}}",
		name, "{\"parameters\":{}");
	run(4);
	assert_int_equal(released_count, 1);
	close(holder);
	leave(roots, CTL_PLACES_ROOT);
}

/* Otherwise root could neither find the clients that take all places nor hand over. */
static void a_watching_or_waiting_client_loses_a_kept_place(void **state)
{
	int roots[CTL_PLACES_ROOT], watching[CTL_PLACES_KEPT], fd;

	(void)state;
	fill_roots(roots);
	for (unsigned i = 0; i < CTL_PLACES_KEPT; i++) {
		watching[i] = visit();
		say(watching[i], i % 2 ? WAIT : SUBSCRIBE);
		heard(watching[i]);
		assert_place(watching[i]);
	}
	assert_answered(fd = visit(), STATUS);
	assert_no_place(watching[0]);
	assert_place(watching[1]);
	close(fd);
	run(2);
	assert_answered(fd = visit(), HOLD);
	assert_place(watching[1]);
	for (unsigned i = 0; i < CTL_PLACES_ROOT; i++)
		assert_place(roots[i]);
	close(fd);
	leave(watching + 1, CTL_PLACES_KEPT - 1);
	leave(roots, CTL_PLACES_ROOT);
}

/* Clients without a request, with half a request, or with their reply. */
static void idle_clients_lose_kept_places(void **state)
{
	int roots[CTL_PLACES_ROOT], idle[3 * CTL_PLACES_KEPT], holder;

	(void)state;
	fill_roots(roots);
	for (unsigned i = 0; i < 3 * CTL_PLACES_KEPT; i++) {
		idle[i] = visit();
		if (i % 3 == 1)
			assert_int_equal(send(idle[i], "{\"meth", 6, MSG_NOSIGNAL), 6);
		if (i % 3 == 2)
			assert_answered(idle[i], STATUS);
		run(2);
	}
	assert_answered(holder = visit(), HOLD);
	for (unsigned i = 0; i < 3 * CTL_PLACES_KEPT; i++)
		close(idle[i]);
	for (unsigned i = 0; i < 3 * CTL_PLACES_KEPT; i++) {
		assert_answered(idle[i] = visit(), STATUS);
		assert_place(holder); /* a holder keeps its place */
	}
	leave(idle, 3 * CTL_PLACES_KEPT);
	close(holder);
	leave(roots, CTL_PLACES_ROOT);
}

/* Many clients connect before the request of the first one is read. */
static void a_client_whose_request_waits_keeps_its_place(void **state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int roots[CTL_PLACES_ROOT], fds[2 * CTL_PLACES_KEPT];

	(void)state;
	fill_roots(roots);
	strcpy(address.sun_path, path);
	for (unsigned i = 0; i < 2 * CTL_PLACES_KEPT; i++) {
		fds[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		assert_int_equal(connect(fds[i], (struct sockaddr *)&address, sizeof(address)), 0);
		if (!i)
			assert_int_equal(send(fds[0], HOLD, sizeof(HOLD), 0), sizeof(HOLD));
	}
	run(8);
	assert_begins(heard(fds[0]), "{\"parameters\":");
	leave(fds, 2 * CTL_PLACES_KEPT);
	leave(roots, CTL_PLACES_ROOT);
}

static unsigned how_many_hold(int fds[CTL_PLACES_KEPT], const char *request)
{
	unsigned count = 0;

	for (unsigned i = 0; i < CTL_PLACES_KEPT; i++) {
		say(fds[i] = visit(), request);
		count += !strncmp(heard(fds[i]), "{\"parameters\":", 14);
	}
	return count;
}

/* Any number of holders leaves places for electd-hookd and for the calls of Release. */
static void holders_leave_kept_places_for_hookd_and_for_calls(void **state)
{
	int roots[CTL_PLACES_ROOT], fds[CTL_PLACES_KEPT], more[CTL_PLACES_KEPT];

	(void)state;
	fill_roots(roots);
	assert_int_equal(how_many_hold(fds, HOLD), CTL_PLACES_KEPT - CTL_PLACES_KEPT_CALLS);
	assert_int_equal(how_many_hold(more, HOLD_AS("electd-hookd")),
		CTL_PLACES_KEPT_CALLS - CTL_PLACES_KEPT_LAST);
	answer_once(
		"{\"method\":\"io.electd.Release\",\"parameters\":{\"holder\":\"%s\",\"seq\":5}}",
		"0", "{\"error\":\"io.electd.NoSuchHolder\"");
	leave(more, CTL_PLACES_KEPT);
	leave(fds, CTL_PLACES_KEPT);
	leave(roots, CTL_PLACES_ROOT);
}

/* These are separate from root's, and one administrator gets a quarter. Other users get none. */
static void administrators_have_kept_places_of_their_own(void **state)
{
	int roots[CTL_PLACES_ROOT], admins[CTL_PLACES_ADMINS], fds[CTL_PLACES_KEPT / 4], fd;

	(void)state;
	fill_roots(roots);
	fill(admins, ADMINS);
	for (unsigned i = 0; i < CTL_PLACES_KEPT / 4; i++)
		assert_answered(fds[i] = visit_as(1000, ADMINS), HOLD);
	assert_no_place(visit_as(1000, ADMINS));
	assert_answered(fd = visit_as(1001, ADMINS), HOLD);
	close(fd);
	assert_answered(fd = visit(), HOLD);
	close(fd);
	leave(fds, CTL_PLACES_KEPT / 4);
	leave(admins, CTL_PLACES_ADMINS);
	leave(roots, CTL_PLACES_ROOT);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

/* Holders are never displaced, so those of electd-address must leave places to reporters. */
static void the_user_of_addresses_has_few_holders(void **state)
{
	int fds[CTL_ADDRESS_HOLDERS + 1], other;

	(void)state;
	ctl->addresses = (struct ctl_user){ true, 2000 };
	ctl->reporters = (struct ctl_group){ true, 2000 };
	for (int i = 0; i <= CTL_ADDRESS_HOLDERS; i++) {
		fds[i] = visit_as(2000, 2000);
		say(fds[i],
			"{\"method\":\"io.electd.Subscribe\",\"parameters\":{\"hold\":true,"
			"\"name\":\"electd-address\",\"rank\":\"address\"},\"more\":true}");
		assert_begins(heard(fds[i]),
			i < CTL_ADDRESS_HOLDERS ? "{\"parameters\":"
						: "{\"error\":\"io.electd.TooManyClients\"");
	}
	other = visit_as(2001, 2000);
	say(other, STATUS);
	assert_begins(heard(other), "{\"parameters\":");
	close(other);
	for (int i = 0; i <= CTL_ADDRESS_HOLDERS; i++)
		close(fds[i]);
	run(8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_user_of_addresses_has_few_holders),
		TEST(a_user_has_a_quarter_at_most),
		TEST(the_user_with_the_most_places_loses_one_to_a_user_with_fewer),
		TEST(users_with_equal_places_do_not_displace_each_other),
		TEST(root_and_administrators_have_places_of_their_own),
		TEST(reporters_have_one_place_more_than_names),
		TEST(one_reporter_cannot_keep_the_others_out),
		TEST(a_holder_is_not_displaced),
		TEST(hookd_has_a_place_for_each_of_its_calls),
		TEST(a_watching_or_waiting_client_loses_a_kept_place),
		TEST(idle_clients_lose_kept_places),
		TEST(a_client_whose_request_waits_keeps_its_place),
		TEST(holders_leave_kept_places_for_hookd_and_for_calls),
		TEST(administrators_have_kept_places_of_their_own),
	};

	if (geteuid() != 0) {
		puts("only root can come as other users");
		return 77;
	}
	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
