/* SPDX-License-Identifier: Apache-2.0 */
/*
 * routes: see routes.h. The entry of a host never moves in the table.
 */
#include "routes.h"
#include "core/moment.h"

#include <string.h>

void routes_clear(struct routes *r)
{
	r->beacon_us = 0;
	r->count = 0;
	places_clear(&r->places, 0);
}

/* ---- hosts ------------------------------------------------------------------------------- */

static struct routes_host *find(struct routes *r, const struct elect_id *id)
{
	int at = places_find(&r->places, PLACES_IDS(r->hosts), id);

	return at >= 0 ? &r->hosts[at] : NULL;
}

static const struct routes_host *find_const(const struct routes *r, const struct elect_id *id)
{
	return find((struct routes *)r, id);
}

static unsigned take_place(struct routes *r)
{
	unsigned oldest = 0;

	if (r->count < ROUTES_HOSTS_MAX)
		return r->count++;
	for (unsigned i = 1; i < r->count; i++)
		if (r->hosts[i].heard_us < r->hosts[oldest].heard_us)
			oldest = i;
	places_remove(&r->places, PLACES_IDS(r->hosts), oldest);
	return oldest;
}

static struct routes_host *make(struct routes *r, const struct elect_id *id)
{
	unsigned at = take_place(r);

	r->hosts[at].id = *id;
	places_add(&r->places, PLACES_IDS(r->hosts), at);
	return &r->hosts[at];
}

/* Paths of another process of the host do not hold for this one. */
static struct routes_host *host_of(struct routes *r, const struct elect_session *who)
{
	struct routes_host *h = find(r, &who->id);

	if (!h)
		h = make(r, &who->id);
	else if (h->session == who->session)
		return h;
	memset(h, 0, sizeof(*h));
	h->id = who->id;
	h->session = who->session;
	return h;
}

/* ---- ways -------------------------------------------------------------------------------- */

static struct routes_way *way_find(struct routes_host *h, const struct elect_way *way)
{
	for (unsigned i = 0; i < h->count; i++)
		if (h->ways[i].way.link == way->link &&
			elect_address_equal(&h->ways[i].way.address, &way->address))
			return &h->ways[i];
	return NULL;
}

static struct routes_way *way_of(
	struct routes *r, const struct elect_id *id, const struct elect_way *way)
{
	struct routes_host *h = find(r, id);

	return h ? way_find(h, way) : NULL;
}

static bool leads(const struct routes_way *w, uint64_t now_us)
{
	return w->proven_us && now_us - w->proven_us <= ROUTES_PROVEN_US && w->vain <= ROUTES_VAIN;
}

static bool heard_within(
	const struct routes *r, const struct routes_way *w, uint64_t now_us, unsigned beacons)
{
	return w->heard_us && now_us - w->heard_us <= r->beacon_us * beacons;
}

static bool any_fresh(const struct routes *r, const struct routes_host *h, uint64_t now_us)
{
	for (unsigned i = 0; i < h->count; i++)
		if (heard_within(r, &h->ways[i], now_us, ROUTES_FRESH_BEACONS))
			return true;
	return false;
}

/* A free entry. If there is none: the path that is silent for longest among those that do not lead
   to the host, or among all if none of them is heard. NULL: each one is in use. */
static struct routes_way *way_place(const struct routes *r, struct routes_host *h, uint64_t now_us)
{
	bool heard = any_fresh(r, h, now_us);
	struct routes_way *place = NULL;

	if (h->count < ELECT_WAYS_MAX)
		return &h->ways[h->count++];
	for (unsigned i = 0; i < h->count; i++)
		if ((!heard || !leads(&h->ways[i], now_us)) &&
			(!place || h->ways[i].heard_us < place->heard_us))
			place = &h->ways[i];
	return place;
}

static struct routes_way *way_make(
	const struct routes *r, struct routes_host *h, uint64_t now_us, const struct elect_way *way)
{
	struct routes_way *place = way_place(r, h, now_us);

	if (place)
		*place = (struct routes_way){ .way = *way, .heard_us = now_us };
	return place;
}

static void way_remove(struct routes_host *h, unsigned at)
{
	h->count--;
	memmove(&h->ways[at], &h->ways[at + 1], (h->count - at) * sizeof(h->ways[0]));
}

/* A host that is heard has left the paths by which it was silent for that long. */
static void forget_silent(struct routes_host *h, uint64_t now_us)
{
	for (unsigned i = h->count; i > 0; i--)
		if (now_us - h->ways[i - 1].heard_us > ROUTES_PROVEN_US)
			way_remove(h, i - 1);
}

/* An unverified hint: reported by another host, never heard from and never answered. */
static bool is_word(const struct routes_way *w)
{
	return !w->heard_us && !w->proven_us;
}

static void prove(struct routes_way *w, uint64_t now_us)
{
	w->proven_us = now_us;
	w->vain = 0;
}

static bool any_proven(const struct routes_host *h)
{
	for (unsigned i = 0; i < h->count; i++)
		if (h->ways[i].proven_us)
			return true;
	return false;
}

/* ---- questions --------------------------------------------------------------------------- */

/* A question without an answer is repeated after a beacon. After ROUTES_VAIN of them each pause is
   twice as long as the one before, up to that of a path that answers; shorter under suspicion. */
static uint64_t pause_us(
	const struct routes *r, const struct routes_host *h, const struct routes_way *w)
{
	unsigned doubled = w->vain > ROUTES_VAIN ? w->vain - ROUTES_VAIN : 0;
	uint64_t us = w->vain ? r->beacon_us << (doubled < 16 ? doubled : 16) : ROUTES_ASK_US;
	uint64_t most =
		h->suspect_us > w->asked_us ? r->beacon_us * ROUTES_SUSPECT_BEACONS : ROUTES_ASK_US;

	return us < most ? us : most;
}

/*
 * Only hosts that something is sent to are asked, because on a LAN of a thousand hosts each hears
 * all others. The first path, which was not questioned at first, is asked as soon as there is
 * another.
 */
static bool asks(
	const struct routes *r, const struct routes_host *h, struct routes_way *w, uint64_t now_us)
{
	bool used = h->used_us && now_us - h->used_us <= ROUTES_PROVEN_US;

	if (h->count < 2 || !used || (w->asked_us && now_us - w->asked_us < pause_us(r, h, w)))
		return false;
	w->vain++;
	w->asked_us = now_us;
	return true;
}

bool routes_heard(struct routes *r, uint64_t now_us, const struct elect_session *who,
	const struct elect_way *way, bool answers)
{
	struct routes_host *h = host_of(r, who);
	struct routes_way *w;

	h->heard_us = now_us;
	w = way_find(h, way);
	if (w) {
		w->heard_us = now_us;
		w->once = false;
	}
	forget_silent(h, now_us);
	w = way_find(h, way);
	if (!w)
		w = way_make(r, h, now_us, way);
	if (!w)
		return false;
	if (answers && !any_proven(h))
		prove(w, now_us);
	return asks(r, h, w, now_us);
}

void routes_believed(
	struct routes *r, uint64_t now_us, const struct elect_id *id, const struct elect_way *way)
{
	struct routes_way *w = way_of(r, id, way);

	if (w)
		w->believed_us = now_us;
}

void routes_cast(
	struct routes *r, uint64_t now_us, const struct elect_id *id, const struct elect_way *way)
{
	struct routes_way *w = way_of(r, id, way);

	if (w)
		w->cast_us = now_us;
}

static bool cast_lately(const struct routes *r, const struct routes_way *w, uint64_t now_us)
{
	return w->cast_us && now_us - w->cast_us <= r->beacon_us * ROUTES_HEARS_BEACONS;
}

/* Two links of this host may hear one and the same address. */
static bool cast_before(
	const struct routes *r, const struct routes_host *h, unsigned at, uint64_t now_us)
{
	for (unsigned i = 0; i < at; i++)
		if (cast_lately(r, &h->ways[i], now_us) &&
			elect_address_equal(&h->ways[i].way.address, &h->ways[at].way.address))
			return true;
	return false;
}

struct elect_hears routes_hears(const struct routes *r, uint64_t now_us, const struct elect_id *id)
{
	const struct routes_host *h = find_const(r, id);
	struct elect_hears hears = { 0 };

	for (unsigned i = 0; h && i < h->count; i++) {
		if (!cast_lately(r, &h->ways[i], now_us) || cast_before(r, h, i, now_us))
			continue;
		if (h->ways[i].way.address.family == 4)
			hears.ipv4++;
		else
			hears.ipv6++;
	}
	return hears;
}

void routes_spares(struct routes *r, uint64_t now_us, const struct elect_id *id, uint8_t family)
{
	struct routes_host *h = find(r, id);

	if (!h)
		return;
	h->family = family;
	h->family_us = now_us;
}

/* A host that beacons no longer spares no family. */
static bool is_spared(const struct routes *r, const struct routes_host *h,
	const struct routes_way *w, uint64_t now_us)
{
	return h->family && w->way.address.family != h->family &&
		now_us - h->family_us <= ROUTES_SILENT_BEACONS * r->beacon_us;
}

bool routes_confirms(const struct routes *r, uint64_t now_us, const struct elect_id *id,
	const struct elect_way *way)
{
	struct routes_host *h = find((struct routes *)r, id);
	const struct routes_way *w = h ? way_find(h, way) : NULL;

	return w && w->believed_us &&
		now_us - w->believed_us <= r->beacon_us * ROUTES_FRESH_BEACONS &&
		(!h->suspect_us || now_us - h->suspect_us > ROUTES_PROVEN_US);
}

void routes_asked(struct routes *r, const struct elect_id *id, const struct elect_way *way,
	const struct elect_transaction *transaction)
{
	struct routes_way *w = way_of(r, id, way);

	if (w)
		w->asked = *transaction;
}

void routes_answered(struct routes *r, uint64_t now_us, const struct elect_id *id,
	const struct elect_way *way, const struct elect_transaction *transaction)
{
	struct routes_way *w = way_of(r, id, way);

	if (w && w->vain && !memcmp(&w->asked, transaction, sizeof(*transaction)))
		prove(w, now_us);
}

void routes_to_all_came(struct routes *r, uint64_t now_us, const struct elect_id *id, bool alone)
{
	struct routes_host *h = find(r, id);

	if (!h)
		return;
	h->apart |= alone;
	h->group_us = alone ? 0 : now_us;
}

static bool is_apart(const struct routes *r, uint64_t now_us, const struct routes_host *h)
{
	return h->apart &&
		(!h->group_us || now_us - h->group_us >= r->beacon_us * ROUTES_GROUP_BEACONS);
}

void routes_said(struct routes *r, const struct elect_id *id, const struct elect_address *address)
{
	struct routes_host *h = find(r, id);

	if (h)
		h->said = *address;
}

bool routes_is_apart(const struct routes *r, uint64_t now_us, const struct elect_id *id)
{
	const struct routes_host *h = find_const(r, id);

	return h && is_apart(r, now_us, h);
}

/* Until the host is heard itself, a later report replaces an earlier one. */
void routes_hint(struct routes *r, uint64_t now_us, const struct elect_session *who,
	const struct elect_way *way, bool once)
{
	struct routes_host *h = host_of(r, who);
	struct routes_way *w = h->count ? &h->ways[0] : NULL;

	if (!w)
		w = way_make(r, h, now_us, way);
	else if (!is_word(w) || now_us - h->said_us < ROUTES_HINT_BEACONS * r->beacon_us)
		return;
	*w = (struct routes_way){ .way = *way, .once = once };
	h->said_us = now_us;
}

void routes_later(struct routes *r, uint64_t now_us, uint64_t late_us)
{
	for (unsigned i = 0; i < r->count; i++) {
		struct routes_host *h = &r->hosts[i];

		moment_later(&h->heard_us, now_us, late_us);
		moment_later(&h->said_us, now_us, late_us);
		moment_later(&h->family_us, now_us, late_us);
		for (unsigned at = 0; at < h->count; at++) {
			moment_later(&h->ways[at].heard_us, now_us, late_us);
			moment_later(&h->ways[at].cast_us, now_us, late_us);
			moment_later(&h->ways[at].proven_us, now_us, late_us);
		}
	}
}

uint64_t routes_session(const struct routes *r, uint64_t now_us, const struct elect_id *id)
{
	const struct routes_host *h = find_const(r, id);

	if (!h || !h->count || now_us - h->heard_us > ROUTES_SILENT_BEACONS * r->beacon_us)
		return 0;
	return h->session;
}

/* ---- to reach it ------------------------------------------------------------------------- */

static void add(struct elect_ways *ways, struct routes_way *w)
{
	if (w->once && w->spent)
		return;
	w->spent = true;
	ways->items[ways->count++] = w->way;
}

/* A link that receives nothing may still send, whatever its unanswered questions suggest. The other
   paths may fail in the opposite direction, so they are asked again, once. */
static void add_silent(
	const struct routes *r, struct routes_host *h, uint64_t now_us, struct elect_ways *ret_ways)
{
	for (unsigned i = 0; i < h->count; i++) {
		struct routes_way *w = &h->ways[i];

		if (!w->proven_us || !w->heard_us ||
			heard_within(r, w, now_us,
				is_spared(r, h, w, now_us) ? ROUTES_SPARED_BEACONS
							   : ROUTES_FRESH_BEACONS))
			continue;
		add(ret_ways, w);
		if (h->suspect_us < w->heard_us)
			h->suspect_us = now_us;
	}
}

static unsigned add_good(const struct routes *r, struct routes_host *h, uint64_t now_us,
	bool spared, struct routes_way *good[ELECT_WAYS_MAX])
{
	unsigned count = 0, beacons = spared ? ROUTES_SPARED_BEACONS : ROUTES_FRESH_BEACONS;

	for (unsigned i = 0; i < h->count; i++)
		if (leads(&h->ways[i], now_us) && is_spared(r, h, &h->ways[i], now_us) == spared &&
			heard_within(r, &h->ways[i], now_us, beacons))
			good[count++] = &h->ways[i];
	return count;
}

/* Uses the paths that lead there and are heard, one after the other; those of a spared family only
   if there is no other. */
static bool in_turn(
	const struct routes *r, struct routes_host *h, uint64_t now_us, struct elect_ways *ret_ways)
{
	struct routes_way *good[ELECT_WAYS_MAX];
	unsigned count = add_good(r, h, now_us, false, good);

	if (count == 0)
		count = add_good(r, h, now_us, true, good);
	if (count == 0)
		return false;
	add(ret_ways, good[h->turn++ % count]);
	add_silent(r, h, now_us, ret_ways);
	return true;
}

static void all(struct routes_host *h, bool words, struct elect_ways *ret_ways)
{
	for (unsigned i = 0; i < h->count; i++)
		if (words == is_word(&h->ways[i]))
			add(ret_ways, &h->ways[i]);
}

static void suspected(struct routes_host *h, struct elect_ways *ret_ways)
{
	all(h, false, ret_ways);
	if (!ret_ways->count)
		all(h, true, ret_ways);
}

void routes_to(struct routes *r, uint64_t now_us, const struct elect_id *id, bool suspect,
	struct elect_ways *ret_ways)
{
	struct routes_host *h = find(r, id);

	ret_ways->count = 0;
	if (!h)
		return;
	h->used_us = now_us;
	if (suspect)
		h->suspect_us = now_us;
	else if (in_turn(r, h, now_us, ret_ways))
		return;
	suspected(h, ret_ways);
}

static uint64_t silent_since_us(const struct routes_host *h)
{
	return h->heard_us > h->said_us ? h->heard_us : h->said_us;
}

/* A host that may be gone is sent to for a while, then not for a while. */
static bool is_told(struct routes_host *h, uint64_t now_us)
{
	if (now_us - silent_since_us(h) > ROUTES_GONE_US)
		return false;
	if (!h->told_us || now_us - h->told_us >= ROUTES_PAUSE_US)
		h->told_us = now_us;
	return now_us - h->told_us < ROUTES_TOLD_US;
}

/* Hints are used only if no path has ever answered. Otherwise a single datagram of an attacker
   would make all messages to all hosts go to an address that it chose. */
static bool carries_all(const struct routes_host *h, const struct routes_way *w)
{
	return w->proven_us || !any_proven(h);
}

unsigned routes_to_all(struct routes *r, uint64_t now_us, bool apart,
	bool (*is_listed)(const void *user, const struct elect_id *id), const void *user,
	struct elect_way *ret_ways, unsigned most)
{
	unsigned count = 0;

	for (unsigned i = 0; i < r->count; i++) {
		struct routes_host *h = &r->hosts[i];
		struct elect_ways ways = { 0 };

		if ((apart && !is_apart(r, now_us, h)) ||
			(now_us - silent_since_us(h) > ROUTES_PROVEN_US &&
				!is_listed(user, &h->id) && !is_told(h, now_us)))
			continue;
		h->used_us = now_us;
		for (unsigned at = 0; at < h->count; at++)
			if (carries_all(h, &h->ways[at]))
				add(&ways, &h->ways[at]);
		for (unsigned at = 0; at < ways.count && count < most; at++)
			ret_ways[count++] = ways.items[at];
	}
	return count;
}

static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) /* FNV-1a */
		hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
	return hash;
}

uint64_t routes_changed(const struct routes *r, uint64_t now_us, bool apart)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (unsigned i = 0; i < r->count; i++) {
		const struct routes_host *h = &r->hosts[i];

		if (apart && !is_apart(r, now_us, h))
			continue;
		for (unsigned at = 0; at < h->count; at++) {
			const struct elect_address *a = &h->ways[at].way.address;

			if (!carries_all(h, &h->ways[at]))
				continue;
			hash = mix(hash, a->bytes, sizeof(a->bytes));
			hash = mix(hash, &a->port, sizeof(a->port));
			hash = mix(hash, &h->ways[at].way.link, sizeof(h->ways[at].way.link));
		}
	}
	return hash;
}

static const struct elect_way *first_within(
	const struct routes *r, uint64_t now_us, const struct elect_id *id, unsigned beacons)
{
	const struct routes_host *h = find_const(r, id);
	const struct routes_way *proven = NULL;

	for (unsigned i = 0; h && i < h->count; i++) {
		const struct routes_way *w = &h->ways[i];

		if (leads(w, now_us) && heard_within(r, w, now_us, beacons))
			return &w->way;
		if (w->proven_us && !proven)
			proven = w;
	}
	if (proven)
		return &proven->way;
	return h && h->count ? &h->ways[0].way : NULL;
}

const struct elect_way *routes_best(
	const struct routes *r, uint64_t now_us, const struct elect_id *id)
{
	return first_within(r, now_us, id, ROUTES_FRESH_BEACONS);
}

const struct elect_way *routes_told(
	const struct routes *r, uint64_t now_us, const struct elect_id *id)
{
	return first_within(r, now_us, id, ROUTES_TOLD_BEACONS);
}

static enum elect_way_state state_of(const struct routes_way *w)
{
	if (w->vain > ROUTES_VAIN)
		return ELECT_WAY_UNANSWERED;
	return w->proven_us ? ELECT_WAY_ANSWERS : ELECT_WAY_HEARD;
}

unsigned routes_list(const struct routes *r, const struct elect_id *id,
	struct elect_way_info ret_list[ELECT_WAYS_MAX])
{
	const struct routes_host *h = find_const(r, id);
	unsigned count = h ? h->count : 0;

	for (unsigned i = 0; i < count; i++)
		ret_list[i] = (struct elect_way_info){ h->ways[i].way, h->ways[i].heard_us,
			state_of(&h->ways[i]) };
	return count;
}

/* ---- what ends --------------------------------------------------------------------------- */

void routes_forget(struct routes *r, const struct elect_session *who)
{
	struct routes_host *h = find(r, &who->id);

	if (h && h->session == who->session)
		h->count = 0;
}

void routes_follow_links(struct routes *r,
	enum routes_link (*state)(const void *user, uint32_t link), const void *user)
{
	for (unsigned i = 0; i < r->count; i++) {
		struct routes_host *h = &r->hosts[i];

		for (unsigned at = h->count; at > 0; at--) {
			enum routes_link link = state(user, h->ways[at - 1].way.link);

			if (link == ROUTES_LINK_GONE)
				way_remove(h, at - 1);
			else if (link == ROUTES_LINK_DOWN)
				h->ways[at - 1].heard_us = h->ways[at - 1].asked_us = 0;
		}
	}
}
