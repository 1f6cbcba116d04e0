/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside: the functions of the checker, one per promise; check.c has their table, and the promises
 * on views. lead.c: entitlement to lead; told.c: effects of datagrams; twice.c: no datagram is
 * acted on twice; leap.c: nor one far ahead; sessions.c: remembered sessions; why.c: reasons;
 * quorum.c: a quorum allows one leader; crash.c, carrier.c, health.c, until.c: when a host must not
 * begin to lead.
 */
#ifndef ELECTSIM_JUDGE_CHECK_INSIDE_H
#define ELECTSIM_JUDGE_CHECK_INSIDE_H

#include "check.h"
#include "electsim/world/election.h"

/* One step of one host, seen from outside. */
struct check_step {
	const struct elect_view *old, *now; /* before and after the step */
	uint64_t floor;			    /* before the step */
	uint64_t at_us;			    /* on the host's own clock */
	enum elect_event_type event;
	const struct elect_msg *heard; /* its message, or NULL */
};

typedef void check_step_fn(struct sim *s, struct sim_host *h, const struct check_step *step);
/* Checks a datagram before the LAN has it. */
typedef void check_sent_fn(
	struct sim *s, struct sim_host *h, const struct elect_msg *m, const struct elect_ways *to);

/* lead.c: did this step show that the host does not lead? */
bool check_shown_unled(const struct sim *s, const struct elect_view *now);
/* Has it led that group in this life? */
bool check_has_led(const struct sim_host *h, const struct elect_group *group);
check_step_fn check_demotion, check_entitlement, check_address_freed;
check_sent_fn check_goodbye_said, check_formed_how;

check_step_fn check_unproven, check_goodbye_heard, check_declined, check_heard;
check_sent_fn check_succession, check_named, check_answer_to, check_yield_asked;
/* told.c: call after a stall of `us`. */
void check_placed_later(struct sim_host *h, uint64_t us);

check_step_fn check_sessions;
/* sessions.c: a number for this session, for as long as this process remembers the session. */
uint64_t check_session(struct sim_host *h, const struct wire_header *header);

/* Is the session one of the last two? Hosts share places, so a host may have lost its own. */
bool check_knows(struct sim_host *h, const struct wire_header *header);
/* Is such a message an answer? */
bool check_answers(const struct wire_header *h);

check_step_fn check_twice;
/* twice.c: notes that the host acts on a datagram that an insider made. */
void check_forgery(struct sim *s, const struct check_step *step);

check_step_fn check_leap;
/* leap.c: has an answer of that session reported its tops to this host? One of 0.1 never does. */
bool check_reports(struct sim_host *h, const struct wire_header *header);

check_step_fn check_reason;

check_step_fn check_health;

/* quorum.c: S7. Do all hosts ask for the same quorum, of more than half of all? */
bool check_quorum_promised(const struct sim *s);
/* `before`: the number of leaders before this change. */
void check_two_leaders(struct sim *s, unsigned before);

check_step_fn check_crash_heard, check_crash_waited;
void check_two_acting(struct sim *s);

check_step_fn check_company, check_carrier;
/* carrier.c: did the stalled host discard what waited in its sockets? */
bool check_thrown_away(const struct sim *s);
void check_company_later(struct sim_host *h, uint64_t us);
check_step_fn check_until_heard, check_until;
/* Does a quorum bind members, so that no work of two leaders overlaps, whatever was heard? */
bool check_quorum_binds(const struct sim *s);
/*
 * Did it hear a beacon of its group, or the list that admits it? The time of a newcomer begins with
 * that list, because the coordinator may stall before its beacon. A member that lost that beacon
 * counts from the one before, whatever list it has received.
 */
bool check_counts_from(const struct check_step *step);
check_sent_fn check_until_sent;

/* fail.c: does an insider speak, or did it at most three beacons ago? */
bool check_insider_excuses(const struct sim *s);
/* At most two results are valid at a time: for one line of text. */
const char *check_group_text(struct sim *s, const struct elect_group *g);
static inline bool check_reelects(const struct sim_host *h)
{
	return election_framed(h->config.algorithm)->reelects;
}

/* lead.c: its own link has worked, apart from its coordinator, since any other host was heard. */
bool check_link_lived(const struct sim_host *h);

static inline bool check_coordinates(const struct sim_host *h, const struct elect_group *g)
{
	return elect_id_equal(&g->coordinator, &h->config.id);
}

#endif
