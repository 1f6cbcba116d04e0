/* SPDX-License-Identifier: Apache-2.0 */
/*
 * describe: the fields of a decoded message in words, by one table of printers. For people who
 * hold a capture; nothing parses this.
 */
#ifndef ELECTCTL_VERBS_DESCRIBE_H
#define ELECTCTL_VERBS_DESCRIBE_H

#include <stdbool.h>
#include <stdio.h>

#include "core/wire/wire.h"

enum { DESCRIBE_MAX = 128 };

/* The value of the field of this name (wire_fields()) in `msg`; false: no printer knows it. */
bool describe_field(FILE *out, const char *field, const struct elect_msg *msg);

/* What is wrong with bytes that are no datagram. */
const char *describe_verdict(enum wire_verdict v);

/* Hexadecimal digits, "-" when all bytes are zero. */
void describe_bytes(const uint8_t *bytes, size_t count, char *ret_text, size_t size);

#endif
