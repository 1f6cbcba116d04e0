/* SPDX-License-Identifier: Apache-2.0 */
/* The signals of a service manager, which the test plays by sd-bus in the same loop. */
#include "dir.h"

#include "hookd/run/changes.h"
#include "unit/patience.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-id128.h>

#define MANAGER_PATH "/org/freedesktop/systemd1"
#define MANAGER	     "org.freedesktop.systemd1.Manager"
#define UNIT_PATH    MANAGER_PATH "/unit/db_2dmain_2eservice"

static sd_event *event;
static struct changes *changes;
static char path[128], address[160], heard[256];
static int listener;
static sd_bus *manager; /* NULL: no connection was accepted */

/* ---- electd-hookd ------------------------------------------------------------------------ */

static void hear(const char *what, const char *name)
{
	size_t used = strlen(heard);

	snprintf(heard + used, sizeof(heard) - used, "%s%s;", what, name);
}

static void on_any(void *user)
{
	(void)user;
	hear("any", "");
}

static void on_unit(void *user, const char *name)
{
	(void)user;
	hear("unit ", name);
}

static void on_loaded(void *user, const char *name)
{
	(void)user;
	hear("loaded ", name);
}

static void on_lost(void *user)
{
	(void)user;
	hear("lost", "");
}

static const struct changes_ops ops = {
	.any = on_any,
	.unit = on_unit,
	.loaded = on_loaded,
	.lost = on_lost,
};

static int open_it(void)
{
	heard[0] = '\0';
	return changes_open(&changes, event, address, &ops, NULL);
}

/* Turns the loop until exactly this was reported. */
static void hears(const char *what)
{
	for (int round = 0; strcmp(heard, what) != 0 && round < PATIENCE_ROUNDS; round++)
		assert_true(sd_event_run(event, PATIENCE_ROUND_MS * 1000) >= 0);
	assert_string_equal(heard, what);
	heard[0] = '\0';
}

/* ---- the manager ------------------------------------------------------------------------- */

static void listen_there(void)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };

	memcpy(name.sun_path, path, strlen(path) + 1);
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(listener, (struct sockaddr *)&name, sizeof(name)), 0);
	assert_int_equal(listen(listener, 1), 0);
}

static void manager_ends(void)
{
	sd_bus_close_unref(manager);
	manager = NULL;
}

static void manager_accepts(void)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	sd_id128_t id = { 0 };

	assert_true(fd >= 0);
	assert_true(sd_bus_new(&manager) >= 0);
	assert_true(sd_bus_set_fd(manager, fd, fd) >= 0);
	assert_true(sd_bus_set_server(manager, true, id) >= 0);
	assert_true(sd_bus_start(manager) >= 0);
	assert_true(sd_bus_attach_event(manager, event, SD_EVENT_PRIORITY_NORMAL) >= 0);
}

static void reloading(int begins)
{
	assert_true(
		sd_bus_emit_signal(manager, MANAGER_PATH, MANAGER, "Reloading", "b", begins) >= 0);
}

static void properties_changed(const char *of)
{
	assert_true(sd_bus_emit_signal(manager, of, "org.freedesktop.DBus.Properties",
			    "PropertiesChanged", "sa{sv}as", "org.freedesktop.systemd1.Unit", 0,
			    0) >= 0);
}

static void unit_signal(const char *interface, const char *member)
{
	assert_true(sd_bus_emit_signal(manager, MANAGER_PATH, interface, member, "so",
			    "db-main.service", UNIT_PATH) >= 0);
}

static int set_up(void **state)
{
	(void)state;
	if (dir_made_in("/tmp", "changes") || sd_event_new(&event) < 0)
		return -1;
	snprintf(path, sizeof(path), "%s/private", dir);
	snprintf(address, sizeof(address), "unix:path=%s", path);
	changes = NULL;
	listen_there();
	return 0;
}

static int tear_down(void **state)
{
	changes_close(changes);
	manager_ends();
	if (listener >= 0)
		close(listener);
	sd_event_unref(event);
	return dir_removed(state);
}

static void connects(void)
{
	assert_int_equal(open_it(), 0);
	manager_accepts();
	hears("any;");
	assert_true(changes_heard(changes));
}

/* ---- the tests --------------------------------------------------------------------------- */

static void a_unit_is_named_by_its_path(void **state)
{
	(void)state;
	connects();
	properties_changed(UNIT_PATH);
	hears("unit db-main.service;");
}

static void a_new_unit_is_named(void **state)
{
	(void)state;
	connects();
	unit_signal(MANAGER, "UnitNew");
	hears("loaded db-main.service;");
}

static void the_end_of_a_reload_concerns_all_units(void **state)
{
	(void)state;
	connects();
	reloading(true);
	properties_changed(UNIT_PATH);
	hears("unit db-main.service;");
	reloading(false);
	hears("any;");
}

/* Signals of jobs and of the manager, and a member of the same name in another interface. */
static void other_signals_are_ignored(void **state)
{
	(void)state;
	connects();
	properties_changed(MANAGER_PATH "/job/7");
	properties_changed(MANAGER_PATH);
	unit_signal(MANAGER, "UnitRemoved");
	unit_signal("org.example.Manager", "UnitNew");
	properties_changed(UNIT_PATH);
	hears("unit db-main.service;");
}

/* As when the manager re-executes itself. */
static void the_end_of_the_connection_is_reported(void **state)
{
	(void)state;
	connects();
	manager_ends();
	hears("lost;");
	assert_false(changes_heard(changes));
	assert_true(changes_over(changes));
	changes_close(changes);
	connects();
}

/* A hanging manager accepts no connection. */
static void nothing_waits_for_a_connection(void **state)
{
	(void)state;
	assert_int_equal(open_it(), 0);
	for (int round = 0; round < 3; round++)
		assert_true(sd_event_run(event, 0) >= 0);
	assert_false(changes_heard(changes));
	assert_false(changes_over(changes));
}

static void the_end_of_the_loop_waits_for_no_connection(void **state)
{
	(void)state;
	assert_int_equal(open_it(), 0);
	assert_true(sd_event_exit(event, 0) >= 0);
	assert_int_equal(sd_event_loop(event), 0);
}

/* The queue of connections of a manager that hangs for long is full. */
static void nothing_waits_for_a_full_queue(void **state)
{
	struct changes *before[8] = { NULL };
	int r = 0;

	(void)state;
	for (size_t i = 0; i < 8 && !r; i++) {
		r = open_it();
		before[i] = changes;
		changes = NULL;
	}
	assert_int_equal(r, -EAGAIN);
	for (size_t i = 0; i < 8; i++)
		changes_close(before[i]);
}

static void no_manager_is_an_error(void **state)
{
	(void)state;
	close(listener);
	listener = -1;
	assert_int_equal(open_it(), -ECONNREFUSED);
	unlink(path);
	assert_int_equal(open_it(), -ENOENT);
	assert_false(changes_heard(NULL));
	assert_true(changes_over(NULL));
}

#define CHANGES(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CHANGES(a_unit_is_named_by_its_path),
		CHANGES(a_new_unit_is_named),
		CHANGES(the_end_of_a_reload_concerns_all_units),
		CHANGES(other_signals_are_ignored),
		CHANGES(the_end_of_the_connection_is_reported),
		CHANGES(nothing_waits_for_a_connection),
		CHANGES(the_end_of_the_loop_waits_for_no_connection),
		CHANGES(nothing_waits_for_a_full_queue),
		CHANGES(no_manager_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
