/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site: which interface gets an address: the one that the configuration names, else the one whose
 * own addresses have a subnet that holds the address. Pure.
 *
 *	sites_read()	the kernel's addresses and then its links follow
 *	sites_own()	an address that is the host's own
 *	sites_link()	a link
 *	sites_over()	the result is in `now`
 *
 * An address without a subnet stays on the interface where it was, as long as that exists: after a
 * flush, the host's own address may come back later than ours.
 */
#ifndef ELECTD_ADDRESS_SITE_H
#define ELECTD_ADDRESS_SITE_H

#include "conf/conf.h"
#include "message.h"
#include "plan.h"

/* One address that wants an interface. */
struct site {
	struct elect_address address;
	uint8_t prefix; /* of its subnet, if the configuration gives it; 0: not given */
	char interface[CONF_INTERFACE_MAX + 1]; /* empty: by the subnet */
	struct plan_site now;
	/* While it is being read. */
	struct plan_site next, last; /* `last`: that of `now`, if it still exists */
	unsigned bits;		     /* of the subnet of `next` */
};

struct sites {
	unsigned count;
	struct site list[PLAN_MAX];
};

/* Replaces the addresses, but keeps the interface of those that stay. */
void sites_want(struct sites *s, const struct site *list, unsigned count);

void sites_read(struct sites *s);
void sites_own(struct sites *s, const struct message_address *own);
/* `message`: an RTM_NEWLINK. */
void sites_link(struct sites *s, const struct nlmsghdr *message);
void sites_over(struct sites *s);

/* Returns whether the link of that message has this MAC address. */
bool site_link_has(const struct nlmsghdr *message, const uint8_t mac[6]);

#endif
