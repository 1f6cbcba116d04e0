/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history: the history as JSON, for GetHistory. Knows no sockets.
 */
#ifndef ELECTD_CONTROL_HISTORY_H
#define ELECTD_CONTROL_HISTORY_H

#include "words/why.h"

#include <jansson.h>

/*
 * {"why": paragraph, "entries": [{"seq", "at" (RFC 3339), "boot_ms", "event", "role", "old_role",
 * "reason", "cause": {"id", "name"} or null, "leader": the same, "token" (a string), "group"
 * ("web3.17" or null), "members_count", "problems": ["no-carrier"], "text" (one line)}]}, the
 * oldest first. NULL: no memory.
 */
json_t *ctl_history(const struct history *h, const struct why_now *now, const char *more);
json_t *ctl_history_entry(const struct history_entry *entry, const struct why_now *now);

#endif
