/* SPDX-License-Identifier: Apache-2.0 */
/*
 * places: which client gets a place, that is one of the CTL_PLACES connections of the socket.
 *
 * Root, administrators, reporters and all other users have places of their own, so that none of
 * these groups can keep the others out. One administrator, or one of the other users, gets at most
 * a quarter of their places. If all places of a group are taken, the user with the most places
 * loses one to a user who has fewer. So a few users cannot shut out another one.
 *
 * Root and administrators also have reserved places. They are for holders, whose calls leadership
 * depends on, and for the calls by which an administrator finds and ends a problem. A client gets a
 * reserved place when no other one is left for it. At that time only its user is known, so its
 * behaviour decides later: holders and clients whose request waits here keep the place; all others,
 * including subscribers and clients in a Wait, lose it to the next client.
 */
#include "inside.h"

#include <event2/buffer.h>
#include <sys/socket.h>

enum { SUBUID_LEAST = 65536 }; /* smaller uids are those of the system and of its users */

enum pool {
	POOL_ROOT,
	POOL_ADMINS,
	POOL_REPORTERS,
	POOL_OTHERS,
	POOL_ROOT_KEPT,
	POOL_ADMINS_KEPT,
	POOLS
};

static const struct {
	unsigned all, user;
} limits[POOLS] = {
	[POOL_ROOT] = { CTL_PLACES_ROOT, CTL_PLACES_ROOT },
	[POOL_ADMINS] = { CTL_PLACES_ADMINS, CTL_PLACES_ADMINS / 4 },
	[POOL_REPORTERS] = { CTL_PLACES_REPORTERS, CTL_PLACES_REPORTERS },
	[POOL_OTHERS] = { CTL_PLACES_OTHERS, CTL_PLACES_OTHERS / 4 },
	[POOL_ROOT_KEPT] = { CTL_PLACES_KEPT, CTL_PLACES_KEPT },
	[POOL_ADMINS_KEPT] = { CTL_PLACES_KEPT, CTL_PLACES_KEPT / 4 },
};

static enum pool pool_of(const struct ctl_peer *peer)
{
	if (peer->kept)
		return peer->uid == 0 ? POOL_ROOT_KEPT : POOL_ADMINS_KEPT;
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

/*
 * The newest client of the user with the most places, if that user has more than `least`. Holders
 * are never taken, because leadership waits for them.
 */
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

/* True if the client has read its last answer and no complete request of it waits. */
static bool is_idle(const struct client *c)
{
	char byte;

	return c->input.scanned == c->input.used && !evbuffer_get_length(c->output) &&
		recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0;
}

/* The idle client that came first; if `user` is not NULL, among the clients of that user. */
static struct client *oldest_idle(struct ctl *ctl, enum pool pool, const uid_t *user)
{
	struct client *found = NULL;

	for (unsigned i = 0; i < CTL_PLACES; i++) {
		struct client *c = &ctl->clients[i];

		if (is_in(c, pool) && !c->holder[0] && (!user || c->user == *user) && is_idle(c) &&
			(!found || c->number < found->number))
			found = c;
	}
	return found;
}

static bool make_place(struct ctl *ctl, const struct ctl_peer *peer, uid_t user)
{
	enum pool pool = pool_of(peer);
	unsigned own = count(ctl, pool, user);
	bool has_all = own >= limits[pool].user;
	struct client *goes;

	if (!has_all && count_all(ctl, pool) < limits[pool].all)
		return true;
	if (peer->kept)
		goes = oldest_idle(ctl, pool, has_all ? &user : NULL);
	else
		goes = has_all ? NULL : newest_of_most(ctl, pool, own + 1);
	if (goes)
		client_displace(goes);
	return goes;
}

struct client *place_for(struct ctl *ctl, struct ctl_peer *peer, uid_t user)
{
	bool any = make_place(ctl, peer, user);

	if (!any && peer->admin) {
		peer->kept = true;
		any = make_place(ctl, peer, user);
	}
	for (unsigned i = 0; any && i < CTL_PLACES; i++)
		if (!ctl->clients[i].ctl)
			return &ctl->clients[i];
	return NULL;
}
