/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of the journal, and the behaviour without one or with one that does not read. */
#include "false_journal.h"
#include "history_scene.h"
#include "words/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

static struct scene s;
static struct journal j;
static char folder[] = "/tmp/electd-journal-XXXXXX";
static char path[64];
static int saved_stderr, lines, entries;

/* ---- the journal of the test ----------------------------------------------------------------- */

/* stderr becomes a pipe that the test reads; if `journal`, it counts as the journal's. */
static void begin(bool journal)
{
	int fds[2];

	assert_int_equal(pipe2(fds, O_NONBLOCK | O_CLOEXEC), 0);
	saved_stderr = dup(STDERR_FILENO);
	assert_true(dup2(fds[1], STDERR_FILENO) >= 0);
	close(fds[1]);
	lines = fds[0];
	journal_reads_stderr(journal ? JOURNALS_STDERR : NULL);
	assert_int_equal(log_set_level("info"), 0);
	entries = journal_at(path);
	journal_open(&j, path, "shop");
}

static int with_journal(void **state)
{
	(void)state;
	begin(true);
	return 0;
}

static int without_journal(void **state)
{
	(void)state;
	begin(false);
	return 0;
}

static int end(void **state)
{
	(void)state;
	journal_close(&j);
	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
	close(lines);
	if (entries >= 0)
		close(entries);
	unlink(path);
	return 0;
}

/* The next entry, or an empty text. */
static const char *entry(void)
{
	static char text[8192];
	ssize_t n = recv(entries, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

static const char *line(void)
{
	static char text[8192];
	ssize_t n = read(lines, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

static void has(const char *text, const char *field)
{
	char whole[512];

	snprintf(whole, sizeof(whole), "\n%s\n", field);
	if (strncmp(text, field, strlen(field)) != 0 && !strstr(text, whole))
		fail_msg("no %s in\n%s", field, text);
}

static void has_id(const char *text, enum journal_kind kind)
{
	char field[64];

	snprintf(field, sizeof(field), "MESSAGE_ID=%s", journal_message_id(kind));
	has(text, field);
}

static void tell_newest(void)
{
	journal_change(&j, history_at(&s.h, history_count(&s.h) - 1));
}

/* ---- entries ----------------------------------------------------------------------------- */

static void a_new_leader_is_one_entry_with_its_fields(void **state)
{
	const char *e;

	(void)state;
	scene_succession(&s, 3, ELECT_REASON_COORDINATOR_SILENT);
	tell_newest();
	e = entry();
	has(e,
		"MESSAGE=web3 (this host) leads, token 314874694, 4 hosts: web1, the previous "
		"leader, fell silent");
	has_id(e, JOURNAL_LEADS);
	has(e, "PRIORITY=5");
	has(e, "SYSLOG_IDENTIFIER=electd");
	has(e, "ELECTD_DOMAIN=shop");
	has(e, "ELECTD_EVENT=leader");
	has(e, "ELECTD_SEQ=5");
	has(e, "ELECTD_BOOT_MS=1101020");
	has(e, "ELECTD_ROLE=leader");
	has(e, "ELECTD_OLD_ROLE=none");
	has(e, "ELECTD_TOKEN=314874694");
	has(e, "ELECTD_GROUP=web3.18");
	has(e, "ELECTD_LEADER=web3");
	has(e, "ELECTD_LEADER_ID=03000000000000000000000000000000");
	has(e, "ELECTD_REASON=coordinator-silent");
	has(e, "ELECTD_CAUSE=web1");
	has(e, "ELECTD_CAUSE_ID=01000000000000000000000000000000");
	has(e, "ELECTD_MEMBER_COUNT=4");
	assert_string_equal(entry(), "");
	assert_string_equal(line(), "");
}

static void every_field_is_a_line_as_the_protocol_wants_it(void **state)
{
	char text[8192];

	(void)state;
	scene_succession(&s, 3, ELECT_REASON_COORDINATOR_SILENT);
	tell_newest();
	snprintf(text, sizeof(text), "%s", entry());
	assert_int_equal(text[strlen(text) - 1], '\n');
	for (char *at = strtok(text, "\n"); at; at = strtok(NULL, "\n")) {
		size_t name = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");

		assert_true(name > 0 && at[0] != '_');
		assert_int_equal(at[name], '=');
		assert_int_not_equal(at[name + 1], '\0');
	}
}

static void a_field_without_a_value_is_left_out(void **state)
{
	const char *e;

	(void)state;
	scene_begin(&s, 2);
	scene_show(&s, 0);
	tell_newest();
	e = entry();
	has_id(e, JOURNAL_NOBODY);
	has(e, "ELECTD_TOKEN=0");
	assert_null(strstr(e, "ELECTD_LEADER"));
	assert_null(strstr(e, "ELECTD_GROUP"));
}

static void each_kind_has_its_id(void **state)
{
	const char *sick;

	(void)state;
	scene_succession(&s, 5, ELECT_REASON_COORDINATOR_SILENT);
	tell_newest();
	has_id(entry(), JOURNAL_FOLLOWS);
	scene_because(&s, ELECT_REASON_JOINED, 1);
	scene_led(&s, 3, 18, 5);
	scene_show(&s, SECOND);
	tell_newest();
	has_id(entry(), JOURNAL_MEMBERS);
	s.view.held = true;
	scene_show(&s, SECOND);
	tell_newest();
	has_id(entry(), JOURNAL_HELD);
	journal_other_keys(&j, "other keys");
	has_id(entry(), JOURNAL_OTHER_KEYS);
	journal_health(&j,
		&(struct elect_reported){
			.name = "pg", .health = ELECT_HEALTH_SICK, .words = "connection refused" });
	sick = entry();
	has_id(sick, JOURNAL_SICK);
	has(sick, "MESSAGE=pg is sick: connection refused");
	has(sick, "ELECTD_HEALTH=pg");
	has(sick, "ELECTD_HEALTH_WORDS=connection refused");
	journal_health(&j, &(struct elect_reported){ .name = "pg", .health = ELECT_HEALTH_WELL });
	has_id(entry(), JOURNAL_WELL);
	assert_string_equal(entry(), "");
	for (unsigned a = 0; a < JOURNAL_KINDS; a++)
		for (unsigned b = 0; b < a; b++)
			assert_string_not_equal(journal_message_id(a), journal_message_id(b));
}

static void each_problem_has_an_entry_when_it_comes_and_when_it_goes(void **state)
{
	const char *e;

	(void)state;
	scene_begin(&s, 2);
	s.view.problems = ELECT_PROBLEM_STATE_LOST | ELECT_PROBLEM_NO_CARRIER;
	scene_show(&s, 0);
	tell_newest();
	has(entry(), "MESSAGE=nobody leads: electd has just started and listens first");
	e = entry();
	has_id(e, JOURNAL_STATE_LOST);
	has(e, "PRIORITY=4");
	has(e, "ELECTD_PROBLEM=state-lost");
	e = entry();
	has_id(e, JOURNAL_PROBLEM);
	has(e, "MESSAGE=problem: no network interface has a carrier");
	has(e, "ELECTD_PROBLEM=no-carrier");
	s.view.problems = ELECT_PROBLEM_STATE_LOST;
	scene_show(&s, SECOND);
	tell_newest();
	e = entry();
	has_id(e, JOURNAL_PROBLEM_GONE);
	has(e, "MESSAGE=problem over: no network interface has a carrier");
	has(e, "ELECTD_EVENT=state");
	assert_string_equal(entry(), "");
}

/* ---- readers --------------------------------------------------------------------------------- */

static void the_same_line_is_on_stderr_without_a_journal(void **state)
{
	(void)state;
	scene_succession(&s, 3, ELECT_REASON_COORDINATOR_SILENT);
	tell_newest();
	assert_string_equal(line(),
		"node: web3 (this host) leads, token 314874694, 4 hosts: web1, the previous "
		"leader, fell silent\n");
	assert_string_equal(entry(), "");
}

static void a_change_below_the_level_is_not_logged(void **state)
{
	(void)state;
	assert_int_equal(log_set_level("warning"), 0);
	scene_succession(&s, 3, ELECT_REASON_COORDINATOR_SILENT);
	tell_newest();
	assert_string_equal(entry(), "");
	assert_string_equal(line(), "");
}

static void a_journal_that_was_restarted_is_found_again(void **state)
{
	(void)state;
	close(entries);
	entries = journal_at(path);
	scene_succession(&s, 3, ELECT_REASON_COORDINATOR_SILENT);
	tell_newest();
	has_id(entry(), JOURNAL_LEADS);
	assert_string_equal(line(), "");
}

static void the_line_is_on_stderr_if_the_journal_is_dead(void **state)
{
	(void)state;
	close(entries);
	unlink(path);
	entries = -1;
	scene_succession(&s, 3, ELECT_REASON_COORDINATOR_SILENT);
	tell_newest();
	assert_non_null(strstr(line(), "leads, token 314874694"));
}

static void a_journal_that_does_not_read_does_not_block(void **state)
{
	unsigned told = 0;

	(void)state;
	scene_succession(&s, 3, ELECT_REASON_COORDINATOR_SILENT);
	for (; told < 100000 && !*line(); told++)
		tell_newest(); /* must return, though the queue is full at some point */
	assert_true(told > 1 && told < 100000);
	has_id(entry(), JOURNAL_LEADS);
}

/* ---- faults ------------------------------------------------------------------------------ */

static const char *fault_name(unsigned index)
{
	static const char *const names[] = { "tag", "replayed" };

	return names[index];
}

static void faults_are_summed_up_once_a_minute(void **state)
{
	uint64_t counters[2] = { 3, 1 };
	const char *e;

	(void)state;
	assert_true(journal_faults(&j, SECOND, counters, 2, fault_name, ""));
	e = entry();
	has(e, "MESSAGE=4 datagrams dropped: tag 3, replayed 1");
	has_id(e, JOURNAL_FAULTS);
	counters[0] = 1000000;
	for (unsigned i = 2; i < 61; i++)
		assert_false(journal_faults(&j, i * SECOND, counters, 2, fault_name, ""));
	assert_string_equal(entry(), "");
	assert_true(journal_faults(&j, 61 * SECOND, counters, 2, fault_name, ""));
	has(entry(), "MESSAGE=999997 datagrams dropped: tag 999997");
	counters[1]++;
	journal_last_faults(&j, 62 * SECOND, counters, 2, fault_name, "");
	has(entry(), "MESSAGE=1 datagram dropped: replayed 1");
	assert_string_equal(line(), "");
}

static void the_known_cause_of_faults_is_behind_their_counts(void **state)
{
	uint64_t counters[2] = { 3, 1 };

	(void)state;
	assert_true(journal_faults(&j, SECOND, counters, 2, fault_name, "from a host"));
	has(entry(), "MESSAGE=4 datagrams dropped: tag 3, replayed 1; from a host");
	assert_false(journal_faults(&j, 99 * SECOND, counters, 2, fault_name, "from a host"));
}

static void faults_are_on_stderr_without_a_journal(void **state)
{
	uint64_t counters[2] = { 3, 1 };

	(void)state;
	assert_true(journal_faults(&j, SECOND, counters, 2, fault_name, ""));
	assert_string_equal(line(), "node: 4 datagrams dropped: tag 3, replayed 1\n");
}

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/socket", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

#define IN_JOURNAL(test) cmocka_unit_test_setup_teardown(test, with_journal, end)
#define ON_STDERR(test)	 cmocka_unit_test_setup_teardown(test, without_journal, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_JOURNAL(a_new_leader_is_one_entry_with_its_fields),
		IN_JOURNAL(every_field_is_a_line_as_the_protocol_wants_it),
		IN_JOURNAL(a_field_without_a_value_is_left_out),
		IN_JOURNAL(each_kind_has_its_id),
		IN_JOURNAL(each_problem_has_an_entry_when_it_comes_and_when_it_goes),
		ON_STDERR(the_same_line_is_on_stderr_without_a_journal),
		IN_JOURNAL(a_change_below_the_level_is_not_logged),
		IN_JOURNAL(a_journal_that_was_restarted_is_found_again),
		IN_JOURNAL(the_line_is_on_stderr_if_the_journal_is_dead),
		IN_JOURNAL(a_journal_that_does_not_read_does_not_block),
		IN_JOURNAL(faults_are_summed_up_once_a_minute),
		IN_JOURNAL(the_known_cause_of_faults_is_behind_their_counts),
		ON_STDERR(faults_are_on_stderr_without_a_journal),
	};

	return cmocka_run_group_tests_name("journal", tests, make_folder, remove_folder);
}
