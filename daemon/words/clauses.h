/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clauses: the table of texts behind why.h. For each reason and each side that a user looks at, it
 * has a clause that follows "because". No other module writes such clauses.
 */
#ifndef ELECTD_WORDS_CLAUSES_H
#define ELECTD_WORDS_CLAUSES_H

#include "history.h"

/* The statement that the clause explains. */
enum why_side {
	WHY_LEADS,   /* this host leads */
	WHY_FOLLOWS, /* another host leads */
	WHY_NOBODY,  /* no host is known to lead */
	WHY_MEMBERS, /* the membership changed */
	WHY_SIDES
};

/*
 * The clause for a reason and a side, a constant string with four placeholders: "$" is the host
 * that caused the change; "&" is that host with its former role ("web1, the previous leader,"); "%"
 * is the coordinator met in a merge; "!" is the reason why the causing host may not lead, if that
 * host has reported one (" (pg is sick: connection refused)").
 */
const char *why_words(enum elect_reason reason, enum why_side side);
/* True for the reasons of a succession: the old coordinator is gone and the next host leads. */
bool why_is_succession(enum elect_reason reason);
/* True if this host joined, left or was away; false if the group lost its leader. */
bool why_is_own_view(enum elect_reason reason);

#endif
