/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interface: what the control socket can do, in Varlink's own language, for programs and for
 * those who write them. Text only; control/methods.c does it, and a test holds one against the
 * other.
 */
#include "call.h"

#include <string.h>

/* How a run of a script ended. */
#define HOOK_RUN                                                                                   \
	"  script: string,\n"                                                                      \
	"  event: (leader, follower, none, members, stop),\n"                                      \
	"  result: string,\n"                                                                      \
	"  status: int,\n"                                                                         \
	"  runtime_ms: int,\n"                                                                     \
	"  seq: int,\n"                                                                            \
	"  token: string,\n"                                                                       \
	"  output: string"

/* The standard's own, word by word what it says. */
static const char service[] =
	"# The Varlink Service Interface is provided by every varlink service. It\n"
	"# describes the service and the interfaces it implements.\n"
	"interface org.varlink.service\n"
	"\n"
	"# Get a list of all the interfaces a service provides and information\n"
	"# about the implementation.\n"
	"method GetInfo() -> (\n"
	"  vendor: string,\n"
	"  product: string,\n"
	"  version: string,\n"
	"  url: string,\n"
	"  interfaces: []string\n"
	")\n"
	"\n"
	"# Get the description of an interface that is implemented by this service.\n"
	"method GetInterfaceDescription(interface: string) -> (description: string)\n"
	"\n"
	"# The requested interface was not found.\n"
	"error InterfaceNotFound (interface: string)\n"
	"\n"
	"# The requested method was not found\n"
	"error MethodNotFound (method: string)\n"
	"\n"
	"# The interface defines the requested method, but the service does not\n"
	"# implement it.\n"
	"error MethodNotImplemented (method: string)\n"
	"\n"
	"# One of the passed parameters is invalid.\n"
	"error InvalidParameter (parameter: string)\n"
	"\n"
	"# Client is denied access\n"
	"error PermissionDenied ()\n"
	"\n"
	"# Method is expected to be called with 'more' set to true, but wasn't\n"
	"error ExpectedMore ()\n";

/* A method answers with fields, never with a named type. */
#define STATUS_FIELDS                                                                              \
	"  schema: int,\n"                                                                         \
	"  domain: string,\n"                                                                      \
	"  role: (leader, follower, none),\n"                                                      \
	"  state: (normal, election, reorganizing, down),\n"                                       \
	"  node: (id: string, name: string, priority: int, incarnation: string,\n"                 \
	"    held: bool, may_lead: bool, barred_ms: ?int),\n"                                      \
	"  leader: ?(id: string, name: string, address: ?string, self: bool),\n"                   \
	"  group: ?Group,\n"                                                                       \
	"  token: string,\n"                                                                       \
	"  members: []Member,\n"                                                                   \
	"  foreign: []Foreign,\n"                                                                  \
	"  since: ?string,\n"                                                                      \
	"  since_ms: int,\n"                                                                       \
	"  reason: string,\n"                                                                      \
	"  cause: ?Host,\n"                                                                        \
	"  why: string,\n"                                                                         \
	"  yielding: ?Yielding,\n"                                                                 \
	"  asking: bool,\n"                                                                        \
	"  awaits: ?Host,\n"                                                                       \
	"  quorum: (needed: int, have: int, met: bool),\n"                                         \
	"  auth: (mode: string, active_key: int, accepts: []int, authenticated: bool),\n"          \
	"  other_keys: []OtherKey,\n"                                                              \
	"  health: (ok: bool, problems: []string),\n"                                              \
	"  definition: ?string,\n"                                                                 \
	"  version: string\n"

static const char electd[] =
	"# The election on this host: who leads, why, and what an administrator can\n"
	"# change. Everybody may read; changing needs root or the group electd-admin.\n"
	"# Numbers of 64 bits are strings. Times are RFC 3339; boot_ms and since_ms are\n"
	"# of the clock that counts since boot, suspended time included.\n"
	"interface io.electd\n"
	"\n"
	"# A host, as the one asked knows it\n"
	"type Host (id: string, name: string)\n"
	"\n"
	"# A coordinator of another group, and who hears it\n"
	"type Foreign (id: string, name: string, heard_by: ?Host)\n"
	"\n"
	"# Who is heard under a key that this host does not have, not authentic: key is 0 for\n"
	"# hosts without a key file. name: a host with this id has proven itself since electd\n"
	"# was started; missing: it was of the group since then, and is not now. text says it\n"
	"# in words\n"
	"type OtherKey (\n"
	"  key: int,\n"
	"  address: ?string,\n"
	"  id: string,\n"
	"  name: ?string,\n"
	"  per_minute: int,\n"
	"  last_heard_ms: int,\n"
	"  missing: bool,\n"
	"  text: string\n"
	")\n"
	"\n"
	"# A leader whose scripts and units are being stopped: who leads then, if known; which\n"
	"# holders that waits for, in words, since when, and for how long yet at most\n"
	"type Yielding (to: ?Host, waits_for: string, since_ms: int, left_ms: int)\n"
	"\n"
	"# id is the name of the coordinator and the counter\n"
	"type Group (coordinator: string, counter: string, id: string)\n"
	"\n"
	"# Only the coordinator knows the state of its members: elsewhere it is unknown.\n"
	"# rank 0 coordinates, the others succeed it in this order. GetMembers tells\n"
	"# incarnation, may_lead, self and list_untaken besides.\n"
	"type Member (\n"
	"  id: string,\n"
	"  name: string,\n"
	"  address: ?string,\n"
	"  rank: int,\n"
	"  priority: int,\n"
	"  state: (alive, silent, unknown),\n"
	"  last_heard_ms: ?int,\n"
	"  incarnation: ?string,\n"
	"  may_lead: ?bool,\n"
	"  self: ?bool,\n"
	"  list_untaken: ?bool\n"
	")\n"
	"\n"
	"# definition: the file with what the coordinator hands out, if that is anything.\n"
	"# barred_ms: for how long yet a host that has resigned does not lead\n"
	"type Status (\n" STATUS_FIELDS ")\n"
	"\n"
	"# One change, with its words in text\n"
	"type Change (\n"
	"  seq: int,\n"
	"  at: string,\n"
	"  boot_ms: int,\n"
	"  event: (leader, follower, none, members, state),\n"
	"  role: (leader, follower, none),\n"
	"  old_role: (leader, follower, none),\n"
	"  reason: string,\n"
	"  cause: ?Host,\n"
	"  leader: ?Host,\n"
	"  token: string,\n"
	"  group: ?string,\n"
	"  members_count: int,\n"
	"  problems: []string,\n"
	"  text: string\n"
	")\n"
	"\n"
	"method GetStatus() -> (\n" STATUS_FIELDS ")\n"
	"\n"
	"# The hosts of the group, by rank\n"
	"# list_untaken: who does not take the list, only its coordinator knows; it is a\n"
	"# member for a moment after each attempt\n"
	"method GetMembers() -> (members: []Member, list_untaken: ?Host)\n"
	"\n"
	"# The last changes, the oldest first, and the last one in a paragraph\n"
	"method GetHistory() -> (why: string, entries: []Change)\n"
	"\n"
	"# Prometheus text\n"
	"method GetMetrics() -> (text: string)\n"
	"\n"
	"# How the last run of a hook script ended. script is its file name, or the unit that\n"
	"# was started or stopped. result is ok, failed (status: its exit status), signalled\n"
	"# (the signal), timed-out, cut (what it was run for was over), unstarted (the errno),\n"
	"# refused, left-out (no time was left), unrecorded (not run: the disk was not\n"
	"# written) or unit-failed (of no run: script is a unit that is bound to the target and\n"
	"# has failed, output systemd's word for how; taken back when it has not any more).\n"
	"# seq is of the event that it was run for. output is the last that it\n"
	"# said; empty unless root or the group electd-admin asks\n"
	"type Hook (\n" HOOK_RUN ",\n"
	"  at: string,\n"
	"  ok: bool\n"
	")\n"
	"\n"
	"# hookd: electd-hookd is there. By name, of each script the last run on leader, "
	"follower,\n"
	"# none or stop, and the last one on members since\n"
	"method GetHooks() -> (hookd: bool, reports: []Hook)\n"
	"\n"
	"# electd-hookd tells how a run ended; root only. After it has come anew it tells\n"
	"# those of each script again. result gone: there is no such script any more\n"
	"method HookReport(\n"
	"  holder: string,\n" HOOK_RUN "\n"
	") -> ()\n"
	"\n"
	"# To be called with 'more'. First a snapshot, then an object a change; seq counts\n"
	"# the changes without a gap. A reader that leaves 1 MiB unread is cut off. event is\n"
	"# snapshot, leader, follower, none, members or state; for holders besides release,\n"
	"# release-over and alive.\n"
	"# With hold the caller, an administrator, is a holder: leadership passes on only\n"
	"# when it has called Release, has closed, or timing.yield_timeout_ms is over. Its\n"
	"# snapshot names it in holder; name is what it calls itself, for logs. Each of its\n"
	"# events has dead_after_ms: hearing nothing for so long counts as not leading.\n"
	"# It is asked by the event release: release is the number to answer with, never\n"
	"# used twice, purpose what leadership passes on for; the same number may come once\n"
	"# more for another purpose. release-over: nobody waits any more for the release of\n"
	"# that number. It gets alive every beacon. All of these carry the seq of the last\n"
	"# change; alive and release-over have no status.\n"
	"method Subscribe(hold: ?bool, name: ?string) -> (\n"
	"  seq: int,\n"
	"  event: string,\n"
	"  at: ?string,\n"
	"  boot_ms: int,\n"
	"  reason: ?string,\n"
	"  cause: ?Host,\n"
	"  token: ?string,\n"
	"  status: ?Status,\n"
	"  holder: ?string,\n"
	"  dead_after_ms: ?int,\n"
	"  hooks: ?(timeout_ms: int, on_failure: (ignore, resign)),\n"
	"  release: ?int,\n"
	"  purpose: ?(yield, resign, stop, bar)\n"
	")\n"
	"\n"
	"# A holder lets go; on another connection, by the same user. seq is the number that\n"
	"# its event had in release\n"
	"method Release(holder: string, seq: int) -> ()\n"
	"\n"
	"# Answers when somebody leads (leader), this host does (self), another one does\n"
	"# (follower), or the group has at least count hosts (members). Without\n"
	"# timeout_ms it waits for ever.\n"
	"method Wait(\n"
	"  for: (leader, self, follower, members),\n"
	"  count: ?int,\n"
	"  timeout_ms: ?int\n"
	") -> (role: (leader, follower, none), leader: ?Host, token: string, members_count: int)\n"
	"\n"
	"# Hands leadership over, and does not lead for so many seconds, or 30. to: name or id\n"
	"# of the member that is to lead next; who is to know whether it does waits for that\n"
	"method Resign(for: ?int, to: ?string) -> ()\n"
	"\n"
	"# 0 to 255; until the daemon ends or a reload changes the file's priority\n"
	"method SetPriority(priority: int) -> (priority: int)\n"
	"\n"
	"# Only follow, or no longer; kept across restarts\n"
	"method Hold(on: bool) -> (held: bool)\n"
	"\n"
	"# What this host hands out when it coordinates, as base64, at most 4096 bytes;\n"
	"# until the daemon ends or a reload finds another definition.file\n"
	"method Define(definition: string) -> (size: int)\n"
	"\n"
	"# A key that somebody of the group accepts or sends, by its number and the first\n"
	"# four bytes of a hash of it; number 0 is the built-in one, which everybody has.\n"
	"# accepted, sent: by this host. lacking, sending: members that do not accept it,\n"
	"# and that send it; lacking_hosts, sending_hosts: who, as far as named\n"
	"type Key (\n"
	"  id: int,\n"
	"  name: string,\n"
	"  accepted: bool,\n"
	"  sent: bool,\n"
	"  lacking: int,\n"
	"  sending: int,\n"
	"  lacking_hosts: []Host,\n"
	"  sending_hosts: []Host\n"
	")\n"
	"\n"
	"# authenticated: the built-in key is not accepted. file: as auth.keys has it. known:\n"
	"# this host is in a group; else keys are only its own\n"
	"method GetKeys() -> (\n"
	"  mode: string,\n"
	"  file: string,\n"
	"  since_ms: int,\n"
	"  authenticated: bool,\n"
	"  known: bool,\n"
	"  members: int,\n"
	"  keys: []Key\n"
	")\n"
	"\n"
	"# Reads the configuration again. What was taken over, and what waits for a restart.\n"
	"# keys: root hands over the content of the key file, as base64; the answer's keys are\n"
	"# then same or changed; without it they are kept. force: whatever others send and\n"
	"# accept\n"
	"method Reload(keys: ?string, force: ?bool) -> (\n"
	"  changed: []string,\n"
	"  restart_needed: []string,\n"
	"  keys: (kept, same, changed)\n"
	")\n"
	"\n"
	"# The same for the keys alone; root only\n"
	"method SetKeys(keys: string, force: ?bool) -> (\n"
	"  changed: []string,\n"
	"  restart_needed: []string,\n"
	"  keys: (kept, same, changed)\n"
	")\n"
	"\n"
	"# This was no request; the connection is closed\n"
	"error InvalidRequest (message: string)\n"
	"\n"
	"# All places are taken, or those of this user, or this one went to a user who had\n"
	"# fewer; the connection is closed\n"
	"error TooManyClients ()\n"
	"\n"
	"# Changing needs root or the group electd-admin; HookReport and keys need root\n"
	"error NotAllowed (method: ?string)\n"
	"\n"
	"# There is nothing to resign from\n"
	"error NotLeader (message: string)\n"
	"\n"
	"# Resign to that host is not possible: it is no member, may not lead, or is not the\n"
	"# only one of this name. Nothing was changed\n"
	"error CannotSucceed (message: string)\n"
	"\n"
	"# Nothing was changed. text says it all; what is not known of the rest is empty or 0\n"
	"error ConfigInvalid (\n"
	"  file: string,\n"
	"  line: int,\n"
	"  key: string,\n"
	"  allowed: string,\n"
	"  text: string\n"
	")\n"
	"\n"
	"# Nothing was changed: hosts, as far as known, do not accept the key that would be\n"
	"# sent, or still send one that would not be accepted any more\n"
	"error StepRefused (key: int, hosts: []string, text: string)\n"
	"\n"
	"# What was waited for did not become true\n"
	"error TimedOut ()\n"
	"\n"
	"# The caller's user has no holder of this name\n"
	"error NoSuchHolder ()\n"
	"\n"
	"# Nothing is to be released, not any more, or not with this number\n"
	"error NotReleasing ()\n";

static const struct {
	const char *name, *text;
} interfaces[] = {
	{ "org.varlink.service", service },
	{ "io.electd", electd },
};

const char *ctl_interface_name(unsigned index)
{
	return index < sizeof(interfaces) / sizeof(interfaces[0]) ? interfaces[index].name : NULL;
}

const char *ctl_interface_text(const char *name)
{
	for (size_t i = 0; i < sizeof(interfaces) / sizeof(interfaces[0]); i++)
		if (!strcmp(interfaces[i].name, name))
			return interfaces[i].text;
	return NULL;
}
