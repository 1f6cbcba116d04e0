/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tried: the own link is tried because a host is silent (suspicion.md, The own link). Frames that
 * come in are no sign of life if a datagram of that host is among them: then the path to it is
 * broken in one direction, or its new session is still unverified.
 */
#ifndef ELECTD_CORE_HOST_TRIED_H
#define ELECTD_CORE_HOST_TRIED_H

#include "own.h"

/* The step has asked for it: ELECT_ACTION_TRY_LINK. */
void tried_begin(struct host *h, uint64_t now_us, const struct elect_try_link *t);
/* A datagram has come by h->way, valid or not. */
void tried_hear(struct host *h);
/* Returns whether that sign must not reach the election. */
bool tried_refuses(const struct host *h, const struct elect_link_sign *sign);

#endif
