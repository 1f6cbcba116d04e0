/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ways: see ways.h.
 */
#include "ways.h"
#include "families.h"
#include "send.h"
#include "core/messages.h"
#include "core/elect_view.h"

#include <assert.h>
#include <string.h>

enum {
	REDIRECT_US = 1000000,
};

/* ---- links ----------------------------------------------------------------------------------- */

void ways_clear(struct host *h)
{
	h->links_count = 0;
	h->reach = (struct host_reach){ 0 };
	memset(h->redirected, 0, sizeof(h->redirected));
	routes_clear(&h->routes);
}

static enum routes_link link_state(const void *user, uint32_t number)
{
	const struct host *h = user;
	int link = links_find(h->links, h->links_count, number);

	if (link < 0)
		return ROUTES_LINK_GONE;
	return h->links[link].carrier ? ROUTES_LINK_UP : ROUTES_LINK_DOWN;
}

/* Copies of this process may differ only in addresses, and their Challenges must differ. */
static void stir_in(struct host *h, const struct host_link *links, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (!links_own(h->links, h->links_count, &links[i].own))
			h->trust.rng.state ^= links_salt(&links[i].own) | i;
}

void host_set_links(struct host *h, const struct host_link *links, unsigned count)
{
	assert(count <= HOST_LINKS_MAX);
	stir_in(h, links, count);
	memcpy(h->links, links, count * sizeof(*links));
	h->links_count = count;
	routes_follow_links(&h->routes, link_state, h);
}

void host_set_reach(struct host *h, const struct host_reach *reach)
{
	h->reach = *reach;
}

static bool is_wide(const struct host *h)
{
	return h->reach.named.count || h->reach.routers;
}

bool ways_ours(const struct host *h, const struct elect_address *a)
{
	for (unsigned i = 0; i < h->links_count; i++)
		if (elect_address_same_host(&h->links[i].own, a))
			return true;
	return false;
}

struct trust_arrival ways_arrival(const struct host *h)
{
	const struct elect_way *way = &h->way;
	int link = links_find(h->links, h->links_count, way->link);

	return (struct trust_arrival){
		.from = way->address,
		.own = links_own(h->links, h->links_count, &way->address),
		.link = (link < 0 ? 0 : (unsigned)link) + (h->alone ? TRUST_LINKS / 2 : 0),
	};
}

/* ---- what may be used ------------------------------------------------------------------------ */

/*
 * A holder of the key, and anybody if there is no key, could have datagrams sent to any address. So
 * an address from a message is used only if it is on one of our LANs; or, if hosts elsewhere are
 * configured and a key of a file sealed the message, if it can be a host's.
 */
static bool is_usable(const struct host *h, uint8_t key_id, const struct elect_address *a)
{
	if (links_reach(h->links, h->links_count, a))
		return true;
	return is_wide(h) && key_id && a->port && elect_address_is_hosts(a) && !ways_ours(h, a);
}

void ways_forget_unusable(const struct host *h, struct elect_msg *m)
{
	if (!is_usable(h, m->key_id, &m->inviter_at))
		m->inviter_at = (struct elect_address){ 0 };
}

/* A source outside the LAN of its link can be answered if it is in no other LAN of ours. */
static bool may_answer(const struct host *h)
{
	const struct elect_address *a = &h->way.address;

	if (links_lead(h->links, h->links_count, &h->way))
		return true;
	return is_wide(h) && links_find(h->links, h->links_count, h->way.link) >= 0 &&
		!links_to(h->links, h->links_count, h->way.link, a) && elect_address_is_hosts(a);
}

/* ---- reports of other hosts ------------------------------------------------------------------ */

/* No report moves a verified session. One that is vouched for may replace an unverified one. */
static bool keeps_paths(const struct host *h, uint64_t known, const struct elect_session *who)
{
	if (!known || known == who->session || trust_proven(&h->trust, &who->id, who->session))
		return false;
	return trust_proven(&h->trust, &who->id, known) ||
		!trust_vouched(&h->trust, &who->id, who->session);
}

/* The address is reported by a believed message. On one of our LANs it is a hint; elsewhere it is a
   hint for one datagram. */
static void hint(struct host *h, uint64_t now_us, const struct elect_session *who,
	const struct elect_address *at)
{
	struct elect_way way = { *at, links_to(h->links, h->links_count, h->way.link, at) };
	uint64_t known = routes_session(&h->routes, now_us, &who->id);
	bool elsewhere = !way.link;

	if (!is_usable(h, h->heard.key_id, at) || keeps_paths(h, known, who))
		return;
	if (elsewhere)
		way.link = h->way.link;
	routes_hint(&h->routes, now_us, who, &way, elsewhere);
}

/* The inviter of a forwarded Invitation may not have been heard yet. */
void ways_inviter(struct host *h, uint64_t now_us)
{
	const struct elect_msg *m = &h->heard;
	const struct elect_session who = { m->inviter.id, m->inviter.session };

	if (m->type == ELECT_INVITATION && !elect_id_equal(&m->sender, &who.id))
		hint(h, now_us, &who, &m->inviter_at);
}

/* A host that gets what this host sends to all, and follows another coordinator, reports where that
   one is. */
static void note_redirect(struct host *h, uint64_t now_us)
{
	const struct elect_redirect *g = &h->heard.guide;
	const struct elect_session who = { g->id, g->session };

	if (h->heard.type != ELECT_CHALLENGE_ANSWER || !g->session ||
		elect_id_equal(&g->id, &h->trust.self))
		return;
	hint(h, now_us, &who, &g->at);
	if (!routes_session(&h->routes, now_us, &g->id))
		routes_to_all_came(&h->routes, now_us, &g->id, true);
}

/*
 * If multicast does not reach all hosts, some members are known from the list only. The list has
 * the address that users are shown, perhaps without a port; then the first port is taken, which the
 * only instance of a host uses.
 */
void ways_listed(struct host *h, uint64_t now_us)
{
	const struct elect *e = host_elect(h);

	for (unsigned i = 0; is_wide(h) && i < elect_members_count(e); i++) {
		struct elect_member_info info;
		struct elect_session who;

		elect_member_at(e, i, &info);
		who = (struct elect_session){ info.member.id, info.member.session };
		if (!info.member.address.port)
			info.member.address.port = h->reach.named.port_first;
		if (!elect_id_equal(&who.id, &h->trust.self))
			hint(h, now_us, &who, &info.member.address);
	}
}

/* ---- what is heard --------------------------------------------------------------------------- */

static void note_way(struct host *h, uint64_t now_us, bool answers)
{
	const struct elect_session who = { h->header.sender, h->header.session };

	if (!may_answer(h))
		return;
	h->asks = routes_heard(&h->routes, now_us, &who, &h->way, answers);
	if (h->header.to_all && !h->alone)
		routes_cast(&h->routes, now_us, &who.id, &h->way);
	if (h->header.type == ELECT_CHALLENGE_ANSWER)
		routes_answered(&h->routes, now_us, &who.id, &h->way, &h->header.transaction);
}

/* Users are shown one address as long as the host is heard there, whichever path was used last. */
static struct elect_address told_at(
	const struct host *h, uint64_t now_us, const struct elect_id *id)
{
	const struct elect_way *way = routes_told(&h->routes, now_us, id);

	return way ? way->address : h->way.address;
}

void ways_learn(struct host *h, uint64_t now_us)
{
	struct elect_msg *m = &h->heard;

	note_way(h, now_us, m->asked_us);
	routes_believed(&h->routes, now_us, &m->sender, &h->way);
	if (h->header.to_all)
		routes_to_all_came(&h->routes, now_us, &m->sender, h->alone);
	if (elect_message_may_say(m, FIELD_ADDRESS))
		routes_said(&h->routes, &m->sender, &m->address);
	if (elect_message_row(m->type)->traits & MESSAGE_BEACON)
		routes_spares(&h->routes, now_us, &m->sender, m->family);
	m->families = families_enough(h, &m->hears);
	m->from = told_at(h, now_us, &m->sender);
	note_redirect(h, now_us);
}

void ways_hear(struct host *h, uint64_t now_us)
{
	note_way(h, now_us, false);
}

/* So a replay can have datagrams sent to a member in addition, but cannot keep any from it. */
void ways_of_known(struct host *h, uint64_t now_us)
{
	note_way(h, now_us, false);
	if (h->header.to_all && h->alone)
		routes_to_all_came(&h->routes, now_us, &h->heard.sender, true);
}

/* ---- to reach others ------------------------------------------------------------------------- */

static bool is_listed(const void *user, const struct elect_id *id)
{
	return elect_lists(host_elect(user), id);
}

unsigned host_to_all(struct host *h, uint64_t now_us, struct elect_way ret_ways[HOST_ALL_MAX])
{
	struct named *named = &h->reach.named;
	unsigned count = routes_to_all(
		&h->routes, now_us, !named->count, is_listed, h, ret_ways, HOST_ALL_MAX);

	return named_ways(named, now_us, &h->routes, ret_ways, count, HOST_ALL_MAX);
}

uint64_t host_peer_heard_us(const struct host *h, unsigned at)
{
	return named_heard_us(&h->routes, &h->reach.named.list[at].address);
}

uint32_t host_peer_link(const struct host *h, unsigned at)
{
	return h->reach.named.list[at].link;
}

void host_ways(
	struct host *h, uint64_t now_us, const struct elect_id *id, struct elect_ways *ret_ways)
{
	routes_to(&h->routes, now_us, id, true, ret_ways);
}

const struct elect_way *host_way(const struct host *h, uint64_t now_us, const struct elect_id *id)
{
	return routes_told(&h->routes, now_us, id);
}

unsigned host_ways_list(const struct host *h, const struct elect_id *id,
	struct elect_way_info ret_list[ELECT_WAYS_MAX])
{
	return routes_list(&h->routes, id, ret_list);
}

/* ---- redirects ------------------------------------------------------------------------------- */

static bool may_redirect(struct host *h, uint64_t now_us)
{
	struct host_redirected *g = NULL;

	for (unsigned i = 0; i < REDIRECTED_MAX; i++)
		if (h->redirected[i].at_us &&
			elect_id_equal(&h->redirected[i].id, &h->header.sender))
			g = &h->redirected[i];
	if (g && now_us - g->at_us < REDIRECT_US)
		return false;
	if (!g)
		g = &h->redirected[h->redirected_next++ % REDIRECTED_MAX];
	*g = (struct host_redirected){ h->header.sender, now_us };
	return true;
}

/*
 * A host that announces itself to this host alone may know no other host. A host that announces
 * itself by multicast may not reach our coordinator, if that one is not reached by multicast. Both
 * get a redirect. It costs no more than a Challenge.
 */
void ways_redirect(struct host *h, uint64_t now_us, struct elect_actions *actions)
{
	const struct wire_header *header = &h->header;
	struct elect_view view;
	struct elect_send *send;

	if (!header->to_all ||
		!(elect_message_row(header->type)->traits & (MESSAGE_GREETS | MESSAGE_BEACON)))
		return;
	elect_view(host_elect(h), &view);
	if (!h->alone && !routes_is_apart(&h->routes, now_us, &view.group.coordinator))
		return;
	if (view.state != ELECT_NORMAL || elect_id_equal(&view.group.coordinator, &h->trust.self) ||
		elect_id_equal(&view.group.coordinator, &header->sender) ||
		!routes_best(&h->routes, now_us, &view.group.coordinator) ||
		!may_redirect(h, now_us))
		return;
	send = send_back(h, actions, ELECT_CHALLENGE_ANSWER, &header->transaction);
	send->redirects = true;
}
