/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration files, drop-ins and the definition as files; the manual agrees with the table. */
#include "dir.h"
#include "unit/page.h"

#include <inttypes.h>
#include <sched.h>
#include <sys/mount.h>

/* ---- configuration files ---------------------------------------------------------------- */

static void a_file_is_read(void **state)
{
	struct conf c = loaded(file_with("electd.conf", "domain = \"blue\";\n"));

	(void)state;
	assert_string_equal(c.domain, "blue");
	assert_false(c.defaults_only);
}

/* electd@web reads /etc/electd/web.conf. */
static void a_file_names_its_domain(void **state)
{
	(void)state;
	assert_string_equal(loaded(file_with("web-2.conf", "priority = 1;")).domain, "web-2");
	assert_string_equal(loaded(file_with("electd.conf", "priority = 1;")).domain, "default");
	assert_string_equal(loaded(file_with("web", "priority = 1;")).domain, "default");
	assert_string_equal(loaded(file_with(".conf", "priority = 1;")).domain, "default");
	assert_string_equal(loaded(file_with("web-2.conf", "domain = \"blue\";")).domain, "blue");
	folder("db.conf.d");
	file_with("db.conf.d/1.conf", "domain = \"red\";");
	assert_string_equal(loaded(file_with("db.conf", "priority = 1;")).domain, "red");
}

static void a_file_whose_name_is_no_valid_domain_must_set_one(void **state)
{
	static const char long_name[] =
		"0123456789012345678901234567890123456789012345678901234567890123.conf";

	(void)state;
	assert_int_equal(refused(file_with("a b.conf", "priority = 1;")), -EINVAL);
	assert_has(error.text, "a b.conf: domain: the name of the file is not a valid domain");
	assert_string_equal(error.key, "domain");
	assert_string_equal(loaded(file_with("a b.conf", "domain = \"ab\";")).domain, "ab");
	assert_int_equal(refused(file_with("-rf.conf", "priority = 1;")), -EINVAL);
	assert_int_equal(refused(file_with("..conf", "priority = 1;")), -EINVAL);
	assert_int_equal(refused(file_with(long_name, "priority = 1;")), -EINVAL);
	assert_string_equal(loaded(file_with(long_name + 1, "")).domain,
		"123456789012345678901234567890123456789012345678901234567890123");
}

static void a_named_file_that_is_missing_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(refused(path_of("none.conf")), -ENOENT);
	assert_has(error.text, path_of("none.conf"));
	assert_has(error.text, "No such file");
}

/* An empty folder hides the configuration files of the host. */
static int load_without_any_file(void)
{
	if (access("/etc/electd", F_OK) == 0 &&
		(unshare(CLONE_NEWNS) || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) ||
			mount("none", "/etc/electd", "tmpfs", 0, NULL)))
		return CHILD_CANNOT;
	return loaded(NULL).defaults_only && !strcmp(loaded(NULL).domain, "default") ? 0 : 1;
}

static void the_defaults_hold_without_any_file(void **state)
{
	(void)state;
	assert_in_child(load_without_any_file);
}

static int load_unreadable(void)
{
	struct conf conf;

	if (getuid() == 0 && setuid(65534) < 0)
		return 77;
	if (conf_load(path_of("electd.conf"), &conf, &error) != -EACCES)
		return 1;
	return strstr(error.text, "electd.conf: cannot be read: Permission denied") ? 0 : 2;
}

static void an_unreadable_file_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(chmod(file_with("electd.conf", ""), 0), 0);
	assert_int_equal(chmod(dir, 0755), 0);
	assert_int_equal(in_child(load_unreadable), 0);
}

static void anything_but_a_regular_file_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(refused(dir), -EISDIR);
	assert_int_equal(mkfifo(path_of("fifo"), 0600), 0);
	assert_int_equal(refused(path_of("fifo")), -EINVAL);
	assert_int_equal(refused("/dev/zero"), -EFBIG);
}

static void a_file_with_a_nul_is_an_error(void **state)
{
	const char *path = file_with("electd.conf", "priority = 5;\n");
	FILE *file = fopen(path, "ae");

	(void)state;
	assert_non_null(file);
	assert_int_equal(fwrite("\0priority = 900;", 1, 16, file), 16);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(refused(path), -EINVAL);
	assert_has(error.text, "not a text file");
}

static void drop_ins_are_read_by_name_and_later_ones_win(void **state)
{
	struct conf c;

	(void)state;
	folder("web.conf.d");
	file_with("web.conf", "domain = \"web\"; priority = 1; quorum = 1;");
	file_with("web.conf.d/20-b.conf", "priority = 20;\nnetwork: { port = 20; };");
	file_with("web.conf.d/10-a.conf", "priority = 10; quorum = 10;");
	file_with("web.conf.d/9.conf", "quorum = 9; network: { interfaces = [ \"a\" ]; };");
	file_with("web.conf.d/30.conf", "network: { interfaces = [ ]; };");
	file_with("web.conf.d/99-no", "priority = 99;");
	file_with("web.conf.d/.99.conf", "priority = ");
	file_with("web.conf.d/99.conf~", "priority = 99;");
	c = loaded(path_of("web.conf"));
	assert_string_equal(c.domain, "web");
	assert_int_equal(c.priority, 20);
	assert_int_equal(c.quorum, 9);
	assert_int_equal(c.port, 20);
	assert_int_equal(c.interfaces.count, 1);
}

static void a_drop_in_linked_to_dev_null_is_masked(void **state)
{
	(void)state;
	folder("web.conf.d");
	file_with("web.conf", "priority = 1;");
	assert_int_equal(symlink("/dev/null", path_of("web.conf.d/10.conf")), 0);
	assert_int_equal(loaded(path_of("web.conf")).priority, 1);
}

static void a_fault_in_a_drop_in_names_the_drop_in(void **state)
{
	(void)state;
	folder("web.conf.d");
	file_with("web.conf", "priority = 1;");
	file_with("web.conf.d/10.conf", "\n\npriority = 256;");
	assert_int_equal(refused(path_of("web.conf")), -EINVAL);
	assert_has(error.text, path_of("web.conf.d/10.conf:3: priority: 256 is not allowed"));
	file_with("web.conf.d/10.conf", "\ntiming: { beacon_interval_ms = 5000; };");
	assert_int_equal(refused(path_of("web.conf")), -EINVAL);
	assert_has(error.text, path_of("web.conf.d/10.conf:2: timing.dead_after_ms"));
}

static void too_many_drop_ins_are_refused(void **state)
{
	char name[64];

	(void)state;
	folder("web.conf.d");
	file_with("web.conf", "");
	for (int i = 0; i <= CONF_DROPINS_MAX; i++) {
		snprintf(name, sizeof(name), "web.conf.d/%d.conf", i);
		file_with(name, "");
	}
	assert_int_equal(refused(path_of("web.conf")), -E2BIG);
	assert_int_equal(unlink(path_of("web.conf.d/0.conf")), 0);
	loaded(path_of("web.conf"));
}

/* ---- the definition ------------------------------------------------------------------------- */

static const char *definition_of(size_t size)
{
	static char config[256], bytes[ELECT_DEFINITION_MAX + 2];

	memset(bytes, 'd', sizeof(bytes));
	bytes[size] = '\0';
	snprintf(config, sizeof(config), "\ndefinition: { file = \"%s\"; };",
		file_with("definition", bytes));
	return file_with("electd.conf", config);
}

static void a_definition_is_read_with_the_configuration(void **state)
{
	struct conf c = loaded(definition_of(ELECT_DEFINITION_MAX));

	(void)state;
	assert_int_equal(c.definition_size, ELECT_DEFINITION_MAX);
	assert_int_equal(c.definition[ELECT_DEFINITION_MAX - 1], 'd');
	c = loaded(definition_of(0));
	assert_int_equal(c.definition_size, 0);
	assert_int_equal(refused(definition_of(ELECT_DEFINITION_MAX + 1)), -EINVAL);
	assert_has(error.text, "electd.conf:2: definition.file: ");
	assert_has(error.text, "is longer; allowed: a file of at most 4096 bytes");
	assert_int_equal(error.line, 2);
	assert_int_equal(unlink(path_of("definition")), 0);
	assert_int_equal(refused(path_of("electd.conf")), -EINVAL);
	assert_has(error.text, "No such file or directory; allowed: a file");
}

/* ---- read by the tools of root --------------------------------------------------------------- */

static int guarded(const char *path)
{
	struct conf conf;

	return conf_load_guarded(path, &conf, &error);
}

static void a_file_that_others_may_change_is_refused_for_root(void **state)
{
	const char *path = file_with("electd.conf", "domain = \"blue\";\n"), *more;

	(void)state;
	assert_int_equal(guarded(path), 0);
	assert_int_equal(chmod(path, 0620), 0);
	assert_int_equal(guarded(path), -EPERM);
	assert_has(error.text, "electd.conf: others may change it; allowed: ");
	assert_int_equal(chmod(path, 0644), 0);
	folder("electd.conf.d");
	more = file_with("electd.conf.d/1.conf", "priority = 1;");
	assert_int_equal(guarded(path), 0);
	assert_int_equal(chmod(more, 0602), 0);
	assert_int_equal(guarded(path), -EPERM);
	assert_int_equal(chmod(more, 0600), 0);
	assert_int_equal(chmod(path_of("electd.conf.d"), 0777), 0);
	assert_int_equal(guarded(path), -EPERM);
	assert_has(error.text, "electd.conf.d/1.conf: ");
	loaded(path);
}

/* The file of electd may be elsewhere for root, or missing. */
static void the_definition_is_not_read_for_root(void **state)
{
	const char *path = file_with("electd.conf", "definition: { file = \"/no/such\"; };");

	(void)state;
	assert_int_equal(guarded(path), 0);
	assert_int_equal(refused(path), -EINVAL);
}

/* ---- the manual page -------------------------------------------------------------------- */

/* Appends `text` to `to`, with quotes as mdoc(7) wants them. */
static void append(char *to, size_t size, const char *text)
{
	size_t at = strlen(to);

	for (; *text && at + 5 < size; text++)
		at += (size_t)sprintf(to + at, *text == '"' ? "\\(dq" : "%c", *text);
}

/* The text of the column Values for each type; the section VALUES of the page explains it. */
static const char *const values[CONF_TYPES] = {
	[CONF_BOOLEAN] = "true, false",
	[CONF_NAME] = "name",
	[CONF_ID] = "id",
	[CONF_ADDRESS] = "host address",
	[CONF_GROUP4] = "IPv4 group",
	[CONF_GROUP6] = "IPv6 group",
	[CONF_PORTS] = "ports",
	[CONF_INTERFACES] = "interfaces",
	[CONF_INTERFACE] = "interface",
	[CONF_NAMES] = "names",
	[CONF_PEERS] = "addresses",
	[CONF_OWNED] = "leader addresses",
	[CONF_PATH] = "path",
	[CONF_FILE] = "absolute path",
};

/* "0 to 255", "lan, fast, fastest", "name" */
static void values_of(const struct conf_key *key, char *text, size_t size)
{
	size_t at = 0;

	if (key->type == CONF_INTEGER)
		snprintf(text, size, "%" PRId64 " to %" PRId64, key->min, key->max);
	else if (key->type != CONF_CHOICE)
		snprintf(text, size, "%s", values[key->type]);
	else
		for (const char *word = key->words; *word && at + 2 < size; word++)
			at += (size_t)snprintf(
				text + at, size - at, *word == ' ' ? ", " : "%c", *word);
}

/* The row of a key in the table of the page. */
static void row_of(const struct conf_key *key, char *text, size_t size)
{
	const char *restart = key->effect == CONF_RESTART ? " *" : "";
	char allowed[64];

	values_of(key, allowed, sizeof(allowed));
	if (key->obsolete)
		snprintf(text, size, " %s obsolete %s ", key->path, key->help);
	else
		snprintf(text, size, " %s%s %s %s %s ", key->path, restart, allowed, key->fallback,
			key->help);
}

/* Ends of lines become spaces, and several spaces one. */
static void squeeze(char *text)
{
	char *to = text;

	for (const char *c = text; *c; c++)
		if (*c != '\n' && *c != ' ')
			*to++ = *c;
		else if (to == text || to[-1] != ' ')
			*to++ = ' ';
	*to = '\0';
}

static unsigned rows_in(const char *table)
{
	unsigned rows = 0;

	for (const char *at = table; (at = strchr(at, '\n')); at++)
		rows += at[1] >= 'a' && at[1] <= 'z';
	return rows;
}

static void the_manual_page_has_the_table_of_keys(void **state)
{
	char *table = strstr(page_read("electd.conf.5"), "\nKey "), *end;
	const char *before = table, *at;
	size_t count;
	const struct conf_key *keys = conf_keys(&count);
	char row[512];

	(void)state;
	assert_non_null(table);
	end = strstr(table, "\n.Ed\n");
	assert_non_null(end);
	end[1] = '\0';
	assert_int_equal(rows_in(table), count);
	squeeze(table);
	for (size_t i = 0; i < count; i++) {
		row_of(&keys[i], row, sizeof(row));
		at = strstr(before, row);
		if (!at)
			fail_msg("\"%s\" lacks \"%s\", or has it before another row", table, row);
		before = at + 1;
	}
}

static void the_manual_page_explains_the_values(void **state)
{
	char *page = page_read("electd.conf.5");
	size_t count;
	const struct conf_key *keys = conf_keys(&count);
	char allowed[CONF_ALLOWED_MAX], plain[2 * CONF_ALLOWED_MAX], entry[4 * CONF_ALLOWED_MAX];

	(void)state;
	squeeze(page);
	for (size_t i = 0; i < count; i++) {
		if (keys[i].type == CONF_BOOLEAN || keys[i].type == CONF_INTEGER ||
			keys[i].type == CONF_CHOICE)
			continue;
		conf_allowed(&keys[i], allowed, sizeof(allowed));
		snprintf(plain, sizeof(plain), " .It %s %s. ", values[keys[i].type], allowed);
		entry[0] = '\0';
		append(entry, sizeof(entry), plain);
		assert_has(page, entry);
	}
}

/* "name = value;" or "name: {": no other display of the page begins so. */
static bool is_configuration(const char *display)
{
	size_t name = strspn(display, "abcdefghijklmnopqrstuvwxyz_");

	return name && (!strncmp(display + name, " = ", 3) || !strncmp(display + name, ": {", 3));
}

static void each_example_of_the_manual_page_is_a_configuration(void **state)
{
	static const char begin[] = "\n.Bd -literal -offset indent\n";
	char *page = page_read("electd.conf.5");
	static struct conf conf;
	unsigned found = 0;

	(void)state;
	for (char *at = page; (at = strstr(at, begin));) {
		char *end = strstr(at += sizeof(begin) - 1, "\n.Ed\n");

		assert_non_null(end);
		*end = '\0';
		if (is_configuration(at)) {
			if (conf_parse("example.conf", at, strlen(at), &conf, &error))
				fail_msg("%s: %s", at, error.text);
			found++;
		}
		at = end + 1;
	}
	assert_true(found >= 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(a_file_is_read),
		IN_DIR(a_file_names_its_domain),
		IN_DIR(a_file_whose_name_is_no_valid_domain_must_set_one),
		IN_DIR(a_named_file_that_is_missing_is_an_error),
		cmocka_unit_test(the_defaults_hold_without_any_file),
		IN_DIR(an_unreadable_file_is_an_error),
		IN_DIR(anything_but_a_regular_file_is_an_error),
		IN_DIR(a_file_with_a_nul_is_an_error),
		IN_DIR(drop_ins_are_read_by_name_and_later_ones_win),
		IN_DIR(a_drop_in_linked_to_dev_null_is_masked),
		IN_DIR(a_fault_in_a_drop_in_names_the_drop_in),
		IN_DIR(too_many_drop_ins_are_refused),
		IN_DIR(a_definition_is_read_with_the_configuration),
		IN_DIR(a_file_that_others_may_change_is_refused_for_root),
		IN_DIR(the_definition_is_not_read_for_root),
		cmocka_unit_test(the_manual_page_has_the_table_of_keys),
		cmocka_unit_test(the_manual_page_explains_the_values),
		cmocka_unit_test(each_example_of_the_manual_page_is_a_configuration),
	};

	return cmocka_run_group_tests_name("conf_file", tests, NULL, NULL);
}
