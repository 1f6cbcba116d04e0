/* SPDX-License-Identifier: Apache-2.0 */
/* The binding of the control socket, the number of its clients, and those that are cut off. */
#include "bench.h"

#include "control/inside.h"

#include <poll.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/time.h>

/* ---- binding --------------------------------------------------------------------------------- */

static void a_living_daemon_keeps_its_socket(void **state)
{
	struct ctl *second;
	pid_t pid;

	(void)state;
	assert_int_equal(ctl_open(&second, base, dir, &source, &pid), -EADDRINUSE);
	assert_int_equal(pid, getpid());
	assert_int_equal(access(path, F_OK), 0);
}

static void a_dead_daemon_leaves_the_socket_to_the_next(void **state)
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

static const char *path_in_dir(const char *name)
{
	static char text[sizeof(dir) + 64];

	snprintf(text, sizeof(text), "%s/%s", dir, name);
	return text;
}

/* The unit leaves such a link when its daemon has ended; an electd started by hand replaces it. */
static void a_link_to_nothing_is_replaced(void **state)
{
	struct stat st;
	pid_t pid;
	int fd;

	(void)state;
	ctl_close(ctl);
	assert_int_equal(symlink("daemon/" CTL_SOCKET_NAME, path), 0);
	assert_int_equal(ctl_open(&ctl, base, dir, &source, &pid), 0);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISSOCK(st.st_mode));
	fd = visit();
	say(fd, STATUS);
	assert_begins(heard(fd), "{\"parameters\":");
	close(fd);
	run(2);
}

/* The link that a unit puts there later stays when the electd started by hand ends. */
static void a_link_to_a_living_daemon_is_in_use_and_left_alone(void **state)
{
	const char *elsewhere = path_in_dir("daemon");
	struct ctl *second;
	struct stat st;
	pid_t pid;

	(void)state;
	ctl_close(ctl);
	assert_int_equal(mkdir(elsewhere, 0700), 0);
	assert_int_equal(ctl_open(&ctl, base, dir, &source, &pid), 0);
	assert_int_equal(ctl_open(&second, base, elsewhere, &source, &pid), 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("daemon/" CTL_SOCKET_NAME, path), 0);
	ctl_close(ctl);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(ctl_open(&ctl, base, dir, &source, &pid), -EADDRINUSE);
	assert_int_equal(pid, getpid());
	ctl_close(second);
	assert_int_equal(unlink(path_in_dir("daemon/" CTL_LOCK_NAME)), 0);
	assert_int_equal(rmdir(path_in_dir("daemon")), 0);
	assert_int_equal(ctl_open(&ctl, base, dir, &source, &pid), 0);
}

static void two_daemons_that_start_at_once_do_not_share_the_socket(void **state)
{
	char lock[200];
	struct ctl *second;
	pid_t pid;
	int fd;

	snprintf(lock, sizeof(lock), "%s/" CTL_LOCK_NAME, dir);
	teardown(state);
	fd = open(lock, O_RDWR | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0); /* another electd that is starting */
	assert_int_equal(
		ctl_open(&second, base = event_base_new(), dir, &source, &pid), -EADDRINUSE);
	event_base_free(base);
	close(fd);
	assert_int_equal(setup(state), 0);
	/* The electd that lost leaves the socket alone. */
	assert_int_equal(ctl_open(&second, base, dir, &source, &pid), -EADDRINUSE);
	assert_int_equal(access(path, F_OK), 0);
}

/* Otherwise every user of the host could keep electd from starting. */
static void other_users_cannot_lock_the_socket(void **state)
{
	struct stat status;
	char lock[200];
	int fd;

	snprintf(lock, sizeof(lock), "%s/" CTL_LOCK_NAME, dir);
	assert_int_equal(stat(lock, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	teardown(state);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(setup(state), 0);
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

/* ---- the number of clients ------------------------------------------------------------------- */

static void clients_are_counted(void **state)
{
	bool root = geteuid() == 0; /* a newcomer displaces the first client on a kept place */
	unsigned max = root ? CTL_PLACES_ROOT + CTL_PLACES_KEPT : CTL_PLACES_OTHERS / 4;
	unsigned goes = root ? CTL_PLACES_ROOT : max;
	int fds[CTL_PLACES_ROOT + CTL_PLACES_KEPT + 1];

	(void)state;
	for (unsigned i = 0; i < max; i++) {
		fds[i] = visit();
		assert_string_equal(heard(fds[i]), "nothing");
	}
	fds[max] = visit();
	assert_begins(heard(fds[goes]), "{\"error\":\"io.electd.TooManyClients\"");
	assert_string_equal(heard(fds[goes]), "closed");
	close(fds[goes]);
	fds[goes] = fds[max];

	close(fds[0]); /* one client leaves, so one may come */
	run(2);
	fds[0] = visit();
	say(fds[0], STATUS);
	assert_begins(heard(fds[0]), "{\"parameters\":");
	for (unsigned i = 0; i < max; i++)
		close(fds[i]);
	run(2);
}

/* ---- clients that are cut off ---------------------------------------------------------------- */

static void an_invalid_request_gets_an_error_and_is_closed(void **state)
{
	int fd = visit();

	(void)state;
	say(fd, "GET / HTTP/1.1");
	assert_begins(heard(fd), "{\"error\":\"io.electd.InvalidRequest\"");
	assert_string_equal(heard(fd), "closed");
	close(fd);
}

static void a_request_too_large_gets_an_error_and_is_closed(void **state)
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

static void a_client_that_ends_its_side_is_still_answered(void **state)
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

/* One reply is larger than the kernel's buffer, so the second must wait for the reader. */
static void a_client_that_does_not_read_is_not_served_further(void **state)
{
	static char drop[1 << 16];
	size_t first = 0;
	ssize_t size;
	int fd = visit();

	(void)state;
	members_count = 3000;
	say(fd, STATUS);
	members_count = 0;
	say(fd, STATUS);
	run(20);
	/* The whole first reply, then the second, which is made only now. */
	while ((size = recv(fd, drop, sizeof(drop), MSG_DONTWAIT | MSG_PEEK)) > 0) {
		const char *end = memchr(drop, '\0', (size_t)size);

		size = recv(fd, drop, end ? (size_t)(end + 1 - drop) : (size_t)size, MSG_DONTWAIT);
		first += (size_t)size;
		if (end)
			break;
		run(1);
	}
	assert_true(first > 300000);
	run(4);
	assert_begins(heard(fd), "{\"parameters\":{\"schema\":1,");
	close(fd);
	run(2);
}

/* Microseconds until the timeout of the first client; 0: none. */
static uint64_t time_left_us(void)
{
	struct timeval at;

	if (!event_pending(ctl->clients[0].timer, EV_TIMEOUT, &at))
		return 0;
	return (uint64_t)at.tv_sec * 1000000 + (uint64_t)at.tv_usec - time_us;
}

static void a_client_without_a_whole_request_has_ten_seconds(void **state)
{
	int fd = visit();

	(void)state;
	assert_int_equal(time_left_us(), CTL_IDLE_S * 1000000);
	for (const char *c = STATUS; c[1]; c++) { /* all but the end */
		assert_int_equal(send(fd, c, 1, 0), 1);
		pass_ms(100);
	}
	assert_int_equal(time_left_us(), CTL_IDLE_S * 1000000 - (strlen(STATUS) - 1) * 100000);
	pass_ms(time_left_us() / 1000 - 1);
	assert_string_equal(heard(fd), "nothing");
	pass_ms(1);
	assert_string_equal(heard(fd), "closed");
	close(fd);
}

static void a_subscriber_has_no_timeout(void **state)
{
	int fd = visit();

	(void)state;
	say(fd, SUBSCRIBE);
	assert_int_equal(time_left_us(), 0);
	close(fd);
	run(2);
}

/* Without a free descriptor a pending connection would wake the loop without end. */
static void accepting_pauses_without_a_free_descriptor(void **state)
{
	struct rlimit limit, no_files;
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	(void)state;
	if (getenv("TEST_WRAPPER"))
		skip(); /* valgrind itself closes descriptors beyond the limit */
	strcpy(address.sun_path, path);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	no_files = (struct rlimit){ 0, limit.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &no_files), 0);
	run(2);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_false(event_pending(ctl->acceptable, EV_READ, NULL));
	for (int i = 0; i < 1000 && !event_pending(ctl->acceptable, EV_READ, NULL); i++)
		pass_ms(1);
	assert_true(event_pending(ctl->acceptable, EV_READ, NULL));
	run(2);
	say(fd, STATUS);
	assert_begins(heard(fd), "{\"parameters\":");
	close(fd);
	run(2);
}

static void a_request_is_kept_up_to_its_limit_only(void **state)
{
	static char piece[1 << 14];
	int fd = visit();

	(void)state;
	memset(piece, 'a', sizeof(piece));
	for (unsigned i = 0; i < 64; i++) {
		if (send(fd, piece, sizeof(piece), MSG_NOSIGNAL) < 0)
			break;
		run(2);
		assert_true(ctl->clients[0].input.size <= CTL_REQUEST_MAX);
	}
	run(40);
	assert_null(ctl->clients[0].input.bytes);
	close(fd);
	run(4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_living_daemon_keeps_its_socket, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_dead_daemon_leaves_the_socket_to_the_next, setup, teardown),
		cmocka_unit_test_setup_teardown(a_link_to_nothing_is_replaced, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_link_to_a_living_daemon_is_in_use_and_left_alone, setup, teardown),
		cmocka_unit_test_setup_teardown(
			two_daemons_that_start_at_once_do_not_share_the_socket, setup, teardown),
		cmocka_unit_test_setup_teardown(
			other_users_cannot_lock_the_socket, setup, teardown),
		cmocka_unit_test_setup_teardown(a_path_too_long_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(clients_are_counted, setup, teardown),
		cmocka_unit_test_setup_teardown(
			an_invalid_request_gets_an_error_and_is_closed, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_request_too_large_gets_an_error_and_is_closed, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_client_that_ends_its_side_is_still_answered, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_client_without_a_whole_request_has_ten_seconds, setup, teardown),
		cmocka_unit_test_setup_teardown(
			accepting_pauses_without_a_free_descriptor, setup, teardown),
		cmocka_unit_test_setup_teardown(a_subscriber_has_no_timeout, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_request_is_kept_up_to_its_limit_only, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_client_that_does_not_read_is_not_served_further, setup, teardown),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
