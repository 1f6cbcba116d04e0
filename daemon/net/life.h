/* SPDX-License-Identifier: Apache-2.0 */
/*
 * life: looks for signs that this host's own link works apart from a host that is silent
 * (suspicion.md, The own link).
 *
 * Frames: at least NET_LIFE_FRAMES have come in since the first try. They may be those of the lost
 * host. They are counted where they come in by a cable only (net/behind.h): guests of this machine
 * send frames although the cable is pulled.
 *
 * Gateway: the kernel of a router has answered, as in echo.h, by the interface of the path. The
 * port is the first one for unicast datagrams: no program listens there, and a firewall that is set
 * up for electd lets it pass. The gateway is no sign if it has an address of the lost host or of
 * this one. It may be a guest of this machine, on the same bridge: then its answer counts only if a
 * frame has come in by the cable since the first try.
 */
#ifndef ELECTD_NET_LIFE_H
#define ELECTD_NET_LIFE_H

#include "links.h"

#include "core/elect.h"

struct event_base;

enum {
	NET_LIFE_FRAMES = 2, /* a single one may have been on its way before the link was cut */
};

typedef void net_lives_fn(void *user, const struct elect_id *lost, enum elect_sign sign);

struct net_life;

/* NULL: no memory. */
struct net_life *net_life_new(struct event_base *base, net_lives_fn *lives, void *user);
void net_life_free(struct net_life *life);
/*
 * Looks for signs by that path, which must have a carrier; `ways` lead to the host `lost`. Signs
 * are reported later, never during this call, and possibly several times. Frames count from the
 * first call after net_life_forget(), or with another lost host.
 */
void net_life_try(struct net_life *life, const struct net_path *path, uint16_t port,
	const struct elect_ways *ways, const struct elect_id *lost);
/* Drops all questions and counts: a sign that has been found before is not reported any more. */
void net_life_forget(struct net_life *life);

#endif
