/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stamp: writes into the journal of a booted host that something happens now: `stamp hook begin`.
 *
 * The entry has CLOCK_BOOTTIME, because the journal's own time is later if systemd-journald was
 * busy, and the ELECTD_* environment of a hook.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <systemd/sd-journal.h>
#include <time.h>
#include <unistd.h>

enum { FIELDS_MAX = 64, TEXT_MAX = 4096 };

static struct iovec fields[FIELDS_MAX];
static char texts[FIELDS_MAX][TEXT_MAX];
static int fields_count;

static void add(const char *name, const char *value)
{
	if (fields_count == FIELDS_MAX)
		return;
	char *text = texts[fields_count];
	snprintf(text, TEXT_MAX, "%s%s", name, value);
	fields[fields_count++] = (struct iovec){ text, strlen(text) };
}

int main(int argc, char **argv)
{
	struct timespec now;
	char time[32], words[TEXT_MAX] = "";

	clock_gettime(CLOCK_BOOTTIME, &now);
	snprintf(time, sizeof(time), "%ju",
		(uintmax_t)now.tv_sec * 1000000 + (uintmax_t)now.tv_nsec / 1000);
	for (int i = 1; i < argc; i++) {
		size_t used = strlen(words);

		snprintf(words + used, sizeof(words) - used, "%s%s", i > 1 ? " " : "", argv[i]);
	}
	add("MESSAGE=", words);
	add("PRIORITY=", "6");
	add("STAMP=", "1");
	add("STAMP_US=", time);
	for (char **one = environ; *one; one++)
		if (strncmp(*one, "ELECTD_", 7) == 0)
			add("", *one);
	return sd_journal_sendv(fields, fields_count) < 0;
}
