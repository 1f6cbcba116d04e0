/* SPDX-License-Identifier: Apache-2.0 */
/* false_journal: a socket in place of the journal's, and a stderr that counts as the journal's. */
#ifndef ELECTD_TEST_WORDS_FALSE_JOURNAL_H
#define ELECTD_TEST_WORDS_FALSE_JOURNAL_H

#include "words/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

static inline int journal_at(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	unlink(path);
	assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

/* Sets JOURNAL_STREAM to stderr's device and inode in this `format`; NULL: removes it. */
static inline void journal_reads_stderr(const char *format)
{
	char stream[64];
	struct stat st;

	unsetenv("JOURNAL_STREAM");
	if (format) {
		assert_int_equal(fstat(STDERR_FILENO, &st), 0);
		snprintf(
			stream, sizeof(stream), format, (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
		setenv("JOURNAL_STREAM", stream, 1);
	}
	log_init();
}

#define JOURNALS_STDERR "%ju:%ju"

#endif
