/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public functions of the client library against an electd that this program plays, in virtual
 * time. The rules themselves are judged by tests/unit/lib/holder.table.
 */
#include "lib/inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- time -------------------------------------------------------------------------------- */

static _Thread_local uint64_t now_ms = 1000000;

int clock_gettime(clockid_t clock, struct timespec *ret_time)
{
	if (clock != CLOCK_BOOTTIME)
		return (int)syscall(SYS_clock_gettime, clock, ret_time);
	ret_time->tv_sec = (time_t)(now_ms / 1000);
	ret_time->tv_nsec = (long)(now_ms % 1000 * 1000000);
	return 0;
}

/* ---- electd ------------------------------------------------------------------------------ */

struct server {
	char dir[32], path[64];
	int fd, events; /* the listening socket; the subscription, or -1 */
	uint64_t seq, namespace;
	bool hostile;	/* the library may have hung up */
	bool promoting; /* holders of rank address come first */
	electd *e;
};

static void server_listen(struct server *s)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	memcpy(address.sun_path, s->path, sizeof(s->path));
	s->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	assert_true(s->fd >= 0);
	assert_int_equal(bind(s->fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(s->fd, 64), 0);
}

static void server_unlisten(struct server *s)
{
	close(s->fd);
	s->fd = -1;
	unlink(s->path);
}

static void server_open(struct server *s)
{
	struct stat st;

	*s = (struct server){ .fd = -1, .events = -1, .seq = 7 };
	assert_int_equal(stat("/proc/self/ns/time", &st), 0);
	s->namespace = st.st_ino;
	snprintf(s->dir, sizeof(s->dir), "/tmp/test_electd.XXXXXX");
	assert_non_null(mkdtemp(s->dir));
	snprintf(s->path, sizeof(s->path), "%s/io.electd", s->dir);
	server_listen(s);
}

static void server_close(struct server *s)
{
	/* Without electd, electd_close() waits for no answer. */
	if (s->events >= 0)
		close(s->events);
	if (s->fd >= 0)
		server_unlisten(s);
	electd_close(s->e);
	assert_int_equal(rmdir(s->dir), 0);
}

/* Returns the next request, and its connection; "": none. */
static const char *request(struct server *s, int *ret_fd)
{
	static _Thread_local char text[4096];
	ssize_t n;

	*ret_fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC);
	if (*ret_fd < 0)
		return "";
	n = recv(*ret_fd, text, sizeof(text), 0);
	assert_true(n > 0 && text[n - 1] == '\0');
	return text;
}

static void say(const struct server *s, const char *text)
{
	ssize_t n = send(s->events, text, strlen(text) + 1, MSG_NOSIGNAL);

	assert_true(n == (ssize_t)strlen(text) + 1 || s->hostile);
}

#define ID_A "000000000000000000000000000000aa"
#define ID_B "000000000000000000000000000000bb"

static const char *host(const char *role)
{
	if (!strcmp(role, "leader"))
		return "{\"id\":\"" ID_A "\",\"name\":\"alpha\",\"address\":null,\"self\":true}";
	if (!strcmp(role, "follower"))
		return "{\"id\":\"" ID_B
		       "\",\"name\":\"beta\",\"address\":\"192.0.2.7\",\"self\":false}";
	return "null";
}

/* An event, as of now; `more` begins with a comma, or is empty. */
static void tell(struct server *s, const char *type, const char *role, uint64_t token,
	uint64_t until_ms, const char *more)
{
	bool leads = !strcmp(role, "leader");
	char text[2048], until[96] = "null";

	if (strcmp(type, "snapshot") != 0 && strcmp(type, "release") != 0)
		s->seq++;
	if (leads)
		snprintf(until, sizeof(until), "%llu,\"ending_ms\":100",
			(unsigned long long)until_ms);
	snprintf(text, sizeof(text),
		"{\"parameters\":{\"seq\":%llu,\"event\":\"%s\",\"boot_ms\":%llu,"
		"\"dead_after_ms\":600,\"until_boot_ms\":%s,\"time_namespace\":%llu,"
		"\"status\":{\"domain\":\"default\",\"role\":\"%s\",\"token\":\"%llu\","
		"\"node\":{\"id\":\"" ID_A
		"\",\"name\":\"alpha\"},\"group\":{\"id\":\"alpha.%llu\"},"
		"\"leader\":%s,\"members\":[],\"promoting\":%s,\"reason\":\"alone\"}%s},"
		"\"continues\":true}",
		(unsigned long long)s->seq, type, (unsigned long long)now_ms, until,
		(unsigned long long)s->namespace, role, (unsigned long long)token,
		(unsigned long long)token, host(role),
		s->promoting ? "{\"rank\":\"address\"}" : "null", more);
	say(s, text);
}

static void alive(struct server *s, uint64_t until_ms)
{
	char text[256];

	snprintf(text, sizeof(text),
		"{\"parameters\":{\"seq\":%llu,\"event\":\"alive\",\"boot_ms\":%llu,"
		"\"dead_after_ms\":600,\"until_boot_ms\":%llu,\"ending_ms\":100,"
		"\"time_namespace\":%llu},\"continues\":true}",
		(unsigned long long)s->seq, (unsigned long long)now_ms,
		(unsigned long long)until_ms, (unsigned long long)s->namespace);
	say(s, text);
}

/* ---- the program ------------------------------------------------------------------------- */

static struct electd_event last;

static int process(struct server *s)
{
	last = (struct electd_event){ .size = sizeof(last) };
	return electd_process(s->e, &last);
}

static void assert_event(struct server *s, enum electd_type type)
{
	assert_int_equal(process(s), 1);
	assert_int_equal(last.type, type);
}

static int open_with(struct server *s, const char *name)
{
	struct electd_options o = { .size = sizeof(o), .socket = s->path, .name = name };

	return electd_open(&s->e, &o);
}

static void subscribed_as(struct server *s, const char *asked)
{
	assert_int_equal(process(s), 0);
	assert_string_equal(request(s, &s->events), asked);
}

/* Subscribes as a holder; this host leads with `token` for 500 ms. */
static void leads(struct server *s, uint64_t token)
{
	subscribed_as(s,
		"{\"method\":\"io.electd.Subscribe\",\"parameters\":{\"hold\":true,"
		"\"name\":\"a test\"},\"more\":true}");
	tell(s, "snapshot", "leader", token, now_ms + 500, ",\"holder\":\"00ff\"");
	assert_event(s, ELECTD_SNAPSHOT);
}

static int setup(void **state)
{
	static struct server s;

	server_open(&s);
	*state = &s;
	return open_with(&s, "a test");
}

/* Answers each request that waits with an empty reply. */
static void answer(struct server *s, const char *asked)
{
	static const char reply[] = "{\"parameters\":{}}";
	int fd;

	assert_string_equal(request(s, &fd), asked);
	assert_int_equal(send(fd, reply, sizeof(reply), MSG_NOSIGNAL), sizeof(reply));
	close(fd);
	process(s);
}

static int setup_address(void **state)
{
	static struct server s;
	struct electd_options o = {
		.size = sizeof(o), .socket = s.path, .name = "a test", .rank = ELECTD_RANK_ADDRESS
	};

	server_open(&s);
	*state = &s;
	return electd_open(&s.e, &o);
}

static int teardown(void **state)
{
	server_close(*state);
	return 0;
}

/* ---- tests ------------------------------------------------------------------------------- */

static void a_holder_acts_until_the_deadline(void **state)
{
	struct server *s = *state;
	uint64_t token, ending_ms;

	assert_false(electd_may_act(s->e, NULL));
	leads(s, 41);
	assert_int_equal(last.role, ELECTD_ROLE_LEADER);
	assert_string_equal(last.leader, "alpha");
	assert_string_equal(last.group, "alpha.41");
	assert_true(electd_may_act(s->e, &token));
	assert_int_equal(token, 41);
	assert_int_equal(electd_until_boot_ms(s->e, &ending_ms), now_ms + 500);
	assert_int_equal(ending_ms, 100);
	assert_int_equal(electd_timeout_ms(s->e), 500);
	now_ms += 499;
	assert_true(electd_may_act(s->e, &token));
	now_ms += 1;
	assert_false(electd_may_act(s->e, &token));
	assert_int_equal(token, 0);
	assert_event(s, ELECTD_SILENT);
	assert_int_equal(electd_timeout_ms(s->e), -1);
}

/* may_act() itself reads what moves the deadline, and what ends the role. */
static void an_act_needs_what_waits_to_be_read(void **state)
{
	struct server *s = *state;

	leads(s, 41);
	now_ms += 400;
	alive(s, now_ms + 500);
	now_ms += 400;
	assert_true(electd_may_act(s->e, NULL));
	tell(s, "follower", "follower", 42, 0, "");
	assert_false(electd_may_act(s->e, NULL));
	assert_int_equal(electd_timeout_ms(s->e), 0);
	assert_event(s, ELECTD_FOLLOWER);
	assert_string_equal(last.leader_address, "192.0.2.7");
	assert_int_equal(process(s), 0);
}

static void an_event_that_waits_hides_no_later_one(void **state)
{
	struct server *s = *state;

	leads(s, 41);
	assert_true(electd_may_act(s->e, NULL));
	tell(s, "members", "leader", 41, now_ms + 500, "");
	tell(s, "none", "none", 42, 0, "");
	assert_false(electd_may_act(s->e, NULL));
	tell(s, "leader", "leader", 43, now_ms + 500, "");
	assert_event(s, ELECTD_MEMBERS);
	assert_false(electd_may_act(s->e, NULL));
	assert_event(s, ELECTD_NONE);
	assert_event(s, ELECTD_LEADER);
	assert_true(electd_may_act(s->e, NULL));
}

static bool readable(const struct server *s)
{
	struct pollfd input = { .fd = electd_fd(s->e), .events = POLLIN };

	return poll(&input, 1, 0) == 1;
}

/* A loop may ask for the timeout only after electd_process(). */
static void what_was_read_waits_visibly(void **state)
{
	struct server *s = *state;

	assert_true(readable(s)); /* to connect */
	leads(s, 41);
	assert_false(readable(s));
	tell(s, "members", "leader", 41, now_ms + 500, "");
	assert_true(readable(s));
	assert_true(electd_may_act(s->e, NULL));
	assert_true(readable(s));
	assert_event(s, ELECTD_MEMBERS);
	assert_false(readable(s));
	tell(s, "state", "leader", 41, now_ms + 500, "");
	tell(s, "state", "leader", 41, now_ms + 500, "");
	assert_event(s, ELECTD_STATE);
	assert_true(readable(s));
	assert_event(s, ELECTD_STATE);
	assert_int_equal(process(s), 0);
	assert_false(readable(s));
}

/* A loop may process once each time it wakes up. */
static void events_that_came_together_do_not_wait(void **state)
{
	struct server *s = *state;

	leads(s, 41);
	tell(s, "members", "leader", 41, now_ms + 500, "");
	tell(s, "state", "leader", 41, now_ms + 500, "");
	assert_event(s, ELECTD_MEMBERS);
	assert_int_equal(electd_timeout_ms(s->e), 0);
	assert_event(s, ELECTD_STATE);
	assert_int_equal(electd_timeout_ms(s->e), 500);
}

/* Also after work under an older token that the program has not released yet. */
static void other_ranks_wait_for_it_under_a_new_token(void **state)
{
	struct server *s = *state;

	leads(s, 41);
	assert_true(electd_may_act(s->e, NULL));
	tell(s, "none", "none", 0, 0, "");
	s->promoting = true;
	tell(s, "leader", "leader", 43, now_ms + 500, "");
	assert_event(s, ELECTD_NONE);
	assert_event(s, ELECTD_LEADER);
	assert_false(electd_may_act(s->e, NULL));
	s->promoting = false;
	tell(s, "state", "leader", 43, now_ms + 500, "");
	assert_event(s, ELECTD_STATE);
	assert_true(electd_may_act(s->e, NULL));
}

static void rank_address_begins_first_and_reports_it(void **state)
{
	struct server *s = *state;
	uint64_t token;
	int fd;

	assert_int_equal(electd_promoted(s->e), 0);
	subscribed_as(s,
		"{\"method\":\"io.electd.Subscribe\",\"parameters\":{\"hold\":true,"
		"\"name\":\"a test\",\"rank\":\"address\"},\"more\":true}");
	s->promoting = true;
	tell(s, "snapshot", "leader", 41, now_ms + 500, ",\"holder\":\"00ff\"");
	assert_event(s, ELECTD_SNAPSHOT);
	assert_int_equal(electd_promoted(s->e), 0); /* nothing has begun yet */
	assert_string_equal(request(s, &fd), "");
	assert_true(electd_may_act(s->e, &token));
	assert_int_equal(electd_promoted(s->e), 0);
	assert_int_equal(electd_promoted(s->e), 0);
	answer(s,
		"{\"method\":\"io.electd.Promoted\",\"parameters\":{\"holder\":\"00ff\","
		"\"token\":\"41\"}}");
}

static void other_ranks_wait_for_it(void **state)
{
	struct server *s = *state;

	s->promoting = true;
	leads(s, 41);
	assert_false(electd_may_act(s->e, NULL));
	s->promoting = false;
	tell(s, "state", "leader", 41, now_ms + 500, "");
	assert_true(electd_may_act(s->e, NULL));
	assert_int_equal(electd_promoted(s->e), -EINVAL);
}

static void a_promotion_is_void_with_its_connection(void **state)
{
	struct server *s = *state;
	int fd;

	subscribed_as(s,
		"{\"method\":\"io.electd.Subscribe\",\"parameters\":{\"hold\":true,"
		"\"name\":\"a test\",\"rank\":\"address\"},\"more\":true}");
	tell(s, "snapshot", "leader", 41, now_ms + 500, ",\"holder\":\"00ff\"");
	assert_event(s, ELECTD_SNAPSHOT);
	assert_true(electd_may_act(s->e, NULL));
	server_unlisten(s);
	assert_int_equal(electd_promoted(s->e), 0); /* no electd: again later */
	close(s->events);
	s->events = -1;
	assert_event(s, ELECTD_LOST);
	server_listen(s);
	now_ms += 10000;
	process(s);
	assert_int_not_equal(request(s, &s->events)[0], '\0'); /* Subscribe */
	process(s);
	assert_string_equal(request(s, &fd), "");
}

static void a_new_token_waits_for_its_event(void **state)
{
	struct server *s = *state;
	uint64_t token;

	leads(s, 41);
	assert_true(electd_may_act(s->e, &token));
	tell(s, "leader", "leader", 43, now_ms + 500, "");
	assert_false(electd_may_act(s->e, &token));
	assert_event(s, ELECTD_LEADER);
	assert_true(electd_may_act(s->e, &token));
	assert_int_equal(token, 43);
}

#define RELEASE(number)                                                                            \
	"{\"method\":\"io.electd.Release\",\"parameters\":{\"holder\":\"00ff\",\"seq\":" number "}}"

static void a_release_is_answered_when_the_work_has_ended(void **state)
{
	struct server *s = *state;
	int fd;

	leads(s, 41);
	assert_true(electd_may_act(s->e, NULL));
	tell(s, "release", "leader", 41, now_ms + 500, ",\"release\":3,\"purpose\":\"resign\"");
	assert_false(electd_may_act(s->e, NULL));
	assert_event(s, ELECTD_RELEASE);
	assert_string_equal(last.purpose, "resign");
	assert_int_equal(process(s), 0);
	assert_string_equal(request(s, &fd), "");
	assert_int_equal(electd_released(s->e), 0);
	answer(s, RELEASE("3"));
	assert_false(electd_may_act(s->e, NULL));
	assert_string_equal(request(s, &fd), "");
}

static void a_release_without_work_is_answered_at_once(void **state)
{
	struct server *s = *state;

	leads(s, 41);
	tell(s, "release", "leader", 41, now_ms + 500, ",\"release\":3,\"purpose\":\"resign\"");
	assert_event(s, ELECTD_RELEASE);
	answer(s, RELEASE("3"));
}

/* Limits this process to the descriptors that it has. */
static struct rlimit without_descriptors(void)
{
	int next = dup(0);
	struct rlimit limit, none;

	assert_true(next >= 0);
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){ (rlim_t)next, limit.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	return limit;
}

static void a_release_waits_for_a_descriptor(void **state)
{
	struct server *s = *state;
	struct rlimit limit;

	leads(s, 41);
	assert_true(electd_may_act(s->e, NULL));
	tell(s, "release", "leader", 41, now_ms + 500, ",\"release\":3,\"purpose\":\"resign\"");
	assert_event(s, ELECTD_RELEASE);
	limit = without_descriptors();
	assert_int_equal(electd_released(s->e), 0);
	assert_int_equal(process(s), 0);
	assert_int_equal(electd_timeout_ms(s->e), 200);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	now_ms += 200;
	assert_int_equal(process(s), 0);
	answer(s, RELEASE("3"));
	assert_int_equal(electd_timeout_ms(s->e), 300);
}

static bool closed(int fd)
{
	struct pollfd p = { .fd = fd };

	assert_true(poll(&p, 1, 0) >= 0);
	return p.revents & POLLHUP;
}

/* The copy of an electd that crashed waits for that. */
static void an_ended_connection_is_kept_until_the_work_has_ended(void **state)
{
	struct server *s = *state;
	int first;

	leads(s, 41);
	assert_true(electd_may_act(s->e, NULL));
	first = s->events;
	shutdown(first, SHUT_WR);
	assert_false(electd_may_act(s->e, NULL));
	assert_event(s, ELECTD_LOST);
	assert_int_equal(last.error, ECONNRESET);
	assert_int_equal(electd_timeout_ms(s->e), 200);
	now_ms += 200;
	leads(s, 45);
	assert_false(closed(first));
	electd_released(s->e);
	assert_true(closed(first));
	close(first);
}

static void without_work_it_is_closed_at_once(void **state)
{
	struct server *s = *state;
	int first;

	leads(s, 41);
	first = s->events;
	shutdown(first, SHUT_WR);
	assert_event(s, ELECTD_LOST);
	process(s);
	assert_true(closed(first));
	close(first);
	s->events = -1;
}

/* A process that this one has started may run on; its work, too, has ended at released(). */
static void a_child_does_not_keep_it(void **state)
{
	struct server *s = *state;
	int first, status;
	pid_t child;

	leads(s, 41);
	assert_true(electd_may_act(s->e, NULL));
	first = s->events;
	shutdown(first, SHUT_WR);
	assert_event(s, ELECTD_LOST);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	assert_true(child > 0);
	electd_released(s->e);
	assert_true(closed(first));
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	close(first);
	s->events = -1;
}

/* A child may run an exit handler of its parent: it ends nothing of that. */
static void closing_in_a_child_changes_nothing(void **state)
{
	struct server *s = *state;
	struct pollfd input;
	int status, fd;
	pid_t child;

	leads(s, 41);
	child = fork();
	if (child == 0) {
		bool may = electd_may_act(s->e, NULL);

		alarm(60); /* nobody answers a call */
		electd_close(s->e);
		_exit(may);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_string_equal(request(s, &fd), "");
	assert_true(electd_may_act(s->e, NULL));
	tell(s, "members", "leader", 41, now_ms + 500, "");
	input = (struct pollfd){ .fd = electd_fd(s->e), .events = POLLIN };
	assert_int_equal(poll(&input, 1, 0), 1);
	assert_event(s, ELECTD_MEMBERS);
}

static void closing_says_that_nothing_is_left(void **state)
{
	static const char reply[] = "{\"parameters\":{}}";
	struct server *s = *state;
	char asked[256] = "";
	pid_t child;
	int status;

	leads(s, 41);
	assert_true(electd_may_act(s->e, NULL));
	fcntl(s->fd, F_SETFL, 0);
	child = fork();
	if (child == 0) { /* electd: answers the call */
		int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC);
		bool good = recv(fd, asked, sizeof(asked), 0) > 0 && !strcmp(asked, RELEASE("0"));

		_exit(send(fd, reply, sizeof(reply), MSG_NOSIGNAL) < 0 || !good);
	}
	assert_true(child > 0);
	electd_close(s->e);
	s->e = NULL;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* A program that ends at once: electd may have read Subscribe, and would wait for its holder. */
static void closing_waits_for_the_first_answer(void **state)
{
	static const char reply[] = "{\"parameters\":{}}";
	struct server *s = *state;
	char asked[256] = "";
	pid_t child;
	int status;

	assert_int_equal(process(s), 0);
	fcntl(s->fd, F_SETFL, 0);
	child = fork();
	if (child == 0) {
		bool good;
		int fd;

		request(s, &s->events);
		tell(s, "snapshot", "leader", 41, now_ms + 500, ",\"holder\":\"00ff\"");
		fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC);
		good = recv(fd, asked, sizeof(asked), 0) > 0 && !strcmp(asked, RELEASE("0"));
		_exit(send(fd, reply, sizeof(reply), MSG_NOSIGNAL) < 0 || !good);
	}
	assert_true(child > 0);
	electd_close(s->e);
	s->e = NULL;
	shutdown(s->fd, SHUT_RDWR); /* the child waits for no more calls */
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* A process that was stopped, and an electd that was stopped with it. */
static void closing_does_not_wait_for_a_silent_electd(void **state)
{
	struct server *s = *state;
	int fd;

	leads(s, 41);
	now_ms += 500;
	electd_close(s->e);
	s->e = NULL;
	assert_string_equal(request(s, &fd), RELEASE("0"));
	close(fd);
}

/* ---- without electd ---------------------------------------------------------------------- */

static void an_error_is_returned_once_until_it_changes(void **state)
{
	struct server *s = *state;

	server_unlisten(s);
	assert_int_equal(process(s), -ENOENT);
	assert_int_equal(process(s), 0);
	assert_int_equal(electd_timeout_ms(s->e), 200);
	now_ms += 200;
	assert_int_equal(process(s), 0);
	now_ms += 200;
	server_listen(s);
	leads(s, 41);
	shutdown(s->events, SHUT_WR);
	server_unlisten(s);
	assert_event(s, ELECTD_LOST);
	now_ms += 200;
	assert_int_equal(process(s), -ENOENT);
}

static void refuse(struct server *s, const char *error)
{
	int fd;

	assert_int_equal(process(s), 0);
	request(s, &fd);
	assert_true(fd >= 0);
	assert_true(send(fd, error, strlen(error) + 1, MSG_NOSIGNAL) > 0);
	close(fd);
}

static void a_holder_without_the_right_is_told(void **state)
{
	struct server *s = *state;

	refuse(s, "{\"error\":\"io.electd.NotAllowed\",\"parameters\":{}}");
	assert_int_equal(process(s), -EACCES);
	now_ms += 200;
	refuse(s, "{\"error\":\"io.electd.NotAllowed\",\"parameters\":{}}");
	assert_int_equal(process(s), 0);
}

static void a_full_electd_is_tried_again_soon(void **state)
{
	struct server *s = *state;

	refuse(s, "{\"error\":\"io.electd.TooManyClients\",\"parameters\":{}}");
	assert_int_equal(process(s), -EBUSY);
	for (int pause = 1; pause <= 32; pause *= 2) {
		assert_int_equal(electd_timeout_ms(s->e), pause);
		now_ms += (uint64_t)pause;
		refuse(s, "{\"error\":\"io.electd.TooManyClients\",\"parameters\":{}}");
		assert_int_equal(process(s), 0);
	}
	assert_int_equal(electd_timeout_ms(s->e), 50);
	now_ms += 50;
	leads(s, 41);
}

static void another_time_namespace_never_acts(void **state)
{
	struct server *s = *state;

	s->namespace ++;
	subscribed_as(s,
		"{\"method\":\"io.electd.Subscribe\",\"parameters\":{\"hold\":true,"
		"\"name\":\"a test\"},\"more\":true}");
	tell(s, "snapshot", "leader", 41, now_ms + 500, ",\"holder\":\"00ff\"");
	assert_int_equal(process(s), -EXDEV);
	assert_event(s, ELECTD_SNAPSHOT);
	assert_false(electd_may_act(s->e, NULL));
	alive(s, now_ms + 500);
	assert_event(s, ELECTD_SILENT);
	assert_false(electd_may_act(s->e, NULL));
}

/* ---- watching ---------------------------------------------------------------------------- */

static int setup_watcher(void **state)
{
	static struct server s;

	server_open(&s);
	*state = &s;
	return open_with(&s, NULL);
}

static void a_watcher_gets_changes_and_never_acts(void **state)
{
	struct server *s = *state;

	subscribed_as(s, "{\"method\":\"io.electd.Subscribe\",\"more\":true}");
	tell(s, "snapshot", "leader", 41, now_ms + 500, "");
	tell(s, "members", "leader", 41, now_ms + 500, "");
	assert_event(s, ELECTD_SNAPSHOT);
	assert_event(s, ELECTD_MEMBERS);
	assert_false(electd_may_act(s->e, NULL));
	now_ms += 3600000;
	assert_int_equal(process(s), 0);
	assert_int_equal(electd_timeout_ms(s->e), -1);
}

/* ---- reports ----------------------------------------------------------------------------- */

static int report(struct server *s, const char *name, bool well, const char *words)
{
	struct electd_report r = { .size = sizeof(r), .name = name, .well = well, .words = words };

	return electd_report(s->e, &r);
}

#define REPORT(name, well)                                                                         \
	"{\"method\":\"io.electd.Report\",\"parameters\":{\"name\":\"" name "\",\"well\":" well    \
	",\"leading\":false,\"fall\":1,\"rise\":1,\"stale_ms\":0}}"

static void a_report_waits_until_electd_runs(void **state)
{
	struct server *s = *state;

	server_unlisten(s);
	assert_int_equal(report(s, "db", true, NULL), 0);
	assert_int_equal(process(s), -ENOENT);
	assert_int_equal(report(s, "disk", true, NULL), 0);
	assert_int_equal(report(s, "db", false, NULL), 0);
	now_ms += 100;
	process(s);
	server_listen(s);
	now_ms += 200;
	subscribed_as(s, "{\"method\":\"io.electd.Subscribe\",\"more\":true}");
	answer(s, REPORT("db", "false"));
	answer(s, REPORT("disk", "true"));
	assert_int_equal(process(s), 0);
}

/* electd ended before it answered, so it may not have read the report. */
static void a_report_without_an_answer_is_sent_again(void **state)
{
	struct server *s = *state;
	int fd;

	subscribed_as(s, "{\"method\":\"io.electd.Subscribe\",\"more\":true}");
	assert_int_equal(report(s, "db", true, NULL), 0);
	assert_int_equal(process(s), 0);
	assert_string_equal(request(s, &fd), REPORT("db", "true"));
	close(fd);
	assert_int_equal(process(s), 0);
	now_ms += 200;
	assert_int_equal(process(s), 0);
	answer(s, REPORT("db", "true"));
}

static void a_refused_report_is_an_event(void **state)
{
	static const char refused[] = "{\"error\":\"io.electd.ReportRefused\",\"parameters\":"
				      "{\"message\":\"16 other names\"}}";
	struct server *s = *state;
	int fd;

	subscribed_as(s, "{\"method\":\"io.electd.Subscribe\",\"more\":true}");
	assert_int_equal(report(s, "db", true, NULL), 0);
	assert_true(readable(s));
	assert_int_equal(process(s), 0);
	assert_false(readable(s));
	request(s, &fd);
	assert_int_equal(send(fd, refused, sizeof(refused), 0), sizeof(refused));
	close(fd);
	assert_event(s, ELECTD_REFUSED);
	assert_int_equal(last.error, EINVAL);
	assert_string_equal(last.words, "16 other names");
}

static void wrong_reports_and_too_many_are_refused(void **state)
{
	struct server *s = *state;
	char name[16];

	server_unlisten(s);
	assert_int_equal(report(s, "two words", true, NULL), -EINVAL);
	assert_int_equal(report(s, NULL, true, NULL), -EINVAL);
	assert_int_equal(report(s, "db", true, "\xff"), -EINVAL);
	for (int i = 0; i < 32; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		assert_int_equal(report(s, name, true, NULL), 0);
	}
	assert_int_equal(report(s, "more", true, NULL), -EAGAIN);
	assert_int_equal(report(s, "n7", false, NULL), 0);
}

/* ---- addresses --------------------------------------------------------------------------- */

#define SUBSCRIBE_ADDRESS                                                                          \
	"{\"method\":\"io.electd.Subscribe\",\"parameters\":{\"hold\":true,\"name\":\"a test\","   \
	"\"rank\":\"address\"},\"more\":true}"
#define ADDRESSES(row)                                                                             \
	"{\"method\":\"io.electd.ReportAddresses\",\"parameters\":{\"holder\":\"00ff\","           \
	"\"addresses\":[" row "]}}"

static int report_address(struct server *s, const char *address)
{
	return lib_report_addresses(s->e, json_pack("[{s:s}]", "address", address));
}

static void leads_with_addresses(struct server *s)
{
	subscribed_as(s, SUBSCRIBE_ADDRESS);
	tell(s, "snapshot", "leader", 41, now_ms + 500, ",\"holder\":\"00ff\"");
	assert_event(s, ELECTD_SNAPSHOT);
}

static void the_newest_list_of_addresses_is_sent(void **state)
{
	struct server *s = *state;

	assert_int_equal(report_address(s, "192.0.2.1"), -ENOTCONN);
	leads_with_addresses(s);
	assert_int_equal(report_address(s, "192.0.2.1"), 0);
	assert_int_equal(report_address(s, "192.0.2.2"), 0);
	assert_true(readable(s));
	assert_int_equal(process(s), 0);
	answer(s, ADDRESSES("{\"address\":\"192.0.2.2\"}"));
	assert_int_equal(lib_report_addresses(s->e, NULL), -ENOMEM);
}

static void a_release_goes_before_the_addresses(void **state)
{
	struct server *s = *state;

	leads_with_addresses(s);
	assert_int_equal(report_address(s, "192.0.2.1"), 0);
	tell(s, "release", "leader", 41, now_ms + 500, ",\"release\":3,\"purpose\":\"resign\"");
	assert_event(s, ELECTD_RELEASE);
	answer(s, RELEASE("3"));
	answer(s, ADDRESSES("{\"address\":\"192.0.2.1\"}"));
}

static void the_addresses_of_an_ended_connection_are_void(void **state)
{
	struct server *s = *state;
	int fd;

	leads_with_addresses(s);
	server_unlisten(s);
	assert_int_equal(report_address(s, "192.0.2.1"), 0);
	close(s->events);
	s->events = -1;
	assert_event(s, ELECTD_LOST);
	server_listen(s);
	now_ms += 10000;
	leads_with_addresses(s);
	assert_int_equal(process(s), 0);
	assert_string_equal(request(s, &fd), "");
}

/* electd has seen the end of the connection first. */
static void addresses_of_an_unknown_holder_are_no_event(void **state)
{
	static const char gone[] = "{\"error\":\"io.electd.NoSuchHolder\",\"parameters\":{}}";
	struct server *s = *state;
	int fd;

	leads_with_addresses(s);
	assert_int_equal(report_address(s, "192.0.2.1"), 0);
	assert_int_equal(process(s), 0);
	assert_string_equal(request(s, &fd), ADDRESSES("{\"address\":\"192.0.2.1\"}"));
	assert_int_equal(send(fd, gone, sizeof(gone), 0), sizeof(gone));
	close(fd);
	assert_int_equal(process(s), 0);
}

/* ---- options ----------------------------------------------------------------------------- */

static void wrong_options_are_refused(void **state)
{
	struct electd_options o = { .size = sizeof(o), .socket = "/x", .name = "" };
	char name[65], path[200];
	electd *e = NULL;

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[64] = '\0';
	memset(path, 'p', sizeof(path) - 1);
	path[199] = '\0';
	assert_int_equal(electd_open(&e, &o), -EINVAL);
	o.name = name;
	assert_int_equal(electd_open(&e, &o), -EINVAL);
	o.name = "line\nfeed";
	assert_int_equal(electd_open(&e, &o), -EINVAL);
	o = (struct electd_options){ .size = sizeof(o), .socket = path };
	assert_int_equal(electd_open(&e, &o), -ENAMETOOLONG);
	o = (struct electd_options){ .size = sizeof(o), .instance = "../x" };
	assert_int_equal(electd_open(&e, &o), -EINVAL);
	o = (struct electd_options){ .size = sizeof(o), .instance = "a", .socket = "/x" };
	assert_int_equal(electd_open(&e, &o), -EINVAL);
	o = (struct electd_options){ .size = 3 };
	assert_int_equal(electd_open(&e, &o), -EINVAL);
	o = (struct electd_options){ .size = sizeof(o), .rank = ELECTD_RANK_ADDRESS };
	assert_int_equal(electd_open(&e, &o), -EINVAL);
	o = (struct electd_options){ .size = sizeof(o), .name = "n", .rank = 2 };
	assert_int_equal(electd_open(&e, &o), -EINVAL);
	assert_int_equal(electd_open(&e, NULL), -EINVAL);
	assert_null(e);
	electd_close(NULL);
}

/* A program that was built with an older header knows less of each struct. */
static void an_older_program_gets_what_it_knows(void **state)
{
	struct server *s = *state;
	struct electd_event e;

	subscribed_as(s, "{\"method\":\"io.electd.Subscribe\",\"more\":true}");
	tell(s, "snapshot", "leader", 41, now_ms + 500, "");
	memset(&e, 0x5a, sizeof(e));
	e.size = offsetof(struct electd_event, group);
	assert_int_equal(electd_process(s->e, &e), 1);
	assert_int_equal(e.size, offsetof(struct electd_event, group));
	assert_int_equal(e.token, 41);
	for (size_t i = 0; i < sizeof(e.group); i++)
		assert_int_equal(e.group[i], 0x5a);
	e.size = 3;
	assert_int_equal(electd_process(s->e, &e), -EINVAL);
}

/* ---- a hostile electd -------------------------------------------------------------------- */

static uint32_t random_state = 4711;

static unsigned drawn(unsigned below)
{
	random_state = random_state * 1103515245 + 12345;
	return random_state / 65536 % below;
}

static void garbage(const struct server *s)
{
	static const char *const pieces[] = { "{", "}", "[", "]", ":", ",", "\"", "\\u0000",
		"parameters", "event", "snapshot", "leader", "status", "1e999", "-1",
		"18446744073709551616", "null", "true", "\xff", "\xc3\x28", "holder", "seq",
		"continues", "release", "\t\n" };
	char text[4096];
	size_t used = 0;

	for (unsigned n = drawn(200); n > 0; n--)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s",
			pieces[drawn(sizeof(pieces) / sizeof(pieces[0]))]);
	send(s->events, text, used + (drawn(4) ? 1 : 0), MSG_NOSIGNAL);
}

static void bend(struct server *s)
{
	char more[64];

	snprintf(more, sizeof(more), ",\"release\":%d", (int)drawn(5) - 1);
	tell(s, drawn(2) ? "snapshot" : "leader", drawn(2) ? "leader" : "none", drawn(3),
		now_ms + drawn(1000), more);
}

/* Nothing happens but what the header names; ASan judges the rest. */
static void a_hostile_electd_does_no_harm(void **state)
{
	static const int errors[] = { ECONNRESET, EBADMSG, EMSGSIZE, EPROTO, EREMOTE, EACCES };
	struct server *s = *state;
	unsigned lost = 0;

	s->hostile = true;
	for (unsigned i = 0; i < 2000; i++) {
		int fd, r;

		for (const char *asked; *(asked = request(s, &fd));) {
			if (!strstr(asked, "Subscribe")) {
				close(fd);
				continue;
			}
			if (s->events >= 0)
				close(s->events);
			s->events = fd;
			s->seq = 7;
			if (drawn(4))
				tell(s, "snapshot", "leader", 41, now_ms + 500,
					",\"holder\":\"00ff\"");
		}
		if (s->events >= 0 && drawn(3))
			garbage(s);
		else if (s->events >= 0 && drawn(2))
			bend(s);
		r = process(s);
		assert_true(r >= -1000 && r <= 1);
		if (r == 1 && last.type == ELECTD_LOST) {
			unsigned known = 0;

			lost++;
			for (size_t k = 0; k < sizeof(errors) / sizeof(errors[0]); k++)
				known += errors[k] == last.error;
			assert_int_equal(known, 1);
			assert_false(electd_may_act(s->e, NULL));
		}
		electd_may_act(s->e, NULL);
		if (!drawn(10))
			electd_released(s->e);
		now_ms += drawn(300);
	}
	assert_true(lost > 50);
}

static void endless_bytes_end_the_connection(void **state)
{
	static char bytes[65536];
	struct server *s = *state;
	int r = 0;

	leads(s, 41);
	memset(bytes, 'x', sizeof(bytes));
	fcntl(s->events, F_SETFL, O_NONBLOCK);
	for (int i = 0; i < 64 && !r; i++) {
		send(s->events, bytes, sizeof(bytes), MSG_NOSIGNAL);
		r = process(s);
	}
	assert_int_equal(r, 1);
	assert_int_equal(last.type, ELECTD_LOST);
	assert_int_equal(last.error, EMSGSIZE);
}

/* ---- threads ----------------------------------------------------------------------------- */

static void *follow(void *user)
{
	struct server *s = user;
	uint64_t acts = 0;

	for (int i = 0; i < 300; i++) {
		struct electd_event event = { .size = sizeof(event) };
		uint64_t token;

		now_ms += 10;
		if (i % 2)
			tell(s, "leader", "leader", (uint64_t)i, now_ms + 100, "");
		while (electd_process(s->e, &event) == 1)
			;
		if (electd_may_act(s->e, &token))
			acts += token == (uint64_t)(i % 2 ? i : i - 1);
	}
	return (void *)(uintptr_t)acts;
}

static void two_threads_have_a_handle_each(void **state)
{
	struct server two[2];
	pthread_t threads[2];
	void *acts;

	(void)state;
	for (int i = 0; i < 2; i++) {
		server_open(&two[i]);
		assert_int_equal(open_with(&two[i], "a test"), 0);
		leads(&two[i], 1);
	}
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, follow, &two[i]), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(pthread_join(threads[i], &acts), 0);
		assert_int_equal((uintptr_t)acts, 299);
		server_close(&two[i]);
	}
}

#define HOLDER(test)  cmocka_unit_test_setup_teardown(test, setup, teardown)
#define ADDRESS(test) cmocka_unit_test_setup_teardown(test, setup_address, teardown)
#define WATCHER(test) cmocka_unit_test_setup_teardown(test, setup_watcher, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HOLDER(a_holder_acts_until_the_deadline),
		HOLDER(an_act_needs_what_waits_to_be_read),
		HOLDER(an_event_that_waits_hides_no_later_one),
		HOLDER(what_was_read_waits_visibly),
		HOLDER(events_that_came_together_do_not_wait),
		ADDRESS(rank_address_begins_first_and_reports_it),
		ADDRESS(a_promotion_is_void_with_its_connection),
		HOLDER(other_ranks_wait_for_it),
		HOLDER(other_ranks_wait_for_it_under_a_new_token),
		HOLDER(a_new_token_waits_for_its_event),
		HOLDER(a_release_is_answered_when_the_work_has_ended),
		HOLDER(a_release_without_work_is_answered_at_once),
		HOLDER(a_release_waits_for_a_descriptor),
		HOLDER(an_ended_connection_is_kept_until_the_work_has_ended),
		HOLDER(without_work_it_is_closed_at_once),
		HOLDER(a_child_does_not_keep_it),
		HOLDER(closing_in_a_child_changes_nothing),
		HOLDER(closing_says_that_nothing_is_left),
		HOLDER(closing_waits_for_the_first_answer),
		HOLDER(closing_does_not_wait_for_a_silent_electd),
		HOLDER(an_error_is_returned_once_until_it_changes),
		HOLDER(a_holder_without_the_right_is_told),
		HOLDER(a_full_electd_is_tried_again_soon),
		HOLDER(another_time_namespace_never_acts),
		WATCHER(a_watcher_gets_changes_and_never_acts),
		WATCHER(a_report_waits_until_electd_runs),
		WATCHER(a_report_without_an_answer_is_sent_again),
		WATCHER(a_refused_report_is_an_event),
		WATCHER(wrong_reports_and_too_many_are_refused),
		WATCHER(an_older_program_gets_what_it_knows),
		HOLDER(a_hostile_electd_does_no_harm),
		HOLDER(endless_bytes_end_the_connection),
		ADDRESS(the_newest_list_of_addresses_is_sent),
		ADDRESS(a_release_goes_before_the_addresses),
		ADDRESS(the_addresses_of_an_ended_connection_are_void),
		ADDRESS(addresses_of_an_unknown_holder_are_no_event),
		cmocka_unit_test(wrong_options_are_refused),
		cmocka_unit_test(two_threads_have_a_handle_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
