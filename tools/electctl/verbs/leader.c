/* SPDX-License-Identifier: Apache-2.0 */
/* leader, is-leader: the two questions that scripts ask most. */
#include "electctl/ask.h"
#include "electctl/explain.h"
#include "electctl/field.h"

enum electctl_exit leader_verb(const struct options *o, char *const *args)
{
	json_t *status = NULL, *leader;
	char digits[9];
	enum electctl_exit code = ask(o, "io.electd.GetStatus", NULL, ASK_TIMEOUT_MS, &status);

	(void)args;
	if (code != ELECTCTL_OK)
		return code;
	leader = json_object_get(status, "leader");
	if (o->json) {
		json_t *answer = json_pack("{s:O?}", "leader", leader);

		ask_print_json(o, answer, false);
		json_decref(answer);
	} else if (o->plain && json_is_object(leader)) {
		fprintf(o->out, "%s\t%s\t%s\t%s\n", field_text(leader, "name", NULL),
			field_text(leader, "address", NULL), field_text(status, "token", NULL),
			field_text(leader, "id", NULL));
	} else if (json_is_object(leader)) {
		fprintf(o->out, "%s\n", explain_name(leader, digits));
	} else {
		ask_say(o, "nobody leads");
	}
	if (!json_is_object(leader))
		code = ELECTCTL_FALSE;
	json_decref(status);
	return code;
}

enum electctl_exit is_leader_verb(const struct options *o, char *const *args)
{
	json_t *status = NULL;
	enum electctl_exit code = ask(o, "io.electd.GetStatus", NULL, ASK_TIMEOUT_MS, &status);

	(void)args;
	if (code != ELECTCTL_OK)
		return code;
	if (!field_may_begin(status))
		code = ELECTCTL_FALSE;
	if (o->json) {
		json_t *answer = json_pack("{s:b}", "is_leader", code == ELECTCTL_OK);

		ask_print_json(o, answer, false);
		json_decref(answer);
	}
	json_decref(status);
	return code;
}
