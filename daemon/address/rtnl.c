/* SPDX-License-Identifier: Apache-2.0 */
/* rtnl: see rtnl.h. */
#include "rtnl.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

enum {
	BUFFER_SIZE = 128 * 1024, /* a link may have 64 KiB of alternative names */
	TRIES_MAX = 4,		  /* until a spoilt dump is used */
	HEARD_MAX = 1024,	  /* notifications in one turn */
};

static _Alignas(struct nlmsghdr) char buffer[BUFFER_SIZE];

/* ---- opening --------------------------------------------------------------------------------- */

static int open_socket(unsigned groups)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = groups };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE), r;
	const int on = 1;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	r = -errno;
	close(fd);
	return r;
}

static bool needs_labels(void)
{
	unsigned major = 0, minor = 0;
	struct utsname name;

	return !uname(&name) && sscanf(name.release, "%u.%u", &major, &minor) == 2 &&
		(major < 5 || (major == 5 && minor < 18));
}

int rtnl_open(struct rtnl *r)
{
	*r = (struct rtnl){ .labels = needs_labels() };
	r->requests = open_socket(0);
	r->monitor = open_socket(RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR);
	return r->requests < 0 ? r->requests : r->monitor < 0 ? r->monitor : 0;
}

void rtnl_close(struct rtnl *r)
{
	if (r->requests >= 0)
		close(r->requests);
	if (r->monitor >= 0)
		close(r->monitor);
}

int rtnl_fd(const struct rtnl *r)
{
	return r->monitor;
}

/* ---- dumps ----------------------------------------------------------------------------------- */

static int send_all(int fd, const void *bytes, size_t size)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };

	return sendto(fd, bytes, size, 0, (const struct sockaddr *)&kernel, sizeof(kernel)) < 0
		? -errno
		: 0;
}

static int ask(int fd, uint16_t request)
{
	char bytes[64] __attribute__((aligned(NLMSG_ALIGNTO))) = { 0 };
	struct nlmsghdr *m = mnl_nlmsg_put_header(bytes);

	m->nlmsg_type = request;
	m->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	mnl_nlmsg_put_extra_header(
		m, request == RTM_GETLINK ? sizeof(struct ifinfomsg) : sizeof(struct ifaddrmsg));
	if (request == RTM_GETLINK)
		mnl_attr_put_u32(m, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	return send_all(fd, m, m->nlmsg_len);
}

/* An error message and the end of a dump have the error in the same place. 0 or -errno. */
static int error_in(const struct nlmsghdr *end)
{
	int error = 0;

	if (mnl_nlmsg_get_payload_len(end) >= sizeof(error))
		memcpy(&error, mnl_nlmsg_get_payload(end), sizeof(error));
	return error < 0 ? error : 0;
}

/* Returns 1 if more must be read, else 0 or -errno. */
static int take_part(size_t size, bool *spoilt, rtnl_message_fn *take, void *user)
{
	int left = (int)size;

	for (const struct nlmsghdr *m = (const struct nlmsghdr *)buffer; mnl_nlmsg_ok(m, left);
		m = mnl_nlmsg_next(m, &left)) {
		*spoilt = *spoilt || m->nlmsg_flags & NLM_F_DUMP_INTR;
		if (m->nlmsg_type == NLMSG_DONE || m->nlmsg_type == NLMSG_ERROR)
			return error_in(m);
		if (m->nlmsg_type >= NLMSG_MIN_TYPE)
			take(user, m);
	}
	return 1;
}

/* The next part is queued before this one is read, so a read that would block is an error. */
static int dump_once(uint16_t request, bool *spoilt, rtnl_message_fn *take, void *user)
{
	int fd = open_socket(0), r;
	ssize_t size;

	if (fd < 0)
		return fd;
	r = ask(fd, request);
	for (r = r ? r : 1; r > 0;) {
		size = recv(fd, buffer, sizeof(buffer), 0);
		r = size < 0 ? -errno : take_part((size_t)size, spoilt, take, user);
	}
	close(fd);
	return r;
}

int rtnl_dump(uint16_t request, rtnl_message_fn *take, void *user)
{
	bool spoilt = true;
	int r = 0;

	for (unsigned i = 0; i < TRIES_MAX && spoilt && !r; i++) {
		spoilt = false;
		r = dump_once(request, &spoilt, take, user);
	}
	return !r && spoilt ? -EINTR : r;
}

/* ---- notifications --------------------------------------------------------------------------- */

bool rtnl_hear(struct rtnl *r, rtnl_message_fn *take, void *user)
{
	bool spoilt = false, complete = true;

	for (unsigned i = 0; i < HEARD_MAX; i++) {
		ssize_t size = recv(r->monitor, buffer, sizeof(buffer), MSG_TRUNC);

		if (size < 0 && errno == ENOBUFS) {
			complete = false;
			continue;
		}
		if (size <= 0)
			break;
		if (size <= (ssize_t)sizeof(buffer))
			take_part((size_t)size, &spoilt, take, user);
		else
			complete = false;
	}
	return complete;
}

/* ---- deeds ----------------------------------------------------------------------------------- */

static size_t write_deed(const struct rtnl *r, void *to, uint32_t seq, const struct plan_deed *deed,
	uint32_t valid_s)
{
	if (deed->type == PLAN_REMOVE)
		return message_remove(to, seq, &deed->at);
	if (deed->type == PLAN_REFRESH)
		return message_refresh(to, seq, &deed->at, valid_s, r->labels);
	return message_add(to, seq, &deed->at, valid_s, r->labels);
}

bool rtnl_queue(struct rtnl *r, const struct plan_deed *deed, uint32_t valid_s)
{
	if (r->count == RTNL_DEEDS_MAX)
		return false;
	r->size += NLMSG_ALIGN(write_deed(r, r->bytes + r->size, r->seq + r->count, deed, valid_s));
	r->deeds[r->count++] = *deed;
	return true;
}

static void take_answer(const struct rtnl *r, const struct nlmsghdr *m, bool *told,
	rtnl_answer_fn *answered, void *user)
{
	uint32_t number = m->nlmsg_seq - r->seq;

	if (m->nlmsg_type != NLMSG_ERROR || number >= r->count || told[number])
		return;
	told[number] = true;
	answered(user, &r->deeds[number], error_in(m));
}

static void hear_answers(struct rtnl *r, bool *told, rtnl_answer_fn *answered, void *user)
{
	ssize_t size;

	while ((size = recv(r->requests, buffer, sizeof(buffer), 0)) > 0) {
		int left = (int)size;

		for (const struct nlmsghdr *m = (const struct nlmsghdr *)buffer;
			mnl_nlmsg_ok(m, left); m = mnl_nlmsg_next(m, &left))
			take_answer(r, m, told, answered, user);
	}
}

/* A refresh without an answer has succeeded; anything else without one has not. */
void rtnl_send(struct rtnl *r, rtnl_answer_fn *answered, void *user)
{
	bool told[RTNL_DEEDS_MAX] = { false };
	int error = r->count ? send_all(r->requests, r->bytes, r->size) : 0;

	if (!error)
		hear_answers(r, told, answered, user);
	for (unsigned i = 0; i < r->count; i++)
		if (!told[i])
			answered(user, &r->deeds[i],
				error					   ? error
					: r->deeds[i].type == PLAN_REFRESH ? 0
									   : -EIO);
	r->seq += r->count;
	r->count = 0;
	r->size = 0;
}
