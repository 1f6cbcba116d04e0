/* SPDX-License-Identifier: Apache-2.0 */
#include "client.h"

#include "program/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Limits connect() and send(), which block for ever if the peer's queue is full. */
static int connect_within(int fd, const struct sockaddr_un *address, long timeout_ms)
{
	struct timeval t = { .tv_sec = timeout_ms / 1000,
		.tv_usec = (timeout_ms % 1000) * 1000 + 1 };

	if (timeout_ms >= 0 && setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof t) < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)address, sizeof *address) < 0)
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
	return 0;
}

int client_open(const char *path, long timeout_ms, struct client *ret_client)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd, rc;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	rc = connect_within(fd, &address, timeout_ms);
	if (rc) {
		close(fd);
		return rc;
	}
	client_adopt(fd, ret_client);
	return 0;
}

void client_adopt(int fd, struct client *ret_client)
{
	*ret_client = (struct client){ .fd = fd, .output = -1 };
}

void client_close(struct client *c)
{
	close(c->fd);
	free(c->buffer);
	*c = (struct client){ .fd = -1, .output = -1 };
}

static int send_all(int fd, const char *bytes, size_t size)
{
	while (size) {
		ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? -ETIMEDOUT : -errno;
		bytes += n;
		size -= (size_t)n;
	}
	return 0;
}

int client_call(struct client *c, const char *method, json_t *parameters, bool more)
{
	json_t *call = json_pack("{s:s, s:o*}", "method", method, "parameters", parameters);
	char *text;
	int rc;

	if (!call)
		return -ENOMEM;
	if (more)
		json_object_set_new(call, "more", json_true());
	text = json_dumps(call, JSON_COMPACT);
	json_decref(call);
	if (!text)
		return -ENOMEM;
	rc = send_all(c->fd, text, strlen(text) + 1);
	free(text);
	return rc;
}

/* Takes the first whole object out of the buffer: 0, -EAGAIN: there is none yet, -EBADMSG. */
static int object_take(struct client *c, json_t **ret_reply)
{
	char *end = c->used ? memchr(c->buffer, 0, c->used) : NULL;
	json_t *reply;
	size_t size;

	if (!end)
		return -EAGAIN;
	size = (size_t)(end - c->buffer);
	reply = json_loadb(c->buffer, size, JSON_REJECT_DUPLICATES, NULL);
	c->used -= size + 1;
	memmove(c->buffer, end + 1, c->used);
	if (!json_is_object(reply)) {
		json_decref(reply);
		return -EBADMSG;
	}
	*ret_reply = reply;
	return 0;
}

static int buffer_grow(struct client *c)
{
	size_t size = c->size ? c->size * 2 : 65536;
	char *bigger;

	if (c->used < c->size)
		return 0;
	if (size > CLIENT_REPLY_MAX)
		return -EMSGSIZE;
	bigger = realloc(c->buffer, size);
	if (!bigger)
		return -ENOMEM;
	c->buffer = bigger;
	c->size = size;
	return 0;
}

static int read_some(struct client *c, int64_t until_ms)
{
	struct pollfd p[] = { { .fd = c->fd, .events = POLLIN }, { .fd = c->output } };
	int64_t left = until_ms < 0 ? -1 : until_ms - clock_boot_ms();
	ssize_t n;
	int rc;

	if (until_ms >= 0 && left < 0)
		left = 0;
	rc = poll(p, sizeof(p) / sizeof(*p), (int)left);
	if (rc < 0)
		return errno == EINTR ? 0 : -errno;
	if (rc == 0)
		return -ETIMEDOUT;
	if (!p[0].revents)
		return -EPIPE;
	rc = buffer_grow(c);
	if (rc)
		return rc;
	n = read(c->fd, c->buffer + c->used, c->size - c->used);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -errno;
	if (n == 0)
		return -ECONNRESET;
	c->used += (size_t)n;
	return 0;
}

int client_reply(struct client *c, long timeout_ms, json_t **ret_reply)
{
	int64_t until_ms = timeout_ms < 0 ? -1 : clock_boot_ms() + timeout_ms;
	int rc;

	while ((rc = object_take(c, ret_reply)) == -EAGAIN) {
		rc = read_some(c, until_ms);
		if (rc)
			return rc;
	}
	return rc;
}
