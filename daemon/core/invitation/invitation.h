/* SPDX-License-Identifier: Apache-2.0 */
/*
 * invitation: Garcia-Molina's invitation algorithm, one file for each procedure.
 *
 *	table.c       which procedure handles which message and timer; the table state x message
 *	start.c       Down: listen, send Hello, act if no host leads
 *	check.c       AYCoord and its answers: other coordinators, and whose turn it is (slide 35)
 *	merge.c       the election of an inviter: Invitation, Accept, Ready (slide 38)
 *	join.c        newcomers join the existing group
 *	listed.c      Ready and its answer: what a list means to this host, who has it (slide 40)
 *	invited.c     an Invitation has come (slide 39)
 *	watch.c       a member asks and answers its coordinator (slide 37)
 *	suspicion.c   a beacon is overdue: is the coordinator's host silent?
 *	members.c     a coordinator answers its members
 *	succession.c  the coordinator is gone
 *	compose.c     the contents of each message
 *	worth.c       which unverified senders are challenged
 *
 * The frame reaches this folder only through the row `invitation` of table.c. Functions named
 * ..._on_... handle messages and timers. Messages are verified; only start_on_hello() takes
 * unverified ones, too (F8). compose.c and worth.c read the state and change nothing. Other
 * functions may change state and group, and report no errors. Times are microseconds.
 */
#ifndef ELECTD_CORE_INVITATION_H
#define ELECTD_CORE_INVITATION_H

#include "core/frame/algorithm.h"
#include "core/frame/backoff.h"
#include "core/frame/following.h"
#include "core/frame/leave.h"
#include "core/frame/lists.h"
#include "core/frame/role.h"
#include "core/frame/spare.h"
#include "core/frame/until.h"
#include "core/frame/watched.h"
#include "own.h"

/* start.c */
/* To Down, without a group: listens as after a start. */
void start_listen(struct elect *e);
/* The moment up to which a Down host waits for an invitation, at most. */
uint64_t start_until_us(const struct elect *e);
void start_on_hello(struct elect *e, const struct elect_msg *m);
/* Returns whether a Down host waits for an invitation of the sender. */
bool start_follows(const struct elect *e, const struct elect_msg *m);
void start_on_coordinator(struct elect *e, const struct elect_msg *m);
void start_on_carrier(struct elect *e);
void start_on_timer_hello(struct elect *e);
void start_on_timer_start(struct elect *e);

/* check.c */
/* Sends an AYCoord to all, and sets the timer for the next one. */
void check_beacon(struct elect *e);
/* Members of a group of `count` hosts, this one included, have fallen silent. */
void check_miss(struct elect *e, unsigned count);
/* A member asks whether this host lives. */
void check_asked(struct elect *e);
/* Repeats the AYCoord to one member. */
void check_ask(struct elect *e, unsigned member);
void check_on_aycoord(struct elect *e, const struct elect_msg *m);
void check_on_aycoord_answer(struct elect *e, const struct elect_msg *m);
void check_on_timer_beacon(struct elect *e);
bool check_rival(const struct elect *e);
void check_on_timer_rank(struct elect *e);
/* The time that a host leaves to each better one. */
uint64_t check_step_us(const struct elect *e);
/* Forgets reports of broken links that no host repeats. */
void check_expire(struct elect *e);
void check_later(struct elect *e, uint64_t late_us);
/* The host is no coordinator any more, or its session is lost: forgets it as one. */
void check_forget(struct elect *e, const struct elect_id *id);
/* Notes a broken pair: `heard_by` hears the coordinator `id`, and the two do not merge (F1). */
void check_foreign(struct elect *e, const struct elect_id *id, const char *name,
	const struct elect_id *heard_by);

/* merge.c */
/*
 * Begins an election that invites `groups` (and, in a succession, the old list), with at most
 * `expected` Accepts. Only if counter_can_form().
 */
void merge_begin(struct elect *e, enum elect_invite invite, enum elect_loss loss,
	const struct elect_invited *groups, unsigned groups_count, unsigned expected);
/* Forms the own group again under another token, with that many newcomers. */
void merge_own(struct elect *e, unsigned newcomers);
/* Begins the election under way once more: above a Decline's counter, or after a stall. */
void merge_again(struct elect *e);
void merge_on_accept(struct elect *e, const struct elect_msg *m);
void merge_on_decline(struct elect *e, const struct elect_msg *m);
void merge_on_ready_answer(struct elect *e);
void merge_on_timer_invite(struct elect *e);
void merge_on_timer_window(struct elect *e);

/* join.c */
/* Invites a newcomer into the present group. `group`: its group of one; NULL: it is Down. */
void join_want(struct elect *e, const struct elect_group *group, uint64_t floor,
	const struct elect_id *id);
void join_on_hello(struct elect *e, const struct elect_msg *m);
void join_on_accept(struct elect *e, const struct elect_msg *m);
void join_on_timer(struct elect *e);
/* The group is Normal: hosts that accepted too late for its first list join it. */
void join_begin(struct elect *e);
/* Drops the join under way. */
void join_forget(struct elect *e);
/* Returns whether a host with that floor may join the present group (M4). */
bool join_fits(const struct elect *e, uint64_t floor);

/* listed.c */
void listed_on_ready(struct elect *e, const struct elect_msg *m);
/* Returns whether the unverified sender of this list is to be challenged. */
enum elect_worth listed_worth(const struct elect *e, const struct elect_msg *m);
void listed_on_ready_answer(struct elect *e, const struct elect_msg *m);

/* invited.c */
/* The demotion that an inviter asked for is over: answers that inviter. */
void invited_yielded(struct elect *e);
void invited_on_invitation(struct elect *e, const struct elect_msg *m);
/* Returns whether this host would follow the unverified Invitation, or only answer it. */
enum elect_worth invited_worth(const struct elect *e, const struct elect_msg *m);
/* A beacon of a newer group of the coordinator: its Invitation was missed (F3). */
void invited_late(struct elect *e, const struct elect_msg *beacon);
/* The group lives and has dropped this host: asks to be admitted again. */
void invited_again(struct elect *e, const struct elect_transaction *transaction);
/* A sign of life of the awaited inviter. */
void invited_heard(struct elect *e);
/* No list will come: succeeds to the last one, alone if the inviter lives; without one, to Down. */
void invited_give_up(struct elect *e, bool inviter_dead);
void invited_on_accept_answer(struct elect *e, const struct elect_msg *m);
void invited_on_timer_answer(struct elect *e);
void invited_on_timer_await(struct elect *e);
void invited_on_timer_forward(struct elect *e);

/* watch.c */
/* This host has become a member: sets its timers. */
void watch_begin(struct elect *e);
/* After a stall: asks the coordinator, or the awaited inviter, whether it lives. */
void watch_ask(struct elect *e);
/* This host answers its coordinator, which then counts it: silence begins anew (quorum.md, Q1). */
void watch_heard(struct elect *e);
void watch_on_beacon(struct elect *e, const struct elect_msg *m);
void watch_on_hello(struct elect *e, const struct elect_msg *m);
/* Returns whether this member challenges an unverified Hello of its coordinator (M1). */
bool watch_asks(const struct elect *e);
void watch_on_challenge_answer(struct elect *e, const struct elect_msg *m);
void watch_on_aythere_answer(struct elect *e, const struct elect_msg *m);
/* The reason to report when the coordinator resigns in favour of a host of that priority. */
enum elect_reason watch_resigned(const struct elect *e, uint8_t priority);
void watch_on_goodbye(struct elect *e, const struct elect_msg *m);
/* Asks the coordinator, by AYThere, whether it lives. */
void watch_probe(struct elect *e);
/* Sends the next routine AYThere now. */
void watch_tell(struct elect *e);
void watch_on_timer_aythere(struct elect *e);
void watch_on_timer_watch(struct elect *e);
void watch_on_timer_yes(struct elect *e);

/* suspicion.c */
void suspicion_begin(struct elect *e);
/* A beacon has come: learns how late beacons are, and when the next one is due. */
void suspicion_beacon(struct elect *e, const struct elect_msg *m);
/* The coordinator lives. Its next beacon is due in next_us; 0: within the longest period. */
void suspicion_answered(struct elect *e, uint64_t next_us);
/* Returns whether the next beacon is overdue, by the lateness of former ones. */
bool suspicion_overdue(const struct elect *e);
void suspicion_later(struct elect *e, uint64_t late_us);
void suspicion_on_aythere(struct elect *e, const struct elect_msg *m);
void suspicion_on_aythere_answer(struct elect *e, const struct elect_msg *m);
void suspicion_on_echo(struct elect *e, const struct elect_id *id);
void suspicion_on_timer(struct elect *e);
/* Asks the coordinator, its kernel, and whether the own link works apart from it. */
void suspicion_probe(struct elect *e);
/* This host was stalled itself. */
void suspicion_again(struct elect *e);
void suspicion_on_link_lives(struct elect *e, const struct elect_link_sign *found);
/* The sign of life of the own link, apart from the coordinator, since that one is suspected. */
enum elect_sign suspicion_sign(const struct elect *e);

/* members.c */
void members_on_aythere(struct elect *e, const struct elect_msg *m);
void members_on_yes(struct elect *e, const struct elect_msg *m);
/* Drops all members that answered no probe, `member` among them. Returns true. */
bool members_lost(struct elect *e, unsigned member);
/* By multicast: members that follow answer. */
void members_ask_all(struct elect *e);

/* succession.c */
/* The number of members that come before this host in succession. */
unsigned succession_rank(const struct elect *e);
/* The time that this host leaves to them, or to the host that a Goodbye named. */
uint64_t succession_wait_us(const struct elect *e);
/* Holds an election over the last list received, without its coordinator; or goes Down. */
void succession_act(struct elect *e);
/* Leaves a group that goes on without this host, for a group of one or for Down. */
void succession_alone(struct elect *e);

/* compose.c */
void compose_message(const struct elect *e, const struct elect_send *s, struct elect_msg *m);
bool compose_still_true(const struct elect *e, const struct elect_send *s);

/* worth.c */
enum elect_worth worth_of(
	const struct elect *e, const struct elect_msg *m, uint64_t *ret_within_us);

#endif
