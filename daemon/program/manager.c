/* SPDX-License-Identifier: Apache-2.0 */
/*
 * manager: see manager.h. Writes to the manager's socket itself, because libsystemd has no function
 * that does not wait.
 */
#include "manager.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* A descriptor that the manager has to keep. */
struct kept {
	const char *name;
	int fd; /* -1: none */
	dev_t device;
	ino_t inode;	    /* with `device`: the file that the number was then */
	bool remove, store; /* still to be sent, in this order */
};

static char texts[MANAGER_KINDS][MANAGER_TEXT_MAX]; /* empty: nothing to send */
static struct kept kept[MANAGER_NAMES_MAX];
static unsigned kept_count;
static void (*when_pending)(void *user);
static void *pending_user;

/* ---- the socket ------------------------------------------------------------------------------ */

/* Reads a path, or "@name" for an abstract socket. Returns its size; 0: there is none. */
static socklen_t take_address(struct sockaddr_un *ret_address)
{
	const char *path = getenv("NOTIFY_SOCKET");
	size_t size = path ? strlen(path) : 0;

	if (size < 2 || size >= sizeof(ret_address->sun_path) || (path[0] != '/' && path[0] != '@'))
		return 0;
	*ret_address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(ret_address->sun_path, path, size);
	if (path[0] == '@')
		ret_address->sun_path[0] = '\0';
	else
		size++;
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
}

static int send_by(int to, const char *text, int fd)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec vector = { (char *)text, strlen(text) };
	struct msghdr message = { .msg_iov = &vector, .msg_iovlen = 1 };

	if (fd >= 0) {
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	return sendmsg(to, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* Uses a new socket each time, because a restarted manager has another one there. 0 or -errno. */
static int send_once(const char *text, int fd)
{
	struct sockaddr_un address;
	socklen_t size = take_address(&address);
	int to, r;

	if (!size)
		return 0;
	to = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (to < 0)
		return -errno;
	r = connect(to, (const struct sockaddr *)&address, size) < 0 ? -errno
								     : send_by(to, text, fd);
	close(to);
	return r;
}

/* Can the same send succeed later, because the queue is full or the kernel lacks something now? */
static bool passes(int error)
{
	return error == -EAGAIN || error == -ENOBUFS || error == -ENOMEM || error == -EMFILE ||
		error == -ENFILE || error == -ETOOMANYREFS;
}

/* False: has to be sent again. */
static bool sent(const char *text, int fd)
{
	return !passes(send_once(text, fd));
}

/* ---- the queue ------------------------------------------------------------------------------- */

static bool send_texts(void)
{
	for (unsigned i = 0; i < MANAGER_KINDS; i++) {
		if (texts[i][0] && !sent(texts[i], -1))
			return false;
		texts[i][0] = '\0';
	}
	return true;
}

static bool same_file(const struct kept *k)
{
	struct stat now;

	return fstat(k->fd, &now) == 0 && now.st_dev == k->device && now.st_ino == k->inode;
}

/* With FDPOLL=0 the manager keeps even a socket with a pending error. */
static bool send_kept(struct kept *k)
{
	char text[128];

	snprintf(text, sizeof(text), "FDSTOREREMOVE=1\nFDNAME=%s", k->name);
	if (k->remove && !sent(text, -1))
		return false;
	k->remove = false;
	snprintf(text, sizeof(text), "FDSTORE=1\nFDPOLL=0\nFDNAME=%s", k->name);
	if (k->store && same_file(k) && !sent(text, k->fd))
		return false;
	k->store = false;
	return true;
}

static bool send_all(void)
{
	if (!send_texts())
		return false;
	for (unsigned i = 0; i < kept_count; i++)
		if (!send_kept(&kept[i]))
			return false;
	return true;
}

void manager_send_again(void)
{
	if (!send_all() && when_pending)
		when_pending(pending_user);
}

void manager_when_pending(void (*pending)(void *user), void *user)
{
	when_pending = pending;
	pending_user = user;
	manager_send_again();
}

/* ---- notifications --------------------------------------------------------------------------- */

void manager_withdraw(enum manager_kind kind)
{
	texts[kind][0] = '\0';
}

void manager_tell(enum manager_kind kind, const char *format, ...)
{
	va_list args;

	if (kind == MANAGER_RELOADING || kind == MANAGER_STOPPING)
		manager_withdraw(MANAGER_READY);
	if (kind == MANAGER_STOPPING)
		manager_withdraw(MANAGER_RELOADING);
	va_start(args, format);
	if (vsnprintf(texts[kind], sizeof(texts[kind]), format, args) < 0)
		manager_withdraw(kind);
	va_end(args);
	manager_send_again();
}

static struct kept *kept_as(const char *name)
{
	for (unsigned i = 0; i < kept_count; i++)
		if (strcmp(kept[i].name, name) == 0)
			return &kept[i];
	assert(kept_count < MANAGER_NAMES_MAX);
	kept[kept_count].name = name;
	return &kept[kept_count++];
}

void manager_keep(const char *name, int fd)
{
	struct kept *k = kept_as(name);
	struct stat now = { 0 };

	k->fd = fd;
	k->remove = true;
	k->store = fd >= 0 && fstat(fd, &now) == 0;
	k->device = now.st_dev;
	k->inode = now.st_ino;
	manager_send_again();
}
