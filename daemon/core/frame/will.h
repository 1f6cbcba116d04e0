/* SPDX-License-Identifier: Apache-2.0 */
/*
 * will: a coordinator's process is gone, and its copy says so: whom this host waits for before it
 * begins to lead.
 */
#ifndef ELECTD_CORE_FRAME_WILL_H
#define ELECTD_CORE_FRAME_WILL_H

#include "state.h"

/* Of any message: a word of a will, or of who waits for one. True: the role is to be looked at. */
bool will_heard(struct elect *e, const struct elect_msg *m);
/* Nobody begins to lead before; 0: nobody is waited for. */
uint64_t will_waits_until(const struct elect *e);
/* The one that is waited for longest, or zero. */
struct elect_id will_awaits(const struct elect *e);
/* Writes into a message whom this host waits for. */
void will_tell(const struct elect *e, struct elect_msg *m);
/* Own lateness. */
void will_later(struct elect *e, uint64_t late_us);

#endif
