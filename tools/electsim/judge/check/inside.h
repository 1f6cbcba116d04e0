/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside: the inside of the checker. One promise is one function; check.c has the table of them,
 * and what is shown; lead.c what a host was entitled to, told.c what it was told, twice.c that it
 * acts on no datagram twice, sessions.c which sessions it remembers, why.c what reasons it gives,
 * quorum.c that a quorum allows one leader, crash.c that nobody begins to lead beside a demotion
 * that it was told of, carrier.c that nobody begins to lead without a carrier, until.c that nobody
 * begins to before the work of a silent leader must have ended.
 */
#ifndef ELECTSIM_JUDGE_CHECK_INSIDE_H
#define ELECTSIM_JUDGE_CHECK_INSIDE_H

#include "check.h"
#include "electsim/world/election.h"

/* One step of one host, as seen from outside. */
struct check_step {
	const struct elect_view *old, *now; /* before it and after it */
	uint64_t floor;			    /* before it */
	uint64_t at_us;			    /* on the host's own clock */
	enum elect_event_type event;
	const struct elect_msg *heard; /* what a MESSAGE says; else NULL */
};

typedef void check_step_fn(struct sim *s, struct sim_host *h, const struct check_step *step);
/* A datagram that leaves, before the LAN has it. */
typedef void check_sent_fn(
	struct sim *s, struct sim_host *h, const struct elect_msg *m, const struct elect_ways *to);

/* lead.c */
/* Has it shown, in this step, that it does not lead? */
bool check_shown_unled(const struct sim *s, const struct elect_view *now);
/* Has it led that group in this life? */
bool check_has_led(const struct sim_host *h, const struct elect_group *group);
check_step_fn check_demotion, check_entitlement;
check_sent_fn check_goodbye_said, check_formed_how;

/* told.c */
check_step_fn check_unproven, check_goodbye_heard, check_declined, check_heard;
check_sent_fn check_succession, check_named, check_answer_to, check_yield_asked;
/* The host was stalled for `us`. */
void check_placed_later(struct sim_host *h, uint64_t us);

/* sessions.c */
check_step_fn check_sessions;
/* A number for this session as far as this process remembers it. */
uint64_t check_session(struct sim_host *h, const struct wire_header *header);

/* Is it one of those two? Hosts share places, so a host may have lost its own. */
bool check_knows(struct sim_host *h, const struct wire_header *header);
/* Does such a message answer a request? */
bool check_answers(const struct wire_header *h);

/* twice.c */
check_step_fn check_twice;
/* What an insider has signed for later is its word when it is acted on, whoever plays it. */
void check_forgery(struct sim *s, const struct check_step *step);

/* leap.c */
check_step_fn check_leap;
/* Has an answer of that session reported its tops to this host? Those of 0.1 never do. */
bool check_reports(struct sim_host *h, const struct wire_header *header);

/* why.c */
check_step_fn check_reason;

/* health.c: who is sick does not lead. */
check_step_fn check_health;

/* quorum.c: S7. Do all ask for the same quorum, of more than half of all? */
bool check_quorum_promised(const struct sim *s);
/* `before`: how many led before this change. */
void check_two_leaders(struct sim *s, unsigned before);

/* crash.c: who hears a will waits for what acts on that role. */
check_step_fn check_crash_heard, check_crash_waited;
void check_two_acting(struct sim *s);

/* carrier.c: a host that had company does not begin to lead while its last carrier is down. */
check_step_fn check_company, check_carrier;
/* The host had stalled, and threw away what waited in its sockets. */
bool check_thrown_away(const struct sim *s);
void check_company_later(struct sim_host *h, uint64_t us);
/* until.c: what acts on a role has ended before the next one begins. */
check_step_fn check_until_heard, check_until;
check_sent_fn check_until_sent;

/* fail.c */
/* Does an insider speak, or did it three beacons ago at most? */
bool check_insider_excuses(const struct sim *s);
/* Two at a time: for one line of text. */
const char *check_group_text(struct sim *s, const struct elect_group *g);
static inline bool check_reelects(const struct sim_host *h)
{
	return election_framed(h->config.algorithm)->reelects;
}

static inline bool check_coordinates(const struct sim_host *h, const struct elect_group *g)
{
	return elect_id_equal(&g->coordinator, &h->config.id);
}

#endif
