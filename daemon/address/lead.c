/* SPDX-License-Identifier: Apache-2.0 */
/* lead: the events of electd, whether this host may hold, and reports to electd. */
#include "inside.h"

#include "lib/inside.h"
#include "program/clock.h"
#include "words/log.h"

#include <string.h>

static const char *why(const struct electd_event *event)
{
	switch (event->type) {
	case ELECTD_LOST:
		return "electd has ended";
	case ELECTD_SILENT:
		return "electd is silent";
	case ELECTD_RELEASE:
		return "leadership is handed over";
	default:
		return event->role == ELECTD_ROLE_LEADER ? "electd is silent"
							 : "this host does not lead any more";
	}
}

static void take_event(struct run *r, const struct electd_event *event)
{
	if (event->type == ELECTD_SNAPSHOT) {
		plan_heard(&r->plan);
		r->connected = true;
		r->told = false;
		r->promoted = 0;
	}
	if (event->type == ELECTD_LOST)
		r->connected = false;
	if (event->type == ELECTD_MEMBERS)
		plan_members(&r->plan, clock_boot_us());
	if (event->type == ELECTD_REFUSED && strcmp(event->words, r->refused) != 0) {
		memcpy(r->refused, event->words, sizeof(r->refused));
		log_warning("address", "electd refuses a report: %s", event->words);
	}
	if (!r->stopping && event->type != ELECTD_REFUSED)
		r->why = why(event);
}

void lead_hear(struct run *r)
{
	struct electd_event event = { .size = sizeof(event) };
	int n;

	while ((n = electd_process(r->electd, &event)) != 0) {
		if (n > 0)
			take_event(r, &event);
		else
			log_notice("address", "waiting for electd: %s", strerror(-n));
	}
}

void lead_ask(struct run *r)
{
	uint64_t token, until_ms;

	if (r->stopping || !electd_may_act(r->electd, &token)) {
		plan_end(&r->plan);
		return;
	}
	until_ms = electd_until_boot_ms(r->electd, NULL);
	r->acts = true;
	plan_hold(&r->plan, until_ms ? until_ms * 1000 : ELECT_NEVER, token, clock_boot_us());
}

static void tell(struct run *r)
{
	bool changed = report_changes(&r->report, &r->plan, &r->settings, r->why);

	if (!r->connected || (!changed && r->told))
		return;
	r->told = !lib_report_addresses(r->electd, report_json(&r->report, &r->plan, &r->settings));
}

void lead_answer(struct run *r)
{
	if (r->acts && !r->plan.hold && plan_is_free(&r->plan)) {
		r->acts = false;
		electd_released(r->electd);
	}
	if (r->plan.hold && r->plan.token != r->promoted && plan_is_settled(&r->plan)) {
		r->promoted = r->plan.token;
		electd_promoted(r->electd);
	}
	tell(r);
}
