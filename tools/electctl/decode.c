/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decode: one captured datagram in words, by the daemon's own codec. It needs no electd and no
 * key, so it cannot say whether the tag is good.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "ask.h"
#include "describe.h"
#include "narrate.h"

enum { INPUT_MAX = 16384, FIELD_HEAD = 4 };

static void print_fields_table(const struct options *o)
{
	size_t count;
	const struct wire_field_info *fields = wire_fields(&count);

	for (size_t i = 0; i < count; i++)
		fprintf(o->out, "%u %s %s\n", fields[i].number, fields[i].name, fields[i].format);
}

static int nibble(int c)
{
	return isdigit(c) ? c - '0' : isxdigit(c) ? tolower(c) - 'a' + 10 : -1;
}

/* A text of hexadecimal digits, with any white space, becomes its bytes in place. */
static size_t unhex(uint8_t *bytes, size_t size)
{
	size_t digits = 0;

	if (!size || nibble(bytes[0]) < 0 || (size > 4 && !memcmp(bytes, "ECLT", 4)))
		return size;
	for (size_t i = 0; i < size; i++) {
		if (isspace(bytes[i]))
			continue;
		if (nibble(bytes[i]) < 0)
			return size;
		bytes[digits / 2] = (uint8_t)(bytes[digits / 2] << 4 | nibble(bytes[i]));
		digits++;
	}
	return digits / 2;
}

/* 0 or -errno. */
static int input_read(const char *name, uint8_t *bytes, size_t *ret_size)
{
	FILE *in = strcmp(name, "-") ? fopen(name, "rb") : stdin;

	if (!in)
		return -errno;
	*ret_size = fread(bytes, 1, INPUT_MAX, in);
	if (ferror(in)) {
		fclose(in);
		return -EIO;
	}
	if (in != stdin)
		fclose(in);
	*ret_size = unhex(bytes, *ret_size);
	return 0;
}

static void print_header(FILE *out, const struct wire_header *h, const uint8_t *tag)
{
	char text[DESCRIBE_MAX];

	fprintf(out, "header\n");
	describe_bytes(h->sender.bytes, sizeof h->sender.bytes, text, sizeof text);
	fprintf(out, "  sender       %s\n", text);
	fprintf(out, "  session      %016" PRIx64 ", start number %" PRIu64 "\n", h->session,
		h->incarnation);
	fprintf(out, "  sequence     %" PRIu64 ", %s\n", h->sequence,
		h->to_all ? "to everybody" : "to one host");
	describe_bytes(h->transaction.bytes, sizeof h->transaction.bytes, text, sizeof text);
	fprintf(out, "  transaction  %s\n", text);
	fprintf(out, "  counter      %" PRIu64 "\n", h->counter);
	fprintf(out, "  domain hash  %08" PRIx32 "\n", h->domain_hash);
	fprintf(out, "  key          %u%s, algorithm %u\n", h->key_id,
		h->key_id ? "" : " (the domain's built-in key)", h->algorithm);
	describe_bytes(tag, WIRE_TAG_SIZE, text, sizeof text);
	fprintf(out, "  tag          %s (not checked)\n", text);
}

static const struct wire_field_info *field_info(unsigned number)
{
	size_t count;
	const struct wire_field_info *fields = wire_fields(&count);

	for (size_t i = 0; i < count; i++)
		if (fields[i].number == number)
			return &fields[i];
	return NULL;
}

/* The fields in their order on the wire; wire_decode() has found them well formed. */
static void print_fields(FILE *out, const uint8_t *bytes, size_t size, const struct elect_msg *msg)
{
	size_t end = size - WIRE_TAG_SIZE;

	fprintf(out, "fields\n");
	for (size_t at = WIRE_HEADER_SIZE; at + FIELD_HEAD <= end;) {
		unsigned number = (unsigned)bytes[at] << 8 | bytes[at + 1];
		size_t length = (size_t)bytes[at + 2] << 8 | bytes[at + 3];
		const struct wire_field_info *info = field_info(number);

		fprintf(out, "  %-12s ", info ? info->name : "unknown");
		if (!info || !describe_field(out, info->name, msg))
			fprintf(out, "number %u, %zu bytes", number, length);
		fputc('\n', out);
		at += FIELD_HEAD + length;
	}
}

static enum electctl_exit datagram_print(const struct options *o, const uint8_t *bytes, size_t size)
{
	struct wire_header header;
	static struct elect_msg msg;
	enum wire_verdict verdict = wire_decode_header(bytes, size, &header);
	char line[NARRATE_LINE_MAX];

	if (verdict != WIRE_OK) {
		ask_say(o, "%zu bytes, but no datagram of electd: %s", size,
			describe_verdict(verdict));
		return ELECTCTL_FALSE;
	}
	if (wire_decode(bytes, size, &msg)) {
		fprintf(o->out, "%s, %zu bytes\n",
			elect_msg_type_name((enum elect_msg_type)header.type), size);
		print_header(o->out, &header, bytes + size - WIRE_TAG_SIZE);
		ask_say(o, "the header is good, the fields are not: electd refuses this datagram");
		return ELECTCTL_FALSE;
	}
	narrate_message(&(struct narrate){ NULL, NULL }, &msg, line, sizeof line);
	fprintf(o->out, "%s\n%zu bytes\n", line, size);
	print_header(o->out, &header, bytes + size - WIRE_TAG_SIZE);
	print_fields(o->out, bytes, size, &msg);
	return ELECTCTL_OK;
}

enum electctl_exit decode_verb(const struct options *o, char *const *args)
{
	static uint8_t bytes[INPUT_MAX];
	size_t size = 0;
	int rc;

	if (o->fields) {
		print_fields_table(o);
		return ELECTCTL_OK;
	}
	rc = input_read(args[0], bytes, &size);
	if (rc) {
		ask_say(o, "cannot read %s: %s", args[0], strerror(-rc));
		return ELECTCTL_FALSE;
	}
	return datagram_print(o, bytes, size);
}
