/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_wire: any bytes as a datagram; an accepted message survives encoding and decoding. */
#include "core/narrate.h"
#include "core/wire/wire.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The fields of the header that are not part of the message must come back, too. */
static void check_round_trip(const struct elect_msg *m, const struct wire_header *header)
{
	static struct elect_msg again;
	static uint8_t bytes[WIRE_SIZE_MAX];
	size_t size = wire_encode(m, header, bytes);
	struct wire_header h;

	assert(wire_decode_header(bytes, size, &h) == WIRE_OK);
	assert(h.sequence == header->sequence && h.to_all == header->to_all);
	assert(h.domain_hash == header->domain_hash && h.key_id == header->key_id);
	assert(wire_decode(bytes, size, &again) == 0);
	assert(memcmp(&again, m, sizeof(again)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct elect_msg m;
	struct wire_header header;
	char line[NARRATE_LINE_MAX];

	if (wire_decode_header(bytes, size, &header) != WIRE_OK) {
		assert(wire_decode(bytes, size, &m) < 0);
		return 0;
	}
	if (wire_decode(bytes, size, &m) < 0)
		return 0;
	narrate_message(NULL, &m, line, sizeof(line));
	assert(strlen(line) < sizeof(line));
	check_round_trip(&m, &header);
	return 0;
}
