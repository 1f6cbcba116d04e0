/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress: progress of long work, on stderr. No other file of electsim reads a real clock; this
 * one only shows how long the work takes.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "jobs.h"

enum { PROGRESS_TTY_MS = 500, PROGRESS_MS = 10000 };

static uint64_t real_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void progress_begin(struct progress *p)
{
	*p = (struct progress){ .begun_ms = real_ms(), .tty = isatty(STDERR_FILENO) };
	p->last_ms = p->begun_ms;
}

bool progress_due(struct progress *p)
{
	uint64_t now = real_ms();

	if (now - p->last_ms < (p->tty ? PROGRESS_TTY_MS : PROGRESS_MS))
		return false;
	p->last_ms = now;
	return true;
}

void progress_show(struct progress *p, const char *format, ...)
{
	va_list args;

	p->shown = true;
	if (p->tty)
		fputc('\r', stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, ", %" PRIu64 " s%s", progress_ms(p) / 1000, p->tty ? "   " : "\n");
}

void progress_end(struct progress *p)
{
	if (p->tty && p->shown)
		fputc('\n', stderr);
}

uint64_t progress_ms(const struct progress *p)
{
	return real_ms() - p->begun_ms;
}
