/* SPDX-License-Identifier: Apache-2.0 */
/* `electctl decode` prints every message that the codec knows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "electctl/verbs/describe.h"
#include "electctl/electctl.h"
#include "electctl/field.h"

/* Fills every field that the type may carry. */
static void message_fill(struct elect_msg *m, enum elect_msg_type type)
{
	memset(m, 0, sizeof *m);
	m->type = type;
	memset(m->sender.bytes, 0xa1, 16);
	m->session = 0x1122334455667788;
	m->incarnation = 3;
	m->counter = 41;
	m->group = (struct elect_group){ m->sender, 41 };
	m->from_group = (struct elect_group){ m->sender, 40 };
	m->standing = (struct elect_standing){ .id = m->sender,
		.incarnation = 3,
		.size = 5,
		.priority = 100,
		.may_lead = true,
		.established = true };
	m->floor = UINT64_C(40) << 24;
	m->timings = (struct elect_timings){ 200000, 600000 };
	strcpy(m->name, "web1");
	m->list_version = 7;
	m->digest = 99;
	memset(m->other.bytes, 0xb2, 16);
	m->loss = ELECT_LOSS_STOP;
	m->inviter.id = m->sender;
	m->inviter.session = m->session;
	m->inviter_at = (struct elect_address){ { 192, 0, 2, 1 }, 7544, 4 };
	m->expected = 5;
	m->foreign_count = m->groups_count = m->accepted_count = 1;
	memset(m->foreign[0].id.bytes, 0xc3, 16);
	m->foreign[0].heard_by = m->other;
	strcpy(m->foreign[0].name, "db9");
	m->groups[0] = (struct elect_invited){ m->from_group, 2 };
	m->accepted[0] = 0xdeadbeef;
	m->part = (struct elect_part){ 0, 1, 0, 1, 1, 0 };
	m->missing[0] = 5;
	m->members[0].id = m->other;
	m->members[0].incarnation = 1;
	m->members[0].session = 2;
	m->members[0].address = m->inviter_at;
	strcpy(m->members[0].name, "web2");
}

static size_t encode(enum elect_msg_type type, uint8_t bytes[WIRE_SIZE_MAX])
{
	static struct elect_msg m;
	struct wire_header header = { .algorithm = WIRE_TAG_BLAKE2B,
		.sequence = 12,
		.to_all = true,
		.domain_hash = 0xabcdef01 };

	message_fill(&m, type);
	return wire_encode(&m, &header, bytes);
}

/* Decodes a file of these bytes in the format of `o`; the caller frees the text. */
static char *decoded_as(
	struct options o, const void *bytes, size_t size, enum electctl_exit *ret_code)
{
	char path[] = "/tmp/electctl-XXXXXX";
	char *const args[] = { path, NULL };
	char *text = NULL;
	size_t text_size = 0;
	int fd = mkstemp(path);

	o.out = open_memstream(&text, &text_size);
	o.quiet = true;

	assert_int_equal(write(fd, bytes, size), (ssize_t)size);
	close(fd);
	*ret_code = decode_verb(&o, args);
	fclose(o.out);
	unlink(path);
	return text;
}

static char *decoded(const void *bytes, size_t size, enum electctl_exit *ret_code)
{
	return decoded_as((struct options){ .json = false }, bytes, size, ret_code);
}

static void programs_get_json_or_tabs(void **state)
{
	uint8_t bytes[WIRE_SIZE_MAX];
	enum electctl_exit code;
	size_t size = encode(ELECT_ACCEPT, bytes);
	char *plain = decoded_as((struct options){ .plain = true }, bytes, size, &code);
	char *json = decoded_as((struct options){ .json = true }, bytes, size, &code);
	json_t *object = json_loads(json, 0, NULL);

	(void)state;
	assert_int_equal(code, ELECTCTL_OK);
	assert_memory_equal(plain, "type\tAccept\nsender\t", 19);
	assert_non_null(strstr(plain, "\nsequence\t12\nto_all\ttrue\n"));
	assert_string_equal(json_string_value(json_object_get(object, "type")), "Accept");
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(object, "header"), "sequence")),
		"12");
	assert_true(json_array_size(json_object_get(object, "fields")) > 2);
	assert_int_equal(json_integer_value(json_object_get(object, "schema")), 1);
	json_decref(object);
	free(json);
	free(plain);
}

static void every_message_type_is_decoded(void **state)
{
	uint8_t bytes[WIRE_SIZE_MAX];
	enum electctl_exit code;

	(void)state;
	for (unsigned type = ELECT_HELLO; type < ELECT_MSG_TYPES; type++) {
		size_t size;
		char *text;

		if (!elect_msg_type_known(type))
			continue;
		size = encode((enum elect_msg_type)type, bytes);
		text = decoded(bytes, size, &code);
		assert_int_equal(code, ELECTCTL_OK);
		assert_non_null(strstr(text, elect_msg_type_name((enum elect_msg_type)type)));
		assert_non_null(strstr(text, "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1"));
		assert_non_null(strstr(text, "sequence     12, to all hosts"));
		assert_null(strstr(text, "unknown"));
		free(text);
	}
}

static void every_field_has_a_printer(void **state)
{
	static struct elect_msg m;
	size_t count;
	const struct wire_field_info *fields = wire_fields(&count);
	FILE *out = fopen("/dev/null", "w");

	(void)state;
	message_fill(&m, ELECT_READY);
	assert_true(count > 0);
	for (size_t i = 0; i < count; i++)
		if (!describe_field(out, fields[i].name, &m))
			fail_msg("no words for field %s", fields[i].name);
	assert_false(describe_field(out, "no such field", &m));
	fclose(out);
}

static void values_are_printed_as_words(void **state)
{
	uint8_t bytes[WIRE_SIZE_MAX];
	enum electctl_exit code;
	char *text = decoded(bytes, encode(ELECT_AYCOORD, bytes), &code);

	(void)state;
	assert_non_null(strstr(text, "may lead, leads, 5 hosts, priority 100"));
	assert_non_null(strstr(text, "beacon every 200000 us, dead after 600000 us"));
	assert_non_null(strstr(text, "db9 c3c3"));
	assert_non_null(strstr(text, "key          0 (the domain's built-in key)"));
	free(text);
	text = decoded(bytes, encode(ELECT_READY, bytes), &code);
	assert_non_null(strstr(text, "web2 192.0.2.1:7544, priority 0"));
	assert_non_null(strstr(text, "members number 0, 2 must answer"));
	free(text);
}

static void hexadecimal_text_is_decoded_too(void **state)
{
	uint8_t bytes[WIRE_SIZE_MAX];
	size_t size = encode(ELECT_GOODBYE, bytes);
	char hex[3 * WIRE_SIZE_MAX + 1], *text, *same;
	enum electctl_exit code;

	(void)state;
	for (size_t i = 0; i < size; i++)
		snprintf(hex + 3 * i, 4, "%02X%c", bytes[i], i % 16 == 15 ? '\n' : ' ');
	text = decoded(bytes, size, &code);
	same = decoded(hex, 3 * size, &code);
	assert_int_equal(code, ELECTCTL_OK);
	assert_string_equal(text, same);
	free(text);
	free(same);
}

static void a_malformed_datagram_fails(void **state)
{
	uint8_t bytes[WIRE_SIZE_MAX];
	size_t size = encode(ELECT_AYCOORD, bytes);
	enum electctl_exit code;

	(void)state;
	for (size_t n = 0; n < size; n++) {
		free(decoded(bytes, n, &code));
		assert_int_equal(code, ELECTCTL_FALSE);
	}
	bytes[WIRE_HEADER_SIZE + 1] ^= 0x40; /* a field that does not exist */
	free(decoded(bytes, size, &code));
	assert_int_equal(code, ELECTCTL_FALSE);
	bytes[0] = 'X';
	free(decoded(bytes, size, &code));
	assert_int_equal(code, ELECTCTL_FALSE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_message_type_is_decoded),
		cmocka_unit_test(every_field_has_a_printer),
		cmocka_unit_test(programs_get_json_or_tabs),
		cmocka_unit_test(values_are_printed_as_words),
		cmocka_unit_test(hexadecimal_text_is_decoded_too),
		cmocka_unit_test(a_malformed_datagram_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
