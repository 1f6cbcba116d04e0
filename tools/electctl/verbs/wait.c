/* SPDX-License-Identifier: Apache-2.0 */
/* wait: returns when a condition has become true. electd waits and answers. */
#include <stdlib.h>
#include <string.h>

#include "electctl/ask.h"
#include "core/elect.h"
#include "electctl/field.h"

enum { SLACK_MS = 2000 }; /* electd times out first, with a better message */

static const char usage[] = "wait for leader, self, follower, or members N with N from 1 to 1024";

/* The arguments as parameters of the call; NULL: invalid. */
static json_t *wish(char *const *args)
{
	static const char *const words[] = { "leader", "self", "follower", "members" };
	bool members = !strcmp(args[0], "members");
	char *end = NULL;
	long count = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(args[0], words[i]) != 0)
			continue;
		if (members != (args[1] != NULL))
			return NULL;
		if (!members)
			return json_pack("{s:s}", "for", args[0]);
		count = strtol(args[1], &end, 10);
		if (*end || count < 1 || count > ELECT_HOSTS_MAX)
			return NULL;
		return json_pack("{s:s, s:I}", "for", args[0], "count", (json_int_t)count);
	}
	return NULL;
}

static void print(const struct options *o, json_t *answer)
{
	if (o->json)
		ask_print_json(o, answer, false);
	else if (o->plain)
		fprintf(o->out, "%s\t%s\t%s\t%lld\n", field_text(answer, "role", NULL),
			field_text(answer, "leader", "name"), field_text(answer, "token", NULL),
			(long long)field_number(answer, "members_count", NULL, 0));
}

enum electctl_exit wait_verb(const struct options *o, char *const *args)
{
	json_t *parameters = wish(args), *answer = NULL;
	struct options patient = *o;
	enum electctl_exit code;

	if (!parameters) {
		ask_say(o, "%s", usage);
		return ELECTCTL_USAGE;
	}
	if (o->timeout_ms >= 0) {
		json_object_set_new(parameters, "timeout_ms",
			json_integer(o->timeout_ms > 0 ? o->timeout_ms : 1));
		patient.timeout_ms = o->timeout_ms + SLACK_MS;
	}
	code = ask(&patient, "io.electd.Wait", parameters, -1, &answer);
	if (code == ELECTCTL_OK)
		print(o, answer);
	json_decref(answer);
	return code;
}
