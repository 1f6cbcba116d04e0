/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links: see net/links.h. Must not know netlink.
 */
#include "links.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_FIRST = 64 };

/* ---- memory ---------------------------------------------------------------------------------- */

/* Room for `more` items. False: `max` does not allow them, or there is no memory. */
static bool make_room(struct net_links *links, void **items, unsigned count, unsigned more,
	unsigned *room, unsigned max, size_t size)
{
	unsigned wanted = *room ? *room : ROOM_FIRST;
	void *grown;

	if (more > max || count > max - more) {
		links->cut++;
		return false;
	}
	while (wanted < count + more)
		wanted *= 2;
	if (wanted == *room)
		return true;
	grown = realloc(*items, wanted * size);
	if (!grown) {
		links->error = -ENOMEM;
		return false;
	}
	*items = grown;
	*room = wanted;
	return true;
}

void net_links_empty(struct net_links *links)
{
	links->count = links->addresses_count = links->defaults_count = links->altnames_size = 0;
	links->cut = 0;
	links->error = 0;
}

void net_links_clear(struct net_links *links)
{
	free(links->items);
	free(links->addresses);
	free(links->defaults);
	free(links->altnames);
	*links = (struct net_links){ 0 };
}

bool net_links_add(struct net_links *links, const struct net_link *link)
{
	void *items = links->items;
	bool fits = make_room(
		links, &items, links->count, 1, &links->room, NET_LINKS_MAX, sizeof(*link));

	links->items = items;
	if (fits)
		links->items[links->count++] = *link;
	return fits;
}

bool net_links_add_address(struct net_links *links, const struct net_address *address)
{
	void *items = links->addresses;
	bool fits = make_room(links, &items, links->addresses_count, 1, &links->addresses_room,
		NET_ADDRESSES_MAX, sizeof(*address));

	links->addresses = items;
	if (fits)
		links->addresses[links->addresses_count++] = *address;
	return fits;
}

bool net_links_add_default(struct net_links *links, const struct net_default *route)
{
	void *items = links->defaults;
	bool fits = make_room(links, &items, links->defaults_count, 1, &links->defaults_room,
		NET_DEFAULTS_MAX, sizeof(*route));

	links->defaults = items;
	if (fits)
		links->defaults[links->defaults_count++] = *route;
	return fits;
}

/* The NUL that ends the list of a link is overwritten by its next name. Place 0 means none. */
bool net_links_add_altname(struct net_links *links, const char *name, unsigned *first)
{
	unsigned at =
		*first ? links->altnames_size - 1 : links->altnames_size + !links->altnames_size;
	size_t size = strlen(name) + 1;
	void *items = links->altnames;
	bool fits = size > 1 && size <= NET_ALTNAMES_SIZE_MAX &&
		make_room(links, &items, at, (unsigned)size + 1, &links->altnames_room,
			NET_ALTNAMES_SIZE_MAX, 1);

	links->altnames = items;
	if (!fits)
		return false;
	memcpy(links->altnames + at, name, size);
	links->altnames[at + size] = '\0';
	links->altnames_size = at + (unsigned)size + 1;
	*first = *first ? *first : at;
	return true;
}

/* ---- finding --------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const struct net_link *x = a, *y = b;

	return (x->ifindex > y->ifindex) - (x->ifindex < y->ifindex);
}

const struct net_link *net_links_find(const struct net_links *links, unsigned ifindex)
{
	const struct net_link key = { .ifindex = ifindex };

	return links->count ? bsearch(&key, links->items, links->count, sizeof(key), compare)
			    : NULL;
}

static struct net_link *find(struct net_links *links, unsigned ifindex)
{
	return (struct net_link *)net_links_find(links, ifindex);
}

static bool matches(const struct net_link *link, const char *name, const char *pattern)
{
	/* "*" does not mean the loopback. */
	return link->flags & IFF_LOOPBACK ? !strcmp(pattern, name) : !fnmatch(pattern, name, 0);
}

bool net_links_named(
	const struct net_links *links, const struct net_link *link, const char *pattern)
{
	const char *name = link->altnames ? links->altnames + link->altnames : "";

	if (matches(link, link->name, pattern))
		return true;
	for (; *name; name += strlen(name) + 1)
		if (matches(link, name, pattern))
			return true;
	return false;
}

/* ---- what the one says of the other ---------------------------------------------------------- */

void net_links_complete(struct net_links *links)
{
	struct net_link *link;

	if (links->count)
		qsort(links->items, links->count, sizeof(links->items[0]), compare);
	for (unsigned i = 0; i < links->count; i++)
		links->items[i].default_routes = links->items[i].other_defaults =
			links->items[i].addressed = links->items[i].routable = 0;
	for (unsigned i = 0; i < links->addresses_count; i++) {
		const struct net_address *a = &links->addresses[i];

		link = find(links, a->ifindex);
		if (!link)
			continue;
		link->addressed |= net_family(a->address.family);
		if (!net_address_link_local(&a->address))
			link->routable |= net_family(a->address.family);
	}
	for (unsigned i = 0; i < links->defaults_count; i++) {
		const struct net_default *route = &links->defaults[i];

		link = find(links, route->ifindex);
		if (!link)
			continue;
		if (route->main)
			link->default_routes |= route->family;
		else
			link->other_defaults |= route->family;
	}
	net_behind(links);
}
