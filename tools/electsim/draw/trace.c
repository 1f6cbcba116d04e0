/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace: one line per event, worded by narrate.c: printed at once, or kept as a tail that is
 * printed when the run fails.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "draw.h"

enum { TAIL_LINES = 64 };

static const char *name_of(void *user, const struct elect_id *id)
{
	const struct sim_host *h = sim_by_id(user, id);

	return h ? h->config.name : NULL;
}

const struct narrate *trace_narrate(struct sim *s)
{
	static struct narrate n;

	n = (struct narrate){ .name_of = name_of, .user = s };
	return &n;
}

void trace_line(struct sim *s, const struct sim_host *h, const char *format, ...)
{
	uint64_t us = s->now_us - SIM_EPOCH_US;
	char line[NARRATE_LINE_MAX + 64];
	va_list args;
	int n;

	n = snprintf(line, sizeof(line), "%5" PRIu64 ".%06" PRIu64 "  %-5s", us / 1000000,
		us % 1000000, h ? h->config.name : "");
	va_start(args, format);
	vsnprintf(line + n, sizeof(line) - (size_t)n, format, args);
	va_end(args);
	if (s->trace == SIM_TRACE_PRINT)
		puts(line);
	else
		memcpy(s->tail[s->tail_count++ % TAIL_LINES], line, sizeof(line));
}

void trace_tail(const struct sim *s, FILE *f, unsigned lines)
{
	unsigned from = s->tail_count > TAIL_LINES ? s->tail_count - TAIL_LINES : 0;

	if (s->tail_count - from > lines)
		from = s->tail_count - lines;
	for (unsigned i = from; i < s->tail_count; i++)
		fprintf(f, "  %s\n", s->tail[i % TAIL_LINES]);
}

void trace_event(struct sim *s, const struct sim_host *h, const struct elect_event *event)
{
	char line[NARRATE_LINE_MAX];

	if (event->type == ELECT_EVENT_TICK)
		return; /* the trace shows its effects */
	narrate_event(trace_narrate(s), event, line, sizeof(line));
	trace_line(s, h, "%s", line);
}

void trace_datagram(struct sim *s, const struct sim_host *h, const struct sim_datagram *d,
	enum wire_verdict verdict)
{
	static struct elect_msg message;
	char line[NARRATE_LINE_MAX];

	if (verdict != WIRE_OK) {
		trace_line(s, h, "refuses %s from h%u: %s%s", elect_msg_type_name(d->type),
			d->sender + 1, wire_verdict_name(verdict), d->hostile ? " (hostile)" : "");
		return;
	}
	if (wire_decode(d->bytes, d->size, &message) != 0)
		return;
	narrate_message(trace_narrate(s), &message, line, sizeof(line));
	trace_line(s, h, "<- %s", line);
}

void trace_actions(struct sim *s, const struct sim_host *h)
{
	char line[NARRATE_LINE_MAX];

	for (unsigned i = 0; i < s->actions.count; i++) {
		narrate_action(trace_narrate(s), &s->actions.items[i], line, sizeof(line));
		trace_line(s, h, "-> %s", line);
	}
}
