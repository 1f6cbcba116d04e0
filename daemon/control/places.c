/* SPDX-License-Identifier: Apache-2.0 */
/*
 * places: who gets a place on the control socket.
 *
 * Root, administrators, reporters and everybody else have places of their own, so that none of them
 * can keep the others out. Of those that are not root's one user has a quarter at most, and who has
 * most of them makes room for who has fewer: a few users cannot hold them all against one more.
 *
 * Root and administrators have some more, which are kept for holders, on whose calls leadership
 * depends, and for the calls by which an administrator finds out what is wrong and ends it. A
 * client gets one of them when no other place is left for it. Nothing is known of it then but its
 * user, so what it does decides: a holder stays, and so does a client whose request waits here; all
 * others, those who watch or wait for something among them, make room for the next one.
 */
#include "inside.h"

#include <event2/buffer.h>
#include <sys/socket.h>

enum { SUBUID_LEAST = 65536 }; /* below it are users of the system itself and of people */

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

/* No whole request of it waits to be served, and it has read its last answer. */
static bool is_idle(const struct client *c)
{
	char byte;

	return c->input.scanned == c->input.used && !evbuffer_get_length(c->output) &&
		recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0;
}

/* The one that came first; `user`, not NULL: of that user. */
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

/* False: there is no place, and no client makes room. */
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
