/* SPDX-License-Identifier: Apache-2.0 */
/*
 * socket: binds the control socket and accepts clients; see control/control.h. control/serve.c
 * serves a connection, control/call.c a request.
 */
#include "inside.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	BACKLOG = 4096,	  /* long, so that refused clients cannot keep others from the queue */
	ACCEPTS_MAX = 64, /* per wake-up; most of so many clients are refused */
	REST_MS = 100,	  /* pause after a failed accept4() */
	GROUPS_MAX = 256, /* of a client; if it has more, only its primary group counts */
};

/* ---- accepting clients ----------------------------------------------------------------------- */

static bool in_group(const struct ctl_group *group, int fd, gid_t gid)
{
	gid_t groups[GROUPS_MAX];
	socklen_t size = sizeof(groups);

	if (!group->exists)
		return false;
	if (gid == group->gid)
		return true;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) < 0)
		return false;
	for (size_t i = 0; i < size / sizeof(groups[0]); i++)
		if (groups[i] == group->gid)
			return true;
	return false;
}

static int identify(const struct ctl *ctl, int fd, struct ctl_peer *ret_peer)
{
	struct ucred credentials;
	socklen_t size = sizeof(credentials);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) < 0)
		return -errno;
	*ret_peer = (struct ctl_peer){ .uid = credentials.uid };
	ret_peer->admin = credentials.uid == 0 || in_group(&ctl->admins, fd, credentials.gid);
	ret_peer->reporter = in_group(&ctl->reporters, fd, credentials.gid);
	ret_peer->addresses = credentials.uid == 0 ||
		(ctl->addresses.exists && ctl->addresses.uid == credentials.uid);
	return 0;
}

/* A connection that cannot be accepted stays in the queue and would wake the loop without end. */
static void rest(struct ctl *ctl)
{
	struct timeval a_while = { .tv_usec = REST_MS * 1000 };

	event_del(ctl->acceptable);
	evtimer_add(ctl->rested, &a_while);
}

static void ctl_on_rested(evutil_socket_t fd, short what, void *user)
{
	struct ctl *ctl = user;

	(void)fd;
	(void)what;
	event_add(ctl->acceptable, NULL);
}

static void let_in(struct ctl *ctl, int fd, struct ctl_peer *peer)
{
	uid_t user = place_user(ctl, peer->uid);
	struct client *c = place_for(ctl, peer, user);

	if (!c)
		client_turn_away(fd);
	else if (serve_open(ctl, c, fd, peer, user))
		client_close(c);
}

static void ctl_on_acceptable(evutil_socket_t listener, short what, void *user)
{
	struct ctl *ctl = user;
	struct ctl_peer peer = { 0 };
	int fd;

	(void)what;
	for (unsigned i = 0; i < ACCEPTS_MAX; i++) {
		fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0 && errno == ECONNABORTED)
			continue;
		if (fd < 0 && errno != EAGAIN && errno != EINTR)
			rest(ctl);
		if (fd < 0)
			return;
		if (identify(ctl, fd, &peer))
			client_turn_away(fd);
		else
			let_in(ctl, fd, &peer);
	}
}

/* ---- the socket -------------------------------------------------------------------------- */

/* 0: no process listens at the path; -EADDRINUSE: one does, and ret_pid is its pid if known. */
static int ask_who(const struct sockaddr_un *address, pid_t *ret_pid)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct ucred credentials;
	socklen_t size = sizeof(credentials);
	int r = 0;

	if (fd < 0)
		return -errno;
	if (!connect(fd, (const struct sockaddr *)address, sizeof(*address)) || errno == EAGAIN) {
		r = -EADDRINUSE;
		if (!getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size))
			*ret_pid = credentials.pid;
	} else if (errno != ECONNREFUSED && errno != ENOENT) {
		r = -errno;
	}
	close(fd);
	return r;
}

/*
 * Between the check and the bind, no other electd may do the same. The lock is kept until the end.
 * A separate file is locked, because every user who may read the folder could lock the folder.
 */
static int lock_folder(struct ctl *ctl, const char *dir)
{
	char path[sizeof(ctl->path) + sizeof(CTL_LOCK_NAME)];

	snprintf(path, sizeof(path), "%s/%s", dir, CTL_LOCK_NAME);
	ctl->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (ctl->lock_fd < 0)
		return -errno;
	if (!flock(ctl->lock_fd, LOCK_EX | LOCK_NB))
		return 0;
	return errno == EWOULDBLOCK ? -EADDRINUSE : -errno;
}

static void remember_socket(struct ctl *ctl)
{
	struct stat st;

	if (lstat(ctl->path, &st))
		return;
	ctl->device = st.st_dev;
	ctl->inode = st.st_ino;
}

/* A unit may have replaced our socket by a link to another one, which must not be removed. */
static void remove_socket(const struct ctl *ctl)
{
	struct stat st;

	if (!lstat(ctl->path, &st) && st.st_dev == ctl->device && st.st_ino == ctl->inode)
		unlink(ctl->path);
}

static int listen_at(struct ctl *ctl, const char *dir, pid_t *ret_pid)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int r;

	memcpy(address.sun_path, ctl->path, sizeof(ctl->path));
	r = lock_folder(ctl, dir);
	if (r && r != -EADDRINUSE)
		return r;
	if (r) { /* only to find out its process */
		ask_who(&address, ret_pid);
		return r;
	}
	r = ask_who(&address, ret_pid);
	if (r)
		return r;
	if (unlink(ctl->path) < 0 && errno != ENOENT)
		return -errno;
	ctl->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (ctl->fd < 0)
		return -errno;
	if (bind(ctl->fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		r = -errno;
		ctl->path[0] = '\0'; /* not ours to remove */
		return r;
	}
	remember_socket(ctl);
	if (chmod(ctl->path, 0666) < 0 || listen(ctl->fd, BACKLOG) < 0)
		return -errno;
	return 0;
}

/* Called once, at the start: a name service may be slow, and the event loop must not block. */
static struct ctl_user user_named(const char *name)
{
	const struct passwd *user = getpwnam(name);

	return (struct ctl_user){ user != NULL, user ? user->pw_uid : 0 };
}

static struct ctl_group group_named(const char *name)
{
	const struct group *group = getgrnam(name);

	return (struct ctl_group){ group != NULL, group ? group->gr_gid : 0 };
}

/*
 * Some libraries open files at their first use: the time zone, the seed of hash tables. Use them
 * before the event loop runs, because a disk may hang.
 */
static void use_libraries(void)
{
	tzset();
	json_object_seed(0);
}

static int start(struct ctl *ctl, const char *dir, pid_t *ret_pid)
{
	int used = snprintf(ctl->path, sizeof(ctl->path), "%s/%s", dir, CTL_SOCKET_NAME);
	int r;

	if (used < 0 || (size_t)used >= sizeof(ctl->path))
		return -ENAMETOOLONG;
	use_libraries();
	ctl->admins = group_named(CTL_ADMIN_GROUP);
	ctl->reporters = group_named(CTL_REPORT_GROUP);
	ctl->addresses = user_named(CTL_ADDRESS_USER);
	r = listen_at(ctl, dir, ret_pid);
	if (r)
		return r;
	ctl->acceptable =
		event_new(ctl->base, ctl->fd, EV_READ | EV_PERSIST, ctl_on_acceptable, ctl);
	ctl->rested = evtimer_new(ctl->base, ctl_on_rested, ctl);
	if (!ctl->acceptable || !ctl->rested || event_add(ctl->acceptable, NULL))
		return -ENOMEM;
	return watch_open(ctl);
}

int ctl_open(struct ctl **ret_ctl, struct event_base *base, const char *dir,
	const struct ctl_source *source, pid_t *ret_pid)
{
	struct ctl *ctl = calloc(1, sizeof(*ctl));
	int r;

	*ret_pid = 0;
	if (!ctl)
		return -ENOMEM;
	ctl->base = base;
	ctl->source = *source;
	ctl->fd = ctl->lock_fd = -1;
	r = start(ctl, dir, ret_pid);
	if (r) {
		if (ctl->fd < 0)
			ctl->path[0] = '\0';
		ctl_close(ctl);
		return r;
	}
	*ret_ctl = ctl;
	return 0;
}

void ctl_close(struct ctl *ctl)
{
	if (!ctl)
		return;
	for (unsigned i = 0; i < CTL_PLACES; i++)
		if (ctl->clients[i].ctl)
			client_close(&ctl->clients[i]);
	watch_close(ctl);
	if (ctl->acceptable)
		event_free(ctl->acceptable);
	if (ctl->rested)
		event_free(ctl->rested);
	subuid_free(&ctl->subuid);
	if (ctl->path[0])
		remove_socket(ctl);
	if (ctl->fd >= 0)
		close(ctl->fd);
	if (ctl->lock_fd >= 0)
		close(ctl->lock_fd);
	free(ctl);
}
