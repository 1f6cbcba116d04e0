/* SPDX-License-Identifier: Apache-2.0 */
/* machine: a network namespace of this process with the links a0 and a1, and its own addresses. */
#ifndef ELECTD_TEST_ADDRESS_MACHINE_H
#define ELECTD_TEST_ADDRESS_MACHINE_H

#include "address/rtnl.h"

#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { SKIPPED = 77 };

/* 0, or 77 where no namespace may be made. */
static inline int machine_make(void)
{
	if (unshare(CLONE_NEWNET) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0)
		return SKIPPED;
	return system("ip link add a0 type veth peer name a1 2>/dev/null && "
		      "ip link set a0 up && ip link set a1 up && "
		      "ip addr add 192.0.2.1/24 dev a0")
		? SKIPPED
		: 0;
}

static inline struct message_address machine_at(const char *text)
{
	struct message_address a = { .ifindex = if_nametoindex("a0") };

	assert_true(message_parse(text, &a.address));
	a.prefix = message_full(&a.address);
	return a;
}

struct machine_search {
	struct message_address wanted, found;
	bool is_there;
};

static inline void machine_look(void *user, const struct nlmsghdr *message)
{
	struct machine_search *s = user;
	struct message_address a;

	if (message->nlmsg_type != RTM_NEWADDR || !message_read(message, false, &a) ||
		!elect_address_equal(&a.address, &s->wanted.address))
		return;
	s->found = a;
	s->is_there = true;
}

/* Returns whether the kernel has the address, and how. */
static inline bool machine_has(const char *text, struct message_address *ret)
{
	struct machine_search s = { .wanted = machine_at(text) };

	assert_int_equal(rtnl_dump(RTM_GETADDR, machine_look, &s), 0);
	if (ret)
		*ret = s.found;
	return s.is_there;
}

#endif
