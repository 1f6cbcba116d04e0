/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rtnl: the sockets of rtnetlink: what the kernel has, its notifications, and the deeds of the
 * plan, which are sent together. Decides nothing.
 *
 * The kernel carries out a request while that is sent, so its answer is there at once and no call
 * waits for one.
 */
#ifndef ELECTD_ADDRESS_RTNL_H
#define ELECTD_ADDRESS_RTNL_H

#include "message.h"
#include "plan.h"

enum { RTNL_DEEDS_MAX = 64 };

struct rtnl {
	int requests, monitor;
	uint32_t seq;
	bool labels; /* the kernel keeps no IFA_PROTO: message.h */
	unsigned count;
	size_t size;
	struct plan_deed deeds[RTNL_DEEDS_MAX];
	_Alignas(struct nlmsghdr) char bytes[RTNL_DEEDS_MAX * MESSAGE_MAX];
};

/* 0 or -errno. */
int rtnl_open(struct rtnl *r);
void rtnl_close(struct rtnl *r);
/* Readable when there are notifications. */
int rtnl_fd(const struct rtnl *r);

typedef void rtnl_message_fn(void *user, const struct nlmsghdr *message);

/* Dumps all addresses (RTM_GETADDR) or links (RTM_GETLINK). 0 or -errno. */
int rtnl_dump(uint16_t request, rtnl_message_fn *take, void *user);

/* Reads the notifications. False: some were lost. */
bool rtnl_hear(struct rtnl *r, rtnl_message_fn *take, void *user);

typedef void rtnl_answer_fn(void *user, const struct plan_deed *deed, int error);

/* Queues an addition, a refresh or a removal. False: the queue is full. */
bool rtnl_queue(struct rtnl *r, const struct plan_deed *deed, uint32_t valid_s);
/* Sends what is queued, and reports each answer: 0 or -errno. */
void rtnl_send(struct rtnl *r, rtnl_answer_fn *answered, void *user);

#endif
