/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks: hook reports, from JSON and to JSON. Permission and the form of each parameter were
 * checked before, by the method's row.
 */
#include "call.h"

#include <stdio.h>
#include <string.h>

static const char *text_of(const json_t *parameters, const char *name)
{
	const char *text = json_string_value(json_object_get(parameters, name));

	return text ? text : "";
}

static int64_t integer_of(const json_t *parameters, const char *name)
{
	return json_integer_value(json_object_get(parameters, name));
}

const char *ctl_hook_report(const json_t *parameters, struct hooks_report *ret_report)
{
	const char *token = text_of(parameters, "token");
	struct hooks_report *r = ret_report;

	if (strspn(token, "0123456789") != strlen(token))
		return "token";
	*r = (struct hooks_report){
		.event = hook_event_find(text_of(parameters, "event")),
		.result = hook_result_find(text_of(parameters, "result")),
		.status = integer_of(parameters, "status"),
		.runtime_ms = integer_of(parameters, "runtime_ms"),
		.seq = (uint64_t)integer_of(parameters, "seq"),
	};
	snprintf(r->script, sizeof(r->script), "%s", text_of(parameters, "script"));
	snprintf(r->token, sizeof(r->token), "%s", token);
	snprintf(r->output, sizeof(r->output), "%s", text_of(parameters, "output"));
	return NULL;
}

static json_t *one(const struct hooks_report *r, const struct ctl_facts *facts, bool admin)
{
	uint64_t ago_us = r->at_us < facts->now_us ? facts->now_us - r->at_us : 0;

	return json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:s, s:s, s:o, s:b}", "script", r->script,
		"event", hook_event_name(r->event), "result", hook_result_name(r->result), "status",
		(json_int_t)r->status, "runtime_ms", (json_int_t)r->runtime_ms, "seq",
		(json_int_t)r->seq, "token", r->token, "output", admin ? r->output : "", "at",
		ctl_moment(facts->realtime_us - ago_us), "ok", r->result == HOOK_RESULT_OK);
}

json_t *ctl_hooks(const struct hooks *h, const struct ctl_facts *facts, bool hookd,
	const struct ctl_peer *peer)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < h->count; i++)
		json_array_append_new(list, one(&h->entries[i].report, facts, peer->admin));
	return json_pack("{s:b, s:o}", "hookd", hookd, "reports", list);
}
