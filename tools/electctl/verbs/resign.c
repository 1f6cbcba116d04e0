/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resign: asks this host to hand over leadership, and waits until it has; demotion scripts may run
 * first. The subscription is opened before the call, so no change is missed.
 */
#include <string.h>

#include "electctl/ask.h"
#include "electctl/explain.h"
#include "electctl/field.h"
#include "program/clock.h"
#include "status.h"

enum { RESIGN_TIMEOUT_MS = 30000, BETWEEN_MS = 3000, SENTENCE_MAX = 512 };

/* --timeout limits the whole verb, not each event. */
static int64_t deadline_ms(const struct options *o)
{
	return clock_boot_ms() + (o->timeout_ms >= 0 ? o->timeout_ms : RESIGN_TIMEOUT_MS);
}

static long wait_ms(int64_t until_ms, bool leads)
{
	int64_t left_ms = until_ms > clock_boot_ms() ? until_ms - clock_boot_ms() : 0;

	return (long)(leads || left_ms < BETWEEN_MS ? left_ms : BETWEEN_MS);
}

static bool leads(const json_t *event)
{
	const char *role = field_text(json_object_get(event, "status"), "role", NULL);

	return !strcmp(role, "leader");
}

static bool settled(const json_t *event)
{
	return !leads(event) &&
		json_is_object(json_object_get(json_object_get(event, "status"), "leader"));
}

static enum electctl_exit nobody_took_over(const struct options *o, const json_t *event)
{
	if (leads(event)) {
		ask_say(o,
			"this host still leads: no other member of its group may lead, or its "
			"scripts have not ended yet");
		return ELECTCTL_TIMED_OUT;
	}
	ask_say(o, "this host no longer leads, but no other host took over");
	return ELECTCTL_FALSE;
}

/*
 * Reads events until another host leads; *ret_event is the last one. For a moment in between there
 * is no leader; if that lasts, there was no host to hand over to.
 */
static enum electctl_exit wait_settled(
	const struct options *o, struct client *events, int64_t until_ms, json_t **ret_event)
{
	struct options quiet = *o;

	quiet.quiet = true;
	while (!settled(*ret_event)) {
		json_t *event = NULL;
		enum electctl_exit code;

		code = ask_next(&quiet, events, wait_ms(until_ms, leads(*ret_event)), &event);
		if (code == ELECTCTL_TIMED_OUT)
			return nobody_took_over(o, *ret_event);
		if (code != ELECTCTL_OK) {
			ask_say(o, "%s before another host led",
				code == ELECTCTL_NO_PLACE
					? "electd closed the connection for another program"
					: "electd ended");
			return code;
		}
		json_decref(*ret_event);
		*ret_event = event;
	}
	return ELECTCTL_OK;
}

static enum electctl_exit ask_resign(const struct options *o)
{
	json_t *parameters = json_object(), *answer = NULL;
	enum electctl_exit code;

	if (o->for_seconds > 0)
		json_object_set_new(parameters, "for", json_integer(o->for_seconds));
	if (o->to)
		json_object_set_new(parameters, "to", json_string(o->to));
	code = ask(o, "io.electd.Resign", parameters, ASK_TIMEOUT_MS, &answer);
	json_decref(answer);
	return code;
}

/* The host that --to names may have left before the demotion was complete. */
static enum electctl_exit judge(const struct options *o, const json_t *event)
{
	const json_t *leader = json_object_get(json_object_get(event, "status"), "leader");
	char name[9];

	if (!o->to || !strcmp(field_text(leader, "name", NULL), o->to) ||
		!strcmp(field_text(leader, "id", NULL), o->to))
		return ELECTCTL_OK;
	ask_say(o, "%s leads, because %s did not take over", explain_name(leader, name), o->to);
	return ELECTCTL_FALSE;
}

static enum electctl_exit hand_over(
	const struct options *o, struct client *events, json_t **ret_event)
{
	int64_t until_ms = deadline_ms(o);
	enum electctl_exit code = ask_next(o, events, ASK_TIMEOUT_MS, ret_event);

	if (code != ELECTCTL_OK)
		return code;
	if (!leads(*ret_event)) {
		ask_say(o, "this host does not lead, so it has nothing to hand over");
		return ELECTCTL_FALSE;
	}
	code = ask_resign(o);
	if (code == ELECTCTL_OK)
		code = wait_settled(o, events, until_ms, ret_event);
	return code == ELECTCTL_OK ? judge(o, *ret_event) : code;
}

enum electctl_exit resign_verb(const struct options *o, char *const *args)
{
	struct client events;
	json_t *event = NULL, *status;
	char text[SENTENCE_MAX];
	enum electctl_exit code = ask_begin(o, "io.electd.Subscribe", NULL, true, &events);

	(void)args;
	if (code != ELECTCTL_OK)
		return code;
	code = hand_over(o, &events, &event);
	client_close(&events);
	status = json_object_get(event, "status");
	if (code == ELECTCTL_OK && o->json) {
		ask_print_json(o, status, false);
	} else if (code == ELECTCTL_OK && o->plain) {
		status_print_plain(o, status);
	} else if (code == ELECTCTL_OK) {
		status_headline(status, text, sizeof text);
		fprintf(o->out, "%s\n", text);
	}
	json_decref(event);
	return code;
}
