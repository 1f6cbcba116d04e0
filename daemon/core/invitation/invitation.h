/* SPDX-License-Identifier: Apache-2.0 */
/*
 * invitation: Garcia-Molina's invitation algorithm, a file a procedure.
 *
 *	table.c       which procedure handles which message and timer; the table state × message
 *	start.c       4.1 Down: listen, say Hello, act when nobody leads
 *	check.c       4.2 AYCoord and its answers: who else coordinates, whose turn it is (slide 35)
 *	merge.c       4.2 the election of an inviter: Invitation, Accept, Ready (slide 38)
 *	join.c        4.2 newcomers into the existing group
 *	listed.c      Ready and its answer: what a list says of this host, who has it (slide 40)
 *	invited.c     4.3 being invited (slide 39)
 *	watch.c       4.4 a member asks and answers its coordinator (slide 37)
 *	suspicion.c       4.10 a beacon is overdue: is its host silent?
 *	members.c     4.4 a coordinator answers its members
 *	succession.c  4.5 the coordinator is gone
 *	compose.c     what each of its messages carries
 *	worth.c       which senders that are not proven are asked to prove themselves
 *
 * Handlers named on_… are reached from table.c only.
 */
#ifndef ELECTD_CORE_INVITATION_H
#define ELECTD_CORE_INVITATION_H

#include "core/frame/algorithm.h"
#include "core/frame/backoff.h"
#include "core/frame/following.h"
#include "core/frame/leave.h"
#include "core/frame/lists.h"
#include "core/frame/role.h"
#include "core/frame/until.h"
#include "core/frame/watched.h"
#include "own.h"

/* start.c */
void start_listen(struct elect *e);
uint64_t start_timeout_us(const struct elect *e);
void start_on_hello(struct elect *e, const struct elect_msg *m);
bool start_follows(const struct elect *e, const struct elect_msg *m);
void start_on_coordinator(struct elect *e, const struct elect_msg *m);
void start_on_carrier(struct elect *e);
void start_on_timer_hello(struct elect *e);
void start_on_timer_start(struct elect *e);

/* check.c */
void check_beacon(struct elect *e);
void check_ask(struct elect *e, unsigned member);
void check_on_aycoord(struct elect *e, const struct elect_msg *m);
void check_on_aycoord_answer(struct elect *e, const struct elect_msg *m);
void check_on_timer_beacon(struct elect *e);
bool check_rival(const struct elect *e);
void check_on_timer_rank(struct elect *e);
uint64_t check_step_us(const struct elect *e);
/* Reports of broken links that nobody repeats. */
void check_expire(struct elect *e);
void check_later(struct elect *e, uint64_t late_us);
void check_forget(struct elect *e, const struct elect_id *id);
void check_foreign(struct elect *e, const struct elect_id *id, const char *name,
	const struct elect_id *heard_by);

/* merge.c */
void merge_begin(struct elect *e, enum elect_invite invite, enum elect_loss loss,
	const struct elect_invited *groups, unsigned groups_count, unsigned expected);
void merge_own(struct elect *e, unsigned newcomers);
void merge_again(struct elect *e);
void merge_on_accept(struct elect *e, const struct elect_msg *m);
void merge_on_decline(struct elect *e, const struct elect_msg *m);
void merge_on_ready_answer(struct elect *e);
void merge_on_timer_invite(struct elect *e);
void merge_on_timer_window(struct elect *e);

/* join.c */
void join_want(struct elect *e, const struct elect_group *group, uint64_t floor,
	const struct elect_id *id);
void join_on_hello(struct elect *e, const struct elect_msg *m);
void join_on_accept(struct elect *e, const struct elect_msg *m);
void join_on_timer(struct elect *e);
/* Those who were about to join, in `next`, ask again. */
void join_begin(struct elect *e);
void join_forget(struct elect *e);
bool join_fits(const struct elect *e, uint64_t floor);

/* listed.c */
void listed_on_ready(struct elect *e, const struct elect_msg *m);
/* Is the sender of this list, which is not verified, to be challenged? */
enum elect_worth listed_worth(const struct elect *e, const struct elect_msg *m);
void listed_on_ready_answer(struct elect *e, const struct elect_msg *m);

/* invited.c */
void invited_yielded(struct elect *e);
void invited_on_invitation(struct elect *e, const struct elect_msg *m);
enum elect_worth invited_worth(const struct elect *e, const struct elect_msg *m);
void invited_late(struct elect *e, const struct elect_msg *beacon);
void invited_again(struct elect *e, const struct elect_transaction *transaction);
void invited_heard(struct elect *e);
void invited_give_up(struct elect *e, bool inviter_dead);
void invited_on_accept_answer(struct elect *e, const struct elect_msg *m);
void invited_on_timer_answer(struct elect *e);
void invited_on_timer_await(struct elect *e);
void invited_on_timer_forward(struct elect *e);

/* watch.c */
void watch_begin(struct elect *e);
void watch_ask(struct elect *e);
void watch_heard(struct elect *e);
void watch_on_beacon(struct elect *e, const struct elect_msg *m);
void watch_on_hello(struct elect *e, const struct elect_msg *m);
bool watch_asks(const struct elect *e);
void watch_on_challenge_answer(struct elect *e, const struct elect_msg *m);
void watch_on_aythere_answer(struct elect *e, const struct elect_msg *m);
enum elect_reason watch_resigned(const struct elect *e, uint8_t priority);
void watch_on_goodbye(struct elect *e, const struct elect_msg *m);
/* Asks my coordinator, by AYThere, whether it lives. */
void watch_probe(struct elect *e);
void watch_tell(struct elect *e);
void watch_on_timer_aythere(struct elect *e);
void watch_on_timer_watch(struct elect *e);
void watch_on_timer_yes(struct elect *e);

/* suspicion.c */
void suspicion_begin(struct elect *e);
void suspicion_beacon(struct elect *e, const struct elect_msg *m);
void suspicion_answered(struct elect *e, uint64_t next_us);
bool suspicion_overdue(const struct elect *e);
void suspicion_later(struct elect *e, uint64_t late_us);
void suspicion_on_aythere(struct elect *e, const struct elect_msg *m);
void suspicion_on_aythere_answer(struct elect *e, const struct elect_msg *m);
void suspicion_on_echo(struct elect *e, const struct elect_id *id);
void suspicion_on_timer(struct elect *e);

/* members.c */
void members_on_aythere(struct elect *e, const struct elect_msg *m);
void members_on_yes(struct elect *e, const struct elect_msg *m);
bool members_lost(struct elect *e, unsigned member);
void members_ask_all(struct elect *e);

/* succession.c */
unsigned succession_rank(const struct elect *e);
uint64_t succession_wait_us(const struct elect *e);
void succession_act(struct elect *e);
void succession_alone(struct elect *e);

/* compose.c */
void compose_message(const struct elect *e, const struct elect_send *s, struct elect_msg *m);
bool compose_still_true(const struct elect *e, const struct elect_send *s);

/* worth.c */
enum elect_worth worth_of(
	const struct elect *e, const struct elect_msg *m, uint64_t *ret_within_us);

#endif
