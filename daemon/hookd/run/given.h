/* SPDX-License-Identifier: Apache-2.0 */
/*
 * given: composes the environment of a script and the JSON on its stdin (electd-hooks(7)) for one
 * event. Both carry the same values, which event_parse() has checked.
 *
 * The JSON. Every key is always present; an unknown value is null:
 *
 *	{ "schema": 1,
 *	  "event": "leader" | "follower" | "none" | "members" | "stop",
 *	  "domain": "default",
 *	  "role": "leader" | "follower" | "none",	role of this host now
 *	  "old_role": …,			role that the scripts saw last
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
 * The reason is electd's. If electd could not give one, the reason is `electd-gone`,
 * `electd-silent`, `hookd-stopping` or `hookd-restarted`. At a release it is the purpose (`yield`,
 * `resign`, `stop`, `bar`) or `sick`.
 */
#ifndef ELECTD_HOOKD_RUN_GIVEN_H
#define ELECTD_HOOKD_RUN_GIVEN_H

#include "core/hook.h"
#include "lib/event.h"

/* The values that the scripts of one event receive. */
struct event_told {
	enum hook_event event;
	enum elect_role old_role;
	uint64_t token, seq;
	bool replay, confirmed;
	const char *reason; /* NULL: the reason in `status` */
	const struct event_status *status;
};

/* Returns the role of this host during the event. */
enum elect_role given_role(const struct event_told *told);
/* Returns one word; empty: not known. */
const char *given_reason(const struct event_told *told);

/* Returns an environment for exec, or NULL without memory. given_environment_free() frees it. */
char **given_environment(const struct event_told *told);
void given_environment_free(char **environment);
/* Returns the JSON, which the caller frees, or NULL without memory. */
char *given_json(const struct event_told *told);

#endif
