/* SPDX-License-Identifier: Apache-2.0 */
#include "notes.h"

#include <string.h>

static bool is_used(const struct net_chosen *c, const struct net_link *link)
{
	for (unsigned i = 0; i < c->paths_count; i++)
		if (c->paths[i].ifindex == link->ifindex)
			return true;
	return false;
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool has_wildcards(const char *pattern)
{
	return strpbrk(pattern, "*?[\\");
}

/* The first link with this name or matching this pattern; NULL: none. */
static const struct net_link *first_named(const struct net_chosen *c, const char *pattern)
{
	for (unsigned i = 0; i < c->links->count; i++)
		if (net_links_named(c->links, &c->links->items[i], pattern))
			return &c->links->items[i];
	return NULL;
}

/* The bridge, bond or team that takes the datagrams of a link; a VRF does not. */
static const struct net_link *holder_of(const struct net_chosen *c, const struct net_link *link)
{
	static const char *const kinds[] = { "bridge", "bond", "team" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(link->master_kind, kinds[i]))
			return net_links_find(c->links, link->master);
	return NULL;
}

/* False: there is nothing to report. */
static bool note_of_link(
	const struct net_chosen *c, const struct net_link *link, struct net_note *ret_note)
{
	const struct net_link *holder = holder_of(c, link);

	ret_note->other = holder ? holder->name : NULL;
	if (!(link->flags & IFF_UP))
		ret_note->kind = NET_NOTE_OFF;
	else if (holder)
		ret_note->kind = NET_NOTE_PORT;
	else if (!(link->flags & (IFF_MULTICAST | IFF_LOOPBACK)))
		ret_note->kind = NET_NOTE_NO_MULTICAST;
	else
		ret_note->kind = NET_NOTE_NO_ADDRESS;
	if (ret_note->kind == NET_NOTE_NO_ADDRESS && link->addressed & c->families)
		return false; /* it is left out, or its address is not used yet */
	return holder || !is_used(c, link);
}

static bool note_of_name(const struct net_chosen *c, const char *pattern, struct net_note *ret_note)
{
	const struct net_link *link = first_named(c, pattern);

	*ret_note = (struct net_note){ .name = pattern };
	if (!link) {
		ret_note->kind = has_wildcards(pattern) ? NET_NOTE_UNMATCHED : NET_NOTE_MISSING;
		return true;
	}
	return !has_wildcards(pattern) && note_of_link(c, link, ret_note);
}

/* `link` NULL: the link is gone meanwhile. */
static enum net_why why_used(const struct net_chosen *c, const struct net_link *link)
{
	if (c->patterns_count)
		return NET_WHY_NAMED;
	if (link && link->default_routes & c->families)
		return NET_WHY_DEFAULT_ROUTE;
	if (link && c->links->homes && net_homes_routed(c->links->homes, link->ifindex))
		return NET_WHY_FORMER_ROUTE;
	return link && link->other_defaults & c->families ? NET_WHY_OTHER_TABLE : NET_WHY_ETHERNET;
}

/* ---- the default choice ---------------------------------------------------------------------- */

static bool note_by_default(
	const struct net_chosen *c, const struct net_link *link, struct net_note *ret_note)
{
	bool routed = link->flags & IFF_UP && link->default_routes & c->families;

	*ret_note = (struct net_note){ .name = link->name };
	if (routed && link->class == NET_CLASS_TUNNEL)
		ret_note->kind = NET_NOTE_TUNNEL;
	else if (!c->paths_count && link->chosen && !(link->addressed & c->families))
		ret_note->kind = NET_NOTE_WAITS;
	else if (link->behind == NET_BEHIND_GUEST && is_used(c, link) &&
		why_used(c, link) == NET_WHY_ETHERNET)
		ret_note->kind = NET_NOTE_GUESTS;
	else
		return false;
	return true;
}

unsigned net_notes(const struct net_chosen *c, struct net_note ret_notes[NET_NOTES_MAX])
{
	unsigned count = 0;

	for (unsigned i = 0; i < c->patterns_count && count < NET_NOTES_MAX; i++)
		count += note_of_name(c, c->patterns[i], &ret_notes[count]);
	if (c->patterns_count)
		return count;
	for (unsigned i = 0; i < c->links->count && count < NET_NOTES_MAX; i++)
		count += note_by_default(c, &c->links->items[i], &ret_notes[count]);
	return count;
}

/* ---- paths in use ---------------------------------------------------------------------------- */

enum net_why net_why(const struct net_chosen *c, const struct net_path *path)
{
	return why_used(c, net_links_find(c->links, path->ifindex));
}

const char *net_vrf(const struct net_chosen *c, const struct net_path *path)
{
	const struct net_link *link = net_links_find(c->links, path->ifindex), *master;

	if (!link || strcmp(link->master_kind, "vrf") != 0)
		return NULL;
	master = net_links_find(c->links, link->master);
	return master ? master->name : NULL;
}
