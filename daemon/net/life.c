/* SPDX-License-Identifier: Apache-2.0 */
/* life: see net/life.h. Nothing here may wait for RTNL (route.h), which a driver holds for long. */
#include "life.h"

#include "echo.h"
#include "frames.h"
#include "route.h"

#include <event2/event.h>
#include <stdlib.h>
#include <string.h>

/* The tries by one path. */
struct tried {
	uint32_t link;	    /* 0: the entry is free */
	unsigned frames_at; /* as in the path; 0: the frames are not counted */
	bool own;	    /* the frames are those of the path's own interface */
	bool counted;	    /* `from` is set */
	uint64_t from;	    /* frames before the first try */
	bool found;	    /* enough frames, not reported yet */
};

/* A member has one coordinator, so the tries for one lost host are kept. */
struct net_life {
	net_lives_fn *lives;
	void *user;
	struct elect_id lost;
	struct tried tried[NET_PATHS_MAX];
	struct event *report;
	struct net_echoes *gateways;
};

/* ---- frames ---------------------------------------------------------------------------------- */

/* The frames since the first try; 0 also if they are not counted. */
static uint64_t frames_since(struct tried *t)
{
	uint64_t frames;

	if (!net_frames(t->frames_at, &frames))
		return 0;
	/* fewer than before: the interface was made again */
	if (!t->counted || frames < t->from) {
		t->from = frames;
		t->counted = true;
	}
	return frames - t->from;
}

static void net_on_report(evutil_socket_t fd, short what, void *user)
{
	struct net_life *life = user;

	(void)fd;
	(void)what;
	for (unsigned i = 0; i < NET_PATHS_MAX; i++) {
		const struct elect_id lost = life->lost;

		if (!life->tried[i].found)
			continue;
		life->tried[i].found = false;
		life->lives(life->user, &lost, ELECT_SIGN_FRAMES);
	}
}

/* ---- the gateway ----------------------------------------------------------------------------- */

static struct tried *find(struct net_life *life, uint32_t link)
{
	for (unsigned i = 0; i < NET_PATHS_MAX; i++)
		if (life->tried[i].link == link)
			return &life->tried[i];
	return NULL;
}

static void net_on_gateway(void *user, const struct elect_id *lost, uint32_t link)
{
	struct net_life *life = user;
	struct tried *t = find(life, link);

	if (!t || (t->frames_at && !t->own && !frames_since(t)))
		return; /* perhaps a guest of this machine */
	life->lives(life->user, lost, ELECT_SIGN_GATEWAY);
}

static bool is_one_of(const struct elect_address *a, const struct elect_ways *ways)
{
	for (unsigned i = 0; i < ways->count; i++)
		if (elect_address_same_host(&ways->items[i].address, a))
			return true;
	return false;
}

static void ask_gateway(struct net_life *life, const struct net_path *path, uint16_t port,
	const struct elect_ways *ways)
{
	struct elect_address gateway;

	if (!net_route_gateway(path->address.family, path->ifindex, &gateway) ||
		is_one_of(&gateway, ways) || net_route_is_own(&gateway, path->ifindex))
		return;
	gateway.port = port;
	net_echoes_ask(life->gateways, path, &gateway, 0, &life->lost);
}

/* ---- tries ----------------------------------------------------------------------------------- */

/* The entry of that path; NULL: other paths, of which some are gone, have all entries. */
static struct tried *entry_of(struct net_life *life, const struct net_path *path)
{
	struct tried *t = find(life, path->link);

	t = t ? t : find(life, 0);
	if (t && (t->link != path->link || t->frames_at != path->frames_at))
		*t = (struct tried){ .link = path->link,
			.frames_at = path->frames_at,
			.own = path->frames_at == path->ifindex };
	return t;
}

void net_life_try(struct net_life *life, const struct net_path *path, uint16_t port,
	const struct elect_ways *ways, const struct elect_id *lost)
{
	struct tried *t;

	if (!elect_id_equal(&life->lost, lost))
		net_life_forget(life);
	life->lost = *lost;
	t = entry_of(life, path);
	if (t && frames_since(t) >= NET_LIFE_FRAMES) {
		t->found = true;
		event_active(life->report, EV_TIMEOUT, 0);
	}
	ask_gateway(life, path, port, ways);
}

void net_life_forget(struct net_life *life)
{
	memset(life->tried, 0, sizeof(life->tried));
	net_echoes_forget(life->gateways);
}

struct net_life *net_life_new(struct event_base *base, net_lives_fn *lives, void *user)
{
	struct net_life *life = calloc(1, sizeof(*life));

	if (!life)
		return NULL;
	life->lives = lives;
	life->user = user;
	life->report = event_new(base, -1, 0, net_on_report, life);
	life->gateways = net_echoes_new(base, true, net_on_gateway, life);
	if (life->report && life->gateways)
		return life;
	net_life_free(life);
	return NULL;
}

void net_life_free(struct net_life *life)
{
	if (!life)
		return;
	if (life->report)
		event_free(life->report);
	net_echoes_free(life->gateways);
	free(life);
}
