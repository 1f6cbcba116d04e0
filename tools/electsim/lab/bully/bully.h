/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bully: Garcia-Molina's bully algorithm (1982), in its form of five messages, a file a procedure.
 *
 *	table.c      which procedure handles which message and timer; the table state × message
 *	order.c      which host is above which; the hosts heard outside of the group
 *	down.c       Down: listen, greet, act
 *	phase.c      the phase of a host's own election
 *	ask.c        AYUp and its answer: is a host above up? (slides 23, 25)
 *	candidate.c  EnterElection, SetCoord, NewState (slides 25, 26)
 *	halted.c     ... as the hosts below handle them (slide 27)
 *	member.c     a member watches its coordinator (slide 23)
 *	coordinator.c  a coordinator watches its members and finds hosts of other groups (slide 24)
 *	says.c       the contents of each message
 *	proof.c      which unverified senders are challenged
 *
 * C1 to C8 are the gaps of the slides (doc/elections.md). Only table.c calls handlers named on_….
 */
#ifndef ELECTSIM_LAB_BULLY_BULLY_H
#define ELECTSIM_LAB_BULLY_BULLY_H

#include "core/frame/algorithm.h"
#include "core/frame/backoff.h"
#include "core/frame/following.h"
#include "core/frame/leave.h"
#include "core/frame/lists.h"
#include "core/frame/role.h"
#include "core/frame/watched.h"
#include "own.h"

extern const struct elect_algorithm bully;

/* order.c */
/* Compares may_lead, priority, id: nothing that an election changes. */
bool order_above(const struct elect_standing *a, const struct elect_standing *b);
bool order_above_me(const struct elect *e, const struct elect_standing *s);
/* Returns how many members are above this host, not counting the lost coordinator. */
unsigned order_rank(const struct elect *e);
/* Returns the range of the random delay of an answer to a message that many hosts receive. */
uint64_t order_spread_us(const struct elect *e, unsigned hosts);
struct bully_heard *order_find(const struct elect *e, const struct elect_id *id);
struct bully_heard *order_heard(struct elect *e, const struct elect_msg *m);
/* A host left the coordinator `id`, which it believes to lead (C8). */
void order_named(struct elect *e, const struct elect_id *id);
void order_later(struct elect *e, uint64_t late_us);
void order_forget(struct elect *e, const struct elect_id *id);
bool order_fresh(const struct elect *e, uint64_t us);
bool order_leads(const struct elect *e, const struct bully_heard *h);
bool order_rival(const struct elect *e);
bool order_member_above_me(const struct elect *e, const struct elect_member *m);

/* down.c */
void down_listen(struct elect *e);
void down_on_carrier(struct elect *e);
bool down_held(const struct elect *e);
void down_heard(struct elect *e, const struct elect_standing *s);
void down_wait(struct elect *e, unsigned beacons);
void down_on_beacon(struct elect *e, const struct elect_msg *m);
void down_on_timer_greet(struct elect *e);
void down_on_timer_start(struct elect *e);

/* phase.c */
void bully_phase(struct elect *e, enum bully_phase phase, uint64_t us);
uint64_t phase_window_us(const struct elect *e);
void phase_wait(struct elect *e);
void phase_enter_election(struct elect *e, const struct elect_group *group);
void phase_on_timer_repeat(struct elect *e);
void phase_on_timer_window(struct elect *e);

/* ask.c */
bool bully_ask_may(const struct elect *e);
void bully_ask_begin(struct elect *e);
void bully_ask_say(struct elect *e);
void bully_ask_on_ayup(struct elect *e, const struct elect_msg *m);
void bully_ask_answer(struct elect *e, const struct elect_msg *m);
void bully_ask_on_timer_askers(struct elect *e);
void bully_ask_on_answer(struct elect *e, const struct elect_msg *m);

/* candidate.c */
void candidate_call(struct elect *e);
void candidate_again(struct elect *e);
void candidate_say(struct elect *e);
bool candidate_is_set(const struct elect *e, unsigned member);
void candidate_window(struct elect *e);
void candidate_on_halted(struct elect *e, const struct elect_msg *m);
void candidate_on_adopted(struct elect *e, const struct elect_msg *m);
void candidate_on_listed(struct elect *e);

/* halted.c */
void halted_on_call(struct elect *e, const struct elect_msg *m);
bool halted_follows(const struct elect *e, const struct elect_msg *m);
bool halted_answers(const struct elect *e, const struct elect_msg *m);
void halted_on_set(struct elect *e, const struct elect_msg *m);
void halted_on_list(struct elect *e, const struct elect_msg *m);
void halted_heard(struct elect *e);
void halted_on_timer_halted(struct elect *e);
void halted_on_timer_adopted(struct elect *e);
void halted_on_timer_stuck(struct elect *e);

/* member.c */
void member_begin(struct elect *e);
void member_heard(struct elect *e);
bool member_suspects(const struct elect *e);
bool member_spoken_for(const struct elect *e, const struct elect_standing *s);
bool member_silent(const struct elect *e);
void member_probe(struct elect *e);
void member_tell(struct elect *e);
uint64_t member_turn_us(const struct elect *e);
void member_on_beacon(struct elect *e, const struct elect_msg *m);
void member_on_goodbye(struct elect *e, const struct elect_msg *m);
void member_on_timer_yes(struct elect *e);
void member_on_timer_routine(struct elect *e);
void member_on_timer_watch(struct elect *e);
void member_because(struct elect *e);

/* coordinator.c */
void coordinator_beacon(struct elect *e);
void coordinator_form_anew(struct elect *e);
void coordinator_ask(struct elect *e, unsigned member);
void coordinator_ask_all(struct elect *e);
void coordinator_show(struct elect *e);
bool coordinator_leaves_alone(const struct elect *e, const struct elect_msg *m);
void coordinator_answer_stranger(struct elect *e, const struct elect_msg *m);
void coordinator_on_foreign_beacon(struct elect *e, const struct elect_msg *m);
void coordinator_on_answer(struct elect *e, const struct elect_msg *m);
void coordinator_on_list_answer(struct elect *e, const struct elect_msg *m);
bool coordinator_lost(struct elect *e, unsigned member);
void coordinator_ask_to_yield(struct elect *e, struct bully_heard *h);
bool coordinator_yield_first(struct elect *e, struct bully_heard *h, unsigned *asked);
void coordinator_yielded(struct elect *e);
void coordinator_on_timer_beacon(struct elect *e);
void coordinator_on_timer_gather(struct elect *e);

/* says.c */
void says_message(const struct elect *e, const struct elect_send *s, struct elect_msg *m);
bool says_still_true(const struct elect *e, const struct elect_send *s);

/* proof.c */
enum elect_worth proof_worth(
	const struct elect *e, const struct elect_msg *m, uint64_t *ret_within_us);

#endif
