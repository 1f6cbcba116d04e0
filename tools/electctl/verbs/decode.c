/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decode: prints one captured datagram in words, with the daemon's own codec. It needs no electd
 * and no key, so it cannot check the tag.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "electctl/ask.h"
#include "describe.h"
#include "electctl/field.h"
#include "core/messages.h"
#include "core/narrate.h"

enum { INPUT_MAX = 16384, FIELD_HEAD = 4 };

static void print_fields_table(const struct options *o)
{
	size_t count;
	const struct wire_field_info *fields = wire_fields(&count);
	json_t *list = json_array(), *table;

	for (size_t i = 0; i < count; i++)
		if (o->json)
			json_array_append_new(list,
				json_pack("{s:i, s:s, s:s}", "number", (int)fields[i].number,
					"name", fields[i].name, "format", fields[i].format));
		else
			fprintf(o->out, o->plain ? "%u\t%s\t%s\n" : "%u %s %s\n", fields[i].number,
				fields[i].name, fields[i].format);
	table = json_pack("{s:o}", "fields", list);
	if (o->json)
		ask_print_json(o, table, false);
	json_decref(table);
}

static int nibble(int c)
{
	return isdigit(c) ? c - '0' : isxdigit(c) ? tolower(c) - 'a' + 10 : -1;
}

/* Converts hexadecimal digits and white space to bytes in place; other input is unchanged. */
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
		h->to_all ? "to all hosts" : "to one host");
	describe_bytes(h->transaction.bytes, sizeof h->transaction.bytes, text, sizeof text);
	fprintf(out, "  transaction  %s\n", text);
	fprintf(out, "  counter      %" PRIu64 "\n", h->counter);
	fprintf(out, "  domain hash  %08" PRIx32 "\n", h->domain_hash);
	fprintf(out, "  key          %u%s, algorithm %u\n", h->key_id,
		h->key_id ? "" : " (the domain's built-in key)", h->algorithm);
	describe_bytes(tag, WIRE_TAG_SIZE, text, sizeof text);
	fprintf(out, "  tag          %s (not checked)\n", text);
}

/* NULL: unknown, or ignored by electd because messages of this type do not carry it. */
static const struct wire_field_info *field_info(unsigned number, enum elect_msg_type type)
{
	size_t count;
	const struct wire_field_info *fields = wire_fields(&count);
	const struct elect_message_row *row = elect_message_row(type);

	for (size_t i = 0; i < count; i++)
		if (fields[i].number == number &&
			(row->required | row->optional) & FIELD_BIT(i + 1))
			return &fields[i];
	return NULL;
}

/* The text after a field's name, which the caller frees. */
static char *field_text_of(unsigned number, size_t length, const struct elect_msg *msg)
{
	const struct wire_field_info *info = field_info(number, msg->type);
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (!info || !describe_field(out, info->name, msg))
		fprintf(out, "number %u, %zu bytes", number, length);
	fclose(out);
	return text;
}

/* {"name", "text"} of each field, in wire order; wire_decode() has validated them already. */
static json_t *fields_of(const uint8_t *bytes, size_t size, const struct elect_msg *msg)
{
	size_t end = size - WIRE_TAG_SIZE;
	json_t *list = json_array();

	for (size_t at = WIRE_HEADER_SIZE; at + FIELD_HEAD <= end;) {
		unsigned number = (unsigned)bytes[at] << 8 | bytes[at + 1];
		size_t length = (size_t)bytes[at + 2] << 8 | bytes[at + 3];
		const struct wire_field_info *info = field_info(number, msg->type);
		char *text = field_text_of(number, length, msg);

		json_array_append_new(list,
			json_pack("{s:s, s:s}", "name", info ? info->name : "unknown", "text",
				text ? text : ""));
		free(text);
		at += FIELD_HEAD + length;
	}
	return list;
}

static void print_fields(FILE *out, const json_t *fields)
{
	const json_t *field;
	size_t i;

	fprintf(out, "fields\n");
	json_array_foreach(fields, i, field) fprintf(out, "  %-12s %s\n",
		field_text(field, "name", NULL), field_text(field, "text", NULL));
}

/* The header as JSON; numbers that may need 64 bits are strings. */
static json_t *header_of(const struct wire_header *h, const uint8_t *tag)
{
	char sender[DESCRIBE_MAX], transaction[DESCRIBE_MAX], tag_text[DESCRIBE_MAX];
	char session[24], start[24], sequence[24], counter[24], domain[16];

	describe_bytes(h->sender.bytes, sizeof h->sender.bytes, sender, sizeof sender);
	describe_bytes(
		h->transaction.bytes, sizeof h->transaction.bytes, transaction, sizeof transaction);
	describe_bytes(tag, WIRE_TAG_SIZE, tag_text, sizeof tag_text);
	snprintf(session, sizeof session, "%016" PRIx64, h->session);
	snprintf(start, sizeof start, "%" PRIu64, h->incarnation);
	snprintf(sequence, sizeof sequence, "%" PRIu64, h->sequence);
	snprintf(counter, sizeof counter, "%" PRIu64, h->counter);
	snprintf(domain, sizeof domain, "%08" PRIx32, h->domain_hash);
	return json_pack("{s:s, s:s, s:s, s:s, s:b, s:s, s:s, s:s, s:i, s:i, s:s}", "sender",
		sender, "session", session, "incarnation", start, "sequence", sequence, "to_all",
		h->to_all, "transaction", transaction, "counter", counter, "domain_hash", domain,
		"key", (int)h->key_id, "algorithm", (int)h->algorithm, "tag", tag_text);
}

static void print_plain(FILE *out, const char *type, json_t *header, const json_t *fields)
{
	const json_t *field;
	const char *key;
	json_t *value;
	size_t i;

	fprintf(out, "type\t%s\n", type);
	json_object_foreach(header, key, value)
	{
		char *text = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY);

		fprintf(out, "%s\t%s\n", key, text ? text : json_string_value(value));
		free(text);
	}
	json_array_foreach(fields, i, field) fprintf(
		out, "%s\t%s\n", field_text(field, "name", NULL), field_text(field, "text", NULL));
}

static void message_print(const struct options *o, const uint8_t *bytes, size_t size,
	const struct wire_header *header, const struct elect_msg *msg)
{
	const uint8_t *tag = bytes + size - WIRE_TAG_SIZE;
	const char *type = elect_msg_type_name((enum elect_msg_type)header->type);
	json_t *object = json_pack("{s:s, s:I, s:o, s:o}", "type", type, "size", (json_int_t)size,
		"header", header_of(header, tag), "fields", fields_of(bytes, size, msg));
	json_t *fields = json_object_get(object, "fields");
	char line[NARRATE_LINE_MAX];

	if (o->json) {
		ask_print_json(o, object, false);
	} else if (o->plain) {
		print_plain(o->out, type, json_object_get(object, "header"), fields);
	} else {
		narrate_message(&(struct narrate){ NULL, NULL }, msg, line, sizeof line);
		fprintf(o->out, "%s\n%zu bytes\n", line, size);
		print_header(o->out, header, tag);
		print_fields(o->out, fields);
	}
	json_decref(object);
}

static enum electctl_exit datagram_print(const struct options *o, const uint8_t *bytes, size_t size)
{
	struct wire_header header;
	static struct elect_msg msg;
	enum wire_verdict verdict = wire_decode_header(bytes, size, &header);

	if (verdict != WIRE_OK) {
		ask_say(o, "these %zu bytes are not a datagram of electd: %s", size,
			describe_verdict(verdict));
		return ELECTCTL_FALSE;
	}
	if (wire_decode(bytes, size, &msg) == 0) {
		message_print(o, bytes, size, &header, &msg);
		return ELECTCTL_OK;
	}
	if (!o->json && !o->plain) {
		fprintf(o->out, "%s, %zu bytes\n",
			elect_msg_type_name((enum elect_msg_type)header.type), size);
		print_header(o->out, &header, bytes + size - WIRE_TAG_SIZE);
	}
	ask_say(o, "the header is valid, but the fields are not: electd refuses this datagram");
	return ELECTCTL_FALSE;
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
