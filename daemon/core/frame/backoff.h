/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backoff: who was lost lately, and who does not take its list.
 *
 * Algorithms ask it before they invite; lists.c tells it who is sent a list in vain.
 */
#ifndef ELECTD_CORE_FRAME_BACKOFF_H
#define ELECTD_CORE_FRAME_BACKOFF_H

#include "state.h"

/* It was invited and did not come, or fell silent as it invited. */
void backoff_absent(struct elect *e, const struct elect_id *id);
/* It was sent the list in vain (and is `dropped` for it); it has acknowledged one. */
void backoff_untaken(struct elect *e, const struct elect_member *member, bool dropped);
void backoff_taken(struct elect *e, const struct elect_id *id);
/* A host says Hello, in that session: another one begins without a record. */
void backoff_greeted(struct elect *e, const struct elect_id *id, uint64_t session);
/* I accepted it, and its list did not come; it has. */
void backoff_unlisted(struct elect *e, const struct elect_id *id);
void backoff_listed(struct elect *e, const struct elect_id *id);
/* How far apart answers to it are, after so much in vain: 0 as ever. */
uint64_t backoff_vain_us(const struct elect *e, const struct elect_id *id);
/* Is it too early to invite it again? */
bool backoff_waits(const struct elect *e, const struct elect_id *id);
/* Own lateness. */
void backoff_later(struct elect *e, uint64_t late_us);
uint64_t backoff_until(const struct elect *e, const struct elect_id *id);

#endif
