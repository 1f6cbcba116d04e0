/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file: see file.h. Refuses the first thing that is wrong, with its place; decides nothing about
 * values that are allowed.
 */
#include "file.h"

#include "program/whole.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	SUFFIX = 5,	   /* length of ".conf" */
	KEY_PATH_MAX = 64, /* characters of "network.unicast_ports"; a longer one is unknown */
};

/* ---- one file's settings -------------------------------------------------------------------- */

static const struct conf_key *find_key(const char *path)
{
	size_t count;
	const struct conf_key *keys = conf_keys(&count);

	for (size_t i = 0; i < count; i++) {
		if (strcmp(keys[i].path, path) == 0)
			return &keys[i];
	}
	return NULL;
}

/* The name of `key` within the group `path` ("": the top); NULL: it is not directly in there. */
static const char *name_in_group(const struct conf_key *key, const char *path)
{
	size_t length = strlen(path);
	const char *name = key->path;

	if (length && (strncmp(name, path, length) != 0 || name[length] != '.'))
		return NULL;
	return length ? name + length + 1 : name;
}

static bool is_group(const char *path)
{
	size_t count;
	const struct conf_key *keys = conf_keys(&count);

	for (size_t i = 0; i < count; i++) {
		if (name_in_group(&keys[i], path))
			return true;
	}
	return false;
}

static int refuse_unknown(struct conf_loading *l, const config_setting_t *setting, const char *path,
	const char *group)
{
	size_t count, at = 0;
	const struct conf_key *keys = conf_keys(&count);
	char names[CONF_ERROR_MAX / 2] = "";

	for (size_t i = 0; i < count && at < sizeof(names); i++) {
		const char *name = name_in_group(&keys[i], group);

		if (name && !keys[i].obsolete)
			at += (size_t)snprintf(
				names + at, sizeof(names) - at, "%s%s", at ? ", " : "", name);
	}
	conf_place(l->error, l->file, config_setting_source_line(setting), path, names);
	return conf_say(l->error, -EINVAL, "%s:%u: unknown key \"%s\"; allowed%s%s: %s", l->file,
		config_setting_source_line(setting), path, *group ? " in " : "", group, names);
}

static int refuse_value(
	struct conf_loading *l, const config_setting_t *setting, const struct conf_key *key)
{
	char value[128], words[CONF_ALLOWED_MAX];

	conf_allowed(key, words, sizeof(words));
	conf_value_describe_entry(key, setting, value, sizeof(value));
	conf_place(l->error, l->file, config_setting_source_line(setting), key->path, words);
	return conf_say(l->error, -EINVAL, "%s:%u: %s: %s is not allowed; allowed: %s%s%s", l->file,
		config_setting_source_line(setting), key->path, value, words,
		key->instead ? "; " : "", key->instead ? key->instead : "");
}

static int take_key(
	struct conf_loading *l, const config_setting_t *setting, const struct conf_key *key)
{
	unsigned line = config_setting_source_line(setting);
	size_t count, index = (size_t)(key - conf_keys(&count));
	int r;

	assert(count <= CONF_KEYS_MAX);
	r = conf_value_take(key, setting, &l->conf);
	if (r < 0)
		return refuse_value(l, setting, key);
	l->origin[index].line = line;
	snprintf(l->origin[index].file, sizeof(l->origin[index].file), "%s", l->file);
	return 0;
}

const struct conf_origin *conf_file_origin(const struct conf_loading *l, const char *path)
{
	size_t count;

	return &l->origin[find_key(path) - conf_keys(&count)];
}

static int take_group(
	struct conf_loading *l, const config_setting_t *group, const char *group_path);

static int take_setting(struct conf_loading *l, const config_setting_t *setting, const char *path,
	const char *group)
{
	const struct conf_key *key = find_key(path);

	if (key)
		return take_key(l, setting, key);
	if (!is_group(path))
		return refuse_unknown(l, setting, path, group);
	conf_place(l->error, l->file, config_setting_source_line(setting), path, "a group");
	if (!config_setting_is_group(setting))
		return conf_say(l->error, -EINVAL,
			"%s:%u: %s: a value is not allowed; allowed: a group, %s: { ... }", l->file,
			config_setting_source_line(setting), path, path);
	return take_group(l, setting, path);
}

/* Goes no deeper than the groups of the table, because a deeper group is an unknown key. */
static int take_group(struct conf_loading *l, const config_setting_t *group, const char *group_path)
{
	int length = config_setting_length(group);

	for (int i = 0; i < length; i++) {
		const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
		char path[KEY_PATH_MAX];
		int r;

		snprintf(path, sizeof(path), "%s%s%s", group_path, *group_path ? "." : "",
			config_setting_name(setting));
		r = take_setting(l, setting, path, group_path);
		if (r < 0)
			return r;
	}
	return 0;
}

/* ---- one file ------------------------------------------------------------------------------- */

/*
 * libconfig would open any file named by @include, which drop-ins make unnecessary. A NUL would
 * hide the rest of the text.
 */
static int check_text(const struct conf_loading *l, const char *text, size_t size)
{
	unsigned line = 1;

	conf_place(l->error, l->file, 0, "", "");
	if (memchr(text, '\0', size))
		return conf_say(l->error, -EINVAL, "%s: not a text file", l->file);
	/* libconfig would end the string there. */
	for (const char *at = text; (at = strchr(at, '\\')); at += at[1] ? 2 : 1)
		if (!strncmp(at, "\\x00", 4))
			return conf_say(l->error, -EINVAL, "%s: \\x00 is not allowed", l->file);
	for (const char *at = text; at; line++) {
		l->error->line = line;
		if (strncmp(at + strspn(at, " \t\r\f\v"), "@include", 8) == 0)
			return conf_say(l->error, -EINVAL,
				"%s:%u: @include is not allowed; allowed: files in the drop-in "
				"folder",
				l->file, line);
		at = strchr(at, '\n');
		if (at)
			at++;
	}
	return 0;
}

static const char *line_of(const char *text, int number)
{
	while (number > 1 && (text = strchr(text, '\n'))) {
		text++;
		number--;
	}
	return text ? text + strspn(text, " \t") : "";
}

/*
 * Pages and messages name keys as group.name, which is a syntax error in a file. Gives the right
 * form as a hint; empty if this is another error.
 */
static void hint_at_group(const char *line, char *ret_hint, size_t size)
{
	static const char names[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	size_t group = strspn(line, names), name = 0;
	char path[KEY_PATH_MAX];

	ret_hint[0] = '\0';
	if (group && line[group] == '.')
		name = strspn(line + group + 1, names);
	if (!name || group + 1 + name >= sizeof(path))
		return;
	snprintf(path, sizeof(path), "%.*s", (int)(group + 1 + name), line);
	if (find_key(path))
		snprintf(ret_hint, size, "; allowed: %.*s = { %s = ...; };", (int)group, path,
			path + group + 1);
}

static int refuse_syntax(struct conf_loading *l, const char *text, const config_t *config)
{
	int line = config_error_line(config);
	char hint[2 * KEY_PATH_MAX];

	hint_at_group(line_of(text, line), hint, sizeof(hint));
	conf_place(l->error, l->file, (unsigned)line, "", "");
	return conf_say(
		l->error, -EINVAL, "%s:%d: %s%s", l->file, line, config_error_text(config), hint);
}

int conf_file_text(struct conf_loading *l, const char *text, size_t size)
{
	config_t config;
	int r = check_text(l, text, size);

	if (r < 0)
		return r;
	config_init(&config);
	if (config_read_string(&config, text) == CONFIG_TRUE) {
		r = take_group(l, config_root_setting(&config), "");
	} else {
		r = refuse_syntax(l, text, &config);
	}
	config_destroy(&config);
	return r;
}

/* Accepts a character device, because a link to /dev/null is the usual way to mask a drop-in. */
static int open_file(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || S_ISREG(st.st_mode) || S_ISCHR(st.st_mode))
		return fd;
	close(fd);
	return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
}

static bool others_may_change(const struct stat *st)
{
	return (st->st_uid && st->st_uid != geteuid()) || st->st_mode & (S_IWGRP | S_IWOTH);
}

/* Checks the file, and the folder in which it could be replaced. */
static int check_guard(const char *path, int fd)
{
	const char *slash = strrchr(path, '/');
	char folder[CONF_PATH_MAX + 1];
	struct stat file, around;

	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) + 1 : 1,
		slash ? path : ".");
	if (fstat(fd, &file) < 0 || stat(folder, &around) < 0)
		return -errno;
	if (S_ISREG(file.st_mode) && others_may_change(&file))
		return -EPERM;
	return others_may_change(&around) ? -EPERM : 0;
}

static int read_file(
	const struct conf_loading *l, const char *path, int fd, char **ret_text, size_t *ret_size)
{
	int r = l->guarded ? check_guard(path, fd) : 0;

	return r ? r : whole_read(fd, CONF_FILE_MAX, ret_text, ret_size);
}

static int refuse_guard(const struct conf_loading *l, const char *path)
{
	return conf_say(l->error, -EPERM,
		"%s: others may change it; allowed: a file and a folder that only root can write "
		"to",
		path);
}

int conf_file_take(struct conf_loading *l, const char *path, bool may_be_missing)
{
	size_t size;
	char *text;
	int r, fd = open_file(path);

	if (fd == -ENOENT && may_be_missing)
		return 0;
	conf_place(l->error, path, 0, "", "");
	r = fd < 0 ? fd : read_file(l, path, fd, &text, &size);
	if (fd >= 0)
		close(fd);
	if (r == -EPERM && l->guarded)
		return refuse_guard(l, path);
	if (r < 0)
		return conf_say(l->error, r, "%s: cannot be read: %s", path, strerror(-r));
	l->file = path;
	l->any_file = true;
	r = conf_file_text(l, text, size);
	free(text);
	return r;
}

static int refuse_definition(const struct conf_loading *l, const char *words)
{
	const struct conf_origin *at = conf_file_origin(l, "definition.file");

	conf_place(l->error, at->file, at->line, "definition.file", "a file of at most 4096 bytes");
	return conf_say(l->error, -EINVAL,
		"%s:%u: definition.file: %s %s; allowed: a file of at most %d bytes", at->file,
		at->line, l->conf.definition_file, words, ELECT_DEFINITION_MAX);
}

int conf_file_definition(struct conf_loading *l)
{
	size_t size;
	char *text;
	int r, fd;

	if (!l->conf.definition_file[0])
		return 0;
	fd = open_file(l->conf.definition_file);
	r = fd < 0 ? fd : whole_read(fd, ELECT_DEFINITION_MAX, &text, &size);
	if (fd >= 0)
		close(fd);
	if (r == -EFBIG)
		return refuse_definition(l, "is longer");
	if (r < 0)
		return refuse_definition(l, strerror(-r));
	memcpy(l->conf.definition, text, size);
	l->conf.definition_size = (uint16_t)size;
	free(text);
	return 0;
}

/* ---- drop-ins ------------------------------------------------------------------------------- */

static bool has_suffix(const char *name)
{
	size_t length = strlen(name);

	return length > SUFFIX && strcmp(name + length - SUFFIX, ".conf") == 0;
}

static int is_dropin(const struct dirent *entry)
{
	return entry->d_name[0] != '.' && has_suffix(entry->d_name);
}

/* By bytes, independent of the locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int take_dropin(struct conf_loading *l, const char *folder, const char *name)
{
	char path[CONF_PATH_MAX + 1];

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, name) >= sizeof(path))
		return conf_say(l->error, -ENAMETOOLONG, "%s: path too long", folder);
	return conf_file_take(l, path, false);
}

int conf_file_dropins(struct conf_loading *l, const char *file)
{
	struct dirent **entries;
	char folder[CONF_PATH_MAX + 1];
	int count, r = 0;
	int stem = (int)strlen(file) - (has_suffix(file) ? SUFFIX : 0);

	if ((size_t)snprintf(folder, sizeof(folder), "%.*s.conf.d", stem, file) >= sizeof(folder))
		return conf_say(l->error, -ENAMETOOLONG, "%s: path too long", file);
	conf_place(l->error, folder, 0, "", "");
	count = scandir(folder, &entries, is_dropin, by_name);
	if (count < 0 && errno == ENOENT)
		return 0;
	if (count < 0)
		return conf_say(
			l->error, -errno, "%s: cannot be read: %s", folder, strerror(errno));
	if (count > CONF_DROPINS_MAX)
		r = conf_say(l->error, -E2BIG, "%s: %d files; allowed: at most %d", folder, count,
			CONF_DROPINS_MAX);
	for (int i = 0; i < count; i++) {
		if (r == 0)
			r = take_dropin(l, folder, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return r;
}
