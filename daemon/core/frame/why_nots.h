/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why_nots: why other hosts may not lead, as they report it and as lists pass it on.
 */
#ifndef ELECTD_CORE_FRAME_WHY_NOTS_H
#define ELECTD_CORE_FRAME_WHY_NOTS_H

#include "state.h"

/* Kind NONE: nothing is known. */
void why_nots_of(const struct elect *e, const struct elect_id *id, struct elect_why_not *ret_why);

/* Returns whether the member of that rank may lead, as it or the coordinator's beacon reports. */
bool why_nots_may_lead(const struct elect *e, unsigned rank);

/* A coordinator reports it in its beacon, a host that will be on the next list in its Accept. */
void why_nots_note(struct elect *e, const struct elect_msg *m);
/* A member reports it. Returns whether a list is to pass it on now. */
bool why_nots_said(struct elect *e, const struct elect_msg *m);

/* Writes what is known into a list, and collects what the parts of a list report. */
void why_nots_compose(const struct elect *e, struct elect_msg *m);
void why_nots_gather(struct elect *e, const struct elect_msg *m);
/* Takes over what the list in `next`, which is about to be installed, reported. */
void why_nots_take(struct elect *e);
/* A list was installed: forgets hosts that are not on it. */
void why_nots_listed(struct elect *e);

#endif
