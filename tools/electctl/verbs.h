/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verbs: the only list of verbs, one row for each, in the order and the groups of --help. The
 * including file defines what a row becomes: in electctl.h the declaration of the verb's function,
 * in options.c a struct verb, whose members are the columns, and in help.c a line of --help.
 * Therefore this file has no include guard. The first verb is the default.
 */
#ifndef VERB /* for editors that parse this file alone */
#define GROUP(title)
#define VERB(name, synopsis, help, options, args_min, args_max, run)
#endif

GROUP("See what is going on")
VERB("status", "", "which host leads, since when and why, and what is wrong", 0, 0, 0, status_verb)
VERB("why", "[--times]", "why this host, another host or no host leads, in a few sentences",
	OPTION_TIMES, 0, 0, why_verb)
VERB("history", "[--journal] [--count N]", "the last changes, each with its reason and its cause",
	OPTION_JOURNAL | OPTION_COUNT, 0, 0, history_verb)
VERB("members", "[--links]", "the hosts of this group, in the order in which they would lead",
	OPTION_LINKS, 0, 0, members_verb)
VERB("address", "", "the addresses that the leader has, and whether this host has them", 0, 0, 0,
	address_verb)
VERB("watch", "[--count N]", "the state now, then each change when it happens", OPTION_COUNT, 0, 0,
	watch_verb)

GROUP("Follow the leader from a script, a unit or a program")
VERB("leader", "", "print the leader's name; exit 1 if no host leads", 0, 0, 0, leader_verb)
VERB("is-leader", "", "print nothing; exit 0 if this host leads, 1 if it does not", 0, 0, 0,
	is_leader_verb)
VERB("wait", "leader|self|follower|members N",
	"wait until any, this or another host leads, or N hosts are members", 0, 1, 2, wait_verb)
VERB("run", "[--kill-after SEC] [--] COMMAND...",
	"wait until this host leads, and run a command while it leads", OPTION_KILL_AFTER, 1,
	VERB_COMMAND, run_verb)
VERB("hooks", "list | test EVENT [--run]", "list the scripts that run at a change, or test them",
	OPTION_RUN, 1, 2, hooks_verb)

GROUP("Change which host leads")
VERB("resign", "[--to HOST] [--for SEC]",
	"hand leadership to another host, and do not lead for 30 seconds", OPTION_FOR | OPTION_TO,
	0, 0, resign_verb)
VERB("hold", "on|off", "on: this host only follows, also after a restart; off: it may lead", 0, 1,
	1, hold_verb)
VERB("priority", "[N]", "print the priority of this host, or set it until electd ends", 0, 0, 1,
	priority_verb)

GROUP("Report the health of this host (a sick host does not lead)")
VERB("health", "", "what was reported, and what is required; exit 1 if one is not well", 0, 0, 0,
	health_verb)
VERB("probe", "[--every SEC] [--fall N] [--rise N] [--leader] NAME [--] COMMAND...",
	"run a command periodically, and report each result under NAME",
	OPTION_EVERY | OPTION_FALL | OPTION_RISE | OPTION_LEADER, 2, VERB_NAMED, probe_verb)
VERB("sick", "[--stale SEC] [--leader] NAME [WORDS...]", "report once that NAME is sick",
	OPTION_STALE | OPTION_LEADER, 1, VERB_WORDS, sick_verb)
VERB("well", "[--stale SEC] [--leader] NAME [WORDS...]", "report once that NAME is well",
	OPTION_STALE | OPTION_LEADER, 1, VERB_WORDS, well_verb)
VERB("forget", "NAME", "delete the reports about NAME", 0, 1, 1, forget_verb)

GROUP("Monitor and repair")
VERB("check", "[--members N]", "one line for monitoring: OK and exit 0, or DEGRADED and exit 6",
	OPTION_MEMBERS, 0, 0, check_verb)
VERB("doctor", "", "find faults of this host and of its network, with their remedies", 0, 0, 0,
	doctor_verb)
VERB("metrics", "[--output FILE]", "print metrics for Prometheus, or write them to a file",
	OPTION_OUTPUT, 0, 0, metrics_verb)
VERB("decode", "FILE|- | --fields", "print a captured datagram in words; electd need not run",
	OPTION_FIELDS, 0, 1, decode_verb)

GROUP("Configuration, keys and help")
VERB("reload", "[--force] [--config FILE]",
	"read the configuration again; root also reads the keys again",
	OPTION_FORCE | OPTION_CONFIG, 0, 0, reload_verb)
VERB("keys",
	"list | new [N] | use|remove N [--force] [--config FILE] | status [--wait accepted|sent N]",
	"the keys that the hosts share: list, create, use or remove one",
	OPTION_FORCE | OPTION_WAIT | OPTION_CONFIG, 1, 2, keys_verb)
VERB("define", "FILE|-", "set the data that this host gives its members while it coordinates", 0, 1,
	1, define_verb)
VERB("help", "[VERB]", "print the list of verbs, or the usage of one verb", 0, 0, 1, help_verb)

#undef GROUP
#undef VERB
