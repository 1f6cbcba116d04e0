/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes of a client through framing, parser and methods, as control/socket.c feeds them; the node
 * behind is a row of constants. The first byte says whether an admin is speaking and how large the
 * pieces are. What must hold of every reply is asserted: it is whole, and nobody else changes
 * anything.
 */
#include "control/call.h"
#include "words/history.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static struct elect_config config = { .name = "fuzz", .priority = 100 };
static const struct other_key_info other = { .seen = true };
static bool changed;

static void facts(void *user, struct ctl_facts *ret_facts)
{
	(void)user;
	*ret_facts = (struct ctl_facts){
		.domain = "fuzz",
		.version = "0",
		.auth_mode = "auto",
		.config = &config,
		.members_count = 2,
		.foreign_count = 1,
		.problems_count = 1,
		.problems = { "problem" },
		.others_count = 1,
		.others = { { &other, "words" } },
		.hooks_on_failure = "ignore",
	};
}

static void member(void *user, unsigned rank, struct elect_member_info *ret_info)
{
	(void)user;
	*ret_info = (struct elect_member_info){ .rank = rank, .member.name = "member" };
}

static void foreign(void *user, unsigned index, struct elect_foreign *ret_foreign)
{
	(void)user;
	(void)index;
	*ret_foreign = (struct elect_foreign){ .name = "foreign" };
}

static const char *name(void *user, const struct elect_id *id)
{
	(void)user;
	(void)id;
	return "name";
}

static const char *why(void *user, const struct elect_view *view)
{
	(void)user;
	(void)view;
	return "because";
}

static bool resign(void *user, uint64_t for_us)
{
	(void)user;
	assert(for_us <= (uint64_t)CTL_RESIGN_S_MAX * 1000000);
	changed = true;
	return true;
}

static void priority(void *user, uint8_t p)
{
	(void)user;
	(void)p;
	changed = true;
}

static void hold(void *user, bool on)
{
	(void)user;
	(void)on;
	changed = true;
}

static void define(void *user, const uint8_t *bytes, size_t size)
{
	uint8_t copy[ELECT_DEFINITION_MAX];

	(void)user;
	assert(size <= sizeof(copy));
	memcpy(copy, bytes, size);
	changed = true;
}

static void reload(void *user, struct ctl_reload *ret_reload)
{
	(void)user;
	*ret_reload = (struct ctl_reload){ .changed_count = 1, .changed = { "priority" } };
	changed = true;
}

static const struct history *no_history(void *user)
{
	static const struct history empty;

	(void)user;
	return &empty;
}

static char *metrics(void *user)
{
	(void)user;
	return strdup("electd_is_leader 1\n");
}

static const struct hooks *no_hooks(void *user)
{
	static const struct hooks empty;

	(void)user;
	return &empty;
}

static void hook_report(void *user, const struct hooks_report *report)
{
	(void)user;
	assert(report->event < HOOK_EVENTS && report->result < HOOK_RESULTS);
	assert(strlen(report->script) <= HOOKS_SCRIPT_MAX);
	changed = true;
}

static void renew(void *user)
{
	(void)user;
}

static const struct ctl_source source = {
	.facts = facts,
	.member = member,
	.foreign = foreign,
	.name = name,
	.why = why,
	.resign = resign,
	.priority = priority,
	.hold = hold,
	.define = define,
	.reload = reload,
	.history = no_history,
	.metrics = metrics,
	.hooks = no_hooks,
	.hook_report = hook_report,
	.hooks_renew = renew,
};

static const char *desk_hold(void *user, const char *name)
{
	assert(!name || strlen(name) <= CTL_NAME_MAX);
	assert(((const struct ctl_peer *)user)->admin);
	return "0123456789abcdef";
}

static enum ctl_error desk_release(void *user, const char *holder, uint64_t number)
{
	assert(((const struct ctl_peer *)user)->admin);
	assert(strlen(holder) < CTL_HOLDER_SIZE);
	return number ? CTL_NOT_RELEASING : CTL_OK;
}

static bool desk_hookd(void *user, const char *holder)
{
	assert(!holder || ((const struct ctl_peer *)user)->uid == 0);
	return true;
}

/* False: the connection would be closed. */
static bool serve(struct ctl_input *in, const struct ctl_peer *peer)
{
	const uint64_t sequence = 1;
	const struct ctl_desk desk = { &sequence, desk_hold, desk_release, desk_hookd,
		(void *)peer };
	struct ctl_reply reply;
	const char *text;
	bool open = true;
	size_t size;

	while (open && (text = ctl_input_next(in, &size))) {
		changed = false;
		ctl_call(&source, peer, &desk, text, size, &reply);
		assert(!reply.text || strlen(reply.text) + 1 == reply.size);
		assert(!reply.waits || !reply.text);
		assert(!changed || peer->admin);
		open = !reply.hang_up && !reply.subscribed;
		free(reply.text);
		ctl_input_taken(in);
	}
	return open;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct ctl_input in = { 0 };
	struct ctl_peer peer = { 1000, false };
	size_t piece, room;
	char *place;

	if (!size)
		return 0;
	peer.admin = bytes[0] & 1;
	peer.uid = peer.admin ? 0 : 1000;
	piece = (size_t)(bytes[0] >> 1) + 1;
	for (size_t at = 1; at < size && !ctl_input_room(&in, &place, &room); at += room) {
		room = room < piece ? room : piece;
		room = room < size - at ? room : size - at;
		memcpy(place, bytes + at, room);
		ctl_input_added(&in, room);
		if (!serve(&in, &peer))
			break;
	}
	ctl_input_free(&in);
	return 0;
}
