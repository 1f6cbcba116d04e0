/* SPDX-License-Identifier: Apache-2.0 */
#include "entry.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { LENGTH_BYTES = 8 };

/* ---- one datagram ------------------------------------------------------------------------ */

static void put(struct entry *e, const void *bytes, size_t size)
{
	if (size > sizeof(e->bytes) - e->size) {
		e->whole = false;
		return;
	}
	memcpy(e->bytes + e->size, bytes, size);
	e->size += size;
}

/* The length is 64 bits, little endian. With it a value may contain newlines. */
static void put_length(struct entry *e, uint64_t length)
{
	unsigned char bytes[LENGTH_BYTES];

	for (unsigned i = 0; i < LENGTH_BYTES; i++)
		bytes[i] = (unsigned char)(length >> 8 * i);
	put(e, "\n", 1);
	put(e, bytes, sizeof(bytes));
}

void entry_text(struct entry *e, const char *field, const char *value)
{
	if (!value || !*value)
		return;
	put(e, field, strlen(field));
	if (strchr(value, '\n'))
		put_length(e, strlen(value));
	else
		put(e, "=", 1);
	put(e, value, strlen(value));
	put(e, "\n", 1);
}

void entry_add(struct entry *e, const char *field, const char *format, ...)
{
	char value[ENTRY_VALUE_MAX];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(value, sizeof(value), format, args);
	va_end(args);
	if (length > 0)
		entry_text(e, field, value);
}

void entry_begin(
	struct entry *e, const struct entry_kind *kind, const char *program, const char *message)
{
	e->size = 0;
	e->whole = true;
	entry_text(e, "MESSAGE", message);
	entry_text(e, "MESSAGE_ID", kind->id);
	entry_add(e, "PRIORITY", "%u", log_syslog_level(kind->level));
	entry_text(e, "SYSLOG_IDENTIFIER", program);
}

/* ---- sending ----------------------------------------------------------------------------- */

static void connect_to_journal(struct entry_way *way)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	memcpy(address.sun_path, way->path, sizeof(way->path));
	way->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (way->fd >= 0 &&
		connect(way->fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		entry_close(way);
}

void entry_open(struct entry_way *way, const char *path)
{
	*way = (struct entry_way){ .fd = -1 };
	snprintf(way->path, sizeof(way->path), "%s", path);
	if (log_to_journal())
		connect_to_journal(way);
}

void entry_close(struct entry_way *way)
{
	if (way->fd >= 0)
		close(way->fd);
	way->fd = -1;
}

static bool sent(const struct entry_way *way, const struct entry *e)
{
	return way->fd >= 0 && e->whole &&
		send(way->fd, e->bytes, e->size, MSG_NOSIGNAL) == (ssize_t)e->size;
}

/* After a restart of the journal, the same path leads to a new socket: connect again, once. */
bool entry_sent(struct entry_way *way, const struct entry *e)
{
	if (!log_to_journal())
		return false;
	if (sent(way, e))
		return true;
	entry_close(way);
	connect_to_journal(way);
	return sent(way, e);
}
