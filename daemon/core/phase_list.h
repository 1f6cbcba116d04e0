/* SPDX-License-Identifier: Apache-2.0 */
/*
 * phase_list: the only list of the phases of the role, and of the steps between them, a row each.
 *
 *	PHASE(id, name, words)
 *	STEP(from, to, words)
 *
 * A file that includes it defines what a row of one or both kinds becomes: enum elect_phase in
 * elect.h, names in values.c, the legal steps in frame/phase.c. So it has no include guard.
 * tests/tidy/phases.sh draws the diagram and the tables of doc/algorithm.md from it, where `words`
 * are read. A defect (frame/phase.c) also leads from each phase to FOLLOWS, by no row.
 *
 * The phase is about the role, and the state (enum elect_state) about the group: a leader that
 * merges is in LEADS while its state is Election.
 */
#ifndef PHASE
#define PHASE(...)
#endif
#ifndef STEP
#define STEP(...)
#endif

PHASE(FOLLOWS, "follows", "another host coordinates its group, or it is in Down")
PHASE(WAITS, "waits",
	"it coordinates its group and does not lead; the group may be new and have no other member "
	"yet")
PHASE(LEADS, "leads", "it leads")
PHASE(ASKS, "asks",
	"it leads, was late, and asks its members whether they still follow; until they answer, no "
	"program sees it lead")
PHASE(DEMOTES, "demotes", "it leads, and its demotion runs: scripts, units and holders end")
PHASE(LOST, "lost", "it has lost the role, and its demotion still runs")
PHASE(LEAVES, "leaves", "it has left its group, and repeats Goodbye")
PHASE(GONE, "gone", "it has stopped, and the process ends")

STEP(FOLLOWS, WAITS, "it forms a group: by a merge, by a succession or alone")
STEP(FOLLOWS, LEAVES, "stop; resign, if the role was lost before the demotion was over")
STEP(WAITS, FOLLOWS, "it accepts an Invitation, or leaves its group")
STEP(WAITS, LEADS, "no bar holds")
STEP(WAITS, LEAVES, "resign or stop")
STEP(LEADS, ASKS, "a short stall")
STEP(LEADS, WAITS, "quorum or carrier lost, a long stall, or put back to an earlier state")
STEP(LEADS, DEMOTES, "yield, bar, resign or stop")
STEP(ASKS, LEADS, "more than half of the group have answered, or the only other member is silent")
STEP(ASKS, WAITS, "no majority has answered; or as from leads")
STEP(ASKS, DEMOTES, "yield, bar, resign or stop")
STEP(DEMOTES, WAITS, "the demotion is over")
STEP(DEMOTES, LOST, "quorum or carrier lost, a long stall, or put back to an earlier state")
STEP(LOST, FOLLOWS, "the demotion is over, and it is in Down or in another host's group")
STEP(LOST, WAITS, "the demotion is over, and it coordinates its group")
STEP(LEAVES, FOLLOWS, "the last Goodbye was sent, after resign")
STEP(LEAVES, GONE, "the last Goodbye was sent, after stop")

#undef PHASE
#undef STEP
