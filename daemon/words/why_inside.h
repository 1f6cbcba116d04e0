/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why_inside: what the files of why share, and nobody else may see.
 */
#ifndef ELECTD_WORDS_WHY_INSIDE_H
#define ELECTD_WORDS_WHY_INSIDE_H

#include "core/line.h"
#include "why.h"
#include "clauses.h"

/* "web3", "web3 (this host)" */
void why_add_host(struct line *t, const struct history_entry *e, const struct history_host *host);
/* "1 host", "4 hosts" */
void why_add_count(struct line *t, unsigned count);
/* Why it is as the entry says, */
void why_add_clause(struct line *t, const struct history_entry *e, enum why_side side);
/* and why the leader before was lost. */
void why_add_lost(struct line *t, const struct history_entry *e);

bool why_is_host(const struct history_host *host, const struct elect_id *id);
enum why_side why_side_of(enum elect_role role);
/* The leader is the one before, */
bool why_same_leader(const struct history_entry *e);
/* and was never lost: what changed is its token. */
bool why_leads_on(const struct history_entry *e);

#endif
