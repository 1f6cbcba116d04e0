/* SPDX-License-Identifier: Apache-2.0 */
/* links: see net/links.h. It does not know netlink. */
#include "links.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_FIRST = 64 };

/* ---- memory ---------------------------------------------------------------------------------- */

/* Grows the array for `more` items. False: `max` is exceeded, or there is no memory. */
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
	links->unsorted = false;
	links->row_ifindex = links->row_count = 0;
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
	if (!fits)
		return false;
	links->unsorted = true;
	links->items[links->count++] = *link;
	return true;
}

/* Counts the addresses in a row that have one link and family: a dump goes link by link. */
static unsigned count_row(struct net_links *links, const struct net_address *address)
{
	if (links->row_ifindex != address->ifindex || links->row_family != address->address.family)
		links->row_count = 0;
	links->row_ifindex = address->ifindex;
	links->row_family = address->address.family;
	return links->row_count++;
}

/* An interface without multicast is of no use, and bridge ports do not use IPv6. */
static bool can_be_used(const struct net_link *link, uint8_t family, unsigned in_row)
{
	if (link->flags & IFF_LOOPBACK)
		return family == 4 && in_row < NET_LOOPBACK_ADDRESSES_MAX;
	return link->flags & IFF_MULTICAST &&
		(family == 4 || strcmp(link->master_kind, "bridge") != 0);
}

bool net_links_add_address(struct net_links *links, const struct net_address *address)
{
	const struct net_link *link = net_links_find(links, address->ifindex);
	unsigned in_row = count_row(links, address);
	void *items = links->addresses;
	bool fits;

	if (link && !can_be_used(link, address->address.family, in_row))
		return true;
	if (in_row >= NET_LINK_ADDRESSES_MAX) {
		links->cut++;
		return false;
	}
	fits = make_room(links, &items, links->addresses_count, 1, &links->addresses_room,
		NET_ADDRESSES_MAX, sizeof(*address));
	links->addresses = items;
	if (fits)
		links->addresses[links->addresses_count++] = *address;
	return fits;
}

static bool has_default(const struct net_links *links, const struct net_default *route)
{
	for (unsigned i = 0; i < links->defaults_count; i++) {
		const struct net_default *d = &links->defaults[i];

		if (d->ifindex == route->ifindex && d->nexthop == route->nexthop &&
			d->family == route->family && d->main == route->main)
			return true;
	}
	return false;
}

bool net_links_add_default(struct net_links *links, const struct net_default *route)
{
	void *items = links->defaults;
	bool fits;

	if (has_default(links, route))
		return true;
	fits = make_room(links, &items, links->defaults_count, 1, &links->defaults_room,
		NET_DEFAULTS_MAX, sizeof(*route));
	links->defaults = items;
	if (fits)
		links->defaults[links->defaults_count++] = *route;
	return fits;
}

/* The next name of a link overwrites the NUL that ends its list. Offset 0 means none. */
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

	for (unsigned i = 0; links->unsorted && i < links->count; i++)
		if (links->items[i].ifindex == ifindex)
			return &links->items[i];
	return links->count && !links->unsorted
		? bsearch(&key, links->items, links->count, sizeof(key), compare)
		: NULL;
}

static struct net_link *find(struct net_links *links, unsigned ifindex)
{
	return (struct net_link *)net_links_find(links, ifindex);
}

static bool matches(const struct net_link *link, const char *name, const char *pattern)
{
	/* "*" does not match the loopback */
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

/* ---- combining ------------------------------------------------------------------------------- */

/* If links change during a dump, the dump may contain one link twice. */
void net_links_sort(struct net_links *links)
{
	unsigned kept = 0;

	if (!links->unsorted)
		return;
	qsort(links->items, links->count, sizeof(links->items[0]), compare);
	for (unsigned i = 0; i < links->count; i++)
		if (!kept || links->items[kept - 1].ifindex != links->items[i].ifindex)
			links->items[kept++] = links->items[i];
	links->count = kept;
	links->unsorted = false;
	net_behind(links);
}

/* The kernel dumps addresses family by family. This groups them by link and keeps their order. */
static void group_addresses(struct net_links *links)
{
	struct net_address *grouped = malloc((links->addresses_count + 1) * sizeof(*grouped));
	unsigned first = 0;
	struct net_link *link;

	if (!grouped) {
		links->error = -ENOMEM;
		return;
	}
	for (unsigned i = 0; i < links->addresses_count; i++) {
		link = find(links, links->addresses[i].ifindex);
		if (link)
			link->addresses_count++;
	}
	for (unsigned i = 0; i < links->count; i++) {
		links->items[i].addresses_first = first;
		first += links->items[i].addresses_count;
		links->items[i].addresses_count = 0;
	}
	for (unsigned i = 0; i < links->addresses_count; i++) {
		link = find(links, links->addresses[i].ifindex);
		if (link)
			grouped[link->addresses_first + link->addresses_count++] =
				links->addresses[i];
	}
	free(links->addresses);
	links->addresses = grouped;
	links->addresses_room = links->addresses_count + 1;
	links->addresses_count = first;
}

static void tell_addresses(struct net_links *links)
{
	for (unsigned i = 0; i < links->count; i++) {
		struct net_link *link = &links->items[i];
		const struct net_address *all = links->addresses + link->addresses_first;

		for (unsigned j = 0; j < link->addresses_count; j++) {
			unsigned family = net_family(all[j].address.family);

			link->addressed |= family;
			link->routable |= net_address_link_local(&all[j].address) ? 0 : family;
		}
	}
}

static void tell_defaults(struct net_links *links)
{
	for (unsigned i = 0; i < links->defaults_count; i++) {
		const struct net_default *route = &links->defaults[i];
		struct net_link *link = find(links, route->ifindex);

		if (link && route->main)
			link->default_routes |= route->family;
		else if (link)
			link->other_defaults |= route->family;
	}
}

void net_links_complete(struct net_links *links)
{
	net_links_sort(links);
	for (unsigned i = 0; i < links->count; i++) {
		struct net_link *link = &links->items[i];

		link->default_routes = link->other_defaults = 0;
		link->addressed = link->routable = 0;
		link->addresses_first = link->addresses_count = 0;
	}
	group_addresses(links);
	tell_addresses(links);
	tell_defaults(links);
}

/* ---- addresses of the leader ------------------------------------------------------------------
 */

bool net_links_left_out(const struct net_links *links, const struct elect_address *address)
{
	for (unsigned i = 0; i < links->not_own_count; i++)
		if (elect_address_same_host(&links->not_own[i], address))
			return true;
	return false;
}

void net_links_leave_out(struct net_links *links, const struct elect_address *list, unsigned count)
{
	unsigned kept = 0;

	links->not_own = list;
	links->not_own_count = count;
	for (unsigned i = 0; i < links->count; i++) {
		struct net_link *link = &links->items[i];
		const struct net_address *all = links->addresses + link->addresses_first;

		link->addresses_first = kept;
		for (unsigned j = 0; j < link->addresses_count; j++)
			if (!net_links_left_out(links, &all[j].address))
				links->addresses[kept++] = all[j];
		link->addresses_count = kept - link->addresses_first;
		link->addressed = link->routable = 0;
	}
	links->addresses_count = kept;
	tell_addresses(links);
}
