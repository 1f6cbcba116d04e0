/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clauses: the table of words behind why.h: reason × what a person looks at → a clause that
 * follows "because". Nobody else says why.
 */
#ifndef ELECTD_WORDS_CLAUSES_H
#define ELECTD_WORDS_CLAUSES_H

#include "history.h"

/* What the clause explains. */
enum why_side {
	WHY_LEADS,   /* this host leads */
	WHY_FOLLOWS, /* another host leads */
	WHY_NOBODY,  /* nobody is known to lead */
	WHY_MEMBERS, /* other hosts are here */
	WHY_SIDES
};

/*
 * "$" stands for the host that caused it, "&" for it and what it was before ("web1, the leader
 * before,"), "%" for the coordinator met in a merge, "!" for why the cause is not well, if it has
 * said so (" (pg is sick: connection refused)").
 */
const char *why_words(enum elect_reason reason, enum why_side side);
/* Is it told by one who leads now because the coordinator before is gone? */
bool why_is_succession(enum elect_reason reason);
/* Was it this host that changed sides or was away, rather than a leader that was lost? */
bool why_is_own_view(enum elect_reason reason);

#endif
