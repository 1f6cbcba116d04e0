/* SPDX-License-Identifier: Apache-2.0 */
/* shown: what hosts of any kind show: which hosts agree, which lead, and how often that changes. */
#ifndef ELECTSIM_HOSTS_SHOWN_H
#define ELECTSIM_HOSTS_SHOWN_H

#include "electsim/world/sim.h"

/* Sets the view of a host without an electd core. */
void shown_set(struct sim *s, struct sim_host *h, const struct elect_view *view);
/* Clears the view of a host that is off. */
void shown_gone(struct sim *s, struct sim_host *h);

/* Notes that a core changed its own view: it led before (`was`), and leads now (`is`). */
void shown_leads(struct sim *s, bool was, bool is);
/* Notes that a core changed its state, role, group or list; `old` is the view before. */
void shown_changed(struct sim *s, struct sim_host *h, const struct elect_view *old);
/* Compares state, role, group and list. */
bool shown_differs(const struct elect_view *a, const struct elect_view *b);

struct sim_liveness {
	bool agree; /* all living hosts are Normal in one group */
	bool led;   /* one host leads, or none leads and none may */
	unsigned living, leaders, groups;
};
void shown_look(const struct sim *s, struct sim_liveness *ret);
struct sim_shown {
	bool on;
	bool normal; /* has an elected coordinator and takes part in no election */
	bool leads;
	int coordinator;   /* index, or -1: none, or not normal */
	uint64_t election; /* number of the election, or counter of the group */
};
void shown_by(const struct sim *s, const struct sim_host *h, struct sim_shown *ret);
bool shown_agree(const struct sim *s);
/* Is a host in no group? `index` remembers that host: the next call looks at it first. */
bool shown_waits(const struct sim *s, unsigned *index);
unsigned shown_leaders(const struct sim *s);
int shown_leader(const struct sim *s); /* index, or -1: none or several */

static inline bool shown_lives(const struct sim_host *h)
{
	return h->on && !h->leaving;
}

/* In the laboratory elections have no groups: hosts with one coordinator agree. */
bool shown_same_group(
	const struct sim *s, const struct elect_group *a, const struct elect_group *b);

#endif
