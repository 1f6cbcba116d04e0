/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verbs: THE list of verbs, a row each, and nothing else. Who includes it defines what a row
 * becomes: electctl.h the declaration of its function, options.c a struct verb, whose members
 * these are. So no include guard. Order: as --help and the manual page have them.
 */
#ifndef VERB /* an editor looks at this file alone */
#define VERB(name, synopsis, help, options, args_min, args_max, run)
#endif

VERB("status", "", "who leads, since when, why, what is wrong", 0, 0, 0, status_verb)
VERB("leader", "", "the leader's name; exit 1 when nobody leads", 0, 0, 0, leader_verb)
VERB("is-leader", "", "says nothing: exit 0 when this host leads, else 1", 0, 0, 0, is_leader_verb)
VERB("members", "[--links]", "the hosts of this host's group, or its links", OPTION_LINKS, 0, 0,
	members_verb)
VERB("watch", "[--count N]", "the state now, then every change as it comes", OPTION_COUNT, 0, 0,
	watch_verb)
VERB("wait", "leader|self|follower|members N", "until somebody, this host, another one leads", 0, 1,
	2, wait_verb)
VERB("run", "[--kill-after SEC] [--] COMMAND...", "COMMAND, only while this host leads",
	OPTION_KILL_AFTER, 1, VERB_COMMAND, run_verb)
VERB("history", "[--journal] [--count N]", "the last changes, with reason and cause",
	OPTION_JOURNAL | OPTION_COUNT, 0, 0, history_verb)
VERB("why", "", "why things are as they are, in a few sentences", 0, 0, 0, why_verb)
VERB("resign", "[--to HOST] [--for SEC]", "hand leadership over, and do not lead for a while",
	OPTION_FOR | OPTION_TO, 0, 0, resign_verb)
VERB("hold", "on|off", "only follow, also after a restart; or no longer", 0, 1, 1, hold_verb)
VERB("priority", "[N]", "show its priority; with N set it until electd ends", 0, 0, 1,
	priority_verb)
VERB("define", "FILE|-", "what this host hands out when it coordinates", 0, 1, 1, define_verb)
VERB("reload", "[--force]", "read the configuration again, by root the keys too", OPTION_FORCE, 0,
	0, reload_verb)
VERB("keys", "list | new [N] | use|remove N [--force] | status [--wait accepted|sent N]",
	"who accepts and sends which key", OPTION_FORCE | OPTION_WAIT, 1, 2, keys_verb)
VERB("probe", "[--every SEC] [--fall N] [--rise N] [--leader] NAME [--] COMMAND...",
	"COMMAND again and again: is NAME well?",
	OPTION_EVERY | OPTION_FALL | OPTION_RISE | OPTION_LEADER, 2, VERB_NAMED, probe_verb)
VERB("sick", "[--stale SEC] [--leader] NAME [WORDS...]", "NAME is sick: this host does not lead",
	OPTION_STALE | OPTION_LEADER, 1, VERB_WORDS, sick_verb)
VERB("well", "[--stale SEC] [--leader] NAME [WORDS...]", "NAME is well; with --stale for so long",
	OPTION_STALE | OPTION_LEADER, 1, VERB_WORDS, well_verb)
VERB("forget", "NAME", "nobody reports NAME any more: free its place", 0, 1, 1, forget_verb)
VERB("health", "", "what was reported of this host; exit 1: it is sick", 0, 0, 0, health_verb)
VERB("check", "[--members N]", "for monitoring: one line; exit 0 fine, 6 degraded", OPTION_MEMBERS,
	0, 0, check_verb)
VERB("doctor", "", "what is wrong with its network, and what mends it", 0, 0, 0, doctor_verb)
VERB("metrics", "[--output FILE]", "numbers for Prometheus", OPTION_OUTPUT, 0, 0, metrics_verb)
VERB("decode", "[--fields] FILE|-", "a captured datagram in words; no electd needed", OPTION_FIELDS,
	0, 1, decode_verb)
VERB("hooks", "list | test EVENT [--run]", "which scripts run, and how the last run ended",
	OPTION_RUN, 1, 2, hooks_verb)

#undef VERB
