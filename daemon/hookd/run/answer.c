/* SPDX-License-Identifier: Apache-2.0 */
/* answer: the calls to electd: Release, Resign and Promoted. */
#include "inside.h"

#include "hookd/loop/timer.h"
#include "program/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TOKEN_SIZE = 24 };

/* ---- Release ----------------------------------------------------------------------------- */

static void ask_release(struct hookd *h);

/* Returns whether the electd that asked for the release of this step still waits for it. */
static bool release_waited_for(const struct hookd *h)
{
	return !h->release_void && h->release == h->step.release;
}

static void end_release(struct hookd *h, enum hookd_done done)
{
	hookd_call_cancel(h->call);
	h->call = NULL;
	timer_off(h->answer_again);
	h->done(h, done);
}

/* An error from electd is an answer too: electd waits no longer. */
static void on_released(void *user, int error, const char *name)
{
	struct hookd *h = user;

	h->call = NULL;
	if (!error || error == -EREMOTE) {
		if (error)
			log_info("hookd", "release %llu: %s", (unsigned long long)h->step.release,
				name);
		end_release(h, error ? HOOKD_FAILED : HOOKD_OK);
	} else if (h->stopping || !release_waited_for(h)) {
		end_release(h, HOOKD_FAILED);
	} else {
		timer_in(h->answer_again, HOOKD_ANSWER_AGAIN_US);
	}
}

static void ask_release(struct hookd *h)
{
	json_t *parameters = json_pack(
		"{s:s, s:I}", "holder", link_holder(h->link), "seq", (json_int_t)h->step.release);

	if (hookd_call_start(&h->call, h->event, h->socket, "io.electd.Release", parameters,
		    HOOKD_ANSWER_US, on_released, h))
		timer_in(h->answer_again, HOOKD_ANSWER_AGAIN_US);
}

int hookd_answer_on_again(sd_event_source *source, uint64_t at_us, void *user)
{
	struct hookd *h = user;

	(void)source;
	(void)at_us;
	if (h->stopping || !release_waited_for(h))
		end_release(h, HOOKD_FAILED);
	else
		ask_release(h);
	return 0;
}

enum hookd_done hookd_answer_release(struct hookd *h)
{
	if (!release_waited_for(h))
		return HOOKD_FAILED;
	ask_release(h);
	return HOOKD_LATER;
}

void hookd_answer_look(struct hookd *h)
{
	if (!h->pending || h->step.type != HOOKPLAN_RELEASED || release_waited_for(h))
		return;
	hookd_call_cancel(h->call);
	h->call = NULL;
	timer_off(h->answer_again);
	h->pending = false;
	hookplan_done(&h->plan, HOOKPLAN_FAILED);
}

static void on_left(void *user, int error, const char *name)
{
	struct hookd *h = user;

	(void)error;
	(void)name;
	h->call = NULL;
	sd_event_exit(h->event, 0);
}

/*
 * Without this call electd would wait at the next release for a program that is gone. A silent
 * electd is not waited for: it reads the call when it goes on.
 */
void hookd_answer_leave(struct hookd *h)
{
	uint64_t within_us = link_stands(h->link) ? HOOKD_ANSWER_US : 0;

	if (!*link_holder(h->link) ||
		hookd_call_start(&h->call, h->event, h->socket, "io.electd.Release",
			json_pack("{s:s, s:i}", "holder", link_holder(h->link), "seq", 0),
			within_us, on_left, h))
		sd_event_exit(h->event, 0);
}

/* ---- Resign ------------------------------------------------------------------------------ */

static void on_resigned(void *user, int error, const char *name)
{
	struct hookd *h = user;

	h->resign = NULL;
	if (error)
		log_warning("hookd", "electd did not resign: %s",
			error == -EREMOTE ? name : strerror(-error));
}

/* Repeated failures double the time, so that the role does not circulate among failing hosts. */
static unsigned next_bar_s(struct hookd *h)
{
	uint64_t led_us = hookd_manager_us(h) - h->promoted_us;

	if (!h->bar_s || led_us >= (uint64_t)HOOKD_BAR_MOST_S * 1000000)
		h->bar_s = HOOKD_BAR_S;
	else if (h->bar_s < HOOKD_BAR_MOST_S)
		h->bar_s = 2 * h->bar_s < HOOKD_BAR_MOST_S ? 2 * h->bar_s : HOOKD_BAR_MOST_S;
	return h->bar_s;
}

/* Nothing waits for the answer: a stalled electd must not delay the demotion. */
enum hookd_done hookd_answer_resign(struct hookd *h)
{
	unsigned bar_s = next_bar_s(h);
	int r;

	log_notice("hookd",
		"failed as leader: asking electd to hand leadership over, and not to lead for %u s",
		bar_s);
	hookd_call_cancel(h->resign);
	h->resign = NULL;
	/* electd may refuse while no other host can lead; a later look then finds the failure. */
	hookd_watch_in(h, HOOKD_LOOK_US);
	r = hookd_call_start(&h->resign, h->event, h->socket, "io.electd.Resign",
		json_pack("{s:i}", "for", (int)bar_s), HOOKD_RESIGN_US, on_resigned, h);
	if (!r)
		return HOOKD_OK;
	on_resigned(h, r, "");
	return HOOKD_FAILED;
}

/* ---- Promoted ---------------------------------------------------------------------------- */

static void on_promoted_told(void *user, int error, const char *name)
{
	struct hookd *h = user;

	(void)name;
	h->promoting = NULL;
	if (error && error != -EREMOTE)
		timer_in(h->promoted_again, HOOKD_ANSWER_AGAIN_US);
}

void hookd_answer_promoted(struct hookd *h)
{
	char token[TOKEN_SIZE];

	hookd_call_cancel(h->promoting);
	h->promoting = NULL;
	if (!*link_holder(h->link) || !(h->promoted_token || (h->stopping && h->owed)))
		return;
	snprintf(token, sizeof(token), "%" PRIu64, h->promoted_token);
	if (hookd_call_start(&h->promoting, h->event, h->socket, "io.electd.Promoted",
		    json_pack("{s:s, s:s}", "holder", link_holder(h->link), "token", token),
		    HOOKD_ANSWER_US, on_promoted_told, h))
		timer_in(h->promoted_again, HOOKD_ANSWER_AGAIN_US);
}

int hookd_answer_on_promoted_again(sd_event_source *source, uint64_t at_us, void *user)
{
	(void)source;
	(void)at_us;
	hookd_answer_promoted(user);
	return 0;
}
