/* SPDX-License-Identifier: Apache-2.0 */
#include "once.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "program/clock.h"

enum {
	GRACE_MS = 200,	    /* between TERM and KILL */
	LOOK_AGAIN_MS = 20, /* checks for processes that are left: not every end is signalled */
	READS_MAX = 16,	    /* in each once_look(): endless output must not block */
	BY_SIGNAL = 128,
};

/* ---- output of the command -------------------------------------------------------------- */

static void end_line(struct once *r)
{
	r->next[r->used] = '\0';
	if (r->used)
		memcpy(r->line, r->next, r->used + 1);
	r->used = 0;
}

static void take(struct once *r, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (bytes[i] == '\n')
			end_line(r);
		else if (bytes[i] && r->used < ELECT_WORDS_MAX)
			r->next[r->used++] = bytes[i];
	}
}

static void close_output(struct once *r)
{
	if (r->output >= 0)
		close(r->output);
	r->output = -1;
}

static void read_output(struct once *r)
{
	char bytes[4096];
	ssize_t n = -1;

	for (unsigned i = 0; r->output >= 0 && i < READS_MAX; i++) {
		n = read(r->output, bytes, sizeof bytes);
		if (n <= 0)
			break;
		take(r, bytes, (size_t)n);
	}
	if (n == 0)
		close_output(r);
}

/* ---- result ----------------------------------------------------------------------------- */

static void judge(struct once *r, bool well, const char *words)
{
	r->judged = true;
	r->well = well;
	elect_words_copy(r->words, sizeof r->words, words);
}

static void judge_end(struct once *r)
{
	char words[64] = "";
	int status = r->child.status;

	read_output(r);
	end_line(r);
	if (status > BY_SIGNAL)
		snprintf(words, sizeof words, "killed by signal %d", status - BY_SIGNAL);
	else if (status)
		snprintf(words, sizeof words, "exit status %d", status);
	judge(r, status == 0, r->line[0] ? r->line : words);
}

static void judge_late(struct once *r)
{
	char words[64];

	snprintf(words, sizeof words, "no answer within %g s", (double)r->timeout_ms / 1000);
	judge(r, false, words);
	child_signal(&r->child, SIGTERM);
	r->limit_ms += GRACE_MS;
}

int once_start(struct once *r, char *const *words, const sigset_t *mask, long timeout_ms)
{
	int ends[2], rc;

	*r = (struct once){ .output = -1, .timeout_ms = timeout_ms };
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	rc = child_start_apart(&r->child, words, mask, ends[1]);
	close(ends[1]);
	r->output = ends[0];
	if (rc)
		close_output(r);
	r->running = !rc;
	r->limit_ms = clock_boot_ms() + timeout_ms;
	return rc;
}

/* Kills at once the processes that an ended command left behind. */
bool once_look(struct once *r)
{
	bool judged = r->judged;

	if (!r->running)
		return false;
	read_output(r);
	child_gone(&r->child);
	if (r->child.ended && !r->judged)
		judge_end(r);
	else if (!r->judged && clock_boot_ms() >= r->limit_ms)
		judge_late(r);
	if (r->child.ended || (judged && clock_boot_ms() >= r->limit_ms))
		r->running = !child_sweep(&r->child);
	if (!r->running)
		close_output(r);
	return r->judged && !judged;
}

bool once_stuck(const struct once *r)
{
	return r->running && r->judged && clock_boot_ms() > r->limit_ms + GRACE_MS;
}

int64_t once_due_ms(const struct once *r)
{
	int64_t again = clock_boot_ms() + LOOK_AGAIN_MS;

	if (!r->running)
		return ONCE_NEVER;
	return r->child.ended || r->limit_ms < again ? again : r->limit_ms;
}

void once_kill(struct once *r)
{
	r->judged = true;
	r->limit_ms = clock_boot_ms();
}
