/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host: one host's election behind its codec and its trust; still pure.
 *
 * The daemon (node/) and the simulator are twins: both feed bytes and events here and carry out
 * what comes back. What both would have to do between a datagram and elect_step() stands here
 * once: check, decode, answer challenges, challenge strangers, notice a duplicate of one's own id,
 * compose, encode.
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
	uint64_t sent[ELECT_MSG_TYPES];	    /* datagrams; a multicast counts once */
	uint64_t received[ELECT_MSG_TYPES]; /* accepted ones */
	uint64_t dropped[WIRE_VERDICTS];
};

/*
 * A datagram to send, to everybody by each link and by host_to_all(), or to one host by each of
 * those ways: a way that is none is sent nothing. Seal it for each: the source address is under the
 * tag.
 */
struct host_datagram {
	bool to_all;
	struct elect_ways ways;
	enum elect_msg_type type;
	size_t size;
	uint8_t bytes[WIRE_SIZE_MAX];
};

enum {
	HOST_LINKS_MAX = 32,
	HOST_OTHER_US = 60000000,
	HOST_ALL_MAX = ROUTES_HOSTS_MAX + ELECT_PEERS_MAX, /* ways to all; there are hardly more */
};

/* What the group does not reach: network.peers and network.hops. */
struct host_reach {
	struct named named; /* none: this host looks for nobody but by the group */
	bool routers;	    /* between hosts: what comes over them is heard */
};

/*
 * What the copy of a coordinator's process has to say when that is gone (algorithm.md 4.11): while
 * what acts on its role has not ended, `crashing` datagrams, `every_us` apart; after `most_us` it
 * is waited for no longer; then HOST_WILL_REPEATS more, HOST_WILL_REPEAT_US apart, that all is
 * over.
 */
struct host_will {
	struct elect_send send;
	struct elect_key key; /* what it is sealed with */
	unsigned crashing;
	uint64_t every_us, most_us;
	uint64_t
		ways; /* another number when others are to hear it, whom the group does not reach */
};

enum {
	HOST_WILL_WORDS = 4,  /* within dead_after: two in a row may be lost, and one late */
	HOST_WILL_MAX = 2048, /* of the first kind, on all paths together */
	HOST_WILL_REPEATS = 3,
	HOST_WILL_REPEAT_US = 20000,
};

size_t host_size(void);

/*
 * Before the first event: where the keys are kept from then on, in memory that the caller guards.
 * Else they are a part of the host, as for tests and the simulator.
 */
void host_keep_keys_at(struct host *h, struct ring *place);

/* First event. The ring is copied; NULL: the domain's built-in key alone. */
void host_start(struct host *h, uint64_t now_us, const char *domain, const struct ring *ring,
	const struct elect_start *start, struct elect_actions *ret_actions);

/*
 * Other keys while it runs, at once: who asks elect_keys_step() before does not split his group.
 * What only a key that is gone has proven is forgotten.
 */
void host_set_keys(struct host *h, uint64_t now_us, const struct ring *ring,
	struct elect_actions *ret_actions);

/*
 * The version of this program, as whoever asks all and leaves room for it is told: a name, or it is
 * not told. The text must live as long.
 */
void host_set_version(struct host *h, const char *version);

/*
 * The LANs in use, at most HOST_LINKS_MAX; none before the first call. The inviter's address that
 * stands in a forwarded Invitation is handed on only if another host on these LANs can have it; any
 * other is as if it was not known (family 0). What comes by a link from an address that is none of
 * its LAN is heard, and makes no way. By a link without a carrier nobody is reached who is heard by
 * another one. What has our id and session and comes from an address that is none of ours is a copy
 * of this process.
 */
void host_set_links(struct host *h, const struct host_link *links, unsigned count);

/*
 * None before the first call. With peers named or routers on the way a host elsewhere than on our
 * LANs is answered where it was heard from; where somebody says that another one is, there goes,
 * by a key of a file only, one datagram. So who is heard by his words to all, and not by the group,
 * is told where this host's coordinator is.
 */
void host_set_reach(struct host *h, const struct host_reach *reach);

/*
 * The ways by which a datagram to all goes to those that the group does not reach, or may not: each
 * way once. How many.
 */
unsigned host_to_all(struct host *h, uint64_t now_us, struct elect_way ret_ways[HOST_ALL_MAX]);

/* Of a peer, `at` an index of the list: when it was heard last, 0: never; by which link of ours it
 * is looked for, 0: none. */
uint64_t host_peer_heard_us(const struct host *h, unsigned at);
uint32_t host_peer_link(const struct host *h, unsigned at);

/*
 * A datagram that came that way. Anything but WIRE_OK changed nothing but a counter (and, of an
 * authentic one, the window that has seen it). WIRE_UNPROVEN: it may have caused a Challenge, now
 * or when this host is woken; it is kept and acted on when the answer comes. WIRE_DUPLICATE and
 * WIRE_REPLAYED: it may have caused one, too (put_back.h); so may WIRE_TYPE_BAD, see
 * host_runs_other(). With all others ret_actions is empty.
 */
enum wire_verdict host_receive(struct host *h, uint64_t now_us, const struct elect_way *way,
	const uint8_t *bytes, size_t size, struct elect_actions *ret_actions);

/* The same of one that came to the group, not to this host alone. */
enum wire_verdict host_receive_by_group(struct host *h, uint64_t now_us,
	const struct elect_way *way, const uint8_t *bytes, size_t size,
	struct elect_actions *ret_actions);

/*
 * A datagram that came from there, by a family that this host does not use: what it says, until the
 * next step, or NULL: it is not authentic, or our own, or a former start's of ours. Nothing comes
 * of it.
 */
const struct elect_msg *host_overhear(struct host *h, uint64_t now_us,
	const struct elect_address *from, const uint8_t *bytes, size_t size);

/* Any other event but START and MESSAGE. */
void host_step(struct host *h, const struct elect_event *event, struct elect_actions *ret_actions);

/*
 * The n-th datagram of a SEND action of the step just made, n below host_datagrams(). Must be
 * called before the next step, from n = 0 on; each call takes a new sequence number. Not sealed
 * yet.
 */
unsigned host_datagrams(const struct elect_send *send);
void host_compose(struct host *h, uint64_t now_us, const struct elect_send *send, unsigned n,
	struct host_datagram *ret_datagram);
void host_seal(
	const struct host *h, const struct elect_address *source, struct host_datagram *datagram);

/*
 * What this host would leave now, to be said on so many paths; false: nothing. Composed and sealed
 * like others', and before they are needed: the first `crashing` of them, then the repeats.
 */
bool host_will(const struct host *h, uint64_t now_us, unsigned paths, struct host_will *ret_will);
/* Would it say the same, to the same? Else it is made anew. */
bool host_will_same(const struct host_will *a, const struct host_will *b);
void host_will_compose(struct host *h, const struct host_will *will, unsigned n,
	struct host_datagram *ret_datagram);

/* By which ways a host is reached, all of them: for what is no datagram of ours. */
void host_ways(
	struct host *h, uint64_t now_us, const struct elect_id *id, struct elect_ways *ret_ways);

/* The one that people are told of, whatever is sent by which; NULL: none is known. */
const struct elect_way *host_way(const struct host *h, uint64_t now_us, const struct elect_id *id);

/* All that is known of the ways to it: how many. */
unsigned host_ways_list(const struct host *h, const struct elect_id *id,
	struct elect_way_info ret_list[ELECT_WAYS_MAX]);

/*
 * The message of the last datagram; NULL if the datagram was not decoded. If a Challenge_answer
 * proved its sender, it is the sender's earlier message, which host_receive() acted on instead.
 */
const struct elect_msg *host_heard(const struct host *h);

/* Who is heard under other keys, lately: to be told, for nothing of it is authentic. How many. */
unsigned host_other_keys(
	const struct host *h, uint64_t now_us, struct other_key_info ret_list[OTHER_KEYS_MAX]);

/* A host of the domain that runs another election, and when its last message came. */
struct host_other {
	struct elect_id id;
	uint64_t at_us;
};

/*
 * The host that sent a message of another election in the last HOST_OTHER_US from a verified
 * session; NULL: no host did, or it is a member now. Of several hosts it is the first, for as long
 * as that goes on. Such a message is not decoded and changes nothing. Its session is sent a
 * Challenge, at most one per beacon interval for all of them.
 */
const struct host_other *host_runs_other(const struct host *h, uint64_t now_us);

const struct elect *host_elect(const struct host *h);
struct trust *host_trust(struct host *h);
struct host_counters *host_counters(struct host *h);

#endif
