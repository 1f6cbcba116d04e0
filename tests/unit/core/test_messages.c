/* SPDX-License-Identifier: Apache-2.0 */
/* messages.c: properties of every row; and electd-protocol(7) has the same rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "core/messages.h"
#include "core/wire/wire.h"
#include "unit/page.h"

static uint64_t carried(unsigned type)
{
	return elect_message_row(type)->required | elect_message_row(type)->optional;
}

static void every_type_has_a_name_and_an_unknown_type_carries_nothing(void **state)
{
	(void)state;
	for (unsigned type = 0; type < ELECT_MSG_TYPES; type++) {
		if (elect_msg_type_known(type)) {
			assert_non_null(elect_message_row(type)->name);
			assert_string_equal(
				elect_message_row(type)->name, elect_msg_type_name(type));
		} else {
			assert_int_equal(carried(type), 0);
		}
	}
	assert_string_equal(elect_msg_type_name(ELECT_MSG_NONE), "none");
}

/* Goodbye, Challenge and Challenge_answer belong to every algorithm. */
static void the_number_of_a_type_shows_its_algorithm(void **state)
{
	static const struct {
		unsigned first, last;
	} known[] = { { ELECT_HELLO, ELECT_CHALLENGE_ANSWER }, { 0x10, 0x19 } };

	assert_int_equal(elect_msg_algorithm(ELECT_DECLINE), 0);
	assert_int_equal(elect_msg_algorithm(ELECT_NEWSTATE_ANSWER), 1);

	(void)state;
	for (unsigned type = 0; type < 256; type++) {
		bool is = false;

		for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			is |= type >= known[i].first && type <= known[i].last;
		assert_int_equal(elect_msg_type_known(type), is);
		assert_int_equal(elect_msg_of_all(type), type >= 12 && type <= 14);
	}
}

static void every_field_is_carried_by_some_message(void **state)
{
	uint64_t all = 0;

	(void)state;
	for (unsigned type = 0; type < ELECT_MSG_TYPES; type++)
		all |= carried(type);
	for (unsigned field = FIELD_GROUP; field < FIELD_NUMBERS; field++)
		if (!(all & FIELD_BIT(field)))
			fail_msg("no message carries field %u", field);
	assert_int_equal(all & FIELD_BIT(0), 0);
}

static void a_field_is_required_or_optional(void **state)
{
	(void)state;
	for (unsigned type = 0; type < ELECT_MSG_TYPES; type++)
		assert_int_equal(
			elect_message_row(type)->required & elect_message_row(type)->optional, 0);
}

/* An older host sends none of them, and must be understood. */
static void a_skippable_field_is_never_required(void **state)
{
	(void)state;
	for (unsigned type = 0; type < ELECT_MSG_TYPES; type++)
		assert_int_equal(elect_message_row(type)->required >> FIELD_SKIPPABLE, 0);
}

/* A message named an answer echoes: it proves its sender, and is dropped if it is unasked. */
static void every_answer_echoes(void **state)
{
	(void)state;
	for (unsigned type = 0; type < ELECT_MSG_TYPES; type++) {
		const struct elect_message_row *row = elect_message_row(type);

		if (!elect_msg_type_known(type))
			continue;
		if (strstr(row->name, "_answer") || carried(type) & FIELD_BIT(FIELD_ANSWER))
			assert_int_equal(row->transaction, TRANSACTION_ECHO);
	}
}

/* A trait depends on a field that is always present. */
static void a_message_with_a_trait_carries_its_field(void **state)
{
	static const struct {
		enum elect_message_trait trait;
		enum elect_field field;
	} rows[] = {
		{ MESSAGE_NAMES_ITSELF, FIELD_GROUP },
		{ MESSAGE_TELLS_TIMINGS, FIELD_TIMINGS },
	};

	(void)state;
	for (unsigned type = 0; type < ELECT_MSG_TYPES; type++)
		for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			if (elect_message_row(type)->traits & rows[i].trait)
				assert_true(elect_message_carries(type, rows[i].field));
}

/* The group of an inviter is not the sender's. */
static void a_message_with_an_inviter_does_not_name_its_sender(void **state)
{
	(void)state;
	for (unsigned type = 0; type < ELECT_MSG_TYPES; type++)
		if (elect_message_carries(type, FIELD_INVITER))
			assert_int_equal(elect_message_row(type)->traits & MESSAGE_NAMES_ITSELF, 0);
}

static void a_reported_field_is_in_the_message(void **state)
{
	(void)state;
	for (unsigned type = 0; type < ELECT_MSG_TYPES; type++) {
		const struct elect_message_row *row = elect_message_row(type);

		assert_int_equal(row->told[MESSAGE_TOLD_MAX], 0);
		for (const uint8_t *field = row->told; *field; field++)
			assert_true(carried(type) & FIELD_BIT(*field));
	}
}

static void a_message_with_another_host_explains_it(void **state)
{
	(void)state;
	for (unsigned type = 0; type < ELECT_MSG_TYPES; type++) {
		const struct elect_message_row *row = elect_message_row(type);
		bool names = elect_message_carries(type, FIELD_OTHER);

		assert_int_equal(row->other.word != NULL, names);
		assert_int_equal(row->other.meaning != NULL, names);
	}
}

static const char *page;

/* Returns the fields of a type's entry, which ends at the next item. */
static const char *entry(unsigned type, char *ret_text, size_t size)
{
	const char *section = strstr(page, "\n.Sh MESSAGES\n");
	char item[64];
	char *end, *fields;
	const char *at;

	assert_non_null(section);
	snprintf(item, sizeof(item), "\n.It %u %s\n", type, elect_message_row(type)->name);
	at = strstr(section, item);
	if (!at)
		fail_msg("the page has no%s", item);
	snprintf(ret_text, size, "%s", at + strlen(item));
	end = strstr(ret_text, "\n.It ");
	if (!end)
		end = strstr(ret_text, "\n.El");
	assert_non_null(end);
	*end = '\0';
	fields = strstr(ret_text, ".br\n");
	return fields ? fields + strlen(".br\n") : ret_text;
}

static uint64_t field_named(const char *name, size_t length)
{
	size_t count;
	const struct wire_field_info *fields = wire_fields(&count);

	for (unsigned i = 0; i < count; i++)
		if (strlen(fields[i].name) == length && memcmp(fields[i].name, name, length) == 0)
			return FIELD_BIT(i + 1);
	return 0;
}

/* For example "group, other (whom it follows), [quorum], and either members or piece. Transaction:
 * new." */
static void fields_in_words(const char *words, uint64_t *ret_required, uint64_t *ret_optional)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
	const char *end = strstr(words, "Transaction:");
	bool may = false, bracket = false;

	assert_non_null(end);
	*ret_required = *ret_optional = 0;
	while (words < end) {
		size_t length = strspn(words, letters);

		if (*words == '(')
			length = strcspn(words, ")");
		else if (length == strlen("either") && memcmp(words, "either", length) == 0)
			may = true;
		else if (may || bracket)
			*ret_optional |= field_named(words, length);
		else
			*ret_required |= field_named(words, length);
		bracket = *words == '[';
		words += length ? length : 1;
	}
}

static void the_protocol_page_lists_the_fields_of_a_message(void **state)
{
	(void)state;
	page = page_read("electd-protocol.7");
	for (unsigned type = 0; type < ELECT_MSG_TYPES; type++) {
		uint64_t required, optional;
		char text[2048];

		if (!elect_msg_type_known(type))
			continue;
		fields_in_words(entry(type, text, sizeof(text)), &required, &optional);
		if (required != elect_message_row(type)->required ||
			optional != elect_message_row(type)->optional)
			fail_msg("%s: the page and the table differ in their fields",
				elect_message_row(type)->name);
	}
}

static void the_protocol_page_names_the_transaction_of_a_message(void **state)
{
	static const char *const words[] = {
		[TRANSACTION_NONE] = "Transaction: 0",
		[TRANSACTION_NEW] = "Transaction: new",
		[TRANSACTION_ECHO] = "Transaction: echoed",
	};

	(void)state;
	page = page_read("electd-protocol.7");
	for (unsigned type = 0; type < ELECT_MSG_TYPES; type++) {
		char text[2048];

		if (!elect_msg_type_known(type))
			continue;
		assert_non_null(strstr(entry(type, text, sizeof(text)),
			words[elect_message_row(type)->transaction]));
	}
}

/* For example "An answer (types 3, 5) that echoes ..." */
static void the_protocol_page_names_the_answers(void **state)
{
	char text[128] = "An answer (types", number[16];

	(void)state;
	page = page_read("electd-protocol.7");
	for (unsigned type = 0; type < ELECT_MSG_TYPES; type++) {
		if (elect_message_row(type)->transaction != TRANSACTION_ECHO)
			continue;
		snprintf(number, sizeof(number), " %u,", type);
		strcat(text, number);
	}
	text[strlen(text) - 1] = ')';
	assert_non_null(strstr(page, text));
}

static void the_protocol_page_lists_no_other_message(void **state)
{
	unsigned items = 0, types = 0;
	const char *at, *end;

	(void)state;
	page = page_read("electd-protocol.7");
	at = strstr(page, "\n.Sh MESSAGES\n");
	end = strstr(at, "\n.El\n");
	for (; (at = strstr(at, "\n.It ")) && at < end; at++)
		items++;
	for (unsigned type = 0; type < ELECT_MSG_TYPES; type++)
		types += elect_msg_type_known(type);
	assert_int_equal(items, types);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_has_a_name_and_an_unknown_type_carries_nothing),
		cmocka_unit_test(the_number_of_a_type_shows_its_algorithm),
		cmocka_unit_test(every_field_is_carried_by_some_message),
		cmocka_unit_test(a_field_is_required_or_optional),
		cmocka_unit_test(a_skippable_field_is_never_required),
		cmocka_unit_test(every_answer_echoes),
		cmocka_unit_test(a_message_with_a_trait_carries_its_field),
		cmocka_unit_test(a_message_with_an_inviter_does_not_name_its_sender),
		cmocka_unit_test(a_reported_field_is_in_the_message),
		cmocka_unit_test(a_message_with_another_host_explains_it),
		cmocka_unit_test(the_protocol_page_lists_the_fields_of_a_message),
		cmocka_unit_test(the_protocol_page_names_the_transaction_of_a_message),
		cmocka_unit_test(the_protocol_page_names_the_answers),
		cmocka_unit_test(the_protocol_page_lists_no_other_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
