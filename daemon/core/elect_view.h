/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elect_view: what a caller may ask about a host between two steps: its view, members, health,
 * keys.
 *
 * Each function reads the state after the last step and changes nothing. None of them decides
 * anything in the election. Times and units are those of elect.h.
 */
#ifndef ELECTD_CORE_ELECT_VIEW_H
#define ELECTD_CORE_ELECT_VIEW_H

#include "elect.h"

void elect_view(const struct elect *e, struct elect_view *ret_view);
/* Has `b` news for a reader that knows `a`? A change of the reason alone is not news. */
bool elect_view_differs(const struct elect_view *a, const struct elect_view *b);

/* One member, with what only status outputs need. */
struct elect_member_info {
	struct elect_member member;
	unsigned rank;		/* 0: the coordinator */
	bool silent;		/* suspected: it has not answered a probe */
	uint64_t last_heard_us; /* 0: not known; only the coordinator knows it */
};
unsigned elect_members_count(const struct elect *e);
/* Is that host on the membership list? */
bool elect_lists(const struct elect *e, const struct elect_id *id);
/* The member of that rank, which must be below elect_members_count(). */
void elect_member_at(const struct elect *e, unsigned rank, struct elect_member_info *ret_info);

/*
 * Returns the moment, on the clock of the steps, until which work for this host's role may go on if
 * this host sends nothing more; 0: this host does not lead. The work then has *ret_ending_us
 * microseconds to end (set for 0 too), and no member that heard this host's last beacon begins to
 * lead before those have passed (until.md). Ask when the actions of a step are carried out, because
 * the beacon counts that this step has sent, and after each step, because the moment can become
 * earlier, for example when a member with a shorter dead_after joins.
 */
uint64_t elect_until(const struct elect *e, uint64_t *ret_ending_us);

/* The demotion under way: when RELEASE began it, and when it ends at the latest. False: none. */
bool elect_demotes(const struct elect *e, uint64_t *ret_since_us, uint64_t *ret_until_us);
/*
 * The strongest reason for which this host does not lead, and the moment until which it holds;
 * ELECT_NEVER: until an event ends it. ELECT_BAR_NONE: it leads, or it may lead. Bars that do not
 * concern other hosts are reported of a coordinator in Normal only.
 */
enum elect_bar elect_bar(const struct elect *e, uint64_t *ret_until_us);
/* Until when this host does not lead because it has resigned or was sick; 0: it is not barred. */
uint64_t elect_barred_until(const struct elect *e);

/* ---- health (health.md) ---- */

enum elect_health { ELECT_HEALTH_UNKNOWN, ELECT_HEALTH_WELL, ELECT_HEALTH_SICK, ELECT_HEALTHS };

/* The reports about one name so far. */
struct elect_reported {
	char name[ELECT_NAME_MAX + 1];
	char words[ELECT_WORDS_MAX + 1]; /* of the last report, or a text about its absence */
	enum elect_health health;
	bool required;
	bool leading;
	bool silent; /* no report came for stale_us: the next one decides at once */
	unsigned fall, rise;
	unsigned bad, good; /* reports in a row, up to the last one */
	uint64_t stale_us;
	uint64_t since_us; /* when it became well, sick or unknown */
	uint64_t heard_us; /* when the last report came; 0: never */
};

/* Does this name keep the host from leading? It does if it is sick, or required and unknown. */
bool elect_reported_bars(const struct elect_reported *r);
unsigned elect_reported_count(const struct elect *e);
/* `index` is below elect_reported_count(). The rows lie in one array, valid until the next step. */
const struct elect_reported *elect_reported_at(const struct elect *e, unsigned index);

enum elect_report_verdict {
	ELECT_REPORT_TAKEN,
	ELECT_REPORT_FULL,	  /* ELECT_REPORTS_MAX other names exist */
	ELECT_REPORT_REQUIRED,	  /* a required name is judged on every host: not `leading` */
	ELECT_REPORT_NOT_LEADING, /* such a name is judged on a leader only, after its promotion */
	ELECT_REPORT_NONE,	  /* there is nothing to forget */
	ELECT_REPORT_VERDICTS
};

/* This host leads and work for its role has begun, so `leading` names are judged. */
bool elect_promoted(const struct elect *e);
enum elect_report_verdict elect_report_judge(const struct elect *e, const struct elect_report *r);

/* Why this host, or one on the list, may not lead. False: it may, or has not reported why. */
bool elect_why_not(const struct elect *e, const struct elect_id *id, struct elect_why_not *ret_why);
const char *elect_health_name(enum elect_health h);

/* The host that never acknowledges the membership list that it is sent; NULL: there is none. */
const struct elect_id *elect_untaken(const struct elect *e);

/* When the last beacon of the coordinator was heard; 0: this host waits for none. */
uint64_t elect_heard_us(const struct elect *e);

/* The coordinator whose group this host cannot adopt yet because its own counter is too low, and
   the microseconds until it can at the latest. False: there is none. */
bool elect_catching_up(const struct elect *e, struct elect_id *ret_id, uint64_t *ret_left_us);

/* The sender of the datagram that last advanced the counter faster than elections do. It may only
   have passed on what it heard from another host. False: there was none. */
bool elect_advancer(const struct elect *e, struct elect_id *ret_id);

/* ---- keys: the barrier of a roll-out (keys.md) ---- */

const struct elect_keys *elect_keys(const struct elect *e);

/*
 * The keys in use in the group of this host: a row for each key that a member accepts or sends. A
 * key that all members accept has 0 `lacking`; one that no member sends has 0 `sending`; a key
 * without a row is accepted by no member. False: this host is in no group, or its coordinator has
 * not reported since the list last changed; the table then has the keys of this host alone.
 */
bool elect_keys_report(const struct elect *e, struct elect_key_table *ret_table);

enum elect_keys_step {
	ELECT_KEYS_FREE,
	ELECT_KEYS_UNKNOWN,	 /* the keys of the other hosts are not known now */
	ELECT_KEYS_NOT_ACCEPTED, /* it would send with a key that a member does not accept */
	ELECT_KEYS_STILL_SENT,	 /* it would not accept a key that a member sends */
	ELECT_KEYS_STEPS
};

/* Why a step is refused: the key, how many other hosts stand in the way, and some of them by id. */
struct elect_keys_refusal {
	struct elect_key key;
	uint16_t hosts;
	unsigned named_count;
	struct elect_id named[ELECT_KEY_LAGS];
};

/* May this host change from its keys to `next` while all members go on understanding each other?
   Changes nothing. *ret_refusal is written only if the step is refused. */
enum elect_keys_step elect_keys_step(const struct elect *e, const struct elect_keys *next,
	struct elect_keys_refusal *ret_refusal);

/* The broken pairs that this host knows (ELECT_PROBLEM_BROKEN_LINKS), by index from 0. */
unsigned elect_foreign_count(const struct elect *e);
void elect_foreign_at(const struct elect *e, unsigned index, struct elect_foreign *ret_foreign);

/* The name of a host that is listed or was heard lately, valid until the next step; or NULL. */
const char *elect_name(const struct elect *e, const struct elect_id *id);

/* Returns the size of the definition. *ret_bytes is valid until the next step. */
size_t elect_definition(const struct elect *e, const uint8_t **ret_bytes);

const struct elect_config *elect_config(const struct elect *e);
uint64_t elect_counter(const struct elect *e);
uint64_t elect_floor(const struct elect *e); /* the minimum token */
uint64_t elect_incarnation(const struct elect *e);
/* The later start of this host that host *ret_by knows, so that the state here is old; or 0. */
uint64_t elect_known(const struct elect *e, struct elect_id *ret_by);
/* How many times a member reported an outdated list or definition and was sent the right one. */
uint64_t elect_list_repairs(const struct elect *e);

#endif
