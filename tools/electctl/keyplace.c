/* SPDX-License-Identifier: Apache-2.0 */
#include "keyplace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask.h"
#include "conf/conf.h"
#include "core/shown.h"
#include "filter.h"
#include "unit.h"

/* ---- finding the file ------------------------------------------------------------------- */

/* The first of systemd's folders that has the name; folders of encrypted ones have a suffix. */
static bool find_in_stores(const char *name, const char *suffix, char *ret_path, size_t size)
{
	static const char *const stores[] = { KEYFILE_CREDSTORES };

	for (size_t i = 0; i < sizeof(stores) / sizeof(*stores); i++) {
		snprintf(ret_path, size, "%s%s/%s", stores[i], suffix, name);
		if (access(ret_path, F_OK) == 0 || errno != ENOENT)
			return true;
	}
	return false;
}

static int find_by_name(const char *name, struct keyplace *p, char *ret_words)
{
	char encrypted[sizeof(p->path)];
	bool plain = find_in_stores(name, "", p->path, sizeof(p->path));

	p->encrypted = find_in_stores(name, ".encrypted", encrypted, sizeof(encrypted));
	if (plain && p->encrypted)
		return keyfile_say(ret_words, -EEXIST,
			"there are two key files, %s and %s: remove the one that electd.service "
			"does not load",
			p->path, encrypted);
	if (p->encrypted)
		memcpy(p->path, encrypted, sizeof(encrypted));
	if (plain || p->encrypted)
		return 0;
	return keyfile_say(ret_words, -ENOENT,
		"there is no key file %s in " KEYFILE_CREDSTORE
		" or in another folder where systemd looks for credentials",
		name);
}

static int find_by_path(const char *path, struct keyplace *p, char *ret_words)
{
	snprintf(p->path, sizeof(p->path), "%s", path);
	if (access(path, F_OK) == 0)
		return 0;
	return keyfile_say(ret_words, -errno, "%s: %s", path, strerror(errno));
}

/* A drop-in may load the credential from another place than electd.service does. */
static int find_credential(const struct unit *unit, struct keyplace *p, char *ret_words)
{
	char from[sizeof(p->path)];
	bool encrypted = false;
	int r = unit_credential(unit, p->name, from, sizeof(from), &encrypted);

	if (r < 0)
		return keyfile_say(ret_words, -EIO,
			"systemd did not report from where the unit loads %s: %s", p->name,
			strerror(-r));
	if (!r || *from != '/')
		return find_by_name(r ? from : p->name, p, ret_words);
	p->encrypted = encrypted;
	return find_by_path(from, p, ret_words);
}

static int find(const char *file, const struct unit *unit, struct keyplace *p, char *ret_words)
{
	if (*file == '/')
		return find_by_path(file, p, ret_words);
	if (strchr(file, '/') || strlen(file) >= sizeof(p->name))
		return keyfile_say(
			ret_words, -EINVAL, "\"%s\" is not a name of a credential", file);
	snprintf(p->name, sizeof(p->name), "%s", file);
	return find_credential(unit, p, ret_words);
}

/* ---- root's configuration --------------------------------------------------------------- */

/* Without a service manager, an instance is named after its configuration file. */
static const char *by_instance(const struct options *o, char *ret_path, size_t size)
{
	const char *name = ask_instance(o);

	snprintf(ret_path, size, "/etc/electd/%s.conf", name);
	return *name ? ret_path : NULL;
}

/* The unit must be known to start electd, because any process may have opened the socket. */
static int config_of(const struct options *o, const struct unit *unit, char *path, size_t size,
	const char **ret_config, char *ret_words)
{
	if (o->config)
		*ret_config = o->config;
	else if (unit->kind == UNIT_ELECTD)
		*ret_config = *unit->config ? unit->config : NULL;
	else if (unit->kind == UNIT_NO_MANAGER && !o->socket)
		*ret_config = by_instance(o, path, size);
	else
		return keyfile_say(ret_words, -EXDEV,
			"the answering process was not started by a unit of electd, so its key "
			"file is not known; allowed: --config with its configuration file");
	return 0;
}

static int load(const char *config, struct conf *ret, char *ret_words)
{
	struct conf_error error;
	int r = conf_load_guarded(config, ret, &error);

	if (!r)
		return 0;
	return keyfile_say(
		ret_words, r == -EPERM || r == -ENOENT ? -EXDEV : -EINVAL, "%s", error.text);
}

/* Compares after the cleaning that ask() applied to the text from electd. */
static bool is_named(const char *file, const char *named)
{
	char clean[2][CONF_PATH_MAX + 1];

	snprintf(clean[0], sizeof(clean[0]), "%s", file);
	snprintf(clean[1], sizeof(clean[1]), "%s", named);
	shown_clean(clean[0], false);
	shown_clean(clean[1], false);
	return !strcmp(clean[0], clean[1]) && strlen(named) < sizeof(clean[1]);
}

static int look_at_named(const struct conf *conf, const char *named, char *ret_words)
{
	if (is_named(conf->auth_keys, named))
		return 0;
	return keyfile_say(ret_words, -EXDEV,
		"%sauth.keys is \"%s\" for root, but this electd reports \"%.200s\"; allowed: the "
		"same file. If auth.keys was changed, restart electd; otherwise find out which "
		"process answers",
		conf->keys_place, conf->auth_keys, named);
}

int keyplace_find(const struct options *o, const char *named, const struct ucred *electd,
	struct keyplace *ret, char *ret_words)
{
	char path[REPLACE_PATH];
	const char *config = NULL;
	struct unit unit;
	struct conf conf;
	int r = unit_find(electd->pid, &unit);

	*ret = (struct keyplace){ .electd = *electd };
	if (r)
		return keyfile_say(ret_words, -EIO,
			"systemd did not report how it started electd: %s", strerror(-r));
	r = config_of(o, &unit, path, sizeof(path), &config, ret_words);
	if (!r)
		r = load(config, &conf, ret_words);
	if (!r)
		r = look_at_named(&conf, named, ret_words);
	return r ? r : find(conf.auth_keys, &unit, ret, ret_words);
}

/* ---- reading ------------------------------------------------------------------------------- */

static enum keyfile_kind kind_of(const struct keyplace *p)
{
	if (p->encrypted)
		return KEYFILE_ENCRYPTED;
	return *p->name ? KEYFILE_SOURCE : KEYFILE_OWN;
}

static int creds_failed(const struct keyplace *p, int rc, char *ret_words)
{
	return keyfile_say(ret_words, rc, "%s: %s", p->path,
		rc == -ENOEXEC	     ? "encrypted, and there is no systemd-creds here"
			: rc == -EIO ? "systemd-creds failed"
				     : strerror(-rc));
}

/* systemd-creds seals the name into the credential, so it must be given again. */
static int decrypt(const struct keyplace *p, char **ret_text, char *ret_words)
{
	char name[sizeof(p->name) + 8];
	char *words[] = { "systemd-creds", name, "decrypt", (char *)p->path, "-", NULL };
	char *text;
	int rc;

	snprintf(name, sizeof(name), "--name=%s", p->name);
	rc = filter_run(words, NULL, KEYFILE_SIZE_MAX, &text);
	if (rc)
		return creds_failed(p, rc, ret_words);
	return keyfile_move(p->path, text, ret_text, ret_words);
}

int keyplace_read(const struct keyplace *p, char **ret_text, char *ret_words)
{
	char *text;
	int rc = keyfile_read(p->path, kind_of(p), p->electd.uid, &text, ret_words);

	if (rc)
		return rc;
	if (!p->encrypted) {
		*ret_text = text;
		return 0;
	}
	keyfile_free(text);
	return decrypt(p, ret_text, ret_words);
}

/* ---- replacing ----------------------------------------------------------------------------- */

static int encrypt(const struct keyplace *p, const char *text, char **ret_text, char *ret_words)
{
	char name[sizeof(p->name) + 8];
	char *words[] = { "systemd-creds", name, "encrypt", "-", "-", NULL };
	int rc;

	snprintf(name, sizeof(name), "--name=%s", p->name);
	rc = filter_run(words, text, 4 * KEYFILE_SIZE_MAX, ret_text);
	return rc ? creds_failed(p, rc, ret_words) : 0;
}

/* A link in a folder of credentials is refused: rename(2) and unlink(2) would not follow it. */
static int refuse_link(const struct keyplace *p, char *ret_words)
{
	struct stat st;

	if (lstat(p->path, &st) < 0)
		return keyfile_say(ret_words, -errno, "%s: %s", p->path, strerror(errno));
	if (!S_ISLNK(st.st_mode))
		return 0;
	return keyfile_say(ret_words, -ELOOP,
		"%s: a link; allowed: the file itself. Its target can be changed by hand, and is "
		"read when root reloads",
		p->path);
}

/* Gives the new file the owner and mode of the old one, and makes it survive a power cut. */
static int settle(const struct keyplace *p, int fd)
{
	struct stat st;

	if (lstat(p->path, &st) < 0)
		return -errno;
	if (fchown(fd, st.st_uid, st.st_gid) < 0 || fchmod(fd, st.st_mode & 0777) < 0 ||
		fsync(fd) < 0)
		return -errno;
	return 0;
}

static int begin(
	const struct keyplace *p, const char *text, struct replacement *ret, char *ret_words)
{
	char *encrypted = NULL;
	int rc = p->encrypted ? encrypt(p, text, &encrypted, ret_words) : 0;

	if (rc)
		return rc;
	rc = replace_begin(p->path, encrypted ? encrypted : text, ret);
	free(encrypted);
	if (!rc) {
		rc = settle(p, ret->fd);
		if (rc)
			replace_drop(ret);
	}
	return rc ? keyfile_say(ret_words, rc, "%s cannot be replaced: %s", p->path, strerror(-rc))
		  : 0;
}

int keyplace_begin(
	const struct keyplace *p, const char *text, struct keyplace_change *ret, char *ret_words)
{
	int rc = refuse_link(p, ret_words);

	ret->remove = !text;
	return rc || ret->remove ? rc : begin(p, text, &ret->file, ret_words);
}

/* Makes the renamed or removed entry of the folder durable. */
static int sync_folder_of(const char *path)
{
	char folder[REPLACE_PATH];
	int fd, rc = 0;

	snprintf(folder, sizeof(folder), "%s", path);
	*strrchr(folder, '/') = '\0';
	fd = open(*folder ? folder : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fsync(fd) < 0)
		rc = -errno;
	close(fd);
	return rc;
}

int keyplace_end(const struct keyplace *p, struct keyplace_change *c, char *ret_words)
{
	int rc;

	if (c->remove)
		rc = unlink(p->path) < 0 ? -errno : 0;
	else
		rc = replace_end(&c->file);
	if (!rc)
		rc = sync_folder_of(p->path);
	return rc ? keyfile_say(ret_words, rc, "%s cannot be replaced: %s", p->path, strerror(-rc))
		  : 0;
}

void keyplace_drop(struct keyplace_change *c)
{
	if (!c->remove)
		replace_drop(&c->file);
}
