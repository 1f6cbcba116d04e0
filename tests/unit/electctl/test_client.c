/* SPDX-License-Identifier: Apache-2.0 */
/* The connection of electctl to electd: framing, deadlines and a peer that breaks the protocol. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "electctl/client.h"

/* Connects a client to a peer that has already sent `bytes`, and returns the peer's end. */
static int said(struct client *c, const char *bytes, size_t size)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	assert_int_equal(write(ends[1], bytes, size), (ssize_t)size);
	client_adopt(ends[0], c);
	return ends[1];
}

static void a_call_is_one_object_and_a_nul(void **state)
{
	struct client c;
	char got[256];
	int peer = said(&c, "", 0);
	ssize_t n;

	(void)state;
	assert_int_equal(client_call(&c, "io.electd.GetStatus", NULL, false), 0);
	assert_int_equal(
		client_call(&c, "io.electd.Resign", json_pack("{s:i}", "for", 5), true), 0);
	n = read(peer, got, sizeof got);
	assert_memory_equal(got, "{\"method\":\"io.electd.GetStatus\"}", 33);
	assert_string_equal(got + 33,
		"{\"method\":\"io.electd.Resign\",\"parameters\":{\"for\":5},\"more\":true}");
	assert_int_equal(got[n - 1], 0);
	client_close(&c);
	close(peer);
}

static void replies_are_read_one_by_one(void **state)
{
	static const char two[] = "{\"a\":1}\0{\"a\":2}\0{\"a\"";
	struct client c;
	json_t *reply;
	int peer = said(&c, two, sizeof two - 1);

	(void)state;
	for (int i = 1; i <= 2; i++) {
		assert_int_equal(client_reply(&c, 1000, &reply), 0);
		assert_int_equal(json_integer_value(json_object_get(reply, "a")), i);
		json_decref(reply);
	}
	assert_int_equal(client_reply(&c, 1, &reply), -ETIMEDOUT);
	assert_int_equal(write(peer, ":3}", 4), 4);
	assert_int_equal(client_reply(&c, 1000, &reply), 0);
	assert_int_equal(json_integer_value(json_object_get(reply, "a")), 3);
	json_decref(reply);
	close(peer);
	assert_int_equal(client_reply(&c, -1, &reply), -ECONNRESET);
	client_close(&c);
}

/* As in `electctl watch | head -n 1`: head has ended, and electd has nothing to report. */
static void a_wait_ends_when_the_reader_of_the_output_is_gone(void **state)
{
	static const char one[] = "{\"a\":1}";
	struct client c;
	json_t *reply;
	int pipe_ends[2], peer = said(&c, one, sizeof one);

	(void)state;
	assert_int_equal(pipe(pipe_ends), 0);
	c.output = pipe_ends[1];
	assert_int_equal(client_reply(&c, -1, &reply), 0);
	json_decref(reply);
	assert_int_equal(client_reply(&c, 1, &reply), -ETIMEDOUT);
	close(pipe_ends[0]);
	assert_int_equal(client_reply(&c, -1, &reply), -EPIPE);
	close(pipe_ends[1]);
	client_close(&c);
	close(peer);
}

static void a_reply_that_is_no_object_is_refused(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
	} rows[] = { { "", 1 }, { "[]", 3 }, { "{\"a\":1}x", 9 }, { "\377", 2 }, { "null", 5 } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct client c;
		json_t *reply = NULL;
		int peer = said(&c, rows[i].bytes, rows[i].size);

		assert_int_equal(client_reply(&c, 1000, &reply), -EBADMSG);
		assert_null(reply);
		client_close(&c);
		close(peer);
	}
}

/* A child writes without end, and the client must stop at its limit. */
static void a_reply_without_an_end_is_refused(void **state)
{
	struct client c;
	json_t *reply = NULL;
	int peer = said(&c, "", 0);
	pid_t child = fork();

	(void)state;
	assert_true(child >= 0);
	if (child == 0) {
		char block[4096];

		client_close(&c); /* else this end keeps the socket open */
		memset(block, ' ', sizeof block);
		while (send(peer, block, sizeof block, MSG_NOSIGNAL) > 0)
			;
		_exit(0);
	}
	close(peer);
	assert_int_equal(client_reply(&c, -1, &reply), -EMSGSIZE);
	client_close(&c);
	waitpid(child, NULL, 0);
}

static void a_socket_without_a_listener_has_its_own_error(void **state)
{
	char folder[] = "/tmp/electctl-XXXXXX", path[64], longer[200];
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct client c;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/s", folder);
	snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	assert_int_equal(client_open(path, -1, &c), -ENOENT);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(client_open(path, -1, &c), -ECONNREFUSED);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(client_open(path, -1, &c), 0);
	client_close(&c);
	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = 0;
	assert_int_equal(client_open(longer, -1, &c), -ENAMETOOLONG);
	close(fd);
	unlink(path);
	rmdir(folder);
}

/* The queue of a stopped daemon takes a few connections; then connect() would block. */
static void a_listener_that_does_not_accept_is_given_up(void **state)
{
	char folder[] = "/tmp/electctl-XXXXXX", path[64];
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct client clients[8], late;
	unsigned count = 0;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), rc;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/s", folder);
	snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(fd, 0), 0);
	while (!(rc = client_open(path, 20, count < 8 ? &clients[count] : &late)) && count < 8)
		count++;
	assert_int_equal(rc, -ETIMEDOUT);
	assert_in_range(count, 1, 7);
	while (count)
		client_close(&clients[--count]);
	close(fd);
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_is_one_object_and_a_nul),
		cmocka_unit_test(replies_are_read_one_by_one),
		cmocka_unit_test(a_wait_ends_when_the_reader_of_the_output_is_gone),
		cmocka_unit_test(a_reply_that_is_no_object_is_refused),
		cmocka_unit_test(a_reply_without_an_end_is_refused),
		cmocka_unit_test(a_socket_without_a_listener_has_its_own_error),
		cmocka_unit_test(a_listener_that_does_not_accept_is_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
