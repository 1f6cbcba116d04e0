/* SPDX-License-Identifier: Apache-2.0 */
/* changes: the signals of systemd's manager (org.freedesktop.systemd1(5)). See changes.h. */
#include "changes.h"

#include <errno.h>
#include <stdlib.h>
#include <systemd/sd-bus.h>

#define MANAGER_PATH "/org/freedesktop/systemd1"
#define MANAGER	     "org.freedesktop.systemd1.Manager"
#define LOCAL_PATH   "/org/freedesktop/DBus/Local"
#define LOCAL	     "org.freedesktop.DBus.Local"
#define PROPERTIES   "org.freedesktop.DBus.Properties"

struct changes {
	sd_bus *bus;
	const struct changes_ops *ops;
	void *user;
};

/* ---- signals ----------------------------------------------------------------------------- */

static int on_connected(sd_bus_message *m, void *user, sd_bus_error *error)
{
	const struct changes *c = user;

	(void)m;
	(void)error;
	c->ops->any(c->user);
	return 0;
}

static int on_disconnected(sd_bus_message *m, void *user, sd_bus_error *error)
{
	const struct changes *c = user;

	(void)m;
	(void)error;
	c->ops->lost(c->user);
	return 0;
}

/* Jobs and the manager itself have properties too, under other paths. */
static int on_properties(sd_bus_message *m, void *user, sd_bus_error *error)
{
	const struct changes *c = user;
	char *name = NULL;

	(void)error;
	if (sd_bus_path_decode(sd_bus_message_get_path(m), MANAGER_PATH "/unit", &name) > 0)
		c->ops->unit(c->user, name);
	free(name);
	return 0;
}

static int on_unit_new(sd_bus_message *m, void *user, sd_bus_error *error)
{
	const struct changes *c = user;
	const char *name;

	(void)error;
	if (sd_bus_message_read(m, "s", &name) > 0)
		c->ops->loaded(c->user, name);
	return 0;
}

/* The manager sends the signal before and after a reload. Before it no unit has changed yet. */
static int on_reloading(sd_bus_message *m, void *user, sd_bus_error *error)
{
	const struct changes *c = user;
	int begins;

	(void)error;
	if (sd_bus_message_read(m, "b", &begins) > 0 && !begins)
		c->ops->any(c->user);
	return 0;
}

/* ---- the connection ---------------------------------------------------------------------- */

static int add_matches(struct changes *c)
{
	static const struct {
		const char *path, *interface, *member;
		sd_bus_message_handler_t handler;
	} matches[] = {
		{ LOCAL_PATH, LOCAL, "Connected", on_connected },
		{ LOCAL_PATH, LOCAL, "Disconnected", on_disconnected },
		{ NULL, PROPERTIES, "PropertiesChanged", on_properties },
		{ MANAGER_PATH, MANAGER, "UnitNew", on_unit_new },
		{ MANAGER_PATH, MANAGER, "Reloading", on_reloading },
	};
	int r = 0;

	for (size_t i = 0; i < sizeof(matches) / sizeof(matches[0]) && r >= 0; i++)
		r = sd_bus_match_signal(c->bus, NULL, NULL, matches[i].path, matches[i].interface,
			matches[i].member, matches[i].handler, c);
	return r;
}

/*
 * Signals come after everything else in the loop, so that a flood of them delays no demotion. The
 * end of the loop must not close the connection: sd_bus_flush(3) would wait for a hanging manager.
 */
static int connect_to(struct changes *c, sd_event *event, const char *address)
{
	int r = sd_bus_new(&c->bus);

	if (r >= 0)
		r = sd_bus_set_address(c->bus, address);
	if (r >= 0)
		r = sd_bus_set_connected_signal(c->bus, true);
	if (r >= 0)
		r = sd_bus_set_close_on_exit(c->bus, false);
	if (r >= 0)
		r = add_matches(c);
	if (r >= 0)
		r = sd_bus_start(c->bus);
	if (r >= 0)
		r = sd_bus_attach_event(c->bus, event, SD_EVENT_PRIORITY_IDLE);
	return r < 0 ? r : 0;
}

int changes_open(struct changes **ret_changes, sd_event *event, const char *address,
	const struct changes_ops *ops, void *user)
{
	struct changes *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return -ENOMEM;
	c->ops = ops;
	c->user = user;
	r = connect_to(c, event, address);
	if (r) {
		changes_close(c);
		return r;
	}
	*ret_changes = c;
	return 0;
}

bool changes_heard(const struct changes *c)
{
	return c && sd_bus_is_ready(c->bus) > 0;
}

bool changes_over(const struct changes *c)
{
	return !c || sd_bus_is_open(c->bus) <= 0;
}

void changes_close(struct changes *c)
{
	if (!c)
		return;
	sd_bus_detach_event(c->bus);
	sd_bus_close_unref(c->bus); /* without a flush */
	free(c);
}
