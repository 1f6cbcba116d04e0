/* SPDX-License-Identifier: Apache-2.0 */
/*
 * holders: which clients leadership waits for, and which of them have not released it yet. It sends
 * nothing; control/watch.c sends the events.
 *
 * A holder releases only by a Release. The end of its connection is not enough, because a killed
 * process may have left work behind. If a connection ends while this host leads, the next release
 * therefore waits for that holder until its time is over, unless the holder has left before by a
 * Release with number 0.
 *
 * A copy of this process (node/copy.c) takes a closed connection for a Release, because no process
 * is left there that could receive one.
 */
#include "core/line.h"
#include "inside.h"

#include <event2/event.h>
#include <string.h>

bool holder_is(const struct client *c)
{
	return c->ctl && c->subscribed && c->holder[0];
}

bool holders_any(const struct ctl *ctl)
{
	for (unsigned i = 0; i < CTL_PLACES; i++)
		if (holder_is(&ctl->clients[i]))
			return true;
	return false;
}

unsigned holders_lost(const struct ctl *ctl)
{
	return ctl->gone_count + ctl->gone_more;
}

bool ctl_any_holder(const struct ctl *ctl)
{
	return holders_any(ctl) || holders_lost(ctl);
}

/* Counts the holders of one rank that have not released. */
static unsigned owing(const struct ctl *ctl, enum rank rank)
{
	unsigned count = rank == RANK_HOOK ? ctl->gone_more : 0;

	for (unsigned i = 0; i < CTL_PLACES; i++)
		count += holder_is(&ctl->clients[i]) && ctl->clients[i].owes &&
			ctl->clients[i].rank == rank;
	for (unsigned i = 0; i < ctl->gone_count; i++)
		count += ctl->gone[i].rank == rank;
	return count;
}

unsigned holders_owing(const struct ctl *ctl)
{
	return owing(ctl, RANK_ADDRESS) + owing(ctl, RANK_HOOK);
}

bool holder_asked(const struct client *c)
{
	return c->owes && ranks_asks(&c->ctl->ranks, c->rank);
}

static bool begins_late(const struct client *c)
{
	return holder_is(c) && c->rank == RANK_ADDRESS && c->promoted < c->ctl->token;
}

void holders_look(struct ctl *ctl, uint64_t now_us)
{
	struct ranks_waited waited = { .release = owing(ctl, RANK_HOOK) };

	for (unsigned i = 0; i < CTL_PLACES; i++)
		waited.begin += begins_late(&ctl->clients[i]);
	ranks_look(&ctl->ranks, &waited, now_us);
}

void holders_look_soon(struct ctl *ctl)
{
	event_active(ctl->ranked, EV_TIMEOUT, 1);
}

static void add_name(struct line *line, bool first, const char *name, uid_t uid)
{
	line_add(line, "%s%s", first ? "" : ", ", name[0] ? name : "one without a name");
	if (uid)
		line_add(line, " (uid %u)", (unsigned)uid);
}

void ctl_beginning(const struct ctl *ctl, char *ret_words, size_t size)
{
	struct line line = line_begin(ret_words, size);
	bool first = true;

	for (unsigned i = 0; i < CTL_PLACES; i++) {
		const struct client *c = &ctl->clients[i];

		if (!begins_late(c))
			continue;
		add_name(&line, first, c->name, c->peer.uid);
		first = false;
	}
}

static void add_gone(struct line *line, const struct ctl *ctl, bool first)
{
	for (unsigned i = 0; i < ctl->gone_count; i++) {
		add_name(line, first && !i, ctl->gone[i].name, ctl->gone[i].uid);
		line_add(line, " (gone)");
	}
	if (ctl->gone_more)
		line_add(line, "%s%u more (gone)", first && !ctl->gone_count ? "" : ", ",
			ctl->gone_more);
}

unsigned ctl_holding(const struct ctl *ctl, char *ret_words, size_t size)
{
	struct line line = line_begin(ret_words, size);
	bool first = true;

	if (!ctl->releasing)
		return 0;
	for (unsigned i = 0; i < CTL_PLACES; i++) {
		const struct client *c = &ctl->clients[i];

		if (!holder_is(c) || !holder_asked(c))
			continue;
		add_name(&line, first, c->name, c->peer.uid);
		first = false;
	}
	add_gone(&line, ctl, first);
	return holders_owing(ctl);
}

/* The source is called from the event loop, because this may be inside one of its steps. */
static void look_whether_released(struct ctl *ctl)
{
	if (ctl->releasing && !holders_owing(ctl))
		event_active(ctl->released, EV_TIMEOUT, 1);
	holders_look_soon(ctl);
}

unsigned ctl_holder_fds(const struct ctl *ctl, int ret_fds[CTL_PLACES])
{
	unsigned count = 0;

	for (unsigned i = 0; i < CTL_PLACES; i++)
		if (holder_is(&ctl->clients[i]))
			ret_fds[count++] = ctl->clients[i].fd;
	return count;
}

uint64_t ctl_holders_changed(const struct ctl *ctl)
{
	return ctl->holders_changed;
}

static bool is_hookd(const char *name, uid_t uid)
{
	return uid == 0 && !strcmp(name, CTL_HOOKD_NAME);
}

/* Holders keep their places, so the user electd-address has few: reporters need the others. */
static bool fits_rank(const struct client *c, enum rank rank)
{
	unsigned count = 0;

	for (unsigned i = 0; i < CTL_PLACES; i++)
		count += holder_is(&c->ctl->clients[i]) &&
			c->ctl->clients[i].peer.uid == c->peer.uid;
	return rank != RANK_ADDRESS || c->peer.uid == 0 || count < CTL_ADDRESS_HOLDERS;
}

bool holders_fit(const struct client *c, const char *name, enum rank rank)
{
	bool hookd = name && is_hookd(name, c->peer.uid);
	unsigned most = CTL_PLACES_KEPT - (hookd ? CTL_PLACES_KEPT_LAST : CTL_PLACES_KEPT_CALLS);
	unsigned count = 0;

	for (unsigned i = 0; i < CTL_PLACES; i++) {
		const struct client *other = &c->ctl->clients[i];

		count += holder_is(other) && other->peer.kept &&
			(other->peer.uid == 0) == (c->peer.uid == 0);
	}
	return fits_rank(c, rank) && (!c->peer.kept || count < most);
}

/* ---- holders that are gone ------------------------------------------------------------------- */

static void forget(struct ctl *ctl, unsigned index)
{
	ctl->gone[index] = ctl->gone[--ctl->gone_count];
}

void holders_role(struct ctl *ctl, bool leads, uint64_t token)
{
	ctl->leads = leads;
	ctl->token = token;
	if (!leads)
		ctl->gone_count = ctl->gone_more = 0;
}

/*
 * electd-hookd first demotes what an earlier electd-hookd left behind, and electd-address removes
 * such addresses, so they answer for it.
 */
static bool answers_for(const struct client *c, enum rank rank, const char *name, uid_t uid)
{
	bool follows = is_hookd(name, uid) || rank == RANK_ADDRESS;

	return holder_is(c) && follows && c->rank == rank && c->peer.uid == uid &&
		!strcmp(c->name, name);
}

static bool is_answered_for(const struct client *gone)
{
	for (unsigned i = 0; i < CTL_PLACES; i++) {
		const struct client *c = &gone->ctl->clients[i];

		if (c->number > gone->number &&
			answers_for(c, gone->rank, gone->name, gone->peer.uid))
			return true;
	}
	return false;
}

/* True if the current release, or else the next one, waits for this holder. */
static bool is_waited_for(const struct client *c)
{
	return c->ctl->releasing ? c->owes : c->ctl->leads;
}

void holders_leave(const struct client *c)
{
	struct ctl *ctl = c->ctl;
	struct gone *g = &ctl->gone[ctl->gone_count];

	if (!is_waited_for(c) || is_answered_for(c))
		return;
	if (ctl->gone_count == CTL_GONE_MAX) {
		ctl->gone_more++;
		return;
	}
	memcpy(g->holder, c->holder, sizeof(g->holder));
	memcpy(g->name, c->name, sizeof(g->name));
	g->uid = c->peer.uid;
	g->rank = c->rank;
	ctl->gone_count++;
}

static enum ctl_error release_gone(
	struct ctl *ctl, const struct ctl_peer *peer, const char *holder, uint64_t number)
{
	for (unsigned i = 0; i < ctl->gone_count; i++) {
		if (ctl->gone[i].uid != peer->uid || strcmp(ctl->gone[i].holder, holder) != 0)
			continue;
		if (number && (!ctl->releasing || number != ctl->release))
			return CTL_NOT_RELEASING;
		forget(ctl, i);
		look_whether_released(ctl);
		return CTL_OK;
	}
	return CTL_NO_SUCH_HOLDER;
}

/* ---- joining, releasing, leaving ------------------------------------------------------------- */

void holders_came(struct client *c)
{
	struct ctl *ctl = c->ctl;

	for (unsigned i = ctl->gone_count; i-- > 0;)
		if (answers_for(c, ctl->gone[i].rank, ctl->gone[i].name, ctl->gone[i].uid))
			forget(ctl, i);
	ctl->holders_changed++;
	ctl->source.holders(ctl->source.user, true);
}

void holders_gone(struct ctl *ctl, bool holder)
{
	if (holder) {
		ctl->holders_changed++;
		ctl->source.holders(ctl->source.user, false);
	}
	look_whether_released(ctl);
	if (!holders_any(ctl))
		evtimer_del(ctl->alive);
}

/* The work of the holder has ended for good, so the client becomes an ordinary subscriber. */
static void take_leave(struct client *c)
{
	c->holder[0] = '\0';
	c->owes = c->alive_due = c->missed = false;
	holders_gone(c->ctl, true);
}

enum ctl_error holders_release(
	struct ctl *ctl, const struct ctl_peer *peer, const char *holder, uint64_t number)
{
	for (unsigned i = 0; i < CTL_PLACES; i++) {
		struct client *c = &ctl->clients[i];

		if (!holder_is(c) || c->peer.uid != peer->uid || strcmp(c->holder, holder) != 0)
			continue;
		if (!number) {
			take_leave(c);
			return CTL_OK;
		}
		if (!ctl->releasing || !holder_asked(c) || number != ctl->release)
			return CTL_NOT_RELEASING;
		c->owes = false;
		look_whether_released(ctl);
		return CTL_OK;
	}
	return release_gone(ctl, peer, holder, number);
}

bool holders_promoted(
	struct ctl *ctl, const struct ctl_peer *peer, const char *holder, uint64_t token)
{
	for (unsigned i = 0; i < CTL_PLACES; i++) {
		struct client *c = &ctl->clients[i];

		if (!holder_is(c) || c->rank != RANK_ADDRESS || c->peer.uid != peer->uid ||
			strcmp(c->holder, holder) != 0)
			continue;
		c->promoted = token;
		holders_look_soon(ctl);
		return true;
	}
	return false;
}

bool holders_hookd(const struct ctl *ctl, const char *holder)
{
	for (unsigned i = 0; i < CTL_PLACES; i++) {
		const struct client *c = &ctl->clients[i];

		if (holder_is(c) && is_hookd(c->name, c->peer.uid) &&
			(!holder || !strcmp(c->holder, holder)))
			return true;
	}
	return false;
}

bool ctl_any_hookd(const struct ctl *ctl)
{
	return holders_hookd(ctl, NULL);
}

bool holders_address(const struct ctl *ctl, const struct ctl_peer *peer, const char *holder)
{
	for (unsigned i = 0; i < CTL_PLACES; i++) {
		const struct client *c = &ctl->clients[i];

		if (holder_is(c) && c->rank == RANK_ADDRESS &&
			(!peer || c->peer.uid == peer->uid) &&
			(!holder || !strcmp(c->holder, holder)))
			return true;
	}
	return false;
}

bool ctl_reports_addresses(const struct ctl *ctl, const char *holder)
{
	return holders_address(ctl, NULL, holder);
}
