/* SPDX-License-Identifier: Apache-2.0 */
/*
 * describe: prints the fields of a decoded message in words, with one table of printers. The text
 * is for readers of a capture; no program parses it.
 */
#ifndef ELECTCTL_VERBS_DESCRIBE_H
#define ELECTCTL_VERBS_DESCRIBE_H

#include <stdbool.h>
#include <stdio.h>

#include "core/wire/wire.h"

enum { DESCRIBE_MAX = 128 };

/* Prints the value of the field of this name (wire_fields()) in `msg`; false: unknown field. */
bool describe_field(FILE *out, const char *field, const struct elect_msg *msg);

/* Why bytes are not a datagram. */
const char *describe_verdict(enum wire_verdict v);

/* Hexadecimal digits, "-" when all bytes are zero. */
void describe_bytes(const uint8_t *bytes, size_t count, char *ret_text, size_t size);

#endif
