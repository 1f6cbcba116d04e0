/* SPDX-License-Identifier: Apache-2.0 */
/* identity: the domain, id and name of this host. See identity.h. */
#include "identity.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void copy_name(const json_t *object, const char *key, char ret_name[EVENT_NAME_SIZE])
{
	const char *text = json_string_value(json_object_get(object, key));

	if (text && elect_name_valid(text))
		snprintf(ret_name, EVENT_NAME_SIZE, "%s", text);
}

static void copy_id(const json_t *object, char ret_id[EVENT_ID_SIZE])
{
	const char *text = json_string_value(json_object_get(object, "id"));

	if (text && strlen(text) < EVENT_ID_SIZE &&
		strspn(text, "0123456789abcdef") == strlen(text))
		snprintf(ret_id, EVENT_ID_SIZE, "%s", text);
}

static int path_of(const char *dir, const char *suffix, char ret_path[PATH_MAX])
{
	int n = snprintf(ret_path, PATH_MAX, "%s/%s%s", dir, IDENTITY_FILE_NAME, suffix);

	return n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

void identity_load(const char *dir, struct identity *ret_identity)
{
	char path[PATH_MAX];
	json_t *object, *node;

	memset(ret_identity, 0, sizeof(*ret_identity));
	snprintf(ret_identity->domain, sizeof(ret_identity->domain), "default");
	if (path_of(dir, "", path))
		return;
	object = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
	node = json_object_get(object, "node");
	copy_name(object, "domain", ret_identity->domain);
	copy_id(node, ret_identity->node.id);
	copy_name(node, "name", ret_identity->node.name);
	json_decref(object);
}

int identity_save(const char *dir, const struct identity *identity)
{
	json_t *object = json_pack("{s:s, s:{s:s, s:s}}", "domain", identity->domain, "node", "id",
		identity->node.id, "name", identity->node.name);
	char path[PATH_MAX], fresh[PATH_MAX];
	int r = path_of(dir, "", path);

	if (!r)
		r = path_of(dir, ".new", fresh);
	if (!r && (!object || json_dump_file(object, fresh, JSON_COMPACT)))
		r = -EIO;
	if (!r && rename(fresh, path) < 0)
		r = -errno;
	json_decref(object);
	return r;
}
