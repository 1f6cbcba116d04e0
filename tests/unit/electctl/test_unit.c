/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration and key file that a unit names, asked of a service manager played by sd-bus. */
#include "electctl/unit.h"
#include "server.h"
#include "unit/dir.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-id128.h>

#define UNITS	"/org/freedesktop/systemd1/unit/"
#define SERVICE "org.freedesktop.systemd1.Service"

enum { WORDS_MAX = 8 };

/* Splits `line` at blanks; NULL: the line does not start electd. */
static const char *config_of(const char *line)
{
	static char config[256], text[256];
	char *words[WORDS_MAX + 1] = { NULL }, *rest = text;

	assert_true(strlen(line) < sizeof(text));
	strcpy(text, line);
	strcpy(config, "untouched");
	for (int i = 0; i < WORDS_MAX && (words[i] = strtok_r(rest, " ", &rest)); i++)
		;
	return unit_reads_config(words, config, sizeof(config)) ? config : NULL;
}

static void an_electd_without_the_option_reads_its_default(void **state)
{
	(void)state;
	assert_string_equal(config_of("/usr/sbin/electd"), "");
	assert_string_equal(config_of("electd --log-level debug"), "");
	assert_string_equal(config_of("electd --check-config"), "");
}

static void the_last_configuration_wins_in_every_form_of_the_option(void **state)
{
	(void)state;
	assert_string_equal(
		config_of("/usr/sbin/electd --config /etc/electd/a.conf"), "/etc/electd/a.conf");
	assert_string_equal(config_of("/usr/sbin/electd --config=/b"), "/b");
	assert_string_equal(config_of("/usr/sbin/electd --conf /b"), "/b");
	assert_string_equal(config_of("/usr/sbin/electd -c /b"), "/b");
	assert_string_equal(config_of("/usr/sbin/electd -c/b"), "/b");
	assert_string_equal(config_of("electd --config /a --config=/b"), "/b");
	assert_string_equal(config_of("electd --config"), "");
}

static void a_wrapper_before_electd_is_ignored(void **state)
{
	(void)state;
	assert_string_equal(config_of("/usr/bin/nice -n 3 -c /x /sbin/electd -c /b"), "/b");
}

/* Another program behind the socket must not get the keys of the main instance. */
static void another_program_is_no_electd(void **state)
{
	(void)state;
	assert_null(config_of("/usr/sbin/nginx -c /etc/nginx.conf"));
	assert_null(config_of("/usr/sbin/electd-hookd --config /b"));
	assert_null(config_of("/srv/electd/other"));
	assert_null(config_of(""));
}

/* ---- the service manager --------------------------------------------------------------------- */

/* electd@web.service as in systemd/, with a drop-in, and a unit of another program. */
static int exec_start(sd_bus *bus, const char *path, const char *interface, const char *property,
	sd_bus_message *reply, void *user, sd_bus_error *error)
{
	const char *program = strstr(path, "electd") ? "/usr/sbin/electd" : "/usr/sbin/nginx";

	(void)bus, (void)interface, (void)property, (void)user, (void)error;
	return sd_bus_message_append(reply, "a(sasbttttuii)", 1, program, 3, program, "--config",
		"/etc/electd/web.conf", 0, (uint64_t)0, (uint64_t)0, (uint64_t)0, (uint64_t)0, 0, 0,
		0);
}

static int load_credential(sd_bus *bus, const char *path, const char *interface,
	const char *property, sd_bus_message *reply, void *user, sd_bus_error *error)
{
	(void)bus, (void)path, (void)interface, (void)property, (void)user, (void)error;
	return sd_bus_message_append(
		reply, "a(ss)", 2, "other", "/srv/other", "electd.keys", "/srv/keys/electd.keys");
}

static const sd_bus_vtable service[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_PROPERTY("ExecStart", "a(sasbttttuii)", exec_start, 0, 0),
	SD_BUS_PROPERTY("LoadCredential", "a(ss)", load_credential, 0, 0),
	SD_BUS_VTABLE_END,
};

static void play(int connection)
{
	sd_bus *bus = NULL;
	sd_id128_t id = { 0 };
	int r = 0;

	if (sd_bus_new(&bus) < 0 || sd_bus_set_fd(bus, connection, connection) < 0 ||
		sd_bus_set_server(bus, true, id) < 0 || sd_bus_start(bus) < 0 ||
		sd_bus_add_object_vtable(
			bus, NULL, UNITS "electd_40web_2eservice", SERVICE, service, NULL) < 0 ||
		sd_bus_add_object_vtable(
			bus, NULL, UNITS "nginx_2eservice", SERVICE, service, NULL) < 0)
		_exit(1);
	while (r >= 0 && sd_bus_is_open(bus) > 0) {
		r = sd_bus_process(bus, NULL);
		if (r == 0)
			r = sd_bus_wait(bus, UINT64_MAX);
	}
	sd_bus_close_unref(bus);
}

/* A child answers all calls of this process to systemd; false: the test cannot play it. */
static bool manager_plays(void)
{
	int fd;

	if (unshare(CLONE_NEWNS) || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) ||
		mount("none", "/run", "tmpfs", 0, "mode=755") || mkdir("/run/systemd", 0755))
		return false;
	fd = listen_at("/run/systemd/private");
	if (fork())
		return true;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		play(accept(fd, NULL, NULL));
}

static int asks(void)
{
	char from[64] = "";
	bool encrypted = true;
	struct unit u;

	if (!manager_plays())
		return CHILD_CANNOT;
	if (unit_look("electd@web.service", &u) || u.kind != UNIT_ELECTD ||
		strcmp(u.config, "/etc/electd/web.conf") != 0)
		return 1;
	if (unit_credential(&u, "electd.keys", from, sizeof(from), &encrypted) != 1 || encrypted ||
		strcmp(from, "/srv/keys/electd.keys") != 0)
		return 2;
	if (unit_look("nginx.service", &u) || u.kind != UNIT_OTHER)
		return 3;
	return unit_look("", &u) || u.kind != UNIT_OTHER ||
			unit_credential(&u, "electd.keys", from, sizeof(from), &encrypted)
		? 4
		: 0;
}

static void the_manager_reports_configuration_and_credential_of_a_unit(void **state)
{
	(void)state;
	assert_in_child(asks);
}

static int asks_nobody(void)
{
	struct unit u;

	if (unshare(CLONE_NEWNS) || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) ||
		mount("none", "/run", "tmpfs", 0, "mode=755"))
		return CHILD_CANNOT;
	return unit_find(getpid(), &u) || u.kind != UNIT_NO_MANAGER;
}

static void no_unit_is_found_without_a_manager(void **state)
{
	(void)state;
	assert_in_child(asks_nobody);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_electd_without_the_option_reads_its_default),
		cmocka_unit_test(the_last_configuration_wins_in_every_form_of_the_option),
		cmocka_unit_test(a_wrapper_before_electd_is_ignored),
		cmocka_unit_test(another_program_is_no_electd),
		cmocka_unit_test(the_manager_reports_configuration_and_credential_of_a_unit),
		cmocka_unit_test(no_unit_is_found_without_a_manager),
	};

	return cmocka_run_group_tests_name("unit", tests, NULL, NULL);
}
