/* SPDX-License-Identifier: Apache-2.0 */
/* Notifications to the service manager. With a full queue: program/test_manager.c. */
#include "words/service.h"

#include "unit/full_queue.h"
#include "unit/patience.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static int manager = -1;

static int setup(void **state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	socklen_t size = sizeof(sa_family_t); /* the kernel chooses an abstract name */
	char name[sizeof(address.sun_path) + 1];

	(void)state;
	manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (manager < 0 || bind(manager, (struct sockaddr *)&address, size) < 0)
		return -1;
	size = sizeof(address);
	if (getsockname(manager, (struct sockaddr *)&address, &size) < 0)
		return -1;
	snprintf(name, sizeof(name), "@%.*s", (int)(size - sizeof(sa_family_t) - 1),
		address.sun_path + 1);
	return setenv("NOTIFY_SOCKET", name, 1);
}

static int teardown(void **state)
{
	(void)state;
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
	return close(manager);
}

static const char *told(void)
{
	static char text[512];
	ssize_t size = recv(manager, text, sizeof(text) - 1, 0);

	assert_true(size >= 0);
	text[size] = '\0';
	return text;
}

static void every_notification_reaches_the_manager(void **state)
{
	unsigned long long us;

	(void)state;
	service_ready();
	assert_string_equal(told(), "READY=1");
	service_status("leader of a.1");
	assert_string_equal(told(), "STATUS=leader of a.1");
	service_watchdog();
	assert_string_equal(told(), "WATCHDOG=1");
	service_stopping(16000000);
	assert_string_equal(told(), "STOPPING=1\nEXTEND_TIMEOUT_USEC=16000000");
	service_reloading();
	assert_int_equal(sscanf(told(), "RELOADING=1\nMONOTONIC_USEC=%llu", &us), 1);
	assert_true(us > 0);
}

/* ---- a manager that does not read ------------------------------------------------------------ */

static void say_all(int fd)
{
	service_ready();
	service_reloading();
	service_ready();
	service_status("leader of a.1");
	service_watchdog();
	service_keep("own", fd);
	service_stopping(16000000);
}

/* In a child, because a call that blocks would never return. */
static void no_call_blocks_on_a_manager_that_does_not_read(void **state)
{
	int ends[2], status;
	pid_t child;

	(void)state;
	full_queue_fill(manager);
	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		say_all(ends[0]);
		_exit(0);
	}
	close(ends[1]);
	if (!patience_readable(ends[0])) /* the pipe closes when the child ends */
		kill(child, SIGKILL);
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void nothing_is_sent_without_a_manager(void **state)
{
	static const char *const nowhere[] = { "/nonexistent/notify", "@electd-nobody", "relative",
		"@", "" };

	(void)state;
	for (size_t i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++) {
		setenv("NOTIFY_SOCKET", nowhere[i], 1);
		service_status("nobody reads it");
		service_watchdog();
	}
	unsetenv("NOTIFY_SOCKET");
	service_watchdog();
	assert_true(recv(manager, (char[1]){ 0 }, 1, 0) < 0);
}

static void the_watchdog_is_due_twice_in_its_period(void **state)
{
	char pid[20];

	(void)state;
	assert_int_equal(service_watchdog_us(), 0);
	setenv("WATCHDOG_USEC", "10000000", 1);
	assert_int_equal(service_watchdog_us(), 5000000);
	snprintf(pid, sizeof(pid), "%ld", (long)getpid());
	setenv("WATCHDOG_PID", pid, 1);
	assert_int_equal(service_watchdog_us(), 5000000);
	setenv("WATCHDOG_PID", "1", 1); /* meant for another process */
	assert_int_equal(service_watchdog_us(), 0);
	setenv("WATCHDOG_PID", pid, 1);
	setenv("WATCHDOG_USEC", "soon", 1);
	assert_int_equal(service_watchdog_us(), 0);
}

/* ---- descriptors that are kept over restarts ------------------------------------------------- */

static int received_fd(void)
{
	static char text[512];
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec vector = { text, sizeof(text) - 1 };
	struct msghdr message = { .msg_iov = &vector,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control) };
	ssize_t size = recvmsg(manager, &message, MSG_CMSG_CLOEXEC);
	int fd;

	assert_true(size >= 0);
	text[size] = '\0';
	assert_string_equal(text, "FDSTORE=1\nFDPOLL=0\nFDNAME=own");
	assert_non_null(CMSG_FIRSTHDR(&message));
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	return fd;
}

static void a_descriptor_to_keep_replaces_the_one_kept_before(void **state)
{
	int ends[2], fd;
	char byte;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	service_keep("own", ends[1]);
	assert_string_equal(told(), "FDSTOREREMOVE=1\nFDNAME=own");
	fd = received_fd();
	assert_int_equal(write(fd, "x", 1), 1);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	close(fd);
	service_keep("own", -1);
	assert_string_equal(told(), "FDSTOREREMOVE=1\nFDNAME=own");
	close(ends[0]);
	close(ends[1]);
}

/* In a child, because the descriptors must have the numbers that the manager gives them. */
static void a_kept_descriptor_is_found_by_its_name(void **state)
{
	static const char *const names[] = { "group", "own", "homes" };
	int fds[3], status;
	pid_t child = fork();
	char pid[20];

	(void)state;
	if (child == 0) {
		snprintf(pid, sizeof(pid), "%ld", (long)getpid());
		setenv("LISTEN_PID", pid, 1);
		setenv("LISTEN_FDS", "3", 1);
		setenv("LISTEN_FDNAMES", "own:older:group", 1);
		for (int fd = 3; fd < 6; fd++)
			dup2(STDIN_FILENO, fd);
		service_kept(names, 3, fds);
		_exit(fds[0] == 5 && fds[1] == 3 && fds[2] == -1 && close(4) < 0 &&
					!getenv("LISTEN_FDS")
				? 0
				: 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	service_kept(names, 3, fds);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(fds[i], -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			every_notification_reaches_the_manager, setup, teardown),
		cmocka_unit_test_setup_teardown(
			no_call_blocks_on_a_manager_that_does_not_read, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_is_sent_without_a_manager, setup, teardown),
		cmocka_unit_test_setup_teardown(
			the_watchdog_is_due_twice_in_its_period, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_descriptor_to_keep_replaces_the_one_kept_before, setup, teardown),
		cmocka_unit_test_setup_teardown(
			a_kept_descriptor_is_found_by_its_name, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
