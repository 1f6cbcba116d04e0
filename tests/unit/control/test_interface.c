/* SPDX-License-Identifier: Apache-2.0 */
/* The interface description, read by Varlink's grammar, matches the code and its replies. */
#include "world.h"

#include <ctype.h>

/* ---- a reader of interface descriptions --------------------------------------------------- */

static const char *pass_blanks(const char *at)
{
	for (;; at += strcspn(at, "\n")) {
		at += strspn(at, " \n");
		if (*at != '#')
			return at;
	}
}

static bool take(const char **at, const char *what)
{
	const char *here = pass_blanks(*at);

	if (strncmp(here, what, strlen(what)) != 0)
		return false;
	*at = here + strlen(what);
	return true;
}

static void expect(const char **at, const char *what)
{
	if (!take(at, what))
		fail_msg("\"%s\" expected at: %.60s", what, *at);
}

/* The grammar has no limit of a name; 63 characters is enough here. */
static void take_name(const char **at, char name[64])
{
	const char *here = pass_blanks(*at);
	size_t length = 0;

	assert_true(isalpha((unsigned char)*here));
	while (isalnum((unsigned char)here[length]) || here[length] == '_')
		length++;
	assert_true(length < 64 && here[length - 1] != '_');
	memcpy(name, here, length);
	name[length] = '\0';
	*at = here + length;
}

/* Passes `(name: type, …)` or `(word, word)`. */
static const char *behind_brackets(const char *at)
{
	int depth = 0;

	at = pass_blanks(at);
	assert_int_equal(*at, '(');
	do {
		at = pass_blanks(at);
		depth += (*at == '(') - (*at == ')');
		at++;
	} while (depth);
	return at;
}

/* Returns the text behind `type NAME`; NULL: there is no such type. */
static const char *type_named(const char *text, const char *name)
{
	char line[80];
	const char *at;

	snprintf(line, sizeof(line), "\ntype %s (", name);
	at = strstr(text, line);
	return at ? at + strlen(line) - 1 : NULL;
}

/* ---- values against types ------------------------------------------------------------------ */

static const char *check(const char *text, const char *at, const json_t *value, const char *path);

/* Is this bracket a list of words? */
static bool is_words(const char *at)
{
	char name[64];

	at = pass_blanks(at) + 1;
	if (take(&at, ")"))
		return false;
	take_name(&at, name);
	return !take(&at, ":");
}

static void check_word(const char *at, const json_t *value, const char *path)
{
	char name[64];

	expect(&at, "(");
	do {
		take_name(&at, name);
		if (json_is_string(value) && !strcmp(json_string_value(value), name))
			return;
	} while (take(&at, ","));
	fail_msg("%s is none of the words", path);
}

/* Every key must be described, and every described key without `?` must be present. */
static void check_object(const char *text, const char *at, const json_t *value, const char *path)
{
	char name[64], inner[256];
	size_t found = 0;

	if (!json_is_object(value))
		fail_msg("%s is no object", path);
	expect(&at, "(");
	while (!take(&at, ")")) {
		const json_t *field;

		take_name(&at, name);
		expect(&at, ":");
		field = json_object_get(value, name);
		found += field != NULL;
		snprintf(inner, sizeof(inner), "%s.%s", path, name);
		at = check(text, at, field, inner);
		take(&at, ",");
	}
	if (found != json_object_size(value))
		fail_msg("%s has keys that are not described", path);
}

static const char *check_plain(
	const char *text, const char *at, const json_t *value, const char *path)
{
	char name[64];
	bool good = true;

	take_name(&at, name);
	if (!value)
		return at;
	if (!strcmp(name, "string"))
		good = json_is_string(value);
	else if (!strcmp(name, "int"))
		good = json_is_integer(value);
	else if (!strcmp(name, "bool"))
		good = json_is_boolean(value);
	else if (type_named(text, name))
		check(text, type_named(text, name), value, path);
	else
		fail_msg("%s: no type %s", path, name);
	if (!good)
		fail_msg("%s is no %s", path, name);
	return at;
}

static const char *check_list(
	const char *text, const char *at, const json_t *value, const char *path)
{
	const char *end = check(text, at, NULL, NULL);
	const json_t *item;
	size_t i;

	if (value && !json_is_array(value))
		fail_msg("%s is no list", path);
	json_array_foreach((json_t *)value, i, item)
	{
		check(text, at, item, path);
	}
	return end;
}

/* Checks `value` (NULL: absent), returns the text behind the type; `path` NULL: only skips it. */
static const char *check(const char *text, const char *at, const json_t *value, const char *path)
{
	bool optional = take(&at, "?");

	if (!value && path && !optional)
		fail_msg("%s is missing", path);
	if (optional && json_is_null(value))
		value = NULL;
	if (take(&at, "[]"))
		return check_list(text, at, value, path);
	if (*pass_blanks(at) != '(')
		return check_plain(text, at, value, path);
	if (value && is_words(at))
		check_word(at, value, path);
	else if (value)
		check_object(text, at, value, path);
	return behind_brackets(at);
}

/* ---- the table against the description ------------------------------------------------------- */

/* Returns the text behind "\nmethod NAME" or "\nerror NAME". */
static const char *find(const char *text, const char *kind, const char *name)
{
	char line[100];
	const char *at;

	snprintf(line, sizeof(line), "\n%s %s", kind, name);
	for (at = strstr(text, line); at; at = strstr(at + 1, line))
		if (strchr("( ", at[strlen(line)]))
			return at + strlen(line);
	return NULL;
}

static unsigned count_of(const char *text, const char *kind)
{
	unsigned count = 0;
	char line[16];

	snprintf(line, sizeof(line), "\n%s ", kind);
	for (const char *at = text; (at = strstr(at, line)); at++)
		count++;
	return count;
}

/* "io.electd.Wait" → the text of its interface, and "Wait". */
static const char *text_of(const char *full, const char **ret_name)
{
	char interface[80];
	const char *dot = strrchr(full, '.');

	snprintf(interface, sizeof(interface), "%.*s", (int)(dot - full), full);
	*ret_name = dot + 1;
	return ctl_interface_text(interface);
}

static void assert_words(const char *at, const char *words)
{
	unsigned count = 0, wanted = 1;
	char name[64];

	for (const char *w = words; *w; w++)
		wanted += *w == ' ';
	expect(&at, "(");
	do {
		take_name(&at, name);
		assert_true(ctl_word(words, name) >= 0);
		count++;
	} while (take(&at, ","));
	assert_int_equal(count, wanted);
}

/* Words of Varlink have no dash. */
static const char *type_of(const struct ctl_parameter *p)
{
	static const char *const types[CTL_TYPES] = {
		[CTL_INTEGER] = "int",
		[CTL_BOOLEAN] = "bool",
		[CTL_STRING] = "string",
		[CTL_NAME] = "string",
		[CTL_WORD] = "(",
		[CTL_LIST] = "[]",
	};

	return p->type == CTL_WORD && strchr(p->words, '-') ? "string" : types[p->type];
}

/* The description has the parameters of the row, in the same order. */
static void assert_parameters(const struct ctl_method *m, const char *at)
{
	char name[64];

	expect(&at, "(");
	for (unsigned i = 0; i < CTL_PARAMETERS_MAX && m->parameters[i].name; i++) {
		const struct ctl_parameter *p = &m->parameters[i];

		if (i)
			expect(&at, ",");
		take_name(&at, name);
		assert_string_equal(name, p->name);
		expect(&at, ":");
		if (take(&at, "?") == p->required)
			fail_msg("%s: %s: required or not?", m->name, name);
		if (strncmp(pass_blanks(at), type_of(p), strlen(type_of(p))) != 0)
			fail_msg("%s: %s: another type", m->name, name);
		if (*type_of(p) == '(')
			assert_words(at, p->words);
		at = check(ctl_interface_text("io.electd"), at, NULL, NULL);
	}
	expect(&at, ")");
	expect(&at, "->");
}

static void every_method_is_described_with_its_parameters(void **state)
{
	size_t count;
	const struct ctl_method *methods = ctl_methods(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		const char *name, *text = text_of(methods[i].name, &name), *at;

		assert_non_null(text);
		at = find(text, "method", name);
		if (!at)
			fail_msg("%s is not described", methods[i].name);
		assert_parameters(&methods[i], at);
	}
}

static void no_missing_method_is_described(void **state)
{
	unsigned methods = 0;
	size_t count;

	(void)state;
	ctl_methods(&count);
	for (unsigned i = 0; ctl_interface_name(i); i++)
		methods += count_of(ctl_interface_text(ctl_interface_name(i)), "method");
	assert_int_equal(methods, count);
}

static void exactly_the_errors_of_the_code_are_described(void **state)
{
	unsigned own = 0;

	(void)state;
	for (unsigned e = CTL_OK + 1; e < CTL_ERRORS; e++) {
		const char *name, *full = ctl_error_name((enum ctl_error)e);
		const char *text = text_of(full, &name);

		if (!text || !find(text, "error", name))
			fail_msg("%s is not described", full);
		own += !strncmp(full, "io.electd.", 10);
	}
	assert_int_equal(own, count_of(ctl_interface_text("io.electd"), "error"));
}

static void an_interface_is_named_and_parses_to_its_end(void **state)
{
	char name[64];

	(void)state;
	for (unsigned i = 0; ctl_interface_name(i); i++) {
		const char *text = ctl_interface_text(ctl_interface_name(i)), *at = text;

		expect(&at, "interface");
		expect(&at, ctl_interface_name(i));
		while (*pass_blanks(at)) {
			bool method = take(&at, "method");

			if (!method && !take(&at, "error"))
				expect(&at, "type");
			take_name(&at, name);
			at = check(text, at, NULL, NULL);
			if (method) {
				expect(&at, "->");
				at = check(text, at, NULL, NULL);
			}
		}
	}
	assert_null(ctl_interface_text("io.electd.nonsense"));
}

/* varlinkctl of systemd 257 accepts no named type in an anonymous struct. */
static void no_named_type_is_in_an_anonymous_struct(void **state)
{
	const char *text = ctl_interface_text("io.electd");
	int depth = 0;

	(void)state;
	for (const char *at = pass_blanks(text); *at; at = pass_blanks(at + 1)) {
		depth += (*at == '(') - (*at == ')');
		if (depth > 1 && isupper((unsigned char)*at))
			fail_msg("a named type at: %.60s", at);
	}
}

/* ---- replies against the description --------------------------------------------------------- */

/* The reply to `text` matches the description of its method or error. */
static void reply_is_described(const char *text)
{
	json_t *request = json_loads(text, 0, NULL), *reply;
	const char *method = json_string_value(json_object_get(request, "method")), *name, *at;
	const char *description = text_of(method, &name), *error;
	struct ctl_reply answer;

	ask(&admin, text, strlen(text), &answer);
	reply = json_loads(answer.text, 0, NULL);
	free(answer.text);
	error = json_string_value(json_object_get(reply, "error"));
	if (error) {
		description = text_of(error, &name);
		at = find(description, "error", name);
	} else {
		at = behind_brackets(find(description, "method", name));
		expect(&at, "->");
	}
	check(description, at, json_object_get(reply, "parameters"), name);
	json_decref(reply);
	json_decref(request);
}

static void replies_match_their_description(void **state)
{
	static const char *const texts[] = {
		"{\"method\":\"org.varlink.service.GetInfo\"}",
		"{\"method\":\"org.varlink.service.GetInterfaceDescription\","
		"\"parameters\":{\"interface\":\"io.electd\"}}",
		"{\"method\":\"org.varlink.service.GetInterfaceDescription\","
		"\"parameters\":{\"interface\":\"x\"}}",
		"{\"method\":\"io.electd.GetStatus\"}",
		"{\"method\":\"io.electd.GetMembers\"}",
		"{\"method\":\"io.electd.GetHistory\"}",
		"{\"method\":\"io.electd.GetTimes\"}",
		"{\"method\":\"io.electd.GetMetrics\"}",
		"{\"method\":\"io.electd.GetHooks\"}",
		REPORT("10-vip", "leader", "timed-out", "41"),
		"{\"method\":\"io.electd.GetAddresses\"}",
		"{\"method\":\"io.electd.ReportAddresses\",\"parameters\":{\"holder\":"
		"\"0123456789abcdef\",\"addresses\":[{\"address\":\"192.0.2.100\","
		"\"state\":\"held\"}]}}",
		"{\"method\":\"io.electd.GetAddresses\"}",
		"{\"method\":\"io.electd.GetHooks\"}",
		"{\"method\":\"io.electd.Subscribe\",\"more\":true}",
		"{\"method\":\"io.electd.Subscribe\",\"parameters\":{\"hold\":true},\"more\":true}",
		"{\"method\":\"io.electd.Subscribe\",\"parameters\":{\"hold\":true,"
		"\"name\":\"electd-hookd\"},\"more\":true}",
		"{\"method\":\"io.electd.Subscribe\"}",
		"{\"method\":\"io.electd.Wait\",\"parameters\":{\"for\":\"leader\"}}",
		"{\"method\":\"io.electd.Wait\",\"parameters\":{\"for\":\"members\"}}",
		"{\"method\":\"io.electd.Wait\",\"parameters\":{}}",
		"{\"method\":\"io.electd.Resign\"}",
		"{\"method\":\"io.electd.SetPriority\",\"parameters\":{\"priority\":7}}",
		"{\"method\":\"io.electd.Hold\",\"parameters\":{\"on\":true}}",
		"{\"method\":\"io.electd.Define\",\"parameters\":{\"definition\":\"YWI=\"}}",
		"{\"method\":\"io.electd.Report\",\"parameters\":{\"name\":\"pg\",\"well\":false}}",
		"{\"method\":\"io.electd.Forget\",\"parameters\":{\"name\":\"pg\"}}",
		"{\"method\":\"io.electd.GetHealth\"}",
		"{\"method\":\"io.electd.Doctor\"}",
		"{\"method\":\"io.electd.Promoted\",\"parameters\":{\"holder\":"
		"\"0123456789abcdef\",\"token\":\"41\"}}",
		"{\"method\":\"io.electd.HookdMissing\",\"parameters\":{\"words\":\"full\"}}",
		"{\"method\":\"io.electd.GetKeys\"}",
		"{\"method\":\"io.electd.Reload\"}",
		"{\"method\":\"io.electd.SetKeys\",\"parameters\":{\"keys\":\"MSBh\"}}",
		"{\"method\":\"io.electd.Release\","
		"\"parameters\":{\"holder\":\"0123456789abcdef\",\"seq\":7}}",
	};

	(void)state;
	world.hookd = true;
	world.address = true;
	world.view.role = ELECT_ROLE_LEADER;
	world.view.leader = world.view.group.coordinator = ids[0];
	world.view.group.counter = 7;
	world.view.problems = ELECT_PROBLEM_NO_QUORUM;
	world.members_count = 3;
	world.foreign_count = world.problems_count = 1;
	world.other_keys_count = 2;
	world.reload.changed_count = 1;
	world.reload.changed[0] = "priority";
	for (unsigned round = 0; round < 3; round++) {
		for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
			reply_is_described(texts[i]);
		/* Once without members, and with every call that can fail failing. */
		world.view = (struct elect_view){ .role = ELECT_ROLE_FOLLOWER };
		world.members_count = world.foreign_count = world.other_keys_count = 0;
		world.follows = true;
		world.in_no_group = true;
		world.report_verdict = ELECT_REPORT_FULL;
		world.reload = (struct ctl_reload){ .refused = true,
			.held_up = round == 1,
			.hosts_count = 1,
			.hosts = { "web4" },
			.text = "text",
			.file = "f",
			.key = "k",
			.allowed = "a",
			.line = 3 };
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(every_method_is_described_with_its_parameters, setup),
		cmocka_unit_test_setup(no_missing_method_is_described, setup),
		cmocka_unit_test_setup(exactly_the_errors_of_the_code_are_described, setup),
		cmocka_unit_test_setup(no_named_type_is_in_an_anonymous_struct, setup),
		cmocka_unit_test_setup(an_interface_is_named_and_parses_to_its_end, setup),
		cmocka_unit_test_setup(replies_match_their_description, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
