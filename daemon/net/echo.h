/* SPDX-License-Identifier: Apache-2.0 */
/*
 * echo: asks a host's kernel for a sign of life, whatever the host's processes do.
 *
 * A connection is begun to a port where nobody is expected to listen: reset, or accepted, that host
 * has answered. That an address is not reached is no answer: the own kernel says that, too. Nothing
 * is ever sent by such a connection.
 */
#ifndef ELECTD_NET_ECHO_H
#define ELECTD_NET_ECHO_H

#include "links.h"

struct event_base;

enum {
	NET_ECHOES_MAX = 32, /* questions under way; the oldest makes room */
	NET_ECHO_MS = 1000,  /* no answer by then: none */
};

typedef void net_echoed_fn(void *user, const struct elect_id *id);

struct net_echoes;

/* NULL: no memory. */
struct net_echoes *net_echoes_new(struct event_base *base, net_echoed_fn *echoed, void *user);
void net_echoes_free(struct net_echoes *echoes);
/*
 * By that path, of the family of `to`, over so many routers at most. `id` is handed back with the
 * answer; never from within.
 */
void net_echoes_ask(struct net_echoes *echoes, const struct net_path *path,
	const struct elect_address *to, unsigned routers, const struct elect_id *id);
/* Nothing that was asked before is answered any more. */
void net_echoes_forget(struct net_echoes *echoes);

#endif
