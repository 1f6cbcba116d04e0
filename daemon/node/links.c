/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links: composes the words about problems of this host's interfaces: for status and check, for
 * Doctor and for the journal. Each line begins with its name in electctl(1). It chooses no
 * interface: net/choose.c does.
 */
#include "inside.h"

#include "core/line.h"
#include "program/clock.h"

#include <string.h>

/* ---- the list -------------------------------------------------------------------------------- */

/* The list holds one problem of each kind, and all notes (NODE_LINKS_MAX). */
static struct node_link_problem *add(struct node_links *l, const char *name, bool degrades)
{
	struct node_link_problem *p =
		&l->items[l->count < NODE_LINKS_MAX ? l->count++ : l->count - 1];

	*p = (struct node_link_problem){ .name = name, .degrades = degrades };
	return p;
}

static struct line begin(struct node_link_problem *p)
{
	struct line line = line_begin(p->words, sizeof(p->words));

	line_add(&line, "%s: ", p->name);
	return line;
}

static void name(struct node_link_problem *p, const char *interface, const char *other)
{
	snprintf(p->interface, sizeof(p->interface), "%s", interface);
	snprintf(p->other, sizeof(p->other), "%s", other ? other : "");
}

/* ---- problems that degrade this host ----------------------------------------------------- */

static void add_left_out(struct node_links *l, const struct net_chosen *c)
{
	unsigned count = c->links->left_out;
	struct node_link_problem *p;
	struct line line;

	if (!count)
		return;
	p = add(l, NODE_LEFT_OUT, true);
	line = begin(p);
	name(p, c->links->left_out_name, NULL);
	line_add(&line, "electd uses at most %d interfaces, and not %s", (int)NET_INTERFACES_MAX,
		p->interface);
	if (count > 1)
		line_add(&line, " and %u more", count - 1);
	line_add(&line, ": name at most %d in network.interfaces, then sudo electctl reload",
		(int)NET_INTERFACES_MAX);
}

static void add_cut(struct node_links *l, const struct net_chosen *c)
{
	struct line line;

	if (!c->links->cut)
		return;
	line = begin(add(l, NODE_LINKS_CUT, true));
	line_add(&line,
		"%u links, addresses or default routes of this host are more than electd reads "
		"(%d, %d and %d): an interface that it should use may be among them",
		c->links->cut, (int)NET_LINKS_MAX, (int)NET_ADDRESSES_MAX, (int)NET_DEFAULTS_MAX);
}

static void add_unreadable(struct node_links *l, int error)
{
	struct line line;

	if (!error)
		return;
	line = begin(add(l, NODE_LINKS_UNREADABLE, true));
	line_add(&line, "the interfaces of this host cannot be read, changes are not noticed: %s",
		strerror(-error));
}

/* Returns the first interface of a VRF whose own datagrams do not come back; NULL: none. */
static const struct net_path *deaf_in_vrf(
	const struct net_chosen *c, const struct node_back *back, uint64_t now_us)
{
	for (unsigned i = 0; i < c->paths_count; i++)
		if (c->paths[i].carrier && node_back_missing(back, c->paths[i].link, now_us) &&
			net_vrf(c, &c->paths[i]))
			return &c->paths[i];
	return NULL;
}

static void add_vrf(struct node_links *l, const struct net_chosen *c, const struct net_path *path)
{
	struct node_link_problem *p;
	struct line line;

	if (!path)
		return;
	p = add(l, NODE_VRF, true);
	line = begin(p);
	name(p, path->name, net_vrf(c, path));
	line_add(&line,
		"%s belongs to the VRF %s, and nothing arrives by it: sudo sysctl -w "
		"net.ipv4.udp_l3mdev_accept=1",
		p->interface, p->other);
}

/* ---- other problems ---------------------------------------------------------------------- */

/* The paths of one interface are next to each other. */
static bool first_of_interface(const struct net_chosen *c, unsigned index)
{
	return !index || c->paths[index].ifindex != c->paths[index - 1].ifindex;
}

static bool is_up(const struct net_chosen *c)
{
	for (unsigned i = 0; i < c->paths_count; i++)
		if (c->paths[i].carrier)
			return true;
	return false;
}

void node_dark_words(const struct net_path *path, char *ret_words, size_t size)
{
	static const char *const why[] = {
		[NET_DARK_NOT] = "",
		[NET_DARK_CARRIER] = "no carrier",
		[NET_DARK_BLOCKED] = "no carrier: spanning tree blocks its port",
		[NET_DARK_LOST] = "no carrier: it has lost the port that led to the LAN",
	};
	struct line line = line_begin(ret_words, size);

	line_add(&line, "%s", why[path->dark]);
	if (path->dark_at[0])
		line_add(&line, "%s%s", path->dark == NET_DARK_BLOCKED ? " " : " at ",
			path->dark_at);
}

/* If no interface has a carrier, the problem no-carrier covers all of them. */
static void add_dark(struct node_links *l, const struct net_chosen *c)
{
	for (unsigned i = 0; is_up(c) && i < c->paths_count; i++) {
		const struct net_path *path = &c->paths[i];
		struct node_link_problem *p;
		char dark[NODE_WORDS_MAX];
		struct line line;

		if (path->carrier || path->duplicate || !first_of_interface(c, i))
			continue;
		p = add(l, NODE_LINK_DOWN, false);
		line = begin(p);
		name(p, path->name, NULL);
		node_dark_words(path, dark, sizeof(dark));
		line_add(&line, "%s: %s; another interface that electd uses has one", p->interface,
			dark);
	}
}

/* As in "uses eth0, eth1". */
static void add_used(struct line *line, const struct net_chosen *c)
{
	line_add(line, "%s", c->paths_count ? "uses " : "uses no interface");
	for (unsigned i = 0; i < c->paths_count; i++)
		if (first_of_interface(c, i))
			line_add(line, "%s%s", i ? ", " : "", c->paths[i].name);
}

static void add_note(struct node_links *l, const struct net_chosen *c, const struct net_note *note)
{
	static const struct {
		const char *name, *before, *behind;
		bool hint; /* Doctor shows it, status does not */
	} kinds[NET_NOTES] = {
		[NET_NOTE_MISSING] = { NODE_INTERFACE_MISSING, "network.interfaces names ",
			", and this host has no such interface" },
		[NET_NOTE_OFF] = { NODE_INTERFACE_OFF, "",
			", which network.interfaces names, is switched off" },
		[NET_NOTE_NO_MULTICAST] = { NODE_NO_MULTICAST, "",
			", which network.interfaces names, cannot multicast" },
		[NET_NOTE_NO_ADDRESS] = { NODE_NO_ADDRESS, "",
			", which network.interfaces names, has no address" },
		[NET_NOTE_PORT] = { NODE_INTERFACE_PORT, "",
			", which network.interfaces names, hands all that it receives to " },
		[NET_NOTE_UNMATCHED] = { "interface-unmatched", "no interface matches \"",
			"\" of network.interfaces", true },
		[NET_NOTE_TUNNEL] = { "default-route-tunnel", "the default route leads by ",
			", a tunnel, which is not used: ", true },
		[NET_NOTE_GUESTS] = { "guests-only", "",
			", which is used because there is no Ethernet card, leads only to guests "
			"of this host",
			true },
		[NET_NOTE_WAITS] = { NODE_NO_ADDRESS, "nothing is used before ", " has an address",
			true },
	};
	struct node_link_problem *p = add(l, kinds[note->kind].name, false);
	struct line line = begin(p);

	p->hint = kinds[note->kind].hint;
	p->waits = note->kind == NET_NOTE_WAITS;
	name(p, note->name, note->other);
	line_add(&line, "%s%s%s%s", kinds[note->kind].before, p->interface,
		kinds[note->kind].behind, p->other);
	if (note->kind == NET_NOTE_TUNNEL)
		add_used(&line, c);
}

static void add_waiting(struct line *line, const struct node_links *l)
{
	unsigned waiting = 0;

	line_add(line, "no network interface can be used: waiting for ");
	for (unsigned i = 0; i < l->count; i++)
		if (l->items[i].waits)
			line_add(line, "%s%s", waiting++ ? ", " : "an address on ",
				l->items[i].interface);
	if (!waiting)
		line_add(line, "one");
}

void node_no_carrier_words(
	const struct node_links *l, const struct net_chosen *c, char *ret_words, size_t size)
{
	struct line line = line_begin(ret_words, size);
	char dark[NODE_WORDS_MAX];
	bool first = true;

	if (!c->paths_count) {
		add_waiting(&line, l);
		return;
	}
	line_add(&line, "no network interface has a carrier");
	for (unsigned i = 0; i < c->paths_count; i++) {
		if (!first_of_interface(c, i) || c->paths[i].dark == NET_DARK_NOT)
			continue;
		node_dark_words(&c->paths[i], dark, sizeof(dark));
		line_add(&line, "%s%s: %s", first ? ": " : "; ", c->paths[i].name, dark);
		first = false;
	}
}

void node_links_of(struct node_links *l, const struct net_chosen *c, const struct node_notes *notes,
	int look_error, const struct node_back *back, uint64_t now_us)
{
	l->count = 0;
	add_left_out(l, c);
	add_cut(l, c);
	add_unreadable(l, look_error);
	add_vrf(l, c, deaf_in_vrf(c, back, now_us));
	add_dark(l, c);
	for (unsigned i = 0; i < notes->count; i++)
		add_note(l, c, &notes->items[i]);
}

void node_name_links(struct node *n)
{
	struct net_chosen c;

	net_chosen(n->net, &c);
	if (n->notes.version != c.version)
		n->notes.count = net_notes(&c, n->notes.items);
	n->notes.version = c.version;
	node_links_of(&n->links, &c, &n->notes, net_look_error(n->net), &n->back, clock_boot_us());
	node_no_carrier_words(&n->links, &c, n->no_carrier, sizeof(n->no_carrier));
}

/* ---- the journal ----------------------------------------------------------------------------- */

/* Ignores the counts in the words, which change all day on a host with many interfaces. */
static bool has(const struct node_links *l, const struct node_link_problem *p)
{
	for (unsigned i = 0; i < l->count; i++)
		if (!strcmp(l->items[i].name, p->name) &&
			(p->degrades || !strcmp(l->items[i].interface, p->interface)))
			return true;
	return false;
}

/* A carrier that comes and goes has lines of its own (node/lan.c). */
static bool has_own_line(const struct node_link_problem *p)
{
	return !strcmp(p->name, NODE_LINK_DOWN);
}

/* Returns whether there was one. Hints are not in status, so they do not notify subscribers. */
static bool tell_those_of(
	struct node *n, const struct node_links *l, const struct node_links *other_keys, bool over)
{
	bool any = false;

	for (unsigned i = 0; i < l->count; i++) {
		const struct node_link_problem *p = &l->items[i];

		if (p->hint || has(other_keys, p))
			continue;
		if (!has_own_line(p))
			journal_problem(&n->journal, over, p->name, p->words);
		any = true;
	}
	return any;
}

void node_tell_links(struct node *n)
{
	bool changed;

	node_name_links(n);
	changed = tell_those_of(n, &n->links_told, &n->links, true);
	changed |= tell_those_of(n, &n->links, &n->links_told, false);
	n->links_told = n->links;
	if (changed && n->running)
		ctl_publish(n->ctl, "state", &n->view);
}

/* With each beacon, checks whether an interface of a VRF begins or ceases to receive nothing. */
void node_follow_back(struct node *n)
{
	struct net_chosen c;
	bool missing;

	net_chosen(n->net, &c);
	missing = deaf_in_vrf(&c, &n->back, clock_boot_us());
	if (missing == n->vrf_deaf)
		return;
	n->vrf_deaf = missing;
	node_tell_links(n);
}

void node_doctor_links(const struct node *n, struct ctl_doctor *d)
{
	for (unsigned i = 0; i < n->links.count; i++) {
		const struct node_link_problem *p = &n->links.items[i];

		d->links[d->links_count++] = (struct ctl_link_problem){
			.name = p->name,
			.interface = p->interface,
			.other = p->other,
			.words = p->words + strlen(p->name) + strlen(": "),
		};
	}
}

const char *node_why_used(const struct node *n, const struct net_path *path)
{
	static const char *const words[NET_WHYS] = {
		[NET_WHY_NAMED] = "network.interfaces names it",
		[NET_WHY_DEFAULT_ROUTE] = "it has the default route",
		[NET_WHY_FORMER_ROUTE] = "it had the default route, and no other interface has it",
		[NET_WHY_OTHER_TABLE] = "it has a default route in a table of its own",
		[NET_WHY_ETHERNET] = "no interface has a default route",
	};
	struct net_chosen c;

	net_chosen(n->net, &c);
	return words[net_why(&c, path)];
}
