/* SPDX-License-Identifier: Apache-2.0 */
#include "credential.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-login.h>

#define MANAGER "org.freedesktop.systemd1"
/* The manager's own end, which is there without a message bus, for root. */
#define ADDRESS "unix:path=/run/systemd/private"

enum { TIMEOUT_US = 2000000 };

/* The source of that credential in a list of (name, source). */
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
	int r = sd_bus_get_property(
		bus, MANAGER, unit, MANAGER ".Service", property, NULL, &list, "a(ss)");

	if (r >= 0)
		r = find(list, name, ret_from, size);
	sd_bus_message_unref(list);
	return r;
}

static int look_in_both(sd_bus *bus, const char *unit, const char *name, char *ret_from,
	size_t size, bool *ret_encrypted)
{
	int r = look(bus, unit, "LoadCredential", name, ret_from, size);

	*ret_encrypted = r == 0;
	return r ? r : look(bus, unit, "LoadCredentialEncrypted", name, ret_from, size);
}

/* 0: there is no manager here. */
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

static int ask(const char *unit, const char *name, char *ret_from, size_t size, bool *ret_encrypted)
{
	sd_bus *bus = NULL;
	char *path = NULL;
	int r = sd_bus_path_encode("/org/freedesktop/systemd1/unit", unit, &path);

	if (r >= 0)
		r = connect_to_manager(&bus);
	if (r > 0)
		r = look_in_both(bus, path, name, ret_from, size, ret_encrypted);
	sd_bus_close_unref(bus);
	free(path);
	return r;
}

int credential_source(pid_t pid, const char *name, char *ret_from, size_t size, bool *ret_encrypted)
{
	char *unit = NULL;
	const char *end;
	int r;

	if (sd_pid_get_unit(pid, &unit) < 0)
		return 0;
	end = strrchr(unit, '.');
	r = end && !strcmp(end, ".service") ? ask(unit, name, ret_from, size, ret_encrypted) : 0;
	free(unit);
	return r;
}
