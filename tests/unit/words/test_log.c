/* SPDX-License-Identifier: Apache-2.0 */
/* Lines, the escaping of foreign text, the rate limit of faults, and readers that do not read. */
#include "false_journal.h"
#include "unit/patience.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static int saved_stderr, reader;

static void stderr_becomes(int fds[2])
{
	saved_stderr = dup(STDERR_FILENO);
	reader = fds[0];
	assert_true(dup2(fds[1], STDERR_FILENO) >= 0);
	close(fds[1]);
}

static int with_pipe(void **state)
{
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
	stderr_becomes(fds);
	journal_reads_stderr(NULL);
	return log_set_level("info");
}

static int with_socket(void **state)
{
	int fds[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
	assert_int_equal(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
	stderr_becomes(fds);
	journal_reads_stderr(NULL);
	return log_set_level("info");
}

/* The terminal of a hung session: the master's end is open and nobody reads it. */
static int with_terminal(void **state)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK), fds[2];

	(void)state;
	assert_true(master >= 0);
	assert_int_equal(grantpt(master), 0);
	assert_int_equal(unlockpt(master), 0);
	fds[0] = master;
	fds[1] = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(fds[1] >= 0);
	stderr_becomes(fds);
	journal_reads_stderr(NULL);
	return log_set_level("info");
}

static int stderr_back(void **state)
{
	(void)state;
	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
	close(reader);
	return 0;
}

/* Returns the text that arrived on stderr since the last call; empty if none. */
static const char *written(void)
{
	static char text[8192];
	ssize_t n = read(reader, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

static void a_line_names_its_subsystem(void **state)
{
	(void)state;
	log_notice("net", "interface %s", "eth0");
	assert_string_equal(written(), "net: interface eth0\n");
}

static void the_journal_gets_the_level_in_front(void **state)
{
	(void)state;
	journal_reads_stderr(JOURNALS_STDERR);
	log_error("store", "disk full");
	assert_string_equal(written(), "<3>store: disk full\n");
	log_info("store", "fine");
	assert_string_equal(written(), "<6>store: fine\n");
}

static void the_journal_stream_of_another_process_is_ignored(void **state)
{
	(void)state;
	journal_reads_stderr("%ju:1%ju");
	log_error("store", "disk full");
	assert_string_equal(written(), "store: disk full\n");
}

static void lines_below_the_level_are_not_printed(void **state)
{
	(void)state;
	log_debug("node", "hidden");
	assert_string_equal(written(), "");
	assert_false(log_wanted(LOG_LEVEL_DEBUG));
	assert_int_equal(log_set_level("debug"), 0);
	log_debug("node", "shown");
	assert_string_equal(written(), "node: shown\n");
	assert_int_equal(log_set_level("error"), 0);
	log_warning("node", "hidden");
	assert_string_equal(written(), "");
}

static void every_level_has_a_name_and_other_names_are_refused(void **state)
{
	(void)state;
	for (unsigned i = 0; i < LOG_LEVELS; i++)
		assert_int_equal(log_set_level(log_level_name((enum log_level)i)), 0);
	assert_int_equal(log_set_level("loud"), -EINVAL);
	assert_int_equal(log_set_level(""), -EINVAL);
	assert_true(log_wanted(LOG_LEVEL_DEBUG));
}

static void outside_text_cannot_forge_a_line_or_reach_the_terminal(void **state)
{
	(void)state;
	log_info("ctl", "client says %s", "a\n<0>fake: \x1b[2J\x7f\xc2\x9b\\");
	assert_string_equal(
		written(), "ctl: client says a\\n<0>fake: \\x1b[2J\\x7f\\xc2\\x9b\\\\\n");
}

static void a_line_that_is_too_long_is_cut_with_a_mark(void **state)
{
	char huge[3 * LOG_LINE_MAX];
	const char *line;

	(void)state;
	memset(huge, 'x', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = '\0';
	log_info("ctl", "%s", huge);
	line = written();
	assert_true(strlen(line) < LOG_LINE_MAX);
	assert_string_equal(line + strlen(line) - 5, "x...\n");
}

static void logging_keeps_errno(void **state)
{
	(void)state;
	errno = EXDEV;
	log_info("ctl", "a");
	assert_int_equal(errno, EXDEV);
}

/* A child writes, because a blocked write would stop the test. */
static void a_reader_that_does_not_read_does_not_block(void **state)
{
	pid_t child = fork(), ended = 0;

	(void)state;
	assert_true(child >= 0);
	if (child == 0) {
		for (int i = 0; i < 2000; i++)
			log_info("ctl", "%0500d", i);
		_exit(0);
	}
	for (int round = 0; !ended && round < PATIENCE_ROUNDS; round++) {
		ended = waitpid(child, NULL, WNOHANG);
		if (!ended)
			poll(NULL, 0, PATIENCE_ROUND_MS);
	}
	kill(child, SIGKILL);
	assert_int_equal(ended, child);
	assert_true(strlen(written()) > 0);
}

/* Other processes that share the pipe do not expect EAGAIN. */
static void a_shared_pipe_stays_blocking(void **state)
{
	(void)state;
	log_info("ctl", "a");
	assert_int_equal(fcntl(STDERR_FILENO, F_GETFL) & O_NONBLOCK, 0);
	assert_string_equal(written(), "ctl: a\n");
}

static void a_cut_never_splits_an_escape(void **state)
{
	char text[12];

	(void)state;
	for (size_t size = 4; size <= sizeof(text); size++) {
		memset(text, '!', sizeof(text));
		log_escape("\x01\x02\x03", 3, text, size);
		assert_true(strlen(text) < size);
		assert_int_equal((strlen(text) - 3) % 4, 0);
		assert_string_equal(text + strlen(text) - 3, "...");
	}
	log_escape("\x01\x02", 2, text, 9);
	assert_string_equal(text, "\\x01\\x02");
	log_escape("a\0b", 3, text, sizeof(text));
	assert_string_equal(text, "a\\x00b");
}

static const char *fault_name(unsigned index)
{
	static const char *const names[] = { NULL, "tag", "replayed" };

	return names[index];
}

static void faults_are_logged_once_a_minute_with_their_reasons(void **state)
{
	struct log_faults faults = { 0 };
	uint64_t counters[3] = { 1000, 2, 1 }, now_us = 5;

	(void)state;
	assert_true(log_faults_report(&faults, now_us, "net", counters, 3, fault_name));
	assert_string_equal(written(), "net: 3 datagrams dropped: tag 2, replayed 1\n");
	counters[1]++;
	now_us += LOG_FAULTS_US - 1;
	assert_false(log_faults_report(&faults, now_us, "net", counters, 3, fault_name));
	assert_string_equal(written(), "");
	assert_true(log_faults_report(&faults, now_us + 1, "net", counters, 3, fault_name));
	assert_string_equal(written(), "net: 1 datagram dropped: tag 1\n");
}

static void nothing_is_logged_without_new_faults(void **state)
{
	struct log_faults faults = { 0 };
	uint64_t counters[3] = { 0, 0, 0 };

	(void)state;
	assert_false(log_faults_report(&faults, 1, "net", counters, 3, fault_name));
	counters[0] = 7;
	assert_false(log_faults_report(&faults, 2, "net", counters, 3, fault_name));
	counters[2] = 1;
	assert_true(log_faults_report(&faults, 3, "net", counters, 3, fault_name));
	assert_false(log_faults_report(&faults, 4 + LOG_FAULTS_US, "net", counters, 3, fault_name));
}

#define ON_PIPE(test) cmocka_unit_test_setup_teardown(test, with_pipe, stderr_back)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_PIPE(a_line_names_its_subsystem),
		cmocka_unit_test_setup_teardown(
			the_journal_gets_the_level_in_front, with_socket, stderr_back),
		ON_PIPE(the_journal_stream_of_another_process_is_ignored),
		ON_PIPE(lines_below_the_level_are_not_printed),
		ON_PIPE(every_level_has_a_name_and_other_names_are_refused),
		ON_PIPE(outside_text_cannot_forge_a_line_or_reach_the_terminal),
		ON_PIPE(a_line_that_is_too_long_is_cut_with_a_mark),
		ON_PIPE(logging_keeps_errno),
		ON_PIPE(a_reader_that_does_not_read_does_not_block),
		cmocka_unit_test_setup_teardown(
			a_reader_that_does_not_read_does_not_block, with_socket, stderr_back),
		cmocka_unit_test_setup_teardown(
			a_reader_that_does_not_read_does_not_block, with_terminal, stderr_back),
		ON_PIPE(a_shared_pipe_stays_blocking),
		cmocka_unit_test(a_cut_never_splits_an_escape),
		ON_PIPE(faults_are_logged_once_a_minute_with_their_reasons),
		ON_PIPE(nothing_is_logged_without_new_faults),
	};

	return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
