/* SPDX-License-Identifier: Apache-2.0 */
/* hookd's journal entries, its lines without a journal, and the files of identity and target. */
#include "dir.h"

#include "hookd/link/identity.h"
#include "hookd/run/target.h"
#include "hookd/run/tell.h"
#include "unit/words/false_journal.h"

enum { DATAGRAM_MAX = 65536 };

static char datagram[DATAGRAM_MAX];
static ssize_t datagram_size;

static const struct tell_entry failed = {
	.kind = TELL_FAILED,
	.event = HOOK_LEADER,
	.domain = "default",
	.token = 7,
	.hook = "20-vip",
	.result = "failed",
	.status = 3,
	.runtime_us = 12999,
	.output = "first\nlast",
	.line = "hook 20-vip: leader failed",
};

/* ---- a journal --------------------------------------------------------------------------- */

static int no_journal(void **state)
{
	journal_reads_stderr(NULL);
	return dir_removed(state);
}

/* The value of a field, or NULL; a field with lines is stored with its length. */
static const char *field(const char *name)
{
	static char value[DATAGRAM_MAX];
	const char *at = datagram, *end = datagram + datagram_size;

	while (at < end) {
		const char *begin = at + strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
		bool mine = (size_t)(begin - at) == strlen(name) && !memcmp(at, name, strlen(name));
		uint64_t length = 0;

		if (*begin++ == '=') {
			at = memchr(begin, '\n', (size_t)(end - begin));
			assert_non_null(at);
			length = (uint64_t)(at - begin);
		} else {
			assert_int_equal(begin[-1], '\n');
			assert_true(begin + 8 <= end);
			for (int i = 7; i >= 0; i--)
				length = length << 8 | (unsigned char)begin[i];
			begin += 8;
			assert_true(length < (uint64_t)(end - begin));
			assert_non_null(memchr(begin, '\n', length));
			at = begin + length;
		}
		assert_int_equal(*at++, '\n');
		if (mine) {
			memcpy(value, begin, length);
			value[length] = '\0';
			return value;
		}
	}
	return NULL;
}

static void assert_field(const char *name, const char *wanted)
{
	const char *value = field(name);

	if (!value || strcmp(value, wanted) != 0)
		fail_msg("%s is %s, not %s", name, value ? value : "not there", wanted);
}

/* Sends the entry to a journal that reads. */
static void tell_it(const struct tell_entry *entry)
{
	int journal = journal_at(path_of("journal"));
	struct entry_way t;

	journal_reads_stderr(JOURNALS_STDERR);
	entry_open(&t, path_of("journal"));
	tell_entry(&t, entry);
	entry_close(&t);
	datagram_size = recv(journal, datagram, sizeof(datagram), 0);
	assert_true(datagram_size > 0);
	close(journal);
}

static void a_script_is_one_entry_with_its_output(void **state)
{
	(void)state;
	tell_it(&failed);
	assert_field("MESSAGE", "hook 20-vip: leader failed\nfirst\nlast");
	assert_field("MESSAGE_ID", tell_message_id(TELL_FAILED));
	assert_field("PRIORITY", "4");
	assert_field("SYSLOG_IDENTIFIER", "electd-hookd");
	assert_field("ELECTD_DOMAIN", "default");
	assert_field("ELECTD_EVENT", "leader");
	assert_field("ELECTD_TOKEN", "7");
	assert_field("ELECTD_HOOK", "20-vip");
	assert_field("ELECTD_RESULT", "failed");
	assert_field("ELECTD_STATUS", "3");
	assert_field("ELECTD_RUNTIME_MS", "12");
	assert_field("ELECTD_OUTPUT", "first\nlast");
}

static void a_begin_has_no_result(void **state)
{
	const struct tell_entry begin = { .kind = TELL_BEGIN,
		.event = HOOK_NONE,
		.domain = "default",
		.token = UINT64_MAX,
		.reason = "electd-gone",
		.line = "none begins" };

	(void)state;
	tell_it(&begin);
	assert_field("MESSAGE", "none begins");
	assert_field("ELECTD_TOKEN", "18446744073709551615");
	assert_field("ELECTD_REASON", "electd-gone");
	assert_null(field("ELECTD_RESULT"));
	assert_null(field("ELECTD_STATUS"));
	assert_null(field("ELECTD_HOOK"));
	assert_null(field("ELECTD_RUNTIME_MS"));
}

static void the_longest_output_fits(void **state)
{
	struct tell_entry entry = failed;
	char output[COMMAND_OUTPUT_MAX + 1];

	(void)state;
	memset(output, '\n', COMMAND_OUTPUT_MAX);
	output[COMMAND_OUTPUT_MAX] = '\0';
	entry.output = output;
	tell_it(&entry);
	assert_field("ELECTD_OUTPUT", output);
}

static void a_journal_that_was_restarted_is_found_again(void **state)
{
	int journal = journal_at(path_of("journal"));
	struct entry_way t;

	(void)state;
	journal_reads_stderr(JOURNALS_STDERR);
	entry_open(&t, path_of("journal"));
	close(journal);
	unlink(path_of("journal"));
	journal = journal_at(path_of("journal"));
	tell_entry(&t, &failed);
	entry_close(&t);
	datagram_size = recv(journal, datagram, sizeof(datagram), 0);
	assert_true(datagram_size > 0);
	close(journal);
}

/* Returns what run() writes to stderr. */
static const char *stderr_of(void (*run)(void))
{
	static char text[8192];
	int kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	int fd = open(path_of("lines"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ssize_t n;

	assert_true(kept >= 0 && fd >= 0);
	dup2(fd, STDERR_FILENO);
	run();
	dup2(kept, STDERR_FILENO);
	n = pread(fd, text, sizeof(text) - 1, 0);
	assert_true(n >= 0);
	text[n] = '\0';
	close(fd);
	close(kept);
	return text;
}

static void tell_nobody(void)
{
	struct entry_way t;

	entry_open(&t, "/nonexistent/journal");
	tell_entry(&t, &failed);
	entry_close(&t);
}

static void an_entry_is_lines_on_stderr_without_a_journal(void **state)
{
	static const char wanted[] = "hookd: hook 20-vip: leader failed\n"
				     "hookd:     first\n"
				     "hookd:     last\n";

	(void)state;
	assert_string_equal(stderr_of(tell_nobody), wanted);
}

static void tell_lost_journal(void)
{
	journal_reads_stderr(JOURNALS_STDERR);
	tell_nobody();
}

static void an_entry_that_the_journal_does_not_take_goes_to_stderr(void **state)
{
	(void)state;
	assert_non_null(strstr(stderr_of(tell_lost_journal), "hook 20-vip: leader failed"));
}

/* Nothing reads this journal; entries that it does not take become lines. */
static void flood_journal(void)
{
	int journal = journal_at(path_of("journal"));
	const struct tell_entry begin = { .kind = TELL_BEGIN, .event = HOOK_NONE, .line = "x" };
	const char *path = path_of("journal");
	struct entry_way t;

	journal_reads_stderr(JOURNALS_STDERR);
	entry_open(&t, path);
	for (int i = 0; i < 2000; i++)
		tell_entry(&t, &begin);
	entry_close(&t);
	close(journal);
}

/* A demotion must not wait for the journal. */
static void a_full_journal_delays_nothing(void **state)
{
	(void)state;
	assert_non_null(strstr(stderr_of(flood_journal), "x\n"));
}

/* ---- identity ---------------------------------------------------------------------------- */

static void a_saved_identity_is_known_after_a_restart(void **state)
{
	struct identity i = { 0 }, again = { .domain = "x" };

	(void)state;
	snprintf(i.domain, sizeof(i.domain), "storage");
	snprintf(i.node.id, sizeof(i.node.id), "00ff");
	snprintf(i.node.name, sizeof(i.node.name), "alpha");
	assert_int_equal(identity_save(dir, &i), 0);
	identity_load(dir, &again);
	assert_string_equal(again.domain, "storage");
	assert_string_equal(again.node.id, "00ff");
	assert_string_equal(again.node.name, "alpha");
}

static void an_invalid_identity_file_is_ignored(void **state)
{
	static const char *const texts[] = { "", "{", "[]", "{\"domain\":5,\"node\":7}",
		"{\"domain\":\"$(x)\",\"node\":{\"id\":\"GG\",\"name\":\"a b\"}}" };
	struct identity i = { 0 };

	(void)state;
	for (size_t n = 0; n < sizeof(texts) / sizeof(texts[0]); n++) {
		FILE *f = fopen(path_of(IDENTITY_FILE_NAME), "we");

		assert_non_null(f);
		fputs(texts[n], f);
		fclose(f);
		identity_load(dir, &i);
		assert_string_equal(i.domain, "default");
		assert_string_equal(i.node.id, "");
		assert_string_equal(i.node.name, "");
	}
	unlink(path_of(IDENTITY_FILE_NAME));
	identity_load(dir, &i);
	assert_string_equal(i.domain, "default");
}

static void an_identity_that_cannot_be_written_is_an_error(void **state)
{
	struct identity i = { 0 };

	(void)state;
	assert_true(identity_save("/nonexistent", &i) < 0);
}

/* ---- target ------------------------------------------------------------------------------ */

static void the_leader_file_exists_while_the_target_may_run(void **state)
{
	struct target t = { .leader = "x.target", .dir = dir };

	(void)state;
	strcpy(t.file, path_of("leader"));
	assert_int_equal(target_allow(&t), 0);
	assert_int_equal(target_allow(&t), 0);
	assert_int_equal(access(t.file, F_OK), 0);
	assert_int_equal(target_forbid(&t), 0);
	assert_int_equal(target_forbid(&t), 0);
	assert_int_equal(access(t.file, F_OK), -1);
	t.dir = "/nonexistent/folder";
	assert_int_equal(target_allow(&t), -ENOENT);
}

static void the_removed_folder_of_the_leader_file_is_made_again(void **state)
{
	struct target t = { .leader = "x.target" };
	char folder[PATH_MAX];
	struct stat st;

	(void)state;
	snprintf(folder, sizeof(folder), "%s", path_of("own"));
	t.dir = folder;
	strcpy(t.file, path_of("own/leader"));
	assert_int_equal(target_allow(&t), 0);
	assert_int_equal(stat(folder, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
	assert_int_equal(access(t.file, F_OK), 0);
	assert_int_equal(target_forbid(&t), 0);
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(target_forbid(&t), 0);
}

static void only_the_leader_target_is_waited_for(void **state)
{
	const struct target t = { .systemctl = "/usr/bin/systemctl" };
	const char *words[TARGET_WORDS_MAX];

	(void)state;
	target_words(&t, "a.target", true, true, words);
	assert_string_equal(words[0], "/usr/bin/systemctl");
	assert_string_equal(words[1], "--no-ask-password");
	assert_string_equal(words[2], "--job-mode=fail");
	assert_string_equal(words[3], "start");
	assert_string_equal(words[4], "a.target");
	assert_null(words[5]);
	target_words(&t, "b.target", false, false, words);
	assert_string_equal(words[2], "--no-block");
	assert_string_equal(words[3], "stop");
	assert_null(words[5]);
}

#define WITH_JOURNAL(test) cmocka_unit_test_setup_teardown(test, dir_made, no_journal)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_JOURNAL(a_script_is_one_entry_with_its_output),
		WITH_JOURNAL(a_begin_has_no_result),
		WITH_JOURNAL(the_longest_output_fits),
		WITH_JOURNAL(a_journal_that_was_restarted_is_found_again),
		WITH_JOURNAL(an_entry_is_lines_on_stderr_without_a_journal),
		WITH_JOURNAL(an_entry_that_the_journal_does_not_take_goes_to_stderr),
		WITH_JOURNAL(a_full_journal_delays_nothing),
		IN_DIR(a_saved_identity_is_known_after_a_restart),
		IN_DIR(an_invalid_identity_file_is_ignored),
		IN_DIR(an_identity_that_cannot_be_written_is_an_error),
		IN_DIR(the_leader_file_exists_while_the_target_may_run),
		IN_DIR(the_removed_folder_of_the_leader_file_is_made_again),
		IN_DIR(only_the_leader_target_is_waited_for),
	};

	journal_reads_stderr(NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
