/* SPDX-License-Identifier: Apache-2.0 */
#include "log.h"
#include "core/line.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* The prefixes of sd-daemon(3) are the numbers of syslog. */
static const struct {
	const char *name;
	unsigned syslog;
} levels[LOG_LEVELS] = {
	[LOG_LEVEL_ERROR] = { "error", 3 },
	[LOG_LEVEL_WARNING] = { "warning", 4 },
	[LOG_LEVEL_NOTICE] = { "notice", 5 },
	[LOG_LEVEL_INFO] = { "info", 6 },
	[LOG_LEVEL_DEBUG] = { "debug", 7 },
};

static enum log_level threshold = LOG_LEVEL_INFO;
static bool to_journal;
static int own = -1; /* see open_anew(); -1: write to stderr itself */

/* If stderr were closed, the next socket would get its number and receive the log lines. */
static void open_standard_files(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/*
 * poll() before write() is not enough: a terminal may take the first bytes of a line and block the
 * writer for the rest, and another process may fill the pipe in between. O_NONBLOCK on the
 * inherited file would prevent both, but then every process that shares it gets EAGAIN. So stderr
 * is opened a second time. -1: stderr is a socket or a file, or it cannot be opened.
 */
static int open_anew(void)
{
	struct stat st;

	if (fstat(STDERR_FILENO, &st) < 0 || !(S_ISFIFO(st.st_mode) || isatty(STDERR_FILENO)))
		return -1;
	return open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* Children inherit JOURNAL_STREAM even if their stderr is another file: compare the inode, too. */
void log_init(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	char ours[64];
	struct stat st;

	open_standard_files();
	if (own >= 0)
		close(own);
	own = open_anew();
	to_journal = false;
	if (!stream || fstat(STDERR_FILENO, &st) < 0)
		return;
	snprintf(ours, sizeof(ours), "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	to_journal = strcmp(stream, ours) == 0;
}

int log_set_level(const char *name)
{
	for (unsigned i = 0; i < LOG_LEVELS; i++) {
		if (strcmp(levels[i].name, name) == 0) {
			threshold = (enum log_level)i;
			return 0;
		}
	}
	return -EINVAL;
}

const char *log_level_name(enum log_level level)
{
	assert(level < LOG_LEVELS);
	return levels[level].name;
}

bool log_wanted(enum log_level level)
{
	return level <= threshold;
}

bool log_to_journal(void)
{
	return to_journal;
}

unsigned log_syslog_level(enum log_level level)
{
	assert(level < LOG_LEVELS);
	return levels[level].syslog;
}

/* Writes the printable form of one byte; returns its length (1, 2 or 4). */
static size_t escape_byte(unsigned char byte, char ret[5])
{
	static const char plain[] = "\n\t\r\\", letters[] = "ntr\\";
	const char *found = byte ? strchr(plain, byte) : NULL;

	if (found)
		return (size_t)snprintf(ret, 5, "\\%c", letters[found - plain]);
	if (byte < 0x20 || byte > 0x7e)
		return (size_t)snprintf(ret, 5, "\\x%02x", (unsigned)byte);
	return (size_t)snprintf(ret, 5, "%c", byte);
}

void log_escape(const char *bytes, size_t size, char *ret_text, size_t ret_size)
{
	size_t at = 0, cut = 0; /* cut: the last offset where "..." still fits */
	char one[5];

	assert(ret_size >= 4);
	for (size_t i = 0; i < size; i++) {
		size_t length = escape_byte((unsigned char)bytes[i], one);

		if (at + 4 <= ret_size)
			cut = at;
		if (at + length >= ret_size) {
			memcpy(ret_text + cut, "...", 4);
			return;
		}
		memcpy(ret_text + at, one, length);
		at += length;
	}
	ret_text[at] = '\0';
}

/* Only a file on a disk that hangs can block here: no call writes to a file without blocking. */
static void write_unless_full(int fd, const char *line, size_t size)
{
	struct pollfd ready = { .fd = fd, .events = POLLOUT };

	if (poll(&ready, 1, 0) != 1 || !(ready.revents & POLLOUT))
		return;
	if (write(fd, line, size) < 0)
		return; /* the line is lost */
}

/* A slow reader of the log must not delay a beacon: a line that does not fit is lost. */
static void write_line(const char *line, size_t size)
{
	if (own < 0 &&
		(send(STDERR_FILENO, line, size, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0 ||
			errno != ENOTSOCK))
		return;
	write_unless_full(own < 0 ? STDERR_FILENO : own, line, size);
}

void log_line(enum log_level level, const char *subsystem, const char *format, ...)
{
	char raw[LOG_LINE_MAX], text[LOG_LINE_MAX - 64], line[LOG_LINE_MAX];
	int saved_errno = errno, size;
	va_list args;

	if (!log_wanted(level))
		return;
	va_start(args, format);
	size = vsnprintf(raw, sizeof(raw), format, args);
	va_end(args);
	if (size >= 0) {
		log_escape(raw, strlen(raw), text, sizeof(text));
		size = to_journal ? snprintf(line, sizeof(line), "<%u>%.32s: %s\n",
					    levels[level].syslog, subsystem, text)
				  : snprintf(line, sizeof(line), "%.32s: %s\n", subsystem, text);
		write_line(line, (size_t)size);
	}
	errno = saved_errno;
}

static uint64_t faults_grown(const struct log_faults *faults, const uint64_t *counters, unsigned i,
	log_fault_name_fn *name)
{
	return name(i) && counters[i] > faults->told[i] ? counters[i] - faults->told[i] : 0;
}

bool log_faults_text(struct log_faults *faults, uint64_t now_us, const uint64_t *counters,
	unsigned count, log_fault_name_fn *name, char *ret_text, size_t size)
{
	char text[1024];
	struct line list = line_begin(text, sizeof(text));
	uint64_t total = 0;

	assert(count <= LOG_FAULTS_MAX);
	if (faults->told_us && now_us - faults->told_us < LOG_FAULTS_US)
		return false;
	for (unsigned i = 0; i < count; i++) {
		uint64_t grown = faults_grown(faults, counters, i, name);

		if (!grown)
			continue;
		line_add(&list, "%s %s %" PRIu64, total ? "," : ":", name(i), grown);
		total += grown;
	}
	if (!total)
		return false;
	memcpy(faults->told, counters, count * sizeof(*counters));
	faults->told_us = now_us;
	snprintf(ret_text, size, "%" PRIu64 " datagram%s dropped%s", total, total == 1 ? "" : "s",
		text);
	return true;
}

bool log_faults_report(struct log_faults *faults, uint64_t now_us, const char *subsystem,
	const uint64_t *counters, unsigned count, log_fault_name_fn *name)
{
	char text[LOG_LINE_MAX];

	if (!log_faults_text(faults, now_us, counters, count, name, text, sizeof(text)))
		return false;
	log_notice(subsystem, "%s", text);
	return true;
}
