/* SPDX-License-Identifier: Apache-2.0 */
/*
 * notes: facts about interfaces that an administrator should know: why one is used, why one that
 * network.interfaces names is not used, which one is left out. It returns values only: choose.c
 * chooses, node/links.c makes the text, and this module logs nothing.
 */
#ifndef ELECTD_NET_NOTES_H
#define ELECTD_NET_NOTES_H

#include "links.h"

enum {
	/* The configuration allows 32 names; four more are for the default choice. */
	NET_NOTES_MAX = 36,
};

/* Why an interface is not used, or is used but receives nothing. */
enum net_note_kind {
	/* These: network.interfaces names the interface without wildcards. */
	NET_NOTE_MISSING,      /* no link has this name */
	NET_NOTE_OFF,	       /* it is not IFF_UP */
	NET_NOTE_NO_MULTICAST, /* it does not support multicast, like most tunnels */
	NET_NOTE_NO_ADDRESS,   /* it has no address of a family in use */
	NET_NOTE_PORT,	       /* it is a port of `other`, which receives its datagrams */
	NET_NOTE_UNMATCHED,    /* no link matches this pattern with wildcards */
	/* These: no interface is named. */
	NET_NOTE_TUNNEL, /* it has the default route but is a tunnel, so it is not used */
	NET_NOTE_WAITS,	 /* no interface is used until this one has an address */
	NET_NOTE_GUESTS, /* used for want of a better one: only guests of this host are behind it */
	NET_NOTES
};

struct net_note {
	enum net_note_kind kind;
	const char *name;  /* of the link, or as configured; valid for this version */
	const char *other; /* NULL: the kind has none */
};

/* The rule by which an interface is used. */
enum net_why {
	NET_WHY_NAMED,
	NET_WHY_DEFAULT_ROUTE,
	NET_WHY_FORMER_ROUTE, /* it had the default route before */
	NET_WHY_OTHER_TABLE,  /* it has a default route, but not in the main table */
	NET_WHY_ETHERNET,     /* no interface has a default route */
	NET_WHYS
};

/* A choice with its data: configuration, links and paths that belong together. */
struct net_chosen {
	const struct net_links *links;
	unsigned families;
	const char *const *patterns;
	unsigned patterns_count, paths_count;
	const struct net_path *paths;
	uint64_t version; /* grows when any of the above may have changed */
};

/*
 * Finds the notes. It looks at all links for each name, so call it once per version. Returns the
 * number of ret_notes that were filled, in the order of the configuration, then of the links.
 */
unsigned net_notes(const struct net_chosen *chosen, struct net_note ret_notes[NET_NOTES_MAX]);

/* Why a path is used. */
enum net_why net_why(const struct net_chosen *chosen, const struct net_path *path);

/* The VRF of a path's interface; NULL: none. */
const char *net_vrf(const struct net_chosen *chosen, const struct net_path *path);

#endif
