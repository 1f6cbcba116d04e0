/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control socket itself: who may bind it, how many may come, who is cut off. Real sockets in
 * a folder of its own; the loop runs only as far as there is work, so nothing waits.
 */
#include "ctl.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#define SUBSCRIBE "{\"method\":\"io.electd.Subscribe\",\"more\":true}"
#define STATUS	  "{\"method\":\"io.electd.GetStatus\"}"

static char dir[] = "/tmp/electd-test-ctl-XXXXXX";
static char path[64];
static struct event_base *base;
static struct ctl *ctl;
static struct elect_config config;
static unsigned members_count, released_count;
static struct elect_view view;
static void (*overdue)(void);

static void facts(void *user, struct ctl_facts *ret_facts)
{
	(void)user;
	*ret_facts = (struct ctl_facts){
		.domain = "test",
		.version = "0",
		.auth_mode = "auto",
		.config = &config,
		.view = view,
		.members_count = members_count,
	};
}

static void member(void *user, unsigned rank, struct elect_member_info *ret_info)
{
	(void)user;
	*ret_info = (struct elect_member_info){ .rank = rank, .member.name = "member" };
}

static const char *name(void *user, const struct elect_id *id)
{
	(void)user;
	(void)id;
	return "name";
}

static const char *why(void *user, const struct elect_view *v)
{
	(void)user;
	(void)v;
	return "because";
}

/* What is overdue, as far as this test has something. */
static void before(void *user)
{
	(void)user;
	if (overdue)
		overdue();
}

static void released(void *user)
{
	(void)user;
	released_count++;
}

static const struct ctl_source source = {
	.before = before,
	.facts = facts,
	.member = member,
	.name = name,
	.why = why,
	.released = released,
};

static int setup(void **state)
{
	pid_t pid;

	(void)state;
	members_count = released_count = 0;
	view = (struct elect_view){ 0 };
	overdue = NULL;
	config.timings.beacon_us = 1000;
	base = event_base_new();
	return base ? ctl_open(&ctl, base, dir, &source, &pid) : -1;
}

static int teardown(void **state)
{
	(void)state;
	ctl_close(ctl);
	event_base_free(base);
	return 0;
}

/* Everything there is to do, at most `turns` times. */
static void run(unsigned turns)
{
	for (unsigned i = 0; i < turns; i++)
		event_base_loop(base, EVLOOP_NONBLOCK);
}

static int visit(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	strcpy(address.sun_path, path);
	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	run(2);
	return fd;
}

static void say(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text) + 1, MSG_NOSIGNAL), strlen(text) + 1);
	run(4);
}

/* The next object that came, or "closed", or "nothing". */
static const char *heard(int fd)
{
	static char text[8192];
	ssize_t size = recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT | MSG_PEEK);

	if (size < 0)
		return errno == EAGAIN ? "nothing" : "closed";
	if (size == 0)
		return "closed";
	text[size] = '\0';
	recv(fd, text, strlen(text) + 1, MSG_DONTWAIT);
	return text;
}

static void assert_begins(const char *text, const char *beginning)
{
	if (strncmp(text, beginning, strlen(beginning)) != 0)
		fail_msg("%s\ndoes not begin with\n%s", text, beginning);
}

/* ---- who may bind it --------------------------------------------------------------------- */

static void a_living_daemon_keeps_its_socket(void **state)
{
	struct ctl *second;
	pid_t pid;

	(void)state;
	assert_int_equal(ctl_open(&second, base, dir, &source, &pid), -EADDRINUSE);
	assert_int_equal(pid, getpid());
	assert_int_equal(access(path, F_OK), 0);
}

static void a_dead_daemon_leaves_it_to_the_next(void **state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct stat status;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	teardown(state);
	assert_int_equal(access(path, F_OK), -1);
	strcpy(address.sun_path, path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	close(fd);
	assert_int_equal(setup(state), 0);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0666);
	fd = visit();
	say(fd, STATUS);
	assert_begins(heard(fd), "{\"parameters\":{\"schema\":1,");
	close(fd);
}

static void a_path_too_long_is_refused(void **state)
{
	char folder[200];
	struct ctl *second;
	pid_t pid;

	(void)state;
	memset(folder, 'a', sizeof(folder));
	folder[sizeof(folder) - 1] = '\0';
	assert_int_equal(ctl_open(&second, base, folder, &source, &pid), -ENAMETOOLONG);
	assert_int_equal(ctl_open(&second, base, "/nonexistent", &source, &pid), -ENOENT);
}

/* ---- who may come ------------------------------------------------------------------------ */

static void clients_are_counted(void **state)
{
	unsigned max = geteuid() == 0 ? CTL_CLIENTS_MAX : CTL_CLIENTS_PER_USER_MAX;
	int fds[CTL_CLIENTS_MAX + 1];

	(void)state;
	for (unsigned i = 0; i < max; i++) {
		fds[i] = visit();
		assert_string_equal(heard(fds[i]), "nothing");
	}
	fds[max] = visit();
	assert_begins(heard(fds[max]), "{\"error\":\"io.electd.TooManyClients\"");
	assert_string_equal(heard(fds[max]), "closed");
	close(fds[max]);

	close(fds[0]); /* one goes, one may come */
	run(2);
	fds[0] = visit();
	say(fds[0], STATUS);
	assert_begins(heard(fds[0]), "{\"parameters\":");
	for (unsigned i = 0; i < max; i++)
		close(fds[i]);
	run(2);
}

/* As another user; only root can play it. */
static int visit_as(uid_t uid)
{
	int fd;

	assert_int_equal(seteuid(uid), 0);
	fd = visit();
	assert_int_equal(seteuid(0), 0);
	return fd;
}

static void a_user_has_eight_places_and_four_are_kept_for_root(void **state)
{
	enum { USERS_PLACES = CTL_CLIENTS_MAX - CTL_CLIENTS_KEPT };
	int fds[CTL_CLIENTS_MAX], fd;

	(void)state;
	if (geteuid() != 0)
		skip();
	for (unsigned i = 0; i < USERS_PLACES; i++) {
		fds[i] = visit_as(1000 + i / CTL_CLIENTS_PER_USER_MAX);
		assert_string_equal(heard(fds[i]), "nothing");
		if ((i + 1) % CTL_CLIENTS_PER_USER_MAX)
			continue;
		fd = visit_as(1000 + i / CTL_CLIENTS_PER_USER_MAX);
		assert_begins(heard(fd), "{\"error\":\"io.electd.TooManyClients\"");
		close(fd);
	}
	fd = visit_as(2000);
	assert_begins(heard(fd), "{\"error\":\"io.electd.TooManyClients\"");
	close(fd);
	for (unsigned i = USERS_PLACES; i < CTL_CLIENTS_MAX; i++) {
		fds[i] = visit();
		assert_string_equal(heard(fds[i]), "nothing");
	}
	for (unsigned i = 0; i < CTL_CLIENTS_MAX; i++)
		close(fds[i]);
	run(2);
}

/* ---- who is cut off ---------------------------------------------------------------------- */

static void what_is_no_request_is_told_so_and_closed(void **state)
{
	int fd = visit();

	(void)state;
	say(fd, "GET / HTTP/1.1");
	assert_begins(heard(fd), "{\"error\":\"io.electd.InvalidRequest\"");
	assert_string_equal(heard(fd), "closed");
	close(fd);
}

static void a_request_too_large_is_told_so_and_closed(void **state)
{
	static char piece[CTL_REQUEST_MAX + 1];
	int fd = visit();
	ssize_t sent;

	(void)state;
	memset(piece, 'a', sizeof(piece));
	for (size_t at = 0; at < sizeof(piece); at += (size_t)sent) {
		sent = send(fd, piece + at, sizeof(piece) - at, MSG_NOSIGNAL);
		assert_true(sent > 0);
		run(30);
	}
	run(4);
	assert_begins(heard(fd), "{\"error\":\"io.electd.InvalidRequest\"");
	close(fd);
	run(2);
}

static void who_ends_its_side_is_still_answered(void **state)
{
	int fd = visit();

	(void)state;
	assert_int_equal(
		send(fd, STATUS "\0" STATUS, sizeof(STATUS "\0" STATUS), 0), sizeof(STATUS) * 2);
	shutdown(fd, SHUT_WR);
	run(2);
	assert_begins(heard(fd), "{\"parameters\":");
	run(4);
	assert_begins(heard(fd), "{\"parameters\":");
	run(2);
	assert_string_equal(heard(fd), "closed");
	close(fd);
}

/* One answer is larger than the kernel's buffer, so the second must wait for the reader. */
static void who_does_not_read_is_not_served_further(void **state)
{
	static char drop[1 << 16];
	size_t first = 0;
	ssize_t size;
	int fd = visit();

	(void)state;
	members_count = 10000;
	say(fd, STATUS);
	members_count = 0;
	say(fd, STATUS);
	run(20);
	/* Everything of the first answer, then the second, made only now. */
	while ((size = recv(fd, drop, sizeof(drop), MSG_DONTWAIT)) > 0) {
		first += (size_t)size;
		if (memchr(drop, '\0', (size_t)size))
			break;
		run(1);
	}
	assert_true(first > 1000000);
	run(4);
	assert_begins(heard(fd), "{\"parameters\":{\"schema\":1,");
	close(fd);
	run(2);
}

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

static void a_subscriber_who_never_reads_is_cut_off(void **state)
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
	assert_int_equal(size, 0); /* closed */
	assert_true(kept < 2 * CTL_BEHIND_MAX);
	close(lazy);
	close(good);
	run(2);
}

static int group_setup(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/%s", dir, CTL_SOCKET_NAME);
	return chmod(dir, 0755); /* others come in too */
}

static int group_teardown(void **state)
{
	(void)state;
	return rmdir(dir); /* fails when a socket was left behind */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_living_daemon_keeps_its_socket, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_dead_daemon_leaves_it_to_the_next, setup, teardown),
		cmocka_unit_test_setup_teardown(a_path_too_long_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(clients_are_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_user_has_eight_places_and_four_are_kept_for_root, setup, teardown),
		cmocka_unit_test_setup_teardown(
			what_is_no_request_is_told_so_and_closed, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_request_too_large_is_told_so_and_closed, setup, teardown),
		cmocka_unit_test_setup_teardown(
			who_ends_its_side_is_still_answered, setup, teardown),
		cmocka_unit_test_setup_teardown(
			who_does_not_read_is_not_served_further, setup, teardown),
		cmocka_unit_test_setup_teardown(a_subscriber_misses_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_subscriber_who_never_reads_is_cut_off, setup, teardown),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
