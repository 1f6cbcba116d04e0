/* SPDX-License-Identifier: Apache-2.0 */
/*
 * will: the last will of a coordinator whose process is gone, and how long this host does not begin
 * to lead because of it (will.md). Times are microseconds.
 */
#ifndef ELECTD_CORE_FRAME_WILL_H
#define ELECTD_CORE_FRAME_WILL_H

#include "state.h"

/* Takes any message, verified or not. Returns true if the role is to be reviewed. */
bool will_heard(struct elect *e, const struct elect_msg *m);
/* This host does not begin to lead before that moment; 0: it waits for no will. */
uint64_t will_waits_until(const struct elect *e);
/* The crashed host that is waited for longest, or zero. */
struct elect_id will_awaits(const struct elect *e);
/* Writes into a message which crash this host waits for. */
void will_tell(const struct elect *e, struct elect_msg *m);
/* Own lateness extends the waits. */
void will_later(struct elect *e, uint64_t late_us);

#endif
