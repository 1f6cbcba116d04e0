/* SPDX-License-Identifier: Apache-2.0 */
/* claim: other machines that claim an address. */
#include "inside.h"

#include "program/clock.h"
#include "words/log.h"

#include <linux/rtnetlink.h>
#include <string.h>

enum {
	LOOKS_MAX = 10, /* in a second, whether a MAC address is this host's */
	LOOKS_US = 1000000,
	CLAIM_AGAIN_US = 500000, /* the same claim again */
};

struct look {
	const uint8_t *mac;
	bool found;
};

static void claim_on_own_link(void *user, const struct nlmsghdr *message)
{
	struct look *look = user;

	look->found = look->found ||
		(message->nlmsg_type == RTM_NEWLINK && site_link_has(message, look->mac));
}

/* Another interface of this host may be on the same LAN. In a flood of claims, most are ignored. */
static bool is_own(struct run *r, const struct plan_row *row, const uint8_t mac[6], uint64_t now_us)
{
	struct look look = { .mac = mac };

	if (!memcmp(mac, row->site.mac, sizeof(row->site.mac)))
		return true;
	if (now_us - r->looks_us >= LOOKS_US) {
		r->looks_us = now_us;
		r->looks = 0;
	}
	if (r->looks == LOOKS_MAX)
		return true;
	r->looks++;
	return rtnl_dump(RTM_GETLINK, claim_on_own_link, &look) || look.found;
}

/* electd forgets the report when the role has ended; before the scripts are done, it refuses it. */
static void hand_over(struct run *r)
{
	const struct electd_report report = {
		.size = sizeof(report),
		.name = "address",
		.words = "another machine claims an address",
		.leading = true,
	};

	electd_report(r->electd, &report);
}

static bool is_told(const struct plan_row *row, const uint8_t mac[6], uint64_t now_us)
{
	return row->conflict_us && now_us - row->conflict_us < CLAIM_AGAIN_US &&
		!memcmp(mac, row->conflict_mac, sizeof(row->conflict_mac));
}

static void claim_on_claim(
	void *user, const struct elect_address *address, unsigned ifindex, const uint8_t mac[6])
{
	struct run *r = user;
	uint64_t now_us = clock_boot_us();

	for (unsigned i = 0; i < r->plan.count; i++) {
		struct plan_row *row = &r->plan.rows[i];

		if (row->site.ifindex != ifindex || !elect_address_equal(&row->address, address) ||
			is_told(row, mac, now_us) || is_own(r, row, mac, now_us))
			continue;
		if (plan_conflict(&r->plan, i, mac, now_us) && r->settings.resigns &&
			plan_is_contested(&r->plan, i, now_us))
			hand_over(r);
	}
}

void claim_hear(struct run *r, int fd)
{
	announce_hear(fd, claim_on_claim, r);
}

void claim_listen_no_more(struct run *r)
{
	for (unsigned i = 0; i < ANNOUNCE_FAMILIES; i++) {
		if (r->heard[i])
			event_free(r->heard[i]);
		r->heard[i] = NULL;
	}
	announce_close(&r->announce);
	r->listens = false;
}

static void open_sockets(struct run *r, event_callback_fn heard)
{
	struct elect_address list[PLAN_MAX];
	int error;

	for (unsigned i = 0; i < r->plan.count; i++)
		list[i] = r->plan.rows[i].address;
	error = announce_open(&r->announce, list, r->plan.count);
	if (error)
		log_warning("address", "addresses are not announced: %s", strerror(-error));
	for (unsigned i = 0; i < ANNOUNCE_FAMILIES; i++) {
		if (r->announce.fds[i] < 0)
			continue;
		r->heard[i] =
			event_new(r->base, r->announce.fds[i], EV_READ | EV_PERSIST, heard, r);
		if (r->heard[i])
			event_add(r->heard[i], NULL);
	}
}

/* While this host does not lead, frames cost nothing. */
void claim_listen(struct run *r, event_callback_fn heard)
{
	if (!r->plan.hold && r->listens)
		claim_listen_no_more(r);
	if (!r->plan.hold || r->listens)
		return;
	r->listens = true;
	open_sockets(r, heard);
}
