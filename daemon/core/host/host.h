/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host: one host's election together with its codec and its trust, still without side effects.
 *
 * The daemon (node/) and the simulator both feed datagrams and events here and carry out the
 * actions that come back. Everything that both would have to do between a datagram and elect_step()
 * is done here once: check, decode, answer Challenges, challenge unverified peers, notice another
 * process with this host's id, find the paths, compose, encode. Times are as in elect.h. Nothing is
 * locked: all calls for one host come from one thread.
 */
#ifndef ELECTD_CORE_HOST_HOST_H
#define ELECTD_CORE_HOST_HOST_H

#include "core/elect.h"
#include "core/links.h"
#include "core/routes/named.h"
#include "core/trust/other_keys.h"
#include "core/trust/trust.h"
#include "core/wire/wire.h"

struct host;

struct host_counters {
	uint64_t sent[ELECT_MSG_TYPES];	    /* datagrams; a multicast counts as one */
	uint64_t received[ELECT_MSG_TYPES]; /* those that were believed */
	uint64_t dropped[WIRE_VERDICTS];
};

/*
 * A datagram to send. With `to_all` it goes out by each link and to each path of host_to_all();
 * otherwise by each of `ways`, and nowhere if there are none. Seal it anew for each source address,
 * because the tag covers that address.
 */
struct host_datagram {
	bool to_all;
	uint8_t family; /* to all: 4 or 6, not by the links of host_spares(); 0: by each link */
	struct elect_ways ways;
	unsigned near; /* bits of `ways`: that neighbour was heard just now (routes_confirms()) */
	enum elect_msg_type type;
	size_t size;
	uint8_t bytes[WIRE_SIZE_MAX];
};

enum {
	HOST_LINKS_MAX = 32,
	HOST_OTHER_US = 60000000,
	HOST_ALL_MAX = ROUTES_HOSTS_MAX + ELECT_PEERS_MAX, /* paths of one datagram to all */
};

/* Hosts that multicast does not reach: network.peers and network.hops. */
struct host_reach {
	struct named named; /* empty: this host finds others by multicast only */
	bool routers;	    /* datagrams that routers have forwarded are accepted */
};

/*
 * The will: datagrams that the copy of a coordinator's process sends when that process is gone
 * (will.md). While the work for its role has not ended: up to `crashing` datagrams,
 * `every_us` apart, for `most_us` at most. Then HOST_WILL_REPEATS more, HOST_WILL_REPEAT_US apart,
 * which report that the work has ended.
 */
struct host_will {
	struct elect_send send;
	struct elect_key key; /* the key that seals it */
	unsigned crashing;
	uint64_t every_us, most_us;
	uint64_t ways; /* changes when it must be sent to other hosts beyond multicast */
};

enum {
	HOST_WILL_WORDS = 4,  /* within dead_after: two may be lost, and one late */
	HOST_WILL_MAX = 2048, /* datagrams of the first kind, on all paths together */
	HOST_WILL_REPEATS = 3,
	HOST_WILL_REPEAT_US = 20000,
};

size_t host_size(void);

/* Where the keys are kept, in memory that the caller guards. Call it before the first event.
   Without it, as in tests and the simulator, they are a part of the host. */
void host_keep_keys_at(struct host *h, struct ring *place);

/* The first event. The ring is copied; NULL: only the built-in key of the domain. */
void host_start(struct host *h, uint64_t now_us, const char *domain, const struct ring *ring,
	const struct elect_start *start, struct elect_actions *ret_actions);

/* Changes the keys at once. Ask elect_keys_step() before, or the group may split. Sessions that
   were verified only by a removed key are forgotten. */
void host_set_keys(struct host *h, uint64_t now_us, const struct ring *ring,
	struct elect_actions *ret_actions);

/* The version of this program, sent to a host that asks all and leaves space for it. Not sent
   unless elect_name_valid(). The text must outlive the host. */
void host_set_version(struct host *h, const char *version);

/*
 * The LANs in use, at most HOST_LINKS_MAX; none before the first call. The inviter's address in a
 * forwarded Invitation is used only if another host on these LANs can have it; otherwise it counts
 * as unknown (family 0). A datagram from an address that cannot be on its link (links_lead()) is
 * judged, but makes no path unless host_set_reach() allows it. A link without a carrier is not used
 * to reach a host that is heard by another one. A datagram with our id and session from an address
 * that is not ours comes from a copy of this process.
 */
void host_set_links(struct host *h, const struct host_link *links, unsigned count);

/*
 * None before the first call. With peers or routers, a host outside our LANs is answered where it
 * was heard from. If another host reports its address in a message that a key of a file has sealed,
 * one datagram goes there. A host whose datagrams to all come to this host alone, not by multicast,
 * gets a redirect to this host's coordinator.
 */
void host_set_reach(struct host *h, const struct host_reach *reach);

/* Writes each path by which a datagram to all is sent beyond multicast. Returns how many. */
unsigned host_to_all(struct host *h, uint64_t now_us, struct elect_way ret_ways[HOST_ALL_MAX]);

/* When a configured peer was last heard, 0: never; and by which link it is reached, 0: none. */
uint64_t host_peer_heard_us(const struct host *h, unsigned at);
uint32_t host_peer_link(const struct host *h, unsigned at);

/*
 * Judges a datagram that came by that path; keeps its bytes only as copies. Carry out ret_actions
 * whatever the verdict. Only WIRE_OK feeds the datagram to the election (but see
 * elect_hear_hello()). Any other verdict counts the drop; an authentic datagram also updates
 * windows and paths. WIRE_UNPROVEN: a Challenge may go to the sender, now or when this host is
 * woken; the datagram is acted on when the answer comes. WIRE_DUPLICATE and WIRE_REPLAYED may cause
 * a Challenge too (put_back.h), and so may WIRE_TYPE_BAD (host_runs_other()).
 */
enum wire_verdict host_receive(struct host *h, uint64_t now_us, const struct elect_way *way,
	const uint8_t *bytes, size_t size, struct elect_actions *ret_actions);

/* The same for a datagram that came by multicast, not to this host alone. */
enum wire_verdict host_receive_by_group(struct host *h, uint64_t now_us,
	const struct elect_way *way, const uint8_t *bytes, size_t size,
	struct elect_actions *ret_actions);

/*
 * Reads a datagram that came from there by an address family that this host does not use, only to
 * report it. NULL: not authentic, or of this host's own id. Valid until the next step. Changes
 * nothing.
 */
const struct elect_msg *host_overhear(struct host *h, uint64_t now_us,
	const struct elect_address *from, const uint8_t *bytes, size_t size);

/* Any other event; START and MESSAGE have functions of their own. */
void host_step(struct host *h, const struct elect_event *event, struct elect_actions *ret_actions);

/*
 * Composes datagram `n` of a SEND action of the last step, for n from 0 to host_datagrams() - 1 in
 * this order and before the next step. Each call uses a new sequence number. The datagram is not
 * sealed yet.
 */
unsigned host_datagrams(const struct elect_send *send);
void host_compose(struct host *h, uint64_t now_us, const struct elect_send *send, unsigned n,
	struct host_datagram *ret_datagram);
void host_seal(
	const struct host *h, const struct elect_address *source, struct host_datagram *datagram);

/* Is the datagram to all not sent by that link, because the same LAN has a link of the family that
   is enough (links.md, Two families)? */
bool host_spares(const struct host *h, const struct host_datagram *datagram, uint32_t link);

/* The will that this host would leave now on that many paths; false: none. Compose and seal its
   datagrams in advance: first `crashing` of them, then the repeats. */
bool host_will(const struct host *h, uint64_t now_us, unsigned paths, struct host_will *ret_will);
/* Would both wills send the same to the same hosts? If not, the will must be made anew. */
bool host_will_same(const struct host_will *a, const struct host_will *b);
void host_will_compose(struct host *h, const struct host_will *will, unsigned n,
	struct host_datagram *ret_datagram);

/* All paths to a host, for packets other than our datagrams (the question to its kernel). */
void host_ways(
	struct host *h, uint64_t now_us, const struct elect_id *id, struct elect_ways *ret_ways);

/* The path whose address users are shown; datagrams may use another one. NULL: none is known. */
const struct elect_way *host_way(const struct host *h, uint64_t now_us, const struct elect_id *id);

/* All that is known of the paths to a host. Returns how many. */
unsigned host_ways_list(const struct host *h, const struct elect_id *id,
	struct elect_way_info ret_list[ELECT_WAYS_MAX]);

/* The message of the last datagram, valid until the next one; NULL if it was not decoded. If a
   Challenge_answer verified its sender: the sender's kept message, which was acted on instead. */
const struct elect_msg *host_heard(const struct host *h);

/* The hosts heard lately under keys that this host does not have. None of it is authentic, so only
   report it. Returns how many. */
unsigned host_other_keys(
	const struct host *h, uint64_t now_us, struct other_key_info ret_list[OTHER_KEYS_MAX]);

/* A host of the domain that runs another election, and when its last message came. */
struct host_other {
	struct elect_id id;
	uint64_t at_us;
};

/*
 * The host that sent a message of another election from a verified session in the last
 * HOST_OTHER_US. NULL: there is none, or it is a member by now. If there are several, it is the
 * first, as long as its messages continue. Such a message is not decoded and changes nothing. Its
 * session is sent a Challenge, at most one per beacon interval for all such sessions.
 */
const struct host_other *host_runs_other(const struct host *h, uint64_t now_us);

const struct elect *host_elect(const struct host *h);
struct trust *host_trust(struct host *h);
struct host_counters *host_counters(struct host *h);

#endif
