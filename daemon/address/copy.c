/* SPDX-License-Identifier: Apache-2.0 */
/* copy: see copy.h. */
#include "copy.h"

#include "program/crash.h"
#include "program/kernel.h"
#include "program/title.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static const size_t entries_size = COPY_MAX * sizeof(struct copy_entry);

/* ---- the copy -------------------------------------------------------------------------------- */

/* The parent blocks them, so that the copy never has them open. */
static void block_signals(sigset_t *ret_before)
{
	static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	sigset_t blocked;

	sigfillset(&blocked);
	for (unsigned i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigdelset(&blocked, faults[i]);
	sigprocmask(SIG_SETMASK, &blocked, ret_before);
}

/* Closes all descriptors but stderr and these two, the lower one first. */
static void close_others(int one, int other)
{
	unsigned low = (unsigned)(one < other ? one : other);
	unsigned high = (unsigned)(one < other ? other : one);

	kernel_close_range(STDIN_FILENO, STDOUT_FILENO);
	if (low > STDERR_FILENO + 1)
		kernel_close_range(STDERR_FILENO + 1, low - 1);
	if (high > low + 1)
		kernel_close_range(low + 1, high - 1);
	kernel_close_range(high + 1, ~0U);
}

static void wait_for_the_end(int process)
{
	struct pollfd ended = { .fd = process, .events = POLLIN };

	while (!(ended.revents & POLLIN))
		poll(&ended, 1, -1);
}

/* The answers are not read; nobody could act on them. */
static void remove_held(const struct copy *c, int requests)
{
	_Alignas(struct nlmsghdr) char message[MESSAGE_MAX];
	const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };

	for (unsigned i = 0; i < COPY_MAX; i++) {
		struct copy_entry *e = &c->entries[i];

		if (atomic_load(&e->held))
			sendto(requests, message, message_remove(message, 0, &e->at), MSG_DONTWAIT,
				(const struct sockaddr *)&kernel, sizeof(kernel));
	}
}

static _Noreturn void run(const struct copy *c, int process)
{
	int requests;

	crash_watch_copy("electd-remover");
	requests = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (requests < 0)
		_exit(1);
	close_others(process, requests);
	title_set("electd-remover");
	wait_for_the_end(process);
	remove_held(c, requests);
	_exit(0);
}

/* ---- its parent ------------------------------------------------------------------------------ */

int copy_open(struct copy *c)
{
	void *memory =
		mmap(NULL, entries_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	*c = (struct copy){ .entries = memory == MAP_FAILED ? NULL : memory };
	return c->entries ? 0 : -errno;
}

int copy_begin(struct copy *c)
{
	int process = c->pid ? -1 : kernel_pidfd_open(getpid());
	sigset_t before;
	pid_t pid;
	int r = 0;

	if (c->pid)
		return 0;
	if (process < 0)
		return process;
	block_signals(&before);
	pid = fork();
	if (pid == 0)
		run(c, process);
	if (pid < 0)
		r = -errno;
	else
		c->pid = pid;
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(process);
	return r;
}

bool copy_ended(struct copy *c, pid_t pid)
{
	if (!c->pid || pid != c->pid)
		return false;
	c->pid = 0;
	return true;
}

void copy_close(struct copy *c)
{
	if (c->entries)
		munmap(c->entries, entries_size);
	c->entries = NULL;
}

/* ---- the list -------------------------------------------------------------------------------- */

static bool is(const struct copy_entry *e, const struct message_address *at)
{
	return e->at.ifindex == at->ifindex && e->at.prefix == at->prefix &&
		elect_address_equal(&e->at.address, &at->address);
}

static bool has(const struct message_address *list, unsigned count, const struct copy_entry *e)
{
	for (unsigned i = 0; i < count; i++)
		if (is(e, &list[i]))
			return true;
	return false;
}

static bool is_kept(struct copy *c, const struct message_address *at)
{
	for (unsigned i = 0; i < COPY_MAX; i++)
		if (atomic_load(&c->entries[i].held) && is(&c->entries[i], at))
			return true;
	return false;
}

static void keep(struct copy *c, const struct message_address *at)
{
	for (unsigned i = 0; i < COPY_MAX; i++) {
		struct copy_entry *e = &c->entries[i];

		if (atomic_load(&e->held))
			continue;
		e->at = *at;
		atomic_store(&e->held, true);
		return;
	}
}

void copy_keep(struct copy *c, const struct message_address *list, unsigned count)
{
	for (unsigned i = 0; i < COPY_MAX; i++)
		if (atomic_load(&c->entries[i].held) && !has(list, count, &c->entries[i]))
			atomic_store(&c->entries[i].held, false);
	for (unsigned i = 0; i < count; i++)
		if (!is_kept(c, &list[i]))
			keep(c, &list[i]);
}
