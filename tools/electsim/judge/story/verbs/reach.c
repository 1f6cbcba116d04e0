/* SPDX-License-Identifier: Apache-2.0 */
/* reach: verbs for what hosts know of each other where multicast does not reach all of them. */
#include <errno.h>

#include "inside.h"

/* "multicast 4..10 off" */
int verbs_multicast(struct story *st, struct words *w)
{
	unsigned first, last;
	bool on;

	if (words_hosts(st, w, &first, &last) < 0 || words_on_off(w, &on) < 0)
		return -EINVAL;
	for (; first <= last; first++) {
		struct sim_host *h = st->s->hosts[first];

		h->multicast = on ? h->multicast | st->lans : h->multicast & ~st->lans;
	}
	return 0;
}

/* "gateway router", "gateway router 1 2" (only these reach it), "gateway host 3", "gateway none" */
int verbs_gateway(struct story *st, struct words *w)
{
	unsigned first, last;
	struct sim_host *h;

	st->s->gateway = SIM_GATEWAY_NONE;
	if (words_take(w, "none"))
		return 0;
	if (words_take(w, "host")) {
		if (words_host(st, w, &h) < 0)
			return -EINVAL;
		st->s->gateway = SIM_GATEWAY_HOST;
		st->s->gateway_host = h;
		return 0;
	}
	if (!words_take(w, "router"))
		return -EINVAL;
	st->s->gateway = SIM_GATEWAY_ROUTER;
	for (unsigned i = 0; i < st->s->hosts_count; i++)
		st->s->hosts[i]->gateway_near = words_end(w);
	while (!words_end(w)) {
		if (words_hosts(st, w, &first, &last) < 0)
			return -EINVAL;
		for (; first <= last; first++)
			st->s->hosts[first]->gateway_near = true;
	}
	return 0;
}

/* "noise 1 every 10ms", "noise all off" */
int verbs_noise(struct story *st, struct words *w)
{
	unsigned first, last;
	uint64_t us = 0;

	if (words_hosts(st, w, &first, &last) < 0)
		return -EINVAL;
	if (!words_take(w, "off") && (!words_take(w, "every") || words_time(w, &us) < 0 || us == 0))
		return -EINVAL;
	for (; first <= last; first++)
		st->s->hosts[first]->noise_us = us;
	return 0;
}

/* "peers all 1..3", "peers 2 5 7": no host is its own peer. */
int verbs_peers(struct story *st, struct words *w)
{
	unsigned first, last, from, to;

	if (words_hosts(st, w, &first, &last) < 0)
		return -EINVAL;
	for (unsigned i = first; i <= last; i++)
		st->s->hosts[i]->reach.named.count = 0;
	while (!words_end(w)) {
		if (words_hosts(st, w, &from, &to) < 0)
			return -EINVAL;
		for (; from <= to; from++)
			for (unsigned i = first; i <= last; i++)
				if (i != from)
					sim_name_peer(st->s->hosts[i], st->s->hosts[from]);
	}
	for (unsigned i = first; i <= last; i++)
		world_reach(st->s, st->s->hosts[i]);
	return 0;
}

/* "port 2 7546" */
int verbs_port(struct story *st, struct words *w)
{
	struct sim_host *h;
	uint64_t n;

	if (words_host(st, w, &h) < 0 || words_number(w, &n) < 0 || n == 0 || n > UINT16_MAX)
		return -EINVAL;
	for (unsigned lan = 0; lan < SIM_LANS_MAX; lan++)
		h->addresses[lan].port = (uint16_t)n;
	world_reach(st->s, h);
	return 0;
}

/* "subnet 4..6 2" */
int verbs_subnet(struct story *st, struct words *w)
{
	unsigned first, last;
	uint64_t n;

	if (words_hosts(st, w, &first, &last) < 0 || words_number(w, &n) < 0 || n > UINT8_MAX)
		return -EINVAL;
	for (; first <= last; first++) {
		struct sim_host *h = st->s->hosts[first];

		h->prefix = 24;
		for (unsigned lan = 0; lan < SIM_LANS_MAX; lan++)
			h->addresses[lan].bytes[2] = (uint8_t)n;
		world_reach(st->s, h);
	}
	return 0;
}

/* "routers all on" */
int verbs_routers(struct story *st, struct words *w)
{
	unsigned first, last;
	bool on;

	if (words_hosts(st, w, &first, &last) < 0 || words_on_off(w, &on) < 0)
		return -EINVAL;
	for (; first <= last; first++) {
		st->s->hosts[first]->reach.routers = on;
		world_reach(st->s, st->s->hosts[first]);
	}
	return 0;
}
