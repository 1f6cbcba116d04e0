/* SPDX-License-Identifier: Apache-2.0 */
/*
 * places: who gets a place on the control socket.
 *
 * Root, administrators, reporters and everybody else have places of their own, so that none of them
 * can keep the others out. Of those that are not root's one user has a quarter at most, and who has
 * most of them makes room for who has fewer: a few users cannot hold them all against one more.
 */
#include "inside.h"

enum { SUBUID_LEAST = 65536 }; /* below it are users of the system itself and of people */

enum pool { POOL_ROOT, POOL_ADMINS, POOL_REPORTERS, POOL_OTHERS, POOLS };

static const struct {
	unsigned all, user;
} limits[POOLS] = {
	[POOL_ROOT] = { CTL_PLACES_ROOT, CTL_PLACES_ROOT },
	[POOL_ADMINS] = { CTL_PLACES_ADMINS, CTL_PLACES_ADMINS / 4 },
	[POOL_REPORTERS] = { CTL_PLACES_REPORTERS, CTL_PLACES_REPORTERS },
	[POOL_OTHERS] = { CTL_PLACES_OTHERS, CTL_PLACES_OTHERS / 4 },
};

static enum pool pool_of(const struct ctl_peer *peer)
{
	return peer->uid == 0	 ? POOL_ROOT
		: peer->admin	 ? POOL_ADMINS
		: peer->reporter ? POOL_REPORTERS
				 : POOL_OTHERS;
}

uid_t place_user(struct ctl *ctl, uid_t uid)
{
	if (uid < SUBUID_LEAST)
		return uid;
	subuid_refresh(&ctl->subuid, SUBUID_RANGES, SUBUID_USERS);
	return subuid_user(&ctl->subuid, uid);
}

static bool is_in(const struct client *c, enum pool pool)
{
	return c->ctl && pool_of(&c->peer) == pool;
}

static unsigned count(const struct ctl *ctl, enum pool pool, uid_t user)
{
	unsigned own = 0;

	for (unsigned i = 0; i < CTL_PLACES; i++)
		own += is_in(&ctl->clients[i], pool) && ctl->clients[i].user == user;
	return own;
}

static unsigned count_all(const struct ctl *ctl, enum pool pool)
{
	unsigned all = 0;

	for (unsigned i = 0; i < CTL_PLACES; i++)
		all += is_in(&ctl->clients[i], pool);
	return all;
}

/* The newest client of who has most, if that is more than `least`; leadership waits for holders. */
static struct client *newest_of_most(struct ctl *ctl, enum pool pool, unsigned least)
{
	struct client *found = NULL;

	for (unsigned i = 0; i < CTL_PLACES; i++) {
		struct client *c = &ctl->clients[i];
		unsigned own;

		if (!is_in(c, pool) || c->holder[0])
			continue;
		own = count(ctl, pool, c->user);
		if (own > least || (found && own == least && c->number > found->number)) {
			least = own;
			found = c;
		}
	}
	return found;
}

struct client *place_for(struct ctl *ctl, const struct ctl_peer *peer, uid_t user)
{
	enum pool pool = pool_of(peer);
	unsigned own = count(ctl, pool, user);
	struct client *most;

	if (own >= limits[pool].user)
		return NULL;
	if (count_all(ctl, pool) == limits[pool].all) {
		most = newest_of_most(ctl, pool, own + 1);
		if (!most)
			return NULL;
		client_displace(most);
	}
	for (unsigned i = 0; i < CTL_PLACES; i++)
		if (!ctl->clients[i].ctl)
			return &ctl->clients[i];
	return NULL;
}
