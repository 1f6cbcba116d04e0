/* SPDX-License-Identifier: Apache-2.0 */
/*
 * echo: asks a host's kernel for a sign of life, independent of the host's processes.
 *
 * The question is a TCP connection to a port where no process is expected to listen. A reset or an
 * accepted connection is an answer. An unreachable address is no answer, because this host's own
 * kernel reports that, too. No data is ever sent on such a connection. A datagram to a closed port
 * would be answered by ICMP, of which kernels send few; resets are not limited.
 */
#ifndef ELECTD_NET_ECHO_H
#define ELECTD_NET_ECHO_H

#include "links.h"

struct event_base;

enum {
	NET_ECHOES_MAX = 32, /* questions at once; when full, the oldest is dropped */
	NET_ECHO_MS = 1000,  /* time for an answer */
};

/* `link`: of the path by which the question was sent. */
typedef void net_echoed_fn(void *user, const struct elect_id *id, uint32_t link);

struct net_echoes;

/*
 * `tied`: an answer shows that the link of the path works. It must come in by the path's interface,
 * and a firewall of this host must not have sent it. Without Linux 5.7 only link-local addresses
 * are asked. NULL: no memory.
 */
struct net_echoes *net_echoes_new(
	struct event_base *base, bool tied, net_echoed_fn *echoed, void *user);
void net_echoes_free(struct net_echoes *echoes);
/*
 * Asks by that path; `to` must have the path's family. At most `routers` routers may forward the
 * question. The answer, with `id`, is never reported during this call.
 */
void net_echoes_ask(struct net_echoes *echoes, const struct net_path *path,
	const struct elect_address *to, unsigned routers, const struct elect_id *id);
/* Drops all open questions, so that none of them is answered any more. */
void net_echoes_forget(struct net_echoes *echoes);

#endif
