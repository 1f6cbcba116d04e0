/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notes: what an administrator should know of the interfaces: why one is used, why one that
 * network.interfaces names is not, which one is left out. Values only: notes choose nothing
 * (choose.c does), log nothing and have no words (node/links.c has them).
 */
#ifndef ELECTD_NET_NOTES_H
#define ELECTD_NET_NOTES_H

#include "links.h"

enum {
	/* conf allows 32 names; four more are for the default choice. What is beyond is counted. */
	NET_NOTES_MAX = 36,
};

/* Why an interface is not used, or is used and hears nothing. */
enum net_note_kind {
	/* network.interfaces names it without wildcards. */
	NET_NOTE_MISSING,      /* no link has this name */
	NET_NOTE_OFF,	       /* it is not IFF_UP */
	NET_NOTE_NO_MULTICAST, /* as a tunnel mostly is not able to */
	NET_NOTE_NO_ADDRESS,   /* none of a family in use */
	NET_NOTE_PORT,	       /* it belongs to `other`, by which arrives what it receives */
	NET_NOTE_UNMATCHED,    /* a pattern with wildcards: no link matches it */
	/* No interface is named. */
	NET_NOTE_TUNNEL, /* it has the default route, and is not used: a tunnel */
	NET_NOTE_WAITS,	 /* nothing is used before it has an address */
	NET_NOTE_GUESTS, /* it is used for want of a better one: guests of this host are behind */
	NET_NOTES
};

struct net_note {
	enum net_note_kind kind;
	const char *name;  /* of the link, or as it is configured: valid for this version */
	const char *other; /* NULL: the kind has none */
};

/* Why an interface is used. */
enum net_why {
	NET_WHY_NAMED,
	NET_WHY_DEFAULT_ROUTE,
	NET_WHY_FORMER_ROUTE, /* it had the default route */
	NET_WHY_OTHER_TABLE,  /* it has a default route in another table than the main one */
	NET_WHY_ETHERNET,     /* no interface has a default route */
	NET_WHYS
};

/* A choice with what it was made from: configuration, links and paths belong together. */
struct net_chosen {
	const struct net_links *links;
	unsigned families;
	const char *const *patterns;
	unsigned patterns_count, paths_count;
	const struct net_path *paths;
	uint64_t version; /* rises when anything of the above may have changed */
};

/*
 * Looks at all links for each name: once a version. How many of ret_notes were filled, in the order
 * of the configuration, then of the links.
 */
unsigned net_notes(const struct net_chosen *chosen, struct net_note ret_notes[NET_NOTES_MAX]);

/* A path that is in use. */
enum net_why net_why(const struct net_chosen *chosen, const struct net_path *path);

/* The VRF that the interface of a path belongs to; NULL: it belongs to none. */
const char *net_vrf(const struct net_chosen *chosen, const struct net_path *path);

#endif
