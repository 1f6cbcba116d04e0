/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client: one connection to a control socket. Sends Varlink calls and reads replies, which are JSON
 * objects that end with a NUL byte. Blocking, with a deadline. Prints nothing and decides nothing.
 */
#ifndef ELECTCTL_CLIENT_H
#define ELECTCTL_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { CLIENT_REPLY_MAX = 8 << 20 }; /* bytes; a longer one is -EMSGSIZE. 1024 hosts need 0.3 MiB */

struct client {
	int fd;
	int output; /* client_reply() ends when the reader of this pipe has closed it; -1: none */
	char *buffer;
	size_t used, size;
};

/*
 * Connects to the socket. 0 or -errno of connect(): -ENOENT and -ECONNREFUSED mean that no process
 * listens, -ETIMEDOUT that the listener did not accept the connection. `timeout_ms` also limits
 * each later send; -1: no limit.
 */
int client_open(const char *path, long timeout_ms, struct client *ret_client);
/* Takes over a connected descriptor. */
void client_adopt(int fd, struct client *ret_client);
void client_close(struct client *c);

/*
 * Sends one call; takes over `parameters` (NULL: none). 0, -EPIPE: peer gone, -ETIMEDOUT, -errno.
 */
int client_call(struct client *c, const char *method, json_t *parameters, bool more);

/*
 * Waits for the next reply; timeout_ms -1: no limit. 0, -ETIMEDOUT, -ECONNRESET (the peer closed),
 * -EPIPE (the reader of `output` closed), -EBADMSG (not a JSON object), -EMSGSIZE, or another
 * -errno. The caller owns the reply.
 */
int client_reply(struct client *c, long timeout_ms, json_t **ret_reply);

#endif
