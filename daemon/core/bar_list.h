/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bar_list: the only list of bars, a row each. A bar is a reason for which this host does not lead.
 *
 * A file that includes it defines what a row becomes: enum elect_bar in elect_msg.h, names and wire
 * numbers in values.c, what the role does about it in frame/bar.c. So it has no include guard.
 *
 *	BAR(id, name, words, wire, scope, told, reason, problem, until)
 *
 * `name` is for programs and for the list of members, `words` follow "this host does not lead".
 * `wire` is the number in a message; 0: no message carries it. Never reuse or change one. The next
 * is 10, because 9 meant "algorithm" before 0.2.
 *
 * `scope` BEGIN: the host does not begin to lead; a host that leads goes on. HOLD: a host that
 * leads demotes; it hands over if another member may lead. STOP: a host that leads stops in the
 * same step, without a demotion. CLAIM: the host follows a leader that works, and does not ask for
 * its role; if that leader is gone, the bar does not hold.
 *
 * `told` PROMPT: other hosts learn it at once. LISTED: they learn it by the next message. In both
 * cases they do not choose this host as leader. UNTOLD: the bar does not concern them.
 *
 * `reason` is the elect_reason of a demotion, `problem` the elect_problem of a host with this bar
 * or 0, `until` the function of frame/bar.c that computes until when the bar holds.
 *
 * The order is that of strength: of all bars of one scope that hold, the first decides, and is
 * reported. But sickness, which has a name and a text, is reported before all others (sick_why()).
 */
#ifndef BAR /* for an editor that looks at this file alone */
#define BAR(...)
#endif

BAR(HELD, "held", "until it is no longer on hold", 4, HOLD, LISTED, HELD, 0, held)
BAR(STATE_FILE, "state-file", "until its state file can be written", 5, HOLD, LISTED, STATE_FILE,
	ELECT_PROBLEM_NOT_PERSISTED, state_file)
/* Another host, or another electd of this host, uses its id. */
BAR(DUPLICATE_ID, "duplicate-id", "until no other process has used its id for a minute", 6, HOLD,
	LISTED, DUPLICATE_ID, 0, duplicate_id)
BAR(RESIGNED, "resigned", "for a time after it resigned", 7, HOLD, LISTED, COORDINATOR_RESIGNED, 0,
	resigned)
/* The priority is 0, which the list of members carries. */
BAR(PRIORITY, "priority 0", "while its priority is 0", 0, HOLD, LISTED, COORDINATOR_RESIGNED, 0,
	priority)
/* The host has no carrier, and other hosts may go on without it. */
BAR(CUT_OFF, "cut-off", "until it has a carrier again", 8, STOP, LISTED, CARRIER_LOST, 0, cut_off)
/* Something that it needs in order to lead was reported sick. */
BAR(SICK, "sick", "until it is well", 1, HOLD, PROMPT, SICK, 0, sick)
BAR(UNKNOWN, "unknown", "until a required name is reported", 2, HOLD, PROMPT, SICK, 0, unknown)
/* The host is well again, but sickness has cost it the role a short time ago. */
BAR(RECOVERING, "barred", "for a time after it was a sick leader", 3, HOLD, PROMPT, SICK, 0,
	recovering)
BAR(QUORUM, "quorum", "until enough hosts count for its quorum", 0, STOP, UNTOLD, QUORUM_LOST, 0,
	quorum)
/* After a stall the members may have gone elsewhere. */
BAR(ANSWERS, "answers",
	"until more than half of the hosts that it asked after a stall have answered", 0, BEGIN,
	UNTOLD, NONE, 0, answers)
/* A host asked for the role, and is still heard. */
BAR(MERGE, "merge", "until the host that asked for its role has merged with it", 0, BEGIN, UNTOLD,
	NONE, 0, merge)
/* Too few of the hosts that it succeeds with, or led before, have acknowledged its list. */
BAR(SURVIVORS, "survivors", "while most of its former group may follow another host", 0, BEGIN,
	UNTOLD, NONE, 0, survivors)
/* No other host is left, and its own link has shown no sign of life since. */
BAR(ALONE, "alone", "while it may be cut off, because its own link shows no sign of life", 0, BEGIN,
	UNTOLD, NONE, 0, alone)
/* The group is new and of one host, a carrier is back, or a role ended while members were asked. */
BAR(LISTENS, "listens", "until other hosts have had time to appear", 0, BEGIN, UNTOLD, NONE, 0,
	listens)
/* The carrier is back, and no other host was heard since. */
BAR(UNHEARD, "nobody-heard", "until another host is heard since its link is back", 0, BEGIN, UNTOLD,
	NONE, 0, unheard)
/* A leader that this host followed, or whose Invitation it accepted, may still lead. */
BAR(SILENT, "leader-silent", "until the leader that fell silent cannot lead any more", 0, BEGIN,
	UNTOLD, NONE, 0, silent)
/* Work for the role of a crashed leader may still run. */
BAR(CRASH, "crash", "until the work of a crashed leader has ended", 0, BEGIN, UNTOLD, NONE, 0,
	crash)
/* Another leader is heard, and a merge with it is still to come. */
BAR(RIVAL, "rival", "while it may soon merge with another leader that it hears", 0, BEGIN, UNTOLD,
	NONE, 0, rival)
/* A coordinator is heard that this host will follow when its counter is reached. */
BAR(AHEAD, "counter-ahead",
	"until its group counter has reached that of a coordinator that it hears", 0, BEGIN, UNTOLD,
	NONE, 0, ahead)
/* A host of higher priority came into the group of a leader, with preempt. */
BAR(PREEMPT_DELAY, "preempt-delay", "until it has been in the group for preempt_delay_ms", 0, CLAIM,
	UNTOLD, NONE, 0, preempt_delay)
