/* SPDX-License-Identifier: Apache-2.0 */
/* other_peer: a host of the daemon, and a peer that runs another election algorithm. */
#ifndef ELECTD_TEST_NODE_OTHER_PEER_H
#define ELECTD_TEST_NODE_OTHER_PEER_H

#include "core/host/host.h"

#include <stdlib.h>
#include <string.h>

static const struct elect_address other_address = {
	.bytes = { 10, 0, 0, 2 }, .port = 7544, .family = 4
};
static struct trust other_peer;

/* A host on the LAN of the peer, by link 1. The caller frees it. */
static inline struct host *other_host(uint64_t now_us)
{
	static const struct host_link link = {
		{ .bytes = { 10, 0, 0, 1 }, .port = 7544, .family = 4 }, 24, 1, 1, true
	};
	static struct elect_actions actions;
	static struct elect_start start;
	struct host *host = calloc(1, host_size());

	assert_non_null(host);
	elect_config_default(&start.config);
	start.config.id = (struct elect_id){ { 0x3b, 0x90, 0xcc, 0x17, 0xe2 } };
	strcpy(start.config.name, "here");
	start.session = start.seed = 11;
	start.incarnation = 1;
	host_start(host, now_us, "lan", NULL, &start, &actions);
	host_set_links(host, &link, 1);
	trust_init(&other_peer, "lan", NULL,
		&(struct elect_id){ { 0x9c, 0x41, 0xe7, 0xb2, 0x5d, 0x08 } }, 22, 22);
	return host;
}

/* Encodes a datagram of the peer and returns its size. */
static inline size_t other_seal(struct elect_msg m, uint8_t ret_bytes[WIRE_SIZE_MAX])
{
	const struct wire_header header = { .key_id = trust_key_id(&other_peer),
		.algorithm = WIRE_TAG_BLAKE2B,
		.domain_hash = other_peer.domain_hash,
		.sequence = trust_sequence(&other_peer, false) };
	size_t size;

	m.sender = other_peer.self;
	m.session = other_peer.session;
	m.incarnation = 1;
	size = wire_encode(&m, &header, ret_bytes);
	trust_seal(&other_peer, ret_bytes, size, &other_address);
	return size;
}

/* The greeting of the peer's own algorithm. */
static inline struct elect_msg other_greeting(void)
{
	return (struct elect_msg){
		.type = ELECT_AYUP, .timings = { 200000, 600000 }, .name = "there"
	};
}

static inline struct elect_msg other_answer(struct host *host, uint64_t now_us)
{
	struct elect_msg answer = { .type = ELECT_CHALLENGE_ANSWER, .version = "1.2.3" };

	trust_request(host_trust(host), now_us, &answer.transaction);
	return answer;
}

#endif
