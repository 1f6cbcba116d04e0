/* SPDX-License-Identifier: Apache-2.0 */
/* The calls, output and exit codes of the verbs that wait, explain, change or monitor. */
#include "server.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "electctl/journal.h"
#include "electctl/verbs/live.h"

#define ANSWER(parameters)	"{\"parameters\":" parameters "}"
#define ERROR(name, parameters) "{\"error\":\"" name "\",\"parameters\":{" parameters "}}"

#define RUN_WITH(name, replies_, verb, ...)                                                        \
	char *const name##_args[] = { __VA_ARGS__, NULL };                                         \
	struct run name = {                                                                        \
		.replies = (replies_), .replies_size = sizeof(replies_), .args = name##_args       \
	};                                                                                         \
	run(&name, verb, (struct options){ .count = -1 }, 1)

static char text_a[] = "on", text_b[] = "maybe", text_c[] = "members", text_d[] = "3",
	    text_e[] = "self", text_f[] = "300", text_g[] = "7x", text_h[] = "0";

/* Runs a verb that must make no call: there is no electd. */
static enum electctl_exit alone(verb_fn *verb, char *a, char *b)
{
	char *const args[] = { a, a ? b : NULL, NULL };
	struct options o = { .out = stdout, .quiet = true, .socket = "/nonexistent/io.electd" };

	return verb(&o, args);
}

/* ---- wait ------------------------------------------------------------------------------------ */

#define WAITED                                                                                     \
	ANSWER("{\"role\":\"follower\",\"leader\":{\"id\":\"" HOST_B "\",\"name\":\"web2\"},"      \
	       "\"token\":\"9\",\"members_count\":4}")

static void wait_asks_electd_to_wait(void **state)
{
	RUN_WITH(r, WAITED, wait_verb, text_c, text_d);

	(void)state;
	assert_int_equal(r.code, ELECTCTL_OK);
	assert_string_equal(r.out, "");
	assert_string_equal(r.asked,
		"{\"method\":\"io.electd.Wait\",\"parameters\":"
		"{\"for\":\"members\",\"count\":3,\"timeout_ms\":60000}}");
	free(r.out);
}

static void wait_times_out_with_5_and_refuses_other_words(void **state)
{
	RUN_WITH(r, ERROR("io.electd.TimedOut", ""), wait_verb, text_e);

	(void)state;
	assert_int_equal(r.code, ELECTCTL_TIMED_OUT);
	assert_int_equal(alone(wait_verb, text_b, NULL), ELECTCTL_USAGE);
	assert_int_equal(alone(wait_verb, text_c, NULL), ELECTCTL_USAGE);
	assert_int_equal(alone(wait_verb, text_c, text_g), ELECTCTL_USAGE);
	assert_int_equal(alone(wait_verb, text_c, text_h), ELECTCTL_USAGE);
	assert_int_equal(alone(wait_verb, text_e, text_d), ELECTCTL_USAGE);
	assert_int_equal(alone(wait_verb, text_e, NULL), ELECTCTL_NOT_RUNNING);
	free(r.out);
}

static void wait_prints_only_with_plain(void **state)
{
	char *const args[] = { text_e, NULL };
	struct run r = { .replies = WAITED, .replies_size = sizeof WAITED, .args = args };

	(void)state;
	run(&r, wait_verb, (struct options){ .plain = true }, 1);
	assert_string_equal(r.out, "follower\tweb2\t9\t4\n");
	free(r.out);
}

enum { SAID_MAX = 256 };

/* Runs a verb and reads what it writes to stderr. */
static void run_loud(struct run *r, verb_fn *verb, struct options o, char said[SAID_MAX])
{
	int saved = dup(STDERR_FILENO), fds[2];

	r->loud = true;
	memset(said, 0, SAID_MAX);
	assert_int_equal(pipe(fds), 0);
	dup2(fds[1], STDERR_FILENO);
	run(r, verb, o, 1);
	dup2(saved, STDERR_FILENO);
	assert_true(read(fds[0], said, SAID_MAX - 1) > 0);
	close(fds[0]);
	close(fds[1]);
	close(saved);
}

/* ---- history and why --------------------------------------------------------------------- */

#define CHANGE(seq, at, event, reason, cause, token, text)                                         \
	"{\"seq\":" seq ",\"at\":\"" at "\",\"boot_ms\":5,\"event\":\"" event "\","                \
	"\"role\":\"follower\",\"old_role\":\"none\",\"reason\":\"" reason "\",\"cause\":" cause   \
	",\"leader\":null,\"token\":\"" token "\",\"group\":\"web1.4\",\"members_count\":3,"       \
	"\"problems\":[],\"text\":\"" text "\"}"
#define CAUSE "{\"id\":\"" HOST_B "\",\"name\":\"a-host-with-a-name-that-is-too-long.example\"}"
#define HISTORY                                                                                    \
	ANSWER("{\"why\":\"web1 leads because web2, the previous leader, was stopped; it "         \
	       "announced this, and web1 was first in succession.\",\"entries\":[" CHANGE("1",     \
		       "2026-11-19T23:59:59.900Z", "none", "start", "null", "0",                   \
		       "x") "," CHANGE("2", "2026-11-20T00:00:00.100Z", "follower",                \
		       "coordinator-restarted", CAUSE, "694389135", "y") "," CHANGE("3",           \
		       "2026-11-20T00:00:01Z", "state", "joined", "null", "694389135",             \
		       "problem: a host of this domain has other timings, which is bad") "]}")

static void history_is_a_table_of_80_columns(void **state)
{
	RUN(r, HISTORY, history_verb, 1, .count = -1);

	(void)state;
	assert_int_equal(r.code, ELECTCTL_OK);
	assert_string_equal(r.out,
		"TIME      EVENT     ROLE      REASON                 CAUSE                 TOKEN\n"
		"2026-11-19\n"
		"23:59:59  none      follower  start                  -                         -\n"
		"2026-11-20\n"
		"00:00:00  follower  follower  coordinator-restarted  a-host-with-a-n~  694389135\n"
		"00:00:01  state     follower  problem: a host of this domain has other timings,~"
		"\n");
	assert_false(too_wide(r.out));
	free(r.out);
}

static void history_prints_the_last_entries(void **state)
{
	RUN(r, HISTORY, history_verb, 1, .plain = true, .count = 1);
	RUN(none, ANSWER("{\"why\":\"\",\"entries\":[]}"), history_verb, 1, .count = -1);

	(void)state;
	assert_string_equal(r.out,
		"3\t2026-11-20T00:00:01Z\t5\tstate\tfollower\tnone\tjoined\t"
		"\t\t694389135\tweb1.4\t3\tproblem: a host of this domain has "
		"other timings, which is bad\n");
	assert_int_equal(none.code, ELECTCTL_OK);
	assert_string_equal(none.out, "");
	free(r.out);
	free(none.out);
}

#define TIMES                                                                                      \
	ANSWER("{\"at\":\"2026-11-20T00:00:00.100Z\",\"boot_ms\":5,\"over\":true,\"steps\":["      \
	       "{\"us\":0,\"step\":\"beacon\",\"host\":" CAUSE ",\"times\":1,"                     \
	       "\"text\":\"last beacon of web1\"},"                                                \
	       "{\"us\":150000,\"step\":\"overdue\",\"host\":null,\"times\":1,"                    \
	       "\"text\":\"next beacon of web1 overdue\"},"                                        \
	       "{\"us\":1151200,\"step\":\"accept-received\",\"host\":null,\"times\":7,"           \
	       "\"text\":\"Accept received from a-host-with-a-name-that-is-too-long.example "      \
	       "(last of 7)\"}]}")

static void why_times_is_a_table_that_loses_no_word(void **state)
{
	RUN(r, TIMES, why_verb, 1, .times = true);

	(void)state;
	assert_int_equal(r.code, ELECTCTL_OK);
	assert_non_null(strstr(r.asked, "io.electd.GetTimes"));
	assert_string_equal(r.out,
		"The last change of leader began at 2026-11-20 00:00:00.100.\n"
		"\n"
		"       MS       MORE  STEP\n"
		"      0.0             last beacon of web1\n"
		"    150.0     +150.0  next beacon of web1 overdue\n"
		"   1151.2    +1001.2  Accept received from\n"
		"                      a-host-with-a-name-that-is-too-long.example (last of 7)\n");
	assert_false(too_wide(r.out));
	free(r.out);
}

static void why_times_tells_that_a_change_is_not_over(void **state)
{
	RUN(r,
		ANSWER("{\"at\":\"2026-11-20T00:00:00.100Z\",\"boot_ms\":5,\"over\":false,"
		       "\"steps\":[{\"us\":0,\"text\":\"x\"}]}"),
		why_verb, 1, .times = true);

	(void)state;
	assert_non_null(strstr(r.out, ".100. It is not over.\n\n"));
	free(r.out);
}

static void why_times_for_scripts(void **state)
{
	RUN(r, TIMES, why_verb, 1, .times = true, .plain = true);
	RUN(json, TIMES, why_verb, 1, .times = true, .json = true);

	(void)state;
	assert_string_equal(r.out,
		"0.0\t0.0\tbeacon\ta-host-with-a-name-that-is-too-long.example\t1\tlast beacon of "
		"web1\n"
		"150.0\t150.0\toverdue\t\t1\tnext beacon of web1 overdue\n"
		"1151.2\t1001.2\taccept-received\t\t7\tAccept received from "
		"a-host-with-a-name-that-is-too-long.example (last of 7)\n");
	assert_non_null(strstr(json.out, "\"us\": 1151200"));
	assert_non_null(strstr(json.out, "\"schema\": 1"));
	free(r.out);
	free(json.out);
}

static void why_times_without_a_change_or_from_an_old_electd(void **state)
{
	static const char no_step[] =
		ANSWER("{\"at\":null,\"boot_ms\":null,\"over\":false,\"steps\":[]}");
	static const char unknown[] =
		ERROR("org.varlink.service.MethodNotFound", "\"method\":\"io.electd.GetTimes\"");
	struct run none = { .replies = no_step, .replies_size = sizeof no_step };
	struct run old = { .replies = unknown, .replies_size = sizeof unknown };
	RUN(full, ERROR("io.electd.TooManyClients", ""), why_verb, 1, .times = true);
	char said[SAID_MAX];

	(void)state;
	run_loud(&none, why_verb, (struct options){ .times = true }, said);
	assert_int_equal(none.code, ELECTCTL_OK);
	assert_string_equal(said, "electctl: the leader has not changed yet\n");
	run_loud(&old, why_verb, (struct options){ .times = true }, said);
	assert_int_equal(old.code, ELECTCTL_PROTOCOL);
	assert_string_equal(said,
		"electctl: this electd is older than electctl and records no times; `electctl why` "
		"and `electctl history` work\n");
	assert_int_equal(full.code, ELECTCTL_NO_PLACE);
	free(none.out);
	free(old.out);
	free(full.out);
}

static void why_is_a_paragraph(void **state)
{
	RUN(r, HISTORY, why_verb, 1, .count = -1);
	RUN(json, HISTORY, why_verb, 1, .json = true, .count = -1);

	(void)state;
	assert_string_equal(r.out,
		"web1 leads because web2, the previous leader, was stopped; it announced this,"
		"\nand web1 was first in succession.\n");
	assert_null(strstr(json.out, "entries"));
	assert_non_null(strstr(json.out, "\"schema\": 1"));
	free(r.out);
	free(json.out);
}

/* ---- entries of the journal ------------------------------------------------------------------ */

static const char *field_of(void *user, const char *field, size_t *ret_size)
{
	const char *const *pairs = user;

	for (; pairs[0]; pairs += 2) {
		if (strcmp(pairs[0], field) != 0)
			continue;
		*ret_size = strlen(pairs[1]);
		return pairs[1];
	}
	return NULL;
}

static void an_entry_of_the_journal_has_the_shape_of_a_change(void **state)
{
	const char *pairs[] = { "MESSAGE", "nobody leads: web3 fell silent", "MESSAGE_ID",
		"bf6d20fcfe3e4c8599bced7fc5c75392", "ELECTD_EVENT", "none", "ELECTD_SEQ", "12",
		"ELECTD_ROLE", "none", "ELECTD_REASON", "coordinator-silent", "ELECTD_CAUSE",
		"web3", "ELECTD_TOKEN", "0", NULL };
	json_t *e = journal_entry(field_of, pairs, UINT64_C(1795170000123456));

	(void)state;
	assert_string_equal(
		json_string_value(json_object_get(e, "at")), "2026-11-20T10:20:00.123Z");
	assert_string_equal(json_string_value(json_object_get(e, "event")), "none");
	assert_int_equal(json_integer_value(json_object_get(e, "seq")), 12);
	assert_true(json_is_null(json_object_get(e, "leader")));
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(e, "cause"), "name")), "web3");
	json_decref(e);
	pairs[3] = "f123c69655f64b4ebfc07aa619f72286"; /* a problem that came with the change */
	e = journal_entry(field_of, pairs, 0);
	assert_string_equal(json_string_value(json_object_get(e, "event")), "state");
	json_decref(e);
}

/* ---- changes --------------------------------------------------------------------------------- */

static void hold_and_priority_make_their_calls(void **state)
{
	RUN_WITH(on, ANSWER("{\"held\":true}"), hold_verb, text_a);
	RUN_WITH(three, ANSWER("{\"priority\":3}"), priority_verb, text_d);

	(void)state;
	assert_int_equal(on.code, ELECTCTL_OK);
	assert_string_equal(on.out, "");
	assert_string_equal(
		on.asked, "{\"method\":\"io.electd.Hold\",\"parameters\":{\"on\":true}}");
	assert_int_equal(three.code, ELECTCTL_OK);
	assert_string_equal(three.asked,
		"{\"method\":\"io.electd.SetPriority\",\"parameters\":{\"priority\":3}}");
	assert_int_equal(alone(hold_verb, text_b, NULL), ELECTCTL_USAGE);
	assert_int_equal(alone(priority_verb, text_f, NULL), ELECTCTL_USAGE);
	assert_int_equal(alone(priority_verb, text_g, NULL), ELECTCTL_USAGE);
	assert_int_equal(alone(priority_verb, text_b, NULL), ELECTCTL_USAGE);
	free(on.out);
	free(three.out);
}

static void priority_without_a_number_prints_it(void **state)
{
	RUN(r, ANSWER(LEADS), priority_verb, 1, .json = false);
	RUN(plain, ANSWER(LEADS), priority_verb, 1, .plain = true);

	(void)state;
	assert_string_equal(r.out, "100\n");
	assert_string_equal(plain.out, "priority\t100\n");
	free(r.out);
	free(plain.out);
}

static void a_refused_change_is_exit_code_4(void **state)
{
	RUN_WITH(r, ERROR("io.electd.NotAllowed", ""), hold_verb, text_a);

	(void)state;
	assert_int_equal(r.code, ELECTCTL_NOT_ALLOWED);
	free(r.out);
}

/* Makes a file of these bytes; the caller unlinks it. */
static char *file_of(const void *bytes, size_t size)
{
	static char name[32];
	int fd;

	snprintf(name, sizeof name, "/tmp/electctl-XXXXXX");
	fd = mkstemp(name);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
	return name;
}

static void define_sends_any_bytes(void **state)
{
	static const struct {
		const char *bytes, *text;
		size_t size;
	} rows[] = { { "", "", 0 }, { "\0", "AA==", 1 }, { "ab", "YWI=", 2 },
		{ "\xff\xfe\xfd", "//79", 3 }, { "hello, world\n", "aGVsbG8sIHdvcmxkCg==", 13 } };
	char expected[256];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *name = file_of(rows[i].bytes, rows[i].size);
		RUN_WITH(r, ANSWER("{\"size\":1}"), define_verb, name);

		unlink(name);
		snprintf(expected, sizeof expected,
			"{\"method\":\"io.electd.Define\",\"parameters\":{\"definition\":\"%s\"}}",
			rows[i].text);
		assert_int_equal(r.code, ELECTCTL_OK);
		assert_string_equal(r.asked, expected);
		free(r.out);
	}
}

static void define_takes_4096_bytes_and_no_more(void **state)
{
	static const char zeros[4097];
	char *name = file_of(zeros, sizeof zeros), gone[] = "/nonexistent/file";

	(void)state;
	assert_int_equal(alone(define_verb, name, NULL), ELECTCTL_FALSE);
	assert_int_equal(truncate(name, 4096), 0);
	assert_int_equal(alone(define_verb, name, NULL), ELECTCTL_NOT_RUNNING);
	unlink(name);
	assert_int_equal(alone(define_verb, gone, NULL), ELECTCTL_FALSE);
}

/* As root, reload first asks for the path of the key file, which this electd does not send. */
#define RELOAD_CALLS (geteuid() ? 1 : 2)

static void reload_prints_what_changed(void **state)
{
	RUN(r,
		ANSWER("{\"changed\":[\"priority\"],\"restart_needed\":[\"domain\"],"
		       "\"keys\":\"changed\"}"),
		reload_verb, RELOAD_CALLS, .json = false);
	RUN(addresses,
		ANSWER("{\"changed\":[],\"restart_needed\":[],\"reload_needed\":[\"addresses\"],"
		       "\"keys\":\"kept\"}"),
		reload_verb, RELOAD_CALLS, .json = false);
	RUN(none, ANSWER("{\"changed\":[],\"restart_needed\":[],\"keys\":\"same\"}"), reload_verb,
		RELOAD_CALLS, .json = false);
	RUN(plain, ANSWER("{\"changed\":[\"a\",\"b\"],\"restart_needed\":[\"c\"]}"), reload_verb,
		RELOAD_CALLS, .plain = true);

	(void)state;
	assert_string_equal(r.out,
		"changed: priority\nchanged: the keys\nchanged in the file, needs a restart: "
		"domain\n");
	assert_string_equal(addresses.out,
		"changed in the file, needs: sudo systemctl reload electd: addresses\n");
	free(addresses.out);
	assert_string_equal(none.out, "nothing has changed\n");
	assert_string_equal(plain.out, "changed\ta\nchanged\tb\nrestart_needed\tc\n");
	free(r.out);
	free(none.out);
	free(plain.out);
}

static void a_bad_configuration_is_exit_code_7_with_the_error_of_the_parser(void **state)
{
	static const char reply[] =
		ERROR("io.electd.ConfigInvalid", "\"text\":\"a.conf:3: priority: 300\",\"line\":3");
	struct run r = { .replies = reply, .replies_size = sizeof reply };
	char said[SAID_MAX];

	(void)state;
	run_loud(&r, reload_verb, (struct options){ .json = false }, said);
	assert_int_equal(r.code, ELECTCTL_BAD_CONFIG);
	assert_string_equal(said, "electctl: a.conf:3: priority: 300\n");
	assert_string_equal(r.out, "");
	free(r.out);
}

/* ---- monitoring -------------------------------------------------------------------------- */

static void check_prints_one_line_and_returns_6_if_degraded(void **state)
{
	RUN(ok, ANSWER(LEADS), check_verb, 1, .json = false);
	RUN(bad, ANSWER(NOBODY), check_verb, 2, .json = false);
	RUN(plain, ANSWER(NOBODY), check_verb, 2, .plain = true);
	RUN(json, ANSWER(NOBODY), check_verb, 2, .json = true);

	(void)state;
	assert_int_equal(ok.code, ELECTCTL_OK);
	assert_string_equal(ok.out, "OK: web1 leads \"default\", 2 hosts, not authenticated\n");
	assert_int_equal(bad.code, ELECTCTL_DEGRADED);
	assert_string_equal(bad.out,
		"DEGRADED: nobody leads: web2 joined its group; No state.; not authenticated\n");
	assert_string_equal(
		plain.out, "DEGRADED\tnobody leads: web2 joined its group\tNo state.\n");
	assert_int_equal(json.code, ELECTCTL_DEGRADED);
	assert_non_null(strstr(json.out, "\"ok\": false"));
	assert_non_null(strstr(json.out, "\"authenticated\": false"));
	free(ok.out);
	free(bad.out);
	free(plain.out);
	free(json.out);
}

/* Both calls get the same reply. */
static void check_names_why_no_host_leads(void **state)
{
	static const char told[] = ANSWER("{\"role\":\"none\",\"why\":\"web2 joined\",\"members\":["
					  "{\"name\":\"web1\",\"why_not\":\"barred (app): gone\"},"
					  "{\"name\":\"web2\",\"why_not\":null},{\"name\":\"web3\","
					  "\"self\":true,\"why_not\":\"sick (pg)\"}]}");
	RUN(r, told, check_verb, 2, .json = false);

	(void)state;
	assert_int_equal(r.code, ELECTCTL_DEGRADED);
	assert_string_equal(r.out,
		"DEGRADED: nobody leads: web2 joined; web1 may not lead: barred (app): gone; "
		"not authenticated\n");
	free(r.out);
}

static void check_is_ok_if_no_problem_degrades_the_host(void **state)
{
	static const char told[] = ANSWER(STATUS("leader", LEADER_A, "1",
		"{\"ok\":true,\"problems\":[\"early suspicion of web1 is off\",\"two\"]}"));

	RUN(r, told, check_verb, 1, .json = false);
	RUN(plain, told, check_verb, 1, .plain = true);
	RUN(json, told, check_verb, 1, .json = true);

	(void)state;
	assert_int_equal(r.code, ELECTCTL_OK);
	assert_string_equal(r.out,
		"OK: web1 leads \"default\", 2 hosts; early suspicion of web1 is off; two; "
		"not authenticated\n");
	assert_int_equal(plain.code, ELECTCTL_OK);
	assert_string_equal(plain.out, "OK\tearly suspicion of web1 is off\ttwo\n");
	assert_int_equal(json.code, ELECTCTL_OK);
	assert_non_null(strstr(json.out, "\"ok\": true"));
	assert_non_null(strstr(json.out, "\"early suspicion of web1 is off\""));
	free(r.out);
	free(plain.out);
	free(json.out);
}

static void check_does_not_mention_authentication_with_a_key(void **state)
{
	static const char with_a_key[] =
		ANSWER("{\"role\":\"leader\",\"domain\":\"default\",\"leader\":" LEADER_A
		       "," MEMBERS ",\"auth\":{\"mode\":\"enforce\",\"active_key\":7,\"accepts\":["
		       "7],\"authenticated\":true}}");
	struct run r = { .replies = with_a_key, .replies_size = sizeof with_a_key };

	(void)state;
	run(&r, check_verb, (struct options){ .json = false }, 1);
	assert_string_equal(r.out, "OK: web1 leads \"default\", 2 hosts\n");
	free(r.out);
}

/* One of the two members is silent. */
static void check_compares_the_number_of_members(void **state)
{
	RUN(few, ANSWER(LEADS), check_verb, 1, .members = 2);
	RUN(right, ANSWER(LEADS), check_verb, 1, .members = 1);
	RUN(three, ANSWER(LEADS), check_verb, 1, .members = 3, .json = true);

	(void)state;
	assert_int_equal(few.code, ELECTCTL_DEGRADED);
	assert_string_equal(few.out, "DEGRADED: 1 host agrees, but 2 should; not authenticated\n");
	assert_int_equal(right.code, ELECTCTL_OK);
	assert_int_equal(three.code, ELECTCTL_DEGRADED);
	assert_non_null(strstr(three.out, "\"1 host agrees, but 3 should\""));
	free(few.out);
	free(right.out);
	free(three.out);
}

static void metrics_replaces_the_file_as_a_whole(void **state)
{
	char folder[] = "/tmp/electctl-XXXXXX", path[64], text[32] = "";
	struct stat before, after;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/electd.prom", folder);
	fd = open(path, O_CREAT | O_RDWR, 0600);
	assert_int_equal(fstat(fd, &before), 0);
	RUN(r, ANSWER("{\"text\":\"electd_token 9\\n\"}"), metrics_verb, 1, .output = path);
	assert_int_equal(r.code, ELECTCTL_OK);
	assert_string_equal(r.out, "");
	assert_int_equal(read(fd, text, sizeof text), 0); /* the old file is unchanged */
	close(fd);
	fd = open(path, O_RDONLY);
	assert_int_equal(fstat(fd, &after), 0);
	assert_int_not_equal(before.st_ino, after.st_ino);
	assert_int_equal(after.st_mode & 0444, 0444);
	assert_int_equal(read(fd, text, sizeof text), 15);
	assert_string_equal(text, "electd_token 9\n");
	close(fd);
	unlink(path);
	assert_int_equal(rmdir(folder), 0); /* no other file is left in it */
	free(r.out);
}

static void metrics_fails_if_the_file_cannot_be_written(void **state)
{
	RUN(r, ANSWER("{\"text\":\"x\"}"), metrics_verb, 1, .output = "/nonexistent/x.prom");
	RUN(out, ANSWER("{\"text\":\"x 1\\n\"}"), metrics_verb, 1, .plain = true);

	(void)state;
	assert_int_equal(r.code, ELECTCTL_FALSE);
	assert_string_equal(out.out, "x 1\n");
	free(r.out);
	free(out.out);
}

/* ---- the picture ------------------------------------------------------------------------- */

static json_t *status_of(unsigned count)
{
	json_t *status = json_loads(LEADS, 0, NULL), *members = json_array();
	char name[32];

	for (unsigned i = 0; i < count; i++) {
		snprintf(name, sizeof name, "host%u.rack7.example", i);
		json_array_append_new(members,
			json_pack("{s:s, s:s, s:s, s:i, s:i}", "name", name, "address",
				"203.0.113.217", "state", "unknown", "rank", (int)i, "priority",
				100));
	}
	json_object_set_new(status, "members", members);
	return status;
}

static void a_picture_is_never_larger_than_its_screen(void **state)
{
	static const unsigned counts[] = { 0, 1, 3, 40, 1024 }, lines_counts[] = { 0, 1, 5, 64 };
	const char *lines[64];

	(void)state;
	for (size_t i = 0; i < 64; i++)
		lines[i] = "10:00:00.000  none";
	for (unsigned rows = 1; rows < 90; rows++)
		for (unsigned n = 0; n < 20; n++) {
			json_t *status = status_of(counts[n / 4]);
			char *text = NULL;
			size_t size;
			struct options o = { .out = open_memstream(&text, &size), .width = 80 };
			unsigned drawn = 0;

			live_draw(&o, status, lines, lines_counts[n % 4], rows);
			fclose(o.out);
			for (char *p = text; *p; p++)
				drawn += *p == '\n';
			assert_in_range(drawn, 1, rows);
			assert_false(too_wide(text));
			free(text);
			json_decref(status);
		}
}

static void a_picture_shows_all_members_if_the_screen_is_large_enough(void **state)
{
	json_t *status = status_of(40);
	char *text = NULL;
	size_t size;
	struct options o = { .out = open_memstream(&text, &size), .width = 80 };

	(void)state;
	live_draw(&o, status, NULL, 0, 60);
	fflush(o.out);
	assert_non_null(strstr(text, "host39"));
	assert_null(strstr(text, "more"));
	live_draw(&o, status, NULL, 0, 24);
	fclose(o.out);
	assert_non_null(strstr(text, "and 26 more"));
	free(text);
	json_decref(status);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wait_asks_electd_to_wait),
		cmocka_unit_test(wait_times_out_with_5_and_refuses_other_words),
		cmocka_unit_test(wait_prints_only_with_plain),
		cmocka_unit_test(history_is_a_table_of_80_columns),
		cmocka_unit_test(history_prints_the_last_entries),
		cmocka_unit_test(why_is_a_paragraph),
		cmocka_unit_test(why_times_is_a_table_that_loses_no_word),
		cmocka_unit_test(why_times_tells_that_a_change_is_not_over),
		cmocka_unit_test(why_times_for_scripts),
		cmocka_unit_test(why_times_without_a_change_or_from_an_old_electd),
		cmocka_unit_test(an_entry_of_the_journal_has_the_shape_of_a_change),
		cmocka_unit_test(hold_and_priority_make_their_calls),
		cmocka_unit_test(priority_without_a_number_prints_it),
		cmocka_unit_test(a_refused_change_is_exit_code_4),
		cmocka_unit_test(define_sends_any_bytes),
		cmocka_unit_test(define_takes_4096_bytes_and_no_more),
		cmocka_unit_test(reload_prints_what_changed),
		cmocka_unit_test(a_bad_configuration_is_exit_code_7_with_the_error_of_the_parser),
		cmocka_unit_test(check_prints_one_line_and_returns_6_if_degraded),
		cmocka_unit_test(check_names_why_no_host_leads),
		cmocka_unit_test(check_is_ok_if_no_problem_degrades_the_host),
		cmocka_unit_test(check_does_not_mention_authentication_with_a_key),
		cmocka_unit_test(check_compares_the_number_of_members),
		cmocka_unit_test(metrics_replaces_the_file_as_a_whole),
		cmocka_unit_test(metrics_fails_if_the_file_cannot_be_written),
		cmocka_unit_test(a_picture_is_never_larger_than_its_screen),
		cmocka_unit_test(a_picture_shows_all_members_if_the_screen_is_large_enough),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
