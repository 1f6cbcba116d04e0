/* SPDX-License-Identifier: Apache-2.0 */
/* watch: what the kernel has, from its notifications and dumps. */
#include "inside.h"

#include "program/clock.h"
#include "words/log.h"

#include <linux/rtnetlink.h>
#include <string.h>

enum { STALE_US = 200000 }; /* from a change of links or own addresses until they are read */

static void watch_on_address(void *user, const struct nlmsghdr *message)
{
	struct run *r = user;
	struct message_address at;

	if (message->nlmsg_type != RTM_NEWADDR || !message_read(message, r->rtnl.labels, &at))
		return;
	if (plan_knows(&r->plan, &at.address))
		plan_there(&r->plan, &at, clock_boot_us());
	else if (at.mark != MESSAGE_MARKED)
		sites_own(&r->sites, &at);
}

static void watch_on_link(void *user, const struct nlmsghdr *message)
{
	struct run *r = user;

	if (message->nlmsg_type == RTM_NEWLINK)
		sites_link(&r->sites, message);
}

static void read_kernel(struct run *r)
{
	uint64_t now_us = clock_boot_us();
	int error;

	r->read_us = ELECT_NEVER;
	sites_read(&r->sites);
	plan_read(&r->plan);
	error = rtnl_dump(RTM_GETADDR, watch_on_address, r);
	if (!error)
		error = rtnl_dump(RTM_GETLINK, watch_on_link, r);
	if (error) {
		log_warning(
			"address", "cannot read the addresses of this host: %s", strerror(-error));
		r->read_us = now_us + STALE_US;
		return;
	}
	sites_over(&r->sites);
	plan_read_over(&r->plan, now_us);
	for (unsigned i = 0; i < r->sites.count; i++)
		plan_site(&r->plan, i, &r->sites.list[i].now, now_us);
}

static void watch_on_change(void *user, const struct nlmsghdr *message)
{
	struct run *r = user;
	uint64_t now_us = clock_boot_us();
	struct message_address at;

	if (message->nlmsg_type == RTM_NEWLINK || message->nlmsg_type == RTM_DELLINK)
		run_soon(&r->read_us, now_us + STALE_US);
	if ((message->nlmsg_type != RTM_NEWADDR && message->nlmsg_type != RTM_DELADDR) ||
		!message_read(message, r->rtnl.labels, &at))
		return;
	if (!plan_knows(&r->plan, &at.address)) {
		if (at.mark != MESSAGE_MARKED)
			run_soon(&r->read_us, now_us + STALE_US);
		return;
	}
	if (message->nlmsg_type == RTM_DELADDR)
		plan_gone(&r->plan, &at, message->nlmsg_pid, now_us);
	else
		plan_there(&r->plan, &at, now_us);
}

void watch_kernel(struct run *r)
{
	if (!rtnl_hear(&r->rtnl, watch_on_change, r))
		r->read_us = 0;
	if (clock_boot_us() >= r->read_us)
		read_kernel(r);
}
