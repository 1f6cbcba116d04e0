/* SPDX-License-Identifier: Apache-2.0 */
/* The verb keys, and root's reload: the shown keys, the waits, and the file that is changed. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "electctl/ask.h"
#include "server.h"
#include "unit/dir.h"

#define HEX_A  "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define HEX_B  "10112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define LINE_A "1 " HEX_A "\n"
#define LINE_B "2 " HEX_B "\n"

#define ANSWER(parameters) "{\"parameters\":" parameters "}"
#define WEB4		   "[{\"id\":\"" HOST_B "\",\"name\":\"web4\"}]"
#define KEY(id, here, lacking, lacks, sending, senders)                                            \
	"{\"id\":" id ",\"name\":\"0a0b0c0d\"," here ",\"lacking\":" lacking                       \
	",\"lacking_hosts\":" lacks ",\"sending\":" sending ",\"sending_hosts\":" senders "}"
#define SENT	 "\"accepted\":true,\"sent\":true"
#define ACCEPTED "\"accepted\":true,\"sent\":false"
#define UNKNOWN	 "\"accepted\":false,\"sent\":false"
#define KEYS(list)                                                                                 \
	ANSWER("{\"mode\":\"permissive\",\"file\":\"electd.keys\",\"since_ms\":1,"                 \
	       "\"authenticated\":false,\"known\":true,\"members\":3,\"keys\":[" list "]}")

/* One host lacks key 2 and sends the built-in one. */
#define HALF KEYS(KEY("2", SENT, "1", WEB4, "2", "[]") "," KEY("0", ACCEPTED, "0", "[]", "1", WEB4))
#define WHOLE                                                                                      \
	KEYS(KEY("2", SENT, "0", "[]", "3", "[]") "," KEY("0", ACCEPTED, "0", "[]", "0", "[]"))

/* ---- list and status ------------------------------------------------------------------------- */

static void list_names_the_hosts_that_accept_and_that_send(void **state)
{
	char *const args[] = { "list", NULL };
	static const char half[] = HALF;
	struct run people = { .replies = half, .replies_size = sizeof half, .args = args };
	struct run plain = people;

	(void)state;
	run(&people, keys_verb, (struct options){ .json = false }, 1);
	assert_string_equal(people.out,
		"Key  Name      Here      Accepted by              Sent by\n"
		"2    0a0b0c0d  sent      2 of 3, not: web4        2 of 3\n"
		"0    built-in  accepted  all 3                    1 of 3: web4\n");
	run(&plain, keys_verb, (struct options){ .plain = true }, 1);
	assert_string_equal(plain.out,
		"2\t0a0b0c0d\tsent\t2 of 3, not: web4\t2 of 3\n"
		"0\tbuilt-in\taccepted\tall 3\t1 of 3: web4\n");
	free(people.out);
	free(plain.out);
}

static void status_names_the_differences_between_hosts(void **state)
{
	char *const args[] = { "status", NULL };
	static const char half[] = HALF, whole[] = WHOLE;
	struct run some = { .replies = half, .replies_size = sizeof half, .args = args };
	struct run all = { .replies = whole, .replies_size = sizeof whole, .args = args };

	(void)state;
	run(&some, keys_verb, (struct options){ .json = false }, 1);
	assert_string_equal(some.out,
		"     Mode  permissive\n"
		"    Trust  not authenticated\n"
		"     File  electd.keys\n"
		"    Sends  2\n"
		"  Accepts  2, 0 (built-in)\n"
		"    Group  key 2: accepted by 2 of 3, not: web4; sent by 2 of 3\n"
		"    Group  key 0: accepted by all 3; sent by 1 of 3: web4\n");
	run(&all, keys_verb, (struct options){ .json = false }, 1);
	assert_non_null(strstr(all.out, "Group  all 3 hosts accept and send the same keys\n"));
	free(some.out);
	free(all.out);
}

/* electd replies once; a timeout of 0 allows no second look. */
static enum electctl_exit waited(const char *what, const char *id, const char *replies, size_t size)
{
	char *const args[] = { "status", (char *)id, NULL };
	struct run r = { .replies = replies, .replies_size = size, .args = args };
	char folder[] = "/tmp/electctl-XXXXXX", path[64];
	struct options o = { .quiet = true, .wait = what, .timeout_ms = 0 };
	pid_t child;
	int fd;

	r.asked = mmap(NULL, ASKED_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/s", folder);
	fd = listen_at(path);
	child = serve(fd, &r, 1);
	close(fd);
	o.out = stdout;
	o.socket = path;
	r.code = keys_verb(&o, args);
	waitpid(child, NULL, 0);
	unlink(path);
	rmdir(folder);
	return r.code;
}

#define WAITED(what, id, replies) waited(what, id, replies, sizeof(replies))

static void a_wait_is_over_when_all_members_accept_or_send(void **state)
{
	(void)state;
	assert_int_equal(WAITED("accepted", "2", HALF), ELECTCTL_TIMED_OUT);
	assert_int_equal(WAITED("sent", "2", HALF), ELECTCTL_TIMED_OUT);
	assert_int_equal(WAITED("accepted", "2", WHOLE), ELECTCTL_OK);
	assert_int_equal(WAITED("sent", "2", WHOLE), ELECTCTL_OK);
	assert_int_equal(WAITED("accepted", "3", WHOLE), ELECTCTL_TIMED_OUT);
}

/* Two hosts that each made a key 2 cannot verify each other's datagrams. */
static void a_number_with_two_secrets_is_never_accepted(void **state)
{
	(void)state;
	assert_int_equal(WAITED("accepted", "2",
				 KEYS(KEY("2", SENT, "0", "[]", "3", "[]") "," KEY(
					 "2", UNKNOWN, "0", "[]", "0", "[]"))),
		ELECTCTL_TIMED_OUT);
}

static void a_wait_is_not_over_while_the_keys_of_the_group_are_unknown(void **state)
{
	(void)state;
	assert_int_equal(WAITED("accepted", "2",
				 ANSWER("{\"known\":false,\"members\":1,\"keys\":[" KEY(
					 "2", SENT, "0", "[]", "1", "[]") "]}")),
		ELECTCTL_TIMED_OUT);
}

static void a_new_key_is_a_line_of_the_key_file(void **state)
{
	char *const args[] = { "new", "7", NULL };
	struct run a = { .replies = "", .args = args }, b = a;

	(void)state;
	run(&a, keys_verb, (struct options){ .json = false }, 0);
	run(&b, keys_verb, (struct options){ .json = false }, 0);
	assert_int_equal(a.code, ELECTCTL_OK);
	assert_int_equal(strlen(a.out), 2 + 64 + 1);
	assert_memory_equal(a.out, "7 ", 2);
	assert_int_equal(strspn(a.out + 2, "0123456789abcdef"), 64);
	assert_string_not_equal(a.out, b.out);
	free(a.out);
	free(b.out);
}

static void an_unknown_word_of_keys_is_refused(void **state)
{
	static char *const lines[][4] = { { "frob" }, { "use" }, { "remove" }, { "use", "0" },
		{ "use", "256" }, { "remove", "x" }, { "new", "-1" }, { "list", "1" },
		{ "status", "1" } };

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct run r = { .replies = "", .args = lines[i] };

		run(&r, keys_verb, (struct options){ .wait = "frob" }, 0);
		assert_int_equal(r.code, ELECTCTL_USAGE);
		free(r.out);
	}
}

/* ---- the file ------------------------------------------------------------------------------ */

/* The key file that root has configured, the configuration, and the file that electd names. */
static char path[128], config[128];
static const char *named = path;
/* The key file of another domain. */
static char other_dir[128], other[160];

static int made(void **state)
{
	(void)state;
	if (dir_made_in("/var/lib", "keys"))
		return -1;
	snprintf(path, sizeof(path), "%s/keys", dir);
	snprintf(config, sizeof(config), "%s.conf", dir);
	snprintf(other_dir, sizeof(other_dir), "%s.other", dir);
	snprintf(other, sizeof(other), "%s/keys", other_dir);
	return 0;
}

static void write_to(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(close(fd), 0);
}

static void write_keys(const char *text)
{
	write_to(path, text);
}

static void write_config(void)
{
	char text[192];

	snprintf(text, sizeof(text), "auth: { keys = \"%s\"; };\n", path);
	write_to(config, text);
}

static void file_at_is(const char *file, const char *expected)
{
	char text[512] = "";
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	struct stat st;

	assert_true(fd >= 0 && read(fd, text, sizeof(text) - 1) >= 0 && !fstat(fd, &st));
	assert_string_equal(text, expected);
	assert_int_equal(st.st_mode & 07777, 0600);
	close(fd);
}

static void file_is(const char *expected)
{
	file_at_is(path, expected);
}

/* The folder contains only the file, or nothing. */
static void nothing_else_is_left(bool file)
{
	char command[192];

	snprintf(command, sizeof(command), "test \"$(ls -A %s)\" = '%s'", dir, file ? "keys" : "");
	assert_int_equal(system(command), 0);
}

/* The keys that electd reports. */
static const char *has = "";

/* If set, the socket belongs to another process after the first reply. */
static const char *moves_to;

/* Replies with the path of the file, then with `reply` to each call. All calls are in `asked`. */
_Noreturn static void answer(int fd, char *asked, const char *reply)
{
	char where[512];

	snprintf(where, sizeof(where),
		"{\"parameters\":{\"file\":\"%s\",\"known\":true,\"keys\":[%s]}}", named, has);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (const char *said = where;; said = reply) {
		int c = accept(fd, NULL, NULL);
		size_t used = strlen(asked);

		if (read(c, asked + used, ASKED_MAX - used) < 1)
			_exit(1);
		if (said == where && moves_to)
			fd = listen_at(moves_to);
		if (send(c, said, strlen(said) + 1, MSG_NOSIGNAL) < 0)
			_exit(1);
		close(c);
	}
}

/* By default, --config is given. */
static bool without_config;

static enum electctl_exit with_file(
	struct run *r, verb_fn *verb, char *const *args, const char *reply, bool force)
{
	char socket[128];
	struct options o = { .quiet = !r->loud,
		.force = force,
		.timeout_ms = PATIENCE_ROUNDS * PATIENCE_ROUND_MS,
		.config = without_config ? NULL : config,
		.socket = socket };
	size_t size = 0;
	pid_t child;
	int fd;

	snprintf(socket, sizeof(socket), "%s.s", dir);
	if (access(config, F_OK) < 0)
		write_config();
	r->asked = mmap(NULL, ASKED_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	fd = listen_at(socket);
	child = fork();
	if (child == 0)
		answer(fd, r->asked, reply);
	close(fd);
	o.out = open_memstream(&r->out, &size);
	r->code = verb(&o, args);
	fclose(o.out);
	free(r->out);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	unlink(socket);
	unlink(config);
	return r->code;
}

static char *const use_2[] = { "use", "2", NULL }, *const remove_1[] = { "remove", "1", NULL };
static const char taken[] = ANSWER("{\"changed\":[],\"restart_needed\":[],\"keys\":\"changed\"}");
static const char refused[] = "{\"error\":\"io.electd.StepRefused\",\"parameters\":{\"key\":2,"
			      "\"hosts\":[\"web4\"],\"text\":\"not yet\"}}";

static void a_key_that_is_used_comes_first_in_the_file(void **state)
{
	struct run r = { 0 };

	(void)state;
	write_keys("# ours\n" LINE_A LINE_B);
	assert_int_equal(with_file(&r, keys_verb, use_2, taken, false), ELECTCTL_OK);
	file_is("# ours\n" LINE_B LINE_A);
	nothing_else_is_left(true);
	assert_non_null(strstr(r.asked, "io.electd.SetKeys"));
	assert_null(strstr(r.asked, HEX_A));
}

static void a_step_that_is_refused_changes_no_file(void **state)
{
	struct run r = { 0 };

	(void)state;
	write_keys(LINE_A LINE_B);
	assert_int_equal(with_file(&r, keys_verb, use_2, refused, false), ELECTCTL_DEGRADED);
	file_is(LINE_A LINE_B);
	assert_int_equal(with_file(&r, keys_verb, remove_1, refused, false), ELECTCTL_DEGRADED);
	file_is(LINE_A LINE_B);
	nothing_else_is_left(true);
	assert_non_null(strstr(r.asked, "\"force\":false"));
}

static int is_interrupted(void)
{
	struct run r = { 0 };

	ualarm(300000, 0); /* a refused step is retried for a second */
	with_file(&r, keys_verb, use_2, refused, false);
	return 0;
}

/* The unfinished copy, with all keys, must not stay behind. */
static void an_interrupted_step_leaves_no_copy(void **state)
{
	char socket[128];

	(void)state;
	write_keys(LINE_A LINE_B);
	assert_int_equal(in_child(is_interrupted), 128 + SIGALRM);
	file_is(LINE_A LINE_B);
	nothing_else_is_left(true);
	snprintf(socket, sizeof(socket), "%s.s", dir);
	unlink(socket);
	unlink(config);
}

static void force_is_passed_on(void **state)
{
	struct run r = { 0 };

	(void)state;
	write_keys(LINE_A LINE_B);
	assert_int_equal(with_file(&r, keys_verb, remove_1, taken, true), ELECTCTL_OK);
	file_is(LINE_B);
	assert_non_null(strstr(r.asked, "\"force\":true"));
	/* A repetition is harmless. */
	assert_int_equal(with_file(&r, keys_verb, remove_1, taken, false), ELECTCTL_OK);
	file_is(LINE_B);
}

static void the_file_is_removed_with_its_last_key(void **state)
{
	struct run r = { 0 };

	(void)state;
	write_keys("# ours\n" LINE_A);
	assert_int_equal(with_file(&r, keys_verb, remove_1, refused, false), ELECTCTL_DEGRADED);
	file_is("# ours\n" LINE_A);
	assert_int_equal(with_file(&r, keys_verb, remove_1, taken, false), ELECTCTL_OK);
	assert_non_null(strstr(r.asked, "\"keys\":\"\""));
	nothing_else_is_left(false);
}

static int changes_as_1000(void)
{
	struct run use = { .replies = "", .args = use_2 }, remove = use;

	if (setegid(1000) || seteuid(1000))
		return CHILD_CANNOT;
	remove.args = remove_1;
	run(&use, keys_verb, (struct options){ .json = false }, 0);
	run(&remove, keys_verb, (struct options){ .json = false }, 0);
	free(use.out);
	free(remove.out);
	return use.code == ELECTCTL_NOT_ALLOWED && remove.code == ELECTCTL_NOT_ALLOWED ? 0 : 1;
}

static void only_root_changes_keys(void **state)
{
	(void)state;
	assert_int_equal(in_child(changes_as_1000), 0);
}

static void a_key_that_is_not_there_cannot_be_used(void **state)
{
	struct run r = { 0 };

	(void)state;
	write_keys(LINE_A);
	assert_int_equal(with_file(&r, keys_verb, use_2, taken, false), ELECTCTL_FALSE);
	file_is(LINE_A);
	assert_null(strstr(r.asked, "SetKeys"));
}

static void a_file_that_others_may_read_is_not_sent(void **state)
{
	char *const none[] = { NULL };
	struct run r = { 0 };

	(void)state;
	write_keys(LINE_A LINE_B);
	assert_int_equal(chmod(path, 0644), 0);
	assert_int_equal(with_file(&r, keys_verb, use_2, taken, false), ELECTCTL_BAD_CONFIG);
	assert_int_equal(with_file(&r, reload_verb, none, taken, false), ELECTCTL_BAD_CONFIG);
	assert_null(strstr(r.asked, "Keys\",\"parameters"));
	assert_null(strstr(r.asked, "Reload"));
}

/* A folder of credentials may have symbolic links; electctl must not change their targets. */
static int changes_a_link(void)
{
	char *const remove_2[] = { "remove", "2", NULL };
	struct run r = { 0 };

	if (unshare(CLONE_NEWNS) || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) ||
		mount("none", "/run", "tmpfs", 0, "mode=755") || mkdir("/run/credstore", 0700))
		return CHILD_CANNOT;
	write_keys(LINE_A LINE_B);
	if (symlink(path, "/run/credstore/electd-test.keys"))
		return CHILD_CANNOT;
	snprintf(path, sizeof(path), "electd-test.keys");
	if (with_file(&r, keys_verb, use_2, taken, false) != ELECTCTL_FALSE ||
		with_file(&r, keys_verb, remove_2, taken, false) != ELECTCTL_FALSE)
		return 1;
	return strstr(r.asked, "SetKeys") ? 2 : 0;
}

static void the_target_of_a_symbolic_link_is_left_alone(void **state)
{
	(void)state;
	assert_in_child(changes_a_link);
	file_is(LINE_A LINE_B);
}

static void a_reload_by_root_sends_the_file(void **state)
{
	/* "1 0011...\n" */
	static const char base64[] = "\"keys\":\"MSAwMDExMjIzMzQ0NTU2Njc3";
	char *const none[] = { NULL };
	struct run r = { 0 };

	(void)state;
	write_keys(LINE_A);
	assert_int_equal(with_file(&r, reload_verb, none, taken, false), ELECTCTL_OK);
	assert_non_null(strstr(r.asked, base64));
	unlink(path);
	assert_int_equal(with_file(&r, reload_verb, none, taken, false), ELECTCTL_OK);
	assert_null(strstr(r.asked, "\"keys\""));
}

/* ---- a compromised electd -------------------------------------------------------------------- */

static int other_removed(void **state)
{
	unlink(other);
	rmdir(other_dir);
	named = path;
	moves_to = NULL;
	without_config = false;
	return dir_removed(state);
}

/* electd itself could not open this file. The watch reports every access. */
static int other_made(void)
{
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	assert_int_equal(mkdir(other_dir, 0700), 0);
	write_to(other, LINE_B LINE_A);
	assert_true(watch >= 0 && inotify_add_watch(watch, other_dir, IN_ALL_EVENTS) >= 0);
	named = other;
	return watch;
}

static void nothing_was_done_there(int watch)
{
	char events[512];

	assert_int_equal(read(watch, events, sizeof(events)), -1);
	assert_int_equal(errno, EAGAIN);
	close(watch);
	file_at_is(other, LINE_B LINE_A);
}

static void is_left_out(verb_fn *verb, char *const *args, enum electctl_exit expected)
{
	struct run r = { 0 };

	assert_int_equal(with_file(&r, verb, args, taken, true), expected);
	assert_null(strstr(r.asked, "SetKeys"));
	assert_null(strstr(r.asked, "\"keys\""));
	assert_int_equal(!strstr(r.asked, "io.electd.Reload"), verb != reload_verb);
}

/* A reload continues without keys. */
static void all_verbs_leave_it_out(void)
{
	char *const none[] = { NULL };

	is_left_out(reload_verb, none, ELECTCTL_OK);
	is_left_out(keys_verb, use_2, ELECTCTL_BAD_CONFIG);
	is_left_out(keys_verb, remove_1, ELECTCTL_BAD_CONFIG);
}

static void a_file_that_only_electd_names_is_neither_read_nor_changed(void **state)
{
	int watch = other_made();

	(void)state;
	write_keys(LINE_A LINE_B);
	all_verbs_leave_it_out();
	nothing_was_done_there(watch);
	file_is(LINE_A LINE_B);
	nothing_else_is_left(true);
}

static void the_named_file_is_not_used_without_a_configured_one(void **state)
{
	int watch = other_made();

	(void)state;
	all_verbs_leave_it_out();
	nothing_was_done_there(watch);
	nothing_else_is_left(false);
}

/* Even if both name the same file: a socket alone does not show whose configuration it uses. */
static void no_file_is_used_for_a_socket_without_a_configuration(void **state)
{
	(void)state;
	write_keys(LINE_A LINE_B);
	without_config = true;
	all_verbs_leave_it_out();
	file_is(LINE_A LINE_B);
}

static void a_configuration_that_others_may_change_is_not_used(void **state)
{
	char *const none[] = { NULL };

	(void)state;
	write_keys(LINE_A LINE_B);
	write_config();
	assert_int_equal(chmod(config, 0666), 0);
	is_left_out(reload_verb, none, ELECTCTL_OK);
	write_config();
	assert_int_equal(chown(config, 1000, 1000), 0);
	is_left_out(keys_verb, use_2, ELECTCTL_BAD_CONFIG);
	file_is(LINE_A LINE_B);
}

static void a_configuration_that_is_wrong_changes_nothing(void **state)
{
	char *const none[] = { NULL };
	struct run r = { 0 };

	(void)state;
	write_keys(LINE_A LINE_B);
	write_to(config, "auth: { keys = 5; };\n");
	assert_int_equal(with_file(&r, reload_verb, none, taken, false), ELECTCTL_BAD_CONFIG);
	assert_null(strstr(r.asked, "Reload"));
}

/* The socket's name is in a folder that electd can write to. */
static void keys_are_sent_only_to_the_process_that_was_asked(void **state)
{
	char *const none[] = { NULL };
	char socket[128];

	(void)state;
	snprintf(socket, sizeof(socket), "%s.s", dir);
	moves_to = socket;
	write_keys(LINE_A LINE_B);
	for (unsigned i = 0; i < 3; i++) {
		struct run r = { 0 };
		verb_fn *verb = i ? keys_verb : reload_verb;
		char *const *args = i == 0 ? none : i == 1 ? use_2 : remove_1;

		assert_int_equal(with_file(&r, verb, args, taken, false), ELECTCTL_NOT_RUNNING);
		assert_null(strstr(r.asked, "\"keys\""));
		file_is(LINE_A LINE_B);
		nothing_else_is_left(true);
	}
}

/* The stderr of root's reload without a key file. */
static void says_without_a_file(const char *keys, const char *expected)
{
	char *const none[] = { NULL };
	int saved = dup(STDERR_FILENO), fds[2];
	struct run r = { .loud = true };
	char said[512] = "";

	has = keys;
	assert_int_equal(pipe2(fds, O_NONBLOCK | O_CLOEXEC), 0);
	dup2(fds[1], STDERR_FILENO);
	with_file(&r, reload_verb, none, taken, false);
	dup2(saved, STDERR_FILENO);
	has = "";
	assert_true(read(fds[0], said, sizeof(said) - 1) > 0 || !*expected);
	close(fds[0]);
	close(fds[1]);
	close(saved);
	assert_int_equal(r.code, ELECTCTL_OK);
	assert_true(*expected ? strstr(said, expected) != NULL : !*said);
}

/* A missing file takes effect only at the next start of electd, so the reload reports it. */
static void a_missing_key_file_is_reported_at_a_reload(void **state)
{
	(void)state;
	says_without_a_file("", "");
	says_without_a_file(KEY("0", SENT, "0", "[]", "1", "[]"), "");
	says_without_a_file(KEY("2", UNKNOWN, "1", "[]", "1", "[]"), "");
	says_without_a_file(KEY("2", SENT, "0", "[]", "1", "[]"),
		": No such file or directory; electd keeps its keys until it restarts\n");
}

/* The stderr of root's reload if electd names another file. */
static void a_different_file_is_reported_with_both_paths(void **state)
{
	(void)state;
	close(other_made());
	says_without_a_file("", ".conf:1: auth.keys is \"/var/lib/test_keys.");
	says_without_a_file("", "other/keys\"; allowed: the same file.");
}

#define IN_FOLDER(test)	 cmocka_unit_test_setup_teardown(test, made, dir_removed)
#define WITH_OTHER(test) cmocka_unit_test_setup_teardown(test, made, other_removed)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(list_names_the_hosts_that_accept_and_that_send),
		cmocka_unit_test(status_names_the_differences_between_hosts),
		cmocka_unit_test(a_wait_is_over_when_all_members_accept_or_send),
		cmocka_unit_test(a_number_with_two_secrets_is_never_accepted),
		cmocka_unit_test(a_wait_is_not_over_while_the_keys_of_the_group_are_unknown),
		cmocka_unit_test(a_new_key_is_a_line_of_the_key_file),
		cmocka_unit_test(an_unknown_word_of_keys_is_refused),
		IN_FOLDER(a_key_that_is_used_comes_first_in_the_file),
		IN_FOLDER(a_step_that_is_refused_changes_no_file),
		IN_FOLDER(an_interrupted_step_leaves_no_copy),
		IN_FOLDER(force_is_passed_on),
		IN_FOLDER(the_file_is_removed_with_its_last_key),
		cmocka_unit_test(only_root_changes_keys),
		IN_FOLDER(a_key_that_is_not_there_cannot_be_used),
		IN_FOLDER(a_file_that_others_may_read_is_not_sent),
		IN_FOLDER(the_target_of_a_symbolic_link_is_left_alone),
		IN_FOLDER(a_reload_by_root_sends_the_file),
		IN_FOLDER(a_missing_key_file_is_reported_at_a_reload),
		WITH_OTHER(a_file_that_only_electd_names_is_neither_read_nor_changed),
		WITH_OTHER(the_named_file_is_not_used_without_a_configured_one),
		WITH_OTHER(no_file_is_used_for_a_socket_without_a_configuration),
		IN_FOLDER(a_configuration_that_others_may_change_is_not_used),
		IN_FOLDER(a_configuration_that_is_wrong_changes_nothing),
		WITH_OTHER(keys_are_sent_only_to_the_process_that_was_asked),
		WITH_OTHER(a_different_file_is_reported_with_both_paths),
	};

	if (geteuid() != 0) {
		puts("only root has a folder that nobody else may write to, for sure");
		return 77;
	}
	return cmocka_run_group_tests_name("keys", tests, NULL, NULL);
}
