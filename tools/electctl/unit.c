/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-login.h>

#define MANAGER "org.freedesktop.systemd1"
/* The manager's private socket, which works for root without a message bus. */
#define ADDRESS "unix:path=/run/systemd/private"

enum { TIMEOUT_US = 2000000 };

/* ---- the manager --------------------------------------------------------------------------- */

/* 1; 0: there is no manager here; -errno. */
static int connect_to_manager(sd_bus **ret)
{
	int r = sd_bus_new(ret);

	if (r >= 0)
		r = sd_bus_set_address(*ret, ADDRESS);
	if (r >= 0)
		r = sd_bus_set_method_call_timeout(*ret, TIMEOUT_US);
	if (r >= 0)
		r = sd_bus_start(*ret);
	if (r == -ENOENT || r == -ECONNREFUSED)
		return 0;
	return r < 0 ? r : 1;
}

/* Reads a property of a service. At least 0, or -errno. */
static int get(
	sd_bus *bus, const char *unit, const char *property, const char *type, sd_bus_message **ret)
{
	char *path = NULL;
	int r = sd_bus_path_encode("/org/freedesktop/systemd1/unit", unit, &path);

	if (r >= 0)
		r = sd_bus_get_property(
			bus, MANAGER, path, MANAGER ".Service", property, NULL, ret, type);
	free(path);
	return r;
}

/* ---- how electd was started ------------------------------------------------------------------ */

static bool is_electd(const char *word)
{
	const char *slash = strrchr(word, '/');

	return !strcmp(slash ? slash + 1 : word, "electd");
}

/* "--config=FILE", "--config FILE", "-c FILE", "-cFILE"; NULL: another option. */
static const char *config_in(const char *word, const char *next)
{
	size_t length = strcspn(word, "=");

	if (!strncmp(word, "-c", 2))
		return word[2] ? word + 2 : next;
	/* getopt_long(3) accepts abbreviations; shorter ones could also mean --check-config. */
	if (length < strlen("--co") || strncmp(word, "--config", length) != 0)
		return NULL;
	return word[length] ? word + length + 1 : next;
}

bool unit_reads_config(char *const *words, char *ret_config, size_t size)
{
	while (*words && !is_electd(*words))
		words++;
	if (!*words)
		return false;
	*ret_config = '\0';
	for (words++; *words; words++) {
		const char *config = config_in(*words, words[1]);

		if (config)
			snprintf(ret_config, size, "%s", config);
	}
	return true;
}

/* Reads the first command of ExecStart=; electd's services have one. At least 0, or -errno. */
static int read_start(sd_bus_message *list, struct unit *u)
{
	char **words = NULL;
	const char *path;
	int r = sd_bus_message_enter_container(list, 'a', "(sasbttttuii)");

	if (r >= 0)
		r = sd_bus_message_enter_container(list, 'r', "sasbttttuii");
	if (r > 0)
		r = sd_bus_message_read(list, "s", &path);
	if (r > 0)
		r = sd_bus_message_read_strv(list, &words);
	if (r >= 0 && words && unit_reads_config(words, u->config, sizeof(u->config)))
		u->kind = UNIT_ELECTD;
	for (char **word = words; word && *word; word++)
		free(*word);
	free(words);
	return r;
}

static int look_at_start(sd_bus *bus, struct unit *u)
{
	sd_bus_message *list = NULL;
	int r = get(bus, u->name, "ExecStart", "a(sasbttttuii)", &list);

	if (r >= 0)
		r = read_start(list, u);
	sd_bus_message_unref(list);
	return r < 0 ? r : 0;
}

int unit_look(const char *name, struct unit *ret)
{
	sd_bus *bus = NULL;
	int r = connect_to_manager(&bus);

	*ret = (struct unit){ .kind = r > 0 ? UNIT_OTHER : UNIT_NO_MANAGER };
	snprintf(ret->name, sizeof(ret->name), "%s", name);
	if (r > 0 && *name)
		r = look_at_start(bus, ret);
	sd_bus_close_unref(bus);
	return r < 0 ? r : 0;
}

/* The service that the process is in, according to the kernel; "": none. */
int unit_find(pid_t pid, struct unit *ret)
{
	char *name = NULL;
	const char *end;
	int r;

	if (pid <= 0 || sd_pid_get_unit(pid, &name) < 0)
		return unit_look("", ret);
	end = strrchr(name, '.');
	r = unit_look(
		end && !strcmp(end, ".service") && strlen(name) < UNIT_NAME_SIZE ? name : "", ret);
	free(name);
	return r;
}

/* ---- credentials --------------------------------------------------------------------------- */

/* Finds the source of that credential in a list of (name, source). 1, 0: not there, or -errno. */
static int find(sd_bus_message *list, const char *name, char *ret_from, size_t size)
{
	const char *one, *from;
	int r = sd_bus_message_enter_container(list, 'a', "(ss)");

	while (r >= 0 && (r = sd_bus_message_read(list, "(ss)", &one, &from)) > 0)
		if (!strcmp(one, name))
			return (size_t)snprintf(ret_from, size, "%s", from) < size ? 1
										   : -ENAMETOOLONG;
	return r;
}

static int look(sd_bus *bus, const char *unit, const char *property, const char *name,
	char *ret_from, size_t size)
{
	sd_bus_message *list = NULL;
	int r = get(bus, unit, property, "a(ss)", &list);

	if (r >= 0)
		r = find(list, name, ret_from, size);
	sd_bus_message_unref(list);
	return r;
}

int unit_credential(
	const struct unit *u, const char *name, char *ret_from, size_t size, bool *ret_encrypted)
{
	sd_bus *bus = NULL;
	int r = *u->name ? connect_to_manager(&bus) : 0;

	if (r > 0) {
		r = look(bus, u->name, "LoadCredential", name, ret_from, size);
		*ret_encrypted = r == 0;
		if (!r)
			r = look(bus, u->name, "LoadCredentialEncrypted", name, ret_from, size);
	}
	sd_bus_close_unref(bus);
	return r;
}
