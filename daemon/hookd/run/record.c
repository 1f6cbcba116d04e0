/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record: passes the plan's records to the writer's thread. A promotion waits until its record is
 * on the disk, for as long as this host leads. A demotion waits for no record.
 */
#include "inside.h"

#include "hookd/loop/timer.h"

#include <errno.h>
#include <string.h>

static bool waits(const struct hookd *h)
{
	return h->pending && h->step.type == HOOKPLAN_RECORD;
}

static bool same(const struct hookplan_phase *a, const struct hookplan_phase *b)
{
	return a->mark == b->mark && a->token == b->token;
}

const char *hookd_record_trouble(int error)
{
	return error == ETIMEDOUT ? "the disk does not answer" : strerror(error);
}

static void complain(const struct hookd *h, int error)
{
	log_error("hookd", "cannot write the phase in %s: %s", h->options->state_dir,
		hookd_record_trouble(-error));
}

/* Nothing waits for the record of a demotion's end, which is written again after a while. */
static void unwritten(struct hookd *h, int error)
{
	hookplan_unwritten(&h->plan);
	if (h->aside.on) {
		hookd_aside_failed(h, error);
		return;
	}
	if (hookd_aside_may_tell(h))
		complain(h, error);
	timer_in(h->retry, HOOKD_RETRY_US);
}

enum hookd_done hookd_record(struct hookd *h)
{
	h->handed = h->step.phase;
	writer_phase(h->writer, &h->handed);
	if (h->handed.mark == HOOKPLAN_IDLE)
		return HOOKD_OK;
	timer_in(h->record_late, h->timeout_us);
	hookd_play_list(h);
	return HOOKD_LATER;
}

/* Ends the step of a promotion's record; after an error the plan gives the same record again. */
static void end(struct hookd *h, int error)
{
	timer_off(h->record_late);
	hookd_play_recorded(h, error);
	if (error)
		timer_in(h->retry, HOOKD_RETRY_US);
	h->done(h, error ? HOOKD_FAILED : HOOKD_OK);
}

bool hookd_record_abandon(struct hookd *h)
{
	if (!waits(h))
		return false;
	timer_off(h->record_late);
	h->pending = false;
	hookplan_done(&h->plan, HOOKPLAN_FAILED);
	return true;
}

/* The record stays with the writer, so that the next attempt may find it written. */
int hookd_record_on_late(sd_event_source *source, uint64_t at_us, void *user)
{
	struct hookd *h = user;

	(void)source;
	(void)at_us;
	if (waits(h))
		end(h, -ETIMEDOUT);
	return 0;
}

/*
 * A result counts for the record that the writer was given last. An equal earlier record has the
 * same bytes, so its result counts too.
 */
static void phase_written(struct hookd *h, const struct writer_result *result)
{
	if (!same(&result->phase, &h->handed))
		return;
	if (waits(h)) {
		end(h, result->error);
	} else if (h->handed.mark == HOOKPLAN_IDLE && result->error) {
		unwritten(h, result->error);
	} else if (h->handed.mark == HOOKPLAN_IDLE) {
		hookd_aside_over(h);
	}
}

int hookd_record_on_written(sd_event_source *source, int fd, uint32_t events, void *user)
{
	struct hookd *h = user;
	struct writer_result result;

	(void)source;
	(void)fd;
	(void)events;
	if (!writer_result(h->writer, &result))
		return 0;
	if (result.is_phase)
		phase_written(h, &result);
	else
		log_warning("hookd", "cannot write %s in %s: %s", IDENTITY_FILE_NAME,
			h->options->state_dir, strerror(-result.error));
	return 0;
}

void hookd_record_close(struct hookd *h)
{
	int r = writer_close(h->writer);

	if (r && !h->aside.on)
		complain(h, r);
}
