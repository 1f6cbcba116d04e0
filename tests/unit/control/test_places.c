/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places on the control socket: root, administrators, reporters and others have their own, a user
 * has a quarter at most, and who has most makes room.
 */
#include "bench.h"

#include <grp.h>

#define WAIT "{\"method\":\"io.electd.Wait\",\"parameters\":{\"for\":\"members\",\"count\":100}}"

enum { SHARE = CTL_PLACES_OTHERS / 4, ADMINS = 4242, REPORTERS };

/* In place of libc's: there are such groups. */
struct group *getgrnam(const char *name)
{
	static struct group group;

	group.gr_gid = strcmp(name, CTL_ADMIN_GROUP) ? REPORTERS : ADMINS;
	return &group;
}

/* As another user, in another group; only root can play it. */
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

/* All places of those who are nobody special, by four users from uid 1000 on. */
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

/* Four hold everything with Wait: each newcomer gets in, at the cost of who has most. */
static void who_has_most_makes_room_for_who_has_fewer(void **state)
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
	/* Each has six now: none has two more. */
	assert_no_place(visit_as(1000, 100));
	leave(late, SHARE);
	leave(fds, CTL_PLACES_OTHERS);
}

/* Else two users could throw each other out for ever. */
static void as_many_as_another_is_no_reason(void **state)
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
	int others[CTL_PLACES_OTHERS], admins[CTL_PLACES_ADMINS], roots[CTL_PLACES_ROOT], fd;

	(void)state;
	for (unsigned i = 0; i < CTL_PLACES_ROOT; i++)
		assert_place(roots[i] = visit());
	assert_no_place(visit());
	fill(admins, ADMINS);
	fill(others, 100);
	for (unsigned i = 0; i < CTL_PLACES_ROOT; i++)
		assert_place(roots[i]);
	for (unsigned i = 0; i < CTL_PLACES_ADMINS; i++)
		assert_place(admins[i]);
	fd = visit_as(3000, ADMINS); /* a fifth administrator */
	say(fd, STATUS);
	assert_begins(heard(fd), "{\"parameters\":");
	close(fd);
	leave(others, CTL_PLACES_OTHERS);
	leave(admins, CTL_PLACES_ADMINS);
	leave(roots, CTL_PLACES_ROOT);
}

/* Each name has a user and a connection of its own; who has no name left is told so. */
static void the_seventeenth_reporter_gets_in_and_others_take_no_place_of_it(void **state)
{
	int others[CTL_PLACES_OTHERS], reporters[ELECT_REPORTS_MAX + 1];

	(void)state;
	fill(others, 100);
	for (unsigned i = 0; i <= ELECT_REPORTS_MAX; i++)
		assert_place(reporters[i] = visit_as(1000 + i, REPORTERS));
	assert_place(others[0]);
	leave(reporters, ELECT_REPORTS_MAX + 1);
	leave(others, CTL_PLACES_OTHERS);
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

/* Leadership waits for a holder; it keeps its place. */
static void a_holder_is_not_displaced(void **state)
{
	int fds[CTL_PLACES_ADMINS];

	(void)state;
	for (unsigned i = 0; i < CTL_PLACES_ADMINS; i++) {
		fds[i] = visit_as(1000 + i / SHARE, ADMINS);
		say(fds[i],
			"{\"method\":\"io.electd.Subscribe\",\"parameters\":{\"hold\":true},"
			"\"more\":true}");
		assert_begins(heard(fds[i]), "{\"parameters\":");
	}
	assert_no_place(visit_as(3000, ADMINS));
	leave(fds, CTL_PLACES_ADMINS);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_user_has_a_quarter_at_most),
		TEST(who_has_most_makes_room_for_who_has_fewer),
		TEST(as_many_as_another_is_no_reason),
		TEST(root_and_administrators_have_places_of_their_own),
		TEST(the_seventeenth_reporter_gets_in_and_others_take_no_place_of_it),
		TEST(one_reporter_cannot_keep_the_others_out),
		TEST(a_holder_is_not_displaced),
	};

	if (geteuid() != 0) {
		puts("only root can come as other users");
		return 77;
	}
	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
