/* SPDX-License-Identifier: Apache-2.0 */
/*
 * given: what a script is told of one event, as its environment and the JSON on its stdin
 * (electd-hooks(7)). Both say the same, of values that event_parse() has checked.
 *
 * The JSON a script reads; what is not known is null, every key is always there:
 *
 *	{ "schema": 1,
 *	  "event": "leader" | "follower" | "none" | "members" | "stop",
 *	  "domain": "default",
 *	  "role": "leader" | "follower" | "none",	what this host is now
 *	  "old_role": …,			what the scripts were told before
 *	  "token": "694389135",			of the leadership that begins, goes on or ends
 *	  "group": "alpha.81" | null,
 *	  "node": { "id": "…", "name": "alpha" } | null,	this host
 *	  "leader": { "id", "name", "address": "192.0.2.7" | null, "self": true } | null,
 *	  "members": [ { "id", "name", "address": … | null, "rank": 0, "priority": 100,
 *			 "state": "alive" | "silent" | "unknown" } ],	by rank
 *	  "reason": "coordinator-silent" | null,
 *	  "seq": 17,				of electd's last change
 *	  "replay": false,			the first state after a start
 *	  "confirmed": false,			it led before: a merge was won
 *	  "definition": "/run/electd-hookd/definition" | null }
 *
 * The reason is electd's, or, where electd could not say it: `electd-gone`, `electd-silent`,
 * `hookd-stopping`, `hookd-restarted`; at a release its purpose, `yield`, `resign`, `stop`, `bar`,
 * or `sick`.
 */
#ifndef ELECTD_HOOKD_RUN_GIVEN_H
#define ELECTD_HOOKD_RUN_GIVEN_H

#include "hookd/link/event.h"

/* What scripts are told of one event. */
struct event_told {
	enum hook_event event;
	enum elect_role old_role;
	uint64_t token, seq;
	bool replay, confirmed;
	const char *reason; /* NULL: the status's */
	const struct event_status *status;
};

/* What this host is with that event. */
enum elect_role given_role(const struct event_told *told);
/* A word; empty: none is known. */
const char *given_reason(const struct event_told *told);

/* NULL: no memory. Freed by given_environment_free(). */
char **given_environment(const struct event_told *told);
void given_environment_free(char **environment);
/* To be freed; NULL: no memory. */
char *given_json(const struct event_told *told);

#endif
