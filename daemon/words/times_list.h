/* SPDX-License-Identifier: Apache-2.0 */
/*
 * times_list: the one list of the steps that times.h records, a row each, and nothing else. A file
 * that includes it defines what a row becomes, so it has no include guard.
 *
 *	STEP(KIND, traits, name, text, detail)
 *
 * `traits` are those of times.c. `name` is the step's name in GetTimes; do not change one. In
 * `text`, $ is a host, and % is a detail that the function `detail` of steps.c names.
 */
#ifndef STEP /* for an editor that looks at this file alone */
#define STEP(...)
#endif

/* what begins a change */
STEP(START, BEGINS, "start", "electd started", told_nothing)
STEP(BEACON, 0, "beacon", "last beacon of $", told_nothing)
STEP(OVERDUE, BEGINS | AFTER_BEACON, "overdue", "next beacon of $ overdue", told_nothing)
STEP(GOODBYE_RECEIVED, BEGINS | TURNS, "goodbye-received", "Goodbye (%) received from $", told_loss)
STEP(WILL_RECEIVED, BEGINS | TURNS, "will-received", "last will (%) of $ received", told_loss)
STEP(CARRIER_LOST, BEGINS | TURNS, "carrier-lost", "no interface has a carrier any more",
	told_nothing)
STEP(TOLD, BEGINS | TURNS, "told", "told to %", told_command)

/* signs of the coordinator and of the own link */
STEP(ASKED, BEGINS | AFTER_BEACON, "asked", "kernel of $ asked, own link tried", told_nothing)
STEP(PROBE_SENT, 0, "probe-sent", "question (AYThere) sent to $", told_nothing)
STEP(MEMBERS_ASKED, BEGINS | AFTER_BEACON, "members-asked",
	"question (AYThere) sent to all members", told_nothing)
STEP(PROBE_RECEIVED, BEGINS | AFTER_BEACON, "probe-received",
	"$ asks whether the coordinator is heard", told_nothing)
STEP(MEMBER_HEARD, 0, "member-heard", "$ has heard the coordinator", told_nothing)
STEP(MEMBER_MISSES, 0, "member-misses", "$ misses the beacon too", told_nothing)
STEP(KERNEL_ANSWERED, 0, "kernel-answered", "kernel of $ answered", told_nothing)
STEP(LINK_LIVES, 0, "link-lives", "own link works: %", told_sign)

/* the end of the role */
STEP(RELEASE, BEGINS | TURNS, "release", "demotion begun, to %", told_purpose)
STEP(RELEASED, LATE | TURNS, "released", "demotion complete: the role is released", told_nothing)
STEP(GOODBYE_SENT, LATE, "goodbye-sent", "Goodbye (%) sent", told_loss)
STEP(LOST, BEGINS | AFTER_BEACON | TURNS, "no-leader", "no host leads: %", told_reason)

/* the new group */
STEP(SUCCESSION_SENT, BEGINS | AFTER_BEACON | TURNS, "succession-sent", "Invitation (%) sent",
	told_invite)
STEP(SUCCESSION_RECEIVED, BEGINS | AFTER_BEACON | TURNS, "succession-received",
	"Invitation (%) received from $", told_invite)
STEP(INVITATION_SENT, BEGINS | TURNS, "invitation-sent", "Invitation (%) sent", told_invite)
STEP(INVITATION_RECEIVED, BEGINS | TURNS, "invitation-received", "Invitation (%) received from $",
	told_invite)
STEP(ACCEPT_SENT, LATE, "accept-sent", "Accept sent to $", told_nothing)
STEP(ACCEPT_RECEIVED, LATE, "accept-received", "Accept received from $", told_nothing)
STEP(DECLINE_SENT, LATE, "decline-sent", "Decline (%) sent to $", told_decline)
STEP(DECLINE_RECEIVED, LATE, "decline-received", "Decline (%) received from $", told_decline)
STEP(LIST_SENT, LATE, "list-sent", "membership list (Ready) sent", told_nothing)
STEP(LIST_RECEIVED, LATE, "list-received", "membership list (Ready) received from $", told_nothing)
STEP(LIST_ACCEPTED, LATE, "acknowledgement-sent", "acknowledgement sent to $", told_nothing)
STEP(LIST_TAKEN, LATE, "acknowledgement-received", "acknowledgement received from $", told_nothing)
STEP(SAVE, LATE, "save", "write of the state file begun", told_nothing)
STEP(SAVED, LATE, "saved", "state file written", told_nothing)
STEP(SAVE_FAILED, LATE, "save-failed", "the state file could not be written", told_nothing)
STEP(LEADS, BEGINS | TURNS, "leads", "this host leads", told_nothing)
STEP(FOLLOWS, BEGINS | TURNS, "follows", "this host follows $", told_nothing)
STEP(PROMOTED, LATE, "promoted", "promotion complete", told_nothing)

#undef STEP
