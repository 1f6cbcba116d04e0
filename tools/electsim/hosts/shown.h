/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shown: what hosts show, in words that fit every kind of host: who agrees with whom, who leads,
 * and how often that changes.
 */
#ifndef ELECTSIM_HOSTS_SHOWN_H
#define ELECTSIM_HOSTS_SHOWN_H

#include "electsim/world/sim.h"

/* A host that is no electd core shows this from now on. */
void shown_set(struct sim *s, struct sim_host *h, const struct elect_view *view);
/* The host is off: it shows nothing any more. */
void shown_gone(struct sim *s, struct sim_host *h);

/* A core changes its view itself, and reports here that it has become leader, or is none. */
void shown_leads(struct sim *s, bool was, bool is);
/* ... and that state, role, group or list changed; it had shown `old`. */
void shown_changed(struct sim *s, struct sim_host *h, const struct elect_view *old);
/* State, role, group or list. */
bool shown_differs(const struct elect_view *a, const struct elect_view *b);

struct sim_liveness {
	bool agree; /* all living hosts Normal in one group */
	bool led;   /* exactly one leader, or nobody may lead and nobody does */
	unsigned living, leaders, groups;
};
void shown_look(const struct sim *s, struct sim_liveness *ret);
/* The view of one host. */
struct sim_shown {
	bool on;
	bool normal; /* it has an elected coordinator, and takes part in no election */
	bool leads;
	int coordinator;   /* index, or -1: none, or not normal */
	uint64_t election; /* its number, or the counter of the group */
};
void shown_by(const struct sim *s, const struct sim_host *h, struct sim_shown *ret);
bool shown_agree(const struct sim *s);
/* Is a host in no group? `index` keeps it, so that the next call looks at it first. */
bool shown_waits(const struct sim *s, unsigned *index);
unsigned shown_leaders(const struct sim *s);
int shown_leader(const struct sim *s); /* index, or -1 for none or several */

static inline bool shown_lives(const struct sim_host *h)
{
	return h->on && !h->leaving;
}

/* Elections of the laboratory have no groups: hosts with the same coordinator agree. */
bool shown_same_group(
	const struct sim *s, const struct elect_group *a, const struct elect_group *b);

#endif
