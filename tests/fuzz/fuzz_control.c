/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_control: feeds the bytes of a client through framing, parser and methods, as
 * control/socket.c does. The node is that of the unit tests, which asserts that only an admin
 * changes anything. The first byte chooses the client's rights and the size of the pieces.
 */
#include "unit/control/world.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A world with one of everything, and with holders of both kinds. */
static void begin(void)
{
	setup(NULL);
	world.members_count = 2;
	world.foreign_count = world.problems_count = world.other_keys_count = 1;
	world.reload = (struct ctl_reload){ .changed_count = 1, .changed = { "priority" } };
	world.hookd = world.address = true;
}

/* Returns false if the connection would be closed. */
static bool serve(struct ctl_input *in, const struct ctl_peer *peer)
{
	struct ctl_reply reply;
	const char *text;
	bool open = true;
	size_t size;

	while (open && (text = ctl_input_next(in, &size))) {
		ask(peer, text, size, &reply);
		assert(!reply.text || strlen(reply.text) + 1 == reply.size);
		assert(!reply.waits || !reply.text);
		open = !reply.hang_up && !reply.subscribed;
		free(reply.text);
		ctl_input_taken(in);
	}
	return open;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct ctl_input in = { 0 };
	struct ctl_peer peer = { .uid = 1000 };
	size_t piece, room;
	char *place;

	if (!size)
		return 0;
	peer.admin = bytes[0] & 1;
	peer.uid = peer.admin ? 0 : 1000;
	begin();
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
