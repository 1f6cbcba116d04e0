/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tell: journal entries about hooks. Speaks the journal's own protocol
 * (systemd.io/JOURNAL_NATIVE_PROTOCOL) rather than through libsystemd, whose sending waits when the
 * journal is not read.
 */
#include "tell.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum {
	DATAGRAM_MAX = 16384,
	VALUE_MAX = LOG_LINE_MAX + COMMAND_OUTPUT_MAX + 2,
	LENGTH_BYTES = 8,
};

/* The ids are for ever: other people search for them. */
static const struct {
	const char *id;
	enum log_level level;
} kinds[TELL_KINDS] = {
	[TELL_BEGIN] = { "28bd5b9a9fce4ef0b3b25bdd1865d3ff", LOG_LEVEL_NOTICE },
	[TELL_END] = { "73b22b72e5174da69e67923588e39245", LOG_LEVEL_NOTICE },
	[TELL_OK] = { "926b704a42c3440181f71a09660a9a06", LOG_LEVEL_INFO },
	[TELL_FAILED] = { "15505883f9ed4be4aa2bc8604e0087a3", LOG_LEVEL_WARNING },
};

const char *tell_message_id(enum tell_kind kind)
{
	assert(kind < TELL_KINDS);
	return kinds[kind].id;
}

/* ---- one datagram ------------------------------------------------------------------------ */

struct datagram {
	char bytes[DATAGRAM_MAX];
	size_t size;
	bool whole;
};

static void put(struct datagram *d, const void *bytes, size_t size)
{
	if (size > sizeof(d->bytes) - d->size) {
		d->whole = false;
		return;
	}
	memcpy(d->bytes + d->size, bytes, size);
	d->size += size;
}

/* The form with a length, little endian, in which newlines are nothing special. */
static void put_field(struct datagram *d, const char *field, const char *value)
{
	uint64_t length = strlen(value);
	unsigned char bytes[LENGTH_BYTES];

	for (unsigned i = 0; i < LENGTH_BYTES; i++)
		bytes[i] = (unsigned char)(length >> 8 * i);
	put(d, field, strlen(field));
	put(d, "\n", 1);
	put(d, bytes, sizeof(bytes));
	put(d, value, length);
	put(d, "\n", 1);
}

__attribute__((format(printf, 3, 4))) static void add(
	struct datagram *d, const char *field, const char *format, ...)
{
	char value[VALUE_MAX];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(value, sizeof(value), format, args);
	va_end(args);
	if (length > 0)
		put_field(d, field, value);
}

static void add_text(struct datagram *d, const char *field, const char *text)
{
	if (text && *text)
		add(d, field, "%s", text);
}

static bool has_output(const struct tell_entry *e)
{
	return e->output && *e->output;
}

static void compose(struct datagram *d, const struct tell_entry *e)
{
	d->size = 0;
	d->whole = true;
	add(d, "MESSAGE", "%s%s%s", e->line, has_output(e) ? "\n" : "",
		has_output(e) ? e->output : "");
	add(d, "MESSAGE_ID", "%s", kinds[e->kind].id);
	add(d, "PRIORITY", "%u", log_syslog_level(kinds[e->kind].level));
	add(d, "SYSLOG_IDENTIFIER", "electd-hookd");
	add_text(d, "ELECTD_DOMAIN", e->domain);
	add(d, "ELECTD_EVENT", "%s", hookplan_event_name(e->event));
	add(d, "ELECTD_TOKEN", "%" PRIu64, e->token);
	add_text(d, "ELECTD_REASON", e->reason);
	add_text(d, "ELECTD_HOOK", e->hook);
	add_text(d, "ELECTD_RESULT", e->result);
	if (e->result)
		add(d, "ELECTD_STATUS", "%d", e->status);
	if (e->result || e->kind == TELL_END)
		add(d, "ELECTD_RUNTIME_MS", "%" PRIu64, e->runtime_us / 1000);
	add_text(d, "ELECTD_OUTPUT", e->output);
}

/* ---- telling ----------------------------------------------------------------------------- */

static void connect_to_journal(struct tell *t)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	memcpy(address.sun_path, t->path, sizeof(t->path));
	t->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (t->fd >= 0 && connect(t->fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		tell_close(t);
}

void tell_open(struct tell *t, const char *path)
{
	*t = (struct tell){ .fd = -1 };
	snprintf(t->path, sizeof(t->path), "%s", path);
	if (log_to_journal())
		connect_to_journal(t);
}

void tell_close(struct tell *t)
{
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
}

static bool sent(const struct tell *t, const struct datagram *d)
{
	return t->fd >= 0 && d->whole &&
		send(t->fd, d->bytes, d->size, MSG_NOSIGNAL) == (ssize_t)d->size;
}

/* A journal that was restarted has a new socket behind the old name: asked for once. */
static bool sent_to_journal(struct tell *t, const struct tell_entry *entry)
{
	struct datagram d;

	if (!log_to_journal())
		return false;
	compose(&d, entry);
	if (sent(t, &d))
		return true;
	tell_close(t);
	connect_to_journal(t);
	return sent(t, &d);
}

static void tell_stderr(const struct tell_entry *e)
{
	enum log_level level = kinds[e->kind].level;
	const char *line = has_output(e) ? e->output : "";

	log_line(level, "hookd", "%s", e->line);
	while (*line) {
		size_t size = strcspn(line, "\n");

		log_line(level, "hookd", "    %.*s", (int)size, line);
		line += size + (line[size] == '\n');
	}
}

void tell_entry(struct tell *t, const struct tell_entry *entry)
{
	if (log_wanted(kinds[entry->kind].level) && !sent_to_journal(t, entry))
		tell_stderr(entry);
}
