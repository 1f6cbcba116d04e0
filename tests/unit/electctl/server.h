/* SPDX-License-Identifier: Apache-2.0 */
/* server: an electd in a child process that sends the test's replies and keeps the calls. */
#ifndef ELECTD_TEST_ELECTCTL_SERVER_H
#define ELECTD_TEST_ELECTCTL_SERVER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "electctl/electctl.h"
#include "unit/patience.h"

#define UNUSED __attribute__((unused))

#define HOST_A "000000000000000000000000000000aa"
#define HOST_B "000000000000000000000000000000bb"

#define MEMBERS                                                                                    \
	"\"members\":[{\"id\":\"" HOST_A "\",\"name\":\"web1\",\"address\":\"192.0.2.1:7544\","    \
	"\"rank\":0,\"priority\":100,\"state\":\"normal\",\"last_heard_ms\":null},"                \
	"{\"id\":\"" HOST_B "\",\"name\":\"web2\",\"address\":\"192.0.2.2:7544\",\"rank\":1,"      \
	"\"priority\":90,\"state\":\"silent\",\"last_heard_ms\":1200}]"

#define STATUS(role, leader, token, health)                                                        \
	"{\"schema\":1,\"domain\":\"default\",\"role\":\"" role "\",\"state\":\"normal\","         \
	"\"node\":{\"id\":\"" HOST_A "\",\"name\":\"web1\",\"priority\":100,"                      \
	"\"incarnation\":\"3\"},\"leader\":" leader ",\"group\":{\"coordinator\":\"" HOST_A        \
	"\",\"counter\":\"41\",\"id\":\"web1.41\"},\"token\":\"" token "\"," MEMBERS               \
	",\"foreign\":[],\"since\":\"2026-11-20T10:40:12Z\",\"since_ms\":185123,"                  \
	"\"reason\":\"joined\",\"cause\":{\"id\":\"" HOST_B "\",\"name\":\"web2\"},"               \
	"\"why\":\"web2 joined its group\","                                                       \
	"\"quorum\":{\"needed\":0,\"have\":2,\"met\":true},"                                       \
	"\"auth\":{\"mode\":\"auto\",\"active_key\":0,\"accepts\":[0],\"authenticated\":false},"   \
	"\"other_keys\":[],"                                                                       \
	"\"health\":" health ",\"version\":\"0\"}"

#define LEADER_A                                                                                   \
	"{\"id\":\"" HOST_A "\",\"name\":\"web1\",\"address\":\"192.0.2.1:7544\",\"self\":true}"
#define LEADS  STATUS("leader", LEADER_A, "687865889", "{\"ok\":true,\"problems\":[]}")
#define NOBODY STATUS("none", "null", "0", "{\"ok\":false,\"problems\":[\"No state.\"]}")

/* One run of a verb: the replies of electd (NUL between them) and the output of the verb. */
struct run {
	const char *replies;
	size_t replies_size;
	char *out;
	enum electctl_exit code;
	char *const *args;
	bool loud;   /* false: stderr of the verb is discarded */
	char *asked; /* all calls, one after another; from the server */
};

enum { ASKED_MAX = 16384 };

UNUSED static int listen_at(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	unlink(path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(listen(fd, 4), 0);
	return fd;
}

/* Answers `calls` connections, each with the same replies, and ends. */
UNUSED static pid_t serve(int fd, const struct run *r, int calls)
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (child)
		return child;
	while (calls--) {
		int c = accept(fd, NULL, NULL);
		size_t used = strlen(r->asked);

		/* A call ends with NUL, so `asked` stays a text. */
		if (read(c, r->asked + used, ASKED_MAX - used) < 1 ||
			send(c, r->replies, r->replies_size, MSG_NOSIGNAL) < 0)
			_exit(1);
		close(c);
	}
	_exit(0);
}

UNUSED static void run(struct run *r, verb_fn *verb, struct options o, int calls)
{
	char folder[] = "/tmp/electctl-XXXXXX", path[64];
	char *const none[] = { NULL };
	size_t size = 0;
	pid_t child;
	int fd;

	r->asked = mmap(NULL, ASKED_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(r->asked, MAP_FAILED);
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/s", folder);
	fd = listen_at(path);
	child = serve(fd, r, calls);
	close(fd);
	o.out = open_memstream(&r->out, &size);
	o.socket = path;
	o.quiet = !r->loud;
	o.timeout_ms = PATIENCE_ROUNDS * PATIENCE_ROUND_MS;
	o.for_seconds = -1;
	o.members = o.members ? o.members : -1;
	o.width = o.width ? o.width : 80;
	r->code = verb(&o, r->args ? r->args : none);
	fclose(o.out);
	waitpid(child, NULL, 0);
	unlink(path);
	rmdir(folder);
}

#define RUN(name, replies_, verb, calls, ...)                                                      \
	struct run name = { .replies = (replies_), .replies_size = sizeof(replies_) };             \
	run(&name, verb, (struct options){ __VA_ARGS__ }, calls)

UNUSED static bool too_wide(const char *text)
{
	for (; *text; text += strcspn(text, "\n") + (text[strcspn(text, "\n")] == '\n'))
		if (strcspn(text, "\n") > 80)
			return true;
	return false;
}

#endif
