/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table: the row of bully. For now it is Down and stays so: nobody leads by it.
 */
#include "core/frame/algorithm.h"

static void nothing(struct elect *e)
{
	(void)e;
}

static void ask(struct elect *e, unsigned member)
{
	(void)e;
	(void)member;
}

static void later(struct elect *e, uint64_t late_us)
{
	(void)e;
	(void)late_us;
}

static bool no(const struct elect *e)
{
	(void)e;
	return false;
}

static void compose(const struct elect *e, const struct elect_send *s, struct elect_msg *m)
{
	(void)e;
	(void)s;
	(void)m;
}

static bool still_true(const struct elect *e, const struct elect_send *s)
{
	(void)e;
	(void)s;
	return false;
}

static enum elect_worth worth(
	const struct elect *e, const struct elect_msg *m, uint64_t *ret_within_us)
{
	(void)e;
	(void)m;
	*ret_within_us = 0;
	return ELECT_WORTH_NOTHING;
}

static void unproven_hello(struct elect *e, const struct elect_msg *m)
{
	(void)e;
	(void)m;
}

static void rekeyed(struct elect *e, const struct elect_rekeyed *r)
{
	(void)e;
	(void)r;
}

static void echoed(struct elect *e, const struct elect_id *id)
{
	(void)e;
	(void)id;
}

const struct elect_algorithm bully = {
	.name = "bully",
	.number = 1,
	.in_daemon = false,
	.begin = elect_no_group,
	.rival = no,
	.announce = nothing,
	.ask = ask,
	.recheck = nothing,
	.later = later,
	.carrier = nothing,
	.withdraw = elect_no_group,
	.yielded = nothing,
	.tell = nothing,
	.rekeyed = rekeyed,
	.echoed = echoed,
	.list = ELECT_NEWSTATE,
	.list_answer = ELECT_NEWSTATE_ANSWER,
	.edit = nothing,
	.listed = nothing,
	.compose = compose,
	.still_true = still_true,
	.worth = worth,
	.unproven_hello = unproven_hello,
	.enter_from = { [ELECT_DOWN] = 1 << ELECT_DOWN },
};
