/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server: an electd in the same process and loop, in virtual time, for the tests of hookd's
 * connections. Each test program includes it once, after lib/said.h.
 */
#ifndef ELECTD_TEST_HOOKD_SERVER_H
#define ELECTD_TEST_HOOKD_SERVER_H

#include "program/clock.h"
#include "virtual.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-event.h>
#include <unistd.h>

enum { PATIENCE_US = 10000000 }; /* of virtual time */

static struct server {
	sd_event *event;
	char dir[64], path[96];
	int fd, client; /* the listening socket; the last client or -1 */
} server;

UNUSED static void server_listen(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	memcpy(address.sun_path, server.path, sizeof(server.path));
	server.fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	assert_int_equal(bind(server.fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(server.fd, 16), 0);
}

UNUSED static void server_hang_up(void)
{
	if (server.client >= 0)
		close(server.client);
	server.client = -1;
}

UNUSED static void server_unlisten(void)
{
	server_hang_up();
	if (server.fd >= 0)
		close(server.fd);
	server.fd = -1;
	unlink(server.path);
}

UNUSED static int server_setup(void **state)
{
	(void)state;
	server = (struct server){ .fd = -1, .client = -1 };
	snprintf(server.dir, sizeof(server.dir), "/tmp/test_hookd.XXXXXX");
	if (!mkdtemp(server.dir) || sd_event_new(&server.event) < 0)
		return -1;
	snprintf(server.path, sizeof(server.path), "%s/io.electd", server.dir);
	server_listen();
	return 0;
}

UNUSED static int server_teardown(void **state)
{
	(void)state;
	server_unlisten();
	sd_event_unref(server.event);
	return rmdir(server.dir);
}

typedef bool until_fn(void);

/* Turns the loop until is_so(), for at most PATIENCE_US of virtual time. */
UNUSED static bool turn_until(until_fn *is_so)
{
	uint64_t end_us = clock_boot_us() + PATIENCE_US;

	while (!is_so())
		if (!virtual_turn(server.event, 0) && !virtual_pass_to_timer(end_us))
			return false;
	return true;
}

UNUSED static void turn(void)
{
	while (virtual_turn(server.event, 0))
		;
}

/* Lets time pass without a turn of the loop, as in a stopped process. */
UNUSED static void stand_still_until(uint64_t at_us)
{
	if (virtual_us <= at_us)
		virtual_us = at_us + 1;
}

UNUSED static bool server_accepted(void)
{
	int fd = accept4(server.fd, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return false;
	server_hang_up();
	server.client = fd;
	return true;
}

/* Fills the queue of the listening socket; server_empty() removes these connections. */
UNUSED static unsigned server_fill(int fds[32])
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	unsigned count = 0;

	memcpy(address.sun_path, server.path, sizeof(server.path));
	for (;; count++) {
		assert_true(count < 32);
		fds[count] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		if (connect(fds[count], (struct sockaddr *)&address, sizeof(address)))
			break;
	}
	assert_int_equal(errno, EAGAIN);
	close(fds[count]);
	return count;
}

UNUSED static void server_empty(const int *fds, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		assert_true(server_accepted());
		close(fds[i]);
	}
	server_hang_up();
}

UNUSED static void server_read(char *ret_text, size_t size)
{
	size_t used = 0;

	do {
		ssize_t n = recv(server.client, ret_text + used, size - used, 0);

		assert_true(n > 0);
		used += (size_t)n;
	} while (ret_text[used - 1] && used < size);
	assert_int_equal(ret_text[used - 1], 0);
}

UNUSED static void server_say_bytes(const char *bytes, size_t size)
{
	assert_int_equal(send(server.client, bytes, size, MSG_NOSIGNAL), size);
}

UNUSED static void server_say(const char *text)
{
	server_say_bytes(text, strlen(text) + 1);
}

#endif
