/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields: prints the codec's table of fields, "number name" a line, for tests/tidy/man.sh, which
 * compares the manual with it. It reads no datagram.
 */
#include "wire.h"

#include <stdio.h>

int main(void)
{
	size_t count;
	const struct wire_field_info *fields = wire_fields(&count);

	for (size_t i = 0; i < count; i++)
		printf("%u %s\n", (unsigned)fields[i].number, fields[i].name);
	return count == 0;
}
