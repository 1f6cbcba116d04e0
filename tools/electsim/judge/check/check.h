/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check: the promises of electd. Each step of a host is judged at once; the live_…() functions
 * judge on request what must happen after the troubles.
 */
#ifndef ELECTSIM_JUDGE_CHECK_CHECK_H
#define ELECTSIM_JUDGE_CHECK_CHECK_H

#include "electsim/world/sim.h"

void check_started(struct sim *s, struct sim_host *h);
/*
 * Call after a host was put back. Its view is that of the snapshot, but the groups that it formed
 * and led in all its lives stay as in `now`.
 */
void check_put_back(struct sim *s, struct sim_host *h, const struct sim_watch *now);
/* Call when the host has noticed that and begins a new session. */
void check_begins_anew(const struct sim *s, struct sim_host *h);
/* Moves the simulator times of the host's record by `us`, but not those at which a session began or
   a list changed: they are compared with the ones of other hosts. */
void check_put_back_later(struct sim_host *h, uint64_t us);
/* Call after a process was killed: does a host lead during its demotion? */
void check_killed(struct sim *s);
void check_stepped(struct sim *s, struct sim_host *h);
/* Call after a datagram that must change nothing: S6. */
void check_unbelieved(struct sim *s, struct sim_host *h, const char *why);
/*
 * Call after a message that was dropped for its type, or that waits until its session is verified.
 * Its sequence may be used nevertheless (leap.c). true: the session is verified.
 */
bool check_passed_over(struct sim_host *h, const struct sim_datagram *d);
/* Call before a datagram: notes what is kept of its sender and may be acted on instead. */
void check_kept(struct sim *s, struct sim_host *h, const struct sim_datagram *d);
/* Call after a datagram: does it place a host at an address that is not its own? */
void check_placed(
	struct sim *s, struct sim_host *h, const struct sim_datagram *d, enum wire_verdict verdict);
/* Call after a datagram of an unverified session: only Challenges may follow. */
void check_challenges(struct sim *s, struct sim_host *h, const struct sim_datagram *d);
/* The same after a counter beyond the limit, which the host reports. */
void check_counter_refused(struct sim *s, struct sim_host *h, const struct sim_datagram *d);
void check_sent(struct sim *s, struct sim_host *h, const struct host_datagram *d);
void check_stalled(struct sim *s, struct sim_host *h, uint64_t us);
void check_fail(struct sim *s, const char *property, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* address.c: call when it takes or removes the address, and when its promotion hook begins. */
void check_address_taken(struct sim *s, const struct sim_host *h);
void check_address_last(struct sim *s, const struct sim_host *h);
void check_address_first(struct sim *s, const struct sim_host *h);

/* S7: call after a change of the number of leaders. */
void check_led(struct sim *s, unsigned before);

/* live.c */
bool live_ought_to_lead(const struct sim *s, const struct sim_host *h, bool coordinates);
/* While others push the counter: time until all counters have advanced to the highest one, or 0. */
uint64_t live_behind_us(const struct sim *s);
void live_watch(struct sim *s); /* L3; call now and then while calm */

/* health.c: is it sick by its reports? live_barred_us(): how long a bar still lasts, at most. */
bool check_is_sick(const struct sim *s, const struct sim_host *h);
uint64_t live_barred_us(const struct sim *s);
/* carrier.c: the longest time that a host may still wait to hear another one: carrier_hold. */
uint64_t live_unheard_us(const struct sim *s);

#endif
