/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client: one connection to a control socket; Varlink calls and replies, JSON objects ended by a
 * NUL byte. Blocking, with a deadline. Prints nothing and decides nothing.
 */
#ifndef ELECTCTL_CLIENT_H
#define ELECTCTL_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { CLIENT_REPLY_MAX = 8 << 20 }; /* bytes; more is -EMSGSIZE. 1024 hosts need 0.3 MiB */

struct client {
	int fd;
	int output; /* client_reply() ends when the reader of this pipe is gone; -1: none */
	char *buffer;
	size_t used, size;
};

/*
 * 0 or -errno of connect(): -ENOENT and -ECONNREFUSED mean that nobody listens, -ETIMEDOUT that
 * the listener takes nobody in. Later calls give up after `timeout_ms` too; -1: never.
 */
int client_open(const char *path, long timeout_ms, struct client *ret_client);
/* Takes over a connected descriptor. */
void client_adopt(int fd, struct client *ret_client);
void client_close(struct client *c);

/* Sends one call; takes over `parameters` (may be NULL). 0 or -errno, -EPIPE: the peer is gone,
 * -ETIMEDOUT. */
int client_call(struct client *c, const char *method, json_t *parameters, bool more);

/*
 * Waits for the next reply, -1: without limit. 0, -ETIMEDOUT, -ECONNRESET (the peer closed), -EPIPE
 * (the reader of `output` closed), -EBADMSG (not a JSON object), -EMSGSIZE, or another -errno.
 */
int client_reply(struct client *c, long timeout_ms, json_t **ret_reply);

#endif
