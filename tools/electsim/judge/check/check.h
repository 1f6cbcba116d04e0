/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check: promises. What a host does is judged after each of its steps; what must come when the
 * troubles are over (live_…), when it is asked for.
 */
#ifndef ELECTSIM_JUDGE_CHECK_CHECK_H
#define ELECTSIM_JUDGE_CHECK_CHECK_H

#include "electsim/world/sim.h"

void check_started(struct sim *s, struct sim_host *h);
/*
 * It is put back to an earlier state of its own: what it shows is what it showed then; what all its
 * lives have formed and led with, as `now` has it, is not undone.
 */
void check_put_back(struct sim *s, struct sim_host *h, const struct sim_watch *now);
/* The host has learned that it was put back, and begins a new session. */
void check_begins_anew(struct sim_host *h);
/* ... and moments of the simulator's clock are so much later. */
void check_put_back_later(struct sim_host *h, uint64_t us);
/* A process was killed: who leads while its demotion runs? */
void check_killed(struct sim *s);
void check_stepped(struct sim *s, struct sim_host *h);
/* After a datagram that may change nothing: S6. */
void check_unbelieved(struct sim *s, struct sim_host *h, const char *why);
/*
 * A message was dropped for its type, or waits for the proof of its session; its sequence may be
 * used nevertheless (leap.c). True: it is of a verified session.
 */
bool check_passed_over(struct sim_host *h, const struct sim_datagram *d);
/* Before one comes: what is kept of its sender, and may be acted on in its place. */
void check_kept(struct sim *s, struct sim_host *h, const struct sim_datagram *d);
/* After each: does it say that a host is at an address that is not its own? */
void check_placed(
	struct sim *s, struct sim_host *h, const struct sim_datagram *d, enum wire_verdict verdict);
/* After one of a session that is not proven: nothing but Challenges may come of it. */
void check_challenges(struct sim *s, struct sim_host *h, const struct sim_datagram *d);
/* The same of one whose counter is beyond the limit, which is reported. */
void check_counter_refused(struct sim *s, struct sim_host *h, const struct sim_datagram *d);
void check_sent(struct sim *s, struct sim_host *h, const struct host_datagram *d);
void check_stalled(struct sim *s, struct sim_host *h, uint64_t us);
void check_fail(struct sim *s, const char *property, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* How many lead has changed: S7. */
void check_led(struct sim *s, unsigned before);

/* live.c */
bool live_ought_to_lead(const struct sim *s, const struct sim_host *h, bool coordinates);
/*
 * While others push the counter: how long the last one is lifted until it has the highest there is;
 * 0: nobody is behind.
 */
uint64_t live_behind_us(const struct sim *s);
void live_watch(struct sim *s); /* L2, L3; call now and then while calm */

/* health.c: is it sick, as it was told? And how long, at most, somebody may not lead yet for it
 * was. */
bool check_is_sick(const struct sim *s, const struct sim_host *h);
uint64_t live_barred_us(const struct sim *s);
/* carrier.c: how long, at most, some host may still wait to hear another one: carrier_hold. */
uint64_t live_unheard_us(const struct sim *s);

#endif
