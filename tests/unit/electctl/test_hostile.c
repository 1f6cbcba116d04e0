/* SPDX-License-Identifier: Apache-2.0 */
/* A compromised electd: no text of a reply may control the terminal, whatever a verb prints. */
#include "folders.h"

#include "core/shown.h"

#include <jansson.h>
#include <signal.h>

/* Escapes, C0, newline, DEL, C1, bidirectional and invisible characters, ends of line and file. */
#define EVIL                                                                                       \
	"\\u001b]0;x\\u0007\\u001b[2J\\r\\n\\t\\b\\u007f\\u009b31m\\u0085\\u202e\\u2066\\u200b"    \
	"\\u200f\\u2028\\u061c\\ufeff\\u00ad\\udb40\\udc41\\u0001"

/* All fields that any verb reads. */
#define HOST "{\"id\":\"aa\",\"name\":\"web1\",\"address\":\"192.0.2.1\",\"self\":true}"
#define FACTS                                                                                      \
	"\"domain\":\"default\",\"role\":\"leader\",\"old_role\":\"none\",\"state\":\"normal\","   \
	"\"node\":" HOST ",\"leader\":" HOST ",\"cause\":" HOST ",\"reason\":\"joined\","          \
	"\"why\":\"because\",\"token\":\"9\",\"since\":\"2026-11-20T10:40:12Z\",\"since_ms\":1,"   \
	"\"group\":{\"coordinator\":\"aa\",\"counter\":\"1\",\"id\":\"web1.1\"},"                  \
	"\"members\":[" HOST "," HOST "],\"foreign\":[{\"id\":\"bb\",\"name\":\"web9\","           \
	"\"heard_by\":" HOST "}],\"quorum\":{\"needed\":1,\"have\":1,\"met\":true},"               \
	"\"other_keys\":[{\"text\":\"key 2\"}],"                                                   \
	"\"auth\":{\"mode\":\"auto\",\"active_key\":7,\"accepts\":[7,0],\"authenticated\":false}," \
	"\"definition\":\"/run/x\","                                                               \
	"\"health\":{\"ok\":false,\"problems\":[\"one\",\"two\"]},\"version\":\"1\","              \
	"\"members_count\":2,\"problems\":[\"one\"]"
#define ANSWER                                                                                     \
	"{" FACTS ",\"event\":\"follower\",\"at\":\"2026-11-20T10:40:12Z\",\"seq\":1,"             \
	"\"boot_ms\":5,\"text\":\"in words\",\"status\":{" FACTS "},\"entries\":[{" FACTS          \
	",\"event\":\"state\",\"at\":\"2026-11-20T10:40:12Z\",\"seq\":1,\"text\":\"words\"}],"     \
	"\"hookd\":true,\"reports\":[{\"script\":\"10-vip\",\"event\":\"leader\","                 \
	"\"result\":\"failed\",\"status\":1,\"runtime_ms\":1,\"seq\":1,\"token\":\"9\","           \
	"\"output\":\"said\\nthis\",\"at\":\"2026-11-20T10:40:12Z\",\"ok\":false}],"               \
	"\"changed\":[\"key\"],\"restart_needed\":[\"key\"],\"priority\":7,\"held\":true,"         \
	"\"size\":1,\"steps\":[{\"us\":1,\"step\":\"told\",\"host\":" HOST                         \
	",\"text\":\"told to stop\"}]}"

static bool is_word(const char *key)
{
	static const char *const words[] = { "role", "event", "state", "result", "id", "script" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i], key))
			return true;
	return false;
}

/* Appends `evil` to every text; if `spare`, not to the words that select what a verb prints. */
static void spoil(json_t *value, const char *evil, const char *key, bool spare)
{
	const char *inner_key;
	char text[512];
	json_t *inner;
	size_t i;

	if (json_is_string(value) && !(spare && is_word(key))) {
		snprintf(text, sizeof text, "%s%s", json_string_value(value), evil);
		assert_int_equal(json_string_set(value, text), 0);
	}
	json_array_foreach(value, i, inner) spoil(inner, evil, key, spare);
	json_object_foreach(value, inner_key, inner) spoil(inner, evil, inner_key, spare);
}

static char *spoilt(const char *form, bool spare)
{
	json_t *answer = json_loads(form, 0, NULL), *evil = json_loads("[\"" EVIL "\"]", 0, NULL);
	char *text;

	assert_non_null(answer);
	assert_non_null(evil);
	spoil(answer, json_string_value(json_array_get(evil, 0)), "", spare);
	text = json_dumps(answer, JSON_COMPACT);
	json_decref(answer);
	json_decref(evil);
	return text;
}

/* Lists the forbidden bytes itself and does not use the code under test. */
static void assert_tame(const char *text, bool json)
{
	static const char *const forbidden[] = { "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x80\x8b",
		"\xe2\x80\x8f", "\xe2\x80\xa8", "\xd8\x9c", "\xef\xbb\xbf", "\xc2\xad",
		"\xf3\xa0\x81\x81" };

	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		assert_true(*c >= 0x20 || *c == '\n' || *c == '\t');
		assert_false(!json && *c == 0x7f);
		assert_false(json && *c >= 0x80);
		assert_false(c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f);
	}
	for (size_t i = 0; i < sizeof(forbidden) / sizeof(*forbidden); i++)
		assert_null(strstr(text, forbidden[i]));
}

/* Runs a verb against an electd that replies `reply` to each call; returns its stdout. */
static char *ask_it(verb_fn *verb, char *const *args, const char *reply, struct options o)
{
	struct run r = { .replies = reply, .replies_size = strlen(reply) + 1 };
	char folder[] = "/tmp/electctl-XXXXXX", path[64], *out = NULL;
	size_t size = 0;
	pid_t child;
	int fd;

	r.asked = mmap(NULL, ASKED_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(r.asked, MAP_FAILED);
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/s", folder);
	fd = listen_at(path);
	child = serve(fd, &r, 100);
	close(fd);
	o.out = open_memstream(&out, &size);
	o.socket = path;
	o.timeout_ms = PATIENCE_ROUNDS * PATIENCE_ROUND_MS;
	o.for_seconds = -1;
	o.width = 80;
	verb(&o, args);
	fclose(o.out);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	munmap(r.asked, ASKED_MAX);
	unlink(path);
	rmdir(folder);
	return out;
}

/* Checks both streams of a verb. */
static void run_hostile(verb_fn *verb, char *const *args, const char *reply, struct options o)
{
	char errors[] = "/tmp/electctl-err-XXXXXX", said[8192], *out;
	int file = mkstemp(errors), kept = dup(STDERR_FILENO);
	ssize_t n;

	assert_true(file >= 0 && kept >= 0);
	dup2(file, STDERR_FILENO);
	out = ask_it(verb, args, reply, o);
	dup2(kept, STDERR_FILENO);
	n = pread(file, said, sizeof said - 1, 0);
	assert_true(n >= 0);
	said[n] = '\0';
	close(kept);
	close(file);
	unlink(errors);
	assert_tame(out, o.json);
	assert_tame(said, false);
	free(out);
}

static char on[] = "on", seven[] = "7", list[] = "list", leader[] = "leader";

static const struct {
	verb_fn *verb;
	char *const args[3];
} verbs[] = {
	{ status_verb, { NULL } },
	{ leader_verb, { NULL } },
	{ is_leader_verb, { NULL } },
	{ members_verb, { NULL } },
	{ watch_verb, { NULL } },
	{ wait_verb, { leader } },
	{ history_verb, { NULL } },
	{ why_verb, { NULL } },
	{ resign_verb, { NULL } },
	{ hold_verb, { on } },
	{ priority_verb, { seven } },
	{ reload_verb, { NULL } },
	{ check_verb, { NULL } },
	{ metrics_verb, { NULL } },
	{ hooks_verb, { list } },
};

/* Sends `form` with evil to each verb, in each of the three formats, and with its option. */
static void ask_all(const char *form, bool spare)
{
	char *reply = spoilt(form, spare);

	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		for (unsigned how = 0; how < 6; how++)
			run_hostile(verbs[i].verb, verbs[i].args, reply,
				(struct options){ .count = 0,
					.plain = how % 3 == 1,
					.json = how % 3 == 2,
					.times = how >= 3 });
	free(reply);
}

static void no_reply_controls_the_terminal(void **state)
{
	(void)state;
	add("10-vip", "");
	ask_all("{\"parameters\":" ANSWER "}", true);
	ask_all("{\"parameters\":" ANSWER "}", false);
}

static void no_error_controls_the_terminal(void **state)
{
	(void)state;
	ask_all("{\"error\":\"io.electd.Unknown\",\"parameters\":{}}", false);
	ask_all("{\"error\":\"io.electd.ConfigInvalid\",\"parameters\":{\"text\":\"x\"}}", false);
	ask_all("{\"error\":\"x\",\"parameters\":{\"message\":\"x\",\"parameter\":\"y\"}}", false);
}

/* A newline in a text would be a row of its own for cut and awk. */
static void a_text_adds_no_rows(void **state)
{
	char *reply = spoilt("{\"parameters\":" ANSWER "}", true);
	unsigned rows = 0, tabs = 0;
	char *out;

	(void)state;
	out = ask_it(history_verb, NULL, reply, (struct options){ .count = -1, .plain = true });
	for (const char *c = out; *c; c++) {
		rows += *c == '\n';
		tabs += *c == '\t';
	}
	assert_int_equal(rows, 1);
	assert_int_equal(tabs, 12);
	free(out);
	free(reply);
}

static void json_output_keeps_the_text(void **state)
{
	char *reply = spoilt("{\"parameters\":" ANSWER "}", false);
	json_t *sent = json_loads(reply, 0, NULL), *told;
	char *out;

	(void)state;
	out = ask_it(why_verb, NULL, reply, (struct options){ .count = -1, .json = true });
	told = json_loads(out, 0, NULL);
	assert_true(json_equal(json_object_get(told, "why"),
		json_object_get(json_object_get(sent, "parameters"), "why")));
	json_decref(told);
	json_decref(sent);
	free(out);
	free(reply);
}

static void printable_text_stays(void **state)
{
	static const struct {
		const char *from, *to;
		bool lines;
	} rows[] = {
		{ "web1 \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
			"web1 \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", false },
		{ "a\nb", "a?b", false },
		{ "a\nb\r\tc", "a\nb??c", true },
		{ "\x1b[2J", "?[2J", false },
		{ "\xc2\x9b"
		  "2J",
			"?2J", false },
		{ "\xe2\x80\xae"
		  "x",
			"?x", false },
		{ "\xc3", "?", false },
		{ "\xc3\xc3\xa4", "?\xc3\xa4", false },
		{ "\xed\xa0\x80", "?", false },
		{ "\xc0\x9b", "?", false },
		{ "\x80\x80", "?", false },
		{ "\xf4\x90\x80\x80z", "?z", false },
		{ "", "", false },
	};
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(text, sizeof text, "%s", rows[i].from);
		shown_clean(text, rows[i].lines);
		assert_string_equal(text, rows[i].to);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(no_reply_controls_the_terminal, nothing_found),
		cmocka_unit_test(no_error_controls_the_terminal),
		cmocka_unit_test(a_text_adds_no_rows),
		cmocka_unit_test(json_output_keeps_the_text),
		cmocka_unit_test(printable_text_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
