/* SPDX-License-Identifier: Apache-2.0 */
/* resign: asks this host to hand leadership over. */
#include "ask.h"
#include "field.h"

/* Demotion scripts may run for a while before leadership passes on. */
enum { RESIGN_TIMEOUT_MS = 30000 };

enum electctl_exit resign_verb(const struct options *o, char *const *args)
{
	json_t *parameters = json_object(), *answer = NULL;
	enum electctl_exit code;

	(void)args;
	if (o->for_seconds >= 0)
		json_object_set_new(parameters, "for", json_integer(o->for_seconds));
	code = ask(o, "io.electd.Resign", parameters, RESIGN_TIMEOUT_MS, &answer);
	if (code != ELECTCTL_OK)
		return code;
	if (o->json)
		ask_print_json(o, answer, false);
	else if (!o->quiet)
		fprintf(stderr, "This host hands leadership over and does not lead for %ld s.\n",
			o->for_seconds > 0 ? o->for_seconds : 30);
	json_decref(answer);
	return ELECTCTL_OK;
}
