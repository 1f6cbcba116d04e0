/* SPDX-License-Identifier: Apache-2.0 */
/* hooks_folders: reads the folders of scripts. */
#include "hooks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum electctl_exit hooks_read(
	const struct options *o, const char *const *folders, struct vet_list **ret_list)
{
	struct vet_list *list = calloc(1, sizeof(*list));
	const char *folder = "the folders of hooks";
	int rc = list ? vet_open(folders, list, &folder) : -ENOMEM;

	*ret_list = list;
	if (!rc)
		return ELECTCTL_OK;
	if (rc == -E2BIG)
		ask_say(o, "there are more than %d scripts: they run only in a demotion",
			VET_SCRIPTS_MAX);
	else
		ask_say(o, "cannot read %s: %s", folder, strerror(-rc));
	return rc == -EACCES ? ELECTCTL_NOT_ALLOWED : ELECTCTL_FALSE;
}

void hooks_free(struct vet_list *list)
{
	if (list)
		vet_close(list);
	free(list);
}

bool hooks_refused(const struct vet_script *script)
{
	return *script->reason != '\0';
}

json_t *hooks_script(const struct vet_script *script)
{
	const char *state = hooks_refused(script) ? "refused" : script->masked ? "masked" : "runs";
	json_t *path = json_string(script->path);

	/* A name that is not UTF-8 is refused, and shown in "name". */
	return json_pack("{s:s, s:s, s:o, s:s?}", "name", script->name, "state", state, "path",
		path ? path : json_null(), "reason", hooks_refused(script) ? script->reason : NULL);
}
